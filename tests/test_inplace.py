"""Changes in place, against PyTorch's recorded answers, and against NumPy."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import minigrad as torch
from tests.test_leaves import assert_as_recorded, cases

METHODS = ["add_", "sub_", "mul_", "div_", "pow_"]
ALL = [*METHODS, "copy_", "fill_"]


@pytest.mark.parametrize("name", cases("place"))
def test_as_pytorch(name):
    assert_as_recorded(name)


NUMPY = {
    "add_": np.add,
    "sub_": np.subtract,
    "mul_": np.multiply,
    "div_": np.divide,
    "pow_": np.power,
}
KINDS = [np.float16, np.float32, np.float64]
NUMBERS = st.integers(1, 4).map(float)


@settings(max_examples=80, deadline=None)
@given(
    st.sampled_from(METHODS),
    st.sampled_from(KINDS),
    st.sampled_from([*KINDS, np.int64, np.uint8]),
    st.sampled_from([((2, 3), (2, 3)), ((2, 3), (3,)), ((2, 3), (2, 1)), ((3,), ())]),
    st.randoms(use_true_random=False),
)
def test_any_pair_of_dtypes_and_shapes(name, kind, other_kind, shapes, random):
    a, b = (
        np.array(
            [random.randint(1, 4) for _ in range(int(np.prod(shape)))], dtype
        ).reshape(shape)
        for shape, dtype in zip(shapes, (kind, other_kind), strict=True)
    )
    expected = NUMPY[name](a.astype(np.float64), b.astype(np.float64)).astype(kind)
    x = torch.from_numpy(a.copy())
    memory = x.numpy()
    assert getattr(x, name)(torch.from_numpy(b)) is x
    assert x.numpy() is memory
    assert memory.dtype == kind
    np.testing.assert_allclose(
        memory, expected, rtol=2e-3 if kind is np.float16 else 1e-6
    )


@pytest.mark.parametrize("name", METHODS)
def test_operators_are_the_methods(name):
    operator = {"div_": "__itruediv__"}.get(name, f"__i{name[:-1]}__")
    x, y = torch.tensor([4.0, 9.0]), torch.tensor([4.0, 9.0])
    assert getattr(x, operator)(2) is x
    assert torch.equal(x, getattr(y, name)(2))


@pytest.mark.parametrize("name", METHODS)
def test_methods_describe_themselves(name):
    method = getattr(torch.Tensor, name)
    assert method.__name__ == name
    assert name[:-1] in method.__doc__


def test_a_wider_operand_is_rounded_once():
    x = torch.tensor([16777216.0])  # 2**24: from here on float32 has even numbers only
    step = np.float64(1.0 + 2**-28)  # rounds to 1 in float32, and then to nothing
    x += torch.tensor([step])
    assert x.item() == float(np.float32(16777216.0 + step)) == 16777218.0


def test_the_other_operand_is_not_touched():
    x, y = torch.ones(2), torch.tensor([5.0, 6.0])
    for name in [*METHODS, "copy_"]:
        getattr(x, name)(y)
    assert y.tolist() == [5.0, 6.0]


def test_copy_does_not_alias():
    x, y = torch.zeros(2), torch.ones(2)
    x.copy_(y)
    y += 1
    assert x.tolist() == [1.0, 1.0]


# -- refusals change nothing, and their advice helps -----------------------------------


def refused(deed, error=RuntimeError, match=None):
    with pytest.raises(error, match=match):
        deed()


@pytest.mark.parametrize("name", ALL)
def test_a_leaf_refuses_then_as_advised(name):
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    expected = getattr(x.detach().clone(), name)(2).tolist()
    refused(lambda: getattr(x, name)(2), match=rf"a leaf .*{name}.*torch\.no_grad\(\)")
    assert x.tolist() == [2.0, 3.0]
    with torch.no_grad():
        assert getattr(x, name)(2) is x
    assert x.tolist() == expected
    assert x.is_leaf and x.requires_grad
    x.sum().backward()
    assert x.grad.tolist() == [1.0, 1.0]


@pytest.mark.parametrize("name", [*ALL, "zero_"])
def test_an_inference_tensor_refuses_then_as_advised(name):
    arguments = () if name == "zero_" else (2,)
    with torch.inference_mode():
        x = torch.tensor([2.0, 3.0])
    refused(lambda: getattr(x, name)(*arguments), match="make a clone")
    assert x.tolist() == [2.0, 3.0]
    getattr(x.clone(), name)(*arguments)
    with torch.inference_mode():
        assert getattr(x, name)(*arguments) is x


@pytest.mark.parametrize("name", [*METHODS, "copy_"])
def test_what_is_recorded_is_the_operation_out_of_place(name):
    def copy(x, other):
        return other.clone()

    operation = copy if name == "copy_" else getattr(torch, name[:-1])
    for start in (lambda w: torch.tensor([1.0, 2.0]), lambda w: w * 2):
        w = torch.tensor([2.0, 3.0], requires_grad=True)
        v = torch.tensor([2.0, 3.0], requires_grad=True)
        x, y = start(w), start(v)
        assert getattr(x, name)(w * w) is x
        y = operation(y, v * v)
        assert torch.equal(x, y) and not x.is_leaf
        (x * x).sum().backward()
        (y * y).sum().backward()
        np.testing.assert_allclose(w.grad.numpy(), v.grad.numpy(), rtol=1e-6)
        with torch.no_grad():  # and here nothing is
            node = x.grad_fn
            getattr(x, name)(w)
        assert x.grad_fn is node


METHODS_OF_ALL = sorted(
    name
    for name in vars(torch.Tensor)
    if name.endswith("_") and not name.startswith("_") and name != "requires_grad_"
)


@pytest.mark.parametrize("name", METHODS_OF_ALL)
def test_every_method_with_an_underscore_says_that_it_is_in_place(name):
    method = getattr(torch.Tensor, name)
    assert method.__name__.lstrip("_") in (name, name.rstrip("_"))
    assert "n place" in method.__doc__


def test_there_are_many():
    assert len(METHODS_OF_ALL) >= 85


@pytest.mark.parametrize("name", METHODS_OF_ALL)
def test_every_one_is_refused_by_a_leaf_and_counted_elsewhere(name):
    place, matrix = torch.tensor([0]), torch.ones(2, 2)
    arguments = {
        "index_add_": (0, place, torch.ones(1)), "scatter_": (0, place, torch.ones(1)),
        "scatter_add_": (0, place, torch.ones(1)),
        "index_put_": ((place,), torch.ones(1)),
        "lerp_": (torch.ones(2), 0.5), "masked_fill_": (torch.ones(2) > 0, 1.0),
        "clamp_": (0.1, 0.9), "clip_": (0.1, 0.9), "cumsum_": (0,), "cumprod_": (0,),
        "fill_": (1.0,), "transpose_": (0, 0), "unsqueeze_": (0,),
    }  # fmt: skip
    none = ["zero_", "t_", "squeeze_", "uniform_", "normal_", "random_", "detach_"]
    kind = torch.int64 if "bitwise" in name else torch.float32
    x = matrix if name in ("tril_", "triu_") else torch.tensor([1, 2]).to(kind)
    for operands in ((), (torch.tensor([1, 2]).to(kind),)):
        found = arguments.get(name, () if name in none else operands)
        try:
            getattr(x.clone(), name)(*found)
        except TypeError:
            continue
        if name == "detach_":
            return
        assert getattr(x, name)(*found) is x
        assert x._version == 1
        leaf = torch.ones_like(x, dtype=torch.float32, requires_grad=True)
        change = functools.partial(getattr(leaf, name), *found)
        refused(change, match="a leaf Variable")
        assert torch.equal(leaf.detach(), torch.ones_like(leaf)) and leaf._version == 0
        return
    raise AssertionError(f"no arguments known for {name}")


def test_an_expanded_tensor_refuses_then_as_advised():
    row = torch.ones(3)
    x = row.expand(2, 3)
    for name in [*METHODS, "copy_"]:
        refused(lambda name=name: getattr(x, name)(torch.ones(3)), match=r"clone\(\)")
    assert row.tolist() == [1.0, 1.0, 1.0]
    assert x.clone().add_(1).tolist() == [[2.0] * 3] * 2
    x.fill_(4)
    assert row.tolist() == [4.0, 4.0, 4.0]
    refused(lambda: x.add_(1), match=r"clone\(\)")


def test_a_read_only_array_refuses_then_as_advised():
    array = np.ones(2)
    array.flags.writeable = False
    x = torch.as_tensor(array)
    refused(lambda: x.add_(1), match=r"read-only NumPy array: clone\(\)")
    assert array.tolist() == [1.0, 1.0]
    assert x.clone().add_(1).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("name", [*METHODS, "copy_"])
def test_shapes_that_do_not_fit(name):
    x = torch.tensor([1.0, 2.0])
    refused(lambda: getattr(x, name)(torch.ones(3)), match="must match the size")
    refused(lambda: getattr(x, name)(torch.ones(2, 2)), match="doesn't match the broad")
    assert x.tolist() == [1.0, 2.0]


@pytest.mark.parametrize("name", METHODS)
def test_kinds_that_do_not_fit(name):
    x = torch.tensor([1, 2])
    refused(lambda: getattr(x, name)(0.5), match="Float can't be cast .* Long")
    assert x.tolist() == [1, 2]
    assert x.dtype is torch.int64
    y = x.float()
    getattr(y, name)(0.5)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("other", [None, "a", [1.0, 2.0], object()])
def test_operands_of_a_foreign_type(name, other):
    x = torch.tensor([1.0, 2.0])
    refused(lambda: getattr(x, name)(other), TypeError, f"{name}.*must be Tensor, not")
    assert x.tolist() == [1.0, 2.0]


def test_fill_wants_one_number():
    x = torch.zeros(2)
    refused(lambda: x.fill_(torch.ones(2)), match="0-dimension value tensor")
    assert x.fill_(torch.tensor(3.0)).tolist() == [3.0, 3.0]


# -- the optimiser's step --------------------------------------------------------------


def test_gradient_descent_finds_the_minimum():
    x = torch.tensor([4.0, 1.0], dtype=torch.float64, requires_grad=True)
    weights = torch.tensor([1.0, 8.0], dtype=torch.float64)
    by_hand = np.array([4.0, 1.0])
    start = x
    for _ in range(50):
        x.grad = None
        (weights * x * x).sum().backward()
        with torch.no_grad():
            x -= 0.05 * x.grad
        by_hand = by_hand - 0.05 * 2 * np.array([1.0, 8.0]) * by_hand
    assert x is start and x.is_leaf
    np.testing.assert_allclose(x.detach().numpy(), by_hand, rtol=1e-12)


def test_alpha_is_the_rate():
    x = torch.tensor([4.0, 1.0], requires_grad=True)
    (x * x).sum().backward()
    with torch.no_grad():
        x.add_(x.grad, alpha=-0.25)
    assert x.tolist() == [2.0, 0.5]


def test_only_sums_take_alpha():
    for name in ("mul_", "div_", "pow_"):
        with pytest.raises(TypeError):
            getattr(torch.ones(2), name)(2, alpha=2)


def test_no_warnings_of_numpy_leak(recwarn):
    torch.tensor([1.0, 0.0]).div_(0)
    torch.tensor([60000.0], dtype=torch.float16).mul_(60000.0)
    torch.zeros(1, dtype=torch.int64).copy_(torch.tensor([float("nan")]))
    torch.ones(1, dtype=torch.float16).copy_(torch.tensor([1e30]))
    torch.tensor([-1.0]).pow_(0.5)
    assert not recwarn.list
