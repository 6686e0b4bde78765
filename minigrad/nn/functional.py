# Generated from chapter 10 (book/ch10-shapes.ipynb): edit the chapter, not this.
"""Functions that networks are made of, where PyTorch keeps them."""

from minigrad.elementwise import gelu, leaky_relu, sigmoid, silu, softplus
from minigrad.ops import relu, tanh
from minigrad.reductions import log_softmax, softmax
from minigrad.shapes import pad

__all__ = ["gelu", "leaky_relu", "log_softmax", "pad", "relu", "sigmoid", "silu"]
__all__ += ["softmax", "softplus", "tanh"]
