"""Block quotes that open with a bold keyword become labelled boxes.

A callout is written as

    > **Trap.** The mean of an empty array is not zero.

which reads well in Jupyter and anywhere else, and becomes a box with the title "Trap"
here. The title is text, so neither the colour nor the icon has to be seen. A quotation
that opens with any other bold word and a full stop is most likely a misspelt keyword,
and is a warning.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

KEYWORDS = {
    "Build.": "build",
    "Trap.": "trap",
    "Aside.": "aside",
    "In PyTorch.": "in-pytorch",
    "Now you can.": "now-you-can",
}


class callout(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """A box with a ``kind``, a ``title`` and an id for the title."""


def opening(quote: nodes.block_quote) -> nodes.strong | None:
    """The bold words that ``quote`` begins with."""
    paragraph = quote.children[0] if quote.children else None
    if not isinstance(paragraph, nodes.paragraph) or not paragraph.children:
        return None
    first = next((node for node in paragraph.children if node.astext()), None)
    return first if isinstance(first, nodes.strong) else None


def box_callouts(app: Sphinx, document: nodes.document) -> None:
    """Turn the block quotes of one page into callouts."""
    for count, quote in enumerate(list(document.findall(nodes.block_quote)), start=1):
        keyword = opening(quote)
        if keyword is None:
            continue
        kind = KEYWORDS.get(keyword.astext())
        if kind is None:
            if keyword.astext().endswith((".", ":")):
                message = "“%s” opens no known callout; the keywords are %s"
                known = ", ".join(f"**{word}**" for word in KEYWORDS)
                where = {"location": quote, "type": "callouts"}
                logger.warning(message, keyword.astext(), known, **where)
            continue
        title = keyword.astext().rstrip(".")
        box = callout(kind=kind, title=title, ids=[f"callout-{count}"])
        box.source, box.line = quote.source, quote.line
        box += quote.children
        drop_keyword(keyword)
        quote.replace_self(box)


def drop_keyword(keyword: nodes.strong) -> None:
    """Remove the keyword, which the title now shows, and the space after it."""
    paragraph = keyword.parent
    rest = paragraph.children[paragraph.index(keyword) + 1 :]
    if rest and isinstance(rest[0], nodes.Text):
        rest[0] = nodes.Text(rest[0].astext().lstrip())
    paragraph.children = []
    paragraph += rest
    if not paragraph.astext().strip():
        paragraph.parent.remove(paragraph)


def visit_callout(self: HTML5Translator, node: callout) -> None:
    """``role="note"``, named by its title."""
    name = f"{node['ids'][0]}-title"
    self.body.append(
        self.starttag(
            node,
            "div",
            CLASS=f"bk-callout {node['kind']}",
            role="note",
            **{"aria-labelledby": name},
        )
    )
    title = self.encode(node["title"])
    self.body.append(f'<p class="bk-callout-title" id="{name}">{title}</p>\n')


def depart_callout(self: HTML5Translator, node: callout) -> None:
    """Close the box."""
    self.body.append("</div>\n")


def setup(app: Sphinx) -> dict:
    """Register the box and the pass over each page."""
    app.add_node(callout, html=(visit_callout, depart_callout))
    app.connect("doctree-read", box_callouts, priority=400)  # journey comes after
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
