"""Record what PyTorch answers about tensors: making, printing, dtypes, dice, errors.

Run with a Python that has PyTorch:

    python tests/reference/record_tensor.py

It writes tensor.json beside this file. The tests read that file, without PyTorch. The
questions stand in tensor_cases.py and tensor.txt.
"""

import json
from pathlib import Path

import numpy as np
import tensor_cases as cases
import torch


def promotions() -> list[list]:
    """[dtype, other dtype, whether the other is 0-d, the common dtype]."""
    rows = []
    for a in cases.KINDS:
        for b in cases.KINDS:
            for flat in (False, True):
                x = torch.from_numpy(np.ones(2, a))
                y = torch.from_numpy(np.ones(() if flat else 2, b))
                common = str(torch.result_type(x, y)).removeprefix("torch.")
                rows.append([a, b, flat, common])
    return rows


def main() -> None:
    """Ask everything, and write one answer a line."""
    recorded = {
        "rows": [[line, cases.evaluate(line, torch)] for line in cases.lines()],
        "prints": [[row, cases.printed(row, torch)] for row in cases.prints()],
        "streams": [[row, cases.drawn(row, torch)] for row in cases.streams()],
        "promotions": promotions(),
        "mixed": cases.mixed(torch),
    }
    parts = [f'"torch": {json.dumps(torch.__version__.partition("+")[0])}']
    for name, rows in recorded.items():
        body = ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
        parts.append(f'"{name}": [\n{body}\n]')
    target = Path(__file__).with_name("tensor.json")
    target.write_text("{" + ",\n".join(parts) + "}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
