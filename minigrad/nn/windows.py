# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Pooling: of what a window shows, the largest number, or the mean."""

import functools
import itertools
import math
from typing import NamedTuple

import numpy as np

from minigrad.autograd.function import record
from minigrad.batching import rowwise
from minigrad.elementwise import bare
from minigrad.errors import wrong_type
from minigrad.inplace import _NAMES
from minigrad.nn.convolution import Grid, either, numbers, refuse_if
from minigrad.rules import define
from minigrad.tensor import Tensor, wrap


def unseen(x, sizes: tuple):
    """Windows that have seen nothing yet: less than any number, (…, *sizes)."""
    least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
    return np.full((*x.shape[: -len(sizes)], *sizes), least, x.dtype)


@rowwise
def largest(x, *, grid: Grid, sizes: tuple):
    """The largest number that each window shows: (…, *lengths) to (…, *sizes)."""
    found = unseen(x, sizes)
    for _, places, met in grid.taps(x.shape[-len(sizes) :], sizes):
        so_far = found[(..., *places)]
        np.maximum(so_far, x[(..., *met)], out=so_far)
    return found


@functools.lru_cache(maxsize=256)
def _indices(grid: Grid, lengths: tuple, sizes: tuple) -> tuple:
    """Where in a flat map each window begins; how far from there each entry lies."""
    steps = [math.prod(lengths[k + 1 :]) for k in range(len(lengths))]
    ways = list(zip(steps, sizes, *grid, strict=True))
    first = [(np.arange(n) * s - p) * step for step, n, _, s, p, _ in ways]
    away = [np.arange(k) * d * step for step, _, k, _, _, d in ways]
    both = [functools.reduce(np.add.outer, along) for along in (first, away)]
    return both[0], both[1].ravel()


@rowwise
def winners(x, grid: Grid, sizes: tuple):
    """The index of the largest in its map, for each window: the first of equals.

    A NaN wins over everything; of several, the last, as in PyTorch.
    """
    d = len(sizes)
    taps, out = grid.taps(x.shape[-d:], sizes), unseen(x, sizes)
    seen = [np.ascontiguousarray(x[(..., *met)]) for _, _, met in taps]
    for (_, places, _), values in zip(taps, seen, strict=True):
        np.maximum(out[(..., *places)], values, out=out[(..., *places)])
    which = np.zeros(out.shape, np.min_scalar_type(len(taps)))
    lost = np.ones(out.shape, bool)
    for (_, places, _), values in zip(taps[:-1], seen, strict=False):
        lost[(..., *places)] &= values != out[(..., *places)]
        which += lost  # count the losers that come before
    if np.isnan(out).any():  # all lose to it
        for k, (_, places, _) in enumerate(taps):
            which[(..., *places)][np.isnan(seen[k])] = k
    first, away = _indices(grid, x.shape[-d:], sizes)
    return first + away.take(which)


