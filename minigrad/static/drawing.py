# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Graphs of nodes, drawn as Chapter 6 draws histories."""

from minigrad.static.graph import Graph, Node
from minigrad.utils import drawing as pictures

LOOKS = {"placeholder": "leaf", "variable": "parameter", "constant": "saved"}


def draw(*graphs: Graph, fetches=(), titles=()) -> pictures.Drawing:
    """Draw graphs side by side; of each, its fetches are lit. Arrays flow downwards.

    ``fetches`` holds a list of nodes for each graph, ``titles`` a line of text.
    """
    plan = pictures.Plan()
    for k, graph in enumerate(graphs):
        if titles:
            plan.shapes[f"title{k}"] = pictures.Shape("cut", [titles[k]])
        wanted = {*fetches[k]} if fetches else set()
        for node in graph.nodes:
            key = f"g{k}n{node.number}"
            kind = LOOKS.get(node.op, "operation")
            plan.shapes[key] = pictures.Shape(kind, words(node), node in wanted or None)
            for x in node.inputs:
                plan.lines.append(pictures.Line(f"g{k}n{x.number}", key, "next"))
    return pictures.Drawing(plan, " and ".join(titles) or "a static graph")


def words(node: Node) -> list[str]:
    """What is written in the shape of a node."""
    if node.op == "constant" and node.params["value"].size == 1:
        return [f"{node.params['value'].item():.4g}"]
    if node.op == "fused":
        return ["fused", " ".join(step[0] for step in node.params["steps"])]
    name = node.name if node.op in LOOKS else node.op
    size = "×".join(map(str, node.shape or ()))
    return [name, size] if size else [name]
