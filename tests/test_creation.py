"""minigrad/creation.py: what is copied and what is shared, and every error's advice.

PyTorch's answers to hundreds of calls are compared in test_tensor.py.
"""

import copy
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import minigrad as torch
from minigrad.dtypes import dtype
from minigrad.tensor import Tensor

KINDS = list(dtype.known.values())


SMALL = arrays(
    np.float32,
    array_shapes(min_dims=0, min_side=0),
    elements=st.floats(-9, 9, width=32),
)


@given(SMALL)
def test_nested_lists_and_back(array):
    made = torch.tensor(array.tolist())
    assert made.tolist() == array.tolist()
    if array.size:
        assert made.shape == array.shape and made.dtype is torch.float32


@given(st.sampled_from(KINDS), st.integers(0, 3))
def test_arrays_keep_their_dtype(kind, n):
    array = np.ones((2, n), kind.numpy)
    for make in (torch.tensor, torch.as_tensor, torch.from_numpy):
        made = make(array)
        assert made.dtype is kind and made.shape == (2, n)
        assert made.is_leaf and not made.requires_grad and made.grad is None


def test_what_is_shared_and_what_is_copied():
    array = np.zeros(2, "float32")
    shared = torch.from_numpy(array), torch.as_tensor(array)
    copied = torch.tensor(array), torch.as_tensor(array, dtype=torch.float64)
    array[0] = 1
    assert [x.tolist()[0] for x in shared + copied] == [1, 1, 0, 0]
    shared[0].numpy()[1] = 2
    assert array[1] == 2
    assert torch.as_tensor(shared[0]) is shared[0]
    assert torch.as_tensor(shared[0], dtype=torch.float32) is shared[0]


def test_a_tensor_of_a_tensor_is_a_copy_and_warns():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with pytest.warns(UserWarning, match="recommended to use") as heard:
        y = torch.tensor(x)
    assert heard[0].filename == __file__
    assert y.data_ptr() != x.data_ptr() and not y.requires_grad


def test_a_read_only_array_stays_read_only():
    array = np.zeros(2)
    array.flags.writeable = False
    x = torch.from_numpy(array)
    with pytest.raises(ValueError, match="read-only"):
        x.numpy()[0] = 1


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_makers_take_every_dtype(kind):
    for make in (torch.zeros, torch.ones, torch.empty):
        assert make(2, 3, dtype=kind).dtype is kind
        assert make((2, 3), dtype=kind).shape == make(size=(2, 3)).shape == (2, 3)
    assert torch.full((2,), 1, dtype=kind).dtype is kind
    assert torch.eye(2, dtype=kind).tolist() == np.eye(2, dtype=kind.numpy).tolist()
    x = torch.ones(2, 3, dtype=kind)
    for make in (torch.zeros_like, torch.ones_like, torch.empty_like):
        assert make(x).dtype is kind and make(x).shape == x.shape
        assert make(x, dtype=torch.float64).dtype is torch.float64


def test_likes_take_no_gradient_along():
    x = torch.ones(2, requires_grad=True)
    assert not torch.zeros_like(x).requires_grad
    assert torch.zeros_like(x, requires_grad=True).requires_grad
    assert torch.zeros_like.__name__ == "zeros_like" and torch.zeros_like.__doc__


@given(st.integers(-20, 20), st.integers(-20, 20), st.integers(1, 7), st.booleans())
def test_arange_is_pythons_range(start, end, step, down):
    if down:
        start, end, step = max(start, end), min(start, end), -step
    else:
        start, end = min(start, end), max(start, end)
    assert torch.arange(start, end, step).tolist() == list(range(start, end, step))


@given(st.floats(-9, 9), st.floats(-9, 9), st.integers(2, 40))
def test_linspace_meets_both_ends(start, end, steps):
    made = torch.linspace(start, end, steps, dtype=torch.float64).tolist()
    assert made[0] == start and made[-1] == end and len(made) == steps
    assert np.allclose(made, np.linspace(start, end, steps), rtol=1e-12, atol=1e-12)


def test_deepcopy_and_pickle():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    x.grad = torch.tensor([3.0, 4.0])
    pair = copy.deepcopy([x, x])
    assert pair[0] is pair[1] and pair[0].grad.tolist() == [3, 4]
    assert pair[0].grad is not x.grad and pair[0].data_ptr() != x.data_ptr()
    assert pair[0].requires_grad and pair[0]._node is not x._node
    assert pair[0]._node.variable is pair[0]
    light = copy.copy(x)
    assert light.data_ptr() == x.data_ptr() and light.requires_grad
    stored = pickle.loads(pickle.dumps(x))
    assert stored.tolist() == [1, 2] and stored.requires_grad
    assert light.grad is None and stored.grad is None


def test_copies_of_a_numpy_scalar_do_not_share():
    x = Tensor.__new__(Tensor)
    x._array, x._grad, x._node = np.float32(2), None, None
    twin = copy.deepcopy(x)
    twin.numpy()[()] = 5
    assert x.item() == 2 and copy.copy(x).item() == 2


def test_nothing_leaks_from_numpy():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        torch.tensor([1e300, 1e-300])
        torch.tensor(np.array([1e300, np.nan]), dtype=torch.float16)
        torch.from_numpy(np.array([np.nan, np.inf]))
        torch.tensor(np.array([np.nan, np.inf]), dtype=torch.int64)
        torch.full((2,), 1e300)
        torch.randn(100, dtype=torch.float16)


