"""Random programs: backward against central differences along a random direction.

A program is a list of steps. A step is four small integers: an operation, two earlier
values that it is applied to, and a variation (which axis, which shape). All operations
keep numbers between -4 or so and 4, and away from poles. A program that stops at a kink
(its slope differs to the two sides) is no example.
"""

import hypothesis.strategies as st
import numpy as np
from hypothesis import HealthCheck, assume, given, settings

import minigrad as torch

SHAPES = [(2, 3), (3,), (2, 1), (), (1, 3), (2, 3, 2), (3, 3)]


def axis(x, k: int) -> int:
    """One axis of x, from the left or from the right."""
    return k % (2 * x.ndim) - x.ndim if x.ndim else 0


def beside(x, y):
    """y itself if it broadcasts with x, otherwise its mean."""
    try:
        np.broadcast_shapes(x.shape, y.shape)
        return y
    except ValueError:
        return y.mean()


def positive(x):
    return x * x + 0.5


def within(x):
    return torch.tanh(x) * 0.9


def as_matrix(x):
    return x.reshape(-1, x.shape[-1]) if x.ndim else x.reshape(1, 1)


def widened(x, y, k):
    """Copies of x along a new axis, or along its axes of length 1."""
    return x.expand(2, *x.shape) if k % 2 else torch.broadcast_to(x, (3, *x.shape))


def moved(x, y, k):
    """The axes in another order."""
    order = np.roll(np.arange(x.ndim), k).tolist()
    return x.permute(*order) if x.ndim else x


def product(x, y, k):
    """A product of matrices: of x with y where they fit, otherwise with itself."""
    a, b = as_matrix(x), as_matrix(y)
    b = b if a.shape[1] == b.shape[0] else a.t()
    return a @ b / a.shape[1]


def reshaped(x, y, k):
    """Another shape: flat, in one row or column, or the last two axes exchanged."""
    if k % 4 == 3 and x.ndim > 1:
        return x.transpose(-1, -2)
    return x.reshape([(-1,), (1, -1), (-1, 1), x.shape][k % 4])


SMOOTH = {
    "add": lambda x, y, k: x + beside(x, y),
    "sub": lambda x, y, k: x - beside(x, y),
    "mul": lambda x, y, k: x * beside(x, y),
    "div": lambda x, y, k: x / positive(beside(x, y)),
    "number": lambda x, y, k: [x + 1.5, 2 - x, x * 0.5, 1 / positive(x)][k % 4],
    "alpha": lambda x, y, k: torch.add(x, beside(x, y), alpha=0.5),
    "neg": lambda x, y, k: -x,
    "exp": lambda x, y, k: torch.exp(within(x)),
    "log": lambda x, y, k: torch.log(positive(x)),
    "logs": lambda x, y, k: [torch.log2, torch.log10, torch.log1p][k % 3](positive(x)),
    "sqrt": lambda x, y, k: [torch.sqrt, torch.rsqrt][k % 2](positive(x)),
    "pow": lambda x, y, k: positive(within(x)) ** within(beside(x, y)),
    "power": lambda x, y, k: [x**2, within(x) ** 3, positive(x) ** -1.5, x**1][k % 4],
    "exponential": lambda x, y, k: 2.0 ** within(x),
    "sin": lambda x, y, k: [torch.sin, torch.cos, torch.atan][k % 3](x),
    "tan": lambda x, y, k: [torch.tan, torch.sinh, torch.cosh][k % 3](within(x)),
    "arc": lambda x, y, k: [torch.asin, torch.acos, torch.atanh][k % 3](within(x)),
    "arc2": lambda x, y, k: torch.atan2(x, positive(beside(x, y))),
    "area": lambda x, y, k: [torch.asinh(x), torch.acosh(positive(x) + 1)][k % 2],
    "bend": lambda x, y, k: [torch.sigmoid, torch.tanh, torch.erf][k % 3](x),
    "expm1": lambda x, y, k: torch.expm1(within(x)),
    "lerp": lambda x, y, k: torch.lerp(x, beside(x, y), 0.3),
    "sum": lambda x, y, k: x.sum() / max(x.numel(), 1) if k % 2 else x.sum(axis(x, k)),
    "mean": lambda x, y, k: x.mean(axis(x, k), keepdim=bool(k % 2)),
    "logsumexp": lambda x, y, k: x.logsumexp(axis(x, k)),
    "softmax": lambda x, y, k: [x.softmax, x.log_softmax][k % 2](axis(x, k)),
    "cumsum": lambda x, y, k: x.cumsum(axis(x, k)),
    "cumprod": lambda x, y, k: within(x).cumprod(axis(x, k)),
    "prod": lambda x, y, k: positive(within(x)).prod(axis(x, k)),
    "var": lambda x, y, k: x.var(axis(x, k), unbiased=False),
    "norm": lambda x, y, k: positive(x).norm(2 + k % 2, axis(x, k)),
    "matmul": product,
    "reshape": reshaped,
    "permute": moved,
    "expand": widened,
    "clone": lambda x, y, k: x.clone(),
}
KINKED = {
    "relu": lambda x, y, k: [torch.relu, torch.abs, torch.relu][k % 3](x),
    "maximum": lambda x, y, k: [torch.maximum, torch.minimum][k % 2](x, beside(x, y)),
    "clamp": lambda x, y, k: x.clamp(-0.5, [0.7, 1.0][k % 2]),
    "max": lambda x, y, k: [x.max, x.min][k % 2](axis(x, k))[0],
    "amax": lambda x, y, k: [x.amax, x.amin][k % 2](axis(x, k), keepdim=True),
    "extreme": lambda x, y, k: [x.max, x.min, x.median][k % 3](),
    "sort": lambda x, y, k: x.sort(axis(x, k), descending=bool(k % 2))[0],
    "topk": lambda x, y, k: x.topk(1, axis(x, k))[0],
    "median": lambda x, y, k: x.median(axis(x, k))[0],
    "where": lambda x, y, k: torch.where(x > 0.1, x, beside(x, y)),
    "masked_fill": lambda x, y, k: x.masked_fill(x < -0.5, 0.25),
    "remainder": lambda x, y, k: [torch.remainder, torch.fmod][k % 2](x, 1.3),
    "norm1": lambda x, y, k: x.norm(1, axis(x, k)),
    "floor": lambda x, y, k: torch.floor(x) + x,
    "bent": lambda x, y, k: x.abs() * x,
}
ALL = SMOOTH | KINKED


