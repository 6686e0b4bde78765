"""minigrad.numerical against derivatives written by hand.

These functions are what the rest of the book is checked with, so nothing here may rely
on another numerical derivative: every expected value is a formula.
"""

import math
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from minigrad.numerical import numerical_jacobian, numerical_jvp, numerical_vjp

METHODS = ("forward", "central", "complex")
DTYPES = (np.float64, np.float32, np.float16)
SHAPES = ((), (1,), (4,), (3, 1), (2, 3), (2, 1, 3), (0,), (2, 0))

# The relative error that each method and dtype must keep for a function whose size,
# slope and curvature are all of the order of one.
WITHIN = {
    ("forward", np.float64): 2e-7,
    ("central", np.float64): 1e-9,
    ("complex", np.float64): 1e-14,
    ("forward", np.float32): 5e-3,
    ("central", np.float32): 5e-4,
    ("complex", np.float32): 1e-5,
    ("forward", np.float16): 0.3,
    ("central", np.float16): 0.1,
    ("complex", np.float16): 5e-3,
}


def sample(shape, dtype=np.float64, seed=0, low=0.3, high=2.0):
    """Floats between ``low`` and ``high`` in size, of both signs."""
    random = np.random.default_rng(seed)
    size = random.uniform(low, high, shape) * random.choice([-1.0, 1.0], shape)
    return np.asarray(size, dtype=dtype)


def close(actual, expected, within):
    actual = np.asarray(actual)
    assert actual.shape == np.shape(expected)
    scale = within * max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    np.testing.assert_allclose(
        actual.astype(float), np.asarray(expected, float), rtol=0, atol=scale
    )


def diagonal(slopes):
    """The Jacobian of an elementwise function, of shape slopes.shape * 2."""
    return np.diag(np.ravel(slopes)).reshape(np.shape(slopes) * 2)


# -------------------------------------------------------------- values, shapes, dtypes

ELEMENTWISE = {
    "exp": (np.exp, np.exp),
    "tanh": (np.tanh, lambda x: 1 - np.tanh(x) ** 2),
    "cube": (lambda x: x**3, lambda x: 3 * x**2),
    "reciprocal": (lambda x: 1 / x, lambda x: -1 / x**2),
    "constant": (lambda x: x * 0 + 7, np.zeros_like),
    "identity": (lambda x: x, np.ones_like),
}


@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", ELEMENTWISE)
@pytest.mark.parametrize("method", METHODS)
def test_elementwise_functions_have_diagonal_jacobians(method, name, shape):
    f, slope = ELEMENTWISE[name]
    x = sample(shape, low=0.8)
    within = WITHIN[method, np.float64]
    found = numerical_jacobian(f, x, method=method)
    assert found.dtype == np.float64
    close(found, diagonal(slope(x)), within)
    v, u = sample(shape, seed=1), sample(shape, seed=2)
    close(numerical_jvp(f, x, v, method=method), slope(x) * v, within)
    close(numerical_vjp(f, x, u, method=method), slope(x) * u, within)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", METHODS)
def test_accuracy_in_every_dtype(method, dtype):
    x = sample((2, 3), dtype)
    wide = x.astype(float)
    found = numerical_jacobian(np.tanh, x, method=method)
    assert found.dtype == dtype
    close(found, diagonal(1 - np.tanh(wide) ** 2), WITHIN[method, dtype])
    for v in (np.ones((2, 3)), sample((2, 3), seed=1, low=1e-3)):
        found = numerical_jvp(np.tanh, x, v, method=method)
        assert found.dtype == dtype
        close(found, (1 - np.tanh(wide) ** 2) * v, WITHIN[method, dtype])
    found = numerical_vjp(lambda x: (x * x).mean(), x, dtype(1), method=method)
    assert found.dtype == dtype and found.shape == x.shape
    close(found, wide / 3, WITHIN[method, dtype])


