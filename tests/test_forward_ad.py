"""Forward mode: JVPs against VJPs, against differences, and what PyTorch does."""

import importlib
import json
from functools import partial

import numpy as np
import pytest

import minigrad as torch
import minigrad.autograd.forward_ad as fwAD  # noqa: N812
from minigrad.autograd.function import record
from minigrad.autograd.gradcheck import GradcheckError
from minigrad.rules import PRIMITIVES
from tests import operators
from tests.reference import record_forward
from tests.test_mutations import POINTS, SEVERAL, TABLE, WITHOUT, constant

pytestmark = pytest.mark.filterwarnings("ignore")
RECORDED = json.loads(record_forward.FILE.read_text(encoding="utf-8"))
LISTS = [
    value
    for chapter in ("ch09", "ch10")
    for value in vars(importlib.import_module(f"tests.operators.{chapter}")).values()
    if isinstance(value, (list, tuple))
]
CASES = {
    case: 0 for cases in LISTS for case in cases if isinstance(case, operators.Case)
}
CASES = [case for case in CASES if case.sample not in ("extreme", "empty")]


REFUSALS = IndexError, RuntimeError, TypeError, ValueError
NO_DERIVATIVE = "forward AD with aten::floor_divide that does not support it"


def first(case, x, y):
    """The first result of a case."""
    out = eval(case.expression, {"torch": torch, "x": x, "y": y})
    return out[0] if isinstance(out, tuple) else out


def pushed(function, inputs, moves):
    """The tangent of a result, when the inputs move: None stands still."""
    with fwAD.dual_level():
        pairs = zip(inputs, moves, strict=True)
        duals = [x if v is None else fwAD.make_dual(x, v) for x, v in pairs]
        return fwAD.unpack_dual(function(*duals)).tangent


def agree(function, inputs, moves, rng, near=1e-9):
    """Compare u times Jv with J'u times v; return whether there was a history."""
    leaves = [
        t.clone().requires_grad_(v is not None)
        for t, v in zip(inputs, moves, strict=True)
    ]
    out = function(*leaves)
    tangent = pushed(function, inputs, moves)
    if not out.requires_grad:  # a constant for both modes
        assert tangent is None or not np.any(tangent.numpy())
        return False
    if tangent is None:  # what moves has been written over
        tangent = torch.zeros_like(out.detach())
    assert tangent.shape == out.shape
    assert tangent.dtype == out.dtype
    u = torch.tensor(rng.standard_normal(out.shape))
    moving = [k for k, v in enumerate(moves) if v is not None]
    asked = [leaves[k] for k in moving]
    pulled = torch.autograd.grad(out, asked, u, allow_unused=True)
    pairs = [(g, moves[k]) for k, g in zip(moving, pulled, strict=True)]
    expected = sum(float((g * v).sum()) for g, v in pairs if g is not None)
    if np.isfinite(expected):
        assert float((tangent * u).sum()) == pytest.approx(expected, near, 1e-9)
    return True


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_forward_and_reverse_mode_agree(case):
    rng = np.random.default_rng(0)
    inputs = [t.detach() for t in operators.operands(torch, case, "float64")]
    moves = [torch.tensor(rng.standard_normal(t.shape)) for t in inputs]
    try:
        first(case, *inputs)
    except REFUSALS as refused:  # a case about an error: with tangents the same one
        with pytest.raises(type(refused)) as found:
            pushed(lambda *xs: first(case, *xs), inputs, moves)
        assert str(found.value) == str(refused)
        return
    if "//" in case.expression or "floor_divide" in case.expression:
        with pytest.raises(NotImplementedError, match=NO_DERIVATIVE):
            pushed(lambda *xs: first(case, *xs), inputs, moves)
        return
    agree(lambda *xs: first(case, *xs), inputs, moves, rng)


