"""Every intended difference from PyTorch, as a program on which the two disagree.

``record_ledger.py`` runs each on both and writes the answers into ``ledger.json``. A
test runs them on minigrad again: a difference that has gone must be taken out here, and
a new one must not arise. ``chapter`` is the one that makes the difference, ``until``
the one that ends it, where one does.
"""

import textwrap
from dataclasses import dataclass


@dataclass(frozen=True)
class Difference:
    """One program, and why minigrad answers as it does."""

    id: str
    chapter: int
    theme: str
    says: str
    code: str
    why: str
    until: int | None = None


DIFFERENCES: list[Difference] = []


def differ(chapter: int, theme: str):
    """Begin a theme: call the result to add a difference."""

    def add(id: str, says: str, code: str, why: str, until: int | None = None) -> None:
        code = textwrap.dedent(code).strip()
        DIFFERENCES.append(Difference(id, chapter, theme, says, code, why, until))

    return add


# ------------------------------------------------------------------------------
walk = differ(7, "What a backward pass does")
walk(
    "failing-pass-changes-nothing",
    "A pass that fails half-way.",
    """
    w = torch.tensor(3.0, requires_grad=True)
    x = torch.tensor(2.0, requires_grad=True)
    used = x * x
    used.backward()
    try:
        (used + 3 * w).backward()
    except RuntimeError:
        pass
    w.grad
    """,
    "PyTorch serves a leaf as soon as its walk gets there, so some have their "
    "gradient when it fails. minigrad delivers after the last rule: a pass happens, "
    "or it does not.",
)
walk(
    "order-of-branches",
    "In which order nodes run that do not depend on each other.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    a, b, c = x * 1, x * 2, x * 3
    s = b + a * c
    seen = []
    for name, t in (("a", a), ("b", b), ("c", c), ("s", s)):
        t.register_hook(lambda g, name=name: seen.append(name))
    s.backward()
    seen
    """,
    "PyTorch numbers its nodes and runs what was made last first. minigrad keeps a "
    "list of what is ready: each node after all its consumers, which is all that "
    "gradients ask for (Chapter 25).",
)
walk(
    "create-graph-makes-no-circle",
    "Whether `backward(create_graph=True)` keeps a leaf alive.",
    """
    import gc, weakref
    x = torch.tensor(2.0, requires_grad=True)
    gc.disable()
    (x * x).backward(create_graph=True)
    alive = weakref.ref(x)
    del x
    gc.enable()
    alive() is None
    """,
    "In PyTorch the leaf, its gradient and the gradient's history hold each other. "
    "Here the history knows the leaf weakly. The warning is kept, for programs that "
    "will move to PyTorch.",
)
walk(
    "pass-to-a-result-frees-less",
    "`inputs=` names the result itself.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward(inputs=[y])
    y.backward()
    x.grad
    """,
    "The first pass ends where it begins, and the product's rules are not asked. "
    "minigrad frees what a rule has used; PyTorch frees the product, too (and "
    "`autograd.grad(y, y)` does not).",
)
walk(
    "leaf-with-another-shape",
    "A leaf that got another shape after it was used.",
    """
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).sum()
    x.data = torch.ones(3)
    y.backward()
    x.grad
    """,
    "Such a gradient fits no longer. minigrad never puts one beside its tensor.",
)
walk(
    "leaf-with-another-dtype",
    "A leaf that got another dtype after it was used.",
    """
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).sum()
    x.data = torch.ones(2, dtype=torch.float64)
    y.backward()
    x.grad
    """,
    "As before, but a dtype can be converted.",
)

# ------------------------------------------------------------------------------
memory = differ(7, "Who owns a gradient")
memory(
    "results-of-grad-do-not-share",
    "Results of `autograd.grad` may share memory in PyTorch.",
    """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    y = (x + w).sum()
    gx, gw = torch.autograd.grad(y, [x, w])
    gx.numpy()[0] = 7
    gw
    """,
    "There both are views of one number, spread over two elements by the sum. Every "
    "gradient that minigrad hands out has memory of its own.",
)
memory(
    "results-of-grad-do-not-share-weights",
    "So may a result and the caller's weights.",
    """
    x = torch.ones(2, requires_grad=True)
    v = torch.ones(2)
    g, = torch.autograd.grad(x + 0, x, v)
    g.numpy()[0] = 7
    v
    """,
    "The same: a gradient of minigrad never is the caller's array.",
)

