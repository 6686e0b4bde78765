"""Wrong answers to the exercises of chapter 25: each must be turned down."""

COMBINE = """
def combine(gradients, counts):
    some = [(g, n) for g, n in zip(gradients, counts) if {kept}]
    arrays = zip(*(g for g, _ in some))
    return [sum({term} for g, (_, n) in zip(parts, some)) / {whole} for parts in arrays]
"""
ACCUMULATE = """
def accumulate(model, loss_of, pictures, digits, size):
    {first}
    for k in range(0, len(digits), size):
        X, y = pictures[k : k + size], digits[k : k + size]
        (loss_of(model(X), y) * ({weight})).backward()
"""
FRESH = "for p in model.parameters():\n        p.grad = None"
TOGETHER = """
import numpy as np


def together(counts, means, variances):
    share = {share}
    total = sum(s * m for s, m in zip(share, means))
    return total, {spread}
"""
SHARE = "np.array(counts) / sum(counts)"
SPREAD = "sum(s * (v + (m - total) ** 2) for s, m, v in zip(share, means, variances))"
TURN = """
def transpose(f, shape):
    def turned(u):
        v = torch.zeros(shape, dtype=torch.float64, requires_grad=True)
        return {turned}

    return turned


def pull(f, x, u):
    return {pulled}
"""
WRONG = {
    "25.1": {
        "mean of means": COMBINE.format(kept="n", term="g", whole="len(some)"),
        "nan times zero": COMBINE.format(
            kept="True", term="g * n", whole="sum(counts)"
        ),
        "weights, and the number of workers": COMBINE.format(
            kept="n", term="g * n", whole="len(counts)"
        ),
        "in place": (
            "def combine(gradients, counts):\n"
            "    some = [(g, n) for g, n in zip(gradients, counts) if n]\n"
            "    for g, n in some:\n"
            "        for array in g:\n"
            "            array *= n / sum(counts)\n"
            "    return [sum(parts) for parts in zip(*(g for g, _ in some))]\n"
        ),
    },
    "25.2": {
        "the last part counts too much": ACCUMULATE.format(
            first=FRESH, weight="size / len(digits)"
        ),
        "no weights": ACCUMULATE.format(first=FRESH, weight="1"),
        "old gradients stay": ACCUMULATE.format(
            first="", weight="len(y) / len(digits)"
        ),
        "all at once": (
            "def accumulate(model, loss_of, pictures, digits, size):\n"
            "    model.zero_grad()\n"
            "    loss_of(model(pictures), digits).backward()\n"
        ),
    },
    "25.3": {
        "equal shares": TOGETHER.format(
            share="np.ones(len(counts)) / len(counts)", spread=SPREAD
        ),
        "within only": TOGETHER.format(
            share=SHARE, spread="sum(s * v for s, v in zip(share, variances))"
        ),
        "unbiased": TOGETHER.format(
            share=SHARE, spread=f"{SPREAD} * sum(counts) / (sum(counts) - 1)"
        ),
        "squares in float32": TOGETHER.format(
            share=SHARE + ".astype('f')".replace("'f'", "np.float32"),
            spread=(
                "sum(np.float32(s) * (v + m * m) for s, m, v in "
                "zip(share, means, variances)) - total * total"
            ),
        ).replace("np.array(counts) / sum(counts)", "(np.array(counts) / sum(counts))"),
    },
    "25.4": {
        "not turned": TURN.format(turned="f(v)", pulled="push(f, x, u)"),
        "the pull is the push": TURN.format(
            turned="torch.autograd.grad(f(v), v, u)[0]", pulled="push(f, x, u)"
        ),
        "at another place": TURN.format(
            turned="torch.autograd.grad(f(v), v, u)[0]",
            pulled="transpose(f, tuple(x.shape))(u)",
        ),
    },
}
