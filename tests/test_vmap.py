"""Batches, functions of trees, Jacobians at once; answers recorded from PyTorch."""

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd.function import record
from minigrad.rules import PRIMITIVES
from tests.reference import ledger
from tests.reference.record_vmap import CASES, RECORDED
from tests.test_mutations import POINTS

ANSWERS = ledger.answers(RECORDED)


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


ROWS = 1, 0.9, 1.07  # the operands of the table, times each of these, are a batch


def batches(operands) -> list:
    """For every operand, its rows; an empty one, such as no bias, asks nothing."""
    rows = (np.stack([np.array(v, float) * k for k in ROWS]) for v in operands)
    return [torch.tensor(row, requires_grad=row.size > 0) for row in rows]


def alike(one, other) -> None:
    """Gradients that agree; None agrees with zeros."""
    for a, b in zip(one, other, strict=True):
        a, b = (0.0 if g is None else g.detach().numpy() for g in (a, b))
        np.testing.assert_allclose(a, b, atol=1e-8, equal_nan=True)


def second(first, inputs) -> list:
    """The gradients of a number made of gradients."""
    number = sum((g * g.detach().cos()).sum() for g in first)
    if not number.requires_grad:
        return [None] * len(inputs)
    return torch.autograd.grad(number, inputs, allow_unused=True, retain_graph=True)


def answers(name: str, operands, params, common: int):
    """A batch and a loop of the same operation; ``common`` tells who is no batch."""
    op = record(PRIMITIVES[name], name, "SomeBackward0")
    inputs, dims = batches(operands), []
    for k, x in enumerate(inputs):
        dims.append(None if common >> k & 1 else 0)
        if common >> k & 1:
            inputs[k] = x.detach()[0].clone().requires_grad_(x.requires_grad)
    batch = torch.vmap(lambda *a: op(*a, **params), tuple(dims))(*inputs)
    pairs = [*zip(inputs, dims, strict=True)]
    loop = [
        op(*(x if d is None else x[k] for x, d in pairs), **params) for k in (0, 1, 2)
    ]
    return inputs, batch, torch.stack(loop)


CHOICES = [
    (name, operands, params, common)
    for name, points in POINTS.items()
    for operands, params in points
    for common in range(2 ** len(operands) - 1)
]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "operands", "params", "common"),
    CHOICES,
    ids=[f"{k}-{case[0]}-{case[3]}" for k, case in enumerate(CHOICES)],
)
def test_every_operation_in_a_batch_is_a_loop(name, operands, params, common):
    inputs, batch, loop = answers(name, operands, params, common)
    np.testing.assert_allclose(batch.detach(), loop.detach(), equal_nan=True)
    inputs = [x for x in inputs if x.requires_grad]
    v = torch.tensor(np.random.default_rng(1).normal(size=batch.shape))
    first = torch.autograd.grad(batch, inputs, v, create_graph=True)
    others = torch.autograd.grad(loop, inputs, v, create_graph=True)
    alike(first, others)
    alike(second(first, inputs), second(others, inputs))
    rows = torch.autograd.grad(
        loop, inputs, torch.stack([v, 2 * v]), create_graph=True, is_grads_batched=True
    )
    alike([g[1] for g in rows], [2 * g for g in others])
    alike(second([g[0] for g in rows], inputs), second(others, inputs))
