# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Maps that are linear, look things up, or do nothing."""

import math

from minigrad.creation import empty
from minigrad.nn import functional, init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter


class _Affine(Module):
    """The parameters of an affine map."""

    def __init__(
        self, in_features: int, out_features: int, bias=True, device=None, dtype=None
    ):
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = Parameter(empty(out_features, in_features, dtype=dtype))
        self.bias = Parameter(empty(out_features, dtype=dtype)) if bias else None
        self.reset_parameters()


class Linear(_Affine):
    """The map x @ weight.T + bias of the last axis: (..., in) to (..., out)."""

    def reset_parameters(self) -> None:
        """Draw weight and bias evenly from ± 1/√in_features."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            bound = 1 / math.sqrt(self.in_features) if self.in_features else 0
            init.uniform_(self.bias, -bound, bound)

    def forward(self, input):
        """Map the last axis."""
        return functional.linear(input, self.weight, self.bias)

    def extra_repr(self) -> str:
        """Its sizes."""
        return (
            f"in_features={self.in_features}, out_features={self.out_features}, "
            f"bias={self.bias is not None}"
        )