@rowwise
def selected(x, *, where, lengths: tuple):
    """What the winners have: (…, *lengths) to the shape of ``where``."""
    maps = math.prod(x.shape[: -len(lengths)])
    x, index = (a.reshape(maps, a.size // (maps or 1)) for a in (x, where))
    return np.take_along_axis(x, index, 1).reshape(where.shape)


@rowwise
def sent_back(g, *, where, lengths: tuple):
    """The transpose of `selected`: each g goes to the winner of its window."""
    outer, each = g.shape[: -len(lengths)], math.prod(lengths)
    starts = np.arange(math.prod(outer)).reshape(*outer, *[1] * len(lengths)) * each
    total = np.zeros(math.prod(outer) * each, g.dtype)
    np.add.at(total, (where + starts).ravel(), g.ravel())
    return total.reshape(*outer, *lengths)


LARGEST = define(
    "window_max",
    largest,
    x=lambda g, x, grid, sizes: back_rule(
        g, where=winners(bare(x), grid, sizes), lengths=tuple(x.shape[-len(sizes) :])
    ),
)
SELECTED = define(
    "window_pick",
    selected,
    x=lambda g, where, lengths: back_rule(g, where=where, lengths=lengths),
)
SENT_BACK = define(
    "window_put",
    sent_back,
    y=lambda g, where, lengths: pick_rule(g, where=where, lengths=lengths),
)
_AGAIN = "MaxPool2DWithIndicesBackwardBackward0"
pick_rule = either(selected, record(SELECTED, "max_pool2d", _AGAIN))
back_rule = either(sent_back, record(SENT_BACK, "max_pool2d", _AGAIN))


def add_at(total, index: tuple, values) -> None:
    """Add to some elements; to an element that is named twice, both times."""
    if isinstance(index[1], slice):
        total[index] += values
    else:
        np.add.at(total, index, values)


@rowwise
def window_sum(x, *, grid, sizes: tuple, counts):
    """What each window shows, added and divided: (…, *lengths) to (…, *sizes)."""
    d = len(sizes)
    total = np.zeros((*x.shape[:-d], *sizes), x.dtype)
    for _, places, met in grid.taps(x.shape[-d:], sizes):
        total[(..., *places)] += x[(..., *met)]
    total /= counts
    return total


@rowwise
def window_spread(g, *, grid, lengths: tuple, counts):
    """The transpose of `window_sum`: each g goes to all that its window shows."""
    d = len(lengths)
    total, g = np.zeros((*g.shape[:-d], *lengths), g.dtype), g / counts
    for _, places, met in grid.taps(lengths, g.shape[-d:]):
        add_at(total, (..., *met), g[(..., *places)])
    return total


MEAN = define(
    "window_mean",
    window_sum,
    x=lambda g, x_shape, grid, sizes, counts: spread_rule(
        g, grid=grid, lengths=tuple(x_shape[-len(sizes) :]), counts=counts
    ),
)
SPREAD = define(
    "window_spread",
    window_spread,
    y=lambda g, y_shape, grid, lengths, counts: mean_rule(
        g, grid=grid, sizes=tuple(y_shape[-len(lengths) :]), counts=counts
    ),
)
_TWICE = "AvgPool2DBackwardBackward0"
mean_rule = either(window_sum, record(MEAN, "avg_pool2d", _TWICE))
spread_rule = either(window_spread, record(SPREAD, "avg_pool2d", _TWICE))


class Bins(NamedTuple):
    """Windows that divide the axes into so many parts, which may overlap by one."""

    parts: tuple

    def taps(self, lengths: tuple, sizes: tuple) -> list:
        """As those of a `Grid`, with arrays of indices in place of slices."""
        return _bin_taps(tuple(lengths), tuple(sizes))


def bounds(n: int, parts: int) -> tuple:
    """Where the parts of an axis of n elements begin and end: two arrays."""
    k = np.arange(parts)
    return k * n // parts, -(-(k + 1) * n // parts)


@functools.lru_cache(maxsize=64)
def _bin_taps(lengths: tuple, sizes: tuple) -> list:
    """The first elements of all parts, then the second ones, as far as they go."""
    along = []
    for n, size in zip(lengths, sizes, strict=True):
        first, end = bounds(n, size)
        steps = range(max(end - first, default=0))
        places = [np.flatnonzero(first + j < end) for j in steps]
        along.append([(j, p, first[p] + j) for j, p in enumerate(places)])
    found = (list(zip(*axes, strict=True)) for axes in itertools.product(*along))
    return [(entry, np.ix_(*places), np.ix_(*met)) for entry, places, met in found]


def window_sizes(grid: Grid, lengths: tuple, ceil_mode: bool) -> tuple:
    """How many windows there are; with ``ceil_mode``, also those that hang over.

    Each begins inside the input or in the padding before it.
    """
    sizes = []
    for n, reach, s, p in zip(lengths, grid.reach, *grid[1:3], strict=True):
        room = n + 2 * p - reach
        size = (-(-room // s) if ceil_mode else room // s) + 1
        sizes.append(size - (ceil_mode and (size - 1) * s >= n + p))
    return tuple(sizes)


def _windows(name: str, x, kernel_size, stride, padding, dilation, ceil_mode):
    """Check what a pooling is given; return the grid and the sizes of the result."""
    if not isinstance(x, Tensor):
        raise wrong_type(f"{name}(): argument 'input' (position 1)", "Tensor", x)
    stride = kernel_size if stride is None or stride == [] else stride
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    given["dilation"] = dilation
    for kind, value in given.items():
        given[kind] = numbers(name, kind, value, 2)
    grid = Grid(*given.values())
    refuse_if(_pool_fault(grid))
    if x.ndim not in (3, 4) or 0 in x.shape[1:]:
        raise RuntimeError(
            "non-empty 3D or 4D (batch mode) tensor expected for input, but got "
            f"{list(x.shape)}: (n, c, h, w) or (c, h, w) (Chapter 20)"
        )
    sizes = window_sizes(grid, x.shape[-2:], ceil_mode)
    if min(sizes) < 1:
        c, (h, w), (a, b) = x.shape[-3], x.shape[-2:], sizes
        refuse_if(
            f"Given input size: ({c}x{h}x{w}). Calculated output size: ({c}x{a}x{b}). "
            "Output size is too small: a window must fit in"
        )
    return grid, sizes


def _pool_fault(grid: Grid) -> str | None:
    """What is wrong with the numbers of a window."""
    if min(*grid.kernel, *grid.stride) < 1:
        return "stride should not be zero, nor a window empty: write 1 or more"
    if min(grid.dilation) < 1:
        h, w = grid.dilation
        return (
            "dilation should be greater than zero, but got dilationH: "
            f"{h} dilationW: {w}: write 1 or more"
        )
    for p, reach in zip(grid.padding, grid.reach, strict=True):
        if p < 0:
            return f"pad must be non-negative, but got pad: {p}: x[..., 1:] cuts"
        if p > reach // 2:
            return (
                "pad should be at most half of effective kernel size, but got pad="
                f"{p}, kernel_size={grid.kernel[0]} and dilation={grid.dilation[0]}: "
                "else a window may show nothing"
            )
    return None


def _floats(name: str, x: Tensor) -> None:
    """Refuse numbers of which there is no mean, or no order."""
    if x._array.dtype.kind not in ("f" if "avg" in name else "fiu"):
        raise NotImplementedError(
            f"\"{name}\" not implemented for '{_NAMES[x._array.dtype.name]}': convert "
            "first, x.float() (Chapter 20)"
        )


_max_pool = record(LARGEST, "max_pool2d", "MaxPool2DWithIndicesBackward0")


def max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
    return_indices=False,
):  # fmt: skip
    """The largest number of each window; with ``return_indices``, also where it is.

    (n, c, h, w) or (c, h, w). An index counts along the rows of a channel.
    """
    given = kernel_size, stride, padding, dilation, ceil_mode
    grid, sizes = _windows("max_pool2d", input, *given)
    _floats("max_pool2d", input)
    out = _max_pool(input, grid, sizes)
    if not return_indices:
        return out
    return out, wrap(winners(bare(input), grid, sizes))


_avg_pool = record(MEAN, "avg_pool2d", "AvgPool2DBackward0")


def avg_pool2d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False,
    count_include_pad=True, divisor_override=None,
):  # fmt: skip
    """The mean of each window; padding counts as zeros, unless told otherwise."""
    grid, sizes = _windows(
        "avg_pool2d", input, kernel_size, stride, padding, 1, ceil_mode
    )
    _floats("avg_pool2d", input)
    if divisor_override == 0:
        raise RuntimeError("divisor must be not zero: leave it out (Chapter 20)")
    counts = divisor_override or _counts(
        grid, input.shape[-2:], sizes, count_include_pad
    )
    return _avg_pool(input, grid, sizes, np.asarray(counts, input._array.dtype))


def _counts(grid: Grid, lengths: tuple, sizes: tuple, padded: bool):
    """How many numbers each window has, with those of the padding or without."""
    along = []
    for n, size, k, s, p in zip(lengths, sizes, *grid[:3], strict=True):
        first = np.arange(size) * s - p
        last = np.minimum(first + k, n + p)
        if not padded:
            first, last = np.maximum(first, 0), np.minimum(last, n)
        along.append(last - first)
    return along[0][:, None] * along[1]


_adaptive = record(MEAN, "adaptive_avg_pool2d", "AdaptiveAvgPool2DBackward0")


def _parts(lengths: tuple, sizes: tuple, dtype):
    """The windows, their number, and how many numbers each has."""
    pairs = list(zip(lengths, sizes, strict=True))
    if all(size and n % size == 0 for n, size in pairs):
        kernel = tuple(n // size for n, size in pairs)
        grid = Grid(kernel, kernel, (0, 0), (1, 1))
        return grid, sizes, np.asarray(math.prod(kernel), dtype)
    rows, columns = (bounds(*pair) for pair in pairs)
    counts = (rows[1] - rows[0])[:, None] * (columns[1] - columns[0])
    return Bins(sizes), sizes, counts.astype(dtype)


def adaptive_avg_pool2d(input, output_size):
    """The means of so many parts: (…, h, w) to (…, *output_size); None keeps one."""
    if not isinstance(input, Tensor):
        said = "adaptive_avg_pool2d(): argument 'input' (position 1)"
        raise wrong_type(said, "Tensor", input)
    if input.ndim not in (3, 4):
        raise RuntimeError(
            "adaptive_avg_pool2d(): Expected 3D or 4D tensor, but got "
            f"{list(input.shape)}: (n, c, h, w) or (c, h, w) (Chapter 20)"
        )
    lengths = input.shape[-2:]
    given = output_size if isinstance(output_size, (tuple, list)) else [output_size] * 2
    if len(given) != 2:
        refuse_if("adaptive_avg_pool2d: output_size must be 2: one for each axis")
    pairs = zip(lengths, given, strict=True)
    sizes = tuple(n if size is None else size for n, size in pairs)
    if min(sizes) < 0:
        refuse_if(
            "adaptive_avg_pool2d: elements of output_size must be greater than or "
            f"equal to 0 but received {{{sizes[0]}, {sizes[1]}}}: None keeps an axis"
        )
    if sizes == (1, 1):
        return input.mean((-1, -2), keepdim=True)
    _floats("adaptive_avg_pool2d", input)
    return _adaptive(input, *_parts(lengths, sizes, input._array.dtype))


def _flat(kernel_size, stride, padding) -> list:
    """A window that is one pixel high."""
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    given["stride"] = kernel_size if stride is None or stride == [] else stride
    pairs = [(name, numbers("pool1d", name, n, 1)[0]) for name, n in given.items()]
    return [(int(name != "padding"), n) for name, n in pairs]


def max_pool1d(
    input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
    return_indices=False,
):  # fmt: skip
    """The largest number of each window of (n, c, l) or (c, l)."""
    how = *_flat(kernel_size, stride, padding), dilation, ceil_mode, return_indices
    found = max_pool2d(input.unsqueeze(-2), *how)
    if return_indices:
        return tuple(part.squeeze(-2) for part in found)
    return found.squeeze(-2)


def avg_pool1d(
    input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True
):
    """The mean of each window of (n, c, l) or (c, l)."""
    how = *_flat(kernel_size, stride, padding), ceil_mode, count_include_pad
    return avg_pool2d(input.unsqueeze(-2), *how).squeeze(-2)


def adaptive_avg_pool1d(input, output_size):
    """The means of so many parts of (n, c, l) or (c, l)."""
    (size,) = numbers("adaptive_avg_pool1d", "output_size", output_size, 1)
    return adaptive_avg_pool2d(input.unsqueeze(-2), (1, size)).squeeze(-2)
