"""minigrad/ops.py and minigrad/operands.py against PyTorch and against arithmetic.

Most of what is tested here was recorded from PyTorch: `tests/reference/record_ops.py`
holds more than a thousand expressions, ops.json what PyTorch answered.
"""

import gc
import json
import math
import pickle
import threading
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from minigrad.dtypes import dtype
from minigrad.numerical import numerical_vjp
from minigrad.operands import mismatch, operand, power, quietly, run
from minigrad.tensor import AccumulateGrad, Tensor
from tests.reference.record_ops import answer

RECORDED = json.loads(
    Path(__file__).parent.joinpath("reference/ops.json").read_text(encoding="utf-8")
)[1:]
UNLIKE = {  # expressions that minigrad answers otherwise, and why
    "col.expand(2, -2)": "PyTorch overflows; minigrad names the length",
    "s.expand(-1)": "PyTorch overflows; minigrad names the length",
}
PRECISION = {"torch.float16": 2e-3, "torch.float32": 3e-6, "torch.float64": 1e-13}


def gist(message: str) -> str:
    """The words of an error message by which one would search for it."""
    return message[:50].split("(")[0].strip()


def near(found, expected, within: float) -> bool:
    """Whether two numbers agree; inf and nan are written as text."""
    if isinstance(found, str) or isinstance(expected, str):
        return found == expected
    return math.isclose(found, expected, rel_tol=within, abs_tol=within * 1e-2)


@pytest.mark.parametrize(
    ("expression", "expected"), RECORDED, ids=[row[0] for row in RECORDED]
)
def test_answers_as_pytorch_does(expression, expected):
    found = answer(torch, expression)
    if expression in UNLIKE:
        assert found != expected, "no difference any longer: strike it off the list"
    elif "error" in expected:
        assert found.get("error") == expected["error"], found
        assert gist(expected["message"]) in found["message"]
    elif "values" in expected:
        values, numbers = found.pop("values", None), expected["values"]
        assert found == {k: v for k, v in expected.items() if k != "values"}
        within = PRECISION.get(expected["dtype"], 0)
        assert len(values) == len(numbers)
        assert all(near(*pair, within) for pair in zip(values, numbers, strict=True))
    else:
        assert found == expected


def test_enough_was_recorded():
    kinds = ["error" in row[1] for row in RECORDED]
    assert len(kinds) >= 300
    assert sum(kinds) >= 100


def test_the_comparison_notices_differences():
    assert not near(1.0, 1.0001, PRECISION["torch.float32"])
    assert not near("nan", 1.0, 1.0)
    assert near("inf", "inf", 0)


# ------------------------------------------------------------------ gradients, one step

UNARY = {
    "neg": lambda x: -x,
    "exp": lambda x: x.exp(),
    "log": lambda x: x.log(),
    "tanh": lambda x: x.tanh(),
    "relu": lambda x: (x - 1.0).relu(),
    "clone": lambda x: x.clone(),
    "sum": lambda x: x.sum(),
    "sum of the last axis": lambda x: x.sum(-1),
    "sum, keepdim": lambda x: x.sum(0, keepdim=True),
    "number minus": lambda x: 2 - x,
    "number over": lambda x: 2 / x,
    "plus number": lambda x: x + 2,
    "over number": lambda x: x / 4,
    "cube": lambda x: x**3,
    "power 0": lambda x: x**0,
    "root": lambda x: x**0.5,
    "power of a number": lambda x: 2**x,
    "power of 0": lambda x: 0**x,
    "view": lambda x: x.view(-1),
    "reshape": lambda x: x.reshape(-1),
    "transpose": lambda x: x.transpose(0, -1),
    "t": lambda x: x.t(),
    "reshape of a transpose": lambda x: x.t().reshape(-1),
    "contiguous": lambda x: x.t().contiguous(),
    "expand": lambda x: x.expand(4, *x.shape),
    "to float32 and back": lambda x: (x.to(torch.float32) * 2).double(),
}
BINARY = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "mul": lambda x, y: x * y,
    "div": lambda x, y: x / y,
    "pow": lambda x, y: x**y,
    "add, alpha": lambda x, y: torch.add(x, y, alpha=3),
    "sub, alpha": lambda x, y: torch.sub(x, y, alpha=0.5),
}
SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (2, 3)),
    ((2, 1), (1, 3)),
    ((), (2, 3)),
    ((2, 3), ()),
    ((), ()),
    ((0, 3), (3,)),
    ((4, 1, 2), (3, 1)),
    ((1,), (0,)),
]
rng = np.random.default_rng(5)


