"""What Chapter 7 says: backward and autograd.grad."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
first = Theme(ROWS, 7, "backward on one number", "the-walk")
first(
    "backward-of-a-power",
    "x³ has the slope 3 at 1.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    z = x ** 3
    z.backward()
    x.grad.data
    """,
)
first(
    "backward-returns-none",
    "`backward` returns nothing.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    (x * 2).backward()
    """,
)
first(
    "backward-of-a-product",
    "x receives the other factor; y asked for nothing.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0)
    z = x * y
    z.backward()
    (x.grad, y.grad)
    """,
)
first(
    "backward-of-a-reused-value",
    "Two paths to one leaf add up.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (x * x + x).backward()
    x.grad
    """,
)
first(
    "backward-of-a-diamond",
    "A value used twice is visited once, after both uses.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x * x
    (h * h).backward()
    x.grad
    """,
)
first(
    "backward-of-many-diamonds",
    "2³⁰ paths take 31 visits.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    h = x
    for _ in range(30):
        h = h + h
    h.backward()
    x.grad
    """,
)
first(
    "backward-of-a-long-chain",
    "Ten thousand operations need no recursion.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    h = x
    for _ in range(10000):
        h = h + 1
    h.backward()
    x.grad
    """,
)
first(
    "gradient-has-the-leafs-shape",
    "A gradient has the shape of its leaf.",
    """
    x = torch.ones(2, 3, requires_grad=True)
    b = torch.ones(3, requires_grad=True)
    (x * b).sum().backward()
    (x.grad.shape, b.grad)
    """,
)
first(
    "gradient-has-the-leafs-dtype",
    "And its dtype.",
    """
    x = torch.ones(1, requires_grad=True)
    w = torch.ones(1, dtype=torch.float64, requires_grad=True)
    (x * w).sum().backward()
    (x.grad.dtype, w.grad.dtype)
    """,
)
first(
    "gradient-through-a-conversion",
    "A conversion on the way is undone on the way back.",
    """
    x = torch.ones(2, dtype=torch.float16, requires_grad=True)
    (x.to(torch.float64) * 3).sum().backward()
    x.grad
    """,
)
first(
    "gradient-of-a-0d-leaf",
    "A 0-d leaf that was broadcast receives one number.",
    """
    s = torch.tensor(2.0, requires_grad=True)
    (s * torch.tensor([[1.0, 2.0], [3.0, 4.0]])).sum().backward()
    s.grad
    """,
)
first(
    "gradient-requires-no-grad",
    "A gradient is a leaf that requires no gradient.",
    """
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()
    (x.grad.requires_grad, x.grad.is_leaf, x.grad.grad_fn)
    """,
)
first(
    "unrelated-leaf-stays-none",
    "A leaf that played no part keeps None, not zero.",
    """
    x = torch.ones(1, requires_grad=True)
    w = torch.ones(1, requires_grad=True)
    (x * 2).backward()
    w.grad
    """,
)
first(
    "zero-gradient-is-zero",
    "A leaf that did, with slope 0, receives a zero.",
    """
    x = torch.tensor(-1.0, requires_grad=True)
    torch.relu(x).backward()
    x.grad
    """,
)
first(
    "intermediate-keeps-no-grad",
    "A value on the way keeps no gradient.",
    """
    x = torch.ones(1, requires_grad=True)
    h = x * 2
    (h * 3).backward()
    h.grad
    """,
    warns="UserWarning: not a leaf Tensor",
)
first(
    "backward-on-a-leaf",
    "A leaf is its own mailbox: d x / d x = 1.",
    """
    x = torch.tensor(5.0, requires_grad=True)
    x.backward()
    x.grad
    """,
)
first(
    "backward-on-one-element",
    "One element is enough; the shape may have axes.",
    """
    x = torch.tensor([[2.0]], requires_grad=True)
    (x * x).backward()
    x.grad
    """,
)
first(
    "backward-without-history",
    "A tensor without history is an error, not silence.",
    "(torch.ones(1) * 2).backward()",
    raises="RuntimeError: element 0 of tensors does not require grad and does not "
    "have a grad_fn",
)
first(
    "backward-without-history-then-with",
    "The advice: set the flag before computing.",
    """
    x = torch.ones(1).requires_grad_()
    (x * 2).backward()
    x.grad
    """,
)
first(
    "backward-of-a-comparison",
    "A comparison has no history.",
    """
    x = torch.ones(1, requires_grad=True)
    (x > 0).backward()
    """,
    raises="RuntimeError: element 0 of tensors does not require grad",
)
first(
    "relu-kink",
    "At its kink, relu has slope 0.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    torch.relu(x).backward()
    x.grad
    """,
)
first(
    "slope-of-zero-squared-root",
    "The slope of a root at 0 is inf.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    (x ** 0.5).backward()
    x.grad
    """,
)
first(
    "slope-of-x-to-the-zero",
    "x⁰ is flat, also at 0.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    (x ** 0).backward()
    x.grad
    """,
)
first(
    "slope-of-power-in-the-exponent",
    "2ˣ has the slope 2ˣ log 2.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (2 ** x).backward()
    x.grad
    """,
)
first(
    "slope-of-zero-to-the-x",
    "0ˣ has slope 0 where x ≥ 0.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (0 ** x).backward()
    x.grad
    """,
)
first(
    "slope-of-quotient",
    "Both sides of a quotient.",
    """
    a = torch.tensor(1.0, requires_grad=True)
    b = torch.tensor(2.0, requires_grad=True)
    (a / b).backward()
    (a.grad, b.grad)
    """,
)
first(
    "slope-of-number-over-x",
    "1 / x.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (1 / x).backward()
    x.grad
    """,
)
first(
    "slope-of-log-exp-tanh",
    "log, exp and tanh.",
    """
    x = torch.tensor(0.5, requires_grad=True)
    (x.log() + x.exp() + x.tanh()).backward()
    x.grad
    """,
)
first(
    "slope-of-matmul",
    "A matrix product.",
    """
    a = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    b = torch.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    (a @ b).sum().backward()
    (a.grad, b.grad)
    """,
)
first(
    "slope-of-shapes",
    "Changes of shape are undone on the way back.",
    """
    x = torch.arange(6.0, requires_grad=True)
    w = torch.arange(6.0).reshape(3, 2)
    (x.reshape(2, 3).t() * w).sum().backward()
    x.grad
    """,
)
first(
    "slope-of-expand",
    "What was repeated is summed.",
    """
    x = torch.tensor([[1.0], [2.0]], requires_grad=True)
    x.expand(2, 3).sum().backward()
    x.grad
    """,
)
first(
    "slope-of-sum-along",
    "A sum along an axis hands its cotangent to every element.",
    """
    x = torch.ones(2, 3, requires_grad=True)
    (x.sum(1) * torch.tensor([1.0, 10.0])).sum().backward()
    x.grad
    """,
)
first(
    "slope-of-alpha",
    "`alpha` is a factor of the slope.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(1.0, requires_grad=True)
    torch.sub(x, y, alpha=3).backward()
    (x.grad, y.grad)
    """,
)
first(
    "nan-is-not-stopped",
    "inf · 0 is nan in a gradient, too, without a warning.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    (torch.log(x) * 0).backward()
    x.grad
    """,
)
first(
    "empty-sum-backward",
    "The sum of nothing has an empty gradient.",
    """
    x = torch.zeros(0, 3, requires_grad=True)
    x.sum().backward()
    x.grad
    """,
)

