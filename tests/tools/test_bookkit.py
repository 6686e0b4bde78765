"""bookkit: checks that can fail, figures that can be read, tables that line up."""

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from types import SimpleNamespace

import numpy as np
import pytest

from bookkit import checks, table
from bookkit.checks import check, close, exercise, is_empty, raises


@pytest.fixture
def registered(monkeypatch):
    """Register checks in a chapter 99 that exists for this test only."""
    monkeypatch.setattr(checks, "_CHECKS", {})
    monkeypatch.setitem(sys.modules, "bookkit.exercises.ch99", object())

    @exercise("99.1")
    def doubling(double):
        yield "it doubles 3"
        close(double(3.0), 6.0)
        yield "it doubles every element"
        close(double(np.array([1.0, 2.0])), [2.0, 4.0])

    @exercise("99.2")
    def vacuous(anything):
        return
        yield


def test_a_right_answer_passes_and_lists_its_properties(registered):
    result = check("99.1", lambda x: 2 * x)
    assert result.passed and bool(result)
    assert repr(result).splitlines() == [
        "Exercise 99.1: passed.",
        "  ✓ it doubles 3",
        "  ✓ it doubles every element",
    ]


def test_a_wrong_answer_fails_at_the_first_property_that_does_not_hold(registered):
    result = check("99.1", lambda x: np.sum(x) * 2)
    assert not result.passed
    assert "✓ it doubles 3" in repr(result)
    assert "✗ it doubles every element" in repr(result)
    assert "shape ()" in repr(result) and "(2,)" in repr(result)


def test_an_exception_in_the_answer_is_a_failed_property(registered):
    result = check("99.1", lambda x: x.no_such_method())
    assert not result.passed
    assert "✗ it doubles 3" in repr(result) and "AttributeError" in repr(result)


def test_an_empty_cell_is_not_answered_yet(registered):
    def unanswered(x):
        """Double x."""
        ...

    for empty in (unanswered, ..., None):
        result = check("99.1", empty)
        assert not result.passed and "not answered yet" in repr(result)


def test_slips_in_the_call_raise(registered):
    with pytest.raises(KeyError, match="no exercise 99\\.7"):
        check("99.7", 1)
    with pytest.raises(TypeError):
        check("99.1", 1, 2)


def test_a_check_without_properties_is_refused(registered):
    with pytest.raises(RuntimeError, match="tests no property"):
        check("99.2", 1)


def test_emptiness_is_not_confused_with_small_answers():
    class Empty:
        def method(self):
            """Do nothing."""

    class Full:
        def method(self):
            return 1

    assert is_empty(Empty) and not is_empty(Full)
    assert not is_empty(lambda: 0) and not is_empty(0) and not is_empty(len)


@pytest.mark.parametrize(
    ("actual", "word"),
    [
        (None, "None"),
        (..., "..."),
        ([1.0, 2.0], "shape"),
        (1.0 + 1e-6, "expected"),
        (np.nan, "expected"),
        ("1.0", "numeric"),
    ],
)
def test_close_says_what_is_wrong(actual, word):
    with pytest.raises(AssertionError, match=re.escape(word)):
        close(actual, 1.0)


def test_close_is_relative_to_the_largest_expected_value():
    close(1e6 + 1e-3, 1e6)
    with pytest.raises(AssertionError):
        close(1e6 + 1.0, 1e6)


def test_raises_reports_a_call_that_returns():
    assert "bad" in raises(ValueError, _raise_value_error)
    with pytest.raises(AssertionError, match="returned 3"):
        raises(ValueError, lambda: 3)


def _raise_value_error():
    raise ValueError("bad")


# --------------------------------------------------------------------- figures


@pytest.fixture
def shown(monkeypatch):
    """Call ``show`` and return the bundle that a notebook would display."""
    from bookkit import figures

    bundles = []
    monkeypatch.setattr(figures, "display", lambda bundle, raw: bundles.append(bundle))

    def draw(**arguments):
        fig, ax = figures.plt.subplots()
        ax.plot([0, 1], [0, 1], label="a line")
        ax.legend()
        arguments = {
            "name": "ch99-line",
            "alt": 'A straight line rises from the origin to "one", one.',
            "caption": "A line & nothing else.",
        } | arguments
        figures.show(fig, arguments.pop("name"), **arguments)
        assert not figures.plt.get_fignums()
        return bundles[-1]

    return draw


def test_a_figure_is_labelled_svg_that_follows_the_theme(shown):
    markup = shown()["text/html"]
    figure = ET.fromstring(markup)
    svg = figure.find("{http://www.w3.org/2000/svg}svg")
    assert svg.get("role") == "img"
    assert svg.get("aria-label").startswith("A straight line")
    assert figure.find("figcaption").text == "A line & nothing else."
    assert "currentColor" in markup and "var(--fig-0, #0072b2)" in markup
    assert "#010203" not in markup and "<style" not in markup


def test_a_figure_is_the_same_twice_and_its_ids_are_its_own(shown):
    first, again, other = shown(), shown(), shown(name="ch99-other")
    assert first == again
    ids = [set(re.findall(r'\bid="([^"]+)"', b["text/html"])) for b in (first, other)]
    assert ids[0] and not ids[0] & ids[1]
    used = set(re.findall(r'(?:href="#|url\(#)([^")]+)', first["text/html"]))
    assert used and used <= ids[0]


def test_what_draws_itself_is_labelled_and_captioned_too(shown, monkeypatch):
    from bookkit import figures

    bundles = []
    monkeypatch.setattr(figures, "display", lambda bundle, raw: bundles.append(bundle))
    drawing = SimpleNamespace(html='<div><svg viewBox="0 0 1 1"/><svg/></div>')
    alt = "A drawing that came with an element of its own."
    figures.show(drawing, "ch99-own", alt=alt, caption="Its own.")
    figure = ET.fromstring(bundles[0]["text/html"])
    first, second = figure.iter("svg")
    assert (first.get("role"), first.get("aria-label")) == ("img", alt)
    assert second.attrib == {}
    assert figure.find("figcaption").text == "Its own."


@pytest.mark.parametrize(
    "fault", [{"alt": "A line."}, {"caption": " "}, {"name": "Ch99 line"}]
)
def test_a_figure_without_text_or_name_is_refused(shown, fault):
    with pytest.raises(ValueError, match="figure"):
        shown(**fault)


def test_bookkit_does_not_import_matplotlib_until_it_draws():
    code = "import bookkit, sys; assert 'matplotlib' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


# ---------------------------------------------------------------------- tables


def test_a_table_reads_in_html_and_in_plain_text():
    sample = table(["name", "shape"], [["`x`", (2, 3)], ["a<b", ()]], "Shapes")
    assert repr(sample).splitlines() == [
        "Shapes",
        "name  shape",
        "----  ------",
        "`x`   (2, 3)",
        "a<b   ()",
    ]
    markup = sample._repr_html_()
    assert "<caption>Shapes</caption>" in markup
    assert "<td><code>x</code></td>" in markup and "a&lt;b" in markup
    assert markup.count('scope="col"') == 2


def test_a_ragged_table_is_refused():
    with pytest.raises(ValueError, match="1 cells"):
        table(["a", "b"], [["only one"]])


def test_a_column_without_a_header_is_refused():
    with pytest.raises(ValueError, match="header"):
        table(["", "b"], [["1", "2"]])
