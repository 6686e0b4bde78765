# Generated from chapter 12 (book/ch12-hooks.ipynb): edit the chapter, not this.
"""Hooks: functions that the engine calls while a gradient is on its way."""

from collections import OrderedDict
from contextlib import nullcontext
from functools import partial

import numpy as np

from minigrad.autograd import engine
from minigrad.autograd.engine import Watch
from minigrad.autograd.function import own
from minigrad.tensor import AccumulateGrad, Node, Tensor, extend, wrap
from minigrad.utils.hooks import RemovableHandle


def called(hook) -> str:
    """What to call a hook in a message."""
    return getattr(hook, "__name__", type(hook).__name__)


def check_answer(hook, old: Tensor, new) -> None:
    """Refuse an answer that cannot travel on in the place of ``old``."""
    if not isinstance(new, Tensor):
        raise TypeError(
            f"expected Variable, but hook returned '{type(new).__name__}': let hook "
            f"'{called(hook)}' give a tensor, or None to change nothing (Chapter 12)"
        )
    if new.shape != old.shape:
        raise RuntimeError(
            f"hook '{called(hook)}' has changed the size of value: it was "
            f"{list(old.shape)}, and is {list(new.shape)}. Keep the shape (Chapter 12)"
        )
    if new.dtype != old.dtype:
        raise RuntimeError(
            f"hook '{called(hook)}' has changed the type of value (was {old.dtype}, got"
            f" {new.dtype}): convert it back, g.to({old.dtype}) (Chapter 12)"
        )


def as_seen(g) -> Tensor | None:
    """A cotangent as a hook sees it: a tensor, where the pass has an array."""
    return g if g is None or isinstance(g, Tensor) else wrap(g)


def as_carried(g: Tensor | None, recorded: bool):
    """A cotangent as the pass carries it: a tensor if the pass is recorded."""
    return g if g is None or recorded else g._array


def unshared(g):
    """A cotangent that a hook may change in place: nobody else has the array."""
    return g if g is None or isinstance(g, Tensor) else own(g)


class Hooks(Watch):
    """The hooks of a node, by the moment at which they run.

    ``arrival``: the sum is complete. ``before`` and ``after``: the node's own step; in
    a mailbox, the delivery. ``accumulated``: a leaf's ``.grad`` is up to date.
    ``boxes`` is what has become of the values that the node has saved.
    """

    __slots__ = ("boxes", "moments")

    def __init__(self):
        super().__init__()
        self.moments, self.boxes = {}, None

    def add(self, moment: str, hook) -> RemovableHandle:
        """Register a hook; the last to come is the last to run."""
        hooks = self.moments.setdefault(moment, OrderedDict())
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        return handle

    def at(self, moment: str) -> list:
        """The hooks to run now."""
        return [*self.moments.get(moment, {}).values()]

    def arrive(self, node: Node) -> None:
        """Show the sum to the hooks of the tensor, one after the other."""
        show_sum(self.at("arrival"), node)

    def around(self, step):
        """The step of a node, with what surrounds it."""
        plain = self.boxes is None and not (self.at("before") or self.at("after"))
        return step if plain else Surrounded(self, step)

    def deliver(self, arrived: list, create_graph: bool) -> None:
        """Deliver the sums of a pass, among them those of leaves with hooks."""
        deliver_with_hooks(arrived, create_graph)


def show_sum(hooks: list, node: Node) -> None:
    """Let each hook see the sum at a node, as the hook before has left it."""
    if not hooks:
        return
    recorded = isinstance(node.g, Tensor)
    node.g = unshared(node.g)
    g = as_seen(node.g)
    for hook in hooks:
        answer = hook(g)
        if answer is not None:
            check_answer(hook, g, answer)
            g = answer
    node.g = as_carried(g, recorded)


def hooks_of(node: Node) -> Hooks:
    """The hooks of a node; a watch that was there passes on whom it remembers."""
    watch = node.hooks
    if not isinstance(watch, Hooks):
        node.hooks = Hooks()
        if watch is not None:
            node.hooks.tensor = watch.tensor
    return node.hooks


