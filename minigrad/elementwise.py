# Generated from chapter 9 (book/ch09-reductions.ipynb): edit the chapter, not this.
"""Elementwise functions: every Jacobian is diagonal, so every rule is one product.

An element of the result depends on one element of each operand. The vector-Jacobian
product is then g times the slope, element by element, and a row of the table below is
a function of NumPy beside its slope. What cannot have a slope, because it jumps from
one level to the next, passes zeros.
"""

import builtins
import math

import numpy as np

from minigrad import ops
from minigrad.autograd.function import record
from minigrad.creation import zeros_like
from minigrad.operands import is_array, operand, quietly
from minigrad.protocols import FUNCTIONS, UFUNCS
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import Tensor, extend, wrap


def enter(name: str, forward, slope, node: str | None = None):
    """Define and record a function of one operand: its cotangent is multiplied.

    ``slope`` is the rule, g first. The node is called after the function, as PyTorch
    does it; NumPy's function of that meaning is answered by the recorded one.
    """
    whole = forward if isinstance(forward, np.ufunc) else lambda x: forward(floats(x))
    primitive = define(name, whole, x=slope)
    function = record(primitive, name, node or f"{name.title()}Backward0")
    if isinstance(forward, np.ufunc):
        UFUNCS[forward] = function
    return function


def bare(x):
    """The array of a tensor: what follows is a constant, and not recorded."""
    return x._array if isinstance(x, Tensor) else x


def no_kernel(name: str, input, kinds: str = "b") -> None:
    """Refuse a dtype for which PyTorch has no program either."""
    ops.check_tensor(name, input)
    if input._array.dtype.kind in kinds:
        raise NotImplementedError(
            f"\"{name}_cpu\" not implemented for '{input.dtype}': convert it first, "
            "x.float() (Chapter 9)"
        )


def floats(x: np.ndarray) -> np.ndarray:
    """Integers and bools as float32, in which PyTorch computes with them."""
    return x if x.dtype.kind == "f" else x.astype(np.float32)


sin = enter("sin", np.sin, lambda g, x: g * np.cos(x))
cos = enter("cos", np.cos, lambda g, x: g * -np.sin(x))
tan = enter("tan", np.tan, lambda g, out: g * (1 + out * out))
asin = enter("asin", np.arcsin, lambda g, x: g / np.sqrt(1 - x * x))
acos = enter("acos", np.arccos, lambda g, x: -g / np.sqrt(1 - x * x))
atan = enter("atan", np.arctan, lambda g, x: g / (1 + x * x))
sinh = enter("sinh", np.sinh, lambda g, x: g * np.cosh(x))
cosh = enter("cosh", np.cosh, lambda g, x: g * np.sinh(x))
asinh = enter("asinh", np.arcsinh, lambda g, x: g / np.sqrt(x * x + 1))
acosh = enter("acosh", np.arccosh, lambda g, x: g / np.sqrt(x * x - 1))
atanh = enter("atanh", np.arctanh, lambda g, x: g / (1 - x * x))


expm1 = enter("expm1", np.expm1, lambda g, out: g * (out + 1))
log1p = enter("log1p", np.log1p, lambda g, x: g / (x + 1))
log2 = enter("log2", np.log2, lambda g, x: g / (x * math.log(2)))
log10 = enter("log10", np.log10, lambda g, x: g / (x * math.log(10)))
sqrt = enter("sqrt", np.sqrt, lambda g, out: g / (2 * out))
rsqrt = enter("rsqrt", lambda x: 1 / np.sqrt(x), lambda g, out: -0.5 * g * out**3)
abs = enter("abs", np.abs, lambda g, x: g * np.sign(x))
reciprocal = ops._reciprocal
FUNCTIONS[np.zeros_like] = zeros_like


