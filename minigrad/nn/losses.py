# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Losses: how far a prediction is from a target, as one number or as many."""

import numpy as np

from minigrad.autograd.function import record
from minigrad.elementwise import bare
from minigrad.rules import define
from minigrad.tensor import Tensor


def reduced(loss, reduction: str):
    """All the losses, their mean, or their sum."""
    if reduction == "none":
        return loss
    if reduction in ("mean", "sum"):
        return loss.mean() if reduction == "mean" else loss.sum()
    raise ValueError(
        f"{reduction} is not a valid value for reduction: 'none', 'mean' or 'sum' "
        "(Chapter 17)"
    )


def mse_loss(input, target, reduction: str = "mean"):
    """The squares of the differences."""
    return reduced((input - target) ** 2, reduction)


def cross_entropy(input, target, reduction: str = "mean"):
    """Of logits (n, c) and the numbers of n classes: how surprising these are."""
    return reduced(-input.log_softmax(1).gather(1, target[:, None])[:, 0], reduction)
