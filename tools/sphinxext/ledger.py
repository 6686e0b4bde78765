"""Print the parity ledger and the differences from PyTorch.

``{ledger}`` prints the statements about PyTorch of the chapters that the book has, with
their programs and what PyTorch answered; ``{differences}`` prints the programs on which
minigrad answers otherwise. Both read what the tests read (``tests/reference``) at every
build, so the pages cannot say anything that has not been run.

A row is a grid, not a line: the statement, below it the program beside the answer, and
on a narrow screen all of them below one another. Such a layout takes a table's meaning
away from screen readers, so the roles are spelt out.
"""

import html
import itertools
import re
import sys
import textwrap
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

import toc

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 180  # characters of a message that are shown; the recording has them all
BESIDE = 36  # characters: an answer with longer lines stands under its program


@dataclass(frozen=True)
class Cell:
    """One cell of a row: its ``kind`` for the style sheet, and what it holds."""

    kind: str
    text: str
    code: bool = False


class programs(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """A table: ``label``, ``header`` and ``rows``, pairs of an id and cells."""


def reference():
    """The module that knows the statements and what was recorded."""
    if str(ROOT) not in sys.path:
        sys.path.append(str(ROOT))
    from tests.reference import differences, ledger

    return ledger, differences


def sources() -> Iterator[Path]:
    """The files that the pages are made of."""
    folder = ROOT / "tests" / "reference"
    yield from (folder / "ledger.json", folder / "differences.py")
    yield from sorted((folder / "statements").glob("*.py"))


# ------------------------------------------------------------------------ the content


def answered(stored: dict) -> str:
    """What a program came to, in the words of a page."""
    lines = [f"warns {_short(*warning)}" for warning in stored.get("warnings", [])]
    if "error" in stored:
        lines.append(f"raises {_short(*stored['error'])}")
    else:
        lines.append(stored["value"])
    return "\n".join(lines)


def _short(category: str, message: str) -> str:
    message = textwrap.shorten(message, LONGEST, placeholder=" …")
    return f"{category}: {message}" if message else category


def by(entries: Iterable, attribute: str) -> Iterator[tuple]:
    """Group neighbouring entries by one of their attributes."""
    for key, group in itertools.groupby(
        entries, lambda entry: getattr(entry, attribute)
    ):
        yield key, list(group)


class _Page(SphinxDirective):
    """What the two directives share: sections, and where the chapters are."""

    def chapters(self) -> dict[int, toc.Chapter]:
        """Number every chapter of the book; note what the page depends on."""
        for path in sources():
            self.env.note_dependency(str(path))
        return {c.number: c for c in toc.chapters(Path(self.env.srcdir))}

    def section(self, ident: str, title: str, *content: nodes.Node) -> nodes.section:
        """A section, which the list “On this page” shows."""
        made = nodes.section("", nodes.title("", title), *content, ids=[ident])
        made["names"] = [ident]
        return made


class Ledger(_Page):
    """The ``{ledger}`` directive: no arguments, no options."""

    def run(self) -> list[nodes.Node]:
        """One section for each chapter, one table for each theme."""
        ledger, _ = reference()
        recorded = ledger.recorded()["rows"]
        sections = []
        for number, rows in by(ledger.rows(), "chapter"):
            chapter = self.chapters().get(number)
            if chapter is None:
                continue
            title = f"Chapter {number}: {chapter.title.replace('`', '')}"
            themes = [
                self.theme(chapter, theme, group, recorded)
                for theme, group in by(rows, "theme")
            ]
            sections.append(self.section(f"chapter-{number}", title, *themes))
        return sections

    def theme(self, chapter: toc.Chapter, theme: str, rows, recorded) -> nodes.section:
        """The statements about one subject."""
        table = programs(
            label=f"{theme}: statements about PyTorch",
            header=["Statement", "Program", "PyTorch answers"],
            rows=[
                (
                    row.id,
                    (
                        Cell("says", row.says),
                        Cell("program", row.code, code=True),
                        Cell("answer", answered(recorded[row.id]), code=True),
                    ),
                )
                for row in rows
            ],
        )
        link = _link(chapter, rows[0].anchor, f"Chapter {chapter.number}")
        explained = nodes.paragraph("", "Explained in ", link, nodes.Text("."))
        return self.section(_slug(f"{chapter.number} {theme}"), theme, explained, table)


class Differences(_Page):
    """The ``{differences}`` directive: no arguments, no options."""

    def run(self) -> list[nodes.Node]:
        """One section for each theme."""
        ledger, differences = reference()
        recorded, last = ledger.recorded()["differences"], max(self.chapters())
        present = [d for d in differences.DIFFERENCES if d.chapter <= last]
        return [
            self.section(_slug(theme), theme, self.table(theme, group, recorded))
            for theme, group in by(present, "theme")
        ]

    def table(self, theme: str, group, recorded) -> nodes.Node:
        """The programs of one theme with both answers."""
        return programs(
            label=f"{theme}: differences from PyTorch",
            header=["Difference", "Program", "PyTorch", "minigrad", "Why"],
            rows=[
                (
                    one.id,
                    (
                        Cell("says", one.says),
                        Cell("program", one.code, code=True),
                        Cell("answer", answered(recorded[one.id]["torch"]), code=True),
                        Cell("ours", answered(recorded[one.id]["minigrad"]), code=True),
                        Cell("why", f"{one.why}{_ends(one.until)}"),
                    ),
                )
                for one in group
            ],
        )


def _ends(until: int | None) -> str:
    return f" Chapter {until} ends this difference." if until else ""


def _slug(text: str) -> str:
    return "on-" + "-".join(re.findall(r"[a-z0-9]+", text.lower()))


def _link(chapter: toc.Chapter, anchor: str, text: str) -> nodes.Node:
    """A link that knows its page only when it is written."""
    target = PurePosixPath(chapter.path).with_suffix("").as_posix()
    return chapter_link(target=target, anchor=anchor, text=text)


class chapter_link(nodes.Inline, nodes.Element):  # noqa: N801
    """A link to a place in a chapter: ``target``, ``anchor`` and ``text``."""

    def astext(self) -> str:
        """The words that are read."""
        return self["text"]


# ----------------------------------------------------------------------------- writing


def visit_chapter_link(self: HTML5Translator, node: chapter_link) -> None:
    """The link, relative to the page that is written."""
    builder = self.builder
    page = builder.get_relative_uri(builder.current_docname, node["target"])
    anchor = f"#{node['anchor']}" if node["anchor"] else ""
    self.body.append(f'<a href="{page}{anchor}">{html.escape(node["text"])}</a>')
    raise nodes.SkipNode


def visit_programs(self: HTML5Translator, node: programs) -> None:
    """The table, with its roles spelt out."""
    label, wide = html.escape(node["label"]), len(node["header"]) > 3
    kind = "bk-programs two-answers" if wide else "bk-programs"
    head = "".join(
        f'<th role="columnheader" scope="col">{title}</th>' for title in node["header"]
    )
    self.body.append(
        f'<table class="{kind}" role="table" aria-label="{label}">\n'
        f'<thead role="rowgroup"><tr role="row">{head}</tr></thead>\n'
        '<tbody role="rowgroup">\n'
    )
    for ident, row in node["rows"]:
        cells = "\n".join(
            written(cell, title)
            for cell, title in zip(row, node["header"], strict=True)
        )
        under = ' class="under"' if any(map(is_wide, row)) else ""
        self.body.append(f'<tr role="row" id="row-{ident}"{under}>\n{cells}</tr>\n')
    self.body.append("</tbody></table>\n")
    raise nodes.SkipNode


def written(cell: Cell, title: str) -> str:
    """One cell; the statement is the header of its row."""
    text = html.escape(cell.text, quote=False)
    if cell.code:
        scrolls = ' class="columns" tabindex="0"' if is_wide(cell) else ""
        text = f"<pre{scrolls}>{text}</pre>"
    else:
        text = _inline(text)
    if cell.kind == "says":
        return f'<th role="rowheader" scope="row" class="says">{text}</th>'
    return f'<td role="cell" class="{cell.kind}" data-title="{title}">{text}</td>'


def is_wide(cell: Cell) -> bool:
    """True for an answer in columns, which must not be broken into lines."""
    if cell.kind not in ("answer", "ours") or cell.text.startswith(("raises", "warns")):
        return False
    return max(map(len, cell.text.split("\n"))) > BESIDE


def _inline(text: str) -> str:
    """Turn `backticks` into code, and set apostrophes elsewhere."""
    parts = text.split("`")
    parts[0::2] = (part.replace("'", "’") for part in parts[0::2])
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", "`".join(parts))


def style(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Give the style sheet to the pages that need it."""
    if doctree is not None and next(doctree.findall(programs), None):
        app.add_css_file("ledger.css")


def setup(app: Sphinx) -> dict:
    """Register the directives and what they leave in the page."""
    app.add_node(programs, html=(visit_programs, None))
    app.add_node(chapter_link, html=(visit_chapter_link, None))
    app.add_directive("ledger", Ledger)
    app.add_directive("differences", Differences)
    app.connect("html-page-context", style)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
