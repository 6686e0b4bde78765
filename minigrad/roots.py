# Generated from chapter 7 (book/ch07-backward.ipynb): edit the chapter, not this.
"""Roots and targets: where a backward pass starts, and where it is to end.

What somebody asks of `minigrad.autograd.backward` and `minigrad.autograd.grad` is
checked here, before the walk begins: a request that is refused has changed nothing.
"""

import numpy as np

from minigrad.autograd.function import fit
from minigrad.errors import INSTEAD
from minigrad.tensor import Node, Tensor, wrap


def as_tuple(value, length: int | None = None) -> tuple:
    """One tensor or a sequence of them, as a tuple; None may stand for all None."""
    if value is None and length is not None:
        return (None,) * length
    return (value,) if isinstance(value, Tensor) else tuple(value)


def roots_of(outputs, weights, create_graph: bool) -> list[tuple]:
    """Pair the node of every output with the cotangent that it starts from.

    The cotangents are arrays, or with ``create_graph`` tensors, of the output's shape
    and dtype. Raises RuntimeError or TypeError for what cannot be differentiated.
    """
    outputs = as_tuple(outputs)
    weights = as_tuple(weights, len(outputs))
    if len(outputs) > len(weights):
        raise RuntimeError(
            f"got {len(outputs)} tensors and {len(weights)} gradients: give one for "
            "each, or None where the output is one number (Chapter 7)"
        )
    roots = []
    for k, (y, v) in enumerate(zip(outputs, weights, strict=False)):
        check_output(k, y, v)
        if v is None:
            v = wrap(np.ones(y._array.shape, y._array.dtype)[()])
        v = v if create_graph else v._array
        roots.append((y._node, fit(v, (y._array.shape, y._array.dtype))))
    return roots


def check_output(k: int, y, v) -> None:
    """Refuse an output without history, and weights that do not suit it."""
    if not isinstance(y, Tensor):
        raise AssertionError(
            f"Expected output to be a torch.Tensor, got {type(y).__name__} as output "
            f"{k}: give the tensor itself, before item() or float() (Chapter 7)"
        )
    if not (v is None or isinstance(v, Tensor)):
        raise TypeError(
            f"gradients can be either Tensors or None, but got {type(v).__name__}: "
            f"{INSTEAD['Tensor']} (Chapter 7)"
        )
    if v is None and y._node is not None and y._array.size != 1:
        raise RuntimeError(
            "grad can be implicitly created only for scalar outputs: this one has "
            f"shape {tuple(y.shape)}. Reduce it, y.sum().backward(), or say how much "
            "each element counts, y.backward(gradient=v) (Chapter 7)"
        )
    if v is not None and v.shape != y.shape:
        raise RuntimeError(
            f"Mismatch in shape: grad_output[{k}] has a shape of {v.shape} and "
            f"output[{k}] has a shape of {y.shape}. Give one weight for each element, "
            "such as torch.ones_like(y) (Chapter 7)"
        )
    if y._node is None:
        raise RuntimeError(
            f"element {k} of tensors does not require grad and does not have a "
            "grad_fn: nothing that led to it was recorded. Set requires_grad on a leaf "
            "before computing with it (Chapter 8)"
        )


def targets_of(inputs, function: str) -> list[Node]:
    """Return the nodes of the tensors that a pass is asked for."""
    inputs = as_tuple(inputs)
    if not inputs:
        raise RuntimeError(
            f"`inputs` argument to `{function}()` cannot be empty. Name at least one "
            "tensor that the output was made from (Chapter 7)"
        )
    for x in inputs:
        if not isinstance(x, Tensor):
            raise RuntimeError(
                "all inputs have to be Tensors or GradientEdges, but got "
                f"{type(x).__name__}: name a tensor (Chapter 7)"
            )
        if x._node is None:
            raise RuntimeError(
                "One of the differentiated Tensors does not require grad (and can't "
                "retain_grad on Tensor that has requires_grad=False): set "
                "requires_grad on it before computing with it (Chapter 8)"
            )
    return [x._node for x in inputs]
