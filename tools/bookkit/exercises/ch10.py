"""Checks of the exercises of chapter 10, Shapes, indexing and matmul.

What a rule should give is worked out from the Jacobian, by loops over places and by
central differences that are written out here: nothing of the reader's, or of
minigrad's, is relied on.
"""

import numpy as np

from bookkit.checks import close, exercise


def _pulled(function, x: np.ndarray, g: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """The vector-Jacobian product of a function of an array, by central differences."""
    found = np.zeros(x.shape)
    for place in np.ndindex(x.shape):
        step = np.zeros(x.shape)
        step[place] = h
        found[place] = np.sum(g * (function(x + step) - function(x - step))) / (2 * h)
    return found


@exercise("10.1")
def who_got_what(answer):
    """The cotangent of a picked array."""
    yield "it has four numbers"
    found = np.asarray(answer, dtype=float)
    assert found.shape == (4,), f"its shape is {found.shape}"
    yield "every number that was picked gets what its places send back"
    expected = [0.0] * 4
    for place, g in zip([1, 3, 1, 1], [1, 2, 3, 4], strict=True):
        expected[place] += g
    close(found, np.array(expected), what="the cotangent")


@exercise("10.2")
def sliding_windows(windows_vjp):
    """The rule of sliding windows."""
    rng = np.random.default_rng(102)
    for n, k in ((5, 2), (7, 3), (4, 4), (6, 1)):
        yield f"{n} numbers in windows of {k}"
        g = rng.standard_normal((n - k + 1, k))
        before = g.copy()
        found = np.asarray(windows_vjp(g, n))
        assert found.shape == (n,), f"the result has shape {found.shape}"
        expected = np.zeros(n)
        for i in range(n - k + 1):
            for j in range(k):
                expected[i + j] += g[i, j]
        close(found, expected, what="the sum over the windows")
        close(g, before, what="g, which is not yours to change,")


@exercise("10.3")
def transposed_sentence(transposed):
    """The sentence of an einsum's rule."""
    rng = np.random.default_rng(103)
    lengths = {"b": 2, "i": 3, "j": 4, "k": 5, "l": 2}
    for equation, k in (
        ("ij,jk->ik", 0),
        ("ij,jk->ik", 1),
        ("i,i->", 1),
        ("bij,bkj->bki", 1),
        ("ij,jk,kl->il", 1),
        ("ij->ji", 0),
    ):
        yield f"operand {k} of {equation}"
        terms = equation.split("->")[0].split(",")
        arrays = [rng.standard_normal([lengths[c] for c in term]) for term in terms]
        g = rng.standard_normal(np.einsum(equation, *arrays).shape)
        sentence = transposed(equation, k)
        assert isinstance(sentence, str), f"it is {sentence!r}, and no sentence"
        rest = [a for j, a in enumerate(arrays) if j != k]
        try:
            found = np.einsum(sentence, g, *rest)
        except (ValueError, TypeError) as error:
            raise AssertionError(f"NumPy cannot read {sentence!r}: {error}") from None

        def whole(a, k=k, arrays=arrays, equation=equation):
            return np.einsum(equation, *arrays[:k], a, *arrays[k + 1 :])

        close(found, _pulled(whole, arrays[k], g), what=f"what {sentence!r} gives")


@exercise("10.4")
def cube(cube_vjp):
    """The rule of a matrix times itself times itself."""
    rng = np.random.default_rng(104)
    for n in (1, 2, 4):
        yield f"a matrix of {n} by {n}"
        x, g = rng.standard_normal((2, n, n))
        expected = _pulled(lambda a: a @ a @ a, x, g)
        close(np.asarray(cube_vjp(g, x)), expected, what="the cotangent")


@exercise("10.5")
def cholesky(cholesky_vjp):
    """The rule of the Cholesky factor."""
    rng = np.random.default_rng(105)
    for n in (1, 2, 4):
        yield f"a matrix of {n} by {n}"
        root = rng.standard_normal((n, n))
        a, g = root @ root.T + n * np.eye(n), np.tril(rng.standard_normal((n, n)))
        found = np.asarray(cholesky_vjp(g, a))
        assert found.shape == (n, n), f"the result has shape {found.shape}"
        close(found, found.T, what="the cotangent, beside its transpose,")

        def factor(x):
            return np.linalg.cholesky((x + x.T) / 2)

        close(found, _pulled(factor, a, g), what="the cotangent")
    yield "what stands above the diagonal of g plays no part"
    full = g + np.triu(rng.standard_normal((n, n)), 1)
    close(np.asarray(cholesky_vjp(full, a)), found, what="the cotangent")
