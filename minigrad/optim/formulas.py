# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Rules that differ from each other by a formula."""

import numpy as np

from minigrad.optim.optimizer import Optimizer, blend, blend_squares, options
from minigrad.tensor import Tensor


def descend(p, over, under, rate: float, spare) -> None:
    """In place: take ``rate`` times a quotient off a parameter."""
    np.divide(over, under, out=spare)
    np.multiply(spare, rate, out=spare)
    np.subtract(p, spare, out=p)


def root(x, more: float, out) -> np.ndarray:
    """The root of what is a little more than ``x``, without a new array."""
    return np.sqrt(np.add(x, more, out=out), out=out)


class Adagrad(Optimizer):
    """Steps along g / √s, where s is the sum of all g²: each coordinate tires."""

    def __init__(
        self, params, lr=1e-2, lr_decay=0, weight_decay=0, initial_accumulator_value=0,
        eps=1e-10, foreach=None, *, maximize=False, differentiable=False, fused=None,
    ):  # fmt: skip
        super().__init__(params, options(locals()))
        for group in self.param_groups:
            for p in group["params"]:
                self._total(p, group)

    def _total(self, p: Tensor, group: dict) -> list:
        """The sum, which PyTorch makes before the first step."""
        self._number(p, "step", 0.0)
        return self._buffers(p, "sum", start=group["initial_accumulator_value"])


def _begin(self, p: Tensor, group: dict) -> tuple:
    """The rate of this step, and the sum."""
    total, k = self._total(p, group), self._count(p)
    return float(group["lr"]) / (1 + (k - 1) * group["lr_decay"]), total


def _rule(self, group: dict, rate: float, p, g, spare, total) -> None:
    """Change a block of a parameter, and of the sum."""
    np.multiply(g, g, out=spare)
    np.add(total, spare, out=total)
    np.sqrt(total, out=spare)
    np.add(spare, group["eps"], out=spare)
    descend(p, g, spare, rate, spare)


Adagrad._begin, Adagrad._rule = _begin, _rule


class Adadelta(Optimizer):
    """Steps as long as the steps before, g √(u + ε) / √(v + ε)."""

    ROOM = 3

    def __init__(
        self, params, lr=1.0, rho=0.9, eps=1e-6, weight_decay=0, foreach=None, *,
        capturable=False, maximize=False, differentiable=False,
    ):  # fmt: skip
        if not 0 <= rho <= 1:
            raise ValueError(f"Invalid rho value: {rho}; 0.9 is usual (Chapter 18)")
        super().__init__(params, options(locals()))

    def _begin(self, p: Tensor, group: dict) -> tuple:
        """The averages."""
        self._count(p)
        return float(group["lr"]), self._buffers(p, "square_avg", "acc_delta")

    def _rule(self, group: dict, rate, p, g, spare, square, steps, delta) -> None:
        """Change a block of a parameter, and of the averages."""
        rho, eps = group["rho"], group["eps"]
        blend_squares(square, g, rho, spare)
        np.divide(root(steps, eps, delta), root(square, eps, spare), out=delta)
        np.multiply(delta, g, out=delta)
        blend_squares(steps, delta, rho, spare)
        descend(p, delta, 1, rate, spare)


class Adamax(Optimizer):
    """Adam with a largest |g|, slowly forgotten, in place of the root of an average."""

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
        foreach=None, *, maximize=False, differentiable=False, capturable=False,
    ):  # fmt: skip
        super().__init__(params, options(locals()))

    def _begin(self, p: Tensor, group: dict) -> tuple:
        """The rate of this step, the average and the largest."""
        rate = float(group["lr"]) / (1 - group["betas"][0] ** self._count(p))
        return rate, self._buffers(p, "exp_avg", "exp_inf")

    def _rule(self, group: dict, rate: float, p, g, spare, m, largest) -> None:
        """Change a block of a parameter, of the average and of the largest."""
        beta1, beta2 = group["betas"]
        blend(m, g, 1 - beta1, spare)
        np.multiply(largest, beta2, out=largest)
        np.abs(g, out=spare)
        np.add(spare, group["eps"], out=spare)
        np.maximum(largest, spare, out=largest)
        descend(p, m, largest, rate, spare)


class _Moments(Optimizer):
    """What NAdam and RAdam share: Adam's two averages, and a decay beside them."""

    def _averages(self, p: Tensor, group: dict) -> tuple:
        """The count, the rate, what decay leaves, and the averages."""
        rate = float(group["lr"])
        left = 1 - rate * float(group["weight_decay"]) * self._decoupled(group)
        return self._count(p), rate, left, self._buffers(p, "exp_avg", "exp_avg_sq")

    def _blend(self, group: dict, left: float, p, g, spare, m, v) -> None:
        """Let a block decay, and its averages go on."""
        np.multiply(p, left, out=p)
        blend(m, g, 1 - group["betas"][0], spare)
        blend_squares(v, g, group["betas"][1], spare)


