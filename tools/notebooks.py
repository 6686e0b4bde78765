"""Keep the notebooks: normal form, execution, and editing as text.

    python tools/notebooks.py normalize            bring all notebooks into normal form
    python tools/notebooks.py normalize --check    fail if one is not
    python tools/notebooks.py execute --chapter 2  run chapter 2 and store its outputs
    python tools/notebooks.py to-text 2 DIR        write chapter 2 as text to DIR
    python tools/notebooks.py from-text 2 DIR      put the edited text back

Wherever a chapter is asked for, its number or the path of a notebook will do.
"""

import argparse
import difflib
import re
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import islice
from pathlib import Path
from textwrap import dedent

from nbclient import NotebookClient
from nbclient.exceptions import (
    CellExecutionError,
    CellTimeoutError,
    DeadKernelError,
)
from nbformat import NotebookNode

import cells
import kernels
import tangle
import text_form
from cells import NotebookError, Problem
from toc import ROOT, TocError, chapters

TIMEOUT = 120  # seconds for one cell
KERNEL = {"display_name": "Python 3", "name": "python3"}
LANGUAGE = {"name": "python"}
NOTEBOOK_NOISE = {
    *(
        "accelerator",
        "celltoolbar",
        "colab",
        "interpreter",
        "jupytext",
        "orig_nbformat",
    ),
    *("papermill", "signature", "toc", "toc-autonumbering", "varInspector", "vscode"),
    *("widgets", "execution"),
}
CELL_NOISE = {
    *("ExecuteTime", "autoscroll", "collapsed", "colab", "colab_type", "editable"),
    *("execution", "heading_collapsed", "hidden", "id", "jp-MarkdownHeadingCollapsed"),
    *("outputId", "papermill", "pycharm", "scrolled", "slideshow", "trusted", "vscode"),
}
JUPYTER_NOISE = {"outputs_hidden", "outputs_collapsed"}
WIDGET = "application/vnd.jupyter.widget-view+json"
# A path of this machine in a traceback, up to the part that is the same everywhere.
MACHINE_PATH = re.compile(
    r"(?:~|[A-Za-z]:)?[/\\](?:[^\s:'\"\x1b]*[/\\])?"
    r"(?:(?:site|dist)-packages[/\\]|python3\.\d+[/\\]|(?=(?:minigrad|bookkit)[/\\]))"
)


class ExecutionFailed(Exception):
    """A notebook did not run to its end; ``problem`` says where and why."""

    def __init__(self, problem: Problem):
        super().__init__(str(problem))
        self.problem = problem


# ------------------------------------------------------------------------ normal form


def normalized(notebook: NotebookNode) -> NotebookNode:
    """Return a notebook in the one form in which it is committed.

    What is removed says when, where or in which window it was last run; what a reader
    or a tool of the book needs (sources, outputs, ids, tags, other metadata) stays.
    Code cells that have run are numbered from 1; one that has not stays unnumbered, so
    that it is noticed.
    """
    notebook = deepcopy(notebook)
    cells.give_ids(notebook.cells)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    _drop(notebook.metadata, NOTEBOOK_NOISE)
    notebook.metadata.update(kernelspec=dict(KERNEL), language_info=dict(LANGUAGE))
    number = 0
    for cell in notebook.cells:
        number += cells.has_code(cell)
        _normalize_cell(cell, number)
    return notebook


def _normalize_cell(cell: NotebookNode, number: int) -> None:
    """Bring one cell into normal form; ``number`` is its place among the code cells."""
    if "jupyter" in cell.metadata:
        _drop(cell.metadata.jupyter, JUPYTER_NOISE)
    _drop(cell.metadata, CELL_NOISE)
    if not cell.get("attachments", True):
        del cell.attachments
    if cell.cell_type != "raw":
        cell.source = cell.source.replace("\r\n", "\n").strip("\n").rstrip()
    if cell.cell_type == "code":
        ran = cell.execution_count is not None and cells.has_code(cell)
        cell.execution_count = number if ran else None
        cell.outputs = [
            _normalized_output(output, cell.execution_count)
            for output in _merge_streams(cell.outputs)
        ]