@pytest.mark.parametrize("method", METHODS)
def test_jacobian_of_matmul_has_four_axes(method):
    a, x = sample((2, 3)), sample((3, 4), seed=1)
    expected = np.einsum("ik,jl->ijkl", a, np.eye(4))  # ∂(ax)[i,j] / ∂x[k,l]
    close(numerical_jacobian(lambda x: a @ x, x, method=method), expected, 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_jacobian_of_a_matrix_square(method):
    x, v, one = sample((3, 3)), sample((3, 3), seed=1), np.eye(3)
    expected = np.einsum("ik,lj->ijkl", one, x) + np.einsum("ik,jl->ijkl", x, one)
    close(numerical_jacobian(lambda x: x @ x, x, method=method), expected, 1e-6)
    close(numerical_jvp(lambda x: x @ x, x, v, method=method), x @ v + v @ x, 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_jacobian_of_softmax(method):
    def softmax(x):
        e = np.exp(x - x.max())
        return e / e.sum()

    x = sample(5)
    s = softmax(x)
    expected = np.diag(s) - np.outer(s, s)
    close(numerical_jacobian(softmax, x, method=method), expected, 1e-7)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("f", "shape_in", "shape_out"),
    [
        (lambda x: x.sum(), (2, 3), ()),
        (lambda x: x.sum(axis=0), (2, 3), (3,)),
        (lambda x: x.T, (2, 3), (3, 2)),
        (lambda x: np.stack([x, 2 * x]), (3,), (2, 3)),
        (lambda x: x + np.zeros((4, 1)), (3,), (4, 3)),
        (lambda x: x[:0], (3,), (0,)),
        (lambda x: x.sum(), (0,), ()),
        (lambda x: x * np.ones((0, 2)), (), (0, 2)),
        (lambda x: np.ones(2), (0,), (2,)),
    ],
)
def test_shape_of_the_result(f, shape_in, shape_out, method):
    def g(x):  # a constant output must be complex, too, for the complex step
        return f(x) + 0 * x.sum()

    x = sample(shape_in)
    jacobian = numerical_jacobian(g, x, method=method)
    assert jacobian.shape == shape_out + shape_in
    v, u = sample(shape_in, seed=1), sample(shape_out, seed=2)
    jvp = numerical_jvp(g, x, v, method=method)
    vjp = numerical_vjp(g, x, u, method=method)
    assert jvp.shape == shape_out and vjp.shape == shape_in
    close(jvp, np.tensordot(jacobian, v, x.ndim), 1e-6)
    close(vjp, np.tensordot(u, jacobian, len(shape_out)), 1e-6)


@pytest.mark.parametrize("method", METHODS)
def test_results_are_always_arrays(method):
    for result in (
        numerical_jvp(lambda x: x * x, 3.0, 1.0, method=method),
        numerical_vjp(lambda x: x * x, 3.0, 1.0, method=method),
        numerical_jacobian(lambda x: x * x, 3.0, method=method),
    ):
        assert isinstance(result, np.ndarray) and result.shape == ()
        assert result.dtype == np.float64
        assert math.isclose(result, 6, rel_tol=1e-7)


def test_numbers_and_nested_lists_are_accepted():
    found = numerical_jvp(lambda x: x * x, [[1.0, 2.0]], [[1.0, 0.5]])
    close(found, [[2.0, 2.0]], 1e-9)
    close(numerical_jacobian(lambda x: x * x, []), np.zeros((0, 0)), 0)
    close(numerical_jacobian(math.sin, 0.5), math.cos(0.5), 1e-9)
    close(numerical_jacobian(lambda x: float(x) ** 2, np.float32(3)), 6.0, 1e-3)


def test_dtypes_of_the_results():
    x = np.float32([1, 2, 3])
    a = sample((2, 3))  # float64, so f(x) is float64

    def f(x):
        return a @ x

    assert f(x).dtype == np.float64
    assert numerical_jvp(f, x, x).dtype == np.float64
    assert numerical_jacobian(f, x).dtype == np.float64
    assert numerical_vjp(f, x, np.ones(2)).dtype == np.float32
    close(numerical_jacobian(f, x), a, 1e-4)
    x, v = sample(3).astype(np.float32), sample(3, seed=1)
    close(numerical_jvp(f, x, v), a @ v, 1e-4)  # the step is one for float32


def test_the_coarser_dtype_decides_the_step():
    """A float64 input is no use if f rounds to float32 on the way."""
    found = numerical_jacobian(lambda x: np.tanh(x.astype(np.float32)), sample(4))
    assert found.dtype == np.float32
    close(found, diagonal(1 - np.tanh(sample(4)) ** 2), 5e-4)


def test_v_and_u_may_have_another_float_dtype():
    x = np.float32([1, 2])
    assert numerical_jvp(np.tanh, x, np.ones(2)).dtype == np.float32
    assert numerical_vjp(np.tanh, x, np.ones(2)).dtype == np.float32


def test_longdouble_is_not_rounded_to_double():
    if np.finfo(np.longdouble).eps == np.finfo(np.float64).eps:
        pytest.skip("longdouble is double on this platform")
    x = np.longdouble(2)
    found = numerical_jacobian(np.sqrt, x, method="complex")
    assert abs(found - 1 / (2 * np.sqrt(x))) < 1e-18


# --------------------------------------------------------------------- scales of x


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("x", [1e8, -1e8, 1e-8, -1e-8, 0.0, 1e150, 1e-150, -3.0])
def test_the_step_suits_every_size_of_x(x, method):
    size = max(abs(x), 1.0)

    def f(x):
        return (x / size) ** 2 + x / size

    expected = (2 * x / size + 1) / size
    found = numerical_jacobian(f, x, method=method) * size
    close(found, expected * size, {"forward": 1e-6, "central": 1e-9}.get(method, 1e-14))


def log_like(x):
    """Functions whose scale is that of x, with their slopes at x."""
    return (np.log, 1 / x), (lambda x: 1 / x, -1 / x**2), (np.sqrt, x**-0.5 / 2)


def exp_like(x):
    """Functions whose scale is 1, with their slopes at x."""
    return (np.exp, np.exp(x)), (np.sin, np.cos(x)), (np.tanh, 1 - np.tanh(x) ** 2)


@pytest.mark.parametrize("x", [1e-8, 1e-3, 1e8])
def test_the_complex_step_does_not_mind_a_small_x(x):
    for f, slope in log_like(x):
        found = numerical_jacobian(f, x, method="complex")
        assert math.isclose(found, slope, rel_tol=1e-14)


@pytest.mark.parametrize("x", [0.01, 0.1, 1.0, 100.0])
def test_central_keeps_eight_digits_of_functions_that_bend_like_x(x):
    for f, slope in log_like(x):
        assert math.isclose(numerical_jacobian(f, x), slope, rel_tol=1e-8)


@pytest.mark.parametrize("x", [0.0, 1e-12, -1e-4, 0.02, 1.0, 3.0])
def test_central_keeps_nine_digits_of_functions_that_bend_like_one(x):
    for f, slope in exp_like(x):
        assert math.isclose(numerical_jacobian(f, x), slope, rel_tol=1e-9)


MIXED = np.array([1e8, 1.0, -1e-8, 0.0, -3e3])


@pytest.mark.parametrize("method", METHODS)
def test_mixed_sizes_in_one_vector(method):
    """A common step would be lost in 1e8, or far too long for 1e-8."""
    v = np.array([1.0, -2.0, 3.0, 1.0, 0.5])
    expected = 2 * MIXED * v + v
    within = 1e-6 if method == "forward" else 1e-8

    def f(x):
        return x * x + x

    found = numerical_jvp(f, MIXED, v, method=method)
    np.testing.assert_allclose(found, expected, rtol=within)
    found = numerical_vjp(f, MIXED, v, method=method)
    np.testing.assert_allclose(found, expected, rtol=within)
    found = numerical_jacobian(f, MIXED, method=method)
    np.testing.assert_allclose(found, np.diag(2 * MIXED + 1), rtol=within)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", METHODS)
def test_no_mixture_of_sizes_is_lost_in_rounding(method, dtype):
    within = 5 * WITHIN[method, dtype]
    for seed in range(20):
        x = 10.0 ** np.random.default_rng(seed).uniform(-1, 2, 7)
        x, v = x.astype(dtype), sample(7, seed=seed, low=1e-3)
        found = numerical_jvp(lambda x: x * 0.5, x, v, method=method)
        np.testing.assert_allclose(found, v / 2, rtol=within, atol=within / 10)


def test_sizes_at_the_limits_of_mixing():
    x = np.array([1e16, 1.0])
    np.testing.assert_allclose(numerical_jvp(lambda x: x * x, x, [1.0, 1.0]), 2 * x)


@pytest.mark.parametrize("scale", [1e-200, 1e-9, 1e9, 1e200])
@pytest.mark.parametrize("method", METHODS)
def test_the_length_of_v_does_not_matter(method, scale):
    x, v = sample(4), sample(4, seed=1)
    found = numerical_jvp(np.tanh, x, scale * v, method=method) / scale
    close(found, (1 - np.tanh(x) ** 2) * v, WITHIN[method, np.float64])


@pytest.mark.parametrize("method", METHODS)
def test_a_zero_direction_gives_zero_of_the_right_kind(method):
    x = np.float32([1, 2, 3])
    found = numerical_jvp(lambda x: x[:2] * 3, x, np.zeros(3), method=method)
    assert found.dtype == np.float32
    np.testing.assert_array_equal(found, [0, 0])


def test_an_explicit_step_is_the_step():
    seen = []

    def f(x):
        seen.append(float(x))
        return x * x * x

    found = numerical_jvp(f, 2.0, 1.0, step=0.25)
    assert sorted(seen) == [1.75, 2.0, 2.25]
    assert float(found) == 12 + 0.25**2
    found = numerical_jacobian(f, 2.0, method="forward", step=0.5)
    assert float(found) == 12 + 3 + 0.25
    assert float(numerical_vjp(f, 2.0, 2.0, step=0.5)) == 2 * 12.25


def test_an_explicit_step_helps_where_f_bends_on_a_smaller_scale():
    with pytest.raises(ValueError, match="smaller step="):
        numerical_jacobian(np.log, 1e-8)
    assert math.isclose(numerical_jacobian(np.log, 1e-8, step=1e-13), 1e8, rel_tol=1e-8)


# ------------------------------------------------------------------ the caller's arrays


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[::2],
        lambda a: a[:, ::-1],
        lambda a: a.T,
        lambda a: np.asfortranarray(a),
        lambda a: np.broadcast_to(a[:1], (3, 4)),
    ],
    ids=["every second row", "reversed", "transposed", "fortran", "broadcast"],
)
def test_strides_do_not_matter(view, method):
    x = view(sample((4, 4)))
    expected = numerical_jacobian(np.tanh, np.array(x, order="C"), method=method)
    found = numerical_jacobian(np.tanh, x, method=method)
    np.testing.assert_array_equal(found, expected)
    gradient = numerical_vjp(lambda x: np.tanh(x).sum(), x, 1.0, method=method)
    close(gradient, 1 - np.tanh(x) ** 2, WITHIN[method, np.float64])