def programs(names):
    """Lists of two to eight steps."""
    step = st.tuples(
        st.sampled_from(sorted(names)),
        st.integers(0, 7),
        st.integers(0, 7),
        st.integers(0, 11),
    )
    return st.lists(step, min_size=2, max_size=8)


inputs = st.tuples(
    st.lists(st.sampled_from(SHAPES), min_size=1, max_size=3), st.integers(0, 2**16)
)


def run(program, tensors):
    """The last value of a program, with the numbers of all others: one number."""
    values = list(tensors)
    for name, first, second, k in program:
        x, y = values[-1 - first % len(values)], values[-1 - second % len(values)]
        z = ALL[name](x, y, k)
        if z.numel() and abs(z.detach().numpy()).max() > 4:
            z = torch.tanh(z)
        values.append(z)
    total = 0
    for z in values[len(tensors) :]:
        weights = 1 + np.arange(z.numel()).reshape(z.shape) % 5 / 5
        total = total + (z * torch.from_numpy(np.asarray(weights))).mean()
    return total


def made(shapes, seed):
    """Inputs, and a direction for each."""
    rng = np.random.default_rng(seed)
    points = [rng.uniform(-1.5, 1.5, shape) for shape in shapes]
    return points, [rng.standard_normal(shape) for shape in shapes]


def tensors(points, requires_grad=False):
    return [torch.tensor(np.array(p), requires_grad=requires_grad) for p in points]


def differences(function, points, directions, h: float = 1e-6):
    """The slopes of a function to the right, to the left, and their mean."""
    here, ahead, behind = (
        function([p + t * d for p, d in zip(points, directions, strict=True)])
        for t in (0, h, -h)
    )
    right, left = (ahead - here) / h, (here - behind) / h
    return right, left, (ahead - behind) / (2 * h)


def check_first_order(program, shapes, seed):
    points, directions = made(shapes, seed)
    given_ = tensors(points, requires_grad=True)
    out = run(program, given_)
    assume(out.requires_grad)
    gradients = torch.autograd.grad(out, given_, allow_unused=True)
    slope = sum(
        float((g.numpy() * d).sum())
        for g, d in zip(gradients, directions, strict=True)
        if g is not None
    )

    def value(moved):
        return float(run(program, tensors(moved)))

    right, left, measured = differences(value, points, directions)
    scale = 1 + abs(measured)
    assume(abs(right - left) < 1e-3 * scale)  # neither a kink nor a sharp bend
    assert abs(slope - measured) < 2e-6 * scale, (slope, measured)


def examples(count):
    return settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow],
    )


@examples(400)
@given(programs(SMOOTH), inputs)
def test_smooth_programs(program, drawn):
    check_first_order(program, *drawn)


@examples(300)
@given(programs(ALL), inputs)
def test_programs_with_kinks(program, drawn):
    check_first_order(program, *drawn)


@examples(120)
@given(programs(KINKED), inputs)
def test_programs_of_choices(program, drawn):
    check_first_order(program, *drawn)


@examples(150)
@given(programs(SMOOTH), inputs)
def test_gradients_of_gradients(program, drawn):
    """The slope, differentiated once more along the same direction."""
    points, directions = made(*drawn)

    def slope(moved, record: bool):
        given_ = tensors(moved, requires_grad=True)
        out = run(program, given_)
        found = torch.autograd.grad(out, given_, create_graph=record, allow_unused=True)
        total = 0
        for g, d in zip(found, directions, strict=True):
            total = (
                total
                if g is None
                else total + (g * torch.from_numpy(np.asarray(d))).sum()
            )
        return total, given_

    first, given_ = slope(points, True)
    assume(not isinstance(first, int) and first.requires_grad)
    second = torch.autograd.grad(first, given_, allow_unused=True)
    found = sum(
        float((g.numpy() * d).sum())
        for g, d in zip(second, directions, strict=True)
        if g is not None
    )
    _, _, measured = differences(
        lambda m: float(slope(m, False)[0]), points, directions
    )
    assert abs(found - measured) < 1e-5 * (1 + abs(measured)), (found, measured)


def test_every_operation_can_be_run():
    for shape in SHAPES:
        for name in ALL:
            for k in range(12):
                points, _ = made([shape, (2, 3)], 1)
                assert np.isfinite(float(run([(name, 1, 0, k)], tensors(points))))
