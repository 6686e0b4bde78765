"""The built pages in a real browser, from disk; and the checks, on planted faults."""

import os

import pytest

import toc
from tests.book import browser_checks as checks
from tests.book.browser_checks import visit
from tests.book.page_checks import html_of

HOME, *OTHERS = [html_of(document) for document in toc.documents()]
PAGES = [HOME, *OTHERS, "search.html"]
CHAPTERS = [html_of(chapter) for chapter in toc.chapters()]
SCHEMES = ["light", "dark"]
UNFOLD = "document.querySelectorAll('details').forEach((box) => (box.open = true))"


NO_BROWSER = (
    "no Chromium or Chrome found, so the pages were NOT tested in a browser: "
    "install one, or set CHROMIUM to its path"
)


def path_of_chromium() -> str:
    """Return the browser's path; without one, skip, and fail where CI is set."""
    if path := checks.find_chromium():
        return path
    if os.environ.get("CI"):
        pytest.fail(NO_BROWSER, pytrace=False)
    pytest.skip(NO_BROWSER)


@pytest.fixture(scope="module")
def browser():
    with checks.chromium(path_of_chromium()) as browser:
        yield browser


# ------------------------------------------------------------------- the book itself


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("page", PAGES)
def test_a_page(browser, built_book, page, scheme):
    """Everything that can be seen on one page at once, in one visit."""
    with visit(browser, built_book, page, scheme=scheme) as seen:
        seen.page.evaluate(UNFOLD)
        problems = {
            "requests that leave the book": checks.requests_outside(seen),
            "formulas not set": checks.unset_formulas(seen),
            "formulas not styled": checks.unstyled_formulas(seen),
            "pictures not shown": checks.missing_pictures(seen),
            "complaints": list(seen.complaints),
            "barriers": checks.barriers(seen),
        }
        theme = seen.page.evaluate("document.documentElement.dataset.theme")
    assert {what: found for what, found in problems.items() if found} == {}
    assert theme == scheme


@pytest.mark.parametrize("width", [320, 375])
@pytest.mark.parametrize("page", PAGES)
def test_a_page_on_a_telephone(browser, built_book, page, width):
    with visit(browser, built_book, page, width=width) as seen:
        problems = {
            "scrolls sideways": checks.sideways(seen),
            "out of the keyboard's reach": checks.unreachable_scrollers(seen),
            "barriers": checks.barriers(seen) if width == 375 else [],
        }
    assert {what: found for what, found in problems.items() if found} == {}


def test_every_built_page_is_visited(built_book):
    built = {p.relative_to(built_book).as_posix() for p in built_book.rglob("*.html")}
    assert built == {*PAGES, "index.html"}


def test_the_start_page_leads_home(browser, built_book):
    with visit(browser, built_book, "index.html") as seen:
        seen.page.wait_for_url(f"**/{HOME}")
        assert checks.requests_outside(seen) == []


def test_search_works_from_disk(browser, built_book):
    with visit(browser, built_book, "search.html?q=derivative") as seen:
        found = "document.querySelectorAll('#search-results li a').length"
        seen.page.wait_for_function(f"{found} >= {len(CHAPTERS)}")  # they come one by one
        assert seen.complaints == []
        assert checks.requests_outside(seen) == []
        assert checks.barriers(seen) == []


def after_reloading(seen, mode, patience=10) -> list:
    """Return the modes that the page came back with, until it is `mode`.

    The browser writes down what a page stores in its own time: a page that is loaded
    again at once may find what was stored before.
    """
    modes = []
    while mode not in modes and len(modes) < patience:
        seen.page.wait_for_timeout(300)
        seen.page.reload()
        modes.append(seen.page.evaluate("document.documentElement.dataset.mode"))
    return modes


def test_the_colour_mode_can_be_chosen_and_stays(browser, built_book):
    with visit(browser, built_book, HOME) as seen:
        for _ in SCHEMES:
            seen.page.locator("button.theme-switch-button").first.click()
            mode = seen.page.evaluate("document.documentElement.dataset.mode")
            assert mode in after_reloading(seen, mode)
        assert seen.complaints == []


@pytest.mark.parametrize("page", CHAPTERS)
def test_a_solution_unfolds_by_keyboard(browser, built_book, page):
    with visit(browser, built_book, page) as seen:
        solution = seen.page.locator("details.solution").first
        assert solution.get_attribute("open") is None
        solution.locator("summary").focus()
        seen.page.keyboard.press("Enter")
        assert solution.get_attribute("open") is not None
        assert solution.locator("pre").first.is_visible()


def test_solutions_are_printed_unfolded(browser, built_book):
    with visit(browser, built_book, CHAPTERS[0]) as seen:
        seen.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        closed = seen.page.locator("details.solution:not([open])")
        assert closed.count() == 0
        seen.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert closed.count() > 0


def copied(seen, box) -> str:
    """Press the copy button of a code block; return what was copied."""
    box.hover()
    box.locator("button.copybtn").click()
    seen.page.evaluate(
        """() => {
          const area = document.createElement("textarea");
          document.body.append(area);
          area.focus();
        }"""
    )
    seen.page.keyboard.press("Control+V")
    return seen.page.locator("textarea").input_value()


def test_the_copy_button_copies_the_code_of_a_listing(browser, built_book):
    with visit(browser, built_book, CHAPTERS[0]) as seen:
        listing = seen.page.locator("figure.bk-listing.file").first
        pasted = copied(seen, listing)
        assert pasted.strip() == listing.locator("pre").text_content().strip()
        assert "#| file" not in pasted


