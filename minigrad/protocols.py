# Generated from chapter 7 (book/ch07-backward.ipynb): edit the chapter, not this.
"""NumPy's functions on tensors: ``np.exp(t)`` is recorded, and so is every rule.

NumPy asks its operands before it computes: ``__array_ufunc__`` for elementwise
functions, ``__array_function__`` for the rest. Tensors answer with the operations of
`minigrad.ops`. The rules of `minigrad.rules` use nothing else, so the one text of a
rule works on arrays, and on tensors that remember what the rule has done.
"""

from dataclasses import replace

import numpy as np

from minigrad import ops
from minigrad.autograd import engine
from minigrad.autograd.function import record
from minigrad.operands import operand
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import Node, Tensor, extend, wrap

UFUNCS = {
    np.add: ops.add, np.subtract: ops.sub, np.multiply: ops.mul, np.divide: ops.div,
    np.power: ops.pow, np.negative: ops.neg, np.exp: ops.exp, np.log: ops.log,
    np.tanh: ops.tanh, np.matmul: ops.matmul, np.equal: ops.eq, np.not_equal: ops.ne,
    np.less: ops.lt, np.less_equal: ops.le, np.greater: ops.gt,
    np.greater_equal: ops.ge,
}  # fmt: skip
REFLECTED = {
    np.add: ops._add, np.subtract: ops._from, np.multiply: ops._mul,
    np.divide: ops._over, np.power: ops._to_the,
}  # fmt: skip


def __array_ufunc__(self, ufunc, method, *inputs, **options):  # noqa: N807
    """Answer an elementwise function of NumPy with the operation of that meaning.

    Another one runs on arrays. Raises RuntimeError if a tensor requires grad then.
    """
    if ufunc not in UFUNCS or method != "__call__" or options:
        if any(isinstance(out, Tensor) for out in options.get("out", ())):
            return NotImplemented
        arrays = [np.asarray(x) if isinstance(x, Tensor) else x for x in inputs]
        result = getattr(ufunc, method)(*arrays, **options)
        plain = options or not isinstance(result, (np.ndarray, np.generic))
        return result if plain else wrap(result)
    first, *others = inputs
    if not isinstance(first, Tensor):
        if ufunc in REFLECTED:
            return REFLECTED[ufunc](self, first)
        first = operand(first, self)
    return UFUNCS[ufunc](first, *others)


def _sum(x: Tensor, axis=None, keepdims: bool = False) -> Tensor:
    """np.sum; over all axes it is another node than over some, as in PyTorch."""
    return ops.sum(x, axis, keepdims) if keepdims or axis is not None else ops.sum(x)


FUNCTIONS = {
    np.sum: _sum,
    np.reshape: ops.reshape,
    np.broadcast_to: ops.broadcast_to,
    np.transpose: lambda x, axes=None: ops.permute(x, axes or range(x.ndim)[::-1]),
}


def __array_function__(self, function, types, arguments, options):  # noqa: N807
    """Answer any other function of NumPy in the same way."""
    if function in FUNCTIONS:
        return FUNCTIONS[function](*arguments, **options)
    on_arrays = np.ndarray.__array_function__
    return on_arrays(np.asarray(0), function, (), arguments, options)


def astype(self, dtype: np.dtype) -> Tensor:
    """Convert as an array does; a rule's result is cast to the dtype of its operand."""
    return self if self._array.dtype == dtype else ops._to(self, dtype)


extend(
    __array_ufunc__=__array_ufunc__,
    __array_function__=__array_function__,
    astype=astype,
    _copy=record(PRIMITIVES["clone"], "clone", "CopyBackwards"),
)


define(
    "threshold",
    lambda x, y: x * (y != 0),
    x=lambda g, y: g * (y != 0),
    y=lambda g: g * 0,
)
_threshold = record(PRIMITIVES["threshold"], "threshold", "ThresholdBackwardBackward0")
_relu = replace(PRIMITIVES["relu"], rules={"x": lambda g, out: _threshold(g, out)})
_relu = record(_relu, "relu", "ReluBackward0")
engine.TWINS["relu"] = type(_relu(wrap(np.ones(1), Node()))._node)
