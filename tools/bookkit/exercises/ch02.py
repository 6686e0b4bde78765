"""Checks of chapter 2: Jacobians and their shapes.

Every expected Jacobian is measured here, column by column, and never taken from a
formula that a reader might have got wrong in the same way.
"""

import numpy as np

from bookkit.checks import close, exercise


def measured(f, x: np.ndarray, *, step: float = 1e-5) -> np.ndarray:
    """The Jacobian of ``f`` at ``x`` by central differences, y.shape + x.shape."""
    x = np.asarray(x, dtype=float)
    jacobian = np.zeros(np.shape(f(x)) + x.shape)
    for index in np.ndindex(*x.shape):
        nudge = np.zeros(x.shape)
        nudge[index] = step
        jacobian[(..., *index)] = (f(x + nudge) - f(x - nudge)) / (2 * step)
    return jacobian


@exercise("2.1")
def four_shapes(answer):
    """Four tuples, in the order array, matrix, denominator, mirrored."""
    jacobian = measured(lambda w: np.ones((5, 3)) @ w, np.ones((3, 2)))
    outputs, inputs = jacobian.shape[:2], jacobian.shape[2:]

    yield "the answer holds four shapes, each a tuple"
    assert isinstance(answer, tuple | list) and len(answer) == 4, (
        "write answer = (array, matrix, denominator, mirrored)"
    )
    assert all(isinstance(shape, tuple) for shape in answer), (
        "a shape is a tuple, such as (5, 2)"
    )
    array, matrix, denominator, mirrored = answer

    yield "each layout has room for every pair of an output and an input"
    for shape in answer:
        assert np.prod(shape) == jacobian.size, (
            f"{shape} has room for {np.prod(shape)} entries; 10 outputs by 6 inputs "
            f"make {jacobian.size}"
        )
    yield "array: the axes of the output, then those of the input"
    assert array == jacobian.shape, f"got {array}"
    yield "matrix: one row for each output, one column for each input"
    assert matrix == (np.prod(outputs), np.prod(inputs)), f"got {matrix}"
    yield "denominator: the axes of the input, then those of the output"
    assert denominator == inputs + outputs, f"got {denominator}"
    yield "mirrored: the axes of the output, then those of the input backwards"
    assert mirrored == outputs + inputs[::-1], f"got {mirrored}"


@exercise("2.2")
def give_me_the_jacobian(flip, differences, column_means):
    """Three constant Jacobians as matrices."""
    yield "flip: the Jacobian of x[::-1] for n = 1, 2, 5"
    for n in (1, 2, 5):
        expected = measured(lambda x: x[::-1], np.zeros(n))
        close(flip(n), expected, what=f"flip({n})")
    yield "differences: n - 1 rows and n columns"
    for n in (1, 2, 5):
        shape = np.shape(differences(n))
        assert shape == (n - 1, n), f"differences({n}) has shape {shape}"
    yield "differences: the later entry counts positive, the earlier negative"
    for n in (1, 2, 5):
        expected = measured(np.diff, np.zeros(n))
        close(differences(n), expected, what=f"differences({n})")
    yield "column_means: n rows and m * n columns"
    for m, n in ((1, 1), (2, 3), (3, 2)):
        shape = np.shape(column_means(m, n))
        assert shape == (n, m * n), f"column_means({m}, {n}) has shape {shape}"
    yield "column_means: each output is the mean of its own column"
    for m, n in ((1, 1), (2, 3), (3, 2)):
        expected = measured(lambda x: x.mean(axis=0), np.zeros((m, n)))
        expected = expected.reshape(n, m * n)
        close(column_means(m, n), expected, what=f"column_means({m}, {n})")


@exercise("2.3")
def a_vector_times_itself(outer_jacobian):
    """The (n, n, n) Jacobian of the outer product of a vector with itself."""
    x = np.array([2.0, -1.0, 0.5, 3.0])
    found = np.asarray(outer_jacobian(x))
    yield "the shape is that of the output, then that of the input: (n, n, n)"
    assert found.shape == (4, 4, 4), f"for n = 4 it is {found.shape}"
    yield "an input moves only its own row and its own column"
    for k in range(4):
        elsewhere = np.delete(np.delete(found[:, :, k], k, axis=0), k, axis=1)
        assert not elsewhere.any(), f"x[{k}] moves other entries:\n{found[:, :, k]}"
    yield "where row and column meet it counts twice: the derivative of x² is 2x"
    close(np.array([found[k, k, k] for k in range(4)]), 2 * x, what="J[k, k, k]")
    yield "every entry agrees with the measured Jacobian"
    for trial in (x, np.array([3.0]), np.array([1.0, 0.0])):
        expected = measured(lambda x: np.outer(x, x), trial)
        close(outer_jacobian(trial), expected, within=1e-7, what=f"at x = {trial}, J")


