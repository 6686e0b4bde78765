"""The map of the book as SVG: chapters on the left, what they build on the right.

Pure functions from a list of `Stop` to text, so that the map can be tested, and drawn
elsewhere (in the README, say), without Sphinx. Sizes are in CSS pixels at natural size.
All colour comes from the style sheet through classes, which is how one drawing serves
light and dark pages, paper and high-contrast modes.

Each map is drawn twice, wide and narrow; the style sheet shows the one that fits. Links
are real links and text is real text, so the map is also its own text alternative.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import PurePosixPath

LINE = 21  # from one line of a title to the next
LETTER = 9.4  # a letter of a title, on average


@dataclass(frozen=True)
class Piece:
    """What one chapter adds to one file of minigrad."""

    path: str  # "minigrad/autograd/engine.py"
    names: tuple[str, ...] = ()  # the public functions and classes it defines
    href: str = ""  # where the chapter exports it
    founds: bool = True  # False when an earlier chapter began the file

    @property
    def folder(self) -> str:
        """The folder the file lies in, with its slash."""
        return self.path[: self.path.rindex("/") + 1]

    @property
    def file(self) -> str:
        """The name of the file."""
        return self.path[self.path.rindex("/") + 1 :]


@dataclass(frozen=True)
class Stop:
    """One chapter on the way."""

    number: int
    title: str
    part: str  # the caption of its part, "Part I — Derivatives of array functions"
    href: str = ""
    pieces: tuple[Piece, ...] = field(default=())


# ------------------------------------------------------------------- the whole journey


@dataclass(frozen=True)
class Frame:
    """The measures of one variant of the journey."""

    name: str
    width: int
    trail: int  # x of the line that joins the chapters
    text: int  # x of the titles
    letters: int  # to a line of a title
    bricks: int  # x of the pieces
    brick_letters: int  # to the line of names in a piece
    path_letters: int  # to the line above it
    card: bool  # pieces on a card beside the titles, or under each title


WIDE = Frame(
    name="wide",
    width=752,
    trail=18,
    text=52,
    letters=32,
    bricks=380,
    brick_letters=50,
    path_letters=38,
    card=True,
)
NARROW = Frame(
    name="narrow",
    width=340,
    trail=18,
    text=50,
    letters=30,
    bricks=50,
    brick_letters=42,
    path_letters=30,
    card=False,
)
BRICK, GAP, ROW = 50, 8, 22  # height of a piece, between pieces, between chapters
MARGIN, HEAD = 14, 44  # of the card: around the pieces, and above them


def journey(stops: Sequence[Stop], label: str) -> str:
    """The whole way, in both variants."""
    return "\n".join(draw(stops, frame, label) for frame in (WIDE, NARROW))


def draw(stops: Sequence[Stop], frame: Frame, label: str) -> str:
    """Lay the chapters out from top to bottom, a heading before each part."""
    drawn, dots, y = [], [], HEAD if frame.card else 0
    parts = list(dict.fromkeys(stop.part for stop in stops))
    part = None
    for stop in stops:
        hue = f"hue-{parts.index(stop.part) % 4 + 1}"
        if stop.part != part:
            markup, y = _heading(stop.part, frame, y, first=part is None)
            drawn.append(f'<g class="{hue}">{markup}</g>')
            part = stop.part
        markup, dot, height = _stop(stop, frame, y)
        drawn.append(f'<g class="stop {hue}" role="listitem">{markup}</g>')
        dots.append(dot)
        y += height + ROW
    height = y - ROW + (MARGIN if frame.card else 2)
    behind = _card(frame, height) if frame.card else ""
    body = f'{behind}{_trail(dots, frame.trail)}<g role="list">{"".join(drawn)}</g>'
    return _svg(body, frame.width, height, f"journey-{frame.name}", label)


def _heading(part: str, frame: Frame, y: float, first: bool) -> tuple[str, float]:
    """The caption of a part, and the y below it."""
    if first and frame.card:  # beside the head of the card
        return _text(part, frame.text, y - 18, "part"), y
    y += 18 if first else 30
    return _text(part, frame.text, y, "part"), y + 18


def _card(frame: Frame, height: float) -> str:
    """What the pieces lie on: the package."""
    x = frame.bricks - MARGIN
    return (
        f'<rect class="package" x="{x}" y="0.5" width="{frame.width - x - 0.5}" '
        f'height="{_n(height - 1)}" rx="12"/>'
        f'<text class="file" x="{frame.bricks + 2}" y="27">minigrad/'
        '<tspan class="names" dx="10">the package you build</tspan></text>'
    )


def _stop(stop: Stop, frame: Frame, y: float) -> tuple[str, float, float]:
    """One chapter: its markup, the y of its dot, and its height."""
    title = wrap(stop.title, frame.letters)
    lines = LINE * len(title)
    bricks = len(stop.pieces) * (BRICK + GAP) - GAP if stop.pieces else 0
    if frame.card:
        height = max(bricks, lines + 4, 38)
        dot, top = y + height / 2, y + (height - bricks) / 2
        baseline = dot - lines / 2 + 16
        width = frame.width - frame.bricks - MARGIN
    else:
        dot = y + max(lines, 34) / 2
        baseline = dot - lines / 2 + 16
        top = y + max(lines, 34) + 8
        height = top - y + bricks
        width = frame.width - frame.bricks - 1
    parts = [
        _link(
            f'<circle cx="{frame.trail}" cy="{_n(dot)}" r="16"/>'
            + _text(str(stop.number), frame.trail, dot + 5.5, "number")
            + _lines(title, frame.text, baseline, "title"),
            stop.href,
            f"Chapter {stop.number}: {stop.title}",
        )
    ]
    start = min(frame.text + LETTER * max(map(len, title)) + 10, frame.bricks - 34)
    for index, piece in enumerate(stop.pieces):
        at = top + index * (BRICK + GAP)
        parts.append(_brick(piece, frame, at, width))
        if frame.card:
            parts.append(_joint(start, dot, frame.bricks, at))
    return "".join(parts), dot, height


def _trail(dots: Sequence[float], x: int) -> str:
    """The line through all chapters."""
    if len(dots) < 2:
        return ""
    return f'<path class="trail" d="M{x} {_n(dots[0])}V{_n(dots[-1])}"/>'


def _joint(x0: float, y0: float, x1: float, top: float) -> str:
    """From a chapter's title to the piece whose upper edge is at ``top``."""
    y1, bend = top + BRICK / 2, x1 - 14
    path = f"M{_n(x0)} {_n(y0)}H{_n(bend - 14)}"
    if y0 == y1:
        path += f"H{_n(x1)}"
    else:
        path += f"C{_n(bend)} {_n(y0)} {_n(bend)} {_n(y1)} {_n(x1)} {_n(y1)}"
    dot = f'<circle class="plug" cx="{_n(x1)}" cy="{_n(y1)}" r="4"/>'
    return f'<path class="joint" d="{path}"/>{dot}'


