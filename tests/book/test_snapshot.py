"""The snapshot rule: a chapter runs with what the chapters before it export.

For each chapter N the package is tangled from chapters 1 to N - 1 into a temporary
folder, and the notebook must give its stored outputs under nbval with ``minigrad`` from
there and nowhere else.
"""

import os
import subprocess
import sys

import pytest

import tangle
import toc
from tests.makebook import code, module, printed, ran

TOOLS = toc.ROOT / "tools"
CHAPTERS = toc.chapters(toc.ROOT)


def run_in_snapshot(chapter, folder):
    """Run a chapter under nbval on the package as it is before it."""
    tangle.snapshot(chapter.number, folder, chapter.root)
    inherited = os.environ.get("PYTHONPATH", "")
    environment = os.environ | {
        "MINIGRAD_SNAPSHOT": str(folder),
        "PYTHONPATH": os.pathsep.join(filter(None, (str(TOOLS), inherited))),
    }
    options = ["-q", "-x", "-n0", "-p", "no:cacheprovider", "--color=no", "--nbval"]
    if chapter.root != toc.ROOT:  # a book without a conftest.py
        options += ["-p", "strict_nbval", "-c", os.devnull, "--rootdir", chapter.root]
    command = [sys.executable, "-m", "pytest", *options, chapter.file]
    return subprocess.run(
        list(map(str, command)),
        cwd=chapter.root,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


@pytest.mark.parametrize("chapter", CHAPTERS, ids=[c.file.stem for c in CHAPTERS])
def test_the_chapter_needs_only_what_came_before(chapter, tmp_path):
    done = run_in_snapshot(chapter, tmp_path)
    if done.returncode:
        pytest.fail(
            f"{chapter} does not run on what chapters 1 to {chapter.number - 1} export"
            f"\n\n{done.stdout}{done.stderr}",
            pytrace=False,
        )


INIT = module("minigrad/__init__.py", '"""A package."""\n\nVERSION = 1')
JACOBIAN = module("minigrad/jacobian.py", '"""Jacobians."""\n\nLAYOUT = "numerator"')
USE = "from minigrad.jacobian import LAYOUT\nprint(LAYOUT)"


def definition(cell):
    """Make an exported cell one that has run."""
    return ran(cell.source)


@pytest.fixture
def shelf(book):
    """A book whose whole package is written, as it is when the rule is tested."""

    def fill(*chapters):
        for name, *contents in chapters:
            book.chapter(name, *contents)
        tangle.write(book.root)
        return toc.chapters(book.root)

    return fill


def test_a_chapter_may_use_what_came_before(shelf, tmp_path_factory):
    _, second = shelf(
        ("one", definition(INIT), definition(JACOBIAN)),
        ("two", ran(USE, printed("numerator\n"))),
    )
    done = run_in_snapshot(second, tmp_path_factory.mktemp("snapshot"))
    assert done.returncode == 0, done.stdout


def test_a_chapter_may_not_use_what_comes_later(shelf, tmp_path_factory):
    first, _ = shelf(
        ("one", definition(INIT), ran(USE, printed("numerator\n"))),
        ("two", definition(JACOBIAN)),
    )
    done = run_in_snapshot(first, tmp_path_factory.mktemp("snapshot"))
    assert done.returncode == 1
    assert "Chapter 1 “The story of one” (book/one.ipynb), cell 3" in done.stdout
    assert (
        "the snapshot rule: a chapter may use only what chapters before it export "
        "(minigrad/jacobian.py comes with chapter 2)"
    ) in done.stdout


def test_a_chapter_may_not_import_what_it_exports_itself(shelf, tmp_path_factory):
    (only,) = shelf(
        (
            "one",
            definition(INIT),
            definition(JACOBIAN),
            ran(USE, printed("numerator\n")),
        )
    )
    done = run_in_snapshot(only, tmp_path_factory.mktemp("snapshot"))
    assert done.returncode == 1 and "the snapshot rule" in done.stdout


def test_a_name_that_a_later_chapter_adds_is_not_there_yet(shelf, tmp_path_factory):
    later = code('#| file: minigrad/jacobian.py\nLATER = "more"')
    _, second, _ = shelf(
        ("one", definition(INIT), definition(JACOBIAN)),
        ("two", ran("from minigrad.jacobian import LATER")),
        ("three", definition(later)),
    )
    done = run_in_snapshot(second, tmp_path_factory.mktemp("snapshot"))
    assert done.returncode == 1
    assert "the snapshot rule" in done.stdout and "cannot import name" in done.stdout
