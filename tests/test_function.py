"""minigrad/autograd/function.py: the programs that it writes, and what they record.

Oracles: `vjp` of chapter 3 for values, the table's own ``needs`` for what is kept, and
weak references, with the garbage collector off, for what is let go.
"""

import ast
import gc
import inspect
import threading
import traceback
import weakref

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import function as recording
from minigrad.autograd.function import fit, misfit, record, set_recording, source
from minigrad.rules import PRIMITIVES, Primitive, define, vjp
from minigrad.tensor import AccumulateGrad, Node, Tensor, mode

NAMES = [
    "neg", "exp", "log", "tanh", "relu", "add", "sub", "mul", "div", "pow", "sum",
    "reshape", "transpose", "broadcast_to", "matmul",
]  # fmt: skip
PARAMS = {
    "sum": {"axis": 1, "keepdims": False},
    "reshape": {"shape": (3, 2)},
    "transpose": {"axes": (1, 0)},
    "broadcast_to": {"shape": (4, 2, 3)},
}
PAIRS = [
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((2, 1), (1, 3)),
    ((), (2, 3)),
    ((2, 3), ()),
    ((), ()),
    ((0, 3), (3,)),
    ((4, 1, 2), (3, 1)),
]
STACKS = [((2, 3), (3, 4)), ((2, 2), (2, 2)), ((5, 2, 3), (3, 4)), ((5, 2, 2), (2, 2))]
rng = np.random.default_rng(55)


def leaf(shape, kind=np.float64, wants=True):
    numbers = np.asarray(rng.uniform(0.5, 2.0, shape)).astype(kind)
    return torch.from_numpy(numbers).requires_grad_(wants)


def recorded(name):
    return record(PRIMITIVES[name], name, f"{name.title()}Backward0")


def one_step(result, g, keep=True):
    """What a node sends back, and which of its targets it declares ready."""
    node, ready = result.grad_fn, []
    node.discover([])
    node.g = g
    node.step(ready, keep)
    posted = []
    for target, _ in node.next_functions:
        posted.append(None if target is None else target.g)
        if target is not None:
            target.g = None
    return posted, ready


def cases():
    for name in NAMES:
        if name == "matmul":
            shapes = STACKS
        elif len(PRIMITIVES[name].rules) == 2:
            shapes = PAIRS
        else:
            shapes = [((2, 3),)] if name in PARAMS else [((2, 3),), ((),), ((0, 3),)]
        for case in shapes:
            yield pytest.param(name, case, id=f"{name} {case}")


@pytest.mark.parametrize("kinds", [(np.float64,) * 2, (np.float32, np.float64)])
@pytest.mark.parametrize(("name", "shapes"), [*cases()])
def test_a_step_agrees_with_vjp(name, shapes, kinds):
    kinds = kinds[:1] * 2 if name == "matmul" else kinds  # it wants one dtype
    operands = [leaf(shape, kind) for shape, kind in zip(shapes, kinds, strict=False)]
    params = PARAMS.get(name, {})
    result = recorded(name)(*operands, *params.values())
    arrays = [np.asarray(x._array) for x in operands]
    out, pull = vjp(name, *(a.astype(result._array.dtype) for a in arrays), **params)
    np.testing.assert_allclose(result._array, out, rtol=1e-6)
    g = np.asarray(rng.standard_normal(out.shape)).astype(out.dtype)
    posted, ready = one_step(result, g)
    for found, expected, array in zip(posted, pull(g), arrays, strict=True):
        assert found.shape == array.shape and found.dtype == array.dtype
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-7)
    assert set(ready) == {x._node for x in operands}


@pytest.mark.parametrize("name", [n for n in NAMES if len(PRIMITIVES[n].rules) == 2])
@pytest.mark.parametrize("wanted", [(True, False), (False, True)])
def test_only_what_a_wanted_rule_reads_is_kept(name, wanted):
    shapes = STACKS[0] if name == "matmul" else PAIRS[0]
    operands = [leaf(s, wants=w) for s, w in zip(shapes, wanted, strict=True)]
    node = recorded(name)(*operands).grad_fn
    needs = list(PRIMITIVES[name].needs.values())
    kept = {s for s in PRIMITIVES[name].saves if hasattr(node, s)}
    read = {x for need, wants in zip(needs, wanted, strict=True) if wants for x in need}
    assert kept == read & set(PRIMITIVES[name].saves)
    links = [target for target, _ in node.next_functions]
    assert links == [x._node for x in operands]
    result = recorded(name)(*operands)
    posted, _ = one_step(result, np.ones(result._array.shape))
    assert [p is not None for p in posted] == list(wanted)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_recorded_where_nobody_asks(name):
    shapes = STACKS[0] if name == "matmul" else ((2, 3),) * len(PRIMITIVES[name].rules)
    result = recorded(name)(
        *(leaf(s, wants=False) for s in shapes), *PARAMS.get(name, {}).values()
    )
    assert result.grad_fn is None and result.is_leaf and not result.requires_grad


