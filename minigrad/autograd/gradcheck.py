# Generated from chapter 13 (book/ch13-gradcheck.ipynb): edit the chapter, not this.
"""Do the rules tell the truth? Measure the function, and compare.

`gradcheck` takes the Jacobian of a function twice: once by moving the inputs and
watching the outputs (Chapter 1), once by walking back through the graph (Chapter 7).
The first knows nothing of rules, the second nothing of steps, so a fault in one of
them shows as a difference. Jacobians stand here as PyTorch prints them: a row for
each element of the input, a column for each element of the output.
"""

import warnings
from collections.abc import Callable, Iterable
from functools import partial

import numpy as np

from minigrad.autograd.doubts import is_steady, warn_of_kinks
from minigrad.autograd.engine import grad
from minigrad.creation import rand
from minigrad.numerical import numerical_jacobian
from minigrad.random import Generator
from minigrad.tensor import Tensor, memory, wrap


class GradcheckError(RuntimeError):
    """What `gradcheck` and `gradgradcheck` raise: two derivatives disagree."""


def _as_tuple(value) -> tuple:
    """One value, or several, as a tuple."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


class _Subject:
    """A function at a point: what is examined, and with which step and tolerances."""

    def __init__(self, func, inputs: tuple, eps: float, atol: float, rtol: float):
        self.func, self.inputs = func, inputs
        self.eps, self.atol, self.rtol = eps, atol, rtol
        self.places = [k for k, x in enumerate(inputs) if _is_asked(x)]
        self.wanted = [inputs[k] for k in self.places]
        found = self.call()
        self.recorded = [k for k, y in enumerate(found) if y.requires_grad]
        self.outputs = [found[k] for k in self.recorded]
        floats = [k for k, y in enumerate(found) if y.is_floating_point()]
        self.watched = self.recorded or floats
        self.here = [np.array(found[k]._array) for k in self.watched]
        self.steady = True  # whether the same inputs give the same outputs

    def call(self) -> tuple:
        """Call the function, as the user would: what it returns, as a tuple."""
        return _as_tuple(self.func(*self.inputs))


def _is_asked(x) -> bool:
    """Whether an input is a tensor that requires grad."""
    return isinstance(x, Tensor) and x.requires_grad


def _moved(subject: _Subject, x: Tensor, step) -> list[np.ndarray]:
    """The outputs with x moved by ``step``. Whatever happens, x is put back."""
    array = memory(x)
    before = array.copy()
    try:
        array[...] = before + step
        found = subject.call()
        return [np.array(found[k]._array) for k in subject.watched]
    finally:
        array[...] = before


def _slopes(subject: _Subject, k: int, step, where: str = "") -> list[np.ndarray]:
    """For each output, its slope as input k moves along ``step``; flat."""
    x = subject.inputs[k]
    behind, ahead = _moved(subject, x, -step), _moved(subject, x, step)
    _check_alike(subject.here + ahead, ahead + behind, where, subject.eps)
    if subject.steady and x.dtype.name == "float64":
        move = partial(_moved, subject, x)
        warn_of_kinks(f"Input #{k} {where}", subject, behind, ahead, step, move)
    pairs = zip(behind, ahead, strict=True)
    return [np.ravel((b - a) / (2 * subject.eps)) for a, b in pairs]


def _check_alike(here: list, moved: list, where: str, eps: float) -> None:
    """Refuse a function whose outputs change in kind when an input moves."""
    for y, z in zip(here, moved, strict=True):
        for what in ("shape", "dtype"):
            if getattr(y, what) != getattr(z, what):
                raise AssertionError(
                    f"Expected `func` to return outputs with the same {what} when "
                    f"inputs are perturbed {where}by {eps}, but got: {what}s "
                    f"{getattr(y, what)} and {getattr(z, what)}. Check a function "
                    f"whose {what} does not depend on the numbers in its inputs "
                    "(Chapter 13)"
                )


def _numerical(subject: _Subject, k: int) -> list[np.ndarray]:
    """The Jacobian of each output by input k, measured: two calls for each element."""
    x = subject.inputs[k]
    rows = []
    for place in np.ndindex(*x.shape):
        step = np.zeros(x.shape)
        step[place] = subject.eps
        rows.append(_slopes(subject, k, step, f"on index {place} "))
    return [
        np.array([row[i] for row in rows], y.dtype).reshape(x.numel(), y.size)
        for i, y in enumerate(subject.here)
    ]


def _analytical(subject: _Subject, y: Tensor, weights: Iterable) -> list[np.ndarray]:
    """For each input, the products vᵀJ for the ``weights`` v of y, as columns."""
    columns = [[] for _ in subject.wanted]
    for v in weights:
        v = wrap(np.array(v).reshape(y.shape))
        found = grad(y, subject.wanted, v, retain_graph=True, allow_unused=True)
        for x, g, column in zip(subject.wanted, found, columns, strict=True):
            column.append(np.zeros_like(x._array) if g is None else _fitting(g, x))
    pairs = zip(columns, subject.wanted, strict=True)
    return [np.array(c).reshape(len(c), x.numel()).T for c, x in pairs]


def _fitting(g: Tensor, x: Tensor) -> np.ndarray:
    """The array of a gradient, if it has the shape of what it belongs to."""
    if g.shape != x.shape:
        raise GradcheckError(
            f"Analytical gradient has incorrect size: {tuple(g.shape)} for an input of "
            f"shape {tuple(x.shape)}. Sum over what was broadcast, or reshape, in the "
            "rule of the operation that takes this input (Chapter 13)"
        )
    return np.asarray(g._array)


def _twice(subject: _Subject, y: Tensor, weights, nondet_tol: float) -> list:
    """The analytical products, computed twice: backward must not throw dice."""
    first = _analytical(subject, y, weights)
    for one, again in zip(first, _analytical(subject, y, weights), strict=True):
        gap = np.abs(one - again).max(initial=0)
        if gap > nondet_tol:
            raise GradcheckError(
                "Backward is not reentrant, i.e., running backward with same input and "
                "grad_output multiple times gives different values, although "
                "analytical gradient matches numerical gradient."
                f"The tolerance for nondeterminism was {nondet_tol}. They differ by "
                f"{gap:.3g}: look for random numbers, or for a rule that keeps "
                "something from one call to the next (Chapter 13)"
            )
    return first


def _slow(subject: _Subject, nondet_tol: float) -> None:
    """Compare whole Jacobians, entry by entry."""
    measured = list(map(partial(_numerical, subject), subject.places))
    for i, y in enumerate(subject.outputs):
        for j, a in enumerate(_twice(subject, y, np.eye(y.numel()), nondet_tol)):
            _compare(subject, i, j, measured[j][i], a)
    if not subject.outputs:
        _expect_zero(measured, 0.0)


def _compare(subject: _Subject, i: int, j: int, n, a, found: str = "") -> None:
    """Refuse two Jacobians, numerical and analytical, that are not close."""
    if not np.allclose(a, n, subject.rtol, subject.atol):
        said = _mismatch(i, j, wrap(n), wrap(a), found)
        raise GradcheckError(said + _first_gap(subject, a, n))


def _mismatch(i: int, j: int, numerical, analytical, found: str = "") -> str:
    """PyTorch's sentence for two derivatives that disagree."""
    return (
        f"Jacobian {found}mismatch for output {i} with respect to input {j},\n"
        f"numerical:{numerical}\nanalytical:{analytical}\n"
    )


