"""Optimisers, schedules, batches, files: PyTorch's numbers, and promises of ours."""

import copy
import io
import json
import math
import os
import tracemalloc

import numpy as np
import pytest

import minigrad as torch
from minigrad.optim import SGD, Adam, AdamW, Optimizer, RMSprop, lr_scheduler
from minigrad.optim.optimizer import BLOCK
from tests.reference import record_optim

RECORDED = json.loads(record_optim.PATH.read_text(encoding="utf-8"))
CASES = record_optim.cases()


def near(found, known, path="value", within=1e-6) -> None:
    """Assert that nested values agree: numbers, relative to the largest of them, or 1.

    In float64 they agree to 1e-12. In float32 the two round differently, and a rule
    that divides by small numbers, or swings, makes more of that.
    """
    if isinstance(known, dict):
        assert found.keys() == known.keys(), path
        for k in known:
            near(found[k], known[k], f"{path}.{k}", within)
    elif known == [] or isinstance(known, (str, type(None))):
        assert found == known, path
    else:
        found, known = np.asarray(found, float), np.asarray(known, float)
        room = within * np.abs(known).max(initial=1)
        np.testing.assert_allclose(found, known, rtol=within, atol=room, err_msg=path)


@pytest.mark.parametrize("name", CASES)
def test_twenty_steps_are_pytorchs(name):
    work, *arguments = CASES[name]
    found, known = work(torch, *arguments), RECORDED["steps"][name]
    within = 1e-12 if name.endswith("float64") else 1e-6
    for part in known:
        if part == "values" and work is record_optim.fixed:
            for k, (mine, theirs) in enumerate(
                zip(found[part], known[part], strict=True)
            ):
                near(mine, theirs, f"{part}.{k}", within)
        else:
            near(found[part], known[part], part, within)


def test_valleys_are_crossed_as_pytorch_crosses_them():
    for name, found in record_optim.valleys(torch).items():
        near(found, RECORDED["valleys"][name], name, 1e-10 if "64" in name else 1e-4)


def test_schedules_are_pytorchs():
    found = record_optim.schedules(torch)
    assert found.keys() == RECORDED["schedules"].keys()
    for name, known in RECORDED["schedules"].items():
        np.testing.assert_allclose(
            found[name]["rates"], known["rates"], rtol=1e-12, err_msg=name
        )
        near(found[name]["momenta"], known["momenta"], name, 1e-12)
        mine, theirs = found[name]["state"], known["state"]
        common = theirs.keys() - {"default_min_lr", "mode_worse", "_schedulers"}
        for k in common:
            near(mine[k], theirs[k], f"{name}.{k}", 1e-12)


def test_orders_are_pytorchs():
    assert record_optim.orders(torch) == RECORDED["orders"]


def test_tables_are_prepared_as_pytorch_prepares_them():
    assert record_optim.prepared(torch) == RECORDED["prepared"]


def test_a_whole_program_logs_what_it_logs_in_pytorch():
    near(record_optim.tutorial(torch), RECORDED["tutorial"], within=1e-5)


# ------------------------------------------------------------------------- the step


def leaf(values, **options):
    return torch.tensor(values, requires_grad=True, **options)


RULES = {
    "SGD": lambda p: SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=0.01),
    "Adam": lambda p: Adam(p, 0.1, weight_decay=0.1, amsgrad=True, maximize=True),
    "AdamW": lambda p: AdamW(p, 0.1, weight_decay=0.1),
    "RMSprop": lambda p: RMSprop(p, 0.1, momentum=0.9, centered=True),
    **{
        name: lambda p, name=name: getattr(torch.optim, name)(p, 0.1)
        for name in ("Adagrad", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD")
    },
}


def layouts(array):
    """The same numbers in several layouts of memory."""
    yield "C", np.ascontiguousarray(array)
    yield "F", np.asfortranarray(array)
    yield "every other", np.repeat(array, 2, 1)[:, ::2]


