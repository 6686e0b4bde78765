"""Record what PyTorch answers about hooks: what they see, change, and in which order.

Run at the root of the repository, with a Python that has PyTorch and NumPy:

    python -m tests.reference.record_hooks

It writes hooks.json beside this file: for each program the repr of its last line, or
the type and message of the error, and the warnings on the way. The tests run the same
programs on minigrad and need no PyTorch.
"""

# ruff: noqa: E501 (a program stays in one piece)

from pathlib import Path

from tests.reference import ledger

RECORDED = Path(__file__).with_name("hooks.json")
CASES: dict[str, str] = {}

START = """\
log = []
def note(name):
    def hook(*given):
        log.append((name, *(tell(x) for x in given)))
    return hook
def tell(x):
    if isinstance(x, tuple):
        return tuple(tell(y) for y in x)
    return None if x is None else x.tolist()
def attempt(f):
    try:
        return tell(f())
    except Exception as error:
        return type(error).__name__
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
c = torch.tensor([5.0, 6.0])
"""


def case(name: str, program: str) -> None:
    """Enter a program; x and w collect, c is constant, `log` and `note` keep a log."""
    assert name not in CASES, name
    CASES[name] = START + program.strip() + "\n"


# -- hooks of tensors: reading ------------------------------------------------------

case(
    "tensor: leaf",
    "x.register_hook(note('x'))\n(x * w).sum().backward()\nlog, tell(x.grad)",
)
case(
    "tensor: non-leaf",
    "h = x * w\nh.register_hook(note('h'))\n(h * c).sum().backward()\nlog, tell(x.grad)",
)
case("tensor: root", "y = (x * w).sum()\ny.register_hook(note('y'))\ny.backward()\nlog")
case(
    "tensor: root that is a leaf",
    "x.register_hook(note('x'))\nx.backward(c)\nlog, tell(x.grad)",
)
case(
    "tensor: root with a weight",
    "y = x * w\ny.register_hook(lambda g: g * 2)\ny.backward(c)\ntell(x.grad), tell(c)",
)
case(
    "tensor: sum of all uses, once",
    "h = x * w\nh.register_hook(note('h'))\n(h * h + 3 * h).sum().backward()\nlog",
)
case(
    "tensor: leaf used twice",
    "x.register_hook(note('x'))\n(x * x + x).sum().backward()\nlog",
)
case(
    "tensor: once a pass",
    "h = x * w\nh.register_hook(note('h'))\ny = h.sum()\ny.backward(retain_graph=True)\ny.backward()\nlog, tell(x.grad)",
)
case(
    "tensor: before accumulation",
    "x.grad = torch.tensor([100.0, 100.0])\nx.register_hook(lambda g: log.append((tell(g), tell(x.grad))))\n(x * w).sum().backward()\nlog, tell(x.grad)",
)
case(
    "tensor: not reached",
    "h = x * w\nh.register_hook(note('h'))\n(x * c).sum().backward()\nlog",
)
case(
    "tensor: what it gets",
    "h = x * w\nh.register_hook(lambda g: log.append((type(g).__name__, g.requires_grad, g.is_leaf, torch.is_grad_enabled(), str(g.dtype), tuple(g.shape))))\nh.sum().backward()\nlog",
)
case(
    "tensor: what it gets with create_graph",
    "h = x * w\nh.register_hook(lambda g: log.append((g.requires_grad, g.is_leaf, torch.is_grad_enabled())))\ntorch.autograd.grad((h * h).sum(), x, create_graph=True)\nlog",
)
case(
    "tensor: broadcast leaf",
    "b = torch.tensor(2.0, requires_grad=True)\nb.register_hook(note('b'))\n(b * x).sum().backward()\nlog",
)
case(
    "tensor: 0-d",
    "a = torch.tensor(3.0, requires_grad=True)\nh = a * a\nh.register_hook(lambda g: g + 1)\n(2 * h).backward()\ntell(a.grad)",
)
case(
    "tensor: float64",
    "a = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)\na.register_hook(lambda g: log.append(str(g.dtype)))\n(a * a).sum().backward()\nlog",
)
case(
    "tensor: hook is a method",
    "class Box:\n    def see(self, g):\n        self.g = tell(g)\nbox = Box()\nx.register_hook(box.see)\n(x * w).sum().backward()\nbox.g",
)
case(
    "tensor: hook is a partial",
    "import functools\nx.register_hook(functools.partial(lambda k, g: g * k, 3))\n(x * w).sum().backward()\ntell(x.grad)",
)

# -- hooks of tensors: replacing ----------------------------------------------------