@pytest.mark.parametrize("name", POINTS)
def test_every_primitive_in_both_modes(name):
    """Each operand moves alone, and all of them together."""
    rng = np.random.default_rng(0)
    operation = record(PRIMITIVES[name], name, "ForwardBackward0")
    for operands, params in POINTS[name]:
        inputs = [torch.tensor(v, dtype=torch.float64) for v in operands]
        moves = [torch.tensor(rng.standard_normal(x.shape)) for x in inputs]
        moves = [
            None if constant(v) else w for v, w in zip(operands, moves, strict=True)
        ]
        masks = [[v if k == j else None for k, v in enumerate(moves)]
                 for j in range(len(moves))]  # fmt: skip
        for some in (moves, *masks):
            if any(v is not None for v in some):
                assert agree(partial(operation, **params), inputs, some, rng)


def test_every_primitive_has_points_and_every_rule_a_primitive():
    several = {name for name in TABLE if SEVERAL.fullmatch(name)}
    assert TABLE - POINTS.keys() - WITHOUT.keys() == several
    assert fwAD.RULES.keys() - TABLE == {"cat", "stack", "einsum"}  # cat2, cat3 …
    trick = {name for name in TABLE if fwAD.rule_of(name) is fwAD._twice}
    fused = "addmm mm_t mse_loss smooth_l1_loss huber_loss bce bce_logits nll_loss "
    fused += "cross_entropy standardise elu "  # Chapter 17: in one node, rarely asked
    linear = (
        "convolution convolution_input convolution_weight im2col col2im window_max "
    )
    linear += "window_pick window_put window_mean window_spread "  # Chapter 20
    linear += "gelu_tanh shares"  # Chapter 21
    rows = {"enter", "leave", "lift", "sum_rows"}
    places = {"overwritten", "taken_over", "copy_slices"}
    assert trick - rows == places | {*(fused + linear).split()}


def moving(name):
    """For each point of a primitive: its inputs, and how they move."""
    rng = np.random.default_rng(2)
    for operands, params in POINTS[name]:
        inputs = [torch.tensor(v, dtype=torch.float64) for v in operands]
        moves = [torch.tensor(rng.standard_normal(x.shape)) for x in inputs]
        pairs = zip(operands, moves, strict=True)
        yield inputs, [None if constant(v) else w for v, w in pairs], params, rng


@pytest.mark.parametrize("name", POINTS)
def test_every_rule_is_what_two_vjps_give(name, monkeypatch):
    operation = record(PRIMITIVES[name], name, "ForwardBackward0")
    for inputs, moves, params, _ in moving(name):
        function = partial(operation, **params)
        own = pushed(function, inputs, moves).numpy()
        with monkeypatch.context() as patch:
            patch.setattr(fwAD, "rule_of", lambda name: fwAD._twice)
            twice = pushed(function, inputs, moves).numpy()
        finite = np.isfinite(own)  # at a corner, 0 times infinity
        np.testing.assert_allclose(own[finite], twice[finite], 1e-9, 1e-12)


