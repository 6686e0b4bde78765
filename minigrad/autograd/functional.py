# Generated from chapter 14 (book/ch14-higher.ipynb): edit the chapter, not this.
"""Jacobians, Hessians and their products with vectors, of functions of tensors.

All of them call the function once on inputs of their own, and then walk back with
`minigrad.autograd.grad`. Nothing is accumulated anywhere.
"""

import numpy as np

from minigrad.autograd import engine
from minigrad.autograd.grad_mode import enable_grad
from minigrad.creation import eye, ones_like, zeros_like
from minigrad.shapes import cat, stack
from minigrad.tensor import AccumulateGrad, Tensor, wrap


def _as_tuple(value, what: str, caller: str) -> tuple[bool, tuple]:
    """Whether there is a tuple of tensors, and the tensors as a tuple."""
    many = isinstance(value, tuple)
    items = value if many else (value,)
    for i, x in enumerate(items):
        if not isinstance(x, Tensor):
            where = f"value at index {i}" if many else f"given {what}"
            raise TypeError(
                f"The {what} given to {caller} must be either a Tensor or a tuple of "
                f"Tensors but the {where} has type {type(x)}. Make a tensor of it "
                "with torch.tensor (Chapter 14)"
            )
    return many, items


def _fresh(inputs: tuple, create_graph: bool) -> tuple:
    """Inputs to differentiate by; connected with the given ones if that is wanted."""
    return tuple(
        x.view_as(x)
        if create_graph and x.requires_grad
        else x.detach().requires_grad_()
        for x in inputs
    )


def _give(values, create_graph: bool, many: bool):
    """The values as the caller wants them: without history, and bare if single."""
    values = tuple(v if create_graph else v.detach() for v in values)
    return values if many else values[0]


STRICT = {
    "output": "Output {} of the user-provided function does not require gradients. The "
    "outputs must be computed in a differentiable manner from the input when running "
    "in strict mode.",
    "back": "The output of the user-provided function is independent of input {}. This "
    "is not allowed in strict mode.",
    "row": "Output {} of the user-provided function is independent of input {}. This "
    "is not allowed in strict mode.",
    "jacobian": "The jacobian of the user-provided function is independent of input "
    "{}. This is not allowed in strict mode{}.",
    "hessian": "The hessian of the user-provided function is independent of input {}. "
    "This is not allowed in strict mode{}.",
    "slope": "While computing the hessian, found that the jacobian of the "
    "user-provided function with respect to input {} is independent of the input. This "
    "is not allowed in strict mode. You should ensure that your function is twice "
    "differentiable and that the jacobian depends on the inputs (this would be "
    "violated by a linear function for example).",
    "trick": "The gradient with respect to the input is independent of entry {} in the "
    "grad_outputs when using the double backward trick to compute forward mode "
    "gradients. This is not allowed in strict mode.",
}


def _refuse(kind: str, *places) -> None:
    """Raise the error of strict mode."""
    raise RuntimeError(
        STRICT[kind].format(*places) + " Leave strict out: zeros stand for what does "
        "not depend on an input (Chapter 14)"
    )


def _call(func, inputs: tuple, caller: str, strict: bool) -> tuple[bool, tuple]:
    """Call the function; whether it returned a tuple, and its outputs."""
    found = func(*inputs)
    many, ys = _as_tuple(found, "outputs of the user-provided function", caller)
    for i, y in enumerate(ys):
        if strict and not y.requires_grad:
            _refuse("output", i)
    return many, ys


def _pull(ys, xs, vs, create_graph: bool, strict=None, after="jacobian", *at) -> tuple:
    """The sum of vᵀJ over the outputs, for each input; zeros where nothing depends.

    ``strict`` is the kind of refusal if an input plays no part, ``after`` the kind if
    the result is constant, though it was to be differentiated again.
    """
    pairs = [(y, v) for y, v in zip(ys, vs, strict=True) if y.requires_grad]
    found = [None] * len(xs)
    if pairs:
        ys, vs = zip(*pairs, strict=True)
        found = engine.grad(ys, xs, vs, True, create_graph, allow_unused=True)
    for i, g in enumerate(found):
        if strict and g is None:
            _refuse(strict, *at, i, "")
        if strict and create_graph and not g.requires_grad and after:
            _refuse(after, i, " when create_graph=True")
    pairs = zip(xs, found, strict=True)
    return tuple(zeros_like(x) if g is None else g for x, g in pairs)


