"""Say what a code cell is for.

Most cells of a chapter are experiments and need no introduction. Four kinds do, and
their tag or their first line tells which:

``#| file: minigrad/numerical.py``
    The cell is part of that file. It becomes a figure whose caption names the file and
    the lines; the directive itself is not shown.
tag ``exercise``, tag ``exercise-check``
    The reader's own cell and the cell that checks it are captioned the same way.
tag ``solution`` (code and Markdown cells)
    Neighbouring cells fold into one native ``<details>``, titled after the exercise.
a cell that draws a figure
    The figure comes first, and more than a few lines of plotting fold away under it.

Errors show what they say and where they come from, without the frames in between; on
pages that are no chapters, only what they say and the line that went wrong. Two
kinds of output get a note: an error that is there on purpose (tag
``raises-exception``) and a measurement that differs from machine to machine (tag
``nbval-ignore-output``; the note is the cell's ``reason``).
"""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from myst_nb.sphinx_ import SphinxNbRenderer
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

import toc

logger = logging.getLogger(__name__)

EXPORT = re.compile(r"#\|\s*file:\s*(\S+)\s*?(?:\n|\Z)")
PLOTTING = 12  # lines; what is longer folds away under its figure
EXERCISE = re.compile(r"^Exercise (\d+\.\d+)")
ERROR_NOTE = "An error on purpose"
MACHINE_NOTE = "Measured on the authors’ machine; yours will differ."


