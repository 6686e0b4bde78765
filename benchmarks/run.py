"""Measure, and print a table.

python tools/do.py bench                       everything, with what is installed
python tools/do.py bench chain-1 mlp-small     some workloads
python tools/do.py bench operators             every operator by itself, worst first
python tools/do.py bench --quick               fewer rounds: a look, not a result
python tools/do.py bench --json results.json   the numbers as well
python tools/do.py bench --peers               beside PyTorch and the others

A run of everything beside PyTorch renews benchmarks/results.json, from which the book's
page of benchmarks is printed; any other run leaves that file alone.
"""

import argparse
import json
import os
import platform
import sys
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from benchmarks import peers, scale
from benchmarks.harness import GradientsDiffer, Spread, Timing, Workload, compare
from benchmarks.targets import LIMITS, aims
from benchmarks.workloads import WORKLOADS
from benchmarks.workloads.operators import OPERATORS, Recording

RESULTS = Path(__file__).with_name("results.json")
SCALES = {
    "growth": lambda torch, quick: scale.growth(
        torch, scale.LENGTHS[: 2 if quick else 3], 1 if quick else 3
    ),
    "memory": lambda torch, quick: scale.memory(torch),
    "import": lambda torch, quick: scale.import_time(repeats=5 if quick else 15),
}


def main(arguments: list[str] | None = None) -> int:
    """Run the workloads asked for; 1 if some gradients differed, otherwise 0."""
    options = parse(arguments)
    modules, reasons = peers.available()
    if "minigrad" not in modules:
        print(f"minigrad cannot be imported: {reasons['minigrad']}", file=sys.stderr)
        return 1
    introduce(modules, reasons)
    about = circumstances(modules, reasons, options)
    record, failed = {}, False
    for name in options.names:
        if name == "operators":
            record[name] = report_operators(modules["minigrad"], options)
            continue
        if name in SCALES:
            record[name] = report_scale(name, modules["minigrad"], options.quick)
            continue
        try:
            record[name] = report(WORKLOADS[name], modules, options)
        except GradientsDiffer as error:
            failed = True
            print(f"{name:<12} NOT TIMED, the gradients differ: {error}\n")
    about["load_after"] = load()
    text = json.dumps({"about": about, "measured": record}, indent=1) + "\n"
    complete = options.names == everything() and not (options.quick or failed)
    renewed = [RESULTS] if complete and "torch" in modules else []
    for file in [*renewed, *filter(None, [options.json])]:
        file.write_text(text, encoding="utf-8")
        print(f"Written: {file}")
    return int(failed)


def everything() -> list[str]:
    """The names of all that can be measured."""
    return [*WORKLOADS, "operators", *SCALES]


def circumstances(modules: dict, reasons: dict[str, str], options) -> dict:
    """When and where this was measured, and with what."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "threads": 1,
        "seconds": options.seconds,
        "load_before": load(),
        "versions": {name: peers.version(name) for name in modules},
        "left_out": reasons,
    }


def processor() -> str:
    """The name of the processor, as far as the system tells it."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        for line in listed.read_text(encoding="utf-8").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "model name":
                return value.strip()
    return platform.processor() or platform.machine()


def load() -> float | None:
    """How many processes want to run, on the average of a minute; None on Windows."""
    return round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else None


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        prog="do.py bench",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    known = everything()
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(known)}"
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--seconds", type=float, default=20, help="for each workload")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers")
    options = parser.parse_args(arguments)
    unknown = [name for name in options.names if name not in known]
    if unknown:
        parser.error(f"no such workload: {', '.join(unknown)}")
    options.names = options.names or known
    return options


