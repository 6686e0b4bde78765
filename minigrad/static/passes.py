# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Passes: each makes a new graph that computes the same in another way.

A pass takes a graph and the nodes that are wanted of it, and returns a graph and the
nodes there. Placeholders and variables keep their names, so a session goes on with it.
"""

from collections import defaultdict
from functools import partial

import numpy as np

from minigrad.rules import PRIMITIVES
from minigrad.static.control import again
from minigrad.static.graph import (
    ELEMENTWISE,
    QUESTIONS,
    Graph,
    Node,
    _node,
    broadcast,
    forward,
    get_default_graph,
    resolve,
)
from minigrad.static.session import SPECIAL, compute, needed


def rewrite(graph: Graph, fetches: list, visit, only=None) -> tuple[Graph, list]:
    """Copy a graph; ``visit`` may return another node to stand for one of the old.

    It gets the old node, and its inputs in the new graph. None stands for a copy.
    """
    new, at = Graph(), {}
    kept = {x.name for x in graph.nodes if x.op in ("placeholder", "variable")}
    new.names = dict.fromkeys(kept)  # nobody else may be called so
    with new.as_default():
        for node in graph.nodes:
            if only is None or node in only:
                if node.name in kept:
                    del new.names[node.name]
                inputs = tuple(at[x] for x in node.inputs)
                found = visit(node, inputs)
                at[node] = again(new, node, inputs) if found is None else found
    new.names = {node.name: node for node in new.nodes}
    return new, [at[x] for x in fetches]


def instead(node: Node, op: str, inputs, **params) -> Node:
    """A new node in the place of an old one: its shape, dtype, name and line."""
    like, name = (node.shape, node.dtype), node.name
    new = _node(get_default_graph(), op, inputs, params, like=like, name=name)
    new.line = node.line
    return new


def pure(node: Node) -> bool:
    """Whether a node computes one array from its inputs, and does nothing else."""
    return node.op in PRIMITIVES or node.op in QUESTIONS or node.op == "fused"


LARGE = 1024  # elements; a larger constant is not worth its memory


def fold(graph: Graph, fetches: list) -> tuple[Graph, list]:
    """Constant folding: compute now what depends on constants alone."""

    def visit(node: Node, inputs: tuple):
        if not pure(node) or any(x.op != "constant" for x in inputs):
            return None
        try:
            with np.errstate(all="ignore"):
                found = compute(node, [x.params["value"] for x in inputs], {})
        except RuntimeError:  # a size that only the run knows
            return None
        large = found.size > max([LARGE, *(x.params["value"].size for x in inputs)])
        return None if large else instead(node, "constant", (), value=np.array(found))

    return rewrite(graph, fetches, visit)


def prune(graph: Graph, fetches: list) -> tuple[Graph, list]:
    """Dead code: only what leads to a fetch stays; and what can be fed."""
    alive = {*needed(fetches), *(x for x in graph.nodes if x.op == "placeholder")}
    return rewrite(graph, fetches, lambda node, inputs: None, only=alive)


def alike(x: Node, y: Node) -> bool:
    """Whether two nodes have the same shape and dtype."""
    return x.shape == y.shape and x.dtype == y.dtype


def number(node: Node) -> float | None:
    """The one number that all elements of a constant are, or None."""
    if node.op != "constant" or not node.params["value"].size:
        return None
    flat = node.params["value"].ravel()
    return flat[0].item() if (flat == flat[0]).all() else None


def neutral(node: Node, inputs: tuple):
    """X + 0, x - 0, x * 1, x / 1 and x ** 1 are x."""
    if node.op == "power":
        return inputs[0] if node.params["exponent"] == 1 else None
    nothing = {"add": 0, "sub": 0, "mul": 1, "div": 1}.get(node.op)
    if nothing is None:
        return None
    x, y = inputs
    if number(y) == nothing and alike(x, node):
        return x
    back = node.op in ("add", "mul") and number(x) == nothing and alike(y, node)
    return y if back else None


def moved(node: Node, inputs: tuple):
    """A shape that is the old one, and what is undone again, are nothing."""
    if not inputs:
        return None
    (x, *_), op = inputs, node.op
    if op in ("reshape", "broadcast_to", "clone", "to") and alike(x, node):
        return x
    if op == x.op == "reshape":
        return instead(node, "reshape", x.inputs, **node.params)
    if op == x.op == "neg" or (op == x.op == "transpose" and _undone(x, node)):
        return x.inputs[0]
    return None


def _undone(first: Node, second: Node) -> bool:
    """Whether the second transposition takes the first one back."""
    axes = np.arange(len(first.shape))
    for node in (first, second):
        axes = (
            axes[::-1] if node.params["axes"] is None else axes[[*node.params["axes"]]]
        )
    return bool((axes == np.arange(len(axes))).all())


def spread_out(node: Node, inputs: tuple):
    """An operand need not be repeated where broadcasting will repeat it."""
    if node.op not in ELEMENTWISE or not any(x.op == "broadcast_to" for x in inputs):
        return None
    small = list(inputs)
    for k, x in enumerate(inputs):
        if x.op == "broadcast_to":
            shapes = [y.shape for j, y in enumerate(small) if j != k]
            if shapes and broadcast(x.inputs[0].shape, *shapes) == node.shape:
                small[k] = x.inputs[0]
    changed = any(x is not y for x, y in zip(small, inputs, strict=True))
    return renewed(node, small) if changed else None


def renewed(node: Node, inputs) -> Node:
    """The same operation on other inputs."""
    new = instead(node, node.op, inputs, **node.params)
    new.named = node.named
    return new


def cheaper(node: Node, inputs: tuple):
    """X ** 2 is x * x, and x + (-y) is x - y."""
    if node.op == "power" and node.params["exponent"] == 2:
        return instead(node, "mul", inputs * 2)
    if node.op == "add" and inputs[1].op == "neg":
        return instead(node, "sub", (inputs[0], *inputs[1].inputs))
    return None


def simplify(graph: Graph, fetches: list) -> tuple[Graph, list]:
    """Algebraic simplification, as far as every bit stays what it is."""

    def visit(node: Node, inputs: tuple):
        for rule in (neutral, moved, cheaper, spread_out):
            found = rule(node, inputs)
            if found is not None:  # and what it gives may be simplified again
                better = visit(found, found.inputs)
                return found if better is None else better
        return None

    return rewrite(graph, fetches, visit)


def merge(graph: Graph, fetches: list) -> tuple[Graph, list]:
    """Common sub-expressions: what would be computed twice is computed once."""
    seen: dict[tuple, Node] = {}

    def visit(node: Node, inputs: tuple):
        if not pure(node) and node.op != "constant":
            return None
        key = node.op, node.dtype, inputs, node.named, frozen(node.params)
        if key not in seen:
            seen[key] = again(get_default_graph(), node, inputs)
        return seen[key]

    return rewrite(graph, fetches, visit)


def frozen(value):
    """A parameter as something that can be compared, and looked up."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape, value.tobytes()
    if isinstance(value, dict):
        return tuple((key, frozen(part)) for key, part in value.items())
    if isinstance(value, (tuple, list)):
        return tuple(map(frozen, value))
    return type(value), repr(value) if isinstance(value, slice) else value


