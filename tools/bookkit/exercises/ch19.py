"""Checks of the exercises of chapter 19: digits."""

import tracemalloc

import numpy as np

from bookkit.checks import close, exercise


@exercise("19.1")
def five_neighbours(vote):
    """The most common digit among the nearest pictures."""
    rng = np.random.default_rng(19)
    pictures, asked = rng.random((60, 64)), rng.random((25, 64))
    digits = rng.integers(0, 10, 60)
    kept = pictures.copy(), asked.copy()
    for k in (1, 3, 7):
        yield f"{k} neighbours, random pictures"
        expected = []
        for picture in asked:
            far = [float(np.sum((picture - p) ** 2)) for p in pictures]
            near = sorted(range(60), key=far.__getitem__)[:k]
            count = [sum(digits[i] == d for i in near) for d in range(10)]
            expected.append(count.index(max(count)))
        close(vote(pictures, digits, asked, k), np.array(expected))
    yield "of two digits that are equally common, the smaller wins"
    line = np.array([[1.0], [2.0], [3.0], [4.0]]) * np.ones((1, 64))
    found = vote(line, np.array([7, 3, 3, 7]), np.zeros((1, 64)), 4)
    close(found, np.array([3]))
    yield "the arrays that it was given have not changed"
    close(pictures, kept[0])
    close(asked, kept[1])


@exercise("19.2")
def label_smoothing(smoothed):
    """The loss against smoothed labels, and its gradient."""
    rng = np.random.default_rng(2)
    logits, digits = rng.standard_normal((5, 4)), np.array([0, 3, 1, 1, 2])

    def reference(logits, eps):
        p = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
        rows = zip(p, digits, strict=True)
        each = [
            -(1 - eps) * np.log(row[d]) - eps * np.mean(np.log(row)) for row, d in rows
        ]
        return np.mean(each)

    for eps in (0.0, 0.1, 0.5):
        yield f"the loss for ε = {eps}"
        loss, gradient = smoothed(logits.copy(), digits, eps)
        close(loss, reference(logits, eps), within=1e-10, what="the loss")
        yield f"the gradient for ε = {eps} is the slope of the loss"
        measured = np.zeros_like(logits)
        for place in np.ndindex(logits.shape):
            step = np.zeros_like(logits)
            step[place] = 1e-6
            up, down = reference(logits + step, eps), reference(logits - step, eps)
            measured[place] = (up - down) / 2e-6
        close(gradient, measured, within=1e-6, what="the gradient")
    yield "logits of 1,000 give finite numbers"
    large = np.array([[1000.0, 0.0], [0.0, -1000.0]])
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        loss, gradient = smoothed(large, np.array([0, 0]), 0.1)
    close(loss, 50.0, within=1e-6, what="the loss")
    assert np.isfinite(gradient).all(), "the gradient is not finite"


@exercise("19.3")
def mixing(mixup):
    """Pictures and targets between two others."""
    rng = np.random.default_rng(3)
    pictures, digits = rng.random((6, 8, 8)), np.array([3, 8, 1, 1, 0, 9])
    order, kept = np.array([1, 0, 3, 2, 4, 2]), pictures.copy()
    for share in (1.0, 0.75, 0.3):
        mixed, targets = mixup(pictures, digits, order, share)
        yield f"a share of {share}: the pictures"
        pairs = enumerate(order)
        expected = [share * kept[i] + (1 - share) * kept[j] for i, j in pairs]
        close(mixed, np.array(expected), what="the pictures")
        yield f"a share of {share}: the targets"
        expected = np.zeros((6, 10))
        for i, j in enumerate(order):
            expected[i, digits[i]] += share
            expected[i, digits[j]] += 1 - share
        close(targets, expected, what="the targets")
    yield "the pictures that it was given have not changed"
    close(pictures, kept)


@exercise("19.4")
def norm_of_each(norms):
    """The norm of each example's gradient."""
    rng = np.random.default_rng(4)
    for n, m, k in ((7, 3, 5), (4, 1, 1), (3, 6, 2)):
        yield f"{n} examples, {k} inputs, {m} outputs"
        x, g = rng.standard_normal((n, k)), rng.standard_normal((n, m))
        pairs = zip(g, x, strict=True)
        each = [np.concatenate([np.outer(b, a).ravel(), b]) for b, a in pairs]
        close(norms(x, g), np.array([np.linalg.norm(one) for one in each]))
    yield "a large layer, without an array of n·m·k numbers"
    x, g = rng.standard_normal((40, 500)), rng.standard_normal((40, 600))
    tracemalloc.start()
    norms(x, g)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5_000_000, f"it took {peak / 1e6:.0f} MB"
