# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Graphs that are defined first and run later.

A `Node` stands for an array that nobody has computed yet: it knows the operation, the
nodes that it will be computed from, its shape and its dtype. NumPy's functions and
operators, asked for on nodes, make more nodes. An operation is a primitive of
`minigrad.rules`, or a question (less, isfinite), which has no derivative.
"""

import linecache
import math
import sys
from contextlib import contextmanager
from functools import cache
from inspect import Parameter
from itertools import zip_longest
from pathlib import Path

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from minigrad.dtypes import as_numpy, dtype
from minigrad.elementwise import _ERF
from minigrad.rules import PRIMITIVES
from minigrad.tensor import Tensor


class Dim:
    """A size that is known in the run only: that of one axis of a placeholder.

    Where two of them meet they become one, and where one meets a number it becomes that
    number. Compared or printed, it is what is known of it by now.
    """

    __slots__ = ("axis", "known", "owner")

    def __init__(self, owner: str, axis: int):
        self.owner, self.axis, self.known = owner, axis, None

    def __eq__(self, other) -> bool:
        mine, other = now(self), now(other)
        return mine is other or (type(mine) is type(other) is int and mine == other)

    def __hash__(self) -> int:
        mine = now(self)
        return id(mine) if isinstance(mine, Dim) else hash(mine)

    def __repr__(self) -> str:
        return "?" if now(self) is self else repr(now(self))


def now(size):
    """What is known of a size: a number, or the `Dim` that stands for its equals."""
    while isinstance(size, Dim) and size.known is not None:
        size = size.known
    return size


def equal(m, n):
    """Have two sizes be the same from now on; ValueError for two different numbers."""
    m, n = now(m), now(n)
    if m is n or (type(m) is type(n) is int and m == n):
        return m
    if isinstance(m, Dim):
        m.known = n
    elif isinstance(n, Dim):
        n.known = m
    else:
        raise ValueError(
            f"Dimensions must be equal, but are {m} and {n}: reshape or slice one of "
            "the two (Chapter 22)"
        )
    return n if isinstance(m, Dim) else m


def broadcast(*shapes: tuple) -> tuple:
    """The shape of an elementwise result; unknown sizes that meet become equal."""
    columns = [*zip_longest(*(shape[::-1] for shape in shapes), fillvalue=1)][::-1]
    for column in columns:  # look at all before anything is made equal
        numbers = {n for n in map(now, column) if type(n) is int and n != 1}
        if len(numbers) > 1:
            equal(*sorted(numbers)[:2])
    found = []
    for column in columns:
        size, *rest = [n for n in map(now, column) if n != 1] or [1]
        for other in rest:
            size = equal(size, other)
        found.append(size)
    return tuple(found)


class Graph:
    """Nodes in the order in which they were made: each comes after its inputs.

    ``graph["name"]`` is the node of that name. A graph inside another one (``outer``)
    may use its nodes: they are ``captured``, each as a placeholder of its own.
    """

    def __init__(self, outer: "Graph | None" = None):
        self.nodes, self.names, self.scope = [], {}, ""
        self.outer, self.captured = outer, {}

    def __getitem__(self, name: str) -> "Node":
        if name not in self.names:
            raise KeyError(
                f"The name '{name}' refers to a node which does not exist in the graph."
                f" It has {', '.join(self.names) or 'no nodes'} (Chapter 22)"
            )
        return self.names[name]

    def __repr__(self) -> str:
        return "\n".join(map(repr, self.nodes)) or "an empty graph"


@contextmanager
def _as_default(self):
    """Build in this graph, inside a ``with``."""
    _STACK.append(self)
    try:
        yield self
    finally:
        _STACK.pop()


def _unique(self, wanted: str) -> str:
    """A name that no other node has."""
    wanted = f"{self.scope}{wanted}"
    name, k = wanted, 0
    while name in self.names:
        k += 1
        name = f"{wanted}_{k}"
    return name


def get_default_graph() -> Graph:
    """The graph that is being built."""
    return _STACK[-1]


@contextmanager
def name_scope(name: str):
    """Put ``name/`` before the names of all nodes that are built inside a ``with``."""
    graph = get_default_graph()
    before, graph.scope = graph.scope, f"{graph.scope}{name}/"
    try:
        yield graph.scope
    finally:
        graph.scope = before


_STACK = [Graph()]
Graph.as_default, Graph.unique = _as_default, _unique


def building_line() -> tuple[str, str]:
    """Which line of your program is running: where it stands, and what it says."""
    frame = sys._getframe(1)
    while frame.f_back is not None and _ours(frame.f_code.co_filename):
        frame = frame.f_back
    file, number = frame.f_code.co_filename, frame.f_lineno
    place = "a cell" if "ipykernel" in file else Path(file).name
    return f"line {number} of {place}", linecache.getline(file, number).strip()


@cache
def _ours(file: str) -> bool:
    """Whether a file belongs to minigrad, or to NumPy, and is no place of yours."""
    first = linecache.getline(file, 1)
    ours = first.startswith(("#| file: minigrad", "# Generated from"))
    return ours or f"{np.__name__}/" in Path(file).as_posix()


def told(line: tuple[str, str]) -> str:
    """A building line, in a message."""
    return f"built by {line[0]}" + (f", `{line[1]}`" if line[1] else "")


def _refusing(what: str, instead: str):
    """A method for what needs the numbers, which are not there yet."""

    def method(self, *given, **options):
        raise TypeError(
            f"{what} is not allowed: '{self.name}' is a node of a graph, "
            f"{told(self.line)}, and has no value before the run. {instead} (Chapter "
            "22)"
        )

    return method


class Node(NDArrayOperatorsMixin):
    """One operation of a graph, and the array that it will give.

    ``inputs`` are nodes; ``params`` what the operation is told besides. The last inputs
    may be parameters, too: ``named`` says which. ``line`` is where it was built.
    """

    __slots__ = (
        *("dtype", "graph", "inputs", "line", "name", "named", "number"),
        *("op", "params", "shape"),
    )
    __hash__ = object.__hash__
    __bool__ = _refusing("using a node as a Python bool", "static.cond chooses in it")
    __float__ = __int__ = __array__ = __iter__ = _refusing(
        "using a node as a number or an array", "Session.run computes it"
    )


def _node(graph: Graph, op: str, inputs=(), params=None, named=(), *, like, name=""):
    """Add a node to a graph. ``like`` is its shape and its dtype, which are known."""
    node = Node()
    node.graph, node.op, node.inputs = graph, op, tuple(inputs)
    node.params, node.named = dict(params or {}), tuple(named)
    node.shape, node.dtype = like
    node.line, node.name = building_line(), graph.unique(name or op)
    node.number = len(graph.nodes)
    graph.nodes.append(node)
    graph.names[node.name] = node
    return node


def _shown(self) -> str:
    """A line that tells a node: name, operation, inputs, dtype and shape."""
    told = [x.name for x in self.inputs[: len(self.inputs) - len(self.named)]]
    extra = self.inputs[len(told) :]
    told += [f"{k}={x.name}" for k, x in zip(self.named, extra, strict=True)]
    told += [f"{k}={_brief(v)}" for k, v in self.params.items()]
    shape = "" if self.shape is None else f"{self.dtype}{list(self.shape)} "
    return f"{shape}{self.name} = {self.op}({', '.join(told)})"


def _brief(value) -> str:
    """A parameter, unless it is long."""
    large = isinstance(value, np.ndarray) and value.size > 4
    text = "…" if large or hasattr(value, "captures") else str(value)
    return text if len(text) < 40 else "…"


Node.__repr__ = _shown


def placeholder(dtype, shape: tuple, name: str = "placeholder") -> Node:
    """A node that gets its value in each run; None stands for a size not yet known."""
    if not isinstance(shape, (tuple, list)):
        raise TypeError(
            f"the shape of a placeholder is a tuple, and not {shape!r}: () for one "
            "number, (None, 3) for rows of three (Chapter 22)"
        )
    graph = get_default_graph()
    name = graph.unique(name)[len(graph.scope) :]
    owner = graph.scope + name
    shape = tuple(Dim(owner, k) if n is None else n for k, n in enumerate(shape))
    return _node(graph, "placeholder", like=(shape, as_type(dtype)), name=name)


def constant(value, dtype=None, name: str = "constant") -> Node:
    """A node with a value of its own, a copy; Python's floats become float32."""
    array = as_array(value, dtype)
    like = array.shape, array.dtype
    graph = get_default_graph()
    return _node(graph, "constant", params={"value": array}, like=like, name=name)


