"""tools/sphinxext: what the extensions make of a notebook."""

import io
import re
import warnings
from itertools import pairwise
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace, patch_docutils

from sphinxext import drawing, journey, lean_theme, mathematics
from sphinxext.drawing import Piece, Stop
from tests.makebook import (
    Book,
    code,
    markdown,
    module,
    printed,
    raised,
    ran,
    shown,
)

EXTENSIONS = [
    "myst_nb",
    "sphinx_external_toc",
    "sphinxext.mathematics",
    "sphinxext.cells",
    "sphinxext.callouts",
    "sphinxext.journey",
    "sphinxext.glossary",
]
COLOUR = re.compile(r"\x1b\[[\d;]*m")


class Site:
    """The pages that Sphinx makes of a small book, without the theme."""

    def __init__(self, book: Book):
        self.root, log = book.root, io.StringIO()
        with (
            patch_docutils(),
            docutils_namespace(),
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore")  # of Sphinx's own dependencies
            Sphinx(
                srcdir=self.root,
                confdir=None,
                outdir=self.root / "_build" / "html",
                doctreedir=self.root / "_build" / "doctrees",
                buildername="html",
                confoverrides={
                    "extensions": EXTENSIONS,
                    "exclude_patterns": ["_build"],
                    "html_math_renderer": "katex_static",
                    "html_theme": "basic",
                    "myst_enable_extensions": ["dollarmath"],
                    "nb_execution_mode": "off",
                    "numfig": True,
                },
                status=None,
                warning=log,
                freshenv=True,
            ).build()
        self.warnings = COLOUR.sub("", log.getvalue())

    def page(self, name: str) -> BeautifulSoup:
        """Return the main part of a page."""
        text = (self.root / "_build/html/book" / f"{name}.html").read_text("utf-8")
        return BeautifulSoup(text, "html.parser").select_one("div.body")


def build(book: Book, *contents, name: str = "first") -> BeautifulSoup:
    """Build a book of one chapter, without a warning; return the chapter."""
    book.chapter(name, *contents)
    site = Site(book)
    assert site.warnings == ""
    return site.page(name)


def complaints(book: Book, *contents) -> str:
    """Build a book of one chapter; return the warnings."""
    book.chapter("first", *contents)
    return Site(book).warnings


def text(element) -> str:
    """Return an element's text with single spaces."""
    return " ".join(element.get_text(" ").split())


# ---------------------------------------------------------------------- mathematics


def test_formulas_are_set_while_building(book):
    page = build(book, "A slope $dy/dx$ and\n\n$$\n\\frac{a}{b}\n$$\n")
    inline, display = page.select(".math")
    assert inline.select_one("math").get("display") is None
    assert display.select_one("math")["display"] == "block"
    assert display.select_one(".katex-html")["aria-hidden"] == "true"
    assert display.select_one("annotation").string.strip() == r"\frac{a}{b}"
    assert not page.select("script")


def test_a_labelled_formula_is_numbered_and_can_be_referred_to(book):
    page = build(book, "$$\na = b\n$$ (law)\n\nBy {eq}`law` it holds.")
    assert text(page.select_one("#equation-law .eqno")).startswith("(1.1)")
    assert page.select_one('p a[href="#equation-law"]').string == "(1.1)"


@pytest.mark.parametrize("formula", [r"$\nosuch{x}$", r"$\frac{1$", r"$$\frac{1$$"])
def test_a_bad_formula_is_a_warning_at_its_place(book, formula):
    found = complaints(book, "fine", f"some text\n\nand {formula}\n")
    assert "KaTeX parse error" in found
    # the third cell (the title is the first), its third line
    assert re.search(r"first\.ipynb:3000[34]: WARNING: KaTeX", found)


def test_a_bad_formula_is_shown_as_it_was_written(book):
    book.chapter("first", r"$\nosuch{<x>}$")
    page = Site(book).page("first")
    assert page.select_one(".math code").string == r"\nosuch{<x>}"


def test_the_style_sheet_belongs_to_the_katex_that_is_used(monkeypatch):
    mathematics.check_versions(None)
    monkeypatch.setattr(mathematics, "katex_version", lambda: "9.9.9")
    with pytest.raises(mathematics.ExtensionError, match=r"9\.9\.9.*0\.16"):
        mathematics.check_versions(None)


# ---------------------------------------------------------------------------- cells

NUMERICAL = """
    \"""Numbers.\"""


    def double(x):
        \"""Twice x.\"""
        return 2 * x
"""


def test_an_exported_cell_is_a_figure_captioned_with_its_file(book):
    page = build(book, module("minigrad/numerical.py", NUMERICAL))
    figure = page.select_one("figure.bk-listing.file")
    assert figure.find(recursive=False).name == "figcaption"
    caption = text(figure.figcaption)
    assert caption == "This code goes into the file minigrad/numerical.py"
    assert figure["id"] == "listing-minigrad-numerical-py-1"
    assert figure.pre.get_text().startswith('"""Numbers."""\n\n\ndef double(x):')
    assert "#| file" not in page.get_text()


def test_the_caption_tells_the_lines_of_the_file(book):
    (book.root / "minigrad").mkdir()
    file = book.root / "minigrad" / "numerical.py"
    file.write_text("# Generated\n\n\ndef f(x):\n    return x\n\n\ny = 1\n")
    page = build(
        book,
        module("minigrad/numerical.py", "def f(x):\n    return x"),
        module("minigrad/numerical.py", "y = 1"),
        module("minigrad/numerical.py", "z = 1"),
    )
    details = [text(d) for d in page.select("figcaption .bk-detail")]
    assert details == ["lines 4–5", "line 8"]
    assert len(page.select("figure.bk-listing.file")) == 3
    assert len({figure["id"] for figure in page.select("figure")}) == 3


def test_only_a_directive_makes_a_caption(book):
    page = build(book, code("x = 1\n#| file: minigrad/x.py"), code("# draft\ny = 2"))
    assert not page.select("figure")


def test_an_exercise_and_its_check_are_captioned(book):
    page = build(
        book,
        "## Exercises",
        "### Exercise 1.2: Slope",
        code("def slope(): ...", "exercise"),
        code("check('1.2', slope)", "exercise-check"),
    )
    captions = [text(c) for c in page.select("figcaption")]
    assert captions == ["Your turn edit this cell in the notebook", "Check your answer"]
    assert page.select_one(".tag_exercise figure.exercise pre .k").string == "def"


def test_the_cells_of_a_solution_fold_into_one_box(book):
    page = build(
        book,
        "## Exercises",
        "### Exercise 1.2: Slope\n\nFind it.",
        code("answer = ...", "exercise"),
        markdown("Because *so*.\n\nAnd so.", "solution"),
        ran("answer = 1\nprint(answer)", printed("1\n"), tags=["solution"]),
        markdown("Another remark.", "solution"),
        "### Exercise 1.3: More",
        code("answer = ...", "exercise"),
        code("answer = 2", "solution"),
        "Afterwards.",
    )
    first, second = page.select("details.solution")
    assert "open" not in first.attrs
    assert text(first.summary) == "Solution to exercise 1.2"
    assert text(second.summary) == "Solution to exercise 1.3"
    assert "Because so . And so. answer = 1" in text(first)
    assert text(first).endswith("1 Another remark.")
    assert "Afterwards." not in text(second)
    assert "Find it." not in text(first)
    assert not page.select("details figure.exercise")


FIGURE = shown(
    text_plain="Figure",
    text_html='<figure class="bk-figure"><svg/><figcaption>F.</figcaption></figure>',
)
PLOT = "\n".join(f"x{k} = {k}" for k in range(13))


def test_a_figure_comes_before_the_code_that_draws_it(book):
    cell = build(book, ran(PLOT, FIGURE)).select_one("div.cell")
    output, box = cell.find_all(recursive=False)
    assert output.select_one("figure.bk-figure")
    assert box.name == "details"
    assert "open" not in box.attrs
    assert text(box.summary) == "The code of this figure, 13 lines"
    assert box.select_one("pre").get_text().startswith("x0 = 0")


@pytest.mark.parametrize(
    "cell",
    [
        ran("show(fig)", FIGURE),
        ran(PLOT, printed("no figure")),
        ran(f"#| file: minigrad/a.py\n{PLOT}", FIGURE),
        ran(PLOT, FIGURE, tags=["exercise"]),
    ],
    ids=["short", "no figure", "exported", "exercise"],
)
def test_other_code_stays_open(book, cell):
    page = build(book, cell)
    assert not page.select("details")
    first = page.select_one(".cell").find(recursive=False)
    assert first.select("pre")
    assert not first.select(".bk-figure")


def test_what_stands_between_two_solutions_stays_between_them(book):
    page = build(
        book,
        "## Exercises\n\n### Exercise 1.1: Both",
        code("first = 1", "solution"),
        "Or differently:",
        code("second = 2", "solution"),
    )
    boxes = page.select("details.solution")
    assert len(boxes) == 2
    assert "Or differently:" not in text(boxes[0]) + text(boxes[1])


def test_a_heading_in_a_solution_is_a_warning(book):
    found = complaints(
        book, "## Exercises", markdown("Hm.\n\n### Of course\n\nYes.", "solution")
    )
    assert "a heading inside a solution cannot be folded" in found


FRAMES = (
    "-" * 75,
    "ValueError                                Traceback (most recent call last)",
    "Cell In[1], line 1\n----> 1 outer()\n",
    "Cell In[1], line 3, in outer()\n----> 3 middle()\n",
    "Cell In[1], line 5, in middle()\n----> 5 inner()\n",
    "Cell In[1], line 7, in inner()\n----> 7 raise ValueError\n",
    "ValueError: too small",
)


def test_an_error_on_purpose_says_so_and_keeps_what_matters(book):
    error = raised("ValueError", "too small", *FRAMES)
    page = build(book, ran("outer()", error, tags=["raises-exception"]))
    assert text(page.select_one(".bk-note-error")) == "An error on purpose"
    frames, message = (block.get_text() for block in page.select(".traceback pre"))
    assert frames.startswith("Cell In[1], line 1")
    assert "2 frames left out" in frames
    assert "middle()" not in frames
    assert frames.rstrip().endswith("raise ValueError")
    assert message == "ValueError: too small\n"


TWO_PARTS = """
    format: jb-book
    root: book/index
    parts:
      - caption: Part I
        numbered: true
        chapters:
          - file: book/first
      - caption: Back matter
        chapters:
          - file: book/{back}
"""


def with_back_matter(book, back, *contents):
    """Build a chapter and a page of back matter, without a warning."""
    book.chapter("first", *contents, listed=False)
    book.contents(TWO_PARTS.format(back=back))
    site = Site(book)
    assert site.warnings == ""
    return site


def test_beside_the_chapters_only_the_line_that_went_wrong_is_shown(book):
    error = raised("ValueError", "too small", *FRAMES)
    failing = ran("outer()", error, tags=["raises-exception"])
    book.chapter("trouble", failing, listed=False)
    site = with_back_matter(book, "trouble", failing)

    def frames(page):
        return [b.get_text().strip() for b in site.page(page).select(".traceback pre")]

    assert frames("trouble") == [FRAMES[2].strip(), "ValueError: too small"]
    assert "raise ValueError" in frames("first")[0]


GLOSSARY = """
# Glossary

```{glossary}
VJP
  {zh}`张量` What a pass computes.

leaf
leaf tensor
  Where a record begins.

root (of a pass)
  Where it ends.
```
"""


def linked(book, *contents):
    """Which words of a chapter lead to the glossary, and where."""
    (book.root / "book").mkdir(exist_ok=True)
    (book.root / "book" / "words.md").write_text(GLOSSARY, encoding="utf-8")
    page = with_back_matter(book, "words", *contents).page("first")
    return [(a.get_text(), a["href"]) for a in page.select("a.bk-term")]


def test_the_first_use_of_a_term_leads_to_the_glossary(book):
    found = linked(book, "# Title\n\nTwo VJPs. A *leaf*, a VJP.\n\nAnother leaf.")
    assert found == [
        ("VJPs", "words.html#term-VJP"),
        ("leaf", "words.html#term-leaf"),
    ]


def test_the_longest_term_wins(book):
    assert linked(book, "# Title\n\nMany leaf tensors.") == [
        ("leaf tensors", "words.html#term-leaf-tensor")
    ]


def test_what_is_no_prose_or_no_term_is_left_alone(book):
    text = "A leaflet `leaf` [leaf](words.md), the root; it leaves a vjp, a non-leaf."
    table = "| leaf |\n| --- |\n| VJP |"
    assert linked(book, f"# A leaf\n\n## VJP\n\n{text}\n\n{table}") == []


def test_chinese_words_say_so(book):
    linked(book, "# Title")
    text = (book.root / "_build/html/book/words.html").read_text("utf-8")
    words = BeautifulSoup(text, "html.parser")
    assert words.select_one('span[lang="zh-Hans"]').get_text() == "张量"


def test_a_message_alone_needs_no_frames(book):
    error = raised("SyntaxError", "odd", "SyntaxError: odd")
    page = build(book, ran("x =", error, tags=["raises-exception"]))
    assert [b.get_text() for b in page.select(".traceback pre")] == [
        "SyntaxError: odd\n"
    ]


def test_an_error_that_nobody_meant_is_a_warning(book):
    found = complaints(book, ran("outer()", raised("ValueError", "x", *FRAMES)))
    assert "not tagged raises-exception" in found


def test_a_measurement_carries_its_reason(book):
    def measured(**metadata):
        return ran(
            "time()", printed("3 ms\n"), tags=["nbval-ignore-output"], **metadata
        )

    page = build(book, measured(reason="timings vary."), measured())
    notes = [text(n) for n in page.select(".cell_output .bk-note-machine")]
    assert notes == [
        "Timings vary.",
        "Measured on the authors’ machine; yours will differ.",
    ]


# ------------------------------------------------------------------------- callouts


@pytest.mark.parametrize(
    ("keyword", "kind", "title"),
    [
        ("Build.", "build", "Build"),
        ("Trap.", "trap", "Trap"),
        ("Aside.", "aside", "Aside"),
        ("In PyTorch.", "in-pytorch", "In PyTorch"),
        ("Now you can.", "now-you-can", "Now you can"),
    ],
)
def test_a_keyword_makes_a_labelled_box(book, keyword, kind, title):
    page = build(book, f"> **{keyword}** The *text*,\n> goes on.\n>\n> And on.")
    box = page.select_one(f".bk-callout.{kind}")
    assert box["role"] == "note"
    label = page.find(id=box["aria-labelledby"])
    assert label.string == title
    assert text(box) == f"{title} The text , goes on. And on."
    assert box.find_all("p")[1].get_text().startswith("The text")
    assert not page.select("blockquote, .bk-callout strong")


def test_a_keyword_may_stand_alone_and_bold_text_may_follow(book):
    page = build(book, "> **Trap.**\n>\n> **Never** so.", "> **Aside.** **Yes.**")
    trap, aside = page.select(".bk-callout")
    assert text(trap) == "Trap Never so."
    assert [p.name for p in trap.find_all(recursive=False)] == ["p", "p"]
    assert text(aside) == "Aside Yes."


def test_a_quotation_stays_a_quotation(book):
    page = build(book, "> To be, or **not.**", "> **Emphasis** at the start")
    assert len(page.select("blockquote")) == 2
    assert not page.select(".bk-callout")


@pytest.mark.parametrize("opening", ["**Traps.**", "**Trap:**", "**trap.**"])
def test_a_misspelt_keyword_is_a_warning(book, opening):
    found = complaints(book, f"> {opening} It is one.")
    assert "opens no known callout" in found
    assert "**Trap.**" in found


# -------------------------------------------------------------------------- journey


@pytest.fixture
def two_chapters(book):
    """Two chapters; the second adds to the first one's file and founds another."""
    book.chapter(
        "first",
        "# Numbers & such",
        "> **Build.** Numbers.",
        module("minigrad/numerical.py", NUMERICAL),
        module("minigrad/__init__.py", '"""A package."""'),
    )
    book.chapter(
        "second",
        "# Rules",
        "> **Build.** Rules.",
        module("minigrad/autograd/rules.py", '"""Rules."""\n\n\nclass Rule:\n    pass'),
        module("minigrad/numerical.py", "def _hidden():\n    pass"),
    )
    (book.root / "book" / "index.md").write_text("# Home\n\n```{journey}\n```\n")
    return book


def test_stops_follow_from_the_contents_and_the_exported_cells(two_chapters):
    first, second = journey.read_stops(two_chapters.root)
    assert (first.number, first.title, first.part) == (1, "Numbers & such", "Part I")
    assert first.href == "book/first"
    assert first.pieces == (
        Piece("minigrad/numerical.py", ("double",), "listing-minigrad-numerical-py-1"),
    )
    assert [(p.path, p.names, p.founds) for p in second.pieces] == [
        ("minigrad/autograd/rules.py", ("Rule",), True),
        ("minigrad/numerical.py", (), False),
    ]


def test_the_home_page_shows_every_chapter_and_piece_with_links_that_exist(
    two_chapters,
):
    site = Site(two_chapters)
    assert site.warnings == ""
    for variant in ("wide", "narrow"):
        drawn = site.page("index").select_one(f".bk-journey svg.journey-{variant}")
        assert drawn["aria-label"]
        links = [a["href"] for a in drawn.select("a")]
        assert links == [
            "first.html",
            "first.html#listing-minigrad-numerical-py-1",
            "second.html",
            "second.html#listing-minigrad-autograd-rules-py-1",
            "second.html#listing-minigrad-numerical-py-1",
        ]
        shown = text(drawn)
        for expected in ("1 Numbers & such", "numerical.py double", "2 Rules"):
            assert expected in shown
        assert "adds to" in shown
        for link in links:
            name, _, anchor = link.partition("#")
            page = site.page(name.removesuffix(".html"))
            assert not anchor or page.find(id=anchor)


def test_the_map_changes_with_the_contents_and_with_the_cells(two_chapters):
    def drawn():
        return drawing.journey(journey.read_stops(two_chapters.root), "map")

    before = drawn()
    two_chapters.names.reverse()
    two_chapters.contents()
    reversed_order = drawn()
    assert reversed_order != before
    assert re.search(r"number[^>]*>1<.*Rules.*number[^>]*>2<", reversed_order, re.S)
    two_chapters.chapter("third", module("minigrad/engine.py", '"""Go."""'))
    assert "engine.py" in drawn()
    assert "engine.py" not in reversed_order


def test_a_chapter_shows_the_package_so_far_in_its_build_callout(two_chapters):
    site = Site(two_chapters)
    first, second = (
        site.page(name).select_one(".bk-callout.build .bk-so-far svg.so-far-wide")
        for name in ("first", "second")
    )
    assert [text(g) for g in first.select(".now")] == ["1 minigrad/ numerical.py"]
    assert not first.select(".before")
    assert {text(g) for g in second.select(".now")} == {
        "2 autograd/ rules.py",
        "2 minigrad/ numerical.py",
    }
    assert not second.select(".before")  # its only other file is one it adds to
    label = second.select_one(".now [role=img]")["aria-label"]
    assert label == "Chapter 2: minigrad/numerical.py (this chapter)"


def test_only_chapters_carry_the_map(two_chapters):
    index = two_chapters.root / "book" / "index.md"
    index.write_text("# Home\n\n> **Build.** What such a box is for.\n")
    page = Site(two_chapters).page("index")
    assert page.select(".bk-callout.build")
    assert not page.select("svg")


def test_without_pieces_there_is_nothing_to_map():
    assert drawing.so_far([Stop(1, "Talk", "Part I")], 1, "so far") == ""


def test_earlier_pieces_link_to_their_chapter():
    stops = [
        Stop(n, f"Chapter {n}", "Part I", f"c{n}", (Piece(f"minigrad/f{n}.py"),))
        for n in (1, 2, 3)
    ]
    linked = [
        Stop(s.number, s.title, s.part, s.href, (Piece(p.path, (), f"{s.href}#p"),))
        for s in stops
        for p in s.pieces
    ]
    svg = BeautifulSoup(drawing.so_far(linked, 2, "so far"), "html.parser").svg
    assert [a["href"] for a in svg.select("a")] == ["c1#p"]
    assert [text(g) for g in svg.select(".now")] == ["2 minigrad/ f2.py"]
    assert "f3.py" not in text(svg)


def test_many_earlier_pieces_are_folded_away():
    stops = [
        Stop(n, f"Chapter {n}", "Part I", f"c{n}", (Piece(f"minigrad/f{n}.py"),))
        for n in range(1, drawing.FOLDED + 3)
    ]
    few = BeautifulSoup(drawing.so_far(stops, drawing.FOLDED, "so far"), "html.parser")
    assert not few.select("details")
    last = drawing.FOLDED + 2
    many = BeautifulSoup(drawing.so_far(stops, last, "so far"), "html.parser")
    fold = many.details.extract()
    assert f"{last - 1} files" in text(fold.summary)
    assert [text(g) for g in many.select(".so-far-wide g.now")] == [
        f"{last} minigrad/ f{last}.py"
    ]
    assert len(fold.select(".so-far-wide g.before")) == last - 1
    assert not many.select("g.before") and not fold.select("g.now")


def test_a_long_folder_is_cut_where_the_tile_is_narrow():
    piece = Piece("minigrad/utils/tensorboard/records.py")
    drawn = drawing.so_far([Stop(1, "One", "Part I", "c1", (piece,))], 1, "so far")
    wide, narrow = (
        svg.select_one("text.folder").get_text()
        for svg in BeautifulSoup(drawn, "html.parser").select("svg")
    )
    assert (wide, narrow) == ("utils/tensorboard/", "…/tensorboard/")


def test_a_long_book_stays_inside_the_drawing():
    stops = [
        Stop(
            number,
            "A title that is quite a bit longer than the usual one",
            f"Part {number // 7}",
            f"c{number}",
            tuple(
                Piece(
                    f"minigrad/autograd/a_long_file_{k}.py",
                    tuple(f"function_{i}" for i in range(20)),
                    "x",
                    bool(k),
                )
                for k in range(number % 4)
            ),
        )
        for number in range(1, 26)
    ]
    for svg in BeautifulSoup(drawing.journey(stops, "x"), "html.parser").select("svg"):
        width, height = map(float, svg["viewbox"].split()[2:])
        assert len(svg.select("circle:not(.plug)")) == 25
        for box in svg.select("rect"):
            assert float(box["x"]) + float(box["width"]) <= width
            assert float(box["y"]) + float(box["height"]) <= height
        rows = sorted((float(b["y"]), float(b["height"])) for b in svg.select("a rect"))
        for (y, tall), (below, _) in pairwise(rows):
            assert y + tall <= below
        for names in svg.select("text.names"):
            assert len(names.get_text().strip()) <= 50


@pytest.mark.parametrize(
    ("names", "shown"),
    [
        ((), ""),
        (("add",), "add"),
        (("add", "mul"), "add · mul"),
        (("add", "mul", "neg", "exp", "log"), "add · mul and 3 more"),
        (("a_very_long_name_indeed_it_is", "b"), "2 definitions"),
    ],
)
def test_names_are_shortened_to_what_fits(names, shown):
    assert drawing.shorten(names, 20) == shown


def test_titles_break_evenly():
    assert drawing.wrap("The chain rule is matrix multiplication", 31) == [
        "The chain rule is",
        "matrix multiplication",
    ]
    assert drawing.wrap("Short", 31) == ["Short"]


# ----------------------------------------------------------------------- lean theme

PAGE = '<html lang="en"><head>{head}</head><body>{body}</body></html>'


def repaired(folder: Path, name: str, before: str) -> str:
    """Apply the repairs to one file; return what became of it."""
    file = folder / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before, encoding="utf-8")
    lean_theme.repair(folder)
    return file.read_text(encoding="utf-8")


