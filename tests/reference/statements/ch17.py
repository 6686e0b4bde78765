"""What Chapter 17 says: modules, losses, initial values, networks with a state."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

SETUP = """\
nn, F = torch.nn, torch.nn.functional
class Pair(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(2, 2), nn.Linear(2, 1)
        self.again = self.second
        self.register_buffer("seen", torch.zeros(1))
pair = Pair()
"""

# ------------------------------------------------------------------------------
kept = Theme(
    ROWS, 17, "Modules and what they keep", "how-does-a-module-know-its-parameters"
)
for name, words, code in [
    (
        "parameter-is-declared",
        "A `Parameter` is a leaf that requires grad; results of operations are plain.",
        """
        p = nn.Parameter(torch.ones(2))
        (p.is_leaf, p.requires_grad, type(p * 2).__name__)
        """,
    ),
    (
        "parameter-prints",
        "A parameter says what it is.",
        "nn.Parameter(torch.ones(2))",
    ),
    (
        "shared-once",
        "A module under two names is listed once …",
        "[name for name, _ in pair.named_parameters()]",
    ),
    (
        "shared-saved-twice",
        "… and saved under both.",
        "list(pair.state_dict())",
    ),
    (
        "list-hides",
        "Modules in a plain list are not found.",
        """
        m = nn.Module()
        m.layers = [nn.Linear(1, 1)]
        list(m.parameters())
        """,
    ),
    (
        "state-is-live",
        "A `state_dict` shows the live memory, without history.",
        """
        m = nn.Linear(1, 1)
        s = m.state_dict()
        m.weight.data.fill_(3.0)
        (s["weight"], s["weight"].requires_grad)
        """,
    ),
    (
        "load-keeps-objects",
        "Loading copies into the same parameter.",
        """
        m = nn.Linear(1, 1)
        w = m.weight
        m.load_state_dict({"weight": torch.ones(1, 1), "bias": torch.ones(1)})
        (m.weight is w, w)
        """,
    ),
    (
        "convert-keeps-objects",
        "`double()` changes the data of the same parameter.",
        """
        w = pair.first.weight
        pair.double()
        (pair.first.weight is w, w.dtype)
        """,
    ),
    ("module-prints", "A module prints as its tree.", "pair"),
    (
        "zero-grad-none",
        "`zero_grad()` sets gradients to None.",
        """
        m = nn.Linear(1, 1)
        m(torch.ones(1, 1)).sum().backward()
        m.zero_grad()
        m.weight.grad
        """,
    ),
    (
        "eval-is-no-mode-of-gradients",
        "`eval()` does not switch gradients off.",
        "nn.Linear(1, 1).eval()(torch.ones(1, 1)).requires_grad",
    ),
    (
        "module-hooks-in-order",
        "Hooks run in the order in which they were registered.",
        """
        seen, m = [], nn.Identity()
        for k in range(3):
            m.register_forward_hook(lambda *a, k=k: seen.append(k))
        m(torch.ones(1))
        seen
        """,
    ),
]:
    kept(name, words, code, setup=SETUP)
for name, words, code, raises in [
    (
        "super-first",
        "`super().__init__()` comes first.",
        "setattr(object.__new__(nn.Module), 'w', nn.Parameter(torch.ones(1)))",
        "AttributeError: cannot assign parameters before Module.__init__() call",
    ),
    (
        "parameter-stays-parameter",
        "A parameter's name takes a parameter or None.",
        "pair.first.weight = torch.ones(2, 2)",
        "TypeError: cannot assign 'torch.FloatTensor' as parameter 'weight'",
    ),
    (
        "load-misfit",
        "All that does not fit is named.",
        "nn.Linear(2, 2).load_state_dict({'weight': torch.ones(3, 3), 'x': 3})",
        'RuntimeError: Missing key(s) in state_dict: "bias". … Unexpected key(s) in '
        'state_dict: "x". … size mismatch for weight',
    ),
]:
    kept(name, words, code, setup=SETUP, raises=raises)

# ------------------------------------------------------------------------------
losses = Theme(ROWS, 17, "Losses", "where-do-the-jacobians-of-part-i-meet")
for name, words, code in [
    (
        "softmax-less-onehot",
        "The gradient of cross-entropy is softmax less onehot.",
        """
        z = torch.tensor([[0.0, 0.0]], requires_grad=True)
        F.cross_entropy(z, torch.tensor([1])).backward()
        z.grad
        """,
    ),
    (
        "mean-is-weighted",
        "With weights of classes, the mean divides by their sum.",
        """
        z = torch.tensor([[0.0, 1.0], [0.0, 1.0]])
        w = torch.tensor([1.0, 3.0])
        round(F.cross_entropy(z, torch.tensor([0, 1]), weight=w).item(), 4)
        """,
    ),
    (
        "all-ignored",
        "The mean of no rows is not a number.",
        "F.cross_entropy(torch.zeros(1, 2), torch.tensor([-100]))",
    ),
    (
        "log-is-cut",
        "`binary_cross_entropy` cuts the logarithm off at -100.",
        "F.binary_cross_entropy(torch.tensor([0.0]), torch.tensor([1.0]))",
    ),
]:
    losses(name, words, code, setup=SETUP)
losses(
    "target-broadcasts",
    "A target of another shape broadcasts, with a warning.",
    "F.mse_loss(torch.zeros(4, 1), torch.ones(4))",
    setup=SETUP,
    warns="UserWarning: Using a target size … that is different to the input size",
)

# ------------------------------------------------------------------------------
start = Theme(ROWS, 17, "Initial values", "which-numbers-does-a-layer-begin-with")
start(
    "same-seed-same-layer",
    "The same seed gives the same layer.",
    """
    torch.manual_seed(0)
    torch.nn.Linear(2, 1).weight
    """,
)
start(
    "gain-of-tanh",
    "The gain of tanh is 5/3.",
    "torch.nn.init.calculate_gain('tanh')",
)

# ------------------------------------------------------------------------------
through = Theme(ROWS, 17, "States through time", "where-does-detach-earn-its-keep")
through(
    "state-with-history",
    "A state that is handed on leads into the graph before.",
    """
    rnn = torch.nn.RNN(1, 2)
    out, h = rnn(torch.ones(3, 1, 1))
    out.sum().backward()
    rnn(torch.ones(3, 1, 1), h)[0].sum().backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
through(
    "state-detached",
    "`detach()` keeps the numbers and cuts the history.",
    """
    rnn = torch.nn.RNN(1, 2)
    out, h = rnn(torch.ones(3, 1, 1))
    out.sum().backward()
    rnn(torch.ones(3, 1, 1), h.detach())[0].sum().backward()
    """
    "rnn.weight_hh_l0.grad.shape",
)
