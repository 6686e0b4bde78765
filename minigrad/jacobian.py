# Generated from chapter 2 (book/ch02-jacobians.ipynb): edit the chapter, not this.
"""Where a Jacobian keeps its entries, and how to look at them.

The Jacobian of y by x has one entry for every pair of an output and an input,
∂y[i] / ∂x[j], where i and j are index tuples. Conventions differ only in the order of
the axes:

=============  ==========================  =========================================
layout         shape                       where you meet it
=============  ==========================  =========================================
array          y.shape + x.shape           ``numerical_jacobian``, PyTorch, JAX
matrix         (y.size, x.size)            linear algebra; the numerator layout
denominator    x.shape + y.shape           "the gradient has the shape of x"
mirrored       y.shape + x.shape[::-1]     pencil and paper: neighbours contract
=============  ==========================  =========================================

For vectors, array, matrix and mirrored agree, and denominator is their transpose.
The functions here move axes and draw; none of them computes a derivative.
"""

import math
import operator

import numpy as np

LAYOUTS = {
    "array": lambda y, x: y + x,
    "matrix": lambda y, x: (math.prod(y), math.prod(x)),
    "denominator": lambda y, x: x + y,
    "mirrored": lambda y, x: y + x[::-1],
}


def layout_shape(layout, y_shape, x_shape):
    """The shape that ∂y/∂x has in one of the ``LAYOUTS``, as a tuple.

    ``y_shape`` and ``x_shape`` are tuples, or an int for a vector, as in NumPy.
    Raises ``ValueError`` for a layout that is not in ``LAYOUTS``.
    """
    if layout not in LAYOUTS:
        names = ", ".join(map(repr, LAYOUTS))
        raise ValueError(f"unknown layout {layout!r}; choose from {names}")
    return LAYOUTS[layout](_as_tuple(y_shape), _as_tuple(x_shape))


def _as_tuple(shape):
    """A shape as a tuple of ints: 3 becomes (3,)."""
    return tuple(map(operator.index, [shape] if np.ndim(shape) == 0 else shape))


def _in_layout(jacobian, layout, y_shape, x_shape):
    """``jacobian`` as an array, if it has the layout's shape; else a ValueError."""
    jacobian = np.asarray(jacobian)
    expected = layout_shape(layout, y_shape, x_shape)
    if jacobian.shape == expected:
        return jacobian
    shapes = {name: layout_shape(name, y_shape, x_shape) for name in LAYOUTS}
    fits = " or ".join(name for name in LAYOUTS if shapes[name] == jacobian.shape)
    hint = f"That fits the {fits} layout: convert it first. Or else: " if fits else ""
    raise ValueError(
        f"for y of shape {_as_tuple(y_shape)} and x of shape {_as_tuple(x_shape)} the "
        f"{layout} layout has shape {expected}, got {jacobian.shape}. {hint}"
        "are y_shape and x_shape right, and in this order?"
    )


def to_matrix(jacobian, y_shape, x_shape):
    """From the array layout, y.shape + x.shape, to the matrix (y.size, x.size).

    Row r is the r-th entry of y and column c the c-th entry of x, counted as
    ``ravel`` counts: last index fastest. This is the numerator layout. The result may
    share memory with ``jacobian``. Raises ``ValueError`` for any other shape.
    """
    jacobian = _in_layout(jacobian, "array", y_shape, x_shape)
    return jacobian.reshape(layout_shape("matrix", y_shape, x_shape))


def from_matrix(matrix, y_shape, x_shape):
    """From the matrix (y.size, x.size) back to the array layout, y.shape + x.shape.

    The inverse of `to_matrix`. The result may share memory with ``matrix``. Raises
    ``ValueError`` for any other shape.
    """
    matrix = _in_layout(matrix, "matrix", y_shape, x_shape)
    return matrix.reshape(layout_shape("array", y_shape, x_shape))


def to_denominator(jacobian, y_shape, x_shape):
    """From the array layout, y.shape + x.shape, to the denominator, x.shape + y.shape.

    For vectors the transpose; for a scalar y the gradient, in the shape of x. Returns
    a view. Raises ``ValueError`` for any other shape.
    """
    jacobian = _in_layout(jacobian, "array", y_shape, x_shape)
    count = len(_as_tuple(y_shape))
    return np.moveaxis(jacobian, range(count), range(-count, 0))


