"""Every fault of tests/mutants.py is caught: gradcheck against the operator table.

At each point a right rule passes and a wrong one fails. A mutant that cannot run, or
that is right after all, for a reason in EQUIVALENT, does not count.
"""

import collections
import re
import warnings

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd.function import record
from minigrad.autograd.gradcheck import GradcheckError, gradcheck, gradgradcheck
from minigrad.autograd.rebase import Places
from minigrad.nn.convolution import Grid
from minigrad.nn.windows import Bins
from minigrad.rules import PRIMITIVES
from tests import mutants

A = [[0.3, -0.7, 0.45], [0.9, -0.2, 0.6]]  # inside (-1, 1); no two are equal
UP = [[1.3, 2.7, 1.85], [2.2, 1.1, 3.4]]  # above 1
ROW, COLUMN = [0.8, -1.3, 1.7], [[1.4], [0.35]]
TALL = [[0.5, -1.0], [1.5, 0.7], [-0.3, 2.0]]
STACK = [A, UP]
SQUARE = [[2.0, 0.3, -0.4], [0.5, 1.5, 0.2], [-0.1, 0.6, 1.8]]
SKEW = [[1.2, -0.5, 0.3], [0.4, 2.1, -0.6], [0.7, 0.1, 1.6]]
REPEATED = np.array([1, 0, 1])
COLUMN_OF = np.zeros((3, 2))
PLACES = Places(COLUMN_OF, COLUMN_OF[:2, 1])
FIXED = np.array(
    [0.0, 2.0, 3.0]
)  # an array is a constant: nobody asks for its gradient
HIDDEN = np.array([[False, True, False], [False, False, False]])
WITH_ZEROS = [[0.0, -0.7, 0.45], [0.9, 0.0, 0.0]]

PICTURE = np.random.default_rng(0).permutation(24).reshape(1, 2, 3, 4) / 10 - 1.05
KERNELS = np.random.default_rng(1).permutation(16).reshape(2, 2, 2, 2) / 10 - 0.75
MAPS = np.random.default_rng(2).permutation(12).reshape(1, 2, 2, 3) / 5 - 1.1
SMALL = MAPS[..., :2]  # so small that the channels lie side by side
EMPTY = np.zeros(0)  # no bias
PLAIN = Grid((2, 2), (1, 1), (0, 0), (1, 1))
SPARSE = Grid((2, 2), (2, 1), (1, 0), (1, 2))
WIDE = Grid((2, 2), (1, 1), (1, 1), (2, 2))
HALVES = Grid((2, 2), (2, 2), (0, 0), (1, 1))
WINNERS = np.array([[[[0, 2, 2], [5, 10, 7]], [[4, 1, 6], [4, 9, 11]]]])

# primitive: points, each a list of operands and the parameters
ELEMENTWISE = [([A], {}), ([UP], {})]
PAIRS = [([A, ROW], {}), ([COLUMN, ROW], {}), ([UP, UP[::-1]], {}), ([ROW, 1.5], {})]
ABOVE = [([UP], {}), ([COLUMN], {})]
REDUCED = [
    ([A], {"axis": axis, "keepdims": keep})
    for axis in ((0,), (1,), (0, 1))
    for keep in (False, True)
] + [([STACK], {"axis": (0, 2), "keepdims": False})]
ALONG = [([A], {"axis": (0,)}), ([A], {"axis": (1,)}), ([STACK], {"axis": (1,)})]
ORDER = np.array([[2, 0, 1], [1, 2, 0]])  # no place twice in a row, as sort has it


def each(names: str, points: list) -> dict[str, list]:
    """The same points for several primitives."""
    return dict.fromkeys(names.split(), points)


