"""Convolutions and poolings: PyTorch's answers, loops over pixels, differences."""

import itertools

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd.gradcheck import gradcheck, gradgradcheck
from minigrad.nn import convolution, functional
from tests.reference import ledger
from tests.reference.record_convolution import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)
LAYOUTS = {  # how much is laid out at a time, and which rows are short
    "one example at a time": (1, 0),
    "three examples at a time": (1500, 0),
    "examples side by side": (2**18, 1000),
}


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)
    assert len(CASES) > 240


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{name}\n" + "\n".join(found)


@pytest.fixture(params=LAYOUTS)
def layout(request, monkeypatch):
    """Whatever the sizes, all numbers are laid out in one way."""
    at_once, least = LAYOUTS[request.param]
    monkeypatch.setattr(convolution, "AT_ONCE", at_once)
    monkeypatch.setattr(convolution, "is_short", lambda sizes, _=0: sizes[-1] < least)


def test_any_layout_comes_to_the_same(layout):
    programs = [name for name in CASES if "conv" in name]
    assert len(programs) > 90
    for name in programs:
        found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
        assert not found, f"{name}\n" + "\n".join(found)


# ------------------------------------------------------------- loops over pixels


def convolved(x, w, b, stride, padding, dilation, groups):
    """A convolution by its definition, number by number."""
    (n, _, high, wide), (m, each, *kernel) = x.shape, w.shape
    sizes = [
        (length + 2 * p - d * (k - 1) - 1) // s + 1
        for length, k, s, p, d in zip(
            (high, wide), kernel, stride, padding, dilation, strict=True
        )
    ]
    y = np.zeros((n, m, *sizes))
    for example, out, i, j in np.ndindex(y.shape):
        y[example, out, i, j] = b[out]
        for channel, u, v in np.ndindex(w.shape[1:]):
            row = i * stride[0] + u * dilation[0] - padding[0]
            column = j * stride[1] + v * dilation[1] - padding[1]
            if 0 <= row < high and 0 <= column < wide:
                seen = x[example, out // (m // groups) * each + channel, row, column]
                y[example, out, i, j] += w[out, channel, u, v] * seen
    return y


def slopes(f, given, g, h=1e-5):
    """The gradients of (g * f(*given)).sum(), by central differences."""
    found = []
    for array in given:
        total = np.zeros(array.shape)
        for at in np.ndindex(array.shape):
            kept = array[at]
            array[at] = kept + h
            above = (g * f(*given)).sum()
            array[at] = kept - h
            total[at] = (above - (g * f(*given)).sum()) / (2 * h)
            array[at] = kept
        found.append(total)
    return found


CHOICES = list(
    itertools.product(((1, 1), (2, 3)), ((0, 0), (2, 1)), ((1, 1), (2, 1)), (1, 2))
)


@pytest.mark.parametrize(("stride", "padding", "dilation", "groups"), CHOICES)
def test_a_convolution_is_its_definition(stride, padding, dilation, groups, layout):
    random = np.random.default_rng(0)
    given = [random.standard_normal(s) for s in ((4, 2, 5, 4), (4, 2 // groups, 2, 3))]
    given.append(random.standard_normal(4))

    def by_hand(x, w, b):
        return convolved(x, w, b, stride, padding, dilation, groups)

    tensors = [torch.tensor(a, requires_grad=True) for a in given]
    y = functional.conv2d(*tensors, stride, padding, dilation, groups)
    np.testing.assert_allclose(y.detach().numpy(), by_hand(*given), atol=1e-12)
    g = np.zeros(tuple(y.shape))
    g[-1] = random.standard_normal(y.shape[1:])  # the last example is asked about
    found = torch.autograd.grad(y, tensors, torch.tensor(g))
    assert not found[0][:-1].any()
    expected = slopes(by_hand, [given[0][-1:], *given[1:]], g[-1:])
    for mine, theirs in zip([found[0][-1:], *found[1:]], expected, strict=True):
        np.testing.assert_allclose(mine.numpy(), theirs, atol=1e-7)


def test_the_transpose_is_the_transpose(layout):
    random = np.random.default_rng(1)
    for stride, padding, dilation, groups in CHOICES:
        w = torch.tensor(random.standard_normal((4, 2 // groups, 2, 3)))
        x = torch.tensor(random.standard_normal((3, 2, 7, 9)))
        y = functional.conv2d(x, w, None, stride, padding, dilation, groups)
        g = torch.tensor(random.standard_normal(tuple(y.shape)))
        lengths = functional.conv_transpose2d(
            g, w, None, stride, padding, 0, groups, dilation
        )
        more = [a - b for a, b in zip((7, 9), lengths.shape[2:], strict=True)]
        back = functional.conv_transpose2d(
            g, w, None, stride, padding, more, groups, dilation
        )
        assert back.shape == x.shape
        np.testing.assert_allclose((y * g).sum().item(), (x * back).sum().item())


CALLS = {
    "stride": lambda x, w, b: functional.conv2d(x, w, b, stride=(2, 1)),
    "padding": lambda x, w, b: functional.conv2d(x, w, b, padding=(1, 2)),
    "dilation": lambda x, w, b: functional.conv2d(x, w, b, dilation=2, padding=1),
    "groups": lambda x, w, b: functional.conv2d(x, w[:, :1], b, groups=2),
    "same": lambda x, w, b: functional.conv2d(x, w[:, :, :1], b, padding="same"),
    "one axis": lambda x, w, b: functional.conv1d(x[:, :, 0], w[:, :, 0], b, stride=2),
    "turned": lambda x, w, b: functional.conv_transpose2d(
        x, w[:2], b[:2], stride=2, padding=1
    ),
    "unfold": lambda x, w, b: functional.unfold(x, 2, stride=2, padding=1),
    "fold": lambda x, w, b: functional.fold(x.reshape(2, 8, 5), (2, 6), 2),
    "max": lambda x, w, b: functional.max_pool2d(x, 2),
    "max, overlapping": lambda x, w, b: functional.max_pool2d(x, 3, 1, padding=1),
    "max, hanging over": lambda x, w, b: functional.max_pool2d(x, 2, 3, ceil_mode=True),
    "max of a row": lambda x, w, b: functional.max_pool1d(x[:, :, 0], 2, 1),
    "mean": lambda x, w, b: functional.avg_pool2d(x, 2, 1, padding=1),
    "mean of what there is": lambda x, w, b: functional.avg_pool2d(
        x, 3, 2, 1, ceil_mode=True, count_include_pad=False
    ),
    "parts": lambda x, w, b: functional.adaptive_avg_pool2d(x, (3, 2)),
    "one part": lambda x, w, b: functional.adaptive_avg_pool2d(x, 1),
}


@pytest.mark.parametrize("name", CALLS)
def test_first_and_second_derivatives(name):
    random = np.random.default_rng(2)
    values = random.permutation(80) / 20 - 2, random.permutation(48) / 20 - 1, [0.5] * 4
    shapes = (2, 2, 4, 5), (4, 2, 2, 3), (4,)
    given = [
        torch.tensor(np.reshape(v, s), requires_grad=True)
        for v, s in zip(values, shapes, strict=True)
    ]
    assert gradcheck(CALLS[name], given)
    assert gradgradcheck(CALLS[name], given)


def test_windows_by_their_definition():
    random = np.random.default_rng(3)
    x = random.standard_normal((2, 3, 7, 6))
    for k, s, p in ((2, 2, 0), (3, 2, 1), (3, 1, 0), (2, 3, 1)):
        edge = [(0, 0), (0, 0), (p, p), (p, p)]
        low, zero = (np.pad(x, edge, constant_values=v) for v in (-np.inf, 0.0))
        largest, mean, t = functional.max_pool2d, functional.avg_pool2d, torch.tensor(x)
        y, z = largest(t, k, s, p).numpy(), mean(t, k, s, p).numpy()
        for at in np.ndindex(y.shape):
            window = *at[:2], *(slice(i * s, i * s + k) for i in at[2:])
            assert y[at] == low[window].max()
            assert np.isclose(z[at], zero[window].mean())
        found, where = largest(t, k, s, p, return_indices=True)
        flat = torch.tensor(x).reshape(2, 3, -1)
        picked = flat.gather(2, where.reshape(2, 3, -1)).reshape(found.shape)
        assert torch.equal(picked, found)


def test_a_large_batch_needs_little_more_than_itself():
    import tracemalloc

    x, w = torch.randn(256, 8, 16, 16), torch.randn(8, 8, 3, 3)
    tracemalloc.start()
    functional.conv2d(x, w, padding=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    patches = 256 * 72 * 256 * 4
    assert peak < 256 * 8 * 256 * 4 + 2 * 2**20 < patches
