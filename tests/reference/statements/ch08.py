"""What Chapter 8 says: leaves, modes, and changing values by hand."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

# ------------------------------------------------------------------------------
table = Theme(
    ROWS,
    8,
    "Leaf or not: every way to come into being",
    "what-does-a-tensor-become-by-the-way-it-is-made",
)

FLAGS = "(t.is_leaf, t.requires_grad, t.grad_fn)"
for name, says, expression in [
    ("made", "Made by hand.", "torch.ones(1)"),
    (
        "made-with-flag",
        "Made with `requires_grad`.",
        "torch.ones(1, requires_grad=True)",
    ),
    ("from-numpy", "From an array.", "torch.from_numpy(np.ones(1))"),
    (
        "result-without",
        "A result of tensors that want no gradient.",
        "torch.ones(1) * torch.ones(1)",
    ),
    (
        "result-with",
        "A result of one that does.",
        "torch.ones(1, requires_grad=True) * torch.ones(1)",
    ),
    ("detached", "Detached.", "(torch.ones(1, requires_grad=True) * 2).detach()"),
    ("data", "By `.data`.", "(torch.ones(1, requires_grad=True) * 2).data"),
    (
        "cloned",
        "A clone of a leaf that wants a gradient is a result.",
        "torch.ones(1, requires_grad=True).clone()",
    ),
    (
        "cloned-without",
        "A clone of one that does not is a leaf.",
        "torch.ones(1).clone()",
    ),
    (
        "converted",
        "Converted to another dtype: a result.",
        "torch.ones(1, requires_grad=True).double()",
    ),
    (
        "converted-same",
        "Converted to its own dtype: itself.",
        "torch.ones(1, requires_grad=True).float()",
    ),
    ("viewed", "A view: a result.", "torch.ones(1, requires_grad=True).view(1, 1)"),
    (
        "like",
        "Made like another.",
        "torch.zeros_like(torch.ones(1, requires_grad=True))",
    ),
    ("compared", "A comparison.", "torch.ones(1, requires_grad=True) > 0"),
    (
        "flag-set-on-detached",
        "Detached, then asked to collect.",
        "(torch.ones(1, requires_grad=True) * 2).detach().requires_grad_()",
    ),
    ("ints", "Integers.", "torch.arange(2)"),
]:
    table(f"leaf-{name}", says, f"t = {expression}\n{FLAGS}")
table(
    "leaf-under-no-grad",
    "A result under `no_grad`.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        t = x * 2
    (t.is_leaf, t.requires_grad, t.grad_fn)
    """,
)
table(
    "leaf-clone-under-no-grad",
    "A clone under `no_grad`.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        t = x.clone()
    (t.is_leaf, t.requires_grad, t.grad_fn)
    """,
)
table(
    "leaf-made-under-no-grad",
    "Made under `no_grad` with the flag: still asks.",
    """
    with torch.no_grad():
        t = torch.ones(1, requires_grad=True)
    (t.is_leaf, t.requires_grad, t.grad_fn)
    """,
)
table(
    "leaf-grad",
    "A gradient.",
    """
    x = torch.ones(1, requires_grad=True)
    (x * 2).backward()
    t = x.grad
    (t.is_leaf, t.requires_grad, t.grad_fn)
    """,
)
table(
    "leaf-grad-create-graph",
    "A gradient under `create_graph`.",
    """
    x = torch.ones(1, requires_grad=True)
    t, = torch.autograd.grad(x * x, x, create_graph=True)
    (t.is_leaf, t.requires_grad, t.grad_fn)
    """,
)
table(
    "non-leaf-flag-off",
    "The flag of a non-leaf cannot be cleared.",
    """
    h = torch.ones(1, requires_grad=True) * 2
    h.requires_grad_(False)
    """,
    raises="RuntimeError: you can only change requires_grad flags of leaf variables. "
    "… detach()",
)
table(
    "leaf-flag-off-after-use",
    "A leaf's can, also after use.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    x.requires_grad_(False)
    (x.requires_grad, y.requires_grad)
    """,
)
table(
    "leaf-flag-off-before-backward",
    "A leaf whose flag is cleared before the pass collects nothing.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    x.requires_grad_(False)
    y.sum().backward()
    x.grad
    """,
)
# ------------------------------------------------------------------------------
cutting = Theme(ROWS, 8, "detach, data and clone", "which-scissors-do-you-need")
cutting(
    "detach-shares",
    "`detach` shares memory.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.detach().numpy()[0] = 7
    x
    """,
)
cutting(
    "detach-of-0d-shares",
    "Also for one number.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    d = x.detach()
    d.fill_(5.0)
    x
    """,
)
cutting(
    "detach-is-another-tensor",
    "It is another tensor: the original keeps its history.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    y = x * x
    d = y.detach()
    y.backward()
    (d, x.grad)
    """,
)
cutting(
    "detach-blocks-the-gradient",
    "Nothing flows through it.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (x * x.detach()).backward()
    x.grad
    """,
)
cutting(
    "detach-all-is-error",
    "If everything is detached, `backward` says so.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (x.detach() * 2).backward()
    """,
    raises="RuntimeError: element 0 of tensors does not require grad and does not "
    "have a grad_fn",
)
cutting(
    "detach-in-place",
    "`detach_` makes the tensor itself a leaf.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * 2
    (y.detach_() is y, y.is_leaf, y.requires_grad, y.grad_fn)
    """,
)
cutting(
    "detach-in-place-of-leaf",
    "On a leaf it clears the flag.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    x.detach_()
    x.requires_grad
    """,
)
cutting(
    "detach-in-place-leaves-the-rest",
    "What was computed before keeps its graph.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * 2
    y = h * 5
    h.detach_()
    y.backward()
    x.grad
    """,
)
cutting(
    "detach-in-place-before-backward",
    "A leaf that was detached in place before the pass collects nothing.",
    """
    x = torch.ones(2, requires_grad=True)
    y = (x * 2).sum()
    x.detach_()
    y.backward()
    x.grad
    """,
)
cutting(
    "data-shares",
    "`.data` is the same memory without history.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.data.fill_(4.0)
    x
    """,
)
cutting(
    "data-is-new-each-time",
    "It is a new tensor each time.",
    """
    x = torch.zeros(2)
    x.data is x.data
    """,
)
cutting(
    "data-assigned",
    "Assigning `.data` replaces the numbers, not the leaf.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.data = torch.ones(2)
    (x, x.is_leaf)
    """,
)
cutting(
    "data-assigned-shape",
    "Even the shape may change.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.data = torch.ones(3)
    x.shape
    """,
)
cutting(
    "data-assigned-int",
    "But not to integers, on a leaf that wants a gradient.",
    """
    x = torch.zeros(2, requires_grad=True)
    x.data = torch.tensor([1, 2])
    """,
    raises="RuntimeError: data set to a tensor that requires gradients must be "
    "floating point or complex dtype",
)
cutting(
    "data-assigned-number",
    "And a number is no data.",
    """
    x = torch.zeros(2)
    x.data = 1.0
    """,
    raises="TypeError: Variable data has to be a tensor, but got float",
)
cutting(
    "clone-copies",
    "`clone` copies the numbers …",
    """
    x = torch.zeros(2)
    y = x.clone()
    y.numpy()[0] = 7
    x
    """,
)
cutting(
    "clone-passes-gradient",
    "… and passes the gradient on.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    (x.clone() * 2).backward()
    x.grad
    """,
)
cutting(
    "detach-clone",
    "A free copy: `detach().clone()`.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x.detach().clone()
    y.numpy()[0] = 7
    (x, y)
    """,
)

