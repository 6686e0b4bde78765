r"""Write the reader's workbook: the chapters, with the package's functions emptied.

    python tools/workbook.py                  write what is not there yet
    python tools/workbook.py --renew 7        begin chapter 7 anew (the old one is kept)

``workbook/`` holds a copy of every chapter. An exported cell keeps its imports, its
constants, the skeletons of its classes, every signature and every docstring; what a
function does is left to the reader:

    def unbroadcast(cotangent, shape):
        \"\"\"Sum a cotangent down to the shape it belongs to.\"\"\"
        raise NotImplementedError("Chapter 3: write `unbroadcast`")

A rule in the table of primitives keeps its arguments and loses its formula:

    define("mul", np.multiply, x=lambda g, y: NotImplemented, …)

What is given, and counts for nothing:

* statements that are no definition: imports, constants, tables, ``__all__``, and with
  them every ``__init__.py``;
* the forward function of a primitive, which is NumPy, and functions without a body;
* the files of ``GIVEN``, which draw, print and lay out pages.

Everything else is a `Unit`: a function, a class, or the rules of one primitive. A unit
is one mark, and the smallest thing that ``tools/grading.py`` judges, or lends from the
book.
"""

import argparse
import ast
import io
import shutil
import sys
import tokenize
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import nbformat

import cells
import tangle
import toc
from toc import ROOT, Chapter

FOLDER = "workbook"
GIVEN = {
    "minigrad/_tensor_str.py": "how a tensor is printed",
    "minigrad/devices.py": "there is one device",
    "minigrad/static/drawing.py": "pictures",
    "minigrad/utils/drawing.py": "pictures",
    "minigrad/utils/player.py": "a page with a picture",
}
TAG = "your-turn"
EMPTY_RULE = "NotImplemented"
INTRODUCTION = """> **Build.** This is your copy of the chapter, not the book's. In \
cells that begin with `#| file:` the functions are empty: write them, then ask \
`make grade CHAPTER={number}` (or `python tools/do.py grade --chapter {number}`) what \
holds. The outputs below are the book's: yours should come out the same. What earlier \
chapters build is there already."""


# ---------------------------------------------------------------------------- units


@dataclass(frozen=True)
class Unit:
    """One thing to write: a function, a class, or the rules of a primitive.

    ``first`` and ``last`` are its lines in the source of its cell, counted from 1.
    """

    name: str
    first: int
    last: int
    node: ast.stmt

    @property
    def said(self) -> str:
        """What to call it in a report."""
        return f"the rules of `{self.name[7:]}`" if self.is_rule else f"`{self.name}`"

    @property
    def is_rule(self) -> bool:
        """True for a statement ``define("mul", …)``."""
        return isinstance(self.node, ast.Expr)


def units(source: str) -> list[Unit]:
    """Return what there is to write in the source of a cell, in order.

    Raises SyntaxError where the source is not Python.
    """
    found, seen = [], {}
    for node in ast.parse(source).body:
        name = _name(node)
        if not name:
            continue
        seen[name] = seen.get(name, 0) + 1
        name = name if seen[name] == 1 else f"{name} ({seen[name]})"
        first = min([node.lineno, *(d.lineno for d in _decorators(node))])
        found.append(Unit(name, first, node.end_lineno, node))
    return found


def _name(node: ast.stmt) -> str:
    """The name of the unit that a statement is, or an empty string."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return node.name if any(map(_has_body, _functions(node))) else ""
    if list(_rules(node)):
        return f"define {node.value.args[0].value}"
    return ""


def _decorators(node: ast.stmt) -> list[ast.expr]:
    return getattr(node, "decorator_list", [])


def _functions(node: ast.stmt) -> Iterator[ast.FunctionDef]:
    """A function itself, or the methods of a class and of the classes in it."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        yield node
    elif isinstance(node, ast.ClassDef):
        for member in node.body:
            yield from _functions(member)


def _statements(function: ast.FunctionDef) -> list[ast.stmt]:
    """The body of a function without its docstring."""
    body = function.body
    return body[1:] if ast.get_docstring(function) is not None else body


def _has_body(function: ast.FunctionDef) -> bool:
    """True where a function does something that a reader can write."""
    return any(
        not isinstance(step, ast.Pass)
        and not (isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant))
        for step in _statements(function)
    )


