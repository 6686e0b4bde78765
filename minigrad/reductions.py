# Generated from chapter 9 (book/ch09-reductions.ipynb): edit the chapter, not this.
"""Reductions: many numbers become one, and g comes back to all that had a part in it.

Each rule says how large the part was. A sum passes g on as it is, a mean divides it, a
maximum gives it to the winner, a norm deals it out in proportion.
"""

import builtins
import math
import warnings

import numpy as np

from minigrad.autograd.function import record
from minigrad.dtypes import int64
from minigrad.elementwise import bare
from minigrad.ops import _axes, _axis, check_tensor, to
from minigrad.protocols import FUNCTIONS
from minigrad.rules import PRIMITIVES, define, spread
from minigrad.tensor import Tensor, extend, wrap


def keep(g, shape: tuple, axis: tuple):
    """Give g the reduced axes back, with length 1, so that it broadcasts again."""
    return np.reshape(g, tuple(1 if k in axis else n for k, n in enumerate(shape)))


def share(x, out, axis: tuple, nan: bool = False) -> np.ndarray:
    """What part of a maximum each element is: all that are equal get equal parts.

    ``nan``: if one is not a number, neither is the maximum, and it gets g.
    """
    x, out = bare(x), keep(bare(out), x.shape, axis)
    mask = (x == out) | (nan & (x != x) & (out != out))
    return (mask / mask.sum(axis=axis, keepdims=True)).astype(x.dtype)


def freedom(shape: tuple, axis: tuple, correction: float) -> float:
    """The divisor of a variance: the number of elements, less the correction."""
    return float(builtins.max(math.prod(shape[k] for k in axis) - correction, 0))


def average(x, axis: tuple, keepdims: bool = True):
    """np.mean, and not a number of nothing, of which NumPy would warn."""
    if 0 in x.shape:
        return np.sum(x, axis=axis, keepdims=keepdims) * np.nan
    return np.mean(x, axis=axis, keepdims=keepdims)


def centred(x, axis: tuple):
    """What is left of x when its mean is taken away."""
    return x - average(x, axis)


def _var(x, *, axis, keepdims, correction):
    """The mean square of what is left, with a divisor that is a little smaller."""
    squares = np.sum(centred(x, axis) ** 2, axis=axis, keepdims=keepdims)
    return squares / x.dtype.type(freedom(x.shape, axis, correction))


def twice_over(shape: tuple, axis: tuple, correction: float) -> float:
    """2 / (n - correction), the factor in the slope of a variance."""
    n = freedom(shape, axis, correction)
    return 2 / n if n else math.inf


define(
    "mean",
    lambda x, *, axis, keepdims: average(x, axis, keepdims),
    x=lambda g, x_shape, axis: spread(g, x_shape, axis) / freedom(x_shape, axis, 0),
)
define(
    "var",
    _var,
    x=lambda g, x, axis, correction: (
        keep(g, x.shape, axis)
        * twice_over(x.shape, axis, correction)
        * centred(x, axis)
    ),
)
define(
    "std",
    lambda x, *, axis, keepdims, correction: np.sqrt(
        _var(x, axis=axis, keepdims=keepdims, correction=correction)
    ),
    x=lambda g, x, out, axis, correction: (
        keep(np.where(out == 0, 0, g / (2 * out)), x.shape, axis)
        * twice_over(x.shape, axis, correction)
        * centred(x, axis)
    ),
)


define(
    "amax",
    lambda x, *, axis, keepdims: np.max(x, axis=axis, keepdims=keepdims),
    x=lambda g, x, out, axis: keep(g, x.shape, axis) * share(x, out, axis),
)
define(
    "amin",
    lambda x, *, axis, keepdims: np.min(x, axis=axis, keepdims=keepdims),
    x=lambda g, x, out, axis: keep(g, x.shape, axis) * share(x, out, axis),
)
define(
    "max",
    lambda x, *, axis: np.max(x, axis=axis),
    x=lambda g, x, out, axis: g * share(x, out, axis, nan=True),
)
define(
    "min",
    lambda x, *, axis: np.min(x, axis=axis),
    x=lambda g, x, out, axis: g * share(x, out, axis, nan=True),
)


