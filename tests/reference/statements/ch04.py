"""What Chapter 4 says: tensors before anything is recorded."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
making = Theme(ROWS, 4, "Making tensors", "how-does-a-tensor-come-into-being")
making(
    "floats-become-float32",
    "Python floats become float32.",
    "torch.tensor([1.0, 2.0]).dtype",
)
making(
    "ints-become-int64",
    "Python ints become int64.",
    "torch.tensor([1, 2]).dtype",
)
making(
    "bools-become-bool",
    "Python bools become bool.",
    "torch.tensor([True, False]).dtype",
)
making(
    "one-float-makes-all-float",
    "One float among ints makes the whole tensor float32.",
    "torch.tensor([1, 2.5, True])",
)
making(
    "one-int-makes-bools-int",
    "One int among bools makes the whole tensor int64.",
    "torch.tensor([True, 2])",
)
making(
    "array-keeps-its-dtype",
    "An array keeps its dtype: NumPy's floats are float64.",
    "torch.tensor(np.array([1.0, 2.0]))",
)
making(
    "numpy-scalar-keeps-its-dtype",
    "So does a NumPy scalar.",
    "torch.tensor(np.float64(1.5))",
)
making(
    "empty-list-is-float",
    "An empty list holds no number to go by, and becomes float32.",
    """
    x = torch.tensor([])
    (x.dtype, x.shape)
    """,
)
making(
    "number-makes-0d",
    "A bare number makes a tensor with no axes.",
    """
    x = torch.tensor(3.0)
    (x.shape, x.dim(), x.numel())
    """,
)
making(
    "tensor-with-dtype",
    "`dtype=` overrules what the data would say.",
    "torch.tensor([1, 2], dtype=torch.float64)",
)
making(
    "python-type-as-dtype",
    "Python's own types stand for dtypes, too.",
    """
    [torch.zeros(1, dtype=d).dtype for d in (float, int, bool)]
    """,
)
making(
    "float-to-int-truncates",
    "Floats asked to be ints are cut off towards zero.",
    "torch.tensor([1.9, -1.9], dtype=torch.int64)",
)
making(
    "ragged-lists-refused",
    "Lists of one level must have one length.",
    "torch.tensor([[1.0, 2.0], [3.0]])",
    raises="ValueError: expected sequence of length 2 at dim 1 (got 1)",
)
making(
    "number-beside-a-list-refused",
    "A number where a list is expected is an error as well.",
    "torch.tensor([[1.0], 2.0])",
    raises="TypeError",
)
making(
    "text-refused",
    "Text is no number.",
    "torch.tensor(['a'])",
    raises="ValueError",
)
making(
    "none-refused",
    "Nor is `None`.",
    "torch.tensor(None)",
    raises="RuntimeError",
)
making(
    "dtype-must-be-a-dtype",
    "A dtype is an object of the library, not its name.",
    "torch.zeros(2, dtype='float32')",
    raises="TypeError: dtype",
)
making(
    "dict-refused",
    "A dictionary is no data.",
    "torch.tensor({'a': 1})",
    raises="RuntimeError: Could not infer dtype of dict",
)
making(
    "too-big-for-int64",
    "An int that 64 bits cannot hold is refused.",
    "torch.tensor(2**63)",
    raises="ValueError: Overflow",
)
making(
    "tensor-copies",
    "`tensor` copies: a later change of the array does not show.",
    """
    a = np.zeros(2)
    x = torch.tensor(a)
    a[0] = 7
    x
    """,
)
making(
    "tensor-of-tensor-warns",
    "A tensor given to `tensor` is copied too, with advice to write `clone`.",
    "torch.tensor(torch.zeros(2))",
    warns="UserWarning: To copy construct from a tensor … clone()",
)
making(
    "tensors-in-a-list",
    "Tensors of one element may stand in a list of numbers.",
    "torch.tensor([torch.tensor(1.0), 2.0])",
)
making(
    "tensors-with-axes-in-a-list",
    "Tensors with more elements may not.",
    "torch.tensor([torch.ones(2), torch.zeros(2)])",
    raises="ValueError: only one element tensors can be converted to Python scalars",
)
making(
    "from-numpy-shares",
    "`from_numpy` shares memory: the change shows.",
    """
    a = np.zeros(2)
    x = torch.from_numpy(a)
    a[0] = 7
    x
    """,
)
making(
    "from-numpy-refuses-lists",
    "It takes arrays and nothing else.",
    "torch.from_numpy([1.0])",
    raises="TypeError: expected np.ndarray (got list)",
)
making(
    "as-tensor-of-a-tensor",
    "`as_tensor` returns a tensor as it is.",
    """
    x = torch.zeros(2)
    torch.as_tensor(x) is x
    """,
)
making(
    "as-tensor-of-an-array-shares",
    "From an array it makes a tensor over the same memory.",
    """
    a = np.zeros(2)
    x = torch.as_tensor(a)
    a[0] = 7
    x
    """,
)
making(
    "as-tensor-other-dtype-copies",
    "With another dtype it has to copy.",
    """
    a = np.zeros(2)
    x = torch.as_tensor(a, dtype=torch.float32)
    a[0] = 7
    x
    """,
)
making(
    "as-tensor-of-a-list",
    "A list is copied.",
    "torch.as_tensor([1, 2])",
)
making(
    "complex-arrays-need-a-dtype-torch-has",
    "An array of objects cannot become a tensor.",
    "torch.tensor(np.array([None, 1]))",
    raises="TypeError: can't convert np.ndarray of type … object",
)
making(
    "zeros",
    "Sizes are given one by one …",
    "torch.zeros(2, 3)",
)
making(
    "zeros-of-a-tuple",
    "… or as one tuple.",
    "torch.zeros((2, 3)).shape",
)
making(
    "zeros-of-a-list",
    "A list will do.",
    "torch.ones([2, 1])",
)
making(
    "zeros-0d",
    "The empty tuple makes one number.",
    "torch.zeros(())",
)
making(
    "zeros-of-a-shape",
    "So will the shape of another tensor.",
    """
    x = torch.ones(2, 3)
    torch.zeros(x.shape).shape
    """,
)
making(
    "negative-size-refused",
    "No axis has a negative length.",
    "torch.zeros(2, -1)",
    raises="RuntimeError: negative",
)
making(
    "zero-length-axis",
    "An axis may have length 0.",
    "torch.zeros(0, 3).numel()",
)
making(
    "full-takes-its-dtype-from-the-number",
    "`full` takes its dtype from the number: 7 gives int64.",
    "torch.full((2,), 7)",
)
making(
    "full-of-a-float",
    "7.0 gives float32.",
    "torch.full((2,), 7.0)",
)
making(
    "full-of-a-bool",
    "`True` gives bool.",
    "torch.full((2,), True)",
)
making(
    "arange-of-ints",
    "`arange` of ints counts in int64.",
    "torch.arange(3)",
)
making(
    "arange-of-floats",
    "One float among its arguments makes it float32; the end is left out.",
    "torch.arange(0, 1, 0.25)",
)
making(
    "arange-down",
    "A negative step counts down.",
    "torch.arange(5, 0, -2)",
)
making(
    "arange-empty",
    "Nothing lies between equal ends.",
    "torch.arange(2, 2)",
)
making(
    "arange-step-zero",
    "A step of zero leads nowhere.",
    "torch.arange(0, 3, 0)",
    raises="RuntimeError: step must be nonzero",
)
making(
    "arange-wrong-way",
    "A step that leads away from the end is an error.",
    "torch.arange(3, 0)",
    raises="RuntimeError: upper bound and",
)
making(
    "arange-negative",
    "So is a negative end, by itself.",
    "torch.arange(-3)",
    raises="RuntimeError: upper bound and",
)
making(
    "linspace",
    "`linspace` includes both ends.",
    "torch.linspace(0, 1, 5)",
)
making(
    "linspace-one-step",
    "One step is the start.",
    "torch.linspace(2, 3, 1)",
)
making(
    "linspace-negative-steps",
    "Fewer steps than none are an error.",
    "torch.linspace(0, 1, -1)",
    raises="RuntimeError: number of steps must be non-negative",
)
making(
    "eye",
    "`eye` is the identity matrix.",
    "torch.eye(2)",
)
making(
    "eye-rectangular",
    "It may be rectangular.",
    "torch.eye(2, 3)",
)
making(
    "eye-negative",
    "It cannot have a negative number of rows.",
    "torch.eye(-1)",
    raises="RuntimeError: -1",
)
making(
    "zeros-size-keyword",
    "`size=` names the sizes.",
    "torch.zeros(size=(2, 1))",
)
making(
    "zeros-like-keeps-shape-and-dtype",
    "`zeros_like` takes shape and dtype from its argument …",
    "torch.zeros_like(torch.ones(2, dtype=torch.float64))",
)
making(
    "ones-like-forgets-requires-grad",
    "… but not `requires_grad`.",
    "torch.ones_like(torch.zeros(2, requires_grad=True)).requires_grad",
)
making(
    "full-like-keeps-dtype",
    "`full_like` keeps the dtype: 2.5 in an int tensor is 2.",
    "torch.full_like(torch.ones(2, dtype=torch.int64), 2.5)",
)
making(
    "like-with-dtype",
    "`dtype=` overrules.",
    "torch.zeros_like(torch.ones(2, dtype=torch.int64), dtype=torch.float32)",
)
making(
    "like-needs-a-tensor",
    "A list is nothing to be like.",
    "torch.zeros_like([1.0])",
    raises="TypeError: argument 'input' … must be Tensor, not list",
)

making(
    "numpy-numbers-in-a-list-keep-their-dtype",
    "NumPy's numbers in a list bring their dtype along.",
    """
    rows = [np.int32(3)], [np.uint8(3)], [np.float64(3), 1]
    [torch.tensor(row) for row in rows]
    """,
)
making(
    "numpy-integers-in-a-list-meet",
    "Where several meet, the widest wins.",
    "torch.tensor([np.int16(3), np.int32(1)]).dtype",
)
# ------------------------------------------------------------------------------
drawing = Theme(
    ROWS,
    4,
    "Random numbers",
    "can-two-libraries-draw-the-same-random-numbers",
)

drawing(
    "rand-is-in-the-unit-interval",
    "`rand` draws from [0, 1).",
    """
    x = torch.rand(1000).numpy()
    (bool((x >= 0).all()), bool((x < 1).all()))
    """,
)
drawing(
    "seed-repeats",
    "The same seed gives the same numbers.",
    """
    torch.manual_seed(0)
    first = torch.randn(3).tolist()
    torch.manual_seed(0)
    first == torch.randn(3).tolist()
    """,
)
drawing(
    "draws-differ",
    "Without a new seed, the next draw differs.",
    """
    torch.manual_seed(0)
    torch.randn(3).tolist() == torch.randn(3).tolist()
    """,
)
drawing(
    "randn-is-float32",
    "`randn` draws float32 unless told otherwise.",
    "(torch.randn(2).dtype, torch.randn(2, dtype=torch.float64).dtype)",
)
drawing(
    "randn-like",
    "`randn_like` takes shape and dtype from its argument.",
    """
    x = torch.randn_like(torch.ones(2, 3, dtype=torch.float64))
    (x.shape, x.dtype)
    """,
)
drawing(
    "randint",
    "`randint` draws whole numbers below its upper end.",
    """
    x = torch.randint(0, 3, (100,))
    (x.dtype, sorted(set(x.tolist())))
    """,
)
drawing(
    "randint-one-bound",
    "With one bound it starts at 0.",
    "torch.randint(3, (2, 2)).shape",
)
drawing(
    "randint-empty-range",
    "There is no whole number from 5 up to 5.",
    "torch.randint(5, 5, (2,))",
    raises="RuntimeError: to be less than 'to', but got from=5 >= to=5",
)
drawing(
    "randn-of-ints",
    "There are no normal ints.",
    "torch.randn(2, dtype=torch.int64)",
    raises="NotImplementedError",
)
drawing(
    "manual-seed-gives-torchs-numbers",
    "Seed 0 draws these numbers.",
    """
    torch.manual_seed(0)
    (torch.rand(3), torch.randn(3), torch.randint(0, 10, (5,)))
    """,
)
drawing(
    "randn-of-many",
    "Sixteen and more are drawn in another way, with other numbers.",
    """
    torch.manual_seed(0)
    torch.randn(16)
    """,
)
drawing(
    "randn-of-float16",
    "float16 draws whole blocks only, and then the last sixteen again.",
    """
    torch.manual_seed(0)
    some = torch.randn(20, dtype=torch.float16)
    [round(z, 2) for z in some.tolist()[2:6]], torch.rand(1)
    """,
)

# ------------------------------------------------------------------------------
kinds = Theme(ROWS, 4, "Kinds of number", "which-numbers-can-have-a-slope")

kinds(
    "float-dtypes-have-two-names",
    "`float` is float32, `double` float64, `half` float16, `long` int64.",
    """
    (torch.float, torch.double, torch.half, torch.long, torch.int)
    """,
)
kinds(
    "dtype-repr",
    "A dtype prints with its module.",
    "torch.float64",
)
kinds(
    "dtype-is-floating-point",
    "A dtype knows whether it is a float.",
    """
    kinds = (torch.float16, torch.int64, torch.bool)
    [kind.is_floating_point for kind in kinds]
    """,
)
kinds(
    "dtype-itemsize",
    "And how many bytes a number takes.",
    "(torch.float32.itemsize, torch.int64.itemsize, torch.bool.itemsize)",
)
kinds(
    "integer-overflow-in-the-data",
    "A number that the dtype cannot hold is an error.",
    "torch.tensor(300, dtype=torch.uint8)",
    raises="RuntimeError: value cannot be converted to type uint8 without overflow",
)
kinds(
    "default-dtype",
    "The dtype of which nothing is said is float32.",
    "torch.get_default_dtype()",
)
kinds(
    "promote-types-level",
    "A float wins over an integer, however wide that is.",
    "torch.promote_types(torch.float16, torch.int64)",
)
kinds(
    "promote-types-bytes",
    "uint8 and int8 meet in int16, which holds both.",
    "torch.promote_types(torch.uint8, torch.int8)",
)


# ------------------------------------------------------------------------------
asking = Theme(
    ROWS,
    4,
    "Shape, size and the way back to Python",
    "what-does-the-array-already-know",
)
asking(
    "shape-prints-as-size",
    "A shape prints as `torch.Size`.",
    "torch.zeros(2, 3).shape",
)
asking(
    "shape-is-a-tuple",
    "It is a tuple.",
    """
    s = torch.zeros(2, 3).shape
    (s == (2, 3), isinstance(s, tuple), s[0])
    """,
)
asking(
    "shape-numel",
    "It knows how many elements that is.",
    "torch.zeros(2, 3).shape.numel()",
)
asking(
    "size-is-shape",
    "`size()` is the shape, `size(0)` one length.",
    """
    x = torch.zeros(2, 3)
    (x.size(), x.size(0), x.size(-1))
    """,
)
asking(
    "size-out-of-range",
    "There is no third axis in a matrix.",
    "torch.zeros(2, 3).size(2)",
    raises="IndexError: Dimension out of range (expected to be in range of [-2, 1], "
    "but got 2)",
)
asking(
    "ndim-and-numel",
    "The number of axes and of elements.",
    """
    x = torch.zeros(2, 3)
    (x.ndim, x.dim(), x.numel(), x.nelement())
    """,
)
asking(
    "len",
    "`len` is the length of the first axis.",
    "len(torch.zeros(2, 3))",
)
asking(
    "len-of-0d",
    "A 0-d tensor has no length.",
    "len(torch.tensor(1.0))",
    raises="TypeError: len() of a 0-d tensor",
)
asking(
    "item-float",
    "`item()` gives a Python float …",
    """
    v = torch.tensor(1.5).item()
    (v, type(v))
    """,
)
asking(
    "item-int",
    "… a Python int …",
    """
    v = torch.tensor(3).item()
    (v, type(v))
    """,
)
asking(
    "item-bool",
    "… or a Python bool.",
    """
    v = torch.tensor(True).item()
    (v, type(v))
    """,
)
asking(
    "item-of-one-element",
    "One element is enough, whatever the number of axes.",
    "torch.tensor([[2.5]]).item()",
)
asking(
    "item-float32-shows-its-digits",
    "A float32 shows what it really holds.",
    "torch.tensor(0.1).item()",
)
asking(
    "item-keeps-requires-grad-out",
    "`item()` works on a tensor that requires grad.",
    "torch.tensor(2.0, requires_grad=True).item()",
)
asking(
    "item-of-many",
    "Several elements are not one number.",
    "torch.zeros(3).item()",
    raises="RuntimeError: a Tensor with 3 elements cannot be converted to Scalar",
)
asking(
    "item-of-none",
    "Nor is none.",
    "torch.zeros(0).item()",
    raises="RuntimeError: a Tensor with 0 elements cannot be converted to Scalar",
)
asking(
    "tolist",
    "`tolist()` gives nested lists of Python numbers.",
    "torch.tensor([[1, 2], [3, 4]]).tolist()",
)
asking(
    "tolist-of-0d",
    "For a 0-d tensor it gives the number.",
    "torch.tensor(2.5).tolist()",
)
asking(
    "float-and-int-convert",
    "`float` and `int` convert a tensor of one element.",
    "(float(torch.tensor([2.5])), int(torch.tensor(2.9)))",
)
asking(
    "float-of-grad-warns",
    "On a tensor that requires grad, `float` warns that the record ends here.",
    "float(torch.tensor(2.5, requires_grad=True))",
    warns="UserWarning: Converting a tensor with requires_grad=True to a scalar",
)
asking(
    "int-of-grad",
    "`int` does not.",
    "int(torch.tensor(2.5, requires_grad=True))",
)
asking(
    "float-of-many",
    "They refuse several.",
    "float(torch.zeros(2))",
    raises="ValueError: only one element tensors can be converted to Python scalars",
)
asking(
    "bool-of-one",
    "A tensor of one element is true if it is not zero.",
    "(bool(torch.tensor(0.0)), bool(torch.tensor([2.0])))",
)
asking(
    "bool-of-many",
    "Whether several are true is ambiguous.",
    "bool(torch.zeros(2))",
    raises="RuntimeError: Boolean value of Tensor with more than one value is "
    "ambiguous",
)
asking(
    "bool-of-none",
    "And so are none.",
    "bool(torch.zeros(0))",
    raises="RuntimeError: Boolean value of Tensor with no values is ambiguous",
)
asking(
    "index",
    "An integer tensor of one element can index a list.",
    "[10, 20, 30][torch.tensor(1)]",
)
asking(
    "index-of-float",
    "A float tensor cannot.",
    "[10, 20, 30][torch.tensor(1.0)]",
    raises="TypeError: only integer tensors of a single element can be converted to "
    "an index",
)
asking(
    "format-of-0d",
    "A 0-d tensor takes a number's format.",
    "f'{torch.tensor(3.14159):.2f}'",
)
asking(
    "format-without-spec",
    "Without one it prints its value, too.",
    "f'{torch.tensor(2.5)}'",
)
asking(
    "format-of-many",
    "Several elements have no such format.",
    "f'{torch.zeros(2):.2f}'",
    raises="TypeError: unsupported format string",
)
asking(
    "numpy-shares",
    "`numpy()` shares memory.",
    """
    x = torch.zeros(2)
    x.numpy()[0] = 7
    x
    """,
)
asking(
    "numpy-refuses-requires-grad",
    "It refuses a tensor that requires grad: writes would go unnoticed.",
    "torch.zeros(2, requires_grad=True).numpy()",
    raises="RuntimeError: Can't call numpy() on Tensor that requires grad. … "
    "tensor.detach().numpy()",
)
asking(
    "numpy-after-detach",
    "The advice of that message works.",
    "torch.ones(2, requires_grad=True).detach().numpy()",
)
asking(
    "np-asarray",
    "`np.asarray` takes a tensor.",
    "np.asarray(torch.ones(2)).dtype",
)
asking(
    "np-asarray-refuses-requires-grad",
    "With `requires_grad`, that is refused as well.",
    "np.asarray(torch.ones(2, requires_grad=True))",
    raises="RuntimeError: Can't call numpy() on Tensor that requires grad.",
)
asking(
    "numpy-force",
    "`numpy(force=True)` detaches by itself.",
    "torch.ones(2, requires_grad=True).numpy(force=True)",
)
asking(
    "numpy-of-0d",
    "The array of a 0-d tensor is 0-d.",
    "torch.tensor(2.5).numpy()",
)
asking(
    "is-floating-point",
    "Only floats can have gradients; this asks.",
    "(torch.zeros(1).is_floating_point(), torch.arange(1).is_floating_point())",
)
asking(
    "element-size",
    "Bytes per element.",
    "(torch.zeros(1).element_size(), torch.arange(1).element_size())",
)
asking(
    "isinstance",
    "All of them are `torch.Tensor`.",
    "isinstance(torch.zeros(1), torch.Tensor)",
)
asking(
    "tensors-are-hashable",
    "Tensors can be keys: each is itself, whatever it holds.",
    """
    x = torch.zeros(2)
    {x: 'found'}[x]
    """,
)
asking(
    "hash-is-identity",
    "Equal numbers do not make equal keys.",
    "len({torch.zeros(2): 1, torch.zeros(2): 2})",
)

# ------------------------------------------------------------------------------
printing = Theme(ROWS, 4, "How tensors print", "how-does-a-tensor-print")
printing(
    "repr-whole-floats",
    "Whole floats print with a bare point.",
    "torch.tensor([1.0, 2.0])",
)
printing(
    "repr-four-digits",
    "Others with four digits.",
    "torch.tensor([1.0, 2.5, 3.14159])",
)
printing(
    "repr-0d",
    "A 0-d tensor has no brackets.",
    "torch.tensor(2.5)",
)
printing(
    "repr-0d-whole",
    "And keeps its point.",
    "torch.tensor(2.0)",
)
printing(
    "repr-ints",
    "Ints are set flush right.",
    "torch.tensor([1, -20, 300])",
)
printing(
    "repr-bools",
    "So are bools.",
    "torch.tensor([True, False])",
)
printing(
    "repr-matrix",
    "Rows go below one another.",
    "torch.tensor([[1.0, -2.0], [30.0, 4.0]])",
)
printing(
    "repr-3d",
    "Matrices are set apart by an empty line.",
    "torch.ones(2, 2, 2)",
)
printing(
    "repr-empty",
    "An empty vector.",
    "torch.tensor([])",
)
printing(
    "repr-empty-matrix",
    "An empty matrix says its size.",
    "torch.zeros(0, 3)",
)
printing(
    "repr-empty-int",
    "Without numbers, even int64 is said.",
    "torch.tensor([], dtype=torch.int64)",
)
printing(
    "repr-dtype-float64",
    "A dtype that cannot be read off the numbers is said.",
    "torch.tensor([1.0], dtype=torch.float64)",
)
printing(
    "repr-dtype-int32",
    "int32 is said, int64 is not.",
    "torch.tensor([1], dtype=torch.int32)",
)
printing(
    "repr-dtype-float16",
    "So is float16.",
    "torch.tensor([1.0], dtype=torch.float16)",
)
printing(
    "repr-uint8",
    "And uint8.",
    "torch.tensor([1, 200], dtype=torch.uint8)",
)
printing(
    "repr-requires-grad",
    "`requires_grad` is said.",
    "torch.tensor([1.0], requires_grad=True)",
)
printing(
    "repr-dtype-and-requires-grad",
    "After the dtype, where both are said.",
    "torch.tensor([1.0], dtype=torch.float64, requires_grad=True)",
)
printing(
    "repr-requires-grad-0d",
    "On a 0-d tensor as well.",
    "torch.tensor(1.0, requires_grad=True)",
)
printing(
    "repr-nan-inf",
    "nan and inf.",
    "torch.tensor([1.0, float('nan'), float('inf'), -float('inf')])",
)
printing(
    "repr-nan-alone",
    "nan has no point.",
    "torch.tensor(float('nan'))",
)
printing(
    "repr-nan-with-fraction",
    "nan beside a fraction is padded.",
    "torch.tensor([0.5, float('nan')])",
)
printing(
    "repr-small",
    "Small numbers switch the whole tensor to powers of ten.",
    "torch.tensor([1e-5, 1.0])",
)
printing(
    "repr-wide-range",
    "So does a range of more than a thousand.",
    "torch.tensor([0.5, 2000.0])",
)
printing(
    "repr-big",
    "And a number above 10⁸.",
    "torch.tensor([1.0, 2e9])",
)
printing(
    "repr-1e8-is-whole",
    "10⁸ itself is still whole.",
    "torch.tensor(1e8)",
)
printing(
    "repr-minus-zero",
    "Minus zero shows its sign.",
    "torch.tensor([-0.0, 0.0])",
)
printing(
    "repr-zero-and-fraction",
    "Zero does not count for the range.",
    "torch.tensor([0.0, 0.001])",
)
printing(
    "repr-1e-4",
    "Just above 10⁻⁴ is not small yet.",
    "torch.tensor([1.1e-4])",
)
printing(
    "repr-long-vector",
    "A long vector breaks at 80 columns.",
    "torch.arange(30)",
)
printing(
    "repr-long-vector-of-floats",
    "Floats, too.",
    "torch.linspace(0, 1, 20)",
)
printing(
    "repr-ellipsis",
    "More than 1000 elements: the ends only.",
    "torch.arange(1001)",
)
printing(
    "repr-thousand",
    "1000 elements are shown in full.",
    "repr(torch.zeros(1000)).count('0.')",
)
printing(
    "repr-ellipsis-matrix",
    "In every axis longer than six.",
    "torch.zeros(40, 30)",
)
printing(
    "repr-ellipsis-keeps-short-axes",
    "A short axis stays whole.",
    "torch.ones(2, 600)",
)
printing(
    "repr-long-suffix",
    "A suffix that does not fit goes on a new line.",
    "torch.tensor([0.123] * 8, dtype=torch.float64, requires_grad=True)",
)
printing(
    "str-is-repr",
    "`str` is `repr`.",
    """
    x = torch.tensor([1.0, 2.0])
    str(x) == repr(x)
    """,
)
printing(
    "print-inside-list",
    "A list shows its tensors in full.",
    "[torch.tensor(1.0), torch.tensor([2])]",
)
printing(
    "repr-4d",
    "Four axes: two empty lines between.",
    "torch.zeros(2, 1, 1, 2)",
)
printing(
    "repr-size-zero-3d",
    "Empty with three axes.",
    "torch.zeros(2, 0, 3)",
)
printing(
    "repr-bool-matrix",
    "A matrix of bools.",
    "torch.tensor([[True, False], [False, True]])",
)
printing(
    "repr-float16-fraction",
    "float16 with fractions.",
    "torch.tensor([0.1, 2.0], dtype=torch.float16)",
)
printing(
    "repr-float64-fraction",
    "float64 is shown with four digits as well.",
    "torch.tensor([1 / 3, 2 / 3], dtype=torch.float64)",
)

# ------------------------------------------------------------------------------
leaves = Theme(
    ROWS,
    4,
    "The five attributes of a new tensor",
    "what-does-a-tensor-have-to-remember",
)
leaves(
    "new-tensor-attributes",
    "A new tensor is a leaf without history, gradient or wish for one.",
    """
    x = torch.tensor(1.0)
    (x.requires_grad, x.grad, x.grad_fn, x.is_leaf)
    """,
)
leaves(
    "new-tensor-that-requires-grad",
    "With `requires_grad=True` it is still a leaf; its `.grad` is None, not zero.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    (x.requires_grad, x.grad, x.grad_fn, x.is_leaf)
    """,
)
leaves(
    "makers-take-requires-grad",
    "Every maker takes `requires_grad=`.",
    """
    made = (
        torch.zeros(2, requires_grad=True),
        torch.full((2,), 1.0, requires_grad=True),
        torch.eye(2, requires_grad=True),
        torch.arange(2.0, requires_grad=True),
        torch.linspace(0, 1, 2, requires_grad=True),
        torch.rand(2, requires_grad=True),
        torch.randn(2, 3, requires_grad=True),
    )
    [(x.requires_grad, x.is_leaf) for x in made]
    """,
)
leaves(
    "like-takes-requires-grad",
    "So do the `_like` makers.",
    "torch.ones_like(torch.zeros(2), requires_grad=True)",
)
leaves(
    "requires-grad-method",
    "`requires_grad_()` sets the flag and returns the tensor.",
    """
    x = torch.zeros(2)
    (x.requires_grad_() is x, x.requires_grad)
    """,
)
leaves(
    "requires-grad-method-false",
    "`requires_grad_(False)` clears it.",
    "torch.zeros(2, requires_grad=True).requires_grad_(False).requires_grad",
)
leaves(
    "requires-grad-attribute",
    "The attribute can be assigned on a leaf.",
    """
    x = torch.zeros(2)
    x.requires_grad = True
    x
    """,
)
leaves(
    "requires-grad-is-no-method",
    "`x.requires_grad(True)` calls a bool: the method has an underscore.",
    """
    x = torch.from_numpy(np.array([1.0, 2.0, 3.0]))
    x.requires_grad(True)
    """,
    raises="TypeError: 'bool' object is not callable",
)
leaves(
    "from-numpy-then-requires-grad",
    "This is what was meant.",
    """
    x = torch.from_numpy(np.array([1.0, 2.0, 3.0]))
    x.requires_grad_(True)
    """,
)
leaves(
    "ints-cannot-require-grad",
    "Integers have no gradient.",
    "torch.tensor([1, 2], requires_grad=True)",
    raises="RuntimeError: Only Tensors of floating point … dtype can require gradients",
)
leaves(
    "bools-cannot-require-grad",
    "Nor have bools.",
    "torch.tensor([True], requires_grad=True)",
    raises="RuntimeError: Only Tensors of floating point … dtype can require gradients",
)
leaves(
    "ints-refuse-requires-grad-method",
    "The method refuses them in its own words.",
    "torch.tensor([1, 2]).requires_grad_()",
    raises="RuntimeError: only Tensors of floating point … dtype can require gradients",
)
leaves(
    "ints-refuse-requires-grad-attribute",
    "And so does the attribute.",
    """
    x = torch.tensor([1, 2])
    x.requires_grad = True
    """,
    raises="RuntimeError: only Tensors of floating point … dtype can require gradients",
)
leaves(
    "ints-do-not-require-grad-quietly",
    "Asking an integer tensor for no gradient is fine.",
    "torch.tensor([1, 2]).requires_grad_(False).requires_grad",
)
leaves(
    "ints-ones-refuse",
    "Makers refuse integers as well.",
    "torch.ones(3, dtype=torch.int64, requires_grad=True)",
    raises="RuntimeError: Only Tensors of floating point … dtype can require gradients",
)
leaves(
    "arange-ints-refuse",
    "`arange(3)` counts in ints, so it refuses too.",
    "torch.arange(3, requires_grad=True)",
    raises="RuntimeError: Only Tensors of floating point … dtype can require gradients",
)
leaves(
    "requires-grad-is-a-bool",
    "`requires_grad=` is True or False, not 1.",
    "torch.ones(2, requires_grad=1)",
    raises="TypeError: must be bool, not int",
)
leaves(
    "requires-grad-method-is-a-bool",
    "The method says the same.",
    "torch.ones(2).requires_grad_('yes')",
    raises="TypeError: must be bool, not str",
)
leaves(
    "is-leaf-is-read-only",
    "`is_leaf` can be read, not set.",
    """
    x = torch.zeros(2)
    x.is_leaf = False
    """,
    raises="AttributeError",
)
leaves(
    "grad-fn-is-read-only",
    "Nor can `grad_fn`.",
    """
    x = torch.zeros(2)
    x.grad_fn = None
    """,
    raises="AttributeError",
)
leaves(
    "shape-is-read-only",
    "Nor `shape`.",
    """
    x = torch.zeros(2)
    x.shape = (1, 2)
    """,
    raises="AttributeError",
)
leaves(
    "tensor-of-grad-tensor-is-new-leaf",
    "A copy made by `tensor` starts without the flag.",
    "torch.tensor(torch.ones(2, requires_grad=True))",
    warns="UserWarning: To copy construct from a tensor",
)
leaves(
    "as-tensor-keeps-the-tensor",
    "`as_tensor` keeps the very tensor, flag and all.",
    "torch.as_tensor(torch.ones(2, requires_grad=True)).requires_grad",
)
leaves(
    "half-can-require-grad",
    "float16 and float64 are floats: both may.",
    """
    kinds = (torch.float16, torch.float64)
    [torch.zeros(1, dtype=d, requires_grad=True) for d in kinds]
    """,
)

