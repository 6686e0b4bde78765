# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""How a tensor prints: PyTorch's layout, to the character."""

import math

import numpy as np

from minigrad.tensor import Tensor, extend

PRECISION, THRESHOLD, EDGE, WIDTH = 4, 1000, 3, 80


def _formatter(values: np.ndarray):
    """Choose one format for all ``values``; return a function and its width.

    Floats are whole (``2.``), fixed (``2.5000``) or scientific (``2.5000e+10``), as
    the finite ones among them ask for.
    """
    if values.dtype.kind != "f":
        width = max(len(str(value)) for value in values.tolist())
        return (lambda value: str(value).rjust(width)), width
    finite = values[np.isfinite(values) & (values != 0)].astype(np.float64)
    whole, scientific = bool(np.all(finite == np.ceil(finite))), False
    if finite.size:
        low, high = np.abs(finite).min().item(), np.abs(finite).max().item()
        scientific = high / low > 1000 or high > 1e8 or (not whole and low < 1e-4)

    def text(value: float) -> str:
        if scientific:
            return f"{value:.{PRECISION}e}"
        if whole:
            return f"{value:.0f}" + ("." if math.isfinite(value) else "")
        return f"{value:.{PRECISION}f}"

    width = max((len(text(value)) for value in finite.tolist()), default=1)
    return (lambda value: text(value).rjust(width)), width


def _edges(array: np.ndarray) -> np.ndarray:
    """Keep the first and last three entries along every axis."""
    for axis, length in enumerate(array.shape):
        if length > 2 * EDGE:
            kept = [*range(EDGE), *range(length - EDGE, length)]
            array = np.take(array, kept, axis=axis)
    return array


def _rows(array: np.ndarray, indent: int, summarize: bool, show, width: int) -> str:
    """One bracket per axis, recursively; the last axis is broken at 80 columns."""
    cut = summarize and len(array) > 2 * EDGE
    parts = [*array[:EDGE], None, *array[-EDGE:]] if cut else [*array]
    if array.ndim == 1:
        words = [" ..." if part is None else show(part.item()) for part in parts]
        step = max(1, (WIDTH - indent) // (width + 2))
        lines = [", ".join(words[k : k + step]) for k in range(0, len(words), step)]
        return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"
    blocks = [
        "..." if part is None else _rows(part, indent + 1, summarize, show, width)
        for part in parts
    ]
    between = "," + "\n" * (array.ndim - 1) + " " * (indent + 1)
    return "[" + between.join(blocks) + "]"


def _numbers(array: np.ndarray, indent: int) -> str:
    """The numbers in brackets; of a large array only the edges, with dots between."""
    if array.size == 0:
        return "[]"
    summarize = array.size > THRESHOLD
    show, width = _formatter((_edges(array) if summarize else array).ravel())
    if array.ndim == 0:
        return show(array.item())
    return _rows(array, indent, summarize, show, width)


def _suffixes(tensor: Tensor) -> list[str]:
    """What the numbers do not tell: an empty shape, the dtype, the history."""
    array, found = tensor._array, []
    if array.size == 0 and array.ndim != 1:
        found.append(f"size={array.shape}")
    usual = ("float32", "int64", "bool") if array.size else ("float32",)
    if tensor.dtype.name not in usual:
        found.append(f"dtype={tensor.dtype}")
    if tensor.grad_fn is not None:
        found.append(f"grad_fn=<{type(tensor.grad_fn).__name__}>")
    elif tensor.requires_grad:
        found.append("requires_grad=True")
    return found


def tensor_str(tensor: Tensor, prefix: str = "tensor(") -> str:
    """The text PyTorch prints for a tensor: numbers, then what is not the default."""
    indent = len(prefix)
    text = prefix + _numbers(np.asarray(tensor._array), indent)
    used = len(text) - text.rfind("\n") + 1
    for suffix in _suffixes(tensor):
        if used + len(suffix) + 2 > WIDTH:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


extend(__repr__=tensor_str)
