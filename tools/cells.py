"""Read and write notebooks, name a cell so that it can be found, report a problem."""

import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import nbformat
from nbformat.v4 import nbjson

VALID_ID = re.compile(r"[a-zA-Z0-9_-]{1,64}")
CONFLICT = re.compile(r"^(<{7}|\|{7}|>{7})( |$)", re.MULTILINE)


class NotebookError(Exception):
    """A file is not a notebook that can be worked with; the message says why."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong: where it is, what it is, and what to do about it."""

    where: str
    what: str
    remedy: str

    def __str__(self) -> str:
        """Lay the three out below each other."""
        indented = "\n".join(f"    {line}".rstrip() for line in self.what.splitlines())
        return f"{self.where}\n{indented}\n  → {self.remedy}"


def report(problems: Iterable[Problem], stream: TextIO | None = None) -> None:
    """Print problems, one paragraph each, to ``stream`` (standard error)."""
    for problem in problems:
        print(f"\n{problem}", file=stream or sys.stderr)


def place(notebook: object, number: int, cell: nbformat.NotebookNode) -> str:
    """Name a cell so that it can be found: notebook, position, prompt, id.

    ``number`` counts all cells of the notebook from 1. The prompt is the ``[7]`` that
    Jupyter shows beside a code cell that has run.
    """
    count = cell.get("execution_count")
    prompt = f"[{count}], " if count else ""
    return f"{notebook}, cell {number} ({prompt}id {cell.get('id', 'missing')})"


def first_line(cell: nbformat.NotebookNode) -> str:
    """Return a cell's first line that says something, or an empty string."""
    lines = (line.strip() for line in cell.source.splitlines())
    return next((line for line in lines if line), "")


def tags(cell: nbformat.NotebookNode) -> list[str]:
    """Return a cell's tags."""
    return cell.metadata.get("tags", [])


def has_code(cell: nbformat.NotebookNode) -> bool:
    """True for a code cell with something in it: what Jupyter runs and numbers."""
    return cell.cell_type == "code" and bool(cell.source.strip())


def read(path: Path) -> nbformat.NotebookNode:
    """Read a notebook as nbformat 4.5: sources are strings, each cell has an id.

    Raises
    ------
    NotebookError
        If the file cannot be read, is not JSON, or is not a valid notebook.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NotebookError(f"the file cannot be read: {error}") from error
    return loads(text)


def loads(text: str) -> nbformat.NotebookNode:
    """Parse the text of a notebook file; see `read`."""
    try:
        data = json.loads(text)
    except ValueError as error:
        conflict = " (a merge conflict was left in it)" * bool(CONFLICT.search(text))
        raise NotebookError(f"the file is not valid JSON{conflict}: {error}") from None
    if not isinstance(data, dict) or data.get("nbformat") != 4:
        raise NotebookError("the file is not a notebook in format 4")
    data["nbformat_minor"] = 5
    try:
        give_ids(data["cells"])
        nbformat.validate(data)
    except nbformat.ValidationError as error:
        location = "/".join(str(step) for step in error.absolute_path)
        message = error.message.splitlines()[0][:200]
        raise NotebookError(
            f"the notebook is invalid at {location or 'its top'}: {message}"
        ) from None
    except (KeyError, TypeError, AttributeError) as error:
        raise NotebookError(f"the notebook has no usable cells: {error!r}") from None
    notebook = nbjson.to_notebook(data)
    for cell in notebook.cells:
        cell.source = cell.source.replace("\r\n", "\n")
    return notebook


def give_ids(cells: list[dict]) -> None:
    """Give an id to each cell that has none, an invalid one, or an earlier cell's.

    A new id follows from the cell's position, type and source, so that doing the same
    twice gives the same notebook.
    """
    taken: set[str] = set()
    nameless = []
    for position, cell in enumerate(cells):
        identity = cell.get("id")
        if _is_valid(identity) and identity not in taken:
            taken.add(identity)
        else:
            nameless.append((position, cell))
    for position, cell in nameless:
        source = "".join(cell["source"])
        seed = f"{position}\n{cell['cell_type']}\n{source}"
        while (identity := hashlib.sha256(seed.encode()).hexdigest()[:8]) in taken:
            seed += "'"
        taken.add(identity)
        cell["id"] = identity


def _is_valid(identity: object) -> bool:
    return isinstance(identity, str) and bool(VALID_ID.fullmatch(identity))


def dumps(notebook: nbformat.NotebookNode) -> str:
    """Return the text of a notebook file: one way to write each notebook."""
    return nbjson.writes(notebook) + "\n"


def write(notebook: nbformat.NotebookNode, path: Path) -> bool:
    """Write a notebook, unless the file already holds just that; True if written."""
    return write_text(path, dumps(notebook))


def write_text(path: Path, text: str) -> bool:
    """Write a file in one step, unless it already holds ``text``; True if written.

    The file is replaced as a whole or left as it was, never half written. Lines end
    in LF on every system.
    """
    content = text.encode("utf-8")
    if path.is_file() and path.read_bytes() == content:
        return False
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        draft.write_bytes(content)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    return True
