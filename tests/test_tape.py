"""GradientTape: against the engine, PyTorch's recorded gradients, and differences."""

import re
import warnings

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import minigrad as torch
from minigrad.tape import GradientTape
from minigrad.tensor import mode
from tests.operators import numbers, operands
from tests.test_operators import CASES, PRECISION, RECORDED, near
from tests.test_programs import ALL, examples, inputs, made, programs, tensors

ODD = {"0 ** x", "x.norm(1.5)", "torch.abs(x)"}  # corners, where twins have a say
ODD |= {"torch.remainder(x, y)", "torch.fmod(x, y)", "x ** y"}


@pytest.fixture(autouse=True)
def no_tape_is_left():
    yield
    assert getattr(mode, "tapes", ()) == ()


def agree(found, expected, within) -> bool:
    """Whether gradients agree; zeros may stand for None, where nothing flows."""
    for d, e in zip(map(numbers, found), expected, strict=True):
        if d is None or e is None:
            if any(d or []) or any(e or []):
                return False
        elif not near(d, e, within):
            return False
    return True


def differentiated() -> list[str]:
    """The cases whose gradient PyTorch has recorded, without the corners."""
    return [
        name
        for name, (case, dtype) in CASES.items()
        if not {"extreme", "empty"} & {*re.findall(r"\w+", name)}
        and "first" in (RECORDED.get(name) or RECORDED[case.id][dtype])
        and case.expression not in ODD
    ]


@pytest.mark.parametrize("name", differentiated())
def test_gradients_are_those_that_pytorch_recorded(name):
    case, dtype = CASES[name]
    expected = RECORDED[name] if name in RECORDED else RECORDED[case.id][dtype]
    xs = [x.detach() for x in operands(torch, case, dtype)]
    with warnings.catch_warnings(), GradientTape() as outer:
        warnings.simplefilter("ignore")
        outer.watch(xs)
        with GradientTape() as inner:
            inner.watch(xs)
            out = eval(case.expression, dict(zip("xy", xs, strict=True), torch=torch))
            out = out[0] if isinstance(out, tuple) else out
            weights = torch.arange(1, out.numel() + 1).reshape(out.shape)
            total = (out * weights.to(out.dtype) / 8).sum()
        first = inner.gradient(total, xs)
        squares = sum((d * d).sum() for d in first if d is not None)
    within = 10 * PRECISION[dtype]
    assert agree(first, expected["first"], within)
    if "second" in expected:
        assert agree(outer.gradient(squares, xs), expected["second"], within)


def run(program, values):
    """A program of `tests.test_programs`, kept small; one number."""
    values = list(values)
    start = len(values)
    for name, first, second, k in program:
        x, y = values[-1 - first % len(values)], values[-1 - second % len(values)]
        values.append(torch.tanh(ALL[name](x, y, k)))
    total = values[0].sum() * 0
    for z in values[start:]:
        total = total + z.mean()
    return total


@examples(300)
@given(programs(ALL), inputs, st.booleans())
def test_random_programs_as_the_engine(program, drawn, persistent):
    points, _ = made(*drawn)
    leaves, plain = tensors(points, requires_grad=True), tensors(points)
    expected = torch.autograd.grad(run(program, leaves), leaves, allow_unused=True)
    with GradientTape(persistent=persistent) as tape:
        tape.watch(plain)
        total = run(program, plain)
    assert not total.requires_grad
    for _ in range(1 + persistent):
        found = tape.gradient(total, plain, unconnected_gradients="zero")
        for d, e, x in zip(found, expected, plain, strict=True):
            e = np.zeros(x.shape) if e is None else e.numpy()
            np.testing.assert_allclose(d.numpy(), e, rtol=1e-9, atol=1e-12)


def test_gradients_are_central_differences():
    x = torch.tensor([0.3, -1.2, 0.7], dtype=torch.float64)

    def f(x):
        return (torch.sin(x) * x.sum() + torch.exp(x * x[0])).mean()

    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    found, h = tape.gradient(y, x), 1e-6
    for k in range(3):
        e = torch.zeros(3, dtype=torch.float64)
        e[k] = h
        assert abs((f(x + e) - f(x - e)).item() / (2 * h) - found[k].item()) < 1e-8