class NAdam(_Moments):
    """Adam that steps along the momentum it will have next (Nesterov's)."""

    ROOM, CHANGES = 3, 2

    def __init__(
        self, params, lr=2e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
        momentum_decay=4e-3, decoupled_weight_decay=False, *, foreach=None,
        maximize=False, capturable=False, differentiable=False,
    ):  # fmt: skip
        super().__init__(params, options(locals()))


def _begin(self, p: Tensor, group: dict) -> tuple:
    """The rates of gradient and average, the correction, and the averages."""
    k, rate, left, averages = self._averages(p, group)
    beta, decay = group["betas"][0], group["momentum_decay"]
    now, then = (beta * (1 - 0.5 * 0.96 ** (i * decay)) for i in (k, k + 1))
    product = self._number(p, "mu_product", 1.0)
    product *= now
    all_now = float(product)
    rates = rate * (1 - now) / (1 - all_now), rate * then / (1 - all_now * then)
    return (*rates, 1 - group["betas"][1] ** k, left), averages


def _rule(self, group: dict, numbers, p, g, spare, m, v, under) -> None:
    """Change a block of a parameter, and of its averages."""
    of_g, of_m, correction, left = numbers
    self._blend(group, left, p, g, spare, m, v)
    np.sqrt(np.divide(v, correction, out=under), out=under)
    np.add(under, group["eps"], out=under)
    descend(p, g, under, of_g, spare)
    descend(p, m, under, of_m, spare)


NAdam._begin, NAdam._rule = _begin, _rule


class RAdam(_Moments):
    """Adam that divides by √v only when v knows enough gradients."""

    def __init__(
        self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0,
        decoupled_weight_decay=False, *, foreach=None, maximize=False,
        capturable=False, differentiable=False,
    ):  # fmt: skip
        super().__init__(params, options(locals()))

    def _begin(self, p: Tensor, group: dict) -> tuple:
        """The rate, or zero for division and the rate without; and the averages."""
        k, rate, left, averages = self._averages(p, group)
        beta1, beta2 = group["betas"]
        rate /= 1 - beta1**k
        most, scale = 2 / (1 - beta2) - 1, 1 - beta2**k
        known = most - 2 * k * beta2**k / scale  # so many gradients are averaged
        if known <= 5:
            return (rate, False, left), averages
        part = (known - 4) * (known - 2) * most / ((most - 4) * (most - 2) * known)
        return (rate * (scale * part) ** 0.5, True, left), averages


def _rule(self, group: dict, numbers, p, g, spare, m, v) -> None:
    """Change a block of a parameter, and of its averages."""
    rate, divide, left = numbers
    self._blend(group, left, p, g, spare, m, v)
    np.sqrt(v, out=spare)
    np.add(spare, group["eps"], out=spare)
    descend(p, m, spare if divide else 1, rate, spare)


RAdam._rule = _rule


class ASGD(Optimizer):
    """Descent with a falling rate; ``ax`` in its state is the mean of the path."""

    CHANGES = 2

    def __init__(
        self, params, lr=1e-2, lambd=1e-4, alpha=0.75, t0=1e6, weight_decay=0,
        foreach=None, maximize=False, differentiable=False, capturable=False,
    ):  # fmt: skip
        super().__init__(params, options(locals()))


def _begin(self, p: Tensor, group: dict) -> tuple:
    """The rate and the weight of this step, and the mean; both are then renewed."""
    k, first, decay = self._count(p), float(group["lr"]), group["lambd"]
    eta, mu = self._number(p, "eta", first), self._number(p, "mu", 1.0)
    numbers = float(eta), float(mu)
    eta[...] = first / (1 + decay * first * k) ** group["alpha"]
    mu[...] = 1 / max(1, k - group["t0"])
    return numbers, self._buffers(p, "ax")


def _rule(self, group: dict, numbers, p, g, spare, mean) -> None:
    """Change a block of a parameter, and of the mean."""
    rate, weight = numbers
    np.multiply(p, 1 - group["lambd"] * rate, out=p)
    descend(p, g, 1, rate, spare)
    if weight == 1:
        np.copyto(mean, p)
    else:
        blend(mean, p, weight, spare)


ASGD._begin, ASGD._rule = _begin, _rule
