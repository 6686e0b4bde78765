"""Record what PyTorch's engine answers to many requests on a few small graphs.

Run with a Python that has PyTorch:

    python tests/reference/record_engine.py

It writes engine.json beside this file; tests/test_engine.py puts the same programs to
minigrad. Each program builds a graph and asks something of it, often twice: what the
second request finds freed is part of the answer. Numbers are exact in float32.

One thing is left out: asked to accumulate into a result, PyTorch frees what the node of
that result has saved, although it goes no further. minigrad keeps it.
"""

import itertools
import json
import sys
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.reference import ledger

PATH = Path(__file__).with_name("engine.json")

# name: (the program that builds it, tensors to ask for, outputs to start from)
GRAPHS = {
    "product": ("x, w = leaf(2.0), leaf(3.0)\ny = x * w", "x w y", "y"),
    "diamond": ("x = leaf(3.0)\nh = x * x\ny = h * h", "x h y", "y"),
    "lean diamond": ("x = leaf(3.0)\nh = x + 1\ny = h * h + h", "x h y", "y"),
    "two losses": (
        "x, w = leaf(2.0), leaf(5.0)\nh = x * w\na = h * h\nb = h * x",
        "x w h a",
        "a b",
    ),
    "root inside": ("x = leaf(2.0)\nh = x * x\ny = h * h * x", "x h", "y h"),
    "twice a root": ("x = leaf(2.0)\ny = x * x", "x y", "y y"),
    "leaf as root": ("x = leaf(2.0)\ny = x * x", "x y", "x y"),
    "weights": (
        "x, b = leaf([1.0, 2.0]), leaf(3.0)\nh = x * b\ny = h * x",
        "x b h",
        "y",
    ),
    "stranger": ("x, w = leaf(2.0), leaf(3.0)\nh = x * x\ny = h + 1", "x w h", "y"),
    "dead branch": (
        "x, w = leaf(2.0), leaf(3.0)\nh = w * w\ny = x * h * x.detach()",
        "x w h",
        "y",
    ),
    "two kinds": (
        "x, w = leaf([1.0, 2.0]), leaf([4.0, 8.0], torch.float64)\n"
        "h = x * w\ny = h.to(torch.float32) * x",
        "x w h",
        "y",
    ),
    "sum and shape": (
        "x, w = leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([[2.0], [1.0]])\n"
        "h = x @ w\ny = (x.t() * w).sum(0).reshape(2, 1) * h",
        "x w h",
        "y",
    ),
}
LEAVES = {"x", "w", "b"}
START = """\
def leaf(value, dtype=torch.float32):
    return torch.tensor(value, dtype=dtype, requires_grad=True)

def tried(request):
    try:
        return request()
    except RuntimeError as error:
        return str(error).partition(" ")[0]

def weights(y):
    return torch.arange(1.0, y.numel() + 1).reshape(y.shape)

"""


def programs() -> dict[str, str]:
    """Every program, by name."""
    made = {}
    for graph, (build, asked, roots) in GRAPHS.items():
        outputs, v = _listed(roots), _listed(f"weights({r})" for r in roots.split())
        for inputs in _choices(asked.split()):
            call = f"torch.autograd.grad({outputs}, {_listed(inputs)}, {v}, "
            name = f"{graph}: grad by {' '.join(inputs)}"
            twice = f"[tried(lambda: {call}allow_unused=True)) for _ in range(2)]"
            made[name] = f"{START}{build}\n{twice}"
            made[f"{name}, retained"] = (
                f"{START}{build}\nfirst = {call}retain_graph=True, allow_unused=True)\n"
                f"torch.autograd.backward({outputs}, {v})\n"
                f"(first, {_grads(asked)})"
            )
            made[f"{name}, twice"] = (
                f"{START}{build}\nfirst = {call}create_graph=True, allow_unused=True)\n"
                "total = [g.sum() for g in first if g is not None and g.grad_fn]\n"
                f"tried(lambda: torch.autograd.grad(total, {_listed(asked.split())}, "
                "allow_unused=True)) if total else None"
            )
            again = ", tried(back)" if {*inputs} <= LEAVES else ""
            made[f"{graph}: backward for {' '.join(inputs)}"] = (
                f"{START}{build}\n"
                f"back = lambda: torch.autograd.backward({outputs}, {v}, "
                f"inputs={_listed(inputs)})\n"
                f"(tried(back), {_grads(asked)}{again})"
            )
        made[f"{graph}: backward twice"] = (
            f"{START}{build}\nback = lambda: torch.autograd.backward({outputs}, {v})\n"
            f"(tried(back), {_grads(asked)}, tried(back))"
        )
    return made


def _choices(names: list[str]) -> list[tuple[str, ...]]:
    """One of the names, or two, or one twice."""
    return [(n,) for n in names] + [*itertools.combinations_with_replacement(names, 2)]


def _listed(parts) -> str:
    parts = parts.split() if isinstance(parts, str) else parts
    return f"[{', '.join(parts)}]"


def _grads(names: str) -> str:
    """What has been accumulated; reading it from a non-leaf would warn."""
    read = ", ".join(
        f"{n}.grad if {n}.is_leaf or {n}.retains_grad else '-'" for n in names.split()
    )
    return f"[{read}]"


def main():
    import torch

    answers = {name: ledger.run(code, torch) for name, code in programs().items()}
    failed = [name for name, answer in answers.items() if answer.error]
    if failed:
        raise SystemExit(f"{answers[failed[0]].error} in {failed}")
    recorded = {
        "torch": torch.__version__.partition("+")[0],
        "answers": {name: answer.value for name, answer in answers.items()},
    }
    lines = json.dumps(recorded, indent=0, ensure_ascii=False)
    PATH.write_text(lines + "\n", encoding="utf-8")
    print(f"{len(answers)} programs recorded with PyTorch {recorded['torch']}")


if __name__ == "__main__":
    main()