def _brick(piece: Piece, frame: Frame, y: float, width: float) -> str:
    """One file, with the names that it gives to the reader's programs."""
    kind = "brick" if piece.founds else "brick adds"
    plus = "" if piece.founds else "adds to "
    folder = piece.folder
    if frame.card or len(plus + piece.path) > frame.path_letters:
        folder = folder.removeprefix("minigrad/")
    names = shorten(piece.names, frame.brick_letters)
    x, line = frame.bricks, y + (21 if names else BRICK / 2 + 5)
    markup = (
        f'<rect x="{x}" y="{_n(y)}" width="{_n(width)}" height="{BRICK}" rx="8"/>'
        f'<text class="file" x="{x + 16}" y="{_n(line)}"><tspan class="folder">'
        f"{plus}{escape(folder)}</tspan>{escape(piece.file)}</text>\n"
    )
    if names:
        markup += _text(names, x + 16, y + 39, "names")
    aloud = f"{'builds' if piece.founds else 'adds to'} {piece.path}"
    if piece.names:
        aloud += f": {', '.join(piece.names)}"
    return f'<g class="{kind}">{_link(markup, piece.href, aloud)}</g>'


# ------------------------------------------------------------- the package so far


LETTER = 7.0  # the width of a letter of a folder's name
FOLDED = 12  # from so many earlier files on, a chapter shows its own and folds the rest


def so_far(stops: Sequence[Stop], number: int, label: str) -> str:
    """The files built up to chapter ``number``, with that chapter's own marked.

    Where there are many, those of earlier chapters are folded away.
    """
    files: dict[str, tuple[Stop, Piece]] = {}  # each once, where it was founded
    for stop in stops[:number]:
        for piece in stop.pieces:
            if piece.founds or stop.number == number:
                files[piece.path] = (stop, piece)
    own = [pair for pair in files.values() if pair[0].number == number]
    before = [pair for pair in files.values() if pair[0].number != number]
    if len(before) < FOLDED or not own:
        return _walls([*files.values()], number, label)
    return (
        f"{_walls(own, number, f'The files of chapter {number}')}\n"
        f'<details class="so-far"><summary>What it stands on: {len(before)} files of '
        f"earlier chapters</summary>\n{_walls(before, number, label)}\n</details>"
    )


