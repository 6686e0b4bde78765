"""Checks of the exercises of chapter 5, grad_fn: recording as you go.

Graphs are made here from plain objects with ``next_functions``, products are counted by
a number that counts, and what a node must keep is found by asking which array a slope
depends on: none of it relies on the reader's code or on minigrad's own recording.
"""

import gc
import weakref

import numpy as np

from bookkit.checks import close, exercise

SLOPES = {  # of each operand that wants a gradient, in terms of what a node may keep
    "x + c": [lambda x, c, out: np.ones(3)],
    "x * c": [lambda x, c, out: c],
    "c - x": [lambda x, c, out: -np.ones(3)],
    "x / c": [lambda x, c, out: 1 / c],
    "c / x": [lambda x, c, out: -c / x**2],
    "tanh(x)": [lambda x, c, out: 1 - out**2],
    "log(x)": [lambda x, c, out: 1 / x],
    "x * x": [lambda x, c, out: x, lambda x, c, out: x],
}


def _read(slope) -> set:
    """The names of the arguments on which a slope depends."""
    arrays = {name: np.full(3, 2.0 + k) for k, name in enumerate(("x", "c", "out"))}
    before = slope(**arrays)
    return {
        name
        for name in arrays
        if not np.array_equal(slope(**arrays | {name: np.full(3, 7.0)}), before)
    }


@exercise("5.1")
def who_is_kept(kept):
    """What each node keeps."""
    yield "every expression has an answer"
    assert isinstance(kept, dict), f"kept is a {type(kept).__name__}, not a dictionary"
    missing = [name for name in SLOPES if name not in kept]
    assert not missing, f"there is none for {', '.join(missing)}"
    yield "each answer is a list of names"
    for text in SLOPES:
        names = kept[text]
        good = isinstance(names, (list, tuple, set))
        assert good and set(names) <= {"x", "c", "out"}, (
            f'for {text} it is {names!r}; use the names "x", "c" and "out"'
        )
    for text, slopes in SLOPES.items():
        yield f"{text} keeps what its slope is made of, and nothing else"
        expected = set().union(*map(_read, slopes))
        extra, lost = set(kept[text]) - expected, expected - set(kept[text])
        assert not extra, f"the slope of x does not need {', '.join(sorted(extra))}"
        assert not lost, f"something is missing that the slope of x needs: {len(lost)}"


class _Node:
    """Stands in for a node of a graph."""

    def __init__(self, *targets):
        self.next_functions = tuple((target, 0) for target in targets)


def _ladder(height: int):
    """Diamonds on top of each other: 3 nodes each, and one at the bottom."""
    node = _Node()
    for _ in range(height):
        node = _Node(_Node(node), _Node(node))
    return node


@exercise("5.2")
def count_the_nodes(count_nodes):
    """Count the nodes of a graph without walking all its paths."""

    def expect(node, expected):
        found = count_nodes(node)
        assert found == expected, f"it returned {found!r}, expected {expected}"

    yield "a node without links is one node"
    expect(_Node(), 1)
    yield "None counts for nothing"
    expect(_Node(None, _Node(None)), 2)
    yield "a node with two different targets makes three"
    expect(_Node(_Node(), _Node()), 3)
    yield "a target that is reached twice counts once"
    shared = _Node()
    expect(_Node(shared, shared), 2)
    expect(_ladder(3), 10)
    yield "a chain of 50,000 nodes is counted without recursion"
    node = _Node()
    for _ in range(49_999):
        node = _Node(node)
    try:
        expect(node, 50_000)
    finally:
        while node is not None:  # take the chain apart: freeing it recurses, too
            pairs, node.next_functions = node.next_functions, ()
            node = pairs[0][0] if pairs else None
    yield "no node is expanded more than once, though there are 2⁶⁰ paths"
    looks = 0

    class Watched(_Node):
        """Counts how often its links are read."""

        @property
        def next_functions(self):
            nonlocal looks
            looks += 1
            assert looks < 2000, "links have been read 2,000 times for 181 nodes"
            return self.links

        @next_functions.setter
        def next_functions(self, links):
            self.links = links

    node = Watched()
    for _ in range(60):
        node = Watched(Watched(node), Watched(node))
    expect(node, 181)


@exercise("5.3")
def normalise(jacobian, rule):
    """The Jacobian of x / x.sum(), and the rule without it."""
    random = np.random.default_rng(53)
    cases = [random.uniform(0.5, 2.0, n) for n in (1, 2, 5)]
    cases.append(np.array([3.0, -1.0, 0.5]))

    def measured(x):
        columns = []
        for k in range(len(x)):
            moved = x.astype(complex)
            moved[k] += 1e-30j  # the complex step: exact to rounding
            columns.append((moved / moved.sum()).imag / 1e-30)
        return np.array(columns).T

    yield "the Jacobian has one row and one column for each entry"
    for x in cases:
        shape = np.shape(jacobian(x))
        assert shape == (len(x), len(x)), f"for {len(x)} entries it has shape {shape}"
    yield "rows belong to outputs, columns to inputs"
    x = np.array([1.0, 3.0])
    found = np.asarray(jacobian(x))
    assert not np.allclose(found, measured(x).T), "it is transposed"
    yield "it is the Jacobian"
    for x in cases:
        close(jacobian(x), measured(x), within=1e-9, what="the Jacobian")
    yield "the rule returns one number for each entry of x"
    for x in cases:
        found = rule(np.ones(len(x)), x / x.sum(), x.sum())
        assert np.shape(found) == x.shape, f"its shape is {np.shape(found)}"
    yield "the rule is gᵀJ"
    for x in cases:
        g = random.standard_normal(len(x))
        out = x / x.sum()
        close(rule(g, out, x.sum()), g @ measured(x), within=1e-9, what="gᵀJ")
    yield "a cotangent of equal weights gives 0: the outputs always sum to 1"
    x = cases[2]
    close(rule(np.full(5, 3.0), x / x.sum(), x.sum()), np.zeros(5), what="gᵀJ")


