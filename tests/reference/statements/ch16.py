"""What Chapter 16 says: functions of your own, and checkpoints."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
DOUBLE = """\
class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2
    @staticmethod
    def backward(ctx, v):
        return v * 2
x = torch.tensor([1.0, 2.0], requires_grad=True)
"""
SQUARE = """\
class Square(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return 2 * v * x
x = torch.tensor([1.0, 2.0], requires_grad=True)
"""
MADE = """\
def made(forward, backward):
    parts = {"forward": staticmethod(forward), "backward": staticmethod(backward)}
    return type("My", (torch.autograd.Function,), parts)
x = torch.tensor([1.0, 2.0], requires_grad=True)
"""

# ------------------------------------------------------------------------------
own = Theme(ROWS, 16, "Functions of your own", "how-does-it-look-from-outside")
own(
    "own-node",
    "The node is named after it.",
    "Double.apply(x).grad_fn.name()",
    setup=DOUBLE,
)
own(
    "own-gradient",
    "Its backward is what is used.",
    "Double.apply(x).sum().backward()\nx.grad",
    setup=DOUBLE,
)
own(
    "own-next",
    "It leads to its input.",
    "len(Double.apply(x).grad_fn.next_functions)",
    setup=DOUBLE,
)
own(
    "own-no-grad",
    "Where nothing is recorded, there is no node.",
    "with torch.no_grad():\n    y = Double.apply(x)\ny.requires_grad",
    setup=DOUBLE,
)
own(
    "own-second",
    "A backward made of tensors can be differentiated.",
    """
    (d,) = torch.autograd.grad(Square.apply(x).sum(), x, create_graph=True)
    torch.autograd.grad(d.sum(), x)
    """,
    setup=SQUARE,
)
own(
    "own-freed",
    "What was saved is freed with the graph.",
    """
    y = Square.apply(x).sum()
    y.backward()
    y.backward()
    """,
    setup=SQUARE,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
own(
    "own-changed",
    "What was saved is guarded.",
    """
    w = x * 1
    y = Square.apply(w)
    w.zero_()
    y.sum().backward()
    """,
    setup=SQUARE,
    raises="RuntimeError: modified by an inplace operation … expected version 0",
)

# ------------------------------------------------------------------------------
small = Theme(ROWS, 16, "The small print", "what-is-in-the-small-print")
small(
    "own-unused-output",
    "An output that is not used arrives as zeros.",
    """
    seen = []
    F = made(lambda c, x: (x * 2, x * 3), lambda c, v, w: seen.append(v) or w * 3)
    F.apply(x)[1].sum().backward()
    seen, x.grad
    """,
    setup=MADE,
)
small(
    "own-unused-output-none",
    "It arrives as None if you ask for that.",
    """
    seen = []
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2, x * 3
    F = made(forward, lambda c, v, w: seen.append(v) or w * 3)
    F.apply(x)[1].sum().backward()
    seen, x.grad
    """,
    setup=MADE,
)
small(
    "own-needs",
    "What is asked for is on the context.",
    """
    seen = []
    def backward(ctx, v):
        seen.append(ctx.needs_input_grad)
        return v, None, None
    F = made(lambda c, x, y, n: x * y * n, backward)
    F.apply(x, torch.ones(2), 3).sum().backward()
    seen
    """,
    setup=MADE,
)
small(
    "own-not-differentiable",
    "An output without a gradient.",
    """
    def forward(ctx, x):
        y = x > 1
        z = x * 1
        ctx.mark_non_differentiable(z)
        return x * 2, z
    F = made(forward, lambda c, v, w: v * 2)
    [y.requires_grad for y in F.apply(x)]
    """,
    setup=MADE,
)
for name, words, forward, backward, raises in [
    (
        "own-too-few",
        "One gradient for each argument.",
        "lambda c, x, n: x * n",
        "lambda c, v: v",
        "RuntimeError: returned an incorrect number of gradients (expected 2, got 1)",
    ),
    (
        "own-for-a-number",
        "None for a number.",
        "lambda c, x, n: x * n",
        "lambda c, v: (v, v)",
        "RuntimeError: returned a gradient different than None at position 2",
    ),
    (
        "own-wrong-shape",
        "A gradient has the shape of its input.",
        "lambda c, x, n: x * n",
        "lambda c, v: (torch.ones(3), None)",
        "RuntimeError: returned an invalid gradient at index 0",
    ),
]:
    small(
        name,
        words,
        f"""
        y = made({forward}, {backward}).apply(x, 3)
        y.sum().backward()
        """,
        setup=MADE,
        raises=raises,
    )
small(
    "own-dirty-not-returned",
    "What is marked dirty must be returned.",
    """
    F = made(lambda c, x: c.mark_dirty(x) or x * 2, lambda c, v: v * 2)
    y = F.apply(x * 1)
    """,
    setup=MADE,
    raises="RuntimeError: Some elements marked as dirty",
)

# ------------------------------------------------------------------------------
kept = Theme(ROWS, 16, "Checkpoints", "what-can-be-computed-again-need-not-be-kept")
RUN = """\
checkpoint = torch.utils.checkpoint.checkpoint
checkpoint_sequential = torch.utils.checkpoint.checkpoint_sequential
x = torch.tensor([1.0, 2.0], requires_grad=True)
"""
for reentrant in (True, False):
    kept(
        f"checkpoint-gradient-{reentrant}".lower(),
        f"With `use_reentrant={reentrant}` the gradient is the same.",
        f"""
        checkpoint(torch.square, x, use_reentrant={reentrant}).sum().backward()
        x.grad
        """,
        setup=RUN,
    )
    kept(
        f"checkpoint-node-{reentrant}".lower(),
        f"With `use_reentrant={reentrant}` the node is that of "
        + ("the checkpoint." if reentrant else "the function."),
        f"checkpoint(torch.exp, x, use_reentrant={reentrant}).grad_fn.name()",
        setup=RUN,
    )
kept(
    "checkpoint-counts-runs",
    "The function runs twice.",
    """
    runs = []
    function = lambda x: (runs.append(1), x.sin().exp())[1]
    checkpoint(function, x, use_reentrant=False).sum().backward()
    len(runs)
    """,
    setup=RUN,
)
kept(
    "checkpoint-grad-reentrant",
    "The reentrant design cannot serve `grad`.",
    """
    y = checkpoint(torch.sin, x, use_reentrant=True)
    d = torch.autograd.grad(y.sum(), x)
    """,
    setup=RUN,
    raises="RuntimeError: torch.utils.checkpoint is incompatible with .grad()",
)
kept(
    "checkpoint-sequential",
    "A chain in segments.",
    """
    checkpoint_sequential([torch.sin] * 4, 2, x, use_reentrant=False).sum().backward()
    x.grad
    """,
    setup=RUN,
)

# ------------------------------------------------------------------------------
moves = Theme(ROWS, 16, "Forward mode", "how-does-your-function-move")
JVP = """\
ad = torch.autograd.forward_ad
x, v = torch.tensor([1.0, 2.0]), torch.tensor([1.0, -1.0])
class My(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, n):
        ctx.save_for_forward(x)
        ctx.save_for_backward(x)
        return x * x, x.long()
    @staticmethod
    def backward(ctx, g, _):
        return 2 * g * ctx.saved_tensors[0], None
    @staticmethod
    def jvp(ctx, t, n):
        return {answer}
"""


def ahead(id: str, says: str, answer: str, shown: str, raises: str | None = None):
    """A row about a Function whose jvp gives a certain answer."""
    moves(
        id,
        says,
        f"""
        with ad.dual_level():
            d = ad.make_dual(x.requires_grad_(), v)
            y = My.apply(d, 3)
            t = {shown}
        t
        """,
        setup=JVP.format(answer=answer),
        raises=raises,
    )


RIGHT = "2 * t * ctx.saved_tensors[0], None"
TANGENT = "ad.unpack_dual(y[0]).tangent.detach()"
ahead("jvp-of-a-function", "A Function moves as its `jvp` says.", RIGHT, TANGENT)
ahead(
    "tangent-of-a-number",
    "A number has the tangent None.",
    "t * (2 if n is None else 5), None",
    TANGENT,
)
ahead(
    "forward-over-your-backward",
    "The gradient of a Function has a tangent.",
    RIGHT,
    "ad.unpack_dual(torch.autograd.grad(y[0].sum(), d)[0]).tangent",
)
ahead(
    "reverse-over-your-jvp",
    "The tangent of a Function has a gradient.",
    RIGHT,
    "torch.autograd.grad(ad.unpack_dual(y[0]).tangent.sum(), x)[0]",
)
for id, says, answer, raises in [
    ("number", "One tangent for each output.", "t", "invalid number of forward grad"),
    (
        "shape",
        "A tangent has its output's shape.",
        "t[:1], None",
        "different size than",
    ),
    (
        "type",
        "A tangent is a tensor.",
        "3.0, None",
        "expected Variable or None (got fl",
    ),
    ("integer", "An integer does not move.", "t, t", "is not a differentiable Tensor"),
]:
    # the call raises, so nothing follows it
    moves(
        f"wrong-{id}-of-tangents",
        says,
        """
        with ad.dual_level():
            My.apply(ad.make_dual(x, v), 3)
        """,
        setup=JVP.format(answer=answer),
        raises=f"RuntimeError: {raises}",
    )
moves(
    "no-jvp",
    "Without `jvp` there is no forward mode.",
    """
    del My.jvp
    with ad.dual_level():
        My.apply(ad.make_dual(x, v), 3)
    """,
    setup=JVP.format(answer="t"),
    raises="NotImplementedError: You must implement the jvp function for custom",
)
