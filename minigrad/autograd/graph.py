# Generated from chapters 6 and 12: edit the chapters, not this file.
"""Looking at a graph: its nodes, a drawing of it, and a backward pass step by step.

What draws is in `minigrad.utils`, and is imported when something is drawn.
"""

import sys
from collections.abc import Iterable

import numpy as np

from minigrad.tensor import Node, Tensor

__all__ = ["Node", "draw", "step_through"]


def _names(given: dict | None, frame) -> dict[str, Tensor]:
    """Name tensors: those that were given, then the variables of the calling code."""
    names = dict(given or {})
    _as_list(names.values())
    for scope in (frame.f_locals, frame.f_globals):
        for name, value in scope.items():
            if isinstance(value, Tensor) and name[0].isalpha():
                names.setdefault(name, value)
    return names


def _as_list(tensors) -> list[Tensor]:
    """One tensor or several, as a list; TypeError for anything else."""
    several = isinstance(tensors, Iterable) and not isinstance(tensors, Tensor)
    tensors = list(tensors) if several else [tensors]
    for tensor in tensors:
        if not isinstance(tensor, Tensor):
            kind = type(tensor).__name__
            raise TypeError(
                f"tensors must be Tensors, but got {kind}: give the result of an "
                "operation, such as loss (Chapter 6)"
            )
    return tensors


def draw(
    tensors,
    names: dict[str, Tensor] | None = None,
    *,
    values: bool = False,
    gradients: bool = False,
    saved: bool = True,
    towards=None,
    max_nodes: int = 60,
):
    """Draw the graph behind a tensor, or behind several.

    Parameters
    ----------
    names
        Names for tensors; they win over the names of the caller's variables.
    values, gradients, saved
        Whether to show numbers, what ``.grad`` holds, and what the nodes keep.
    towards
        A tensor or several: light the way on which a cotangent reaches them.
    max_nodes
        Of a larger graph the nodes nearest to ``tensors`` are drawn, and a note.

    The result shows itself in Jupyter. Its ``source`` is DOT text, ``save(path)``
    writes a file, ``print`` says the same in words. Nothing in the graph changes.
    """
    from minigrad.utils import drawing

    if max_nodes < 1:
        raise ValueError(
            f"max_nodes must be at least 1, but got {max_nodes}: write how many nodes "
            "you want to see, or leave it out (Chapter 6)"
        )
    tensors = _as_list(tensors)
    sight = drawing.Sight(_names(names, sys._getframe(1)), values, gradients)
    plan = drawing.survey(tensors, sight, saved, max_nodes)
    if towards is not None:
        drawing.light(plan, _as_list(towards))
    title = ", ".join(sight.name(t) or "a tensor" for t in tensors)
    return drawing.Drawing(plan, title)


def step_through(
    tensor: Tensor,
    gradient: Tensor | None = None,
    names: dict[str, Tensor] | None = None,
    *,
    max_nodes: int = 40,
):
    """Play the backward pass from a tensor, step by step.

    ``gradient`` and the errors are those of ``tensor.backward``, but no ``.grad``
    changes and nothing is freed. Raises ValueError if the graph has more than
    ``max_nodes`` nodes. The result shows itself in Jupyter as a player, and
    ``print`` gives all steps in words.
    """
    from minigrad.utils import drawing, player

    (tensor,) = _as_list(tensor)
    start = _start(tensor, gradient)
    sight = drawing.Sight(_names(names, sys._getframe(1)))
    plan = drawing.survey([tensor], sight, saved=False, most=max_nodes)
    if "cut" in plan.shapes:
        raise ValueError(
            f"the graph has more than {max_nodes} nodes, too many to step through. "
            "Choose a tensor nearer to the leaves, or raise max_nodes (Chapter 6)"
        )
    title = sight.name(tensor) or "a tensor"
    return player.Player(plan, player.walk(tensor._node, start), title)


def _start(tensor: Tensor, gradient: Tensor | None) -> np.ndarray:
    """The cotangent to start with, checked as ``backward`` checks it."""
    if tensor._node is None:
        raise RuntimeError(
            "element 0 of tensors does not require grad and does not have a grad_fn: "
            "nothing that led to it was recorded. Set requires_grad on a leaf before "
            "computing with it (Chapter 8)"
        )
    if gradient is None:
        if tensor._array.size != 1:
            raise RuntimeError(
                "grad can be implicitly created only for scalar outputs: this one has "
                f"shape {tuple(tensor.shape)}. Give weights of this shape, "
                "gradient=torch.ones_like(y) (Chapter 7)"
            )
        return np.ones_like(tensor._array)
    _as_list(gradient)
    if gradient.shape != tensor.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[0] has a shape of {gradient.shape} and "
            f"output[0] has a shape of {tensor.shape}. Give one weight for each "
            "element, such as torch.ones_like(y) (Chapter 7)"
        )
    return np.array(gradient._array, tensor._array.dtype)


# PyTorch has these names here
from minigrad.autograd.saved import (  # noqa: E402, F401
    disable_saved_tensors_hooks,
    saved_tensors_hooks,
)
from minigrad.autograd.watch import register_multi_grad_hook  # noqa: E402, F401
