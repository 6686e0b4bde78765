# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""What data is prepared with: stacking, repeating, filling in, counting."""

import numpy as np

from minigrad.creation import check_tensor, rand
from minigrad.elementwise import isnan, where
from minigrad.indexing import index_select
from minigrad.shapes import cat
from minigrad.tensor import extend, wrap

__all__ = ["bernoulli", "bincount", "hstack", "nan_to_num", "repeat_interleave"]
__all__ += ["unique", "vstack"]


def vstack(tensors):
    """One below the other: along axis 0, where a vector is a row."""
    return cat([x if x.ndim > 1 else x.reshape(1, -1) for x in tensors])


def hstack(tensors):
    """Side by side: along axis 1, or 0 for vectors."""
    parts = [x if x.ndim else x.reshape(1) for x in tensors]
    return cat(parts, 1 if parts and parts[0].ndim > 1 else 0)


def repeat_interleave(input, repeats, dim: int | None = None, *, output_size=None):
    """Each slice along an axis several times, neighbours alike; all, flat, for None."""
    input, dim = (input.flatten(), 0) if dim is None else (input, dim)
    count, n = np.asarray(getattr(repeats, "_array", repeats)), input.shape[dim]
    if count.size not in (1, n) or count.min(initial=0) < 0:
        raise RuntimeError(
            "repeats must have the same size as input along dim, and must be "
            f"non-negative: one number, or {n} (Chapter 18)"
        )
    return index_select(input, dim, wrap(np.repeat(np.arange(n), count)))


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Numbers for nan (0) and for ± infinity (the largest): their gradient is 0."""
    check_tensor("nan_to_num", input)
    if input._array.dtype.kind != "f":
        return input.clone()
    most = float(np.finfo(input._array.dtype).max)
    found = where(isnan(input), 0.0 if nan is None else float(nan), input)
    found = where(input == np.inf, most if posinf is None else float(posinf), found)
    return where(input == -np.inf, -most if neginf is None else float(neginf), found)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The values that there are, in order; where each went, and how often it was."""
    check_tensor("unique", input)
    values, where_to, counts = np.unique(
        input._array, return_inverse=True, return_counts=True, axis=dim
    )
    places = where_to.reshape(input.shape if dim is None else -1)
    found = (values,) + (places,) * return_inverse + (counts,) * return_counts
    return wrap(values) if len(found) == 1 else tuple(map(wrap, found))


def bincount(input, weights=None, minlength: int = 0):
    """How often each of 0, 1, … is in a vector; or the sum of its weights."""
    check_tensor("bincount", input)
    x = input._array
    if x.ndim != 1 or x.dtype.kind not in "iu" or x.min(initial=0) < 0:
        raise RuntimeError(
            "bincount only supports 1-d non-negative integral inputs: for other values "
            "torch.unique(x, return_counts=True) (Chapter 18)"
        )
    if weights is None:
        return wrap(np.bincount(x, minlength=minlength))
    w = weights._array
    kind = w.dtype if w.dtype == np.float32 else np.dtype(float)
    return wrap(np.bincount(x, w, minlength).astype(kind))


def bernoulli(input, *, generator=None):
    """1 with the probability that stands in each place, else 0."""
    check_tensor("bernoulli", input)
    if not (input.detach() * (1 - input.detach()) >= 0).all():
        raise RuntimeError(
            "Expected p_in >= 0 && p_in <= 1 to be true, but got false: probabilities, "
            "logits.sigmoid() (Chapter 18)"
        )
    drawn = rand(*input.shape, dtype=input.dtype, generator=generator)
    return (drawn < input.detach()).to(input.dtype)


extend(repeat_interleave=repeat_interleave, nan_to_num=nan_to_num, unique=unique)
extend(bincount=bincount, bernoulli=bernoulli)