@pytest.mark.parametrize("name", NAMES)
def test_results_and_nodes_go_with_their_last_name(name):
    shapes = STACKS[0] if name == "matmul" else ((2, 3),) * len(PRIMITIVES[name].rules)
    operands = [leaf(s) for s in shapes]
    gc.disable()
    try:
        result = recorded(name)(*operands, *PARAMS.get(name, {}).values())
        watches = [weakref.ref(result), weakref.ref(result.grad_fn)]
        del result
        assert [watch() for watch in watches] == [None, None]
    finally:
        gc.enable()


def test_nodes_keep_no_tensors():
    x = leaf((2, 3))
    for name in NAMES[:10]:
        count = len(PRIMITIVES[name].rules)
        node = recorded(name)(*[x] * count).grad_fn
        slots = [
            s for kind in type(node).__mro__ for s in getattr(kind, "__slots__", ())
        ]
        values = [getattr(node, s, None) for s in slots if not s.startswith("__")]
        assert not any(isinstance(value, Tensor) for value in values)


@pytest.mark.parametrize("name", sorted(PRIMITIVES))
def test_the_text_is_python_and_says_what_the_table_says(name):
    primitive = PRIMITIVES[name]
    text = source(primitive, "operation", "SomeBackward0")
    make = ast.parse(text).body[0]
    node = next(part for part in make.body if isinstance(part, ast.ClassDef))
    values = {
        part.targets[0].id: ast.literal_eval(part.value)
        for part in node.body
        if isinstance(part, ast.Assign)
    }
    assert values["links"] == tuple(f"next{k}" for k in range(len(primitive.rules)))
    assert values["saves"] == primitive.saves
    assert set(primitive.saves) <= set(values["__slots__"])
    call = next(part for part in make.body if isinstance(part, ast.FunctionDef))
    given = [argument.arg for argument in call.args.args]
    assert given[len(primitive.rules) :] == list(primitive.params)
    assert ("FREED" in text) == bool(primitive.saves)


def test_a_recorded_function_introduces_itself():
    tanh = recorded("tanh")
    assert tanh.__name__ == tanh.__qualname__ == "tanh"
    assert inspect.getsource(tanh).lstrip().startswith("def tanh(input):")
    node = tanh(leaf(())).grad_fn
    assert isinstance(node, Node) and node.name() == "TanhBackward0"
    assert type(node).primitive is PRIMITIVES["tanh"]
    assert isinstance(type(node).primitive, Primitive)


def test_a_traceback_shows_the_generated_line():
    define("broken", lambda x: x + 0, x=lambda g: g.nonsense)
    try:
        result = recorded("broken")(leaf(()))
    finally:
        del PRIMITIVES["broken"]
    with pytest.raises(AttributeError) as caught:
        one_step(result, np.float64(1))
    frames = traceback.extract_tb(caught.tb)
    assert any(f.filename == "<minigrad BrokenBackward0>" for f in frames)
    assert any("rule0(g)" in f.line for f in frames)


# ------------------------------------------------------------------ discover and step


def test_discover_counts_and_step_delivers():
    x = leaf(())
    exp, tanh, add = recorded("exp"), recorded("tanh"), recorded("add")
    a, b = exp(x), tanh(x)
    result = add(a, b)
    found = []
    result.grad_fn.discover(found)
    assert found == [a.grad_fn, b.grad_fn]
    for node in found:
        node.discover(more := [])
    assert x._node.uses == 2 and more == []  # met before, so not found again
    result.grad_fn.g, ready = np.float64(1.0), []
    result.grad_fn.step(ready, True)
    assert set(ready) == {a.grad_fn, b.grad_fn}
    assert result.grad_fn.g is None
    ready.clear()
    a.grad_fn.step(ready, True)
    assert ready == [] and x._node.uses == 1  # x waits for the other
    x._node.g = None
    b.grad_fn.step(ready, True)
    assert ready == [x._node] and x._node.uses == 0
    x._node.g = None


