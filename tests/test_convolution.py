"""Convolutions and poolings against what PyTorch 2.13 has answered."""

import pytest

import minigrad as torch
from tests.reference import ledger
from tests.reference.record_convolution import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{name}\n" + "\n".join(found)
