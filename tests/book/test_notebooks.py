"""The committed notebooks keep the rules of the book (see tools/lint.py).

That their code gives the outputs they show is for nbval: ``pytest --nbval book/``.
"""

import json
import subprocess
import sys

import pytest

import cells
import lint
import notebooks
import tangle
import toc

ROOT = toc.ROOT
CHAPTERS = toc.chapters(ROOT)
by_chapter = pytest.mark.parametrize(
    "chapter", CHAPTERS, ids=[chapter.file.stem for chapter in CHAPTERS]
)


def fail_on(problems):
    """Fail with all problems, each with its place and what to do."""
    if problems:
        pytest.fail("\n\n".join(map(str, problems)), pytrace=False)


def test_the_book_has_chapters():
    assert CHAPTERS, "no part of _toc.yml is numbered"


def test_every_number_is_that_of_the_rendered_page():
    """Sphinx counts all that a numbered part lists; the tools count notebooks."""
    numbered = [document.path for document in toc.documents(ROOT) if document.numbered]
    assert numbered == [chapter.path for chapter in CHAPTERS], (
        "in parts with `numbered: true`, _toc.yml may list nothing but chapters"
    )


@by_chapter
def test_the_chapter_keeps_the_rules(chapter):
    fail_on(lint.lint(lint.Page.read(chapter)))


@pytest.mark.parametrize("companion", toc.companions(ROOT), ids=str)
def test_a_notebook_that_is_no_chapter_keeps_the_rules(companion):
    fail_on(lint.lint(lint.Page.read(companion)))


def test_figures_are_unique():
    fail_on(list(lint.unique_figures(map(lint.Page.read, CHAPTERS))))


def test_notebooks_are_in_normal_form():
    fail_on(notebooks.normalize(tangle.notebooks(ROOT), check=True))


def test_the_package_is_what_the_chapters_say():
    try:
        fail_on(tangle.check(ROOT))
    except tangle.TangleError as error:
        fail_on(error.problems)


def test_the_package_is_clean_and_formatted():
    """What ruff finds is said of the cell it comes from, not only of the file."""
    modules = tangle.modules(ROOT)
    problems = [
        cells.Problem(
            f"{module.file}, line {line}, from {module.origin(line).where}",
            f"{code}: {message}",
            "mend the cell, then run `make tangle`",
        )
        for module in modules.values()
        for line, code, message in ruff_problems(module)
    ]
    fail_on(problems)


def ruff_problems(module):
    """Yield (line, code, message) for what ruff finds in a module's text."""
    check = ["check", "--output-format=json", "--stdin-filename", module.file, "-"]
    for found in json.loads(ruff(check, module.text).stdout):
        yield found["location"]["row"], found["code"], found["message"]
    layout = ["format", "--stdin-filename", module.file, "-"]
    formatted = ruff(layout, module.text).stdout.splitlines()
    lines = module.text.splitlines()
    for number, line in enumerate(lines, start=1):
        if formatted[number - 1 : number] != [line]:
            yield number, "format", f"ruff format would not leave this line: {line}"
            break


def ruff(arguments, text):
    """Run ruff, with the repository's settings, on a text."""
    command = [sys.executable, "-m", "ruff", *arguments, "--no-cache"]
    done = subprocess.run(
        command, input=text, cwd=ROOT, capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode in (0, 1), done.stderr
    return done


@by_chapter
def test_the_text_form_loses_nothing(chapter, tmp_path):
    before = chapter.file.read_bytes()
    copy = tmp_path / chapter.file.name
    copy.write_bytes(before)
    notebooks.to_text(copy, tmp_path)
    notebooks.from_text(copy, tmp_path)
    assert copy.read_bytes() == before


def test_a_file_that_is_not_formatted_is_told_by_its_cell():
    """The check itself can fail."""

    class Crooked:
        file = "minigrad/crooked.py"
        text = '"""Doc."""\n\nimport os\n\nX = { 1:2 }\n'

    found = [(line, code) for line, code, _ in ruff_problems(Crooked)]
    assert (3, "F401") in found and (5, "format") in found
