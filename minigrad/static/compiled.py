# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""Compiled functions: traced once for each kind of arguments, and replayed then."""

import functools
import gc
import inspect
import types
import warnings
from weakref import ref

import numpy as np

from minigrad import operands
from minigrad.autograd import engine, forward_ad
from minigrad.autograd import function as recording
from minigrad.autograd.custom import BackwardNode, Output, post
from minigrad.autograd.function import FREED
from minigrad.autograd.versions import _counts, count_change, count_of
from minigrad.batching import open_levels
from minigrad.func import _hung, _leaves
from minigrad.nn.modules.module import Module
from minigrad.operands import quietly
from minigrad.rules import Primitive
from minigrad.static.effects import Witness, names_of
from minigrad.static.graph import Graph, _node
from minigrad.static.passes import optimise
from minigrad.static.replay import Program
from minigrad.static.session import needed
from minigrad.static.trace import SLOT, Trace
from minigrad.static.traced import Traced, Untraceable, tracing
from minigrad.tape import tapes
from minigrad.tensor import AccumulateGrad, Node, Tensor, memory, mode, wrap


def described(value, tensors: list):
    """What of an argument a trace depends on; the tensors in it are put into a list."""
    if isinstance(value, Tensor):
        for k, x in enumerate(tensors):
            if x is value:
                return "the same as", k
        tensors.append(value)
        array = SLOT.__get__(value)
        return array.shape, array.dtype.char, value._node is not None
    kind = type(value)
    if isinstance(value, (tuple, list)):
        return kind, *[described(part, tensors) for part in value]
    if isinstance(value, dict):
        return kind, *[(k, described(part, tensors)) for k, part in value.items()]
    if kind in (int, bool, str, float, type(None)):
        return kind, repr(value)
    if isinstance(value, np.ndarray):
        raise TypeError(
            "a compiled function got a NumPy array, which would become a constant of "
            "the trace: give it a tensor, torch.from_numpy(array) (Chapter 23)"
        )
    return Held(value)


