"""Compiled steps: traced once, and replayed; beside the same steps run eagerly."""

from benchmarks.harness import Step
from benchmarks.workloads.chain import Chain
from benchmarks.workloads.mlp import MLP, RATE


def beside_eager(workload, modules: dict, build) -> dict[str, Step]:
    """The candidates by hand and of minigrad, and minigrad's own without compiling."""
    own = {name: m for name, m in modules.items() if name == "minigrad"}
    found = workload.candidates(own)
    for module in own.values():
        found["eager"] = build(module, compiled=False)
    return found


class CompiledMLP(MLP):
    """The training step of `MLP`, update included, as one compiled function.

    A step returns the parameters, which is what it is for, and not the gradients.
    """

    def hand(self) -> Step:
        step, parameters = self.trained()
        return lambda: (step(), parameters)[1]

    def trainer(self, torch, compiled: bool) -> Step:
        """A step in minigrad."""
        x, target = torch.tensor(self.x), torch.tensor(self.target)
        parameters = [torch.tensor(w, requires_grad=True) for w in self.weights]
        arrays = [p.detach().numpy() for p in parameters]

        def train(x, target):
            loss = self.loss(x, target, parameters, torch.tanh)
            gradients = torch.autograd.grad(loss, parameters)
            with torch.no_grad():
                for p, g in zip(parameters, gradients, strict=True):
                    p -= float(RATE) * g
            return loss

        if compiled:
            train = torch.compile(train)
        return lambda: (train(x, target), arrays)[1]

    def minigrad(self, minigrad) -> Step:
        return self.trainer(minigrad, compiled=True)

    def candidates(self, modules: dict) -> dict[str, Step]:
        """By hand, compiled, and the same step run eagerly."""
        return beside_eager(super(), modules, self.trainer)


class CompiledChain(Chain):
    """The chain of `Chain` and its gradient as one compiled function."""

    def chain(self, torch, compiled: bool) -> Step:
        """The gradients of all three leaves."""
        leaves = [torch.tensor(a, requires_grad=True) for a in self.arrays]
        ones = torch.ones_like(leaves[0])

        def slopes(x, w, b):
            y = x
            for _ in range(self.stages):
                y = torch.tanh(y * w + b)
            return torch.autograd.grad(y, (x, w, b), ones)

        if compiled:
            slopes = torch.compile(slopes)
        return lambda: [g.numpy() for g in slopes(*leaves)]

    def minigrad(self, minigrad) -> Step:
        return self.chain(minigrad, compiled=True)

    def candidates(self, modules: dict) -> dict[str, Step]:
        """By hand, compiled, and the same chain run eagerly."""
        return beside_eager(super(), modules, self.chain)
