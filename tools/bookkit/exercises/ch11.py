"""Checks of the exercises of chapter 11, Changing data in place.

Versions and errors come from running the programs, gradients from difference quotients.
"""

import contextlib
import functools

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


def _letters(answer, names: str, word: str):
    """Refuse an answer that is no dictionary with all letters."""
    assert isinstance(answer, dict), f"a dictionary was asked for, not {answer!r}"
    missing = sorted(set(names) - set(answer))
    assert not missing, f"no {word} for {', '.join(missing)}"


VERSIONS = {
    "a": "x.add_(1).mul_(2)",
    "b": "x.clone().add_(1)",
    "c": "x.view(4)[0] = 5",
    "d": "x.detach().sub_(1)",
    "e": "x.data.sub_(1)",
    "f": "x = x + 1",
    "g": "x[0] += 1",
    "h": "x.t_()",
}


@exercise("11.1")
def which_version(versions):
    """Eight programs, eight versions."""
    torch, found = _torch(), {}
    for name, program in VERSIONS.items():
        names = {"torch": torch, "x": torch.zeros(2, 2)}
        exec(program, names)
        found[name] = names["x"]._version
    yield "there is one version for each of the letters a to h"
    _letters(versions, "abcdefgh", "version")
    for question, letters in [
        ("every change through the tensor itself counts", "ah"),
        ("changes through views and detach count", "cd"),
        ("changes of a copy, of .data, and of a name do not count", "bef"),
        ("an assignment to an item counts, even after a change in place", "g"),
    ]:
        yield question
        for k in letters:
            assert versions[k] == found[k], f"{VERSIONS[k]}: not {versions[k]!r}"


ENDS = {
    "a": "z = y.exp(); y.add_(1); z.sum().backward()",
    "b": "z = y.exp(); z.add_(1); z.sum().backward()",
    "c": "z = y * y; y.detach().add_(1); z.sum().backward()",
    "d": "z = y * y; y = y + 1; z.sum().backward()",
    "e": "y.add_(1); z = y * y; z.sum().backward()",
    "f": "z = y + x; y.mul_(x); (z + y).sum().backward()",
    "g": "v = y[:1]; z = v * v; y[2] = 0.0; z.sum().backward()",
    "h": "z = y * y; y.add_(1); y.sub_(1); z.sum().backward()",
}


def _end(program: str) -> str:
    """How a program of exercise 11.2 ends."""
    torch = _torch()
    x = torch.tensor([1.0, 2.0, 3.0], requires_grad=True)
    try:
        exec(program, {"torch": torch, "x": x, "y": x * 2})
    except RuntimeError:
        return "error"
    return "fine"


@exercise("11.2")
def fine_or_error(ends):
    """Eight programs, two endings."""
    yield "there is one answer for each of the letters a to h"
    _letters(ends, "abcdefgh", "answer")
    yield "each answer is fine or error"
    odd = [k for k in ENDS if ends[k] not in ("fine", "error")]
    assert not odd, f"{odd[0]} is said to end {ends[odd[0]]!r}"
    for question, letters in [
        ("what has not been saved may change", "af"),
        ("what has been saved may not", "bc"),
        ("a new tensor, or a change before the saving, does no harm", "de"),
        ("changes are counted by memory, not by element", "g"),
        ("a counter does not know that the old numbers are back", "h"),
    ]:
        yield question
        for k in letters:
            assert ends[k] == _end(ENDS[k]), f"{ENDS[k]}: not {ends[k]!r}"


def _by_hand(x):
    """The recurrence of exercise 11.3, on an array."""
    h = [x[0]]
    for t in range(1, len(x)):
        h.append(h[-1] * x[t] + x[t - 1])
    return np.array(h)


def _slope(function, x, g):
    """The gradient of the sum of g * function(x), by central differences."""
    steps = 1e-6 * np.eye(len(x))
    return np.array([(g @ (function(x + s) - function(x - s))) / 2e-6 for s in steps])


@exercise("11.3")
def recurrence_in_a_buffer(recurrence):
    """A recurrence and its gradient."""
    torch, rng = _torch(), np.random.default_rng(3)
    for n in (4, 1, 7):
        yield f"h has the right numbers for {n} steps"
        a = rng.uniform(0.5, 1.5, n)
        x = torch.tensor(a, requires_grad=True)
        h = recurrence(x)
        assert isinstance(h, torch.Tensor), f"a tensor was asked for, not {h!r}"
        assert h.shape == x.shape, f"h has shape {tuple(h.shape)}"
        close(h.detach().numpy(), _by_hand(a))
        yield f"x gets its whole gradient for {n} steps"
        g = rng.uniform(1, 2, n)
        h.backward(torch.tensor(g))
        assert x.grad is not None, "x.grad is None"
        close(x.grad.numpy(), _slope(_by_hand, a, g), within=1e-6)
    yield "x itself is left alone"
    x = torch.tensor([0.5, 0.6, 0.7])
    recurrence(x)
    assert x._version == 0, "x has been changed in place"


