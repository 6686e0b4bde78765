# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Poolings as modules."""

from minigrad.nn import functional
from minigrad.nn.modules.module import Module


class _Pool(Module):
    """A function and its options."""

    names: tuple = ()
    shown: tuple = ()

    def extra_repr(self) -> str:
        """The options that are always said."""
        return ", ".join(f"{name}={getattr(self, name)}" for name in self.shown)

    def forward(self, input):
        """Apply the function."""
        return self.function(input, **{n: getattr(self, n) for n in self.names})


class MaxPool2d(_Pool):
    """The largest number of each window."""

    function = staticmethod(functional.max_pool2d)
    shown = "kernel_size", "stride", "padding", "dilation", "ceil_mode"
    names = *shown, "return_indices"

    def __init__(
        self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False,
        ceil_mode=False,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.padding, self.dilation = kernel_size, padding, dilation
        self.stride = kernel_size if stride is None else stride
        self.return_indices, self.ceil_mode = return_indices, ceil_mode


class AvgPool2d(_Pool):
    """The mean of each window."""

    function = staticmethod(functional.avg_pool2d)
    shown = "kernel_size", "stride", "padding"
    names = *shown, "ceil_mode", "count_include_pad", "divisor_override"

    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False,
        count_include_pad=True, divisor_override=None,
    ):  # fmt: skip
        super().__init__()
        self.kernel_size, self.padding, self.ceil_mode = kernel_size, padding, ceil_mode
        self.stride = kernel_size if stride is None else stride
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override


class AdaptiveAvgPool2d(_Pool):
    """The means of so many parts."""

    function = staticmethod(functional.adaptive_avg_pool2d)
    shown = names = ("output_size",)

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size
