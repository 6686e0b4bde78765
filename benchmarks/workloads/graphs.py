"""Graphs of an awkward shape: paths that fork and meet, and one very busy leaf."""

import numpy as np

from benchmarks.harness import Step, Workload

ONE = np.array([0.5], np.float32)
U, V = np.array([0.375], np.float32), np.array([0.625], np.float32)


class _OneLeaf(Workload):
    """What the two have in common: one leaf, constants, one output of one element."""

    def output(self, x, u, v):
        """The computation, in operators that every library has."""
        raise NotImplementedError

    def torch(self, torch) -> Step:
        x = torch.tensor(ONE, requires_grad=True)
        u, v = torch.tensor(U), torch.tensor(V)

        def step():
            self.output(x, u, v).backward()
            gradient, x.grad = x.grad.numpy(), None
            return [gradient]

        return step

    def autograd(self, autograd) -> Step:
        def step():
            pull, y = autograd.make_vjp(lambda x: self.output(x, U, V))(ONE)
            return [pull(np.ones_like(y))]

        return step

    def mygrad(self, mygrad) -> Step:
        x = mygrad.tensor(ONE)
        u, v = mygrad.tensor(U, constant=True), mygrad.tensor(V, constant=True)

        def step():
            self.output(x, u, v).backward()
            gradient = x.grad
            x.null_grad()
            return [gradient]

        return step


class Ladder(_OneLeaf):
    """y ← y·u + y·v: two paths a stage, 2ⁿ after n stages."""

    def __init__(self, name: str, stages: int):
        self.name, self.stages = name, stages
        self.measures = f"{stages} diamonds one after the other, 1 element"

    def output(self, x, u, v):
        for _ in range(self.stages):
            x = x * u + x * v
        return x

    def hand(self) -> Step:
        def step():
            self.output(ONE, U, V)
            g = np.ones_like(ONE)
            for _ in range(self.stages):
                g = g * u + g * v
            return [g]

        u, v = U, V
        return step


class FanOut(_OneLeaf):
    """The sum of many products of one leaf, which collects as many cotangents."""

    def __init__(self, name: str, products: int):
        self.name, self.products = name, products
        self.measures = f"the sum of {products} products of one leaf, 1 element"

    def output(self, x, u, v):
        total = x * v
        for _ in range(self.products - 1):
            total = total + x * u
        return total

    def hand(self) -> Step:
        def step():
            self.output(ONE, U, V)
            seed = np.ones_like(ONE)
            gx = seed * V
            for _ in range(self.products - 1):
                gx = gx + seed * U
            return [gx]

        return step
