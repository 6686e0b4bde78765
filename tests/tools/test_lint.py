"""tools/lint.py: each rule catches its fault, and a good chapter has none."""

import pytest

import cells
import lint
import toc
from tests.makebook import (
    code,
    markdown,
    module,
    printed,
    raised,
    ran,
    result,
    rewrite,
    shown,
)

ALT = "Four curves that fall to a minimum near the middle and rise again."
PROSE = "Every word of this sentence counts as one word of prose. " * 180
HIDDEN = {"source_hidden": True}


def figure(name="ch01-u-curve", alt=ALT):
    """Make the output of ``show``."""
    return shown(
        text_html=f'<figure class="bk-figure" id="fig-{name}">\n'
        f'<svg role="img" aria-label="{alt}"><path d="M 0 0"/></svg>\n'
        "<figcaption>A caption.</figcaption>\n</figure>",
        text_plain=f"Figure {name}: {alt}",
    )


def exercise(number):
    """Make the five cells of an exercise."""
    call = f'check("{number}", answer)'
    return [
        markdown(f"### Exercise {number}: Halve\n\n*5 minutes · warm-up*\n\nHalve it."),
        ran("answer = ...", tags=["exercise"]),
        ran(
            call,
            result(f"Exercise {number}: not answered yet. Fill in the cell above."),
            tags=["exercise-check"],
        ),
        markdown("Divide by two.", "solution"),
        ran(
            f"answer = 0.5\n{call}",
            result(f"Exercise {number}: passed.\n  ✓ it is half"),
            tags=["solution"],
            jupyter=HIDDEN,
        ),
    ]


@pytest.fixture
def chapter(book):
    """A chapter without faults: cell 1 is the title, cell 2 the first code cell."""
    path = book.chapter(
        "ch01-good",
        "# A good chapter\n\n> **Build.** You build a thing.",
        ran("import numpy as np\nprint(1)", printed("1\n")),
        f"## Why?\n\n{PROSE}\n\n$$\ny = x\n$$\n\n```python\nx = 1\n```\n",
        module("minigrad/good.py", '"""Good."""\n\n\ndef f():\n    """Do it."""'),
        ran("fig = draw()\nshow(fig)", figure()),
        ran("1 / 0", raised("ZeroDivisionError", "no"), tags=["raises-exception"]),
        ran(
            "measure()",
            printed("3 s\n"),
            tags=["nbval-ignore-output"],
            reason="timings differ from machine to machine",
        ),
        "> **Trap.** Never.\n\n![A cat that sleeps](cat.svg)",
        "## Exercises",
        *(cell for k in (1, 2, 3, 4) for cell in exercise(f"1.{k}")),
        "> **Now you can.** Do it.",
    )

    def number(made):
        ordered = filter(cells.has_code, made.cells)
        for count, cell in enumerate(ordered, start=1):
            cell.execution_count = count

    rewrite(path, number)
    return toc.chapters(book.root)[0]


def faults(chapter, change=None):
    """Return what `lint` finds, after a change: ``change(cells)``."""
    if change:
        rewrite(chapter.file, lambda made: change(made.cells))
    return lint.lint(lint.Page.read(chapter))


def set_source(number, source):
    """Return a change of one cell's source."""
    return lambda cells: cells[number - 1].update(source=source)


def append_source(number, source):
    """Return a change that adds to one cell's source."""

    def change(cells):
        cells[number - 1].source += source

    return change


def set_outputs(number, *outputs):
    """Return a change of one cell's outputs."""
    return lambda cells: cells[number - 1].update(outputs=list(outputs))


def set_tags(number, *tags):
    """Return a change of one cell's tags."""
    return lambda cells: cells[number - 1].metadata.update(tags=list(tags))


def set_reason(text):
    """Return a change of the reason why cell 7 is exempt."""
    return lambda cells: cells[6].metadata.update(reason=text)


def remove(first, last=None):
    """Return a change that removes cells and numbers the rest anew."""

    def change(found):
        del found[first - 1 : last or first]
        for count, cell in enumerate(filter(cells.has_code, found), start=1):
            cell.execution_count = count

    return change


def unhide(cells):
    """Show a solution's source."""
    cells[13].metadata.jupyter = {}


def never_run(cells):
    """Strip a cell as Jupyter's "clear outputs" does."""
    cells[1].update(execution_count=None, outputs=[])


