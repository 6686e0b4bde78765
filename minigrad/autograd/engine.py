# Generated from chapter 7 (book/ch07-backward.ipynb): edit the chapter, not this.
"""backward: one walk over the graph, and every leaf has its gradient.

A pass has three parts. *Discover* walks down from the roots and counts, for each node,
the cotangents that it will be sent. *Propagate* runs every node once, after the last of
these has arrived. *Deliver* hands the sums to the leaves. Nothing recurses, and no
``.grad`` changes before the last rule has run: a pass that fails changes nothing.
"""

import threading
import warnings
import weakref
from contextlib import contextmanager

import numpy as np

from minigrad.autograd.function import fit, own, set_recording
from minigrad.roots import as_tuple, roots_of, targets_of
from minigrad.tensor import AccumulateGrad, Node, Tensor, extend, memory, wrap


def _discover(roots: list) -> None:
    """Count, in ``uses``, the cotangents that each node will be sent."""
    found = []
    for node, _ in roots:
        if not node.uses:
            found.append(node)
        node.uses += 1
    while found:
        node = found.pop()
        if type(node) is not AccumulateGrad:
            node.discover(found)


def _propagate(
    roots: list, keep: bool, record: bool, targets: set | None
) -> list[Node]:
    """Run every node once, each after all those that send to it.

    Returns the nodes whose sums somebody wants. The sums wait in their ``g``.
    """
    sending = _discover(roots) if targets is None else _discover_towards(targets, roots)
    ready, arrived, plain = _start(roots), [], targets is None and not record
    while ready:
        node = ready.pop()
        if node.hooks is not None:
            ends = targets is not None and node not in sending
            if _attend(node, ends, record, ready, keep) or node in (targets or ()):
                arrived.append(node)
            else:
                node.g = None
        elif type(node) is AccumulateGrad:
            arrived.append(node)
        elif plain:
            node.step(ready, keep)
        else:  # it is recorded, or the pass may end here
            g = node.g
            if targets is None or node in sending:
                (_recorded_step if record else type(node).step)(node, ready, keep)
            if node in (targets or ()):
                node.g = g
                arrived.append(node)
    return arrived


def _attend(node: Node, ends: bool, record: bool, ready: list, keep: bool) -> bool:
    """Visit a node that is watched; say whether the sum, left in ``g``, is wanted."""
    node.hooks.arrive(node)
    g = node.g
    if ends or type(node) is AccumulateGrad:
        return True
    step = node.hooks.around(_recorded_step if record else type(node).step)
    step(node, ready, keep)
    node.g = g
    return node.hooks.tensor() is not None


def _start(roots: list) -> list[Node]:
    """Hand the roots their cotangents; return those that wait for no other."""
    ready = []
    for node, g in roots:
        if node.uses:  # otherwise it leads to no target
            node.g = g if node.g is None else node.g + g
            node.uses -= 1
            if not node.uses:
                ready.append(node)
    return ready


_one_at_a_time = threading.RLock()
_under_way: list = []  # roots and targets of passes; a rule may start another one


@contextmanager
def _walk(roots: list, keep: bool | None, record: bool, targets: set | None):
    """Run a pass; within the ``with``, the sums that are wanted wait on their nodes.

    Whatever happens, nodes and mode are left as they were: after a pass that fails, and
    around one that a rule starts inside another.
    """
    with _one_at_a_time, np.errstate(all="ignore"):
        busy = _clear(roots) if _under_way else []
        _under_way.append((roots, targets))
        before = set_recording(record)
        try:
            keep = record if keep is None else keep
            arrived = _propagate(roots, keep, on_tensors(record), targets)
            for node in arrived:
                _check_shape(node)
            yield arrived
            for node in arrived:
                node.g = None
        except BaseException:
            _clear(roots)
            raise
        finally:
            set_recording(before)
            _under_way.pop()
            for node, uses, g in busy:
                node.uses, node.g = uses, g


