"""Checks of the exercises of chapter 18, Optimisers."""

import math

import numpy as np

from bookkit.checks import close, exercise


def _leaf(values):
    """A leaf of doubles."""
    import minigrad as torch

    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def _give(leaf, values) -> None:
    """Give a leaf a gradient."""
    leaf.grad = _leaf(values).detach()


@exercise("18.1")
def wall(limit, best, per_step):
    """Eigenvalues 0.5, 2 and 8."""
    yield "the largest stable rate belongs to the largest eigenvalue"
    close(limit, 0.25, what="the largest rate")
    yield "the best rate makes the two outer factors equally large"
    close(best, 2 / 8.5, what="the best rate")
    yield "the factor at the best rate"
    close(per_step, 15 / 17, what="the factor")


@exercise("18.2")
def adagrad(Adagrad):  # noqa: N803 (a class)
    """The sum of all squares."""
    w, b, still = _leaf([1.0, -2.0]), _leaf([0.5]), _leaf([7.0])
    optimizer = Adagrad([w, b, still], lr=0.1)
    expected, total = np.array([1.0, -2.0]), np.zeros(2)
    for g in ([3.0, -0.01], [1.0, 0.02], [-2.0, 0.0]):
        _give(w, g)
        _give(b, [0.0])
        optimizer.step()
        total += np.square(g)
        expected -= 0.1 * np.array(g) / (np.sqrt(total) + 1e-10)
    yield "three steps"
    close(w.detach().numpy(), expected, what="the parameter")
    yield "a gradient of zero makes no step, and no nan"
    close(b.detach().numpy(), np.array([0.5]), what="the parameter without a slope")
    yield "a parameter without a gradient is left out"
    assert still.tolist() == [7.0] and still not in optimizer.state
    yield "the sum is in the state"
    close(optimizer.state[w]["sum"].detach().numpy(), total, what="the sum")
    yield "the step is not recorded, and the parameter is changed in place"
    assert w.is_leaf and w.requires_grad


@exercise("18.3")
def clipping(clip):
    """One length for all gradients."""
    a, b, c = _leaf([1.0, 2.0]), _leaf([[3.0]]), _leaf([1.0])
    _give(a, [3.0, 0.0])
    _give(b, [[4.0]])
    grad, params = a.grad, [a, b, c]
    yield "short gradients stay as they are"
    close(float(clip(params, 5.5)), 5.0, what="the length")
    assert a.grad.tolist() == [3.0, 0.0], f"changed to {a.grad.tolist()}"
    yield "long ones are shortened together"
    close(float(clip(params, 1.0)), 5.0, what="the length before")
    close(a.grad.numpy(), np.array([0.6, 0.0]), what="the first gradient")
    close(b.grad.numpy(), np.array([[0.8]]), what="the second gradient")
    yield "in place"
    assert a.grad is grad, "the gradient is another tensor now"


@exercise("18.4")
def warm_up(factor):
    """Up in a line, down in a cosine."""
    for epoch, value in [(0, 0.1), (4, 0.5), (9, 1.0), (29, 0.5), (49, 0.0), (60, 0.0)]:
        yield f"epoch {epoch}"
        close(float(factor(epoch)), value, what="the factor")
    yield "between them, a cosine"
    expected = (1 + math.cos(math.pi / 4)) / 2
    close(float(factor(19)), expected, what="the factor of epoch 19")


@exercise("18.5")
def forgotten(first_step, sudden):
    """A fresh Adam beside one that remembers."""
    yield "a constant gradient: bias correction hides that the past is gone"
    for lr, k in [(0.1, 1), (0.01, 500)]:
        close(float(first_step(lr, k)), 0.0, what="the difference")
    yield "the first step of a fresh Adam does not depend on the size of the gradient"
    for lr, g in [(0.1, 1e-6), (0.01, -300.0)]:
        close(abs(float(sudden(lr, g))), lr, what="the length of the step")
    yield "without any slope there is no step"
    close(float(sudden(0.1, 0.0)), 0.0, what="the length of the step")
