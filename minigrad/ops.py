# Generated from chapter 5 (book/ch05-recording.ipynb): edit the chapter, not this.
"""The operations on tensors, under PyTorch's names.

Each is recorded by a function that `minigrad.autograd.function.record` has written for
a primitive; what stands here is what PyTorch's signatures add.
"""

import builtins
import functools
import warnings
from dataclasses import replace

import numpy as np

from minigrad.autograd.function import record
from minigrad.creation import _number, _whole, check_tensor
from minigrad.devices import device
from minigrad.dtypes import ALIASES, as_numpy, dtype, int64, promote
from minigrad.errors import no_match, wrong_type
from minigrad.operands import meet, operand, power, quietly, refuse
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import Tensor, axis_of, extend, wrap
from minigrad.tensor import memory as _memory

# primitive, name of the function, name of the node (PyTorch's own)
neg = record(PRIMITIVES["neg"], "neg", "NegBackward0")
exp = record(PRIMITIVES["exp"], "exp", "ExpBackward0")
log = record(PRIMITIVES["log"], "log", "LogBackward0")
tanh = record(PRIMITIVES["tanh"], "tanh", "TanhBackward0")
_relu = record(PRIMITIVES["relu"], "relu", "ReluBackward0")


_add = record(PRIMITIVES["add"], "add", "AddBackward0")
_sub = record(PRIMITIVES["sub"], "sub", "SubBackward0")
_mul = record(PRIMITIVES["mul"], "mul", "MulBackward0")
_div = record(PRIMITIVES["div"], "div", "DivBackward0")
_pow = record(replace(PRIMITIVES["pow"], forward=power), "pow", "PowBackward1")
_matmul = record(PRIMITIVES["matmul"], "matmul", "MmBackward0")
_bmm = record(PRIMITIVES["matmul"], "matmul", "BmmBackward0")


_sum = record(PRIMITIVES["sum"], "sum", "SumBackward0")
_sum_dim = record(PRIMITIVES["sum"], "sum", "SumBackward1")
_unsafe_view = record(PRIMITIVES["reshape"], "reshape", "UnsafeViewBackward0")
_view = record(PRIMITIVES["reshape"], "view", "ViewBackward0", view=True)
_alias = record(PRIMITIVES["reshape"], "reshape", "ReshapeAliasBackward0", view=True)
_permute = record(PRIMITIVES["transpose"], "permute", "PermuteBackward0", view=True)
_transpose = record(
    PRIMITIVES["transpose"], "transpose", "TransposeBackward0", view=True
)
_t = record(PRIMITIVES["transpose"], "t", "TBackward0", view=True)
_expand = record(PRIMITIVES["broadcast_to"], "expand", "ExpandBackward0", view=True)


# what PyTorch has and the table of Chapter 3 lacks: copies …
define("clone", lambda x: np.array(x), x=lambda g: g)
define("contiguous", lambda x: np.array(x, order="C"), x=lambda g: g)
define("to", lambda x, *, dtype: x.astype(dtype), x=lambda g: g)
clone = record(PRIMITIVES["clone"], "clone", "CloneBackward0")
_contiguous = record(PRIMITIVES["contiguous"], "contiguous", "CloneBackward0")
_to = record(PRIMITIVES["to"], "to", "ToCopyBackward0")


# … and operations of which one operand is a number
define("rsub", lambda x, *, other: other - x, x=lambda g: -g)
define("reciprocal", lambda x: 1 / x, x=lambda g, out: -g * out * out)
define(
    "power",
    lambda x, *, exponent: x**exponent,
    x=lambda g, x, exponent: g * (exponent * x ** (exponent - (exponent != 0))),
)
define(
    "exponential",
    lambda x, *, other: power(other, x),
    x=lambda g, x, out, other: g * (out * _log_of(other, x)),
)
define(
    "add_scaled",
    lambda x, y, *, alpha: x + alpha * y,
    x=lambda g: g,
    y=lambda g, alpha: alpha * g,
)
_rsub = record(PRIMITIVES["rsub"], "rsub", "RsubBackward1")


