"""Record what PyTorch's convolutions and poolings come to.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_convolution

It writes convolution.json beside this file: for each program the value of its last line, or
its error. tests/test_convolution.py runs the same programs on minigrad. All numbers are small
and whole, or halves of such, so that sums come to the same in any order.
"""

from pathlib import Path

from tests.reference import ledger

RECORDED = Path(__file__).with_name("convolution.json")
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
OPTIONS = (
    "stride=2", "stride=(1, 3)", "padding=1", "padding=(2, 0)", "dilation=2",
    "dilation=(1, 3)", "stride=2, padding=1", "stride=(2, 1), padding=1, dilation=2",
    "padding='valid'", "stride=3, padding=2", "stride=[2], padding=[1]",
)  # fmt: skip
PROGRAMS = [f"see(F.conv2d(x, w, b, {o}), x, w, b)" for o in OPTIONS]
PROGRAMS += [f"see(F.conv2d(x, some(6, 2, 3, 2), b, groups=2, {o}), x, b)" for o in OPTIONS]
PROGRAMS += [f"see(F.conv2d(x, some(8, 1, 2, 2), groups=4, {o}), x)" for o in OPTIONS]
LINES = ("stride=2", "padding=2", "dilation=3", "stride=2, padding=1, dilation=2")
PROGRAMS += [f"see(F.conv1d(line, v, b, {o}), line, v, b)" for o in LINES]
PROGRAMS += [
    "see(F.conv2d(x, w), x, w)",
    "see(F.conv2d(x, w, b), x, w, b)",
    "see(F.conv2d(x[0], w, b), x, w, b)",
    "see(F.conv2d(x[:0], w, b), w, b)",
    "see(F.conv2d(x, w.detach(), b.detach(), padding=1), x)",
    "see(F.conv2d(x.detach(), w, padding=1), w)",
    "see(F.conv2d(x, some(6, 4, 3, 3), b, padding='same'), x, b)",
    "see(F.conv2d(x, some(6, 4, 3, 3), padding='same', dilation=2), x)",
    "see(F.conv2d(some(1, 8, 2, 2), some(3, 8, 2, 2), padding=1))",
    "see(F.conv2d(q := some(2, 8, 2, 3), u := some(3, 8, 2, 2), padding=1), q, u)",
    "see(F.conv2d(q := some(2, 8, 3, 3), u := some(3, 8, 3, 3), stride=2), q, u)",
    "see(F.conv1d(line[0], v), line, v)",
    "see(F.conv1d(line, some(4, 4, 3), padding='same'), line)",
    "see(F.conv1d(line, some(4, 1, 3), groups=4), line)",
    "F.conv2d(x, w).is_contiguous(), F.conv2d(x[:, :, :2, :3], w[..., :2, :]).is_contiguous()",
    "F.conv2d(x, w).view(2, -1).shape",
    "F.conv2d(x.detach().long(), w.detach().long()).tolist()",
    "F.conv2d(x.detach().float(), w.detach().float()).dtype",
    "twice(lambda x, w, b: F.conv2d(x, w, b, stride=2, padding=1), x, w, b)",
    "twice(lambda x, w: F.conv2d(x, w, dilation=2), x, w)",
    "twice(lambda q, u: F.conv2d(q, u, padding=1), some(1, 6, 2, 2), some(2, 6, 2, 2))",
    "torch.autograd.grad(F.conv2d(x, w).sum(), x, create_graph=True)[0].grad_fn.name()",
    "torch.autograd.grad(F.conv2d(x, w).sum(), w, create_graph=True)[0].grad_fn.name()",
    "y = F.conv2d(x, w)\nw.data.add_(1)\ntorch.autograd.grad(y.sum(), x)[0].shape",
    "y = F.conv2d(x, w)\nwith torch.no_grad(): w.add_(1)\ny.sum().backward()",
    "y = F.conv2d(x, w)\ny.sum().backward()\ny.sum().backward()",
]
TURNED = ("", "stride=2", "stride=3, padding=1", "stride=2, output_padding=1",
          "stride=(2, 3), padding=(1, 0), output_padding=(0, 2)", "dilation=2",
          "padding=1, groups=2")  # fmt: skip
PROGRAMS += [
    f"see(F.conv_transpose2d(x, u := some(4, 3, 3, 2), some(3 * {1 + ('groups' in o)}),"
    f" {o}), x, u)"
    for o in TURNED
]
PROGRAMS += ["see(F.conv_transpose1d(line, some(4, 2, 3), stride=2), line)",
             "see(F.conv_transpose2d(x[0], some(4, 2, 2, 2)), x)"]  # fmt: skip
