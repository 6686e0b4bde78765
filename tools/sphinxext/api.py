"""Print the API reference, and link every chapter to what it adds to it.

``{api} api-nn`` prints the namespaces of one page, ``{api}`` by itself an index of all
names. What there is to print is known to `tools/api.py`. At the end of a chapter stands
a list of the names that its cells export, each a link to its entry; each entry links
back to the cell.

All pages lie in one folder, so a link is the name of a page and an anchor.
"""

import re
from collections.abc import Iterator, Sequence

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import api
from api import Entry, Namespace

ABOUT = {
    "minigrad.Tensor": "Methods and attributes of a tensor. A method that is also a "
    "function does the same, with the tensor as its first argument.",
}


class Api(SphinxDirective):
    """The ``{api}`` directive: the name of a page, or nothing for the index."""

    optional_arguments = 1
    final_argument_whitespace = False

    def run(self) -> list[nodes.Node]:
        """Sections for the namespaces of a page, or the index."""
        for file in (api.RECORDED, api.OPERATORS):
            self.env.note_dependency(str(file))
        if not self.arguments:
            return list(index())
        spaces = dict(api.by_page())[self.arguments[0]]
        return [section(space) for space in spaces]


def of(space: Namespace) -> list[Entry]:
    """The entries of a namespace."""
    return [entry for entry in api.entries() if entry.space == space]


def section(space: Namespace) -> nodes.section:
    """One namespace: its name, and a list of definitions."""
    ident = api.anchor_of(space.module) + "-names"
    title = nodes.title("", "", nodes.literal("", space.module))
    made = nodes.section("", title, ids=[ident], names=[ident])
    if space.module in ABOUT:
        made += nodes.paragraph("", ABOUT[space.module])
    listed = nodes.definition_list(classes=["bk-api"])
    listed += [definition(entry) for entry in of(space)]
    made += listed
    return made


def definition(entry: Entry) -> nodes.definition_list_item:
    """One name: how it is called, what it does, and what is known of it."""
    term = nodes.term("", "", nodes.literal("", entry.signature), ids=[entry.anchor])
    if entry.kind in ("class", "property", "value"):
        term += [nodes.Text(" "), nodes.inline("", entry.kind, classes=["bk-kind"])]
    body = nodes.definition("", *rendered(entry.doc))
    facts = nodes.bullet_list(classes=["bk-facts"])
    facts += [nodes.list_item("", nodes.paragraph("", "", *f)) for f in known(entry)]
    body += facts
    return nodes.definition_list_item("", term, body)


def known(entry: Entry) -> Iterator[list[nodes.Node]]:
    """The facts of an entry, a line each."""
    text = nodes.Text
    if entry.function:
        page = f"api-minigrad.html#{api.anchor_of(entry.function)}"
        yield [text("The function: "), link(page, entry.function, code=True)]
    if entry.gradient and not entry.function:
        yield [text("Rules in the table: "), *commas(map(code, entry.gradient))]
    if entry.types:
        yield [
            text("Shapes and dtypes, as recorded: "),
            *commas(map(code, entry.types), "; "),
        ]
    for ident, said in entry.raises:
        kind, _, message = said.partition(": ")
        yield [
            text("Raises "),
            link(f"ledger.html#row-{ident}", kind, code=True),
            text(f": {message}" if message else ""),
        ]
    place = entry.place
    if place is not None:
        title = f"Chapter {place.number}, {api.bindings().chapters[place.number]}"
        yield [
            text("Built in "),
            link(f"{place.stem}.html#{place.anchor}", title),
        ]
    if entry.torch:
        home = "TensorFlow" if entry.torch.startswith("tf.") else "PyTorch"
        yield [text(f"In {home}: "), code(entry.torch)]
    else:
        yield [text("PyTorch has nothing of this name.")]


def code(source: str) -> nodes.literal:
    """A piece of code in a line."""
    return nodes.literal("", source)


