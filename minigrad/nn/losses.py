# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Losses: how far a prediction is from a target, as one number or as many."""

import math
import warnings

import numpy as np

from minigrad.autograd.function import record
from minigrad.elementwise import bare, sigma
from minigrad.inplace import _NAMES
from minigrad.reductions import average, log_softmax, log_sum_exp
from minigrad.rules import PRIMITIVES, define
from minigrad.selections import deal
from minigrad.shapes import broadcast_tensors
from minigrad.tensor import Tensor, memory


def check_reduction(reduction: str) -> None:
    """Refuse what is neither none, nor mean, nor sum."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(
            f"{reduction} is not a valid value for reduction: write 'none', 'mean' or "
            "'sum' (Chapter 17)"
        )


def reduced(loss, reduction: str):
    """All the losses, their mean, or their sum: of an array, or of a tensor."""
    check_reduction(reduction)
    if reduction == "mean" and isinstance(loss, np.ndarray):
        return average(loss, None, keepdims=False)
    return loss if reduction == "none" else getattr(loss, reduction)()


def dealt(g, x, reduction: str):
    """What of g, the cotangent of a loss, belongs to each of the numbers of x."""
    return g / math.prod(x.shape) if reduction == "mean" else g


def _of_difference(name: str, node: str, value, slope):
    """A loss that depends on input - target: one node, its reduction included."""
    define(
        name,
        lambda x, y, *, reduction, at: reduced(value(x - y, at), reduction),
        x=lambda g, x, y, reduction, at: dealt(g, x, reduction) * slope(x - y, at),
        y=lambda g, x, y, reduction, at: -dealt(g, x, reduction) * slope(x - y, at),
    )
    return record(PRIMITIVES[name], name, node)


_mse = _of_difference(
    "mse_loss", "MseLossBackward0", lambda d, at: d * d, lambda d, at: 2 * d
)
_smooth_l1 = _of_difference(
    "smooth_l1_loss",
    "SmoothL1LossBackward0",
    lambda d, at: np.where(abs(d) < at, d * d / (2 * (at or 1)), abs(d) - at / 2),
    lambda d, at: np.where(np.abs(d) < at, d / (at or 1), np.sign(d)),
)
_huber = _of_difference(
    "huber_loss",
    "HuberLossBackward0",
    lambda d, at: np.where(abs(d) <= at, d * d / 2, at * (abs(d) - at / 2)),
    lambda d, at: np.where(np.abs(d) <= at, d, at * np.sign(d)),
)


def _paired(input, target) -> tuple:
    """Input and target in one shape; a warning if they had two."""
    for x in (input, target):
        if not isinstance(x, Tensor):
            raise AttributeError(
                f"'{type(x).__name__}' object has no attribute 'size': give a tensor, "
                "torch.tensor(data) (Chapter 17)"
            )
    if target.shape != input.shape:
        warnings.warn(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}). This will likely lead to incorrect results due to "
            "broadcasting. Please ensure they have the same size.",
            stacklevel=3,
        )
        return broadcast_tensors(input, target)
    return input, target


def mse_loss(input, target, reduction: str = "mean"):
    """The squares of the differences."""
    check_reduction(reduction)
    return _mse(*_paired(input, target), reduction, 0)


def l1_loss(input, target, reduction: str = "mean"):
    """The sizes of the differences."""
    check_reduction(reduction)
    input, target = _paired(input, target)
    return reduced((input - target).abs(), reduction)


def smooth_l1_loss(input, target, reduction: str = "mean", beta: float = 1.0):
    """Squares, over 2 beta, of differences below ``beta``; sizes above."""
    check_reduction(reduction)
    if beta < 0:
        raise RuntimeError(
            "smooth_l1_loss does not support negative values for beta: with beta=0 it "
            "is l1_loss (Chapter 17)"
        )
    return _smooth_l1(*_paired(input, target), reduction, beta)


def huber_loss(input, target, reduction: str = "mean", delta: float = 1.0):
    """Half the squares of differences up to ``delta``; delta times sizes above."""
    check_reduction(reduction)
    if delta <= 0:
        raise RuntimeError(
            "huber_loss does not support non-positive values for delta: take l1_loss "
            "instead (Chapter 17)"
        )
    return _huber(*_paired(input, target), reduction, delta)


def at_targets(x: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Of each row of x, the number in the column that ``target`` names."""
    return x[np.arange(len(x)), target]


