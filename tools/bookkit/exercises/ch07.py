"""Checks of the exercises of chapter 7, backward(): one walk, every gradient.

Expected values are computed here by other means than the chapter uses: derivatives by
formulas on plain NumPy arrays, orders by looking at every link.
"""

import gc
import weakref
from collections import Counter
from math import exp, factorial

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


@exercise("7.1")
def how_long_must_they_wait(uses):
    """Count the arrows that enter each value's node, from the program's text."""
    program = {"a": ("x", "x"), "b": ("a", "x"), "c": ("a", "b"), "y": ("c", "a")}
    expected = Counter(name for operands in program.values() for name in operands)
    yield "the answer is a dictionary with a count for x, a, b and c"
    assert isinstance(uses, dict), f"it is a {type(uses).__name__}"
    missing = sorted(set(expected) - set(uses))
    assert not missing, f"missing: {', '.join(missing)}"
    hints = {
        "c": "c is used once, by y",
        "b": "b is used once, by c",
        "a": "a waits for every line that uses it",
        "x": "x * x uses x twice",
    }
    for name, hint in hints.items():
        yield hint
        assert uses[name] == expected[name], f"{name} does not wait for {uses[name]}"


@exercise("7.2")
def give_me_the_jacobian(jacobian):
    """Against Jacobians by formula, on shapes that are all different."""
    torch = _torch()
    rng = np.random.default_rng(72)
    matrix = rng.standard_normal((4, 3))

    def leaf(array):
        return torch.tensor(array, dtype=torch.float64, requires_grad=True)

    yield "a matrix times a column: the Jacobian is the matrix"
    x = leaf(rng.standard_normal((3, 1)))
    close(jacobian(lambda x: torch.tensor(matrix) @ x, x), matrix)
    yield "nothing is left in x.grad"
    assert x.grad is None, f"x.grad is {x.grad}"
    yield "an elementwise function has a diagonal one"
    values = rng.uniform(0.5, 1.5, (2, 2))
    found = jacobian(lambda x: x**3, leaf(values))
    close(found, np.diag(3 * values.ravel() ** 2))
    yield "one output gives one row, also if its shape is ()"
    close(jacobian(lambda x: x.sum(), leaf(np.ones(5))), np.ones((1, 5)))
    yield "one input gives one column, also if its shape is ()"
    close(
        jacobian(lambda x: x * torch.tensor([1.0, 2.0], dtype=torch.float64), leaf(4)),
        np.array([[1.0], [2.0]]),
    )
    yield "shared values are counted on every path"
    close(jacobian(lambda x: x * x * x, leaf([2.0])), np.array([[12.0]]))
    yield "f is called once"
    calls = []
    jacobian(lambda x: (calls.append(1), x * x)[1], leaf(np.ones(3)))
    assert len(calls) == 1, f"it was called {len(calls)} times"
    yield "the last walk frees the graph"
    made = []
    jacobian(lambda x: (made.append(x.exp()), made[0] * 1)[1], leaf(np.ones(3)))
    try:
        made[0].sum().backward()
    except RuntimeError:
        pass
    else:
        raise AssertionError("what exp has saved is still there")


@exercise("7.3")
def find_the_bugs(fit_line):
    """Against the same loop with the gradient by hand."""
    torch = _torch()
    data, rate = [(1.0, 2.0), (2.0, 3.0), (-1.0, 0.5), (0.5, 4.0)], 0.05
    by_hand, losses = 0.3, []
    for a, b in data:
        losses.append((by_hand * a - b) ** 2)
        by_hand -= rate * 2 * a * (by_hand * a - b)
    w = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    total = fit_line(w, data, rate)
    yield "w goes where it goes by hand"
    close(w.detach().numpy(), by_hand, what="w")
    yield "the losses add up"
    close(float(total), sum(losses), what="the sum of the losses")
    yield "it returns a Python float, which holds on to nothing"
    assert type(total) is float, f"it returned a {type(total).__name__}"
    yield "w.grad is None afterwards"
    assert w.grad is None, f"it is {w.grad}"
    yield "w is still the leaf that it was"
    assert w.is_leaf and w.requires_grad, "w has become something else"
    yield "a second call starts afresh"
    before = w.item()
    fit_line(w, [(1.0, 0.0)], rate)
    close(w.item(), before - rate * 2 * before, what="w")


@exercise("7.4")
def a_batch_in_pieces(in_pieces):
    """Against the gradient of the whole batch, by formula."""
    torch = _torch()
    rng = np.random.default_rng(74)
    batch, target = rng.standard_normal((7, 1)), 0.5
    parts = [batch[:1], batch[1:3], batch[3:]]
    w = torch.tensor([[2.0]], dtype=torch.float64, requires_grad=True)
    alive, most = [], []

    def loss_of(piece):
        gone = [witness for witness in alive if witness() is None]
        most.append(len(alive) - len(gone))
        kept = (piece @ w - target) ** 2
        alive.append(weakref.ref(kept.grad_fn))
        return kept.sum() / len(piece)

    gc.collect()
    pieces = [torch.tensor(part) for part in parts]
    in_pieces(loss_of, pieces)
    yield "every piece has been used, once"
    assert len(alive) == 3, f"loss_of was called {len(alive)} times"
    yield "w has a gradient"
    assert w.grad is not None, "w.grad is None"
    yield "it is that of the mean over all examples"
    residual = batch * 2.0 - target
    close(w.grad.numpy(), np.mean(2 * residual * batch, keepdims=True), what="w.grad")
    yield "there was never more than one graph to keep"
    # when a loss is computed, the one before may still have its name
    assert max(most) <= 1, f"{1 + max(most)} graphs were alive at once"
    yield "it adds to what is in w.grad already"
    before = w.grad.numpy().copy()
    in_pieces(loss_of, pieces)
    close(w.grad.numpy(), 2 * before, what="w.grad after a second call")