# what fails, the error, words of its message, what the message advises
ERRORS = [
    (
        "tensor([[1, 2], [3]])",
        ValueError,
        "length 2 at dim 1 (got 1)",
        "tensor([[1], [3]])",
    ),
    ("tensor([[[1], [2, 3]]])", ValueError, "at dim 2", "tensor([[[1], [2]]])"),
    ("tensor([[1, 2], 3])", TypeError, "not a sequence", "tensor([[1, 2], [3, 4]])"),
    ("tensor([1, [2]])", TypeError, "at dim 1: [2]", "tensor([[1], [2]])"),
    ("tensor('1')", TypeError, "invalid data type 'str'", "tensor(float('1'))"),
    ("tensor(['1'])", ValueError, "dimensions 'str'", "tensor([float('1')])"),
    ("tensor(None)", RuntimeError, "NoneType", "tensor(0.0)"),
    ("tensor([1.0, None])", RuntimeError, "NoneType", "tensor([1.0, 0.0])"),
    ("tensor(2**63)", ValueError, "63 bits", "tensor(2**63 - 1)"),
    ("tensor([2**64])", ValueError, "63 bits", "tensor([2.0**64])"),
    (
        "tensor([256], dtype=torch.uint8)",
        RuntimeError,
        "a wider dtype",
        "tensor([256], dtype=torch.int16)",
    ),
    ("tensor(float('nan'), dtype=torch.int64)", RuntimeError, "overflow", "tensor(0)"),
    (
        "tensor([1], requires_grad=True)",
        RuntimeError,
        "dtype=torch.float32",
        "tensor([1], dtype=torch.float32, requires_grad=True)",
    ),
    (
        "zeros(2, requires_grad=1)",
        TypeError,
        "must be bool",
        "zeros(2, requires_grad=True)",
    ),
    ("tensor(np.array(['a']))", TypeError, "float32", "tensor(np.array([1.0]))"),
    ("tensor(np.ones(2, 'uint16'))", TypeError, "uint8", "tensor(np.ones(2, 'uint8'))"),
    (
        "from_numpy(np.ones(2, '>f4'))",
        ValueError,
        "native byte order",
        "from_numpy(np.ones(2, '>f4').astype('f4'))",
    ),
    ("from_numpy([1])", TypeError, "expected np.ndarray", "from_numpy(np.array([1]))"),
    ("tensor([torch.ones(2)])", ValueError, "one element", "tensor([torch.ones(1)])"),
    ("zeros()", TypeError, "zeros(2, 3)", "zeros(2, 3)"),
    ("zeros(2.0)", TypeError, "tuple of ints", "zeros(2)"),
    ("zeros(-1)", RuntimeError, "negative dimension -1", "zeros(1)"),
    ("full((2,), 'a')", TypeError, "must be Number", "full((2,), 1)"),
    ("full(2, 1)", TypeError, "tuple of ints", "full((2,), 1)"),
    (
        "zeros(2, dtype=np.float32)",
        TypeError,
        "torch.dtype",
        "zeros(2, dtype=torch.float32)",
    ),
    ("arange('3')", TypeError, "must be Number", "arange(3)"),
    ("arange(0, float('inf'))", RuntimeError, "unsupported range", "arange(0, 9)"),
    ("arange(0, 3, 0)", RuntimeError, "nonzero", "arange(0, 3, 1)"),
    ("arange(3, 0)", RuntimeError, "step sign", "arange(3, 0, -1)"),
    ("arange(2, dtype=torch.bool)", NotImplementedError, "bool", "arange(2)"),
    ("linspace(0, 1, -1)", RuntimeError, "non-negative", "linspace(0, 1, 1)"),
    ("rand(2, dtype=torch.int64)", NotImplementedError, "int64", "rand(2)"),
    ("randint(5, 5, (2,))", RuntimeError, "less than 'to'", "randint(5, 6, (2,))"),
    (
        "randint(0, 257, (2,), dtype=torch.uint8)",
        RuntimeError,
        "out of bounds",
        "randint(0, 256, (2,), dtype=torch.uint8)",
    ),
    ("zeros_like([1.0])", TypeError, "must be Tensor", "zeros_like(torch.ones(1))"),
    ("full_like([1.0], 2)", TypeError, "must be Tensor", "full_like(torch.ones(1), 2)"),
]


@pytest.mark.parametrize(("bad", "kind", "words", "good"), ERRORS, ids=lambda x: str(x))
def test_errors_say_what_to_do(bad, kind, words, good):
    with pytest.raises(kind) as caught:
        eval(f"torch.{bad}", {"torch": torch, "np": np})
    assert type(caught.value) is kind
    assert words in str(caught.value)
    assert isinstance(eval(f"torch.{good}", {"torch": torch, "np": np}), Tensor)


def test_as_tensor_returns_a_tensor_as_it_is_whatever_its_dtype():
    for kind in (torch.float64, torch.int32, torch.float16):
        x = torch.ones(2, dtype=kind)
        assert torch.as_tensor(x) is x
        assert torch.as_tensor(x, dtype=kind) is x
    assert torch.as_tensor(x, dtype=torch.float32).dtype is torch.float32
