"""A training step of a multilayer perceptron: forward, backward, update.

tanh between the layers, the mean squared error at the end, plain gradient descent: all
of it from operations that every library has in the same form.
"""

from itertools import pairwise

import numpy as np

from benchmarks.harness import Step, Workload

RATE = np.float32(1e-3)


class MLP(Workload):
    """Dense layers of given widths on batches of one size."""

    def __init__(self, name: str, widths: tuple[int, ...], batch: int):
        self.name = name
        self.measures = f"training step, {'–'.join(map(str, widths))}, batch {batch}"
        random = np.random.default_rng(0)

        def draw(*shape):
            return random.standard_normal(shape).astype(np.float32)

        self.x, self.target = draw(batch, widths[0]), draw(batch, widths[-1])
        self.weights = []
        for m, n in pairwise(widths):
            self.weights += [draw(m, n) / np.float32(m**0.5), draw(n) * np.float32(0.1)]
        self.scale = np.float32(1 / self.target.size)

    def loss(self, x, target, parameters, tanh):
        """The mean squared error, in operators that every library has."""
        *hidden, last = zip(parameters[::2], parameters[1::2], strict=True)
        for w, b in hidden:
            x = tanh(x @ w + b)
        w, b = last
        difference = x @ w + b - target
        return (difference * difference).sum() * float(self.scale)

    def hand(self) -> Step:
        return self.trained()[0]

    def trained(self) -> tuple[Step, list]:
        """A step by hand, and the parameters that it changes."""
        parameters = [w.copy() for w in self.weights]
        layers = list(zip(parameters[::2], parameters[1::2], strict=True))

        def step():
            outs = [self.x]
            for w, b in layers[:-1]:
                outs.append(np.tanh(outs[-1] @ w + b))
            w, b = layers[-1]
            difference = outs[-1] @ w + b - self.target
            (difference * difference).sum() * self.scale
            g, gradients = difference * (2 * self.scale), []
            for (w, _), x in zip(reversed(layers), reversed(outs), strict=True):
                gradients += [g.sum(0), x.T @ g]
                if x is not self.x:
                    g = (g @ w.T) * (1 - x * x)
            gradients.reverse()
            for p, gradient in zip(parameters, gradients, strict=True):
                p -= RATE * gradient
            return gradients

        return step, parameters

    def torch(self, torch) -> Step:
        x, target = torch.tensor(self.x), torch.tensor(self.target)
        parameters = [torch.tensor(w, requires_grad=True) for w in self.weights]

        def step():
            self.loss(x, target, parameters, torch.tanh).backward()
            gradients = [p.grad.numpy() for p in parameters]
            with torch.no_grad():
                for p in parameters:
                    p -= float(RATE) * p.grad
                    p.grad = None
            return gradients

        return step

    def autograd(self, autograd) -> Step:
        parameters = [w.copy() for w in self.weights]
        gradient = autograd.grad(
            lambda p: self.loss(self.x, self.target, p, autograd.numpy.tanh)
        )

        def step():
            gradients = gradient(parameters)
            for p, g in zip(parameters, gradients, strict=True):
                p -= RATE * g
            return gradients

        return step

    def mygrad(self, mygrad) -> Step:
        x = mygrad.tensor(self.x, constant=True)
        target = mygrad.tensor(self.target, constant=True)
        parameters = [mygrad.tensor(w) for w in self.weights]

        def step():
            self.loss(x, target, parameters, mygrad.tanh).backward()
            gradients = [p.grad for p in parameters]
            for p, g in zip(parameters, gradients, strict=True):
                p.data -= RATE * g
                p.null_grad()
            return gradients

        return step

    def tinygrad(self, tinygrad) -> Step:
        tensor = tinygrad.Tensor
        x, target = tensor(self.x), tensor(self.target)
        parameters = [tensor(w).realize() for w in self.weights]

        def step():
            loss = self.loss(x, target, parameters, tensor.tanh)
            gradients = loss.gradient(*parameters)
            updated = [
                p - float(RATE) * g for p, g in zip(parameters, gradients, strict=True)
            ]
            tensor.realize(loss, *gradients, *updated)
            parameters[:] = updated
            return [g.numpy() for g in gradients]

        return step