@pytest.mark.parametrize("method", METHODS)
def test_read_only_input_is_fine_and_left_alone(method):
    x, v = sample(3), sample(3, seed=1)
    before = x.copy(), v.copy()
    x.flags.writeable = v.flags.writeable = False
    numerical_jacobian(np.tanh, x, method=method)
    numerical_jvp(np.tanh, x, v, method=method)
    numerical_vjp(np.tanh, x, v, method=method)
    np.testing.assert_array_equal((x, v), before)


@pytest.mark.parametrize("method", METHODS)
def test_f_never_sees_the_callers_array_nor_two_calls_the_same_one(method):
    x, seen = sample(2), []
    numerical_jacobian(lambda z: seen.append(z) or z * z, x, method=method)
    assert not any(np.shares_memory(x, z) for z in seen)
    assert len({id(z) for z in seen}) == len(seen)


def test_f_may_reuse_its_output_buffer():
    buffer = np.empty(3)
    found = numerical_jacobian(lambda x: np.multiply(x, x, out=buffer), sample(3))
    close(found, diagonal(2 * sample(3)), 1e-9)


def test_f_may_return_its_input():
    found = numerical_jacobian(lambda x: x, sample((2, 2)))
    close(found, diagonal(np.ones((2, 2))), 1e-9)