# a staircase is level wherever it has a slope
def staircase(name: str, ufunc: np.ufunc):
    """A function that jumps; integers stay as they are, of bools there is none."""
    primitive = define(name, ufunc, x=lambda g: np.zeros_like(g))
    function = record(primitive, name, f"{name.title()}Backward0")
    UFUNCS[ufunc] = function

    def step(input):
        ops.check_tensor(name, input)
        kind = input._array.dtype.kind
        if kind == "b" and name != "sign":
            raise NotImplementedError(
                f"\"{name}_vml_cpu\" not implemented for 'Bool': bools are whole; to "
                "calculate, convert them, mask.long() (Chapter 9)"
            )
        whole = kind == "b" or (kind in "iu" and name != "sign")
        return input.clone() if whole else function(input)

    step.__name__ = step.__qualname__ = name
    return step


sign, floor = staircase("sign", np.sign), staircase("floor", np.floor)
ceil, trunc = staircase("ceil", np.ceil), staircase("trunc", np.trunc)
_round = staircase("round", np.rint)


def sigma(x):
    """The logistic function 1 / (1 + exp(-x)), of an array or of a tensor."""
    return 1 / (1 + np.exp(-x))


sigmoid = enter("sigmoid", sigma, lambda g, out: g * (1 - out) * out)
silu = enter("silu", lambda x: x * sigma(x), lambda g, x: g * silu_slope(x))


def silu_slope(x):
    """The slope of x σ(x): the product rule, σ'(x) being σ(x) (1 - σ(x))."""
    s = sigma(x)
    return s * (1 + x * (1 - s))


_ERF = np.frompyfunc(math.erf, 1, 1)  # NumPy has none; C's, number by number


def erf_of(x):
    """The error function of an array, or of a tensor."""
    if isinstance(x, Tensor):
        return UFUNCS[_ERF](x)
    return np.copy(_ERF(x)).astype(x.dtype)


def bell(x):
    """The slope of erf: 2/√π exp(-x²)."""
    return 2 / math.sqrt(math.pi) * np.exp(-x * x)


erf = UFUNCS[_ERF] = enter("erf", erf_of, lambda g, x: g * bell(x))
erfc = enter("erfc", lambda x: 1 - erf_of(x), lambda g, x: -g * bell(x))


def square(input):
    """The square, elementwise."""
    return ops.pow(input, 2)


def round(input, *, decimals: int = 0):
    """The nearest whole number, the even one of two; or to so many decimals."""
    if decimals == 0:
        return _round(input)
    return _round(input * 10.0**decimals) / 10.0**decimals


# two operands
define(
    "maximum",
    np.maximum,
    x=lambda g, x, y: np.where(x == y, g / 2, np.where(x < y, 0, g)),
    y=lambda g, x, y: np.where(x == y, g / 2, np.where(x > y, 0, g)),
)
define(
    "minimum",
    np.minimum,
    x=lambda g, x, y: np.where(x == y, g / 2, np.where(x > y, 0, g)),
    y=lambda g, x, y: np.where(x == y, g / 2, np.where(x < y, 0, g)),
)
define(
    "atan2",
    np.arctan2,
    x=lambda g, x, y: np.where((x == 0) & (y == 0), 0, g * y / (x * x + y * y)),
    y=lambda g, x, y: np.where((x == 0) & (y == 0), 0, g * -x / (x * x + y * y)),
)


define(
    "remainder",
    np.remainder,
    x=lambda g: g,
    y=lambda g, x, y: -g * np.floor(x / y),
)
define(
    "fmod",
    np.fmod,
    x=lambda g: g,
    y=lambda g, x, y: -g * np.trunc(x / y),
)
define(
    "where",
    lambda x, y, *, condition: np.where(condition, x, y),
    x=lambda g, condition: np.where(condition, g, 0),
    y=lambda g, condition: np.where(condition, 0, g),
)


def _by_operand(name: str, node: str):
    """An operation whose node has another name beside a tensor than beside a number."""
    beside_number = record(PRIMITIVES[name], name, f"{node}Backward0")
    beside_tensor = record(PRIMITIVES[name], name, f"{node}Backward1")

    def operation(input, other):
        function = beside_tensor if isinstance(other, Tensor) else beside_number
        return function(input, other)

    return operation


