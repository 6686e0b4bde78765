"""minigrad.autograd.graph: drawings and the player, against independent walks.

What a drawing says is read back from its DOT text by a parser of this file, and
compared with a traversal that uses nothing but ``next_functions``. A pass of the
player is compared with central differences.
"""

import ast
import builtins
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as torch
from minigrad.autograd.graph import Node, draw, step_through
from minigrad.rules import PRIMITIVES
from minigrad.tensor import AccumulateGrad
from minigrad.utils import drawing, player


def leaf(values=2.0):
    return torch.tensor(values, requires_grad=True)


def diamond():
    x = leaf()
    a = x * x
    b = 3 * x
    c = a * b
    return SimpleNamespace(x=x, a=a, b=b, c=c, y=a + c)


def network():
    rng = np.random.default_rng(0)
    data, target = (torch.tensor(rng.standard_normal(s)) for s in ((4, 3), (4, 1)))
    w1, w2 = (leaf(rng.standard_normal(s)) for s in ((3, 5), (5, 1)))
    b1, b2 = leaf(np.zeros(5)), leaf(np.zeros(1))
    h = (data @ w1 + b1).tanh()
    loss = ((h @ w2 + b2 - target) ** 2).sum()
    return SimpleNamespace(data=data, w1=w1, w2=w2, b1=b1, b2=b2, h=h, loss=loss)


def ladder(x, rungs):
    for _ in range(rungs):
        x = x * x + x
    return x


def every_node(*tensors):
    """The oracle: a depth-first walk, by another route than the package's."""
    found, stack = set(), [t._node for t in tensors if t._node is not None]
    while stack:
        node = stack.pop()
        if node not in found:
            found.add(node)
            stack += [n for n, _ in node.next_functions if n is not None]
    return found


def parsed(source):
    """DOT text as shapes {key: (lines, form)} and lines [(tail, head, attributes)]."""
    shapes, lines = {}, []
    for row in source.splitlines():
        if found := re.match(r'  (\w+) \[label="((?:[^"\\]|\\.)*)" shape=(\w+)', row):
            text = re.sub(r'\\(["\\])', r"\1", found[2].replace(r"\n", "\n"))
            shapes[found[1]] = text.split("\n"), found[3]
        elif found := re.match(r"  (\w+) -> (\w+) \[(.*)\]", row):
            lines.append(found.groups())
    return shapes, lines


def forms(picture):
    return Counter(form for _, form in parsed(picture.source)[0].values())


def texts(picture, form):
    return sorted(
        " ".join(text) for text, f in parsed(picture.source)[0].values() if f == form
    )


# --------------------------------------------------------------- what is in a drawing


def test_node_is_the_one_of_tensor():
    assert isinstance(diamond().y.grad_fn, Node)


@pytest.mark.parametrize("saved", [True, False])
def test_a_drawing_holds_each_node_once_and_each_reference_once(saved):
    for tensors in ([diamond().y], [network().loss], [ladder(leaf(), 8)]):
        picture = draw(tensors, saved=saved)
        nodes = every_node(*tensors)
        found = forms(picture)
        mailboxes = sum(isinstance(node, AccumulateGrad) for node in nodes)
        assert found["invhouse"] == mailboxes
        assert found["box"] == len(nodes)  # operations, and a leaf to each mailbox
        references = sum(1 for n in nodes for child, _ in n.next_functions if child)
        arrows = [line for line in parsed(picture.source)[1] if line[2] == ""]
        assert len(arrows) == references


def test_arrows_lead_from_results_to_operands_in_order():
    d = diamond()
    shapes, lines = parsed(draw(d.y, vars(d), saved=False).source)
    called = {key: " ".join(text) for key, (text, _) in shapes.items()}
    arrows = [(called[t], called[h]) for t, h, kind in lines if kind == ""]
    assert sorted(arrows) == sorted(
        [
            ("AddBackward0 y ()", "MulBackward0 a ()"),
            ("AddBackward0 y ()", "MulBackward0 c ()"),
            ("MulBackward0 c ()", "MulBackward0 a ()"),
            ("MulBackward0 c ()", "MulBackward0 b ()"),
            ("MulBackward0 a ()", "AccumulateGrad"),
            ("MulBackward0 a ()", "AccumulateGrad"),
            ("MulBackward0 b ()", "AccumulateGrad"),
        ]
    )