def _drop(metadata: NotebookNode, noise: set[str]) -> None:
    """Remove noise, and entries that say nothing, from metadata."""
    for name in list(metadata):
        if name in noise or metadata[name] in ({}, [], "", None):
            del metadata[name]


def _merge_streams(outputs: Iterable[NotebookNode]) -> Iterator[NotebookNode]:
    """Join what a cell printed in pieces; how it was cut is a matter of timing."""
    previous = None
    for output in outputs:
        name = output.get("name") if output.output_type == "stream" else None
        if name and previous and previous.get("name") == name:
            previous.text += output.text
            continue
        if previous:
            yield previous
        previous = output
    if previous:
        yield previous


def _normalized_output(output: NotebookNode, count: int | None) -> NotebookNode:
    """Bring one output into normal form."""
    if "execution_count" in output:
        output.execution_count = count
    if output.output_type == "error":
        output.traceback = [MACHINE_PATH.sub("", line) for line in output.traceback]
    if "data" in output:
        output.data.pop(WIDGET, None)
    return output


def normalize(paths: Iterable[Path], *, check: bool = False) -> list[Problem]:
    """Bring notebooks into normal form, or only ``check`` it; return what is wrong."""
    problems = []
    for path in paths:
        name = _name(path)
        try:
            wanted = cells.dumps(normalized(cells.read(path)))
        except NotebookError as error:
            problems.append(Problem(name, str(error), "repair or restore the file"))
            continue
        found = path.read_bytes().decode("utf-8")
        if found == wanted:
            continue
        if check:
            problems.append(_not_normal(name, found, wanted))
        else:
            cells.write_text(path, wanted)
            print(f"normalised {name}")
    return problems


def _not_normal(name: str, found: str, wanted: str) -> Problem:
    """Show the first lines that differ from normal form."""
    diff = difflib.unified_diff(
        found.splitlines(), wanted.splitlines(), "as it is", "in normal form", n=1
    )
    lines = [line.rstrip("\n")[:100] for line in islice(diff, 10)]
    what = "the notebook is not in normal form\n" + "\n".join(lines)
    return Problem(name, what, "run `make normalize` and commit the result")


# -------------------------------------------------------------------------- execution


def execute(path: Path, *, name: str = "", timeout: int = TIMEOUT) -> bool:
    """Run a notebook from top to bottom and store it, outputs and all, in normal form.

    Parameters
    ----------
    path
        The notebook. It runs in its own folder, on this Python, in the environment of
        `kernels.environment`.
    name
        What to call it in messages, such as the chapter's number and title.
    timeout
        Seconds that one cell may take.

    Returns
    -------
    True if the file has changed.

    Raises
    ------
    ExecutionFailed
        If a cell fails, takes too long, or was to fail and did not. The file is left
        as it was.
    NotebookError
        If the file is not a notebook.
    """
    notebook = cells.read(path)
    progress = _Progress(name or _name(path), notebook)
    client = NotebookClient(
        notebook,
        km=kernels.manager(),
        timeout=timeout,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
        on_cell_execute=progress.show,
    )
    try:
        client.execute(cleanup_kc=True, env=kernels.environment())
    except CellExecutionError as error:
        raised = f"{error.ename}: {error.evalue}"
        raise progress.failed(f"{raised}\n{progress.traceback()}") from None
    except CellTimeoutError:
        raise progress.failed(f"the cell took longer than {timeout} s") from None
    except DeadKernelError:
        raise progress.failed("the kernel died (out of memory?)") from None
    finally:
        progress.end()
    for index, cell in enumerate(notebook.cells):
        if "raises-exception" in cells.tags(cell) and not _raised(cell):
            progress.index = index
            raise progress.failed("tagged `raises-exception`, but nothing was raised")
    return cells.write(normalized(notebook), path)