@pytest.mark.parametrize("page", CHAPTERS)
def test_the_copy_button_leaves_prompts_and_answers_behind(browser, built_book, page):
    with visit(browser, built_book, page) as seen:
        sessions = seen.page.locator("div.highlight", has_text=">>> ")
        if sessions.count():
            box = sessions.first
            lines = box.locator("pre").text_content().splitlines()
            typed = [line[4:] for line in lines if line.startswith((">>> ", "... "))]
            assert copied(seen, box).split("\n") == typed


def test_the_journey_fits_a_telephone_and_can_be_read(browser, built_book):
    with visit(browser, built_book, HOME, width=360) as seen:
        shown = seen.page.locator(".bk-journey svg:visible")
        assert shown.count() == 1
        assert "journey-narrow" in shown.get_attribute("class")
        sizes = shown.evaluate(
            """(svg) => {
              const { width } = svg.getBoundingClientRect();
              const scale = width / svg.viewBox.baseVal.width;
              return [...svg.querySelectorAll("text")]
                .map((t) => parseFloat(getComputedStyle(t).fontSize) * scale);
            }"""
        )
        assert min(sizes) >= 11


def test_no_letter_of_the_journey_leaves_its_box(browser, built_book):
    for width in (360, 1280):
        with visit(browser, built_book, HOME, width=width) as seen:
            outside = seen.page.locator(".bk-journey svg:visible").evaluate(
                """(svg) => [...svg.querySelectorAll(".brick")].flatMap((brick) => {
                  const box = brick.querySelector("rect").getBoundingClientRect();
                  return [...brick.querySelectorAll("text")]
                    .filter((t) => t.getBoundingClientRect().right > box.right - 4)
                    .map((t) => t.textContent);
                })"""
            )
        assert outside == []


# ------------------------------------------------------------------ the checks, tried

HEALTHY = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>A page</title>
<meta name="viewport" content="width=device-width, initial-scale=1"></head>
<body><main><h1>A page</h1><p>Text of <code>$x$</code> and $5 &amp; more.</p>
<img alt="A dot" src="data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' \
width='9' height='9'/%3E">
<span class="katex-mathml" style="position:absolute;width:1px;overflow:hidden">
<annotation>\\frac</annotation></span>
<pre tabindex="0" style="overflow-x:auto">{long}</pre>{fault}</main></body></html>
"""
LONG = "a long line " * 60

FAULTS = [
    ("requests_outside", '<img alt="A" src="https://example.org/a.png">', "a.png"),
    ("requests_outside", "<script>fetch('http://b.example')</script>", "b.example"),
    ("requests_outside", "<script src='../outside.js'></script>", "outside.js"),
    ("complaints", "<script>console.error('ouch')</script>", "console: ouch"),
    ("complaints", "<script>throw new Error('dear me')</script>", "dear me"),
    ("complaints", '<link rel="stylesheet" href="lost.css">', "lost.css"),
    ("unset_formulas", '<span class="katex-error">\\foo</span>', "\\foo"),
    ("unset_formulas", '<span class="math"><code>x</code></span>', "x"),
    ("unset_formulas", "<p>so \\frac{1}{2}</p>", "frac"),
    ("unset_formulas", "<p>the slope $dy/dx$ of</p>", "$dy/dx$"),
    ("unstyled_formulas", '<b class="katex-mathml">x squared</b>', "not in force"),
    ("missing_pictures", '<img alt="A" src="lost.png">', "lost.png"),
    ("sideways", '<div style="width:900px">wide</div>', "px wide on 400"),
    ("barriers", '<img src="data:,">', "image-alt"),
    ("barriers", '<p style="color:#bbb;background:#fff">faint</p>', "color-contrast"),
    ("barriers", '<button aria-label="Go">Stop</button>', "label-content-name"),
    ("barriers", '<a href="#x"></a>', "link-name"),
    ("barriers", '<pre><b style="color:#ccc">name</b></pre>', "color-contrast"),
    (
        "unreachable_scrollers",
        '<div style="overflow-x:auto;width:90px"><p style="width:900px">wide</p></div>',
        "overflow-x",
    ),
]


def found_on(browser, folder, check: str, fault: str) -> list[str]:
    book = folder / "book"
    book.mkdir(exist_ok=True)
    text = HEALTHY.replace("{long}", LONG).replace("{fault}", fault)
    (book / "page.html").write_text(text, encoding="utf-8")
    with visit(browser, book, "page.html", width=400) as seen:
        seen.page.wait_for_timeout(100)
        if check == "complaints":
            return list(seen.complaints)
        return getattr(checks, check)(seen)


@pytest.mark.parametrize("check", dict.fromkeys(check for check, _, _ in FAULTS))
def test_a_healthy_page_has_no_problem(browser, tmp_path, check):
    assert found_on(browser, tmp_path, check, "") == []


@pytest.mark.parametrize(("check", "fault", "message"), FAULTS)
def test_a_planted_fault_is_found(browser, tmp_path, check, fault, message):
    found = found_on(browser, tmp_path, check, fault)
    assert any(message in problem for problem in found), found


@pytest.mark.parametrize(
    ("ci", "outcome"), [("", pytest.skip.Exception), ("true", pytest.fail.Exception)]
)
def test_without_chromium_ci_fails_and_others_skip(monkeypatch, ci, outcome):
    monkeypatch.setenv("CI", ci)
    monkeypatch.setattr(checks, "find_chromium", lambda: None)
    with pytest.raises(outcome, match="NOT tested"):
        path_of_chromium()


def test_chromium_is_looked_for_where_the_variable_says(monkeypatch, tmp_path):
    monkeypatch.setenv("CHROMIUM", str(tmp_path / "my-chrome"))
    assert checks.find_chromium() == str(tmp_path / "my-chrome")
    monkeypatch.delenv("CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(checks, "PLACES", ())
    assert checks.find_chromium() is None
