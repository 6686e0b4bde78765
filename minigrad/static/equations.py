# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""The graph of a trace as a list of equations, as JAX prints them."""

from minigrad.static.graph import Graph
from minigrad.static.session import needed


class Lambda(Graph):
    """The graph of a trace; it prints as a list of equations, as JAX has them."""

    def __repr__(self) -> str:
        names, said = {}, set()
        lines = [
            equations(part, names, said) for part in self.parts if part[1:] != ([], [])
        ]
        return "\n".join(lines)


def equations(part: tuple, names: dict, said: set) -> str:
    """A part of a graph: what it is given, an equation for each node, what it gives."""
    inputs, ends, changes = part
    names |= {x: x.name for x in inputs}
    given = " ".join(f"{x.name}:{x.dtype}{list(x.shape)}" for x in inputs)
    lines = [f"{{ lambda {given} . let"]
    for node in needed([*ends, *(value for _, value in changes)]):
        if node.op == "constant" and node.params["value"].size == 1:
            names[node] = f"{node.params['value'].item():g}"
        elif node not in names:
            names[node] = letters(len(said))
            said.add(node)
            lines.append(f"    {equation(node, names)}")
    found = [names[x] for x in ends]
    found += [f"{names[x]} := {names[value]}" for x, value in changes]
    return "\n".join([*lines, f"  in ({', '.join(found)}) }}"])


def letters(k: int) -> str:
    """A, b, …, z, aa, ab, …: names for results."""
    return (letters(k // 26 - 1) if k > 25 else "") + chr(97 + k % 26)


def equation(node, names: dict) -> str:
    """What computes a node, in one line."""
    op, params = node.op, dict(node.params)
    if op == "call":
        function = params["function"]
        op, params = getattr(function, "__name__", "call"), {}
    if op in ("constant", "drawn"):
        params = {}
    params = {k: v for k, v in params.items() if v is not None and v is not False}
    told = [f"{k}={v}" for k, v in params.items()]
    told = f"[{' '.join(told)}]" if told else ""
    given = "".join(f" {names[x]}" for x in node.inputs)
    return f"{names[node]}:{node.dtype}{list(node.shape)} = {op}{told}{given}"