def _first_gap(subject: _Subject, a: np.ndarray, n: np.ndarray) -> str:
    """Say in words where two Jacobians differ: how often, and where first."""
    wrong = np.argwhere(~np.isclose(a, n, subject.rtol, subject.atol))
    if not len(wrong):
        return ""
    row, column = wrong[0]
    return (
        f"{len(wrong)} of {a.size} entries differ, the first in row {row} (element of "
        f"the input), column {column} (of the output): numerical {n[row, column]:.6g}, "
        f"analytical {a[row, column]:.6g}. Look at the rule of that input: sign, "
        "factors, sums, transposes, what it saves (Chapter 13)"
    )


def _expect_zero(measured: list, tolerance: float) -> None:
    """Without a recorded output, nothing may move."""
    if any((np.abs(n) > tolerance).any() for found in measured for n in found):
        raise GradcheckError(
            "Numerical gradient for function expected to be zero: no output requires "
            "grad, and yet they change with the inputs. Look for detach(), no_grad() "
            "or NumPy inside the function (Chapter 13)"
        )


def _vector(like: np.ndarray, stream: Generator) -> np.ndarray:
    """A random vector of length 1 with positive elements, one for each of ``like``."""
    v = rand(like.size, generator=stream).numpy().astype(like.dtype)
    return v / np.linalg.norm(v) if v.size else v


