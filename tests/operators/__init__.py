"""The operator table: what is called, on what, in every test that concerns them all.

A case is an expression in ``x`` and ``y``, and the names of the samples that x is taken
from. ``answer`` evaluates it in a library with PyTorch's names: the value, its dtype,
the gradients of a weighted sum of it, and the gradients of these once more.
`tests/reference/record_operators.py` records what PyTorch answers.
"""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

NAN, INF = math.nan, math.inf
SAMPLES: dict[str, list] = {
    "matrix": [[0.5, -1.25, 2.0], [-0.75, 1.5, 3.25]],
    "number": 0.75,
    "vector": [0.3, -0.6, 0.9, 1.7],
    "positive": [[0.25, 0.5, 0.75], [1.5, 2.5, 0.125]],
    "unit": [[0.25, -0.5, 0.75], [-0.1, 0.6, -0.9]],
    "corners": [[0.0, -0.0, 1.0], [-1.0, 0.5, 0.0]],
    "ties": [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]],
    "zeros": [[0.0, 2.0, 3.0], [0.0, 4.0, 0.0]],
    "empty": [[], []],
    "extreme": [[NAN, INF, -INF], [1e30, -1e-30, 88.0]],
    "cube": np.linspace(-2.0, 2.6, 24).reshape(2, 3, 4).round(2).tolist(),
    "column": [[0.5], [-1.5]],
    "turned": [[0.5, -1.25], [2.0, -0.75], [1.5, 3.25]],  # used transposed
}
SECOND = {  # y, beside each sample of x
    "matrix": [[1.5, 0.25, -2.0], [0.75, 1.5, -3.0]],
    "number": [0.5, -1.25],
    "vector": [[0.3], [-0.5]],
    "ties": [[1.0, 2.0, 3.0], [2.0, 2.5, 1.0]],
    "zeros": [0.0, 2.0, 0.0],
    "corners": [[0.0, 1.0, -1.0], [0.5, 0.5, 0.0]],
    "column": [[1.0, -0.5, 2.0]],
    "empty": [[1.0], [2.0]],
    "extreme": [[1.0, NAN, 2.0], [-INF, INF, 0.5]],
    "positive": [[2.0, 0.5, 1.5]],
    "turned": [[1.0, 2.0, 3.0]],
    "unit": 0.5,
    "cube": [1.0, 2.0, -0.5, 0.25],
}


@dataclass(frozen=True)
class Case:
    """An expression, the sample it is tried on, and which module exports it."""

    name: str
    expression: str
    sample: str

    @property
    def id(self) -> str:
        """The case in one line."""
        return f"{self.expression} [{self.sample}]"


def cases(name: str, expression: str, samples: str) -> Iterator[Case]:
    """One case for each of some samples, given by their names."""
    for sample in samples.split():
        yield Case(name, expression, sample)


def operands(torch, case: Case, dtype: str):
    """The tensors x and y of a case."""
    kind = getattr(torch, dtype)
    x = torch.tensor(SAMPLES[case.sample], dtype=kind)
    y = torch.tensor(SECOND.get(case.sample, 0.5), dtype=kind)
    if case.sample == "turned":
        x = x.t()
    if (
        kind.is_floating_point
        if hasattr(kind, "is_floating_point")
        else kind.level == 2
    ):
        x, y = x.requires_grad_(), y.requires_grad_()
    return x, y


def answer(torch, case: Case, dtype: str) -> dict:
    """What a library with PyTorch's names makes of a case."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, y = operands(torch, case, dtype)
        try:
            out = eval(case.expression, {"torch": torch, "x": x, "y": y})
        except Exception as error:
            message = " ".join(str(error).split())
            return {"error": type(error).__name__, "message": message[:160]}
        results = out if isinstance(out, tuple) else (out,)
        found = {"results": [described(torch, t) for t in results]}
        out = results[0]
        if getattr(out, "grad_fn", None) is not None:
            found["node"] = out.grad_fn.name()
            try:
                found |= gradients(torch, out, x, y)
            except Exception as error:
                found["backward"] = type(error).__name__
        return found


def described(torch, result) -> dict:
    """A result as text and numbers."""
    if not isinstance(result, torch.Tensor):
        return {"value": repr(result)}
    return {
        "dtype": str(result.dtype),
        "shape": list(result.shape),
        "values": numbers(result),
    }


def numbers(tensor) -> list | None:
    """The elements, in order; what JSON cannot hold as text."""
    if tensor is None:
        return None
    flat = tensor.detach().reshape(-1)
    flat = (flat + 0 if "float" in str(flat.dtype) else flat).tolist()  # as a copy
    odd = (
        v if isinstance(v, (bool, int)) or math.isfinite(v) else str(v) for v in flat
    )
    return [float(f"{v:.12g}") if isinstance(v, float) else v for v in odd]


def gradients(torch, out, x, y) -> dict:
    """The gradients of a weighted sum, and those of the sum of their squares."""
    weights = torch.arange(1, out.numel() + 1).reshape(out.shape).to(out.dtype) / 8
    first = torch.autograd.grad(
        (out * weights).sum(), (x, y), create_graph=True, allow_unused=True
    )
    found = {"first": [numbers(g) for g in first]}
    recorded = [g for g in first if g is not None and g.requires_grad]
    if recorded:
        total = 0
        for g in recorded:
            total = total + (g * g).sum()
        second = torch.autograd.grad(total, (x, y), allow_unused=True)
        found["second"] = [numbers(g) for g in second]
    return found
