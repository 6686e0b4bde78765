"""The workbook is the book without its answers, and grading tells right from wrong.

Every chapter is emptied and put together again; the checks run on a few chapters, on
the quick ones of their checks, with faults planted in the book's own source.
"""

import ast
import json

import pytest

import cells
import grading
import tangle
import toc
import workbook
from grading import Copy, Grade, Key, Mark, Progress
from workbook import Export, books_exports

CHAPTERS = toc.chapters(toc.ROOT)
NAMES = [chapter.file.stem for chapter in CHAPTERS]
each_chapter = pytest.mark.parametrize("chapter", CHAPTERS, ids=NAMES)


def skeleton(node: ast.AST) -> list:
    """The signatures and docstrings of a unit, decorators included, in order."""
    return [
        (f.name, ast.unparse(f.args), ast.get_docstring(f), len(f.decorator_list))
        for f in workbook._functions(node)
    ]


# -------------------------------------------------------------------------- emptying


@each_chapter
def test_an_emptied_chapter_keeps_all_signatures_and_docstrings(chapter):
    for export in books_exports(chapter):
        if not export.to_write:
            continue
        source = workbook.empty(export.code, chapter.number)
        emptied = {unit.name: unit for unit in workbook.units(source)}
        for unit in export.to_write:
            left = emptied[unit.name]
            assert skeleton(left.node) == skeleton(unit.node)
            assert workbook.unwritten(left, unit, chapter.number)
            assert not workbook.unwritten(unit, unit, chapter.number)
        assert workbook.rest_of(source) == workbook.rest_of(export.code)
        assert ast.get_docstring(ast.parse(source)) == (
            ast.get_docstring(ast.parse(export.code))
        )


@each_chapter
def test_an_emptied_chapter_tangles(chapter):
    for export in books_exports(chapter):
        source = workbook.empty(export.code, chapter.number)
        compile(source, export.file, "exec")
        cell = tangle.Cell(
            chapter, "", export.file, f"#| file: {export.file}\n{source}"
        )
        assert not list(tangle._path_problems(cell))
        assert not list(tangle._code_problems(cell))


@each_chapter
def test_what_is_lent_is_the_books_to_the_letter(chapter):
    for export in books_exports(chapter):
        source = workbook.empty(export.code, chapter.number)
        names = [unit.name for unit in export.to_write]
        if names:
            assert workbook.mix(source, export.code, names) == export.code
            assert workbook.mix(export.code, source, (), rest=True).split() == (
                export.code.split()
            )


@each_chapter
def test_no_answer_is_left_in_the_copy(chapter):
    """Not one line of a body, unless the chapter says it elsewhere as well."""
    notebook = workbook.emptied(chapter)
    book = {cell.id: cell.source for cell in cells.read(chapter.file).cells}
    for cell in notebook.cells:
        if workbook.TAG in cell.metadata.get("tags", []):
            assert cell.source != book[cell.id]
        elif cell.id in book:
            assert cell.source == book[cell.id]


def test_everything_to_write_counts():
    counts = workbook.summary(CHAPTERS)
    assert sum(counts.values()) > 1000
    empty = [number for number, count in counts.items() if not count]
    assert empty == [25]  # which builds nothing: it leaves for PyTorch and JAX


def test_a_workbook_is_not_written_over(tmp_path, monkeypatch):
    monkeypatch.setattr(workbook, "checks", lambda chapter: "")
    monkeypatch.setattr(toc, "chapters", lambda root=None: CHAPTERS[:1])
    assert workbook.write(tmp_path) == ["ch01-derivatives.ipynb"]
    mine = tmp_path / "workbook" / "ch01-derivatives.ipynb"
    mine.write_text(mine.read_text().replace("write `", "mine `"))
    changed = mine.read_text()
    assert workbook.write(tmp_path) == [] and mine.read_text() == changed
    assert workbook.write(tmp_path, renew=[1]) == ["ch01-derivatives.ipynb"]
    assert mine.read_text() != changed
    assert mine.with_suffix(".ipynb.old").read_text() == changed