case(
    "replace: leaf",
    "x.register_hook(lambda g: g * 10)\n(x * w).sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "replace: non-leaf goes on",
    "h = x * w\nh.register_hook(lambda g: g * 10)\n(h + x).sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "replace: accumulates",
    "x.register_hook(lambda g: g * 10)\n(x * w).sum().backward()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "replace: None leaves it",
    "x.register_hook(lambda g: None)\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "replace: the argument itself",
    "x.register_hook(lambda g: g)\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "replace: several, in order",
    "x.register_hook(lambda g: g + 1)\nx.register_hook(lambda g: g * 10)\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "replace: reader between two writers",
    "x.register_hook(lambda g: g + 1)\nx.register_hook(note('between'))\nx.register_hook(lambda g: g * 10)\n(x * w).sum().backward()\nlog, tell(x.grad)",
)
case(
    "replace: by a constant",
    "h = x * w\nh.register_hook(lambda g: c)\n(h * h).sum().backward()\ntell(x.grad), tell(c)",
)
case(
    "replace: the grad is not the constant",
    "x.register_hook(lambda g: c)\n(x * w).sum().backward()\nx.grad is c, tell(x.grad)",
)
case("replace: by a number", "x.register_hook(lambda g: 3.0)\n(x * w).sum().backward()")
case(
    "replace: by a number, nothing changes",
    "x.register_hook(lambda g: 3.0)\nattempt(lambda: (x * w).sum().backward()), tell(x.grad), tell(w.grad)",
)
case(
    "replace: by a shape",
    "x.register_hook(lambda g: g.sum())\n(x * w).sum().backward()",
)
case(
    "replace: by a shape, inside",
    "h = x * w\ndef shrink(g):\n    return torch.ones(3)\nh.register_hook(shrink)\n(h * c).sum().backward()",
)
case(
    "replace: by a dtype",
    "x.register_hook(lambda g: g.to(torch.float64))\n(x * w).sum().backward()",
)
case("replace: by a tuple", "x.register_hook(lambda g: (g,))\n(x * w).sum().backward()")
case("replace: by False", "x.register_hook(lambda g: False)\n(x * w).sum().backward()")
case(
    "replace: on the root",
    "y = (x * w).sum()\ny.register_hook(lambda g: g * 7)\ny.backward()\ntell(x.grad)",
)
case(
    "replace: mask",
    "m = torch.tensor([1.0, 0.0])\nx.register_hook(lambda g: g * m)\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "replace: reversal",
    "h = x * 1\nh.register_hook(lambda g: -g)\n(h * w).sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "replace: in place, alone",
    "h = x * w\nh.register_hook(lambda g: g.mul_(10))\n(h * c).sum().backward()\ntell(x.grad)",
)
case(
    "replace: in place, nothing returned",
    "h = x * w\ndef hook(g):\n    g.mul_(10)\nh.register_hook(hook)\n(h * c).sum().backward()\ntell(x.grad)",
)

# -- handles ------------------------------------------------------------------------

case(
    "handle: remove",
    "handle = x.register_hook(lambda g: g * 10)\nhandle.remove()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: remove twice",
    "handle = x.register_hook(lambda g: g * 10)\nhandle.remove()\nhandle.remove()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: remove the first",
    "a = x.register_hook(lambda g: g * 10)\nb = x.register_hook(lambda g: g + 1)\na.remove()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: register again, at the end",
    "a = x.register_hook(lambda g: g * 10)\nb = x.register_hook(lambda g: g + 1)\na.remove()\nx.register_hook(lambda g: g * 100)\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: context",
    "with x.register_hook(lambda g: g * 10):\n    (x * w).sum().backward()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: context gives the handle",
    "with x.register_hook(lambda g: g * 10) as handle:\n    name = type(handle).__name__\nname, isinstance(handle.id, int)",
)
case(
    "handle: ids grow",
    "a = x.register_hook(note('a'))\nb = x.register_hook(note('b'))\nb.id > a.id",
)
case(
    "handle: dropping it removes nothing",
    "x.register_hook(lambda g: g * 10)\nimport gc\ngc.collect()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: removes itself",
    "def once(g):\n    handle.remove()\n    return g * 10\nhandle = x.register_hook(once)\n(x * w).sum().backward()\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "handle: after the graph is gone",
    "h = x * w\nhandle = h.register_hook(note('h'))\ndel h\nimport gc\ngc.collect()\nhandle.remove()\nlog",
)
case(
    "handle: between two passes",
    "h = x * w\nhandle = h.register_hook(note('h'))\ny = h.sum()\ny.backward(retain_graph=True)\nhandle.remove()\ny.backward()\nlog",
)
case(
    "handle: class",
    "isinstance(x.register_hook(note('x')), torch.utils.hooks.RemovableHandle)",
)

# -- refusals -----------------------------------------------------------------------

case("refuse: constant", "c.register_hook(note('c'))")
case(
    "refuse: under no_grad",
    "with torch.no_grad():\n    h = x * w\nh.register_hook(note('h'))",
)
case("refuse: accumulate, constant", "c.register_post_accumulate_grad_hook(note('c'))")
case(
    "refuse: accumulate, non-leaf",
    "(x * w).register_post_accumulate_grad_hook(note('h'))",
)
case("refuse: root without history", "h = (x * w).detach()\nh.register_hook(note('h'))")

# -- retain_grad --------------------------------------------------------------------

