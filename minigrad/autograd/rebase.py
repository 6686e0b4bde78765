# Generated from chapter 11 (book/ch11-inplace.ipynb): edit the chapter, not this.
"""Recording changes in place: the tensor is the same, its history is another.

``y.mul_(3)`` is the operation ``y * 3``, after which the name y stands for the result.
So the result's node becomes y's node. A change of a *view* changes its base as well:
for the base it is a copy in which some places come from elsewhere, and every other view
of the base shows a part of that copy.
"""

import numpy as np

from minigrad import inplace
from minigrad.autograd import function
from minigrad.autograd.function import record
from minigrad.autograd.versions import Counting, _operation
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import AccumulateGrad, Node, Tensor, extend, wrap

# the numbers have been written already, so forward has nothing to do
define("overwritten", lambda x: x, x=lambda g: np.zeros_like(g))
define("taken_over", lambda x, y: x, x=lambda g: np.zeros_like(g), y=lambda g: g)


def constant(name: str, node: str):
    """What records that all numbers of a tensor have been replaced by constants."""
    forget = record(PRIMITIVES["overwritten"], name, node)
    return lambda tensor, source: forget(tensor)


_fill = constant("fill_", "FillBackward2")
_fill_with = record(PRIMITIVES["taken_over"], "fill_", "FillBackward3")
OVERWRITING = {
    "zero_": constant("zero_", "ZeroBackward0"),
    "fill_": lambda x, y: (_fill if y._node is None else _fill_with)(x, y),
    "copy_": record(PRIMITIVES["taken_over"], "copy_", "CopyBackwards"),
}


def move(tensor: Tensor, node: Node | None) -> None:
    """Give a tensor another node; what retains its gradient goes along."""
    kept = tensor.retains_grad
    if kept:
        tensor._node.hooks.tensor = type(None)  # nobody, see Chapter 7
    tensor._node = node
    if kept and node is not None:
        tensor.retain_grad()


class Places:
    """Where a view lies in its base; worked out when a gradient passes."""

    def __init__(self, base: np.ndarray, view: np.ndarray):
        self.base, self.view = _layout(base), _layout(view)

    def __repr__(self) -> str:
        return str(self.numbers.tolist())

    @property
    def numbers(self) -> np.ndarray:
        """For each element of the view: which one of the base, in reading order."""
        shape, strides, start = self.base
        extent = 1 + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
        laid = np.empty(max(extent, 1), np.int64)  # memory like that of the base
        count = np.arange(np.prod(shape, dtype=int)).reshape(shape)
        np.ndarray(shape, laid.dtype, laid, 0, [8 * s for s in strides])[...] = count
        shape, strides, place = self.view
        strides = [8 * s for s in strides]
        return np.ndarray(shape, laid.dtype, laid, 8 * (place - start), strides)


