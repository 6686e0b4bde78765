"""Checks of built pages that need no browser: small functions that list problems.

Each takes a `Page` (or the whole `Site`) and returns a list of sentences, empty when
all is well. ``test_pages.py`` applies them to the book, and proves on pages with a
planted fault that each finds what it is for.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from urllib.parse import unquote, urlsplit

from bs4 import BeautifulSoup, Tag

import toc

# Elements whose attribute makes the browser fetch something, unasked.
FETCHED = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "image": ("href", "xlink:href"),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "use": ("href", "xlink:href"),
    "video": ("src", "poster"),
}
IN_STYLE = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")
VERBATIM = ("code", "pre", "script", "style", "math", "svg", "title", "template")
RAW_MARKUP = re.compile(
    r"\{[\w:]+\}`|\{(?:cite|eq|ref|doc|numref|term|math)\b|:::|\$\$|```"
    r"|\$[^\s$][^$\n]*\$|\\(?:frac|begin|end|partial|mathbb)\b|\]\(\w|#\| file:"
)


class Page:
    """One built HTML file."""

    def __init__(self, path: Path, root: Path):
        self.path, self.root = path, root
        self.name = path.relative_to(root).as_posix()
        self.soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")

    @cached_property
    def ids(self) -> Counter[str]:
        """How often each id occurs."""
        return Counter(tag["id"] for tag in self.soup.select("[id]"))

    @cached_property
    def is_redirect(self) -> bool:
        """True for a page that only leads to another."""
        return bool(self.soup.select('meta[http-equiv="refresh"]'))


@dataclass(frozen=True)
class Site:
    """All built pages."""

    root: Path

    @cached_property
    def pages(self) -> list[Page]:
        """Every HTML file, in order of its name."""
        return [Page(path, self.root) for path in sorted(self.root.rglob("*.html"))]

    def page(self, name: str) -> Page | None:
        """The page of that name."""
        return next((page for page in self.pages if page.name == name), None)


def html_of(document: toc.Document) -> str:
    """Return the name of the page that a document becomes."""
    return Path(document.path).with_suffix(".html").as_posix()


def describe(tag: Tag) -> str:
    """Quote the beginning of an element."""
    return " ".join(str(tag).split())[:100]


# ------------------------------------------------------------------------------ links


def broken_links(page: Page, site: Site) -> list[str]:
    """List links within the book that lead to no file or to no anchor."""
    problems = []
    for link in page.soup.select("a[href]"):
        url = urlsplit(link["href"])
        if url.scheme or url.netloc:
            continue
        target = (page.path.parent / unquote(url.path)) if url.path else page.path
        target = target.resolve()
        if not target.is_file():
            problems.append(f"{page.name}: the link to {link['href']} leads nowhere")
        elif url.fragment and target.suffix == ".html":
            name = target.relative_to(site.root.resolve()).as_posix()
            if unquote(url.fragment) not in (site.page(name) or page).ids:
                problems.append(f"{page.name}: {link['href']} names no place there")
    return problems


def missing_files(page: Page) -> list[str]:
    """List pictures, scripts and styles of the page that do not exist."""
    problems = []
    for tag, address in fetched(page):
        url = urlsplit(address)
        if url.scheme or url.netloc or not url.path:
            continue
        if tag.name == "link" and "search" in tag.get("rel", []):
            continue
        if not (page.path.parent / unquote(url.path)).is_file():
            problems.append(f"{page.name}: there is no {address}")
    return problems


def fetched(page: Page) -> Iterator[tuple[Tag, str]]:
    """Yield each element that fetches something, and the address."""
    for name, attributes in FETCHED.items():
        for tag in page.soup.find_all(name):
            for attribute in attributes:
                value = tag.get(attribute)
                if value and attribute == "srcset":
                    for part in value.split(","):
                        yield tag, part.split()[0]
                elif value:
                    yield tag, value


def foreign_resources(page: Page) -> list[str]:
    """List what the page would load from elsewhere; a link to follow is no resource."""
    addresses = [address for _, address in fetched(page)]
    for tag in page.soup.select("[style], style"):
        addresses += addresses_in_style(tag.get("style") or tag.get_text())
    addresses += [form["action"] for form in page.soup.select("form[action]")]
    for refresh in page.soup.select('meta[http-equiv="refresh"]'):
        addresses.append(refresh["content"].partition("url=")[2])
    return [
        f"{page.name}: {address} is not part of the book"
        for address in addresses
        if is_foreign(address)
    ]


def foreign_in_style_sheets(root: Path) -> list[str]:
    """List what a style sheet would load from elsewhere, or from a missing file."""
    problems = []
    for sheet in sorted(root.rglob("*.css")):
        name = sheet.relative_to(root).as_posix()
        for address in addresses_in_style(sheet.read_text(encoding="utf-8")):
            if is_foreign(address):
                problems.append(f"{name}: {address} is not part of the book")
            elif not address.startswith(("data:", "#")):
                path = unquote(urlsplit(address).path)
                if not (sheet.parent / path).is_file():
                    problems.append(f"{name}: there is no {address}")
    return problems


def addresses_in_style(text: str) -> list[str]:
    """Return the addresses in a style sheet."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    return ["".join(found) for found in IN_STYLE.findall(text)]