def from_denominator(jacobian, y_shape, x_shape):
    """From the denominator layout, x.shape + y.shape, to the array, y.shape + x.shape.

    The inverse of `to_denominator`. Returns a view. Raises ``ValueError`` for any
    other shape.
    """
    jacobian = _in_layout(jacobian, "denominator", y_shape, x_shape)
    count = len(_as_tuple(x_shape))
    return np.moveaxis(jacobian, range(count), range(-count, 0))


def to_mirrored(jacobian, y_shape, x_shape):
    """From the array layout, y.shape + x.shape, to y.shape + x.shape[::-1].

    For matrices (m_y, n_y, n_x, m_x). Two Jacobians in this layout multiply by
    `chain_mirrored`. Returns a view. Raises ``ValueError`` for any other shape.
    """
    jacobian = _in_layout(jacobian, "array", y_shape, x_shape)
    return _reverse_axes_from(jacobian, len(_as_tuple(y_shape)))


def from_mirrored(jacobian, y_shape, x_shape):
    """From the mirrored layout, y.shape + x.shape[::-1], to y.shape + x.shape.

    The inverse of `to_mirrored`. Returns a view. Raises ``ValueError`` for any other
    shape.
    """
    jacobian = _in_layout(jacobian, "mirrored", y_shape, x_shape)
    return _reverse_axes_from(jacobian, len(_as_tuple(y_shape)))


def _reverse_axes_from(array, first):
    """Reverse the order of the axes from number ``first`` on."""
    return array.transpose(*range(first), *reversed(range(first, array.ndim)))


def chain_mirrored(outer, inner, y_shape):
    """The chain rule, ∂z/∂x = ∂z/∂y · ∂y/∂x, for Jacobians in the mirrored layout.

    ``outer`` is ∂z/∂y, z.shape + y.shape[::-1]; ``inner`` is ∂y/∂x, y.shape +
    x.shape[::-1]; the result is z.shape + x.shape[::-1]. Neighbouring axes contract:
    last with first, last but one with second, as brackets nest. For vectors this is
    the matrix product. Raises ``ValueError`` if the axes do not match ``y_shape``.
    """
    outer, inner, y_shape = np.asarray(outer), np.asarray(inner), _as_tuple(y_shape)
    count = len(y_shape)
    meeting = outer.shape[max(outer.ndim - count, 0) :], inner.shape[:count]
    if meeting != (y_shape[::-1], y_shape):
        raise ValueError(
            f"for y of shape {y_shape}, outer must end in {y_shape[::-1]} and inner "
            f"begin with {y_shape}; got outer {outer.shape} and inner {inner.shape}. "
            "Are both in the mirrored layout (see to_mirrored)?"
        )
    pairs = range(outer.ndim - 1, outer.ndim - 1 - count, -1), range(count)
    return np.tensordot(outer, inner, axes=pairs)


def _draw_squares(ax, matrix, strongest):
    """One square for each non-zero entry: hue for the sign, opacity for the size."""
    from matplotlib.collections import PatchCollection
    from matplotlib.colors import to_rgba
    from matplotlib.patches import Rectangle

    values = matrix[matrix != 0]
    colours = np.where(values[:, None] > 0, to_rgba("C0"), to_rgba("C1"))
    share = np.abs(values) / np.max(np.abs(values), initial=0.0)
    colours[:, 3] = 0.15 + (strongest - 0.15) * share
    corners = np.argwhere(matrix)[:, ::-1] - 0.46
    squares = [Rectangle(corner, 0.92, 0.92) for corner in corners]
    ax.add_collection(PatchCollection(squares, facecolors=colours, edgecolors="none"))


def _draw_marks(ax, matrix, values, ink):
    """A dot for each zero; the number in each square, or a minus on each negative."""
    rows, columns = np.nonzero(matrix == 0)
    ax.plot(columns, rows, ".", color=ink, alpha=0.4, markersize=2)
    if not values:
        rows, columns = np.nonzero(matrix < 0)
        ax.hlines(rows, columns - 0.2, columns + 0.2, color=ink, linewidth=1.2)
        return
    for row, column in np.argwhere(matrix):
        value = matrix[row, column]
        digits = f"{value:.3g}" if abs(value) >= 1 else f"{value:.2g}"
        style = {"ha": "center", "va": "center", "fontsize": 9, "color": ink}
        ax.text(column, row, digits.replace("-", "−"), **style)


