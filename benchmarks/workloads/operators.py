"""Every operator, forward and backward on 100×100 arrays, beside its gradient by hand.

By hand means: what somebody would write who needs this one gradient, in NumPy, with
everything reused that the forward half has computed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.harness import Step, Workload

SIZE = 100


@dataclass
class Operator(Workload):
    """One call of one operator, and one backward pass through it.

    ``program(torch, x, y)`` is the call; ``derivative(g, x, y)`` computes the result,
    and from its cotangent g the gradients of the operands that the program uses.
    """

    name: str
    program: Callable
    derivative: Callable
    size: int = SIZE

    @property
    def measures(self) -> str:
        return f"forward and backward on {self.size}×{self.size} floats"

    def data(self) -> tuple[np.ndarray, np.ndarray]:
        """Two well-conditioned positive matrices."""
        rng = np.random.default_rng(0)
        shape = (self.size, self.size)
        x, y = (rng.uniform(0.3, 0.9, shape).astype(np.float32) for _ in range(2))
        return x, y

    def hand(self) -> Step:
        x, y = self.data()
        g = cotangent(np.shape(self.derivative(None, x, y)))

        def step():
            with np.errstate(all="ignore"):
                return self.derivative(g, x, y)

        return step

    def torch(self, torch) -> Step:
        x, y = (torch.tensor(a, requires_grad=True) for a in self.data())
        with torch.no_grad():
            g = torch.tensor(cotangent(self.program(torch, x, y).shape))

        def step():
            x.grad = y.grad = None
            self.program(torch, x, y).backward(g)
            return [t.grad for t in (x, y) if t.grad is not None]

        return step


def cotangent(shape: tuple) -> np.ndarray:
    """Some numbers to send back."""
    return np.asarray(
        np.random.default_rng(2).uniform(0.5, 1.5, tuple(shape)), np.float32
    )


def pointwise(forward: Callable, slope: Callable) -> Callable:
    """The derivative by hand of a function of one operand: g times its slope."""

    def derivative(g, x, y):
        z = forward(x)
        return z if g is None else [g * slope(x, z)]

    return derivative


def pairwise(forward: Callable, back: Callable) -> Callable:
    """The derivative by hand of a function of two operands."""

    def derivative(g, x, y):
        z = forward(x, y)
        return z if g is None else back(g, x, y, z)

    return derivative


def logistic(x):
    """The logistic function."""
    return 1 / (1 + np.exp(-x))


def softmax(x):
    """Softmax of every row."""
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def placed(g, x, where):
    """Zeros like x, with g at some places."""
    total = np.zeros_like(x)
    total[where] = g
    return total


def summed(g, x, where):
    """Zeros like x, with g added at places that may repeat."""
    total = np.zeros_like(x)
    np.add.at(total, where, g)
    return total


SQRT2PI = math.sqrt(2 * math.pi)
ROWS = np.arange(SIZE)
PICKED = np.random.default_rng(3).integers(0, SIZE, SIZE)

ONE = {  # name: (forward, slope) with z the result
    "neg": (np.negative, lambda x, z: np.float32(-1)),
    "abs": (np.abs, lambda x, z: np.sign(x)),
    "exp": (np.exp, lambda x, z: z),
    "expm1": (np.expm1, lambda x, z: z + 1),
    "log": (np.log, lambda x, z: 1 / x),
    "log1p": (np.log1p, lambda x, z: 1 / (1 + x)),
    "sqrt": (np.sqrt, lambda x, z: 0.5 / z),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x, z: -0.5 * z * z * z),
    "square": (np.square, lambda x, z: 2 * x),
    "reciprocal": (np.reciprocal, lambda x, z: -z * z),
    "sin": (np.sin, lambda x, z: np.cos(x)),
    "cos": (np.cos, lambda x, z: -np.sin(x)),
    "tan": (np.tan, lambda x, z: 1 + z * z),
    "sinh": (np.sinh, lambda x, z: np.cosh(x)),
    "cosh": (np.cosh, lambda x, z: np.sinh(x)),
    "tanh": (np.tanh, lambda x, z: 1 - z * z),
    "atan": (np.arctan, lambda x, z: 1 / (1 + x * x)),
    "sigmoid": (logistic, lambda x, z: z * (1 - z)),
    "relu": (lambda x: np.maximum(x, 0), lambda x, z: x > 0),
}

OPERATORS = [
    Operator(
        name,
        lambda torch, x, y, name=name: getattr(torch, name)(x),
        pointwise(*pair),
    )
    for name, pair in ONE.items()
]


def add(name: str, program: Callable, forward: Callable, back: Callable) -> None:
    """Enter an operator: its program, and by hand its result and its gradients."""
    OPERATORS.append(Operator(name, program, pairwise(forward, back)))


def of_x(gradient: Callable) -> Callable:
    """Gradients by hand where only x is used."""
    return lambda g, x, y, z: [gradient(g, x, z)]


add("add", lambda t, x, y: x + y, np.add, lambda g, x, y, z: [g.copy(), g.copy()])
add("sub", lambda t, x, y: x - y, np.subtract, lambda g, x, y, z: [g.copy(), -g])
add("mul", lambda t, x, y: x * y, np.multiply, lambda g, x, y, z: [g * y, g * x])
add(
    "div",
    lambda t, x, y: x / y,
    np.divide,
    lambda g, x, y, z: [g / y, -g * z / y],
)
add(
    "pow",
    lambda t, x, y: x**y,
    np.power,
    lambda g, x, y, z: [g * y * x ** (y - 1), g * z * np.log(x)],
)
add(
    "pow (number)",
    lambda t, x, y: x**3,
    lambda x, y: x**3,
    of_x(lambda g, x, z: g * 3 * x**2),
)
add(
    "maximum",
    lambda t, x, y: t.maximum(x, y),
    np.maximum,
    lambda g, x, y, z: [g * (x > y), g * (x < y)],
)
add(
    "where",
    lambda t, x, y: t.where(x > y, x, y),
    lambda x, y: np.where(x > y, x, y),
    lambda g, x, y, z: [np.where(x > y, g, 0), np.where(x > y, 0, g)],
)
add(
    "clamp",
    lambda t, x, y: x.clamp(0.4, 0.8),
    lambda x, y: np.clip(x, 0.4, 0.8),
    of_x(lambda g, x, z: g * ((x >= 0.4) & (x <= 0.8))),
)
add(
    "add (row)",
    lambda t, x, y: x + y.sum(0),
    lambda x, y: x + y.sum(0),
    lambda g, x, y, z: [g.copy(), np.repeat(g.sum(0)[None], SIZE, 0)],
)

add(
    "sum",
    lambda t, x, y: x.sum(),
    lambda x, y: x.sum(),
    of_x(lambda g, x, z: np.full_like(x, g)),
)
add(
    "sum (rows)",
    lambda t, x, y: x.sum(1),
    lambda x, y: x.sum(1),
    of_x(lambda g, x, z: np.repeat(g[:, None], SIZE, 1)),
)
add(
    "mean",
    lambda t, x, y: x.mean(0),
    lambda x, y: x.mean(0),
    of_x(lambda g, x, z: np.repeat(g[None] / np.float32(SIZE), SIZE, 0)),
)
add(
    "prod",
    lambda t, x, y: x.prod(1),
    lambda x, y: x.prod(1),
    of_x(lambda g, x, z: (g * z)[:, None] / x),
)
add(
    "var",
    lambda t, x, y: x.var(1),
    lambda x, y: x.var(1, ddof=1),
    of_x(
        lambda g, x, z: (
            g[:, None] * np.float32(2 / (SIZE - 1)) * (x - x.mean(1, keepdims=True))
        )
    ),
)
add(
    "std",
    lambda t, x, y: x.std(1),
    lambda x, y: x.std(1, ddof=1),
    of_x(
        lambda g, x, z: (
            (g / z)[:, None]
            * np.float32(1 / (SIZE - 1))
            * (x - x.mean(1, keepdims=True))
        )
    ),
)
add(
    "max (rows)",
    lambda t, x, y: x.max(1).values,
    lambda x, y: x[ROWS, x.argmax(1)],
    of_x(lambda g, x, z: placed(g, x, (ROWS, x.argmax(1)))),
)
add(
    "amax",
    lambda t, x, y: x.amax(1),
    lambda x, y: x.max(1),
    of_x(lambda g, x, z: g[:, None] * (x == z[:, None])),
)
add(
    "norm",
    lambda t, x, y: x.norm(),
    lambda x, y: np.sqrt((x * x).sum()),
    of_x(lambda g, x, z: x * (g / z)),
)
add(
    "logsumexp",
    lambda t, x, y: x.logsumexp(1),
    lambda x, y: np.log(np.exp(x - x.max(1, keepdims=True)).sum(1)) + x.max(1),
    of_x(lambda g, x, z: g[:, None] * np.exp(x - z[:, None])),
)
add(
    "softmax",
    lambda t, x, y: x.softmax(1),
    lambda x, y: softmax(x),
    of_x(lambda g, x, z: z * (g - (g * z).sum(1, keepdims=True))),
)
add(
    "log_softmax",
    lambda t, x, y: x.log_softmax(1),
    lambda x, y: x - np.log(np.exp(x).sum(1, keepdims=True)),
    of_x(lambda g, x, z: g - np.exp(z) * g.sum(1, keepdims=True)),
)
add(
    "cumsum",
    lambda t, x, y: x.cumsum(1),
    lambda x, y: x.cumsum(1),
    of_x(lambda g, x, z: g[:, ::-1].cumsum(1)[:, ::-1].copy()),
)
add(
    "sort",
    lambda t, x, y: x.sort(1).values,
    lambda x, y: np.take_along_axis(x, x.argsort(1, kind="stable"), 1),
    of_x(lambda g, x, z: placed(g, x, (ROWS[:, None], x.argsort(1, kind="stable")))),
)

add(
    "reshape",
    lambda t, x, y: x.reshape(-1),
    lambda x, y: x.reshape(-1),
    of_x(lambda g, x, z: g.reshape(x.shape).copy()),
)
add(
    "transpose",
    lambda t, x, y: x.t(),
    lambda x, y: x.T,
    of_x(lambda g, x, z: g.T.copy()),
)
add(
    "clone",
    lambda t, x, y: x.clone(),
    lambda x, y: x.copy(),
    of_x(lambda g, x, z: g.copy()),
)


add(
    "matmul",
    lambda t, x, y: x @ y,
    lambda x, y: x @ y,
    lambda g, x, y, z: [g @ y.T, x.T @ g],
)


add(
    "expand",
    lambda t, x, y: x[0].expand(SIZE, SIZE),
    lambda x, y: np.broadcast_to(x[0], x.shape),
    of_x(lambda g, x, z: placed(g.sum(0), x, 0)),
)
add(
    "index (slice)",
    lambda t, x, y: x[10:60],
    lambda x, y: x[10:60],
    of_x(lambda g, x, z: placed(g, x, slice(10, 60))),
)
add(
    "index (rows)",
    lambda t, x, y: x[t.tensor(PICKED)],
    lambda x, y: x[PICKED],
    of_x(lambda g, x, z: summed(g, x, PICKED)),
)
add(
    "index (mask)",
    lambda t, x, y: x[x > 0.5],
    lambda x, y: x[x > 0.5],
    of_x(lambda g, x, z: placed(g, x, x > 0.5)),
)
add(
    "gather",
    lambda t, x, y: x.gather(1, t.tensor(PICKED[:, None])),
    lambda x, y: x[ROWS[:, None], PICKED[:, None]],
    of_x(lambda g, x, z: summed(g, x, (ROWS[:, None], PICKED[:, None]))),
)
add(
    "index_add",
    lambda t, x, y: x.index_add(0, t.tensor(PICKED), y),
    lambda x, y: summed(y, x, PICKED) + x,
    lambda g, x, y, z: [g.copy(), g[PICKED]],
)
add(
    "flip",
    lambda t, x, y: x.flip(0),
    lambda x, y: x[::-1].copy(),
    of_x(lambda g, x, z: g[::-1].copy()),
)
add(
    "roll",
    lambda t, x, y: x.roll(7, 1),
    lambda x, y: np.roll(x, 7, 1),
    of_x(lambda g, x, z: np.roll(g, -7, 1)),
)
add(
    "tril",
    lambda t, x, y: x.tril(),
    lambda x, y: np.tril(x),
    of_x(lambda g, x, z: np.tril(g)),
)
add(
    "repeat",
    lambda t, x, y: x.repeat(2, 1),
    lambda x, y: np.tile(x, (2, 1)),
    of_x(lambda g, x, z: g[:SIZE] + g[SIZE:]),
)
add(
    "cat",
    lambda t, x, y: t.cat([x, y]),
    lambda x, y: np.concatenate([x, y]),
    lambda g, x, y, z: [g[:SIZE].copy(), g[SIZE:].copy()],
)
add(
    "stack",
    lambda t, x, y: t.stack([x, y]),
    lambda x, y: np.stack([x, y]),
    lambda g, x, y, z: [g[0].copy(), g[1].copy()],
)
add(
    "diagonal",
    lambda t, x, y: x.diagonal(),
    lambda x, y: x.diagonal(),
    of_x(lambda g, x, z: placed(g, x, (ROWS, ROWS))),
)
add(
    "mv",
    lambda t, x, y: x @ y[0],
    lambda x, y: x @ y[0],
    lambda g, x, y, z: [np.outer(g, y[0]), placed(x.T @ g, y, 0)],
)
add(
    "einsum",
    lambda t, x, y: t.einsum("ij,kj->ik", x, y),
    lambda x, y: x @ y.T,
    lambda g, x, y, z: [g @ y, g.T @ x],
)
add(
    "inv",
    lambda t, x, y: t.linalg.inv(x),
    lambda x, y: np.linalg.inv(x),
    of_x(lambda g, x, z: -(z.T @ g @ z.T)),
)


class Recording(Workload):
    """What it costs to record: a multiplication of two arrays of one element."""

    name = "recording a multiplication of single numbers, over NumPy's own"
    measures = "forward only"

    def hand(self) -> Step:
        x, y = np.ones(1, np.float32), np.ones(1, np.float32)

        def step():
            for _ in range(100):
                z = np.multiply(x, y)
            return [z]

        return step

    def torch(self, torch) -> Step:
        x, y = (torch.ones(1, requires_grad=True) for _ in range(2))

        def step():
            for _ in range(100):
                z = x * y
            return [z.detach()]

        return step
