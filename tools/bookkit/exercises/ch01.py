"""Checks of Chapter 1, "A derivative is a linear map".

Expected values come from exact fractions, from derivatives written by hand, or from a
complex step of this module's own: never from the functions the chapter builds.
"""

from fractions import Fraction

import numpy as np

from bookkit.checks import close, exercise

TINY = 1e-30


class Counted:
    """A function that counts its calls."""

    def __init__(self, function):
        self.function = function
        self.calls = 0

    def __call__(self, x):
        """Call the function, and count."""
        self.calls += 1
        return self.function(x)


def slope_along(f, x, v):
    """The derivative of an analytic f at x along v, by complex step."""
    return np.imag(f(x + 1j * TINY * v)) / TINY


@exercise("1.1")
def predict_a_difference(answer):
    """Three quotients, worked out in exact fractions."""
    x, h = Fraction(3), Fraction(1, 2)
    names = (
        "the forward difference of x² is the slope plus h",
        "the central difference of x² has no error at all",
        "the central difference of x³ is the slope plus h²",
    )
    exact = (
        ((x + h) ** 2 - x**2) / h,
        ((x + h) ** 2 - (x - h) ** 2) / (2 * h),
        ((x + h) ** 3 - (x - h) ** 3) / (2 * h),
    )
    yield "the answer is a list of three numbers"
    assert np.shape(answer) == (3,), f"its shape is {np.shape(answer)}"
    for name, number, expected in zip(names, answer, exact, strict=True):
        yield name
        # The right number is not given away by the message.
        assert abs(float(number) - float(expected)) < 1e-9, f"{number} is not it"


@exercise("1.2")
def give_me_the_jacobian(jacobian):
    """Shape first, then each column against a complex step."""

    def f(x):
        a, b = x
        return np.array([a * b, b * b, a - 3 * b])

    random = np.random.default_rng(12)
    points = [np.array([2.0, 5.0]), *random.standard_normal((3, 2))]
    yield "three outputs and two inputs make the shape (3, 2)"
    shape = np.shape(jacobian(points[0].copy()))
    assert shape == (3, 2), f"its shape is {shape}"
    for i, name in enumerate("ab"):
        yield f"column {i} says what moving {name} does to the three outputs"
        for x in points:
            column = np.asarray(jacobian(x.copy()))[:, i]
            what = f"column {i} at (a, b) = {x.round(3)}"
            close(column, slope_along(f, x, np.eye(2)[i]), within=1e-9, what=what)


@exercise("1.3")
def a_derivative_without_a_matrix(push):
    """The derivative of X Xᵀ, for wide, tall and empty X."""
    random = np.random.default_rng(13)

    def along(shape):
        x, v = random.standard_normal((2, *shape))
        expected = slope_along(lambda z: z @ z.T, x, v)
        close(push(x.copy(), v.copy()), expected, within=1e-9)

    yield "it is the rate of change of X Xᵀ for a square X"
    along((3, 3))
    yield "it is so for a wide and for a tall X, with shape (m, m)"
    along((2, 5))
    along((4, 1))
    yield "it is linear: the push along 2V - 3W is 2 pushes along V less 3 along W"
    x, v, w = random.standard_normal((3, 2, 3))
    mixture = 2 * push(x, v) - 3 * push(x, w)
    close(push(x, 2 * v - 3 * w), mixture, within=1e-9)
    yield "an X without columns gives zeros of shape (m, m)"
    close(push(np.ones((2, 0)), np.ones((2, 0))), np.zeros((2, 2)))