POINTS = {
    **each(
        "neg exp tanh sin cos tan asin acos atan sinh cosh asinh atanh expm1 abs sign "
        "floor ceil trunc round sigmoid silu erf erfc relu gelu clone contiguous",
        [([A], {})],
    ),
    **each("log sqrt rsqrt log1p log2 log10 reciprocal", ABOVE),
    "acosh": [([UP], {})],
    **each("add sub mul div atan2 maximum minimum", PAIRS),
    "remainder": [([UP, [0.7, -0.95, 0.8]], {}), ([A, COLUMN], {}), ([1.9, ROW], {})],
    "fmod": [([UP, [0.7, -0.95, 0.8]], {}), ([A, COLUMN], {}), ([1.9, ROW], {})],
    "pow": [([UP, ROW], {}), ([COLUMN, ROW], {}), ([UP, [0.5, 2.0, 3.0]], {}),
            ([FIXED, [1.5, 2.5, 0.5]], {})],
    "matmul": [([A, TALL], {}), ([STACK, TALL], {}), ([A, [TALL, TALL]], {})],
    "sum": [*REDUCED, ([A], {"axis": None, "keepdims": False}),
            ([A], {"axis": 1, "keepdims": False}), ([1.5], {"axis": ()})],
    "reshape": [([A], {"shape": (3, 2)}), ([A], {"shape": (6,)})],
    "transpose": [
        ([A], {"axes": None}),
        ([STACK], {"axes": (1, 2, 0)}),
        ([STACK], {"axes": (2, 0, -2)}),
    ],
    "broadcast_to": [([ROW], {"shape": (2, 3)}), ([COLUMN], {"shape": (4, 2, 3)})],
    "to": [([A], {"dtype": np.float64})],
    "rsub": [([A], {"other": 2.0})],
    "power": [([UP], {"exponent": p}) for p in (2, -1.5, 3.0, 1)],
    "exponential": [([A], {"other": 2.5}), ([UP], {"other": 0.0})],
    "add_scaled": [([A, ROW], {"alpha": 3.0}), ([COLUMN, ROW], {"alpha": -0.5})],
    "where": [
        ([A, ROW], {"condition": np.array([[True, False, True], [False, True, True]])})
    ],
    "threshold": [([A, ROW], {})],
    "clamp": [
        ([A, [-0.1, -0.8, 0.5], [0.5, -0.3, 0.55]], {}),
        ([A, 0.5, -0.1], {}),
        ([A, COLUMN, ROW], {}),
    ],
    "clip": [([A], {"low": -0.5, "high": 0.5}), ([A], {"low": -0.25, "high": 2.0})],
    "lerp": [([A, ROW, COLUMN], {}), ([UP, A, 0.25], {})],
    "leaky_relu": [([A], {"negative_slope": 0.1})],
    "softplus": [
        ([A], {"beta": 2.0, "threshold": 20.0}),
        ([UP], {"beta": 3.0, "threshold": 5.0}),
    ],
    **each("mean amax amin", REDUCED),
    "logsumexp": REDUCED,
    "prod": [*REDUCED, ([WITH_ZEROS], {"axis": (0,), "keepdims": False}),
             ([WITH_ZEROS], {"axis": (1,), "keepdims": True}),
             ([[WITH_ZEROS, A]], {"axis": (0, 2), "keepdims": False}),
             ([[WITH_ZEROS, A]], {"axis": (2, 0), "keepdims": False})],
    **each(
        "var std", [(a, p | {"correction": c}) for a, p in REDUCED for c in (0, 1)]
    ),
    "norm": [
        (a, p | {"p": q})
        for a, p in REDUCED for q in (0.0, 1.0, 2.0, 3.0, 1.5, np.inf, -np.inf)
    ] + [
        ([WITH_ZEROS], {"axis": (1,), "keepdims": False, "p": p})
        for p in (1.5, 2.0, 3.0)
    ],
    **each("softmax log_softmax", ALONG),
    **each(
        "max min", [([A], {"axis": (0, 1)}), ([STACK], {"axis": (0, 1, 2)})]
    ),
    "median": [([A], {}), ([UP], {})],
    "cumsum": [([A], {"axis": k, "back": b}) for k in (0, 1) for b in (False, True)],
    "cumprod": [([A], {"axis": 0}), ([A], {"axis": 1}), ([WITH_ZEROS], {"axis": 0}),
                ([WITH_ZEROS], {"axis": 1}), ([[WITH_ZEROS, A]], {"axis": 1})],
    "pick": [
        ([A], {"index": ORDER, "axis": 1}),
        ([A], {"index": ORDER[:, :2], "axis": 1}),
    ],
    "deal": [([A], {"index": ORDER + 1, "axis": 1, "shape": (2, 4)})],
    "choice": [
        ([A], {"index": np.array([[1, 0, 1]]), "axis": 0, "keepdims": k})
        for k in (False, True)
    ] + [([A], {"index": np.array([[2], [0]]), "axis": 1, "keepdims": False})],
    # Chapter 10
    "view_at": [([A], {"index": (1,)}), ([A], {"index": (slice(None), slice(0, 3, 2))}),
                ([STACK], {"index": (..., None, 2)})],
    "pick_at": [([A], {"index": (REPEATED,)}), ([A], {"index": (np.array(A) > 0,)}),
                ([STACK], {"index": (slice(None), REPEATED, REPEATED)})],
    "put_at": [([A], {"index": (np.array([1, 1]),), "shape": (3, 3), "repeats": True}),
               ([A], {"index": (slice(0, 2),), "shape": (4, 3), "repeats": False})],
    "written": [([TALL, A[0][:2]], {"index": (np.array([2, 0]),), "add": False}),
                ([A, UP], {"index": (np.array([1, 1]),), "add": True})],
    "clear": [([A], {"index": (np.array([1]),)}), ([A], {"index": (np.array(A) > 0,)})],
    "flip": [([A], {"axis": (1,)}), ([STACK], {"axis": (0, 2)})],
    "roll": [([A], {"shift": (1,), "axis": (1,)}), ([A], {"shift": 2, "axis": None}),
             ([STACK], {"shift": (1, 2), "axis": (1, 2)})],
    **each("tril triu", [([A], {"k": 0}), ([STACK], {"k": 1}), ([TALL], {"k": -1})]),
    "tile": [([A], {"repeats": (2, 1)}), ([ROW], {"repeats": (2, 1, 3)})],
    "diagonal": [([A], {"offset": 1, "a": 0, "b": 1}),
                 ([STACK], {"offset": 0, "a": 2, "b": 0})],
    "on_diagonal": [([ROW], {"shape": (3, 4), "offset": 1, "a": 0, "b": 1}),
                    ([A], {"shape": (3, 2, 3), "offset": 0, "a": 2, "b": 0})],
    "pad": [([A], {"sides": ((1, 0), (0, 2)), "value": 7.0})],
    "dot": [([ROW, A[0]], {})],
    "mv": [([A, ROW], {}), ([TALL, [0.4, -1.1]], {})],
    "trace": [([SQUARE], {})],
    **each("inv det logabsdet", [([SQUARE], {}), ([[SQUARE, SKEW]], {})]),
    "solve": [([SQUARE, TALL], {}), ([[SQUARE, SKEW], [TALL, TALL]], {}),
              ([SQUARE, [TALL, TALL]], {})],
    # Chapter 20
    "convolution": [
        ([PICTURE, KERNELS, ROW[:2]], {"grid": PLAIN, "groups": 1}),
        ([PICTURE, KERNELS, EMPTY], {"grid": SPARSE, "groups": 1}),
        ([PICTURE, [k[:1] for k in KERNELS], ROW[:2]], {"grid": SPARSE, "groups": 2}),
        ([SMALL, KERNELS, ROW[:2]], {"grid": WIDE, "groups": 1}),
        ([[PICTURE[0], -PICTURE[0]], KERNELS, ROW[:2]], {"grid": PLAIN, "groups": 1}),
    ],
    "convolution_input": [
        ([[MAPS[0], -MAPS[0]], KERNELS, ROW[:2]],
         {"grid": PLAIN, "groups": 1, "lengths": (3, 4)}),
        ([MAPS, KERNELS, ROW[:2]], {"grid": PLAIN, "groups": 1, "lengths": (3, 4)}),
        ([MAPS, [k[:1] for k in KERNELS], EMPTY],
         {"grid": PLAIN, "groups": 2, "lengths": (3, 4)}),
        ([SMALL, KERNELS, ROW[:2]], {"grid": WIDE, "groups": 1, "lengths": (2, 2)}),
    ],
    "convolution_weight": [
        ([MAPS, PICTURE], {"grid": PLAIN, "groups": 1}),
        ([MAPS, PICTURE], {"grid": PLAIN, "groups": 2}),
        ([SMALL, SMALL], {"grid": WIDE, "groups": 1}),
    ],
    "im2col": [([PICTURE], {"grid": PLAIN}), ([PICTURE], {"grid": SPARSE})],
    "col2im": [([[np.transpose(TALL)[:1].repeat(4, 0), ]],
                {"grid": PLAIN._replace(stride=(1, 2)), "lengths": (4, 3)})],
    "window_max": [([PICTURE], {"grid": HALVES, "sizes": (1, 2)}),
                   ([PICTURE[0]], {"grid": PLAIN, "sizes": (2, 3)}),
                   ([PICTURE], {"grid": PLAIN, "sizes": (2, 3)})],
    "window_pick": [([PICTURE], {"where": WINNERS, "lengths": (3, 4)})],
    "window_put": [([MAPS], {"where": WINNERS, "lengths": (3, 4)})],
    "window_mean": [([PICTURE[0]], {"grid": PLAIN, "sizes": (2, 3), "counts": 4.0}),
                    ([PICTURE], {"grid": Bins((2, 3)), "sizes": (2, 3),
                                 "counts": np.array([[2.0], [4.0]])})],
    "window_spread": [([MAPS[0]], {"grid": PLAIN, "lengths": (3, 4), "counts": 4.0}),
                      ([MAPS], {"grid": Bins((2, 3)), "lengths": (3, 4),
                                "counts": 2.0})],
    # Chapter 11
    **each("shown cleared", [([TALL], {"at": PLACES})]),
    "spread": [([A[0][:2]], {"at": PLACES})],
    # Chapter 17
    "addmm": [
        ([[0.5, -1.0, 0.2], [[0.3, 1.4], [0.9, -0.6]], TALL], {}),
        ([[0.5, -1.0, 0.2], [[[0.3, 1.4]], [[0.9, -0.6]]], TALL], {}),
    ],
    "mm_t": [([[[0.3, 1.4], [0.9, -0.6]], TALL], {}), ([[0.3, 1.4], TALL], {})],
    **each(
        "mse_loss smooth_l1_loss huber_loss",
        [
            ([A, UP], {"reduction": r, "at": at})
            for r in ("none", "mean", "sum")
            for at in (0.6, 3.0)
        ],
    ),
    "bce": [([[0.2, 0.7], [0.4, 0.9]], {"reduction": r}) for r in ("none", "mean")],
    "bce_logits": [
        ([A, [0.4, 0.9, 0.3]], {"reduction": "none", "positive": 1.0}),
        ([A, UP], {"reduction": "mean", "positive": 2.5}),
    ],
    **each(
        "nll_loss cross_entropy",
        [
            (
                [A],
                {
                    "target": np.array([2, 0]),
                    "weight": np.array([0.5, 1.5]),
                    "over": 2.0,
                    "total": total,
                },
            )
            for total in (True, False)
        ],
    ),
    "standardise": [
        ([UP, ROW, COLUMN], {"axis": axis, "eps": 0.1}) for axis in ((1,), (0,), (0, 1))
    ],
    "elu": [([A], {"alpha": 0.7})],
    # Chapter 21
    "gelu_tanh": [([A], {}), ([UP], {}), ([WITH_ZEROS], {})],
    "shares": [
        ([A], {"scale": 0.7, "hidden": None}),
        ([STACK], {"scale": 1.0, "hidden": HIDDEN}),
    ],
}  # fmt: skip
TABLE = {*PRIMITIVES}  # before any test has defined some of its own
# no derivative to be checked
WITHOUT = {
    "floor_divide": "its rule refuses: PyTorch has none",
    **dict.fromkeys(
        ("overwritten", "taken_over", "copy_slices"),
        "they record what has been done in place: see test_versions.py",
    ),
    **dict.fromkeys(
        ("enter", "leave", "lift", "sum_rows"),
        "they hide an axis and show it, which takes a level: see test_vmap.py",
    ),
}
# made when they are first called for: so many operands, whose rules are one function
SEVERAL = re.compile("(cat|stack|einsum)[0-9]+")


