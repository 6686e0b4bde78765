"""Versions, and the history of what is changed in place.

The programs of ``reference/record_inplace.py`` must come to what PyTorch has answered.
Further tests look at what a program cannot see: counters and their lifetime, the line
that the error names, threads, and gradients of random programs by difference quotients.
"""

import gc
import importlib.util
import json
import re
import threading
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import minigrad as torch
from minigrad.autograd import function, graph, versions
from minigrad.autograd.rebase import Places
from minigrad.numerical import numerical_vjp
from tests.reference import ledger
from tests.reference.record_inplace import CASES, DIFFERENT, RECORDED, WORDED

ANSWERS = ledger.answers(RECORDED)
CHAPTER = Path(__file__).parents[1] / "book" / "ch11-inplace.ipynb"


def unlike(name, answer, stored):
    """Where an answer differs from PyTorch's: in value, type of error or its words."""
    kind, said = answer.error or ("no error", "")
    wanted, words = stored.get("error", ("no error", ""))
    if kind != wanted or answer.value != stored.get("value"):
        return f"{answer.value or (kind, said)}, not {stored}"
    said, words = " ".join(said.split()), " ".join(words.split())
    opening = WORDED.get(name, words.rstrip(".")[:45])
    versions = re.search(r"is at version \d+; expected version \d+ instead", words)
    parts = [opening, versions.group() if versions else ""]
    return next((f"says {said}, not {part}" for part in parts if part not in said), "")


@pytest.mark.parametrize("name", [name for name in CASES if name not in DIFFERENT])
def test_as_pytorch(name):
    torch.set_grad_enabled(True)
    assert not unlike(name, ledger.run(CASES[name], torch), ANSWERS[name])


def test_every_case_is_recorded():
    assert set(CASES) == set(ANSWERS)
    assert len(CASES) >= 800


@pytest.mark.parametrize("name", DIFFERENT)
def test_differences_are_still_different(name):
    assert unlike(name, ledger.run(CASES[name], torch), ANSWERS[name])


# -- the chapter's table ---------------------------------------------------------------


def claims():
    """What the chapter says of PyTorch: operation, array, whether it is an error."""
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells]
    (text,) = [s.split('"""')[1] for s in sources if s.startswith('PYTORCH = """')]
    entries = re.findall(r"(\S[^:]*): ([.!]{3})", text)
    return [
        (operation, victim, mark == "!")
        for operation, marks in entries
        for victim, mark in zip(("y", "c", "result"), marks, strict=True)
    ]


@pytest.mark.parametrize(("operation", "victim", "refused"), claims())
def test_the_chapter_tells_what_was_recorded(operation, victim, refused):
    assert ("error" in ANSWERS[f"table: {operation}, {victim}.zero_()"]) is refused


def test_the_chapter_has_many_operations():
    assert len(claims()) == 60


# -- counters --------------------------------------------------------------------------


def test_a_counter_goes_with_its_memory():
    gc.collect()
    before = len(versions._counts)
    x = torch.ones(3).add_(1)
    view = x.view(3, 1)
    assert len(versions._counts) == before + 1
    del x
    assert view._version == 1
    del view
    gc.collect()
    assert len(versions._counts) == before


def test_what_is_never_changed_has_no_counter():
    before = len(versions._counts)
    x = torch.ones(3, requires_grad=True)
    (x * x).sum().backward()
    assert x._version == 0
    assert len(versions._counts) == before


def test_the_clock_stands_still_while_nothing_is_changed():
    before = function.clock
    x = torch.ones(3, requires_grad=True)
    (x.exp() * x.detach().clone()).sum().backward()
    assert function.clock == before
    x.detach().add_(1)
    assert function.clock == before + 1


def test_the_root_of_windows_and_of_mapped_memory(tmp_path):
    owner = np.arange(6.0)
    assert versions.root(as_strided(owner, (3, 2), (8, 8))) is owner
    mapped = np.memmap(tmp_path / "numbers", np.float64, "w+", shape=(4,))
    assert versions.root(np.asarray(mapped[1:])) is versions.root(np.asarray(mapped))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bool, torch.int64])
@pytest.mark.parametrize("shape", [(), (3,), (0, 2), (2, 3)])
def test_data_has_a_counter_of_its_own(shape, dtype):
    x = torch.zeros(shape, dtype=dtype)
    x.data.fill_(1)
    assert x._version == 0
    assert x.tolist() == np.ones(shape, x.numpy().dtype).tolist()
    data = x.data
    data.zero_()
    assert (data._version, x._version) == (1, 0)


