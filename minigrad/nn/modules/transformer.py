# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""Blocks of a transformer: attention, then two layers at each place."""

import copy

from minigrad.creation import full
from minigrad.nn import functional, init
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


class _Steps(Module):
    """How a block goes on: sums, with a norm before each step or after the sum."""

    def _through(self, x, *steps):
        """Add each step to its input; its norm stands before it, or after the sum."""
        for k, step in enumerate(steps, 1):
            norm, drop = getattr(self, f"norm{k}"), getattr(self, f"dropout{k}")
            first = self.norm_first
            x = x + drop(step(norm(x))) if first else norm(x + drop(step(x)))
        return x

    def _think(self, x):
        """The two layers at each place."""
        return self.linear2(self.dropout(self.activation(self.linear1(x))))


class _Layers(_Steps):
    """The layers of a block: attentions, two layers, and a norm for each."""

    ATTENTIONS = ("self_attn",)

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
        for name in self.ATTENTIONS:
            setattr(self, name, MultiheadAttention(d_model, nhead, **more))
        self.linear1, self.dropout = Linear(d_model, wide, **how), Dropout(dropout)
        self.linear2, self.norm_first = Linear(wide, d_model, **how), norm_first
        numbers = range(1, len(self.ATTENTIONS) + 2)
        for k in numbers:
            setattr(self, f"norm{k}", LayerNorm(d_model, layer_norm_eps, **how))
        for k in numbers:
            setattr(self, f"dropout{k}", Dropout(dropout))


class TransformerEncoderLayer(_Layers):
    """A block: (place, batch, width) to the same; masks as in MultiheadAttention."""

    def forward(
        self, src, src_mask=None, src_key_padding_mask=None, is_causal: bool = False
    ):
        """Each place looks at the others, and then at itself."""
        masks, attend = (src_key_padding_mask, False, src_mask), self.self_attn
        look = lambda x: attend(x, x, x, *masks, is_causal=is_causal)[0]  # noqa: E731
        return self._through(src, look, self._think)


class TransformerDecoderLayer(_Layers):
    """A block that also looks at ``memory``, (places, batch, width), of an encoder."""

    ATTENTIONS = ("self_attn", "multihead_attn")

    def forward(
        self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
        memory_key_padding_mask=None, tgt_is_causal: bool = False,
        memory_is_causal: bool = False,
    ):  # fmt: skip
        """Each place looks at the others, at the memory, and at itself."""
        own, cross = self.self_attn, self.multihead_attn
        masks = tgt_key_padding_mask, False, tgt_mask
        others = memory_key_padding_mask, False, memory_mask

        def look(x):
            return own(x, x, x, *masks, is_causal=tgt_is_causal)[0]

        def read(x):
            return cross(x, memory, memory, *others, is_causal=memory_is_causal)[0]

        return self._through(tgt, look, read, self._think)


class _Stack(Module):
    """Copies of a block, one after the other, and a last norm, if there is one."""

    def _fill(self, layer, num_layers: int, norm) -> None:
        super().__init__()
        self.layers = ModuleList(copy.deepcopy(layer) for _ in range(num_layers))
        self.num_layers, self.norm = num_layers, norm

    def _all(self, x, *how):
        """Go through all blocks, and the norm."""
        for layer in self.layers:
            x = layer(x, *how)
        return x if self.norm is None else self.norm(x)


class TransformerEncoder(_Stack):
    """A stack of encoder blocks."""

    def __init__(
        self, encoder_layer, num_layers: int, norm=None, enable_nested_tensor=True,
        mask_check=True,
    ):  # fmt: skip
        self._fill(encoder_layer, num_layers, norm)

    def forward(self, src, mask=None, src_key_padding_mask=None, is_causal=None):
        """(place, batch, width) to the same, through all blocks."""
        return self._all(src, mask, src_key_padding_mask, bool(is_causal))


class TransformerDecoder(_Stack):
    """A stack of decoder blocks, which all look at the same memory."""

    def __init__(self, decoder_layer, num_layers: int, norm=None):
        self._fill(decoder_layer, num_layers, norm)

    def forward(
        self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
        memory_key_padding_mask=None, tgt_is_causal=None, memory_is_causal=False,
    ):  # fmt: skip
        """(place, batch, width) and a memory to the first's shape."""
        padding = tgt_key_padding_mask, memory_key_padding_mask
        hints = bool(tgt_is_causal), bool(memory_is_causal)
        return self._all(tgt, memory, tgt_mask, memory_mask, *padding, *hints)


class Transformer(Module):
    """An encoder, and a decoder that looks at what the encoder made of ``src``."""

    def __init__(
        self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6,
        dim_feedforward=2048, dropout=0.1, activation=functional.relu,
        custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5,
        batch_first=False, norm_first=False, bias=True, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        how = d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps
        how = *how, batch_first, norm_first, bias, None, dtype
        end = {"eps": layer_norm_eps, "bias": bias, "dtype": dtype}
        self.encoder = custom_encoder or TransformerEncoder(
            TransformerEncoderLayer(*how), num_encoder_layers, LayerNorm(d_model, **end)
        )
        self.decoder = custom_decoder or TransformerDecoder(
            TransformerDecoderLayer(*how), num_decoder_layers, LayerNorm(d_model, **end)
        )
        for p in self.parameters():
            if p.ndim > 1:
                init.xavier_uniform_(p)
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first


def _translate(
    self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None,
    src_key_padding_mask=None, tgt_key_padding_mask=None,
    memory_key_padding_mask=None, src_is_causal=None, tgt_is_causal=None,
    memory_is_causal=False,
):  # fmt: skip
    """Two texts (place, batch, width) to the shape of the second."""
    axis = 0 if self.batch_first else 1
    if src.ndim == 3 and src.shape[axis] != tgt.shape[axis]:
        raise RuntimeError(
            f"the batch number of src and tgt must be equal: {src.shape[axis]} and "
            f"{tgt.shape[axis]} on axis {axis} (Chapter 21)"
        )
    if not src.shape[-1] == tgt.shape[-1] == self.d_model:
        raise RuntimeError(
            "the feature number of src and tgt must be equal to d_model: "
            f"{src.shape[-1]}, {tgt.shape[-1]} and {self.d_model} (Chapter 21)"
        )
    memory = self.encoder(src, src_mask, src_key_padding_mask, src_is_causal)
    padding = tgt_key_padding_mask, memory_key_padding_mask
    masks = tgt_mask, memory_mask, *padding, tgt_is_causal, memory_is_causal
    return self.decoder(tgt, memory, *masks)


def _triangle(sz: int, device=None, dtype=None):
    """The mask of a text that is read from its beginning: -inf above the diagonal."""
    return full((sz, sz), -float("inf"), dtype=dtype).triu(1)


Transformer.forward = _translate
Transformer.generate_square_subsequent_mask = staticmethod(_triangle)
