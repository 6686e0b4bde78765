"""The reader's path through the built pages: heads, previous and next, notebooks."""

import pytest

import cells
import toc
from tests.book.page_checks import Site, html_of

ORDER = [html_of(document) for document in toc.documents()]


@pytest.fixture(scope="module")
def site(built_book):
    return Site(built_book)


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda chapter: chapter.path)
def test_every_chapter_has_a_head_under_its_title(site, chapter):
    soup = site.page(html_of(chapter)).soup
    head = soup.select_one("article h1 + dl.bk-head")
    terms = [term.get_text() for term in head.select("dt")]
    assert terms == ["Before it", "To read", "Builds", "Notebook"]
    assert head.select("li.bk-lite[hidden]")
    assert not head.select("li.bk-lite a")  # a dead button


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda chapter: chapter.path)
def test_every_chapter_can_be_downloaded(site, chapter):
    """From its head, and from the theme's menu: the notebook itself, byte for byte."""
    page = site.page(html_of(chapter))
    links = [
        page.soup.select_one("dl.bk-head a[download]"),
        page.soup.select_one("a.btn-download-source-button"),
    ]
    for link in links:
        file = (page.path.parent / link["href"]).resolve()
        assert file.read_bytes() == chapter.file.read_bytes()
        assert cells.read(file).cells


@pytest.mark.parametrize("place", range(len(ORDER)), ids=ORDER)
def test_every_page_leads_on_and_back(site, place):
    page = site.page(ORDER[place])

    def leads_to(kind: str) -> list[str]:
        links = page.soup.select(f".prev-next-footer a.{kind}-prev, a.{kind}-next")
        found = [(page.path.parent / link["href"]).resolve() for link in links]
        return [each.relative_to(site.root.resolve()).as_posix() for each in found]

    assert leads_to("left") == (ORDER[place - 1 : place] if place else [])
    assert leads_to("right") == ORDER[place + 1 : place + 2]
