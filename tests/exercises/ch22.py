"""Wrong answers to the exercises of chapter 22: each must be turned down."""

PASS = """
from minigrad.static.passes import instead, number, rewrite


def doubled(graph, fetches):
    def visit(node, inputs):
        if node.op == "mul":
            for x, two in {pairs}:
                if {test}:
                    return instead(node, "add", (x, x))
        return None

    return {result}
"""
CROWD = """
from minigrad.static.plan import VIEWS, last_uses
from minigrad.static.session import needed


def crowd(fetches):
    order = needed(fetches)
    last = last_uses(order, {kept})
    without = {{"placeholder", "variable", "constant", {views}}}
    lives = [(k, last[n]) for k, n in enumerate(order) if n.op not in without]
    return max(sum({inside} for a, b in lives) for k in range(len(order)))
"""
NEWTON = """
def root(a):
    return {}
"""
BOTH, SAME = "(inputs, inputs[::-1])", "number(two) == 2 and x.shape == node.shape"
WRONG = {
    "22.1": {
        "powers": (
            "def polynomial(x, coefficients):\n"
            "    return sum(c * x**k for k, c in enumerate(coefficients))\n"
        ),
        "backwards": (
            "def polynomial(x, coefficients):\n"
            "    y = coefficients[0]\n"
            "    for c in coefficients[1:]:\n"
            "        y = y * x + c\n"
            "    return y\n"
        ),
    },
    "22.2": {
        "one side only": PASS.format(
            pairs="(inputs,)", test=SAME, result="rewrite(graph, fetches, visit)"
        ),
        "shapes forgotten": PASS.format(
            pairs=BOTH, test="number(two) == 2", result="rewrite(graph, fetches, visit)"
        ),
        "every product": PASS.format(
            pairs=BOTH,
            test="number(two) and x.shape == node.shape",
            result="rewrite(graph, fetches, visit)",
        ),
        "nothing done": PASS.format(
            pairs=BOTH, test="False", result="rewrite(graph, fetches, visit)"
        ),
        "the old fetches": PASS.format(
            pairs=BOTH, test=SAME, result="(rewrite(graph, fetches, visit)[0], fetches)"
        ),
    },
    "22.3": {
        "fetches die": CROWD.format(kept="[]", views="*VIEWS", inside="a <= k <= b"),
        "views count": CROWD.format(kept="fetches", views="", inside="a <= k <= b"),
        "the reader is left out": CROWD.format(
            kept="fetches", views="*VIEWS", inside="a <= k < b"
        ),
    },
    "22.4": {
        "no loop": "import numpy as np\n" + NEWTON.format("np.sqrt(a)"),
        "three rounds": NEWTON.format(
            "static.while_loop(lambda k, z: k < 3, "
            "lambda k, z: (k + 1, (z + a / z) * 0.5), [0, a])[1]"
        ),
        "one step only": NEWTON.format(
            "static.while_loop(lambda z: z * z < 0.0, lambda z: (z + a / z) * 0.5, [a])"
        ),
    },
}
