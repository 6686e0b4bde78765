"""What Chapter 11 says: which changes in place spoil a gradient, and which are fine."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
SPOILED = "RuntimeError: modified by an inplace operation … is at version"

# ------------------------------------------------------------------------------
spoils = Theme(ROWS, 11, "Changes that spoil", "which-changes-spoil-a-gradient")
for name, words, program, fine in [
    ("exp-input", "`exp` saves its result, so its input is free.", "y.exp()", True),
    ("sin-input", "`sin` saves its input.", "y.sin()", False),
    ("sum-input", "A sum saves nothing.", "y + 1", True),
    ("square-input", "A power saves its base.", "y ** 2", False),
    ("relu-input", "`relu` saves its result.", "y.relu()", True),
    ("matmul-input", "A product beside a constant saves the constant.", "y @ c", True),
]:
    spoils(
        name,
        words,
        f"""
        x = torch.ones(2, requires_grad=True)
        y, c = x * 2, torch.ones(2)
        z = {program}
        y.add_(1)
        z.sum().backward()
        {"x.grad" if fine else ""}
        """,
        raises=None if fine else SPOILED,
    )
for name, words, program in [
    ("exp-result", "The result of `exp` is saved …", "y.exp()"),
    ("sigmoid-result", "… and that of a sigmoid …", "y.sigmoid()"),
    ("sqrt-result", "… and that of a root.", "y.sqrt()"),
]:
    spoils(
        name,
        words,
        f"""
        y = torch.ones(2, requires_grad=True) * 2
        z = {program}
        z.mul_(3)
        z.sum().backward()
        """,
        raises=SPOILED,
    )
spoils(
    "constant",
    "A constant that a product has saved.",
    """
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    z = x * c
    c.zero_()
    z.sum().backward()
    """,
    raises=SPOILED + " 1; expected version 0 instead",
)
spoils(
    "before-it-is-saved",
    "A change before the operation is harmless.",
    """
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    c.add_(1)
    (x * c).sum().backward()
    x.grad
    """,
)
spoils(
    "an-update-between-two-passes",
    "An update between two backward passes is noticed.",
    """
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    loss = (w * w).sum()
    loss.backward(retain_graph=True)
    with torch.no_grad():
        w -= 0.1 * w.grad
    loss.backward()
    """,
    raises=SPOILED,
)

# ------------------------------------------------------------------------------
counts = Theme(ROWS, 11, "Versions", "how-do-you-notice-a-change")
counts(
    "views-share-a-count",
    "Views and `detach` share the count, a clone has its own.",
    """
    x = torch.zeros(2, 3)
    v, d, c = x.t(), x.detach(), x.clone()
    x.add_(1)
    v.mul_(2)
    x._version, v._version, d._version, c._version
    """,
)
counts(
    "data-counts-apart",
    "`.data` counts by itself.",
    """
    x = torch.zeros(2)
    x.data.add_(1)
    x._version, x.tolist()
    """,
)
counts(
    "assignment-counts",
    "An assignment is a change.",
    """
    x = torch.zeros(3)
    x[0] = 1
    x[x > 0] = 2
    x._version
    """,
)
counts(
    "through-data-nobody-notices",
    "A change through `.data` is not noticed, and the gradient is wrong.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    z = (x * x).sum()
    x.data.add_(1)
    z.backward()
    x.grad
    """,
)

# ------------------------------------------------------------------------------
records = Theme(ROWS, 11, "Recorded changes", "what-is-the-derivative-of-a-change")
for name, words, change in [
    ("mul", "A product in place.", "y.mul_(3)"),
    ("exp", "A function in place.", "y.exp_()"),
    ("zero", "What is overwritten gets nothing.", "y.zero_().add_(x)"),
    ("copy", "What is copied gets its gradient.", "y.copy_(x * 5)"),
    ("slice", "A slice in place.", "y[1:].mul_(3)"),
    ("mask", "A masked assignment.", "y[y > 2] = 0.0"),
    ("item", "An assigned element.", "y[0] = x[1]"),
]:
    records(
        f"{name}-is-recorded",
        words,
        f"""
        x = torch.tensor([0.5, 2.0], requires_grad=True)
        y = x * 2
        {change}
        y.sum().backward()
        y.detach(), x.grad
        """,
    )
records(
    "leaf",
    "A leaf that collects a gradient cannot be changed.",
    """
    w = torch.ones(2, requires_grad=True)
    w.mul_(2)
    """,
    raises="RuntimeError: a leaf Variable that requires grad … in-place operation",
)

# ------------------------------------------------------------------------------
views = Theme(ROWS, 11, "Views", "what-if-two-tensors-share-the-memory")
views(
    "base-of-a-changed-view",
    "A change of a view is a change of its base.",
    """
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 10
    v = y[1:]
    v.mul_(3)
    y.sum().backward()
    y, v, v._base is y, x.grad
    """,
)
views(
    "buffer",
    "A constant into which a weight is written requires a gradient.",
    """
    w, buffer = torch.tensor(3.0, requires_grad=True), torch.zeros(2)
    buffer[0] = w
    buffer.requires_grad, buffer.is_leaf
    """,
)
views(
    "view-of-a-leaf",
    "A view of a leaf that collects cannot be changed either.",
    """
    w = torch.ones(2, requires_grad=True)
    w[0].mul_(2)
    """,
    raises="RuntimeError: a view of a leaf Variable that requires grad",
)
views(
    "view-made-under-no-grad",
    "A view made under `no_grad` cannot be changed outside.",
    """
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        v = x.view(2)
    v.mul_(3)
    """,
    raises="RuntimeError: A view was created in no_grad mode and is being modified",
)
views(
    "one-of-several-views",
    "One of several views cannot be changed.",
    """
    a, b = (torch.ones(2, requires_grad=True) * 1).unbind()
    a.add_(1)
    """,
    raises="RuntimeError: is the output of a function that returns multiple views",
)
views(
    "retained-gradient-moves",
    "`retain_grad` means the tensor as it is in the end.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.mul_(3)
    y.sum().backward()
    y.grad, x.grad
    """,
)
