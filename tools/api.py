"""What the API reference lists: every public name, its words, and where it is built.

The reference mirrors PyTorch's namespaces. In a namespace that PyTorch has as well, a
name is public if PyTorch has it there, too (``tests/reference/api.json`` is the record
of what PyTorch has), or if ``__all__`` lists it; in the others `Namespace.names` says.

An entry takes its words from the docstring. Operators that are made from the table of
primitives have none, so `SUMMARIES` says what each computes, and the rule of its
gradient is read from the cell that defines it. What it does to shapes and dtypes is
read from the answers that were recorded from PyTorch, and the errors from the ledger.

`names` needs NumPy alone, so that ``tests/reference/record_api.py`` can ask PyTorch.
"""

import ast
import importlib
import inspect
import json
import re
import textwrap
import types
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORDED = ROOT / "tests" / "reference" / "api.json"
OPERATORS = ROOT / "tests" / "reference" / "operators.json"
NO_COUNTERPART = "minigrad only"


@dataclass(frozen=True)
class Namespace:
    """A module, or the class `Tensor`: its page, and which of its names are public."""

    module: str  # "minigrad.Tensor" is the class
    page: str
    title: str
    torch: bool = True
    names: tuple[str, ...] = ()


NAMESPACES = (
    Namespace("minigrad", "api-minigrad", "minigrad"),
    Namespace("minigrad.Tensor", "api-tensor", "minigrad.Tensor"),
    Namespace("minigrad.autograd", "api-autograd", "minigrad.autograd"),
    Namespace("minigrad.autograd.graph", "api-autograd", "minigrad.autograd.graph"),
    Namespace(
        "minigrad.autograd.functional", "api-autograd", "minigrad.autograd.functional"
    ),
    Namespace(
        "minigrad.autograd.forward_ad", "api-autograd", "minigrad.autograd.forward_ad"
    ),
    Namespace("minigrad.func", "api-autograd", "minigrad.func"),
    Namespace("minigrad.utils.checkpoint", "api-autograd", "minigrad.utils.checkpoint"),
    Namespace("minigrad.nn", "api-nn", "minigrad.nn"),
    Namespace("minigrad.nn.functional", "api-nn", "minigrad.nn.functional"),
    Namespace("minigrad.nn.init", "api-nn", "minigrad.nn.init"),
    Namespace("minigrad.nn.utils", "api-nn", "minigrad.nn.utils"),
    Namespace("minigrad.nn.utils.rnn", "api-nn", "minigrad.nn.utils.rnn"),
    Namespace("minigrad.optim", "api-optim", "minigrad.optim"),
    Namespace(
        "minigrad.optim.lr_scheduler", "api-optim", "minigrad.optim.lr_scheduler"
    ),
    Namespace("minigrad.utils.data", "api-optim", "minigrad.utils.data"),
    Namespace(
        "minigrad.numerical",
        "api-own",
        "minigrad.numerical",
        False,
        ("numerical_jvp", "numerical_jacobian", "numerical_vjp"),
    ),
    Namespace(
        "minigrad.jacobian",
        "api-own",
        "minigrad.jacobian",
        False,
        (
            "layout_shape",
            "to_matrix",
            "from_matrix",
            "to_denominator",
            "from_denominator",
            "to_mirrored",
            "from_mirrored",
            "chain_mirrored",
            "show_jacobian",
        ),
    ),
    Namespace(
        "minigrad.rules",
        "api-own",
        "minigrad.rules",
        False,
        ("Primitive", "define", "stretched", "unbroadcast", "vjp"),
    ),
    Namespace(
        "minigrad.static",
        "api-own",
        "minigrad.static",
        False,
        (
            *("Graph", "Node", "Plan", "PlannedSession", "Session", "Variable"),
            *("assign", "cast", "cond", "constant", "draw", "fold", "from_json"),
            *("fuse", "get_default_graph", "global_variables_initializer", "gradients"),
            *("group", "make", "mean", "merge", "name_scope", "optimise"),
            *("placeholder", "prune", "simplify", "to_json", "while_loop"),
        ),
    ),
    Namespace("minigrad.datasets", "api-own", "minigrad.datasets", False, ("Digits",)),
    Namespace("minigrad.gpt", "api-own", "minigrad.gpt", False, ("Block", "GPT")),
)
TITLES = {
    "api-minigrad": "API: functions on tensors",
    "api-tensor": "API: the tensor and its methods",
    "api-autograd": "API: autograd and func",
    "api-nn": "API: networks",
    "api-optim": "API: optimisers and data",
    "api-own": "API: what PyTorch has under no such name",
}

