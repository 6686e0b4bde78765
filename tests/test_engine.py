"""The walk, against answers of PyTorch, central differences and its own promises."""

import gc
import json
import threading
import warnings
import weakref

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import minigrad as torch
from minigrad.autograd import engine
from minigrad.autograd.function import FREED, merge, own, record
from minigrad.rules import PRIMITIVES, define
from minigrad.tensor import mode
from tests.reference import ledger, record_engine

RECORDED = json.loads(record_engine.PATH.read_text(encoding="utf-8"))["answers"]
PROGRAMS = record_engine.programs()


def leaf(value, dtype=torch.float32):
    return torch.tensor(value, dtype=dtype, requires_grad=True)


def double(value):
    return leaf(value, torch.float64)


def values(*tensors):
    return [None if t is None else t.tolist() for t in tensors]


def nodes(root):
    """Every node behind a root."""
    found, stack = {root}, [root]
    while stack:
        for child, _ in stack.pop().next_functions:
            if child is not None and child not in found:
                found.add(child)
                stack.append(child)
    return found


def is_clean(y):
    return all(node.g is None and node.uses == 0 for node in nodes(y.grad_fn))


@pytest.fixture
def primitive():
    """Record primitives with rules of one's own, and forget them afterwards."""
    before = dict(PRIMITIVES)

    def made(rule, name="probe"):
        return record(define(name, lambda x: x * 1, x=rule), name, "ProbeBackward0")

    yield made
    PRIMITIVES.clear()
    PRIMITIVES.update(before)


# what PyTorch answers


def test_the_recorded_programs_are_those_of_the_script():
    assert list(PROGRAMS) == list(RECORDED)
    assert len(RECORDED) >= 150


@pytest.mark.parametrize("graph", record_engine.GRAPHS)
def test_every_request_is_answered_as_pytorch_answers_it(graph):
    wrong = {}
    for name, code in PROGRAMS.items():
        if name.startswith(f"{graph}:"):
            answer = ledger.run(code, torch)
            if answer.value != RECORDED[name]:
                wrong[name] = (RECORDED[name], answer.value, answer.error)
    assert not wrong


# the order


def test_a_node_waits_for_all_that_is_sent_to_it():
    for build in (lambda a: a * (a + 1), lambda a: (a + 1) * a):
        x = leaf(3.0)
        build(x * x).backward()
        assert x.grad.item() == 114


@pytest.mark.parametrize("stages", [1, 20, 100])
def test_a_ladder_is_walked_in_linear_time(stages):
    x = leaf(1.0)
    h = x
    for _ in range(stages):
        h = h + h
    h.backward()
    assert x.grad.item() == 2.0**stages


def test_each_rule_runs_once(primitive):
    seen = []
    probe = primitive(lambda g: (seen.append(float(g)), g)[1])
    x = leaf(3.0)
    h = probe(x)
    (h * h + h).backward()
    assert seen == [7.0]
    assert x.grad.item() == 7


def test_long_chains_and_wide_fans_need_no_recursion():
    x = leaf(1.0)
    h = x
    for _ in range(100_000):
        h = h + 1
    h.backward()
    assert x.grad.item() == 1
    total = x * 1
    for _ in range(20_000):
        total = total + x
    x.grad = None
    total.backward()
    assert x.grad.item() == 20_001
    (g,) = torch.autograd.grad(h, x)
    assert g.item() == 1


# what a walk starts from


@pytest.mark.parametrize(
    ("v", "kind"),
    [
        (torch.tensor([1, 2]), None),
        (torch.tensor([1.0, 2.0], dtype=torch.float64), None),
        (torch.tensor([True, False]), None),
        (torch.ones(3), RuntimeError),
        (torch.ones(1), RuntimeError),
        (torch.tensor(1.0), RuntimeError),
        (torch.ones(1, 2), RuntimeError),
        (1.0, TypeError),
        ([1.0, 2.0], TypeError),
        (np.ones(2), TypeError),
    ],
)
def test_the_weights_have_the_shape_of_the_output(v, kind):
    x = leaf([1.0, 3.0])
    y = x * x
    if kind is None:
        y.backward(v)
        assert x.grad.dtype is torch.float32
        assert x.grad.tolist() == (2 * np.array([1.0, 3.0]) * v.numpy()).tolist()
        return
    with pytest.raises(kind):
        y.backward(v)
    assert x.grad is None
    y.backward(torch.ones(2))  # the advice, and the graph is intact
    assert x.grad.tolist() == [2.0, 6.0]


def test_the_weights_take_the_dtype_of_the_output():
    x = leaf([1.0, 2.0])
    y = x * x
    for v in (torch.ones(2, dtype=torch.float64), torch.tensor([1, 1])):
        assert torch.autograd.grad(y, y, v)[0].dtype is torch.float32


