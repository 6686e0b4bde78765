# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""A trace: one call of a Python function, written down as a graph."""

import threading
import weakref
from contextlib import contextmanager

import numpy as np

from minigrad import operands
from minigrad.autograd.versions import root
from minigrad.static.graph import Graph, Node, _node
from minigrad.static.traced import Traced, Untraceable, tracing
from minigrad.tensor import AccumulateGrad, Tensor, mode

SLOT = Tensor._array  # where the numbers of a tensor are
GRAD = Tensor._grad  # and where its gradient is
_open, _lock = [0], threading.Lock()


class Input:
    """A tensor that a trace has met: its placeholder, and how it was before."""

    def __init__(self, tensor: Tensor, array: np.ndarray, node: Node, grad):
        self.tensor, self.node, self.traced = tensor, node, Traced(array, node)
        self.history, self.grad, self.saved = tensor._node, grad, array.copy()

    @property
    def changed(self) -> bool:
        """Whether the function has written to it."""
        return self.traced.node is not self.node


class Trace:
    """Takes notes of a call, inside a ``with``.

    ``inputs`` holds, by identity, the tensors that the function has read and that were
    there before; ``made`` those that it has made.
    """

    def __init__(self):
        self.graph, self.inputs, self.made = Graph(), {}, {}
        self.grads: dict = {}
        self.places, self.written, self.streams, self.names = {}, {}, {}, {}
        self.constants = {id(t) for t in operands._numbers.values()}

    def __enter__(self):
        mode.trace = self
        with _lock:
            _open[0] += 1
            Tensor._array = property(_read, _keep)
            Tensor._grad = property(_read_grad, _keep_grad)
        return self

    def alive(self) -> list[Tensor]:
        """The tensors made by the function that somebody still holds."""
        return [t for ref in self.made.values() if (t := ref()) is not None]

    @contextmanager
    def paused(self):
        """Take no notes for a while."""
        mode.trace = None
        try:
            yield
        finally:
            mode.trace = self


def _leave(self, *error) -> None:
    """Shut the door; what has been made gets plain arrays."""
    mode.trace = None
    with _lock:
        _open[0] -= 1
        if not _open[0]:
            Tensor._array, Tensor._grad = SLOT, GRAD
    for known in self.inputs.values():
        known.tensor._node = known.history
    for tensor in self.alive():
        array, leaf = SLOT.__get__(tensor), tensor.is_leaf
        if isinstance(array, Traced):
            SLOT.__set__(tensor, array.value)
            if tensor._node is not None:  # what it remembers is traced
                tensor._node = AccumulateGrad(tensor) if leaf else None


Trace.__exit__ = _leave


def _read(tensor: Tensor):
    """The numbers of a tensor; in a trace they are traced, from the first look on."""
    array, trace = SLOT.__get__(tensor), tracing()
    if trace is None or isinstance(array, Traced):
        return array
    if id(tensor) in trace.constants:
        return array
    if id(tensor) not in trace.made:
        return trace.met(tensor).traced
    if not isinstance(array, (np.ndarray, np.generic)):
        return array
    traced = trace.constant(array)
    SLOT.__set__(tensor, traced)
    return traced


def _read_grad(tensor: Tensor):
    """The gradient of a tensor; that of one from outside is noted as it was before."""
    grad, trace = GRAD.__get__(tensor), tracing()
    if trace is not None and id(tensor) not in trace.made:
        trace.grads.setdefault(id(tensor), (tensor, grad))
    return grad


def _keep_grad(tensor: Tensor, grad) -> None:
    """Store a gradient; see `_read_grad`."""
    trace = tracing()
    if trace is not None and id(tensor) not in trace.made:
        _read_grad(tensor)
    GRAD.__set__(tensor, grad)


def has_array(tensor: Tensor) -> bool:
    """Whether a tensor has got its numbers already: a new one has not."""
    try:
        return SLOT.__get__(tensor) is not None
    except AttributeError:
        return False


def _keep(tensor: Tensor, array) -> None:
    """Store the numbers of a tensor, and know it again if it is new."""
    trace = tracing()
    if trace is not None:
        if id(tensor) not in trace.made and has_array(tensor):
            raise Untraceable(
                "a tensor from outside gets other memory while a function is traced: "
                "change its numbers, x.copy_(y) (Chapter 23)"
            )
        trace.made[id(tensor)] = weakref.ref(tensor)
    SLOT.__set__(tensor, array)


def _met(self, tensor: Tensor, name: str = "closure") -> Input:
    """What is known of a tensor that was there before the trace."""
    known = self.inputs.get(id(tensor))
    if known is None:
        array = SLOT.__get__(tensor)
        if isinstance(array, np.generic):
            array = np.array(array)
            SLOT.__set__(tensor, array)
        like = array.shape, array.dtype
        name = self.names.get(id(tensor), name)
        node = _node(self.graph, "placeholder", like=like, name=name)
        _, grad = self.grads.get(id(tensor), (None, GRAD.__get__(tensor)))
        known = self.inputs[id(tensor)] = Input(tensor, array, node, grad)
        if known.history is not None:
            tensor._node = AccumulateGrad(tensor)
    return known


Trace.met = _met


def _node_of(self, x, kind=None) -> Node:
    """The node of an operand; numbers and bare arrays are constants."""
    if isinstance(x, Traced):
        return x.node
    if isinstance(x, np.ndarray):
        known = self.places.get(id(x))
        if known is not None and np.array_equal(x, known[1].value, equal_nan=True):
            return known[1].node
    return self.constant(x, kind).node


def _constant(self, x, kind=None) -> Traced:
    """A constant; a Python number has the dtype ``kind``."""
    array = np.array(x, kind)
    if isinstance(x, np.ndarray) and id(root(x)) in self.written:
        raise Untraceable(
            "an array that is no tensor's has been written to, and is read by another "
            "view of it: write to a tensor (Chapter 23)"
        )
    like = array.shape, array.dtype
    node = _node(self.graph, "constant", params={"value": array}, like=like)
    return Traced(x if isinstance(x, (np.ndarray, np.generic)) else array, node)


def _overwritten(self, array: np.ndarray, x) -> None:
    """An array that is no tensor's has been written to."""
    self.places[id(array)] = array, Traced(array.copy(), self.node_of(x))
    self.written[id(root(array))] = array


Trace.node_of, Trace.constant, Trace.overwritten = _node_of, _constant, _overwritten
