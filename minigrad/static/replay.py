# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""Replay: a graph as a straight line of Python, which writes into memory of its own."""

import builtins
import linecache
from functools import partial

import numpy as np

from minigrad.static.graph import Node, forward
from minigrad.static.plan import VIEWS, last_uses
from minigrad.static.session import SPECIAL, compute, needed

EXTREMES = np.maximum, np.minimum  # they want their out by name
POWERS = {2: "square", 0.5: "sqrt", -1: "reciprocal"}
REDUCTIONS = {
    "sum": "add", "mean": "add", "amax": "maximum", "amin": "minimum",
    "prod": "multiply",
}  # fmt: skip


def store(out: np.ndarray, found) -> None:
    """Put a result where it belongs; it has to have the same shape as in the trace."""
    if np.shape(found) != out.shape:
        raise RuntimeError(
            f"an operation gives shape {list(np.shape(found))}, and gave "
            f"{list(out.shape)} when the function was traced: it depends on the "
            "numbers. torch.where(mask, x, 0) keeps the shape (Chapter 23)"
        )
    np.copyto(out, found)


def piece(size: int) -> np.ndarray:
    """Some bytes, beginning where a line of the processor's cache begins."""
    room = np.empty(size + 64, np.uint8)
    start = -room.__array_interface__["data"][0] % 64
    return room[start : start + size]


def sooner(order: list[Node], changes) -> list[Node]:
    """Bring changes forward: to the last reader of what they overwrite.

    What they are computed from is then still in the processor's cache.
    """
    at, readers = {node: float(node.number) for node in order}, {}
    for node in order:
        for x in node.inputs:
            for shown in chain_of(x):
                readers.setdefault(shown, []).append(node)
    for k, (x, value) in enumerate(changes, 1):
        if value not in at or value in readers:  # somebody reads the new value
            continue
        own = {y for y in value.inputs if y.inputs and len(readers[y]) == 1}
        mine = sorted({value, *own}, key=at.get)
        given = [y for node in mine for y in node.inputs]
        before = [at[n] for n in [*given, *readers.get(x, [])] if n not in {*mine}]
        for n, node in enumerate(mine):
            at[node] = max(before, default=0) + (k + n / 4) / (len(changes) + 2)
    return sorted(order, key=at.get)


class Program:
    """The Python text that replays a graph, and the memory that it needs.

    ``inputs`` are placeholders, in the order in which arrays will be given for them.
    ``first`` is what a run returns, and ``second`` what is computed from it later, with
    more inputs, ``seeds``: a backward pass. ``changes`` are pairs of an input and the
    node that is its new value.
    """

    def __init__(self, inputs, first, seeds=(), second=(), changes=()):
        ahead = needed([*first, *(value for _, value in changes)])
        behind = [x for x in needed([*second]) if x not in {*ahead}]
        self.order, self.split = [*sooner(ahead, changes), *behind], len(ahead)
        self.names = {x: f"x{k}" for k, x in enumerate(inputs)}
        self.names |= {x: f"g{k}" for k, x in enumerate(seeds)}
        self.scope = {"store": store, "piece": piece, "np": np}
        self.setup, self.lines = [], ([], [])
        self.pieces, self.free, self.held = [], [], {}
        self.sample, self.apart, self.local = {}, 0, {}
        self.emitted, self.done = set(), set()
        self.first, self.second, self.changes = [*first], [*second], [*changes]
        self.later = self.read_by_second()
        self.last = self.lives()
        for k, node in enumerate(self.order):
            self.write(node, k)
        self.finish(inputs, seeds)

    @property
    def shared(self) -> int:
        """The bytes of all pieces of memory."""
        return sum(self.pieces)


def _lives(self) -> dict[Node, int]:
    """For each node, the number of the last one that reads it, if only through a view.

    What is returned is read when its part ends, and what the second part reads of the
    first stays for good: that part may run again.
    """
    last, end = last_uses(self.order, []), len(self.order)
    for k, x in [
        *((self.split, x) for x in [*self.first, *(v for _, v in self.changes)]),
        *((end, x) for x in self.second),
    ]:
        for shown in chain_of(x):
            last[shown] = max(last.get(shown, 0), k)
    for node in self.order[: self.split]:
        if node in self.later:
            last[node] = end
    return last


def chain_of(x: Node) -> dict[Node, None]:
    """A node, and what it is a view of: as keys, which are looked up by identity."""
    found = {x: None}
    while x.op in VIEWS:
        (x, *_) = x.inputs
        found[x] = None
    return found


def _later(self) -> set:
    """What the second part reads of the first."""
    readers = [x for node in self.order[self.split :] for x in node.inputs]
    read = {shown for x in [*readers, *self.second] for shown in chain_of(x)}
    return read - {*self.order[self.split :]}


Program.lives = _lives
Program.read_by_second = _later