# ------------------------------------------------------------------------------
weights = Theme(
    ROWS, 7, "gradient=: weights for many outputs", "with-what-does-the-walk-start"
)
weights(
    "implicit-gradient-only-for-scalars",
    "Several outputs need weights.",
    """
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    (x ** 2).backward()
    """,
    raises="RuntimeError: grad can be implicitly created only for scalar outputs",
)
weights(
    "gradient-of-ones",
    "Weights of 1: the slopes as they are.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = x ** 2
    gradient = torch.tensor([1., 1., 1.])
    y.backward(gradient=gradient)
    x.grad
    """,
)
weights(
    "gradient-is-v-in-vjp",
    "`gradient=v` gives vᵀJ, not J.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    A = torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    y = A @ x.reshape(2, 1)
    y.backward(torch.tensor([[1.0], [0.0], [10.0]]))
    x.grad
    """,
)
weights(
    "ones-are-a-sum",
    "Weights of 1 are `sum()`.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x ** 3).backward(torch.ones(2))
    by_weights = x.grad
    x.grad = None
    (x ** 3).sum().backward()
    (by_weights, x.grad)
    """,
)
weights(
    "gradient-for-a-scalar",
    "A single output may have a weight, too.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (x * x).backward(torch.tensor(10.0))
    x.grad
    """,
)
weights(
    "gradient-wrong-shape",
    "The weights need the output's shape.",
    """
    x = torch.ones(3, requires_grad=True)
    (x * 2).backward(torch.ones(2))
    """,
    raises="RuntimeError: Mismatch in shape: grad_output[0] has a shape of "
    "torch.Size([2]) and output[0] has a shape of torch.Size([3])",
)
weights(
    "gradient-is-not-broadcast",
    "They are not broadcast.",
    """
    x = torch.ones(3, requires_grad=True)
    (x * 2).backward(torch.ones(1))
    """,
    raises="RuntimeError: Mismatch in shape",
)
weights(
    "gradient-1-for-0d",
    "Not even shape (1,) for shape ().",
    """
    x = torch.tensor(1.0, requires_grad=True)
    (x * 2).backward(torch.ones(1))
    """,
    raises="RuntimeError: Mismatch in shape",
)
weights(
    "gradient-must-be-a-tensor",
    "A list is no tensor of weights.",
    """
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward([1.0, 1.0])
    """,
    raises="TypeError: gradients can be either Tensors or None",
)
weights(
    "gradient-number",
    "Nor is a number.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    (x * 2).backward(1.0)
    """,
    raises="TypeError",
)
weights(
    "gradient-of-another-dtype",
    "Weights of another float dtype are converted.",
    """
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.ones(2, dtype=torch.float64))
    x.grad
    """,
)
weights(
    "gradient-of-ints",
    "Integer weights are converted as well.",
    """
    x = torch.ones(2, requires_grad=True)
    (x * 2).backward(torch.tensor([1, 2]))
    x.grad
    """,
)
weights(
    "gradient-stays-the-callers",
    "The caller's weights are never handed out as a `.grad`.",
    """
    x = torch.ones(2, requires_grad=True)
    v = torch.ones(2)
    (x + 0).backward(v)
    x.grad.numpy()[0] = 7
    v
    """,
)
weights(
    "gradient-on-a-leaf",
    "On a leaf itself, `.grad` is a copy of the weights.",
    """
    x = torch.ones(2, requires_grad=True)
    v = torch.tensor([1.0, 2.0])
    x.backward(v)
    (x.grad, x.grad is v)
    """,
)
weights(
    "failed-backward-leaves-grad",
    "A refused call leaves every `.grad` as it was.",
    """
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    try:
        (x * 3).backward(torch.ones(3))
    except RuntimeError:
        pass
    x.grad
    """,
)
weights(
    "failed-backward-keeps-the-graph",
    "And the graph: the corrected call works.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x.exp() * x
    try:
        y.backward()
    except RuntimeError:
        pass
    y.backward(torch.ones(2))
    x.grad
    """,
)

