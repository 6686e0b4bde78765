# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Graphs as text: JSON that holds all of a graph, and can be loaded again."""

import json

import numpy as np

from minigrad.rules import PRIMITIVES
from minigrad.static.control import Body
from minigrad.static.graph import ELEMENTWISE, Dim, Graph, Node, now


def packed(value):
    """A parameter in JSON's terms; what JSON has no word for gets a label."""
    value = now(value)
    if isinstance(value, Dim):
        return {"size": [value.owner, value.axis]}
    if isinstance(value, np.ndarray):
        kind, shape = value.dtype.name, list(value.shape)
        return {"array": value.ravel().tolist(), "dtype": kind, "shape": shape}
    if isinstance(value, np.dtype):
        return {"dtype": value.name}
    if isinstance(value, (tuple, list)):
        return {"tuple": [packed(part) for part in value]}
    if isinstance(value, dict):
        return {"table": {key: packed(part) for key, part in value.items()}}
    if isinstance(value, slice):
        return {"slice": [value.start, value.stop, value.step]}
    if value is ...:
        return {"dots": True}
    if isinstance(value, Body):
        nodes = (value.inputs, value.outputs, value.captures)
        numbers = [[x.number for x in part] for part in nodes]
        return {"body": numbers, "nodes": listed(value.graph)}
    return value.item() if isinstance(value, np.generic) else value


def listed(graph: Graph) -> list[dict]:
    """The nodes of a graph, one after the other."""
    return [
        {
            "op": x.op, "name": x.name, "inputs": [y.number for y in x.inputs],
            "params": {key: packed(v) for key, v in x.params.items()},
            "named": x.named, "line": x.line, "shape": packed(x.shape),
            "dtype": x.dtype and x.dtype.name,
        }
        for x in graph.nodes
    ]  # fmt: skip


def to_json(graph: Graph) -> str:
    """Write a graph as text; not the values of its variables, but their first ones."""
    return json.dumps({"format": "minigrad graph 1", "nodes": listed(graph)}, indent=1)


class Reader:
    """Puts a graph together again; a size that is used twice is one size."""

    def __init__(self):
        self.sizes: dict[tuple, Dim] = {}

    def value(self, packed):
        """A parameter again."""
        if not isinstance(packed, dict):
            return packed
        if "array" in packed:
            flat = np.array(packed["array"], packed["dtype"])
            return flat.reshape(packed["shape"])
        (label, found), *_ = packed.items()
        return getattr(self, f"a_{label}")(found, packed)

    def a_size(self, found, packed):
        """An unknown size."""
        return self.sizes.setdefault(tuple(found), Dim(*found))

    def a_body(self, found, packed):
        """A graph inside the graph."""
        graph = self.graph(packed["nodes"])
        parts = [[graph.nodes[k] for k in numbers] for numbers in found]
        graph.captured = {object(): x for x in parts[2]}
        return Body(graph, parts[0], parts[1])


def _graph(self, rows: list) -> Graph:
    """A graph, node by node."""
    graph = Graph()
    for row in rows:
        if row["op"] not in KNOWN:
            raise ValueError(
                f"the operation '{row['op']}' is unknown: load the file with the "
                "version that wrote it (Chapter 22)"
            )
        node = Node()
        node.graph, node.number = graph, len(graph.nodes)
        for key in ("op", "name", "named"):
            setattr(node, key, row[key])
        node.inputs = tuple(graph.nodes[k] for k in row["inputs"])
        node.params = {key: self.value(v) for key, v in row["params"].items()}
        node.shape, node.line = self.value(row["shape"]), tuple(row["line"])
        node.dtype = row["dtype"] and np.dtype(row["dtype"])
        graph.nodes.append(node)
        graph.names[node.name] = node
    return graph


KNOWN = {*PRIMITIVES, *ELEMENTWISE, "placeholder", "constant", "variable", "assign"}
KNOWN |= {"group", "cond", "while", "while_back", "item", "size", "fused"}
Reader.graph = _graph
Reader.a_dtype = lambda self, found, packed: np.dtype(found)
Reader.a_tuple = lambda self, found, packed: tuple(self.value(x) for x in found)
Reader.a_table = lambda self, found, packed: {
    key: self.value(part) for key, part in found.items()
}
Reader.a_slice = lambda self, found, packed: slice(*found)
Reader.a_dots = lambda self, found, packed: ...


def from_json(text: str) -> Graph:
    """Read what `to_json` has written."""
    try:
        found = json.loads(text)
        rows = found["nodes"]
    except (ValueError, TypeError, KeyError):
        raise ValueError(
            "this is no graph: the text must be what static.to_json has written "
            "(Chapter 22)"
        ) from None
    return Reader().graph(rows)
