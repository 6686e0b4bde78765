"""Record what PyTorch's gradcheck says about functions that are right, and wrong.

Run with a Python that has PyTorch:

    python tests/reference/record_gradcheck.py

It writes gradcheck.json beside this file; tests/test_gradcheck.py puts the same to
minigrad. A program is an expression. It may use `torch`, `leaf`, `gradcheck`,
`gradgradcheck` and `op`, which makes an operation of a function and its rules: each is
given the module with which it is to compute, torch or NumPy.
"""

import json
import re
import sys
import warnings
from pathlib import Path

PATH = Path(__file__).with_name("gradcheck.json")

# broken and right operations, as arguments of op
SIN = "lambda m, x: m.sin(x), lambda m, g, x: g * m.cos(x)"
OPERATIONS = {
    "right": SIN,
    "wrong sign": "lambda m, x: m.sin(x), lambda m, g, x: -g * m.cos(x)",
    "factor dropped": "lambda m, x: x * x * 3, lambda m, g, x: g * x * 3",
    "g dropped": "lambda m, x: m.sin(x), lambda m, g, x: m.cos(x)",
    "slope of another": "lambda m, x: m.exp(x), lambda m, g, x: g * x",
    "zero": "lambda m, x: m.sin(x), lambda m, g, x: g * 0",
    "nan": "lambda m, x: m.sin(x), lambda m, g, x: g * 0 / (x - x)",
    "off by 1e-4": "lambda m, x: m.sin(x), lambda m, g, x: g * m.cos(x) * 1.0001",
    "off by 1e-2": "lambda m, x: m.sin(x), lambda m, g, x: g * m.cos(x) * 1.01",
    "transposed": "lambda m, x: m.sin(x), lambda m, g, x: g * m.cos(x.T).T * x.T",
}
POINTS = {
    "a number": "leaf(0.5)",
    "a vector": "leaf([0.5, -1.25, 2.0])",
    "a matrix": "leaf([[0.5, -1.25], [2.0, 0.75]])",
    "one element": "leaf([[1.5]])",
    "nothing": "leaf([])",
}
FUNCTIONS = {
    "two outputs": "lambda x: (x * x, x.sin())",
    "a list": "lambda x: [x * x, x.sin()]",
    "a sum": "lambda x: x.sum()",
    "the input": "lambda x: x",
    "a view": "lambda x: x.reshape(-1)",
    "a detached factor": "lambda x: x * x.detach()",
    "all detached": "lambda x: x.detach() * x.detach()",
    "a constant": "lambda x: torch.ones(2, dtype=torch.float64)",
    "an integer as well": "lambda x: (x * x, torch.arange(3))",
    "a constant as well": "lambda x: (x * x, torch.ones(3, dtype=torch.float64))",
    "a detached output as well": "lambda x: (x * x, x.detach() * 2)",
    "a float32 result": "lambda x: x.to(torch.float32) * 2",
    "max": "lambda x: x.max()",
    "softmax": "lambda x: x.softmax(-1)",
    "relu": "lambda x: x.relu()",
    "abs": "lambda x: x.abs()",
}
KINKS = {
    "relu at 0": "gradcheck(lambda x: x.relu(), leaf([-1.0, 0.0, 1.0]))",
    "abs at 0": "gradcheck(lambda x: x.abs(), leaf([-1.0, 0.0, 1.0]))",
    "max of equals": "gradcheck(lambda x: x.amax(0), leaf([1.0, 1.0]))",
    "clamp at an end": "gradcheck(lambda x: x.clamp(0.0, 1.0), leaf([0.0, 0.5]))",
    "floor": "gradcheck(lambda x: x.floor(), leaf([0.5, 1.5]))",
    "floor at a jump": "gradcheck(lambda x: x.floor(), leaf([1.0]))",
}
PAIR = "(leaf([[1.0, 2.0], [3.0, 4.0]]), leaf([0.5, -1.0]))"
SEVERAL = {
    "product": f"gradcheck(lambda a, b: a * b, {PAIR}, **options)",
    "second not asked": (
        "gradcheck(lambda a, b: a * b, "
        "(leaf([1.0, 2.0]), torch.tensor([3.0, 4.0])), **options)"
    ),
    "second is a number": (
        "gradcheck(lambda a, b: a * b, (leaf([1.0]), 3.0), **options)"
    ),
    "a list of inputs": f"gradcheck(lambda a, b: a * b, list({PAIR}), **options)",
    "unused": f"gradcheck(lambda a, b: a * 2, {PAIR}, **options)",
    "the same twice": (
        "(lambda x: gradcheck(lambda a, b: a * b, (x, x), **options))(leaf([3.0]))"
    ),
    "two orders": f"gradgradcheck(lambda a, b: (a * b).sin(), {PAIR}, **options)",
    "two orders, given": (
        f"gradgradcheck(lambda a, b: (a * b).sin(), {PAIR}, "
        "leaf([[0.5, 1.0], [2.0, 1.0]]), **options)"
    ),
    "two orders, several outputs": (
        f"gradgradcheck(lambda a, b: (a * b, b.exp()), {PAIR}, **options)"
    ),
    "two orders, strided": (
        f"gradgradcheck(lambda a, b: a * b.exp(), {PAIR}, "
        "gen_non_contig_grad_outputs=True, **options)"
    ),
    "one order of two": (
        "gradgradcheck(lambda x: x * x.detach() * x, leaf([2.0, 3.0]), **options)"
    ),
}
REFUSED = {
    "nobody asks": "gradcheck(lambda x: x, torch.ones(2))",
    "no tensor": "gradcheck(lambda x: x, 3.0)",
    "no input": "gradcheck(lambda: torch.ones(1), ())",
    "overlapping": "gradcheck(lambda x: x * 2, leaf([1.0]).expand(3))",
    "overlapping, one row": "gradcheck(lambda x: x * 2, leaf([1.0, 2.0]).expand(1, 2))",
    "float32": "gradcheck(lambda x: x.sin(), torch.tensor([0.5], requires_grad=True))",
    "float32, wide": (
        "gradcheck(lambda x: x.sin(), torch.tensor([0.5], requires_grad=True), "
        "eps=1e-2, atol=1e-2)"
    ),
    "no direction": "gradcheck(lambda x: x, leaf([1.0]), check_backward_ad=False)",
    "batched": (
        "gradcheck(lambda x: x, leaf([1.0]), check_backward_ad=False, "
        "check_forward_ad=True, check_batched_grad=True)"
    ),
    "batched forward": (
        "gradcheck(lambda x: x, leaf([1.0]), check_batched_forward_grad=True)"
    ),
    "shape": (
        "gradcheck(lambda x: x if x.detach().sum() == 1.0 else x.sum(), "
        "leaf([0.5, 0.5]))"
    ),
    "dtype": (
        "gradcheck(lambda x: x if x.detach().sum() == 1.0 else x.float(), "
        "leaf([0.5, 0.5]))"
    ),
    "not reentrant": (
        "gradcheck(op(lambda m, x: x * 1, lambda m, g, x, n=[0]: "
        "n.append(0) or g + 1e-7 * len(n)), leaf([1.0]))"
    ),
    "not reentrant, allowed": (
        "gradcheck(op(lambda m, x: x * 1, lambda m, g, x, n=[0]: "
        "g * (n.append(0) or 1 + 1e-9 * len(n))), leaf([1.0]), nondet_tol=1e-6)"
    ),
    "not reentrant, fast": (
        "gradcheck(op(lambda m, x: x * 1, lambda m, g, x, n=[0]: "
        "n.append(0) or g + 1e-7 * len(n)), leaf([1.0]), fast_mode=True)"
    ),
    "not times g": (
        "gradcheck(op(lambda m, x: x * 1, lambda m, g, x: g + (g == 0)), leaf([1.0]))"
    ),
    "returned": (
        "gradcheck(op(lambda m, x: x * 1, lambda m, g, x: g * 2), leaf([1.0]), "
        "raise_exception=False)"
    ),
    "refusals are raised": (
        "gradcheck(lambda x: x, torch.ones(2), raise_exception=False)"
    ),
    "an error of one's own": (
        "gradcheck(lambda x: 1 / 0, leaf([1.0]), raise_exception=False)"
    ),
}


