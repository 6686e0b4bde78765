"""How a comparison is made fair: the same numbers first, then the clock.

- The gradients of every candidate are compared with those written by hand before
  anything is timed. Where they differ nothing is timed: `GradientsDiffer` is raised.
- Candidates take turns. A round times each of them once, in an order that rotates, and
  a ratio is always taken between two times of one round; what is reported are the
  median and the quartiles of these ratios. So a slow second of the machine is shared.
- The clock is the processor time of this process, which does not run while others do.
- The cyclic garbage collector is on, as it is in a user's program, and a library that
  makes it work pays for that: for the collections during its steps, and for clearing
  the cycles that these have left behind. What others have left is cleared before, and
  what was there before the first round is frozen (`gc.freeze`).
"""

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

Step = Callable[[], Sequence]
"""One step of a workload, forward and backward; it returns all its gradients."""


class Workload:
    """The same computation, written once for every library that can do it.

    A sub-class gives `name` and `measures`, and for each library a method of the
    library's name, which takes the imported module and returns a `Step`. The method
    `hand` does the same in NumPy, differentiated by hand: the limit for all others.
    Each call sets up its own copy of the same data.
    """

    name: str
    measures: str

    def hand(self) -> Step:
        """The step in NumPy, gradients derived with pencil and paper."""
        raise NotImplementedError

    def torch(self, torch) -> Step:
        """The step in PyTorch."""
        raise NotImplementedError

    def minigrad(self, minigrad) -> Step:
        """The step in minigrad: to the letter that of PyTorch."""
        return self.torch(minigrad)

    def candidates(self, modules: dict) -> dict[str, Step]:
        """Set up the workload by hand and for each of ``modules`` that can do it."""
        builders = {name: getattr(self, name, None) for name in modules}
        return {"hand": self.hand()} | {
            name: build(modules[name]) for name, build in builders.items() if build
        }


class GradientsDiffer(Exception):
    """Two candidates compute different things; there is no point in timing them."""


def check_gradients(steps: dict[str, Step], tolerance: float = 1e-3) -> None:
    """Run every step once; raise `GradientsDiffer` unless all agree with "hand".

    Two gradients agree if their shapes are equal and no element differs by more than
    ``tolerance`` times the largest element. (float32, summed in different orders.)
    """
    expected = [np.array(g, np.float64) for g in steps["hand"]()]
    for name, step in steps.items():
        found = expected if name == "hand" else [np.asarray(g) for g in step()]
        if len(found) != len(expected):
            raise GradientsDiffer(
                f"{name} returns {len(found)} gradients, by hand there are "
                f"{len(expected)}"
            )
        for k, (g, e) in enumerate(zip(found, expected, strict=True)):
            if g.shape != e.shape:
                raise GradientsDiffer(
                    f"{name}: gradient {k} has shape {g.shape}, by hand {e.shape}"
                )
            off = np.abs(g - e).max(initial=0)
            if not off <= tolerance * np.abs(e).max(initial=0):
                raise GradientsDiffer(f"{name}: gradient {k} is off by {off:.3g}")


@dataclass(frozen=True)
class Spread:
    """The middle half of some numbers."""

    low: float
    median: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Spread":
        """First quartile, median and third quartile."""
        return cls(*(float(q) for q in np.quantile(values, (0.25, 0.5, 0.75))))


@dataclass(frozen=True)
class Timing:
    """Seconds per step of every candidate, one entry a round."""

    rounds: dict[str, list[float]]

    def seconds(self, name: str) -> Spread:
        """How long a step of ``name`` takes."""
        return Spread.of(self.rounds[name])

    def ratio(self, name: str, against: str) -> Spread:
        """How many times as long as ``against``, round by round."""
        pairs = zip(self.rounds[name], self.rounds[against], strict=True)
        return Spread.of([a / b for a, b in pairs])


def compare(
    steps: dict[str, Step],
    *,
    seconds: float = 20.0,
    least: int = 7,
    most: int = 200,
    clock: Callable[[], float] = time.process_time,
) -> Timing:
    """Check that all gradients agree, then time the steps in interleaved rounds.

    Rounds are added until ``seconds`` of wall time have passed, but at least ``least``
    and at most ``most`` of them. Short steps are repeated within a round, so that each
    entry covers about 5 ms.
    """
    check_gradients(steps)
    repeats = {name: _repeats(step, clock) for name, step in steps.items()}
    rounds: dict[str, list[float]] = {name: [] for name in steps}
    names, stop = list(steps), time.monotonic() + seconds
    gc.collect()
    gc.freeze()
    try:
        for done in range(most):
            if done >= least and time.monotonic() > stop:
                break
            for name in names:
                rounds[name].append(time_step(steps[name], repeats[name], clock))
            names.append(names.pop(0))
    finally:
        gc.unfreeze()
    return Timing(rounds)


def time_step(step: Step, repeats: int, clock: Callable[[], float]) -> float:
    """Seconds per call, over ``repeats`` calls, with the clearing of what they left."""
    gc.collect()
    start = clock()
    for _ in range(repeats):
        step()
    end = clock()
    if gc.collect():  # there were cycles
        end = clock()
    return (end - start) / repeats


def _repeats(step: Step, clock: Callable[[], float], target: float = 5e-3) -> int:
    """How often a step has to run for its time to be measurable."""
    taken = min(time_step(step, 1, clock) for _ in range(2))
    return max(1, min(1000, round(target / max(taken, 1e-6))))
