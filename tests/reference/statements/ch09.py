"""What Chapter 9 says: copies, reductions, and who gets the gradient."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
ties = Theme(ROWS, 9, "Ties and corners", "how-does-g-find-the-way-to-what-was-picked")
for name, words, expression in [
    ("max-of-all", "The maximum of all shares g among equals …", "x.max()"),
    ("max-along", "… along an axis the first of them takes all …", "x.max(0).values"),
    ("amax", "… and `amax` shares again.", "x.amax(0)"),
    ("sort", "To sort is to pick everything.", "(x.sort().values * w)"),
    ("topk", "To take the two largest is to pick two.", "x.topk(2).values"),
    (
        "median",
        "The median is the lower of the two in the middle.",
        "x.median(0).values",
    ),
    ("abs-at-0", "The slope of `abs` at 0 is 0.", "(x - 3).abs()"),
    ("clamp-at-the-end", "At the end of a clamp g passes.", "x.clamp(1.0, 3.0)"),
    ("norm-of-0", "The norm has slope 0 at 0.", "(x * 0).norm()"),
    ("std-of-equals", "So has the standard deviation.", "(x * 0).std()"),
    ("prod-with-zeros", "A product with a zero.", "(x - 1).prod()"),
    ("cumprod-with-zeros", "A running product with a zero.", "(x - 1).cumprod(0)"),
    ("floor", "A staircase passes zeros.", "x.floor()"),
]:
    ties(
        name,
        words,
        f"""
        x, w = torch.tensor([1.0, 3.0, 3.0], requires_grad=True), torch.arange(3.0)
        {expression}.sum().backward()
        x.grad
        """,
    )
ties(
    "maximum-of-equals",
    "Of two that are equal, each gets half.",
    """
    a, b = (torch.tensor([1.0, 2.0], requires_grad=True) for _ in range(2))
    torch.maximum(a, b).sum().backward()
    (a.grad, b.grad)
    """,
)
ties(
    "max-returns-a-pair",
    "Along an axis `max` returns values and indices.",
    "torch.tensor([1.0, 3.0, 3.0]).max(0)",
)
# ------------------------------------------------------------------------------
masks = Theme(ROWS, 9, "Masks and large numbers", "two-operands")
masks(
    "where-does-not-stop-nan",
    "`where` does not stop a nan on its way back …",
    """
    x = torch.tensor([4.0, 0.0, -1.0], requires_grad=True)
    torch.where(x > 0, torch.sqrt(x), 0.0).sum().backward()
    x.grad
    """,
)
masks(
    "where-with-a-safe-operand",
    "… unless its operand has been made safe.",
    """
    x = torch.tensor([4.0, 0.0, -1.0], requires_grad=True)
    safe = torch.where(x > 0, x, 1.0)
    torch.where(x > 0, torch.sqrt(safe), 0.0).sum().backward()
    x.grad
    """,
)
masks(
    "log-of-softmax",
    "The logarithm of a softmax loses what is small …",
    """
    x = torch.tensor([0.0, 120.0], requires_grad=True)
    torch.log(x.softmax(0)).sum().backward()
    x.grad
    """,
)
masks(
    "log-softmax",
    "… and `log_softmax` keeps it.",
    """
    x = torch.tensor([0.0, 120.0], requires_grad=True)
    x.log_softmax(0).sum().backward()
    x.grad
    """,
)
masks(
    "logsumexp-of-large-numbers",
    "`logsumexp` does not overflow.",
    "torch.tensor([1000.0, 1000.0]).logsumexp(0)",
)
# ------------------------------------------------------------------------------
shapes = Theme(ROWS, 9, "Copies", "where-does-the-gradient-of-a-copy-go")
for name, small, large in [
    ("a-number", (), (2, 3)),
    ("a-missing-axis", (3,), (2, 3)),
    ("an-axis-of-length-1", (2, 1), (2, 3)),
    ("beside-nothing", (3,), (0, 3)),
]:
    shapes(
        f"copies-of-{name}",
        f"Shape {small} beside {large}.",
        f"""
        x = torch.ones({small}, requires_grad=True)
        (x + torch.zeros({large})).sum().backward()
        x.grad
        """,
    )
# ------------------------------------------------------------------------------
kinds = Theme(ROWS, 9, "Which numbers", "as-functions-of-tensors")
kinds(
    "mean-of-integers",
    "Integers have no mean.",
    "torch.tensor([0, 1, 1]).mean()",
    raises="RuntimeError: mean(): could not infer output dtype",
)
kinds(
    "var-of-one",
    "The variance of one number is nan.",
    "torch.tensor([2.0]).var()",
    warns="UserWarning: var(): degrees of freedom is <= 0",
)
kinds(
    "var-corrections",
    "The divisor of a variance.",
    """
    x = torch.tensor([1.0, 2.0, 6.0])
    (x.var(), x.var(False), x.var(0, correction=2))
    """,
)
kinds(
    "sums-of-bools",
    "Bools are summed and multiplied as integers.",
    """
    x = torch.tensor([True, True])
    (x.cumsum(0), x.prod(), (x & ~x).any())
    """,
)
kinds(
    "condition-of-floats",
    "A condition is made of bools.",
    "torch.where(torch.ones(2), 1.0, 0.0)",
    raises="RuntimeError: where expected condition to be a boolean tensor",
)
kinds(
    "whole-division",
    "Whole division is recorded and has no derivative.",
    """
    x = torch.tensor([7.0], requires_grad=True)
    (x // 2).backward()
    """,
    raises="RuntimeError: derivative for aten::floor_divide is not implemented",
)
kinds(
    "names-of-nodes",
    "The nodes' names.",
    """
    x = torch.ones(2, 2, requires_grad=True)
    [t.grad_fn.name() for t in (x.mean(), x.mean(0), x.var(), x.norm(), x.softmax(0))]
    """,
)
