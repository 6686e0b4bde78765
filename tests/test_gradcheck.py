"""Gradcheck: the same verdicts as PyTorch's, and its own promises."""

import inspect
import json
import re
import warnings

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import gradcheck as exported
from minigrad.autograd.function import record
from minigrad.autograd.gradcheck import (
    GradcheckError,
    complex_step_check,
    gradcheck,
    gradgradcheck,
)
from minigrad.rules import PRIMITIVES, define
from tests.reference import record_gradcheck

RECORDED = json.loads(record_gradcheck.PATH.read_text(encoding="utf-8"))["answers"]
NUMBER = re.compile(r"nan|-?\d+\.?\d*(?:e[-+]\d+)?")

# where minigrad says more, or something else: the reason
ELSEWHERE = {
    "a float32 result, fast": "PyTorch trips over two dtypes of its own",
    "shape": "PyTorch compares the two moved outputs only with each other",
    "dtype": "the same, of dtypes",
    "overlapping, one row": "NumPy makes every view of expand read-only",
}


def leaf(value, dtype=torch.float64):
    return torch.tensor(value, dtype=dtype, requires_grad=True)


def op(forward, rule):
    """An operation of one operand, recorded and forgotten."""
    before = dict(PRIMITIVES)
    primitive = define("probe", lambda x: forward(np, x), x=lambda g, x: rule(np, g, x))
    PRIMITIVES.clear()
    PRIMITIVES.update(before)
    return record(primitive, "probe", "ProbeBackward0")


NAMES = {
    "torch": torch,
    "leaf": leaf,
    "op": op,
    "gradcheck": gradcheck,
    "gradgradcheck": gradgradcheck,
}


def agree(message: str, recorded: str, random: bool) -> None:
    """Both say the same, up to advice and to the last digits of numbers."""
    recorded = recorded.partition(" See: ")[0]  # a link; after it, see in_full below
    recorded = recorded.partition("\n\nNOTE")[0].rstrip().rstrip(".")
    words, theirs = NUMBER.sub("#", message), NUMBER.sub("#", recorded)
    assert "".join(theirs.split()) in "".join(words.split())
    if random:
        return
    count = len(NUMBER.findall(recorded))
    ours = np.array(NUMBER.findall(message)[:count], float)
    np.testing.assert_allclose(
        ours, np.array(NUMBER.findall(recorded), float), rtol=1e-5, atol=2e-4
    )


@pytest.mark.parametrize("name", sorted(RECORDED.keys() - ELSEWHERE))
def test_verdicts_are_those_of_pytorch(name):
    (value, said), (expected, warned) = (
        record_gradcheck.outcome(record_gradcheck.programs()[name], NAMES),
        RECORDED[name],
    )
    if isinstance(expected, list):
        assert value[0] == expected[0]
        agree(
            value[1],
            expected[1],
            random="one order of two" in name or name == "float32",
        )
    else:
        assert value is expected
    said = [w for w in said if "is at a kink" not in w[1]]
    assert [w[0] for w in said] == [w[0] for w in warned]
    for (_, ours), (_, theirs) in zip(said, warned, strict=True):
        assert theirs.strip() in ours


def test_the_recorded_programs_are_all_there():
    assert record_gradcheck.programs().keys() == RECORDED.keys()


@pytest.mark.parametrize("name", ["shape", "dtype"])
def test_an_output_that_changes_its_kind_is_refused(name):
    program = record_gradcheck.programs()[name]
    with pytest.raises(AssertionError, match=f"outputs with the same {name}"):
        eval(program, NAMES)


def test_what_is_read_only_is_refused():
    for x in (leaf([1.0, 2.0]).expand(1, 2), torch.zeros(2, dtype=torch.float64)):
        x._array.flags.writeable = False
        with pytest.raises(RuntimeError, match=r"read-only.*\(Chapter 13\)"):
            gradcheck(lambda x: x * 2, x.requires_grad_())
        assert gradcheck(lambda x: x * 2, x.clone())


def test_float32_results_of_float64_inputs_fail_in_fast_mode_too():
    with pytest.raises(GradcheckError, match="mismatch"):
        eval(record_gradcheck.programs()["a float32 result, fast"], NAMES)


def test_fast_mode_shows_the_jacobians_after_a_fault():
    bad = op(lambda m, x: m.sin(x), lambda m, g, x: -g * m.cos(x))
    for fast, words in ((True, "in slow mode:"), (False, "numerical:tensor")):
        with pytest.raises(GradcheckError) as error:
            gradcheck(bad, leaf([0.5, 1.0]), fast_mode=fast)
        assert words in str(error.value)
        assert "2 of 4 entries differ, the first in row 0" in str(error.value)
        assert str(error.value).endswith("(Chapter 13)")


