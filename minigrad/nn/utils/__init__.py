# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""What is done to the parameters of a model as a whole."""

import math

from minigrad.autograd.grad_mode import no_grad
from minigrad.creation import tensor
from minigrad.shapes import cat, stack
from minigrad.tensor import Tensor


def _with_grad(parameters) -> list:
    """The parameters, one or several, that have a gradient."""
    parameters = [parameters] if isinstance(parameters, Tensor) else parameters
    return [p for p in parameters if p.grad is not None]


def clip_grad_norm_(
    parameters, max_norm, norm_type=2.0, error_if_nonfinite=False, foreach=None
):
    """Shorten all gradients together to a norm of ``max_norm``; return what it was."""
    own, norm_type = _with_grad(parameters), float(norm_type)
    if not own:
        return tensor(0.0)
    with no_grad():
        total = stack([p.grad.norm(norm_type) for p in own]).norm(norm_type)
        if error_if_nonfinite and not math.isfinite(total):
            raise RuntimeError(
                f"The total norm of order {norm_type} for gradients from `parameters` "
                "is non-finite, so it cannot be clipped. To disable this error and "
                "scale the gradients by the non-finite norm anyway, set "
                "`error_if_nonfinite=False` (Chapter 17)"
            )
        scale = (max_norm / (total + 1e-6)).clamp(max=1.0)
        for p in own:
            p.grad.mul_(scale)
    return total


def clip_grad_value_(parameters, clip_value: float, foreach=None) -> None:
    """Cut every number of the gradients to ± ``clip_value``."""
    with no_grad():
        for p in _with_grad(parameters):
            p.grad.clamp_(-clip_value, clip_value)


def parameters_to_vector(parameters):
    """All the numbers, one after the other: the point where the model is."""
    return cat([p.reshape(-1) for p in parameters])


def vector_to_parameters(vec, parameters) -> None:
    """Put the numbers back."""
    if not isinstance(vec, Tensor):
        raise TypeError(
            f"expected torch.Tensor, but got: {type(vec).__name__}; it is made by "
            "parameters_to_vector (Chapter 17)"
        )
    start = 0
    for p in parameters:
        p.data = vec[start : start + p.numel()].view(p.shape).detach()
        start += p.numel()


from minigrad.nn.utils import rnn
