"""What grows, and what is left: long graphs, peak memory, and the cost of importing.

Each function returns `Measure` objects. Graphs are built with PyTorch's text, so that
all but the import can be measured on PyTorch as well.
"""

import gc
import statistics
import subprocess
import sys
import time
import tracemalloc
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchmarks.targets import LIMITS

LENGTHS = (10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Measure:
    """A number, what it says, and the limit it should keep (None: for information)."""

    what: str
    value: float
    unit: str
    limit: float | None = None


def chain(torch, operations: int):
    """A leaf, and the end of a chain of ``operations``; its gradient is 1."""
    x, w = torch.tensor([0.5], requires_grad=True), torch.tensor([1.0])
    y = x
    for _ in range(operations // 2):
        y = y * w + w
    return x, y


def diamonds(torch, operations: int):
    """The same with two paths in each stage of two operations: 2^(n/2) paths."""
    x, half = torch.tensor([0.5], requires_grad=True), torch.tensor([0.5])
    y = x
    for _ in range(operations // 2):
        y = (y + y) * half
    return x, y


def fan(torch, operations: int):
    """A leaf, and the sum of half as many products of it; its gradient is 1."""
    share = torch.tensor([2.0 / operations])
    x = torch.tensor([0.5], requires_grad=True)
    total = x * share
    for _ in range(operations // 2 - 1):
        total = total + x * share
    return x, total


def phases(build, torch, operations: int) -> tuple[float, float, float]:
    """Processor time for recording ``operations``, for backward, and for freeing."""
    gc.collect()
    clock = time.process_time
    times = [clock()]
    x, y = build(torch, operations)
    times.append(clock())
    y.backward()
    times.append(clock())
    del y
    times.append(clock())
    assert x.grad is not None
    return tuple(b - a for a, b in pairwise(times))


def growth(torch, lengths=LENGTHS, repeats: int = 3) -> list[Measure]:
    """Time per operation as graphs get ten times as long, and again ten times.

    As in the harness, the garbage collector is on, but does not see what was there
    before: how much that is depends on which other libraries are loaded.
    """
    gc.collect()
    gc.freeze()
    try:
        return _growth(torch, lengths, repeats)
    finally:
        gc.unfreeze()


def _growth(torch, lengths, repeats: int) -> list[Measure]:
    found = []
    for build in (chain, diamonds, fan):
        each = []
        for n in lengths:
            runs = [phases(build, torch, n) for _ in range(repeats)]
            parts = [
                statistics.median(part) / n * 1e6 for part in zip(*runs, strict=True)
            ]
            each.append(statistics.median(sum(run) for run in runs) / n)
            found.append(
                Measure(
                    f"{build.__name__} of {n:,} operations: forward {parts[0]:.2f}, "
                    f"backward {parts[1]:.2f}, freeing {parts[2]:.2f}",
                    each[-1] * 1e6,
                    "µs per operation",
                )
            )
        for k in range(1, len(lengths)):
            what = f"{lengths[k]:,} over {lengths[k - 1]:,}"
            what = f"{build.__name__}: time per operation, {what}"
            ratio = each[k] / each[k - 1]
            found.append(Measure(what, ratio, "×", LIMITS["growth"]))
    return found


def peak(torch, layers: int = 100, width: int = 128, batch: int = 256) -> float:
    """Peak memory of a deep tanh network's step, over what such a step has to keep.

    To be kept are the result of every tanh, the parameters and their gradients. NumPy
    reports its memory to `tracemalloc`, so this counts arrays and Python's own objects.
    """
    random = np.random.default_rng(0)

    def draw(*shape):
        return (random.standard_normal(shape) / width**0.5).astype(np.float32)

    x, target = torch.tensor(draw(batch, width)), torch.tensor(draw(batch, width))
    gc.collect()
    tracemalloc.start()
    try:
        parameters = [
            torch.tensor(draw(*shape), requires_grad=True)
            for _ in range(layers)
            for shape in ((width, width), (width,))
        ]
        tracemalloc.reset_peak()
        y = x
        for w, b in zip(parameters[::2], parameters[1::2], strict=True):
            y = torch.tanh(y @ w + b)
        difference = y - target
        (difference * difference).sum().backward()
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    keeps = 4 * layers * (batch * width + 2 * (width * width + width))
    return most / keeps


def memory(torch) -> list[Measure]:
    """The peak of a hundred layers."""
    return [
        Measure(
            "peak of a 100-layer tanh network over activations, parameters, gradients",
            peak(torch),
            "×",
            LIMITS["memory"],
        )
    ]


IMPORT = """
import time
import numpy
start = time.process_time()
import {module}
print(time.process_time() - start)
"""


def import_time(module: str = "minigrad", repeats: int = 15) -> list[Measure]:
    """Processor time that importing adds to ``import numpy``, in fresh processes."""
    command = [sys.executable, "-c", IMPORT.format(module=module)]
    runs = [
        float(
            subprocess.run(command, check=True, capture_output=True, text=True).stdout
        )
        for _ in range(repeats + 1)
    ]
    added = statistics.median(runs[1:]) * 1e3  # the first fills the caches
    return [Measure(f"import {module}, after numpy", added, "ms", LIMITS["import"])]
