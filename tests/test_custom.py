"""Custom functions and checkpoints against what PyTorch 2.13 has answered."""

import numpy as np
import pytest

import minigrad as torch
from tests.reference import ledger
from tests.reference.record_custom import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


class Softplus(torch.autograd.Function):
    """log(1 + exp(x)) whose gradient is a sigmoid."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.log1p(torch.exp(-x.abs())) + x.clamp(min=0)

    @staticmethod
    def backward(ctx, g):
        return g * torch.sigmoid(ctx.saved_tensors[0])


def test_gradients_by_central_differences():
    start, h = np.array([-3.0, 0.5, 2.0]), 1e-4
    x = torch.tensor(start, requires_grad=True)

    def slope(array):
        t = torch.tensor(array, requires_grad=True)
        return torch.autograd.grad(Softplus.apply(t).sum(), t)[0].numpy()

    (g,) = torch.autograd.grad(Softplus.apply(x).sum(), x, create_graph=True)
    (gg,) = torch.autograd.grad(g.sum(), x)
    with torch.no_grad():
        up, down = (Softplus.apply(torch.tensor(start + s * h)) for s in (1, -1))
    np.testing.assert_allclose(g.detach(), (up - down).numpy() / (2 * h), rtol=1e-6)
    second = (slope(start + h) - slope(start - h)) / (2 * h)
    np.testing.assert_allclose(gg, second, rtol=1e-6)


def test_a_failing_backward_leaves_every_grad_as_it_was():
    class Fails(torch.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            return a * 2, a * 3

        @staticmethod
        def backward(ctx, g, h):
            raise ValueError("mine")

    x = torch.ones(2, requires_grad=True)
    y, z = Fails.apply(x)
    x.grad = torch.ones(2)
    for _ in range(2):
        with pytest.raises(ValueError, match="mine"):
            ((x * 2) + y * z).sum().backward(retain_graph=True)
        assert x.grad.tolist() == [1, 1]


def test_second_derivatives_pass_through_a_function_with_two_outputs():
    class Two(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x, x**3

        @staticmethod
        def backward(ctx, g, h):
            (x,) = ctx.saved_tensors
            return 2 * g * x + 3 * h * x * x

    x = torch.tensor([2.0], requires_grad=True)
    y, z = Two.apply(x)
    (d,) = torch.autograd.grad((y + z).sum(), x, create_graph=True)
    assert torch.autograd.grad(d.sum(), x)[0].tolist() == [14.0]  # 2 + 6x
