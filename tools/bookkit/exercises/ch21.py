"""Checks of the exercises of chapter 21: attention."""

import numpy as np

import minigrad as torch
from bookkit.checks import close, exercise


@exercise("21.1")
def a_window(window):
    """A mask that lets each place see itself and a few before it."""
    for n, width in ((1, 1), (5, 1), (5, 3), (6, 9)):
        yield f"{n} places, a window of {width}"
        expected = np.array([[0 <= i - j < width for j in range(n)] for i in range(n)])
        mask = window(n, width)
        assert mask.dtype == torch.bool, f"its dtype is {mask.dtype}, not torch.bool"
        close(mask.numpy().astype(float), expected.astype(float))


def mixtures(q, k, v):
    """Attention, number by number."""
    out = np.zeros((len(q), v.shape[1]))
    for i, row in enumerate(q):
        s = np.array([row @ key for key in k]) / len(row) ** 0.5
        e = np.exp(s - s.max())
        out[i] = e @ v / e.sum()
    return out


@exercise("21.2")
def the_way_back(back):
    """The cotangents of queries, keys and values."""
    rng = np.random.default_rng(21)
    for n, m, e, d in ((3, 4, 2, 5), (1, 3, 4, 1), (4, 4, 3, 3)):
        parts = [rng.standard_normal(s) for s in ((n, e), (m, e), (m, d))]
        g = rng.standard_normal((n, d))
        found = back(*(x.copy() for x in parts), g.copy())
        for k, name in enumerate(("q", "k", "v")):
            yield f"the cotangent of {name}, n = {n}, m = {m}, e = {e}, d = {d}"
            measured = np.zeros_like(parts[k])
            for place in np.ndindex(measured.shape):
                values = []
                for step in (1e-6, -1e-6):
                    moved = [x.copy() for x in parts]
                    moved[k][place] += step
                    values.append((mixtures(*moved) * g).sum())
                measured[place] = (values[0] - values[1]) / 2e-6
            close(found[k], measured, within=1e-6, what=f"the cotangent of {name}")


@exercise("21.3")
def distance(near):
    """A float mask that prefers what is near, with a learned slope."""
    for n, slope in ((4, 0.5), (3, -1.0), (1, 2.0)):
        yield f"{n} places, slope {slope}"
        given = torch.tensor(slope, dtype=torch.float64, requires_grad=True)
        mask = near(n, given)
        for i in range(n):
            for j in range(n):
                expected = -slope * (i - j) if j <= i else -np.inf
                assert mask[i, j].item() == expected, (
                    f"entry ({i}, {j}) is {mask[i, j].item()}, not {expected}"
                )
        yield "a gradient arrives, and is a number"
        scores = torch.zeros(n, n, dtype=torch.float64) + mask
        (scores.softmax(1) * torch.arange(float(n * n)).reshape(n, n)).sum().backward()
        assert given.grad is not None, "slope.grad is None"
        assert np.isfinite(given.grad.item()), f"slope.grad is {given.grad.item()}"


@exercise("21.4")
def block_by_block(streamed):
    """The mixture for one query while keys and values pass by."""
    rng = np.random.default_rng(4)
    for size in (1.0, 1000.0, -1000.0):
        q, k = rng.standard_normal(3), rng.standard_normal((11, 3))
        k *= size * len(q) ** 0.5 / np.abs(k @ q).max()
        v = rng.standard_normal((11, 2))
        expected = mixtures(q[None], k, v)[0]
        for cuts in ((), (1, 5), (4, 8), range(1, 11)):
            yield f"{len(cuts) + 1} blocks, scores up to {size:g}"
            pairs = zip(np.split(k, cuts), np.split(v, cuts), strict=True)
            with np.errstate(all="ignore"):
                close(streamed(q, iter(list(pairs))), expected, within=1e-9)
    yield "no block is looked at twice"
    pairs = ((k[i : i + 1], v[i : i + 1]) for i in range(len(k)))
    close(streamed(q, pairs), expected, within=1e-9)


@exercise("21.5")
def one_more_place(grow):
    """The mixture for a new place, from keys and values that were kept."""
    rng = np.random.default_rng(5)
    for n, e, d, size in ((1, 2, 3, 1.0), (6, 3, 2, 1.0), (4, 2, 2, 1000.0)):
        q, k = rng.standard_normal((2, n, e)) * size
        v = rng.standard_normal((n, d))
        kept = np.zeros((0, e)), np.zeros((0, d))
        for i in range(n):
            yield f"place {i + 1} of {n}, keys of size {size:g}"
            before = [x.copy() for x in kept]
            with np.errstate(all="ignore"):
                mixture, grown = grow(kept, q[i].copy(), k[i].copy(), v[i].copy())
            close(
                mixture, mixtures(q[i : i + 1], k[: i + 1], v[: i + 1])[0], within=1e-9
            )
            for old, copied in zip(kept, before, strict=True):
                assert np.array_equal(old, copied), "`kept` was changed"
            yield f"what is kept after place {i + 1}"
            for found, given in zip(grown, (k, v), strict=True):
                close(found, given[: i + 1], within=0.0)
            kept = grown