def test_each_repair_does_what_it_says(tmp_path):
    page = repaired(
        tmp_path,
        "book/a.html",
        PAGE.format(
            head="<!-- So that users can add custom icons -->"
            '<script defer src="../_static/scripts/fontawesome.js?d=1"></script>'
            "<!-- Pre-loaded scripts that we'll load fully later -->"
            '<link rel="preload" as="script" href="a.js" />'
            '<meta name="viewport" content="width=device-width, initial-scale=1"/>'
            '<meta name="docsearch:language" content="en"/>',
            body='<h1><span class="section-number">7. </span>Trust</h1>'
            '<div id="pst-primary-sidebar" class="s"></div>'
            '<button class="btn search-button-field x" title="Search"'
            ' aria-label="Search">Search</button>'
            '<div id="jb-print-docs-body"><h1>Trust</h1></div>'
            '<div id="searchbox"></div><p role="doc-biblioentry">'
            '<a href="t.html">Trouble</a><details><summary>'
            '<span class="toctree-toggle"></span></summary></details>',
        ),
    )
    assert "<head></head>" in page
    assert '<span class="section-number">Chapter 7 </span>Trust' in page
    assert page.count("<h1>") == 1
    assert 'role="region" aria-label="The book"' in page
    assert '<button class="btn search-button-field x">' in page
    assert 'role="listitem"' in page
    assert '<summary aria-label="Trouble: the pages below"><span' in page
    script = "f();\n//# sourceMappingURL=a.js.map\n"
    assert repaired(tmp_path, "_static/scripts/a.js", script) == "f();\n\n"
    style = repaired(
        tmp_path,
        "_static/styles/a.css",
        '@font-face{src:url(a.woff2) format("woff2"),url(a.ttf) format("truetype")}'
        "\n/*# sourceMappingURL=a.css.map*/",
    )
    assert style == '@font-face{src:url(a.woff2) format("woff2")}\n'


