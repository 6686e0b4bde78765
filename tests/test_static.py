"""Define, then run: random graphs through every pass, against the eager engine."""

import json

import numpy as np
import pytest

import minigrad as torch
from minigrad import static
from minigrad.rules import PRIMITIVES
from minigrad.static.files import KNOWN
from minigrad.static.graph import ELEMENTWISE, Dim, forward
from minigrad.static.passes import PASSES, rooms
from minigrad.static.plan import INTO

ROWS, COUNT = 4, 50


def fixed(like):
    """The number 2, as a constant of the world that the program runs in."""
    made = static.constant if isinstance(like, static.Node) else torch.tensor
    return made(2.0, dtype="float64" if made is static.constant else torch.float64)


def either(on_nodes, on_tensors):
    """A function that has two names."""
    return lambda a: (on_nodes if isinstance(a, static.Node) else on_tensors)(a)


# what works on a node and on a tensor alike: both answer NumPy's functions
ONE = [
    np.negative, np.tanh, np.sin, np.abs, lambda a: np.exp(np.tanh(a)),
    lambda a: np.maximum(a, 0), lambda a: a**2, lambda a: a**1, lambda a: a + 0,
    lambda a: 1 * a, lambda a: np.negative(-a), lambda a: np.log(a * a + 1.5),
    lambda a: np.transpose(np.transpose(a)), lambda a: np.reshape(a, a.shape),
    lambda a: np.sum(a, axis=1, keepdims=True) + a, lambda a: 0.5 * a - a / 1,
    lambda a: a[:, :2] @ np.transpose(a[:, 1:]) @ a, lambda a: a + np.sum(a, axis=0),
    lambda a: a * (fixed(a) ** 2 - np.tanh(fixed(a))),
    lambda a: a + fixed(a) / fixed(a),
    either(static.softmax, lambda a: torch.softmax(a, -1)),
    either(static.sigmoid, torch.sigmoid),
    lambda a: a - either(lambda a: static.mean(a, 0), lambda a: a.mean(0))(a),
    lambda a: a * either(lambda a: np.max(a, axis=0), lambda a: torch.amax(a, 0))(a),
    lambda a: np.where(a > 0, a, a * 0.1), lambda a: (a > 0.2) * a, lambda a: 0 * a,
    lambda a: a[:, 0:1] - a[:, 2:3] + a, lambda a: a[:, 1:2] * a, lambda a: a**3 * 0.1,
    lambda a: 1 - a, lambda a: a - 1, lambda a: a / 2 + 1,
    lambda a: np.broadcast_to(np.reshape(a, (1, *a.shape)), (2, *a.shape))[1],
    lambda a: np.sqrt(np.abs(a) + 0.25), lambda a: np.broadcast_to(a, a.shape),
]  # fmt: skip
TWO = [np.add, np.subtract, np.multiply, lambda a, b: a / (1 + b * b)]
TWO += [lambda a, b: a + (-b), lambda a, b: np.tanh(a) + np.tanh(a) * b, np.maximum]
TWO += [lambda a, b: np.where(a > b, a, b), lambda a, b: a @ np.transpose(b) @ b]


def program(seed: int):
    """A random program of x, of shape (rows, 3), and w, of shape (3,)."""
    stream = np.random.default_rng(seed)
    steps = []
    for k in range(stream.integers(4, 12)):
        table = ONE if stream.random() < 0.55 else TWO
        operands = stream.integers(0, k + 2, 1 if table is ONE else 2)
        steps.append((stream.integers(len(table)), table, operands))

    def run(x, w):
        made = [x, np.multiply(x, w)]
        for number, table, operands in steps:
            made.append(np.tanh(table[number](*(made[k] for k in operands))))
        return np.sum(made[-1] * made[-2] + made[1])

    return run


def eager(run, x, w):
    """The value and the gradients by the engine of Part II."""
    leaves = [torch.tensor(a, requires_grad=True) for a in (x, w)]
    y = run(*leaves)
    gradients = torch.autograd.grad(y, leaves)
    return [a.detach().numpy() for a in (y, *gradients)]


def defined(run):
    """The same as a graph."""
    graph = static.Graph()
    with graph.as_default():
        x = static.placeholder("float64", (None, 3), name="x")
        w = static.placeholder("float64", (3,), name="w")
        y = run(x, w)
        return graph, [y, *static.gradients(y, [x, w])]


