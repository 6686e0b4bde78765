"""The rules of minigrad/rules.py against independent oracles.

Oracles: the complex step (exact to rounding, and no finite difference), central
differences from chapter 1, values recorded from PyTorch, and the adjoint identity
⟨u, Jv⟩ = ⟨Jᵀu, v⟩. The oracles themselves are tested: each rule is broken in several
ways, and every broken rule must be noticed.
"""

import gc
import inspect
import json
import weakref
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, mutually_broadcastable_shapes

from minigrad.numerical import numerical_vjp
from minigrad.rules import PRIMITIVES, Primitive, define, unbroadcast, vjp

# The table of Chapter 3. Later chapters add to it, and have tests of their own.
CHAPTER = {
    name: primitive
    for name, primitive in PRIMITIVES.items()
    if next(iter(primitive.rules.values())).__module__ == "minigrad.rules"
}
RECORDED = json.loads(
    Path(__file__).parent.joinpath("reference/rules.json").read_text()
)

# ------------------------------------------------------------------ the test table

ONE = [((),), ((1,),), ((3,),), ((2, 3),), ((0,),), ((0, 3),)]
TWO = [
    ((), ()),
    ((3,), (3,)),
    ((2, 3), (2, 3)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((2, 1), (2, 3)),
    ((), (2, 3)),
    ((2, 2), ()),
    ((1, 1), ()),
    ((4, 1, 2), (3, 1)),
    ((1,), (1, 1)),
    ((0,), (0,)),
    ((0, 3), (3,)),
    ((1,), (0,)),
]
UNARY, BINARY = (
    ("neg", "exp", "log", "tanh", "relu"),
    ("add", "sub", "mul", "div", "pow"),
)

# primitive -> rows of (shapes of the operands, parameters)
TABLE = {name: [(shapes, {}) for shapes in ONE] for name in UNARY}
TABLE |= {name: [(shapes, {}) for shapes in TWO] for name in BINARY}
TABLE["sum"] = [
    ((shape,), {"axis": axis, "keepdims": keepdims})
    for shape in [(2, 3, 4), (2, 2, 2), (1, 3, 1), (0, 3, 2)]
    for axis in [None, 0, 1, 2, -1, -3, (0,), (0, 2), (-1, 0), (1, -1), (0, 1, 2)]
    for keepdims in (False, True)
] + [
    (((),), {}),
    (((),), {"axis": None, "keepdims": True}),
    (((),), {"axis": 0}),
    (((),), {"axis": -1, "keepdims": True}),
    (((0,),), {}),
    (((3,),), {"axis": 0}),
    (((2, 3),), {"axis": ()}),
    (((2, 3),), {"axis": np.int64(1)}),
]
TABLE["reshape"] = [
    ((shape,), {"shape": target})
    for shape, target in [
        ((2, 3), (3, 2)),
        ((2, 3), (6,)),
        ((2, 3), 6),
        ((2, 3), (-1, 2)),
        ((2, 3), (1, 2, 1, 3)),
        ((), (1, 1)),
        ((1, 1), ()),
        ((0, 3), (0,)),
        ((0, 3), (3, 0, 2)),
    ]
]
TABLE["transpose"] = [
    ((shape,), {"axes": axes})
    for shape, axes in [
        ((2, 3), None),
        ((2, 3), (0, 1)),
        ((2, 3), (1, 0)),
        ((2, 3), (-1, 0)),
        ((2, 3, 4), (2, 0, 1)),
        ((2, 3, 4), (1, 2, 0)),
        ((2, 3, 4), (-1, 0, 1)),
        ((2, 3, 4), None),
        ((2, 2, 2), (2, 0, 1)),
        ((), ()),
        ((0, 3), (1, 0)),
    ]
] + [(((2, 3),), {})]
TABLE["broadcast_to"] = [
    ((shape,), {"shape": target})
    for shape, target in [
        ((3,), (2, 3)),
        ((2, 1), (2, 3)),
        ((2, 1), (4, 2, 3)),
        ((), (2, 2)),
        ((1,), (0,)),
        ((1, 1), (2, 2)),
        ((2, 3), (2, 3)),
        ((), ()),
        ((3,), (0, 3)),
        ((0, 1), (0, 3)),
    ]
]
TABLE["matmul"] = [
    (shapes, {})
    for shapes in [
        ((2, 3), (3, 4)),
        ((3, 3), (3, 3)),
        ((1, 3), (3, 1)),
        ((5, 2, 3), (3, 4)),
        ((2, 3), (5, 3, 4)),
        ((5, 2, 3), (5, 3, 4)),
        ((1, 2, 3), (5, 3, 4)),
        ((4, 1, 2, 3), (5, 3, 2)),
        ((2, 0), (0, 3)),
        ((0, 2), (2, 3)),
        ((0, 2, 3), (3, 2)),
    ]
]
ROWS = [(name, *row) for name, rows in TABLE.items() for row in rows]


def label(row):
    name, shapes, params = row
    shown = " ".join(str(shape).replace(" ", "") for shape in shapes)
    return f"{name}-{shown}" + "".join(f"-{k}={v}" for k, v in params.items())


rows = pytest.mark.parametrize("row", ROWS, ids=label)


def sample(name, shapes, dtype=np.float64, seed=3):
    """Operands away from kinks and poles: sizes from 0.5 to 2, signs where allowed."""
    rng = np.random.default_rng(seed)
    operands = [rng.uniform(0.5, 2.0, shape) for shape in shapes]
    if name not in ("log", "pow"):
        operands = [x * rng.choice([-1.0, 1.0], x.shape) for x in operands]
    return [np.asarray(x, dtype=dtype) for x in operands], rng


def cotangent_for(out, rng):
    return np.asarray(rng.standard_normal(np.shape(out)), dtype=out.dtype)


# ---------------------------------------------------------------------- the oracles


def complex_jacobian(function, operands, k):
    """∂function/∂operands[k], shape out.shape + x.shape, by the complex step."""
    x = operands[k]
    columns = []
    for unit in np.eye(x.size).reshape(x.size, *x.shape):
        moved = [*operands]
        moved[k] = x + 1e-200j * unit
        columns.append(np.imag(function(*moved)) / 1e-200)
    out_shape = np.shape(function(*operands))
    return (
        np.stack(columns, axis=-1).reshape(out_shape + x.shape)
        if columns
        else (np.zeros(out_shape + x.shape))
    )


def relu(x):
    """relu for complex steps, whose sign is that of the real part."""
    return np.where(np.real(x) > 0, x, 0.0)


def expected_cotangents(name, operands, params, g):
    forward = relu if name == "relu" else CHAPTER[name].forward
    function = lambda *xs: forward(*xs, **params)  # noqa: E731
    return [
        np.tensordot(g, complex_jacobian(function, operands, k), axes=np.ndim(g))
        for k in range(len(operands))
    ]


def mistakes(primitive, row):
    """Which operands of a row get a wrong cotangent; empty when the rules are right."""
    _, shapes, params = row
    operands, rng = sample(primitive.name, shapes)
    out, pull = vjp(primitive, *operands, **params)
    g = cotangent_for(out, rng)
    expected = expected_cotangents(primitive.name, operands, params, g)
    found = pull(g)
    assert isinstance(found, tuple)
    assert len(found) == len(operands)
    return [
        operand
        for operand, a, b in zip(primitive.rules, found, expected, strict=True)
        if a.shape != b.shape or not np.allclose(a, b, rtol=1e-11, atol=1e-12)
    ]


# ------------------------------------------------------------------------- coverage


def test_every_primitive_has_rows_in_the_table():
    assert sorted(TABLE) == sorted(CHAPTER)
    assert len(CHAPTER) == 15


def test_every_primitive_is_recorded_from_pytorch():
    assert {case["primitive"] for case in RECORDED["cases"]} == set(CHAPTER)
    assert set(RECORDED["saved"]) == set(CHAPTER)


@pytest.mark.parametrize("name", CHAPTER)
def test_the_table_tries_hard_shapes(name):
    shapes = [shape for row in TABLE[name] for shape in row[0]]
    assert any(0 in shape for shape in shapes), "no empty operand"
    if name != "matmul":
        assert () in shapes, "no 0-d operand"


# -------------------------------------------------------------------- forward, rules

FORWARD = {
    "neg": lambda x: 0 - x,
    "exp": lambda x: np.e**x,
    "log": lambda x: np.log2(x) / np.log2(np.e),
    "tanh": lambda x: np.sinh(x) / np.cosh(x),
    "relu": lambda x: (x + abs(x)) / 2,
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x * y**-1,
    "pow": lambda x, y: np.exp(y * np.log(x)),
    "sum": np.sum,
    "reshape": np.reshape,
    "transpose": np.transpose,
    "broadcast_to": np.broadcast_to,
    "matmul": lambda x, y: np.einsum("...ij,...jk->...ik", x, y),
}


@rows
def test_forward(row):
    name, shapes, params = row
    operands, _ = sample(name, shapes)
    out, _ = vjp(name, *operands, **params)
    expected = FORWARD[name](*operands, **params)
    assert np.shape(out) == np.shape(expected)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-14)


