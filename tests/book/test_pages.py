"""The built pages, without a browser; and the checks themselves, on planted faults."""

import re
from pathlib import Path

import pytest

import build_book
import picture
import tangle
import toc
from tests.book import page_checks as checks
from tests.book.page_checks import Page, Site, html_of

EACH_PAGE = (
    checks.missing_files,
    checks.foreign_resources,
    checks.pictures_without_text,
    checks.drawings_without_label,
    checks.figures_without_caption,
    checks.raw_markup,
    checks.leaked_directives,
    checks.repeated_ids,
    checks.headings_out_of_order,
    checks.unnamed_page,
)
COLOURS = build_book.ROOT / "book" / "_static" / "colours.css"


@pytest.fixture(scope="module")
def site(built_book):
    return Site(built_book)


# ------------------------------------------------------------------- the book itself


@pytest.mark.parametrize("check", EACH_PAGE, ids=lambda check: check.__name__)
def test_no_page_has(site, check):
    pages = [page for page in site.pages if not page.is_redirect]
    assert [problem for page in pages for problem in check(page)] == []


def test_no_link_within_the_book_is_broken(site):
    assert [p for page in site.pages for p in checks.broken_links(page, site)] == []


def test_no_style_sheet_leaves_the_book(site):
    assert checks.foreign_in_style_sheets(site.root) == []


def test_the_start_page_leads_to_the_book(site):
    start = site.page("index.html")
    assert start.is_redirect
    assert checks.unnamed_page(start) == []
    assert checks.foreign_resources(start) == []


def test_every_document_of_the_contents_is_a_page(site):
    expected = {html_of(document) for document in toc.documents()}
    built = {page.name for page in site.pages if page.name.startswith("book/")}
    assert built == expected


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda chapter: chapter.path)
def test_every_exported_cell_is_captioned_with_its_file(site, chapter):
    page = site.page(html_of(chapter))
    captions = [
        caption.code.get_text()
        for caption in page.soup.select("figure.bk-listing.file > figcaption")
    ]
    assert captions == [file for file, _ in tangle.exported(chapter)]


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda chapter: chapter.path)
def test_a_chapter_leads_to_the_glossary_once_for_each_term(site, chapter):
    links = site.page(html_of(chapter)).soup.select("a.bk-term")
    places = [link["href"] for link in links]
    assert len(places) >= 8
    assert len(set(places)) == len(places)
    assert all(place.startswith("glossary.html#term-") for place in places)


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda chapter: chapter.path)
def test_every_exercise_has_a_folded_solution_of_its_own(site, chapter):
    page = site.page(html_of(chapter))
    titles = [h.get_text() for h in page.soup.select("h3")]
    numbers = [m[1] for t in titles if (m := re.match(r"Exercise (\d+\.\d+)", t))]
    summaries = [s.get_text() for s in page.soup.select("details.solution > summary")]
    assert numbers
    assert summaries == [f"Solution to exercise {number}" for number in numbers]


def test_the_journey_shows_every_chapter_and_every_file(site):
    drawn = site.page("book/index.html").soup.select_one("svg.journey-wide")
    shown = " ".join(drawn.get_text(" ").split())
    for chapter in toc.chapters():
        assert chapter.title.replace("`", "") in shown
    for file in tangle.pieces():
        if not file.endswith("__init__.py"):
            assert Path(file).name in shown


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda chapter: chapter.path)
def test_every_chapter_shows_where_its_piece_sits(site, chapter):
    page = site.page(html_of(chapter))
    marked = page.soup.select(".bk-callout.build svg.so-far-wide .now")
    files = {f for f, _ in tangle.exported(chapter) if not f.endswith("__init__.py")}
    assert {group.select_one("text.file").get_text() for group in marked} == {
        Path(file).name for file in files
    }


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_colours_can_be_told_from_the_page(mode):
    colours = checks.palette(COLOURS.read_text(encoding="utf-8"), mode)
    paper = colours["--bk-paper"]
    for number in range(6):  # lines of figures
        assert checks.contrast(colours[f"--fig-{number}"], paper) >= 3
    for name in ("ink", "muted", "accent", "build", "trap", "aside", "in-pytorch"):
        assert checks.contrast(colours[f"--bk-{name}"], paper) >= 4.5
        assert checks.contrast(colours[f"--bk-{name}"], colours["--bk-panel"]) >= 4.5


def test_the_pages_are_light(site):
    """What the browser loads for a page of text, fonts aside, is under half a megabyte
    of scripts and as much of styles."""
    for kind, limit in (("*.js", 500_000), ("*.css", 600_000)):
        files = list((site.root / "_static").rglob(kind))
        assert sum(file.stat().st_size for file in files) < limit
    assert not list(site.root.rglob("*.map"))
    assert not list(site.root.rglob("fontawesome.js"))


def test_the_picture_in_the_readme_is_the_map_of_this_book():
    readme = (build_book.ROOT / "README.md").read_text(encoding="utf-8")
    if picture.PICTURE.as_posix() in readme:
        file = build_book.ROOT / picture.PICTURE
        assert file.read_text(encoding="utf-8") == picture.picture(), (
            "run tools/picture.py"
        )


# ------------------------------------------------------------------ the checks, tried

HEALTHY = """<!DOCTYPE html>
<html lang="en">
<head><title>A page</title><link rel="stylesheet" href="style.css">
<style>p {{ background: url(data:image/png;base64,x) }}</style></head>
<body><main><h1 id="top">A page</h1>
<p id="here">A <a href="#here">place</a>, <a href="other.html#there">another</a>,
a <a href="https://doi.org/10.1137/x">work</a>, $5, `code` and
<code>$x$ ::: {{cite}}</code>.</p>
<pre>$$ [a](b)</pre>
<img src="picture.png" alt="A curve that rises">
<svg role="img" aria-label="A dot"><circle r="1"/></svg><svg aria-hidden="true"></svg>
<figure><svg role="img" aria-label="Line"></svg><figcaption>A line.</figcaption>
</figure>
<h2>Section</h2><h3>Part</h3><h2>Section</h2>
{fault}</main></body></html>
"""

