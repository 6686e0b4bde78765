"""Wrong answers to the exercises of chapter 13: each must be turned down."""

WRONG = {
    "13.1": {
        "a sign": 'fault = "sign"',
        "a transpose": 'fault = "transpose"',
        "a sum": 'fault = "sum"',
        "another word": 'fault = "factor"',
    },
    "13.2": {
        "one side only": (
            "slow_calls, slow_passes, fast_calls, fast_passes = 20, 100, 2, 2"
        ),
        "asked once": (
            "slow_calls, slow_passes, fast_calls, fast_passes = 40, 50, 2, 1"
        ),
        "rows for columns": (
            "slow_calls, slow_passes, fast_calls, fast_passes = 100, 40, 2, 2"
        ),
    },
    "13.3": {
        "one direction only": """
def agrees(forward, rule, x):
    u = np.ones_like(x)
    out = forward(x)
    v = np.ones_like(out)
    rate = np.sum(v * (forward(x + 1e-6 * u) - forward(x - 1e-6 * u))) / 2e-6
    return bool(np.isclose(np.sum(rule(v, x) * u), rate, 1e-3, 1e-5))
""",
        "the diagonal only": """
def agrees(forward, rule, x):
    slope = (forward(x + 1e-6) - forward(x - 1e-6)) / 2e-6
    found = rule(np.ones_like(slope), x)
    return bool(np.allclose(found, slope, 1e-3, 1e-5))
""",
        "it believes everybody": """
def agrees(forward, rule, x):
    return True
""",
        "too lenient": """
def agrees(forward, rule, x):
    shape, h = np.shape(forward(x)), 1e-6
    steps = [h * e.reshape(x.shape) for e in np.eye(x.size)]
    measured = [np.ravel(forward(x + s) - forward(x - s)) / (2 * h) for s in steps]
    units = np.eye(int(np.prod(shape)))
    rows = [np.ravel(rule(e.reshape(shape), x)) for e in units]
    return np.allclose(np.array(rows), np.array(measured).T, 0.1, 0.1)
""",
        "it moves x": """
def agrees(forward, rule, x):
    shape, h = np.shape(forward(x)), 1e-6
    columns = []
    for place in np.ndindex(x.shape):
        x[place] += h
        up = forward(x)
        x[place] -= h
        columns.append(np.ravel(up - forward(x)) / h)
    units = np.eye(int(np.prod(shape)))
    rows = [np.ravel(rule(e.reshape(shape), x)) for e in units]
    x += 1e-4
    return np.allclose(np.array(rows), np.array(columns).T, 1e-3, 1e-5)
""",
    },
    "13.4": {
        "the truth": """
def liar(g, x):
    return g * np.cos(x)
""",
        "a lie everywhere": """
def liar(g, x):
    return 2 * g * np.cos(x)
""",
        "zeros for negative numbers": """
def liar(g, x):
    return np.where(x < 0, 0, g * np.cos(x))
""",
    },
    "13.5": {
        "nothing is left out": """
def shrink(steps, fails):
    return list(steps)
""",
        "once through": """
def shrink(steps, fails):
    steps = list(steps)
    k = 0
    while k < len(steps):
        fewer = steps[:k] + steps[k + 1 :]
        if fails(fewer):
            steps = fewer
        else:
            k += 1
    return steps
""",
        "the shortest beginning": """
def shrink(steps, fails):
    for k in range(len(steps) + 1):
        if fails(steps[:k]):
            return steps[:k]
    return list(steps)
""",
        "too many questions": """
def shrink(steps, fails):
    import itertools

    for n in range(len(steps) + 1):
        for kept in itertools.combinations(range(len(steps)), n):
            if fails([steps[k] for k in kept]):
                return [steps[k] for k in kept]
    return list(steps)
""",
    },
}
