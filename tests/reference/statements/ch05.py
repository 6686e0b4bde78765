"""What Chapter 5 says: operations, and what they leave behind."""

import re

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
arithmetic = Theme(ROWS, 5, "Arithmetic", "pytorchs-names")
arithmetic(
    "number-on-the-right",
    "A number may stand on the right …",
    """
    x = torch.tensor([1.0, 2.0])
    (x + 1, x - 1, x * 2, x / 2, x ** 2)
    """,
)
arithmetic(
    "number-on-the-left",
    "… or on the left.",
    """
    x = torch.tensor([1.0, 2.0])
    (1 + x, 1 - x, 2 * x, 2 / x, 2 ** x)
    """,
)
arithmetic(
    "operators-between-tensors",
    "Tensors combine element by element.",
    """
    x, y = torch.tensor([1.0, 2.0]), torch.tensor([3.0, 4.0])
    (x + y, x - y, x * y, x / y, x ** y)
    """,
)
arithmetic(
    "negation",
    "Minus.",
    "-torch.tensor([1.0, -2.0])",
)
arithmetic(
    "positive",
    "Plus gives the tensor itself.",
    """
    x = torch.tensor([1.0, -2.0])
    +x is x
    """,
)
arithmetic(
    "functions-and-methods",
    "Every operation is a function and a method.",
    """
    x = torch.tensor([1.0, 2.0])
    (torch.add(x, 1), x.add(1), torch.mul(x, x), x.mul(x))
    """,
)
arithmetic(
    "add-alpha",
    "`add` and `sub` take a factor for what is added.",
    """
    x = torch.tensor([1.0, 2.0])
    (torch.add(x, x, alpha=10), torch.sub(x, x, alpha=10))
    """,
)
arithmetic(
    "elementwise-functions",
    "exp, log, tanh, relu and neg.",
    """
    x = torch.tensor([-1.0, 0.5])
    (x.exp(), torch.log(x.exp()), x.tanh(), torch.relu(x), x.neg())
    """,
)
arithmetic(
    "broadcasting",
    "Shapes are broadcast as in NumPy.",
    "torch.ones(2, 1) + torch.arange(3)",
)
arithmetic(
    "broadcasting-0d",
    "A 0-d tensor fits every shape.",
    "torch.ones(2, 2) * torch.tensor(3.0)",
)
arithmetic(
    "broadcasting-empty",
    "So does length 1 fit length 0.",
    "(torch.ones(1) + torch.ones(0)).shape",
)
arithmetic(
    "shapes-that-do-not-fit",
    "Shapes that do not fit are an error that names both lengths and the axis.",
    "torch.ones(2) + torch.ones(3)",
    raises="RuntimeError: The size of tensor a (2) must match the size of tensor b "
    "(3) at non-singleton dimension 0",
)
arithmetic(
    "shapes-that-do-not-fit-in-a-matrix",
    "The axis is that of the result.",
    "torch.ones(2, 3) * torch.ones(2, 2)",
    raises="RuntimeError: The size of tensor a (3) must match the size of tensor b "
    "(2) at non-singleton dimension 1",
)
arithmetic(
    "text-is-no-operand",
    "Text is no operand.",
    "torch.ones(2) + 'a'",
    raises="TypeError",
)
arithmetic(
    "none-is-no-operand",
    "Nor is None.",
    "torch.ones(2) * None",
    raises="TypeError",
)
arithmetic(
    "list-is-no-operand",
    "Nor is a list: make a tensor of it.",
    "torch.ones(2) + [1.0, 2.0]",
    raises="TypeError",
)
arithmetic(
    "division-by-zero",
    "Division by zero gives inf or nan, without a warning.",
    "torch.tensor([1.0, -1.0, 0.0]) / 0",
)
arithmetic(
    "log-of-zero",
    "So does the logarithm.",
    "torch.log(torch.tensor([0.0, -1.0]))",
)
arithmetic(
    "exp-overflow",
    "And an overflow.",
    "torch.exp(torch.tensor(1000.0))",
)
arithmetic(
    "int-overflow-wraps",
    "Integers wrap around.",
    "torch.tensor([127], dtype=torch.int8) + 1",
)
arithmetic(
    "fractional-power-of-negative",
    "A root of a negative number is nan.",
    "torch.tensor([-8.0]) ** (1 / 3)",
)
arithmetic(
    "zero-to-the-zero",
    "0⁰ is 1.",
    "torch.tensor([0.0]) ** 0",
)
arithmetic(
    "int-power",
    "Integers to a positive power stay integers.",
    "torch.tensor([2, 3]) ** 3",
)
arithmetic(
    "int-to-tensor-negative-power",
    "With a tensor of negative exponents, what is below 1 is cut to 0.",
    "torch.tensor([1, 2]) ** torch.tensor([-1, -1])",
)
arithmetic(
    "float16-overflow",
    "What a dtype cannot hold becomes inf, without a warning.",
    "(torch.tensor([1.0], dtype=torch.float16) * 100000, torch.tensor([1.0]) * 1e300)",
)
arithmetic(
    "huge-int-refused",
    "An int beyond 64 bits is refused.",
    "torch.tensor([1]) + 10**30",
    raises="OverflowError: int too big to convert",
)
arithmetic(
    "int-negative-power",
    "Integers to a negative power are refused.",
    "torch.tensor([2, 3]) ** -1",
    raises="RuntimeError: Integers to negative integer powers are not allowed",
)
arithmetic(
    "number-to-tensor-power",
    "A number to the power of a tensor.",
    "2 ** torch.tensor([1, 2, 3])",
)
arithmetic(
    "numpy-function",
    "NumPy scalars are numbers, too.",
    "torch.ones(2) * np.float64(2.0)",
)
arithmetic(
    "alias-does-not-happen",
    "The result of arithmetic has memory of its own.",
    """
    x = torch.ones(2)
    y = x + 0
    x.numpy()[0] = 7
    y
    """,
)