def test_nothing_is_sent_to_a_node_that_waits_for_nothing():
    x, y = leaf((3,)), leaf((3,))
    node = recorded("mul")(x, y).grad_fn
    node.discover([])
    y._node.uses = 0  # a pass that is not interested in y
    node.g = np.ones(3)
    node.step(ready := [], True)
    assert y._node.g is None and x._node.g is not None and ready == [x._node]
    x._node.g = None


def test_the_same_operand_twice_is_linked_twice():
    x = leaf(())
    (first, _), (second, _) = recorded("mul")(x, x).grad_fn.next_functions
    assert first is second is x._node and type(first) is AccumulateGrad


# ------------------------------------------------------------------ fitting


def test_misfit_and_fit():
    z = np.ones((2, 3), np.float32)
    assert misfit(torch.ones(2, 3), z) is None
    assert misfit(torch.ones(3), z) == ((3,), np.float32)
    assert misfit(torch.ones(2, 3, dtype=torch.float64), z) == ((2, 3), np.float64)
    assert fit(z, ((3,), np.dtype(np.float32))).tolist() == [2, 2, 2]
    found = fit(z, ((2, 1), np.dtype(np.float64)))
    assert found.tolist() == [[3], [3]] and found.dtype == np.float64
    assert fit(z, ((2, 3), np.dtype(np.float32))) is z


@pytest.mark.parametrize("name", ["exp", "log", "tanh"])
@pytest.mark.parametrize("kind", [np.int64, np.int32, np.int8, np.uint8, np.bool_])
def test_floats_made_of_integers_are_computed_in_float32(name, kind):
    numbers = np.array([1, 0, 1]).astype(kind)
    result = recorded(name)(torch.from_numpy(numbers))
    assert result.dtype is torch.float32
    with np.errstate(all="ignore"):
        expected = PRIMITIVES[name].forward(numbers.astype(np.float32))
    np.testing.assert_array_equal(result._array, expected)


# ------------------------------------------------------------------ switching off


def test_recording_is_switched_for_one_thread():
    x, exp, seen = leaf(()), recorded("exp"), []
    before = recording.special
    assert set_recording(False) is True
    try:
        assert recording.special == before + 1
        assert exp(x).grad_fn is None

        def elsewhere():
            seen.append(mode.recording)
            seen.append(exp(x).grad_fn is not None)

        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
        assert seen == [True, True]
        assert set_recording(False) is False  # twice off counts once
        assert recording.special == before + 1
    finally:
        set_recording(True)
    assert recording.special == before
    assert exp(x).grad_fn is not None


# ------------------------------------------------------------------ large sums


def test_a_large_sum_grows_where_it_stands():
    x, v = leaf((100, 100)), np.ones((100, 100))
    two, three = (torch.full((100, 100), k, dtype=torch.float64) for k in (2.0, 3.0))
    steps = [recorded("mul")(x, c).grad_fn for c in (two, three)]
    for node in steps:
        node.discover([])
        node.g = v
    steps[0].step([], True)
    address = x._node.g.__array_interface__["data"][0]
    steps[1].step([], True)
    assert x._node.g.__array_interface__["data"][0] == address
    assert np.all(x._node.g == 5) and np.all(v == 1)
    x._node.g = None


def test_merge_and_own_leave_alone_what_is_not_theirs():
    node = Node()
    node.g = np.ones(10_000)
    address = node.g.__array_interface__["data"][0]
    node.g = recording.own(node.g)  # nobody else has it: no copy
    assert node.g.__array_interface__["data"][0] == address
    node.g.flags.writeable = False  # a rule may return what it must not change
    node.g = recording.merge(node.g, np.ones(10_000))
    assert node.g.flags.writeable and np.all(node.g == 2)
    node.g.flags.writeable = False
    found = recording.own(node.g)  # (an assert would hold the array as well)
    assert found is not node.g and found.flags.writeable
    base = np.ones(20_000)
    node.g = base[:10_000]
    node.g = recording.merge(node.g, np.ones(10_000))
    assert np.all(base == 1) and np.all(node.g == 2)


def test_reasons_to_look_twice_are_counted_by_one_thread_at_a_time():
    before = recording.special

    def work():
        set_recording(False)
        set_recording(True)

    thread = threading.Thread(target=work)
    with recording._lock:
        thread.start()
        thread.join(0.2)
        assert thread.is_alive() and recording.special == before
    thread.join(20)
    assert not thread.is_alive() and recording.special == before


def test_the_source_of_a_recorded_function_is_part_of_the_text():
    shown = inspect.getsource(recorded("tanh"))
    assert shown.count("\n") > 10
    assert shown in source(PRIMITIVES["tanh"], "tanh", "TanhBackward0")
