# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Convolutions as modules."""

import math

from minigrad.creation import empty
from minigrad.nn import functional, init
from minigrad.nn.convolution import Grid, numbers
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter


class _Kernels(Module):
    """Kernels, one for each channel that is made, and how they are laid."""

    axes, transposed = 0, False

    def _set(self, ends: tuple, groups: int, bias, mode: str, dtype, **given) -> None:
        """Check and keep the options; draw the kernels."""
        _check_channels(*ends, groups)
        _check_padding(given["padding"], given["stride"], mode)
        self.in_channels, self.out_channels = first, second = ends
        self.groups, self.padding_mode = groups, mode
        for kind, value in given.items():
            if not isinstance(value, str):
                value = numbers(type(self).__name__, kind, value, self.axes)
            setattr(self, kind, value)
        first, second = ends if self.transposed else (second, first)
        shape = first, second // groups, *self.kernel_size
        self.weight = Parameter(empty(*shape, dtype=dtype))
        made = Parameter(empty(self.out_channels, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw weight and bias from ± 1/√k, for k numbers of a kernel."""
        k = math.prod(self.weight.shape[1:])
        for p in self.parameters() if k else ():
            init.uniform_(p, -1 / math.sqrt(k), 1 / math.sqrt(k))


def _extra_repr(self) -> str:
    """Its sizes; of the rest, what is not as usual."""
    ends = f"{self.in_channels}, {self.out_channels}"
    said = f"{ends}, kernel_size={self.kernel_size}, stride={self.stride}"
    zeros, ones = (0,) * self.axes, (1,) * self.axes
    usual = {"padding": zeros, "dilation": ones, "output_padding": zeros, "groups": 1}
    for name, value in usual.items():
        own = getattr(self, name)
        said += f", {name}={own}" * (own != value)
    return said + ", bias=False" * (self.bias is None)


class _Convolution(_Kernels):
    """Kernels that are laid on a picture."""

    extra_repr = _extra_repr

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0,
        dilation=1, groups: int = 1, bias: bool = True, padding_mode="zeros",
        device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
        given |= {"dilation": dilation, "output_padding": 0}
        ends = in_channels, out_channels
        self._set(ends, groups, bias, padding_mode, dtype, **given)

    def forward(self, input):
        """The convolution of an input with the module's kernels."""
        rest = self.stride, self.padding, self.dilation, self.groups
        return self.function(input, self.weight, self.bias, *rest)


def _missing(grid: Grid, sizes: tuple, asked: tuple) -> tuple:
    """The output padding that makes maps of a size that is asked for."""
    least = grid.back(sizes)
    asked = asked[-len(least) :]
    more = tuple(a - b for a, b in zip(asked, least, strict=True))
    if not all(0 <= n < s for n, s in zip(more, grid.stride, strict=True)):
        most = [n + s - 1 for n, s in zip(least, grid.stride, strict=True)]
        raise ValueError(
            f"requested an output size of {list(asked)}, but valid sizes range from "
            f"{list(least)} to {most} (for an input of {list(sizes)}): ask for one of "
            "these (Chapter 20)"
        )
    return more


class _Transposed(_Kernels):
    """The transpose of a convolution: from small maps to large ones."""

    transposed, extra_repr = True, _extra_repr

    def __init__(
        self, in_channels: int, out_channels: int, kernel_size, stride=1, padding=0,
        output_padding=0, groups: int = 1, bias: bool = True, dilation=1,
        padding_mode="zeros", device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
        given |= {"dilation": dilation, "output_padding": output_padding}
        ends = in_channels, out_channels
        self._set(ends, groups, bias, padding_mode, dtype, **given)

    def forward(self, input, output_size=None):
        """The transpose of a convolution; ``output_size`` may say how large it gets."""
        more = self.output_padding
        if output_size is not None:
            grid = Grid(self.kernel_size, self.stride, self.padding, self.dilation)
            more = _missing(grid, input.shape[-self.axes :], tuple(output_size))
        rest = self.padding, more, self.groups, self.dilation
        return self.function(input, self.weight, self.bias, self.stride, *rest)


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


class ConvTranspose1d(_Transposed):
    """The transpose of Conv1d: (n, c, l) to longer ones."""

    axes, function = 1, staticmethod(functional.conv_transpose1d)


class ConvTranspose2d(_Transposed):
    """The transpose of Conv2d: (n, c, h, w) to larger ones."""

    axes, function = 2, staticmethod(functional.conv_transpose2d)
