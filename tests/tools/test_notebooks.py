"""tools/notebooks.py: normal form, execution, and text without loss."""

import json
import os
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_raw_cell

import cells
import notebooks
import text_form
from tests.makebook import (
    code,
    foreign_kernelspec,
    markdown,
    notebook,
    printed,
    raised,
    ran,
    result,
    rewrite,
    shown,
)

# ------------------------------------------------------------------------ normal form


def normal(*contents):
    """Return the cells of a notebook in normal form."""
    return notebooks.normalized(notebook(*contents)).cells


NOISE = {
    "ExecuteTime": {"end_time": "2020-01-01"},
    "collapsed": False,
    "colab": {"base_uri": "x"},
    "execution": {"iopub.execute_input": "2020-01-01"},
    "id": "AbC",
    "jupyter": {"outputs_hidden": True},
    "outputId": "x",
    "scrolled": True,
    "tags": [],
    "vscode": {"languageId": "python"},
}


def test_noise_goes_and_what_matters_stays():
    kept = {
        "tags": ["solution"],
        "reason": "timings",
        "jupyter": {"source_hidden": True},
    }
    noisy = NOISE | kept
    noisy["jupyter"] = NOISE["jupyter"] | kept["jupyter"]
    cell = ran("f()", printed("1\n"), **noisy)
    assert normal(ran("f()", **NOISE))[0].metadata == {}
    assert normal(cell)[0].metadata == kept
    assert normal(cell)[0].outputs == [printed("1\n")]


def test_notebook_metadata_is_reduced():
    made = notebook("# T")
    made.metadata = nbformat.from_dict(
        {
            "kernelspec": {
                "display_name": "mine",
                "language": "python",
                "name": "venv",
            },
            "language_info": {"name": "python", "version": "3.11.7"},
            "widgets": {"state": {}},
            "vscode": {"interpreter": {"hash": "x"}},
            "authors": [{"name": "A"}],
        }
    )
    assert notebooks.normalized(made).metadata == {
        "kernelspec": {"display_name": "Python 3", "name": "python3"},
        "language_info": {"name": "python"},
        "authors": [{"name": "A"}],
    }


def test_cells_that_ran_are_numbered_in_order_and_others_are_not():
    made = normal(
        "text",
        ran("a", result("1", count=7), count=7),
        ran("", count=None),
        code("b"),
        ran("c", count=3),
    )
    assert [c.get("execution_count") for c in made] == [None, 1, None, None, 3]
    assert made[1].outputs[0].execution_count == 1


def test_what_was_printed_in_pieces_is_joined():
    pieces = [printed("a"), printed("b\n"), shown(text_plain="x"), printed("c")]
    (cell,) = normal(ran("f()", *pieces))
    assert cell.outputs == [printed("ab\n"), shown(text_plain="x"), printed("c")]
    (cell,) = normal(ran("f()", printed("a"), printed("b", "stderr"), printed("c")))
    assert [o.text for o in cell.outputs] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("path", "shorter"),
    [
        ("/home/me/book/minigrad/numerical.py:12", "minigrad/numerical.py:12"),
        ("/w/minigrad/minigrad/nn/linear.py:3", "minigrad/nn/linear.py:3"),
        ("~/book/tools/bookkit/checks.py:7", "bookkit/checks.py:7"),
        ("~/.venv/lib/python3.11/site-packages/numpy/core.py:1", "numpy/core.py:1"),
        ("/usr/lib/python3.12/random.py:9", "random.py:9"),
        ("C:\\py\\Lib\\site-packages\\numpy\\core.py:1", "numpy\\core.py:1"),
    ],
)
def test_tracebacks_do_not_say_where_the_book_lies(path, shorter):
    line = f"\x1b[36mFile \x1b[32m{path}\x1b[39m, in f(x)\n----> 1 a / b"
    (cell,) = normal(ran("f()", raised("E", "e", line), tags=["raises-exception"]))
    assert cell.outputs[0].traceback == [line.replace(path, shorter)]


def test_line_ends_and_outer_blank_lines_go():
    cell = code("x")
    cell.source = "\n\n  x = 1\r\n\r\ny = 2  \n\n"
    text = markdown("x")
    text.source = "\nhard  \nbreak\n\n"
    assert [c.source for c in normal(cell, text)] == [
        "  x = 1\n\ny = 2",
        "hard  \nbreak",
    ]


def test_missing_repeated_and_invalid_ids_are_replaced_deterministically():
    made = notebook("a", "b", "b", "c", "d")
    ids = [made.cells[0].id, made.cells[0].id, None, "no good", made.cells[4].id]
    for cell, identity in zip(made.cells, ids, strict=True):
        if identity is None:
            del cell["id"]
        else:
            cell.id = identity
    once, again = (notebooks.normalized(made).cells for _ in range(2))
    found = [c.id for c in once]
    assert found == [c.id for c in again]
    assert found[0] == "cell-1" and found[4] == "cell-5"
    assert len(set(found)) == 5
    assert all(cells.VALID_ID.fullmatch(identity) for identity in found)