def _rules(node: ast.stmt) -> Iterator[ast.Lambda]:
    """The rules in a statement ``define("mul", np.multiply, x=lambda g, y: …, …)``."""
    call = node.value if isinstance(node, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Name)):
        return
    named = call.args and isinstance(call.args[0], ast.Constant)
    if call.func.id != "define" or not named:
        return
    for keyword in call.keywords:
        rule = keyword.value
        if isinstance(rule, ast.Lambda) and _arguments(rule)[:1] == ["g"]:
            yield rule


def _arguments(function: ast.Lambda) -> list[str]:
    return [argument.arg for argument in function.args.args]


# ------------------------------------------------------------------------- emptying


def empty(source: str, chapter: int) -> str:
    """Return the source of a cell with its units emptied; see the module's text."""
    cuts = []
    for unit in units(source):
        if unit.is_rule:
            cuts += [(_span(rule.body), EMPTY_RULE) for rule in _rules(unit.node)]
        for function in _functions(unit.node):
            if _has_body(function):
                owner = f"{unit.name}." if function is not unit.node else ""
                cuts.append(_cut(source, function, owner, chapter))
    return _replace(source, cuts)


def _cut(source: str, function: ast.FunctionDef, owner: str, chapter: int):
    """The lines of a body, and what stands there instead."""
    first = _end_of_signature(source, function) + 1
    if ast.get_docstring(function) is not None:
        first = function.body[0].end_lineno + 1
    last = function.end_lineno
    indent = " " * (function.col_offset + 4)
    text = f'raise NotImplementedError("Chapter {chapter}: write `{owner}{{}}`")'
    text = text.format(function.name)
    line = source.split("\n")[last - 1]
    end = (last, len(line.encode()))
    return ((first, 0), end), f"{indent}{text}"


def _end_of_signature(source: str, function: ast.FunctionDef) -> int:
    """The line on which the signature of a function ends."""
    lines = source.split("\n")[function.lineno - 1 :]
    text = "\n".join(lines) + "\n"
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NEWLINE:
            return function.lineno + token.start[0] - 1
    raise ValueError(f"{function.name} has no end")


def _span(node: ast.expr) -> tuple[tuple[int, int], tuple[int, int]]:
    return (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)


def _replace(source: str, cuts: Iterable) -> str:
    """Replace spans of lines and bytes, from the last to the first."""
    lines = [line.encode() for line in source.split("\n")]
    for ((first, a), (last, b)), text in sorted(cuts, reverse=True):
        new = lines[first - 1][:a] + text.encode() + lines[last - 1][b:]
        lines[first - 1 : last] = new.split(b"\n")
    return b"\n".join(lines).decode()


def unwritten(unit: Unit, model: Unit, chapter: int) -> list[str]:
    """Return what of a unit is still empty, by name: functions, methods, operands.

    ``model`` is the same unit in the book: what does nothing there may do nothing.
    """
    if unit.is_rule:
        operands = {id(k.value): k.arg for k in unit.node.value.keywords}
        blank = {EMPTY_RULE, "..."}
        rules = [rule for rule in _rules(unit.node) if ast.unparse(rule.body) in blank]
        return [f"{unit.name[7:]}, {operands[id(rule)]}" for rule in rules]
    busy = [f.name for f in _functions(model.node) if _has_body(f)]
    written = {f.name for f in _functions(unit.node) if _is_written(f, chapter)}
    return [name for name in dict.fromkeys(busy) if name not in written]


def _is_written(function: ast.FunctionDef, chapter: int) -> bool:
    """True where something stands in a function, and not the placeholder."""
    if not _has_body(function):
        return False
    text = ast.unparse(_statements(function)[-1])
    empty = text.startswith("raise NotImplementedError(")
    return not (empty and f"Chapter {chapter}: write `" in text)


# ------------------------------------------------------------------- mixing two cells


def mix(mine: str, books: str, lent: Iterable[str], *, rest: bool = False) -> str:
    """Return my cell with some units lent by the book's.

    Parameters
    ----------
    mine, books
        Two sources of one cell.
    lent
        The names of the units that the book lends. One that my cell lacks is appended.
    rest
        Whether the book lends what is no unit as well: imports, constants, order.
    """
    try:
        here = {unit.name: _text(mine, unit) for unit in units(mine)}
    except SyntaxError:
        return books
    there = {unit.name: _text(books, unit) for unit in units(books)}
    lent = {name for name in there if name in set(lent)}
    base, others = (books, here) if rest else (mine, there)
    wanted = {*there} - lent if rest else lent
    cuts, known = [], set()
    for unit in units(base):
        known.add(unit.name)
        if unit.name in wanted and unit.name in others:
            end = len(base.split("\n")[unit.last - 1].encode())
            cuts.append((((unit.first, 0), (unit.last, end)), others[unit.name]))
    text = _replace(base, cuts)
    missing = [others[name] for name in others if name in wanted and name not in known]
    return "\n\n\n".join([text, *missing])


