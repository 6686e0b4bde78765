"""Checks of the exercises of chapter 17, Modules and losses."""

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


@exercise("17.1")
def learned(count):
    """How many numbers are learned."""
    nn = _torch().nn
    yield "a linear layer of 3 and 2 learns 8 numbers"
    found = count(nn.Linear(3, 2))
    assert found == 8, f"got {found!r}"
    yield "a layer that stands twice counts once"
    layer = nn.Linear(2, 2)
    found = count(nn.Sequential(layer, nn.ReLU(), layer))
    assert found == 6, f"got {found!r}"
    yield "a frozen parameter does not count, and no buffer does"
    model = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 1))
    model[1].requires_grad_(False)
    found = count(model)
    assert found == 8, f"got {found!r}"


@exercise("17.2")
def residual(Residual):  # noqa: N803 (a class)
    """A detour around a module."""
    torch = _torch()
    inner = torch.nn.Linear(3, 3)
    model, x = Residual(inner), torch.ones(2, 3)
    yield "the parameters are those of the inner module, under inner."
    names = [name for name, _ in model.named_parameters()]
    assert names == ["inner.weight", "inner.bias"], f"got {names}"
    yield "the output is x + inner(x)"
    close(model(x).detach().numpy(), (x + inner(x)).detach().numpy(), within=1e-6)
    yield "a residual in a residual works"
    close(
        Residual(model)(x).detach().numpy(),
        (x + model(x)).detach().numpy(),
        within=1e-6,
    )


@exercise("17.3")
def slope(function):
    """The gradient of the smoothed cross-entropy."""
    torch = _torch()
    for z, k, s in [
        ([1.0, -0.5, 2.0], 2, 0.0),
        ([1.0, -0.5, 2.0], 0, 0.3),
        ([1000.0, 1.0, 0.0, -2.0], 1, 0.1),
    ]:
        yield f"logits {z}, class {k}, smoothing {s}"
        x = torch.tensor([z], dtype=torch.float64, requires_grad=True)
        target = torch.tensor([k])
        torch.nn.functional.cross_entropy(x, target, label_smoothing=s).backward()
        close(function(np.array(z), k, s), x.grad.numpy()[0], within=1e-9)


@exercise("17.4")
def scaler(Scaler):  # noqa: N803 (a class)
    """A scale that remembers."""
    torch = _torch()
    model = Scaler()
    yield "`largest` is saved with the model, and nothing is learned"
    assert list(model.state_dict()) == ["largest"], list(model.state_dict())
    assert list(model.parameters()) == [], "there is a parameter"
    yield "in training the largest size is kept"
    x = torch.tensor([1.0, -4.0], requires_grad=True)
    y = model(x)
    assert float(model.largest.detach()) == 4, f"got {model.largest}"
    model(torch.tensor([2.0]))
    assert float(model.largest.detach()) == 4, f"got {model.largest}"
    yield "it has no history, and gradients pass through the division"
    assert not model.largest.requires_grad, "largest requires grad"
    y.sum().backward()
    assert x.grad.tolist() == [0.25, 0.25], f"got {x.grad.tolist()}"
    yield "in evaluation it stays, and still divides"
    found = model.eval()(torch.tensor([8.0])).tolist()
    assert found == [2.0], f"got {found}"
    assert float(model.largest) == 4, f"got {model.largest}"
