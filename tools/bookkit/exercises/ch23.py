"""Checks of the exercises of chapter 23, Tracing."""

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


@exercise("23.1")
def curvatures(curvature):
    """The second derivative of a function of one number."""
    torch = _torch()
    for name, f, second in (
        ("x³", lambda x: x * x * x, lambda x: 6 * x),
        ("sin x", torch.sin, lambda x: -np.sin(x)),
        ("exp 2x", lambda x: torch.exp(2 * x), lambda x: 4 * np.exp(2 * x)),
    ):
        for at in (-0.75, 0.5):
            x = torch.tensor(at)
            found = curvature(f, x)
            yield f"{name} at {at}"
            assert isinstance(found, torch.Tensor), f"give a tensor, not {found!r}"
            close(found.item(), second(at), within=1e-4, what="the second derivative")
            assert not x.requires_grad, "x is not yours to change"


@exercise("23.2")
def hubers(huber):
    """A loss without a branch."""
    torch = _torch()
    quick = torch.compile(huber)
    for values in ([-3.0, -0.5, 0.0, 0.25, 4.0], [0.5, 2.0, -1.5, -0.1, 0.0]):
        x = torch.tensor(values, requires_grad=True)
        y = quick(x)
        yield f"the values at {values}"
        assert isinstance(y, torch.Tensor), f"give a tensor, not {type(y).__name__}"
        size = np.abs(np.array(values))
        expected = np.where(size <= 1, size**2 / 2, size - 0.5)
        close(y.detach().numpy(), expected, within=1e-6, what="the loss")
        yield f"the gradient at {values}"
        y.sum().backward()
        close(x.grad.numpy(), np.clip(values, -1, 1), within=1e-6, what="the gradient")
    yield "one trace serves for all"
    assert len(quick.graphs) == 1, f"{len(quick.graphs)} traces"


@exercise("23.3")
def works(work):
    """How many operations are left."""
    torch = _torch()
    x, w = torch.ones(2, 3), torch.ones(3, 1)
    for name, f, args, expected in (
        ("tanh", torch.tanh, (x,), 1),
        ("the same twice", lambda x: torch.exp(x) + torch.exp(x), (x,), 2),
        ("what nobody needs", lambda x: (torch.sin(x), x * 2)[1], (x,), 1),
        ("a view", lambda x: torch.exp(x.t()).reshape(6), (x,), 1),
        ("a product with a gradient", lambda x, w: (x @ w).sum(), (x, w), 2),
    ):
        yield name
        found = work(f, *args)
        assert found == expected, f"{expected} operations are left, not {found!r}"
    yield "forward and backward together"
    found = work(lambda x, w: (x @ w).sum(), x, torch.ones(3, 1, requires_grad=True))
    assert found == 3, f"two forward and one back, not {found!r}"


@exercise("23.4")
def remembering(remembered):
    """A compiler of one's own."""
    torch = _torch()
    runs = []

    def f(x):
        runs.append(tuple(x.shape))
        return torch.tanh(x * 2).sum() + x.mean()

    quick = remembered(f)
    assert callable(quick), f"give a function, not {quick!r}"
    stream = np.random.default_rng(0)
    for k, shape in enumerate([(3,), (3,), (2, 4), (3,), (2, 4)]):
        x = torch.tensor(stream.standard_normal(shape))
        array = x.numpy()
        found = quick(x)
        yield f"call {k + 1}, of shape {shape}"
        assert isinstance(found, torch.Tensor), f"give a tensor, not {found!r}"
        expected = np.tanh(array * 2).sum() + array.mean()
        close(found.item(), expected, what="the result")
    yield "it ran once for each shape"
    assert sorted(runs) == [(2, 4), (3,)], f"it ran for {runs}"
    yield "another dtype is another signature"
    found = quick(torch.ones(3))
    assert str(found.dtype) == "torch.float32", f"the result is {found.dtype}"