def test_every_kind_has_a_shape_and_a_colour_of_its_own():
    used = [kind for kind in drawing.KINDS if kind not in ("freed", "cut")]
    paths = {drawing.outline(kind, 0, 0, 90, 40) for kind in used}
    colours = {drawing.KINDS[kind][1] for kind in used}
    assert len(paths) == len(colours) == len(used) == 5


def test_a_parameter_is_told_from_a_leaf():
    class Parameter(torch.Tensor):
        __slots__ = ()

    weight = object.__new__(Parameter)
    weight._array, weight._grad, weight._node = np.ones(2, np.float32), None, None
    weight._node = AccumulateGrad(weight)
    x = leaf([1.0, 2.0])
    picture = draw((weight * x).sum())
    assert texts(picture, "octagon") == ["weight (2,)"]
    assert "x (2,)" in texts(picture, "box")


def test_saved_arrays_are_drawn_once_and_a_leafs_array_as_the_leaf():
    t = leaf([0.5, 1.0])
    s = t.tanh()
    shifted = s + 1.0
    picture = draw(shifted * s * t)
    assert texts(picture, "note") == ["operand (2,)", "s (2,)", "shifted (2,)"]
    shapes, lines = parsed(picture.source)
    keepers = Counter(head for _, head, kind in lines if "dashed" in kind)
    by_name = {" ".join(shapes[key][0]): count for key, count in keepers.items()}
    assert by_name == {"s (2,)": 2, "shifted (2,)": 1, "operand (2,)": 1, "t (2,)": 1}


def test_a_number_of_the_program_is_a_shape_of_its_own_wherever_it_occurs():
    x = leaf()
    assert texts(draw(2 * x + 2 * x.exp()), "note") == ["2", "2", "result ()"]


def test_sums_keep_nothing():
    x, y = leaf(), leaf()
    assert forms(draw(x + y))["note"] == 0


def test_saved_can_be_left_out():
    assert "note" not in draw(network().loss, saved=False).source
    assert "dashed" not in draw(network().loss, saved=False).source


def test_what_was_freed_is_shown_as_freed():
    x = leaf()
    y = x.exp()
    y._node.out = object()  # what a backward pass puts there is no array
    picture = draw(y)
    assert texts(picture, "note") == ["freed"]
    assert "<svg" in picture.html


def test_a_tensor_without_history_is_a_single_shape():
    c = torch.tensor([1.0, 2.0])
    shapes, lines = parsed(draw(c).source)
    assert [*shapes.values()] == [(["c (2,)"], "box")]
    assert lines == []


def test_a_leaf_is_its_mailbox_and_itself():
    x = leaf()
    shapes, lines = parsed(draw(x).source)
    assert sorted(form for _, form in shapes.values()) == ["box", "invhouse"]
    assert [kind for *_, kind in lines] == ["dir=none"]


def test_several_roots_share_what_they_share():
    x = leaf()
    p, q = x.exp(), x * x
    assert forms(draw([p, q]))["invhouse"] == 1
    assert forms(draw([p, leaf().exp(), torch.tensor(1.0)]))["invhouse"] == 2


def test_a_leaf_that_nobody_holds_is_still_drawn():
    y = leaf([1.0, 2.0, 3.0]).exp()
    assert "(3,)" in texts(draw(y), "box")


# --------------------------------------------------------------------------- the text


def test_names_come_from_the_callers_variables():
    inner = leaf()
    result = inner.exp()
    assert texts(draw(result), "box") == ["ExpBackward0 result ()", "inner ()"]


MODULE_LEVEL = leaf()


def test_names_come_from_the_callers_module_too():
    assert "MODULE_LEVEL ()" in texts(draw(MODULE_LEVEL.exp()), "box")


def test_a_local_variable_hides_a_global_of_the_same_name():
    shadowed = MODULE_LEVEL

    def inside():
        MODULE_LEVEL = leaf([1.0, 2.0])  # noqa: N806
        return draw([MODULE_LEVEL.exp(), shadowed.exp()])

    assert texts(inside(), "box")[2:] == ["MODULE_LEVEL (2,)", "shadowed ()"]


