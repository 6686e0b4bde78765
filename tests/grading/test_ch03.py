"""Properties of chapter 3: the rule of each operand is that of central differences."""

import numpy as np
import pytest

from minigrad.numerical import numerical_vjp
from minigrad.rules import PRIMITIVES, unbroadcast, vjp
from tests.grading import same, says

ORDER = ("first", "second")
A = np.array([[0.5, 1.25, 2.0], [0.75, 1.5, 3.25]])
ROW, COLUMN = np.array([1.5, 0.25, 2.5]), np.array([[0.5], [1.75]])
ONE = ("neg", "exp", "log", "tanh", "relu")
TWO = ("add", "sub", "mul", "div", "pow")
CALLS = [
    *((name, (A,), {}) for name in ONE),
    *((name, (A, A[::-1] + 0.5), {}) for name in TWO),
    *((name, (A, ROW), {}) for name in TWO),
    *((name, (COLUMN, ROW), {}) for name in TWO),
    ("sum", (A,), {}),
    ("sum", (A,), {"axis": 1}),
    ("sum", (A,), {"axis": 0, "keepdims": True}),
    ("reshape", (A,), {"shape": (3, 2)}),
    ("transpose", (A,), {}),
    ("transpose", (A[None],), {"axes": (1, 2, 0)}),
    ("broadcast_to", (ROW,), {"shape": (2, 3)}),
    ("matmul", (A, A.T + 0.5), {}),
    ("matmul", (np.stack([A, A + 1]), A.T), {}),
]
GRADIENTS = [
    pytest.param(name, operands, params, k, id=f"{name}-{n}-{k}")
    for n, (name, operands, params) in enumerate(CALLS)
    for k in range(len(operands))
]


def spoken(name: str, operands: tuple, params: dict, k: int) -> str:
    """A gradient in words."""
    shapes = " and ".join(str(x.shape) for x in operands)
    which = f"its {ORDER[k]} argument" if len(operands) > 1 else "its argument"
    options = "".join(f", {key}={value}" for key, value in params.items())
    return f"the gradient of `{name}` with respect to {which}, of {shapes}{options}"


@says("the rule of each operand gives what central differences give")
@pytest.mark.parametrize(("name", "operands", "params", "k"), GRADIENTS)
def test_gradient(name, operands, params, k):
    shape = PRIMITIVES[name].forward(*operands, **params).shape
    weights = np.linspace(-1, 2, np.prod(shape, dtype=int)).reshape(shape)

    def moved(x):
        changed = [*operands[:k], x, *operands[k + 1 :]]
        return PRIMITIVES[name].forward(*changed, **params)

    expected = numerical_vjp(moved, operands[k], weights)
    what = spoken(name, operands, params, k)
    got = lambda: vjp(name, *operands, **params)[1](weights)[k]  # noqa: E731
    same(what, got, expected, within=1e-6)


@says("what was stretched is summed: `unbroadcast` is the transpose of broadcasting")
@pytest.mark.parametrize("shape", [(3,), (1, 3), (2, 1), (1, 1), (), (2, 3)], ids=str)
def test_unbroadcast(shape):
    g = np.arange(6.0).reshape(2, 3)
    x = np.zeros(shape)
    expected = numerical_vjp(lambda x: np.broadcast_to(x, (2, 3)), x, g)
    same(f"`unbroadcast` of (2, 3) to {shape}", lambda: unbroadcast(g, shape), expected)