@exercise("11.4")
def exchange(exchange_):
    """Numbers and gradients go where they belong."""
    torch = _torch()

    def pair(shape=(2,)):
        size = int(np.prod(shape))
        w = torch.arange(1.0, 1.0 + 2 * size).requires_grad_()
        return w, (w[:size] * 1).view(shape), (w[size:] * 1).view(shape)

    for shape in [(2,), (2, 3), ()]:
        yield f"the numbers change places, for shape {shape}"
        w, a, b = pair(shape)
        before = a.detach().clone(), b.detach().clone()
        held = a, b
        exchange_(a, b)
        assert torch.equal(a.detach(), before[1]), "a has not the numbers of b"
        assert torch.equal(b.detach(), before[0]), "b has not the numbers of a"
        yield "in place: whoever holds the tensors sees it"
        assert held[0]._version, "the memory of a has not been written to"
        yield "the gradients go back to where the numbers came from"
        (a * 2 + b * 3).sum().backward()
        found = [3.0] * a.numel() + [2.0] * a.numel()
        assert w.grad is not None and w.grad.tolist() == found, (
            f"that of 2a + 3b is {None if w.grad is None else w.grad.tolist()}"
        )
    yield "two rows of one matrix can be exchanged"
    w = torch.arange(6.0).requires_grad_()
    y = (w * 1).view(3, 2)
    exchange_(y[0], y[2])
    assert y.detach().tolist() == [[4.0, 5.0], [2.0, 3.0], [0.0, 1.0]], y.detach()
    (y[0] * torch.tensor([10.0, 20.0])).sum().backward()
    assert w.grad.tolist() == [0.0] * 4 + [10.0, 20.0], w.grad.tolist()
    yield "constants stay constants"
    a, b = torch.ones(2), torch.zeros(2)
    exchange_(a, b)
    assert not a.requires_grad and a.tolist() == [0.0, 0.0], a


@exercise("11.5")
def jacobian_of_a_change(jacobians):
    """Two Jacobians, against difference quotients."""
    rng = np.random.default_rng(5)

    def changed(y, part, w):
        y = y.copy()
        y[part] *= w
        return y

    for n, part in [(4, slice(1, 3)), (5, slice(None, None, 2)), (3, slice(3, 3))]:
        y, w = rng.uniform(1, 2, n), 2.5
        yield f"the shapes are ({n}, {n}) and ({n},) for part {part}"
        found = jacobians(y.copy(), part, w)
        assert isinstance(found, tuple) and len(found) == 2, "give two arrays"
        assert np.shape(found[0]) == (n, n), np.shape(found[0])
        assert np.shape(found[1]) == (n,), np.shape(found[1])
        yield f"the Jacobian by the old y is right for part {part}"
        step = 1e-6 * np.eye(n)
        columns = [changed(y + s, part, w) - changed(y - s, part, w) for s in step]
        close(found[0], np.array(columns).T / 2e-6, within=1e-6)
        yield f"the Jacobian by w is right for part {part}"
        column = changed(y, part, w + 1e-6) - changed(y, part, w - 1e-6)
        close(found[1], column / 2e-6, within=1e-6)
    yield "y is left alone"
    y = np.array([1.0, 2.0])
    with contextlib.suppress(Exception):
        jacobians(y, slice(0, 1), 3.0)
    assert y.tolist() == [1.0, 2.0], f"y has become {y}"


@functools.cache
def _programs():
    """Graphs to seal, the array to spoil, and the nodes that have saved it."""

    def product(torch, x):
        c = np.array([3.0, 4.0])
        return (x * torch.from_numpy(c)).sum(), c, ["MulBackward0"]

    def shared(torch, x):
        y = x.exp()
        return (y * y).sum(), y.data.numpy(), ["ExpBackward0", "MulBackward0"]

    def unsaved(torch, x):
        y = x + 1
        return (y + y).sum(), y.data.numpy(), []

    return {"a factor": product, "a result": shared, "nothing saved": unsaved}


@exercise("11.6")
def a_seal(seal):
    """The seal breaks when it should, and only then."""
    torch = _torch()
    for what, program in _programs().items():
        x = torch.tensor([1.0, 2.0], dtype=torch.float64, requires_grad=True)
        output, memory, names = program(torch, x)
        yield f"nothing is reported before a change ({what})"
        broken = seal(output)
        assert callable(broken), f"seal must return a function, not {broken!r}"
        assert list(broken()) == [], f"reported: {broken()}"
        yield f"a change through NumPy is found, with all nodes it spoils ({what})"
        memory[0] += 1
        found = sorted(broken())
        assert found == names, f"reported {found}, to be reported: {names}"
        yield f"the seal is whole again when the old numbers are back ({what})"
        memory[0] -= 1
        assert list(broken()) == [], f"reported: {broken()}"
        yield f"the graph is left as it was ({what})"
        output.backward()
        assert x.grad is not None
    yield "a NaN that stays where it is breaks no seal"
    x = torch.tensor([float("nan"), 1.0], requires_grad=True)
    assert list(seal((x * x).sum())()) == []
    yield "a node that can be reached on many ways is visited once"
    y = x = torch.tensor([1.0], requires_grad=True)
    for _ in range(30):
        y = y * y
    assert list(seal(y)()) == []
