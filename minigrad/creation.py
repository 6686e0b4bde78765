# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""Ways for a tensor to come into being without an operation: all of them leaves."""

import copy
import functools
import math
import warnings
from operator import index

import numpy as np

from minigrad.dtypes import as_numpy, dtype, float32, int64
from minigrad.errors import wrong_type
from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, extend, wrap


def _leaf(array: np.ndarray, requires_grad: bool) -> Tensor:
    """Wrap an array that nobody else holds."""
    if type(requires_grad) is not bool:
        raise wrong_type("argument 'requires_grad'", "bool", requires_grad)
    if requires_grad and array.dtype.kind != "f":
        raise RuntimeError(
            "Only Tensors of floating point and complex dtype can require gradients; "
            f"this one has dtype torch.{array.dtype}. Ask for floats: dtype="
            "torch.float32 (Chapter 4)"
        )
    made = wrap(array if array.ndim else array[()])  # NumPy scalars are quicker
    made.requires_grad = requires_grad
    return made


NUMBERS = ": give numbers; float(text) reads one, float('nan') is none (Chapter 4)"
_KINDS = {float: np.dtype("float32"), int: np.dtype("int64"), bool: np.dtype("bool")}


def _read(data, kinds: set):
    """Make nested sequences plain; add the dtypes of the numbers in them to ``kinds``.

    Raises ValueError or RuntimeError for what is not a number.
    """
    if isinstance(data, (list, tuple, range)):
        types = set(map(type, data))
        if types <= _KINDS.keys():
            kinds.update(map(_KINDS.get, types))
            return data
        return [_read(item, kinds) for item in data]
    if isinstance(data, Tensor):
        kinds.add(data._array.dtype)
        return float(data) if data.is_floating_point() else int(data)
    if isinstance(data, (np.ndarray, np.generic)) and data.dtype in dtype.known:
        kinds.add(data.dtype)
    elif type(data) in _KINDS:
        kinds.add(_KINDS[type(data)])
    elif isinstance(data, (str, bytes)):
        raise ValueError(f"too many dimensions '{type(data).__name__}'{NUMBERS}")
    else:
        raise RuntimeError(f"Could not infer dtype of {type(data).__name__}{NUMBERS}")
    return data


def _common(kinds: set) -> np.dtype:
    """The dtype of numbers of several kinds: highest level first, then the widest."""
    levels = {kind: dtype.known[kind].level for kind in kinds or {float32.numpy}}
    top = max(levels.values())
    return np.result_type(*(kind for kind, level in levels.items() if level == top))


def _unlike(first, item) -> str:
    """What PyTorch says of an item that is a number or not, unlike the first one."""
    if hasattr(first, "__len__"):
        return "not a sequence"
    kind = type(item).__name__
    if isinstance(first, float):
        return f"must be real number, not {kind}"
    return f"'{kind}' object cannot be interpreted as an integer"


def _explain_ragged(data, dim: int = 1) -> None:
    """Raise PyTorch's error where sequences of one level differ in length."""
    expected = len(data[0]) if hasattr(data[0], "__len__") else None
    for item in data:
        found = len(item) if hasattr(item, "__len__") else None
        if found == expected:
            continue
        if None in (found, expected):
            raise TypeError(
                f"{_unlike(data[0], item)} (at dim {dim}: {item!r}); write all rows to "
                "one depth (Chapter 4)"
            )
        raise ValueError(
            f"expected sequence of length {expected} at dim {dim} (got {found}); make "
            "all rows of one length (Chapter 4)"
        )
    if expected:
        for item in data:
            _explain_ragged(item, dim + 1)


def _from_python(data, target: np.dtype | None) -> np.ndarray:
    """Turn a number or nested sequences into an array."""
    kinds = set()
    data = _read(data, kinds)
    try:
        array = np.array(data)
    except ValueError:
        _explain_ragged(data)
        raise
    if array.size and array.dtype in (np.uint64, object):
        raise ValueError(
            "Overflow when unpacking long long: an integer of more than 63 bits; write "
            "it as a float, 2.0**63 (Chapter 4)"
        )
    target = _common(kinds) if target is None else target
    if target.kind in "iu" and array.size:
        limits = np.iinfo(target)
        least = limits.min or -limits.max  # a negative number may wrap round
        if not np.all((array >= least) & (array <= limits.max)):
            raise RuntimeError(
                f"value cannot be converted to type {target} without overflow: choose "
                "a wider dtype, such as torch.float32 (Chapter 4)"
            )
    with np.errstate(over="ignore"):
        return array.astype(target)