def _walls(files: Sequence[tuple[Stop, Piece]], number: int, label: str) -> str:
    """The same wall twice: for wide pages, and for narrow ones."""
    walls = []
    for name, columns, width in (("wide", 3, 704), ("narrow", 2, 312)):
        if files:
            wall = _wall(files, number, columns, width)
            walls.append(_svg(*wall, f"so-far-{name}", label))
    return "\n".join(walls)


def _wall(
    files: Sequence[tuple[Stop, Piece]], number: int, columns: int, width: int
) -> tuple[str, int, int]:
    """Files side by side, in the order in which they were built; and its size."""
    step, drawn = (width + GAP) / columns, []
    for index, (stop, piece) in enumerate(files):
        row, column = divmod(index, columns)
        corner = (column * step + 1, row * (BRICK + GAP) + 1)
        drawn.append(_tile(stop, piece, corner, step - GAP - 2, stop.number == number))
    height = (row + 1) * (BRICK + GAP) - GAP + 2
    return f'<g role="list">{"".join(drawn)}</g>', width, height


def _tile(
    stop: Stop, piece: Piece, corner: tuple[float, float], width: float, now: bool
) -> str:
    """One file of the wall, with the number of the chapter that built it."""
    x, y = corner
    folder = piece.folder.removeprefix("minigrad/") or "minigrad/"
    if len(folder) > (width - 43) / LETTER:
        folder = f"…/{PurePosixPath(folder).name}/"
    markup = (
        f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(width)}" height="{BRICK}" '
        f'rx="8"/><circle cx="{_n(x + 20)}" cy="{_n(y + BRICK / 2)}" r="12"/>'
        + _text(str(stop.number), x + 20, y + BRICK / 2 + 4.5, "number")
        + _text(folder, x + 39, y + 20, "folder")
        + _text(piece.file, x + 39, y + 37, "file")
    )
    aloud = f"Chapter {stop.number}: {piece.path}{' (this chapter)' if now else ''}"
    link = _link(markup, "" if now else piece.href, aloud)
    return f'<g class="{"now" if now else "before"}" role="listitem">{link}</g>'


# ---------------------------------------------------------------------------- parts


def _svg(body: str, width: float, height: float, kind: str, label: str) -> str:
    """A labelled drawing that shrinks with the page."""
    return (
        f'<svg class="bk-map {kind}" viewBox="0 0 {_n(width)} {_n(height)}" '
        f'style="max-width:{_n(width)}px" role="group" aria-label="{escape(label)}">'
        f"{body}</svg>"
    )


def _link(markup: str, href: str, label: str) -> str:
    """``markup`` as a link, or as a labelled picture where there is nowhere to go."""
    if not href:
        return f'<g role="img" aria-label="{escape(label)}">{markup}</g>'
    return f'<a href="{escape(href)}">{markup}</a>'


def _text(text: str, x: float, y: float, kind: str) -> str:
    # The line break keeps this text and the next one apart when read aloud.
    return f'<text class="{kind}" x="{_n(x)}" y="{_n(y)}">{escape(text)}</text>\n'


def _lines(lines: Iterable[str], x: float, y: float, kind: str) -> str:
    spans = "\n".join(
        f'<tspan x="{_n(x)}" y="{_n(y + LINE * row)}">{escape(line)}</tspan>'
        for row, line in enumerate(lines)
    )
    return f'<text class="{kind}">{spans}</text>'


def _n(number: float) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")


def wrap(text: str, letters: int) -> list[str]:
    """Break ``text`` into the fewest lines of at most ``letters``, evenly filled."""
    lines = _fill(text.split(), letters)
    while letters > 1 and len(_fill(text.split(), letters - 1)) == len(lines):
        letters -= 1
        lines = _fill(text.split(), letters)
    return lines


def _fill(words: Sequence[str], letters: int) -> list[str]:
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + 1 + len(word) <= letters:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def shorten(names: Sequence[str], letters: int) -> str:
    """As many ``names`` as fit, then how many more there are."""
    if len(" · ".join(names)) <= letters:
        return " · ".join(names)
    for shown in range(len(names) - 1, 0, -1):
        text = f"{' · '.join(names[:shown])} and {len(names) - shown} more"
        if len(text) <= letters:
            return text
    return f"{len(names)} definitions"