_reciprocal = record(PRIMITIVES["reciprocal"], "reciprocal", "ReciprocalBackward0")
_power = record(PRIMITIVES["power"], "pow", "PowBackward0")
_exponential = record(PRIMITIVES["exponential"], "pow", "PowBackward2")
_add_scaled = record(PRIMITIVES["add_scaled"], "add", "AddBackward0")
_sub_scaled = record(PRIMITIVES["add_scaled"], "sub", "SubBackward0")


def _log_of(base, x):
    """The log of a number, a float; of 0 in zeros and -inf: 0 ** x is flat at x ≥ 0."""
    return float(quietly(np.log, base)) if base else np.where(x >= 0, 0.0, -np.inf)


_NUMBERS = "give two Tensors, torch.tensor(2), or one and a number (Chapter 5)"


def _unmatched(name: str, input, other) -> None:
    """Refuse operands that fit no signature."""
    raise no_match(name, input, other, instead=_NUMBERS)


def check_tensors(name: str, input, other, second: str = "other") -> None:
    """Refuse what is no tensor; ``second`` is the name of the second argument."""
    for k, argument, value in ((1, "input", input), (2, second, other)):
        if not isinstance(value, Tensor):
            said = f"{name}(): argument '{argument}' (position {k})"
            raise wrong_type(said, "Tensor", value)


def _strict(name: str, operation, refused=check_tensors):
    """Make a function of an operator: what it cannot take is a TypeError."""

    def function(input, other):
        if not isinstance(input, Tensor) and isinstance(other, Tensor):
            input = operand(input, other, f"{name}(): argument 'input' (position 1)")
        result = operation(input, other) if isinstance(input, Tensor) else None
        if result is None or result is NotImplemented:
            refused(name, input, other)
        return result

    function.__name__ = function.__qualname__ = name
    return function


_plus, _minus = _strict("add", _add), _strict("sub", _sub)
mul, div = _strict("mul", _mul), _strict("div", _div)


def add(input, other, *, alpha=1):
    """The sum input + alpha · other, with broadcasting."""
    return _scaled(_plus, _add_scaled, input, other, alpha)


def sub(input, other, *, alpha=1):
    """The difference input - alpha · other, with broadcasting."""
    return _scaled(_minus, _sub_scaled, input, other, alpha, sign=-1)


def _scaled(usual, scaled, input, other, alpha, sign=1):
    """Choose the function without ``alpha``, unless it makes a difference."""
    alpha = _number(alpha, "alpha")
    plain = alpha == 1 and not isinstance(alpha, bool)
    if plain or not isinstance(input, Tensor):
        return usual(input, other if plain else other * alpha)
    other = operand(other, input, f"{usual.__name__}(): argument 'other' (position 2)")
    kinds = {x._array.dtype.kind for x in (input, other)}
    if isinstance(alpha, bool) and kinds != {"b"}:
        raise RuntimeError(
            "Boolean alpha only supported for Boolean results: write a number, such as "
            f"{int(alpha)} (Chapter 5)"
        )
    if isinstance(alpha, float) and "f" not in kinds:
        raise RuntimeError(
            "For integral input tensors, argument alpha must not be a floating point "
            "number: write a whole one, or convert first, x.float() (Chapter 5)"
        )
    if kinds == {"b"}:
        return usual(input, other)
    return scaled(input, other, sign * alpha)


def _reflected(name: str, operation, binary):
    """Make the operator for a number on the left: ``other`` op ``self``."""

    def operator(self, other):
        try:
            left = operand(other, self)
        except TypeError:
            return NotImplemented
        if isinstance(other, (Tensor, np.ndarray)):
            return binary(left, self)
        number, array = meet(name, left._array, self._array)
        return operation(
            self if array.dtype is self._array.dtype else wrap(array), number
        )

    return operator


def _over(self, other):
    """The operator for a number above a fraction bar: a reciprocal, then a product."""
    return _mul(_reciprocal(self), other)


_from = _reflected("sub", _rsub, _sub)
_to_the = _reflected("pow", _exponential, _pow)