def test_a_good_chapter_has_no_faults(chapter):
    assert list(map(str, faults(chapter))) == []


EXPORT = '#| file: minigrad/good.py\n"""Good."""\n\n\n'

FAULTS = {
    # what is wrong: (the change, the cell, words of the message)
    "stripped": (never_run, 2, "never run, or its outputs were stripped"),
    "out of order": (
        lambda cells: cells[1].update(execution_count=9),
        2,
        "the cell ran as [9], and is number 1",
    ),
    "empty text": (set_source(8, ""), 8, "the cell is empty"),
    "unknown tag": (set_tags(5, "hide-input"), 5, "the tag `hide-input` is unknown"),
    "skipped": (set_tags(5, "nbval-skip"), 5, "the tag `nbval-skip` is unknown"),
    "comment": (append_source(2, "\n# NBVAL_SKIP"), 2, "a comment tells nbval"),
    "ignoring comment": (
        append_source(2, "\n  # NBVAL_IGNORE_OUTPUT"),
        2,
        "a comment tells nbval",
    ),
    "no reason": (
        lambda cells: cells[6].metadata.pop("reason"),
        7,
        "exempt from comparison, without a reason",
    ),
    "thin reason": (set_reason("  timings     "), 7, "without a reason"),
    "no error": (set_outputs(6), 6, "no error is stored"),
    "stray error": (
        set_outputs(2, raised("NameError", "np")),
        2,
        "the stored output is an error",
    ),
    "warning": (
        set_outputs(2, printed("1\n"), printed("RuntimeWarning: x\n", "stderr")),
        2,
        "wrote to standard error: RuntimeWarning: x",
    ),
    "semicolon": (set_source(2, "np.exp(1);"), 2, "ends with a semicolon"),
    "semicolon, remark": (set_source(2, "f();  # quiet\ng()"), 2, "with a semicolon"),
    "semicolon, magic": (set_source(2, "%timeit f();"), 2, "with a semicolon"),
    "history": (set_source(2, "x = Out[3]"), 2, "refers to `Out[…]`"),
    "plt.show": (set_source(5, "plt.plot(x)\nplt.show()"), 5, "plt.show()"),
    "address": (
        set_outputs(2, result("<f at 0x7f12ab>")),
        2,
        "a memory address: at 0x7f12ab",
    ),
    "long address": (set_outputs(2, printed("0x7F12AB34CD56\n")), 2, "memory address"),
    "path": (set_outputs(2, printed("/usr/lib/x.py\n")), 2, "path: /usr/lib/x.py"),
    "home": (set_outputs(2, result("'~/book/x'")), 2, "an absolute path: ~/b"),
    "windows path": (set_outputs(2, printed("C:\\Users\\x")), 2, "an absolute path"),
    "path in error": (
        set_outputs(6, raised("E", "e", "\x1b[32m/home/me/x.py\x1b[39m:1")),
        6,
        "an absolute path: /home/me/x.py",
    ),
    "path in table": (
        set_outputs(2, shown(text_html="<td>/tmp/x/y</td>")),
        2,
        "an absolute path: /tmp/x/y",
    ),
    "png": (set_outputs(5, shown(image_png="iVBO")), 5, "of type image/png"),
    "svg": (set_outputs(5, shown(**{"image_svg+xml": "<svg/>"})), 5, "image/svg+xml"),
    "script": (
        set_outputs(5, shown(application_javascript="x")),
        5,
        "of type application/javascript",
    ),
    "stray svg": (
        set_outputs(5, shown(text_html="<div><svg></svg></div>")),
        5,
        "<svg> stands outside a figure",
    ),
    "svg after a figure": (
        set_outputs(5, shown(text_html=f"{figure().data['text/html']}<svg></svg>")),
        5,
        "<svg> stands outside a figure",
    ),
    "img": (
        set_outputs(5, shown(text_html="<img src='data:x' alt='A long description'>")),
        5,
        "<img> stands outside a figure",
    ),
    "foreign name": (
        set_outputs(5, figure(name="u-curve")),
        5,
        "the figure's name, `u-curve`, does not begin with ch01-",
    ),
    "no alt": (set_outputs(5, figure(alt=" ")), 5, "`ch01-u-curve` is empty"),
    "short alt": (set_outputs(5, figure(alt="A curve")), 5, "has 7 characters"),
    "file name": (
        set_outputs(5, figure(alt=f"{'very-' * 9}long-name.png")),
        5,
        "`ch01-u-curve` is a file name",
    ),
    "image, no alt": (set_source(8, "![](x.svg)"), 8, "of an image is empty"),
    "image, file": (set_source(8, "![x.svg](x.svg)"), 8, "is a file name: x.svg"),
    "raw image": (set_source(8, 'A <img src="x.svg"> b'), 8, "of an image is empty"),
    "raw image, empty": (set_source(8, '<img alt="" src="x">'), 8, "image is empty"),
    "no title": (
        set_source(1, "> **Build.** You build a thing."),
        1,
        "does not begin with its title",
    ),
    "late title": (
        set_source(1, "## Early\n\n# Title\n\n> **Build.** A thing."),
        1,
        "does not begin with its title",
    ),
    "second title": (set_source(8, "# Another"), 8, "a second heading of level 1"),
    "second title, underlined": (set_source(8, "Another\n==="), 8, "a second heading"),
    "formula in title": (
        set_source(1, "# The $x$\n\n> **Build.** A thing."),
        1,
        "the title holds a formula or a number",
    ),
    "number in title": (
        set_source(1, "# Chapter 1: A\n\n> **Build.** A thing."),
        1,
        "the title holds a formula or a number",
    ),
    "skipped level": (
        set_source(8, "#### Deep"),
        8,
        "a heading of level 4 follows one of level 2",
    ),
    "html heading": (set_source(8, "<h2>x</h2>"), 8, "a heading is written in HTML"),
    "open fence": (append_source(8, "\n\n```\nx"), 8, "the code fence of line 5"),
    "open fence, shorter": (
        set_source(8, "````\nx\n```"),
        8,
        "the code fence of line 1 is not closed",
    ),
    "open tildes": (set_source(8, "a\n\n~~~python"), 8, "the code fence of line 3"),
    "open formula": (append_source(8, "\n\n$$\nx"), 8, "a formula is not closed"),
    "open formula, quoted": (set_source(8, "> $$\n> x"), 8, "a formula is not closed"),
    "open inline formula": (set_source(8, "Let $x be y"), 8, "a formula is not closed"),
    "conflict": (
        append_source(8, "\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs"),
        8,
        "a merge conflict was left",
    ),
    "conflict in output": (
        set_outputs(2, printed("<<<<<<< HEAD\n1\n")),
        2,
        "a merge conflict was left",
    ),
    "unknown callout": (
        set_source(8, "> **Traps.** Never"),
        8,
        "the callout “Traps.” is unknown",
    ),
    "two Builds": (
        set_source(8, "> **Build.** More"),
        0,
        "has 2 callouts “Build.”, not 1",
    ),
    "no Build": (set_source(1, "# Title"), 0, "has 0 callouts “Build.”, not 1"),
    "no Now you can": (set_source(30, "Good bye"), 0, "has 0 callouts “Now you can.”"),
    "thin": (set_source(3, "## Why?\n\nBecause."), 0, "words of prose; 1800 to 4500"),
    "padded": (append_source(3, f"\n\n{PROSE * 2}"), 0, "words of prose; 1800 to"),
    "long cell": (
        set_source(4, EXPORT + "\n\n".join(f"x{k} = {k}" for k in range(20))),
        4,
        "the exported cell has 42 lines; at most 40 fit",
    ),
    "much code": (
        set_source(4, EXPORT + "\n".join(f"x{k} = {k}" for k in range(26))),
        4,
        "the exported cell has 26 lines of code",
    ),
    "much code beside a message": (
        set_source(
            4,
            EXPORT
            + "\n".join(f"x{k} = {k}" for k in range(25))
            + '\nraise ValueError(\n    "long"\n)',
        ),
        4,
        "the exported cell has 26 lines of code",
    ),
    "no exercise cell": (
        remove(11),
        10,
        "exercise 1.1: the start is not where it belongs",
    ),
    "no check": (remove(12), 10, "exercise 1.1: the check is not where it belongs"),
    "no explanation": (remove(13), 10, "exercise 1.1: the explanation is not where"),
    "no solution": (remove(14), 10, "exercise 1.1: the solution is not where"),
    "cells swapped": (
        lambda c: c.__setitem__(slice(10, 12), [c[11], c[10]]),
        10,
        "exercise 1.1: the start is not where it belongs",
    ),
    "stray exercise cell": (set_tags(2, "exercise"), 2, "belongs to no exercise"),
    "stray solution": (set_tags(8, "solution"), 8, "belongs to no exercise"),
    "wrong chapter": (
        lambda cells: [
            cell.update(source=cell.source.replace("1.2", "2.2")) for cell in cells
        ],
        15,
        "the exercise is 2.2, and should be 1.2",
    ),
    "no section": (set_source(9, "## Practice"), 0, "has 0 sections “Exercises”"),
    "too few": (remove(25, 29), 0, "the chapter has 3 exercises; 4 to 8 are wanted"),
    "heading": (
        set_source(10, "## Exercise 1.1: x\n\n*5 minutes · hard*\n\nDo."),
        10,
        "the heading is not that of an exercise",
    ),
    "no heading text": (
        set_source(10, "### Exercise 1.1\n\n*5 minutes · hard*\n\nDo."),
        10,
        "the heading is not that of an exercise",
    ),
    "heading within a cell": (
        set_source(10, "Now:\n\n### Exercise 1.1: x\n\n*5 minutes · hard*\n\nDo."),
        10,
        "the heading of an exercise is not the first line",
    ),
    "no effort": (
        set_source(10, "### Exercise 1.1: x\n\nDo."),
        10,
        "the effort is missing",
    ),
    "unknown effort": (
        set_source(10, "### Exercise 1.1: x\n\n*5 minutes · easy*\n\nDo."),
        10,
        "the effort is missing or misspelled",
    ),
    "no statement": (
        set_source(10, "### Exercise 1.1: x\n\n*5 minutes · hard*\n"),
        10,
        "the exercise says nothing",
    ),
    "check of another": (
        set_source(12, 'check("1.2", answer)'),
        12,
        'does not end in its only check, check("1.1", …)',
    ),
    "check not last": (
        set_source(12, 'check("1.1", answer)\nx = 1'),
        12,
        "does not end in its only check",
    ),
    "two checks": (
        set_source(12, 'check("1.1", answer)\ncheck("1.1", answer)'),
        12,
        "does not end in its only check",
    ),
    "solution unchecked": (
        set_source(14, "answer = 0.5"),
        14,
        "does not end in its only check",
    ),
    "answered already": (
        set_outputs(12, result("Exercise 1.1: passed.")),
        12,
        "the output does not say “not answered yet”",
    ),
    "solution fails": (
        set_outputs(14, result("Exercise 1.1: not yet.")),
        14,
        "the output does not say “passed”",
    ),
    "solution in sight": (unhide, 14, "in plain sight in Jupyter"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_is_caught_where_it_is(chapter, name):
    change, number, message = FAULTS[name]
    found = faults(chapter, change)
    place = f"{chapter}, cell {number} (" if number else str(chapter)
    hits = [f for f in found if f.where.startswith(place) and message in f.what]
    assert hits, list(map(str, found))
    assert all(problem.remedy for problem in found)


def test_every_rule_is_the_one_to_catch_some_fault(chapter):
    """Without the rule, a planted fault goes unnoticed."""
    untouched = chapter.file.read_text()
    needed = set()
    for change, number, message in FAULTS.values():
        rewrite(chapter.file, lambda made, change=change: change(made.cells))
        page = lint.Page.read(chapter)
        place = f"cell {number} (" if number else str(chapter)
        needed |= {
            rule
            for rule in lint.RULES
            if any(place in p.where and message in p.what for p in rule(page))
        }
        chapter.file.write_text(untouched)
    assert needed == set(lint.RULES)


MORE = "    More.\n" * 25


def lengthen_solution(found):
    """Give a solution a second code cell."""
    extra = ran("half = 0.5", tags=["solution"], jupyter=HIDDEN)
    found.insert(13, extra)
    for count, cell in enumerate(filter(cells.has_code, found), start=1):
        cell.execution_count = count


INNOCENT = {
    "semicolon in a string": set_source(2, 'print("a;")\nx = 1; y = 2'),
    "hexadecimal": set_outputs(2, printed("0x1.8p+1 0x3ff\n")),
    "fractions": set_outputs(2, printed("1/2/3 and/or d/dx\n")),
    "link": set_outputs(2, printed("https://example.org/a/b\n")),
    "dollars": append_source(8, "\n\nIt costs \\$5, and `$x` is code."),
    "fence in a quotation": append_source(8, "\n\n> ```python\n> x = 1\n> ```"),
    "quotation": append_source(8, "\n\n> **Bold** words of somebody."),
    "rule": append_source(8, "\n\n---\n\n| a | b |\n| - | - |\n| 1 | 2 |"),
    "long docstring": set_source(4, f'{EXPORT}def f():\n    """Do.\n{MORE}    """'),
    "longer solution": lengthen_solution,
}


@pytest.mark.parametrize("name", INNOCENT)
def test_what_only_looks_like_a_fault_is_not_one(chapter, name):
    assert list(map(str, faults(chapter, INNOCENT[name]))) == []


def test_a_code_cell_that_is_empty_is_reported(chapter):
    found = faults(chapter, lambda cells: cells.append(code("")))
    assert [f.what for f in found] == ["the cell is empty"]


def test_words_are_those_of_the_prose(book):
    book.chapter(
        "one",
        "# Title words\n\nOne two-part word isn't more: `code` counts, $x + y$ not.\n\n"
        "- a list\n\n> a quote\n\n| a | table |\n| - | - |\n\n```\nx = 1\n```",
        code("# not this"),
    )
    (chapter,) = toc.chapters(book.root)
    assert lint.count_words(lint.Page.read(chapter)) == 12


BESIDE = """
    format: jb-book
    root: book/index
    parts:
      - caption: Back matter
        chapters:
          - file: book/beside
"""


def companion(book, *contents):
    """What `lint` finds in a notebook that is no chapter."""
    book.chapter("beside", *contents, listed=False)
    book.contents(BESIDE)
    (found,) = toc.companions(book.root)
    return lint.lint(lint.Page.read(found))


def test_a_companion_need_not_be_a_chapter(book):
    assert companion(book, "# Beside\n\nFew words.", ran("1", result("1"))) == []


def test_a_companion_has_to_have_run(book):
    (problem,) = companion(book, code("1 + 1"))
    assert "never run" in problem.what
    command = "python tools/notebooks.py execute book/beside.ipynb"
    assert command in problem.remedy


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        (ran("x", raised("NameError", "x")), "the stored output is an error"),
        (ran("x", result("<x at 0x7f0809856668>")), "a memory address"),
        (ran("x", printed("hm", "stderr")), "wrote to standard error"),
        (ran("x", shown(image_png="iVBO")), "the output is of type image/png"),
        ("#### Deep", "a heading of level 4 follows one of level 1"),
    ],
)
def test_a_companion_keeps_the_rules_of_every_notebook(book, cell, what):
    found = companion(book, "# Beside", cell)
    assert any(what in problem.what for problem in found), found


