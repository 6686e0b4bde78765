"""What Chapter 6 says: the graph that a drawing shows."""

from tests.reference.ledger import Row, Theme

ROWS: list[Row] = []

WALK = """\
def nodes(y):
    found, todo = [], [y.grad_fn]
    while todo:
        node = todo.pop()
        if node is not None and node not in found:
            found.append(node)
            todo.extend(child for child, _ in node.next_functions)
    return found
"""

# ------------------------------------------------------------------------------
graph = Theme(ROWS, 6, "What the graph consists of", "which-nodes-are-there")
graph(
    "graph-of-a-product",
    "A product of two leaves: three nodes.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    sorted(type(n).__name__ for n in nodes(x * w))
    """,
    setup=WALK,
)
graph(
    "graph-shares-a-node",
    "A value used twice has one node, not two.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x.exp()
    [type(n).__name__ for n in nodes(h * h)]
    """,
    setup=WALK,
)
graph(
    "graph-of-a-diamond-chain",
    "Twenty diamonds: 2²⁰ paths, 21 nodes.",
    """
    h = torch.tensor(1.0, requires_grad=True)
    for _ in range(20):
        h = h + h
    len(nodes(h))
    """,
    setup=WALK,
)
graph(
    "graph-leaves-out-constants",
    "Constants have no node.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    len(nodes(x * torch.tensor(3.0) + 1))
    """,
    setup=WALK,
)
graph(
    "graph-of-a-dense-layer",
    "A layer tanh(x @ W + b): the data x have no node.",
    """
    x = torch.ones(4, 3)
    W = torch.ones(3, 2, requires_grad=True)
    b = torch.zeros(2, requires_grad=True)
    sorted(type(n).__name__ for n in nodes((x @ W + b).tanh().sum()))
    """,
    setup=WALK,
)
graph(
    "graph-stops-at-detach",
    "Behind a detached value there is nothing.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x.exp().detach()
    [type(n).__name__ for n in nodes(x * h)]
    """,
    setup=WALK,
)
graph(
    "graph-leads-to-the-leaves",
    "The mailboxes at its end know the leaves.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    w = torch.tensor(3.0, requires_grad=True)
    [n.variable.item() for n in nodes((x * w).exp()) if hasattr(n, 'variable')]
    """,
    setup=WALK,
)
graph(
    "graph-outlives-the-names",
    "The graph keeps what it needs: names may go.",
    """
    x = torch.tensor(2.0, requires_grad=True)
    h = x.exp()
    y = h * h
    del h
    y.grad_fn.next_functions[0][0]
    """,
)
graph(
    "node-attributes-are-read-only",
    "The edges of a node cannot be reassigned.",
    """
    y = torch.ones(1, requires_grad=True).exp()
    y.grad_fn.next_functions = ()
    """,
    raises="AttributeError",
)
