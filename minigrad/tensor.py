# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""Tensor: an array that remembers where it came from.

A tensor is three things: numbers, a place to which its gradient is sent, and the
gradient that has arrived. All that PyTorch calls leaf, non-leaf, ``requires_grad``
and ``grad_fn`` follows from what stands in the second place.
"""

import threading
import warnings
import weakref
from operator import index

import numpy as np

from minigrad.dtypes import dtype
from minigrad.errors import INSTEAD, wrong_type

new = object.__new__  # makes a blank object; who calls it fills every slot


class Mode(threading.local):
    """What the running thread has asked for; Chapter 8 gives it its switches."""

    recording, inference = True, False


mode = Mode()


class Node:
    """The backward half of one recorded operation; ``grad_fn`` shows it.

    Nodes refer to the nodes of their operands and never to tensors. A sub-class
    names the slots of these references in ``links`` and of what it has saved in
    ``saves``. During a backward pass ``g`` holds the cotangent that has arrived so
    far, and ``uses`` counts the operations from which one is still to come.
    ``hooks`` is None, or what wants to see the cotangent once it is complete.
    """

    __slots__ = ("__weakref__", "g", "hooks", "uses")
    links: tuple[str, ...] = ()
    saves: tuple[str, ...] = ()

    def name(self) -> str:
        """The name of the operation, as PyTorch spells it: ``"MulBackward0"``."""
        return type(self).__name__

    @property
    def next_functions(self) -> tuple:
        """For each operand: the node of its maker, and which of its outputs it is."""
        return tuple((node, 0) for node in self.children)

    @property
    def children(self) -> list:
        """The nodes of the operands' makers; None for a constant."""
        return [getattr(self, link) for link in self.links]

    def __repr__(self) -> str:
        return f"<{type(self).__name__} object>"


_METADATA = weakref.WeakKeyDictionary()
# a dictionary for notes of your own about a node
Node.metadata = property(lambda node: _METADATA.setdefault(node, {}))


class AccumulateGrad(Node):
    """The mailbox of a leaf: what arrives here is added to the leaf's ``.grad``."""

    __slots__ = ("array", "leaf")

    def __init__(self, leaf: "Tensor"):
        self.leaf, self.array = weakref.ref(leaf), leaf._array
        self.uses, self.g, self.hooks = 0, None, None

    def name(self) -> str:
        """PyTorch gives this one with its full C++ name."""
        return "torch::autograd::AccumulateGrad"

    @property
    def variable(self) -> "Tensor":
        """The leaf. The mailbox knows it weakly: a leaf owns its mailbox."""
        leaf = self.leaf()
        if leaf is None:  # nobody holds it any longer, but its numbers are here
            leaf = wrap(self.array, self)
            self.leaf = weakref.ref(leaf)
        return leaf


class _Tracked:
    """What a tensor says of its history, read off ``_node``."""

    __slots__ = ()

    @property
    def grad_fn(self) -> Node | None:
        """The node of the operation that made this tensor; None for a leaf."""
        return None if type(self._node) is AccumulateGrad else self._node

    @property
    def is_leaf(self) -> bool:
        """Whether the history begins here: no recorded operation made this tensor."""
        return self.grad_fn is None

    @property
    def requires_grad(self) -> bool:
        """Whether operations on this tensor are recorded."""
        return self._node is not None

    @requires_grad.setter
    def requires_grad(self, wanted: bool):
        _check_flag(self, wanted)
        if not wanted:
            self._node = None
        elif self._node is None:
            self._node = AccumulateGrad(self)

    @property
    def retains_grad(self) -> bool:
        """Whether this non-leaf was told to keep its gradient (Chapter 8)."""
        return False


