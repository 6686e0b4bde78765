"""One style for every figure of the book, and one way to display a figure.

A figure is emitted as inline SVG inside ``<figure>``, so that a single drawing
serves light and dark pages:

* ink (text, axes, ticks) is drawn in ``INK`` and rewritten to ``currentColor``;
* the six colours of the cycle are rewritten to ``var(--fig-0, #0072b2)`` …
  ``var(--fig-5, …)``; the book's style sheet gives each a light and a dark value,
  and the fallback serves Jupyter, where no such variable exists;
* the background is transparent;
* ids are prefixed with the figure's name, so that two figures on one page never
  share an id; coordinates are rounded to a hundredth of a point.

Heat maps follow one convention: the hue gives the sign (``C0`` positive, ``C1``
negative), the opacity gives the size, and zero is fully transparent. Because only
opacity varies, a heat map needs no separate palette for dark pages.
"""

import html
import io
import re
from pathlib import Path

import matplotlib.pyplot as plt
from IPython.display import display
from matplotlib.figure import Figure

STYLE = Path(__file__).with_name("book.mplstyle")
INK = "#010203"
CYCLE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#9a6700", "#6e7781")
MINIMUM_ALT = 40

plt.style.use(STYLE)


def show(fig, name: str, *, alt: str, caption: str) -> None:
    """Display ``fig`` as inline SVG.

    Parameters
    ----------
    fig
        The matplotlib figure; it is closed afterwards, so that a notebook does not
        draw it a second time. Or an object whose ``html`` holds an ``<svg>`` element
        without a label: a drawing of a graph, or the player (Chapter 6).
    name
        Kebab-case name, unique in the book (``"ch01-u-curve"``). It becomes the
        figure's id, ``fig-ch01-u-curve``.
    alt
        What the picture shows, for a reader who cannot see it: the finding, in one
        to three sentences (at least 40 characters).
    caption
        One sentence under the figure, for everybody.

    Raises
    ------
    ValueError
        If the name is not kebab-case, or the text alternative or caption is missing.
    """
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name):
        raise ValueError(f"a figure's name is kebab-case, got {name!r}")
    if len(alt.strip()) < MINIMUM_ALT:
        raise ValueError(
            f"figure {name!r}: alt needs at least {MINIMUM_ALT} characters that say "
            "what the picture shows"
        )
    if not caption.strip():
        raise ValueError(f"figure {name!r} needs a caption")
    drawn = svg_text(fig, name) if isinstance(fig, Figure) else fig.html
    bundle = {
        "text/html": figure_html(drawn, name, alt=alt, caption=caption),
        "text/plain": f"Figure {name}: {alt.strip()}",
    }
    if isinstance(fig, Figure):
        plt.close(fig)
    display(bundle, raw=True)


def figure_html(svg: str, name: str, *, alt: str, caption: str) -> str:
    """Wrap a drawing in a captioned ``<figure>``, and label its ``<svg>`` element."""
    label = html.escape(alt.strip(), quote=True)
    svg = svg.replace("<svg ", f'<svg role="img" aria-label="{label}" ', 1)
    return (
        f'<figure class="bk-figure" id="fig-{name}">\n{svg}\n'
        f"<figcaption>{html.escape(caption.strip(), quote=False)}</figcaption>\n"
        "</figure>"
    )


def svg_text(fig: Figure, name: str) -> str:
    """``fig`` as a stand-alone ``<svg>`` element: deterministic, themable, compact."""
    buffer = io.StringIO()
    unsigned = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with plt.rc_context({"svg.hashsalt": name}):
        fig.savefig(buffer, format="svg", transparent=True, metadata=unsigned)
    svg = buffer.getvalue()
    svg = svg[svg.index("<svg") :].strip()
    return _fluid(_prefix_ids(_themed(_compact(svg)), name))


def _compact(svg: str) -> str:
    """Drop comments, metadata and the digits that nobody can see."""
    svg = re.sub(r"<!--.*?-->\s*|<metadata>.*?</metadata>\s*", "", svg, flags=re.S)

    def rounded(number: re.Match) -> str:
        text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
        return "0" if text == "-0" else text

    def shorten(attribute: re.Match) -> str:
        text = attribute[0].replace(" \n", " ").replace("\n", " ")
        return re.sub(r"-?\d+\.\d{3,}", rounded, text)

    svg = re.sub(r'\s(?:d|x|y|points|width|height)="[^"]*"', shorten, svg)
    return re.sub(r"translate\([^)]*\)", shorten, svg)


def _themed(svg: str) -> str:
    """Replace the style's colours by what the page's theme provides."""
    svg = svg.replace(INK, "currentColor")
    for index, colour in enumerate(CYCLE):
        svg = svg.replace(colour, f"var(--fig-{index}, {colour})")
    # matplotlib sets line joins in a style sheet, which would leak into the page, and
    # leaves the default fill black: both become properties of the drawing itself.
    svg = re.sub(
        r"<defs>\s*<style.*?</style>\s*</defs>\s*", "", svg, count=1, flags=re.S
    )
    defaults = 'fill="currentColor" stroke-linejoin="round" stroke-linecap="butt"'
    return svg.replace("<svg ", f"<svg {defaults} ", 1)


def _prefix_ids(svg: str, name: str) -> str:
    """Make every id in the drawing unique to this figure."""
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg)
    return re.sub(r"url\(#", f"url(#{name}-", svg)


def _fluid(svg: str) -> str:
    """Let the drawing shrink with the page, and never grow beyond its size."""
    head, rest = svg.split(">", 1)
    points = re.search(r'\swidth="([\d.]+)pt"', head)
    pixels = round(float(points[1]) * 4 / 3)
    head = re.sub(r'\s(?:width|height)="[\d.]+pt"', "", head)
    head = re.sub(r'\sxmlns:xlink="[^"]*"', "", head)
    rest = rest.replace("xlink:href=", "href=")
    return f'{head} style="width:100%;max-width:{pixels}px;height:auto">{rest}'