def constant(operand) -> bool:
    """Whether nobody asks for an operand's gradient."""
    return operand is FIXED or operand is EMPTY


def subject(operation, operands: list, params: dict, shared: bool = False):
    """What is given to gradcheck: a function, and inputs that require grad.

    ``shared``: each operand is a result that is used twice, so that two cotangents
    meet at its node.
    """
    inputs = tuple(
        torch.tensor(v, dtype=torch.float64, requires_grad=not constant(v))
        for v in operands
    )

    def twice(*given):
        given = [x * 1 for x in given]
        return operation(*given, **params) + 2 * operation(*given, **params)

    return twice if shared else lambda *xs: operation(*xs, **params), inputs


def verdict(name: str, operation, shared: bool = False) -> str:
    """What gradcheck says of an operation at all points: right, caught, or crashed."""
    crashed = ""
    for operands, params in POINTS[name]:
        func, inputs = subject(operation, operands, params, shared)
        try:
            gradcheck(func, inputs)
        except GradcheckError:
            return "caught"
        except RuntimeError as error:  # a shape that does not fit: the engine says so
            crashed = f"refused {error}"
        except Exception as error:
            crashed = f"crashed {error}"
    return crashed or "right"


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield


def test_every_primitive_has_points():
    several = {name for name in TABLE if SEVERAL.fullmatch(name)}
    assert TABLE - POINTS.keys() - WITHOUT.keys() - several == set()


