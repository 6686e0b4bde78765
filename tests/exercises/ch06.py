"""Wrong answers to the exercises of chapter 6: each must be turned down."""

WRONG = {
    "6.1": {
        "the constant 3 is given a node": """
nodes_behind_r, arrows_into_p, nodes_behind_s = 6, 2, 4
""",
        "q's arrows are said to end at p": """
nodes_behind_r, arrows_into_p, nodes_behind_s = 5, 3, 4
""",
        "detach does not cut": """
nodes_behind_r, arrows_into_p, nodes_behind_s = 5, 2, 7
""",
    },
    "6.2": {
        "one entry for each path": """
def leaves(t):
    found, stack = [], [t._node]
    while stack and len(found) < 1000:
        node = stack.pop()
        if node is None:
            continue
        if hasattr(node, "variable"):
            found.append(node.variable)
        stack.extend(operand for operand, _ in node.next_functions)
    return found
""",
        "recursion": """
def leaves(t):
    seen, found = {None}, []

    def visit(node):
        if node in seen:
            return
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        for operand, _ in node.next_functions:
            visit(operand)

    visit(t._node)
    return found
""",
        "a leaf itself is forgotten": """
def leaves(t):
    found, seen, stack = [], {None}, [t.grad_fn]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable)
        stack.extend(operand for operand, _ in node.next_functions)
    return found
""",
        "copies in place of the leaves": """
def leaves(t):
    found, seen, stack = [], {None}, [t._node]
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if hasattr(node, "variable"):
            found.append(node.variable.detach())
        stack.extend(operand for operand, _ in node.next_functions)
    return found
""",
    },
    "6.3": {
        "a shared array counts twice": """
def bytes_kept(t):
    nodes, _ = reach([t], 10**9)
    own = {id(n.array) for n in nodes if hasattr(n, "variable")}
    kept = [getattr(n, s, None) for n in nodes for s in n.saves]
    return sum(a.nbytes for a in kept if a is not None and id(a) not in own)
""",
        "the leaves are counted": """
def bytes_kept(t):
    nodes, _ = reach([t], 10**9)
    kept = [getattr(n, s, None) for n in nodes for s in n.saves]
    return sum({id(a): a.nbytes for a in kept if a is not None}.values())
""",
        "elements in place of bytes": """
def bytes_kept(t):
    nodes, _ = reach([t], 10**9)
    own = {id(n.array) for n in nodes if hasattr(n, "variable")}
    kept = [getattr(n, s, None) for n in nodes for s in n.saves]
    found = {id(a): a for a in kept if a is not None and id(a) not in own}
    return 8 * sum(a.size for a in found.values())
""",
    },
    "6.4": {
        "only the error is mended": """
def mended(w, x, t):
    prediction = (w * x).sum()
    scale = 1.0 + prediction.item() ** 2
    error = prediction - t
    return error * error / scale + 0.01 * (w * w).sum()
""",
        "only the scale is mended": """
def mended(w, x, t):
    prediction = (w * x).sum()
    scale = 1.0 + prediction**2
    error = prediction.detach() - t
    return error * error / scale + 0.01 * (w * w).sum()
""",
        "the scale is dropped": """
def mended(w, x, t):
    error = (w * x).sum() - t
    return error * error + 0.01 * (w * w).sum()
""",
        "as careless as before": """
def mended(w, x, t):
    prediction = (w * x).sum()
    scale = 1.0 + prediction.item() ** 2
    error = prediction.item() - t
    return error * error / scale + 0.01 * (w * w).sum()
""",
    },
    "6.5": {
        "a node hands on before all ways to it are known": """
def count_paths(t):
    ways, queue, seen, total = Counter({t._node: 1}), [t._node], {t._node}, 0
    while queue:
        node = queue.pop(0)
        if hasattr(node, "variable"):
            total += ways[node]
        for operand, _ in node.next_functions:
            if operand is not None:
                ways[operand] += ways[node]
                if operand not in seen:
                    seen.add(operand)
                    queue.append(operand)
    return total
""",
        "floats": """
def count_paths(t):
    left, ways = count_uses(t._node), {t._node: 1.0}
    ready, total = [t._node], 0.0
    while ready:
        node = ready.pop()
        if hasattr(node, "variable"):
            total += ways[node]
        for operand, _ in node.next_functions:
            if operand is not None:
                ways[operand] = ways.get(operand, 0.0) + ways[node]
                left[operand] -= 1
                if not left[operand]:
                    ready.append(operand)
    return total
""",
        "counts mailboxes": """
def count_paths(t):
    return sum(hasattr(node, "variable") for node in reach([t], 10**9)[0])
""",
    },
    "6.6": {
        "compares lists of names": """
def same_graph(s, t):
    one, two = reach([s], 10**9)[0], reach([t], 10**9)[0]
    return [n.name() for n in one] == [n.name() for n in two]
""",
        "partners in one direction only": """
def same_graph(s, t):
    there, stack = {}, [(s._node, t._node)]
    while stack:
        one, two = stack.pop()
        if one in there:
            if there[one] is not two:
                return False
            continue
        there[one] = two
        if one is None or two is None:
            if one is not two:
                return False
            continue
        if one.name() != two.name():
            return False
        left, right = one.next_functions, two.next_functions
        stack.extend((a[0], b[0]) for a, b in zip(left, right))
    return True
""",
        "the sharing is not seen": """
def same_graph(s, t):
    met, stack = set(), [(s._node, t._node)]
    while stack:
        one, two = stack.pop()
        if (one, two) in met:
            continue
        met.add((one, two))
        if one is None or two is None:
            if one is not two:
                return False
            continue
        if one.name() != two.name():
            return False
        left, right = one.next_functions, two.next_functions
        stack.extend((a[0], b[0]) for a, b in zip(left, right))
    return True
""",
    },
}
