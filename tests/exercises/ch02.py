"""Wrong answers to the exercises of chapter 2, each a mistake that people make."""

WRONG = {
    "2.1": {
        "the shape of W taken for the shape of its derivative": (
            "answer = ((3, 2), (1, 6), (3, 2), (2, 3))"
        ),
        "output and input in the wrong order": (
            "answer = ((3, 2, 5, 2), (6, 10), (5, 2, 3, 2), (3, 2, 2, 5))"
        ),
        "mirrored reverses the output as well": (
            "answer = ((5, 2, 3, 2), (10, 6), (3, 2, 5, 2), (2, 5, 2, 3))"
        ),
        "by X in place of W": (
            "answer = ((5, 2, 5, 3), (10, 15), (5, 3, 5, 2), (5, 2, 3, 5))"
        ),
        "denominator is the mirrored shape": (
            "answer = ((5, 2, 3, 2), (10, 6), (5, 2, 2, 3), (5, 2, 2, 3))"
        ),
        "one shape missing": "answer = ((5, 2, 3, 2), (10, 6), (3, 2, 5, 2))",
    },
    "2.2": {
        "the difference has its sign turned": (
            "flip = lambda n: np.eye(n)[::-1]\n"
            "differences = lambda n: np.eye(n)[:-1] - np.eye(n)[1:]\n"
            "column_means = lambda m, n: np.tile(np.eye(n), m) / m\n"
        ),
        "flip does nothing": (
            "flip = lambda n: np.eye(n)\n"
            "differences = lambda n: np.eye(n)[1:] - np.eye(n)[:-1]\n"
            "column_means = lambda m, n: np.tile(np.eye(n), m) / m\n"
        ),
        "the mean's blocks are repeated entry by entry (column-major order)": (
            "flip = lambda n: np.eye(n)[::-1]\n"
            "differences = lambda n: np.eye(n)[1:] - np.eye(n)[:-1]\n"
            "column_means = lambda m, n: np.repeat(np.eye(n), m, axis=1) / m\n"
        ),
        "a sum in place of a mean": (
            "flip = lambda n: np.eye(n)[::-1]\n"
            "differences = lambda n: np.eye(n)[1:] - np.eye(n)[:-1]\n"
            "column_means = lambda m, n: np.tile(np.eye(n), m)\n"
        ),
        "differences is square": (
            "flip = lambda n: np.eye(n)[::-1]\n"
            "differences = lambda n: np.eye(n, k=1) - np.eye(n)\n"
            "column_means = lambda m, n: np.tile(np.eye(n), m) / m\n"
        ),
    },
    "2.3": {
        "the second factor is forgotten": (
            "def outer_jacobian(x):\n"
            "    return np.eye(len(x))[:, None, :] * x[None, :, None]\n"
        ),
        "twice the first factor, as if the two were alike": (
            "def outer_jacobian(x):\n"
            "    return 2 * np.eye(len(x))[:, None, :] * x[None, :, None]\n"
        ),
        "the diagonal is counted once": (
            "def outer_jacobian(x):\n"
            "    e = np.eye(len(x))\n"
            "    J = e[:, None, :] * x[None, :, None] + x[:, None, None] * e[None]\n"
            "    for k in range(len(x)):\n"
            "        J[k, k, k] = x[k]\n"
            "    return J\n"
        ),
        "a matrix in place of three axes": (
            "def outer_jacobian(x):\n"
            "    e = np.eye(len(x))\n"
            "    J = e[:, None, :] * x[None, :, None] + x[:, None, None] * e[None]\n"
            "    return J.reshape(len(x) ** 2, len(x))\n"
        ),
    },
    "2.4": {
        "only the denominator of the quotient is constant": (
            "def unit_jacobian(x):\n    return np.eye(len(x)) / np.sqrt(x @ x)\n"
        ),
        "the outer product is of x, not of y": (
            "def unit_jacobian(x):\n"
            "    r = np.sqrt(x @ x)\n"
            "    return (np.eye(len(x)) - np.outer(x, x)) / r\n"
        ),
        "the outer factor 1/|x| is forgotten": (
            "def unit_jacobian(x):\n"
            "    y = x / np.sqrt(x @ x)\n"
            "    return np.eye(len(x)) - np.outer(y, y)\n"
        ),
    },
    "2.5": {
        "the difference is turned round": (
            "first = lambda x: x[1] - x[0]\n"
            "second = lambda x: np.stack([x[1], x[0] + x[1, ::-1]])\n"
        ),
        "the rows are only swapped": (
            "first = lambda x: x[0] - x[1]\nsecond = lambda x: x[::-1]\n"
        ),
        "the little block is read as an identity": (
            "first = lambda x: x[0] - x[1]\n"
            "second = lambda x: np.stack([x[1], x[0] + x[1]])\n"
        ),
        "a constant is added, which no Jacobian shows": (
            "first = lambda x: x[0] - x[1] + 1.0\n"
            "second = lambda x: np.stack([x[1], x[0] + x[1, ::-1]])\n"
        ),
        "the input is changed in place": (
            "def first(x):\n    x[0] -= x[1]\n    return x[0].copy()\n"
            "second = lambda x: np.stack([x[1], x[0] + x[1, ::-1]])\n"
        ),
    },
    "2.6": {
        "the function as printed": (
            "def scalar_gradient(u, W2, W1, x):\n"
            "    h = np.tanh(W1 @ x)\n"
            "    return W1.T @ np.diag(1 - h**2) @ W2 @ u\n"
        ),
        "the other factor is transposed": (
            "def scalar_gradient(u, W2, W1, x):\n"
            "    h = np.tanh(W1 @ x)\n"
            "    return W1 @ np.diag(1 - h**2) @ W2.T @ u\n"
        ),
        "the gradient comes as a row of shape (1, n)": (
            "def scalar_gradient(u, W2, W1, x):\n"
            "    h = np.tanh(W1 @ x)\n"
            "    return u[None, :] @ W2 @ np.diag(1 - h**2) @ W1\n"
        ),
        "the Jacobian of tanh is left out": (
            "def scalar_gradient(u, W2, W1, x):\n    return u @ W2 @ W1\n"
        ),
    },
    "2.7": {
        "pairs nested as in the mirrored layout": (
            "def chain_array(outer, inner, y_shape):\n"
            "    k, n = len(y_shape), outer.ndim\n"
            "    pairs = (range(n - 1, n - 1 - k, -1), range(k))\n"
            "    return np.tensordot(outer, inner, axes=pairs)\n"
        ),
        "always two axes": (
            "def chain_array(outer, inner, y_shape):\n"
            "    return np.tensordot(outer, inner, axes=2)\n"
        ),
        "matrix product of stacks of matrices": (
            "def chain_array(outer, inner, y_shape):\n    return outer @ inner\n"
        ),
        "flattened and never given its axes back": (
            "def chain_array(outer, inner, y_shape):\n"
            "    k = int(np.prod(y_shape))\n"
            "    return outer.reshape(-1, k) @ inner.reshape(k, -1)\n"
        ),
        "no axes in the middle: a slice from -0": (
            "def chain_array(outer, inner, y_shape):\n"
            "    k = len(y_shape)\n"
            "    z, x = outer.shape[:-k], inner.shape[k:]\n"
            "    m = int(np.prod(y_shape))\n"
            "    flat = outer.reshape(-1, m) @ inner.reshape(m, -1)\n"
            "    return flat.reshape(z + x)\n"
        ),
    },
}