def programs() -> dict[str, str]:
    """All programs, by name."""
    found = {}
    for mode in ("", "fast_mode=True"):
        named = "slow" if not mode else "fast"
        for what, pair in OPERATIONS.items():
            for where, point in POINTS.items():
                if what != "transposed" or where == "a matrix":
                    name = f"{what}, at {where}, {named}"
                    found[name] = f"gradcheck(op({pair}), {point}, {mode})"
        for what, function in FUNCTIONS.items():
            name = f"{what}, {named}"
            found[name] = f"gradcheck({function}, {POINTS['a vector']}, {mode})"
        for what, text in SEVERAL.items():
            found[f"{what}, {named}"] = text.replace("**options", mode)
    return found | KINKS | REFUSED


def outcome(program: str, names: dict) -> list:
    """What a program answers: its value, or its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = eval(program, names)
        except Exception as error:
            value = [type(error).__name__, str(error)]
    said = [[w.category.__name__, str(w.message)] for w in caught]
    return [value, said]


def main() -> None:
    """Record PyTorch's answers."""
    import torch
    from torch.autograd import Function, gradcheck, gradgradcheck

    def leaf(value):
        return torch.tensor(value, dtype=torch.float64, requires_grad=True)

    def op(forward, rule):
        class Op(Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return forward(torch, x)

            @staticmethod
            def backward(ctx, g):
                return rule(torch, g, *ctx.saved_tensors)

        return Op.apply

    names = {
        "torch": torch,
        "leaf": leaf,
        "op": op,
        "gradcheck": gradcheck,
        "gradgradcheck": gradgradcheck,
    }
    torch.manual_seed(0)
    answers = {k: outcome(p, names) for k, p in programs().items()}
    text = json.dumps({"torch": torch.__version__, "answers": answers}, indent=1)
    PATH.write_text(re.sub(r"\n\s{3,}", " ", text) + "\n", encoding="utf-8")
    print(f"{len(answers)} programs answered", file=sys.stderr)


if __name__ == "__main__":
    main()