def _weights(v, like: tuple, many: bool, caller: str, which: str) -> tuple:
    """The vectors v, in the shapes of ``like``; ones if there is but one number."""
    if v is None:
        if len(like) != 1 or like[0].numel() != 1:
            raise RuntimeError(
                f"The vector v can only be None if {which} a single Tensor with a "
                "single element. Give v in its shape (Chapter 14)"
            )
        return (ones_like(like[0]),)
    vs = _as_tuple(v, "v", caller)[1]
    if len(vs) != len(like):
        said = (
            f"v is a tuple of invalid length: should be {len(like)} but got {len(vs)}"
        )
        raise RuntimeError(
            (said if many else "The given v should contain a single Tensor")
            + ". Give one vector for each tensor (Chapter 14)"
        )
    for i, (a, b) in enumerate(zip(vs, like, strict=True)):
        if a.shape != b.shape:
            entry = f"Entry {i} in " if many else ""
            raise RuntimeError(
                f"{entry}v has invalid size: should be {b.shape} but got {a.shape}. "
                "Reshape it (Chapter 14)"
            )
    return vs


INPUT = "the input to the user-provided function is"
OUTPUT = "the user-provided function returns"


def vjp(func, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Return ``func(inputs)`` and vᵀJ there."""
    many, xs = _as_tuple(inputs, "inputs", "vjp")
    with enable_grad():
        xs = _fresh(xs, create_graph)
        more, ys = _call(func, xs, "vjp", strict)
        vs = _weights(v, ys, more, "vjp", OUTPUT)
        found = _pull(ys, xs, vs, create_graph, "back" if strict else None)
    return _give(ys, create_graph, more), _give(found, create_graph, many)


def jvp(func, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Return ``func(inputs)`` and Jv there, by two backward passes."""
    many, xs = _as_tuple(inputs, "inputs", "jvp")
    with enable_grad():
        vs = _weights(v, xs, many, "jvp", INPUT)
        xs = _fresh(xs, create_graph)
        more, ys = _call(func, xs, "jvp", strict)
        us = _fresh(tuple(zeros_like(y) for y in ys), False)
        rows = _pull(ys, xs, us, True, "back" if strict else None)
        found = _pull(rows, us, vs, create_graph, "trick" if strict else None)
    return _give(ys, create_graph, more), _give(found, create_graph, more)


def _check_way(strict: bool, vectorize: bool, strategy: str) -> bool:
    """Whether to go forward; ways that do not go together are refused."""
    if strategy not in ("forward-mode", "reverse-mode"):
        raise AssertionError(
            'Expected strategy to be either "forward-mode" or "reverse-mode", and not '
            f"{strategy!r}. Hint: forward mode pays where there are more outputs than "
            "inputs (Chapter 14)"
        )
    if strict and vectorize:
        raise RuntimeError(
            "torch.autograd.functional.jacobian: `strict=True` and `vectorized=True` "
            "are not supported together. Please either set `strict=False` or "
            "`vectorize=False` (Chapter 14)"
        )
    forward = strategy == "forward-mode"
    if forward and not vectorize:
        raise NotImplementedError(
            "Computing Jacobian using forward-AD or forward-over-reverse Hessian is "
            "only implemented for `vectorize=True`: say so (Chapter 14)"
        )
    return forward


def jacobian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    strategy="reverse-mode",
):
    """Return the Jacobian, in the output's shape followed by the input's.

    One backward pass for each element of the output, or with ``vectorize`` one for all.
    For tuples, a tuple for each output that holds a block for each input.
    """
    forward = _check_way(strict, vectorize, strategy)
    many, xs = _as_tuple(inputs, "inputs", "jacobian")
    with enable_grad():
        xs = _fresh(xs, create_graph)
        more, ys = _call(func, xs, "jacobian", strict)
        if forward:
            blocks = _columns(ys, xs, create_graph)
        elif vectorize:
            blocks = [_at_once(y, xs, create_graph) for y in ys]
        else:
            blocks = [_block(y, xs, create_graph, strict, i) for i, y in enumerate(ys)]
        blocks = tuple(_give(block, create_graph, many) for block in blocks)
    return blocks if more else blocks[0]


def _block(y: Tensor, xs: tuple, create_graph: bool, strict: bool, i: int) -> list:
    """The Jacobian of one output by every input, row by row."""
    if not y.numel():
        return [_nothing(y, x) for x in xs]
    kind, weights = "row" if strict else None, _units(y)
    counts = None if create_graph or strict else _counts(y, xs)
    if counts is not None:
        rows = _sweep(y, xs, [*weights._array], counts)
        blocks = [wrap(np.stack(column)) for column in zip(*rows, strict=True)]
    else:
        way = (create_graph, kind, "jacobian", i)
        rows = [_pull((y,), xs, (e,), *way) for e in weights]
        blocks = [stack(list(column)) for column in zip(*rows, strict=True)]
    pairs = zip(blocks, xs, strict=True)
    return [block.reshape((*y.shape, *x.shape)) for block, x in pairs]


def _nothing(y: Tensor, x: Tensor) -> Tensor:
    """A block of zeros."""
    return zeros_like(x).expand(y.numel(), *x.shape).reshape((*y.shape, *x.shape))


def _units(x: Tensor) -> Tensor:
    """The unit vectors in the shape of a tensor, one after the other."""
    return eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)


