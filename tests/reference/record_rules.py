"""Record what PyTorch answers where the rules of minigrad could go wrong.

Run with a Python that has PyTorch:

    python tests/reference/record_rules.py

It writes rules.json beside this file. The tests read that file and do not need PyTorch.
Numbers that JSON has no name for are written as "nan", "inf" and "-inf".
"""

import json
import math
from pathlib import Path

import torch

nan, inf = math.nan, math.inf

FUNCTIONS = {
    "neg": torch.neg,
    "exp": torch.exp,
    "log": torch.log,
    "tanh": torch.tanh,
    "relu": torch.relu,
    "add": torch.add,
    "sub": torch.sub,
    "mul": torch.mul,
    "div": torch.div,
    "pow": torch.pow,
    "sum": lambda x, axis=None, keepdims=False: torch.sum(x, axis, keepdim=keepdims),
    "reshape": lambda x, shape: torch.reshape(x, shape),
    "transpose": lambda x, axes: torch.permute(x, axes),
    "broadcast_to": lambda x, shape: torch.broadcast_to(x, shape),
    "matmul": torch.matmul,
}

BASES = [0.0, 0.0, 0.0, 0.0, 0.0, -0.0, -2.0, -2.0, -2.0, -2.0, 2.0, 2.0, 1.0]
EXPONENTS = [0.0, 2.0, 0.5, -1.0, 1.0, 1.0, 3.0, -2.0, 0.5, 0.0, 0.0, nan, inf]
BASES += [nan, nan, inf, inf, -inf, 0.0, 1e-310]
EXPONENTS += [0.0, 1.0, 0.0, -1.0, 2.0, nan, 0.0]

# primitive, operands, parameters; the cotangent is 1, 2, 3, … in the result's shape
CASES = [
    ("neg", [[0.0, -1.5, inf, nan]], {}),
    ("exp", [[0.0, 1000.0, -1000.0, nan, inf, -inf]], {}),
    ("log", [[1.0, 0.0, -0.0, -1.0, inf, nan]], {}),
    ("tanh", [[0.0, 1000.0, -1000.0, nan, inf]], {}),
    ("relu", [[-1.0, 0.0, -0.0, 2.0, nan, inf, -inf]], {}),
    ("add", [[inf, nan, 1.0], [-inf, 1.0, 2.0]], {}),
    ("sub", [[inf, nan, 1.0], [inf, 1.0, 2.0]], {}),
    ("mul", [[0.0, inf, nan, 3.0], [inf, 0.0, 1.0, 0.0]], {}),
    ("div", [[1.0, 0.0, -1.0, 1.0, inf, 3.0], [0.0, 0.0, 0.0, -0.0, inf, inf]], {}),
    ("pow", [BASES, EXPONENTS], {}),
    ("pow", [[[0.0], [2.0], [-1.0]], [0.0, 1.0, 2.0]], {}),
    ("sum", [[[1.0, inf], [nan, 2.0]]], {"axis": 1}),
    ("sum", [[[1.0, 2.0], [3.0, 4.0]]], {"axis": 1}),
    ("sum", [[[1.0, 2.0], [3.0, 4.0]]], {"axis": [-1, 0], "keepdims": True}),
    ("sum", [5.0], {}),
    ("sum", [[]], {}),
    ("add", [[[1.0], [2.0]], [10.0, 20.0, 30.0]], {}),
    ("mul", [2.0, [[1.0, 2.0], [3.0, 4.0]]], {}),
    ("div", [[[1.0, 2.0]], [[4.0], [8.0]]], {}),
    ("mul", [[2.0], []], {}),
    ("reshape", [[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]], {"shape": [3, 2]}),
    ("reshape", [[]], {"shape": [0, 3]}),
    ("transpose", [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]], {"axes": [2, 0, 1]}),
    ("transpose", [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]], {"axes": [-1, 0, 1]}),
    ("broadcast_to", [[[1.0], [2.0]]], {"shape": [3, 2, 2]}),
    ("broadcast_to", [1.0], {"shape": [0, 2]}),
    ("matmul", [[[1.0, 2.0, 3.0]], [[1.0], [2.0], [3.0]]], {}),
    ("matmul", [[[[1.0, 2.0]], [[3.0, 4.0]]], [[1.0, 0.0], [2.0, 1.0]]], {}),
    ("matmul", [[[inf, 1.0]], [[0.0], [nan]]], {}),
]


def named(value):
    """Replace nan and the infinities by their names, in nested lists."""
    if isinstance(value, list):
        return [named(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def record(name, operands, params, dtype):
    operands = [torch.tensor(x, dtype=dtype, requires_grad=True) for x in operands]
    out = FUNCTIONS[name](*operands, **params)
    g = torch.arange(1, out.numel() + 1, dtype=dtype).reshape(out.shape)
    out.backward(g)
    return {
        "primitive": name,
        "dtype": str(dtype).removeprefix("torch."),
        "operands": named([x.tolist() for x in operands]),
        "params": params,
        "out_shape": list(out.shape),
        "out": named(out.tolist()),
        "cotangents": named([x.grad.tolist() for x in operands]),
    }


ARRAYS = {
    "_saved_self": "x",
    "_saved_other": "y",
    "_saved_exponent": "y",
    "_saved_mat2": "y",
    "_saved_result": "out",
}
TWO = ("add", "sub", "mul", "div", "pow", "matmul")
PARAMS = {
    "sum": {"axis": 0},
    "reshape": {"shape": [4]},
    "transpose": {"axes": [1, 0]},
    "broadcast_to": {"shape": [3, 2, 2]},
}


def saved(name, wanted):
    """Which arrays PyTorch keeps if the operands in wanted require a gradient."""
    names = "xy" if name in TWO else "x"
    operands = [torch.rand(2, 2, requires_grad=x in wanted) for x in names]
    out = FUNCTIONS[name](*operands, **PARAMS.get(name, {}))
    node = out.grad_fn
    found = {a for name, a in ARRAYS.items() if getattr(node, name, None) is not None}
    return [array for array in ("x", "y", "out") if array in found]


def error(function):
    try:
        function()
    except Exception as exception:
        return {"type": type(exception).__name__, "message": str(exception)}
    raise AssertionError("PyTorch raised nothing")


def main():
    three = torch.ones(3, requires_grad=True)
    mixed = torch.ones(3, requires_grad=True)
    double = torch.ones(3, dtype=torch.float64, requires_grad=True)
    (mixed * double).sum().backward()
    recorded = {
        "torch": torch.__version__.partition("+")[0],
        "cases": [
            record(*case, dtype)
            for case in CASES
            for dtype in (torch.float64, torch.float32)
        ],
        "saved": {
            name: {
                wanted: saved(name, wanted)
                for wanted in (("x", "y", "xy") if name in TWO else ("x",))
            }
            for name in FUNCTIONS
        },
        "errors": {
            "wrong shape": error(lambda: three.exp().backward(torch.ones(2))),
            "integers": error(lambda: torch.ones(3, dtype=int, requires_grad=True)),
        },
        "dtypes of a mixed product": [
            str(x.grad.dtype).removeprefix("torch.") for x in (mixed, double)
        ],
    }
    lines = json.dumps(recorded, allow_nan=False, indent=None)
    path = Path(__file__).with_name("rules.json")
    path.write_text(lines.replace('{"primitive"', '\n{"primitive"') + "\n")
    print(f"{len(recorded['cases'])} cases recorded with PyTorch {recorded['torch']}")


if __name__ == "__main__":
    main()