# ------------------------------------------------------------------------------
numbers = differ(7, "Other numbers")
numbers(
    "relu-times-infinity",
    "A cotangent of inf where relu is flat.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    y = torch.relu(x)
    y.backward(torch.tensor(float('inf')))
    x.grad
    """,
    "The rule of Chapter 3 multiplies by 0, and 0 · inf is nan. PyTorch selects "
    "instead of multiplying.",
)
numbers(
    "mixed-second-derivative-of-pow",
    "The mixed second derivative of xᵏ at k = 0.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    k = torch.tensor(0.0, requires_grad=True)
    y = x ** k
    g, = torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(g, k)
    """,
    "By hand it is xᵏ⁻¹ (1 + k log x), so 1/2: neither is right. For k = 0 both "
    "replace k xᵏ⁻¹ by something that stays finite at x = 0, PyTorch by 0, minigrad "
    "by k x⁰.",
)

# ------------------------------------------------------------------------------
nodes = differ(7, "Nodes of the graph")
nodes(
    "node-repr-has-no-address",
    "A node prints without its address.",
    """
    y = torch.ones(1, requires_grad=True).exp()
    ' at 0x' in repr(y.grad_fn)
    """,
    "The outputs in this book are compared byte by byte, and an address changes from "
    "run to run.",
)
nodes(
    "saved-values-have-no-names",
    "PyTorch's nodes show what they saved.",
    """
    y = torch.ones(1, requires_grad=True).exp()
    y.grad_fn._saved_result
    """,
    "The names begin with an underscore: they are PyTorch's own business. Drawings "
    "of Chapter 6 show what minigrad's nodes have saved.",
)
nodes(
    "nodes-of-gradients",
    "The node of a gradient can have another name.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x.tanh()
    g, = torch.autograd.grad(y, x, create_graph=True)
    g.grad_fn
    """,
    "PyTorch has a kernel for this second derivative. In minigrad the rule of tanh "
    "is itself made of recorded operations, and the last of them is a product.",
)
nodes(
    "copies-have-one-way-back",
    "`CopyBackwards`, the node of a copied gradient, has two ways back in PyTorch.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.exp().sum().backward(create_graph=True)
    len(x.grad.grad_fn.next_functions)
    """,
    "The first of the two leads to what was overwritten, and is None. minigrad "
    "leaves it out.",
)

# ------------------------------------------------------------------------------
arrays = differ(7, "Beside NumPy")
arrays(
    "numpy-functions-record",
    "NumPy's functions on a tensor that requires grad.",
    "np.exp(torch.ones(2, requires_grad=True))",
    "In minigrad they are recorded. This is how Chapter 7 turns the rules of Chapter "
    "3 into rules for gradients of gradients.",
)
arrays(
    "array-times-tensor",
    "An array on the left of a tensor.",
    "np.ones(2) * torch.ones(2)",
    "For the same reason: a rule meets arrays and tensors side by side.",
)
arrays(
    "tensor-with-a-gradient-times-array",
    "An array on the right of a tensor that requires grad.",
    "torch.ones(2, requires_grad=True) * np.ones(2)",
    "The same. The array counts as a constant.",
)
arrays(
    "array-that-runs-backwards",
    "An array that runs backwards through its memory.",
    "torch.from_numpy(np.arange(3)[::-1])",
    "NumPy can compute with it as it is, so minigrad can.",
)
arrays(
    "numpy-gives-the-array",
    "`numpy()` of a tensor over an array.",
    """
    a = np.ones(2)
    torch.from_numpy(a).numpy() is a
    """,
    "PyTorch makes another array over the same memory. In minigrad a tensor *is* its "
    "array and a place for a gradient.",
)

# ------------------------------------------------------------------------------
making = differ(4, "Making tensors")
making(
    "rows-of-length-zero",
    "Rows of different length, the first of them empty.",
    "torch.tensor([[], [1]])",
    "PyTorch stops reading at the first empty row. Here all rows are compared.",
)
making(
    "list-of-arrays-of-no-axes",
    "A list of 0-d NumPy arrays.",
    "torch.tensor([np.array(1.0), np.array(2.0)])",
    "Each of them is a number.",
)
making(
    "list-of-arrays-is-silent",
    "A list of NumPy arrays.",
    "torch.tensor([np.zeros(2)])",
    "PyTorch warns that reading such a list takes long.",
)
making(
    "true-is-a-size",
    "A bool in place of a size.",
    "torch.zeros(True)",
    "For Python, `True` is the integer 1, and minigrad leaves it at that.",
)