def test_fast_mode_names_a_difference_that_slow_mode_lets_pass():
    # each entry is within tolerance of itself; their difference, a small sum, is not
    wide = op(lambda m, x: x * np.sign(x), lambda m, g, x: g * np.sign(x) * 1.00099)
    assert gradcheck(wide, leaf([1.0, -2.0]))
    mixed = op(
        lambda m, x: x * np.array([1.0, -1.0]),
        lambda m, g, x: g * np.array([1.00099, -0.99901]),
    )
    assert gradcheck(mixed, leaf([1.0, 2.0]))
    with pytest.raises(GradcheckError, match=r"slow_mode! .*\(Chapter 13\)"):
        gradcheck(mixed, leaf([1.0, 2.0]), fast_mode=True)


@pytest.mark.parametrize("fast", [False, True])
@pytest.mark.parametrize("at_call", [2, 3, 4, 5])
def test_inputs_are_put_back_after_an_error(fast, at_call):
    calls = []

    def breaks(x):
        calls.append(0)
        if len(calls) >= at_call:
            raise KeyError("its own")
        return x * x

    x = leaf([1.0, 2.0, 3.0])
    with pytest.raises(KeyError):
        gradcheck(breaks, x, fast_mode=fast)
    assert x.tolist() == [1.0, 2.0, 3.0]
    assert x.grad is None


def test_inputs_are_put_back_bit_by_bit():
    values = np.random.default_rng(0).standard_normal((3, 4)) * 10.0 ** np.arange(4)
    x = torch.tensor(values, requires_grad=True)
    assert gradcheck(lambda x: x * 2, x)
    assert x.detach().numpy().tobytes() == values.tobytes()


def test_zero_dimensional_inputs_and_outputs():
    assert gradcheck(lambda x, y: (x * y, x.exp()), (leaf(2.0), leaf([1.0, 2.0])))
    assert gradgradcheck(lambda x, y: x * y, (leaf(2.0), leaf([1.0, 2.0])))


def test_inputs_that_are_results():
    x = leaf([1.0, 2.0]) * 1
    assert gradcheck(lambda x: x.sin(), x)
    assert gradcheck(lambda x: x.t().exp(), leaf([[1.0, 2.0], [3.0, 4.0]]).t())


def test_a_gradient_of_another_size_is_refused():
    grow = op(lambda m, x: x.sum(keepdims=True), lambda m, g, x: np.zeros(3))
    with pytest.raises(GradcheckError, match="incorrect size"):
        gradcheck(grow, leaf([1.0, 2.0]) * 1)


def test_a_rule_that_adds_something_when_an_output_is_unused():
    calls = []

    def func(x):
        calls.append(0)
        extra = len(calls) > 5  # 2 calls, 2 for the element, 1 for zeros; then it lies
        late = op(lambda m, x: x * 1, lambda m, g, x: g + extra)
        return late(x), x * 2

    with pytest.raises(GradcheckError, match="undefined or zero"):
        gradcheck(func, leaf([1.0]))
    calls.clear()
    assert gradcheck(func, leaf([1.0]), check_undefined_grad=False)


# ------------------------------------------------------------------------- warnings


def test_a_kink_is_named():
    with pytest.warns(UserWarning, match=r"on index \(1,\) is at a kink") as caught:
        assert gradcheck(lambda x: x.abs(), leaf([2.0, 0.0, 1.0]))
    assert len(caught) == 1
    assert "-1 to the left and 1 to the right" in str(caught[0].message)
    with pytest.warns(UserWarning, match="is at a kink"):
        gradcheck(lambda x: x.abs(), leaf([2.0, 0.0, 1.0]), fast_mode=True)


@pytest.mark.parametrize("fast", [False, True])
def test_warnings_point_to_the_caller(fast):
    with pytest.warns(UserWarning) as caught:
        gradcheck(lambda x: x.abs(), leaf([0.0]), fast_mode=fast)
        gradcheck(lambda x: x * x, leaf([1.0], torch.float32), fast_mode=fast, atol=1)
        dice = iter([1.0, 2.0] * 10)
        gradcheck(
            lambda x: x * next(dice), leaf([1.0]), fast_mode=fast, raise_exception=False
        )
    assert len(caught) == 3
    assert {w.filename for w in caught} == {__file__}


def test_a_kink_is_named_once_in_fast_mode_too():
    with pytest.warns(UserWarning) as caught:
        assert not gradcheck(
            lambda x: x.relu(), leaf([0.0]), fast_mode=True, raise_exception=False
        )
    assert len(caught) == 1


