# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Schedules: what the rate of each parameter group is to be, epoch by epoch."""

import math
import warnings
from bisect import bisect_right
from collections import Counter

from minigrad.optim.optimizer import Optimizer

SKIPPED = (
    "Detected call of `lr_scheduler.step()` before `optimizer.step()`. In PyTorch "
    "1.1.0 and later, you should call them in the opposite order: `optimizer.step()` "
    "before `lr_scheduler.step()`.  Failure to do this will result in PyTorch skipping "
    "the first value of the learning rate schedule (Chapter 18)."
)
ASKED = (
    "To get the last learning rate computed by the scheduler, please use "
    "`get_last_lr()` (Chapter 18)."
)


def _rates(optimizer: Optimizer, name: str = "lr") -> list:
    """A number of each parameter group."""
    return [group[name] for group in optimizer.param_groups]


def _check_optimizer(optimizer) -> None:
    """Refuse to plan for something else."""
    if not isinstance(optimizer, Optimizer):
        raise TypeError(
            f"{type(optimizer).__name__} is not an Optimizer: give the object that "
            "takes the steps (Chapter 18)"
        )


class _Planned:
    """How a schedule goes on, and how it is asked and saved."""

    _is_initial = _get_lr_called_within_step = False

    def step(self) -> None:
        """Go to the next epoch, and set its rates."""
        if self._step_count == 1 and not self.optimizer._opt_called:
            warnings.warn(SKIPPED, UserWarning, stacklevel=2)
        self._step_count += 1
        self.last_epoch += 1
        self._get_lr_called_within_step = True
        rates = self.get_lr()
        self._get_lr_called_within_step = False
        for group, rate in zip(self.optimizer.param_groups, rates, strict=True):
            group["lr"] = rate
        self._last_lr = _rates(self.optimizer)

    def _scaled(self, factor: float) -> list:
        """The current rates, times a factor."""
        if not self._get_lr_called_within_step:
            warnings.warn(ASKED, UserWarning, stacklevel=3)
        return [rate * factor for rate in _rates(self.optimizer)]

    def get_last_lr(self) -> list:
        """The rates that were set last, one for each group."""
        return self._last_lr

    def state_dict(self) -> dict:
        """Everything but the optimiser, which has a state of its own."""
        return {k: v for k, v in self.__dict__.items() if k != "optimizer"}

    def load_state_dict(self, state_dict: dict) -> None:
        """Go on where another schedule was."""
        self.__dict__.update(state_dict)


class LRScheduler(_Planned):
    """Sets the rates of an optimiser; a sub-class says in `get_lr` which come next."""

    def __init__(self, optimizer: Optimizer, last_epoch: int = -1):
        _check_optimizer(optimizer)
        self.optimizer, self.last_epoch = optimizer, last_epoch
        for group in optimizer.param_groups:
            if last_epoch == -1:  # otherwise the optimiser's state was loaded before
                group.setdefault("initial_lr", group["lr"])
        self.base_lrs = _rates(optimizer, "initial_lr")
        optimizer.__dict__.setdefault("_opt_called", False)
        self._initial_step()

    def _initial_step(self) -> None:
        """Set the rates of the beginning."""
        self._step_count, self._is_initial = 0, True
        self.step()
        self._is_initial = False


class LambdaLR(LRScheduler):
    """The first rate, times a function of the epoch: one for all groups, or a list."""

    def __init__(self, optimizer: Optimizer, lr_lambda, last_epoch: int = -1):
        _check_optimizer(optimizer)
        count, many = len(optimizer.param_groups), isinstance(lr_lambda, (list, tuple))
        if many and len(lr_lambda) != count:
            raise ValueError(
                f"Expected {count} lr_lambdas, but got {len(lr_lambda)}: give one for "
                "each parameter group (Chapter 18)"
            )
        self.lr_lambdas = list(lr_lambda) if many else [lr_lambda] * count
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        self._scaled(1)
        pairs = zip(self.base_lrs, self.lr_lambdas, strict=True)
        return [base * factor(self.last_epoch) for base, factor in pairs]

    def state_dict(self) -> dict:
        """Without the functions: they stay in the program."""
        return super().state_dict() | {"lr_lambdas": [None] * len(self.lr_lambdas)}

    def load_state_dict(self, state_dict: dict) -> None:
        """Go on where another schedule was, with one's own functions."""
        super().load_state_dict({**state_dict, "lr_lambdas": self.lr_lambdas})


