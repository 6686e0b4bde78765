"""A pytest plugin: nbval that lets nothing pass unseen, and says what to do.

    pytest --nbval book/                    check every notebook
    pytest --nbval book/ -n 2               the same on two processors

Each code cell is run again and must give the output that is stored. nbval compares the
outputs; on top of it, this plugin

* runs the notebook on this Python, in the environment of `kernels.environment`, with
  history, as Jupyter does, and a limit of 60 s for a cell;
* notices at once when the kernel dies;
* fails on a cell that was never run or whose output was stripped, on skipped cells,
  on ``raises-exception`` where nothing is raised, and, where the output is exempt
  (``nbval-ignore-output``), on one of another kind than the stored one;
* compares images too, and drawings as a reader sees them (see `drawings`);
* names the chapter, the cell and what to do;
* counts the exempt cells at the end of the run.

With ``MINIGRAD_SNAPSHOT`` set to a folder, the notebook finds ``minigrad`` there and
nowhere else: this is how the snapshot rule is tested.
"""

import json
import os
import re
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from queue import Empty

import pytest
from nbformat import NotebookNode
from nbval.plugin import IPyNbCell, IPyNbFile

import cells
import drawings
import kernels
import lint
import tangle
from toc import Chapter, TocError, chapters

CELL_TIMEOUT = 60
SNAPSHOT = "MINIGRAD_SNAPSHOT"
IMAGES = ("image/png", "image/jpeg")
SKIPPED = "Skipping a cell is not allowed"
NEVER_RUN = "The cell was never run, or its outputs were stripped"
DIFFERS = "Cell outputs differ"  # nbval's words
# The one part of an output that may differ: the number of the kernel's process, and a
# hash of the cell, in the path that Python's warnings give.
SANITIZED = {r"\S*[/\\]ipykernel_\d+[/\\]\d+\.py": "<cell>"}
# What Python says when a chapter uses a piece of minigrad that is not there yet.
TOO_EARLY = re.compile(
    "outside the snapshot|No module named 'minigrad|cannot import name .* 'minigrad|"
    "module 'minigrad.*' has no attribute"
)
# Run in the kernel after each cell: where do the modules of minigrad come from?
# (In a namespace of its own: what a chapter has named must stay what it is.)
PROBE = """
import sys, importlib.util, json
mine = [name for name in sys.modules if name.split(".")[0] == "minigrad"]
found = {name: sys.modules[name].__file__ for name in mine}
found["minigrad"] = importlib.util.find_spec("minigrad").origin
print(json.dumps(found))
"""
ORIGINS = f"exec({PROBE!r}, {{}})"


def pytest_configure(config: pytest.Config) -> None:
    """Set what must not depend on how pytest is called."""
    option = config.option
    if not getattr(option, "nbval", False):
        return
    option.nbval_current_env = True
    option.nbval_cell_timeout = min(option.nbval_cell_timeout, CELL_TIMEOUT)
    if getattr(option, "dist", "no") == "load":  # would scatter a notebook's cells
        option.dist = "loadscope"


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path, parent: pytest.Collector):
    """Collect notebooks as strict ones."""
    collectors = yield
    return [
        StrictNotebook.from_parent(parent, path=file_path)
        if isinstance(collector, IPyNbFile)
        else collector
        for collector in collectors
    ]


def pytest_terminal_summary(terminalreporter, config: pytest.Config) -> None:
    """Count the cells whose output is exempt from comparison."""
    if getattr(config.option, "nbval", False):
        for line in lint.count_exemptions(config.rootpath):
            terminalreporter.write_line(line)