# ----------------------------------------------------- words for what has no docstring

_EACH = {
    "abs": "The absolute value",
    "acos": "The inverse cosine, in radians",
    "acosh": "The inverse hyperbolic cosine",
    "asin": "The inverse sine, in radians",
    "asinh": "The inverse hyperbolic sine",
    "atan": "The inverse tangent, in radians",
    "atanh": "The inverse hyperbolic tangent",
    "ceil": "The next whole number upwards",
    "cos": "The cosine of an angle in radians",
    "cosh": "The hyperbolic cosine",
    "erf": "The error function",
    "erfc": "One minus the error function, without its rounding",
    "exp": "e to the power of the element",
    "expm1": "exp(x) - 1, exact for small x",
    "floor": "The next whole number downwards",
    "isfinite": "Whether the element is neither infinite nor NaN",
    "isinf": "Whether the element is infinite",
    "isnan": "Whether the element is NaN",
    "log": "The natural logarithm",
    "log10": "The logarithm to base 10",
    "log1p": "log(1 + x), exact for small x",
    "log2": "The logarithm to base 2",
    "logical_not": "Whether the element is zero",
    "neg": "The element with the other sign",
    "reciprocal": "One divided by the element",
    "rsqrt": "One divided by the square root",
    "sigmoid": "The logistic function, 1 / (1 + exp(-x))",
    "sign": "-1, 0 or 1",
    "silu": "x · sigmoid(x)",
    "sin": "The sine of an angle in radians",
    "sinh": "The hyperbolic sine",
    "sqrt": "The square root",
    "tan": "The tangent of an angle in radians",
    "tanh": "The hyperbolic tangent",
    "trunc": "The whole number next to it, towards zero",
    "square": "The element times itself",
    "clone": "A copy that is part of the graph",
}
_PAIRS = {
    "atan2": "The angle of the point (other, input), in radians",
    "bitwise_and": "The bits that both have",
    "bitwise_or": "The bits that one of them has",
    "bitwise_xor": "The bits that just one of them has",
    "div": "The quotient",
    "eq": "Whether they are equal",
    "floor_divide": "The quotient, rounded downwards",
    "fmod": "The remainder, with the sign of the dividend",
    "ge": "Whether input is at least other",
    "gt": "Whether input is greater than other",
    "le": "Whether input is at most other",
    "logical_and": "Whether both are not zero",
    "logical_or": "Whether one of them is not zero",
    "logical_xor": "Whether just one of them is not zero",
    "lt": "Whether input is less than other",
    "maximum": "The larger of the two",
    "minimum": "The smaller of the two",
    "mul": "The product",
    "ne": "Whether they differ",
    "remainder": "The remainder, with the sign of the divisor",
}
SUMMARIES = {
    **{name: f"{text}, element by element." for name, text in _EACH.items()},
    **{
        name: f"{text}, element by element, with broadcasting."
        for name, text in _PAIRS.items()
    },
    "all": "Whether all elements are not zero, of a tensor or along ``dim``.",
    "any": "Whether any element is not zero, of a tensor or along ``dim``.",
    "argmax": "The index of the largest element, of all or along ``dim``; int64.",
    "argmin": "The index of the smallest element, of all or along ``dim``; int64.",
    "log_softmax": "The logarithm of `softmax`, without its rounding.",
    "softmax": "exp(x) divided by the sum of exp(x) along ``dim``: positive, sum 1.",
    "default_generator": "The generator that random tensors are drawn from.",
    "bool": "The tensor as bool: whether each element is not zero.",
    "cpu": "The tensor itself: there is one device.",
    "double": "The tensor as float64; itself, if it is that already.",
    "float": "The tensor as float32; itself, if it is that already.",
    "half": "The tensor as float16; itself, if it is that already.",
    "int": "The tensor as int32; itself, if it is that already.",
    "long": "The tensor as int64; itself, if it is that already.",
    "short": "The tensor as int16; itself, if it is that already.",
    "output_nr": "Which output of its node the tensor is: 0.",
    "expand_as": "`expand` to the shape of another tensor.",
    "reshape_as": "`reshape` to the shape of another tensor.",
    "view_as": "`view` with the shape of another tensor.",
    "type_as": "The tensor with the dtype of another.",
    "where": "The tensor where ``condition`` holds, and ``other`` elsewhere.",
    "LogSoftmax": "`log_softmax` along ``dim`` as a module.",
    "Sigmoid": "`sigmoid` as a module.",
    "SiLU": "`silu` as a module.",
    "Softmax": "`softmax` along ``dim`` as a module.",
    "Tanh": "`tanh` as a module.",
    "is_cuda": "False: there is one device, the processor.",
    "device": "The device that the tensor lies on: the processor.",
}
CONSTANTS = {
    "e": "Euler's number, 2.718281828459045.",
    "inf": "Infinity, a Python float.",
    "nan": "Not a number, a Python float.",
    "pi": "Half the circumference of the unit circle, 3.141592653589793.",
}