arithmetic(
    "add-alpha-of-bools",
    "A fractional factor is allowed where the sum is a float.",
    "torch.add(torch.ones(2), torch.tensor([True, False]), alpha=0.5)",
)
arithmetic(
    "add-alpha-integers-refuse",
    "But not between integers.",
    "torch.add(torch.ones(2, dtype=torch.int64), 1, alpha=0.5)",
    raises="RuntimeError: argument alpha must not be a floating point number",
)
arithmetic(
    "add-alpha-is-a-number",
    "And it must be a number.",
    "torch.add(torch.ones(2), 1, alpha='a')",
    raises="TypeError: argument 'alpha' must be Number, not str",
)
arithmetic(
    "integer-tensors-to-negative-powers",
    "Integers to negative powers, element by element: only 1 and -1 survive.",
    "torch.tensor([2, 1, -1, 0]) ** torch.tensor([-1, -2, -3, -1])",
)
arithmetic(
    "integer-to-a-negative-number-refuses",
    "A negative number as exponent is refused.",
    "torch.tensor([2]) ** -1",
    raises="RuntimeError: Integers to negative integer powers are not allowed",
)
arithmetic(
    "function-of-none",
    "A function says what it was given instead of a tensor.",
    "torch.mul(torch.ones(2), None)",
    raises="TypeError: must be Tensor, not NoneType",
)
# ------------------------------------------------------------------------------
dtypes = Theme(ROWS, 5, "The dtype of a result", "numbers-and-dtypes")
dtypes(
    "number-does-not-widen",
    "A Python float does not widen float32 …",
    "(torch.ones(1) * 0.1).dtype",
)
dtypes(
    "number-lifts-int",
    "… but it lifts ints to float32.",
    "torch.tensor([1, 2]) * 0.5",
)
dtypes(
    "int-keeps-int",
    "A Python int leaves ints ints.",
    "torch.tensor([1, 2]) * 3",
)
dtypes(
    "int-lifts-bool",
    "And lifts bools to int64.",
    "torch.tensor([True, False]) + 1",
)
dtypes(
    "bool-number-keeps",
    "A Python bool lifts nothing.",
    "(torch.tensor([1.0]) + True, torch.tensor([1]) + True)",
)
dtypes(
    "number-keeps-float16",
    "float16 stays float16 beside a number.",
    "(torch.ones(1, dtype=torch.float16) * 2.5).dtype",
)
dtypes(
    "float32-and-float64",
    "Two floats: the wider wins.",
    "(torch.ones(1) + torch.ones(1, dtype=torch.float64)).dtype",
)
dtypes(
    "float-and-int",
    "A float beats an int, however wide.",
    "(torch.ones(1, dtype=torch.float16) + torch.ones(1, dtype=torch.int64)).dtype",
)
dtypes(
    "int-and-int",
    "Two ints: the wider wins.",
    "(torch.ones(1, dtype=torch.int32) + torch.ones(1, dtype=torch.int64)).dtype",
)
dtypes(
    "uint8-and-int8",
    "Signed and unsigned bytes meet in int16.",
    "(torch.ones(1, dtype=torch.uint8) + torch.ones(1, dtype=torch.int8)).dtype",
)
dtypes(
    "zero-dim-does-not-widen",
    "A 0-d tensor does not widen one with axes …",
    "(torch.ones(1) + torch.tensor(1.0, dtype=torch.float64)).dtype",
)
dtypes(
    "zero-dim-lifts-kind",
    "… unless it is of a higher kind.",
    "(torch.tensor([1, 2]) + torch.tensor(1.0, dtype=torch.float64)).dtype",
)
dtypes(
    "two-zero-dim",
    "Two 0-d tensors: the wider wins.",
    "(torch.tensor(1.0) + torch.tensor(1.0, dtype=torch.float64)).dtype",
)
dtypes(
    "int-quotient-is-float",
    "A quotient of ints is float32.",
    "torch.tensor([1, 2]) / torch.tensor([2, 2])",
)
dtypes(
    "int-quotient-by-number",
    "Also by a number.",
    "torch.tensor([1, 2]) / 2",
)
dtypes(
    "exp-of-int-is-float",
    "exp, log and tanh of ints are float32.",
    """
    x = torch.tensor([1, 2])
    (torch.exp(x), torch.tanh(x), torch.log(x))
    """,
)
dtypes(
    "relu-of-int-is-int",
    "relu of ints is int.",
    "torch.relu(torch.tensor([-1, 2]))",
)
dtypes(
    "sum-of-ints",
    "Ints are summed in int64.",
    "torch.tensor([1, 2], dtype=torch.int32).sum()",
)
dtypes(
    "sum-of-bools",
    "Bools are counted.",
    "torch.tensor([True, True, False]).sum()",
)
dtypes(
    "sum-with-dtype",
    "`sum` takes a dtype to sum in.",
    "torch.tensor([1, 2]).sum(dtype=torch.float64)",
)
dtypes(
    "bool-minus-refused",
    "Bools cannot be subtracted.",
    "torch.tensor([True]) - torch.tensor([True])",
    raises="RuntimeError: Subtraction, the `-` operator, with two bool tensors is "
    "not supported",
)
dtypes(
    "bool-negative-refused",
    "Nor negated by a minus.",
    "-torch.tensor([True])",
    raises="RuntimeError: Negation, the `-` operator, on a bool tensor is not "
    "supported",
)
dtypes(
    "bool-plus",
    "Their sum is “or”.",
    "torch.tensor([True, False]) + torch.tensor([True, False])",
)
dtypes(
    "bool-times",
    "Their product is “and”.",
    "torch.tensor([True, False]) * torch.tensor([True, True])",
)
dtypes(
    "bool-power",
    "A power of bools counts in int64.",
    "torch.tensor([True]) ** 2",
)
dtypes(
    "bool-relu-refused",
    "relu of bools is refused.",
    "torch.relu(torch.tensor([True]))",
    raises="RuntimeError: Boolean inputs not supported for relu",
)
dtypes(
    "matmul-needs-one-dtype",
    "A matrix product wants one dtype.",
    "torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)",
    raises="RuntimeError: same dtype",
)
dtypes(
    "to-dtype",
    "`to` converts.",
    "torch.tensor([1.7, -1.7]).to(torch.int64)",
)
dtypes(
    "to-same-dtype",
    "To the dtype it has, `to` returns the tensor itself.",
    """
    x = torch.ones(1)
    x.to(torch.float32) is x
    """,
)
dtypes(
    "float-double-long",
    "`float`, `double`, `int`, `long`, `half`, `bool` convert.",
    """
    x = torch.tensor([0, 2])
    [x.float(), x.double(), x.int(), x.long(), x.half(), x.bool()]
    """,
)
dtypes(
    "type-as",
    "`type_as` converts to another tensor's dtype.",
    "torch.tensor([1]).type_as(torch.ones(1)).dtype",
)

