# Generated from chapters 10, 17, 19, 20 and 21: edit the chapters, not this file.
"""Functions that networks are made of, where PyTorch keeps them."""

from minigrad.elementwise import gelu, leaky_relu, sigmoid, silu, softplus
from minigrad.ops import relu, tanh
from minigrad.reductions import log_softmax, softmax
from minigrad.shapes import pad


from minigrad.nn.layers import linear


import warnings

from minigrad import reductions
from minigrad.nn.activations import (
    celu, cosine_similarity, glu, hardsigmoid, hardswish, hardtanh, logsigmoid, mish,
    normalize, pairwise_distance, prelu, relu6, selu, softmin, softsign, threshold,
    cosine_embedding_loss, margin_ranking_loss, triplet_margin_loss,
)  # fmt: skip
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


import numpy as np

from minigrad.errors import wrong_type
from minigrad.tensor import Tensor, wrap


def one_hot(tensor: Tensor, num_classes: int = -1) -> Tensor:
    """Labels (int64, any shape) as rows of 0 and a 1: int64, shape + (num_classes,).

    With -1 there are as many classes as the largest label asks for. RuntimeError for a
    label that is negative or too large, for other dtypes, and for -1 without labels.
    """
    if not isinstance(tensor, Tensor):
        raise wrong_type("one_hot(): argument 'input' (position 1)", "Tensor", tensor)
    classes = _classes(tensor._array, num_classes)
    rows = np.zeros((*tensor.shape, classes), np.int64)
    np.put_along_axis(rows, tensor._array[..., None], 1, -1)
    return wrap(rows)


def _classes(labels: np.ndarray, classes: int) -> int:
    """The number of classes; refuse labels that are none of them."""
    if labels.dtype != np.int64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor: convert "
            "the labels, labels.long() (Chapter 19)"
        )
    if labels.min(initial=0) < 0:
        raise RuntimeError(
            "Class values must be non-negative: number the classes from 0 (Chapter 19)"
        )
    if classes == -1 and not labels.size:
        raise RuntimeError(
            "Can not infer total number of classes from empty tensor: give num_classes "
            "(Chapter 19)"
        )
    largest = int(labels.max(initial=-1))
    if classes != -1 and not largest < max(classes, 1):
        raise RuntimeError(
            f"Class values must be smaller than num_classes. {largest} needs "
            f"{largest + 1} classes or more (Chapter 19)"
        )
    return largest + 1 if classes == -1 else classes


from minigrad.nn.convolution import (
    conv1d, conv2d, conv_transpose1d, conv_transpose2d, fold, unfold,
)  # fmt: skip
from minigrad.nn.windows import (
    adaptive_avg_pool1d, adaptive_avg_pool2d, avg_pool1d, avg_pool2d, max_pool1d,
    max_pool2d,
)  # fmt: skip


from minigrad.creation import ones


def dropout2d(input, p: float = 0.5, training: bool = True, inplace: bool = False):
    """Dropout of whole maps: all numbers of a channel of an example, or none."""
    if not training:
        return dropout(input, p, training)
    each = *input.shape[:2], *[1] * (input.ndim - 2)
    return input * dropout(ones(each, dtype=input.dtype), p)


def group_norm(input, num_groups: int, weight=None, bias=None, eps: float = 1e-05):
    """Standardise each example over groups of channels; then scale and shift."""
    if input.ndim < 2 or input.shape[1] % num_groups:
        raise RuntimeError(
            "Expected number of channels in input to be divisible by num_groups, but "
            f"got input of shape {list(input.shape)} and num_groups={num_groups}: the "
            "channels are on axis 1 (Chapter 20)"
        )
    rows, each = input.reshape(len(input), num_groups, -1), (-1, *[1] * input.ndim)[:-2]
    out = layer_norm(rows, rows.shape[2:], eps=eps).reshape(input.shape)
    out = out if weight is None else out * weight.reshape(each)
    return out if bias is None else out + bias.reshape(each)


def shares(n: int, size: int, step: float, mode: str, corners) -> np.ndarray:
    """The matrix (size, n) that makes ``size`` numbers of n, ``step`` apart."""
    k, eye = np.arange(size), np.eye(n)
    if "nearest" in mode:
        place = (k + (mode != "nearest") / 2) * step
        return eye[np.minimum(place, n - 1).astype(int)]
    wide = (n - 1) / max(size - 1, 1)
    place = k * wide if corners else np.maximum((k + 0.5) * step - 0.5, 0)
    low = np.minimum(place.astype(int), n - 1)
    part = (place - low)[:, None]
    return eye[low] * (1 - part) + eye[np.minimum(low + 1, n - 1)] * part


def interpolate(
    input, size=None, scale_factor=None, mode="nearest", align_corners=None,
    recompute_scale_factor=None, antialias=False,
):  # fmt: skip
    """Another size of the axes after the first two: nearest, or linear between two."""
    lengths, scaled = input.shape[2:], size is None
    _check_sizes(len(lengths), size, scale_factor, mode, align_corners, antialias)
    each = scale_factor if scaled else size
    each = each if isinstance(each, (list, tuple)) else [each] * len(lengths)
    for axis, (n, x) in enumerate(zip(lengths, each, strict=True), 2):
        new = int(n * x) if scaled else x
        step = 1 / x if scaled and not recompute_scale_factor else n / new
        w = wrap(shares(n, new, step, mode, align_corners).astype(input._array.dtype))
        input = (input.transpose(axis, -1) @ w.T).transpose(axis, -1)
    return input


def _check_sizes(axes: int, size, scale, mode: str, corners, smooth) -> None:
    """Refuse what gives no size, or two, and the kinds that are not built."""
    if (size is None) == (scale is None):
        raise ValueError(
            f"{'either' if size is None else 'only one of'} size or scale_factor "
            "should be defined: size=(8, 8) (Chapter 20)"
        )
    if corners is not None and "nearest" in mode:
        raise ValueError(
            "align_corners option can only be set with the interpolating modes: linear "
            "| bilinear | bicubic | trilinear, leave it out (Chapter 20)"
        )
    known = "nearest", "nearest-exact", {1: "linear", 2: "bilinear"}.get(axes)
    needs = {"linear": 3, "trilinear": 5}.get(mode, 4)
    if smooth or mode not in known:
        raise NotImplementedError(
            f"Got {axes + 2}D input, but {mode} mode needs {needs}D input, or is not "
            f"built here: {', '.join(filter(None, known))}, without antialias "
            "(Chapter 20)"
        )


from minigrad.nn.attention import scaled_dot_product_attention


from minigrad.nn.layers import gelu  # noqa: F811
