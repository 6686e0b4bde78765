# Generated from chapter 20 (book/ch20-convolution.ipynb): edit the chapter, not this.
"""Convolution: a matrix of which every row is the same few weights, moved along.

Pictures are (n, c, *lengths): n examples of c channels, each with one or more axes. The
matrix is never built. What a kernel covers at one place becomes a column of numbers
(`copy_in`, im2col); then one product does all places; and what comes back is added up
where it was taken from (`add_up`, col2im).
"""

import functools
import itertools
import math
import warnings
from typing import NamedTuple

import numpy as np

from minigrad.autograd.function import record
from minigrad.batching import rowwise
from minigrad.elementwise import bare
from minigrad.errors import no_match, wrong_type
from minigrad.inplace import _NAMES
from minigrad.rules import define
from minigrad.shapes import pad
from minigrad.tensor import Tensor


class Grid(NamedTuple):
    """Where a kernel is laid: one number for each axis, of each kind."""

    kernel: tuple
    stride: tuple
    padding: tuple
    dilation: tuple

    @property
    def reach(self) -> tuple:
        """How far the kernel reaches along each axis, its gaps included."""
        return tuple(d * (k - 1) + 1 for k, _, _, d in zip(*self, strict=True))

    def sizes(self, lengths: tuple) -> tuple:
        """How many places there are along each axis."""
        return _sizes(self, tuple(lengths))

    def back(self, sizes: tuple) -> tuple:
        """The shortest lengths that have so many places."""
        around = zip(sizes, self.reach, self.stride, self.padding, strict=True)
        return tuple((n - 1) * s - 2 * p + reach for n, reach, s, p in around)

    def taps(self, lengths: tuple, sizes: tuple) -> list:
        """For each entry of the kernel: its index, the places, and what it meets."""
        return _taps(self, tuple(lengths), tuple(sizes))