class Held:
    """An argument known by its identity; it is kept, so that this stays its own."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other) -> bool:
        return isinstance(other, Held) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"a {type(self.value).__name__}"


def names(function, args: tuple, kwargs: dict) -> dict[int, str]:
    """What the tensors are called that a function is given, and that it closes over."""
    try:
        bound = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        bound = dict(enumerate(args))
    found = {}
    for name, value in {**names_of(function), **bound}.items():
        if isinstance(value, Module):
            dot = "" if value is function else f"{name}."
            named = {f"{dot}{path}": x for path, x in value.named_parameters()}
        else:
            parts = _leaves(value)
            one = len(parts) == 1
            named = {name if one else f"{name}{k}": x for k, x in enumerate(parts)}
        found |= {id(x): path for path, x in named.items() if isinstance(x, Tensor)}
    return found


class Taken:
    """A trace that has been taken: what goes in, what comes out, what is changed."""

    def __init__(self, trace: Trace, result):
        self.trace, self.result, self.leaves = trace, result, _leaves(result)
        tensors = [y for y in self.leaves if isinstance(y, Tensor)]
        self.outs = {id(y): y for y in tensors if id(y) not in trace.inputs}
        self.nodes = [trace.node_of(y._array) for y in self.outs.values()]
        self.inputs = [*trace.inputs.values()]
        self.grads = {
            i: k.tensor._grad
            for i, k in enumerate(self.inputs)
            if k.tensor._grad is not k.grad
        }
        self.seeds, self.sought, self.wanted, self.slopes = [], [], [], []
        if not self.grads:
            self.differentiate()
        self.changes = [(k.node, k.traced.node) for k in self.inputs if k.changed]
        self.fresh = {
            i: trace.node_of(g._array) for i, g in self.grads.items() if g is not None
        }
        for i in self.grads:
            _check_grad(self.inputs[i])


def _check_grad(known) -> None:
    """Refuse a backward pass that would have to go on outside of the function."""
    if type(known.history) is not AccumulateGrad or known.history.hooks is not None:
        raise Untraceable(
            "backward() inside a compiled function has reached a tensor with a history,"
            " or with hooks, outside of it: call backward() outside (Chapter 23)"
        )


def _differentiate(self) -> None:
    """Trace the backward pass as well: for cotangents that are inputs."""
    trace, outs = self.trace, [*self.outs.values()]
    self.sought = [k for k, y in enumerate(outs) if y.requires_grad and not spent(y)]
    self.wanted = [i for i, k in enumerate(self.inputs) if k.history is not None]
    if not mode.recording or not self.sought or not self.wanted:
        self.sought = self.wanted = []
        return
    ys, vs = [outs[k] for k in self.sought], []
    for y in ys:
        like = y._array.shape, y._array.dtype
        seed = _node(trace.graph, "placeholder", like=like, name="cotangent")
        self.seeds.append(seed)
        vs.append(wrap(Traced(np.ones(*like), seed)))
    xs = [self.inputs[i].tensor for i in self.wanted]
    slopes = engine.grad(ys, xs, vs, allow_unused=True)
    found = [(i, g) for i, g in zip(self.wanted, slopes, strict=True) if g is not None]
    self.wanted = [i for i, _ in found]
    self.slopes = [trace.node_of(g._array) for _, g in found]


Taken.differentiate = _differentiate


def spent(y: Tensor) -> bool:
    """Whether a backward pass inside of the function has freed the history already."""
    nodes, seen = [y._node], set()
    while nodes:
        node = nodes.pop()
        if node is not None and node not in seen:
            seen.add(node)
            if any(getattr(node, name, None) is FREED for name in node.saves):
                return True
            nodes += node.children
    return False


def _undo(self) -> None:
    """Make it as if the function had not been called."""
    for known in self.inputs.values():
        known.tensor._grad = known.grad
        if known.changed:
            np.copyto(SLOT.__get__(known.tensor), known.saved)
    for stream, state in self.streams.items():
        vars(stream).update(state)


Trace.undo = _undo


class Lambda(Graph):
    """The graph of a trace; it prints as a list of equations, as JAX has them."""

    def __repr__(self) -> str:
        names, said = {}, set()
        lines = [
            equations(part, names, said) for part in self.parts if part[1:] != ([], [])
        ]
        return "\n".join(lines)


def equations(part: tuple, names: dict, said: set) -> str:
    """A part of a graph: what it is given, an equation for each node, what it gives."""
    inputs, ends, changes = part
    names |= {x: x.name for x in inputs}
    given = " ".join(f"{x.name}:{x.dtype}{list(x.shape)}" for x in inputs)
    lines = [f"{{ lambda {given} . let"]
    for node in needed([*ends, *(value for _, value in changes)]):
        if node.op == "constant" and node.params["value"].size == 1:
            names[node] = f"{node.params['value'].item():g}"
        elif node not in names:
            names[node] = letters(len(said))
            said.add(node)
            lines.append(f"    {equation(node, names)}")
    found = [names[x] for x in ends]
    found += [f"{names[x]} := {names[value]}" for x, value in changes]
    return "\n".join([*lines, f"  in ({', '.join(found)}) }}"])


def letters(k: int) -> str:
    """A, b, …, z, aa, ab, …: names for results."""
    return (letters(k // 26 - 1) if k > 25 else "") + chr(97 + k % 26)


def equation(node, names: dict) -> str:
    """What computes a node, in one line."""
    op, params = node.op, {k: v for k, v in node.params.items() if v not in (False,)}
    if op == "call":
        function = params["function"]
        op, params = getattr(function, "__name__", "call"), {}
    if op in ("constant", "drawn"):
        params = {}
    told = [f"{k}={v}" for k, v in params.items()]
    told = f"[{' '.join(told)}]" if told else ""
    given = "".join(f" {names[x]}" for x in node.inputs)
    return f"{names[node]}:{node.dtype}{list(node.shape)} = {op}{told}{given}"


class Entry:
    """What has been made of a trace: a program, and the tensors that it runs on."""

    def __init__(self, taken: Taken, count: int):
        inputs, self.free = taken.inputs, []
        self.closed = [k.tensor for k in inputs[count:]]
        self.count, self.wanted, self.sought = count, taken.wanted, taken.sought
        place = {id(k.grad): i for i, k in enumerate(inputs) if k.grad is not None}
        self.of = {
            i: place[id(k.tensor)]
            for i, k in enumerate(inputs)
            if id(k.tensor) in place
        }
        watched = {*taken.grads, *self.of.values()}
        self.guards = [(i, inputs[i].grad is None) for i in sorted(watched)]
        self.likes = [(k.node.shape, k.node.dtype, k.history is None) for k in inputs]
        self.new = {i: k for k, i in enumerate(taken.fresh, len(taken.nodes))}
        self.cleared = [i for i in taken.grads if i not in taken.fresh]
        self.changed = [i for i, k in enumerate(inputs) if k.changed]
        self.result, self.leaves = (
            taken.result,
            [self.leaf(taken, y) for y in taken.leaves],
        )
        self.single = isinstance(taken.result, Tensor) and self.leaves == [("out", 0)]
        self.build(taken)

    def leaf(self, taken: Taken, y):
        """Where a part of the result comes from: a function of tensors and results."""
        if not isinstance(y, Tensor):
            return None, y
        if id(y) in taken.outs:
            return "out", [*taken.outs].index(id(y))
        return "in", [id(k.tensor) for k in taken.inputs].index(id(y))


def _build(self, taken: Taken) -> None:
    """Improve the graph, and make a program of it."""
    first = [*taken.nodes, *taken.fresh.values()]
    ends = [*first, *taken.slopes, *(value for _, value in taken.changes)]
    self.traced = taken.trace.graph
    self.graph, ends = optimise(self.traced, ends, fused=False)
    n, m = len(first), len(first) + len(taken.slopes)
    inputs = [self.graph[k.node.name] for k in taken.inputs]
    seeds = [self.graph[x.name] for x in taken.seeds]
    changed = [self.graph[x.name] for x, _ in taken.changes]
    self.seeds = seeds
    changes = [*zip(changed, ends[m:], strict=True)]
    self.graph.__class__ = Lambda
    self.graph.parts = (inputs, ends[:n], changes), (seeds, ends[n:m], [])
    self.program = Program(inputs, ends[:n], seeds, ends[n:m], changes)
    read = self.program.later
    self.kept = [i for i, x in enumerate(inputs) if x in read]
    self.links = tuple(f"next{i}" for i in range(len(inputs)))
    self.saves = tuple(f"input{i}" for i in self.kept)
    self.sent = [f"next{i}" for i in self.wanted]
    self.shapes = [(x.shape, x.dtype) for x in seeds]
    self.kind = Primitive("compiled", None, dict.fromkeys(self.saves), {}, {})


Entry.build = _build


def _bind(self, tensors: list):
    """The tensors that the program runs on now; None if it was made for others."""
    found = [*tensors, *self.closed]
    for i, owner in self.of.items():
        found[i] = found[owner]._grad
    for i, none in self.guards:
        if (found[i]._grad is None) is not none:
            return None
    for x, (shape, kind, free) in zip(found, self.likes, strict=True):
        array = x._array
        same = array.dtype is kind or array.dtype == kind
        if not same or array.shape != shape or (x._node is None) is not free:
            return None
    return found


def _run(self, found: list):
    """Replay the program; return the result in the shape of the function's own."""
    if self.seeds:
        outs = self.recorded(found)
    else:
        outs = self.first(found, frame := self.frame())
        self.free.append(frame)
    for i, k in self.new.items():
        found[i]._grad = outs[k]
    for i in self.cleared:
        found[i]._grad = None
    if self.single:
        return outs[0]
    parts = {"out": outs, "in": found}
    leaves = [parts[where][k] if where else k for where, k in self.leaves]
    return _hung(self.result, leaves)


