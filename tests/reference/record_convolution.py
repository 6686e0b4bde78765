"""Record what PyTorch's convolutions and poolings come to.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_convolution

It writes convolution.json beside this file: for each program of convolution.txt the
value of its last line, or its error. tests/test_convolution.py runs the same programs
on minigrad. All numbers are whole, so that sums come to the same in any order.
"""

from pathlib import Path

from tests.reference import ledger

START = """
F, nn = torch.nn.functional, torch.nn

def some(*shape):
    n = int(np.prod(shape))
    numbers = (np.arange(n) * 7 % 11 - 4).reshape(shape)
    return torch.tensor(numbers, dtype=torch.float64, requires_grad=True)

def names(node):
    return [n and n.name().split("::")[-1] for n, _ in node.next_functions]

def see(out, *leaves):
    weights = torch.arange(out.numel(), dtype=torch.float64).reshape(out.shape) % 5 - 2
    weights = weights * 720  # which can be divided
    grads = torch.autograd.grad(out, leaves, weights)
    node = out.grad_fn
    shown = [out.detach(), *grads]
    return node.name(), names(node), [(tuple(t.shape), t.tolist()) for t in shown]

def twice(f, *leaves):
    out = f(*leaves)
    first = torch.autograd.grad((out * out).sum(), leaves, create_graph=True)
    total = sum((g * g).sum() for g in first)
    return [g.tolist() for g in torch.autograd.grad(total, leaves)]

x, w, b = some(2, 4, 5, 6), some(6, 4, 3, 2), some(6)
line, v = some(2, 4, 7), some(6, 4, 3)
t = torch.zeros
"""
HERE = Path(__file__).parent
RECORDED = HERE / "convolution.json"
PROGRAMS = (HERE / "convolution.txt").read_text(encoding="utf-8").strip().split("\n")
CASES = {line: START + line.replace("\\n", "\n") for line in PROGRAMS}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
