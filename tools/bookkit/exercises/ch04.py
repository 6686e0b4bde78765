"""Checks of the exercises of chapter 4, Tensors: arrays that remember.

Expected values are computed here by other means than the chapter uses: dtypes by an
order of names, a Jacobian by the complex step, shapes by NumPy, memory by a witness.
"""

import gc
import weakref

import numpy as np

from bookkit.checks import close, exercise, raises


@exercise("4.1")
def who_is_a_leaf(answer):
    """Leaf or not, listening or not."""
    kinds = {"constant": (False, True), "leaf": (True, True), "result": (True, False)}
    expected = {
        "a": ("constant", "nothing was asked for"),
        "b": ("leaf", "requires_grad=True hangs up a mailbox"),
        "c": ("result", "one operand that listens is enough"),
        "d": ("constant", "no operand listens, so nothing is recorded"),
        "e": ("constant", "detach gives the numbers without the past"),
        "f": ("leaf", "a detached tensor may begin a record of its own"),
    }
    yield "there is an answer for each of the six tensors"
    assert isinstance(answer, dict), "the answer is a dictionary"
    missing = sorted(set(expected) - set(answer))
    assert not missing, f"missing: {', '.join(missing)}"
    yield "each answer is a pair (requires_grad, is_leaf)"
    for name in expected:
        pair = answer[name]
        fits = isinstance(pair, (tuple, list)) and len(pair) == 2
        assert fits and all(isinstance(x, bool) for x in pair), f"{name}: {pair!r}"
    for name, (kind, why) in expected.items():
        yield f"{name}: {why}"
        assert tuple(answer[name]) == kinds[kind], f"not {tuple(answer[name])}"


@exercise("4.2")
def what_two_kinds_become(answer):
    """Kind outranks size, and 0-d does not widen."""
    order = ["bool", "int32", "int64", "float32", "float64"]
    level = {name: 0 if name == "bool" else 1 + (name[0] == "f") for name in order}

    def result(array, other, flat):
        if level[array] != level[other]:
            return max(array, other, key=level.get)
        return array if flat else max(array, other, key=order.index)

    pairs = [
        ("int64", "float32", False, "kind outranks size"),
        ("float32", "float64", False, "within a kind the wider wins"),
        ("float32", "float64", True, "a 0-d tensor does not widen within its kind"),
        ("int32", "int64", True, "that holds for integers too"),
        ("int32", "float64", True, "but it does raise the kind"),
        ("bool", "int32", False, "bool is the lowest kind"),
    ]
    yield "there are six answers"
    assert len(answer) == len(pairs), f"found {len(answer)}"
    for number, (array, other, flat, why) in enumerate(pairs):
        yield f"number {number + 1}: {why}"
        found, expected = str(answer[number]), result(array, other, flat)
        assert found == expected, f"not {found!r}"


class _Owner:
    """Whatever owns a mailbox."""

    def __init__(self, make):
        self.numbers = np.zeros(3)
        self.mailbox = make(self)


@exercise("4.3")
def no_circle(mailbox):
    """A mailbox that does not keep its leaf alive."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        owner = _Owner(mailbox)
        yield "the mailbox leads to its leaf"
        found = owner.mailbox.leaf
        assert found is owner, f"mailbox.leaf is {found!r}"
        del found
        yield "it does so each time it is asked"
        assert owner.mailbox.leaf is owner
        yield "the leaf is freed with its last name, without the collector"
        witness, box = weakref.ref(owner), owner.mailbox
        del owner
        assert witness() is None, "something still refers to the leaf"
        yield "a mailbox that has lost its leaf says None"
        assert box.leaf is None, f"mailbox.leaf is {box.leaf!r}"
        yield "two leaves do not share a mailbox"
        one, other = _Owner(mailbox), _Owner(mailbox)
        assert one.mailbox.leaf is one and other.mailbox.leaf is other
    finally:
        if enabled:
            gc.enable()


def _bell(w):
    """Box and Muller's map, for complex arguments too."""
    radius, angle = np.sqrt(-2 * np.log(1 - w[0])), 2 * np.pi * w[1]
    return np.array([radius * np.cos(angle), radius * np.sin(angle)])


