# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Modules that standardise, and one that looks up."""

from minigrad.creation import empty, ones, tensor, zeros
from minigrad.nn import functional, init
from minigrad.nn.layers import check_padding
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter


class _LayerNorm(Module):
    """The parameters of a layer norm: scale and shift for each place."""

    def __init__(
        self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True,
        device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        one = isinstance(normalized_shape, int)
        shape = (normalized_shape,) if one else tuple(normalized_shape)
        self.normalized_shape, self.eps = shape, eps
        self.elementwise_affine, bias = elementwise_affine, bias and elementwise_affine
        made = Parameter(ones(shape, dtype=dtype)) if elementwise_affine else None
        self.register_parameter("weight", made)
        made = Parameter(zeros(shape, dtype=dtype)) if bias else None
        self.register_parameter("bias", made)


class LayerNorm(_LayerNorm):
    """Standardise every example over its last axes; then scale and shift."""

    def forward(self, input):
        """Standardise."""
        how = self.normalized_shape, self.weight, self.bias, self.eps
        return functional.layer_norm(input, *how)

    def extra_repr(self) -> str:
        """The axes, and what else was chosen."""
        return (
            f"{self.normalized_shape}, eps={self.eps}, elementwise_affine="
            f"{self.elementwise_affine}, bias={self.bias is not None}"
        )


class _BatchNorm(Module):
    """Standardise every channel over the batch, and remember mean and variance."""

    def __init__(
        self, num_features, eps=1e-05, momentum=0.1, affine=True,
        track_running_stats=True, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.num_features, self.eps, self.momentum = num_features, eps, momentum
        self.affine, self.track_running_stats = affine, track_running_stats
        n, how = num_features, {"dtype": dtype}
        made = Parameter(ones(n, **how)) if affine else None
        self.register_parameter("weight", made)
        made = Parameter(zeros(n, **how)) if affine else None
        self.register_parameter("bias", made)
        kept = track_running_stats
        self.register_buffer("running_mean", zeros(n, **how) if kept else None)
        self.register_buffer("running_var", ones(n, **how) if kept else None)
        self.register_buffer("num_batches_tracked", tensor(0) if kept else None)

    def extra_repr(self) -> str:
        """The number of channels, and what else was chosen."""
        return (
            f"{self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, bias={self.bias is not None}, "
            f"track_running_stats={self.track_running_stats}"
        )


def _standardise(self, input):
    """Standardise by the batch while training, otherwise by what is remembered."""
    if input.ndim not in self.ranks:
        *others, last = (f"{n}D" for n in self.ranks)
        raise ValueError(
            f"expected {' or '.join([*others, last])} input (got {input.ndim}D input): "
            "the batch, the channels, and their axes (Chapter 17)"
        )
    kept, factor = self.running_mean is not None, self.momentum
    if self.training and kept:
        self.num_batches_tracked.add_(1)
        if factor is None:  # the mean of all batches so far
            factor = 1 / float(self.num_batches_tracked)
    by_batch = self.training or not kept
    how = self.weight, self.bias, by_batch, factor, self.eps
    noted = (self.running_mean, self.running_var)
    if by_batch and not self.training:
        noted = None, None
    return functional.batch_norm(input, *noted, *how)


class BatchNorm1d(_BatchNorm):
    """Batches of vectors (n, c), or of sequences (n, c, l)."""

    ranks, forward = (2, 3), _standardise


class BatchNorm2d(_BatchNorm):
    """Batches of images (n, c, h, w)."""

    ranks, forward = (4,), _standardise


class _Table(Module):
    """The numbers of a table of vectors."""

    def __init__(
        self, num_embeddings: int, embedding_dim: int, padding_idx=None, max_norm=None,
        norm_type: float = 2.0, *, _weight=None, device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        check_padding(padding_idx, num_embeddings)
        if padding_idx is not None:
            padding_idx %= num_embeddings
        self.num_embeddings, self.embedding_dim = num_embeddings, embedding_dim
        self.padding_idx, self.max_norm = padding_idx, max_norm
        self.norm_type, self.weight = norm_type, _weight
        if _weight is None:
            shape = num_embeddings, embedding_dim
            self.weight = Parameter(empty(*shape, dtype=dtype))
            self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw normal numbers; the vector of the padding is 0."""
        init.normal_(self.weight)
        if self.padding_idx is not None:
            init.zeros_(self.weight.detach()[self.padding_idx])


class Embedding(_Table):
    """A table of vectors, looked up by number: (...) to (..., embedding_dim)."""

    @classmethod
    def from_pretrained(cls, embeddings, freeze: bool = True, *args, **options):
        """A module over a table (num_embeddings, embedding_dim) that there is."""
        given = Parameter(embeddings, requires_grad=not freeze)
        return cls(*embeddings.shape, *args, _weight=given, **options)

    def forward(self, input):
        """Look up."""
        how = self.padding_idx, self.max_norm, self.norm_type
        return functional.embedding(input, self.weight, *how)

    def extra_repr(self) -> str:
        """The shape of the table, and what is not as usual."""
        usual = {"padding_idx": None, "max_norm": None, "norm_type": 2.0}
        own = {n: getattr(self, n) for n in usual}
        other = [f", {n}={own[n]}" for n in usual if own[n] != usual[n]]
        return f"{self.num_embeddings}, {self.embedding_dim}{''.join(other)}"