@pytest.mark.parametrize("near", [2e-7, -2e-7, 9e-7, -9e-7, 0.0])
def test_a_kink_within_the_step_is_found(near):
    with pytest.warns(UserWarning, match="is at a kink"):
        gradcheck(lambda x: x.relu(), leaf([near]), raise_exception=False)


@pytest.mark.parametrize(
    "smooth",
    [
        lambda x: 1e4 * x * x,
        lambda x: (30 * x).sin() * 100,
        lambda x: x.exp() * 1e3,
        lambda x: 1 / x,
        lambda x: x.pow(5) * 1e5,
    ],
)
@pytest.mark.parametrize("at", [-0.3, 0.01, 3.0])
def test_what_is_smooth_is_no_kink(smooth, at):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradcheck(smooth, leaf([at]), atol=1.0)


def test_a_function_that_throws_dice():
    with pytest.warns(UserWarning, match="differs between two calls") as caught:
        assert not gradcheck(
            lambda x: x * torch.rand(2, dtype=torch.float64),
            leaf([1.0, 2.0]),
            raise_exception=False,
        )
    assert len(caught) == 1


def test_float32_is_warned_of_once_for_each_input():
    x = leaf([0.5], torch.float32)
    with pytest.warns(UserWarning, match="not a double") as caught:
        gradcheck(lambda x, y: x + y, (x, x * 1), raise_exception=False)
    assert [str(w.message)[:8] for w in caught] == ["Input #0", "Input #1"]


# -------------------------------------------------------------------------- options


@pytest.mark.parametrize(
    ("options", "chapter"),
    [
        ({"check_batched_grad": True}, 14),
    ],
)
def test_what_is_not_built_yet_says_where_it_will_be(options, chapter):
    with pytest.raises(NotImplementedError, match=rf"\(Chapter {chapter}\)$"):
        gradcheck(lambda x: x, leaf([1.0]), **options)


def test_signatures():
    assert exported is gradcheck
    assert issubclass(GradcheckError, RuntimeError)
    names = (
        "func inputs eps atol rtol raise_exception nondet_tol check_undefined_grad "
        "check_grad_dtypes check_batched_grad check_batched_forward_grad "
        "check_forward_ad check_backward_ad fast_mode masked"
    )
    assert [*inspect.signature(gradcheck).parameters] == names.split()
    names = (
        "func inputs grad_outputs eps atol rtol gen_non_contig_grad_outputs "
        "raise_exception nondet_tol check_undefined_grad check_grad_dtypes "
        "check_batched_grad check_fwd_over_rev check_rev_over_rev fast_mode masked"
    )
    assert [*inspect.signature(gradgradcheck).parameters] == names.split()


def test_weights_of_second_order_are_the_same_in_every_run():
    seen = []

    def func(x):
        return op(lambda m, x: x * 1, lambda m, g, x: (seen.append(g.tolist()), g)[1])(
            x
        )

    runs = []
    for _ in range(2):
        seen.clear()
        torch.manual_seed(len(runs))
        gradgradcheck(func, leaf([1.0, 2.0]), raise_exception=False)
        runs.append(list(seen))
    assert runs[0] == runs[1]


def test_the_state_of_the_generator_is_left_alone():
    torch.manual_seed(3)
    expected = torch.rand(2).tolist()
    torch.manual_seed(3)
    gradcheck(lambda x: x.sin(), leaf([1.0]), fast_mode=True)
    gradgradcheck(lambda x: x.sin(), leaf([1.0]))
    assert torch.rand(2).tolist() == expected


# --------------------------------------------------------------------- complex steps


def test_complex_steps_see_what_differences_cannot():
    nearly = op(lambda m, x: m.sin(x), lambda m, g, x: g * m.cos(x) * (1 + 1e-7))
    assert gradcheck(nearly, leaf([0.5, 1.0]))

    def both(x):
        return nearly(x) if isinstance(x, torch.Tensor) else np.sin(x)

    with pytest.raises(GradcheckError, match="2 of 4 entries differ"):
        complex_step_check(both, leaf([0.5, 1.0]))


def test_complex_steps_of_several_inputs_and_outputs():
    a, b = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[0.5], [-1.0]])
    constant = torch.tensor([[2.0], [1.0]], dtype=torch.float64)
    assert complex_step_check(
        lambda a, b, c: (np.exp(a @ b) * c, np.sin(b), a / 3), (a, b, constant)
    )


def test_a_function_that_is_not_analytic_is_refused():
    with pytest.raises(RuntimeError, match=r"imaginary part|analytic"):
        complex_step_check(lambda x: np.abs(x), leaf([0.5, -1.0]))
