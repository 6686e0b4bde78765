r"""Write the package ``minigrad/`` from the chapters of the book.

A code cell whose first line is

    #| file: minigrad/autograd/engine.py

is the source of that part of that file. Each file consists of its cells in reading
order, under one line that says where it comes from.

    python tools/tangle.py                 write minigrad/
    python tools/tangle.py --check         compare; fail on any byte of difference
    python tools/tangle.py --until 3 DIR   write the package before chapter 3 to DIR

The rules that a chapter keeps:

* the directive is the cell's first line, spelled exactly as above, and the path is that
  of a Python module inside ``minigrad/``;
* the first cell of a file begins with the module's docstring, and no other cell does;
* an exported cell is plain Python that compiles: absolute imports, no magics;
* each package has an exported ``__init__.py``.

All breaches are reported together, by chapter and cell, and nothing is written.
"""

import argparse
import ast
import difflib
import keyword
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, pairwise, zip_longest
from pathlib import Path, PurePosixPath

from nbformat import NotebookNode

import cells
from cells import Problem
from toc import ROOT, Chapter, TocError, chapters, documents

PACKAGE = "minigrad"
HEADER = "# Generated from "
DIRECTIVE = re.compile(r"#\| file: (.*)")
# What may be meant as one: `#|file:`, `# | File`, `#| fiel:`, `# file: minigrad/…`
ATTEMPT = re.compile(
    rf"\s*#+\s*(\|\s*(file|\w+\s*:)|files?\b\s*[:=]?\s*['\"]?[./]*{PACKAGE}\b)", re.I
)
SPELLING = f"`#| file: {PACKAGE}/<module>.py` as the first line of the cell"
READER_TAGS = {"exercise", "exercise-check", "solution", "raises-exception"}
IGNORED = re.compile(r"__pycache__|\..*|.*\.py[co]")
LINE_LENGTH = 88
RETANGLE = "run `make tangle`"


class TangleError(Exception):
    """The chapters cannot be tangled; ``problems`` lists everything that is wrong."""

    def __init__(self, problems: list[Problem]):
        super().__init__("\n\n".join(map(str, problems)))
        self.problems = problems


