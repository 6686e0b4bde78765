# Generated from chapter 10 (book/ch10-shapes.ipynb): edit the chapter, not this.
"""Indexing: to pick elements, and to put cotangents back where they were picked.

An index with integers and slices is a view. One with masks or arrays of integers is a
copy, and may pick an element twice; then both cotangents come back to it. Like PyTorch,
and unlike NumPy, the view is made first, and what is left is picked from it.
"""

import builtins
from itertools import pairwise

import numpy as np

from minigrad import inplace
from minigrad.autograd.function import record
from minigrad.elementwise import to_dtype
from minigrad.errors import wrong_type
from minigrad.operands import is_array, operand
from minigrad.ops import _axis, check_tensor, check_tensors
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import Tensor, extend, memory, wrap


def picked(x, index):
    """The elements at an index, of an array or of a tensor."""
    return _pick(x, index) if isinstance(x, Tensor) else x[index]


def put(g, index, shape: tuple, repeats: bool):
    """Zeros, with g added at an index; the transpose of `picked`."""
    if isinstance(g, Tensor):
        return _put(g, index, tuple(shape), repeats)
    zeros = np.zeros_like(g, shape=shape)
    if repeats:
        np.add.at(zeros, index, g)
    else:
        zeros[index] = g
    return zeros


define(
    "view_at",
    lambda x, *, index: x[index],
    x=lambda g, x_shape, index: put(g, index, x_shape, False),
)
define(
    "pick_at",
    lambda x, *, index: x[index],
    x=lambda g, x_shape, index: put(g, index, x_shape, may_repeat(index)),
)
define(
    "put_at",
    lambda x, *, index, shape, repeats: put(x, index, shape, repeats),
    x=lambda g, index: picked(g, index),
)


def may_repeat(index) -> bool:
    """Whether an index may name a place twice: masks, slices and integers do not."""
    index = index if isinstance(index, tuple) else (index,)
    lists = [part for part in index if is_array(part)]
    return builtins.any(part.dtype.kind != "b" for part in lists)


_pick = record(PRIMITIVES["pick_at"], "index", "IndexBackward0")
_put = record(PRIMITIVES["put_at"], "index_put", "IndexPutBackward0")
_select = record(PRIMITIVES["view_at"], "select", "SelectBackward0", view=True)
_slice = record(PRIMITIVES["view_at"], "slice", "SliceBackward0", view=True)
_unsqueeze = record(PRIMITIVES["view_at"], "unsqueeze", "UnsqueezeBackward0", view=True)
_alias = record(PRIMITIVES["view_at"], "alias", "AliasBackward0", view=True)


def parts(index) -> list:
    """The parts of an index: integers, slices, None, Ellipsis, and arrays."""
    several = (slice, type(None), type(...), list, tuple, Tensor)
    if isinstance(index, list) and builtins.any(isinstance(p, several) for p in index):
        index = tuple(index)  # as if the brackets were not there
    return [_part(part) for part in (index if isinstance(index, tuple) else (index,))]


def _part(part):
    """One part of an index, in NumPy's terms."""
    if isinstance(part, (slice, type(None), type(...))):
        return _steps(part) if isinstance(part, slice) else part
    if isinstance(part, Tensor):
        part = part._array
    if isinstance(part, (bool, np.bool_)):
        return np.asarray(part)
    if hasattr(part, "__index__") and np.ndim(part) == 0 and _kind(part) != "b":
        return part.__index__()
    if isinstance(part, (float, complex)):
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte "
            f"Variables are valid indices (got {type(part).__name__}): int(x) rounds "
            "towards 0 (Chapter 10)"
        )
    if isinstance(part, str):
        raise TypeError(
            "new(): invalid data type 'str': an index is made of integers, slices, "
            "masks and lists; int(text) reads a number (Chapter 10)"
        )
    array = part if is_array(part) else np.asarray(part)
    if array.size == 0 and not isinstance(part, np.ndarray):
        array = array.astype(np.int64)
    if array.dtype.kind not in "iub":
        raise IndexError(
            "tensors used as indices must be long, int, byte or bool tensors, and not "
            f"of {array.dtype}: convert it, index.long(), or compare it (Chapter 10)"
        )
    return array


