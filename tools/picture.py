"""Draw the map of the book as a picture that stands alone, for the README.

    python tools/picture.py            write book/_static/journey.svg
    python tools/picture.py --check    fail if that file is out of date

It is the map of the home page with its style sheets inside, light or dark as the
reader's system is.
"""

import argparse
import re
import sys
from dataclasses import replace
from pathlib import Path

import cells
from sphinxext import drawing
from sphinxext.journey import read_stops
from toc import ROOT

STATIC = Path("book", "_static")
PICTURE = STATIC / "journey.svg"
MARGIN = 20
LABEL = "Map of the book: each chapter and the files of minigrad that it builds"


def picture(root: Path = ROOT) -> str:
    """Return the text of the picture."""
    stops = [
        replace(stop, href="", pieces=tuple(replace(p, href="") for p in stop.pieces))
        for stop in read_stops(root)
    ]
    svg = drawing.draw(stops, drawing.WIDE, LABEL)
    size = re.search(r'viewBox="0 0 (\S+) (\S+)" style="[^"]*"', svg)
    width, height = (float(number) + 2 * MARGIN for number in size.groups())
    frame = (
        f'xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}" '
        f'viewBox="{-MARGIN} {-MARGIN} {width:g} {height:g}"'
    )
    head, body = svg.replace(size[0], frame, 1).split(">", 1)
    return f"{head}>\n<style>\n{style(root)}</style>\n{body}\n"


def style(root: Path = ROOT) -> str:
    """Return the colours and the rules of the map, as a lone picture needs them."""
    colours, rules = (
        re.sub(r"(?s)/\*.*?\*/\s*", "", (root / STATIC / name).read_text("utf-8"))
        for name in ("colours.css", "map.css")
    )
    light, dark = colours.split('html[data-theme="dark"]')
    dark = f"@media (prefers-color-scheme: dark) {{ :root {dark} }}\n"
    return f"{light}{dark}svg {{ background: var(--bk-paper) }}\n{rules}"


def main(arguments: list[str] | None = None) -> int:
    """Write the picture, or compare."""
    parser = argparse.ArgumentParser(description="Draw the map of the book.")
    parser.add_argument("--check", action="store_true", help="compare, do not write")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    file, drawn = options.root / PICTURE, picture(options.root)
    if not options.check:
        cells.write_text(file, drawn)
    elif not file.is_file() or file.read_bytes() != drawn.encode():
        print(f"{PICTURE} is out of date: run tools/picture.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
