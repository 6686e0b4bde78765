# Generated from chapter 15 (book/ch15-forward.ipynb): edit the chapter, not this.
"""Forward mode: tangents that travel with tensors, from the inputs to the results.

Inside a `dual_level`, an operation on a tensor with a tangent gives its result one
too: the Jacobian of the operation times the tangents of its operands. Nothing is kept
for later, unless you ask for a graph: then a backward pass through it gives gradients
that have tangents, too.
"""

import weakref
from collections import namedtuple
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from inspect import unwrap

import numpy as np

import minigrad.reductions  # noqa: F401 (before methods, which takes its names over)
from minigrad import _tensor_str, inplace, methods
from minigrad import func as transforms
from minigrad.autograd import engine, function
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.rebase import History, Places, cleared, living_views, shown
from minigrad.autograd.rebase import spread as put_back
from minigrad.errors import wrong_type
from minigrad.random import Generator
from minigrad.shapes import cat
from minigrad.tensor import AccumulateGrad, Tensor, extend, memory, mode, wrap

checks = import_module("minigrad.autograd.gradcheck")  # its function has the same name
UnpackedDualTensor = namedtuple("UnpackedDualTensor", ["primal", "tangent"])


class Level:
    """The tangents of the tensors that have one; ``busy`` while one is computed.

    ``saved`` has, for a node, the tangents of what it has saved, by the name of the
    slot.
    """

    def __init__(self):
        self.tangents, self.busy = {}, False
        self.saved = weakref.WeakKeyDictionary()

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


def _open() -> Level | None:
    """The level, if one is open and looks for tangents now."""
    return _levels[-1] if _levels and not _levels[-1].busy else None


@contextmanager
def _resting(level: Level):
    """In this block nobody looks for tangents."""
    before, level.busy = level.busy, True
    try:
        yield
    finally:
        level.busy = before


