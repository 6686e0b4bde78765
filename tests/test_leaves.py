"""Leaves, flags, ``.grad`` and ``retain_grad``, against what PyTorch has answered.

The cases are programs in ``reference/record_leaves.py``, the answers are recorded in
``reference/leaves.json``. Further tests look at what a program cannot see: memory,
and whether the chapter's own table says what was recorded.
"""

import copy
import gc
import json
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from tests.reference import ledger
from tests.reference.record_leaves import CASES, DIFFERENT, RECORDED, WORDED

ANSWERS = ledger.answers(RECORDED)
CHAPTER = Path(__file__).parents[1] / "book" / "ch08-leaves.ipynb"


def cases(*themes):
    """The recorded cases of some themes, without the intended differences."""
    return [
        name
        for name in CASES
        if name.partition(":")[0] in themes and name not in DIFFERENT
    ]


def problems(name) -> list[str]:
    """Where minigrad's answer differs from PyTorch's."""
    answer = ledger.run(CASES[name], torch)
    return ledger.problems(answer, ANSWERS[name], WORDED.get(name))


def assert_as_recorded(name):
    """Run a case on minigrad and compare."""
    found = problems(name)
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


def test_every_case_is_recorded():
    assert set(CASES) == set(ANSWERS)
    assert len(CASES) >= 150


@pytest.mark.parametrize("name", cases("way", "life", "flag", "retain"))
def test_as_pytorch(name):
    assert_as_recorded(name)


# -- the chapter's table of ways -------------------------------------------------------


def chapter_sources():
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


def table_of_ways():
    (source,) = [s for s in chapter_sources() if s.startswith('WAYS = """')]
    lines = source.split('"""')[1].strip().splitlines()
    return [tuple(map(str.strip, line.rsplit("  ", 1))) for line in lines]


@pytest.mark.parametrize(("program", "claimed"), table_of_ways())
def test_the_chapter_tells_what_was_recorded(program, claimed):
    found = eval(ANSWERS[f"way: {program}"]["value"])
    words = [{True: "yes", False: "no"}.get(w, str(w)) for w in found[:4]]
    assert claimed == " ".join([*words, str(found[4])])


def test_the_chapter_has_many_ways():
    assert len(table_of_ways()) >= 30


# -- what the advice of each error leads to --------------------------------------------


def leaf(*numbers):
    return torch.tensor(list(numbers), requires_grad=True)


def test_retain_grad_of_a_constant_then_as_advised():
    x = torch.tensor([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"can't retain_grad .*\n*.*Chapter 8"):
        (x * 2).retain_grad()
    x.requires_grad_()
    h = x * 2
    h.retain_grad()
    h.sum().backward()
    assert h.grad.tolist() == [1.0, 1.0]


def test_integers_refuse_then_as_advised():
    x = torch.arange(3)
    with pytest.raises(RuntimeError, match=r"floating point.*Chapter 4"):
        x.requires_grad_()
    assert not x.requires_grad
    for y in (x.float(), torch.tensor(x.tolist(), dtype=torch.float32)):
        y.requires_grad_().sum().backward()
        assert y.grad.tolist() == [1.0, 1.0, 1.0]


def test_the_flag_of_a_result_then_as_advised():
    h = leaf(1.0) * 2
    with pytest.raises(RuntimeError, match=r"leaf variables.*detach\(\)"):
        h.requires_grad_(False)
    assert h.requires_grad and not h.is_leaf
    assert not h.detach().requires_grad


def test_grad_of_a_result_warns_then_as_advised():
    h = leaf(3.0) * 2
    with pytest.warns(UserWarning, match=r"retain_grad\(\)"):
        assert h.grad is None
    h.retain_grad()
    h.sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert h.grad.tolist() == [1.0]


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        (
            lambda: torch.ones(3),
            RuntimeError,
            r"size '\[3\]' to a tensor of size '\[2\]'",
        ),
        (lambda: torch.ones(2, dtype=torch.float64), RuntimeError, "dtype"),
        (lambda: torch.tensor([1, 2]), RuntimeError, "dtype"),
        (lambda: [1.0, 2.0], TypeError, "Tensor or None"),
    ],
)
def test_a_refused_gradient_leaves_the_old_one(value, error, words):
    x = leaf(1.0, 2.0)
    x.grad = old = torch.tensor([5.0, 6.0])
    with pytest.raises(error, match=words):
        x.grad = value()
    assert x.grad is old
    assert old.tolist() == [5.0, 6.0]


