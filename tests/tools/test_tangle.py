"""tools/tangle.py: the chapter is the source."""

import os
import shutil
import subprocess
import sys

import pytest

import tangle
from tests.makebook import code, markdown, module, rewrite

INIT = module("minigrad/__init__.py", '"""A small autograd framework."""')
NUMERICAL = module(
    "minigrad/numerical.py",
    '''
    """Derivatives by differences."""

    import numpy as np
    ''',
)
STEP = module(
    "minigrad/numerical.py",
    '''
    def step(x):
        """Return a step for ``x``."""
        return np.sqrt(np.finfo(float).eps) * abs(x)
    ''',
)
SLOPE = module(
    "minigrad/numerical.py",
    '''
    SMALL = 1e-300


    def slope(f, x):
        """Return the slope of ``f`` at ``x``."""
        h = step(x) or SMALL
        return (f(x + h) - f(x)) / h
    ''',
)


@pytest.fixture
def two(book):
    """A book of two chapters, of which the second adds to a file of the first."""
    book.chapter("ch01-slopes", INIT, NUMERICAL, "Why a step?", STEP, code("step(2.0)"))
    book.chapter("ch02-more", SLOPE)
    return book


def problems(root, action=tangle.write):
    """Return the problems that stop an action, as text."""
    with pytest.raises(tangle.TangleError) as error:
        action(root)
    return [str(problem) for problem in error.value.problems]


def problem(root, action=tangle.write):
    """Return the only problem that stops an action."""
    (only,) = problems(root, action)
    return only


def ruff(*arguments, cwd):
    """Run ruff without the project's own settings."""
    command = [sys.executable, "-m", "ruff", *arguments, "--isolated", "--no-cache"]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True)


# ---------------------------------------------------------------------- what is written


def test_a_file_is_its_cells_in_reading_order_under_one_line(two):
    tangle.write(two.root)
    assert two.read("minigrad/numerical.py") == (
        "# Generated from chapters 1 and 2: edit the chapters, not this file.\n"
        '"""Derivatives by differences."""\n'
        "\n"
        "import numpy as np\n"
        "\n"
        "\n"
        "def step(x):\n"
        '    """Return a step for ``x``."""\n'
        "    return np.sqrt(np.finfo(float).eps) * abs(x)\n"
        "\n"
        "\n"
        "SMALL = 1e-300\n"
        "\n"
        "\n"
        "def slope(f, x):\n"
        '    """Return the slope of ``f`` at ``x``."""\n'
        "    h = step(x) or SMALL\n"
        "    return (f(x + h) - f(x)) / h\n"
    )
    assert two.read("minigrad/__init__.py") == (
        "# Generated from chapter 1 (book/ch01-slopes.ipynb): "
        "edit the chapter, not this.\n"
        '"""A small autograd framework."""\n'
    )


def test_the_order_is_that_of_the_table_of_contents_not_of_the_names(two):
    two.names.reverse()
    two.contents()
    assert "begins here, but not with a docstring" in "".join(problems(two.root))


def test_a_long_name_is_left_out_of_the_header(book):
    book.chapter("ch01-" + "long-" * 9 + "name", INIT)
    tangle.write(book.root)
    header = book.read("minigrad/__init__.py").splitlines()[0]
    assert header == "# Generated from chapter 1: edit the chapter, not this file."


@pytest.mark.parametrize(
    "second",
    [
        "import numpy as np\n\nX = 1",
        "X = 1",
        "# a remark\nX = 1",
        "def f():\n    pass",
        "# a remark\ndef f():\n    pass",
        "@property\ndef f():\n    pass",
        "async def f():\n    pass",
        "class C:\n    pass",
        "if True:\n    X = 1",
    ],
)
@pytest.mark.parametrize(
    "first", ['"""Doc."""', '"""Doc."""\n\nimport os', '"""Doc."""\n\nY = 2  # last']
)
def test_joined_cells_are_formatted_as_ruff_wants_it(book, first, second):
    path = "minigrad/x.py"
    book.chapter(
        "one",
        INIT,
        module(path, first),
        module(path, second),
        module(path, "Z = 3"),
        module(path, "import re"),
        module(path, "import abc"),
        module(path, "def g():\n    pass"),
    )
    tangle.write(book.root)
    formatted = ruff("format", "--diff", "minigrad", cwd=book.root)
    assert formatted.returncode == 0, formatted.stdout


