# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Convolutions as modules."""

import math

from minigrad.creation import empty
from minigrad.nn import functional as F, init
from minigrad.nn.convolution import numbers
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter


class _Convolution(Module):
    """What they share: kernels, and how these are drawn, laid and printed."""

    axes = 0
    turned = False

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0,
        dilation=1, groups: int = 1, bias: bool = True, padding_mode="zeros",
        device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        name, d = type(self).__name__, self.axes
        _check(in_channels, out_channels, groups, padding, stride, padding_mode)
        self.in_channels, self.out_channels = in_channels, out_channels
        self.groups, self.padding_mode = groups, padding_mode
        self.kernel_size = numbers(name, "kernel_size", kernel_size, d)
        self.stride = numbers(name, "stride", stride, d)
        self.dilation = numbers(name, "dilation", dilation, d)
        word = isinstance(padding, str)
        self.padding = padding if word else numbers(name, "padding", padding, d)
        ends = (in_channels, out_channels) if self.turned else (out_channels, in_channels)
        shape = ends[0], ends[1] // groups, *self.kernel_size
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

    def extra_repr(self) -> str:
        """Its sizes; of the rest, what is not as usual."""
        said = f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}"
        said += f", stride={self.stride}"
        one = (1,) * self.axes
        usual = {"padding": (0,) * self.axes, "dilation": one, "groups": 1}
        for name, value in usual.items():
            own = getattr(self, name)
            said += f", {name}={own}" * (own != value)
        return said + ", bias=False" * (self.bias is None)


def _check(inward: int, outward: int, groups: int, padding, stride, mode) -> None:
    """Refuse what no convolution can be made of."""
    if groups <= 0:
        raise ValueError("groups must be a positive integer: 1 or more (Chapter 20)")
    for name, channels in (("in_channels", inward), ("out_channels", outward)):
        if channels % groups:
            raise ValueError(
                f"{name} must be divisible by groups: {channels} by {groups} is not "
                "(Chapter 20)"
            )
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

    axes = 1

    def forward(self, input):
        """The convolution."""
        rest = self.stride, self.padding, self.dilation, self.groups
        return F.conv1d(input, self.weight, self.bias, *rest)


class Conv2d(_Convolution):
    """Kernels laid on (n, c, h, w)."""

    axes = 2

    def forward(self, input):
        """The convolution."""
        rest = self.stride, self.padding, self.dilation, self.groups
        return F.conv2d(input, self.weight, self.bias, *rest)
