# Generated from chapter 6 (book/ch06-graph.ipynb): edit the chapter, not this.
"""Drawing a graph: what a history holds, as DOT text and as SVG for the page.

A `Plan` is what is to be drawn: shapes, and lines between them. `survey` makes one
by walking from tensors along ``next_functions``. `dot` writes it in the language of
Graphviz, which is asked for one thing only, where to put the shapes. The picture is
then drawn here, in the colours and typefaces of the page that shows it.
"""

import html
from collections import Counter, defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import numpy as np

from minigrad.tensor import AccumulateGrad, Node, Tensor


@dataclass
class Shape:
    """One shape of a drawing: its kind (see `KINDS`), and lines of text in it."""

    kind: str
    text: list[str]
    lit: bool | None = None  # None: nobody asked for light
    room: int = 0  # letters of one more line, which the player fills


@dataclass
class Line:
    """A line between two shapes; its kind is a key of `LINES`."""

    tail: str
    head: str
    kind: str
    lit: bool | None = None


@dataclass
class Plan:
    """What is to be drawn: shapes by key, lines; for nodes their keys and names."""

    shapes: dict[str, Shape] = field(default_factory=dict)
    lines: list[Line] = field(default_factory=list)
    keys: dict[Node, str] = field(default_factory=dict)
    names: dict[Node, str] = field(default_factory=dict)


KINDS = {  # for each kind of shape: what Graphviz calls it, and which colour it has
    "operation": ("box style=rounded", 0),
    "mailbox": ("invhouse", 5),
    "leaf": ("box", 2),
    "parameter": ("octagon", 3),
    "saved": ("note", 4),
    "freed": ("note style=dashed", 5),
    "cut": ("plaintext", 5),
}
LINES = {
    "next": "",
    "leaf": "dir=none",
    "saved": "style=dashed dir=none constraint=false",
    "cut": "style=dotted",
}
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9a6700", "#6e7781")
LETTER, ROW, MARGIN = 7.9, 17, 14  # in pixels: width of a letter, height of a line


def size(shape: Shape) -> tuple[float, float]:
    """Width and height of a shape, from its letters: no font is asked."""
    letters = max(shape.room, *map(len, shape.text), 1)
    rows = len(shape.text) + (shape.room > 0) + 0.6 * (shape.kind == "mailbox")
    return LETTER * letters + 2 * MARGIN, ROW * rows + MARGIN


def dot(plan: Plan, labels: bool = True) -> str:
    """Write a plan as DOT; without labels it is what the layout needs and no more."""
    rows = ["digraph {", "  bgcolor=transparent nodesep=0.3 ranksep=0.35"]
    rows += ["  node [fixedsize=true fontname=Helvetica fontsize=13]"]
    rows += ["  edge [arrowsize=0.8]"]
    for key, shape in plan.shapes.items():
        (form, colour), (width, height) = KINDS[shape.kind], size(shape)
        look = 'label="" shape=box'
        if labels:
            look = f'label={_quoted(shape.text)} shape={form} color="{COLOURS[colour]}"'
        rows.append(f"  {key} [{look} width={width / 72:.3f} height={height / 72:.3f}]")
    beside: dict[str, str] = {}  # a saved value stands beside the first that keeps it
    for line in plan.lines:
        rows.append(f"  {line.tail} -> {line.head} [{LINES[line.kind]}]")
        if line.kind == "saved" and line.head.startswith("s"):
            beside.setdefault(line.head, line.tail)
    rows += [f"  {{rank=same {tail} {head}}}" for head, tail in beside.items()]
    return "\n".join([*rows, "}\n"])


def _quoted(text: list[str]) -> str:
    """Lines of text as a string in DOT."""
    lines = (line.replace("\\", r"\\").replace('"', r"\"") for line in text)
    return '"' + r"\n".join(lines) + '"'


NO_GRAPHVIZ = """\
a drawing needs Graphviz to say where everything goes, and there is none here. Either
    pip install pygraphviz    (it brings Graphviz along), or
    pip install graphviz      (it uses the program `dot` of your system).
Here is the graph as DOT text, which any Graphviz can draw:

"""


