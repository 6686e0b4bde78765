"""tools/strict_nbval.py: no cell passes unseen, and failures say what to do."""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import notebooks
import strict_nbval
from tests.makebook import Book, code, foreign_kernelspec, printed, raised, ran, rewrite

TOOLS = Path(strict_nbval.__file__).parent
SHOW = (
    "fig, ax = plt.subplots()\nax.plot([0, 1, 2], [0, {}, 1])\n"
    'show(fig, "ch01-{}", alt="A curve that rises, falls and rises again.", '
    'caption="Up and down.")'
)
PNG = "Image(b'\\x89PNG\\r\\n\\x1a\\n{}', format='png')"


IGNORE = "nbval-ignore-output"
RAISES = "raises-exception"


def nudge(amount):
    """Return a change that moves a point of the stored drawing."""

    def change(cell):
        html = cell.outputs[0].data["text/html"]
        pattern = r'(d="M [\d.]+ [\d.]+ L [\d.]+ )([\d.]+)'
        moved = re.sub(pattern, lambda m: f"{m[1]}{float(m[2]) + amount:.2f}", html)
        assert moved != html
        cell.outputs[0].data["text/html"] = moved

    return change


def store(*outputs):
    """Return a change that replaces the stored outputs."""
    return lambda cell: cell.update(outputs=list(outputs))


def strip(cell):
    """Clear outputs as Jupyter does."""
    cell.update(outputs=[], execution_count=None)


def replace(old, new):
    """Return a change of the text of the stored HTML."""

    def change(cell):
        html = cell.outputs[0].data["text/html"]
        assert old in html
        cell.outputs[0].data["text/html"] = html.replace(old, new)

    return change


def expect_error(cell):
    """Expect an error, in a cell whose output nbval does not look at."""
    cell.metadata.tags.append(RAISES)
    cell.outputs = [raised("NameError", "x")]


def change_png(cell):
    """Store another image."""
    cell.outputs[0].data["image/png"] = "AAAA"


# name: (source, tags, change of the stored cell, words of the failure or "" for a pass)
CELLS = {
    "imports": (
        "import os, time, warnings\nfrom bookkit import plt, show\n"
        "from IPython.display import Image",
        (),
        None,
        "",
    ),
    "the same": ("print(1)", (), None, ""),
    "differs": ("print(2)", (), store(printed("3\n")), "Cell outputs differ"),
    "number": ("print(0.1 + 0.2)", (), store(printed("0.3\n")), "Cell outputs differ"),
    "stripped": ("print(4)", (), strip, "never run, or its outputs were stripped"),
    "emptied": ("print(5)", (), store(), "Cell outputs differ"),
    "added": ("x = 6", (), store(printed("6\n")), "Cell outputs differ"),
    "skipped": ("print(7)", ("nbval-skip",), None, "Skipping a cell is not allowed"),
    "skip comment": ("# NBVAL_SKIP\nx = 8", (), None, "Skipping a cell is not allowed"),
    "exception": ("time.nothing", (RAISES,), None, ""),
    "other exception": (
        "time.nothing",
        (RAISES,),
        store(raised("NameError", "x")),
        "Cell outputs differ",
    ),
    "no exception": (
        "x = 9",
        (IGNORE,),
        expect_error,
        "The cell was to raise an exception, and did not",
    ),
    "untagged exception": (
        "raise ValueError('no')",
        (RAISES,),
        lambda cell: cell.metadata.clear(),
        "Cell execution caused an exception: ValueError: no",
    ),
    "exempt": ("print(time.perf_counter())", (IGNORE,), None, ""),
    "exempt, emptied": (
        "print(time.perf_counter())",
        (IGNORE,),
        store(),
        "stored is nothing, the cell gave text on stdout",
    ),
    "exempt, other kind": (
        "time.perf_counter()",
        (IGNORE,),
        store(printed("3\n")),
        "stored is text on stdout, the cell gave text/plain",
    ),
    "hash order": ("print({'b', 'a', 'c', 'd', 'e'})", (), None, ""),
    "one thread": ("print(os.environ['OMP_NUM_THREADS'])", (), None, ""),
    "quiet": ("1 + 1;", (), None, ""),
    "history": ("print(In[-1])", (), None, ""),
    "warning": ("warnings.warn('told')", (), None, ""),
    "other warning": (
        "warnings.warn('told')",
        (),
        store(printed("/tmp/ipykernel_1/2.py:1: UserWarning: tell\n", "stderr")),
        "Cell outputs differ",
    ),
    "image": (PNG.format(1), (), None, ""),
    "other image": (PNG.format(2), (), change_png, "Cell outputs differ"),
    "figure": (SHOW.format(3, "a"), (), None, ""),
    "figure, nudged": (SHOW.format(3, "b"), (), nudge(0.5), ""),
    "figure, moved": (
        SHOW.format(3, "c"),
        (),
        nudge(1.5),
        "the figure is another: svg/",
    ),
    "other caption": (
        SHOW.format(3, "d"),
        (),
        replace("Up and", "Up or"),
        "the figure is another: what stands around the drawing differs",
    ),
    "figure stripped": (SHOW.format(3, "e"), (), store(), "Cell outputs differ"),
    "the end": ("print('end')", (), None, ""),
}


