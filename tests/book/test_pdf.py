"""tools/pdf.py, and paper: two pages of the book printed into one file."""

import io
import re

import pytest
from pypdf import PdfReader

import build_book
import pdf
import toc
from tests.book import browser_checks as checks
from tests.book.page_checks import html_of
from tests.book.test_site import path_of_chromium

NAMES = ("book/how-to-read.md", "book/ch03-chain-rule.ipynb")


@pytest.fixture(scope="module")
def bound(built_book, tmp_path_factory):
    """Two pages that refer to each other, bound; and what was made."""
    path_of_chromium()
    documents = [d for d in toc.documents() if d.path in NAMES]
    output = tmp_path_factory.mktemp("pdf") / "two.pdf"
    binding = pdf.make(built_book, documents, output)
    return binding, PdfReader(output)


def text_of(reader, first=0, last=None) -> str:
    text = "\n".join(page.extract_text() for page in reader.pages[first:last])
    return re.sub(r"\s+", " ", text)


def test_it_opens_with_a_title_and_the_contents(bound):
    binding, reader = bound
    assert pdf.TITLE in text_of(reader, 0, 1)
    contents = text_of(reader, 1, binding.offset)
    for piece in binding.pieces:
        assert re.search(rf"{re.escape(piece.title)} ?{piece.first + 1}\b", contents)
    assert reader.metadata.title.startswith(pdf.TITLE)


def test_text_code_outputs_and_solutions_are_in_it(bound):
    _, reader = bound
    text = text_of(reader)
    assert "The chain rule is matrix multiplication" in text
    assert "def unbroadcast(g, shape" in text  # an exported cell
    assert "Solution to exercise 3.1" in text
    assert "The code of this figure" not in text  # a fold that paper cannot open
    for left_out in ("Skip to main content", "Search the book", "On this page"):
        assert left_out not in text


def test_pages_are_numbered_through(bound):
    binding, reader = bound
    for number in (1, binding.pieces[1].first + 1, len(reader.pages) - binding.offset):
        text = reader.pages[binding.offset + number - 1].extract_text()
        assert str(number) in re.findall(r"(?m)^\d+$", text)
        label = reader.page_labels[binding.offset + number - 1]
        assert label == str(number)


def fonts_of(page) -> dict[str, bool]:
    """The fonts of a page, and whether the file brings them along."""
    found = {}
    for font in (page["/Resources"].get("/Font") or {}).values():
        font = font.get_object()
        inner = font.get("/DescendantFonts", [font])[0].get_object()
        described = inner.get("/FontDescriptor", {}).get_object()
        brought = any(key.startswith("/FontFile") for key in described)
        found[str(font.get("/BaseFont", font["/Subtype"]))] = brought or (
            font["/Subtype"] == "/Type3"
        )
    return found


def test_fonts_come_with_the_file_and_formulas_are_set(bound):
    _, reader = bound
    fonts = {}
    for page in reader.pages:
        fonts |= fonts_of(page)
    assert all(fonts.values()), fonts
    assert any("KaTeX_Math" in name for name in fonts)
    assert "\\frac" not in text_of(reader)


def links(reader):
    for number, page in enumerate(reader.pages):
        for annotation in page.get("/Annots", []):
            yield number, annotation.get_object()


def test_links_between_pages_lead_there(bound):
    """From the contents and the text to Chapter 3; none to a file of this machine."""
    binding, reader = bound
    numbers = {p.indirect_reference.idnum: k for k, p in enumerate(reader.pages)}
    start = binding.offset + binding.pieces[1].first
    inner = [
        (number, numbers[link["/Dest"][0].indirect_reference.idnum])
        for number, link in links(reader)
        if "/Dest" in link
    ]
    assert (1, start) in inner
    assert any(binding.offset <= number < start == target for number, target in inner)
    outer = [uri(link) for _, link in links(reader)]
    assert not [each for each in outer if each.startswith("file:")]


def uri(annotation) -> str:
    return str(annotation.get("/A", {}).get("/URI", ""))


def test_the_bookmarks_are_the_headings(bound):
    binding, reader = bound

    def flat(items, depth=0):
        for item in items:
            if isinstance(item, list):
                yield from flat(item, depth + 1)
            else:
                yield depth, item.title, reader.get_destination_page_number(item)

    marks = list(flat(reader.outline))
    chapter = binding.pieces[1]
    start = binding.offset + chapter.first
    assert (0, chapter.part, start) in marks
    assert (1, chapter.title, start) in marks
    sections = [title for depth, title, _ in marks if depth == 2]
    expected = [text for tag, _, text in chapter.headings if tag == "H2"]
    assert [title for title in sections if title in expected] == expected


def test_no_code_is_cut_off(built_book):
    """On paper nothing of a chapter is wider than the page."""
    chapters = [html_of(chapter) for chapter in toc.chapters()]
    with (
        checks.chromium(path_of_chromium()) as browser,
        checks.visit(browser, built_book, chapters[9], width=665) as seen,
    ):  # 176 mm at 96 dpi: A4 less its margins
        seen.page.emulate_media(media="print")
        wide = seen.page.evaluate(
            """() => [...document.querySelectorAll(".bd-article :is(pre, svg, img)")]
              .filter((e) => e.getBoundingClientRect().right > 666)
              .filter((e) => e.checkVisibility())
              .map((e) => e.outerHTML.slice(0, 90))"""
        )
    assert wide == []


@pytest.mark.parametrize("paper", pdf.PAPERS)
def test_the_cheat_sheet_is_one_page(built_book, paper):
    with checks.chromium(path_of_chromium()) as browser:
        page = browser.new_page()
        page.goto((built_book / "book/cheat-sheet.html").as_uri())
        page.add_style_tag(content=f"@page {{ size: {paper} }}")
        made = page.pdf(prefer_css_page_size=True, print_background=True)
    reader = PdfReader(io.BytesIO(made))
    assert len(reader.pages) == 1
    size = [round(float(number) / 72 * 25.4) for number in reader.pages[0].mediabox[2:]]
    assert size == {"A4": [210, 297], "Letter": [216, 279]}[paper]
    text = text_of(reader)
    assert "Leaf or not?" in text
    assert "Inference tensors cannot be saved for backward" in text


def test_without_a_browser_it_says_so(monkeypatch, tmp_path):
    monkeypatch.setattr(checks, "find_chromium", lambda: None)
    with pytest.raises(pdf.PdfError, match="CHROMIUM"):
        pdf.make(build_book.ROOT, [], tmp_path / "no.pdf")