class StepLR(LRScheduler):
    """The rate falls by the factor ``gamma`` every ``step_size`` epochs."""

    def __init__(
        self, optimizer, step_size: int, gamma: float = 0.1, last_epoch: int = -1
    ):
        self.step_size, self.gamma = step_size, gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        due = self.last_epoch and self.last_epoch % self.step_size == 0
        return self._scaled(self.gamma if due else 1)


class MultiStepLR(LRScheduler):
    """The rate falls by the factor ``gamma`` at each of some epochs."""

    def __init__(self, optimizer, milestones, gamma: float = 0.1, last_epoch: int = -1):
        self.milestones, self.gamma = Counter(milestones), gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        return self._scaled(self.gamma ** self.milestones[self.last_epoch])


class ExponentialLR(LRScheduler):
    """The rate falls by the factor ``gamma`` in every epoch."""

    def __init__(self, optimizer: Optimizer, gamma: float, last_epoch: int = -1):
        self.gamma = gamma
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        return self._scaled(1 if self._is_initial else self.gamma)


class ConstantLR(LRScheduler):
    """A fraction of the rate, for ``total_iters`` epochs."""

    def __init__(
        self, optimizer, factor=1 / 3, total_iters: int = 5, last_epoch: int = -1
    ):
        if not 0 <= factor <= 1:
            raise ValueError(
                "Constant multiplicative factor expected to be between 0 and 1, not "
                f"{factor}: set a larger lr instead (Chapter 18)."
            )
        self.factor, self.total_iters = factor, total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        if self.last_epoch == 0:
            return self._scaled(self.factor)
        over = self.last_epoch == self.total_iters
        return self._scaled(1 / self.factor if over else 1)


class LinearLR(LRScheduler):
    """The rate goes in a straight line from one fraction to another."""

    def __init__(
        self,
        optimizer,
        start_factor=1 / 3,
        end_factor=1.0,
        total_iters=5,
        last_epoch=-1,
    ):
        if not 0 < start_factor <= 1:
            raise ValueError(
                "Starting multiplicative factor expected to be greater than 0 and less "
                f"or equal to 1, not {start_factor}: begin with a small one (Chapter "
                "18)."
            )
        if not 0 <= end_factor <= 1:
            raise ValueError(
                "Ending multiplicative factor expected to be between 0 and 1, not "
                f"{end_factor}: set a larger lr instead (Chapter 18)."
            )
        self.start_factor, self.end_factor = start_factor, end_factor
        self.total_iters = total_iters
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        if self.last_epoch == 0:
            return self._scaled(self.start_factor)
        if self._is_initial or self.last_epoch > self.total_iters:
            return self._scaled(1)
        rise, before = self.end_factor - self.start_factor, self.last_epoch - 1
        start = self.total_iters * self.start_factor
        return self._scaled(1.0 + rise / (start + before * rise))


class CosineAnnealingLR(LRScheduler):
    """The rate follows half a cosine, down to ``eta_min`` in ``T_max`` epochs."""

    def __init__(self, optimizer, T_max: int, eta_min=0.0, last_epoch: int = -1):  # noqa: N803
        self.T_max, self.eta_min = T_max, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        k, whole, low = self.last_epoch, self.T_max, self.eta_min
        rates = self._scaled(1)
        if self._is_initial:
            return rates
        if (k - 1 - whole) % (2 * whole) == 0:  # it was at the bottom
            rise = (1 - math.cos(math.pi / whole)) / 2
            pairs = zip(rates, self.base_lrs, strict=True)
            return [rate + (base - low) * rise for rate, base in pairs]
        height, before = (1 + math.cos(math.pi * i / whole) for i in (k, k - 1))
        return [height / before * (rate - low) + low for rate in rates]


