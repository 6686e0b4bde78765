"""minigrad.jacobian: layouts against index arithmetic, pictures by what is drawn."""

import subprocess
import sys

import matplotlib
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from matplotlib.collections import LineCollection, PatchCollection
from numpy.testing import assert_allclose, assert_array_equal

from minigrad.jacobian import (
    LAYOUTS,
    chain_mirrored,
    from_denominator,
    from_matrix,
    from_mirrored,
    layout_shape,
    show_jacobian,
    to_denominator,
    to_matrix,
    to_mirrored,
)
from minigrad.numerical import numerical_jacobian

matplotlib.use("Agg")

shapes = st.lists(st.integers(0, 3), max_size=3).map(tuple)
PAIRS = [
    ((), ()),
    ((), (3,)),
    ((2,), ()),
    ((2,), (3,)),
    ((2, 1), (3, 1)),
    ((2, 2), (2, 2)),
    ((2, 3), (4, 5)),
    ((2, 3, 4), (3, 2)),
    ((0,), (3,)),
    ((2, 0), (0, 3)),
]
CONVERSIONS = [
    (to_matrix, from_matrix, "matrix"),
    (to_denominator, from_denominator, "denominator"),
    (to_mirrored, from_mirrored, "mirrored"),
]


def numbered(*shape):
    """An array whose entries all differ, so that no two places can be mistaken."""
    return np.arange(1.0, 1.0 + np.prod(shape, dtype=int)).reshape(shape)


def pairs_of_indices(y_shape, x_shape):
    return [(i, j) for i in np.ndindex(*y_shape) for j in np.ndindex(*x_shape)]


# --- shapes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "y_shape", "x_shape", "expected"),
    [
        ("array", (2, 3), (4, 5), (2, 3, 4, 5)),
        ("matrix", (2, 3), (4, 5), (6, 20)),
        ("denominator", (2, 3), (4, 5), (4, 5, 2, 3)),
        ("mirrored", (2, 3), (4, 5), (2, 3, 5, 4)),
        ("mirrored", (2, 3, 4), (5, 6, 7), (2, 3, 4, 7, 6, 5)),
        ("array", (), (3,), (3,)),
        ("matrix", (), (), (1, 1)),
        ("denominator", (), (4, 5), (4, 5)),
        ("mirrored", (), (4, 5), (5, 4)),
        ("mirrored", (1, 1), (7, 1), (1, 1, 1, 7)),
        ("mirrored", (7, 1), (1, 1), (7, 1, 1, 1)),
        ("mirrored", (7, 1), (8, 1), (7, 1, 1, 8)),
        ("matrix", (2, 0), (3,), (0, 3)),
    ],
)
def test_layout_shape(layout, y_shape, x_shape, expected):
    assert layout_shape(layout, y_shape, x_shape) == expected


def test_layout_shape_takes_ints_and_lists_and_numpy_integers_for_shapes():
    assert layout_shape("array", 2, 3) == (2, 3)
    assert layout_shape("mirrored", [2], np.int64(3)) == (2, 3)
    assert layout_shape("denominator", np.array([2, 3]), ()) == (2, 3)


def test_layout_shape_names_the_layouts_when_asked_for_another():
    with pytest.raises(ValueError, match="unknown layout 'rows'") as caught:
        layout_shape("rows", 2, 3)
    for name in LAYOUTS:
        assert repr(name) in str(caught.value)


def test_a_shape_of_floats_is_refused():
    with pytest.raises(TypeError, match="integer"):
        layout_shape("array", (2.0,), 3)


@given(shapes, shapes)
def test_every_layout_has_room_for_every_pair(y_shape, x_shape):
    size = np.prod(y_shape, dtype=int) * np.prod(x_shape, dtype=int)
    for layout in LAYOUTS:
        assert np.prod(layout_shape(layout, y_shape, x_shape), dtype=int) == size


# --- conversions --------------------------------------------------------------------


@pytest.mark.parametrize(("y_shape", "x_shape"), PAIRS)
def test_to_matrix_counts_entries_as_ravel_does(y_shape, x_shape):
    jacobian = numbered(*y_shape, *x_shape)
    matrix = to_matrix(jacobian, y_shape, x_shape)
    for i, j in pairs_of_indices(y_shape, x_shape):
        row = np.ravel_multi_index(i, y_shape) if i else 0
        column = np.ravel_multi_index(j, x_shape) if j else 0
        assert matrix[row, column] == jacobian[i + j]