def test_given_names_win():
    x = leaf()
    picture = draw(x.exp(), {'weird "name"\\': x})
    assert 'weird "name"\\ ()' in texts(picture, "box")
    assert "weird &quot;name&quot;" in picture.html
    assert r'label="weird \"name\"\\ ()"' in picture.source
    assert "x ()" not in texts(picture, "box")


def test_a_given_name_is_taken_from_the_variable_that_has_it():
    a, b = leaf(), leaf([1.0, 2.0])
    shown = texts(draw(a * b, {"a": b}), "box")
    assert shown == ["()", "MulBackward0 (2,)", "a (2,)"]


def test_a_result_may_go_unnamed():
    assert texts(draw((leaf() * 2).exp()), "box")[1] == "ExpBackward0 ()"


def test_shapes_are_known_though_the_tensors_are_gone():
    n = network()
    text = texts(draw(n.loss, {"loss": n.loss, **vars(n)}, saved=False), "box")
    assert text.count("MmBackward0 (4, 5)") == 1
    assert text.count("MmBackward0 (4, 1)") == 1
    assert text.count("AddBackward0 (4, 5)") == 1
    assert "PowBackward0 (4, 1)" in text
    assert "SubBackward0 (4, 1)" in text


def test_a_shape_that_nobody_knows_is_left_out():
    x = leaf([[1.0, 2.0], [3.0, 4.0]])
    y = (x @ x).t().sum()
    assert texts(draw(y), "box") == [
        *("MmBackward0", "SumBackward0 y ()", "TBackward0 (2, 2)", "x (2, 2)")
    ]


def test_values_and_gradients_on_demand():
    d = diamond()
    d.x.grad = torch.tensor(40.0)
    names = vars(d)
    assert "x ()" in texts(draw(d.y, names), "box")
    assert "x () 2" in texts(draw(d.y, names, values=True), "box")
    assert "x () grad 40" in texts(draw(d.y, names, gradients=True), "box")
    both = draw(d.y, names, values=True, gradients=True)
    assert "x () 2 grad 40" in texts(both, "box")
    assert "AddBackward0 y () 28" in texts(both, "box")


def test_large_values_are_given_by_their_shape():
    assert drawing.brief(np.zeros((4, 5))) == "array (4, 5)"
    assert drawing.brief(np.array([[1.5, -2.0]])) == "[[1.5, -2]]"
    assert drawing.brief(np.float32(-0.0)) == "0"
    assert drawing.brief(np.array([np.nan, np.inf])) == "[nan, inf]"
    assert drawing.brief(np.zeros(0)) == "[]"
    assert drawing.brief(np.array([True, False])) == "[1, 0]"


def test_source_is_the_same_every_time():
    assert draw(network().loss, {}).source == draw(network().loss, {}).source


def test_in_words():
    d = diamond()
    assert repr(draw(d.y, vars(d))).splitlines() == [
        "Graph of y: 4 operations, 1 leaf, 3 saved arrays",
        "  AddBackward0 y () → MulBackward0 a (), MulBackward0 c ()",
        "  MulBackward0 a () → x (), x (); keeps x ()",
        "  MulBackward0 c () → MulBackward0 a (), MulBackward0 b (); keeps a (), b ()",
        "  MulBackward0 b () → x (); keeps 3",
    ]


# -------------------------------------------------------------------------- the light


def lit(picture):
    return {
        " ".join(shape.text)
        for shape in picture.plan.shapes.values()
        if shape.lit and shape.kind != "mailbox"
    }


def test_light_falls_on_what_leads_from_the_root_to_the_target():
    d = diamond()
    assert lit(draw(d.y, vars(d), towards=d.b)) == {
        *("AddBackward0 y ()", "MulBackward0 c ()", "MulBackward0 b ()")
    }
    n = network()
    names = {"b1": n.b1}
    picture = draw(n.loss, names, saved=False, towards=n.b1)
    assert "b1 (5,)" in lit(picture)
    dark = [s for s in picture.plan.shapes.values() if s.lit is False]
    assert sum(shape.kind == "operation" for shape in dark) == 1
    assert sum(shape.kind == "leaf" for shape in dark) == 3