def register_hook(self, hook) -> RemovableHandle:
    """Have ``hook(gradient)`` called whenever this tensor's gradient is complete.

    It may answer with a tensor, which goes on in the gradient's place, or with None.
    Hooks run in the order of their registration; the handle takes one away again.
    """
    if not self.requires_grad:
        raise RuntimeError(
            "cannot register a hook on a tensor that doesn't require gradient: none "
            "will arrive. Set requires_grad on a leaf it is made from (Chapter 12)"
        )
    return hooks_of(self._node).add("arrival", hook)


extend(register_hook=register_hook)


def awaiting(self) -> tuple:
    """What the step of this node will get, as hooks see it: a tuple of one."""
    return (as_seen(unshared(self.g)),)


def replace(self, given: tuple) -> None:
    """Have the step of this node get what hooks have made of it."""
    self.g = as_carried(given[0], isinstance(self.g, Tensor))


Node.awaiting, Node.replace = awaiting, replace  # Chapter 16: nodes with more outputs


def show_before(hooks: Hooks, node: Node) -> None:
    """Let the prehooks of a node see what its step will get."""
    prehooks = hooks.at("before")
    if prehooks:
        given = node.awaiting()
        for hook in prehooks:
            given = checked(hook, given, hook(given))
        node.replace(given)


def remember(arrived: list) -> list[tuple]:
    """Note, of each tensor that something will be delivered to, its ``.grad``."""
    tensors = [t for t in map(engine._owner, arrived) if t is not None]
    grads = [t._grad for t in tensors]
    copies = [None if g is None else np.array(g._array) for g in grads]
    return [*zip(tensors, grads, copies, strict=True)]


def restore(notes: list[tuple]) -> None:
    """Give every tensor its ``.grad`` again, the same object with the same numbers."""
    for tensor, grad, copy in notes:
        tensor._grad = grad
        if isinstance(getattr(grad, "_array", None), np.ndarray):
            np.copyto(grad._array, copy)
        elif grad is not None:
            grad._array = copy[()]


def deliver_with_hooks(arrived: list, create_graph: bool) -> None:
    """Deliver all sums, with the hooks of leaves. If one fails, no ``.grad`` changes.

    Weights that a hook has changed before another one failed stay as they are.
    """
    leaves = [n for n in arrived if n.hooks is not None and type(n) is AccumulateGrad]
    for node in leaves:
        show_before(node.hooks, node)
    arrived[:] = [node for node in arrived if node.g is not None]
    later = [node for node in leaves if node.g is not None and has_later(node.hooks)]
    given = [as_seen(node.g) if node.hooks.at("after") else None for node in later]
    for node in arrived:
        engine._check_room(node)
    notes = remember(arrived) if later else []
    try:
        for node in arrived:
            engine._deliver(node, create_graph)
        for node, g in zip(later, given, strict=True):
            show_delivery(node, g)
    except BaseException:
        restore(notes)
        raise


def has_later(hooks: Hooks) -> bool:
    """Whether a leaf has hooks that run after the delivery."""
    return bool(hooks.at("accumulated") or hooks.at("after"))


def show_delivery(node: Node, g: Tensor | None) -> None:
    """Run what waits for a leaf's ``.grad``, then the other hooks of its mailbox."""
    leaf = engine._owner(node)
    for hook in node.hooks.at("accumulated") if leaf is not None else ():
        if hook(leaf) is not None:
            raise RuntimeError(
                "Tensor post accumulate grad hooks should return None. To change the "
                f"gradient, hook '{called(hook)}' sets leaf.grad (Chapter 12)"
            )
    for hook in node.hooks.at("after"):
        checked(hook, (), hook((), (g,)))


def register_post_accumulate_grad_hook(self, hook) -> RemovableHandle:
    """Have ``hook(leaf)`` called after a pass has added to this leaf's ``.grad``."""
    if not self.requires_grad:
        raise RuntimeError(
            "cannot register a hook on a tensor that doesn't require gradient: set "
            "requires_grad on it first (Chapter 12)"
        )
    if not self.is_leaf:
        raise RuntimeError(
            "post accumulate grad hooks cannot be registered on non-leaf tensors: "
            "nothing accumulates there; register_hook sees its gradient (Chapter 12)"
        )
    return hooks_of(self._node).add("accumulated", hook)


extend(register_post_accumulate_grad_hook=register_post_accumulate_grad_hook)