def close(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-11)


VARIANTS = {one.__name__: (one,) for one in PASSES} | {"all": PASSES, "none": ()}


@pytest.mark.parametrize("block", range(10))
def test_every_pass_keeps_what_random_graphs_compute(block):
    for seed in range(block * COUNT, (block + 1) * COUNT):
        run, stream = program(seed), np.random.default_rng(seed)
        x, w = stream.standard_normal((ROWS, 3)), stream.standard_normal(3)
        expected, feeds = eager(run, x, w), {"x": x, "w": w}
        graph, fetches = defined(run)
        close(static.Session(graph).run(fetches, feeds), expected)
        for passes in VARIANTS.values():
            new, wanted = static.optimise(graph, fetches, passes, fused=False)
            close(static.Session(new).run(wanted, feeds), expected)
        fused, wanted = static.optimise(graph, fetches)
        close(static.Session(fused).run(wanted, feeds), expected)
        for new, nodes in ((graph, fetches), (fused, wanted)):
            planned = static.PlannedSession(new)
            for rows in (ROWS, 2, ROWS):
                part = {"x": x[:rows], "w": w}
                close(planned.run(nodes, part), eager(run, x[:rows], w))
        again = static.from_json(static.to_json(fused))
        close(static.Session(again).run([n.name for n in wanted], feeds), expected)


def test_the_random_programs_exercise_every_pass():
    smaller = dict.fromkeys(["simplify", "fold", "merge", "prune", "fuse"], 0)
    for seed in range(COUNT):
        graph, fetches = defined(program(seed))
        for name in smaller:
            new, wanted = getattr(static, name)(graph, fetches)
            alive, _ = static.prune(new, wanted)
            base, _ = static.prune(graph, fetches)
            smaller[name] += len(alive.nodes) < len(base.nodes) or (
                name == "prune" and len(base.nodes) < len(graph.nodes)
            )
    assert min(smaller.values()) >= 5, smaller


# every rule of the table that can run on nodes, against the same rule on tensors
POINT = np.array([[0.3, -0.7, 0.45], [0.9, -0.2, 0.6]])
ALONG = {"axis": (1,), "keepdims": False}
PARAMS = {
    "sum": {"axis": 1}, "reshape": {"shape": (3, 2)}, "transpose": {"axes": (1, 0)},
    "broadcast_to": {"shape": (2, 2, 3)}, "mean": ALONG, "amax": ALONG, "amin": ALONG,
    "max": {"axis": (0, 1)}, "min": {"axis": (0, 1)}, "logsumexp": ALONG,
    "softmax": {"axis": (1,)}, "log_softmax": {"axis": (1,)},
    "to": {"dtype": np.dtype("f4")},
    "power": {"exponent": 3}, "rsub": {"other": 2.0}, "exponential": {"other": 2.0},
    "add_scaled": {"alpha": 0.5}, "clip": {"low": -0.5, "high": 0.5},
    "leaky_relu": {"negative_slope": 0.1}, "softplus": {"beta": 1.0, "threshold": 20.0},
    "var": {**ALONG, "correction": 1}, "std": {**ALONG, "correction": 1},
    "norm": {**ALONG, "p": 2}, "elu": {"alpha": 1.0}, "view_at": {"index": (0,)},
}  # fmt: skip
PLAIN = [
    "neg", "exp", "tanh", "relu", "sin", "cos", "tan", "asin", "acos", "atan",
    "sinh", "cosh", "asinh", "atanh", "expm1", "log1p", "abs", "sign", "floor",
    "ceil", "trunc", "round", "sigmoid", "silu", "erf", "erfc", "gelu", "add", "sub",
    "mul", "div", "maximum", "minimum", "atan2", "matmul", "clone",
]  # fmt: skip


