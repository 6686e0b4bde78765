"""Wrong answers to the exercises of chapter 21: each must be turned down."""

WRONG = {
    "21.1": {
        "it looks ahead": """
def window(n, width):
    back = np.arange(n)[:, None] - np.arange(n)
    return torch.tensor(abs(back) < width)
""",
        "one too many": """
def window(n, width):
    back = np.arange(n)[:, None] - np.arange(n)
    return torch.tensor((back >= 0) & (back <= width))
""",
        "True means hidden": """
def window(n, width):
    back = np.arange(n)[:, None] - np.arange(n)
    return ~torch.tensor((back >= 0) & (back < width))
""",
        "floats": """
def window(n, width):
    back = np.arange(n)[:, None] - np.arange(n)
    return torch.tensor(((back >= 0) & (back < width)) * 1.0)
""",
    },
    "21.2": {
        "the factor once too few": """
def back(q, k, v, g):
    s = 1 / np.sqrt(q.shape[1])
    p = np.exp(q @ k.T * s)
    p /= p.sum(1, keepdims=True)
    g_p = g @ v.T
    g_s = p * (g_p - (p * g_p).sum(1, keepdims=True))
    return g_s @ k, g_s.T @ q, p.T @ g
""",
        "the outer product forgotten": """
def back(q, k, v, g):
    s = 1 / np.sqrt(q.shape[1])
    p = np.exp(q @ k.T * s)
    p /= p.sum(1, keepdims=True)
    g_s = p * (g @ v.T) * s
    return g_s @ k, g_s.T @ q, p.T @ g
""",
        "columns for rows": """
def back(q, k, v, g):
    s = 1 / np.sqrt(q.shape[1])
    p = np.exp(q @ k.T * s)
    p /= p.sum(1, keepdims=True)
    g_p = g @ v.T
    g_s = p * (g_p - (p * g_p).sum(0, keepdims=True)) * s
    return g_s @ k, g_s.T @ q, p.T @ g
""",
    },
    "21.3": {
        "nan": """
def near(n, slope):
    back = np.arange(n)[:, None] - np.arange(n)
    far = np.where(back < 0, np.inf, back)
    return -slope * torch.tensor(far, dtype=slope.dtype)
""",
        "no history": """
def near(n, slope):
    back = np.arange(n)[:, None] - np.arange(n)
    return torch.tensor(np.where(back < 0, -np.inf, -slope.item() * back))
""",
        "what is far is preferred": """
def near(n, slope):
    back = np.arange(n)[:, None] - np.arange(n)
    added = slope * torch.tensor(np.maximum(back, 0), dtype=slope.dtype)
    return added.masked_fill(torch.tensor(back < 0), -np.inf)
""",
    },
    "21.4": {
        "it overflows": """
def streamed(q, blocks):
    below = above = 0.0
    for k, v in blocks:
        e = np.exp(k @ q / np.sqrt(len(q)))
        below, above = below + e.sum(), above + e @ v
    return above / below
""",
        "the old sums keep their scale": """
def streamed(q, blocks):
    top, below, above = -np.inf, 0.0, 0.0
    for k, v in blocks:
        s = k @ q / np.sqrt(len(q))
        top = max(top, s.max())
        e = np.exp(s - top)
        below, above = below + e.sum(), above + e @ v
    return above / below
""",
        "without the factor": """
def streamed(q, blocks):
    top, below, above = -np.inf, 0.0, 0.0
    for k, v in blocks:
        s = k @ q
        new = max(top, s.max())
        e, scale = np.exp(s - new), np.exp(top - new)
        below, above, top = below * scale + e.sum(), above * scale + e @ v, new
    return above / below
""",
        "the mean of the blocks": """
def streamed(q, blocks):
    found = []
    for k, v in blocks:
        s = k @ q / np.sqrt(len(q))
        e = np.exp(s - s.max())
        found.append(e @ v / e.sum())
    return np.mean(found, axis=0)
""",
    },
    "21.5": {
        "it does not see itself": """
def grow(kept, q, k, v):
    keys, values = np.vstack([kept[0], k]), np.vstack([kept[1], v])
    s = kept[0] @ q / np.sqrt(len(q))
    p = np.exp(s)
    return p @ kept[1] / max(p.sum(), 1e-9), (keys, values)
""",
        "without the factor": """
def grow(kept, q, k, v):
    keys, values = np.vstack([kept[0], k]), np.vstack([kept[1], v])
    s = keys @ q
    p = np.exp(s - s.max())
    return p @ values / p.sum(), (keys, values)
""",
        "it overflows": """
def grow(kept, q, k, v):
    keys, values = np.vstack([kept[0], k]), np.vstack([kept[1], v])
    p = np.exp(keys @ q / np.sqrt(len(q)))
    return p @ values / p.sum(), (keys, values)
""",
        "nothing is kept": """
def grow(kept, q, k, v):
    keys, values = np.vstack([kept[0], k]), np.vstack([kept[1], v])
    s = keys @ q / np.sqrt(len(q))
    p = np.exp(s - s.max())
    return p @ values / p.sum(), kept
""",
        "the newest first": """
def grow(kept, q, k, v):
    keys, values = np.vstack([k, kept[0]]), np.vstack([v, kept[1]])
    s = keys @ q / np.sqrt(len(q))
    p = np.exp(s - s.max())
    return p @ values / p.sum(), (keys, values)
""",
    },
}