def _check_flag(tensor: "Tensor", wanted: bool) -> None:
    """Refuse a ``requires_grad`` that this tensor cannot have."""
    if type(wanted) is not bool:
        raise RuntimeError(
            f"requires_grad must be a bool, not {type(wanted).__name__}: "
            f"{INSTEAD['bool']} (Chapter 4)"
        )
    if not tensor.is_leaf:
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to "
            "use a computed variable in a subgraph that doesn't require "
            "differentiation use var_no_grad = var.detach(), which is a leaf, and may "
            "require a gradient, too (Chapter 8)"
        )
    if wanted and tensor._array.dtype.kind != "f":
        raise RuntimeError(
            "only Tensors of floating point dtype can require gradients; this one has "
            f"dtype torch.{tensor._array.dtype}. Make it of floats: torch.tensor(data, "
            "dtype=torch.float32) (Chapter 4)"
        )
    if wanted and tensor.is_inference() and not mode.inference:
        raise RuntimeError(
            "Setting requires_grad=True on inference tensor outside InferenceMode is "
            "not allowed. Make a normal tensor of it first: x.clone() (Chapter 8)"
        )


def memory(tensor: "Tensor") -> np.ndarray:
    """The array of a tensor, as memory that others can share."""
    value = tensor._array
    if type(value) is not np.ndarray and isinstance(value, np.generic):
        tensor._array = array = np.array(value)
        gone = weakref.ref(array, lambda _: _housed.pop(id(value), None))
        _housed[id(value)] = value, gone  # some node may have saved it (Chapter 11)
    return tensor._array


_housed: dict = {}  # NumPy scalars that have been given memory, and that memory


class _Separable:
    """How a tensor is brought under observation, and out of it again."""

    __slots__ = ()

    def requires_grad_(self, requires_grad: bool = True) -> "Tensor":
        """Set ``requires_grad``, in place; return the tensor."""
        if type(requires_grad) is not bool:
            flag = "requires_grad_(): argument 'requires_grad' (position 1)"
            raise wrong_type(flag, "bool", requires_grad)
        if requires_grad is not self.requires_grad:
            self.requires_grad = requires_grad
        return self

    def is_inference(self) -> bool:
        """Whether the tensor was made in inference mode (Chapter 8)."""
        return hasattr(self, "_inference")

    def detach(self) -> "Tensor":
        """A new leaf over the same memory, without history."""
        shared = new(Tensor)  # not wrap: it is marked as what it shows is marked
        shared._array, shared._grad, shared._node = memory(self), None, None
        if self.is_inference():
            shared._inference = True
        return shared

    def detach_(self) -> "Tensor":
        """Forget the history, in place; return the tensor, now a leaf."""
        self._node = None
        return self


class _Graded:
    """What a tensor holds for others to see and to change: numbers and gradient."""

    __slots__ = ()

    @property
    def data(self) -> "Tensor":
        """The same memory as a tensor without history."""
        return self.detach()

    @data.setter
    def data(self, value: "Tensor"):
        _check_data(self, value)
        self._array = value._array
        if type(self._node) is AccumulateGrad:
            self._node.array = value._array

    @property
    def grad(self) -> "Tensor | None":
        """What backward passes have accumulated here; None until one has arrived."""
        if self._grad is None and not self.is_leaf and not self.retains_grad:
            warnings.warn(NON_LEAF_GRAD, UserWarning, stacklevel=2)
        return self._grad

    @grad.setter
    def grad(self, value: "Tensor | None"):
        if value is not None:
            _check_gradient(self, value)
        self._grad = value

    @grad.deleter
    def grad(self):
        self._grad = None


def _check_data(tensor: "Tensor", value) -> None:
    """Refuse ``.data`` that is not a tensor, or that could not have a gradient."""
    if not isinstance(value, Tensor):
        raise TypeError(
            f"Variable data has to be a tensor, but got {type(value).__name__}: "
            f"{INSTEAD['Tensor']} (Chapter 4)"
        )
    if tensor.requires_grad and value._array.dtype.kind != "f":
        raise RuntimeError(
            "data set to a tensor that requires gradients must be floating point or "
            f"complex dtype, and not torch.{value._array.dtype}: convert it first, "
            "value.float() (Chapter 4)"
        )


NON_LEAF_GRAD = (
    "The .grad attribute of a Tensor that is not a leaf Tensor is being accessed. Its "
    ".grad attribute won't be populated during autograd.backward(). If you indeed want "
    "the .grad field to be populated for a non-leaf Tensor, use .retain_grad() on the "
    "non-leaf Tensor. If you access the non-leaf Tensor by mistake, make sure you "
    "access the leaf Tensor instead."
)


