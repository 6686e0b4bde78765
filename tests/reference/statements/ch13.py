"""What Chapter 13 says: how gradients are checked, and what a check cannot see."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

SETUP = """\
gradcheck, gradgradcheck = torch.autograd.gradcheck, torch.autograd.gradgradcheck
kind = {"dtype": torch.float64, "requires_grad": True}
def leaf(*numbers): return torch.tensor(numbers, **kind)
"""

# ------------------------------------------------------------------------------
asked = Theme(ROWS, 13, "Checks of gradients", "what-else-can-be-asked")
for name, words, code in [
    (
        "check-passes",
        "A check that finds nothing returns True …",
        "gradcheck(torch.sin, leaf(0.5, 1.0))",
    ),
    (
        "check-false",
        "… and False instead of an error, if you ask for that.",
        "gradcheck(lambda x: x * x.detach(), leaf(1.0, 2.0), raise_exception=False)",
    ),
    (
        "check-puts-back",
        "The inputs are put back, and no `.grad` appears.",
        "x = leaf(1.0, 2.0)\ngradcheck(torch.sin, x)\n(x.tolist(), x.grad)",
    ),
    (
        "check-second-order",
        "`gradgradcheck` checks the gradients of gradients.",
        "gradgradcheck(lambda x: x.sin() * x.sum(), leaf(0.5, 1.0))",
    ),
    (
        "check-constant-passes",
        "A constant output that does not move is no fault.",
        "gradcheck(lambda x: torch.ones(2), leaf(1.0))",
    ),
]:
    asked(name, words, code, setup=SETUP)
asked(
    "check-nobody-asks",
    "Some input must require grad.",
    "gradcheck(torch.sin, torch.ones(2))",
    setup=SETUP,
    raises="ValueError: gradcheck expects at least one input tensor",
)
asked(
    "check-overlap",
    "Inputs of which several elements are one number are refused.",
    "gradcheck(torch.sin, leaf(1.0).expand(3))",
    setup=SETUP,
    raises="RuntimeError: The 0th input has a dimension with stride 0",
)
asked(
    "check-float32",
    "Float32 is warned of.",
    "gradcheck(lambda x: x * x, leaf(1.0).detach().float().requires_grad_(), atol=1.0)",
    setup=SETUP,
    warns="UserWarning: Input #0 requires gradient and is not a double precision",
)
asked(
    "check-hidden",
    "What moves without being recorded is a fault.",
    "gradcheck(lambda x: x.detach() * 2, leaf(1.0))",
    setup=SETUP,
    raises="GradcheckError: Numerical gradient for function expected to be zero",
)
asked(
    "check-mismatch",
    "The Jacobians in the message have a row for each input element.",
    "gradcheck(lambda x: x.sum() * x.detach().sum(), leaf(1.0, 2.0))",
    setup=SETUP,
    raises=(
        "GradcheckError: Jacobian mismatch for output 0 with respect to input 0 … "
        "numerical:tensor([[6.0000], [6.0000]]"
    ),
)