class listing(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """A code cell's source under a caption: ``kind``, ``subject`` and ``detail``."""


class folded(nodes.General, nodes.Element):  # noqa: N801
    """Something folded, of a ``kind``; ``summary`` is the line that stays visible."""


# ------------------------------------------------------------------ reading the page


def mark_markdown_cells() -> None:
    """Let the nodes of a tagged Markdown cell remember the cell's tags.

    MyST-NB keeps a code cell's metadata on its container, but renders a Markdown cell
    straight into the page and forgets where it began.
    """
    original = SphinxNbRenderer.render_nb_cell_markdown
    if hasattr(original, "__wrapped__"):
        return

    def render_nb_cell_markdown(self, token) -> None:
        parent, start = self.current_node, len(self.current_node)
        original(self, token)
        tags = token.meta["metadata"].get("tags", [])
        for node in parent.children[start:] if tags else []:
            node["cell_tags"] = tags
        if "solution" in tags and self.current_node is not parent:
            message = "a heading inside a solution cannot be folded"
            logger.warning(message, location=parent.children[-1], type="cells")

    render_nb_cell_markdown.__wrapped__ = original
    SphinxNbRenderer.render_nb_cell_markdown = render_nb_cell_markdown


def tags_of(node: nodes.Node) -> list[str]:
    """The tags of the notebook cell that ``node`` stands for."""
    if not isinstance(node, nodes.Element):
        return []
    return node.get("cell_tags") or node.get("cell_metadata", {}).get("tags", [])


def code_cells(document: nodes.document) -> Iterator[nodes.container]:
    """The containers of all code cells, in order."""
    for node in document.findall(nodes.container):
        if node.get("nb_element") == "cell_code":
            yield node


def part_of(cell: nodes.container, name: str) -> nodes.container | None:
    """The source or the output of a cell, or None where the page shows none."""
    for child in cell.children:
        if child.get("nb_element") == name:
            return child
    return None


def present_cells(app: Sphinx, document: nodes.document) -> None:
    """Caption, annotate and fold the cells of one page."""
    seen: Counter[str] = Counter()
    companions = toc.companions(Path(app.srcdir))
    brief = app.env.docname in {page.path.rpartition(".")[0] for page in companions}
    for cell in code_cells(document):
        caption_source(Path(app.srcdir), cell, seen)
        annotate_output(cell, brief)
        fold_plotting(cell)
    fold_solutions(document)


# -------------------------------------------------------------------------- captions


def caption_source(root: Path, cell: nodes.container, seen: Counter[str]) -> None:
    """Put the source of an exported cell or of an exercise under a caption."""
    source = part_of(cell, "cell_code_source")
    if source is None:
        return
    code = next(source.findall(nodes.literal_block))
    exported = EXPORT.match(code.astext())
    if exported:
        path, text = exported[1], code.astext()[exported.end() :].lstrip("\n")
        set_text(code, text)
        seen[path] += 1
        figure = listing(kind="file", subject=path, detail=lines_in(root / path, text))
        figure["ids"] = [listing_id(path, seen[path])]
    elif "exercise" in tags_of(cell):
        figure = listing(kind="exercise", subject="Your turn", detail="")
        figure["detail"] = "edit this cell in the notebook"
    elif "exercise-check" in tags_of(cell):
        figure = listing(kind="check", subject="Check your answer", detail="")
    else:
        return
    cell.replace(source, figure)
    figure += source


def listing_id(path: str, count: int) -> str:
    """The anchor of the ``count``-th cell that a chapter exports to ``path``."""
    path = path.lower().replace("__init__", "package")  # nn/init.py is another file
    return f"listing-{re.sub(r'[^a-z0-9]+', '-', path).strip('-')}-{count}"


def lines_in(file: Path, code: str) -> str:
    """Where ``code`` stands in the generated ``file``: ``lines 12–34``.

    Empty when the file does not (yet) hold this code; ``tangle --check`` is what
    insists that it does.
    """
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    start = text.find(code.strip("\n"))
    if start < 0 or not code.strip():
        return ""
    first = text.count("\n", 0, start) + 1
    last = first + code.strip("\n").count("\n")
    return f"lines {first}–{last}" if last > first else f"line {first}"


# ----------------------------------------------------------------------------- notes


def annotate_output(cell: nodes.container, brief: bool) -> None:
    """Say so where an output is an error on purpose, or will differ elsewhere.

    ``brief``: of a traceback, show no line but the reader's own.
    """
    output, tags = part_of(cell, "cell_code_output"), tags_of(cell)
    if output is None:
        return
    errors = [n for n in output.children if "traceback" in n.get("classes", [])]
    for error in errors:
        if "raises-exception" in tags:
            output.insert(output.index(error), note(ERROR_NOTE, "error"))
        else:
            message = "this cell shows an error and is not tagged raises-exception"
            logger.warning(message, location=cell, type="cells")
        trim_traceback(error, brief)
    if "nbval-ignore-output" in tags:
        reason = cell["cell_metadata"].get("reason", "").strip() or MACHINE_NOTE
        output += note(reason[0].upper() + reason[1:], "machine")


def trim_traceback(block: nodes.literal_block, brief: bool) -> None:
    """Keep the reader's own frame, the one that raised (unless brief), the message."""
    lines = block.astext().splitlines()
    heading = [n for n, line in enumerate(lines) if "Traceback (most recent" in line]
    body = "\n".join(lines[heading[0] + 1 if heading else 0 :]).strip("\n")
    *frames, message = body.split("\n\n")
    if brief:
        del frames[1:]
    elif len(frames) > 2:
        hidden = len(frames) - 2
        frames[1:-1] = [f"      (... {hidden} frame{'s' * (hidden > 1)} left out)"]
    classes = ["output", "traceback", "message"]
    last = nodes.literal_block(message, message, language="text", classes=classes)
    if not frames:
        block.parent.replace(block, last)
        return
    set_text(block, "\n\n".join(frames))
    block.parent.insert(block.parent.index(block) + 1, last)


def set_text(block: nodes.literal_block, text: str) -> None:
    """Change what a code block shows."""
    block.rawsource = text
    block.children = []
    block += nodes.Text(text)


def note(text: str, kind: str) -> nodes.paragraph:
    """A small line of text beside an output."""
    return nodes.paragraph("", text, classes=["bk-note", f"bk-note-{kind}"])


# ------------------------------------------------------------------- what is folded


def fold_plotting(cell: nodes.container) -> None:
    """Put a figure before the code that draws it, and fold that code if it is long.

    What stays open is code that the chapter is about: exported, an exercise, short.
    """
    source = part_of(cell, "cell_code_source")  # None where it is under a caption
    output = part_of(cell, "cell_code_output")
    if source is None or output is None or not draws(output) or is_solution(cell):
        return
    count = len(source.astext().splitlines())
    if count > PLOTTING:
        box = folded(
            "", kind="plotting", summary=f"The code of this figure, {count} lines"
        )
        cell.children = []
        cell += [output, box]
        box += source


def draws(output: nodes.container) -> bool:
    """True when a figure is among the outputs."""
    return any('class="bk-figure"' in raw.astext() for raw in output.findall(nodes.raw))


def fold_solutions(document: nodes.document) -> None:
    """Gather neighbouring cells tagged ``solution`` into one folded box."""
    parents = {id(n.parent): n.parent for n in document.findall() if is_solution(n)}
    for parent in parents.values():
        children, box = list(parent.children), None
        parent.children = []
        for child in children:
            if not is_solution(child):
                box = None
                parent += child
            elif box is None:
                summary = title_of_solution(parent)
                box = folded("", child, kind="solution", summary=summary)
                parent += box
            else:
                box += child


def is_solution(node: nodes.Node) -> bool:
    """True for what a cell tagged ``solution`` turned into."""
    return "solution" in tags_of(node)


def title_of_solution(section: nodes.Element) -> str:
    """Name the exercise, which is the title of the section around the solution."""
    title = section.next_node(nodes.title)
    exercise = EXERCISE.match(title.astext()) if title is not None else None
    return f"Solution to exercise {exercise[1]}" if exercise else "Solution"


# --------------------------------------------------------------------- writing the page


def visit_listing(self: HTML5Translator, node: listing) -> None:
    """``<figure>`` and its caption; the browser names the figure after the caption."""
    subject, detail = self.encode(node["subject"]), self.encode(node["detail"])
    if node["kind"] == "file":
        hint = '<span class="bk-aloud">This code goes into the file </span>'
        subject = f"{hint}<code>{subject}</code>"
    self.body.append(self.starttag(node, "figure", CLASS=f"bk-listing {node['kind']}"))
    self.body.append(f'<figcaption><span class="bk-subject">{subject}</span>')
    if detail:
        self.body.append(f' <span class="bk-detail">{detail}</span>')
    self.body.append("</figcaption>\n")


def depart_listing(self: HTML5Translator, node: listing) -> None:
    """Close the figure."""
    self.body.append("</figure>\n")


def visit_folded(self: HTML5Translator, node: folded) -> None:
    """A native disclosure: works by keyboard and without a script."""
    summary = self.encode(node["summary"])
    self.body.append(self.starttag(node, "details", CLASS=node["kind"]))
    self.body.append(f'<summary>{summary}</summary>\n<div class="bk-folded">\n')


def depart_folded(self: HTML5Translator, node: folded) -> None:
    """Close the disclosure."""
    self.body.append("</div></details>\n")


def setup(app: Sphinx) -> dict:
    """Register the nodes and the pass over each page."""
    mark_markdown_cells()
    app.add_node(listing, html=(visit_listing, depart_listing))
    app.add_node(folded, html=(visit_folded, depart_folded))
    app.connect("doctree-read", present_cells)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
