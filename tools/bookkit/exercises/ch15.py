"""Checks of the exercises of chapter 15, Forward mode."""

import numpy as np

from bookkit.checks import close, exercise


@exercise("15.1")
def by_hand(answer):
    """A tangent worked out by hand."""
    yield "it is the gradient (3, 3) along the tangent"
    close(np.asarray(answer, dtype=float), np.array(0.0), what="the tangent")


@exercise("15.2")
def by_shape(cheaper):
    """The mode with fewer passes."""
    for m, n, mode in ((1, 9, "reverse"), (9, 1, "forward"), (4, 4, "forward")):
        yield f"{m} rows, {n} columns"
        found = cheaper(m, n)
        assert found == mode, f"the answer is {found!r}"


@exercise("15.3")
def norm_rule(norm_jvp):
    """The JVP of the Euclidean norm."""
    rng = np.random.default_rng(153)
    for n in (1, 3, 6):
        yield f"{n} numbers"
        x, v = rng.standard_normal((2, n))
        h = 1e-6
        nearly = (np.linalg.norm(x + h * v) - np.linalg.norm(x - h * v)) / (2 * h)
        found = np.asarray(norm_jvp(x, v), dtype=float)
        assert np.allclose(found, nearly, atol=1e-6), f"{found} is not {nearly:.6f}"


@exercise("15.4")
def taylor(taylor_mul):
    """The product of two truncated series."""
    rng = np.random.default_rng(154)
    for _ in range(3):
        yield "the coefficients of a product"
        a, b = rng.standard_normal((2, 3))
        found = np.asarray(taylor_mul(tuple(a), tuple(b)), dtype=float)
        close(found, np.convolve(a, b)[:3], what="the coefficients")
