"""What Chapter 10 says: picking, arranging, multiplying."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
picks = Theme(ROWS, 10, "Picking", "what-is-the-transpose-of-picking")
for name, words, expression in [
    ("integer", "An integer selects.", "x[1]"),
    ("slice", "A slice slices.", "x[:, 1:]"),
    ("new-axis", "None makes an axis.", "x[None]"),
    ("list", "A list of places picks.", "x[[1, 1, 0]]"),
    ("mask", "So does a mask.", "x[x > 2]"),
    ("integer-and-list", "An integer is taken before a list.", "x[0, [1, 2]]"),
    ("two-lists", "Two lists name pairs.", "x[[0, 1], [2, 2]]"),
]:
    picks(
        name,
        words,
        f"""
        x = torch.arange(6.0).reshape(2, 3).requires_grad_()
        y = {expression}
        y.sum().backward()
        y, x.grad
        """,
    )
picks(
    "repeats-are-summed",
    "What is picked twice gets both cotangents.",
    """
    x = torch.tensor([10.0, 20.0, 30.0], requires_grad=True)
    (x[[0, 0, 2]] * torch.tensor([1.0, 2.0, 4.0])).sum().backward()
    x.grad
    """,
)
picks(
    "view-first",
    "The view is made first, so the axis of the places stays where it is.",
    """
    torch.zeros(2, 3, 4)[0, :, [1, 2]].shape
    """,
)
picks(
    "negative-steps",
    "A negative step is refused.",
    "torch.arange(3)[::-1]",
    raises="ValueError: step must be greater than zero",
)

# ------------------------------------------------------------------------------
places = Theme(ROWS, 10, "A place for every result", "a-place-for-every-result")
places(
    "gather",
    "`gather` takes one number out of each row …",
    """
    x = torch.arange(6.0).reshape(2, 3).requires_grad_()
    y = x.gather(1, torch.tensor([[2], [0]]))
    y.sum().backward()
    y, x.grad
    """,
)
places(
    "scatter-add",
    "… and `scatter_add` is its transpose.",
    """
    x, y = torch.zeros(2, 3), torch.ones(2, 2, requires_grad=True)
    z = x.scatter_add(1, torch.tensor([[2, 2], [0, 1]]), y)
    (z * torch.arange(6.0).reshape(2, 3)).sum().backward()
    z, y.grad
    """,
)
places(
    "index-add",
    "`index_add` adds whole rows.",
    """
    x, y = torch.zeros(2, 3), torch.ones(3, 3, requires_grad=True)
    x.index_add(0, torch.tensor([1, 0, 1]), y)
    """,
)

# ------------------------------------------------------------------------------
memory = Theme(ROWS, 10, "The same memory", "when-is-a-part-the-same-memory")
for name, words, expression in [
    ("slice-shares", "A slice is a view.", "x[1:]"),
    ("list-copies", "A list of places is a copy.", "x[[1, 2]]"),
    ("flip-copies", "A flip is a copy.", "x.flip(0)"),
    ("diagonal-shares", "A diagonal is a view.", "x.reshape(2, 2).diagonal()"),
    ("movedim-shares", "Moved axes are a view.", "x.reshape(2, 2).movedim(0, 1)"),
    ("unbind-shares", "The parts of a loop are views.", "x.unbind()[0]"),
]:
    memory(
        name,
        words,
        f"""
        x = torch.arange(4.0)
        y = {expression}
        y.add_(10)
        x
        """,
    )

# ------------------------------------------------------------------------------
ranks = Theme(ROWS, 10, "Products of every rank", "what-are-the-rules-of-a-product")
for a, b in [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((5, 1, 2, 3), (4, 3, 2)),
]:
    ranks(
        f"matmul-{len(a)}-{len(b)}",
        f"{len(a)} axes and {len(b)}.",
        f"""
        x, y = torch.ones{a}, torch.ones{b}
        x, y = x.requires_grad_(), y.requires_grad_()
        z = x @ y
        z.sum().backward()
        z.shape, x.grad.sum(), y.grad.sum()
        """.replace("ones(3,)", "ones(3)"),
    )
ranks(
    "letters",
    "A letter that occurs twice is a diagonal.",
    """
    x = torch.arange(4.0).reshape(2, 2).requires_grad_()
    y = torch.einsum("ii->i", x)
    (y * torch.tensor([1.0, 5.0])).sum().backward()
    y.tolist(), x.grad
    """,
)

# ------------------------------------------------------------------------------
calculus = Theme(ROWS, 10, "Matrix calculus", "what-is-the-derivative-of-an-inverse")
for name, words, expression in [
    ("log-det", "The gradient of log det is the transposed inverse.", "logdet(x)"),
    ("det", "That of the determinant has the cofactors.", "linalg.det(x)"),
    ("inv", "That of the inverse has it twice.", "linalg.inv(x).sum()"),
    ("solve", "A system of equations.", "linalg.solve(x, torch.ones(2)).sum()"),
]:
    calculus(
        name,
        words,
        f"""
        x = torch.tensor([[2.0, 1.0], [0.5, 3.0]], requires_grad=True)
        torch.{expression}.backward()
        x.grad
        """,
    )
calculus(
    "singular",
    "A singular matrix is refused.",
    "torch.linalg.inv(torch.ones(2, 2))",
    raises="_LinAlgError: singular",
)

# ------------------------------------------------------------------------------
functions = Theme(
    ROWS, 10, "Functions of torch.nn.functional", "what-is-the-derivative-of-an-inverse"
)
for name, words, expression in [
    ("pad", "A padding begins with the last axis.", "pad(x, (1, 0, 0, 2), value=7.0)"),
    ("negative-pad", "A negative one cuts.", "pad(x, (-1, 1))"),
    ("gelu", "The exact form is the default.", "gelu(x)"),
    ("gelu-tanh", "The other has to be asked for.", "gelu(x, approximate='tanh')"),
    ("silu", "A swish.", "silu(x)"),
    ("softplus", "A bend without a corner.", "softplus(x, beta=2)"),
    ("leaky-relu", "A corner that leaks.", "leaky_relu(x, 0.1)"),
]:
    functions(
        f"functional-{name}",
        words,
        f"""
        x = torch.tensor([[-1.0, 0.5], [2.0, -0.25]], requires_grad=True)
        y = torch.nn.functional.{expression}
        y.sum().backward()
        y.detach(), x.grad
        """,
    )