define(
    "logsumexp",
    lambda x, *, axis, keepdims: log_sum_exp(x, axis, keepdims),
    x=lambda g, x, out, axis: (
        keep(g, x.shape, axis) * np.exp(x - keep(out, x.shape, axis))
    ),
)
define(
    "softmax",
    lambda x, *, axis: shares_of(np.exp(x - peak(x, axis)), axis),
    x=lambda g, out, axis: out * (g - np.sum(g * out, axis=axis, keepdims=True)),
)
define(
    "log_softmax",
    lambda x, *, axis: x - log_sum_exp(x, axis, True),
    x=lambda g, out, axis: g - np.exp(out) * np.sum(g, axis=axis, keepdims=True),
)


def peak(x: np.ndarray, axis: tuple) -> np.ndarray:
    """The largest along axes, to be taken away; 0 where it is infinite or nan."""
    top = np.max(x, axis=axis, keepdims=True, initial=-np.inf)
    return np.where(np.isfinite(top), top, 0)


def shares_of(e: np.ndarray, axis: tuple) -> np.ndarray:
    """What part of their sum numbers are."""
    return e / np.sum(e, axis=axis, keepdims=True)


def log_sum_exp(x: np.ndarray, axis: tuple, keepdims: bool) -> np.ndarray:
    """The log of Σ exp x, the peak taken away before, so that no exp overflows."""
    top = peak(x, axis)
    total = np.log(np.sum(np.exp(x - top), axis=axis, keepdims=True)) + top
    return total if keepdims else np.squeeze(total, axis=axis)


# prod: each element's slope is the product of all the others
def others(x, out, axis: tuple):
    """The product of all elements but one, for each; right where some are 0, too."""
    if x.shape == ():
        return np.ones_like(bare(x))
    if bare(x).all():
        return keep(out, x.shape, axis) / x
    rest = tuple(k for k in range(len(x.shape)) if k not in axis)
    n = math.prod(x.shape[k] for k in axis)
    lines = np.reshape(
        np.transpose(x, rest + axis), (*(x.shape[k] for k in rest), 1, n)
    )
    without = np.prod(np.where(np.eye(n, dtype=bool), 1, lines), axis=-1)
    back = np.reshape(without, tuple(x.shape[k] for k in rest + axis))
    return np.transpose(back, tuple(np.argsort(rest + axis).tolist()))


define(
    "prod",
    lambda x, *, axis, keepdims: np.prod(x, axis=axis, keepdims=keepdims),
    x=lambda g, x, out, axis: keep(g, x.shape, axis) * others(x, out, axis),
)


# norm: the slope is x, to the power p - 1, against the norm
def _norm(x, *, axis, keepdims, p):
    """The p-norm: largest and smallest for ±inf, the count of what is not 0 for 0."""
    size, how = np.abs(x), {"axis": axis, "keepdims": keepdims}
    if math.isinf(p):
        return (np.max if p > 0 else np.min)(size, **how)
    if p == 0:
        return np.sum(size != 0, **how).astype(x.dtype)
    if p == 2:
        return np.sqrt(np.sum(x * x, **how))
    return np.sum(size**p, **how) ** (1 / p)


def norm_slope(x, out, axis: tuple, p: float):
    """How much of the norm each element is, with its sign."""
    out, size = keep(out, x.shape, axis), np.abs(x)
    if math.isinf(p):
        return np.sign(x) * share(size, out, axis)
    if p == 0:
        return np.zeros_like(x)
    if p == 1:
        return np.sign(x)
    if p == 2:
        return np.where(out == 0, 0, x / out)
    slope = np.sign(x) * (size / out) ** (p - 1)
    return np.where((out == 0) | ((size == 0) & (p < 2)), 0, slope)


define(
    "norm",
    _norm,
    x=lambda g, x, out, axis, p: keep(g, x.shape, axis) * norm_slope(x, out, axis, p),
)


# running sums run back
def _cumsum(x, *, axis, back=False):
    """The sums of all elements so far, from the front or from the back."""
    if x.ndim == 0:
        return np.array(x)
    return np.flip(np.cumsum(np.flip(x, axis), axis), axis) if back else x.cumsum(axis)


define("cumsum", _cumsum, x=lambda g, axis, back: cumsum_of(g, axis, not back))


def cumsum_of(g, axis: int, back: bool):
    """A running sum of an array, or of a tensor."""
    return (_running if isinstance(g, Tensor) else _cumsum)(g, axis=axis, back=back)