def test_data_of_what_is_not_contiguous():
    x = torch.arange(6.0).view(2, 3)
    x.t().data[1].mul_(10)
    assert x.tolist() == [[0.0, 10.0, 2.0], [3.0, 40.0, 5.0]]
    spread = torch.ones(1).expand(4)
    assert spread.data.tolist() == [1.0] * 4


def test_very_many_changes():
    x = torch.ones(2, requires_grad=True)
    y = x * 1
    for _ in range(2 * versions.KEPT):
        y.add_(0)
    z = y.exp()
    z.detach().add_(1)
    with pytest.raises(RuntimeError, match="version 1; expected version 0"):
        z.sum().backward()
    w = (y * y).sum()
    for _ in range(3):
        y.detach().add_(0)
    last = 2 * versions.KEPT + 3
    with pytest.raises(RuntimeError, match=f"{last}; expected version {last - 3} "):
        w.backward()


def test_many_threads_count_every_change():
    x = torch.ones(2)

    def change():
        for _ in range(500):
            x.add_(1)

    before = function.clock
    threads = [threading.Thread(target=change) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert x._version == 2000
    assert function.clock == before + 2000


def test_a_change_in_another_thread_is_noticed():
    x = torch.ones(2, requires_grad=True)
    c = torch.ones(2)
    z = (x * c).sum()
    thread = threading.Thread(target=c.add_, args=(1,))
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError, match="version 1; expected version 0"):
        z.backward()


def test_a_pass_that_is_refused_changes_nothing():
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    c = torch.ones(2)
    z = (x * c).sum() + (w * 3).sum()
    c.add_(1)
    for _ in range(2):  # and the nodes are ready for another
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            z.backward()
        assert x.grad is None and w.grad is None
    torch.autograd.grad(z, w)


def test_create_graph_asks_as_well():
    x = torch.ones(2, requires_grad=True)
    z = x.exp().sum()
    (g,) = torch.autograd.grad(z, x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x, retain_graph=True)
    assert h.tolist() == g.detach().tolist()
    g.detach().add_(1)  # nobody has saved it
    torch.autograd.grad(g.sum(), x)


# -- the error -------------------------------------------------------------------------

CULPRIT = """
import minigrad as torch


def spoil(x):
    c = torch.ones(2)
    z = (x * c).sum()
    c.mul_(
        2)  # the culprit
    return z
"""


def test_the_error_names_file_line_and_statement(tmp_path):
    file = tmp_path / "culprit.py"
    file.write_text(CULPRIT, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("culprit", file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    z = module.spoil(torch.ones(2, requires_grad=True))
    with pytest.raises(RuntimeError) as caught:
        z.backward()
    message = str(caught.value)
    assert "Mul had saved it as its second operand; mul_ changed it" in message
    assert f"on line 8 of {file}: c.mul_(" in message


@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("z = y.exp(); z.add_(1)", "Exp had saved it as its result; add_"),
        ("z = y * y; y += 1", "Mul had saved it as its first operand; add_"),
        ("z = y * x; y[0] = 1.0", "Mul had saved it as its first operand; fill_"),
        ("z = y * x; y.t_()", "first operand; t_ changed it"),
        (
            "z = y.log(); y.uniform_(1, 2)",
            "Log had saved it as its first operand; unif",
        ),
        ("z = y.log(); y[y > 0] = 1.0", "first operand; index_put_ changed it"),
    ],
)
def test_the_error_names_who_saved_what_and_who_changed_it(program, words):
    names = {"x": torch.ones(2, requires_grad=True)}
    names["y"] = names["x"] * 2
    exec(program, names)
    with pytest.raises(RuntimeError, match=re.escape(words)):
        names["z"].sum().backward()


# -- views -----------------------------------------------------------------------------

LAYOUTS = {
    "rows": lambda a: a,
    "transposed": lambda a: a.T,
    "a part": lambda a: a[1:, ::2],
    "one axis more": lambda a: a[:, None],
    "a diagonal": lambda a: np.diagonal(a),
    "an element": lambda a: a[1, 2, ...],
    "nothing": lambda a: a[:0],
    "expanded": lambda a: np.broadcast_to(a[0], (3, a.shape[1])),
}


@pytest.mark.parametrize("view", LAYOUTS.values(), ids=LAYOUTS)
@pytest.mark.parametrize("base", ["rows", "transposed", "a part"])
def test_places(base, view):
    owner = np.random.default_rng(0).permutation(np.arange(30.0)).reshape(5, 6)
    a = LAYOUTS[base](owner)
    shown = view(a)
    places = Places(a, shown)
    assert np.array_equal(a.reshape(-1)[places.numbers], shown)
    assert str(places) == str(places.numbers.tolist())