@pytest.mark.parametrize("method", METHODS)
def test_the_number_of_calls(method):
    calls = {"forward": 6 + 1, "central": 2 * 6 + 1, "complex": 6 + 4}[method]
    counts = []

    def f(x):
        counts.append(1)
        return x.sum()

    numerical_jacobian(f, sample((2, 3)), method=method)
    assert len(counts) == calls
    counts.clear()
    numerical_vjp(f, sample((2, 3)), 1.0, method=method)
    assert len(counts) == calls
    counts.clear()
    numerical_jvp(f, sample((2, 3)), sample((2, 3)), method=method)
    assert len(counts) == {"forward": 2, "central": 3, "complex": 5}[method]


# ----------------------------------------------------------------------- properties

finite = st.floats(-4, 4).map(lambda value: round(value, 3))
vectors = array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3).flatmap(
    lambda shape: st.tuples(*[arrays(np.float64, shape, elements=finite)] * 3)
)


def smooth(x):
    """Every element of x meets every other; the output has another shape than x."""
    return np.stack([np.sin(x) * np.cos(x.sum()), x * x, np.tanh(x)])


@settings(deadline=None, max_examples=60)
@given(vectors, finite, finite)
def test_jvp_is_linear_in_v(xvw, a, b):
    x, v, w = xvw
    mixed = numerical_jvp(smooth, x, a * v + b * w)
    expected = a * numerical_jvp(smooth, x, v) + b * numerical_jvp(smooth, x, w)
    close(mixed, expected, 1e-7)