def is_foreign(address: str) -> bool:
    """True when loading ``address`` would leave the book."""
    url = urlsplit(address)
    return bool(url.netloc) or url.scheme not in ("", "data", "file")


# ---------------------------------------------------------------------------- content


def pictures_without_text(page: Page) -> list[str]:
    """List images without an ``alt``; an empty one only where a text names the link."""
    problems = []
    for image in page.soup.select("img"):
        alt = image.get("alt")
        link = image.find_parent("a")
        named = link is not None and link.get_text(strip=True)
        if alt is None or not (alt.strip() or named):
            problems.append(f"{page.name}: no text says what {describe(image)} shows")
        elif re.fullmatch(r"\S+\.(png|jpe?g|svg|gif|webp)", alt.strip()):
            problems.append(f"{page.name}: the file name {alt} is no text alternative")
    return problems


def drawings_without_label(page: Page) -> list[str]:
    """List ``<svg>`` elements that are neither labelled nor hidden from readers."""
    problems = []
    for svg in page.soup.select("svg"):
        around = [svg, *svg.parents]
        if svg.find_parent("svg") or any(
            tag.get("aria-hidden") == "true" for tag in around
        ):
            continue
        labelled = svg.get("aria-label", "").strip() or svg.get("aria-labelledby")
        if not (svg.get("role") in ("img", "group") and labelled):
            problems.append(f"{page.name}: this drawing has no label: {describe(svg)}")
    return problems


def figures_without_caption(page: Page) -> list[str]:
    """List figures without words under them."""
    return [
        f"{page.name}: the figure {figure.get('id', '')} has no caption"
        for figure in page.soup.select("figure")
        if not (figure.figcaption and figure.figcaption.get_text(strip=True))
    ]


def raw_markup(page: Page) -> list[str]:
    """List source text that the reader was not meant to see."""
    problems = []
    for string in page.soup.find_all(string=RAW_MARKUP):
        verbatim = any(parent.name in VERBATIM for parent in string.parents)
        if not verbatim and type(string).__name__ == "NavigableString":
            found = RAW_MARKUP.search(string)
            around = string[max(found.start() - 20, 0) : found.end() + 30]
            problems.append(f"{page.name}: raw markup in “{' '.join(around.split())}”")
    return problems


def leaked_directives(page: Page) -> list[str]:
    """List code blocks that still show the ``#| file:`` line."""
    return [
        f"{page.name}: `#| file:` is shown in a code block"
        for block in page.soup.select("pre")
        if block.get_text().lstrip().startswith("#| file:")
    ]


# -------------------------------------------------------------------------- structure


def repeated_ids(page: Page) -> list[str]:
    """List ids that occur more than once."""
    twice = sorted(name for name, count in page.ids.items() if count > 1)
    return [f"{page.name}: the id {name} occurs more than once" for name in twice]


def headings_out_of_order(page: Page) -> list[str]:
    """A page has one first-level heading, and no level is skipped on the way down."""
    problems, level = [], 0
    headings = page.soup.select("main :is(h1, h2, h3, h4, h5, h6)")
    tops = [heading for heading in headings if heading.name == "h1"]
    if len(tops) != 1:
        problems.append(f"{page.name}: {len(tops)} first-level headings, not 1")
    for heading in headings:
        depth = int(heading.name[1])
        if depth > level + 1:
            problems.append(f"{page.name}: a level is skipped at {describe(heading)}")
        level = depth
    return problems


def unnamed_page(page: Page) -> list[str]:
    """A page says its language and has a title."""
    problems = []
    if page.soup.html.get("lang") != "en":
        problems.append(f"{page.name}: the page does not say that it is in English")
    if not (page.soup.title and page.soup.title.get_text(strip=True)):
        problems.append(f"{page.name}: the page has no title")
    return problems


# ----------------------------------------------------------------------------- colours


def luminance(colour: str) -> float:
    """Relative luminance of ``#rrggbb``, as WCAG 2 defines it."""
    channels = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Contrast ratio of two colours, from 1 to 21."""
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


def palette(style_sheet: str, mode: str) -> dict[str, str]:
    """Return the colours that the style sheet defines for ``light`` or ``dark``."""
    light, dark = style_sheet.split('html[data-theme="dark"]')
    colours = light if mode == "light" else light + dark
    return dict(re.findall(r"(--[\w-]+):\s*(#[0-9a-f]{6})\b", colours))