def _frame(self) -> tuple:
    """The two parts of the program, with memory that nobody else uses now."""
    return self.free.pop() if self.free else self.program.make()


def _first(self, found: list, frame: tuple) -> list:
    """Run the first part."""
    for i in self.changed:
        if type(found[i]._array) is not np.ndarray:
            memory(found[i])
    results = quietly(frame[0], *[x._array for x in found])
    if self.changed:
        count_changes([found[i] for i in self.changed])
    return [wrap(result) for result in results]


def count_changes(tensors: list) -> None:
    """Note that tensors have been written to: once for all, which is cheaper."""
    count_change(tensors[0], "a compiled function")
    first = count_of(tensors[0]._array)
    for x in tensors[1:]:
        array = x._array
        count = _counts.get(id(array)) if array.base is None else count_of(array)
        if count is None:
            count_change(x, "a compiled function")
        else:
            count.total += 1
            count.times.append(recording.clock)
            count.name, count.place, count.changed = first.name, first.place, ref(x)


def _recorded(self, found: list) -> list:
    """Run the first part, and leave one node behind."""
    frame = self.frame()
    results = self.first(found, frame)
    node = CompiledFunctionBackward(self, found, frame)
    for k in self.sought:
        results[k]._node = node if len(self.sought) == 1 else Output(node, k)
    return results