def _clear(roots: list) -> list[tuple]:
    """Take away what passes have left on the nodes; return it as (node, uses, g)."""
    found, seen, busy = [node for node, _ in roots], set(), []
    while found:
        node = found.pop()
        if node not in seen:
            seen.add(node)
            busy.append((node, node.uses, node.g))
            node.uses, node.g = 0, None
            found += [child for child in node.children if child is not None]
    return busy


def on_tensors(record: bool) -> bool:
    """Whether a pass carries tensors and not arrays; Chapter 15 has one more reason."""
    return record


def _check_shape(node: Node) -> None:
    """Refuse a sum that has not the shape of its leaf; give it the leaf's dtype."""
    if type(node) is AccumulateGrad:
        shape, kind = node.array.shape, node.array.dtype
        if not node.g.shape == shape:  # (their levels may differ: Chapter 14)
            raise RuntimeError(
                f"invalid gradient: got {list(node.g.shape)} at a leaf, but expected "
                f"shape compatible with {list(shape)}. Either a rule is wrong, or the "
                "leaf's .data has been replaced: compute the output anew (Chapter 7)"
            )
        if node.g.dtype is not kind:
            node.g = fit(node.g, (shape, kind))


def _owner(node: Node) -> Tensor | None:
    """The tensor that a node's sum is due to; None if nobody waits for it any more."""
    if type(node) is not AccumulateGrad:
        return node.hooks.tensor()
    leaf = node.leaf()
    return leaf if leaf is not None and leaf.requires_grad and leaf.is_leaf else None


def noted(gradient: Tensor) -> None:
    """A gradient has been added to in place; Chapter 11 keeps count of that."""


def _check_room(node: Node) -> None:
    """Refuse a ``.grad`` to which nothing can be added in place."""
    tensor = _owner(node)
    if tensor is not None and tensor._grad is not None:
        old = np.asarray(tensor._grad._array)
        if old.shape != node.g.shape:
            raise RuntimeError(
                f"The size of .grad, {list(old.shape)}, must match the size of the "
                f"gradient, {list(node.g.shape)}: set it to None first (Chapter 7)"
            )
        if not old.flags.writeable:
            raise RuntimeError(SPREAD)


def _deliver(node: Node, create_graph: bool) -> None:
    """Add the sum that waits in a node to the ``.grad`` of the tensor it is due to."""
    tensor, is_leaf = _owner(node), type(node) is AccumulateGrad
    if tensor is None:
        return
    before = tensor._grad
    if before is not None and is_leaf and not create_graph:
        array = memory(before)
        array += node.g  # in place: a leaf's .grad stays the same tensor
        noted(before)
    elif before is not None:
        tensor._grad = before + node.g
    elif create_graph:
        tensor._grad = node.g._copy() if is_leaf else node.g.clone()
    else:
        tensor._grad = wrap(own(node.g))


def _deliver_all(arrived: list, create_graph: bool) -> None:
    """Deliver every sum, or, if there is no room for one of them, none."""
    for node in arrived:
        if node.hooks is not None and type(node) is AccumulateGrad:
            return node.hooks.deliver(arrived, create_graph)  # Chapter 12
        _check_room(node)
    for node in arrived:
        _deliver(node, create_graph)


CYCLE = (
    "Using backward() with create_graph=True will create a reference cycle between "
    "the parameter and its gradient which can cause a memory leak. We recommend "
    "using autograd.grad when creating the graph to avoid this. If you have to use "
    "this function, make sure to reset the .grad fields of your parameters to None "
    "after use to break the cycle and avoid the leak."
)
SPREAD = (
    "unsupported operation: more than one element of the written-to tensor refers to a "
    "single memory location. Please clone() .grad, or set it to None (Chapter 7)"
)