# ----------------------------------------------------------------------- what there is


def namespace_object(module: str):
    """Import a module; ``minigrad.Tensor`` is the class."""
    if module == "minigrad.Tensor":
        return importlib.import_module("minigrad.tensor").Tensor
    return importlib.import_module(module)


def candidates(space: Namespace) -> list[str]:
    """Return the names of a namespace without underscore that are no modules."""
    holder = namespace_object(space.module)
    found = dir(holder) if isinstance(holder, type) else [*vars(holder)]
    return [
        name
        for name in dict.fromkeys(found)
        if not name.startswith("_") and not _is_foreign(getattr(holder, name, None))
    ]


def _is_foreign(value) -> bool:
    """True for modules, and for what a module imports from Python's own library."""
    if isinstance(value, types.ModuleType):
        return True
    home = getattr(value, "__module__", None) or "minigrad"
    return callable(value) and not home.startswith("minigrad")


def names(space: Namespace) -> list[str]:
    """Return the public names of a namespace, in alphabetical order."""
    if space.names:
        return sorted(space.names, key=str.lower)
    listed = getattr(namespace_object(space.module), "__all__", ())
    known = recorded()
    public = [
        name
        for name in candidates(space)
        if name in listed or f"{space.module}.{name}" in known
    ]
    return sorted(public, key=lambda name: (name.lower(), name))


@cache
def recorded() -> dict[str, str]:
    """Return the names that PyTorch has as well, and what it calls them."""
    if not RECORDED.exists():
        return {}
    return json.loads(RECORDED.read_text(encoding="utf-8"))["names"] | ELSEWHERE


ELSEWHERE = {"minigrad.function": "tf.function"}  # names that are not PyTorch's


# ------------------------------------------------------------------ where it is built


@dataclass(frozen=True)
class Place:
    """An exported cell: its chapter, file, and which of the chapter's cells there."""

    number: int
    stem: str  # of the chapter's page
    file: str
    count: int
    source: str

    @property
    def anchor(self) -> str:
        """Its anchor in the chapter's page."""
        from sphinxext.cells import listing_id

        return listing_id(self.file, self.count)


