"""Checks of the exercises of chapter 6, Seeing the graph.

Expected values are computed here by other means than the chapter uses: counts are
known in closed form, leaves are compared one by one, and gradients are measured from
outside or pulled back by a walk of this file's own.
"""

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """The package that the reader has built."""
    import minigrad

    return minigrad


def _below(tensor) -> list:
    """The nodes behind a tensor, operands before what uses them."""
    order, entered, stack = [], set(), [(tensor._node, False)]
    while stack:
        node, left = stack.pop()
        if left:
            order.append(node)
        elif node is not None and node not in entered:
            entered.add(node)
            stack.append((node, True))
            stack.extend((operand, False) for operand, _ in node.next_functions)
    return order


def _ladder(x, rungs: int):
    """Each rung a diamond: two ways from the result to what went in."""
    for _ in range(rungs):
        x = x.exp() + x.neg()
    return x


@exercise("6.1")
def draw_it_in_your_head(nodes_behind_r, arrows_into_p, nodes_behind_s):
    """Predict three numbers."""
    torch = _torch()
    p = torch.tensor([1.0, 2.0], requires_grad=True)
    q = p.exp()
    r = q * q + 3 * p
    s = (r.detach() * q).sum()
    arrows = [n for node in _below(r) for n, _ in node.next_functions]
    yield "behind r: each operation and each mailbox counts once, however often used"
    _same(nodes_behind_r, len(_below(r)), "nodes_behind_r")
    yield "into p: one arrow for each operation that used p itself"
    _same(arrows_into_p, arrows.count(p._node), "arrows_into_p")
    yield "behind s: detach lets the numbers through and nothing else"
    _same(nodes_behind_s, len(_below(s)), "nodes_behind_s")


def _same(found, expected: int, what: str) -> None:
    assert isinstance(found, int) and not isinstance(found, bool), (
        f"{what} is a whole number, not {found!r}"
    )
    assert found == expected, f"{what} is not {found}: draw the graph and count"


@exercise("6.2")
def all_leaves(leaves):
    """The leaves behind a tensor, each once."""
    torch = _torch()
    names = "uvw"
    u, v, w = (torch.tensor([float(k)], requires_grad=True) for k in range(3))

    def expect(tensor, wanted, what):
        found = leaves(tensor)
        assert found is not None, "it returned None (is a `return` missing?)"
        told = [next((n for n in names if t is leaves_by_name[n]), "?") for t in found]
        assert sorted(told) == sorted(wanted), (
            f"{what}: it returned {told or 'nothing'}, not {[*wanted] or 'nothing'}"
        )

    leaves_by_name = {"u": u, "v": v, "w": w}
    yield "the leaves of (u * v).sum() are u and v themselves, and w is not among them"
    expect((u * v).sum(), "uv", "(u * v).sum()")
    yield "a leaf that is used twice occurs once"
    expect(u * u + u, "u", "u * u + u")
    yield "constants are no leaves in this sense"
    expect(u * torch.tensor([2.0]) + 1.0, "u", "u * constant + 1")
    yield "what was detached does not count"
    expect(u + v.exp().detach(), "u", "u + v.exp().detach()")
    yield "a leaf that requires a gradient is its own leaf"
    expect(w, "w", "w")
    yield "a constant has none"
    expect(torch.tensor([1.0]), "", "a constant")
    yield "a chain of 5,000 operations is no problem"
    chain = v
    for _ in range(5000):
        chain = chain.neg()
    expect(chain, "v", "the chain")
    yield "a ladder of 60 diamonds takes no time: each node is visited once"
    expect(_ladder(u, 60) * _guard(w), "uw", "the ladder")


def _guard(tensor):
    """Nothing but one more operation, so that the leaf is not a direct operand."""
    return tensor.exp()


@exercise("6.3")
def what_would_be_freed(bytes_kept):
    """Bytes in saved arrays, each array once, without the leaves' own."""
    torch = _torch()

    def fresh(size=100):
        return torch.tensor(np.linspace(0.1, 1, size), requires_grad=True)

    def expect(tensor, wanted, what):
        found = bytes_kept(tensor)
        assert found is not None, "it returned None (is a `return` missing?)"
        assert found == wanted, f"{what}: it returned {found}, expected {wanted} bytes"

    yield "a sum keeps nothing"
    expect(fresh() + fresh(), 0, "a + b of 100 float64 numbers")
    yield "exp keeps its result: 100 numbers of 8 bytes"
    expect(fresh().exp(), 800, "a.exp()")
    yield "the arrays of leaves do not count"
    expect(fresh() * fresh(), 0, "a * b with two leaves")
    yield "a constant that a product keeps does count"
    expect(fresh() * torch.tensor(np.ones(100)), 800, "a * constant")
    yield "an array that two nodes keep counts once"
    squashed = fresh().tanh()
    expect(squashed * squashed, 800, "s * s with s = a.tanh()")
    yield "different arrays of the same size count each"
    expect(fresh().exp().tanh(), 1600, "a.exp().tanh()")
    yield "float32 takes half the room"
    small = torch.tensor(np.ones(100, np.float32), requires_grad=True)
    expect(small.exp().sum(), 400, "exp of 100 float32 numbers")
    yield "a ladder of 60 diamonds is walked once: 60 results of exp"
    expect(_ladder(torch.tensor(np.zeros(10), requires_grad=True), 60), 4800, "ladder")


