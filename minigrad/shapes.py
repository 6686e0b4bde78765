# Generated from chapter 10 (book/ch10-shapes.ipynb): edit the chapter, not this.
"""Shapes: the same elements in other places, and cotangents on the way back.

A new arrangement has a 1 in each row and each column of its Jacobian, so its transpose
is the arrangement back. Where elements are repeated there are several 1s in a column,
and going back is a sum; where they are dropped there is none, and going back leaves 0.
"""

import builtins
import functools
import itertools
import math

import numpy as np

from minigrad import ops
from minigrad.autograd.function import record
from minigrad.indexing import along, picked
from minigrad.operands import _which
from minigrad.ops import _axis, _sizes, check_tensor, permute, transpose
from minigrad.protocols import FUNCTIONS
from minigrad.rules import PRIMITIVES, Primitive, define
from minigrad.tensor import Tensor, extend, memory

# axes of length 1 come and go
_squeeze_all = record(PRIMITIVES["reshape"], "squeeze", "SqueezeBackward0", view=True)
_squeeze_one = record(PRIMITIVES["reshape"], "squeeze", "SqueezeBackward1", view=True)
_squeeze_some = record(PRIMITIVES["reshape"], "squeeze", "SqueezeBackward2", view=True)
_unsqueeze = record(PRIMITIVES["reshape"], "unsqueeze", "UnsqueezeBackward0", view=True)


def squeeze(input, dim=None):
    """The same elements without axes of length 1: all of them, or those named."""
    check_tensor("squeeze", input)
    shape = memory(input).shape
    if dim is None:
        return _squeeze_all(input, tuple(n for n in shape if n != 1))
    function = _squeeze_one if isinstance(dim, int) else _squeeze_some
    axes = {_axis(input, d) for d in ((dim,) if isinstance(dim, int) else dim)}
    return function(
        input, tuple(n for k, n in enumerate(shape) if k not in axes or n != 1)
    )


def unsqueeze(input, dim: int):
    """The same elements with one more axis, of length 1."""
    check_tensor("unsqueeze", input)
    shape = list(memory(input).shape)
    shape.insert(ops.axis_of(dim, len(shape) + 1), 1)
    return _unsqueeze(input, tuple(shape))


def flatten(input, start_dim=0, end_dim=-1):
    """The same elements, with a run of axes made into one."""
    check_tensor("flatten", input)
    if input.ndim == 0:
        return input.reshape(1)
    first, last = _axis(input, start_dim), _axis(input, end_dim)
    if first > last:
        raise RuntimeError(
            "flatten() has invalid args: start_dim cannot come after end_dim "
            f"({start_dim}, {end_dim}): exchange them (Chapter 10)"
        )
    shape = input.shape
    if first == last:
        return input
    length = math.prod(shape[first : last + 1])
    return input.reshape(*shape[:first], length, *shape[last + 1 :])


def ravel(input):
    """The same elements along one axis."""
    return input.contiguous().reshape(-1)


def unflatten(input, dim: int, sizes):
    """The same elements, with one axis made into several."""
    check_tensor("unflatten", input)
    axis = _axis(input, dim)
    length = input.shape[axis]
    try:
        inner = np.broadcast_to(0, length).reshape(tuple(sizes)).shape
    except ValueError:
        raise RuntimeError(
            f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of "
            f"dim {axis} ({length}) in the input tensor; one of them may be -1 "
            "(Chapter 10)"
        ) from None
    return input.view(*input.shape[:axis], *inner, *input.shape[axis + 1 :])


def movedim(input, source, destination):
    """The same elements, with axes moved to other places."""
    check_tensor("movedim", input)
    one = isinstance(source, int)
    old = [_axis(input, d) for d in ((source,) if one else source)]
    new = [_axis(input, d) for d in ((destination,) if one else destination)]
    if len(old) != len(new):
        raise RuntimeError(
            f"movedim: Invalid source or destination dims: source ({old} dims) should "
            f"contain the same number of dims as destination ({new} dims): say where "
            "each one goes (Chapter 10)"
        )
    order = [k for k in range(input.ndim) if k not in old]
    for place, axis in sorted(zip(new, old, strict=True)):
        order.insert(place, axis)
    return permute(input, order)


