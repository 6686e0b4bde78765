# Generated from chapters 10, 17 and 20: edit the chapters, not this file.
"""Functions that networks are made of, where PyTorch keeps them."""

from minigrad.elementwise import gelu, leaky_relu, sigmoid, silu, softplus
from minigrad.ops import relu, tanh
from minigrad.reductions import log_softmax, softmax
from minigrad.shapes import pad


from minigrad.nn.layers import linear
from minigrad.nn.losses import cross_entropy, mse_loss


from minigrad.nn.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from minigrad.nn.convolution import fold, unfold
from minigrad.nn.pooling import adaptive_avg_pool2d, avg_pool2d, max_pool2d
