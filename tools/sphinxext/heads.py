"""What a reader wants to know before a chapter: what it needs, takes and builds.

Under the title of each chapter stands a short list:

* the chapters to have read, from ``book/prerequisites.yml``;
* how long it takes to read, computed from its words and its lines of code;
* the files of minigrad that it builds, from its exported cells;
* the notebook, to download or to run elsewhere.

Nothing here is typed into the chapters. The ways to run a notebook elsewhere appear
when there is somewhere to run it: Binder and Colab once ``repository: url`` is set in
``_config.yml``, and the reader's own browser in the site that ``make lite`` puts
together: until then there is an empty item, which `with_lite` fills.
"""

import html
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from urllib.parse import quote

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util import logging
from sphinx.writers.html5 import HTML5Translator

import cells

logger = logging.getLogger(__name__)

DATA = "book/prerequisites.yml"
WORDS, LINES, STEP = 200, 20, 5  # words and lines of code a minute; rounded up to
APART = ("exercise", "exercise-check", "solution")  # cells that are not read, but done
LITE = re.compile(r'<li class="bk-lite" data-lite="([^"]*)" hidden></li>')
LITE_HOST = "cdn.jsdelivr.net"  # where Pyodide, the Python for the browser, comes from


class head(nodes.General, nodes.Element):  # noqa: N801 (docutils names nodes so)
    """The list: ``needs`` (docnames), ``reading``, ``builds`` (stops' pieces)."""


@dataclass(frozen=True)
class Reading:
    """How much there is to read, the exercises apart."""

    words: int
    lines: int

    @property
    def minutes(self) -> int:
        """The time it takes, rounded up to whole steps."""
        exact = self.words / WORDS + self.lines / LINES
        return max(STEP, STEP * math.ceil(exact / STEP))

    def __str__(self) -> str:
        lines = f", {self.lines:,} lines of code" if self.lines else ""
        return f"about {spoken(self.minutes)} ({self.words:,} words{lines})"


def spoken(minutes: int) -> str:
    """``95`` → ``1 h 35 min``."""
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h"] * (hours > 0) + [f"{minutes} min"] * (minutes > 0)
    return " ".join(parts)


def measure(path: Path) -> Reading:
    """Count the words and the lines of code of a notebook up to its exercises."""
    words = lines = 0
    for cell in cells.read(path).cells:
        if re.match(r"##\s+Exercises\s*$", cell.source, re.M):
            break
        if set(APART) & set(cell.metadata.get("tags", [])):
            continue
        if cell.cell_type == "markdown":
            words += words_in(cell.source)
        elif cell.cell_type == "code":
            lines += sum(bool(line.strip()) for line in cell.source.splitlines())
    return Reading(words, lines)


def words_in(markdown: str) -> int:
    """Count words; a formula and a piece of code are read as one word each."""
    text = re.sub(r"\$\$.*?\$\$|\$[^$\n]+\$|`[^`\n]+`", " x ", markdown, flags=re.S)
    text = re.sub(r"\]\([^)]*\)|\{\w+(:\w+)?\}", " ", text)
    return len(re.findall(r"[^\W_]+(?:[’'-][^\W_]+)*", text))


def needs(root: Path) -> dict[str, list[str]]:
    """For each chapter, by the name of its notebook, the chapters it needs."""
    file = root / DATA
    return (yaml.safe_load(file.read_text("utf-8")) or {}) if file.is_file() else {}


# ------------------------------------------------------------------------ the document


def load(app: Sphinx) -> None:
    """Read the list of prerequisites once, before the pages."""
    app.env.bk_needs = needs(Path(app.srcdir))


def add_head(app: Sphinx, document: nodes.document) -> None:
    """Put the list under the title of a chapter."""
    stops = {stop.href: stop for stop in app.env.bk_stops}
    stop, title = stops.get(app.env.docname), document.next_node(nodes.title)
    if stop is None or title is None or not app.env.bk_needs:
        return
    numbers = {PurePosixPath(href).name: each.number for href, each in stops.items()}
    name = PurePosixPath(stop.href).name
    wanted = app.env.bk_needs.get(name)
    app.env.note_dependency(DATA)
    if wanted is None:
        logger.warning("%s does not say what %s needs", DATA, name, location=title)
    known = [each for each in wanted or [] if each in numbers]
    for each in known:
        if numbers[each] >= stop.number:
            text = "%s: %s needs %s, which comes later"
            logger.warning(text, DATA, name, each, location=title)
    links = [(str(PurePosixPath(stop.href).with_name(n)), numbers[n]) for n in known]
    made = head(
        needs=links,
        reading=str(measure(Path(app.env.doc2path(app.env.docname)))),
        builds=list(dict.fromkeys(piece.path for piece in stop.pieces)),
    )
    title.parent.insert(title.parent.index(title) + 1, made)