def _kind(value) -> str:
    """The kind of a NumPy value; that of a Python integer is "i"."""
    return value.dtype.kind if hasattr(value, "dtype") else "i"


def _steps(part: slice) -> slice:
    """A slice of integers, which goes forward."""
    ends = (part.start, part.stop, part.step)
    start, stop, step = (None if end is None else int(end) for end in ends)
    if step is not None and step <= 0:
        raise ValueError(
            f"step must be greater than zero, and not {step}: x.flip(0) turns an axis "
            "round (Chapter 10)"
        )
    return slice(start, stop, step)


def _spans(part) -> int:
    """How many axes a part of an index takes."""
    if part is None or part is ...:
        return 0
    mask = is_array(part) and part.dtype.kind == "b"
    return part.ndim if mask else 1


def located(shape: tuple, index) -> tuple[tuple, tuple | None]:
    """Split an index into that of a view, and that of a pick out of it (or None).

    Raises IndexError for an index that does not suit the shape.
    """
    found = parts(index)
    free = len(shape) - builtins.sum(map(_spans, found))
    if free < 0:
        raise IndexError(
            f"too many indices for tensor of dimension {len(shape)}: the index names "
            f"{len(shape) - free} axes; take some away (Chapter 10)"
        )
    places = [k for k, part in enumerate(found) if part is ...]
    if places:
        k = places[0]
        found[k : k + 1] = [slice(None)] * free
        found = [slice(None) if part is ... else part for part in found]
    view, pick, axis = [], [], 0
    for part in found:
        if is_array(part):
            _check_mask(part, shape, axis)
            view += [slice(None)] * _spans(part)
            pick.append(part)
        else:
            _check_place(part, shape, axis)
            view.append(part)
            pick += [] if isinstance(part, int) else [slice(None)]
        axis += _spans(part)
    arrays = [part for part in pick if is_array(part)]
    _check_together(arrays)
    return tuple(view), tuple(pick) if arrays else None


def _check_place(part, shape: tuple, axis: int) -> None:
    """Refuse a place that is not there."""
    if isinstance(part, int) and not -shape[axis] <= part < shape[axis]:
        raise IndexError(
            f"index {part} is out of bounds for dimension {axis} with size "
            f"{shape[axis]}: places count from 0, or from -1 backwards (Chapter 10)"
        )


def _check_mask(part: np.ndarray, shape: tuple, axis: int) -> None:
    """Refuse a mask that does not cover its axes, and places that are not there."""
    if part.dtype.kind == "b":
        covered = shape[axis : axis + part.ndim]
        if not part.shape == covered:  # (of a batch: each row has a mask of its own)
            raise IndexError(
                f"The shape of the mask {list(part.shape)} at index {axis} does not "
                f"match the shape of the indexed tensor {list(shape)} at index {axis}: "
                "compare the tensor itself, x[x > 0] (Chapter 10)"
            )
    elif not ((-shape[axis] <= part) & (part < shape[axis])).all():
        worst = part.max() if part.max() >= shape[axis] else part.min()
        raise IndexError(
            f"index {worst} is out of bounds for dimension {axis} with size "
            f"{shape[axis]}: places count from 0, or from -1 backwards (Chapter 10)"
        )


def _check_together(arrays: list) -> None:
    """Refuse lists of places whose shapes do not broadcast."""
    masks = [part.dtype.kind == "b" for part in arrays]
    shapes = [
        (np.count_nonzero(part),) if mask else part.shape
        for part, mask in zip(arrays, masks, strict=True)
    ]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        raise IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with "
            f"shapes {', '.join(str(list(shape)) for shape in shapes)}: give lists of "
            "one length, or x[rows][:, columns] (Chapter 10)"
        ) from None


