"""Every example of the two texts this book grew from, with PyTorch's results.

The programs are in ``reference/record_source_texts.py``, written for the name
``torch``; here that name is minigrad. What PyTorch answers is recorded in
``reference/source_texts.json``.
"""

import pytest

import minigrad as torch
from tests.reference import ledger
from tests.reference.record_source_texts import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)


def test_every_example_is_recorded():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_the_example(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


# what the texts print, or should: the numbers, so that a wrong recording is seen
PRINTED = {
    "introduction: a cube": "tensor(3.)",
    "introduction: z.backward gives dz/dx": "(tensor(2.), None)",
    "notes: gradient= weighs the elements": "tensor([2., 4., 6.])",
    "notes: retain_graph: two passes": "tensor([4., 8., 12.])",
    "notes: create_graph: first plus second order": "tensor([4., 6., 8.])",
    "notes: inputs: only these": "(tensor([2., 4., 6.]), None)",
    "notes: the summary: first order": (
        "(tensor([2., 4., 6.]), tensor([ 8., 10., 12.]), True)"
    ),
    "notes: the summary: what it calls second order": (
        "(tensor([4., 6., 8.]), tensor([ 8., 10., 12.]))"
    ),
}


@pytest.mark.parametrize("name", PRINTED)
def test_what_the_texts_print(name):
    spaced = str.maketrans("", "", " \n")
    assert ANSWERS[name]["value"].translate(spaced) == PRINTED[name].translate(spaced)


SLIPS = [
    ("introduction: from NumPy: the flag is no method", "TypeError"),
    ("introduction: from NumPy: only floats may", "RuntimeError"),
    ("introduction: and not a 1x1 tensor", "RuntimeError"),
    ("introduction: and refuses a vector for Jv", "RuntimeError"),
    ("notes: anything else does", "RuntimeError"),
]


@pytest.mark.parametrize(("name", "error"), SLIPS)
def test_slips_are_errors(name, error):
    assert ANSWERS[name]["error"][0] == error
