# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""A small GPT: a language model of attention, of the size that a notebook can train."""

import numpy as np

from minigrad import nn
from minigrad.autograd.grad_mode import no_grad
from minigrad.creation import ones, tensor
from minigrad.nn.functional import pad
from minigrad.shapes import cat


def delayed(x):
    """One half of the channels comes a place late: (batch, place, channel)."""
    half = x.shape[-1] // 2
    return cat([pad(x[:, :-1, :half], (0, 0, 1, 0)), x[..., half:]], -1)


class Block(nn.Module):
    """Attention, then two layers at each place, each added to what was there."""

    def __init__(self, width: int, heads: int, drop: float = 0.0, shift: bool = True):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.look = nn.MultiheadAttention(width, heads, batch_first=True)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop, self.read = nn.Dropout(drop), delayed if shift else (lambda x: x)
        for layer in (self.look.out_proj, self.down):
            nn.init.normal_(layer.weight, std=0.02)

    def forward(self, x):
        """(batch, place, width) to the same."""
        n = x.shape[1]
        y = self.read(self.norm1(x))
        hidden = ones(n, n).triu(1).bool()
        y, _ = self.look(y, y, y, None, False, hidden, is_causal=True)
        x = x + self.drop(y)
        y = self.up(self.read(self.norm2(x))).relu()
        return x + self.drop(self.down(y))


class GPT(nn.Module):
    """A causal language model: (batch, place) of whole numbers to logits for each."""

    def __init__(
        self, kinds: int, width: int, heads: int, layers: int, context: int,
        drop: float = 0.0, shift: bool = True,
    ):  # fmt: skip
        super().__init__()
        self.context = context
        self.letter, self.place = nn.Embedding(kinds, width), nn.Embedding(context, width)
        blocks = (Block(width, heads, drop, shift) for _ in range(layers))
        self.blocks, self.norm = nn.Sequential(*blocks), nn.LayerNorm(width)
        self.head = nn.Linear(width, kinds, bias=False)
        for layer in (self.letter, self.place, self.head):
            nn.init.normal_(layer.weight, std=0.02)

    def forward(self, ids):
        """Logits (batch, place, kinds) for what comes after each place."""
        x = self.letter(ids) + self.place.weight[: ids.shape[1]]
        return self.head(self.norm(self.blocks(x)))

    @no_grad()
    def write(self, ids: list[int], count: int, random, temperature: float = 1.0):
        """Go on with a text: ``count`` numbers, drawn by a NumPy generator."""
        ids = list(ids)
        for _ in range(count):
            logits = self(tensor([ids[-self.context :]]))[0, -1].numpy()
            p = np.exp((logits - logits.max()) / np.float64(temperature))
            ids.append(int(random.choice(len(p), p=p / p.sum())))
        return ids
