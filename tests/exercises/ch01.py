"""Plausible wrong answers to the exercises of Chapter 1: each must fail its check."""

WRONG = {
    "1.1": {
        "the limit instead of the quotient": "answer = [6, 6, 27]",
        "central taken for exact": "answer = [6.5, 6, 27]",
        "error of the cube with the wrong power of h": "answer = [6.5, 6, 27.5]",
        "one number short": "answer = [6.5, 6.0]",
    },
    "1.2": {
        "transposed": """
def jacobian(x):
    a, b = x
    return np.array([[b, 0.0, 1.0], [a, 2 * b, -3.0]])
""",
        "the columns swapped": """
def jacobian(x):
    a, b = x
    return np.array([[a, b], [2 * b, 0.0], [-3.0, 1.0]])
""",
        "right at one point only": """
def jacobian(x):
    return np.array([[5.0, 2.0], [0.0, 10.0], [1.0, -3.0]])
""",
        "the factor 2 forgotten": """
def jacobian(x):
    a, b = x
    return np.array([[b, a], [0.0, b], [1.0, -3.0]])
""",
    },
    "1.3": {
        "as if matrices commuted": """
def push(X, V):
    return 2 * V @ X.T
""",
        "one term forgotten": """
def push(X, V):
    return X @ V.T
""",
        "the other square": """
def push(X, V):
    return V.T @ X + X.T @ V
""",
        "the second-order term kept": """
def push(X, V):
    return (X + V) @ (X + V).T - X @ X.T
""",
        "symmetric in the wrong way": """
def push(X, V):
    return X @ V + V @ X
""",
    },
    "1.4": {
        "as it was found": """
def gradient(f, x):
    g = np.zeros_like(x)
    for i in range(len(x)):
        before = f(x)
        x[i] += 1e-6
        g[i] = (f(x) - before) / 1e-6
        x[i] -= 1e-6
    return g
""",
        "x moved and moved back": """
def gradient(f, x):
    g = np.zeros(x.shape)
    for i in range(x.size):
        h = 1e-6 * max(abs(x.flat[i]), 0.1)
        x.flat[i] += h
        ahead = f(x)
        x.flat[i] -= 2 * h
        behind = f(x)
        x.flat[i] += h
        g.flat[i] = (ahead - behind) / (2 * h)
    return g
""",
        "integers not thought of": """
def gradient(f, x):
    g = np.zeros_like(x)
    for i in range(x.size):
        ahead, behind = x.copy(), x.copy()
        h = 1e-6 * max(abs(x.flat[i]), 0.1)
        ahead.flat[i] += h
        behind.flat[i] -= h
        g.flat[i] = (f(ahead) - f(behind)) / (2 * h)
    return g
""",
        "one axis only": """
def gradient(f, x):
    x = np.asarray(x, dtype=float)
    g = np.zeros(len(x))
    for i in range(len(x)):
        ahead, behind = x.copy(), x.copy()
        h = 1e-6 * max(abs(x[i]), 0.1)
        ahead[i] += h
        behind[i] -= h
        g[i] = (f(ahead) - f(behind)) / (2 * h)
    return g
""",
        "the same step for every x": """
def gradient(f, x):
    x = np.asarray(x, dtype=float)
    g = np.zeros(x.shape)
    for i in range(x.size):
        ahead, behind = x.copy(), x.copy()
        ahead.flat[i] += 1e-6
        behind.flat[i] -= 1e-6
        g.flat[i] = (f(ahead) - f(behind)) / 2e-6
    return g
""",
    },
    "1.5": {
        "one pass for each element": """
def slopes(f, x):
    J = numerical_jacobian(f, x)
    return np.diag(J.reshape(x.size, x.size)).reshape(x.shape)
""",
        "the first element alone": """
def slopes(f, x):
    v = np.zeros_like(x)
    v.flat[:1] = 1.0
    return numerical_jvp(f, x, v)
""",
        "along x instead of ones": """
def slopes(f, x):
    return numerical_jvp(f, x, x)
""",
        "the average slope": """
def slopes(f, x):
    slopes = numerical_jvp(f, x, np.ones_like(x))
    return np.full_like(x, slopes.mean() if x.size else 0.0)
""",
    },
    "1.6": {
        "half the step and no combination": """
def extrapolated(f, x, h):
    return central(f, x, h / 2)
""",
        "the weights of forward differences": """
def extrapolated(f, x, h):
    return 2 * central(f, x, h / 2) - central(f, x, h)
""",
        "the two swapped": """
def extrapolated(f, x, h):
    return (4 * central(f, x, h) - central(f, x, h / 2)) / 3
""",
        "the average": """
def extrapolated(f, x, h):
    return (central(f, x, h) + central(f, x, h / 2)) / 2
""",
        "another method": """
def extrapolated(f, x, h):
    return complex_step(f, x, 1e-20)
""",
    },
    "1.7": {
        "as it was": """
def spread(x):
    return np.linalg.norm(x - x.mean())
""",
        "the conjugate product": """
def spread(x):
    d = x - x.mean()
    return np.sqrt((d * np.conj(d)).sum())
""",
        "absolute values squared": """
def spread(x):
    return np.sqrt((np.abs(x - x.mean()) ** 2).sum()) + 0j
""",
        "the mean left out": """
def spread(x):
    return np.sqrt((x * x).sum())
""",
    },
}
