# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""RMSprop: each coordinate is divided by the size of its own gradients."""

import numpy as np

from minigrad.optim.optimizer import Optimizer, blend, blend_squares, options
from minigrad.tensor import Tensor


class RMSprop(Optimizer):
    """Steps along g / √v, where v is an average of g²; ``centered`` takes off mean²."""

    def __init__(
        self,
        params,
        lr: float = 1e-2,
        alpha: float = 0.99,
        eps: float = 1e-8,
        weight_decay: float = 0,
        momentum: float = 0,
        centered: bool = False,
        capturable: bool = False,
        foreach: bool | None = None,
        maximize: bool = False,
        differentiable: bool = False,
    ):
        super().__init__(params, options(locals()))

    def _begin(self, p: Tensor, group: dict) -> tuple:
        """The averages."""
        self._count(p)
        names = ["square_avg"] + ["grad_avg"] * group["centered"]
        names += ["momentum_buffer"] * (group["momentum"] > 0)
        return float(group["lr"]), self._buffers(p, *names)


def _rule(self, group: dict, rate: float, p, g, spare, square, *others) -> None:
    """Change a block of a parameter, and of its averages."""
    blend_squares(square, g, group["alpha"], spare)
    if group["centered"]:
        mean, *others = others
        blend(mean, g, 1 - group["alpha"], spare)
        np.multiply(mean, mean, out=spare)
        np.subtract(square, spare, out=spare)
        square = spare
    np.sqrt(square, out=spare)
    np.add(spare, group["eps"], out=spare)
    np.divide(g, spare, out=spare)
    if others:
        (velocity,) = others
        np.multiply(velocity, group["momentum"], out=velocity)
        np.add(velocity, spare, out=velocity)
        np.copyto(spare, velocity)
    np.multiply(spare, rate, out=spare)
    np.subtract(p, spare, out=p)


RMSprop._rule = _rule