WINDOWS = ("2", "3, 2", "3, 1, 1", "(2, 3)", "(1, 2), (2, 1)", "3, 2, padding=(1, 0)",
           "2, 2, 1, ceil_mode=True", "4, 3, ceil_mode=True", "3, 2, 1, ceil_mode=True")  # fmt: skip
PROGRAMS += [f"see(F.max_pool2d(x, {o}), x)" for o in (*WINDOWS, "2, dilation=2")]
PROGRAMS += [f"see(F.avg_pool2d(x * 144, {o}), x)" for o in WINDOWS]
PROGRAMS += [
    f"see(F.avg_pool2d(x * 144, {o}, count_include_pad=False), x)" for o in WINDOWS[5:]
]
PROGRAMS += [
    f"[t.tolist() for t in F.max_pool2d(x, {o}, return_indices=True)]"
    for o in (*WINDOWS, "2, 1, dilation=2")
]
PARTS = ("2", "(5, 3)", "(None, 2)", "(3, 4)", "(7, 6)", "1", "(1, 4)", "(4, None)")
PROGRAMS += [f"see(F.adaptive_avg_pool2d(x * 7200, {o}), x)" for o in PARTS]
PROGRAMS += [
    "see(F.max_pool2d(t(1, 1, 4, 4, dtype=torch.float64, requires_grad=True), 3, 1))",
    "q = t(1, 1, 4, 4, dtype=torch.float64, requires_grad=True)\nsee(F.max_pool2d(q, 2), q)",
    "q = t(1, 1, 4, 4, dtype=torch.float64, requires_grad=True)\nsee(F.max_pool2d(q, 3, 1), q)",
    "q = torch.tensor([[[1.0, float('nan'), 3.0, float('nan')]]], requires_grad=True)\n"
    "F.max_pool2d(q, (1, 4)).sum().backward()\nq.grad.tolist()",
    "q = torch.tensor([[[-float('inf'), -float('inf')]]], requires_grad=True)\n"
    "F.max_pool2d(q, (1, 2)).sum().backward()\nq.grad.tolist()",
    "see(F.max_pool2d(x[0], 2), x)",
    "see(F.avg_pool2d(x[0] * 4, 2), x)",
    "see(F.avg_pool2d(x, 2, divisor_override=8), x)",
    "see(F.adaptive_avg_pool2d(x[0] * 6, (5, 3)), x)",
    "F.max_pool2d(x[:0], 2).shape, F.avg_pool2d(x[:0], 2).shape",
    "F.max_pool2d(x.detach().long(), 2).tolist()",
    "twice(lambda x: F.max_pool2d(x, 3, 2), x)",
    "twice(lambda x: F.avg_pool2d(x * 4, 2), x)",
    "twice(lambda x: F.adaptive_avg_pool2d(x * 36, (2, 4)), x)",
]
BLOCKS = ("2", "3, padding=1", "(2, 3), stride=2", "2, dilation=2", "2, 2, 1, 3")
PROGRAMS += [f"see(F.unfold(x, {o}), x)" for o in BLOCKS]
PROGRAMS += [f"u = F.unfold(x, {o})\nsee(F.fold(u, (5, 6), {o}), x)" for o in BLOCKS]
PROGRAMS += ["F.unfold(x[0], 2).shape, F.fold(F.unfold(x[0], 2), (5, 6), 2).shape"]
MODULES = ("nn.Conv2d(3, 4, 3)", "nn.Conv2d(3, 4, (3, 5), 2, 1, 2, bias=False)",
           "nn.Conv1d(2, 4, 3, groups=2)", "nn.Conv2d(3, 4, 3, padding='same')",
           "nn.MaxPool2d(2)", "nn.MaxPool2d(3, 2, 1, ceil_mode=True)", "nn.AvgPool2d(2)",
           "nn.AvgPool2d((2, 3), 1, 1)", "nn.AdaptiveAvgPool2d(1)",
           "nn.AdaptiveAvgPool2d((1, None))")  # fmt: skip