@dataclass
class Bindings:
    """What the exported cells bind: by file and name, and by method of `Tensor`."""

    places: dict[str, dict[str, Place]] = field(default_factory=dict)
    values: dict[str, dict[str, ast.AST | None]] = field(default_factory=dict)
    imports: dict[str, dict[str, tuple[str, str]]] = field(default_factory=dict)
    stars: dict[str, list[str]] = field(default_factory=dict)
    methods: dict[str, tuple[Place, str]] = field(default_factory=dict)
    rules: dict[str, tuple[Place, ast.Call]] = field(default_factory=dict)
    chapters: dict[int, str] = field(default_factory=dict)  # titles


@cache
def bindings() -> Bindings:
    """Read all exported cells once."""
    import tangle
    import toc

    found = Bindings()
    for chapter in toc.chapters(ROOT):
        found.chapters[chapter.number] = chapter.title.replace("`", "")
        counts: dict[str, int] = {}
        for file, source in tangle.exported(chapter):
            counts[file] = counts.get(file, 0) + 1
            stem = chapter.file.stem
            place = Place(chapter.number, stem, file, counts[file], source)
            for node in ast.parse(source).body:
                _read(found, place, node)
    return found


def _read(found: Bindings, place: Place, node: ast.stmt) -> None:
    """Note what one statement of a cell binds."""
    file = place.file
    bound = found.places.setdefault(file, {})
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        bound[node.name] = place
        found.values.setdefault(file, {})[node.name] = node
        if node.name == "Tensor":
            for part in node.body:
                if isinstance(part, ast.FunctionDef):
                    found.methods[part.name] = (place, "")
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        for target in targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                    bound.setdefault(name.id, place)
                    found.values.setdefault(file, {})[name.id] = node.value
    elif isinstance(node, ast.ImportFrom):
        for alias in node.names:
            if alias.name == "*":
                found.stars.setdefault(file, []).append(node.module)
            else:
                name = alias.asname or alias.name
                if node.module.startswith("minigrad"):
                    known = found.imports.setdefault(file, {})
                    known[name] = (node.module, alias.name)
                else:
                    bound[name] = place
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        _read_call(found, place, node.value)


def _read_call(found: Bindings, place: Place, call: ast.Call) -> None:
    """Note methods that `extend` adds, and rules that `define` enters."""
    called = call.func.id if isinstance(call.func, ast.Name) else ""
    if called == "extend":
        for keyword in call.keywords:
            if keyword.arg:
                value = keyword.value
                name = value.id if isinstance(value, ast.Name) else ""
                found.methods[keyword.arg] = (place, name)
        if any(not k.arg for k in call.keywords) and "__all__" in ast.unparse(call):
            for name in _all_of(place.file):
                found.methods.setdefault(name, (place, name))
        if any(not k.arg for k in call.keywords) and "ALIASES" in ast.unparse(call):
            for name in ("half", "float", "double", "bool", "short", "int", "long"):
                found.methods.setdefault(name, (place, ""))
    elif called == "define" and call.args and isinstance(call.args[0], ast.Constant):
        found.rules[call.args[0].value] = (place, call)


def _all_of(file: str) -> list[str]:
    module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return getattr(importlib.import_module(module), "__all__", [])


def file_of(module: str) -> str:
    """The file of a module, as the exported cells name it."""
    path = module.replace(".", "/")
    return f"{path}/__init__.py" if (ROOT / path).is_dir() else f"{path}.py"


def place_of(module: str, name: str, depth: int = 0) -> Place | None:
    """Follow a name through imports to the cell that binds it."""
    if depth > 8 or not module.startswith("minigrad"):
        return None
    found, file = bindings(), file_of(module)
    if name in found.places.get(file, {}):
        return found.places[file][name]
    if name in found.imports.get(file, {}):
        origin, original = found.imports[file][name]
        return place_of(origin, original, depth + 1)
    for origin in reversed(found.stars.get(file, [])):
        listed = getattr(importlib.import_module(origin), "__all__", None)
        if listed is None or name in listed:
            place = place_of(origin, name, depth + 1)
            if place is not None:
                return place
    return None