def _counts(y: Tensor, xs: tuple) -> dict | None:
    """How many cotangents each node from an output to leaves is sent in a pass.

    None if passes are more than that: watched, recorded, or made of no plain array.
    """
    if not y.requires_grad or not isinstance(y._array, engine.ARRAYS):
        return None
    targets = {x._node for x in xs}
    sending = engine._discover_towards(targets, [(y._node, None)])
    counts = {node: node.uses for node in sending | targets}
    for node in counts:
        node.uses = 0
    watched = any(node.hooks is not None for node in counts)
    return None if watched or engine.on_tensors(False) else counts


def _sweep(y: Tensor, xs: tuple, weights: list, counts: dict) -> list[list]:
    """Walk once for each of the weights; the gradients at leaves ``xs`` for each."""
    root, leaves, rows = y._node, [x._node for x in xs], []
    with engine._walk([(root, weights[0])], True, False, {*leaves}):
        rows.append(_taken(leaves))
        for g in weights[1:]:
            for node, uses in counts.items():
                node.uses = uses
            root.g, root.uses, ready = g, 0, [root]
            while ready:
                node = ready.pop()
                if type(node) is not AccumulateGrad:
                    node.step(ready, True)
            rows.append(_taken(leaves))
    return rows


def _taken(leaves: list) -> list:
    """Take what waits at the leaves: an array for each, zeros where nothing arrived."""
    found = [np.zeros_like(leaf.array) if leaf.g is None else leaf.g for leaf in leaves]
    for leaf in leaves:
        leaf.g = None
    return found


def _at_once(y: Tensor, xs: tuple, create_graph: bool, chunk: int | None = None):
    """The Jacobian of one output by every input; ``chunk`` rows in one pass, or all."""
    if not y.numel() or not y.requires_grad:
        return [_nothing(y, x) for x in xs]
    parts = [
        engine.grad((y,), xs, (e,), True, create_graph, True, True, True)
        for e in _units(y).split(chunk or y.numel())
    ]
    pairs = zip(zip(*parts, strict=True), xs, strict=True)
    return [
        _nothing(y, x)
        if rows[0] is None
        else (rows[0] if len(rows) == 1 else cat(rows)).reshape((*y.shape, *x.shape))
        for rows, x in pairs
    ]


def _columns(ys: tuple, xs: tuple, create_graph: bool) -> list[list]:
    """The Jacobian of every output by every input, all columns of one at once."""
    us = _fresh(tuple(zeros_like(y) for y in ys), False)
    blocks = [_at_once(row, us, create_graph) for row in _pull(ys, xs, us, True)]
    return [
        [
            block.movedim(tuple(range(x.dim())), tuple(range(-x.dim(), 0)))
            for block, x in zip(column, xs, strict=True)
        ]
        for column in zip(*blocks, strict=True)
    ]


def _slopes(func, xs: tuple, caller: str, strict: bool) -> tuple:
    """The one output of a function, and its recorded gradient."""
    many, ys = _call(func, xs, caller, strict)
    if many or ys[0].numel() != 1:
        said = f"The function given to {caller} should return a single Tensor"
        if not many:
            said = (
                f"The Tensor returned by the function given to {caller} should contain "
                "a single element"
            )
        raise RuntimeError(f"{said}. Sum it up, or call jacobian (Chapter 14)")
    kind = ("slope" if caller == "hessian" else "back") if strict else None
    return ys[0], _pull(ys, xs, (ones_like(ys[0]),), True, kind, "slope")


def _product(func, inputs, v, create_graph: bool, strict: bool, caller: str):
    """The value, and vᵀH: the gradient, weighted by v, and differentiated again."""
    many, xs = _as_tuple(inputs, "inputs", caller)
    with enable_grad():
        vs = _weights(v, xs, many, caller, INPUT)
        xs = _fresh(xs, create_graph)
        y, slopes = _slopes(func, xs, caller, strict)
        kind = "jacobian" if strict else None
        found = _pull(slopes, xs, vs, create_graph, kind, "hessian")
    return _give((y,), create_graph, False), _give(found, create_graph, many)


def vhp(func, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Return ``func(inputs)`` and vᵀH there, H being the Hessian."""
    return _product(func, inputs, v, create_graph, strict, "vhp")


def hvp(func, inputs, v=None, create_graph: bool = False, strict: bool = False):
    """Return ``func(inputs)`` and Hv there. H is symmetric, so it is `vhp`."""
    return _product(func, inputs, v, create_graph, strict, "hvp")


def hessian(
    func,
    inputs,
    create_graph=False,
    strict=False,
    vectorize=False,
    outer_jacobian_strategy="reverse-mode",
):
    """Return the Hessian: the Jacobian of the gradient. For a tuple, its blocks."""
    _check_way(strict, vectorize, outer_jacobian_strategy)
    many, xs = _as_tuple(inputs, "inputs", "hessian")

    def slopes(*points):
        return _slopes(func, points, "hessian", strict)[1]

    way = (vectorize, outer_jacobian_strategy)
    found = jacobian(slopes, xs, create_graph, strict, *way)
    return found if many else found[0][0]