def test_backward_without_history_then_as_advised():
    x = torch.tensor(3.0)
    with pytest.raises(RuntimeError, match=r"does not require grad .*leaf"):
        (x * x).backward()
    x.requires_grad_()
    (x * x).backward()
    assert x.grad.item() == 6.0


def test_an_inference_tensor_then_as_advised():
    with torch.inference_mode():
        c = torch.tensor([2.0])
    x = leaf(3.0)
    with pytest.raises(RuntimeError, match=r"saved for backward.*clone\(\)"):
        x * c
    (x * c.clone()).sum().backward()
    assert x.grad.tolist() == [2.0]
    with pytest.raises(RuntimeError, match=r"Setting requires_grad=True.*clone\(\)"):
        c.requires_grad_()
    assert c.clone().requires_grad_().requires_grad


# -- memory ----------------------------------------------------------------------------


@pytest.fixture
def no_collector():
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def test_retaining_makes_no_cycle(no_collector):
    x = leaf(1.0, 2.0)
    h = x * 2
    h.retain_grad()
    gone = weakref.ref(h), weakref.ref(h.grad_fn)
    (h * 3).sum().backward()
    assert h.grad.tolist() == [3.0, 3.0]
    del h
    assert gone[0]() is None
    assert gone[1]() is None


def test_a_retained_tensor_may_go_before_the_pass(no_collector):
    x = leaf(3.0)
    h = x * x
    h.retain_grad()
    y = (h * 2).sum()
    del h
    y.backward()
    assert x.grad.tolist() == [12.0]


def test_a_frozen_leaf_lets_its_mailbox_go(no_collector):
    x = leaf(1.0)
    mailbox = weakref.ref(x._node)
    x.requires_grad_(False)
    assert mailbox() is None


def test_no_two_gradients_share_memory():
    x = leaf(1.0, 2.0)
    h = x + 0
    k = h + 0
    h.retain_grad()
    k.retain_grad()
    v = torch.tensor([5.0, 6.0])
    k.backward(v)
    arrays = [t.numpy() for t in (v, k.grad, h.grad, x.grad)]
    for i, a in enumerate(arrays):
        assert a.tolist() == [5.0, 6.0]
        for b in arrays[i + 1 :]:
            assert not np.shares_memory(a, b)


def test_deepcopy_is_independent():
    x = leaf(1.0, 2.0)
    (x * x).sum().backward()
    y = copy.deepcopy(x)
    with torch.no_grad():
        y += 1
        y.grad += 1
    assert x.tolist() == [1.0, 2.0]
    assert x.grad.tolist() == [2.0, 4.0]


def test_what_shares_memory():
    x = leaf(1.0, 2.0)
    base = x.detach().numpy()
    assert np.shares_memory(x.data.numpy(), base)
    for other in (x.clone(), x.detach().clone(), x * 1, copy.deepcopy(x)):
        assert not np.shares_memory(other.detach().numpy(), base)


def test_differences_are_still_different():
    for name in DIFFERENT:
        assert problems(name), name


def test_a_leaf_told_to_retain_is_still_not_touched_by_autograd_grad():
    x = leaf(3.0)
    x.retain_grad()
    assert torch.autograd.grad((x * x).sum(), x)[0].tolist() == [6.0]
    assert x.grad is None and not x.retains_grad
    (x * x).sum().backward()
    assert x.grad.tolist() == [6.0]


def test_an_inference_tensor_may_be_told_that_it_needs_no_gradient():
    with torch.inference_mode():
        c = torch.tensor(1.0)
    c.requires_grad = False  # only True is refused, as in PyTorch
    assert not c.requires_grad
