"""Print the whole book into one PDF with a headless Chromium: ``_build/book.pdf``.

    python tools/pdf.py                          the whole book, on A4
    python tools/pdf.py --paper Letter
    python tools/pdf.py --only ch01 ch02 --output two.pdf

Each page of the built book is printed by itself, with the style sheet that a reader's
own printer would use (``book/_static/print.css``); its page numbers go on where the
last one's stopped. Then the pieces are put together: links between pages become links
within the file, the headings become bookmarks, and a title page with the table of
contents is put before them. Formulas, figures and letters stay vectors and text. What
only a screen can do is left out: the step-through players print their steps in words.
"""

import argparse
import io
import re
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path, PurePosixPath
from urllib.parse import unquote, urlsplit
from urllib.request import url2pathname

from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    DictionaryObject,
    FloatObject,
    NameObject,
    NullObject,
    NumberObject,
    TextStringObject,
)

import build_book
import toc

ROOT = Path(__file__).resolve().parent.parent
TITLE = "One Jacobian at a Time"
SUBTITLE = "Building PyTorch’s autograd in NumPy"
PAPERS = ("A4", "Letter")
HREF = re.compile(r'href="([^"#?]*)#([^"]+)"')
LONG = 22  # lines: code that may go on over the page
SAME_DOCUMENT = 3  # a link lower than this (in points) is one of `mark`'s

PAPER = """
@page { size: %(paper)s;
  @bottom-center { content: counter(page); font: 9pt sans-serif; color: #555; }
  @top-right { content: "%(running)s"; font: 8pt sans-serif; color: #555; } }
@page cheat-sheet { @bottom-center { content: none } @top-right { content: none } }
html { counter-reset: page %(before)d; }
.bk-marks { position: absolute; top: 0; left: 0; font-size: 1px; line-height: 1px;
  color: transparent; }
"""
PREPARE = """([css, ids, LONG]) => {
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const folded = document.querySelectorAll("details:not(.plotting)");
  folded.forEach((box) => (box.open = true));
  const marks = document.createElement("div");
  marks.className = "bk-marks";
  for (const id of ids) {
    const link = document.createElement("a");
    link.href = "#" + id;
    link.textContent = ".";
    marks.append(link);
  }
  document.querySelector(".bd-article").prepend(marks);
  for (const pre of document.querySelectorAll(".bd-article pre"))
    if (pre.textContent.split("\\n").length > LONG) pre.style.breakInside = "auto";
  return document.fonts.ready.then(() => true);
}"""
HEADINGS = """() => [...document.querySelectorAll(
  ".bd-article > section > section[id] > h2, .bd-article > section > h1")].map((h) => {
    const copy = h.cloneNode(true);
    copy.querySelectorAll(".headerlink, .katex-mathml").forEach((e) => e.remove());
    const text = copy.textContent.replace(/\\s+/g, " ").trim();
    return [h.tagName, h.parentElement.id, text];
  })"""


class PdfError(Exception):
    """The PDF cannot be made; the message says why, and what to do."""


