# Generated from chapter 24 (book/ch24-tensorboard.ipynb): edit the chapter, not this.
"""Event files that TensorBoard opens."""

__all__ = ["SummaryWriter"]


from minigrad.utils.tensorboard.writer import SummaryWriter
