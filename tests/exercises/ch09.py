"""Wrong answers to the exercises of chapter 9: each must be turned down."""

WRONG = {
    "9.1": {
        "the new axis only": "copies = 4",
        "the last axis only": "copies = 5",
        "all elements of the result": "copies = 4 * 3 * 5",
        "a sum of lengths": "copies = 4 + 5",
    },
    "9.2": {
        "missing axes only": """
def sum_to(g, shape):
    return np.sum(g, axis=tuple(range(g.ndim - len(shape)))).reshape(shape)
""",
        "it takes the first copy": """
def sum_to(g, shape):
    g = g[(0,) * (g.ndim - len(shape))]
    for k, n in enumerate(shape):
        if n == 1:
            g = g.take([0], axis=k)
    return g
""",
        "it keeps no axes": """
def sum_to(g, shape):
    lead = g.ndim - len(shape)
    axes = [k + lead for k, n in enumerate(shape) if n == 1]
    return np.sum(g, axis=(*range(lead), *axes))
""",
        "a mean of the copies": """
def sum_to(g, shape):
    lead = g.ndim - len(shape)
    g = np.mean(g, axis=tuple(range(lead))) if lead else g
    axes = tuple(k for k, n in enumerate(shape) if n == 1)
    return np.mean(g, axis=axes, keepdims=True).reshape(shape)
""",
    },
    "9.3": {
        "the mean does not depend on x": """
def standardise_vjp(g, x):
    return g / np.std(x)
""",
        "the deviation does not depend on x": """
def standardise_vjp(g, x):
    return (g - np.mean(g)) / np.std(x)
""",
        "the sample's deviation": """
def standardise_vjp(g, x):
    deviation = np.std(x, ddof=1)
    z = (x - np.mean(x)) / deviation
    return (g - np.mean(g) - z * np.mean(g * z)) / deviation
""",
        "a sum for a mean": """
def standardise_vjp(g, x):
    deviation = np.std(x)
    z = (x - np.mean(x)) / deviation
    return (g - np.mean(g) - z * np.sum(g * z)) / deviation
""",
    },
    "9.4": {
        "the formula": """
def log_sigmoid(x):
    return np.log(1 / (1 + np.exp(-x)))


def log_sigmoid_vjp(g, x):
    return g / (1 + np.exp(x))
""",
        "stable on one side": """
def log_sigmoid(x):
    return -np.log1p(np.exp(-x))


def log_sigmoid_vjp(g, x):
    return g / (1 + np.exp(x))
""",
        "the slope of the sigmoid": """
def log_sigmoid(x):
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


def log_sigmoid_vjp(g, x):
    small = np.exp(-np.abs(x))
    return g * small / (1 + small) ** 2
""",
    },
}
