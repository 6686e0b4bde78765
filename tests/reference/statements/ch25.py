"""What Chapter 25 says: sums over shards, orders of sums, and a transposed push."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
M = """\
nn, F = torch.nn, torch.nn.functional
X = torch.tensor([[0.5, -1.0], [2.0, 0.25], [-0.5, 1.5], [1.0, 1.0]]).double()
y = torch.tensor([0, 1, 1, 0])
model = nn.Linear(2, 2).double()
with torch.no_grad():
    model.weight.copy_(torch.tensor([[0.3, -0.2], [0.1, 0.4]]))
    model.bias.zero_()

def slope(X, y, **options):
    loss = F.cross_entropy(model(X), y, **options)
    return torch.autograd.grad(loss, model.weight)[0]
"""

# ------------------------------------------------------------------------------
shards = Theme(ROWS, 25, "Many processes", "what-can-no-single-process-do")
shards(
    "mean-of-equal-shards",
    "The mean of the gradients of equal shards is the gradient of the batch.",
    """
    parts = (slope(X[:2], y[:2]) + slope(X[2:], y[2:])) / 2
    torch.allclose(parts, slope(X, y), rtol=1e-12)
    """,
    setup=M,
)
shards(
    "replicas-stay-equal",
    "Two models that begin alike and step along the same gradient stay equal.",
    """
    import copy
    other = copy.deepcopy(model)
    steps = [torch.optim.Adam(m.parameters(), lr=0.1) for m in (model, other)]
    for k in range(5):
        g = slope(X, y)
        for m, step in zip((model, other), steps):
            m.weight.grad = g.clone()
            step.step()
    torch.equal(model.weight, other.weight)
    """,
    setup=M,
)
shards(
    "accumulated-parts",
    "Parts that go backward one by one, each weighted by its share, add up to the "
    "gradient of the batch.",
    """
    for a, b in ((0, 3), (3, 4)):
        (F.cross_entropy(model(X[a:b]), y[a:b]) * ((b - a) / 4)).backward()
    torch.allclose(model.weight.grad, slope(X, y), rtol=1e-12)
    """,
    setup=M,
)
uneven = Theme(
    ROWS, 25, "When the mean is not the mean", "when-is-the-mean-not-the-mean"
)
uneven(
    "mean-of-unequal-shards",
    "With shards of 3 and 1 the mean of means is another number; weights 3 and 1 mend "
    "it.",
    """
    one, other = slope(X[:3], y[:3]), slope(X[3:], y[3:])
    plain, weighted = (one + other) / 2, (3 * one + other) / 4
    whole = slope(X, y)
    torch.allclose(plain, whole), torch.allclose(weighted, whole, rtol=1e-12)
    """,
    setup=M,
)
uneven(
    "sums-of-shards",
    'With `reduction="sum"` the sum of the gradients is that of the batch, and their '
    "mean is not.",
    """
    parts = slope(X[:2], y[:2], reduction="sum") + slope(X[2:], y[2:], reduction="sum")
    whole = slope(X, y, reduction="sum")
    torch.allclose(parts, whole, rtol=1e-12), torch.allclose(parts / 2, whole)
    """,
    setup=M,
)
uneven(
    "batch-normalisation-in-shards",
    "Batch normalisation makes the loss of an example depend on its batch, so shards "
    "have other gradients.",
    """
    model = nn.Sequential(nn.BatchNorm1d(2).double(), model)

    def slope(X, y):
        loss = F.cross_entropy(model(X), y)
        return torch.autograd.grad(loss, model[1].weight)[0]

    parts = (slope(X[:2], y[:2]) + slope(X[2:], y[2:])) / 2
    torch.allclose(parts, slope(X, y), rtol=1e-2)
    """,
    setup=M,
)
uneven(
    "layer-normalisation-in-shards",
    "Layer normalisation looks at one example at a time, and shards do not matter.",
    """
    model = nn.Sequential(nn.LayerNorm(2).double(), model)

    def slope(X, y):
        loss = F.cross_entropy(model(X), y)
        return torch.autograd.grad(loss, model[1].weight)[0]

    parts = (slope(X[:2], y[:2]) + slope(X[2:], y[2:])) / 2
    torch.allclose(parts, slope(X, y), rtol=1e-12)
    """,
    setup=M,
)

# ------------------------------------------------------------------------------
equal = Theme(ROWS, 25, "How equal is equal", "how-equal-is-equal")
equal(
    "sums-depend-on-their-order",
    "Sums of floats depend on their order.",
    """
    a, b, c = torch.tensor([1e8, 1.0, -1e8])
    (a + b) + c, (a + c) + b
    """,
)

# ------------------------------------------------------------------------------
turned = Theme(ROWS, 25, "Pushing, transposed", "can-a-tape-be-had-from-pushing-alone")
turned(
    "transposed-push",
    "A pushed tangent is linear in the tangent; pulled back through that, it gives "
    "vᵀJ.",
    """
    x = torch.tensor([0.5, 1.0], dtype=torch.float64)
    v = torch.tensor([1.0, 0.0], dtype=torch.float64, requires_grad=True)
    u = torch.tensor([1.0, 2.0], dtype=torch.float64)
    ad = torch.autograd.forward_ad
    with ad.dual_level():
        d = ad.make_dual(x, v)
        pushed = ad.unpack_dual(torch.tanh(d) * d).tangent
    turned = torch.autograd.grad(pushed, v, u)[0]
    x.requires_grad_()
    pulled = torch.autograd.grad(torch.tanh(x) * x, x, u)[0]
    torch.allclose(turned, pulled, rtol=1e-12), pulled
    """,
)
turned(
    "push-does-not-depend-on-the-tangent",
    "What is pulled back does not depend on which tangent was pushed.",
    """
    x = torch.tensor([0.5, 1.0], dtype=torch.float64)
    u = torch.tensor([1.0, 2.0], dtype=torch.float64)
    ad = torch.autograd.forward_ad
    found = []
    for start in ([1.0, 0.0], [-3.0, 7.0]):
        v = torch.tensor(start, dtype=torch.float64, requires_grad=True)
        with ad.dual_level():
            d = ad.make_dual(x, v)
            pushed = ad.unpack_dual(torch.tanh(d) * d).tangent
        found.append(torch.autograd.grad(pushed, v, u)[0])
    torch.allclose(*found, rtol=1e-12)
    """,
)