def test_only_one_element_goes_without_weights():
    x = leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match=r"only for scalar outputs.*Chapter 7"):
        (x * x).backward()
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]
    for shape in [(), (1,), (1, 1)]:
        one = torch.full(shape, 3.0).requires_grad_()
        (one * one).backward()
        assert one.grad.item() == 6 and one.grad.shape == shape
    with pytest.raises(RuntimeError, match="only for scalar"):
        (torch.zeros(0).requires_grad_() * 1).backward()


def test_a_tensor_without_history_is_an_error():
    with pytest.raises(RuntimeError, match=r"element 0 .*does not require grad.*Set"):
        torch.ones(()).backward()
    x = torch.ones(()).requires_grad_()
    (x * 2).backward()
    assert x.grad.item() == 2
    with pytest.raises(RuntimeError, match="element 1 of tensors"):
        torch.autograd.backward([x * 2, x > 0])
    assert x.grad.item() == 2


def test_one_set_of_weights_for_each_output():
    x = leaf(2.0)
    with pytest.raises(RuntimeError, match="got 2 tensors and 1 gradients"):
        torch.autograd.backward([x * 2, x * 3], [torch.tensor(1.0)])
    with pytest.raises(RuntimeError, match=r"grad_output\[1\]"):
        torch.autograd.backward([x * 2, x * 3], [None, torch.ones(2)])
    with pytest.raises(AssertionError):
        torch.autograd.backward([1.0])
    torch.autograd.backward([x * 2, x * 3], [None, torch.tensor(10.0)])
    assert x.grad.item() == 32
    torch.autograd.backward([])


def test_a_leaf_may_be_a_root():
    x, v = leaf([1.0, 2.0]), torch.tensor([3.0, 4.0])
    x.backward(v)
    x.grad.numpy()[0] = 9
    assert v.tolist() == [3.0, 4.0]


# where the sums go


def test_a_leaf_keeps_its_grad_object_and_adds_in_place():
    for value in (2.0, [1.0, 2.0]):
        x = leaf(value)
        (x * 3).sum().backward()
        first, memory = x.grad, x.grad.numpy()
        (x * 4).sum().backward()
        assert x.grad is first and np.shares_memory(x.grad.numpy(), memory)
        assert np.all(first.numpy() == 7)


def test_a_grad_set_by_hand_is_added_to():
    x, mine = leaf([1.0, 2.0]), torch.ones(2)
    x.grad = mine
    (x * x).sum().backward()
    assert x.grad is mine and mine.tolist() == [3.0, 5.0]


def test_under_create_graph_a_new_grad_is_made():
    x, mine = leaf([1.0, 2.0]), torch.ones(2)
    x.grad = mine
    with pytest.warns(UserWarning, match="reference cycle"):
        (x * x).sum().backward(create_graph=True)
    assert mine.tolist() == [1.0, 1.0]
    assert x.grad.tolist() == [3.0, 5.0] and x.grad.requires_grad


def test_a_gradient_that_the_engine_alone_holds_is_not_copied(monkeypatch):
    x, y = leaf(np.ones((3, 4))), leaf(np.ones(4))
    copies = []
    monkeypatch.setattr(np, "copy", lambda g: copies.append(g.shape) or g.__array__())
    (x * 2 + y).tanh().sum().backward()
    assert copies == []
    x.grad = None
    (x + 1).backward(torch.ones(3, 4))  # the caller's own array
    assert copies == [(3, 4)]


def test_under_create_graph_nothing_is_shared_either():
    x, w, v = leaf([1.0, 2.0]), leaf([3.0, 4.0]), torch.ones(2)
    h = (x + w) * 1
    h.retain_grad()
    with pytest.warns(UserWarning, match="reference cycle"):
        h.backward(v, create_graph=True)
    found = [t.numpy() for t in (x.grad, w.grad, h.grad, v)]
    for k, a in enumerate(found):
        assert not any(np.shares_memory(a, b) for b in found[k + 1 :])
    x, names = leaf(2.0), []
    h = x * x
    h.retain_grad()
    with pytest.warns(UserWarning, match="reference cycle"):
        (h * h).backward(create_graph=True)
    names += [type(t.grad.grad_fn).__name__ for t in (x, h)]
    assert names == ["CopyBackwards", "CloneBackward0"]


SHARERS = {
    "a sum": lambda x, w: x + w,
    "a difference": lambda x, w: x - w,
    "views": lambda x, w: (x.t().reshape(6) + w.reshape(6)).reshape(3, 2),
    "a spread": lambda x, w: x.sum() + w.sum(),
    "clones": lambda x, w: x.clone() + w.clone(),
    "twice": lambda x, w: x + x + w + w,
    "a product": lambda x, w: x * w,
    "an expansion": lambda x, w: (x + w).reshape(2, 1, 3).expand(2, 4, 3),
}


