# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""Arrays that take notes: a number and, beside it, the node that will compute it.

A `Traced` passes for an array. NumPy's functions ask it what to do (NEP 13, NEP 18); it
computes the answer, as ever, and writes down in a graph how it was computed.
"""

import sys
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from operator import index

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minigrad import batching, operands, reductions
from minigrad.autograd import engine, rebase
from minigrad.autograd import function as recording
from minigrad.random import Generator
from minigrad.rules import undo
from minigrad.static.graph import (
    ELEMENTWISE,
    QUESTIONS,
    UFUNCS,
    Node,
    _node,
    _ours,
    building_line,
)
from minigrad.static.session import SPECIAL
from minigrad.tensor import Tensor, extend, mode


class Untraceable(TypeError):
    """What a trace cannot follow. It is a TypeError, as in TensorFlow and JAX."""


def tracing():
    """The trace that this thread is taking, or None."""
    return getattr(mode, "trace", None)


class _Seen:
    """What can be seen of a traced array: all but its numbers."""

    __slots__ = ()
    dtype = property(lambda self: self.value.dtype)
    flags = property(lambda self: self.value.flags)
    itemsize = property(lambda self: self.value.itemsize)
    strides = property(lambda self: self.value.strides)
    ndim = property(lambda self: self.value.ndim)
    size = property(lambda self: self.value.size)
    shape = property(lambda self: self.value.shape)
    base = property(lambda self: self.value)  # where the memory is
    T = property(lambda self: np.transpose(self))
    mT = property(lambda self: np.swapaxes(self, -1, -2))  # noqa: N815

    def __len__(self) -> int:
        return len(self.value)

    def __iter__(self):
        return (self[k] for k in range(len(self)))


CHECKS = {"_by_class", "_check_mask", "_index_array", "take", "embedding"}
CHECKS |= {"binary_cross_entropy"}  # a library asks, to refuse what does not fit
GENERAL = {"others", "_cumprod_rule"}  # ask whether a shortcut is right; it may not be


def _asker() -> tuple[str, bool]:
    """Who asks for a number: the function, and whether it belongs to minigrad."""
    frame = sys._getframe(2)
    while frame.f_code.co_name.startswith("__"):
        frame = frame.f_back
    return frame.f_code.co_name, _ours(frame.f_code.co_filename)


def refusal(what: str, instead: str) -> Untraceable:
    """Say which line asks for a number while its function is traced."""
    place, text = building_line()
    quoted = f"{place}, `{text}`," if text else place
    return Untraceable(
        f"{what} is not allowed while a function is traced: {quoted} asks for a number,"
        f" and would get that of this one call. {instead} (Chapter 23)"
    )


def _withheld(name: str, of=None):
    """A method that takes a number out of the trace: only a constant allows it."""

    def method(self, *given, **options):
        if self.node.op == "constant" or _asker()[0] == "_check_room":
            value = np.asarray(self.value)
            return of(value) if of else getattr(value, name)(*given, **options)
        raise refusal(
            "Converting a traced tensor to a number or an array",
            "Let the function return the tensor, and take the number outside",
        )

    return method


class _Withheld:
    """What would take a number out of the trace."""

    __slots__ = ()

    def __bool__(self) -> bool:
        name, ours = _asker()
        if self.node.op == "constant" or (ours and name in CHECKS):
            return bool(self.value)
        if ours and name in GENERAL:
            return False
        raise refusal(
            "Using a traced `Tensor` as a Python `bool`",
            "torch.where(condition, a, b) computes both ways; or leave the branch "
            "outside of the function",
        )

    __float__, __int__ = _withheld("__float__", float), _withheld("__int__", int)
    __index__ = _withheld("__index__", index)
    __array__, item, tolist = map(_withheld, ("__array__", "item", "tolist"))
    __array_interface__ = property(
        _withheld("", lambda value: value.__array_interface__)
    )


@dataclass(frozen=True)
class Hole:
    """Where an operand stands in the arguments of a call."""

    number: int


def like(several, parts: list):
    """Parts, as a tuple or a list of the same kind."""
    kind = type(several)
    return kind(*parts) if hasattr(several, "_fields") else kind(parts)


def filled(value, arrays):
    """Arguments with operands in their places."""
    if isinstance(value, Hole):
        return arrays[value.number]
    if isinstance(value, (tuple, list)):
        return like(value, [filled(part, arrays) for part in value])
    if isinstance(value, dict):
        return {key: filled(part, arrays) for key, part in value.items()}
    return value


def emptied(value, operands: list):
    """Arguments with holes where arrays were; these are put into a list."""
    if isinstance(value, (tuple, list)):
        return like(value, [emptied(part, operands) for part in value])
    if isinstance(value, dict):
        return {key: emptied(part, operands) for key, part in value.items()}
    if not isinstance(value, (Traced, np.ndarray)):
        return value
    operands.append(value)
    return Hole(len(operands) - 1)


def call(*arrays, function, args, options, item=None):
    """Any function of NumPy, as an operation of a graph."""
    found = function(*filled(args, arrays), **filled(options, arrays))
    return np.asarray(found if item is None else found[item])


def placed(x, y, *places, index):
    """A copy of x with y at some places."""
    copy = np.array(x)
    copy[filled(index, places)] = y
    return copy


def added_at(x, *rest, ufunc, index):
    """A copy of x, changed at places of which one may come several times."""
    copy = np.array(x)
    ufunc.at(copy, filled(index, rest), *rest[-1:])
    return copy


def drawn(*, generator, draw, args):
    """Random numbers: others in each run."""
    return draw(generator, *args)


QUESTIONS |= {"call": call, "placed": placed, "added_at": added_at}
SPECIAL["drawn"] = lambda node, arrays, sizes: drawn(**node.params)  # never the same


class Traced(_Seen, _Withheld, NDArrayOperatorsMixin):
    """An array and its node. A view knows what it is a view of, and how.

    ``value`` is what eager execution would have here. ``writes`` counts the changes in
    place; a view that is behind asks its source for the node again.
    """

    __slots__ = ("__weakref__", "_node", "behind", "how", "source", "value", "writes")
    __hash__ = object.__hash__

    def __init__(self, value, node: Node, source: "Traced | None" = None, how=None):
        self.value, self._node, self.source, self.how = value, node, source, how
        self.writes, self.behind = 0, None if source is None else source.root.writes

    root = property(lambda self: self if self.source is None else self.source.root)

    @property
    def node(self) -> Node:
        """What computes this array, as it is now."""
        if self.source is not None and self.behind != self.root.writes:
            self._node = note(self.how[0], [self.source], self.how[1], self.value)
            self.behind = self.root.writes
        return self._node

    def __repr__(self) -> str:
        return f"Traced<{self.dtype}{list(self.shape)}>"


def note(op: str, operands: list, params: dict, value) -> Node:
    """Write an operation down; its shape and dtype are those of the value."""
    trace = tracing()
    kinds = [x.dtype for x in operands if hasattr(x, "dtype")]
    nodes = [
        trace.node_of(x, None if hasattr(x, "dtype") else np.result_type(*kinds, x))
        for x in operands
    ]
    if nodes and all(x.op == "constant" for x in nodes):
        return trace.constant(value).node  # it need not be computed again
    return _node(trace.graph, op, nodes, params, like=(value.shape, value.dtype))


def numbers(x):
    """The value of a traced array; anything else as it is."""
    return x.value if isinstance(x, Traced) else x


def noted(op: str, operands: list, params: dict, value):
    """A traced result."""
    return Traced(value, note(op, operands, params, value))


# changes in place: the array is the same, and computed by another node
def _write(self, node: Node) -> None:
    """From now on another node computes this array: and what it is a view of."""
    if self.source is not None:
        x = self.source
        (op, params), back = self.how, None
        if op in ("view_at", "call"):
            places = params.get("index")
            if op == "call":  # where the elements are, their numbers say
                numbers = np.arange(x.size).reshape(x.shape)
                places = np.unravel_index(call(numbers, **params), x.shape)
            y = Traced(self.value, node)
            back = note("placed", [x, y], {"index": places}, x.value)
        else:
            like = {"shape": x.shape} if op == "reshape" else {}
            like = like or {"axes": undo(params["axes"])}
            back = note(op, [Traced(self.value, node)], like, x.value)
        x.write(back)
    self._node = node
    self.root.writes += 1
    self.behind = self.root.writes


Traced.write = _write


def put(target, value) -> None:
    """Write down that an array has been overwritten."""
    trace = tracing()
    if not isinstance(target, Traced):
        return trace.overwritten(target, value)
    like, node = target.value, trace.node_of(value)
    if node.dtype != like.dtype:
        node = note("to", [Traced(like, node)], {"dtype": like.dtype}, like)
    if node.shape != like.shape:
        node = note("broadcast_to", [Traced(like, node)], {"shape": like.shape}, like)
    target.write(node)
    return None


def _setitem(self, index, value):
    """Put something at some places."""
    operands: list = []
    places = emptied(index, operands)
    self.value[filled(places, [*map(numbers, operands)])] = numbers(value)
    if not any(isinstance(x, Traced) for x in operands):
        places, operands = index, []
    self.write(note("placed", [self, value, *operands], {"index": places}, self.value))


def _getitem(self, index):
    """A view, or a copy of the elements that an array picks."""
    operands: list = []
    index = emptied(index, operands)
    if operands:
        return of_numpy(lambda x, i: x[i], (self, filled(index, operands)), {})
    found, params = self.value[index], {"index": index}
    return as_view("view_at", self, params, found)


Traced.__setitem__, Traced.__getitem__ = _setitem, _getitem


def as_view(op: str, x: Traced, params: dict, value) -> Traced:
    """A result that shows the memory of its operand, if it does."""
    node = note(op, [x], params, value)
    shown = isinstance(value, np.ndarray) and isinstance(x, Traced)
    shown = shown and np.may_share_memory(value, x.value)
    return Traced(value, node, x, (op, params)) if shown else Traced(value, node)


# what NumPy's functions ask
def _array_ufunc(self, ufunc, method, *inputs, **options):
    """Compute an elementwise function, and write it down."""
    if any(isinstance(x, Tensor) for x in inputs):
        return NotImplemented
    (out,) = options.pop("out", (None,))
    if method == "at":
        return _at(ufunc, *inputs)
    if method != "__call__" or options or ufunc.nout > 1:
        found = of_numpy(getattr(ufunc, method), inputs, options)
    else:
        found = elementwise(ufunc, inputs)
    if out is None:
        return found
    target = numbers(out)
    if isinstance(target, np.ndarray):
        np.copyto(target, found.value, casting="unsafe")
    else:
        out.value = found.value
    put(out, found)
    return out if isinstance(out, Traced) else found


def elementwise(ufunc, inputs):
    """Compute and write down one operation of the table, or a question."""
    if ufunc is np.power and isinstance(inputs[1], (int, float)):
        x, e = inputs
        return noted("power", [x], {"exponent": e}, x.value**e)
    value = ufunc(*map(numbers, inputs))
    if getattr(value, "dtype", OBJECTS) is OBJECTS:  # a function of Python's numbers
        return of_numpy(on_floats(ufunc), inputs, {})
    if ufunc is np.square:
        return noted("mul", inputs * 2, {}, value)
    if ufunc not in UFUNCS:
        UFUNCS[ufunc], QUESTIONS[ufunc.__name__] = ufunc.__name__, ufunc
        ELEMENTWISE.add(ufunc.__name__)
    return noted(UFUNCS[ufunc], inputs, {}, value)


OBJECTS = np.dtype(object)


@lru_cache
def on_floats(ufunc):
    """A ufunc made of a Python function, with a result that is no array of objects."""
    return lambda x: np.asarray(ufunc(x)).astype(x.dtype)


def _at(ufunc, x, index, *values):
    """``ufunc.at``, as an operation with a result."""
    ufunc.at(numbers(x), *map(numbers, (index, *values)))
    operands: list = []
    index = emptied(index, operands)
    params = {"ufunc": ufunc, "index": index}
    put(x, noted("added_at", [x, *operands, *values], params, numbers(x)))


def _array_function(self, called, types, arguments, options):
    """Compute any other function of NumPy, and write it down."""
    if any(issubclass(kind, Tensor) for kind in types):
        return NotImplemented
    if called in COUNTING:
        raise refusal(*DYNAMIC)
    if called in PLAIN:
        return called(*_bare(arguments), **_bare(options))
    if called in TABLE:
        return TABLE[called](*arguments, **options)
    return of_numpy(called, arguments, options)


Traced.__array_ufunc__, Traced.__array_function__ = _array_ufunc, _array_function


def _bare(value):
    """Nested arguments with arrays for traced arrays."""
    operands: list = []
    return filled(emptied(value, operands), [*map(numbers, operands)])


def of_numpy(called, arguments, options):
    """A function that is no primitive, as a ``call``; each of several results apart."""
    out = options.pop("out", None)
    found = called(*_bare(arguments), **_bare(options))
    if found is None:  # it has changed its first argument
        target, called = arguments[0], on_copy(called)
        found = numbers(target)
    operands: list = []
    args, options = emptied((arguments, options), operands)
    params = {"function": called, "args": args, "options": options}
    if isinstance(found, tuple):
        parts = enumerate(map(np.asarray, found))
        parts = [noted("call", operands, {**params, "item": k}, x) for k, x in parts]
        return like(found, parts)
    if called in CHANGING.values():
        return put(target, noted("call", operands, params, found))
    if len(operands) == 1 and out is None:
        return as_view("call", operands[0], params, found)
    found = noted("call", operands, params, found)
    if out is not None:
        np.copyto(numbers(out), found.value)
        put(out, found)
    return out if isinstance(out, Traced) else found


CHANGING: dict = {}


def on_copy(called):
    """What changes its first argument, as a function that returns a changed copy."""

    def function(array, *rest, **options):
        copy = np.array(array)
        called(copy, *rest, **options)
        return copy

    return CHANGING.setdefault(called, function)


DYNAMIC = (
    "A result whose size depends on the numbers in a traced tensor",
    "torch.where(mask, x, 0) keeps the shape",
)
COUNTING = {np.nonzero, np.flatnonzero, np.argwhere, np.unique}
PLAIN = {np.may_share_memory, np.shares_memory, np.shape, np.ndim, np.size}
PLAIN |= {np.result_type, np.broadcast_shapes, np.iscomplexobj, np.can_cast}


def _reduction(called, op: str):
    """A reduction; one that is told more than axes is a call."""

    def reduced(x, axis=None, keepdims=False, **more):
        if more:
            return of_numpy(called, (x,), {"axis": axis, "keepdims": keepdims, **more})
        every = tuple(range(x.ndim))
        whole = every if axis is None and op != "sum" else axis
        axes = whole if op == "sum" or isinstance(whole, tuple) else (whole,)
        if op != "sum":
            axes = tuple(a % x.ndim for a in axes)
        value = called(x.value, axis=axis, keepdims=keepdims)
        return noted(op, [x], {"axis": axes, "keepdims": keepdims}, value)

    return reduced


def _sized(shape) -> tuple:
    """A shape, given as one number or several."""
    return (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)


def _reshaped(x, shape, **options):
    """The same elements in another shape."""
    if options:
        return of_numpy(np.reshape, (x, shape), options)
    value = np.reshape(x.value, shape)
    return as_view("reshape", x, {"shape": value.shape}, value)


def _turned(x, axes=None):
    """The axes in another order."""
    axes = tuple(range(x.ndim)[::-1] if axes is None else (a % x.ndim for a in axes))
    return as_view("transpose", x, {"axes": axes}, np.transpose(x.value, axes))


def _swapped(x, a: int, b: int):
    """Two axes exchanged."""
    order = [*range(x.ndim)]
    order[a], order[b] = order[b], order[a]
    return _turned(x, order)


def _spread(x, shape):
    """The same elements, repeated."""
    value, shape = np.broadcast_to(numbers(x), shape), _sized(shape)
    return noted("broadcast_to", [x], {"shape": shape}, value)


def _chosen(condition, x, y):
    """One or the other, elementwise."""
    value = np.where(numbers(condition), numbers(x), numbers(y))
    trace = tracing()
    nodes = [trace.node_of(a, value.dtype) for a in (x, y)]
    nodes.append(trace.node_of(condition))
    like = value.shape, value.dtype
    return Traced(
        value, _node(trace.graph, "where", nodes, {}, ["condition"], like=like)
    )


def _cast(self, kind, *args, **options):
    """The same numbers in another dtype."""
    value = self.value.astype(kind)
    return noted("to", [self], {"dtype": value.dtype}, value)


def _like(called):
    """A new array of the same shape; its numbers are not those of another."""
    return lambda x, *given, **options: tracing().constant(
        called(numbers(x), *given, **options)
    )


def _copied(x, **options):
    """A copy."""
    return noted("clone", [x], {}, np.copy(x.value, **options))


def _copy_into(to, x, casting="same_kind", where=True):
    """Overwrite an array, or some of it."""
    np.copyto(numbers(to), numbers(x), casting=casting, where=numbers(where))
    put(to, x if where is True else _chosen(where, x, to))


TABLE = {
    np.sum: _reduction(np.sum, "sum"), np.mean: _reduction(np.mean, "mean"),
    np.max: _reduction(np.max, "amax"), np.min: _reduction(np.min, "amin"),
    np.prod: _reduction(np.prod, "prod"), np.reshape: _reshaped,
    np.transpose: _turned, np.swapaxes: _swapped, np.broadcast_to: _spread,
    np.where: _chosen, np.copy: _copied, np.copyto: _copy_into,
    np.zeros_like: _like(np.zeros_like), np.ones_like: _like(np.ones_like),
    np.empty_like: _like(np.empty_like), np.full_like: _like(np.full_like),
}  # fmt: skip


def _method(called):
    """A method that is a function of NumPy."""
    return lambda self, *given, **options: called(self, *given, **options)


METHODS = """
    all any argmax argmin argsort clip copy cumprod cumsum max mean min nonzero prod
    ravel repeat round squeeze std sum swapaxes var
