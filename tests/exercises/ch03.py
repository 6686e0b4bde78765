"""Wrong answers to the exercises of chapter 3: each must be turned down."""

WRONG = {
    "3.1": {
        "the sums over the copies are forgotten": """
x_bar = [[10, 0, 60], [0, 20, 0]]
y_bar = [[1, 0, 2], [0, 2, 0]]
""",
        "x_bar has lost an axis": """
x_bar = [70, 20]
y_bar = [1, 2, 2]
""",
        "y_bar is summed over the wrong axis and cut to length": """
x_bar = [[70], [20]]
y_bar = [3, 2, 0]
""",
        "the two factors are swapped": """
x_bar = [[3], [2]]
y_bar = [10, 20, 60]
""",
    },
    "3.2": {
        "assigns where it should add": """
def count_paths(edges, source, target):
    ways = {source: 1}
    for tail, head in edges:
        ways[head] = ways.get(tail, 0)
    return ways.get(target, 0)
""",
        "counts as a float": """
def count_paths(edges, source, target):
    ways = {source: 1.0}
    for tail, head in edges:
        ways[head] = ways.get(head, 0.0) + 1.0000001 * ways.get(tail, 0.0)
    return ways.get(target, 0.0)
""",
        "follows every path": """
def count_paths(edges, source, target):
    if source == target:
        return 1
    heads = [head for tail, head in edges if tail == source]
    return sum(count_paths(edges, head, target) for head in heads)
""",
        "forgets the source and counts all paths": """
def count_paths(edges, source, target):
    ways = {}
    for tail, head in edges:
        ways[head] = ways.get(head, 0) + ways.get(tail, 1)
    return ways.get(target, 0)
""",
    },
    "3.3": {
        "the window is turned round": """
def slide_jacobian(w, n):
    w = w[::-1]
    return np.array([np.pad(w, (i, n - len(w) - i)) for i in range(n - len(w) + 1)])

def slide_rule(g, w):
    return np.convolve(g, w)
""",
        "the transpose of the Jacobian": """
def slide_jacobian(w, n):
    return np.array([np.pad(w, (i, n - len(w) - i)) for i in range(n - len(w) + 1)]).T

def slide_rule(g, w):
    return np.convolve(g, w)
""",
        "the rule correlates where it should convolve": """
def slide_jacobian(w, n):
    return np.array([np.pad(w, (i, n - len(w) - i)) for i in range(n - len(w) + 1)])

def slide_rule(g, w):
    return np.correlate(g, w, "full")
""",
        "the rule returns the length of g": """
def slide_jacobian(w, n):
    return np.array([np.pad(w, (i, n - len(w) - i)) for i in range(n - len(w) + 1)])

def slide_rule(g, w):
    return np.convolve(g, w, "same")
""",
        "the rule overwrites the window": """
def slide_jacobian(w, n):
    return np.array([np.pad(w, (i, n - len(w) - i)) for i in range(n - len(w) + 1)])

def slide_rule(g, w):
    full = np.convolve(g, w)
    w[:] = w[::-1].copy()
    return full
""",
    },
    "3.4": {
        "the original, right on no shape at all": """
def layer_backward(g, x, w, b):
    return g @ w, g.T @ x, g
""",
        "the weight's gradient is left transposed": """
def layer_backward(g, x, w, b):
    return g @ w.T, g.T @ x, g.sum(axis=0)
""",
        "the bias is summed to a single number": """
def layer_backward(g, x, w, b):
    return g @ w.T, x.T @ g, g.sum()
""",
        "the batch is averaged": """
def layer_backward(g, x, w, b):
    return g @ w.T, x.T @ g / len(x), g.mean(axis=0)
""",
    },
    "3.5": {
        "the rule reads the operand": """
sigmoid = define(
    "sigmoid",
    lambda x: 1 / (1 + np.exp(-x)),
    x=lambda g, x: g * np.exp(-x) / (1 + np.exp(-x)) ** 2,
)
""",
        "the slope of tanh": """
sigmoid = define(
    "sigmoid", lambda x: 1 / (1 + np.exp(-x)), x=lambda g, out: g * (1 - out * out)
)
""",
        "g is left out": """
sigmoid = define(
    "sigmoid", lambda x: 1 / (1 + np.exp(-x)), x=lambda g, out: out * (1 - out)
)
""",
        "a function instead of a primitive": """
def sigmoid(x):
    return 1 / (1 + np.exp(-x))
""",
    },
    "3.6": {
        "compares the shapes only": """
def dot_test(push, pull, x_shape, y_shape):
    v, u = np.ones(x_shape), np.ones(y_shape)
    return np.shape(push(v)) == y_shape and np.shape(pull(u)) == x_shape
""",
        "vectors of ones, which see sums only": """
def dot_test(push, pull, x_shape, y_shape):
    v, u = np.ones(x_shape), np.ones(y_shape)
    return bool(np.isclose(np.sum(u * push(v)), np.sum(v * pull(u)), rtol=1e-1))
""",
        "demands equality to the last bit": """
def dot_test(push, pull, x_shape, y_shape):
    random = np.random.default_rng(0)
    v, u = random.standard_normal(x_shape), random.standard_normal(y_shape)
    return bool(np.vdot(u, push(v)) == np.vdot(pull(u), v))
""",
        "a tolerance that swallows everything": """
def dot_test(push, pull, x_shape, y_shape):
    random = np.random.default_rng(0)
    v, u = random.standard_normal(x_shape), random.standard_normal(y_shape)
    return bool(abs(np.vdot(u, push(v)) - np.vdot(pull(u), v)) < 10)
""",
    },
    "3.7": {
        "the better of the two ends": """
def fewest(widths):
    entries = [n * m for n, m in zip(widths[1:], widths)]
    return min(widths[-1] * sum(entries[:-1]), widths[0] * sum(entries[1:]))
""",
        "greedy: the cheapest product first": """
def fewest(widths):
    widths, total = list(widths), 0
    while len(widths) > 2:
        costs = [
            (widths[k - 1] * widths[k] * widths[k + 1], k)
            for k in range(1, len(widths) - 1)
        ]
        cost, k = min(costs)
        total += cost
        del widths[k]
    return total
""",
        "the last product is forgotten": """
def fewest(widths):
    if len(widths) <= 3:
        return 0
    return min(
        fewest(widths[: k + 1]) + fewest(widths[k:]) for k in range(1, len(widths) - 1)
    )
""",
    },
}
