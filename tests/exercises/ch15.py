"""Wrong answers to the exercises of chapter 15: each must be turned down."""

WRONG = {
    "15.1": {"the gradient": "tangent = [3, 3]", "the wrong sign": "tangent = 6"},
    "15.2": {
        "rows and columns exchanged": """
def cheaper(m, n):
    return "forward" if m <= n else "reverse"
""",
        "a tie goes back": """
def cheaper(m, n):
    return "forward" if n < m else "reverse"
""",
    },
    "15.3": {
        "not divided": "def norm_jvp(x, v):\n    return x @ v",
        "the norm of v": "def norm_jvp(x, v):\n    return np.sqrt(v @ v)",
    },
    "15.4": {
        "elementwise": """
def taylor_mul(a, b):
    return [p * q for p, q in zip(a, b)]
""",
        "no square of the slope": """
def taylor_mul(a, b):
    return a[0] * b[0], a[0] * b[1] + a[1] * b[0], a[0] * b[2] + a[2] * b[0]
""",
    },
}