@pytest.mark.parametrize(("y_shape", "x_shape"), PAIRS)
def test_to_denominator_puts_the_input_first(y_shape, x_shape):
    jacobian = numbered(*y_shape, *x_shape)
    denominator = to_denominator(jacobian, y_shape, x_shape)
    assert denominator.shape == x_shape + y_shape
    for i, j in pairs_of_indices(y_shape, x_shape):
        assert denominator[j + i] == jacobian[i + j]


@pytest.mark.parametrize(("y_shape", "x_shape"), PAIRS)
def test_to_mirrored_reverses_the_indices_of_the_input(y_shape, x_shape):
    jacobian = numbered(*y_shape, *x_shape)
    mirrored = to_mirrored(jacobian, y_shape, x_shape)
    assert mirrored.shape == y_shape + x_shape[::-1]
    for i, j in pairs_of_indices(y_shape, x_shape):
        assert mirrored[i + j[::-1]] == jacobian[i + j]


@pytest.mark.parametrize(("there", "back", "layout"), CONVERSIONS)
@given(y_shape=shapes, x_shape=shapes)
def test_there_and_back(there, back, layout, y_shape, x_shape):
    jacobian = numbered(*y_shape, *x_shape)
    converted = there(jacobian, y_shape, x_shape)
    assert converted.shape == layout_shape(layout, y_shape, x_shape)
    assert_array_equal(back(converted, y_shape, x_shape), jacobian, strict=True)


def test_for_vectors_three_layouts_agree_and_the_fourth_is_the_transpose():
    jacobian = numbered(2, 3)
    assert_array_equal(to_matrix(jacobian, 2, 3), jacobian)
    assert_array_equal(to_mirrored(jacobian, 2, 3), jacobian)
    assert_array_equal(to_denominator(jacobian, 2, 3), jacobian.T)


def test_the_gradient_of_a_scalar_has_the_shape_of_x_in_denominator_layout():
    gradient = numbered(4, 5)
    assert_array_equal(to_denominator(gradient, (), (4, 5)), gradient)
    assert to_matrix(gradient, (), (4, 5)).shape == (1, 20)


@pytest.mark.parametrize(("there", "back", "layout"), CONVERSIONS)
def test_conversions_keep_the_dtype_and_the_argument(there, back, layout):
    jacobian = numbered(2, 3, 4).astype(np.float32)
    before = jacobian.copy()
    converted = there(jacobian, (2, 3), 4)
    assert converted.dtype == np.float32
    assert back(converted, (2, 3), 4).dtype == np.float32
    assert_array_equal(jacobian, before)


@pytest.mark.parametrize(("there", "back", "layout"), CONVERSIONS)
def test_conversions_take_nested_lists_and_any_strides(there, back, layout):
    jacobian = numbered(4, 3, 2).T  # shape (2, 3, 4), not contiguous
    expected = there(np.ascontiguousarray(jacobian), (2, 3), 4)
    assert_array_equal(there(jacobian, (2, 3), 4), expected)
    assert_array_equal(there(jacobian.tolist(), (2, 3), 4), expected)


def test_a_wrong_shape_is_named_with_what_was_expected():
    with pytest.raises(ValueError, match="y_shape and x_shape right") as caught:
        to_matrix(np.ones((2, 3)), (2, 3), (4, 5))
    message = str(caught.value)
    assert "y of shape (2, 3) and x of shape (4, 5)" in message
    assert "shape (2, 3, 4, 5), got (2, 3)." in message
    assert "fits" not in message


@pytest.mark.parametrize(("there", "back", "layout"), CONVERSIONS)
def test_a_jacobian_in_another_layout_is_recognised(there, back, layout):
    array = np.ones((2, 3, 4, 5))
    converted = there(array, (2, 3), (4, 5))
    with pytest.raises(ValueError, match=f"fits the {layout} layout"):
        to_matrix(converted, (2, 3), (4, 5))
    with pytest.raises(ValueError, match="fits the array layout"):
        back(array, (2, 3), (4, 5))
    for _, other_back, other in CONVERSIONS:
        if other != layout:
            with pytest.raises(ValueError, match=f"the {other} layout has shape"):
                other_back(converted, (2, 3), (4, 5))