def leaf(shape):
    """A leaf of float64 numbers between 0.5 and 2."""
    numbers = np.asarray(rng.uniform(0.5, 2.0, shape))
    return torch.from_numpy(numbers).requires_grad_()


def walk(result, g):
    """Carry g back to the leaves of a chain; None where a leaf is not reached."""
    node = result.grad_fn
    node.g = g
    while node is not None and type(node) is not AccumulateGrad:
        node.discover([])
        node.step([], keep=True)
        node = next((n for n, _ in node.next_functions if n is not None), None)


def compare(function, *operands, within=1e-6):
    """The cotangents that nodes send back, against central differences."""
    result = function(*operands)
    g = np.asarray(rng.standard_normal(result._array.shape))
    walk(result, g)
    arrays = [np.asarray(x._array) for x in operands]
    for k, x in enumerate(operands):

        def only(array, k=k):
            given = [*arrays[:k], array, *arrays[k + 1 :]]
            plain = function(*(torch.from_numpy(np.asarray(a)) for a in given))
            return np.asarray(plain._array)

        expected = numerical_vjp(only, arrays[k], g)
        assert np.shape(x._node.g) == arrays[k].shape
        assert np.asarray(x._node.g).dtype == arrays[k].dtype
        np.testing.assert_allclose(x._node.g, expected, rtol=1e-4, atol=within)


@pytest.mark.parametrize("shape", [(), (3,), (2, 3), (0, 3)], ids=str)
@pytest.mark.parametrize("name", UNARY)
def test_one_operand(name, shape):
    tolerance = 1e-1 if "float32" in name else 1e-6
    compare(UNARY[name], leaf(shape), within=tolerance)


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name, shapes):
    compare(BINARY[name], *map(leaf, shapes))


@pytest.mark.parametrize(
    "shapes",
    [
        ((2, 3), (3, 4)),
        ((2, 2), (2, 2)),
        ((5, 2, 2), (2, 2)),
        ((4, 1, 2, 3), (5, 3, 2)),
    ],
    ids=str,
)
def test_matrix_products(shapes):
    compare(lambda x, y: x @ y, *map(leaf, shapes))


@pytest.mark.parametrize("name", ["mul", "add", "sub", "div", "pow"])
def test_a_cotangent_has_its_own_operands_dtype(name):
    single = torch.rand(2, 3, requires_grad=True)
    double = torch.rand(3, dtype=torch.float64, requires_grad=True)
    result = BINARY[name](single, double)
    assert result.dtype is torch.float64
    walk(result, np.ones((2, 3)))
    assert single._node.g.dtype == np.float32
    assert double._node.g.dtype == np.float64
    assert single._node.g.shape == (2, 3) and double._node.g.shape == (3,)


def test_a_power_of_zero_is_flat_at_zero():
    x = torch.tensor([0.0, 2.0], requires_grad=True)
    walk(x**0, np.ones(2, np.float32))
    assert x._node.g.tolist() == [0.0, 0.0]


def test_large_integers_become_exact_doubles():
    n = 2**40 + 1
    assert torch.tensor([n]).to(torch.float64).item() == n
    assert torch.tensor([n]).double().grad_fn is None


def test_results_without_axes_keep_their_history():
    x = torch.tensor(2.0, requires_grad=True)
    product = x * x  # its array is a NumPy scalar
    for result in (1 - product, 1 / product, 2**product, product**2, +product):
        assert result.requires_grad
    assert (1 - product).grad_fn.next_functions[0][0] is product.grad_fn


