"""minigrad/random.py draws PyTorch's numbers: recorded streams, and some statistics."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad.random import Generator, default_generator

REFERENCE = Path(__file__).parent / "reference"
sys.path.insert(0, str(REFERENCE))
import tensor_cases as cases  # noqa: E402

RECORDED = json.loads((REFERENCE / "tensor.json").read_text(encoding="utf-8"))


def test_the_recording_asks_what_the_cases_ask():
    assert [row for row, _ in RECORDED["streams"]] == cases.streams()


@pytest.mark.parametrize(("row", "expected"), RECORDED["streams"])
def test_streams(row, expected):
    found = cases.drawn(row, torch)
    _, function, kind, _ = row
    if function == "rand":
        assert found == expected
    else:  # logarithm and cosine come from another library
        within = 1e-6 if kind == "float32" else 1e-13
        assert np.allclose(found, expected, rtol=within, atol=within)


def test_many_calls_on_one_stream():
    for call, found, expected in zip(
        cases.MIXED, cases.mixed(torch), RECORDED["mixed"], strict=True
    ):
        assert np.allclose(found, expected, rtol=1e-6, atol=1e-6), call
        if "randn" not in call:
            assert found == expected, call


def test_seeding():
    assert torch.manual_seed(3) is default_generator
    assert torch.initial_seed() == 3
    first = torch.rand(4).tolist()
    assert torch.rand(4).tolist() != first
    torch.manual_seed(3 + 2**32)
    assert torch.rand(4).tolist() == first
    seed = torch.seed()
    assert seed == torch.initial_seed() and torch.rand(4).tolist() != first
    assert torch.seed() != seed


def test_a_seed_drops_the_spare_normal():
    torch.manual_seed(0)
    torch.randn(1)
    torch.manual_seed(0)
    first = torch.randn(2).tolist()
    torch.manual_seed(0)
    assert torch.randn(2).tolist() == first


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_has_64_bits(seed):
    with pytest.raises(ValueError, match="Overflow when unpacking long long"):
        torch.manual_seed(seed)
    torch.manual_seed(seed % 2**64)


def test_generators_are_independent():
    torch.manual_seed(5)
    mine = Generator().manual_seed(5)
    for make in (torch.rand, torch.randn):
        assert make(20, generator=mine).tolist() == make(20).tolist()
    assert (
        torch.randint(9, (5,), generator=mine).tolist()
        == torch.randint(9, (5,)).tolist()
    )
    assert torch.randperm(9, generator=mine).tolist() == torch.randperm(9).tolist()
    mine.words(100)
    torch.manual_seed(5)
    expected = torch.rand(1).tolist()
    torch.manual_seed(5)
    mine.words(100)
    assert torch.rand(1).tolist() == expected


def test_the_twister_is_not_loaded_before_it_is_needed():
    assert Generator()._twister is None


@given(st.integers(1, 200))
def test_permutations(n):
    assert sorted(torch.randperm(n).tolist()) == list(range(n))


@given(st.integers(-50, 50), st.integers(1, 50))
def test_integers_stay_in_their_range(low, span):
    drawn = torch.randint(low, low + span, (50,)).tolist()
    assert all(low <= n < low + span for n in drawn)


def test_distributions():
    torch.manual_seed(0)
    u, z = torch.rand(100_000).numpy(), torch.randn(100_000).numpy()
    assert u.min() >= 0 and u.max() < 1
    assert abs(u.mean() - 1 / 2) < 0.005 and abs(u.var() - 1 / 12) < 0.002
    assert abs(z.mean()) < 0.01 and abs(z.var() - 1) < 0.02
    assert abs((z**4).mean() - 3) < 0.15
    counts = np.bincount(torch.randint(10, (100_000,)).numpy())
    assert abs(counts / 10_000 - 1).max() < 0.04


def test_no_uniform_number_is_rounded_up_to_one():
    torch.manual_seed(0)
    assert max(torch.rand(200_000, dtype=torch.float16).tolist()) < 1