@pytest.mark.parametrize("name", POINTS)
def test_right_rules_pass(name):
    operation = record(PRIMITIVES[name], name, "RightBackward0")
    for operands, params in POINTS[name]:
        func, inputs = subject(operation, operands, params)
        assert gradcheck(func, inputs), (operands, params)
        assert gradcheck(func, inputs, fast_mode=True)


@pytest.mark.parametrize("name", POINTS)
def test_right_rules_can_be_differentiated_again(name):
    operation = record(PRIMITIVES[name], name, "RightBackward0")
    for operands, params in POINTS[name]:
        if name == "norm" and operands == [WITH_ZEROS] and params["p"] == 1.5:
            continue  # the slope of |x|^1.5 has none itself at 0
        for shared in (False, True):
            func, inputs = subject(operation, operands, params, shared)
            assert gradgradcheck(func, inputs, fast_mode=not shared), (operands, params)


# right after all, or wrong only where there is nothing to check: reasons, and patterns
EQUIVALENT = {
    "only where two are equal, which is a kink": [
        r"(maximum|minimum)/.: .*: np.where\(x == y, [g2/* 3]+, .*0, g\)\)$",
        r"(maximum|minimum)/.: second branch only: np.where\(x . y, 0, g\)",
        r"/share: another operator: return \(mask \*",
        r"/share: left side only: return mask.astype",
        r"abs/x: another operator: g / np.sign\(x\)",
    ],
    "their operands do not broadcast": [
        r"(dot|mv|addmm|mm_t)/node: (first copy only|mean of copies)",
        r"(mse_loss|smooth_l1_loss|huber_loss|bce)/node: (first copy|mean of copies)",
        r"convolution\w*/node: (first copy only|mean of copies)",
    ],
    "only at the origin, which is a kink or a pole": [
        r"atan2/.: .*: np.where\(.*, [01], g \* -?[xy] / \(x \* x \+ y \* y\)\)",
        r"atan2/.: second branch only: g \* -?[xy] / \(x \* x \+ y \* y\)",
        r"pow/x: .*: g \* \(y \* x \*\* \(y [-+] \((y|x|out) == [01]\) - 1\)\)",
        r"pow/x: left side only: g \* \(y \* x \*\* \(y - 1\)\)",
        r"pow/y: .*: g \* \(out \* np.log\(x \+ \(x == 0\)( \* \(\w+ >= [01]\))?\)\)",
        r"pow/y: x → out: .*\(out == 0\)",
        r"exponential/x: x → out: g \* \(out \* _log_of\(other, out\)\)",
        r"exponential/_log_of: .* if base else",
        r"exponential/node: result for operand",
        r"std/x: .*np.where\(out == 0, 1,",
        r"std/x: .*np.where\(out == 1, 0,",
        r"std/x: second branch only: keep\(g / \(2 \* out\)",
        r"norm/norm_slope: .*return (slope|x / out)$",
        r"norm/norm_slope: .*np.where\(.*(slope|x / out)\)$",
    ],
    "no nan is among the points": [
        r"/share: .*mask = .*",
        r"/twice_over: always",
    ],
    "the result says as much as the operand": [
        r"(maximum|minimum)/.: . → out: np.where\(x == y, g / 2",
        r"clamp/\w+: (low|high) → out",
        r"(leaky_relu|softplus)/x: x → out: np.where\(out",
        r"leaky_relu/node: result for operand",
        r"(prod/others|cumprod/_cumprod_rule): x → out: if bare\(out\)",
        r"/\w+: x → out: .*(out.shape|bare\(out\).dtype|out.dtype|ones_like\(bare)",
        r"(max|min|median)/share: keep missing",
    ],
    "the other case does not occur, or comes to the same": [
        r"mean/spread: always",
        r"mean/freedom: ",
        r"choice/_put_back: never",
        r"window_max/bare: never",
        r"cumsum/cumsum_of: never",  # only a recorded g is a tensor: second order
        r"threshold/node: ",
        r"convolution\w*/nothing: another constant",  # either way, there is none
        r"convolution_weight/.: . → \w+: .*nothing",  # its dtype is all that counts
    ],
    "their own rules sum, or their operands have one shape": [
        r"(addmm|mm_t|bce|\w+_loss)/node: (first copy only|mean of copies)",
    ],
    "a staircase: zeros are zeros": [r"(sign|floor|ceil|trunc|round)/node: the"],
}


