# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""Gradients as nodes: the rules of Chapter 3, run on nodes instead of on arrays."""

from minigrad.rules import PRIMITIVES, unbroadcast
from minigrad.static.graph import Node, cast, constant, filled, home, make, told
from minigrad.static.session import needed


def fit(g: Node, x: Node) -> Node:
    """Give a cotangent the shape and the dtype of what it belongs to."""
    return cast(unbroadcast(g, x.shape), x.dtype)


def pull(node: Node, g: Node, wanted: set) -> list[tuple]:
    """Run the rules of one node: pairs of an operand and its cotangent."""
    primitive = PRIMITIVES[node.op]
    rules = primitive.rules | REWRITTEN.get(node.op, {})
    scope = {**node.params, "out": node}
    scope |= dict(zip(node.named, node.inputs[len(rules) :], strict=True))
    operands = [*zip(rules, node.inputs, strict=False)]
    for name, x in operands:
        scope |= {name: x, f"{name}_shape": x.shape}
    found = []
    for name, x in operands:
        if x in wanted:
            needs = [scope[need] for need in primitive.needs[name]]
            found.append((x, fit(rules[name](g, *needs), x)))
    return found


# two rules write into an array; on nodes, to put back is a primitive of its own
REWRITTEN = {
    "view_at": {
        "x": lambda g, x_shape, index: make(
            "put_at", g, index=index, shape=tuple(x_shape), repeats=False
        )
    },
    "put_at": {"x": lambda g, index: g[index]},
}


def gradients(ys, xs, grad_ys=None, name: str = "gradients") -> list:
    """Add nodes for the gradients of Σ ys with respect to xs; return them.

    ``grad_ys`` are cotangents of the ys, ones if not given. What no y depends on has
    the gradient None. The xs may be any nodes, and the result may be differentiated.
    """
    ys, xs = _listed(ys), _listed(xs)
    given = [None] * len(ys) if grad_ys is None else _listed(grad_ys)
    graph = home([*ys, *xs])
    before, count = graph.scope, len(graph.nodes)
    graph.scope = f"{before}{name}/"
    try:
        with graph.as_default():
            arrived = sent_back(ys, xs, given)
    except Exception:
        graph.forget(count)
        raise
    finally:
        graph.scope = before
    return [arrived.get(x) for x in xs]


def sent_back(ys: list, xs: list, given: list) -> dict:
    """Send cotangents from the ys back to the xs; return what has arrived where."""
    order, arrived = needed(ys), {}
    wanted = behind(xs, order)
    for y, g in zip(ys, given, strict=True):
        _post(arrived, y, _start(y, g))
    for node in reversed(order):
        if node in arrived and node in wanted:
            walk(node, arrived, wanted)
    return arrived


def behind(xs: list, order: list) -> set:
    """The nodes that lie between some nodes and the results: they carry cotangents."""
    found = {*xs}
    for node in order:
        carries = node.op in PRIMITIVES or node.op in RULES
        if carries and any(x in found for x in node.inputs):
            found.add(node)
    return found


def walk(node: Node, arrived: dict, wanted: set) -> None:
    """Take one node's cotangent a step back."""
    if node.op in RULES:
        pairs = RULES[node.op](node, arrived[node], wanted)
    else:
        pairs = pull(node, arrived[node], wanted) if node.inputs else []
    for x, g in pairs:
        _post(arrived, x, g)


def _post(arrived: dict, x: Node, g) -> None:
    """Add a cotangent to what has arrived; that of a tuple is a table."""
    if isinstance(g, dict):
        table = arrived.setdefault(x, {})
        for k, part in g.items():
            table[k] = table[k] + part if k in table else part
    else:
        arrived[x] = arrived[x] + g if x in arrived else g


def _no_rule(node: Node, g, wanted: set) -> list:
    """What is made of primitives afterwards cannot be differentiated any more."""
    raise RuntimeError(
        f"'{node.name}' ({node.op}), {told(node.line)}, has no rule: take gradients "
        "before the graph is optimised, and those of a loop once (Chapter 22)"
    )


# of nodes that are no primitives; choices and loops will put theirs here
RULES = {"fused": _no_rule, "while_back": _no_rule}


def _listed(nodes) -> list:
    """One node or several, as a list."""
    nodes = [*nodes] if isinstance(nodes, (list, tuple)) else [nodes]
    for node in nodes:
        if node is not None and not isinstance(node, Node):
            raise TypeError(
                f"gradients() takes nodes, and got a {type(node).__name__}: build the "
                "graph first, and run it afterwards (Chapter 22)"
            )
    return nodes


def _start(y: Node, g: Node | None) -> Node:
    """The cotangent to begin with."""
    if y.shape is None or y.dtype.kind != "f":
        raise TypeError(
            f"gradients() of '{y.name}', {told(y.line)}: {y.dtype or 'a tuple'} has no "
            "derivative; take a node of floats (Chapter 22)"
        )
    if g is None:
        return filled(1, y) if y.shape else constant(1, y.dtype)
    if g.shape != y.shape:
        raise ValueError(
            f"grad_ys has shape {list(g.shape)}, and '{y.name}', {told(y.line)}, has "
            f"shape {list(y.shape)}: give one weight for each element (Chapter 22)"
        )
    return g
