"""Properties of chapter 9: gradients of reductions and of elementwise functions."""

import numpy as np
import pytest

import minigrad as torch
from minigrad.numerical import numerical_vjp
from tests.grading import same, says

A = np.array([[0.5, -1.25, 2.0], [-0.75, 1.5, 0.25]])
SMOOTH = ("sin", "cos", "sigmoid", "square", "abs", "atan", "expm1", "sinh", "cosh")
POSITIVE = ("sqrt", "log1p", "log2", "rsqrt", "reciprocal")
REDUCTIONS = ("mean", "var", "std", "logsumexp", "softmax", "log_softmax", "prod")
SCANS = ("cumsum", "amax", "amin")
CASES = [
    *((name, A, {}) for name in SMOOTH),
    *((name, np.abs(A) + 0.5, {}) for name in POSITIVE),
    *((name, A, {"dim": 1}) for name in (*REDUCTIONS, *SCANS)),
    ("mean", A, {}),
    ("prod", A, {}),
    ("norm", A, {}),
    ("maximum", A, {"other": 0.3 - A}),
    ("where", A, {}),
]


@says("gradients are those of central differences")
@pytest.mark.parametrize(
    ("name", "x", "options"), CASES, ids=[f"{c[0]}{[*c[2]]}" for c in CASES]
)
def test_gradient(name, x, options):
    def apply(t):
        if name == "where":
            return torch.where(torch.from_numpy(A > 0), t * t, t)
        given = {
            k: torch.from_numpy(v) if k == "other" else v for k, v in options.items()
        }
        return getattr(torch, name)(t, **given)

    t = torch.from_numpy(x.copy()).requires_grad_()
    out = apply(t)
    weights = np.linspace(-1, 2, out.numel()).reshape(tuple(out.shape))
    out.backward(torch.from_numpy(np.array(weights)))
    expected = numerical_vjp(lambda a: apply(torch.from_numpy(a)).numpy(), x, weights)
    said = "".join(f", {key}={v}" for key, v in options.items() if key != "other")
    same(f"the gradient of `{name}`(x{said})", t.grad, expected, within=1e-6)
