"""Record what PyTorch answers about leaves, gradient modes and changes in place.

Run at the root of the repository, with a Python that has PyTorch and NumPy:

    python -m tests.reference.record_leaves

It writes leaves.json beside this file: for each program the repr of its last line, or
the type and message of the error, and the warnings on the way. The tests run the same
programs on minigrad and need no PyTorch.
"""

# ruff: noqa: E501 (a program stays in one piece)

from itertools import product
from pathlib import Path

from tests.reference import ledger

CASES: dict[str, str] = {}

# -- every way for a tensor to come into being --------------------------------------
# x collects, c does not, h is recorded; `t` is the tensor that is made

START = """\
import copy, warnings

from tests.reference import ledger
warnings.simplefilter("ignore")
x = torch.tensor([1.0, 2.0], requires_grad=True)
c = torch.tensor([3.0, 4.0])
h = x * c
"""
WAYS = (
    "t = torch.tensor([1.0, 2.0])",
    "t = torch.tensor([1.0, 2.0], requires_grad=True)",
    "t = torch.from_numpy(np.ones(2))",
    "t = torch.as_tensor([1.0, 2.0])",
    "t = torch.as_tensor(x)",
    "t = torch.as_tensor(x, dtype=torch.float64)",
    "t = torch.zeros(2)",
    "t = torch.randn(2, requires_grad=True)",
    "t = torch.zeros_like(x)",
    "t = torch.arange(2)",
    "t = c * c",
    "t = x * 2",
    "t = c * x",
    "t = h + 1",
    "t = x.sum()",
    "t = x.view(2, 1)",
    "t = torch.ones(2, 2).t()",
    "t = x > 1",
    "t = torch.arange(2) + 1",
    "t = c.clone()",
    "t = x.clone()",
    "t = c.detach()",
    "t = x.detach()",
    "t = h.detach()",
    "t = h.detach().clone()",
    "t = h.clone().detach()",
    "t = h; t.detach_()",
    "t = x.data",
    "t = h.data",
    "t = x.to(torch.float64)",
    "t = x.to(torch.float32)",
    "t = x.long()",
    "t = h.float()",
    "t = torch.ones(2).requires_grad_()",
    "t = h.detach().requires_grad_()",
    "t = x.requires_grad_(False)",
    "t = h; t.retain_grad()",
    "with torch.no_grad(): t = x * 2",
    "with torch.no_grad(): t = x.clone()",
    "with torch.no_grad(): t = torch.ones(2, requires_grad=True)",
    "with torch.no_grad(): t = (x * 2).requires_grad_()",
    "with torch.no_grad(), torch.enable_grad(): t = x * 2",
    "with torch.inference_mode(): t = x * 2",
    "with torch.inference_mode(): t = torch.ones(2)",
    "t = copy.copy(x)",
    "t = copy.deepcopy(x)",
    "t = copy.deepcopy(c)",
    "t = c.clone(); t += 1",
    "t = torch.tensor(x.tolist())",
    "t = torch.tensor(h.sum().item())",
    "t = torch.from_numpy(h.detach().numpy())",
    "(x * x).sum().backward(); t = x.grad",
    "(x * x).sum().backward(create_graph=True); t = x.grad; x.grad = None",
    "t, = torch.autograd.grad((x * x).sum(), x)",
    "t, = torch.autograd.grad((x * x).sum(), x, create_graph=True)",
    "h.retain_grad(); (h * h).sum().backward(); t = h.grad",
)
FINDINGS = """\
node = None if t.grad_fn is None else type(t.grad_fn).__name__
found = [t.requires_grad, t.is_leaf, node, t.retains_grad]
try:
    t.grad = None
    (t * 3).sum().backward()
    found.append(None if t.grad is None else t.grad.tolist())
except RuntimeError:
    found.append("refused")
found
"""
for way in WAYS:
    CASES[f"way: {way}"] = START + way + "\n" + FINDINGS

# -- the life-cycle: three states, and what can be done to each ----------------------

STATES = {
    "constant": "t = torch.tensor([1.0, 2.0])",
    "collecting": "t = torch.tensor([1.0, 2.0], requires_grad=True)",
    "recorded": "t = torch.tensor([1.0, 2.0], requires_grad=True) * 1",
}
DEEDS = {
    "requires_grad_()": "t.requires_grad_()",
    "requires_grad_(False)": "t.requires_grad_(False)",
    "requires_grad = True": "t.requires_grad = True",
    "requires_grad = False": "t.requires_grad = False",
    "t * 2": "t = t * 2",
    "t * 2 under no_grad": "with torch.no_grad():\n    t = t * 2",
    "detach": "t = t.detach()",
    "detach_": "t.detach_()",
    "clone": "t = t.clone()",
    "data": "t = t.data",
    "retain_grad": "t.retain_grad()",
    "backward": "t.sum().backward()",
    "t.mul_(2) under no_grad": "with torch.no_grad():\n    t.mul_(2)",
    "grad.zero_()": "t.grad.zero_()",
    "grad = None": "t.grad = None",
}
for (state, make), (deed, code) in product(STATES.items(), DEEDS.items()):
    CASES[f"life: {state}, {deed}"] = (
        f"{make}\nbefore = t\n{code}\n"
        "(t is before, t.requires_grad, t.is_leaf, t.grad_fn is not None)"
    )