class _Progress:
    """Knows which cell is running; shows it in place, or a line each off a terminal."""

    def __init__(self, name: str, notebook: NotebookNode):
        self.name, self.cells = name, notebook.cells
        self.index = 0
        self.began = time.monotonic()
        self.in_place = sys.stdout.isatty()
        print(name, flush=True)

    def show(self, cell: NotebookNode, cell_index: int) -> None:
        """Show a cell that begins to run (nbclient calls this)."""
        self.index = cell_index
        place = f"cell {cell_index + 1:3} of {len(self.cells)}"
        seconds = time.monotonic() - self.began
        line = f"  {seconds:4.0f} s  {place}  {cells.first_line(cell)}"[:78]
        print(f"\r{line:<78}" if self.in_place else line, end="", flush=True)
        print(end="" if self.in_place else "\n", flush=True)

    def end(self) -> None:
        """Leave the line that was written in place."""
        print(end="\n" if self.in_place else "", flush=True)

    def traceback(self, most: int = 12) -> str:
        """Return the end of what the current cell raised, without colours."""
        outputs = self.cells[self.index].outputs
        lines = [t for output in outputs for t in output.get("traceback", [])]
        plain = re.sub(r"\x1b\[[0-9;]*m", "", "\n".join(lines))
        return "\n".join(plain.rstrip().splitlines()[-most:])

    def failed(self, what: str) -> ExecutionFailed:
        """Return the error to raise about the cell that ran last."""
        cell = self.cells[self.index]
        where = cells.place(self.name, self.index + 1, cell)
        remedy = (
            "the notebook is as it was; mend the cell (`make lab`, or as text, see "
            "CONTRIBUTING.md) and execute again"
        )
        if "No module named 'minigrad" in what:
            remedy = "run `make tangle` first: it writes what earlier chapters export"
        problem = Problem(where, f"{cells.first_line(cell)}\n{what}", remedy)
        return ExecutionFailed(problem)


def _raised(cell: NotebookNode) -> bool:
    return any(output.output_type == "error" for output in cell.get("outputs", []))


# ----------------------------------------------------------------------- text and back


def to_text(path: Path, folder: Path) -> Path:
    """Write a notebook as MyST text into ``folder``; return the path of the text."""
    text = folder / f"{path.stem}.md"
    cells.write_text(text, text_form.to_text(cells.read(path)))
    return text


def from_text(path: Path, folder: Path) -> int:
    """Put edited text back into its notebook; return how many cells now lack outputs.

    Raises
    ------
    NotebookError
        If the text is missing or cannot be parsed.
    """
    source = folder / f"{path.stem}.md"
    try:
        text = source.read_text(encoding="utf-8")
    except OSError as error:
        raise NotebookError(f"the text cannot be read: {error}") from error
    previous = cells.read(path) if path.exists() else None
    notebook = normalized(text_form.from_text(text, previous))
    cells.write(notebook, path)
    code = filter(cells.has_code, notebook.cells)
    return sum(cell.execution_count is None for cell in code)


# ------------------------------------------------------------------------ the commands


def _name(path: Path) -> str:
    """Return a path as messages show it: from the repository's root, if it is below."""
    path = path.resolve()
    return (path.relative_to(ROOT) if path.is_relative_to(ROOT) else path).as_posix()


def _choose(wanted: str) -> tuple[Path, str]:
    """Return the path and the name of a chapter, given by number or by path.

    Raises
    ------
    NotebookError
        If there is no such chapter or file.
    """
    if wanted.isdigit():
        contents = chapters()
        if not 1 <= int(wanted) <= len(contents):
            raise NotebookError(
                f"there is no chapter {wanted}: see `python tools/toc.py`"
            )
        chapter = contents[int(wanted) - 1]
        return chapter.file, str(chapter)
    path = Path(wanted)
    if path.suffix != ".ipynb":
        raise NotebookError("give the number of a chapter or the path of a notebook")
    return path, _name(path)


