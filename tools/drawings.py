"""Compare HTML outputs that hold drawings.

A figure's coordinates may differ between machines in digits that nobody can see. Two
drawings are the same when they have the same elements, attributes and text, and their
coordinates agree to within a pixel. What stands outside ``<svg>`` must be the same to
the letter.
"""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import zip_longest

TOLERANCE = 0.75  # points, the unit of the book's drawings: one pixel at full size
COORDINATES = {
    *("cx", "cy", "d", "dx", "dy", "fx", "fy", "height", "points", "r", "rx", "ry"),
    *("viewBox", "width", "x", "x1", "x2", "y", "y1", "y2"),
}
# How many leading numbers of each transformation are no coordinates. (Any other
# transformation must be the same to the letter.)
EXACT = {"translate": 0, "rotate": 1, "matrix": 4}
SVG = re.compile(r"(<svg\b.*?</svg>)", re.DOTALL)
NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
TRANSFORMATION = re.compile(r"(\w+)\s*\(([^)]*)\)")
REFERENCE = re.compile(r"(?<=^#)[^\s)]+|(?<=url\(#)[^\s)]+")


def difference(reference: str, found: str) -> str | None:
    """Say how ``found`` differs from ``reference``; None where a reader sees the same.

    Both are fragments of HTML with any number of ``<svg>`` elements.
    """
    old, new = SVG.split(reference), SVG.split(found)
    if old[::2] != new[::2]:
        return "what stands around the drawing differs"
    for before, after in zip(old[1::2], new[1::2], strict=True):
        if before != after and (how := _svg_difference(before, after)):
            return how
    return None


def has_drawing(html: str) -> bool:
    """True when a fragment of HTML holds an ``<svg>`` element."""
    return bool(SVG.search(html))


def _svg_difference(reference: str, found: str) -> str | None:
    """Compare two ``<svg>`` elements."""
    try:
        old, new = ET.fromstring(reference), ET.fromstring(found)
    except ET.ParseError as error:
        return f"the drawing is not well-formed ({error}), and its text differs"
    names = _renaming(old), _renaming(new)
    for before, after in zip_longest(_elements(old), _elements(new)):
        if before is None or after is None:
            path = (before or after)[0]
            return f"{path} is {'new' if before is None else 'missing'}"
        if how := _element_difference(before, after, names):
            return f"{after[0]}: {how}"
    return None


def _elements(root: ET.Element) -> Iterator[tuple[str, ET.Element]]:
    """Yield each element with a path that leads to it, in document order."""

    def below(element: ET.Element, path: str) -> Iterator[tuple[str, ET.Element]]:
        yield path, element
        for number, child in enumerate(element, start=1):
            yield from below(child, f"{path}/{_tag(child)}[{number}]")

    yield from below(root, _tag(root))


def _tag(element: ET.Element) -> str:
    return element.tag.rpartition("}")[2]


def _renaming(root: ET.Element) -> dict[str, str]:
    """Map the drawing's ids to their order: some are hashes of coordinates."""
    ids = (element.get("id") for element in root.iter())
    return {name: f"id{k}" for k, name in enumerate(filter(None, ids))}


def _element_difference(
    before: tuple[str, ET.Element],
    after: tuple[str, ET.Element],
    names: tuple[dict[str, str], dict[str, str]],
) -> str | None:
    """Compare two elements, without their children."""
    old, new = before[1], after[1]
    if before[0] != after[0]:
        return f"was {before[0]}"
    if (old.text or "").strip() != (new.text or "").strip():
        return f"the text {old.text!r} became {new.text!r}"
    if (old.tail or "").strip() != (new.tail or "").strip():
        return f"the text after it, {old.tail!r}, became {new.tail!r}"
    if old.attrib.keys() != new.attrib.keys():
        return f"its attributes {sorted(old.attrib)} became {sorted(new.attrib)}"
    for attribute, value in old.attrib.items():
        one = _renamed(attribute, value, names[0])
        two = _renamed(attribute, new.attrib[attribute], names[1])
        if how := _attribute_difference(attribute, one, two):
            return how
    return None


def _renamed(attribute: str, value: str, names: dict[str, str]) -> str:
    """Replace ids, and references to ids, by their order."""
    if attribute == "id":
        return names[value]
    return REFERENCE.sub(lambda match: names.get(match[0], match[0]), value)


def _attribute_difference(attribute: str, old: str, new: str) -> str | None:
    """Compare an attribute's two values, coordinates with tolerance."""
    if old == new:
        return None
    if attribute == "transform":
        same = _same_transformations(old, new)
    else:
        same = attribute in COORDINATES and _same_coordinates(old, new)
    if same:
        return None
    return f"{attribute} {_near_change(old, new)}"


def _same_coordinates(old: str, new: str, exact: int = 0) -> bool:
    """True when two lists of numbers agree: the first ``exact`` ones to the letter.

    A path with relative commands must agree to the letter: its deviations add up.
    """
    if NUMBER.sub("#", old).split() != NUMBER.sub("#", new).split():
        return False
    if re.search(r"[a-df-y]", NUMBER.sub("#", old)):
        return False
    pairs = list(zip(NUMBER.findall(old), NUMBER.findall(new), strict=True))
    return all(one == two for one, two in pairs[:exact]) and all(
        abs(float(one) - float(two)) <= TOLERANCE for one, two in pairs[exact:]
    )


def _same_transformations(old: str, new: str) -> bool:
    """True when two lists of transformations move things to the same places."""
    if TRANSFORMATION.sub("#", old) != TRANSFORMATION.sub("#", new):
        return False
    pairs = zip(TRANSFORMATION.findall(old), TRANSFORMATION.findall(new), strict=True)
    return all(
        one == two
        or (
            one[0] == two[0]
            and one[0] in EXACT
            and _same_coordinates(one[1], two[1], EXACT[one[0]])
        )
        for one, two in pairs
    )


def _near_change(old: str, new: str, around: int = 20) -> str:
    """Show the first place where two values differ, with a little context."""
    first = next(
        (k for k, (a, b) in enumerate(zip(old, new, strict=False)) if a != b),
        min(len(old), len(new)),
    )
    start = max(0, first - around)
    one, two = (text[start : first + around] for text in (old, new))
    return f"…{one}… became …{two}…"
