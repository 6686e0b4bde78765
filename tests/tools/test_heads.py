"""The head of each chapter: what it needs, how long it takes, what it builds."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import cells
import tangle
import toc
from sphinxext import heads
from tests.makebook import code, markdown, module
from tests.tools import test_sphinxext as small

NEEDS = heads.needs(toc.ROOT)


def stem(chapter: toc.Chapter) -> str:
    return Path(chapter.path).stem


def closure(name: str) -> set[str]:
    """The chapters that stand below a chapter, all the way down."""
    below = set(NEEDS[name])
    return below.union(*(closure(each) for each in NEEDS[name]))


# -------------------------------------------------------------- the list, on the book


@pytest.mark.parametrize("chapter", toc.chapters(), ids=stem)
def test_prerequisites_point_back(chapter):
    numbers = {stem(each): each.number for each in toc.chapters()}
    assert stem(chapter) in NEEDS, "book/prerequisites.yml wants a line for it"
    for each in NEEDS[stem(chapter)]:
        assert numbers[each] < chapter.number


def test_prerequisites_say_nothing_twice():
    for name, direct in NEEDS.items():
        for each in direct:
            others = set(direct) - {each}
            assert each not in set().union(*map(closure, others)), (name, each)


def module_of(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


@cache
def definitions() -> dict[str, str]:
    """For each module, and each name in it, the chapter that defines it first."""
    first: dict[str, str] = {}
    for chapter in toc.chapters():
        for path, source in tangle.exported(chapter):
            name = module_of(path)
            first.setdefault(name, stem(chapter))
            for defined in defined_in(source):
                first.setdefault(f"{name}.{defined}", stem(chapter))
    return first


def defined_in(source: str) -> Iterator[str]:
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign):
            found = (n for target in node.targets for n in ast.walk(target))
            yield from (n.id for n in found if isinstance(n, ast.Name))


def imported(chapter: toc.Chapter) -> Iterator[tuple[str, str]]:
    """The modules of minigrad and the names in them that a chapter imports."""
    for cell in cells.read(chapter.file).cells:
        if cell.cell_type != "code":
            continue
        for node in ast.walk(ast.parse(cell.source)):
            if isinstance(node, ast.ImportFrom) and node.module:
                yield from ((node.module, alias.name) for alias in node.names)
            elif isinstance(node, ast.Import):
                yield from ((alias.name, "") for alias in node.names)


def sources(chapter: toc.Chapter, first: dict[str, str]) -> set[str]:
    """The chapters from which a chapter imports."""
    found = {
        first.get(f"{name}.{what}") or first.get(name)
        for name, what in imported(chapter)
        if name.split(".")[0] == "minigrad"
    }
    return {each for each in found if each} - {stem(chapter)}


@pytest.mark.parametrize("chapter", toc.chapters(), ids=stem)
def test_prerequisites_cover_the_imports(chapter):
    used = sources(chapter, definitions())
    assert used <= closure(stem(chapter))


def test_imports_are_found():
    sixth = toc.chapters()[5]
    used = sources(sixth, definitions())
    assert {"ch03-chain-rule", "ch04-tensors"} <= used


# ------------------------------------------------------------------------ the measure


def test_words_are_counted_as_they_are_read():
    assert heads.words_in("Don't stop: $x^2 + 1$ is `a + b`.") == 5
    assert heads.words_in("See [Chapter 1](ch01-a.ipynb#b-c) {cite:p}`key2000`") == 4
    assert heads.words_in("") == 0


@pytest.mark.parametrize(
    ("words", "lines", "minutes"),
    [(0, 0, 5), (1000, 0, 5), (1001, 0, 10), (1000, 100, 10), (10_000, 240, 65)],
)
def test_minutes(words, lines, minutes):
    assert heads.Reading(words, lines).minutes == minutes


def test_the_exercises_are_not_measured(book):
    path = book.chapter(
        "first",
        "# One two\n\nThree.",
        code("a = 1\n\nb = 2"),
        markdown("Do not count me.", "solution"),
        "## Exercises\n\nMany more words.",
        code("c = 3"),
    )
    assert heads.measure(path) == heads.Reading(3, 2)
    assert heads.spoken(95) == "1 h 35 min"
    assert heads.spoken(60) == "1 h"


# --------------------------------------------------------------------------- the page


@pytest.fixture
def headed(book, monkeypatch):
    monkeypatch.setattr(small, "EXTENSIONS", [*small.EXTENSIONS, "sphinxext.heads"])
    book.chapter("first", module("minigrad/numerical.py", '"""Numbers."""'))
    book.chapter("second", "# Two\n\nSome words.")
    return book


def prerequisites(book, text: str) -> None:
    (book.root / heads.DATA).write_text(text, encoding="utf-8")


def test_a_head_says_it_all(headed):
    prerequisites(headed, "first: []\nsecond: [first]\n")
    site = small.Site(headed)
    assert site.warnings == ""
    first, second = (site.page(name).select_one("h1 + dl.bk-head") for name in NAMES)
    assert "nothing but some NumPy" in first.get_text()
    assert "minigrad/numerical.py" in first.get_text()
    assert second.dd.a["href"] == "first.html"
    assert "about 5 min (3 words)" in second.get_text()
    load = second.select_one("a[download]")
    assert load["href"] == "../_sources/book/second.ipynb"
    assert not second.find(string="Binder")


NAMES = ("first", "second")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("first: [second]\nsecond: []\n", "first needs second, which comes later"),
        ("first: []\n", "does not say what second needs"),
    ],
)
def test_a_wrong_list_is_a_warning(headed, text, complaint):
    prerequisites(headed, text)
    assert complaint in small.Site(headed).warnings


# ---------------------------------------------------------------- where it can be run


def test_no_address_no_button():
    assert heads.launchers({}, "book/a") == []
    assert heads.launchers({"repository_url": ""}, "book/a") == []


def test_one_address_gives_binder_and_colab():
    options = {"repository_url": "https://github.com/me/it/", "repository_branch": "b"}
    assert heads.launchers(options, "book/a") == [
        (
            "Binder",
            "https://mybinder.org/v2/gh/me/it/b?urlpath=lab%2Ftree%2Fbook%2Fa.ipynb",
        ),
        (
            "Colab",
            "https://colab.research.google.com/github/me/it/blob/b/book/a.ipynb",
        ),
    ]
    assert heads.colab_setup(options) == (
        '!pip install "git+https://github.com/me/it" '
        '"git+https://github.com/me/it#subdirectory=tools"'
    )


def test_elsewhere_than_on_github_there_is_binder():
    options = {"repository_url": "https://git.example/me/it.git"}
    ((name, url),) = heads.launchers(options, "book/a")
    assert name == "Binder"
    assert url.startswith("https://mybinder.org/v2/git/https%3A%2F%2Fgit.example%2F")


def test_the_button_of_the_browser_appears_in_the_whole_site_only(headed):
    prerequisites(headed, "first: []\nsecond: []\n")
    small.Site(headed)
    before = (headed.root / "_build/html/book/first.html").read_text("utf-8")
    assert "Run in the browser" not in before
    after = heads.with_lite(before)
    assert '<a href="../lite/notebooks/index.html?path=first.ipynb">Run in' in after
    assert "cdn.jsdelivr.net" in after
    assert "hidden></li>" not in after


def test_binder_installs_what_the_book_pins():
    pins = (toc.ROOT / "requirements.txt").read_text("utf-8").splitlines()
    wanted = (toc.ROOT / ".binder/requirements.txt").read_text("utf-8").splitlines()
    wanted = [line for line in wanted if line and not line.startswith("#")]
    assert {".", "./tools"} <= set(wanted)
    assert set(wanted) - {".", "./tools"} <= set(pins)
