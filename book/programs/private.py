"""A gradient for each example, each cut to the same length, and noise: privacy."""

import numpy as np

import minigrad as torch

nn, F = torch.nn, torch.nn.functional
grad, vmap, functional_call = (
    torch.func.grad,
    torch.func.vmap,
    torch.func.functional_call,
)
rng = np.random.default_rng(4)

angle = rng.uniform(0, np.pi, 400)
half = rng.integers(0, 2, 400)  # two moons
X = np.stack([np.cos(angle) + half, np.sin(angle) * (1 - 2 * half) + 0.4 * half], 1)
X = torch.tensor(X + 0.1 * rng.normal(size=X.shape), dtype=torch.float32)
y = torch.from_numpy(half)

model = nn.Sequential(nn.Linear(2, 16), nn.Tanh(), nn.Linear(16, 2))
params = {}
for name, p in model.named_parameters():
    start = rng.normal(size=tuple(p.shape)) * (0.8 if p.ndim > 1 else 0.0)
    params[name] = torch.tensor(start, dtype=torch.float32)


def loss_of_one(params, x, label):
    """The loss of one example: x is (2,), label is ()."""
    logits = functional_call(model, params, (x.unsqueeze(0),))
    return F.cross_entropy(logits, label.unsqueeze(0))


each = vmap(grad(loss_of_one), in_dims=(None, 0, 0))  # all examples at once
CLIP, NOISE, RATE = 1.0, 0.3, 0.5
medians, losses = [], []
for _ in range(60):
    batch = torch.from_numpy(rng.integers(0, 400, 100))
    grads = each(params, X[batch], y[batch])  # a leading axis of 100 on each
    squares = sum((g**2).flatten(1).sum(1) for g in grads.values())
    lengths = squares.sqrt()
    factor = (CLIP / lengths).clamp(max=1.0)
    for name, g in grads.items():
        cut = torch.einsum("n,n...->...", factor, g)
        noise = torch.from_numpy(rng.normal(size=tuple(cut.shape))).float()
        params[name] = params[name] - RATE * (cut + NOISE * CLIP * noise) / 100
    medians.append(lengths.median().item())
    losses.append(F.cross_entropy(functional_call(model, params, (X,)), y).item())

logits = functional_call(model, params, (X,))
results = {
    "loss after each step": losses,
    "median length of a gradient": medians,
    "right, of 400": (logits.argmax(1) == y).sum().item(),
}
print(
    f"loss {losses[0]:.4f} … {losses[-1]:.4f}; {results['right, of 400']} of 400 right"
)
