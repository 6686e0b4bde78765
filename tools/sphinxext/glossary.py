"""Link the first use of each glossary term in a chapter; mark Chinese words as such.

The notebooks say nothing of the glossary: wherever a paragraph of a chapter uses one of
its terms for the first time, singular or plural, the word becomes a link when the page
is built. Headings, tables, code, formulas and links are left alone. A term with a
bracket, such as "root (of a pass)", has too many other meanings and is never linked.

``{zh}`张量` `` marks a word as Chinese, so that it is read aloud and set as such.
"""

import re
from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import toc

PLURALS = {"leaf": "leaf"}  # "leaves" is mostly a verb
MISLEADING = re.compile("without loss")
CLOSED = (  # where a word is not prose, or is part of something else
    nodes.literal,
    nodes.reference,
    nodes.math,
    nodes.title,
    nodes.entry,
    nodes.caption,
    nodes.figure,
    nodes.raw,
)


class zh(nodes.Inline, nodes.TextElement):  # noqa: N801 (docutils names nodes so)
    """Words in Chinese."""


def chinese(name, rawtext, text, line, inliner, options=None, content=None):
    """The ``zh`` role."""
    return [zh(rawtext, text)], []


def visit_zh(self: HTML5Translator, node: zh) -> None:
    """Say which language it is."""
    self.body.append('<span lang="zh-Hans">')


def depart_zh(self: HTML5Translator, node: zh) -> None:
    """Go back to the language of the page."""
    self.body.append("</span>")


def plural(term: str) -> str:
    """The plural of a term's last word."""
    start, last = term[: term.rfind(" ") + 1], term[term.rfind(" ") + 1 :]
    if last in PLURALS:
        return start + PLURALS[last]
    if re.search(r"[^aeiou]y$", last):
        return f"{start}{last[:-1]}ies"
    return f"{term}es" if re.search(r"(s|x|ch|sh)$", last) else f"{term}s"


def terms(app: Sphinx) -> dict[str, tuple[str, str]]:
    """Every form of every term, and where its definition stands: document and id."""
    found = {}
    for term, _, kind, docname, anchor, _ in app.env.get_domain("std").get_objects():
        if kind == "term" and "(" not in term:
            found |= dict.fromkeys((term, plural(term)), (docname, anchor))
    return found


def finder(forms) -> re.Pattern:
    """A pattern for whole words; abbreviations keep their capitals."""
    longest_first = sorted(forms, key=lambda form: (-len(form), form))
    words = (
        re.escape(form) if re.search("[A-Z]{2}", form) else f"(?i:{re.escape(form)})"
        for form in longest_first
    )
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?![\w-])")


def prose(document: nodes.document) -> Iterator[nodes.Text]:
    """The text of paragraphs, in reading order."""
    for paragraph in document.findall(nodes.paragraph):
        for text in list(paragraph.findall(nodes.Text)):
            around, node = [], text.parent
            while node is not None:
                around.append(node)
                node = node.parent
            if not any(isinstance(node, CLOSED) for node in around):
                yield text


def link_first_uses(app: Sphinx, document: nodes.document, docname: str) -> None:
    """Make links of the first uses in a chapter."""
    places = app.env.bk_terms
    if docname not in app.env.bk_chapters or not places:
        return
    by_form = {form.lower(): place for form, place in places.items()}
    pattern, seen = finder(places), set()
    for text in list(prose(document)):
        pieces, end = [], 0
        for match in pattern.finditer(MISLEADING.sub(blank, text)):
            place = by_form[match[0].lower()]
            if place not in seen:
                seen.add(place)
                pieces += [nodes.Text(text[end : match.start()])]
                pieces += [link(app, docname, match[0], *place)]
                end = match.end()
        if pieces:
            text.parent.replace(text, [*pieces, nodes.Text(text[end:])])


def blank(match: re.Match) -> str:
    """As many characters that match nothing."""
    return "\0" * len(match[0])


def link(app: Sphinx, docname: str, word: str, target: str, anchor: str):
    """A link to a definition."""
    page = app.builder.get_relative_uri(docname, target)
    return nodes.reference(
        "", word, internal=True, refuri=f"{page}#{anchor}", classes=["bk-term"]
    )


def collect(app: Sphinx, env) -> None:
    """Once all pages are read: the terms, and which pages are chapters."""
    env.bk_terms = terms(app)
    env.bk_chapters = {
        chapter.path.rpartition(".")[0] for chapter in toc.chapters(app.srcdir)
    }


def setup(app: Sphinx) -> dict:
    """Register the role and the pass over each chapter."""
    app.add_node(zh, html=(visit_zh, depart_zh))
    app.add_role("zh", chinese)
    app.connect("env-check-consistency", collect)
    app.connect("doctree-resolved", link_first_uses)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
