"""Checks of the exercises of chapter 3, The chain rule is matrix multiplication.

Expected values are computed here by other means than the chapter uses: Jacobians by
the definition, the fewest multiplications by trying all brackets, paths by counting
what is known in closed form.
"""

from functools import cache
from math import comb, prod

import numpy as np

from bookkit.checks import close, exercise


@exercise("3.1")
def two_cotangents_on_paper(x_bar, y_bar):
    """Broadcasting's transpose, by hand."""
    x = np.array([[1.0], [2.0]])
    y = np.array([10.0, 20.0, 30.0])
    g = np.array([[1.0, 0.0, 2.0], [0.0, 1.0, 0.0]])

    def reaction(dx, dy):
        return np.sum(g * (dx * y + x * dy))

    expected_x = [[reaction(np.eye(2)[:, [k]], np.zeros(3))] for k in range(2)]
    expected_y = [reaction(np.zeros((2, 1)), np.eye(3)[k]) for k in range(3)]
    yield "the cotangent of x has the shape of x"
    shape = np.shape(x_bar)
    assert shape == x.shape, f"x has shape {x.shape}, your x_bar has shape {shape}"
    yield "the cotangent of y has the shape of y"
    shape = np.shape(y_bar)
    assert shape == y.shape, f"y has shape {y.shape}, your y_bar has shape {shape}"
    yield "x gets the sum over its copies, one in each column"
    _same(x_bar, expected_x, "x_bar")
    yield "y gets the sum over its copies, one in each row"
    _same(y_bar, expected_y, "y_bar")


class _Counted(list):
    """A list that counts how often its items are asked for."""

    def __init__(self, items):
        super().__init__(items)
        self.looks = 0

    def _look(self, times=1):
        self.looks += times
        assert self.looks <= 4 * len(self), (
            "the edges have been looked at more than four times each: a sweep needs "
            "to see each edge once"
        )

    def __iter__(self):
        for item in super().__iter__():
            self._look()
            yield item

    def __reversed__(self):
        for item in super().__reversed__():
            self._look()
            yield item

    def __getitem__(self, index):
        found = super().__getitem__(index)
        self._look(len(found) if isinstance(index, slice) else 1)
        return found


@exercise("3.2")
def how_many_paths(count_paths):
    """Count the paths of a graph in one sweep."""

    def count(edges, source, target):
        found = count_paths(_Counted(edges), source, target)
        assert found is not None, "it returned None (is a `return` missing?)"
        return found

    def expect(found, expected):
        assert found == expected, f"it returned {found}, expected {expected}"

    yield "a chain has one path"
    expect(count([("x", "a"), ("a", "b"), ("b", "y")], "x", "y"), 1)
    yield "the graph of the chapter has three"
    edges = ["xa", "xb", "ac", "bc", "ay", "cy"]
    expect(count([tuple(edge) for edge in edges], "x", "y"), 3)
    yield "a value that is used twice by the same line counts twice"
    expect(count([("x", "a"), ("x", "a"), ("a", "y")], "x", "y"), 2)
    yield "paths that start or end elsewhere are not counted"
    edges = [("w", "a"), ("x", "a"), ("a", "y"), ("w", "y"), ("a", "z"), ("y", "z")]
    expect(count(edges, "x", "y"), 1)
    yield "nodes that are not connected have none"
    expect(count([("x", "a"), ("b", "y")], "x", "y"), 0)
    yield "in a triangle of additions the counts are binomial coefficients"
    edges = [
        ((row, k), (row + 1, k + side))
        for row in range(10)
        for k in range(row + 1)
        for side in (0, 1)
    ]
    expect(count(edges, (0, 0), (10, 4)), comb(10, 4))
    yield "a ladder of 200 diamonds has 2 to the power of 200, exactly"
    edges = []
    for k in range(200):
        left, right = f"a{k}", f"b{k}"
        edges += [(k, left), (k, right), (left, k + 1), (right, k + 1)]
    expect(count(edges, 0, 200), 2**200)