def graphviz(plan: Plan, form: str, labels: bool = True) -> bytes:
    """Have Graphviz turn a plan into ``form``: "plain", "pdf", "png" and others.

    Raises RuntimeError, which quotes the DOT text, where there is no Graphviz.
    """
    source = dot(plan, labels)
    try:
        from pygraphviz import AGraph
    except ImportError:
        pass
    else:
        return AGraph(string=source).draw(format=form, prog="dot")
    try:
        from graphviz import ExecutableNotFound, Source
    except ImportError:
        raise RuntimeError(NO_GRAPHVIZ + dot(plan)) from None
    try:
        return Source(source).pipe(format=form)
    except ExecutableNotFound:
        raise RuntimeError(NO_GRAPHVIZ + dot(plan)) from None


def layout(plan: Plan) -> tuple[tuple, dict, dict]:
    """Ask where everything goes, in pixels from the upper left corner.

    Returns width and height, the centre of each shape, and for each pair of shapes
    the control points of the curves between them.
    """
    rows = graphviz(plan, "plain", labels=False).decode().splitlines()
    width, height = (72 * float(number) for number in rows[0].split()[2:])
    centres, curves = {}, defaultdict(list)

    def points(numbers: list[str]) -> list[tuple]:
        places = [72 * float(number) for number in numbers]
        pairs = zip(places[::2], places[1::2], strict=True)
        return [(x, height - y) for x, y in pairs]

    for row in rows:
        kind, *fields = row.split()
        if kind == "node":
            (centres[fields[0]],) = points(fields[1:3])
        elif kind == "edge":
            tail, head, count = fields[:3]
            curves[tail, head].append(points(fields[3 : 3 + 2 * int(count)]))
    return (width, height), centres, curves


def outline(kind: str, x: float, y: float, width: float, height: float) -> str:
    """Return the outline of a shape around (x, y), as the data of an SVG path."""
    c = 9  # how much of a corner is rounded, cut off or folded
    left, right = x - width / 2, x + width / 2
    top, bottom = y - height / 2, y + height / 2
    corners = [(left, top), (right, top), (right, bottom), (left, bottom)]
    if kind == "mailbox":
        corners[2:] = [(right, bottom - c), (x, bottom), (left, bottom - c)]
    elif kind in ("saved", "freed"):
        corners[1:2] = [(right - c, top), (right, top + c)]
    elif kind in ("operation", "parameter"):
        corners = [(left, top + c), (left + c, top), (right - c, top)]
        corners += [(right, top + c), (right, bottom - c), (right - c, bottom)]
        corners += [(left + c, bottom), (left, bottom - c)]
    turn = f"A{c},{c} 0 0 1 " if kind == "operation" else "L"
    first, *rest = (f"{a:.1f},{b:.1f}" for a, b in corners)
    steps = [(turn, "L")[k % 2] + place for k, place in enumerate(rest)]
    fold = f"M{right - c:.1f},{top:.1f}V{top + c:.1f}H{right:.1f}"
    return f"M{first}{''.join(steps)}Z{fold if kind in ('saved', 'freed') else ''}"


def _shape_svg(key: str, shape: Shape, x: float, y: float) -> str:
    """Draw a shape with its text."""
    colour = KINDS[shape.kind][1]
    parts = []
    if shape.kind != "cut":
        parts.append(f'<path d="{outline(shape.kind, x, y, *size(shape))}"/>')
    text = [*shape.text, *[""] * (shape.room > 0)]
    first = y - ROW * (len(text) - 1) / 2 + (0 if shape.kind == "mailbox" else 4.5)
    for k, line in enumerate(text):
        name = ' class="mg-name"' if k == 0 and shape.kind == "operation" else ""
        name = name if k < len(shape.text) else ' class="mg-sum"'
        place = f'x="{x:.1f}" y="{first + ROW * k:.1f}"'
        parts.append(f"<text {place}{name}>{html.escape(line)}</text>")
    paint = f"--c:var(--fig-{colour},{COLOURS[colour]})"
    light = {None: "", True: " mg-lit", False: " mg-dim"}[shape.lit]
    opening = f'<g class="mg-{shape.kind}{light}" data-key="{key}" style="{paint}">'
    return f"{opening}{''.join(parts)}</g>"


