"""Wrong answers to the exercises of chapter 4: each must be turned down."""

WRONG = {
    "4.1": {
        "a leaf is what listens": """
answer = {"a": (False, False), "b": (True, True), "c": (True, False)}
answer |= {"d": (False, False), "e": (False, False), "f": (True, True)}
""",
        "every result is no leaf": """
answer = {"a": (False, True), "b": (True, True), "c": (True, False)}
answer |= {"d": (False, False), "e": (False, True), "f": (True, True)}
""",
        "detach keeps the flag": """
answer = {"a": (False, True), "b": (True, True), "c": (True, False)}
answer |= {"d": (False, True), "e": (True, True), "f": (True, True)}
""",
        "the pairs are turned round": """
answer = {"a": (True, False), "b": (True, True), "c": (False, True)}
answer |= {"d": (True, False), "e": (True, False), "f": (True, True)}
""",
        "the last one is missing": """
answer = {"a": (False, True), "b": (True, True), "c": (True, False)}
answer |= {"d": (False, True), "e": (False, True)}
""",
    },
    "4.2": {
        "NumPy's answers": """
answers = ["float64", "float64", "float64", "int64", "float64", "int32"]
""",
        "a 0-d tensor changes nothing at all": """
answers = ["float32", "float64", "float32", "int32", "int32", "int32"]
""",
        "kind and size both": """
answers = ["float64", "float64", "float32", "int32", "float64", "int32"]
""",
    },
    "4.3": {
        "the original": """
class Mailbox:
    def __init__(self, leaf):
        self.leaf = leaf
""",
        "the reference is not called": """
class Mailbox:
    def __init__(self, leaf):
        self.leaf = weakref.ref(leaf)
""",
        "strong, in a closure": """
class Mailbox:
    def __init__(self, leaf):
        self._leaf = lambda: leaf

    @property
    def leaf(self):
        return self._leaf()
""",
        "forgets at once": """
class Mailbox:
    def __init__(self, leaf):
        self.leaf = None
""",
        "one slot for all": """
class Mailbox:
    def __init__(self, leaf):
        Mailbox._leaf = weakref.ref(leaf)

    @property
    def leaf(self):
        return Mailbox._leaf()
""",
        "a proxy is not the leaf": """
class Mailbox:
    def __init__(self, leaf):
        self.leaf = weakref.proxy(leaf)
""",
    },
    "4.4": {
        "transposed": """
def bell_jacobian(u, v):
    r, angle = np.sqrt(-2 * np.log(1 - u)), 2 * np.pi * v
    outwards = np.array([np.cos(angle), np.sin(angle)])
    sideways = np.array([-np.sin(angle), np.cos(angle)])
    return np.stack([outwards / (r * (1 - u)), 2 * np.pi * r * sideways])
""",
        "2π is forgotten": """
def bell_jacobian(u, v):
    r, angle = np.sqrt(-2 * np.log(1 - u)), 2 * np.pi * v
    outwards = np.array([np.cos(angle), np.sin(angle)])
    sideways = np.array([-np.sin(angle), np.cos(angle)])
    return np.stack([outwards / (r * (1 - u)), r * sideways], axis=1)
""",
        "the root is not differentiated": """
def bell_jacobian(u, v):
    r, angle = np.sqrt(-2 * np.log(1 - u)), 2 * np.pi * v
    outwards = np.array([np.cos(angle), np.sin(angle)])
    sideways = np.array([-np.sin(angle), np.cos(angle)])
    return np.stack([outwards * 2 / (1 - u), 2 * np.pi * r * sideways], axis=1)
""",
        "the sign of the sine": """
def bell_jacobian(u, v):
    r, angle = np.sqrt(-2 * np.log(1 - u)), 2 * np.pi * v
    outwards = np.array([np.cos(angle), np.sin(angle)])
    sideways = np.array([np.sin(angle), np.cos(angle)])
    return np.stack([outwards / (r * (1 - u)), 2 * np.pi * r * sideways], axis=1)
""",
    },
    "4.5": {
        "looks at first items only": """
def shape_of(data):
    shape = []
    while isinstance(data, list):
        shape.append(len(data))
        data = data[0] if data else 0
    return tuple(shape)
""",
        "compares lengths at one level only": """
def shape_of(data):
    if not isinstance(data, list):
        return ()
    if data and isinstance(data[0], list):
        if len({len(row) for row in data}) > 1:
            raise ValueError("ragged")
        return (len(data), *shape_of(data[0]))
    return (len(data),)
""",
        "an empty list has no axes": """
def shape_of(data):
    if not isinstance(data, list) or not data:
        return ()
    shapes = {shape_of(item) for item in data}
    if len(shapes) > 1:
        raise ValueError("ragged")
    return (len(data), *shapes.pop())
""",
        "the axes in the wrong order": """
def shape_of(data):
    if not isinstance(data, list):
        return ()
    shapes = {shape_of(item) for item in data}
    if len(shapes) > 1:
        raise ValueError("ragged")
    return (*(shapes.pop() if shapes else ()), len(data))
""",
    },
    "4.6": {
        "stirs once more": """
def undo(word):
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    word ^= (word << 7) & 0x9D2C5680
    return word ^ (word >> 11)
""",
        "one round for the shift by 7": """
def undo(word):
    word ^= word >> 18
    word ^= (word << 15) & 0xEFC60000
    word ^= (word << 7) & 0x9D2C5680
    word ^= word >> 11
    return word ^ (word >> 22)
""",
        "in the order of stirring": """
def undo(word):
    for shift, mask in ((-11, ~0), (7, 0x9D2C5680), (15, 0xEFC60000), (-18, ~0)):
        x = word
        for _ in range(5):
            x = word ^ ((x << shift if shift > 0 else x >> -shift) & mask)
        word = x
    return word
""",
    },
}
