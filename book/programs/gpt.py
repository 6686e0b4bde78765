"""Learn one sentence by heart, character by character, with a small GPT."""

import numpy as np

import minigrad as torch

nn, F = torch.nn, torch.nn.functional
rng = np.random.default_rng(2)
text = (
    "Alice was beginning to get very tired of sitting by her sister on the bank, "
    "and of having nothing to do"
)
letters = sorted(set(text))
ids = torch.tensor([letters.index(c) for c in text])
N, WIDTH, HEADS = 24, 32, 4  # places, channels, heads


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.mix = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 64), nn.Linear(64, WIDTH)

    def forward(self, x):  # (batch, place, channel)
        b, n, _ = x.shape
        heads = self.qkv(self.norm1(x)).view(b, n, 3, HEADS, WIDTH // HEADS)
        q, k, v = heads.permute(2, 0, 3, 1, 4)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.mix(y.transpose(1, 2).reshape(b, n, WIDTH))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.letter, self.place = (
            nn.Embedding(len(letters), WIDTH),
            nn.Embedding(N, WIDTH),
        )
        self.blocks = nn.ModuleList([Block(), Block()])
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, len(letters))

    def forward(self, ids):
        x = self.letter(ids) + self.place(torch.arange(ids.shape[1]))
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


model = GPT()
with torch.no_grad():
    for name, p in model.named_parameters():
        if p.ndim > 1:
            p.copy_(torch.from_numpy(rng.normal(0, 0.1, tuple(p.shape))))
        elif name.endswith("bias"):
            p.zero_()

optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, betas=(0.9, 0.98))
losses = []
for _ in range(160):
    start = torch.from_numpy(rng.integers(0, len(ids) - N, (12, 1)))
    piece = ids[start + torch.arange(N + 1)]
    logits = model(piece[:, :-1])
    loss = F.cross_entropy(logits.flatten(0, 1), piece[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())

written = ids[:N].tolist()
with torch.no_grad():
    for _ in range(80):  # the likeliest character, each time
        logits = model(torch.tensor([written[-N:]]))[0, -1]
        written.append(logits.argmax().item())
results = {"loss of each step": losses, "written": "".join(letters[k] for k in written)}
print(f"loss {losses[0]:.2f} … {losses[-1]:.2f}\n{results['written']}")
