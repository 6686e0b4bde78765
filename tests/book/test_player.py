"""The player of a backward pass, in a real browser."""

from contextlib import contextmanager
from types import SimpleNamespace

import pytest

import build_book
import minigrad as torch
import toc
from minigrad.autograd.graph import step_through
from tests.book import browser_checks as checks
from tests.book.page_checks import contrast, html_of
from tests.book.test_site import path_of_chromium

STATIC = build_book.ROOT / "book" / "_static"
PAGE = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Players</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>{colours}
body {{ background: var(--bk-paper); color: var(--bk-ink); margin: 1rem }}
figure {{ margin: 0 }}
</style>
<script>
document.documentElement.dataset.theme =
  matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
</script></head>
<body><main><h1>Players</h1>{players}</main></body></html>
"""
FRAMES = [  # of the diamond: the heading, and the sums that the drawing shows
    ("Start: AddBackward0 (y) is given g = 1", {"y": "1"}),
    (
        "AddBackward0 (y) runs with g = 1",
        {"y": "1", "c": "1", "a": "1 (1 of 2)"},
    ),
    ("MulBackward0 (c) runs with g = 1", {"y": "1", "c": "1", "a": "7", "b": "4"}),
    (
        "MulBackward0 (a) runs with g = 7",
        {"y": "1", "c": "1", "a": "7", "b": "4", "x": "28 (2 of 3)"},
    ),
    (
        "MulBackward0 (b) runs with g = 4",
        {"y": "1", "c": "1", "a": "7", "b": "4", "x": "40"},
    ),
    (
        "Delivery: the sums go to the leaves",
        {"y": "1", "c": "1", "a": "7", "b": "4", "x": "40"},
    ),
]


def diamond():
    x = torch.tensor(2.0, requires_grad=True)
    a = x * x
    b = 3 * x
    c = a * b
    y = a + c
    return step_through(y, names={"x": x, "a": a, "b": b, "c": c, "y": y})


def neuron():
    w = torch.tensor([0.5, -1.0], requires_grad=True)
    return step_through(((w * torch.tensor([2.0, 1.0])).sum() + 0.25).tanh())


@pytest.fixture(scope="module")
def browser():
    with checks.chromium(path_of_chromium()) as browser:
        yield browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("players")
    players = "".join(
        f"<figure>{shown._repr_mimebundle_()['text/html']}"
        f"<figcaption>{name}</figcaption></figure>"
        for name, shown in [("A diamond.", diamond()), ("A neuron.", neuron())]
    )
    colours = (STATIC / "colours.css").read_text(encoding="utf-8")
    page = PAGE.format(colours=colours, players=players)
    (folder / "page.html").write_text(page, encoding="utf-8")
    return folder


@contextmanager
def opened(browser, folder, *, clock=False, width=1280, **options):
    """Open the page with the two players; hand out the first, and what it did."""
    options = {"color_scheme": "light", "reduced_motion": "reduce", **options}
    context = browser.new_context(viewport={"width": width, "height": 900}, **options)
    page = context.new_page()
    seen = checks.Visit(page, folder)
    page.on("request", lambda request: seen.requests.append(request.url))
    page.on("pageerror", lambda error: seen.complaints.append(str(error)))
    page.on("console", lambda message: seen.complaints.append(message.text))
    if clock:
        page.clock.install()
    try:
        seen.go("page.html")
        yield SimpleNamespace(
            seen=seen, page=page, player=page.locator(".mg-player").first
        )
    finally:
        context.close()
    assert seen.complaints == []
    assert checks.requests_outside(seen) == []


def press(it, name):
    button = it.player.get_by_role("button", name=name, exact=True)
    button.click(force=True)  # also one that can do nothing now


def heading(it):
    return it.player.locator(".mg-told p").inner_text()


def sums(it):
    """What the drawing shows, by the name in the shape (a mailbox is its leaf's)."""
    found = it.player.locator("svg").evaluate(
        """(svg) => [...svg.querySelectorAll(".mg-sum")].map((sum) => [
             sum.parentNode.textContent.slice(0, -sum.textContent.length || undefined),
             sum.textContent])"""
    )
    named = {
        "x" if name == "AccumulateGrad" else name.removesuffix(" ()")[-1]: text
        for name, text in found
    }
    return {name: text for name, text in named.items() if text != "–"}


def expect_frame(it, k):
    expected, shown = FRAMES[k]
    assert heading(it) == expected
    assert sums(it) == shown
    assert it.player.locator("output").inner_text() == f"{k + 1} of {len(FRAMES)}"
    assert it.player.locator("input").input_value() == str(k)
    listed = it.player.locator(".mg-frames > li").nth(k).inner_html()
    assert it.player.locator(".mg-told").inner_html() == listed


# ---------------------------------------------------------------------------- steering


def test_it_opens_at_the_start_with_the_list_folded(browser, folder):
    with opened(browser, folder) as it:
        expect_frame(it, 0)
        assert it.player.locator(".mg-stage").is_visible()
        assert it.player.locator("details").get_attribute("open") is None
        assert it.player.locator("details summary").inner_text() == (
            "All 6 steps in words"
        )


def test_the_buttons(browser, folder):
    with opened(browser, folder) as it:
        for k in range(1, len(FRAMES)):
            press(it, "Next")
            expect_frame(it, k)
        press(it, "Next")
        expect_frame(it, len(FRAMES) - 1)
        press(it, "Back")
        expect_frame(it, 4)
        press(it, "First")
        expect_frame(it, 0)
        press(it, "Back")
        expect_frame(it, 0)
        press(it, "Last")
        expect_frame(it, 5)


def test_a_button_that_can_do_nothing_says_so_and_keeps_the_focus(browser, folder):
    with opened(browser, folder) as it:
        button = it.player.get_by_role("button", name="Next")
        assert button.get_attribute("aria-disabled") == "false"
        button.focus()
        for _ in FRAMES:
            it.page.keyboard.press("Enter")
        assert button.get_attribute("aria-disabled") == "true"
        assert button.evaluate("(b) => document.activeElement === b")


KEYS = [
    ("ArrowRight", 1),
    ("ArrowDown", 2),
    ("ArrowRight", 3),
    ("ArrowLeft", 2),
    ("ArrowUp", 1),
    ("End", 5),
    ("ArrowRight", 5),
    ("Home", 0),
    ("ArrowLeft", 0),
]


@pytest.mark.parametrize("inside", ["button:text('Next')", "input", ".mg-stage"])
def test_the_keys_work_wherever_the_focus_is_inside(browser, folder, inside):
    with opened(browser, folder) as it:
        it.player.locator(inside).first.focus()
        for key, k in KEYS:
            it.page.keyboard.press(key)
            expect_frame(it, k)


def test_a_click_on_the_drawing_lets_the_keys_work(browser, folder):
    with opened(browser, folder) as it:
        it.player.locator("svg").click()
        it.page.keyboard.press("ArrowRight")
        expect_frame(it, 1)


def test_keys_outside_are_left_alone(browser, folder):
    with opened(browser, folder) as it:
        it.page.keyboard.press("ArrowRight")
        it.page.keyboard.press("End")
        expect_frame(it, 0)
        it.player.locator("svg").click()
        it.page.keyboard.press("Control+ArrowRight")
        expect_frame(it, 0)


def test_the_scrubber(browser, folder):
    with opened(browser, folder) as it:
        for k in (3, 1, 5, 0):
            it.player.locator("input").fill(str(k))
            expect_frame(it, k)
        value = it.player.locator("input").get_attribute("aria-valuetext")
        assert value == "Step 1 of 6"


def test_it_plays_pauses_and_begins_again(browser, folder):
    with opened(browser, folder, clock=True) as it:
        press(it, "Play")
        for k in (1, 2):
            it.page.clock.run_for(1800)
            expect_frame(it, k)
        press(it, "Pause")
        it.page.clock.run_for(9000)
        expect_frame(it, 2)
        press(it, "Play")
        it.page.clock.run_for(9000)
        expect_frame(it, 5)
        assert it.player.get_by_role("button", name="Play").count() == 1
        press(it, "Play")
        expect_frame(it, 0)


@pytest.mark.parametrize("inside", ["input", ".mg-stage", "button:text('Next')"])
def test_a_space_plays_or_presses_the_button_that_has_the_focus(
    browser, folder, inside
):
    with opened(browser, folder, clock=True) as it:
        it.player.locator(inside).focus()
        it.page.keyboard.press("Space")
        if "Next" in inside:
            expect_frame(it, 1)
        else:
            it.page.clock.run_for(1800)
            expect_frame(it, 1)
            it.page.keyboard.press("Space")
            it.page.clock.run_for(9000)
            expect_frame(it, 1)


def test_it_never_starts_by_itself(browser, folder):
    with opened(browser, folder, clock=True, reduced_motion="no-preference") as it:
        it.page.clock.run_for(60_000)
        expect_frame(it, 0)


def test_two_players_on_a_page_do_not_meddle(browser, folder):
    with opened(browser, folder) as it:
        other = it.page.locator(".mg-player").nth(1)
        press(it, "Next")
        press(it, "Next")
        assert other.locator("output").inner_text() == "1 of 6"
        other.get_by_role("button", name="Last").click()
        expect_frame(it, 2)
        assert "Delivery" in other.locator(".mg-told").inner_text()


# ------------------------------------------------------------------------ what is seen


def test_the_drawing_shows_who_is_at_work_and_what_is_sent(browser, folder):
    with opened(browser, folder) as it:
        press(it, "Next")
        press(it, "Next")
        now = it.player.locator(".mg-now")
        assert now.count() == 1
        assert "c ()" in now.text_content()
        labels = it.player.locator(".mg-sent .mg-label").all_text_contents()
        assert sorted(labels) == ["4", "6"]
        assert it.player.locator(".mg-done").count() == 1
        press(it, "Last")
        assert it.player.locator(".mg-sent .mg-label").all_text_contents() == ["40"]
        press(it, "First")
        assert it.player.locator(".mg-sent, .mg-done").count() == 0


def test_each_frame_is_announced_but_not_while_it_plays(browser, folder):
    with opened(browser, folder, clock=True) as it:
        told = it.player.locator(".mg-told")
        assert told.get_attribute("aria-live") == "polite"
        assert told.get_attribute("aria-atomic") == "true"
        press(it, "Play")
        assert told.get_attribute("aria-live") == "off"
        press(it, "Pause")
        assert told.get_attribute("aria-live") == "polite"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_can_be_read_and_used_by_all(browser, folder, scheme):
    with opened(browser, folder, color_scheme=scheme) as it:
        for k in range(2, len(FRAMES), 2):
            press(it, "Next")
            press(it, "Next")
            expect_frame(it, k)
        colours = it.page.evaluate(
            """() => {
              const style = (what) => getComputedStyle(document.querySelector(what));
              const hex = (colour) => "#" + colour.match(/\\d+/g).slice(0, 3)
                .map((n) => Number(n).toString(16).padStart(2, "0")).join("");
              return [style("body").backgroundColor, style(".mg-sum").fill,
                style(".mg-stage").color, style(".mg-now path").stroke].map(hex);
            }"""
        )
        paper, number, ink, mark = colours
        assert contrast(paper, number) >= 4.5
        assert contrast(paper, ink) >= 4.5
        assert contrast(paper, mark) >= 3
        it.page.evaluate(
            "document.querySelectorAll('details').forEach((d) => (d.open = true))"
        )
        assert checks.barriers(it.seen) == []


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_nothing_moves_for_those_who_want_it_still(browser, folder, motion):
    with opened(browser, folder, reduced_motion=motion) as it:
        durations = it.player.evaluate(
            """(player) => [...player.querySelectorAll("*")].flatMap((e) => {
              const style = getComputedStyle(e);
              return [style.transitionDuration, style.animationDuration];
            })"""
        )
        assert ({*durations} == {"0s"}) == (motion == "reduce")


@pytest.mark.parametrize("width", [320, 390])
def test_on_a_telephone(browser, folder, width):
    with opened(browser, folder, width=width, has_touch=True) as it:
        for k in range(1, len(FRAMES)):
            it.player.get_by_role("button", name="Next").tap()
            expect_frame(it, k)
            assert checks.sideways(it.seen) == []
        boxes = [b.bounding_box() for b in it.player.get_by_role("button").all()]
        assert min(box["height"] for box in boxes) >= 24
        assert min(box["width"] for box in boxes) >= 24
        drawing = it.player.locator("svg").bounding_box()
        bar = it.player.locator(".mg-bar").bounding_box()
        assert drawing["y"] + drawing["height"] <= bar["y"]


def test_the_page_below_does_not_jump(browser, folder):
    with opened(browser, folder, width=390) as it:
        it.page.wait_for_function("document.querySelector('.mg-told').style.minHeight")
        caption = it.page.locator("figcaption").first
        places = []
        for _ in FRAMES:
            places.append(round(caption.bounding_box()["y"]))
            press(it, "Next")
        assert len(set(places)) == 1


# ----------------------------------------------------------------- without the buttons


def test_without_scripts_the_words_are_there(browser, folder):
    with opened(browser, folder, java_script_enabled=False) as it:
        assert not it.player.locator(".mg-stage").is_visible()
        steps = it.player.locator(".mg-frames > li")
        assert steps.count() == len(FRAMES)
        for k, (words, _) in enumerate(FRAMES):
            assert steps.nth(k).is_visible()
            assert words in steps.nth(k).inner_text()


def test_on_paper_the_words_replace_the_player(browser, folder):
    with opened(browser, folder) as it:
        it.page.evaluate("dispatchEvent(new Event('beforeprint'))")
        it.page.emulate_media(media="print")
        assert not it.player.locator(".mg-stage").is_visible()
        assert it.player.locator(".mg-frames > li").last.is_visible()
        it.page.emulate_media(media="screen")
        it.page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert it.player.locator("details").get_attribute("open") is None


def test_the_words_unfold_by_keyboard(browser, folder):
    with opened(browser, folder) as it:
        it.player.locator("summary").focus()
        it.page.keyboard.press("Enter")
        assert it.player.locator(".mg-frames > li").last.is_visible()


# ------------------------------------------------------------------- in the book itself

WITH_PLAYER = [html_of(c) for c in toc.chapters() if "graph" in c.path]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("page", WITH_PLAYER)
def test_the_players_of_the_book(browser, built_book, page, scheme):
    with checks.visit(browser, built_book, page, scheme=scheme) as seen:
        players = seen.page.locator(".mg-player")
        assert players.count() > 0
        for player in players.all():
            for _ in range(3):
                player.get_by_role("button", name="Next").click()
            assert player.locator("output").inner_text().startswith("4 of ")
            seen.page.keyboard.press("End")
            assert "Delivery" in player.locator(".mg-told").inner_text()
        assert seen.complaints == []
        assert checks.requests_outside(seen) == []