@exercise("2.4")
def length_one(unit_jacobian):
    """The Jacobian of x / |x|."""
    points = [np.array([3.0, 4.0]), np.array([1.0, -2.0, 2.0]), np.array([-5.0])]
    yield "the result is an (n, n) matrix"
    for x in points:
        shape = np.shape(unit_jacobian(x))
        assert shape == (len(x), len(x)), f"for n = {len(x)} the shape is {shape}"
    yield "J x = 0: stretching x does not move y"
    for x in points:
        close(unit_jacobian(x) @ x, np.zeros(len(x)), what=f"J @ {x}")
    yield "yᵀ J = 0: the length of y stays one"
    for x in points:
        close(x @ unit_jacobian(x), np.zeros(len(x)), what=f"{x} @ J")
    yield "for twice the x, J is half as large"
    for x in points:
        close(unit_jacobian(2 * x), np.asarray(unit_jacobian(x)) / 2, what="J at 2x")
    yield "every entry agrees with the measured Jacobian"
    for x in points:
        expected = measured(lambda x: x / np.sqrt(np.sum(x * x)), x)
        close(unit_jacobian(x), expected, within=1e-7, what=f"at x = {x}, J")


@exercise("2.5")
def which_function_drew_this(first, second):
    """Two linear functions from the pictures of their Jacobians."""
    pictures = {
        "first": ["1 0 0 -1 0 0", "0 1 0 0 -1 0", "0 0 1 0 0 -1"],
        "second": ["0 0 1 0", "0 0 0 1", "1 0 0 1", "0 1 1 0"],
    }
    trials = (("first", first, (2, 3), (3,)), ("second", second, (2, 2), (2, 2)))
    for name, function, x_shape, y_shape in trials:
        x = np.arange(1.0, 1.0 + np.prod(x_shape)).reshape(x_shape) ** 2
        before = x.copy()
        yield f"{name} returns an array of shape {y_shape}"
        shape = np.shape(function(x))
        assert shape == y_shape, f"it has shape {shape}"
        yield f"{name} leaves its input as it was"
        assert np.array_equal(x, before), "the argument was changed in place"
        yield f"{name} has the Jacobian of the picture"
        expected = np.array([line.split() for line in pictures[name]], dtype=float)
        found = measured(function, x).reshape(expected.shape)
        close(found, expected, within=1e-7, what="its Jacobian, as a matrix,")
        yield f"{name} is linear: no constant is added"
        close(function(np.zeros(x_shape)), np.zeros(y_shape), what=f"{name}(0)")


@exercise("2.6")
def find_the_bug(scalar_gradient):
    """The gradient of a scalar through three Jacobians in one layout."""
    rng = np.random.default_rng(26)

    def agrees(outputs, middle, inputs):
        u, x = rng.standard_normal(outputs), rng.standard_normal(inputs)
        W2 = rng.standard_normal((outputs, middle))  # noqa: N806
        W1 = rng.standard_normal((middle, inputs))  # noqa: N806
        expected = measured(lambda x: u @ (W2 @ np.tanh(W1 @ x)), x)
        found = scalar_gradient(u, W2, W1, x)
        close(found, expected, within=1e-7, what="the gradient")

    yield "it is right for square matrices that are not symmetric"
    agrees(2, 2, 2)
    yield "it runs and has the shape of x when all three sizes differ"
    agrees(2, 3, 4)
    yield "it is right for a single output, and for a single input"
    agrees(1, 3, 2)
    agrees(3, 2, 1)


@exercise("2.7")
def chain_in_the_array_layout(chain_array):
    """∂z/∂x = ∂z/∂y · ∂y/∂x with every Jacobian in the array layout."""
    rng = np.random.default_rng(27)

    def agrees(z_shape, y_shape, x_shape):
        outer = rng.standard_normal(z_shape + y_shape)
        inner = rng.standard_normal(y_shape + x_shape)
        expected = np.zeros(z_shape + x_shape)
        for i in np.ndindex(*z_shape):
            for j in np.ndindex(*x_shape):
                for k in np.ndindex(*y_shape):
                    expected[i + j] += outer[i + k] * inner[k + j]
        found = chain_array(outer, inner, y_shape)
        close(found, expected, what=f"for z {z_shape}, y {y_shape}, x {x_shape} it")

    yield "vectors: it is the matrix product"
    agrees((2,), (3,), (4,))
    yield "matrices of different sizes"
    agrees((2, 3), (4, 2), (3, 5))
    yield "square matrices, for which wrong pairs of axes fit too"
    agrees((2, 2), (2, 2), (2, 2))
    yield "three axes in the middle, and different numbers of axes around it"
    agrees((2,), (2, 2, 2), (3, 1))
    yield "scalars: a factor without axes in the middle, or on either side"
    agrees((2,), (), (3,))
    agrees((), (2, 3), ())
    yield "empty arrays: nothing to sum over gives zeros"
    agrees((2,), (0, 3), (2, 2))
    agrees((0,), (2,), (3,))