def _along(subject: _Subject, us: list) -> list:
    """For each input, the slopes of all outputs as it moves along its u."""
    pairs = zip(subject.wanted, us, strict=True)
    steps = [subject.eps * u.reshape(x.shape) for x, u in pairs]
    return list(map(partial(_slopes, subject), subject.places, steps))


def _fast(subject: _Subject, nondet_tol: float) -> None:
    """Compare one number for each input and output, vᵀJu, by two routes.

    The vectors are PyTorch's, and the same in every call.
    """
    stream = Generator()
    us = [_vector(memory(x), stream) for x in subject.wanted]
    vs = [_vector(y, stream) for y in subject.here]
    ahead = _along(subject, us)  # J u of every output, for every input
    if not subject.outputs:
        return _expect_zero(ahead, nondet_tol)
    pairs = zip(subject.outputs, vs, strict=True)
    back = [_twice(subject, y, [v], nondet_tol) for y, v in pairs]  # vᵀJ
    for j, u in enumerate(us):
        for i, v in enumerate(vs):
            n, a = v @ ahead[j][i], back[i][j][:, 0] @ u
            if not np.allclose(a, n, subject.rtol, subject.atol * u.sum() * v.sum()):
                raise GradcheckError(_mismatch(i, j, n, a) + _in_full(subject, i, j))


def _in_full(subject: _Subject, i: int, j: int) -> str:
    """What slow mode has to say where fast mode has found a fault."""
    subject.steady = False  # what there is to warn of has been said
    n = _numerical(subject, subject.places[j])[i]
    a = _analytical(subject, subject.outputs[i], np.eye(subject.here[i].size))[j]
    return (
        "\nThe above quantities relating the numerical and analytical jacobians are "
        "computed \nin fast mode. Below, we recompute numerical and analytical "
        f"jacobians in slow mode:\n\nNumerical:\n {wrap(n)}\nAnalytical:\n{wrap(a)}\n\n"
        "The max per-element difference (slow mode) is: "
        f"{np.abs(n - a).max(initial=0)}.\n"
    ) + (_first_gap(subject, a, n) or FAST_ALONE)


FAST_ALONE = """\
Fast gradcheck failed but element-wise differences are small. This means that the
test might've passed in slow_mode! Call it with fast_mode=False (Chapter 13)"""


def _check_zero(subject: _Subject, undefined: bool) -> None:
    """Where nothing is sent in, nothing may come out.

    Zeros go to all outputs, and then to all but one, as if nobody had used it.
    """
    several = undefined and len(subject.outputs) > 1
    for left_out in (None, *subject.recorded) if several else (None,):
        found = subject.call()
        outputs = [found[k] for k in subject.recorded if k != left_out]
        zeros = [wrap(np.zeros_like(y._array)) for y in outputs]
        sent = grad(outputs, subject.wanted, zeros, allow_unused=True)
        if any(g is not None and g._array.any() for g in sent):
            raise GradcheckError(
                "backward not multiplied by grad_output. Expected all input grads to "
                "be undefined or zero when all output grads are undefined or zero: "
                "give every term of a rule the factor g (Chapter 13)"
            )