def _layout(array: np.ndarray) -> tuple:
    """Shape, strides and the address of the first element, counted in elements."""
    size, start = array.itemsize, array.__array_interface__["data"][0]
    return array.shape, tuple(s // size for s in array.strides), start // size


def _shown(x, *, at):
    """The elements at some places."""
    return np.reshape(x, -1)[at.numbers]


def _spread(x, *, at):
    """Zeros in the shape of the base, with the elements of x added at their places."""
    total = np.zeros_like(x, shape=at.base[0])
    np.add.at(total.reshape(-1), at.numbers, x)
    return total


def _cleared(x, *, at):
    """A copy of x with zeros at some places."""
    copy = np.copy(x, order="C")
    copy.reshape(-1)[at.numbers] = 0
    return copy


def _either(on_arrays, name: str, node: str):
    """A function for rules: on tensors, it is the recorded primitive of that name."""

    def function(g, at):
        if isinstance(g, Tensor):
            return record(PRIMITIVES[name], name, node)(g, at)
        return on_arrays(g, at=at)

    return function


shown = _either(_shown, "shown", "AsStridedBackward0")
spread = _either(_spread, "spread", "AsStridedScatterBackward0")
cleared = _either(_cleared, "cleared", "CloneBackward0")
define("shown", _shown, x=lambda g, at: spread(g, at))
define("spread", _spread, x=lambda g, at: shown(g, at))
define("cleared", _cleared, x=lambda g, at: cleared(g, at))
define(
    "copy_slices",
    lambda x, y, *, at: x,
    x=lambda g, at: cleared(g, at),
    y=lambda g, at: shown(g, at),
)
_slices = record(PRIMITIVES["copy_slices"], "copy_slices", "CopySlices")
_as_view = record(PRIMITIVES["shown"], "as_strided", "AsStridedBackward0")


def living_views(base: Tensor) -> list[Tensor]:
    """The views of a base that somebody still holds."""
    views = (view() for view in getattr(base, "_views", ()))
    return [view for view in views if view is not None]


def rewrite(tensor: Tensor, node: Node | None) -> None:
    """Make a node the last in a tensor's history, and in that of its base and views."""
    if node is not None and "out" in node.saves:
        node.out, node.born = tensor._array, function.clock
    base = getattr(tensor, "_origin", tensor)
    if base is not tensor:
        at = Places(base._array, tensor._array)
        node = _slices(base, wrap(tensor._array, node), at)._node
    constant = base._node is None
    move(base, node)
    for view in living_views(base):
        if constant or view._node is not None:
            move(view, _as_view(base, Places(base._array, view._array))._node)


def _check_view(name: str, view: Tensor, base: Tensor) -> None:
    """Refuse to change a view whose history could not be rewritten."""
    if view._node is None and base._node is not None:
        raise RuntimeError(NO_GRAD_VIEW)
    if view._node is not None and base.is_leaf:
        raise RuntimeError(
            "a view of a leaf Variable that requires grad is being used in an in-place "
            f"operation: {name}. Change it inside torch.no_grad() (Chapter 8)"
        )
    node = view._node
    while node is not base._node and node is not None and node.links:
        made = _operation(node)
        if made in ("Unbind", "Split", "SplitWithSizes"):
            raise RuntimeError(f"Output 0 of {made} {SEVERAL_VIEWS}")
        node = getattr(node, node.links[0])


NO_GRAD_VIEW = (
    "A view was created in no_grad mode and is being modified inplace with grad mode "
    "enabled. Given that this use case is ambiguous and error-prone, it is forbidden. "
    "You can clarify your code by moving both the view and the inplace either both "
    "inside the no_grad block (if you don't want the inplace to be tracked) or both "
    "outside (if you want the inplace to be tracked) (Chapter 11)"
)
SEVERAL_VIEWS = (
    "is a view and is being modified inplace. This view is the output of a function "
    "that returns multiple views. Such functions do not allow the output views to be "
    "modified inplace. You should replace the inplace operation by an out-of-place "
    "one: x = x + 1 (Chapter 11)"
)
INTERIOR = (
    "leaf variable has been moved into the graph interior: {}, recorded for a base, "
    "would change a view of it that collects a gradient. Make that leaf of a copy, "
    "x.clone() (Chapter 11)"
)


class History(Counting):
    """What is told of changes in place: it counts and records them."""

    def before(self, name: str, tensor: Tensor, wanted: bool) -> bool:
        """Refuse a change that would make the history ambiguous."""
        base = getattr(tensor, "_origin", tensor)
        if not wanted and base._node is None:
            return False
        if base is not tensor:
            _check_view(name, tensor, base)
        if any(type(view._node) is AccumulateGrad for view in living_views(base)):
            raise RuntimeError(INTERIOR.format(name))
        return tensor.is_floating_point()

    def original(self, tensor: Tensor) -> Tensor:
        """The tensor as it was before the change, for the operation to save."""
        return wrap(np.copy(tensor._array), tensor._node)

    def after(self, name: str, tensor: Tensor, result: Tensor | None) -> None:
        """Count a change that has been made; rewrite the history it belongs to."""
        super().after(name, tensor, result)
        if result is not None:
            write = OVERWRITING.get(name)
            result = result if write is None else write(tensor, result)
            rewrite(tensor, result._node)


inplace.history = History()


def _detach(self) -> Tensor:
    """Forget the history, in place; RuntimeError for a view, which shares it."""
    if hasattr(self, "_origin"):
        raise RuntimeError(
            "Can't detach views in-place. Use detach() instead (Chapter 11)"
        )
    self._node = None
    return self


def _name(node: Node) -> str:
    """The name of the operation; PyTorch gives what it wrote by hand in full."""
    name = type(node).__name__
    return f"torch::autograd::{name}" if name in BY_HAND else name


BY_HAND = ("AccumulateGrad", "CopyBackwards", "CopySlices")
Node.name = _name
extend(
    _base=property(lambda self: getattr(self, "_origin", None)),
    _is_view=lambda self: hasattr(self, "_origin"),
    detach_=_detach,
)