def _check_gradient(tensor: "Tensor", gradient) -> None:
    """Refuse a ``.grad`` that is not a tensor of the same shape and dtype."""
    if not isinstance(gradient, Tensor):
        raise TypeError(
            "assigned grad expected to be a Tensor or None but got grad of type "
            f"{type(gradient).__name__}: {INSTEAD['Tensor']} (Chapter 4)"
        )
    if gradient is tensor:
        raise RuntimeError(
            "can't assign Variable as its own grad: make another tensor of it, "
            "x.detach() (Chapter 4)"
        )
    given, own = gradient._array, tensor._array
    if given.dtype != own.dtype:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype 'torch.{given.dtype}' to a "
            f"tensor with dtype 'torch.{own.dtype}'. The gradient must match the "
            "tensor's dtype: convert it first, gradient.to(x.dtype) (Chapter 4)"
        )
    if given.shape != own.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(given.shape)}' to a "
            f"tensor of size '{list(own.shape)}'. Please ensure that the gradient "
            "and the tensor are the same size: broadcast or sum it (Chapter 4)"
        )


class Size(tuple):
    """A shape: a tuple of integers that prints as PyTorch prints it."""

    __slots__ = ()

    def __new__(cls, lengths=()):
        """Make a shape; TypeError for lengths that are not integers."""
        lengths = tuple(lengths)
        for k, length in enumerate(lengths):
            if not hasattr(length, "__index__"):
                raise TypeError(
                    "torch.Size() takes an iterable of 'int' "
                    f"(item {k} is '{type(length).__name__}'): "
                    f"{INSTEAD['tuple of ints']} (Chapter 4)"
                )
        return tuple.__new__(cls, map(index, lengths))

    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        """The number of elements in an array of this shape."""
        return int(np.prod(self, dtype=np.int64))

    def __getitem__(self, place):
        found = tuple.__getitem__(self, place)
        return Size(found) if isinstance(place, slice) else found

    def __add__(self, other):
        return Size((*self, *other))

    def __radd__(self, other):
        return Size((*other, *self))

    def __mul__(self, times):
        return Size(tuple(self) * times)

    __rmul__ = __mul__


class _Described:
    """What the array knows."""

    __slots__ = ()

    @property
    def shape(self) -> Size:
        """The length of every axis."""
        return tuple.__new__(Size, self._array.shape)

    def size(self, dim: int | None = None):
        """The shape, or the length of one axis; IndexError if there is no such axis."""
        return self.shape if dim is None else self.shape[_axis(self, dim)]

    def dim(self) -> int:
        """The number of axes."""
        return self._array.ndim

    def numel(self) -> int:
        """The number of elements."""
        return self._array.size

    def element_size(self) -> int:
        """Bytes per element."""
        return self._array.itemsize

    @property
    def dtype(self) -> dtype:
        """The kind of the numbers."""
        return dtype.known[self._array.dtype]

    def is_floating_point(self) -> bool:
        """Whether the numbers are floats: only then can there be a gradient."""
        return self._array.dtype.kind == "f"

    ndim, itemsize = property(dim), property(element_size)
    ndimension, nelement = dim, numel


class _Convertible:
    """The way to NumPy, and to plain Python numbers."""

    __slots__ = ()

    def numpy(self, *, force: bool = False) -> np.ndarray:
        """The array itself: memory is shared, and writes go unnoticed."""
        if self.requires_grad and mode.recording and not force:
            raise RuntimeError(
                "Can't call numpy() on Tensor that requires grad. "
                "Use tensor.detach().numpy() instead (Chapter 8)"
            )
        return self.detach()._array

    def __array__(self, dtype=None, copy=None):
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def data_ptr(self) -> int:
        """The address of the first element: equal where memory is shared."""
        return self.detach()._array.__array_interface__["data"][0]

    def tolist(self):
        """The elements as nested lists of Python numbers."""
        return self._array.tolist()

    def item(self):
        """The one element as a Python number; RuntimeError if there are more."""
        if self._array.size != 1:
            raise RuntimeError(
                f"a Tensor with {self._array.size} elements cannot be converted to "
                "Scalar: use x.tolist(), or reduce it, x.sum().item() (Chapter 4)"
            )
        return self._array.item()


