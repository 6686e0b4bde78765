# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""Attention as a module: the maps that make queries, keys and values."""

import numpy as np

from minigrad.creation import empty
from minigrad.nn import functional, init
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.tensor import wrap


class NonDynamicallyQuantizableLinear(Linear):
    """A linear layer, under the name that PyTorch's attention shows."""


class _Maps(Module):
    """The maps that make queries, keys and values."""

    def _weights(self):
        """The maps of queries, keys and values, one after the other."""
        if self._qkv_same_embed_dim:
            return self.in_proj_weight.chunk(3)
        return self.q_proj_weight, self.k_proj_weight, self.v_proj_weight

    def _reset_parameters(self) -> None:
        """Xavier's range for the maps, zeros for what is added."""
        packed = self._qkv_same_embed_dim
        for weight in (self.in_proj_weight,) if packed else self._weights():
            init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.zeros_(self.in_proj_bias)
            init.zeros_(self.out_proj.bias)


class _Projected(_Maps):
    """The parameters of an attention."""

    def __init__(
        self, embed_dim: int, num_heads: int, dropout=0.0, bias=True, add_bias_kv=False,
        add_zero_attn=False, kdim=None, vdim=None, batch_first=False, device=None,
        dtype=None,
    ):  # fmt: skip
        _check_sizes(embed_dim, num_heads, add_bias_kv or add_zero_attn)
        super().__init__()
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.batch_first, self.head_dim = batch_first, embed_dim // num_heads
        self.kdim, self.vdim = kdim or embed_dim, vdim or embed_dim
        self._qkv_same_embed_dim = self.kdim == self.vdim == embed_dim
        one = {"in_proj_weight": 3 * embed_dim}
        widths = {"q": embed_dim, "k": self.kdim, "v": self.vdim}
        if not self._qkv_same_embed_dim:
            one = {f"{x}_proj_weight": embed_dim for x in widths}
        for (name, rows), width in zip(one.items(), widths.values(), strict=False):
            setattr(self, name, Parameter(empty(rows, width, dtype=dtype)))
        made = Parameter(empty(3 * embed_dim, dtype=dtype)) if bias else None
        self.register_parameter("in_proj_bias", made)
        sizes = embed_dim, embed_dim, bias
        self.out_proj = NonDynamicallyQuantizableLinear(*sizes, dtype=dtype)
        self._reset_parameters()


def _check_sizes(width: int, heads: int, more: bool) -> None:
    """Refuse widths that cannot be cut into heads, and what is not built."""
    if width <= 0 or heads <= 0:
        raise ValueError(
            "embed_dim and num_heads must be greater than 0, got embed_dim="
            f"{width} and num_heads={heads} instead: (64, 4) is usual (Chapter 21)"
        )
    if width % heads:
        raise AssertionError(
            f"embed_dim must be divisible by num_heads: {width} = {heads} · head_dim "
            "(Chapter 21)"
        )
    if more:
        raise NotImplementedError(
            "add_bias_kv and add_zero_attn are not built here: append a key and a "
            "value of your own with torch.cat (Chapter 21)"
        )


def _require(holds: bool, words: str) -> None:
    """Refuse, in the words of PyTorch, what does not hold."""
    if not holds:
        raise AssertionError(f"{words} (Chapter 21)")


def _added(mask, like, name: str):
    """A mask as numbers that are added to scores: -inf where it is True."""
    kind = mask._array.dtype.kind
    _require(
        kind in "bf",
        f"only bool and floating types of {name} are supported: mask.bool()",
    )
    if kind == "f":
        return mask
    return wrap(np.where(mask._array, -np.inf, 0).astype(like._array.dtype))


def _shaped(mask, heads: int, batch: int, n: int, m: int):
    """A mask (n, m), or one for each sequence and head, as (batch, heads, n, m)."""
    wanted = (n, m) if mask.ndim == 2 else (batch * heads, n, m)
    if tuple(mask.shape) != wanted:
        raise RuntimeError(
            f"The shape of the {mask.ndim}D attn_mask is {mask.shape}, but should be "
            f"{wanted}: a row for each query (Chapter 21)"
        )
    return mask if mask.ndim == 2 else mask.reshape(batch, heads, n, m)


