"""What Chapter 19 says: a training loop, what it needs, and slips that say nothing."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
F = "F = torch.nn.functional\n"
NET = """\
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 3))
x, y = torch.randn(6, 4), torch.tensor([0, 1, 2, 2, 1, 0])
F = torch.nn.functional
"""

# ------------------------------------------------------------------------------
split = Theme(ROWS, 19, "A data set, divided", "on-what-will-it-be-measured")
split(
    "division-of-the-digits",
    "The division of the digits, from a seed, is the one that PyTorch would draw.",
    """
    order = torch.randperm(1797, generator=torch.Generator().manual_seed(19))
    order[:5].tolist(), order[1437:1442].tolist(), order.sum().item()
    """,
)
split(
    "validation-split",
    "`random_split` puts the same examples aside.",
    """
    stream = torch.Generator().manual_seed(0)
    split = torch.utils.data.random_split(range(1437), [1197, 240], generator=stream)
    list(split[1].indices)[:6]
    """,
)

# ------------------------------------------------------------------------------
batch = Theme(ROWS, 19, "One batch", "what-happens-to-one-batch")
batch(
    "one-hot",
    "`one_hot` writes labels as rows with a single 1, in int64.",
    "F.one_hot(torch.tensor([[0, 2], [1, 0]])), F.one_hot(torch.tensor(1), 4).dtype",
    setup=F,
)
for name, labels, error in [
    ("too-large", "torch.tensor([0, 3]), 3", "smaller than num_classes."),
    ("negative", "torch.tensor([0, -1])", "non-negative"),
]:
    batch(
        f"one-hot-{name}",
        f"A label that is {name.replace('-', ' ')} has no one-hot form.",
        f"F.one_hot({labels})",
        setup=F,
        raises=f"RuntimeError: Class values must be {error}",
    )
batch(
    "one-hot-of-int32",
    "Labels of other dtypes are refused.",
    "F.one_hot(torch.tensor([0, 1], dtype=torch.int32))",
    setup=F,
    raises="RuntimeError: one_hot is only applicable to index tensor of type Long",
)
batch(
    "one-hot-of-nothing",
    "Without labels, nobody can count the classes.",
    "F.one_hot(torch.tensor([], dtype=torch.int64))",
    setup=F,
    raises="RuntimeError: Can not infer total number of classes from empty tensor",
)
batch(
    "logits-gradient",
    "The gradient of the logits is prediction minus target, over the batch's size.",
    """
    z = net(x).detach().requires_grad_()
    F.cross_entropy(z, y).backward()
    torch.allclose(z.grad, (z.detach().softmax(1) - F.one_hot(y, 3)) / 6, atol=1e-6)
    """,
    setup=NET,
)

# ------------------------------------------------------------------------------
loop = Theme(ROWS, 19, "The loop", "what-is-a-training-loop")
loop(
    "training-loop",
    "The loop: batches, a loss, a gradient, a step, a schedule.",
    """
    rows = torch.utils.data.TensorDataset(x, y)
    stream = torch.Generator().manual_seed(3)
    loader = torch.utils.data.DataLoader(rows, 4, shuffle=True, generator=stream)
    optimizer = torch.optim.AdamW(net.parameters(), lr=0.1, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 10)
    for epoch in range(10):
        for images, digits in loader:
            optimizer.zero_grad()
            F.cross_entropy(net(images), digits).backward()
            optimizer.step()
        schedule.step()
    net.eval()
    round(F.cross_entropy(net(x), y).item(), 4), (net(x).argmax(1) == y).sum().item()
    """,
    setup=NET,
)
loop(
    "best-state-is-a-copy",
    "The best state must be copied: a state dict that was kept goes on changing.",
    """
    import copy
    live, kept = net.state_dict(), copy.deepcopy(net.state_dict())
    with torch.no_grad():
        net[0].bias.fill_(7)
    live["0.bias"][0].item(), kept["0.bias"][0].item() == 7
    """,
    setup=NET,
)
loop(
    "generator-state",
    "The state of the generator brings the same numbers once more.",
    """
    state = torch.get_rng_state()
    first = torch.randperm(5).tolist()
    torch.set_rng_state(state)
    first == torch.randperm(5).tolist()
    """,
)

loop(
    "no-device-but-the-processor",
    "On a machine with nothing but a processor, programs are told so.",
    """
    count = torch.cuda.device_count(), torch.accelerator.device_count()
    torch.cuda.manual_seed_all(0), torch.cuda.manual_seed(0), torch.cuda.empty_cache()
    torch.backends.cudnn.deterministic = True
    asked = torch.cuda, torch.accelerator, torch.backends.mps, torch.backends.cudnn
    count, [a.is_available() for a in asked], torch.accelerator.current_accelerator()
    """,
)

# ------------------------------------------------------------------------------
pixels = Theme(ROWS, 19, "Gradients of pictures", "which-pixels-matter")
pixels(
    "one-pass-for-all-pictures",
    "The gradient of the sum of the losses holds the gradient of each loss.",
    """
    x.requires_grad_()
    total = F.cross_entropy(net(x), y, reduction="sum")
    (all_of_them,) = torch.autograd.grad(total, x)
    (one,) = torch.autograd.grad(F.cross_entropy(net(x[2:3]), y[2:3]), x)
    torch.allclose(all_of_them[2], one[2], atol=1e-6), one[:2].abs().max().item()
    """,
    setup=NET,
)
pixels(
    "sign-has-zeros",
    "The sign of a zero gradient is zero: that pixel stays as it is.",
    "torch.tensor([-0.5, 0.0, 2.0]).sign()",
)

# ------------------------------------------------------------------------------
slip = Theme(ROWS, 19, "Slips that say nothing", "which-mistakes-does-nobody-report")
slip(
    "softmax-twice",
    "Softmax before `cross_entropy`: the loss of a perfect answer stays at 1.4612.",
    "round(F.cross_entropy(torch.eye(10), torch.arange(10)).item(), 4)",
    setup=F,
)
slip(
    "shapes-that-broadcast",
    "A loss by hand of shapes (n, 1) and (n,) compares all with all, without a word.",
    "((torch.zeros(3, 1) - torch.arange(3.0)) ** 2).shape",
)
slip(
    "dropout-in-train-mode",
    "In train mode the same question has two answers, in eval mode one.",
    """
    torch.manual_seed(0)
    drop, x = torch.nn.Dropout(0.5), torch.ones(20)
    twice = torch.equal(drop(x), drop(x))
    twice, torch.equal(drop.eval()(x), x)
    """,
)
for name, code, error in [
    (
        "labels-as-floats",
        "F.cross_entropy(torch.zeros(2, 3), torch.tensor([1.0, 2.0]))",
        "RuntimeError: expected",
    ),
    (
        "labels-as-a-column",
        "F.cross_entropy(torch.zeros(2, 3), torch.tensor([[1], [2]]))",
        "RuntimeError: 0D or 1D target tensor expected, multi-target not supported",
    ),
    (
        "label-that-is-no-class",
        "F.cross_entropy(torch.zeros(2, 3), torch.tensor([1, 3]))",
        "IndexError: Target 3 is out of bounds",
    ),
    (
        "pictures-not-flattened",
        "torch.nn.Linear(64, 10)(torch.zeros(4, 8, 8))",
        "RuntimeError: mat1 and mat2 shapes cannot be multiplied (32x8 and 64x10)",
    ),
    (
        "pictures-in-float64",
        "torch.nn.Linear(4, 2)(torch.zeros(1, 4, dtype=torch.float64))",
        "RuntimeError: mat1 and mat2 must have the same dtype",
    ),
]:
    slip(f"slip-{name}", f"`{code}` is refused.", code, setup=F, raises=error)

# ------------------------------------------------------------------------------
smooth = Theme(ROWS, 19, "Softer targets", "exercise-19-2-smooth-the-labels")
smooth(
    "smoothed-labels",
    "`label_smoothing` is a mixture of the one-hot target and all classes.",
    """
    soft = 0.9 * F.one_hot(y, 3) + 0.1 / 3
    hard = F.cross_entropy(net(x), y, label_smoothing=0.1)
    torch.allclose(hard, F.cross_entropy(net(x), soft), atol=1e-6)
    """,
    setup=NET,
)