@dataclass(frozen=True)
class Cell:
    """An exported cell: consecutive lines of one file."""

    chapter: Chapter
    where: str
    file: str
    source: str  # with the directive, as it stands in the notebook
    sound: bool = True  # False for a cell that breaks a rule by itself

    @property
    def code(self) -> str:
        """What goes into the file: everything below the directive."""
        return self.source.partition("\n")[2].strip("\n").rstrip()

    @cached_property
    def tree(self) -> ast.Module:
        """The cell as the parser sees it, with the line numbers of the notebook."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)  # ruff reports these
            return ast.parse(self.source)

    @property
    def has_docstring(self) -> bool:
        """True when the cell begins with a module docstring."""
        return ast.get_docstring(self.tree, clean=False) is not None


@dataclass(frozen=True)
class Module:
    """One generated file."""

    file: str
    cells: tuple[Cell, ...]

    @property
    def sound(self) -> bool:
        """True unless a cell breaks a rule by itself."""
        return all(cell.sound for cell in self.cells)

    @property
    def chapters(self) -> list[Chapter]:
        """The chapters that contribute, in reading order."""
        return list(dict.fromkeys(cell.chapter for cell in self.cells))

    @cached_property
    def parts(self) -> list[str]:
        """The header and the cells, each with the blank lines that follow it.

        The blank lines are those that ``ruff format`` wants: two between cells, one
        after a docstring that stands alone, unless a definition follows.
        """
        header = f"{_header(self.chapters, self.file)}\n"
        codes = [f"{cell.code}\n" for cell in self.cells]
        for k, (cell, following) in enumerate(pairwise(self.cells)):
            alone = k == 0 and len(cell.tree.body) == 1
            codes[k] += "\n" if alone and not _defines(following) else "\n\n"
        return [header, *codes]

    @property
    def text(self) -> str:
        """The content of the file."""
        return "".join(self.parts)

    def origin(self, line: int) -> Cell | None:
        """Return the cell that a line of the file comes from; None for the header."""
        ends = accumulate(part.count("\n") for part in self.parts)
        sources = [None, *self.cells]
        limits = zip(ends, sources, strict=True)
        return next((source for end, source in limits if line <= end), sources[-1])


def modules(root: Path = ROOT, before: int | None = None) -> dict[str, Module]:
    """Return the files that the chapters (those before one, if given) consist of.

    Raises
    ------
    TangleError
        With everything that is wrong in these chapters. Without ``before``, notebooks
        outside the chapters that export are wrong too.
    TocError
        If the table of contents cannot be used.
    """
    contents = chapters(root)
    if before is not None and not 1 <= before <= len(contents) + 1:
        raise TangleError([_no_such_chapter(before, len(contents))])
    problems: list[Problem] = []
    found: list[Cell] = []
    for chapter in contents if before is None else contents[: before - 1]:
        found += _collect(chapter, problems)
    grouped = {
        file: Module(file, tuple(cell for cell in found if cell.file == file))
        for file in dict.fromkeys(cell.file for cell in found)
    }
    for module in grouped.values():
        if module.sound:
            problems += _module_problems(module)
    problems += _layout_problems(grouped, complete=before is None)
    if before is None:
        problems += _stray_exports(root, contents)
    if problems:
        raise TangleError(problems)
    return grouped


def exported(chapter: Chapter) -> list[tuple[str, str]]:
    """Return (file, source) of each cell that a chapter exports, in order.

    Cells that break the rules are left out: `modules` reports them.
    """
    return [(cell.file, cell.code) for cell in _collect(chapter, []) if cell.sound]


def pieces(root: Path = ROOT) -> dict[str, list[Chapter]]:
    """Return, for each file of the package, the chapters that contribute to it."""
    return {module.file: module.chapters for module in modules(root).values()}


# ------------------------------------------------------------------ reading chapters


def _collect(chapter: Chapter, problems: list[Problem]) -> list[Cell]:
    """Return the exported cells of a chapter; add what is wrong to ``problems``."""
    try:
        notebook = cells.read(chapter.file)
    except cells.NotebookError as error:
        problems.append(Problem(str(chapter), str(error), "repair or restore the file"))
        return []
    found = []
    for number, node in enumerate(notebook.cells, start=1):
        if not _attempts(node):
            continue
        where = cells.place(chapter, number, node)
        faults = list(_directive_problems(where, node))
        if not faults:
            file = DIRECTIVE.fullmatch(node.source.partition("\n")[0])[1]
            cell = Cell(chapter, where, file, node.source)
            faults = [*_path_problems(cell), *_code_problems(cell)]
            found.append(replace(cell, sound=not faults))
        problems += faults
    return found


def _attempts(node: NotebookNode) -> list[int]:
    """Return the lines (from 1) of a cell that are, or were meant as, a directive."""
    lines = node.source.split("\n")
    if node.cell_type != "code":
        lines = lines[:1] if lines[0].lstrip().startswith("#|") else []
    return [number for number, line in enumerate(lines, 1) if ATTEMPT.match(line)]


def _directive_problems(where: str, node: NotebookNode) -> Iterator[Problem]:
    """Complain about a directive that is misspelled, misplaced or on the wrong cell."""
    lines = node.source.split("\n")
    for number in _attempts(node):
        line = lines[number - 1]
        if number > 1:
            what = f"line {number} looks like a directive, below the first line: {line}"
        elif not DIRECTIVE.fullmatch(line):
            what = f"the directive is misspelled: {line}"
        else:
            continue
        yield Problem(where, what, f"write {SPELLING}")
    if node.cell_type != "code":
        yield Problem(
            where,
            f"a {node.cell_type} cell cannot be exported",
            "make it a code cell, or remove the directive",
        )
    for tag in sorted(READER_TAGS.intersection(cells.tags(node))):
        yield Problem(
            where,
            f"a cell tagged `{tag}` cannot be exported",
            "remove the tag, or the directive",
        )


def _path_problems(cell: Cell) -> Iterator[Problem]:
    """Complain about a path that is not a module of the package."""

    def wrong(what: str) -> Problem:
        remedy = f"write a path such as {PACKAGE}/autograd/engine.py"
        return Problem(cell.where, f"cannot export to `{cell.file}`: {what}", remedy)

    path = PurePosixPath(cell.file)
    if "\\" in cell.file:
        yield wrong("paths are written with forward slashes")
    elif path.is_absolute() or re.match(r"[A-Za-z]:", cell.file):
        yield wrong("the path is absolute")
    elif not cell.file.startswith(f"{PACKAGE}/") or ".." in path.parts:
        yield wrong(f"the path leads outside {PACKAGE}/")
    elif path.suffix != ".py":
        yield wrong("a module's file ends in .py")
    elif path.as_posix() != cell.file:
        yield wrong(f"the path is not in its plain form, `{path.as_posix()}`")
    else:
        for name in path.with_suffix("").parts:
            if not re.fullmatch(r"[a-z_][a-z0-9_]*", name) or keyword.iskeyword(name):
                yield wrong(f"`{name}` is not a lower-case name that can be imported")


def _code_problems(cell: Cell) -> Iterator[Problem]:
    """Complain about code that is empty, does not compile, or imports relatively."""
    try:
        compile(cell.tree, cell.file, "exec", dont_inherit=True)
    except SyntaxError as error:
        yield _syntax_problem(cell, error)
        return
    except ValueError as error:  # halves of surrogate pairs
        yield Problem(cell.where, f"not Python: {error}", "correct the cell")
        return
    if not cell.tree.body:
        yield Problem(
            cell.where,
            "the cell exports nothing: no code follows the directive",
            "write the code, or remove the cell",
        )
    for node in ast.walk(cell.tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            yield Problem(
                cell.where,
                f"line {node.lineno}: a relative import works only in the package, not "
                "in the notebook",
                f"import absolutely: from {PACKAGE}.{node.module or '…'} import …",
            )


def _syntax_problem(cell: Cell, error: SyntaxError) -> Problem:
    """Point at a syntax error; say so when it is a notebook command."""
    number = error.lineno or 1  # None where the text is no Python at all
    line = cell.source.split("\n")[number - 1]
    if re.match(r"\s*(%|!|\?)|.*\?$", line):
        what = "a magic or shell command works only in a notebook"
        remedy = "move the command to a cell that is not exported"
    else:
        what, remedy = f"syntax error: {error.msg}", "correct the cell"
    shown = line.expandtabs(1)
    caret = " " * (min(error.offset or 1, len(shown) + 1) - 1) + "^"
    return Problem(cell.where, f"line {number}: {what}\n  {shown}\n  {caret}", remedy)


# ------------------------------------------------------------- rules across the cells


def _module_problems(module: Module) -> Iterator[Problem]:
    """Complain about a file's docstring header and its ``__future__`` imports."""
    first, *others = module.cells
    if not first.has_docstring:
        yield Problem(
            first.where,
            f"{module.file} begins here, but not with a docstring",
            "begin the cell with the module's docstring, right below the directive",
        )
    for cell in others:
        if cell.has_docstring:
            yield Problem(
                cell.where,
                f"two cells claim the docstring header of {module.file}; the first is\n"
                f"{first.where}",
                "turn this docstring into a comment, or export to another file",
            )
        for node in cell.tree.body:
            if isinstance(node, ast.ImportFrom) and node.module == "__future__":
                yield Problem(
                    cell.where,
                    f"line {node.lineno}: a __future__ import must stand at the top of "
                    f"{module.file}",
                    f"move it below the docstring, to {first.where}",
                )


