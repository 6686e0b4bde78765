"""The small language model of Chapter 21, and the script that trains it for longer."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
import train_gpt
from minigrad import gpt

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def model():
    torch.manual_seed(0)
    return gpt.GPT(kinds=7, width=8, heads=2, layers=2, context=6)


def test_a_place_does_not_know_what_comes_later(model):
    ids = torch.tensor([[1, 2, 3, 4, 5, 6]])
    before = model(ids)
    for place in range(6):
        changed = ids.clone()
        changed[0, place] = 0
        differs = (model(changed) != before).any(dim=2)[0]
        assert not differs[:place].any()
        assert differs[place:].all()


def test_half_of_the_channels_come_late():
    x = torch.arange(12.0).reshape(1, 3, 4)
    wanted = [[0, 0, 2, 3], [0, 1, 6, 7], [4, 5, 10, 11]]
    assert gpt.delayed(x)[0].tolist() == wanted


def test_windows_are_shifted_by_one():
    x, y = gpt.windows(np.arange(20), 5, 400, np.random.default_rng(0))
    assert tuple(x.shape) == tuple(y.shape) == (400, 5)
    assert torch.equal(y, x + 1)
    assert set(x[:, 0].tolist()) == set(range(15))


@pytest.mark.parametrize("length", [7, 8, 12, 13, 50])
def test_held_out_asks_for_every_place_once(model, monkeypatch, length):
    ids = np.random.default_rng(0).integers(0, 7, length)
    known = []

    def forward(x):  # sure of the right answer, but for the last place of the text
        known.append(x)
        logits = np.zeros((*x.shape, 7))
        for row, start in enumerate(starts_of(x, ids)):
            for place in range(x.shape[1]):
                if start + place + 1 < length - 1:
                    logits[row, place, ids[start + place + 1]] = 1000
        return torch.tensor(logits)

    monkeypatch.setattr(model, "forward", forward)
    found = gpt.held_out(model, ids)
    assert found == pytest.approx(math.log(7) / (length - 1))
    assert model.training


def starts_of(x, ids):
    """Where in a text each row begins."""
    n = x.shape[1]
    for row in x.numpy():
        yield next(i for i in range(len(ids)) if np.array_equal(ids[i : i + n], row))


def test_before_training_it_guesses_blindly(model):
    ids = np.random.default_rng(0).integers(0, 7, 100)
    assert gpt.held_out(model, ids) == pytest.approx(math.log(7), abs=0.02)


def test_it_learns_a_rule_by_heart(model):
    ids = np.tile([0, 1, 2, 3, 4, 5, 6], 30)
    optimizer, schedule = gpt.recipe(model, rate=0.02, decay=0.1, steps=120, warm=10)
    decayed = [g["weight_decay"] for g in optimizer.param_groups]
    assert decayed == [0.1, 0.0]
    random = np.random.default_rng(0)
    for _ in range(120):
        gpt.learn(model, optimizer, schedule, ids, 4, random)
    assert gpt.held_out(model, ids) < 0.05
    assert model.write([3], 9, np.random.default_rng(0), 0.1)[1:] == [
        4,
        5,
        6,
        *range(6),
    ]
    assert schedule.get_last_lr()[0] == pytest.approx(0, abs=1e-9)


def test_writing_is_repeatable_and_records_nothing(model):
    one, two = (model.write([1, 2], 10, np.random.default_rng(3)) for _ in range(2))
    assert one == two and len(one) == 12 and one[:2] == [1, 2]
    assert all(p.grad is None for p in model.parameters())


def test_without_the_shift(model):
    plain = gpt.GPT(7, 8, 2, 2, 6, shift=False)
    plain.load_state_dict(model.state_dict())
    ids = torch.tensor([[1, 2, 3]])
    assert not torch.allclose(plain(ids), model(ids))


def test_the_longer_run_in_small(capsys):
    found = train_gpt.main(steps=2, length=5)
    assert found["parameters"] > 400_000
    assert len(found["sample"]) == len("Alice ") + 5
    assert found["sample"].startswith("Alice ")


def test_the_kept_run_is_the_one_of_the_script():
    kept = json.loads((ROOT / "book/data/gpt.json").read_text(encoding="utf-8"))
    settings = train_gpt.MODEL | train_gpt.RECIPE | {"batch": train_gpt.BATCH}
    assert kept["settings"] == settings
    assert kept["curve"][-1][0] == settings["steps"]
    assert len(kept["curve"]) == train_gpt.CHECKS
