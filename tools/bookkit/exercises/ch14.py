"""Checks of the exercises of chapter 14, Gradients of gradients.

Derivatives are compared with ones written out by hand here.
"""

import numpy as np

from bookkit.checks import close, exercise


@exercise("14.1")
def accumulated(value):
    """What two passes leave in .grad."""
    yield "it is the sum of what both passes add"
    assert float(value) == 24, f"not {value}"


@exercise("14.2")
def shapes(jacobian_shape, hessian_shape):
    """The shapes of a Jacobian and a Hessian."""
    yield "the Jacobian: the output's shape, and then the input's"
    assert jacobian_shape == (5, 3, 4), f"not {jacobian_shape}"
    yield "the Hessian: the input's shape twice"
    assert hessian_shape == (3, 4, 3, 4), f"not {hessian_shape}"


def _cases():
    """Functions, points, and their Hessians."""
    x = np.array([0.5, -1.0, 2.0])
    mixed = np.array([[0, x[2], x[1]], [x[2], 0, x[0]], [x[1], x[0], 0]])
    return {
        "a sum of cubes": (lambda x: (x**3).sum(), x, np.diag(6 * x)),
        "a product": (lambda x: x[0] * x[1] * x[2], x, mixed),
        "the square of a sum": (lambda x: x.sum() ** 2, x, np.full((3, 3), 2.0)),
    }


@exercise("14.3")
def traces(laplacian):
    """The sum of the second derivatives."""
    from minigrad import from_numpy

    for what, (f, x, h) in _cases().items():
        yield what
        close(laplacian(f, from_numpy(x.copy())), np.trace(h), what="the Laplacian")


@exercise("14.4")
def products(product):
    """A Hessian times a vector."""
    from minigrad import from_numpy

    v = np.array([1.0, -2.0, 0.5])
    for what, (f, x, h) in _cases().items():
        yield what
        point = from_numpy(x.copy())
        found = product(f, point, from_numpy(v.copy()))
        close(found.detach().numpy(), h @ v, what="the product")
        yield f"{what}: x is as it was"
        assert not point.requires_grad and point.grad is None, "it was changed"


@exercise("14.5")
def norms(lengths):
    """The norm of every sample's gradient."""
    import minigrad as torch

    called = []

    def squared(w, x, y):
        called.append(1)
        return (w @ x - y) ** 2

    def cubed(w, x, y):
        called.append(1)
        return ((w @ x).sum() - y) ** 3

    w = np.array([0.5, -1.0, 2.0])
    xs = np.array([[1.0, 2.0, 0.0], [0.0, 1.0, 1.0], [3.0, 0.0, -1.0], [0.5, 0.5, 0.5]])
    ys = np.array([1.0, -1.0, 0.5, 2.0])
    size = np.sqrt((xs**2).sum(1))
    both = np.stack([w, 1 - w])
    cases = {
        "a vector of weights": (squared, w, np.abs(2 * (xs @ w - ys)) * size),
        "a matrix of weights": (
            cubed,
            both,
            3 * ((xs @ both.T).sum(1) - ys) ** 2 * np.sqrt(2) * size,
        ),
    }
    for what, (loss, weights, expected) in cases.items():
        yield what
        called.clear()
        given = [torch.from_numpy(a.copy()) for a in (weights, xs, ys)]
        found = lengths(loss, *given)
        close(found.detach().numpy(), expected, what="the norms")
        yield f"{what}: one call of the loss"
        assert len(called) == 1, f"the loss was called {len(called)} times"