def _draw_frame(ax, y_shape, x_shape, labels, ink):
    """Limits, index labels and the lines between blocks: rows are y, columns x."""
    rows, columns = math.prod(y_shape), math.prod(x_shape)
    ax.set(xlim=(-0.5, max(columns, 1) - 0.5), ylim=(max(rows, 1) - 0.5, -0.5))
    ax.set_aspect("equal")
    ax.grid(False)
    ax.xaxis.tick_top()
    ax.xaxis.set_label_position("top")
    ax.tick_params(length=0)
    ax.spines[:].set(visible=True, color=ink, alpha=0.4, linewidth=0.8)
    sides = (ax.yaxis, "y", y_shape, ax.axhline), (ax.xaxis, "x", x_shape, ax.axvline)
    for side, name, shape, draw_line in sides:
        indices = list(np.ndindex(*shape)) if labels else []
        names = [",".join(map(str, index)) or "()" for index in indices]
        side.set_ticks(range(len(names)), names)
        side.set_label_text(f"{name} {shape}")
        for axis in range(1, len(shape)):
            block, weight = math.prod(shape[axis:]), len(shape) - axis
            for edge in range(block, math.prod(shape), max(block, 1)):
                draw_line(edge - 0.5, color=ink, alpha=0.6, linewidth=0.8 * weight)


def _drawable(jacobian, y_shape, x_shape, max_cells):
    """The matrix to draw and both shapes, or an error that says why not."""
    jacobian = np.asarray(jacobian)
    if y_shape is None and x_shape is None and jacobian.ndim == 2:
        y_shape, x_shape = jacobian.shape[:1], jacobian.shape[1:]
    if y_shape is None or x_shape is None:
        raise ValueError(
            f"a Jacobian of shape {jacobian.shape} needs both y_shape and x_shape; "
            "only a matrix can be drawn without them"
        )
    rows, columns = layout_shape("matrix", y_shape, x_shape)
    if jacobian.shape != (rows, columns):
        jacobian = _in_layout(jacobian, "array", y_shape, x_shape)
    if rows * columns > max_cells:
        raise ValueError(
            f"{rows:,} × {columns:,} cells are more than {max_cells:,}: draw a smaller "
            "example or a slice, or raise max_cells"
        )
    matrix = jacobian.reshape(rows, columns)
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"cannot draw dtype {matrix.dtype}: the entries must be real")
    for row, column in np.argwhere(~np.isfinite(matrix)):
        raise ValueError(f"{matrix[row, column]} at row {row}, column {column}")
    return matrix.astype(float), _as_tuple(y_shape), _as_tuple(x_shape)


def show_jacobian(
    jacobian,
    y_shape=None,
    x_shape=None,
    *,
    ax=None,
    values=None,
    labels=None,
    zero_below=0.0,
    max_cells=4096,
):
    """Draw a Jacobian so that its zeros, signs and blocks can be seen; return the Axes.

    Rows are the entries of y and columns those of x, last index fastest. Positive and
    negative entries are squares in the first two colours of the cycle, more opaque the
    larger they are, with their value or, if negative, a minus. A zero is a dot.

    ``jacobian`` is an array, y_shape + x_shape, or a matrix, (y.size, x.size), which
    needs no shapes if y and x are vectors. ``values`` writes the numbers (default: up
    to 8 a side), ``labels`` the indices (up to 12); entries of size ``zero_below`` or
    less count as zero. Raises ``ValueError`` for shapes that do not fit, for NaN and
    infinity and for more than ``max_cells`` entries, ``TypeError`` if complex.
    """
    matrix, y_shape, x_shape = _drawable(jacobian, y_shape, x_shape, max_cells)
    matrix[np.abs(matrix) <= zero_below] = 0.0
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.figure(layout="constrained").add_subplot()
    longest = max(matrix.shape)
    values = longest <= 8 if values is None else values
    ink = ax.xaxis.label.get_color()
    _draw_squares(ax, matrix, strongest=0.5 if values else 0.75)
    _draw_marks(ax, matrix, values, ink)
    _draw_frame(ax, y_shape, x_shape, longest <= 12 if labels is None else labels, ink)
    return ax
