"""Newton's method, with a function of our own and without any Hessian."""

import numpy as np

import minigrad as torch

rng = np.random.default_rng(3)
A = torch.from_numpy(rng.normal(size=(200, 12)))  # float64
sign = torch.where(A[:, 0] + 0.5 * A[:, 1] ** 2 > 0.3, 1.0, -1.0).double()


class Softplus(torch.autograd.Function):
    """log(1 + exp(z)), which overflows for nobody."""

    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z.clamp(min=0) + torch.log1p(torch.exp(-z.abs()))

    @staticmethod
    def backward(ctx, g):
        (z,) = ctx.saved_tensors
        return g * torch.sigmoid(z)


def loss_of(w):
    """Logistic regression: mean of log(1 + exp(-margin)), and a little decay."""
    return Softplus.apply(-sign * (A @ w)).mean() + 0.005 * (w @ w)


def gradient_and_hvp(w):
    """The gradient (12,), and the function v -> Hv, one more pass each time."""
    (g,) = torch.autograd.grad(loss_of(w), w, create_graph=True)
    return g.detach(), lambda v: torch.autograd.grad(g, w, v, retain_graph=True)[0]


def conjugate_gradients(multiply, b, most=30):
    """The x with Ax = b, where A is positive and known by its products only."""
    x, r = torch.zeros_like(b), b.clone()
    p, rr = r.clone(), r @ r
    for _ in range(most):
        Ap = multiply(p)
        step = rr / (p @ Ap)
        x, r = x + step * p, r - step * Ap
        rr, before = r @ r, rr
        if rr.sqrt() < 1e-12:
            break
        p = r + rr / before * p
    return x


z = torch.tensor([-800.0, -0.5, 0.3, 900.0], dtype=torch.float64, requires_grad=True)
checked = torch.autograd.gradcheck(Softplus.apply, z[1:3].detach().requires_grad_())
w = torch.zeros(12, dtype=torch.float64, requires_grad=True)
lengths, losses = [], []
for _ in range(7):
    g, hvp = gradient_and_hvp(w)
    lengths.append(g.norm().item())
    losses.append(loss_of(w).item())
    with torch.no_grad():
        w -= conjugate_gradients(hvp, g)

hessian = torch.autograd.functional.hessian(loss_of, w.detach())
slope = torch.autograd.grad(Softplus.apply(z).sum(), z)[0]
results = {
    "length of each gradient": lengths,
    "loss at each step": losses,
    "w": w.tolist(),
    "eigenvalues of the Hessian": np.linalg.eigvalsh(hessian.numpy()).tolist(),
    "slopes of softplus": slope.tolist(),
    "gradcheck": checked,
}
print("gradients:", " ".join(f"{n:.1e}" for n in lengths))
