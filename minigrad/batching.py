# Generated from chapter 14 (book/ch14-higher.ipynb): edit the chapter, not this.
"""Rows: a batch of arrays that passes for one of them, and vmap, which makes such.

An array keeps its batch in a leading axis that ``shape`` does not show. NumPy's
functions ask it what to do (NEP 13, NEP 18), and it answers with the same function on
all rows at once. So the operations and the rules of this package run on a batch as they
stand.
"""

import functools
import itertools
import textwrap
from contextlib import contextmanager
from functools import partial
from importlib import import_module

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minigrad import operands
from minigrad import roots as starts
from minigrad.autograd import engine, function, rebase
from minigrad.autograd.function import record
from minigrad.ops import allclose
from minigrad.random import Generator
from minigrad.rules import PRIMITIVES, define, unbroadcast
from minigrad.selections import either
from minigrad.shapes import cat, stack
from minigrad.tensor import Tensor, axis_of, extend, memory, mode, wrap

_numbers = itertools.count()
checks = import_module("minigrad.autograd.gradcheck")  # not the function


class Level:
    """One batch: its number of rows, and its rank among batches within batches."""

    def __init__(self, size: int):
        self.size, self.number = size, next(_numbers)


@contextmanager
def having(**wanted):
    """Have the mode of this thread say something else for a while."""
    before = {name: getattr(mode, name) for name in wanted}
    vars(mode).update(wanted)
    try:
        yield
    finally:
        vars(mode).update(before)


# what every thread begins with; the last two are for later in the chapter
type(mode).levels, type(mode).drawing, type(mode).transforming = (), "same", False


@contextmanager
def within(level: Level):
    """Have a level among the open ones of this thread for a while."""
    with having(levels=(*mode.levels, level)):
        yield level


def open_levels() -> tuple[Level, ...]:
    """The batches inside which this thread is."""
    return mode.levels


class Shape(tuple):
    """The shape of a row. Asked whether it *differs*, it compares the levels, too."""

    levels: tuple = ()

    def __ne__(self, other) -> bool:
        return tuple.__ne__(self, other) or extra(self, other) or extra(other, self)

    __eq__, __hash__ = tuple.__eq__, tuple.__hash__


def extra(shape: tuple, other: tuple) -> list[Level]:
    """The levels that one shape has and another has not."""
    known = getattr(other, "levels", ())
    return [level for level in getattr(shape, "levels", ()) if level not in known]


CONTROL = (
    "vmap: It looks like you're attempting to use a Tensor in some data-dependent "
    "control flow. We don't support that yet: there is one answer "
    "for each row. torch.where(condition, a, b) computes both ways (Chapter 14)"
)
ITEM = (
    "vmap: It looks like you're calling .item() on a Tensor. We don't support vmap "
    "over calling .item() on a Tensor, please try to rewrite what you're doing with "
    "other operations: the tensor itself can stand where the number would (Chapter 14)"
)
DYNAMIC = (
    "vmap: We do not support batching operators that can output dynamic shape: each "
    "row would have another one. Choose with torch.where(mask, x, 0) (Chapter 14)"
)
MASK = (
    "vmap: We do not support batching operators that can support dynamic shape. "
    "Attempting to batch over indexing with a boolean mask: each row would have "
    "another shape. Choose with torch.where(mask, x, 0) (Chapter 14)"
)
PLAIN = (
    "vmap: inplace arithmetic(self, *extra_args) is not possible because there exists "
    "a Tensor `other` in extra_args that has more elements than `self`: a batch does "
    "not fit into an array without one. Please try to use out-of-place operators "
    "instead of inplace arithmetic (Chapter 14)"
)