@settings(deadline=None, max_examples=60)
@given(vectors)
def test_vjp_is_linear_in_u(xvw):
    x, v, w = xvw
    u, r = np.stack([v, w, x]), np.stack([x, x, v])
    mixed = numerical_vjp(smooth, x, 2 * u - 3 * r)
    expected = 2 * numerical_vjp(smooth, x, u) - 3 * numerical_vjp(smooth, x, r)
    close(mixed, expected, 1e-7)


@settings(deadline=None, max_examples=60)
@given(vectors, st.sampled_from(METHODS))
def test_pairing_before_or_after(xvw, method):
    """⟨u, J v⟩ = ⟨uᵀJ, v⟩, and both agree with the Jacobian itself."""
    x, v, w = xvw
    u = np.stack([w, v, x])
    after = np.sum(u * numerical_jvp(smooth, x, v, method=method))
    before = np.sum(numerical_vjp(smooth, x, u, method=method) * v)
    jacobian = numerical_jacobian(smooth, x, method=method)
    middle = np.tensordot(np.tensordot(u, jacobian, u.ndim), v, v.ndim)
    scale = 1 + np.abs(u).sum() * (np.abs(v).sum() + 1)
    within = (2e-6 if method == "forward" else 1e-8) * scale
    assert abs(after - before) < within and abs(after - middle) < within


coefficients = st.integers(-8, 8).map(float)


