# Generated from chapter 8 (book/ch08-leaves.ipynb): edit the chapter, not this.
"""Visitors of a node: what is done when a cotangent is complete, before it goes on."""

from minigrad.autograd.engine import retain
from minigrad.tensor import extend


def retain_grad(self) -> None:
    """Have this non-leaf keep its gradient in ``.grad``; leaves do so anyway.

    Raises RuntimeError for a tensor that requires no gradient.
    """
    if not self.requires_grad:
        raise RuntimeError(
            "can't retain_grad on Tensor that has requires_grad=False: nothing will "
            "arrive here. Set requires_grad on a leaf it is made from (Chapter 8)"
        )
    if not self.is_leaf:
        retain(self)


def retains_grad(self) -> bool:
    """Whether this non-leaf was told to keep its gradient."""
    watch = None if self.is_leaf else self._node.hooks
    return watch is not None and watch.tensor() is not None


extend(retain_grad=retain_grad, retains_grad=property(retains_grad))