@pytest.mark.parametrize("name", POINTS)
def test_forward_over_reverse_is_reverse_over_reverse(name):
    """The gradient of each primitive, differentiated along the same v twice."""
    operation = record(PRIMITIVES[name], name, "ForwardBackward0")
    for inputs, moves, params, rng in moving(name):
        for x, v in zip(inputs, moves, strict=True):
            x.requires_grad_(v is not None)
        asked = [x for x in inputs if x.requires_grad]
        along = [v for v in moves if v is not None]
        u = torch.tensor(rng.standard_normal(operation(*inputs, **params).shape))

        def loss(*xs, u=u, params=params):
            return (operation(*xs, **params).exp() * u).sum()

        with fwAD.dual_level():
            duals = [*map(fwAD.make_dual, asked, along)]
            left = iter(duals)
            given = [
                x if v is None else next(left)
                for x, v in zip(inputs, moves, strict=False)
            ]
            found = torch.autograd.grad(loss(*given), duals, allow_unused=True)
            ahead = [None if g is None else fwAD.unpack_dual(g).tangent for g in found]
        slopes = torch.autograd.grad(
            loss(*inputs), asked, create_graph=True, allow_unused=True
        )
        bent = [
            (g * v).sum() for g, v in zip(slopes, along, strict=False) if g is not None
        ]
        bent = sum(
            [y for y in bent if y.requires_grad], 0 * sum(x.sum() for x in asked)
        )
        twice = torch.autograd.grad(bent, asked)
        for a, b in zip(ahead, twice, strict=True):
            a = np.zeros(b.shape) if a is None else a.numpy()
            b = b.numpy()
            both = np.isfinite(a) & np.isfinite(b)
            np.testing.assert_allclose(a[both], b[both], 1e-8, 1e-10)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, y: torch.cat([x, y, x * y]),
        lambda x, y: torch.cat([x, y], 1),
        lambda x, y: torch.einsum("ij,kj->ik", x, y),
        lambda x, y: torch.einsum("ij,ij,ij->j", x, y, x),
        lambda x, y: x.clone().copy_(y * y),
        lambda x, y: (x * 1).index_put_((torch.tensor([0]),), y[1]),
        lambda x, y: (x * 1).masked_fill_(x > 0, 2.0).add_(y),
        lambda x, y: (x * y).sin_().clamp_(-0.5, 0.5),
        lambda x, y: (x * 1).fill_(y[0, 0]).mul_(x),
        lambda x, y: (x * 1).zero_().add_(y, alpha=2.0).sub_(x),
    ],
)
def test_operations_of_several_operands_and_changes_in_place(function):
    rng = np.random.default_rng(1)
    inputs = [torch.tensor(rng.standard_normal((2, 3))) for _ in range(2)]
    moves = [torch.tensor(rng.standard_normal((2, 3))) for _ in range(2)]
    for some in (moves, [moves[0], None], [None, moves[1]]):
        assert agree(function, inputs, some, rng)


def jvp(f, x, v):
    """The tangent of f at x along v."""
    with fwAD.dual_level():
        return fwAD.unpack_dual(f(fwAD.make_dual(x, v))).tangent


STEPS = [
    lambda x: x.sin() * x,
    lambda x: x @ x.T @ x,
    lambda x: torch.softmax(x, 1) + x,
    lambda x: x.cumsum(0).flip(1),
    lambda x: x - x.mean(0, keepdim=True),
    lambda x: x / (1 + x.norm()),
    lambda x: torch.cat([x[1:], x[:1].exp()]),
    lambda x: x + x.amax(1, keepdim=True),
    lambda x: x.clone().mul_(x).add_(1),
]


@pytest.mark.parametrize("seed", range(20))
def test_random_programs_against_central_differences(seed):
    rng = np.random.default_rng(seed)
    steps = [STEPS[k] for k in rng.integers(len(STEPS), size=3)]
    x, v = (torch.tensor(0.4 * rng.standard_normal((3, 3))) for _ in range(2))

    def program(x):
        for step in steps:
            x = step(x).tanh()
        return x

    h = 1e-6
    nearly = (program(x + h * v) - program(x - h * v)) / (2 * h)
    np.testing.assert_allclose(jvp(program, x, v).numpy(), nearly.numpy(), atol=1e-7)


def test_hessian_vector_product_by_both_routes():
    w = torch.tensor([0.3, -0.7, 1.1], dtype=torch.float64, requires_grad=True)
    v = torch.tensor([1.0, 2.0, -1.0], dtype=torch.float64)
    for loss in (
        lambda w: torch.logsumexp(w * w, 0) * w.sin().prod(),
        lambda w: torch.softmax(w, 0).norm() + w.var() * w[0],
        lambda w: torch.linalg.det(torch.outer(w, w) + torch.eye(3, dtype=w.dtype)),
    ):
        slope = jvp(loss, w, v)
        (mixed,) = torch.autograd.grad(slope, w)
        (g,) = torch.autograd.grad(loss(w), w, create_graph=True)
        (twice,) = torch.autograd.grad((g * v).sum(), w)
        np.testing.assert_allclose(mixed.numpy(), twice.numpy(), rtol=1e-9)