def test_no_light_where_no_way_leads():
    w, v = leaf(), leaf()
    picture = draw((w * v).detach() * v, towards=w)
    assert lit(picture) == set()
    assert repr(picture).endswith("Lit: nothing, for no way leads there")
    assert "mg-lit" not in picture.html.split("</style>")[1]


def test_lines_are_lit_with_their_ends():
    d = diamond()
    picture = draw(d.y, vars(d), towards=[d.a])
    bright = [line for line in picture.plan.lines if line.lit]
    assert len(bright) == 3  # y → a, y → c, c → a


# ------------------------------------------------------------------------- large ones


def test_a_large_graph_is_cut_with_a_note():
    deep = leaf()
    for _ in range(100_000):
        deep = deep.neg()
    start = time.perf_counter()
    picture = draw(deep, max_nodes=5)
    assert len(picture.html) < 20_000
    assert time.perf_counter() - start < 10
    assert texts(picture, "plaintext") == ["… 99,996 more nodes"]
    assert forms(picture)["box"] == 5


def test_a_huge_graph_is_not_even_counted(monkeypatch):
    monkeypatch.setattr(drawing, "ENOUGH", 100)
    picture = draw(ladder(leaf(), 300), max_nodes=5)
    assert texts(picture, "plaintext") == ["… over 100 more nodes"]


def test_a_node_with_many_operands_gets_one_line_to_the_note():
    total = leaf()
    for _ in range(60):
        total = total + leaf()
    _, lines = parsed(draw(total, max_nodes=10).source)
    assert max(Counter(t for t, _, k in lines if k == "style=dotted").values()) == 1


def test_paths_are_not_followed():
    assert forms(draw(ladder(leaf(), 25)))["box"] == 51  # 3²⁵ paths


@pytest.mark.parametrize("most", [0, -1])
def test_at_least_one_node_is_drawn(most):
    with pytest.raises(ValueError, match="at least 1"):
        draw(leaf().exp(), max_nodes=most)


@pytest.mark.parametrize("wrong", [3, [3], ["x"], None])
def test_only_tensors_are_drawn(wrong):
    with pytest.raises(TypeError):
        draw(wrong)
    with pytest.raises(TypeError):
        step_through(wrong)


def test_names_are_names_of_tensors():
    with pytest.raises(TypeError, match="must be Tensors, but got int"):
        draw(leaf().exp(), {"n": 3})


# ------------------------------------------------------------------------ the picture


def elements(svg, tag):
    return list(ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}" + tag))


def test_the_picture_is_well_formed_and_takes_its_colours_from_the_page():
    svg = draw(network().loss).html
    assert "var(--fig-0," in svg
    assert "currentColor" in svg
    colours = set(re.findall(r"#[0-9a-f]{6}", svg))
    assert colours <= set(drawing.COLOURS)
    assert not re.search(r'(fill|stroke)="(black|white|#)', svg)
    shapes = [g for g in elements(svg, "g") if g.get("data-key")]
    assert len(shapes) == len(draw(network().loss).plan.shapes)


def test_no_shape_overlaps_another():
    for tensor in (diamond().y, network().loss, ladder(leaf(), 6)):
        plan = draw(tensor).plan
        (width, height), centres, _ = drawing.layout(plan)
        boxes = []
        for key, (x, y) in centres.items():
            w, h = drawing.size(plan.shapes[key])
            assert w / 2 - 1 <= x <= width - w / 2 + 1
            assert h / 2 - 1 <= y <= height - h / 2 + 1
            boxes.append((x - w / 2, x + w / 2, y - h / 2, y + h / 2))
        for k, (a0, a1, a2, a3) in enumerate(boxes):
            for b0, b1, b2, b3 in boxes[:k]:
                assert a1 <= b0 or b1 <= a0 or a3 <= b2 or b3 <= a2


def test_the_layout_asks_no_font():
    text = drawing.dot(draw(diamond().y).plan, labels=False)
    assert set(re.findall(r"label=(\S+)", text)) == {'""'}
    assert "fixedsize=true" in text


