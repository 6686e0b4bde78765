"""Checks of the exercises of chapter 13, Trust, then verify.

Rules are compared with slopes written out by hand here, not with minigrad's gradcheck;
only the liar of 13.4 is put to it, because passing it is what is asked for.
"""

import numpy as np

from bookkit.checks import close, exercise


@exercise("13.1")
def handwriting(answer):
    """The fault behind a message."""
    yield "it is one of the four words"
    words = ("sign", "transpose", "sum", "saved")
    assert answer in words, f"{answer!r} is none of {words}"
    yield "it explains the analytical diagonal, 0, 1, 2"
    why = {
        "sign": "a wrong sign would give -1, -2.718, -7.389",
        "transpose": "a diagonal matrix is its own transpose",
        "sum": "a missing sum leaves entries out beside the diagonal",
    }
    assert answer == "saved", why[answer]


@exercise("13.2")
def costs(slow_calls, slow_passes, fast_calls, fast_passes):
    """Calls and passes of the two modes."""
    inputs, outputs = 20, 50
    expected = {
        "slow mode moves every input element to both sides": (slow_calls, 2 * inputs),
        "slow mode passes once for each output element, twice": (
            slow_passes,
            2 * outputs,
        ),
        "fast mode moves along u to both sides": (fast_calls, 2),
        "fast mode passes once with v, twice": (fast_passes, 2),
    }
    for what, (given, right) in expected.items():
        yield what
        assert isinstance(given, (int, np.integer)), f"{given!r} is no whole number"
        assert given == right, f"not {given}"


@exercise("13.3")
def small_check(agrees):
    """A gradcheck of one's own."""
    x = np.array([[0.3, -0.7], [1.2, 0.5]])
    w = np.array([[2.0, -1.0], [0.5, 3.0]])
    right = {
        "the sine": (np.sin, lambda g, x: g * np.cos(x)),
        "a sum, one number": (np.sum, lambda g, x: g * np.ones_like(x)),
        "a product of matrices": (lambda x: x @ w, lambda g, x: g @ w.T),
        "a sum along an axis": (
            lambda x: x.sum(axis=1),
            lambda g, x: g[:, None] * np.ones_like(x),
        ),
        "a transpose": (lambda x: x.T * 2, lambda g, x: 2 * g.T),
        "a longer result": (
            lambda x: np.concatenate([x, x * x]),
            lambda g, x: g[:2] + 2 * x * g[2:],
        ),
    }
    for what, (forward, rule) in right.items():
        yield f"a right rule is accepted: {what}"
        before = x.copy()
        assert agrees(forward, rule, x) in (True, np.True_), "it was turned down"
        close(x, before, what="x, which is not yours to change,")
    wrong = {
        "a wrong sign": (np.sin, lambda g, x: -g * np.cos(x)),
        "one element in a hundred off": (
            lambda x: x * 2,
            lambda g, x: g * np.array([[2, 2], [2, 2.02]]),
        ),
        "a missing transpose": (lambda x: x @ w, lambda g, x: g @ w),
        "a term beside the diagonal": (
            lambda x: x - x.mean(),
            lambda g, x: g,
        ),
        "right only where g is the same everywhere": (
            lambda x: x.T * 2,
            lambda g, x: 2 * g,
        ),
        "nothing but zeros": (np.sin, lambda g, x: 0 * g),
        "rows and columns that cancel in a sum": (
            lambda x: x * 1,
            lambda g, x: g[::-1],
        ),
    }
    for what, (forward, rule) in wrong.items():
        yield f"a wrong rule is turned down: {what}"
        assert agrees(forward, rule, x) in (False, np.False_), "it was accepted"


@exercise("13.4")
def lies(liar):
    """A rule that is wrong where nobody looks."""
    from minigrad import float64, tensor
    from minigrad.autograd.function import record
    from minigrad.autograd.gradcheck import gradcheck
    from minigrad.rules import PRIMITIVES, define

    known = dict(PRIMITIVES)
    lying = record(define("liar", np.sin, x=lambda g, x: liar(g, x)), "liar", "Liar")
    PRIMITIVES.clear()
    PRIMITIVES.update(known)
    x = tensor([0.5, 1.0, 2.0], dtype=float64, requires_grad=True)
    for fast in (False, True):
        yield f"it passes at [0.5, 1, 2] in {'fast' if fast else 'slow'} mode"
        assert gradcheck(lying, x, fast_mode=fast, raise_exception=False), "caught"
    yield "for negative x it is wrong by a factor of two"
    below, g = np.array([-0.5, -1.0, -2.5]), np.array([1.0, -2.0, 3.0])
    ratio = np.asarray(liar(g, below)) / (g * np.cos(below))
    two = np.allclose(ratio, 2) or np.allclose(ratio, 0.5)
    assert two, f"the ratio to the true cotangent is {np.round(ratio, 3)}"


@exercise("13.5")
def shrunk(shrink):
    """The steps that a fault needs."""
    cases = {
        "one step is to blame": (list("abcdefgh"), lambda s: "d" in s),
        "two steps are": (list("abcdefgh"), lambda s: {"b", "g"} <= {*s}),
        "all of them are": (list("abc"), lambda s: len(s) == 3),
        "either of two would do": (list("abcd"), lambda s: "a" in s or "c" in s),
        "a step that must stay while another one is there": (
            list("abcde"),
            lambda s: "e" in s and ("a" in s or "b" not in s),
        ),
        "every other step of twelve": (
            list("abcdefghijkl"),
            lambda s: {*"acegik"} <= {*s},
        ),
        "the same step twice": (list("xyxzx"), lambda s: s.count("x") >= 2),
        "order matters": (list("badcab"), lambda s: "ab" in "".join(s)),
    }
    for what, (steps, fails) in cases.items():
        yield f"{what}: what is left fails, and nothing of it can go"
        asked = []

        def counting(some, fails=fails, asked=asked):
            asked.append(list(some))
            return fails(list(some))

        before = list(steps)
        found = shrink(steps, counting)
        assert isinstance(found, list), f"it returns {type(found).__name__}"
        assert steps == before, "it changed the list that it was given"
        assert fails(found), f"{found} does not fail"
        position = iter(steps)
        assert all(step in position for step in found), "the order has changed"
        for k in range(len(found)):
            fewer = found[:k] + found[k + 1 :]
            assert not fails(fewer), f"{found[k]!r} can be left out of {found}"
        most = len(steps) ** 2
        assert len(asked) <= most, f"{len(asked)} questions, and {most} are allowed"