def _to_power(input, exponent):
    """The operator **: a number as exponent has a node of its own."""
    if isinstance(exponent, (bool, int, float, np.generic)):
        exponent = exponent.item() if isinstance(exponent, np.generic) else exponent
        if input._array.dtype.kind == "b":
            input = to(input, int64)
        return _power(input, exponent)
    return _pow(input, exponent)


def relu(input):
    """The larger of 0 and input, elementwise."""
    if isinstance(input, Tensor) and input._array.dtype.kind == "b":
        raise RuntimeError(
            "Boolean inputs not supported for relu: convert first, mask.long() "
            "(Chapter 5)"
        )
    return _relu(input)


def pow(input, exponent):
    """The power input ** exponent, elementwise; either may be a number."""
    if isinstance(input, Tensor):
        result = _to_power(input, exponent)
    elif isinstance(exponent, Tensor):
        result = _to_the(exponent, input)
    else:
        result = NotImplemented
    if result is NotImplemented:
        _unmatched("pow", input, exponent)
    return result


def sum(input, dim=..., keepdim=False, *, axis=..., dtype=None):
    """The sum over all axes, or over ``dim`` (an axis or several; also ``axis``)."""
    if not isinstance(input, Tensor):
        return _sum(input)
    if dtype is None and input._array.dtype.kind in "bu":
        dtype = int64
    if dtype is not None:
        input = to(input, dtype)
    dim = axis if dim is ... else dim
    total = _sum(input) if dim is ... else _sum_dim(input, _axes(input, dim), keepdim)
    return total if dtype is None else to(total, dtype)