def test_jupyter_is_shown_a_labelled_picture_and_the_words():
    bundle = draw(diamond().y)._repr_mimebundle_()
    assert bundle["text/html"].startswith('<svg role="img" aria-label="Graph of a tens')
    assert bundle["text/plain"].startswith("Graph of a tensor: 4 operations")
    assert not hasattr(draw(diamond().y), "_repr_svg_")  # no second, black picture


def test_files(tmp_path):
    picture = draw(diamond().y)
    for name, start in [("a.svg", b"<svg"), ("a.gv", b"digraph"), ("a.pdf", b"%PDF")]:
        picture.save(tmp_path / name)
        assert (tmp_path / name).read_bytes().startswith(start)
    ET.parse(tmp_path / "a.svg")


# ------------------------------------------------------------------- without Graphviz


@pytest.fixture
def without(monkeypatch):
    """Make the import of some packages fail."""

    def forbid(*names):
        original = builtins.__import__

        def importing(name, *args, **kwargs):
            if name.partition(".")[0] in names:
                raise ImportError(f"No module named {name!r}")
            return original(name, *args, **kwargs)

        monkeypatch.setattr(builtins, "__import__", importing)

    return forbid


def test_without_any_graphviz_there_is_a_message_and_the_text(without, tmp_path):
    without("pygraphviz", "graphviz")
    picture = draw(diamond().y)
    assert picture.source.startswith("digraph {")
    (text,) = picture._repr_mimebundle_().values()
    assert "pip install pygraphviz" in text
    assert text.endswith(picture.source)
    for action in (lambda: picture.html, lambda: picture.save(tmp_path / "a.pdf")):
        with pytest.raises(RuntimeError, match="needs Graphviz") as error:
            action()
        assert picture.source in str(error.value)


def test_without_graphviz_the_player_keeps_its_words(without):
    without("pygraphviz", "graphviz")
    shown = step_through(diamond().y)
    assert "pip install pygraphviz" in shown.html
    assert shown.html.count("<li data-marks") == 6
    assert "x.grad" not in repr(shown)  # nobody here has called it x
    assert "leaf.grad becomes 40" in repr(shown)


def test_the_systems_dot_is_used_where_pygraphviz_is_missing(without, monkeypatch):
    without("pygraphviz")
    graphviz = pytest.importorskip("graphviz")
    asked = []

    class Source:
        def __init__(self, source):
            self.source = source

        def pipe(self, format):
            asked.append((self.source, format))
            return b"graph 1 2 2\nnode n0 1 1 1 1\nnode v0 1 0.2 1 1\n"

    monkeypatch.setattr(graphviz, "Source", Source)
    x = leaf()
    plan = draw(x).plan
    plan.lines.clear()
    assert "<svg" in drawing.svg(plan)
    assert asked == [(drawing.dot(plan, labels=False), "plain")]


def test_without_the_systems_dot_there_is_the_message(without, monkeypatch):
    without("pygraphviz")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RuntimeError, match="needs Graphviz"):
        draw(diamond().y).html  # noqa: B018


def test_importing_minigrad_imports_nothing_that_draws():
    code = (
        "import sys, minigrad, minigrad.autograd.graph; "
        "print([m for m in ('graphviz', 'pygraphviz', 'matplotlib', 'IPython', "
        "'minigrad.utils.drawing', 'minigrad.utils.player') if m in sys.modules])"
    )
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert found.stdout.strip() == "[]"


# --------------------------------------------------------------------- the pass itself


def state(*tensors):
    """All that a look at a graph might change."""
    found = []
    for node in sorted(every_node(*tensors), key=id):
        slots = [
            s for kind in type(node).__mro__ for s in getattr(kind, "__slots__", ())
        ]
        slots = [s for s in slots if s not in ("__weakref__", "leaf")]
        found.append([(s, id(getattr(node, s, None))) for s in slots])
        found += [getattr(node, s).tobytes() for s in node.saves if hasattr(node, s)]
    return found


def totals(shown):
    """What the mailboxes received, by the tensor."""
    walk = shown.walk
    return {id(node.variable): walk.totals[node] for node in walk.mailboxes}


