"""What Chapter 15 says: tangents, which way they travel, and what has none."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
AD = "ad = torch.autograd.forward_ad\n"
TWO = AD + "x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])\n"

# ------------------------------------------------------------------------------
lives = Theme(ROWS, 15, "Tangents", "where-does-a-tangent-live")
lives(
    "tangent-of-a-product",
    "A product of a dual tensor with itself has the tangent 2xv.",
    """
    with ad.dual_level():
        y = ad.make_dual(x, v)
        t = ad.unpack_dual(y * y).tangent
    t
    """,
    setup=TWO,
)
lives(
    "tangent-ends-with-the-level",
    "After the level the tangent is gone, and the tensor is as it was.",
    """
    with ad.dual_level():
        y = ad.make_dual(x, v)
    ad.unpack_dual(y).tangent, y
    """,
    setup=TWO,
)
lives(
    "constant-has-no-tangent",
    "What no dual tensor has entered has no tangent.",
    """
    with ad.dual_level():
        y = ad.make_dual(x, v)
        t = ad.unpack_dual(x * 2).tangent
    t
    """,
    setup=TWO,
)
lives(
    "dual-shares-memory",
    "A dual tensor lies over the memory of its primal.",
    """
    with ad.dual_level():
        y = ad.make_dual(x, v)
        same = y.data_ptr() == x.data_ptr(), y is x
    same
    """,
    setup=TWO,
)
lives(
    "levels-do-not-nest",
    "A second level is refused.",
    """
    level = ad.enter_dual_level()
    try:
        ad.enter_dual_level()
    finally:
        ad.exit_dual_level()
    """,
    setup=AD,
    raises="RuntimeError: Nested forward mode AD is not supported at the moment",
)
lives(
    "dual-outside-a-level",
    "Outside a level there are no dual tensors.",
    "ad.make_dual(x, v)",
    setup=TWO,
    raises="RuntimeError: no level exists, make sure to enter_dual_level() first",
)
lives(
    "tangent-of-another-shape",
    "A tangent is not broadcast.",
    """
    with ad.dual_level():
        ad.make_dual(x, v[:1])
    """,
    setup=TWO,
    raises="RuntimeError: has a different size than that of the original Tensor",
)
lives(
    "integers-are-not-dual",
    "An integer has no tangent.",
    """
    with ad.dual_level():
        ad.make_dual(torch.tensor([1, 2]), v)
    """,
    setup=TWO,
    raises="ValueError: Expected primal to be floating point or complex",
)
lives(
    "dual-of-a-dual",
    "A dual tensor does not get a second tangent.",
    """
    with ad.dual_level():
        ad.make_dual(ad.make_dual(x, v), v)
    """,
    setup=TWO,
    raises="RuntimeError: already has a forward gradient at the same level 0",
)
for name, words, call, said in [
    (
        "exit",
        "Only the open level can be left.",
        "ad.exit_dual_level(level=3)",
        "that was not the last one that was created",
    ),
    (
        "make",
        "Only the open level has tangents.",
        "ad.make_dual(x, v, level=3)",
        "Invalid level given",
    ),
]:
    lives(
        f"another-level-to-{name}",
        words,
        f"""
        with ad.dual_level():
            {call}
        """,
        setup=TWO,
        raises=f"RuntimeError: {said}",
    )
lives(
    "print-of-a-dual",
    "A dual tensor prints its tangent.",
    """
    with ad.dual_level():
        said = repr(ad.make_dual(x, v))
    said
    """,
    setup=TWO,
)

# ------------------------------------------------------------------------------
travels = Theme(ROWS, 15, "How it travels", "do-we-need-a-second-table-of-rules")
for name, words, program in [
    ("sum", "A sum of the tangents.", "y.sum()"),
    ("exp", "Slope times tangent.", "y.exp()"),
    ("index", "The same places.", "y[[1, 1, 0]]"),
    ("amax", "Where the largest element is.", "y.amax()"),
    ("norm", "The norm has one row.", "y.norm()"),
    ("cat", "Parts that stand still have zeros.", "torch.cat([y, x])"),
    ("cumprod", "A running product.", "y.cumprod(0)"),
    ("detach", "`detach` takes the tangent away.", "y.detach()"),
    ("integers", "What becomes an integer has none.", "y.long()"),
    ("half", "The tangent has the dtype of the result.", "y.half()"),
]:
    travels(
        f"tangent-of-{name}",
        words,
        f"""
        with ad.dual_level():
            y = ad.make_dual(x, v)
            t = ad.unpack_dual({program}).tangent
        t
        """,
        setup=TWO,
    )
travels(
    "tangent-under-no-grad",
    "`no_grad` does not stop tangents.",
    """
    with ad.dual_level(), torch.no_grad():
        t = ad.unpack_dual(ad.make_dual(x, v) * x).tangent
    t
    """,
    setup=TWO,
)
travels(
    "no-derivative-of-floor-divide",
    "A staircase has no tangent.",
    """
    with ad.dual_level():
        ad.make_dual(x, v) // 2
    """,
    setup=TWO,
    raises="NotImplementedError: Trying to use forward AD with aten::floor_divide",
)
travels(
    "inference-stops-tangents",
    "Inference mode stops tangents.",
    """
    with ad.dual_level(), torch.inference_mode():
        t = ad.unpack_dual(ad.make_dual(x, v) * 2).tangent
    t
    """,
    setup=TWO,
)

# ------------------------------------------------------------------------------
changed = Theme(ROWS, 15, "Changes in place", "and-changes-in-place")
for name, words, program in [
    ("mul", "A product in place moves the tangent.", "y.mul_(3)"),
    ("exp", "So does a function in place.", "y.exp_()"),
]:
    changed(
        f"tangent-after-{name}-in-place",
        words,
        f"""
        with ad.dual_level():
            y = ad.make_dual(x, v) * 1
            {program}
            t = ad.unpack_dual(y).tangent
        t
        """,
        setup=TWO,
    )
for name, words, program, shown in [
    ("view", "A changed view moves its base.", "y[:1].mul_(3)", "y"),
    ("base", "A changed base moves its views.", "w = y[:1]; y.exp_()", "w"),
    ("place", "A number that is put in does not move.", "y[0] = 5.0", "y"),
    ("zero", "What is written over has zeros.", "y.zero_()", "y"),
    ("turn", "A tangent turns with its tensor.", "y.unsqueeze_(0)", "y"),
    ("detach", "`detach_` takes the tangent away.", "y.detach_()", "y"),
]:
    changed(
        f"tangent-of-changed-{name}",
        words,
        f"""
        with ad.dual_level():
            y = ad.make_dual(x, v) * 1
            {program}
            t = ad.unpack_dual({shown}).tangent
        t
        """,
        setup=TWO,
    )
changed(
    "dual-of-a-leaf-in-place",
    "A dual tensor over a leaf that collects gradients may not be changed.",
    """
    with ad.dual_level():
        ad.make_dual(x.requires_grad_(), v).mul_(2)
    """,
    setup=TWO,
    raises="RuntimeError: a view of a leaf Variable that requires grad is being used",
)

# ------------------------------------------------------------------------------
both = Theme(ROWS, 15, "Both modes", "how-do-both-modes-give-a-hessian-times-a-vector")
both(
    "hessian-vector-product-reverse-over-forward",
    "The gradient of a tangent is a Hessian times a vector.",
    """
    w = x.clone().requires_grad_()
    with ad.dual_level():
        y = ad.make_dual(w, v)
        slope = ad.unpack_dual((y * y * y).sum()).tangent
        (g,) = torch.autograd.grad(slope, w)
    g
    """,
    setup=TWO,
)
# ------------------------------------------------------------------------------
back = Theme(ROWS, 15, "Backward with tangents", "can-a-backward-pass-carry-tangents")
back(
    "forward-over-reverse",
    "The tangent of a gradient is a Hessian times a vector.",
    """
    with ad.dual_level():
        y = ad.make_dual(x.requires_grad_(), v)
        (g,) = torch.autograd.grad((y**3).sum(), y)
        t = ad.unpack_dual(g).tangent
    t
    """,
    setup=TWO,
)
back(
    "tangent-of-weights",
    "Weights that move, move the gradient.",
    """
    with ad.dual_level():
        w = ad.make_dual(torch.ones(2), v)
        x.requires_grad_()
        (g,) = torch.autograd.grad(x.sin(), x, w)
        t = ad.unpack_dual(g).tangent
    t
    """,
    setup=TWO,
)
back(
    "first-grad-has-no-tangent",
    "The first `.grad` has no tangent.",
    """
    x.requires_grad_()
    with ad.dual_level():
        (ad.make_dual(x, v) ** 3).sum().backward()
        t = ad.unpack_dual(x.grad).tangent
    t
    """,
    setup=TWO,
)
back(
    "later-grad-has-a-tangent",
    "A second `.grad` is added in place, and moves.",
    """
    x.requires_grad_()
    with ad.dual_level():
        for _ in range(2):
            (ad.make_dual(x, v) ** 3).sum().backward()
        t = ad.unpack_dual(x.grad).tangent
    t
    """,
    setup=TWO,
)
back(
    "walk-after-the-level",
    "After the level a walk through the same graph carries nothing.",
    """
    x.requires_grad_()
    with ad.dual_level():
        y = (ad.make_dual(x, v) ** 3).sum()
    with ad.dual_level():
        (g,) = torch.autograd.grad(y, x)
        t = ad.unpack_dual(g).tangent
    t
    """,
    setup=TWO,
)