def test_writing_is_deterministic_and_touches_only_what_changed(two):
    tangle.write(two.root)
    before = two.files()
    old = two.root / "minigrad" / "numerical.py"
    os.utime(old, (1, 1))
    again = tangle.write(two.root)
    assert again.written == again.removed == []
    assert two.files() == before
    assert old.stat().st_mtime == 1
    rewrite(two.root / "book" / "ch02-more.ipynb", lambda nb: nb.cells.pop())
    changed = tangle.write(two.root)
    assert changed.written == ["minigrad/numerical.py"]
    assert changed.unchanged == ["minigrad/__init__.py"]


def test_files_are_utf8_with_lf_and_one_newline_at_the_end(book):
    source = (
        '#| file: minigrad/__init__.py\r\n\r\n"""∂ and ε."""\r\n\r\nX = 1\r\n\r\n\r\n'
    )
    path = book.chapter("one", "text")
    rewrite(path, lambda nb: nb.cells.append(code("pass")))
    rewrite(path, lambda nb: nb.cells[-1].update(source=source))
    tangle.write(book.root)
    content = (book.root / "minigrad" / "__init__.py").read_bytes()
    assert content.endswith('"""∂ and ε."""\n\nX = 1\n'.encode())
    assert b"\r" not in content


def test_a_write_that_fails_leaves_the_old_file_whole(two, monkeypatch):
    tangle.write(two.root)
    before = two.files()
    rewrite(two.root / "book" / "ch02-more.ipynb", lambda nb: nb.cells.pop())
    chapters = {name: text for name, text in two.files().items() if "book/" in name}

    def full(self, target):
        raise OSError("disk full")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="disk full"):
        tangle.write(two.root)
    assert two.files() == before | chapters


def test_a_stale_generated_file_is_removed_and_its_empty_folder_too(two):
    two.chapter(
        "ch03",
        module("minigrad/nn/__init__.py", '"""Networks."""'),
        module("minigrad/nn/linear.py", '"""Lines."""'),
    )
    tangle.write(two.root)
    cache = two.root / "minigrad" / "nn" / "__pycache__"
    cache.mkdir()
    (cache / "linear.pyc").write_bytes(b"")
    rewrite(
        two.root / "book" / "ch03.ipynb", lambda nb: nb.cells.__delitem__(slice(1, 3))
    )
    changes = tangle.write(two.root)
    assert changes.removed == ["minigrad/nn/__init__.py", "minigrad/nn/linear.py"]
    assert not (two.root / "minigrad" / "nn").exists()
    assert (two.root / "minigrad" / "numerical.py").exists()


def test_a_file_made_by_hand_stops_everything(two):
    by_hand = two.root / "minigrad" / "extra.py"
    by_hand.parent.mkdir()
    by_hand.write_text("x = 1\n")
    before = two.files()
    assert problem(two.root).startswith(
        "minigrad/extra.py\n    the file was not generated"
    )
    assert two.files() == before


def test_a_file_made_by_hand_is_not_overwritten_by_an_export(two):
    by_hand = two.root / "minigrad" / "numerical.py"
    by_hand.parent.mkdir()
    by_hand.write_text("precious = 1\n")
    assert "minigrad/numerical.py" in problem(two.root)
    assert by_hand.read_text() == "precious = 1\n"


def test_pieces_says_which_chapters_build_which_file(two):
    pieces = tangle.pieces(two.root)
    assert {file: [c.number for c in found] for file, found in pieces.items()} == {
        "minigrad/__init__.py": [1],
        "minigrad/numerical.py": [1, 2],
    }