def test_a_repair_without_effect_is_reported(tmp_path):
    repaired(tmp_path, "book/a.html", PAGE.format(head="", body=""))
    idle = lean_theme.repair(tmp_path)
    assert idle == [repair for repair in lean_theme.REPAIRS if not repair.given]
    given = '<div class="citation" role="new"><span class="toctree-toggle">'
    repaired(tmp_path, "book/a.html", given)
    assert len(lean_theme.repair(tmp_path)) == len(lean_theme.REPAIRS)


def test_an_idle_repair_becomes_a_warning(tmp_path, monkeypatch):
    heard = []
    monkeypatch.setattr(
        lean_theme.logger, "warning", lambda text, *rest: heard.append(text % rest)
    )

    class App:
        outdir, builder = tmp_path, type("Builder", (), {"format": "html"})
        config = type("Config", (), {"html_title": "T", "root_doc": "book/index"})

    lean_theme.finish(App, None)
    always = [repair for repair in lean_theme.REPAIRS if not repair.given]
    assert len(heard) == len(always) + len(lean_theme.UNUSED)
    assert any("this repair no longer applies" in text for text in heard)
    start = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert 'url=book/index.html"' in start


def test_what_no_page_needs_is_removed(tmp_path):
    for name in (
        "_static/scripts/fontawesome.js",
        "_static/scripts/theme.js",
        "_static/styles/a.css.map",
    ):
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    idle = lean_theme.remove_unused(tmp_path)
    left = [file.name for file in tmp_path.rglob("*") if file.is_file()]
    assert left == ["theme.js"]
    assert len(idle) == 2