case(
    "retain: after the hooks",
    "h = x * w\nh.retain_grad()\nh.register_hook(lambda g: g * 10)\n(h * c).sum().backward()\ntell(h.grad), tell(x.grad)",
)
case(
    "retain: before or after makes no odds",
    "h = x * w\nh.register_hook(lambda g: g + 1)\nh.retain_grad()\nh.register_hook(lambda g: g * 10)\n(h * c).sum().backward()\ntell(h.grad)",
)
case(
    "retain: twice",
    "h = x * w\nh.retain_grad()\nh.retain_grad()\nh.sum().backward()\ntell(h.grad), h.retains_grad",
)
case(
    "retain: a hook retains nothing",
    "h = x * w\nh.register_hook(note('h'))\nh.retains_grad, x.retains_grad",
)
case(
    "retain: then a hook, still retains",
    "h = x * w\nh.retain_grad()\nhandle = h.register_hook(note('h'))\nhandle.remove()\nh.sum().backward()\nh.retains_grad, tell(h.grad)",
)
case(
    "retain: a node's prehook comes later",
    "h = x * w\nh.retain_grad()\nh.grad_fn.register_prehook(lambda g: (g[0] * 10,))\n(h * c).sum().backward()\ntell(h.grad), tell(x.grad)",
)
case(
    "retain: under grad",
    "h = x * w\nh.retain_grad()\nh.register_hook(lambda g: g * 10)\ng, = torch.autograd.grad((h * c).sum(), x)\ntell(g), tell(h.grad)",
)
case(
    "retain: backward(inputs=non-leaf)",
    "h = x * w\nh.register_hook(lambda g: g * 10)\n(h * c).sum().backward(inputs=[h])\ntell(h.grad), x.grad",
)

# -- autograd.grad and inputs= ------------------------------------------------------

case(
    "grad: leaf input, after its hooks",
    "x.register_hook(lambda g: g * 10)\ng, = torch.autograd.grad((x * w).sum(), x)\ntell(g), x.grad",
)
case(
    "grad: non-leaf input, after its hooks",
    "h = x * w\nh.register_hook(lambda g: g * 10)\ng, = torch.autograd.grad((h * c).sum(), h)\ntell(g)",
)
case(
    "grad: non-leaf input on the way to another",
    "h = x * w\nh.register_hook(lambda g: g * 10)\ngs = torch.autograd.grad((h * c).sum(), [h, x])\n[tell(g) for g in gs]",
)
case(
    "grad: on the way",
    "h = x * w\nh.register_hook(lambda g: g * 10)\ng, = torch.autograd.grad((h * c).sum(), x)\ntell(g)",
)
case(
    "grad: not on the way",
    "h = x * c\nk = w * c\nk.register_hook(note('k'))\ng, = torch.autograd.grad((h * k).sum(), x)\nlog",
)
case(
    "grad: other leaf's hook",
    "w.register_hook(note('w'))\ng, = torch.autograd.grad((x * w).sum(), x)\nlog",
)
case(
    "grad: the output itself",
    "y = (x * w).sum()\ny.register_hook(lambda g: g * 10)\ng, = torch.autograd.grad(y, y)\ntell(g)",
)
case(
    "grad: prehook of an input's node",
    "h = x * w\nh.grad_fn.register_prehook(lambda g: (g[0] * 10,))\ng, = torch.autograd.grad((h * c).sum(), h)\ntell(g)",
)
case(
    "grad: prehook of an input's node that runs",
    "h = x * w\nh.grad_fn.register_prehook(lambda g: (g[0] * 10,))\ngs = torch.autograd.grad((h * c).sum(), [h, x])\n[tell(g) for g in gs]",
)
case(
    "grad: hook of an input's node",
    "h = x * w\nh.grad_fn.register_hook(note('h'))\ng, = torch.autograd.grad((h * c).sum(), h)\nlog",
)
case(
    "grad: post-accumulate does not run",
    "x.register_post_accumulate_grad_hook(note('x'))\ng, = torch.autograd.grad((x * w).sum(), x)\nlog",
)
case(
    "inputs: other leaf's hook",
    "w.register_hook(note('w'))\nx.register_hook(note('x'))\n(x * w).sum().backward(inputs=[x])\nlog",
)
case(
    "inputs: post-accumulate",
    "w.register_post_accumulate_grad_hook(note('w'))\nx.register_post_accumulate_grad_hook(note('x'))\n(x * w).sum().backward(inputs=[x])\nlog",
)

# -- create_graph -------------------------------------------------------------------

case(
    "twice: replacement is recorded",
    "h = x * x\nh.register_hook(lambda g: g * h)\ng, = torch.autograd.grad(h.sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\ntell(g), tell(g2)",
)
case(
    "twice: replacement is detached",
    "h = x * x\nh.register_hook(lambda g: (g * h).detach())\ng, = torch.autograd.grad(h.sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\ntell(g), tell(g2)",
)
case(
    "twice: leaf hook",
    "x.register_hook(lambda g: g * x)\ng, = torch.autograd.grad((x * x).sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\ntell(g), tell(g2)",
)
case(
    "twice: node hook",
    "h = x * x\nh.grad_fn.register_hook(lambda gi, go: tuple(g * 3 for g in gi))\ng, = torch.autograd.grad(h.sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\ntell(g), tell(g2)",
)
case(
    "twice: node prehook",
    "h = x * x\nh.grad_fn.register_prehook(lambda go: (go[0] * x,))\ng, = torch.autograd.grad(h.sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\ntell(g), tell(g2)",
)

