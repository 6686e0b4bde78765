"""Find the exercises of a chapter, and try their checks.

A check is worth having if it tells right from wrong. So each is tried, in a kernel in
which the chapter has run up to there, on

* the empty starting cell: the check must say "not answered yet";
* each wrong answer of ``tests/exercises/chNN.py``: it must fail, name a property, and
  not crash, whatever the answer does;
* the solution: it must pass.

``tests/exercises/chNN.py`` holds, for each exercise, plausible mistakes as the source
code that a reader might write into the starting cell:

    WRONG = {"1.3": {"forgets the factor": "def slope(f, x): ...", …}, …}
"""

import ast
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

import cells
from cells import Problem
from kernels import Kernel

HEADING = re.compile(r"### Exercise (?P<number>\d+\.\d+): \S.*")
EFFORT = re.compile(r"\*\d+ minutes? · (warm-up|medium|hard)\*")
TAGS = {"exercise", "exercise-check", "solution"}
EMPTY = "not answered yet"
SHAPE = (
    "an exercise is a statement (Markdown, `### Exercise N.k: Title`), a code cell "
    "tagged `exercise`, a code cell tagged `exercise-check`, a Markdown cell tagged "
    "`solution`, and one or more code cells tagged `solution`"
)
Wrong = Mapping[str, Mapping[str, str]]


@dataclass
class Exercise:
    """The cells of one exercise, by position from 1 (0 where one is missing)."""

    number: str
    statement: int
    start: int = 0
    check: int = 0
    explanation: int = 0
    solution: list[int] = field(default_factory=list)


def find(contents: Sequence[NotebookNode]) -> tuple[list[Exercise], list[int]]:
    """Return the exercises of a notebook, and the tagged cells that belong to none.

    An exercise lacks what does not stand where it should; see `SHAPE`.
    """
    found: list[Exercise] = []
    strays = []
    for number, cell in enumerate(contents, start=1):
        heading = HEADING.match(cell.source)
        if cell.cell_type == "markdown" and heading:
            found.append(Exercise(heading["number"], statement=number))
        elif TAGS.intersection(cells.tags(cell)) and not (
            found and _take(found[-1], number, cell)
        ):
            strays.append(number)
    return found, strays


def _take(exercise: Exercise, number: int, cell: NotebookNode) -> bool:
    """Add the next cell to an exercise, if it is the one that belongs there."""
    kind = cell.cell_type
    match cells.tags(cell):
        case ["exercise"] if kind == "code" and number == exercise.statement + 1:
            exercise.start = number
        case ["exercise-check"] if kind == "code" and number == exercise.start + 1:
            exercise.check = number
        case ["solution"] if kind == "markdown" and number == exercise.check + 1:
            exercise.explanation = number
        case ["solution"] if kind == "code" and number == _next_solution(exercise):
            exercise.solution.append(number)
        case _:
            return False
    return True


def _next_solution(exercise: Exercise) -> int:
    return (exercise.solution or [exercise.explanation])[-1] + 1