@exercise("1.4")
def the_gradient_with_four_faults(gradient):
    """Each fault on its own, with the plain case first."""
    yield "the gradient of Σ x² is 2x"
    found = gradient(lambda x: (x * x).sum(), np.array([1.0, -2.0]))
    close(found, [2.0, -4.0], within=1e-5)

    yield "the caller's x is the same afterwards, to the last bit"
    x = np.array([0.1, 1 / 3, 1e6 / 7])
    before = x.copy()
    gradient(lambda x: np.sin(x).sum(), x)
    assert np.array_equal(x, before), f"it has moved by {np.abs(x - before).max():.1e}"

    yield "x may be read-only"
    x.flags.writeable = False
    gradient(lambda x: np.sin(x).sum(), x)

    yield "integers are not treated as if they could move a little"
    try:
        found = np.asarray(gradient(lambda x: (x * x).sum(), np.array([1, 2, 3])))
    except (TypeError, ValueError, RuntimeError):
        pass  # refusing them is right, and so is converting them
    else:
        close(found, [2.0, 4.0, 6.0], within=1e-4, what="the integer gradient")

    yield "x may be a matrix, a number or empty, and the gradient has its shape"
    for shape in ((2, 3), (), (0,), (2, 0)):
        x = np.random.default_rng(14).uniform(1, 2, shape)
        close(gradient(lambda x: (x**3).sum(), x), 3 * x**2, within=1e-4)

    yield "the step suits a large x as well"
    for size in (1e8, 1e12):
        x = np.array([size, 2 * size])
        found = gradient(lambda x: (x * x).sum(), x) / size
        close(found, [2.0, 4.0], within=1e-3, what=f"the gradient over {size:g}")


@exercise("1.5")
def a_thousand_slopes_in_one_pass(slopes):
    """The values, the shapes, and that calls do not grow."""
    yield "the slopes of exp are exp itself, of sin they are cos"
    x = np.linspace(-1, 2, 7)
    close(slopes(np.exp, x), np.exp(x), within=1e-5)
    close(slopes(np.sin, x), np.cos(x), within=1e-5)

    yield "each element gets its own slope, with the shape of x"
    for shape in ((2, 3), (), (0,)):
        x = np.random.default_rng(15).uniform(0.5, 1.5, shape)
        close(slopes(lambda x: x * x * x, x), 3 * x * x, within=1e-5)

    yield "a thousand elements need no more calls of f than one"
    few, many = Counted(np.exp), Counted(np.exp)
    slopes(few, np.ones(1))
    slopes(many, np.linspace(0.5, 1.5, 1000))
    assert many.calls <= few.calls, (
        f"{few.calls} calls for one element, {many.calls} for a thousand"
    )


@exercise("1.6")
def two_wrongs_make_a_right(extrapolated):
    """Exactness, the number of calls, and the order."""
    yield "it is exact for powers up to x⁴, even with the step 1/2"
    for power in (1, 2, 3, 4):
        found = extrapolated(lambda x, k=power: x**k, 2.0, 0.5)
        expected = power * 2.0 ** (power - 1)
        close(found, expected, within=1e-10, what=f"the slope of x^{power}")

    yield "f is called no more than four times"
    f = Counted(np.exp)
    extrapolated(f, 1.0, 0.1)
    assert f.calls <= 4, f"it was called {f.calls} times"

    yield "half the step means a sixteenth of the error"
    found = [float(extrapolated(np.sin, 1.0, h)) for h in (0.2, 0.1)]
    errors = np.abs(np.array(found) - np.cos(1.0))
    assert errors[1] > 0, "there is no error at all: is f differentiated by hand?"
    ratio = errors[0] / errors[1]
    assert 14 < ratio < 18, f"the error fell by a factor of {ratio:.1f}"


@exercise("1.7")
def let_the_imaginary_part_through(spread):
    """The real value, and the slope in the imaginary part."""
    random = np.random.default_rng(17)
    points = [np.array([1.0, 4.0]), *(random.standard_normal(n) for n in (3, 8))]
    yield "for real x it is the length of x - x.mean()"
    for x in points:
        close(spread(x.copy()), np.linalg.norm(x - x.mean()), within=1e-12)

    yield "for complex x the result is complex"
    for x in points:
        assert np.iscomplexobj(spread(x + 1j * TINY)), "its imaginary part is gone"

    yield "its imaginary part is the slope, along any direction"
    for x in points:
        d, v = x - x.mean(), random.standard_normal(x.shape)
        expected = d @ v / np.linalg.norm(d)
        close(slope_along(spread, x, v), expected, within=1e-10, what="the slope")
