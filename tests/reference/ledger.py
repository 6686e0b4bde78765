"""The parity ledger: what the book says about PyTorch, as programs that can be run.

A `Row` is one statement: a sentence for the reader and a short program that shows it.
The programs are written for the name ``torch``. What PyTorch answers is recorded in
``ledger.json`` (see ``record_ledger.py``); ``tests/test_ledger.py`` asks minigrad the
same. This module knows neither of the two: it runs a program on the module it is given.
"""

import ast
import importlib
import json
import pkgutil
import re
import textwrap
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

RECORDED = Path(__file__).with_name("ledger.json")
PASSING = re.compile(r" at 0x[0-9a-fA-F]+|\s*\(Triggered internally at [^)]*\)")
# PyTorch compiles something for its first dual tensor, and warns of it once
FIRST_DUAL = """
with torch.autograd.forward_ad.dual_level():
    torch.autograd.forward_ad.make_dual(torch.ones(1), torch.ones(1))
"""


@dataclass(frozen=True)
class Said:
    """The category of an error or a warning, and words that its message must hold."""

    category: str
    words: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Said":
        """Read ``"RuntimeError: some words … more words"``."""
        category, _, words = text.partition(": ")
        return cls(category, tuple(words.split(" … ")) if words else ())

    def missing(self, message: str) -> list[str]:
        """The words that ``message`` lacks; differences in spacing do not count."""
        message = " ".join(message.split())
        return [word for word in self.words if " ".join(word.split()) not in message]


@dataclass(frozen=True)
class Row:
    """One statement about PyTorch.

    Attributes
    ----------
    id : str
        A name in kebab-case.
    chapter : int
        The chapter that makes the statement.
    theme, anchor : str
        What it belongs to, and the id of the section of the chapter that explains it.
    says : str
        The statement, in words; `backticks` mark code.
    code : str
        The program. Its last line is an expression whose repr is compared, or a
        statement that raises.
    raises, warns : Said or None
        The error of the last line, the warning on the way to it.
    """

    id: str
    chapter: int
    theme: str
    anchor: str
    says: str
    code: str
    raises: Said | None
    warns: Said | None


@dataclass(frozen=True)
class Answer:
    """What a program came to: a value or an error, and its warnings.

    ``error`` and each of ``warnings`` are pairs of a category and a message.
    ``reached_last_line`` is False if an earlier line raised the error.
    """

    value: str | None = None
    error: tuple[str, str] | None = None
    warnings: tuple[tuple[str, str], ...] = ()
    reached_last_line: bool = True

    @classmethod
    def load(cls, stored: dict) -> "Answer":
        """Read what `store` has written."""
        error, warned = stored.get("error"), stored.get("warnings", [])
        return cls(
            stored.get("value"), tuple(error) if error else None, (*map(tuple, warned),)
        )

    def store(self) -> dict:
        """The answer for JSON, without what is empty."""
        kept = {"value": self.value, "error": self.error, "warnings": self.warnings}
        return {name: part for name, part in kept.items() if part not in (None, ())}


class Theme:
    """Rows of one chapter about one subject: call it to add a row."""

    def __init__(self, rows: list[Row], chapter: int, theme: str, anchor: str = ""):
        self.rows, self.chapter, self.theme, self.anchor = rows, chapter, theme, anchor

    def __call__(
        self,
        id: str,
        says: str,
        code: str,
        *,
        setup: str = "",
        raises: str = "",
        warns: str = "",
    ) -> None:
        """Add a row.

        The program is ``setup`` and then ``code``, which may be indented as a whole.
        ``raises`` and ``warns`` are read by `Said.parse`.
        """
        self.rows.append(
            Row(
                id=id,
                chapter=self.chapter,
                theme=self.theme,
                anchor=self.anchor,
                says=says,
                code=setup + textwrap.dedent(code).strip(),
                raises=Said.parse(raises) if raises else None,
                warns=Said.parse(warns) if warns else None,
            )
        )


def rows() -> list[Row]:
    """All statements, chapter by chapter."""
    from tests.reference import statements

    names = sorted(module.name for module in pkgutil.iter_modules(statements.__path__))
    modules = [importlib.import_module(f"{statements.__name__}.{n}") for n in names]
    return [row for module in modules for row in module.ROWS]


def recorded(path: Path = RECORDED) -> dict:
    """What ``record_ledger.py`` has written."""
    return json.loads(path.read_text(encoding="utf-8"))