def picked_loss(x: np.ndarray, target, weight, over: float, total: bool):
    """Minus the picked log-probabilities, weighted; or their mean."""
    losses = -at_targets(x, target) * weight
    return losses.sum() / over if total else losses


def back_to_rows(g, weight, over: float, total: bool):
    """What of g, the cotangent of a picked loss, belongs to each row: (n, 1)."""
    return np.reshape(g / over * weight if total else g * weight, (-1, 1))


define(
    "nll_loss",
    lambda x, *, target, weight, over, total: picked_loss(
        x, target, weight, over, total
    ),
    x=lambda g, x_shape, target, weight, over, total: (
        -deal(
            back_to_rows(g, weight, over, total),
            index=target[:, None],
            axis=1,
            shape=x_shape,
        )
    ),
)
_nll = record(PRIMITIVES["nll_loss"], "nll_loss", "NllLossBackward0")


def softmax_less_onehot(v, x, target):
    """The product vᵀJ of all rows: v times softmax(x) - onehot(target)."""
    if isinstance(v, Tensor):  # to be differentiated once more
        onehot = np.zeros_like(bare(x))
        onehot[np.arange(len(target)), target] = 1
        return v * (np.exp(log_softmax(x, 1)) - onehot)
    slope = np.exp(x - log_sum_exp(x, (1,), True))
    slope[np.arange(len(target)), target] -= 1
    slope *= v
    return slope


define(
    "cross_entropy",
    lambda x, *, target, weight, over, total: picked_loss(
        x - log_sum_exp(x, (1,), True), target, weight, over, total
    ),
    x=lambda g, x, target, weight, over, total: softmax_less_onehot(
        back_to_rows(g, weight, over, total), x, target
    ),
)
_cross_entropy = record(PRIMITIVES["cross_entropy"], "nll_loss", "NllLossBackward0")


def _by_class(loss, input, target, weight, ignore_index: int, reduction: str):
    """A loss of rows (n, c) and classes (n,), in the shape that was asked for."""
    check_reduction(reduction)
    _check_classes(input, target, weight)
    if input.ndim == 1:
        input, target = input.reshape(1, -1), target.reshape(1)
        return _by_class(loss, input, target, weight, ignore_index, reduction).reshape(
            () if reduction != "none" else target.shape[1:]
        )
    shape, classes = target.shape, memory(target).reshape(-1)
    if input.ndim > 2:
        input = input.transpose(1, -1) if input.ndim == 3 else input.movedim(1, -1)
        input = input.reshape(-1, input.shape[-1])
    count, kept = input.shape[1], classes != ignore_index
    fits = (classes >= 0) & (classes < count) | ~kept
    if not fits.all():
        raise IndexError(
            f"Target {classes[~fits][0]} is out of bounds: classes are numbered from "
            f"0 to {count - 1} (Chapter 17)"
        )
    classes = np.where(kept, classes, 0).astype(np.int64)
    own = np.ones(count) if weight is None else weight._array
    each = (np.take_along_axis(own, classes, 0) * kept).astype(input._array.dtype)
    over = each.sum() if reduction == "mean" else 1.0
    found = loss(input, classes, each, over, reduction != "none")
    return found if reduction != "none" else found.reshape(shape)


