"""Record what PyTorch answers about custom functions and checkpoints.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_custom

It writes custom.json beside this file: for each program what `found` held at its end,
or the type and the message of the error, and the warnings. The tests run the same
programs on minigrad.
"""

import json
import warnings
from pathlib import Path

START = """
x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
Function = torch.autograd.Function
seen = []

def make(forward, backward, **more):
    parts = {"forward": forward, "backward": backward, **more}
    return type("My", (Function,), {k: staticmethod(f) for k, f in parts.items()})

def double(ctx, a):
    return a * 2

def keep(ctx, a):
    ctx.save_for_backward(a)
    return a * a

def slope(ctx, g):
    return 2 * g * ctx.saved_tensors[0]

def keep_out(ctx, a):
    out = a.exp()
    ctx.save_for_backward(out)
    return out

def by_out(ctx, g):
    return g * ctx.saved_tensors[0]

def names(node):
    return [(n and n.name().split("::")[-1], k) for n, k in node.next_functions]

def grad(y, t=None, **o):
    return torch.autograd.grad(y.sum(), x if t is None else t, **o)[0]

checkpoint = torch.utils.checkpoint.checkpoint
sequential = torch.utils.checkpoint.checkpoint_sequential
"""
TEXT = Path(__file__).with_name("custom.txt")
CASES = TEXT.read_text(encoding="utf-8")


def plain(value):
    """A value without the library's own types: floats are rounded."""
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, float):
        return float(f"{value:.5g}")
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def answer(torch, program: str) -> dict:
    """What a library answers to a program."""
    scope = {"torch": torch}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(START, scope)
            exec(program.replace("\\n", "\n"), scope)
            found = {"found": plain(scope.get("found"))}
        except Exception as error:
            found = {"error": [type(error).__name__, str(error)]}
    found["warnings"] = [[w.category.__name__, str(w.message)] for w in caught]
    return found


PROGRAMS = CASES.strip().split("\n")

if __name__ == "__main__":
    import torch
    import torch.utils.checkpoint

    record = {program: answer(torch, program) for program in PROGRAMS}
    text = json.dumps(record, indent=1, ensure_ascii=False)
    Path(__file__).with_name("custom.json").write_text(text + "\n", encoding="utf-8")