@pytest.fixture
def messy(book):
    """A notebook file far from normal form."""
    path = book.chapter("one", ran("print(1)", printed("1"), printed("\n"), count=4))

    def spoil(made):
        made.cells[1].metadata.update(NOISE)
        made.metadata["language_info"]["version"] = "3.11"

    rewrite(path, spoil)
    data = json.loads(path.read_text())
    data["cells"][1].pop("id")
    data["nbformat_minor"] = 4
    path.write_text(json.dumps(data, indent=4, ensure_ascii=True))
    return path


def test_normalize_is_idempotent_and_check_tells(messy, capsys):
    (problem,) = notebooks.normalize([messy], check=True)
    assert "is not in normal form" in problem.what and "normalize" in problem.remedy
    assert notebooks.normalize([messy]) == []
    once = messy.read_bytes()
    assert notebooks.normalize([messy], check=True) == []
    assert notebooks.normalize([messy]) == []
    assert messy.read_bytes() == once


def test_the_file_is_laid_out_for_small_diffs(messy):
    rewrite(messy, lambda made: made.cells[0].update(source="# Ünïcode\n\n∂f"))
    notebooks.normalize([messy])
    text = messy.read_bytes().decode()
    assert '"# Ünïcode\\n",\n    "\\n",\n    "∂f"\n' in text
    assert text.startswith('{\n "cells": [\n  {\n') and text.endswith("}\n")


def test_a_broken_notebook_is_reported(tmp_path):
    path = tmp_path / "broken.ipynb"
    path.write_text("{")
    (problem,) = notebooks.normalize([path])
    assert "broken.ipynb" in problem.where and "not valid JSON" in problem.what


# -------------------------------------------------------------------------- execution


@pytest.fixture
def storyteller(book):
    """A chapter with all that can happen: results, prints, an error on purpose."""
    return book.chapter(
        "one",
        code(
            """
            import os, sys, bookkit
            sorted(os.environ[k] for k in ("PYTHONHASHSEED", "OMP_NUM_THREADS"))
            """
        ),
        code(
            "here = os.path.basename(os.getcwd())\nprint(here)\nprint(sys.executable)"
        ),
        code("1 / 0", "raises-exception"),
        code(""),
        code("print({'b', 'a', 'c', 'd', 'e'})"),
    )


def test_execute_stores_outputs_in_normal_form(storyteller):
    before = [cell.id for cell in cells.read(storyteller).cells]
    assert notebooks.execute(storyteller)
    assert notebooks.normalize([storyteller], check=True) == []
    made = cells.read(storyteller).cells
    assert [cell.id for cell in made] == before
    assert [c.get("execution_count") for c in made] == [None, 1, 2, 3, None, 4]
    assert made[1].outputs[0].data["text/plain"] == "['0', '1']"
    assert made[2].outputs[0].text == f"book\n{sys.executable}\n"
    assert made[3].outputs[0].ename == "ZeroDivisionError"
    once = storyteller.read_bytes()
    assert not notebooks.execute(storyteller)
    assert storyteller.read_bytes() == once


def test_execute_shows_each_cell(book, capsys):
    path = book.chapter("one", code("\nfirst = 1"), "text", code("second = 2"))
    notebooks.execute(path, name="Chapter 1")
    name, one, two = capsys.readouterr().out.splitlines()
    assert name == "Chapter 1"
    assert one.endswith("cell   2 of 4  first = 1")
    assert two.endswith("cell   4 of 4  second = 2")


@pytest.mark.parametrize(
    ("source", "tags", "what"),
    [
        ("x = 1\n1 / 0", (), "ZeroDivisionError: division by zero"),
        ("import time\ntime.sleep(60)", (), "the cell took longer than 1 s"),
        ("import os\nos._exit(3)", (), "the kernel died"),
        ("x = 1", ("raises-exception",), "but nothing was raised"),
    ],
)
def test_a_failing_cell_is_named_and_the_file_left_alone(book, source, tags, what):
    path = book.chapter("one", code("print(1)"), code(source, *tags), code("2"))
    before = path.read_bytes()
    with pytest.raises(notebooks.ExecutionFailed) as error:
        notebooks.execute(path, name="Chapter 1 “One” (book/one.ipynb)", timeout=1)
    text = str(error.value)
    assert text.startswith("Chapter 1 “One” (book/one.ipynb), cell 3 (")
    assert "id cell-3" in text and source.splitlines()[0] in text
    assert what in text and "the notebook is as it was" in text
    assert "\x1b" not in text
    assert path.read_bytes() == before


