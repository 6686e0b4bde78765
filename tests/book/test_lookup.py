"""The field of the troubleshooting page, and the search, find an entry by its message."""

from urllib.parse import quote

import pytest

from tests.book import browser_checks as checks
from tests.book.browser_checks import visit
from tests.book.test_site import path_of_chromium
from tests.reference import ledger
from tests.reference.record_troubles import ENTRIES, RECORDED, SYMPTOM

ANSWERS = ledger.answers(RECORDED)
PAGE = "book/troubleshooting.html"
OFFERED = ".bk-lookup li a"
QUOTED = [entry for entry in ENTRIES if entry.quoted]
FORUM = {  # as people paste them, with shapes and types of their own, or from old versions
    "RuntimeError: one of the variables needed for gradient computation has been "
    "modified by an inplace operation: [torch.cuda.FloatTensor [4, 512, 16, 16]], which "
    "is output 0 of ConstantPadNdBackward, is at version 1; expected version 0 instead.": (
        "one of the variables needed for gradient computation"
    ),
    "RuntimeError: One of the differentiated Tensors appears to not have been used in "
    "the graph. Set allow_unused=True if this is the desired behavior.": (
        "appears to not have been used in the graph"
    ),
    "RuntimeError: expected scalar type Long but found Float": "Long or Byte",
    "zero_grad": "zero_grad is missing",
    "argmax": "after argmax",
}


@pytest.fixture(scope="module")
def browser():
    with checks.chromium(path_of_chromium()) as browser:
        yield browser


@pytest.fixture(scope="module")
def field(browser, built_book):
    with visit(browser, built_book, PAGE) as seen:
        yield seen


def offered(seen, text: str) -> list[str]:
    """The headings that the page offers for a text."""
    seen.page.fill("#bk-message", text)
    return [each.inner_text() for each in seen.page.locator(OFFERED).all()]


@pytest.mark.parametrize("entry", QUOTED, ids=lambda entry: entry.name)
def test_a_whole_message_leads_to_its_entry(field, entry):
    stored = ANSWERS[entry.case(SYMPTOM)]
    category, message = stored.get("error") or stored["warnings"][0]
    headings = [text.replace("’", "'") for text in offered(field, message)]
    assert entry.heading.replace("`", "") in headings


@pytest.mark.parametrize("pasted", FORUM)
def test_what_people_paste_leads_there(field, pasted):
    assert any(FORUM[pasted] in heading for heading in offered(field, pasted))


def test_what_fits_nothing_says_so(field):
    assert offered(field, "the quick brown fox jumps over the lazy dog") == []
    assert "No entry fits" in field.page.inner_text(".bk-lookup [role=status]")
    assert offered(field, "") == []
    assert field.page.inner_text(".bk-lookup [role=status]") == ""


def test_the_field_and_its_answers_are_accessible(field):
    assert offered(field, "Trying to backward through the graph a second time")
    assert checks.barriers(field) == []
    assert list(field.complaints) == []


def test_an_answer_leads_to_the_entry(field):
    assert offered(field, QUOTED[0].quoted)
    field.page.locator(OFFERED).first.click()
    field.page.wait_for_url("**/trouble-*.html#*")
    place = field.page.url.partition("#")[2]
    heading = field.page.locator(f"[id='{place}'] :is(h1, h2)").first
    assert QUOTED[0].quoted in heading.inner_text()
    field.page.go_back()


@pytest.mark.parametrize("entry", QUOTED[::8], ids=lambda entry: entry.name)
def test_the_search_finds_the_words_of_a_heading(browser, built_book, entry):
    with visit(browser, built_book, f"search.html?q={quote(entry.quoted)}") as seen:
        link = f"#search-results a[href*='{entry.page}']"
        seen.page.wait_for_selector(link, timeout=10_000)
