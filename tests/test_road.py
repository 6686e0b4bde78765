"""Chapter 25: one import changed, a map that is true, and a gradient from processes."""

import importlib
import json
import logging
import re

import dask
import numpy as np
import pytest
from dask import distributed

import cells
import minigrad as torch
import toc
from tests.reference import ledger, record_road

ROAD = json.loads(record_road.RECORDED.read_text(encoding="utf-8"))
PROGRAMS = record_road.programs()
NAMES = ["cnn", "digits", "gpt", "newton", "private"]
EXACT = {"newton": 1e-12}  # in float64; all others are float32
NOTEBOOK = toc.ROOT / "book" / "ch25-road.ipynb"


def off(found, wanted, within):
    """What is wrong with the results of a program."""
    problems = [] if found.keys() == wanted.keys() else [f"{[*found]} for {[*wanted]}"]
    for what in found.keys() & wanted.keys():
        if isinstance(wanted[what], str):
            same = found[what] == wanted[what]
        else:
            ours, theirs = (np.asarray(v[what], float) for v in (found, wanted))
            scale = within * np.abs(theirs).max()
            same = ours.shape == theirs.shape
            same = same and bool((np.abs(ours - theirs) <= scale).all())
        problems += [] if same else [f"{what}: {found[what]}, not {wanted[what]}"]
    return problems


# ------------------------------------------------------------------------ the programs


def test_there_are_five_and_all_are_recorded():
    assert [*PROGRAMS] == NAMES == [*ROAD["torch"]["programs"]]
    recorded = ledger.recorded()["torch"]
    assert ROAD["torch"]["version"].split("+")[0] == recorded.split("+")[0]


@pytest.mark.parametrize("name", NAMES)
def test_it_comes_to_what_pytorch_came_to(name):
    found = record_road.results(PROGRAMS[name])
    assert not off(found, ROAD["torch"]["programs"][name], EXACT.get(name, 1e-3))


@pytest.mark.parametrize(
    "name, old, new",
    [
        ("newton", "0.005 * (w @ w)", "0.00501 * (w @ w)"),
        ("newton", "most=30", "most=6"),
        ("private", "0.3, 0.5", "0.3, 0.51"),
        ("private", "max=1.0", "max=1.1"),
        ("cnn", "label_smoothing=0.05", "label_smoothing=0.06"),
    ],
)
def test_a_small_change_would_be_noticed(name, old, new):
    assert PROGRAMS[name].count(old) == 1
    found = record_road.results(PROGRAMS[name].replace(old, new))
    assert off(found, ROAD["torch"]["programs"][name], EXACT.get(name, 1e-3))


@pytest.mark.parametrize("name", NAMES)
def test_the_chapter_shows_the_file_to_the_letter(name):
    sources = [cell.source for cell in cells.read(NOTEBOOK).cells]
    assert sources.count(PROGRAMS[name].strip("\n")) == 1


@pytest.mark.parametrize("name", NAMES)
def test_only_one_import_names_the_engine(name):
    text = PROGRAMS[name]
    imports = re.findall(r"^(?:import|from) (\w+)", text, re.MULTILINE)
    assert set(imports) <= {"numpy", "sklearn", "minigrad"}
    assert imports.count("minigrad") == text.count("minigrad") == 1
    assert not re.search(r"manual_seed|torch\.rand|np\.random\.(?!default_rng)", text)


# ----------------------------------------------------------------------------- the map


@pytest.mark.parametrize("row", [row for _, row in record_road.rows()], ids=str)
def test_a_row_of_the_map_is_true(row):
    name, theirs, other, besides = row
    if name != "–":
        modules, _, last = f"minigrad.{name}".rpartition(".")
        assert hasattr(importlib.import_module(modules), last)
    assert theirs in ROAD["torch"]["files"], "run record_road.py with PyTorch"
    assert other == "–" or other in ROAD["jax"]["files"], "run record_road.py with JAX"
    assert besides


def test_nothing_is_recorded_that_the_map_has_lost():
    for library, column in (("torch", 1), ("jax", 2)):
        named = {row[column] for _, row in record_road.rows()} - {"–"}
        assert named == ROAD[library]["files"].keys()


def test_no_piece_stands_twice():
    names = [row[0] for _, row in record_road.rows() if row[0] != "–"]
    assert len(names) == len(set(names)) and len(names) >= 25


def test_every_recorded_fact_is_shown():
    shown = "\n".join(c.source for c in cells.read(NOTEBOOK).cells)
    facts = {"torch": record_road.TORCH_FACTS, "jax": record_road.JAX_FACTS}
    for library, programs in facts.items():
        assert ROAD[library]["facts"].keys() == programs.keys()
        assert ROAD[library]["asked"] == record_road.digests(programs), "record again"
        for name in programs:
            assert f'road["{library}"]["facts"]["{name}"]' in shown


# ----------------------------------------------------------------------- many processes


def gradient(x, y):
    """The mean gradient of a small net on some examples, and the process."""
    import os

    rng = np.random.default_rng(0)
    w = [torch.from_numpy(rng.normal(size=s)) for s in ((4, 5), (5, 3))]
    for p in w:
        p.requires_grad_()
    logits = torch.tanh(torch.from_numpy(x) @ w[0]) @ w[1]
    loss = torch.nn.functional.cross_entropy(logits, torch.from_numpy(y))
    return [g.numpy() for g in torch.autograd.grad(loss, w)], os.getpid()


def batch(n):
    rng = np.random.default_rng(n)
    return rng.normal(size=(n, 4)), rng.integers(0, 3, n)


@pytest.mark.timeout(120)
def test_processes_together_find_the_gradient_of_the_batch():
    x, y = batch(30)
    sizes = [12, 18]
    place = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        dask.config.set({"logging.distributed": "critical"}),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, silence_logs=logging.CRITICAL, **place
        ) as cluster,
        distributed.Client(cluster, timeout=30) as client,
    ):
        client.wait_for_workers(2, timeout=30)
        where = sorted(client.scheduler_info()["workers"])
        shards = zip(where, np.split(x, [12]), np.split(y, [12]), strict=True)
        futures = [client.submit(gradient, a, b, workers=[w]) for w, a, b in shards]
        answers = [future.result(timeout=30) for future in futures]
    whole, here = gradient(x, y)
    assert len({here, *(process for _, process in answers)}) == 3
    for k, g in enumerate(whole):
        parts = [n * found[k] for n, (found, _) in zip(sizes, answers, strict=True)]
        np.testing.assert_allclose(sum(parts) / 30, g, rtol=1e-12)


@pytest.mark.parametrize("cuts", [[10, 20], [1, 2], [29], [5, 6, 7, 25]])
def test_weights_are_the_sizes_of_the_shards(cuts):
    x, y = batch(30)
    shards = [*zip(np.split(x, cuts), np.split(y, cuts), strict=True)]
    found = [gradient(a, b)[0] for a, b in shards]
    for k, g in enumerate(gradient(x, y)[0]):
        weighted = sum(len(b) * f[k] for f, (_, b) in zip(found, shards, strict=True))
        np.testing.assert_allclose(weighted / 30, g, rtol=1e-12)
        equal = len({len(b) for _, b in shards}) == 1
        assert np.allclose(sum(f[k] for f in found) / len(found), g) == equal