def test_what_is_watched():
    w, c = torch.tensor(3.0, requires_grad=True), torch.tensor(2.0)
    with GradientTape(persistent=True) as tape:
        y = w * c
    assert tape.watched_variables() == (w,)
    assert tape.gradient(y, w).item() == 2 and tape.gradient(y, c) is None
    assert tape.gradient(y, c, unconnected_gradients="zero").item() == 0
    with GradientTape(watch_accessed_variables=False) as tape:
        y = w * c
    assert tape.gradient(y, w) is None


def test_structures_and_weights():
    x, y = torch.tensor([1.0, 2.0]), torch.tensor(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch({"x": x, "y": y})
        a, b = x * y, x.sum() * x
    found = tape.gradient([a, b], {"x": x, "rest": [y]})
    assert found["x"].tolist() == [9.0, 9.0] and found["rest"][0].item() == 3
    weights = [torch.tensor([1.0, 0.0]), None]
    assert tape.gradient([a, b], x, output_gradients=weights).tolist() == [9.0, 6.0]
    middle = tape.gradient(b, b)
    assert middle.tolist() == [1.0, 1.0]


def test_gradients_with_respect_to_a_result():
    x = torch.tensor(2.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    assert [d.item() for d in tape.gradient(z, [y, x])] == [8.0, 32.0]


def test_third_order_by_three_tapes():
    x = torch.tensor(0.5, dtype=torch.float64)
    with GradientTape() as one:
        one.watch(x)
        with GradientTape() as two:
            two.watch(x)
            with GradientTape() as three:
                three.watch(x)
                y = torch.sin(x) * x
            d = three.gradient(y, x)
        e = two.gradient(d, x)
    found = one.gradient(e, x).item()
    assert abs(found - (-3 * np.sin(0.5) - 0.5 * np.cos(0.5))) < 1e-12


@pytest.mark.parametrize("shape", [(), (3,), (2, 2)])
def test_jacobians_are_those_of_autograd(shape):
    x = torch.tensor(np.random.default_rng(0).standard_normal(shape))

    def f(x):
        return torch.sin(x) * x.sum() + 1

    with GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    found = tape.jacobian(y, [x, torch.ones(2)])
    expected = torch.autograd.functional.jacobian(f, x)
    assert found[0].shape == expected.shape and found[1] is None
    np.testing.assert_allclose(found[0].numpy(), expected.numpy(), rtol=1e-12)


def test_stop_recording_and_reset():
    x = torch.tensor(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        with tape.stop_recording():
            y = x * x
        z = y * x
        with pytest.warns(UserWarning, match="persistent tape inside its context"):
            assert tape.gradient(z, x, unconnected_gradients="zero").item() == 9
        tape.reset()
        tape.watch(x)
        w = x * x
    assert tape.gradient(w, x).item() == 6 and tape.gradient(z, x) is None


def test_a_persistent_tape_inside_its_block_warns_and_gives_second_derivatives():
    x = torch.tensor(3.0)
    with GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * x
        with pytest.warns(UserWarning, match="significantly less efficient"):
            slope = tape.gradient(y, x)
    assert tape.gradient(slope, x).item() == 18


def test_asked_inside_of_its_block_it_stops():
    x = torch.tensor(3.0)
    with GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert tape.gradient(y, x).item() == 6
        y * x
    with pytest.raises(RuntimeError, match="non-persistent GradientTape can only be"):
        tape.gradient(y, x)


def test_an_error_in_the_block_leaves_no_tape():
    with pytest.raises(KeyError), GradientTape():
        raise KeyError


def test_integers_are_warned_of():
    with GradientTape() as tape, pytest.warns(UserWarning, match="must be floating"):
        tape.watch(torch.tensor(3))


def test_a_training_step_by_tape():
    w = torch.tensor(1.0, requires_grad=True)
    for expected in (0.8, 0.64):
        with GradientTape() as tape:
            loss = w * w
        slope = tape.gradient(loss, w)
        with torch.no_grad():
            w -= 0.1 * slope
        assert abs(w.item() - expected) < 1e-6


def test_a_compiled_function_on_tape_is_the_function():
    x = torch.tensor([1.0, 2.0])
    quick = torch.compile(lambda x: torch.sin(x).sum())
    quick(x)
    with GradientTape() as tape:
        tape.watch(x)
        y = quick(x)
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), np.cos(x.numpy()))
