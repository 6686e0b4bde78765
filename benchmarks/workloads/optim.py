"""A step of an optimiser: one parameter, a gradient that stays the same, no backward.

By hand means: the rule as it is written down, in NumPy expressions. PyTorch takes its
steps one tensor after the other, ``foreach=False``, as its Python text reads.
"""

import numpy as np

from benchmarks.harness import Step, Workload


class OptimizerStep(Workload):
    """Steps of one rule on a parameter of ``size`` numbers."""

    def __init__(self, name: str, rule: str, size: int, **options):
        self.name, self.rule, self.options = name, rule, options
        self.measures = f"a step of {rule} on {size:,} numbers"
        random = np.random.default_rng(0)
        self.w, self.g = random.standard_normal((2, size)).astype(np.float32)

    def hand(self) -> Step:
        memory = {"w": self.w.copy(), "m": np.zeros_like(self.w), "k": 0}
        memory["v"] = memory["m"]
        rule = {"SGD": momentum, "Adam": adam, "RMSprop": rmsprop}[self.rule]

        def step():
            rule(memory, self.g)
            return [memory["w"]]

        return step

    def torch(self, torch) -> Step:
        w = torch.tensor(self.w, requires_grad=True)
        w.grad = torch.tensor(self.g)
        rule = getattr(torch.optim, self.rule)
        optimizer = rule([w], foreach=False, **self.options)

        def step():
            optimizer.step()
            return [w.detach().numpy()]

        return step


def momentum(memory: dict, g: np.ndarray) -> None:
    """SGD with momentum 0.9, rate 1e-3."""
    memory["k"] += 1
    memory["m"] = 0.9 * memory["m"] + g
    memory["w"] = memory["w"] - 1e-3 * memory["m"]


def adam(memory: dict, g: np.ndarray) -> None:
    """Adam with its defaults."""
    memory["k"] += 1
    memory["m"] = 0.9 * memory["m"] + 0.1 * g
    memory["v"] = 0.999 * memory["v"] + 0.001 * g * g
    m = memory["m"] / (1 - 0.9 ** memory["k"])
    v = memory["v"] / (1 - 0.999 ** memory["k"])
    memory["w"] = memory["w"] - 1e-3 * m / (np.sqrt(v) + 1e-8)


def rmsprop(memory: dict, g: np.ndarray) -> None:
    """RMSprop with its defaults."""
    memory["k"] += 1
    memory["v"] = 0.99 * memory["v"] + 0.01 * g * g
    memory["w"] = memory["w"] - 1e-2 * g / (np.sqrt(memory["v"]) + 1e-8)
