"""Record what PyTorch answers for the whole operator table, in operators.json.

python -m tests.reference.record_operators
"""

import importlib
import json
import pkgutil
from pathlib import Path

import tests.operators
from tests.operators import Case, answer

FILE = Path(__file__).with_name("operators.json")


def table() -> list[Case]:
    """All cases of all chapters, in order."""
    found = []
    for module in sorted(
        m.name for m in pkgutil.iter_modules(tests.operators.__path__)
    ):
        found += importlib.import_module(f"tests.operators.{module}").CASES
    return found


def dtypes(case: Case) -> tuple[str, ...]:
    """float64 for the numbers; the others for the rules about dtypes."""
    others = ("float32", "int64", "bool")
    return ("float64", *(others if case.sample in ("matrix", "ties") else ()))


def main() -> None:
    """Ask the installed PyTorch, and write down what it says."""
    import torch

    recorded = {
        f"{case.id} {dtype}": answer(torch, case, dtype)
        for case in table()
        for dtype in dtypes(case)
    }
    lines = (f"{json.dumps(k)}: {json.dumps(v)}" for k, v in recorded.items())
    text = ",\n".join(lines)
    FILE.write_text(f"{{\n{text}\n}}\n", encoding="utf-8")
    print(f"PyTorch {torch.__version__}: {len(recorded)} answers recorded.")


if __name__ == "__main__":
    main()