class StrictNotebook(IPyNbFile):
    """A notebook that is run again, cell by cell."""

    first_failure: "StrictCell | None" = None

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.sanitize_patterns.update(SANITIZED)
        self.skip_compare = tuple(k for k in self.skip_compare if k not in IMAGES)
        self.chapter = _chapter_at(self.path, self.config.rootpath)
        self.label = str(self.chapter or self.path.name)
        self.snapshot = os.environ.get(SNAPSHOT)

    def collect(self) -> Iterator["StrictCell"]:
        """Yield the code cells, numbered among all cells from 1."""
        try:
            found = cells.read(self.path).cells
        except cells.NotebookError as error:
            raise self.CollectError(f"{self.label}: {error}") from None
        numbers = (
            n for n, cell in enumerate(found, start=1) if cell.cell_type == "code"
        )
        for number, item in zip(numbers, super().collect(), strict=True):
            yield StrictCell.from_parent(
                self,
                name=f"cell {number} (id {item.cell.get('id')})",
                cell_num=number,
                cell=item.cell,
                options=item.options,
            )

    def setup(self) -> None:
        """Start the kernel, in the book's environment and with history."""
        folders = [Path(self.snapshot)] if self.snapshot else [self.config.rootpath]
        with pytest.MonkeyPatch.context() as patch:
            for name in kernels.PERSONAL:
                patch.delenv(name, raising=False)
            for name, value in kernels.environment(folders).items():
                patch.setenv(name, value)
            super().setup()
        self.kernel.execute_cell_input = self._execute_with_history
        self.kernel.await_reply = self._await_reply

    def _execute_with_history(self, source: str, allow_stdin: bool = False) -> str:
        """Send a cell as Jupyter does; nbval leaves out history, ``Out`` and ``;``."""
        return self.kernel.kc.execute(
            source, store_history=True, allow_stdin=allow_stdin, stop_on_error=False
        )

    def _await_reply(self, message: str, timeout: float) -> None:
        """Wait for the end of a cell, but not for a dead kernel."""
        deadline = time.monotonic() + timeout
        while (left := deadline - time.monotonic()) > 0:
            try:
                return type(self.kernel).await_reply(self.kernel, message, min(left, 1))
            except Empty:
                if not self.kernel.is_alive():
                    raise RuntimeError("The kernel died") from None
        raise Empty

    def origins(self) -> dict[str, str]:
        """Ask the kernel where it finds minigrad."""
        printed = []

        def keep(message: dict) -> None:
            if message["header"]["msg_type"] == "stream":
                printed.append(message["content"]["text"])

        self.kernel.kc.execute_interactive(
            ORIGINS,
            store_history=False,
            allow_stdin=False,
            output_hook=keep,
            timeout=CELL_TIMEOUT,
        )
        return json.loads("".join(printed) or "{}")