@rows
def test_rule_agrees_with_the_complex_step(row):
    assert mistakes(CHAPTER[row[0]], row) == []


@rows
def test_rule_agrees_with_chapter_1(row):
    name, shapes, params = row
    operands, rng = sample(name, shapes)
    out, pull = vjp(name, *operands, **params)
    g = cotangent_for(out, rng)
    for k, found in enumerate(pull(g)):

        def only(x, k=k):
            return vjp(name, *operands[:k], x, *operands[k + 1 :], **params)[0]

        expected = numerical_vjp(only, operands[k], g)
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-7)


@rows
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dtypes_and_shapes(row, dtype):
    name, shapes, params = row
    exact, rng = sample(name, shapes)
    g = cotangent_for(vjp(name, *exact, **params)[0], rng)
    operands = [np.asarray(x, dtype=dtype) for x in exact]
    out, pull = vjp(name, *operands, **params)
    assert out.dtype == dtype
    wanted = vjp(name, *exact, **params)[1](g)
    for x, found, expected in zip(operands, pull(g.astype(dtype)), wanted, strict=True):
        assert found.shape == x.shape
        assert found.dtype == dtype
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@rows
def test_nothing_is_written_into(row):
    name, shapes, params = row
    operands, rng = sample(name, shapes)
    out, pull = vjp(name, *operands, **params)
    g = cotangent_for(out, rng)
    for array in (*operands, g):
        array.setflags(write=False)
    first = [np.array(c) for c in pull(g)]
    second = pull(g)
    for a, b in zip(first, second, strict=True):
        np.testing.assert_array_equal(a, b)