def _check_inputs(self, query, key, value, padding, mask) -> None:
    """Refuse what has the wrong number of axes, or does not fit together."""
    dims, kind = query.ndim, "unbatched (2-D)" if query.ndim == 2 else "batched (3-D)"
    _require(
        dims in (2, 3),
        "query should be unbatched 2D or batched 3D tensor but received "
        f"{dims}-D query tensor: x.unsqueeze(0)",
    )
    _require(
        key.ndim == value.ndim == dims,
        f"For {kind} `query`, expected `key` and `value` to be {dims}-D but found "
        f"{key.ndim}-D and {value.ndim}-D tensors respectively: all three alike",
    )
    allowed = {"key_padding_mask": (padding, (dims - 1,)), "attn_mask": (mask, (2, 3))}
    for name, (given, ranks) in allowed.items():
        numbers = " or ".join(f"{rank}-D" for rank in ranks)
        comma = "," if len(ranks) > 1 else " or"
        _require(
            given is None or given.ndim in ranks,
            f"For {kind} `query`, expected `{name}` to be `None`{comma} {numbers} but "
            f"found {0 if given is None else given.ndim}-D tensor instead: "
            "see help(nn.MultiheadAttention)",
        )


def _check_widths(self, query, key, value) -> None:
    """Refuse other widths than the module was made for, and values without keys."""
    width, found = self.embed_dim, query.shape[-1]
    _require(
        found == width,
        f"was expecting embedding dimension of {width}, but got {found}: the last "
        "axis is the width",
    )
    k, v = (x.transpose(0, 1).shape for x in (key, value))
    said = f"key shape {k} does not match value shape {v}"
    if not self._qkv_same_embed_dim:
        k, v = k[:2], v[:2]
        said = f"key's sequence and batch dims {k} do not match value's {v}"
    _require(k == v, f"{said}: a value for each key")


class MultiheadAttention(_Projected):
    """Attention of several heads: (place, batch, width) to the same, and the shares.

    With ``batch_first`` (batch, place, width); one sequence may lack the batch axis. In
    masks True means hidden. Raises AssertionError, ValueError and RuntimeError for
    sizes, inputs and masks that do not fit.
    """

    def forward(
        self, query, key, value, key_padding_mask=None, need_weights: bool = True,
        attn_mask=None, average_attn_weights: bool = True, is_causal: bool = False,
    ):  # fmt: skip
        """Attend; return the mixtures, and the shares (batch, n, m), or None."""
        masks = key_padding_mask, attn_mask
        _check_inputs(self, query, key, value, *masks)
        single, parts = query.ndim == 2, (query, key, value)
        turned = not single and not self.batch_first
        if single or turned:
            parts = [x.unsqueeze(0) if single else x.transpose(0, 1) for x in parts]
        _check_widths(self, *parts)
        mask, causal = self._mask(parts[0], parts[1], *masks, need_weights, is_causal)
        out, shown = self._attend(parts, mask, causal, need_weights)
        if need_weights and average_attn_weights:
            shown = shown.mean(1)
        if single:
            return out.squeeze(0), shown if shown is None else shown.squeeze(0)
        return out.transpose(0, 1) if turned else out, shown


def _mask(self, q, k, padding, mask, need_weights: bool, hint: bool) -> tuple:
    """What is added to the scores, or None; and whether the triangle is hidden."""
    if hint and mask is None:
        raise RuntimeError(
            "Need attn_mask if specifying the is_causal hint. You may use "
            "attn_mask=torch.ones(n, n).triu(1).bool() (Chapter 21)"
        )
    (batch, n, _), m = q.shape, k.shape[1]
    if mask is not None:
        added = _shaped(_added(mask, q, "attn_mask"), self.num_heads, batch, n, m)
        if hint and padding is None and not need_weights:
            return None, True
        mask = added
    if padding is None:
        return mask, False
    hidden = _added(padding, q, "key_padding_mask")
    _require(
        hidden.shape[-1] == m,
        f"Expected key_padded_mask.shape[1] to be {m}, but got "
        f"{hidden.shape[-1]}: one entry for each key",
    )
    hidden = hidden.reshape(-1, 1, 1, m)
    return hidden if mask is None else mask + hidden, False


def _attend(self, parts, mask, causal: bool, need_weights: bool) -> tuple:
    """Project, attend in heads, put the heads side by side; the shares if needed."""
    bias, heads = self.in_proj_bias, self.num_heads
    biases = (None,) * 3 if bias is None else bias.chunk(3)
    mapped = map(functional.linear, parts, self._weights(), biases)
    q, k, v = (
        x.reshape(*x.shape[:2], heads, self.head_dim).transpose(1, 2) for x in mapped
    )
    drop, shown = self.dropout if self.training else 0.0, None
    if need_weights:
        scores = q @ k.mT * self.head_dim**-0.5
        scores = scores if mask is None else scores + mask
        shown = functional.dropout(scores.softmax(-1), drop)
        out = shown @ v
    else:
        how = mask, drop, causal
        out = functional.scaled_dot_product_attention(q, k, v, *how)
    return self.out_proj(out.transpose(1, 2).flatten(2)), shown


MultiheadAttention._mask, MultiheadAttention._attend = _mask, _attend
