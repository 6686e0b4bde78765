# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Initial values: numbers drawn so that signals neither die nor explode."""

import math

from minigrad.autograd.grad_mode import no_grad


def uniform_(tensor, a: float = 0.0, b: float = 1.0, generator=None):
    """Fill with numbers from [a, b)."""
    with no_grad():
        return tensor.uniform_(a, b, generator=generator)
