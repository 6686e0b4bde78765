"""Record what PyTorch's attention answers.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_attention

The programs stand in attention.txt, one a line. What each has put into `found`, or its
error, and its warnings go to attention.json beside this file. The tests run the same
programs on minigrad.
"""

from pathlib import Path

from tests.reference import ledger

START = """
F, nn, kinds = torch.nn.functional, torch.nn, torch.float64
attend = F.scaled_dot_product_attention

def wave(*shape, step=0.7):
    n = 1
    for length in shape:
        n *= length
    return torch.sin(torch.arange(n, dtype=kinds) * step + 0.3).reshape(shape)

def rounded(t, digits=8):
    numbers = t.detach().double().flatten().tolist()
    return tuple(t.shape), [round(v, digits) + 0.0 for v in numbers]

def leaves(*shapes):
    made = [wave(*shape, step=0.5 + 0.3 * k) for k, shape in enumerate(shapes)]
    return [x.requires_grad_() for x in made]

def given(out):
    return [y for y in (out if isinstance(out, tuple) else (out,)) if y is not None]

def see(f, *xs):
    # the outputs, the first gradients, and second ones of their squares
    out = given(f(*xs))
    total = sum((y * wave(*y.shape, step=0.9)).sum() for y in out)
    first = torch.autograd.grad(total, xs, create_graph=True)
    total = sum((g * g).sum() for g in first)
    second = torch.autograd.grad(total, xs, allow_unused=True)
    second = [torch.zeros_like(x) if g is None else g for x, g in zip(xs, second)]
    return [[rounded(t) for t in ts] for ts in (out, first, second)]

def fill(module):
    for k, p in enumerate(module.parameters()):
        p.data = wave(*p.shape, step=0.5 + 0.1 * k).to(p.dtype)
    return module

def study(module, f, *xs):
    # the same, with the gradients of parameters
    out = given(f(module, *xs))
    total = sum((y * wave(*y.shape, step=0.9).to(y.dtype)).sum() for y in out)
    names, own = zip(*module.named_parameters())
    grads = torch.autograd.grad(total, [*xs, *own], allow_unused=True)
    grads = [g if g is None else rounded(g) for g in grads]
    return [rounded(y) for y in out], names, grads

def many(n, heads, **more):
    return fill(nn.MultiheadAttention(n, heads, **more).to(kinds))

def names(node):
    return [n and n.name().split("::")[-1] for n, _ in node.next_functions]

q, k, v = leaves((2, 3, 4, 2), (2, 3, 5, 2), (2, 3, 5, 3))
one, two, three = torch.ones(1, 2), torch.ones(2, 2), torch.ones(2, 2, 2)
may = torch.tensor([[True, False, True, True, False]] * 3 + [[False] * 4 + [True]])
x, y, z = leaves((4, 2, 6), (5, 2, 6), (5, 2, 6))
"""
HERE = Path(__file__).parent
RECORDED = HERE / "attention.json"
PROGRAMS = (HERE / "attention.txt").read_text(encoding="utf-8").strip().split("\n")
FOUND = "\nglobals().get('found')"  # what a program has put into this name
CASES = {line: START + line.replace("\\n", "\n") + FOUND for line in PROGRAMS}


# PyTorch's fast kernel has no second derivative; its slow one has other messages
SLOW = "torch.backends.cuda.enable_flash_sdp({})\n"


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    cases = {n: SLOW.format("see(" not in n) + code for n, code in CASES.items()}
    ledger.record(cases, RECORDED)


if __name__ == "__main__":
    main()