FAULTS = [
    ("broken_links", '<a href="nowhere.html">x</a>', "nowhere.html leads nowhere"),
    ("broken_links", '<a href="#nowhere">x</a>', "#nowhere names no place"),
    ("broken_links", '<a href="other.html#here">x</a>', "names no place"),
    ("missing_files", '<img src="lost.png" alt="A lost one">', "no lost.png"),
    ("missing_files", '<script src="lost.js?v=1"></script>', "no lost.js"),
    ("foreign_resources", '<img src="https://a.org/b.png" alt="B">', "a.org/b.png"),
    ("foreign_resources", '<script src="//cdn.org/x.js"></script>', "cdn.org"),
    ("foreign_resources", '<link rel="preconnect" href="https://c.org">', "c.org"),
    ("foreign_resources", '<p style="background:url(http://d.org/e)">', "d.org"),
    ("foreign_resources", "<style>@import 'https://f.org/g';</style>", "f.org"),
    ("foreign_resources", '<iframe src="https://h.org"></iframe>', "h.org"),
    ("foreign_resources", '<img srcset="x.png, https://i.org/j 2x">', "i.org"),
    ("foreign_resources", '<form action="https://k.org"></form>', "k.org"),
    ("pictures_without_text", '<img src="picture.png">', "no text says"),
    ("pictures_without_text", '<img src="picture.png" alt=" ">', "no text says"),
    ("pictures_without_text", '<img src="p.png" alt="p_1.png">', "file name p_1.png"),
    ("drawings_without_label", "<svg><path/></svg>", "no label"),
    ("drawings_without_label", '<svg role="img" aria-label=""></svg>', "no label"),
    ("figures_without_caption", '<figure id="f"><svg/></figure>', "figure f has no"),
    ("raw_markup", "<p>See {cite:t}`griewank2008`.</p>", "{cite:t}`"),
    ("raw_markup", "<p>::: note</p>", ":::"),
    ("raw_markup", "<p>so $$ x = 1</p>", "$$"),
    ("raw_markup", "<p>the slope $dy/dx$ of</p>", "$dy/dx$"),
    ("raw_markup", "<p>``` python</p>", "```"),
    ("raw_markup", r"<p>\frac{1}{2}</p>", "frac"),
    ("raw_markup", "<p>[Chapter 2](ch02.ipynb)</p>", "](ch02"),
    ("leaked_directives", "<pre>#| file: minigrad/x.py\nx = 1</pre>", "is shown"),
    ("repeated_ids", '<p id="here">x</p>', "the id here"),
    ("headings_out_of_order", "<h1>Again</h1>", "2 first-level"),
    ("headings_out_of_order", "<h4>Deep</h4>", "a level is skipped"),
]


@pytest.fixture
def small_site(tmp_path):
    (tmp_path / "style.css").write_text("p { color: black }")
    (tmp_path / "picture.png").touch()
    other = HEALTHY.replace('id="here"', 'id="there"').replace("#here", "#there")
    (tmp_path / "other.html").write_text(other.format(fault=""))
    return tmp_path


def problems(check: str, root: Path, page: str) -> list[str]:
    (root / "page.html").write_text(page, encoding="utf-8")
    function = getattr(checks, check)
    if check == "broken_links":
        return function(Page(root / "page.html", root), Site(root))
    return function(Page(root / "page.html", root))


@pytest.mark.parametrize(
    "check", [*(c.__name__ for c in EACH_PAGE), "broken_links"], ids=str
)
def test_a_healthy_page_has_no_problem(small_site, check):
    assert problems(check, small_site, HEALTHY.format(fault="")) == []


@pytest.mark.parametrize(("check", "fault", "message"), FAULTS)
def test_a_planted_fault_is_found(small_site, check, fault, message):
    found = problems(check, small_site, HEALTHY.format(fault=fault))
    assert len(found) == 1
    assert message in found[0]
    assert found[0].startswith("page.html: ")


@pytest.mark.parametrize(
    ("page", "message"),
    [
        ("<html><head><title>T</title></head></html>", "in English"),
        ('<html lang="de"><head><title>T</title></head></html>', "in English"),
        ('<html lang="en"><head><title> </title></head></html>', "no title"),
    ],
)
def test_a_page_without_a_name_is_found(small_site, page, message):
    assert message in problems("unnamed_page", small_site, page)[0]


def test_every_check_has_a_planted_fault():
    tried = {check for check, _, _ in FAULTS} | {"unnamed_page"}
    assert {check.__name__ for check in EACH_PAGE} | {"broken_links"} == tried


@pytest.mark.parametrize(
    ("style", "message"),
    [
        ("@font-face { src: url(https://fonts.org/a.woff2) }", "fonts.org"),
        ('@import "//cdn.org/x.css";', "cdn.org"),
        ("p { background: url('lost.png') }", "there is no lost.png"),
    ],
)
def test_a_style_sheet_that_leaves_the_book_is_found(small_site, style, message):
    assert checks.foreign_in_style_sheets(small_site) == []
    (small_site / "style.css").write_text(f"/* url(https://fine.org) */ {style}")
    assert message in checks.foreign_in_style_sheets(small_site)[0]


def test_contrast_is_that_of_wcag():
    assert checks.contrast("#000000", "#ffffff") == pytest.approx(21)
    assert checks.contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