# -- post-accumulate ----------------------------------------------------------------

case(
    "accumulated: gets the tensor",
    "x.register_post_accumulate_grad_hook(lambda p: log.append((p is x, tell(p.grad))))\n(x * w).sum().backward()\nlog",
)
case(
    "accumulated: the whole sum",
    "x.grad = torch.tensor([100.0, 100.0])\nx.register_post_accumulate_grad_hook(lambda p: log.append(tell(p.grad)))\n(x * w).sum().backward()\nlog",
)
case(
    "accumulated: after the hooks",
    "x.register_post_accumulate_grad_hook(lambda p: log.append(('after', tell(p.grad))))\nx.register_hook(note('hook'))\nx.register_hook(lambda g: g * 10)\n(x * w).sum().backward()\nlog",
)
case(
    "accumulated: may take it away",
    "def eat(p):\n    log.append(tell(p.grad))\n    p.grad = None\nx.register_post_accumulate_grad_hook(eat)\n(x * w).sum().backward()\nlog, x.grad",
)
case(
    "accumulated: optimiser",
    "def step(p):\n    with torch.no_grad():\n        p.sub_(p.grad, alpha=0.5)\n    p.grad = None\nx.register_post_accumulate_grad_hook(step)\nw.register_post_accumulate_grad_hook(step)\nfor _ in range(3):\n    (x * x + w).sum().backward()\ntell(x), tell(w), x.grad",
)
case(
    "accumulated: several in order",
    "x.register_post_accumulate_grad_hook(note('a'))\nx.register_post_accumulate_grad_hook(note('b'))\n(x * w).sum().backward()\n[name for name, *_ in log]",
)
case(
    "accumulated: result is ignored",
    "x.register_post_accumulate_grad_hook(lambda p: p.grad * 10)\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "accumulated: remove",
    "handle = x.register_post_accumulate_grad_hook(note('a'))\nhandle.remove()\n(x * w).sum().backward()\nlog",
)
case(
    "accumulated: mode",
    "x.register_post_accumulate_grad_hook(lambda p: log.append(torch.is_grad_enabled()))\n(x * w).sum().backward()\nlog",
)

# -- hooks of nodes -----------------------------------------------------------------