def test_a_missing_package_points_to_tangle(book):
    path = book.chapter("one", code("import minigrad.nothing_of_the_kind"))
    with pytest.raises(notebooks.ExecutionFailed, match="make tangle"):
        notebooks.execute(path)


# ------------------------------------------------------------------------------- text

NASTY = {
    "plain": markdown("# Title\n\nText with $x$ and\n\n$$\ny = x^2\n$$"),
    "code with options": code(
        "x = 1", "exercise", jupyter={"source_hidden": True}, reason="it's: a # test"
    ),
    "directive": code('#| file: minigrad/x.py\n"""Doc."""'),
    "tagged text": markdown("A solution", "solution"),
    "nested metadata": markdown("x", deep={"a": [1, 2.5, None, True, {"b": "yes"}]}),
    "odd metadata": code("x", odd={"a": "no", "b": "1.0", "c": "2020-01-01", "d": ""}),
    "fenced": markdown("```python\nx = 1\n```"),
    "many backticks": markdown("`````\n```\n`````"),
    "unclosed fence": markdown("```python\nx = 1"),
    "tilde fence": markdown("~~~\nx"),
    "code-cell fence": markdown("```{code-cell}\nx = 1\n```"),
    "fence in code": code('text = """\n```\ncode\n```\n"""'),
    "leading plusses": markdown("+++ not a break\n\ntext"),
    "plusses within": markdown("text\n\n+++\n\ntext"),
    "plusses in code": code("x = (1\n+++ 2)"),
    "leading dashes": markdown("---\ntext"),
    "dashes in code": code("---\nx = 1\n---"),
    "colon in code": code(":note: this is not code"),
    "html": markdown("<div>\n\ntext"),
    "open script": markdown("<script>\nx"),
    "list": markdown("- a\n\n  - b"),
    "quote": markdown("> **Trap.** Never.\n> Really"),
    "magics": code("%matplotlib inline\n!ls\n?x"),
    "cell magic": code("%%time\nx = 1"),
    "directive text": markdown(":::{note}\nx\n:::"),
    "role": markdown("{cite:t}`spivak1965`"),
    "unicode": markdown("∂ε \u2028 \u00a0 é 🙂"),
}
for name, source in {
    "empty": "",
    "blank": " \n ",
    "trailing": "text  \nmore \t \n\n",
    "leading": "\n\n  text",
    "tab": "\tx",
    "form feed": "a\x0cb",
}.items():
    for make in markdown, code, new_raw_cell:
        cell = NASTY[f"{name} {make.__name__}"] = make("x")
        cell.source = source
NASTY["raw"] = new_raw_cell("plain raw\n+++", metadata={"format": "text/latex"})
ATTACHED = markdown("![x](attachment:x.png)")
ATTACHED.attachments = {"x.png": {"image/png": "AAAA"}}
NASTY["attachment"] = ATTACHED


def around(cell):
    """Put a cell between neighbours of both kinds."""
    return notebook(
        "before",
        cell,
        "after",
        ran("x", result("1")),
        cell,
        ran("y", printed("2\n")),
        cell,
    )


@pytest.mark.parametrize("name", NASTY)
def test_text_round_trips_without_loss(name):
    made = around(NASTY[name])
    text = text_form.to_text(made)
    assert text_form.from_text(text, made) == made
    assert text_form.to_text(text_form.from_text(text, made)) == text


def test_all_of_it_together_round_trips_through_files(book):
    path = book.chapter("one", *NASTY.values())
    rewrite(path, lambda made: made.update(notebooks.normalized(made)))
    before = path.read_bytes()
    text = notebooks.to_text(path, book.root / "text")
    assert text == book.root / "text" / "one.md"
    notebooks.from_text(path, book.root / "text")
    assert path.read_bytes() == before


def test_ordinary_cells_stay_readable_in_the_text():
    made = notebook("# Title", code("x = 1", "solution"), markdown("$$\ny\n$$"))
    text = text_form.to_text(made)
    assert "```{code-cell}\n:tags: [solution]\n\nx = 1\n```" in text
    assert "verbatim" not in text and "cell-2" not in text


EDITED = notebook(
    "# Title",
    ran("a = 1\nprint(a)", printed("1\n"), tags=["raises-exception"]),
    "middle",
    ran("b", result("2"), count=2),
)


def edited(old, new):
    """Return the cells after a text edit."""
    text = text_form.to_text(EDITED)
    assert text.count(old) == 1
    return text_form.from_text(text.replace(old, new), EDITED).cells


def test_editing_prose_keeps_ids_and_outputs():
    found = edited("middle", "muddle")
    assert [c.id for c in found] == [c.id for c in EDITED.cells]
    assert found[2].source == "muddle"
    assert found[1] == EDITED.cells[1] and found[3] == EDITED.cells[3]


