# Generated from chapters 5 and 7: edit the chapters, not this file.
"""Recording: each operation leaves a node behind, and the nodes form the graph.

For every primitive of `minigrad.rules` this module writes two pieces of Python, which
you could have written by hand and would not want to write thirty times: a `Node` class
that carries a cotangent one step back, and a function that computes the result and,
where somebody asked for gradients, leaves such a node behind. ``print(source(...))``
shows what it writes.
"""

import functools
import inspect
import linecache
import operator
import threading
import weakref
from inspect import Parameter
from textwrap import indent

import numpy as np
from numpy import generic, ndarray  # noqa: F401

from minigrad.operands import busy, meet, operand, power, quietly, refuse, run  # noqa: F401
from minigrad.rules import Primitive, unbroadcast
from minigrad.tensor import Node, Tensor, mode, new

blank = functools.partial(new, Tensor)  # a tensor whose slots are still empty


def misfit(x: Tensor, z) -> tuple | None:
    """What x's cotangent must be fitted to: nothing, or the shape and dtype of x."""
    a = x._array
    return None if a.shape == z.shape and a.dtype is z.dtype else (a.shape, a.dtype)


def fit(cotangent, like: tuple):
    """Give a cotangent the shape and dtype of the operand it belongs to."""
    shape, kind = like
    if cotangent.shape != shape:
        cotangent = unbroadcast(cotangent, shape)
    return cotangent if cotangent.dtype == kind else cotangent.astype(kind)


# How many reasons there are, in the whole process, to look twice before recording:
# threads that have switched it off, and whether inference mode was ever used.
special = 0
_lock = threading.Lock()


def look_twice(change: int) -> None:
    """Count one more reason (+1) to look twice before recording, or one less (-1)."""
    global special
    with _lock:
        special += change


def set_recording(wanted: bool) -> bool:
    """Switch recording on or off for this thread; return what it was before."""
    before, mode.recording = mode.recording, wanted
    if before != wanted:
        look_twice(-1 if wanted else 1)
    return before


def unrecorded(node: type[Node], *given: Tensor) -> bool:
    """Look twice: whether this thread records; refuse to save inference tensors."""
    if mode.inference or not mode.recording:
        return True
    operands = dict(zip(node.primitive.rules, given, strict=True))
    for name, needs in node.primitive.needs.items():
        wanted = operands[name].requires_grad
        if wanted and any(operands[n].is_inference() for n in needs if n in operands):
            raise RuntimeError(
                "Inference tensors cannot be saved for backward. Please do not use "
                "Tensors created in inference mode in computation tracked by autograd. "
                "Make a normal tensor first, x.clone(), or use torch.no_grad() instead "
                "of torch.inference_mode() (Chapter 8)"
            )
    return False


def store(node: Node) -> None:
    """Show what a node has saved to whoever keeps such values (Chapter 12)."""
    keeper = getattr(mode, "keeper", None)
    if keeper is not None:
        keeper(node)


def mark(out: Tensor, given: tuple) -> None:
    """Mark what is made in inference mode, and views of what was made there."""
    marked = [x for x in given if x.is_inference()]
    if marked or mode.inference:
        shown = [x for x in given if np.may_share_memory(out._array, x._array)]
        if any(x.is_inference() for x in shown) if shown else mode.inference:
            out._inference = True


def note_view(view: Tensor, input: Tensor) -> None:
    """Note, on a view, whose memory it shows; and there, weakly, that it does."""
    view._origin = base = getattr(input, "_origin", input)
    views = base._views = getattr(base, "_views", [])
    views.append(weakref.ref(view))
    if len(views) & (len(views) - 1) == 0:  # 1, 2, 4, 8 …: forget those that are gone
        views[:] = [known for known in views if known() is not None]


NODE = """\
class {node}(Node):
    __slots__ = {slots}
    links = {links}
    saves = {saves}

    def discover(self, found):
{discover}
    def step(self, ready, keep):
        g, self.g = self.g, None
{step}\
"""
DISCOVER = """\
        if (node := self.next{k}) is not None:
            if not node.uses:
                found.append(node)
            node.uses += 1
"""


