"""Checkpoints: the same gradients as without, for less memory."""

import numpy as np
import pytest

import minigrad as torch

checkpoint = torch.utils.checkpoint.checkpoint
sequential = torch.utils.checkpoint.checkpoint_sequential


def gradients(reentrant):
    """Gradients of a small net with random numbers inside, checkpointed or not."""
    torch.manual_seed(3)
    x = torch.randn(4, 3, dtype=torch.float64).requires_grad_()
    w = torch.randn(3, 3, dtype=torch.float64).requires_grad_()

    def piece(a):
        return torch.tanh(a @ w) * torch.rand(4, 3, dtype=torch.float64)

    y = x
    for _ in range(3):
        y = (
            piece(y)
            if reentrant is None
            else checkpoint(piece, y, use_reentrant=reentrant)
        )
    y.sum().backward()
    return x.grad.numpy(), w.grad.numpy(), torch.rand(2).tolist()


@pytest.mark.parametrize("reentrant", [True, False])
def test_gradients_and_random_numbers_are_those_without(reentrant):
    plain, found = gradients(None), gradients(reentrant)
    np.testing.assert_allclose(found[0], plain[0], rtol=1e-12)
    np.testing.assert_allclose(found[1], plain[1], rtol=1e-12)
    assert found[2] == plain[2]


@pytest.mark.parametrize("segments", [1, 2, 3, 5, 10])
@pytest.mark.parametrize("reentrant", [True, False])
def test_any_number_of_segments(segments, reentrant):
    x = torch.tensor([0.3, -0.2], dtype=torch.float64, requires_grad=True)
    y = sequential([torch.sin] * 10, segments, x, use_reentrant=reentrant)
    y.sum().backward()
    plain = x.detach().requires_grad_()
    z = plain
    for _ in range(10):
        z = z.sin()
    z.sum().backward()
    np.testing.assert_allclose(x.grad, plain.grad.numpy(), rtol=1e-12)


def test_no_node_inside_a_checkpoint_keeps_an_array():
    x = torch.ones(1000, dtype=torch.float64, requires_grad=True)
    y = checkpoint(lambda a: a.sin().exp().cos(), x, use_reentrant=False)
    node = y.grad_fn
    while node is not None and node.saves:
        for name in node.saves:
            assert not isinstance(getattr(node, name), np.ndarray)
        node = node.next_functions[0][0]


def test_the_state_of_the_generator_can_be_put_back():
    torch.manual_seed(5)
    torch.randn(3)  # leaves a spare normal number
    state = torch.get_rng_state()
    first = torch.randn(5).tolist(), torch.rand(2).tolist()
    torch.set_rng_state(state)
    assert (torch.randn(5).tolist(), torch.rand(2).tolist()) == first
