# Generated from chapters 17 and 21: edit the chapters, not this file.
"""Functions of networks that have a rule of their own: one node for several steps."""

import numpy as np

from minigrad.autograd.function import record
from minigrad.autograd.grad_mode import no_grad
from minigrad.elementwise import where
from minigrad.errors import wrong_type
from minigrad.inplace import _NAMES
from minigrad.random import default_generator
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import Tensor, wrap


def rows(x):
    """All axes but the last as one."""
    return x if len(x.shape) == 2 else np.reshape(x, (-1, x.shape[-1]))


def affine(x, w, b=None):
    """The product x @ w.T + b for rows x of any number of axes."""
    z = rows(x) @ w.T
    if b is not None:
        z += b
    return z if x.ndim == 2 else z.reshape((*x.shape[:-1], len(w)))


_addmm = record(
    define(
        "addmm",
        lambda b, x, w: affine(x, w, b),
        b=lambda g: np.sum(rows(g), axis=0),
        x=lambda g, w: affine(g, w.T),
        w=lambda g, x: np.matmul(np.transpose(rows(g)), rows(x)),
    ),
    "linear",
    "AddmmBackward0",
)
_mm = record(
    define(
        "mm_t",
        lambda x, w: affine(x, w),
        x=lambda g, w: affine(g, w.T),
        w=lambda g, x: np.matmul(np.transpose(rows(g)), rows(x)),
    ),
    "linear",
    "MmBackward0",
)


def linear(input, weight, bias=None):
    """The map input @ weight.T + bias: (..., m) to (..., n) for a weight (n, m)."""
    for k, (name, x) in enumerate((("input", input), ("weight", weight))):
        if not isinstance(x, Tensor):
            said = f"linear(): argument '{name}' (position {k + 1})"
            raise wrong_type(said, "Tensor", x)
    x, w = input._array, weight._array
    if w.ndim == 1 and bias is None:
        return input @ weight
    _check_linear(x, w, bias)
    return _mm(input, weight) if bias is None else _addmm(bias, input, weight)


def _check_linear(x, w, bias) -> None:
    """Refuse what cannot be multiplied, or not be added."""
    if x.ndim == 0:
        raise RuntimeError(
            "both arguments to linear need to be at least 1D, but they are "
            f"{x.ndim}D and {w.ndim}D: x.reshape(1) (Chapter 17)"
        )
    if w.ndim != 2 or x.shape[-1] != w.shape[1]:
        shapes = f"{rows(np.atleast_2d(x)).shape} and {w.shape[::-1]}"
        raise RuntimeError(
            "mat1 and mat2 shapes cannot be multiplied "
            f"({shapes.replace(', ', 'x')[1:]}".replace(") and (", " and ")
            + f": the input's last axis must have in_features = {w.shape[-1]} "
            "(Chapter 17)"
        )
    if x.dtype != w.dtype:
        given = _NAMES[x.dtype.name], _NAMES[w.dtype.name]
        lower = [name.lower() for name in given]
        raise RuntimeError(
            (
                f"mat1 and mat2 must have the same dtype, but got {' and '.join(given)}"
                if bias is not None
                else "expected m1 and m2 to have the same dtype, but got: "
                f"{' != '.join(lower)}"
            )
            + ": convert one, x.float() (Chapter 17)"
        )
    if bias is not None and bias._array.shape not in ((len(w),), (1,), ()):
        raise RuntimeError(
            f"The expanded size of the tensor ({len(w)}) must match the existing size "
            f"({bias.shape[-1]}) at non-singleton dimension 1: a bias has "
            "out_features numbers (Chapter 17)"
        )


def standard(x, axis: tuple, eps: float) -> tuple:
    """Less its mean and over its deviation, along axes; and one over the deviation."""
    d = x - np.mean(x, axis=axis, keepdims=True)
    scale = 1 / np.sqrt(np.mean(d * d, axis=axis, keepdims=True) + eps)
    return d * scale, scale


def standard_back(g, x, axis: tuple, eps: float):
    """The cotangent of what was standardised: less its mean, less its part along x̂."""
    z, scale = standard(x, axis, eps)
    along = z * np.mean(g * z, axis=axis, keepdims=True)
    return (g - np.mean(g, axis=axis, keepdims=True) - along) * scale