def _axes(input, dim) -> tuple:
    """Check axes, count them from the left; None, () and [] stand for all."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(input.ndim))
    try:
        several = dim if isinstance(dim, (tuple, list)) else (dim,)
        dims = tuple(_axis(input, d) for d in several)
    except TypeError:
        raise no_match(
            "sum", dim, instead="dim is an int, or several: x.sum((0, 1)) (Chapter 5)"
        ) from None
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(
                f"dim {d} appears multiple times in the list of dims: name it once "
                "(Chapter 5)"
            )
    return dims if input.ndim else ()


def _axis(input, dim: int) -> int:
    """Return one axis counted from the left; a 0-d tensor counts as having one."""
    return axis_of(dim, builtins.max(input.ndim, 1))


def _sizes(name: str, argument: str, given: tuple) -> tuple:
    """Accept both ``f(2, 3)`` and ``f((2, 3))``; TypeError for what is no integer."""
    if len(given) == 1 and not hasattr(given[0], "__index__"):
        given = given[0]
    return _whole(given, f"{name}(): argument '{argument}' (position 1)")


def view(input, *shape, size=None):
    """The same memory in another shape; -1 stands for what is left over."""
    shape = _shape(input, _sizes("view", "size", shape or (size,)))
    if not _shares(_memory(input), shape):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride (at least "
            "one dimension spans across two contiguous subspaces). Use .reshape(...) "
            f"instead: it copies {tuple(input.shape)} to {shape} (Chapter 5)"
        )
    return _view(input, shape)


def _shares(array: np.ndarray, shape: tuple) -> bool:
    """Whether an array can be seen in another shape without moving its elements."""
    return array.size == 0 or np.may_share_memory(array, array.reshape(shape))


def reshape(input, *args, shape=None):
    """The same elements in another shape: a view where possible, else a copy."""
    shape = _shape(input, _sizes("reshape", "shape", args or (shape,)))
    array = _memory(input)
    if array.flags.c_contiguous:
        return _view(input, shape)
    if _shares(array, shape):
        return _alias(input, shape)
    return _unsafe_view(_contiguous(input), shape)


def _shape(input, wanted: tuple) -> tuple:
    """Check a shape against the number of elements, and fill in its -1."""
    size = input._array.size
    for k, n in enumerate(wanted):
        if n < -1:
            raise RuntimeError(
                f"invalid shape dimension {n} at index {k} of shape {list(wanted)}: "
                "write a length, or one -1 for what is left (Chapter 5)"
            )
    if wanted.count(-1) > 1:
        raise RuntimeError(
            f"only one dimension can be inferred, and {list(wanted)} leaves more open: "
            "write all lengths but one (Chapter 5)"
        )
    known = int(np.prod([n for n in wanted if n != -1], dtype=np.int64))
    if -1 in wanted and known == size == 0:
        raise RuntimeError(
            f"cannot reshape tensor of 0 elements into shape {list(wanted)} because "
            "the unspecified dimension size -1 can be any value and is ambiguous: "
            "write all lengths (Chapter 5)"
        )
    if known != size and (-1 not in wanted or not known or size % known):
        raise RuntimeError(
            f"shape '{list(wanted)}' is invalid for input of size {size}: the lengths "
            f"must multiply to {size}; -1 stands for what is left (Chapter 5)"
        )
    return tuple(size // known if n == -1 else n for n in wanted)


def is_contiguous(input) -> bool:
    """Whether the elements lie in memory in the order in which they are printed."""
    return input._array.flags.c_contiguous


def contiguous(input):
    """The tensor itself if it is contiguous, otherwise a copy that is."""
    return input if is_contiguous(input) else _contiguous(input)


def transpose(input, dim0: int, dim1: int):
    """Exchange two axes; the result shares memory."""
    axes = list(range(_memory(input).ndim))
    a, b = _axis(input, dim0), _axis(input, dim1)
    if axes:
        axes[a], axes[b] = axes[b], axes[a]
    return _transpose(input, tuple(axes))


def t(input):
    """The transpose of a matrix; a vector or a scalar stays as it is."""
    if input.ndim > 2:
        raise RuntimeError(
            f"t() expects a tensor with <= 2 dimensions, but self is {input.ndim}D: "
            "name the two axes, x.transpose(0, 1), or take x.mT (Chapter 5)"
        )
    return _t(input, tuple(reversed(range(_memory(input).ndim))))


def permute(input, *args, dims=None):
    """Put the axes into a new order; the result shares memory."""
    dims, n = _sizes("permute", "dims", args or (dims,)), _memory(input).ndim
    if len(dims) != n:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not "
            "match the length of the desired ordering of dimensions i.e. input.dim() = "
            f"{n} is not equal to len(dims) = {len(dims)}: name every axis once, as in "
            "x.permute(1, 0) (Chapter 5)"
        )
    dims = tuple(_axis(input, d) for d in dims)
    if len(set(dims)) < n:
        raise RuntimeError(
            f"permute(): duplicate dims are not allowed. {dims} leaves axes out: name "
            "every one once, as in x.permute(1, 0) (Chapter 5)"
        )
    return _permute(input, dims)


def _reversed(input):
    """The attribute T: all axes in reverse order."""
    if input.ndim == 0:
        warnings.warn(_SCALAR.format("T"), UserWarning, stacklevel=2)
    elif input.ndim != 2:
        warnings.warn(
            "The use of `x.T` on tensors of dimension other than 2 to reverse their "
            "shape is deprecated and it will throw an error in a future release. "
            "Consider `x.mT` to transpose batches of matrices or `x.permute(*torch."
            "arange(x.ndim - 1, -1, -1))` to reverse the dimensions of a tensor.",
            UserWarning,
            stacklevel=2,
        )
    return permute(input, range(input.ndim)[::-1])


def _matrices(input):
    """The attribute mT: the last two axes exchanged."""
    if input.ndim == 1:
        raise RuntimeError(
            "tensor.mT is only supported on matrices or batches of matrices. Got 1-D "
            "tensor. Make a matrix of it, x.reshape(1, -1).mT (Chapter 5)"
        )
    if input.ndim == 0:
        warnings.warn(_SCALAR.format("mT"), UserWarning, stacklevel=2)
        return input
    return transpose(input, -2, -1)


_SCALAR = "Tensor.{} is deprecated on 0-D tensors. This function is the identity."


def expand(input, *sizes, size=None):
    """Repeat axes of length 1, and add axes on the left, without copying."""
    sizes, have = _sizes("expand", "size", sizes or (size,)), _memory(input).shape
    lead = len(sizes) - len(have)
    if lead < 0:
        raise RuntimeError(
            f"expand({input.dtype}{{{list(have)}}}, size={list(sizes)}): the number of "
            f"sizes provided ({len(sizes)}) must be greater or equal to the number of "
            f"dimensions in the tensor ({len(have)}): write a length for every axis, "
            "-1 to keep it (Chapter 5)"
        )
    kept = [m if n == -1 else n for m, n in zip(have, sizes[lead:], strict=True)]
    full = (*sizes[:lead], *kept)
    for k, n in enumerate(full):
        _check_length(k, n, have[k - lead] if k >= lead else 0, list(sizes), list(have))
    return _expand(input, full)


def _check_length(k: int, wanted: int, have: int, sizes: list, shape: list) -> None:
    """Check that axis k can be expanded from one length to another."""
    new = k < len(sizes) - len(shape)
    if new and wanted < 0:
        raise RuntimeError(
            f"The expanded size of the tensor ({wanted}) isn't allowed in a leading, "
            f"non-existing dimension {k}: write its length (Chapter 5)"
        )
    if not new and (wanted < 0 or have not in (1, wanted)):
        raise RuntimeError(
            f"The expanded size of the tensor ({wanted}) must match the existing size "
            f"({have}) at non-singleton dimension {k}.  Target sizes: {sizes}.  Tensor "
            f"sizes: {shape}: only axes of length 1 repeat, so keep this one with -1 "
            "(Chapter 5)"
        )


def broadcast_to(input, shape):
    """`expand`, under NumPy's name."""
    return expand(input, shape)


