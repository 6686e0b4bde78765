"""Record what PyTorch answers about batches and functions of functions.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_vmap

The programs stand in vmap.txt, one a line. What each has put into `found`, or its
error, and its warnings go to vmap.json beside this file. The tests run the same
programs on minigrad.
"""

from pathlib import Path

from tests.reference import ledger

START = """
F, J = torch.nn.functional, torch.autograd.functional
vmap, grad, grad_and_value = torch.func.vmap, torch.func.grad, torch.func.grad_and_value
vjp, jvp, hessian = torch.func.vjp, torch.func.jvp, torch.func.hessian
jacrev, jacfwd = torch.func.jacrev, torch.func.jacfwd

def arr(*shape, seed=0):
    n = 1
    for length in shape:
        n *= length
    steps = torch.arange(n, dtype=torch.float64) + 1
    return torch.sin(steps * (1.3 + seed)).reshape(shape)

def plain(value):
    if isinstance(value, dict):
        return {key: plain(v) for key, v in value.items()}
    if isinstance(value, (tuple, list)):
        return [type(value).__name__, *map(plain, value)]
    if not hasattr(value, "detach"):
        return value
    zero = 0.0 if value.is_floating_point() else 0  # and -0.0 + 0.0 is 0.0
    return [value.requires_grad, value.detach() + zero]
"""
HERE = Path(__file__).parent
RECORDED = HERE / "vmap.json"
PROGRAMS = (HERE / "vmap.txt").read_text(encoding="utf-8").strip().split("\n")
FOUND = "\nplain(globals().get('found'))"  # what a program has put into this name
CASES = {line: START + line.replace("\\n", "\n") + FOUND for line in PROGRAMS}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