def _check_same(self, schedulers, optimizer) -> None:
    """Refuse schedules of other optimisers, and one that needs a loss."""
    name = type(self).__name__
    for i, scheduler in enumerate(schedulers):
        if isinstance(scheduler, ReduceLROnPlateau):
            raise ValueError(
                f"{name} does not support `ReduceLROnPlateau` scheduler as it requires "
                "additional kwargs to be specified when calling `step`, but got one at "
                f"index {i} in the given schedulers sequence: step that one by itself "
                "(Chapter 18)."
            )
        if scheduler.optimizer is not optimizer:
            raise ValueError(
                f"{name} expects all schedulers to belong to the same optimizer, but "
                f"got scheduler {type(scheduler).__name__} at index {i} of another: "
                "make it for this one (Chapter 18)."
            )


class SequentialLR(LRScheduler):
    """Schedules one after the other; ``milestones`` are the epochs of the changes."""

    def __init__(self, optimizer, schedulers, milestones, last_epoch: int = -1):
        _check_same(self, schedulers, optimizer)
        if len(milestones) != len(schedulers) - 1:
            raise ValueError(
                "Sequential Schedulers expects number of schedulers provided to be one "
                "more than the number of milestone points, but got number of schedulers"
                f" {len(schedulers)} and the number of milestones to be equal to "
                f"{len(milestones)}: give the epochs of the changes (Chapter 18)"
            )
        self._schedulers, self._milestones = schedulers, milestones
        self.last_epoch, self.optimizer = last_epoch + 1, optimizer
        for scheduler in schedulers:
            scheduler.last_epoch -= 1
        self._restart(schedulers[bisect_right(milestones, 0)])


def _restart(self, scheduler) -> None:
    """Let a schedule begin now, from the first rates."""
    for group in self.optimizer.param_groups:
        group["lr"] = group["initial_lr"]
    scheduler.last_epoch = -1
    scheduler._initial_step()
    self._last_lr = scheduler.get_last_lr()


def _next(self) -> None:
    """Go to the next epoch: a step of the schedule whose turn it is."""
    self.last_epoch += 1
    i = bisect_right(self._milestones, self.last_epoch)
    if i and self._milestones[i - 1] == self.last_epoch:
        return self._restart(self._schedulers[i])
    self._schedulers[i].step()
    self._last_lr = self._schedulers[i].get_last_lr()


def _states(self) -> dict:
    """Everything but the optimiser, with the states of the schedules."""
    inner = [scheduler.state_dict() for scheduler in self._schedulers]
    return LRScheduler.state_dict(self) | {"_schedulers": inner}


def _load_states(self, state_dict: dict) -> None:
    """Go on where another one was."""
    mine = self._schedulers
    self.__dict__.update(state_dict, _schedulers=mine)
    for scheduler, state in zip(mine, state_dict["_schedulers"], strict=True):
        scheduler.load_state_dict(state)


SequentialLR._restart, SequentialLR.step = _restart, _next
SequentialLR.state_dict, SequentialLR.load_state_dict = _states, _load_states


class ReduceLROnPlateau(LRScheduler):
    """The rate falls by ``factor`` when a number has stopped to improve."""

    def __init__(
        self,
        optimizer: Optimizer,
        mode: str = "min",
        factor: float = 0.1,
        patience: int = 10,
        threshold: float = 1e-4,
        threshold_mode: str = "rel",
        cooldown: int = 0,
        min_lr=0,
        eps: float = 1e-8,
    ):
        _check_optimizer(optimizer)
        _check_plateau(factor, mode, threshold_mode)
        self.optimizer, self.mode, self.factor = optimizer, mode, factor
        self.patience, self.cooldown, self.eps = patience, cooldown, eps
        self.threshold, self.threshold_mode = threshold, threshold_mode
        many, count = isinstance(min_lr, (list, tuple)), len(optimizer.param_groups)
        self.min_lrs = list(min_lr) if many else [min_lr] * count
        if len(self.min_lrs) != count:
            raise ValueError(
                f"expected {count} min_lrs, got {len(self.min_lrs)}: give one for each "
                "parameter group (Chapter 18)"
            )
        self.last_epoch = self.num_bad_epochs = self.cooldown_counter = 0
        self.best = math.inf if mode == "min" else -math.inf
        self._last_lr = _rates(optimizer)