@pytest.mark.parametrize("rule", RULES)
def test_blocks_and_layouts_change_nothing(rule, monkeypatch):
    rng = np.random.default_rng(0)
    value, g = rng.standard_normal((2, 37, 5))

    def run():
        for name, a in layouts(value):
            for other, b in layouts(g):
                x = torch.from_numpy(a.copy(order="K")).requires_grad_()
                optimizer = RULES[rule]([x])
                for k in range(3):
                    x.grad = torch.from_numpy(b * (k + 1))
                    optimizer.step()
                yield f"{name}, {other}", x.detach().numpy().copy()

    (_, expected), *others = run()
    for size in (BLOCK, 16, 1):
        monkeypatch.setattr("minigrad.optim.optimizer.BLOCK", size)
        for name, found in [*others, *run()]:
            np.testing.assert_array_equal(found, expected, err_msg=f"{name} {size}")


@pytest.mark.parametrize("rule", RULES)
def test_a_step_makes_no_array_of_the_size_of_a_parameter(rule):
    x = torch.zeros(1_000_000, requires_grad=True)
    x.grad = torch.ones(1_000_000)
    optimizer, place = RULES[rule]([x]), x.data_ptr()
    optimizer.step()  # makes the buffers
    tracemalloc.start()
    optimizer.step()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < x.numel() // 10
    assert x.data_ptr() == place


@pytest.mark.parametrize("rule", RULES)
def test_gradients_stay_as_they_are(rule):
    x = leaf([1.0, 2.0])
    x.grad = g = torch.tensor([3.0, -4.0])
    RULES[rule]([x]).step()
    assert x.grad is g
    assert g.tolist() == [3.0, -4.0]
    assert g._version == 0


def test_a_forgotten_graph_is_found_out():
    x = leaf([1.0, 2.0])
    saving = (x * x).sum()
    x.grad = torch.ones(2)
    SGD([x], 0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        saving.backward()


@pytest.mark.parametrize("rule", RULES)
def test_no_gradient_no_step(rule):
    x = leaf([1.0, 2.0])
    optimizer = RULES[rule]([x])
    optimizer.step()
    assert x.tolist() == [1.0, 2.0]
    assert not optimizer.state or rule == "Adagrad"  # PyTorch's begins with a sum


def test_zero_grad():
    x = leaf([1.0, 2.0])
    optimizer = SGD([x])
    (x * x).sum().backward(create_graph=False)
    kept = x.grad
    optimizer.zero_grad(set_to_none=False)
    assert x.grad is kept
    assert kept.tolist() == [0.0, 0.0]
    optimizer.zero_grad()
    assert x.grad is None


@pytest.mark.parametrize("rule", RULES)
def test_a_resumed_run_is_the_same_run(rule):
    def steps(x, optimizer, count):
        for _ in range(count):
            optimizer.zero_grad()
            (x**4).sum().backward()
            optimizer.step()

    x = leaf([1.0, -0.5])
    optimizer = RULES[rule]([x])
    steps(x, optimizer, 3)
    file = io.BytesIO()
    torch.save({"x": x, "state": optimizer.state_dict()}, file)
    steps(x, optimizer, 3)
    file.seek(0)
    kept = torch.load(file)
    y = kept["x"]
    second = RULES[rule]([y])
    second.load_state_dict(kept["state"])
    steps(y, second, 3)
    assert torch.equal(x, y)
    third = copy.deepcopy(second)
    assert third.state_dict()["param_groups"] == second.state_dict()["param_groups"]


def test_memory_takes_the_dtype_of_its_parameter():
    x = leaf([1.0, 2.0])
    x.grad = torch.ones(2)
    optimizer = Adam([x])
    optimizer.step()
    y = leaf([1.0, 2.0], dtype=torch.float64)
    second = Adam([y])
    second.load_state_dict(optimizer.state_dict())
    kept = second.state[y]
    assert kept["exp_avg"].dtype is torch.float64
    assert kept["step"].dtype is torch.float32


def test_names_are_kept():
    x, y = leaf([1.0]), leaf([2.0])
    optimizer = SGD([("x", x), ("y", y)])
    assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["x", "y"]
    second = SGD([("a", x), ("b", y)])
    second.load_state_dict(SGD([x, y]).state_dict())
    assert second.param_groups[0]["param_names"] == ["a", "b"]


def test_a_rule_of_ones_own():
    class Sign(Optimizer):
        def __init__(self, params, lr):
            super().__init__(params, {"lr": lr})

        @torch.no_grad()
        def step(self, closure=None):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad.sign(), alpha=-group["lr"])

    x = leaf([1.0, -1.0])
    optimizer = Sign([x], 0.5)
    schedule = lr_scheduler.ExponentialLR(optimizer, 0.5)
    for _ in range(2):
        optimizer.zero_grad()
        (x * x).sum().backward()
        optimizer.step()
        schedule.step()
    assert x.tolist() == [0.25, -0.25]