# ------------------------------------------------------------------------------
grads = Theme(ROWS, 4, "Assigning .grad", "how-does-one-slot-answer-three-questions")
grads(
    "assign-grad",
    "`.grad` can be assigned on a leaf.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.ones(2)
    x.grad
    """,
)
grads(
    "assign-grad-keeps-the-object",
    "The very tensor is kept.",
    """
    x = torch.zeros(2, requires_grad=True)
    g = torch.ones(2)
    x.grad = g
    x.grad is g
    """,
)
grads(
    "assign-grad-none",
    "None clears it.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.ones(2)
    x.grad = None
    x.grad
    """,
)
grads(
    "assign-grad-without-requires-grad",
    "Even a tensor that requires none may hold one.",
    """
    x = torch.zeros(2)
    x.grad = torch.ones(2)
    x.grad
    """,
)
grads(
    "assign-grad-wrong-shape",
    "Its shape must be the tensor's.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.ones(3)
    """,
    raises="RuntimeError: assign a gradient of size '[3]' to a tensor of size '[2]'",
)
grads(
    "assign-grad-wrong-dtype",
    "So must its dtype.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.ones(2, dtype=torch.float64)
    """,
    raises="RuntimeError: attempting to assign a gradient with dtype … must match",
)
grads(
    "assign-grad-a-number",
    "A number is no gradient.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = 1.0
    """,
    raises="TypeError: assigned grad expected to be a Tensor or None but got grad of "
    "type … float",
)
grads(
    "assign-grad-a-list",
    "Nor is a list.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = [1.0, 1.0]
    """,
    raises="TypeError: assigned grad expected to be a Tensor or None",
)
grads(
    "assign-grad-itself",
    "A tensor cannot be its own gradient.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = x
    """,
    raises="RuntimeError: can't assign Variable as its own grad",
)
grads(
    "failed-assignment-changes-nothing",
    "A refused assignment leaves the old gradient.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.grad = torch.ones(2)
    try:
        x.grad = torch.ones(3)
    except RuntimeError:
        pass
    x.grad
    """,
)