# ------------------------------------------------------------------------------
inplace = differ(8, "Changes in place")
inplace(
    "memory-that-must-not-be-written",
    "A tensor over a read-only array.",
    """
    a = np.zeros(2)
    a.flags.writeable = False
    t = torch.from_numpy(a)
    t.add_(1)
    """,
    "PyTorch warns when the tensor is made, and writes. NumPy does not write.",
)

# ------------------------------------------------------------------------------
messages = differ(7, "Errors")
messages(
    "messages-say-what-to-do",
    "How an error goes on.",
    "torch.ones(2, requires_grad=True).backward()",
    "A message of minigrad has PyTorch's words, so that a search finds them, and then "
    "says what is wrong here, what to do, and where it is explained. The parity ledger "
    "compares the words.",
)
messages(
    "second-misfit-is-named",
    "A misfit at the second of several outputs.",
    """
    x = torch.ones(2, requires_grad=True)
    weights = [torch.tensor(1.0), torch.ones(3)]
    torch.autograd.backward([x.sum(), x * 2], weights)
    """,
    "Both refuse. PyTorch stumbles while it writes the message; minigrad names the "
    "output.",
)
messages(
    "step-that-rounds-to-zero",
    "A step of `arange` that is 0 as an integer.",
    "torch.arange(0, 2, 0.5, dtype=torch.int64)",
    "Both refuse, in the same words. For a step of 0 that was written as 0, PyTorch "
    "has a RuntimeError, and minigrad has it for this one as well.",
)
messages(
    "deleting-data",
    "Deleting the data of a tensor.",
    """
    x = torch.ones(1)
    del x.data
    """,
    "Both refuse. This is Python's own message for what cannot be deleted.",
)

# ------------------------------------------------------------------------------
rare = differ(5, "Rarities of single operations")
rare(
    "product-of-bool-matrices",
    "The matrix product of bools.",
    "torch.tensor([[True]]) @ torch.tensor([[True]])",
    "NumPy has one, PyTorch has not.",
)
rare(
    "bool-to-a-bool-power",
    "A power of bools.",
    "torch.tensor([True]) ** torch.tensor([True])",
    "NumPy computes it in int8, PyTorch refuses.",
)
rare(
    "numpy-bool-beside-integers",
    "A NumPy bool beside an integer tensor.",
    "torch.tensor([1]) + np.bool_(True)",
    "PyTorch takes it for a float. Here it is a bool, as Python's own are.",
)
rare(
    "sum-in-another-dtype",
    "A sum in another dtype than its operand's.",
    """
    x = torch.ones(2, requires_grad=True)
    x.sum(dtype=torch.float64).grad_fn.next_functions[0][0].name()
    """,
    "minigrad converts first, and says so with a node. The numbers are the same.",
)
rare(
    "relu-of-minus-zero",
    "The relu of -0.",
    "torch.relu(torch.tensor(-0.0))",
    "The maximum of -0 and 0 is 0 for NumPy.",
)
rare(
    "third-derivative-of-a-square",
    "How often a power can be differentiated.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    g, = torch.autograd.grad(x ** 2, x, create_graph=True)
    h, = torch.autograd.grad(g, x, create_graph=True)
    k, = torch.autograd.grad(h, x, create_graph=True)
    (k, k.requires_grad)
    """,
    "PyTorch stops recording where the exponent has come down to 0. minigrad goes on, "
    "with zeros.",
)
rare(
    "saved-leaf-with-other-data",
    "A leaf whose `.data` is replaced between recording and walking.",
    """
    x = torch.tensor([1.0], requires_grad=True)
    y = x * x
    x.data = torch.tensor([7.0])
    y.sum().backward()
    x.grad
    """,
    "PyTorch saves the tensor, and multiplies by what it holds now. minigrad saves the "
    "array, and multiplies by what was recorded.",
)


# ------------------------------------------------------------------------------
missing = differ(7, "What minigrad does not have")
missing(
    "no-complex-numbers",
    "Complex numbers.",
    "torch.complex64",
    "Their derivatives need a convention of their own, which this book leaves out.",
)
missing(
    "no-bfloat16",
    "bfloat16.",
    "torch.bfloat16",
    "NumPy has no such numbers.",
)
missing(
    "no-devices",
    "Devices.",
    "torch.device('cuda')",
    "NumPy computes on the processor, and nowhere else. So there is one device, cpu, "
    "and every argument that names a device accepts this one only.",
)
missing(
    "no-grad-dtype",
    "A gradient with another dtype than its tensor, `grad_dtype`.",
    "torch.ones(1, requires_grad=True).grad_dtype",
    "A gradient has its leaf's dtype here, always.",
)
missing(
    "no-attributes-of-ones-own",
    "Attributes of one's own on a tensor.",
    "hasattr(torch.ones(1), '__dict__')",
    "A tensor of minigrad has a fixed set of slots and no dictionary, which makes it "
    "smaller, and faster to make.",
)
missing(
    "subclasses-are-not-kept",
    "Results of a subclass of Tensor.",
    """
    class Mine(torch.Tensor):
        pass
    type(Mine([1.0]) + 1).__name__
    """,
    "PyTorch asks the subclass what to do, by `__torch_function__`. minigrad asks "
    "nobody.",
)
missing(
    "no-dictionary-of-inputs",
    "A dictionary of inputs.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * w, {'x': x, 'w': w})
    """,
    "minigrad takes a tensor or a sequence of tensors.",
)
missing(
    "no-out",
    "A tensor for the result, `out=`.",
    "torch.exp(torch.zeros(1), out=torch.ones(1))",
    "Only operations in place write into a tensor that is there already.",
)