def test_the_largest_stable_rate():
    """The theory of the chapter, as an oracle: |1 − ηλ| for each eigenvector."""
    for rate, arrives in ((0.0995, True), (0.1005, False)):
        x = leaf([1.0, 1.0], dtype=torch.float64)
        optimizer = SGD([x], rate)
        for _ in range(2000):
            x.grad = x.detach() * torch.tensor([1.0, 20.0], dtype=torch.float64)
            optimizer.step()
        expected = np.abs(1 - rate * np.array([1, 20.0])) ** 2000
        assert bool(np.abs(x.tolist()).max() < 1) is arrives
        np.testing.assert_allclose(np.abs(x.tolist())[1], expected[1], rtol=1e-6)


# -------------------------------------------------------------------------- schedules


def test_a_schedule_that_goes_first_is_warned_of():
    optimizer = SGD([leaf([1.0])], 1.0)
    optimizer.step()  # before the schedule: does not count
    schedule = lr_scheduler.StepLR(optimizer, 2)
    with pytest.warns(UserWarning, match=r"before `optimizer.step\(\)`"):
        schedule.step()


def test_get_lr_is_not_the_last_rate():
    schedule = lr_scheduler.StepLR(SGD([leaf([1.0])], 1.0), 2)
    with pytest.warns(UserWarning, match="please use `get_last_lr"):
        schedule.get_lr()


def test_two_schedules_act_together():
    optimizer = SGD([leaf([1.0])], 1.0)
    pair = lr_scheduler.ExponentialLR(optimizer, 0.5), lr_scheduler.StepLR(optimizer, 2)
    for _ in range(2):
        optimizer.step()
        for schedule in pair:
            schedule.step()
    assert math.isclose(optimizer.param_groups[0]["lr"], 0.5**2 * 0.1)


def test_a_schedule_is_resumed():
    def made():
        optimizer = SGD([leaf([1.0])], 1.0)
        optimizer.step()
        first = lr_scheduler.LinearLR(optimizer, 0.1, total_iters=3)
        second = lr_scheduler.CosineAnnealingLR(optimizer, 5)
        return optimizer, lr_scheduler.SequentialLR(optimizer, [first, second], [3])

    def go(optimizer, schedule, count):
        for _ in range(count):
            optimizer.step()
            schedule.step()
        return schedule.get_last_lr()

    a, b = made(), made()
    go(*a, 4)
    for mine, theirs in zip(b, a, strict=True):
        mine.load_state_dict(theirs.state_dict())
    assert go(*b, 2) == go(*a, 2)


# ------------------------------------------------------------------------------ files

VALUES = {
    "numbers": [1, -2, True, None, 2.5, math.inf, "text"],
    "nested": {"a": (1, {"b": [2]}), 3: "three", None: {4}},
    "a.b": torch.ones(2, 3, dtype=torch.float64),
    "a": {"b": torch.arange(4), "empty": torch.zeros(0, 2), "0-d": torch.tensor(True)},
    "size": torch.Size([2, 3]),
}


def packed(value) -> bytes:
    file = io.BytesIO()
    torch.save(value, file)
    return file.getvalue()


def same(a, b) -> bool:
    if isinstance(a, torch.Tensor):
        return a.dtype is b.dtype and a.shape == b.shape and a.tolist() == b.tolist()
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[k], b[k]) for k in a)
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b)) and type(a) is type(b)
    return type(a) is type(b) and a == b


@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "int8", "int16"])
def test_every_dtype_comes_back(kind):
    x = torch.tensor([[1, 2], [3, 4]], dtype=getattr(torch, kind)).t()
    assert same(torch.load(io.BytesIO(packed(x))), x)


def test_values_come_back(tmp_path):
    path = tmp_path / "values.pt"
    for name in (path, str(path)):
        torch.save(VALUES, name)
        assert same(torch.load(name, map_location="cpu"), VALUES)
    assert os.listdir(tmp_path) == ["values.pt"]


def test_a_tensor_that_occurs_twice_is_one():
    x = leaf([1.0, 2.0])
    found = torch.load(io.BytesIO(packed([x, x, x.detach()])))
    assert found[0] is found[1]
    assert found[0] is not found[2]
    assert [t.requires_grad for t in found] == [True, True, False]