@pytest.mark.parametrize("op", [*PARAMS, *PLAIN])
def test_a_rule_on_nodes_is_the_rule_on_arrays(op):
    primitive, params = PRIMITIVES[op], PARAMS.get(op, {})
    points = [POINT, POINT[::-1] + 1.7][: len(primitive.rules)]
    points[1:] = [p.T.copy() if op == "matmul" else p for p in points[1:]]
    graph = static.Graph()
    with graph.as_default():
        nodes = [static.placeholder("float64", p.shape, name="p") for p in points]
        y = static.make(op, *nodes, **params)
        weights = static.constant(np.cos(np.arange(y_size(y))).reshape(y.shape))
        found = static.gradients(y, nodes, static.cast(weights, y.dtype))
        fetches = [y, *found]
    feeds = dict(zip(nodes, points, strict=True))
    value, *gradients = static.Session(graph).run(fetches, feeds)
    function, h, given = forward(op), 1e-6, {**primitive.params, **params}
    assert value.shape == y.shape and value.dtype == y.dtype
    v = np.cos(np.arange(value.size)).reshape(value.shape)
    if op == "to":  # float32 is too coarse for differences
        np.testing.assert_allclose(gradients[0], v, rtol=1e-6)
        assert gradients[0].dtype == points[0].dtype
        return
    for k, gradient in enumerate(gradients):
        slopes = np.zeros_like(points[k])
        for place in np.ndindex(slopes.shape):
            ends = []
            for sign in (1, -1):
                moved = [p.copy() for p in points]
                moved[k][place] += sign * h
                ends.append(np.sum(v * function(*moved, **given)))
            slopes[place] = (ends[0] - ends[1]) / (2 * h)
        np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-8)


def y_size(y) -> int:
    return int(np.prod(y.shape))


def test_inference_and_runs_agree_on_shapes():
    with static.Graph().as_default():
        x = static.placeholder("float32", (None, 4, None), name="x")
        for y in (
            np.sum(x, axis=0), np.sum(x, axis=(0, 2), keepdims=True), x[:, 0],
            np.transpose(x), np.swapaxes(x, 0, 2) * 2, x > 0, static.softmax(x, 1),
            static.mean(x), x.reshape(-1, *x.shape[1:]), np.where(x > 0, x, 0),
        ):  # fmt: skip
            sizes = dict(zip((x.shape[0], x.shape[2]), (5, 3), strict=True))
            shape = tuple(sizes.get(n, n) if isinstance(n, Dim) else n for n in y.shape)
            found = static.Session(x.graph).run(y, {x: np.ones((5, 4, 3), "f")})
            assert (found.shape, found.dtype) == (shape, y.dtype), y


def test_unknown_sizes_that_meet_become_one():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float32", (None, 3), name="x")
        y = static.placeholder("float32", (None, 3), name="y")
        z = x + y
        u = z + static.constant(np.ones((5, 1), "f"))
    assert x.shape == y.shape == z.shape == u.shape == (5, 3)
    with pytest.raises(ValueError, match=r"which has shape \[5, 3\]"):
        static.Session(graph).run(z, {x: np.ones((5, 3)), y: np.ones((1, 3))})


def test_a_refused_operation_leaves_the_graph_as_it_was():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float32", (None, 3), name="x")
        count = len(graph.nodes)
        for wrong in (
            lambda: x + np.ones((2, 4), "f"),
            lambda: x @ static.placeholder("float32", (4, 4), name="x"),
            lambda: static.placeholder("f4", (None, 3, 4)) @ np.ones((5, 5, 2), "f"),
        ):
            with pytest.raises(ValueError, match="Dimensions must be equal"):
                wrong()
    assert repr(x.shape) == "(?, 3)" and len(graph.nodes) <= count + 2


def training():
    """A regression: a graph, its step, its initialiser, its loss."""
    graph = static.Graph()
    with graph.as_default():
        x = static.placeholder("float64", (None, 2), name="x")
        w = static.Variable(np.array([[1.0], [-1.0]]), name="w")
        loss = static.mean((x @ w - 3) ** 2)
        (d,) = static.gradients(loss, [w])
        step = static.group(static.assign(w, w - 0.1 * d))
        init = static.global_variables_initializer()
    return graph, loss, step, init


@pytest.mark.parametrize("kind", [static.Session, static.PlannedSession])
def test_a_session_learns_as_the_eager_engine_does(kind):
    graph, loss, step, init = training()
    x = np.array([[1.0, 2.0], [0.5, -1.0], [2.0, 0.0]])
    session = kind(graph)
    session.run(init)
    w = torch.tensor([[1.0], [-1.0]], dtype=torch.float64, requires_grad=True)
    for _ in range(5):
        found, nothing = session.run([loss, step], {"x": x})
        expected = ((torch.tensor(x) @ w - 3) ** 2).mean()
        (d,) = torch.autograd.grad(expected, w)
        with torch.no_grad():
            w -= 0.1 * d
        assert nothing is None
        np.testing.assert_allclose(found, expected.item(), rtol=1e-12)
    np.testing.assert_allclose(session.run("w"), w.detach().numpy(), rtol=1e-12)