def test_the_pass_over_the_diamond():
    d = diamond()
    before = state(d.y)
    shown = step_through(d.y, names=vars(d))
    assert totals(shown)[id(d.x)] == 40
    order = [shown.plan.names[step.node] for step in shown.walk.steps]
    assert sorted(order) == ["a", "b", "c", "y"]
    assert order.index("c") < min(order.index("a"), order.index("b"))
    assert [float(s.g) for s in shown.walk.steps if s.node is d.a._node] == [7]
    assert state(d.y) == before
    assert d.x.grad is None


def test_each_node_runs_once_after_all_that_send_to_it():
    x = leaf()
    top = ladder(x, 12)
    steps = player.walk(top._node, np.float32(1.0)).steps
    place = {step.node: k for k, step in enumerate(steps)}
    assert set(place) == {n for n in every_node(top) if n is not x._node}
    for step in steps:
        for node, _ in step.node.next_functions:
            if node is not x._node:
                assert place[node] > place[step.node]


def difference(function, at, weights, h=1e-6):
    slopes = np.zeros_like(at)
    for index in np.ndindex(at.shape):
        step = np.zeros_like(at)
        step[index] = h
        change = function(at + step) - function(at - step)
        slopes[index] = np.sum(weights * change) / (2 * h)
    return slopes


PROGRAMS = {
    "broadcast": lambda x: (x * np.array([[1.0], [2.0]]) + x).tanh(),
    "sum": lambda x: (x * x).sum(),
    "shared": lambda x: x * (x + 1.0) * x,
    "matmul": lambda x: x.reshape(1, 3) @ (x.exp().reshape(3, 1)),
    "division": lambda x: (x + 3.0) / (x * x + 1.0),
    "powers": lambda x: (x * x + 1.0) ** 1.5 - 2.0**x,
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_totals_are_the_gradient(name):
    program, at = PROGRAMS[name], np.array([0.5, -1.0, 2.0])
    x = leaf(at)
    y = program(x)
    weights = np.linspace(1, 2, y.numel()).reshape(y.shape)
    before = state(y)
    shown = step_through(y, torch.tensor(weights))
    numbers = lambda at: program(torch.tensor(at))._array  # noqa: E731
    expected = difference(numbers, at, weights)
    np.testing.assert_allclose(totals(shown)[id(x)], expected, atol=1e-6)
    assert totals(shown)[id(x)].shape == at.shape
    assert state(y) == before


@settings(max_examples=40, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("+*-et"), st.data()), max_size=12))
def test_random_programs(picks):
    x, z = leaf(np.array([0.3, -0.7])), leaf(np.array([1.1]))
    made = [x, z]
    for sign, data in picks:
        a, b = (data.draw(st.sampled_from(range(len(made)))) for _ in range(2))
        a, b = made[a], made[b]
        steps = {"+": a + b, "*": a * b, "-": a - b, "e": a.neg(), "t": a.tanh()}
        made.append(steps[sign])
    y = made[-1].sum()
    before = state(y)
    picture, shown = draw(y, {}), step_through(y, names={}, max_nodes=100)
    assert state(y) == before
    operations = every_node(y) - {x._node, z._node}
    assert len(shown.walk.steps) == len(operations)
    assert forms(picture)["box"] == len(every_node(y))
    assert len(shown.told) == len(operations) + 2


def test_a_failing_rule_leaves_the_graph_as_it_was():
    x = leaf([1.0, 2.0])
    middle = x.exp()
    y = (middle * x).sum()
    good = middle._node.out
    middle._node.out = "no array"
    before = [(n.g, n.uses) for n in every_node(y)]
    with pytest.raises(Exception):  # noqa: B017
        step_through(y)
    assert [(n.g, n.uses) for n in every_node(y)] == before
    middle._node.out = good
    assert totals(step_through(y))[id(x)].shape == (2,)


def test_a_pole_is_met_in_silence():
    x = leaf(0.0)
    y = (x + 0.0) ** -1.0
    assert "x.grad becomes -inf." in repr(step_through(y))


def test_nothing_of_the_graph_is_handed_out_for_writing():
    x = leaf([1.0, 2.0])
    y = x + 1.0
    v = torch.tensor([1.0, 1.0])
    shown = step_through(y, v)
    assert not np.shares_memory(shown.walk.start, v._array)