def groups(graph: Graph, fetches: list) -> dict[Node, list]:
    """Elementwise nodes that can run in one go, by the node with which each group ends.

    A node joins a group if all that use it belong to that group, and its shape is the
    group's.
    """
    users, last = defaultdict(set), {}
    for node in graph.nodes:
        for x in node.inputs:
            users[x].add(node)
    for node in reversed(graph.nodes):
        if node.op not in ELEMENTWISE or not node.shape:
            continue
        ends = {last.get(user) for user in users[node]}
        end = ends.pop() if len(ends) == 1 else None
        joins = end is not None and end.shape == node.shape
        last[node] = end if joins and not any(node is x for x in fetches) else node
    found = defaultdict(list)
    for node in graph.nodes:
        if node in last:
            found[last[node]].append(node)
    return {end: nodes for end, nodes in found.items() if len(nodes) > 1}


_HOLE = object()  # stands where a node has gone into a group


def fuse(graph: Graph, fetches: list) -> tuple[Graph, list]:
    """Fusion: a chain of elementwise operations becomes one node with several steps."""
    found = groups(graph, fetches)
    inner = {x: end for end, nodes in found.items() for x in nodes if x is not end}
    at: dict[Node, Node] = {}  # of the nodes outside of groups

    def visit(node: Node, inputs: tuple):
        for old, x in zip(node.inputs, inputs, strict=True):
            at[old] = x
        if node in inner:
            return _HOLE
        return together(node, found[node], at) if node in found else None

    return rewrite(graph, fetches, visit)


