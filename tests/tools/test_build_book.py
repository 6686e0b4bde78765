"""tools/build_book.py: strict, clear about what is wrong, and idle when it can be."""

import re
import shutil
import subprocess
import sys

import pytest

import build_book
from build_book import ROOT, BuildError, build
from tests.makebook import Book, code, module, printed, raised, ran

FAULTS = {
    "formula": (
        "Fine.\n\nThe slope $\\nosuch{x}$.",
        "cell 2 (id cell-2), line 3",
        "KaTeX parse error: Undefined control sequence: \\nosuch",
    ),
    "link": ("See [it](nowhere.ipynb).", "cell 3 (id cell-3), line 1", "nowhere.ipynb"),
    "anchor": ("See [it](#nowhere).", "cell 4 (id cell-4), line 1", "'nowhere'"),
    "citation": (
        "As {cite:t}`nobody1900` says.",
        "cell 5 (id cell-5), line 1",
        'could not find bibtex key "nobody1900"',
    ),
    "stderr": (
        ran("import sys", printed("beware\n", "stderr"), count=7),
        "cell 6 ([7], id cell-6), line 1",
        "stderr was found in the cell outputs of cell 6",
    ),
    "picture": (
        "![A curve](lost.png)",
        "cell 7 (id cell-7), line 1",
        "image file not readable",
    ),
    "callout": (
        "> **Trapp.** So.",
        "cell 8 (id cell-8), line 1",
        "opens no known callout",
    ),
    "error": (
        ran("1 / 0", raised("ZeroDivisionError", "division by zero", "x", "y")),
        "cell 9 ([1], id cell-9), line 1",
        "not tagged raises-exception",
    ),
    "heading": ("## A\n\n#### B", "cell 10 (id cell-10), line 3", "header level"),
}


def furnish(book: Book) -> Book:
    """Give a small book the real book's configuration, style and extensions."""
    shutil.copy(ROOT / "_config.yml", book.root)
    shutil.copytree(ROOT / "book" / "_static", book.root / "book" / "_static")
    shutil.copytree(ROOT / "tools" / "sphinxext", book.root / "tools" / "sphinxext")
    for tool in (ROOT / "tools").glob("*.py"):
        shutil.copy(tool, book.root / "tools")
    (book.root / "book" / "references.bib").write_text(
        "@book{somebody2000, author = {A. Body}, title = {T}, year = {2000},"
        " publisher = {P}}\n"
    )
    return book


def healthy(folder) -> Book:
    """A book of one chapter in which nothing is wrong."""
    book = furnish(Book(folder))
    book.chapter(
        "first",
        "# Numbers\n\nAs {cite:t}`somebody2000` says, $x = 1$.",
        "> **Build.** This.\n\n```{bibliography}\n```",
        module("minigrad/numerical.py", '"""Numbers."""\n\nONE = 1'),
        code("# nothing here", "solution"),
    )
    return book


@pytest.fixture(scope="module")
def rejection(tmp_path_factory):
    """What is said of a book in which everything is wrong."""
    book = furnish(Book(tmp_path_factory.mktemp("rejected")))
    book.chapter("first", *(fault for fault, _, _ in FAULTS.values()))
    with pytest.raises(BuildError) as error:
        build(book.root)
    assert not (book.root / "_build" / "html").exists()
    assert (book.root / "_build" / "rejected" / "book" / "first.html").exists()
    return str(error.value)


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_reported_with_its_place_and_advice(rejection, fault):
    _, place, message = FAULTS[fault]
    entries = [e for e in rejection.split("\n\n") if message in e]
    assert len(entries) == 1, rejection
    where, *_, advice = entries[0].splitlines()
    assert where.startswith(f"book/first.ipynb, {place}")
    assert advice.startswith("  → ")


def test_nothing_else_is_reported(rejection):
    assert int(rejection.split()[0]) == len(FAULTS)
    assert rejection.count("  → ") == len(FAULTS)


def test_faults_are_listed_in_the_order_of_the_book(rejection):
    cells = re.findall(r", cell (\d+) ", rejection)
    assert cells == sorted(cells, key=int)


def test_a_build_is_repeated_only_when_something_changed(tmp_path, capsys):
    book = healthy(tmp_path)
    pages = book.root / "_build" / "html"
    assert build(book.root)
    assert "reading" in capsys.readouterr().out
    first = (pages / "book" / "first.html").read_bytes()
    assert b"Chapter 1 </span>Numbers" in first

    assert not build(book.root)
    assert capsys.readouterr().out == ""

    (pages / "book" / "first.html").unlink()
    assert build(book.root)
    assert (pages / "book" / "first.html").read_bytes() == first

    sheet = book.root / "book" / "_static" / "book.css"
    sheet.write_text(sheet.read_text() + "/* more */")
    assert build(book.root)
    assert not build(book.root)


def test_a_failed_build_leaves_the_last_good_pages(tmp_path):
    book = healthy(tmp_path)
    build(book.root)
    page = book.root / "_build" / "html" / "book" / "first.html"
    good = page.read_bytes()
    book.chapter("second", "A bad $\\formula$.")
    for _ in range(2):  # not remembered as done, either
        with pytest.raises(BuildError, match="second"):
            build(book.root)
    assert page.read_bytes() == good


def test_the_same_sources_give_the_same_bytes(tmp_path):
    trees = []
    for name in ("one", "another"):
        (tmp_path / name).mkdir()
        book = healthy(tmp_path / name)
        build(book.root)
        pages = book.root / "_build" / "html"
        trees.append(
            {
                path.relative_to(pages).as_posix(): path.read_bytes()
                for path in pages.rglob("*")
                if path.is_file()
            }
        )
    one, another = trees
    assert one.keys() == another.keys()
    assert [name for name in one if one[name] != another[name]] == []


def test_a_broken_table_of_contents_is_explained(tmp_path):
    book = healthy(tmp_path)
    book.contents("format: jb-book\nroot: book/nowhere\n")
    with pytest.raises(BuildError, match="nowhere"):
        build(book.root)


def test_the_command_says_how_it_went(tmp_path):
    book = healthy(tmp_path)
    command = [sys.executable, ROOT / "tools/build_book.py", "--root", book.root]

    def run():
        return subprocess.run(command, capture_output=True, text=True, timeout=120)

    built = run()
    assert built.returncode == 0, built.stderr
    assert "The book built in" in built.stdout
    assert "is up to date" in run().stdout
    book.chapter("second", "A bad $\\formula$.")
    failed = run()
    assert failed.returncode == 1
    assert "The book was not built: 1 thing to put right" in failed.stderr
    assert "Traceback" not in failed.stderr


def test_a_log_without_warnings_is_shown_as_it_is(tmp_path):
    told = build_book.explain("Traceback\nMemoryError", tmp_path, tmp_path / "none")
    assert "MemoryError" in told