# ------------------------------------------------------------------------------
around = Theme(ROWS, 4, "What programs ask beforehand", "does-it-run-as-pytorch-does")
around(
    "device-is-the-processor",
    "The numbers are on the device `cpu`, and `cpu()` returns the tensor itself.",
    """
    x = torch.ones(2)
    cpu = torch.device("cpu")
    (x.device, str(x.device), x.device.type, x.device == cpu, x.cpu() is x)
    """,
)
around(
    "makers-take-a-device",
    "What makes a tensor takes `device=`, and so do its variants for another tensor.",
    """
    cpu = torch.device("cpu")
    x = torch.ones(2, device="cpu", requires_grad=True)
    (x, torch.tensor([1.0], device=cpu), torch.zeros_like(x, device=cpu))
    """,
)
around(
    "new-tensors-of-the-same-kind",
    "`new_zeros` and its like take the dtype of a tensor, and nothing else of it.",
    """
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    (x.new_zeros(2, 1), x.new_tensor([1, 2]), x.new_full((1,), 3), x.is_cuda)
    """,
)
around(
    "unknown-device",
    "A device of another name is refused.",
    "torch.device('processor')",
    raises="RuntimeError: Expected one of cpu … at start of device string: processor",
)
around(
    "four-numbers",
    "`torch.inf`, `nan`, `pi` and `e` are Python's own.",
    "(torch.inf, torch.nan, torch.pi, torch.e)",
)
