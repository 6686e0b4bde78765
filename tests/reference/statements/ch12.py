"""What Chapter 12 says: hooks on tensors, leaves, nodes and saved values."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

START = """\
log = []
x = torch.tensor([1.0, 2.0], requires_grad=True)
w = torch.tensor([3.0, 4.0], requires_grad=True)
h = x * w
"""

# ------------------------------------------------------------------------------
answer = Theme(ROWS, 12, "What a tensor's hook may answer", "what-may-a-hook-answer")

for name, says, code in [
    (
        "hook-reads",
        "A hook sees the gradient, and answering None it changes nothing.",
        "h.register_hook(log.append)\nh.sum().backward()\nlog, x.grad",
    ),
    (
        "hook-replaces",
        "What a hook answers goes on in the gradient's place.",
        "h.register_hook(lambda g: g * 10)\nh.sum().backward()\nx.grad, w.grad",
    ),
    (
        "hooks-in-order",
        "Hooks run in the order of their registration.",
        "x.register_hook(lambda g: g + 1)\nx.register_hook(lambda g: g * 10)\n"
        "h.sum().backward()\nx.grad",
    ),
    (
        "hook-sees-the-sum",
        "A hook is called once a pass, with the sum over all uses.",
        "h.register_hook(log.append)\n(h * h + h).sum().backward()\nlog",
    ),
    (
        "hook-and-retained-gradient",
        "The retained gradient is the one after all hooks.",
        "h.retain_grad()\nh.register_hook(lambda g: g * 10)\n"
        "h.sum().backward()\nh.grad",
    ),
    (
        "hook-removed",
        "A handle takes its hook away, and may do so twice.",
        "handle = x.register_hook(lambda g: g * 10)\nhandle.remove()\n"
        "handle.remove()\nh.sum().backward()\nx.grad",
    ),
    (
        "hook-in-a-with-block",
        "A handle is a context manager.",
        "with x.register_hook(lambda g: g * 10):\n    h.sum().backward()\n"
        "(x * w).sum().backward()\nx.grad",
    ),
    (
        "hook-under-grad",
        "Hooks run under `autograd.grad`, too, those of the input among them.",
        "x.register_hook(lambda g: g * 10)\ntorch.autograd.grad(h.sum(), x)",
    ),
    (
        "hook-is-recorded",
        "With `create_graph` the replacement has a gradient.",
        "x.register_hook(lambda g: g * x)\n"
        "g, = torch.autograd.grad((x * x).sum(), x, create_graph=True)\n"
        "torch.autograd.grad(g.sum(), x)",
    ),
    (
        "hook-sits-on-the-node",
        "A hook stays with the node when a name moves on.",
        "h.register_hook(lambda g: g * 0)\nh = x * w\nh.sum().backward()\nx.grad",
    ),
    (
        "hook-without-return",
        "A hook that forgets to return changes nothing.",
        "def hook(g):\n    g.clamp(-1, 1)\nx.register_hook(hook)\n"
        "h.sum().backward()\nx.grad",
    ),
]:
    answer(name, says, code, setup=START)

for name, says, code, raises in [
    (
        "hook-answers-a-number",
        "A hook answers a tensor, or None.",
        "x.register_hook(lambda g: 3.0)\nh.sum().backward()",
        "TypeError: expected Variable, but hook returned 'float'",
    ),
    (
        "hook-answers-another-shape",
        "The shape stays.",
        "x.register_hook(lambda g: g.sum())\nh.sum().backward()",
        "RuntimeError: has changed the size of value",
    ),
    (
        "hook-answers-another-dtype",
        "The dtype stays.",
        "x.register_hook(lambda g: g.double())\nh.sum().backward()",
        "RuntimeError: has changed the type of value",
    ),
    (
        "hook-where-no-gradient-comes",
        "A constant has no hooks.",
        "h.detach().register_hook(print)",
        "RuntimeError: cannot register a hook on a tensor that doesn't require "
        "gradient",
    ),
]:
    answer(name, says, code, setup=START, raises=raises)

# ------------------------------------------------------------------------------
leaf = Theme(ROWS, 12, "Hooks of a leaf", "what-happens-at-a-leaf")
leaf(
    "hook-before-accumulation",
    "An ordinary hook runs before the gradient is added.",
    "x.grad = torch.ones(2)\n"
    "x.register_hook(lambda g: log.append((g, x.grad.clone())) or None)\n"
    "h.sum().backward()\nlog, x.grad",
    setup=START,
)
leaf(
    "hook-after-accumulation",
    "A post-accumulate hook gets the leaf, after.",
    "x.grad = torch.ones(2)\n"
    "x.register_post_accumulate_grad_hook(lambda p: log.append((p is x, p.grad)))\n"
    "h.sum().backward()\nlog",
    setup=START,
)
leaf(
    "hook-after-accumulation-answers",
    "It has nothing to answer.",
    "x.register_post_accumulate_grad_hook(lambda p: p.grad)\nh.sum().backward()",
    setup=START,
    raises="RuntimeError: Tensor post accumulate grad hooks should return None",
)
leaf(
    "hook-after-accumulation-on-a-result",
    "Nothing accumulates at a result.",
    "h.register_post_accumulate_grad_hook(print)",
    setup=START,
    raises="RuntimeError: post accumulate grad hooks cannot be registered on non-leaf "
    "tensors",
)
leaf(
    "hook-after-accumulation-under-grad",
    "`autograd.grad` delivers nothing, so it does not run.",
    "x.register_post_accumulate_grad_hook(lambda p: log.append(p))\n"
    "torch.autograd.grad(h.sum(), x)\nlog",
    setup=START,
)

# ------------------------------------------------------------------------------
step = Theme(ROWS, 12, "Hooks of a node", "can-the-step-be-watched-too")
step(
    "node-hook-sees",
    "A node's hook sees what is sent, and what was given.",
    "h.grad_fn.register_hook(lambda sent, given: log.append((sent, given)))\n"
    "h.sum().backward()\nlog",
    setup=START,
)
step(
    "node-hook-replaces",
    "And may answer with another tuple; None sends nothing.",
    "h.grad_fn.register_hook(lambda sent, given: (sent[0] * 10, None))\n"
    "h.sum().backward()\nx.grad, w.grad",
    setup=START,
)
step(
    "node-prehook-replaces",
    "A prehook replaces what the node is given.",
    "h.grad_fn.register_prehook(lambda given: (given[0] * 10,))\n"
    "h.sum().backward()\nx.grad, w.grad",
    setup=START,
)
step(
    "node-hook-answers-no-tuple",
    "A tuple it must be.",
    "h.grad_fn.register_hook(lambda sent, given: sent[0])\nh.sum().backward()",
    setup=START,
    raises="TypeError: expected tuple, but hook returned 'Tensor'",
)
step(
    "node-hook-answers-too-few",
    "With one entry for each.",
    "h.grad_fn.register_hook(lambda sent, given: sent[:1])\nh.sum().backward()",
    setup=START,
    raises="RuntimeError: has returned an incorrect number of values (got 1, but "
    "expected 2)",
)
step(
    "node-hook-answers-for-none",
    "And None stays None.",
    "h = x * torch.ones(2)\n"
    "h.grad_fn.register_hook(lambda sent, given: (sent[0], sent[0]))\n"
    "h.sum().backward()",
    setup=START,
    raises="RuntimeError: can't replace a None gradient with a non-None value",
)

# ------------------------------------------------------------------------------
order = Theme(ROWS, 12, "The order of hooks", "in-which-order")
NOTE = START + "def note(name):\n    return lambda *given: log.append(name)\n"
order(
    "order-of-all-hooks",
    "Tensor, prehook, hook; at a leaf, what comes after accumulation before the last.",
    "mailbox = h.grad_fn.next_functions[0][0]\n"
    "mailbox.register_hook(note('mailbox: hook'))\n"
    "x.register_post_accumulate_grad_hook(note('x: accumulated'))\n"
    "mailbox.register_prehook(note('mailbox: prehook'))\n"
    "x.register_hook(note('x'))\n"
    "h.grad_fn.register_hook(note('node: hook'))\n"
    "h.grad_fn.register_prehook(note('node: prehook'))\n"
    "h.register_hook(note('h'))\nh.sum().backward()\nlog",
    setup=NOTE,
)
order(
    "hooks-at-the-goal",
    "Where a pass ends, the tensor's hooks run and the node's do not.",
    "h.register_hook(note('h'))\nh.grad_fn.register_hook(note('node'))\n"
    "torch.autograd.grad(h.sum(), h)\nlog",
    setup=NOTE,
)

# ------------------------------------------------------------------------------
several = Theme(ROWS, 12, "Hooks of several tensors", "how-do-you-wait-for-several")
MULTI = START + "wait = torch.autograd.graph.register_multi_grad_hook\n"
several(
    "multi-all",
    "In mode all, one call with all gradients.",
    "wait([x, w], log.append)\nh.sum().backward()\nlog",
    setup=MULTI,
)
several(
    "multi-all-unreached",
    "A tensor that the pass does not reach is None.",
    "wait([x, w], log.append)\n(x * 2).sum().backward()\nlog",
    setup=MULTI,
)
several(
    "multi-any",
    "In mode any, the first gradient of a pass.",
    "wait([x, h], log.append, mode='any')\nh.sum().backward()\nlog",
    setup=MULTI,
)
several(
    "multi-mode",
    "There is no other mode.",
    "wait([x], print, mode='some')",
    setup=MULTI,
    raises="ValueError: Expects mode to be one of ('all', 'any') but got some",
)

# ------------------------------------------------------------------------------
saved = Theme(
    ROWS,
    12,
    "Hooks of saved values",
    "can-somebody-else-keep-what-a-node-has-saved",
)
SAVED = START + "saving = torch.autograd.graph.saved_tensors_hooks\n"
saved(
    "saved-packed",
    "What is packed is unpacked for the node's step.",
    "with saving(lambda t: t.tolist(), torch.tensor):\n    h = x * w\n"
    "h.sum().backward()\nx.grad, w.grad",
    setup=SAVED,
)
saved(
    "saved-changed",
    "The values of the forward pass do not change, the gradients may.",
    "with saving(lambda t: t * 10, lambda t: t):\n    h = x * w\n"
    "h.sum().backward()\nh.detach(), x.grad",
    setup=SAVED,
)
saved(
    "saved-what",
    "A product packs both operands; a sum packs nothing.",
    "with saving(lambda t: log.append(t) or t, lambda t: t):\n"
    "    h = x * w\n    (x + w).sum()\nlen(log)",
    setup=SAVED,
)
saved(
    "saved-innermost",
    "The innermost block decides.",
    "with saving(lambda t: log.append('outer') or t, lambda t: t):\n"
    "    with saving(lambda t: log.append('inner') or t, lambda t: t):\n"
    "        x.exp()\n    x.exp()\nlog",
    setup=SAVED,
)
saved(
    "saved-unpacked-whole",
    "A node unpacks all that it has saved, also what no rule will read.",
    "with saving(lambda t: t, lambda t: log.append(t.tolist()) or t):\n    h = x * w\n"
    "torch.autograd.grad(h.sum(), x)\nsorted(log)",
    setup=SAVED,
)
saved(
    "saved-no-tensor",
    "Unpacking gives a tensor.",
    "with saving(lambda t: t, lambda t: 3.0):\n    h = x * w\nh.sum().backward()",
    setup=SAVED,
    raises="TypeError: Output of saved tensor unpack_hook expected to be a Tensor but "
    "got result of type float",
)
saved(
    "saved-disabled",
    "Such blocks can be refused.",
    "refuse = torch.autograd.graph.disable_saved_tensors_hooks('not here')\n"
    "refuse(saving(lambda t: t, lambda t: t).__enter__)()",
    setup=SAVED,
    raises="RuntimeError: not here",
)

# ------------------------------------------------------------------------------
moved = Theme(ROWS, 12, "Hooks and changes in place", "what-may-a-hook-answer")
moved(
    "hook-stays-with-the-old-node",
    "After a change in place a hook stays behind, and `retain_grad` moves along.",
    """
    log = []
    x = torch.tensor([1.0, -2.0], requires_grad=True)
    h = x * 3
    h.register_hook(lambda g: log.append(g.tolist()))
    h.retain_grad()
    h.relu_()
    (h * 10).sum().backward()
    log, h.grad, x.grad
    """,
)
