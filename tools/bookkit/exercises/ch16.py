"""Checks of the exercises of chapter 16, Your own functions, and memory."""

import tempfile
from pathlib import Path

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


def _double(values):
    """A leaf of doubles."""
    torch = _torch()
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


@exercise("16.1")
def sign(Sign):  # noqa: N803 (a class)
    """A sign that passes gradients on near 0."""
    x = _double([-2.0, -1.0, -0.5, 0.0, 0.7, 3.0])
    y = Sign.apply(x)
    yield "forward gives the sign"
    assert y.tolist() == [-1, -1, -1, 0, 1, 1], f"got {y.tolist()}"
    (y * _double([1.0, 2, 3, 4, 5, 6]).detach()).sum().backward()
    yield "backward gives the cotangent where |x| <= 1, and 0 elsewhere"
    assert x.grad.tolist() == [0, 2, 3, 4, 5, 0], f"got {x.grad.tolist()}"


@exercise("16.2")
def segments(best):
    """The best number of segments."""
    for n, k in [(64, 8), (1, 1), (12, 3), (7, 1), (100, 10), (30, 5)]:
        yield f"a chain of {n}"
        found = best(n)
        assert found == k, f"{k} segments are best, not {found!r}"


@exercise("16.3")
def product(Product):  # noqa: N803 (a class)
    """A product, its gradients and their gradients."""
    torch = _torch()
    x, y = _double([1.0, 2.0]), _double([3.0, -4.0])
    z = Product.apply(x, y)
    yield "forward gives the product"
    assert z.tolist() == [3, -8], f"got {z.tolist()}"
    yield "the gradients are y and x, times the cotangent"
    gx, gy = torch.autograd.grad((z * z).sum(), [x, y], create_graph=True)
    close(
        gx.detach().numpy(), np.array([18.0, 64.0]), what="the gradient of (xy)² by x"
    )
    close(
        gy.detach().numpy(), np.array([6.0, -32.0]), what="the gradient of (xy)² by y"
    )
    yield "they can be differentiated again"
    assert gx.requires_grad, "the gradient has no history"
    (gxy,) = torch.autograd.grad(gx.sum(), y)
    close(gxy.numpy(), np.array([12.0, -32.0]), what="the derivative of that by y")
    yield "no gradient is computed for a constant"
    seen, ctx = [], type("Ctx", (), {})()
    ctx.saved_tensors, ctx.needs_input_grad = (x, y), (True, False)
    seen = Product.backward(ctx, torch.ones(2, dtype=torch.float64))
    assert seen[1] is None, "needs_input_grad says that nobody wants the second"


@exercise("16.4")
def to_disk(offload):
    """Saved values in files."""
    torch = _torch()
    with tempfile.TemporaryDirectory() as folder:
        x = _double([0.5, 2.0])
        with offload(folder):
            y = x.sin().exp()
        yield "there is a file for each saved value"
        count = len([*Path(folder).iterdir()])
        assert count == 2, f"two values were saved, and there are {count} files"
        yield "the nodes keep no array"
        node = y.grad_fn
        held = [type(getattr(node, name, None)) for name in node.saves]
        assert np.ndarray not in held, "ExpBackward0 still holds an array"
        yield "the gradient is right"
        (g,) = torch.autograd.grad(y.sum(), x)
        a = x.detach().numpy()
        close(
            g.numpy(), np.exp(np.sin(a)) * np.cos(a), what="the gradient of exp(sin(x))"
        )