def _check_inputs(inputs: tuple) -> None:
    """Refuse inputs that cannot be moved one element at a time; warn of coarse ones."""
    for k, x in enumerate(inputs):
        if not _is_asked(x):
            continue
        if x.dtype.name != "float64":
            warnings.warn(COARSE.format(k), UserWarning, stacklevel=4)
        array = memory(x)  # a view made by expand is read-only, or has a stride of 0
        sides = zip(array.strides, array.shape, strict=True)
        if any(s == 0 and n > 1 for s, n in sides) or not array.flags.writeable:
            raise RuntimeError(
                f"The {k}th input has a dimension with stride 0. gradcheck only "
                "supports inputs that are non-overlapping to be able to compute the "
                "numerical gradients correctly. You should call .contiguous on the "
                "input before passing it to gradcheck. (Or it is read-only for another "
                "reason: x.clone() helps against both.) (Chapter 13)"
            )
    if not any(map(_is_asked, inputs)):
        raise ValueError(
            "gradcheck expects at least one input tensor to require gradient, but none "
            "of them have requires_grad=True. Pass x.requires_grad_() (Chapter 13)"
        )


COARSE = (
    "Input #{} requires gradient and is not a double precision floating point or "
    "complex. This check will likely fail if all the inputs are not of double "
    "precision floating point or complex. Pass x.double() (Chapter 13)"
)


def _check_options(backward: bool, forward: bool, batched: bool, dual: bool) -> None:
    """Refuse options that contradict each other, or need what comes later."""
    if not (forward or backward):
        raise AssertionError(
            "Expected at least one of check_forward_ad or check_backward_ad to be "
            "True: leave both at their defaults (Chapter 13)"
        )
    if batched and not backward:
        raise AssertionError(
            "Setting check_batched_grad=True requires check_backward_ad to be True: "
            "leave both at their defaults (Chapter 13)"
        )
    if dual and not forward:
        raise AssertionError(
            "Setting check_batched_forward_grad=True requires check_forward_ad to be "
            "True: leave both at their defaults (Chapter 13)"
        )
    missing = forward and forward_check is None
    if missing or batched:
        what, chapter = ("forward_ad", 15) if missing else ("batched_grad", 14)
        raise NotImplementedError(
            f"check_{what}=True is not built yet: leave it out, and check backward "
            f"alone (Chapter {chapter})"
        )


forward_check: Callable | None = None  # Chapter 15 puts its check here


def _examine(func, inputs, how, nondet_tol, fast, undefined, backward, forward) -> None:
    """Run all the checks that are wanted; ``how`` is the step and the tolerances."""
    inputs = _as_tuple(inputs)
    _check_inputs(inputs)
    subject = _Subject(func, inputs, *how)
    subject.steady = is_steady(subject.here, subject.watched, subject.call())
    if backward:
        (_fast if fast else _slow)(subject, nondet_tol)
    if forward:
        forward_check(subject, fast)
    if backward and subject.outputs:
        _check_zero(subject, undefined)


def gradcheck(
    func: Callable, inputs, *, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_batched_forward_grad: bool = False,
    check_forward_ad: bool = False, check_backward_ad: bool = True,
    fast_mode: bool = False, masked: bool | None = None,
) -> bool:  # fmt: skip
    """Compare the gradients of a function with differences of its values.

    ``func`` takes the ``inputs``, a tensor or a tuple, and returns a tensor or a tuple.
    Every element of the inputs that require grad is moved by ``eps`` to both sides,
    and the Jacobians have to agree: |a - n| <= atol + rtol · |n|; ``fast_mode``
    compares vᵀJu for two random vectors instead. ``nondet_tol`` is what two backward
    passes may differ by. ``check_grad_dtypes`` and ``masked`` have no effect: the
    engine sees to dtypes, and no tensor here is sparse.

    Returns True. Raises GradcheckError for a difference; with
    ``raise_exception=False`` it returns False instead.
    """
    dual = check_batched_forward_grad
    _check_options(check_backward_ad, check_forward_ad, check_batched_grad, dual)
    try:
        rest = nondet_tol, fast_mode, check_undefined_grad
        ways = check_backward_ad, check_forward_ad
        _examine(func, inputs, (eps, atol, rtol), *rest, *ways)
    except GradcheckError:
        if raise_exception:
            raise
        return False
    return True