def _write(self, node: Node, k: int) -> None:
    """Write the lines for a node; give back the memory that it is the last to read."""
    self.part = int(k >= self.split)
    if node.op == "constant":
        self.names[node] = self.bind("c", node.params["value"])
        self.sample[node] = node.params["value"]
    elif node.op == "placeholder":
        self.sample[node] = np.empty(node.shape, node.dtype)
        self.local[node] = None
    elif node.op not in VIEWS or not self.shown(node):
        self.computed(node, k)
    for x in {node, *node.inputs}:
        for shown in chain_of(x):
            if self.last[shown] == k and shown in self.held:
                self.free.append(self.held.pop(shown))


def _bind(self, letter: str, value) -> str:
    """A name for something that stands in no text."""
    name = f"{letter}{len(self.scope)}"
    self.scope[name] = value
    return name


SHOWN = {
    "reshape": "{x}.reshape({shape})",
    "transpose": "{x}.transpose({axes})",
    "broadcast_to": "np.broadcast_to({x}, {shape})",
    "view_at": "{x}[{index}]",
}


def _shown(self, node: Node) -> bool:
    """Name a view: once and for all if it is one of memory of our own."""
    (x,), params = node.inputs, dict(node.params)
    if node.op == "view_at":
        index = params["index"]
        index = index if isinstance(index, tuple) else (index,)
        index = index if any(i is Ellipsis for i in index) else (*index, ...)
        params["index"] = self.bind("i", index)
    view = compute(node, [self.sample[x]], {})
    self.sample[node] = view
    if x in self.local:
        self.local[node] = SHOWN[node.op], x, params
        return True
    if np.may_share_memory(view, self.sample[x]) or not view.size:
        self.names[node] = name = f"v{node.number}"
        self.setup.append(
            f"{name} = {SHOWN[node.op].format(x=self.names[x], **params)}"
        )
        return True
    return False


Program.write, Program.bind, Program.shown = _write, _bind, _shown


def _use(self, node: Node) -> str:
    """The name of an operand; a view of an argument is taken where it is used."""
    view = self.local.get(node)
    if view is None:
        return self.names[node]
    if (node, self.part) not in self.emitted:
        text, x, params = view
        name = f"v{node.number}"
        self.lines[self.part].append(f"{name} = {text.format(x=self.use(x), **params)}")
        self.emitted.add((node, self.part))
        self.names[node] = name
    return self.names[node]


def _computed(self, node: Node, k: int) -> None:
    """Write down an operation, and where its result goes."""
    given = [self.use(x) for x in node.inputs]
    wanted = {*(self.second if self.part else self.first)}
    fresh = (
        node in wanted and self.last[node] <= (self.split, len(self.order))[self.part]
    )
    self.sample[node] = np.empty(node.shape, node.dtype)
    self.apart += self.sample[node].nbytes
    if fresh and node not in self.later and self.fresh(node, given):
        self.local[node] = None
        return
    out = self.target(node, k) or self.inherited(node, k) or self.taken(node)
    self.names[node] = out
    self.lines[self.part].extend(self.texts(node, given, out))


def _fresh(self, node: Node, given: list) -> bool:
    """Write down an operation whose result is returned: it gets memory in each run."""
    ufunc = ufunc_of(node)
    if ufunc is None and node.op != "sum":
        return False
    name = self.names[node] = f"r{node.number}"
    if ufunc:
        text = f"{self.function(ufunc)}({', '.join(given)})"
    else:
        text = self.reduced(node, given, None)
    self.lines[self.part].append(f"{name} = {text}")
    return True


def ufunc_of(node: Node):
    """The ufunc that computes a node, or None."""
    if node.op == "matmul":
        return np.matmul
    if node.named or node.op in REDUCTIONS or node.op in ("call", "fused"):
        return None
    if node.op == "power":
        return getattr(np, POWERS.get(node.params["exponent"], ""), None)
    if node.op in SPECIAL:
        return None
    function = forward(node.op)
    return function if isinstance(function, np.ufunc) else None


def _function(self, function) -> str:
    """The name of a ufunc in the text."""
    self.scope[function.__name__] = function
    return function.__name__


def _reduced(self, node: Node, given: list, out) -> str:
    """The text of a reduction: the method of a ufunc, which has less to decide."""
    name = REDUCTIONS[node.op] + "_reduce"
    self.scope[name] = getattr(np, REDUCTIONS[node.op]).reduce
    axis, kept = node.params["axis"], node.params["keepdims"]
    return f"{name}({given[0]}, {axis}, None, {out}, {bool(kept)})"


def _texts(self, node: Node, given: list, out: str) -> list[str]:
    """The lines that put the result of an operation where it belongs."""
    ufunc = ufunc_of(node)
    if ufunc:
        to = f"out={out}" if ufunc in EXTREMES else out
        return [f"{self.function(ufunc)}({', '.join([*given, to])})"]
    if node.op == "mean" and node.dtype.itemsize > 2:
        count = self.sample[node.inputs[0]].size / max(self.sample[node].size, 1)
        return [self.reduced(node, given, out), f"np.divide({out}, {count}, {out})"]
    if node.op in REDUCTIONS and node.op != "mean":
        return [self.reduced(node, given, out)]
    if node.op == "power":
        return [f"np.power({given[0]}, {node.params['exponent']!r}, {out})"]
    if node.op == "where" and node.named:
        x, y, condition = given
        return [f"np.copyto({out}, {y})", f"np.copyto({out}, {x}, where={condition})"]
    if node.op == "to":
        return [f"np.copyto({out}, {given[0]}, 'unsafe')"]
    if node.op == "clone":
        return [f"np.copyto({out}, {given[0]})"]
    if node.op == "placed" and len(given) == 2:
        index = self.bind("i", node.params["index"])
        return [f"np.copyto({out}, {given[0]})", f"{out}[{index}] = {given[1]}"]
    whole = self.bind("f", function_of(node))
    return [f"store({out}, {whole}({', '.join(given)}))"]