def test_non_contiguous_operands():
    x = np.arange(24.0).reshape(4, 6)[::2, ::-2]
    out, pull = vjp("mul", x, x.T.copy().T)
    np.testing.assert_array_equal(out, x * x)
    np.testing.assert_array_equal(pull(np.ones(x.shape))[0], x)
    out, pull = vjp("reshape", x.T, shape=(6,))
    np.testing.assert_array_equal(pull(np.arange(6.0))[0], np.arange(6.0).reshape(3, 2))


def test_numpy_scalars_and_numbers():
    out, pull = vjp("mul", np.float32(3), 2)
    assert out.dtype == np.float32
    assert [c.dtype for c in pull(1)] == [np.float32, np.float32]
    assert [float(c) for c in pull(1)] == [2.0, 3.0]
    out, pull = vjp("pow", 3, 2)
    assert out.dtype == np.float64
    assert float(pull(1.0)[0]) == 6.0
    out, pull = vjp("add", np.ones(2, np.float32), 0.1)
    assert out.dtype == np.float32
    assert pull([1, 2])[1].shape == ()
    for name in (*UNARY, "sum"):
        out, pull = vjp(name, np.float32(1.5))
        assert (out.dtype, pull(np.float32(1))[0].dtype) == (np.float32, np.float32)


def test_a_mixed_product_gives_each_operand_its_own_dtype_back():
    x, y = np.ones(3, np.float32), np.ones(3, np.float64)
    found = [str(c.dtype) for c in vjp("mul", x, y)[1](np.ones(3))]
    assert found == RECORDED["dtypes of a mixed product"]


def test_the_cotangent_is_taken_in_the_dtype_of_the_result():
    pull = vjp("add", np.ones(3, np.float32), np.ones(3, np.float32))[1]
    assert {c.dtype for c in pull(np.array([1, 2, 3]))} == {np.dtype(np.float32)}
    assert {c.dtype for c in pull(np.ones(3))} == {np.dtype(np.float32)}


# -------------------------------------------------------------------------- PyTorch


def pytorch_case(case):
    return f"{case['primitive']}-{case['dtype']}-{case['out_shape']}"


