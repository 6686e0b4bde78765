"""Hooks, against what PyTorch has answered, and what a program cannot see.

The cases are programs in ``reference/record_hooks.py``, the answers are recorded in
``reference/hooks.json``. Further tests look at memory, at failures half-way, and at
what is left on the nodes.
"""

import ast
import gc
import json
import weakref
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import engine, function, graph, saved, watch
from minigrad.tensor import mode
from tests.reference import ledger
from tests.reference.record_hooks import CASES, DIFFERENT, RECORDED, WORDED

ANSWERS = ledger.answers(RECORDED)
CHAPTER = Path(__file__).parents[1] / "book" / "ch12-hooks.ipynb"


def problems(name) -> list[str]:
    """Where minigrad's answer differs from PyTorch's."""
    answer = ledger.run(CASES[name], torch)
    return ledger.problems(answer, ANSWERS[name], WORDED.get(name))


def test_every_case_is_recorded():
    assert set(CASES) == set(ANSWERS)
    assert len(CASES) >= 190


@pytest.mark.parametrize("name", [name for name in CASES if name not in DIFFERENT])
def test_as_pytorch(name):
    found = problems(name)
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


@pytest.mark.parametrize("name", DIFFERENT)
def test_intended_differences_are_differences(name):
    assert problems(name)


def chapter_recorded() -> dict:
    """The table of programs and answers that the chapter shows."""
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    (source,) = [s for s in sources if "\nRECORDED = {" in s]
    values = {}
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.Assign):
            name = statement.targets[0].id
            if name in ("START", "RECORDED"):
                values[name] = ast.literal_eval(statement.value)
    return values


def test_the_chapter_tells_what_was_recorded():
    values = chapter_recorded()
    for program, said in values["RECORDED"].items():
        code = values["START"] + program.replace("; ", "\n") + "\n"
        (name,) = [name for name, case in CASES.items() if case == code]
        assert ANSWERS[name]["value"] == said


# -- helpers ---------------------------------------------------------------------------


def leaf(*numbers):
    return torch.tensor(list(numbers), requires_grad=True)


def fails(*given):
    raise ZeroDivisionError("mine")


def quietly(deed):
    """A hook that does something and answers nothing."""

    def hook(*given):
        deed(*given)

    return hook


def nodes(tensor) -> list:
    found, todo = [], [tensor._node]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.append(node)
            todo += [child for child, _ in node.next_functions]
    return found


# -- a failing hook leaves everything as it was ----------------------------------------


def on_tensor(x, h):
    h.register_hook(fails)


def on_leaf(x, h):
    x.register_hook(fails)


def before_node(x, h):
    h.grad_fn.register_prehook(fails)


def after_node(x, h):
    h.grad_fn.register_hook(fails)


def before_mailbox(x, h):
    x._node.register_prehook(fails)


def after_mailbox(x, h):
    x._node.register_hook(fails)


def after_accumulation(x, h):
    x.register_post_accumulate_grad_hook(fails)


def returning_something(x, h):
    x.register_post_accumulate_grad_hook(lambda p: 1)


def multi(x, h):
    graph.register_multi_grad_hook([x, h], fails)


def wrong_answer(x, h):
    h.grad_fn.register_hook(lambda i, o: (i[0],))


FAILURES = [on_tensor, on_leaf, before_node, after_node, before_mailbox, after_mailbox]
FAILURES += [after_accumulation, returning_something, multi, wrong_answer]


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("accumulated", [False, True])
@pytest.mark.parametrize("plant", FAILURES)
@pytest.mark.filterwarnings("ignore:Using backward")
def test_a_failing_hook_changes_no_grad(plant, accumulated, record):
    x, w, v = leaf(1.0, 2.0), leaf(3.0, 4.0), leaf(5.0, 6.0)
    if accumulated:
        for t in (x, w, v):
            t.grad = torch.tensor([100.0, 200.0])
    h = x * w
    h.retain_grad()
    plant(x, h)
    y = (h * v).sum()
    before = [
        (t._grad, None if t._grad is None else t._grad.tolist()) for t in (x, w, v)
    ]
    with pytest.raises((ZeroDivisionError, RuntimeError)):
        y.backward(retain_graph=True, create_graph=record)
    after = [
        (t._grad, None if t._grad is None else t._grad.tolist()) for t in (x, w, v)
    ]
    assert [a is b for (a, _), (b, _) in zip(before, after, strict=True)] == [True] * 3
    assert [n for _, n in before] == [n for _, n in after]
    assert h._grad is None
    assert torch.is_grad_enabled()
    assert not engine._under_way
    for node in nodes(y):
        assert (node.uses, node.g) == (0, None)
        assert all(type(c) is not watch.Box for c, _ in node.next_functions)


def test_notes_are_taken_of_an_array_and_of_a_number():
    a, b = torch.tensor(2.0, requires_grad=True), leaf(3.0)
    (a * b).sum().backward()
    kept = a.grad, b.grad
    b.register_post_accumulate_grad_hook(fails)
    with pytest.raises(ZeroDivisionError):
        (a * b).sum().backward()
    assert (a.grad, b.grad) == kept
    assert (a.grad.item(), b.grad.item()) == (3.0, 2.0)