def backward(
    tensors,
    grad_tensors=None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    *,
    inputs=None,
) -> None:
    """Add to the ``.grad`` of leaves the gradient of the sum of vᵀy over ``tensors``.

    ``tensors`` is one output y or several. ``grad_tensors`` holds for each the weights
    v of its elements, in its shape; None stands for 1 and is allowed if an output has
    one element. ``retain_graph`` keeps what the graph has saved, for another pass; it
    defaults to ``create_graph``, which records the pass itself, so that its results can
    be differentiated. ``inputs``: accumulate into these tensors only, leaves or not.

    Raises RuntimeError for a shape mismatch, a missing weight, an output without
    history, or a graph that has been freed. No ``.grad`` has changed then.
    """
    roots = roots_of(tensors, grad_tensors, on_tensors(create_graph))
    targets = None if inputs is None else _retaining(as_tuple(inputs))
    if create_graph:
        warnings.warn(CYCLE, UserWarning, stacklevel=3)
    with _walk(roots, retain_graph, create_graph, targets) as arrived:
        _deliver_all(arrived, create_graph)


def _backward(
    self, gradient=None, retain_graph=None, create_graph=False, inputs=None
) -> None:
    """Compute the gradient of this tensor and add it to the ``.grad`` of leaves.

    ``gradient`` holds the weights v of vᵀJ, in this tensor's shape; a tensor of one
    element may go without. The rest is as in `minigrad.autograd.backward`.
    """
    backward(self, gradient, retain_graph, create_graph, inputs=inputs)


extend(backward=_backward)


def _discover_towards(targets: set, roots: list) -> set[Node]:
    """Count only what leads to a target; return the nodes that send something on.

    A step sends nothing to a node whose ``uses`` are 0, so all else is left alone.
    """
    senders: dict[Node, list] = {node: [] for node, _ in roots}
    found = [*senders]
    while found:  # down from the roots: who sends to whom?
        node = found.pop()
        for child in node.children:
            if child is not None:
                if child not in senders:
                    senders[child] = []
                    found.append(child)
                senders[child].append(node)
    needed, sending, found = set(), set(), [node for node in targets if node in senders]
    while found:  # and up again from the targets
        node = found.pop()
        if node not in needed:
            needed.add(node)
            node.uses = len(senders[node])
            sending.update(senders[node])
            found += senders[node]
    for node, _ in roots:
        node.uses += node in needed
    return sending


class Watch:
    """Who attends to a node. ``tensor()`` is the non-leaf that will keep the sum.

    By itself it only waits for that. Chapter 12 watches what arrives, and the step.
    """

    __slots__ = ("tensor",)

    def __init__(self):
        self.tensor = type(None)  # called, it gives None: nobody keeps the sum

    def arrive(self, node: Node) -> None:
        """The sum at a node is complete, and nobody has seen it."""

    def around(self, step):
        """The step of a node, plain or recorded, and whatever goes with it."""
        return step


def retain(x: Tensor) -> None:
    """Have the sum that arrives at a non-leaf added to its ``.grad`` (Chapter 8)."""
    if x._node.hooks is None:
        x._node.hooks = Watch()
    x._node.hooks.tensor = weakref.ref(x)


def _retaining(inputs: tuple) -> set[Node]:
    """The targets of `backward`; a non-leaf among them will retain its gradient."""
    targets = {*targets_of(inputs, "backward")}
    for x in inputs:
        if not x.is_leaf:
            retain(x)
    return targets


def grad(
    outputs,
    inputs,
    grad_outputs=None,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    only_inputs: bool = True,
    allow_unused: bool | None = None,
    is_grads_batched: bool = False,
    materialize_grads: bool = False,
) -> tuple[Tensor | None, ...]:
    """Return the gradient of the sum of vᵀy with respect to each of ``inputs``.

    Nothing is accumulated in them. The first arguments are those of `backward`; an
    input that plays no part is an error, unless ``allow_unused`` (the result is None)
    or ``materialize_grads`` (the result is zero) says otherwise. ``is_grads_batched``
    takes the first axis of every v as a list of weights, and stacks what they give.
    ``only_inputs`` is ignored, as in PyTorch.
    """
    if not only_inputs:
        warnings.warn(ONLY_INPUTS, FutureWarning, stacklevel=2)
    if materialize_grads and allow_unused is False:
        raise ValueError(
            "Expected allow_unused to be True or not passed when "
            "materialize_grads=True, but got: allow_unused=False. Leave it out: zeros "
            "stand for what is unused (Chapter 7)"
        )
    inputs = as_tuple(inputs)
    walk = _grad_of_rows if is_grads_batched else _grad_of
    found = walk(outputs, inputs, grad_outputs, retain_graph, create_graph)
    for k, (x, g) in enumerate(zip(inputs, found, strict=True)):
        if g is None:
            found[k] = _unused(k, x, allow_unused, materialize_grads, create_graph)
    return tuple(found)


