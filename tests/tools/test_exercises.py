"""tools/exercises.py: a check that cannot tell right from wrong is caught.

One kernel tries a chapter of exercises, each with a fault of its own.
"""

import pytest

import exercises
import kernels
from tests.makebook import code, markdown, notebook

BOOKKIT = '''
BOOK = "the reader's own name"


class Result:
    def __init__(self, passed, message):
        self.passed, self.message = passed, message

    def __repr__(self):
        return self.message


def verdict(answer, is_right):
    """Say what a check says: empty, failed or passed."""
    if answer is ...:
        return Result(False, "not answered yet")
    try:
        right = is_right(answer)
    except Exception as error:
        return Result(False, f"✗ the code raised {error}")
    return Result(right, "passed" if right else "✗ it is half")


CHECKS = {
    "1.1": lambda a: verdict(a, lambda a: a == 0.5),
    "1.2": lambda a: Result(True, "passed"),
    "1.3": lambda a: Result(False, "not answered yet"),
    "1.4": lambda a: verdict(a, lambda a: a != 0),
    "1.5": lambda a: Result(a == 0.5, "not answered yet" if a is ... else "wrong"),
    "1.6": lambda a: Result(1 / a == 2, "not answered yet") if a is not ... else None,
    "1.7": lambda a: verdict(a, lambda a: a == 0.5),
    "1.8": lambda a: verdict(a, lambda a: a == 0.5),
}


def check(number, answer):
    return CHECKS[number](answer)
'''


def exercise(number, start="answer = ...", solution="answer = 0.5"):
    """Make the cells of an exercise."""
    call = f'check("{number}", answer)'
    return [
        markdown(f"### Exercise {number}: Halve\n\n*5 minutes · warm-up*\n\nHalve."),
        code(start, "exercise"),
        code(call, "exercise-check"),
        markdown("Divide.", "solution"),
        code("half = 0.5", "solution"),
        code(f"{solution}\n{call}", "solution"),
    ]


CHAPTER = notebook(
    "# Title",
    code(BOOKKIT),
    code("1 / 0", "raises-exception"),
    "## Exercises",
    *exercise("1.1"),
    *exercise("1.2"),
    *exercise("1.3"),
    *exercise("1.4"),
    *exercise("1.5"),
    *exercise("1.6"),
    *exercise("1.7", start="answer = 0.25"),
    *exercise("1.8", solution="answer = 0.4"),
    code("assert BOOK and answer == 0.4 and half == 0.5 and 'extra' not in globals()"),
)
WRONG = {
    "1.1": {
        "twice": "answer = 2",
        "raises": "class answer:\n    def __eq__(self, other): 1 / 0\n"
        "answer = answer()",
        "indented": "\n        half = 'spoiled'\n        answer = half\n",
        "makes a mess": "extra = 1\ndel BOOK\nanswer = 3",
    },
    "1.2": {"twice": "answer = 2"},
    "1.3": {"twice": "answer = 2"},
    "1.4": {"twice": "answer = 2", "nothing": "answer = 0"},
    "1.5": {"twice": "answer = 2"},
    "1.6": {"nothing": "answer = 0", "broken": "answer = undefined"},
    "1.7": {"twice": "answer = 2"},
    "1.9": {"twice": "answer = 2"},
}


@pytest.fixture(scope="module")
def problems(tmp_path_factory):
    """What a trial of the chapter finds, by exercise."""
    with kernels.kernel(tmp_path_factory.mktemp("chapter")) as kernel:
        found = exercises.trial("Chapter 1", CHAPTER.cells, WRONG, kernel)
    return {
        number: [p for p in found if number in f"{p.where}{p.what}".partition(":")[0]]
        for number in [f"1.{k}" for k in range(1, 10)]
    } | {"all": found}


def test_a_good_check_is_left_in_peace(problems):
    assert problems["1.1"] == []


def test_the_chapter_runs_on_with_its_own_names(problems):
    """The last cell asserts that no attempt left anything behind."""
    assert not any("mend the chapter" in problem.remedy for problem in problems["all"])


@pytest.mark.parametrize(
    ("number", "messages"),
    [
        ("1.2", ["passes the empty starting cell", "passes the wrong answer “twice”"]),
        (
            "1.3",
            ["the wrong answer “twice” counts as empty", *["fails the solution"] * 2],
        ),
        ("1.4", ["the check passes the wrong answer “twice”"]),
        ("1.5", ["the message on the wrong answer “twice” names no property"]),
        (
            "1.6",
            [
                "on the empty starting cell, the check gives no result with `passed`",
                "on the wrong answer “nothing”, the check does not say so, it raises",
                "“broken”, the answer itself does not run: NameError",
            ],
        ),
        ("1.7", ["the starting cell is not recognised as empty"]),
        ("1.8", ["no wrong answer is on record", *["fails the solution"] * 2]),
        ("1.9", ["WRONG has an entry for exercise 1.9, which the chapter has not"]),
    ],
)
def test_a_faulty_check_is_caught(problems, number, messages):
    found = problems[number]
    assert len(found) == len(messages), list(map(str, found))
    for problem, message in zip(found, messages, strict=True):
        assert message in problem.what and problem.remedy


def test_problems_lead_to_the_cell_of_the_check(problems):
    assert problems["1.2"][0].where == "Chapter 1, cell 13 (id cell-13)"
    assert problems["1.2"][0].what.startswith("exercise 1.2: ")


def test_a_chapter_that_fails_itself_is_reported(tmp_path):
    made = notebook("# Title", code("1 / 0"), *exercise("1.1"))
    with kernels.kernel(tmp_path) as kernel:
        wrong = {"1.1": {"twice": "answer = 2"}}
        (problem,) = exercises.trial("Chapter 1", made.cells, wrong, kernel)
    assert problem.where == "Chapter 1, cell 2 (id cell-2)"
    assert "ZeroDivisionError" in problem.what and "mend the chapter" in problem.remedy


def test_an_exercise_that_lacks_a_cell_is_not_tried_but_reported(tmp_path):
    cells = exercise("1.1")
    del cells[2]
    made = notebook("# Title", *cells[:3])
    with kernels.kernel(tmp_path) as kernel:
        found = exercises.trial("Chapter 1", made.cells, {"1.1": {"x": "y"}}, kernel)
    assert [p.what for p in found] == [
        "exercise 1.1 is incomplete, so it was not tried"
    ]


@pytest.mark.parametrize(
    ("source", "number"),
    [
        ('check("1.3", f)', "1.3"),
        ('f = 1\ncheck("1.3", f, g)', "1.3"),
        ('check("1.3", f)\nf', None),
        ('check("1.3", f)\ncheck("1.3", f)', None),
        ('print(check("1.3", f))', None),
        ("check(f)", None),
        ("f", None),
        ("", None),
        ("(", None),
    ],
)
def test_the_call_of_a_check_is_recognised(source, number):
    assert exercises.number_of(exercises.check_call(source)) == number