Entry.bind, Entry.run, Entry.frame, Entry.first = _bind, _run, _frame, _first
Entry.recorded = _recorded


class CompiledFunctionBackward(Node):
    """The one node of a compiled call: its step is the second part of the program.

    ``saves`` are the inputs that it reads. The frame goes back when it is freed.
    """

    def __init__(self, entry: Entry, found: list, frame: tuple):
        self.uses, self.g, self.hooks = 0, None, None
        self.entry, self.frame, self.born = entry, frame, recording.clock
        self.links, self.saves, self.primitive = entry.links, entry.saves, entry.kind
        mine = self.__dict__
        mine.update(zip(entry.links, [x._node for x in found], strict=True))
        arrays = [found[i]._array for i in entry.kept]
        mine.update(zip(entry.saves, arrays, strict=True))

    discover = BackwardNode.discover

    def __del__(self):
        self.free()

    def free(self) -> None:
        """Give the frame back, and forget what was saved."""
        frame, self.frame = self.frame, None
        if frame is not None:
            self.entry.free.append(frame)
        self.__dict__.update(dict.fromkeys(self.saves, FREED))


def _step(self, ready: list, keep: bool) -> None:
    """Run the second part, and post the gradients."""
    g, self.g, entry = self.g, None, self.entry
    if self.frame is None:
        FREED._touched()
    if self.born != recording.clock:
        recording.examine(self)
    arrived = g if type(g) is dict else {entry.sought[0]: g}
    seeds = [arrived.get(k) for k in entry.sought]
    if any(
        g is not None and not isinstance(g, (np.ndarray, np.generic)) for g in seeds
    ):
        raise RuntimeError(
            "torch.compile with aot_autograd does not currently support double "
            "backward: the backward pass of a compiled call is a program, which leaves "
            "no history. Differentiate inside of the function, or call the original, "
            "f.__wrapped__ (Chapter 23)"
        )
    for n, (g, like) in enumerate(zip(seeds, entry.shapes, strict=True)):
        seeds[n] = np.zeros(*like) if g is None else g
    arrays = [None] * len(entry.links)
    for i, name in zip(entry.kept, entry.saves, strict=True):
        arrays[i] = getattr(self, name)
    slopes = quietly(self.frame[1], *arrays, *seeds)
    if not keep:
        self.free()
    sent = dict.fromkeys(entry.links) | dict(zip(entry.sent, slopes, strict=True))
    for name in reversed(entry.links):
        post(getattr(self, name), sent[name], ready)


CompiledFunctionBackward.step = _step