case(
    "node: what it gets",
    "h = x * w\nh.grad_fn.register_hook(note('h'))\n(h * c).sum().backward()\nlog",
)
case(
    "node: prehook",
    "h = x * w\nh.grad_fn.register_prehook(note('h'))\n(h * c).sum().backward()\nlog",
)
case(
    "node: constant operand",
    "h = x * c\nh.grad_fn.register_hook(note('h'))\nh.sum().backward()\nlog",
)
case(
    "node: same operand twice",
    "h = x * x\nh.grad_fn.register_hook(note('h'))\nh.sum().backward()\nlog",
)
case(
    "node: replaces what it sends",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: (gi[0] * 10, gi[1]))\nh.sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "node: replaces nothing",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: None)\nh.sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "node: several",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: tuple(g + 1 for g in gi))\nh.grad_fn.register_hook(note('second'))\nh.grad_fn.register_hook(lambda gi, go: tuple(g * 10 for g in gi))\nh.sum().backward()\nlog, tell(x.grad), tell(w.grad)",
)
case(
    "node: prehook replaces",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: (go[0] * 10,))\nh.sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "node: several prehooks",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: (go[0] + 1,))\nh.grad_fn.register_prehook(lambda go: (go[0] * 10,))\nh.sum().backward()\ntell(x.grad)",
)
case(
    "node: hook sees what the prehook made",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: (go[0] * 10,))\nh.grad_fn.register_hook(note('h'))\nh.sum().backward()\nlog",
)
case(
    "node: order of all",
    "h = x * w\nh.grad_fn.register_hook(note('node hook'))\nh.grad_fn.register_prehook(note('node prehook'))\nh.register_hook(note('tensor hook'))\nh.sum().backward()\nlog",
)
case(
    "node: through shared operands",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: tuple(g * 2 for g in gi))\n(h * x).sum().backward()\ntell(x.grad), tell(w.grad)",
)
case(
    "node: remove",
    "h = x * w\nhandle = h.grad_fn.register_hook(note('h'))\nhandle.remove()\nh.sum().backward()\nlog",
)
case(
    "node: the prehook removed",
    "h = x * w\nwith h.grad_fn.register_prehook(note('h')):\n    h.sum().backward(retain_graph=True)\nh.sum().backward()\nlog",
)
case(
    "node: too many",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: (gi[0],))\nh.sum().backward()",
)
case(
    "node: not a tuple",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: gi[0])\nh.sum().backward()",
)
case(
    "node: wrong shape",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: (gi[0].sum(), gi[1]))\nh.sum().backward()",
)
case(
    "node: a value for None",
    "h = x * c\nh.grad_fn.register_hook(lambda gi, go: (gi[0], gi[0]))\nh.sum().backward()",
)
case(
    "node: None for a value",
    "h = x * w\nh.grad_fn.register_hook(lambda gi, go: (None, gi[1]))\nh.sum().backward()\nx.grad, tell(w.grad)",
)
case(
    "node: prehook, too many",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: (go[0], go[0]))\nh.sum().backward()",
)
case(
    "node: prehook, not a tuple",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: go[0])\nh.sum().backward()",
)
case(
    "node: prehook, a list",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: [go[0] * 2])\nh.sum().backward()\ntell(x.grad)",
)
case(
    "node: prehook, a number",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: (3.0,))\nh.sum().backward()",
)
case(
    "node: prehook, None inside",
    "h = x * w\nh.grad_fn.register_prehook(lambda go: (None,))\nh.sum().backward()\nx.grad",
)
case(
    "node: towards one operand",
    "h = x * w\nh.grad_fn.register_hook(note('h'))\ng, = torch.autograd.grad(h.sum(), x)\nlog",
)
case(
    "mailbox: prehook",
    "y = x * w\nnode = y.grad_fn.next_functions[0][0]\nnode.register_prehook(lambda go: (go[0] * 10,))\ny.sum().backward()\ntell(x.grad)",
)
case(
    "mailbox: hook",
    "y = x * w\nnode = y.grad_fn.next_functions[0][0]\nnode.register_hook(lambda gi, go: log.append((gi, tell(go), tell(x.grad))))\ny.sum().backward()\nlog",
)
case(
    "mailbox: order of all",
    "y = x * w\nnode = y.grad_fn.next_functions[0][0]\nnode.register_hook(note('node hook'))\nx.register_post_accumulate_grad_hook(note('post accumulate'))\nnode.register_prehook(note('node prehook'))\nx.register_hook(note('tensor hook'))\ny.sum().backward()\nlog",
)
case(
    "mailbox: not under grad",
    "y = x * w\nnode = y.grad_fn.next_functions[0][0]\nnode.register_hook(note('hook'))\nnode.register_prehook(note('prehook'))\ntorch.autograd.grad(y.sum(), x)\nlog",
)
case("mailbox: name", "(x * w).grad_fn.next_functions[0][0].name()")

# -- order over a graph -------------------------------------------------------------

case(
    "order: a chain",
    "a = x * 2\nb = a * 3\nd = b * 4\nfor n, t in [('x', x), ('a', a), ('b', b), ('d', d)]:\n    t.register_hook(note(n))\nd.sum().backward()\n[n for n, *_ in log]",
)
case(
    "order: a diamond",
    "a = x * 2\nb = a * 3\nd = a * 4\nz = b * d\nfor n, t in [('a', a), ('b', b), ('d', d), ('z', z)]:\n    t.register_hook(note(n))\nz.sum().backward()\nlog[0][0], log[-1], len(log)",
)
case(
    "order: replaced before the next sees it",
    "a = x * 2\nb = a * 3\nb.register_hook(lambda g: g * 10)\na.register_hook(note('a'))\nb.sum().backward()\nlog",
)
case(
    "order: registered on the way",
    "a = x * 2\nb = a * 3\nb.register_hook(lambda g: log.append(a.register_hook(note('a')) is None))\nb.sum().backward()\nlog",
)
case(
    "order: a pass inside a hook",
    "a = x * 2\nb = a * 3\ndef inner(g):\n    log.append(tell(torch.autograd.grad((x * x).sum(), x)[0]))\na.register_hook(inner)\n(b * b).sum().backward()\nlog, tell(x.grad)",
)

# -- failing hooks ------------------------------------------------------------------

case(
    "fail: in a tensor's hook",
    "h = x * w\ndef bad(g):\n    raise ZeroDivisionError('mine')\nh.register_hook(bad)\n(h * c).sum().backward()",
)
case(
    "fail: the pass can be repeated",
    "h = x * w\ndef bad(g):\n    raise ZeroDivisionError('mine')\nhandle = h.register_hook(bad)\ny = h.sum()\ntries = [attempt(lambda: y.backward(retain_graph=True))]\nhandle.remove()\ny.backward()\ntries, tell(x.grad), tell(w.grad)",
)
case(
    "fail: mode comes back",
    "def bad(g):\n    raise ZeroDivisionError('mine')\nx.register_hook(bad)\nattempt(lambda: (x * w).sum().backward()), torch.is_grad_enabled()",
)
case(
    "fail: in the last leaf's hook",
    "def bad(g):\n    raise ZeroDivisionError('mine')\nh = x * c\nx.register_hook(bad)\nattempt(lambda: (h * w).sum().backward()), tell(x.grad), tell(w.grad)",
)
case(
    "fail: after accumulation",
    "def bad(p):\n    raise ZeroDivisionError('mine')\nx.register_post_accumulate_grad_hook(bad)\nattempt(lambda: (x * w).sum().backward()), tell(x.grad)",
)