cutting(
    "detach-one-factor",
    "Half of a square, detached.",
    """
    x = torch.tensor([3.0], requires_grad=True)
    (x * x.detach()).sum().backward()
    x.grad
    """,
)
cutting(
    "grad-of-a-leaf-whose-flag-is-gone",
    "Nobody can ask for the gradient of a leaf whose flag is gone.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    x.requires_grad_(False)
    torch.autograd.grad(y.sum(), x)
    """,
    raises="RuntimeError: One of the differentiated Tensors does not require grad",
)
# ------------------------------------------------------------------------------
keeping = Theme(
    ROWS,
    8,
    "retain_grad: gradients of what is no leaf",
    "why-does-h-grad-say-none",
)
keeping(
    "retain-grad",
    "`retain_grad` keeps the gradient of a result.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    (h * 2).backward()
    (h.grad, x.grad)
    """,
)
keeping(
    "retain-grad-returns-none",
    "It returns nothing.",
    "(torch.ones(1, requires_grad=True) * 2).retain_grad()",
)
keeping(
    "retains-grad-flag",
    "`retains_grad` tells.",
    """
    h = torch.ones(1, requires_grad=True) * 2
    before = h.retains_grad
    h.retain_grad()
    (before, h.retains_grad)
    """,
)
keeping(
    "retain-grad-on-leaf",
    "On a leaf it does nothing.",
    """
    x = torch.ones(1, requires_grad=True)
    x.retain_grad()
    x.retains_grad
    """,
)
keeping(
    "retain-grad-without-grad",
    "On a tensor that requires no gradient it is an error.",
    "torch.ones(1).retain_grad()",
    raises="RuntimeError: can't retain_grad on Tensor that has requires_grad=False",
)
keeping(
    "retain-grad-before-backward-is-none",
    "Before the pass, None, and no warning.",
    """
    h = torch.ones(1, requires_grad=True) * 2
    h.retain_grad()
    h.grad
    """,
)
keeping(
    "retain-grad-accumulates",
    "It adds up, as a leaf's does.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x + 1
    h.retain_grad()
    (h * 2).backward()
    (h * 5).backward()
    h.grad
    """,
)
keeping(
    "retain-grad-twice",
    "Called twice, it keeps it once.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    h.retain_grad()
    (h * 2).backward()
    h.grad
    """,
)
keeping(
    "retain-grad-on-the-output",
    "On the output itself: 1.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    y.retain_grad()
    y.backward()
    y.grad
    """,
)
keeping(
    "retain-grad-sums-all-uses",
    "All uses have been summed by then.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    (h * 2 + h * h).backward()
    h.grad
    """,
)
keeping(
    "retain-grad-after-backward",
    "Too late, it has nothing to keep.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    (h * 2).backward()
    h.retain_grad()
    h.grad
    """,
)
keeping(
    "retain-grad-has-no-history",
    "What is kept is a plain tensor.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    (h * 2).backward()
    (h.grad.requires_grad, h.grad.is_leaf)
    """,
)
keeping(
    "retain-grad-create-graph",
    "Under `create_graph`, what is kept has a history.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    (h * h).backward(create_graph=True)
    h.grad
    """,
    warns="UserWarning: reference cycle",
)
keeping(
    "retain-grad-under-autograd-grad",
    "`autograd.grad` fills it as well, if it passes by.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    torch.autograd.grad(h * 2, x)
    h.grad
    """,
)
keeping(
    "retain-grad-and-inputs",
    "With `inputs=` elsewhere, it is filled if it is passed.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    h = x * x
    h.retain_grad()
    (h * 2).backward(inputs=[x])
    h.grad
    """,
)

keeping(
    "retained-with-the-graph-of-its-own",
    "Under `create_graph` the retained gradient has a history.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * 2
    y.retain_grad()
    (y * y).sum().backward(create_graph=True)
    y.grad.requires_grad
    """,
    warns="UserWarning: create_graph=True will create a reference cycle",
)
keeping(
    "retain-under-inputs",
    "A retained result keeps its gradient, though only the leaf was asked for.",
    """
    x = torch.ones(2, requires_grad=True)
    y = x * x
    y.retain_grad()
    (y * 3).sum().backward(inputs=[x])
    (y.grad, x.grad)
    """,
)
# ------------------------------------------------------------------------------
modes = Theme(
    ROWS,
    8,
    "no_grad, enable_grad, set_grad_enabled",
    "how-do-you-compute-without-recording",
)
modes(
    "recording-is-on",
    "Recording is on, to begin with.",
    "torch.is_grad_enabled()",
)
modes(
    "no-grad",
    "Under `no_grad`, results are leaves.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        y = x * 2
    (y.requires_grad, torch.is_grad_enabled())
    """,
)
modes(
    "no-grad-says-so",
    "Inside, `is_grad_enabled()` is False.",
    """
    with torch.no_grad():
        inside = torch.is_grad_enabled()
    inside
    """,
)
modes(
    "no-grad-leaves-leaves-alone",
    "The flag of a leaf is not touched.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        inside = x.requires_grad
    inside
    """,
)
modes(
    "enable-grad-inside",
    "`enable_grad` inside turns it on again.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.no_grad():
        with torch.enable_grad():
            y = x * 2
        z = x * 2
    (y.requires_grad, z.requires_grad)
    """,
)
modes(
    "nested-no-grad",
    "Leaving the inner of two leaves the outer in force.",
    """
    with torch.no_grad():
        with torch.no_grad():
            pass
        inside = torch.is_grad_enabled()
    (inside, torch.is_grad_enabled())
    """,
)
modes(
    "no-grad-after-exception",
    "What was before comes back after an exception.",
    """
    try:
        with torch.no_grad():
            raise ValueError
    except ValueError:
        pass
    torch.is_grad_enabled()
    """,
)
modes(
    "no-grad-decorator",
    "`no_grad` decorates, with parentheses …",
    """
    @torch.no_grad()
    def f(x):
        return x * 2
    f(torch.ones(1, requires_grad=True)).requires_grad
    """,
)
modes(
    "no-grad-decorator-bare",
    "… or without.",
    """
    @torch.no_grad
    def f(x):
        return x * 2
    f(torch.ones(1, requires_grad=True)).requires_grad
    """,
)
modes(
    "enable-grad-decorator",
    "So does `enable_grad`.",
    """
    @torch.enable_grad()
    def f(x):
        return x * 2
    with torch.no_grad():
        y = f(torch.ones(1, requires_grad=True))
    y.requires_grad
    """,
)
modes(
    "decorator-keeps-the-name",
    "The function keeps its name and doc string.",
    """
    @torch.no_grad()
    def f(x):
        'Doubles.'
        return x * 2
    (f.__name__, f.__doc__)
    """,
)
modes(
    "decorator-recursive",
    "A recursive function may be decorated.",
    """
    @torch.no_grad()
    def f(n):
        return n if n == 0 else f(n - 1)
    (f(5), torch.is_grad_enabled())
    """,
)
modes(
    "decorator-exception",
    "An exception restores the mode.",
    """
    @torch.no_grad()
    def f():
        raise ValueError
    try:
        f()
    except ValueError:
        pass
    torch.is_grad_enabled()
    """,
)
modes(
    "decorator-generator",
    "A decorated generator runs in the mode, its user does not.",
    """
    @torch.no_grad()
    def f():
        yield torch.is_grad_enabled()
        yield torch.is_grad_enabled()
    [(inside, torch.is_grad_enabled()) for inside in f()]
    """,
)
modes(
    "decorator-generator-return",
    "Its return value and what is sent get through.",
    """
    @torch.no_grad()
    def f():
        got = yield 1
        return got
    def g():
        result = yield from f()
        yield result
    it = g()
    next(it)
    it.send('sent')
    """,
)
modes(
    "mode-object-reused",
    "One object can be entered again and again.",
    """
    off = torch.no_grad()
    seen = []
    for _ in range(2):
        with off:
            seen.append(torch.is_grad_enabled())
    (seen, torch.is_grad_enabled())
    """,
)
modes(
    "set-grad-enabled",
    "`set_grad_enabled(flag)` decides by a value.",
    """
    x = torch.ones(1, requires_grad=True)
    seen = []
    for training in (True, False):
        with torch.set_grad_enabled(training):
            seen.append((x * 2).requires_grad)
    seen
    """,
)
modes(
    "set-grad-enabled-as-a-call",
    "Called as a function, it takes effect at once.",
    """
    torch.set_grad_enabled(False)
    off = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    (off, torch.is_grad_enabled())
    """,
)
modes(
    "set-grad-enabled-restores",
    "As a context it restores.",
    """
    with torch.set_grad_enabled(False):
        pass
    torch.is_grad_enabled()
    """,
)
modes(
    "set-grad-enabled-decorator",
    "As a decorator it acts when the function runs.",
    """
    @torch.set_grad_enabled(False)
    def f():
        return torch.is_grad_enabled()
    (f(), torch.is_grad_enabled())
    """,
)
modes(
    "set-grad-enabled-wants-a-bool",
    "It takes a bool and nothing else.",
    "torch.set_grad_enabled('off')",
    raises="TypeError: must be bool, not str",
)
modes(
    "set-grad-enabled-repr",
    "It prints its mode.",
    """
    s = torch.set_grad_enabled(True)
    repr(s)
    """,
)
modes(
    "modes-live-in-autograd-too",
    "All of them are in `torch.autograd` as well.",
    "torch.no_grad is torch.autograd.no_grad",
)
modes(
    "mode-belongs-to-the-thread",
    "Another thread records as always.",
    """
    import threading
    seen = []
    with torch.no_grad():
        t = threading.Thread(target=lambda: seen.append(torch.is_grad_enabled()))
        t.start()
        t.join()
    seen
    """,
)
modes(
    "mode-of-a-thread-stays-there",
    "What a thread sets stays there.",
    """
    import threading
    t = threading.Thread(target=lambda: torch.set_grad_enabled(False))
    t.start()
    t.join()
    torch.is_grad_enabled()
    """,
)
modes(
    "backward-under-no-grad",
    "`backward` works under `no_grad`: the graph exists.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x * x
    with torch.no_grad():
        y.backward()
    x.grad
    """,
)
modes(
    "create-graph-under-no-grad",
    "`create_graph` records even there.",
    """
    x = torch.tensor(3.0, requires_grad=True)
    y = x ** 3
    with torch.no_grad():
        g, = torch.autograd.grad(y, x, create_graph=True)
    (g.requires_grad, torch.is_grad_enabled())
    """,
)
modes(
    "grad-mode-survives-a-failed-backward",
    "A failed pass leaves the mode as it was.",
    """
    x = torch.ones(2, requires_grad=True)
    with torch.no_grad():
        try:
            torch.autograd.grad((x * 2), x, create_graph=True)
        except RuntimeError:
            pass
        inside = torch.is_grad_enabled()
    (inside, torch.is_grad_enabled())
    """,
)