@pytest.mark.parametrize("case", RECORDED["cases"], ids=pytorch_case)
def test_values_recorded_from_pytorch(case):
    name, dtype = case["primitive"], np.dtype(case["dtype"])
    params = {
        k: tuple(v) if isinstance(v, list) else v for k, v in case["params"].items()
    }
    operands = [np.array(x, dtype=float).astype(dtype) for x in case["operands"]]
    out, pull = vjp(name, *operands, **params)
    assert np.shape(out) == tuple(case["out_shape"])
    g = np.arange(1, np.size(out) + 1, dtype=dtype).reshape(np.shape(out))
    compare(out, case["out"], dtype)
    for x, found, expected in zip(operands, pull(g), case["cotangents"], strict=True):
        assert found.shape == x.shape
        compare(found, expected, dtype)


def compare(found, expected, dtype):
    expected = np.array(expected, dtype=float).reshape(np.shape(found))
    rtol = 1e-12 if dtype == np.float64 else 2e-6
    np.testing.assert_allclose(np.asarray(found, float), expected, rtol=rtol, atol=0)


@pytest.mark.parametrize("name", CHAPTER)
def test_what_is_kept_is_what_pytorch_keeps(name):
    primitive, recorded = CHAPTER[name], RECORDED["saved"][name]
    assert list(primitive.saves) == recorded["".join(primitive.rules)]
    arrays = {*primitive.rules, "out"}
    for operand, needs in primitive.needs.items():
        ours = arrays.intersection(needs)
        if name == "pow" and operand == "x":  # PyTorch keeps the result here as well
            assert ours == {"x", "y"} <= set(recorded[operand])
        else:
            assert ours == set(recorded[operand])


SAVES = {
    "neg": (),
    "exp": ("out",),
    "log": ("x",),
    "tanh": ("out",),
    "relu": ("out",),
    "add": (),
    "sub": (),
    "mul": ("x", "y"),
    "div": ("x", "y"),
    "pow": ("x", "y", "out"),
    "sum": (),
    "reshape": (),
    "transpose": (),
    "broadcast_to": (),
    "matmul": ("x", "y"),
}


def test_saves_of_every_primitive():
    assert {name: primitive.saves for name, primitive in CHAPTER.items()} == SAVES


@pytest.mark.parametrize("name", CHAPTER)
def test_pull_keeps_the_arrays_in_saves_and_no_others(name):
    shapes, params = TABLE[name][3]
    operands, _ = sample(name, shapes)
    names = CHAPTER[name].rules
    watched = {k: weakref.ref(x) for k, x in zip(names, operands, strict=True)}
    gc.disable()
    try:
        out, pull = vjp(name, *operands, **params)
        g = np.ones(np.shape(out))
        if isinstance(out, np.ndarray) and out.base is None:
            watched["out"] = weakref.ref(out)
        del operands, out
        alive = {k for k, reference in watched.items() if reference() is not None}
        assert alive == set(CHAPTER[name].saves) & set(watched)
        pull(g)
        del pull
        assert not any(reference() is not None for reference in watched.values())
    finally:
        gc.enable()


# ---------------------------------------------------------------- the adjoint property


def jvp(function, operands, tangents):
    """J v, exactly: one complex step along all operands at once."""
    moved = [x + 1e-200j * v for x, v in zip(operands, tangents, strict=True)]
    return np.imag(function(*moved)) / 1e-200


def assert_adjoint(name, operands, params, rng):
    forward = relu if name == "relu" else CHAPTER[name].forward
    out, pull = vjp(name, *operands, **params)
    u = cotangent_for(out, rng)
    v = [rng.standard_normal(x.shape) for x in operands]
    pushed = jvp(lambda *xs: forward(*xs, **params), operands, v)
    left = np.vdot(u, pushed)
    right = sum(np.vdot(c, t) for c, t in zip(pull(u), v, strict=True))
    size = 1 + np.abs(u).sum() * np.abs(pushed).max(initial=0)
    assert abs(left - right) <= 1e-11 * size


seeds = st.integers(0, 2**32 - 1)
shapes = array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4)


@settings(deadline=None, max_examples=60)
@given(st.sampled_from(UNARY), shapes, seeds)
def test_adjoint_unary(name, shape, seed):
    operands, rng = sample(name, [shape], seed=seed)
    assert_adjoint(name, operands, {}, rng)


@settings(deadline=None, max_examples=100)
@given(
    st.sampled_from(BINARY),
    mutually_broadcastable_shapes(num_shapes=2, max_dims=4, min_side=0, max_side=4),
    seeds,
)
def test_adjoint_binary(name, broadcastable, seed):
    operands, rng = sample(name, broadcastable.input_shapes, seed=seed)
    assert_adjoint(name, operands, {}, rng)


