"""tools/picture.py: the map of the book for the README."""

from xml.etree import ElementTree

import picture
from tests.makebook import module
from toc import ROOT


def furnish(book):
    static = book.root / picture.STATIC
    static.mkdir(parents=True)
    for name in ("colours.css", "map.css"):
        (static / name).write_bytes((ROOT / picture.STATIC / name).read_bytes())
    book.chapter("first", "# Numbers & co", module("minigrad/a.py", '"""A."""'))


def run(book, *arguments):
    return picture.main([*arguments, "--root", str(book.root)])


def test_the_picture_stands_alone(book):
    furnish(book)
    assert run(book) == 0
    text = book.read("book/_static/journey.svg")
    root = ElementTree.fromstring(text)
    assert root.get("aria-label") == picture.LABEL
    assert "Numbers &amp; co" in text
    assert "a.py" in text
    assert "prefers-color-scheme: dark" in text
    for dependence in ("<a ", "url(", "@import", "data-theme"):
        assert dependence not in text


def test_a_picture_that_is_out_of_date_is_found(book, capsys):
    furnish(book)
    assert run(book, "--check") == 1
    run(book)
    assert run(book, "--check") == 0
    book.chapter("second", "# More", module("minigrad/b.py", '"""B."""'))
    assert run(book, "--check") == 1
    assert "run tools/picture.py" in capsys.readouterr().err
