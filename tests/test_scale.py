"""Long graphs, wide graphs, and what is left of them: behaviour, not time."""

import gc
import sys
import weakref

import numpy as np
import pytest

import minigrad as torch
from benchmarks.scale import peak
from benchmarks.targets import LIMITS


@pytest.fixture
def no_collector():
    """The cyclic garbage collector, switched off and with nothing left to do."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def leaf(*values):
    return torch.tensor(list(values), requires_grad=True)


# ------------------------------------------------------------------ long and wide


def test_a_million_chained_operations():
    """Neither recording, nor backward, nor freeing recurses; and sums stay exact."""
    x, one = leaf(3.0), torch.tensor([1.0])
    y = x
    for _ in range(500_000):
        y = (y * one) + one
    assert y.item() == 500_003.0
    y.backward()
    assert x.grad.item() == 1.0
    node = weakref.ref(y.grad_fn)
    del y  # frees the chain from its end: a million nodes
    assert node() is None


def test_a_long_chain_is_freed_without_a_backward_pass():
    x = leaf(1.0)
    y = x
    for _ in range(200_000):
        y = -y
    nodes = [weakref.ref(y.grad_fn), weakref.ref(y.grad_fn.next_functions[0][0])]
    del y
    assert [node() for node in nodes] == [None, None]


def test_a_long_chain_with_a_low_recursion_limit():
    limit = sys.getrecursionlimit()
    x, one = leaf(1.0), torch.tensor([1.0])
    sys.setrecursionlimit(_depth() + 100)
    try:
        y = x
        for _ in range(5_000):
            y = y * one
        (g,) = torch.autograd.grad(y, x)
        del y
    finally:
        sys.setrecursionlimit(limit)
    assert g.item() == 1.0


def _depth():
    """How many calls are under way."""
    frame, depth = sys._getframe(), 0
    while frame:
        frame, depth = frame.f_back, depth + 1
    return depth


def test_a_diamond_ladder_of_two_to_the_twenty_paths():
    x = leaf(1.0)
    y = x
    for _ in range(20):
        y = y + y
    y.backward()
    assert x.grad.item() == 2.0**20


def test_a_diamond_ladder_of_two_to_the_two_hundred_paths():
    """No walk along the paths would ever come to its end."""
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    y = x
    for _ in range(200):
        y = y.tanh() * 0 + y + y
    y.backward()
    assert x.grad.item() == 2.0**200


def test_a_diamond_ladder_for_grad_with_inputs():
    """The search for what leads to an input does not walk along the paths either."""
    x = torch.tensor([1.0], dtype=torch.float64, requires_grad=True)
    other = leaf(1.0)
    y, half_way = x, None
    for k in range(200):
        y = y + y
        half_way = y if k == 99 else half_way
    loss = (y + other.to(torch.float64)).sum()
    a, b = torch.autograd.grad(loss, (x, half_way))
    assert (a.item(), b.item()) == (2.0**200, 2.0**100)
    assert other.grad is None


def test_a_fan_of_a_hundred_thousand_ways():
    x, two = leaf(1.0, -1.0), torch.tensor([2.0, 3.0])
    total = x * two
    for _ in range(99_999):
        total = total + x * two
    total.backward(torch.tensor([1.0, 1.0]))
    np.testing.assert_array_equal(x.grad.numpy(), [200_000.0, 300_000.0])


@pytest.mark.parametrize("size", [1, 100, 100_000])
def test_sums_of_cotangents_of_every_size(size):
    """Adding in place, which pays for large arrays, changes no result and no array."""
    x = torch.randn(size, requires_grad=True)
    w = torch.randn(size, requires_grad=True)
    v = torch.randn(size)
    before = v.numpy().copy()
    y = x + w  # x and w are given the same cotangent
    z = y + y * 2.0 + x * w + x + x
    z.backward(v)
    np.testing.assert_array_equal(v.numpy(), before)
    x_, w_ = x.detach().numpy(), w.detach().numpy()
    np.testing.assert_allclose(x.grad.numpy(), before * (5 + w_), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(w.grad.numpy(), before * (3 + x_), rtol=1e-5, atol=1e-5)
    assert not np.shares_memory(x.grad.numpy(), w.grad.numpy())
    assert not np.shares_memory(x.grad.numpy(), v.numpy())


def test_a_hundred_thousand_leaves():
    leaves = [leaf(float(k)) for k in range(100_000)]
    total = leaves[0]
    for x in leaves[1:]:
        total = total + x * x
    total.backward()
    assert leaves[0].grad.item() == 1.0
    assert all(x.grad.item() == 2 * k for k, x in enumerate(leaves[1:1000], 1))


@pytest.mark.parametrize("count", [63, 64, 65, 128, 129, 4097])
@pytest.mark.parametrize("join, node", [(torch.cat, "Cat"), (torch.stack, "Stack")])
def test_any_number_of_tensors_is_joined(join, node, count):
    """Long lists are joined in parts: in order, with every gradient in its place."""
    leaves = [leaf(float(k), -float(k)) for k in range(count)]
    y = join(leaves)
    expected = np.array([[k, -k] for k in range(count)], np.float32)
    assert y.grad_fn.name() == f"{node}Backward0"
    np.testing.assert_array_equal(y.detach().numpy().reshape(count, 2), expected)
    slopes = torch.autograd.grad((y * y).sum(), leaves, create_graph=True)
    found = np.array([g.detach().numpy() for g in slopes])
    np.testing.assert_array_equal(found, 2 * expected)
    (second,) = torch.autograd.grad(sum(g.sum() for g in slopes), leaves[-1:])
    assert second.tolist() == [2.0, 2.0]


# -------------------------------------------------------------------- what is left


def test_everything_is_freed_without_the_collector(no_collector):
    def graph():
        x = torch.randn(4, 3, requires_grad=True)
        w = torch.randn(3, 3, requires_grad=True)
        h = (x @ w).tanh().relu().exp()
        loss = ((h - h.sum(0)) * h / (h + 1)).sum()
        return x, w, h, loss

    def dead(*tensors):
        gone = [weakref.ref(t) for t in tensors]
        gone += [weakref.ref(t.grad_fn) for t in tensors if t.grad_fn is not None]
        return gone

    x, w, h, loss = graph()
    watched = dead(x, w, h, loss)
    loss.backward()
    watched += dead(x.grad, w.grad)
    del x, w, h, loss
    assert [reference() for reference in watched] == [None] * len(watched)
    assert gc.collect() == 0


def test_no_cycles_without_backward_and_after_a_kept_graph(no_collector):
    for passes in (0, 1, 2):
        x = leaf(1.0, 2.0)
        y = (x * x).tanh()
        loss = y.sum()
        for _ in range(passes):
            loss.backward(retain_graph=True)
        watched = [weakref.ref(t) for t in (x, y, loss)]
        watched += [weakref.ref(y.grad_fn), weakref.ref(loss.grad_fn)]
        del x, y, loss
        assert [reference() for reference in watched] == [None] * len(watched)
    assert gc.collect() == 0


def test_no_cycles_after_a_failed_pass(no_collector):
    x = leaf(1.0, 2.0)
    y = (x * x).sum()
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        pass
    else:
        pytest.fail("the second pass should have failed")
    watched = [weakref.ref(x), weakref.ref(y), weakref.ref(y.grad_fn)]
    del x, y
    assert [reference() for reference in watched] == [None] * len(watched)


def test_grad_leaves_no_cycle(no_collector):
    x = leaf(1.0, 2.0)
    y = (x * x * x).sum()
    (g,) = torch.autograd.grad(y, x, create_graph=True)
    (h,) = torch.autograd.grad(g.sum(), x)
    watched = [weakref.ref(t) for t in (x, y, g, h)] + [weakref.ref(g.grad_fn)]
    del x, y, g, h
    assert [reference() for reference in watched] == [None] * len(watched)
    assert gc.collect() == 0


def test_backward_frees_what_it_has_used():
    x = leaf(*np.ones(1000))
    y = x * 2.0
    z = y.tanh()
    saved = weakref.ref(z._array)  # an ndarray, which only the graph will hold
    loss = z.sum()
    del z
    assert saved() is not None
    loss.backward()
    assert saved() is None


def test_peak_memory_of_a_deep_network():
    assert peak(torch, layers=50, width=32, batch=128) <= LIMITS["memory"]
