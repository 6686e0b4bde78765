"""Jacobians, Hessians, their products, and functions of functions.

PyTorch has answered ninety programs, in ``reference/functional.json``. Second orders
are measured by central differences as well, and whole programs are compared with NumPy.
"""

import numpy as np
import pytest

import minigrad as torch
from tests.reference import ledger
from tests.reference.record_functional import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)
F = torch.autograd.functional


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


FUNCTIONS = {
    "tanh": lambda x: (torch.tanh(x) * x).sum(),
    "softmax": lambda x: (x.softmax(0) * x).sum(),
    "product": lambda x: x.prod(),
    "logsumexp": lambda x: (x * x).logsumexp(0),
    "matrix": lambda x: (x.reshape(2, 2) @ x.reshape(2, 2).t() @ x[:2]).sum(),
    "quotient": lambda x: (x[1:] / (1 + x[:-1] ** 2)).sum(),
    "root": lambda x: ((x * x).sum() + 1).sqrt(),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_second_orders_are_as_measured(name):
    f = FUNCTIONS[name]
    at = np.random.default_rng(14).standard_normal(4)
    x, h = torch.from_numpy(at), 1e-5

    def slope(point):
        return torch.func.grad(f)(torch.from_numpy(point)).numpy()

    steps = h * np.eye(4)
    measured = np.array([(slope(at + e) - slope(at - e)) / (2 * h) for e in steps])
    np.testing.assert_allclose(F.hessian(f, x).numpy(), measured, 1e-6, 1e-8)
    np.testing.assert_allclose(torch.func.hessian(f)(x).numpy(), measured, 1e-6, 1e-8)
    v = np.array([1.0, -2.0, 0.5, 3.0])
    for product in (F.hvp, F.vhp):
        found = product(f, x, torch.from_numpy(v))[1].numpy()
        np.testing.assert_allclose(found, measured @ v, 1e-6, 1e-8)


def test_an_empty_output_has_an_empty_jacobian():
    assert F.jacobian(lambda x: x[:0], torch.ones(3)).shape == (0, 3)


def test_nothing_is_left_on_the_inputs():
    x = torch.ones(3, requires_grad=True)
    with torch.no_grad():
        assert not F.hessian(lambda x: (x**3).sum(), x).requires_grad
        torch.func.grad(lambda x: (x**3).sum())(x)
    assert x.grad is None and x.is_leaf


def test_newton_finds_the_lowest_point_of_rosenbrock():
    def f(x):
        return (1 - x[0]) ** 2 + 100 * (x[1] - x[0] ** 2) ** 2

    x = torch.tensor([-1.2, 1.0], dtype=torch.float64)
    for _ in range(8):
        p = np.linalg.solve(F.hessian(f, x).numpy(), torch.func.grad(f)(x).numpy())
        x = torch.from_numpy(x.numpy() - p)
    np.testing.assert_allclose(x.numpy(), [1, 1])


def test_an_inner_step_is_differentiated():
    w = torch.tensor(2.0, requires_grad=True)
    (slope,) = torch.autograd.grad((w - 1) ** 2 / 2, w, create_graph=True)
    (found,) = torch.autograd.grad((w - 0.25 * slope - 3) ** 2 / 2, w)
    assert found.item() == 0.75 * (1.75 - 3)


def test_the_sine_ten_times():
    f, x = torch.sin, torch.tensor(0.5, dtype=torch.float64)
    for _ in range(10):
        f = torch.func.grad(f)
    np.testing.assert_allclose(f(x).item(), -np.sin(0.5))


def test_a_hook_on_the_way_sees_every_row():
    seen = []

    def f(x):
        h = x * x
        h.register_hook(lambda g: seen.append(g.tolist()))
        return h.exp()

    F.jacobian(f, torch.zeros(3))
    assert seen == np.eye(3).tolist()


def test_rows_that_reach_no_input_are_zeros_and_an_input_may_be_the_output():
    x, unused = torch.tensor([1.0, 2.0]), torch.ones(3)
    by_x, by_unused = F.jacobian(lambda x, _: x, (x, unused))
    assert by_x.tolist() == np.eye(2).tolist()
    assert by_unused.tolist() == np.zeros((2, 3)).tolist()


def test_rows_leave_parameters_of_the_function_alone():
    w = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    found = F.jacobian(lambda x: torch.tanh(w @ x), torch.zeros(2))
    assert found.tolist() == w.tolist()
    assert w.grad is None
    (w * w).sum().backward()
    assert w.grad.tolist() == (2 * w).tolist()


def test_a_row_that_fails_leaves_nothing_behind():
    class Second(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.clone()

        @staticmethod
        def backward(ctx, g):
            if armed and g[1] > 0:
                raise ArithmeticError("the second row")
            return g

    w = torch.ones(3, requires_grad=True)
    shared = w * w

    def f(x):
        return Second.apply(x * x) * 2

    armed = True
    with pytest.raises(ArithmeticError, match="the second row"):
        F.jacobian(f, torch.ones(3))
    armed = False
    assert F.jacobian(f, torch.ones(3)).tolist() == (4 * np.eye(3)).tolist()
    shared.sum().backward()
    assert w.grad.tolist() == [2.0, 2.0, 2.0]


def test_rows_inside_a_pass_do_not_disturb_it():
    class Slope(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return g @ F.jacobian(lambda x: x**3, x)

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    (Slope.apply(y) + y).sum().backward()
    assert x.grad.tolist() == [2 * (3 * 4 + 1), 2 * (3 * 16 + 1)]
