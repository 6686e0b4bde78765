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
numbers = differ(7, "Other numbers")
numbers(
    "relu-times-infinity",
    "A cotangent of inf where relu is flat.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    torch.relu(x).backward(torch.tensor(float('inf')))
    x.grad
    """,
    "The rule of Chapter 3 multiplies by 0, and 0 · inf is nan. PyTorch selects "
    "instead of multiplying.",
)
numbers(
    "second-derivative-of-relu",
    "The second derivative of relu, where nothing else has a history.",
    """
    x = torch.tensor([-1.0, 2.0], requires_grad=True)
    g, = torch.autograd.grad(torch.relu(x).sum(), x, create_graph=True)
    torch.autograd.grad(g.sum(), x)
    """,
    "The mask `out != 0` is a comparison, and a comparison leaves no node. The slope "
    "of relu is a constant here; PyTorch records it, with the derivative 0.",
)
numbers(
    "mixed-second-derivative-of-pow",
    "The mixed second derivative of xᵏ at k = 0.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    k = torch.tensor(0.0, requires_grad=True)
    g, = torch.autograd.grad(x ** k, x, create_graph=True)
    torch.autograd.grad(g, k)
    """,
    "By hand it is xᵏ⁻¹ (1 + k log x), so 1/2: neither is right. For k = 0 both "
    "replace k xᵏ⁻¹ by something that stays finite at x = 0, PyTorch by 0, minigrad "
    "by k x⁰.",
)

# ------------------------------------------------------------------------------
memory = differ(7, "Who owns a gradient")
memory(
    "results-of-grad-do-not-share",
    "Results of `autograd.grad` may share memory in PyTorch.",
    """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    gx, gw = torch.autograd.grad((x + w).sum(), [x, w])
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
    g, = torch.autograd.grad(x.tanh(), x, create_graph=True)
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
    "array-that-runs-backwards",
    "An array that runs backwards through its memory.",
    "torch.from_numpy(np.arange(3)[::-1])",
    "NumPy can compute with it as it is, so minigrad can.",
)
arrays(
    "array-that-must-not-be-written",
    "A tensor over a read-only array.",
    """
    a = np.zeros(2)
    a.flags.writeable = False
    torch.from_numpy(a)
    """,
    "PyTorch warns, because it would write all the same. NumPy does not write.",
)

# ------------------------------------------------------------------------------
messages = differ(7, "Errors")
messages(
    "second-misfit-is-named",
    "A misfit at the second of several outputs.",
    """
    x = torch.ones(2, requires_grad=True)
    torch.autograd.backward([x.sum(), x * 2], [torch.tensor(1.0), torch.ones(3)])
    """,
    "Both refuse. PyTorch stumbles while it writes the message; minigrad names the "
    "output.",
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
    "torch.ones(1).device",
    "NumPy computes on the processor, and nowhere else.",
)
missing(
    "no-grad-dtype",
    "A gradient with another dtype than its tensor, `grad_dtype`.",
    "torch.ones(1, requires_grad=True).grad_dtype",
    "A gradient has its leaf's dtype here, always.",
)

# ------------------------------------------------------------------------------
later = differ(8, "What later chapters bring")
later(
    "indexing-comes-later",
    "Indexing.",
    "torch.arange(3)[0]",
    "Views and indexing have a chapter of their own.",
    until=10,
)
later(
    "iterating-comes-later",
    "Iterating, which is indexing.",
    "list(torch.arange(2))",
    "As before.",
    until=10,
)
later(
    "matmul-of-vectors-comes-later",
    "A matrix times a vector.",
    "torch.ones(2, 2) @ torch.ones(2)",
    "Chapter 10 completes the matrix product; until then a vector is a matrix of one "
    "column.",
    until=10,
)
later(
    "node-of-a-batched-product",
    "The node of a batched product.",
    """
    x = torch.ones(5, 2, 3, requires_grad=True)
    (x @ torch.ones(5, 3, 2)).grad_fn
    """,
    "PyTorch reshapes around its batched product, and the last node is that of a "
    "reshape.",
    until=10,
)
later(
    "in-place-with-history-comes-later",
    "In-place changes of a tensor with history.",
    """
    y = torch.ones(1, requires_grad=True) * 2
    y += 1
    y
    """,
    "They rewrite history, with rules that deserve a chapter.",
    until=11,
)
later(
    "version-counters-come-later",
    "Changing a value that was saved for backward.",
    """
    x = torch.tensor([3.0], requires_grad=True)
    y = x * x
    with torch.no_grad():
        x += 1
    y.sum().backward()
    x.grad
    """,
    "PyTorch notices by counting changes. Until Chapter 11, minigrad does not, and "
    "its answer is wrong.",
    until=11,
)
later(
    "hooks-come-later",
    "Hooks.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    x.register_hook(lambda g: g * 2)
    (x * x).backward()
    x.grad
    """,
    "They have a chapter of their own.",
    until=12,
)