def _check_classes(input, target, weight) -> None:
    """Refuse targets whose shape or dtype does not fit the input."""
    x, t = tuple(input.shape), tuple(target.shape)
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(
            "expected target dtype to be Long or Byte, but got "
            f"{_NAMES[target.dtype.name]}: convert it, target.long() (Chapter 17)"
        )
    if len(x) == 1 and t not in ((), (1,)):
        raise ValueError(
            f"For 1D input, 1D target must have size 1, but got target size: {t[0]}; "
            "one row has one class (Chapter 17)"
        )
    if len(x) > 1 and (not t or x[0] != t[0]):
        raise ValueError(
            f"Expected input batch_size ({x[0]}) to match target batch_size "
            f"({t[0] if t else 0}): one class for each row (Chapter 17)"
        )
    if len(x) == 2 and len(t) > 1:
        raise RuntimeError(
            "0D or 1D target tensor expected, multi-target not supported: "
            "target.squeeze(1) has one axis (Chapter 17)"
        )
    if len(x) > 2 and t != (x[0], *x[2:]):
        raise RuntimeError(
            f"Expected target size {[x[0], *x[2:]]}, got {list(t)}: the classes of the "
            "input are on axis 1 (Chapter 17)"
        )
    n = x[1 if len(x) > 1 else 0]
    if weight is not None and tuple(weight.shape) != (n,):
        raise RuntimeError(
            f"weight tensor should be defined either for all {n} classes or no classes "
            f"but got weight tensor of shape: {list(weight.shape)}; give one weight "
            "for each class (Chapter 17)"
        )


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Minus the log-probabilities of the classes that were right."""
    if input.ndim == 0:
        raise ValueError(
            "Expected 1 or more dimensions (got 0): give a row for each class "
            "(Chapter 17)"
        )
    return _by_class(_nll, input, target, weight, ignore_index, reduction)


def cross_entropy(
    input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0
):
    """Of logits (n, c, …): how surprising the classes (n, …) are, or (n, c, …) shares.

    Raises ValueError, RuntimeError or IndexError for targets that do not fit.
    """
    check_reduction(reduction)
    if label_smoothing > 1:
        raise RuntimeError(
            "label_smoothing must be between 0.0 and 1.0. Got: "
            f"{label_smoothing:g}; 0.1 is usual (Chapter 17)"
        )
    if target.shape == input.shape and target.is_floating_point():
        return _by_shares(
            input, target, weight, ignore_index, reduction, label_smoothing
        )
    own = weight, ignore_index, reduction
    hard = _by_class(_cross_entropy, input, target, *own)
    if label_smoothing <= 0:
        return hard
    return hard * (1 - label_smoothing) + _smooth(input, target, *own) * label_smoothing


def along_classes(weight, ndim: int):
    """Weights of classes, in a shape that broadcasts: classes are on axis 1, or 0."""
    return weight.view(-1) if ndim == 1 else weight.view(-1, *(1,) * (ndim - 2))


def _smooth(input, target, weight, ignore_index, reduction):
    """The mean, over classes, of the loss that each would give: for smoothed labels."""
    axis = 1 if input.ndim > 1 else 0
    share = -log_softmax(input, axis)
    if weight is not None:
        share = share * along_classes(weight, input.ndim)
    if input.ndim == 1:
        target = target.reshape(())
    kept = target != ignore_index
    losses = share.sum(axis) / input.shape[axis] * kept
    if reduction != "mean":
        return reduced(losses, reduction)
    own = kept if weight is None else weight[target * kept] * kept
    return losses.sum() / own.sum()


def _by_shares(input, target, weight, ignore_index, reduction, label_smoothing):
    """Cross-entropy against a distribution for each row."""
    if ignore_index >= 0:
        raise RuntimeError(
            "ignore_index is not supported for floating point target: leave it out, "
            "or give classes (Chapter 17)"
        )
    axis = 1 if input.ndim > 1 else 0
    count = input.shape[axis]
    target = target * (1 - label_smoothing) + label_smoothing / count
    losses = -(log_softmax(input, axis) * target)
    if weight is not None:
        losses = losses * along_classes(weight, input.ndim)
    losses = losses.sum(axis)
    if reduction != "mean":
        return reduced(losses, reduction)
    return losses.sum() / (input.numel() // count)


def bounded_log(x):
    """The logarithm, not below -100: a probability of 0 costs much, not infinity."""
    return np.maximum(np.log(x), -100)


def softplus_of(x):
    """log(1 + exp x), of an array or of a tensor, without overflow."""
    return np.log1p(np.exp(-np.abs(x))) + np.maximum(x, 0)


define(
    "bce",
    lambda x, y, *, reduction: reduced(
        -(y * bounded_log(x) + (1 - y) * bounded_log(1 - x)), reduction
    ),
    x=lambda g, x, y, reduction: (
        dealt(g, x, reduction) * (x - y) / np.maximum(x * (1 - x), 1e-12)
    ),
    y=lambda g, x, reduction: (
        dealt(g, x, reduction) * (bounded_log(1 - x) - bounded_log(x))
    ),
)


define(
    "bce_logits",
    lambda x, y, *, reduction, positive: reduced(
        (1 - y) * x + (1 + (positive - 1) * y) * softplus_of(-x), reduction
    ),
    x=lambda g, x, y, reduction, positive: (
        dealt(g, x, reduction) * (1 - y - (1 + (positive - 1) * y) * sigma(-x))
    ),
    y=lambda g, x, reduction, positive: (
        dealt(g, x, reduction) * ((positive - 1) * softplus_of(-x) - x)
    ),
)


_bce = record(PRIMITIVES["bce"], "binary_cross_entropy", "BinaryCrossEntropyBackward0")
_bce_logits = record(
    PRIMITIVES["bce_logits"],
    "binary_cross_entropy_with_logits",
    "BinaryCrossEntropyWithLogitsBackward0",
)


def binary_cross_entropy(input, target, weight=None, reduction: str = "mean"):
    """How surprising yes (1) and no (0) are, to probabilities of yes."""
    check_reduction(reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Using a target size ({target.shape}) that is different to the input size "
            f"({input.shape}) is deprecated. Please ensure they have the same size: "
            "target.reshape(input.shape) (Chapter 17)"
        )
    for name, x in (("input", input), ("target", target)):
        if not ((x._array >= 0) & (x._array <= 1) | np.isnan(x._array)).all():
            raise RuntimeError(
                f"all elements of {name} should be between 0 and 1: a sigmoid makes "
                "probabilities of logits (Chapter 17)"
            )
    if weight is None:
        return _bce(input, target, reduction)
    return reduced(_bce(input, target, "none") * weight, reduction)


def binary_cross_entropy_with_logits(
    input, target, weight=None, reduction: str = "mean", pos_weight=None
):
    """The same, to logits: sigmoid and logarithm in one, which does not overflow."""
    check_reduction(reduction)
    if target.shape != input.shape:
        raise ValueError(
            f"Target size ({target.shape}) must be the same as input size "
            f"({input.shape}): target.reshape(input.shape) (Chapter 17)"
        )
    positive = 1.0 if pos_weight is None else pos_weight._array
    if weight is None:
        return _bce_logits(input, target, reduction, positive)
    return reduced(_bce_logits(input, target, "none", positive) * weight, reduction)


def kl_div(input, target, reduction: str = "mean", log_target: bool = False):
    """The divergence Σ target (log target - input), of log-probabilities ``input``."""
    if reduction == "mean":
        warnings.warn(
            "reduction: 'mean' divides the total loss by both the batch size and the "
            "support size.'batchmean' divides only by the batch size, and aligns with "
            "the KL div math definition.'mean' will be changed to behave the same as "
            "'batchmean' in the next major release.",
            stacklevel=2,
        )
    if log_target:
        losses = target.exp() * (target - input)
    else:
        known = (target > 0).to(target.dtype)
        losses = target * (target + (1 - known)).log() - target * input
    if reduction == "batchmean":
        return losses.sum() / input.shape[0]
    return reduced(losses, reduction)
