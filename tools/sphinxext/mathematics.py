"""Formulas, set by KaTeX while the book is built.

The usual way sends the reader a script, which fetches fonts and sets the formulas in
the browser. Here KaTeX runs once, in this process, inside the JavaScript engine of
``mini-racer``: the page holds finished HTML for the eye and MathML for a screen reader,
works offline and does not jump while it loads. KaTeX itself is the copy that comes with
``sphinxcontrib-katex``; its style sheet and fonts are in ``book/_static/katex``.

A formula that KaTeX rejects (an unknown command, a missing brace, a raw Unicode letter)
is a Sphinx warning at the place where it is written, so the strict build fails on it.
"""

import atexit
import html
import json
import re
from functools import cache
from importlib import resources
from pathlib import Path

from docutils import nodes
from py_mini_racer import MiniRacer
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number
from sphinx.writers.html5 import HTML5Translator

logger = logging.getLogger(__name__)

OPTIONS = {"output": "htmlAndMathml", "throwOnError": True, "strict": "error"}
VENDORED = Path(__file__).parents[2] / "book" / "_static" / "katex" / "katex.min.css"

RENDER = """
function render(latex, options) {
  try {
    return {html: katex.renderToString(latex, options)};
  } catch (error) {
    return {error: error.message};
  }
}
"""


class FormulaError(ValueError):
    """KaTeX cannot set a formula; the message is KaTeX's own."""


@cache
def _engine() -> MiniRacer:
    """The JavaScript engine with KaTeX loaded: 0.1 s, once per process."""
    context = MiniRacer()
    source = resources.files("sphinxcontrib") / "katex.min.js"
    context.eval(source.read_text(encoding="utf-8"))
    context.eval(RENDER)
    atexit.register(context.close)  # later, its threads could wait for Python for ever
    return context


def katex_version() -> str:
    """The version of the KaTeX that sets the formulas."""
    return _engine().eval("katex.version")


def style_sheet_version() -> str:
    """The version of KaTeX that the style sheet in ``book/_static`` belongs to."""
    found = re.search(r'"(\d+\.\d+\.\d+)"', VENDORED.read_text(encoding="utf-8"))
    return found[1] if found else "unknown"


@cache
def render(latex: str, *, display: bool) -> str:
    """Set ``latex`` as HTML with MathML, inline or on lines of its own.

    Raises
    ------
    FormulaError
        If KaTeX rejects the formula.
    """
    options = json.dumps({**OPTIONS, "displayMode": display})
    call = f"JSON.stringify(render({json.dumps(latex)}, {options}))"
    answer = json.loads(_engine().eval(call))
    if "error" in answer:
        raise FormulaError(answer["error"])
    return answer["html"]


def render_or_warn(node: nodes.Element, *, display: bool) -> str:
    """Set the formula of ``node``; failing that, warn there and show its source."""
    latex = node.astext()
    try:
        return render(latex, display=display)
    except FormulaError as error:
        logger.warning("%s", error, location=_located(node), type="math")
        return f"<code>{html.escape(latex)}</code>"


def _located(node: nodes.Node) -> nodes.Node:
    """The nearest node around ``node`` that knows its line."""
    while node.line is None and node.parent is not None:
        node = node.parent
    return node


def visit_math(self: HTML5Translator, node: nodes.math) -> None:
    """An inline formula."""
    formula = render_or_warn(node, display=False)
    self.body.append(f'<span class="math">{formula}</span>')
    raise nodes.SkipNode


def visit_math_block(self: HTML5Translator, node: nodes.math_block) -> None:
    """A displayed formula, with its number if it has a label."""
    self.body.append(self.starttag(node, "div", CLASS="math math-block"))
    self.body.append(render_or_warn(node, display=True))
    if node.get("number"):
        number = get_node_equation_number(self, node)
        self.body.append(f'<span class="eqno">({number})')
        self.add_permalink_ref(node, "Link to this equation")
        self.body.append("</span>")
    self.body.append("</div>\n")
    raise nodes.SkipNode


def check_versions(app: Sphinx) -> None:
    """Refuse to set HTML with one KaTeX and to style it with another."""
    if katex_version() != style_sheet_version():
        raise ExtensionError(
            f"sphinxcontrib-katex carries KaTeX {katex_version()}, but "
            f"book/_static/katex holds the style sheet of {style_sheet_version()}: "
            "replace it and the fonts by those of the same version (npm package katex)"
        )


def setup(app: Sphinx) -> dict:
    """Register the renderer."""
    app.add_html_math_renderer(
        "katex_static", (visit_math, None), (visit_math_block, None)
    )
    app.connect("builder-inited", check_versions)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
