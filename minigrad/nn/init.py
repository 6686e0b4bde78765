# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Initial values: numbers drawn so that signals neither die out nor explode."""

import math
import warnings

import numpy as np

from minigrad.autograd.grad_mode import no_grad

GAINS = {"tanh": 5 / 3, "relu": math.sqrt(2), "selu": 3 / 4} | dict.fromkeys(
    ["linear", "sigmoid", "conv1d", "conv2d", "conv3d"]
    + [f"conv_transpose{k}d" for k in (1, 2, 3)],
    1,
)


def calculate_gain(nonlinearity: str, param=None) -> float:
    """How much larger weights are to be because of what an activation takes away."""
    if nonlinearity == "leaky_relu":
        slope = 0.01 if param is None else param
        if isinstance(slope, bool) or not isinstance(slope, (int, float)):
            raise ValueError(
                f"negative_slope {slope} not a valid number: write 0.01 (Chapter 17)"
            )
        return math.sqrt(2 / (1 + slope**2))
    if nonlinearity not in GAINS:
        raise ValueError(
            f"Unsupported nonlinearity {nonlinearity}: choose one of leaky_relu, "
            f"{', '.join(GAINS)} (Chapter 17)"
        )
    return GAINS[nonlinearity]


def _filled(method: str, *values, generator=None):
    """A function that fills a tensor, unrecorded, and returns it."""

    def fill(tensor, *given, **named):
        with no_grad():
            return getattr(tensor, method)(*values, *given, **named)

    fill.__name__ = fill.__qualname__ = method
    fill.__doc__ = f"Fill a tensor by its method ``{method}``, unrecorded; return it."
    return fill


zeros_, ones_, constant_ = (
    _filled("fill_", 0.0),
    _filled("fill_", 1.0),
    _filled("fill_"),
)


def uniform_(tensor, a: float = 0.0, b: float = 1.0, generator=None):
    """Fill with numbers drawn evenly from [a, b)."""
    return _filled("uniform_")(tensor, a, b, generator=generator)


def normal_(tensor, mean: float = 0.0, std: float = 1.0, generator=None):
    """Fill with normal numbers."""
    return _filled("normal_")(tensor, mean, std, generator=generator)


def eye_(tensor):
    """Fill with the identity matrix."""
    if tensor.ndim != 2:
        raise ValueError(
            "Only tensors with 2 dimensions are supported: the identity is a matrix "
            "(Chapter 17)"
        )
    with no_grad():
        return tensor.copy_(np.eye(*tensor.shape))


def _calculate_fan_in_and_fan_out(tensor) -> tuple[int, int]:
    """How many inputs an output has, and how many outputs an input, of a weight."""
    if tensor.ndim < 2:
        raise ValueError(
            "Fan in and fan out can not be computed for tensor with fewer than 2 "
            "dimensions: a bias is set by uniform_ or zeros_ (Chapter 17)"
        )
    field = math.prod(tensor.shape[2:])
    return tensor.shape[1] * field, tensor.shape[0] * field


def xavier_uniform_(tensor, gain: float = 1.0, generator=None):
    """Evenly from ± gain √(6 / (fan_in + fan_out)): variance 2 / (fan_in + fan_out)."""
    bound = gain * math.sqrt(6 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return uniform_(tensor, -bound, bound, generator)


def xavier_normal_(tensor, gain: float = 1.0, generator=None):
    """Normal, of deviation gain √(2 / (fan_in + fan_out))."""
    std = gain * math.sqrt(2 / sum(_calculate_fan_in_and_fan_out(tensor)))
    return normal_(tensor, 0.0, std, generator)


def _kaiming_std(tensor, a: float, mode: str, nonlinearity: str) -> float:
    """The deviation gain / √fan."""
    modes = ["fan_in", "fan_out"]
    if mode.lower() not in modes:
        raise ValueError(
            f"Mode {mode.lower()} not supported, please use one of {modes} (Chapter 17)"
        )
    fan = _calculate_fan_in_and_fan_out(tensor)[modes.index(mode.lower())]
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _nothing_to_fill(tensor) -> bool:
    """Warn of a tensor without elements, and say that it is one."""
    empty = 0 in tensor.shape
    if empty:
        warnings.warn("Initializing zero-element tensors is a no-op", stacklevel=3)
    return empty


def kaiming_uniform_(
    tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None
):
    """Evenly from ± √3 gain / √fan: variance gain² / fan."""
    if _nothing_to_fill(tensor):
        return tensor
    bound = math.sqrt(3) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


def kaiming_normal_(
    tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None
):
    """Normal, of deviation gain / √fan."""
    if _nothing_to_fill(tensor):
        return tensor
    return normal_(tensor, 0.0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor, gain: float = 1, generator=None):
    """A matrix whose rows, or columns, are of length ``gain`` and at right angles."""
    if tensor.ndim < 2:
        raise ValueError(
            "Only tensors with 2 or more dimensions are supported: rows at right "
            "angles need a matrix (Chapter 17)"
        )
    if tensor.numel() == 0:
        return tensor
    tall = normal_(tensor.detach().reshape(len(tensor), -1).clone(), 0, 1, generator)
    a = tall.numpy()
    q, r = np.linalg.qr(a if a.shape[0] >= a.shape[1] else a.T)
    q = q * np.sign(np.diag(r))
    q = q if a.shape[0] >= a.shape[1] else q.T
    with no_grad():
        return tensor.copy_((gain * q).reshape(tensor.shape).astype(a.dtype))