@pytest.mark.parametrize("kind", [static.Session, static.PlannedSession])
def test_reads_see_what_was_before_the_run(kind):
    with static.Graph().as_default() as graph:
        a, b = static.Variable(1.0, name="a"), static.Variable(2.0, name="b")
        swap = static.group(static.assign(a, b), static.assign(b, a))
        init = static.global_variables_initializer()
    session = kind(graph)
    session.run(init)
    assert [float(v) for v in session.run([a, b, swap])[:2]] == [1, 2]
    assert [float(v) for v in session.run([a, b])] == [2, 1]
    session.run(swap)
    assert [float(v) for v in session.run([a, b])] == [1, 2]


def test_a_run_that_fails_assigns_nothing():
    graph, loss, step, init = training()
    session = static.Session(graph)
    session.run(init)
    before = session.run("w")
    with pytest.raises(RuntimeError, match="You must feed a value"):
        session.run([step, loss])
    assert (session.run("w") == before).all()


@pytest.mark.parametrize("kind", [static.Session, static.PlannedSession])
def test_what_a_run_returns_belongs_to_you(kind):
    graph, loss, step, init = training()
    session, x = kind(graph), np.ones((3, 2))
    session.run(init)
    w, fed = session.run(["w", "x"], {"x": x})
    w[...], fed[...] = 100, 100
    assert (session.run("w") != 100).all() and (x == 1).all()
    first = session.run(loss, {"x": x})
    session.run(step, {"x": x})
    assert session.run(loss, {"x": x}) < first


@pytest.mark.parametrize("kind", [static.Session, static.PlannedSession])
def test_choices_and_loops_have_the_gradients_of_python(kind):
    with static.Graph().as_default() as graph:
        a = static.placeholder("float64", (), name="a")
        c = static.placeholder("float64", (3,), name="c")
        y = static.cond(a > 0, lambda: np.sum(np.sin(c) * a), lambda: np.sum(np.exp(c)))
        k, z = static.while_loop(
            lambda k, z: k < 4, lambda k, z: (k + 1, z * np.sin(c) + a), [0, c]
        )
        both = y + np.sum(z)
        first = static.gradients(both, [c, a])
        (second,) = static.gradients(static.gradients(y, c)[0], c)
    again = static.from_json(static.to_json(graph))
    names = [x.name for x in (both, *first, second, k)]
    for value in (1.5, -0.5):
        feeds = {"a": value, "c": np.array([0.3, 0.5, 0.9])}
        leaves = [
            torch.tensor(v, dtype=torch.float64, requires_grad=True)
            for v in feeds.values()
        ]
        ta, tc = leaves
        ty = (tc.sin() * ta).sum() if value > 0 else tc.exp().sum()
        tz = tc
        for _ in range(4):
            tz = tz * tc.sin() + ta
        gradients = torch.autograd.grad(ty + tz.sum(), [tc, ta], retain_graph=True)
        (d,) = torch.autograd.grad(ty, tc, create_graph=True)
        (dd,) = torch.autograd.grad(d.sum(), tc)
        expected = [(ty + tz.sum()).item(), *(g.numpy() for g in gradients), dd.numpy()]
        for g in (graph, again):
            *found, rounds = kind(g).run(names, feeds)
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-12)
            assert rounds == 4


@pytest.mark.parametrize("kind", [static.Session, static.PlannedSession])
def test_what_fails_in_the_run_is_named_with_its_line(kind):
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (None, 3), name="x")
        y = np.sin(x)
        y += x[7]
    session = kind(graph)
    with pytest.raises(
        RuntimeError, match=r"built by line \d+ of test_static.py, `y \+="
    ):
        session.run(y, {"x": np.ones((2, 3))})
    found = session.run(y, {"x": np.ones((8, 3))})
    np.testing.assert_allclose(found, np.sin(np.ones((8, 3))) + 1)