weights(
    "wrong-weights-before-no-history",
    "The shape of the weights is checked before the history.",
    "torch.ones(1).backward(torch.ones(2))",
    raises="RuntimeError: Mismatch in shape … torch.Size([2])",
)
weights(
    "no-history-no-question-of-weights",
    "Without a history, the number of elements is not the complaint.",
    "torch.ones(2).backward()",
    raises="RuntimeError: element 0 of tensors does not require grad",
)
weights(
    "weights-of-shape-one",
    "A weight of shape (1,) does not fit a scalar output.",
    "torch.ones(2, requires_grad=True).sum().backward(torch.ones(1))",
    raises="RuntimeError: Mismatch in shape",
)
# ------------------------------------------------------------------------------
piling = Theme(ROWS, 7, "Accumulation", "where-does-go")
piling(
    "gradients-accumulate",
    "A second backward adds to `.grad`.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    (x * 2).sum().backward()
    (x * 3).sum().backward()
    x.grad
    """,
)
piling(
    "accumulation-keeps-the-object",
    "It adds in place: `.grad` stays the same tensor.",
    """
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    g = x.grad
    (x * 3).sum().backward()
    (x.grad is g, g)
    """,
)
piling(
    "set-to-none-starts-anew",
    "After `x.grad = None` it starts anew.",
    """
    x = torch.ones(2, requires_grad=True)
    (x * 2).sum().backward()
    x.grad = None
    (x * 3).sum().backward()
    x.grad
    """,
)
piling(
    "assigned-grad-is-added-to",
    "An assigned gradient is added to, in place.",
    """
    x = torch.ones(2, requires_grad=True)
    x.grad = torch.tensor([10.0, 20.0])
    g = x.grad
    (x * 3).sum().backward()
    (x.grad, x.grad is g)
    """,
)
piling(
    "two-losses-or-their-sum",
    "Two backward passes or one through the sum: the same.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x ** 2).backward()
    (x ** 3).backward()
    a = x.grad
    x.grad = None
    (x ** 2 + x ** 3).backward()
    (a, x.grad)
    """,
)
piling(
    "two-leaves-do-not-share-a-gradient",
    "Two leaves never share a gradient's memory.",
    """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    (x + w).sum().backward()
    x.grad.numpy()[0] = 7
    w.grad
    """,
)
piling(
    "gradient-is-writable",
    "A gradient is writable, also where a sum spread it.",
    """
    x = torch.ones(3, requires_grad=True)
    x.sum().backward()
    x.grad.numpy()[0] = 7
    x.grad
    """,
)
piling(
    "gradient-of-x-is-not-xs-memory",
    "The gradient of x · w by x equals w, but is not w's memory.",
    """
    x = torch.ones(2, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    (x * w).sum().backward()
    x.grad.numpy()[0] = 7
    w
    """,
)
piling(
    "gradient-through-views-is-its-own",
    "Reshapes and transposes share memory, the gradients through them do not.",
    """
    x = torch.ones(2, 2, requires_grad=True)
    w = torch.ones(2, 2, requires_grad=True)
    (x.t() + w).reshape(4).backward(torch.arange(4.0))
    x.grad.numpy()[0, 0] = 7
    (x.grad, w.grad)
    """,
)

