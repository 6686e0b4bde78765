"""Properties of chapter 18: one step of each optimiser, by hand."""

import numpy as np
import pytest

import minigrad as torch
from tests.grading import same, says

START, SLOPE, RATE = np.array([1.0, -2.0]), np.array([0.5, -1.0]), 0.1


def steps(kind: str, count: int, **options):
    """A function for where a parameter is after some steps along one gradient."""
    return lambda: _steps(kind, count, options)


def _steps(kind: str, count: int, options: dict):
    p = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    optimiser = getattr(torch.optim, kind)([p], lr=RATE, **options)
    for _ in range(count):
        p.grad = torch.tensor(SLOPE, dtype=torch.float64)
        optimiser.step()
    return p


@says("a step of SGD goes against the gradient")
def test_sgd():
    same("p after a step of SGD", steps("SGD", 1), START - RATE * SLOPE)


@says("with momentum the second step is longer: g, then 1.9 g")
def test_momentum():
    expected = START - RATE * SLOPE * (1 + 1.9)
    same("p after two steps", steps("SGD", 2, momentum=0.9), expected)


@says("weight decay adds a multiple of the parameter to its gradient")
def test_weight_decay():
    expected = START - RATE * (SLOPE + 0.5 * START)
    same("p after a step with decay", steps("SGD", 1, weight_decay=0.5), expected)


@says("the first step of Adam has the length of the rate")
@pytest.mark.parametrize("kind", ["Adam", "AdamW"])
def test_adam(kind):
    expected = START - RATE * np.sign(SLOPE)
    found = steps(kind, 1, weight_decay=0.0)
    same(f"p after a step of {kind}", found, expected, within=1e-6)


@says("AdamW shrinks the parameter, and leaves its gradient alone")
def test_adamw():
    expected = START * (1 - RATE * 0.5) - RATE * np.sign(SLOPE)
    found = steps("AdamW", 1, weight_decay=0.5)
    same("p after a step of AdamW", found, expected, within=1e-6)


@says("RMSprop divides by the root of the mean square")
def test_rmsprop():
    expected = START - RATE * SLOPE / (np.abs(SLOPE) * np.sqrt(0.01))
    same("p after a step of RMSprop", steps("RMSprop", 1), expected, within=1e-6)