@pytest.mark.parametrize("name", SHARERS)
@pytest.mark.parametrize("again", [False, True])
def test_gradients_share_memory_with_nothing(name, again):
    x, w = leaf(np.ones((2, 3))), leaf(np.full((2, 3), 2.0))
    y = SHARERS[name](x, w)
    v = torch.ones_like(y.detach())
    y.backward(v, retain_graph=True)
    if again:
        y.backward(v)
    found = [x.grad, w.grad]
    if not again:
        found += torch.autograd.grad(y, [x, w, x], v)
    arrays = [g.numpy() for g in found] + [t.detach().numpy() for t in (x, w, v, y)]
    for k, a in enumerate(arrays[: len(found)]):
        assert a.flags.writeable and a.dtype == np.float32
        assert not any(np.shares_memory(a, b) for b in arrays[k + 1 :])


def test_large_sums_are_added_in_place_only_where_nobody_looks():
    big = np.ones(10_000)

    class Slot:
        __slots__ = ("g",)

    slot = Slot()
    slot.g = big.copy()
    address = slot.g.__array_interface__["data"][0]
    slot.g = merge(slot.g, big)
    assert slot.g.__array_interface__["data"][0] == address
    held = slot.g
    slot.g = merge(slot.g, big)
    assert slot.g is not held and held[0] == 2 and slot.g[0] == 3
    x, w = leaf(big), leaf(big)
    h = x + w  # the same large array is sent to both
    (h + x * 2).sum().backward()
    assert x.grad.numpy()[0] == 3 and w.grad.numpy()[0] == 1
    slot.g = np.broadcast_to(np.ones(3), (2, 3))
    assert own(slot.g).flags.writeable
    slot.g = np.float32(1)
    assert isinstance(own(slot.g), np.ndarray)


def test_gradients_have_the_dtype_and_the_shape_of_the_leaf():
    x, w = leaf([[1.0], [2.0]]), double([4.0, 8.0, 16.0])
    s = torch.tensor(2.0, dtype=torch.float16, requires_grad=True)
    (x * w * s).sum().backward()
    assert [t.grad.dtype for t in (x, w, s)] == [
        torch.float32,
        torch.float64,
        torch.float16,
    ]
    assert x.grad.tolist() == [[56.0], [56.0]]
    assert w.grad.tolist() == [6.0, 6.0, 6.0]
    assert s.grad.shape == () and s.grad.item() == 84


def test_a_leaf_that_no_longer_listens_gets_nothing():
    for stop in (lambda x: x.requires_grad_(False), lambda x: x.detach_()):
        x, w = leaf(2.0), leaf(3.0)
        y = x * w
        stop(x)
        y.backward()
        assert values(x.grad, w.grad) == [None, 2.0]


def test_a_leaf_that_is_gone_is_no_trouble():
    x, w = leaf(2.0), leaf(3.0)
    y = x * w
    del x
    y.backward()
    assert w.grad.item() == 2


def test_a_grad_that_does_not_fit_is_refused_before_anything_has_changed():
    def replaced(x):
        (x * x).sum().backward()
        x.data = torch.ones(3)

    def shared(x):
        x.grad = torch.ones(1).expand(2)

    words = "must match the size.*set it to None"
    single = r"single memory location.*clone\(\)"
    spoiled = [(replaced, "None", words), (shared, "clone", single)]
    for spoil, advice, message in spoiled:
        x, w = leaf([1.0, 2.0]), leaf(1.0)
        spoil(x)
        for order in ((x * w).sum, (w * x).sum):
            with pytest.raises(RuntimeError, match=message):
                order().backward()
            assert w.grad is None
        x.grad = None if advice == "None" else x.grad.clone()
        (x * w).sum().backward()
        assert w.grad is not None


def test_other_data_of_another_shape_is_noticed():
    x, w = leaf([1.0, 2.0]), leaf(1.0)
    y = (x * 3 + w).sum()
    x.data = torch.ones(3)
    with pytest.raises(RuntimeError, match=r"expected shape.*\.data has been replaced"):
        y.backward()
    assert values(x.grad, w.grad) == [None, None] and is_clean(y)
    (x * 3 + w).sum().backward()
    assert x.grad.tolist() == [3.0, 3.0, 3.0]


# what is freed


def test_a_second_backward_is_refused_and_the_advice_works():
    x = leaf(3.0)
    y = x * x
    y.backward()
    assert y.grad_fn.x is FREED and repr(FREED) == "<freed>"
    for again in (y.backward, lambda: torch.autograd.grad(y, x)):
        with pytest.raises(RuntimeError, match=r"second time.*retain_graph=True"):
            again()
    assert x.grad.item() == 6
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    assert x.grad.item() == 18


FREEING = {
    "mul": lambda x: x * x,
    "mul by a number": lambda x: x * 3,
    "div": lambda x: 1 / x,
    "pow": lambda x: x**2,
    "pow of tensors": lambda x: x**x,
    "rpow": lambda x: 2**x,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: x.relu(),
    "matmul": lambda x: x.reshape(1, 1) @ x.reshape(1, 1),
}
KEEPING = {
    "add": lambda x: x + x,
    "sub": lambda x: 1 - x,
    "neg": lambda x: -x,
    "sum": lambda x: x.sum(),
    "reshape": lambda x: x.reshape(1),
    "expand": lambda x: x.expand(3).sum(),
    "permute": lambda x: x.reshape(1, 1).t(),
    "clone": lambda x: x.clone(),
    "to": lambda x: x.to(torch.float64),
}