def as_array(value, kind=None) -> np.ndarray:
    """A new array of a tensor, an array, numbers or lists of them."""
    value = value.detach().numpy() if isinstance(value, Tensor) else value
    array = np.array(value, None if kind is None else as_type(kind))
    plain = not isinstance(value, (np.ndarray, np.generic))
    if kind is None and plain and array.dtype.kind == "f":
        array = array.astype(np.float32)
    return array


def as_type(kind) -> np.dtype:
    """A dtype of NumPy; those of minigrad have one each."""
    return as_numpy(kind) if isinstance(kind, dtype) else np.dtype(kind)


QUESTIONS = {
    ufunc.__name__: ufunc
    for ufunc in (
        *(np.equal, np.not_equal, np.less, np.less_equal, np.greater),
        *(np.greater_equal, np.isfinite, np.isnan, np.bitwise_and, np.bitwise_or),
        *(np.logical_and, np.logical_or, np.logical_not, np.invert),
    )
}
UFUNCS = {u: name for name, u in QUESTIONS.items()} | {
    p.forward: p.name for p in PRIMITIVES.values() if isinstance(p.forward, np.ufunc)
}
UFUNCS |= {np.matmul: "matmul", _ERF: "erf", np.absolute: "abs", np.square: "square"}


ELEMENTWISE = {*UFUNCS.values()} - {"matmul"}
ELEMENTWISE |= {"relu", "rsub", "reciprocal", "power", "exponential", "add_scaled"}
ELEMENTWISE |= {"rsqrt", "sigmoid", "silu", "erfc", "where", "clamp", "clip", "lerp"}
ELEMENTWISE |= {"leaky_relu", "softplus", "gelu", "threshold", "elu", "to", "clone"}


