"""Custom functions and checkpoints against what PyTorch 2.13 has answered."""

import json
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from tests.reference.record_custom import PROGRAMS, answer

FILE = Path(__file__).with_name("reference") / "custom.json"
RECORD = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_answers_as_pytorch_does(program):
    known, found = RECORD[program], answer(torch, program)
    assert ("error" in found) == ("error" in known), found
    if "error" in known:
        assert found["error"][0] == known["error"][0]
        start = known["error"][1].split(". ")[0].split("\n")[0].split("; expected")[0]
        assert found["error"][1].startswith(start.rstrip(".")), found["error"][1]
        assert found["error"][1] == "mine" or "(Chapter " in found["error"][1]
    else:
        assert json.dumps(found["found"]) == json.dumps(known["found"])
    for mine, theirs in zip(found["warnings"], known["warnings"], strict=True):
        assert mine[0] == theirs[0]
        assert mine[1].split(". ")[0] == theirs[1].split(". ")[0].replace(
            "torch.utils.checkpoint: the", "torch.utils.checkpoint.checkpoint: the"
        )


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
