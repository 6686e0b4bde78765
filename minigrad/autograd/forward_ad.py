# Generated from chapter 15 (book/ch15-forward.ipynb): edit the chapter, not this.
"""Forward mode: tangents that travel with tensors, from the inputs to the results.

Inside a `dual_level`, an operation on a tensor with a tangent gives its result one
too: the Jacobian of the operation times the tangents of its operands. Nothing is kept
for later, so there is no backward pass, and no graph unless you ask for one.
"""

import weakref
from collections import namedtuple
from contextlib import contextmanager

import numpy as np

from minigrad import inplace, methods
from minigrad.autograd import engine, function
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.rebase import living_views
from minigrad.errors import wrong_type
from minigrad.tensor import Tensor, memory, mode, wrap

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])


class Level:
    """The tangents of the tensors that have one; ``busy`` while one is computed."""

    def __init__(self):
        self.tangents, self.busy = {}, False

    def get(self, tensor: Tensor) -> Tensor | None:
        """Return the tangent of a tensor, or None."""
        found = self.tangents.get(id(tensor))
        return None if found is None else found[1]

    def set(self, tensor: Tensor, tangent: Tensor | None) -> None:
        """Give a tensor a tangent for as long as it lives; None takes it away."""
        key, tangents = id(tensor), self.tangents
        if tangent is None:
            tangents.pop(key, None)
        else:
            gone = weakref.ref(tensor, lambda _: tangents.pop(key, None))
            tangents[key] = gone, tangent


_levels: list[Level] = []  # none or one: PyTorch refuses a second one, too