def forward(op: str):
    """The function that computes an operation on arrays."""
    return PRIMITIVES[op].forward if op in PRIMITIVES else QUESTIONS[op]


def infer(op: str, nodes: list, params: dict, named: list) -> tuple[tuple, np.dtype]:
    """Shape and dtype of a result, from those of the operands alone."""
    count, function = len(nodes) - len(named), forward(op)
    shapes = [x.shape for x in nodes]

    def sample(sizes: dict, fill):
        filled = [fill(x.shape, sizes) for x in nodes]
        arrays = [
            np.broadcast_to(np.ones((), x.dtype), shape)
            for x, shape in zip(nodes, filled, strict=True)
        ]
        extra = dict(zip(named, arrays[count:], strict=True))
        with np.errstate(all="ignore"):
            return function(*arrays[:count], **resolve(params, sizes), **extra)

    if op in ELEMENTWISE or op == "matmul":
        rule, least = (product, 2) if op == "matmul" else (broadcast, 0)
        kind = sample({}, lambda shape, _: (1,) * max(least, len(shape))).dtype
        return rule(*shapes), kind
    return probe([shapes, params], lambda sizes: sample(sizes, resolve))


def product(left: tuple, right: tuple) -> tuple:
    """The shape of a matrix product of stacks."""
    if len(left) < 2 or len(right) < 2:
        raise ValueError(
            f"Shape must be at least rank 2, but the shapes are {left} and {right}: "
            "reshape a vector to one row or one column (Chapter 22)"
        )
    inner = now(left[-1]), now(right[-2])
    if not any(isinstance(n, Dim) for n in inner):
        equal(*inner)
    batch = broadcast(left[:-2], right[:-2])
    equal(*inner)
    return (*batch, left[-2], right[-1])