def test_a_hook_that_spoils_the_grad_before_another_fails_is_undone():
    a, b = leaf(2.0), leaf(3.0)
    (a * b).backward(torch.tensor([1.0]))
    a.register_post_accumulate_grad_hook(quietly(lambda p: p.grad.zero_()))
    b.register_post_accumulate_grad_hook(fails)
    with pytest.raises(ZeroDivisionError):
        (a * b).sum().backward()
    assert (a.grad.item(), b.grad.item()) == (3.0, 2.0)


# -- memory ----------------------------------------------------------------------------


def test_a_handle_keeps_neither_graph_nor_hook_alive():
    def hook(g):
        pass

    x = leaf(1.0, 2.0)
    h = x * x
    handle = h.register_hook(hook)
    gone = weakref.ref(h.grad_fn), weakref.ref(hook)
    del h, hook
    assert [ref() for ref in gone] == [None, None]
    handle.remove()


def test_hooks_make_no_circle():
    gc.disable()
    try:
        x = leaf(1.0, 2.0)
        h = x * x
        h.retain_grad()
        h.register_hook(lambda g: g)
        h.grad_fn.register_hook(lambda i, o: None)
        with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
            y = (h * h).sum()
        y.backward()
        gone = weakref.ref(h), weakref.ref(h.grad_fn)
        del h, y
        assert [ref() for ref in gone] == [None, None]
    finally:
        gc.enable()


def test_a_hook_does_not_make_the_pass_keep_the_gradient():
    x = leaf(*[1.0] * 10)
    h = x * x
    seen = []
    h.register_hook(lambda g: seen.append(weakref.ref(g._array)))
    k = h * 2
    x.register_hook(lambda g: seen.append(seen[0]() is None))
    k.sum().backward()
    assert seen[1] is True


def test_what_a_hook_keeps_does_not_change_afterwards():
    kept = []
    x, w = leaf(*[1.0] * 5000), leaf(*[2.0] * 5000)
    h = x * w
    h.register_hook(kept.append)
    x.register_hook(kept.append)
    y = (h + h * h + x).sum()
    y.backward(retain_graph=True)
    copies = [g.numpy().copy() for g in kept]
    y.backward()
    for g, copy in zip(kept, copies, strict=False):
        np.testing.assert_array_equal(g.numpy(), copy)
    assert not np.shares_memory(kept[1].numpy(), x.grad.numpy())


def test_a_hook_that_writes_into_its_argument_reaches_nobody_else():
    v = torch.tensor([1.0, 2.0])
    x, w = leaf(1.0, 1.0), leaf(1.0, 1.0)
    y = x + w
    y.grad_fn.register_hook(quietly(lambda i, o: i[0].mul_(10)))
    y.grad_fn.register_prehook(quietly(lambda o: o[0].add_(1)))
    y.backward(v)
    assert (x.grad.tolist(), w.grad.tolist()) == ([20.0, 30.0], [2.0, 3.0])
    assert v.tolist() == [1.0, 2.0]


def test_boxes_are_thrown_away_with_the_graph():
    class Kept:
        def __init__(self, t):
            self.t = t

    boxes = []

    def pack(t):
        box = Kept(t)
        boxes.append(weakref.ref(box))
        return box

    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(pack, lambda box: box.t):
        y = (x * x).exp().sum()
    y.backward()
    assert boxes
    assert [box() for box in boxes] == [None] * len(boxes)


# -- passes inside passes, and beside them ---------------------------------------------


def test_a_pass_in_a_hook_of_another():
    x, inner = leaf(1.0, 2.0), []
    h = x * x

    def hook(g):
        with torch.enable_grad():
            inner.append(torch.autograd.grad((h * 3).sum(), x, retain_graph=True)[0])

    handle = (k := h * 2).register_hook(hook)
    (k + h).sum().backward()
    handle.remove()
    assert inner[0].tolist() == [6.0, 12.0]
    assert x.grad.tolist() == [6.0, 12.0]


def test_a_multi_grad_hook_in_a_pass_inside_another():
    x, calls = leaf(1.0, 2.0), []
    a, b = x * 2, x * 3
    graph.register_multi_grad_hook(
        [a, b], lambda gs: calls.append([None if g is None else g.tolist() for g in gs])
    )

    def hook(g):
        if not calls:
            torch.autograd.grad(b, x, torch.ones(2), retain_graph=True)

    a.register_hook(hook)
    (a * b).sum().backward()
    assert calls == [[None, [1.0, 1.0]], [[3.0, 6.0], [2.0, 4.0]]]


# -- None travels on -------------------------------------------------------------------


def test_a_none_stops_and_nobody_waits_for_it():
    x, w = leaf(1.0, 2.0), leaf(3.0, 4.0)
    h = x * 2
    k = h.exp()
    y = k * w
    y.grad_fn.register_hook(lambda i, o: (None, i[1]))
    (y + h).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]
    assert w.grad is not None
    for node in nodes(y):
        assert (node.uses, node.g) == (0, None)


