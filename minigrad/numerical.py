# Generated from chapter 1 (book/ch01-derivatives.ipynb): edit the chapter, not this.
"""Numerical derivatives: move x a little and watch f.

The derivative of f at x is a linear map: it takes a direction in which x may move to
the rate at which f(x) then changes. Its matrix is J, the Jacobian, and there are
three ways to ask about it:

* ``numerical_jvp(f, x, v)``: J v, the rate of change of f(x) as x moves along v;
* ``numerical_vjp(f, x, u)``: uᵀJ, the rate of change of ⟨u, f(x)⟩ with each x[i];
* ``numerical_jacobian(f, x)``: J itself, one column for each x[i].

f stays a black box: it is called at points near x and never looked into. That makes
these functions slow, approximate, and independent of all that they are used to check.
"""

import warnings
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import ArrayLike

# The relative step of each method: the machine epsilon, raised to this power.
_POWER = {"forward": 1 / 2, "central": 1 / 3, "complex": 2}


def _floats(value: ArrayLike, name: str) -> np.ndarray:
    """Copy ``value`` into an array of finite real floats, or say why it cannot be."""
    array = np.array(value, order="C")
    if not np.issubdtype(array.dtype, np.floating):
        advice = f"If it holds integers, convert them: {name}.astype(float)."
        if np.iscomplexobj(array):
            advice = "Treat real and imaginary parts as two real arrays."
        raise RuntimeError(
            f"{name} must have a floating point dtype, got {array.dtype}. {advice}"
        )
    if not np.isfinite(array).all():
        raise ValueError(
            f"{name} holds inf or nan, from which no difference can be taken. "
            f"Find them with np.argwhere(~np.isfinite({name}))."
        )
    return array


def _evaluate(f: Callable, point: np.ndarray) -> np.ndarray:
    """``f(point)`` as a fresh array. f gets a copy, and must leave it as it was."""
    given = np.array(point)
    with np.errstate(all="ignore"):  # results are checked: no need to warn as well
        result = f(given)
    if not np.array_equal(given, point):
        raise RuntimeError(
            "f changed its input in place, so it would see another x in every call. "
            "Begin f with x = x.copy()."
        )
    if not isinstance(result, (np.ndarray, np.generic, float, complex)):
        raise TypeError(
            f"f must return a NumPy array or a float, got {type(result).__name__}. "
            "Join lists with np.array or np.stack; None means a missing return."
        )
    return np.array(result)


_LOST_IMAGINARY = (
    "The complex step reads the imaginary part, which f loses or bends: look for "
    "np.abs, np.real, np.conj, np.linalg.norm, casts to float. Use method='central'."
)