def _check_plateau(factor: float, mode: str, threshold_mode: str) -> None:
    """Refuse what would not lower the rate, and unknown words."""
    if factor >= 1.0:
        raise ValueError(
            f"Factor should be < 1.0, and is {factor}: the rate is to fall (Chapter 18)"
        )
    if mode not in ("min", "max"):
        raise ValueError(
            f"mode {mode} is unknown! A loss is to fall, 'min', an accuracy to rise, "
            "'max' (Chapter 18)"
        )
    if threshold_mode not in ("rel", "abs"):
        raise ValueError(
            f"threshold mode {threshold_mode} is unknown! Write 'rel' or 'abs' "
            "(Chapter 18)"
        )


def _is_better(self, value: float) -> bool:
    """Whether a number is better than the best so far, by more than the threshold."""
    sign = -1 if self.mode == "min" else 1
    if self.threshold_mode == "rel":
        return sign * value > sign * self.best * (1 + sign * self.threshold)
    return sign * value > sign * (self.best + sign * self.threshold)


def _listen(self, metrics) -> None:
    """Take note of the loss of an epoch, and lower the rates if it is time to."""
    value = float(metrics)
    self.last_epoch += 1
    if self._is_better(value):
        self.best, self.num_bad_epochs = value, 0
    else:
        self.num_bad_epochs += 1
    if self.cooldown_counter > 0:
        self.cooldown_counter -= 1
        self.num_bad_epochs = 0
    if self.num_bad_epochs > self.patience:
        self._lower()
        self.cooldown_counter, self.num_bad_epochs = self.cooldown, 0
    self._last_lr = _rates(self.optimizer)


def _lower(self) -> None:
    """Lower the rates that are above their least."""
    for group, least in zip(self.optimizer.param_groups, self.min_lrs, strict=True):
        rate = max(float(group["lr"]) * self.factor, least)
        if group["lr"] - rate > self.eps:
            group["lr"] = rate


ReduceLROnPlateau.step, ReduceLROnPlateau._lower = _listen, _lower
ReduceLROnPlateau._is_better = _is_better


class OneCycleLR(LRScheduler):
    """Up to ``max_lr`` and down again in ``total_steps``; momentum the other way."""

    def __init__(
        self, optimizer, max_lr, total_steps=None, epochs=None, steps_per_epoch=None,
        pct_start=0.3, anneal_strategy="cos", cycle_momentum=True, base_momentum=0.85,
        max_momentum=0.95, div_factor=25.0, final_div_factor=1e4, three_phase=False,
        last_epoch=-1,
    ):  # fmt: skip
        _check_optimizer(optimizer)
        _check_cycle(total_steps, epochs, steps_per_epoch, anneal_strategy)
        if total_steps is None:
            total_steps = epochs * steps_per_epoch
        self.total_steps = total_steps
        self._phases = _ways(pct_start * total_steps - 1, total_steps - 1, three_phase)
        self.cycle_momentum, self._strategy = cycle_momentum, anneal_strategy
        bounds = {"max_lr": max_lr}
        if cycle_momentum:
            bounds |= {"base_momentum": base_momentum, "max_momentum": max_momentum}
        for k, group in enumerate(optimizer.param_groups if last_epoch == -1 else ()):
            many = (list, tuple)
            group |= {n: v[k] if isinstance(v, many) else v for n, v in bounds.items()}
            group["initial_lr"] = group["max_lr"] / div_factor
            group["min_lr"] = group["initial_lr"] / final_div_factor
        super().__init__(optimizer, last_epoch)


def _ways(up: float, last: int, three: bool) -> list:
    """Where each way up or down ends, and the rates that it leads from and to."""
    if three:
        down = 2 * up, "max_lr", "initial_lr"
        return [(up, "initial_lr", "max_lr"), down, (last, "initial_lr", "min_lr")]
    return [(up, "initial_lr", "max_lr"), (last, "max_lr", "min_lr")]


def _check_cycle(steps, epochs, each, strategy: str) -> None:
    """Refuse a cycle of unknown length or shape."""
    if not (epochs and each if steps is None else steps > 0):
        raise ValueError(
            "You must define either total_steps OR (epochs AND steps_per_epoch): the "
            "cycle has to end with the run (Chapter 18)"
        )
    if strategy not in ("cos", "linear"):
        raise ValueError(
            f"anneal_strategy must be one of 'cos' or 'linear', instead got {strategy}:"
            " the shape of the way up and down (Chapter 18)"
        )


