"""Properties of chapter 7: what a backward pass leaves in the leaves."""

import minigrad as torch
from tests.grading import same, says


def leaf(*values):
    return torch.tensor([*values], requires_grad=True)


@says("the gradient of a product is the other factor")
def test_product():
    x, y = leaf(1.0, 2.0), leaf(3.0, 5.0)
    (x * y).sum().backward()
    same("the gradient of x in (x * y).sum()", x.grad, [3.0, 5.0])
    same("the gradient of y in (x * y).sum()", y.grad, [1.0, 2.0])


@says("what reaches a tensor on two paths is added, not overwritten")
def test_two_paths():
    x = leaf(2.0)
    (x * x + 3 * x).sum().backward()
    same("the gradient of x in (x * x + 3 * x).sum() at 2", x.grad, [7.0])


@says("in a diamond, a node waits for everything that uses it")
def test_diamond():
    x = leaf(2.0)
    a = x * x
    b = a * a
    (a * b).sum().backward()  # x ** 6
    same("the gradient of x ** 6, as a * (a * a) with a = x * x, at 2", x.grad, [192.0])


@says("a second backward adds to `.grad`")
def test_accumulation():
    x = leaf(2.0)
    for _ in range(2):
        (x * 3).sum().backward()
    same("x.grad after two backwards through x * 3", x.grad, [6.0])


@says("`backward(v)` gives the v-weighted sum of the rows of the Jacobian")
def test_weights():
    x = leaf(1.0, 2.0, 3.0)
    (x * x).backward(torch.tensor([1.0, 0.0, -1.0]))
    same("the gradient of x for v = (1, 0, -1) in x * x", x.grad, [2.0, 0.0, -6.0])


@says("`autograd.grad` returns gradients and leaves `.grad` alone")
def test_grad():
    x, y = leaf(2.0), leaf(5.0)
    found = torch.autograd.grad((x * y).sum(), (x, y))
    same("the first gradient of x * y", found[0], [5.0])
    same("the second gradient of x * y", found[1], [2.0])
    assert x.grad is None, f"x.grad: expected None, got {x.grad}"


@says("a gradient of a gradient is recorded with `create_graph`")
def test_second():
    x = leaf(2.0)
    (first,) = torch.autograd.grad((x * x * x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    same("the second derivative of x ** 3 at 2", second, [12.0])


@says("what was broadcast gets a gradient of its own shape")
def test_broadcast():
    x, row = torch.ones(2, 3, requires_grad=True), leaf(1.0, 2.0, 3.0)
    (x * row).sum().backward()
    same("the gradient of the row in x * row, x of (2, 3)", row.grad, [2.0, 2.0, 2.0])