# arrangements that copy
define(
    "flip",
    lambda x, *, axis: np.flip(x, axis).copy(),
    x=lambda g, axis: np.flip(g, axis),
)
define(
    "roll",
    lambda x, *, shift, axis: np.roll(x, shift, axis),
    x=lambda g, shift, axis: np.roll(g, back(shift), axis),
)
define("tril", lambda x, *, k: np.tril(x, k), x=lambda g, k: np.tril(g, k))
define("triu", lambda x, *, k: np.triu(x, k), x=lambda g, k: np.triu(g, k))
define(
    "tile",
    lambda x, *, repeats: np.tile(x, repeats),
    x=lambda g, x_shape, repeats: summed(g, tuple(x_shape), repeats),
)
_flip = record(PRIMITIVES["flip"], "flip", "FlipBackward0")
_roll = record(PRIMITIVES["roll"], "roll", "RollBackward0")
_tril = record(PRIMITIVES["tril"], "tril", "TrilBackward0")
_triu = record(PRIMITIVES["triu"], "triu", "TriuBackward0")
_tile = record(PRIMITIVES["tile"], "repeat", "RepeatBackward0")


def back(shift):
    """The shift, or shifts, the other way."""
    return -shift if isinstance(shift, int) else tuple(-s for s in shift)


def summed(g, shape: tuple, repeats: tuple):
    """Add up the copies of which a tiling is made."""
    shape = (1,) * (len(repeats) - len(shape)) + shape
    pairs = [n for pair in zip(repeats, shape, strict=True) for n in pair]
    return np.sum(np.reshape(g, tuple(pairs)), axis=tuple(range(0, len(pairs), 2)))


def _dims(input, dims) -> tuple:
    """Axes, counted from the left; one or several."""
    return tuple(_axis(input, d) for d in ((dims,) if isinstance(dims, int) else dims))


def flip(input, *dims):
    """The elements in reverse order along axes; a copy."""
    check_tensor("flip", input)
    return _flip(input, _dims(input, _sizes("flip", "dims", dims)))


def roll(input, shifts, dims=None):
    """The elements moved along axes; what falls off one end comes in at the other."""
    check_tensor("roll", input)
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    axes = (0,) if dims is None else _dims(input, dims)
    if len(shifts) != len(axes):
        raise RuntimeError(
            f"shifts and dimensions must align. shifts: {len(shifts)}, dims:"
            f"{0 if dims is None else len(axes)}: give an axis for each (Chapter 10)"
        )
    return _roll(input, *((shifts[0], None) if dims is None else (shifts, axes)))


def _check_matrix(name: str, input) -> None:
    """Refuse what has no rows and columns."""
    check_tensor(name, input)
    if input.ndim < 2:
        raise RuntimeError(
            f"{name}: input tensor must have at least 2 dimensions, and has "
            f"{input.ndim}: x.expand(n, n) makes rows of a vector (Chapter 10)"
        )


def tril(input, diagonal=0):
    """The elements on and below a diagonal, zeros above."""
    _check_matrix("tril", input)
    return _tril(input, diagonal)


def triu(input, diagonal=0):
    """The elements on and above a diagonal, zeros below."""
    _check_matrix("triu", input)
    return _triu(input, diagonal)


def repeat(input, *repeats):
    """Copies side by side: so many along each axis."""
    repeats = _sizes("repeat", "repeats", repeats)
    if len(repeats) < input.ndim:
        raise RuntimeError(
            "Number of dimensions of repeat dims can not be smaller than number of "
            f"dimensions of tensor: {len(repeats)} < {input.ndim}; x.tile fills them "
            "up (Chapter 10)"
        )
    return _tile(input, repeats)


def tile(input, *dims):
    """Copies side by side; for axes that are not named, one."""
    dims = _sizes("tile", "dims", dims)
    return _tile(input, (1,) * (input.ndim - len(dims)) + dims)


# diagonals
define(
    "diagonal",
    lambda x, *, offset, a, b: np.diagonal(x, offset, a, b),
    x=lambda g, x_shape, offset, a, b: on_diagonal(g, tuple(x_shape), offset, a, b),
)
define(
    "on_diagonal",
    lambda x, *, shape, offset, a, b: on_diagonal(x, shape, offset, a, b),
    x=lambda g, offset, a, b: diagonal_of(g, offset, a, b),
)
_diagonal = record(PRIMITIVES["diagonal"], "diagonal", "DiagonalBackward0", view=True)
_diagonal_copy = record(PRIMITIVES["diagonal"], "diag", "DiagonalBackward0")
_on_diagonal = record(PRIMITIVES["on_diagonal"], "diag_embed", "DiagEmbedBackward0")


def diagonal_of(g, offset: int, a: int, b: int):
    """A diagonal of an array, or of a tensor."""
    if isinstance(g, Tensor):
        return _diagonal(g, offset, a, b)
    return np.diagonal(g, offset, a, b)


