"""What Chapter 20 says: convolutions, their transposes, windows, and their modules."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
F = "F, nn, t = torch.nn.functional, torch.nn, torch.zeros\n"
LINE = (
    F
    + """\
x = torch.tensor([[[0.0, 1, 3, 2, 0, 0, 1, 2]]], requires_grad=True)
w = torch.tensor([[[1.0, 2.0, -1.0]]], requires_grad=True)
"""
)
PICTURE = F + "x = torch.arange(16.0).reshape(1, 1, 4, 4).requires_grad_()\n"

# ------------------------------------------------------------------------------
band = Theme(ROWS, 20, "One row of weights", "what-does-a-row-of-neighbours-make")
band(
    "kernel-is-not-turned",
    "A convolution lays its kernel as it is; nobody turns it round.",
    "F.conv1d(x, w).tolist()",
    setup=LINE,
)
band(
    "gradient-is-the-transpose",
    "The cotangent comes back through the transpose, which is `conv_transpose1d`.",
    """
    g = torch.tensor([[[1.0, -1, 2, 0.5, 0, 1]]])
    back = torch.autograd.grad(F.conv1d(x, w), (x, w), g)
    back, torch.equal(back[0], F.conv_transpose1d(g, w))
    """,
    setup=LINE,
)

# ------------------------------------------------------------------------------
taps = Theme(ROWS, 20, "Stride, padding, dilation", "who-meets-whom")
taps(
    "number-of-places",
    "The number of places is rounded down: what does not fit is not seen.",
    "[F.conv1d(t(1, 1, 8), t(1, 1, 3), stride=s, padding=p, dilation=d).shape[2]\n"
    " for s, p, d in ((1, 0, 1), (2, 1, 1), (3, 0, 1), (1, 0, 3))]",
    setup=F,
)
taps(
    "what-is-not-seen",
    "What no place sees has a gradient of zero, and nobody says so.",
    "F.conv1d(x, w, stride=4).sum().backward()\nx.grad",
    setup=LINE,
)
taps(
    "padding-same",
    "`padding='same'` keeps the length; an even kernel has one zero more on the right.",
    "y = F.conv1d(x, w[..., :2], padding='same')\ny.tolist(), y.shape == x.shape",
    setup=LINE,
    warns="UserWarning: Using padding='same' with even kernel lengths",
)
taps(
    "same-with-a-stride",
    "With a stride there is no such padding.",
    "F.conv1d(x, w, padding='same', stride=2)",
    setup=LINE,
    raises="RuntimeError: padding='same' is not supported for strided convolutions",
)

# ------------------------------------------------------------------------------
places = Theme(ROWS, 20, "Patches", "how-are-all-places-done-at-once")
places(
    "unfold",
    "`unfold` writes each patch as a column, and `fold` adds columns up.",
    "u = F.unfold(x, 2)\nu.shape, u[0, :, 0].tolist(), F.fold(u, (4, 4), 2).tolist()",
    setup=PICTURE,
)
places(
    "groups",
    "With groups, channels see only their own part.",
    "F.conv1d(torch.eye(4)[None], torch.ones(4, 1, 1), groups=4).tolist()",
    setup=F,
)

# ------------------------------------------------------------------------------
back = Theme(ROWS, 20, "What comes back", "what-comes-back")
back(
    "node-of-a-convolution",
    "The node keeps a place for a bias, even where there is none.",
    "n = F.conv1d(x, w).grad_fn\nn.name(), len(n.next_functions), n.next_functions[2]",
    setup=LINE,
)
back(
    "node-of-its-gradient",
    "A gradient that can be differentiated has one node for all three derivatives.",
    "g = torch.autograd.grad(F.conv1d(x, w).sum(), x, create_graph=True)[0]\n"
    "g.grad_fn.name()",
    setup=LINE,
)
back(
    "second-derivatives",
    "Differentiated again, a convolution makes convolutions.",
    """
    y = F.conv1d(x, w, stride=2)
    gx, gw = torch.autograd.grad((y * y).sum(), (x, w), create_graph=True)
    torch.autograd.grad((gx * gx).sum() + gw.sum(), (x, w))
    """,
    setup=LINE,
)
back(
    "changed-kernel",
    "The way back needs the kernel as it was.",
    "y = F.conv1d(x, w)\nwith torch.no_grad(): w.add_(1)\ny.sum().backward()",
    setup=LINE,
    raises="RuntimeError: one of the variables needed for gradient computation has "
    "been modified by an inplace operation",
)
back(
    "transposed-with-output-padding",
    "`output_padding` says which of several lengths is meant.",
    "[F.conv_transpose1d(t(1, 1, 4), t(1, 1, 3), stride=2, output_padding=n).shape[2]\n"
    " for n in (0, 1)]",
    setup=F,
)

# ------------------------------------------------------------------------------
pools = Theme(ROWS, 20, "Windows", "which-pixel-made-the-largest")
pools(
    "tie-in-a-window",
    "Of equals in a window, the first gets the gradient.",
    "x = t(1, 1, 2, 2, requires_grad=True)\n"
    "F.max_pool2d(x, 2).sum().backward()\nx.grad.tolist()",
    setup=F,
)
pools(
    "winner-twice",
    "Where windows overlap, one pixel may win twice, and gets both cotangents.",
    "F.max_pool2d(x, 3, 1, padding=1).sum().backward()\nx.grad.tolist()",
    setup=PICTURE,
)
pools(
    "indices-of-winners",
    "`return_indices` gives the winner's number in its map.",
    "F.max_pool2d(x, 2, return_indices=True)[1]",
    setup=PICTURE,
)
pools(
    "padding-counts",
    "In a mean the zeros of the padding count, unless told otherwise.",
    "[F.avg_pool2d(x, 2, padding=1, count_include_pad=b).tolist()\n"
    " for b in (True, False)]",
    setup=PICTURE,
)
pools(
    "parts-that-overlap",
    "`adaptive_avg_pool2d` makes parts, which overlap where they do not divide.",
    "F.adaptive_avg_pool2d(x, (3, 1)).tolist(), F.adaptive_avg_pool2d(x, 1).tolist()",
    setup=PICTURE,
)
pools(
    "one-axis-is-two",
    "Pooling a row is pooling a picture that is one pixel high.",
    "F.max_pool1d(x[0], 2).grad_fn.name()",
    setup=PICTURE,
)
pools(
    "too-much-padding",
    "A window must see something.",
    "F.max_pool2d(x, 2, padding=2)",
    setup=PICTURE,
    raises="RuntimeError: pad should be at most half of effective kernel size",
)

# ------------------------------------------------------------------------------
modules = Theme(ROWS, 20, "Modules of convolutions", "what-do-the-modules-add")
modules(
    "weights-from-a-seed",
    "The same seed draws the same kernels.",
    "torch.manual_seed(0)\nlayer = nn.Conv2d(3, 8, 3, stride=2, padding=1)\n"
    "v = layer.weight.ravel()[:3].tolist() + layer.bias.tolist()\n"
    "layer, [round(number, 5) for number in v]",
    setup=F,
)
modules(
    "kernels-of-the-transpose",
    "A transposed convolution has its two axes of channels exchanged.",
    "[nn.Conv2d(3, 8, 2).weight.shape, nn.ConvTranspose2d(3, 8, 2).weight.shape]",
    setup=F,
)
modules(
    "stride-is-the-window",
    "A pooling's stride is its window, if nothing is said.",
    "nn.MaxPool2d(3), nn.AvgPool2d(2, 1)",
    setup=F,
)
modules(
    "maps-dropped-whole",
    "`Dropout2d` drops whole maps.",
    "y = nn.Dropout2d(0.5)(torch.ones(64, 4, 3, 3))\n"
    "bool((y.amax((2, 3)) == y.amin((2, 3))).all()), sorted(set(y.ravel().tolist()))",
    setup=F,
)
modules(
    "channels-that-do-not-divide",
    "Groups must divide the channels.",
    "nn.Conv2d(3, 4, 3, groups=2)",
    setup=F,
    raises="ValueError: in_channels must be divisible by groups",
)

# ------------------------------------------------------------------------------
traps = Theme(ROWS, 20, "Traps with pictures", "which-traps-are-there")
traps(
    "three-axes-are-one-picture",
    "Three axes are read as one picture with channels, not as several pictures.",
    "nn.Conv2d(1, 8, 3)(t(4, 8, 8))",
    setup=F,
    raises="RuntimeError: Given groups=1, weight of size [8, 1, 3, 3], expected input"
    " … to have 1 channels, but got 4 channels instead",
)

# ------------------------------------------------------------------------------
refused = Theme(ROWS, 20, "What convolutions refuse", "what-is-refused")
for name, call, error in [
    ("a-large-kernel", "F.conv2d(t(1, 1, 2, 2), t(1, 1, 3, 3))",
     "RuntimeError: Calculated padded input size per channel: (2 x 2). Kernel size: "
     "(3 x 3). Kernel size can't be greater than actual input size"),
    ("another-bias", "F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), t(2))",
     "RuntimeError: expected bias to be 1-dimensional with 1 elements"),
    ("stride-zero", "F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), stride=0)",
     "RuntimeError: non-positive stride is not supported"),
    ("a-word", "F.conv2d(t(1, 1, 4, 4), t(1, 1, 3, 3), padding='full')",
     "RuntimeError: Invalid padding string"),
    ("a-word-in-a-module", "nn.Conv2d(1, 1, 3, padding='full')",
     "ValueError: Invalid padding string"),
    ("a-large-window", "F.max_pool2d(t(1, 1, 4, 4), 5)",
     "RuntimeError: Output size is too small"),
    ("a-mean-of-integers", "F.avg_pool2d(t(1, 1, 4, 4).int(), 2)",
     "NotImplementedError: not implemented for 'Int'"),
]:  # fmt: skip
    refused(
        f"convolution-refuses-{name}",
        f"{name.replace('-', ' ').capitalize()} is refused.",
        call,
        setup=F,
        raises=error,
    )