def test_exported_lists_the_cells_of_one_chapter(two):
    first, _ = tangle.chapters(two.root)
    assert [file for file, _ in tangle.exported(first)] == [
        "minigrad/__init__.py",
        "minigrad/numerical.py",
        "minigrad/numerical.py",
    ]
    assert tangle.exported(first)[0][1] == '"""A small autograd framework."""'


# -------------------------------------------------------------------------------- check


def test_check_accepts_what_write_wrote_and_what_python_leaves_beside_it(two):
    tangle.write(two.root)
    folder = two.root / "minigrad" / "__pycache__"
    folder.mkdir()
    (folder / "numerical.cpython-311.pyc").write_bytes(b"\0")
    (two.root / "minigrad" / ".DS_Store").write_bytes(b"\0")
    assert tangle.check(two.root) == []


def test_check_does_not_promise_what_write_refuses(two):
    tangle.write(two.root)
    edit(two.root / "minigrad" / "numerical.py", b"# Generated", b"# Made")
    (found,) = tangle.check(two.root)
    assert "move the file away" in found.remedy
    assert "not generated" in problem(two.root)


def edit(path, old, new):
    path.write_bytes(path.read_bytes().replace(old, new, 1))


@pytest.mark.parametrize(
    ("old", "new", "line", "source"),
    [
        (b"# Generated from", b"# Generated  from", 1, "the header line"),
        (b"import numpy as np", b"import numpy as  np", 4, "cell 3 (id cell-3)"),
        (b"abs(x)\n", b"abs(x) \n", 9, "cell 5 (id cell-5)"),
        (b"\n\n\nSMALL", b"\n\nSMALL", 11, "cell 5 (id cell-5)"),
        (b"SMALL = 1", b"LITTLE = 1", 12, "book/ch02-more.ipynb), cell 2 (id cell-2)"),
        (b"return (f", b"return -(f", 18, "Chapter 2 “The story of ch02-more”"),
        (b"- f(x)) / h\n", b"- f(x)) / h", 19, "cell 2 (id cell-2)"),
        (b"- f(x)) / h\n", b"- f(x)) / h\n\n", 20, "cell 2 (id cell-2)"),
        (b"Derivatives", b"Deriv\xfftives", 2, "cell 3 (id cell-3)"),
    ],
)
def test_check_names_file_line_chapter_and_cell(two, old, new, line, source):
    tangle.write(two.root)
    edit(two.root / "minigrad" / "numerical.py", old, new)
    (found,) = tangle.check(two.root)
    assert found.where.startswith(f"minigrad/numerical.py, line {line}, differs from ")
    assert source in found.where
    assert "make tangle" in found.remedy


def test_check_shows_the_difference(two):
    tangle.write(two.root)
    edit(two.root / "minigrad" / "numerical.py", b"SMALL = 1e-300", b"SMALL = 1e-30")
    (found,) = tangle.check(two.root)
    assert "-SMALL = 1e-30\n+SMALL = 1e-300\n" in found.what


def test_check_sees_line_ends(two):
    tangle.write(two.root)
    path = two.root / "minigrad" / "numerical.py"
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (found,) = tangle.check(two.root)
    assert "CR LF" in found.what


def test_check_reports_missing_stale_and_foreign_files_together(two):
    tangle.write(two.root)
    package = two.root / "minigrad"
    (package / "numerical.py").unlink()
    (package / "old.py").write_text("# Generated from chapter 9: edit the chapter.\n")
    (package / "data.txt").write_text("by hand\n")
    missing, foreign, stale = map(str, tangle.check(two.root))
    assert (
        "cell 3" in missing and "exports minigrad/numerical.py, which is mis" in missing
    )
    assert foreign.startswith("minigrad/data.txt") and "not generated" in foreign
    assert stale.startswith("minigrad/old.py") and "no chapter exports" in stale


def test_check_writes_nothing(two):
    before = two.files()
    assert len(tangle.check(two.root)) == 2
    assert two.files() == before


# ---------------------------------------------------------------------------- snapshots


