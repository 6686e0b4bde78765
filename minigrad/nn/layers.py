# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Functions of networks that have a rule of their own: one node for several steps."""

import numpy as np

from minigrad.autograd.function import record
from minigrad.errors import wrong_type
from minigrad.inplace import _NAMES
from minigrad.rules import define
from minigrad.tensor import Tensor


def rows(x):
    """All axes but the last as one."""
    return x if len(x.shape) == 2 else np.reshape(x, (-1, x.shape[-1]))


def affine(x, w, b=None):
    """The product x @ w.T + b for rows x of any number of axes."""
    z = rows(x) @ w.T
    if b is not None:
        z += b
    return z if x.ndim == 2 else z.reshape((*x.shape[:-1], len(w)))


_addmm = record(
    define(
        "addmm",
        lambda b, x, w: affine(x, w, b),
        b=lambda g: np.sum(rows(g), axis=0),
        x=lambda g, w: np.matmul(g, w),
        w=lambda g, x: np.matmul(np.transpose(rows(g)), rows(x)),
    ),
    "linear",
    "AddmmBackward0",
)
_mm = record(
    define(
        "mm_t",
        lambda x, w: affine(x, w),
        x=lambda g, w: np.matmul(g, w),
        w=lambda g, x: np.matmul(np.transpose(rows(g)), rows(x)),
    ),
    "linear",
    "MmBackward0",
)


def linear(input, weight, bias=None):
    """The map input @ weight.T + bias: (..., m) to (..., n) for a weight (n, m)."""
    for k, (name, x) in enumerate((("input", input), ("weight", weight))):
        if not isinstance(x, Tensor):
            said = f"linear(): argument '{name}' (position {k + 1})"
            raise wrong_type(said, "Tensor", x)
    x, w = input._array, weight._array
    if w.ndim == 1 and bias is None:
        return input @ weight
    _check_linear(x, w, bias)
    return _mm(input, weight) if bias is None else _addmm(bias, input, weight)


def _check_linear(x, w, bias) -> None:
    """Refuse what cannot be multiplied, or not be added."""
    if x.ndim == 0:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{x.ndim}D and {w.ndim}D: x.reshape(1) (Chapter 17)"
        )
    if w.ndim != 2 or x.shape[-1] != w.shape[1]:
        shapes = f"{rows(np.atleast_2d(x)).shape} and {w.shape[::-1]}"
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({shapes.replace(', ', 'x')[1:]}".replace(") and (", " and ")
            + f": the input's last axis must have in_features = {w.shape[-1]} "
            "(Chapter 17)"
        )
    if x.dtype != w.dtype:
        raise RuntimeError(
            f"mat1 and mat2 must have the same dtype, but got {_NAMES[x.dtype.name]} "
            f"and {_NAMES[w.dtype.name]}: convert one, x.float() (Chapter 17)"
        )
    if bias is not None and bias._array.shape not in ((len(w),), (1,), ()):
        raise RuntimeError(
            f"The expanded size of the tensor ({len(w)}) must match the existing size "
            f"({bias.shape[-1]}) at non-singleton dimension 1: a bias has "
            "out_features numbers (Chapter 17)"
        )
