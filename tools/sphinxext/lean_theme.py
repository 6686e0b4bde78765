"""Lighter pages that screen readers get on with: repairs to the finished site.

The theme is good, and a few of its details are not. Each repair is a named replacement
in the finished pages or assets. One that no longer matches anything (because the theme
was upgraded) is a warning, and so fails the strict build, instead of silently not
happening.

What goes: the script version of Font Awesome (1.5 MB beside the icon font that draws
the same icons), the second and third copies of that font in an older format, source
maps, and the templates that the theme leaves among the assets.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Repair:
    """Replace ``pattern`` in every file that matches ``where``."""

    why: str
    where: str  # a glob, relative to the output folder
    pattern: str
    replacement: str
    given: str = ""  # expected only in a book that somewhere says this


PAGES, STYLES, SCRIPTS = "**/*.html", "_static/styles/*.css", "_static/scripts/*.js"

REPAIRS = (
    Repair(
        "a chapter's number is more than a digit and a full stop",
        PAGES,
        r"<h1><span class=\"section-number\">(\d+)\. </span>",
        r'<h1><span class="section-number">Chapter \1 </span>',
    ),
    Repair(
        "the icon font is enough: do not load the icons' script as well",
        PAGES,
        r"\s*<!-- So that users can add custom icons -->"
        r"\s*<script defer src=\"[^\"]*/fontawesome\.js[^\"]*\"></script>",
        "",
    ),
    Repair(
        "a slow browser complains of scripts fetched in advance and used late",
        PAGES,
        r"\s*<!-- Pre-loaded scripts that we'll load fully later -->"
        r"(\s*<link rel=\"preload\" as=\"script\"[^>]*>)*",
        "",
    ),
    Repair(
        "one viewport declaration is enough",
        PAGES,
        r"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" ?/>",
        "",
    ),
    Repair(
        "the book has no search engine that wants these hints",
        PAGES,
        r"\s*<meta name=\"docsearch:[a-z]+\" content=\"[^\"]*\" ?/>",
        "",
    ),
    Repair(
        "a second heading and table of contents, for paper only, are one too many",
        PAGES,
        r"(?s)<div id=\"jb-print-docs-body\".*?(?=<div id=\"searchbox\">)",
        "",
    ),
    Repair(
        "the search button's spoken name must contain what it shows, the keys included",
        PAGES,
        r"(<button class=\"btn search-button-field[^>]*?) title=\"Search\""
        r" aria-label=\"Search\"",
        r"\1",
    ),
    Repair(
        "the logo stands outside all landmarks: make the sidebar one",
        PAGES,
        r"<div id=\"pst-primary-sidebar\"",
        '<div role="region" aria-label="The book" id="pst-primary-sidebar"',
    ),
    Repair(
        "what unfolds the pages below a page has no name but an arrow",
        PAGES,
        r">([^<>]+)</a>(<details[^>]*>)<summary>(?=<span class=\"toctree-toggle\")",
        r'>\1</a>\2<summary aria-label="\1: the pages below">',
        given='class="toctree-toggle"',
    ),
    Repair(
        "role doc-biblioentry is deprecated: an entry is a list item",
        PAGES,
        r"role=\"doc-biblioentry\"",
        'role="listitem"',
        given='class="citation"',
    ),
    Repair(
        "no source maps are shipped: do not point at them (styles)",
        STYLES,
        r"/\*# sourceMappingURL=\S+\*/",
        "",
    ),
    Repair(
        "no source maps are shipped: do not point at them (scripts)",
        SCRIPTS,
        r"//# sourceMappingURL=\S+",
        "",
    ),
    Repair(
        "every browser that runs the book reads woff2",
        STYLES,
        r",url\([^)]*\.ttf\) format\(\"truetype\"\)",
        "",
    ),
)

UNUSED = (
    "_static/scripts/fontawesome.js*",
    "_static/**/*.map",
    "_static/vendor/fontawesome/webfonts/*.ttf",
    "_static/*webpack-macros.html",
)

START = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<meta http-equiv="refresh" content="0; url={url}">
</head>
<body><main><h1>{title}</h1><p><a href="{url}">Open the book</a></p></main></body>
</html>
"""


def repair(folder: Path, repairs: tuple[Repair, ...] = REPAIRS) -> list[Repair]:
    """Apply ``repairs`` to the site in ``folder``; return those that found nothing."""
    expected: set[Repair] = set()
    found: Counter[Repair] = Counter()
    for where in dict.fromkeys(r.where for r in repairs):
        for file in sorted(folder.glob(where)):
            text = before = file.read_text(encoding="utf-8")
            for each in (r for r in repairs if r.where == where):
                if each.given in before:
                    expected.add(each)
                text, count = re.subn(each.pattern, each.replacement, text)
                found[each] += count
            if text != before:
                file.write_text(text, encoding="utf-8", newline="\n")
    return [
        each
        for each in repairs
        if not found[each] and (each in expected or not each.given)
    ]


def remove_unused(folder: Path) -> list[str]:
    """Delete what no page needs; return the patterns that matched no file."""
    idle = []
    for pattern in UNUSED:
        files = sorted(folder.glob(pattern))
        for file in files:
            file.unlink()
        if not files:
            idle.append(pattern)
    return idle


def finish(app: Sphinx, exception: Exception | None) -> None:
    """Repair the site once it is complete."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir)
    for idle in remove_unused(folder):
        logger.warning("lean_theme: nothing left to remove as %s", idle)
    start = START.format(title=app.config.html_title, url=f"{app.config.root_doc}.html")
    (folder / "index.html").write_text(start, encoding="utf-8", newline="\n")
    for idle in repair(folder):
        logger.warning(
            "lean_theme: the theme changed, and this repair no longer applies: %s",
            idle.why,
        )


def setup(app: Sphinx) -> dict:
    """Register the last step of the build."""
    # Jupyter Book always sets this option of an extension that the book leaves out.
    app.add_config_value("comments_config", {}, "html")
    app.connect("build-finished", finish, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
