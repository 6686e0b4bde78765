# Generated from chapter 10 (book/ch10-shapes.ipynb): edit the chapter, not this.
"""Products of every rank, and matrix calculus.

A product is linear in each of its factors, so the rule of a factor is the product of g
with the others. einsum says this in letters, for all of them at once.
"""

import builtins
import functools
import math
from string import ascii_letters

import numpy as np

from minigrad import ops
from minigrad.autograd.function import record
from minigrad.elementwise import bare, no_kernel
from minigrad.errors import wrong_type
from minigrad.ops import check_tensor, check_tensors
from minigrad.protocols import UFUNCS
from minigrad.rules import PRIMITIVES, Primitive, define
from minigrad.selections import _pair
from minigrad.shapes import squeeze, unsqueeze
from minigrad.tensor import Tensor, extend, wrap

# two vectors, a matrix and a vector
define("dot", lambda x, y: np.copy(x @ y), x=lambda g, y: g * y, y=lambda g, x: g * x)
define(
    "mv",
    lambda x, y: x @ y,
    x=lambda g, y: np.reshape(g, (-1, 1)) * y,
    y=lambda g, x: np.reshape(x.mT @ np.reshape(g, (-1, 1)), (-1,)),
)


_dot = record(PRIMITIVES["dot"], "matmul", "DotBackward0")
_drop = record(PRIMITIVES["reshape"], "squeeze", "SqueezeBackward4")
_mv = record(PRIMITIVES["mv"], "matmul", "MvBackward0")


def matmul(input, other):
    """The product of vectors, matrices, or stacks of them: NumPy's rules for shapes."""
    check_tensors("matmul", input, other)
    no_kernel("addmm_impl", input)
    a, b = input.ndim, other.ndim
    if (a >= 2 and b >= 2) or not (a and b):
        return ops._product(input, other)
    _check_inner(input, other)
    if a == b == 1:
        return _dot(input, other)
    if a == 2 and b == 1:
        return _mv(input, other)
    if a == 1:
        product = ops._product(unsqueeze(input, 0), other)
        return _drop(product, (*product.shape[:-2], product.shape[-1]))
    product = ops._product(input, unsqueeze(other, -1))
    return ops._unsafe_view(product, tuple(product.shape[:-1]))


def _check_inner(input, other) -> None:
    """Refuse factors whose axes of summation differ in length."""
    n, m = input.shape[-1], other.shape[-2 if other.ndim > 1 else 0]
    rows = math.prod(input.shape[:-1])
    words = (
        f"inconsistent tensor size, expected tensor [{n}] and src [{m}] to have the "
        f"same number of elements, but got {n} and {m} elements respectively"
        if input.ndim == other.ndim == 1
        else f"mat1 and mat2 shapes cannot be multiplied (1x{n} and "
        f"{'x'.join(map(str, other.shape))})"
        if input.ndim == 1
        else f"size mismatch, got input ({rows}), mat ({rows}x{n}), vec ({m})"
    )
    if n != m:
        raise RuntimeError(
            f"{words}: the last axis of the first must match the last but one of "
            "the second (Chapter 10)"
        )


def _operator(self, other):
    """The operator @."""
    return matmul(self, other) if isinstance(other, Tensor) else NotImplemented


def _of_ranks(name: str, ranks: tuple, words: str):
    """A product for operands of certain ranks only."""

    def product(input, other):
        check_tensors(name, input, other)
        if (input.ndim, other.ndim) != ranks:
            raise RuntimeError(
                f"{words}; got {input.ndim}D and {other.ndim}D: x @ y takes any "
                "(Chapter 10)"
            )
        return matmul(input, other)

    product.__name__ = product.__qualname__ = name
    product.__doc__ = f"The product of tensors with {ranks[0]} and {ranks[1]} axes."
    return product


mv = _of_ranks("mv", (2, 1), "vector + matrix @ vector expected")
dot = _of_ranks("dot", (1, 1), "1D tensors expected")
bmm = _of_ranks("bmm", (3, 3), "batch1 must be a 3D tensor")