define(
    "standardise",
    lambda x, w, b, *, axis, eps: standard(x, axis, eps)[0] * w + b,
    x=lambda g, x, w, axis, eps: standard_back(g * w, x, axis, eps),
    w=lambda g, x, axis, eps: g * standard(x, axis, eps)[0],
    b=lambda g: g,
)
_layer_norm = record(
    PRIMITIVES["standardise"], "layer_norm", "NativeLayerNormBackward0"
)
_batch_norm = record(
    PRIMITIVES["standardise"], "batch_norm", "NativeBatchNormBackward0"
)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps: float = 1e-05):
    """Standardise each example over its last axes; then scale and shift."""
    shape, n = tuple(normalized_shape), len(tuple(normalized_shape))
    if not n or tuple(input.shape[-n:]) != shape:
        raise RuntimeError(
            f"Given normalized_shape={list(shape)}, expected input with shape "
            f"[*, {', '.join(map(str, shape))}], but got input of size"
            f"{list(input.shape)}: the last axes are normalised (Chapter 17)"
        )
    for name, x in (("weight", weight), ("bias", bias)):
        if x is not None and tuple(x.shape) != shape:
            raise RuntimeError(
                f"Expected {name} to be of same shape as normalized_shape, but got "
                f"{name} of shape {list(x.shape)} and normalized_shape = "
                f"{list(shape)}: one number for each place (Chapter 17)"
            )
    w, b = 1.0 if weight is None else weight, 0.0 if bias is None else bias
    return _layer_norm(input, w, b, tuple(range(input.ndim - n, input.ndim)), eps)


def batch_norm(
    input,
    running_mean,
    running_var,
    weight=None,
    bias=None,
    training: bool = False,
    momentum: float = 0.1,
    eps: float = 1e-05,
):
    """Standardise each channel (axis 1) over the batch, or by what was noted before."""
    count, axis = input.shape[1], (0, *range(2, input.ndim))
    _check_statistics(input, count, running_mean, running_var, training)

    def along(x, missing):
        return missing if x is None else x.view(-1, *(1,) * (input.ndim - 2))

    w, b = along(weight, 1.0), along(bias, 0.0)
    if not training:
        scale = 1 / (along(running_var, 1.0) + eps).sqrt()
        return (input - along(running_mean, 0.0)) * scale * w + b
    if running_mean is not None:
        _note_statistics(input._array, axis, running_mean, running_var, momentum)
    return _batch_norm(input, w, b, axis, eps)


def _note_statistics(x, axis: tuple, running_mean, running_var, momentum: float):
    """Move the running mean and variance towards those of a batch, in place."""
    n = x.size // x.shape[1]
    with no_grad():
        mean, var = x.mean(axis=axis), x.var(axis=axis) * (n / (n - 1))
        for running, now in ((running_mean, mean), (running_var, var)):
            running.mul_(1 - momentum).add_(wrap(now * now.dtype.type(momentum)))


def _check_statistics(input, count: int, mean, var, training: bool) -> None:
    """Refuse batches without a variance, and statistics of other channels."""
    if not training and (mean is None or var is None):
        name = "running_mean" if mean is None else "running_var"
        raise RuntimeError(
            f"{name} must be defined in evaluation mode: pass it, or training=True "
            "(Chapter 17)"
        )
    if training and input.numel() // max(count, 1) <= 1:
        raise ValueError(
            "Expected more than 1 value per channel when training, got input size "
            f"{input.shape}: one number has no variance; model.eval() uses the running "
            "ones (Chapter 17)"
        )
    for name, x in (("running_mean", mean), ("running_var", var)):
        if x is not None and x.numel() != count:
            raise RuntimeError(
                f"{name} should contain {count} elements not {x.numel()}: the channels "
                "are on axis 1 (Chapter 17)"
            )


def check_probability(p: float) -> None:
    """Refuse what is no probability."""
    if not 0 <= p <= 1:
        raise ValueError(
            f"dropout probability has to be between 0 and 1, but got {p}: write the "
            "part that is dropped, 0.5 (Chapter 17)"
        )


def dropout(input, p: float = 0.5, training: bool = True, inplace: bool = False):
    """While training, zeros with probability ``p``, and the rest 1 / (1 - p) larger."""
    check_probability(p)
    if not training or p == 0:
        return input
    array = input._array
    kept = default_generator.uniform(array.size, np.dtype(float)) >= p
    scale = kept.reshape(array.shape).astype(array.dtype) / (1 - p or 1)
    return input * wrap(scale.astype(array.dtype))


_embedding = record(PRIMITIVES["pick_at"], "embedding", "EmbeddingBackward0")