@exercise("5.4")
def find_the_leak(square, torch):
    """A node by hand that keeps an array and no tensor."""
    numbers = np.array([1.0, -3.0, 0.5])

    def leaf():
        return torch.from_numpy(numbers.copy()).requires_grad_()

    yield "the result is the square"
    x = leaf()
    result = square(x)
    close(result.detach().numpy(), numbers**2, what="the square")
    yield "it has a grad_fn that links to the mailbox of x"
    node = result.grad_fn
    assert node is not None, "grad_fn is None, though x wants a gradient"
    links = [target for target, _ in node.next_functions]
    assert links == [x._node], f"next_functions leads to {links}"
    yield "one step sends back 2 · x · g"
    node.g = np.array([1.0, 10.0, 100.0])
    node.step()
    close(x._node.g, 2 * numbers * np.array([1.0, 10.0, 100.0]), what="the cotangent")
    yield "a square of a square links to the first square"
    again = square(result)
    assert again.grad_fn.next_functions[0][0] is node, "it links to something else"
    yield "nothing is recorded where nobody asks"
    constant = square(torch.from_numpy(numbers.copy()))
    assert constant.grad_fn is None, "x wants no gradient, yet there is a node"
    assert not constant.requires_grad, "x wants no gradient, but the result does"
    yield "the result is freed with its last name, without the garbage collector"
    were_on = gc.isenabled()
    gc.disable()
    try:
        x = leaf()
        result = square(x)
        watches = [weakref.ref(result), weakref.ref(result.grad_fn)]
        del result
        freed = [watch() is None for watch in watches]
        assert freed[0], "the tensor lives on: something that it holds holds it"
        assert freed[1], "its node lives on"
        yield "the node keeps no tensor: x may go, too"
        result, watch = square(x), weakref.ref(x)
        del x
        assert watch() is None, "x is kept alive by the result's node"
        yield "the result's array is not kept, since the rule does not read it"
        watch = weakref.ref(result._array)
        kept = result.grad_fn
        del result
        assert watch() is None, "the node keeps the array of the result"
        del kept
    finally:
        if were_on:
            gc.enable()


class _Counting:
    """A number that counts multiplications and additions."""

    def __init__(self, value, tally):
        self.value, self.tally = value, tally

    def _meet(self, other, name, operation):
        self.tally[name] += 1
        value = other.value if isinstance(other, _Counting) else other
        return _Counting(operation(self.value, value), self.tally)

    def __mul__(self, other):
        return self._meet(other, "*", lambda a, b: a * b)

    def __add__(self, other):
        return self._meet(other, "+", lambda a, b: a + b)

    __rmul__, __radd__ = __mul__, __add__

    def __pow__(self, other):
        raise AssertionError("it uses **; use nothing but * and +")


def _fresh(value):
    return _Counting(value, {"*": 0, "+": 0})


@exercise("5.5")
def polynomial_program(polynomial_source):
    """A program that writes a polynomial's function."""

    def compiled(name, coefficients):
        text = polynomial_source(name, coefficients)
        assert isinstance(text, str), f"it returned {text!r}, not a text"
        scope = {"__builtins__": {}}
        exec(compile(text, "<your program>", "exec"), scope)
        function = scope.get(name)
        assert function is not None, f"the text defines no {name}:\n{text}"
        return function, text

    yield "it returns the text of a function with the name that was asked for"
    function, text = compiled("p", [1, 2, 3])
    assert callable(function) and function.__name__ == "p", text
    yield "the function evaluates the polynomial"
    for coefficients in ([1, 2, 3], [5], [0, 0, 1], [-1, 0, 4, -2], [2, -3]):
        function, text = compiled("q", coefficients)
        for x in (0, 1, -2, 3):
            expected = sum(c * x**k for k, c in enumerate(coefficients))
            found = function(x)
            assert found == expected, (
                f"for {coefficients} at {x} it gives {found}, expected {expected}:\n"
                f"{text}"
            )
    yield "numbers survive to the last digit"
    function, text = compiled("r", [0.1, 1 / 3])
    assert function(0) == 0.1 and function(1) == 0.1 + 1 / 3, text
    yield "an empty list is the polynomial 0"
    function, text = compiled("zero", [])
    assert function(7) == 0, text
    yield "there is no loop in the text"
    function, text = compiled("s", list(range(1, 9)))
    assert "for " not in text and "while " not in text, text
    yield "a polynomial of degree n costs n multiplications"
    x = _fresh(2)
    function(x)
    assert x.tally["*"] <= 7, f"degree 7 costs {x.tally['*']} multiplications"


@exercise("5.6")
def shorter_graph(power_graph):
    """Few multiplications for a power."""
    yield "for n = 1 it is x itself"
    x = _fresh(3)
    found = power_graph(x, 1)
    assert found is x, f"it returned {getattr(found, 'value', found)!r}"
    yield "it is the power"
    for n in (*range(1, 20), 31, 64, 100):
        found = power_graph(_fresh(3), n)
        value = getattr(found, "value", found)
        assert value == 3**n, f"for n = {n} it is not 3 to the power {n}"
    yield "it makes at most 2 log₂ n multiplications"
    for n in (2, 3, 7, 8, 64, 100, 1023, 1024):
        x = _fresh(1)
        power_graph(x, n)
        most = 2 * (n.bit_length() - 1)
        assert x.tally["*"] <= most, (
            f"for n = {n} it makes {x.tally['*']}, allowed are {most}"
        )