@pytest.mark.parametrize(("there", "back", "layout"), CONVERSIONS)
def test_every_conversion_refuses_a_wrong_shape(there, back, layout):
    with pytest.raises(ValueError, match="the array layout has shape"):
        there(np.ones((2, 3, 4, 6)), (2, 3), (4, 5))
    with pytest.raises(ValueError, match=f"the {layout} layout has shape"):
        back(np.ones((2, 3, 4, 6)), (2, 3), (4, 5))


# --- against known Jacobians --------------------------------------------------------


def test_matrix_product_by_its_left_operand_is_a_kronecker_product():
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((3, 2)), rng.standard_normal((2, 4))
    jacobian = numerical_jacobian(lambda a: a @ b, a)
    by_rows = to_matrix(jacobian, (3, 4), (3, 2))
    assert_allclose(by_rows, np.kron(np.eye(3), b.T), atol=1e-8)


def test_matrix_product_by_its_right_operand_is_a_kronecker_product():
    rng = np.random.default_rng(2)
    a, b = rng.standard_normal((3, 2)), rng.standard_normal((2, 4))
    jacobian = numerical_jacobian(lambda b: a @ b, b)
    by_rows = to_matrix(jacobian, (3, 4), (2, 4))
    assert_allclose(by_rows, np.kron(a, np.eye(4)), atol=1e-8)


def test_reshape_is_the_identity_and_transpose_a_permutation():
    x = numbered(2, 3)
    reshaped = numerical_jacobian(lambda x: x.reshape(3, 2), x)
    assert_allclose(to_matrix(reshaped, (3, 2), (2, 3)), np.eye(6), atol=1e-9)
    transposed = to_matrix(numerical_jacobian(np.transpose, x), (3, 2), (2, 3))
    assert_allclose(transposed @ x.ravel(), x.T.ravel(), atol=1e-8)
    assert_allclose(transposed, np.eye(6)[[0, 3, 1, 4, 2, 5]], atol=1e-9)


@given(hnp.arrays(float, (2, 3), elements=st.floats(-2, 2)))
def test_the_matrix_takes_a_change_of_x_to_the_change_of_y(change):
    b = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]])
    matrix = to_matrix(
        numerical_jacobian(lambda x: x @ b, numbered(2, 3)), (2, 2), (2, 3)
    )
    assert_allclose(matrix @ change.ravel(), (change @ b).ravel(), atol=1e-7)


def test_columns_reduce_to_the_shapes_of_paper_when_the_middle_is_dropped():
    w, column = numbered(2, 3), np.array([[1.0], [2.0], [3.0]])
    cases = [
        (lambda x: x.T @ x, column, 2 * column.T),  # (1, k)
        (lambda x: column * x, np.array([[2.0]]), column),  # (k, 1)
        (lambda x: w @ x, column, w),  # (k1, k2)
    ]
    for f, x, expected in cases:
        mirrored = to_mirrored(numerical_jacobian(f, x), f(x).shape, x.shape)
        assert mirrored.shape[1:3] == (1, 1)
        assert_allclose(mirrored[:, 0, 0, :], expected, atol=1e-8)


# --- the chain rule -----------------------------------------------------------------


def chained_by_hand(outer, inner, z_shape, y_shape, x_shape):
    """Σ over every entry of y, one multiplication at a time, in the array layout."""
    total = np.zeros(z_shape + x_shape)
    for i, j in pairs_of_indices(z_shape, x_shape):
        for k in np.ndindex(*y_shape):
            total[i + j] += outer[i + k] * inner[k + j]
    return total


@given(shapes, shapes, shapes, st.integers(0, 2**32 - 1))
def test_chain_mirrored_sums_over_every_entry_of_y(z_shape, y_shape, x_shape, seed):
    rng = np.random.default_rng(seed)
    outer = rng.integers(-3, 4, z_shape + y_shape).astype(float)
    inner = rng.integers(-3, 4, y_shape + x_shape).astype(float)
    dz_dy, dy_dx = (
        to_mirrored(outer, z_shape, y_shape),
        to_mirrored(inner, y_shape, x_shape),
    )
    found = chain_mirrored(dz_dy, dy_dx, y_shape)
    expected = chained_by_hand(outer, inner, z_shape, y_shape, x_shape)
    assert_array_equal(found, to_mirrored(expected, z_shape, x_shape), strict=True)