def reason(mutant) -> str | None:
    """Why a mutant cannot be caught, if it is known."""
    for why, patterns in EQUIVALENT.items():
        if any(re.search(p, str(mutant)) for p in patterns):
            return why
    return None


@pytest.fixture(scope="module")
def verdicts() -> list[tuple]:
    """Every mutant, and what gradcheck says of it."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        found = [m for m in mutants.mutants() if m.name in POINTS]
        return [(m, verdict(m.name, m.operation, m.shared)) for m in found]


def test_every_fault_is_caught(verdicts, capsys):
    count, missed, kinds = collections.Counter(), [], collections.Counter()
    for mutant, said in verdicts:
        count[said.split()[0]] += 1
        if said == "right" and not reason(mutant):
            missed.append(str(mutant))
        if said.startswith(("caught", "refused")):
            kinds[re.sub(r"^\w+ → \w+$", "one name for another", mutant.fault)] += 1
    caught = count["caught"] + count["refused"]
    with capsys.disabled():
        print(f"\n{caught}/{caught + len(missed)} faults caught ({count['refused']} of")
        print(f"them by the engine); {count['crashed']} cannot run, and")
        print(f"{count['right'] - len(missed)} are right after all")
    assert missed == [], "\n".join(missed)
    assert caught >= 1000
    needed = "sign flipped, transpose missing, first copy only, result for operand, "
    needed += "operand for result, links exchanged, operands exchanged, doubled"
    assert not {*needed.split(", ")} - kinds.keys()


def test_what_is_excused_is_needed(verdicts):
    missed = [str(mutant) for mutant, said in verdicts if said == "right"]
    for pattern in (p for patterns in EQUIVALENT.values() for p in patterns):
        assert any(re.search(pattern, m) for m in missed), pattern
