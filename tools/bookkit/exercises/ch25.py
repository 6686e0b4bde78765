"""Checks of the exercises of chapter 25, From minigrad to PyTorch and JAX."""

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad, as it is when the check runs."""
    import minigrad

    return minigrad


@exercise("25.1")
def fair_mean(combine):
    """The gradient of a batch from those of its shards."""
    rng = np.random.default_rng(1)
    examples = [rng.normal(size=(12, 2, 3)), rng.normal(size=(12, 4))]
    for counts in ([4, 4, 4], [6, 1, 5], [9, 0, 3]):
        cuts = np.cumsum(counts)[:-1]
        shards = [np.split(a, cuts) for a in examples]
        means = [
            [
                part[w].mean(0) if n else np.full(part[w].shape[1:], np.nan)
                for part in shards
            ]
            for w, n in enumerate(counts)
        ]
        before = [[g.copy() for g in one] for one in means]
        yield f"shards of {counts}"
        found = combine(means, counts)
        assert len(found) == 2, f"{len(found)} arrays for two parameters"
        for k, (g, a) in enumerate(zip(found, examples, strict=True)):
            close(g, a.mean(0), within=1e-12, what=f"parameter {k}")
        yield f"… and what the workers sent is left as it was, {counts}"
        for one, other in zip(means, before, strict=True):
            for g, old in zip(one, other, strict=True):
                assert np.array_equal(g, old, equal_nan=True), "an array was changed"


@exercise("25.2")
def in_parts(accumulate):
    """The gradient of a large batch, a part at a time."""
    torch = _torch()
    rng = np.random.default_rng(2)
    pictures, digits = (
        torch.from_numpy(rng.normal(size=(22, 5))),
        torch.from_numpy(rng.integers(0, 3, 22)),
    )
    model = torch.nn.Linear(5, 3).double()
    seen = []
    model.register_forward_hook(lambda module, given, out: seen.append(len(given[0])))
    loss_of = torch.nn.functional.cross_entropy
    loss_of(model(pictures), digits).backward()
    wanted = [p.grad.numpy().copy() for p in model.parameters()]
    for size in (11, 8, 30):
        seen.clear()
        yield f"at most {size} at a time, of 22"
        accumulate(model, loss_of, pictures, digits, size)
        assert max(seen) <= size, f"{max(seen)} examples went through the model at once"
        assert sum(seen) == 22, f"{sum(seen)} examples went through the model, not 22"
        yield f"the gradient of the whole batch, and nothing left from before ({size})"
        for p, g in zip(model.parameters(), wanted, strict=True):
            close(p.grad.numpy(), g, within=1e-10, what="a gradient")


@exercise("25.3")
def agreed_statistics(together):
    """Mean and variance of all, from those of the shards."""
    rng = np.random.default_rng(3)
    for counts, far in (([5, 5], 0), ([7, 2, 1], 0), ([40, 3, 21], 1000)):
        x = rng.normal(size=(sum(counts), 4)).astype(np.float32) + np.float32(far)
        x[: counts[0]] += 1
        shards = np.split(x, np.cumsum(counts)[:-1])
        means, variances = [s.mean(0) for s in shards], [s.var(0) for s in shards]
        total, spread = together(counts, means, variances)
        exact = x.astype(np.float64)
        yield f"the mean of shards of {counts}, near {far}"
        close(total, exact.mean(0), within=1e-6, what="the mean")
        yield f"the variance, within the shards and between them, {counts}"
        close(spread, exact.var(0), within=1e-3, what="the variance")


@exercise("25.4")
def turned_round(transpose, pull):
    """Reverse mode from forward mode and a transpose."""
    torch = _torch()
    rng = np.random.default_rng(4)
    matrix = torch.from_numpy(rng.normal(size=(3, 4)))
    calls = []

    def linear(v):
        calls.append(1)
        return matrix @ v * 2

    yield "the transpose of a matrix"
    turned = transpose(linear, (4,))
    u = torch.from_numpy(rng.normal(size=3))
    close(turned(u).numpy(), 2 * matrix.numpy().T @ u.numpy(), within=1e-12)
    yield "it is found by calling the function"
    assert calls, "the function was not called"
    yield "the pull of a function that is not linear"
    x = torch.from_numpy(rng.normal(size=4))

    def f(x):
        return torch.tanh(matrix @ x) * (matrix @ x).sum()

    leaf = x.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(f(leaf), leaf, u)
    close(pull(f, x, u).numpy(), wanted.numpy(), within=1e-10)
    yield "of a table of numbers, too"
    x = torch.from_numpy(rng.normal(size=(2, 2)))
    u = torch.from_numpy(rng.normal(size=(2, 2)))
    leaf = x.clone().requires_grad_()
    (wanted,) = torch.autograd.grad(torch.sin(leaf @ leaf), leaf, u)
    close(pull(lambda x: torch.sin(x @ x), x, u).numpy(), wanted.numpy(), within=1e-10)