def embedding(input, weight, padding_idx=None, max_norm=None, norm_type: float = 2.0):
    """Rows of ``weight`` by number; that of ``padding_idx`` has no gradient."""
    if not isinstance(input, Tensor):
        raise wrong_type(
            "embedding(): argument 'indices' (position 2)", "Tensor", input
        )
    index, count = input._array, len(weight)
    if index.dtype.kind not in "iu" or index.dtype.itemsize < 4:
        raise RuntimeError(
            "Expected tensor for argument #1 'indices' to have one of the following "
            f"scalar types: Long, Int; but got torch.{_NAMES[index.dtype.name]}Tensor "
            "instead (while checking arguments for embedding): input.long() "
            "(Chapter 17)"
        )
    if not ((index >= 0) & (index < count)).all():
        raise IndexError(
            f"index out of range in self: rows are numbered from 0 to {count - 1} "
            "(Chapter 17)"
        )
    check_padding(padding_idx, count)
    if max_norm is not None:
        _shorten(weight, np.unique(index), max_norm, norm_type)
    if padding_idx is not None:
        rest = np.arange(count)[:, None] != padding_idx % count
        weight = where(wrap(rest), weight, weight.detach())
    return _embedding(weight, index)


def _shorten(weight, used, max_norm: float, norm_type: float) -> None:
    """Bring the rows that are used to a norm of at most ``max_norm``, in place."""
    rows = weight._array[used]
    norms = np.linalg.norm(rows, norm_type, axis=1, keepdims=True)
    scale = np.where(norms > max_norm, max_norm / (norms + 1e-7), 1)
    with no_grad():
        weight[wrap(used)] = wrap((rows * scale).astype(rows.dtype))


def check_padding(padding_idx: int | None, count: int) -> None:
    """Refuse the number of a row that there is not."""
    if padding_idx is not None and not -count <= padding_idx < count:
        raise AssertionError(
            f"Padding_idx must be within num_embeddings: {padding_idx} of {count} rows "
            "(Chapter 17)"
        )


define(
    "elu",
    lambda x, *, alpha: np.where(x > 0, x, alpha * np.expm1(np.minimum(x, 0))),
    x=lambda g, x, alpha: g * np.where(x > 0, 1, alpha * np.exp(np.minimum(x, 0))),
)
_elu = record(PRIMITIVES["elu"], "elu", "EluBackward0")


def elu(input, alpha: float = 1.0, inplace: bool = False):
    """``input`` where it is positive, alpha (exp(input) - 1) elsewhere."""
    return _elu(input, alpha)


from minigrad.elementwise import gelu as _gelu  # noqa: E402

BEND, CUBE = (2 / np.pi) ** 0.5, 0.044715


def _bent(x):
    """The tanh in gelu: tanh(√(2/π) (x + 0.044715 x³))."""
    if type(x) is not np.ndarray:
        return np.tanh(BEND * (x + CUBE * (x * x * x)))
    t = x * x
    t *= CUBE * BEND
    t += BEND
    t *= x
    return np.tanh(t, out=t)


def gelu_tanh(x):
    """The tanh form of gelu: half of x, times 1 + tanh."""
    y = _bent(x)
    y += 1
    y *= x
    y *= 0.5
    return y


def gelu_tanh_back(g, x, out):
    """The cotangent of x: (1 + t + x (1 - t²) times the slope inside tanh) / 2."""
    if type(g) is not np.ndarray:
        t = _bent(x)
        return g * (1 + t + x * (1 - t * t) * (BEND * (1 + 3 * CUBE * (x * x)))) * 0.5
    half = out / x  # (1 + t) / 2, cheaper than a second tanh
    np.copyto(half, 0.5, where=x == 0)
    d = x * x
    d *= 6 * CUBE * BEND
    d += 2 * BEND
    d *= x
    d *= 1 - half
    d += 1
    d *= half
    d *= g
    return d


_gelu_tanh = record(
    define("gelu_tanh", gelu_tanh, x=lambda g, x, out: gelu_tanh_back(g, x, out)),
    "gelu",
    "GeluBackward0",
)


def gelu(input, approximate: str = "none"):
    """X Φ(x), with the normal distribution Φ, or its ``"tanh"`` approximation."""
    whole = isinstance(input, Tensor) and not input.is_floating_point()
    if approximate == "tanh" and not whole:
        return _gelu_tanh(input)
    return _gelu(input, approximate)