for state, make in STATES.items():
    CASES[f"life: {state}, t.mul_(2)"] = (
        f"{make}\nbefore = t\nt.mul_(2)\n(t is before, t.requires_grad, t.is_leaf)"
        if state != "recorded"
        else f"{make}\nt = t.detach()\nt.mul_(2)\nt"
    )

# -- modes inside modes ---------------------------------------------------------------

MODES = {
    "no_grad": "torch.no_grad()",
    "enable_grad": "torch.enable_grad()",
    "set on": "torch.set_grad_enabled(True)",
    "set off": "torch.set_grad_enabled(False)",
    "inference": "torch.inference_mode()",
    "inference off": "torch.inference_mode(False)",
}
LOOK = """\
x = torch.ones(1, requires_grad=True)
def look():
    y = x + 1
    return (torch.is_grad_enabled(), torch.is_inference_mode_enabled(),
            y.requires_grad, y.is_inference(), torch.ones(1).is_inference())
"""
for (one, outer), (two, inner) in product(MODES.items(), repeat=2):
    CASES[f"nested: {one}, {two}"] = LOOK + (
        f"seen = []\nwith {outer}:\n    seen.append(look())\n    with {inner}:\n"
        "        seen.append(look())\n    seen.append(look())\nseen.append(look())\nseen"
    )
for name, outer in MODES.items():
    CASES[f"nested: three deep in {name}"] = LOOK + (
        f"makers = [lambda: {', lambda: '.join(MODES.values())}]\nseen = []\n"
        f"for a in makers:\n    for b in makers:\n        with {outer}:\n"
        "            with a():\n                with b():\n"
        "                    seen.append(look()[:4])\n"
        "                seen.append(look()[:4])\n"
        "            seen.append(look()[:4])\n"
        "        seen.append(look()[:4])\nseen"
    )
for name, outer in MODES.items():
    CASES[f"decorated: function in {name}"] = LOOK + (
        f"@{outer}\ndef f():\n    return look()\n[look(), f(), look(), f(), look()]"
    )
    CASES[f"decorated: defined inside no_grad, {name}"] = LOOK + (
        f"with torch.no_grad():\n    @{outer}\n    def f():\n        return look()\n"
        "    inside = [look(), f(), look()]\n[inside, look(), f(), look()]"
    )
    CASES[f"decorated: generator in {name}"] = LOOK + (
        f"@{outer}\ndef f():\n    yield look()\n    yield look()\n"
        "[(inside, look()) for inside in f()]"
    )
    CASES[f"decorated: exception in {name}"] = LOOK + (
        f"@{outer}\ndef f():\n    raise ValueError\ntry:\n    f()\n"
        "except ValueError:\n    pass\nlook()"
    )
    CASES[f"entered: twice, {name}"] = LOOK + (
        f"m = {outer}\nseen = []\nwith torch.no_grad():\n    seen.append(look())\n"
        "    with m:\n        with torch.enable_grad():\n"
        "            seen.append(look())\n        seen.append(look())\n"
        "    with m:\n        seen.append(look())\n    seen.append(look())\n"
        "seen.append(look())\nseen"
    )

# -- the corners of decorators --------------------------------------------------------

