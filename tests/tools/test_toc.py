"""tools/toc.py: the order, numbers and titles of the chapters."""

import subprocess
import sys

import pytest

import toc

PARTS = """
    format: jb-book
    root: book/index
    parts:
      - caption: Front
        chapters:
          - file: book/intro
      - caption: Part I
        numbered: true
        chapters:
          - file: book/zebra
            sections:
              - file: book/stripes.ipynb
              - file: book/note.md
          - file: book/ape.ipynb
      - caption: Part II
        numbered: true
        chapters:
          - url: https://example.org
          - file: book/bee
      - caption: Back
        chapters:
          - file: book/appendix
"""


@pytest.fixture
def parts(book):
    for name in ("intro", "zebra", "stripes", "ape", "bee", "appendix"):
        book.chapter(name, f"# The {name}", listed=False)
    (book.root / "book" / "note.md").write_text("# A note\n")
    book.contents(PARTS)
    return book


def summary(root):
    return [(c.number, c.path, c.title, c.part) for c in toc.chapters(root)]


def test_chapters_are_numbered_in_reading_order_across_parts(parts):
    assert summary(parts.root) == [
        (1, "book/zebra.ipynb", "The zebra", "Part I"),
        (2, "book/stripes.ipynb", "The stripes", "Part I"),
        (3, "book/ape.ipynb", "The ape", "Part I"),
        (4, "book/bee.ipynb", "The bee", "Part II"),
    ]


def test_documents_include_what_has_no_number(parts):
    listed = [(d.path, d.numbered) for d in toc.documents(parts.root)]
    assert listed[:2] == [("book/index.md", False), ("book/intro.ipynb", False)]
    assert ("book/note.md", True) in listed
    assert listed[-1] == ("book/appendix.ipynb", False)


def test_companions_are_notebooks_without_a_number(parts):
    found = toc.companions(parts.root)
    assert [d.path for d in found] == ["book/intro.ipynb", "book/appendix.ipynb"]
    assert str(found[0]) == "book/intro.ipynb"


def test_a_chapter_names_itself(parts):
    first = toc.chapters(parts.root)[0]
    assert str(first) == "Chapter 1 “The zebra” (book/zebra.ipynb)"
    assert first.file == parts.root / "book" / "zebra.ipynb"


@pytest.mark.parametrize(
    "numbering",
    [
        "options:\n  numbered: true",
        "defaults:\n  numbered: true",
        "options: {numbered: 2}",
    ],
)
def test_chapters_may_stand_at_the_top(book, numbering):
    book.chapter("one", listed=False)
    book.contents(
        f"format: jb-book\nroot: book/index\n{numbering}\n"
        "chapters:\n- file: book/one.ipynb\n"
    )
    assert [chapter.path for chapter in toc.chapters(book.root)] == ["book/one.ipynb"]


def test_without_numbered_there_are_no_chapters(book):
    book.chapter("one", listed=False)
    book.contents("format: jb-book\nroot: book/index\nchapters:\n- file: book/one\n")
    assert toc.chapters(book.root) == []


@pytest.mark.parametrize(
    ("source", "title"),
    [
        ("# Plain", "Plain"),
        ("Text\n\n# After text #", "After text"),
        ("```python\n# a comment\n```\n\n# Real", "Real"),
        ("~~~\n# tilde\n~~~\n# Real", "Real"),
        ("## Only a section", "one"),
        ("#hashtag", "one"),
    ],
)
def test_the_title_is_the_first_level_1_heading(book, source, title):
    path = book.chapter("one", "before")
    path.write_text(path.read_text().replace("# The story of one", "before"))
    (book.root / "book" / "one.md").write_text(source)
    assert toc.title_of(book.root / "book" / "one.md") == title


def test_a_broken_notebook_has_its_file_name_for_a_title(book):
    path = book.chapter("one")
    path.write_text("{")
    assert [chapter.title for chapter in toc.chapters(book.root)] == ["one"]


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("root: book/index\nformat: jb-book\nchapters: 3\n", "malformed"),
        ("root: [", "malformed"),
        ("format: jb-book\nchapters: []\n", "malformed"),
        (
            "format: jb-book\nroot: book/index\nchapters:\n- glob: book/*\n",
            "list the files one by one",
        ),
        (
            "format: jb-book\nroot: book/index\nchapters:\n"
            "- file: book/one\n- file: book/one.ipynb\n",
            "`book/one.ipynb` is listed more than once",
        ),
    ],
)
def test_a_malformed_table_of_contents_is_explained(book, contents, message):
    book.chapter("one", listed=False)
    book.contents(contents)
    with pytest.raises(toc.TocError, match=message):
        toc.chapters(book.root)


def test_every_missing_file_is_named_and_a_close_name_suggested(book):
    book.chapter("ch01-derivatives", listed=False)
    book.names += ["ch01-derivative", "nothing-like-it"]
    book.contents()
    with pytest.raises(toc.TocError) as error:
        toc.chapters(book.root)
    assert str(error.value) == (
        "_toc.yml: `book/ch01-derivative` names no file; "
        "did you mean `book/ch01-derivatives`?\n"
        "_toc.yml: `book/nothing-like-it` names no file"
    )


def test_an_ambiguous_name_is_an_error(book):
    book.chapter("one")
    (book.root / "book" / "one.md").write_text("# One\n")
    with pytest.raises(toc.TocError, match=r"could be book/one.ipynb or book/one.md"):
        toc.chapters(book.root)


def test_a_missing_table_of_contents_is_an_error(tmp_path):
    with pytest.raises(toc.TocError, match="there is no table of contents"):
        toc.chapters(tmp_path)


def test_the_command_lists_the_chapters(parts):
    command = [sys.executable, toc.__file__, "--root", str(parts.root)]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert shown.splitlines()[0].split(maxsplit=2) == [
        "1",
        "book/zebra.ipynb",
        "The zebra",
    ]
    (parts.root / "_toc.yml").unlink()
    failed = subprocess.run(command, capture_output=True, text=True)
    assert failed.returncode == 1 and "no table of contents" in failed.stderr