# ------------------------------------------------------------------------------
seen = differ(11, "Views whose base has been changed")
seen(
    "parts-of-a-changed-base",
    "Reading a part of a tensor that was split, and changed since.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    a, b = y.split(1)
    y.mul_(3)
    a.sum().backward()
    x.grad
    """,
    "PyTorch gives the parts of a split one node, which it cannot rewrite for one of "
    "them. minigrad's parts have a node each, and are shown anew like other views.",
)
seen(
    "views-of-what-was-changed-unrecorded",
    "The node of a view after a change that was not recorded.",
    """
    y = torch.ones(2, requires_grad=True) * 1
    v = y.view(2)
    with torch.no_grad():
        y.add_(1)
    v.grad_fn
    """,
    "PyTorch makes the node of a view anew when the count has moved, whoever moved "
    "it. What the node does is the same.",
)

# ------------------------------------------------------------------------------
nodes = differ(10, "Nodes of products")
nodes(
    "node-of-a-batched-product",
    "The node of a batched product.",
    """
    x = torch.ones(5, 2, 3, requires_grad=True)
    (x @ torch.ones(5, 3, 2)).grad_fn
    """,
    "PyTorch reshapes around its batched product, and the last node is that of a "
    "reshape. minigrad's product takes stacks as they are.",
)
nodes(
    "node-of-an-einsum",
    "The node of an einsum.",
    """
    x = torch.ones(2, 3, requires_grad=True)
    torch.einsum("ij,kj->ik", x, x).grad_fn
    """,
    "PyTorch permutes, multiplies in batches and reshapes, with a node for each step. "
    "Here the sentence is one operation, and its rule is another sentence.",
)

# ------------------------------------------------------------------------------
hooked = differ(12, "What hooks see, and what a failing one leaves")
START = """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
h = x * w
"""
hooked(
    "failing-hook-changes-nothing",
    "A hook fails after another leaf has been reached.",
    START
    + """\
def fail(leaf):
    raise ZeroDivisionError
w.register_post_accumulate_grad_hook(fail)
try:
    h.sum().backward()
except ZeroDivisionError:
    pass
x.grad, w.grad
""",
    "Sums are delivered when the walk is over, and a failing hook takes the delivery "
    "back: after a pass that fails, every `.grad` is as it was.",
)
hooked(
    "post-accumulate-hooks-at-the-end",
    "A leaf's post-accumulate hook and another leaf's hook.",
    """
    log = []
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    w.register_post_accumulate_grad_hook(lambda leaf: log.append("w has it"))
    x.register_hook(lambda g: log.append("x gets it"))
    (x * 2 * 3 * w).sum().backward()
    log
    """,
    "Delivery is the last part of a pass, so hooks after a delivery come after all "
    "other hooks. PyTorch serves a leaf as soon as it is reached.",
)
hooked(
    "gradient-of-an-input-is-after-its-hooks",
    "The gradient at a tensor with a hook, and at one behind it.",
    START
    + """\
h.register_hook(lambda g: g * 10)
torch.autograd.grad(h.sum(), [h, x])
""",
    "The result is what the hooks have left, as it is when `h` is the only input. "
    "PyTorch returns the gradient before the hook here.",
)
hooked(
    "hook-writes-into-its-argument",
    "A hook that writes into its argument.",
    """
    v = torch.tensor([1.0, 1.0])
    x, w = (torch.ones(2, requires_grad=True) for _ in range(2))
    def hook(g):
        g.mul_(10)
    x.register_hook(hook)
    (x + w).backward(v)
    x.grad, w.grad, v
    """,
    "What a hook is given shares memory with nothing: only its own gradient changes.",
)
hooked(
    "hook-of-a-mailbox-stays",
    "A hook on the mailbox of a leaf, after the graph has gone.",
    START
    + """\
log = []
h.grad_fn.next_functions[0][0].register_hook(lambda *given: log.append("called"))
del h
(x * w).sum().backward()
log
""",
    "A leaf owns its mailbox. In PyTorch the mailbox, and its hooks, go with the last "
    "graph that leads to it.",
)
hooked(
    "hook-of-a-leaf-switched-off-and-on",
    "A leaf with a hook is frozen and thawed.",
    """
    log = []
    x = torch.ones(2, requires_grad=True)
    x.register_hook(lambda g: log.append("called"))
    x.requires_grad_(False)
    x.requires_grad_(True)
    x.sum().backward()
    log
    """,
    "A leaf's hooks are those of its mailbox, and a leaf that begins to collect again "
    "gets a new one.",
)
SAVING = """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
saving = torch.autograd.graph.saved_tensors_hooks
"""
hooked(
    "pack-writes-into-its-argument",
    "A pack hook that writes into its argument.",
    SAVING
    + """\
c = torch.tensor([3.0, 4.0])
with saving(lambda t: t.mul_(10), lambda t: t):
    x * c
c
""",
    "Changes in place are not watched while a value is packed.",
)
hooked(
    "number-that-is-a-tensor",
    "A constant tensor without axes.",
    SAVING
    + """\
log = []
with saving(lambda t: log.append("packed") or t, lambda t: t):
    x * torch.tensor(2.0)
log
""",
    "It is saved as a number, and a number is not packed.",
)

checks = differ(13, "What a check of gradients says")
checks(
    "check-warns-of-kinks",
    "A check at a kink.",
    """
    x = torch.zeros(1, dtype=torch.float64, requires_grad=True)
    torch.autograd.gradcheck(torch.abs, x)
    """,
    "Both pass, because the mean of the two slopes is what the rule returns. minigrad "
    "warns, and names the element.",
)
checks(
    "check-refuses-changing-shapes",
    "A check of a function whose shape depends on the numbers.",
    """
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    function = lambda x: x if x.detach().sum() == 2 else x.sum()
    torch.autograd.gradcheck(function, x, raise_exception=False)
    """,
    "PyTorch compares the two moved outputs with each other only, and then spreads the "
    "one that is smaller.",
)

# ------------------------------------------------------------------------------
functions = differ(14, "Jacobians")
functions(
    "recorded-columns",
    "A Jacobian by columns that can be differentiated again.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    jacobian = torch.autograd.functional.jacobian
    way = dict(vectorize=True, strategy="forward-mode", create_graph=True)
    jacobian(lambda x: x * x, x, **way).sum()
    """,
    "PyTorch has not built this way yet.",
)

