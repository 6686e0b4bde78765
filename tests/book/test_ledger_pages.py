"""The parity ledger and the differences as the book prints them."""

import json
import re

import pytest

import toc
from sphinxext import ledger as printing
from sphinxext.ledger import Cell
from tests.book.page_checks import Site, html_of
from tests.reference import ledger
from tests.reference.differences import DIFFERENCES

CHAPTERS = {chapter.number: chapter for chapter in toc.chapters()}
ROWS = [row for row in ledger.rows() if row.chapter in CHAPTERS]
DIFFER = [entry for entry in DIFFERENCES if entry.chapter in CHAPTERS]


@pytest.fixture(scope="module")
def site(built_book):
    return Site(built_book)


def printed(site, name):
    """The rows of a page by id: lists of the texts of their cells."""
    page = site.page(f"book/{name}.html")
    assert page is not None, f"book/{name} is not in _toc.yml"
    rows = page.soup.select("table.bk-programs tbody tr")
    return {
        row["id"]: [cell.get_text() for cell in row.find_all(["th", "td"])]
        for row in rows
    }


def test_every_row_is_printed_with_its_program(site):
    rows = printed(site, "ledger")
    assert list(rows) == [f"row-{row.id}" for row in ROWS]
    recorded = ledger.recorded()["rows"]
    for row in ROWS:
        says, program, answer = rows[f"row-{row.id}"]
        assert says == row.says.replace("`", "").replace("'", "’") or "`" in row.says
        assert program == row.code
        assert answer == printing.answered(recorded[row.id])


def test_every_difference_is_printed_with_both_answers(site):
    rows = printed(site, "differences")
    assert list(rows) == [f"row-{entry.id}" for entry in DIFFER]
    recorded = ledger.recorded()["differences"]
    for entry in DIFFER:
        _, program, theirs, ours, why = rows[f"row-{entry.id}"]
        assert program == entry.code
        assert theirs == printing.answered(recorded[entry.id]["torch"])
        assert ours == printing.answered(recorded[entry.id]["minigrad"])
        assert theirs != ours
        assert why


def test_every_anchor_is_a_place_in_its_chapter(site):
    for row in ROWS:
        if row.anchor:
            page = site.page(html_of(CHAPTERS[row.chapter]))
            assert row.anchor in page.ids, f"{row.id}: no #{row.anchor} in {page.name}"


def test_every_theme_leads_to_its_chapter(site):
    page = site.page("book/ledger.html")
    links = {(a["href"], a.get_text()) for a in page.soup.select("article a[href]")}
    for row in ROWS:
        target = html_of(CHAPTERS[row.chapter]).removeprefix("book/")
        anchor = f"#{row.anchor}" if row.anchor else ""
        assert (f"{target}{anchor}", f"Chapter {row.chapter}") in links


def test_tables_say_their_roles(site):
    for name in ("ledger", "differences"):
        for table in site.page(f"book/{name}.html").soup.select("table.bk-programs"):
            assert table["role"] == "table"
            assert table["aria-label"]
            width = len(table.select("thead [role=columnheader][scope=col]"))
            for row in table.select("tbody tr"):
                assert row["role"] == "row"
                roles = [cell["role"] for cell in row.find_all(["th", "td"])]
                assert roles == ["rowheader"] + ["cell"] * (width - 1)


def test_only_these_pages_load_the_style_sheet(site):
    loading = {
        page.name for page in site.pages if page.soup.select('link[href*="ledger.css"]')
    }
    assert loading == {"book/ledger.html", "book/differences.html"}


# ---------------------------------------------------------------------- small functions


def test_answers_are_put_into_words():
    assert printing.answered({"value": "tensor(1.)"}) == "tensor(1.)"
    assert printing.answered({"error": ["TypeError", "no"]}) == "raises TypeError: no"
    assert printing.answered({"error": ["TypeError", ""]}) == "raises TypeError"
    warned = {"value": "None", "warnings": [["UserWarning", "beware"]]}
    assert printing.answered(warned) == "warns UserWarning: beware\nNone"


def test_long_messages_are_cut_between_words():
    cut = printing.answered({"error": ["RuntimeError", "many words " * 40]})
    assert len(cut) < 220
    assert cut.endswith("words …") or cut.endswith("many …")


def test_answers_in_columns_are_not_broken():
    columns = "tensor([[1., 2., 3., 4., 5., 6., 7., 8.],\n        [1., 2.]])"
    assert printing.is_wide(Cell("answer", columns, code=True))
    assert 'class="columns" tabindex="0"' in printing.written(
        Cell("ours", columns, code=True), "minigrad"
    )
    assert not printing.is_wide(Cell("answer", "tensor(1.)", code=True))
    assert not printing.is_wide(Cell("answer", "raises ValueError: " + "x" * 90, True))
    assert not printing.is_wide(Cell("program", columns, code=True))


def test_text_is_escaped_and_set():
    cell = printing.written(Cell("says", "A node's `<a'b>` & more"), "Statement")
    assert "A node’s <code>&lt;a'b&gt;</code> &amp; more" in cell
    assert cell.startswith('<th role="rowheader"')


def test_the_pages_depend_on_every_file_they_are_made_of():
    names = [path.name for path in printing.sources()]
    assert {"ledger.json", "differences.py", "ch04.py", "ch08.py"} <= set(names)
    assert all(path.is_file() for path in printing.sources())


def test_slugs_are_ids():
    assert printing._slug("7 gradient=: weights") == "on-7-gradient-weights"
    themes = {(row.chapter, row.theme) for row in ledger.rows()}
    slugs = {printing._slug(f"{chapter} {theme}") for chapter, theme in themes}
    assert len(slugs) == len(themes)
    assert all(re.fullmatch(r"on-[a-z0-9-]+", slug) for slug in slugs)


def test_the_recording_is_json_without_paths():
    text = ledger.RECORDED.read_text(encoding="utf-8")
    json.loads(text)
    assert not re.search(r"0x[0-9a-f]{6}|\.cpp:|/home/|/root/|site-packages", text)