@functools.lru_cache(maxsize=256)
def _sizes(grid: Grid, lengths: tuple) -> tuple:
    """How many places there are along each axis."""
    around = zip(lengths, grid.reach, grid.stride, grid.padding, strict=True)
    return tuple((n + 2 * p - reach) // s + 1 for n, reach, s, p in around)


@functools.lru_cache(maxsize=256)
def _taps(grid: Grid, lengths: tuple, sizes: tuple) -> list:
    """One triple of indices for each entry of the kernel; padding is left out."""
    along = []
    for n, size, k, s, p, d in zip(lengths, sizes, *grid, strict=True):
        along.append([])
        for j in range(k):
            shift = j * d - p  # place i meets the element i * s + shift
            first, last = max(0, -(shift // s)), min(size, (n - 1 - shift) // s + 1)
            count, start = max(last - first, 0), first * s + shift
            met = slice(start, start + count * s, s)
            along[-1].append((j, slice(first, first + count), met))
    return [tuple(zip(*axes, strict=True)) for axes in itertools.product(*along)]


def stacked(shape: tuple, grid: Grid, sizes: tuple, axes: int) -> tuple:
    """The shape of all patches: kernel and places instead of the lengths.

    These are the axes of ``shape`` from number ``axes`` on.
    """
    return (*shape[:axes], *grid.kernel, *sizes, *shape[axes + len(sizes) :])


def copy_in(columns, x, taps: list, axes: int) -> None:
    """For each tap, copy what it meets in x to its part of the columns."""
    before = (slice(None),) * axes
    for entry, places, met in taps:
        columns[(*before, *entry, *places)] = x[(*before, *met)]


def add_up(total, columns, taps: list, axes: int) -> None:
    """The transpose: add each number to the element that it was copied from."""
    before = (slice(None),) * axes
    for entry, places, met in taps:
        total[(*before, *met)] += columns[(*before, *entry, *places)]


@rowwise
def im2col(x, *, grid: Grid):
    """Every patch of x as a column: (n, c, *lengths) to (n, c * kernel, places)."""
    n, c, *lengths = x.shape
    sizes = grid.sizes(lengths)
    columns = np.zeros(stacked(x.shape, grid, sizes, 2), x.dtype)
    copy_in(columns, x, grid.taps(lengths, sizes), 2)
    return columns.reshape(n, c * math.prod(grid.kernel), math.prod(sizes))


@rowwise
def col2im(columns, *, grid: Grid, lengths: tuple):
    """The transpose: (n, c * kernel, places) to (n, c, *lengths), added up."""
    n, sizes = len(columns), grid.sizes(lengths)
    c = columns.shape[1] // math.prod(grid.kernel)
    total = np.zeros((n, c, *lengths), columns.dtype)
    columns = columns.reshape(stacked(total.shape, grid, sizes, 2))
    add_up(total, columns, grid.taps(lengths, sizes), 2)
    return total


AT_ONCE = 2**18  # so many numbers are laid out at a time: 1 MiB of float32


def is_short(sizes: tuple, least: int = 8) -> bool:
    """Whether rows are so short that examples had better lie side by side."""
    return sizes[-1] < least


def laid(x, short: bool):
    """(n, c, …), or, if rows are short, (c, …, n)."""
    return np.ascontiguousarray(x.transpose(*range(1, x.ndim), 0)) if short else x


def home(x, short: bool):
    """The way back: (n, c, …)."""
    return np.ascontiguousarray(x.transpose(-1, *range(x.ndim - 1))) if short else x


def portions(x, each: int, short: bool) -> list:
    """Slices: all at once, if they lie side by side; or as many as fit in."""
    if short:
        return [slice(None)]
    few = max(1, AT_ONCE // max(each, 1))
    return [slice(k, k + few) for k in range(0, len(x), few)]


def in_groups(a, groups: int, short: bool):
    """An axis of groups: (n, c, …) or (c, …, n) to (…, groups, c / groups, rest)."""
    (*n, c), rest = a.shape[: 2 - short], a.shape[2 - short :]
    return a.reshape(*n, groups, c // groups, math.prod(rest))


def in_rows(w, groups: int):
    """Each kernel as a row: (m, c / groups, *kernel) to (groups, m / groups, …)."""
    return w.reshape(groups, len(w) // groups, math.prod(w.shape[1:]))


def patches(x, grid: Grid, groups: int, short: bool):
    """Columns of some examples at a time: pairs of a slice and of the columns.

    These are (few, groups, c / groups * kernel, places); or, if rows are short, one
    (groups, c / groups * kernel, places * n). The next ones are written over them.
    """
    axes, sizes = 2 - short, grid.sizes(x.shape[2:])
    taps, x = grid.taps(x.shape[2:], sizes), laid(x, short)
    k, columns = math.prod(grid.kernel), None
    each = k * math.prod(sizes) * x.shape[axes - 1]
    for few in portions(x, each, short):
        shape = stacked(x[few].shape, grid, sizes, axes)
        columns = np.zeros(shape, x.dtype) if columns is None else columns[: shape[0]]
        copy_in(columns, x[few], taps, axes)
        rows = shape[axes - 1] // groups * k
        yield few, columns.reshape(*shape[: axes - 1], groups, rows, -1)


@rowwise
def convolve(x, w, b, *, grid: Grid, groups: int):
    """Lay kernels w (m, c / groups, *kernel) on x (n, c, *lengths) at all places.

    Returns (n, m, *sizes). ``b`` is (m,), or empty.
    """
    n, m, sizes, kernels = len(x), len(w), grid.sizes(x.shape[2:]), in_rows(w, groups)
    short = is_short(sizes)
    y = np.empty((m, *sizes, n) if short else (n, m, *sizes), x.dtype)
    made = in_groups(y, groups, short)
    for few, seen in patches(x, grid, groups, short):
        np.matmul(kernels, seen, out=made[few])
        if b.size:
            made[few] += b.reshape(groups, -1, 1)
    return home(y, short)


@rowwise
def to_weight(y, x, *, grid: Grid, groups: int):
    """The transpose in w: the sum of y (n, m, *sizes) times what its places saw."""
    short, m, c = is_short(y.shape[2:]), y.shape[1], x.shape[1] // groups
    sent, total = in_groups(laid(y, short), groups, short), 0
    for few, seen in patches(x, grid, groups, short):
        product = sent[few] @ seen.swapaxes(-1, -2)
        total += product.reshape(-1, m, c, *grid.kernel).sum(0)
    return total if len(x) else np.zeros((m, c, *grid.kernel), x.dtype)


@rowwise
def to_input(y, w, b, *, grid: Grid, groups: int, lengths: tuple):
    """The transpose in x: y (n, m, *sizes) times w, added up to (n, c, *lengths)."""
    (n, _, *sizes), c, short = y.shape, w.shape[1] * groups, is_short(y.shape[2:], 16)
    axes, taps = 2 - short, grid.taps(lengths, sizes)
    kernels = np.ascontiguousarray(in_rows(w, groups).swapaxes(1, 2))
    sent = in_groups(laid(y, short), groups, short)
    total = np.zeros((c, *lengths, n) if short else (n, c, *lengths), y.dtype)
    for few in portions(y, kernels[..., 0].size * math.prod(sizes), short):
        columns = kernels @ sent[few]
        columns = columns.reshape(stacked(total[few].shape, grid, sizes, axes))
        add_up(total[few], columns, taps, axes)
    total = home(total, short)
    if b.size:
        total += b.reshape(-1, *[1] * len(lengths))
    return total


def either(function, recorded):
    """One rule for both worlds: ``function`` on arrays; on tensors, it is recorded."""

    def rule(first, *operands, **params):
        chosen = recorded if isinstance(first, Tensor) else function
        return chosen(first, *operands, **params)

    return rule


def nothing(x) -> np.ndarray:
    """No bias: an empty array of the dtype of an array, or of a tensor."""
    return bare(x)[:0, :0]


def bias_rule(g):
    """Add up all places of all examples: (n, m, *sizes) to (m,)."""
    return np.sum(np.sum(g, axis=0), axis=tuple(range(1, g.ndim - 1)))


CONVOLUTION = define(
    "convolution",
    convolve,
    x=lambda g, w, x_shape, grid, groups: input_rule(
        g, w, nothing(g), grid=grid, groups=groups, lengths=tuple(x_shape[2:])
    ),
    w=lambda g, x, grid, groups: weight_rule(g, x, grid=grid, groups=groups),
    b=lambda g: bias_rule(g),
)


TO_INPUT = define(
    "convolution_input",
    to_input,
    y=lambda g, w, grid, groups: output_rule(
        g, w, nothing(g), grid=grid, groups=groups
    ),
    w=lambda g, y, grid, groups: weight_rule(y, g, grid=grid, groups=groups),
    b=lambda g: bias_rule(g),
)
TO_WEIGHT = define(
    "convolution_weight",
    to_weight,
    y=lambda g, x, grid, groups: output_rule(
        x, g, nothing(x), grid=grid, groups=groups
    ),
    x=lambda g, y, x_shape, grid, groups: input_rule(
        y, g, nothing(y), grid=grid, groups=groups, lengths=tuple(x_shape[2:])
    ),
)


_TWICE = "ConvolutionBackwardBackward0"  # the node of a gradient that has a gradient
output_rule = either(convolve, record(CONVOLUTION, "convolution", _TWICE))
input_rule = either(to_input, record(TO_INPUT, "convolution", _TWICE))
weight_rule = either(to_weight, record(TO_WEIGHT, "convolution", _TWICE))


def refuse_if(fault: str | None) -> None:
    """Raise RuntimeError if there is something to say."""
    if fault:
        raise RuntimeError(f"{fault} (Chapter 20)")


def numbers(name: str, argument: str, value, d: int) -> tuple:
    """One number for each of d axes: given once, or one by one."""
    if type(value) is int:
        return (value,) * d
    given = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    if not all(hasattr(v, "__index__") for v in given):
        instead = f"{argument} is an int, or one for each axis (Chapter 20)"
        raise no_match(name, value, instead=instead)
    given = tuple(map(int, given))
    if len(given) not in (1, d):
        raise RuntimeError(
            f"expected {argument} to be a single integer value or a list of {d} values "
            f"to match the convolution dimensions, but got {argument}={list(given)}: "
            "write one number (Chapter 20)"
        )
    return given * d if len(given) == 1 else given


def _fault(x, w, b, grid: Grid, groups: int, turned: bool) -> str | None:
    """What is wrong with a call; ``turned``: it is the transpose that is called."""
    d = len(grid.stride)
    name = f"conv{'_transpose' * turned}{d}d"
    if w.ndim != d + 2:
        return (
            f"{name} takes a {d + 2}-dimensional weight, and this one is of size "
            f"{list(w.shape)}: (out, in / groups, {', '.join('k' * d)})"
        )
    if x.ndim not in (d + 1, d + 2):
        return (
            f"Expected {d + 1}D (unbatched) or {d + 2}D (batched) input to {name}, but "
            f"got input of size: {list(x.shape)}: x.unsqueeze(0) makes an axis"
        )
    for kind, least in (("stride", 1), ("padding", 0), ("dilation", 1)):
        if min(getattr(grid, kind)) < least:
            word = "non-positive" if least else "negative"
            return f"{word} {kind} is not supported: write {least} or more"
    if groups < 1:
        return "non-positive groups is not supported: write 1 or more"
    return _misfit(x, w, b, groups, turned) or _unlike(x, w, b)


def _misfit(x, w, b, groups: int, turned: bool) -> str | None:
    """Which channels do not fit together."""
    shape, channels = list(w.shape), x.shape[1 - w.ndim]
    made, wanted = shape[0], shape[1] * groups
    made, wanted = (wanted, made) if turned else (made, wanted)
    if shape[0] < groups or shape[0] % groups:
        return (
            f"Given groups={groups}, expected weight to be divisible by {groups} at "
            f"dimension 0, but got weight of size [{shape}] instead: change groups"
        )
    given = "transposed=1" if turned else f"groups={groups}"
    if channels != wanted:
        size = list(x.shape) if x.ndim == w.ndim else [1, *x.shape]
        return (
            f"Given {given}, weight of size {shape}, expected input{size} to have "
            f"{wanted} channels, but got {channels} channels instead: a weight is (out,"
            " in / groups, …); of a transposed convolution, (in, out / groups, …)"
        )
    if b is not None and b.shape != (made,):
        return (
            f"Given {'transposed=1, ' * turned}weight of size {shape}, expected bias "
            f"to be 1-dimensional with {made} elements, but got bias of size "
            f"{list(b.shape)} instead: one number for each channel that is made"
        )
    return None


def _unlike(x, w, b) -> str | None:
    """Which dtypes differ."""
    if x.dtype is w.dtype and (b is None or x.dtype is b.dtype):
        return None
    given = (x, w) if b is None or x.dtype is b.dtype else (x, b)
    found, wanted = (_NAMES[t._array.dtype.name] for t in given)
    if given[1] is b:
        kinds = found.lower(), wanted.lower()
        first, second = ("long int" if kind == "long" else kind for kind in kinds)
        return (
            f"Input type ({first}) and bias type ({second}) should be the same: "
            "convert one, x.float()"
        )
    return f"expected scalar type {found} but found {wanted}: convert one"


@functools.lru_cache(maxsize=256)
def _short(lengths: tuple, grid: Grid) -> str | None:
    """Whether the kernel reaches further than the padded input."""
    padded = [n + 2 * p for n, p in zip(lengths, grid.padding, strict=True)]
    if all(n >= reach for n, reach in zip(padded, grid.reach, strict=True)):
        return None
    found, wanted = (" x ".join(map(str, s)) for s in (padded, grid.reach))
    return (
        f"Calculated padded input size per channel: ({found}). Kernel size: ({wanted})."
        " Kernel size can't be greater than actual input size: add padding"
    )


def _checked(name: str, input, weight, bias, grid: Grid, groups: int, turned=False):
    """Check a call; return the input with its axis of examples, and a bias."""
    for x in (input, weight, *[bias][: bias is not None]):
        if not isinstance(x, Tensor):
            instead = "give Tensors, torch.tensor(data) (Chapter 20)"
            raise no_match(name, input, weight, bias, instead=instead)
    refuse_if(_fault(input, weight, bias, grid, groups, turned))
    x = input if input.ndim == weight.ndim else input.unsqueeze(0)
    bias = nothing(x) if bias is None else bias
    return x, bias, grid._replace(kernel=tuple(weight.shape[2:]))


def _padded(x, grid: Grid, padding: str):
    """The input and the grid for padding given by a word."""
    if padding == "valid":
        return x, grid
    if max(grid.stride) > 1:
        raise RuntimeError(
            "padding='same' is not supported for strided convolutions: write a number "
            "(Chapter 20)"
        )
    more = [(n - 1) % 2 for n in reversed(grid.reach)]
    if any(more):
        warnings.warn(
            "Using padding='same' with even kernel lengths and odd dilation may "
            "require a zero-padded copy of the input be created",
            stacklevel=4,
        )
        x = pad(x, [side for k in more for side in (0, k)])
    return x, grid._replace(padding=tuple((n - 1) // 2 for n in grid.reach))


def _convolution(d: int):
    """The function for pictures with d axes."""
    name = f"conv{d}d"
    recorded = record(CONVOLUTION, name, "ConvolutionBackward0")

    def function(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        word = padding if isinstance(padding, str) else None
        if word not in (None, "same", "valid"):
            raise RuntimeError(
                f"Invalid padding string: '{word}': write 'same', 'valid' or a number "
                "(Chapter 20)"
            )
        given = {"stride": stride, "padding": 0 if word else padding}
        given["dilation"] = dilation
        grid = Grid((), *(numbers(name, kind, n, d) for kind, n in given.items()))
        x, bias, grid = _checked(name, input, weight, bias, grid, groups)
        x, grid = _padded(x, grid, word) if word else (x, grid)
        refuse_if(_short(x.shape[2:], grid))
        out = recorded(x, weight, bias, grid, groups)
        return out if x.ndim == input.ndim else out.squeeze(0)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""Lay the kernels of a weight on a picture, everywhere.

    ``input`` is (n, c, {", ".join("l" * d)}) or without n, ``weight`` (m, c / groups,
    {", ".join("k" * d)}), ``bias`` (m,) or None. ``padding`` may be 'same' or 'valid'.
    """
    return function


def _grown(grid: Grid, sizes: tuple, more: tuple) -> tuple:
    """The lengths that a transposed convolution makes of sizes."""
    if any(not 0 <= n < s for n, s in zip(more, grid.stride, strict=True)):
        refuse_if(
            "output padding must be smaller than either stride or dilation, but got "
            f"{list(more)} and strides {list(grid.stride)}: here, smaller than the "
            "stride"
        )
    lengths = tuple(n + o for n, o in zip(grid.back(sizes), more, strict=True))
    if min(lengths) < 1:
        refuse_if(
            f"Calculated output size: {lengths}. Output size is too small: with less "
            "padding, something is left"
        )
    return lengths


def _transposed(d: int):
    """The transpose of the function for pictures with d axes."""
    name = f"conv_transpose{d}d"
    recorded = record(TO_INPUT, name, "ConvolutionBackward0")

    def function(
        input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
        dilation=1,
    ):  # fmt: skip
        given = {"stride": stride, "padding": padding, "dilation": dilation}
        grid = Grid((), *(numbers(name, kind, n, d) for kind, n in given.items()))
        x, bias, grid = _checked(name, input, weight, bias, grid, groups, True)
        more = numbers(name, "output_padding", output_padding, d)
        lengths = _grown(grid, x.shape[2:], more)
        out = recorded(x, weight, bias, grid, groups, lengths)
        return out if x.ndim == input.ndim else out.squeeze(0)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The transpose of conv{d}d, as a function of its own.

    ``input`` is (n, m, …) or without n, ``weight`` (m, c / groups, …), ``bias`` (c,).
    ``output_padding`` says which of the inputs of conv{d}d that fit is meant.
    """
    return function


conv1d, conv2d = _convolution(1), _convolution(2)
conv_transpose1d, conv_transpose2d = _transposed(1), _transposed(2)


IM2COL = define(
    "im2col",
    im2col,
    x=lambda g, x_shape, grid: overlap_rule(g, grid=grid, lengths=tuple(x_shape[2:])),
)
COL2IM = define("col2im", col2im, y=lambda g, grid: columns_rule(g, grid=grid))
_columns = record(IM2COL, "unfold", "Im2ColBackward0")
_summed = record(COL2IM, "fold", "Col2ImBackward0")
columns_rule, overlap_rule = either(im2col, _columns), either(col2im, _summed)


def _blocks(name: str, x, kernel_size, dilation, padding, stride) -> Grid:
    """Check what `unfold` and `fold` are given; return the grid."""
    if not isinstance(x, Tensor):
        raise wrong_type(f"{name}(): argument 'input' (position 1)", "Tensor", x)
    given = {"kernel_size": kernel_size, "stride": stride, "padding": padding}
    given = {
        k: numbers(name, k, v, 2) for k, v in (given | {"dilation": dilation}).items()
    }
    short = {"kernel_size": "kernel", "padding": "pad"}
    for kind, (high, wide) in given.items():
        if min(high, wide) < (kind != "padding"):
            said, key = kind.replace("_", " "), short.get(kind, kind)
            word = "greater than zero" if kind != "padding" else "non-negative"
            refuse_if(
                f"{said} should be {word}, but got {key}_height: {high} {key}_width: "
                f"{wide}: write 1 or more"
            )
    return Grid(*given.values())


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Every patch as a column: (n, c, h, w) to (n, c * kernel, places)."""
    grid = _blocks("unfold", input, kernel_size, dilation, padding, stride)
    if input.ndim == 3:
        return _columns(input.unsqueeze(0), grid).squeeze(0)
    if input.ndim != 4:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-input.ndim}, "
            f"{input.ndim - 1}], but got {input.ndim}): unfold takes (n, c, h, w) "
            "(Chapter 20)"
        )
    sizes = grid.sizes(input.shape[2:])
    if min(sizes) < 1:
        refuse_if(
            f"Given input with spatial size {tuple(input.shape[2:])}, kernel_size="
            f"{grid.kernel}, dilation={grid.dilation}, padding={grid.padding}, "
            f"calculated shape of the array of sliding blocks as {sizes}, but its "
            "components must be at least one: add padding"
        )
    return _columns(input, grid)


def _unfoldable(shape: tuple, grid: Grid, lengths: tuple) -> str | None:
    """Why patches cannot come from pictures of these lengths."""
    if len(shape) not in (2, 3):
        return (
            "Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch "
            f"size and non-zero dimensions for input, but got: {list(shape)}: it is "
            "(n, c * kernel, places)"
        )
    size, places = shape[-2:]
    if size % math.prod(grid.kernel):
        return (
            "Expected size of input's dimension 1 to be divisible by the product of "
            f"kernel_size, but got input.size(1)={size} and kernel_size={grid.kernel}: "
            "it is (n, c * kernel, places)"
        )
    high, wide = (max(n, 0) for n in grid.sizes(lengths))
    if places != high * wide:
        return (
            f"Given output_size={lengths}, kernel_size={grid.kernel}, dilation="
            f"{grid.dilation}, padding={grid.padding}, stride={grid.stride}, expected "
            "size of input's dimension 2 to match the calculated number of sliding "
            f"blocks {high} * {wide} = {high * wide}, but got input.size(2)={places}: "
            "unfold and fold take the same numbers"
        )
    return None


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Add patches up where they overlap: (n, c * kernel, places) to (n, c, h, w)."""
    grid = _blocks("fold", input, kernel_size, dilation, padding, stride)
    lengths = numbers("fold", "output_size", output_size, 2)
    refuse_if(_unfoldable(input.shape, grid, lengths))
    if input.ndim == 2:
        return _summed(input.unsqueeze(0), grid, lengths).squeeze(0)
    return _summed(input, grid, lengths)