def _cycled(self) -> list:
    """The rates of this step; the momentum is set on the way."""
    self._scaled(1)
    k, start, phases = self.last_epoch, 0, [*self._phases]
    if k > self.total_steps:
        raise ValueError(
            f"Tried to step {k} times. The specified number of total steps is "
            f"{self.total_steps}: the cycle is over (Chapter 18)"
        )
    while len(phases) > 1 and k > phases[0][0]:
        start = phases.pop(0)[0]
    end, *ends = phases[0]
    part = (k - start) / (end - start)
    linear = self._strategy == "linear"
    left = 1 - part if linear else (1 + math.cos(math.pi * part)) / 2
    against = {"max_lr": "base_momentum"}
    for group in self.optimizer.param_groups if self.cycle_momentum else ():
        a, b = (group[against.get(name, "max_momentum")] for name in ends)
        now = b + (a - b) * left
        other = {"betas": (now, *group["betas"][1:])} if "betas" in group else {}
        group |= other or {"momentum": now}
    pairs = ([g[name] for name in ends] for g in self.optimizer.param_groups)
    return [b + (a - b) * left for a, b in pairs]


OneCycleLR.get_lr = _cycled


class MultiplicativeLR(LambdaLR):
    """The rate is multiplied by a function of the epoch, every time."""

    def get_lr(self) -> list:
        """The rates of this epoch."""
        pairs = zip(self._scaled(1), self.lr_lambdas, strict=True)
        return [rate * (self._is_initial or f(self.last_epoch)) for rate, f in pairs]


class PolynomialLR(LRScheduler):
    """The rate falls like (1 - k/total_iters) to a power."""

    def __init__(self, optimizer, total_iters=5, power=1.0, last_epoch: int = -1):
        self.total_iters, self.power = total_iters, power
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        k, whole = self.last_epoch, self.total_iters
        if self._is_initial or k > whole:
            return self._scaled(1)
        return self._scaled(((1 - k / whole) / (1 - (k - 1) / whole)) ** self.power)


class CosineAnnealingWarmRestarts(LRScheduler):
    """Half a cosine in ``T_0`` epochs, then again in ``T_mult`` times as many."""

    def __init__(self, optimizer, T_0: int, T_mult=1, eta_min=0.0, last_epoch=-1):  # noqa: N803
        for name, value in (("positive integer T_0", T_0), ("integer T_mult", T_mult)):
            if not isinstance(value, int) or value < 1:
                more = " >= 1" * (name[-1] == "t")
                raise ValueError(
                    f"Expected {name}{more}, but got {value}: a number of epochs, and "
                    "how much longer the next cycle is (Chapter 18)"
                )
        self.T_0 = self.T_i = T_0
        self.T_mult, self.T_cur, self.eta_min = T_mult, last_epoch, eta_min
        super().__init__(optimizer, last_epoch)

    def get_lr(self) -> list:
        """The rates of this epoch."""
        self._scaled(1)
        part = (1 + math.cos(math.pi * self.T_cur / self.T_i)) / 2
        return [self.eta_min + (top - self.eta_min) * part for top in self.base_lrs]


def _go_to(self, epoch=None) -> None:
    """Go to the next epoch, or to any, such as 3.5."""
    epoch = self.last_epoch + 1 if epoch is None else epoch
    if epoch < 0:
        raise ValueError(
            f"Expected non-negative epoch, but got {epoch}: 0 is the first (Chapter 18)"
        )
    self.T_cur, self.T_i = epoch, self.T_0
    while self.T_cur >= self.T_i:
        self.T_cur -= self.T_i
        self.T_i *= self.T_mult
    self.last_epoch, self._step_count = math.floor(epoch) - 1, -1
    LRScheduler.step(self)


CosineAnnealingWarmRestarts.step = _go_to