def _layout_problems(
    grouped: dict[str, Module], *, complete: bool
) -> Iterator[Problem]:
    """Complain about packages without ``__init__.py``, or with a module's name.

    A snapshot need not be ``complete``: its root may still lack ``__init__.py``.
    """
    sound = {file: module for file, module in grouped.items() if module.sound}
    packages: dict[str, Module] = {}
    for module in sound.values():
        for folder in list(PurePosixPath(module.file).parents)[-2::-1]:
            packages.setdefault(folder.as_posix(), module)
    for package, module in packages.items():
        where = module.cells[0].where
        init = f"{package}/__init__.py"
        if init not in grouped and (complete or package != PACKAGE):
            yield Problem(
                where,
                f"{module.file} needs {init}, which no chapter up to here exports",
                f"export {init} (a docstring is enough) in this chapter or before",
            )
        if f"{package}.py" in sound:
            yield Problem(
                where,
                f"{package}.py and {package}/ share one name, and Python sees only the "
                "latter",
                "rename one of them",
            )


def _stray_exports(root: Path, contents: list[Chapter]) -> Iterator[Problem]:
    """Complain about notebooks that export without being a chapter."""
    numbered = {chapter.file for chapter in contents}
    listed = {document.file for document in documents(root)}
    for path in notebooks(root):
        if path in numbered:
            continue
        name = path.relative_to(Path(root).resolve()).as_posix()
        try:
            notebook = cells.read(path)
        except cells.NotebookError as error:
            yield Problem(name, str(error), "repair the file, or remove it")
            continue
        for number, node in enumerate(notebook.cells, start=1):
            if _attempts(node):
                what = (
                    "the notebook exports, but stands in no part with `numbered: true`"
                    if path in listed
                    else "the notebook exports, but is not in the table of contents"
                )
                remedy = "list it in a numbered part of _toc.yml, or remove the export"
                yield Problem(cells.place(name, number, node), what, remedy)


