"""minigrad/tensor.py and dtypes.py against PyTorch's answers, recorded in tensor.json.

The rows of tests/reference/tensor.txt cover creation and printing as well; each is one
program that PyTorch and minigrad must answer alike. Then: one slot and what follows
from it, who keeps whom alive, and every error with its advice.
"""

import copy
import gc
import json
import pickle
import re
import sys
import threading
import warnings
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import minigrad as torch
from minigrad import dtypes
from minigrad.dtypes import as_numpy, dtype, promote
from minigrad.tensor import AccumulateGrad, Node, Size, Tensor, extend, mode, wrap

REFERENCE = Path(__file__).parent / "reference"
sys.path.insert(0, str(REFERENCE))
import tensor_cases as cases  # noqa: E402

RECORDED = json.loads((REFERENCE / "tensor.json").read_text(encoding="utf-8"))


class MulBackward0(Node):
    """A node made by hand, as the chapter does before there are operations."""

    __slots__ = ("next0", "next1")
    links = ("next0", "next1")


def result_of(x, y=None):
    """A tensor with a history."""
    node = MulBackward0()
    node.uses, node.g, node.hooks = 0, None, None
    node.next0, node.next1 = x._node, None if y is None else y._node
    return wrap(x._array * 2, node)


def leaf(data=(1.0, 2.0), **options):
    return torch.tensor(list(data), requires_grad=True, **options)


# ------------------------------------------------------------------ recorded answers


def test_the_recording_asks_what_the_file_asks():
    assert [line for line, _ in RECORDED["rows"]] == cases.lines()


@pytest.mark.parametrize(
    ("line", "expected"), RECORDED["rows"], ids=[row[0] for row in RECORDED["rows"]]
)
def test_minigrad_answers_as_pytorch_does(line, expected):
    found = cases.evaluate(line, torch)
    message, recorded = found.pop("message", ""), dict(expected)
    recorded_message = recorded.pop("message", "")
    assert found == recorded, message
    if recorded_message and line not in OTHER_WORDS:
        assert shared_words(recorded_message, message) >= 0.5, message


def shared_words(one, other):
    """The share of the first words of one message that stand in the other."""
    first, second = (re.findall(r"[a-z_]{3,}", text.lower()) for text in (one, other))
    return len({*first[:14]} & {*second}) / len({*first[:14]})


# Same type, other words: PyTorch speaks here of its C++ parser or of its own classes.
OTHER_WORDS = {
    *("torch.zeros(2.,3)", "torch.zeros((2,),3)", "torch.rand()"),
    *("torch.arange()", "torch.linspace(0,1)", "torch.linspace(0,1,2.)"),
    *("x=T([1.]); x.shape=(1,1)", "x=T([1.]); x.dtype=torch.int64"),
    "x=T([1.],requires_grad=True); x.grad_fn=None",
    "x=T([1.],requires_grad=True); x.is_leaf=False",
    *("torch.randint(3)", "torch.randint(0,3,2)"),
}


def test_the_exceptions_are_still_needed():
    rows = dict(RECORDED["rows"])
    for line in OTHER_WORDS:
        found = cases.evaluate(line, torch)["message"]
        assert shared_words(rows[line]["message"], found) < 0.5, line


@pytest.mark.parametrize(("a", "b", "flat", "expected"), RECORDED["promotions"])
def test_promotion(a, b, flat, expected):
    x, y = np.ones(2, a), np.ones(() if flat else 2, b)
    for first, second in ((x, y), (y, x)):
        one, other = promote(first, second)
        assert one.dtype == other.dtype == expected
        assert one.shape == first.shape and other.shape == second.shape


# ----------------------------------------------------------------------------- dtypes


def test_each_kind_is_one_object():
    for kind in dtype.known.values():
        assert getattr(torch, kind.name) is kind
        assert copy.deepcopy(kind) is copy.copy(kind) is kind
        assert pickle.loads(pickle.dumps(kind)) is kind
        assert as_numpy(kind) == kind.numpy == np.dtype(kind.name)
        assert kind.itemsize == kind.numpy.itemsize
        assert kind.is_floating_point == (kind.numpy.kind == "f")
    assert len(dtype.known) == 9


def test_aliases_are_attributes_and_not_variables():
    names = {"half": "float16", "float": "float32", "double": "float64", "int": "int32"}
    names |= {"short": "int16", "long": "int64", "bool": "bool"}
    for alias, name in names.items():
        assert getattr(torch, alias).name == getattr(dtypes, alias).name == name
    assert "float" not in vars(torch) and "int" not in vars(dtypes)
    with pytest.raises(AttributeError, match="float99"):
        torch.float99  # noqa: B018