def place_of_method(name: str, value) -> Place | None:
    """The cell that gives `Tensor` a method."""
    known = bindings().methods.get(name)
    if known is not None and known[1]:
        module = known[0].file.removesuffix(".py").replace("/", ".")
        return place_of(module, known[1]) or known[0]
    if known is not None:
        return known[0]
    return place_of_object(value)


def place_of_object(value) -> Place | None:
    """The cell in which the code of a function, class or property stands."""
    value = getattr(value, "fget", value)
    value = inspect.unwrap(value) if callable(value) else value
    code = getattr(value, "__code__", None)
    if code is None:
        return None
    file = _relative(code.co_filename)
    module = _modules().get(file)
    cell = module.origin(code.co_firstlineno) if module else None
    if cell is None:
        return None
    same = [source for path, source in _exported(cell.chapter) if path == file]
    count = same.index(cell.code) + 1
    return Place(cell.chapter.number, cell.chapter.file.stem, file, count, cell.code)


@cache
def _exported(chapter) -> list[tuple[str, str]]:
    import tangle

    return tangle.exported(chapter)


@cache
def _modules():
    import tangle

    return tangle.modules(ROOT)


def _relative(path: str) -> str:
    _, _, rest = path.replace("\\", "/").rpartition("/minigrad/")
    return f"minigrad/{rest}"


# --------------------------------------------------------------------------- entries


@dataclass(frozen=True)
class Entry:
    """One public name, and everything that the reference says of it."""

    space: Namespace
    name: str
    kind: str  # "class", "function", "method", "property", "value"
    signature: str
    doc: str
    place: Place | None
    torch: str  # what PyTorch calls it, or an empty string
    gradient: tuple[str, ...]  # the rules, in words
    types: tuple[str, ...]  # what becomes of shapes and dtypes
    raises: tuple[tuple[str, str], ...]  # ids of ledger rows, and what they raise
    rows: int  # statements of the ledger that call it

    @property
    def function(self) -> str:
        """The function of the same name, for a method of `Tensor`."""
        same = self.kind == "method" and self.name in names(NAMESPACES[0])
        return f"minigrad.{self.name}" if same else ""

    @property
    def path(self) -> str:
        """The full name."""
        return f"{self.space.module}.{self.name}"

    @property
    def anchor(self) -> str:
        """Its anchor in its page."""
        return anchor_of(self.path)


def anchor_of(path: str) -> str:
    """An anchor for a name; ``Tensor`` and ``tensor`` have different ones."""
    module, _, name = path.rpartition(".")
    words = re.sub(r"[^a-z0-9]+", "-", module.lower())
    capital = "-class" if name[:1].isupper() else ""
    tail = "-in-place" if name.endswith("_") else ""
    return f"{words}-{name.strip('_').lower().replace('_', '-')}{tail}{capital}"


@cache
def entries() -> tuple[Entry, ...]:
    """Return all entries, in the order of the reference."""
    return tuple(_entry(space, name) for space in NAMESPACES for name in names(space))


def _entry(space: Namespace, name: str) -> Entry:
    """Put together what is known of a name."""
    holder = namespace_object(space.module)
    is_tensor = isinstance(holder, type)
    value = inspect.getattr_static(holder, name) if is_tensor else getattr(holder, name)
    if isinstance(value, staticmethod | classmethod):
        value = value.__func__
    if is_tensor:
        place = place_of_method(name, value)
    else:
        place = place_of(space.module, name) or place_of_object(value)
    kind = _kind(value, is_tensor)
    raises, rows = _statements(space, name)
    return Entry(
        space=space,
        name=name,
        kind=kind,
        signature=_signature(name, value, kind),
        doc=_doc(name, value, kind),
        place=place,
        torch=recorded().get(f"{space.module}.{name}", ""),
        gradient=_gradient(name) if kind in ("function", "method") else (),
        types=_types(name) if space.module in TYPED else (),
        raises=raises,
        rows=rows,
    )