PROGRAMS += MODULES
PROGRAMS += [
    "torch.manual_seed(0)\nm = nn.Conv2d(3, 4, 3)\n"
    "[round(p, 6) for p in m.weight.ravel().tolist()[:20] + m.bias.tolist()]",
    "torch.manual_seed(1)\nm = nn.Conv1d(4, 6, 5, groups=2)\n"
    "[round(p, 6) for p in m.weight.ravel().tolist()[:9] + m.bias.tolist()]",
    "[(k, tuple(p.shape)) for k, p in nn.Conv2d(4, 6, (3, 2), groups=2).named_parameters()]",
    "m = nn.Conv2d(4, 6, 3, 2, 1)\nm(x.detach().float()).shape, m.stride, m.padding",
    "nn.MaxPool2d(2, return_indices=True)(x)[1].tolist()",
    "nn.AvgPool2d(2, divisor_override=1)(x).tolist()",
    "nn.AdaptiveAvgPool2d((5, 2))(x).shape",
]
PROGRAMS += """
F.conv2d(t(2, 3, 8, 8), t(4, 2, 3, 3))
F.conv2d(t(3, 8), t(4, 3, 3, 3))
F.conv2d(t(2, 3, 2, 2), t(4, 3, 3, 3))
F.conv2d(t(2, 3, 2, 2), t(4, 3, 3, 3), dilation=2, padding=1)
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), t(5))
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), t(4, 1))
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), stride=0)
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), stride=(1, 2, 3))
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), padding=-1)
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), dilation=0)
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), padding='same', stride=2)
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), padding='full')
F.conv2d(t(2, 4, 8, 8), t(3, 2, 3, 3), groups=2)
F.conv2d(t(2, 4, 8, 8), t(4, 4, 3, 3), groups=2)
F.conv2d(t(2, 4, 8, 8), t(4, 4, 3, 3), groups=0)
F.conv2d(t(2, 3, 8, 8).double(), t(4, 3, 3, 3))
F.conv2d(t(2, 3, 8, 8).long(), t(4, 3, 3, 3))
F.conv2d(t(2, 3, 8, 8), t(4, 3, 3, 3), t(4).double())
F.conv1d(t(8), t(4, 2, 3))
F.conv1d(t(3, 8), t(4, 2, 3))
F.conv1d(t(2, 3, 2), t(4, 3, 3))
F.conv1d(t(2, 3, 8), t(4, 3, 3), stride=(1, 2))
F.conv_transpose2d(t(2, 3, 8, 8), t(4, 3, 3, 3))
F.conv_transpose2d(t(2, 3, 8, 8), t(3, 4, 3, 3), output_padding=1)
F.conv_transpose2d(t(2, 3, 8, 8), t(3, 4, 3, 3), t(3))
F.max_pool2d(t(2, 3, 8, 8), 2, padding=2)
F.max_pool2d(t(2, 3, 8, 8), 0)
F.max_pool2d(t(2, 3, 8, 8), 9)
F.max_pool2d(t(8, 8), 2)
F.max_pool2d(t(2, 3, 8, 8), 2, stride=0)
F.max_pool2d(t(2, 3, 8, 8), 2, dilation=0)
F.max_pool2d(t(2, 3, 8, 8), 2, padding=-1)
F.max_pool2d(t(2, 3, 8, 8).bool(), 2)
F.max_pool2d([1.0], 2)
F.avg_pool2d(t(2, 3, 8, 8), 2, padding=2)
F.avg_pool2d(t(2, 3, 8, 8), 9)
F.avg_pool2d(t(2, 3, 8, 8), 2, divisor_override=0)
F.avg_pool2d(t(2, 3, 8, 8), 2, padding=-1)
F.adaptive_avg_pool2d(t(2, 3, 8, 8), (2, 2, 2))
F.adaptive_avg_pool2d(t(8, 8), 2)
F.adaptive_avg_pool2d(t(2, 3, 8, 8), -1)
F.adaptive_avg_pool2d(t(2, 3, 8, 8).long(), 2)
F.unfold(t(2, 3, 2, 2), 3)
F.unfold(t(8, 8), 3)
F.unfold(t(2, 3, 8, 8), 3, stride=0)
F.unfold(t(2, 3, 8, 8), 0)
F.unfold(t(2, 3, 8, 8), 3, padding=-1)
F.fold(t(2, 27, 35), (8, 8), 3)
F.fold(t(2, 26, 36), (8, 8), 3)
F.fold(t(36), (8, 8), 3)
nn.Conv2d(3, 4, 3, groups=2)
nn.Conv2d(3, 4, 3, groups=0)
nn.Conv2d(4, 3, 3, groups=2)
nn.Conv2d(3, 4, 3, padding='same', stride=2)
nn.Conv2d(3, 4, 3)(t(2, 4, 8, 8))
nn.Conv2d(3, 4, 3)(t(8, 8))
""".strip().splitlines()


CASES = {program: START + program for program in PROGRAMS}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
