# Generated from chapters 10 and 17: edit the chapters, not this file.
"""Functions that networks are made of, where PyTorch keeps them."""

from minigrad.elementwise import gelu, leaky_relu, sigmoid, silu, softplus
from minigrad.ops import relu, tanh
from minigrad.reductions import log_softmax, softmax
from minigrad.shapes import pad


from minigrad.nn.layers import linear


import warnings

from minigrad import reductions
from minigrad.nn.layers import batch_norm, dropout, elu, embedding, layer_norm
from minigrad.nn.losses import (
    binary_cross_entropy,
    binary_cross_entropy_with_logits,
    cross_entropy,
    huber_loss,
    kl_div,
    l1_loss,
    mse_loss,
    nll_loss,
    smooth_l1_loss,
)


def _along(name: str):
    """Softmax and log_softmax as PyTorch has them here: the axis may be left out."""

    def normalise(input, dim: int | None = None, dtype=None):
        if dim is None:
            warnings.warn(
                f"Implicit dimension choice for {name} has been deprecated. Change the "
                "call to include dim=X as an argument.",
                stacklevel=2,
            )
            dim = 0 if input.ndim in (0, 1, 3) else 1
        return getattr(reductions, name)(input, dim, dtype)

    normalise.__name__ = normalise.__qualname__ = name
    return normalise


softmax, log_softmax = _along("softmax"), _along("log_softmax")  # noqa: F811