_maximum = record(PRIMITIVES["maximum"], "maximum", "MaximumBackward0")
_minimum = record(PRIMITIVES["minimum"], "minimum", "MinimumBackward0")
_atan2 = record(PRIMITIVES["atan2"], "atan2", "Atan2Backward0")
_remainder = _by_operand("remainder", "Remainder")
_fmod = _by_operand("fmod", "Fmod")
_where = record(PRIMITIVES["where"], "where", "WhereBackward0")
_fill = record(PRIMITIVES["where"], "masked_fill", "MaskedFillBackward1")
_fill_number = record(PRIMITIVES["where"], "masked_fill", "MaskedFillBackward0")


atan2, remainder, fmod = (
    ops._strict(name, function, ops._unmatched)
    for name, function in [
        ("atan2", _atan2),
        ("remainder", _remainder),
        ("fmod", _fmod),
    ]
)


def maximum(input, other):
    """The larger of two, elementwise; where they are equal, each gets half of g."""
    ops.check_tensors("maximum", input, other)
    return _maximum(input, other)


def minimum(input, other):
    """The smaller of two, elementwise; where they are equal, each gets half of g."""
    ops.check_tensors("minimum", input, other)
    return _minimum(input, other)


def where(condition, input, other):
    """``input`` where the condition holds, ``other`` elsewhere."""
    mask = _mask("where", condition)
    if not isinstance(input, Tensor):
        like = other if isinstance(other, Tensor) else wrap(np.float32(0))
        input = operand(input, like, "where(): argument 'input' (position 2)")
    return _where(input, other, mask)


def _mask(name: str, condition) -> np.ndarray:
    """The array of a condition; RuntimeError if it is not one of bools."""
    array = condition._array if isinstance(condition, Tensor) else condition
    array = array if is_array(array) else np.asarray(array)
    if array.dtype.kind != "b":
        raise RuntimeError(
            f"{name} expected condition to be a boolean tensor, but got a tensor with "
            f"dtype {array.dtype}: compare it, x != 0, or convert it, x.bool() "
            "(Chapter 9)"
        )
    return array


def masked_fill(input, mask, value):
    """``input``, with a number in the places where ``mask`` holds."""
    places = _mask("masked_fill", mask)
    if np.ndim(value._array if isinstance(value, Tensor) else value):
        raise RuntimeError(
            "masked_fill only supports a 0-dimensional value tensor, but got tensor "
            f"with {value.ndim} dimension(s): give one number (Chapter 9)"
        )
    fill = _fill if isinstance(value, Tensor) else _fill_number
    return fill(input, to_dtype(operand(value, input), input), ~places)


def to_dtype(value: Tensor, like: Tensor) -> Tensor:
    """A number in the dtype of the tensor that it is put into."""
    return value if value.dtype is like.dtype else ops.to(value, like.dtype)


# three operands
define(
    "clamp",
    lambda x, low, high: np.minimum(np.maximum(x, low), high),
    x=lambda g, x, low, high: np.where((x >= low) & (x <= high), g, 0),
    low=lambda g, x, low, high: np.where((low < high) & (x < low), g, 0),
    high=lambda g, x, low, high: np.where((high < low) | (x > high), g, 0),
)
define(
    "clip",
    lambda x, *, low, high: np.minimum(np.maximum(x, low), high),
    x=lambda g, x, low, high: np.where((x >= low) & (x <= high), g, 0),
)
define(
    "lerp",
    lambda x, y, w: np.where(np.abs(w) < 0.5, x + w * (y - x), y - (y - x) * (1 - w)),
    x=lambda g, w: g * (1 - w),
    y=lambda g, w: g * w,
    w=lambda g, x, y: g * (y - x),
)


_clamp = record(PRIMITIVES["clamp"], "clamp", "ClampBackward0")
_clip = record(PRIMITIVES["clip"], "clamp", "ClampBackward1")
_lerp = record(PRIMITIVES["lerp"], "lerp", "LerpBackward1")
_lerp_number = record(PRIMITIVES["lerp"], "lerp", "LerpBackward0")