# ------------------------------------------------------------------ numbers


def test_numbers_are_remembered_and_not_confused():
    x = torch.tensor([1.0])
    assert operand(3, x) is operand(3, x)
    assert operand(1, x).dtype is operand(1.0, x).dtype is torch.float32
    assert operand(True, x).dtype is dtype.known[np.dtype(bool)]
    assert [bool(np.signbit(operand(z, x)._array)) for z in (-0.0, 0.0)] == [
        True,
        False,
    ]
    whole = torch.tensor([1])
    assert operand(1, whole).dtype is torch.int64
    assert operand(1.0, whole).dtype is torch.float32


def test_a_number_is_held_as_its_neighbour_is():
    array, scalar = torch.tensor([1.0]), torch.tensor([1.0]).sum()
    assert type(operand(5, array)._array) is np.ndarray
    assert type(operand(5, scalar)._array) is np.float32
    assert type(operand(5, array)._array) is np.ndarray


def test_numbers_are_not_remembered_without_end():
    from minigrad.operands import _numbers

    x = torch.tensor([1.0])
    for k in range(2000):
        x * (k + 0.5)
    assert len(_numbers) <= 1000


def test_a_remembered_number_is_not_changed_by_its_users():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    assert (x * 3).tolist() == (x * 3).tolist() == [3.0, 6.0]


@pytest.mark.parametrize("value", ["a", None, [1.0], (1,), object(), 1j])
def test_what_is_no_operand(value):
    x = torch.tensor([1.0])
    with pytest.raises(TypeError):
        operand(value, x)
    with pytest.raises(TypeError):
        x + value
    with pytest.raises(TypeError):
        value * x
    with pytest.raises(TypeError):
        torch.add(x, value)


def test_another_type_may_take_over():
    class Other:
        def __radd__(self, tensor):
            return "taken over"

    assert torch.tensor([1.0]) + Other() == "taken over"


def test_arrays_on_either_side_give_tensors():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for result in (x * np.ones(2), np.ones(2) * x, np.ones(2) - x, np.float64(2) / x):
        assert type(result) is Tensor and result.requires_grad


def test_arrays_of_objects_are_refused():
    with pytest.raises(TypeError):
        torch.tensor([1.0]) + np.array([object()])


def test_powers_of_integers():
    x, y = np.array([2, -1, 1, 0, -3]), np.array([-1, -3, -2, 2, 3])
    assert power(x, y).tolist() == [0, -1, 1, 0, -27]
    assert power(np.array([2.0]), np.array([-1.0])).tolist() == [0.5]


# ------------------------------------------------------------------ silence


def test_no_warning_and_no_trace():
    before = np.geterr()
    zero = torch.tensor([0.0, 1.0])
    with np.errstate(all="raise"), warnings.catch_warnings():
        warnings.simplefilter("error")
        raising = np.geterr()
        assert (zero / 0).tolist()[1] == math.inf
        assert torch.log(zero).tolist()[0] == -math.inf
        assert torch.exp(torch.tensor(1000.0)).item() == math.inf
        assert (torch.tensor(1e300) * 1e300).item() == math.inf
        assert (torch.tensor([1.0], dtype=torch.float16) * 100000).item() == math.inf
        assert math.isnan((torch.tensor(0.0) / 0).item())
        assert np.geterr() == raising
        with pytest.raises(FloatingPointError):
            np.divide(np.ones(1), 0)
    assert np.geterr() == before


def test_quietly_inside_run():
    assert run(quietly, np.log, np.float32(0)) == -math.inf
    with pytest.raises(RuntimeError, match="my own"):
        quietly(lambda: (_ for _ in ()).throw(RuntimeError("my own")))


def test_threads_do_not_get_into_each_others_way():
    failures = []
    x = torch.rand(20_000, requires_grad=True)

    def work():
        try:
            for _ in range(200):
                y = (x * 2 - 1).tanh() / 0
                assert y.grad_fn is not None and not math.isfinite(y.tolist()[0])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