STEP = """\
        if (node := self.next{k}) is not None and (left := node.uses):
            d = {cotangent}
{fitting}\
            node.g = d if node.g is None else merge(node.g, d)
            node.uses = left = left - 1
            if not left:
                ready.append(node)
"""
FITTING = """\
            if self.fit{k} is not None:
                d = fit(d, self.fit{k})
"""
CHECKING = """\
        if self.born != clock:
            examine(self)
"""
FREEING = """\
        if not keep:
            {slots} = FREED
"""
clock = 0  # how often, in the whole process, numbers have been changed in place


FUNCTION = """
def {name}({signature}):
    try:
{unwrap}\
        z = run(forward, {passed})
    except Exception as error:
        if not busy(error):
            return refuse("{name}", error, {given})
        z = quietly(forward, {passed})
    out = blank()
    out._array, out._grad = z, None
{origins}\
    if {unasked} or special and unrecorded({node}, {given}):
        out._node = None
        settle(out, ({given},), forward, {passed})
        return carry(out, {node}, ({given},), {named}) if special else out
    out._node = node = {node}()
    node.uses, node.g, node.hooks = 0, None, None
{record}\
    return carry(out, {node}, ({given},), {named}) if special else out
"""


MAKE = """\
def make(forward, {rules}):
{body}
    return {node}, {name}
"""


def source(primitive: Primitive, name: str, node: str, view: bool = False) -> str:
    """Write the node class and the recording function of one primitive, as Python.

    The function is called ``name`` and takes the operands as ``input`` and ``other``,
    then the parameters; the class is called ``node``. Both stand in a function
    ``make``, whose arguments are what a text cannot hold: the functions of the table.
    ``view``: the result is another view of the memory of ``input``.
    """
    names = {"node": node, "name": name}
    class_ = NODE.format(**names, **_class_parts(primitive))
    function = FUNCTION.format(**names, **_function_parts(primitive, name, view))
    return MAKE.format(
        **names,
        rules=", ".join(f"rule{k}" for k in range(len(primitive.rules))),
        body=indent(class_ + function, "    "),
    )


def _fits(primitive: Primitive) -> bool:
    """Whether a result may differ from an operand in shape or dtype."""
    return len(primitive.rules) > 1 or bool(primitive.params)


LISTS = {"condition", "index", "target", "weight", "positive"}  # among parameters


def _looks(primitive: Primitive) -> bool:
    """Whether a rule may read arrays, which could be changed in place."""
    return bool(primitive.saves) or not LISTS.isdisjoint(primitive.params)


def _class_parts(primitive: Primitive) -> dict:
    """What fills the blanks of NODE."""
    count = range(len(primitive.rules))
    links = tuple(f"next{k}" for k in count)
    fits = tuple(f"fit{k}" for k in count if _fits(primitive))
    kept = dict.fromkeys(n for needs in primitive.needs.values() for n in needs)
    step = "".join(_step(primitive, k) for k in reversed(count))
    if primitive.saves:
        step += FREEING.format(slots=" = ".join(f"self.{n}" for n in primitive.saves))
    if _looks(primitive):
        step, kept["born"] = CHECKING + step, None
    return {
        "slots": (*links, *fits, *kept),
        "links": links,
        "saves": primitive.saves,
        "discover": "".join(DISCOVER.format(k=k) for k in count),
        "step": step,
    }


def _step(primitive: Primitive, k: int) -> str:
    """What a node does for its operand k: apply the rule, post the result."""
    x, rule = [*primitive.rules.items()][k]
    passed = ["g", *(f"self.{need}" for need in primitive.needs[x])]
    call = f"rule{k}({', '.join(passed)})"
    if rule.__code__.co_code == _IDENTITY:  # lambda g: g is not worth a call
        call = "g"
    fitting = FITTING.format(k=k) if _fits(primitive) else ""
    return STEP.format(k=k, cotangent=call, fitting=fitting)


_IDENTITY = (lambda g: g).__code__.co_code