def test_a_method_left_empty_is_named():
    method = "\n    def {}(self):\n        return 1\n"
    book = "class A:" + method.format("f") + method.format("g")
    mine = workbook.empty(book, 3).replace(
        'raise NotImplementedError("Chapter 3: write `A.f`")', "return 1"
    )
    (unit,), (model,) = workbook.units(mine), workbook.units(book)
    assert workbook.unwritten(unit, model, 3) == ["g"]


# --------------------------------------------------------------------------- grading


def copied(number: int, *faults: tuple[str, str, str]) -> Copy:
    """The book's chapter as a reader's, with (file, old, new) replaced in it."""
    chapter = CHAPTERS[number - 1]
    exports = [*books_exports(chapter)]
    for file, old, new in faults:
        hits = [k for k, e in enumerate(exports) if e.file == file and old in e.code]
        assert hits, f"chapter {number} has no {old!r} in {file}"
        export = exports[hits[-1]]
        exports[hits[-1]] = Export(export.id, file, export.code.replace(old, new))
    return Copy(chapter, books_exports(chapter), exports)


@pytest.fixture(scope="module")
def emptied_copy(tmp_path_factory):
    path = tmp_path_factory.mktemp("workbook") / "ch03.ipynb"
    cells.write(workbook.emptied(CHAPTERS[2]), path)
    return Copy.read(CHAPTERS[2], path)


def test_an_empty_workbook_gets_nothing(emptied_copy):
    result = grading.grade(emptied_copy)
    assert result.marks == 0 and len(result.units) > 20 and not result.done
    assert {mark.state for mark in result.units} == {"missing"}
    assert "not written yet: " in str(result)


@each_chapter
def test_no_empty_unit_of_any_chapter_counts_as_written(chapter, tmp_path):
    path = tmp_path / "mine.ipynb"
    cells.write(workbook.emptied(chapter), path)
    copy = Copy.read(chapter, path)
    assert not copy.written and not copy.changed
    assert len(copy.missing) == workbook.summary([chapter])[chapter.number]


@pytest.mark.parametrize(("number", "quick"), [(2, False), (3, True), (18, True)])
def test_the_book_gets_full_marks(number, quick):
    result = grading.grade(copied(number), quick=quick)
    assert result.done and result.failed == 0 and result.held > 30, str(result)
    assert "All of this chapter is yours." in str(result)


