"""Record what PyTorch answers to the examples of the two texts this book grew from.

Run at the root of the repository, with a Python that has PyTorch and NumPy:

    python -m tests.reference.record_source_texts

It writes source_texts.json beside this file. The programs show what the examples of the
texts show; where a text slips, the program shows what is so. The tests run them on
minigrad and need no PyTorch.
"""

# ruff: noqa: E501 (a program stays in one piece)

from pathlib import Path

from tests.reference import ledger

RECORDED = Path(__file__).with_name("source_texts.json")

FIVE = """\
def five(t):
    return (t.data, t.requires_grad, t.grad, t.grad_fn, t.is_leaf)
"""
XY = """\
x = torch.tensor([1., 2., 3.], requires_grad=True)
y = torch.tensor([4., 5., 6.], requires_grad=True)
"""
X = "x = torch.tensor([1., 2., 3.], requires_grad=True)\n"
QUIET = "import warnings\nwarnings.simplefilter('ignore')\n"
ROWS = """\
def rows(y, x):
    found = []
    for k in range(y.numel()):
        unit = [float(k == i) for i in range(y.numel())]
        unit = torch.tensor(unit, dtype=y.dtype).reshape(y.shape)
        g, = torch.autograd.grad(y, x, unit, retain_graph=True)
        found.append(g.reshape(x.numel()).tolist())
    return found
x = torch.tensor([[1.], [2.]], requires_grad=True)
w = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])
"""

# -- the introduction to autograd ------------------------------------------------------