# ------------------------------------------------------------------ errors


def test_mismatch_names_lengths_and_axis():
    text = mismatch("add", (5, 2, 3), (4, 3))
    assert "tensor a (2) must match the size of tensor b (4)" in text
    assert "dimension 1" in text and "(5, 2, 3) and (4, 3)" in text


@pytest.mark.parametrize(
    ("wrong", "kind", "mended"),
    [
        ("1 - b", RuntimeError, "1 - b.long()"),
        ("-b", RuntimeError, "b == False"),
        ("i ** -1", RuntimeError, "i.float() ** -1"),
        ("a @ a", RuntimeError, "a @ a.t()"),
        ("a.t().view(6)", RuntimeError, "a.t().reshape(6)"),
        ("a @ a.t().double()", RuntimeError, "a @ a.t().double().to(a.dtype)"),
        ("a @ torch.tensor(2.0)", RuntimeError, "a * torch.tensor(2.0)"),
        ("torch.relu(b)", RuntimeError, "torch.relu(b.long())"),
        ("torch.add(a, 'a')", TypeError, "torch.add(a, 1)"),
        ("a.sum(2)", IndexError, "a.sum(1)"),
    ],
)
def test_advice_works(wrong, kind, mended):
    names = {
        "torch": torch,
        "a": torch.ones(2, 3),
        "b": torch.tensor([True, False]),
        "i": torch.tensor([1, 2]),
    }
    with pytest.raises(kind):
        eval(wrong, names)
    assert isinstance(eval(mended, names), Tensor)


def test_a_refused_operation_changes_nothing():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    node = x._node
    with pytest.raises(RuntimeError):
        x * torch.ones(3)
    assert x._node is node and node.g is None and not node.uses and x._grad is None


# ------------------------------------------------------------------ memory


@pytest.mark.parametrize(
    "look",
    [
        lambda x: x.view(6),
        lambda x: x.reshape(6),
        lambda x: x.t(),
        lambda x: x.T,
        lambda x: x.mT,
        lambda x: x.transpose(0, 1),
        lambda x: x.permute(1, 0),
        lambda x: x.expand(4, 2, 3),
        lambda x: x.contiguous(),
    ],
)
def test_views_share_memory(look):
    x = torch.ones(2, 3)
    assert look(x).data_ptr() == x.data_ptr()


def test_views_of_a_result_without_axes_share_memory():
    x = torch.tensor(3.0)
    product = x * x
    assert type(product._array) is not np.ndarray
    assert product.view(1).data_ptr() == product.data_ptr()
    assert product.expand(2).data_ptr() == product.data_ptr()


@pytest.mark.parametrize(
    "copy",
    [
        lambda x: x.clone(),
        lambda x: x.t().contiguous(),
        lambda x: x.t().reshape(6),
        lambda x: x + 0,
        lambda x: x * 1,
        lambda x: x.to(torch.float64),
        lambda x: x.to(torch.int64),
    ],
)
def test_copies_do_not_share_memory(copy):
    x = torch.ones(2, 3)
    assert not np.shares_memory(copy(x)._array, x._array)


CHAIN = [
    lambda x: x * 2,
    lambda x: x.exp().log().tanh().relu(),
    lambda x: x / (x + 1) - x**2,
    lambda x: (1 - x) ** 0.5,
    lambda x: (x @ x.t()).sum(),
    lambda x: x.t().reshape(-1).expand(2, -1).sum(0),
    lambda x: 2**x,
    lambda x: x.double().view(-1),
]


@pytest.mark.parametrize("program", CHAIN)
def test_memory_goes_with_the_last_name(program):
    x = torch.rand(3, 3, requires_grad=True)
    gc.collect()
    gc.disable()
    try:
        result = program(x)
        watches = [weakref.ref(result), weakref.ref(result.grad_fn)]
        del result
        assert [watch() for watch in watches] == [None, None]
    finally:
        gc.enable()