def notebooks(root: Path = ROOT) -> list[Path]:
    """Return all notebooks below ``book/``, in the order of their paths."""
    folder = Path(root).resolve() / "book"
    return sorted(
        path
        for path in folder.rglob("*.ipynb")
        if not any(part.startswith(".") for part in path.relative_to(folder).parts)
    )


def _no_such_chapter(number: int, count: int) -> Problem:
    return Problem(
        f"--until {number}",
        f"the book has chapters 1 to {count}",
        f"name a chapter (or {count + 1}, for the whole package)",
    )


# -------------------------------------------------------------------- writing modules


def _header(contributors: list[Chapter], file: str) -> str:
    """Return the first line of a generated file."""
    if not contributors:
        return f"{HEADER}no chapter: none so far exports {file}."
    numbers = [str(chapter.number) for chapter in contributors]
    if len(numbers) == 1:
        name = f"chapter {numbers[0]}"
        long = f"{HEADER}{name} ({contributors[0].path}): edit the chapter, not this."
        if len(long) <= LINE_LENGTH:
            return long
        return f"{HEADER}{name}: edit the chapter, not this file."
    name = f"chapters {', '.join(numbers[:-1])} and {numbers[-1]}"
    long = f"{HEADER}{name}: edit the chapters, not this file."
    return long if len(long) <= LINE_LENGTH else f"{HEADER}{name}: edit the chapters."


def _defines(cell: Cell) -> bool:
    """True when a cell's first statement is a function or a class."""
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    return isinstance(cell.tree.body[0], kinds)


@dataclass(frozen=True)
class Changes:
    """What `write` did, as paths relative to the folder it wrote to."""

    written: list[str]
    removed: list[str]
    unchanged: list[str]

    def __str__(self) -> str:
        """Summarise in a line, naming what changed."""
        named = [
            f"{len(files)} {verb} ({', '.join(files)})"
            for verb, files in (("written", self.written), ("removed", self.removed))
            if files
        ]
        return "; ".join([*named, f"{len(self.unchanged)} unchanged"])


def write(root: Path = ROOT) -> Changes:
    """Write the package, and remove generated files that no chapter exports any more.

    Files that are right already are not touched.

    Raises
    ------
    TangleError
        If a chapter breaks a rule, or a file in the way was not generated. Nothing has
        been written then.
    TocError
        If the table of contents cannot be used.
    """
    return _write(modules(root), Path(root))


def snapshot(until: int, directory: Path, root: Path = ROOT) -> Changes:
    """Write the package as it is before chapter ``until`` into ``directory``.

    ``directory/minigrad/__init__.py`` is always written, so that an installed minigrad
    cannot show through once ``directory`` is first on the path. Raises as `write` does.
    """
    directory = Path(directory)
    if directory.resolve() == Path(root).resolve():
        raise TangleError([_would_replace_the_package(until)])
    grouped = modules(root, before=until)
    init = f"{PACKAGE}/__init__.py"
    grouped.setdefault(init, Module(init, ()))
    return _write(grouped, directory)


def _would_replace_the_package(until: int) -> Problem:
    return Problem(
        f"--until {until}",
        f"a snapshot here would replace {PACKAGE}/ itself",
        "name another directory",
    )


def _write(grouped: dict[str, Module], directory: Path) -> Changes:
    """Bring ``directory`` to hold these files and no other generated one."""
    present = _files_in(directory)
    if by_hand := [file for file in present if not _is_generated(directory / file)]:
        raise TangleError([_made_by_hand(file) for file in by_hand])
    changed = {
        file: cells.write_text(directory / file, module.text)
        for file, module in grouped.items()
    }
    stale = [file for file in present if file not in grouped]
    for file in stale:
        (directory / file).unlink()
        _remove_empty_folders((directory / file).parent, directory)
    return Changes(
        written=[file for file, written in changed.items() if written],
        removed=stale,
        unchanged=[file for file, written in changed.items() if not written],
    )


def _files_in(directory: Path) -> list[str]:
    """Return the paths of the package's files, without caches and hidden files."""
    paths = (
        path.relative_to(directory)
        for path in sorted((directory / PACKAGE).rglob("*"))
        if not path.is_dir()
    )
    return [
        path.as_posix()
        for path in paths
        if not any(IGNORED.fullmatch(part) for part in path.parts)
    ]


def _is_generated(path: Path) -> bool:
    """True when a file carries the header that `write` gives."""
    return path.read_bytes().startswith(HEADER.encode())


