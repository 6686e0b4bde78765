# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Sessions: they run a graph, and keep the values of its variables."""

import numpy as np

from minigrad.static.graph import (
    Dim,
    Graph,
    Node,
    forward,
    get_default_graph,
    now,
    resolve,
    told,
)
from minigrad.tensor import Tensor


def needed(fetches: list, known=()) -> list[Node]:
    """The nodes that must run for some others, in order; ``known`` need not."""
    found, stack = set(), [x for x in fetches if x not in known]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += [x for x in node.inputs if x not in known]
    return sorted(found, key=lambda node: node.number)


def compute(node: Node, arrays: list, sizes: dict):
    """Run one operation on arrays."""
    if node.op in SPECIAL:
        return SPECIAL[node.op](node, arrays, sizes)
    count = len(arrays) - len(node.named)
    extra = dict(zip(node.named, arrays[count:], strict=True))
    params = resolve(node.params, sizes)
    return forward(node.op)(*arrays[:count], **params, **extra)


SPECIAL = {
    "constant": lambda node, arrays, sizes: node.params["value"],
    "assign": lambda node, arrays, sizes: arrays[0],
    "group": lambda node, arrays, sizes: None,
}


def evaluate(fetches: list, values: dict, sizes: dict) -> list:
    """Run what some nodes need, and return their arrays; ``values`` grows."""
    with np.errstate(all="ignore"):
        for node in needed(fetches, values):
            arrays = [values[x] for x in node.inputs]
            try:
                values[node] = compute(node, arrays, sizes)
            except Exception as error:
                raise traced(error, node) from None
    return [values[x] for x in fetches]


def traced(error: Exception, node: Node) -> Exception:
    """An error of the run, with the line of your program that built the node."""
    if str(error).endswith("(Chapter 22)"):
        return error
    return RuntimeError(
        f"{type(error).__name__}: {error}; in '{node.name}', {told(node.line)}: feed "
        "what fits (Chapter 22)"
    )


class Session:
    """Runs the nodes of one graph. ``values`` holds its variables, by name."""

    def __init__(self, graph: Graph | None = None):
        self.graph, self.values = graph or get_default_graph(), {}

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def run(self, fetches, feed_dict: dict | None = None):
        """Compute nodes (one, or a list, tuple or dict of them; or their names).

        ``feed_dict`` gives each placeholder that is needed its value. Reads see what a
        variable was before the run; what is assigned is there after it, and only if
        nothing failed.
        """
        if isinstance(fetches, dict):
            found = self.run([*fetches.values()], feed_dict)
            return dict(zip(fetches, found, strict=True))
        several = isinstance(fetches, (list, tuple))
        nodes = [self.find(x) for x in (fetches if several else [fetches])]
        feeds, sizes = self.fed(feed_dict or {})
        found = self.execute(nodes, feeds, sizes)
        return type(fetches)(found) if several else found[0]


def _execute(self, nodes: list, feeds: dict, sizes: dict) -> list:
    """Run nodes, then take over what was assigned."""
    order = needed(nodes, feeds)
    self.check(order, feeds)
    values = dict(feeds)
    values |= {x: self.values[x.name] for x in order if x.op == "variable"}
    found = evaluate(nodes, values, sizes)
    for node in order:
        if node.op == "assign":
            self.values[node.params["variable"]] = np.array(values[node])
    return [None if x is None else np.array(x) for x in found]


def _find(self, fetch) -> Node:
    """A node of this graph, given itself or by its name."""
    node = self.graph[fetch] if isinstance(fetch, str) else fetch
    if not isinstance(node, Node):
        raise TypeError(
            f"Fetch argument {fetch!r} has invalid type {type(fetch).__name__}: give a "
            "node, or the name of one (Chapter 22)"
        )
    if node.graph is not self.graph:
        raise ValueError(
            f"'{node.name}', {told(node.line)}, is not an element of the graph of this "
            "session: open one with Session(graph) (Chapter 22)"
        )
    return node


Session.execute, Session.find = _execute, _find


def _check_run(self, order: list, feeds: dict) -> None:
    """Refuse to start without a feed, without a first value, or with two new ones."""
    assigned = set()
    for node in order:
        if node.op == "placeholder" and node not in feeds:
            raise RuntimeError(
                f"You must feed a value for placeholder '{node.name}' with dtype "
                f"{node.dtype} and shape {list(node.shape)}, {told(node.line)}: "
                "run(…, feed_dict={…}) (Chapter 22)"
            )
        if node.op == "variable" and node.name not in self.values:
            raise RuntimeError(
                f"Attempting to use uninitialized value '{node.name}', "
                f"{told(node.line)}: run global_variables_initializer() first "
                "(Chapter 22)"
            )
        if node.op == "assign":
            name = node.params["variable"]
            if name in assigned:
                raise RuntimeError(
                    f"two nodes of one run assign to '{name}': run them one after the "
                    "other (Chapter 22)"
                )
            assigned.add(name)


def _fed(self, feed_dict: dict) -> tuple[dict, dict]:
    """The arrays of the placeholders, and the sizes that are known with them."""
    feeds, sizes = {}, {}
    for key, value in feed_dict.items():
        node = self.find(key)
        if node.op != "placeholder":
            raise TypeError(
                f"'{node.name}', {told(node.line)}, is no placeholder, and cannot be "
                "fed: assign() changes a variable (Chapter 22)"
            )
        value = value.detach().numpy() if isinstance(value, Tensor) else value
        array = np.asarray(value)
        if np.result_type(array.dtype, node.dtype).kind != node.dtype.kind:
            raise TypeError(
                f"Cannot feed value of dtype {array.dtype} for placeholder "
                f"'{node.name}', which has dtype {node.dtype}: convert it with astype "
                "(Chapter 22)"
            )
        self.measure(node, array.shape, sizes)
        feeds[node] = array.astype(node.dtype, copy=False)
    return feeds, sizes


def _measure(self, node: Node, shape: tuple, sizes: dict) -> None:
    """Compare the shape of a feed with that of its placeholder; note unknown sizes."""
    wanted = [sizes.get(now(n), now(n)) for n in node.shape]
    unknown = {n: m for n, m in zip(wanted, shape, strict=False) if isinstance(n, Dim)}
    if len(wanted) != len(shape) or [unknown.get(n, n) for n in wanted] != [*shape]:
        raise ValueError(
            f"Cannot feed value of shape {tuple(shape)} for placeholder '{node.name}', "
            f"which has shape {wanted}, {told(node.line)}: reshape the value, or the "
            "placeholder (Chapter 22)"
        )
    sizes.update(unknown)


Session.check, Session.fed, Session.measure = _check_run, _fed, _measure