def _as_array(data, kind=None, copied: bool = True) -> np.ndarray:
    """Turn data into an array of a dtype: of ``kind``, or of the data's own.

    An array is copied only if ``copied`` or if its dtype changes.
    """
    target = None if kind is None else as_numpy(kind)
    if isinstance(data, Tensor):
        data = np.asarray(data._array)
    if isinstance(data, (str, bytes)):
        kind = type(data).__name__
        raise TypeError(f"new(): invalid data type '{kind}'{NUMBERS}")
    if not isinstance(data, (np.ndarray, np.generic)):
        return _from_python(data, target)
    if not data.dtype.isnative:
        raise ValueError(
            "given numpy array has byte order different from the native byte order: "
            f"{data.dtype}; convert it first, array.astype(float) (Chapter 4)"
        )
    if data.dtype not in dtype.known:
        names = ", ".join(known.name for known in dtype.known.values())
        raise TypeError(
            f"can't convert np.ndarray of type {data.dtype}. The only supported types "
            f"are: {names}; convert it first, array.astype(float) (Chapter 4)"
        )
    with np.errstate(invalid="ignore", over="ignore"):
        return np.array(data, target, copy=True if copied else None)


def tensor(data, *, dtype=None, requires_grad: bool = False) -> Tensor:
    """Copy a number, nested sequences, an array or a tensor into a new leaf.

    Python floats become float32, ints int64 and bools bool; arrays keep their dtype.

    Raises ValueError for ragged data; TypeError or RuntimeError for what is not
    numeric; RuntimeError for integers that the dtype cannot hold, and for a gradient
    where there is no float.
    """
    if isinstance(data, Tensor):
        warnings.warn(
            "To copy construct from a tensor, it is recommended to use "
            "sourceTensor.detach().clone() or sourceTensor.detach().clone()."
            "requires_grad_(True), rather than torch.tensor(sourceTensor).",
            UserWarning,
            stacklevel=3,
        )
    return _leaf(_as_array(data, dtype), requires_grad)


def as_tensor(data, *, dtype=None) -> Tensor:
    """Like `tensor`, but share memory with an array, and return a tensor as it is."""
    if not isinstance(data, Tensor):
        return wrap(_as_array(data, dtype, copied=False))
    same = dtype is None or as_numpy(dtype) == data._array.dtype
    return data if same else data.to(dtype)  # Chapter 5 builds `to`


def from_numpy(array: np.ndarray) -> Tensor:
    """A leaf over the array's own memory: what changes one changes the other."""
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"expected np.ndarray (got {type(array).__name__}): torch.tensor(data) "
            "takes lists and numbers, too (Chapter 4)"
        )
    return wrap(_as_array(array, copied=False))


def _whole(values, argument: str) -> tuple[int, ...]:
    """Several whole numbers; TypeError if they are no sequence, or not whole."""
    try:
        return tuple(map(index, values))
    except TypeError:
        several = values if isinstance(values, (tuple, list)) else ()
        misfits = (n for n in several if not hasattr(n, "__index__"))
        misfit = next(misfits, values)
        raise wrong_type(argument, "tuple of ints", misfit) from None


def _shape(name: str, sizes: tuple, named=None) -> tuple[int, ...]:
    """Read what ``zeros(2, 3)``, ``zeros((2, 3))`` or ``zeros(size=(2, 3))`` says."""
    if named is not None:
        sizes = named
    elif not sizes:
        raise TypeError(
            f'{name}() missing 1 required positional arguments: "size"; write the '
            f"length of every axis, {name}(2, 3), or {name}(()) if there is no axis "
            "(Chapter 4)"
        )
    elif len(sizes) == 1 and not hasattr(sizes[0], "__index__"):
        (sizes,) = sizes
    shape = _whole(sizes, f"{name}(): argument 'size' (position 1)")
    if any(n < 0 for n in shape):
        raise RuntimeError(
            f"Trying to create tensor with negative dimension {min(shape)}: {[*shape]}"
            f"; {name}: Dimension size must be non-negative, 0 or more (Chapter 4)"
        )
    return shape


