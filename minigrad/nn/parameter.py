# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Parameters: the tensors of a model that are to be learned, and those that are not."""

import numpy as np

from minigrad.tensor import Tensor, memory, mode


class _Marked(Tensor):
    """A tensor that a module recognises by its class. Results are plain tensors."""

    def __init__(self, data=None):
        if data is not None and not isinstance(data, Tensor):
            raise AttributeError(
                f"'{type(data).__name__}' object has no attribute 'detach': it is made "
                "of a tensor, nn.Parameter(torch.tensor(data)) (Chapter 17)"
            )
        shown = np.zeros(0, np.float32) if data is None else memory(data)
        self._array, self._grad, self._node = shown, None, None
        if mode.inference:
            self._inference = True


class Parameter(_Marked):
    """A leaf over the memory of ``data`` that requires grad, unless told otherwise."""

    def __init__(self, data=None, requires_grad: bool = True):
        super().__init__(data)
        if requires_grad is True and self._array.dtype.kind != "f":
            raise RuntimeError(
                "Only Tensors of floating point and complex dtype can require "
                f"gradients, and this one is of {self.dtype}: make floats of it, "
                "nn.Parameter(data.float()) (Chapter 17)"
            )
        self.requires_grad = requires_grad

    def __repr__(self) -> str:
        return f"Parameter containing:\n{super().__repr__()}"

    __str__ = __repr__

    def __deepcopy__(self, memo: dict) -> "Parameter":
        return _parameter(self._array.copy(), self.requires_grad)

    def __reduce_ex__(self, protocol: int):
        return _parameter, (self._array, self.requires_grad)


def _parameter(array: np.ndarray, requires_grad: bool) -> Parameter:
    """A parameter over an array: what a copy is made by, and what a pickle calls."""
    made = Parameter(requires_grad=False)
    made._array = array
    return made.requires_grad_(requires_grad)


class Buffer(_Marked):
    """A tensor that belongs to a module's state and is not learned."""

    def __init__(self, data=None, *, persistent: bool = True):
        super().__init__(data)
        self.persistent = persistent