def test_comparisons_record_nothing():
    x = torch.rand(3, requires_grad=True)
    for result in (x > 0, x == x, x <= 1, x != 2, torch.lt(x, 1)):
        assert result.dtype is dtype.known[np.dtype(bool)] and result.grad_fn is None


def test_every_public_name_is_there():
    from minigrad import linalg, ops

    later = {"matmul": linalg.matmul}  # Chapter 10 completes it
    for name in ops.__all__:
        assert getattr(torch, name) is later.get(name, getattr(ops, name))


def test_what_a_pickle_has_carried_can_be_multiplied():
    m = torch.ones(2, 2)
    array, copied = pickle.loads(pickle.dumps((np.ones((2, 2), np.float32), m)))
    assert (copied @ m).tolist() == [[2.0, 2.0], [2.0, 2.0]]
    assert (torch.from_numpy(array) @ m).tolist() == [[2.0, 2.0], [2.0, 2.0]]


def test_integers_to_negative_integer_tensors():
    powers = torch.tensor([2, -1, 1]) ** torch.tensor([-1, -3, -2])
    assert powers.tolist() == [0, -1, 1]  # as PyTorch: what is left of 1/2 is 0


# ------------------------------------------------------------------ small print


def test_like_another_tensor():
    turned, flat = torch.ones(2, 3).t(), torch.ones(6)
    assert turned.reshape_as(flat).shape == (6,)
    with pytest.raises(RuntimeError, match=r"Use \.reshape"):
        turned.view_as(flat)


def test_dtypes_are_named_in_the_order_of_the_operands():
    single, double = torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64)
    for a, b, said in [
        (single, double, "float32 != float64"),
        (double, single, "float64 != float32"),
    ]:
        with pytest.raises(RuntimeError, match=said):
            a @ b


def test_close_is_closer_than_a_hundred_millionth():
    zero = torch.tensor([0.0])
    assert torch.allclose(zero, torch.tensor([1e-9]))
    assert not torch.allclose(zero, torch.tensor([1e-7]))
    assert torch.allclose(torch.tensor([1.0]), torch.tensor([1.000005]))
    assert not torch.allclose(torch.tensor([1.0]), torch.tensor([1.0001]))
    with pytest.raises(RuntimeError, match=r"float32 did not match torch\.float64"):
        torch.allclose(zero, zero.double())


def test_the_exponent_of_zero():
    x = torch.tensor([0.0, 1.0, -1.0], requires_grad=True)
    y = 0**x
    y.backward(torch.ones(3))
    assert y.tolist() == [1.0, 0.0, math.inf]  # PyTorch's answers, also below
    assert x.grad.tolist() == [0.0, 0.0, -math.inf]


MORE = {"t": (), "permute": (0,), "transpose": (0, 0), "reshape": ((1,),)}
MORE |= dict.fromkeys(["add", "sub", "mul", "div"], ("b",))
MORE |= dict.fromkeys(["allclose", "broadcast_to", "equal", "mm"], ("b",))


@pytest.mark.parametrize("name", MORE)
@pytest.mark.parametrize("other", [1, [1.0], "a", None])
def test_functions_want_a_tensor(name, other):
    rest = MORE[name]
    with pytest.raises(TypeError, match=rf"{name}\(\): argument '.*must be Tensor"):
        getattr(torch, name)(other, *rest)


@pytest.mark.parametrize(
    "code",
    [
        "(x * x).grad",
        "float(x)",
        "torch.tensor(x)",
        "torch.ones(2, 2, 2).T",
        "torch.tensor(1.0).T",
        "torch.tensor(1.0).mT",
        "(x * x).backward(create_graph=True)",
        "torch.autograd.grad(x * x, x, only_inputs=False)",
    ],
)
def test_a_warning_points_at_the_line_that_asked_for_it(code):
    x = torch.tensor(2.0, requires_grad=True)
    with pytest.warns((UserWarning, FutureWarning)) as caught:
        exec(compile(code, "the caller", "exec"), {"x": x, "torch": torch})
    assert [warning.filename for warning in caught] == ["the caller"]
