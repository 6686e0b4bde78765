"""The workloads. Each is a `benchmarks.harness.Workload`, small enough to read."""

from benchmarks.harness import Workload
from benchmarks.workloads.block import Block
from benchmarks.workloads.chain import Chain
from benchmarks.workloads.graphs import FanOut, Ladder
from benchmarks.workloads.mlp import MLP
from benchmarks.workloads.optim import OptimizerStep
from benchmarks.workloads.scalars import ScalarNet

WORKLOADS: dict[str, Workload] = {
    workload.name: workload
    for workload in (
        Chain("chain-1", size=1),
        Chain("chain-100", size=100),
        Chain("chain-10000", size=10_000),
        Ladder("ladder", stages=33_333),
        FanOut("fan-out", products=50_000),
        MLP("mlp-small", widths=(64, 128, 128, 10), batch=64),
        MLP("mlp-large", widths=(784, 512, 512, 10), batch=256),
        ScalarNet("scalar-net", widths=(2, 16, 16, 1), samples=100),
        OptimizerStep("sgd", "SGD", 1_000_000, momentum=0.9),
        OptimizerStep("adam", "Adam", 1_000_000),
        OptimizerStep("rmsprop", "RMSprop", 1_000_000),
        Block("block", batch=8, length=64, width=128, heads=4),
    )
}

TINY: tuple[Workload, ...] = (
    Chain("chain", size=3, stages=2),
    Ladder("ladder", stages=3),
    FanOut("fan-out", products=4),
    MLP("mlp", widths=(4, 3, 2), batch=5),
    ScalarNet("scalar-net", widths=(2, 3, 1), samples=4),
    OptimizerStep("sgd", "SGD", 5, momentum=0.9),
    OptimizerStep("adam", "Adam", 5),
    OptimizerStep("rmsprop", "RMSprop", 5),
    Block("block", batch=2, length=3, width=4, heads=2),
)
"""The same workloads at a size for tests."""
