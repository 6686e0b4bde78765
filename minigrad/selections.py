# Generated from chapter 9 (book/ch09-reductions.ipynb): edit the chapter, not this.
"""Selections: some elements are picked out, and g goes back to their places.

To pick along an axis and to put back are each other's transposes, so each is the rule
of the other. max, sort, topk and median differ only in which places they pick.
"""

from collections import namedtuple

import numpy as np

from minigrad.autograd.function import record
from minigrad.elementwise import maximum, minimum, no_kernel
from minigrad.ops import _axes, _axis, check_tensor
from minigrad.reductions import share
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import Tensor, extend, memory, wrap


def _pick(x, *, index, axis):
    """The elements at some places along an axis."""
    return np.take_along_axis(x, index, axis)


def _deal(x, *, index, axis, shape):
    """Zeros, with the elements of x put in their places along an axis."""
    zeros = np.zeros_like(x, shape=shape)
    np.put_along_axis(zeros, index, x, axis)
    return zeros


def either(plain, recorded):
    """A function for rules: on arrays NumPy's, on tensors the recorded one."""
    return lambda g, **params: (recorded if isinstance(g, Tensor) else plain)(
        g, **params
    )


define(
    "pick",
    _pick,
    x=lambda g, x_shape, index, axis: deal(g, index=index, axis=axis, shape=x_shape),
)
define("deal", _deal, x=lambda g, index, axis: pick(g, index=index, axis=axis))
pick = either(_pick, record(PRIMITIVES["pick"], "gather", "GatherBackward0"))
deal = either(_deal, record(PRIMITIVES["deal"], "scatter", "ScatterBackward0"))


def _pair(name: str, *fields: str):
    """A result of several tensors, which prints as PyTorch prints it."""

    def show(self) -> str:
        lines = (
            f"{field}={value!r}" for field, value in zip(fields, self, strict=True)
        )
        return f"torch.return_types.{name}(\n" + ",\n".join(lines) + ")"

    return type(name, (namedtuple(name, fields),), {"__repr__": show, "__slots__": ()})


def _choice(x, *, index, axis, keepdims):
    """What stands at some places along an axis, which may have been one place each."""
    if x.ndim == 0:
        return np.copy(x)
    found = np.take_along_axis(x, index, axis)
    return found if keepdims else np.squeeze(found, axis)


def _put_back(g, x_shape, index, axis: int, keepdims: bool):
    """Zeros, with the cotangents of what was chosen in their places."""
    if x_shape == ():
        return g
    g = g if keepdims else np.reshape(g, index.shape)
    return deal(g, index=index, axis=axis, shape=x_shape)


define(
    "choice",
    _choice,
    x=lambda g, x_shape, index, axis, keepdims: _put_back(
        g, x_shape, index, axis, keepdims
    ),
)


def _chooser(name: str, node: str):
    """A function that returns elements along an axis, and the places they are from."""
    kind = _pair(name, "values", "indices")
    function = record(PRIMITIVES["choice"], name, node)

    def choose(input, axis: int, index: np.ndarray, keepdim: bool = True):
        values = function(input, index, axis, keepdim)
        if input.ndim == 0:
            index = index.reshape(())
        return kind(values, wrap(index if keepdim else np.squeeze(index, axis)))

    return choose


_max = record(PRIMITIVES["max"], "max", "MaxBackward1")
_min = record(PRIMITIVES["min"], "min", "MinBackward1")
_max_dim = _chooser("max", "MaxBackward0")
_min_dim = _chooser("min", "MinBackward0")
_sorted = _chooser("sort", "SortBackward0")
_sorted_stably = _chooser("sort", "SortBackward1")
_top = _chooser("topk", "TopkBackward0")
_median_dim = _chooser("median", "MedianBackward1")


def _line(name: str, input, dim: int) -> tuple[np.ndarray, int]:
    """The array and the number of one axis, which must not be empty."""
    check_tensor(name, input)
    array, axis = memory(input), _axis(input, dim)
    if array.ndim == 0:
        array = array.reshape(1)
    if array.shape[axis] == 0:
        raise IndexError(
            f"{name}(): Expected reduction dim {dim} to have non-zero size: choose an "
            "axis that is not empty (Chapter 9)"
        )
    return array, axis