@exercise("3.3")
def give_me_the_jacobian(slide_jacobian, slide_rule):
    """A sliding window: a band of copies, and a convolution on the way back."""
    rng = np.random.default_rng(33)

    def by_definition(w, n):
        places = range(n - len(w) + 1)
        return np.array(
            [
                [w[j - i] if 0 <= j - i < len(w) else 0.0 for j in range(n)]
                for i in places
            ]
        )

    sizes = [(3, 5), (2, 6), (1, 4), (4, 4)]
    for length, n in sizes:
        w = rng.standard_normal(length)
        yield f"the Jacobian is right for a window of {length} and n = {n}"
        close(slide_jacobian(w, n), by_definition(w, n), what="the Jacobian")
    for length, n in sizes:
        w, g = rng.standard_normal(length), rng.standard_normal(n - length + 1)
        yield f"the rule gives gᵀJ for a window of {length} and n = {n}"
        close(slide_rule(g, w), g @ by_definition(w, n), what="the cotangent")
    yield "the rule leaves its arguments alone"
    g, w = np.array([1.0, 2.0, 3.0]), np.array([1.0, -1.0])
    slide_rule(g, w)
    close(g, np.array([1.0, 2.0, 3.0]), what="g after the call")
    close(w, np.array([1.0, -1.0]), what="w after the call")
    yield "the rule copes with a million numbers, whose Jacobian would fill terabytes"
    close(slide_rule(np.ones(10**6), np.ones(2))[:2], np.array([1.0, 2.0]))


@exercise("3.4")
def find_the_bugs(layer_backward):
    """The three cotangents of a linear layer, on sizes that are all different."""
    rng = np.random.default_rng(34)
    shapes = {"x": (4, 2), "w": (2, 3), "b": (3,)}
    values = {name: rng.standard_normal(shape) for name, shape in shapes.items()}
    g = rng.standard_normal((4, 3))

    def weighted(x, w, b):
        return np.sum(g * (np.einsum("ij,jk->ik", x, w) + b))

    def expected(name):
        """The derivative of the weighted output; it is linear in each operand."""
        zero = weighted(**{**values, name: np.zeros(shapes[name])})
        units = np.eye(prod(shapes[name])).reshape(-1, *shapes[name])
        slopes = [weighted(**{**values, name: unit}) - zero for unit in units]
        return np.reshape(slopes, shapes[name])

    yield "it returns three cotangents"
    found = layer_backward(g, **values)
    assert isinstance(found, tuple | list), f"it returned {type(found).__name__}"
    assert len(found) == 3, f"it returned {len(found)} values"
    for name, cotangent in zip("xwb", found, strict=True):
        yield f"the cotangent of {name} has the shape {shapes[name]}"
        assert np.shape(cotangent) == shapes[name], f"found {np.shape(cotangent)}"
    for name, cotangent in zip("xwb", found, strict=True):
        yield f"the cotangent of {name} has the right values"
        close(cotangent, expected(name), what=f"the cotangent of {name}")
    yield "a batch of one example works"
    one = layer_backward(g[:1], values["x"][:1], values["w"], values["b"])
    close(one[2], g[0], what="the cotangent of b")
    yield "an empty batch gives zeros for w and b"
    none = layer_backward(g[:0], values["x"][:0], values["w"], values["b"])
    close(none[1], np.zeros(shapes["w"]), what="the cotangent of w")
    close(none[2], np.zeros(shapes["b"]), what="the cotangent of b")


@exercise("3.5")
def a_sixteenth_primitive(sigmoid):
    """The logistic function, with a rule that reads the result only."""
    yield "it is a primitive"
    parts = ("forward", "rules", "needs", "saves")
    assert all(hasattr(sigmoid, part) for part in parts), (
        f"found {type(sigmoid).__name__}; `define` returns a primitive"
    )
    yield "it has one operand"
    assert len(sigmoid.rules) == 1, f"it has rules for {list(sigmoid.rules)}"
    operand, rule = next(iter(sigmoid.rules.items()))
    rng = np.random.default_rng(35)
    for shape in [(3,), (2, 4), (), (0,)]:
        yield f"the forward function is right on shape {shape}"
        x = rng.standard_normal(shape) * 2
        expected = 0.5 * (1 + np.tanh(x / 2))
        close(sigmoid.forward(x), expected)
    yield "the rule needs the result, and neither the operand nor anything else"
    assert tuple(sigmoid.needs[operand]) == ("out",), (
        f"after g, the rule asks for {', '.join(sigmoid.needs[operand]) or 'nothing'}"
    )
    for shape in [(3,), (2, 4), (), (0,)]:
        yield f"the rule is right on shape {shape}"
        x, g = rng.standard_normal(shape) * 2, rng.standard_normal(shape)
        slope = 1 / (2 + 2 * np.cosh(x))
        close(rule(g, sigmoid.forward(x)), g * slope, what="the cotangent")
    yield "float32 stays float32"
    x = np.array([0.5, -1.0], dtype=np.float32)
    found = rule(np.ones_like(x), sigmoid.forward(x)).dtype
    assert found == np.float32, f"the cotangent has dtype {found}"