def link(target: str, words: str, *, code: bool = False) -> nodes.reference:
    """A link to a place in another page."""
    inside = nodes.literal("", words) if code else nodes.Text(words)
    return nodes.reference("", "", inside, internal=True, refuri=target)


def commas(parts, between: str = ", ") -> list[nodes.Node]:
    """Put something between neighbours."""
    found: list[nodes.Node] = []
    for part in parts:
        found += [nodes.Text(between), part] if found else [part]
    return found


def rendered(doc: str) -> list[nodes.Node]:
    """A docstring as paragraphs; an indented block is code."""
    found: list[nodes.Node] = []
    for block in re.split(r"\n\s*\n", doc.strip()):
        lines = block.split("\n")
        if all(line.startswith("    ") for line in lines):
            source = "\n".join(line[4:] for line in lines)
            found.append(nodes.literal_block(source, source, language="text"))
            continue
        if len(lines) > 1 and set(lines[1].strip()) == {"-"}:
            found.append(nodes.paragraph("", "", nodes.strong("", lines[0])))
            lines = lines[2:]
        found.append(nodes.paragraph("", "", *inline(" ".join(map(str.strip, lines)))))
    return found


def inline(text: str) -> Iterator[nodes.Node]:
    """Words, and code between (double) backticks."""
    for k, part in enumerate(re.split(r"``(.+?)``|`(.+?)`", text)):
        if part:
            yield nodes.Text(part) if k % 3 == 0 else nodes.literal("", part)


def index() -> Iterator[nodes.Node]:
    """All names, page by page and namespace by namespace."""
    for page, spaces in api.by_page():
        ident = f"names-{page}"
        title = nodes.title("", api.TITLES[page])
        made = nodes.section("", title, ids=[ident], names=[ident])
        for space in spaces:
            first = link(f"{page}.html", space.module, code=True)
            names = commas(map(entry_link, of(space)))
            made += nodes.paragraph("", "", first, nodes.Text(": "), *names)
        yield made


def entry_link(entry: Entry) -> nodes.reference:
    """A link to the entry of a name."""
    return link(f"{entry.space.page}.html#{entry.anchor}", entry.name, code=True)


# --------------------------------------------------------------------------- chapters


def exported_by(stem: str) -> list[Entry]:
    """The public names that a chapter's cells build; a method after its function."""
    return [e for e in api.entries() if e.place is not None and e.place.stem == stem]


def link_back(app: Sphinx, document: nodes.document) -> None:
    """Put the list of a chapter's names at its end."""
    stem = app.env.docname.rpartition("/")[2]
    found = exported_by(stem) if stem.startswith("ch") else []
    if not found:
        return
    box = nodes.container(classes=["bk-api-links"])
    opening = nodes.strong("", "In the API reference.")
    words = nodes.Text(" What this chapter builds, name by name:")
    box += nodes.paragraph("", "", opening, words)
    listed = nodes.bullet_list()
    for space in dict.fromkeys(entry.space for entry in found):
        here = [entry for entry in found if entry.space == space]
        listed += nodes.list_item("", line(space, here))
    box += listed
    top = next(document.findall(nodes.section))
    top += box


def line(space: Namespace, entries: Sequence[Entry]) -> nodes.paragraph:
    """The names of one namespace in a line."""
    names = commas(map(entry_link, entries))
    return nodes.paragraph("", "", code(space.module), nodes.Text(": "), *names)


def style(app: Sphinx, page: str, template: str, context: dict, doctree) -> None:
    """Give the style sheet to the pages that need it."""
    if doctree is not None and (page.startswith("book/api") or "/ch" in page):
        app.add_css_file("api.css")


def setup(app: Sphinx) -> dict:
    """Register the directive and the pass over each chapter."""
    app.add_directive("api", Api)
    app.connect("doctree-read", link_back, priority=600)
    app.connect("html-page-context", style)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