# ------------------------------------------------------------------------------ writing


def launchers(options: Mapping, docname: str) -> list[tuple[str, str]]:
    """Names and addresses of the services that run the notebook, if any can."""
    url = (options.get("repository_url") or "").rstrip("/").removesuffix(".git")
    match = re.fullmatch(r"https://github\.com/([^/]+)/([^/]+)", url)
    if not url:
        return []
    branch, path = options.get("repository_branch") or "main", f"{docname}.ipynb"
    lab = f"?urlpath={quote(f'lab/tree/{path}', safe='')}"
    if not match:
        where = f"git/{quote(url, safe='')}/{branch}"
        return [("Binder", f"https://mybinder.org/v2/{where}{lab}")]
    project = f"{match[1]}/{match[2]}"
    return [
        ("Binder", f"https://mybinder.org/v2/gh/{project}/{branch}{lab}"),
        (
            "Colab",
            f"https://colab.research.google.com/github/{project}/blob/{branch}/{path}",
        ),
    ]


def colab_setup(options: Mapping) -> str:
    """The line to run first in Colab, which knows the notebook and nothing else."""
    url = (options.get("repository_url") or "").rstrip("/").removesuffix(".git")
    return f'!pip install "git+{url}" "git+{url}#subdirectory=tools"'


def visit_head(self: HTML5Translator, node: head) -> None:
    """A list of terms and what there is to say about each."""
    builder, here = self.builder, self.builder.current_docname
    links = [
        f'<a href="{builder.get_relative_uri(here, target)}">Chapter {number}</a>'
        for target, number in node["needs"]
    ]
    before = (
        f"{joined(links)}, and what {'it needs' if len(links) == 1 else 'they need'}"
    )
    files = joined([f"<code>{html.escape(path)}</code>" for path in node["builds"]])
    rows = [
        ("Before it", before if links else "nothing but some NumPy"),
        ("To read", f"{node['reading']}, and the exercises"),
        ("Builds", files or "nothing new: it uses what is there"),
        ("Notebook", f'<ul class="bk-run">{runs(self, here)}</ul>'),
    ]
    body = "\n".join(f"<div><dt>{dt}</dt><dd>{dd}</dd></div>" for dt, dd in rows)
    self.body.append(f'<dl class="bk-head">\n{body}\n</dl>\n')
    raise nodes.SkipNode


def joined(items: list[str]) -> str:
    """``a``; ``a and b``; ``a, b and c``."""
    return " and ".join(filter(None, [", ".join(items[:-1]), *items[-1:]]))


def runs(self: HTML5Translator, docname: str) -> str:
    """Where the notebook is to be had, one item each."""
    up = "../" * docname.count("/")
    name = PurePosixPath(docname).name
    source = f"{up}_sources/{docname}.ipynb"
    items = [f'<li><a href="{source}" download="{name}.ipynb">Download it</a></li>']
    lite = f"{up}lite/notebooks/index.html?path={name}.ipynb"
    items.append(f'<li class="bk-lite" data-lite="{lite}" hidden></li>')
    options = self.config.html_theme_options
    for service, url in launchers(options, docname):
        first = ""
        if service == "Colab":
            first = f" <small>(first <code>{html.escape(colab_setup(options))}</code>)"
            first += "</small>"
        items.append(f'<li><a href="{html.escape(url)}">{service}</a>{first}</li>')
    return "".join(items)


def with_lite(page: str) -> str:
    """The page of a site that has JupyterLite in it: the button is there."""
    note = f"nothing to install; it fetches Python from {LITE_HOST}"
    button = f'<a href="\\1">Run in the browser</a> <small>({note})</small>'
    return LITE.sub(f'<li class="bk-lite">{button}</li>', page)


def setup(app: Sphinx) -> dict:
    """Register the list and the pass that makes it."""
    app.add_node(head, html=(visit_head, None))
    app.connect("builder-inited", load)
    app.connect("doctree-read", add_head, priority=460)  # journey has read the stops
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