# ------------------------------------------------------------------------------
forward = differ(15, "What has a tangent")
DUAL = """\
ad = torch.autograd.forward_ad
x = torch.ones(2)
"""
forward(
    "tangent-that-is-a-number",
    "A number as a tangent.",
    DUAL
    + """\
with ad.dual_level():
    ad.make_dual(x, 3.0)
""",
    "PyTorch asks the number for a method of tensors; minigrad says what is missing.",
)
forward(
    "tangent-that-was-given",
    "The tensor that was given as a tangent, after a change in place.",
    DUAL
    + """\
v = torch.ones(2)
with ad.dual_level():
    ad.make_dual(x, v).mul_(3)
v
""",
    "PyTorch writes into the tensor that you gave. minigrad leaves it as it is: the "
    "dual tensor gets another tangent.",
)
forward(
    "tangent-of-another-dtype",
    "A tangent that is more precise than its primal.",
    DUAL
    + """\
with ad.dual_level():
    y = ad.make_dual(x, x.double())
    t = ad.unpack_dual(y.exp()).tangent
t.dtype
""",
    "In minigrad the tangent of a result has the dtype of the result.",
)
forward(
    "tangent-of-what-is-expanded",
    "A dual tensor over memory in which one number stands for several.",
    DUAL
    + """\
m = x.expand(2, 2)
with ad.dual_level():
    t = ad.unpack_dual(ad.make_dual(m, torch.ones(2, 2)) * 3).tangent
t
""",
    "PyTorch lays the tangent out like its primal, and cannot. minigrad keeps the "
    "tangent as it was given.",
)