@exercise("4.4")
def jacobian_of_a_bell(jacobian):
    """The Jacobian of Box and Muller's map, and its determinant."""
    places = [(0.5, 0.0), (0.3, 0.125), (0.9, 0.6), (0.01, 0.95)]
    yield "it has one row for each output and one column for each input"
    shape = np.shape(jacobian(0.3, 0.2))
    assert shape == (2, 2), f"the shape is {shape}"
    for u, v in places:
        yield f"at ({u}, {v}) it is what the complex step measures"
        steps = [np.array([u + 1e-30j, v]), np.array([u, v + 1e-30j])]
        measured = np.stack([_bell(w).imag / 1e-30 for w in steps], axis=1)
        close(jacobian(u, v), measured, within=1e-9)
    yield "1 / its determinant is the density of two normal numbers"
    for u, v in places:
        z = _bell(np.array([u, v]))
        density = np.exp(-(z @ z) / 2) / (2 * np.pi)
        close(1 / np.linalg.det(jacobian(u, v)), density, within=1e-9)


@exercise("4.5")
def shapes_of_lists(shape_of):
    """The shape of nested lists, or a complaint."""
    yield "a number has no axes"
    _same(shape_of(3.5), ())
    yield "a list of numbers has one axis"
    _same(shape_of([1, 2, 3]), (3,))
    yield "lists of lists have one axis more for each level"
    for shape in [(2, 3), (1, 1), (2, 1, 3), (2, 2, 2, 2), (3, 1, 2)]:
        _same(shape_of(np.zeros(shape).tolist()), shape)
    yield "an axis may have length 0"
    _same(shape_of([]), (0,))
    _same(shape_of([[], []]), (2, 0))
    yield "rows of different length are refused with a ValueError"
    for ragged in ([[1, 2], [3]], [[1], [2, 3]], [[], [1]], [[1], []]):
        raises(ValueError, shape_of, ragged)
    yield "at every depth, and in every row"
    raises(ValueError, shape_of, [[[1], [2]], [[3], [4, 5]]])
    raises(ValueError, shape_of, [[1, 2], [3, 4], [5, 6, 7]])
    raises(ValueError, shape_of, [[[1, 2]], [[3, 4], [5, 6]]])
    yield "a number among rows, or a row among numbers, is refused as well"
    for mixed in ([[1, 2], 3], [1, [2]], [[1, 2], [3, [4]]]):
        raises((TypeError, ValueError), shape_of, mixed)


def _same(found, expected):
    assert found is not None, "it returned None (is a `return` missing?)"
    assert tuple(found) == expected, f"it returned {found!r}, expected {expected}"


def _stir(word):
    word ^= word >> 11
    word ^= (word << 7) & 0x9D2C5680
    word ^= (word << 15) & 0xEFC60000
    return word ^ (word >> 18)


@exercise("4.6")
def unstir(undo):
    """The inverse of the Mersenne Twister's tempering."""
    yield "it returns an integer of 32 bits"
    found = undo(1)
    assert isinstance(found, (int, np.integer)), f"it returned {found!r}"
    assert 0 <= found < 2**32, f"it returned {found}"
    yield "each single bit finds its way back"
    for place in range(32):
        found = undo(_stir(1 << place))
        assert found == 1 << place, f"bit {place} came back as {found:#x}"
    yield "so do random words"
    words = np.random.RandomState(4).randint(0, 2**32, 200, dtype=np.uint32).tolist()
    for word in words:
        assert undo(_stir(word)) == word, f"not for {word:#x}"
    yield "624 words that a twister has put out give away its state"
    twister = np.random.RandomState(11)
    drawn = twister.randint(0, 2**32, 624, dtype=np.uint32).tolist()
    stolen = np.random.RandomState()
    state = np.array([undo(word) for word in drawn], dtype=np.uint32)
    stolen.set_state(("MT19937", state, 624))
    expected = twister.randint(0, 2**32, 5, dtype=np.uint32).tolist()
    found = stolen.randint(0, 2**32, 5, dtype=np.uint32).tolist()
    assert found == expected, f"the next words are {expected}, not {found}"
