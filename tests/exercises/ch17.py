"""Wrong answers to the exercises of chapter 17: each must be turned down."""

RESIDUAL = """
class Residual(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        {}

    def forward(self, x):
        return {}
"""
SLOPE = """
def slope(z, k, s):
    p = np.exp({})
    q = np.full(len(z), s / len(z))
    q[k] += {}
    return p / p.sum() - q
"""
SCALER = """
class Scaler(torch.nn.Module):
    def __init__(self):
        super().__init__()
        {}

    def forward(self, x):
        if {}:
            self.largest = torch.maximum(self.largest, {}.abs().max())
        return x / self.largest
"""
BUFFER = 'self.register_buffer("largest", torch.tensor(0.0))'
WRONG = {
    "17.1": {
        "tensors, not numbers": (
            "def learned(model):\n    return len(list(model.parameters()))\n"
        ),
        "all that is saved": (
            "def learned(model):\n"
            "    return sum(t.numel() for t in model.state_dict().values())\n"
        ),
        "the frozen ones, too": (
            "def learned(model):\n"
            "    return sum(p.numel() for p in model.parameters())\n"
        ),
    },
    "17.2": {
        "in a list": RESIDUAL.format("self.inner = [inner]", "x + self.inner[0](x)"),
        "no detour": RESIDUAL.format("self.inner = inner", "self.inner(x)"),
        "another name": RESIDUAL.format("self.layer = inner", "x + self.layer(x)"),
    },
    "17.3": {
        "all of the right class": SLOPE.format("z - z.max()", "1"),
        "overflow": SLOPE.format("z", "1 - s"),
    },
    "17.4": {
        "an attribute": SCALER.format(
            "self.largest = torch.tensor(0.0)", "self.training", "x.detach()"
        ),
        "a history": SCALER.format(BUFFER, "self.training", "x"),
        "always": SCALER.format(BUFFER, "True", "x.detach()"),
    },
}