@pytest.mark.parametrize("name", [*FREEING, *KEEPING])
def test_only_what_has_saved_nothing_can_be_walked_again(name):
    x = leaf(2.0)
    y = (FREEING | KEEPING)[name](x)
    y.backward()
    first = x.grad.item()
    if name in KEEPING:
        y.backward()
        assert x.grad.item() == 2 * first
        return
    with pytest.raises(RuntimeError, match="second time"):
        y.backward()
    assert x.grad.item() == first and is_clean(y)


def test_a_shared_part_is_freed_or_retained():
    x = leaf([1.0, 2.0, 3.0])
    y = x**2
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    assert x.grad.tolist() == [4.0, 8.0, 12.0]
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()


def test_create_graph_retains_unless_told_otherwise():
    x = leaf(2.0)
    y = x.exp() * x
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    with pytest.raises(RuntimeError, match="second time"):
        torch.autograd.grad(y, x)


# some of the gradients


def test_rules_that_lead_to_no_target_do_not_run(primitive):
    seen = []
    probe = primitive(lambda g: (seen.append(1), g)[1])
    x, w = leaf(2.0), leaf(3.0)
    y = probe(x) * w * probe(probe(x))
    torch.autograd.grad(y, w, retain_graph=True)
    assert not seen
    y.backward(inputs=[x])
    assert len(seen) == 3
    assert values(x.grad, w.grad) == [12.0, None]


def test_a_non_leaf_among_the_inputs_retains_from_then_on():
    x = leaf(2.0)
    h = x * x
    (h * 3).backward(inputs=[h, h])
    assert values(h.grad, x.grad) == [3.0, None] and h.retains_grad
    first = h.grad
    (h * 4).backward(inputs=h)
    assert h.grad.item() == 7 and h.grad is not first
    (h * 1).backward()
    assert values(h.grad, x.grad) == [8.0, 4.0]


def test_retained_gradients_come_with_autograd_grad_as_well():
    x = leaf(2.0)
    h = x * x
    h.retain_grad()
    (g,) = torch.autograd.grad(h * 3, x)
    assert values(g, h.grad, x.grad) == [12.0, 3.0, None]


@pytest.mark.parametrize(
    ("request_", "kind", "words"),
    [
        (lambda x, w, c: (x * x).backward(inputs=[]), RuntimeError, "cannot be empty"),
        (lambda x, w, c: torch.autograd.grad(x * x, []), RuntimeError, "be empty"),
        (
            lambda x, w, c: (x * c).backward(inputs=[c]),
            RuntimeError,
            "can't retain_grad",
        ),
        (
            lambda x, w, c: torch.autograd.grad(x * c, c),
            RuntimeError,
            "not require grad",
        ),
        (lambda x, w, c: torch.autograd.grad(x * x, "x"), RuntimeError, "got str"),
        (lambda x, w, c: torch.autograd.grad(x * x, [x, w]), RuntimeError, "index 1"),
        (
            lambda x, w, c: torch.autograd.grad(
                x * x, x, allow_unused=False, materialize_grads=True
            ),
            ValueError,
            "allow_unused to be True",
        ),
    ],
)
def test_requests_that_are_refused(request_, kind, words):
    x, w, c = leaf(2.0), leaf(3.0), torch.tensor(1.0)
    with pytest.raises(kind, match=words):
        request_(x, w, c)
    assert values(x.grad, w.grad) == [None, None]
    assert values(*torch.autograd.grad(x * x, (x, w), allow_unused=True)) == [4.0, None]
    found = torch.autograd.grad(x * x, (x, w), materialize_grads=True)
    assert values(*found) == [4.0, 0.0]
    assert not found[1].requires_grad


def test_inputs_may_be_any_sequence_and_repeat():
    x, w = leaf(2.0), leaf(5.0)
    for inputs in ([x, w], (x, w), (t for t in (x, w))):
        assert values(*torch.autograd.grad(x * w, inputs)) == [5.0, 2.0]
    a, b, c = torch.autograd.grad(x * w, [x, x, w])
    assert values(a, b, c) == [5.0, 5.0, 2.0]
    a.numpy()[...] = 0
    assert b.item() == 5
    (x * w).backward(inputs=(t for t in (x, x)))
    assert values(x.grad, w.grad) == [5.0, None]
    with pytest.warns(FutureWarning, match="only_inputs"):
        torch.autograd.grad(x * w, x, only_inputs=False)


