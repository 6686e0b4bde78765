"""Grade the reader's workbook: which parts of the package are written, and which hold.

    python tools/grading.py --chapter 7          grade a chapter
    python tools/grading.py                      grade every chapter that is begun
    python tools/grading.py --chapter 7 --mine   … on your own chapters 1 to 6
    python tools/grading.py --chapter 7 --quick  … without the long tests
    python tools/grading.py --record             renew tests/grading/later.json

The package that is graded consists of the book's chapters before N, or with ``--mine``
of what the reader has written there, and of the reader's chapter N. What comes after N
is left out. Three things are lent by the book:

* what the reader has not written yet in chapter N, so that the functions that are
  written can be judged before the last one is. What is lent earns no mark;
* what has been found wrong, once it has been named, so that the rest can be judged;
* the chapters after N, for the few tests that need them to run at all
  (``tests/grading/later.json``, which is made by running all tests on the book's own
  chapters 1 to N).

The checks of a chapter are its properties in ``tests/grading/test_chNN.py``, its rows
of the parity ledger, and then the tests of the modules in ``MODULES``. If some fail,
the reader's units are tried in halves, with the book's in place of the others, until
those are found that make checks fail by themselves: these are the culprits, and the
checks that each of them breaks alone say what is wrong with it. A unit is worth one
mark if it is written and no culprit.

Each trial runs in a process with a time limit: a loop that never ends is a check that
fails.
"""

import argparse
import ast
import html
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import cells
import toc
import workbook
from grading_worker import IMPORT
from kernels import FIXED
from toc import ROOT, Chapter
from workbook import Export, books_exports

TESTS = ROOT / "tests" / "grading"
LATER = TESTS / "later.json"
STATEMENTS = "tests/grading/statements.py"
MODULES = {
    1: ("numerical",),
    2: ("jacobian",),
    3: ("rules",),
    4: ("tensor", "tensor_str", "creation", "random"),
    5: ("function", "ops"),
    6: ("graph",),
    7: ("engine",),
    8: ("grad_mode", "leaves"),
    9: ("operators",),
    10: ("operators",),
    11: ("versions", "inplace"),
    12: ("hooks",),
    13: ("gradcheck",),
    14: ("functional", "vmap", "third_order"),
    15: ("forward_ad",),
    16: ("custom", "checkpoint"),
    17: ("nn",),
    18: ("optim",),
    19: ("datasets",),
    20: ("convolution",),
    21: ("attention", "gpt"),
    22: ("static",),
    23: ("tracing", "tape"),
    24: ("tensorboard",),
}
LIMIT = 20  # seconds for one check
PATIENCE = 240  # seconds for all checks of a chapter
SAMPLE = 24  # failing checks by which culprits are sought
SHOWN = 3  # failing checks that a report prints of a unit
REST = "the lines between the functions"


def tests_of(chapter: Chapter) -> list[str]:
    """Return the test files of a chapter, the most telling first."""
    own = TESTS / f"test_ch{chapter.number:02d}.py"
    found = [own.relative_to(ROOT).as_posix()] if own.exists() else []
    names = MODULES.get(chapter.number, ())
    return [*found, STATEMENTS, *(f"tests/test_{name}.py" for name in names)]


def later() -> dict[str, list[str]]:
    """Return, by chapter, the tests that run only on the whole package."""
    return json.loads(LATER.read_text(encoding="utf-8")) if LATER.exists() else {}


# --------------------------------------------------------------- the reader's chapter


@dataclass(frozen=True, order=True)
class Key:
    """Names a unit of a chapter: the id of its cell and its name."""

    cell: str
    name: str