def pytest_run(root, *arguments, env=None):
    """Run pytest in a folder, with the plugin and nothing else of this repository."""
    report = root / "report.xml"
    command = [sys.executable, "-m", "pytest", "--nbval", "-p", "strict_nbval"]
    command += ["-p", "no:cacheprovider", "--rootdir", root, "-c", os.devnull]
    command += ["--color", "no", f"--junitxml={report}", *arguments]
    environment = os.environ | {"PYTHONPATH": str(TOOLS)} | (env or {})
    return subprocess.run(
        list(map(str, command)),
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def messages(root):
    """Return the failure of each cell of the last run, or an empty string."""
    cases = ET.parse(root / "report.xml").getroot().iter("testcase")
    return {case.get("name"): "".join(case.itertext()) for case in cases}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """One run over a notebook with every fault."""
    book = Book(tmp_path_factory.mktemp("book"))
    made = (code(source, *tags) for source, tags, _, _ in CELLS.values())
    path = book.chapter("one", *made)
    notebooks.execute(path)

    def spoil(notebook):
        changes = (change for _, _, change, _ in CELLS.values())
        for cell, change in zip(notebook.cells[1:], changes, strict=True):
            if change:
                change(cell)

    rewrite(path, spoil)
    foreign = foreign_kernelspec(book.root / "elsewhere")
    done = pytest_run(book.root, "-n0", path, env=foreign)
    return done, messages(book.root)


def test_all_cells_are_run(run):
    done, found = run
    assert len(found) == len(CELLS), done.stdout + done.stderr
    assert done.returncode == 1


@pytest.mark.parametrize("name", CELLS)
def test_each_cell_passes_or_fails_as_it_should(run, name):
    number = list(CELLS).index(name) + 2
    message = run[1][f"cell {number} (id cell-{number})"]
    wanted = CELLS[name][3]
    if wanted:
        assert wanted in message
        where = (
            r"Chapter 1 “The story of one” \(book/one.ipynb\), cell {0} \(.*id cell-{0}"
        )
        assert re.search(where.format(number), message)
        assert re.search(r"→ .*(make execute CHAPTER=1|remove the tag)", message)
    else:
        assert message == ""


def test_later_failures_point_to_the_first(run):
    found = list(filter(None, run[1].values()))
    assert "begin there" not in found[0]
    assert all("(cell 4 failed before this one: begin there)" in m for m in found[1:])


def test_exemptions_are_counted_at_the_end(run):
    assert "exempt from comparison in Chapter 1 “The story of one”" in run[0].stdout


def test_a_dead_kernel_and_a_slow_cell_are_reported_with_their_cell(book):
    slow = book.chapter("slow", ran("import time\ntime.sleep(60)"))
    dead = book.chapter("dead", ran("import os\nos._exit(1)"), ran("x = 1"))
    done = pytest_run(book.root, "-n0", "--nbval-cell-timeout=1", slow, dead)
    assert done.returncode == 1
    assert "Timeout of 1 seconds exceeded" in done.stdout
    assert "The kernel died" in done.stdout
    for name, number in ("slow", 1), ("dead", 2):
        assert (
            f"Chapter {number} “The story of {name}” (book/{name}.ipynb), cell 2"
            in (done.stdout)
        )


def test_two_processors_keep_the_cells_of_a_notebook_together(book):
    for name in "one", "two":
        book.chapter(name, ran("x = 1"), ran("y = x"), ran("print(y)", printed("1\n")))
    done = pytest_run(book.root, "-n2", "book")
    assert done.returncode == 0, done.stdout
    assert "6 passed" in done.stdout


def test_a_broken_notebook_is_named(book):
    book.chapter("one").write_text("{")
    done = pytest_run(book.root, "-n0", "book")
    assert done.returncode != 0
    assert "Chapter 1 “one” (book/one.ipynb): the file is not valid JSON" in done.stdout


def test_the_snapshot_is_where_minigrad_comes_from(book):
    snapshot = book.root / "snapshot"
    for folder, text in (snapshot, "the snapshot's"), (book.root, "another"):
        (folder / "minigrad").mkdir(parents=True)
        (folder / "minigrad" / "__init__.py").write_text(f"print({text!r})\n")
    path = book.chapter("one", ran("import minigrad", printed("the snapshot's\n")))
    settings = {"MINIGRAD_SNAPSHOT": str(snapshot)}
    done = pytest_run(book.root, "-n0", path, env=settings)
    assert done.returncode == 0, done.stdout
    done = pytest_run(book.root, "-n0", path)
    assert done.returncode == 1 and "another" in done.stdout


def test_leaving_the_snapshot_is_noticed(book):
    snapshot = book.root / "snapshot" / "minigrad"
    snapshot.mkdir(parents=True)
    (snapshot / "__init__.py").touch()
    outside = book.root / "minigrad"
    outside.mkdir()
    (outside / "later.py").touch()
    way_out = "import minigrad\nminigrad.__path__.append('../minigrad')"
    path = book.chapter("one", ran(way_out), ran("import minigrad.later"))
    settings = {"MINIGRAD_SNAPSHOT": str(snapshot.parent)}
    done = pytest_run(book.root, "-n0", path, env=settings)
    assert done.returncode == 1
    assert "minigrad.later was found outside the snapshot" in done.stdout
    assert "the snapshot rule: a chapter may use only what" in done.stdout


def test_asking_where_minigrad_is_leaves_the_names_of_a_chapter_alone(capsys):
    names = {"mine": 1, "found": 2, "sys": 3, "json": 4}
    before = names.copy()
    exec(strict_nbval.ORIGINS, names)
    assert json.loads(capsys.readouterr().out)["minigrad"].endswith("__init__.py")
    names.pop("__builtins__")
    assert names == before
