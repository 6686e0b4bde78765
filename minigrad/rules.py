# Generated from chapter 3 (book/ch03-chain-rule.ipynb): edit the chapter, not this.
"""The rules: how a cotangent travels back through each primitive.

A primitive is a NumPy function with one rule for each operand. A rule takes
``g``, the cotangent of the result, and returns the cotangent of the operand:
the product gᵀJ, computed without building the Jacobian J.

    define("mul", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x)

The parameter list of a rule says what it needs besides ``g``: an operand
(``x``), the result (``out``), an operand's shape and no more (``x_shape``), or
a parameter of the primitive (``axis``). So the table of rules is also the list
of what a backward pass has to keep.

Rules contain nothing but operators and NumPy functions that dispatch on their
arguments, and all of these are primitives of this table or comparisons.
Whatever speaks NumPy's protocols can run a rule, and can take notes meanwhile.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np


@lru_cache(maxsize=1024)  # a training loop asks for the same few shapes all the time
def stretched(shape: tuple[int, ...], result: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of ``result`` along which broadcasting has copied ``shape``."""
    missing = len(result) - len(shape)
    before = (1,) * missing + shape
    axes = [k for k, n in enumerate(result) if k < missing or n != before[k]]
    if missing < 0 or any(before[k] != 1 for k in axes):
        raise RuntimeError(
            f"a cotangent of shape {result} cannot be summed to {shape}: "
            f"{shape} does not broadcast to {result}"
        )
    return tuple(axes)


def unbroadcast(g, shape: tuple[int, ...]):
    """Sum ``g`` to ``shape``: the transpose of broadcasting.

    Each element of the result is the sum of the cotangents of all its copies.
    Raises RuntimeError if ``shape`` does not broadcast to ``g.shape``.
    """
    if g.shape == shape:
        return g
    total = np.sum(g, axis=stretched(shape, g.shape))
    return total if total.shape == shape else np.reshape(total, shape)


@dataclass(frozen=True, eq=False, repr=False)
class Primitive:
    """A NumPy function with, for each operand, the rule that goes back to it.

    ``forward`` takes operands by position and parameters by keyword. ``rules``
    maps operands to rules, in order; ``needs`` maps operands to what their rules
    read after ``g``; ``params`` maps keyword parameters to their defaults.
    """

    name: str
    forward: Callable
    rules: dict[str, Callable]
    needs: dict[str, tuple[str, ...]]
    params: dict[str, object]

    @property
    def saves(self) -> tuple[str, ...]:
        """The operands, and "out", whose arrays a backward pass has to keep."""
        read = {name for names in self.needs.values() for name in names}
        return tuple(name for name in (*self.rules, "out") if name in read)

    def __repr__(self) -> str:
        call = ", ".join([*self.rules, *(f"{name}=" for name in self.params)])
        return f"{self.name}({call}) saves {', '.join(self.saves) or 'nothing'}"


PRIMITIVES: dict[str, Primitive] = {}


def define(name: str, forward: Callable, **rules: Callable) -> Primitive:
    """Enter a primitive in the table. Signatures are read here, and only here.

    ``forward`` is a ufunc, or a function with positional operands and
    keyword-only parameters; ``rules`` gives one rule per operand, in order.
    A second definition of a name replaces the first. Raises TypeError where a
    rule is missing, or asks for something that nobody can give it.
    """
    params, count = {}, getattr(forward, "nin", None)
    if not isinstance(forward, np.ufunc):
        given = inspect.signature(forward).parameters.values()
        params = {p.name: p.default for p in given if p.kind is p.KEYWORD_ONLY}
        count = len(given) - len(params)
    if count != len(rules):
        raise TypeError(f"{name}: {count} operands, but rules for {[*rules]}")
    known = (*rules, "out", *(f"{x}_shape" for x in rules), *params)
    needs = {}
    for operand, rule in rules.items():
        g, *names = inspect.signature(rule).parameters
        if g != "g" or not set(names) <= set(known):
            raise TypeError(
                f"{name}: the rule for {operand} takes {(g, *names)}; it takes "
                f"g first, and then whatever it needs of {known}"
            )
        needs[operand] = tuple(names)
    PRIMITIVES[name] = Primitive(name, forward, rules, needs, params)
    return PRIMITIVES[name]


def _prepare(primitive: Primitive | str, operands: tuple, params: dict):
    """Check a call, make arrays of numbers and lists, fill in the defaults."""
    primitive = PRIMITIVES.get(primitive, primitive)
    if not isinstance(primitive, Primitive):
        names = ", ".join(PRIMITIVES)
        raise KeyError(f"{primitive!r} is not in the table: {names}")
    params = {**primitive.params, **params}
    wrong = [p for p in params if p not in primitive.params]
    wrong += [p for p, v in params.items() if v is inspect.Parameter.empty]
    if wrong or len(operands) != len(primitive.rules):
        raise TypeError(
            f"{primitive} was called with {len(operands)} operands; "
            f"parameters unknown or missing: {', '.join(wrong) or 'none'}"
        )
    dtypes = [x.dtype for x in operands if hasattr(x, "dtype")]
    dtype = np.result_type(0.0, *dtypes)  # 0.0 is weak: float32 stays float32
    arrays = [x if hasattr(x, "dtype") else np.asarray(x, dtype) for x in operands]
    for x in arrays:
        if not np.issubdtype(x.dtype, np.floating):
            raise RuntimeError(
                f"{primitive.name}: only floating-point operands have a "
                f"derivative, not {x.dtype}"
            )
    return primitive, arrays, params


