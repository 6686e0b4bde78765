"""Checks of the exercises of chapter 20, Convolution."""

import numpy as np

from bookkit.checks import close, exercise


@exercise("20.1")
def places(size, padding, parameters):
    """Counting."""
    yield "the number of places"
    assert size == 16, f"16 places, not {size}"
    yield "the padding"
    assert padding == 9, f"9 zeros on each side, not {padding}"
    yield "the parameters: weights and biases"
    assert parameters == 4640, f"4,640, not {parameters}"


@exercise("20.2")
def ring(circulant):
    """A kernel on a ring."""
    random = np.random.default_rng(0)
    yield "a kernel of one number is a multiple of the identity"
    close(circulant([3.0], 4), 3 * np.eye(4), what="the matrix")
    yield "the matrix lays the kernel on the ring"
    w, x = random.standard_normal(3), random.standard_normal(7)
    expected = [sum(w[j] * x[(i + j) % 7] for j in range(3)) for i in range(7)]
    close(np.asarray(circulant(w, 7)) @ x, np.array(expected), what="the product")
    yield "a kernel longer than the ring meets some numbers twice"
    w, x = random.standard_normal(5), random.standard_normal(3)
    expected = [sum(w[j] * x[(i + j) % 3] for j in range(5)) for i in range(3)]
    close(np.asarray(circulant(w, 3)) @ x, np.array(expected), what="the product")


@exercise("20.3")
def in_two_steps(separable):
    """First each channel, then all of them."""
    import minigrad as torch

    torch.manual_seed(0)
    given = [(2, 3, 5, 4), (3, 1, 3, 3), (4, 3, 1, 1)]
    x, depth, mix = (torch.randn(*shape, dtype=torch.float64) for shape in given)
    out = separable(x, depth, mix)
    yield "the shape is (n, m, h, w)"
    assert tuple(out.shape) == (2, 4, 5, 4), f"it is {tuple(out.shape)}"
    yield "each channel has a kernel of its own; then they are mixed"
    room = np.pad(x.numpy(), ((0, 0), (0, 0), (1, 1), (1, 1)))
    seen = np.lib.stride_tricks.sliding_window_view(room, (3, 3), (2, 3))
    each = np.einsum("nchwij,cij->nchw", seen, depth.numpy()[:, 0])
    expected = np.einsum("nchw,mc->nmhw", each, mix.numpy()[:, :, 0, 0])
    close(out.numpy(), expected, what="the result")


@exercise("20.4")
def soft_maximum(soft_pool):
    """Between the mean and the maximum."""
    import minigrad as torch
    from minigrad.autograd.gradcheck import gradcheck, gradgradcheck

    torch.manual_seed(0)
    x = torch.randn(2, 1, 4, 6, dtype=torch.float64, requires_grad=True)
    windows = x.detach().numpy().reshape(2, 1, 2, 2, 3, 2)
    yield "a small β gives the mean"
    mean = windows.mean((3, 5))
    close(soft_pool(x, 2, 1e-6).detach().numpy(), mean, within=1e-4, what="the result")
    yield "a large β gives the maximum"
    most = windows.max((3, 5))
    close(soft_pool(x, 2, 1e5).detach().numpy(), most, within=1e-3, what="the result")
    yield "β = 1"
    expected = np.log(np.exp(windows).mean((3, 5)))
    close(soft_pool(x, 2, 1.0).detach().numpy(), expected, what="the result")
    yield "numbers of 1,000"
    large = soft_pool(torch.full((1, 1, 2, 2), 1000.0), 2, 1.0)
    close(large.numpy(), np.full((1, 1, 1, 1), 1000.0), within=1e-5, what="the result")
    yield "it can be differentiated, twice"
    assert gradcheck(lambda x: soft_pool(x, 2, 1.0), x)
    assert gradgradcheck(lambda x: soft_pool(x, 2, 1.0), x)