@pytest.mark.parametrize(
    ("tensor", "gradient", "error", "message"),
    [
        (torch.tensor(1.0), None, RuntimeError, "does not have a grad_fn"),
        (leaf([1.0, 2.0]).exp(), None, RuntimeError, "only for scalar outputs"),
        (leaf().exp(), torch.tensor([1.0]), RuntimeError, "Mismatch in shape"),
        (leaf().exp(), 1.0, TypeError, "must be Tensors, but got float"),
        (ladder(leaf(), 30), None, ValueError, "more than 40 nodes"),
    ],
)
def test_errors_of_the_player(tensor, gradient, error, message):
    with pytest.raises(error, match=message):
        step_through(tensor, gradient)


def test_a_larger_graph_on_request():
    shown = step_through(ladder(leaf(0.1), 30), max_nodes=100)
    assert len(shown.walk.steps) == 60


def test_a_leaf_receives_what_it_is_given():
    x = leaf([1.0, 2.0])
    assert repr(step_through(x, torch.tensor([3.0, 4.0]))).splitlines() == [
        "Backward pass from x, in 2 steps:",
        "  1. Start: AccumulateGrad (x) is given g = [3, 4]",
        "  2. Delivery: the sums go to the leaves",
        "     x.grad becomes [3, 4].",
    ]


def test_what_is_there_already_is_added_to():
    x = leaf()
    x.grad = torch.tensor(1.0)
    y = x * x
    assert "x.grad grows by 4 to 5." in repr(step_through(y))
    assert x.grad.item() == 1


# --------------------------------------------------------------------- the words of it


def test_a_rule_is_quoted_from_its_source():
    rules = {name: primitive.rules for name, primitive in PRIMITIVES.items()}
    assert player.formula(rules["tanh"]["x"]) == "g * (1 - out * out)"
    assert [player.formula(rule) for rule in rules["sub"].values()] == ["g", "-g"]
    for rule in (rule for name in rules for rule in rules[name].values()):
        code = rule.__code__
        if code.co_filename == "<string>":  # written by the package itself
            known = ("cat_part(g, ", "stack_part(g, ", "einsum_rule(g, ")
            assert player.formula(rule).startswith(known)
        elif code.co_name == "<lambda>":
            signature = ", ".join(code.co_varnames[: code.co_argcount])
            quoted = ast.parse(f"lambda {signature}: {player.formula(rule)}")
            assert ast.unparse(quoted) in lambdas(code.co_filename, code.co_firstlineno)


def lambdas(file, line):
    """The lambdas that begin on a line of a file, by the parser."""
    tree = ast.parse(Path(file).read_text(encoding="utf-8"))
    found = (n for n in ast.walk(tree) if isinstance(n, ast.Lambda))
    return [ast.unparse(n) for n in found if n.lineno == line]


def test_a_rule_without_source_is_called_by_name():
    def my_rule(g, x):
        return g

    assert player.formula(my_rule) == "my_rule(g, x)"
    assert player.formula(eval("lambda g, out: g")) == "<lambda>(g, out)"


def test_a_rule_over_several_lines_is_one_line():
    rule = lambda g, x: (  # noqa: E731
        g * x
        + x
    )  # fmt: skip
    assert player.formula(rule) == "g * x + x"


def test_numbers_stand_in_for_names_and_nothing_else():
    text = player.filled("g * (x * out) + np.log(x.T)", {"g": np.array(-1.5), "x": 2.0})
    assert text == "(-1.5) * (2 * out) + np.log(2.T)"
    assert player.filled("x.x + x.g(y)", {"x": 2.0, "g": 1.0}) == "2.x + 2.g(y)"
    assert player.filled("g", {"g": np.array(1.0)}) == ""
    assert player.filled("g * x", {"g": np.zeros(9), "x": np.zeros(9)}) == ""
    shape = {"g": np.array(1.0), "shape": (2, 3), "axis": None}
    assert player.filled("f(g, shape, axis)", shape) == "f(1, (2, 3), None)"