def to(input, dtype):
    """Convert to a dtype, or to that of a tensor; the tensor itself if it has it.

    A device is accepted as well: there is only one (Chapter 4).
    """
    if isinstance(dtype, (str, device)):
        return input if device(dtype) else None
    kind = as_numpy(dtype.dtype if isinstance(dtype, Tensor) else dtype)
    have = input._array.dtype
    if have == kind:
        return input
    if kind.kind == have.kind == "f":
        return _to(input, kind)
    return wrap(quietly(input._array.astype, kind))  # no gradient passes integers


def _product(input, other):
    """The operator @: of matrices, or of stacks of them."""
    if not isinstance(other, Tensor):
        return NotImplemented
    a, b = input._array.shape, other._array.shape
    if not a or not b:
        raise RuntimeError(
            "both arguments to matmul need to be at least 1D, but they are "
            f"{len(a)}D and {len(b)}D: for a multiple write x * number (Chapter 5)"
        )
    if len(a) > 1 and len(b) > 1 and a[-1] != b[-2]:
        shapes = " and ".join("x".join(map(str, shape)) for shape in (a, b))
        raise RuntimeError(
            f"mat1 and mat2 shapes cannot be multiplied ({shapes}): the last axis of "
            "the first must match the last axis but one of the second; transpose one "
            "of them, x @ y.mT (Chapter 2)"
        )
    return _matmul(input, other) if len(a) == len(b) == 2 else _bmm(input, other)


def matmul(input, other):
    """The matrix product, as the operator @ computes it."""
    check_tensors("matmul", input, other)
    return _product(input, other)


def mm(input, mat2):
    """The product of two matrices, and of nothing else."""
    check_tensors("mm", input, mat2, "mat2")
    for name, matrix in (("self", input), ("mat2", mat2)):
        if matrix.ndim != 2:
            raise RuntimeError(
                f"{name} must be a matrix, and has shape {tuple(matrix.shape)}: make a "
                "column of a vector, x.reshape(-1, 1) (Chapter 5)"
            )
    return _product(input, mat2)


def _comparison(name: str, ufunc):
    """The operator and the function of a comparison: no gradient, so no node."""

    def compare(input, other):
        try:
            a, b = promote(input._array, operand(other, input)._array)
            return wrap(np.asarray(quietly(ufunc, a, b)))
        except TypeError:
            return NotImplemented
        except ValueError as error:
            return refuse(name, error, input, operand(other, input))

    return compare, _strict(name, compare, _unmatched)


_eq, eq = _comparison("eq", np.equal)
_ne, ne = _comparison("ne", np.not_equal)
_lt, lt = _comparison("lt", np.less)
_le, le = _comparison("le", np.less_equal)
_gt, gt = _comparison("gt", np.greater)
_ge, ge = _comparison("ge", np.greater_equal)


