# Generated from chapters 6 and 12: edit the chapters, not this file.
"""Looking at a graph: its nodes, a drawing of it, and a backward pass step by step.

What draws is in `minigrad.utils`, and is imported when something is drawn.
"""

import sys

from minigrad.tensor import Node, Tensor

__all__ = ["Node", "draw", "step_through"]


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
    tensors = drawing.as_list(tensors)
    sight = drawing.Sight(drawing.names_of(names, sys._getframe(1)), values, gradients)
    plan = drawing.survey(tensors, sight, saved, max_nodes)
    if towards is not None:
        drawing.light(plan, drawing.as_list(towards))
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

    (tensor,) = drawing.as_list(tensor)
    start = player.cotangent(tensor, gradient)
    sight = drawing.Sight(drawing.names_of(names, sys._getframe(1)))
    plan = drawing.survey([tensor], sight, saved=False, most=max_nodes)
    if "cut" in plan.shapes:
        raise ValueError(
            f"the graph has more than {max_nodes} nodes, too many to step through. "
            "Choose a tensor nearer to the leaves, or raise max_nodes (Chapter 6)"
        )
    title = sight.name(tensor) or "a tensor"
    return player.Player(plan, player.walk(tensor._node, start), title)


# what PyTorch has under this name
from collections import namedtuple  # noqa: E402

import numpy as np  # noqa: E402

from minigrad import roots  # noqa: E402
from minigrad.autograd import engine  # noqa: E402
from minigrad.autograd.saved import (  # noqa: E402, F401
    allow_mutation_on_saved_tensors,
    disable_saved_tensors_hooks,
    increment_version,
    save_on_cpu,
    saved_tensors_hooks,
)
from minigrad.autograd.watch import register_multi_grad_hook  # noqa: E402, F401
from minigrad.tensor import wrap  # noqa: E402

_edge = namedtuple("GradientEdge", "node output_nr ownership_token", defaults=[None])


class GradientEdge(_edge):
    """A node, and which of its outputs: where a gradient for it is to be sent."""

    @property
    def like(self) -> Tensor:
        """A tensor that leads there; the shape of one made by hand is not known."""
        return vars(self).setdefault("_like", wrap(np.float32(0), self.node))


def get_gradient_edge(tensor: Tensor) -> GradientEdge:
    """The place to which the gradient of a tensor is sent."""
    if not tensor.requires_grad:
        raise RuntimeError(
            "It is not possible to get the gradient edge for a Tensor that does not "
            "require gradients: set requires_grad on a leaf it is made from "
            "(Chapter 12)"
        )
    number = getattr(tensor, "output_nr", 0)  # there are others from Chapter 16 on
    edge = GradientEdge(tensor.grad_fn or tensor._node, number)
    zero = tensor._array.dtype.type(0)
    edge._like = wrap(np.broadcast_to(zero, tensor.shape), tensor._node)
    return edge


def as_tuple(value, length: int | None = None, *, plain=roots.as_tuple) -> tuple:
    """As in Chapter 7; an edge stands for the tensor that would lead there."""
    given = (value,) if isinstance(value, GradientEdge) else plain(value, length)
    return tuple(x.like if isinstance(x, GradientEdge) else x for x in given)


roots.as_tuple = engine.as_tuple = as_tuple