CORNERS = {
    "method": "class A:\n    @torch.no_grad()\n    def f(self):\n"
    "        return self, torch.is_grad_enabled()\na = A()\na.f() == (a, False)",
    "static method": "class A:\n    @staticmethod\n    @torch.no_grad\n    def f():\n"
    "        return torch.is_grad_enabled()\nA.f()",
    "class method": "class A:\n    @classmethod\n    @torch.no_grad\n    def f(cls):\n"
    "        return cls is A, torch.is_grad_enabled()\nA.f()",
    "property": "class A:\n    @property\n    @torch.no_grad()\n    def f(self):\n"
    "        return torch.is_grad_enabled()\nA().f",
    "lambda": "torch.no_grad()(lambda: torch.is_grad_enabled())()",
    "bare lambda": "torch.no_grad(lambda: torch.is_grad_enabled())()",
    "arguments": "@torch.no_grad()\ndef f(a, *b, c=1, **d):\n    return a, b, c, d\n"
    "f(1, 2, c=3, e=4)",
    "stacked": "@torch.no_grad()\n@torch.enable_grad()\ndef f():\n"
    "    return torch.is_grad_enabled()\nf()",
    "wrapped": "def f():\n    pass\ntorch.no_grad()(f).__wrapped__ is f",
    "one object decorates two": "off = torch.no_grad()\n"
    "f = off(lambda: torch.is_grad_enabled())\n"
    "g = off(lambda: (f(), torch.is_grad_enabled()))\n(g(), torch.is_grad_enabled())",
    "recursion with a change inside": "@torch.no_grad()\ndef f(n):\n"
    "    if n == 0:\n        return [torch.is_grad_enabled()]\n"
    "    with torch.enable_grad():\n        inner = f(n - 1)\n"
    "    return [*inner, torch.is_grad_enabled()]\nf(3)",
    "mode changed inside a decorated function": "@torch.no_grad()\ndef f():\n"
    "    torch.set_grad_enabled(True)\n    return torch.is_grad_enabled()\n"
    "(f(), torch.is_grad_enabled())",
    "class": "import warnings\nwith warnings.catch_warnings():\n"
    "    warnings.simplefilter('ignore')\n    @torch.no_grad()\n    class A:\n"
    "        def __init__(self, v):\n            self.v = v\n"
    "            self.seen = torch.is_grad_enabled()\n"
    "        def f(self):\n            return torch.is_grad_enabled()\n"
    "a = A(3)\n(a.v, a.seen, a.f())",
    "class warns": "@torch.no_grad()\nclass A:\n    pass\ntorch.is_grad_enabled()",
    "coroutine": "import asyncio\n@torch.no_grad()\nasync def f():\n"
    "    return torch.is_grad_enabled()\nasyncio.run(f())",
    "generator send": "@torch.no_grad()\ndef f():\n    got = yield 1\n    yield got\n"
    "it = f()\n(next(it), it.send('sent'))",
    "generator throw": "@torch.no_grad()\ndef f():\n    try:\n        yield 1\n"
    "    except ValueError:\n        yield torch.is_grad_enabled()\n"
    "it = f()\nnext(it)\n(it.throw(ValueError()), torch.is_grad_enabled())",
    "generator throw unhandled": "@torch.no_grad()\ndef f():\n    yield 1\n"
    "it = f()\nnext(it)\nit.throw(KeyError('k'))",
    "generator close": "seen = []\n@torch.no_grad()\ndef f():\n    try:\n        yield 1\n"
    "    finally:\n        seen.append(torch.is_grad_enabled())\n"
    "it = f()\nnext(it)\nit.close()\n(seen, torch.is_grad_enabled())",
    "generator return": "@torch.no_grad()\ndef f():\n    yield 1\n    return 'end'\n"
    "def g():\n    end = yield from f()\n    yield end\nlist(g())",
    "generator raises": "@torch.no_grad()\ndef f():\n    yield 1\n    raise KeyError('k')\n"
    "it = f()\nnext(it)\ntry:\n    next(it)\nexcept KeyError:\n    pass\n"
    "torch.is_grad_enabled()",
    "generator and the caller's own mode": "@torch.no_grad()\ndef f():\n    yield 1\n"
    "    yield 2\nseen = []\nfor _ in f():\n    torch.set_grad_enabled(False)\n"
    "    seen.append(torch.is_grad_enabled())\n    torch.set_grad_enabled(True)\n"
    "    seen.append(torch.is_grad_enabled())\nseen",
    "generator left half-way": "@torch.no_grad()\ndef f():\n    yield 1\n    yield 2\n"
    "for _ in f():\n    break\ntorch.is_grad_enabled()",
    "plain generator with a block inside": "def f():\n    with torch.no_grad():\n"
    "        yield 1\n        yield 2\nseen = []\nfor _ in f():\n"
    "    seen.append(torch.is_grad_enabled())\n(seen, torch.is_grad_enabled())",
    "generator enable_grad": "@torch.enable_grad()\ndef f():\n"
    "    yield torch.is_grad_enabled()\nwith torch.no_grad():\n"
    "    seen = [(a, torch.is_grad_enabled()) for a in f()]\nseen",
    "set_grad_enabled needs an argument": "torch.set_grad_enabled()",
    "set_grad_enabled of a number": "torch.set_grad_enabled(1)",
    "set_grad_enabled of None": "torch.set_grad_enabled(None)",
    "set_grad_enabled by keyword": "torch.set_grad_enabled(mode=False)\n"
    "off = torch.is_grad_enabled()\ntorch.set_grad_enabled(mode=True)\noff",
    "set_grad_enabled made outside, entered inside": "m = torch.set_grad_enabled(False)\n"
    "a = torch.is_grad_enabled()\ntorch.set_grad_enabled(True)\nwith m:\n"
    "    b = torch.is_grad_enabled()\n(a, b, torch.is_grad_enabled())",
    "set_grad_enabled entered twice": "m = torch.set_grad_enabled(False)\nwith m:\n"
    "    pass\na = torch.is_grad_enabled()\nwith m:\n    b = torch.is_grad_enabled()\n"
    "(a, b, torch.is_grad_enabled())",
    "set_grad_enabled as a decorator leaves the mode": "m = torch.set_grad_enabled(False)\n"
    "a = torch.is_grad_enabled()\nf = m(lambda: torch.is_grad_enabled())\n"
    "(a, torch.is_grad_enabled(), f(), torch.is_grad_enabled())",
    "no_grad with a value": "with torch.no_grad(False):\n    pass",
    "inference_mode of a number": "with torch.inference_mode(0):\n"
    "    a = torch.is_inference_mode_enabled()\na",
    "inference_mode by keyword": "with torch.inference_mode(mode=True):\n"
    "    a = torch.is_inference_mode_enabled()\na",
    "what entering returns": "with torch.no_grad() as a, torch.enable_grad() as b:\n"
    "    pass\nwith torch.set_grad_enabled(True) as c, torch.inference_mode() as d:\n"
    "    pass\n(a, b, c, d)",
    "thread under set_grad_enabled": "import threading\nseen = []\n"
    "torch.set_grad_enabled(False)\n"
    "t = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))\n"
    "t.start()\nt.join()\ntorch.set_grad_enabled(True)\nseen",
    "backward in no_grad accumulates": "x = torch.tensor(3.0, requires_grad=True)\n"
    "y = x * x\nwith torch.no_grad():\n    y.backward(retain_graph=True)\n"
    "    y.backward()\n(x.grad, torch.is_grad_enabled())",
    "autograd.grad in inference_mode": "x = torch.tensor(3.0, requires_grad=True)\n"
    "y = x * x\nwith torch.inference_mode():\n    g, = torch.autograd.grad(y, x)\n(g,)",
    "backward in inference_mode": "x = torch.tensor(3.0, requires_grad=True)\ny = x * x\n"
    "with torch.inference_mode():\n    y.backward()\nx.grad",
    "modes by their full name": "from_ = torch.autograd.grad_mode\n"
    "(from_.no_grad is torch.no_grad, from_.set_grad_enabled is torch.set_grad_enabled,"
    " torch.autograd.enable_grad is torch.enable_grad,"
    " torch.autograd.inference_mode is torch.inference_mode)",
}
CASES |= {f"corner: {name}": code for name, code in CORNERS.items()}