def _run_normalize(options: argparse.Namespace) -> int:
    """Bring notebooks into normal form.

    Strips times, the state of windows and the remarks of editors, numbers the cells
    that have run, and gives an id to each cell that lacks one. Doing it twice changes
    nothing more.
    """
    paths = options.notebooks or tangle.notebooks()
    problems = normalize(paths, check=options.check)
    cells.report(problems)
    if not problems:
        print(f"{len(paths)} notebooks are in normal form")
    return bool(problems)


def _run_execute(options: argparse.Namespace) -> int:
    """Run notebooks from top to bottom and store their outputs, in normal form.

    A notebook in which a cell fails is left as it was. Look at the difference (git
    diff) before you commit.
    """
    wanted = [*options.notebooks, *options.chapter]
    if options.all:
        wanted = [str(path) for path in tangle.notebooks()]
    failed = 0
    for path, name in map(_choose, wanted):
        try:
            changed = execute(path, name=name, timeout=options.timeout)
        except ExecutionFailed as failure:
            cells.report([failure.problem])
            failed += 1
        else:
            print("  stored, changed" if changed else "  stored, nothing changed")
    if failed and len(wanted) > 1:
        print(f"\n{failed} of {len(wanted)} notebooks failed", file=sys.stderr)
    return bool(failed)


def _run_to_text(options: argparse.Namespace) -> int:
    """Write a chapter as text (MyST Markdown) into DIR, to edit it there.

    Prose, code, tags and other cell metadata are in the text; ids and outputs stay in
    the notebook. A cell that MyST cannot hold is carried in its metadata. Nothing is
    lost: the way back is tried before the text is written.
    """
    path, _ = _choose(options.chapter)
    print(to_text(path, options.folder))
    return 0


def _run_from_text(options: argparse.Namespace) -> int:
    """Put an edited text from DIR back into its notebook.

    Cells keep their ids, and their outputs where the code is the same. A notebook that
    does not exist yet is made: give its path instead of a number.
    """
    path, name = _choose(options.chapter)
    missing = from_text(path, options.folder)
    print(f"{name}: {missing} code cells are without outputs")
    if missing:
        print("next: python tools/notebooks.py execute", options.chapter)
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable) -> argparse.ArgumentParser:
        """Add a command that is explained by its function's docstring."""
        summary, _, details = run.__doc__.partition("\n\n")
        made = commands.add_parser(
            name,
            help=summary.rstrip("."),
            description=f"{summary}\n\n{dedent(details)}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        made.set_defaults(run=run)
        return made

    normal = command("normalize", _run_normalize)
    normal.add_argument(
        "--check", action="store_true", help="change nothing; fail if one is not normal"
    )
    normal.add_argument(
        "notebooks", nargs="*", type=Path, help="paths (default: all below book/)"
    )

    run = command("execute", _run_execute)
    which = run.add_mutually_exclusive_group(required=True)
    which.add_argument("--all", action="store_true", help="every notebook below book/")
    which.add_argument(
        "--chapter", action="append", default=[], metavar="N", help="may be repeated"
    )
    which.add_argument(
        "notebooks", nargs="*", default=[], help="numbers of chapters, or paths"
    )
    run.add_argument(
        "--timeout", type=int, default=TIMEOUT, help="seconds for a cell (%(default)s)"
    )

    for made in command("to-text", _run_to_text), command("from-text", _run_from_text):
        made.add_argument("chapter", help="the number of a chapter, or a path")
        made.add_argument("folder", type=Path, metavar="DIR", help="where the text is")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 when all is well, 1 when something is wrong."""
    options = _parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except (NotebookError, TocError) as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
