"""Checks of pages in a real browser: small functions that list problems.

`Visit` opens a page and writes down every request and every message; the functions
below it look at the open page. ``test_site.py`` applies them to the book, and proves
on pages with a planted fault that each finds what it is for.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from playwright.sync_api import Browser, Page, sync_playwright

NAMES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
    "msedge",
)
PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    r"C:\Program Files\Google\Chrome\Application\chrome.exe",
    r"C:\Program Files (x86)\Microsoft\Edge\Application\msedge.exe",
)
QUIET = (
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",
)
STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
OPTIONS = {
    "preload": False,  # it would fetch style sheets, which a page from disk may not
    "runOnly": STANDARDS,
    "rules": {"label-content-name-mismatch": {"enabled": True}},
    "resultTypes": ["violations"],
}


def find_chromium() -> str | None:
    """Return the path of a Chromium or Chrome: ``$CHROMIUM``, or a usual place."""
    if chosen := os.environ.get("CHROMIUM"):
        return shutil.which(chosen) or chosen
    found = (shutil.which(name) for name in NAMES)
    return next(filter(None, found), None) or next(
        (place for place in PLACES if Path(place).exists()), None
    )


@contextmanager
def chromium(path: str) -> Iterator[Browser]:
    """Start the browser, without a window."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*QUIET])
        yield browser
        browser.close()


@dataclass
class Visit:
    """An open page, and what it did while it was loaded and used."""

    page: Page
    root: Path
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def go(self, file: str) -> "Visit":
        """Open a page of the book from disk; ``file`` may end in a ``?query``."""
        name, mark, query = file.partition("?")
        self.page.goto((self.root / name).as_uri() + mark + query, wait_until="load")
        return self


@contextmanager
def visit(
    browser: Browser, root: Path, file: str, *, scheme: str = "light", width: int = 1280
) -> Iterator[Visit]:
    """Open ``file`` in a fresh browser profile."""
    context = browser.new_context(
        color_scheme=scheme,
        reduced_motion="reduce",  # else a colour may be measured on its way to another
        viewport={"width": width, "height": 900},
    )
    page = context.new_page()
    seen = Visit(page, root)
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("requestfailed", lambda r: seen.complaints.append(f"not loaded: {r.url}"))
    page.on("pageerror", lambda error: seen.complaints.append(f"script: {error}"))
    page.on(
        "console",
        lambda message: (
            seen.complaints.append(f"console: {message.text}")
            if message.type in ("error", "warning")
            else None
        ),
    )
    try:
        yield seen.go(file)
    finally:
        context.close()


# ------------------------------------------------------------------- what it asked for


def requests_outside(seen: Visit) -> list[str]:
    """List the requests that left the book."""
    return [url for url in seen.requests if not inside(url, seen.root)]


def inside(url: str, root: Path) -> bool:
    """True for a file of the book and for what a page carries in itself."""
    parts = urlsplit(url)
    if parts.scheme in ("data", "blob"):
        return True
    if parts.scheme != "file" or parts.netloc:
        return False
    return Path(url2pathname(parts.path)).resolve().is_relative_to(root.resolve())


# ------------------------------------------------------------------------ what is shown


def unset_formulas(seen: Visit) -> list[str]:
    """List formulas that are shown as their source."""
    return seen.page.evaluate(
        r"""() => {
          const failed = [...document.querySelectorAll(".katex-error, .math > code")];
          const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
          const source = /\\[a-z]{3,}|\$\$|\$[^\s$][^$\n]*\$/i;
          const verbatim = "pre, code, script, style, noscript, annotation";
          const found = failed.map((element) => element.textContent);
          while (walker.nextNode()) {
            const text = walker.currentNode;
            if (source.test(text.data) && !text.parentElement.closest(verbatim))
              found.push(text.data.trim());
          }
          return found;
        }"""
    )


def unstyled_formulas(seen: Visit) -> list[str]:
    """A formula without KaTeX's style sheet shows everything twice: say so."""
    visible = seen.page.evaluate(
        """() => [...document.querySelectorAll(".katex-mathml")]
                   .some((element) => element.getBoundingClientRect().width > 2)"""
    )
    return ["KaTeX's style sheet is not in force"] * visible


def missing_pictures(seen: Visit) -> list[str]:
    """List pictures that were not loaded."""
    return seen.page.evaluate(
        """() => [...document.images]
                   .filter((image) => !image.complete || image.naturalWidth === 0)
                   .map((image) => image.src)"""
    )


def sideways(seen: Visit) -> list[str]:
    """List what makes the page as a whole scroll sideways."""
    return seen.page.evaluate(
        """() => {
          const page = document.documentElement, width = page.clientWidth;
          if (page.scrollWidth <= width) return [];
          const wide = [...document.body.querySelectorAll("*")]
            .filter((e) => e.getBoundingClientRect().right > width + 1)
            .map((e) => e.outerHTML.slice(0, 80));
          return [`${page.scrollWidth} px wide on ${width}`, ...wide.slice(0, 3)];
        }"""
    )


THIN = """() => {
  const known = new Set();
  document.querySelectorAll("pre span[class]").forEach((token) => {
    const around = token.closest(".bk-callout, .bk-listing, .cell_output, details");
    const kind = `${token.className} in ${around ? around.className : ""}`;
    if (known.has(kind)) token.replaceWith(...token.childNodes);
    known.add(kind);
  });
  [...document.querySelectorAll(".katex-html")].slice(5).forEach((f) => f.remove());
  document.querySelectorAll(".bk-figure svg > *").forEach((stroke) => stroke.remove());
}"""


def barriers(seen: Visit) -> list[str]:
    """List what axe finds against WCAG 2.2 A and AA, and against good practice.

    A chapter has ten thousand coloured tokens, letters of formulas and strokes of
    figures, nearly all of them alike. They are thinned out first, to one of a kind in
    each surrounding: so call this last.
    """
    seen.page.evaluate(THIN)
    if not seen.page.evaluate("'axe' in window"):
        axe = resources.files("axe_playwright_python") / "axe.min.js"
        seen.page.evaluate(axe.read_text(encoding="utf-8"))
    found = seen.page.evaluate("(options) => axe.run(document, options)", OPTIONS)
    return [
        f"{violation['id']}: {violation['help']}: {node['html'][:160]} "
        f"({node['failureSummary'].splitlines()[-1].strip()})"
        for violation in found["violations"]
        for node in violation["nodes"]
    ]


def unreachable_scrollers(seen: Visit) -> list[str]:
    """List boxes that scroll sideways and cannot be reached by keyboard."""
    return seen.page.evaluate(
        """() => [...document.querySelectorAll("main *")]
          .filter((e) => e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0
            && ["auto", "scroll"].includes(getComputedStyle(e).overflowX)
            && e.tabIndex < 0 && !e.querySelector("a[href], button, [tabindex]"))
          .map((e) => e.outerHTML.slice(0, 100))"""
    )