def introduce(modules: dict, reasons: dict[str, str]) -> None:
    """Say what is measured, on what, and what the numbers are."""
    versions = [
        f"{peers.TITLES[name]} {peers.version(name)}".strip() for name in modules
    ]
    print(f"Python {platform.python_version()}, NumPy {np.__version__}, one thread")
    print(f"Measured: {', '.join(versions)}")
    for name, reason in reasons.items():
        print(f"Left out: {peers.TITLES[name]} ({reason})")
    print(
        "A ratio is time over that of the same step by hand in NumPy: median of the\n"
        "rounds [first–third quartile]. Gradients were compared before timing.\n"
    )


def report(workload: Workload, modules: dict, options: argparse.Namespace) -> dict:
    """Time one workload, print its lines, and return its numbers."""
    steps = workload.candidates(modules)
    if options.quick:
        timing = compare(steps, seconds=1, least=3)
    else:
        timing = compare(steps, seconds=options.seconds)
    names = [name for name in steps if name != "hand"]
    ratios = {name: timing.ratio(name, "hand") for name in names}
    hand = timing.seconds("hand")
    print(f"{workload.name:<12} {workload.measures}")
    print(f"  {'by hand':<14} {hand.median * 1e6:>10,.0f} µs")
    for name in names:
        print(f"  {peers.TITLES[name]:<14} {times(ratios[name]):>10}")
    verdicts = judge(workload.name, timing)
    for text in verdicts:
        print(f"    aim {text}")
    print(flush=True)
    return {
        "measures": workload.measures,
        "hand_seconds": asdict(hand),
        "ratios_to_hand": {name: asdict(spread) for name, spread in ratios.items()},
        "rounds": len(timing.rounds["hand"]),
        "aims": verdicts,
    }


def report_operators(minigrad, options: argparse.Namespace) -> dict[str, float]:
    """Time every operator, print the ratios to NumPy by hand, the worst first."""
    seconds = 0.1 if options.quick else 1.0
    ratios = {}
    for workload in (*OPERATORS, Recording()):
        steps = workload.candidates({"minigrad": minigrad})
        timing = compare(steps, seconds=seconds, least=3)
        ratios[workload.name] = timing.ratio("minigrad", "hand").median
    recording = ratios.pop(Recording.name)
    ratios = dict(sorted(ratios.items(), key=lambda pair: -pair[1]))
    print("operators    forward and backward on 100×100 floats, over NumPy by hand")
    for name, ratio in ratios.items():
        late = " " if ratio <= LIMITS["operator"] else f"aim ≤ {LIMITS['operator']}"
        print(f"  {name:<14} {ratio:>8.2f} ×  {late}".rstrip())
    word = "met" if recording <= LIMITS["recording"] else "missed"
    print(
        f"  {Recording.name}: {recording:.2f} × (aim ≤ {LIMITS['recording']}: {word})\n"
    )
    return ratios | {Recording.name: recording}


def judge(name: str, timing: Timing) -> list[str]:
    """One line for each aim: the limit, the ratio, and whether it was met."""
    return [
        f"≤ {aim.limit:.3g} × {peers.TITLES[aim.against]}: "
        f"{ratio.median:.3g}, {aim.verdict(ratio.median)}"
        for aim in aims(name, timing.rounds)
        for ratio in [timing.ratio("minigrad", aim.against)]
    ]


def times(ratio: Spread) -> str:
    """A ratio with its quartiles."""
    return f"{ratio.median:>8.2f} ×  [{ratio.low:.2f}–{ratio.high:.2f}]"


def report_scale(name: str, minigrad, quick: bool) -> list[dict]:
    """Run one of the measurements of scale, print its lines, return its numbers."""
    measures = SCALES[name](minigrad, quick)
    print(name)
    for measure in measures:
        line = f"  {measure.what}: {measure.value:.3g} {measure.unit}"
        if measure.limit is not None:
            word = "met" if measure.value <= measure.limit else "missed"
            line += f" (aim ≤ {measure.limit:g}: {word})"
        print(line)
    print(flush=True)
    return [asdict(measure) for measure in measures]


if __name__ == "__main__":
    sys.exit(main())
