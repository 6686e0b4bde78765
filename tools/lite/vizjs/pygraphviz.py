"""As much of pygraphviz as minigrad asks for, drawn by viz-js."""

import vizjs

if vizjs._viz is None:  # then minigrad shows the DOT text, as it does without Graphviz
    raise ImportError("no Graphviz here: await vizjs.prepare() first")


class AGraph:
    """A graph from its DOT text."""

    def __init__(self, string: str):
        self.string = string

    def draw(self, format: str = "svg", prog: str = "dot") -> bytes:
        """The drawing as bytes."""
        if prog != "dot":
            raise ValueError(f"prog must be 'dot', not {prog!r}")
        return vizjs.draw(self.string, format)
