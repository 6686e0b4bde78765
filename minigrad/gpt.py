# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""A small GPT: a language model of attention, of the size that a notebook can train."""

import numpy as np

from minigrad import nn
from minigrad.autograd.grad_mode import no_grad
from minigrad.creation import ones, tensor
from minigrad.nn.functional import pad
from minigrad.optim import AdamW
from minigrad.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
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
        self.letter = nn.Embedding(kinds, width)
        self.place = nn.Embedding(context, width)
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


def windows(ids, context: int, count: int, random) -> tuple:
    """A batch of random pieces of a text (an array), and what follows each place."""
    start = random.integers(0, len(ids) - context, (count, 1))
    piece = ids[start + np.arange(context + 1)]
    return tensor(piece[:, :-1]), tensor(piece[:, 1:])


@no_grad()
def held_out(model, ids) -> float:
    """The mean loss over a text, where each place sees half a context or more.

    Windows overlap by one half, and only the second half of each is counted, except in
    the first: so every character but the first is asked for once.
    """
    n, late = model.context, np.arange(model.context) >= model.context // 2
    starts = [*range(0, len(ids) - n - 1, n // 2), len(ids) - n - 1]
    losses, training = np.full(len(ids), np.nan), model.training
    model.eval()
    for some in np.array_split(starts, len(starts) // 32 + 1):
        place = some[:, None] + np.arange(n)
        logits = model(tensor(ids[place])).transpose(1, 2)
        asked = tensor(ids[place + 1])
        found = nn.functional.cross_entropy(logits, asked, reduction="none").numpy()
        kept = late | (some == 0)[:, None]
        losses[place[kept] + 1] = found[kept]
    model.train(training)
    return float(losses[1:].mean())


def recipe(model, rate: float, decay: float, steps: int, warm: int = 50) -> tuple:
    """AdamW for matrices, without decay for the rest; and a rate up, then down."""
    groups = [
        {"params": [p for p in model.parameters() if p.ndim > 1]},
        {"params": [p for p in model.parameters() if p.ndim < 2], "weight_decay": 0.0},
    ]
    optimizer = AdamW(groups, lr=rate, betas=(0.9, 0.95), weight_decay=decay)
    up = LinearLR(optimizer, 1 / warm, total_iters=warm)
    down = CosineAnnealingLR(optimizer, steps - warm)
    return optimizer, SequentialLR(optimizer, [up, down], [warm])


def learn(model, optimizer, schedule, ids, count: int, random) -> float:
    """One step on ``count`` pieces of a text; return the loss before it."""
    x, y = windows(ids, model.context, count, random)
    loss = nn.functional.cross_entropy(model(x).flatten(0, 1), y.flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    schedule.step()
    return loss.item()
