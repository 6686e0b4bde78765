"""Wrong answers to the exercises of chapter 16: each must be turned down."""

SIGN = """
class Sign(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x.sign()

    @staticmethod
    def backward(ctx, v):
        (x,) = ctx.saved_tensors
        return {}
"""
PRODUCT = """
class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return x * y

    @staticmethod
    def backward(ctx, v):
        x, y = ctx.saved_tensors
        {}
"""
OFFLOAD = """
def offload(folder):
    folder = Path(folder)

    def pack(tensor):
        path = folder / {}
        np.save(path, tensor.detach().numpy())
        return {}

    return torch.autograd.graph.saved_tensors_hooks(
        pack, lambda path: {}
    )
"""
LOAD = "torch.from_numpy(np.load(path))"
WRONG = {
    "16.1": {
        "no window": SIGN.format("v"),
        "the window is open": SIGN.format("v * (x.abs() < 1).to(v.dtype)"),
        "the slope of the staircase": SIGN.format("v * 0"),
    },
    "16.2": {
        "the root": "def best(n):\n    return round(n**0.5)\n",
        "no checkpoints": "def best(n):\n    return 1\n",
    },
    "16.3": {
        "exchanged": PRODUCT.format("return v * x, v * y"),
        "always both": PRODUCT.format("return v * y, v * x"),
        "cut": PRODUCT.format("return v.detach() * y.detach(), v * x"),
    },
    "16.4": {
        "one file for all": OFFLOAD.format('"value.npy"', "path", LOAD),
        "nothing is written": (
            "def offload(folder):\n"
            "    return torch.autograd.graph.saved_tensors_hooks("
            "lambda t: t, lambda t: t)\n"
        ),
    },
}
