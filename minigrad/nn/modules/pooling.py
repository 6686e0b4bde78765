# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Poolings as modules, and what lays patches out; and chance for whole maps."""

import inspect

from minigrad.nn import functional
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


_SHOWN = "kernel_size", "stride", "padding"
_WINDOW = {"kernel_size": _NEEDED, "stride": None, "padding": 0}
_MAX = _WINDOW | {"dilation": 1, "return_indices": False, "ceil_mode": False}
_AVG = _WINDOW | {"ceil_mode": False, "count_include_pad": True}
_MORE = *_SHOWN, "dilation", "ceil_mode"
MaxPool1d = _windowed("MaxPool1d", "max_pool1d", *_MORE, **_MAX)
MaxPool2d = _windowed("MaxPool2d", "max_pool2d", *_MORE, **_MAX)
AvgPool2d = _windowed("AvgPool2d", "avg_pool2d", *_SHOWN, **_AVG, divisor_override=None)
AdaptiveAvgPool2d = _windowed(
    "AdaptiveAvgPool2d", "adaptive_avg_pool2d", "output_size", output_size=_NEEDED
)
AdaptiveAvgPool1d = _windowed(
    "AdaptiveAvgPool1d", "adaptive_avg_pool1d", "output_size", output_size=_NEEDED
)
_BLOCKS = {"kernel_size": _NEEDED, "dilation": 1, "padding": 0, "stride": 1}
Unfold = _windowed("Unfold", "unfold", *_BLOCKS, **_BLOCKS)
_BLOCKS = {"output_size": _NEEDED} | _BLOCKS
Fold = _windowed("Fold", "fold", *_BLOCKS, **_BLOCKS)


class Dropout2d(Dropout):
    """While training, whole maps become zero, each with probability ``p``."""

    def forward(self, input):
        """Drop, if this is training."""
        return functional.dropout2d(input, self.p, self.training)
