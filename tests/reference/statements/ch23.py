"""What Chapter 23 says: compiled functions."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
COMPILED = """\
w = torch.tensor([1.0, -2.0], requires_grad=True)
f = torch.compile(lambda x: (torch.tanh(x * w) ** 2).sum(), backend="aot_eager")
x = torch.tensor([0.5, 1.5], requires_grad=True)
"""

# ------------------------------------------------------------------------------
node = Theme(ROWS, 23, "Compiled functions", "what-does-autograd-see-of-it")
node(
    "compiled-value",
    "A compiled function gives what the function gives.",
    "round(f(x).item(), 5)",
    setup=COMPILED,
)
node(
    "compiled-node",
    "To autograd it is one node.",
    "f(x).grad_fn.name()",
    setup=COMPILED,
)
node(
    "compiled-gradients",
    "Arguments and what it closes over have their gradients.",
    """
    f(x).backward()
    [round(n, 5) for n in x.grad.tolist() + w.grad.tolist()]
    """,
    setup=COMPILED,
)
node(
    "compiled-twice",
    "Its gradient has no gradient.",
    """
    (d,) = torch.autograd.grad(f(x), x, create_graph=True)
    d.sum().backward()
    """,
    setup=COMPILED,
    raises="RuntimeError: does not currently support double backward",
)
node(
    "compiled-shapes",
    "It takes arguments of other shapes.",
    """
    g = torch.compile(lambda x: x * 2, backend="eager")
    [g(torch.ones(n)).tolist() for n in (1, 2)]
    """,
)
node(
    "compiled-options",
    "The decorator may have options.",
    """
    @torch.compile(backend="eager", fullgraph=True)
    def g(x):
        return x + 1
    g(torch.tensor(1.0)).item()
    """,
)
node(
    "compiled-disabled",
    "With disable=True the function stays what it is.",
    """
    g = torch.exp
    torch.compile(g, disable=True) is g
    """,
)
node(
    "compiled-in-place",
    "A parameter that is changed inside is changed.",
    """
    v = torch.tensor([1.0, 2.0])
    g = torch.compile(lambda: v.mul_(2).sum(), backend="eager")
    [g().item(), g().item(), v.tolist()]
    """,
)
node(
    "compiled-closure",
    "A tensor that it closes over is read in each call.",
    """
    v = torch.tensor(1.0)
    g = torch.compile(lambda x: x * v, backend="eager")
    a = g(torch.tensor(2.0)).item()
    v.fill_(5.0)
    [a, g(torch.tensor(2.0)).item()]
    """,
)