def function_of(node: Node):
    """The function of any node, which takes arrays and returns a new one."""
    if node.op in SPECIAL:
        return lambda *arrays: compute(node, arrays, {})
    count = len(node.inputs) - len(node.named)
    whole = partial(forward(node.op), **node.params)
    if not node.named:
        return whole
    return lambda *arrays: whole(
        *arrays[:count], **dict(zip(node.named, arrays[count:], strict=True))
    )


Program.use, Program.computed, Program.fresh = _use, _computed, _fresh
Program.function, Program.reduced, Program.texts = _function, _reduced, _texts


def _target(self, node: Node, k: int) -> str | None:
    """The input of which a result is the new value, if nobody reads the old."""
    ufunc = ufunc_of(node)
    for x, value in self.changes:
        fits = value is node and node.shape == x.shape and node.dtype == x.dtype
        if fits and ufunc not in (None, np.matmul) and self.last.get(x, 0) <= k:
            shows = [y for y in node.inputs if x in chain_of(y) and y is not x]
            if node not in self.later and not shows:
                self.local[node] = None
                self.done.add((x, value))
                return self.names[x]
    return None


def _inherited(self, node: Node, k: int) -> str | None:
    """The memory of an operand that is read for the last time, elementwise."""
    if ufunc_of(node) in (None, np.matmul):
        return None
    for x in node.inputs:
        others = [y for y in node.inputs if y is not x and x in chain_of(y)]
        like = x.shape == node.shape and x.dtype == node.dtype
        like = like and self.sample[x].size > 1  # NumPy is slow where one is written
        if x in self.held and self.last[x] == k and like and not others:
            self.held[node] = self.held.pop(x)
            return self.names[x]
    return None


def _taken(self, node: Node) -> str:
    """A piece of memory: the smallest free one that is large enough."""
    size = max(self.sample[node].nbytes, 1)
    fitting = [p for p in self.free if self.pieces[p] >= size]
    if fitting:
        piece = min(fitting, key=self.pieces.__getitem__)
        self.free.remove(piece)
    else:
        piece = len(self.pieces)
        self.pieces.append(size)
    self.held[node], name = piece, f"b{node.number}"
    count, shape = self.sample[node].nbytes, tuple(node.shape)
    self.setup.append(
        f"{name} = p{piece}[:{count}].view('{node.dtype.str}').reshape({shape})"
    )
    return name


Program.target, Program.inherited, Program.taken = _target, _inherited, _taken


def _returned(self, nodes: list, part: int) -> str:
    """The text of what a part returns: in memory that nobody else has."""
    self.part, texts, seen = part, [], set()
    for x in nodes:
        name = self.use(x)
        own = name.startswith("r") and x not in seen
        seen.add(x)
        texts.append(
            name if own else f"{name}[()]" if not x.shape else f"{name}.copy()"
        )
    return f"return [{', '.join(texts)}]"


def _finish(self, inputs, seeds) -> None:
    """Put the text together: memory, a function for each part."""
    self.part, later = 0, [p for p in self.changes if p not in self.done]
    values = [self.use(value) for _, value in later]
    returned = [self.returned(self.first, 0), self.returned(self.second, 1)]
    self.lines[0].extend(f"t{k} = {v}.copy()" for k, v in enumerate(values))
    for k, (x, _) in enumerate(later):
        self.lines[0].append(f"np.copyto({self.names[x]}, t{k})")
    given = [f"x{k}" for k in range(len(inputs))]
    more = [*given, *(f"g{k}" for k in range(len(seeds)))]
    self.lines[0].append(returned[0])
    self.lines[1].append(returned[1])
    lines = ["def make():"]
    lines += [f"    p{k} = piece({n})" for k, n in enumerate(self.pieces)]
    lines += [f"    {line}" for line in self.setup]
    for name, names, body in (("first", given, 0), ("second", more, 1)):
        lines += [f"    def {name}({', '.join(names)}):"]
        lines += [f"        {line}" for line in self.lines[body]]
    self.text = "\n".join([*lines, "    return first, second", ""])


Program.returned, Program.finish = _returned, _finish


def _make(self):
    """The two functions, with memory of their own."""
    if "make" not in self.scope:
        file = f"<replay {id(self)}>"
        lines = self.text.splitlines(True)
        linecache.cache[file] = len(self.text), None, lines, file  # for tracebacks
        exec(builtins.compile(self.text, file, "exec"), self.scope)
    return self.scope["make"]()


Program.make = _make