# -- flags and .grad --------------------------------------------------------------------

X2 = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n"
X = "x = torch.tensor(3.0, requires_grad=True)\n"
H = X + "h = x * x\n"
FLAGS = {
    "requires_grad_ of integers": "torch.arange(2).requires_grad_()",
    "requires_grad_ of bools": "torch.tensor([True]).requires_grad_()",
    "requires_grad_(False) of integers": "torch.arange(2).requires_grad_(False)",
    "requires_grad = True of integers": "x = torch.arange(2)\nx.requires_grad = True",
    "integers made with the flag": "torch.ones(2, dtype=torch.int64, requires_grad=True)",
    "integer data with the flag": "torch.tensor([1, 2], requires_grad=True)",
    "float16 may": "torch.ones(2, dtype=torch.float16, requires_grad=True)",
    "the flag is no method": "torch.ones(2).requires_grad(True)",
    "requires_grad_ returns the tensor": "x = torch.ones(2)\nx.requires_grad_() is x",
    "requires_grad_ by keyword": "torch.ones(2).requires_grad_(requires_grad=False)",
    "flag of a non-leaf off": H + "h.requires_grad = False",
    "flag of a non-leaf off by method": H + "h.requires_grad_(False)",
    "flag of a non-leaf on": H + "h.requires_grad_(True) is h",
    "flag of a non-leaf on, assigned": H + "h.requires_grad = True\nh.requires_grad",
    "flag off and on again before backward": H
    + "x.requires_grad_(False)\nx.requires_grad_(True)\nh.backward()\nx.grad",
    "flag off before backward": H + "x.requires_grad_(False)\nh.backward()\nx.grad",
    "flag off, then autograd.grad": H
    + "x.requires_grad_(False)\ntorch.autograd.grad(h, x)",
    "flag off keeps grad": H + "h.backward()\nx.requires_grad_(False)\nx.grad",
    "detach_ keeps grad": H + "h.backward()\nx.detach_()\nx.grad",
    "flag set after use is too late": "x = torch.tensor(3.0)\ny = x * x\n"
    "x.requires_grad_()\ny.backward()",
    "grad of a non-leaf warns": H + "h.backward()\nh.grad",
    "grad of a non-leaf before backward warns": H + "h.grad",
    "grad of a constant": "torch.ones(2).grad",
    "grad of a leaf before backward": X + "x.grad",
    "grad after something unrelated": X
    + "w = torch.tensor(1.0, requires_grad=True)\n(w * 2).backward()\n(x.grad, w.grad)",
    "grad of a leaf times zero is zeros": X2 + "(x * 0).sum().backward()\nx.grad",
    "grad of the part not used": X2
    + "x.sum().backward()\n(x.grad, x.grad.requires_grad)",
    "grad of grad": X + "(x * x).backward()\nx.grad.grad",
    "assign a grad": X2
    + "g = torch.tensor([5.0, 6.0])\nx.grad = g\n(x.grad is g, x.grad)",
    "assigned grad is added to": X2 + "x.grad = torch.tensor([5.0, 6.0])\n"
    "x.sum().backward()\nx.grad",
    "assign a grad of another shape": X2 + "x.grad = torch.ones(3)",
    "assign a grad of a broadcastable shape": X2 + "x.grad = torch.ones(1)",
    "assign a grad of another dtype": X2
    + "x.grad = torch.ones(2, dtype=torch.float64)",
    "assign an integer grad": X2 + "x.grad = torch.tensor([1, 2])",
    "assign a number": X2 + "x.grad = 1.0",
    "assign itself": X2 + "x.grad = x",
    "assign an array": X2 + "x.grad = np.ones(2, dtype=np.float32)",
    "assign None": X2 + "x.sum().backward()\nx.grad = None\nx.grad",
    "assign a grad to a constant": "x = torch.ones(2)\nx.grad = torch.ones(2)\nx.grad",
    "assign a grad with a history": X2 + "x.grad = x * 2\nx.grad.requires_grad",
    "delete grad": X2 + "x.sum().backward()\ndel x.grad\nx.grad",
    "delete grad that is not there": X2 + "del x.grad\nx.grad",
    "is_leaf cannot be assigned": X + "x.is_leaf = False",
    "grad_fn cannot be assigned": X + "x.grad_fn = None",
    "same grad object over passes": X2 + "x.sum().backward()\ng = x.grad\n"
    "x.sum().backward()\n(x.grad is g, g)",
    "grad zeroed in place stays an object": X2 + "x.sum().backward()\ng = x.grad\n"
    "g.zero_()\n(x.grad is g, x.grad)",
    "grad set to None, new object": X2
    + "x.sum().backward()\ng = x.grad\nx.grad = None\n"
    "x.sum().backward()\n(x.grad is g, x.grad)",
    "grad of a detached tensor is its own": X2 + "d = x.detach().requires_grad_()\n"
    "(d * 3).sum().backward()\n(d.grad, x.grad)",
    "detach shares": X2 + "d = x.detach()\nd.mul_(10)\nx",
    "data_ptr of detach": X2 + "x.detach().data_ptr() == x.data_ptr()",
    "data_ptr of clone": X2 + "x.clone().data_ptr() == x.data_ptr()",
    "data_ptr of data": X2 + "x.data.data_ptr() == x.data_ptr()",
    "deepcopy of a non-leaf": "import copy\n" + H + "copy.deepcopy(h)",
    "deepcopy copies grad": "import copy\n" + H + "h.backward()\nt = copy.deepcopy(x)\n"
    "(t.grad, t.grad is x.grad)",
    "backward of a constant": "torch.tensor(1.0).backward()",
    "backward of a constant with a flag in vain": "x = torch.tensor(1.0)\n"
    "y = x * 2\nx.requires_grad_()\ny.backward()",
    "backward of a leaf": X + "x.backward()\nx.grad",
    "backward of what no_grad made": X
    + "with torch.no_grad():\n    y = x * x\ny.backward()",
    "set the flag on what no_grad made": X + "with torch.no_grad():\n    y = x * x\n"
    "y.requires_grad_()\n(y * 2).backward()\n(y.grad, x.grad)",
    "numpy of a leaf": X2 + "x.numpy()",
    "numpy of detach": X2 + "x.detach().numpy()",
    "numpy under no_grad": X2 + "with torch.no_grad():\n    a = x.numpy()\na",
    "item of a leaf": X + "x.item()",
    "tolist of a leaf": X2 + "x.tolist()",
    "float of a leaf warns": X + "float(x)",
    "tensor of a leaf warns": X + "t = torch.tensor(x)\nt.requires_grad",
    "stop-gradient": X + "(x * x.detach() + x).backward()\nx.grad",
    "frozen factor": X + "w = torch.tensor(5.0, requires_grad=True)\n"
    "w.requires_grad_(False)\n(x * w).backward()\n(x.grad, w.grad)",
    "straight through": "x = torch.tensor(2.3, requires_grad=True)\n"
    "y = x + (torch.tensor(2.0) - x).detach()\ny.backward()\n(y, x.grad)",
}
CASES |= {f"flag: {name}": code for name, code in FLAGS.items()}

