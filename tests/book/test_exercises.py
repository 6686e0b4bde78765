"""Each exercise's check passes the solution, and nothing that is empty or wrong.

How a check is tried is said in tools/exercises.py; the wrong answers are in
tests/exercises/chNN.py.
"""

import runpy
from pathlib import Path

import pytest

import cells
import exercises
import kernels
import toc

ANSWERS = Path(__file__).parents[1] / "exercises"
CHAPTERS = toc.chapters(toc.ROOT)


def wrong_answers(number):
    """Return the wrong answers to a chapter's exercises."""
    path = ANSWERS / f"ch{number:02d}.py"
    return runpy.run_path(str(path))["WRONG"] if path.exists() else {}


@pytest.mark.parametrize("chapter", CHAPTERS, ids=[c.file.stem for c in CHAPTERS])
def test_every_check_tells_right_from_wrong(chapter):
    contents = cells.read(chapter.file).cells
    assert exercises.find(contents)[0], f"{chapter} has no exercises"
    with kernels.kernel(chapter.file.parent) as kernel:
        wrong = wrong_answers(chapter.number)
        problems = exercises.trial(chapter, contents, wrong, kernel)
    if problems:
        pytest.fail("\n\n".join(map(str, problems)), pytrace=False)


def test_wrong_answers_belong_to_a_chapter():
    numbers = {f"ch{chapter.number:02d}.py" for chapter in CHAPTERS}
    assert {path.name for path in ANSWERS.glob("ch*.py")} <= numbers