def test_a_snapshot_holds_what_the_chapters_before_export(two, tmp_path_factory):
    folder = tmp_path_factory.mktemp("snapshot")
    tangle.snapshot(2, folder, two.root)
    numerical = (folder / "minigrad" / "numerical.py").read_text()
    assert "def step" in numerical and "def slope" not in numerical
    assert numerical.startswith("# Generated from chapter 1 (book/ch01-slopes.ipynb)")
    tangle.snapshot(3, folder, two.root)
    assert "def slope" in (folder / "minigrad" / "numerical.py").read_text()
    tangle.snapshot(1, folder, two.root)
    assert [p.name for p in (folder / "minigrad").iterdir()] == ["__init__.py"]


def test_a_snapshot_has_an_init_even_if_a_later_chapter_exports_it(
    book, tmp_path_factory
):
    book.chapter("one", NUMERICAL)
    book.chapter("two", INIT)
    folder = tmp_path_factory.mktemp("snapshot")
    changes = tangle.snapshot(2, folder, book.root)
    assert changes.written == ["minigrad/numerical.py", "minigrad/__init__.py"]
    assert (folder / "minigrad" / "__init__.py").read_text() == (
        "# Generated from no chapter: none so far exports minigrad/__init__.py.\n"
    )


def test_a_snapshot_hides_an_installed_minigrad(two, tmp_path_factory):
    installed, folder = (
        tmp_path_factory.mktemp(name) for name in ("installed", "snap")
    )
    tangle.write(two.root)
    shutil.copytree(two.root / "minigrad", installed / "minigrad")
    tangle.snapshot(1, folder, two.root)
    program = "import minigrad; print(minigrad.__file__); import minigrad.numerical"
    path = os.pathsep.join(map(str, (folder, installed)))
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
        cwd=folder,
    )
    assert done.stdout.strip() == str(folder / "minigrad" / "__init__.py")
    assert "No module named 'minigrad.numerical'" in done.stderr


def test_a_snapshot_does_not_care_for_faults_in_later_chapters(two, tmp_path_factory):
    two.chapter("ch03", module("minigrad/broken.py", "("))
    (two.root / "book" / "ch02-more.ipynb").write_text("{")
    tangle.snapshot(2, tmp_path_factory.mktemp("snapshot"), two.root)


@pytest.mark.parametrize("number", [0, -1, 4])
def test_a_snapshot_before_no_chapter_is_an_error(two, tmp_path_factory, number):
    folder = tmp_path_factory.mktemp("snapshot")
    text = problem(two.root, lambda root: tangle.snapshot(number, folder, root))
    assert "the book has chapters 1 to 2" in text


def test_a_snapshot_does_not_replace_the_package(two):
    tangle.write(two.root)
    before = two.files()
    text = problem(two.root, lambda root: tangle.snapshot(1, root, root))
    assert "would replace minigrad/ itself" in text
    assert two.files() == before


def test_a_snapshot_needs_the_init_of_each_sub_package(book, tmp_path_factory):
    book.chapter("one", INIT, module("minigrad/nn/linear.py", '"""Lines."""'))
    book.chapter("two", module("minigrad/nn/__init__.py", '"""Networks."""'))
    tangle.write(book.root)
    folder = tmp_path_factory.mktemp("snapshot")
    text = problem(book.root, lambda root: tangle.snapshot(2, folder, root))
    assert "needs minigrad/nn/__init__.py, which no chapter up to here exports" in text
    assert not list(folder.iterdir())