class _Described:
    """What can be seen of the rows: one of them."""

    __slots__ = ()
    dtype = property(lambda self: self.data.dtype)
    flags = property(lambda self: self.data.flags)
    itemsize = property(lambda self: self.data.itemsize)
    strides = property(lambda self: self.data.strides[1:])
    ndim = property(lambda self: self.data.ndim - 1)
    size = property(lambda self: self.data.size // max(len(self.data), 1))
    T = property(lambda self: np.transpose(self))
    mT = property(lambda self: np.swapaxes(self, -1, -2))  # noqa: N815
    base = property(lambda self: self.data)  # where the memory is

    @property
    def shape(self) -> Shape:
        """The shape of a row; it knows the levels."""
        shape = Shape(self.data.shape[1:])
        shape.levels = (self.level, *getattr(self.data.shape, "levels", ()))
        return shape

    def __len__(self) -> int:
        return self.data.shape[1]

    def __iter__(self):
        return (self[k] for k in range(len(self)))


def _refusing(message: str):
    """A method that refuses."""

    def method(self, *arguments, **options):
        raise RuntimeError(message)

    return method


class _Refused:
    """What has an answer for each row, where Python wants one."""

    __slots__ = ()
    __bool__, __array__ = _refusing(CONTROL), _refusing(PLAIN)
    __array_interface__ = property(__array__)
    item = tolist = __float__ = __int__ = _refusing(ITEM)


def _method(numpy_function):
    """A method that is a function of NumPy."""
    return lambda self, *given, **options: numpy_function(self, *given, **options)


class _Methods:
    """The methods of an array that operations and rules use."""

    __slots__ = ()
    sum, mean, max, min = map(_method, (np.sum, np.mean, np.max, np.min))
    copy, swapaxes, cumsum = map(_method, (np.copy, np.swapaxes, np.cumsum))
    any, nonzero = map(_method, (np.any, np.nonzero))

    def all(self, axis=None, **options):
        """Whether all are true: without axes, in all rows, which is one answer."""
        return self.data.all() if axis is None else np.all(self, axis, **options)

    def astype(self, kind, **options):
        """The rows in another dtype."""
        return Rows(self.data.astype(kind, **options), self.level)

    def reshape(self, *shape):
        """The rows in another shape."""
        return np.reshape(self, shape[0] if len(shape) == 1 else shape)

    def transpose(self, *axes):
        """The rows with their axes in another order."""
        return np.transpose(self, (axes[0] if len(axes) == 1 else axes) or None)


class _Asked(NDArrayOperatorsMixin):
    """What NumPy's functions ask."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if any(isinstance(x, Tensor) for x in inputs):
            return NotImplemented
        (out,) = options.pop("out", (None,))
        target = inputs[0] if method == "at" else out
        if target is not None and not has(target, top(inputs)):
            raise RuntimeError(PLAIN)
        if method == "__call__":
            found = elementwise(ufunc, *inputs, **options)
            return found if out is None else put_into(out, (...,), found)
        return row_by_row(getattr(ufunc, method), *inputs, **options)

    def __array_function__(self, called, types, arguments, options):
        if any(issubclass(kind, Tensor) for kind in types):
            return NotImplemented
        return TABLE.get(called, _looped(called))(*arguments, **options)


class Rows(_Described, _Refused, _Methods, _Asked):
    """A batch of arrays: ``data`` holds them along its first axis, which is hidden.

    An axis of length 1 stands for one row that all have in common.
    """

    __slots__ = ("__weakref__", "data", "level")
    __hash__ = object.__hash__

    def __init__(self, data, level: Level):
        self.data, self.level = data, level

    def __repr__(self) -> str:
        return f"Rows({self.data})"

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        if places := of_rows(index, self.level):
            return Rows(full(self, self.level)[places], self.level)
        if spread_out(index):
            return row_by_row(lambda row, index: row[index], self, index)
        return Rows(self.data[(slice(None), *index)], self.level)

    def __setitem__(self, index, value):
        index = index if isinstance(index, tuple) else (index,)
        put_into(self, index, value)


def put_into(rows: Rows, index: tuple, value) -> Rows:
    """Write to all rows, once each has memory of its own."""
    if not isinstance(rows, Rows):
        raise RuntimeError(PLAIN)
    level, data = rows.level, widen(rows)
    if top((value, index)).number > level.number:
        raise RuntimeError(PLAIN)
    if places := of_rows(index, level):
        data[places] = lift(value, level, data[places].ndim - 1)
    elif spread_out(index):
        row_by_row(lambda row, i, v: row.__setitem__(i, v), rows, index, value)
    else:
        index = (slice(None), *index)
        data[index] = lift(value, level, data[index].ndim - 1)
    return rows


def widen(rows: Rows):
    """Give every row memory of its own, so that it can be written to."""
    if len(rows.data) != rows.level.size:
        rows.data = np.copy(full(rows, rows.level))
    return rows.data


def spread_out(index: tuple) -> bool:
    """Whether NumPy would move picked axes to the front, or each row has its index."""
    lists = [k for k, part in enumerate(index) if isinstance(part, (list, np.ndarray))]
    ones = [k for k, part in enumerate(index) if isinstance(part, (int, np.integer))]
    places = sorted(lists + ones) if lists else []
    apart = places and places[-1] - places[0] >= len(places)
    return bool(apart) or any(isinstance(part, Rows) for part in index)


def of_rows(index: tuple, level: Level) -> tuple | None:
    """An index by lists of places alone, with one more: the number of the row."""
    if not any(has(part, level) for part in index):
        return None
    lists = [part for part in index if has(part, level) or type(part) is np.ndarray]
    if len(lists) < len(index) or any(part.dtype.kind == "b" for part in lists):
        return None
    ndim = max(part.ndim for part in lists)
    rows = np.arange(level.size).reshape(-1, *(1,) * ndim)
    return (rows, *(lift(part, level, ndim) for part in lists))


NOWHERE = Level(1)
NOWHERE.number = -1


def top(values) -> Level:
    """The innermost level among arrays in (nested) tuples and lists."""
    found = NOWHERE
    for value in values:
        level = value.level if isinstance(value, Rows) else NOWHERE
        if isinstance(value, (tuple, list)):
            level = top(value)
        found = level if level.number > found.number else found
    return found


def has(x, level: Level) -> bool:
    """Whether an array is a batch of this level."""
    return isinstance(x, Rows) and x.level is level


def lift(x, level: Level, ndim: int):
    """The data of a batch, with axes of length 1 behind the hidden one, up to ndim."""
    if not has(x, level):
        return x
    return (
        x.data[(slice(None), *(None,) * (ndim - x.ndim))] if x.ndim < ndim else x.data
    )


def full(x, level: Level):
    """The data of a batch, or of one that has only equal rows, with all rows."""
    data = x.data if has(x, level) else np.reshape(x, (1, *np.shape(x)))
    return np.broadcast_to(data, (level.size, *data.shape[1:]))


def elementwise(called, *inputs, **options):
    """Call a function that broadcasts, on all rows at once."""
    if called is np.matmul:
        return matrix_product(*inputs)
    level, ndim = top(inputs), max(map(np.ndim, inputs))
    return Rows(called(*(lift(x, level, ndim) for x in inputs), **options), level)


def matrix_product(x, y):
    """The matrix product of batches: one large product where the factor is common."""
    level = top((x, y))
    if np.ndim(x) == np.ndim(y) == 1:
        return np.sum(x * y, axis=0)
    if np.ndim(x) == 1:
        return matrix_product(x[None, :], y)[..., 0, :]
    if np.ndim(y) == 1:
        return matrix_product(x, y[:, None])[..., 0]
    if x.ndim == y.ndim == 2 and not has(y, level):  # the rows, one below the other
        n, m, k = x.data.shape
        found = np.reshape(np.reshape(x.data, (n * m, k)) @ y, (n, m, y.shape[1]))
    elif x.ndim == y.ndim == 2 and not has(x, level) and y.shape[1] == 1:
        found = (y.data[..., 0] @ x.mT)[..., None]
    else:
        ndim = max(x.ndim, y.ndim)
        found = np.matmul(lift(x, level, ndim), lift(y, level, ndim))
    return Rows(found, level)


def row_by_row(called, *arguments, **options):
    """Call a function for each row, and stack what it returns."""
    level = top((arguments, tuple(options.values())))
    if arguments and has(arguments[0], level):
        widen(arguments[0])

    def row(value, k: int):
        if type(value) in (tuple, list):
            return type(value)(row(item, k) for item in value)
        return (
            value.data[k if len(value.data) > 1 else 0, ...]
            if has(value, level)
            else value
        )

    found = []
    for k in range(level.size):
        named = {name: row(value, k) for name, value in options.items()}
        found.append(called(*row(arguments, k), **named))
    return _stacked(found, level)


def _stacked(found: list, level: Level):
    """The results of all rows as a batch; each of several results by itself."""
    if found[0] is None:
        return None
    if isinstance(found[0], tuple):
        return tuple(_stacked([*items], level) for items in zip(*found, strict=True))
    return Rows(np.stack(found), level)


def _looped(called):
    """What is not in the table runs row by row."""
    return lambda *given, **options: row_by_row(called, *given, **options)


def rowwise(function):
    """A function of arrays, such as a loop over parts of them, that takes batches."""

    @functools.wraps(function)
    def called(*arguments, **options):
        given = (*arguments, *options.values())
        if any(type(value) is Rows for value in given):
            return row_by_row(called, *arguments, **options)
        return whole(function, arguments, options)

    return called


def whole(function, arguments: tuple, options: dict):
    """Call it as it stands; Chapter 23 has a trace take it for one operation."""
    return function(*arguments, **options)


def behind(axis, ndim: int):
    """Axes of a row, as axes of the batch: one further, as counted from the left."""
    if axis is None:
        return tuple(range(1, ndim + 1))
    if isinstance(axis, (tuple, list)):
        return tuple(behind(a, ndim) for a in axis)
    return axis + 1 if axis >= 0 else axis


def along_axes(called, x, axis=None, *given, **options):
    """Call a function that works along axes, or along all of them."""
    if not isinstance(x, Rows):
        return row_by_row(called, x, axis, *given, **options)
    return Rows(called(x.data, behind(axis, x.ndim), *given, **options), x.level)


def along_one(called, x, axis=None, *given, **options):
    """Call a function that works along one axis; without one, row by row."""
    if axis is None or not isinstance(x, Rows) or isinstance(axis, Rows):
        return row_by_row(called, x, axis, *given, **options)
    return along_axes(called, x, axis, *given, **options)


def in_stacks(called, x, *given, **options):
    """Call a function that takes stacks by itself."""
    return Rows(called(x.data, *given, **options), x.level)


def joined(called, arrays, axis=0, **options):
    """Join arrays, all of which are batches now."""
    level = top(arrays)
    data = [full(x, level) for x in arrays]
    return Rows(called(data, axis=behind(axis, 0), **options), level)


def contracted(called, equation: str, *arrays, **options):
    """An einsum with one letter more, for the rows."""
    (left, right), level = equation.split("->"), top(arrays)
    terms = zip(left.split(","), arrays, strict=True)
    left = ",".join("A" * has(x, level) + term for term, x in terms)
    data = [lift(x, level, 0) for x in arrays]
    data = [full(x, level) if has(x, level) else x for x in arrays]
    return Rows(called(f"{left}->A{right}", *data, **options), level)


def picked_along(called, x, index, *given):
    """Pick along an axis, or put there: the places may be the same for all rows."""
    *values, axis = given
    level = top((x, index, *values))
    data = widen(x) if values else full(x, level)
    if axis is None:
        return row_by_row(called, x, index, *given)
    values = [lift(v, level, x.ndim) if has(v, level) else v for v in values]
    found = called(data, full(index, level), *values, behind(axis, 0))
    return None if found is None else Rows(found, level)


def filled(called, x, *given, shape=None, **options):
    """A batch of new arrays, like another one."""
    shape = x.data.shape[1:] if shape is None else shape
    shape = (x.level.size, *((shape,) if isinstance(shape, int) else shape))
    return Rows(called(x.data, *given, shape=shape, **options), x.level)


def with_shape(x, shape, **options):
    """The rows in another shape."""
    shape = (shape,) if isinstance(shape, int) else shape
    return Rows(np.reshape(x.data, (len(x.data), *shape), **options), x.level)


def broadcast(x, shape):
    """The rows, repeated along new axes or such of length 1."""
    shape = (shape,) if isinstance(shape, int) else shape
    data = lift(x, x.level, len(shape))
    return Rows(np.broadcast_to(data, (len(data), *shape)), x.level)


def permuted(x, axes=None):
    """The rows with their axes in another order."""
    axes = range(x.ndim)[::-1] if axes is None else axes
    order = (0, *(a % x.ndim + 1 for a in axes))
    return Rows(np.transpose(x.data, order), x.level)


def moved(called, x, a, b):
    """The rows with two axes exchanged, or one moved."""
    return Rows(called(x.data, behind(a, 0), behind(b, 0)), x.level)


def padded(x, sides, **options):
    """The rows with something around each."""
    return Rows(np.pad(x.data, ((0, 0), *sides), **options), x.level)


def rolled(x, shift, axis=None):
    """The rows, each rolled along its axes."""
    if axis is None:
        return with_shape(rolled(with_shape(x, -1), shift, 0), x.shape)
    return Rows(np.roll(x.data, shift, behind(axis, 0)), x.level)


def diagonals(called, x, offset=0, axis1=0, axis2=1):
    """The diagonal of each row, or its sum."""
    return Rows(called(x.data, offset, behind(axis1, 0), behind(axis2, 0)), x.level)


def common(x):
    """The memory of an array, whatever it is."""
    return common(x.data) if isinstance(x, Rows) else x


def _with(way, *functions) -> dict:
    """The same way for several functions."""
    return {f: (lambda *a, f=f, **o: way(f, *a, **o)) for f in functions}


TABLE = {
    **_with(along_axes, np.sum, np.mean, np.max, np.min, np.prod, np.any, np.all),
    **_with(along_axes, np.flip, np.expand_dims, np.var, np.std),
    **_with(along_one, np.cumsum, np.cumprod, np.sort, np.argsort, np.squeeze),
    **_with(along_one, np.argmax, np.argmin),
    np.copy: lambda x, **o: Rows(np.copy(full(x, x.level), **o), x.level),
    **_with(in_stacks, np.tril, np.triu, np.linalg.inv, np.linalg.det),
    **_with(joined, np.concatenate, np.stack), **_with(elementwise, np.where),
    **_with(filled, np.zeros_like, np.ones_like, np.empty_like, np.full_like),
    **_with(picked_along, np.take_along_axis, np.put_along_axis),
    **_with(moved, np.swapaxes, np.moveaxis), **_with(contracted, np.einsum),
    **_with(diagonals, np.diagonal, np.trace),
    np.reshape: with_shape, np.broadcast_to: broadcast, np.transpose: permuted,
    np.copyto: lambda to, x, casting="", where=True: put_into(
        to, (...,), x if where is True else np.where(where, x, to)
    ),
    np.nonzero: _refusing(DYNAMIC), np.count_nonzero: _refusing(MASK),
    np.pad: padded,
    np.roll: rolled, np.ndim: lambda x: x.ndim,
    np.shape: lambda x: x.shape, np.size: lambda x: x.size,
    np.may_share_memory: lambda x, y: np.may_share_memory(common(x), common(y)),
    np.result_type: lambda *a: np.result_type(*(getattr(x, "dtype", x) for x in a)),
}  # fmt: skip


# into a level, and out of it
def entered(x, level: Level, dim: int):
    """Hide an axis, within the levels that lie deeper."""
    if isinstance(x, Rows) and x.level.number > level.number:
        return Rows(entered(x.data, level, dim + 1), x.level)
    return Rows(np.moveaxis(x, dim, 0), level)


def exposed(x, level: Level, dim: int):
    """Show the axis again; what has none is repeated."""
    if isinstance(x, Rows) and x.level.number > level.number:
        return Rows(exposed(x.data, level, dim + 1), x.level)
    return np.moveaxis(full(x, level), 0, dim)


def lifted(x, levels: tuple):
    """Make an array a batch of every level, with one row that all have in common."""
    for level in sorted(levels, key=lambda level: level.number):
        x = _lifted(x, level)
    return x


def _lifted(x, level: Level):
    """The same for one level."""
    if has(x, level):
        return x
    if isinstance(x, Rows) and x.level.number > level.number:
        inner = _lifted(x.data, level)
        return Rows(inner, x.level)
    return Rows(np.reshape(x, (1, *np.shape(x))), level)


def totalled(x, level: Level):
    """Add up the rows of a level."""
    if has(x, level):
        return np.sum(full(x, level), axis=0)
    return Rows(totalled(x.data, level), x.level) if isinstance(x, Rows) else x


define(
    "enter",
    lambda x, *, level, dim: entered(x, level, dim),
    x=lambda g, level, dim: leave(g, level=level, dim=dim),
)
define(
    "leave",
    lambda x, *, level, dim: exposed(x, level, dim),
    x=lambda g, level, dim: enter(g, level=level, dim=dim),
)
define("lift", lambda x, *, levels: lifted(x, levels), x=lambda g: g)
define(
    "sum_rows",
    lambda x, *, level: totalled(x, level),
    x=lambda g, level: lift_to(g, levels=(level,)),
)
enter = either(entered, record(PRIMITIVES["enter"], "vmap", "EnterBackward0"))
leave = either(exposed, record(PRIMITIVES["leave"], "vmap", "LeaveBackward0"))
lift_to = either(lifted, record(PRIMITIVES["lift"], "vmap", "LiftBackward0"))


sum_rows = either(totalled, record(PRIMITIVES["sum_rows"], "vmap", "SumRowsBackward0"))


# what the engine has to know
def misfit(x: Tensor, z):
    """What x's cotangent must be fitted to: its shape, levels and dtype."""
    a = x._array
    other = a.shape != z.shape or a.dtype is not z.dtype
    return (a.shape, a.dtype) if other else None


def fit(cotangent, like: tuple):
    """Give a cotangent the levels, shape and dtype of what it belongs to."""
    array = cotangent._array if isinstance(cotangent, Tensor) else cotangent
    for level in extra(array.shape, like[0]) if type(array) is Rows else ():
        if level not in open_levels():
            cotangent = sum_rows(cotangent, level=level)
    shape = tuple(like[0])
    if tuple(cotangent.shape) != shape:
        cotangent = unbroadcast(cotangent, shape)
    return cotangent if cotangent.dtype == like[1] else cotangent.astype(like[1])


def layout(array) -> tuple:
    """How an array lies in memory, for changes of views; of a batch, its first row."""
    return layout(array.data[0, ...]) if isinstance(array, Rows) else _layout(array)


def busy(error: Exception) -> bool:
    """Whether to try again: another thread, or a batch where NumPy wants an array."""
    return _busy(error) or str(error) in (PLAIN, CONTROL, ITEM)


def quietly(called, *arrays, **options):
    """Try again, row by row if there are any."""
    if top((*arrays, *options.values())) is NOWHERE:
        return _quietly(called, *arrays, **options)
    return row_by_row(partial(quietly, called), *arrays, **options)


_busy, _quietly, _layout = function.busy, function.quietly, rebase._layout
function.misfit, function.fit, starts.fit = misfit, fit, fit
function.busy, function.quietly, rebase._layout = busy, quietly, layout
engine.ARRAYS += (Rows,)
operands.ARRAYS += (Rows,)


def _grad_of_rows(outputs, inputs: tuple, weights, keep, create_graph: bool) -> list:
    """One pass for all rows of the weights."""
    outputs = engine.as_tuple(outputs)
    weights = (None,) * len(outputs) if weights is None else engine.as_tuple(weights)
    for y, v in zip(outputs, weights, strict=False):
        if v is None or v.shape[1:] != y.shape:
            shape = None if v is None else list(v.shape)
            raise RuntimeError(
                "If `is_grads_batched=True`, we interpret the first dimension of each "
                "grad_output as the batch dimension. The sizes of the remaining "
                "dimensions are expected to match the shape of corresponding output, "
                f"but a mismatch was detected: {shape} for {list(y.shape)}; "
                "torch.eye gives unit vectors (Chapter 14)"
            )
    with within(Level(len(weights[0]))) as level:
        rows = [enter(v, level=level, dim=0) for v in weights]
        found = engine._grad_of(outputs, inputs, rows, keep, create_graph)
        return [None if g is None else leave(g, level=level, dim=0) for g in found]


engine._grad_of_rows = _grad_of_rows


def roots_of(outputs, weights, create_graph: bool) -> list[tuple]:
    """The roots of a pass; a cotangent has the levels of its output."""
    pairs = _roots_of(outputs, weights, create_graph)
    for k, y in enumerate(engine.as_tuple(outputs)):
        if type(y._array) is Rows:
            levels = y._array.shape.levels
            pairs[k] = pairs[k][0], lift_to(pairs[k][1], levels=levels)
    return pairs


_roots_of, engine.roots_of = engine.roots_of, roots_of


# vmap
def walk(tree, dims, visit):
    """Call ``visit(leaf, dim)`` for all leaves; dims has their structure, or less."""
    if isinstance(tree, dict):
        each = dims if isinstance(dims, dict) else dict.fromkeys(tree, dims)
        return {key: walk(tree[key], each[key], visit) for key in tree}
    if not isinstance(tree, (tuple, list)):
        return visit(tree, dims)
    each = dims if isinstance(dims, (tuple, list)) else [dims] * len(tree)
    if len(each) != len(tree):
        raise IndexError
    items = [walk(*pair, visit) for pair in zip(tree, each, strict=True)]
    return type(tree)(*items) if hasattr(tree, "_fields") else type(tree)(items)


def _check_in(name: str, x, dim) -> int | None:
    """The axis to map over, counted from the left; None for what is common."""
    if isinstance(dim, (tuple, list, dict)):
        raise IndexError
    if dim is None:
        return None
    if not isinstance(x, Tensor):
        raise ValueError(
            f"{name}(<inputs>): Got in_dim={dim} for an input but the input is of type "
            f"{type(x)}. We cannot vmap over non-Tensor arguments, please use None as "
            "the respective in_dim: then all rows have it in common (Chapter 14)"
        )
    if not -x.ndim <= dim < x.ndim:
        raise ValueError(
            f"{name}(<inputs>): Got in_dim={dim} for some input, but that input is a "
            f"Tensor of dimensionality {x.ndim} so expected in_dim to satisfy "
            f"-{x.ndim} <= in_dim < {x.ndim}. None passes it to all rows (Chapter 14)"
        )
    return dim % x.ndim


def _check_call(said: str, name: str, args: tuple, in_dims) -> None:
    """Refuse a call without inputs, and in_dims of a wrong type."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(
            f"{name}(<inputs>): expected `in_dims` to be int or a (potentially nested) "
            f"tuple matching the structure of inputs, got: {type(in_dims)}. One int is "
            "for all (Chapter 14)"
        )
    if not args:
        raise ValueError(
            f"vmap({said})(<inputs>): got no inputs. Maybe you forgot to add inputs, "
            "or you are trying to vmap over a function with no inputs. The latter is "
            "unsupported: give it one (Chapter 14)"
        )


def _batch(name: str, args: tuple, in_dims) -> tuple:
    """The axes to map over, and the number of rows."""
    sizes = []

    def visit(x, dim):
        dim = _check_in(name, x, dim)
        sizes.extend([] if dim is None else [x.shape[dim]])
        return dim

    try:
        dims = walk(args, in_dims, visit)
    except (IndexError, KeyError):
        raise ValueError(
            f"{name}(<inputs>): in_dims is not compatible with the structure of "
            f"`inputs`: {in_dims} for {len(args)} of them. Give one for each, or one "
            "int for all (Chapter 14)"
        ) from None
    if not sizes:
        raise ValueError(
            "vmap: Expected at least one Tensor to vmap over: an in_dim that is not "
            "None (Chapter 14)"
        )
    if len({*sizes}) > 1:
        raise ValueError(
            "vmap: Expected all tensors to have the same size in the mapped dimension, "
            f"got sizes {sizes} for the mapped dimension: what all rows have in common "
            "has in_dim None (Chapter 14)"
        )
    return dims, sizes[0]


def inside(x, level: Level) -> bool:
    """Whether something is a tensor that has rows of a level."""
    return isinstance(x, Tensor) and level in getattr(x._array.shape, "levels", ())


def _leaving(name: str, level: Level):
    """What to do with a result: show its rows along an axis."""

    def visit(y, dim):
        if isinstance(dim, (tuple, list, dict)):
            raise IndexError
        if not isinstance(y, Tensor):
            raise ValueError(
                f"vmap({name}, ...): `{name}` must only return Tensors, got type "
                f"{type(y)}. Did you mean to set out_dims= to None for output? Return "
                "a tensor for each row (Chapter 14)"
            )
        if dim is None and inside(y, level):
            raise ValueError(
                f"vmap({name}, ...): `{name}` can not return a BatchedTensor when "
                "out_dim is None: there is one for each row; say along which axis "
                "(Chapter 14)"
            )
        return y if dim is None else leave(y, level=level, dim=axis_of(dim, y.ndim + 1))

    return visit


def _run(func, name: str, args: tuple, dims, size: int, out_dims):
    """Call a function once, on all rows."""
    with within(Level(size)) as level:

        def enter_one(x, dim):
            return x if dim is None else enter(x, level=level, dim=dim)

        found = func(*walk(args, dims, enter_one))
        try:
            return walk(found, out_dims, _leaving(name, level))
        except IndexError as error:
            if str(error):
                raise
            raise ValueError(
                f"vmap({name}, ..., out_dims={out_dims})(<inputs>): out_dims is not "
                "compatible with the structure of `outputs`. Give one for each output, "
                "or one int for all (Chapter 14)"
            ) from None


def vmap(func, in_dims=0, out_dims=0, randomness="error", *, chunk_size=None):
    """Return a function that calls ``func`` on all rows of its inputs at once.

    ``in_dims`` says along which axis the rows of each input lie, None that all rows
    have it in common; ``out_dims`` where those of the results are put. Both may be
    nested as the inputs are. Options given by name are common to all rows. At most
    ``chunk_size`` rows are computed at a time. ``randomness``: whether each row draws
    "different" numbers, all the "same", or to draw is an "error".
    """
    if randomness not in ("error", "same", "different"):
        raise RuntimeError(
            "Only allowed values for randomness are 'error', 'different', or 'same'. "
            f"Got {randomness}: choose one (Chapter 14)"
        )
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(
            f"vmap: chunk_size should be None or greater than 0. (got {chunk_size}): "
            "None computes all rows at once (Chapter 14)"
        )
    said = getattr(func, "__name__", repr(func))
    name = f"vmap({said}, in_dims={in_dims}, ...)"

    def batched(*args, **options):
        _check_call(said, name, args, in_dims)
        dims, size = _batch(name, args, in_dims)
        step, found = chunk_size or max(size, 1), []
        for start in range(0, max(size, 1), step):
            n = min(step, size - start)
            part = walk(
                args,
                dims,
                lambda x, d, s=start, n=n: x if d is None else x.narrow(d, s, n),
            )
            with having(drawing=randomness):
                call = partial(func, **options)
                found.append(_run(call, said, part, dims, n, out_dims))
        return found[0] if len(found) == 1 else _together(found, out_dims)

    return batched


def _together(found: list, out_dims):
    """The results of several calls, one after the other."""
    rest = [[] for _ in found[1:]]
    for tree, leaves in zip(found[1:], rest, strict=True):
        walk(tree, out_dims, lambda y, _, leaves=leaves: leaves.append(y))
    rows = iter(zip(*rest, strict=True))
    return walk(found[0], out_dims, lambda y, d: _cat(y, next(rows), d))


def _cat(first: Tensor, rest: tuple, dim):
    """The parts of one result, joined; what all have in common, once."""
    return first if dim is None else cat((first, *rest), dim)


def shown(self) -> str:
    """How a tensor prints; a batch shows that it is one, and all of its rows."""
    if type(self._array) is not Rows:
        return _shown(self)
    rows = textwrap.indent(shown(wrap(self._array.data)), "    ")
    depth = 1 + sum(a.number < self._array.level.number for a in open_levels())
    return f"BatchedTensor(lvl={depth}, bdim=0, value=\n{rows}\n)"


def numpy(self, *, force: bool = False):
    """The array itself; a batch has none that could be shown."""
    if type(self._array) is Rows:
        raise RuntimeError(
            "Cannot access data pointer of Tensor that doesn't have storage: it stands "
            "for a batch. Return it from the function first (Chapter 14)"
        )
    return _numpy(self, force=force)


def deliver_all(arrived: list, create_graph: bool) -> None:
    """Refuse to add to what all rows have in common; outside of a batch, deliver."""
    if open_levels() or mode.transforming:
        raise RuntimeError(
            "backward() called inside a functorch transform. This is not supported, "
            "please use functorch.grad or functorch.vjp instead or call backward() "
            "outside of functorch transforms: a transform makes tensors of its own, "
            "and of each row there is a gradient (Chapter 14)"
        )
    _deliver_all(arrived, create_graph)


_shown, _numpy, _deliver_all = Tensor.__repr__, Tensor.numpy, engine._deliver_all
extend(__repr__=shown, __str__=shown, numpy=numpy)
engine._deliver_all = deliver_all


def _guarded(draw):
    """A generator's method, which heeds what vmap said about random numbers."""

    def method(self, count: int, *arguments):
        how = mode.drawing
        if how == "error":
            raise RuntimeError(
                "vmap: called random operation while in randomness error mode. Please "
                "either use the 'same' or 'different' randomness flags on vmap or "
                "perform the randomness operation out of vmap (Chapter 14)"
            )
        if how == "same":
            return draw(self, count, *arguments)
        level = open_levels()[-1]
        with having(drawing="same"):
            drawn = draw(self, count * level.size, *arguments)
        return Rows(drawn.reshape(level.size, count), level)

    return method


for _name in ("uniform", "normal", "integers"):
    setattr(Generator, _name, _guarded(getattr(Generator, _name)))


# what gradcheck asks of batches
def check_batched(subject) -> None:
    """Compare gradients for two rows of weights: one by one, and together."""
    for i, y in enumerate(subject.outputs):
        pull = partial(engine.grad, y, subject.wanted, retain_graph=True)
        pull = partial(pull, allow_unused=True, materialize_grads=True)
        check_rows(lambda v, pull=pull: pull(grad_outputs=v), y, i)


def check_rows(way, like: Tensor, i: int = 0) -> None:
    """Compare what a function gives for two random rows and for their batch."""
    stream, shape = Generator(), like._array.shape
    rows = [wrap(checks._vector(memory(like), stream).reshape(shape)) for _ in range(2)]
    expected = [stack(found) for found in zip(*map(way, rows), strict=True)]
    try:
        found = vmap(way)(stack(rows))
    except RuntimeError as error:
        raise checks.GradcheckError(
            f"While computing batched gradients, got: {error}\n\n{MIXED}"
        ) from error
    for j, (together, apart) in enumerate(zip(found, expected, strict=True)):
        if not allclose(together, apart):
            raise checks.GradcheckError(
                f"For output {i} and input {j}:\n\nGot:\n{together}\n\n"
                f"Expected:\n{apart}\n\n{MIXED}"
            )


MIXED = (
    "gradcheck or gradgradcheck failed while testing batched gradient computation. "
    "Look for a hook or a rule that mixes rows, or that needs their numbers "
    "(Chapter 14)"
)
checks.batched_check, checks.batched_rows = check_batched, check_rows
