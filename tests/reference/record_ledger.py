"""Record what PyTorch answers to every row of the parity ledger.

Run at the root of the repository, with a Python that has PyTorch and NumPy:

    python -m tests.reference.record_ledger            write ledger.json
    python -m tests.reference.record_ledger --check    list where PyTorch has changed

The rows are in ``statements/`` and in ``differences.py``; the tests compare minigrad
with what is written here and need no PyTorch. For the differences, what minigrad
answers is recorded as well, by running it. A row whose promise PyTorch does not keep
(another error, no error, a warning nobody mentioned) is refused: statements are mended,
never answers.
"""

import argparse
import json
import sys
from pathlib import Path

from tests.reference import ledger
from tests.reference.ledger import Row

Entry = dict[str, object]


def broken_promises(rows: list[Row], torch) -> list[str]:
    """What PyTorch itself does not do as the rows say."""
    return [
        f"{row.id}: {problem}"
        for row in rows
        for problem in ledger.unmet(row, ledger.run(row.code, torch))
    ]


def entries(rows: list[Row], torch) -> dict[str, Entry]:
    """For each row its code and what PyTorch answers."""
    return {
        row.id: {"code": row.code, **ledger.run(row.code, torch).store()}
        for row in rows
    }


def pairs(rows, torch, minigrad) -> dict[str, Entry]:
    """For each difference its code and both answers."""
    return {
        row.id: {
            "code": row.code,
            "torch": ledger.run(row.code, torch).store(),
            "minigrad": ledger.run(row.code, minigrad).store(),
        }
        for row in rows
    }


def text(recording: dict) -> str:
    """One line for each row."""

    def block(name: str) -> str:
        lines = (f"{json.dumps(k)}: {_line(v)}" for k, v in recording[name].items())
        return f'"{name}": {{\n' + ",\n".join(lines) + "\n}"

    version = f'"torch": {json.dumps(recording["torch"])}'
    return "{" + ",\n".join([version, block("rows"), block("differences")]) + "}\n"


def _line(value) -> str:
    return json.dumps(value, ensure_ascii=False)


def changes(old: dict, new: dict) -> list[str]:
    """List in words where two recordings differ."""
    found = []
    if old["torch"] != new["torch"]:
        found.append(f"recorded with PyTorch {old['torch']}, asked {new['torch']}")
    for name in ("rows", "differences"):
        for key in {**old[name], **new[name]}:
            before, after = old[name].get(key), new[name].get(key)
            if before is None or after is None:
                found.append(f"{key}: {'new' if before is None else 'gone'}")
            elif before != after:
                found.append(f"{key}: was {_line(before)}\n    now {_line(after)}")
    return found


def main(arguments: list[str] | None = None) -> int:
    """Record, or compare with what is recorded."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare, write nothing")
    parser.add_argument("--output", type=Path, default=ledger.RECORDED)
    chosen = parser.parse_args(arguments)
    try:
        import torch
    except ImportError:
        print("This Python has no PyTorch: python tools/do.py oracle installs one.")
        return 2
    import minigrad
    from tests.reference.differences import DIFFERENCES

    torch.set_warn_always(True)
    torch.set_num_threads(1)
    ledger.run(ledger.FIRST_DUAL, torch)
    rows = ledger.rows()
    broken = broken_promises(rows, torch)
    version = torch.__version__.partition("+")[0]
    recording = {
        "torch": version,
        "rows": entries(rows, torch),
        "differences": pairs(DIFFERENCES, torch, minigrad),
    }
    recording = json.loads(text(recording))
    if chosen.check:
        broken += changes(ledger.recorded(chosen.output), recording)
    if broken:
        print("\n".join(broken))
        print(f"\nPyTorch {version}: {len(broken)} differences.")
        return 1
    if not chosen.check:
        chosen.output.write_text(text(recording), encoding="utf-8")
    done = "agrees on" if chosen.check else "recorded:"
    print(f"PyTorch {version} {done} {len(rows)} rows, {len(DIFFERENCES)} differences.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