# ------------------------------------------------------------------------------
yours = differ(16, "How your own functions move")
yours(
    "jvp-of-a-view",
    "The `jvp` of a Function that returns its input.",
    DUAL
    + """\
class My(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x
    @staticmethod
    def jvp(ctx, t):
        return t * 3
with ad.dual_level():
    t = ad.unpack_dual(My.apply(ad.make_dual(x, torch.ones(2)))).tangent
t
""",
    "PyTorch refuses: the tangent of a view must be a view. In minigrad the output has "
    "the tangent that `jvp` gives, and the input keeps its own.",
)

yours(
    "function-in-a-transform",
    "A Function of the older form under `torch.func`.",
    DUAL
    + """\
class My(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * x
    @staticmethod
    def backward(ctx, v):
        return v * 2
torch.func.grad(lambda x: My.apply(x).sum())(x)
""",
    "PyTorch wants a `setup_context`, and for batches a rule. minigrad's transforms "
    "record and batch what `forward` and `backward` do, whatever their form.",
)
yours(
    "batches-have-no-rule",
    "A Function without a rule for batches: neither `vmap` nor `generate_vmap_rule`.",
    DUAL
    + """\
class My(torch.autograd.Function):
    @staticmethod
    def forward(x):
        return x * 2
    @staticmethod
    def setup_context(ctx, inputs, output):
        pass
torch.func.vmap(My.apply)(torch.ones(2, 2))
""",
    "In minigrad `forward` itself gets the batch, which passes for one row; PyTorch "
    "wants to be told so.",
)
yours(
    "output-twice",
    "A Function that returns the same tensor twice.",
    """
    class My(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            y = x * 2
            return y, y
        @staticmethod
        def backward(ctx, v, w):
            return v * 2 + w * 10
    x = torch.ones(1, requires_grad=True)
    y, z = My.apply(x)
    y.backward()
    x.grad
    """,
    "In PyTorch both are the second output, and what arrives at the first is counted "
    "there. minigrad makes two outputs of it.",
)
yours(
    "base-changed-under-a-view",
    "When it is said that the base of a view has been changed.",
    """
    class My(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view(2, 1)
        @staticmethod
        def backward(ctx, v):
            return v.view(2)
    x = torch.ones(2, requires_grad=True) * 1
    y = My.apply(x)
    x.mul_(2)
    (y * 2).requires_grad
    """,
    "PyTorch refuses as soon as the view is used, minigrad when a gradient gets there.",
)
yours(
    "saved-twice-in-a-checkpoint",
    "A `backward` in a checkpoint that asks twice for what it has saved.",
    """
    checkpoint = torch.utils.checkpoint.checkpoint
    class My(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x
        @staticmethod
        def backward(ctx, v):
            return v * ctx.saved_tensors[0] + v * ctx.saved_tensors[0]
    x = torch.ones(2, requires_grad=True)
    checkpoint(lambda x: My.apply(x.sin()), x, use_reentrant=False).sum().backward()
    x.grad
    """,
    "PyTorch gives each value out once. minigrad computes it a second time.",
)

