"""Wrong answers to the exercises of chapter 20: each must be turned down."""

PLACES = "size, padding, parameters = {}"
RING = """
def circulant(w, n):
    C, rows = np.zeros((n, n)), np.arange(n)
    for j, weight in enumerate(w):
        {}
    return C
"""
TWO = """
def separable(x, depth, mix):
    return {}
"""
SOFT = """
def soft_pool(x, k, beta):
    n, c, h, w = x.shape
    windows = (beta * x).reshape(n, c, h // k, k, w // k, k)
    return {}
"""
WRONG = {
    "20.1": {
        "the padding forgotten": PLACES.format("14, 9, 4640"),
        "a kernel without gaps": PLACES.format("16, 3, 4640"),
        "no biases": PLACES.format("16, 9, 4608"),
    },
    "20.2": {
        "overwritten": RING.format("C[rows, (rows + j) % n] = weight"),
        "the transpose": RING.format("C[(rows + j) % n, rows] += weight"),
        "no ring": RING.format("C[rows[: n - j], rows[: n - j] + j] += weight"),
    },
    "20.3": {
        "no padding": TWO.format(
            "F.conv2d(F.conv2d(x, depth, groups=len(depth)), mix)"
        ),
        "each channel alone": TWO.format(
            "F.conv2d(x, depth, padding=1, groups=len(depth))"
        ),
        "mixed with ones": TWO.format(
            "F.conv2d(F.conv2d(x, depth, padding=1, groups=len(depth)), "
            "torch.ones_like(mix))"
        ),
    },
    "20.4": {
        "the maximum": SOFT.format("windows.amax((3, 5)) / beta"),
        "no mean": SOFT.format("windows.logsumexp((3, 5)) / beta"),
        "overflow": SOFT.format("windows.exp().mean((3, 5)).log() / beta"),
        "windows across": SOFT.format(
            "(windows.logsumexp((2, 4)) - 2 * np.log(k)) / beta"
        ),
    },
}