def clamp(input, min=None, max=None):
    """The nearest number between ``min`` and ``max``: numbers, tensors, or None."""
    if min is None and max is None:
        raise RuntimeError(
            "torch.clamp: At least one of 'min' or 'max' must not be None: give an "
            "end, x.clamp(min=0) (Chapter 9)"
        )
    ends = (-np.inf if min is None else min), (np.inf if max is None else max)
    if not builtins.any(isinstance(end, Tensor) for end in ends):
        input = _as_wide(input, min, max)
        return _clip(input, *(_end(input, end) for end in ends))
    return _clamp(input, *(operand(_end(input, end), input) for end in ends))


def _as_wide(input, *ends):
    """Integers become floats where a limit is a float."""
    if input.is_floating_point():
        return input
    if builtins.any(isinstance(end, float) for end in ends):
        return input.float()
    return input.long() if input.dtype.name == "bool" else input


def _end(input, end):
    """A limit that is no limit, for integers, is the last integer there is."""
    kind = input._array.dtype
    if kind.kind == "b" and isinstance(end, float):
        return end > 0
    if kind.kind in "iu" and isinstance(end, float) and math.isinf(end):
        return np.iinfo(kind).min if end < 0 else np.iinfo(kind).max
    return end


def lerp(input, end, weight):
    """The point on the way from ``input`` to ``end``: all of it for weight 1."""
    ops.check_tensors("lerp", input, end, "end")
    no_kernel("lerp", input, "biu")
    return (_lerp if isinstance(weight, Tensor) else _lerp_number)(input, end, weight)


# parametric bends
define(
    "leaky_relu",
    lambda x, *, negative_slope: np.where(x > 0, x, x * negative_slope),
    x=lambda g, x, negative_slope: np.where(x > 0, g, g * negative_slope),
)
define(
    "softplus",
    lambda x, *, beta, threshold: np.where(
        x * beta > threshold, x, np.log1p(np.exp(x * beta)) / beta
    ),
    x=lambda g, x, beta, threshold: np.where(
        x * beta > threshold, g, g * sigma(x * beta)
    ),
)
define(
    "gelu",
    lambda x: x * (1 + erf_of(x * math.sqrt(0.5))) / 2,
    x=lambda g, x: g * gelu_slope(x),
)


def gelu_slope(x):
    """The slope of x Φ(x): Φ(x) + x φ(x), of the normal distribution."""
    u = x * math.sqrt(0.5)
    return (1 + erf_of(u)) / 2 + x * bell(u) * math.sqrt(0.125)


_leaky_relu = record(PRIMITIVES["leaky_relu"], "leaky_relu", "LeakyReluBackward0")
_softplus = record(PRIMITIVES["softplus"], "softplus", "SoftplusBackward0")
_gelu = record(PRIMITIVES["gelu"], "gelu", "GeluBackward0")


def leaky_relu(input, negative_slope: float = 0.01):
    """``input`` where it is positive, a small multiple of it elsewhere."""
    return _leaky_relu(input, negative_slope)


def softplus(input, beta: float = 1.0, threshold: float = 20.0):
    """log(1 + exp(beta x)) / beta, a smooth relu; x itself beyond the threshold."""
    return _softplus(input, beta, threshold)


def gelu(input, approximate: str = "none"):
    """X Φ(x), with the normal distribution Φ, or its ``"tanh"`` approximation."""
    if approximate == "none":
        return _gelu(input)
    if approximate == "tanh":
        bend = math.sqrt(2 / math.pi) * (input + 0.044715 * input**3)
        return 0.5 * input * (1 + ops.tanh(bend))
    raise RuntimeError(
        f"approximate argument must be either none or tanh, not {approximate}: write "
        '"none", or leave it out (Chapter 9)'
    )


# questions, which have no slope at all
def _question(name: str, ufunc):
    """A function that answers with bools."""

    def ask(input):
        ops.check_tensor(name, input)
        return wrap(quietly(ufunc, input._array))

    ask.__name__ = ask.__qualname__ = name
    return ask