@pytest.mark.parametrize("kind", [static.Session, static.PlannedSession])
def test_a_variable_does_not_share_what_was_fed(kind):
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (3,), name="x")
        v = static.Variable(np.zeros(3), name="v")
        take = static.assign(v, x)
    session, fed = kind(graph), np.ones(3)
    session.run(take, {"x": fed})
    fed[:] = 9
    assert session.run(v).tolist() == [1, 1, 1]


def test_only_the_chosen_branch_runs():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (2,), name="x")
        y = static.cond(np.sum(x) > 0, lambda: np.log(x), lambda: x)
    seen = []
    yes, no = y.inputs[0].params["bodies"]
    for name, body in (("yes", yes), ("no", no)):
        whole = body.run
        body.run = lambda *a, name=name, whole=whole: (seen.append(name), whole(*a))[1]
    static.Session(graph).run(y, {"x": [1.0, 2.0]})
    static.Session(graph).run(y, {"x": [-1.0, -2.0]})
    assert seen == ["yes", "no"]


def test_a_graph_survives_json_with_all_it_holds():
    graph, *_ = training()
    text = static.to_json(graph)
    json.loads(text)
    again = static.from_json(text)
    assert repr(again) == repr(graph) and static.to_json(again) == text
    assert {node.op for node in graph.nodes} <= KNOWN


def test_what_is_neutral_but_broadcasts_or_converts_stays():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (3,), name="x")
        wide = [x * np.ones((2, 3)), np.zeros((2, 1)) + x, x - np.zeros((2, 3))]
        fetches = [*wide, (x > 0) * 1.0, x / np.ones((1, 3)), x - 1, x + 1, 1 - x]
        two = np.broadcast_to(x, (2, 3))
        fetches += [two * x, x + two, two * two, np.where(x > 0, two, two)]
        fetches += [x * 0, x * 2, x / 2, 1 / x, 0 - x, x**0, x**2, x**3, 0 / x]
        narrow = [
            x * np.ones(3),
            x + 0,
            0 + x,
            x - np.zeros(3),
            x / 1,
            x**1,
            np.negative(-x),
        ]
    feeds = {"x": np.array([1.0, -2.0, 3.0])}
    new, found = static.simplify(graph, fetches)
    expected = static.Session(graph).run(fetches, feeds)
    for a, b in zip(static.Session(new).run(found, feeds), expected, strict=True):
        assert a.shape == b.shape and a.dtype == b.dtype and (a == b).all()
    assert {node.op for node in static.simplify(graph, narrow)[1]} == {"placeholder"}


@pytest.mark.parametrize("axes", [(1, 2, 0), (0, 2, 1), None])
def test_a_transposition_goes_only_with_the_one_that_undoes_it(axes):
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (2, 3, 4), name="x")
        twice = np.transpose(np.transpose(x, axes), axes)
        back = None if axes is None else tuple(np.argsort(axes).tolist())
        undone = np.transpose(np.transpose(x, axes), back)
    feeds = {"x": np.arange(24.0).reshape(2, 3, 4)}
    new, found = static.simplify(graph, [twice, undone])
    assert found[1].op == "placeholder"
    one, other = static.Session(new).run(found[0], feeds), feeds["x"]
    expected = other.transpose(axes).transpose(axes)
    assert one.shape == expected.shape and (one == expected).all()


def test_passes_keep_the_names_of_variables():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (None,), name="x")
        y = np.broadcast_to(np.reshape(x, (-1,)), x.shape) ** 2
        y = y * np.ones_like(x)
        names = [f"{node.name}_1" for node in graph.nodes]
        held = [static.Variable(float(k), name=n) for k, n in enumerate(names)]
        init = static.global_variables_initializer()
    assert [v.name for v in held] != []
    new, (fetch, first, *kept) = static.optimise(graph, [y, init, *held])
    assert [v.name for v in kept] == [v.name for v in held]
    session = static.Session(new)
    session.run(first)
    assert [float(v) for v in session.run(kept)] == [*range(len(held))]
    assert session.run(fetch, {"x": [3.0]}) == [9.0]


def test_scopes_and_names():
    with static.Graph().as_default() as graph:
        with static.name_scope("a"), static.name_scope("b"):
            x = static.placeholder("float32", (None,), name="x")
            y = x + x
            z = x + x
        outside = z * 2
    assert [x.name, y.name, z.name] == ["a/b/x", "a/b/add", "a/b/add_1"]
    assert outside.name == "mul" and graph["a/b/add"] is y
    assert repr(x.shape[0].owner) == "'a/b/x'"