piling(
    "turned-gradient-is-stored-in-order",
    "Weights that lie transposed in memory.",
    """
    x = torch.ones(2, 3, requires_grad=True)
    g = torch.arange(6.0).reshape(2, 3)
    x.t().backward(g.t())
    (x.grad, x.grad.is_contiguous())
    """,
)
piling(
    "weights-are-not-changed-by-accumulation",
    "The caller's weights are not what is added to.",
    """
    x, g = torch.ones(2, requires_grad=True), torch.ones(2)
    x.clone().backward(g)
    x.clone().backward(g)
    (g, x.grad)
    """,
)
# ------------------------------------------------------------------------------
freeing = Theme(
    ROWS, 7, "What is freed, and retain_graph", "why-can-i-not-call-it-twice"
)
freeing(
    "second-backward-refused",
    "The graph's saved values are freed on the way.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward()
    y.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time … "
    "Specify retain_graph=True",
)
freeing(
    "retain-graph-allows-a-second",
    "`retain_graph=True` keeps them.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    x.grad
    """,
)
freeing(
    "retained-only-once",
    "The pass that did not retain has freed.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    y.backward()
    y.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "failed-second-backward-leaves-grad",
    "The refused second pass adds nothing.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    y.backward()
    try:
        y.backward()
    except RuntimeError:
        pass
    x.grad
    """,
)
freeing(
    "additions-save-nothing",
    "A graph of additions saves nothing: it can be walked again.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x + x
    y.backward()
    y.backward()
    x.grad
    """,
)
freeing(
    "sums-and-shapes-save-nothing",
    "Sums and changes of shape save only shapes.",
    """
    x = torch.ones(2, 3, requires_grad=True)
    y = x.reshape(3, 2).t().sum(0).sum()
    y.backward()
    y.backward()
    x.grad
    """,
)
freeing(
    "number-times-x-saves-the-number",
    "A product saves a factor that is a number, too.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * 3
    y.backward()
    y.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "exp-saves-its-output",
    "exp saved its output: refused.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp()
    y.backward()
    y.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "sum-twice-retained",
    "Two sums over one y: the second is new, and y's part was retained.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = x ** 2
    y.sum().backward(retain_graph=True)
    y.sum().backward()
    x.grad
    """,
)
freeing(
    "sum-twice-not-retained",
    "Without `retain_graph`, y's part is gone.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = x ** 2
    y.sum().backward()
    y.sum().backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "shared-part-freed",
    "Two losses over one shared part: the first frees it.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x.exp()
    a, b = h * 2, h * 3
    a.backward()
    b.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "shared-part-retained",
    "Retained, both work.",
    """
    x = torch.tensor(0.0, requires_grad=True)
    h = x.exp()
    a, b = h * 2, h * 3
    a.backward(retain_graph=True)
    b.backward()
    x.grad
    """,
)
freeing(
    "shared-part-that-saves-nothing",
    "A shared part that saves nothing needs no retaining.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    h = x + 1
    a, b = h * h, h.exp()
    a.backward()
    b.backward()
    x.grad
    """,
)
freeing(
    "new-forward-new-graph",
    "A new forward pass makes a new graph.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    for _ in range(3):
        (x * x).backward()
    x.grad
    """,
)
freeing(
    "grad-frees-too",
    "`autograd.grad` frees as `backward` does.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    torch.autograd.grad(y, x)
    y.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "unvisited-branch-is-not-freed",
    "A branch that was not visited is not freed.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    a = x.exp()
    y = a * w
    torch.autograd.grad(y, w)
    torch.autograd.grad(a.sum(), x)
    """,
)

freeing(
    "saved-by-only-one-operand",
    "With one constant operand, only that is kept, and it is freed too.",
    """
    x = torch.ones(2, requires_grad=True)
    y = (x * torch.ones(2)).sum()
    y.backward()
    y.backward()
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
freeing(
    "shapes-alone-free-nothing",
    "A chain of sums and views has saved nothing, and may be walked again.",
    """
    x = torch.ones(2, 2, requires_grad=True)
    y = x.t().reshape(4).expand(3, 4).clone().sum()
    y.backward()
    y.backward()
    x.grad
    """,
)
# ------------------------------------------------------------------------------
higher = Theme(ROWS, 7, "create_graph", "can-a-gradient-have-a-gradient")
higher(
    "grad-of-grad",
    "The second derivative of x³ at 2 is 12.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(x ** 3, x, create_graph=True)
    torch.autograd.grad(g, x)
    """,
)
higher(
    "third-order",
    "The third is 6.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(x ** 3, x, create_graph=True)
    h, = torch.autograd.grad(g, x, create_graph=True)
    torch.autograd.grad(h, x)
    """,
)
higher(
    "without-create-graph-no-history",
    "Without `create_graph` a gradient has no history.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(x ** 3, x)
    (g.requires_grad, g.grad_fn)
    """,
)
higher(
    "with-create-graph-history",
    "With it, the gradient is the result of operations.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(x * x, x, create_graph=True)
    (g.requires_grad, g.is_leaf, g.grad_fn)
    """,
)
higher(
    "grad-of-grad-without-create-graph",
    "Differentiating a gradient without history is an error.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    g, = torch.autograd.grad(x ** 3, x)
    torch.autograd.grad(g, x)
    """,
    raises="RuntimeError: element 0 of tensors does not require grad and does not "
    "have a grad_fn",
)
higher(
    "create-graph-retains",
    "`create_graph` retains the graph as well.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x ** 3
    torch.autograd.grad(y, x, create_graph=True)
    torch.autograd.grad(y, x)
    """,
)
higher(
    "create-graph-but-not-retained",
    "Unless it is told not to.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x.exp() * x
    torch.autograd.grad(y, x, create_graph=True, retain_graph=False)
    torch.autograd.grad(y, x)
    """,
    raises="RuntimeError: Trying to backward through the graph a second time",
)
higher(
    "backward-create-graph-warns",
    "`backward(create_graph=True)` warns of a cycle.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x ** 3).backward(create_graph=True)
    """,
    warns="UserWarning: Using backward() with create_graph=True will create a "
    "reference cycle … autograd.grad",
)
higher(
    "backward-create-graph-grad-has-history",
    "The `.grad` it leaves has a history.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x ** 3).backward(create_graph=True)
    x.grad
    """,
    warns="UserWarning: reference cycle",
)
higher(
    "create-graph-source-example",
    "This leaves 2x + 2 in `.grad`, not the second derivative: the second "
    "pass adds to what is there.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = x ** 2
    z = y.sum()
    z.backward(create_graph=True)
    grad_x = x.grad
    grad_x.backward(torch.ones_like(grad_x))
    x.grad
    """,
    warns="UserWarning: reference cycle",
)
higher(
    "create-graph-source-example-cleared",
    "With `.grad` cleared between, it is 2.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    (x ** 2).sum().backward(create_graph=True)
    grad_x = x.grad
    x.grad = None
    grad_x.backward(torch.ones_like(grad_x))
    x.grad
    """,
    warns="UserWarning: reference cycle",
)
higher(
    "create-graph-makes-a-new-grad",
    "Under `create_graph`, a sum goes into a new `.grad`.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x ** 2).backward()
    g = x.grad
    (x ** 2).backward(create_graph=True)
    (x.grad is g, g)
    """,
    warns="UserWarning: reference cycle",
)
higher(
    "create-graph-second-pass-in-place",
    "The plain pass after it adds to that `.grad`.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x ** 2).backward(create_graph=True)
    g = x.grad
    (x ** 2).backward()
    (x.grad is g, x.grad.item())
    """,
    warns="UserWarning: reference cycle",
)
higher(
    "mixed-derivative",
    "∂²(x² y) / ∂x ∂y = 2x.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = torch.tensor(5.0, requires_grad=True)
    g, = torch.autograd.grad(x * x * y, x, create_graph=True)
    torch.autograd.grad(g, y)
    """,
)
higher(
    "grad-of-linear-is-constant",
    "The gradient of x · w, by x, depends on w only.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor(5.0, requires_grad=True)
    g, = torch.autograd.grad(x * w, x, create_graph=True)
    torch.autograd.grad(g, (x, w), allow_unused=True)
    """,
)
higher(
    "grad-of-three-x-has-no-history",
    "The gradient of 3x depends on nothing.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    g, = torch.autograd.grad(3 * x, x, create_graph=True)
    (g, g.requires_grad)
    """,
)
higher(
    "second-derivatives-of-functions",
    "Second derivatives of exp, log, tanh and powers.",
    """
    def second(f):
        x = torch.tensor(0.5, requires_grad=True)
        g, = torch.autograd.grad(f(x), x, create_graph=True)
        return torch.autograd.grad(g, x)[0]
    powers = (lambda x: x ** 4, lambda x: 1 / x, lambda x: 2 ** x)
    [second(f) for f in (torch.exp, torch.log, torch.tanh, *powers)]
    """,
)
higher(
    "hessian-vector-product",
    "A Hessian times a vector: differentiate g · v.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 0.0])
    g, = torch.autograd.grad((x ** 3).sum() + x.sum() ** 2, x, create_graph=True)
    torch.autograd.grad((g * v).sum(), x)
    """,
)
higher(
    "second-derivative-through-matmul",
    "Through a matrix product.",
    """
    A = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    g, = torch.autograd.grad((A @ A).sum(), A, create_graph=True)
    torch.autograd.grad((g * g).sum(), A)
    """,
)
higher(
    "second-derivative-through-broadcasting",
    "Through broadcasting and sums.",
    """
    b = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.ones(3, 2)
    g, = torch.autograd.grad(((x * b) ** 3).sum(), b, create_graph=True)
    torch.autograd.grad(g.sum(), b)
    """,
)
higher(
    "grad-outputs-in-the-graph",
    "Under `create_graph` the weights take part, too.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    v = torch.tensor([1.0, 1.0], requires_grad=True)
    g, = torch.autograd.grad(x ** 2, x, v, create_graph=True)
    torch.autograd.grad(g.sum(), v)
    """,
)
higher(
    "summary-example-of-the-source-text",
    "With weights: first 2x and 2y, then `x.grad` is 2x + 2.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = torch.tensor([4., 5., 6.], requires_grad=True)
    z = x ** 2 + y ** 2
    gradient = torch.tensor([1., 1., 1.])
    z.backward(gradient=gradient, retain_graph=True, create_graph=True)
    before = [x.grad.tolist(), y.grad.tolist()]
    x_grad = x.grad
    x_grad.backward(torch.ones_like(x))
    (before, x.grad, y.grad)
    """,
    warns="UserWarning: reference cycle",
)

higher(
    "materialized-zeros-require-grad",
    "Under `create_graph`, zeros in place of a missing gradient require grad.",
    """
    x, w = torch.ones(2, requires_grad=True), torch.ones(3, requires_grad=True)
    g, = torch.autograd.grad(x.sum(), w, materialize_grads=True, create_graph=True)
    (g, g.requires_grad, g.is_leaf)
    """,
)
higher(
    "third-derivative-of-a-mixture",
    "Three derivatives of a mixture.",
    """
    x = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
    y = (x * x).exp().log() * x.tanh() / (x + 1)
    g, = torch.autograd.grad(y, x, create_graph=True)
    h, = torch.autograd.grad(g, x, create_graph=True)
    torch.autograd.grad(h, x)
    """,
)
higher(
    "relu-differentiated-twice",
    "The slope of relu has a history, with the derivative 0.",
    """
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    g, = torch.autograd.grad(x.relu().sum(), x, create_graph=True)
    (g, torch.autograd.grad(g.sum(), x))
    """,
)
higher(
    "relu-differentiated-three-times",
    "So has the derivative of its slope.",
    """
    x = torch.tensor([1.0, -1.0], requires_grad=True)
    g, = torch.autograd.grad(x.relu().sum(), x, create_graph=True)
    torch.autograd.grad(g.sum(), x, create_graph=True)
    """,
)

# ------------------------------------------------------------------------------
only = Theme(
    ROWS, 7, "inputs=: some of the leaves", "what-if-i-want-only-some-of-the-gradients"
)
only(
    "inputs-one-leaf",
    "With `inputs=[x]`, only x collects.",
    """
    x = torch.tensor([1., 2., 3.], requires_grad=True)
    y = torch.tensor([4., 5., 6.], requires_grad=True)
    z = x ** 2 + y ** 2
    z.sum().backward(inputs=[x])
    (x.grad, y.grad)
    """,
)
only(
    "inputs-a-single-tensor",
    "A tensor alone will do.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    (x * w).backward(inputs=x)
    (x.grad, w.grad)
    """,
)
only(
    "inputs-empty",
    "An empty list is an error.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x * x).backward(inputs=[])
    """,
    raises="RuntimeError: argument to `backward()` cannot be empty",
)
only(
    "inputs-a-non-leaf",
    "A result may be asked for, too: it retains its gradient, and what is behind it "
    "gets none.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x * x
    (h * 3).backward(inputs=[h])
    (h.grad, x.grad, h.retains_grad)
    """,
)
only(
    "inputs-without-grad",
    "One that requires no gradient may not.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(1.0)
    (x * w).backward(inputs=[w])
    """,
    raises="RuntimeError",
)
only(
    "inputs-unrelated",
    "An unrelated leaf is passed over: its `.grad` stays None.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(1.0, requires_grad=True)
    (x * x).backward(inputs=[x, w])
    (x.grad, w.grad)
    """,
)
only(
    "inputs-accumulates",
    "`inputs=` accumulates as always.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    for _ in range(2):
        (x * x).backward(inputs=[x])
    x.grad
    """,
)
only(
    "inputs-twice",
    "Named twice, it collects once.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (x * x).backward(inputs=[x, x])
    x.grad
    """,
)
only(
    "inputs-leaf-behind-result",
    "A result and the leaf behind it.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x * x
    (h * 3).backward(inputs=[x], retain_graph=True)
    (h * 3).backward(inputs=[x, h])
    x.grad
    """,
)

only(
    "refused-backward-retains-nothing",
    "A refused request leaves no trace: nothing is retained.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    try:
        torch.ones(1).backward(inputs=[y])
    except RuntimeError:
        pass
    y.retains_grad
    """,
)
only(
    "inputs-in-between-and-below",
    "A result and a leaf can both be asked for.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * x
    (y * 3).sum().backward(inputs=[x, y])
    (x.grad, y.grad)
    """,
)
only(
    "inputs-is-the-root",
    "Even the root itself.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x.sum()
    y.backward(inputs=[y])
    (x.grad, y.grad)
    """,
)
# ------------------------------------------------------------------------------
several = Theme(ROWS, 7, "Several outputs", "what-if-i-want-only-some-of-the-gradients")
several(
    "autograd-backward",
    "`autograd.backward` takes one tensor …",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.backward(x * x)
    x.grad
    """,
)
several(
    "autograd-backward-several",
    "… or several: their gradients add up.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.backward([x * x, x * 10])
    x.grad
    """,
)
several(
    "autograd-backward-weights",
    "Each with its weights.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.backward([x * 2, x * 3], [torch.ones(2), torch.tensor([10.0, 20.0])])
    x.grad
    """,
)
several(
    "autograd-backward-weights-none",
    "None stands for 1.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.backward([x * x, x * 10], [None, torch.tensor(2.0)])
    x.grad
    """,
)
several(
    "autograd-backward-weights-missing",
    "As many weights as outputs.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.backward([x * x, x * 10], [torch.tensor(1.0)])
    """,
    raises="RuntimeError: got 2 tensors and 1 gradients",
)
several(
    "autograd-backward-same-twice",
    "One output named twice counts twice.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    torch.autograd.backward([y, y])
    x.grad
    """,
)
several(
    "autograd-backward-output-and-inner",
    "An output and a value inside its graph.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    torch.autograd.backward([h * 2, h])
    x.grad
    """,
)
several(
    "autograd-backward-one-without-history",
    "One without history spoils it, by its index.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.backward([x * x, torch.tensor(1.0)])
    """,
    raises="RuntimeError: element 1 of tensors does not require grad and does not "
    "have a grad_fn",
)
# ------------------------------------------------------------------------------
asked = Theme(ROWS, 7, "autograd.grad", "what-if-i-want-only-some-of-the-gradients")
asked(
    "grad-returns-a-tuple",
    "`autograd.grad` returns a tuple.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * x, x)
    """,
)
asked(
    "grad-accumulates-nothing",
    "It leaves every `.grad` alone.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * x, x)
    x.grad
    """,
)
asked(
    "grad-several-inputs",
    "One result for each input, in order.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor(5.0, requires_grad=True)
    torch.autograd.grad(x * w, [w, x])
    """,
)
asked(
    "grad-several-outputs",
    "Several outputs add up.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad([x * x, x * 10], x)
    """,
)
asked(
    "grad-outputs",
    "`grad_outputs` are the weights.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.grad(x ** 2, x, grad_outputs=torch.tensor([1.0, 10.0]))
    """,
)
asked(
    "grad-needs-weights",
    "Several elements need them.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.grad(x ** 2, x)
    """,
    raises="RuntimeError: grad can be implicitly created only for scalar outputs",
)
asked(
    "grad-outputs-wrong-shape",
    "In the output's shape.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.grad(x ** 2, x, torch.ones(3))
    """,
    raises="RuntimeError: Mismatch in shape: grad_output[0]",
)
asked(
    "grad-of-a-non-leaf",
    "By a result, as well as by a leaf.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    torch.autograd.grad(h * h, h)
    """,
)
asked(
    "grad-by-itself",
    "A result by itself: 1.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    torch.autograd.grad(y, y)
    """,
)
asked(
    "grad-of-leaf-by-itself",
    "A leaf by itself: 1.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x, x)
    """,
)
asked(
    "grad-by-result-and-leaf",
    "By a result and the leaf behind it, in one pass.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    torch.autograd.grad(h * 2, [h, x])
    """,
)
asked(
    "grad-same-input-twice",
    "An input named twice is answered twice.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * x, [x, x])
    """,
)
asked(
    "grad-unused",
    "An input that played no part is an error …",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor(1.0, requires_grad=True)
    torch.autograd.grad(x * x, [x, w])
    """,
    raises="RuntimeError: appears to not have been used in the graph. Set "
    "allow_unused=True if this is the desired behavior",
)
asked(
    "grad-allow-unused",
    "… or None, if that is allowed …",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor(1.0, requires_grad=True)
    torch.autograd.grad(x * x, [x, w], allow_unused=True)
    """,
)
asked(
    "grad-materialize",
    "… or zeros.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    torch.autograd.grad(x * x, [x, w], materialize_grads=True)
    """,
)
asked(
    "grad-materialize-and-unused-false",
    "Zeros and an error exclude each other.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * x, x, materialize_grads=True, allow_unused=False)
    """,
    raises="ValueError: Expected allow_unused to be True or not passed when "
    "materialize_grads=True",
)
asked(
    "grad-input-without-grad",
    "An input that requires no gradient is an error.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor(1.0)
    torch.autograd.grad(x * w, w)
    """,
    raises="RuntimeError: One of the differentiated Tensors does not require grad",
)
asked(
    "grad-input-without-grad-allow-unused",
    "`allow_unused` does not excuse it.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    w = torch.tensor(1.0)
    torch.autograd.grad(x * w, w, allow_unused=True)
    """,
    raises="RuntimeError: One of the differentiated Tensors does not require grad",
)
asked(
    "grad-output-without-history",
    "So is an output without history.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(torch.tensor(1.0), x)
    """,
    raises="RuntimeError: element 0 of tensors does not require grad and does not "
    "have a grad_fn",
)
asked(
    "grad-no-inputs",
    "No input at all is an error.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * x, [])
    """,
    raises="RuntimeError: `inputs` argument to `grad()` cannot be empty",
)
asked(
    "grad-input-not-a-tensor",
    "A number is not an input.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    torch.autograd.grad(x * x, 3.0)
    """,
    raises="TypeError",
)
asked(
    "grad-retain",
    "`retain_graph` allows a second call.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    torch.autograd.grad(y, x, retain_graph=True)
    torch.autograd.grad(y, x)
    """,
)
asked(
    "grad-dtype",
    "A gradient has the input's dtype.",
    """
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    w = torch.ones(2, requires_grad=True)
    torch.autograd.grad((x * w).sum(), [x, w])
    """,
)
asked(
    "grad-all-arguments",
    "All arguments by name.",
    """
    x = torch.ones(2, requires_grad=True)
    torch.autograd.grad(
        outputs=x * 2,
        inputs=x,
        grad_outputs=torch.ones(2),
        retain_graph=None,
        create_graph=False,
        allow_unused=None,
        is_grads_batched=False,
        materialize_grads=False,
    )
    """,
)
asked(
    "grad-batched",
    "`is_grads_batched` takes many weights at once: one result for each.",
    """
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    torch.autograd.grad(x ** 2, x, torch.eye(2), is_grads_batched=True)
    """,
)
asked(
    "grad-row-by-row",
    "Weights with a single 1 pick one row of the Jacobian.",
    """
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = torch.tensor([[1.0, 0.0, 2.0], [0.0, 3.0, 0.0]]) @ x.reshape(3, 1)
    first, second = torch.tensor([[1.0], [0.0]]), torch.tensor([[0.0], [1.0]])
    [torch.autograd.grad(y, x, v, retain_graph=True) for v in (first, second)]
    """,
)
asked(
    "outputs-before-inputs",
    "It complains of the outputs first.",
    "torch.autograd.grad(torch.ones(1), [torch.ones(1)])",
    raises="RuntimeError: element 0 of tensors does not require grad",
)
asked(
    "grad-of-none",
    "None is no output …",
    "torch.autograd.grad(None, [torch.ones(1, requires_grad=True)])",
    raises="TypeError: 'NoneType' object is not iterable",
)
asked(
    "grad-with-respect-to-none",
    "… and no input.",
    "torch.autograd.grad(torch.ones(1, requires_grad=True), None)",
    raises="TypeError: 'NoneType' object is not iterable",
)
asked(
    "grad-of-a-leaf-by-itself",
    "A leaf by itself: the weights.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    (torch.autograd.grad(x, x), torch.autograd.grad(x, x, torch.tensor(3.0)))
    """,
)
asked(
    "grad-by-a-result-and-its-leaf",
    "By a result and by the leaf below it, in one pass.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    torch.autograd.grad((y * y).sum(), [x, y])
    """,
)
asked(
    "grad-by-a-stranger-result",
    "A result that is made from the leaf, but not on the way.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    torch.autograd.grad(x.sum(), y, allow_unused=True)
    """,
)
