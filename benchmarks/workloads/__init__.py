"""The workloads. Each is a `benchmarks.harness.Workload`, small enough to read."""

from benchmarks.harness import Workload
from benchmarks.workloads.block import Block
from benchmarks.workloads.chain import Chain
from benchmarks.workloads.cnn import CNN
from benchmarks.workloads.compiled import CompiledChain, CompiledMLP
from benchmarks.workloads.graphs import FanOut, Ladder
from benchmarks.workloads.higher import HessianVector, Jacobian, Rosenbrock
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
        CNN("cnn-8", side=8, channels=(8, 16), batch=64),
        CNN("cnn-28", side=28, channels=(8, 16), batch=64),
        ScalarNet("scalar-net", widths=(2, 16, 16, 1), samples=100),
        HessianVector("hvp", widths=(64, 128, 128, 10), batch=64),
        Rosenbrock("hessian-rows", size=100),
        Rosenbrock("hessian-batch", size=100, vectorize=True),
        Jacobian("jacobian-rows", widths=(50, 64, 64, 50)),
        Jacobian("jacobian-batch", widths=(50, 64, 64, 50), vectorize=True),
        OptimizerStep("sgd", "SGD", 1_000_000, momentum=0.9),
        OptimizerStep("adam", "Adam", 1_000_000),
        OptimizerStep("rmsprop", "RMSprop", 1_000_000),
        Block("block", batch=8, length=64, width=128, heads=4),
        CompiledMLP("compiled-mlp", widths=(64, 128, 128, 10), batch=64),
        CompiledChain("compiled-chain-100", size=100, stages=30),
        CompiledChain("compiled-chain-1000", size=1000, stages=30),
        CompiledChain("compiled-chain-10000", size=10_000, stages=10),
    )
}

TINY: tuple[Workload, ...] = (
    Chain("chain", size=3, stages=2),
    Ladder("ladder", stages=3),
    FanOut("fan-out", products=4),
    MLP("mlp", widths=(4, 3, 2), batch=5),
    CNN("cnn", side=8, channels=(2, 3), batch=2),
    ScalarNet("scalar-net", widths=(2, 3, 1), samples=4),
    HessianVector("hvp", widths=(4, 5, 3, 3), batch=6),
    Rosenbrock("hessian-rows", size=5),
    Rosenbrock("hessian-batch", size=5, vectorize=True),
    Jacobian("jacobian-rows", widths=(4, 5, 3, 2)),
    Jacobian("jacobian-batch", widths=(4, 5, 3, 2), vectorize=True),
    OptimizerStep("sgd", "SGD", 5, momentum=0.9),
    OptimizerStep("adam", "Adam", 5),
    OptimizerStep("rmsprop", "RMSprop", 5),
    Block("block", batch=2, length=3, width=4, heads=2),
    CompiledMLP("compiled-mlp", widths=(4, 3, 2), batch=5),
    CompiledChain("compiled-chain", size=3, stages=2),
)
"""The same workloads at a size for tests."""