def test_chain_mirrored_pairs_axes_as_brackets_even_where_all_sizes_agree():
    rng = np.random.default_rng(3)
    outer, inner = rng.standard_normal((2, 2, 2, 2, 2)), rng.standard_normal((2,) * 5)
    expected = np.einsum("abedc,cdefg->abfg", outer, inner)
    assert_allclose(chain_mirrored(outer, inner, (2, 2, 2)), expected)


def test_chain_mirrored_of_vectors_is_the_matrix_product():
    outer, inner = numbered(2, 3), numbered(3, 4)
    assert_array_equal(chain_mirrored(outer, inner, 3), outer @ inner)


def test_chain_mirrored_agrees_with_the_jacobian_of_the_composition():
    x = np.array([[0.5, -1.0, 2.0], [1.5, 0.25, -0.5]])
    b = np.array([[1.0, 0.0], [2.0, -1.0], [0.0, 3.0]])

    def inner(x):
        return np.tanh(x @ b)

    def outer(y):
        return np.stack([y[0] * y[1], y[0] - y[1] ** 2, y.sum(axis=0)])

    y, z = inner(x), outer(inner(x))
    found = chain_mirrored(
        to_mirrored(numerical_jacobian(outer, y), z.shape, y.shape),
        to_mirrored(numerical_jacobian(inner, x), y.shape, x.shape),
        y.shape,
    )
    whole = numerical_jacobian(lambda x: outer(inner(x)), x)
    assert_allclose(from_mirrored(found, z.shape, x.shape), whole, atol=1e-6)


@pytest.mark.parametrize(
    ("outer", "inner", "y_shape"),
    [
        ((2, 1, 3, 1), (3, 1, 1, 4), (3, 1)),  # the slip: (k1, 1, k2, 1) as outer
        ((2, 3), (4, 5), 3),
        ((2, 3), (4, 5), 4),
        ((2, 3, 4), (3, 4, 5), (3, 4)),  # array layout in place of mirrored
        ((3,), (3,), (1, 3)),
    ],
)
def test_chain_mirrored_refuses_what_does_not_meet(outer, inner, y_shape):
    with pytest.raises(ValueError, match="mirrored layout") as caught:
        chain_mirrored(np.ones(outer), np.ones(inner), y_shape)
    assert f"outer {outer} and inner {inner}" in str(caught.value)


# --- the picture --------------------------------------------------------------------


@pytest.fixture(autouse=True)
def close_figures():
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


def squares(ax):
    """{(row, column): RGBA} of the squares drawn."""
    (collection,) = [c for c in ax.collections if isinstance(c, PatchCollection)]
    found = {}
    for path, colour in zip(
        collection.get_paths(), collection.get_facecolor(), strict=True
    ):
        low, high = path.vertices.min(axis=0), path.vertices.max(axis=0)
        assert np.all(high - low < 1.0), "squares of two cells touch"
        column, row = (low + high) / 2
        found[round(row), round(column)] = tuple(colour)
    return found


def dots(ax):
    """{(row, column)} of the dots that stand for zeros."""
    xy = [line.get_data() for line in ax.lines if line.get_marker() == "."]
    return {(int(r), int(c)) for x, y in xy for c, r in zip(x, y, strict=True)}


def minuses(ax):
    """{(row, column)} of the strokes, each horizontal, centred and within its cell."""
    found = set()
    for collection in ax.collections:
        if isinstance(collection, LineCollection):
            for (left, y), (right, level) in collection.get_segments():
                assert y == level
                assert 0.2 < right - left < 0.8
                found.add((int(y), round((left + right) / 2)))
    return found


def block_lines(ax):
    """Heaviest line width by position: of horizontal lines, and of vertical ones."""
    across, down = {}, {}
    for line in ax.lines:
        if line.get_marker() == ".":
            continue
        x, y = line.get_data()
        kind, place = (across, y[0]) if y[0] == y[1] else (down, x[0])
        kind[place] = max(kind.get(place, 0.0), line.get_linewidth())
    return across, down


def written(ax):
    """{(row, column): text} of the numbers written into squares."""
    return {
        (round(t.get_position()[1]), round(t.get_position()[0])): t.get_text()
        for t in ax.texts
    }


def tick_texts(axis):
    return [text.get_text() for text in axis.get_ticklabels()]


MATRIX = np.array([[2.0, 0.0, -1.0], [0.0, -4.0, 0.5]])


def test_each_non_zero_entry_is_a_square_and_each_zero_a_dot():
    ax = show_jacobian(MATRIX)
    assert set(squares(ax)) == {(0, 0), (0, 2), (1, 1), (1, 2)}
    assert dots(ax) == {(0, 1), (1, 0)}


