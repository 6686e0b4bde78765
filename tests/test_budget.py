"""minigrad stays mini: a budget of statements, and who spends it.

Lines would count how a message is wrapped; a statement is one thing that is done. A
docstring is none, and neither is the ``raise`` of a refusal: to say what is wrong, and
what to do about it, is free.
"""

import ast
from pathlib import Path

import pytest

import minigrad

ROOT = Path(minigrad.__file__).parent
CORE = {  # what a gradient needs: tensors, nodes, the walk, the modes
    "tensor.py",
    "autograd/function.py",
    "autograd/engine.py",
    "autograd/grad_mode.py",
    "autograd/versions.py",
    "autograd/rebase.py",
    "autograd/hooks.py",
}
BUDGETS = {"core": 955, "package": 6080, "learning": 3564, "engines": 2600}
LEARNING = (  # Part III
    *("nn/", "optim/"),
    *("serialization.py", "conversions.py", "accelerator.py", "backends.py", "cuda.py"),
    *("sampling.py", "gpt.py", "tables.py"),
)
ENGINES = ("static/", "tape.py", "compiler.py")  # Part IV
APART = ("utils/", *LEARNING, *ENGINES)  # utils/ draws, and hands out data


def statements(text: str) -> int:
    """How many statements a module has, without docstrings and refusals."""
    free = (ast.Raise, ast.Module)
    found = 0
    for node in ast.walk(ast.parse(text)):
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        found += isinstance(node, ast.stmt) and not isinstance(node, free)
        found -= docstring
    return found


def spent() -> dict[str, int]:
    """The statements of every module of the package."""
    return {
        path.relative_to(ROOT).as_posix(): statements(path.read_text(encoding="utf-8"))
        for path in sorted(ROOT.rglob("*.py"))
    }


def test_the_budget_is_kept():
    found = spent()
    core = sum(n for name, n in found.items() if name in CORE)
    assert found.keys() >= CORE
    assert core <= BUDGETS["core"], f"{core} statements in the core"
    package = sum(n for name, n in found.items() if not name.startswith(APART))
    assert package <= BUDGETS["package"], f"{package} in all"
    learning = sum(n for name, n in found.items() if name.startswith(LEARNING))
    assert learning <= BUDGETS["learning"], f"{learning} in Part III"
    engines = sum(n for name, n in found.items() if name.startswith(ENGINES))
    assert engines <= BUDGETS["engines"], f"{engines} in Part IV"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('"""A module."""\nx = 1\n', 1),
        ('def f(x):\n    """Double."""\n    return 2 * x\n', 2),
        ('if x:\n    raise ValueError(\n        "no"\n    )\n', 1),
        ("x = 1; y = 2\n", 2),
    ],
)
def test_what_counts_as_a_statement(text, count):
    assert statements(text) == count


if __name__ == "__main__":
    for name, n in spent().items():
        print(f"{n:5}  {'core  ' if name in CORE else '      '}{name}")
