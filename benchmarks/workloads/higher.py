"""Second derivatives and Jacobians, as chapter 14 computes them.

By hand means: derived twice with pencil and paper, and written with whole arrays. That
is what somebody would do who needs this one derivative and has an afternoon.
"""

from itertools import pairwise

import numpy as np

from benchmarks.harness import Step, Workload


def draw_layers(random, widths: tuple[int, ...]) -> list[np.ndarray]:
    """Weights (m, n) and biases (n,) of dense layers, float32."""
    layers = []
    for m, n in pairwise(widths):
        layers += [random.standard_normal((m, n)) / m**0.5, random.standard_normal(n)]
    return [p.astype(np.float32) for p in layers]


def network(x, parameters, tanh):
    """Dense layers with tanh between them, in operators that every library has."""
    *hidden, last = zip(parameters[::2], parameters[1::2], strict=True)
    for w, b in hidden:
        x = tanh(x @ w + b)
    w, b = last
    return x @ w + b


class HessianVector(Workload):
    """The Hessian of a cross-entropy loss times a vector, for all parameters."""

    def __init__(self, name: str, widths: tuple[int, ...], batch: int):
        self.name = name
        self.measures = (
            f"Hessian-vector product, {'–'.join(map(str, widths))}, batch {batch}"
        )
        random = np.random.default_rng(0)
        self.x = random.standard_normal((batch, widths[0])).astype(np.float32)
        self.classes = random.integers(0, widths[-1], batch)
        self.weights = draw_layers(random, widths)
        self.vector = [
            random.standard_normal(w.shape).astype(np.float32) for w in self.weights
        ]

    def hand(self) -> Step:
        pairs = list(zip(self.weights[::2], self.weights[1::2], strict=True))
        moves = list(zip(self.vector[::2], self.vector[1::2], strict=True))
        rows = np.arange(len(self.x))

        def step():
            outs, slopes = [self.x], [np.zeros_like(self.x)]  # and how they move
            for (w, b), (dw, db) in zip(pairs, moves, strict=True):
                z = outs[-1] @ w + b
                dz = outs[-1] @ dw + db
                if outs[-1] is not self.x:
                    dz += slopes[-1] @ w
                if len(outs) < len(pairs):
                    z = np.tanh(z)
                    dz *= 1 - z * z
                outs.append(z)
                slopes.append(dz)
            p = np.exp(outs[-1] - outs[-1].max(1, keepdims=True))
            p /= p.sum(1, keepdims=True)
            dz = slopes[-1]
            dg = p * (dz - (p * dz).sum(1, keepdims=True)) / np.float32(len(p))
            g = p
            g[rows, self.classes] -= 1
            g /= np.float32(len(p))
            found = []
            for k in range(len(pairs) - 1, -1, -1):
                (w, _), (dw, _), h, dh = pairs[k], moves[k], outs[k], slopes[k]
                found += [dg.sum(0), h.T @ dg + dh.T @ g if k else h.T @ dg]
                if k:
                    inner, slope = g @ w.T, 1 - h * h
                    dg = (dg @ w.T + g @ dw.T) * slope - 2 * inner * h * dh
                    g = inner * slope
            return found[::-1]

        return step

    def torch(self, torch) -> Step:
        x, classes = torch.tensor(self.x), torch.tensor(self.classes)
        parameters = [torch.tensor(w, requires_grad=True) for w in self.weights]
        vector = [torch.tensor(v) for v in self.vector]
        cross_entropy = torch.nn.functional.cross_entropy

        def step():
            loss = cross_entropy(network(x, parameters, torch.tanh), classes)
            slopes = torch.autograd.grad(loss, parameters, create_graph=True)
            found = torch.autograd.grad(slopes, parameters, vector)
            return [g.numpy() for g in found]

        return step


class Rosenbrock(Workload):
    """The whole Hessian of the banana valley in ``size`` variables."""

    def __init__(self, name: str, size: int, vectorize: bool = False):
        self.name, self.vectorize = name, vectorize
        way = "all rows at once" if vectorize else "row by row"
        self.measures = f"Hessian of Rosenbrock's function, {size} variables, {way}"
        self.x = np.random.default_rng(0).standard_normal(size).astype(np.float32)

    @staticmethod
    def value(x):
        """The sum over neighbours of 100 (x₊ - x²)² + (1 - x)²."""
        return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()

    def hand(self) -> Step:
        def step():
            x, ahead = self.x[:-1], self.x[1:]
            diagonal = np.zeros_like(self.x)
            diagonal[:-1] = 1200 * x * x - 400 * ahead + 2
            diagonal[1:] += 200
            beside = -400 * x
            return [np.diag(diagonal) + np.diag(beside, 1) + np.diag(beside, -1)]

        return step

    def torch(self, torch) -> Step:
        x = torch.tensor(self.x)
        hessian = torch.autograd.functional.hessian
        return lambda: [hessian(self.value, x, vectorize=self.vectorize).numpy()]


class Jacobian(Workload):
    """The Jacobian of a network of dense layers, for one input."""

    def __init__(self, name: str, widths: tuple[int, ...], vectorize: bool = False):
        self.name, self.vectorize = name, vectorize
        way = "all rows at once" if vectorize else "row by row"
        self.measures = f"Jacobian of a network {'–'.join(map(str, widths))}, {way}"
        random = np.random.default_rng(0)
        self.x = random.standard_normal(widths[0]).astype(np.float32)
        self.weights = draw_layers(random, widths)

    def hand(self) -> Step:
        weights, biases = self.weights[::2], self.weights[1::2]

        def step():
            outs = [self.x]
            for w, b in zip(weights[:-1], biases[:-1], strict=True):
                outs.append(np.tanh(outs[-1] @ w + b))
            outs[-1] @ weights[-1] + biases[-1]
            rows = np.eye(len(biases[-1]), dtype=np.float32)
            for w, h in zip(reversed(weights), reversed(outs), strict=True):
                rows = rows @ w.T
                if h is not self.x:
                    rows *= 1 - h * h
            return [rows]

        return step

    def torch(self, torch, vectorize: bool | None = None) -> Step:
        vectorize = self.vectorize if vectorize is None else vectorize
        x, parameters = torch.tensor(self.x), [torch.tensor(w) for w in self.weights]
        jacobian = torch.autograd.functional.jacobian

        def f(x):
            return network(x, parameters, torch.tanh)

        return lambda: [jacobian(f, x, vectorize=vectorize).numpy()]

    def candidates(self, modules: dict) -> dict[str, Step]:
        """All rows at once is measured beside minigrad's own row by row, too."""
        steps = super().candidates(modules)
        if self.vectorize and "minigrad" in modules:
            steps["loop"] = self.torch(modules["minigrad"], vectorize=False)
        return steps
