"""The rows of the parity ledger for one chapter, which ``GRADED_CHAPTER`` names.

Not collected by itself: ``tests/test_ledger.py`` asks all rows, and
``tools/grading.py`` asks those of the chapter that a reader writes.
"""

import os

import pytest

import minigrad
from tests.reference import ledger

CHAPTER = int(os.environ.get("GRADED_CHAPTER", "0"))
ROWS = [row for row in ledger.rows() if row.chapter == CHAPTER]
RECORDED = ledger.recorded()["rows"]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_statement(row):
    theirs = ledger.Answer.load(RECORDED[row.id])
    ours = ledger.run(row.code, minigrad)
    if ledger.differences(row, ours, theirs):
        expected, got = spoken(theirs), spoken(ours)
        raise AssertionError(f"expected {expected}, got {got}, from\n{row.code}")


def spoken(answer: ledger.Answer) -> str:
    """An answer in a few words."""
    said = [f"the warning {kind}" for kind, _ in answer.warnings]
    if answer.error:
        kind, message = answer.error
        said.append(f"{kind}: {' '.join(message.split())[:160]}")
    else:
        said.append(answer.value)
    return ", ".join(said)
