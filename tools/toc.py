"""Read the order of the book from ``_toc.yml``.

Chapters are the notebooks listed in parts with ``numbered: true``. They are numbered
1, 2, 3 … in reading order, across parts; the number is never taken from a file's name.
Everything else that is listed (the root, front and back matter) has no number.

    $ python tools/toc.py
    1  book/ch01-derivatives.ipynb  A derivative is a linear map
    2  book/ch02-jacobians.ipynb    Jacobians and their shapes
"""

import argparse
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

import yaml
from sphinx_external_toc.api import FileItem, GlobItem, SiteMap
from sphinx_external_toc.parsing import MalformedError, parse_toc_yaml

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = (".ipynb", ".md")


class TocError(Exception):
    """The table of contents cannot be used; the message says why, entry by entry."""


@dataclass(frozen=True)
class Document:
    """One entry of the table of contents."""

    path: str  # from the root of the repository, with forward slashes
    part: str  # the caption of the part it stands in
    numbered: bool
    root: Path

    @property
    def file(self) -> Path:
        """Where the document lies on this machine."""
        return self.root / self.path

    def __str__(self) -> str:
        """Name the document by its path."""
        return self.path


@dataclass(frozen=True)
class Chapter(Document):
    """A numbered notebook of the book."""

    number: int
    title: str

    def __str__(self) -> str:
        """Name the chapter as every message of the tools does."""
        return f"Chapter {self.number} “{self.title}” ({self.path})"


def chapters(root: Path = ROOT) -> list[Chapter]:
    """Return the chapters in reading order.

    Raises
    ------
    TocError
        If ``_toc.yml`` is missing or malformed, or names a file that does not exist.
    """
    notebooks = [
        document
        for document in documents(root)
        if document.numbered and document.path.endswith(".ipynb")
    ]
    return [
        Chapter(**vars(notebook), number=number, title=title_of(notebook.file))
        for number, notebook in enumerate(notebooks, start=1)
    ]


def documents(root: Path = ROOT) -> list[Document]:
    """Return every document of the book in reading order, the root first.

    Raises
    ------
    TocError
        As `chapters` does.
    """
    root = Path(root).resolve()
    site = _parse(root / "_toc.yml")
    found, problems = [], []
    for name, part, numbered in _walk(site):
        try:
            path = _locate(root, name)
        except TocError as problem:
            problems.append(str(problem))
        else:
            found.append(Document(path, part, numbered, root))
    problems += _repeated(found)
    if problems:
        raise TocError("_toc.yml: " + "\n_toc.yml: ".join(problems))
    return found


def companions(root: Path = ROOT) -> list[Document]:
    """Return the notebooks that are no chapters: front and back matter.

    Raises
    ------
    TocError
        As `chapters` does.
    """
    return [
        document
        for document in documents(root)
        if not document.numbered and document.path.endswith(".ipynb")
    ]


def title_of(path: Path) -> str:
    """Return the text of a document's first level-1 heading, or its file name.

    A notebook that cannot be read has its file name for a title: what is wrong with it
    is for others to report, and they name it by this title.
    """
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".ipynb":
            text = "\n".join(
                "".join(cell["source"])
                for cell in json.loads(text)["cells"]
                if cell["cell_type"] == "markdown"
            )
    except (OSError, ValueError, KeyError, TypeError):
        return path.stem
    return next(_headings(text), path.stem)


def _headings(markdown: str) -> Iterator[str]:
    """Yield the level-1 headings outside fenced code."""
    fence = ""
    for line in markdown.splitlines():
        marker = re.match(r" {0,3}(`{3,}|~{3,})", line)
        heading = re.match(r" {0,3}#\s+(.*?)\s*#*\s*$", line)
        if fence:
            fence = "" if line.strip() == fence else fence
        elif marker:
            fence = marker[1]
        elif heading and heading[1]:
            yield heading[1]


def _parse(path: Path) -> SiteMap:
    """Parse ``_toc.yml``, turning every way in which that fails into a `TocError`."""
    if not path.is_file():
        raise TocError(f"there is no table of contents: {path} does not exist")
    try:
        return parse_toc_yaml(path)
    except (MalformedError, yaml.YAMLError) as error:
        raise TocError(f"{path.name} is malformed: {error}") from error


def _walk(site: SiteMap) -> Iterator[tuple[str, str, bool]]:
    """Yield (name, part's caption, numbered) of each document in reading order."""

    def below(name: str, part: str, numbered: bool) -> Iterator[tuple[str, str, bool]]:
        for tree in site[name].subtrees:
            caption = tree.caption or part
            counted = numbered or bool(tree.numbered)
            for item in tree.items:
                if isinstance(item, GlobItem):
                    raise TocError(
                        f"_toc.yml: `glob: {item}` leaves the order of the chapters to "
                        "chance: list the files one by one"
                    )
                if isinstance(item, FileItem):
                    yield str(item), caption, counted
                    yield from below(str(item), caption, counted)

    yield site.root.docname, "", False
    yield from below(site.root.docname, "", False)


def _locate(root: Path, name: str) -> str:
    """Return the path of the file that an entry names, with its suffix."""
    given = Path(name)
    candidates = [given] if given.suffix in SUFFIXES else []
    candidates += [given.with_name(given.name + suffix) for suffix in SUFFIXES]
    existing = [path.as_posix() for path in candidates if (root / path).is_file()]
    if not existing:
        raise TocError(f"`{name}` names no file{_suggestion(root, given)}")
    if len(existing) > 1:
        raise TocError(f"`{name}` could be {' or '.join(existing)}: remove one of them")
    return existing[0]


def _suggestion(root: Path, missing: Path) -> str:
    """Say what the author may have meant, if anything is close."""
    folder = root / missing.parent
    stems = sorted({file.stem for file in folder.glob("*") if file.suffix in SUFFIXES})
    close = get_close_matches(missing.stem, stems, n=1)
    if not close:
        return ""
    return f"; did you mean `{(missing.parent / close[0]).as_posix()}`?"


def _repeated(found: list[Document]) -> list[str]:
    """Complain about documents that are listed twice (with and without suffix)."""
    paths = [document.path for document in found]
    twice = sorted({path for path in paths if paths.count(path) > 1})
    return [f"`{path}` is listed more than once" for path in twice]


def main(arguments: list[str] | None = None) -> int:
    """List the chapters."""
    parser = argparse.ArgumentParser(
        description="List the chapters of the book: number, notebook, title."
    )
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    try:
        found = chapters(parser.parse_args(arguments).root)
    except TocError as error:
        print(error, file=sys.stderr)
        return 1
    width = max((len(chapter.path) for chapter in found), default=0)
    for chapter in found:
        print(f"{chapter.number:2}  {chapter.path:{width}}  {chapter.title}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