def _puller(steps: list, shape: tuple[int, ...], dtype) -> Callable:
    """Return ``pull``, which runs the rules and keeps what they need."""

    def pull(g):
        g = g if hasattr(g, "shape") else np.asarray(g, dtype)
        if g.shape != shape:
            raise RuntimeError(
                f"Mismatch in shape: grad_output[0] has a shape of {g.shape} "
                f"and output[0] has a shape of {shape}."
            )
        with np.errstate(all="ignore"):
            g = _fit(g, shape, dtype)
            found = [(rule(g, *kept), like) for rule, kept, *like in steps]
            return tuple(_fit(cotangent, *like) for cotangent, like in found)

    return pull


def _fit(cotangent, shape: tuple[int, ...], dtype):
    """Give a cotangent the shape and dtype of what it belongs to."""
    cotangent = unbroadcast(cotangent, shape)
    fits = cotangent.dtype == dtype
    return cotangent if fits else cotangent.astype(dtype)


def vjp(primitive: Primitive | str, *operands, **params):
    """Apply a primitive; return ``(out, pull)``.

    ``pull(g)`` takes a cotangent of ``out`` (same shape) to a tuple of
    cotangents, one for each operand and with its shape and dtype. These may
    share memory with ``g`` and with each other: do not write into them.
    Operands are floating-point arrays; a plain number takes the dtype of the
    arrays beside it.

    Raises KeyError for an unknown name, TypeError for a call that does not fit,
    RuntimeError for integer operands and for a ``g`` of the wrong shape.
    """
    primitive, operands, params = _prepare(primitive, operands, params)
    with np.errstate(all="ignore"):  # 1/0 is inf, 0/0 is nan, no warning
        out = primitive.forward(*operands, **params)
    rules, scope, steps = primitive.rules, {**params, "out": out}, []
    for name, x in zip(rules, operands, strict=True):
        scope |= {name: x, f"{name}_shape": x.shape}
    for (name, rule), x in zip(rules.items(), operands, strict=True):
        kept = [scope[need] for need in primitive.needs[name]]
        steps.append((rule, kept, x.shape, x.dtype))
    return out, _puller(steps, out.shape, out.dtype)


# elementwise, one operand
define("neg", np.negative, x=lambda g: -g)
define("exp", np.exp, x=lambda g, out: g * out)
define("log", np.log, x=lambda g, x: g / x)
define("tanh", np.tanh, x=lambda g, out: g * (1 - out * out))
define("relu", lambda x: np.maximum(x, 0), x=lambda g, out: g * (out != 0))


# elementwise, two operands
define("add", np.add, x=lambda g: g, y=lambda g: g)
define("sub", np.subtract, x=lambda g: g, y=lambda g: -g)
define("mul", np.multiply, x=lambda g, y: g * y, y=lambda g, x: g * x)
define(
    "div",
    np.divide,
    x=lambda g, y: g / y,
    y=lambda g, x, y: -g * (x / y / y),
)
define(
    "pow",
    np.power,
    x=lambda g, x, y: g * (y * x ** (y + (y == 0) - 1)),
    y=lambda g, x, y, out: g * (out * np.log(x + (x == 0) * (y >= 0))),
)


def spread(g, shape: tuple[int, ...], axis: int | tuple[int, ...] | None):
    """Copy ``g``, the cotangent of a sum over ``axis``, to what was summed."""
    if axis is None or shape == ():
        return np.broadcast_to(g, shape)
    kept = [*shape]
    for k in axis if isinstance(axis, tuple) else (axis,):
        kept[k] = 1
    return np.broadcast_to(np.reshape(g, tuple(kept)), shape)


def undo(axes: tuple[int, ...] | None):
    """The permutation that brings transposed axes back to where they were."""
    if axes is None:
        return None
    return tuple(sorted(range(len(axes)), key=lambda k: axes[k] % len(axes)))


define(
    "sum",
    lambda x, *, axis=None, keepdims=False: np.sum(x, axis=axis, keepdims=keepdims),
    x=lambda g, x_shape, axis: spread(g, x_shape, axis),
)
define(
    "reshape",
    lambda x, *, shape: np.reshape(x, shape),
    x=lambda g, x_shape: np.reshape(g, x_shape),
)
define(
    "transpose",
    lambda x, *, axes=None: np.transpose(x, axes),
    x=lambda g, axes: np.transpose(g, undo(axes)),
)
define(
    "broadcast_to",
    lambda x, *, shape: np.broadcast_to(x, shape),
    x=lambda g: g,
)


def matmul(x, y):
    """Matrix product of stacks: (..., m, k) by (..., k, n) gives (..., m, n)."""
    if x.ndim < 2 or y.ndim < 2:
        raise NotImplementedError(
            f"matmul of shapes {x.shape} and {y.shape}: each operand needs two "
            "axes or more. Chapter 10 completes matmul with vectors; until then "
            "reshape a vector to one row or one column"
        )
    return x @ y


define("matmul", matmul, x=lambda g, y: g @ y.mT, y=lambda g, x: x.mT @ g)
