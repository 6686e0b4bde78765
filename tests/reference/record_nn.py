"""Record what PyTorch's modules and losses answer.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_nn

It writes nn.json beside this file: for each program what ``found`` held at its end, or
the error, and the warnings. tests/test_nn.py runs the same programs on minigrad.
"""

import itertools
import json
import warnings
from pathlib import Path

START = """
nn, F = torch.nn, torch.nn.functional
k64 = {"dtype": torch.float64}
def wave(*shape, step=0.7):
    n = 1
    for length in shape:
        n *= length
    return torch.sin(torch.arange(n, **k64) * step + 0.3).reshape(shape)
def fill(module):
    for k, p in enumerate(module.parameters()):
        p.data = wave(*p.shape, step=0.5 + 0.1 * k).to(p.dtype)
    return module
def study(module, x, *more):
    # outputs, gradients of parameters and input, second derivatives of the input
    x = x.clone().requires_grad_()
    y = module(x, *more)
    ys = y if isinstance(y, tuple) else (y,)
    flat = []
    for part in ys:
        flat += list(part) if isinstance(part, tuple) else [part]
    total = 0
    for t in flat:
        total = total + (t * wave(*t.shape, step=0.9).to(t.dtype)).sum()
    own = [p for p in module.parameters() if p.requires_grad]
    grads = torch.autograd.grad(total, [x, *own], create_graph=True, allow_unused=True)
    grads = [g for g in grads if g is not None]
    second = None
    if grads[0].requires_grad:
        (second,) = torch.autograd.grad((grads[0] ** 2).sum(), x, allow_unused=True)
    second = torch.zeros_like(x) if second is None else second + torch.zeros_like(x)
    return [flat, grads, second]
def loss_study(loss, x, t):
    x = x.clone().requires_grad_()
    y = loss(x, t)
    w = wave(*y.shape, step=0.4).to(y.dtype)
    (g,) = torch.autograd.grad((y * w).sum(), x, create_graph=True)
    second = None
    if g.requires_grad:
        v = wave(*g.shape)
        (second,) = torch.autograd.grad((g * v).sum(), x, allow_unused=True)
    second = torch.zeros_like(x) if second is None else second + torch.zeros_like(x)
    return [y, g, second]
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(3, 4)
        self.rest = nn.ModuleList([nn.Linear(4, 4), nn.ReLU()])
        self.scale = nn.Parameter(torch.ones(2))
        self.register_buffer("seen", torch.zeros(1))
        self.register_buffer("hidden", torch.zeros(1), persistent=False)
        self.twin = self.first
    def forward(self, x):
        return self.rest[0](self.first(x)).relu() * self.scale[0]
net = Net()
def names(pairs):
    return [name for name, _ in pairs]
"""


def studied() -> list[str]:
    """Programs that compare outputs, gradients and second derivatives."""
    calls = [
        ("nn.Linear(3, 2)", "3", "4, 3", "2, 5, 3", "0, 3"),
        ("nn.Linear(3, 2, bias=False)", "3", "4, 3", "2, 5, 3"),
        ("nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 2))", "5, 3"),
        ("nn.LayerNorm(3)", "4, 3", "2, 4, 3"),
        ("nn.LayerNorm((4, 3))", "2, 4, 3"),
        ("nn.LayerNorm(3, eps=0.1, elementwise_affine=False)", "4, 3"),
        ("nn.LayerNorm(3, bias=False)", "4, 3"),
        ("nn.BatchNorm1d(3)", "4, 3", "2, 3, 5"),
        ("nn.BatchNorm1d(3).eval()", "4, 3", "1, 3"),
        ("nn.BatchNorm1d(3, affine=False, momentum=None)", "4, 3"),
        ("nn.BatchNorm1d(3, track_running_stats=False).eval()", "4, 3"),
        ("nn.BatchNorm2d(3)", "2, 3, 2, 2"),
        ("nn.BatchNorm2d(3).eval()", "2, 3, 2, 2"),
        ("nn.Flatten()", "2, 3, 2"),
        ("nn.Flatten(0, 1)", "2, 3, 2"),
        ("nn.Unflatten(1, (2, 3))", "2, 6"),
        ("nn.Identity()", "2, 3"),
        ("nn.Dropout(0.5).eval()", "2, 3"),
        ("nn.Dropout(0.0)", "2, 3"),
        ("nn.RNN(3, 2)", "4, 2, 3", "4, 3"),
        ("nn.RNN(3, 2, 2, nonlinearity='relu')", "4, 2, 3"),
        ("nn.RNN(3, 2, 2, 'relu', False, True)", "2, 4, 3"),
        ("nn.LSTM(3, 2)", "4, 2, 3", "4, 3"),
        ("nn.LSTM(3, 2, 2, batch_first=True)", "2, 4, 3"),
        ("nn.LSTM(3, 2, bias=False)", "4, 2, 3"),
        ("nn.LSTM(3, 2, 2, bidirectional=True)", "4, 2, 3", "4, 3"),
        ("nn.RNN(3, 2, batch_first=True, bidirectional=True)", "2, 4, 3"),
    ]
    bends = ["ReLU()", "LeakyReLU()", "LeakyReLU(0.3)", "ELU()", "ELU(0.5)", "GELU()"]
    bends += ["GELU('tanh')", "SiLU()", "Tanh()", "Sigmoid()", "Softplus()"]
    bends += ["Softplus(2, 1.0)", "Softmax(-1)", "Softmax(0)", "LogSoftmax(1)"]
    calls += [(f"nn.{bend}", "3, 4") for bend in bends]
    found = []
    for call, *shapes in calls:
        for shape in shapes:
            found.append(f"found = study(fill({call}.double()), wave({shape}))")
    for call, shape in [("nn.Linear(3, 2)", "4, 3"), ("nn.LayerNorm(3)", "4, 3")]:
        found.append(f"found = study(fill({call}), wave({shape}).float())")
    for state in ("RNN", "LSTM"):
        hx = "(wave(1, 2, 2), wave(1, 2, 2))" if state == "LSTM" else "wave(1, 2, 2)"
        found.append(
            f"found = study(fill(nn.{state}(3, 2).double()), wave(4, 2, 3), {hx})"
        )
    return found