@exercise("6.4")
def find_the_cut(mended):
    """The same value as the careless loss, with the whole history."""
    torch = _torch()

    def value(w, x, t):
        prediction = np.sum(w * x)
        error = prediction - t
        return error * error / (1 + prediction**2) + 0.01 * np.sum(w * w)

    w, x, t = np.array([0.5, -1.0, 2.0]), np.array([1.0, 3.0, 0.25]), np.array(0.75)
    leaf = torch.tensor(w, requires_grad=True)
    loss = mended(leaf, torch.tensor(x), torch.tensor(t))
    yield "it returns a tensor with the value of the careless loss"
    assert isinstance(loss, torch.Tensor), f"it returned {type(loss).__name__}"
    assert loss._array.size == 1, f"the loss has shape {tuple(loss.shape)}"
    close(float(loss._array.item()), float(value(w, x, t)), what="the loss")
    yield "a path leads from the loss to w"
    assert leaf._node in _below(loss), "no path leads there: something cuts the graph"
    h = 1e-5
    steps = [h * row for row in np.eye(3)]
    slopes = [(value(w + d, x, t) - value(w - d, x, t)) / (2 * h) for d in steps]
    yield "the gradient of w is that of the whole loss: every use of w is recorded"
    close(_pulled(loss, leaf), np.array(slopes), within=1e-6, what="the gradient")


def _pulled(tensor, leaf) -> np.ndarray:
    """The gradient of one leaf, by the rules, in the order of definition reversed."""
    sums = {tensor._node: np.ones_like(tensor._array)}
    for node in reversed(_below(tensor)):
        for k, (operand, _) in enumerate(node.next_functions):
            if operand is not None:
                name = [*node.primitive.rules][k]
                needs = [getattr(node, need) for need in node.primitive.needs[name]]
                g = np.asarray(node.primitive.rules[name](sums[node], *needs))
                sums[operand] = sums.get(operand, 0) + g
    total = np.asarray(sums[leaf._node])
    return total if total.shape == leaf.shape else np.broadcast_to(total, leaf.shape)


@exercise("6.5")
def paths_uncounted(count_paths):
    """The number of paths to mailboxes, without listing them."""
    torch = _torch()

    def leaf():
        return torch.tensor(0.5, requires_grad=True)

    def expect(tensor, wanted, what):
        found = count_paths(tensor)
        assert found is not None, "it returned None (is a `return` missing?)"
        assert found == wanted and isinstance(found, int), (
            f"{what}: it returned {found!r}, expected {wanted}"
        )

    x = leaf()
    a = x * x
    yield "the diamond has five paths"
    expect(a + a * (3 * x), 5, "a + a * (3 * x)")
    yield "a leaf has one, of no step"
    expect(x, 1, "a leaf")
    yield "paths to different leaves count each"
    expect(leaf() * leaf() + leaf(), 3, "u * v + w")
    yield "an operand without history is no path"
    expect(2 * leaf() + 1, 1, "2 * u + 1")
    yield "a node waits until all ways to it are known: short way and long way"
    b = x.exp()
    late = b.neg().neg().neg() + b
    expect(late * late, 4, "late * late")
    yield "a ladder of 200 diamonds has 2²⁰⁰ paths, and the number is exact"
    expect(_ladder(leaf(), 200), 2**200, "the ladder")
    yield "a chain of 5,000 operations is no problem"
    chain = leaf()
    for _ in range(5000):
        chain = chain.neg()
    expect(chain, 1, "the chain")


@exercise("6.6")
def the_same_program(same_graph):
    """Equal graphs: the same nodes, linked and shared in the same way."""
    torch = _torch()

    def leaf(value=0.5):
        return torch.tensor(value, requires_grad=True)

    def expect(s, t, wanted, what):
        found = same_graph(s, t)
        assert found is not None, "it returned None (is a `return` missing?)"
        assert bool(found) is wanted, f"{what}: it returned {found!r}"
        found = same_graph(t, s)
        assert bool(found) is wanted, f"{what}, exchanged: it returned {found!r}"

    def program(x, y):
        return (x * y).tanh() + x

    yield "one program, run twice on different leaves, gives the same graph"
    expect(program(leaf(), leaf(2.0)), program(leaf(3.0), leaf()), True, "two runs")
    yield "other operations give another graph"
    expect(leaf().exp(), leaf().neg(), False, "exp and neg")
    yield "a constant in place of a leaf gives another graph"
    expect(leaf() * leaf(), leaf() * torch.tensor(0.5), False, "u * v and u * 0.5")
    yield "the order of operands counts"
    expect(leaf() * leaf().exp(), leaf().exp() * leaf(), False, "u * exp, exp * u")
    yield "x * x and x * z differ: one mailbox or two"
    x = leaf()
    expect(x * x, leaf() * leaf(), False, "x * x and x * z")
    yield "a result that is shared differs from one that was computed twice"
    e = x.exp()
    expect(e * e, x.exp() * x.exp(), False, "e * e and exp * exp")
    yield "the same nodes in the same order may be shared differently"
    p, q = x.exp(), x.exp()
    expect(p * p + q, p * q + p, False, "p * p + q and p * q + p")
    yield "a shorter chain is not the same"
    expect(leaf().neg().neg(), leaf().neg(), False, "two operations and one")
    yield "two leaves are the same, a leaf and a constant are not"
    expect(leaf(), leaf(), True, "two leaves")
    expect(leaf(), torch.tensor(1.0), False, "a leaf and a constant")
    yield "two ladders of 60 diamonds are compared in no time"
    expect(_ladder(leaf(), 60), _ladder(leaf(), 60), True, "the ladders")
    yield "chains of 5,000 operations are no problem"
    one, two = leaf(), leaf()
    for _ in range(5000):
        one, two = one.neg(), two.neg()
    expect(one, two, True, "the chains")
