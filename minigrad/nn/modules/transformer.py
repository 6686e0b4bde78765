# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""Blocks of a transformer: attention, then two layers at each place."""

import copy

from minigrad.nn import functional
from minigrad.nn.modules.activation import MultiheadAttention
from minigrad.nn.modules.container import ModuleList
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.norm import LayerNorm
from minigrad.nn.modules.shape import Dropout


def _named(activation, known: dict):
    """A bend, which may be given by its name."""
    if isinstance(activation, str) and activation not in known:
        raise RuntimeError(
            f"activation should be relu/gelu, not {activation}: or hand over a "
            "function (Chapter 21)"
        )
    return known.get(activation, activation)


class _Layers(Module):
    """The layers of a block."""

    def __init__(
        self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout=0.1,
        activation=functional.relu, layer_norm_eps=1e-5, batch_first=False,
        norm_first=False, bias=True, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        known = {"relu": functional.relu, "gelu": functional.gelu}
        self.activation = _named(activation, known)
        how, wide = {"bias": bias, "dtype": dtype}, dim_feedforward
        more = {"dropout": dropout, "batch_first": batch_first, **how}
        self.self_attn = MultiheadAttention(d_model, nhead, **more)
        self.linear1, self.dropout = Linear(d_model, wide, **how), Dropout(dropout)
        self.linear2, self.norm_first = Linear(wide, d_model, **how), norm_first
        self.norm1 = LayerNorm(d_model, layer_norm_eps, **how)
        self.norm2 = LayerNorm(d_model, layer_norm_eps, **how)
        self.dropout1, self.dropout2 = Dropout(dropout), Dropout(dropout)


class TransformerEncoderLayer(_Layers):
    """A block: (place, batch, width) to the same; masks as in MultiheadAttention."""

    def forward(
        self, src, src_mask=None, src_key_padding_mask=None, is_causal: bool = False
    ):
        """Each place looks at the others, and then at itself."""

        def look(x):
            masks = src_key_padding_mask, False, src_mask
            y, _ = self.self_attn(x, x, x, *masks, is_causal=is_causal)
            return self.dropout1(y)

        def think(x):
            y = self.dropout(self.activation(self.linear1(x)))
            return self.dropout2(self.linear2(y))

        if self.norm_first:
            x = src + look(self.norm1(src))
            return x + think(self.norm2(x))
        x = self.norm1(src + look(src))
        return self.norm2(x + think(x))


class TransformerEncoder(Module):
    """Copies of a block, one after the other, and a last norm, if there is one."""

    def __init__(
        self, encoder_layer, num_layers: int, norm=None, enable_nested_tensor=True,
        mask_check=True,
    ):  # fmt: skip
        super().__init__()
        copies = [copy.deepcopy(encoder_layer) for _ in range(num_layers)]
        self.layers = ModuleList(copies)
        self.num_layers, self.norm = num_layers, norm

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """(place, batch, width) to the same, through all blocks."""
        for layer in self.layers:
            src = layer(src, mask, src_key_padding_mask, bool(is_causal))
        return src if self.norm is None else self.norm(src)
