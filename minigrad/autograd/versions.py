# Generated from chapter 11 (book/ch11-inplace.ipynb): edit the chapter, not this.
"""Versions: whether numbers are still what they were when a node saved them.

A node saves arrays without copying them. Should somebody write into one afterwards, a
rule would compute with wrong numbers, and nobody would know. So changes are counted,
for each piece of memory; all tensors that show it share the count. A node notes when it
was born, and before it steps it asks what has changed since.
"""

import linecache
import os
import sys
import threading
import weakref
from collections import deque

import numpy as np

from minigrad import inplace
from minigrad.autograd import engine, function
from minigrad.inplace import _NAMES, Unrecorded
from minigrad.tensor import Tensor, _housed, extend, memory

KEPT = 1000  # of so many changes of one piece of memory the times are known


class Count:
    """The changes of one piece of memory."""

    def __init__(self, memory: np.ndarray):
        self.total, self.times, key = 0, deque(maxlen=KEPT), id(memory)
        self.memory = weakref.ref(memory, lambda _: _counts.pop(key, None))
        self.name = self.place = self.changed = None

    def since(self, time: int) -> int:
        """How many changes have been made since a time of the clock."""
        return sum(t > time for t in self.times)


_counts: dict[int, Count] = {}
_lock = threading.Lock()


def root(array: np.ndarray) -> np.ndarray:
    """The array that owns the memory; views of views lead to it."""
    while hasattr(array.base, "base"):
        array = array.base
    return array


def count_of(value) -> Count | None:
    """The count for the memory of an array; None if it was never changed in place.

    A NumPy scalar cannot be changed. But a tensor that began as one may have got memory
    since, and PyTorch, which has no scalars, counts what is written there.
    """
    if isinstance(value, np.generic):
        scalar, memory = _housed.get(id(value), (None, lambda: None))
        value = memory() if scalar is value else None
    return None if value is None else _counts.get(id(root(value)))


def count_change(tensor: Tensor, name: str) -> None:
    """Note that the memory of a tensor has been written to, by the method ``name``."""
    memory = root(tensor._array)
    with _lock:
        function.clock += 1
        count = _counts.get(id(memory))
        if count is None:
            count = _counts[id(memory)] = Count(memory)
        count.total += 1
        count.times.append(function.clock)
    frame = caller()
    count.name, count.place = name, (frame.f_code.co_filename, frame.f_lineno)
    count.changed = weakref.ref(getattr(tensor, "_origin", tensor))


def caller():
    """The frame of the statement that has called the package."""
    frame = found = sys._getframe(2)
    been = False  # in the package: in the book, this module is the notebook's
    while frame:
        inside = frame.f_globals.get("__name__", "")[:8] == "minigrad"
        if been and not inside:
            found = frame
            break
        been, frame = been or inside, frame.f_back
    return found


def _version(self) -> int:
    """How often this tensor's memory has been changed in place."""
    if self.is_inference():
        raise RuntimeError(
            "Inference tensors do not track version counter. Make a normal tensor "
            "of it first: x.clone() (Chapter 11)"
        )
    count = count_of(self._array)
    return count.total if count else 0


class Counting(Unrecorded):
    """What is told of changes in place: it counts them."""

    def after(self, name: str, tensor: Tensor, result: Tensor | None) -> None:
        """Count a change that has been made."""
        self.noted(name, tensor)

    def noted(self, name: str, tensor: Tensor) -> None:
        """Count a change that no history has to know of."""
        memory(tensor)
        count_change(tensor, name)


inplace.history = Counting()
engine.noted = lambda gradient: count_change(gradient, "backward")
extend(_version=property(_version))


def examine(node) -> None:
    """Refuse to step if something that the node has saved is no longer what it was."""
    for name in (*node.saves, *node.primitive.params):
        found = getattr(node, name, None)
        for value in found if isinstance(found, tuple) else (found,):
            value = value._array if isinstance(value, Tensor) else value
            if isinstance(value, engine.ARRAYS):
                count = count_of(value)
                if count is not None and count.times[-1] > node.born:
                    raise RuntimeError(_spoiled(node, name, value, count))


function.examine = examine


def _spoiled(node, name: str, value, count: Count) -> str:
    """Say what was changed under a node, by whom, and what to do about it."""
    links = dict(zip(node.primitive.rules, node.links, strict=True))
    itself = node if name == "out" else None
    maker, changed = getattr(node, links.get(name, ""), itself), count.changed()
    if name != "out" and changed is not None and changed.grad_fn is not None:
        maker = changed.grad_fn
    made = maker and maker.links and f", which is output 0 of {_operation(maker)},"
    kind = f"torch.{_NAMES[value.dtype.name]}Tensor {list(value.shape)}"
    expected = count.total - count.since(node.born)
    role = {"out": "result", "x": "first operand", "y": "second operand"}
    return (
        "one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: [{kind}]{made or ''} is at version {count.total}; "
        f"expected version {expected} instead. {_operation(node)} had saved it as its "
        f"{role.get(name, name)}; {count.name} changed it {_where(*count.place)}. Give "
        "the change a tensor of its own, x = x + 1 or x.clone(), or make it before the "
        "operation that saves (Chapter 11)"
    )


def _operation(node) -> str:
    """The name of a node as it stands in PyTorch's message: Mul for MulBackward0."""
    return node.name().replace("Backward", "").removesuffix("0")


def _where(file: str, line: int) -> str:
    """Name a line, and quote it if it can be had; a notebook's cell is no file."""
    statement = linecache.getline(file, line).strip()
    of = f" of {file}" if os.path.exists(file) else ""
    return f"on line {line}{of}{statement and f': {statement}'}"


def _data(self) -> Tensor:
    """The same memory, as a tensor whose changes are not counted with the others."""
    shared = self.detach()
    shared._array = np.asarray(memoryview(shared._array))  # a root of its own
    return shared


extend(data=Tensor.data.getter(_data))