def test_fusion_computes_in_blocks():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (None, 3), name="x")
        row = static.placeholder("float64", (3,), name="row")
        column = static.placeholder("float64", (None, 1), name="column")
        flat = static.placeholder("float64", (1, 3), name="flat")
        y = np.tanh(x * np.sin(row) + column) * (x > flat)
    new, fetch = static.optimise(graph, y)
    (fused,) = [n for n in new.nodes if n.op == "fused"]
    steps = [step[0] for step in fused.params["steps"]]
    assert steps == ["mul", "add", "tanh", "greater", "mul"]
    stream = np.random.default_rng(0)
    shapes = {"x": (9001, 3), "row": (3,), "column": (9001, 1), "flat": (1, 3)}
    feeds = {name: stream.standard_normal(shape) for name, shape in shapes.items()}
    a, r, c, f = feeds.values()
    expected = np.tanh(a * np.sin(r) + c) * (a > f)
    for kind in (static.Session, static.PlannedSession):
        assert (kind(new).run(fetch, feeds) == expected).all()
    places = rooms(fused.params["steps"], len(fused.inputs))
    float64, boolean = np.dtype("f8"), np.dtype("?")
    assert rooms(fused.params["steps"], len(fused.inputs), held=0)[:3] == [
        (float64, 1), (float64, 1), (float64, 1),
    ]  # fmt: skip
    assert places == [(float64, 0)] * 3 + [(boolean, 4), (float64, 0)]


def test_shared_memory_is_less_and_never_in_use_twice():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (1000,), name="x")
        y, parts = x, []
        for k in range(20):
            y = np.tanh(y + k)
            parts.append(y)
        out = y + parts[3]
    session = static.PlannedSession(graph)
    a = np.linspace(0, 1, 1000)
    found = session.run(out, {"x": a})
    assert (found == static.Session(graph).run(out, {"x": a})).all()
    (plan,) = session.plans.values()
    assert plan.apart == 41 * 8000 and plan.shared <= 3 * 8000


def both_ways(graph, fetches, feeds):
    """Planned, with and without passes, it is what a plain session gives."""
    expected = static.Session(graph).run(fetches, feeds)
    new, wanted = static.optimise(graph, fetches)
    for g, nodes in ((graph, fetches), (new, wanted)):
        session = static.PlannedSession(g)
        for _ in range(2):
            for a, b in zip(session.run(nodes, feeds), expected, strict=True):
                np.testing.assert_array_equal(a, b)


def test_an_operand_that_shows_the_memory_of_another_is_not_overwritten():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (20_000,), name="x")
        t = np.sin(x)
        y = t * 2 + t[::-1]
        s = np.sin(y)
        z = s + s[::-1]
    both_ways(graph, [z], {"x": np.linspace(0, 1, 20_000)})


def test_what_a_choice_passes_on_is_not_overwritten():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (5,), name="x")
        t = np.tanh(x)
        one, two = static.cond(np.sum(x) > 0, lambda: (t * 2, t), lambda: (t, -t))
        y = one - two
    both_ways(graph, [y, one * 3], {"x": np.linspace(0, 1, 5)})


def test_a_replay_makes_no_arrays():
    with static.Graph().as_default() as graph:
        x = static.placeholder("float64", (100, 100), name="x")
        y = np.sum(static.relu(x @ np.transpose(x)) * 2, axis=1)
    session = static.PlannedSession(graph)
    session.run(y, {"x": np.ones((100, 100))})
    (plan,) = session.plans.values()
    assert len(plan.steps) == 4
    targets = [id(step.keywords["out"]) for step in plan.steps]
    session.run(y, {"x": np.zeros((100, 100))})
    assert [id(step.keywords["out"]) for step in plan.steps] == targets
    assert {*INTO} <= {*PRIMITIVES}


def test_elementwise_is_what_it_says():
    for op in ELEMENTWISE & {*PRIMITIVES}:
        if op not in PARAMS and op in PLAIN:
            count = len(PRIMITIVES[op].rules)
            row, column = np.full((1, 3), 0.5), np.full((2, 1), 0.25)
            arrays = (row, column)[:count]
            shape = np.broadcast_shapes(*(a.shape for a in arrays))
            assert forward(op)(*arrays).shape == shape, op
