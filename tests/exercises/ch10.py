"""Wrong answers to the exercises of chapter 10: each must be turned down."""

WRONG = {
    "10.1": {
        "the last one wins": "cotangent = [0, 4, 0, 2]",
        "it counts": "cotangent = [0, 3, 0, 1]",
        "that of y": "cotangent = [1, 2, 3, 4]",
        "zeros are left out": "cotangent = [8, 2]",
    },
    "10.2": {
        "places that repeat are lost": """
def windows_vjp(g, n):
    total = np.zeros(n)
    total[np.arange(len(g))[:, None] + np.arange(g.shape[1])] += g
    return total
""",
        "the first numbers only": """
def windows_vjp(g, n):
    return np.concatenate([g[:, 0], np.zeros(n - len(g))])
""",
        "the mean of the windows": """
def windows_vjp(g, n):
    total, count = np.zeros(n), np.zeros(n)
    places = np.arange(len(g))[:, None] + np.arange(g.shape[1])
    np.add.at(total, places, g)
    np.add.at(count, places, 1)
    return total / count
""",
    },
    "10.3": {
        "nothing is exchanged": "def transposed(equation, k):\n    return equation",
        "g comes last": """
def transposed(equation, k):
    left, out = equation.split("->")
    terms = left.split(",")
    return ",".join([*terms[:k], *terms[k + 1 :], out]) + "->" + terms[k]
""",
        "always the first": """
def transposed(equation, k):
    left, out = equation.split("->")
    terms = left.split(",")
    return ",".join([out, *terms[1:]]) + "->" + terms[0]
""",
    },
    "10.4": {
        "numbers commute": "def cube_vjp(g, A):\n    return 3 * g * A**2",
        "matrices do not": "def cube_vjp(g, A):\n    return 3 * g @ A.T @ A.T",
        "transposes are forgotten": """
def cube_vjp(g, A):
    return g @ A @ A + A @ g @ A + A @ A @ g
""",
    },
    "10.5": {
        "the diagonal is not halved": """
def cholesky_vjp(g, A):
    L = np.linalg.cholesky(A)
    half = np.linalg.solve(L.T, np.tril(L.T @ g)) @ np.linalg.inv(L)
    return (half + half.T) / 2
""",
        "it is not symmetric": """
def cholesky_vjp(g, A):
    L = np.linalg.cholesky(A)
    inside = np.tril(L.T @ g)
    inside[np.diag_indices(len(L))] /= 2
    return np.linalg.solve(L.T, inside) @ np.linalg.inv(L)
""",
        "the triangle is forgotten": """
def cholesky_vjp(g, A):
    L = np.linalg.cholesky(A)
    half = np.linalg.solve(L.T, L.T @ g / 2) @ np.linalg.inv(L)
    return (half + half.T) / 2
""",
    },
}