def unknown_in(value) -> list[Dim]:
    """The unknown sizes in a shape, or in any parameter."""
    value = now(value)
    if isinstance(value, Dim):
        return [value]
    parts = value.values() if isinstance(value, dict) else value
    several = isinstance(value, (tuple, list, dict))
    return [n for part in parts for n in unknown_in(part)] if several else []


def probe(given: list, sample) -> tuple[tuple, np.dtype]:
    """Shape and dtype of a result, found by trying: twice, with other unknown sizes.

    A size that is the same both times is known. One that differs is that of the
    unknown size for which these numbers were put.
    """
    unknown = [*dict.fromkeys(unknown_in(given))]
    first = {n: 101 + 2 * k for k, n in enumerate(unknown)}
    second = {n: 211 + 2 * k for k, n in enumerate(unknown)}
    one, two = sample(first), sample(second)
    pairs = {(first[n], second[n]): n for n in unknown}
    found = []
    for pair in zip(one.shape, two.shape, strict=True):
        if pair[0] != pair[1] and pair not in pairs:
            raise ValueError(
                "a size of the result follows from unknown sizes, but is none of them: "
                "give the placeholder that size, or keep the axis apart (Chapter 22)"
            )
        found.append(pairs.get(pair, pair[0]))
    return tuple(found), one.dtype


def resolve(value, sizes: dict):
    """Put numbers for the unknown sizes in a parameter."""
    value = now(value)
    if isinstance(value, Dim):
        if value not in sizes:
            raise RuntimeError(
                f"You must feed a value for placeholder '{value.owner}': the run needs "
                f"its size along axis {value.axis} (Chapter 22)"
            )
        return sizes[value]
    if isinstance(value, (tuple, list)):
        return type(value)(resolve(part, sizes) for part in value)
    if isinstance(value, dict):
        return {key: resolve(part, sizes) for key, part in value.items()}
    return value


def make(op: str, *operands, **params) -> Node:
    """Add an operation to the graph of its operands.

    Numbers and arrays among them become constants. Raises ValueError or TypeError, and
    names the line, where shapes or dtypes do not fit together.
    """
    primitive = PRIMITIVES.get(op)
    params = {**(primitive.params if primitive else {}), **params}
    named = [key for key, value in params.items() if isinstance(value, Node)]
    given = [*operands, *(params.pop(key) for key in named)]
    graph = home([x for x in given if isinstance(x, Node)])
    count = len(graph.nodes)
    with graph.as_default():
        nodes = [_as_node(graph, x, given) for x in given]
    try:
        _check_operands(op, nodes[: len(operands)], params)
        like = infer(op, nodes, params, named)
    except Exception as error:
        graph.forget(count)
        raise refused(op, nodes, error) from None
    return _node(graph, op, nodes, params, named, like=like)


def refused(op: str, nodes: list, error: Exception) -> Exception:
    """The error again, with what was to be built, and by which line of your program."""
    said = str(error).removesuffix(" (Chapter 22)")
    shapes = " and ".join(str(list(x.shape)) for x in nodes)
    place = told(building_line())
    text = f"{said}; in '{op}' with input shapes {shapes}, {place} (Chapter 22)"
    if said == str(error):  # it is NumPy's own
        return ValueError(text)
    error.args = (text,)
    return error


