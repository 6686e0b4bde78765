"""What Chapter 21 says: attention, its masks, its module, and a model made of them."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []
X = """\
attend = torch.nn.functional.scaled_dot_product_attention
q = torch.tensor([[2.0, 0.0], [0.0, 1.0], [1.0, 1.0]])
k = torch.tensor([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]])
v = torch.tensor([[10.0, 0.0], [0.0, 10.0], [5.0, 5.0]])
may = torch.ones(3, 3).tril().bool()
"""
M = """\
torch.manual_seed(0)
look = torch.nn.MultiheadAttention(4, 2)
x = torch.randn(3, 1, 4)
hidden = torch.ones(3, 3).triu(1).bool()
"""

# ------------------------------------------------------------------------------
mix = Theme(ROWS, 21, "Attention", "how-does-a-place-look-at-another")
mix(
    "attention-is-a-mixture",
    "Attention mixes values by the softmax of the scores over √e.",
    """
    by_hand = (q @ k.T / 2**0.5).softmax(1) @ v
    torch.allclose(attend(q, k, v), by_hand), by_hand
    """,
    setup=X,
)
mix(
    "attention-scale",
    "`scale` takes the place of 1/√e; with 0 every place gets the mean.",
    "attend(q, k, v, scale=0.0)",
    setup=X,
)
mix(
    "attention-many-axes",
    "All axes before the last two are a stack.",
    """
    a, b, c = torch.ones(5, 2, 3, 4), torch.ones(5, 2, 6, 4), torch.ones(5, 2, 6, 7)
    attend(a, b, c).shape
    """,
    setup=X,
)
mix(
    "attention-of-integers",
    "Whole numbers have no shares.",
    "attend(q.long(), k.long(), v.long())",
    setup=X,
    raises="RuntimeError: expected m1 and m2 to have the same dtype",
)
mix(
    "attention-of-two-dtypes",
    "Queries, keys and values have one dtype.",
    "attend(q.double(), k, v)",
    setup=X,
    raises="RuntimeError: Expected query, key, and value to have the same dtype",
)

# ------------------------------------------------------------------------------
jacobian = Theme(
    ROWS, 21, "The Jacobian of softmax", "where-is-the-jacobian-of-softmax"
)
jacobian(
    "softmax-jacobian",
    "The Jacobian of softmax is diag(p) less the outer product of p with itself.",
    """
    s = torch.tensor([0.1, 0.5, -0.3])
    J = torch.autograd.functional.jacobian(lambda s: s.softmax(0), s)
    p = s.softmax(0)
    torch.allclose(J, torch.diag(p) - torch.outer(p, p)), J
    """,
)
jacobian(
    "softmax-saturates",
    "Where one share is 1, no gradient says where else to look.",
    """
    s = torch.tensor([0.0, 200.0, 1.0], requires_grad=True)
    (s.softmax(0) * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    s.grad
    """,
)
jacobian(
    "attention-gradients",
    "The cotangents of queries, keys and values.",
    """
    leaves = [t.double().requires_grad_() for t in (q, k, v)]
    out = attend(*leaves)
    gs = torch.autograd.grad(out, leaves, torch.arange(6.0).double().reshape(3, 2))
    [[[round(x, 6) + 0.0 for x in row] for row in g.tolist()] for g in gs]
    """,
    setup=X,
)

# ------------------------------------------------------------------------------
mask = Theme(ROWS, 21, "Masks", "what-may-a-place-look-at")
mask(
    "causal-mask",
    "`is_causal`: place i sees the places 0 … i; it is the mask below the diagonal.",
    """
    masked = attend(q, k, v, may)
    torch.equal(attend(q, k, v, is_causal=True), masked), masked[0]
    """,
    setup=X,
)
mask(
    "causal-mask-not-square",
    "With fewer queries than keys, the triangle begins at the upper left.",
    "attend(q[:2], k, v, is_causal=True)[0], attend(q[:2], k, v, may[:2])[0]",
    setup=X,
)
mask(
    "nothing-from-later-places",
    "A hidden value changes nothing, and gets no gradient.",
    """
    w = v.clone().requires_grad_()
    attend(q, k, w, is_causal=True)[:2].sum().backward()
    changed = v.clone()
    changed[2] = 99.0
    one, two = (attend(q, k, t, is_causal=True)[:2] for t in (v, changed))
    w.grad[2], torch.equal(one, two)
    """,
    setup=X,
)
mask(
    "float-mask-is-added",
    "A float mask is added to the scaled scores.",
    """
    added = torch.tensor([0.0, -1.0, 2.0])
    by_hand = (q @ k.T / 2**0.5 + added).softmax(1) @ v
    torch.allclose(attend(q, k, v, added.expand(3, 3)), by_hand)
    """,
    setup=X,
)
mask(
    "float-mask-has-a-gradient",
    "A float mask can be learned.",
    """
    added = torch.zeros(3, 3, requires_grad=True)
    attend(q, k, v, added)[0, 0].backward()
    added.grad[0].sum().abs() < 1e-5, added.grad[1:]
    """,
    setup=X,
)
mask(
    "mask-and-causal",
    "A mask and `is_causal` together are refused.",
    "attend(q, k, v, may, is_causal=True)",
    setup=X,
    raises="RuntimeError: Explicit attn_mask should not be set when is_causal=True",
)
mask(
    "mask-of-integers",
    "A mask is bool, or has the dtype of the queries.",
    "attend(q, k, v, may.long())",
    setup=X,
    raises="RuntimeError: Expected attn_mask dtype to be bool or float",
)
mask(
    "mask-larger-than-scores",
    "A mask repeats to the shape of the scores, not the other way round.",
    "attend(q, k, v, torch.ones(2, 3, 3))",
    setup=X,
    raises="RuntimeError: output with shape [3, 3] doesn't match the broadcast shape",
)
mask(
    "all-hidden-is-zero",
    "A place that sees nothing gets zeros from the function.",
    "attend(q, k, v, torch.zeros(3, 3, dtype=torch.bool))",
    setup=X,
)
mask(
    "shared-keys",
    "With `enable_gqa` neighbouring heads of queries share a head of keys.",
    """
    heads = torch.stack([q, 2 * q, 3 * q, 4 * q])
    keys, values = torch.stack([k, -k]), torch.stack([v, 3 * v])
    out = attend(heads, keys, values, enable_gqa=True)
    by_hand = attend(2 * q, k, v), attend(3 * q, -k, 3 * v)
    [torch.allclose(x, y) for x, y in zip(out[1:3], by_hand)]
    """,
    setup=X,
)

# ------------------------------------------------------------------------------
heads = Theme(ROWS, 21, "Several heads", "why-several-heads")
heads("attention-module-repr", "What the module shows.", "look", setup=M)
heads(
    "attention-module-parameters",
    "Three maps lie in one parameter.",
    "[(name, tuple(p.shape)) for name, p in look.named_parameters()]",
    setup=M,
)
heads(
    "attention-module-apart",
    "With another width of keys, in three.",
    """
    other = torch.nn.MultiheadAttention(4, 2, kdim=3)
    [(name, tuple(p.shape)) for name, p in other.named_parameters()]
    """,
)
heads(
    "attention-module-shapes",
    "The first axis is the place, unless `batch_first`; shares are the mean of heads.",
    """
    y = torch.randn(5, 1, 4)
    shapes = [tuple(t.shape) for t in look(x, y, y)]
    shapes, tuple(look(x, y, y, average_attn_weights=False)[1].shape)
    """,
    setup=M,
)
heads(
    "attention-module-without-shares",
    "Without `need_weights` there are no shares, and the same result.",
    """
    out, none = look(x, x, x, need_weights=False)
    none, torch.allclose(out, look(x, x, x)[0], atol=1e-6)
    """,
    setup=M,
)
heads(
    "attention-module-by-hand",
    "The module is: maps, heads, attention, a map.",
    """
    y = torch.nn.functional.linear(x[:, 0], look.in_proj_weight, look.in_proj_bias)
    q, k, v = (t.reshape(3, 2, 2).transpose(0, 1) for t in y.chunk(3, 1))
    out = torch.nn.functional.scaled_dot_product_attention(q, k, v)
    by_hand = look.out_proj(out.transpose(0, 1).reshape(3, 4))
    torch.allclose(look(x, x, x)[0][:, 0], by_hand, atol=1e-6)
    """,
    setup=M,
)
heads(
    "attention-module-widths",
    "The width is divided among the heads.",
    "torch.nn.MultiheadAttention(5, 2)",
    raises="AssertionError: embed_dim must be divisible by num_heads",
)
heads(
    "attention-module-hint",
    "Here `is_causal` is a hint about the mask, and needs one.",
    "look(x, x, x, is_causal=True)",
    setup=M,
    raises="RuntimeError: Need attn_mask if specifying the is_causal hint",
)

# ------------------------------------------------------------------------------
net = Theme(ROWS, 21, "The rest of a transformer", "what-else-is-in-a-transformer")
net(
    "gelu-tanh",
    "The form of gelu with tanh, and its slope.",
    """
    x = torch.tensor([-1.0, 0.0, 2.0], dtype=torch.float64, requires_grad=True)
    y = torch.nn.functional.gelu(x, approximate="tanh")
    y.sum().backward()
    y, x.grad, y.grad_fn.name()
    """,
)
net(
    "encoder-layer-by-hand",
    "A block of PyTorch's has its norms after the sums, unless `norm_first`.",
    """
    torch.manual_seed(0)
    block = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    x = torch.randn(3, 1, 4)
    y = block.norm1(x + block.self_attn(x, x, x)[0])
    by_hand = block.norm2(y + block.linear2(block.linear1(y).relu()))
    torch.allclose(block(x), by_hand, atol=1e-6), block.norm_first
    """,
)
net(
    "encoder-knows-no-order",
    "Without a mask, places that change seats change results with them.",
    """
    torch.manual_seed(0)
    block = torch.nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0)
    net = torch.nn.TransformerEncoder(block, 2, enable_nested_tensor=False)
    x, order = torch.randn(5, 1, 4), torch.tensor([3, 0, 4, 1, 2])
    torch.allclose(net(x[order]), net(x)[order], atol=1e-6), len(net.layers)
    """,
)
net(
    "loss-of-a-blind-guess",
    "Equal logits cost log n.",
    """
    loss = torch.nn.functional.cross_entropy(torch.zeros(5, 72), torch.arange(5))
    round(loss.item(), 4)
    """,
)
net(
    "two-groups",
    "Groups may differ in their weight decay.",
    """
    w, b = torch.nn.Linear(2, 2).parameters()
    groups = [{"params": [w]}, {"params": [b], "weight_decay": 0.0}]
    o = torch.optim.AdamW(groups, lr=0.1, weight_decay=0.5)
    [g["weight_decay"] for g in o.param_groups]
    """,
)
net(
    "warm-up-then-cosine",
    "A schedule that warms up, and then falls like a cosine.",
    """
    o = torch.optim.AdamW([torch.ones(1, requires_grad=True)], lr=1.0)
    s = torch.optim.lr_scheduler
    parts = [s.LinearLR(o, 0.5, total_iters=2), s.CosineAnnealingLR(o, 4)]
    both, rates = s.SequentialLR(o, parts, [2]), []
    for _ in range(6):
        rates.append(round(both.get_last_lr()[0], 6))
        o.step()
        both.step()
    rates
    """,
)

# ------------------------------------------------------------------------------
model = Theme(ROWS, 21, "A language model", "how-is-a-language-model-put-together")
model(
    "multinomial",
    "`multinomial` draws in proportion to weights, no place twice, unless asked to.",
    """
    torch.manual_seed(0)
    p = torch.tensor([[0.1, 0.2, 0.7], [1.0, 0.0, 0.0]])
    torch.multinomial(p, 1), torch.multinomial(p[0], 3), torch.multinomial(p, 5, True)
    """,
)
model(
    "multinomial-too-many",
    "More draws than places need replacement.",
    "torch.multinomial(torch.ones(3), 4)",
    raises="RuntimeError: cannot sample n_sample > prob_dist.size(-1) samples",
)
model(
    "order-is-lost-without-places",
    "Attention does not know the order of its keys.",
    """
    torch.manual_seed(0)
    q, k, v = torch.randn(3, 4, 2)
    order = torch.tensor([2, 0, 3, 1])
    attend = torch.nn.functional.scaled_dot_product_attention
    torch.allclose(attend(q, k, v), attend(q, k[order], v[order]), atol=1e-6)
    """,
)

# ------------------------------------------------------------------------------
trap = Theme(ROWS, 21, "Traps of attention", "traps")
trap(
    "two-meanings-of-true",
    "In the function True means look, in the module hidden.",
    """
    ones = torch.eye(3)
    one = attend(ones, ones, ones, may)[0]
    torch.manual_seed(0)
    one, torch.nn.MultiheadAttention(3, 1)(ones, ones, ones, attn_mask=~may)[1][0]
    """,
    setup=X,
)
trap(
    "mask-after-softmax",
    "Shares that are set to zero after the softmax still know what was hidden.",
    """
    s, t = torch.tensor([1.0, 0.0]), torch.tensor([1.0, 5.0])
    s.softmax(0)[0], t.softmax(0)[0]
    """,
)
trap(
    "module-of-nothing-is-nan",
    "A place that sees nothing gets nan from the module, if it is asked for shares.",
    "look(x, x, x, attn_mask=torch.ones(3, 3).bool())[1].isnan().all()",
    setup=M,
)
trap(
    "zero-times-infinity",
    "A mask of -inf is set, not multiplied: 0 · inf is nan.",
    """
    hidden = torch.tensor([True, False])
    hidden.float() * -float('inf'), torch.zeros(2).masked_fill(hidden, -float('inf'))
    """,
)
