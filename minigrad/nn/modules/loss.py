# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Losses as modules."""

from minigrad.nn import functional as F
from minigrad.nn.modules.module import Module


class _Loss(Module):
    """A loss with its reduction."""

    def __init__(self, reduction: str = "mean"):
        super().__init__()
        self.reduction = reduction

    def forward(self, input, target):
        """The loss of a prediction against a target."""
        return self.function(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """The squares of the differences."""

    function = staticmethod(F.mse_loss)


class CrossEntropyLoss(_Loss):
    """How surprising the classes are."""

    function = staticmethod(F.cross_entropy)
