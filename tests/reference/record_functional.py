"""Record what PyTorch answers about Jacobians, Hessians and functions of functions.

Run at the root of the repository, with a Python that has PyTorch and NumPy:

    python -m tests.reference.record_functional

It writes functional.json beside this file: for each program the repr of its last line,
or the type and message of the error. The tests run the same programs on minigrad.
"""

from pathlib import Path

from tests.reference import ledger

RECORDED = Path(__file__).with_name("functional.json")
CASES: dict[str, str] = {}

START = """\
F = torch.autograd.functional
def tell(x):
    if isinstance(x, (tuple, list)):
        return tuple(tell(y) for y in x)
    if x is None or isinstance(x, (bool, int, float)):
        return x
    numbers = [round(v, 6) + 0.0 for v in x.detach().double().reshape(-1).tolist()]
    return tuple(x.shape), numbers, x.requires_grad
a = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
b = torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)
m = torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)
s = torch.tensor(0.5, dtype=torch.float64)
r = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
cube = lambda x: (x ** 3).sum()
mixed = lambda x, y: (x * x * y).sum()
"""

TOLD = [
    # products and Jacobians
    "F.vjp(torch.sin, a, b)",
    "F.vjp(cube, a)",
    "F.vjp(lambda x, y: x * y, (a, b), a)",
    "F.vjp(lambda x: (x, x * 2), a, (a, b))",
    "F.vjp(torch.sin, r, b, create_graph=True)",
    "F.vjp(torch.sin, r, b)",
    "F.vjp(lambda x: torch.ones(3, dtype=torch.float64), a, b)",
    "F.jvp(torch.sin, a, b)",
    "F.jvp(lambda x: x * 2, a, b)",
    "F.jvp(cube, a, b)",
    "F.jvp(lambda x, y: x * y, (a, b), (b, a))",
    "F.jvp(lambda x: (x * x, x.sum()), a, b)",
    "F.jvp(torch.sin, s)",
    "F.jvp(torch.sin, r, b, create_graph=True)",
    "F.jacobian(torch.sin, a)",
    "F.jacobian(lambda x: x.sum(1), m)",
    "F.jacobian(lambda x: x @ x, m)",
    "F.jacobian(cube, a)",
    "F.jacobian(lambda x, y: x * y, (a, b))",
    "F.jacobian(lambda x: (x * x, x.sum()), a)",
    "F.jacobian(lambda x, y: (x * y, x.sum()), (a, b))",
    "F.jacobian(lambda x: x * x, (a,))",
    "F.jacobian(torch.sin, a, create_graph=True)",
    "F.jacobian(torch.sin, r, create_graph=True)",
    "F.jacobian(lambda x: x * x, a, vectorize=True)",
    "F.jacobian(lambda x: x, a)",
    "F.jacobian(lambda x, y: x, (a, b))",
    "F.jacobian(lambda x: x * x, a, strict=True)",
    # Hessians
    "F.hessian(cube, a)",
    "F.hessian(mixed, (a, b))",
    "F.hessian(lambda x: (x @ x).sum(), m)",
    "F.hessian(lambda x: x.sum(), a)",
    "F.hessian(lambda x: x[0] * x[1] * x[2], a)",
    "F.hessian(cube, a, create_graph=True)",
    "F.hessian(cube, a, vectorize=True)",
    "F.hessian(lambda x: (x ** 2).sum().reshape(1), a)",
    "F.hvp(cube, a, b)",
    "F.vhp(cube, a, b)",
    "F.vhp(mixed, (a, b), (b, a))",
    "F.hvp(mixed, (a, b), (b, a))",
    "F.vhp(torch.sin, s)",
    "F.vhp(lambda x: x.sum(), a, b)",
    "F.vhp(cube, r, b, create_graph=True)",
    # functions of functions
    "torch.func.grad(cube)(a)",
    "torch.func.grad(torch.func.grad(torch.sin))(s)",
    "torch.func.grad(mixed, argnums=1)(a, b)",
    "torch.func.grad(mixed, argnums=(0, 1))(a, b)",
    "torch.func.grad(lambda x: (cube(x), x * 2), has_aux=True)(a)",
    "torch.func.grad_and_value(cube)(a)",
    "torch.func.grad_and_value(lambda x: (cube(x), x * 2), has_aux=True)(a)",
    "torch.func.grad(cube)(r)",
    "torch.func.grad(lambda x: (x * r).sum())(a)",
    "torch.func.grad(lambda x: torch.func.grad(lambda y: x * x * y)(x))(s)",
    "torch.func.jvp(torch.sin, (a,), (b,))",
    "torch.func.jvp(lambda x, y: x * y, (a, b), (b, a))",
    "torch.func.vjp(torch.sin, a)[1](b)",
    "torch.func.vjp(lambda x, y: x * y, a, b)[1](a)",
    "torch.func.vjp(lambda x: (x, x * 2), a)[1]((a, b))",
    "torch.func.jacrev(torch.sin)(a)",
    "torch.func.jacfwd(torch.sin)(a)",
    "torch.func.jacrev(lambda x: x.sum(1))(m)",
    "torch.func.jacfwd(lambda x: x.sum(1))(m)",
    "torch.func.jacrev(lambda x, y: x * y, argnums=1)(a, b)",
    "torch.func.jacfwd(lambda x, y: x * y, argnums=1)(a, b)",
    "torch.func.hessian(cube)(a)",
    "torch.func.hessian(lambda x: (x @ x).sum())(m)",
    "torch.func.jacrev(torch.func.grad(cube))(a)",
    "torch.func.grad(torch.func.grad(torch.func.grad(torch.sin)))(s)",
]
ERRORS = [
    "F.vjp(torch.sin, [1.0])",
    "F.vjp(torch.sin, (a, 1.0))",
    "F.vjp(torch.sin, a)",
    "F.jvp(torch.sin, a)",
    "F.vjp(torch.sin, a, m)",
    "F.jvp(torch.sin, a, (a, b))",
    "F.jvp(lambda x, y: x * y, (a, b), a)",
    "F.jvp(lambda x, y: x * y, (a, b), (a, m))",
    "F.vjp(lambda x: 1.0, a)",
    "F.hessian(torch.sin, a)",
    "F.hessian(lambda x: (x.sum(), x.sum()), a)",
    "F.vhp(torch.sin, a, b)",
    "F.hvp(torch.sin, a, b)",
    "F.jacobian(lambda x: a * 2, a, strict=True)",
    "F.vjp(lambda x: a * 2, a, b, strict=True)",
    "F.jacobian(lambda x, y: x * 2, (a, b), strict=True)",
    "F.vjp(lambda x, y: x * 2, (a, b), a, strict=True)",
    "F.jacobian(lambda x: x * 2, a, create_graph=True, strict=True)",
    "F.vjp(lambda x: x * 2, a, b, create_graph=True, strict=True)",
    "F.jacobian(torch.sin, a, strict=True, vectorize=True)",
    "F.hessian(cube, a, strict=True, vectorize=True)",
    "F.vhp(lambda x: a.sum(), a, b, strict=True)",
    "torch.func.grad(torch.sin)(a)",
]
for line in TOLD:
    CASES[line] = f"{START}tell({line})\n"
for line in ERRORS:
    CASES[f"error: {line}"] = f"{START}{line}\n"


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