modes(
    "set-grad-enabled-inside-no-grad",
    "What is set inside a block ends with the block.",
    """
    with torch.set_grad_enabled(False):
        torch.set_grad_enabled(True)
        inside = torch.is_grad_enabled()
    (inside, torch.is_grad_enabled())
    """,
)
modes(
    "threads-add-to-one-gradient",
    "Backward passes in several threads add up.",
    """
    import threading
    x = torch.ones(3, requires_grad=True)
    def work():
        (x * 2).sum().backward()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    x.grad
    """,
)
# ------------------------------------------------------------------------------
inference = Theme(ROWS, 8, "inference_mode", "how-do-you-compute-without-recording")
inference(
    "inference-mode",
    "Results in `inference_mode` are not recorded.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.inference_mode():
        y = x * 2
    (y.requires_grad, y.is_leaf, y.is_inference())
    """,
)
inference(
    "inference-mode-off-outside",
    "It ends with the block.",
    """
    with torch.inference_mode():
        inside = torch.is_inference_mode_enabled()
    (inside, torch.is_inference_mode_enabled())
    """,
)
inference(
    "inference-disables-grad",
    "Inside, recording is off.",
    """
    with torch.inference_mode():
        inside = torch.is_grad_enabled()
    (inside, torch.is_grad_enabled())
    """,
)
inference(
    "enable-grad-in-inference",
    "`enable_grad` does not lift it.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.inference_mode():
        with torch.enable_grad():
            y = x * 2
    y.requires_grad
    """,
)
inference(
    "inference-tensor-cannot-be-saved",
    "Such a tensor cannot be saved for backward.",
    """
    with torch.inference_mode():
        c = torch.ones(1)
    x = torch.ones(1, requires_grad=True)
    x * c
    """,
    raises="RuntimeError: Inference tensors cannot be saved for backward",
)
inference(
    "inference-tensor-can-be-added",
    "Where nothing is saved, it may take part.",
    """
    with torch.inference_mode():
        c = torch.ones(1)
    x = torch.ones(1, requires_grad=True)
    x + c
    """,
)
inference(
    "inference-clone-is-normal",
    "A clone outside is a normal tensor.",
    """
    with torch.inference_mode():
        c = torch.ones(1)
    x = torch.ones(1, requires_grad=True)
    (x * c.clone()).requires_grad
    """,
)
inference(
    "inference-requires-grad-refused",
    "It cannot be asked to collect, outside.",
    """
    with torch.inference_mode():
        c = torch.ones(1)
    c.requires_grad_()
    """,
    raises="RuntimeError: Setting requires_grad=True on inference tensor outside "
    "InferenceMode is not allowed",
)
inference(
    "inference-detach",
    "Detaching or viewing it does not help: it is the same memory.",
    """
    with torch.inference_mode():
        c = torch.ones(2)
    (c.detach().is_inference(), c.view(1, 2).is_inference(), c.clone().is_inference())
    """,
)
inference(
    "inference-view-of-a-normal-tensor",
    "A view of a normal tensor stays normal.",
    """
    x = torch.ones(2)
    with torch.inference_mode():
        v = x.view(1, 2)
        w = x * 1
    (v.is_inference(), w.is_inference())
    """,
)
inference(
    "inference-in-place-outside",
    "It cannot be changed outside, either.",
    """
    with torch.inference_mode():
        c = torch.ones(2)
    c.add_(1)
    """,
    raises="RuntimeError: Inplace update to inference tensor outside InferenceMode "
    "is not allowed",
)
inference(
    "inference-result-outside",
    "What is computed from it outside is a normal tensor.",
    """
    with torch.inference_mode():
        c = torch.ones(2)
    (c * 2).is_inference()
    """,
)
inference(
    "inference-mode-false",
    "`inference_mode(False)` changes nothing.",
    """
    x = torch.ones(1, requires_grad=True)
    with torch.inference_mode(False):
        y = x * 2
    (y.requires_grad, y.is_inference())
    """,
)
inference(
    "inference-mode-decorator",
    "It decorates, with parentheses …",
    """
    @torch.inference_mode()
    def f(x):
        return x * 2
    f(torch.ones(1, requires_grad=True)).is_inference()
    """,
)
inference(
    "inference-mode-decorator-bare",
    "… or without.",
    """
    @torch.inference_mode
    def f(x):
        return x * 2
    f(torch.ones(1, requires_grad=True)).is_inference()
    """,
)
inference(
    "inference-mode-exception",
    "An exception ends it.",
    """
    try:
        with torch.inference_mode():
            raise ValueError
    except ValueError:
        pass
    torch.is_inference_mode_enabled()
    """,
)
inference(
    "normal-tensor-stays-normal",
    "A normal tensor stays one inside.",
    """
    x = torch.ones(1)
    with torch.inference_mode():
        inside = x.is_inference()
    inside
    """,
)
inference(
    "inference-mode-thread",
    "It belongs to the thread.",
    """
    import threading
    seen = []
    with torch.inference_mode():
        look = lambda: seen.append(torch.is_inference_mode_enabled())
        t = threading.Thread(target=look)
        t.start()
        t.join()
    seen
    """,
)

