"""tools/drawings.py: the same picture is the same, another one is not."""

import pytest

import drawings
from bookkit import figures

FIGURE = (
    '<figure class="bk-figure" id="fig-x">\n'
    '<svg viewBox="0 0 460 260" role="img" aria-label="A curve" '
    'style="width:100%;max-width:614px">'
    '<defs><clipPath id="x-p1"><rect x="9" y="9" width="400" height="200"/></clipPath>'
    '<path id="x-g2" d="M 0 0 L 3 4 Z"/></defs>'
    '<path d="M 10 20 L 30.5 41.25 C 1 2 3 4 5 6" clip-path="url(#x-p1)" '
    'style="stroke:var(--fig-0, #0072b2);stroke-width:1.8"/>'
    '<use href="#x-g2" x="30.5" y="41.25" transform="translate(5 6)"/>'
    '<g transform="translate(12.5 7) rotate(-90) scale(0.1 -0.1)"/>'
    '<g transform="rotate(-90 12 14)"/><g transform="matrix(1 0 0 1 7 8)"/>'
    "<text>1.0</text></svg>\n<figcaption>How it falls.</figcaption></figure>"
)

SAME = {
    "nothing": ("", ""),
    "a point": ("30.5 41.25 C", "31.2 40.6 C"),
    "a mark": ('y="41.25"', 'y="41.9"'),
    "a shift": ("translate(5 6)", "translate(5.5 5.5)"),
    "a centre of rotation": ("rotate(-90 12 14)", "rotate(-90 12.5 14.5)"),
    "an offset": ("matrix(1 0 0 1 7 8)", "matrix(1 0 0 1 7.5 7.5)"),
    "a frame": ('viewBox="0 0 460 260"', 'viewBox="0 0 460.4 259.7"'),
    "a way to write a number": ('height="200"', 'height="2e2"'),
    "white space": ("M 10 20 L", "M 10  20\nL"),
    "the name of an id": ("x-p1", "x-p9"),
    "the order of attributes": ('x="30.5" y="41.25"', 'y="41.25" x="30.5"'),
}
ANOTHER = {
    "a point": ("30.5 41.25 C", "30.5 42.25 C", "svg/path[2]: d …"),
    "a mark": ('y="41.25"', 'y="43"', "svg/use[3]: y …"),
    "a shift": ("translate(5 6)", "translate(5 8)", "transform"),
    "a scale": ("scale(0.1 -0.1)", "scale(0.11 -0.1)", "transform"),
    "an angle": ("rotate(-90 12", "rotate(-89.5 12", "transform"),
    "a matrix": ("matrix(1 0", "matrix(1.1 0", "transform"),
    "a transformation": ("translate(5 6)", "skewX(5)", "transform"),
    "a command": ("L 30.5", "M 30.5", "d …"),
    "more points": ("C 1 2", "L 9 9 C 1 2", "d …"),
    "a colour": ("#0072b2", "#0072b3", "style"),
    "a width of line": ("width:1.8", "width:1.9", "style"),
    "a width of page": ("614px", "615px", "style"),
    "a label": ("1.0<", "1.1<", "the text '1.0' became '1.1'"),
    "text between": ("<text>", "x<text>", "the text after it"),
    "the alternative": ("A curve", "A line", "aria-label"),
    "a reference": ("#x-g2", "#x-p1", "href"),
    "an attribute": (' role="img"', "", "its attributes"),
    "an element": ("<text>1.0</text>", "", "svg/text[7] is missing"),
    "a new element": ("</svg>", "<g/></svg>", "svg/g[8] is new"),
    "another element": ("<text>1.0</text>", "<desc>1.0</desc>", "was svg/text[7]"),
    "the caption": ("How it falls", "How it rises", "what stands around the drawing"),
    "a second drawing": ("</figure>", "<svg></svg></figure>", "around the drawing"),
    "no XML": ("</text>", "</txt>", "not well-formed"),
}


@pytest.mark.parametrize("name", SAME)
def test_what_nobody_can_see_makes_no_difference(name):
    old, new = SAME[name]
    assert old in FIGURE
    assert drawings.difference(FIGURE, FIGURE.replace(old, new)) is None


@pytest.mark.parametrize("name", ANOTHER)
def test_what_can_be_seen_makes_a_difference(name):
    old, new, message = ANOTHER[name]
    assert old in FIGURE
    how = drawings.difference(FIGURE, FIGURE.replace(old, new, 1))
    assert how and message in how


def test_deviations_of_a_relative_path_add_up_and_so_count():
    path = '<svg><path d="m 0 0 l 1 1"/></svg>'
    assert drawings.difference(path, path.replace("1 1", "1 1.1"))


def curve(heights):
    """Draw a curve with the book's own helpers."""
    fig, ax = figures.plt.subplots()
    ax.plot(range(len(heights)), heights, marker="o")
    svg = figures.svg_text(fig, "x")
    figures.plt.close(fig)
    return figures.figure_html(svg, "x", alt="A curve " * 6, caption="Falls.")


def test_a_changed_curve_is_caught_and_a_last_digit_is_not():
    heights = [0.0, 0.3, 0.5, 0.2, 1.0]
    drawn = curve(heights)
    assert drawings.has_drawing(drawn)
    assert drawings.difference(drawn, curve(heights)) is None
    assert drawings.difference(drawn, curve([0.0, 0.3 + 1e-3, 0.5, 0.2, 1.0])) is None
    assert "d …" in drawings.difference(drawn, curve([0.0, 0.31, 0.5, 0.2, 1.0]))
    assert drawings.difference(drawn, curve([0.0, 0.3, 0.5, 0.2, 2.0]))
