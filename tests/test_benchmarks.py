"""The benchmarks compute what they claim to compare. Nothing here is timed."""

import numpy as np
import pytest

import minigrad
from benchmarks import scale
from benchmarks.harness import (
    GradientsDiffer,
    Spread,
    Timing,
    Workload,
    check_gradients,
    compare,
)
from benchmarks.run import judge, parse
from benchmarks.targets import AIMS, LIMITS, Aim, aims
from benchmarks.workloads import MLP, TINY, WORKLOADS, ScalarNet
from benchmarks.workloads.operators import OPERATORS, Recording

# --------------------------------------------------------------------- workloads


@pytest.mark.parametrize("workload", TINY, ids=lambda workload: workload.name)
def test_gradients_of_minigrad_are_those_by_hand(workload):
    steps = workload.candidates({"minigrad": minigrad})
    assert set(steps) - {"loop", "eager"} == {"hand", "minigrad"}
    check_gradients(steps)
    check_gradients(steps)  # a second step begins with empty gradients


@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_operators_by_hand_and_in_minigrad_agree(operator):
    steps = operator.candidates({"minigrad": minigrad})
    check_gradients(steps)
    assert all(np.abs(g).max() > 0 for g in steps["hand"]())


def test_recording_is_measured_on_the_same_product():
    check_gradients(Recording().candidates({"minigrad": minigrad}))


@pytest.mark.parametrize("workload", TINY, ids=lambda workload: workload.name)
def test_gradients_by_hand_are_not_zero_and_float32(workload):
    for gradient in workload.hand()():
        assert gradient.dtype == np.float32
        assert np.abs(gradient).max() > 0


def test_gradients_by_hand_of_the_network_are_central_differences():
    workload = MLP("mlp", widths=(4, 3, 2), batch=5)
    weights = [w.astype(np.float64) for w in workload.weights]
    found = workload.hand()()
    for k, w in enumerate(weights):
        for index in np.ndindex(w.shape):
            values = []
            for shift in (1e-6, -1e-6):
                moved = [v.copy() for v in weights]
                moved[k][index] += shift
                values.append(
                    workload.loss(workload.x, workload.target, moved, np.tanh)
                )
            expected = (values[0] - values[1]) / 2e-6
            assert found[k][index] == pytest.approx(expected, rel=1e-3, abs=1e-5)


def test_a_training_step_of_the_network_changes_the_parameters_alike():
    workload = MLP("mlp", widths=(4, 3, 2), batch=5)
    hand, mini = workload.hand(), workload.minigrad(minigrad)
    first = hand()
    mini()
    for _ in range(200):
        by_hand, by_minigrad = hand(), mini()
    assert any(np.abs(a - b).max() > 1e-3 for a, b in zip(first, by_hand, strict=True))
    for a, b in zip(by_hand, by_minigrad, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-6)


def test_the_scalar_network_has_the_size_that_its_description_says():
    workload = WORKLOADS["scalar-net"]
    assert isinstance(workload, ScalarNet)
    counted = [0]

    class Counter:
        def count(self, *others):
            counted[0] += 1
            return self

        __add__ = __radd__ = __mul__ = __rmul__ = relu = count

    one = Counter()
    layers = [[[one for _ in row] for row in rows] for rows in workload.layers]
    points = [[one, one] for _ in workload.x]
    workload.loss(layers, points, lambda x: x.relu())
    assert counted[0] == pytest.approx(65_000, rel=0.02)


def test_every_workload_has_a_name_a_description_and_an_aim():
    for name, workload in WORKLOADS.items():
        assert isinstance(workload, Workload)
        assert workload.name == name and workload.measures
    assert set(AIMS) == set(WORKLOADS)


# ----------------------------------------------------------------------- harness


def constant(*values):
    return lambda: [np.array(value, np.float32) for value in values]


class Clock:
    """A clock that each step moves on by a known amount."""

    now = 0.0

    def __call__(self):
        return self.now

    def step(self, *durations):
        """A step that takes each of these times in turn, then the last for ever."""
        left = list(durations)

        def step():
            self.now += left.pop(0) if len(left) > 1 else left[0]
            return [np.ones(2, np.float32)]

        return step


def test_spread_is_median_and_quartiles():
    assert Spread.of([5, 1, 3, 2, 4]) == Spread(2.0, 3.0, 4.0)
    assert Spread.of([7]) == Spread(7.0, 7.0, 7.0)


