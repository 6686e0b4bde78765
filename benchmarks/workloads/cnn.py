"""A training step of a small convolutional network: forward, backward, update.

Two 3 x 3 convolutions, each with relu and 2 x 2 max pooling, then one affine map; the
mean squared error, plain gradient descent. By hand: patches gathered once and kept for
the backward pass, one product for each layer and direction, pooling by reshaping.
"""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from benchmarks.harness import Step, Workload

RATE = np.float32(1e-3)


class CNN(Workload):
    """Pictures of ``side`` x ``side`` numbers in batches of ``batch``."""

    def __init__(self, name: str, side: int, channels: tuple[int, int], batch: int):
        self.name, (a, b) = name, channels
        self.measures = (
            f"training step, {side}×{side}, 3×3 convolutions with {a} and {b} channels "
            f"and pooling, batch {batch}"
        )
        random = np.random.default_rng(0)

        def draw(*shape, scale=1.0):
            return (random.standard_normal(shape) * scale).astype(np.float32)

        out = b * (side // 4) ** 2
        self.x, self.target = draw(batch, 1, side, side), draw(batch, 10)
        self.weights = [
            draw(a, 1, 3, 3, scale=1 / 3), draw(a, scale=0.1),
            draw(b, a, 3, 3, scale=(9 * a) ** -0.5), draw(b, scale=0.1),
            draw(10, out, scale=out**-0.5), draw(10, scale=0.1),
        ]  # fmt: skip

    def hand(self) -> Step:
        parameters = [w.copy() for w in self.weights]
        scale = np.float32(2 / self.target.size)

        def step():
            v, a, w, b, u, c = parameters
            x1, back1 = layer(self.x, v, a)
            x2, back2 = layer(x1, w, b)
            rows = x2.reshape(len(x2), -1)
            difference = rows @ u.T + c - self.target
            (difference * difference).sum() * scale / 2
            g = difference * scale
            gradients = [g.T @ rows, g.sum(0)]
            g, *more = back2((g @ u).reshape(x2.shape))
            gradients = more + gradients
            _, *more = back1(g, inputs=False)
            gradients = more + gradients
            for p, gradient in zip(parameters, gradients, strict=True):
                p -= RATE * gradient
            return gradients

        return step

    def torch(self, torch) -> Step:
        x, target = torch.tensor(self.x), torch.tensor(self.target)
        parameters = [torch.tensor(w, requires_grad=True) for w in self.weights]
        functional = torch.nn.functional

        def step():
            v, a, w, b, u, c = parameters
            y = functional.max_pool2d(
                functional.relu(functional.conv2d(x, v, a, padding=1)), 2
            )
            y = functional.max_pool2d(
                functional.relu(functional.conv2d(y, w, b, padding=1)), 2
            )
            functional.mse_loss(
                functional.linear(torch.flatten(y, 1), u, c), target
            ).backward()
            gradients = [p.grad.numpy() for p in parameters]
            with torch.no_grad():
                for p in parameters:
                    p -= float(RATE) * p.grad
                    p.grad = None
            return gradients

        return step


def columns(x: np.ndarray) -> np.ndarray:
    """All 3 x 3 patches of padded pictures: (n, 9c, h * w)."""
    n, c, h, w = x.shape
    padded = np.zeros((n, c, h + 2, w + 2), x.dtype)
    padded[:, :, 1:-1, 1:-1] = x
    patches = sliding_window_view(padded, (3, 3), (2, 3))
    return patches.transpose(0, 1, 4, 5, 2, 3).reshape(n, 9 * c, h * w)


def layer(x: np.ndarray, w: np.ndarray, b: np.ndarray):
    """Convolution, relu and pooling; and the function that goes back."""
    n, c, h, wide = x.shape
    seen, kernels = columns(x), w.reshape(len(w), -1)
    y = kernels @ seen
    y += b[:, None]
    np.maximum(y, 0, out=y)
    high, low = h // 2 * 2, wide // 2 * 2
    y = y.reshape(n, len(w), h, wide)
    quarters = [y[:, :, i:high:2, j:low:2] for i in (0, 1) for j in (0, 1)]
    out = np.maximum(np.maximum(*quarters[:2]), np.maximum(*quarters[2:]))

    def back(g, inputs=True):
        gy, g = np.zeros_like(y), g * (out > 0)
        free = np.ones(out.shape, bool)
        for k, quarter in enumerate(quarters):
            won = (quarter == out) & free
            free ^= won
            gy[:, :, k // 2 : high : 2, k % 2 : low : 2] = g * won
        gy = gy.reshape(n, len(w), -1)
        gw = (gy @ seen.swapaxes(1, 2)).sum(0).reshape(w.shape)
        gb = gy.sum((0, 2))
        if not inputs:
            return None, gw, gb
        patches = (kernels.T @ gy).reshape(n, c, 3, 3, h, wide)
        gx = np.zeros((n, c, h + 2, wide + 2), x.dtype)
        for i in range(3):
            for j in range(3):
                gx[:, :, i : i + h, j : j + wide] += patches[:, :, i, j]
        return gx[:, :, 1:-1, 1:-1], gw, gb

    return out, back