# -- retain_grad --------------------------------------------------------------------------

R = H + "h.retain_grad()\n"
RETAIN = {
    "of a constant": "torch.ones(1).retain_grad()",
    "of a constant under no_grad": X
    + "with torch.no_grad():\n    h = x * x\nh.retain_grad()",
    "of a leaf": X + "x.retain_grad()\nx.retains_grad",
    "of a leaf, then the pass": X + "x.retain_grad()\n(x * x).backward()\nx.grad",
    "of a constant, asked": "torch.ones(1).retains_grad",
    "retains_grad cannot be assigned": H + "h.retains_grad = True",
    "twice": R + "h.retain_grad()\n(h * 2).backward()\n(h.grad, h.retains_grad)",
    "under no_grad": H
    + "with torch.no_grad():\n    h.retain_grad()\n(h * 2).backward()\n"
    "h.grad",
    "accumulates": R + "(h * 2).backward()\n(h * 5).backward()\nh.grad",
    "accumulates over retained passes": R + "y = h * 2\ny.backward(retain_graph=True)\n"
    "y.backward()\n(h.grad, x.grad)",
    "is another object than before": R + "(h * 2).backward()\ng = h.grad\n"
    "(h * 5).backward()\n(g is h.grad, g, h.grad)",
    "cleared between passes": R
    + "(h * 2).backward()\nh.grad = None\n(h * 5).backward()\n"
    "h.grad",
    "zeroed between passes": R
    + "(h * 2).backward()\nh.grad.zero_()\n(h * 5).backward()\n"
    "h.grad",
    "assigned before the pass": R + "h.grad = torch.tensor(100.0)\n(h * 2).backward()\n"
    "h.grad",
    "assigned without retaining": H
    + "h.grad = torch.tensor(100.0)\n(h * 2).backward()\n"
    "h.grad",
    "detach_ after": R + "h.detach_()\n(h.is_leaf, h.requires_grad, h.grad)",
    "detach_ after, then the pass": R + "y = h * 2\nh.detach_()\ny.backward()\nx.grad",
    "detach of it does not retain": R + "d = h.detach()\nd.retains_grad",
    "clone of it does not retain": R + "d = h.clone()\nd.retains_grad",
    "then inputs= itself": R + "(h * 2).backward(inputs=[h])\n(h.grad, x.grad)",
    "then inputs= the leaf": R + "(h * 2).backward(inputs=[x])\n(h.grad, x.grad)",
    "then inputs= elsewhere": R + "w = torch.tensor(1.0, requires_grad=True)\n"
    "(h * 2 * w).backward(inputs=[w])\n(h.grad, x.grad, w.grad)",
    "inputs= a non-leaf": H + "(h * 2).backward(inputs=[h])\n(h.grad, x.grad)",
    "then autograd.grad to the leaf": R + "torch.autograd.grad(h * 2, x)\nh.grad",
    "then autograd.grad to itself": R
    + "g = torch.autograd.grad(h * 2, h)\n(g, h.grad)",
    "then autograd.grad twice": R + "y = h * 2\n"
    "torch.autograd.grad(y, x, retain_graph=True)\ntorch.autograd.grad(y, x)\nh.grad",
    "of the output": H + "h.retain_grad()\nh.backward()\n(h.grad, x.grad)",
    "of the output with weights": X2 + "h = x * x\nh.retain_grad()\n"
    "h.backward(torch.tensor([10.0, 20.0]))\n(h.grad, x.grad)",
    "does not alias the weights": X2 + "h = x * x\nh.retain_grad()\n"
    "v = torch.tensor([10.0, 20.0])\nh.backward(v)\nv.mul_(0)\nh.grad",
    "does not alias the leaf's": X2
    + "h = x + 0\nh.retain_grad()\n(h * 2).sum().backward()\n"
    "h.grad.mul_(0)\nx.grad",
    "sums all uses": R + "(h * 2 + h * h).backward()\nh.grad",
    "of several on the way": X + "a = x * 2\nb = a * 3\nc = b * 5\n"
    "for t in (a, b, c):\n    t.retain_grad()\nc.backward()\n(a.grad, b.grad, c.grad, x.grad)",
    "too late": H + "y = h * 2\ny.backward(retain_graph=True)\nh.retain_grad()\n"
    "first = h.grad\ny.backward()\n(first, h.grad)",
    "has no history": R + "(h * 2).backward()\n(h.grad.requires_grad, h.grad.is_leaf)",
    "of a part nobody uses": R + "(x * 2).backward()\nh.grad",
    "keeps float16": "x = torch.ones(2, dtype=torch.float16, requires_grad=True)\n"
    "h = x * 2\nh.retain_grad()\nh.sum().backward()\nh.grad",
    "before a conversion": X2
    + "h = x * 2\nh.retain_grad()\nh.double().sum().backward()\n"
    "h.grad",
    "second order": "import warnings\nwarnings.simplefilter('ignore')\n"
    + R
    + "(h * h).backward(create_graph=True)\n(h.grad.requires_grad, h.grad.grad_fn.name())",
    "a failed pass keeps it": X2
    + "h = x * 2\nh.retain_grad()\n(h * 1).sum().backward()\n"
    "try:\n    h.backward()\nexcept RuntimeError:\n    pass\nh.grad",
    "the tensor is gone": X
    + "h = x * x\nh.retain_grad()\ny = h * 2\ndel h\ny.backward()\n"
    "x.grad",
}
CASES |= {f"retain: {name}": code for name, code in RETAIN.items()}

