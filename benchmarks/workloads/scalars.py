"""micrograd's own demonstration: a network in which every number is a node.

Two half moons, a multilayer perceptron with relu, the hinge loss with a penalty on the
parameters: https://github.com/karpathy/micrograd, demo.ipynb. One graph node for each
scalar operation, in every library; only the reference by hand works on whole arrays,
since that is how one would write it by hand.
"""

from itertools import pairwise

import numpy as np

from benchmarks.harness import Step, Workload

PENALTY = 1e-4


def moons(samples: int, random) -> tuple[np.ndarray, np.ndarray]:
    """Points (samples, 2) on two interleaved half circles, and their labels ±1."""
    upper = samples // 2
    angle = np.concatenate([np.linspace(0, np.pi, n) for n in (upper, samples - upper)])
    label = np.where(np.arange(samples) < upper, -1.0, 1.0)
    turned = label[:, None] > 0
    circle = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    points = np.where(turned, [1.0, 0.5] - circle, circle)
    points = points + 0.1 * random.standard_normal(points.shape)
    return points.astype(np.float32), label.astype(np.float32)


class ScalarNet(Workload):
    """The loss of the whole data set and its gradient, scalar by scalar."""

    def __init__(self, name: str, widths: tuple[int, ...], samples: int):
        self.name = name
        self.measures = f"micrograd's demo, {'–'.join(map(str, widths))}, scalar nodes"
        random = np.random.default_rng(0)
        self.x, self.label = moons(samples, random)
        # a row of weights and then the bias, for each neuron of each layer
        self.layers = [
            random.uniform(-1, 1, (n, m + 1)).astype(np.float32)
            for m, n in pairwise(widths)
        ]

    def loss(self, layers: list, points: list, relu):
        """The loss over scalars: ``layers`` and ``points`` are nested lists of them."""
        losses = []
        for point, label in zip(points, self.label.tolist(), strict=True):
            for depth, layer in enumerate(layers, 1):
                point = [
                    sum((w * x for w, x in zip(weights, point, strict=True)), bias)
                    for *weights, bias in layer
                ]
                if depth < len(layers):
                    point = [relu(x) for x in point]
            (score,) = point
            losses.append(relu(1 + -label * score))
        squares = sum(p * p for layer in layers for row in layer for p in row)
        return sum(losses) * (1.0 / len(losses)) + PENALTY * squares

    def hand(self) -> Step:
        def step():
            outs = [self.x]
            for layer in self.layers:
                z = outs[-1] @ layer[:, :-1].T + layer[:, -1]
                outs.append(z if layer is self.layers[-1] else np.maximum(z, 0))
            margin = 1 - self.label * outs.pop()[:, 0]
            np.maximum(margin, 0).mean() + PENALTY * sum(
                (layer * layer).sum() for layer in self.layers
            )
            g = (margin > 0) * (-self.label / np.float32(len(margin)))
            g, gradients = g[:, None], []
            for layer, x in zip(reversed(self.layers), reversed(outs), strict=True):
                own = np.concatenate([g.T @ x, g.sum(0)[:, None]], axis=1)
                gradients.append(own + np.float32(2 * PENALTY) * layer)
                g = (g @ layer[:, :-1]) * (x > 0)
            return gradients[::-1]

        return step

    def _step(self, leaf, constant, relu, none=None) -> Step:
        """The step for a library whose scalars have ``.grad``; ``none`` empties it."""
        layers = [[[leaf(p) for p in row] for row in rows] for rows in self.layers]
        points = [[constant(x) for x in point] for point in self.x]
        parameters = [p for rows in layers for row in rows for p in row]

        def step():
            self.loss(layers, points, relu).backward()
            gradients = [
                np.array([[float(p.grad) for p in row] for row in rows])
                for rows in layers
            ]
            for p in parameters:
                p.grad = none
            return gradients

        return step

    def torch(self, torch) -> Step:
        def leaf(p):
            return torch.tensor(p, requires_grad=True)

        return self._step(leaf, torch.tensor, lambda x: x.relu())

    def micrograd(self, micrograd) -> Step:
        def scalar(p):
            return micrograd.engine.Value(float(p))

        return self._step(scalar, scalar, lambda x: x.relu(), none=0)

    def autograd(self, autograd) -> Step:
        layers = [[[float(p) for p in row] for row in rows] for rows in self.layers]
        points = self.x.tolist()
        gradient = autograd.grad(
            lambda p: self.loss(p, points, lambda x: autograd.numpy.maximum(x, 0))
        )

        def step():
            return [np.array(rows) for rows in gradient(layers)]

        return step

    def mygrad(self, mygrad) -> Step:
        layers = [[[mygrad.tensor(p) for p in row] for row in a] for a in self.layers]
        points = [[mygrad.tensor(x, constant=True) for x in p] for p in self.x]
        parameters = [p for rows in layers for row in rows for p in row]

        def step():
            self.loss(layers, points, lambda x: mygrad.maximum(x, 0)).backward()
            gradients = [
                np.array([[float(p.grad) for p in row] for row in rows])
                for rows in layers
            ]
            for p in parameters:
                p.null_grad()
            return gradients

        return step