def checked(hook, old: tuple, new) -> tuple:
    """What goes on after a node's hook: ``new``, checked, or ``old`` if it is None."""
    if new is None:
        return old
    if not isinstance(new, tuple):
        raise TypeError(
            f"expected tuple, but hook returned '{type(new).__name__}': hook "
            f"'{called(hook)}' gives one value for each, (g,) for one (Chapter 12)"
        )
    if len(new) != len(old):
        raise RuntimeError(
            f"hook '{called(hook)}' has returned an incorrect number of values (got "
            f"{len(new)}, but expected {len(old)}): give one for each (Chapter 12)"
        )
    for before, after in zip(old, new, strict=True):
        if before is None and after is not None:
            raise RuntimeError(
                "can't replace a None gradient with a non-None value: nothing is sent "
                f"there, so let hook '{called(hook)}' give None, too (Chapter 12)"
            )
        if after is not None:
            check_answer(hook, before, after)
    return new


class Box(Node):
    """Stands in for the node of an operand: what is sent there can be looked at."""

    __slots__ = ()

    def __init__(self):
        self.uses, self.g, self.hooks = 1, None, None


def caught(node: Node, step, keep: bool, alone: bool = False) -> list:
    """Run a step; return what it would have sent, None where it sends nothing.

    ``alone``: there is no pass, so nobody has counted who waits for it.
    """
    children = node.children
    boxes = [Box() if child and (alone or child.uses) else None for child in children]

    def into_boxes(node, ready, keep):
        try:
            for link, box in zip(node.links, boxes, strict=True):
                setattr(node, link, box)
            own_step(node, ready, keep)
        finally:
            for link, child in zip(node.links, children, strict=True):
                setattr(node, link, child)

    own_step = type(node).step
    if step is engine._recorded_step:
        own_step = engine.TWINS.get(node.primitive.name, type(node)).step
        step(node, [], keep, into_boxes)
    else:
        into_boxes(node, [], keep)
    return [None if box is None else unshared(box.g) for box in boxes]


def send(child: Node | None, g, ready: list) -> None:
    """Post a cotangent to a node, or None: one use less, and nothing to add.

    A node that has waited for nothing but Nones has nothing to send either; unless it
    is one of those that turn nothing into something (Chapter 16).
    """
    found = [(child, g)]
    while found:
        child, g = found.pop()
        if child is not None and child.uses:
            child.uses -= 1
            if g is not None:
                child.g = g if child.g is None else child.g + g
            if not child.uses and (child.g is not None or child.eager):
                ready.append(child)
            elif not child.uses:
                found += [(node, None) for node in child.children]


Node.eager = Node.hands_on = False  # of the nodes of Chapter 16, some are


class Surrounded:
    """The step of a node, with its prehooks, unpacking and hooks around it."""

    def __init__(self, hooks: Hooks, step):
        self.hooks, self.inner = hooks, step

    def __call__(self, node: Node, ready: list, keep: bool) -> None:
        """Run it all: in the place of the step."""
        show_before(self.hooks, node)
        children = node.children
        if node.g is None:
            sent = [None] * len(children)
        else:
            boxes = self.hooks.boxes
            with boxes.opened(node) if boxes else nullcontext():
                after = self.hooks.at("after")
                if not after:
                    return self.inner(node, ready, keep)
                sent = self.seen(after, node, keep)
        for child, g in reversed([*zip(children, sent, strict=True)]):
            send(child, g, ready)

    def seen(self, after: list, node: Node, keep: bool) -> list:
        """What the step sends, as its hooks have left it."""
        given, sent = node.awaiting(), caught(node, self.inner, keep)
        recorded = any(isinstance(g, Tensor) for g in sent)
        sent = tuple(map(as_seen, sent))
        for hook in after:
            sent = checked(hook, sent, hook(sent, given))
        return [as_carried(g, recorded) for g in sent]


def register_prehook(self, fn) -> RemovableHandle:
    """Have ``fn(grad_outputs)`` called before this node runs; it may answer a tuple."""
    return hooks_of(self).add("before", fn)


def register_node_hook(self, fn) -> RemovableHandle:
    """Have ``fn(grad_inputs, grad_outputs)`` called after this node has run.

    A tuple that it answers goes to the operands in the place of ``grad_inputs``.
    """
    return hooks_of(self).add("after", fn)


Node.register_prehook, Node.register_hook = register_prehook, register_node_hook


