"""What Chapter 18 says: optimisers, schedules, batches and files."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
X = """\
x = torch.tensor([1.0, 2.0], requires_grad=True)
x.grad = torch.tensor([0.5, -1.0])
"""
G = X + "opt = torch.optim.SGD([x], lr=0.1)\n"

# ------------------------------------------------------------------------------
step = Theme(ROWS, 18, "Optimisers", "what-does-an-optimiser-have-to-know")
step("sgd-step", "A step of SGD goes against the gradient.", "opt.step()\nx", setup=G)
step(
    "sgd-repr",
    "An optimiser prints its options, in the order of the alphabet.",
    "opt",
    setup=G,
)
step(
    "step-without-gradient",
    "A parameter without a gradient is left out, and its weight decay with it.",
    """
    opt = torch.optim.AdamW([x], lr=0.1)
    x.grad = None
    opt.step()
    x.tolist(), dict(opt.state)
    """,
    setup=X,
)
step(
    "step-of-zero-gradient",
    "A gradient of zero is a gradient: weight decay acts.",
    """
    opt = torch.optim.SGD([x], lr=0.5, weight_decay=0.5)
    x.grad = torch.zeros(2)
    opt.step()
    x
    """,
    setup=X,
)
step(
    "step-closure",
    "`step` returns what the closure returns.",
    """
    def closure():
        return (x * x).sum()
    opt.step(closure).item()
    """,
    setup=G,
)
step(
    "optimizer-zero-grad-none",
    "`zero_grad` sets gradients to None.",
    "opt.zero_grad()\nx.grad is None",
    setup=G,
)
step(
    "optimizer-zero-grad-zeros",
    "With `set_to_none=False` it fills them with zeros.",
    "opt.zero_grad(set_to_none=False)\nx.grad",
    setup=G,
)
for rule in ("SGD", "RMSprop", "Adam", "AdamW"):
    step(
        f"version-{rule}".lower(),
        f"A step of {rule} raises the version "
        + ("twice: it shrinks, then it steps." if rule == "AdamW" else "once."),
        f"torch.optim.{rule}([x], lr=0.1).step()\nx._version",
        setup=X,
    )
step(
    "step-spoils-a-graph",
    "A graph that has saved the parameter is spoiled by the step.",
    "y = (x * x).sum()\nopt.step()\ny.backward()",
    setup=G,
    raises="RuntimeError: modified by an inplace operation … expected version 0",
)
step(
    "group-options",
    "What a group does not say is taken from the defaults.",
    """
    groups = {"params": [x]}, {"params": [torch.ones(1)], "lr": 1.0}
    opt = torch.optim.SGD(groups, 0.1)
    [g["lr"] for g in opt.param_groups]
    """,
    setup=X,
)
step(
    "group-of-one-tensor",
    "A group may give one tensor in place of a list.",
    "torch.optim.SGD([{'params': x}]).param_groups[0]['params'] == [x]",
    setup=X,
)
step(
    "names",
    "Parameters may come with names.",
    "torch.optim.SGD([('w', x)]).param_groups[0]['param_names']",
    setup=X,
)
step(
    "duplicates",
    "The same parameter twice in a group is warned of.",
    "len(torch.optim.SGD([x, x]).param_groups[0]['params'])",
    setup=X,
    warns="UserWarning: optimizer contains a parameter group with duplicate parameters",
)
for name, code, error in [
    (
        "empty",
        "torch.optim.SGD([])",
        "ValueError: optimizer got an empty parameter list",
    ),
    ("tensor", "torch.optim.SGD(x)", "TypeError: an iterable of Tensors or dicts"),
    ("number", "torch.optim.SGD([3.0])", "TypeError: can only optimize Tensors"),
    ("computed", "torch.optim.SGD([x * 1])", "ValueError: can't optimize a non-leaf"),
    (
        "rate",
        "torch.optim.SGD([x], lr=-1.0)",
        "ValueError: Invalid learning rate: -1.0",
    ),
    (
        "eps",
        "torch.optim.Adam([x], eps=-1.0)",
        "ValueError: Invalid epsilon value: -1.0",
    ),
    (
        "beta",
        "torch.optim.Adam([x], betas=(1.0, 0.9))",
        "ValueError: Invalid beta parameter at index 0: 1.0",
    ),
    (
        "nesterov",
        "torch.optim.SGD([x], nesterov=True)",
        "ValueError: Nesterov momentum requires a momentum and zero dampening",
    ),
    (
        "shared",
        "torch.optim.SGD([{'params': x}, {'params': x}])",
        "ValueError: some parameters appear in more than one parameter group",
    ),
    (
        "set",
        "torch.optim.SGD([{'params': {x}}])",
        "TypeError: optimizer parameters need to be organized in ordered collections",
    ),
]:
    step(f"refused-{name}", f"`{code}` is refused.", code, setup=X, raises=error)
step(
    "state-dict",
    "The state of Adam, with numbers in place of parameters.",
    """
    opt = torch.optim.Adam([x], lr=0.1)
    opt.step()
    opt.state_dict()["state"]
    """,
    setup=X,
)
step(
    "memory-is-live",
    "The tensors in a state dict are those of the optimiser, not copies.",
    """
    opt = torch.optim.SGD([x], lr=0.1, momentum=0.9)
    opt.step()
    kept = opt.state_dict()["state"][0]["momentum_buffer"]
    opt.step()
    kept
    """,
    setup=X,
)
step(
    "load-other-groups",
    "The state of other groups is refused.",
    "opt.load_state_dict({'state': {}, 'param_groups': []})",
    setup=G,
    raises="ValueError: loaded state dict has a different number of parameter groups",
)
step(
    "load-dtype",
    "Memory takes the dtype of its parameter, the counter keeps its own.",
    """
    opt = torch.optim.Adam([x])
    opt.step()
    y = torch.ones(2, dtype=torch.float64)
    new = torch.optim.Adam([y])
    new.load_state_dict(opt.state_dict())
    {k: str(v.dtype) for k, v in sorted(new.state[y].items())}
    """,
    setup=X,
)

# ------------------------------------------------------------------------------
plan = Theme(ROWS, 18, "Schedules", "how-should-the-rate-change-on-the-way")
plan(
    "schedule-order",
    "A schedule that is stepped before its optimiser is warned of.",
    "torch.optim.lr_scheduler.StepLR(opt, 2).step()\nopt.param_groups[0]['lr']",
    setup=G,
    warns="UserWarning: Detected call of `lr_scheduler.step()` before",
)
plan(
    "schedule-initial",
    "A schedule notes the first rate in the group, under `initial_lr`.",
    """
    schedule = torch.optim.lr_scheduler.LinearLR(opt, 0.5)
    opt.param_groups[0]["initial_lr"], schedule.get_last_lr()
    """,
    setup=G,
)
plan(
    "schedule-get-lr",
    "`get_lr` is not for asking.",
    "torch.optim.lr_scheduler.ExponentialLR(opt, 0.5).get_lr()",
    setup=G,
    warns="UserWarning: To get the last learning rate computed by the scheduler",
)
plan(
    "schedule-of-something-else",
    "A schedule is for an optimiser.",
    "torch.optim.lr_scheduler.StepLR([x], 2)",
    setup=G,
    raises="TypeError: list is not an Optimizer",
)
plan(
    "schedule-resumed-too-early",
    "Resuming needs the rates of the beginning.",
    "torch.optim.lr_scheduler.StepLR(opt, 2, last_epoch=3)",
    setup=G,
    raises="KeyError: initial_lr",
)

# ------------------------------------------------------------------------------
batch = Theme(ROWS, 18, "Batches", "is-a-part-of-the-data-enough")
D = """\
data = torch.utils.data
rows = data.TensorDataset(torch.arange(5), torch.ones(5))
"""
batch(
    "last-batch", "The last batch may be short.", "[*data.DataLoader(rows, 2)]", setup=D
)
batch(
    "drop-last",
    "`drop_last` leaves it out.",
    "len([*data.DataLoader(rows, 2, drop_last=True)])",
    setup=D,
)
batch(
    "collate-numbers",
    "Python's floats become float64.",
    "data.default_collate([{'a': 1.5, 'b': 1}, {'a': 2.5, 'b': 2}])",
    setup=D,
)
batch(
    "shuffle-seeded",
    "A seeded generator decides the order.",
    """
    stream = torch.Generator().manual_seed(0)
    [b[0].tolist() for b in data.DataLoader(rows, 2, shuffle=True, generator=stream)]
    """,
    setup=D,
)
batch(
    "split-fractions",
    "Fractions are rounded down, and the first parts take what is left.",
    "[len(p) for p in data.random_split(range(10), [0.33, 0.33, 0.34])]",
    setup=D,
)
for name, code, error in [
    ("split", "data.random_split(rows, [2, 2])", "ValueError: Sum of input lengths"),
    ("size", "data.DataLoader(rows, 0)", "ValueError: batch_size should be a positive"),
    (
        "two-orders",
        "data.DataLoader(rows, shuffle=True, sampler=[0])",
        "ValueError: sampler option is mutually exclusive with shuffle",
    ),
    (
        "lengths",
        "data.TensorDataset(torch.ones(2), torch.ones(3))",
        "AssertionError: Size mismatch between tensors",
    ),
    (
        "collate",
        "data.default_collate([None])",
        "TypeError: default_collate: batch must contain tensors, numpy arrays, numbers",
    ),
]:
    batch(f"batch-{name}", f"`{code}` is refused.", code, setup=D, raises=error)

# ------------------------------------------------------------------------------
kept = Theme(ROWS, 18, "Files", "stop-and-go-on")
F = "import io\nf = io.BytesIO()\n"
kept(
    "save-and-load",
    "What was saved comes back, nested as it was.",
    """
    torch.save({"w": torch.ones(2), "epoch": 3, "best": (0.5, None)}, f)
    f.seek(0)
    torch.load(f)
    """,
    setup=F,
)
kept(
    "save-one-twice",
    "A tensor that occurs twice is one tensor.",
    """
    x = torch.ones(2)
    torch.save([x, x], f)
    f.seek(0)
    a, b = torch.load(f)
    a.zero_()
    b
    """,
    setup=F,
)
kept(
    "load-cut-off",
    "A file that is cut off is refused.",
    """
    torch.save(torch.ones(99), f)
    torch.load(io.BytesIO(f.getvalue()[:300]))
    """,
    setup=F,
    raises="RuntimeError: PytorchStreamReader failed reading",
)
kept(
    "save-no-folder",
    "A folder is not made by the way.",
    "torch.save(torch.ones(1), 'no/such/folder/x.pt')",
    setup=F,
    raises="RuntimeError: Parent directory no/such/folder does not exist",
)