class Compiled:
    """A function that is traced when it meets arguments of a new kind.

    ``entries`` holds, by signature, what has been traced.
    """

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self.__wrapped__, self.entries, self.known = function, {}, {}
        self.owner = getattr(function, "__self__", function)

    def __get__(self, owner, kind=None):
        return self if owner is None else types.MethodType(self, owner)

    def __getattr__(self, name: str):
        if name.startswith("__"):
            return object.__getattribute__(self, name)  # says that it is not there
        return getattr(self.__wrapped__, name)

    def __call__(self, *args, **kwargs):
        """Replay what was traced for arguments of this kind, or trace it."""
        apart = mode.inference or open_levels() or forward_ad._levels or tapes()
        if apart or tracing():
            return self.__wrapped__(*args, **kwargs)
        tensors: list = []
        key = mode.recording, getattr(self.owner, "training", None)
        key += tuple([described(x, tensors) for x in args])
        if kwargs:
            key += (described(kwargs, tensors),)
        for entry in self.entries.get(key, ()):
            found = entry.bind(tensors)
            if found is not None:
                return entry.run(found)
        return self.trace(key, tensors, args, kwargs)


def _trace(self, key: tuple, tensors: list, args: tuple, kwargs: dict):
    """Call the function and take notes; make a program of them, and run that."""
    trace, function = Trace(), self.__wrapped__
    trace.names = names(function, args, kwargs)
    witness = Witness(function, args, kwargs)
    try:
        with trace:
            for k, x in enumerate(tensors):
                trace.met(x, f"argument{k}")
            with witness:
                result = function(*args, **kwargs)
            taken = Taken(trace, result)
    except BaseException:
        trace.undo()
        raise
    if self.premature(key, taken):
        return result
    witness.tell()
    entry = Entry(taken, len(tensors))
    trace.undo()
    self.entries.setdefault(key, []).append(entry)
    self.check_count()
    return entry.run(entry.bind(tensors))


def _premature(self, key, taken: Taken) -> bool:
    """Whether the call has put something outside, as a first step does: trace again."""
    if taken.seeds or key in self.known:
        return False
    mine = {*taken.outs, *(id(g) for g in taken.grads.values())}
    mine |= {id(t) for t in operands._numbers.values()}
    gc.collect()
    left = [t for t in taken.trace.alive() if id(t) not in mine]
    if left:
        self.known[key] = True
    return bool(left)


Compiled.graphs = property(
    lambda self: [entry.graph for several in self.entries.values() for entry in several]
)
Compiled.graph = property(lambda self: self.graphs[-1])
Compiled.signatures = property(lambda self: [*map(signature, self.entries)])


def signature(key: tuple) -> str:
    """A kind of arguments, for the eye."""
    _, _, *parts = key
    return f"({', '.join(map(spoken, parts))})"


def spoken(part) -> str:
    """One argument of a signature."""
    if not isinstance(part, tuple):
        return str(part)
    if isinstance(part[0], tuple):
        shape, kind, wanted = part
        return f"{np.dtype(kind)}{list(shape)}{' with grad' if wanted else ''}"
    if part[0] is dict:
        return ", ".join(f"{name}={spoken(value)}" for name, value in part[1:])
    if isinstance(part[0], type) and issubclass(part[0], (tuple, list)):
        return f"[{', '.join(map(spoken, part[1:]))}]"
    return part[1] if isinstance(part[0], type) else " ".join(map(str, part))


MANY = 8


def _check_count(self) -> None:
    """Warn of a function that is traced again and again."""
    count = sum(map(len, self.entries.values()))
    if count == MANY + 1:
        warnings.warn(
            f"torch._dynamo hit config.recompile_limit ({MANY}): '{self.__name__}' has "
            f"been traced {count} times. A Python number in its arguments is a part of "
            "the signature: give it as a tensor (Chapter 23)",
            UserWarning,
            stacklevel=4,
        )


Compiled.trace, Compiled.premature, Compiled.check_count = (
    _trace,
    _premature,
    _check_count,
)