def _forget(self, count: int) -> None:
    """Take away the last nodes: constants of an operation that was refused."""
    for node in self.nodes[count:]:
        del self.names[node.name]
    self.captured = {x: y for x, y in self.captured.items() if y.number < count}
    del self.nodes[count:]


Graph.forget = _forget


def _as_node(graph: Graph, x, given: list) -> Node:
    """A node of this graph; a number takes the dtype of the node beside it."""
    if isinstance(x, Node):
        return graph.capture(x)
    kinds = [y.dtype for y in given if isinstance(y, Node) and y.dtype.kind != "b"]
    number = isinstance(x, (int, float)) and not isinstance(x, bool)
    fits = number and kinds and (kinds[0].kind == "f" or isinstance(x, int))
    return constant(x, kinds[0] if fits else None)


def _check_operands(op: str, operands: list, params: dict) -> None:
    """Refuse what is missing, and two dtypes; masks of bools go with any."""
    kinds = [x.dtype for x in operands if x.dtype.kind != "b"]
    missing = [k for k, v in params.items() if v is Parameter.empty]
    count = len(PRIMITIVES[op].rules) if op in PRIMITIVES else len(operands)
    if missing or len(operands) != count:
        raise TypeError(
            f"{op}() takes {count} operands, and got {len(operands)}; missing: "
            f"{', '.join(missing) or 'nothing'} (Chapter 22)"
        )
    if len({*kinds}) > 1:
        raise TypeError(
            f"an input has type {kinds[1]} that does not match type {kinds[0]} of "
            "another: static.cast(x, dtype) converts (Chapter 22)"
        )


def home(nodes: list) -> Graph:
    """The graph in which an operation on some nodes belongs."""
    graph = get_default_graph()
    inside, outer = [], graph
    while outer is not None:
        inside.append(outer)
        outer = outer.outer
    if not nodes or all(x.graph in inside for x in nodes):
        return graph
    return nodes[0].graph


def _capture(self, node: Node) -> Node:
    """The node itself, or what stands for it in a graph inside its own."""
    if node.graph is self:
        return node
    if self.outer is None:
        raise ValueError(
            f"'{node.name}', {told(node.line)}, must be from the same graph as the "
            "other inputs: build both inside one `with graph.as_default():` (Chapter "
            "22)"
        )
    node = self.outer.capture(node)
    if node not in self.captured:
        like, name = (node.shape, node.dtype), node.name.rpartition("/")[2]
        self.captured[node] = _node(self, "placeholder", like=like, name=name)
    return self.captured[node]


Graph.capture = _capture


def _array_ufunc(self, ufunc, method, *inputs, **options):
    """Answer an elementwise function of NumPy with a node."""
    if ufunc not in UFUNCS or method != "__call__" or options:
        raise TypeError(
            f"np.{ufunc.__name__} has no node: it is not in the table of rules. "
            "Compose it from what is (Chapter 22)"
        )
    if ufunc is np.square:
        return make("mul", inputs[0], inputs[0])
    if ufunc is np.power and isinstance(inputs[1], (int, float)):
        return make("power", inputs[0], exponent=inputs[1])
    return make(UFUNCS[ufunc], *inputs)


def _array_function(self, function, types, arguments, options):
    """Answer any other function of NumPy in the same way."""
    if function not in FUNCTIONS:
        raise TypeError(
            f"np.{function.__name__} has no node: it is not among the functions that "
            "rules use. Compose it from what is (Chapter 22)"
        )
    return FUNCTIONS[function](*arguments, **options)


Node.__array_ufunc__, Node.__array_function__ = _array_ufunc, _array_function
for _name in ("add", "sub", "mul", "truediv", "pow", "matmul"):  # x += 1 is x = x + 1
    setattr(Node, f"__i{_name}__", lambda self, other: NotImplemented)