def _line_svg(line: Line, points: list[tuple], number: int, live: bool) -> str:
    """Draw a line, with an arrowhead if cotangents travel along it.

    In a live drawing there is room beside it for a text, which the player fills; of
    parallel lines the first (``number`` 0) has it on the left.
    """
    start, *rest = (f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [f'<path d="M{start}C{" ".join(rest)}"/>']
    if line.kind in ("next", "cut"):
        (x0, y0), (x, y) = points[-2:]
        length = np.hypot(x - x0, y - y0) or 1.0
        dx, dy = (x - x0) / length, (y - y0) / length
        corners = [(x + 8 * dx, y + 8 * dy), (x - 3.4 * dy, y + 3.4 * dx)]
        corners += [(x + 3.4 * dy, y - 3.4 * dx)]
        head = "L".join(f"{a:.1f},{b:.1f}" for a, b in corners)
        parts.append(f'<path class="mg-head" d="M{head}Z"/>')
    if live:
        x, y = np.mean(points, axis=0)
        side = ' style="text-anchor:end"' if number == 0 else ""
        x += 8 if number else -8
        parts.append(f'<text class="mg-label" x="{x:.1f}" y="{y + 4:.1f}"{side}/>')
    light = {None: "", True: " mg-lit", False: " mg-dim"}[line.lit]
    return f'<g class="mg-line mg-{line.kind}{light}">{"".join(parts)}</g>'


LOOK = """\
.mg-graph text{fill:currentColor;font-size:13px;text-anchor:middle}
.mg-graph .mg-name{font-weight:600}
.mg-graph path{fill:none;stroke:currentColor;stroke-width:1.2}
.mg-graph [data-key] path{fill:var(--c);fill-opacity:.1;stroke:var(--c)}
.mg-graph [data-key] path{stroke-width:1.6}
.mg-graph .mg-freed path{stroke-dasharray:4 3}
.mg-graph .mg-line .mg-head{fill:currentColor;stroke:none}
.mg-graph .mg-line.mg-saved path{stroke-dasharray:4 3;opacity:.75}
.mg-graph .mg-line.mg-cut path{stroke-dasharray:1 3}
.mg-graph .mg-dim{opacity:.4}
.mg-graph .mg-lit path{stroke-width:2.8}
.mg-graph .mg-line.mg-lit path{stroke:var(--fig-1,#d55e00)}
.mg-graph .mg-line.mg-lit .mg-head{fill:var(--fig-1,#d55e00);stroke:none}
"""


def svg(plan: Plan, live: bool = False) -> str:
    """Draw a plan as an ``<svg>`` element; ``live`` leaves room for the player."""
    (width, height), centres, curves = layout(plan)
    parts, drawn = [], Counter()
    for line in plan.lines:
        pair = line.tail, line.head
        number = drawn[pair] if len(curves[pair]) > 1 else 1
        parts.append(_line_svg(line, curves[pair][drawn[pair]], number, live))
        drawn[pair] += 1
    parts += [_shape_svg(key, s, *centres[key]) for key, s in plan.shapes.items()]
    font = "var(--bk-sans,var(--jp-ui-font-family,sans-serif))"
    style = f"width:100%;max-width:{width + 6:.0f}px;height:auto;font-family:{font}"
    box = f'viewBox="-3 -3 {width + 6:.0f} {height + 6:.0f}" style="{style}"'
    opening = f'<svg class="mg-graph" xmlns="http://www.w3.org/2000/svg" {box}>'
    return "\n".join([opening, f"<style>\n{LOOK}</style>", *parts, "</svg>"])


def in_words(plan: Plan) -> list[str]:
    """Say what is drawn: one line for each operation, in the order of the walk."""
    rows = []
    heads: dict[tuple, list[str]] = defaultdict(list)
    for line in plan.lines:
        head = plan.shapes[line.head]
        if head.kind == "mailbox":  # it speaks for its leaf
            head = plan.shapes[leaf_key(line.head)]
        heads[line.tail, line.kind].append(" ".join(head.text))
    for key, shape in plan.shapes.items():
        if shape.kind == "operation":
            goes = [*heads[key, "next"], *heads[key, "cut"]]
            row = f"{' '.join(shape.text)} → {', '.join(goes)}"
            kept = heads[key, "saved"]
            rows.append(row + (f"; keeps {', '.join(kept)}" if kept else ""))
    lit = [s for s in plan.shapes.values() if s.lit and s.kind != "mailbox"]
    if any(shape.lit is not None for shape in plan.shapes.values()):
        way = ", ".join(" ".join(s.text) for s in lit)
        rows.append(f"Lit: {way or 'nothing, for no way leads there'}")
    return rows


def counted(plan: Plan) -> str:
    """Say how many shapes of each kind there are."""
    count = Counter(shape.kind for shape in plan.shapes.values())
    words = {"operation": ("operation", "operations"), "leaf": ("leaf", "leaves")}
    words |= {"parameter": ("parameter", "parameters")}
    words |= {"saved": ("saved array", "saved arrays")}
    found = [
        f"{count[kind]} {forms[count[kind] > 1]}"
        for kind, forms in words.items()
        if count[kind]
    ]
    return ", ".join(found)


class Drawing:
    """A drawing of a graph. It shows itself in Jupyter; ``source`` is its DOT text."""

    def __init__(self, plan: Plan, title: str):
        self.plan, self.title, self.source = plan, title, dot(plan)

    @cached_property
    def html(self) -> str:
        """The picture, an ``<svg>`` element. Raises RuntimeError without Graphviz."""
        return svg(self.plan)

    def save(self, path) -> None:
        """Write a file: .svg, .gv (the DOT text), or what else Graphviz can write."""
        path, form = Path(path), Path(path).suffix.removeprefix(".")
        own = {"svg": self._labelled, "gv": lambda: self.source}
        if form in own:
            path.write_text(own[form](), encoding="utf-8")
        else:
            path.write_bytes(graphviz(self.plan, form))

    def __repr__(self) -> str:
        heading = f"Graph of {self.title}: {counted(self.plan)}"
        return "\n  ".join([heading, *in_words(self.plan)])

    def _labelled(self) -> str:
        label = html.escape(". ".join(repr(self).split("\n  ")))
        return self.html.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        try:
            return {"text/html": self._labelled(), "text/plain": repr(self)}
        except RuntimeError as error:  # no Graphviz
            return {"text/plain": str(error)}


ENOUGH = 200_000  # of a larger graph nobody wants to know the exact size


def reach(tensors: list[Tensor], most: int) -> tuple[list[Node], int]:
    """Return the nodes behind some tensors, nearest first, and how many more there are.

    At most ``most`` nodes are returned, and counting stops at about `ENOUGH`.
    """
    found = dict.fromkeys(t._node for t in tensors if t._node is not None)
    queue = deque(found)
    while queue and len(found) < ENOUGH:
        for node, _ in queue.popleft().next_functions:
            if node is not None and node not in found:
                found[node] = None
                queue.append(node)
    nodes = list(found)
    return nodes[:most], len(nodes[most:])


def brief(array, most: int = 3) -> str:
    """Write out the numbers of a small array, and of a larger one the shape."""

    def text(value) -> str:
        if isinstance(value, list):
            return f"[{', '.join(map(text, value))}]"
        return f"{value + 0.0:.4g}"  # + 0.0 makes a plain zero of -0.0

    array = np.asarray(array)
    return text(array.tolist()) if array.size <= most else f"array {array.shape}"


def is_array(value) -> bool:
    """Whether a slot of a node holds numbers: not None, and not freed (Chapter 7)."""
    return isinstance(value, (np.ndarray, np.generic))


class Sight:
    """What a drawing tells of tensors: names, shapes, numbers and gradients."""

    def __init__(self, names: dict[str, Tensor], values=False, gradients=False):
        self.values, self.gradients = values, gradients
        self.tensors = {t._node: (name, t) for name, t in reversed(names.items())}
        self.tensors.pop(None, None)
        self.arrays = {id(t._array): name for name, t in reversed(names.items())}

    def name(self, tensor: Tensor) -> str:
        """The first name of a tensor; empty if it has none."""
        if tensor._node is None:
            return self.arrays.get(id(tensor._array), "")
        return self.tensors.get(tensor._node, ("", None))[0]

    def describe(self, name: str, shape, array=None, gradient=None) -> list[str]:
        """Lines of text: name and shape, the numbers, the gradient."""
        words = f"{name} {'' if shape is None else tuple(shape)}".strip()
        text = [words] if words else []
        if self.values and is_array(array):
            text.append(brief(array))
        if self.gradients and gradient is not None:
            text.append(f"grad {brief(gradient._array)}")
        return text


def shapes_of(nodes: list[Node], known: dict[Node, tuple]) -> dict[Node, tuple]:
    """Return the shapes of the nodes' results, as far as anybody still knows them.

    ``known`` are those of which somebody holds the tensor. Of the others the node
    may have saved its result, or the operation that used it knows.
    """
    known = dict(known)
    for node in nodes:
        if is_array(out := getattr(node, "out", None)):
            known.setdefault(node, out.shape)
        primitive = getattr(node, "primitive", None)
        own = not hasattr(primitive, "forward")  # its rule is a user's (Chapter 16)
        for k, name in enumerate(() if own else primitive.rules):
            operand = getattr(node, node.links[k])
            shape = _operand_shape(node, k, name, known.get(node))
            if operand is not None and shape is not None:
                known.setdefault(operand, shape)
    return known


def _operand_shape(node: Node, k: int, name: str, result: tuple | None):
    """What a node remembers of the shape of operand ``k``, which is called ``name``."""
    array = getattr(node, name, None)
    if is_array(array):
        return array.shape
    if fitted := getattr(node, f"fit{k}", None):
        return fitted[0]
    elementwise = isinstance(node.primitive.forward, np.ufunc)
    return getattr(node, f"{name}_shape", result if elementwise else None)


def _leaf(tensor: Tensor, sight: Sight) -> Shape:
    """A leaf, or a module's parameter (Chapter 17 has the class)."""
    classes = {kind.__name__ for kind in type(tensor).__mro__}
    kind, array = "parameter" if "Parameter" in classes else "leaf", tensor._array
    text = sight.describe(sight.name(tensor), array.shape, array, tensor._grad)
    return Shape(kind, text)


def _operation(node: Node, shape: tuple | None, sight: Sight) -> Shape:
    """A node, with what is known of the tensor that it made."""
    name, tensor = sight.tensors.get(node, ("", None))
    array, gradient = getattr(node, "out", None), None
    if tensor is not None:
        array, gradient = tensor._array, tensor._grad
    text = sight.describe(name, shape, array, gradient)
    return Shape("operation", [node.name().rpartition(":")[2], *text])


def survey(tensors: list[Tensor], sight: Sight, saved: bool, most: int) -> Plan:
    """Walk the graph behind some tensors, and plan a drawing of it.

    Of a graph with more than ``most`` nodes only the nearest are drawn, and a note
    tells how many are not.
    """
    plan, (nodes, more) = Plan(), reach(tensors, most)
    plan.keys = {node: f"n{k}" for k, node in enumerate(nodes)}
    plan.names = {node: name for node, (name, _) in sight.tensors.items()}
    held = [*tensors, *(tensor for _, tensor in sight.tensors.values())]
    shapes = shapes_of(nodes, {t._node: t._array.shape for t in held})
    for node, key in plan.keys.items():
        if isinstance(node, AccumulateGrad):
            plan.shapes[key] = Shape("mailbox", ["AccumulateGrad"])
            plan.shapes[leaf_key(key)] = _leaf(node.variable, sight)
        else:
            plan.shapes[key] = _operation(node, shapes.get(node), sight)
    for k, tensor in enumerate(t for t in tensors if t._node is None):
        plan.shapes[f"c{k}"] = _leaf(tensor, sight)
    if more:
        count = f"{more:,}" if len(nodes) + more < ENOUGH else f"over {ENOUGH:,}"
        plan.shapes["cut"] = Shape("cut", [f"… {count} more nodes"])
    _add_lines(plan)
    if saved:
        _add_saved(plan, sight)
    return plan


def leaf_key(key: str) -> str:
    """The key of the leaf whose mailbox has this key."""
    return f"v{key.removeprefix('n')}"


def _add_lines(plan: Plan) -> None:
    """Add the lines to the nodes of the operands, and from each mailbox to its leaf."""
    for node, key in plan.keys.items():
        if isinstance(node, AccumulateGrad):
            plan.lines.append(Line(key, leaf_key(key), "leaf"))
        heads = [plan.keys.get(n) for n, _ in node.next_functions if n is not None]
        plan.lines += [Line(key, head, "next") for head in heads if head]
        if None in heads:
            plan.lines.append(Line(key, "cut", "cut"))


def _add_saved(plan: Plan, sight: Sight) -> None:
    """Add what the nodes keep: one shape for an array, a line from each keeper."""
    places = {
        id(node.array): leaf_key(key)
        for node, key in plan.keys.items()
        if isinstance(node, AccumulateGrad)
    }
    for node, key in plan.keys.items():
        for role in node.saves:
            array = getattr(node, role, None)
            if array is None:
                continue
            shape = _saved(node, role, array, sight)
            alone = shape.kind == "freed" or _is_number(node, role, array, sight)
            place = (key, role) if alone else id(array)
            if place not in places:
                places[place] = f"s{len(places)}"
                plan.shapes[places[place]] = shape
            line = Line(key, places[place], "saved")
            if line not in plan.lines:
                plan.lines.append(line)


def _saved(node: Node, role: str, array, sight: Sight) -> Shape:
    """A saved value, by its name if somebody holds it, else by the part it plays."""
    if not is_array(array):
        return Shape("freed", ["freed"])
    if _is_number(node, role, array, sight):
        return Shape("saved", [brief(array)])
    name = sight.arrays.get(id(array), "result" if role == "out" else "operand")
    return Shape("saved", sight.describe(name, array.shape, array))


def _is_number(node: Node, role: str, array, sight: Sight) -> bool:
    """Whether a saved value is a number that stood in the program, as in ``2 * x``."""
    primitive = getattr(node, "primitive", None)
    if primitive is None or role not in primitive.rules or np.ndim(array):
        return False
    link = node.links[[*primitive.rules].index(role)]
    return getattr(node, link) is None and id(array) not in sight.arrays


def names_of(given: dict | None, frame) -> dict[str, Tensor]:
    """Name tensors: those that were given, then the variables of the calling code."""
    names = dict(given or {})
    as_list(names.values())
    for scope in (frame.f_locals, frame.f_globals):
        for name, value in scope.items():
            if isinstance(value, Tensor) and name[0].isalpha():
                names.setdefault(name, value)
    return names


def as_list(tensors) -> list[Tensor]:
    """One tensor or several, as a list; TypeError for anything else."""
    several = isinstance(tensors, Iterable) and not isinstance(tensors, Tensor)
    tensors = list(tensors) if several else [tensors]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(
                f"tensors must be Tensors, but got {kind}: give the result of an "
                "operation, such as loss (Chapter 6)"
            )
    return tensors


def light(plan: Plan, targets: list[Tensor]) -> None:
    """Light all that a cotangent passes on its way to some tensors; dim the rest."""
    users = defaultdict(list)
    for line in plan.lines:
        users[line.head].append(line.tail)
    stack = [plan.keys[t._node] for t in targets if t._node in plan.keys]
    lit = {*stack, *map(leaf_key, stack)}
    while stack:
        for key in users[stack.pop()]:
            if key not in lit:
                lit.add(key)
                stack.append(key)
    for key, shape in plan.shapes.items():
        shape.lit = key in lit
    for line in plan.lines:
        on_the_way = line.kind in ("next", "leaf")
        line.lit = on_the_way and line.tail in lit and line.head in lit
