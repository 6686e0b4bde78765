# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Choices and loops as nodes: what they may do is a graph inside the graph."""

from dataclasses import dataclass

import numpy as np

from minigrad.static.gradients import RULES, gradients
from minigrad.static.graph import (
    Graph,
    Node,
    _node,
    constant,
    filled,
    get_default_graph,
    home,
    told,
)
from minigrad.static.session import SPECIAL, evaluate


@dataclass(eq=False)
class Body:
    """A graph inside a graph: its inputs, its outputs, and what stands for the outside.

    ``captures`` are the placeholders for nodes of the graph around.
    """

    graph: Graph
    inputs: list
    outputs: list

    @property
    def captures(self) -> list:
        """The placeholders for nodes of the graph around it, in order."""
        return [*self.graph.captured.values()]

    def run(self, inputs, captured, sizes: dict) -> tuple:
        """Compute the outputs."""
        values = dict(zip(self.inputs, inputs, strict=True))
        values |= dict(zip(self.captures, captured, strict=True))
        return tuple(evaluate(self.outputs, values, sizes))


def trace(function, likes=()) -> Body:
    """Have a Python function build a graph of its own."""
    body = Body(Graph(outer=get_default_graph()), [], [])
    with body.graph.as_default():
        for x in likes:
            body.inputs.append(
                _node(body.graph, "placeholder", like=(x.shape, x.dtype), name="state")
            )
        found = function(*body.inputs)
        found = found if isinstance(found, (tuple, list)) else [found]
        nodes = [x if isinstance(x, Node) else constant(x) for x in found]
        body.outputs = [body.graph.capture(x) for x in nodes]
    return body


def items(graph: Graph, op: str, inputs: list, params: dict, likes: list) -> list:
    """A node that gives several arrays, and one node for each of them."""
    whole = _node(graph, op, inputs, params, like=(None, None))
    return [
        _node(graph, "item", [whole], {"k": k}, like=(x.shape, x.dtype))
        for k, x in enumerate(likes)
    ]


def share(*bodies: Body) -> list:
    """Have all bodies capture what one of them does; return the nodes outside."""
    outside = [x for body in bodies for x in body.graph.captured]
    outside = [*dict.fromkeys(outside)]
    for body in bodies:
        before = body.graph.captured
        for x in outside:
            body.graph.capture(x)
        body.graph.captured = {x: before[x] for x in outside}
    return outside


def same(one: list, other: list, what: str, line) -> None:
    """Refuse lists of nodes that differ in number, shape or dtype."""
    told_ = [[f"{x.dtype}{list(x.shape)}" for x in side] for side in (one, other)]
    if told_[0] != told_[1]:
        raise TypeError(
            f"{what}: {', '.join(told_[0])} and {', '.join(told_[1])}, {told(line)}. "
            "Reshape or cast one side (Chapter 22)"
        )


SPECIAL["item"] = lambda node, arrays, sizes: arrays[0][node.params["k"]]
RULES["item"] = lambda node, g, wanted: [(node.inputs[0], {node.params["k"]: g})]


def cond(pred: Node, true_fn, false_fn):
    """A node that runs one of two graphs; which, a node decides in the run."""
    if not isinstance(pred, Node) or pred.shape != () or pred.dtype.kind != "b":
        raise TypeError(
            "cond() wants one bool, a node of shape []: compare, and reduce first "
            "(Chapter 22)"
        )
    graph = home([pred])
    with graph.as_default():
        bodies = trace(true_fn), trace(false_fn)
        outside = share(*bodies)
        yes, no = (body.outputs for body in bodies)
        same(yes, no, "true_fn and false_fn must return the same", pred.line)
        inputs = [graph.capture(pred), *outside]
        found = items(graph, "cond", inputs, {"bodies": bodies}, yes)
    return found[0] if len(found) == 1 else tuple(found)


def _run_cond(node: Node, arrays: list, sizes: dict) -> tuple:
    """Run the body that is chosen, and not the other."""
    pred, *captured = arrays
    yes, no = node.params["bodies"]
    return (yes if pred else no).run([], captured, sizes)


SPECIAL["cond"] = _run_cond


def inline(body: Body, inputs: list, captured: list) -> list:
    """Build the nodes of a body once more, in the graph that is being built."""
    graph, at = get_default_graph(), dict(zip(body.inputs, inputs, strict=True))
    at |= dict(zip(body.captures, captured, strict=True))
    for node in body.graph.nodes:
        if node not in at:
            at[node] = again(graph, node, [at[x] for x in node.inputs])
    return [at[x] for x in body.outputs]


def again(graph: Graph, node: Node, inputs) -> Node:
    """The same operation in another graph, on other inputs."""
    like, name = (node.shape, node.dtype), node.name.removeprefix(graph.scope)
    copy = _node(graph, node.op, inputs, node.params, node.named, like=like, name=name)
    copy.line = node.line
    return copy


