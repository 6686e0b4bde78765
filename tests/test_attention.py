"""Attention against PyTorch 2.13's answers, and its rules against differences."""

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import forward_ad, gradcheck, gradgradcheck
from minigrad.nn import attention, layers
from minigrad.nn import functional as F  # noqa: N812
from tests.reference import ledger
from tests.reference.record_attention import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


def drawn(*shapes):
    torch.manual_seed(0)
    how = {"dtype": torch.float64, "requires_grad": True}
    return [torch.randn(*shape, **how) for shape in shapes]


MAY = torch.tensor([[1, 0, 1, 1], [0, 0, 0, 0], [0, 1, 0, 0]]).bool()


def dropped(q, k, v):
    """Attention that drops the same shares at every call."""
    torch.manual_seed(3)
    return F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)


@pytest.mark.parametrize(
    "attend",
    [
        F.scaled_dot_product_attention,
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, MAY),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, MAY, scale=1.7),
        lambda q, k, v: F.scaled_dot_product_attention(q, k, v, is_causal=True),
        dropped,
    ],
)
def test_gradients_by_differences(attend):
    given = drawn((2, 3, 2), (2, 4, 2), (2, 4, 3))
    assert gradcheck(attend, given)
    assert gradgradcheck(attend, given)


def test_gradients_of_a_mask_and_of_shared_heads():
    q, k, v, mask = drawn((4, 3, 2), (2, 4, 2), (2, 4, 3), (3, 4))

    def attend(q, k, v, mask):
        return F.scaled_dot_product_attention(q, k, v, mask, enable_gqa=True)

    assert gradcheck(attend, (q, k, v, mask))
    assert gradgradcheck(attend, (q, k, v, mask))


def test_forward_mode_by_differences():
    (q, k, v), h = (x.detach() for x in drawn((3, 2), (4, 2), (4, 3))), 1e-6
    moves = [x.detach() for x in drawn((3, 2), (4, 2), (4, 3))]
    with forward_ad.dual_level():
        duals = map(forward_ad.make_dual, (q, k, v), moves)
        out = F.scaled_dot_product_attention(*duals, is_causal=True)
        tangent = forward_ad.unpack_dual(out).tangent
    ends = [
        F.scaled_dot_product_attention(
            *(x + s * h * m for x, m in zip((q, k, v), moves, strict=True)),
            is_causal=True,
        )
        for s in (1, -1)
    ]
    difference = (ends[0] - ends[1]).numpy() / (2 * h)
    np.testing.assert_allclose(tangent.numpy(), difference, atol=1e-8)


def test_both_texts_of_a_rule_agree():
    rng = np.random.default_rng(1)
    x, g = rng.standard_normal((2, 3, 4, 5))
    p = attention.shares(x, 0.7, x > 1)
    for rule, given in [
        (attention.shares_back, (g, p, 0.7)),
        (layers.gelu_tanh_back, (g, x, layers.gelu_tanh(x.copy()))),
    ]:
        fast = rule(*given)
        tensors = [torch.tensor(v) if isinstance(v, np.ndarray) else v for v in given]
        slow = rule(*tensors).numpy()
        np.testing.assert_allclose(fast, slow, atol=1e-12)


def test_hidden_places_change_nothing_and_get_no_gradient():
    q, k, v = drawn((4, 2), (4, 2), (4, 3))
    out = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    grads = torch.autograd.grad(out[1].sum(), (k, v))
    for g in grads:
        assert (g[:2] != 0).any() and not g[2:].any()
    with torch.no_grad():
        k[2:], v[2:] = 100.0, -7.0
        after = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    assert torch.equal(out[:2], after[:2]) and not torch.equal(out[2:], after[2:])


def test_operands_stay_as_they_were():
    given = [x.float().detach().requires_grad_() for x in drawn((3, 2), (3, 2), (3, 2))]
    before = [x.numpy(force=True).copy() for x in given]
    mask = torch.zeros(3, 3)
    F.scaled_dot_product_attention(*given, mask).sum().backward()
    F.gelu(given[0], approximate="tanh").sum().backward()
    for x, old in zip(given, before, strict=True):
        np.testing.assert_array_equal(x.numpy(force=True), old)
    assert not mask.any()


@pytest.mark.parametrize("need_weights", [True, False])
def test_gradients_of_the_module(need_weights):
    torch.manual_seed(0)
    look = torch.nn.MultiheadAttention(4, 2, dtype=torch.float64)
    query, other = drawn((3, 1, 4), (2, 1, 4))

    def attend(query, other, *parameters):
        return look(query, other, other, need_weights=need_weights)[0]

    given = (query, other, *look.parameters())
    assert gradcheck(attend, given)
    assert gradgradcheck(attend, given, fast_mode=True)


def test_dropout_of_the_module_acts_in_training_only():
    torch.manual_seed(0)
    look, x = torch.nn.MultiheadAttention(4, 2, dropout=0.5), torch.randn(5, 1, 4)
    for need in (True, False):
        look.train()
        one, two = (look(x, x, x, need_weights=need)[0] for _ in range(2))
        assert not torch.equal(one, two)
        look.eval()
        one, two = (look(x, x, x, need_weights=need)[0] for _ in range(2))
        assert torch.equal(one, two)


def test_what_pytorch_saved_can_be_read():
    look, other = (torch.nn.MultiheadAttention(4, 2) for _ in range(2))
    other.load_state_dict(look.state_dict())
    x = torch.randn(3, 1, 4)
    assert torch.equal(look(x, x, x)[0], other(x, x, x)[0])


@pytest.mark.parametrize("norm_first", [True, False])
def test_gradients_of_a_block(norm_first):
    torch.manual_seed(0)
    how = {"dropout": 0.0, "activation": "gelu", "dtype": torch.float64}
    block = torch.nn.TransformerEncoderLayer(4, 2, 3, norm_first=norm_first, **how)
    (x,) = drawn((3, 1, 4))
    hidden = torch.ones(3, 3).triu(1).bool()
    given = (x, *block.parameters())
    assert gradcheck(lambda x, *_: block(x, hidden), given)
    assert gradgradcheck(lambda x, *_: block(x, hidden), given, fast_mode=True)


def test_the_blocks_of_a_stack_are_copies():
    block = torch.nn.TransformerEncoderLayer(4, 2, 3)
    one, two = torch.nn.TransformerEncoder(block, 2).layers
    assert one is not two and one.linear1.weight is not block.linear1.weight
    assert torch.equal(one.linear1.weight, two.linear1.weight)


def test_draws_are_in_proportion():
    torch.manual_seed(0)
    p = torch.tensor([1.0, 0.0, 2.0, 5.0])
    for drawn_ in (
        torch.multinomial(p.expand(20000, 4), 1),
        torch.multinomial(p, 20000, replacement=True),
    ):
        found = np.bincount(drawn_.numpy().ravel(), minlength=4) / 20000
        np.testing.assert_allclose(found, [1 / 8, 0, 1 / 4, 5 / 8], atol=0.012)
    orders = torch.multinomial(p.expand(100, 4), 3).sort(1).values
    assert orders.tolist() == [[0, 2, 3]] * 100
