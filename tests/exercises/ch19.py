"""Wrong answers to the exercises of chapter 19: each must be turned down."""

WRONG = {
    "19.1": {
        "the nearest only": """
def vote(pictures, digits, asked, k):
    far = ((asked[:, None] - pictures[None]) ** 2).sum(-1)
    return digits[far.argmin(1)]
""",
        "the larger digit wins": """
def vote(pictures, digits, asked, k):
    found = []
    for picture in asked:
        near = np.argsort(((pictures - picture) ** 2).sum(1), kind="stable")[:k]
        count = np.bincount(digits[near], minlength=10)
        found.append(9 - count[::-1].argmax())
    return np.array(found)
""",
        "the farthest": """
def vote(pictures, digits, asked, k):
    far = ((asked[:, None] - pictures[None]) ** 2).sum(-1)
    near = np.argsort(-far, axis=1)[:, :k]
    return np.array([np.bincount(digits[row], minlength=10).argmax() for row in near])
""",
    },
    "19.2": {
        "one-hot all the same": """
def smoothed(logits, digits, eps):
    p = np.exp(logits - logits.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    q = np.eye(logits.shape[1])[digits]
    return -(q * np.log(p + 1e-300)).sum() / len(q), (p - q) / len(q)
""",
        "the truth gets too little": """
def smoothed(logits, digits, eps):
    n, c = logits.shape
    q = np.full((n, c), eps / (c - 1))
    q[np.arange(n), digits] = 1 - eps
    z = logits - logits.max(1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(1, keepdims=True))
    return -(q * log_p).sum() / n, (np.exp(log_p) - q) / n
""",
        "the sum for the mean": """
def smoothed(logits, digits, eps):
    n, c = logits.shape
    q = np.full((n, c), eps / c)
    q[np.arange(n), digits] += 1 - eps
    z = logits - logits.max(1, keepdims=True)
    log_p = z - np.log(np.exp(z).sum(1, keepdims=True))
    return -(q * log_p).sum(), np.exp(log_p) - q
""",
        "it overflows": """
def smoothed(logits, digits, eps):
    n, c = logits.shape
    q = np.full((n, c), eps / c)
    q[np.arange(n), digits] += 1 - eps
    p = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    return -(q * np.log(p)).sum() / n, (p - q) / n
""",
    },
    "19.3": {
        "the targets are not mixed": """
def mixup(pictures, digits, order, share):
    return share * pictures + (1 - share) * pictures[order], np.eye(10)[digits]
""",
        "the shares exchanged": """
def mixup(pictures, digits, order, share):
    t = np.eye(10)[digits]
    mix = lambda a: (1 - share) * a + share * a[order]
    return mix(pictures), mix(t)
""",
        "in place": """
def mixup(pictures, digits, order, share):
    t = np.eye(10)[digits]
    mixed = share * pictures + (1 - share) * pictures[order]
    pictures[:] = mixed
    return mixed, share * t + (1 - share) * t[order]
""",
    },
    "19.4": {
        "without the bias": """
def norms(x, g):
    return np.sqrt((g * g).sum(1) * (x * x).sum(1))
""",
        "the square": """
def norms(x, g):
    return (g * g).sum(1) * ((x * x).sum(1) + 1)
""",
        "the norm of the sum": """
def norms(x, g):
    return np.full(len(x), np.sqrt(((g.T @ x) ** 2).sum() + (g.sum(0) ** 2).sum()))
""",
        "all the outer products": """
def norms(x, g):
    outer = g[:, :, None] * x[:, None, :]
    return np.sqrt((outer**2).sum((1, 2)) + (g * g).sum(1))
""",
    },
}