def _unused(k: int, x: Tensor, allowed, zero: bool, record: bool) -> Tensor | None:
    """The gradient with respect to an input that plays no part."""
    if not (allowed or zero):
        raise RuntimeError(
            f"The differentiated Tensor at index {k} appears to not have been used in "
            "the graph. Set allow_unused=True if this is the desired behavior: its "
            "gradient is None then (Chapter 7)"
        )
    return track(wrap(np.zeros_like(x._array)), record) if zero else None


track = Tensor.requires_grad_  # the method itself; Chapter 14 puts a guard before it


ONLY_INPUTS = (
    "only_inputs argument is deprecated and is ignored now (defaults to True). To "
    "accumulate gradient for other parts of the graph, please use "
    "torch.autograd.backward."
)


def _grad_of(outputs, inputs: tuple, weights, keep, create_graph: bool) -> list:
    """One pass for `grad`: a tensor for each input that was reached, None otherwise."""
    roots = roots_of(outputs, weights, on_tensors(create_graph))
    targets, found = targets_of(inputs, "grad"), []
    with _walk(roots, keep, create_graph, {*targets}) as arrived:
        for node in arrived:
            if node.hooks is not None and type(node) is not AccumulateGrad:
                _deliver(node, create_graph)
        for node in targets:
            found.append(handed_out(node, create_graph))
    return found


def handed_out(node: Node, recorded: bool) -> Tensor | None:
    """The sum at a node as a tensor; it shares memory with nothing in the engine."""
    return node.g if recorded or node.g is None else wrap(own(node.g))


def _grad_of_rows(outputs, inputs: tuple, weights, keep, create_graph: bool) -> list:
    """One pass for each row of the weights; with one for all, Chapter 14 takes over."""
    rows = [*zip(*(v._array for v in as_tuple(weights)), strict=True)]
    passes = []
    for k, row in enumerate(rows, 1):
        row = [wrap(np.asarray(v)) for v in row]
        passes.append(_grad_of(outputs, inputs, row, keep or k < len(rows), False))
    return [
        None if found[0] is None else wrap(np.stack([g._array for g in found]))
        for found in zip(*passes, strict=True)
    ]


TWINS: dict[str, type[Node]] = {}  # of a primitive: whose step is the one to record
ARRAYS = np.ndarray, np.generic  # what nodes save, and a recorded step wraps


def _recorded_step(node: Node, ready: list, keep: bool, step=None) -> None:
    """Run a step on tensors instead of arrays, so that the rules are recorded.

    While it runs, tensors that know their history stand in for the saved arrays. A
    saved operand came from where the node's link points, a saved result from the node
    itself: so nothing but arrays need be kept.
    """
    saved = {name: getattr(node, name, None) for name in node.saves}
    for name, array in saved.items():
        if isinstance(array, ARRAYS):
            setattr(node, name, stand_in(node, name, array))
    try:
        step = step or TWINS.get(node.primitive.name, type(node)).step
        step(node, ready, keep)
    finally:
        for name, array in saved.items():
            if isinstance(getattr(node, name, None), Tensor):  # not freed by the step
                setattr(node, name, array)


def stand_in(node: Node, name: str, array) -> Tensor:
    """A saved array as a tensor that knows its history."""
    links = dict(zip(node.primitive.rules, node.links, strict=True))
    return wrap(array, getattr(node, links[name]) if name in links else node)
