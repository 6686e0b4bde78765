"""Notebooks as text: MyST Markdown, through jupytext, without loss.

Jupytext keeps a notebook's prose, code and cell metadata in the text. Ids, outputs and
attachments stay in the notebook and return to each cell that is recognised. Two things
are added here:

* A cell that MyST cannot hold as text (an empty Markdown cell, one that contains
  ``+++`` or an unclosed fence, a source that ends in blank lines, …) is carried whole,
  as a JSON string under ``verbatim`` in its metadata, and comes back as it was.
* A code cell whose source was edited comes back without outputs: they are those of
  another program. Executing the chapter makes new ones.
"""

import json
from copy import deepcopy

import jupytext
from jupytext.combine import map_outputs_to_inputs
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import cells

FORMAT = "md:myst"
VERBATIM = "verbatim"
STAND_IN = "The source of this cell is in its metadata: MyST cannot hold it as text."


def to_text(notebook: NotebookNode) -> str:
    """Return a notebook as MyST text; `from_text` brings back the same notebook.

    Raises
    ------
    NotebookError
        If the way back would not give the same notebook.
    """
    carried = new_notebook(cells=[_carry(cell) for cell in notebook.cells])
    text = _write(carried)
    if from_text(text, notebook) != notebook:
        raise cells.NotebookError(
            "the notebook cannot be turned into text without loss: edit it in Jupyter"
        )
    return text


def from_text(text: str, previous: NotebookNode | None = None) -> NotebookNode:
    """Return the notebook that a text describes.

    Cells that ``previous`` holds already keep their ids and attachments, and, where the
    source is the same, their outputs. New cells get ids that follow from their place
    and source.

    Raises
    ------
    NotebookError
        If the text cannot be parsed.
    """
    found = [_uncarry(cell) for cell in _parse(text)]
    old = previous.cells if previous else []
    matches = map_outputs_to_inputs(found, old)
    merged = [
        _nameless(cell) if match is None else _continue(old[match], cell)
        for cell, match in zip(found, matches, strict=True)
    ]
    cells.give_ids(merged)
    return NotebookNode(
        cells=merged,
        metadata=deepcopy(previous.metadata) if previous else NotebookNode(),
        nbformat=4,
        nbformat_minor=5,
    )


def _write(notebook: NotebookNode) -> str:
    """Let jupytext write cells with all their metadata."""
    header = {
        "jupytext": {"cell_metadata_filter": "all"},
        "kernelspec": {"display_name": "Python 3", "name": "python3"},
    }
    whole = new_notebook(cells=notebook.cells, metadata=header)
    return jupytext.writes(whole, fmt=FORMAT)


def _parse(text: str) -> list[NotebookNode]:
    """Let jupytext read the cells of a text."""
    try:
        return jupytext.reads(text, fmt=FORMAT).cells
    except Exception as error:  # jupytext's errors have no base class of their own
        raise cells.NotebookError(f"the text cannot be parsed: {error}") from error


def _carry(cell: NotebookNode) -> NotebookNode:
    """Return a cell as it goes into the text: as it is, or as a stand-in."""
    if _survives(cell):
        return cell
    stand_in = deepcopy(cell)
    stand_in.metadata[VERBATIM] = json.dumps(cell.source)
    stand_in.source = STAND_IN if cell.cell_type == "markdown" else f"# {STAND_IN}"
    return stand_in


def _uncarry(cell: NotebookNode) -> NotebookNode:
    """Undo `_carry`."""
    if VERBATIM in cell.metadata:
        cell.source = json.loads(cell.metadata.pop(VERBATIM))
    return cell


def _survives(cell: NotebookNode) -> bool:
    """Try whether a cell comes back from text as it was, and its neighbours too."""
    before, after = new_markdown_cell("before"), new_code_cell("after")
    trial = new_notebook(cells=[before, cell, after])
    try:
        back = _parse(_write(trial))
    except cells.NotebookError:
        return False
    return list(map(_content, back)) == list(map(_content, trial.cells))


def _content(cell: NotebookNode) -> tuple:
    return cell.cell_type, cell.source, cell.metadata


def _nameless(cell: NotebookNode) -> NotebookNode:
    """Return a copy of a cell without its id."""
    copy = deepcopy(cell)
    copy.pop("id", None)
    return copy


def _continue(old: NotebookNode, new: NotebookNode) -> NotebookNode:
    """Return ``old`` with the source and metadata of ``new``."""
    merged = deepcopy(old)
    merged.metadata = new.metadata
    if merged.source != new.source:
        merged.source = new.source
        if merged.cell_type == "code":
            merged.outputs, merged.execution_count = [], None
    return merged