inference(
    "a-number-used-in-inference-mode",
    "A number that was first used in inference mode is a number like any other.",
    """
    with torch.inference_mode():
        torch.ones(2) * 7.25
    x = torch.ones(2, requires_grad=True)
    (x * 7.25).sum().backward()
    x.grad
    """,
)
inference(
    "views-are-what-they-show",
    "Views and detached views of a normal tensor are normal.",
    """
    x = torch.ones(3)
    with torch.inference_mode():
        seen = x.view(3, 1), x.detach(), x.data, x.clone(), x + 0
    [y.is_inference() for y in seen]
    """,
)
inference(
    "views-outside-of-what-was-made-inside",
    "And outside, those of an inference tensor carry its mark.",
    """
    with torch.inference_mode():
        x = torch.ones(3)
    [y.is_inference() for y in (x.view(3, 1), x.detach(), x.data, x.clone(), x + 0)]
    """,
)
inference(
    "what-detach-made-inside-can-be-saved",
    "So what `detach` made inside can be saved in a graph.",
    """
    x = torch.tensor([2.0, 3.0], requires_grad=True)
    with torch.inference_mode():
        c = x.detach()
    (c * x).sum().backward()
    x.grad
    """,
)
inference(
    "leaf-made-in-inference-mode",
    "A leaf made inside keeps its flag, and its products inside ask for nothing.",
    """
    with torch.inference_mode():
        x = torch.ones(2, requires_grad=True)
        y = x * 2
    (x.requires_grad, y.requires_grad, y.is_leaf)
    """,
)
inference(
    "enable-grad-in-inference-mode",
    "`enable_grad` inside does not bring recording back.",
    """
    with torch.inference_mode():
        with torch.enable_grad():
            y = torch.ones(2, requires_grad=True) * 2
    (y.requires_grad, y.is_inference())
    """,
)
# ------------------------------------------------------------------------------
updating = Theme(
    ROWS,
    8,
    "Changing a leaf: the step of an optimiser",
    "how-does-an-optimiser-change-a-leaf",
)

