# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Adam: an average of the gradient, over the root of an average of its square."""

import numpy as np

from minigrad.optim.optimizer import Optimizer, blend, blend_squares, options
from minigrad.tensor import Tensor


class Adam(Optimizer):
    """Steps along m / √v, both averages corrected for their beginning at zero."""

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0,
        amsgrad: bool = False,
        *,
        foreach: bool | None = None,
        maximize: bool = False,
        capturable: bool = False,
        differentiable: bool = False,
        fused: bool | None = None,
        decoupled_weight_decay: bool = False,
    ):
        super().__init__(params, options(locals()) | {"betas": tuple(betas)})


def _begin(self, p: Tensor, group: dict) -> tuple:
    """The averages, and the numbers of this step: rate, ε, and what decay leaves."""
    names = ["exp_avg", "exp_avg_sq"] + ["max_exp_avg_sq"] * group["amsgrad"]
    k, (beta1, beta2), rate = self._count(p), group["betas"], float(group["lr"])
    c1, c2 = 1 - beta1**k, (1 - beta2**k) ** 0.5
    left = 1 - rate * float(group["weight_decay"]) * self._decoupled(group)
    return (rate * c2 / c1, group["eps"] * c2, left), self._buffers(p, *names)


def _rule(self, group: dict, numbers, p, g, spare, m, v, largest=None) -> None:
    """Change a block of a parameter, and of its averages."""
    (rate, eps, left), (beta1, beta2) = numbers, group["betas"]
    if left != 1:
        np.multiply(p, left, out=p)
    blend(m, g, 1 - beta1, spare)
    blend_squares(v, g, beta2, spare)
    if largest is not None:
        v = np.maximum(largest, v, out=largest)
    np.sqrt(v, out=spare)
    np.add(spare, eps, out=spare)
    np.divide(m, spare, out=spare)
    np.multiply(spare, rate, out=spare)
    np.subtract(p, spare, out=p)


Adam._begin, Adam._rule = _begin, _rule