def lost() -> list[str]:
    """Programs that compare losses and their gradients, first and second."""
    reductions = ("mean", "sum", "none")
    paired = ["MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCEWithLogitsLoss"]
    found = [
        f"found = loss_study(nn.{loss}(reduction={r!r}), wave(3, 4), "
        f"wave(3, 4, step=1.1).abs())"
        for loss, r in itertools.product(paired, reductions)
    ]
    for options in ("beta=0.3", "beta=0.0"):
        found.append(
            f"found = loss_study(nn.SmoothL1Loss({options}), wave(3, 4), "
            "wave(3, 4) ** 2)"
        )
    found.append(
        "found = loss_study(nn.HuberLoss(delta=0.3), wave(3, 4), wave(3, 4) ** 2)"
    )
    for r in reductions:
        probabilities = "wave(3, 4).sigmoid(), wave(3, 4, step=1.1).abs()"
        found += [
            f"found = loss_study(nn.BCELoss(reduction={r!r}), {probabilities})",
            f"found = loss_study(nn.BCELoss(wave(4).abs(), reduction={r!r}), "
            f"{probabilities})",
            f"found = loss_study(nn.BCEWithLogitsLoss(pos_weight=wave(4).abs(), "
            f"reduction={r!r}), wave(3, 4), wave(3, 4, step=1.1).abs())",
        ]
        for log_target in (False, True):
            target = "wave(3, 4, step=1.1).log_softmax(1)" + ".exp()" * (not log_target)
            for red in (r, "batchmean") if r == "sum" else (r,):
                found.append(
                    f"found = loss_study(nn.KLDivLoss(reduction={red!r}, log_target="
                    f"{log_target}), wave(3, 4).log_softmax(1), {target})"
                )
    shapes = [("3, 4", "[1, 3, 0]"), ("2, 4, 3", "[[1, 3, 0], [2, 2, 1]]"), ("4,", "2")]
    options = ["", "weight=wave(4).abs()", "ignore_index=1"]
    smoothed = ["label_smoothing=0.1", "label_smoothing=0.2, weight=wave(4).abs()"]
    smoothed += ["label_smoothing=0.2, weight=wave(4).abs(), ignore_index=1"]
    for r, (shape, target) in itertools.product(reductions, shapes):
        for more in options:
            call = f"{more}{', ' * bool(more)}reduction={r!r}"
            found += [
                f"found = loss_study(nn.NLLLoss({call}), wave({shape}), "
                f"torch.tensor({target}))",
            ]
        for more in options + smoothed:
            call = f"{more}{', ' * bool(more)}reduction={r!r}"
            found.append(
                f"found = loss_study(nn.CrossEntropyLoss({call}), 3 * wave({shape}), "
                f"torch.tensor({target}))"
            )
        for more in ["", "weight=wave(4).abs()", "label_smoothing=0.1"]:
            call = f"{more}{', ' * bool(more)}reduction={r!r}"
            axis = 0 if shape == "4," else 1
            found.append(
                f"found = loss_study(nn.CrossEntropyLoss({call}), wave({shape}), "
                f"wave({shape} step=1.3).softmax({axis}))".replace(
                    "4 step", "4, step"
                ).replace("3 step", "3, step")
            )
    return found


TEXT = Path(__file__).with_name("nn.txt")
PROGRAMS = [*studied(), *lost()]
PROGRAMS += TEXT.read_text(encoding="utf-8").strip().split("\n")


def plain(value):
    """A value without the library's own types: numbers, texts, lists."""
    if hasattr(value, "tolist"):
        return plain(value.detach().double().tolist())
    if isinstance(value, float):
        return float(f"{value:.12g}")
    if isinstance(value, dict):
        return [[k, plain(v)] for k, v in value.items()]
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


if __name__ == "__main__":
    import torch

    torch.set_num_threads(1)
    lines = [
        f"{json.dumps(program)}: {json.dumps(answer(torch, program))}"
        for program in dict.fromkeys(PROGRAMS)
    ]
    path = Path(__file__).with_name("nn.json")
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    print(len(lines), "cases")