def test_hue_is_the_sign_and_opacity_the_size():
    from matplotlib.colors import to_rgb

    drawn = squares(show_jacobian(MATRIX))
    for place, (*hue, _) in drawn.items():
        assert_allclose(hue, to_rgb("C0" if MATRIX[place] > 0 else "C1"))
    by_size = sorted(drawn, key=lambda place: abs(MATRIX[place]))
    opacities = [drawn[place][3] for place in by_size]
    assert opacities == sorted(set(opacities)), "equal opacity for unequal sizes"
    assert min(opacities) > 0.1


def test_the_smallest_non_zero_entry_stays_visible():
    drawn = squares(show_jacobian(np.array([[1e-300, 1.0, -1e-9]])))
    assert len(drawn) == 3
    assert all(colour[3] >= 0.15 for colour in drawn.values())


def test_the_sign_is_told_without_colour():
    assert written(show_jacobian(MATRIX)) == {
        (0, 0): "2",
        (0, 2): "−1",
        (1, 1): "−4",
        (1, 2): "0.5",
    }
    unwritten = show_jacobian(MATRIX, values=False)
    assert written(unwritten) == {}
    assert minuses(unwritten) == {(0, 2), (1, 1)}


def test_numbers_are_short():
    ax = show_jacobian(np.array([[1 / 3, -12.3456, 123.4, 0.004567, 1.0, -2.5]]))
    texts = list(written(ax).values())
    assert texts == ["0.33", "−12.3", "123", "0.0046", "1", "−2.5"]


def test_values_are_written_into_small_pictures_and_labels_into_middling_ones():
    assert written(show_jacobian(np.ones((8, 2))))
    assert not written(show_jacobian(np.ones((9, 2))))
    assert tick_texts(show_jacobian(np.ones((2, 12))).xaxis)[::11] == ["0", "11"]
    assert tick_texts(show_jacobian(np.ones((2, 13))).xaxis) == []
    assert tick_texts(show_jacobian(np.ones((2, 13)), labels=True).yaxis) == ["0", "1"]
    assert tick_texts(show_jacobian(np.ones((2, 3)), labels=False).xaxis) == []
    assert written(show_jacobian(np.ones((9, 2)), values=True))


def test_rows_are_outputs_and_columns_inputs_with_index_tuples():
    ax = show_jacobian(numbered(2, 2, 3), (2, 2), 3)
    assert tick_texts(ax.yaxis) == ["0,0", "0,1", "1,0", "1,1"]
    assert tick_texts(ax.xaxis) == ["0", "1", "2"]
    assert ax.get_ylabel() == "y (2, 2)"
    assert ax.get_xlabel() == "x (3,)"
    assert written(ax)[2, 1] == "8"


def test_row_zero_is_on_top():
    bottom, top = show_jacobian(MATRIX).get_ylim()
    assert (bottom, top) == (1.5, -0.5)


def test_a_matrix_and_its_array_give_the_same_picture():
    jacobian = numbered(2, 2, 3) - 5.0
    array = show_jacobian(jacobian, (2, 2), 3)
    matrix = show_jacobian(to_matrix(jacobian, (2, 2), 3), (2, 2), 3)
    assert squares(array) == squares(matrix)
    assert written(array) == written(matrix)
    assert block_lines(array) == block_lines(matrix)


def test_lines_separate_the_blocks():
    across, down = block_lines(show_jacobian(np.ones((2, 3, 3, 2)), (2, 3), (3, 2)))
    assert set(across) == {2.5}
    assert set(down) == {1.5, 3.5}


def test_vectors_have_no_blocks():
    assert block_lines(show_jacobian(MATRIX)) == ({}, {})


def test_outer_axes_have_heavier_lines():
    across, _ = block_lines(show_jacobian(np.ones((2, 2, 3, 1)), (2, 2, 3), 1))
    assert set(across) == {2.5, 5.5, 8.5}
    assert across[5.5] > across[2.5] == across[8.5]


def test_a_scalar_by_a_scalar_is_one_square():
    ax = show_jacobian(3.0, (), ())
    assert written(ax) == {(0, 0): "3"}
    assert tick_texts(ax.yaxis) == tick_texts(ax.xaxis) == ["()"]