# ------------------------------------------------------------------------------
compare = Theme(ROWS, 5, "Comparisons", "conversions-products-comparisons")
compare(
    "comparison-with-number",
    "A comparison gives bools.",
    """
    x = torch.tensor([1.0, 2.0, 3.0])
    (x < 2, x <= 2, x > 2, x >= 2, x == 2, x != 2)
    """,
)
compare(
    "comparison-number-left",
    "The number may stand on the left.",
    "2 < torch.tensor([1.0, 2.0, 3.0])",
)
compare(
    "comparison-between-tensors",
    "Tensors compare element by element.",
    "torch.tensor([1.0, 5.0]) > torch.tensor([3, 4])",
)
compare(
    "comparison-is-not-recorded",
    "A comparison is not recorded: it has no slope.",
    """
    x = torch.tensor([1.0], requires_grad=True)
    y = x > 0
    (y.requires_grad, y.grad_fn, y.is_leaf)
    """,
)
compare(
    "equal-to-none",
    "A tensor is not None.",
    "torch.ones(1) == None",
)
compare(
    "nan-is-not-nan",
    "nan equals nothing.",
    """
    x = torch.tensor([float('nan')])
    x == x
    """,
)
compare(
    "comparison-names",
    "As functions: lt, le, gt, ge, eq, ne.",
    """
    x = torch.tensor([1.0, 2.0])
    (torch.lt(x, 2), x.le(1), torch.gt(x, 1), x.ge(2), x.eq(1), torch.ne(x, 1))
    """,
)
compare(
    "truth-drives-if",
    "A comparison of one element decides an `if`.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    'yes' if x > 1 else 'no'
    """,
)

# ------------------------------------------------------------------------------
shapes = Theme(
    ROWS, 5, "Sums, shapes and products", "shapes-and-the-memory-behind-them"
)
shapes(
    "sum-of-all",
    "`sum` of everything is 0-d.",
    "torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sum()",
)
shapes(
    "sum-along",
    "Along one axis.",
    "torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(0)",
)
shapes(
    "sum-dim-keyword",
    "`dim=` may be negative.",
    "torch.tensor([[1.0, 2.0], [3.0, 4.0]]).sum(dim=-1)",
)
shapes(
    "sum-keepdim",
    "`keepdim` keeps the axis, with length 1.",
    "torch.ones(2, 3).sum(1, keepdim=True)",
)
shapes(
    "sum-several",
    "Several axes at once.",
    "torch.ones(2, 3, 4).sum((0, 2))",
)
shapes(
    "sum-axis-is-dim",
    "NumPy's name works, too.",
    "torch.ones(2, 3).sum(axis=0)",
)
shapes(
    "sum-of-nothing",
    "The sum of nothing is 0.",
    "torch.tensor([]).sum()",
)
shapes(
    "sum-of-0d-along",
    "A 0-d tensor may be summed along 0 or -1, which changes nothing.",
    """
    x = torch.tensor(5.0)
    (x.sum(0), x.sum(-1), x.sum(0, keepdim=True))
    """,
)
shapes(
    "sum-wrong-axis",
    "An axis must exist.",
    "torch.ones(2, 3).sum(2)",
    raises="IndexError: Dimension out of range (expected to be in range of [-2, 1], "
    "but got 2)",
)
shapes(
    "sum-axis-twice",
    "And be named once.",
    "torch.ones(2, 3).sum((0, 0))",
    raises="RuntimeError: dim 0 appears multiple times in the list of dims",
)
shapes(
    "reshape",
    "`reshape` keeps the order of the elements.",
    "torch.arange(6).reshape(2, 3)",
)
shapes(
    "reshape-minus-one",
    "-1 stands for what is left over.",
    "torch.arange(6).reshape(-1, 2).shape",
)
shapes(
    "reshape-tuple",
    "The shape may be a tuple.",
    "torch.arange(6).reshape((3, 2)).shape",
)
shapes(
    "reshape-impossible",
    "The number of elements cannot change.",
    "torch.arange(6).reshape(4, 2)",
    raises="RuntimeError: shape '[4, 2]' is invalid for input of size 6",
)
shapes(
    "reshape-impossible-minus-one",
    "Not even with -1.",
    "torch.arange(6).reshape(-1, 4)",
    raises="RuntimeError: shape '[-1, 4]' is invalid for input of size 6",
)
shapes(
    "reshape-two-minus-ones",
    "Only one length can be left open.",
    "torch.arange(6).reshape(-1, -1)",
    raises="RuntimeError: only one dimension can be inferred",
)
shapes(
    "reshape-to-0d",
    "One element can become 0-d.",
    "torch.tensor([[5.0]]).reshape(())",
)
shapes(
    "view-shares",
    "`view` shares memory.",
    """
    x = torch.zeros(4)
    x.view(2, 2).numpy()[0, 0] = 7
    x
    """,
)
shapes(
    "view-needs-contiguous-rows",
    "Where it could not share, `view` refuses.",
    "torch.ones(2, 3).t().view(6)",
    raises="RuntimeError: view size is not compatible with input tensor's size and "
    "stride … Use .reshape(...) instead",
)
shapes(
    "reshape-copies-where-it-must",
    "`reshape` then copies.",
    "torch.arange(6).reshape(2, 3).t().reshape(6)",
)
shapes(
    "transpose",
    "`transpose` exchanges two axes.",
    "torch.tensor([[1, 2], [3, 4]]).transpose(0, 1)",
)
shapes(
    "t-and-attribute-t",
    "`t()` and `.T` transpose a matrix.",
    """
    x = torch.ones(2, 3)
    (x.t().shape, x.T.shape, x.mT.shape)
    """,
)
shapes(
    "t-of-a-vector",
    "A vector stays a vector.",
    "torch.ones(3).t().shape",
)
shapes(
    "t-of-3d",
    "`t()` is for matrices.",
    "torch.ones(2, 3, 4).t()",
    raises="RuntimeError: t() expects a tensor with <= 2 dimensions, but self is 3D",
)
shapes(
    "attribute-mt-of-a-vector",
    "`.mT` is for matrices.",
    "torch.ones(3).mT",
    raises="RuntimeError: tensor.mT is only supported on matrices or batches of "
    "matrices. Got 1-D tensor.",
)
shapes(
    "attribute-t-of-3d-warns",
    "`.T` on other than two axes reverses them, and warns.",
    "torch.ones(2, 3, 4).T.shape",
    warns="UserWarning: The use of `x.T` on tensors of dimension other than 2",
)
shapes(
    "permute",
    "`permute` puts the axes into a new order.",
    "torch.ones(2, 3, 4).permute(2, 0, 1).shape",
)
shapes(
    "permute-wrong-count",
    "All axes have to be named.",
    "torch.ones(2, 3, 4).permute(1, 0)",
    raises="RuntimeError: input.dim() = 3 is not equal to len(dims) = 2",
)
shapes(
    "permute-twice",
    "Each of them once.",
    "torch.ones(2, 3).permute(0, 0)",
    raises="RuntimeError",
)
shapes(
    "expand",
    "`expand` repeats an axis of length 1.",
    "torch.tensor([[1], [2]]).expand(2, 3)",
)
shapes(
    "expand-minus-one",
    "-1 keeps a length.",
    "torch.ones(2, 1).expand(-1, 3).shape",
)
shapes(
    "expand-adds-axes",
    "It adds axes on the left.",
    "torch.ones(3).expand(2, 3).shape",
)
shapes(
    "expand-impossible",
    "Another length cannot be repeated.",
    "torch.ones(2).expand(3)",
    raises="RuntimeError: The expanded size of the tensor (3) must match the "
    "existing size (2) at non-singleton dimension 0",
)
shapes(
    "expand-minus-one-on-the-left",
    "-1 cannot stand for an axis that is not there.",
    "torch.ones(2, 3).expand(-1, -1, 3)",
    raises="RuntimeError: The expanded size of the tensor (-1) isn't allowed in a "
    "leading, non-existing dimension 0",
)
shapes(
    "broadcast-to",
    "`broadcast_to` is `expand`.",
    "torch.broadcast_to(torch.ones(3), (2, 3)).shape",
)
shapes(
    "matmul",
    "`@` is the matrix product.",
    "torch.tensor([[1.0, 2.0]]) @ torch.tensor([[3.0], [4.0]])",
)
shapes(
    "matmul-function",
    "So is `matmul`.",
    "torch.matmul(torch.ones(2, 3), torch.ones(3, 1))",
)
shapes(
    "matmul-batched",
    "Leading axes are batches.",
    "(torch.ones(5, 2, 3) @ torch.ones(5, 3, 4)).shape",
)
shapes(
    "matmul-misfit",
    "The inner lengths must agree.",
    "torch.ones(2, 3) @ torch.ones(2, 3)",
    raises="RuntimeError: mat1 and mat2 shapes cannot be multiplied (2x3 and 2x3)",
)
shapes(
    "function-of-a-list",
    "Functions of shape want tensors too.",
    "torch.reshape([1.0, 2.0], (2, 1))",
    raises="TypeError: reshape(): argument 'input' … must be Tensor, not list",
)
shapes(
    "transpose-of-none",
    "Also those with dims.",
    "torch.transpose(None, 0, 1)",
    raises="TypeError: transpose(): argument 'input' … not NoneType",
)
shapes(
    "sum-over-no-axes-sums-all",
    "An empty list of axes stands for all of them.",
    """
    (torch.ones(2, 3).sum(()), torch.ones(2, 3).sum([]), torch.ones(2, 3).sum(dim=None))
    """,
)
shapes(
    "sum-over-numpy-axis",
    "An axis may be one of NumPy's integers.",
    "torch.ones(2, 3).sum(np.int64(0))",
)
shapes(
    "sum-of-a-scalar-over-axis",
    "A scalar may be summed over an axis that it does not have.",
    "(torch.tensor(2.0).sum(0), torch.tensor(2.0).sum(-1))",
)
shapes(
    "shapes-by-keyword",
    "Shapes and orders by their names.",
    """
    x = torch.ones(2, 3)
    y, z = x.permute(dims=(1, 0)), x.view(size=(3, 2))
    (y.shape, z.shape, x.reshape(shape=(6,)).shape, x.expand(size=(4, 2, 3)).shape)
    """,
)
shapes(
    "reshape-needs-a-shape",
    "`reshape` without a shape.",
    "torch.ones(1).reshape()",
    raises="TypeError",
)
shapes(
    "t-of-a-scalar-warns",
    "`T` of a scalar warns.",
    "torch.tensor(1.0).T",
    warns="UserWarning: Tensor.T is deprecated on 0-D tensors",
)
shapes(
    "mt-of-a-scalar-warns",
    "So does `mT`.",
    "torch.tensor(1.0).mT",
    warns="UserWarning: Tensor.mT is deprecated on 0-D tensors",
)
shapes(
    "contiguous-may-be-the-same",
    "`contiguous` of what is contiguous is the tensor itself.",
    """
    x = torch.ones(2, 3)
    (x.contiguous() is x, x.t().contiguous() is x.t())
    """,
)
# ------------------------------------------------------------------------------
recording = Theme(
    ROWS,
    5,
    "What an operation leaves behind",
    "what-does-a-multiplication-leave-behind",
)
recording(
    "five-attributes-of-a-product",
    "Two leaves and their product z = x · y.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    y = torch.tensor(2.0)
    z = x * y
    [(t.data, t.requires_grad, t.grad_fn, t.is_leaf) for t in (x, y, z)]
    """,
)
recording(
    "recorded-if-one-operand-wants",
    "One operand that wants a gradient is enough.",
    """
    x = torch.ones(1, requires_grad=True)
    (x * 2).requires_grad
    """,
)
recording(
    "not-recorded-otherwise",
    "If none does, the result is a leaf.",
    """
    z = torch.ones(1) * torch.ones(1)
    (z.requires_grad, z.grad_fn, z.is_leaf)
    """,
)
recording(
    "result-prints-its-node",
    "The result prints the name of its node.",
    "torch.tensor([1.0, 2.0], requires_grad=True) * 3",
)
recording(
    "zero-dim-result-prints-its-node",
    "A 0-d result as well.",
    "torch.tensor(1.0, requires_grad=True).exp()",
)
recording(
    "double-result-prints-dtype-and-node",
    "After the dtype.",
    "torch.tensor([1.0], dtype=torch.float64, requires_grad=True) * 2",
)
recording(
    "node-repr",
    "A node prints as an object with its name.",
    "(torch.ones(1, requires_grad=True) * 2).grad_fn",
)
recording(
    "node-name",
    "`name()` gives the name.",
    "(torch.ones(1, requires_grad=True) * 2).grad_fn.name()",
)
recording(
    "node-class-name",
    "It is the name of the node's class.",
    "type((torch.ones(1, requires_grad=True) * 2).grad_fn).__name__",
)
recording(
    "same-node-each-time",
    "`grad_fn` is one object, not made anew.",
    """
    y = torch.ones(1, requires_grad=True) * 2
    y.grad_fn is y.grad_fn
    """,
)
for name, expression in {
    "add": "x + y",
    "sub": "x - y",
    "mul": "x * y",
    "div": "x / y",
    "neg": "-x",
    "pow-number": "x ** 2",
    "pow-tensor": "x ** y",
    "pow-of-number": "2 ** x",
    "rsub": "1 - x",
    "exp": "x.exp()",
    "log": "x.log()",
    "tanh": "x.tanh()",
    "relu": "x.relu()",
    "sum": "x.sum()",
    "sum-dim": "x.sum(0)",
    "view": "x.view(4)",
    "reshape": "x.reshape(4)",
    "transpose": "x.transpose(0, 1)",
    "t": "x.t()",
    "attribute-t": "x.T",
    "attribute-mt": "x.mT",
    "permute": "x.permute(1, 0)",
    "expand": "x.expand(3, 2, 2)",
    "matmul": "x @ y",
    "clone": "x.clone()",
    "to": "x.to(torch.float64)",
    "double": "x.double()",
    "add-number": "x + 1",
    "mul-number": "3 * x",
    "div-number": "x / 2",
    "number-div": "1 / x",
    "sub-number": "x - 1",
    "add-alpha": "torch.add(x, y, alpha=2)",
    "sum-keepdim": "x.sum(1, keepdim=True)",
    "sum-tuple": "x.sum((0, 1))",
    "broadcast-to": "x.broadcast_to((3, 2, 2))",
}.items():
    bare = re.sub(r"\(.*\)", "", f"{expression} ".replace("-x", "- x"))[:-1]
    recording(
        f"node-name-{name}",
        f"The node of `{expression}`.",
        "x = torch.ones(2, 2, requires_grad=True)\n"
        + ("y = torch.ones(2, 2, requires_grad=True)\n" if "y" in expression else "")
        + (f"({expression}).grad_fn" if " " in bare else f"{expression}.grad_fn"),
    )