def _number(value, name: str):
    """A Python number, from one of NumPy's or a tensor's; TypeError for all else."""
    if isinstance(value, np.generic) or (
        isinstance(value, Tensor) and value.numel() == 1
    ):
        value = value.item()
    if not isinstance(value, (bool, int, float)):
        raise wrong_type(f"argument '{name}'", "Number", value)
    return value


def zeros(*sizes, size=None, dtype=None, requires_grad: bool = False) -> Tensor:
    """A tensor of zeros: ``zeros(2, 3)`` or ``zeros((2, 3))``."""
    return _leaf(np.zeros(_shape("zeros", sizes, size), as_numpy(dtype)), requires_grad)


def ones(*sizes, size=None, dtype=None, requires_grad: bool = False) -> Tensor:
    """A tensor of ones."""
    return _leaf(np.ones(_shape("ones", sizes, size), as_numpy(dtype)), requires_grad)


def empty(*sizes, size=None, dtype=None, requires_grad: bool = False) -> Tensor:
    """A tensor whose numbers are whatever the memory held."""
    return _leaf(np.empty(_shape("empty", sizes, size), as_numpy(dtype)), requires_grad)


def full(size, fill_value, *, dtype=None, requires_grad: bool = False) -> Tensor:
    """A tensor of one repeated number, whose kind decides the dtype."""
    value = _as_array(_number(fill_value, "fill_value"), dtype)
    return _leaf(np.full(_shape("full", (), size), value), requires_grad)


def eye(n: int, m: int | None = None, *, dtype=None, requires_grad=False) -> Tensor:
    """The identity matrix, with n rows and m (or n) columns."""
    n, m = _whole((n, n if m is None else m), "eye(): arguments 'n' and 'm'")
    if min(n, m) < 0:
        raise RuntimeError(
            f"{'n' if n < 0 else 'm'} must be greater or equal to 0, got {min(n, m)}: "
            "write the number of rows, and of columns (Chapter 4)"
        )
    return _leaf(np.eye(n, m, dtype=as_numpy(dtype)), requires_grad)


def arange(start=None, end=None, step=1, *, dtype=None, requires_grad=False) -> Tensor:
    """Numbers from start (or 0) up to, but not including, end.

    They are float32 if start, end or step is a float, otherwise int64.
    """
    if end is None:
        start, end = None, start
    start = 0 if start is None else _number(start, "start")
    end, step = _number(end, "end"), _number(step, "step")
    if not (math.isfinite(start) and math.isfinite(end)):
        raise RuntimeError(
            f"unsupported range: {start} -> {end}; both ends are finite numbers: "
            "choose an end (Chapter 4)"
        )
    if dtype is None:
        dtype = float32 if float in map(type, (start, end, step)) else int64
    kind = as_numpy(dtype)
    if kind.kind == "b":
        raise NotImplementedError(
            "\"arange_cpu\" not implemented for 'Bool': count in integers, and convert "
            "them, torch.arange(2).bool() (Chapter 4)"
        )
    if kind.kind in "iu":
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero: write 1, or any other (Chapter 4)")
    if (end - start) * step < 0:
        raise RuntimeError(
            "upper bound and lower bound inconsistent with step sign: to come from "
            f"{start} to {end}, write a step of {-step} (Chapter 4)"
        )
    count = math.ceil((end - start) / step)
    return _leaf((start + step * np.arange(count)).astype(kind), requires_grad)