def getitem(input, index):
    """The elements at an index: a view, or with masks and arrays a copy."""
    view, pick = located(memory(input).shape, index)
    result = _viewed(input, view)
    return result if pick is None else _pick(result, pick)


def _viewed(input, view: tuple):
    """The view at an index of integers, slices and None."""
    if builtins.all(isinstance(part, slice) and part == slice(None) for part in view):
        return _alias(input, (..., *view)) if view else _alias(input, (...,))
    last = [part for part in view if part != slice(None)][-1]
    function = _slice if isinstance(last, slice) else _select
    return (_unsqueeze if last is None else function)(input, (*view, ...))


def iterate(input):
    """The parts of a tensor along its first axis, one after the other."""
    if input.ndim == 0:
        raise TypeError(
            "iteration over a 0-d tensor: it has no axes; x.item() is its number "
            "(Chapter 10)"
        )
    return iter(unbind(input))


# several views at once
_unbound = record(PRIMITIVES["view_at"], "unbind", "UnbindBackward0", view=True)
_split_evenly = record(PRIMITIVES["view_at"], "split", "SplitBackward0", view=True)
_split_sizes = record(
    PRIMITIVES["view_at"], "split_with_sizes", "SplitWithSizesBackward0", view=True
)


def along(axis: int, part) -> tuple:
    """The index that takes a part of one axis, and all of the others."""
    return (*[slice(None)] * axis, part, ...)


def unbind(input, dim=0):
    """All parts along an axis, without it."""
    check_tensor("unbind", input)
    axis = _axis(input, dim)
    length = memory(input).shape[axis]
    return tuple(_unbound(input, along(axis, k)) for k in range(length))


def split(input, split_size_or_sections, dim=0):
    """Parts of one size along an axis (the last may be shorter), or of given sizes."""
    check_tensor("split", input)
    axis, sizes, function = _axis(input, dim), split_size_or_sections, _split_sizes
    length = memory(input).shape[axis]
    if isinstance(sizes, int):
        size, function = sizes, _split_evenly
        if size <= 0:
            raise RuntimeError(
                f"split expects split_size be positive, but got split_size={size}: "
                "give the length of a part (Chapter 10)"
            )
        full, rest = divmod(length, size)
        sizes = [size] * full + [rest] * bool(rest or not full)
    if builtins.sum(sizes) != length:
        raise RuntimeError(
            f"split_with_sizes expects split_sizes to sum exactly to {length} (input "
            f"tensor's size at dimension {dim}), but got split_sizes={list(sizes)}: "
            "account for each place (Chapter 10)"
        )
    ends = np.cumsum([0, *sizes]).tolist()
    return tuple(function(input, along(axis, slice(a, b))) for a, b in pairwise(ends))