def axes_of(x: Node, axis) -> tuple:
    """Axes, counted from the left; all of them for None."""
    ndim = len(x.shape)
    axis = range(ndim) if axis is None else axis
    return tuple(a % ndim for a in ((axis,) if isinstance(axis, int) else axis))


def filled(value, x: Node) -> Node:
    """One number in the shape and dtype of a node."""
    with home([x]).as_default():
        return make("broadcast_to", constant(value, x.dtype), shape=x.shape)


def _swapped(x: Node, a: int, b: int) -> Node:
    """Exchange two axes."""
    order = [*range(len(x.shape))]
    order[a], order[b] = order[b], order[a]
    return make("transpose", x, axes=tuple(order))


def _reduced(op: str):
    """A reduction whose primitive wants axes in full."""
    return lambda x, axis=None, keepdims=False: make(
        op, x, axis=axes_of(x, axis), keepdims=keepdims
    )


def _sized(shape) -> tuple:
    """A shape given as one number or several."""
    return (shape,) if isinstance(shape, (int, Dim)) else tuple(shape)


FUNCTIONS = {
    np.sum: lambda x, axis=None, keepdims=False: make(
        "sum", x, axis=axis, keepdims=keepdims
    ),
    np.max: _reduced("amax"), np.min: _reduced("amin"), np.prod: _reduced("prod"),
    np.mean: lambda x, axis=None, keepdims=False: mean(x, axis, keepdims),
    np.reshape: lambda x, shape: make("reshape", x, shape=_sized(shape)),
    np.broadcast_to: lambda x, shape: make("broadcast_to", x, shape=_sized(shape)),
    np.transpose: lambda x, axes=None: make("transpose", x, axes=axes),
    np.swapaxes: _swapped,
    np.where: lambda condition, x, y: make("where", x, y, condition=condition),
    np.zeros_like: lambda x: filled(0, x), np.ones_like: lambda x: filled(1, x),
    np.copy: lambda x: x,
    np.shape: lambda x: x.shape, np.ndim: lambda x: len(x.shape),
}  # fmt: skip


def mean(x: Node, axis=None, keepdims: bool = False) -> Node:
    """The mean over axes; the divisor may be a size that only the run knows."""
    axes = axes_of(x, axis)
    sizes = [now(x.shape[k]) for k in axes]
    if not any(isinstance(n, Dim) for n in sizes):
        return make("mean", x, axis=axes, keepdims=keepdims)
    count = make("size", x, axis=axes)
    return make("sum", x, axis=axes, keepdims=keepdims) / count


def size_of(x, *, axis: tuple):
    """How many elements there are along axes, as a number of the array's own dtype."""
    return np.asarray(math.prod(x.shape[k] for k in axis), x.dtype)


QUESTIONS["size"] = size_of


def cast(x: Node, dtype) -> Node:
    """Convert to another dtype."""
    kind = as_type(dtype)
    return x if x.dtype == kind else make("to", x, dtype=kind)


def _along_last(op: str):
    """A function of one axis, the last unless it is told another."""
    return lambda x, axis=-1: make(op, x, axis=axes_of(x, axis))


def _one(op: str):
    """A function of one operand."""
    return lambda x, **params: make(op, x, **params)


softmax, log_softmax = _along_last("softmax"), _along_last("log_softmax")
relu, sigmoid, gelu = _one("relu"), _one("sigmoid"), _one("gelu")
Node.astype = cast
Node.ndim = property(lambda self: len(self.shape))
Node.mT = property(lambda self: _swapped(self, -1, -2))
Node.T = property(lambda self: np.transpose(self))
Node.sum = lambda self, axis=None, keepdims=False: np.sum(
    self, axis=axis, keepdims=keepdims
)
Node.mean = mean
Node.reshape = lambda self, *shape: np.reshape(
    self, shape[0] if len(shape) == 1 else shape
)
Node.__getitem__ = lambda self, index: make("view_at", self, index=index)
Node.__len__ = lambda self: self.shape[0]
