"""Wrong answers to the exercises of chapter 23: each must be turned down."""

WORK = """
import minigrad as torch
from minigrad.static.plan import VIEWS


def work(f, *args):
    quick = torch.compile(f)
    quick(*args)
    free = {free}
    return {count}
"""
OWN = """
import minigrad as torch
from minigrad import static
from minigrad.static.trace import Trace


def remembered(f):
    known = {{}}

    def quick(x):
        key = {key}
        if key not in known:
            with Trace() as trace:
                given = trace.met(x).node
                result = f(x)._array.node
            known[key] = static.Session(trace.graph), result, given
        session, result, given = known[key]
        return torch.from_numpy(session.run(result, {{given: {fed}}}))

    return quick
"""
WRONG = {
    "23.1": {
        "the first derivative": (
            "from minigrad.tape import GradientTape\n\n\n"
            "def curvature(f, x):\n"
            "    with GradientTape() as tape:\n"
            "        tape.watch(x)\n"
            "        y = f(x)\n"
            "    return tape.gradient(y, x)\n"
        ),
        "asked outside of the outer block": (
            "from minigrad.tape import GradientTape\n\n\n"
            "def curvature(f, x):\n"
            "    with GradientTape() as outer:\n"
            "        outer.watch(x)\n"
            "        with GradientTape() as inner:\n"
            "            inner.watch(x)\n"
            "            y = f(x)\n"
            "    return outer.gradient(inner.gradient(y, x), x)\n"
        ),
        "x is marked": (
            "import minigrad as torch\n\n\n"
            "def curvature(f, x):\n"
            "    x.requires_grad_()\n"
            "    (d,) = torch.autograd.grad(f(x), x, create_graph=True)\n"
            "    return torch.autograd.grad(d, x)[0]\n"
        ),
    },
    "23.2": {
        "squares everywhere": "def huber(x):\n    return x * x / 2\n",
        "a branch": (
            "def huber(x):\n"
            "    return x * x / 2 if abs(x).max() <= 1 else abs(x) - 0.5\n"
        ),
        "no half": (
            "import minigrad as torch\n\n\n"
            "def huber(x):\n"
            "    return torch.where(abs(x) <= 1, x * x / 2, abs(x))\n"
        ),
    },
    "23.3": {
        "views count": WORK.format(
            free='{"placeholder", "constant"}',
            count="sum(n.op not in free for n in quick.graph.nodes)",
        ),
        "constants count": WORK.format(
            free='{"placeholder", *VIEWS}',
            count="len(quick.graph.nodes)",
        ),
        "before the passes": WORK.format(
            free='{"placeholder", "constant", *VIEWS}',
            count="sum(n.op not in free for (e,) in quick.entries.values()"
            " for n in e.traced.nodes)",
        ),
    },
    "23.4": {
        "no memory": "def remembered(f):\n    return f\n",
        "one trace for all shapes": OWN.format(key="x.dtype", fed="x.numpy()"),
        "one trace for all dtypes": OWN.format(key="tuple(x.shape)", fed="x.numpy()"),
        "old numbers": OWN.format(key="tuple(x.shape), x.dtype", fed="x.numpy() * 0"),
    },
}
