# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""Attention: every place takes a mixture of what the places hold."""

import math
from functools import lru_cache

import numpy as np

from minigrad.autograd.function import record
from minigrad.errors import wrong_type
from minigrad.nn.layers import dropout
from minigrad.operands import mismatch
from minigrad.rules import define
from minigrad.tensor import Tensor


def shares(scores, scale: float, hidden=None):
    """Softmax of the scaled scores along rows, in one new array.

    Where ``hidden`` (bool, broadcasts) the share is 0. A row in which all is hidden has
    no shares: zeros, as in PyTorch, not the nan of 0/0.
    """
    p = scores * scores.dtype.type(scale)
    if hidden is not None:
        p += np.where(hidden, -np.inf, 0).astype(p.dtype)
    top = np.max(p, axis=-1, keepdims=True, initial=-np.inf)
    p -= np.where(top == -np.inf, 0, top)
    np.exp(p, out=p)
    total = np.sum(p, axis=-1, keepdims=True)
    p /= np.where(total == 0, 1, total)
    return p


def shares_back(g, p, scale: float):
    """The cotangent of the scores: each row of g times diag(p) - p pᵀ, times scale."""
    if type(g) is not np.ndarray:  # a tensor, whose gradient is wanted in turn
        return p * (g - np.sum(g * p, axis=-1, keepdims=True)) * scale
    d = g - np.einsum("...i,...i->...", g, p)[..., None]
    d *= p
    d *= d.dtype.type(scale)
    return d


_shares = record(
    define(
        "shares",
        lambda x, *, scale, hidden: shares(x, scale, hidden),
        x=lambda g, out, scale: shares_back(g, out, scale),
    ),
    "scaled_dot_product_attention",
    "AttentionSharesBackward0",
)


@lru_cache(maxsize=64)
def later(n: int, m: int) -> np.ndarray:
    """What is hidden from each of n places among m, if none may look ahead."""
    return ~np.tri(n, m, dtype=bool)


def _grouped(x: Tensor, heads: int) -> Tensor:
    """Repeat each head so often that there are ``heads``, neighbours alike."""
    *rest, own, length, width = x.shape
    if heads % own:
        raise RuntimeError(
            "Number of heads in key and value must divide the number of heads in "
            f"query: {own} does not divide {heads} (Chapter 21)"
        )
    wide = x.unsqueeze(-3).expand(*rest, own, heads // own, length, width)
    return wide.reshape(*rest, heads, length, width)


def scaled_dot_product_attention(
    query, key, value, attn_mask=None, dropout_p: float = 0.0, is_causal: bool = False,
    scale: float | None = None, enable_gqa: bool = False,
):  # fmt: skip
    """Mix values (…, m, d) for queries (…, n, e), by how keys (…, m, e) answer them.

    ``attn_mask`` broadcasts to (…, n, m): bool, True for what takes part, or a float
    that is added to the scores. ``is_causal``: place i sees places 0 … i. ``scale`` is
    1/√e. Raises TypeError and RuntimeError for operands that do not fit.
    """
    _check_operands(query, key, value, attn_mask, is_causal, dropout_p)
    if enable_gqa:
        key, value = (_grouped(x, query.shape[-3]) for x in (key, value))
    scale = 1 / math.sqrt(query.shape[-1]) if scale is None else scale
    scores = query @ key.mT
    hidden = later(*scores.shape[-2:]) if is_causal else None
    if attn_mask is not None:
        _check_mask(scores.shape, attn_mask.shape)
        if attn_mask._array.dtype == bool:
            hidden = ~attn_mask._array
        else:
            scores, scale = scores * scale + attn_mask.to(scores.dtype), 1.0
    weights = _shares(scores, scale, hidden)
    return (dropout(weights, dropout_p) if dropout_p > 0 else weights) @ value


def _check_mask(scores: tuple, mask: tuple) -> None:
    """Refuse a mask that does not repeat to the shape of the scores."""
    try:
        whole = np.broadcast_shapes(scores, mask)
    except ValueError:
        said = mismatch("scores and attn_mask", tuple(scores), tuple(mask))
        raise RuntimeError(said) from None
    if whole != scores:
        raise RuntimeError(
            f"output with shape {[*scores]} doesn't match the broadcast shape "
            f"{[*whole]}: a mask repeats, scores do not (Chapter 21)"
        )


def _check_operands(query, key, value, mask, causal: bool, dropout_p: float) -> None:
    """Refuse what cannot attend."""
    named = {"query": query, "key": key, "value": value, "attn_mask": mask}
    for k, (name, x) in enumerate(named.items()):
        if not isinstance(x, Tensor) and (k < 3 or x is not None):
            said = f"scaled_dot_product_attention(): argument '{name}'"
            raise wrong_type(f"{said} (position {k + 1})", "Tensor", x)
    if causal and mask is not None:
        raise RuntimeError(
            "_scaled_dot_product_attention: Explicit attn_mask should not be set when "
            "is_causal=True: the mask has to say all, mask.tril() (Chapter 21)"
        )
    if dropout_p > 1:
        raise RuntimeError(
            "dropout probability has to be between 0 and 1, but got "
            f"{dropout_p:g}: the part that is dropped, 0.1 (Chapter 21)"
        )
    _check_kinds(query, key, value, mask)


C_NAMES = {"float32": "float", "float64": "double", "float16": "c10::Half"}
C_NAMES |= {"int64": "long int", "int32": "int", "bool": "bool"}


def _check_kinds(query, key, value, mask) -> None:
    """Refuse vectors, and dtypes that cannot be mixed."""
    parts = {"query": query, "key": key, "value": value}
    if min(x.ndim for x in parts.values()) < 2:
        dims = [f"{n}.dim: {x.ndim}" for n, x in parts.items()]
        raise RuntimeError(
            "Expected query, key, and value to all be  at least 2 dimensional, but got "
            f"{dims[0]} {dims[1]} and {dims[2]} instead: one row, x.unsqueeze(0) "
            "(Chapter 21)"
        )
    kinds = [C_NAMES.get(x._array.dtype.name, "other") for x in parts.values()]
    if len(set(kinds)) > 1:
        dtypes = [f"{n}.dtype: {kind}" for n, kind in zip(parts, kinds, strict=True)]
        raise RuntimeError(
            "Expected query, key, and value to have the same dtype, but got "
            f"{dtypes[0]} {dtypes[1]} and {dtypes[2]} instead: convert one, x.float() "
            "(Chapter 21)"
        )
    _check_dtypes(query, mask, kinds[0])


def _check_dtypes(query, mask, kind: str) -> None:
    """Refuse whole numbers, and masks that are neither bool nor float."""
    if query._array.dtype.kind != "f":
        raise RuntimeError(
            "expected m1 and m2 to have the same dtype, but got: float != "
            f"{kind}: shares are no whole numbers, x.float() (Chapter 21)"
        )
    known = bool, np.float32, query._array.dtype
    if mask is not None and mask._array.dtype not in known:
        given = C_NAMES.get(mask._array.dtype.name, "other")
        raise RuntimeError(
            "Expected attn_mask dtype to be bool or float or to match query dtype, but "
            f"got attn_mask.dtype: {given} and  query.dtype: {kind} instead: "
            "mask.bool(), or mask.to(query.dtype) (Chapter 21)"
        )
