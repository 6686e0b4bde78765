"""Make small books to test the tools on."""

import json
from copy import deepcopy
from pathlib import Path
from textwrap import dedent

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

import cells


def code(source: str, *tags: str, **metadata) -> NotebookNode:
    """Make a code cell that has not run."""
    return _tagged(new_code_cell(dedent(source).strip("\n")), tags, metadata)


def ran(source: str, *outputs: NotebookNode, tags=(), count=1, **metadata):
    """Make a code cell that has run, with its outputs."""
    cell = _tagged(new_code_cell(dedent(source).strip("\n")), tags, metadata)
    cell.execution_count, cell.outputs = count, list(outputs)
    return cell


def markdown(source: str, *tags: str, **metadata) -> NotebookNode:
    """Make a Markdown cell."""
    return _tagged(new_markdown_cell(dedent(source).strip("\n")), tags, metadata)


def module(path: str, source: str) -> NotebookNode:
    """Make an exported cell."""
    return code(f"#| file: {path}\n{dedent(source).strip()}")


def _tagged(cell: NotebookNode, tags, metadata) -> NotebookNode:
    if tags:
        cell.metadata.tags = list(tags)
    cell.metadata.update(metadata)
    return cell


def printed(text: str, name: str = "stdout") -> NotebookNode:
    """Make what a cell printed."""
    return new_output("stream", name=name, text=text)


def result(text: str, count: int = 1, **data: str) -> NotebookNode:
    """Make the value of a cell's last expression."""
    data = {kind.replace("_", "/"): value for kind, value in data.items()}
    return new_output(
        "execute_result", {"text/plain": text, **data}, execution_count=count
    )


def shown(**data: str) -> NotebookNode:
    """Make something displayed: ``shown(text_html="…")``."""
    data = {kind.replace("_", "/"): value for kind, value in data.items()}
    return new_output("display_data", data)


def raised(name: str, value: str, *traceback: str) -> NotebookNode:
    """Make the output of an exception."""
    return new_output("error", ename=name, evalue=value, traceback=list(traceback))


def notebook(*contents: NotebookNode | str) -> NotebookNode:
    """Make a notebook; text is Markdown. Ids are cell-1, cell-2, … by position."""
    contents = [markdown(c) if isinstance(c, str) else deepcopy(c) for c in contents]
    made = new_notebook(
        metadata={
            "kernelspec": {"display_name": "Python 3", "name": "python3"},
            "language_info": {"name": "python"},
        },
    )
    made.cells = contents
    for number, cell in enumerate(contents, start=1):
        cell.id = f"cell-{number}"
    return made


class Book:
    """A book in a folder of its own: chapters and a table of contents."""

    def __init__(self, root: Path):
        self.root = root
        self.names: list[str] = []

    def chapter(self, name: str, *contents: NotebookNode | str, listed=True) -> Path:
        """Write ``book/<name>.ipynb`` and append it to the table of contents."""
        path = self.root / "book" / f"{name}.ipynb"
        if not any(isinstance(c, str) and c.startswith("# ") for c in contents):
            contents = (f"# The story of {name}", *contents)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(cells.dumps(notebook(*contents)), encoding="utf-8")
        if listed:
            self.names.append(name)
            self.contents()
        return path

    def contents(self, text: str | None = None) -> None:
        """Write ``_toc.yml``: the chapters so far, or the given text."""
        index = self.root / "book" / "index.md"
        index.parent.mkdir(parents=True, exist_ok=True)
        index.write_text("# A small book\n", encoding="utf-8")
        entries = "".join(f"      - file: book/{name}\n" for name in self.names)
        text = text or (
            "format: jb-book\nroot: book/index\nparts:\n  - caption: Part I\n"
            f"    numbered: true\n    chapters:\n{entries}"
        )
        (self.root / "_toc.yml").write_text(dedent(text), encoding="utf-8")

    def read(self, path: str) -> str:
        """Return a file's text, with its line ends as they are."""
        return (self.root / path).read_bytes().decode("utf-8")

    def files(self) -> dict[str, bytes]:
        """Return the content of every file below the root."""
        return {
            path.relative_to(self.root).as_posix(): path.read_bytes()
            for path in sorted(self.root.rglob("*"))
            if path.is_file()
        }


def foreign_kernelspec(folder: Path) -> dict[str, str]:
    """Make a kernelspec ``python3`` that starts nothing; return the way to find it."""
    spec = folder / "kernels" / "python3" / "kernel.json"
    spec.parent.mkdir(parents=True)
    failing = {"argv": ["false"], "display_name": "Python 3", "language": "python"}
    spec.write_text(json.dumps(failing))
    return {"JUPYTER_PATH": str(folder), "JUPYTER_PREFER_ENV_PATH": "0"}


def rewrite(path: Path, change) -> None:
    """Change a notebook in place: ``change(notebook)``."""
    made = nbformat.read(path, as_version=4)
    change(made)
    path.write_text(cells.dumps(made), encoding="utf-8")