def call(self, *grad_outputs):
    """Run the step of this node alone: vᵀJ for each operand, None for a constant.

    It is recorded, if recording is on. One operand gives a tensor, several a tuple. A
    leaf's mailbox adds to ``.grad``, and gives an empty tuple.
    """
    if len(grad_outputs) != 1:
        raise TypeError(
            f"expected 1 arguments, got {len(grad_outputs)} instead: a cotangent in "
            f"the shape of what {self.name()} has made (Chapter 12)"
        )
    (g,) = grad_outputs
    if g is not None and not isinstance(g, Tensor):
        raise TypeError(
            f"argument 0 is not a Variable, but {type(g).__name__}: "
            "torch.tensor makes one of it (Chapter 12)"
        )
    self.g, sent = g, [None] * len(self.links)
    with np.errstate(all="ignore"):
        if g is not None and type(self) is AccumulateGrad:
            engine._deliver(self, create_graph=True)
        elif g is not None:
            boxes = getattr(self.hooks, "boxes", None)
            with boxes.opened(self) if boxes else nullcontext():
                sent = caught(self, engine._recorded_step, keep=True, alone=True)
    self.g = None
    return sent[0] if len(sent) == 1 else tuple(sent)


Node.__call__ = call


class Passes:
    """What somebody notes during a pass: each pass has a list of its own."""

    def __init__(self):
        self.notes = []

    def here(self) -> list:
        """The list of the pass under way; lists of passes that are over are dropped."""
        going = engine._under_way
        self.notes = [n for n in self.notes if any(n[0] is roots for roots in going)]
        for roots, notes in self.notes:
            if roots is going[-1]:
                return notes
        self.notes.append((going[-1], []))
        return self.notes[-1][1]


def coming(nodes: list[Node]) -> int:
    """How many of these nodes the pass under way has still to visit."""
    waiting = [node for node in nodes if node.uses or node.g is not None]
    if len(engine._under_way) == 1:
        return len(waiting)
    roots = engine._under_way[-1][0]  # some may wait for the pass outside of this one
    return len({*waiting} & reachable(node for node, _ in roots))


def reachable(nodes) -> set[Node]:
    """Some nodes, and all that they lead to."""
    found, reached = [*nodes], set()
    while found:
        node = found.pop()
        if node not in reached:
            reached.add(node)
            found += [child for child in node.children if child is not None]
    return reached


class MultiHandle(RemovableHandle):
    """Takes away one hook on each of several tensors."""

    def __init__(self, handles: list):
        self.handles, self.id = handles, next(self.ids)

    def remove(self) -> None:
        """Take all of them away."""
        for handle in self.handles:
            handle.remove()


def wait_for_all(tensors: list, fn) -> list[RemovableHandle]:
    """Have ``fn`` called with all gradients of a pass, when the last has come."""
    passes, nodes = Passes(), [t._node for t in tensors]

    def hook(g, place):
        notes = passes.here()
        if not notes:  # the first to come: who else will?
            notes += [coming(nodes), [None] * len(tensors)]
        notes[0] -= 1
        notes[1][place] = g
        if notes[0] == 0:
            fn(notes[1])

    return [t.register_hook(partial(hook, place=k)) for k, t in enumerate(tensors)]


def wait_for_any(tensors: list, fn) -> list[RemovableHandle]:
    """Have ``fn`` called with the first gradient of a pass."""
    passes = Passes()

    def hook(g):
        notes = passes.here()
        if not notes:
            notes.append(True)
            fn(g)

    return [t.register_hook(hook) for t in tensors if t.requires_grad]


def register_multi_grad_hook(tensors, fn, *, mode: str = "all") -> MultiHandle:
    """Have ``fn`` called once a pass, for gradients of several tensors.

    ``mode="all"``: with a list, None for each tensor that is not reached, when the
    last gradient is there. ``mode="any"``: with the first gradient.
    """
    if mode not in ("all", "any"):
        raise ValueError(
            f"Expects mode to be one of ('all', 'any') but got {mode}: say whether to "
            "wait for every gradient or for one (Chapter 12)"
        )
    tensors = list(tensors)
    for k, t in enumerate(tensors):
        if mode == "all" and not t.requires_grad:
            raise AssertionError(
                f"Expected gradient function to be set: tensor {k} requires no "
                "gradient. Leave it out, or set requires_grad (Chapter 12)"
            )
    wait = wait_for_all if mode == "all" else wait_for_any
    return MultiHandle(wait(tensors, fn))