def test_rows_of_weights():
    x = double([1.0, 2.0, 3.0])
    rows = torch.tensor(np.eye(3)[:2])
    (found,) = torch.autograd.grad(x**2, x, rows, is_grads_batched=True)
    assert found.tolist() == [[2.0, 0.0, 0.0], [0.0, 4.0, 0.0]]
    y = x**2
    found, none = torch.autograd.grad(
        y, (x, leaf(1.0)), rows, True, allow_unused=True, is_grads_batched=True
    )
    assert found.shape == (2, 3) and none is None
    y.sum().backward()  # it was retained
    torch.autograd.grad(y := x**2, x, rows, is_grads_batched=True)
    with pytest.raises(RuntimeError, match="second time"):
        y.sum().backward()
    (found,) = torch.autograd.grad(
        x**3, x, rows, create_graph=True, is_grads_batched=True
    )
    (second,) = torch.autograd.grad(found.sum(), x)
    assert second.tolist() == [6.0, 12.0, 0.0]


# gradients of gradients

ONE = {
    "neg": lambda x: (-x) ** 3,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: x.relu() ** 3,
    "cube": lambda x: x**3,
    "root": lambda x: x**0.5,
    "reciprocal": lambda x: 1 / x,
    "rsub": lambda x: (2 - x) ** 3,
    "rpow": lambda x: 2**x,
    "sum": lambda x: (x.sum(0) * x).sum() ** 2,
    "sum kept": lambda x: (x.sum(1, keepdim=True) * x) ** 2,
    "reshape": lambda x: (x.reshape(3, 2) @ x) ** 2,
    "transpose": lambda x: (x.t() @ x) ** 2,
    "permute": lambda x: (x.permute(1, 0) * x.reshape(3, 2)) ** 2,
    "expand": lambda x: x.reshape(2, 1, 3).expand(2, 4, 3) ** 3,
    "clone": lambda x: x.clone() ** 3,
}
TWO = {
    "add": lambda x, y: (x + y) ** 3,
    "sub": lambda x, y: (x - y) ** 3,
    "mul": lambda x, y: x * y * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "matmul": lambda x, y: (x @ y.t()) ** 2,
    "matmul of stacks": lambda x, y: (x.reshape(1, 2, 3) @ y.reshape(1, 3, 2)) ** 2,
    "broadcasting": lambda x, y: (x * y.sum(0)) ** 3,
    "alpha": lambda x, y: torch.add(x, y, alpha=2) ** 3,
}


def directional(f, arrays, directions, order):
    """The derivative of that order of a weighted sum of f along the directions."""
    leaves = [double(a) for a in arrays]
    y = f(*leaves)
    weights = np.cos(np.arange(y.numel())).reshape(y.shape)
    total = (y * torch.tensor(weights)).sum()
    for _ in range(order):
        found = torch.autograd.grad(total, leaves, create_graph=True)
        total = sum(
            (g * torch.tensor(d)).sum() for g, d in zip(found, directions, strict=True)
        )
    return total.item()


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_every_primitive_to_the_third_order(name):
    rng = np.random.default_rng(7)
    f = (ONE | TWO)[name]
    shapes = [(2, 3)] * (1 if name in ONE else 2)
    arrays = [rng.uniform(0.5, 1.5, shape) for shape in shapes]
    directions = [rng.standard_normal(shape) for shape in shapes]
    h = 1e-5
    for order in (1, 2, 3):
        sides = [
            directional(
                f,
                [a + t * d for a, d in zip(arrays, directions, strict=True)],
                directions,
                order - 1,
            )
            for t in (h, -h)
        ]
        measured = (sides[0] - sides[1]) / (2 * h)
        found = directional(f, arrays, directions, order)
        assert found == pytest.approx(measured, rel=1e-6, abs=1e-6), order


def test_the_source_texts_second_order():
    x = leaf([1.0, 2.0, 3.0])
    z = (x**2).sum()
    with pytest.warns(UserWarning, match="reference cycle"):
        z.backward(create_graph=True)
    x.grad.backward(torch.ones_like(x.grad))
    assert x.grad.tolist() == [4.0, 6.0, 8.0]  # 2x + 2: the first and the second
    (first,) = torch.autograd.grad((x**2).sum(), x, create_graph=True)
    assert torch.autograd.grad(first.sum(), x)[0].tolist() == [2.0, 2.0, 2.0]


def test_what_is_not_asked_for_still_has_a_history():
    x, w = leaf(3.0), leaf(5.0)
    (g,) = torch.autograd.grad(x * x * w, x, create_graph=True)
    assert values(*torch.autograd.grad(g, [x, w])) == [10.0, 6.0]


def test_weights_take_part_in_the_recording():
    x, v = leaf([1.0, 2.0]), double([1.0, 1.0])
    (g,) = torch.autograd.grad(x**2, x, v, create_graph=True)
    assert g.dtype is torch.float32
    (back,) = torch.autograd.grad(g.sum(), v)
    assert back.tolist() == [2.0, 4.0] and back.dtype is torch.float64
    assert not torch.autograd.grad(x * 3, x, v)[0].requires_grad