@settings(deadline=None, max_examples=60)
@given(
    mutually_broadcastable_shapes(
        signature=np.matmul.signature.replace("?", ""), max_dims=3
    ),
    seeds,
)
def test_adjoint_matmul(broadcastable, seed):
    operands, rng = sample("matmul", broadcastable.input_shapes, seed=seed)
    assert_adjoint("matmul", operands, {}, rng)


@settings(deadline=None, max_examples=100)
@given(st.data(), shapes, seeds, st.booleans())
def test_adjoint_sum(data, shape, seed, keepdims):
    each = st.integers(0, max(len(shape) - 1, 0))
    axes = data.draw(st.sets(each, max_size=len(shape))) if shape else set()
    signs = data.draw(st.lists(st.booleans(), min_size=len(axes), max_size=len(axes)))
    axis = tuple(k - len(shape) if s else k for k, s in zip(axes, signs, strict=True))
    operands, rng = sample("sum", [shape], seed=seed)
    assert_adjoint("sum", operands, {"axis": axis, "keepdims": keepdims}, rng)
    assert_adjoint("sum", operands, {"axis": None, "keepdims": keepdims}, rng)


@settings(deadline=None, max_examples=100)
@given(st.data(), shapes, seeds)
def test_adjoint_of_moving_elements(data, shape, seed):
    operands, rng = sample("reshape", [shape], seed=seed)
    axes = data.draw(st.permutations(range(len(shape))))
    axes = tuple(k - len(shape) if data.draw(st.booleans()) else k for k in axes)
    assert_adjoint("transpose", operands, {"axes": axes}, rng)
    assert_adjoint("reshape", operands, {"shape": shape[::-1]}, rng)
    assert_adjoint("reshape", operands, {"shape": (*shape, 1)}, rng)
    lead = data.draw(array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    free = st.integers(0, 3)
    target = lead + tuple(data.draw(free) if n == 1 else n for n in shape)
    assert_adjoint("broadcast_to", operands, {"shape": target}, rng)


# --------------------------------------------------------------------- polymorphism


class Duck(np.lib.mixins.NDArrayOperatorsMixin):
    """Like an array for NumPy's protocols; refuses to become one."""

    def __init__(self, value, notes):
        self.value, self.notes = value, notes
        self.shape, self.dtype, self.ndim = value.shape, value.dtype, value.ndim

    @property
    def mT(self):  # noqa: N802
        return np.transpose(self, (*range(self.ndim - 2), self.ndim - 1, self.ndim - 2))

    def __array__(self, *args, **kwargs):
        raise AssertionError("a rule turned its operand into an ndarray")

    def __iadd__(self, other):
        raise AssertionError("a rule changed its operand in place")

    __isub__ = __imul__ = __itruediv__ = __iadd__

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        assert method == "__call__"
        assert "out" not in kwargs
        return self.__array_function__(ufunc, (), inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        self.notes.append(function)
        values = [a.value if isinstance(a, Duck) else a for a in args]
        return Duck(function(*values, **kwargs), self.notes)


COMPARISONS = {np.equal, np.not_equal, np.greater, np.greater_equal, np.less}
FUNCTIONS = {np.sum, np.reshape, np.transpose, np.broadcast_to, np.matmul, np.maximum}
CLOSED = FUNCTIONS | COMPARISONS | {p.forward for p in CHAPTER.values()}


@rows
def test_rules_run_on_anything_that_speaks_numpys_protocols(row):
    name, shapes, params = row
    operands, rng = sample(name, shapes)
    notes = []
    out, pull = vjp(name, *(Duck(x, notes) for x in operands), **params)
    g = rng.standard_normal(out.shape)
    found = pull(Duck(np.asarray(g), notes))
    expected = vjp(name, *operands, **params)[1](g)
    for duck, array in zip(found, expected, strict=True):
        assert type(duck) is Duck, "an ndarray leaked out of a rule"
        np.testing.assert_array_equal(duck.value, array)
    assert set(notes) <= CLOSED, "a rule uses a function that has no rule"


PARAMETER = {"reshape": "shape", "transpose": "axes", "broadcast_to": "shape"}


class Traced(np.lib.mixins.NDArrayOperatorsMixin):
    """A toy tensor: enough of a tape to differentiate what a rule computes."""

    functions = {p.forward: name for name, p in CHAPTER.items()} | {
        np.sum: "sum",
        np.reshape: "reshape",
        np.transpose: "transpose",
        np.broadcast_to: "broadcast_to",
        np.matmul: "matmul",
    }

    def __init__(self, value, tape):
        self.value, self.tape = np.asarray(value), tape
        self.shape, self.dtype, self.ndim = value.shape, value.dtype, value.ndim

    mT = Duck.mT  # noqa: N815

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return self.__array_function__(ufunc, (), inputs, kwargs)

    def __array_function__(self, function, types, args, kwargs):
        if function in COMPARISONS:
            return function(*(a.value if isinstance(a, Traced) else a for a in args))
        name = self.functions[function]
        if name in PARAMETER:
            args, kwargs = args[:1], {PARAMETER[name]: args[1]}
        values = [a.value if isinstance(a, Traced) else np.float64(a) for a in args]
        out, pull = vjp(name, *values, **kwargs)
        result = Traced(out, self.tape)
        self.tape.append((result, pull, args))
        return result

    def gradients(self, weights, wanted):
        arrived = {id(self): weights}
        for result, pull, operands in reversed(self.tape):
            if id(result) in arrived:
                for operand, c in zip(operands, pull(arrived[id(result)]), strict=True):
                    arrived[id(operand)] = arrived.get(id(operand), 0.0) + c
        return [arrived.get(id(x), np.zeros(x.shape)) for x in wanted]


@pytest.mark.parametrize("row", [r for r in ROWS if r[0] != "relu"], ids=label)
def test_rules_can_be_differentiated_by_the_rules(row):
    """The gradient of a cotangent, from the rule's own text, against chapter 1.

    Not for relu: its forward function, maximum, is no primitive of this chapter.
    """
    name, shapes, params = row
    operands, rng = sample(name, shapes)
    primitive = CHAPTER[name]
    out, _ = vjp(name, *operands, **params)
    inputs = [cotangent_for(out, rng), *operands]
    for k, operand in enumerate(primitive.rules):

        def cotangent(g, *xs, operand=operand, k=k):
            result = primitive.forward(*xs, **params)
            scope = {**primitive.params, **params, "out": result}
            for key, x in zip(primitive.rules, xs, strict=True):
                scope |= {key: x, f"{key}_shape": x.shape}
            rule = primitive.rules[operand]
            found = rule(g, *(scope[need] for need in primitive.needs[operand]))
            return unbroadcast(found, xs[k].shape)

        tape = []
        traced = [Traced(x, tape) for x in inputs]
        result = cotangent(*traced)
        weights = rng.standard_normal(result.shape)
        for j, found in enumerate(result.gradients(weights, traced)):

            def only(x, j=j, cotangent=cotangent):
                return cotangent(*inputs[:j], x, *inputs[j + 1 :])

            expected = numerical_vjp(only, inputs[j], weights)
            np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


# ----------------------------------------------------------------------- unbroadcast


@settings(deadline=None, max_examples=100)
@given(st.data(), shapes, seeds)
def test_unbroadcast_is_the_transpose_of_broadcasting(data, shape, seed):
    lead = data.draw(array_shapes(min_dims=0, max_dims=2, min_side=0, max_side=3))
    target = lead + tuple(data.draw(st.integers(0, 3)) if n == 1 else n for n in shape)
    rng = np.random.default_rng(seed)
    u, v = rng.standard_normal(target), rng.standard_normal(shape)
    summed = unbroadcast(u, shape)
    assert summed.shape == shape
    np.testing.assert_allclose(
        np.vdot(u, np.broadcast_to(v, target)), np.vdot(summed, v)
    )


def test_unbroadcast_returns_what_fits_as_it_is():
    g = np.ones((2, 3))
    assert unbroadcast(g, (2, 3)) is g


@pytest.mark.parametrize(
    ("shape", "target"),
    [((2,), (3,)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((3, 1), (3,)), ((2,), (2, 3))],
)
def test_unbroadcast_refuses_shapes_that_do_not_broadcast(shape, target):
    with pytest.raises(RuntimeError, match="does not broadcast") as caught:
        unbroadcast(np.ones(target), shape)
    assert str(shape) in str(caught.value)
    assert str(target) in str(caught.value)


# --------------------------------------------------------------------- corner cases


def test_kinks_and_flat_places_in_words():
    zero = np.zeros(())
    assert vjp("relu", zero)[1](1.0)[0] == 0.0
    base, exponent = vjp("pow", 0.0, 0.0)[1](1.0)
    assert (base, exponent) == (0.0, 0.0)
    assert vjp("pow", -2.0, 3.0)[1](1.0)[0] == 12.0
    assert np.isnan(vjp("pow", -2.0, 3.0)[1](1.0)[1])
    assert vjp("pow", 0.0, 2.0)[1](1.0)[1] == 0.0
    assert vjp("log", 0.0)[0] == -np.inf
    assert vjp("div", 1.0, 0.0)[0] == np.inf


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_no_warning_leaks(dtype, recwarn):
    x = np.array([0.0, -1.0, 1.0, np.inf, np.nan, 1e30], dtype=dtype)
    for name, primitive in CHAPTER.items():
        if name in UNARY + BINARY:
            vjp(name, *[x] * len(primitive.rules))[1](x)
    assert not recwarn.list


def test_the_error_state_of_the_caller_is_restored():
    with np.errstate(divide="raise"):
        vjp("log", 0.0)[1](1.0)
        assert np.geterr()["divide"] == "raise"


# ---------------------------------------------------------------------------- errors


def test_shape_of_the_cotangent():
    recorded = RECORDED["errors"]["wrong shape"]
    with pytest.raises(RuntimeError) as caught:
        vjp("exp", np.ones(3))[1](np.ones(2))
    plain = recorded["message"].replace("torch.Size([2])", "(2,)")
    assert recorded["type"] == "RuntimeError"
    assert str(caught.value) == plain.replace("torch.Size([3])", "(3,)")
    for wrong in (1.0, np.ones((3, 1)), np.ones((1, 3)), np.ones(0)):
        with pytest.raises(RuntimeError, match="Mismatch in shape"):
            vjp("exp", np.ones(3))[1](wrong)


@pytest.mark.parametrize("bad", [np.arange(3), np.array([True]), np.ones(3, complex)])
def test_only_floating_point_operands(bad):
    with pytest.raises(RuntimeError, match=f"floating-point.*{bad.dtype}"):
        vjp("exp", bad)
    with pytest.raises(RuntimeError, match=r"^mul: "):
        vjp("mul", np.ones(bad.shape), bad)


def test_unknown_primitive():
    with pytest.raises(KeyError, match=r"'sine' is not in the table: .*tanh"):
        vjp("sine", 1.0)


@pytest.mark.parametrize(
    ("name", "operands", "params", "words"),
    [
        ("mul", 1, {}, "1 operands"),
        ("mul", 3, {}, "3 operands"),
        ("exp", 2, {}, "2 operands"),
        ("exp", 0, {}, "0 operands"),
        ("sum", 1, {"dim": 0}, "unknown or missing: dim"),
        ("mul", 2, {"where": True}, "unknown or missing: where"),
        ("exp", 1, {"out": 1}, "unknown or missing: out"),
        ("reshape", 1, {}, "unknown or missing: shape"),
    ],
)
def test_calls_that_do_not_fit(name, operands, params, words):
    arrays = [np.ones(3) for _ in range(operands)]
    with pytest.raises(TypeError, match=words):
        vjp(name, *arrays, **params)
    assert all((x == 1).all() for x in arrays)


@pytest.mark.parametrize("shapes", [((3,), (3, 2)), ((2, 3), (3,)), ((), (2, 2))])
def test_matmul_of_vectors_waits_for_chapter_10(shapes):
    with pytest.raises(NotImplementedError, match="Chapter 10"):
        vjp("matmul", *(np.ones(shape) for shape in shapes))


# ---------------------------------------------------------------------------- define


@pytest.fixture
def table():
    """Give the table back as it was."""
    before = dict(PRIMITIVES)
    yield PRIMITIVES
    PRIMITIVES.clear()
    PRIMITIVES.update(before)


def test_define_reads_needs_from_the_parameter_lists(table):
    scaled = define(
        "scaled",
        lambda x, y, *, by=1.0: x * y * by,
        x=lambda g, by, y: g * y * by,
        y=lambda g, x, by, out, x_shape: g * x * by,
    )
    assert isinstance(scaled, Primitive)
    assert table["scaled"] is scaled
    assert scaled.needs == {"x": ("by", "y"), "y": ("x", "by", "out", "x_shape")}
    assert scaled.saves == ("x", "y", "out")
    assert scaled.params == {"by": 1.0}
    assert repr(scaled) == "scaled(x, y, by=) saves x, y, out"
    assert [float(c) for c in vjp("scaled", 2.0, 3.0, by=10.0)[1](1.0)] == [30.0, 20.0]
    assert [float(c) for c in vjp(scaled, 2.0, 3.0)[1](1.0)] == [3.0, 2.0]


def test_a_second_definition_replaces_the_first(table):
    count = len(table)
    define("exp", np.exp, x=lambda g, out: 7 * g)
    assert float(vjp("exp", 0.0)[1](1.0)[0]) == 7.0
    assert len(table) == count


@pytest.mark.parametrize(
    ("forward", "rules", "words"),
    [
        (np.sin, {"x": lambda g, z: g}, r"rule for x takes \('g', 'z'\)"),
        (np.sin, {"x": lambda x: x}, "it takes g first"),
        (np.sin, {"x": lambda g, y_shape: g}, "y_shape"),
        (np.sin, {}, "1 operands, but rules for"),
        (np.arctan2, {"x": lambda g: g}, "2 operands, but rules for"),
        (lambda x, y: x, {"x": lambda g: g}, "2 operands, but rules for"),
        (lambda x: x, {"x": lambda g: g, "y": lambda g: g}, "1 operands"),
    ],
)
def test_define_refuses_what_nobody_could_call(table, forward, rules, words):
    with pytest.raises(TypeError, match=words):
        define("broken", forward, **rules)
    assert "broken" not in table


def test_signatures_are_read_at_definition_only(monkeypatch):
    def forbidden(*args, **kwargs):
        raise AssertionError("a signature was read after definition")

    monkeypatch.setattr(inspect, "signature", forbidden)
    for name, rows_ in TABLE.items():
        shapes_, params = rows_[0]
        operands, _ = sample(name, shapes_)
        out, pull = vjp(name, *operands, **params)
        pull(np.ones(np.shape(out)))


def test_primitives_are_frozen():
    with pytest.raises(AttributeError):
        PRIMITIVES["mul"].name = "times"


# ----------------------------------------------------------- the oracles notice faults


def broken_rules():
    """Every rule, broken in every way that makes sense for it."""
    for name, primitive in CHAPTER.items():
        for operand, rule in primitive.rules.items():
            yield name, operand, "sign", lambda *a, rule=rule: -rule(*a)
            yield name, operand, "factor", lambda *a, rule=rule: rule(*a) * 1.001
            yield (
                name,
                operand,
                "forgets g",
                lambda g, *a, rule=rule: rule(g * 0 + 1, *a),
            )
            if primitive.needs[operand]:
                yield name, operand, "g only", lambda g, *a: g
        if len(primitive.rules) == 2:
            yield name, "x", "swapped", primitive.rules["y"]
    yield "sum", "x", "no axis", lambda g, shape, axis: np.broadcast_to(g, shape)
    yield (
        "sum",
        "x",
        "mean",
        lambda g, shape, axis: np.full(shape, np.sum(g) / max(g.size, 1)),
    )
    yield "transpose", "x", "same axes", lambda g, axes: np.transpose(g, axes)
    yield "matmul", "x", "not transposed", lambda g, y: g @ y
    yield "matmul", "y", "not transposed", lambda g, x: x @ g
    yield "tanh", "x", "not squared", lambda g, out: g * (1 - out)
    yield "pow", "x", "exponent", lambda g, x, y: g * y * x**y
    yield "pow", "y", "no log", lambda g, x, y, out: g * out * x
    yield "relu", "x", "passes all", lambda g, out: g
    yield "div", "y", "not squared", lambda g, x, y: -g * x / y


FAULTS = list(broken_rules())


@pytest.mark.parametrize(
    "fault", FAULTS, ids=lambda f: "-".join(f[:3]).replace(" ", "_")
)
def test_a_broken_rule_is_noticed(fault):
    name, operand, kind, rule = fault
    primitive = CHAPTER[name]
    needs = dict(primitive.needs)
    if kind == "swapped":
        needs[operand] = needs["y"]
    broken = replace(primitive, rules={**primitive.rules, operand: rule}, needs=needs)
    if kind == "swapped" and name == "add":
        return  # the two rules of add are the same
    noticed = False
    for row in TABLE[name]:
        try:
            noticed |= operand in mistakes(broken, (name, *row))
        except (RuntimeError, ValueError):
            noticed = True
    assert noticed
