"""Record what PyTorch's optimisers, schedules, orders of batches and loops come to.

Run at the root of the repository, with a Python that has PyTorch:

    python -m tests.reference.record_optim

It writes optim.json beside this file; tests/test_optim.py runs the same functions on
minigrad. Every function here is given the module to run on.
"""

import json
from pathlib import Path

import numpy as np

PATH = Path(__file__).with_name("optim.json")
STEPS = 20
DECAY = {"weight_decay": 0.1}
RULES = {
    "SGD": [
        {"lr": 0.1},
        {"lr": 0.1, **DECAY},
        {"lr": 0.1, "maximize": True, **DECAY},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, **DECAY},
        {"lr": 0.1, "momentum": 0.5, "maximize": True, "dampening": 0.5, **DECAY},
    ],
    "Adam": [
        {},
        {"lr": 0.1},
        {"lr": 0.1, **DECAY},
        {"lr": 0.1, "amsgrad": True, "betas": (0.5, 0.9)},
        {"lr": 0.1, "betas": (0.0, 0.0), "eps": 0.1},
        {"lr": 0.1, "betas": (0.3, 0.8), "maximize": True, **DECAY},
        {"lr": 0.1, "decoupled_weight_decay": True, **DECAY},
    ],
    "AdamW": [
        {},
        {"lr": 0.1, **DECAY},
        {"lr": 0.1, "amsgrad": True, "maximize": True, **DECAY},
        {"lr": 0.1, "weight_decay": 0},
    ],
    "RMSprop": [
        {},
        {"lr": 0.1, "alpha": 0.9},
        {"lr": 0.1, "centered": True},
        {"lr": 0.1, "momentum": 0.9, **DECAY},
        {"lr": 0.1, "centered": True, "momentum": 0.5, "maximize": True, "eps": 0.01},
    ],
    "Adagrad": [
        {},
        {"lr": 0.1, "lr_decay": 0.1, "initial_accumulator_value": 0.5, **DECAY},
        {"lr": 0.1, "maximize": True, "eps": 0.1},
    ],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.5, "eps": 1e-3, "maximize": True, **DECAY}],
    "Adamax": [{}, {"lr": 0.1, "betas": (0.5, 0.99), "maximize": True, **DECAY}],
    "NAdam": [
        {},
        {"lr": 0.1, "momentum_decay": 0.1, **DECAY},
        {"lr": 0.01, "decoupled_weight_decay": True, "maximize": True, **DECAY},
    ],
    "RAdam": [
        {},
        {"lr": 0.1, "betas": (0.5, 0.9), **DECAY},
        {"lr": 0.1, "decoupled_weight_decay": True, "maximize": True, **DECAY},
    ],
    "ASGD": [{}, {"lr": 0.1, "lambd": 0.1, "t0": 5, "maximize": True, **DECAY}],
}
VALLEYS = [
    {"max_iter": 4},
    {"lr": 0.3, "max_iter": 5, "history_size": 2},
    {"line_search_fn": "strong_wolfe", "max_iter": 3},
    {"lr": 0.5, "line_search_fn": "strong_wolfe", "max_eval": 7, "max_iter": 2},
]
SCHEDULES = {
    "StepLR": [{"step_size": 4}, {"step_size": 3, "gamma": 0.5}],
    "MultiStepLR": [{"milestones": [2, 5, 5, 9], "gamma": 0.5}],
    "ExponentialLR": [{"gamma": 0.9}],
    "ConstantLR": [{}, {"factor": 0.5, "total_iters": 3}],
    "LinearLR": [{}, {"start_factor": 0.1, "end_factor": 0.5, "total_iters": 9}],
    "CosineAnnealingLR": [{"T_max": 7}, {"T_max": 10, "eta_min": 0.01}],
    "PolynomialLR": [{}, {"total_iters": 8, "power": 2.0}],
    "CosineAnnealingWarmRestarts": [
        {"T_0": 6},
        {"T_0": 3, "T_mult": 2, "eta_min": 0.01},
    ],
    "CyclicLR": [
        {"base_lr": 0.01, "max_lr": 0.1, "step_size_up": 3},
        {
            "base_lr": [0.01, 0.02],
            "max_lr": 0.1,
            "step_size_up": 2,
            "step_size_down": 4,
            "mode": "triangular2",
        },
        {
            "base_lr": 0.01,
            "max_lr": 0.1,
            "step_size_up": 4,
            "mode": "exp_range",
            "gamma": 0.9,
            "base_momentum": 0.5,
        },
    ],
    "OneCycleLR": [
        {"max_lr": 0.5, "total_steps": 21},
        {"max_lr": [0.5, 1.0], "epochs": 4, "steps_per_epoch": 6, "pct_start": 0.4},
        {"max_lr": 1.0, "total_steps": 21, "three_phase": True, "div_factor": 4.0},
        {"max_lr": 1.0, "total_steps": 25, "anneal_strategy": "linear"},
    ],
}
METRICS = [5, 4, 4, 4, 3, 3.0001, 3, 3, 3, 3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2]
PLATEAUS = [
    {"patience": 1},
    {"patience": 0, "cooldown": 2, "factor": 0.5},
    {"patience": 1, "mode": "max", "min_lr": 0.02},
    {"patience": 1, "threshold": 0.5, "threshold_mode": "abs", "factor": 0.3},
    {"patience": 2, "threshold": 0.3, "threshold_mode": "rel", "factor": 0.3},
]