def _function_parts(primitive: Primitive, name: str, view: bool) -> dict:
    """What fills the blanks of FUNCTION."""
    given = _operands(primitive)
    count = range(len(given))
    passed = [*(f"a{k}" for k in count), *(f"{p}={p}" for p in primitive.params)]
    origins = [f"n{k} = {x}._node" for k, x in enumerate(given)]
    return {
        "signature": str(_signature(primitive))[1:-1],
        "given": ", ".join(given),
        "unwrap": _lines(2, _unwrap(given, name)),
        "passed": ", ".join(passed),
        "named": f"dict({', '.join(passed[len(given) :])})",
        "origins": _lines(1, ["note_view(out, input)"] * view + origins),
        "unasked": " and ".join(f"n{k} is None" for k in count),
        "record": _lines(1, _record(primitive, given)),
    }


def _operands(primitive: Primitive) -> list[str]:
    """The names of the operands in the recording function."""
    count = len(primitive.rules)
    names = ["input", "other", "third", *(f"operand{k}" for k in range(4, count + 1))]
    return names[:count]


def _signature(primitive: Primitive) -> inspect.Signature:
    """How the recording function may be called."""
    names = dict.fromkeys(_operands(primitive), Parameter.empty) | primitive.params
    kind = Parameter.POSITIONAL_OR_KEYWORD
    return inspect.Signature([Parameter(n, kind, default=d) for n, d in names.items()])


def _lines(depth: int, lines: list[str]) -> str:
    """Lines of Python, indented by ``depth`` levels."""
    return indent("".join(f"{line}\n" for line in lines), depth * "    ")


def _unwrap(given: tuple, name: str) -> list[str]:
    """Take the arrays out of the tensors, in a common dtype."""
    lines = []
    for x in given[1:]:
        lines += [f"if type({x}) is not Tensor:", f"    {x} = operand({x}, input)"]
    lines += [f"a{k} = {x}._array" for k, x in enumerate(given)]
    if len(given) == 2:
        lines += [
            "scalars = type(a0) is type(a1) is not ndarray and isinstance(a0, generic)",
            "if mixed := not scalars and a0.dtype is not a1.dtype:",
            f'    a0, a1 = meet("{name}", a0, a1)',
        ]
    elif len(given) > 2:
        arrays = ", ".join(f"a{k}" for k in range(len(given)))
        lines += [f'{arrays} = meet("{name}", {arrays})']
    return lines


def _record(primitive: Primitive, given: tuple) -> list[str]:
    """Fill the node's slots: where to send cotangents, and what the rules will need."""
    lines = [f"node.next{k} = n{k}" for k in range(len(given))]
    lines += ["node.born = clock"] * _looks(primitive)
    if _fits(primitive):
        fits = [f"node.fit{k} = misfit({x}, z)" for k, x in enumerate(given)]
        if isinstance(primitive.forward, np.ufunc):  # shapes differ if broadcast
            lines += [" = ".join(f"node.fit{k}" for k in range(len(given))) + " = None"]
            lines += ["if mixed or not scalars and a0.shape != a1.shape:"]
            fits = [f"    {line}" for line in fits]
        lines += fits
    where = {"out": "z"}
    for k, x in enumerate(primitive.rules):
        where |= {x: f"a{k}", f"{x}_shape": f"a{k}.shape"}
    for k, needs in enumerate(primitive.needs.values()):
        saving = [f"node.{need} = {where.get(need, need)}" for need in needs]
        if saving and len(given) > 1:  # a constant's rule will not run
            saving = [f"if n{k} is not None:", *(f"    {line}" for line in saving)]
        lines += saving
    return lines + ["if special:", "    store(node)"] * bool(primitive.saves)


def written(primitive: Primitive, name: str, node: str, view: bool):
    """Compile what `source` writes; return the recording function."""
    text, file = source(primitive, name, node, view), f"<minigrad {node}>"
    linecache.cache[file] = len(text), None, text.splitlines(True), file  # tracebacks
    scope: dict = {}
    exec(compile(text, file, "exec"), globals(), scope)
    forward = SYMBOLS.get(primitive.forward, primitive.forward)
    kind, function = scope["make"](forward, *primitive.rules.values())
    kind.primitive, kind.__qualname__, function.__qualname__ = primitive, node, name
    kind.record = staticmethod(function)
    return function


