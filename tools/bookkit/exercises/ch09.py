"""Checks of the exercises of chapter 9, Broadcasting and reductions.

Copies are counted by broadcasting, and rules are compared with central differences of
functions written out here: nothing of the reader's, or of minigrad's, is relied on.
"""

import warnings

import numpy as np

from bookkit.checks import close, exercise


def _slopes(function, x: np.ndarray, h: float = 1e-6) -> np.ndarray:
    """The Jacobian of a function of a vector, by central differences."""
    columns = [
        (function(x + h * e) - function(x - h * e)) / (2 * h) for e in np.eye(x.size)
    ]
    return np.stack(columns, axis=-1)


@exercise("9.1")
def copies(answer):
    """The copies of each number."""
    yield "it is one whole number"
    assert isinstance(answer, (int, np.integer)), f"it is {answer!r}"
    yield "every number of b is counted as often as it is copied"
    places = np.broadcast_to(np.arange(3).reshape(3, 1), (4, 3, 5))
    expected = np.bincount(places.ravel())
    assert answer == expected[0], f"{answer} is not how often each number occurs"


@exercise("9.2")
def summed(sum_to):
    """The transpose of broadcasting."""
    rng = np.random.default_rng(92)
    pairs = [
        ("shapes that are equal", (2, 3), (2, 3)),
        ("a missing axis", (2, 3), (3,)),
        ("an axis of length 1", (2, 3), (2, 1)),
        ("both at once", (4, 2, 3), (2, 1)),
        ("several missing axes", (4, 2, 3), (3,)),
        ("a single number", (2, 3), ()),
        ("an axis of length 1 that stays so", (2, 1), (1,)),
        ("an empty array", (0, 3), (3,)),
        ("an axis of length 1 beside an empty one", (0, 3), (1, 3)),
    ]
    for what, large, small in pairs:
        yield f"{what}: {large} to {small}"
        g = rng.standard_normal(large)
        before = g.copy()
        found = np.asarray(sum_to(g, small))
        assert found.shape == small, f"the result has shape {found.shape}"
        places = np.arange(int(np.prod(small))).reshape(small)
        places = np.broadcast_to(places, large).ravel()
        expected = np.bincount(places, g.ravel(), minlength=int(np.prod(small)))
        close(found.ravel(), expected, what="the sum over the copies")
        close(g, before, what="g, which is not yours to change,")


@exercise("9.3")
def standardised(standardise_vjp):
    """The rule of a standardised vector."""
    rng = np.random.default_rng(93)

    def standardise(x):
        return (x - x.mean()) / np.sqrt(np.mean((x - x.mean()) ** 2))

    for n in (2, 5, 8):
        yield f"{n} numbers: gᵀJ, as central differences have it"
        x, g = rng.standard_normal(n) * 3, rng.standard_normal(n)
        found = np.asarray(standardise_vjp(g.copy(), x.copy()))
        assert found.shape == (n,), f"the result has shape {found.shape}, not {(n,)}"
        close(found, g @ _slopes(standardise, x), within=1e-5, what="the cotangent")
    yield "it is orthogonal to a shift of x, and to a scaling"
    x, g = rng.standard_normal(6), rng.standard_normal(6)
    found = np.asarray(standardise_vjp(g, x))
    close(found.sum(), 0.0, within=1e-7, what="the sum of the cotangent")
    close(found @ (x - x.mean()), 0.0, within=1e-7, what="its part along x")


@exercise("9.4")
def log_sigmoids(log_sigmoid, log_sigmoid_vjp):
    """A stable logarithm of the sigmoid."""
    x = np.array([-3.0, -0.5, 0.0, 0.7, 4.0])
    yield "ordinary numbers"
    close(log_sigmoid(x.copy()), np.log(1 / (1 + np.exp(-x))), what="log_sigmoid")
    yield "the rule, against central differences"
    g = np.array([1.0, -2.0, 0.5, 3.0, 1.5])

    def exact(v):
        return np.log(1 / (1 + np.exp(-v)))

    close(
        log_sigmoid_vjp(g, x),
        g @ _slopes(exact, x),
        within=1e-6,
        what="log_sigmoid_vjp",
    )
    far = np.array([-1e4, -200.0, 200.0, 1e4], dtype=np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with np.errstate(over="warn", invalid="warn", divide="warn", under="ignore"):
            yield "numbers far from 0, in float32, without a warning"
            close(log_sigmoid(far), [-1e4, -200.0, 0.0, 0.0], what="log_sigmoid")
            yield "their slopes: 1 on the left, 0 on the right"
            slopes = log_sigmoid_vjp(np.ones(4, np.float32), far)
            close(slopes, [1.0, 1.0, 0.0, 0.0], what="log_sigmoid_vjp")