def fixed(torch, rule: str, options: dict, dtype: str) -> dict:
    """Twenty steps under gradients that are given; two groups, one gradient missing."""
    rng = np.random.default_rng(18)
    kind = getattr(torch, dtype)
    shapes = (3, 4), (5,), (), (2,)
    w = [
        torch.tensor(rng.standard_normal(s), dtype=kind, requires_grad=True)
        for s in shapes
    ]
    groups = [{"params": w[:2]}, {"params": w[2:], "lr": 0.03}]
    optimizer = getattr(torch.optim, rule)(groups, **options)
    for _ in range(STEPS):
        for p, s in zip(w[:3], shapes, strict=False):
            p.grad = torch.tensor(rng.standard_normal(s), dtype=kind)
        optimizer.step()
    return {
        "values": [p.tolist() for p in w],
        "state": plain(optimizer.state_dict()["state"]),
        "versions": [p._version for p in w],
    }


def squares(torch, rule: str, options: dict, dtype: str) -> dict:
    """Twenty steps on a small problem of least squares, by closures."""
    rng, kind = np.random.default_rng(5), getattr(torch, dtype)
    a, b = (torch.tensor(rng.standard_normal(s), dtype=kind) for s in ((8, 3), (8,)))
    w = torch.zeros(3, dtype=kind, requires_grad=True)
    optimizer = getattr(torch.optim, rule)([("w", w)], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((a @ w - b) ** 2).mean() * (-1 if options.get("maximize") else 1)
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(STEPS)]
    return {"values": w.tolist(), "losses": losses, "text": repr(optimizer)}


def valley(torch, options: dict, dtype: str) -> dict:
    """Ten steps of L-BFGS through Rosenbrock's valley, in two parameters."""
    kind = getattr(torch, dtype)
    x, y = (torch.tensor([v], dtype=kind, requires_grad=True) for v in (-1.2, 1.0))
    optimizer = torch.optim.LBFGS([x, y], **options)

    def closure():
        optimizer.zero_grad()
        loss = ((1 - x) ** 2 + 10 * (y - x * x) ** 2).sum()
        loss.backward()
        return loss

    losses = [optimizer.step(closure).item() for _ in range(10)]
    state = optimizer.state_dict()["state"][0]
    calls = {k: state[k] for k in ("func_evals", "n_iter")}
    return {"losses": losses, "ends": [x.tolist(), y.tolist()], "calls": calls}


def valleys(torch) -> dict:
    """L-BFGS with several options, in both precisions."""
    return {
        f"{options} {dtype}": valley(torch, options, dtype)
        for options in VALLEYS
        for dtype in ("float32", "float64")
    }


def rates(torch, make, metrics=None) -> dict:
    """The rates of twenty epochs of a schedule, for two groups, and its state."""
    w = [torch.zeros(1, requires_grad=True) for _ in range(2)]
    groups = [{"params": w[:1]}, {"params": w[1:], "lr": 0.2}]
    optimizer = torch.optim.SGD(groups, lr=0.1)
    schedule = make(torch.optim.lr_scheduler, optimizer)
    found = [schedule.get_last_lr()]
    for k in range(20):
        optimizer.step()
        schedule.step(*([] if metrics is None else [metrics[k]]))
        found.append(schedule.get_last_lr())
    state = {k: plain(v) for k, v in schedule.state_dict().items()}
    public = {"_step_count", "_last_lr"}
    inner = [k for k in state if k.startswith("_") and k not in public]
    if "total_steps" in state:  # how a cycle is kept is each library's own matter
        state = {k: v for k, v in state.items() if k not in inner and k != "use_beta1"}
    momenta = [group["momentum"] for group in optimizer.param_groups]
    return {"rates": found, "state": state, "momenta": momenta}