def check_call(source: str) -> ast.Call | None:
    """Return the one call of ``check`` in a cell, if it is its last expression."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return None
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "check"
    ]
    last = tree.body[-1] if tree.body else None
    at_the_end = isinstance(last, ast.Expr) and calls == [last.value]
    return calls[0] if at_the_end else None


def number_of(call: ast.Call | None) -> str | None:
    """Return the exercise that a call ``check("1.3", …)`` is about."""
    if call and call.args and isinstance(call.args[0], ast.Constant):
        return str(call.args[0].value)
    return None


# ------------------------------------------------------------------------------ trials


def trial(
    chapter: object, contents: Sequence[NotebookNode], wrong: Wrong, kernel: Kernel
) -> list[Problem]:
    """Try every check of a chapter; return what is wrong with them.

    Parameters
    ----------
    chapter
        What to call the chapter in messages.
    contents
        The cells of its notebook.
    wrong
        The wrong answers, ``{number: {mistake: source}}``.
    kernel
        A fresh kernel, running in the notebook's folder.
    """
    found, _ = find(contents)
    problems = list(_unmatched(chapter, found, wrong))
    by_start = {exercise.start: exercise for exercise in found if exercise.solution}
    for number, cell in enumerate(contents, start=1):
        if number in by_start:
            exercise = by_start[number]
            attempts = Attempts(exercise, contents, kernel)
            where = cells.place(chapter, exercise.check, contents[exercise.check - 1])
            for what, remedy in attempts.problems(wrong.get(exercise.number, {})):
                name = f"exercise {exercise.number}: {what}"
                problems.append(Problem(where, name, remedy))
        if cells.has_code(cell):
            outcome = kernel.run(cell.source)
            if outcome.error and "raises-exception" not in cells.tags(cell):
                where = cells.place(chapter, number, cell)
                remedy = "mend the chapter first: its own cells fail"
                return [*problems, Problem(where, outcome.error, remedy)]
    return problems


def _unmatched(
    chapter: object, found: Sequence[Exercise], wrong: Wrong
) -> Iterator[Problem]:
    """Complain about exercises without wrong answers, and the other way round."""
    numbers = [exercise.number for exercise in found]
    for exercise in found:
        if not exercise.solution:
            yield Problem(
                f"{chapter}, cell {exercise.statement}",
                f"exercise {exercise.number} is incomplete, so it was not tried",
                SHAPE,
            )
    for number in numbers:
        if not wrong.get(number):
            yield Problem(
                f"{chapter}, exercise {number}",
                "no wrong answer is on record, so nobody knows if its check can fail",
                "add a plausible mistake to WRONG in tests/exercises/chNN.py",
            )
    for number in wrong:
        if number not in numbers:
            yield Problem(
                f"{chapter}, tests/exercises",
                f"WRONG has an entry for exercise {number}, which the chapter has not",
                "renumber the entry, or remove it",
            )


@dataclass
class Verdict:
    """What a check said of an answer; ``error`` if it did not come to say anything."""

    error: str = ""
    passed: bool = False
    message: str = ""


class Attempts:
    """Answers one exercise in several ways; the kernel's names stay as they were."""

    def __init__(
        self, exercise: Exercise, contents: Sequence[NotebookNode], kernel: Kernel
    ):
        self.kernel = kernel
        self.start = contents[exercise.start - 1].source
        self.check = contents[exercise.check - 1].source
        self.solution = [contents[k - 1].source for k in exercise.solution]

    def problems(self, wrong: Mapping[str, str]) -> Iterator[tuple[str, str]]:
        """Yield (what, remedy) for each answer on which the check is mistaken."""
        yield from self._problems_with_start(self._judge([self.start], self.check))
        for mistake, source in wrong.items():
            verdict = self._judge([source], self.check)
            yield from self._problems_with_wrong(mistake, verdict)
        *code, last = self.solution
        yield from self._problems_with_solution(self._judge(code, last))
        yield from self._problems_with_solution(self._judge(self.solution, self.check))

    @staticmethod
    def _problems_with_start(verdict: Verdict) -> Iterator[tuple[str, str]]:
        if verdict.error:
            yield f"on the empty starting cell, {verdict.error}", "mend the check"
        elif verdict.passed:
            remedy = "make the check test what the exercise asks for"
            yield "the check passes the empty starting cell", remedy
        elif EMPTY not in verdict.message:
            what = f"the starting cell is not recognised as empty:\n{verdict.message}"
            yield what, "leave only a docstring and `...` in it, or `name = ...`"

    @staticmethod
    def _problems_with_wrong(
        mistake: str, verdict: Verdict
    ) -> Iterator[tuple[str, str]]:
        answer = f"the wrong answer “{mistake}”"
        if verdict.error:
            remedy = "a check reports what an answer does, it never raises: mend it"
            yield f"on {answer}, {verdict.error}", remedy
        elif verdict.passed:
            remedy = "let the check test a property that this answer lacks"
            yield f"the check passes {answer}", remedy
        elif EMPTY in verdict.message:
            yield f"{answer} counts as empty", "make the mistake a plausible one"
        elif "✗" not in verdict.message:
            what = f"the message on {answer} names no property:\n{verdict.message}"
            yield what, "let the check yield the property's name before it tests it"

    @staticmethod
    def _problems_with_solution(verdict: Verdict) -> Iterator[tuple[str, str]]:
        if verdict.error:
            yield f"on the solution, {verdict.error}", "mend the solution or the check"
        elif not verdict.passed:
            what = f"the check fails the solution:\n{verdict.message}"
            yield what, "mend the solution or the check"

    def _judge(self, answer: Sequence[str], check: str) -> Verdict:
        """Run an answer and a cell that checks it; put the names back afterwards."""
        try:
            self._run(_REMEMBER)
            return self._verdict(answer, check)
        finally:
            self._run(_RESTORE)

    def _verdict(self, answer: Sequence[str], check: str) -> Verdict:
        for source in answer:
            if error := self.kernel.run(source).error:
                return Verdict(f"the answer itself does not run: {error}")
        if error := self.kernel.run(_keeping_the_result(check)).error:
            return Verdict(f"the check does not say so, it raises {error}")
        said = self.kernel.run(_REPORT)
        if said.error:
            return Verdict(f"the check gives no result with `passed`: {said.error}")
        return Verdict("", *json.loads(said.printed))

    def _run(self, code: str) -> None:
        """Run code of this module, which does not fail."""
        if error := self.kernel.run(code).error:
            raise RuntimeError(error)


_REMEMBER = "_names_before = dict(globals())"
_RESTORE = """
for _name in set(globals()) - set(_names_before):
    if _name != "_names_before":
        del globals()[_name]
globals().update(_names_before)
"""
_REPORT = """
import json as _json
print(_json.dumps([bool(_result.passed), repr(_result)]))
"""


def _keeping_the_result(source: str) -> str:
    """Return a cell's code with its last expression kept as ``_result``."""
    tree = ast.parse(source)
    last = tree.body[-1] if tree.body else None
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.Assign([ast.Name("_result")], last.value)
    return ast.unparse(ast.fix_missing_locations(tree))
