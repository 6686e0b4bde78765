"""What the project aims at, and whether it got there.

An aim is a ratio of two times measured in one run, or a limit on a number. Missing one
fails nothing: the benchmark says by how much it was missed, and the book says why.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Aim:
    """minigrad takes at most ``limit`` times as long as ``against``."""

    against: str
    limit: float

    def verdict(self, value: float) -> str:
        """Whether ``value`` keeps the limit, and with how much to spare or missing."""
        gap = abs(value / self.limit - 1)
        return (
            f"met, {gap:.0%} to spare"
            if value <= self.limit
            else f"missed by {gap:.0%}"
        )


AIMS: dict[str, tuple[Aim, ...]] = {
    "chain-1": (Aim("torch", 0.40),),
    "chain-100": (Aim("torch", 0.40),),
    "chain-10000": (Aim("torch", 1.0), Aim("hand", 1.5)),
    "ladder": (Aim("torch", 0.35),),
    "fan-out": (Aim("torch", 0.35),),
    "mlp-small": (Aim("hand", 1.25), Aim("torch", 0.5)),
    "mlp-large": (Aim("hand", 1.05),),
    "cnn-8": (Aim("hand", 1.2), Aim("torch", 0.8)),
    "cnn-28": (Aim("hand", 1.2), Aim("torch", 1.1)),
    "scalar-net": (Aim("micrograd", 1 / 8),),
    "hvp": (Aim("hand", 2.1), Aim("torch", 0.7)),
    "hessian-rows": (Aim("torch", 0.3),),
    "hessian-batch": (Aim("torch", 0.3),),
    "jacobian-rows": (Aim("torch", 0.2),),
    "jacobian-batch": (Aim("hand", 2.2), Aim("loop", 0.1)),
    "sgd": (Aim("hand", 1.0), Aim("torch", 1.0)),
    "adam": (Aim("hand", 0.6), Aim("torch", 1.0)),
    "rmsprop": (Aim("hand", 0.6), Aim("torch", 1.0)),
    "block": (Aim("hand", 1.05), Aim("torch", 1.25)),
    "compiled-mlp": (Aim("hand", 1.0), Aim("eager", 0.8)),
    "compiled-chain-100": (Aim("eager", 0.6),),
    "compiled-chain-1000": (Aim("eager", 0.6),),
    "compiled-chain-10000": (Aim("eager", 0.6),),
}
"""The aims of each workload."""

OVERTAKE = ("autograd", "mygrad", "tinygrad", "micrograd")
"""Peers written in Python or on NumPy: minigrad is to be faster, on every workload."""

LIMITS = {
    "operator": 1.3,  # an operator, forward and backward, over NumPy by hand
    "recording": 4.0,  # a recorded multiplication of single numbers, over a bare one
    "growth": 1.3,  # time per operation of ten times as many operations
    "memory": 1.3,  # peak of forward and backward over what has to be kept
    "import": 30.0,  # milliseconds that `import minigrad` adds to `import numpy`
}
"""Limits on what is measured operator by operator, and by `benchmarks.scale`."""


def aims(workload: str, measured) -> list[Aim]:
    """The aims of a workload that can be judged with the libraries ``measured``."""
    own = [aim for aim in AIMS.get(workload, ()) if aim.against in measured]
    named = {aim.against for aim in own}
    rest = [Aim(peer, 1.0) for peer in OVERTAKE if peer in measured]
    return own + [aim for aim in rest if aim.against not in named]