def schedules(torch) -> dict:
    """All schedules, by name."""
    makers = {
        f"{name} {options}": lambda m, o, n=name, x=options: getattr(m, n)(o, **x)
        for name, several in SCHEDULES.items()
        for options in several
    }
    makers["LambdaLR"] = lambda m, o: m.LambdaLR(o, lambda k: 1 / (k + 1))
    makers["MultiplicativeLR"] = lambda m, o: m.MultiplicativeLR(
        o, [lambda k: 0.9, lambda k: 1 - 0.01 * k]
    )
    makers["chained"] = lambda m, o: m.ChainedScheduler(
        [m.ConstantLR(o, 0.1, total_iters=4), m.ExponentialLR(o, 0.9)]
    )
    makers["two lambdas"] = lambda m, o: m.LambdaLR(
        o, [lambda k: 0.9**k, lambda k: 1.0 * k]
    )
    makers["warm-up"] = lambda m, o: m.SequentialLR(
        o, [m.LinearLR(o, 0.1, total_iters=5), m.CosineAnnealingLR(o, 15)], [5]
    )
    makers["three in turn"] = lambda m, o: m.SequentialLR(
        o, [m.ConstantLR(o), m.StepLR(o, 2), m.ExponentialLR(o, 0.5)], [4, 11]
    )
    found = {name: rates(torch, make) for name, make in makers.items()}
    for options in PLATEAUS:
        make = lambda m, o, x=options: m.ReduceLROnPlateau(o, **x)  # noqa: E731
        found[f"ReduceLROnPlateau {options}"] = rates(torch, make, METRICS)
    return found


def orders(torch) -> dict:
    """Batches in PyTorch's own order."""
    data, found = torch.utils.data, {}
    rows = data.TensorDataset(torch.arange(11), torch.arange(11) * 0.5)
    for drop in (False, True):
        stream = torch.Generator().manual_seed(3)
        loader = data.DataLoader(
            rows, 4, shuffle=True, drop_last=drop, generator=stream
        )
        found[f"own generator {drop}"] = [[plain(b) for b in loader] for _ in range(2)]
        torch.manual_seed(7)
        loader = data.DataLoader(rows, 4, shuffle=True, drop_last=drop)
        found[f"default {drop}"] = [[plain(b) for b in loader] for _ in range(2)]
        found[f"length {drop}"] = len(loader)
    stream = torch.Generator().manual_seed(1)
    for lengths in ([7, 4], [0.5, 0.3, 0.2], [0.34, 0.33, 0.33]):
        parts = data.random_split(range(11), lengths, generator=stream)
        found[f"split {lengths}"] = [[*part] for part in parts]
    for replace, count in ((True, 40), (False, 25), (False, 5)):
        sampler = data.RandomSampler(range(11), replace, count, generator=stream)
        found[f"sampler {replace} {count}"] = [*sampler]
    part = data.SubsetRandomSampler([3, 5, 8, 9], generator=stream)
    found["subset"] = [*data.DataLoader(range(11), 2, sampler=part, collate_fn=list)]
    weights = [0.1, 0.9, 0.4, 3.0, 0.6]
    for replace, count in ((True, 9), (False, 4)):
        sampler = data.WeightedRandomSampler(weights, count, replace, generator=stream)
        found[f"weighted {replace} {count}"] = [[*sampler], [*sampler]]
    for size, drop in ((3, False), (3, True), (None, False)):
        loader = data.DataLoader(stream_of(torch)(), size, drop_last=drop)
        found[f"one after the other {size} {drop}"] = [plain(b) for b in loader]
    return found


def stream_of(torch):
    """A data set without numbers: pairs, one after the other."""

    class Pairs(torch.utils.data.IterableDataset):
        def __iter__(self):
            return ((k, k * 0.5) for k in range(7))

    return Pairs


def prepared(torch) -> dict:
    """Tables stacked, repeated, filled in and counted."""
    t, found = torch.tensor, {}
    programs = """
torch.vstack([t([1.0, 2.0]), t([[3.0, 4.0]])])
torch.vstack([t(1.0), t(2.0)])
torch.hstack([t(1), t(2)])
torch.hstack([t([[1], [2]]), t([[3, 4], [5, 6]])])
torch.repeat_interleave(t([[1, 2], [3, 4]]), 2)
t([[1, 2], [3, 4]]).repeat_interleave(t([2, 1]), dim=0)
t([[1, 2], [3, 4]]).repeat_interleave(2, dim=-1)
torch.unique(t([3, 1, 1, 2]))
torch.unique(t([[2, 1], [1, 2]]), return_inverse=True, return_counts=True)
t([[1, 2], [0, 3], [1, 2]]).unique(dim=0, return_counts=True)
torch.bincount(t([0, 3, 3]))
torch.bincount(t([0, 1, 1]), t([0.5, 1.0, 2.0]), minlength=4)
torch.bincount(t([1, 2]), weights=t([1, 2]))
torch.nan_to_num(t([nan, 1.0, inf, -inf]), 2.0, neginf=-5.0)
torch.nan_to_num(t([1, 2]))
torch.bernoulli(torch.full((20,), 0.4))
torch.zeros(4).scatter_(0, t(2), value=1)
torch.zeros(2, 3).scatter(1, t([[0], [2]]), value=5.0)
"""
    for program in programs.strip().split("\n"):
        torch.manual_seed(0)
        names = {"torch": torch, "t": t, "nan": float("nan"), "inf": float("inf")}
        value = eval(program, names)
        several = value if isinstance(value, tuple) else (value,)
        found[program] = [[str(x.dtype)[-7:], x.tolist()] for x in several]
    return found


