# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Convolutions as modules."""

import math

from minigrad.creation import empty
from minigrad.nn import functional, init
from minigrad.nn.convolution import numbers
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter


class _Kernels(Module):
    """Kernels, one for each channel that is made, and how they are laid."""

    axes = 0

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0,
        dilation=1, groups: int = 1, bias: bool = True, padding_mode="zeros",
        device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        _check_channels(in_channels, out_channels, groups)
        _check_padding(padding, stride, padding_mode)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.groups, self.padding_mode, self.padding = groups, padding_mode, padding
        given = {"kernel_size": kernel_size, "stride": stride, "dilation": dilation}
        given |= {} if isinstance(padding, str) else {"padding": padding}
        for kind, value in given.items():
            setattr(self, kind, numbers(type(self).__name__, kind, value, self.axes))
        shape = out_channels, in_channels // groups, *self.kernel_size
        self.weight = Parameter(empty(*shape, dtype=dtype))
        self.bias = Parameter(empty(out_channels, dtype=dtype)) if bias else None
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias from ± 1/√k, for k numbers of a kernel."""
        k = math.prod(self.weight.shape[1:])
        bound = 1 / math.sqrt(k) if k else 0
        init.uniform_(self.weight, -bound, bound)
        if self.bias is not None:
            init.uniform_(self.bias, -bound, bound)


class _Convolution(_Kernels):
    """The function that lays kernels, and how a module prints."""

    def forward(self, input):
        """The convolution of an input with the module's kernels."""
        rest = self.stride, self.padding, self.dilation, self.groups
        return self.function(input, self.weight, self.bias, *rest)

    def extra_repr(self) -> str:
        """Its sizes; of the rest, what is not as usual."""
        ends = f"{self.in_channels}, {self.out_channels}"
        said = f"{ends}, kernel_size={self.kernel_size}, stride={self.stride}"
        zeros, ones = (0,) * self.axes, (1,) * self.axes
        for name, usual in (("padding", zeros), ("dilation", ones), ("groups", 1)):
            own = getattr(self, name)
            said += f", {name}={own}" * (own != usual)
        return said + ", bias=False" * (self.bias is None)


def _check_channels(inward: int, outward: int, groups: int) -> None:
    """Refuse channels that cannot be divided into groups."""
    if groups <= 0:
        raise ValueError("groups must be a positive integer: 1 or more (Chapter 20)")
    for name, channels in (("in_channels", inward), ("out_channels", outward)):
        if channels % groups:
            raise ValueError(
                f"{name} must be divisible by groups: {channels} by {groups} is not "
                "(Chapter 20)"
            )


def _check_padding(padding, stride, mode: str) -> None:
    """Refuse padding of a kind that is not there."""
    if isinstance(padding, str) and padding not in ("valid", "same"):
        raise ValueError(
            f"Invalid padding string {padding!r}, should be one of {{'valid', 'same'}};"
            " or write a number (Chapter 20)"
        )
    if padding == "same" and stride not in (1, (1,), (1, 1)):
        raise ValueError(
            "padding='same' is not supported for strided convolutions: write a number "
            "(Chapter 20)"
        )
    if mode != "zeros":
        raise ValueError(
            "padding_mode must be one of {'zeros'}, but got "
            f"padding_mode={mode!r}: the others are not built (Chapter 20)"
        )


class Conv1d(_Convolution):
    """Kernels laid on (n, c, l)."""

    axes, function = 1, staticmethod(functional.conv1d)


class Conv2d(_Convolution):
    """Kernels laid on (n, c, h, w)."""

    axes, function = 2, staticmethod(functional.conv2d)