# ------------------------------------------------------------------------------- errors


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("/minigrad/x.py", "the path is absolute"),
        ("C:/minigrad/x.py", "the path is absolute"),
        ("numerical.py", "leads outside minigrad/"),
        ("tests/x.py", "leads outside minigrad/"),
        ("minigrad.py", "leads outside minigrad/"),
        ("minigrad/../setup.py", "leads outside minigrad/"),
        ("../minigrad/x.py", "leads outside minigrad/"),
        ("minigrad\\x.py", "forward slashes"),
        ("minigrad/x.txt", "ends in .py"),
        ("minigrad/x", "ends in .py"),
        ("minigrad/x.py ", "ends in .py"),
        ("minigrad//x.py", "plain form, `minigrad/x.py`"),
        ("minigrad/./x.py", "plain form, `minigrad/x.py`"),
        ("minigrad/x-y.py", "`x-y` is not a lower-case name"),
        ("minigrad/X.py", "`X` is not a lower-case name"),
        ("minigrad/lambda.py", "`lambda` is not a lower-case name"),
        ("minigrad/1st/x.py", "`1st` is not a lower-case name"),
        ('"minigrad/x.py"', "leads outside"),
        ("", "leads outside"),
    ],
)
def test_an_impossible_path_is_an_error(book, path, message):
    book.chapter("one", INIT, module(path, '"""Doc."""'))
    text = problem(book.root)
    assert message in text
    assert "Chapter 1 “The story of one” (book/one.ipynb), cell 3 (id cell-3)" in text


@pytest.mark.parametrize(
    "directive",
    [
        "#|file: minigrad/x.py",
        "#| File: minigrad/x.py",
        "#| FILE: minigrad/x.py",
        "# | file: minigrad/x.py",
        "#|  file: minigrad/x.py",
        "#| file : minigrad/x.py",
        "#| file:minigrad/x.py",
        "#| file minigrad/x.py",
        "#| flie: minigrad/x.py",
        "#| export: minigrad/x.py",
        " #| file: minigrad/x.py",
        "##| file: minigrad/x.py",
        "# file: minigrad/x.py",
        "# file minigrad/x.py",
        "# files: ./minigrad/x.py",
    ],
)
def test_a_misspelled_directive_is_an_error(book, directive):
    cell = code("x")
    cell.source = f'{directive}\n"""Doc."""'
    book.chapter("one", INIT, cell)
    text = problem(book.root)
    assert "the directive is misspelled" in text and "cell 3" in text
    assert "`#| file: minigrad/<module>.py` as the first line" in text


@pytest.mark.parametrize(
    "above", ["import numpy as np", "", "#| file: minigrad/x.py", "# a remark"]
)
def test_a_directive_below_the_first_line_is_an_error(book, above):
    cell = code("x")
    cell.source = f'{above}\n#| file: minigrad/x.py\n"""Doc."""'
    book.chapter("one", INIT, cell)
    assert "line 2 looks like a directive, below the first line" in problem(book.root)


@pytest.mark.parametrize(
    "innocent",
    [
        "# the file is minigrad/x.py",
        "# |x| is not a directive",
        "# | 1 0 |\n# | 0 1 |",
        "x = 1  # file: minigrad/x.py",
        "print('#| file: minigrad/x.py')",
        "# profile minigrad",
    ],
)
def test_other_comments_are_not_mistaken_for_a_directive(book, innocent):
    book.chapter("one", INIT, code(innocent))
    tangle.write(book.root)


def test_a_directive_in_a_markdown_cell_is_an_error(book):
    book.chapter("one", INIT, markdown("#| file: minigrad/x.py\nx = 1"))
    assert "a markdown cell cannot be exported" in problem(book.root)


def test_markdown_may_speak_about_directives(book):
    book.chapter("one", INIT, "A cell begins with\n\n    #| file: minigrad/x.py\n")
    tangle.write(book.root)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def f(:\n    pass", "line 2: syntax error: invalid syntax\n      def f(:\n"),
        ("x = 1\ny = (\n", "line 3: syntax error: '(' was never closed"),
        ("def f():\nreturn 1", "line 3: syntax error: expected an indented block"),
        ("return 1", "line 2: syntax error: 'return' outside function"),
        ("await f()", "line 2: syntax error: 'await' outside function"),
        ("x = 1\n\x00", "source code string cannot contain null bytes"),
        ("%timeit f()", "line 2: a magic or shell command works only in a notebook"),
        ("%%timeit\nf()", "line 2: a magic or shell command works only in a notebook"),
        ("x = 1\n!ls", "line 3: a magic or shell command works only in a notebook"),
        ("np.exp?", "line 2: a magic or shell command works only in a notebook"),
        ("from . import tensor", "line 2: a relative import works only in the package"),
        (
            "def f():\n    from .tensor import T",
            "import absolutely: from minigrad.tensor",
        ),
        ("", "the cell exports nothing"),
        ("# only a remark", "the cell exports nothing"),
    ],
)
def test_code_that_cannot_be_exported_is_an_error(book, source, message):
    cell = code("x")
    cell.source = f"#| file: minigrad/x.py\n{source}"
    book.chapter("one", INIT, cell)
    text = problem(book.root)
    assert message in text and "cell 3 (id cell-3)" in text


