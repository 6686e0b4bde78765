"""minigrad/_tensor_str.py: 324 tensors print as PyTorch prints them."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import minigrad as torch
from minigrad._tensor_str import tensor_str
from minigrad.tensor import Node, wrap

REFERENCE = Path(__file__).parent / "reference"
sys.path.insert(0, str(REFERENCE))
import tensor_cases as cases  # noqa: E402

RECORDED = json.loads((REFERENCE / "tensor.json").read_text(encoding="utf-8"))["prints"]


def thawed(row):
    seed, shape, *rest = row
    return seed, tuple(shape), *rest


def test_the_recording_asks_what_the_cases_ask():
    assert [thawed(row) for row, _ in RECORDED] == cases.prints()
    assert len(RECORDED) >= 120


@pytest.mark.parametrize(("row", "expected"), RECORDED, ids=lambda x: str(x)[:40])
def test_a_tensor_prints_as_in_pytorch(row, expected):
    assert cases.printed(thawed(row), torch) == expected


class SomethingBackward0(Node):
    """A node with a long name."""

    __slots__ = ()


def test_grad_fn_is_shown_and_goes_to_a_new_line_where_the_line_is_full():
    one = wrap(np.float32([1, 2]), SomethingBackward0())
    assert repr(one) == "tensor([1., 2.], grad_fn=<SomethingBackward0>)"
    lines = repr(wrap(np.arange(21.0), SomethingBackward0())).split("\n")
    assert lines[-1] == "       grad_fn=<SomethingBackward0>)"
    assert lines[-2].endswith("20.], dtype=torch.float64,")


def test_another_prefix_moves_the_columns():
    text = tensor_str(torch.zeros(2, 2), "Parameter containing:(")
    assert text.split("\n")[1].startswith(" " * 23 + "[0.")


ANY = array_shapes(max_dims=4, max_side=12)


@given(arrays(np.float64, ANY, elements=st.floats()))
def test_any_array_prints(array):
    text = repr(torch.from_numpy(array))
    assert text.count("[") == text.count("]")
    if np.isfinite(array).all():  # the width of -inf is not reckoned with,
        longest = max(map(len, text.split("\n")))
        assert longest <= 80 + array.ndim  # nor are closing brackets


@given(arrays(np.float32, 5, elements=st.floats(-1e8, 1e8, width=32)))
def test_what_is_printed_can_be_read_back(array):
    text = repr(torch.from_numpy(array)).partition("(")[2].partition("]")[0] + "]"
    read = np.array(eval(text.replace("nan", "np.nan"), {"np": np}))
    smallest = np.abs(array[array != 0]).min(initial=1.0)
    assert np.allclose(read, array, rtol=1e-4, atol=max(1e-4, smallest))


def test_str_and_format():
    assert str(torch.tensor([1.0])) == "tensor([1.])" == f"{torch.tensor([1.0])}"
    assert f"{torch.tensor(1.25):.1f}" == "1.2" and f"{torch.tensor(3):03d}" == "003"


def test_one_number_fits_on_a_line_however_deep_it_stands():
    deep = torch.tensor([2**62, 2**62 - 1]).reshape((1,) * 49 + (2,))
    first, second = str(deep).splitlines()  # PyTorch prints the same
    assert first == "tensor(" + "[" * 50 + "4611686018427387904,"
    assert second == " " * 57 + "4611686018427387903" + "]" * 50 + ")"
