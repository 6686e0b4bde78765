"""Record what PyTorch answers about custom functions and checkpoints.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_custom

The programs stand in custom.txt, one a line. What each has put into `found`, or its
error, and its warnings go to custom.json beside this file. The tests run the same
programs on minigrad.
"""

from pathlib import Path

from tests.reference import ledger

START = """
x = torch.tensor([0.5, 2.0], dtype=torch.float64, requires_grad=True)
w = torch.tensor([3.0, -1.0], dtype=torch.float64, requires_grad=True)
c = torch.tensor([1.5, 4.0], dtype=torch.float64)
Function = torch.autograd.Function
saving, ad = torch.autograd.graph.saved_tensors_hooks, torch.autograd.forward_ad
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

def show(ctx, a):  # a view
    return a.view(2, 1)

def five(ctx, g):
    return g.view(2) * 5

def many(forward):
    def backward(ctx, g):
        n = len(ctx.needs_input_grad)
        seen.append(n)
        return (g * 2, *[None] * (n - 1))
    return make(forward, backward)

def multiply(ctx, a, k=2, m=3):
    return a * k * m

checkpoint = torch.utils.checkpoint.checkpoint
sequential = torch.utils.checkpoint.checkpoint_sequential
"""
HERE = Path(__file__).parent
RECORDED = HERE / "custom.json"
PROGRAMS = (HERE / "custom.txt").read_text(encoding="utf-8").strip().split("\n")
FOUND = "\nglobals().get('found')"  # what a program has put into this name
CASES = {line: START + line.replace("\\n", "\n") + FOUND for line in PROGRAMS}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    import torch.utils.checkpoint  # noqa: F401 (not loaded with torch)

    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
