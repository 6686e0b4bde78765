"""Faults made on purpose: every rule of the operator table, wrong in many ways.

A rule is a lambda in a call of ``define`` (or of ``enter``), and some of them call
helpers, such as ``spread``. `mutants` reads the texts of both, changes one place after
the other, compiles what comes out, and records the primitive anew with the wrong rule.
A second kind of fault is made in the text that the engine writes for a node: a sum over
copies that is left out, a stale saved value, two links that are exchanged.
"""

import ast
import copy
import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from minigrad.autograd import function
from minigrad.rules import PRIMITIVES, Primitive

MODULES = (
    "rules", "ops", "elementwise", "reductions", "selections", "inplace",
    "nn.convolution", "nn.windows",
)  # fmt: skip
# functions of NumPy that somebody might have meant instead
OTHER_FUNCTIONS = {
    "sin": "cos", "cos": "sin", "sinh": "cosh", "cosh": "sinh", "exp": "expm1",
    "log": "log1p", "sqrt": "square", "floor": "ceil", "trunc": "rint", "sum": "mean",
    "sign": "abs", "abs": "negative",
}  # fmt: skip
OTHER_OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.Pow: ast.Mult, ast.MatMult: ast.Mult,
}  # fmt: skip
OTHER_COMPARISONS = {
    ast.Lt: ast.GtE, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.LtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A primitive with one fault."""

    name: str  # of the primitive
    place: str  # the operand whose rule is wrong, or the helper
    fault: str  # what was done
    text: str  # the rule as it reads now
    operation: object  # the recorded function
    shared: bool = False  # whether it shows only where two cotangents meet

    def __str__(self) -> str:
        return f"{self.name}/{self.place}: {self.fault}: {self.text}"


# --------------------------------------------------------------- texts of the rules


def texts() -> dict[tuple[str, str], tuple[ast.Lambda, dict]]:
    """The text of every rule, by primitive and operand, and the names it may use."""
    found = {}
    for name in MODULES:
        module = importlib.import_module(f"minigrad.{name}")
        tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
        calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and n.args]
        for call in calls:
            called, first = getattr(call.func, "id", ""), call.args[0]
            if called not in ("define", "enter") or not isinstance(first, ast.Constant):
                continue
            rules = {k.arg: k.value for k in call.keywords}
            if called == "enter":
                rules = {"x": call.args[2]}
            for operand, rule in rules.items():
                if isinstance(rule, ast.Lambda):
                    found[first.value, operand] = rule, vars(module)
    return found


def helpers(rule: ast.Lambda, names: dict) -> dict[str, ast.FunctionDef]:
    """The functions of the package that a rule calls by name, as texts."""
    found = {}
    for node in ast.walk(rule):
        called = names.get(node.id) if isinstance(node, ast.Name) else None
        if inspect.isfunction(called) and "minigrad" in called.__code__.co_filename:
            try:
                (text,) = ast.parse(inspect.getsource(called)).body
            except (SyntaxError, OSError, ValueError, TypeError):
                continue  # a recorded function, or a method: no rule
            if isinstance(text, ast.FunctionDef) and not text.decorator_list:
                found[node.id] = text
    return found


# --------------------------------------------------------------------------- faults


def faults(tree: ast.AST, swaps: dict[str, str]) -> Iterator[tuple[str, ast.AST]]:
    """Copies of a text, each with one change, and the name of the change."""
    size = sum(1 for _ in ast.walk(tree))
    for position in range(size):
        original = [*ast.walk(tree)][position]
        for what, change in _changes(original, swaps):
            mutant = copy.deepcopy(tree)
            node = [*ast.walk(mutant)][position]
            new = change(node)
            if new is not node:
                mutant = _Replace(node, new).visit(mutant)
            yield what, ast.fix_missing_locations(mutant)


class _Replace(ast.NodeTransformer):
    """Put one node in the place of another."""

    def __init__(self, old, new):
        self.old, self.new = old, new

    def visit(self, node):
        return self.new if node is self.old else super().generic_visit(node)


def _set(**fields):
    """A change of fields of a node, in place."""

    def change(node):
        for name, value in fields.items():
            setattr(node, name, value)
        return node

    return change


def _changes(node: ast.AST, swaps: dict[str, str]) -> list[tuple]:
    """What can be done wrong at one node: pairs of a name and a change."""
    if isinstance(node, ast.BinOp):
        kind, found = type(node.op), []
        if kind in OTHER_OPERATORS:
            found.append(("another operator", _set(op=OTHER_OPERATORS[kind]())))
        found.append(("left side only", lambda n: n.left))
        found.append(("right side only", lambda n: n.right))
        if kind in (ast.Sub, ast.Div, ast.Pow, ast.MatMult):
            found.append(("operands exchanged", _exchanged))
        return found
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        return [("sign dropped", lambda n: n.operand)]
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        return [(f"{node.id} → {b}", _set(id=b)) for b in swaps.get(node.id, ())]
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return [("another constant", _set(value=node.value + 1))]
    if isinstance(node, ast.Compare):
        other = OTHER_COMPARISONS.get(type(node.ops[0]))
        return [("another comparison", _set(ops=[other()]))] if other else []
    if isinstance(node, ast.Attribute) and node.attr in ("mT", "T"):
        return [("transpose missing", lambda n: n.value)]
    if isinstance(node, ast.Attribute) and node.attr in OTHER_FUNCTIONS:
        other = OTHER_FUNCTIONS[node.attr]
        return [(f"{node.attr} → {other}", _set(attr=other))]
    if isinstance(node, ast.Call):
        return _call_changes(node)
    if isinstance(node, ast.IfExp):
        return [("always", lambda n: n.body), ("never", lambda n: n.orelse)]
    return []


def _exchanged(node):
    node.left, node.right = node.right, node.left
    return node


def _call_changes(node: ast.Call) -> list[tuple]:
    """What can be done wrong at a call."""
    name = getattr(node.func, "attr", getattr(node.func, "id", ""))
    if name == "where":
        return [
            ("branches exchanged", _branches),
            ("first branch only", lambda n: n.args[1]),
            ("second branch only", lambda n: n.args[2]),
        ]
    if name in ("reshape", "transpose", "keep", "undo") and node.args:
        return [(f"{name} missing", lambda n: n.args[0])]
    return []


def _branches(node):
    node.args[1], node.args[2] = node.args[2], node.args[1]
    return node


def _whole(rule: ast.Lambda) -> Iterator[tuple[str, ast.Lambda]]:
    """Faults of a rule as a whole."""
    body = ast.unparse(rule.body)
    arguments = ast.unparse(rule.args)
    for what, text in {
        "sign flipped": f"-({body})",
        "doubled": f"2 * ({body})",
        "nothing": f"0 * ({body})",
        "g passed on": "g",
        "g forgotten": None,
    }.items():
        if text is None:  # ones in its place: a rule that ignores what it is sent
            text = f"(lambda g: {body})(g * 0 + 1)"
        yield what, ast.parse(f"lambda {arguments}: {text}").body[0].value


# -------------------------------------------------------------------------- mutants


def mutants() -> Iterator[Mutant]:
    """All primitives with a fault, of all kinds."""
    for (name, operand), (rule, names) in texts().items():
        primitive = PRIMITIVES[name]
        seen = {ast.unparse(rule)}
        swaps = _swaps(primitive)
        for what, tree in [*_whole(rule), *faults(rule.body, swaps)]:
            tree = tree if isinstance(tree, ast.Lambda) else _with_body(rule, tree)
            text = ast.unparse(tree)
            if text not in seen:
                seen.add(text)
                yield _made(primitive, operand, operand, what, tree, names)
        for helper, definition in helpers(rule, names).items():
            yield from _with_helper(primitive, operand, rule, names, helper, definition)
    yield from engine_mutants()


def _with_body(rule: ast.Lambda, body: ast.expr) -> ast.Lambda:
    return ast.fix_missing_locations(ast.Lambda(rule.args, body))


def _swaps(primitive: Primitive) -> dict[str, list]:
    """Which names a rule may confuse: operands and result; one shape and another."""
    values = [*primitive.rules, "out"]
    shapes = [f"{x}_shape" for x in primitive.rules]
    return {
        a: [b for b in group if b != a] for group in (values, shapes) for a in group
    }


def _made(primitive, operand, place, what, tree: ast.Lambda, names: dict) -> Mutant:
    """Compile a wrong rule, with the parameters that it reads, and record it."""
    known = [*primitive.rules, "out", *(f"{x}_shape" for x in primitive.rules)]
    used = {n.id for n in ast.walk(tree.body) if isinstance(n, ast.Name)}
    given = [a.arg for a in tree.args.args]
    given += [n for n in known if n in used and n not in given and n not in names]
    tree = copy.deepcopy(tree)
    tree.args.args = [ast.arg(n) for n in given]
    code = ast.fix_missing_locations(ast.Expression(tree))
    rule = eval(compile(code, "<mutant>", "eval"), dict(names))
    broken = replace(
        primitive,
        rules={**primitive.rules, operand: rule},
        needs={**primitive.needs, operand: tuple(given[1:])},
    )
    text = ast.unparse(tree.body)
    return Mutant(primitive.name, place, what, text, _recorded(broken))


def _with_helper(primitive, operand, rule, names, helper, definition):
    """Faults inside a function that a rule calls."""
    arguments = [a.arg for a in definition.args.args]
    swaps = {"x": ["out"], "out": ["x"]} if {"x", "out"} <= {*arguments} else {}
    for what, tree in faults(ast.Module(definition.body, []), swaps):
        changed = copy.copy(definition)
        changed.body = tree.body
        namespace = dict(names)
        try:
            code = compile(ast.Module([changed], []), "<mutant>", "exec")
        except (SyntaxError, ValueError, TypeError):
            continue
        scope = {}
        wide = dict(vars(inspect.getmodule(names[helper])))
        exec(code, wide, scope)
        wide[helper] = namespace[helper] = scope[helper]
        lines = zip(
            ast.unparse(definition).split("\n"),
            ast.unparse(changed).split("\n"),
            strict=False,
        )
        text = next((b.strip() for a, b in lines if a != b), "")
        if text:
            mutant = _made(primitive, operand, helper, what, rule, namespace)
            yield replace(mutant, text=text)


def _recorded(primitive: Primitive):
    """A recording function of its own, written at once."""
    return function.written(primitive, primitive.name, "MutantBackward0", False)


# ----------------------------------------------------- faults of what is written


def _first_copy(cotangent, like: tuple):
    """The wrong un-broadcast: it takes what one copy is sent, and no more."""
    shape, kind = like
    while len(cotangent.shape) > len(shape):
        cotangent = cotangent[0]
    for k, n in enumerate(shape):
        if n == 1 and cotangent.shape[k] != 1:
            cotangent = cotangent.take([0], axis=k)
    return cotangent.astype(kind)


def _mean_of_copies(cotangent, like: tuple):
    """The wrong un-broadcast: a mean instead of a sum."""
    shape, kind = like
    count = cotangent.size / max(np.prod(shape), 1)
    return function.fit(cotangent, like) / kind.type(count)


TEXT_FAULTS = {  # what stands in the text, and what is put there
    "first copy only": ("fit(", "first_copy("),
    "mean of copies": ("fit(", "mean_of_copies("),
    "the last to come wins": ("merge(node.g, d)", "d"),
    "the first to come wins": ("merge(node.g, d)", "node.g"),
    "result for operand": ("node.x = a0", "node.x = z"),
    "operand for result": ("node.out = z", "node.out = a0"),
    "second for first": ("node.x = a0", "node.x = a1"),
    "first for second": ("node.y = a1", "node.y = a0"),
    "one link lost": ("node.next1 = n1", "node.next1 = None"),
    "links exchanged": (
        "node.next0 = n0\n        node.next1 = n1",
        "node.next0, node.next1 = n1, n0",
    ),
}


def engine_mutants() -> Iterator[Mutant]:
    """Primitives whose node is written with a fault."""
    for primitive in PRIMITIVES.values():
        text = function.source(primitive, primitive.name, "MutantBackward0")
        for what, (right, wrong) in TEXT_FAULTS.items():
            broken = re.sub(rf"\b{re.escape(right)}", wrong, text)
            alone = len(primitive.rules) == 1  # then nothing is copied, or exchanged
            if broken == text or (alone and re.search("a1|cop", wrong)):
                continue
            names = dict(vars(function))
            names |= {"first_copy": _first_copy, "mean_of_copies": _mean_of_copies}
            scope: dict = {}
            exec(compile(broken, "<mutant>", "exec"), names, scope)
            rules = primitive.rules.values()
            kind, operation = scope["make"](primitive.forward, *rules)
            kind.primitive = primitive
            shared = "to come" in what
            yield Mutant(primitive.name, "node", what, wrong, operation, shared)
