# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Activations as modules."""

from minigrad.nn import functional as F
from minigrad.nn.modules.module import Module


class _Function(Module):
    """A function of `functional` as a module: what it is given, it remembers."""

    options: tuple = ()

    def __init__(self, *values, **named):
        super().__init__()
        for (name, default), value in zip(
            self.options, [*values, *(d for _, d in self.options[len(values) :])]
        ):
            setattr(self, name, named.pop(name, value))

    def forward(self, input):
        """Apply the function."""
        return self.function(input)


class ReLU(_Function):
    """max(x, 0)."""

    function = staticmethod(F.relu)


class Tanh(_Function):
    """tanh x."""

    function = staticmethod(F.tanh)


class Sigmoid(_Function):
    """1 / (1 + exp(-x))."""

    function = staticmethod(F.sigmoid)