def linspace(start, end, steps: int, *, dtype=None, requires_grad=False) -> Tensor:
    """``steps`` numbers at equal distances, both ends included."""
    (steps,), kind = _whole((steps,), "linspace(): argument 'steps'"), as_numpy(dtype)
    if steps < 0:
        raise RuntimeError(
            f"number of steps must be non-negative, and not {steps}: write how many "
            "numbers you want (Chapter 4)"
        )
    exact = kind.type if kind.kind == "f" else int
    start, end = exact(_number(start, "start")), exact(_number(end, "end"))
    step = (end - start) / kind.type(max(steps - 1, 1))
    k = np.arange(steps, dtype=np.float64)  # from both ends towards the middle
    numbers = np.where(k < steps // 2, start + step * k, end - step * (steps - 1 - k))
    if steps == 1:
        numbers[:] = start
    return _leaf(numbers.astype(kind), requires_grad)


def rand(*sizes, size=None, generator=None, dtype=None, requires_grad=False) -> Tensor:
    """Random numbers, uniform in [0, 1)."""
    shape = _shape("rand", sizes, size)
    return _draw(Generator.uniform, generator, shape, dtype, requires_grad)


def randn(*sizes, size=None, generator=None, dtype=None, requires_grad=False) -> Tensor:
    """Random numbers, normal with mean 0 and variance 1."""
    shape = _shape("randn", sizes, size)
    return _draw(Generator.normal, generator, shape, dtype, requires_grad)


def _draw(how, generator, shape: tuple, dtype, requires_grad: bool) -> Tensor:
    """Random floats of a shape."""
    kind = as_numpy(dtype)
    if kind.kind != "f":
        said = {Generator.normal: "normal_kernel_cpu"}.get(how, "check_uniform_bounds")
        raise NotImplementedError(
            f"\"{said}\" not implemented for 'torch.{kind}': draw whole numbers, "
            "torch.randint(0, 10, size) (Chapter 4)"
        )
    drawn = how(generator or default_generator, math.prod(shape), kind)
    return _leaf(drawn.reshape(shape), requires_grad)


def _check_range(low: int, high: int, kind: np.dtype) -> None:
    """Refuse a range without integers, or with more than the dtype can hold."""
    if low >= high:
        raise RuntimeError(
            "random_ expects 'from' to be less than 'to', but got "
            f"from={low} >= to={high}: 'to' itself is not drawn, so write {low + 1} or "
            "more (Chapter 4)"
        )
    least, most = (0, 1) if kind.kind == "b" else (low, high)
    if kind.kind in "iu":
        least, most = np.iinfo(kind).min, np.iinfo(kind).max
    for name, number in (("from", low), ("to - 1", high - 1)):
        if not least <= number <= most:
            raise RuntimeError(
                f"{name} is out of bounds for torch.{kind}: it is {number}; choose a "
                "wider dtype, such as torch.int64 (Chapter 4)"
            )


def randint(
    low=0, high=None, size=None, *, generator=None, dtype=None, requires_grad=False
) -> Tensor:
    """Random integers: ``randint(low, high, size)``, or ``randint(high, size)``.

    They are drawn from low (or 0) up to, but not including, high.
    """
    if size is None:
        low, high, size = 0, low, high
    elif high is None:
        low, high = 0, low
    shape, kind = _shape("randint", (), size), as_numpy(dtype or int64)
    low, high = _whole((low, high), "randint(): arguments 'low' and 'high'")
    _check_range(low, high, kind)
    drawn = (generator or default_generator).integers(math.prod(shape), low, high)
    return _leaf(drawn.astype(kind).reshape(shape), requires_grad)


def randperm(n: int, *, generator=None, dtype=None, requires_grad=False) -> Tensor:
    """The integers from 0 to n - 1 in random order."""
    (n,) = _shape("randperm", (n,))
    order = list(range(n))
    words = (generator or default_generator).words(max(n - 1, 0)).tolist()
    for i, word in enumerate(words):  # place i gets one of those that are left
        k = i + word % (n - i)
        order[i], order[k] = order[k], order[i]
    return _leaf(np.array(order, as_numpy(dtype or int64)), requires_grad)


def check_tensor(name: str, input) -> None:
    """Refuse what is no tensor."""
    if not isinstance(input, Tensor):
        raise wrong_type(f"{name}(): argument 'input' (position 1)", "Tensor", input)


def _like(make):
    """The variant of a maker that takes shape and dtype from another tensor."""

    def like(input: Tensor, *how, dtype=None, requires_grad: bool = False, **options):
        check_tensor(f"{make.__name__}_like", input)
        options |= {"dtype": input.dtype if dtype is None else dtype}
        return make(*how, size=input.shape, requires_grad=requires_grad, **options)

    like.__name__ = like.__qualname__ = f"{make.__name__}_like"
    like.__doc__ = f"`{make.__name__}` with the shape and dtype of another tensor."
    return like


zeros_like, ones_like, empty_like = map(_like, (zeros, ones, empty))
rand_like, randn_like, randint_like = map(_like, (rand, randn, randint))


def full_like(input: Tensor, fill_value, *, dtype=None, requires_grad=False) -> Tensor:
    """`full` with the shape and dtype of another tensor."""
    check_tensor("full_like", input)
    dtype = input.dtype if dtype is None else dtype
    return full(input.shape, fill_value, dtype=dtype, requires_grad=requires_grad)


def _legacy(self: Tensor, *data) -> None:
    """The old constructor: ``Tensor([1, 2])`` is float32, ``Tensor(2, 3)`` blank."""
    sizes = data and all(type(n) is int for n in data)
    if data and not sizes and isinstance(data[0], (int, float)):
        raise TypeError(
            f"new(): data must be a sequence (got {type(data[0]).__name__}): write it "
            "in brackets, or torch.tensor(2.5) for a number (Chapter 4)"
        )
    made = empty(*data) if sizes else wrap(_as_array(*data or ([],), float32))
    self._array, self._grad, self._node = made._array, None, None


def _reduce(self: Tensor, protocol: int):
    """What `copy.copy` and `pickle` keep: numbers and flag, no history, no grad."""
    return _leaf, (np.asarray(self._array), self.requires_grad)


def _deepcopy(self: Tensor, memo: dict) -> Tensor:
    """An independent leaf, with an independent gradient."""
    if not self.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the "
            "deepcopy protocol at the moment. Copy what has no history, "
            "copy.deepcopy(x.detach()) (Chapter 8)"
        )
    twin = _leaf(np.array(self._array), self.requires_grad)
    twin._grad = copy.deepcopy(self._grad, memo)
    return twin


