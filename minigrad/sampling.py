# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""Draws in proportion to weights."""

import math

import numpy as np

from minigrad.creation import check_tensor
from minigrad.errors import wrong_type
from minigrad.random import default_generator
from minigrad.tensor import wrap


def multinomial(input, num_samples: int, replacement: bool = False, *, generator=None):
    """Places drawn in proportion to weights (n,) or (rows, n): int64 (…, num_samples).

    Without ``replacement`` no place is drawn twice. Raises TypeError and RuntimeError
    for what is no weights, and for draws that cannot be.
    """
    check_tensor("multinomial", input)
    _check_draw(input._array, num_samples, replacement)
    p, several = input._array, replacement and num_samples > 1
    size = (*p.shape[:-1], num_samples) if several else p.shape
    random = generator or default_generator
    u = random.uniform(math.prod(size), np.dtype(np.float64)).reshape(size)
    if not several:
        race = p / -np.log1p(-u).astype(p.dtype)
        return wrap(np.argsort(-race, axis=-1, kind="stable")[..., :num_samples])
    sums = np.cumsum(p, axis=-1)
    table = zip(np.atleast_2d(sums / sums[..., -1:]), np.atleast_2d(u), strict=True)
    return wrap(np.reshape([np.searchsorted(*row) for row in table], size))


def _check_draw(p, count: int, replacement: bool) -> None:
    """Refuse weights and numbers of draws that make no sense."""
    if type(count) is not int:
        said = "multinomial(): argument 'num_samples' (position 2)"
        raise wrong_type(said, "int", count)
    known = p.dtype.kind == "f" and p.ndim in (1, 2)
    bad = known and not np.all((p >= 0) & (p < np.inf))
    for wrong, said in (
        (p.ndim not in (1, 2), "prob_dist must be 1 or 2 dim: a row for each draw"),
        (p.dtype.kind != "f", "multinomial only supports floating-point dtypes for "
         f"input, got: {p.dtype.name.title()}: x.float()"),
        (count <= 0, "cannot sample n_sample <= 0 samples: draw at least one"),
        (not replacement and known and count > p.shape[-1], "cannot sample n_sample > "
         "prob_dist.size(-1) samples without replacement: replacement=True"),
        (bad, "probability tensor contains either `inf`, `nan` or element < 0: "
         "logits.softmax(-1) has none"),
        (known and not bad and not np.all(p.sum(-1) > 0), "invalid multinomial "
         "distribution (sum of probabilities <= 0): nothing to choose from"),
    ):  # fmt: skip
        if wrong:
            raise RuntimeError(f"{said} (Chapter 21)")
