"""Fixtures for the tests of the rendered book."""

import pytest

import build_book


@pytest.fixture(scope="session")
def built_book():
    """The folder of the built pages, brought up to date first.

    With several workers one of them builds, and the others wait for it.
    """
    try:
        build_book.build()
    except build_book.BuildError as error:
        pytest.fail(f"the book was not built: {error}", pytrace=False)
    return build_book.ROOT / "_build" / "html"