@dataclass
class Piece:
    """One page of the book, printed."""

    file: Path  # the HTML page
    part: str
    headings: list[tuple[str, str, str]] = field(default_factory=list)
    reader: PdfReader | None = None
    first: int = 0  # the place of its first page in the book, from 0
    places: dict[str, tuple[int, float, float]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The text of its level-1 heading."""
        return next((text for tag, _, text in self.headings if tag == "H1"), "")


# ----------------------------------------------------------------------------- printing


def wanted(files: Iterable[Path]) -> dict[Path, set[str]]:
    """For each page, the ids that any of the pages links to."""
    files, found = list(files), defaultdict(set)
    for file in files:
        for page, ident in HREF.findall(file.read_text(encoding="utf-8")):
            target = (file.parent / unquote(page)).resolve() if page else file
            if target in files:
                found[target].add(unquote(ident))
    return found


def print_page(browser, piece: Piece, ids: set[str], before: int, paper: str) -> None:
    """Print one page; ``before`` pages come before it."""
    page = browser.new_page(color_scheme="light", reduced_motion="reduce")
    try:
        page.goto(piece.file.as_uri(), wait_until="load")
        page.emulate_media(media="print", color_scheme="light")
        piece.headings = [tuple(heading) for heading in page.evaluate(HEADINGS)]
        running = piece.title.replace("\\", "\\\\").replace('"', '\\"')
        css = PAPER % {"paper": paper, "running": running, "before": before}
        sections = [ident for tag, ident, _ in piece.headings if tag == "H2"]
        page.evaluate(PREPARE, [css, sorted({*ids, *sections}), LONG])
        made = page.pdf(prefer_css_page_size=True, print_background=True)
    finally:
        page.close()
    piece.reader = PdfReader(io.BytesIO(made))
    piece.first = before
    numbers = {
        page.indirect_reference.idnum: k for k, page in enumerate(piece.reader.pages)
    }
    for name, place in piece.reader.named_destinations.items():
        number = numbers[place.raw_get("/Page").idnum]
        left, top = (float(place.get(key) or 0) for key in ("/Left", "/Top"))
        piece.places[unquote(name.removeprefix("/"))] = (number, left, top)


def print_front(browser, pieces: list[Piece], paper: str, folder: Path) -> Piece:
    """The title page and the contents, with the numbers of the pages."""
    file = folder / "front.html"
    file.write_text(front(pieces), encoding="utf-8")
    page = browser.new_page(color_scheme="light")
    page.goto(file.as_uri(), wait_until="load")
    made = page.pdf(prefer_css_page_size=True, format=paper, print_background=True)
    page.close()
    return Piece(file, "", reader=PdfReader(io.BytesIO(made)))


def front(pieces: list[Piece]) -> str:
    """The HTML of the title page and of the contents."""
    static = pieces[0].file.parent
    while not (static / "_static").is_dir():
        static = static.parent
    rows, part = [], None
    for piece in pieces:
        if piece.part != part:
            part = piece.part
            rows.append(f"<h2>{escape(part)}</h2>" if part else "")
        rows.append(
            f'<p><a href="{piece.file.as_uri()}"><span>{escape(piece.title)}</span>'
            f"<b>{piece.first + 1}</b></a></p>"
        )
    return f"""<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<title>{TITLE}</title>
<link rel="stylesheet" href="{(static / "_static/fonts/fonts.css").as_uri()}">
<link rel="stylesheet" href="{(static / "_static/colours.css").as_uri()}">
<style>
@page {{ margin: 25mm 22mm; }}
body {{ font: 11pt/1.5 var(--bk-serif, serif); color: #1d1d1f; margin: 0; }}
.title {{ break-after: page; padding-top: 60mm; }}
.title h1 {{ font-size: 34pt; line-height: 1.1; margin: 0 0 6mm; }}
.title p {{ font-size: 15pt; margin: 0 0 4mm; }}
.title small {{ display: block; font-size: 9.5pt; margin-top: 95mm; max-width: 120mm; }}
h2 {{ font-size: 12pt; margin: 5mm 0 1mm; break-after: avoid; }}
p {{ margin: 0; }}
p a {{ display: flex; gap: 4mm; color: inherit; text-decoration: none; }}
p a span {{ flex: 1; }}
p a b {{ font-weight: 400; font-variant-numeric: tabular-nums; }}
</style></head><body>
<section class="title"><h1>{TITLE}</h1><p>{SUBTITLE}</p>
<small>Printed from the pages of the book. Every program ran, and every output is what
it printed. The code that draws the figures is in the notebooks. The code is under the
MIT licence; text and figures are under the Creative Commons licence CC BY 4.0.</small>
</section>
<section><h1>Contents</h1>{"".join(rows)}</section></body></html>"""


# ------------------------------------------------------------------ putting it together


class Binding:
    """One file from many pieces."""

    def __init__(self, front: Piece, pieces: list[Piece]):
        self.front, self.pieces = front, pieces
        self.offset = len(front.reader.pages)
        self.by_file = {piece.file.resolve(): piece for piece in pieces}
        self.writer = PdfWriter()
        self.lost: list[str] = []

    def bind(self) -> PdfWriter:
        """Append the pieces, then the links and the bookmarks, which need them all."""
        everything = [self.front, *self.pieces]
        for piece in everything:
            self.writer.append(
                piece.reader,
                import_outline=False,
                excluded_fields=["/Annots", "/StructParents", "/B"],
            )
        for piece in everything:
            start = 0 if piece is self.front else self.offset + piece.first
            for number, page in enumerate(piece.reader.pages):
                links = [
                    made for old in links_of(page) if (made := self.link(piece, old))
                ]
                if links:
                    target = self.writer.pages[start + number]
                    target[NameObject("/Annots")] = ArrayObject(
                        self.writer._add_object(link) for link in links
                    )
        self.bookmarks()
        self.writer.set_page_label(0, self.offset - 1, style="/r")
        self.writer.set_page_label(self.offset, len(self.writer.pages) - 1, style="/D")
        self.writer.add_metadata({"/Title": f"{TITLE}: {SUBTITLE}"})
        self.writer.root_object[NameObject("/Lang")] = TextStringObject("en")
        self.writer.root_object[NameObject("/PageMode")] = NameObject("/UseOutlines")
        self.writer.compress_identical_objects(remove_unreferenced=True)
        return self.writer

    def link(self, piece: Piece, old: DictionaryObject) -> DictionaryObject | None:
        """The same link in the whole book."""
        left, low, right, high = (float(number) for number in old["/Rect"])
        if high - low < SAME_DOCUMENT:
            return None
        made = DictionaryObject()
        made[NameObject("/Type")] = NameObject("/Annot")
        made[NameObject("/Subtype")] = NameObject("/Link")
        made[NameObject("/Rect")] = ArrayObject(
            FloatObject(number) for number in (left, low, right, high)
        )
        made[NameObject("/Border")] = ArrayObject([NumberObject(0)] * 3)
        name, uri = old.get("/Dest"), old.get("/A", {}).get("/URI")
        if name is not None:
            made[NameObject("/Dest")] = self.place(piece, unquote(str(name)[1:]))
        elif uri and uri.startswith("file:"):
            parts = urlsplit(uri)
            target = self.by_file.get(Path(url2pathname(parts.path)).resolve())
            if target is None:
                self.lost.append(uri)
                return None
            made[NameObject("/Dest")] = self.place(target, unquote(parts.fragment))
        elif uri:
            made[NameObject("/A")] = DictionaryObject(
                {
                    NameObject("/S"): NameObject("/URI"),
                    NameObject("/URI"): TextStringObject(uri),
                }
            )
        else:
            return None
        return made

    def place(self, piece: Piece, ident: str) -> ArrayObject:
        """Where an id stands; without one, the top of the piece."""
        number, left, top = piece.places.get(ident, (0, 0, 0))
        page = self.writer.pages[self.offset + piece.first + number]
        height = float(page.mediabox.height)
        return ArrayObject(
            [
                page.indirect_reference,
                NameObject("/XYZ"),
                FloatObject(left),
                FloatObject(min(top, height) or height),
                NullObject(),
            ]
        )

    def bookmarks(self) -> None:
        """Parts, chapters, sections."""
        self.writer.add_outline_item(
            title="Contents", page_number=max(self.offset - 1, 0)
        )
        parts: dict[str, object] = {}
        for piece in self.pieces:
            start = self.offset + piece.first
            above = None
            if piece.part:
                if piece.part not in parts:
                    made = self.writer.add_outline_item(
                        title=piece.part, page_number=start
                    )
                    parts[piece.part] = made
                above = parts[piece.part]
            chapter = self.writer.add_outline_item(
                title=piece.title, page_number=start, parent=above, is_open=False
            )
            for tag, ident, text in piece.headings:
                if tag == "H2" and ident in piece.places:
                    number = start + piece.places[ident][0]
                    self.writer.add_outline_item(
                        title=text, page_number=number, parent=chapter
                    )


def links_of(page) -> Iterator[DictionaryObject]:
    """The links of a printed page."""
    for entry in page.get("/Annots") or []:
        annotation = entry.get_object()
        if annotation.get("/Subtype") == "/Link":
            yield annotation


def make(
    pages: Path, documents: list[toc.Document], output: Path, paper: str = "A4"
) -> Binding:
    """Print ``documents`` from the built book in ``pages`` into ``output``."""
    sys.path.insert(0, str(ROOT))
    from tests.book.browser_checks import chromium, find_chromium

    path = find_chromium()
    if path is None:
        raise PdfError(
            "the book is printed by Chromium or Chrome, and there is none: install "
            "one, or set CHROMIUM to its path"
        )
    pieces = []
    for document in documents:
        name = PurePosixPath(document.path).with_suffix(".html")
        pieces.append(Piece((pages / name).resolve(), document.part))
    ids, before = wanted(piece.file for piece in pieces), 0
    with chromium(path) as browser, tempfile.TemporaryDirectory() as folder:
        for piece in pieces:
            build_book.tick(f"  printing  {piece.file.stem}")
            print_page(browser, piece, ids[piece.file], before, paper)
            before += len(piece.reader.pages)
        front = print_front(browser, pieces, paper, Path(folder))
    build_book.tick("  binding")
    binding = Binding(front, pieces)
    output.parent.mkdir(parents=True, exist_ok=True)
    binding.bind().write(output)
    build_book.tick("")
    return binding


def main(arguments: list[str] | None = None) -> int:
    """Print the book and say how it went."""
    parser = argparse.ArgumentParser(description="Print the book into one PDF.")
    parser.add_argument("--paper", choices=PAPERS, default="A4")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these pages alone")
    parser.add_argument("--output", type=Path, default=ROOT / "_build" / "book.pdf")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    documents = [
        document
        for document in toc.documents(ROOT)
        if not options.only or Path(document.path).stem.startswith(tuple(options.only))
    ]
    try:
        binding = make(
            ROOT / "_build" / "html", documents, options.output, options.paper
        )
    except PdfError as error:
        print(f"The book was not printed: {error}", file=sys.stderr)
        return 1
    for uri in sorted(set(binding.lost)) if not options.only else ():
        print(f"A link that leads to no page of the PDF: {uri}", file=sys.stderr)
    count, size = len(binding.writer.pages), options.output.stat().st_size / 1e6
    took = time.monotonic() - started
    print(f"{count} pages, {size:.1f} MB, in {took:.0f} s: {options.output}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