# ------------------------------------------------------------------------------
modules = differ(17, "Modules")
modules(
    "load-all-or-nothing",
    "A state_dict that does not fit.",
    """
    m = torch.nn.Linear(1, 1)
    m.weight.data.fill_(0.0)
    try:
        m.load_state_dict({"weight": torch.ones(1, 1)})
    except RuntimeError:
        pass
    m.weight.item()
    """,
    "PyTorch copies what fits and then raises. minigrad looks first: after an error "
    "the model is what it was.",
)
modules(
    "linear-one-node",
    "The graph of a linear layer.",
    """
    weight = torch.ones(5, 4, requires_grad=True)
    torch.nn.functional.linear(torch.ones(2, 3, 4), weight).grad_fn.name()
    """,
    "minigrad records a linear map as one node, for rows of any number of axes and "
    "without a node for the transpose; PyTorch as a product between reshapes.",
)

modules(
    "activations-not-in-place",
    "Activations with inplace=True.",
    """
    x = torch.tensor([-1.0, 2.0])
    torch.nn.ReLU(inplace=True)(x)
    x.tolist()
    """,
    "PyTorch writes the result into the input, to save memory. minigrad takes the "
    "argument, returns the same result, and leaves the input as it was.",
)

# ------------------------------------------------------------------------------
training = differ(18, "Optimisers, batches and files")
TRAINED = "x = torch.ones(2, requires_grad=True)\n"
training(
    "differentiable-steps",
    "Steps that are recorded.",
    TRAINED + "torch.optim.SGD([x], differentiable=True).defaults['differentiable']",
    "Steps are taken on arrays, in place; nothing records them. Write the update with "
    "tensors (Chapter 14 does).",
)
training(
    "buffer-of-another-shape",
    "Memory of another shape is loaded.",
    TRAINED
    + """\
x.grad = torch.ones(2)
opt = torch.optim.SGD([x], lr=0.5, momentum=0.5)
opt.state[x]["momentum_buffer"] = torch.ones(1)
opt.step()
x.tolist()
""",
    "PyTorch broadcasts what fits, or fails in the middle of a step. minigrad refuses.",
)
training(
    "loader-with-workers",
    "Examples that other processes load.",
    "torch.utils.data.DataLoader(range(4), num_workers=1).num_workers",
    "All examples are loaded in the process that trains.",
)
training(
    "save-an-object",
    "An object is saved, not a state.",
    """\
import io
torch.save(ValueError("x"), io.BytesIO())
""",
    "PyTorch writes a pickle, and refuses to load it. minigrad's files hold data only.",
)
training(
    "load-no-file-of-torch",
    "Something else is loaded.",
    """\
import io
torch.load(io.BytesIO(b"hello, world"))
""",
    "PyTorch takes it for a pickle, and its unpickler fails. Here every file that is "
    "not whole, or not of this kind, is a RuntimeError.",
)
training(
    "views-in-a-file",
    "Two views of the same memory in a file.",
    """\
import io
x, f = torch.zeros(3), io.BytesIO()
torch.save([x, x[:1]], f)
f.seek(0)
a, b = torch.load(f)
b.fill_(7)
a.tolist()
""",
    "PyTorch saves the memory once, with both views on it. Here each tensor has "
    "numbers of its own; the same tensor twice is still one.",
)
training(
    "no-hooks-of-steps",
    "Hooks before and after a step.",
    TRAINED + "hasattr(torch.optim.SGD([x]), 'register_step_pre_hook')",
    "Hooks of optimisers are not here. Wrap the step in a function.",
)
training(
    "other-rules",
    "Rules that are rarely asked for.",
    "[hasattr(torch.optim, name) for name in ('Rprop', 'Adafactor', 'Muon')]",
    "Each is a sub-class with a step of its own; Exercise 18.2 writes one.",
)