def equal(input, other) -> bool:
    """Whether two tensors have the same shape and the same elements."""
    check_tensors("equal", input, other)
    return bool(np.array_equal(input._array, other._array))


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False) -> bool:
    """Whether all elements agree: |input - other| <= atol + rtol * |other|."""
    check_tensors("allclose", input, other)
    if input.dtype is not other.dtype:
        raise RuntimeError(
            f"{input.dtype} did not match {other.dtype}: convert one of them, "
            "x.to(y.dtype) (Chapter 5)"
        )
    try:
        return bool(np.allclose(input._array, other._array, rtol, atol, equal_nan))
    except ValueError as error:
        return refuse("allclose", error, input, other)


def _as(name: str, method, what: str = "shape"):
    """The method that gives a tensor the shape, or the dtype, of another one."""

    def like(self, other):
        check_tensors(name, self, other)
        return method(self, getattr(other, what))

    return like


def _pos(self):
    """The operator + with one operand: the tensor itself."""
    if self._array.dtype.kind == "b":
        raise RuntimeError(
            "The `+` operator, on a bool tensor is not supported. Convert it first, "
            "+mask.long() (Chapter 5)"
        )
    return self


extend(
    add=add, sub=sub, mul=mul, div=div, pow=pow, neg=neg, exp=exp, log=log, tanh=tanh,
    relu=relu, sum=sum, matmul=matmul, mm=mm, clone=clone, eq=eq, ne=ne, lt=lt, le=le,
    gt=gt, ge=ge, view=view, reshape=reshape, contiguous=contiguous, permute=permute,
    is_contiguous=is_contiguous, transpose=transpose, t=t, expand=expand, to=to,
    broadcast_to=broadcast_to, equal=equal, allclose=allclose,
    T=property(_reversed), mT=property(_matrices),
    expand_as=_as("expand_as", expand), reshape_as=_as("reshape_as", reshape),
    view_as=_as("view_as", view), type_as=_as("type_as", to, "dtype"),
)  # fmt: skip


extend(
    __add__=_add, __radd__=_add, __sub__=_sub, __rsub__=_from,
    __mul__=_mul, __rmul__=_mul, __truediv__=_div, __rtruediv__=_over,
    __pow__=_to_power, __rpow__=_to_the, __matmul__=_product, __neg__=neg, __pos__=_pos,
    __eq__=_eq, __ne__=_ne, __lt__=_lt, __le__=_le, __gt__=_gt, __ge__=_ge,
    __array_priority__=1000,  # NumPy's arrays and scalars leave operators to tensors
)  # fmt: skip
extend(**{name: lambda self, k=kind: to(self, k) for name, kind in ALIASES.items()})


def _function(method):
    """Make a function of a method: what is no tensor is refused."""

    @functools.wraps(method)
    def function(input, *arguments, **options):
        check_tensor(method.__name__, input)
        return method(input, *arguments, **options)

    return function


broadcast_to, permute, reshape = map(_function, (broadcast_to, permute, reshape))
t, transpose = map(_function, (t, transpose))

__all__ = ["add", "allclose", "broadcast_to", "clone", "div", "eq", "equal", "exp"]
__all__ += ["ge", "gt", "le", "log", "lt", "matmul", "mm", "mul", "ne", "neg"]
__all__ += ["permute", "pow", "relu", "reshape", "sub", "sum", "t", "tanh", "transpose"]


def is_tensor(obj) -> bool:
    """Whether something is a tensor."""
    return isinstance(obj, Tensor)


def result_type(tensor1, tensor2) -> dtype:
    """The dtype in which two operands meet; one of them, or both, may be numbers."""
    like = next(filter(is_tensor, (tensor1, tensor2)), wrap(np.False_))
    x, y = (operand(value, like)._array for value in (tensor1, tensor2))
    return dtype.known[promote(x, y)[0].dtype]


numel, is_floating_point = map(_function, (Tensor.numel, Tensor.is_floating_point))

__all__ += ["is_floating_point", "is_tensor", "numel", "result_type"]