def test_half_a_character_is_an_error(book):
    path = book.chapter("one", INIT, module("minigrad/x.py", '"""HALF"""'))
    path.write_text(path.read_text().replace("HALF", "\\ud800"))
    assert "not Python: 'utf-8' codec can't encode character" in problem(book.root)


def test_a_syntax_error_has_a_caret_under_it(book):
    book.chapter("one", INIT, module("minigrad/x.py", "def f():\n    return 1 +* 2"))
    shown = problem(book.root).splitlines()
    line, caret = shown[2], shown[3]
    assert line.strip() == "return 1 +* 2"
    assert line[caret.index("^")] == "*"


def test_two_cells_cannot_claim_a_docstring_header(two):
    two.chapter("ch03", module("minigrad/numerical.py", '"""Mine too."""'))
    text = problem(two.root)
    assert (
        text.startswith("Chapter 3") and "two cells claim the docstring header" in text
    )
    assert (
        "Chapter 1 “The story of ch01-slopes” (book/ch01-slopes.ipynb), cell 3" in text
    )


def test_a_file_begins_with_a_docstring(book):
    book.chapter("one", INIT, module("minigrad/x.py", "x = 1"))
    assert "minigrad/x.py begins here, but not with a docstring" in problem(book.root)


def test_future_imports_stand_at_the_top(book):
    future = "from __future__ import annotations"
    good = module("minigrad/x.py", f'"""Doc."""\n\n{future}')
    book.chapter("one", INIT, good)
    tangle.write(book.root)
    book.chapter("two", module("minigrad/x.py", future))
    assert "a __future__ import must stand at the top" in problem(book.root)


@pytest.mark.parametrize(
    "tag", ["exercise", "exercise-check", "solution", "raises-exception"]
)
def test_a_cell_for_the_reader_cannot_be_exported(book, tag):
    cell = module("minigrad/x.py", '"""Doc."""')
    cell.metadata.tags = [tag]
    book.chapter("one", INIT, cell)
    assert f"a cell tagged `{tag}` cannot be exported" in problem(book.root)


@pytest.mark.parametrize(
    ("path", "init"),
    [
        ("minigrad/nn/linear.py", "minigrad/nn/__init__.py"),
        ("minigrad/nn/deep/linear.py", "minigrad/nn/deep/__init__.py"),
    ],
)
def test_each_package_needs_an_exported_init(book, path, init):
    book.chapter("one", INIT, module(path, '"""Lines."""'))
    assert f"{path} needs {init}" in "".join(problems(book.root))


def test_the_package_itself_needs_an_exported_init(book):
    book.chapter("one", NUMERICAL)
    assert "minigrad/numerical.py needs minigrad/__init__.py" in problem(book.root)


def test_a_module_and_a_package_cannot_share_a_name(book):
    book.chapter(
        "one",
        INIT,
        module("minigrad/nn.py", '"""A module."""'),
        module("minigrad/nn/__init__.py", '"""A package."""'),
    )
    assert "minigrad/nn.py and minigrad/nn/ share one name" in problem(book.root)


