"""Record what PyTorch answers about anomaly mode, gradient edges, and called nodes.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_graph

The programs stand in graph.txt, one a line. What each has put into `found`, or its
error, and its warnings go to graph.json beside this file. The tests run the same
programs on minigrad.
"""

from pathlib import Path

from tests.reference import ledger

START = """
autograd, graph = torch.autograd, torch.autograd.graph
detect, edge = autograd.set_detect_anomaly, graph.get_gradient_edge
x = torch.tensor([1.0, 4.0], requires_grad=True)
w = torch.tensor([3.0, -1.0], requires_grad=True)
z = torch.tensor([0.0, 4.0], requires_grad=True)
v = torch.tensor([1.0, 10.0])
nan = float("nan")
log = []

def grad(y, t=None, **o):
    return autograd.grad(y, x if t is None else t, **o)

def fail(*given):
    raise ValueError("on purpose")

class Double(autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2

class Spoils(Double):
    @staticmethod
    def backward(ctx, g):
        return g * nan

class Two(autograd.Function):
    @staticmethod
    def forward(ctx, a):
        return a * 2, a * 3

    @staticmethod
    def backward(ctx, g, h):
        log.append((g, h))
        return g * 2 + h * 3
"""
HERE = Path(__file__).parent
RECORDED = HERE / "graph.json"
PROGRAMS = (HERE / "graph.txt").read_text(encoding="utf-8").strip().split("\n")
FOUND = "\nglobals().get('found')"  # what a program has put into this name
CASES = {line: START + line.replace("\\n", "\n") + FOUND for line in PROGRAMS}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    import torch.utils.checkpoint  # noqa: F401 (not loaded with torch)

    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
