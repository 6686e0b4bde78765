"""Draw the map of the book from its sources.

``{journey}`` draws all chapters and the files they build, for the home page. In each
chapter the same files, as far as they exist by then, are drawn into the **Build.**
callout with the chapter's own pieces marked. Both follow from ``_toc.yml`` and from the
exported cells, at every build: there is nothing to keep up to date by hand.

``__init__.py`` files are left out: they hand on names, and every chapter grows them.
"""

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.writers.html5 import HTML5Translator

import tangle
import toc
from sphinxext import drawing
from sphinxext.callouts import callout
from sphinxext.cells import listing_id
from sphinxext.drawing import Piece, Stop


class journey(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """The map; ``chapter`` is the number of the chapter it is for, 0 for the book."""


class Journey(SphinxDirective):
    """The ``{journey}`` directive: no arguments, no options."""

    def run(self) -> list[nodes.Node]:
        """Leave a mark; links are known only when the page is written."""
        return [journey(chapter=0)]


def read_stops(root: Path) -> list[Stop]:
    """The chapters of the book and what each of them builds."""
    stops, begun = [], set()
    for chapter in toc.chapters(root):
        code: dict[str, str] = {}
        for path, source in tangle.exported(chapter):
            code[path] = f"{code.get(path, '')}{source}\n"
        pieces = tuple(
            Piece(path, public_names(source), listing_id(path, 1), path not in begun)
            for path, source in code.items()
            if PurePosixPath(path).name != "__init__.py"
        )
        begun.update(code)
        href = PurePosixPath(chapter.path).with_suffix("").as_posix()
        title = chapter.title.replace("`", "")
        stops.append(Stop(chapter.number, title, chapter.part, href, pieces))
    return stops


def public_names(source: str) -> tuple[str, ...]:
    """The functions and classes that ``source`` defines for others, in order."""
    try:
        body = ast.parse(source).body
    except SyntaxError:  # tangle reports it, with the cell
        return ()
    kinds = (ast.FunctionDef, ast.ClassDef)
    names = (n.name for n in body if isinstance(n, kinds))
    return tuple(dict.fromkeys(n for n in names if not n.startswith("_")))


def load(app: Sphinx) -> None:
    """Read the sources once, before the pages."""
    app.env.bk_stops = read_stops(Path(app.srcdir))


def map_the_build(app: Sphinx, document: nodes.document) -> None:
    """Append the package so far to the **Build.** callout of a chapter."""
    here = [stop for stop in app.env.bk_stops if stop.href == app.env.docname]
    for box in document.findall(callout):
        if here and box["kind"] == "build":
            box += journey(chapter=here[0].number)


def linked(stops: Sequence[Stop], self: HTML5Translator) -> list[Stop]:
    """The same stops, with links that lead there from the page being written."""
    builder = self.builder

    def link(stop: Stop) -> Stop:
        page = builder.get_relative_uri(builder.current_docname, stop.href)
        pieces = (replace(p, href=f"{page}#{p.href}") for p in stop.pieces)
        return replace(stop, href=page, pieces=tuple(pieces))

    return [link(stop) for stop in stops]


def visit_journey(self: HTML5Translator, node: journey) -> None:
    """Draw, now that the page is known."""
    stops = linked(self.builder.env.bk_stops, self)
    if node["chapter"] == 0:
        label = "Map of the book: each chapter and the files it builds"
        svg, kind = drawing.journey(stops, label), "bk-journey"
    else:
        label = f"The package up to chapter {node['chapter']}"
        svg, kind = drawing.so_far(stops, node["chapter"], label), "bk-so-far"
    self.body.append(f'<div class="{kind}">\n{svg}\n')


def depart_journey(self: HTML5Translator, node: journey) -> None:
    """Close the map."""
    self.body.append("</div>\n")


def setup(app: Sphinx) -> dict:
    """Register the directive, the map and what it is drawn from."""
    app.add_node(journey, html=(visit_journey, depart_journey))
    app.add_directive("journey", Journey)
    app.connect("builder-inited", load)
    app.connect("doctree-read", map_the_build, priority=450)  # callouts come first
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