# -- multi-grad hooks ---------------------------------------------------------------

case(
    "multi: all",
    "a = x * 2\nb = w * 3\ntorch.autograd.graph.register_multi_grad_hook([a, b], lambda gs: log.append([tell(g) for g in gs]))\n(a * b).sum().backward()\nlog",
)
case(
    "multi: all, every pass",
    "torch.autograd.graph.register_multi_grad_hook([x, w], lambda gs: log.append([tell(g) for g in gs]))\n(x * w).sum().backward()\n(x * w).sum().backward()\nlog",
)
case(
    "multi: one is not reached",
    "a = x * 2\nb = w * 3\ntorch.autograd.graph.register_multi_grad_hook([a, b], lambda gs: log.append([tell(g) for g in gs]))\na.sum().backward()\nlog",
)
case(
    "multi: none is reached",
    "a = x * 2\ntorch.autograd.graph.register_multi_grad_hook([a], lambda gs: log.append(1))\n(w * w).sum().backward()\nlog",
)
case(
    "multi: a chain",
    "a = x * 2\nb = a * 3\ntorch.autograd.graph.register_multi_grad_hook([a, b], lambda gs: log.append([tell(g) for g in gs]))\na.register_hook(note('a'))\nb.sum().backward()\nlog",
)
case(
    "multi: any",
    "torch.autograd.graph.register_multi_grad_hook([x, w], lambda g: log.append(tell(g)), mode='any')\n(x * x + w * w).sum().backward()\nlen(log)",
)
case(
    "multi: any, every pass",
    "torch.autograd.graph.register_multi_grad_hook([x, w], lambda g: log.append(tell(g)), mode='any')\n(x * x + w * w).sum().backward()\n(w * w).sum().backward()\nlog[1:]",
)
case(
    "multi: any, in a chain",
    "a = x * 2\nb = a * 3\ntorch.autograd.graph.register_multi_grad_hook([a, b], lambda g: log.append(tell(g)), mode='any')\nb.sum().backward()\nlog",
)
case(
    "multi: remove",
    "handle = torch.autograd.graph.register_multi_grad_hook([x, w], lambda gs: log.append(1))\nhandle.remove()\n(x * w).sum().backward()\nlog",
)
case(
    "multi: context",
    "with torch.autograd.graph.register_multi_grad_hook([x, w], lambda gs: log.append(1)):\n    (x * w).sum().backward()\n(x * w).sum().backward()\nlog",
)
case(
    "multi: mode",
    "torch.autograd.graph.register_multi_grad_hook([x], note('x'), mode='some')",
)
case(
    "multi: its result is ignored",
    "torch.autograd.graph.register_multi_grad_hook([x, w], lambda gs: [g * 10 for g in gs])\n(x * w).sum().backward()\ntell(x.grad)",
)
case(
    "multi: after a pass that failed",
    "def bad(g):\n    if not log:\n        log.append('failed')\n        raise ZeroDivisionError('mine')\ntorch.autograd.graph.register_multi_grad_hook([x, w], lambda gs: log.append([tell(g) for g in gs]))\nw.register_hook(bad)\nx.register_hook(bad)\ntries = attempt(lambda: (x * w).sum().backward())\nx.grad = w.grad = None\n(x * w).sum().backward()\ntries, log[-1]",
)

# -- saved values -------------------------------------------------------------------

SAVED = """
def pack(t):
    log.append(('pack', tell(t)))
    return t
def unpack(t):
    log.append(('unpack', tell(t)))
    return t
saving = torch.autograd.graph.saved_tensors_hooks
def packed(f):
    log.clear()
    with saving(lambda t: log.append(tuple(t.shape)) or t, lambda t: t):
        f()
    return sorted(log)
"""


def saved(name: str, program: str) -> None:
    """Enter a program about saved values."""
    case(f"saved: {name}", SAVED + program)