class StrictCell(IPyNbCell):
    """A code cell that must give the output that is stored."""

    def runtest(self) -> None:
        """Run the cell; fail on every way in which it could pass unseen."""
        try:
            if self.options["skip"]:
                self.raise_cell_error(SKIPPED)
            if self.cell.execution_count is None and self.cell.source.strip():
                self.raise_cell_error(NEVER_RUN)
            super().runtest()
            self._compare_kinds()
            if self.parent.snapshot:
                self._stay_in_the_snapshot()
        except Exception:
            self.parent.first_failure = self.parent.first_failure or self
            raise

    def _compare_kinds(self) -> None:
        """Fail on output of another kind, which nbval overlooks in exempt cells."""
        stored, found = _kinds(self.cell.outputs), _kinds(self.test_outputs)
        if self.options["check_exception"] and "an error" not in found:
            self.raise_cell_error("The cell was to raise an exception, and did not")
        if stored != found:
            gave = f"stored is {_listed(stored)}, the cell gave {_listed(found)}"
            self.raise_cell_error(f"{DIFFERS}: {gave}")

    def _stay_in_the_snapshot(self) -> None:
        """Fail if minigrad, or a part of it, was found outside the snapshot."""
        inside = Path(self.parent.snapshot).resolve()
        for module, origin in self.parent.origins().items():
            if not Path(origin).resolve().is_relative_to(inside):
                self.raise_cell_error(
                    f"{module} was found outside the snapshot: {origin}"
                )

    def compare_outputs(
        self,
        test: Sequence[NotebookNode],
        ref: Sequence[NotebookNode],
        skip_compare: Sequence[str] | None = None,
    ) -> bool:
        """Compare as nbval does, but drawings as a reader sees them."""
        drawn = [output for output in test if _drawing(output)]
        stored = [output for output in ref if _drawing(output)]
        if len(drawn) == len(stored):
            for new, old in zip(drawn, stored, strict=True):
                if how := drawings.difference(_drawing(old), _drawing(new)):
                    self.comparison_traceback = [f"the figure is another: {how}"]
                    return False
                new["data"]["text/html"] = _drawing(old)
        return super().compare_outputs(test, ref, skip_compare)

    def repr_failure(self, excinfo: pytest.ExceptionInfo) -> str:
        """Name the chapter, the cell, what is wrong and what to do."""
        error = excinfo.value
        where = cells.place(self.parent.label, self.cell_num, self.cell)
        text = [str(cells.Problem(where, _said_by(error), self._remedy(error)))]
        first = self.parent.first_failure
        if first not in (None, self):
            text.append(f"(cell {first.cell_num} failed before this one: begin there)")
        if first is self or str(error).startswith(DIFFERS):
            text.append(super().repr_failure(excinfo))
        return "\n\n".join(text)

    def _remedy(self, error: Exception) -> str:
        """Say what to do about a failure."""
        execute = _command_to_execute(self.parent)
        message = str(error)
        if message == SKIPPED:
            return "remove the tag or the comment that skips the cell"
        if message == NEVER_RUN:
            return f"run `{execute}` and commit the outputs"
        if message.startswith(DIFFERS):
            return (
                f"if the new output is right, run `{execute}`, look at the difference "
                "(git diff) and commit; otherwise mend the code"
            )
        if self.parent.snapshot:
            said = f"{message}\n{getattr(error, 'inner_traceback', '')}"
            if TOO_EARLY.search(said):
                return _snapshot_rule(self.parent, said)
        return f"mend the code, then run `{execute}`"


def _chapter_at(path: Path, root: Path) -> Chapter | None:
    """Return the chapter that a notebook is, if it is one."""
    try:
        return next((c for c in chapters(root) if c.file == path.resolve()), None)
    except TocError:
        return None


def _said_by(error: Exception) -> str:
    """Return what an error says; of an exception in the cell, its last line too."""
    message = str(error) or type(error).__name__
    traceback = getattr(error, "inner_traceback", None)
    if not traceback or message.startswith(DIFFERS):
        return message
    return f"{message}: {lint.ANSI.sub('', traceback).strip().splitlines()[-1]}"


def _command_to_execute(notebook: StrictNotebook) -> str:
    """Return the command that renews a notebook's outputs."""
    if notebook.chapter:
        return f"make execute CHAPTER={notebook.chapter.number}"
    return f"python tools/notebooks.py execute {notebook.path}"


def _snapshot_rule(notebook: StrictNotebook, said: str) -> str:
    """Explain the snapshot rule, and who exports what was missing."""
    rule = "the snapshot rule: a chapter may use only what chapters before it export"
    named = re.findall(r"'(minigrad(?:\.\w+)*)'", said)
    file = f"{named[0].replace('.', '/')}.py" if named else ""
    try:
        exporting = tangle.pieces(notebook.config.rootpath).get(file, [])
    except (tangle.TangleError, TocError):
        exporting = []
    numbers = " and ".join(str(chapter.number) for chapter in exporting)
    return f"{rule} ({file} comes with chapter {numbers})" if numbers else rule


def _kinds(outputs: Sequence[NotebookNode]) -> set[str]:
    """Return of what kinds the outputs of a cell are, in words."""
    kinds: set[str] = set()
    for output in outputs:
        if output["output_type"] == "stream":
            kinds.add(f"text on {output['name']}")
        elif output["output_type"] == "error":
            kinds.add("an error")
        else:
            kinds.update(output["data"])
    return kinds


def _listed(kinds: set[str]) -> str:
    return " and ".join(sorted(kinds)) or "nothing"


def _drawing(output: NotebookNode) -> str:
    """Return an output's HTML if it holds a drawing, or an empty string."""
    html = output.get("data", {}).get("text/html", "")
    return html if drawings.has_drawing(html) else ""
