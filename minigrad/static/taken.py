# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""What a trace has found out: inputs, outputs, the backward pass, and changes."""

import numpy as np

from minigrad.autograd import engine
from minigrad.autograd.function import FREED
from minigrad.func import _leaves
from minigrad.static.graph import _node
from minigrad.static.trace import SLOT, Trace
from minigrad.static.traced import Traced, Untraceable
from minigrad.tensor import AccumulateGrad, Tensor, mode, wrap


class Taken:
    """A trace that has been taken: what goes in, what comes out, what is changed."""

    def __init__(self, trace: Trace, result):
        self.trace, self.result, self.leaves = trace, result, _leaves(result)
        tensors = [y for y in self.leaves if isinstance(y, Tensor)]
        for y in tensors:
            if id(y) not in trace.made:  # it was there before
                trace.met(y)
        for x, _ in trace.grads.values():
            trace.met(x)
        self.outs = {id(y): y for y in tensors if id(y) not in trace.inputs}
        self.nodes = [trace.node_of(y._array) for y in self.outs.values()]
        self.inputs = [*trace.inputs.values()]
        self.grads = changed_grads(self.inputs)
        self.seeds, self.sought, self.wanted, self.slopes = [], [], [], []
        if not self.grads:
            self.differentiate()
        self.changes = [(k.node, k.traced.node) for k in self.inputs if k.changed]
        self.fresh = {
            i: trace.node_of(g._array) for i, g in self.grads.items() if g is not None
        }
        for i in self.grads:
            _check_grad(self.inputs[i])


def changed_grads(inputs: list) -> dict:
    """The gradients that have been made, replaced or forgotten, by their input."""
    return {
        i: known.tensor._grad
        for i, known in enumerate(inputs)
        if known.tensor._grad is not known.grad
    }


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
    for tensor, grad in self.grads.values():
        tensor._grad = grad
    for known in self.inputs.values():
        if known.changed:
            np.copyto(SLOT.__get__(known.tensor), known.saved)
    for stream, state in self.streams.items():
        vars(stream).update(state)


Trace.undo = _undo
