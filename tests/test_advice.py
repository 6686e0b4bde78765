"""Every error says what to do about it, and doing that helps.

A row of advice.txt is a program that fails, the error, words of its message, and the
program again as the message advises, with the value that it then has. The last test
sees to it that no ``raise`` of the package is left out.
"""

import ast
import copy
import html
import json
import re
import textwrap
import traceback
from pathlib import Path

import nbformat
import numpy as np
import pytest

import minigrad
import minigrad as torch
import minigrad.utils.tensorboard
from minigrad import static
from minigrad.autograd import graph
from minigrad.elementwise import gelu
from minigrad.inplace import Unrecorded
from minigrad.shapes import pad

PACKAGE = Path(minigrad.__file__).parent
ELSEWHERE = {"jacobian", "numerical", "rules", "drawing", "player"}  # chapters 1-3, 6

ADVICE = Path(__file__).with_name("advice.txt").read_text(encoding="utf-8")


def rows() -> list[tuple]:
    """Read the table: (program, types, words, cure, value), one for each error."""
    found = []
    for block in re.sub(r"(?m)^#.*\n", "", ADVICE).strip().split("\n---\n"):
        *programs, value = block.strip().split("\n")
        (k,) = [
            k for k, line in enumerate(programs) if re.match(r"\w+(\|\w+)*: ", line)
        ]
        types, words = programs[k].split(": ", 1)
        failing, cure = "\n".join(programs[:k]), "\n".join(programs[k + 1 :])
        found.append((failing, types.split("|")[0], words.split("|"), cure, value))
    return found


ROWS = rows()


def run(program: str):
    """Run a program; return the value of its last line, and its names."""
    names = {"torch": torch, "np": np, "copy": copy, "graph": graph}
    names |= {"gelu": gelu, "pad": pad, "Unrecorded": Unrecorded, "static": static}
    tree = ast.parse(program.replace("; ", "\n"))
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body.pop()
    with static.Graph().as_default():
        exec(compile(tree, "<advice>", "exec"), names)
        if isinstance(last, ast.Expr):
            code = compile(ast.Expression(last.value), "<advice>", "eval")
            return eval(code, names), names
    return None, names


def failure(program: str) -> Exception:
    """Run a program that fails; return the error."""
    with pytest.raises(Exception) as caught:
        run(program)
    return caught.value


@pytest.mark.parametrize("row", ROWS, ids=[textwrap.shorten(r[0], 60) for r in ROWS])
def test_the_error_advises_and_the_advice_helps(row):
    program, kind, words, cure, value = row
    error = failure(program)
    assert type(error).__name__ == kind
    said = error.args[0] if isinstance(error, KeyError) else str(error)  # unquoted
    message = " ".join(said.split())
    assert any(" ".join(w.split()) in message for w in words), message
    assert re.search(r"\(Chapter \d+\)\.?$", message), message
    assert repr(run(cure)[0]) == value


def letters(text: str) -> str:
    """Only the letters of a text: what layout and markup leave alone."""
    return re.sub(r"[^a-z]+", "", html.unescape(re.sub(r"<[^>]+>", " ", text)).lower())


@pytest.fixture(scope="module")
def shown() -> str:
    """All that the chapters from 4 on print."""
    pages = sorted(PACKAGE.parent.glob("book/ch*.ipynb"))[3:]
    cells = [c for page in pages for c in nbformat.read(page, 4).cells]
    outputs = [out for cell in cells for out in cell.get("outputs", [])]
    return letters(" ".join(json.dumps(out).replace("\\n", " ") for out in outputs))


@pytest.mark.parametrize("row", ROWS, ids=[textwrap.shorten(r[0], 60) for r in ROWS])
def test_the_error_can_be_read_in_the_book(row, shown):
    message = letters(str(failure(row[0])))
    middle = len(message) // 2
    parts = [message[k : k + 28] for k in (0, 10, 20, middle)]
    assert any(part in shown for part in parts)


def last_apart(program: str) -> tuple[str, str]:
    """The statements of a program that prepare, and the one that fails."""
    *setup, last = ast.parse(program.replace("; ", "\n")).body
    return "\n".join(map(ast.unparse, setup)), ast.unparse(last)


PREPARED = [pair for pair in (last_apart(row[0]) for row in ROWS) if pair[0]]


@pytest.mark.parametrize(("setup", "last"), PREPARED, ids=[p[1] for p in PREPARED])
def test_what_fails_is_not_half_done(setup, last):
    names: dict = run(setup)[1]
    kinds = (torch.Tensor, np.ndarray, static.Graph)
    tensors = {k: t for k, t in names.items() if isinstance(t, kinds)}
    before = {k: state(t) for k, t in tensors.items()}
    with pytest.raises(Exception):  # noqa: B017 (which one: see above)
        exec(compile(last, "<advice>", "exec"), names)
    assert tensors
    assert {k: state(t) for k, t in tensors.items()} == before


def state(tensor) -> tuple:
    """All that a failing operation must not change."""
    if isinstance(tensor, static.Graph):
        return (repr(tensor),)
    if isinstance(tensor, np.ndarray):
        return tensor.tobytes(), tensor.flags.writeable
    grad = None if tensor._grad is None else tensor._grad._array.tobytes()
    return tensor._array.tobytes(), id(tensor._node), tensor.requires_grad, grad


def sites() -> dict[tuple, str]:
    """Every ``raise`` of the chapters on the engine: its file and first line."""
    found = {}
    for path in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                for line in range(node.lineno, node.end_lineno + 1):
                    found[str(path), line] = f"{path.name}:{node.lineno}"
    return {k: v for k, v in found.items() if Path(k[0]).stem not in ELSEWHERE}


def test_no_error_is_left_out():
    known, reached = sites(), set()
    for program, *_ in ROWS:
        frames = traceback.extract_tb(failure(program).__traceback__)
        reached |= {known.get((f.filename, f.lineno)) for f in frames}
    assert sorted(set(known.values()) - reached) == []