INTRODUCTION = {
    "a random leaf": "x = torch.randn(2, 3, requires_grad=True)\n"
    "(x.shape, x.dtype, x.requires_grad, x.is_leaf)",
    "from NumPy: an array of floats": "x = torch.from_numpy(np.array([1., 2., 3.]))\n"
    "(x, x.requires_grad)",
    "from NumPy: the flag is no method": "x = torch.from_numpy(np.array([1., 2., 3.]))\n"
    "x.requires_grad(True)",
    "from NumPy: the method that was meant": "x = torch.from_numpy(np.array([1., 2., 3.]))\n"
    "x.requires_grad_(True)",
    "from NumPy: or the attribute": "x = torch.from_numpy(np.array([1., 2., 3.]))\n"
    "x.requires_grad = True\nx",
    "from NumPy: only floats may": "torch.from_numpy(np.array([1, 2, 3])).requires_grad_(True)",
    "from NumPy: gradients are float64": "x = torch.from_numpy(np.array([1., 2., 3.])).requires_grad_()\n"
    "(x * x).sum().backward()\nx.grad",
    "five attributes of x": FIVE + "x = torch.tensor(1.0, requires_grad=True)\nfive(x)",
    "five attributes of y": FIVE + "y = torch.tensor(2.0)\nfive(y)",
    "five attributes of z": FIVE + QUIET + "x = torch.tensor(1.0, requires_grad=True)\n"
    "y = torch.tensor(2.0)\nfive(x * y)",
    "five attributes, printed": QUIET + "x = torch.tensor(1.0, requires_grad=True)\n"
    "y = torch.tensor(2.0)\nz = x * y\n"
    "''.join(f'{n} {t.data} {t.requires_grad} {t.grad} {t.is_leaf};' for n, t in zip('xyz', (x, y, z)))",
    "reading grad of z warns": "z = torch.tensor(1.0, requires_grad=True) * 2\nz.grad",
    "the operation is recorded by name": "z = torch.tensor(1.0, requires_grad=True) * torch.tensor(2.0)\n"
    "z.grad_fn.name()",
    "its operands are its next functions": "x = torch.tensor(1.0, requires_grad=True)\n"
    "z = x * torch.tensor(2.0)\n"
    "(z.grad_fn.next_functions[0][0].variable is x, z.grad_fn.next_functions[1][0])",
    "z.backward gives dz/dx": "x = torch.tensor(1.0, requires_grad=True)\n"
    "y = torch.tensor(2.0)\n(x * y).backward()\n(x.grad, y.grad)",
    "grad is None before backward": "x = torch.tensor(1.0, requires_grad=True)\ny = x * 2\nx.grad",
    "grad is None after something unrelated": "x = torch.tensor(1.0, requires_grad=True)\n"
    "w = torch.tensor(1.0, requires_grad=True)\n(w * 2).backward()\nx.grad",
    "grad stays None without the flag": "x = torch.tensor(1.0)\n"
    "w = torch.tensor(1.0, requires_grad=True)\n(x * w).backward()\nx.grad",
    "leaf: made by hand": "(torch.tensor(1.0).is_leaf, torch.randn(1, 1).is_leaf)",
    "leaf: computed from what needs no gradient": "(torch.tensor(1.0) * torch.tensor(2.0)).is_leaf",
    "leaf: detached": "(torch.tensor(1.0, requires_grad=True) * 2).detach().is_leaf",
    "no leaf: computed from what does": "(torch.tensor(1.0, requires_grad=True) * 2).is_leaf",
    "gradients only for leaves that require them": QUIET
    + "x = torch.tensor(3.0, requires_grad=True)\n"
    "c = torch.tensor(2.0)\nd = (x * 5).detach()\nh = x * c * d\nh.backward()\n"
    "(x.grad, c.grad, d.grad, h.grad)",
    "a cube": "x = torch.tensor(1.0, requires_grad=True)\nz = x ** 3\nz.backward()\nx.grad.data",
    "a cube, elsewhere": "x = torch.tensor(2.0, requires_grad=True)\nz = x ** 3\nz.backward()\nx.grad",
    "the default gradient is the scalar 1": "x = torch.tensor(2.0, requires_grad=True)\n"
    "z = x ** 3\nz.backward(torch.tensor(1.0))\nx.grad",
    "and not a 1x1 tensor": "x = torch.tensor(2.0, requires_grad=True)\nz = x ** 3\n"
    "z.backward(torch.ones(1, 1))",
    "the argument weighs the output": "x = torch.tensor(2.0, requires_grad=True)\n"
    "z = x ** 3\nz.backward(torch.tensor(10.0))\nx.grad",
    "the argument has the output's shape": X + "(x * 2).backward(torch.ones(2))",
    "autograd computes vJ": "x = torch.tensor([2., 3.], requires_grad=True)\n"
    "w = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])\n"
    "y = (w @ (x * x).reshape(2, 1)).reshape(3)\n"
    "y.backward(torch.tensor([1., 0., -1.]))\nx.grad",
    "and refuses a vector for Jv": "x = torch.tensor([2., 3.], requires_grad=True)\n"
    "w = torch.tensor([[1., 2.], [3., 4.], [5., 6.]])\n"
    "y = (w @ (x * x).reshape(2, 1)).reshape(3)\ny.backward(torch.tensor([1., 0.]))",
    "v may be the gradient of a loss": "x = torch.tensor([2., 3.], requires_grad=True)\n"
    "y = x * x\nv, = torch.autograd.grad((y * y).sum(), y)\n"
    "y.backward(v)\nby_hand = x.grad.clone()\nx.grad = None\n"
    "((x * x) * (x * x)).sum().backward()\n(by_hand, x.grad)",
    "the gradient is a rate": "x = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)\n"
    "y = x * x\ny.backward()\nstep = 0.001\n"
    "change = (x.detach() - step * x.grad) ** 2 - y.detach()\n"
    "(x.grad, f'{change.item():.6f}', f'{(-step * x.grad * x.grad).item():.6f}')",
    "a training loop": "x = torch.tensor([[1.], [2.], [3.], [4.]])\ny = 2 * x + 1\n"
    "w = torch.zeros(1, 1, requires_grad=True)\nb = torch.zeros(1, requires_grad=True)\n"
    "losses = []\nfor _ in range(4):\n    error = x @ w + b - y\n"
    "    loss = (error * error).sum() / 4\n    loss.backward()\n"
    "    losses.append(f'{loss.item():.3f}')\n    with torch.no_grad():\n"
    "        w -= 0.05 * w.grad\n        b -= 0.05 * b.grad\n"
    "    w.grad.zero_()\n    b.grad.zero_()\nlosses",
    "the graph is built anew in each run": "x = torch.tensor(2.0, requires_grad=True)\n"
    "found = []\nfor steps in (1, 3):\n    y = x\n    for _ in range(steps):\n"
    "        y = y * x\n    x.grad = None\n    y.backward()\n    found.append(x.grad)\nfound",
    "and may take another path": "def f(x):\n    return x * x if x > 0 else -x\n"
    "found = []\nfor number in (3.0, -3.0):\n    x = torch.tensor(number, requires_grad=True)\n"
    "    y = f(x)\n    y.backward()\n    found.append((y.grad_fn.name(), x.grad))\nfound",
}