recording(
    "next-functions",
    "`next_functions` leads to the nodes of the operands, each with an index.",
    """
    x = torch.ones(1, requires_grad=True)
    y = torch.ones(1, requires_grad=True)
    (x * y).grad_fn.next_functions
    """,
)
recording(
    "next-functions-of-a-chain",
    "After another operation, to its node.",
    """
    x = torch.ones(1, requires_grad=True)
    x.exp().tanh().grad_fn.next_functions
    """,
)
recording(
    "next-functions-is-a-tuple-of-pairs",
    "A tuple of pairs.",
    """
    x = torch.ones(1, requires_grad=True)
    node, index = x.exp().grad_fn.next_functions[0]
    (node.name(), index)
    """,
)
recording(
    "next-functions-none",
    "Where an operand wants no gradient, there is None.",
    """
    x = torch.ones(1, requires_grad=True)
    (x * torch.ones(1)).grad_fn.next_functions
    """,
)
recording(
    "next-functions-number",
    "A number counts as such an operand.",
    """
    x = torch.ones(1, requires_grad=True)
    (x * 3).grad_fn.next_functions
    """,
)
recording(
    "next-functions-same-twice",
    "x · x leads to x twice.",
    """
    x = torch.ones(1, requires_grad=True)
    (a, _), (b, _) = (x * x).grad_fn.next_functions
    a is b
    """,
)
recording(
    "next-functions-power-number",
    "A power with a fixed exponent has one way back.",
    """
    x = torch.ones(1, requires_grad=True)
    (x ** 2).grad_fn.next_functions
    """,
)
recording(
    "accumulate-grad-has-no-next",
    "The graph ends at `AccumulateGrad`.",
    """
    x = torch.ones(1, requires_grad=True)
    x.exp().grad_fn.next_functions[0][0].next_functions
    """,
)
recording(
    "accumulate-grad-variable",
    "Its `variable` is the leaf itself.",
    """
    x = torch.ones(1, requires_grad=True)
    x.exp().grad_fn.next_functions[0][0].variable is x
    """,
)
recording(
    "accumulate-grad-name",
    "Its name.",
    """
    x = torch.ones(1, requires_grad=True)
    x.exp().grad_fn.next_functions[0][0].name()
    """,
)
recording(
    "accumulate-grad-is-shared",
    "All operations on a leaf lead to the same one.",
    """
    x = torch.ones(1, requires_grad=True)
    a, b = x.exp(), x.tanh()
    a.grad_fn.next_functions[0][0] is b.grad_fn.next_functions[0][0]
    """,
)
recording(
    "metadata",
    "A node carries a dictionary for notes.",
    """
    node = torch.ones(1, requires_grad=True).exp().grad_fn
    node.metadata['where'] = 'line 3'
    node.metadata
    """,
)
recording(
    "metadata-empty",
    "It starts empty.",
    "torch.ones(1, requires_grad=True).exp().grad_fn.metadata",
)
recording(
    "name-is-rebound",
    "A name moves on; the graph keeps the old values.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x
    for _ in range(3):
        y = y * x
    y
    """,
)
recording(
    "graph-follows-the-program",
    "The graph is what the program did this time.",
    """
    def f(x):
        return x.exp() if x > 0 else x * 2
    [f(torch.tensor(v, requires_grad=True)).grad_fn.name() for v in (1.0, -1.0)]
    """,
)
recording(
    "loop-length-is-graph-length",
    "A loop that runs three times leaves three nodes.",
    """
    y = torch.tensor(2.0, requires_grad=True)
    while y < 10:
        y = y * 2
    names, node = [], y.grad_fn
    while node is not None:
        names.append(node.name())
        node = node.next_functions[0][0] if node.next_functions else None
    names
    """,
)
recording(
    "requires-grad-off-on-non-leaf",
    "The flag of a result cannot be cleared …",
    """
    y = torch.ones(1, requires_grad=True) * 2
    y.requires_grad = False
    """,
    raises="RuntimeError: you can only change requires_grad flags of leaf variables. "
    "… use var_no_grad = var.detach()",
)
recording(
    "requires-grad-method-off-on-non-leaf",
    "… by the method neither.",
    "(torch.ones(1, requires_grad=True) * 2).requires_grad_(False)",
    raises="RuntimeError: you can only change requires_grad flags of leaf variables. "
    "… detach()",
)
recording(
    "requires-grad-on-non-leaf-true",
    "Setting it to what it is, is allowed.",
    "(torch.ones(1, requires_grad=True) * 2).requires_grad_(True).requires_grad",
)
recording(
    "int-of-a-float-result-is-a-leaf",
    "A conversion to integers ends the record.",
    """
    y = torch.ones(1, requires_grad=True).to(torch.int64)
    (y.requires_grad, y.grad_fn)
    """,
)
recording(
    "reading-grad-of-non-leaf-warns",
    "Reading `.grad` of a result warns, and gives None.",
    """
    y = torch.ones(1, requires_grad=True) * 2
    y.grad
    """,
    warns="UserWarning: The .grad attribute of a Tensor that is not a leaf Tensor is "
    "being accessed … .retain_grad()",
)
recording(
    "numpy-of-a-result-refused",
    "A recorded result refuses `numpy()`.",
    "(torch.ones(1, requires_grad=True) * 2).numpy()",
    raises="RuntimeError: Can't call numpy() on Tensor that requires grad.",
)
recording(
    "item-of-a-result",
    "`item()` is allowed: the number has left the graph.",
    "(torch.tensor(2.0, requires_grad=True) * 3).item()",
)
recording(
    "reciprocal-has-two-nodes",
    "A number over a tensor leaves two nodes.",
    """
    x = torch.ones(2, requires_grad=True)
    y = 2 / x
    ((below, _), *_) = y.grad_fn.next_functions
    (y.grad_fn.name(), below.name())
    """,
)

# ------------------------------------------------------------------------------
asked = Theme(ROWS, 5, "What is it?", "conversions-products-comparisons")
asked(
    "is-tensor",
    "`is_tensor` asks for a tensor, not for what could become one.",
    "(torch.is_tensor(torch.ones(2)), torch.is_tensor([1.0]))",
)
asked(
    "numel-as-a-function",
    "`numel` is also a function.",
    "torch.numel(torch.ones(2, 3))",
)
asked(
    "numel-of-a-number",
    "It is refused what is no tensor.",
    "torch.numel(1)",
    raises="TypeError: numel(): argument 'input' (position 1) must be Tensor, not int",
)
asked(
    "is-floating-point-as-a-function",
    "So is `is_floating_point`.",
    "torch.is_floating_point(torch.tensor([1]))",
)
asked(
    "result-type-of-a-number",
    "A number takes a tensor's dtype if it can: `result_type` says so beforehand.",
    """
    x, k = torch.ones(2, dtype=torch.float16), torch.tensor([1])
    (torch.result_type(x, 1.5), torch.result_type(k, 1.5), torch.result_type(1, True))
    """,
)
asked(
    "result-type-of-a-scalar",
    "A 0-d tensor does not widen an array.",
    "torch.result_type(torch.ones(2), torch.tensor(1.0, dtype=torch.float64))",
)
asked(
    "to-a-device-and-a-dtype",
    "`to` takes a device and a dtype in one call; `copy=True` copies in any case.",
    """
    x = torch.ones(2, requires_grad=True)
    (x.to("cpu", torch.float64), x.to(dtype=torch.int64), x.to(x.dtype, copy=True) is x)
    """,
)
asked(
    "to-a-device",
    "`to` takes a device as well; on the one that it is on, a tensor stays itself.",
    """
    x = torch.ones(2)
    (x.to("cpu") is x, x.to(torch.device("cpu")) is x)
    """,
)
asked(
    "sum-of-bools-with-alpha",
    "The sum of bools is a bool, whatever `alpha` is.",
    """
    mask = torch.tensor([True, False])
    torch.add(mask, mask, alpha=2)
    """,
)
asked(
    "bool-alpha",
    "A bool as `alpha` is for bools only.",
    "torch.add(torch.ones(2), torch.ones(2), alpha=True)",
    raises="RuntimeError: Boolean alpha only supported for Boolean results",
)
asked(
    "bool-as-axis",
    "A bool is no axis.",
    "torch.ones(2, 3).sum(True)",
    raises="TypeError: sum() received an invalid combination of arguments - got (bool)",
)