# -- changes in place ---------------------------------------------------------------------

LEAF = X2 + "(x * x).sum().backward()\n"
OFF = "with torch.no_grad():\n    "
REFUSED = ["x.add_(1)", "x.sub_(1)", "x.mul_(2)", "x.div_(2)", "x.pow_(2)", "x.zero_()"]
REFUSED += [
    "x.fill_(1)",
    "x.copy_(torch.ones(2))",
    "x += 1",
    "x -= 1",
    "x *= 2",
    "x /= 2",
]
REFUSED += ["x **= 2"]
for code in REFUSED:
    CASES[f"place: leaf, {code}"] = LEAF + code
    CASES[f"place: leaf refused changes nothing, {code}"] = LEAF + (
        f"try:\n    {code}\nexcept RuntimeError:\n    pass\n(x, x.grad)"
    )
    CASES[f"place: leaf under no_grad, {code}"] = (
        LEAF
        + OFF
        + (
            f"before = x\n    {code}\n(x is before, x.is_leaf, x.requires_grad, x, x.grad)"
        )
    )
PLACE = {
    "rebinding makes a non-leaf": LEAF + "x = x - 0.1 * x.grad\n"
    "(x.is_leaf, x.requires_grad, x.grad_fn.name())",
    "rebinding, then backward": LEAF
    + "x = x - 0.1 * x.grad\n(x * x).sum().backward()\n"
    "x.grad",
    "rebinding under no_grad": LEAF + OFF + "x = x - 0.1 * x.grad\n"
    "(x.is_leaf, x.requires_grad)",
    "rebinding under no_grad, then backward": LEAF + OFF + "x = x - 0.1 * x.grad\n"
    "(x * x).sum().backward()",
    "data -= ": LEAF + "x.data -= 0.1 * x.grad\n(x, x.is_leaf)",
    "detach() -= ": LEAF + "d = x.detach()\nd -= 0.5 * x.grad\n(x, x.is_leaf)",
    "add_ with alpha": LEAF + OFF + "x.add_(x.grad, alpha=-0.5)\nx",
    "sub_ with alpha": LEAF + OFF + "x.sub_(x.grad, alpha=0.5)\nx",
    "add_ a number with alpha": "torch.ones(2).add_(3, alpha=2)",
    "alpha of a kind too high": "torch.tensor([1, 2]).add_(torch.tensor([1, 1]), alpha=0.5)",
    "add_ returns self": "x = torch.ones(2)\nx.add_(1) is x",
    "chained": "torch.ones(2).add_(1).mul_(3).sub_(1).div_(5)",
    "on a 0-d result": "x = torch.ones(2).sum()\nx += 1\nx.mul_(2)\nx",
    "on a 0-d result of a leaf": X + OFF + "y = x * x\n    y -= 1\n(y, x)",
    "0-d detach shares after an operation": "x = torch.ones(2).sum()\nd = x.detach()\n"
    "d.add_(5)\nx",
    "on a view": "x = torch.zeros(2, 2)\nv = x.view(4)\nv += 1\nx",
    "on a transpose": "x = torch.zeros(2, 3)\nx.t().add_(torch.tensor([1.0, 2.0]))\nx",
    "on a view of a leaf, no_grad": X2 + OFF + "x.view(2, 1).mul_(2)\nx",
    "on a view of a leaf made under no_grad": X2 + OFF + "v = x.view(2, 1)\n"
    "v.mul_(2)\nx",
    "on an expanded tensor": "torch.ones(3).expand(2, 3).add_(1)",
    "on an expanded tensor, mul_": "torch.ones(3).expand(2, 3).mul_(1)",
    "on an expanded tensor, zero_": "torch.ones(3).expand(2, 3).zero_()",
    "on an expanded tensor, fill_": "torch.ones(3).expand(2, 3).fill_(2)",
    "on an expanded tensor, copy_": "torch.ones(3).expand(2, 3).copy_(torch.ones(3))",
    "expanded to its own shape": "torch.ones(3).expand(3).add_(1)",
    "expanded from one to one": "torch.ones(1).expand(1, 1).add_(1)",
    "on an empty tensor": "torch.ones(0).add_(1)",
    "on an array's memory": "a = np.zeros(2)\nx = torch.from_numpy(a)\nx.add_(3)\na.tolist()",
    "broadcasts the other": "torch.zeros(2, 2).add_(torch.tensor([1.0, 2.0]))",
    "does not broadcast itself": "torch.zeros(2).add_(torch.zeros(2, 2))",
    "does not broadcast itself from 0-d": "torch.tensor(0.0).add_(torch.zeros(2))",
    "does not broadcast itself from one": "torch.zeros(1).add_(torch.zeros(2))",
    "other shape": "torch.zeros(2).add_(torch.zeros(3))",
    "other shape with axes": "torch.zeros(2, 3).mul_(torch.zeros(2))",
    "copy_ other shape": "torch.zeros(2).copy_(torch.zeros(3))",
    "copy_ too many axes": "torch.zeros(2).copy_(torch.zeros(2, 2))",
    "copy_ more axes of one": "torch.zeros(2).copy_(torch.ones(1, 2))",
    "copy_ broadcasts": "torch.zeros(2, 2).copy_(torch.tensor([1.0, 2.0]))",
    "copy_ 0-d": "torch.zeros(2).copy_(torch.tensor(7.0))",
    "copy_ converts down": "torch.zeros(2, dtype=torch.int64).copy_(torch.tensor([1.7, -1.7]))",
    "copy_ converts to bool": "torch.zeros(2, dtype=torch.bool).copy_(torch.tensor([0.5, 0.0]))",
    "copy_ a number": "torch.zeros(2).copy_(7)",
    "copy_ a list": "torch.zeros(2).copy_([1.0, 2.0])",
    "copy_ returns self": "x = torch.ones(2)\nx.copy_(torch.zeros(2)) is x",
    "copy_ of a leaf is recorded or refused": "x = torch.zeros(2)\nx.copy_(x)\nx",
    "fill_ a 0-d tensor": "torch.zeros(2).fill_(torch.tensor(3.0))",
    "fill_ a vector": "torch.zeros(2).fill_(torch.ones(2))",
    "fill_ integers with a float": "torch.zeros(2, dtype=torch.int64).fill_(1.7)",
    "fill_ integers with a large float": "torch.zeros(1, dtype=torch.int64).fill_(16777217.0)",
    "add a wider 0-d tensor": "torch.tensor([16777216.0])"
    ".add_(torch.tensor(1.0 + 2**-28, dtype=torch.float64))",
    "add large integers to float32": "torch.tensor([1.0]).add_(torch.tensor([16777217]))",
    "leaf in place under inference and enable_grad": X2
    + "with torch.inference_mode(), torch.enable_grad():\n    x.add_(1)\nx",
    "fill_ bools": "torch.zeros(2, dtype=torch.bool).fill_(3)",
    "fill_ text": "torch.zeros(2).fill_('a')",
    "fill_ inf": "torch.zeros(2).fill_(float('inf'))",
    "zero_ integers": "torch.arange(3).zero_()",
    "zero_ bools": "torch.tensor([True]).zero_()",
    "zero_ nan": "torch.tensor([float('nan')]).zero_()",
    "add a float to integers": "torch.arange(2).add_(0.5)",
    "add a float tensor to integers": "torch.arange(2).add_(torch.ones(2))",
    "add float64 to float32": "torch.ones(2).add_(torch.ones(2, dtype=torch.float64))",
    "add float64 0-d to float16": "torch.ones(2, dtype=torch.float16)"
    ".add_(torch.tensor(0.5, dtype=torch.float64))",
    "add integers to float32": "torch.ones(2).add_(torch.arange(2))",
    "add an int to bools": "torch.tensor([True]).add_(1)",
    "add a bool to integers": "torch.arange(2).add_(True)",
    "add int64 to int32": "torch.ones(2, dtype=torch.int32).add_(torch.arange(2))",
    "add int64 to uint8 wraps": "torch.ones(2, dtype=torch.uint8).add_(torch.tensor([255, 300]))",
    "div integers": "torch.tensor([4, 6]).div_(2)",
    "div floats by zero": "torch.tensor([1.0, 0.0, -1.0]).div_(0)",
    "div floats by integers": "torch.ones(2).div_(torch.tensor([2, 4]))",
    "mul bools": "torch.tensor([True, False]).mul_(torch.tensor([True, True]))",
    "sub bools": "torch.tensor([True]).sub_(torch.tensor([True]))",
    "pow integers": "torch.tensor([2, 3]).pow_(2)",
    "pow integers negative": "torch.tensor([2, 3]).pow_(-1)",
    "pow integers by a float": "torch.tensor([2, 3]).pow_(0.5)",
    "pow floats": "torch.tensor([4.0, 9.0]).pow_(0.5)",
    "pow of a negative base": "torch.tensor([-1.0]).pow_(0.5)",
    "pow by a tensor": "torch.tensor([2.0, 3.0]).pow_(torch.tensor([2.0, 3.0]))",
    "add text": "torch.ones(2).add_('a')",
    "+= text": "x = torch.ones(2)\nx += 'a'",
    "add None": "torch.ones(2).add_(None)",
    "add a NumPy number": "torch.ones(2).add_(np.float64(0.5))",
    "+= itself": "x = torch.tensor([1.0, 2.0])\nx += x\nx",
    "mul_ itself": "x = torch.tensor([2.0, 3.0])\nx.mul_(x)",
    "+= its own transpose": "x = torch.tensor([[1.0, 2.0], [3.0, 4.0]])\nx += x.t()",
    "-= a shared view": "x = torch.tensor([1.0, 2.0, 3.0, 4.0]).view(2, 2)\n"
    "x.sub_(x.view(2, 2))",
    "+= is seen by other names": "x = torch.ones(2)\ny = x\ny += 1\nx",
    "+= keeps the object": "x = torch.ones(2)\ny = x\nx += 1\nx is y",
    "number += tensor makes a new one": "n = 1.0\nn += torch.ones(2)\nn",
    "in place under inference": "with torch.inference_mode():\n    x = torch.ones(2)\n"
    "    x.add_(1)\nx",
    "leaf in place under inference": X2
    + "with torch.inference_mode():\n    x.add_(1)\n"
    "(x, x.is_inference(), x.requires_grad)",
    "inference tensor outside": "with torch.inference_mode():\n    x = torch.ones(2)\nx += 1",
    "inference tensor outside, zero_": "with torch.inference_mode():\n    x = torch.ones(2)\n"
    "x.zero_()",
    "inference tensor outside, no_grad": "with torch.inference_mode():\n"
    "    x = torch.ones(2)\nwith torch.no_grad():\n    x += 1",
    "clone of an inference tensor": "with torch.inference_mode():\n    x = torch.ones(2)\n"
    "y = x.clone()\ny += 1\n(y, y.is_inference())",
    "normal += inference": "with torch.inference_mode():\n    c = torch.ones(2)\n"
    "x = torch.zeros(2)\nx += c\n(x, x.is_inference())",
    "inference requires_grad inside": "with torch.inference_mode():\n"
    "    x = torch.ones(2, requires_grad=True)\n    y = x * 2\n"
    "(x.requires_grad, x.is_leaf, x.is_inference(), y.requires_grad)",
    "inference leaf used outside": "with torch.inference_mode():\n"
    "    x = torch.ones(2, requires_grad=True)\ny = x * 2",
    "inference flag off outside": "with torch.inference_mode():\n"
    "    x = torch.ones(2)\nx.requires_grad_(False)",
    "gradient step": LEAF + OFF + "x -= 0.25 * x.grad\n(x, x.is_leaf)",
    "step, zero_, again": X2 + "for _ in range(3):\n    (x * x).sum().backward()\n"
    "    with torch.no_grad():\n        x -= 0.25 * x.grad\n    x.grad.zero_()\n(x, x.grad)",
    "step, None, again": X2 + "for _ in range(3):\n    (x * x).sum().backward()\n"
    "    with torch.no_grad():\n        x -= 0.25 * x.grad\n    x.grad = None\n(x, x.grad)",
    "step, never cleared": X2 + "for _ in range(3):\n    (x * x).sum().backward()\n"
    "    with torch.no_grad():\n        x -= 0.25 * x.grad\n(x, x.grad)",
    "grad scaled in place": LEAF + "x.grad *= 0.5\nx.grad.div_(2)\nx.grad",
    "grad in place with a leaf": LEAF + "with torch.no_grad():\n    x.grad += 0.1 * x\n"
    "(x.grad, x.grad.requires_grad)",
    "momentum buffer": LEAF + "m = torch.zeros_like(x)\nm.mul_(0.9).add_(x.grad)\n"
    "with torch.no_grad():\n    x.sub_(m, alpha=0.1)\n(m, x)",
    "the graph keeps the old leaf's numbers or says so": X + "y = x + 1\n"
    "with torch.no_grad():\n    x += 10\ny.backward()\nx.grad",
}
CASES |= {f"place: {name}": code for name, code in PLACE.items()}


RECORDED = Path(__file__).with_name("leaves.json")

# where minigrad says the same in other words: the words that it uses
WORDED = {
    "corner: no_grad with a value": "use torch.set_grad_enabled(value)",
    "corner: inference_mode of a number": "use torch.set_grad_enabled(value)",
    "flag: requires_grad = True of integers": "only Tensors of floating point dtype",
    "flag: assign a grad of another dtype": "must match the tensor's dtype",
    "flag: assign an integer grad": "must match the tensor's dtype",
    "flag: is_leaf cannot be assigned": "no setter",
    "flag: grad_fn cannot be assigned": "no setter",
    "retain: retains_grad cannot be assigned": "no setter",
    "place: fill_ text": "must be Tensor, not str",
    "place: += text": "must be Tensor, not str",
    "place: alpha of a kind too high": "",
    "place: sub bools": "Subtraction, the `-` operator",
}
# where minigrad answers otherwise, and why
DIFFERENT: dict[str, str] = {}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
