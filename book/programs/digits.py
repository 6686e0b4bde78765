"""Read handwritten digits with a net of two layers."""

import numpy as np
from sklearn.datasets import load_digits

import minigrad as torch

nn, F = torch.nn, torch.nn.functional
rng = np.random.default_rng(0)

pictures, labels = load_digits(return_X_y=True)
order = rng.permutation(len(labels))
X = torch.tensor(pictures[order] / 16, dtype=torch.float32)
y = torch.tensor(labels[order])
test_X, test_y = X[1437:], y[1437:]


class Reader(nn.Module):
    def __init__(self, width=128):
        super().__init__()
        self.hidden = nn.Linear(64, width)
        self.out = nn.Linear(width, 10)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(x)))


model = Reader()
with torch.no_grad():  # the same start everywhere: PyTorch draws other numbers
    for p in model.parameters():
        start = rng.normal(size=tuple(p.shape)) / p.shape[-1] ** 0.5
        p.copy_(torch.from_numpy(start))

optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=4, gamma=0.5)
losses = []
for _ in range(12):
    total = 0.0
    for batch in np.array_split(rng.permutation(1437), 23):
        batch = torch.from_numpy(batch)
        loss = F.cross_entropy(model(X[batch]), y[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    scheduler.step()
    losses.append(total / 1437)

model.eval()
with torch.no_grad():
    right = (model(test_X).argmax(dim=1) == test_y).sum().item()
results = {
    "loss of each epoch": losses,
    "read right, of 360": right,
    "length of all weights": [p.norm().item() for p in model.parameters()],
}
print(f"loss {losses[0]:.4f} … {losses[-1]:.4f}; {right} of 360 read right")
