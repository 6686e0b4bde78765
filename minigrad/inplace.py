# Generated from chapter 8 (book/ch08-leaves.ipynb): edit the chapter, not this.
"""Changing a tensor's numbers where they stand: what an optimiser does.

A change in place is not recorded, so it is refused wherever recording would have to
know of it. Chapter 11 records such changes, and catches those that spoil a gradient.
"""

import numpy as np

from minigrad import ops
from minigrad.autograd import function
from minigrad.operands import mismatch, operand, quietly
from minigrad.tensor import AccumulateGrad, Tensor, extend, memory, mode


def _allowed(name: str, tensor: Tensor, *others) -> bool:
    """Refuse a change that must not be; return whether history must know of it."""
    if function.special and not _recording(tensor):
        return False
    if type(tensor._node) is AccumulateGrad:
        raise RuntimeError(
            "a leaf Variable that requires grad is being used in an in-place "
            f"operation: {name}. Change it inside torch.no_grad() (Chapter 8)"
        )
    wanted = tensor._node is not None
    for other in others:
        wanted = wanted or (isinstance(other, Tensor) and other.requires_grad)
    return history.before(name, tensor, wanted)


def _recording(tensor: Tensor) -> bool:
    """Look twice: whether this thread records; refuse to change inference tensors."""
    if tensor.is_inference() and not mode.inference:
        raise RuntimeError(
            "Inplace update to inference tensor outside InferenceMode is not allowed. "
            "You can make a clone to get a normal tensor before doing inplace update "
            "(Chapter 8)"
        )
    return mode.recording and not mode.inference


class Unrecorded:
    """What is told of changes in place: it cannot record them yet."""

    def before(self, name: str, tensor: Tensor, wanted: bool) -> bool:
        """Return whether to record a change that can be differentiated, if wanted."""
        if wanted:
            raise NotImplementedError(
                f"{name} on a tensor with history: changes in place are recorded from "
                "Chapter 11 on. Make a new tensor, or use torch.no_grad() (Chapter 8)"
            )
        return False

    def original(self, tensor: Tensor) -> Tensor:
        """The tensor as it was before the change, for the operation to save."""
        return tensor

    def after(self, name: str, tensor: Tensor, result: Tensor | None) -> None:
        """The numbers have changed; ``result`` is where they come from."""

    def noted(self, name: str, tensor: Tensor) -> None:
        """The numbers have changed, and no history has to know where from."""


history = Unrecorded()  # Chapter 11 puts here what can


def _writable(tensor: Tensor, same: bool = False) -> np.ndarray:
    """The array to write into; ``same`` if each element will get the same number.

    Raises RuntimeError if one number stands for several elements, as after `expand`,
    and if the memory is that of a read-only array.
    """
    array = memory(tensor)
    if array.flags.writeable:
        return array
    repeated = zip(array.shape, array.strides, strict=True)
    if not same and any(length > 1 and not step for length, step in repeated):
        raise RuntimeError(
            "unsupported operation: more than one element of the written-to tensor "
            "refers to a single memory location. Please clone() the tensor before "
            "performing the operation (Chapter 8)"
        )
    try:
        array = array.view()
        array.flags.writeable = True
    except ValueError:
        raise RuntimeError(
            "this tensor shares the memory of a read-only NumPy array: clone() it "
            "first (Chapter 8)"
        ) from None
    return array


def _second(name: str, other, like: Tensor) -> Tensor:
    """The other operand as a tensor; a Python number takes the first one's dtype."""
    return operand(other, like, f"{name}(): argument 'other' (position 1)")


def _check_apart(array: np.ndarray, value) -> None:
    """Refuse numbers that lie in the memory to be written to, in other places."""
    if type(value) is np.ndarray and np.may_share_memory(array, value):
        places = [a.__array_interface__["data"][0] for a in (array, value)]
        same = places[0] == places[1] and array.strides == value.strides
        if array.flags.forc and value.flags.forc and not same:
            raise RuntimeError(
                "unsupported operation: some elements of the input tensor and the "
                "written-to tensor refer to a single memory location. Please clone() "
                "the tensor before performing the operation (Chapter 8)"
            )