def test_recording_leaves_the_saved_arrays_as_they_were(primitive):
    x = leaf(2.0)
    y = x.exp() * x

    def saved():
        found = {}
        for node in nodes(y.grad_fn):
            found |= {(node, name): getattr(node, name) for name in node.saves}
        return found

    before = saved()
    torch.autograd.grad(y, x, create_graph=True)
    assert all(saved()[key] is array for key, array in before.items())

    def broken(g, x):
        raise ArithmeticError(type(x).__name__)

    z = primitive(broken)(x * 1)
    with pytest.raises(ArithmeticError, match="Tensor"):
        torch.autograd.grad(z, x, create_graph=True)
    assert not isinstance(z.grad_fn.x, torch.Tensor)


def test_numpys_functions_on_tensors():
    x = leaf([1.0, 2.0])
    for name in ("exp", "log", "tanh", "negative"):
        y = getattr(np, name)(x)
        assert isinstance(y, torch.Tensor) and y.requires_grad
        assert np.allclose(y.detach().numpy(), getattr(np, name)([1.0, 2.0]))
    for y, expected, node in [
        (np.float64(2) - x, [1.0, 0.0], "RsubBackward1"),
        (np.float64(2) / x, [2.0, 1.0], "MulBackward0"),
        (np.float64(2) ** x, [2.0, 4.0], "PowBackward2"),
        (np.ones(2, np.float32) * x, [1.0, 2.0], "MulBackward0"),
        (np.multiply(2, x), [2.0, 4.0], "MulBackward0"),
        (np.sum(x), 3.0, "SumBackward0"),
        (np.sum(x, axis=0), 3.0, "SumBackward1"),
        (np.reshape(x, (2, 1)), [[1.0], [2.0]], "ViewBackward0"),
        (np.transpose(x), [1.0, 2.0], "PermuteBackward0"),
        (np.broadcast_to(x, (1, 2)), [[1.0, 2.0]], "ExpandBackward0"),
    ]:
        assert y.tolist() == expected and y.grad_fn.name() == node
    assert np.greater(x, 1).tolist() == [False, True]
    for unrecorded in (
        lambda x: np.cumsum(x),
        lambda x: np.cbrt(x),
        lambda x: np.add.reduce(x),
        lambda x: np.exp(x, out=np.zeros(2)),
        lambda x: np.allclose(x, [1.0, 2.0]),
    ):
        with pytest.raises(RuntimeError, match=r"detach\(\)"):
            unrecorded(x)
        expected = unrecorded(np.array([1.0, 2.0], np.float32))
        assert np.array_equal(np.asarray(unrecorded(x.detach())), expected)
    assert isinstance(np.sqrt(x.detach()), torch.Tensor)
    with pytest.raises(TypeError):
        np.exp(x.detach(), out=x)
    assert x.astype(np.dtype("float32")) is x
    assert x.astype(np.dtype("float64")).dtype is torch.float64


# when something goes wrong


def test_a_rule_that_fails_changes_nothing(primitive):
    troubles = iter([True, False])

    def moody(g):
        if next(troubles):
            raise ArithmeticError("no")
        return g

    x, w = leaf(2.0), leaf(2.0)
    y = primitive(moody)(x) * 1 + w * 3
    x.grad = torch.tensor(100.0)
    with pytest.raises(ArithmeticError):
        y.backward(retain_graph=True)
    assert values(x.grad, w.grad) == [100.0, None]
    assert is_clean(y) and mode.recording
    y.backward()
    assert values(x.grad, w.grad) == [101.0, 3.0]


def test_a_rule_with_a_wrong_shape_changes_nothing(primitive):
    x, w = leaf([1.0, 2.0]), leaf([1.0, 2.0])
    y = (primitive(lambda g: g.reshape(1, 2))(x) + w).sum()
    for attempt in (y.backward, lambda: torch.autograd.grad(y, [w, x])):
        with pytest.raises(RuntimeError, match=r"invalid gradient: got \[1, 2\]"):
            attempt()
        assert values(x.grad, w.grad) == [None, None] and is_clean(y)


def test_a_walk_inside_a_walk(primitive):
    found = []

    def curious(g):
        found.extend(values(*torch.autograd.grad(fourth, x, retain_graph=True)))
        fourth.backward(retain_graph=True, inputs=[other])
        return g

    x, other = leaf(3.0), leaf(1.0)
    h = x * x * other
    fourth = h * h
    y = h * 10 + primitive(curious)(h)
    y.backward(retain_graph=True, inputs=[x])
    assert found == [108.0]
    assert values(x.grad, other.grad) == [66.0, 162.0] and is_clean(y)
    assert not engine._under_way


def test_an_inner_walk_that_fails_spoils_nothing(primitive):
    def clumsy(g):
        with pytest.raises(RuntimeError):
            torch.autograd.grad(spent, x)
        return g

    x = leaf(3.0)
    h = x * x
    spent = x * x
    spent.backward()
    x.grad = None
    y = h * 10 + primitive(clumsy)(h)
    y.backward()
    assert x.grad.item() == 66 and is_clean(y)