def test_editing_code_drops_its_outputs_only():
    found = edited("print(a)", "print(a, a)")
    assert found[1].outputs == [] and found[1].execution_count is None
    assert found[1].id == "cell-2" and found[1].metadata == EDITED.cells[1].metadata
    assert found[3] == EDITED.cells[3]


def test_editing_tags_keeps_outputs():
    found = edited("[raises-exception]", "[solution]")
    assert found[1].metadata.tags == ["solution"]
    assert found[1].outputs == [printed("1\n")]


def test_a_new_cell_gets_the_same_id_each_time():
    once, again = (edited("middle", "middle\n\n+++\n\nnew") for _ in range(2))
    assert [c.id for c in once] == [c.id for c in again]
    assert [c.id for c in once if c.source != "new"] == [c.id for c in EDITED.cells]


def test_a_cell_that_moves_takes_its_id_and_outputs_along():
    text = text_form.to_text(EDITED)
    block = "```{code-cell}\nb\n```\n"
    head, tail = text.replace(block, "").split("# Title\n")
    found = text_form.from_text(f"{head}# Title\n\n{block}{tail}", EDITED).cells
    assert found[1] == EDITED.cells[3]
    assert found[2] == EDITED.cells[1]


def test_a_text_without_a_notebook_makes_one(tmp_path):
    (tmp_path / "new.md").write_text(
        text_form.to_text(notebook("# New", code("x = 1")))
    )
    path = tmp_path / "book" / "new.ipynb"
    assert notebooks.from_text(path, tmp_path) == 1
    assert notebooks.normalize([path], check=True) == []
    assert [c.source for c in cells.read(path).cells] == ["# New", "x = 1"]


@pytest.mark.parametrize(
    "text", ["+++ {broken\n", "```{code-cell}\n---\na: [\n---\nx\n```"]
)
def test_a_malformed_text_is_an_error(text):
    with pytest.raises(cells.NotebookError, match="cannot be parsed"):
        text_form.from_text(text)


def test_a_loss_would_be_noticed(monkeypatch):
    monkeypatch.setattr(text_form, "_survives", lambda cell: True)
    with pytest.raises(cells.NotebookError, match="without loss"):
        text_form.to_text(notebook("a", ""))


# ------------------------------------------------------------------------- the command


def run(*arguments, **settings):
    """Run the command."""
    command = [sys.executable, notebooks.__file__, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, **settings)


def test_the_command_normalizes(messy):
    assert run("normalize", "--check", messy).returncode == 1
    done = run("normalize", messy)
    assert done.returncode == 0 and "normalised" in done.stdout
    assert run("normalize", "--check", messy).returncode == 0


def test_the_command_executes_in_a_bare_environment(book):
    """Without PYTHONPATH, with somebody else's kernelspec, from another folder."""
    path = book.chapter("one", code("import bookkit, sys\nprint(sys.executable)"))
    bare = {
        k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "JUPYTER"))
    }
    bare |= foreign_kernelspec(book.root / "elsewhere")
    done = run("execute", path, env=bare, cwd=book.root)
    assert done.returncode == 0, done.stderr
    assert "stored, changed" in done.stdout
    assert cells.read(path).cells[1].outputs[0].text == f"{sys.executable}\n"


def test_the_command_reports_each_notebook_that_fails(book):
    good = book.chapter("good", code("1"))
    bad = book.chapter("bad", code("1 / 0"))
    done = run("execute", bad, good)
    assert done.returncode == 1
    assert "cell 2 (" in done.stderr and "ZeroDivisionError" in done.stderr
    assert "1 of 2 notebooks failed" in done.stderr
    assert cells.read(good).cells[1].execution_count == 1


def test_the_command_turns_a_chapter_into_text_and_back(book):
    path = book.chapter("one", ran("x", printed("1\n")), "text")
    assert run("to-text", path, book.root).returncode == 0
    text = book.root / "one.md"
    text.write_text(text.read_text().replace("text", "prose"))
    done = run("from-text", path, book.root)
    assert done.returncode == 0 and "0 code cells are without outputs" in done.stdout
    assert cells.read(path).cells[2].source == "prose"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("to-text", "9999", "."), "no chapter 9999"),
        (("to-text", "chapter", "."), "the number of a chapter or the path"),
        (("from-text", "none.ipynb", "."), "the text cannot be read"),
        (("execute", "none.ipynb"), "the file cannot be read"),
    ],
)
def test_the_command_explains_wrong_arguments(arguments, message, tmp_path):
    done = run(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert message in done.stderr or "_toc.yml" in done.stderr
    assert "Traceback" not in done.stderr