def on_diagonal(g, shape: tuple, offset: int, a: int, b: int):
    """Zeros, with g on a diagonal."""
    if isinstance(g, Tensor):
        return _on_diagonal(g, shape, offset, a, b)
    zeros = np.zeros_like(g, shape=shape)
    line = np.diagonal(zeros, offset, a, b)
    line.flags.writeable = True
    line[...] = g
    return zeros


def diagonal(input, offset=0, dim1=0, dim2=1):
    """A diagonal of two axes, as the last axis; a view."""
    check_tensor("diagonal", input)
    memory(input)
    return _diagonal(input, offset, _axis(input, dim1), _axis(input, dim2))


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices of zeros with the last axis on a diagonal."""
    check_tensor("diag_embed", input)
    n = input.shape[-1] + builtins.abs(offset)
    shape = (*input.shape[:-1], n, n)
    result = _on_diagonal(input, shape, offset, len(shape) - 2, len(shape) - 1)
    if (dim1 % len(shape), dim2 % len(shape)) == (len(shape) - 2, len(shape) - 1):
        return result
    return movedim(result, (-2, -1), (dim1, dim2))


def diag(input, diagonal=0):
    """A vector on the diagonal of a matrix; or the diagonal of a matrix."""
    check_tensor("diag", input)
    if input.ndim == 1:
        return diag_embed(input, diagonal)
    if input.ndim != 2:
        raise RuntimeError(
            "diag(): Supports 1D or 2D tensors. Got "
            f"{input.ndim}D: x.diagonal() takes any (Chapter 10)"
        )
    return _diagonal_copy(input, diagonal, 0, 1)


# several tensors become one
def joining(name: str, function: str, params: str, count: int) -> Primitive:
    """A primitive that joins so many arrays along an axis; its text, and its rules.

    The rule of x2 in `cat` is ``lambda g, axis, bounds: cat_part(...)``.
    """
    names, rules = [f"x{k}" for k in range(count)], {}
    for k, x in enumerate(names):
        text = f"lambda g, {params}: {name}_part(g, {params}, {k})"
        rules[x] = eval(text, globals())
        rules[x].__name__ = f"{name}_part"
    given = ", ".join(names)
    text = f"lambda {given}, *, {params}: np.{function}([{given}], axis)"
    return define(f"{name}{count}", eval(text, globals()), **rules)


def cat_part(g, axis: int, bounds: tuple, k: int):
    """The cotangent of one of some arrays that lie one after the other."""
    return picked(g, along(axis, slice(bounds[k], bounds[k + 1])))


def stack_part(g, axis: int, k: int):
    """The cotangent of one of some arrays that lie side by side."""
    return picked(g, along(axis, k))


@functools.cache
def joined(count: int) -> Primitive:
    """What `cat` calls for so many arrays."""
    return joining("cat", "concatenate", "axis, bounds", count)


@functools.cache
def stacked(count: int) -> Primitive:
    """What `stack` calls for so many arrays."""
    return joining("stack", "stack", "axis", count)


def cat(tensors, dim=0):
    """Tensors one after the other along an axis that they have."""
    tensors = _several("cat", tensors)
    tensors = [t for t in tensors if tuple(t.shape) != (0,)] or tensors[:1]
    axis = _axis(tensors[0], dim)
    for k, t in enumerate(tensors):
        own, first = list(t.shape), list(tensors[0].shape)
        if not own:
            raise RuntimeError(
                f"zero-dimensional tensor (at position {k}) cannot be concatenated: "
                "torch.stack makes an axis for it (Chapter 10)"
            )
        own[axis : axis + 1] = first[axis : axis + 1] = []
        if own != first:
            raise RuntimeError(
                f"Sizes of tensors must match except in dimension {axis}. Expected "
                f"{list(tensors[0].shape)} but got {list(t.shape)} for tensor number "
                f"{k} in the list: cut it, or pad it (Chapter 10)"
            )
    return _along(tensors, axis, "cat", "CatBackward0")


MANY = 64  # so many primitives of `cat`, and of `stack`, are made at most


def _along(tensors: list, axis: int, name: str, node: str):
    """Join tensors along an axis that they have; many of them part by part."""
    while len(tensors) > MANY:
        tensors = [_along(part, axis, name, node) for part in _parts(tensors)]
    bounds = tuple(itertools.accumulate((t.shape[axis] for t in tensors), initial=0))
    return record(joined(len(tensors)), name, node)(*tensors, axis, bounds)


def _parts(tensors: list) -> list[list]:
    """A list, cut into lists that a primitive takes."""
    return [tensors[k : k + MANY] for k in range(0, len(tensors), MANY)]


def _several(name: str, tensors) -> list:
    """The tensors of a list; RuntimeError if there is none."""
    if isinstance(tensors, Tensor):
        raise TypeError(
            f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
            "Tensor: put them in a list (Chapter 10)"
        )
    found = list(tensors)
    for tensor in found:
        check_tensor(name, tensor)
    if not found:
        raise (ValueError if name == "cat" else RuntimeError)(
            f"torch.{name}(): expected a non-empty list of Tensors: give at least one "
            "(Chapter 10)"
        )
    return found


def stack(tensors, dim=0):
    """Tensors of one shape side by side, along a new axis."""
    tensors = _several("stack", tensors)
    for k, t in enumerate(tensors):
        if t.shape != tensors[0].shape:
            raise RuntimeError(
                "stack expects each tensor to be equal size, but got "
                f"{list(tensors[0].shape)} at entry 0 and {list(t.shape)} at entry "
                f"{k}: torch.cat takes lengths that differ (Chapter 10)"
            )
    axis = ops.axis_of(dim, tensors[0].ndim + 1)
    name = "stack", "StackBackward0"
    parts = [record(stacked(len(p)), *name)(*p, axis) for p in _parts(tensors)]
    return _along(parts, axis, *name) if len(parts) > 1 else parts[0]


def pad(input, pad, mode="constant", value=None):
    """Numbers around the elements: (left, right) of the last axis, and so on.

    A negative number takes elements away.
    """
    check_tensor("pad", input)
    if mode != "constant" or len(pad) % 2 or len(pad) > 2 * input.ndim:
        raise RuntimeError(
            "Padding length must be divisible by 2 and at most twice the number of "
            f"dimensions of the input, and the mode constant: got {pad}, {mode}; give "
            "(left, right) of the last axis first (Chapter 10)"
        )
    sides = [(0, 0)] * (input.ndim - len(pad) // 2)
    sides += [(pad[k], pad[k + 1]) for k in range(len(pad) - 2, -1, -2)]
    if builtins.any(n < 0 for side in sides for n in side):  # cut there first
        ends = zip(sides, input.shape, strict=True)
        cuts = [slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in ends]
        input = input[tuple(cuts)]
        sides = [(max(a, 0), max(b, 0)) for a, b in sides]
    return _pad(input, tuple(sides), value or 0)


define(
    "pad",
    lambda x, *, sides, value: np.pad(x, sides, constant_values=value),
    x=lambda g, x_shape, sides: picked(
        g, tuple(slice(a, a + n) for (a, _), n in zip(sides, x_shape, strict=True))
    ),
)
_pad = record(PRIMITIVES["pad"], "pad", "ConstantPadNdBackward0")


def broadcast_tensors(*tensors):
    """Tensors, expanded to the shape in which they meet."""
    shapes = [tuple(t.shape) for t in tensors]
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise RuntimeError(_which("broadcast_tensors", shapes)) from None
    return tuple(t.expand(*shape) for t in tensors)


def meshgrid(*tensors, indexing="ij"):
    """Coordinates of a grid: each tensor along an axis of its own."""
    if len(tensors) == 1 and not isinstance(tensors[0], Tensor):
        tensors = tuple(tensors[0])
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(
                "torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: "
                f"{t.ndim}D: t.reshape(-1) (Chapter 10)"
            )
    swap = indexing == "xy" and len(tensors) > 1
    order = [1, 0, *range(2, len(tensors))] if swap else list(range(len(tensors)))
    shape = [tensors[k].numel() for k in order]
    places = [order.index(k) for k in range(len(tensors))]
    return tuple(
        t.view(*(n if k == place else 1 for k, n in enumerate(shape))).expand(*shape)
        for t, place in zip(tensors, places, strict=True)
    )


FUNCTIONS |= {
    np.flip: lambda x, axis: _flip(x, axis),
    np.roll: lambda x, shift, axis: _roll(x, shift, axis),
    np.tril: lambda x, k=0: _tril(x, k),
    np.triu: lambda x, k=0: _triu(x, k),
}
moveaxis, swapaxes, swapdims = movedim, transpose, transpose
concat = concatenate = cat
__all__ = ["broadcast_tensors", "cat", "concat", "concatenate", "diag", "diag_embed"]
__all__ += ["diagonal", "flatten", "flip", "meshgrid", "moveaxis", "movedim", "ravel"]
__all__ += ["roll", "squeeze", "stack", "swapaxes", "swapdims", "tile", "tril", "triu"]
__all__ += ["unflatten", "unsqueeze"]
NO_METHODS = {"broadcast_tensors", "cat", "concat", "concatenate", "meshgrid", "stack"}
extend(**{name: globals()[name] for name in __all__ if name not in NO_METHODS})
extend(repeat=repeat)