def _made_by_hand(file: str) -> Problem:
    return Problem(
        file,
        "the file was not generated: its first line is not the generated header",
        f"every file of {PACKAGE}/ comes from a chapter: move this one away, put what "
        f"it holds into an exported cell, then {RETANGLE}",
    )


def _remove_empty_folders(folder: Path, top: Path) -> None:
    """Remove a folder that holds nothing but caches, and its parents likewise."""
    while folder != top and all(p.name == "__pycache__" for p in folder.iterdir()):
        shutil.rmtree(folder)
        folder = folder.parent


# --------------------------------------------------------------------------- checking


def check(root: Path = ROOT) -> list[Problem]:
    """Return how the package differs from the chapters; an empty list if it does not.

    Raises as `write` does where the chapters themselves break a rule.
    """
    root = Path(root)
    grouped = modules(root)
    problems = []
    for module in grouped.values():
        path = root / module.file
        if not path.is_file():
            problems.append(_missing(module))
        elif path.read_bytes() != module.text.encode():
            problems.append(_difference(module, path.read_bytes()))
    for file in _files_in(root):
        if file not in grouped:
            stale = _is_generated(root / file)
            problems.append(_left_over(file) if stale else _made_by_hand(file))
    return problems


def _missing(module: Module) -> Problem:
    return Problem(
        module.cells[0].where, f"exports {module.file}, which is missing", RETANGLE
    )


def _left_over(file: str) -> Problem:
    return Problem(file, "no chapter exports this file any more", RETANGLE)


def _difference(module: Module, content: bytes) -> Problem:
    """Show where a file first differs from its chapter, and which cell that is."""
    found = content.decode("utf-8", errors="replace").split("\n")
    wanted = module.text.split("\n")
    pairs = enumerate(zip_longest(found, wanted), start=1)
    number = next((number for number, (old, new) in pairs if old != new), len(wanted))
    origin = module.origin(number)
    source = origin.where if origin else "the header line"
    if content.replace(b"\r\n", b"\n") == module.text.encode():
        excerpt = "the lines end in CR LF; generated files end them in LF"
    else:
        diff = difflib.unified_diff(
            found, wanted, module.file, "the chapters", n=2, lineterm=""
        )
        excerpt = "\n".join(_shorten(diff, 14))
    remedy = (
        f"if the chapter is right, {RETANGLE}; if the file was edited by hand, move "
        f"the edit to the cell, then {RETANGLE}"
    )
    if not content.startswith(HEADER.encode()):
        remedy = f"move the file away, which has lost its header, then {RETANGLE}"
    return Problem(
        f"{module.file}, line {number}, differs from {source}", excerpt, remedy
    )


def _shorten(lines: Iterable[str], most: int) -> Iterator[str]:
    """Yield at most so many lines, saying when there were more."""
    for count, line in enumerate(lines):
        if count == most:
            yield "…"
            return
        yield line


# ------------------------------------------------------------------------ the command


def main(arguments: list[str] | None = None) -> int:
    """Run the command; 0 when all is well, 1 when there are problems."""
    options = _parser().parse_args(arguments)
    try:
        return _action(options)()
    except TocError as error:
        print(error, file=sys.stderr)
    except TangleError as error:
        cells.report(error.problems)
        print(f"\ntangle: {_count(error.problems)}, nothing written", file=sys.stderr)
    return 1


def _action(options: argparse.Namespace) -> Callable[[], int]:
    """Choose what to do from the options."""

    def compare() -> int:
        problems = check(options.root)
        cells.report(problems)
        if problems:
            print(f"\ntangle --check: {_count(problems)}", file=sys.stderr)
            return 1
        print(f"{PACKAGE}/ is what the chapters say")
        return 0

    def write_snapshot() -> int:
        number, directory = options.until
        try:
            number = int(number)
        except ValueError:
            _parser().error(f"--until takes the number of a chapter, not {number!r}")
        changes = snapshot(number, Path(directory), options.root)
        print(f"{directory}/{PACKAGE}, before chapter {number}: {changes}")
        return 0

    def write_package() -> int:
        print(f"{PACKAGE}/: {write(options.root)}")
        return 0

    if options.check:
        return compare
    return write_snapshot if options.until else write_package


def _count(problems: list[Problem]) -> str:
    return f"{len(problems)} problem{'s' * (len(problems) != 1)}"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    action = parser.add_mutually_exclusive_group()
    action.add_argument(
        "--check",
        action="store_true",
        help="compare minigrad/ with the chapters and write nothing",
    )
    action.add_argument(
        "--until",
        nargs=2,
        metavar=("N", "DIR"),
        help="write the package as it is before chapter N into DIR/minigrad",
    )
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
