# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""Entries: what is made of a trace, and how a call runs it."""

from weakref import ref

import numpy as np

from minigrad.autograd import function as recording
from minigrad.autograd.custom import BackwardNode, Output
from minigrad.autograd.function import FREED
from minigrad.autograd.versions import _counts, count_change, count_of
from minigrad.autograd.watch import send
from minigrad.func import _hung
from minigrad.operands import quietly
from minigrad.rules import Primitive
from minigrad.static.equations import Lambda
from minigrad.static.passes import optimise
from minigrad.static.replay import Program
from minigrad.static.taken import Taken
from minigrad.tensor import Node, Tensor, memory, wrap


class Entry:
    """What has been made of a trace: a program, and the tensors that it runs on."""

    def __init__(self, taken: Taken, count: int):
        inputs, self.free = taken.inputs, []
        self.closed = [k.tensor for k in inputs[count:]]
        self.wanted, self.sought = taken.wanted, taken.sought
        self.likes = [(k.node.shape, k.node.dtype, k.history is None) for k in inputs]
        self.changed = [i for i, k in enumerate(inputs) if k.changed]
        self.result = taken.result
        self.leaves = [self.leaf(taken, y) for y in taken.leaves]
        self.single = isinstance(taken.result, Tensor) and self.leaves == [("out", 0)]
        self.note_grads(taken)
        self.build(taken)


def _leaf(self, taken: Taken, y):
    """Where a part of the result comes from: a function of tensors and results."""
    if not isinstance(y, Tensor):
        return None, y
    if id(y) in taken.outs:
        return "out", [*taken.outs].index(id(y))
    return "in", [id(k.tensor) for k in taken.inputs].index(id(y))


Entry.leaf = _leaf


def _note_grads(self, taken: Taken) -> None:
    """Which inputs are the ``.grad`` of others, and which get or lose one."""
    inputs = taken.inputs
    place = {id(k.grad): i for i, k in enumerate(inputs) if k.grad is not None}
    mine = [(i, id(k.tensor)) for i, k in enumerate(inputs)]
    self.of = {i: place[key] for i, key in mine if key in place}
    watched = {*taken.grads, *self.of.values()}
    self.guards = [(i, inputs[i].grad is None) for i in sorted(watched)]
    self.new = {i: k for k, i in enumerate(taken.fresh, len(taken.nodes))}
    self.cleared = [i for i in taken.grads if i not in taken.fresh]


Entry.note_grads = _note_grads


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


TWICE = (
    "torch.compile with aot_autograd does not currently support double backward: the "
    "backward pass of a compiled call is a program, which leaves no history, and takes "
    "no batch. Differentiate inside of the function, or call the original, "
    "f.__wrapped__ (Chapter 23)"
)


class CompiledFunctionBackwardBackward(Node):
    """Stands behind a gradient of a compiled call: it has none itself."""

    primitive = Primitive("compiled", None, {}, {}, {})

    def __init__(self):
        self.uses, self.g, self.hooks = 0, None, None

    def discover(self, found: list) -> None:
        """Nothing lies behind."""

    def step(self, ready: list, keep: bool) -> None:
        """Refuse."""
        raise RuntimeError(TWICE)


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
        self.release()

    def release(self) -> None:
        """Give the frame back, and forget what was saved."""
        frame, self.frame = self.frame, None
        if frame is not None:
            self.entry.free.append(frame)
        self.__dict__.update(dict.fromkeys(self.saves, FREED))


def _step(self, ready: list, keep: bool) -> None:
    """Run the second part, and post the gradients."""
    if self.frame is None:
        FREED._touched()
    if self.born != recording.clock:
        recording.examine(self)
    entry, (seeds, recorded) = self.entry, self.seeds()
    arrays = [None] * len(entry.links)
    for i, name in zip(entry.kept, entry.saves, strict=True):
        array = getattr(self, name)  # a tensor, if the pass is recorded
        arrays[i] = array._array if isinstance(array, Tensor) else array
    slopes = quietly(self.frame[1], *arrays, *seeds)
    if not keep:
        self.release()
    if recorded:  # they are tensors, with a history that ends here
        slopes = [wrap(d, CompiledFunctionBackwardBackward()) for d in slopes]
    sent = dict.fromkeys(entry.links) | dict(zip(entry.sent, slopes, strict=True))
    for name in reversed(entry.links):
        send(getattr(self, name), sent[name], ready)


CompiledFunctionBackward.step = _step


def _seeds(self) -> tuple[list, bool]:
    """The cotangents, zeros for an unused output; and whether any was a tensor."""
    g, self.g = self.g, None
    arrived = g if type(g) is dict else {self.entry.sought[0]: g}
    recorded, seeds = False, []
    for k, like in zip(self.entry.sought, self.entry.shapes, strict=True):
        g = arrived.get(k)
        recorded = recorded or isinstance(g, Tensor)
        g = np.zeros(*like) if g is None else g._array if isinstance(g, Tensor) else g
        if not isinstance(g, (np.ndarray, np.generic)):  # a batch
            raise RuntimeError(TWICE)
        seeds.append(g)
    return seeds, recorded


CompiledFunctionBackward.seeds = _seeds