def test_the_story_gives_rule_numbers_sums_and_waits():
    d = diamond()
    assert repr(step_through(d.y, names=vars(d))).splitlines()[1:9] == [
        "  1. Start: AddBackward0 (y) is given g = 1",
        "  2. AddBackward0 (y) runs with g = 1",
        "     To MulBackward0 (c): g = 1.",
        "     To MulBackward0 (a): g = 1; the sum there is 1, 1 still to come.",
        "  3. MulBackward0 (c) runs with g = 1",
        "     To MulBackward0 (b): g * x = 1 * 4 = 4.",
        "     To MulBackward0 (a): g * y = 1 * 6 = 6; the sum there is 7, complete.",
        "  4. MulBackward0 (a) runs with g = 7",
    ]


def test_a_sum_over_copies_is_mentioned():
    x, b = leaf([[1.0], [2.0]]), leaf([10.0, 20.0])
    text = repr(step_through((x * b).sum()))
    assert "g * x = [[1, 1], [1, 1]] * [[1], [2]] = [[1, 1], [2, 2]], summed" in text
    assert "summed over the copies: [3, 3]" in text


# ----------------------------------------------------------------- the page of the pass


def test_the_page_is_modest_deterministic_and_self_contained():
    shown = step_through(network().loss)
    assert len(shown.html) < 80_000
    assert shown.html == step_through(network().loss).html
    assert not re.search(r"(src|href)=|url\(|@import|\bid=|\son\w+=", shown.html)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", shown.html)


def test_the_list_is_open_until_a_script_closes_it():
    page = step_through(diamond().y).html
    assert "<details open>" in page
    assert re.search(r'<div class="mg-stage"[^>]* hidden', page)
    items = re.findall(r"<li data-marks=.*</li>", page)
    assert len(items) == 6
    assert "g * y</code> = <code>1 * 6</code> = <code>6</code>" in items[2]


def test_every_line_and_shape_that_a_frame_speaks_of_is_drawn():
    shown = step_through(network().loss)
    keys = {g.get("data-key") for g in elements(svg_of(shown), "g")}
    lines = svg_of(shown).count('class="mg-line')
    for mark in player.marks(shown.walk, shown.plan):
        assert {*mark["now"], *mark.get("sum", {})} <= keys
        assert all(0 <= line < lines for line in mark.get("send", {}))


def test_what_a_frame_sends_stands_beside_the_right_line():
    x = leaf()
    shown = step_through(x - x)
    assert player.marks(shown.walk, shown.plan)[1]["send"] == {0: "1", 1: "-1"}


def test_the_sums_say_how_many_have_arrived():
    d = diamond()
    shown = step_through(d.y, names=vars(d))
    key = shown.plan.keys[d.x._node]
    marks = player.marks(shown.walk, shown.plan)
    found = [mark["sum"][key] for mark in marks if key in mark.get("sum", {})]
    assert found == ["28 (2 of 3)", "40"]


def svg_of(shown):
    return re.search(r"<svg.*?</svg>", shown.html, re.S)[0]


def test_special_characters_do_no_harm():
    x = leaf()
    y = x.exp()
    page = step_through(y, names={"<b>": x, "a & 'b'": y}).html
    assert "<b>" not in page
    assert "&lt;b&gt;" in page
    assert "a &amp; 'b'" in page or "a &amp; &#x27;b&#x27;" in page


def test_what_has_no_name_is_called_a_tensor():
    x = leaf()
    played, drawn = str(step_through(x * x)), str(draw(x * x))
    assert played.startswith("Backward pass from a tensor, ")
    assert drawn.startswith("Graph of a tensor: ")


def test_one_node_is_the_least_that_can_be_drawn():
    x = leaf()
    assert "MulBackward0" in draw(x * x, max_nodes=1).source
    with pytest.raises(ValueError, match="at least 1, but got 0"):
        draw(x * x, max_nodes=0)


def test_a_function_of_the_users_own_is_drawn():
    class Halves(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x / 2, x / 2

        @staticmethod
        def backward(ctx, g, h):
            return g / 2 + h / 2

    x = torch.ones(3, requires_grad=True)
    a, b = Halves.apply(x * 2)
    said = repr(draw(a + b))
    assert "AddBackward0 (3,) → HalvesBackward, HalvesBackward" in said
    assert "HalvesBackward → MulBackward0" in said