saved(
    "product",
    "with saving(pack, unpack):\n    y = x * w\ny.sum().backward()\nsorted(log), tell(x.grad), tell(w.grad)",
)
saved(
    "when",
    "with saving(pack, unpack):\n    y = x * c\n    log.append('recorded')\nlog.append('left')\ny.sum().backward()\nlog",
)
saved(
    "constant operand",
    "with saving(pack, unpack):\n    y = x * c\ny.sum().backward()\nlog",
)
saved(
    "nothing is saved",
    "with saving(pack, unpack):\n    y = (x + w).sum()\ny.backward()\nlog",
)
saved(
    "not recorded",
    "with saving(pack, unpack):\n    y = c * c\n    with torch.no_grad():\n        z = x * w\nlog",
)
saved(
    "square",
    "with saving(pack, unpack):\n    y = x * x\ny.sum().backward()\nlog, tell(x.grad)",
)
saved(
    "outside",
    "with saving(pack, unpack):\n    pass\ny = x.exp()\ny.sum().backward()\nlog",
)
saved(
    "unpacked each pass",
    "with saving(pack, unpack):\n    y = x * c\nz = y.sum()\nz.backward(retain_graph=True)\nz.backward()\nlog, tell(x.grad)",
)
saved(
    "used up",
    "with saving(pack, unpack):\n    y = x.exp().sum()\ny.backward()\ny.backward()",
)
saved(
    "the box is anything",
    "store = []\ndef put(t):\n    store.append(t.tolist())\n    return len(store) - 1\nwith saving(put, lambda k: torch.tensor(store[k])):\n    y = x * w\ny.sum().backward()\ntell(x.grad), tell(w.grad), len(store)",
)
saved(
    "another value",
    "with saving(lambda t: t * 10, lambda t: t):\n    y = x * c\ny.sum().backward()\ntell(y), tell(x.grad)",
)
saved(
    "half",
    "v = torch.tensor([1 / 3], requires_grad=True)\nwith saving(lambda t: t.to(torch.float16), lambda t: t.to(torch.float32)):\n    y = v * v\ny.sum().backward()\nv.grad.item() != 2 * v.item(), abs(v.grad.item() - 2 / 3) < 1e-3",
)
saved(
    "inner wins",
    "with saving(lambda t: log.append('outer') or t, lambda t: t):\n    a = x.exp()\n    with saving(lambda t: log.append('inner') or t, lambda t: t):\n        b = x.exp()\n    d = x.exp()\nlog",
)
saved(
    "what pack gets",
    "with saving(lambda t: log.append((t is x, t.requires_grad, t.grad_fn is None, type(t).__name__)) or t, lambda t: t):\n    y = x * c\n    z = x * w\nlog[0]",
)
saved(
    "mode in pack",
    "with saving(lambda t: log.append(torch.is_grad_enabled()) or t * 1, lambda t: t):\n    y = x * c\nlen(log)",
)
saved(
    "pack computes",
    "with saving(lambda t: t * 2, lambda t: t / 2):\n    y = x * w\ny.sum().backward()\ntell(x.grad)",
)
saved(
    "unpack gives no tensor",
    "with saving(lambda t: t, lambda t: 3.0):\n    y = x * w\ny.sum().backward()",
)
saved(
    "failing pack",
    "def bad(t):\n    raise ZeroDivisionError('mine')\nwith saving(bad, unpack):\n    y = x * w",
)
saved(
    "failing pack, then on",
    "def bad(t):\n    raise ZeroDivisionError('mine')\ndef try_it():\n    with saving(bad, unpack):\n        return x * w\ntries = attempt(try_it)\n(x * w).sum().backward()\ntries, log, tell(x.grad)",
)
saved(
    "failing unpack",
    "def bad(t):\n    raise ZeroDivisionError('mine')\nwith saving(pack, bad):\n    y = x * w\nattempt(lambda: y.sum().backward()), x.grad, w.grad",
)
saved(
    "create_graph",
    "with saving(pack, unpack):\n    y = x.exp()\ng, = torch.autograd.grad(y.sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\n[round(v, 3) for v in tell(g2)]",
)
saved(
    "create_graph, product",
    "with saving(lambda t: t.tolist(), lambda t: torch.tensor(t)):\n    y = x * x * x\ng, = torch.autograd.grad(y.sum(), x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\ntell(g), tell(g2)",
)
saved(
    "with a node's hook",
    "with saving(pack, unpack):\n    h = x * w\nh.grad_fn.register_hook(note('h'))\nh.register_hook(lambda g: g * 10)\nh.sum().backward()\n[e for e in log if e[0] == 'h'], tell(x.grad)",
)
saved(
    "retained, too",
    "with saving(pack, unpack):\n    h = x * w\nh.retain_grad()\nh.sum().backward()\nh.retains_grad, tell(h.grad), tell(x.grad)",
)
saved(
    "changed in place afterwards",
    "d = c.clone()\nwith saving(lambda t: t.tolist(), lambda t: torch.tensor(t)):\n    y = x * d\nd.add_(1)\ny.sum().backward()\ntell(x.grad)",
)
for label, expression in {
    "mul": "x * w",
    "mul by a number": "x * 2",
    "div": "x / w",
    "div by a constant": "x / c",
    "constant by": "c / x",
    "pow 2": "x ** 2",
    "exp": "x.exp()",
    "log": "x.log()",
    "tanh": "x.tanh()",
    "relu": "x.relu()",
    "sigmoid": "x.sigmoid()",
    "sum": "x.sum()",
    "matmul 2-d": "torch.ones(3, 2) @ x.reshape(2, 1)",
    "sin": "x.sin()",
    "neg": "-x",
}.items():
    saved(f"how many, {label}", f"packed(lambda: {expression})")