@exercise("7.5")
def all_derivatives_at_a_point(derivatives):
    """Against closed forms."""

    def expect(f, x0, expected):
        found = derivatives(f, x0, len(expected) - 1)
        close(found, expected, within=1e-6, what="the list")

    yield "of exp all are the same"
    expect(lambda x: x.exp(), 0.5, [exp(0.5)] * 6)
    yield "of log they alternate and grow as factorials"
    signs = [-((-1) ** k) * factorial(k - 1) * 2.0**-k for k in range(1, 6)]
    expect(lambda x: x.log(), 2.0, [np.log(2.0), *signs])
    yield "of a power they come to an end"
    expect(lambda x: x**3, 2.0, [8.0, 12.0, 12.0, 6.0, 0.0, 0.0])
    yield "of x * x, too, although the second has no history"
    expect(lambda x: x * x, 3.0, [9.0, 6.0, 2.0, 0.0, 0.0])
    yield "of x + 1 as well"
    expect(lambda x: x + 1, 3.0, [4.0, 1.0, 0.0])
    yield "a constant that listens to somebody else has the derivative 0"
    other = _torch().tensor(2.0, dtype=_torch().float64, requires_grad=True)
    expect(lambda x: x * other, 3.0, [6.0, 2.0, 0.0])
    yield "n = 0 is the value alone"
    expect(lambda x: x.tanh(), 0.0, [0.0])
    yield "they are Python floats"
    found = derivatives(lambda x: x * x, 1.0, 3)
    assert all(type(d) is float for d in found), f"found {found}"


@exercise("7.6")
def an_order_without_counting(topological):
    """Every link goes forwards in the list, and nothing is missing or doubled."""
    torch = _torch()

    def leaf():
        return torch.tensor(1.0, requires_grad=True)

    def expect(root, number):
        order = topological(root)
        assert isinstance(order, list), f"it returned a {type(order).__name__}"
        assert len(set(map(id, order))) == len(order), "a node stands there twice"
        assert len(order) == number, f"{len(order)} nodes, expected {number}"
        assert order[0] is root, "the root does not come first"
        position = {id(node): k for k, node in enumerate(order)}
        for node in order:
            for child, _ in node.next_functions:
                if child is not None:
                    assert position[id(child)] > position[id(node)], (
                        f"{node.name()} sends to {child.name()}, which stands before it"
                    )

    yield "a chain of three operations and a leaf"
    expect((leaf() + 1).exp().log().grad_fn, 4)
    yield "a leaf's own node is a graph"
    expect((leaf() + 1).grad_fn.next_functions[0][0], 1)
    yield "constants have no nodes"
    expect((leaf() * torch.ones(2)).sum().grad_fn, 3)
    yield "the diamond of the chapter"
    x = leaf()
    a = x * x
    expect((a * (a + 1)).grad_fn, 4)
    yield "the same, with the operands the other way round"
    expect(((a + 1) * a).grad_fn, 4)
    yield "a node that is used early and late"
    b = a.exp()
    c = b.exp()
    expect((a * (c * (b * a))).grad_fn, 7)
    yield "a ladder of 60 stages, in which nobody can follow every path"
    h = leaf()
    for _ in range(60):
        h = h + h
    expect(h.grad_fn, 61)
    yield "a chain of 50,000 operations, without recursion"
    h = leaf()
    for _ in range(50_000):
        h = h + 1
    expect(h.grad_fn, 50_001)


@exercise("7.7")
def a_hessian_times_a_vector(hvp):
    """Against Hessians by formula."""
    torch = _torch()
    rng = np.random.default_rng(77)

    def leaf(array):
        return torch.tensor(array, dtype=torch.float64, requires_grad=True)

    def expect(f, point, v, expected):
        x = leaf(point)
        found = hvp(f, x, torch.tensor(v, dtype=torch.float64))
        assert isinstance(found, torch.Tensor), f"it returned {type(found).__name__}"
        close(found.detach().numpy(), expected, what="H v")
        assert x.grad is None, "something was left in x.grad"

    yield "of a sum of cubes the Hessian is diagonal"
    x, v = rng.standard_normal(4), rng.standard_normal(4)
    expect(lambda x: (x**3).sum(), x, v, 6 * x * v)
    yield "of a squared sum it is full of twos"
    expect(lambda x: x.sum() ** 2, x, v, np.full(4, 2 * v.sum()))
    yield "x may have two axes"
    matrix = rng.standard_normal((3, 3))
    column, w = rng.standard_normal((3, 1)), rng.standard_normal((3, 1))
    quadratic = lambda x: (x.t() @ torch.tensor(matrix) @ x).sum()  # noqa: E731
    expect(quadratic, column, w, (matrix + matrix.T) @ w)
    yield "of a linear function it is zero"
    expect(lambda x: (x * 2).sum(), x, v, np.zeros(4))
    yield "a hundred thousand unknowns are no trouble"
    many, ones = np.ones(100_000), np.ones(100_000)
    expect(lambda x: (x * x * x).sum(), many, ones, 6 * many)
