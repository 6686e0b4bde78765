# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""More bends, and measures of likeness: formulas, whose gradients are there already."""

from minigrad.elementwise import minimum, sigmoid, softplus, where
from minigrad.nn.layers import elu
from minigrad.ops import tanh
from minigrad.reductions import norm, softmax


def hardtanh(input, min_val: float = -1.0, max_val: float = 1.0, inplace=False):
    """``input`` between two bounds, and there the slope is 1; a bound elsewhere."""
    inside = (input > min_val) & (input < max_val)
    return where(inside, input, input.detach().clamp(min_val, max_val))


def relu6(input, inplace: bool = False):
    """``input`` between 0 and 6."""
    return hardtanh(input, 0.0, 6.0)


def hardsigmoid(input, inplace: bool = False):
    """A line from 0 at -3 to 1 at 3, and level outside."""
    return relu6(input + 3) / 6


def hardswish(input, inplace: bool = False):
    """``input`` times its `hardsigmoid`."""
    return input * hardsigmoid(input)


def threshold(input, threshold: float, value: float, inplace: bool = False):
    """``input`` where it is above a threshold, ``value`` elsewhere."""
    return where(input > threshold, input, value)


def softsign(input):
    """``input`` / (1 + |input|): towards -1 and 1, but slowly."""
    return input / (1 + input.abs())


def logsigmoid(input):
    """The logarithm of the sigmoid, without overflow."""
    return minimum(input, input.new_zeros(())) - (-input.abs()).exp().log1p()


def mish(input, inplace: bool = False):
    """``input`` times tanh of its `softplus`."""
    return input * tanh(softplus(input))


SELU = 1.0507009873554805, 1.6732632423543772  # keep mean 0 and variance 1


def selu(input, inplace: bool = False):
    """An `elu` with the two numbers that keep a normal distribution as it is."""
    return SELU[0] * elu(input, SELU[1])


def celu(input, alpha: float = 1.0, inplace: bool = False):
    """An `elu` whose slope at 0 is 1 for every alpha."""
    return alpha * elu(input / alpha)


def softmin(input, dim: int | None = None, dtype=None):
    """`softmax` of -input."""
    return softmax(-input, -1 if dim is None else dim, dtype)


def glu(input, dim: int = -1):
    """One half of ``input``, times the sigmoid of the other half."""
    if input.shape[dim] % 2:
        raise RuntimeError(
            f"Halving dimension must be even, but dimension {dim % input.ndim} is size "
            f"{input.shape[dim]}: make it twice what is to come out (Chapter 17)"
        )
    values, gates = input.chunk(2, dim)
    return values * sigmoid(gates)


def prelu(input, weight):
    """``input`` where it is positive, and ``weight`` times it elsewhere.

    Several weights belong to the places of axis 1.
    """
    if weight.numel() > 1:
        weight = weight.reshape(-1, *(1,) * (input.ndim - 2))
    return where(input > 0, input, weight * input)


def normalize(input, p: float = 2.0, dim: int = 1, eps: float = 1e-12):
    """``input`` with vectors of length 1 along an axis."""
    return input / norm(input, p, dim, keepdim=True).clamp(min=eps)


def cosine_similarity(x1, x2, dim: int = 1, eps: float = 1e-08):
    """The cosine of the angle between vectors along an axis."""
    lengths = [norm(x, 2, dim).clamp(min=eps) for x in (x1, x2)]
    return (x1 * x2).sum(dim) / (lengths[0] * lengths[1])


def pairwise_distance(x1, x2, p: float = 2.0, eps: float = 1e-06, keepdim=False):
    """The distance between vectors along the last axis."""
    return norm(x1 - x2 + eps, p, -1, keepdim)


from minigrad.nn.losses import reduced  # noqa: E402


def triplet_margin_loss(
    anchor, positive, negative, margin: float = 1.0, p: float = 2, eps: float = 1e-6,
    swap: bool = False, reduction: str = "mean",
):  # fmt: skip
    """How much the positive is not nearer than the negative, by a margin: (n, d)."""
    near = pairwise_distance(anchor, positive, p, eps)
    far = pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = minimum(far, pairwise_distance(positive, negative, p, eps))
    return reduced((margin + near - far).clamp(min=0), reduction)


def margin_ranking_loss(input1, input2, target, margin: float = 0, reduction="mean"):
    """How much ``input1`` is not above ``input2``, for a target 1; below, for -1."""
    return reduced((margin - target * (input1 - input2)).clamp(min=0), reduction)


def cosine_embedding_loss(x1, x2, target, margin: float = 0, reduction="mean"):
    """1 - cosine for a target 1, and for -1 what the cosine is above a margin."""
    lengths = ((x * x).sum(-1) + 1e-12 for x in (x1, x2))
    cosine = (x1 * x2).sum(-1) / (next(lengths) * next(lengths)).sqrt()
    apart = where(target == -1, (cosine - margin).clamp(min=0), 0.0)
    return reduced(where(target == 1, 1 - cosine, apart), reduction)