def test_a_notebook_that_exports_must_be_a_chapter(two):
    two.chapter("drafts/later", module("minigrad/later.py", "x = 1"), listed=False)
    text = problem(two.root)
    assert text.startswith("book/drafts/later.ipynb, cell 2 (id cell-2)")
    assert "not in the table of contents" in text


def test_a_notebook_that_exports_must_be_numbered(two):
    two.chapter("appendix", module("minigrad/later.py", "x = 1"), listed=False)
    contents = two.read("_toc.yml")
    two.contents(
        f"{contents}  - caption: Back\n    chapters:\n      - file: book/appendix\n"
    )
    assert "stands in no part with `numbered: true`" in problem(two.root)


def test_notebooks_that_do_not_export_may_lie_about(two):
    two.chapter("scratch", code("x = 1"), listed=False)
    copies = two.root / "book" / ".ipynb_checkpoints"
    copies.mkdir()
    shutil.copy(
        two.root / "book" / "ch01-slopes.ipynb", copies / "ch01-checkpoint.ipynb"
    )
    tangle.write(two.root)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not valid JSON"),
        ("[]", "not a notebook in format 4"),
        ('{"nbformat": 3, "worksheets": []}', "not a notebook in format 4"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "no usable cells"),
        (
            '{"nbformat": 4, "metadata": {}, '
            '"cells": [{"cell_type": "", "source": ""}]}',
            "the notebook is invalid at cells/0",
        ),
        ('{\n<<<<<<< HEAD\n"a": 1\n=======\n', "a merge conflict was left in it"),
    ],
)
def test_a_malformed_notebook_is_an_error(two, content, message):
    (two.root / "book" / "ch02-more.ipynb").write_text(content)
    text = problem(two.root)
    assert text.startswith("Chapter 2 “ch02-more” (book/ch02-more.ipynb)")
    assert message in text


def test_all_errors_are_reported_together_and_nothing_is_written(two):
    two.chapter(
        "ch03",
        module("minigrad/a.py", "("),
        module("minigrad/b.py", "x = 1"),
        module("elsewhere/c.py", '"""Doc."""'),
    )
    before = two.files()
    found = problems(two.root)
    assert [text.splitlines()[0].rsplit("cell ")[-2][:4] for text in found]
    assert ["cell 2" in found[0], "cell 4" in found[1], "cell 3" in found[2]] == [
        True
    ] * 3
    assert two.files() == before


def test_a_faulty_cell_is_not_reported_in_other_words_too(book):
    """Without its first cell, a file has no docstring; but that is not the fault."""
    broken = module("minigrad/__init__.py", '"""Doc."""\n\n(')
    book.chapter("one", broken, module("minigrad/__init__.py", "x = 1"), NUMERICAL)
    assert "'(' was never closed" in problem(book.root)


# -------------------------------------------------------------------------- the command


def run(book, *arguments):
    """Run the command."""
    command = [sys.executable, tangle.__file__, "--root", str(book.root), *arguments]
    return subprocess.run(command, capture_output=True, text=True)


def test_the_command_writes_checks_and_takes_snapshots(two, tmp_path_factory):
    assert run(two, "--check").returncode == 1
    written = run(two)
    assert written.returncode == 0
    assert written.stdout == (
        "minigrad/: 2 written (minigrad/__init__.py, minigrad/numerical.py); "
        "0 unchanged\n"
    )
    assert run(two, "--check").returncode == 0
    folder = tmp_path_factory.mktemp("snapshot")
    assert run(two, "--until", "2", str(folder)).returncode == 0
    assert (folder / "minigrad" / "numerical.py").exists()
    assert run(two, "--until", "nine", str(folder)).returncode == 2


def test_the_command_fails_with_one_and_a_message(two):
    two.chapter("ch03", module("minigrad/a.py", "("))
    for arguments in ([], ["--check"]):
        failed = run(two, *arguments)
        assert failed.returncode == 1
        assert "Chapter 3" in failed.stderr and "'(' was never closed" in failed.stderr
        assert "1 problem, nothing written" in failed.stderr
    (two.root / "_toc.yml").unlink()
    assert run(two).returncode == 1
