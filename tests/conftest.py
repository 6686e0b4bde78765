"""Fixtures shared by the tests."""

import pytest
from hypothesis import settings

from tests.makebook import Book

# A test must not fail because the machine is busy: Hypothesis may take its time.
settings.register_profile("book", deadline=None)
settings.load_profile("book")


@pytest.fixture
def book(tmp_path):
    """An empty book in a temporary folder."""
    return Book(tmp_path)