def _cumprod_rule(g, x, out, axis: int):
    """Σ over later k of g_k times the product of all before k but this one."""
    if x.shape == ():
        return g
    if bare(x).all():
        return cumsum_of(g * out, axis, True) / x
    n = x.shape[axis]
    order = (*(k for k in range(len(x.shape)) if k != axis), axis)
    lines = tuple(x.shape[k] for k in order)
    x, g = (np.transpose(a, order) for a in (x, g))
    stacked = np.reshape(x, (*lines[:-1], 1, n))
    but_one = np.where(np.eye(n, dtype=bool), 1, stacked)
    products = np.cumprod(but_one, -1) * np.triu(np.ones((n, n), bare(x).dtype))
    total = np.sum(products * np.reshape(g, (*lines[:-1], 1, n)), axis=-1)
    return np.transpose(total, tuple(np.argsort(order).tolist()))


define(
    "cumprod",
    lambda x, *, axis: np.cumprod(x, axis) if x.ndim else np.array(x),
    x=lambda g, x, out, axis: _cumprod_rule(g, x, out, axis),
)


_mean = record(PRIMITIVES["mean"], "mean", "MeanBackward0")
_mean_dim = record(PRIMITIVES["mean"], "mean", "MeanBackward1")
_variance = record(PRIMITIVES["var"], "var", "VarBackward0")
_deviation = record(PRIMITIVES["std"], "std", "StdBackward0")
_amax = record(PRIMITIVES["amax"], "amax", "AmaxBackward0")
_amin = record(PRIMITIVES["amin"], "amin", "AminBackward0")
_logsumexp = record(PRIMITIVES["logsumexp"], "logsumexp", "LogsumexpBackward0")
_softmax = record(PRIMITIVES["softmax"], "softmax", "SoftmaxBackward0")
_log_softmax = record(PRIMITIVES["log_softmax"], "log_softmax", "LogSoftmaxBackward0")
_prod = record(PRIMITIVES["prod"], "prod", "ProdBackward0")
_prod_dim = record(PRIMITIVES["prod"], "prod", "ProdBackward1")
_p_norm = record(PRIMITIVES["norm"], "norm", "LinalgVectorNormBackward0")
_running = record(PRIMITIVES["cumsum"], "cumsum", "CumsumBackward0")
_running_product = record(PRIMITIVES["cumprod"], "cumprod", "CumprodBackward0")


def _float(name: str, input, dtype=None):
    """The input in a dtype of floats; RuntimeError if it is none."""
    check_tensor(name, input)
    input = input if dtype is None else to(input, dtype)
    if not input.is_floating_point():
        raise RuntimeError(
            f"{name}(): could not infer output dtype. Input dtype must be either a "
            f"floating point or complex dtype. Got: {_SPOKEN[input.dtype.name]}; "
            "convert it first, x.float() (Chapter 9)"
        )
    return input


_SPOKEN = {"int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char"}
_SPOKEN |= {"bool": "Bool", "uint8": "Byte"}


def mean(input, dim=None, keepdim=False, *, dtype=None, axis=None):
    """The mean over all axes, or over ``dim``, an axis or several."""
    input, dim = _float("mean", input, dtype), axis if dim is None else dim
    function = _mean if dim is None else _mean_dim
    return function(input, _axes(input, dim), keepdim)


def _corrected(name: str, input, dim, unbiased, keepdim, correction, function):
    """Read the two ways of saying what a variance is divided by."""
    input = _float(name, input)
    if isinstance(dim, bool):  # x.var(False)
        dim, unbiased = None, dim
    if correction is None:
        correction = int(unbiased)
    axes = _axes(input, dim)
    if not freedom(input.shape, axes, correction):
        warnings.warn(
            f"{name}(): degrees of freedom is <= 0. Correction should be strictly less "
            "than the reduction factor (input numel divided by output numel).",
            UserWarning,
            stacklevel=3,
        )
    return function(input, axes, keepdim, correction)


