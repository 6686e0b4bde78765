# Generated from chapter 24 (book/ch24-tensorboard.ipynb): edit the chapter, not this.
"""The history behind tensors, as a GraphDef: what TensorBoard's graph page shows."""

from collections import Counter
from functools import partial

from minigrad.autograd.grad_mode import enable_grad
from minigrad.nn.modules.module import Module
from minigrad.tensor import Tensor
from minigrad.utils.drawing import reach, shapes_of


def graph_def(outputs: list[Tensor], scopes=None, names=None, shapes=None) -> list:
    """The nodes behind tensors, the farthest first, as fields of messages.

    For a node, ``scopes`` has the path of its module, ``names`` the name of a leaf, and
    ``shapes`` the shape of its result, as far as they are known.
    """
    nodes, _ = reach(outputs, 10**9)
    nodes, found = nodes[::-1], []
    known = {n: tuple(n.variable.shape) for n in nodes if hasattr(n, "variable")}
    known |= {t._node: tuple(t.shape) for t in outputs}
    known = shapes_of(nodes, known | (shapes or {}))
    called = _unique(nodes, scopes or {}, names or {})
    for node in nodes:
        came = [(called[n], k) for n, k in node.next_functions if n is not None]
        came = [name if k == 0 else f"{name}:{k}" for name, k in came]
        found.append(_node_def(called[node], _operation(node), came, known.get(node)))
    for k, t in enumerate(outputs):
        name = f"output_{k}" if k else "output"
        found.append(_node_def(name, "Output", [called[t._node]], tuple(t.shape)))
    return found


def _operation(node) -> str:
    """What a node does, by its class; a mailbox stands for its leaf."""
    return "Leaf" if hasattr(node, "variable") else node.name().rpartition(":")[2]


def _unique(nodes: list, scopes: dict, names: dict) -> dict:
    """A name for each node: the path of its module, what it does, and a number."""
    found, count = {}, Counter({"output": 1})
    for node in nodes:
        path = [*filter(None, scopes.get(node, "").split(".")), _operation(node)]
        name = "/".join(names[node].split(".") if node in names else path)
        number, count[name] = count[name], count[name] + 1
        found[node] = f"{name}_{number}" if number else name
    return found


def _node_def(name: str, operation: str, came: list[str], shape) -> dict:
    """The fields of a node."""
    attribute = None
    if shape is not None:
        sizes = {2: [{1: size} for size in shape]}
        attribute = {1: "_output_shapes", 2: {1: {7: [sizes]}}}
    return {1: name, 2: operation, 3: came, 5: attribute}


def listing(nodes: list[dict]) -> str:
    """A line for each node."""
    return "\n".join(f"{n[1]} = {n[2]}({', '.join(n[3])})" for n in nodes)


def _nodes_in(value) -> dict:
    """The nodes of the tensors in a value, and their shapes; lists are looked into."""
    if isinstance(value, Tensor):
        return {value._node: tuple(value.shape)} if value._node is not None else {}
    if isinstance(value, dict):
        value = list(value.values())
    parts = map(_nodes_in, value if isinstance(value, (tuple, list)) else ())
    return {node: shape for part in parts for node, shape in part.items()}


class _Claims:
    """Which module made which node."""

    def __init__(self):
        self.scopes, self.shapes = {}, {}

    def claim(self, path: str, module, args, kwargs, output) -> None:
        """All that lies between a module's inputs and its output is its own."""
        ends, starts = _nodes_in([args, kwargs]), _nodes_in(output)
        self.shapes |= ends | starts
        stack = list(starts)
        while stack:
            node = stack.pop()
            if node is not None and node not in ends and node not in self.scopes:
                self.scopes[node] = path
                stack += [operand for operand, _ in node.next_functions]


def model_graph(model, inputs) -> list[dict]:
    """Run a model once on inputs, and return the nodes of what it recorded."""
    if not isinstance(model, Module):
        raise AttributeError(
            f"'{type(model).__name__}' object has no attribute 'training': add_graph "
            "wants a module, or a tensor with a grad_fn (Chapter 24)"
        )
    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    inputs = [_leaf(x) for x in inputs if x is not None]
    leaves = {f"input_{k}" if k else "input": x for k, x in enumerate(inputs)}
    leaves |= dict(model.named_parameters())
    claims, hooks = _Claims(), []
    for path, module in model.named_modules():
        tell = partial(claims.claim, path)
        hooks.append(module.register_forward_hook(tell, with_kwargs=True))
    try:
        with enable_grad():
            result = model(*inputs)
    finally:
        for hook in hooks:
            hook.remove()
    names = {node: name for name, t in leaves.items() for node in _nodes_in(t)}
    return tensor_graph(result, claims.scopes, names, claims.shapes)


def _leaf(x):
    """A copy of a float tensor that is a leaf of its own; all else as it is."""
    floats = isinstance(x, Tensor) and x.is_floating_point()
    return x.detach().clone().requires_grad_() if floats else x


def tensor_graph(result, *known) -> list[dict]:
    """The nodes behind a tensor, or behind several."""
    outputs = _tensors(result)
    if not outputs:
        raise RuntimeError(
            "add_graph: nothing was recorded on the way to the output, so there is no "
            "graph. Give float inputs, or parameters that require grad (Chapter 24)"
        )
    return graph_def(outputs, *known)


def _tensors(value) -> list[Tensor]:
    """The tensors in a value that have a history."""
    if isinstance(value, Tensor):
        return [value] if value._node is not None else []
    value = list(value.values()) if isinstance(value, dict) else value
    parts = map(_tensors, value if isinstance(value, (tuple, list)) else ())
    return [t for part in parts for t in part]