"""
for _name in METHODS.split():
    setattr(Traced, _name, _method(getattr(np, _name)))
Traced.astype = _cast
Traced.view = lambda self: as_view(
    "reshape", self, {"shape": self.shape}, self.value.view()
)
Traced.reshape = lambda self, *shape: np.reshape(
    self, shape[0] if len(shape) == 1 else shape
)
Traced.transpose = lambda self, *axes: np.transpose(
    self, (axes[0] if len(axes) == 1 else axes) or None
)


# what the rest of the package has to know
def busy(error: Exception) -> bool:
    """Whether to try again: another thread, or a forward that wants bare arrays."""
    return _busy(error) or isinstance(error, Untraceable)


def quietly(called, *arrays, **options):
    """Try again, as one operation whose inside is not traced."""
    if tracing() is None or not _any_traced((arrays, options)):
        return _quietly(called, *arrays, **options)
    with np.errstate(all="ignore"):
        return of_numpy(called, arrays, options)


def _any_traced(value) -> bool:
    """Whether there are traced arrays among nested arguments."""
    operands: list = []
    emptied(value, operands)
    return any(isinstance(x, Traced) for x in operands)


def whole(called, arguments, options):
    """Take a function that fills bare arrays for one operation."""
    if tracing() is None or not _any_traced((arguments, options)):
        return _whole(called, arguments, options)
    return of_numpy(called, arguments, options)


def layout(array) -> tuple:
    """How an array lies in memory."""
    return _layout(numbers(array))


_busy, _quietly, _layout = recording.busy, recording.quietly, rebase._layout
_whole, batching.whole = batching.whole, whole
_cumsum = reductions._cumsum
reductions._cumsum = lambda x, **options: batching.whole(_cumsum, (x,), options)
recording.busy, recording.quietly, rebase._layout = busy, quietly, layout
engine.ARRAYS += (Traced,)
operands.ARRAYS += (Traced,)


def shown(self) -> str:
    """How a tensor prints; while it is traced, without numbers."""
    return repr(self._array) if isinstance(self._array, Traced) else _printed(self)


def numpy(self, *, force: bool = False):
    """The array itself, which a trace withholds."""
    if isinstance(self._array, Traced):
        self._array.item()
    return _numpy(self, force=force)


_printed, _numpy = Tensor.__repr__, Tensor.numpy
extend(__repr__=shown, __str__=shown, numpy=numpy)


def _remembered(draw):
    """A generator's method; in a trace, an operation that draws anew in each run."""

    def method(self, *args):
        trace = tracing()
        if trace is None:
            return draw(self, *args)
        with trace.paused():
            trace.streams.setdefault(self, deepcopy(vars(self)))
            value = draw(self, *args)
        return noted(
            "drawn", [], {"generator": self, "draw": draw, "args": args}, value
        )

    return method


for _name in ("uniform", "normal", "integers"):
    setattr(Generator, _name, _remembered(getattr(Generator, _name)))