def record(primitive: Primitive, name: str, node: str, view: bool = False):
    """Return the recording function; it is written when it is first called."""
    return _stand_in(primitive, name, node, view)


@functools.cache
def _stand_in(*recipe):
    """Make what holds the place of a recording function until it is called."""
    primitive, name, *_ = recipe
    forward = kind = None

    def function(*given, recipe=recipe, **params):
        _ = forward, kind  # the two cells that the finished function will read
        return _become(_stand_in(*recipe), written(*recipe))(*given, **params)

    function.__name__ = function.__qualname__ = name
    function.__signature__ = _signature(primitive)
    return function


def _become(function, finished):
    """Turn a stand-in into the finished function: the same object, with other code."""
    cells = zip(function.__closure__, finished.__closure__, strict=True)
    for cell, full in cells:
        cell.cell_contents = full.cell_contents
    function.__defaults__ = finished.__defaults__
    function.__code__, function.__kwdefaults__ = finished.__code__, None
    return function


# on NumPy scalars five to ten times as fast as the ufuncs, and otherwise the same
SYMBOLS = {
    np.add: operator.add,
    np.subtract: operator.sub,
    np.multiply: operator.mul,
    np.divide: operator.truediv,
    np.negative: operator.neg,
}


def settle(out: Tensor, given: tuple, forward, *arrays, **params) -> Tensor:
    """Finish a result without history: a float made of integers is a float32."""
    if arrays[0].dtype.kind != "f" and out._array.dtype.kind == "f":
        floats = [a.astype(np.float32) for a in arrays]
        out._array = quietly(forward, *floats, **params)
    if special:
        mark(out, given)
    return out


def carry(out: Tensor, node: type[Node], given: tuple, params: dict) -> Tensor:
    """Return a result as it is; Chapter 15 puts a function here that adds a tangent."""
    return out


from sys import getrefcount  # noqa: E402


def _references(array) -> int:
    """Count the references to an array, as a function counts those to its argument."""
    return getrefcount(array)


_example = Node()
_example.g = np.zeros(1)
_ALONE = _references(_example.g)  # the count where only the slot of a node holds it
_LARGE = 4096  # elements; from about here an addition in place beats a new array


def merge(old, more):
    """Add two cotangents: in place if ``old`` is large and only a slot holds it."""
    if (
        type(old) is np.ndarray
        and old.size >= _LARGE
        and getrefcount(old) <= _ALONE
        and old.base is None
        and old.flags.writeable
    ):
        old += more
        return old
    return old + more


def own(g) -> np.ndarray:
    """Return ``g`` itself if only a node's slot holds it, otherwise a copy.

    A gradient that is handed out must share memory with nothing, but a rule may pass on
    its own cotangent, or a view of it, and two leaves may be sent the same array.
    """
    alone = getrefcount(g) <= _ALONE
    if alone and type(g) is np.ndarray and g.base is None and g.flags.writeable:
        return g
    return np.copy(g)


class Freed:
    """What a node holds in place of a value that a backward pass has freed.

    Whoever touches it learns that the graph has been walked before.
    """

    def __repr__(self) -> str:
        return "<freed>"

    def _touched(self, *arguments, **options):
        raise RuntimeError(
            "Trying to backward through the graph a second time (or directly access "
            "saved tensors after they have already been freed). Saved intermediate "
            "values of the graph are freed when you call .backward() or "
            "autograd.grad(). Specify retain_graph=True if you need to backward "
            "through the graph a second time or if you need to access saved tensors "
            "after calling backward (Chapter 7)."
        )

    __array_ufunc__ = __array_function__ = __getattr__ = __iter__ = _touched
    __add__ = __sub__ = __mul__ = __truediv__ = __pow__ = __neg__ = _touched
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rpow__ = _touched
    __matmul__ = __rmatmul__ = __getitem__ = __len__ = __bool__ = _touched
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _touched


FREED = Freed()
