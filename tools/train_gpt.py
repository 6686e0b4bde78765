"""Train the language model of Chapter 21 for longer, and keep what came of it.

    python tools/train_gpt.py            about a quarter of an hour on one core
    python tools/train_gpt.py --steps 9  a trial, which writes nothing

It writes book/data/gpt.json: the settings, the losses along the way, and a sample. The
chapter draws the curve and shows the sample; the model itself is not kept.
"""

import argparse
import json
import os
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import numpy as np  # noqa: E402
from tqdm import tqdm  # noqa: E402

import minigrad  # noqa: E402
from minigrad.gpt import GPT, held_out, learn, recipe  # noqa: E402

MODEL = {"width": 128, "heads": 4, "layers": 2, "context": 96, "drop": 0.2}
RECIPE = {"rate": 4e-3, "decay": 1.0, "steps": 8000}
BATCH, CHECKS = 16, 20
OUT = ROOT / "book" / "data" / "gpt.json"


def main(steps: int, length: int = 700) -> dict:
    """Train; return what is to be kept, with a sample of so many characters."""
    text = (ROOT / "book" / "data" / "alice.txt").read_text(encoding="ascii")
    letters = sorted(set(text))
    ids = np.array([letters.index(c) for c in text])
    known, unseen = np.split(ids, [len(ids) * 9 // 10])
    minigrad.manual_seed(0)
    model, random = GPT(len(letters), **MODEL), np.random.default_rng(0)
    optimizer, schedule = recipe(model, **RECIPE)
    every, losses, curve = RECIPE["steps"] // CHECKS, [], []
    for step in tqdm(range(1, steps + 1)):
        losses.append(learn(model, optimizer, schedule, known, BATCH, random))
        if step % every == 0:
            seen = float(np.mean(losses[-every:]))
            curve.append([step, round(seen, 4), round(held_out(model, unseen), 4)])
            tqdm.write(str(curve[-1]))
    model.eval()
    start = [letters.index(c) for c in "Alice "]
    sample = model.write(start, length, np.random.default_rng(0), 0.8)
    return {
        "settings": MODEL | RECIPE | {"batch": BATCH},
        "parameters": sum(p.numel() for p in model.parameters()),
        "curve": curve,
        "sample": "".join(letters[i] for i in sample),
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=RECIPE["steps"])
    given = parser.parse_args().steps
    found = main(given)
    if given == RECIPE["steps"]:
        OUT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    else:
        print(found["sample"])
