"""Checks of the exercises of chapter 22, Define, then run."""

import numpy as np

from bookkit.checks import close, exercise


def _static():
    """Return minigrad.static as it is now: with what the chapter has built so far."""
    from minigrad import static

    return static


@exercise("22.1")
def horner(polynomial):
    """A polynomial with as few multiplications as there are powers."""
    static = _static()
    at = np.array([-1.5, 0.0, 2.0])
    for coefficients in ([1.0, 2.0], [0.5, -1.0, 3.0], [2.0, 0.0, -1.0, 0.25, 1.0]):
        with static.Graph().as_default() as graph:
            x = static.placeholder("float64", (None,), name="x")
            y = polynomial(x, coefficients)
        yield f"the values of {coefficients}"
        assert isinstance(y, static.Node), f"give a node, not {type(y).__name__}"
        found = static.Session(graph).run(y, {"x": at})
        close(found, np.polynomial.polynomial.polyval(at, coefficients), what="y")
        yield "as many multiplications as powers, and no power"
        ops = [node.op for node in graph.nodes]
        most = len(coefficients) - 1
        assert ops.count("mul") <= most, f"{ops.count('mul')} multiplications"
        assert not {"pow", "power"} & {*ops}, "there is a power in the graph"


@exercise("22.2")
def doubled_pass(doubled):
    """A pass that adds in place of doubling."""
    static = _static()
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (None,), name="x")
        row = static.placeholder("float64", (1,), name="row")
        y = np.sin(x * 2) + 2 * x - row * np.full((4, 1), 2.0)
        z = y * 3
    found = doubled(graph, [y, z])
    yield "it returns a graph and the fetches in it"
    assert isinstance(found, tuple) and len(found) == 2, f"got {found!r}"
    new, fetches = found
    assert isinstance(new, static.Graph) and new is not graph, "make a new graph"
    assert all(node.graph is new for node in fetches), "fetches of another graph"
    yield "the values are the same"
    feeds = {"x": np.array([0.3, -1.0, 2.0]), "row": [0.7]}
    pairs = zip(
        static.Session(new).run(fetches, feeds),
        static.Session(graph).run([y, z], feeds),
        strict=True,
    )
    for one, other in pairs:
        close(one, other, what="a fetch")
    yield "no number is doubled any more, but other products stay"
    alive = [node for fetch in fetches for node in static.session.needed([fetch])]
    factors = [
        x.params["value"].item()
        for node in alive
        for x in node.inputs
        if node.op == "mul" and x.op == "constant" and x.params["value"].size == 1
    ]
    assert 2.0 not in factors, "there is still a product with 2"
    assert 3.0 in factors, "the product with 3 has gone"


@exercise("22.3")
def crowds(crowd):
    """The largest number of results that live at once."""
    static = _static()

    def chain(n):
        y = static.placeholder("float64", (None,), name="x")
        for _ in range(n):
            y = np.tanh(y)
        return [y]

    def kept(n):
        parts = [np.tanh(static.placeholder("float64", (None,))) for _ in range(n)]
        y = parts[0]
        for part in parts[1:]:
            y = y + part
        return [y]

    def viewed(n):
        y = np.tanh(static.placeholder("float64", (4, 3), name="x"))
        flat = np.reshape(y, (12,))
        for _ in range(n):
            y = np.sin(y)
        return [np.sum(y), np.sum(flat)]

    def fetched(n):
        x = static.placeholder("float64", (None,), name="x")
        return [np.tanh(x), *chain(n)]

    for build, n, expected in (
        (chain, 1, 1), (chain, 6, 2), (kept, 4, 5), (viewed, 3, 3), (fetched, 3, 3),
    ):  # fmt: skip
        with static.Graph().as_default():
            fetches = build(n)
        yield f"{build.__name__}, {n} steps"
        found = crowd(fetches)
        assert found == expected, f"{expected} live at once, not {found!r}"


@exercise("22.4")
def newton(root):
    """A square root by a loop in the graph."""
    static = _static()
    with static.Graph().as_default() as graph:
        a = static.placeholder("float64", (), name="a")
        y = root(a)
        yield "it is a node, made by a loop"
        assert isinstance(y, static.Node), f"give a node, not {type(y).__name__}"
        assert "while" in {node.op for node in graph.nodes}, "there is no loop"
        (slope,) = static.gradients(y, a)
    assert slope is not None, "nothing of y depends on a"
    for value in (2.0, 0.01, 1e4):
        found, d = static.Session(graph).run([y, slope], {"a": value})
        yield f"the root of {value:g} and its gradient"
        close(found, np.sqrt(value), what="the root")
        close(d, 0.5 / np.sqrt(value), what="the gradient")
