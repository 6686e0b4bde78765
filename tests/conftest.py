"""Fixtures shared by the tests."""

import pytest

from tests.makebook import Book


@pytest.fixture
def book(tmp_path):
    """An empty book in a temporary folder."""
    return Book(tmp_path)