def enter_dual_level() -> int:
    """Open a level for tangents; RuntimeError if one is open."""
    if _levels:
        raise RuntimeError(
            "Nested forward mode AD is not supported at the moment: leave the open "
            "level first, exit_dual_level() (Chapter 15)"
        )
    _levels.append(Level())
    function.look_twice(1)
    return 0


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level: every tangent is gone."""
    if not _levels:
        raise RuntimeError(
            "Dual level must be a positive number: no level is open, so open one with "
            "enter_dual_level() (Chapter 15)"
        )
    _levels.pop()
    function.look_twice(-1)


@contextmanager
def dual_level():
    """A ``with`` block in which tensors can have tangents."""
    level = enter_dual_level()
    try:
        yield level
    finally:
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """Return a tensor over the memory of ``tensor`` that has a tangent."""
    if not _levels:
        raise RuntimeError(
            "Trying to create a dual Tensor for forward AD but no level exists, make "
            "sure to enter_dual_level() first. (Chapter 15)"
        )
    for name, given in (("primal", tensor), ("tangent", tangent)):
        if not isinstance(given, Tensor):
            raise wrong_type(f"make_dual(): argument '{name}'", "Tensor", given)
        if not given.is_floating_point():
            raise ValueError(
                f"Expected {name} to be floating point or complex, but got: "
                f"{given.dtype}. Convert it first: x.float() (Chapter 15)"
            )
    _check_tangent(tensor, tangent)
    dual = wrap(memory(tensor), tensor._node)
    _levels[-1].set(dual, tangent)
    return dual


def _check_tangent(tensor: Tensor, tangent: Tensor) -> None:
    """Refuse a second tangent, and one of another shape."""
    if _levels[-1].get(tensor) is not None:
        raise RuntimeError(
            "Making a dual Tensor based on a Tensor that already has a forward gradient"
            " at the same level 0 is not supported. Unpack it first: "
            "unpack_dual(x).primal (Chapter 15)"
        )
    if tensor.shape != tangent.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of "
            "the original Tensor, this is not supported. Tensor is of size "
            f"{list(tensor.shape)} while the given forward gradient is of size "
            f"{list(tangent.shape)}. Expand it first: v.expand_as(x) (Chapter 15)"
        )


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """Return the primal and the tangent; the tangent is None if there is none."""
    if not isinstance(tensor, Tensor):
        raise wrong_type("_unpack_dual(): argument 'dual'", "Tensor", tensor)
    tangent = _levels[-1].get(tensor) if _levels else None
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(wrap(memory(tensor), tensor._node), tangent)


_linear_names = """
neg clone contiguous to sum mean reshape transpose broadcast_to cumsum pick
deal choice view_at pick_at put_at clear flip roll tril triu tile diagonal on_diagonal
trace shown spread cleared add sub add_scaled where written"""
LINEAR = _linear_names.split()
PRODUCTS = ["mul", "matmul", "dot", "mv"]
_elementwise_names = """
exp log tanh relu div pow rsub reciprocal power exponential threshold
sin cos tan asin acos atan sinh cosh asinh acosh atanh expm1 log1p log2 log10 sqrt rsqrt
abs sign floor ceil trunc round sigmoid silu erf erfc maximum minimum atan2 remainder
fmod clamp clip lerp leaky_relu softplus gelu floor_divide"""
ELEMENTWISE = _elementwise_names.split()


def _linear(node, given, tangents, out, params):
    """The operation itself, on the tangents."""
    pairs = zip(given, tangents, strict=True)
    moved = [_zeros(x) if v is None else v for x, v in pairs]
    return node.record(*moved, **params)


def _product(node, given, tangents, out, params):
    """The product rule: one term for each operand that moves."""
    (x, y), (v, w) = given, tangents
    terms = [] if v is None else [node.record(v, y, **params)]
    terms += [] if w is None else [node.record(x, w, **params)]
    return terms[0] if len(terms) == 1 else terms[0] + terms[1]


def _elementwise(node, given, tangents, out, params):
    """Slope times tangent: the VJP rule, with the tangent in place of g."""
    total = None
    for k, v in enumerate(tangents):
        if v is not None:
            term = _pull(node, k, v.expand(out.shape), given, out, params)
            total = term if total is None else total + term
    return total


def _zeros(x: Tensor) -> Tensor:
    """The tangent of what does not move."""
    return wrap(np.zeros(x.shape, x._array.dtype))


def _pull(node, k: int, g: Tensor, given, out: Tensor, params) -> Tensor:
    """Run the VJP rule of operand k on tensors."""
    primitive = node.primitive
    values = dict(zip(primitive.rules, given, strict=True)) | params | {"out": out}
    values |= {f"{x}_shape": tuple(values[x].shape) for x in primitive.rules}
    name, rule = [*primitive.rules.items()][k]
    return rule(g, *(values[need] for need in primitive.needs[name]))


def _twice(node, given, tangents, out, params):
    """Two VJPs: the first is linear in u, and the second is its transpose."""
    seen = [x for x in (*given, *tangents) if x is not None]
    recorded = mode.recording and any(x.requires_grad for x in seen)
    if not recorded:
        given, out = [wrap(x._array) for x in given], wrap(out._array)
    total = None
    with enable_grad():
        u = _zeros(out).requires_grad_()
        for k, v in enumerate(tangents):
            if v is not None:
                w = _fit(_pull(node, k, u, given, out, params), given[k])
                (term,) = engine.grad(w, u, v, create_graph=recorded, allow_unused=True)
                term = _zeros(out) if term is None else term
                total = term if total is None else total + term
    return total


def _fit(cotangent: Tensor, x: Tensor) -> Tensor:
    """Sum a cotangent down to the shape of an operand that was broadcast."""
    extra = cotangent.dim() - x.dim()
    for axis in range(cotangent.dim()):
        if axis < extra or x.shape[axis - extra] != cotangent.shape[axis]:
            cotangent = cotangent.sum(axis, keepdim=True)
    return cotangent.reshape(x.shape)


def _softmax(node, given, tangents, out, params):
    """A symmetric Jacobian: the VJP rule is the JVP rule."""
    return _pull(node, 0, tangents[0], given, out, params)


def _log_softmax(node, given, tangents, out, params):
    """The tangent, less its mean under the probabilities."""
    v, axis = tangents[0], params["axis"]
    return v - (out.exp() * v).sum(axis, keepdim=True)


def _reduction(node, given, tangents, out, params):
    """One row of the Jacobian for each result: pull ones, times the tangent."""
    row = _pull(node, 0, wrap(np.ones_like(out._array)), given, out, params)
    moved, axis = row * tangents[0], params.get("axis")
    keep = params.get("keepdims", False)
    return moved.sum() if axis is None and not keep else moved.sum(axis, keepdim=keep)


def _inv(node, given, tangents, out, params):
    """From A times its inverse = I."""
    return -(out @ tangents[0] @ out)


def _solve(node, given, tangents, out, params):
    """From A times the solution = b."""
    (a, b), (v, w) = given, tangents
    moved = _zeros(b) if w is None else w
    return node.record(a, moved if v is None else moved - v @ out, **params)


RULES = dict.fromkeys(LINEAR, _linear) | dict.fromkeys(PRODUCTS, _product)
RULES |= dict.fromkeys(ELEMENTWISE, _elementwise)
ROWS = ["var", "std", "amax", "amin", "max", "min", "logsumexp", "norm", "median"]
RULES |= dict.fromkeys(ROWS, _reduction)
RULES |= {"softmax": _softmax, "log_softmax": _log_softmax}
RULES |= {"inv": _inv, "solve": _solve}


def carry(out: Tensor, node, given: tuple, params: dict) -> Tensor:
    """Give a result its tangent, if one of the operands has one."""
    level = _levels[-1] if _levels else None
    if level is None or level.busy or not level.tangents:
        return out
    tangents = [level.get(x) for x in given]
    if out.is_floating_point() and any(v is not None for v in tangents):
        level.busy = True
        try:
            rule = RULES.get(node.primitive.name, _twice)
            tangent = rule(node, given, tangents, out, params)
            level.set(out, tangent.to(out.dtype).expand(out.shape))
        finally:
            level.busy = False
    return out


function.carry = carry


class Tangents(type(inplace.history)):
    """What is told of changes in place: it moves the tangents as well."""

    def original(self, tensor: Tensor) -> Tensor:
        """The tensor as it was before the change, with its tangent."""
        before = super().original(tensor)
        if _levels:
            _levels[-1].set(before, _levels[-1].get(tensor))
        return before

    def after(self, name: str, tensor: Tensor, result: Tensor | None) -> None:
        """Give the tensor the tangent of the result; then the history its node."""
        level = _levels[-1] if _levels else None
        if level is None or level.busy or not level.tangents:
            return super().after(name, tensor, result)
        moved = result is not None and result is not tensor  # not drawn at random
        tangent = level.get(result) if moved else None
        if tangent is not None and tangent.shape != tensor.shape:
            tangent = tangent.expand(tensor.shape)
        level.busy = True
        try:
            historic = result is not None and _historic(tensor, result)
            super().after(name, tensor, result if historic else None)
        finally:
            level.busy = False
        level.set(tensor, tangent)


def _historic(tensor: Tensor, result: Tensor) -> bool:
    """Whether a change concerns a graph, and not only tangents."""
    base = getattr(tensor, "_origin", tensor)
    return mode.recording and any(x.requires_grad for x in (tensor, base, result))


_plain_allowed = inplace._allowed


def _allowed(name: str, tensor: Tensor, *others) -> bool:
    """As before; and if a tangent is concerned, the result must be computed apart."""
    wanted = _plain_allowed(name, tensor, *others)
    if not _levels or not _levels[-1].tangents:
        return wanted
    base = getattr(tensor, "_origin", tensor)
    seen = (tensor, base, *living_views(base), *others)
    moving = any(_levels[-1].get(x) is not None for x in seen)
    if moving and (base is not tensor or living_views(base)):
        raise NotImplementedError(
            f"{name} on a tensor that shares memory with a view, where a tangent is "
            "concerned: make a copy first, x.clone() (Chapter 15)"
        )
    if moving and name in ("t_", "transpose_", "squeeze_", "unsqueeze_"):
        raise NotImplementedError(
            f"{name} where a tangent is concerned: make a new tensor, "
            f"y = x.{name[:-1]}(…) (Chapter 15)"
        )
    return wanted or moving


methods._allowed = inplace._allowed = _allowed
inplace.history = Tangents()