def test_no_grad_does_not_stop_tangents_and_records_nothing():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.no_grad():
        tangent = jvp(lambda x: x.prod() * x, x, torch.ones(2))
    assert tangent.tolist() == [5.0, 8.0]
    assert not tangent.requires_grad


def test_in_place_under_no_grad_moves_the_tangent():
    with torch.no_grad():
        tangent = jvp(lambda x: (x * 1).mul_(x), torch.tensor([3.0]), torch.ones(1))
    assert tangent.tolist() == [6.0]


def test_what_is_drawn_at_random_has_no_tangent():
    one = torch.ones(2)
    for draw in ("uniform_", "normal_"):
        moved = jvp(lambda x, draw=draw: getattr(x * 1, draw)(), one, one)
        assert not moved.numpy().any()


def test_the_tangent_is_gone_after_the_level_and_the_flag_is_back():
    special = torch.autograd.function.special
    with fwAD.dual_level():
        dual = fwAD.make_dual(torch.ones(1), torch.ones(1))
        with pytest.raises(RuntimeError, match="Nested forward mode AD is not supp"):
            fwAD.enter_dual_level()
    assert fwAD.unpack_dual(dual).tangent is None
    assert torch.autograd.function.special == special


@pytest.mark.parametrize("program", record_forward.REFUSED)
def test_refusals_begin_with_the_words_of_pytorch(program):
    kind, words = RECORDED["errors"][program]
    ours = record_forward.refusal(torch, program)
    assert ours[0] == kind
    assert ours[1].startswith(words.rstrip("."))
    assert ours[1].endswith("(Chapter 15)")


@pytest.mark.parametrize("program", record_forward.PROGRAMS)
def test_tangents_are_those_of_pytorch(program):
    expected = RECORDED["tangents"][program]
    found = record_forward.answer(torch, program)
    if expected is None or found is None:
        assert not np.any(expected or 0.0)
        assert not np.any(found or 0.0)
    else:
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_power_of_zero_and_the_precision_of_its_log():
    """The values are PyTorch's."""
    x = torch.tensor([-1.5, 0.0, 0.7], dtype=torch.float64, requires_grad=True)
    for base, expected in (
        (0.0, [-np.inf, 0.0, 0.0]),
        (2.0, [0.2450645358671368, 0.6931471805599453, 1.1260209168747677]),
    ):
        (g,) = torch.autograd.grad((base**x).sum(), x, create_graph=True)
        np.testing.assert_allclose(g.detach().numpy(), expected, 1e-14)


def test_func_jvp_is_forward_mode_and_nests():
    def f(x):
        return x[0] ** 2 * x[1] + x[1] ** 3

    x = torch.tensor([1.0, 2.0], dtype=torch.float64)
    one = torch.ones_like(x)

    def slope(x):
        return torch.func.jvp(f, (x,), (one,))[1]

    value, moved = torch.func.jvp(slope, (x,), (one,))
    assert (value.item(), moved.item()) == (17.0, 20.0)
    assert not moved.requires_grad
    assert torch.func.hessian(f)(x).tolist() == [[4.0, 2.0], [2.0, 12.0]]


def test_gradcheck_sees_a_wrong_jvp():
    class Wrong(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_forward(x)
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g * ctx.saved_tensors[0]

        @staticmethod
        def jvp(ctx, t):
            return 3 * t * ctx.saved_tensors[0]

    x = torch.tensor([0.5, 1.5], dtype=torch.float64, requires_grad=True)
    for fast in (False, True):
        with pytest.raises(GradcheckError, match="with forward"):
            torch.autograd.gradcheck(
                Wrong.apply, x, check_forward_ad=True, fast_mode=fast
            )
        assert torch.autograd.gradcheck(
            torch.sin, x, check_forward_ad=True, fast_mode=fast
        )
    assert torch.autograd.gradgradcheck(torch.sin, x, check_fwd_over_rev=True)
