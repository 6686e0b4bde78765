# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Poolings as modules, and what lays patches out; and chance for whole maps."""

import inspect

from minigrad.nn import functional
from minigrad.nn.modules.norm import _LayerNorm
from minigrad.nn.modules.shape import Dropout
from minigrad.nn.modules.wrapped import _remember, module

_NEEDED = inspect.Parameter.empty  # an option without a usual value


def _windowed(kind: str, function: str, *shown: str, **options):
    """A class of modules that call a function on windows, and show some options."""
    made = module(kind, function, **options)

    def remember(self, *args, **given):
        _remember(self, *args, **given)
        if getattr(self, "stride", 1) is None:
            self.stride = self.kernel_size

    def extra_repr(self) -> str:
        return ", ".join(f"{name}={getattr(self, name)}" for name in shown)

    made.__init__, made.extra_repr = remember, extra_repr
    return made


_SHOWN, _SIZE = ("kernel_size", "stride", "padding"), {"output_size": _NEEDED}
_WINDOW = {"kernel_size": _NEEDED, "stride": None, "padding": 0}
_MAX = _WINDOW | {"dilation": 1, "return_indices": False, "ceil_mode": False}
_AVG = _WINDOW | {"ceil_mode": False, "count_include_pad": True}
MaxPool1d, MaxPool2d = (
    _windowed(f"MaxPool{d}d", f"max_pool{d}d", *_SHOWN, "dilation", "ceil_mode", **_MAX)
    for d in (1, 2)
)
AvgPool2d = _windowed("AvgPool2d", "avg_pool2d", *_SHOWN, **_AVG, divisor_override=None)
AdaptiveAvgPool1d, AdaptiveAvgPool2d = (
    _windowed(f"AdaptiveAvgPool{d}d", f"adaptive_avg_pool{d}d", *_SIZE, **_SIZE)
    for d in (1, 2)
)
_BLOCKS = {"kernel_size": _NEEDED, "dilation": 1, "padding": 0, "stride": 1}
Unfold = _windowed("Unfold", "unfold", *_BLOCKS, **_BLOCKS)
Fold = _windowed("Fold", "fold", *_SIZE, *_BLOCKS, **_SIZE, **_BLOCKS)


class Dropout2d(Dropout):
    """While training, whole maps become zero, each with probability ``p``."""

    def forward(self, input):
        """Drop, if this is training."""
        return functional.dropout2d(input, self.p, self.training)


Upsample = module(
    "Upsample", "interpolate", size=None, scale_factor=None, mode="nearest",
    align_corners=None, recompute_scale_factor=None,
)  # fmt: skip
Upsample.extra_repr = lambda self: (
    f"size={self.size}, mode={self.mode!r}"
    if self.scale_factor is None
    else f"scale_factor={float(self.scale_factor)}, mode={self.mode!r}"
)


class GroupNorm(_LayerNorm):
    """Standardise each example over groups of its channels (axis 1)."""

    def __init__(
        self, num_groups: int, num_channels: int, eps=1e-05, affine=True, device=None,
        dtype=None, *, bias=True,
    ):  # fmt: skip
        super().__init__(num_channels, eps, affine, bias, device, dtype)
        if num_channels % num_groups:
            raise ValueError(
                f"num_channels ({num_channels}) must be divisible by num_groups "
                f"({num_groups}): groups are of equal size (Chapter 20)"
            )
        self.num_groups, self.num_channels = num_groups, num_channels
        self.affine = affine

    def forward(self, input):
        """Standardise."""
        how = self.num_groups, self.weight, self.bias, self.eps
        return functional.group_norm(input, *how)

    def extra_repr(self) -> str:
        """Groups and channels, and what else was chosen."""
        return (
            f"{self.num_groups}, {self.num_channels}, eps={self.eps}, affine="
            f"{self.affine}, bias={self.bias is not None}"
        )