def _nearby(f: Callable, point: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The value of f close to x: finite, and of the shape and kind of y = f(x)."""
    result = _evaluate(f, point)
    if result.shape != y.shape:
        raise RuntimeError(
            f"f returned shape {y.shape} at x but {result.shape} close to x. "
            "Let no shape inside f depend on the values in x."
        )
    if result.dtype.kind != (kind := point.dtype.kind):
        advice = _LOST_IMAGINARY if kind == "c" else "Let every path return floats."
        raise RuntimeError(
            f"f returned {result.dtype} for {point.dtype} close to x. {advice}"
        )
    if not np.isfinite(result).all():
        raise ValueError(
            "f(x) is finite, but f holds inf or nan close to x. "
            "Pass a smaller step=, or try method='complex'."
        )
    return result


def _sizes(x: np.ndarray) -> np.ndarray:
    """|x|, but at least 0.1: a step that is relative to zero goes nowhere."""
    return np.maximum(np.abs(x), 0.1, dtype=np.result_type(x, np.float64))


def _step(x: np.ndarray, y: np.ndarray, v: np.ndarray, method: str) -> float:
    """The t for x + t·v that moves no element of x further than its size allows."""
    eps = max(float(np.finfo(array.dtype).eps) for array in (x, y))
    return eps ** _POWER[method] / np.max(np.abs(v) / _sizes(x))


def _difference(f, x, y, v, t, method) -> np.ndarray:
    """J v from a change of f, over the step that was really made."""
    ahead = (x + t * v).astype(x.dtype)
    behind = x if method == "forward" else (x - t * v).astype(x.dtype)
    moved = ahead.astype(v.dtype) - behind
    hardest = np.argmax(np.abs(v) / _sizes(x))
    t = moved.flat[hardest] / v.flat[hardest]
    lost = np.abs(moved - t * v).max() / np.abs(t * v).max() if t else 1.0
    if not lost < np.finfo(x.dtype).eps ** 0.25:
        raise ValueError(
            "the step along v is lost in the rounding of x. "
            "Pass a larger step=, or use method='complex'."
        )
    before = y if method == "forward" else _nearby(f, behind, y)
    return (_nearby(f, ahead, y).astype(v.dtype) - before) / t


def _complex_step(f, x, y, v, t) -> np.ndarray:
    """J v from the imaginary part of f(x + i·t·v): nothing is subtracted."""
    point = (x + 1j * t * v).astype(np.result_type(x, np.complex64))
    if not point.imag.any():
        raise ValueError(f"step={t} is zero in {point.dtype}. Pass a larger step=.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", np.exceptions.ComplexWarning)
        return _nearby(f, point, y).imag.astype(v.dtype) / t


def _check_analytic(f, x, y) -> None:
    """Raise if the complex step contradicts real steps ahead and behind."""
    ramp = 1 + np.arange(x.size).reshape(x.shape) / x.size
    v = np.copysign(_sizes(x), x) * ramp  # every element moves, no two alike
    slope = _complex_step(f, x, y, v, _step(x, y, v, "complex"))
    t = _step(x, y, v, "central")
    try:
        ahead = _difference(f, x, y, v, t, "forward")
        behind = _difference(f, x, y, v, -t, "forward")
    except ValueError:
        return  # f is not finite there: a real step has no opinion
    gap, middle = np.abs(ahead - behind), (ahead + behind) / 2
    rounding = 100 * np.finfo(y.dtype).eps * np.abs(y) / t
    trusted = gap < 0.1 * np.abs(middle)
    wrong = np.abs(middle - slope) > gap + rounding + 0.001 * np.abs(middle)
    if (trusted & wrong).any():
        raise RuntimeError(f"f is not complex differentiable at x. {_LOST_IMAGINARY}")


def _start(f: Callable, x: ArrayLike, method: str, step: float | None) -> tuple:
    """Check the question, and return x and y = f(x) as arrays of floats."""
    if method not in _POWER:
        raise ValueError(f"unknown method {method!r}. Choose from {[*_POWER]}.")
    if step is not None and not 0 < step < np.inf:
        raise ValueError(f"step must be positive and finite, got {step}.")
    x = _floats(x, "x")
    y = _floats(_evaluate(f, x), "f(x)")
    if method == "complex" and x.size:
        _check_analytic(f, x, y)
    return x, y


def _direction(value: ArrayLike, name: str, like: np.ndarray, of: str) -> np.ndarray:
    """``value`` as floats of exactly the shape of ``like``."""
    array = _floats(value, name)
    if array.shape != like.shape:
        raise RuntimeError(
            f"{name} has invalid shape {array.shape}: should be {like.shape}, the "
            f"shape of {of}. Broadcast it yourself, with np.broadcast_to."
        )
    return array


def _slope(f, x, y, v, method, step) -> np.ndarray:
    """J v for a checked question, in double precision or better."""
    v = v.astype(np.result_type(x, y, np.float64))
    if not v.any():
        return np.zeros(y.shape, v.dtype)
    if step is not None:
        t = step
    else:
        t = _step(x, y, v, method)
        reach = np.abs(v).max() / np.max(np.abs(v) / _sizes(x))
        limit = np.finfo(x.dtype).eps ** (-1 / 8)  # 90 in float64, 7 in float32
        large = (v != 0) & (_sizes(x) > limit * reach)
        if large.any():  # J is linear: elements of other sizes take their own turn
            parts = np.where(large, 0, v), np.where(large, v, 0)
            return sum(_slope(f, x, y, part, method, step) for part in parts)
    if method == "complex":
        return _complex_step(f, x, y, v, t)
    return _difference(f, x, y, v, t, method)


def numerical_jvp(
    f: Callable,
    x: ArrayLike,
    v: ArrayLike,
    *,
    method: str = "central",
    step: float | None = None,
) -> np.ndarray:
    """J v, the rate of change of f(x) as x moves along v.

    f takes an array like x and returns a float or an array of floats, of any shape.
    x and v are floats of one shape (arrays, nested lists, or numbers). ``method`` is

    * ``"forward"``: 2 calls of f, half of the digits;
    * ``"central"``: 3 calls of f, two thirds of the digits;
    * ``"complex"``: 5 calls of f, all digits, if f is analytic and takes complex x.

    ``step`` is the t in f(x + t·v). By default it follows from the dtypes and from
    |x| (or 0.1 where x is smaller), and elements of very different size are moved in
    separate turns, each of one call or two. Pass a step for an f that bends over
    shorter distances than |x|, such as 1/x at 1e-8 or sin(x) at 1e8.

    Returns an array of the shape and dtype of f(x). f is evaluated in the precision
    of x, so float32 input gets float32 accuracy: about 4 digits with "central".

    Raises RuntimeError if x or v is not floating point, if their shapes differ, or if
    f changes its input, its shape, or (with "complex") drops the imaginary part;
    TypeError if f returns no array; ValueError for inf, nan or a step that is lost.
    """
    x, y = _start(f, x, method, step)
    v = _direction(v, "v", x, "x")
    return np.asarray(_slope(f, x, y, v, method, step), dtype=y.dtype)


def _columns(f, x, y, method, step) -> Iterator[np.ndarray]:
    """J e for each unit vector e: how f(x) answers to one element of x alone."""
    for i in range(x.size):
        e = np.zeros(x.shape)
        e.flat[i] = 1
        yield _slope(f, x, y, e, method, step)


def numerical_jacobian(
    f: Callable,
    x: ArrayLike,
    *,
    method: str = "central",
    step: float | None = None,
) -> np.ndarray:
    """J, of shape ``f(x).shape + x.shape``: J[k, i] is the rate of f(x)[k] with x[i].

    One JVP for each element of x: with n elements, n + 1 calls of f ("forward"),
    2n + 1 ("central") or n + 4 ("complex"). The dtype is that of f(x). The arguments
    and errors are those of `numerical_jvp`; ``step`` is then the same for every x[i].
    """
    x, y = _start(f, x, method, step)
    jacobian = np.empty((y.size, x.size), y.dtype)
    for i, column in enumerate(_columns(f, x, y, method, step)):
        jacobian[:, i] = column.ravel()
    return jacobian.reshape(y.shape + x.shape)


def numerical_vjp(
    f: Callable,
    x: ArrayLike,
    u: ArrayLike,
    *,
    method: str = "central",
    step: float | None = None,
) -> np.ndarray:
    """uᵀJ, the rate of change of ⟨u, f(x)⟩ with each element of x.

    u holds a float weight for each element of f(x), and has its shape. The result is
    a gradient: it has the shape and dtype of x. J is never built, but each of its
    columns is computed, so the calls of f are as many as `numerical_jacobian` makes.
    The other arguments and errors are those of `numerical_jvp`.
    """
    x, y = _start(f, x, method, step)
    u = _direction(u, "u", y, "f(x)")
    weighted = (np.sum(u * column) for column in _columns(f, x, y, method, step))
    return np.array([*weighted], dtype=x.dtype).reshape(x.shape)