def chunk(input, chunks: int, dim=0):
    """At most so many parts, all but the last of one size."""
    check_tensor("chunk", input)
    if chunks <= 0:
        raise RuntimeError(
            f"chunk expects `chunks` to be greater than 0, got: {chunks}: say how many "
            "parts there may be (Chapter 10)"
        )
    length = memory(input).shape[_axis(input, dim)]
    return split(input, builtins.max(-(-length // chunks), 1), dim)


def select(input, dim: int, index: int):
    """One place along an axis, without the axis."""
    axis = _axis(input, dim)
    _check_place(int(index), input.shape, axis)
    return _select(input, along(axis, int(index)))


def narrow(input, dim: int, start: int, length: int):
    """A stretch along an axis."""
    axis, start = _axis(input, dim), int(start)
    if start < 0:
        start += input.shape[axis]
    if start + length > input.shape[axis] or length < 0:
        raise RuntimeError(
            f"start ({start}) + length ({length}) exceeds dimension size "
            f"({input.shape[axis]}): take less, or begin earlier (Chapter 10)"
        )
    return _slice(input, along(axis, slice(start, start + length)))


# picking along one axis, with an index for every place
def _grid(index: np.ndarray, axis: int) -> tuple:
    """The index of NumPy that means ``index`` along one axis, and itself elsewhere."""
    grid = list(np.ogrid[tuple(slice(n) for n in index.shape)])
    grid[axis] = index
    return tuple(grid)


def _index_array(name: str, index, input, axis: int) -> np.ndarray:
    """The array of an index; IndexError or RuntimeError if it does not suit."""
    if not isinstance(index, Tensor):
        raise wrong_type(f"{name}(): argument 'index' (position 3)", "Tensor", index)
    array = memory(index)
    if array.dtype.kind not in "iu" or array.dtype.itemsize < 4:
        raise RuntimeError(
            f"{name}(): Expected dtype int64 for index, and not {index.dtype}: convert "
            "it, index.long() (Chapter 10)"
        )
    length = input.shape[axis] if input.ndim else 1
    if not ((array >= 0) & (array < length)).all():
        worst = array.min() if array.min() < 0 else array.max()
        raise RuntimeError(
            f"index {worst} is out of bounds for dimension {axis} with size {length}: "
            "places count from 0 (Chapter 10)"
        )
    return array


def _check_corner(index, other, axis: int | None) -> None:
    """Refuse an index that is larger than what it indexes, or of another rank."""
    if index.ndim != other.ndim:
        raise RuntimeError(
            "Index tensor must have the same number of dimensions as input tensor: "
            f"{index.ndim} and {other.ndim}; index.unsqueeze(dim) adds one (Chapter 10)"
        )
    for k, (n, m) in enumerate(zip(index.shape, other.shape, strict=True)):
        if n > m and k != axis:
            raise RuntimeError(
                f"Size does not match at dimension {k} expected index "
                f"{list(index.shape)} to be no larger than {list(other.shape)} apart "
                f"from dimension {axis}: index[:{m}] (Chapter 10)"
            )


_gather = record(PRIMITIVES["pick_at"], "gather", "GatherBackward0")
_index_select = record(PRIMITIVES["pick_at"], "index_select", "IndexSelectBackward0")
_masked_select = record(PRIMITIVES["pick_at"], "masked_select", "MaskedSelectBackward0")
_take = record(PRIMITIVES["pick_at"], "take", "TakeBackward0")


def gather(input, dim: int, index):
    """out[i, j] = input[index[i, j], j], for dim 0: an index for every result."""
    check_tensor("gather", input)
    axis = _axis(input, dim)
    array = _index_array("gather", index, input, axis)
    _check_corner(array, input, axis)
    return _gather(input, _grid(array, axis) if array.ndim else ())


def take_along_dim(input, indices, dim=None):
    """`gather`, with an index that broadcasts; with dim None, of all elements."""
    if dim is None:
        return gather(input.reshape(-1), 0, indices.reshape(-1))
    axis = _axis(input, dim)
    shape, own = [*input.shape], [*indices.shape]
    shape[axis] = own[axis]
    meeting = np.broadcast_shapes(tuple(shape), tuple(own))
    wide = [-1 if k == axis else n for k, n in enumerate(meeting)]
    return gather(input.expand(*wide), axis, indices.expand(*meeting))


def index_select(input, dim: int, index):
    """The parts at some places along an axis."""
    check_tensor("index_select", input)
    axis = _axis(input, dim)
    array = _index_array("index_select", index, input, axis)
    if array.ndim > 1:
        raise IndexError(
            "index_select(): Index is supposed to be a vector, and has "
            f"{array.ndim} axes: index.reshape(-1) (Chapter 10)"
        )
    return _index_select(input, along(axis, array.reshape(-1))[: axis + 1])


def masked_select(input, mask):
    """The elements where a mask holds, in one axis."""
    check_tensors("masked_select", input, mask, "mask")
    if mask._array.dtype.kind != "b":
        raise RuntimeError(
            "masked_select: expected BoolTensor for mask: compare, x > 0 (Chapter 10)"
        )
    full = np.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    places = np.broadcast_to(mask._array, full).nonzero()
    return _masked_select(input.expand(*full), places)


def take(input, index):
    """Elements by their number, as if there were one axis."""
    check_tensors("take", input, index, "index")
    count = input.numel()
    if not np.all((-count <= index._array) & (index._array < count)):
        raise IndexError(
            f"out of range: tried to access index {index._array.max()} on a tensor of "
            f"{count} elements: numbers count from 0 (Chapter 10)"
        )
    numbers = index._array % builtins.max(count, 1)
    return _take(input, tuple(np.unravel_index(numbers, input.shape)))


def nonzero(input, *, as_tuple=False):
    """The places of what is not 0: one row for each, or one tensor for each axis."""
    check_tensor("nonzero", input)
    places = np.nonzero(np.atleast_1d(input._array))
    if as_tuple:
        return tuple(wrap(p) for p in places)
    found = np.stack(places, axis=1)
    return wrap(found if input.ndim else found[:, :0])


# writing into a copy
define(
    "written",
    lambda x, y, *, index, add: write(np.copy(x), y, index, add),
    x=lambda g, index, add: g if add else cleared(g, index),
    y=lambda g, index: picked(g, index),
)
define(
    "clear",
    lambda x, *, index: cleared(x, index),
    x=lambda g, index: cleared(g, index),
)


def write(copy: np.ndarray, y, index, add: bool) -> np.ndarray:
    """Put numbers at an index of a copy, or add them to what is there."""
    if add:
        np.add.at(copy, index, y)
    else:
        copy[index] = y
    return copy


def cleared(g, index):
    """A copy with zeros at an index."""
    if isinstance(g, Tensor):
        return _clear(g, index)
    copy = np.copy(g)
    copy[index] = 0
    return copy


_clear = record(PRIMITIVES["clear"], "index_fill", "IndexFillBackward0")
_index_put = record(PRIMITIVES["written"], "index_put", "IndexPutBackward0")
_index_add = record(PRIMITIVES["written"], "index_add", "IndexAddBackward0")
_scatter = record(PRIMITIVES["written"], "scatter", "ScatterBackward0")
_scatter_number = record(PRIMITIVES["written"], "scatter", "ScatterBackward1")
_scatter_add = record(PRIMITIVES["written"], "scatter_add", "ScatterAddBackward0")


def index_put(input, indices, values, accumulate=False):
    """A copy with ``values`` at an index of masks and arrays, or added there."""
    _, index = located(input.shape, tuple(indices))
    _check_values(values, index, input.shape)
    return _index_put(input, values, index, accumulate)


def _check_values(values, index: tuple, shape: tuple) -> None:
    """Refuse values that do not broadcast to the places at an index."""
    places = np.broadcast_to(0, shape)[index].shape
    if not fits(tuple(values.shape), places):
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be "
            f"broadcast to indexing result of shape {list(places)}: reshape it, or "
            "give one number (Chapter 10)"
        )


def fits(shape: tuple, places: tuple) -> bool:
    """Whether one shape broadcasts to another."""
    try:
        return np.broadcast_shapes(shape, places) == places
    except ValueError:
        return False


def index_add(input, dim: int, index, source, *, alpha=1):
    """A copy with the parts of ``source`` added at places along an axis."""
    axis = _axis(input, dim)
    array = _index_array("index_add", index, input, axis)
    if array.size != source.shape[axis]:
        raise RuntimeError(
            f"index_add_(): Number of indices ({array.size}) should be equal to "
            f"source.size(dim): ({source.shape[axis]}), for dim: {axis}: give one for "
            "each part (Chapter 10)"
        )
    source = source if alpha == 1 else source * alpha
    place = along(axis, array.reshape(-1))[: axis + 1]
    _check_values(source, place, input.shape)
    return _index_add(input, source, place, True)


def scatter(input, dim: int, index, src=None, *, value=None):
    """A copy with out[index[i, j], j] = src[i, j], for dim 0: gather, backwards."""
    axis = _axis(input, dim)
    if input.ndim == 1 and getattr(index, "shape", None) == ():
        index = index.unsqueeze(0)
    array = _index_array("scatter", index, input, axis)
    _check_corner(array, input, axis)
    grid = _grid(array, axis)
    value = src if value is None else value
    if not isinstance(value, Tensor):
        number = to_dtype(operand(value, input), input)
        return _scatter_number(input, number, grid, False)
    return _scatter(input, _corner(value, index), grid, False)


def scatter_add(input, dim: int, index, src):
    """A copy with src[i, j] added at [index[i, j], j], for dim 0."""
    axis = _axis(input, dim)
    array = _index_array("scatter_add", index, input, axis)
    _check_corner(array, input, axis)
    return _scatter_add(input, _corner(src, index), _grid(array, axis), True)


def _corner(src, index):
    """As much of a source as there are indices."""
    if src.shape == index.shape:
        return src
    _check_corner(index, src, None)
    return src[tuple(slice(n) for n in index.shape)]


# assignment
def setitem(self, index, value) -> None:
    """Write into the elements at an index, in place.

    A view is written to; the places of masks and arrays are looked up.
    """
    _check_value(self, value)
    view, pick = located(memory(self).shape, index)
    target = _whole(self, _viewed(self, view))
    if pick is not None:
        value = _fitted(_same_dtype(value, target), None)
        _check_values(value, pick, target.shape)
        assign(target, pick, value)
    elif isinstance(value, Tensor) and value.ndim:
        target.copy_(_fitted(value, target.shape))
    else:
        target.fill_(value)


def _check_value(tensor: Tensor, value) -> None:
    """Refuse to assign what is neither a tensor nor a number of Python's."""
    if not isinstance(value, (Tensor, bool, int, float)):
        raise TypeError(
            f"can't assign a {type(value).__name__} to a "
            f"torch.{inplace._NAMES[tensor.dtype.name]}Tensor: make a tensor of it, "
            "torch.tensor(value) (Chapter 10)"
        )


def _same_dtype(value, tensor: Tensor) -> Tensor:
    """A number as a tensor of that dtype; a tensor must have it."""
    if isinstance(value, Tensor) and value.dtype is not tensor.dtype:
        names = [inplace._NAMES[x.dtype.name] for x in (tensor, value)]
        raise RuntimeError(
            "Index put requires the source and destination dtypes match, got "
            f"{names[0]} for the destination and {names[1]} for the source: convert "
            "it, value.to(x.dtype) (Chapter 10)"
        )
    return inplace._second("index_put_", value, tensor)


def _whole(tensor: Tensor, view: Tensor) -> Tensor:
    """The tensor itself if the view shows all of it in its own order."""
    a, b = memory(tensor), view._array
    same = a.shape == b.shape and a.strides == b.strides
    return tensor if same and tensor.data_ptr() == view.data_ptr() else view


def _fitted(value: Tensor, shape: tuple | None) -> Tensor:
    """A value without axes of length 1 in front, in the shape of the places."""
    if value.shape == shape:
        return value
    ones = next((k for k, n in enumerate(value.shape) if n != 1), value.ndim)
    value = value.reshape(value.shape[ones:]) if ones else value
    return value if shape is None else value.expand(shape)


def assign(target: Tensor, pick: tuple, value: Tensor) -> None:
    """Write to the places that masks and arrays pick; Chapter 11 records it."""
    inplace._allowed("index_put_", target, value)
    inplace._writable(target)[pick] = value._array
    inplace.history.after("index_put_", target, None)


def delitem(self, index) -> None:
    """Refuse ``del x[index]``."""
    raise TypeError(
        "Tensor does not support deleting items: choose those to keep, x[mask] "
        "(Chapter 10)"
    )


__all__ = ["chunk", "gather", "index_add", "index_put", "index_select"]
__all__ += ["masked_select", "narrow", "nonzero", "scatter", "scatter_add", "select"]
__all__ += ["split", "take", "take_along_dim", "unbind"]
extend(**{name: globals()[name] for name in __all__})
extend(__getitem__=getitem, __setitem__=setitem, __delitem__=delitem)
extend(__iter__=iterate)
