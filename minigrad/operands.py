# Generated from chapter 5 (book/ch05-recording.ipynb): edit the chapter, not this.
"""Operands: what may stand beside a tensor, and what NumPy says when it may not.

PyTorch and NumPy agree about arrays and differ at the edges: numbers, dtypes, warnings
and the wording of errors. This module holds NumPy to PyTorch's manners.
"""

import contextvars

import numpy as np

from minigrad.dtypes import dtype, promote
from minigrad.errors import wrong_type
from minigrad.tensor import Tensor, mode, wrap

# NumPy keeps its error state in a context variable. A function that is run in this
# context meets 1/0 and the like in silence, and the caller's own state is untouched.
_quiet = contextvars.copy_context()
_quiet.run(np.seterr, all="ignore")
run = _quiet.run


def busy(error: Exception) -> bool:
    """Whether ``run`` failed because another thread was in the quiet context."""
    return type(error) is RuntimeError and "already entered" in str(error)


def quietly(function, *arguments, **options):
    """Call a NumPy function in silence, even when several threads do so at once."""
    try:
        return run(function, *arguments, **options)
    except RuntimeError as error:
        if not busy(error):
            raise
        with np.errstate(all="ignore"):
            return function(*arguments, **options)


def operand(value, like: Tensor, said: str = "an operand") -> Tensor:
    """The other operand as a tensor: a number takes the dtype of ``like`` if it can.

    Raises TypeError for what is neither a tensor, nor an array, nor a number.
    """
    if isinstance(value, Tensor):
        return value
    if is_array(value) and value.dtype in dtype.known:
        return wrap(value)
    if not isinstance(value, (bool, int, float, np.generic)):
        raise wrong_type(said, "Tensor", value)
    array = like._array
    key = (value, type(value), array.dtype, type(array))
    number = _numbers.get(key)
    if number is None:
        number = quietly(np.array(value).astype, _common(value, array.dtype))
        if type(array) is not np.ndarray:  # beside a NumPy scalar, a NumPy scalar
            number = number[()]
        number = wrap(number)
        if value and not mode.inference and len(_numbers) < 1000:
            _numbers[key] = number  # but not 0.0: it is equal to -0.0, and not the same
    return number


ARRAYS = (np.ndarray,)  # what may stand for a tensor of itself (more in Chapter 14)


def is_array(value) -> bool:
    """Whether a value is an array, of whatever kind."""
    return isinstance(value, ARRAYS)


_numbers: dict = {}  # the tensors of numbers that have been operands before


def _common(value, kind: np.dtype) -> np.dtype:
    """The dtype of a number beside a tensor: the tensor's, if that is of its level."""
    if isinstance(value, (bool, np.bool_)):
        return np.dtype(bool)
    if isinstance(value, (float, np.floating)):
        return kind if kind.kind == "f" else np.dtype(np.float32)
    return np.dtype(np.int64) if kind.kind == "b" else kind


def meet(name: str, *arrays):
    """Bring arrays of different dtypes together, where the operation allows it."""
    a, b = arrays[:2]
    if (
        name == "sub"
        and a.dtype.kind != b.dtype.kind
        and "b" in a.dtype.kind + b.dtype.kind
    ):
        raise RuntimeError(_NO_BOOLS.format("Subtraction", "with a bool tensor"))
    if name == "matmul" and a.dtype != b.dtype:
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: "
            f"{a.dtype} != {b.dtype}. Convert one of them: x.to(y.dtype) (Chapter 5)"
        )
    return promote(*arrays)


_NO_BOOLS = (
    "{}, the `-` operator, {} is not supported. If you are trying to invert a mask, "
    "compare it, mask == False; to calculate, convert it first, mask.long() (Chapter 5)"
)


_SAID = {  # by NumPy: what PyTorch says then
    "boolean subtract": _NO_BOOLS.format("Subtraction", "with two bool tensors"),
    "boolean negative": _NO_BOOLS.format("Negation", "on a bool tensor"),
    "negative integer powers": "Integers to negative integer powers are not allowed. "
    "Convert first: x.float() ** exponent (Chapter 5)",
}


def mismatch(name: str, a: tuple, b: tuple) -> str:
    """Say where two shapes fail to broadcast."""
    back = next(
        k
        for k in range(1, min(len(a), len(b)) + 1)
        if a[-k] != b[-k] and 1 not in (a[-k], b[-k])
    )
    return (
        f"The size of tensor a ({a[-back]}) must match the size of tensor b "
        f"({b[-back]}) at non-singleton dimension {max(len(a), len(b)) - back} "
        f"({name} of shapes {a} and {b}): axes are matched from the right; reshape one "
        "of them, with an axis of length 1 where it is to repeat (Chapter 9)"
    )


def refuse(name: str, error: Exception, *given):
    """Turn an operation's failure into the error that PyTorch raises for it.

    Returns NotImplemented where the second operand is of a foreign type, as Python
    wants it from an operator: then the other type is asked.
    """
    if not isinstance(given[0], Tensor):
        said = f"{name}(): argument 'input' (position 1)"
        raise wrong_type(said, "Tensor", given[0]) from None
    if isinstance(error, OverflowError):
        raise OverflowError(
            f"int too big to convert to {given[0].dtype}: write it as a float, 2.0**80 "
            "(Chapter 5)"
        ) from None
    if not isinstance(given[-1], Tensor):
        return NotImplemented
    if "broadcast" in str(error):
        stacks = name == "matmul"  # its last two axes are another matter
        shapes = [tuple(x.shape)[: -2 if stacks else None] for x in given]
        name = f"{name} of stacks" if stacks else name
        raise RuntimeError(_which(name, shapes)) from None
    for words, message in _SAID.items():
        if words in str(error):
            raise RuntimeError(message) from None
    raise error


def _which(name: str, shapes: list) -> str:
    """Find the first operand that does not broadcast with those before it."""
    common = shapes[0]
    for shape in shapes[1:-1]:
        try:
            common = np.broadcast_shapes(common, shape)
        except ValueError:
            return mismatch(name, common, shape)
    return mismatch(name, common, shapes[-1])


def power(x, y):
    """Raise x to the power y; 2 to a negative power is 0 for integers, no error."""
    if y.dtype.kind != "i" or not np.any(y < 0):
        return x**y
    return np.where((y < 0) & (abs(x) != 1), x * 0, x ** np.where(y < 0, y & 1, y))
