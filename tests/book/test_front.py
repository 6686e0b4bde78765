"""The README and the pages before the first chapter: their programs and commands."""

import re
from contextlib import redirect_stdout
from io import StringIO

import pytest

import cells
import minigrad
from toc import ROOT, Chapter, chapters

PAGES = ["README.md", "book/index.md", "book/how-to-read.md"]
COMMANDED = [*PAGES, "CONTRIBUTING.md", "book/ledger.md", "benchmarks/README.md"]
FENCE = re.compile(r"(?ms)^```python\n(.*?)^```$")
PROMISED = re.compile(r"(?m)^print\(.*\) +# (.+)$")


def text_of(page: str) -> str:
    return (ROOT / page).read_text(encoding="utf-8")


def printed(program: str) -> list[str]:
    """What a program prints, with minigrad under the name ``torch``."""
    with redirect_stdout(StringIO()) as out:
        exec(compile(program, "<page>", "exec"), {"torch": minigrad})
    return out.getvalue().splitlines()


@pytest.mark.parametrize("page", PAGES)
def test_the_programs_print_what_they_say(page):
    for program in FENCE.findall(text_of(page)):
        assert printed(program) == PROMISED.findall(program)


def test_the_readme_shows_minigrad_at_work():
    (program,) = FENCE.findall(text_of("README.md"))
    assert program.startswith("import minigrad as torch\n")
    assert len(PROMISED.findall(program)) == program.count("print(") > 1


@pytest.mark.parametrize("page", COMMANDED)
def test_the_commands_exist(page):
    names = re.findall(r"(?:\bmake|tools/do\.py) ([a-z]+)\b", _code(text_of(page)))
    assert names
    makefile = text_of("Makefile")
    for name in names:
        assert f"\ndef {name}(" in text_of("tools/do.py"), name
        assert re.search(rf"(?m)^{name}: ", makefile), name


def _code(text: str) -> str:
    """What is set as code."""
    return "\n".join(re.findall(r"(?m)(?<!`)`[^`\n]+`(?!`)|^    .*$", text))


ROW = re.compile(r"(?m)^\| (\$.+?) \|.*\| \[(\d+)\]\(ch\d\d-[a-z-]+\.ipynb\) \|$")
SPELLED = re.compile(r"\\(?!top|operatorname)[a-zA-Z]+")


def formulas(chapter: Chapter) -> str:
    """All formulas of a chapter."""
    prose = "\n".join(
        cell.source
        for cell in cells.read(chapter.file).cells
        if cell.cell_type == "markdown"
    )
    return " ".join(re.findall(r"\$\$?([^$]+)\$\$?", prose))


def test_symbols_are_used_first_where_the_index_says():
    used = {chapter.number: formulas(chapter) for chapter in chapters(ROOT)}
    rows = ROW.findall(text_of("book/notation.md"))
    assert len(rows) > 40
    for symbols, first in rows:
        found = re.findall(r"\$([^$]+)\$", symbols)
        names = [name[0] for name in map(SPELLED.search, found) if name]
        if len(names) == len(found):  # letters mean many things, names mostly one
            name = re.compile("|".join(rf"{re.escape(x)}(?![a-z])" for x in names))
            where = [n for n, text in used.items() if name.search(text)]
            assert where[0] == int(first), (symbols, where)
        else:
            assert any(symbol[0] in used[int(first)] for symbol in found), symbols


def test_every_term_has_a_chinese_word_a_meaning_and_a_chapter():
    text = text_of("book/glossary.md")
    body = text.partition(":sorted:")[2].rpartition("```")[0]
    entries = re.split(r"\n\n(?=\S)", body.strip())
    assert len(entries) > 100
    titles = {f"ch{c.number:02d}": c.path for c in chapters(ROOT)}
    for entry in entries:
        terms, word, meaning = re.fullmatch(
            r"((?:\S.*\n)+)  \{zh\}`(.+)`\n\n  (.+)", entry
        ).groups()
        assert re.search(r"[\u4e00-\u9fff]", word), terms
        number, path = re.search(r"\[Chapter (\d+)\]\((.+)\)$", meaning).groups()
        assert titles[f"ch{int(number):02d}"] == f"book/{path}", terms


def test_a_wrong_promise_is_found():
    program = 'print("one")  # two\n'
    assert printed(program) != PROMISED.findall(program)