def _extreme(name, find, full, along, pair):
    """Max and min: of all, along an axis with the places, or of two tensors."""

    def extreme(input, dim=None, keepdim=False, *, other=None):
        check_tensor(name, input)
        other = dim if isinstance(dim, Tensor) else other
        if other is not None:
            return pair(input, other)
        if dim is None:
            if input.numel() == 0:
                raise RuntimeError(
                    f"{name}(): Expected reduction dim to be specified for input.numel"
                    "() == 0. Specify the reduction dim with the 'dim' argument: an "
                    "axis that is not empty (Chapter 9)"
                )
            return full(input, _axes(input, None))
        array, axis = _line(name, input, dim)
        index = np.expand_dims(find(array, axis), axis)
        return along(input, axis, index, keepdim)

    extreme.__name__ = extreme.__qualname__ = name
    extreme.__doc__ = f"The {name}imum of all, or along ``dim`` with its indices."
    return extreme


max = _extreme("max", np.argmax, _max, _max_dim, maximum)
min = _extreme("min", np.argmin, _min, _min_dim, minimum)


def _order(array: np.ndarray, axis: int, descending: bool) -> np.ndarray:
    """The places of the elements, in order of size; equal ones keep their order."""
    if not descending:
        return np.argsort(array, axis, kind="stable")
    back = np.argsort(np.flip(array, axis), axis, kind="stable")
    return np.flip(array.shape[axis] - 1 - back, axis).copy()


def sort(input, dim=-1, descending=False, *, stable=False):
    """The elements in order along an axis, and the places they come from."""
    check_tensor("sort", input)
    array, axis = memory(input), _axis(input, dim)
    line = array if array.ndim else array.reshape(1)
    function = _sorted_stably if stable else _sorted
    return function(input, axis, _order(line, axis, descending))


def argsort(input, dim=-1, descending=False, *, stable=False):
    """The places of the elements in order along an axis."""
    return sort(input, dim, descending).indices


def topk(input, k: int, dim=-1, largest=True, sorted=True):
    """The k largest along an axis, the largest first, and the places they are from."""
    check_tensor("topk", input)
    axis = _axis(input, dim)
    array = memory(input)
    array = array if array.ndim else array.reshape(1)
    if not 0 <= k <= array.shape[axis]:
        raise RuntimeError(
            f"selected index k out of range: {k} of {array.shape[axis]} elements; k is "
            "at most the length of the axis (Chapter 9)"
        )
    index = np.take(_order(array, axis, largest), np.arange(k), axis)
    return _top(input, axis, index)


def median(input, dim=None, keepdim=False):
    """The middle element, the lower of two; along ``dim`` with its index."""
    no_kernel("median", input)
    if dim is None:
        if input.numel() == 0:
            return wrap(np.asarray(np.nan, input._array.dtype))
        return _middle(input)
    array, axis = _line("median", input, dim)
    middle = [(array.shape[axis] - 1) // 2]
    index = np.take(_order(array, axis, False), middle, axis)
    lost = np.isnan(array).any(axis, keepdims=True)  # nan comes last, and yet it wins
    index = np.where(lost, np.argmax(array, axis, keepdims=True), index)
    return _median_dim(input, axis, index, keepdim)


define(
    "median",
    lambda x: (
        np.sort(x, axis=None)[(x.size - 1) // 2]
        if not np.isnan(x).any()
        else x.dtype.type(np.nan)
    ),
    x=lambda g, x, out: g * share(x, out, tuple(range(len(x.shape))), nan=True),
)
_middle = record(PRIMITIVES["median"], "median", "MedianBackward0")


def _place(name: str, find):
    """Argmax and argmin: places have no gradient."""

    def place(input, dim=None, keepdim=False):
        check_tensor(name, input)
        if input._array.dtype.kind == "b":
            raise RuntimeError(
                f"{name}(): does not support bool input: convert it, mask.long() "
                "(Chapter 9)"
            )
        if dim is None:
            if input.numel() == 0:
                raise IndexError(
                    f"{name}(): Expected reduction dim to be specified for input.numel"
                    "() == 0. Specify the reduction dim with the 'dim' argument: an "
                    "axis that is not empty (Chapter 9)"
                )
            found = np.copy(find(input._array))
            return wrap(found.reshape((1,) * input.ndim) if keepdim else found)
        array, axis = _line(name, input, dim)
        found = np.copy(find(array, axis))
        found = np.expand_dims(found, axis) if keepdim and input.ndim else found
        return wrap(found.reshape(()) if input.ndim == 0 else found)

    place.__name__ = place.__qualname__ = name
    return place


argmax, argmin = _place("argmax", np.argmax), _place("argmin", np.argmin)


__all__ = ["argmax", "argmin", "argsort", "max", "median", "min", "sort", "topk"]
extend(**{name: globals()[name] for name in __all__})