def enter_dual_level() -> int:
    """Open a level for tangents, and return its number, 0; RuntimeError if one is."""
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
    if level not in (None, 0):
        raise RuntimeError(
            "Trying to exit a forward AD level that was not the last one that was "
            f"created. This is not supported. Its number is 0, not {level} (Chapter 15)"
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
    _check_tangent(tensor, tangent, level)
    with _resting(_levels[-1]):
        dual = tensor.view_as(tensor)
    if not tensor.is_leaf or not tensor.requires_grad:  # a base has no tangent of ours
        del dual._origin
    _levels[-1].set(dual, tangent)
    return dual


def _check_tangent(tensor: Tensor, tangent: Tensor, level: int | None) -> None:
    """Refuse another level, a second tangent, and one of another shape."""
    if level not in (None, 0):
        raise RuntimeError(
            f"Invalid level given to _make_dual: {level}. The open one has the number "
            "0: leave the argument out (Chapter 15)"
        )
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
    if _levels and not isinstance(tensor, Tensor):
        raise wrong_type("_unpack_dual(): argument 'dual'", "Tensor", tensor)
    tangent = _open().get(tensor) if _open() and level in (None, 0) else None
    if tangent is None:
        return UnpackedDualTensor(tensor, None)
    return UnpackedDualTensor(wrap(memory(tensor), tensor._node), tangent)


_plain_suffixes = _tensor_str._suffixes


def _suffixes(tensor: Tensor) -> list[str]:
    """What the numbers do not tell, a tangent among it."""
    tangent = _levels[-1].get(tensor) if _levels else None
    moving = [] if tangent is None else [f"tangent={tangent}"]
    return _plain_suffixes(tensor) + moving


_tensor_str._suffixes = _suffixes


_linear_names = """
neg clone contiguous to sum mean reshape transpose broadcast_to cumsum pick
deal choice view_at pick_at put_at clear flip roll tril triu tile diagonal on_diagonal
trace shown spread cleared add sub add_scaled where written cat stack"""
LINEAR = _linear_names.split()
PRODUCTS = ["mul", "matmul", "dot", "mv", "einsum"]
_elementwise_names = """
exp log tanh relu div pow rsub reciprocal power exponential threshold
sin cos tan asin acos atan sinh cosh asinh acosh atanh expm1 log1p log2 log10 sqrt rsqrt
abs sign floor ceil trunc round sigmoid silu erf erfc maximum minimum atan2 remainder
fmod clamp clip lerp leaky_relu softplus gelu"""
ELEMENTWISE = _elementwise_names.split()


def _linear(node, given, tangents, out, params):
    """The operation itself, on the tangents."""
    pairs = zip(given, tangents, strict=True)
    moved = [_zeros(x) if v is None else v for x, v in pairs]
    return node.record(*moved, **params)


def _product(node, given, tangents, out, params):
    """The product rule: one term for each operand that moves."""
    terms = [
        node.record(*given[:k], v, *given[k + 1 :], **params)
        for k, v in enumerate(tangents)
        if v is not None
    ]
    return sum(terms[1:], terms[0])


def _elementwise(node, given, tangents, out, params):
    """Slope times tangent: the VJP rule, with the tangent in place of g."""
    terms = [
        _pull(node, k, _like(v, out), given, out, params)
        for k, v in enumerate(tangents)
        if v is not None
    ]
    return sum(terms[1:], terms[0])


def _zeros(x: Tensor) -> Tensor:
    """The tangent of what does not move."""
    return wrap(np.zeros(x.shape, x._array.dtype))


def _like(tangent: Tensor, x: Tensor) -> Tensor:
    """A tangent in the dtype and shape of what moves."""
    tangent = tangent if tangent.dtype == x.dtype else tangent.to(x.dtype)
    return tangent if tangent.shape == x.shape else tangent.expand(x.shape)


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
        u = engine.track(_zeros(out))
        for k, v in enumerate(tangents):
            if v is not None:
                w = _fit(_pull(node, k, u, given, out, params), given[k])
                if w.requires_grad:  # not a staircase, whose slope is 0 for every u
                    (term,) = engine.grad(w, u, v, None, recorded, allow_unused=True)
                    total = term if total is None else total + term
    return _zeros(out) if total is None else total


def _fit(cotangent: Tensor, x: Tensor) -> Tensor:
    """Sum a cotangent down to the shape of an operand that was broadcast."""
    extra = cotangent.dim() - x.dim()
    for axis in range(cotangent.dim()):
        if axis < extra or x.shape[axis - extra] != cotangent.shape[axis]:
            cotangent = cotangent.sum(axis, keepdim=True)
    return cotangent.reshape(x.shape)


def _reduction(node, given, tangents, out, params):
    """One row of the Jacobian for each result: pull ones, times the tangent."""
    row = _pull(node, 0, wrap(np.ones_like(out._array)), given, out, params)
    moved, axis = row * tangents[0], params.get("axis")
    keep = params.get("keepdims", False)
    return moved.sum() if axis is None and not keep else moved.sum(axis, keepdim=keep)


def _determinant(node, given, tangents, out, params):
    """The row of a determinant is a matrix: tr of the inverse times the tangent."""
    return _reduction(node, given, tangents, out, {"axis": (-2, -1)})


def _inv(node, given, tangents, out, params):
    """From A times its inverse = I."""
    return -(out @ tangents[0] @ out)


def _solve(node, given, tangents, out, params):
    """From A times the solution = b."""
    (a, b), (v, w) = given, tangents
    moved = _zeros(b) if w is None else w
    return node.record(a, moved if v is None else moved - v @ out, **params)


def _softmax(node, given, tangents, out, params):
    """A symmetric Jacobian: the VJP rule is the JVP rule."""
    return _pull(node, 0, tangents[0], given, out, params)


def _log_softmax(node, given, tangents, out, params):
    """The tangent, less its mean under the probabilities."""
    v, axis = tangents[0], params["axis"]
    return v - (out.exp() * v).sum(axis, keepdim=True)


def _running_product(node, given, tangents, out, params):
    """Multiply dual numbers at distances 1, 2, 4 …: right at zeros, too."""
    (x,), (v,), axis = given, tangents, params["axis"]
    n, step = x.shape[axis] if x.dim() else 1, 1
    while step < n:
        (x0, x1), (v0, v1) = (
            (t.narrow(axis, 0, n - step), t.narrow(axis, step, n - step))
            for t in (x, v)
        )
        head = x.narrow(axis, 0, step), v.narrow(axis, 0, step)
        x = cat([head[0], x0 * x1], axis)
        v = cat([head[1], x0 * v1 + v0 * x1], axis)
        step *= 2
    return v


def _padding(node, given, tangents, out, params):
    """What is put around a tensor does not move."""
    return _linear(node, given, tangents, out, params | {"value": 0})


def _no_rule(node, given, tangents, out, params):
    """Refuse."""
    raise NotImplementedError(
        f"Trying to use forward AD with aten::{node.primitive.name} that does not "
        "support it. Unpack the operand first: unpack_dual(x).primal (Chapter 15)"
    )


RULES = dict.fromkeys(LINEAR, _linear) | dict.fromkeys(PRODUCTS, _product)
RULES |= dict.fromkeys(ELEMENTWISE, _elementwise)
ROWS = ["var", "std", "amax", "amin", "max", "min", "logsumexp", "norm"]
ROWS += ["median", "prod"]
RULES |= dict.fromkeys(ROWS, _reduction)
RULES |= dict.fromkeys(["det", "logabsdet"], _determinant)
RULES |= {"softmax": _softmax, "log_softmax": _log_softmax, "pad": _padding}
RULES |= {"inv": _inv, "solve": _solve, "cumprod": _running_product}
RULES["floor_divide"] = _no_rule


def rule_of(name: str):
    """The JVP rule of an operation: its own, or two VJPs."""
    return RULES.get(name) or RULES.get(name.rstrip("0123456789"), _twice)


def carry(out: Tensor, node, given: tuple, params: dict) -> Tensor:
    """Give a result its tangent, if one of the operands has one."""
    level = _open()
    if level is None or not level.tangents or mode.inference:
        return out
    tangents = [level.get(x) for x in given]
    if out.is_floating_point() and any(v is not None for v in tangents):
        with _resting(level), np.errstate(all="ignore"):
            rule = rule_of(node.primitive.name)
            tangent = _like(rule(node, given, tangents, out, params), out)
        level.set(out, tangent)
        if out._node is not None:
            note(level, out._node, tangents, tangent)
    return out


function.carry = carry


def remember(keeper, tensor: Tensor) -> None:
    """Note how a tensor moves that somebody saves; what keeps it is the key."""
    tangent = _levels[-1].get(tensor) if _levels else None
    if tangent is not None:
        _levels[-1].saved[keeper] = {"value": tangent}


def recall(keeper, value: Tensor, name: str = "value") -> Tensor:
    """Give a value that was saved its tangent again, and return it."""
    if _levels:
        _levels[-1].set(value, _levels[-1].saved.get(keeper, {}).get(name))
    return value


def note(level: Level, node, tangents: list, tangent: Tensor) -> None:
    """Note beside a node how the values move that it has saved."""
    moving = dict(zip(node.primitive.rules, tangents, strict=True)) | {"out": tangent}
    kept = {name: moving[name] for name in node.saves if moving[name] is not None}
    if kept:
        level.saved[node] = kept


def change(level: Level, tensor: Tensor, moved: Tensor | None) -> None:
    """Give a tensor that was changed in place its new tangent; and base and views."""
    base = getattr(tensor, "_origin", tensor)
    if moved is None and level.get(tensor) is None:
        return
    moved = _zeros(tensor) if moved is None else _like(moved, tensor)
    if base is not tensor:
        at, before = Places(memory(base), memory(tensor)), level.get(base)
        moved = put_back(moved, at)
        moved = moved if before is None else cleared(before, at) + moved
    level.set(base, moved)
    for view in living_views(base):
        if getattr(view, "_origin", None) is base:
            level.set(view, shown(moved, Places(memory(base), memory(view))))


class Tangents(History):
    """What is told of changes in place: it moves the tangents as well."""

    def original(self, tensor: Tensor) -> Tensor:
        """The tensor as it was before the change, with its tangent."""
        before = super().original(tensor)
        if _levels:
            _levels[-1].set(before, _levels[-1].get(tensor))
        return before

    def after(self, name: str, tensor: Tensor, result: Tensor | None) -> None:
        """Let the history know; then give the tensor the tangent of the result."""
        level = _open()
        if level is None or name in TURNS:
            return super().after(name, tensor, result)
        drawn = result is tensor  # at random
        moved = None if result is None or drawn else level.get(result)
        with _resting(level):
            historic = result is not None and _historic(tensor, result)
            super().after(name, tensor, result if historic else None)
            change(level, tensor, moved)


def _historic(tensor: Tensor, result: Tensor) -> bool:
    """Whether a change concerns a graph, and not only tangents."""
    base = getattr(tensor, "_origin", tensor)
    return mode.recording and any(x.requires_grad for x in (tensor, base, result))


_plain_allowed = inplace._allowed
TURNS = "t_", "transpose_", "squeeze_", "unsqueeze_"


def _allowed(name: str, tensor: Tensor, *others) -> bool:
    """As before; and if a tangent is concerned, the result must be computed apart."""
    wanted, level = _plain_allowed(name, tensor, *others), _open()
    if level is None or name in TURNS or not tensor.is_floating_point():
        return wanted
    return wanted or any(level.get(x) is not None for x in (tensor, *others))


methods._allowed = inplace._allowed = _allowed
inplace.history = Tangents()


def _turning(name: str):
    """A method that turns a tensor in place, and its tangent too."""
    plain = getattr(Tensor, name)

    def turn(self, *arguments, **options):
        level = _open()
        tangent = None if level is None else level.get(self)
        plain(self, *arguments, **options)
        if tangent is not None:
            turned = getattr(tangent, name[:-1])(*arguments, **options)
            level.set(self, turned)
        return self

    turn.__name__, turn.__doc__ = name, plain.__doc__
    return turn


extend(**{name: _turning(name) for name in TURNS})


_plain_detach = Tensor.detach_


def _detach(self) -> Tensor:
    """Forget the history and the tangent, in place; RuntimeError for a view."""
    _plain_detach(self)
    if _levels:
        _levels[-1].set(self, None)
    return self


extend(detach_=_detach)


_plain_stand_in, _plain_handed_out = engine.stand_in, engine.handed_out


def on_tensors(record: bool) -> bool:
    """Whether a pass carries tensors: if it is recorded, or if something moves."""
    level = _open()
    return record or (level is not None and bool(level.tangents or level.saved))


def stand_in(node, name: str, array) -> Tensor:
    """A saved array as a tensor that knows its history, and how it moves."""
    return recall(node, _plain_stand_in(node, name, array), name)


def handed_out(node, recorded: bool) -> Tensor | None:
    """The sum at a node as a tensor of its own, with its tangent."""
    if recorded or not isinstance(node.g, Tensor):
        return _plain_handed_out(node, recorded)
    return node.g.clone()


engine.on_tensors, engine.stand_in = on_tensors, stand_in
engine.handed_out = handed_out


_plain_deliver = engine._deliver


def _deliver(node, create_graph: bool) -> None:
    """Add a sum to the ``.grad`` it is due to; what is added to, moves along."""
    level = _open()
    if create_graph or level is None or not isinstance(node.g, Tensor):
        return _plain_deliver(node, create_graph)  # (no name here for node.g: see own)
    g, tensor, tangent = node.g, engine._owner(node), level.get(node.g)
    first = tensor is not None and tensor._grad is None
    before = None if tensor is None or first else level.get(tensor._grad)
    node.g = g._array
    _plain_deliver(node, False)
    lost = first and type(node) is AccumulateGrad
    if tensor is not None and tangent is not None and not lost:
        with _resting(level):
            tangent = tangent if before is None else before + tangent
        level.set(tensor._grad, tangent)


engine._deliver = _deliver


_two_passes, _settled = unwrap(transforms.jvp), transforms._settled


def jvp(func, primals: tuple, tangents: tuple, *, strict=False, has_aux=False):
    """Return ``func(*primals)`` and Jv, by one pass in forward mode."""
    said = "jvp(f, primals, tangents)"
    tuples = isinstance(primals, tuple) and isinstance(tangents, tuple)
    if _levels or not tuples or len(primals) != len(tangents):
        return _two_passes(func, primals, tangents, strict=strict, has_aux=has_aux)
    with transforms.transforming(), dual_level():
        _, trees, own = transforms._places(tuple(range(len(primals))), primals)
        given = map(make_dual, own, transforms._leaves(tangents))
        found = func(*transforms._hung(trees, given))
        y, _ = transforms._with_aux(found, has_aux, said)
        ys = transforms._outputs(y, said)
        vs = [unpack_dual(y).tangent for y in ys]
        if strict and None in vs:
            raise RuntimeError(CONSTANT)
        moved = [_zeros(y) if v is None else v for y, v in zip(ys, vs, strict=True)]
    found, moved = _settled((found, transforms._hung(y, moved)), own)
    return (found[0], moved, found[1]) if has_aux else (found, moved)


CONSTANT = (
    "jvp(f, primals, tangents, strict=True): The output of f is independent of the "
    "inputs. This is not allowed with strict=True. Leave strict out: the tangent is "
    "zero then (Chapter 15)"
)


jvp.__wrapped__ = _two_passes  # so that this cell, run twice, wraps it once
transforms.jvp = jvp


def _tangents(subject, k: int, v: Tensor) -> list[Tensor]:
    """For each output of a function, its tangent as input k moves along v."""
    inputs = [*subject.inputs]
    with dual_level():
        inputs[k] = make_dual(inputs[k], v)
        found = checks._as_tuple(subject.func(*inputs))
        pairs = [(found[i], unpack_dual(found[i]).tangent) for i in subject.watched]
    return [_zeros(y) if v is None else v for y, v in pairs]


def _ahead(subject, k: int, u: np.ndarray) -> list[np.ndarray]:
    """The same with arrays: u is flat, and so are the tangents."""
    v = wrap(u.reshape(subject.inputs[k].shape))
    return [np.ravel(t._array) for t in _tangents(subject, k, v)]


def check_forward(subject, fast: bool) -> None:
    """Compare the tangents of a function with differences; see Chapter 13."""
    stream, how = Generator(), "computed with forward mode "
    for j, k in enumerate(subject.places):
        x = memory(subject.inputs[k])
        us = [checks._vector(x, stream)] if fast else np.eye(x.size)
        rows = [_ahead(subject, k, u) for u in us]
        if fast:  # along one direction instead of all
            step = subject.eps * us[0].reshape(x.shape)
            measured = checks._slopes(subject, k, step)
        else:
            measured = checks._numerical(subject, k)
        for i, n in enumerate(measured):
            a = np.array([row[i] for row in rows])
            checks._compare(subject, i, j, n.reshape(a.shape), a, how)


def check_batched(subject) -> None:
    """Compare what two rows of tangents become: one by one, and together."""
    for k in subject.places:
        checks.batched_rows(partial(_tangents, subject, k), subject.inputs[k])


checks.forward_check, checks.batched_forward_check = check_forward, check_batched
