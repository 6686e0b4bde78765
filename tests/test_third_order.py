"""Third derivatives of a random sample of the operators, against differences.

`gradgradcheck` of the first derivative moves the second one by a little, and compares
the change with what a third recorded pass says.
"""

import random
from functools import partial

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import gradgradcheck
from minigrad.autograd.function import record
from minigrad.rules import PRIMITIVES
from tests.test_mutations import FIXED, POINTS

SAMPLE = random.Random(14).sample(sorted(POINTS), 24)


def slopes(operation, moving, rng):
    """The first derivatives as a function; a sine makes linear operators bend, too."""
    weights = torch.tensor(rng.standard_normal(operation(*moving).shape))

    def first(*xs):
        loss = (torch.sin(operation(*xs)) * weights).sum()
        return torch.autograd.grad(loss, xs, create_graph=True)

    return first


@pytest.mark.parametrize("name", SAMPLE)
def test_third_derivatives(name):
    operation = record(PRIMITIVES[name], name, "ThirdBackward0")
    rng, checked = np.random.default_rng(3), 0
    for operands, params in POINTS[name]:
        if any(v is FIXED or 0 in np.asarray(v) for v in operands):
            continue  # a constant; or a zero, where some have a corner
        inputs = [torch.tensor(v, dtype=torch.float64) for v in operands]
        for x in inputs:
            x.requires_grad_()
        bound = partial(operation, **params)
        checked += gradgradcheck(slopes(bound, inputs, rng), tuple(inputs))
    assert checked