@exercise("3.6")
def the_dot_test(dot_test):
    """It accepts transposes and turns down everything else."""
    rng = np.random.default_rng(36)
    matrix = rng.standard_normal((3, 2))
    square = rng.standard_normal((3, 3))

    def answer(push, pull, x_shape, y_shape):
        found = dot_test(push, pull, x_shape, y_shape)
        assert isinstance(found, bool | np.bool_), f"it returned {found!r}"
        return bool(found)

    def copy(v):
        return np.broadcast_to(v, (4, 3))

    def summed(u):
        return np.sum(u, axis=0)

    accept = "it says True, and should: "
    yield accept + "a matrix and its transpose"
    assert answer(lambda v: matrix @ v, lambda u: u @ matrix, (2,), (3,))
    yield accept + "copying and summing, on a matrix of outputs"
    assert answer(copy, summed, (3,), (4, 3))
    yield accept + "a sum to one number, and its copies"
    assert answer(np.sum, lambda u: u * np.ones((2, 3)), (2, 3), ())
    yield accept + "slopes with rounding errors in the last digits"
    assert answer(lambda v: v * 1.1 * 1.3, lambda u: u * 1.3 * 1.1, (50,), (50,))
    refuse = "it says False, and should: "
    yield refuse + "a square matrix in place of its transpose"
    assert not answer(lambda v: square @ v, lambda u: square @ u, (3,), (3,))
    yield refuse + "a wrong sign"
    assert not answer(lambda v: matrix @ v, lambda u: -(u @ matrix), (2,), (3,))
    yield refuse + "a factor of 1.001"
    assert not answer(lambda v: matrix @ v, lambda u: 1.001 * (u @ matrix), (2,), (3,))
    yield refuse + "a mean in place of a sum"
    assert not answer(copy, lambda u: np.mean(u, axis=0), (3,), (4, 3))
    yield refuse + "one entry that is wrong"
    spoiled = square.T.copy()
    spoiled[0, 2] += 0.5
    assert not answer(lambda v: square @ v, lambda u: spoiled @ u, (3,), (3,))


@exercise("3.7")
def the_best_brackets(fewest):
    """The matrix chain, against all ways to set brackets."""

    @cache
    def all_brackets(widths):
        if len(widths) == 2:
            return 0
        return min(
            all_brackets(widths[: k + 1])
            + all_brackets(widths[k:])
            + widths[0] * widths[k] * widths[-1]
            for k in range(1, len(widths) - 1)
        )

    def expect(widths):
        found, expected = fewest(widths), all_brackets(tuple(widths))
        assert found == expected, f"for {widths} it returned {found}, not {expected}"

    yield "a single Jacobian costs nothing"
    expect((5, 7))
    yield "two Jacobians have one product"
    expect((5, 7, 3))
    yield "a loss: start at the output"
    expect((400, 60, 60, 1))
    yield "one input: start at the input"
    expect((1, 60, 60, 400))
    yield "the bottleneck of the chapter: 15,000"
    expect((50, 50, 2, 50, 50))
    yield "two bottlenecks"
    expect((30, 2, 40, 40, 3, 50, 20))
    rng = np.random.default_rng(37)
    for count in (4, 5, 6, 8):
        yield f"random widths, {count} of them"
        for _ in range(5):
            expect(tuple(int(n) for n in rng.integers(1, 40, count)))


def _same(found, expected, what):
    close(np.asarray(found, dtype=float), np.asarray(expected, dtype=float), what=what)
