"""Exercises that check themselves.

A check is a generator function registered under the exercise's number. Before each
property it yields the property's name in words; what follows asserts it:

    @exercise("1.1")
    def one_sided_slope(slope):
        yield "the slope of x² at 3 is close to 6"
        close(slope(lambda x: x * x, 3.0), 6.0, within=1e-4)
        yield "the function is called at most twice"
        ...

The reader runs ``check("1.1", slope)``. The result names the first property that does
not hold, shows what was found, and never raises: an exception in the reader's code is
reported as the failure of the property that was being tested.
"""

import dis
import importlib
import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

CheckFunction = Callable[..., Iterator[str]]
_CHECKS: dict[str, CheckFunction] = {}


@dataclass
class Result:
    """The outcome of a check: truthy when passed; its ``repr`` is the message."""

    number: str
    passed: bool
    message: str
    properties: list[str] = field(default_factory=list)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return self.message


def exercise(number: str) -> Callable[[CheckFunction], CheckFunction]:
    """Register a check under an exercise's number, such as ``"3.2"``."""

    def register(function: CheckFunction) -> CheckFunction:
        if number in _CHECKS and _CHECKS[number].__module__ != function.__module__:
            raise ValueError(f"exercise {number} already has a check")
        _CHECKS[number] = function
        return function

    return register


def check(number: str, *answers) -> Result:
    """Check the reader's ``answers`` to exercise ``number`` (``"chapter.exercise"``).

    Returns a `Result` whose ``repr`` says what holds or which property failed.
    Raises ``KeyError`` for a number that no exercise has, and ``TypeError`` for a
    number of answers that the check does not take: these are slips in the call, not
    in the answer.
    """
    function = _find(number)
    inspect.signature(function).bind(*answers)
    if any(is_empty(answer) for answer in answers):
        return Result(
            number,
            False,
            f"Exercise {number}: not answered yet. Fill in the cell above and run it,\n"
            "then run this one again.",
        )
    return _run(number, function, answers)


def _find(number: str) -> CheckFunction:
    """Load the chapter's checks and return the one asked for."""
    chapter = int(str(number).partition(".")[0])
    importlib.import_module(f"bookkit.exercises.ch{chapter:02d}")
    if number not in _CHECKS:
        raise KeyError(f"there is no exercise {number}")
    return _CHECKS[number]


def _run(number: str, function: CheckFunction, answers: tuple) -> Result:
    """Drive the check from property to property until one fails."""
    held: list[str] = []
    current = "the check starts"
    try:
        for current in function(*answers):
            held.append(current)
    except AssertionError as failure:
        detail = str(failure).strip() or "it does not hold"
        return _failed(number, held, current, detail)
    except Exception as error:
        detail = f"your code raised {type(error).__name__}: {error}"
        return _failed(number, held, current, detail)
    if not held:
        raise RuntimeError(f"the check of exercise {number} tests no property")
    lines = [f"  ✓ {name}" for name in held]
    return Result(
        number, True, "\n".join([f"Exercise {number}: passed.", *lines]), held
    )


def _failed(number: str, held: list[str], current: str, detail: str) -> Result:
    lines = [f"  ✓ {name}" for name in held if name != current]
    lines.append(f"  ✗ {current}")
    lines.extend(f"    {line}" for line in detail.splitlines())
    return Result(
        number, False, "\n".join([f"Exercise {number}: not yet.", *lines]), held
    )


def close(actual, expected, *, within: float = 1e-8, what: str = "the result") -> None:
    """Assert that two arrays agree in shape and, to ``within`` (relative), in value."""
    assert actual is not None, f"{what} is None (is a `return` missing?)"
    assert actual is not Ellipsis, f"{what} is still `...`"
    actual, expected = np.asarray(actual), np.asarray(expected)
    assert actual.shape == expected.shape, (
        f"{what} has shape {actual.shape}, expected {expected.shape}"
    )
    assert np.issubdtype(actual.dtype, np.number) or actual.dtype == expected.dtype, (
        f"{what} is not numeric: dtype {actual.dtype}"
    )
    scale = within * max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    if not np.allclose(actual, expected, rtol=0, atol=scale, equal_nan=True):
        raise AssertionError(
            f"{what} is\n{_short(actual)}\nexpected\n{_short(expected)}"
        )


def raises(kind: type[BaseException], function: Callable, *args, **kwargs) -> str:
    """Assert that the call raises ``kind``; return the message."""
    try:
        found = function(*args, **kwargs)
    except kind as error:
        return str(error)
    raise AssertionError(f"expected {kind.__name__}, but it returned {found!r}")


def is_empty(answer) -> bool:
    """True for ``...``, ``None``, and functions and classes whose bodies are empty."""
    if answer is ... or answer is None:
        return True
    if isinstance(answer, type):
        parts = [getattr(part, "__func__", part) for part in vars(answer).values()]
        methods = [part for part in parts if inspect.isfunction(part)]
        return all(is_empty(method) for method in methods)
    return inspect.isfunction(answer) and _does_nothing(answer)


def _does_nothing(function: Callable) -> bool:
    """True when a function's bytecode only returns None (its body is ``...``)."""
    idle = {"RESUME", "NOP", "POP_TOP", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"}
    instructions = list(dis.get_instructions(function))
    if not all(step.opname in idle for step in instructions):
        return False
    constants = [s.argval for s in instructions if s.opname.endswith("_CONST")]
    return constants[-1] is None


def _short(array: np.ndarray) -> str:
    return np.array2string(array, precision=6, threshold=20, edgeitems=3)