TYPED = ("minigrad", "minigrad.nn.functional")


def _kind(value, is_tensor: bool) -> str:
    if isinstance(value, type):
        return "class"
    if isinstance(value, property) or inspect.isdatadescriptor(value):
        return "property"
    if callable(value):
        return "method" if is_tensor else "function"
    return "value"


def _signature(name: str, value, kind: str) -> str:
    """The call as it is written, without the module names of annotations."""
    if kind in ("property", "value"):
        return name
    try:
        signature = inspect.signature(value)
    except (ValueError, TypeError):
        return f"{name}(…)"
    parameters = [*signature.parameters.values()]
    if kind == "method" and parameters and parameters[0].kind in (0, 1):
        parameters = parameters[1:]
    signature = signature.replace(parameters=parameters)
    text = re.sub(
        r"\b(?:minigrad|collections|typing|numpy)\.(?:\w+\.)*", "", str(signature)
    )
    text = re.sub(r"<function (\w+) at 0x\w+>|<class '(?:\w+\.)*(\w+)'>", r"\1\2", text)
    text = re.sub(r"<(?:\w+\.)*(\w+) object at 0x\w+>", r"\1()", text)
    text = re.sub(r"\(k=torch\.\w+\)", "()", text)  # the dtype that `float` binds
    text = re.sub(r"(: |-> )'([^']*)'", r"\1\2", text)  # annotations as strings
    return f"{name}{text}"


def _doc(name: str, value, kind: str) -> str:
    """The docstring, or the words of `SUMMARIES`."""
    if kind == "value":
        if name in CONSTANTS:
            return CONSTANTS[name]
        if type(value).__name__ == "dtype":
            return f"A dtype: {_bits(name)}."
        return SUMMARIES.get(name, "")
    own = getattr(value, "__doc__", None)
    if isinstance(value, type) and own == getattr(value.__base__, "__doc__", None):
        own = None
    if own and not own.startswith("int([x])"):
        return inspect.cleandoc(own)
    target = _alias_of(name, value)
    if target != name:
        return f"The same as `{target}`."
    return SUMMARIES.get(name, "")


def _bits(name: str) -> str:
    kind = "whole numbers" if "int" in name else "floating-point numbers"
    sign = ", without sign" if name.startswith("u") else ""
    return f"{kind} of {re.sub(r'[^0-9]', '', name)} bits{sign}"


def _alias_of(name: str, value) -> str:
    """The name that a function carries, where that is another public one."""
    import minigrad

    for other, same in vars(minigrad).items():
        if same is value and other != name and other in SUMMARIES:
            return other
    return name


def _gradient(name: str) -> tuple[str, ...]:
    """The rules of the primitive of that name, as the book writes them."""
    known = bindings().rules.get(_alias_name(name))
    if known is None:
        return ()
    _, call = known
    found = []
    for keyword in call.keywords:
        if isinstance(keyword.value, ast.Lambda):
            body = ast.unparse(keyword.value.body)
            if "_undefined" not in body:
                found.append(f"{keyword.arg}: {body}")
    return tuple(found)


def _alias_name(name: str) -> str:
    import minigrad

    value = getattr(minigrad, name, None)
    return name if value is None else _alias_of(name, value)


@cache
def _answers() -> dict[str, list[tuple[str, str, dict]]]:
    """PyTorch's recorded answers by name: (sample, dtype, answer)."""
    found: dict[str, list] = {}
    stored = json.loads(OPERATORS.read_text(encoding="utf-8"))
    for key, answer in stored.items():
        match = re.fullmatch(r"torch\.(\w+)\((.*)\) \[(\w+)\] (\w+)", key)
        if match and answer.get("results"):
            found.setdefault(match[1], []).append((*match.groups()[1:], answer))
    return found


