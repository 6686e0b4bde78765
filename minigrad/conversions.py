# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""`Tensor.type`: the name of a tensor's kind, or the tensor in another kind."""

from minigrad.inplace import _NAMES
from minigrad.tensor import extend


def _type(self, dtype=None):
    """The name of the dtype, "torch.FloatTensor"; with a dtype, a conversion to it."""
    if dtype is None:
        return f"torch.{_NAMES[self._array.dtype.name]}Tensor"
    return self.to(dtype)


extend(type=_type)