def test_ratios_are_taken_within_rounds():
    # the machine becomes ten times slower half-way: no ratio notices
    timing = Timing({"hand": [1, 1, 10, 10, 10], "minigrad": [2, 2, 20, 20, 20]})
    assert timing.ratio("minigrad", "hand") == Spread(2.0, 2.0, 2.0)
    # and it is not the ratio of the medians
    timing = Timing({"hand": [1.0, 2.0, 4.0], "minigrad": [4.0, 2.0, 2.0]})
    assert timing.ratio("minigrad", "hand").median == 1.0
    assert timing.seconds("hand").median == 2.0


def test_compare_interleaves_and_measures():
    clock = Clock()
    steps = {"hand": clock.step(1.0), "minigrad": clock.step(3.0)}
    timing = compare(steps, seconds=0, least=4, clock=clock)
    assert timing.rounds == {"hand": [1.0] * 4, "minigrad": [3.0] * 4}
    assert timing.ratio("minigrad", "hand").median == 3.0


def test_compare_rotates_the_order():
    order = []

    def step(name):
        def run():
            order.append(name)
            clock.now += 1.0
            return [np.ones(1)]

        return run

    clock = Clock()
    compare({"hand": step("a"), "b": step("b")}, seconds=0, least=4, clock=clock)
    assert "".join(order[-8:]) == "abbaabba"


def test_short_steps_are_repeated():
    clock = Clock()
    steps = {"hand": clock.step(1e-3)}
    timing = compare(steps, seconds=0, least=1, clock=clock)
    assert timing.rounds["hand"] == [pytest.approx(1e-3)]
    assert clock.now == pytest.approx(1e-3 * (1 + 2 + 5))  # check, calibrate, measure


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (constant([1.0, 2.1]), "gradient 0 is off by 0.1"),
        (constant([[1.0, 2.0]]), "shape"),
        (constant([1.0, np.nan]), "off by nan"),
        (constant([1.0, 2.0], [1.0]), "2 gradients"),
        (constant(), "0 gradients"),
    ],
)
def test_nothing_is_timed_when_gradients_differ(other, message):
    def clock():
        raise AssertionError("somebody looked at the clock")

    with pytest.raises(GradientsDiffer, match=message):
        compare({"hand": constant([1.0, 2.0]), "minigrad": other}, clock=clock)


def test_a_difference_by_rounding_is_no_difference():
    check_gradients({"hand": constant([1.0, 2.0]), "b": constant([1.0, 2.0001])})


def test_a_library_without_the_workload_is_left_out():
    class OnlyByHand(Workload):
        def hand(self):
            return constant([1.0])

    assert set(OnlyByHand().candidates({"autograd": None})) == {"hand"}


# ----------------------------------------------------------------------- targets


def test_verdicts_say_by_how_much():
    assert Aim("hand", 1.25).verdict(1.0) == "met, 20% to spare"
    assert Aim("hand", 1.25).verdict(1.25) == "met, 0% to spare"
    assert Aim("hand", 1.25).verdict(1.5) == "missed by 20%"


def test_aims_are_those_that_can_be_judged():
    assert aims("mlp-small", {"hand", "minigrad"}) == [Aim("hand", 1.25)]
    everybody = {"hand", "minigrad", "torch", "mygrad", "micrograd"}
    assert aims("scalar-net", everybody) == [
        Aim("micrograd", 1 / 8),
        Aim("mygrad", 1.0),
    ]


def test_judge_compares_with_the_right_peer():
    timing = Timing({"hand": [1.0], "minigrad": [2.0], "torch": [4.0]})
    assert judge("chain-1", timing) == ["≤ 0.4 × PyTorch: 0.5, missed by 25%"]
    timing = Timing({"hand": [1.0], "minigrad": [2.0], "torch": [10.0]})
    assert judge("chain-1", timing) == ["≤ 0.4 × PyTorch: 0.2, met, 50% to spare"]


def test_command_line():
    assert parse([]).names == [*WORKLOADS, "operators", "growth", "memory", "import"]
    assert parse(["ladder", "--quick"]).names == ["ladder"]
    with pytest.raises(SystemExit):
        parse(["no-such-workload"])


# ------------------------------------------------------------------------- scale


def test_graphs_of_scale_have_the_gradient_that_they_claim():
    for build in (scale.chain, scale.diamonds, scale.fan):
        x, y = build(minigrad, 40)
        y.backward()
        assert x.grad.item() == pytest.approx(1.0)


def test_limits_are_attached_to_what_they_limit():
    found = scale.growth(minigrad, lengths=(40, 80), repeats=1)
    limited = [measure for measure in found if measure.limit is not None]
    assert len(limited) == 3 and len(found) == 9
    assert {measure.limit for measure in limited} == {LIMITS["growth"]}
    (memory,) = scale.memory(minigrad)
    assert memory.limit == LIMITS["memory"]