def pulled(body: Body, state: list, outside: list, gs: dict, wanted: list) -> list:
    """Build a body and its gradients; zeros where there are none."""
    captured = [get_default_graph().capture(x) for x in outside]
    outputs = inline(body, state, captured)
    ys = [outputs[k] for k in gs]
    xs = [([*state, *captured])[k] for k in wanted]
    found = gradients(ys, xs, [*gs.values()])
    return [filled(0, x) if d is None else d for x, d in zip(xs, found, strict=True)]


def floats(nodes: list) -> list[int]:
    """The numbers of the nodes that can have a cotangent."""
    return [k for k, x in enumerate(nodes) if x.dtype.kind == "f"]


def _cond_rule(node: Node, g: dict, wanted: set) -> list:
    """The cotangents of a choice are a choice of cotangents."""
    pred, *outside = node.inputs
    places = [k for k in floats(outside) if outside[k] in wanted]

    def side(body: Body):
        def build():
            graph = get_default_graph()
            gs = {k: graph.capture(part) for k, part in g.items()}
            return pulled(body, [], outside, gs, places)

        return build

    if not places:
        return []
    found = cond(pred, *map(side, node.params["bodies"]))
    found = found if isinstance(found, tuple) else (found,)
    return [(outside[k], d) for k, d in zip(places, found, strict=True)]


RULES["cond"] = _cond_rule


def while_loop(test, body, loop_vars):
    """Nodes for what ``loop_vars`` have become when ``test`` of them is false.

    ``test`` and ``body`` are called once, to build; ``body`` returns new loop
    variables of the same shapes and dtypes.
    """
    graph = home([x for x in loop_vars if isinstance(x, Node)])
    with graph.as_default():
        start = [x if isinstance(x, Node) else constant(x) for x in loop_vars]
        start = [graph.capture(x) for x in start]
        tests, steps = trace(test, start), trace(body, start)
        outside = share(tests, steps)
        line = start[0].line
        same(start, steps.outputs, "body must return what it was given", line)
        if [(x.shape, x.dtype.kind) for x in tests.outputs] != [((), "b")]:
            raise TypeError(
                "while_loop(): test wants to return one bool, of shape []: compare, "
                "and reduce first (Chapter 22)"
            )
        params = {"test": tests, "body": steps}
        found = items(graph, "while", [*start, *outside], params, start)
    return found[0] if len(found) == 1 else tuple(found)


def states(node: Node, arrays: list, sizes: dict) -> list[tuple]:
    """Run a loop; return its variables before each round, and at the end."""
    test, body = node.params["test"], node.params["body"]
    n = len(body.inputs)
    state, captured = tuple(arrays[:n]), arrays[n : n + len(body.captures)]
    found = [state]
    while test.run(state, captured, sizes)[0]:
        state = body.run(state, captured, sizes)
        found.append(state)
    return found


SPECIAL["while"] = lambda node, arrays, sizes: states(node, arrays, sizes)[-1]


def _while_rule(node: Node, g: dict, wanted: set) -> list:
    """One node more, which runs the loop and then the rounds backwards."""
    body = node.params["body"]
    n = len(body.inputs)
    start, outside = [*node.inputs[:n]], [*node.inputs[n:]]
    ks = floats(node.inputs)
    moving = [k for k in ks if k < n]

    def back(*given):
        gs = dict(zip(moving, given[n:], strict=True))
        return pulled(body, [*given[:n]], outside, gs, ks)

    steps = trace(back, [*start, *(start[k] for k in moving)])
    gs = [g[k] if k in g else filled(0, start[k]) for k in moving]
    params = {**node.params, "back": steps, "moving": len(moving)}
    likes = [node.inputs[k] for k in ks]
    inputs = [*node.inputs, *gs]
    found = items(get_default_graph(), "while_back", inputs, params, likes)
    pairs = zip(ks, found, strict=True)
    return [(node.inputs[k], d) for k, d in pairs if node.inputs[k] in wanted]


def _run_back(node: Node, arrays: list, sizes: dict) -> tuple:
    """Run the loop, keep all states, and go back through them."""
    m, back = node.params["moving"], node.params["back"]
    n = len(node.params["body"].inputs)
    gs, captured = arrays[len(arrays) - m :], arrays[n : len(arrays) - m]
    total = None
    for state in reversed(states(node, arrays, sizes)[:-1]):
        found = back.run([*state, *gs], captured, sizes)
        gs, more = found[:m], found[m:]
        total = (
            more if total is None else [a + b for a, b in zip(total, more, strict=True)]
        )
    if total is None:
        total = [np.zeros_like(a) for a in captured if a.dtype.kind == "f"]
    return (*gs, *total)


RULES["while"], SPECIAL["while_back"] = _while_rule, _run_back
