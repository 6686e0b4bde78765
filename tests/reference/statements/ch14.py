"""What Chapter 14 says: gradients of gradients."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
twice = Theme(ROWS, 14, "Gradients of gradients", "where-does-the-2x-2-come-from")
twice(
    "grad-accumulates-both-orders",
    "Two passes leave `2x + 2` in `.grad`: the sum of both derivatives.",
    """
    import warnings
    warnings.simplefilter("ignore")
    x = torch.tensor(3.0, requires_grad=True)
    (x ** 2).backward(create_graph=True)
    x.grad.backward()
    x.grad.item()
    """,
)
twice(
    "second-derivative-alone",
    "`autograd.grad` returns the second derivative alone.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x ** 2, x, create_graph=True)
    torch.autograd.grad(first, x)
    """,
)
twice(
    "without-create-graph",
    "Without `create_graph`, a gradient has no history.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (first,) = torch.autograd.grad(x ** 2, x)
    torch.autograd.grad(first, x)
    """,
    raises="RuntimeError: does not require grad",
)

# ------------------------------------------------------------------------------
shape = Theme(ROWS, 14, "Jacobians and Hessians", "what-shape-has-a-hessian")
shape(
    "jacobian-shape",
    "A Jacobian has the output's shape, followed by the input's.",
    """
    x = torch.ones(2, 3)
    torch.autograd.functional.jacobian(lambda x: x.sum(1), x).shape
    """,
)
shape(
    "hessian-of-a-matrix",
    "A Hessian has the input's shape twice.",
    """
    x = torch.ones(2, 3)
    torch.autograd.functional.hessian(lambda x: (x ** 3).sum(), x).shape
    """,
)
shape(
    "independent-is-zero",
    "What does not depend on an input has zeros in its Jacobian …",
    """
    x = torch.ones(2)
    torch.autograd.functional.jacobian(lambda x: torch.ones(1), x)
    """,
)
shape(
    "independent-is-refused",
    "… and is refused with `strict`.",
    """
    x = torch.ones(2)
    torch.autograd.functional.jacobian(lambda x: torch.ones(1), x, strict=True)
    """,
    raises="RuntimeError: does not require gradients",
)