def test_every_truncation_and_every_flipped_byte_is_found():
    data = packed({"w": torch.arange(5), "n": 3})
    for k in range(len(data)):
        with pytest.raises(RuntimeError, match="failed reading"):
            torch.load(io.BytesIO(data[:k]))
        changed = bytearray(data)
        changed[k] ^= 0x11
        try:
            found = torch.load(io.BytesIO(changed))
        except RuntimeError:
            continue
        assert data[k : k + 1] == b" ", "only the padding may differ"
        assert same(found, {"w": torch.arange(5), "n": 3})


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"\x80\x04K\x01.", b"PK\x03\x04" * 9, b"\x00" * 64, b"[1]" * 9]
)
def test_foreign_files_are_refused(data):
    with pytest.raises(RuntimeError, match=r"failed reading .* Nothing was loaded"):
        torch.load(io.BytesIO(data))


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "x.pt"
    torch.save(1, path)
    with pytest.raises(TypeError):
        torch.save({"f": print}, path)
    monkeypatch.setattr(os, "fsync", lambda _: 1 / 0)  # the disk is full
    with pytest.raises(ZeroDivisionError):
        torch.save(2, path)
    monkeypatch.undo()
    monkeypatch.setattr(os, "replace", lambda *_: 1 / 0)  # not given its name yet
    with pytest.raises(ZeroDivisionError):
        torch.save(3, path)
    assert torch.load(path) == 1
    assert os.listdir(tmp_path) == ["x.pt"]


def test_the_layout_is_that_of_safetensors():
    data = packed({"w": torch.ones(2, 3)})
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    assert header["w"] == {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}
    assert all(isinstance(v, str) for v in header["__metadata__"].values())
    assert size % 8 == 0
    assert data[8 + size :] == np.ones(6, "<f4").tobytes()


# ---------------------------------------------------------------------------- batches


def test_collate():
    pair = torch.utils.data.default_collate([("a", 1, 2.0), ("b", 2, 3.0)])
    assert pair[0] == ("a", "b")
    assert pair[1].dtype is torch.int64
    assert pair[2].dtype is torch.float64
    flags = torch.utils.data.default_collate([True, False])
    assert flags.dtype is torch.bool


def test_single_examples_and_own_batches():
    loader = torch.utils.data.DataLoader([np.float32(1), 2], batch_size=None)
    one, two = loader
    assert one.dtype is torch.float32
    assert two == 2
    loader = torch.utils.data.DataLoader(range(4), batch_sampler=[[3, 0], [1]])
    assert [b.tolist() for b in loader] == [[3, 0], [1]]
    assert len(loader) == 2


def test_data_sets_add_up():
    rows = torch.utils.data.TensorDataset(torch.arange(3))
    both = rows + torch.utils.data.Subset(rows, [2, 0])
    assert [both[k][0].item() for k in range(5)] == [0, 1, 2, 2, 0]
    assert both[-1][0].item() == 0


@pytest.mark.parametrize(
    "indices", [range(5), [3, 1, 4], np.array([2, 0]), torch.tensor([4, 2, 1])]
)
def test_rows_taken_at_once_are_the_examples_one_by_one(indices):
    class Slow(torch.utils.data.TensorDataset):  # a sub-class is asked one by one
        pass

    x, y = torch.arange(10.0).reshape(5, 2), torch.arange(5)
    quick, slow = (
        torch.utils.data.DataLoader(torch.utils.data.Subset(kind(x, y), indices), 2)
        for kind in (torch.utils.data.TensorDataset, Slow)
    )
    for one, other in zip(quick, slow, strict=True):
        assert type(one) is type(other) is list
        assert [t.tolist() for t in one] == [t.tolist() for t in other]
        assert [t.dtype for t in one] == [t.dtype for t in other]
    one[0].fill_(7)  # a batch is a copy
    assert x.max() == 9


def test_examples_of_ones_own_data_set_are_asked_for():
    class Doubled(torch.utils.data.TensorDataset):
        def __getitem__(self, index):
            return (2 * self.tensors[0][index],)

    (batch,) = torch.utils.data.DataLoader(Doubled(torch.arange(3)), 3)
    assert batch[0].tolist() == [0, 2, 4]