# ------------------------------------------------------------------------------
attention = differ(21, "Attention")
attention(
    "attention-node",
    "The name of attention's last node.",
    """
    q = torch.ones(1, 1, 2, 2, requires_grad=True)
    torch.nn.functional.scaled_dot_product_attention(q, q, q).grad_fn.name()
    """,
    "PyTorch's fast kernel is one node. Here only the middle is one, the shares, and "
    "what is seen last is the product with the values.",
)
attention(
    "attention-twice",
    "The second derivative of attention.",
    """
    q = torch.ones(1, 1, 2, 2, requires_grad=True)
    out = torch.nn.functional.scaled_dot_product_attention(q, q, q)
    (g,) = torch.autograd.grad(out.sum(), q, create_graph=True)
    torch.autograd.grad(g.sum(), q)[0].shape
    """,
    "PyTorch's fast kernel has no rule for it; its plain kernel, which one can ask "
    "for, has. Here there is one kernel, and it can be differentiated again.",
)
attention(
    "no-bias-keys",
    "A key and a value that are learned, beside the others.",
    "len(torch.nn.MultiheadAttention(4, 2, add_bias_kv=True).state_dict())",
    "Append them yourself, with `torch.cat`.",
)

# ------------------------------------------------------------------------------
pictures = differ(20, "Convolutions and windows")
pictures(
    "padding-that-is-not-zero",
    "A module that pads with something else than zeros.",
    "torch.nn.Conv2d(1, 1, 3, padding=1, padding_mode='reflect').padding_mode",
    "Only zeros are built. Pad before, with an index: x[..., [1, 0, 1, 2, 1]].",
)
pictures(
    "output-padding-below-dilation",
    "An output padding that is not below the stride, but below the dilation.",
    "torch.nn.functional.conv_transpose1d(\n"
    "    torch.ones(1, 1, 2), torch.ones(1, 1, 2), dilation=2, output_padding=1).shape",
    "What this makes is not the transpose of any convolution. minigrad wants it below "
    "the stride.",
)
pictures(
    "mean-of-int64",
    "Windows of whole numbers, averaged.",
    "torch.nn.functional.avg_pool2d(torch.arange(4).reshape(1, 2, 2), 2)",
    "PyTorch cuts off for int64, and refuses all other integers. minigrad refuses all.",
)
pictures(
    "means-twice",
    "A second walk back through a mean of windows.",
    """
    x = torch.ones(1, 1, 2, 2, requires_grad=True)
    y = torch.nn.functional.avg_pool2d(x, 2)
    y.sum().backward()
    y.sum().backward()
    x.grad.tolist()
    """,
    "PyTorch's node keeps its input, of which the rule needs the shape only, and so "
    "refuses. minigrad keeps the shape.",
)
pictures(
    "no-third-axis",
    "Convolutions and poolings with three axes.",
    "[hasattr(torch.nn, name) for name in ('Conv3d', 'MaxPool3d', 'AvgPool3d')]",
    "The book has pictures and rows. All kernels are written for any number of axes; "
    "what is missing is the function that checks a call.",
)
pictures(
    "other-windows",
    "Other poolings and paddings.",
    "[hasattr(torch.nn, n) for n in ('AvgPool1d', 'MaxUnpool2d', 'ZeroPad2d')]",
    "`avg_pool1d` and `pad` are functions here.",
)
pictures(
    "bicubic",
    "Another size, by a curve through four places.",
    "torch.nn.functional.interpolate(torch.ones(1, 1, 2, 2), 4, mode='bicubic').shape",
    "`nearest`, `nearest-exact`, `linear` and `bilinear` are built.",
)

# ------------------------------------------------------------------------------
compiled = differ(23, "Compiled functions")
compiled(
    "compiled-effects",
    "A side effect inside of a compiled function.",
    """
    import warnings
    warnings.simplefilter("ignore")
    box = []
    def f(x):
        box.append(1)
        return x * 2
    g = torch.compile(f, backend="eager")
    for _ in range(3):
        g(torch.tensor(1.0))
    len(box)
    """,
    "PyTorch reads the bytecode of the function, and repeats what it does besides. "
    "minigrad traces, as TensorFlow and JAX do: it happens once, and a warning names "
    "the line.",
)
compiled(
    "compiled-branch",
    "A branch on a value inside of a compiled function.",
    """
    g = torch.compile(lambda x: x if x.sum() > 0 else -x, backend="eager")
    try:
        found = g(torch.tensor([-1.0])).tolist()
    except TypeError as error:
        found = "TypeError"
    found
    """,
    "PyTorch cuts the graph in two where a value is asked for. minigrad refuses, as "
    "TensorFlow and JAX do, and names the line.",
)