def test_recording_is_off_in_a_rule_and_restored(primitive):
    seen = []
    probe = primitive(lambda g: (seen.append(mode.recording), g)[1])
    x = leaf(2.0)
    y = probe(x)
    y.backward(retain_graph=True)
    torch.autograd.grad(y, x, create_graph=True)
    assert seen == [False, True] and mode.recording
    with torch.no_grad():
        torch.autograd.grad(y, x, create_graph=True)
        assert not mode.recording and seen[-1]


def test_threads_take_turns():
    x = double(np.ones(1000))
    h = (x * 2).tanh()
    errors = []

    def work():
        try:
            for _ in range(30):
                (h * h).sum().backward(retain_graph=True)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    slope = 4 * np.tanh(2) * (1 - np.tanh(2) ** 2)
    assert np.allclose(x.grad.numpy(), 120 * slope)


def test_numpy_does_not_complain():
    x = leaf([0.0, 1.0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        (x.log() * 0 + 1 / x).sum().backward()
    assert np.isnan(x.grad.numpy()[0])


# memory


def test_arrays_are_freed_as_the_walk_passes(primitive):
    alive = []

    def counting(g):
        alive.append(sum(w() is not None for w in witnesses))
        return g

    probe, witnesses = primitive(counting), []
    x = double(np.full(10, 0.1))
    h = x
    for _ in range(5):
        h = probe(h).tanh()
        witnesses.append(weakref.ref(h.grad_fn.out))
    y = h.sum()
    del h
    gc.disable()
    try:
        y.backward()
    finally:
        gc.enable()
    assert alive == [4, 3, 2, 1, 0]


@pytest.mark.parametrize("create_graph", [False, True])
def test_nothing_is_left_without_the_collector(create_graph):
    gc.collect()
    gc.disable()
    try:
        x = double(np.ones(10))
        h = (x * 2).tanh()
        y = (h * h).sum()
        (g,) = torch.autograd.grad(y, x, create_graph=create_graph)
        witnesses = [weakref.ref(t) for t in (x, h, y, g)]
        witnesses += [weakref.ref(n) for n in nodes(y.grad_fn)]
        del x, h, y, g
        assert all(w() is None for w in witnesses)
    finally:
        gc.enable()


def test_not_even_under_create_graph_with_backward():
    gc.disable()
    try:
        x = leaf(2.0)
        with pytest.warns(UserWarning, match="cycle"):
            (x**3).backward(create_graph=True)
        witness = weakref.ref(x)
        del x
        assert witness() is None
    finally:
        gc.enable()


# random programs

SHAPES = [(), (3,), (2, 3), (2, 1)]
STEPS = {
    "neg": (1, lambda a: -a),
    "tanh": (1, lambda a: a.tanh()),
    "exp": (1, lambda a: (a * 0.5).tanh().exp()),
    "log": (1, lambda a: (a * a + 1).log()),
    "square": (1, lambda a: a**2 * 0.3),
    "reciprocal": (1, lambda a: 1 / (a * a + 1)),
    "power": (1, lambda a: (a * a + 1) ** a.tanh()),
    "sum": (1, lambda a: a.sum() * 0.3),
    "rows": (1, lambda a: a.sum(-1, keepdim=True) if a.ndim else a),
    "turn": (1, lambda a: (a.t() @ a).tanh().sum() if a.ndim == 2 else a),
    "flat": (1, lambda a: a.reshape(-1).reshape(a.shape)),
    "add": (2, lambda a, b: a + b),
    "sub": (2, lambda a, b: a - b),
    "mul": (2, lambda a, b: a * b.tanh()),
    "div": (2, lambda a, b: a / (b * b + 1)),
}


@st.composite
def programs(draw):
    """Shapes of the leaves, and steps with the numbers of their operands."""
    shapes = draw(st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3))
    steps, count = [], len(shapes)
    for _ in range(draw(st.integers(1, 8))):
        name = draw(st.sampled_from([*STEPS]))
        operands = [draw(st.integers(0, count - 1)) for _ in range(STEPS[name][0])]
        steps.append((name, operands))
        count += 1
    return shapes, steps


@settings(max_examples=60, deadline=None, derandomize=True)
@given(programs(), st.integers(0, 2**16))
def test_random_programs_against_central_differences(program, seed):
    shapes, steps = program
    rng = np.random.default_rng(seed)
    arrays = [rng.uniform(-1, 1, shape) for shape in shapes]
    directions = [rng.standard_normal(shape) for shape in shapes]

    def run(t):
        """The value, its slope along the directions, and the second one."""
        moved = [a + t * d for a, d in zip(arrays, directions, strict=True)]
        leaves = [double(a) for a in moved]
        made = list(leaves)
        for name, operands in steps:
            made.append(STEPS[name][1](*(made[k] for k in operands)))
        total = made[-1].sum() + sum((x * x).sum() for x in leaves)
        found, value = [total.item()], total
        for _ in range(2):
            slopes = torch.autograd.grad(value, leaves, create_graph=True)
            value = sum(
                (g * torch.tensor(d)).sum()
                for g, d in zip(slopes, directions, strict=True)
            )
            found.append(value.item())
        total.backward()
        first = sum(
            float((x.grad.numpy() * d).sum())
            for x, d in zip(leaves, directions, strict=True)
        )
        assert first == pytest.approx(found[1], rel=1e-9, abs=1e-9)
        return np.array(found)

    h = 1e-5
    measured = (run(h) - run(-h)) / (2 * h)
    found = run(0.0)
    assert found[1] == pytest.approx(measured[0], rel=1e-5, abs=1e-6)
    assert found[2] == pytest.approx(measured[1], rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    "touch",
    [
        lambda freed: freed + 1,
        lambda freed: 1 - freed,
        lambda freed: 2.0**freed,
        lambda freed: -freed,
        lambda freed: freed @ np.ones((1, 1)),
        lambda freed: np.ones((1, 1)) @ freed,
        lambda freed: np.ones(2) * freed,
        lambda freed: np.exp(freed),
        lambda freed: np.sum(freed),
        lambda freed: freed[0],
        lambda freed: len(freed),
        lambda freed: bool(freed),
        lambda freed: freed == 0,
        lambda freed: freed.shape,
        lambda freed: [*freed],
        lambda freed: torch.ones(2) * freed,
    ],
)
def test_whatever_a_rule_does_with_a_freed_value_is_the_error(touch):
    with pytest.raises(RuntimeError, match=r"second time.*retain_graph=True"):
        touch(FREED)


def test_an_interrupted_pass_leaves_no_trace():
    def stop(g):
        raise KeyboardInterrupt

    x = leaf([1.0, 2.0])
    interrupted = record(
        define("interrupted", lambda x: x + 0, x=stop), "interrupted", "StopBackward0"
    )
    del PRIMITIVES["interrupted"]
    h = x * x
    y = (interrupted(h) + h).sum()
    with pytest.raises(KeyboardInterrupt):
        y.backward()
    assert x.grad is None and is_clean(y)
    (x * x).sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_more_weights_than_outputs_are_ignored_as_in_pytorch():
    x = leaf(2.0)
    torch.autograd.backward([x * x], [torch.tensor(1.0), torch.tensor(5.0)])
    assert x.grad.item() == 4.0


def test_a_vector_without_history_is_told_so_first():
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require"):
        torch.ones(3).backward()


def test_saying_no_to_unused_inputs_is_no_contradiction():
    x, w = leaf(3.0), leaf(1.0)
    assert torch.autograd.grad(x * x, x, allow_unused=False)[0].item() == 6.0
    with pytest.raises(RuntimeError, match="Set allow_unused=True"):
        torch.autograd.grad(x * x, w, allow_unused=False)


def test_one_row_of_weights_is_stacked_too():
    x = leaf([1.0, 2.0])
    rows = torch.tensor([[10.0, 100.0]])
    (found,) = torch.autograd.grad(x * x, x, rows, is_grads_batched=True)
    assert found.tolist() == [[20.0, 400.0]]


def test_numpys_names_mean_the_same_on_tensors():
    a, b = np.array([1.0, 2.0, 3.0]), np.array([2.0, 2.0, 2.0])
    for name in (
        "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
        "add", "subtract", "multiply", "divide", "power",
    ):  # fmt: skip
        ufunc = getattr(np, name)
        for x, y in [(a, b), (b, a)]:
            for made in (
                ufunc(torch.tensor(x), torch.tensor(y)),
                ufunc(x, torch.tensor(y)),
                ufunc(torch.tensor(x), y),
            ):
                assert isinstance(made, torch.Tensor)
                assert made.tolist() == ufunc(x, y).tolist()
    stack, matrix = np.arange(12.0).reshape(2, 2, 3), np.arange(3.0).reshape(3, 1)
    product = np.matmul(torch.tensor(stack), torch.tensor(matrix))
    assert product.tolist() == (stack @ matrix).tolist()
    turned = np.transpose(torch.tensor(stack))
    assert turned.tolist() == np.transpose(stack).tolist()
    assert np.transpose(torch.tensor(stack), (1, 0, 2)).shape == (2, 2, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # NumPy's, __array_wrap__
        found = np.divmod(torch.tensor([7.0, 8.0]), 2)  # two results: plain arrays
    assert isinstance(found, tuple)
    assert [part.tolist() for part in found] == [[3.0, 4.0], [1.0, 0.0]]


def test_a_numpy_function_without_a_result_has_none():
    counts = torch.zeros(2)
    assert np.add.at(counts, [0, 0], 1.0) is None
    assert counts.tolist() == [2.0, 0.0]  # in place: NumPy was given the memory