def _text(source: str, unit: Unit) -> str:
    return "\n".join(source.split("\n")[unit.first - 1 : unit.last])


def rest_of(source: str) -> str:
    """Return what a cell says besides its units, without comments and layout."""
    body = [node for node in ast.parse(source).body if not _name(node)]
    return ast.unparse(ast.Module(body, []))


# ---------------------------------------------------------------------- the exports


@dataclass(frozen=True)
class Export:
    """An exported cell: its ``id``, the ``file`` it goes into, and its ``code``."""

    id: str
    file: str
    code: str

    @property
    def to_write(self) -> list[Unit]:
        """The units of the cell, none in a file that is given."""
        return [] if self.file in GIVEN else units(self.code)


def exports(path: Path) -> list[Export]:
    """Return the exported cells of a notebook in order.

    Raises
    ------
    cells.NotebookError
        If the file is not a notebook.
    """
    found = []
    for cell in cells.read(path).cells:
        line, _, code = cell.source.partition("\n")
        directive = tangle.DIRECTIVE.fullmatch(line)
        if cell.cell_type == "code" and directive:
            found.append(Export(cell.id, directive[1], code.strip("\n").rstrip()))
    return found


@cache
def books_exports(chapter: Chapter) -> tuple[Export, ...]:
    """Return the exported cells of a chapter, as the book has them."""
    return tuple(exports(chapter.file))


# ---------------------------------------------------------------------- the workbook


def emptied(chapter: Chapter) -> nbformat.NotebookNode:
    """Return the reader's copy of a chapter."""
    notebook = cells.read(chapter.file)
    by_id = {export.id: export for export in books_exports(chapter)}
    for cell in notebook.cells:
        export = by_id.get(cell.id)
        if export is not None and export.to_write:
            line, _, code = cell.source.partition("\n")
            cell.source = f"{line}\n{empty(code, chapter.number)}"
            cell.metadata.setdefault("tags", []).append(TAG)
    text = INTRODUCTION.format(number=chapter.number)
    identity = {"id": "workbook-introduction"}
    notebook.cells.insert(1, nbformat.v4.new_markdown_cell(text, **identity))
    return notebook


def write(root: Path = ROOT, *, renew: Iterable[int] = ()) -> list[str]:
    """Write ``workbook/``, never over what the reader has begun; return what is new.

    A chapter to ``renew`` is begun again; the old copy stays beside it, as ``….old``.
    """
    folder, made = Path(root) / FOLDER, []
    for chapter in toc.chapters(root):
        path = folder / chapter.file.name
        if chapter.number in set(renew) and path.exists():
            shutil.copy(path, path.with_suffix(".ipynb.old"))
            path.unlink()
        if not path.exists():
            cells.write(emptied(chapter), path)
            made.append(path.name)
        cells.write_text(folder / "checks" / f"{chapter.file.stem}.md", checks(chapter))
    for name in ("data", "_static"):  # what the notebooks read and show
        if (Path(root) / "book" / name).is_dir():
            shutil.copytree(
                Path(root) / "book" / name, folder / name, dirs_exist_ok=True
            )
    return made


def checks(chapter: Chapter) -> str:
    """Return a page of Markdown: what the checks of a chapter are."""
    import grading  # which knows the tests, and imports this module

    return grading.described(chapter)


def summary(chapters: Iterable[Chapter]) -> Mapping[int, int]:
    """Return how many marks each chapter has."""
    return {
        chapter.number: sum(len(e.to_write) for e in books_exports(chapter))
        for chapter in chapters
    }


def main(arguments: list[str] | None = None) -> int:
    """Write the workbook and say what is in it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--renew",
        type=int,
        action="append",
        default=[],
        metavar="N",
        help="begin chapter N again; the old copy is kept as ….ipynb.old",
    )
    options = parser.parse_args(arguments)
    import grading

    made = write(renew=options.renew)
    grading.write_page(grading.Progress.load(ROOT / FOLDER))
    count = sum(summary(toc.chapters()).values())
    print(
        f"{FOLDER}/: {len(made)} notebooks new, {count} things to write in all.\n"
        f"Open them with: python tools/do.py lab {FOLDER}\n"
        "Then: python tools/do.py grade --chapter 1"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