KINDS = ["mul", "add", "sub", "copy", "sin", "zero", "item", "turn", "slice"]
STEPS = st.lists(
    st.tuples(st.sampled_from(KINDS),
              st.integers(0, 5), st.integers(0, 5)),
    min_size=2, max_size=7,
)  # fmt: skip


def program(steps, x):
    """Run steps that change a matrix and views of it; return a sum of it all."""
    y = x * 1
    pieces = [y, y[0], y.t()[1], y[1:], y[:, 2], (x * 0.5)[0]]
    for kind, i, j in steps:
        a, b = pieces[i], pieces[j].clone()
        b = b if a.shape == b.shape else b.sum()
        if kind == "mul":
            a.mul_(b)
        elif kind == "add":
            a.add_(b, alpha=0.5)
        elif kind == "sub":
            a -= b * 0.25
        elif kind == "copy":
            a.copy_(b)
        elif kind == "sin":
            a.sin_()
        elif kind == "zero":
            a.zero_()
        elif kind == "item":
            a[0] = (b * b).sum()
        elif kind == "turn" and i == 0:
            a.t_()
        elif kind == "slice":
            a[1:].mul_(b.sum())
    return sum(((k + 1) * p * p).sum() for k, p in enumerate(pieces))


@settings(max_examples=60, deadline=None)
@given(STEPS)
def test_gradients_of_random_programs(steps):
    a = np.array([[0.3, 0.5, 0.7], [0.2, 0.4, 0.6]])
    x = torch.tensor(a, requires_grad=True)
    (g,) = torch.autograd.grad(program(steps, x), x, create_graph=True)

    def value(array):
        return np.asarray(program(steps, torch.from_numpy(array)).numpy())

    def slope(array):
        x = torch.tensor(array, requires_grad=True)
        return torch.autograd.grad(program(steps, x), x)[0].numpy()

    expected = numerical_vjp(value, a, np.ones(()))
    scale = np.abs(expected).max() + 1
    if scale > 1e4:  # difference quotients have nothing to say here
        return
    np.testing.assert_allclose(g.detach().numpy(), expected, atol=1e-6 * scale)
    if not g.requires_grad:  # everything was overwritten
        return
    weights = np.arange(1.0, 7.0).reshape(2, 3)
    (h,) = torch.autograd.grad((g * torch.from_numpy(weights)).sum(), x)
    second = numerical_vjp(slope, a, weights)
    scale = np.abs(second).max() + 1
    if scale < 1e4:
        np.testing.assert_allclose(h.numpy(), second, atol=1e-5 * scale)


def test_views_that_nobody_holds_cost_nothing():
    y = torch.ones(100, requires_grad=True) * 1
    for k in range(100):
        y[k] *= 2
    assert len(y._views) <= 2 or sum(v() is not None for v in y._views) == 0
    y.sum().backward()


def test_a_base_that_goes_leaves_its_views():
    x = torch.ones(4, requires_grad=True)
    v = (x * 2)[1:3]
    v.mul_(5)
    v.sum().backward()
    assert x.grad.tolist() == [0.0, 10.0, 10.0, 0.0]


def test_no_circles_keep_memory():
    gc.collect()
    gc.disable()
    try:
        x = torch.ones(4, requires_grad=True)
        y = x * 2
        v = y[1:3]
        v.mul_(5)
        y.add_(1)
        watched = [weakref.ref(t) for t in (y, v)]
        del y, v
        assert watched[1]() is None
        assert watched[0]() is None
    finally:
        gc.enable()


def test_a_leaf_cannot_become_interior():
    x = torch.ones(3)
    v = x.view(3).requires_grad_()
    w = torch.ones(3, requires_grad=True)
    with pytest.raises(RuntimeError, match="moved into the graph interior"):
        x.mul_(w)
    assert x.tolist() == [1.0] * 3 and v.is_leaf and not x.requires_grad
    x.clone().mul_(w)


def test_the_drawing_and_the_player_cope():
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * 2
    y[:2].mul_(y.detach()[0].clone())
    loss = (y * y).sum()
    drawn = str(graph.draw(loss, values=True))
    assert "CopySlices y" in drawn and "torch::" not in drawn
    played = str(graph.step_through(loss))
    assert "cleared(g, at) = cleared([8, 16, 12], [0, 1]) = [0, 0, 12]" in played
    loss.backward()
    assert x.grad.tolist() == [32.0, 64.0, 24.0]