def _grad_outputs(func, inputs: tuple, strided: bool) -> tuple:
    """Weights between -1 and 1 for every recorded output, from their own stream."""
    stream, found = Generator(), []
    for y in _as_tuple(func(*inputs)):
        if y.requires_grad:
            v = 2 * rand(y.shape, generator=stream, dtype=y.dtype).numpy() - 1
            if strided and v.ndim:  # every second element of something larger
                v = v.repeat(2, axis=-1)[..., ::2]
            found.append(wrap(v).requires_grad_())
    return tuple(found)


def _gradient_of(func, count: int) -> Callable:
    """A function of inputs and weights that returns the gradients vᵀJ."""

    def gradient(*given):
        inputs, weights = given[:count], given[count:]
        outputs = [y for y in _as_tuple(func(*inputs)) if y.requires_grad]
        wanted = [x for x in inputs if _is_asked(x)]
        found = grad(outputs, wanted, weights, create_graph=True, allow_unused=True)
        return tuple(g for g in found if g is not None)

    return gradient


def gradgradcheck(
    func: Callable, inputs, grad_outputs=None, *, eps: float = 1e-6, atol: float = 1e-5,
    rtol: float = 1e-3, gen_non_contig_grad_outputs: bool = False,
    raise_exception: bool = True, nondet_tol: float = 0.0,
    check_undefined_grad: bool = True, check_grad_dtypes: bool = False,
    check_batched_grad: bool = False, check_fwd_over_rev: bool = False,
    check_rev_over_rev: bool = True, fast_mode: bool = False, masked: bool = False,
) -> bool:  # fmt: skip
    """Check the gradients of the gradients vᵀJ, by the inputs and by v.

    ``grad_outputs`` are the v, one for each output; without them they are drawn from a
    generator with a seed of its own. The other arguments are those of `gradcheck`.
    """
    inputs = _as_tuple(inputs)
    if grad_outputs is None:
        grad_outputs = _grad_outputs(func, inputs, gen_non_contig_grad_outputs)
    return gradcheck(
        _gradient_of(func, len(inputs)), inputs + _as_tuple(grad_outputs), eps=eps,
        atol=atol, rtol=rtol, raise_exception=raise_exception, nondet_tol=nondet_tol,
        check_undefined_grad=check_undefined_grad, fast_mode=fast_mode,
        check_batched_grad=check_batched_grad, check_forward_ad=check_fwd_over_rev,
        check_backward_ad=check_rev_over_rev,
    )  # fmt: skip


def complex_step_check(func: Callable, inputs, *, atol=1e-12, rtol=1e-10) -> bool:
    """Compare gradients with complex steps, which lose no digits; PyTorch has none.

    ``func`` is called with tensors and with complex NumPy arrays in their place, so it
    may use operators and NumPy's functions, ``np.sin(x) @ x``, and must be analytic.
    Returns True; raises GradcheckError for a difference.
    """
    inputs = _as_tuple(inputs)
    _check_inputs(inputs)
    subject = _Subject(func, inputs, 0.0, atol, rtol)
    arrays = [np.array(x._array) if isinstance(x, Tensor) else x for x in inputs]
    for i, (at, y) in enumerate(zip(subject.recorded, subject.outputs, strict=True)):
        back = _analytical(subject, y, np.eye(y.numel()))
        for j, (k, a) in enumerate(zip(subject.places, back, strict=True)):

            def output(z, at=at, k=k):
                y = _as_tuple(func(*arrays[:k], z, *arrays[k + 1 :]))[at]
                return y + 0 * z.sum()  # complex with z, even if y is independent of it

            n = numerical_jacobian(output, arrays[k], method="complex")
            _compare(subject, i, j, n.reshape(a.shape[::-1]).T, a)
    return True