def test_promotion_does_not_copy_without_need():
    x, y = np.ones(2, "float32"), np.ones(3, "float32")
    one, other = promote(x, y)
    assert one is x and other is y


# --------------------------------------------------------------- one slot, three states


def states():
    constant, collects = torch.tensor([1.0]), leaf()
    return {
        "constant": (constant, False, True, type(None)),
        "leaf": (collects, True, True, type(None)),
        "result": (result_of(collects), True, False, MulBackward0),
    }


@pytest.mark.parametrize("name", ["constant", "leaf", "result"])
def test_the_slot_decides(name):
    x, requires_grad, is_leaf, kind = states()[name]
    assert x.requires_grad is requires_grad
    assert x.is_leaf is is_leaf
    assert type(x.grad_fn) is kind


def test_requires_grad_keeps_its_mailbox_until_it_is_taken_down():
    x = leaf()
    mailbox = x._node
    x.requires_grad = True
    assert x.requires_grad_()._node is mailbox
    assert x.requires_grad_(False)._node is None


def test_requires_grad_on_a_result():
    z = result_of(leaf())
    assert z.requires_grad_() is z
    assert z.grad_fn is not None
    with pytest.raises(RuntimeError, match=r"you can only change.*leaf variables\. "):
        z.requires_grad = True
    with pytest.raises(RuntimeError, match=r"var_no_grad = var\.detach\(\)"):
        z.requires_grad = False
    with pytest.raises(RuntimeError, match="leaf variables"):
        z.requires_grad_(False)
    assert z.requires_grad and z.grad_fn is not None


def test_next_functions_lead_back_to_the_leaf():
    x, y = leaf(), torch.tensor([1.0, 2.0])
    z = result_of(x, y)
    (first, k), second = z.grad_fn.next_functions
    assert first is x._node and k == 0 and second == (None, 0)
    assert first.variable is x and first.next_functions == ()
    assert first.name() == "torch::autograd::AccumulateGrad"
    assert repr(first) == "<AccumulateGrad object>"
    assert z.grad_fn.name() == "MulBackward0"
    assert repr(z.grad_fn) == "<MulBackward0 object>"


def test_metadata_belongs_to_one_node():
    one, other = result_of(leaf()).grad_fn, result_of(leaf()).grad_fn
    one.metadata["a"] = 1
    assert one.metadata == {"a": 1} and other.metadata == {}


def test_detach_shares_memory_and_forgets():
    x = leaf()
    z = result_of(x)
    for tensor in (x, z):
        d = tensor.detach()
        assert d.is_leaf and not d.requires_grad and d is not tensor
        assert d.data_ptr() == tensor.data_ptr() == tensor.data.data_ptr()
    assert z.detach_() is z and z.is_leaf and not z.requires_grad


def test_detach_of_a_numpy_scalar_shares_memory():
    z = wrap(np.float32(3), MulBackward0())
    d = z.detach()
    d.numpy()[()] = 5
    assert z.item() == 5


def test_data_is_replaced_for_the_mailbox_too():
    x = leaf()
    node = x._node
    x.data = torch.tensor([7.0])
    assert x._node is node and node.array is x._array
    y = result_of(x)
    y.data = torch.zeros(3)
    assert y.shape == (3,) and y.grad_fn is not None


