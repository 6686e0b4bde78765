# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Sequences of several lengths in one tensor."""

from minigrad.shapes import cat, stack


def pad_sequence(
    sequences, batch_first: bool = False, padding_value=0.0, padding_side: str = "right"
):
    """Sequences (length, …), filled up to the longest: (longest, batch, …)."""
    longest, rows = max(map(len, sequences)), []
    for s in sequences:
        gap = s.new_full((longest - len(s), *s.shape[1:]), padding_value)
        rows.append(cat([s, gap] if padding_side == "right" else [gap, s]))
    return stack(rows, 0 if batch_first else 1)
