# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Gradient descent, with or without momentum."""

import numpy as np

from minigrad.optim.optimizer import Optimizer, options
from minigrad.tensor import Tensor


class SGD(Optimizer):
    """Steps of a fixed rate against the gradient, or with momentum m: b = m·b + g."""

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        momentum: float = 0,
        dampening: float = 0,
        weight_decay: float = 0,
        nesterov: bool = False,
        *,
        maximize: bool = False,
        foreach: bool | None = None,
        differentiable: bool = False,
        fused: bool | None = None,
    ):
        defaults = options(locals())
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError(
                "Nesterov momentum requires a momentum and zero dampening (Chapter 18)"
            )
        super().__init__(params, defaults)


def _begin(self, p: Tensor, group: dict) -> tuple:
    """The velocity, if there is momentum, and whether this is its first step."""
    numbers = float(group["lr"]), False
    if not group["momentum"]:
        return numbers, ()
    first = self.state[p].get("momentum_buffer") is None
    return (numbers[0], first), self._buffers(p, "momentum_buffer")


def _rule(self, group: dict, numbers: tuple, p, g, spare, velocity=None) -> None:
    """Change a block of a parameter, and of its velocity."""
    (rate, first), momentum = numbers, group["momentum"]
    if first:
        np.copyto(velocity, g)
    elif velocity is not None:
        np.multiply(velocity, momentum, out=velocity)
        np.multiply(g, 1 - group["dampening"], out=spare)
        np.add(velocity, spare, out=velocity)
    if group["nesterov"]:
        np.multiply(velocity, momentum, out=spare)
        g = np.add(g, spare, out=spare)
    elif velocity is not None:
        g = velocity
    np.multiply(g, rate, out=spare)
    np.subtract(p, spare, out=p)


SGD._begin, SGD._rule = _begin, _rule
