# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""dtype: PyTorch's names for the kinds of number that an array can hold."""

import numpy as np


class dtype:  # noqa: N801 (PyTorch's own spelling)
    """A kind of number, such as ``float32``.

    Attributes
    ----------
    name : str
        ``"float32"``; it prints as PyTorch prints it, ``torch.float32``.
    numpy : np.dtype
        The NumPy dtype that stores it.
    level : int
        0 for bool, 1 for integers, 2 for floats: where two meet, the higher wins.
    """

    __slots__ = ("level", "name", "numpy")
    known: dict = {}  # noqa: RUF012 (one table for all, from np.dtype to dtype)

    def __init__(self, name: str, level: int):
        self.name, self.level, self.numpy = name, level, np.dtype(name)
        dtype.known[self.numpy] = self

    @property
    def is_floating_point(self) -> bool:
        """Whether tensors of this kind can require a gradient."""
        return self.level == 2

    @property
    def itemsize(self) -> int:
        """Bytes per element."""
        return self.numpy.itemsize

    def __repr__(self) -> str:
        return f"torch.{self.name}"

    def __reduce__(self):
        return _named, (self.name,)


float16, float32, float64 = (dtype(f"float{bits}", 2) for bits in (16, 32, 64))
int8, int16, int32, int64 = (dtype(f"int{bits}", 1) for bits in (8, 16, 32, 64))
uint8, bool_ = dtype("uint8", 1), dtype("bool", 0)

# PyTorch's second names. As variables, three of them would hide what Python means.
ALIASES = {"half": float16, "float": float32, "double": float64, "bool": bool_}
ALIASES |= {"short": int16, "int": int32, "long": int64}

__all__ = ["dtype", "float16", "float32", "float64", "int8", "int16", "int32", "int64"]
__all__ += ["uint8"]


def __getattr__(name: str) -> dtype:
    """Offer ``float``, ``int`` and the other aliases, which are no variables here."""
    if name in ALIASES:
        return ALIASES[name]
    raise AttributeError(
        f"module 'minigrad' has no attribute {name!r}; dir(torch) lists what there is "
        "(Chapter 4)"
    )


def _named(name: str) -> dtype:
    """The dtype of that name: copies and pickles lead back to the one object."""
    return dtype.known[np.dtype(name)]


from minigrad.errors import wrong_type  # noqa: E402

_SPOKEN = {None: float32, float: float64, int: int64, bool: bool_}


def as_numpy(kind) -> np.dtype:
    """The NumPy dtype of a `dtype`, of Python's float, int or bool, or of None.

    None is the default, float32; Python's float is float64. Anything else, NumPy's
    dtypes included, raises TypeError.
    """
    if isinstance(kind, dtype):
        return kind.numpy
    if kind is None or kind in (float, int, bool):
        return _SPOKEN[kind].numpy
    raise wrong_type("argument 'dtype'", "torch.dtype", kind)


def promote(*arrays):
    """Cast arrays to the dtype in which PyTorch combines them.

    The higher level wins: float over int over bool. Within one level an array with axes
    outranks a 0-d one, whatever their sizes; only then does the wider dtype win.
    """
    levels = [dtype.known[x.dtype].level for x in arrays]
    high = [x for x, level in zip(arrays, levels, strict=True) if level == max(levels)]
    ranked = [x.dtype for x in high if x.ndim] or [x.dtype for x in high]
    target = np.result_type(*ranked)
    return tuple(x.astype(target, copy=False) for x in arrays)


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The dtype in which arrays of two dtypes meet."""
    x, y = (np.zeros(1, as_numpy(kind)) for kind in (type1, type2))
    return dtype.known[promote(x, y)[0].dtype]


def get_default_dtype() -> dtype:
    """The dtype of floats of which nothing is said."""
    return float32


__all__ += ["get_default_dtype", "promote_types"]
