"""Wrong answers to the exercises of chapter 11: each must be turned down."""

WRONG = {
    "11.1": {
        "a copy is thought to share the count": """
versions = dict(a=2, b=1, c=1, d=1, e=0, f=0, g=2, h=1)
""",
        "data is thought to share the count": """
versions = dict(a=2, b=0, c=1, d=1, e=1, f=0, g=2, h=1)
""",
        "a name that moves on is thought to change a tensor": """
versions = dict(a=2, b=0, c=1, d=1, e=0, f=1, g=2, h=1)
""",
        "the assignment after += is forgotten": """
versions = dict(a=2, b=0, c=1, d=1, e=0, f=0, g=1, h=1)
""",
        "a transposition is thought to change nothing": """
versions = dict(a=2, b=0, c=1, d=1, e=0, f=0, g=2, h=0)
""",
    },
    "11.2": {
        "exp is thought to save its input": """
ends = dict(a="error", b="error", c="error", d="fine", e="fine", f="fine", g="error",
            h="error")
""",
        "exp is thought to save nothing": """
ends = dict(a="fine", b="fine", c="error", d="fine", e="fine", f="fine", g="error",
            h="error")
""",
        "detach is thought to make a copy": """
ends = dict(a="fine", b="error", c="fine", d="fine", e="fine", f="fine", g="error",
            h="error")
""",
        "the count is thought to belong to elements": """
ends = dict(a="fine", b="error", c="error", d="fine", e="fine", f="fine", g="fine",
            h="error")
""",
        "the old numbers are thought to be enough": """
ends = dict(a="fine", b="error", c="error", d="fine", e="fine", f="fine", g="error",
            h="fine")
""",
    },
    "11.3": {
        "unrepaired": """
def recurrence(x):
    h = torch.zeros_like(x)
    h[0] = x[0]
    for t in range(1, len(x)):
        h[t] = h[t - 1] * x[t] + x[t - 1]
    return h
""",
        "half of the gradient is cut off": """
def recurrence(x):
    h = torch.zeros_like(x)
    h[0] = x[0]
    for t in range(1, len(x)):
        h[t] = h[t - 1].detach().clone() * x[t] + x[t - 1]
    return h
""",
        "nothing is recorded": """
@torch.no_grad()
def recurrence(x):
    h = torch.zeros_like(x)
    h[0] = x[0]
    for t in range(1, len(x)):
        h[t] = h[t - 1] * x[t] + x[t - 1]
    return h
""",
        "the other operand is forgotten": """
def recurrence(x):
    h = torch.zeros_like(x)
    h[0] = state = x[0]
    for t in range(1, len(x)):
        h[t] = state = state * x[t] + state
    return h
""",
    },
    "11.4": {
        "the first is overwritten too early": """
def exchange_(a, b):
    a.copy_(b)
    b.copy_(a)
""",
        "the history is lost": """
def exchange_(a, b):
    kept = a.detach().clone()
    a.copy_(b)
    b.copy_(kept)
""",
        "only the names are exchanged": """
def exchange_(a, b):
    a, b = b, a
""",
        "the data are exchanged behind the counter's back": """
def exchange_(a, b):
    a.data, b.data = b.data, a.data
""",
    },
    "11.5": {
        "the factor stands everywhere": """
def jacobians(y, part, w):
    return w * np.eye(len(y)), y
""",
        "what stayed is forgotten": """
def jacobians(y, part, w):
    factor, by_w = np.zeros_like(y), np.zeros_like(y)
    factor[part] = w
    by_w[part] = y[part]
    return np.diag(factor), by_w
""",
        "w's Jacobian uses the new numbers": """
def jacobians(y, part, w):
    factor, by_w = np.ones_like(y), np.zeros_like(y)
    factor[part] = w
    by_w[part] = w * y[part]
    return np.diag(factor), by_w
""",
        "y is changed": """
def jacobians(y, part, w):
    factor, by_w = np.ones_like(y), np.zeros_like(y)
    factor[part] = w
    by_w[part] = y[part]
    y[part] *= w
    return np.diag(factor), by_w
""",
    },
    "11.6": {
        "looks at the last node only": """
def seal(y):
    node = y.grad_fn
    saved = {n: np.array(getattr(node, n)) for n in node.saves if hasattr(node, n)}

    def broken():
        same = all(np.array_equal(getattr(node, n), v) for n, v in saved.items())
        return [] if same else [node.name()]

    return broken
""",
        "keeps the arrays themselves": """
def seal(y):
    nodes, todo = [], [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            todo += [child for child, _ in node.next_functions]
    saved = [(k, n, getattr(k, n)) for k in nodes for n in k.saves if hasattr(k, n)]

    def broken():
        return [k.name() for k, n, v in saved if not np.array_equal(getattr(k, n), v)]

    return broken
""",
        "a NaN breaks the seal": """
def seal(y):
    nodes, todo = [], [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in nodes:
            nodes.append(node)
            todo += [child for child, _ in node.next_functions]
    saved = [
        (k, n, np.array(getattr(k, n))) for k in nodes for n in k.saves if hasattr(k, n)
    ]

    def broken():
        names = {k: 0 for k, n, v in saved if not np.array_equal(getattr(k, n), v)}
        return [k.name() for k in names]

    return broken
""",
        "asks the counter, which the holes bypass": """
def seal(y):
    born = torch.autograd.function.clock

    def broken():
        return [] if torch.autograd.function.clock == born else [y.grad_fn.name()]

    return broken
""",
    },
}
