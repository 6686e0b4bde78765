# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Plans: a run written down once, with a place in memory for each result."""

from functools import partial

import numpy as np

from minigrad.static.graph import Node, forward, resolve
from minigrad.static.passes import calls, store
from minigrad.static.session import SPECIAL, Session, compute, needed

VIEWS = {"reshape", "transpose", "broadcast_to", "view_at"}  # most copy nothing


def last_uses(order: list, kept: list) -> dict[Node, int]:
    """For each node the number of the last one that reads it, if only through a view.

    What is ``kept`` is read at the end, after all.
    """
    last = {}
    readings = [(k, x) for k, node in enumerate(order) for x in (node, *node.inputs)]
    for k, x in [*readings, *((len(order), x) for x in kept)]:
        last[x] = k
        while x.op in VIEWS or x.op == "assign":
            (x, *_) = x.inputs
            last[x] = k
    return last


class Pool:
    """Pieces of memory that are lent out, and come back."""

    def __init__(self):
        self.all, self.free = [], []

    def take(self, shape: tuple, dtype: np.dtype) -> tuple:
        """A piece, and an array in it: the smallest free piece that is large enough."""
        count = max(1, int(np.prod(shape, dtype=np.int64)))
        size = count * dtype.itemsize
        fitting = [piece for piece in self.free if piece.size >= size]
        if fitting:
            piece = min(fitting, key=len)
            self.free = [other for other in self.free if other is not piece]
        else:
            piece = np.empty(size, np.uint8)
            self.all.append(piece)
        return piece, piece[:size].view(dtype)[: int(np.prod(shape))].reshape(shape)

    def give(self, piece) -> None:
        """Take a piece back."""
        self.free.append(piece)


INTO = {  # functions that write their result where they are told
    "matmul": np.matmul,
    "sum": np.sum, "mean": np.mean, "amax": np.max, "amin": np.min, "prod": np.prod,
    "relu": lambda x, out: np.maximum(x, 0, out=out),
}  # fmt: skip


def _function(node: Node):
    """The function of a node that takes ``out=``, or None."""
    if node.op in INTO or node.op in SPECIAL:
        return INTO.get(node.op)
    function = forward(node.op)
    return function if isinstance(function, np.ufunc) else None


def steps_of(node: Node, arrays: list, out, sizes: dict, space) -> list:
    """What replays a node: functions without arguments."""
    if node.op == "fused":
        return [*calls(node.params["steps"], arrays, out, space)]
    function = _function(node)
    if function is not None and not node.named:
        return [partial(function, *arrays, **resolve(node.params, sizes), out=out)]
    return [partial(store, out, partial(compute, node, arrays, sizes))]


class Plan:
    """A run for given shapes, written down: what to call, and where results go.

    ``apart`` is how many bytes all results take if each has memory of its own,
    ``shared`` how many they take here.
    """

    def __init__(self, session: Session, nodes: list, feeds: dict, sizes: dict):
        self.session, self.nodes, self.sizes = session, nodes, sizes
        self.arrays, self.steps, self.assigned = {}, [], []
        self.pool, self.pieces, self.apart = Pool(), {}, 0
        order = needed(nodes)
        session.check(order, feeds)
        self.last = last_uses(order, [*nodes, *(x for x in order if x.op == "assign")])
        for k, node in enumerate(order):
            self.arrays[node] = self.place(node, k)
            for x in {node, *node.inputs}:
                self.release(x, k)
        known = [x.name for x in order if x.op == "variable"]
        self.variables = {name: session.values[name] for name in known}

    @property
    def shared(self) -> int:
        """The bytes of all pieces of memory."""
        return sum(piece.size for piece in self.pool.all)


