"""Wrong answers to the exercises of chapter 8: each must be turned down."""

WRONG = {
    "8.1": {
        "a comparison is thought to cut the product": """
states = dict(a="constant", b="recorded", c="constant", d="collecting", e="constant",
              f="constant", g="collecting", h="collecting")
""",
        "a conversion to the same dtype is thought to be an operation": """
states = dict(a="constant", b="recorded", c="constant", d="collecting", e="recorded",
              f="constant", g="recorded", h="collecting")
""",
        "no_grad is thought to clear the flag": """
states = dict(a="constant", b="recorded", c="constant", d="collecting", e="recorded",
              f="constant", g="collecting", h="constant")
""",
        "zeros_like is thought to copy the flag": """
states = dict(a="constant", b="recorded", c="constant", d="collecting", e="recorded",
              f="collecting", g="collecting", h="collecting")
""",
        "one letter is missing": """
states = dict(a="constant", b="recorded", c="constant", d="collecting", e="recorded",
              f="constant", g="collecting")
""",
    },
    "8.2": {
        "makes new tensors": """
def sgd_step(parameters, rate):
    with torch.no_grad():
        for p in parameters:
            if p.grad is not None:
                p = p - rate * p.grad
""",
        "does not switch recording off": """
def sgd_step(parameters, rate):
    for p in parameters:
        if p.grad is not None:
            p -= rate * p.grad
        p.grad = None
""",
        "does not clear": """
@torch.no_grad()
def sgd_step(parameters, rate):
    for p in parameters:
        if p.grad is not None:
            p -= rate * p.grad
""",
        "expects a gradient everywhere": """
@torch.no_grad()
def sgd_step(parameters, rate):
    for p in parameters:
        p -= rate * p.grad
        p.grad = None
""",
        "climbs": """
@torch.no_grad()
def sgd_step(parameters, rate):
    for p in parameters:
        if p.grad is not None:
            p += rate * p.grad
        p.grad = None
""",
        "switches recording on at the end": """
def sgd_step(parameters, rate):
    torch.set_grad_enabled(False)
    for p in parameters:
        if p.grad is not None:
            p -= rate * p.grad
        p.grad = None
    torch.set_grad_enabled(True)
""",
        "replaces the data": """
def sgd_step(parameters, rate):
    for p in parameters:
        if p.grad is not None:
            p.data = p.data - rate * p.grad
        p.grad = None
""",
    },
    "8.3": {
        "the gradients pile up": """
def fit(x, y, steps, rate):
    a = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    losses = []
    for _ in range(steps):
        error = a * x + b - y
        loss = (error * error).sum() / len(x)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            a -= rate * a.grad
            b -= rate * b.grad
    return losses, a, b
""",
        "b is still detached": """
def fit(x, y, steps, rate):
    a = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    losses = []
    for _ in range(steps):
        a.grad = b.grad = None
        error = a * x + b.detach() - y
        loss = (error * error).sum() / len(x)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            a -= rate * a.grad
            if b.grad is not None:
                b -= rate * b.grad
    return losses, a, b
""",
        "the list keeps tensors": """
def fit(x, y, steps, rate):
    a = torch.tensor(0.0, requires_grad=True)
    b = torch.tensor(0.0, requires_grad=True)
    losses = []
    for _ in range(steps):
        a.grad = b.grad = None
        error = a * x + b - y
        loss = (error * error).sum() / len(x)
        loss.backward()
        losses.append(loss)
        with torch.no_grad():
            a -= rate * a.grad
            b -= rate * b.grad
    return losses, a, b
""",
        "returns constants": """
def fit(x, y, steps, rate):
    a, b = torch.tensor(0.0), torch.tensor(0.0)
    losses = []
    for _ in range(steps):
        a.requires_grad_(), b.requires_grad_()
        error = a * x + b - y
        loss = (error * error).sum() / len(x)
        loss.backward()
        losses.append(loss.item())
        with torch.no_grad():
            a, b = a - rate * a.grad, b - rate * b.grad
    return losses, a, b
""",
    },
    "8.4": {
        "wakes everything up": """
import contextlib
@contextlib.contextmanager
def frozen(*tensors):
    for t in tensors:
        t.requires_grad_(False)
    try:
        yield
    finally:
        for t in tensors:
            t.requires_grad_(True)
""",
        "forgets exceptions": """
import contextlib
@contextlib.contextmanager
def frozen(*tensors):
    before = [t.requires_grad for t in tensors]
    for t in tensors:
        t.requires_grad_(False)
    yield
    for t, flag in zip(tensors, before):
        t.requires_grad_(flag)
""",
        "switches off all recording": """
def frozen(*tensors):
    return torch.no_grad()
""",
        "freezes for good": """
import contextlib
@contextlib.contextmanager
def frozen(*tensors):
    for t in tensors:
        t.requires_grad_(False)
    yield
""",
    },
    "8.5": {
        "has no slope": """
def switch(x):
    return (x > 0).to(x.dtype)
""",
        "has the slope of relu": """
def switch(x):
    hard = (x > 0).to(x.dtype)
    return x * hard - (x * hard).detach() + hard
""",
        "has the wrong value": """
def switch(x):
    return x + (x > 0).to(x.dtype).detach()
""",
        "is on at zero": """
def switch(x):
    hard = (x >= 0).to(x.dtype)
    return (x - x.detach()) + hard
""",
        "changes the dtype": """
def switch(x):
    return ((x - x.detach()) + (x > 0)).float()
""",
        "turns the cotangent round": """
def switch(x):
    hard = (x > 0).to(x.dtype)
    return (x.detach() - x) + hard
""",
    },
    "8.6": {
        "reads the mode too late": """
def carry(function):
    def carried(*arguments, **options):
        with torch.set_grad_enabled(torch.is_grad_enabled()):
            return function(*arguments, **options)
    return carried
""",
        "always switches off": """
def carry(function):
    return torch.no_grad()(function)
""",
        "forgets inference mode": """
def carry(function):
    recording = torch.is_grad_enabled()
    def carried(*arguments, **options):
        with torch.set_grad_enabled(recording):
            return function(*arguments, **options)
    return carried
""",
        "does not come back": """
def carry(function):
    recording = torch.is_grad_enabled()
    def carried(*arguments, **options):
        torch.set_grad_enabled(recording)
        return function(*arguments, **options)
    return carried
""",
        "lets inference mode decide about recording": """
def carry(function):
    recording = torch.is_grad_enabled()
    inference = torch.is_inference_mode_enabled()
    def carried(*arguments, **options):
        with torch.set_grad_enabled(recording), torch.inference_mode(inference):
            return function(*arguments, **options)
    return carried
""",
    },
}