def test_a_none_makes_an_input_unused():
    x = leaf(1.0, 2.0)
    y = (x * x).exp()
    y.grad_fn.register_hook(lambda i, o: (None,))
    with pytest.raises(RuntimeError, match="not have been used"):
        torch.autograd.grad(y.sum(), x, retain_graph=True)
    assert torch.autograd.grad(y.sum(), x, allow_unused=True) == (None,)


# -- saved values ----------------------------------------------------------------------


def test_the_mode_is_restored_after_the_block_and_after_a_failure():
    before = function.special
    with pytest.raises(ZeroDivisionError), graph.saved_tensors_hooks(fails, fails):
        leaf(1.0).exp()
    assert function.special == before
    assert mode.keeper is None
    assert not saved.choices.hooks
    assert torch.is_grad_enabled()


def test_pack_and_unpack_are_not_recorded():
    x, modes = leaf(1.0, 2.0), []

    def look(t):
        modes.append(torch.is_grad_enabled())
        return t

    with graph.saved_tensors_hooks(look, look):
        y = x.exp().sum()
    torch.autograd.grad(y, x, create_graph=True)
    assert modes == [False, False]
    assert torch.is_grad_enabled()


def test_a_failing_pack_records_nothing():
    x = leaf(1.0, 2.0)
    h = x.exp()
    with graph.saved_tensors_hooks(fails, fails), pytest.raises(ZeroDivisionError):
        h * h
    (h * h).sum().backward()
    assert x.grad is not None


def test_the_second_value_fails_to_be_packed():
    def pack(t):
        if calls:
            fails()
        calls.append(t)
        return t

    calls, x, w = [], leaf(1.0, 2.0), leaf(3.0, 4.0)
    with graph.saved_tensors_hooks(pack, fails), pytest.raises(ZeroDivisionError):
        x * w
    assert (x.grad, w.grad, len(calls)) == (None, None, 1)


def test_packed_values_survive_a_failing_unpack():
    x, tries = leaf(1.0, 2.0), []

    def unpack(t):
        tries.append(1)
        return fails() if len(tries) == 1 else t

    with graph.saved_tensors_hooks(lambda t: t, unpack):
        y = x * x
    with pytest.raises(ZeroDivisionError):
        y.sum().backward()
    y.sum().backward()
    assert x.grad.tolist() == [2.0, 4.0]


def test_other_threads_pack_nothing():
    import threading

    seen, x = [], leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(lambda t: seen.append(1) or t, lambda t: t):
        thread = threading.Thread(target=x.exp)
        thread.start()
        thread.join()
    assert seen == []


@pytest.mark.parametrize("order", [1, 2, 3])
@pytest.mark.parametrize(
    "name", ["exp", "tanh", "sigmoid", "log", "sqrt", "sin", "relu", "square", "cube"]
)
def test_packing_changes_no_derivative(name, order):
    functions = {"square": lambda x: x * x, "cube": lambda x: x**3}
    f = functions.get(name, lambda x: getattr(x, name)())

    def derivative(x):
        y = f(x).sum()
        for _ in range(order):
            (g,) = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
            if g is None or not g.requires_grad:
                return g
            y = g.sum()
        return g

    numbers = [0.5, 1.5, 2.5]
    plain = derivative(leaf(*numbers))
    with graph.saved_tensors_hooks(lambda t: t.tolist(), torch.tensor):
        x = leaf(*numbers)
        packed = derivative(x)
    assert (plain is None) == (packed is None)
    if plain is not None:
        assert packed.tolist() == pytest.approx(plain.tolist(), rel=1e-5)


@pytest.mark.parametrize("order", [1, 2])
def test_hooks_of_nodes_change_no_derivative(order):
    def derivative(x, watched):
        h = x.tanh() * x.exp() + x / (x * x + 1)
        if watched:
            for node in nodes(h):
                node.register_hook(lambda i, o: i)
                node.register_prehook(lambda o: o)
        y = h.sum()
        for _ in range(order):
            (g,) = torch.autograd.grad(y, x, create_graph=True)
            y = g.sum()
        return g.tolist()

    numbers = [0.5, 1.5, 2.5]
    assert derivative(leaf(*numbers), True) == derivative(leaf(*numbers), False)


def test_a_packed_graph_can_be_drawn():
    x = leaf(1.0, 2.0)
    with graph.saved_tensors_hooks(lambda t: t, lambda t: t):
        y = x * x
    assert "MulBackward0" in str(graph.draw(y))


# -- nothing where nothing is asked ----------------------------------------------------


def test_no_hooks_no_watch():
    x = leaf(1.0, 2.0)
    y = (x * x).exp().sum()
    y.backward()
    assert [node.hooks for node in nodes(y)] == [None] * 4


def test_names_are_where_pytorch_has_them():
    for name in ("saved_tensors_hooks", "disable_saved_tensors_hooks"):
        assert hasattr(torch.autograd.graph, name)
    assert torch.utils.hooks.RemovableHandle is watch.RemovableHandle