saved(
    "disabled",
    "with torch.autograd.graph.disable_saved_tensors_hooks('not here'):\n    with saving(pack, unpack):\n        y = x * w",
)
saved(
    "disabled, then enabled",
    "with torch.autograd.graph.disable_saved_tensors_hooks('not here'):\n    y = x * w\nwith saving(pack, unpack):\n    y = x.exp()\nlen(log)",
)
saved(
    "disabled inside",
    "def f():\n    with saving(pack, unpack):\n        with torch.autograd.graph.disable_saved_tensors_hooks('not here'):\n            y = x.exp()\n    return y\nattempt(f)[:2]",
)
saved(
    "disabled, nested",
    "with torch.autograd.graph.disable_saved_tensors_hooks('outer'):\n    with torch.autograd.graph.disable_saved_tensors_hooks('inner'):\n        pass\n    with saving(pack, unpack):\n        pass",
)
saved(
    "disabled, as a decorator",
    "@torch.autograd.graph.disable_saved_tensors_hooks('not here')\ndef f():\n    with saving(pack, unpack):\n        pass\nf()",
)
saved(
    "as a decorator",
    "@saving(pack, unpack)\ndef f():\n    return x.exp()\nf()\nlen(log)",
)
saved(
    "re-entered",
    "ctx = saving(pack, unpack)\nwith ctx:\n    x.exp()\nwith ctx:\n    x.exp()\nlen(log)",
)

# -- odds and ends ------------------------------------------------------------------

case(
    "odd: leaf that is switched off and on",
    "x.register_hook(note('x'))\nx.requires_grad_(False)\nx.requires_grad_(True)\n(x * w).sum().backward()\nlen(log)",
)
case(
    "odd: hook on a name",
    "h = x * w\nh.register_hook(lambda g: g * 0)\nh = x * w\nh.sum().backward()\ntell(x.grad)",
)
case(
    "odd: in place leaks",
    "d = torch.tensor([1.0, 1.0])\ndef hook(g):\n    g.mul_(10)\nx.register_hook(hook)\n(x + w).backward(d)\ntell(x.grad)",
)
case(
    "odd: in place leaks, neighbour",
    "d = torch.tensor([1.0, 1.0])\ndef hook(g):\n    g.mul_(10)\nx.register_hook(hook)\n(x + w).backward(d)\ntell(x.grad), tell(w.grad), tell(d)",
)
case(
    "odd: in place leaks, other side",
    "d = torch.tensor([1.0, 1.0])\ndef hook(g):\n    g.mul_(10)\nw.register_hook(hook)\n(x + w).backward(d)\ntell(x.grad), tell(w.grad), tell(d)",
)
case(
    "odd: mailbox hook outlives the graph",
    "y = x * w\ny.grad_fn.next_functions[0][0].register_hook(note('x'))\ndel y\n(x * w).sum().backward()\nlen(log)",
)
case(
    "odd: post-accumulate in the middle of a pass",
    "h = x * c\nx.register_hook(note('x'))\nw.register_post_accumulate_grad_hook(lambda p: log.append(('w',)))\nk = h * 2\n(k * w).sum().backward()\n[n for n, *_ in log]",
)
case(
    "odd: metadata",
    "h = x * w\nh.grad_fn.metadata['name'] = 'product'\nh.grad_fn.metadata",
)
case("odd: not callable", "x.register_hook(3)\n(x * w).sum().backward()")
case("odd: is a Node", "isinstance((x * w).grad_fn, torch.autograd.graph.Node)")

# -- the programs that the chapter shows ---------------------------------------------

SHORT = """\
log = []
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
h = x * w
"""
for shown in (
    "h.register_hook(lambda g: g * 10); h.sum().backward(); x.grad",
    "h.register_hook(log.append); (h * h + h).sum().backward(); log",
    "h.retain_grad(); h.register_hook(lambda g: g * 5); h.sum().backward(); h.grad",
    "h.register_hook(log.append); torch.autograd.grad(h.sum(), w); log",
    "x.register_hook(lambda g: -g); torch.autograd.grad(h.sum(), x)",
    "h.grad_fn.register_hook(lambda i, o: log.append(i)); h.sum().backward(); log",
    "x.register_hook(lambda g: g * x); torch.autograd.grad(h.sum(), x)",
    "with torch.autograd.graph.saved_tensors_hooks(lambda t: t * 2, lambda t: t): h = x * w\nh.sum().backward(); x.grad",
):
    CASES[f"chapter: {shown}"] = SHORT + shown.replace("; ", "\n") + "\n"

# Messages that minigrad words otherwise: what must be found in them.
WORDED = {"replace: by a dtype": "hook '<lambda>' has changed the type of value"}

# What minigrad means to answer otherwise, and why.
DIFFERENT = {
    "grad: non-leaf input on the way to another": "always the gradient after the hooks",
    "fail: in the last leaf's hook": "a pass that fails changes no .grad",
    "fail: after accumulation": "a pass that fails changes no .grad",
    "odd: leaf that is switched off and on": "the leaf gets a new mailbox",
    "odd: in place leaks, neighbour": "a hook's argument shares memory with nothing",
    "odd: in place leaks, other side": "a hook's argument shares memory with nothing",
    "odd: mailbox hook outlives the graph": "a mailbox lives as long as its leaf",
    "odd: post-accumulate in the middle of a pass": "sums are delivered when all is over",
}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