class _Numberlike:
    """What Python asks of an object that it takes for a number or a sequence."""

    __slots__ = ()

    def __float__(self) -> float:
        return float(_scalar(self, warn=self.requires_grad))

    def __int__(self) -> int:
        return int(_scalar(self))

    def __index__(self) -> int:
        if self._array.dtype.kind not in "iub" or self._array.size != 1:
            raise TypeError(
                "only integer tensors of a single element can be converted to an index:"
                f" this one has {self._array.size} of {self.dtype}; make an int of one "
                "number, int(x) (Chapter 4)"
            )
        return int(self._array.item())

    def __bool__(self) -> bool:
        if self._array.size != 1:
            word = "more than one value" if self._array.size else "no values"
            raise RuntimeError(
                f"Boolean value of Tensor with {word} is ambiguous: ask for one "
                "number, x.sum().item(), or for the length, len(x) (Chapter 4)"
            )
        return bool(self._array)

    def __len__(self) -> int:
        if self._array.ndim == 0:
            raise TypeError(
                "len() of a 0-d tensor: it has no axes; x.numel() is 1 (Chapter 4)"
            )
        return len(self._array)


class Tensor(_Tracked, _Separable, _Graded, _Described, _Convertible, _Numberlike):
    """An n-dimensional array that can record what is done to it.

    ``_array`` holds the numbers, ``_grad`` what has been accumulated, and ``_node``
    the place to which a gradient for this tensor is sent:

    ====================  ====================================  =============
    ``_node``             the tensor is                         ``grad_fn``
    ====================  ====================================  =============
    None                  a leaf that wants no gradient         None
    an `AccumulateGrad`   a leaf that collects its gradient     None
    any other `Node`      the result of a recorded operation    that node
    ====================  ====================================  =============

    The slot ``_inference`` is filled in inference mode only (Chapter 8), ``_origin`` in
    a view of another tensor's memory, and ``_views`` in that other (Chapter 11).
    """

    __slots__ = ("__weakref__", "_array", "_grad", "_inference", "_node", "_origin")
    __slots__ += ("_views",)

    def __format__(self, spec: str) -> str:
        if self._array.ndim == 0:
            return format(self._array.item(), spec)
        return object.__format__(self, spec)

    def __hash__(self) -> int:
        return id(self)


def wrap(array: np.ndarray, node: Node | None = None) -> Tensor:
    """Make a tensor around an array, without a copy."""
    tensor = new(Tensor)
    tensor._array, tensor._grad, tensor._node = array, None, node
    if mode.inference:
        tensor._inference = True
    return tensor


def extend(**methods) -> None:
    """Give `Tensor` further methods: the one door by which later chapters come in.

    ``extend(exp=exp, __neg__=neg)`` makes ``x.exp()`` and ``-x`` work. A property is
    given as ``property(function)``.
    """
    for name, method in methods.items():
        setattr(Tensor, name, method)


def _scalar(tensor: "Tensor", warn: bool = False):
    """The one element, for a conversion that Python has asked for."""
    if tensor._array.size != 1:
        raise ValueError(
            "only one element tensors can be converted to Python scalars, and not one "
            f"of {tensor._array.size}: use x.tolist(), or x.sum() (Chapter 4)"
        )
    if warn:
        warnings.warn(
            "Converting a tensor with requires_grad=True to a scalar may lead to "
            "unexpected behavior.\nConsider using tensor.detach() first.",
            stacklevel=3,
        )
    return tensor._array.item()


def _axis(tensor: "Tensor", dim: int) -> int:
    """The number of an axis, counted from the left; IndexError if there is none."""
    n = tensor._array.ndim
    if n == 0:
        raise IndexError(
            f"Dimension specified as {dim} but tensor has no dimensions: ask for the "
            "whole shape, x.shape, or for x.numel() (Chapter 4)"
        )
    return axis_of(dim, n)


def axis_of(dim: int, n: int) -> int:
    """Axis ``dim`` of ``n``, counted from the left; IndexError if there is none."""
    if isinstance(dim, bool) or not hasattr(dim, "__index__"):
        raise wrong_type("argument 'dim'", "int", dim)
    if not -n <= (dim := index(dim)) < n:
        raise IndexError(
            f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], "
            f"but got {dim}): axes count from 0, or from -1 backwards (Chapter 4)"
        )
    return dim % n
