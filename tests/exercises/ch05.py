"""Wrong answers to the exercises of chapter 5: each must be turned down."""

WRONG = {
    "5.1": {
        "every product keeps both operands": """
kept = {
    "x + c": [], "x * c": ["x", "c"], "c - x": [], "x / c": ["c"], "c / x": ["c", "x"],
    "tanh(x)": ["out"], "log(x)": ["x"], "x * x": ["x"],
}
""",
        "a function keeps its operand": """
kept = {
    "x + c": [], "x * c": ["c"], "c - x": [], "x / c": ["c"], "c / x": ["c", "x"],
    "tanh(x)": ["x"], "log(x)": ["x"], "x * x": ["x"],
}
""",
        "a quotient keeps only the divisor": """
kept = {
    "x + c": [], "x * c": ["c"], "c - x": [], "x / c": ["c"], "c / x": ["x"],
    "tanh(x)": ["out"], "log(x)": ["x"], "x * x": ["x"],
}
""",
        "some are left open": """
kept = {"x + c": [], "x * c": ["c"]}
""",
    },
    "5.2": {
        "counts paths": """
def count_nodes(node):
    if node is None:
        return 0
    return 1 + sum(count_nodes(target) for target, _ in node.next_functions)
""",
        "recurses": """
def count_nodes(node, met=None):
    met = set() if met is None else met
    if node is None or node in met:
        return len(met)
    met.add(node)
    for target, _ in node.next_functions:
        count_nodes(target, met)
    return len(met)
""",
        "counts None": """
def count_nodes(node):
    met, waiting = set(), [node]
    while waiting:
        node = waiting.pop()
        if node not in met:
            met.add(node)
            if node is not None:
                waiting.extend(target for target, _ in node.next_functions)
    return len(met)
""",
        "follows first links only": """
def count_nodes(node):
    n = 0
    while node is not None:
        n += 1
        node = node.next_functions[0][0] if node.next_functions else None
    return n
""",
    },
    "5.3": {
        "only the diagonal": """
def normalise_jacobian(x):
    return np.eye(len(x)) / x.sum()

def normalise_rule(g, out, total):
    return g / total
""",
        "transposed": """
def normalise_jacobian(x):
    total = x.sum()
    return (np.eye(len(x)) - (x / total)) / total

def normalise_rule(g, out, total):
    return (g - np.dot(g, out)) / total
""",
        "the rule multiplies from the right": """
def normalise_jacobian(x):
    total = x.sum()
    return (np.eye(len(x)) - (x / total)[:, None]) / total

def normalise_rule(g, out, total):
    return (g - out * g.sum()) / total
""",
    },
    "5.4": {
        "as it was": """
class SquareBackward0(Node):
    __slots__ = ("next0", "operand", "result")
    links = ("next0",)

    def step(self):
        self.next0.g = self.g * 2 * self.operand._array


def square(x):
    node = SquareBackward0()
    node.next0, node.operand = x._node, x
    node.result = wrap(x._array * x._array, node)
    return node.result
""",
        "keeps the operand as a tensor": """
class SquareBackward0(Node):
    __slots__ = ("next0", "operand")
    links = ("next0",)

    def step(self):
        self.next0.g = self.g * 2 * self.operand._array


def square(x):
    if x._node is None:
        return wrap(x._array * x._array)
    node = SquareBackward0()
    node.next0, node.operand = x._node, x
    return wrap(x._array * x._array, node)
""",
        "records where nobody asks": """
class SquareBackward0(Node):
    __slots__ = ("next0", "x")
    links = ("next0",)

    def step(self):
        self.next0.g = self.g * 2 * self.x


def square(x):
    node = SquareBackward0()
    node.next0, node.x = x._node, x._array
    return wrap(x._array * x._array, node)
""",
        "forgets the 2": """
class SquareBackward0(Node):
    __slots__ = ("next0", "x")
    links = ("next0",)

    def step(self):
        self.next0.g = self.g * self.x


def square(x):
    if x._node is None:
        return wrap(x._array * x._array)
    node = SquareBackward0()
    node.next0, node.x = x._node, x._array
    return wrap(x._array * x._array, node)
""",
        "keeps the array of the result": """
class SquareBackward0(Node):
    __slots__ = ("next0", "x", "out")
    links = ("next0",)

    def step(self):
        self.next0.g = self.g * 2 * self.x


def square(x):
    if x._node is None:
        return wrap(x._array * x._array)
    node = SquareBackward0()
    node.next0, node.x, node.out = x._node, x._array, x._array * x._array
    return wrap(node.out, node)
""",
    },
    "5.5": {
        "powers one by one": """
def polynomial_source(name, coefficients):
    terms = [" * ".join([repr(c), *["x"] * k]) for k, c in enumerate(coefficients)]
    return f"def {name}(x):\\n    return {' + '.join(terms) or 0}\\n"
""",
        "the constant last": """
def polynomial_source(name, coefficients):
    *others, expression = [repr(c) for c in reversed(coefficients)] or ["0"]
    for c in reversed(others):
        expression = f"{c} + x * ({expression})"
    return f"def {name}(x):\\n    return {expression}\\n"
""",
        "a loop": """
def polynomial_source(name, coefficients):
    return (
        f"def {name}(x):\\n    total = 0\\n    for c in {coefficients[::-1]}:\\n"
        "        total = c + x * total\\n    return total\\n"
    )
""",
        "numbers cut to six digits": """
def polynomial_source(name, coefficients):
    *others, expression = [f"{c:.6f}" for c in coefficients] or ["0"]
    for c in reversed(others):
        expression = f"{c} + x * ({expression})"
    return f"def {name}(x):\\n    return {expression}\\n"
""",
        "fails for the empty list": """
def polynomial_source(name, coefficients):
    *others, expression = [repr(c) for c in coefficients]
    for c in reversed(others):
        expression = f"{c} + x * ({expression})"
    return f"def {name}(x):\\n    return {expression}\\n"
""",
    },
    "5.6": {
        "one factor at a time": """
def power_graph(x, n):
    result = x
    for _ in range(n - 1):
        result = result * x
    return result
""",
        "starts from 1": """
def power_graph(x, n):
    result = 1
    for digit in bin(n)[2:]:
        result = result * result
        if digit == "1":
            result = x * result
    return result
""",
        "forgets the odd ones": """
def power_graph(x, n):
    result = x
    while n > 1:
        result, n = result * result, n // 2
    return result
""",
    },
}
