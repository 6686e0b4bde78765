"""Checks that are written for the workbook: one property of a chapter each, in words.

``test_ch03.py`` and its like hold properties for a chapter's reader; ``statements.py``
asks the rows of the parity ledger for the chapter that ``GRADED_CHAPTER`` names. What
other tests belong to a chapter is said in ``tools/grading.py``. `says` gives a test the
words in which a report speaks of it.
"""

import numpy as np
import pytest


def says(words: str):
    """Name a property in words; ``{…}`` are arguments of a parametrized test."""
    return pytest.mark.says(words)


def same(what: str, got, expected, within: float = 1e-5) -> None:
    """Assert that two arrays are equal in shape and, nearly, in value.

    ``got`` may be a function that is called for the array; if it raises, that is said.
    """
    if callable(got) and not hasattr(got, "detach"):
        try:
            got = got()
        except Exception as error:
            said = f"{type(error).__name__}: {error}"
            raise AssertionError(
                f"{what}: expected {short(expected)}, got {said}"
            ) from None
    if got is None:
        raise AssertionError(f"{what}: expected {short(expected)}, got None")
    got, expected = _array(got), _array(expected)
    if got.shape != expected.shape:
        raise AssertionError(
            f"{what}: expected the shape {expected.shape}, got {got.shape}"
        )
    if not np.allclose(got, expected, rtol=within, atol=within, equal_nan=True):
        raise AssertionError(f"{what}: expected {short(expected)}, got {short(got)}")


def _array(value) -> np.ndarray:
    value = value.detach().numpy() if hasattr(value, "detach") else value
    return np.asarray(value, dtype=float)


def short(array) -> str:
    """An array on one line."""
    text = np.array2string(np.asarray(array), precision=4, threshold=12, edgeitems=3)
    return " ".join(text.split())