# -- the notes on differentiation --------------------------------------------------------

NOTES = {
    "a column, a row, a matrix": "(torch.randn(4, 1).shape, torch.randn(1, 4).shape, torch.randn(2, 3).shape)",
    "Jacobian of a number by a column": ROWS + "rows((x * x).sum().reshape(1, 1), x)",
    "Jacobian of a column by a number": ROWS
    + "x = torch.tensor([[2.]], requires_grad=True)\n"
    "rows(torch.tensor([[1.], [2.], [3.]]) * x * x, x)",
    "Jacobian of a column by a column": ROWS + "rows(w @ (x * x), x)",
    "the chain rule is a product of matrices": ROWS + "k = x * x\ny = w @ k\n"
    "inner, outer = rows(k, x), rows(y, k)\n"
    "(rows(y, x), (torch.tensor(outer) @ torch.tensor(inner)).tolist())",
    "tracking starts with the flag": "x = torch.tensor([1., 2., 3.])\na = x * 2\n"
    "x.requires_grad_()\nb = x * 2\n(a.grad_fn, b.grad_fn.name())",
    "every operation has its function": X
    + "[(x + x).grad_fn.name(), (x * x).grad_fn.name(), (x ** 2).grad_fn.name(), x.sum().grad_fn.name()]",
    "a scalar needs no argument": X + "(x ** 2).sum().backward()\nx.grad",
    "anything else does": X + "y = x ** 2\ny.backward()",
    "gradient= weighs the elements": X + "y = x ** 2\n"
    "y.backward(gradient=torch.tensor([1., 1., 1.]))\nx.grad",
    "gradient= with other weights": X + "y = x ** 2\n"
    "y.backward(gradient=torch.tensor([1., 10., 100.]))\nx.grad",
    "gradient= must have the shape": X
    + "y = x ** 2\ny.backward(gradient=torch.tensor([1., 1.]))",
    "gradient= that requires one": QUIET + X + "v = torch.ones(3, requires_grad=True)\n"
    "y = x ** 2\ny.backward(gradient=v)\n(x.grad.requires_grad, v.grad)",
    "gradient= takes part under create_graph": QUIET
    + X
    + "v = torch.ones(3, requires_grad=True)\n"
    "y = x ** 2\ny.backward(gradient=v, create_graph=True)\nx.grad.sum().backward()\n(v.grad, x.grad.requires_grad)",
    "gradients pile up": X
    + "(x ** 2).sum().backward()\n(x ** 2).sum().backward()\nx.grad",
    "retain_graph: two passes": X + "y = x ** 2\ny.sum().backward(retain_graph=True)\n"
    "y.sum().backward()\nx.grad",
    "retain_graph: without it the second fails": X
    + "y = x ** 2\ny.sum().backward()\ny.sum().backward()",
    "retain_graph: a third pass fails": X
    + "y = x ** 2\ny.sum().backward(retain_graph=True)\n"
    "y.sum().backward()\ny.sum().backward()",
    "retain_graph: computing again is the other way": X + "(x ** 2).sum().backward()\n"
    "x.grad.zero_()\n(x ** 2).sum().backward()\nx.grad",
    "retain_graph: create_graph is its default": QUIET + X + "y = x ** 2\nz = y.sum()\n"
    "z.backward(create_graph=True)\nz.backward()\nx.grad.detach()",
    "create_graph: warns": X
    + "y = x ** 2\nz = y.sum()\nz.backward(create_graph=True)\nx.grad.requires_grad",
    "create_graph: first plus second order": QUIET + X + "y = x ** 2\nz = y.sum()\n"
    "z.backward(create_graph=True)\ngrad_x = x.grad\n"
    "grad_x.backward(torch.ones_like(grad_x))\nx.grad.detach()",
    "create_graph: the second order alone": X + "z = (x ** 2).sum()\n"
    "g, = torch.autograd.grad(z, x, create_graph=True)\ng2, = torch.autograd.grad(g.sum(), x)\n(g, g2)",
    "create_graph: or with grad cleared": QUIET + X + "z = (x ** 2).sum()\n"
    "z.backward(create_graph=True)\ngrad_x = x.grad\nx.grad = None\n"
    "grad_x.backward(torch.ones_like(grad_x))\nx.grad",
    "create_graph: without it there is nothing to go on from": X
    + "(x ** 2).sum().backward()\n"
    "x.grad.backward(torch.ones(3))",
    "inputs: only these": XY
    + "z = x ** 2 + y ** 2\nz.sum().backward(inputs=[x])\n(x.grad, y.grad)",
    "inputs: one tensor will do": XY
    + "z = x ** 2 + y ** 2\nz.sum().backward(inputs=y)\n(x.grad, y.grad)",
    "inputs: none is an error": XY + "(x + y).sum().backward(inputs=[])",
    "inputs: by default all leaves": XY
    + "z = x ** 2 + y ** 2\nz.sum().backward()\n(x.grad, y.grad)",
    "zeroing in place": X + "(x ** 2).sum().backward()\nx.grad.zero_()\nx.grad",
    "the summary: nothing to clear": XY
    + "for t in (x, y):\n    if t.grad is not None:\n"
    "        t.grad.zero_()\n(x.grad, y.grad)",
    "the summary: first order": QUIET + XY + "z = x ** 2 + y ** 2\n"
    "z.backward(gradient=torch.tensor([1., 1., 1.]), retain_graph=True, create_graph=True)\n"
    "(x.grad.detach(), y.grad.detach(), x.grad.requires_grad)",
    "the summary: what it calls second order": QUIET + XY + "z = x ** 2 + y ** 2\n"
    "z.backward(gradient=torch.tensor([1., 1., 1.]), retain_graph=True, create_graph=True)\n"
    "x_grad = x.grad\nx_grad.backward(torch.ones_like(x))\n(x.grad.detach(), y.grad.detach())",
    "the summary: the printed tensor has a history": QUIET
    + XY
    + "z = x ** 2 + y ** 2\n"
    "z.backward(gradient=torch.tensor([1., 1., 1.]), retain_graph=True, create_graph=True)\nx.grad",
    "dynamic graphs: a node is there at once": X
    + "seen = []\ny = x\nfor _ in range(3):\n"
    "    y = y * 2\n    seen.append(y.grad_fn.name())\nseen",
    "the flag saves the work": "x = torch.ones(3)\nw = torch.ones(3, requires_grad=True)\n"
    "((x * 2).grad_fn, (x * 2 * w).grad_fn.next_functions[0][0])",
}
CASES = {f"introduction: {name}": code for name, code in INTRODUCTION.items()}
CASES |= {f"notes: {name}": code for name, code in NOTES.items()}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