def test_figures_are_unique_in_the_book(book):
    other = "Another picture, and quite another description of what is on it."
    book.chapter("one", ran("a", figure("ch01-a")), ran("b", figure("ch01-b", other)))
    book.chapter("two", ran("a", figure("ch01-a", f"{other} Really.")))
    book.chapter("three", ran("a", figure("ch03-a", other)))
    pages = [lint.Page.read(chapter) for chapter in toc.chapters(book.root)]
    name, alt = lint.unique_figures(pages)
    assert "Chapter 2" in name.where and "name “ch01-a” is that of another" in name.what
    assert "Chapter 1" in name.what and "cell 2" in name.what
    assert "Chapter 3" in alt.where and "alt text “Another picture" in alt.what
    assert list(lint.unique_figures(pages[:1])) == []


def test_a_figure_shown_twice_in_a_cell_is_not_unique(book):
    book.chapter("one", ran("a", figure(), figure()))
    (chapter,) = toc.chapters(book.root)
    assert len(list(lint.unique_figures([lint.Page.read(chapter)]))) == 2


def test_exemptions_are_counted(chapter, book):
    assert lint.count_exemptions(book.root) == [
        f"exempt from comparison in {chapter}: 1 cells",
        "  cell-7: timings differ from machine to machine",
    ]
    chapter.file.write_text("{")
    assert "unknown" in lint.count_exemptions(book.root)[0]