isnan, isinf = _question("isnan", np.isnan), _question("isinf", np.isinf)
isfinite = _question("isfinite", np.isfinite)
logical_not = _question("logical_not", np.logical_not)
logical_and = ops._comparison("logical_and", np.logical_and)[1]
logical_or = ops._comparison("logical_or", np.logical_or)[1]
logical_xor = ops._comparison("logical_xor", np.logical_xor)[1]


_and, bitwise_and = ops._comparison("bitwise_and", np.bitwise_and)
_or, bitwise_or = ops._comparison("bitwise_or", np.bitwise_or)
_xor, bitwise_xor = ops._comparison("bitwise_xor", np.bitwise_xor)
UFUNCS |= {np.bitwise_and: bitwise_and, np.bitwise_or: bitwise_or}
UFUNCS |= {np.maximum: _maximum, np.minimum: _minimum, np.logical_not: logical_not}
FUNCTIONS[np.where] = where


def _undefined(name: str):
    """The rule of an operation that PyTorch does not differentiate either."""

    def rule(g):
        raise RuntimeError(
            f"derivative for aten::{name} is not implemented: it is a staircase; "
            "x.detach() says that no gradient is wanted (Chapter 9)"
        )

    return rule


define(
    "floor_divide",
    np.floor_divide,
    x=lambda g: _undefined("floor_divide")(g),
    y=lambda g: _undefined("floor_divide")(g),
)
_floor_divide = record(PRIMITIVES["floor_divide"], "floor_divide", "NotImplemented")
floor_divide = ops._strict("floor_divide", _floor_divide, ops._unmatched)


def _reflect(binary):
    """The operator for a number on the left of a tensor."""
    return lambda self, other: binary(operand(other, self), self)


extend(
    __abs__=abs, __mod__=remainder, __rmod__=_reflect(_remainder),
    __floordiv__=floor_divide, __rfloordiv__=_reflect(_floor_divide),
    __and__=_and, __or__=_or, __xor__=_xor, __invert__=lambda self: bitwise_not(self),
    __rand__=_reflect(_and), __ror__=_reflect(_or), __rxor__=_reflect(_xor),
)  # fmt: skip


def bitwise_not(input):
    """The opposite of a bool; of an integer, all bits turned over."""
    ops.check_tensor("bitwise_not", input)
    if input._array.dtype.kind == "f":
        raise TypeError(
            "~ (operator.invert) is only implemented on integer and Boolean-type "
            f"tensors, and not on {input.dtype}: compare first, ~(x > 0) (Chapter 9)"
        )
    return wrap(np.invert(input._array))


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Where elements agree: |input - other| <= atol + rtol * |other|."""
    ops.check_tensors("isclose", input, other)
    return wrap(np.isclose(input._array, other._array, rtol, atol, equal_nan))


# other names for the same, as PyTorch has them
absolute, negative, clip = abs, ops.neg, clamp
arcsin, arccos, arctan, arctan2 = asin, acos, atan, atan2
divide, true_divide, multiply, subtract = ops.div, ops.div, ops.mul, ops.sub
__all__ = ["abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh"]
__all__ += ["bitwise_and", "bitwise_not", "bitwise_or", "bitwise_xor", "ceil"]
__all__ += ["clamp", "cos", "cosh", "erf", "erfc", "expm1", "floor", "floor_divide"]
__all__ += ["fmod", "isclose", "isfinite", "isinf", "isnan", "lerp", "log1p"]
__all__ += ["log2", "log10", "logical_and", "logical_not", "logical_or"]
__all__ += ["logical_xor", "masked_fill", "maximum", "minimum", "reciprocal"]
__all__ += ["remainder", "round", "rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt"]
__all__ += ["square", "tan", "trunc", "where"]
ALIASES = ["absolute", "arccos", "arcsin", "arctan", "arctan2", "clip", "divide"]
ALIASES += ["multiply", "negative", "subtract", "true_divide"]
__all__ += ALIASES
extend(**{name: globals()[name] for name in __all__ if name != "where"})
extend(where=lambda self, condition, other: where(condition, self, other))