class ChainedScheduler(LRScheduler):
    """Several schedules, stepped together: their factors are multiplied."""

    def __init__(self, schedulers, optimizer=None):
        if len(schedulers) < 1:
            raise ValueError(
                "ChainedScheduler expects at least one scheduler to be chained, but got"
                " no scheduler: give a list of them (Chapter 18)."
            )
        self.optimizer = optimizer or schedulers[0].optimizer
        _check_same(self, schedulers, self.optimizer)
        self._schedulers, self._last_lr = schedulers, _rates(self.optimizer)


def _all_on(self) -> None:
    """A step of each."""
    for scheduler in self._schedulers:
        scheduler.step()
    self._last_lr = _rates(self.optimizer)


ChainedScheduler.step, ChainedScheduler.state_dict = _all_on, _states
ChainedScheduler.load_state_dict = _load_states


def _each(value, optimizer) -> list:
    """A number for each parameter group."""
    count, many = len(optimizer.param_groups), isinstance(value, (list, tuple))
    return list(value) if many else [value] * count


SCALES = {
    "triangular": lambda gamma, n: 1.0,
    "triangular2": lambda gamma, n: 1 / 2.0 ** (n - 1),
    "exp_range": lambda gamma, n: gamma**n,
}


class CyclicLR(LRScheduler):
    """Up from ``base_lr`` to ``max_lr``, down again, and so on; momentum against it."""

    def __init__(
        self, optimizer, base_lr, max_lr, step_size_up=2000, step_size_down=None,
        mode="triangular", gamma=1.0, scale_fn=None, scale_mode="cycle",
        cycle_momentum=True, base_momentum=0.8, max_momentum=0.9, last_epoch=-1,
    ):  # fmt: skip
        _check_optimizer(optimizer)
        _check_waves(optimizer, mode, scale_fn, cycle_momentum)
        up, down = step_size_up, step_size_down or step_size_up
        self.total_size, self.step_ratio = float(up + down), up / (up + down)
        self.mode, self.gamma, self._scale_fn_custom = mode, gamma, scale_fn
        self.cycle_momentum, self.use_beta1 = (
            cycle_momentum,
            "betas" in optimizer.defaults,
        )
        known = "iterations" if mode == "exp_range" else "cycle"
        self.scale_mode = known if scale_fn is None else scale_mode
        given = base_lr, max_lr, base_momentum, max_momentum
        given = (_each(value, optimizer) for value in given)
        base, self.max_lrs, self.base_momentums, self.max_momentums = given
        for rate, group in zip(base, optimizer.param_groups, strict=True):
            group["lr"] = rate if last_epoch == -1 else group["lr"]
        super().__init__(optimizer, last_epoch)
        self.base_lrs = base


def _check_waves(optimizer, mode: str, scale_fn, momentum: bool) -> None:
    """Refuse a shape that has no name, and momentum where there is none."""
    if mode not in SCALES and scale_fn is None:
        raise ValueError(
            f"mode is invalid and scale_fn is None: {mode!r} is none of "
            f"{', '.join(SCALES)} (Chapter 18)"
        )
    if momentum and not {"momentum", "betas"} & optimizer.defaults.keys():
        raise ValueError(
            "optimizer must support momentum or beta1 with `cycle_momentum` option "
            "enabled: cycle_momentum=False (Chapter 18)"
        )


def _wave(self) -> list:
    """The rates of this step; the momentum is set on the way."""
    self._scaled(1)
    k, groups = self.last_epoch, self.optimizer.param_groups
    cycle = math.floor(1 + k / self.total_size)
    x = 1 + k / self.total_size - cycle
    high = min(x / self.step_ratio, (x - 1) / (self.step_ratio - 1))
    scale = self._scale_fn_custom or (lambda n: SCALES[self.mode](self.gamma, n))
    high *= scale(cycle if self.scale_mode == "cycle" else k)
    bounds = self.base_momentums, self.max_momentums, groups
    for low, top, group in zip(*bounds, strict=True) if self.cycle_momentum else ():
        now = top - (top - low) * high
        betas = self.use_beta1 and {"betas": (now, *group["betas"][1:])}
        group |= betas or {"momentum": now}
    pairs = zip(self.base_lrs, self.max_lrs, strict=True)
    return [low + (top - low) * high for low, top in pairs]


CyclicLR.get_lr = _wave
