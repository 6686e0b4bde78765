# Generated from chapter 22 (book/ch22-static.ipynb): edit the chapter, not this.
"""State: variables, which live from run to run, and what changes them."""

from minigrad.static.graph import (
    Graph,
    Node,
    _node,
    as_array,
    get_default_graph,
    told,
)


def Variable(initial_value, name: str = "variable", dtype=None) -> Node:  # noqa: N802
    """A node whose value a session keeps. It has none before it is initialised."""
    value = as_array(initial_value, dtype)
    params, like = {"initial": value}, (value.shape, value.dtype)
    return _node(get_default_graph(), "variable", params=params, like=like, name=name)


def assign(variable: Node, value, name: str = "assign") -> Node:
    """A node that, when it runs, gives a variable a new value for the runs to come."""
    if not isinstance(variable, Node) or variable.op != "variable":
        said = variable.op if isinstance(variable, Node) else type(variable).__name__
        raise TypeError(
            f"assign() changes a variable, not a {said}: make one, static.Variable(0.0)"
            " (Chapter 22)"
        )
    graph, count = variable.graph, len(variable.graph.nodes)
    value = value if isinstance(value, Node) else constant_like(value, variable)
    if value.shape != variable.shape or value.dtype != variable.dtype:
        graph.forget(count)
        raise ValueError(
            f"'{variable.name}', {told(variable.line)}, is {variable.dtype} of shape "
            f"{list(variable.shape)}, and the new value is {value.dtype} of shape "
            f"{list(value.shape)}: reshape or cast it (Chapter 22)"
        )
    params, like = {"variable": variable.name}, (value.shape, value.dtype)
    return _node(graph, "assign", [value], params, like=like, name=name)


def constant_like(value, node: Node) -> Node:
    """A constant in the graph and in the dtype of a node."""
    array = as_array(value, node.dtype)
    like = array.shape, array.dtype
    return _node(node.graph, "constant", params={"value": array}, like=like)


def group(*nodes: Node, name: str = "group") -> Node:
    """A node that runs others, and has no value."""
    return _node(home_of(nodes), "group", nodes, like=(None, None), name=name)


def home_of(nodes) -> Graph:
    """The graph of some nodes, or the one that is being built."""
    return nodes[0].graph if nodes else get_default_graph()


def global_variables_initializer(graph: Graph | None = None) -> Node:
    """A node that gives every variable its first value."""
    graph = graph or get_default_graph()
    variables = [x for x in graph.nodes if x.op == "variable"]
    with graph.as_default():
        starts = [
            assign(v, constant_like(v.params["initial"], v), name=f"{v.name}/initial")
            for v in variables
        ]
        return group(*starts, name="initialise")