def test_reading_the_gradient_of_a_result_warns():
    z = result_of(leaf())
    with pytest.warns(
        UserWarning, match="not a leaf Tensor is being accessed"
    ) as heard:
        assert z.grad is None
    assert heard[0].filename == __file__
    z.grad = torch.zeros(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert z.grad is not None


def test_the_gradient_is_the_assigned_object():
    x, g = leaf(), torch.zeros(2)
    x.grad = g
    assert x.grad is g
    del x.grad
    assert x.grad is None


@given(st.sampled_from(list(dtype.known.values())), st.booleans())
def test_only_floats_require_gradients(kind, flag):
    x = torch.zeros(2, dtype=kind)
    if flag and not kind.is_floating_point:
        with pytest.raises(RuntimeError, match="floating point"):
            x.requires_grad_(flag)
    else:
        assert x.requires_grad_(flag).requires_grad is flag


def test_modes_belong_to_threads():
    seen = []
    mode.recording = False
    try:
        thread = threading.Thread(target=lambda: seen.append(mode.recording))
        thread.start()
        thread.join()
    finally:
        mode.recording = True
    assert seen == [True]


def test_inference_is_noted_by_wrap():
    mode.inference = True
    try:
        x = torch.zeros(2)
    finally:
        mode.inference = False
    assert x.is_inference() and not torch.zeros(2).is_inference()
    with pytest.raises(RuntimeError, match="inference tensor outside InferenceMode"):
        x.requires_grad_()


# -------------------------------------------------------------------- who keeps whom


@pytest.fixture
def no_collector():
    enabled = gc.isenabled()
    gc.disable()
    yield
    if enabled:
        gc.enable()


def gone(*things):
    return all(thing() is None for thing in things)


def test_a_leaf_and_its_mailbox_make_no_circle(no_collector):
    x = leaf()
    x.grad = torch.zeros(2)
    witnesses = weakref.ref(x), weakref.ref(x._node), weakref.ref(x.grad)
    del x
    assert gone(*witnesses)


def test_a_graph_is_freed_with_its_last_result(no_collector):
    x = leaf()
    z = x
    for _ in range(100):
        z = result_of(z)
    witnesses = weakref.ref(z.grad_fn), weakref.ref(z), weakref.ref(x._node)
    del z, x
    assert gone(*witnesses)


def test_a_mailbox_outlives_its_leaf_and_still_leads_to_its_numbers(no_collector):
    x = leaf()
    z = result_of(x)
    mailbox, witness = x._node, weakref.ref(x)
    del x
    assert gone(witness)
    again = mailbox.variable
    assert again.tolist() == [1.0, 2.0] and again.requires_grad and again.is_leaf
    assert mailbox.variable is again and z.grad_fn.next_functions[0][0] is mailbox


# ----------------------------------------------------------------------- odds and ends


@given(st.lists(st.integers(0, 5), max_size=4), st.lists(st.integers(0, 5), max_size=3))
def test_sizes_are_tuples(one, other):
    a, b = Size(one), Size(other)
    assert a == tuple(one) and hash(a) == hash(tuple(one)) and list(a) == one
    for sum_ in (a + b, a + tuple(other), tuple(one) + b):
        assert type(sum_) is Size and sum_ == tuple(one + other)
    assert type(a * 2) is type(2 * a) is type(a[1:]) is Size
    assert a * 2 == 2 * a == tuple(one * 2) and a[1:] == tuple(one[1:])
    assert a.numel() == int(np.prod(one)) and type(a.numel()) is int
    assert repr(a) == f"torch.Size({one})"
    assert pickle.loads(pickle.dumps(a)) == a


def test_extend_is_the_door():
    assert not hasattr(Tensor, "twice")
    extend(twice=lambda self: wrap(self._array * 2), four=property(lambda self: 4))
    try:
        x = torch.tensor([1.0])
        assert x.twice().tolist() == [2.0] and x.four == 4
    finally:
        del Tensor.twice, Tensor.four


def test_tensors_are_hashed_by_identity():
    x = torch.tensor([1.0])
    assert hash(x) == id(x) and {x: "x"}[x] == "x"


def test_the_two_worlds_share_memory():
    x = torch.tensor([1.0, 2.0])
    assert x.numpy() is x.numpy() and np.asarray(x) is x.numpy()
    x.numpy()[0] = 9
    assert x.tolist() == [9, 2]
    assert not np.shares_memory(np.array(x), x.numpy())
    assert leaf().numpy(force=True).tolist() == [1, 2]


def test_item_gives_real_python_numbers():
    for data, kind in ((1.5, float), (2, int), (True, bool)):
        assert type(torch.tensor(data).item()) is kind
        assert type(torch.tensor([data]).tolist()[0]) is kind


def test_slots_leave_no_room_for_a_dictionary():
    for part in Tensor.__mro__[:-1]:
        assert "__dict__" not in vars(part)
    assert not hasattr(leaf(), "__dict__") and not hasattr(leaf()._node, "__dict__")
    assert not hasattr(leaf(), "_inference")


# ------------------------------------------------- every error, and what it advises

ONE, TWO = "torch.tensor([1.0])", "torch.tensor([1.0, 2.0])"

# what fails, the error, words of its message, what the message advises
ERRORS = [
    ("as_numpy(np.float64)", TypeError, "torch.float64", "as_numpy(torch.float64)"),
    (
        "torch.tensor([1]).requires_grad_()",
        RuntimeError,
        "dtype=torch.float32",
        "torch.tensor([1], dtype=torch.float32).requires_grad_()",
    ),
    (f"{ONE}.requires_grad_(1)", TypeError, "be bool", f"{ONE}.requires_grad_(True)"),
    (
        f"setattr({ONE}, 'requires_grad', 1)",
        RuntimeError,
        "must be a bool",
        f"setattr({ONE}, 'requires_grad', True)",
    ),
    (f"{ONE}.requires_grad(True)", TypeError, "callable", f"{ONE}.requires_grad_()"),
    (
        "setattr(result_of(leaf()), 'requires_grad', False)",
        RuntimeError,
        "var.detach()",
        "result_of(leaf()).detach()",
    ),
    (
        "setattr(leaf(), 'grad', [1.0])",
        TypeError,
        "expected to be a Tensor",
        f"setattr(leaf(), 'grad', {TWO})",
    ),
    (
        f"setattr(leaf(), 'grad', {ONE})",
        RuntimeError,
        "are the same size",
        "setattr(leaf(), 'grad', torch.zeros(2))",
    ),
    (
        "setattr(leaf(), 'grad', torch.tensor([1, 2]))",
        RuntimeError,
        "convert it first",
        "setattr(leaf(), 'grad', torch.tensor([1, 2], dtype=torch.float32))",
    ),
    (
        "[x := leaf(), setattr(x, 'grad', x)]",
        RuntimeError,
        "its own grad",
        "[x := leaf(), setattr(x, 'grad', x.detach())]",
    ),
    (
        "setattr(leaf(), 'data', [1.0])",
        TypeError,
        "has to be a tensor",
        f"setattr(leaf(), 'data', {ONE})",
    ),
    (
        "setattr(leaf(), 'data', torch.tensor([1]))",
        RuntimeError,
        "must be floating point",
        f"setattr(leaf(), 'data', {ONE})",
    ),
    (f"{TWO}.size(1)", IndexError, "range of [-1, 0]", f"{TWO}.size(-1)"),
    ("torch.ones(()).size(0)", IndexError, "no dimensions", "torch.ones(()).size()"),
    (f"{TWO}.item()", RuntimeError, "tolist()", f"{TWO}.tolist()"),
    ("leaf().numpy()", RuntimeError, "detach().numpy()", "leaf().detach().numpy()"),
    ("np.asarray(leaf())", RuntimeError, "detach", "np.asarray(leaf().detach())"),
    (f"float({TWO})", ValueError, "one element", f"float({ONE})"),
    (f"int({TWO})", ValueError, "one element", f"int({ONE})"),
    (f"[1, 2][{ONE}]", TypeError, "only integer tensors", "[1, 2][torch.tensor(1)]"),
    (f"bool({TWO})", RuntimeError, "x.sum().item()", f"bool({TWO}.sum().item())"),
    ("bool(torch.zeros(0))", RuntimeError, "len(x)", "len(torch.zeros(0))"),
    ("len(torch.tensor(1.0))", TypeError, "0-d", "len(torch.tensor([1.0]))"),
    (f"f'{{{ONE}:.2f}}'", TypeError, "format string", f"f'{{{ONE}.item():.2f}}'"),
    ("Size([1.5])", TypeError, "item 0 is 'float'", "Size([1])"),
    ("copy.deepcopy(result_of(leaf()))", RuntimeError, "x.detach()",
     "copy.deepcopy(result_of(leaf()).detach())"),
]  # fmt: skip


@pytest.mark.parametrize(("bad", "kind", "words", "good"), ERRORS, ids=lambda x: str(x))
def test_errors_say_what_to_do(bad, kind, words, good):
    with pytest.raises(kind) as caught:
        eval(bad)
    assert type(caught.value) is kind
    assert words in str(caught.value)
    eval(good)


def test_a_refused_assignment_changes_nothing():
    x = leaf()
    x.grad = torch.ones(2)
    before = x.grad, x._array, x._node
    for name, value in [
        ("grad", torch.zeros(3)),
        ("grad", 1),
        ("data", torch.tensor(1)),
    ]:
        with pytest.raises((RuntimeError, TypeError)):
            setattr(x, name, value)
    assert (x.grad, x._array, x._node) == before


def test_a_mailbox_is_a_node_of_its_own_class():
    assert type(leaf()._node) is AccumulateGrad


def test_float_of_a_tensor_that_requires_grad_warns_and_the_advice_helps():
    x = torch.tensor(2.5, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True"):
        assert float(x) == 2.5
    assert float(x.detach()) == 2.5  # an error, if it warned
    assert int(x) == 2


def test_notes_about_a_node_do_not_keep_it_alive():
    z = result_of(leaf())
    z.grad_fn.metadata["seen"] = True
    assert z.grad_fn.metadata == {"seen": True}
    witness = weakref.ref(z.grad_fn)
    del z
    assert witness() is None