def outer(input, vec2):
    """The products of all pairs of two vectors' elements."""
    if input.ndim != 1 or vec2.ndim != 1:
        raise RuntimeError("outer: Expected 1-D arguments: x.reshape(-1) (Chapter 10)")
    return unsqueeze(input, 1) * vec2


def inner(input, other):
    """The product over the last axes of both."""
    if not input.ndim or not other.ndim:
        return input * other
    return einsum("...i,ji->...j", input, other.reshape(-1, other.shape[-1])).reshape(
        *input.shape[:-1], *other.shape[:-1]
    )


def addmm(input, mat1, mat2, *, beta=1, alpha=1):
    """The sum beta · input + alpha · mat1 @ mat2."""
    return beta * input + alpha * ops.mm(mat1, mat2)


# sums of products, in letters
DOTS = "ZYXWVUTS"  # what stands for the axes behind an ellipsis; PyTorch has 52 letters


def letters(equation: str, ranks: list) -> tuple[list, str]:
    """The letters of each operand, and of the result; dots become capital letters."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(ranks):
        raise RuntimeError(
            "einsum(): the number of operands specified in the equation was "
            f"{len(terms)}, but {len(ranks)} were given: one group of letters for each "
            "(Chapter 10)"
        )
    widths = [_width(k, *pair) for k, pair in enumerate(zip(terms, ranks, strict=True))]
    most = builtins.max([0, *(w for t, w in zip(terms, widths, strict=True))])
    dots = DOTS[:most]
    terms = [
        t.replace("...", dots[most - w :]) for t, w in zip(terms, widths, strict=True)
    ]
    if not arrow:  # what occurs once, in the order of the alphabet
        seen = "".join(terms)
        once = sorted(c for c in set(seen) - set(dots) if seen.count(c) == 1)
        right = "..." * bool(dots) + "".join(once)
    return terms, right.replace("...", dots)


def _width(k: int, term: str, rank: int) -> int:
    """How many axes of an operand its ellipsis stands for."""
    named = len(term.replace("...", ""))
    if named > rank or (named < rank and "..." not in term):
        raise RuntimeError(
            f"einsum(): the number of subscripts in the equation ({named}) does not "
            f"match the number of dimensions ({rank}) for operand {k} and no ellipsis "
            "was given: name each axis, or write ... for the rest (Chapter 10)"
        )
    return rank - named


def einsum(equation: str, *operands):
    """Sums of products: ``einsum("ij,jk->ik", x, y)`` is x @ y."""
    if len(operands) == 1 and isinstance(operands[0], (list, tuple)):
        operands = tuple(operands[0])
    for k, x in enumerate(operands):
        if not isinstance(x, Tensor):
            raise wrong_type(f"einsum(): argument {k + 1}", "Tensor", x)
    terms, out = letters(equation, [x.ndim for x in operands])
    _check_sizes(terms, operands)
    function = record(contraction(len(operands)), "einsum", "EinsumBackward0")
    return function(*operands, tuple(terms), out)


def _check_sizes(terms: list, operands: tuple) -> None:
    """Refuse a letter that stands for two lengths, and operands of two dtypes."""
    seen: dict[str, int] = {}
    for x in operands:
        if x.dtype is not operands[0].dtype:
            raise RuntimeError(
                f"expected scalar type {operands[0].dtype} but found {x.dtype}: einsum "
                "does not convert; x.to(y.dtype) does (Chapter 10)"
            )
    for k, (term, x) in enumerate(zip(terms, operands, strict=True)):
        for c, n in zip(term, x.shape, strict=True):
            if n != seen.setdefault(c, n) and 1 not in (n, seen[c]):
                raise RuntimeError(
                    f"einsum(): subscript {c} has size {n} for operand {k} which does "
                    f"not broadcast with previously seen size {seen[c]}: name axes of "
                    "one length by one letter (Chapter 10)"
                )
            seen[c] = builtins.max(seen[c], n)


def contract(terms, out: str, *arrays):
    """The sum of products, of arrays or (if one is a tensor) of tensors."""
    if not builtins.any(isinstance(a, Tensor) for a in arrays):
        equation = ",".join(terms) + "->" + out
        found = np.einsum(equation, *arrays, optimize=len(arrays) > 1)
        return np.asarray(found) if isinstance(found, np.generic) else found
    tensors = [a if isinstance(a, Tensor) else wrap(np.asarray(a)) for a in arrays]
    function = record(contraction(len(arrays)), "einsum", "EinsumBackward0")
    return function(*tensors, tuple(terms), out)


def einsum_rule(k: int, g, arrays: tuple, shape: tuple, terms: tuple, out: str):
    """The cotangent of operand k: the contraction of g with all the others.

    Letters that only operand k has were summed away: ones spread g over them. A letter
    that it has twice means its diagonal: an identity puts g back on the diagonal.
    """
    own, kind = terms[k], bare(g).dtype
    lengths = dict(zip(own, shape, strict=True))
    rest = [term for j, term in enumerate(terms) if j != k]
    once = "".join(dict.fromkeys(own))
    gone = [c for c in once if c not in out + "".join(rest)]
    ones = [np.ones(lengths[c], kind) for c in gone]
    g = contract([out, *rest, *gone], once, g, *arrays, *ones)
    wide = [a for a, c in enumerate(once) if lengths[c] == 1 and g.shape[a] > 1]
    g = np.sum(g, axis=tuple(wide), keepdims=True) if wide else g
    target, eyes, free = "", [], [c for c in ascii_letters if c not in own]
    for place, c in enumerate(own):
        twin = free.pop() if c in own[:place] else c
        if twin != c:
            eyes.append((c + twin, np.eye(lengths[c], dtype=kind)))
        target += twin
    if not eyes:
        return g
    pairs, identities = zip(*eyes, strict=True)
    return contract([once, *pairs], target, g, *identities)


@functools.cache
def contraction(count: int) -> Primitive:
    """The primitive that contracts so many arrays."""
    names = [f"x{k}" for k in range(count)]
    rules = {}
    for k, name in enumerate(names):
        others = "".join(f"{n}, " for n in names if n != name)
        call = f"einsum_rule({k}, g, ({others}), {name}_shape, terms, out_)"
        rules[name] = eval(
            f"lambda g, {others}{name}_shape, terms, out_: {call}", globals()
        )
        rules[name].__name__ = "einsum_rule"
    given = ", ".join(names)
    call = f"lambda {given}, *, terms, out_: contract(terms, out_, {given})"
    return define(f"einsum{count}", eval(call, globals()), **rules)


# matrix calculus
def trace(input):
    """The sum of the diagonal of a matrix."""
    check_tensor("trace", input)
    if input.ndim != 2:
        raise RuntimeError(
            f"trace: expected a matrix, but got tensor with dim {input.ndim}: "
            "x.diagonal().sum(-1) takes any (Chapter 10)"
        )
    return _trace(input)


define(
    "trace",
    lambda x: np.copy(np.trace(x)),
    x=lambda g, x_shape: g * np.eye(*x_shape, dtype=bare(g).dtype),
)
_trace = record(PRIMITIVES["trace"], "trace", "TraceBackward0")


define("inv", lambda x: np.linalg.inv(x), x=lambda g, out: -(out.mT @ g @ out.mT))
define(
    "solve",
    lambda x, y: np.linalg.solve(x, y),
    x=lambda g, x, out: -(solved(x.mT, g) @ out.mT),
    y=lambda g, x: solved(x.mT, g),
)
define(
    "det",
    lambda x: np.linalg.det(x),
    x=lambda g, x, out: edges(g * out) * inverted(x).mT,
)
define(
    "logabsdet",
    lambda x: np.linalg.slogdet(x)[1],
    x=lambda g, x: edges(g) * inverted(x).mT,
)
_inv = record(PRIMITIVES["inv"], "inv", "LinalgInvExBackward0")
_solve = record(PRIMITIVES["solve"], "solve", "LinalgSolveExBackward0")
_det = record(PRIMITIVES["det"], "det", "LinalgDetBackward0")
_logabsdet = record(PRIMITIVES["logabsdet"], "slogdet", "LinalgSlogdetBackward0")


def inverted(x):
    """The inverse of an array, or of a tensor."""
    return _inv(x) if isinstance(x, Tensor) else np.linalg.inv(x)


def solved(x, y):
    """The solution of x @ z = y, of arrays or of tensors."""
    if isinstance(x, Tensor) or isinstance(y, Tensor):
        x, y = (a if isinstance(a, Tensor) else wrap(a) for a in (x, y))
        return _solve(x, y)
    return np.linalg.solve(x, y)


def edges(g):
    """Two axes of length 1 behind those of g."""
    return np.reshape(g, (*g.shape, 1, 1))


class _LinAlgError(RuntimeError):
    """A matrix has no inverse."""


LinAlgError = _LinAlgError


def _square(name: str, input) -> None:
    """Refuse what is no square matrix of floats, nor a stack of them."""
    check_tensor(name, input)
    if input.ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise RuntimeError(
            f"linalg.{name}: A must be batches of square matrices, but they are "
            f"{' by '.join(map(str, input.shape[-2:]))} matrices: x.mT @ x is square "
            "(Chapter 10)"
        )
    if not input.is_floating_point():
        raise RuntimeError(
            f"linalg.{name}: Expected a floating point or complex tensor as input. Got "
            f"{input.dtype}: convert it first, x.float() (Chapter 10)"
        )


def _regular(name: str, function, *operands):
    """Call a function of LAPACK; LinAlgError for a matrix without an inverse."""
    try:
        return function(*operands)
    except np.linalg.LinAlgError:
        raise _LinAlgError(
            f"linalg.{name}: the inversion could not be completed because the input "
            "matrix is singular: its determinant is 0. A multiple of torch.eye(n), "
            "added, makes it regular (Chapter 10)"
        ) from None


def inv(A):  # noqa: N803 (PyTorch's own spelling)
    """The inverse of square matrices; `LinAlgError` if there is none."""
    _square("inv", A)
    return _regular("inv", _inv, A)


def solve(A, B):  # noqa: N803
    """The X of A @ X = B, where B is a vector or a matrix (or a stack of them)."""
    _square("solve", A)
    if A.dtype is not B.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of "
            f"type {A.dtype} and B of type {B.dtype} instead: convert one (Chapter 10)"
        )
    if B.ndim == 1 or (B.ndim == A.ndim - 1 and B.shape == A.shape[:-1]):
        return squeeze(_regular("solve", _solve, A, unsqueeze(B, -1)), -1)
    return _regular("solve", _solve, A, B)


def det(A):  # noqa: N803
    """The determinant of square matrices."""
    _square("det", A)
    return _det(A)


_slogdet = _pair("linalg_slogdet", "sign", "logabsdet")


def slogdet(A):  # noqa: N803
    """The sign of the determinant, and the log of its size."""
    _square("slogdet", A)
    return _slogdet(wrap(np.asarray(np.linalg.slogdet(A._array)[0])), _logabsdet(A))


def logdet(input):
    """The log of the determinant; nan if that is negative."""
    sign, size = slogdet(input)
    return size + ops.log(sign)


UFUNCS[np.matmul] = matmul
__all__ = ["addmm", "bmm", "dot", "einsum", "inner", "logdet", "matmul", "mv", "outer"]
__all__ += ["slogdet", "trace"]
extend(**{name: globals()[name] for name in __all__ if name != "einsum"})
extend(__matmul__=_operator, det=det, inverse=inv)