RULES = "minigrad/rules.py"
FAULTS = {
    "a wrong sign in a rule": (
        3,
        (RULES, "y=lambda g: -g)", "y=lambda g: g)"),
        "the rules of `sub`",
        "the gradient of `sub` with respect to its second argument, of (2, 3) and "
        "(2, 3): expected [[",
    ),
    "the operands of a rule exchanged": (
        3,
        (
            RULES,
            "x=lambda g, y: g * y, y=lambda g, x",
            "x=lambda g, x: g * x, y=lambda g, x",
        ),
        "the rules of `mul`",
        "the gradient of `mul` with respect to its first argument",
    ),
    "what was stretched is not summed": (
        3,
        (RULES, "total = np.sum(g, axis=stretched(shape, g.shape))\n", "total = g\n"),
        "`unbroadcast`",
        "expected [3. 5. 7.], got",
    ),
    "a gradient overwritten instead of added": (
        7,
        ("minigrad/autograd/engine.py", "array += node.g  #", "array[...] = node.g  #"),
        "`_deliver`",
        "expected [6.], got [3.]",
    ),
    "the mean's rule without its factor": (
        9,
        ("minigrad/reductions.py", " / freedom(x_shape, axis, 0),", ","),
        "the rules of `mean`",
        "the gradient of `mean`(x, dim=1): expected",
    ),
    "a step of SGD uphill": (
        18,
        (
            "minigrad/optim/sgd.py",
            "np.subtract(p, spare, out=p)",
            "np.add(p, spare, out=p)",
        ),
        "`_rule`",
        "p after a step of SGD: expected [ 0.95 -1.9 ], got [ 1.05 -2.1 ]",
    ),
    "a loop that never ends": (
        3,
        (RULES, "total = np.sum", "while True: pass\n    total = np.sum"),
        "`unbroadcast`",
        "is there a loop that never does?",
    ),
    "code that cannot be imported": (
        3,
        (
            RULES,
            'define("exp", np.exp, x=lambda g, out',
            'define("exp", np.exp, x=lambda g, z',
        ),
        "the rules of `exp`",
        "minigrad.rules cannot be imported: TypeError: exp: the rule for x takes",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_planted_mistake_is_named(fault, monkeypatch):
    number, change, name, words = FAULTS[fault]
    monkeypatch.setattr(grading, "LIMIT", 1)
    result = grading.grade(copied(number, change), quick=True)
    wrong = {mark.name: "\n".join(mark.why) for mark in result.units if mark.why}
    assert [*wrong] == [name], str(result)
    assert words in wrong[name]
    assert result.marks == len(result.units) - 1 and result.failed


def test_two_mistakes_are_told_apart():
    sub = (RULES, "y=lambda g: -g)", "y=lambda g: g)")
    exp = (RULES, "x=lambda g, out: g * out)", "x=lambda g, out: g)")
    result = grading.grade(copied(3, sub, exp), quick=True)
    wrong = {mark.name for mark in result.units if mark.state == "fails"}
    assert wrong == {"the rules of `sub`", "the rules of `exp`"}


def test_a_function_is_judged_while_others_are_missing(emptied_copy):
    chapter = emptied_copy.chapter
    mine = []
    for export in emptied_copy.mine:
        books = next(e for e in emptied_copy.books if e.id == export.id)
        code = workbook.mix(export.code, books.code, {"unbroadcast"})
        mine.append(Export(export.id, export.file, code))
    result = grading.grade(Copy(chapter, emptied_copy.books, mine), quick=True)
    assert result.marks == 1 and result.failed == 0 and not result.done
    assert [m.name for m in result.units if m.state == "holds"] == ["`unbroadcast`"]


def test_a_cell_that_is_not_python_is_said_to_be():
    copy = copied(3, (RULES, "def unbroadcast(", "def unbroadcast(("))
    assert copy.missing and not copy.written & {*copy.missing}
    (why,) = {copy.missing[key] for key in copy.missing}
    assert why.startswith("its cell is not Python: line ")


def test_lines_between_functions_are_named():
    copy = copied(3, (RULES, "import numpy as np", "import numpy as no"))
    assert {key.name for key in copy.changed} == {grading.REST}
    result = grading.grade(copy, quick=True)
    assert not result.done and result.marks == len(result.units)
    assert "NameError: name 'np' is not defined" in str(result)


# ---------------------------------------------------------------------- the progress


def test_progress_is_kept_and_shown(tmp_path):
    units = [Mark("`f`", "minigrad/a.py", "fails", ["expected <1>, got 2"])]
    progress = Progress(tmp_path, {3: Grade(3, "“Three”", units, 1, 1)})
    progress.save()
    assert Progress.load(tmp_path) == progress
    stored = json.loads((tmp_path / "progress.json").read_text())
    assert stored["3"]["units"][0]["state"] == "fails"
    page = (tmp_path / "progress.html").read_text(encoding="utf-8")
    assert "expected &lt;1&gt;, got 2" in page and '<html lang="en">' in page
    assert page.count("<progress") == len(CHAPTERS) + 1 == page.count("aria-label=")
    assert "http" not in page and "<script" not in page


def test_every_chapter_has_checks():
    for chapter in CHAPTERS:
        for file in grading.tests_of(chapter):
            assert (toc.ROOT / file).is_file()
    assert [*grading.MODULES] == [
        n for n, count in workbook.summary(CHAPTERS).items() if count
    ]
    text = grading.described(CHAPTERS[6])
    assert "x³ has the slope 3 at 1." in text and "tests/test_engine.py" in text


def test_what_needs_later_chapters_exists():
    for number, tests in grading.later().items():
        known = grading.tests_of(CHAPTERS[int(number) - 1])
        assert {test.partition("::")[0] for test in tests} <= {*known}


def test_the_key_of_a_unit_is_its_cell_and_name():
    keys = [
        Key(export.id, unit.name)
        for chapter in CHAPTERS
        for export in books_exports(chapter)
        for unit in export.to_write
    ]
    assert len(keys) == len(set(keys))