@dataclass
class Copy:
    """A reader's chapter beside the book's: what is written, what is not, and where."""

    chapter: Chapter
    books: tuple[Export, ...]
    mine: list[Export]
    written: set[Key] = field(default_factory=set)
    missing: dict[Key, str] = field(default_factory=dict)  # and why
    changed: set[Key] = field(default_factory=set)  # written, and not as in the book

    @classmethod
    def read(cls, chapter: Chapter, path: Path | None = None) -> "Copy":
        """Read a reader's notebook (the book's own, if there is none to read)."""
        path = path or ROOT / workbook.FOLDER / chapter.file.name
        return cls(chapter, books_exports(chapter), workbook.exports(path))

    def __post_init__(self):
        here = {export.id: export for export in self.mine}
        for export in self.books:
            self._compare(export, here.get(export.id))

    def _compare(self, books: Export, mine: Export | None) -> None:
        """Sort the units of one cell into written and missing."""
        try:
            found = {u.name: u for u in workbook.units(mine.code)} if mine else {}
        except SyntaxError as error:
            why = f"its cell is not Python: line {error.lineno}: {error.msg}"
            self.missing |= {Key(books.id, u.name): why for u in books.to_write}
            return
        for unit in books.to_write:
            key = Key(books.id, unit.name)
            if unit.name not in found:
                self.missing[key] = "" if mine else "its cell is no longer there"
                continue
            mine_unit = found[unit.name]
            empty = workbook.unwritten(mine_unit, unit, self.chapter.number)
            if empty:
                some = len(empty) < max(_size(unit), 1)
                self.missing[key] = f"still empty: {', '.join(empty)}" if some else ""
                continue
            self.written.add(key)
            if ast.dump(mine_unit.node) != ast.dump(unit.node):
                self.changed.add(key)
        if mine and workbook.rest_of(mine.code) != workbook.rest_of(books.code):
            self.changed.add(Key(books.id, REST))

    def file_of(self, key: Key) -> str:
        """The file that a unit belongs to."""
        return next(e.file for e in self.books if e.id == key.cell)

    def exports(self, reader: Iterable[Key]) -> list[Export]:
        """Return the chapter with just these units from the reader."""
        reader = set(reader)
        here = {export.id: export for export in self.mine}
        result = []
        for books in self.books:
            mine = here.get(books.id)
            if mine is None:
                result.append(books)
                continue
            wanted = {key.name for key in reader if key.cell == books.id}
            lent = {u.name for u in books.to_write} - wanted
            rest = Key(books.id, REST) in self.changed and REST not in wanted
            code = workbook.mix(mine.code, books.code, lent, rest=rest)
            result.append(Export(books.id, books.file, code))
        known = {export.id for export in self.books}
        for position, export in enumerate(self.mine):  # cells that the reader has added
            if export.id not in known:
                before = [e.id for e in self.mine[:position]]
                at = max((k for k, e in enumerate(result) if e.id in before), default=0)
                result.insert(at + 1, export)
        return result


def _size(unit: workbook.Unit) -> int:
    if unit.is_rule:
        return len(list(workbook._rules(unit.node)))
    return len({f.name for f in workbook._functions(unit.node)})


# ----------------------------------------------------------------- running the checks


@dataclass(frozen=True)
class Check:
    """What came out of one check."""

    id: str
    outcome: str
    words: str = ""
    message: str = ""

    @property
    def failed(self) -> bool:
        """True for a property that does not hold."""
        return self.outcome == "failed"


class Bench:
    """A folder in which packages are put together and tried.

    ``before`` are the cells of the chapters before the one that is graded, ``after``
    those behind it.
    """

    def __init__(
        self, chapter: Chapter, before: Sequence[Export], after: Sequence[Export]
    ):
        self.chapter, self.before, self.after = chapter, before, after
        self._folder = tempfile.TemporaryDirectory(prefix="grading-")
        self.folder = Path(self._folder.name)
        self.runs = 0

    def __enter__(self) -> "Bench":
        return self

    def __exit__(self, *_) -> None:
        self._folder.cleanup()

    def package(self, exports: Sequence[Export], *, whole: bool) -> list[str]:
        """Write the package; return the modules that this chapter has a part in."""
        home = self.folder / ("whole" if whole else "so-far")
        files: dict[str, list[str]] = {}
        for export in [*self.before, *exports, *(self.after if whole else ())]:
            files.setdefault(export.file, []).append(export.code)
        for file, parts in files.items():
            path = home / file
            if cells.write_text(path, "\n\n\n".join(parts) + "\n"):
                for stale in path.parent.glob(f"__pycache__/{path.stem}.*"):
                    stale.unlink()  # within a second, Python might not notice
        mine = dict.fromkeys(export.file for export in exports)
        return ["minigrad", *(_module(file) for file in mine)]

    def run(
        self,
        exports: Sequence[Export],
        ids: Sequence[str],
        *,
        without: Sequence[str] = (),
        whole: bool = False,
        patience: float = PATIENCE,
        most: int = 0,
    ) -> list[Check]:
        """Try checks on a package; a check that never ended is one that failed.

        ``most`` is the number of failures after which nothing more is tried; 0 is none.
        """
        self.runs += 1
        modules = self.package(exports, whole=whole)
        home = self.folder / ("whole" if whole else "so-far")
        results, job = self.folder / "results.jsonl", self.folder / "job.json"
        results.unlink(missing_ok=True)
        job.write_text(
            json.dumps(
                {
                    "ids": [*ids],
                    "without": [*without],
                    "modules": modules,
                    "limit": LIMIT,
                    "most": most,
                    "results": str(results),
                    "root": str(ROOT),
                    "package": str(home),
                }
            ),
            encoding="utf-8",
        )
        path = [str(home), str(ROOT), str(ROOT / "tools")]
        environment = os.environ | FIXED
        environment |= {
            "PYTHONPATH": os.pathsep.join(path),
            "GRADED_CHAPTER": str(self.chapter.number),
            "MPLBACKEND": "agg",
        }
        worker = [sys.executable, "-P", str(ROOT / "tools" / "grading_worker.py")]
        try:
            done = subprocess.run(
                [*worker, str(job)],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                encoding="utf-8",
                errors="replace",
                timeout=patience,
            )
            words = done.stderr.strip().splitlines()[-1:] or ["nothing"]
            end = f"Python stopped in the middle of it and said: {words[0]}"
        except subprocess.TimeoutExpired:
            end = "it did not come to an end; is there a loop that never does?"
        return _read(results, end)