STEP = "x = torch.tensor([1.0, 2.0], requires_grad=True)\n(x ** 2).sum().backward()\n"
updating(
    "step-under-no-grad",
    "A step under `no_grad` keeps the leaf a leaf.",
    """
    with torch.no_grad():
        x -= 0.1 * x.grad
    (x, x.is_leaf)
    """,
    setup=STEP,
)
updating(
    "step-keeps-the-object",
    "It is the same tensor.",
    """
    before = x
    with torch.no_grad():
        x -= 0.1 * x.grad
    x is before
    """,
    setup=STEP,
)
updating(
    "step-without-no-grad",
    "Without `no_grad`, a leaf that wants a gradient refuses.",
    "x -= 0.1 * x.grad",
    setup=STEP,
    raises="RuntimeError: a leaf Variable that requires grad is being used in an "
    "in-place operation",
)
updating(
    "refused-step-changes-nothing",
    "The refusal changes no number.",
    """
    try:
        x -= 0.1 * x.grad
    except RuntimeError:
        pass
    x
    """,
    setup=STEP,
)
updating(
    "step-by-a-new-tensor",
    "`x = x - lr * g` makes a new tensor, which is no leaf …",
    """
    x = x - 0.1 * x.grad
    (x.is_leaf, x.grad_fn)
    """,
    setup=STEP,
)
updating(
    "step-by-a-new-tensor-has-no-grad",
    "… so the next pass leaves no gradient on it.",
    """
    x = x - 0.1 * x.grad
    (x ** 2).sum().backward()
    x.grad
    """,
    setup=STEP,
    warns="UserWarning: not a leaf Tensor",
)
updating(
    "new-tensor-under-no-grad",
    "Under `no_grad` it is a leaf, but one that wants nothing.",
    """
    with torch.no_grad():
        x = x - 0.1 * x.grad
    (x.is_leaf, x.requires_grad)
    """,
    setup=STEP,
)
updating(
    "step-on-data",
    "A step on `.data` works without `no_grad`.",
    """
    x.data -= 0.1 * x.grad
    (x, x.is_leaf)
    """,
    setup=STEP,
)
updating(
    "three-steps",
    "Three steps down x².",
    """
    x = torch.tensor(1.0, requires_grad=True)
    for _ in range(3):
        x.grad = None
        (x ** 2).backward()
        with torch.no_grad():
            x -= 0.25 * x.grad
    x
    """,
)
updating(
    "forgetting-to-zero",
    "Three steps without clearing `.grad` go astray.",
    """
    x = torch.tensor(1.0, requires_grad=True)
    for _ in range(3):
        (x ** 2).backward()
        with torch.no_grad():
            x -= 0.25 * x.grad
    x
    """,
)
updating(
    "zero-in-place",
    "`x.grad.zero_()` zeroes the gradient, in place.",
    """
    g = x.grad
    x.grad.zero_()
    (x.grad, g is x.grad)
    """,
    setup=STEP,
)
updating(
    "zero-if-not-none",
    "A careful way to clear: before any pass there is nothing to zero.",
    """
    x = torch.tensor([1.0], requires_grad=True)
    if x.grad is not None:
        x.grad.zero_()
    x.grad
    """,
)
updating(
    "zero-then-backward",
    "After `zero_` the next pass starts from 0.",
    """
    x.grad.zero_()
    (x * 3).sum().backward()
    x.grad
    """,
    setup=STEP,
)
updating(
    "in-place-methods",
    "The in-place methods return the tensor.",
    """
    x = torch.tensor([1.0, 2.0])
    [x.add_(1) is x, x.mul_(2) is x, x.sub_(1) is x, x.div_(2) is x, x]
    """,
)
updating(
    "in-place-operators",
    "`+=`, `-=`, `*=`, `/=` change the tensor.",
    """
    x = torch.tensor([1.0, 2.0])
    y = x
    x += 1
    x *= 2
    x -= 1
    x /= 2
    (y, x is y)
    """,
)
updating(
    "fill-copy-zero",
    "`fill_`, `copy_`, `zero_`.",
    """
    x = torch.zeros(2)
    a = x.fill_(3).tolist()
    b = x.copy_(torch.tensor([1, 2])).tolist()
    (a, b, x.zero_())
    """,
)
updating(
    "copy-broadcasts",
    "`copy_` broadcasts and converts.",
    """
    x = torch.zeros(2, 2)
    x.copy_(torch.tensor([1, 2]))
    """,
)
updating(
    "add-alpha-in-place",
    "`add_` takes the factor: `x.add_(g, alpha=-lr)`.",
    """
    with torch.no_grad():
        x.add_(x.grad, alpha=-0.1)
    x
    """,
    setup=STEP,
)
updating(
    "sub-in-place-refused-on-leaf",
    "The method refuses as the operator does.",
    """
    x = torch.ones(2, requires_grad=True)
    x.sub_(1)
    """,
    raises="RuntimeError: a leaf Variable that requires grad is being used in an "
    "in-place operation",
)
updating(
    "fill-refused-on-leaf",
    "So does `fill_`.",
    """
    x = torch.ones(2, requires_grad=True)
    x.fill_(1)
    """,
    raises="RuntimeError: a leaf Variable that requires grad is being used in an "
    "in-place operation",
)
updating(
    "zero-refused-on-leaf",
    "And `zero_`.",
    """
    x = torch.ones(2, requires_grad=True)
    x.zero_()
    """,
    raises="RuntimeError: a leaf Variable that requires grad is being used in an "
    "in-place operation",
)
updating(
    "copy-refused-on-leaf",
    "And `copy_`.",
    """
    x = torch.ones(2, requires_grad=True)
    x.copy_(torch.zeros(2))
    """,
    raises="RuntimeError: a leaf Variable that requires grad is being used in an "
    "in-place operation",
)
updating(
    "in-place-misfit",
    "The result has to fit: its shape cannot change.",
    """
    x = torch.ones(2)
    x += torch.ones(3, 2)
    """,
    raises="RuntimeError: output with shape [2] doesn't match the broadcast shape "
    "[3, 2]",
)
updating(
    "in-place-dtype",
    "Nor its dtype.",
    """
    x = torch.tensor([1, 2])
    x += 0.5
    """,
    raises="RuntimeError: result type Float can't be cast to the desired output type "
    "Long",
)
updating(
    "in-place-div-of-ints",
    "An integer tensor cannot be divided in place.",
    """
    x = torch.tensor([1, 2])
    x /= 2
    """,
    raises="RuntimeError: result type Float can't be cast to the desired output type "
    "Long",
)
updating(
    "in-place-keeps-dtype",
    "float32 stays float32 when float64 is added.",
    """
    x = torch.ones(2)
    x += torch.ones(2, dtype=torch.float64)
    x.dtype
    """,
)
updating(
    "in-place-seen-by-detached",
    "Who shares the memory sees the change.",
    """
    x = torch.ones(2, requires_grad=True)
    d = x.detach()
    with torch.no_grad():
        x += 1
    d
    """,
)
updating(
    "requires-grad-under-no-grad",
    "`requires_grad_` works under `no_grad`.",
    """
    with torch.no_grad():
        x = torch.ones(1).requires_grad_()
    x.requires_grad
    """,
)
updating(
    "zero-dim-in-place",
    "A 0-d leaf can be changed, too.",
    """
    w = torch.tensor(1.0, requires_grad=True)
    (w * 3).backward()
    with torch.no_grad():
        w -= 0.5 * w.grad
    (w, w.is_leaf)
    """,
)
updating(
    "assign-then-grad-object",
    "After `x.grad = None` the old gradient is untouched.",
    """
    g = x.grad
    x.grad = None
    (x * 3).sum().backward()
    (g, x.grad)
    """,
    setup=STEP,
)
updating(
    "in-place-on-expanded",
    "Where several elements are one number, a change is refused.",
    "torch.ones(3).expand(2, 3).add_(1)",
    raises="RuntimeError: more than one element of the written-to tensor refers to a "
    "single memory location. Please clone() the tensor",
)
updating(
    "in-place-on-array",
    "A tensor over an array changes the array.",
    """
    a = np.zeros(2)
    x = torch.from_numpy(a)
    x += 1
    a
    """,
)
updating(
    "grad-in-place",
    "A gradient may be scaled in place, and the scaled one is added to.",
    """
    x.grad *= 0.5
    x.sum().backward()
    x.grad
    """,
    setup=STEP,
)
updating(
    "zero-on-none",
    "Before the first pass there is no gradient to zero.",
    """
    x = torch.ones(2, requires_grad=True)
    x.grad.zero_()
    """,
    raises="AttributeError: 'NoneType' object has no attribute 'zero_'",
)
updating(
    "pow-in-place",
    "`**=` and `pow_`.",
    """
    x = torch.tensor([2.0, 3.0])
    x **= 2
    x.pow_(0.5)
    """,
)
updating(
    "step-that-does-not-fit",
    "A change in place keeps the shape.",
    """
    w = torch.ones(2)
    w.add_(torch.ones(2, 2))
    """,
    raises="RuntimeError: output with shape [2] doesn't match the broadcast shape",
)
updating(
    "step-that-would-change-the-dtype",
    "And the dtype.",
    """
    w = torch.ones(2, dtype=torch.int64)
    w += torch.ones(2)
    """,
    raises="RuntimeError: result type Float can't be cast … output type Long",
)
updating(
    "step-of-another-float",
    "Unless the kinds agree.",
    """
    w = torch.ones(2)
    w += torch.ones(2, dtype=torch.float64)
    w
    """,
)