def _put(array: np.ndarray, value: np.ndarray, name: str) -> None:
    """Write numbers into an array, which keeps its shape and dtype."""
    try:
        shape = np.broadcast_shapes(array.shape, value.shape)
    except ValueError:
        raise RuntimeError(mismatch(name, array.shape, value.shape)) from None
    if shape != tuple(array.shape):
        raise RuntimeError(
            f"output with shape {list(array.shape)} doesn't match the broadcast shape "
            f"{list(shape)}: a change in place keeps the shape, so make a new tensor "
            "(Chapter 8)"
        )
    quietly(np.copyto, array, value, casting="unsafe")


_NAMES = {"float16": "Half", "float32": "Float", "float64": "Double", "bool": "Bool"}
_NAMES |= {"int8": "Char", "int16": "Short", "int32": "Int", "int64": "Long"}
_NAMES |= {"uint8": "Byte"}


def _in_place(name: str, operation, ufunc: np.ufunc):
    """The method that puts the result of an operation into its first operand."""

    def change(self, other, **scale):
        recorded = _allowed(name, self, other)
        second = other if type(other) is Tensor else _second(name, other, self)
        array, step = _writable(self), second._array
        _check_apart(array, step)
        plain = array.dtype.kind == "f" and array.dtype == step.dtype
        if plain and not (recorded or scale) and step.shape in ((), array.shape):
            quietly(ufunc, array, step, out=array)
            history.noted(name, self)
            return self
        first = history.original(self) if recorded else self
        return _replace(name, self, operation(first, other, **scale), recorded)

    change.__name__ = name
    change.__doc__ = f"In place: ``self.{name[:-1]}(other)``; return the tensor."
    return change


def _replace(name: str, tensor: Tensor, result: Tensor, recorded: bool) -> Tensor:
    """Put a result into a tensor, in place of its numbers."""
    if result.dtype.level > tensor.dtype.level:
        raise RuntimeError(
            f"result type {_NAMES[result.dtype.name]} can't be cast to the desired "
            f"output type {_NAMES[tensor.dtype.name]}: in place the dtype stays, so "
            "convert first, x.float() (Chapter 8)"
        )
    _put(_writable(tensor), result._array, name)
    history.after(name, tensor, result if recorded else None)
    return tensor


def copy_(self, src) -> Tensor:
    """In place: take over the numbers of ``src``, broadcast and cast to fit."""
    recorded, source = _allowed("copy_", self, src), _second("copy_", src, self)
    _check_apart(_writable(self), source._array)
    _put(_writable(self), source._array, "copy_")
    history.after("copy_", self, source if recorded else None)
    return self


def fill_(self, value) -> Tensor:
    """In place: the same number everywhere."""
    return _fill("fill_", self, value)


def _fill(name: str, tensor: Tensor, value) -> Tensor:
    """Write one number everywhere, as the method ``name``."""
    recorded = _allowed(name, tensor, value)
    source = _second(name, value, tensor)
    number = value if isinstance(value, float) else source._array
    if np.ndim(number):
        raise RuntimeError(
            f"{name} only supports 0-dimension value tensor but got tensor with "
            f"{number.ndim} dimensions: several numbers are copied, x.copy_(value) "
            "(Chapter 8)"
        )
    quietly(np.copyto, _writable(tensor, same=True), number, casting="unsafe")
    history.after(name, tensor, source if recorded else None)
    return tensor


def zero_(self) -> Tensor:
    """In place: zeros."""
    return _fill("zero_", self, 0)


add_ = _in_place("add_", ops.add, np.add)
sub_ = _in_place("sub_", ops.sub, np.subtract)
mul_ = _in_place("mul_", ops.mul, np.multiply)
div_ = _in_place("div_", ops.div, np.divide)
pow_ = _in_place("pow_", ops.pow, np.power)

extend(add_=add_, sub_=sub_, mul_=mul_, div_=div_, pow_=pow_)
extend(copy_=copy_, fill_=fill_, zero_=zero_)
extend(__iadd__=add_, __isub__=sub_, __imul__=mul_, __itruediv__=div_, __ipow__=pow_)