def _module(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def _read(results: Path, end: str) -> list[Check]:
    """Read what a worker wrote; what was begun and not ended has failed."""
    found: dict[str, Check] = {}
    lines = results.read_text(encoding="utf-8") if results.exists() else ""
    for line in lines.splitlines():
        check = Check(**json.loads(line))
        if check.outcome != "begun":
            found[check.id] = check
        elif check.id not in found:
            found[check.id] = Check(check.id, "failed", check.words, end)
    if not found:
        found[IMPORT] = Check(IMPORT, "failed", "the package can be imported", end)
    found.pop("end", None)
    return [*found.values()]


# ------------------------------------------------------------------------- the grade


@dataclass
class Mark:
    """How one unit stands: ``holds``, ``fails`` or ``missing``, and why."""

    name: str
    file: str
    state: str
    why: list[str] = field(default_factory=list)


@dataclass
class Grade:
    """The grade of a chapter: a mark for each unit, and what became of the checks."""

    chapter: int
    title: str
    units: list[Mark]
    held: int = 0
    failed: int = 0
    together: list[str] = field(default_factory=list)  # failures that are nobody's

    @property
    def marks(self) -> int:
        """How many units are written and hold."""
        return sum(mark.state == "holds" for mark in self.units)

    @property
    def done(self) -> bool:
        """True where everything is written and every check holds."""
        return self.marks == len(self.units) and not self.together

    def __str__(self) -> str:
        written = sum(mark.state != "missing" for mark in self.units)
        lines = [
            f"Chapter {self.chapter}, {self.title}: {self.marks} of {len(self.units)} "
            f"marks, {written} written"
        ]
        if self.held or self.failed:
            lines.append(f"{self.held} checks hold, {self.failed} fail.")
        width = max((len(mark.name) for mark in self.units), default=0)
        for mark in self.units:
            sign = {"holds": "✓", "fails": "✗", "missing": "·"}[mark.state]
            if mark.state == "missing" and not mark.why:
                continue
            lines.append(f"  {sign} {mark.name:{width}}  {mark.file}")
            lines += [f"      {line}" for why in mark.why for line in why.split("\n")]
        rest = [m.name for m in self.units if m.state == "missing" and not m.why]
        if rest:
            named = ", ".join(rest[:8]) + (" …" if len(rest) > 8 else "")
            lines.append(f"  · not written yet: {named}")
        if self.together:
            lines.append("  ✗ no function alone, but all together:")
            lines += [f"      {line}" for t in self.together for line in t.split("\n")]
        if self.done:
            lines.append("All of this chapter is yours.")
        return "\n".join(lines)


def grade(
    copy: Copy, *, before: Sequence[Export] | None = None, quick: bool = False
) -> Grade:
    """Grade a reader's chapter; ``before`` are the chapters that it builds on.

    A ``quick`` grade is given by the properties and the ledger's rows alone.
    """
    chapter = copy.chapter
    contents = toc.chapters(chapter.root)
    if before is None:
        before = [e for c in contents[: chapter.number - 1] for e in books_exports(c)]
    after = [e for c in contents[chapter.number :] for e in books_exports(c)]
    names = [(Key(e.id, u.name), e, u) for e in copy.books for u in e.to_write]
    failures: dict[Key, list[Check]] = {}
    held = failed = 0
    together: list[Check] = []
    if copy.written:
        with Bench(chapter, before, after) as bench:
            held, failed, failures, together = _judge(copy, bench, quick)
    marks = []
    for key, export, unit in names:
        mark = Mark(unit.said, export.file, "holds")
        if key in copy.missing:
            why = copy.missing[key]
            mark.state, mark.why = "missing", [why] if why else []
        elif key in failures:
            mark.state, mark.why = "fails", _explained(failures[key])
        marks.append(mark)
    spoilt = [key for key in failures if key.name == REST]
    rest = [
        f"{copy.file_of(key)}: {REST}, changed in your cell:\n"
        + "\n".join(_explained(failures[key]))
        for key in spoilt
    ]
    title = f"“{chapter.title}”"
    said = [*rest, *_explained(together)]
    return Grade(chapter.number, title, marks, held, failed, said)


def _judge(copy: Copy, bench: Bench, quick: bool):
    """Run all checks; find the culprits until those that are left hold.

    Returns the numbers of checks that hold and fail, the failures of each culprit by
    itself, and failures that no unit causes by itself.
    """
    suspects = copy.written | {key for key in copy.changed if key.name == REST}
    held = failed = 0
    culprits: dict[Key, list[Check]] = {}
    for whole, ids, without in _stages(copy.chapter, quick):
        for attempt in range(len(suspects) + 1):
            exports = copy.exports(suspects - {*culprits})
            options = {"without": without, "whole": whole}
            checks = bench.run(exports, ids, **options, most=attempt and SAMPLE)
            failing = [(whole, check) for check in checks if check.failed]
            if not attempt:
                held += sum(check.outcome == "passed" for check in checks)
                failed += len(failing)
            if not failing:
                break
            sample = _sample(failing)
            guilty = sorted(copy.changed & suspects - {*culprits})
            if len(guilty) == 1:  # all others are the book's
                found = {guilty[0]: [check for _, check in sample]}
            else:
                found = _culprits(copy, bench, guilty, sample)
            if not found:
                return held, failed, culprits, [check for _, check in sample]
            culprits |= found
    return held, failed, culprits, []


def _stages(chapter: Chapter, quick: bool) -> Iterator[tuple[bool, list, list]]:
    """Yield what is tried one after the other: (on the whole package, ids, without).

    The quick properties come first, so that the long tests meet only what they have
    let pass.
    """
    postponed = later().get(str(chapter.number), [])
    tests = [test for test in tests_of(chapter) if test not in postponed]
    properties = [test for test in tests if test.startswith("tests/grading/")]
    yield False, properties, postponed
    if not quick:
        if len(tests) > len(properties):
            yield False, tests[len(properties) :], postponed
        if postponed:
            yield True, postponed, []


def _sample(failing: list[tuple[bool, Check]]) -> list[tuple[bool, Check]]:
    """A few failing checks of each kind; what was not an end comes first."""
    groups: dict[str, list] = {}
    for whole, check in failing:
        groups.setdefault(check.id.partition("[")[0], []).append((whole, check))
    turns = max(map(len, groups.values()))
    rounds = [g[k] for k in range(turns) for g in groups.values() if k < len(g)]
    return rounds[:SAMPLE]


def _culprits(
    copy: Copy, bench: Bench, suspects: Sequence[Key], sample: list
) -> dict[Key, list[Check]]:
    """Return the units that make checks fail by themselves, with these checks.

    Halves of the suspects are tried; what fails only together is charged to all.
    """
    if not suspects:
        return {}
    failing = _again(copy, bench, suspects, sample)
    if not failing:
        return {}
    if len(suspects) == 1:
        return {suspects[0]: [check for _, check in failing]}
    middle = len(suspects) // 2
    found = {}
    for half in (suspects[:middle], suspects[middle:]):
        found |= _culprits(copy, bench, half, sample)
    return found or {key: [check for _, check in failing] for key in suspects}


def _again(copy: Copy, bench: Bench, reader: Sequence[Key], sample: list) -> list:
    """The failing ones among some checks, with just these units from the reader."""
    exports, found = copy.exports(reader), []
    for whole in (False, True):
        ids = [check.id for w, check in sample if w == whole]
        if ids:
            tests = [ident for ident in ids if ident != IMPORT]
            checks = bench.run(exports, tests, whole=whole, patience=LIMIT * 4)
            found += [(whole, check) for check in checks if check.failed]
    return found


def _explained(checks: Sequence[Check]) -> list[str]:
    """The most telling failures in words."""

    def telling(check: Check) -> tuple:
        own = "tests/grading/test_ch" in check.id
        return (
            not own,
            not check.id.startswith(STATEMENTS),
            "expected" not in check.message,
        )

    said: dict[str, list[str]] = {}
    for check in sorted(checks, key=telling)[:SHOWN]:
        message = check.message.replace("\n", "\n    ")
        said.setdefault(check.words, []).extend([message] if message else [])
    lines = ["\n    ".join([words, *found]) for words, found in said.items()]
    if len(checks) > SHOWN:
        lines.append(f"… and {len(checks) - SHOWN} more")
    return lines


# ---------------------------------------------------------------------- the progress


@dataclass
class Progress:
    """What has been graded so far, chapter by chapter; kept in ``progress.json``."""

    folder: Path
    grades: dict[int, Grade] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> "Progress":
        """Read what is there; nothing, if there is nothing."""
        path, progress = Path(folder) / "progress.json", cls(Path(folder))
        stored = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        for number, entry in stored.items():
            entry["units"] = [Mark(**unit) for unit in entry["units"]]
            progress.grades[int(number)] = Grade(**entry)
        return progress

    def save(self) -> None:
        """Write ``progress.json`` and the page that shows it."""
        stored = {str(n): asdict(g) for n, g in sorted(self.grades.items())}
        text = json.dumps(stored, indent=1, ensure_ascii=False) + "\n"
        cells.write_text(self.folder / "progress.json", text)
        write_page(self)


PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Your minigrad: {marks} of {count} marks</title>
<style>
:root {{ color-scheme: light dark; --line: #767676; --bar: #0072b2 }}
@media (prefers-color-scheme: dark) {{ :root {{ --line: #8b949e; --bar: #79b8ff }} }}
body {{ font: 1rem/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto;
  padding: 0 1rem }}
h1 {{ line-height: 1.2 }}
progress {{ accent-color: var(--bar); width: 100%; height: 1rem }}
section {{ border-top: 1px solid var(--line); margin-top: 1.5rem }}
summary {{ cursor: pointer; padding: .25rem 0 }}
ul {{ list-style: none; padding: 0 }}
li {{ padding: .15rem 0; overflow-wrap: anywhere }}
pre {{ white-space: pre-wrap; overflow-wrap: anywhere; margin: .25rem 0 .5rem 1.5rem }}
</style>
</head>
<body>
<main>
<h1>Your minigrad</h1>
<p>{marks} of {count} marks. A mark is a function, a class, or the rules of one
primitive that is written and does what the checks of its chapter ask.</p>
<progress max="{count}" value="{marks}" aria-label="Marks of all chapters"></progress>
{chapters}
</main>
</body>
</html>
"""
STATES = {"holds": "✓ holds", "fails": "✗ fails", "missing": "· not written"}


def write_page(progress: Progress) -> None:
    """Write ``progress.html``: every chapter with its marks, and what fails."""
    contents = toc.chapters()
    counts = workbook.summary(contents)
    sections = []
    for chapter in contents:
        count = counts[chapter.number]
        graded = progress.grades.get(chapter.number)
        sections.append(_section(chapter, graded, count))
    page = PAGE.format(
        marks=sum(g.marks for g in progress.grades.values()),
        count=sum(counts.values()),
        chapters="\n".join(sections),
    )
    cells.write_text(progress.folder / "progress.html", page)


def _section(chapter: Chapter, graded: Grade | None, count: int) -> str:
    title = html.escape(chapter.title.replace("`", ""))
    name, marks = f"Chapter {chapter.number}: {title}", graded.marks if graded else 0
    lines = [
        f'<section aria-labelledby="ch{chapter.number}">',
        f'<h2 id="ch{chapter.number}">{name}</h2>',
        f"<p>{marks} of {count} marks{'' if graded else ', not graded yet'}.</p>",
        f'<progress max="{max(count, 1)}" value="{marks}" aria-label="Marks of chapter '
        f'{chapter.number}"></progress>',
    ]
    if graded:
        shown = " open" if any(m.state == "fails" for m in graded.units) else ""
        lines.append(f"<details{shown}><summary>Function by function</summary><ul>")
        for mark in graded.units:
            said = html.escape(mark.name).replace("`", "")
            lines.append(
                f"<li>{STATES[mark.state]}: <code>{said}</code> "
                f"in <code>{mark.file}</code>"
            )
            lines += [f"<pre>{html.escape(why)}</pre>" for why in mark.why]
            lines.append("</li>")
        lines.append("</ul></details>")
        lines += [f"<pre>{html.escape(text)}</pre>" for text in graded.together]
    return "\n".join([*lines, "</section>"])


def described(chapter: Chapter) -> str:
    """A page of Markdown that says what the checks of a chapter are."""
    sys.path[:0] = [] if str(ROOT) in sys.path else [str(ROOT)]
    from tests.reference import ledger

    lines = [f"# The checks of chapter {chapter.number}", ""]
    others = [f for f in tests_of(chapter) if f != STATEMENTS]
    lines += ["Tests, which you may read and run:", ""]
    lines += [f"- [{file}](../../{file})" for file in others]
    rows = [row for row in ledger.rows() if row.chapter == chapter.number]
    if rows:
        lines += ["", "What PyTorch does, and your minigrad should:", ""]
    recorded = ledger.recorded()["rows"]
    for row in rows:
        answer = recorded[row.id]
        said = f"raises {answer['error'][0]}" if "error" in answer else answer["value"]
        program = "\n".join(["```python", row.code, "```", "```text", said, "```"])
        lines += [f"**{row.says}**", "", program, ""]
    return "\n".join(lines).rstrip() + "\n"


# ---------------------------------------------------------------------- the commands


def record(chapters: Iterable[Chapter]) -> None:
    """Find the tests that the book itself fails on its chapters 1 to N."""
    found = later()
    contents = toc.chapters()
    for chapter in chapters:
        before = [e for c in contents[: chapter.number - 1] for e in books_exports(c)]
        with Bench(chapter, before, ()) as bench:
            checks = bench.run(books_exports(chapter), tests_of(chapter))
        failing = sorted(check.id for check in checks if check.failed)
        found.pop(str(chapter.number), None)
        if failing:
            found[str(chapter.number)] = failing
        print(f"{chapter.number}: {len(checks)} checks, {len(failing)} need more")
    ordered = {key: found[key] for key in sorted(found, key=int)}
    cells.write_text(LATER, json.dumps(ordered, indent=1) + "\n")


def mine_before(chapter: Chapter) -> list[Export]:
    """The chapters before one, with all that the reader has written there."""
    result = []
    for earlier in toc.chapters()[: chapter.number - 1]:
        path = ROOT / workbook.FOLDER / earlier.file.name
        if not path.exists():
            result += books_exports(earlier)
            continue
        copy = Copy.read(earlier, path)
        rest = {key for key in copy.changed if key.name == REST}
        result += copy.exports(copy.written | rest)
    return result


def main(arguments: list[str] | None = None) -> int:
    """Grade, print, and keep the result."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--chapter", type=int, metavar="N")
    parser.add_argument("--mine", action="store_true", help="on your own chapters")
    parser.add_argument("--quick", action="store_true", help="without the long tests")
    parser.add_argument("--record", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    contents = toc.chapters()
    if options.chapter is not None and not 1 <= options.chapter <= len(contents):
        parser.error(f"the book has chapters 1 to {len(contents)}")
    chosen = [c for c in contents if options.chapter in (None, c.number)]
    if options.record:
        record(chosen)
        return 0
    folder = ROOT / workbook.FOLDER
    progress, complete = Progress.load(folder), True
    for chapter in chosen:
        path = folder / chapter.file.name
        if not path.exists():
            parser.error(f"there is no {path}: run `make workbook` first")
        try:
            copy = Copy.read(chapter, path)
        except cells.NotebookError as error:
            parser.error(f"{path}: {error}")
        if options.chapter is None and not copy.written:
            continue
        before = mine_before(chapter) if options.mine else None
        result = grade(copy, before=before, quick=options.quick)
        progress.grades[chapter.number] = result
        complete &= result.done
        print(result, end="\n\n", flush=True)
    progress.save()
    print(f"All chapters at a glance: {folder / 'progress.html'}")
    return 0 if complete else 1


if __name__ == "__main__":
    sys.exit(main())
