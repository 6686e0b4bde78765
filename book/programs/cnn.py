"""Read the same digits with convolutions: pictures, channels, batch statistics."""

import numpy as np
from sklearn.datasets import load_digits

import minigrad as torch

nn, F = torch.nn, torch.nn.functional
rng = np.random.default_rng(1)

data = load_digits()
X = torch.tensor(data.images[:, None] / 16, dtype=torch.float32)  # (1797, 1, 8, 8)
y = torch.tensor(data.target)

model = nn.Sequential(
    nn.Conv2d(1, 8, kernel_size=3, padding=1, bias=False),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Conv2d(8, 16, kernel_size=3, padding=1),
    nn.ReLU(),
    nn.AvgPool2d(2),
    nn.Flatten(),
    nn.Linear(64, 10),
)
with torch.no_grad():
    for p in model.parameters():
        if p.ndim > 1:
            fan_in = p[0].numel()
            start = rng.uniform(-1, 1, tuple(p.shape)) * (3 / fan_in) ** 0.5
            p.copy_(torch.from_numpy(start))
        else:
            p.fill_(1.0 if p is model[1].weight else 0.0)

optimizer = torch.optim.AdamW(model.parameters(), lr=0.01, weight_decay=0.01)
losses, lengths = [], []
for _ in range(60):
    batch = torch.from_numpy(rng.integers(0, 1437, 64))
    loss = F.cross_entropy(model(X[batch]), y[batch], label_smoothing=0.05)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    length = nn.utils.clip_grad_norm_(model.parameters(), max_norm=1.0)
    optimizer.step()
    losses.append(loss.item())
    lengths.append(length.item())

model.eval()  # batch norm now uses its running statistics
with torch.no_grad():
    right = (model(X[1437:]).argmax(1) == y[1437:]).sum().item()
results = {
    "loss of each step": losses,
    "length of each gradient": lengths,
    "running variances": model[1].running_var.tolist(),
    "read right, of 360": right,
}
print(f"loss {losses[0]:.2f} … {losses[-1]:.2f}; {right} of 360 read right")
