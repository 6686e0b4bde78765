"""Wrong answers to the exercises of chapter 7: each must be turned down."""

WRONG = {
    "7.1": {
        "counts lines instead of arrows": """
uses = {"x": 2, "a": 3, "b": 1, "c": 1}
""",
        "forgets that a is used by y as well": """
uses = {"x": 3, "a": 2, "b": 1, "c": 1}
""",
        "counts paths from y": """
uses = {"x": 7, "a": 3, "b": 1, "c": 1}
""",
        "leaves out x, which is no result": """
uses = {"a": 3, "b": 1, "c": 1}
""",
    },
    "7.2": {
        "one walk with ones: the sum of the rows": """
def jacobian(f, x):
    y = f(x)
    (g,) = torch.autograd.grad(y, x, torch.ones_like(y.detach()))
    return np.tile(g.numpy().ravel(), (y.numel(), 1))
""",
        "transposed": """
def jacobian(f, x):
    y, rows = f(x), []
    for k in range(y.numel()):
        v = np.zeros(y.numel())
        v[k] = 1
        v = torch.tensor(v).reshape(y.shape)
        last = k == y.numel() - 1
        rows.append(torch.autograd.grad(y, x, v, retain_graph=not last)[0].numpy())
    return np.array(rows).reshape(y.numel(), x.numel()).T
""",
        "uses backward, and leaves its traces in x.grad": """
def jacobian(f, x):
    y, rows = f(x), []
    for k in range(y.numel()):
        v = np.zeros(y.numel())
        v[k] = 1
        x.grad = None
        y.backward(torch.tensor(v).reshape(y.shape), retain_graph=k < y.numel() - 1)
        rows.append(x.grad.numpy().ravel())
    return np.array(rows)
""",
        "retains the graph for good": """
def jacobian(f, x):
    y, rows = f(x), []
    for k in range(y.numel()):
        v = np.zeros(y.numel())
        v[k] = 1
        v = torch.tensor(v).reshape(y.shape)
        (g,) = torch.autograd.grad(y, x, v, retain_graph=True)
        rows.append(g.numpy().ravel())
    return np.array(rows).reshape(y.numel(), x.numel())
""",
        "computes f again for every row": """
def jacobian(f, x):
    n, rows = f(x).numel(), []
    for k in range(n):
        y = f(x)
        v = np.zeros(n)
        v[k] = 1
        v = torch.tensor(v).reshape(y.shape)
        rows.append(torch.autograd.grad(y, x, v)[0].numpy().ravel())
    return np.array(rows).reshape(n, x.numel())
""",
    },
    "7.3": {
        "the original": """
def fit_line(w, data, rate):
    total = 0.0
    for a, b in data:
        loss = (w * a - b) ** 2
        loss.backward()
        w.data = w.data - rate * w.grad
        total = total + loss
    return total
""",
        "clears the gradient before it is used": """
def fit_line(w, data, rate):
    total = 0.0
    for a, b in data:
        loss = (w * a - b) ** 2
        loss.backward()
        w.grad = torch.zeros_like(w)
        w.data = w.data - rate * w.grad
        total += loss.item()
    w.grad = None
    return total
""",
        "clears only at the end": """
def fit_line(w, data, rate):
    total = 0.0
    for a, b in data:
        loss = (w * a - b) ** 2
        loss.backward()
        w.data = w.data - rate * w.grad
        total += loss.item()
    w.grad = None
    return total
""",
        "still adds up tensors": """
def fit_line(w, data, rate):
    total = 0.0
    for a, b in data:
        loss = (w * a - b) ** 2
        loss.backward()
        w.data = w.data - rate * w.grad
        w.grad = None
        total = total + loss
    return total
""",
        "leaves the last gradient": """
def fit_line(w, data, rate):
    total = 0.0
    for a, b in data:
        w.grad = None
        loss = (w * a - b) ** 2
        loss.backward()
        w.data = w.data - rate * w.grad
        total += loss.item()
    return total
""",
    },
    "7.4": {
        "every piece counts the same": """
def in_pieces(loss_of, pieces):
    for piece in pieces:
        (loss_of(piece) / len(pieces)).backward()
""",
        "the means are added, not averaged": """
def in_pieces(loss_of, pieces):
    for piece in pieces:
        loss_of(piece).backward()
""",
        "all graphs are kept until the end": """
def in_pieces(loss_of, pieces):
    total = sum(len(piece) for piece in pieces)
    loss = 0
    for piece in pieces:
        loss = loss + loss_of(piece) * (len(piece) / total)
    loss.backward()
""",
        "all graphs are retained": """
kept = []
def in_pieces(loss_of, pieces):
    total = sum(len(piece) for piece in pieces)
    for piece in pieces:
        loss = loss_of(piece) * (len(piece) / total)
        loss.backward(retain_graph=True)
        kept.append(loss)
""",
    },
    "7.5": {
        "no create_graph": """
def derivatives(f, x0, n):
    x = torch.tensor(x0, dtype=torch.float64, requires_grad=True)
    y = f(x)
    found = [y.item()]
    for _ in range(n):
        (y,) = torch.autograd.grad(y, x)
        found.append(y.item())
    return found
""",
        "trips over constants": """
def derivatives(f, x0, n):
    x = torch.tensor(x0, dtype=torch.float64, requires_grad=True)
    y = f(x)
    found = [y.item()]
    for _ in range(n):
        (y,) = torch.autograd.grad(y, x, create_graph=True)
        found.append(y.item())
    return found
""",
        "reads what backward has piled up": """
def derivatives(f, x0, n):
    x = torch.tensor(x0, dtype=torch.float64, requires_grad=True)
    y = f(x)
    found = [y.item()]
    for _ in range(n):
        if not y.requires_grad:
            found.append(0.0)
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            y.backward(create_graph=True)
        y = x.grad
        found.append(y.item())
    x.grad = None
    return found
""",
        "divides by factorials, as for a Taylor series": """
def derivatives(f, x0, n):
    x = torch.tensor(x0, dtype=torch.float64, requires_grad=True)
    y = f(x)
    found = [y.item()]
    for k in range(1, n + 1):
        if y is None or not y.requires_grad:
            found.append(0.0)
            continue
        (y,) = torch.autograd.grad(y, x, create_graph=True, allow_unused=True)
        y = None if y is None else y / k
        found.append(0.0 if y is None else y.item())
    return found
""",
    },
    "7.6": {
        "breadth first": """
def topological(root):
    order, seen = [root], {root}
    for node in order:
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                seen.add(child)
                order.append(child)
    return order
""",
        "in the order of the first visit": """
def topological(root):
    order, seen, stack = [], set(), [root]
    while stack:
        node = stack.pop()
        if node not in seen:
            seen.add(node)
            order.append(node)
            stack += [c for c, _ in node.next_functions if c is not None]
    return order
""",
        "recursive": """
def topological(root):
    order, seen = [], set()
    def visit(node):
        seen.add(node)
        for child, _ in node.next_functions:
            if child is not None and child not in seen:
                visit(child)
        order.append(node)
    visit(root)
    return order[::-1]
""",
        "not turned round": """
def topological(root):
    order, seen, stack = [], set(), [(root, False)]
    while stack:
        node, done = stack.pop()
        if done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack += [(c, False) for c, _ in node.next_functions if c is not None]
    return order
""",
    },
    "7.7": {
        "the gradient times v": """
def hvp(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return g * v
""",
        "the sum of the Hessian's rows, times v": """
def hvp(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not g.requires_grad:
        return torch.zeros_like(v)
    return torch.autograd.grad(g.sum(), x)[0] * v
""",
        "leaves the product in x.grad": """
def hvp(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    if not g.requires_grad:
        return torch.zeros_like(v)
    g.backward(v)
    return x.grad
""",
        "trips over linear functions": """
def hvp(f, x, v):
    (g,) = torch.autograd.grad(f(x), x, create_graph=True)
    return torch.autograd.grad(g, x, v)[0]
""",
    },
}