def var(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The variance: the mean square of what the mean leaves, over n - correction."""
    return _corrected("var", input, dim, unbiased, keepdim, correction, _variance)


def std(input, dim=None, unbiased=True, keepdim=False, *, correction=None):
    """The standard deviation: the square root of the variance."""
    return _corrected("std", input, dim, unbiased, keepdim, correction, _deviation)


def _nonempty(name: str, input, dim, axes: tuple) -> None:
    """Refuse to look for the largest of no numbers."""
    empty = [k for k in axes if input.shape[k] == 0]
    if empty and dim not in (None, (), []):
        raise IndexError(
            f"{name}(): Expected reduction dim {empty[0]} to have non-zero size: "
            "choose an axis that is not empty (Chapter 9)"
        )
    if empty:
        raise RuntimeError(
            f"{name}(): Expected reduction dim to be specified for input.numel() == 0. "
            "Specify the reduction dim with the 'dim' argument: an axis that is not "
            "empty (Chapter 9)"
        )


def amax(input, dim=(), keepdim=False):
    """The largest over axes; where several are largest, each gets its part of g."""
    check_tensor("amax", input)
    axes = _axes(input, dim)
    _nonempty("amax", input, dim, axes)
    return _amax(input, axes, keepdim)


def amin(input, dim=(), keepdim=False):
    """The smallest over axes; where several are smallest, each gets its part of g."""
    check_tensor("amin", input)
    axes = _axes(input, dim)
    _nonempty("amin", input, dim, axes)
    return _amin(input, axes, keepdim)


def prod(input, dim=None, keepdim=False, *, dtype=None):
    """The product of all elements, or along one axis."""
    check_tensor("prod", input)
    if dtype is None and input._array.dtype.kind in "bui":
        dtype = int64
    input = input if dtype is None else to(input, dtype)
    if dim is None:
        return _prod(input, _axes(input, None), False)
    return _prod_dim(input, (_axis(input, dim),) if input.ndim else (), keepdim)


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """The p-norm of all elements, or over ``dim``; "fro" is the one with p = 2."""
    p = 2.0 if p in ("fro", None) else float(p)
    input = _float("linalg.vector_norm", input, dtype)
    return _p_norm(input, _axes(input, dim), keepdim, p)


def logsumexp(input, dim, keepdim=False):
    """Log Σ exp over axes, computed so that no exp overflows."""
    check_tensor("logsumexp", input)
    input = input if input.is_floating_point() else input.float()
    return _logsumexp(input, _axes(input, dim), keepdim)


def _normalised(name: str, function):
    """Softmax and log_softmax, along one axis."""

    def normalise(input, dim: int, dtype=None):
        check_tensor(name, input)
        input = input if dtype is None else to(input, dtype)
        if not input.is_floating_point():
            raise NotImplementedError(
                f'"{name}_kernel_impl" not implemented for '
                f"'{_SPOKEN[input.dtype.name]}': convert it first, x.float() "
                "(Chapter 9)"
            )
        return function(input, (_axis(input, dim),) if input.ndim else ())

    normalise.__name__ = normalise.__qualname__ = name
    return normalise


softmax = _normalised("softmax", _softmax)
log_softmax = _normalised("log_softmax", _log_softmax)


def cumsum(input, dim: int, *, dtype=None):
    """The sums of all elements up to each, along an axis."""
    return _cumulate("cumsum", input, dim, dtype, _running)


def cumprod(input, dim: int, *, dtype=None):
    """The products of all elements up to each, along an axis."""
    return _cumulate("cumprod", input, dim, dtype, _running_product)


def _cumulate(name: str, input, dim, dtype, function):
    """A running sum or product; that of integers runs in int64."""
    check_tensor(name, input)
    if dtype is None and input._array.dtype.kind in "bui":
        dtype = int64
    input = input if dtype is None else to(input, dtype)
    axis = _axis(input, dim)
    return function(input, axis)


def _test(name: str, ufunc):
    """All and any: bools have no gradient."""

    def test(input, dim=None, keepdim=False):
        check_tensor(name, input)
        axes = _axes(input, dim)
        found = np.copy(ufunc(input._array, axis=axes, keepdims=keepdim))
        if input._array.dtype == np.uint8:
            found = found.astype(np.uint8)
        return wrap(found)

    test.__name__ = test.__qualname__ = name
    return test


all, any = _test("all", np.all), _test("any", np.any)


def count_nonzero(input, dim=None):
    """How many elements are not 0."""
    check_tensor("count_nonzero", input)
    return wrap(np.copy(np.sum(input._array != 0, axis=_axes(input, dim))))


def _np_mean(x, axis=None, keepdims=False):
    """np.mean of a tensor."""
    return mean(x, axis, keepdims)


def _np_prod(x, axis=None):
    """np.prod of a tensor."""
    return prod(x, axis)


FUNCTIONS |= {np.mean: _np_mean, np.prod: _np_prod, np.cumprod: cumprod}
__all__ = ["all", "amax", "amin", "any", "count_nonzero", "cumprod", "cumsum"]
__all__ += ["log_softmax", "logsumexp", "mean", "norm", "prod", "softmax", "std"]
__all__ += ["var"]
extend(**{name: globals()[name] for name in __all__})
