"""Wrong answers to the exercises of chapter 18: each must be turned down."""

WALL = "limit, best, per_step = {}"
ADAGRAD = """
class Adagrad(Optimizer):
    def __init__(self, params, lr=1e-2, eps=1e-10):
        super().__init__(params, {{"lr": lr, "eps": eps}})

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            for p in group["params"]:
                {}
                total = self.state[p].setdefault("sum", torch.zeros_like(p))
                {}
                p -= group["lr"] * p.grad / {}
"""
SKIP = "if p.grad is None: continue"
SUM = "total += p.grad * p.grad"
ROOT = '(total.sqrt() + group["eps"])'
CLIP = """
def clip(params, most):
    grads = [p.grad for p in params if p.grad is not None]
    length = sum(float((g * g).sum()) for g in grads) ** 0.5
    {}
    return length
"""
FACTOR = """
def factor(epoch):
    if epoch < 9:
        return {}
    return {}
"""
FALL = "(1 + np.cos(np.pi * min(1, (epoch - 9) / 40))) / 2"
LOST = """
def first_step(lr, k):
    return {}


def sudden(lr, g):
    return {}
"""
WRONG = {
    "18.1": {
        "the reciprocal": WALL.format("1 / 8, 2 / 8.5, 15 / 17"),
        "the limit is best": WALL.format("2 / 8, 2 / 8, 15 / 17"),
        "the condition number": WALL.format("2 / 8, 2 / 8.5, 16"),
    },
    "18.2": {
        "an average": ADAGRAD.format(SKIP, "total.mul_(0.9).add_(p.grad**2)", ROOT),
        "no root": ADAGRAD.format(SKIP, SUM, '(total + group["eps"])'),
        "no ε": ADAGRAD.format(SKIP, SUM, "total.sqrt()"),
        "all are stepped": ADAGRAD.format("p.grad = p.grad + 0", SUM, ROOT),
    },
    "18.3": {
        "each by itself": CLIP.format(
            "[g.mul_(min(1, most / float(g.norm()))) for g in grads]"
        ),
        "always": CLIP.format("[g.mul_(most / length) for g in grads]"),
        "never": CLIP.format("pass"),
    },
    "18.4": {
        "from zero": FACTOR.format("epoch / 9", FALL),
        "up again": FACTOR.format(
            "0.1 + 0.1 * epoch", "(1 + np.cos(np.pi * (epoch - 9) / 40)) / 2"
        ),
        "a straight fall": FACTOR.format(
            "0.1 + 0.1 * epoch", "max(0, 1 - (epoch - 9) / 40)"
        ),
    },
    "18.5": {
        "the past matters": LOST.format("lr / k", "lr if g else 0.0"),
        "like SGD": LOST.format("0.0", "lr * g"),
        "always a step": LOST.format("0.0", "lr"),
    },
}
