# Generated from chapter 11 (book/ch11-inplace.ipynb): edit the chapter, not this.
"""Methods with an underscore: their result goes where the first operand was.

Every operation that minigrad has, and PyTorch in place, becomes such a method by one
mechanism. Then there are those that change the shape of what a tensor shows, those that
draw random numbers, and assignment to places, ``x[mask] = value``.
"""

import numpy as np

from minigrad import indexing, inplace, ops
from minigrad.autograd.rebase import OVERWRITING, constant, move
from minigrad.inplace import _allowed, _check_apart, _replace, _writable
from minigrad.random import default_generator
from minigrad.tensor import AccumulateGrad, Tensor, extend, memory

NAMES = """
    abs absolute acos acosh addcdiv addcmul arccos arcsin arctan arctan2 asin asinh atan
    atan2 atanh bitwise_and bitwise_not bitwise_or bitwise_xor ceil clamp clamp_max
    clamp_min clip cos cosh cumprod cumsum divide eq erf erfc exp exp2 expm1 floor
    floor_divide fmod frac ge gt index_add index_copy index_fill index_put le lerp log
    log10 log1p log2 logical_and logical_not logical_or logical_xor logit lt masked_fill
    masked_scatter multiply nan_to_num ne neg negative reciprocal relu remainder round
    rsqrt scatter scatter_add sigmoid sign sin sinh sqrt square subtract tan tanh tril
    triu true_divide trunc
"""


def in_place(name: str, operation):
    """The method that puts the result of an operation into its first operand."""

    def change(self, *arguments, **options):
        given = [x for x in (*arguments, *options.values()) if isinstance(x, Tensor)]
        recorded, array = _allowed(name, self, *given), _writable(self)
        for other in given:
            _check_apart(array, other._array)
        first = inplace.history.original(self) if recorded else self
        result = operation(first, *arguments, **options)
        return _replace(name, self, result, recorded)

    return _described(change, name)


def _described(change, name: str):
    """Give a method its name and a docstring."""
    change.__name__ = change.__qualname__ = name
    change.__doc__ = f"In place: ``self.{name[:-1]}(…)``; return the tensor."
    return change


extend(
    **{
        f"{name}_": in_place(f"{name}_", getattr(Tensor, name))
        for name in NAMES.split()
        if hasattr(Tensor, name)
    }
)


def _turned(name: str, operation, later: int = 1):
    """The method that shows the same numbers in another shape, in place."""

    def change(self, *arguments, **options):
        recorded = _allowed(name, self)
        view = operation(self, *arguments, **options)
        self._array = memory(view)
        if type(self._node) is AccumulateGrad:
            self._node.array = self._array
        inplace.history.after(name, self, None)
        if recorded:
            move(self, _renamed(view._node, later))
        return self

    return _described(change, name)


def _renamed(node, later: int):
    """Give a node the number that PyTorch gives it in place: TBackward1, not 0."""
    kind = type(node)
    name = kind.__name__[:-1] + str(int(kind.__name__[-1]) + later)
    node.__class__ = type(name, (kind,), {"__slots__": ()})
    return node


extend(
    t_=_turned("t_", ops.t),
    transpose_=_turned("transpose_", ops.transpose),
    squeeze_=_turned("squeeze_", Tensor.squeeze, later=3),
    unsqueeze_=_turned("unsqueeze_", Tensor.unsqueeze),
)


def _drawn(name: str, tensor: Tensor, draw) -> Tensor:
    """Fill a tensor with ``draw(count, dtype)``, in the order of its memory."""
    recorded, array = _allowed(name, tensor), _writable(tensor)
    array = array.transpose(sorted(range(array.ndim), key=lambda k: -array.strides[k]))
    array[...] = draw(array.size, array.dtype).reshape(array.shape)
    inplace.history.after(name, tensor, tensor if recorded else None)
    return tensor


for _name in ("uniform", "normal", "random"):
    _node = f"{_name.title()}Backward{int(_name == 'random')}"
    OVERWRITING[f"{_name}_"] = constant(f"{_name}_", _node)
_FLOATS = "\"{}\" not implemented for '{}': draw floats, then convert (Chapter 11)"


def uniform_(self, from_: float = 0, to: float = 1, *, generator=None) -> Tensor:
    """In place: numbers drawn evenly from the range between two numbers."""
    if not self.is_floating_point():
        raise NotImplementedError(_FLOATS.format("check_uniform_bounds", self.dtype))
    if not from_ <= to:
        raise RuntimeError(
            "uniform_ expects to return a [from, to) range, but found "
            f"from={from_} > to={to}: exchange them (Chapter 11)"
        )
    draw, width = (generator or default_generator).uniform, to - from_
    return _drawn("uniform_", self, lambda n, kind: draw(n, kind) * width + from_)


def normal_(self, mean: float = 0, std: float = 1, *, generator=None) -> Tensor:
    """In place: numbers drawn from the normal distribution."""
    if not self.is_floating_point():
        raise NotImplementedError(_FLOATS.format("normal_kernel_cpu", self.dtype))
    if not std >= 0:
        raise RuntimeError(
            f"normal expects std >= 0.0, but found std {std}: give its absolute value "
            "(Chapter 11)"
        )
    draw = (generator or default_generator).normal
    return _drawn("normal_", self, lambda n, kind: draw(n, kind) * std + mean)


def random_(self, *bounds: int, generator=None) -> Tensor:
    """In place: whole numbers, below one bound, or from one up to but not another.

    Without bounds, all whole numbers that the dtype holds exactly, from 0 on.
    """
    kind = self._array.dtype
    most = 2 ** (np.finfo(kind).nmant + 1) if kind.kind == "f" else _largest(kind)
    low, high = (0, *bounds)[-2:] if bounds else (0, most + 1)
    if not low < high:
        raise RuntimeError(
            f"random_ expects 'from' to be less than 'to', but got from={low} >= "
            f"to={high}: exchange them (Chapter 11)"
        )
    draw = (generator or default_generator).integers
    return _drawn("random_", self, lambda n, kind: draw(n, low, high))


def _largest(kind: np.dtype) -> int:
    """The largest whole number of a dtype."""
    return 1 if kind.kind == "b" else int(np.iinfo(kind).max)


extend(uniform_=uniform_, normal_=normal_, random_=random_)


def _put(tensor: Tensor, places: tuple, value: Tensor) -> None:
    """Write to the places that masks or integers pick, and record it."""
    recorded = _allowed("index_put_", tensor, value)
    if recorded:
        first = inplace.history.original(tensor)
        result = indexing._index_put(first, value, places, False)
        _replace("index_put_", tensor, result, recorded)
    else:
        _writable(tensor)[places] = value._array
        inplace.history.after("index_put_", tensor, None)


indexing.assign = _put