@given(shapes, shapes)
def test_any_shape_can_be_drawn_and_every_entry_is_accounted_for(y_shape, x_shape):
    import matplotlib.pyplot as plt

    jacobian = numbered(*y_shape, *x_shape) % 3 - 1.0
    ax = show_jacobian(jacobian, y_shape, x_shape, values=False)
    matrix = to_matrix(jacobian, y_shape, x_shape)
    assert len(squares(ax)) == np.count_nonzero(matrix)
    assert dots(ax) == {tuple(map(int, p)) for p in np.argwhere(matrix == 0)}
    assert minuses(ax) == {tuple(map(int, p)) for p in np.argwhere(matrix < 0)}
    plt.close(ax.figure)


def test_noise_below_a_threshold_counts_as_zero_and_the_argument_is_kept():
    jacobian = np.array([[1.0, 1e-9], [-1e-8, -2.0]])
    before = jacobian.copy()
    ax = show_jacobian(jacobian, zero_below=1e-8)
    assert set(squares(ax)) == {(0, 0), (1, 1)}
    assert dots(ax) == {(0, 1), (1, 0)}
    assert_array_equal(jacobian, before)


def test_it_draws_on_the_axes_given_and_otherwise_on_a_new_figure():
    import matplotlib.pyplot as plt

    _, (left, right) = plt.subplots(1, 2)
    assert show_jacobian(MATRIX, ax=left) is left
    assert not right.collections
    assert show_jacobian(MATRIX).figure is not left.figure


@pytest.mark.parametrize("style", ["default", "dark_background", "book"])
def test_ink_follows_the_style(style):
    import matplotlib.pyplot as plt

    if style == "book":
        style = pytest.importorskip("bookkit.figures").STYLE
    with plt.style.context(style):
        ax = show_jacobian(MATRIX)
        ink = plt.rcParams["axes.labelcolor"]
        assert {text.get_color() for text in ax.texts} == {ink}
        zeros = [line for line in ax.lines if line.get_marker() == "."]
        assert {line.get_color() for line in zeros} == {ink}
        ax.figure.canvas.draw()


def test_the_svg_holds_no_raster_image(tmp_path):
    ax = show_jacobian(MATRIX)
    ax.figure.savefig(tmp_path / "jacobian.svg")
    assert "<image" not in (tmp_path / "jacobian.svg").read_text()


def test_integers_and_booleans_can_be_drawn():
    assert set(squares(show_jacobian(np.eye(2, dtype=int)))) == {(0, 0), (1, 1)}
    assert set(squares(show_jacobian(np.eye(2, dtype=bool)))) == {(0, 0), (1, 1)}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.ones((2, 3, 4)),), "both y_shape and x_shape"),
        ((np.ones((2, 3)), 2), "both y_shape and x_shape"),
        ((np.ones((2, 3)), None, 3), "both y_shape and x_shape"),
        ((np.ones((2, 3)), 3, 2), "array layout has shape"),
        ((np.array([[1.0, np.nan]]),), "nan at row 0, column 1"),
        ((np.array([[1.0], [-np.inf]]),), "-inf at row 1, column 0"),
    ],
)
def test_what_cannot_be_drawn_is_refused_with_a_reason(arguments, message):
    with pytest.raises(ValueError, match=message):
        show_jacobian(*arguments)


def test_complex_entries_are_refused():
    with pytest.raises(TypeError, match="complex128"):
        show_jacobian(np.ones((2, 2)) * 1j)


def test_a_refused_jacobian_leaves_no_figure_behind():
    import matplotlib.pyplot as plt

    with pytest.raises(ValueError, match="nan"):
        show_jacobian(np.array([[np.nan]]))
    assert plt.get_fignums() == []


def test_a_huge_jacobian_is_refused_before_it_is_copied():
    huge = np.broadcast_to(0.0, (1000, 1000, 1000, 1000))
    with pytest.raises(ValueError, match=r"1,000,000 × 1,000,000 cells.*max_cells"):
        show_jacobian(huge, (1000, 1000), (1000, 1000))


def test_the_limit_can_be_moved():
    with pytest.raises(ValueError, match="more than 5"):
        show_jacobian(MATRIX, max_cells=5)
    assert show_jacobian(MATRIX, max_cells=6).collections


def test_importing_the_module_does_not_import_matplotlib():
    code = "import sys, minigrad.jacobian; print('matplotlib' in sys.modules)"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert ran.stdout.strip() == "False"
