"""Wrong answers to the exercises of chapter 12: each must be turned down."""

WRONG = {
    "12.1": {
        "the node runs although it is the goal": 'order = "edfb" + "edfb" + "ca"',
        "the prehook before the tensor's hook": 'order = "ed" + "efdb" + "ca"',
        "the leaf's hook after the delivery": 'order = "ed" + "edfb" + "ac"',
        "the first pass calls nobody": 'order = "edfb" + "ca"',
        "not a string": 'order = ["e", "d"]',
    },
    "12.2": {
        "a hook on x itself": """
def reverse(x, strength):
    if x.requires_grad:
        x.register_hook(lambda g: -strength * g)
    return x
""",
        "the value is reversed, too": """
def reverse(x, strength):
    return x * -strength
""",
        "no strength": """
def reverse(x, strength):
    y = x.clone()
    y.register_hook(lambda g: -g)
    return y
""",
        "nothing is returned from the hook": """
def reverse(x, strength):
    y = x.clone()

    def hook(g):
        -strength * g

    y.register_hook(hook)
    return y
""",
        "cut off": """
def reverse(x, strength):
    return x.detach().requires_grad_()
""",
    },
    "12.3": {
        "hooks stay": """
import contextlib


@contextlib.contextmanager
def logbook(tensors):
    norms = {name: [] for name in tensors}
    for name, t in tensors.items():
        t.register_hook(lambda g, name=name: norms[name].append(g.norm().item()))
    yield norms
""",
        "hooks stay after a failure": """
import contextlib


@contextlib.contextmanager
def logbook(tensors):
    norms, handles = {name: [] for name in tensors}, []
    for name, t in tensors.items():
        hook = lambda g, name=name: norms[name].append(g.norm().item())
        handles.append(t.register_hook(hook))
    yield norms
    for handle in handles:
        handle.remove()
""",
        "the last name for all": """
import contextlib


@contextlib.contextmanager
def logbook(tensors):
    norms = {name: [] for name in tensors}
    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(
                t.register_hook(lambda g: norms[name].append(g.norm().item()))
            )
        yield norms
""",
        "tensors instead of numbers": """
import contextlib


@contextlib.contextmanager
def logbook(tensors):
    norms = {name: [] for name in tensors}
    with contextlib.ExitStack() as stack:
        for name, t in tensors.items():
            stack.enter_context(
                t.register_hook(lambda g, name=name: norms[name].append(g.norm()))
            )
        yield norms
""",
        "the failure is swallowed": """
import contextlib


@contextlib.contextmanager
def logbook(tensors):
    norms, handles = {name: [] for name in tensors}, []
    for name, t in tensors.items():
        hook = lambda g, name=name: norms[name].append(g.norm().item())
        handles.append(t.register_hook(hook))
    try:
        yield norms
    except KeyError:
        pass
    for handle in handles:
        handle.remove()
""",
    },
    "12.4": {
        "no momentum": """
def attach(parameters, rate, momentum):
    @torch.no_grad()
    def step(p):
        p.sub_(p.grad, alpha=rate)
        p.grad = None

    handles = [p.register_post_accumulate_grad_hook(step) for p in parameters]
    return lambda: [handle.remove() for handle in handles]
""",
        "one velocity for all": """
def attach(parameters, rate, momentum):
    velocity = [0]

    @torch.no_grad()
    def step(p):
        velocity[0] = momentum * velocity[0] + p.grad.sum()
        p.sub_(velocity[0], alpha=rate)
        p.grad = None

    handles = [p.register_post_accumulate_grad_hook(step) for p in parameters]
    return lambda: [handle.remove() for handle in handles]
""",
        "the gradient stays": """
def attach(parameters, rate, momentum):
    velocity = {}

    @torch.no_grad()
    def step(p):
        velocity[p] = momentum * velocity.get(p, 0) + p.grad
        p.sub_(velocity[p], alpha=rate)

    handles = [p.register_post_accumulate_grad_hook(step) for p in parameters]
    return lambda: [handle.remove() for handle in handles]
""",
        "nothing is detached": """
def attach(parameters, rate, momentum):
    velocity = {}

    @torch.no_grad()
    def step(p):
        velocity[p] = momentum * velocity.get(p, 0) + p.grad
        p.sub_(velocity[p], alpha=rate)
        p.grad = None

    for p in parameters:
        p.register_post_accumulate_grad_hook(step)
    return lambda: None
""",
    },
    "12.5": {
        "everything in half": """
def compress(limit):
    def pack(t):
        return t.to(torch.float16), t.dtype

    return torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b[0].to(b[1]))
""",
        "the range is forgotten": """
def compress(limit):
    def pack(t):
        large = t.numel() * t.element_size() > limit
        return (t.to(torch.float16) if large else t), t.dtype

    return torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b[0].to(b[1]))
""",
        "the range on one side only": """
def compress(limit):
    def pack(t):
        large = t.numel() * t.element_size() > limit
        small = large and t.numel() and t.numpy().max() <= 65504
        return (t.to(torch.float16) if small else t), t.dtype

    return torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b[0].to(b[1]))
""",
        "elements instead of bytes": """
def compress(limit):
    def pack(t):
        small = t.numel() > limit and np.abs(t.numpy()).max() <= 65504
        return (t.to(torch.float16) if small else t), t.dtype

    return torch.autograd.graph.saved_tensors_hooks(pack, lambda b: b[0].to(b[1]))
""",
        "nothing at all": """
def compress(limit):
    return torch.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t)
""",
        "always back to float64": """
def compress(limit):
    def pack(t):
        large = t.numel() * t.element_size() > limit
        small = large and np.abs(t.numpy()).max() <= 65504
        return t.to(torch.float16) if small else t

    return torch.autograd.graph.saved_tensors_hooks(pack, lambda t: t.to(torch.float64))
""",
    },
}