def record(programs: dict[str, str], path: Path) -> None:
    """Run named programs on PyTorch; write what each comes to, one a line."""
    import torch

    torch.set_warn_always(True)
    run(FIRST_DUAL, torch)
    lines = []
    for name, code in programs.items():
        torch.set_grad_enabled(True)  # whatever the program before has left
        answer = json.dumps(run(code, torch).store(), ensure_ascii=False)
        lines.append(f"{json.dumps(name)}: {answer}")
    text = f'{{\n"torch": "{torch.__version__}",\n"cases": {{\n'
    path.write_text(text + ",\n".join(lines) + "\n}\n}\n", encoding="utf-8")
    print(len(lines), "cases")


def answers(path: Path) -> dict[str, dict]:
    """What `record` has written: PyTorch's answers, by the names of the programs."""
    return json.loads(path.read_text(encoding="utf-8"))["cases"]


def problems(answer: Answer, stored: dict, words: str | None = None) -> list[str]:
    """Where an answer differs from a recorded one.

    Values must be equal, errors of the same type with the same opening words (or with
    ``words``), warnings of the same categories.
    """
    found = []
    if answer.value != stored.get("value"):
        found.append(f"answers {answer.value}, not {stored.get('value')}")
    kind, said = answer.error or ("no error", "")
    wanted, message = stored.get("error", ("no error", ""))
    words = words or " ".join(message.split()).rstrip(".")[:60]
    if kind != wanted:
        found.append(f"raises {kind}, not {wanted}: {said}")
    elif words not in " ".join(said.split()):
        found.append(f"raises without “{words}”: {said}")
    warned = [category for category, _ in answer.warnings]
    if warned != [category for category, _ in stored.get("warnings", [])]:
        found.append(f"warns {answer.warnings}")
    return found


def run(code: str, torch) -> Answer:
    """Run a program with the name ``torch`` bound to a module, and ``np`` to NumPy."""
    body = ast.parse(code).body
    *before, last = body
    namespace = {"torch": torch, "np": np, "__name__": "program"}
    value = error = None
    reached = False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(_compiled(ast.Module(before, []), "exec"), namespace)
            reached = True
            if isinstance(last, ast.Expr):
                expression = ast.Expression(last.value)
                value = plain(repr(eval(_compiled(expression, "eval"), namespace)))
            else:
                exec(_compiled(ast.Module([last], []), "exec"), namespace)
        except Exception as caught_error:
            error = (type(caught_error).__name__, plain(str(caught_error)))
    warned = tuple((w.category.__name__, plain(str(w.message))) for w in caught)
    return Answer(value, error, warned, reached)


def _compiled(tree: ast.AST, mode: str):
    return compile(tree, "<program>", mode)


def plain(text: str) -> str:
    """Take out what differs between runs and builds: addresses, source lines."""
    return PASSING.sub("", text)


def unmet(row: Row, answer: Answer) -> list[str]:
    """List what a row promises and an answer, anybody's, does not keep."""
    problems = []
    if not answer.reached_last_line:
        return [f"an earlier line raised {': '.join(answer.error)}"]
    if row.raises is None and answer.error:
        problems.append(f"raised {': '.join(answer.error)}")
    if row.raises is None and answer.value is None and not answer.error:
        problems.append("neither a value nor an error")
    if row.raises is not None:
        problems += _unsaid("raise", row.raises, [answer.error] if answer.error else [])
    said = [row.warns] if row.warns else []
    for expected in said:
        problems += _unsaid("warn", expected, answer.warnings)
    if len(answer.warnings) > len(said):
        problems.append(f"warnings: {answer.warnings}")
    return problems


def _unsaid(verb: str, expected: Said, found) -> list[str]:
    if not found:
        return [f"did not {verb} {expected.category}"]
    category, message = found[0]
    if category != expected.category:
        return [f"{verb}s {category}, not {expected.category}: {message}"]
    return [
        f"{verb}s without “{word}”: {message}" for word in expected.missing(message)
    ]


def differences(row: Row, ours: Answer, theirs: Answer) -> list[str]:
    """List where an answer differs from the recorded one."""
    problems = unmet(row, ours)
    if not problems and ours.value != theirs.value:
        problems.append(f"answers {ours.value}, not {theirs.value}")
    return problems
