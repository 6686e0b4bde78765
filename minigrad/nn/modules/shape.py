# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Modules that have no numbers of their own: shapes, chance, nothing at all."""

from minigrad.nn import functional
from minigrad.nn.layers import check_probability
from minigrad.nn.modules.module import Module, typename


class Identity(Module):
    """Whatever comes in; arguments are for show."""

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        """Return the input."""
        return input


class Flatten(Module):
    """Several axes as one; the first is the batch's and stays."""

    def __init__(self, start_dim: int = 1, end_dim: int = -1):
        super().__init__()
        self.start_dim, self.end_dim = start_dim, end_dim

    def forward(self, input):
        """Reshape."""
        return input.flatten(self.start_dim, self.end_dim)

    def extra_repr(self) -> str:
        """From where to where."""
        return f"start_dim={self.start_dim}, end_dim={self.end_dim}"


class Unflatten(Module):
    """One axis as several."""

    def __init__(self, dim: int, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, tuple | list):
            raise TypeError(
                "unflattened_size must be a tuple of ints, but found type "
                f"{typename(unflattened_size)}: write (2, 3) (Chapter 17)"
            )
        self.dim, self.unflattened_size = dim, unflattened_size

    def forward(self, input):
        """Reshape."""
        return input.unflatten(self.dim, self.unflattened_size)

    def extra_repr(self) -> str:
        """Which axis, and into what."""
        return f"dim={self.dim}, unflattened_size={self.unflattened_size}"


class Dropout(Module):
    """While training, zeros with probability ``p``; otherwise nothing."""

    def __init__(self, p: float = 0.5, inplace: bool = False):
        super().__init__()
        check_probability(p)
        self.p, self.inplace = p, inplace

    def forward(self, input):
        """Drop, if this is training."""
        return functional.dropout(input, self.p, self.training)

    def extra_repr(self) -> str:
        """The probability."""
        return f"p={self.p}, inplace={self.inplace}"