__all__ = ["arange", "as_tensor", "empty", "empty_like", "eye", "from_numpy", "full"]
__all__ += ["full_like", "linspace", "ones", "ones_like", "rand", "rand_like", "randn"]
__all__ += ["randint", "randint_like", "randn_like", "randperm", "tensor", "zeros"]
__all__ += ["zeros_like"]

extend(__init__=_legacy, __reduce_ex__=_reduce, __deepcopy__=_deepcopy)


from minigrad.devices import device as place  # noqa: E402


def anywhere(make):
    """Let a maker of tensors take a device, too: the only one that there is."""

    @functools.wraps(make)
    def maker(*given, device=None, **how):
        if device is not None:
            place(device)
        return make(*given, **how)

    return maker


tensor, as_tensor, full, eye = map(anywhere, (tensor, as_tensor, full, eye))
zeros, ones, empty = map(anywhere, (zeros, ones, empty))
arange, linspace, randperm = map(anywhere, (arange, linspace, randperm))
rand, randn, randint = map(anywhere, (rand, randn, randint))
zeros_like, ones_like, empty_like = map(anywhere, (zeros_like, ones_like, empty_like))
rand_like, randn_like = map(anywhere, (rand_like, randn_like))
randint_like, full_like = map(anywhere, (randint_like, full_like))


def _new(make):
    """The method that makes a tensor of the same dtype as its own."""

    def method(self, *given, dtype=None, **how):
        return make(*given, dtype=self.dtype if dtype is None else dtype, **how)

    method.__name__ = method.__qualname__ = f"new_{make.__name__}"
    method.__doc__ = f"`{make.__name__}`, with the dtype of this tensor."
    return method


extend(new_tensor=_new(tensor), new_zeros=_new(zeros), new_ones=_new(ones))
extend(new_empty=_new(empty), new_full=_new(full), is_cuda=False)