def together(end: Node, nodes: list, at: dict) -> Node:
    """One node for a group: its steps, and the inputs from outside."""
    outside = [x for node in nodes for x in node.inputs if x not in {*nodes}]
    outside = [*dict.fromkeys(outside)]
    number = {x: k for k, x in enumerate([*outside, *nodes])}
    steps = tuple(
        (x.op, tuple(number[y] for y in x.inputs), x.named, x.params, x.dtype)
        for x in nodes
    )
    return instead(end, "fused", [at[x] for x in outside], steps=steps)


BLOCK = 8192  # elements: a few arrays of this size stay in the cache of a core


def rooms(steps: tuple, outside: int, held: int | None = None) -> list[tuple]:
    """Where each step writes: a dtype and a number, used again when it is not needed.

    Number 0 of the last step's dtype is the result itself. If input ``held`` has the
    same memory, that is free after the last step that reads it.
    """
    last = {n: k for k, step in enumerate(steps) for n in step[1]}
    result = steps[-1][-1], 0
    free, found = [result] if held is None else [], []
    for k, (*_, dtype) in enumerate(steps[:-1]):
        for n in {n for n in steps[k][1] if n >= outside and last[n] == k}:
            free.append(found[n - outside])
        if held is not None and last[held] == k:
            free.append(result)
        fitting = [room for room in free if room[0] == dtype]
        room = fitting[0] if fitting else (dtype, len(found) + 1)
        free = [other for other in free if other != room]
        found.append(room)
    return [*found, result]


def calls(steps: tuple, arrays: list, out: np.ndarray, space):
    """The calls that compute a fused node, block after block of rows.

    ``space`` gives an array for a shape and a dtype: room for what lies between.
    """
    held = [k for k, x in enumerate(arrays) if np.may_share_memory(x, out)]
    places, shape = rooms(steps, len(arrays), *held), out.shape
    rows = min(shape[0], max(1, BLOCK // max(1, out[:1].size)))
    room = {key: space((rows, *shape[1:]), key[0]) for key in {*places} - {places[-1]}}
    for start in range(0, shape[0], max(rows, 1)):
        part = slice(start, start + rows)
        here = out[part]
        values = [x[part] if x.ndim == out.ndim and len(x) > 1 else x for x in arrays]
        for step, key in zip(steps, places, strict=True):
            target = room[key][: len(here)] if key in room else here
            yield call(step, values, target)
            values.append(target)


def call(step: tuple, values: list, out: np.ndarray):
    """One step of a fused node, on one block, as a function without arguments."""
    op, numbers, named, params, _ = step
    function, given = forward(op), [values[k] for k in numbers]
    if isinstance(function, np.ufunc):
        return partial(function, *given, out=out)
    count = len(given) - len(named)
    extra = dict(zip(named, given[count:], strict=True))
    whole = partial(function, *given[:count], **params, **extra)
    return partial(store, out, whole)


def store(out: np.ndarray, function) -> None:
    """Put a result where it belongs, for what cannot do that itself."""
    np.copyto(out, function())


def _run_fused(node: Node, arrays: list, sizes: dict) -> np.ndarray:
    """Run a fused node."""
    out = np.empty(resolve(node.shape, sizes), node.dtype)
    for one in calls(node.params["steps"], arrays, out, np.empty):
        one()
    return out


SPECIAL["fused"] = _run_fused


PASSES = (simplify, fold, merge, prune)


def optimise(graph: Graph, fetches, passes=PASSES, fused: bool = True):
    """Run passes until nothing changes, and then fuse; return graph and fetches."""
    several = isinstance(fetches, (list, tuple))
    wanted = list(fetches) if several else [fetches]
    before = None
    while before != len(graph.nodes):
        before = len(graph.nodes)
        for one in passes:
            graph, wanted = one(graph, wanted)
    if fused:
        graph, wanted = prune(*fuse(graph, wanted))
    return graph, wanted if several else wanted[0]
