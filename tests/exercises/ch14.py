"""Wrong answers to the exercises of chapter 14: each must be turned down."""

WRONG = {
    "14.1": {"the first alone": "value = 12", "added to 2": "value = 14"},
    "14.2": {
        "the input first": ("jacobian_shape, hessian_shape = (3, 4, 5), (3, 4, 3, 4)"),
        "flat": "jacobian_shape, hessian_shape = (5, 3, 4), (12, 12)",
    },
    "14.3": {
        "the whole Hessian": """
def laplacian(f, x):
    return float(torch.func.hessian(f)(x).numpy().sum())
""",
        "the gradient": """
def laplacian(f, x):
    return float(torch.func.grad(f)(x).numpy().sum())
""",
    },
    "14.4": {
        "the gradient times v": """
def product(f, x, v):
    return torch.func.grad(f)(x) * v
""",
        "x is changed": """
def product(f, x, v):
    x.requires_grad_()
    (slope,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(slope, x, v)[0]
""",
        "the diagonal only": """
def product(f, x, v):
    H = torch.func.hessian(f)(x)
    return torch.diag(H) * v
""",
    },
    "14.5": {
        "the norm of the mean": """
def lengths(loss, w, xs, ys):
    slopes = vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    return torch.linalg.norm(slopes.mean(0)).expand(len(xs))
""",
        "squares": """
def lengths(loss, w, xs, ys):
    slopes = vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    return (slopes.reshape(len(xs), -1) ** 2).sum(1)
""",
        "a loop": """
def lengths(loss, w, xs, ys):
    slopes = [torch.func.grad(loss)(w, x, y) for x, y in zip(xs, ys)]
    return torch.stack([(g**2).sum().sqrt() for g in slopes])
""",
        "the rows of a matrix": """
def lengths(loss, w, xs, ys):
    slopes = vmap(torch.func.grad(loss), in_dims=(None, 0, 0))(w, xs, ys)
    return (slopes**2).sum(-1).sqrt()
""",
    },
}