@settings(deadline=None, max_examples=60)
@given(coefficients, coefficients, coefficients, st.floats(-50, 50))
def test_central_is_exact_for_quadratics(a, b, c, x):
    """No truncation error at all, even for a step as long as x: rounding only."""
    found = numerical_jacobian(lambda x: a * x * x + b * x + c, x, step=1.0)
    size = 1 + abs(a) * (abs(x) + 1) ** 2 + abs(b) * (abs(x) + 1) + abs(c)
    assert abs(float(found) - (2 * a * x + b)) < 1e-14 * size


@settings(deadline=None, max_examples=60)
@given(coefficients, coefficients, st.floats(-50, 50), st.sampled_from(METHODS))
def test_every_method_is_exact_for_lines(a, b, x, method):
    found = numerical_jacobian(lambda x: a * x + b, x, method=method, step=1.0)
    assert abs(float(found) - a) < 1e-14 * (1 + abs(a) * (abs(x) + 1) + abs(b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("method", METHODS)
def test_the_change_is_divided_by_the_step_really_made(method, dtype):
    """x + h is rounded; divided by h instead of (x + h) - x, this would not be 1."""
    for x in (dtype(1 / 3), dtype(0.7), dtype(-1.1), dtype(2.3)):
        assert float(numerical_jacobian(lambda x: x, x, method=method)) == 1.0


@pytest.mark.parametrize("method", METHODS)
def test_the_error_falls_with_the_order_of_the_method(method):
    order = 1 if method == "forward" else 2
    errors = [
        abs(float(numerical_jacobian(np.exp, 1.0, method=method, step=h)) - math.e)
        for h in (1e-2, 5e-3)
    ]
    assert math.isclose(errors[0] / errors[1], 2**order, rel_tol=0.05)


# --------------------------------------------------------------------------- errors


def ask_all(f, x, *, method="central", step=None, match, kind):
    """Every one of the three functions refuses the question in the same way."""
    size = np.shape(x)
    with pytest.raises(kind, match=match):
        numerical_jacobian(f, x, method=method, step=step)
    with pytest.raises(kind, match=match):
        numerical_jvp(f, x, np.ones(size), method=method, step=step)
    with pytest.raises(kind, match=match):
        numerical_vjp(f, x, np.ones(size), method=method, step=step)


def square(x):
    return x * x


@pytest.mark.parametrize(
    "x", [3, [1, 2], np.arange(3), np.array([True]), np.uint8([1]), None, "3.0", [None]]
)
@pytest.mark.parametrize("method", METHODS)
def test_integers_and_other_things_are_refused(x, method):
    match = r"x must have a floating point dtype.*x\.astype\(float\)"
    ask_all(square, x, method=method, kind=RuntimeError, match=match)


def test_complex_input_is_refused():
    ask_all(square, 1 + 2j, kind=RuntimeError, match="complex128.*two real")


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("method", METHODS)
def test_non_finite_input_is_refused(bad, method):
    match = "x holds inf or nan"
    ask_all(square, [1.0, bad], method=method, kind=ValueError, match=match)


@pytest.mark.parametrize("method", METHODS)
def test_non_finite_output_is_refused(method):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # and NumPy's own warnings do not leak out
        match = r"f\(x\) holds inf or nan"
        ask_all(np.log, [1.0, 0.0], method=method, kind=ValueError, match=match)
        ask_all(lambda x: x / 0, 1.0, method=method, kind=ValueError, match=match)


def test_non_finite_output_close_to_x_is_refused():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match = "close to x.*smaller step="
        ask_all(np.sqrt, [1.0, 1e-9], kind=ValueError, match=match)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("v", [1.0, np.ones(3), np.ones((2, 1)), np.ones((1, 2)), []])
def test_a_direction_of_another_shape_is_refused(v, method):
    match = r"invalid shape .* should be \(2,\)"
    with pytest.raises(RuntimeError, match="v has " + match + ", the shape of x"):
        numerical_jvp(square, [1.0, 2.0], v, method=method)
    with pytest.raises(RuntimeError, match="u has " + match):
        numerical_vjp(square, [1.0, 2.0], v, method=method)


@pytest.mark.parametrize("v", [[1, 0], [True, False], [1j, 0]])
def test_a_direction_of_another_kind_is_refused(v):
    with pytest.raises(RuntimeError, match="v must have a floating point dtype"):
        numerical_jvp(square, [1.0, 2.0], v)
    with pytest.raises(RuntimeError, match="u must have a floating point dtype"):
        numerical_vjp(square, [1.0, 2.0], v)


def test_a_non_finite_direction_is_refused():
    with pytest.raises(ValueError, match="v holds inf or nan"):
        numerical_jvp(square, [1.0, 2.0], [np.inf, 1.0])
    with pytest.raises(ValueError, match="u holds inf or nan"):
        numerical_vjp(square, [1.0, 2.0], [np.nan, 1.0])


def fill(x):
    x[...] = 7.0
    return x


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "f",
    [
        fill,
        lambda x: np.exp(x, out=x),
        lambda x: x.sort() or x,
        lambda x: x.fill(np.nan) or square(x),
        lambda x: x[::-1].__imul__(2.0),
    ],
)
def test_a_function_that_changes_its_input_is_refused(f, method):
    x = np.array([2.0, 1.0])
    match = r"changed its input in place.*x\.copy\(\)"
    ask_all(f, x, method=method, kind=RuntimeError, match=match)
    np.testing.assert_array_equal(x, [2.0, 1.0])


def test_a_change_at_a_shifted_point_only_is_noticed():
    def f(x):
        if x[0] != 1.0:
            x[0] = 0.0
        return x * 1.0

    ask_all(f, [1.0, 2.0], kind=RuntimeError, match="changed its input in place")


@pytest.mark.parametrize("method", METHODS)
def test_a_result_of_another_shape_close_to_x_is_refused(method):
    def f(x):  # at x itself two elements, a little further one
        return x[:1] if (x != 1.0).any() else x

    match = r"returned shape \(2,\) at x but \(1,\) close to x"
    ask_all(f, [1.0, 1.0], method=method, kind=RuntimeError, match=match)


def test_a_result_that_would_broadcast_is_refused():
    ask_all(
        lambda x: x if x[0] == 1 else x[:, None] * 1.0,
        [1.0, 2.0],
        kind=RuntimeError,
        match="close to x",
    )


def test_a_result_of_another_kind_close_to_x_is_refused():
    def f(x):
        return x * 1.0 if x[0] == 1 else x.astype(int)

    ask_all(f, [1.0], kind=RuntimeError, match="returned int64 for float64 close to x")


@pytest.mark.parametrize("result", [None, [1.0, 2.0], (1.0,), "3.0", 3, True, {}])
@pytest.mark.parametrize("method", METHODS)
def test_a_result_that_is_no_array_is_refused(result, method):
    match = f"must return a NumPy array or a float, got {type(result).__name__}"
    ask_all(lambda x: result, [1.0, 2.0], method=method, kind=TypeError, match=match)


@pytest.mark.parametrize(
    "f",
    [
        lambda x: x > 0,
        lambda x: x.astype(int),
        lambda x: x * 1j,
        lambda x: np.array(["a"]),
    ],
)
def test_a_result_that_cannot_move_a_little_is_refused(f):
    match = r"f\(x\) must have a floating point dtype"
    ask_all(f, [1.0], kind=RuntimeError, match=match)


@pytest.mark.parametrize("method", ["Central", "", None, 3, "backward"])
def test_an_unknown_method_is_refused(method):
    match = "unknown method .*forward.*central.*complex"
    ask_all(square, 1.0, method=method, kind=ValueError, match=match)


@pytest.mark.parametrize("step", [0, 0.0, -1e-6, np.nan, np.inf])
def test_a_step_that_is_no_step_is_refused(step):
    ask_all(square, 1.0, step=step, kind=ValueError, match="step must be positive")


@pytest.mark.parametrize(("method", "step"), [("central", 1e-17), ("forward", 1e-16)])
def test_a_step_lost_in_rounding_is_refused(method, step):
    match = "lost in the rounding"
    ask_all(square, 3.0, method=method, step=step, kind=ValueError, match=match)


def test_a_step_that_underflows_is_refused():
    x, match = np.float32(3), "is zero in complex64"
    ask_all(square, x, method="complex", step=1e-60, kind=ValueError, match=match)


def test_an_error_inside_f_arrives_unchanged():
    def f(x):
        raise KeyError("mine")

    ask_all(f, 1.0, kind=KeyError, match="mine")


# ------------------------------------------------------- what the complex step can't do

NOT_ANALYTIC = {
    "abs": np.abs,
    "real": np.real,
    "conj": np.conj,
    "half of it lost": lambda x: x * np.abs(x),
    "a little of it lost": lambda x: x + 0.05 * np.abs(x),
    "normalised": lambda x: x / np.linalg.norm(x),
    "norm": np.linalg.norm,
    "cast at the end": lambda x: x.astype(x.real.dtype),
    "cast on the way": lambda x: x * x.astype(x.real.dtype),
    "one element": lambda x: np.stack([x[0] * 1.0, np.conj(x[1])]),
    "a mean of squared sizes": lambda x: (x * np.conj(x)).mean(),
}


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("name", NOT_ANALYTIC)
def test_a_lost_imaginary_part_is_noticed(name, dtype):
    f = NOT_ANALYTIC[name]
    x = np.array([3.0, -4.0, 0.5], dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        match = "imaginary part, which f loses or bends.*method='central'"
        with pytest.raises(RuntimeError, match=match):
            numerical_jacobian(f, x, method="complex")
        with pytest.raises(RuntimeError, match=match):
            numerical_jvp(f, x, np.ones(3), method="complex")
        with pytest.raises(RuntimeError, match=match):
            numerical_vjp(f, x, np.ones_like(f(x)), method="complex")


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.maximum(x, 0),
        lambda x: np.where(x > 0, x, 0 * x),
        lambda x: x - x.max(),
        lambda x: np.sqrt(x * x),
        lambda x: np.sqrt((x * x).sum()) * x,
        np.sort,
        lambda x: np.log(np.exp(x - x.max()).sum()),
    ],
)
@pytest.mark.parametrize("x", [[1.0, -2.0, 0.25], [0.0, 1.0, -1.0]])
def test_branches_and_kinks_are_no_false_alarm(f, x):
    numerical_jacobian(f, x, method="complex")


def test_a_lost_part_is_noticed_whatever_the_signs_in_x():
    """With this x, a probe that ignores the signs would move along a circle."""
    x = np.array([np.sqrt(1.5), -1.0])
    with pytest.raises(RuntimeError, match="imaginary part"):
        numerical_jacobian(lambda x: x.sum() + np.linalg.norm(x), x, method="complex")


@pytest.mark.parametrize("x", [0.3, 0.7, 1.1, 1.9, -2.3])
def test_the_rounding_of_a_large_result_is_no_false_alarm(x):
    for base in (1e7, 1e9, 1e11):
        found = numerical_jacobian(lambda x, b=base: x + b, x, method="complex")
        assert float(found) == 1.0


def test_large_cancelling_values_are_no_false_alarm():
    found = numerical_jacobian(lambda x: (x + 1e6) - 1e6, sample(3), method="complex")
    close(found, np.eye(3), 1e-14)


def test_a_function_without_complex_support_raises_its_own_error():
    with pytest.raises(TypeError):
        numerical_jacobian(np.floor, [0.5], method="complex")