TUTORIAL = """
nn, data = torch.nn, torch.utils.data
DataLoader, TensorDataset = data.DataLoader, data.TensorDataset

torch.manual_seed(42)
x = torch.randn(120, 6)
y = (x[:, :3] + 0.5 * x[:, 3:]).argmax(1)
whole = TensorDataset(x, y)
training_data, test_data = data.random_split(whole, [0.8, 0.2])
train_dataloader = DataLoader(training_data, batch_size=16, shuffle=True)
test_dataloader = DataLoader(test_data, batch_size=16)

class NeuralNetwork(nn.Module):
    def __init__(self):
        super().__init__()
        self.stack = nn.Sequential(
            nn.Linear(6, 16), nn.ReLU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 3)
        )

    def forward(self, x):
        return self.stack(x)

def train_loop(dataloader, model, loss_fn, optimizer):
    size = len(dataloader.dataset)
    model.train()
    for batch, (X, y) in enumerate(dataloader):
        pred = model(X)
        loss = loss_fn(pred, y)
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if batch % 3 == 0:
            loss, current = loss.item(), batch * 16 + len(X)
            log.append([loss, current, size])

def test_loop(dataloader, model, loss_fn):
    model.eval()
    size, num_batches = len(dataloader.dataset), len(dataloader)
    test_loss, correct = 0, 0
    with torch.no_grad():
        for X, y in dataloader:
            pred = model(X)
            test_loss += loss_fn(pred, y).item()
            correct += (pred.argmax(1) == y).type(torch.float).sum().item()
    log.append([test_loss / num_batches, correct / size, 0])

log = []
model = NeuralNetwork()
loss_fn = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-1, momentum=0.5)
scheduler = torch.optim.lr_scheduler.ExponentialLR(optimizer, gamma=0.9)
for t in range(3):
    train_loop(train_dataloader, model, loss_fn, optimizer)
    test_loop(test_dataloader, model, loss_fn)
    scheduler.step()
import io
file = io.BytesIO()
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, file)
file.seek(0)
kept = torch.load(file, weights_only=True)
model = NeuralNetwork()
model.load_state_dict(kept["model"])
optimizer = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.5)
optimizer.load_state_dict(kept["optimizer"])
train_loop(train_dataloader, model, loss_fn, optimizer)
test_loop(test_dataloader, model, loss_fn)
"""


def tutorial(torch) -> list:
    """What a training program logs that is written as PyTorch's tutorial writes it."""
    names = {"torch": torch, "__name__": "tutorial"}
    exec(TUTORIAL, names)
    return names["log"]


def plain(value):
    """A value in terms of JSON."""
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    return [plain(v) for v in value] if isinstance(value, (list, tuple)) else value


def cases() -> dict:
    """Every rule with every option, in both precisions, on both problems."""
    return {
        f"{work.__name__} {rule} {options} {dtype}": (work, rule, options, dtype)
        for rule, several in RULES.items()
        for options in several
        for dtype in ("float32", "float64")
        for work in (fixed, squares)
    }


if __name__ == "__main__":
    import torch

    record = {"torch": torch.__version__}
    record["steps"] = {k: work(torch, *args) for k, (work, *args) in cases().items()}
    record["valleys"] = valleys(torch)
    record["schedules"], record["orders"] = schedules(torch), orders(torch)
    record["tutorial"], record["prepared"] = tutorial(torch), prepared(torch)
    lines = [f"{json.dumps(k)}: {json.dumps(v)}" for k, v in record["steps"].items()]
    rest = {k: v for k, v in record.items() if k != "steps"}
    text = json.dumps(rest)[:-1] + ', "steps": {\n' + ",\n".join(lines) + "\n}}\n"
    PATH.write_text(text, encoding="utf-8")