def _types(name: str) -> tuple[str, ...]:
    """What became of shape and dtype in the first recorded call on each dtype."""
    import sys

    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from tests.operators import SAMPLES

    found: dict[str, str] = {}
    for arguments, sample, dtype, answer in _answers().get(_alias_name(name), ()):
        if dtype not in found and sample in SAMPLES:
            given = _shape(SAMPLES[sample])
            results = " and ".join(
                f"{r['dtype'].removeprefix('torch.')} {_spoken(r['shape'])}"
                for r in answer["results"]
            )
            call = "" if arguments == "x" else f"{name}({arguments}), x "
            found[dtype] = f"{call}{dtype} {_spoken(given)} → {results}"
    return tuple(found.values())


def _shape(value) -> list[int]:
    return (
        [len(value), *_shape(value[0])]
        if isinstance(value, list) and value
        else ([0] if isinstance(value, list) else [])
    )


def _spoken(shape: list[int]) -> str:
    return f"({', '.join(map(str, shape))}{',' * (len(shape) == 1)})"


@cache
def _programs() -> list[tuple[str, int, str, str, str]]:
    """The rows of the ledger: id, chapter, code, last line, and what is raised."""
    import sys

    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from tests.reference import ledger

    answers, found = ledger.recorded()["rows"], []
    for row in ledger.rows():
        kind, message = answers[row.id].get("error", ("", ""))
        short = textwrap.shorten(message.replace("\\n", " "), 110, placeholder=" …")
        said = f"{kind}: {short}" if kind else ""
        found.append((row.id, row.chapter, row.code, row.code.split("\n")[-1], said))
    return found


def _statements(space: Namespace, name: str):
    """The ledger's rows that call a name: (id, error) of some, and a count."""
    if not space.torch:
        return (), 0
    if space.module == "minigrad.Tensor":
        pattern = rf"(?<!torch)\.{name}\b"
    elif space.module == "minigrad":
        pattern = rf"\btorch\.{name}\b"
    else:
        last = space.module.rpartition(".")[2]
        pattern = rf"\b{last}\.{name}\b"
    calls = re.compile(pattern)
    found = [row for row in _programs() if name in row[2] and calls.search(row[2])]
    raising = [(row[0], row[4]) for row in found if row[4] and calls.search(row[3])]
    kinds = {said: ident for ident, said in reversed(raising)}
    return tuple((ident, said) for said, ident in reversed(kinds.items()))[:3], len(
        found
    )


def by_page() -> Iterator[tuple[str, list[Namespace]]]:
    """The pages of the reference, and the namespaces on each."""
    for page in TITLES:
        yield page, [space for space in NAMESPACES if space.page == page]


def problems(entry: Entry) -> list[str]:
    """What the reference fails to say of a name; the rule that a test holds it to.

    Every name has a sentence of some length that ends as one, and a chapter. Of a
    callable it is known how it is called; a name under PyTorch's namespaces has a
    counterpart or is listed in ``__all__``; what has a rule in the table shows it.
    """
    found = []
    first = entry.doc.split("\n\n")[0].strip()
    if len(first) < 12 or not first.endswith((".", ":", ")", "``", "…", "`")):
        found.append(f"no sentence: {first!r}")
    if entry.place is None:
        found.append("no chapter exports it")
    if entry.kind in ("function", "method", "class") and "(" not in entry.signature:
        found.append("no signature")
    if "0x" in entry.signature:
        found.append(f"an address in the signature: {entry.signature}")
    if entry.space.torch and not entry.torch:
        listed = getattr(namespace_object(entry.space.module), "__all__", ())
        if entry.name not in listed:
            found.append("no counterpart in PyTorch")
    return found
