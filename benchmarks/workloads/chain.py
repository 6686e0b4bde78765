"""A chain of operations, each on the result of the one before."""

import numpy as np

from benchmarks.harness import Step, Workload


class Chain(Workload):
    """y ← tanh(y · w + b), again and again, on vectors of one size."""

    def __init__(self, name: str, size: int, stages: int = 333):
        self.name, self.stages = name, stages
        self.measures = f"{3 * stages} chained mul, add, tanh on {size} elements"
        random = np.random.default_rng(0)
        self.arrays = [
            (random.standard_normal(size) * 0.5).astype(np.float32) for _ in range(3)
        ]

    def hand(self) -> Step:
        x, w, b = self.arrays

        def step():
            saved, y = [], x
            for _ in range(self.stages):
                out = np.tanh(y * w + b)
                saved.append((y, out))
                y = out
            g, gw, gb = np.ones_like(y), np.zeros_like(w), np.zeros_like(b)
            for y, out in reversed(saved):
                g = g * (1 - out * out)
                gb = gb + g
                gw = gw + g * y
                g = g * w
            return g, gw, gb

        return step

    def torch(self, torch) -> Step:
        leaves = [torch.tensor(a, requires_grad=True) for a in self.arrays]

        def step():
            x, w, b = leaves
            y = x
            for _ in range(self.stages):
                y = torch.tanh(y * w + b)
            y.backward(torch.ones_like(y))
            gradients = [leaf.grad.numpy() for leaf in leaves]
            for leaf in leaves:
                leaf.grad = None
            return gradients

        return step

    def autograd(self, autograd) -> Step:
        tanh = autograd.numpy.tanh

        def chain(x, w, b):
            for _ in range(self.stages):
                x = tanh(x * w + b)
            return x

        def step():
            pull, y = autograd.make_vjp(chain, (0, 1, 2))(*self.arrays)
            return pull(np.ones_like(y))

        return step

    def mygrad(self, mygrad) -> Step:
        leaves = [mygrad.tensor(a) for a in self.arrays]

        def step():
            x, w, b = leaves
            y = x
            for _ in range(self.stages):
                y = mygrad.tanh(y * w + b)
            y.backward()  # of the sum, that is, with ones
            gradients = [leaf.grad for leaf in leaves]
            for leaf in leaves:
                leaf.null_grad()
            return gradients

        return step