def _place(self, node: Node, k: int):
    """Find a place for the result of a node, and note the step that puts it there."""
    arrays = [self.arrays[x] for x in node.inputs]
    if node.op == "placeholder":
        return np.empty(resolve(node.shape, self.sizes), node.dtype)
    if node.op == "variable":
        return self.session.values[node.name]
    if node.op == "assign":
        self.assigned.append((node.params["variable"], *arrays))
    if node.op in ("constant", "assign", "group"):
        return compute(node, arrays, self.sizes)
    if node.shape is None:  # several arrays
        found: list = []
        self.steps.append(partial(_several, found, node, arrays, self.sizes))
        return found
    if node.op in VIEWS:
        view = compute(node, arrays, self.sizes)
        if np.may_share_memory(view, arrays[0]):
            return view
    return self.written(node, arrays, k)


def _several(found: list, node: Node, arrays: list, sizes: dict) -> None:
    """Replay a node that gives several arrays: copies, which nobody will overwrite."""
    found[:] = map(np.array, compute(node, arrays, sizes))


Plan.place = _place


def _written(self, node: Node, arrays: list, k: int) -> np.ndarray:
    """A result with memory of its own, perhaps that of an operand that nobody needs."""
    shape = resolve(node.shape, self.sizes)
    self.pieces[node], out = self.inherited(node, arrays, k) or self.pool.take(
        shape, node.dtype
    )
    self.apart += out.nbytes
    lent = []

    def space(shape: tuple, dtype: np.dtype):
        piece, array = self.pool.take(shape, dtype)
        lent.append(piece)
        return array

    self.steps += steps_of(node, arrays, out, self.sizes, space)
    for piece in lent:
        self.pool.give(piece)
    return out


Plan.written = _written


def _inherited(self, node: Node, arrays: list, k: int):
    """The memory of an operand that is read for the last time, elementwise."""
    shape = resolve(node.shape, self.sizes)
    if node.op != "fused" and not isinstance(_function(node), np.ufunc):
        return None
    for x, array in zip(node.inputs, arrays, strict=True):
        fits = array.shape == shape and array.dtype == node.dtype
        dies = self.last[x] == k and x in self.pieces
        if fits and dies and alone(array, arrays):
            return self.pieces.pop(x), array
    return None


def alone(array: np.ndarray, arrays: list) -> bool:
    """Whether no other operand shows the memory of this one."""
    others = [x for x in arrays if x is not array]
    return not any(np.may_share_memory(array, x) for x in others)


def _release(self, node: Node, k: int) -> None:
    """Give the memory of a node back after its last reader."""
    if self.last[node] == k and node in self.pieces:
        self.pool.give(self.pieces.pop(node))


Plan.inherited, Plan.release = _inherited, _release


def _replay(self, feeds: dict) -> list:
    """Run all steps again, on new feeds; then take over what is assigned."""
    for node, value in feeds.items():
        if node in self.arrays:
            np.copyto(self.arrays[node], value)
    with np.errstate(all="ignore"):
        for step in self.steps:
            step()
    values = self.session.values
    found = [None if x is None else np.array(x) for x in self.found]
    new = [(name, array.copy()) for name, array in self.assigned]
    for name, array in new:
        if name in values:
            np.copyto(values[name], array)
        else:
            values[name] = array
    return found


Plan.replay = _replay
Plan.found = property(lambda self: [self.arrays[x] for x in self.nodes])


class PlannedSession(Session):
    """A session that writes a plan when it meets new fetches or shapes, and replays it.

    ``plans`` holds them. What is asked of it, and what it answers, is as in `Session`.
    """

    def __init__(self, graph=None):
        super().__init__(graph)
        self.plans: dict[tuple, Plan] = {}

    def execute(self, nodes: list, feeds: dict, sizes: dict) -> list:
        """Replay the plan for these nodes and shapes; write it, if there is none."""
        shapes = tuple((x, array.shape) for x, array in feeds.items())
        key = tuple(nodes), shapes
        plan, values = self.plans.get(key), self.values
        old = plan is None or any(values[n] is not a for n, a in plan.variables.items())
        try:
            if old:
                plan = self.plans[key] = Plan(self, nodes, feeds, sizes)
            return plan.replay(feeds)
        except Exception:  # the slow way knows which node it was
            super().execute(nodes, feeds, sizes)
            raise
