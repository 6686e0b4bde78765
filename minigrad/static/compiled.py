# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""Compiled functions: traced once for each kind of arguments, and replayed then."""

import functools
import gc
import inspect
import types
import warnings

import numpy as np

from minigrad import operands
from minigrad.autograd import forward_ad
from minigrad.batching import open_levels
from minigrad.func import _leaves
from minigrad.nn.modules.module import Module
from minigrad.static.effects import Witness, names_of
from minigrad.static.entry import Entry
from minigrad.static.taken import Taken
from minigrad.static.trace import SLOT, Trace
from minigrad.static.traced import tracing
from minigrad.tape import tapes
from minigrad.tensor import Tensor, mode


def described(value, tensors: list):
    """What of an argument a trace depends on; the tensors in it are put into a list."""
    if isinstance(value, Tensor):
        for k, x in enumerate(tensors):
            if x is value:
                return "the same as", k
        tensors.append(value)
        array = SLOT.__get__(value)
        return array.shape, array.dtype.char, value._node is not None
    kind = type(value)
    if isinstance(value, (tuple, list)):
        return kind, *[described(part, tensors) for part in value]
    if isinstance(value, dict):
        return kind, *[(k, described(part, tensors)) for k, part in value.items()]
    if kind in (int, bool, str, float, type(None)):
        return kind, repr(value)
    if isinstance(value, np.ndarray):
        raise TypeError(
            "a compiled function got a NumPy array, which would become a constant of "
            "the trace: give it a tensor, torch.from_numpy(array) (Chapter 23)"
        )
    return Held(value)


class Held:
    """An argument known by its identity; it is kept, so that this stays its own."""

    def __init__(self, value):
        self.value = value

    def __eq__(self, other) -> bool:
        return isinstance(other, Held) and self.value is other.value

    def __hash__(self) -> int:
        return id(self.value)

    def __repr__(self) -> str:
        return f"a {type(self.value).__name__}"


def names(function, args: tuple, kwargs: dict) -> dict[int, str]:
    """What the tensors are called that a function is given, and that it closes over."""
    try:
        bound = dict(inspect.signature(function).bind(*args, **kwargs).arguments)
    except (TypeError, ValueError):
        bound = dict(enumerate(args))
    found = {}
    for name, value in {**names_of(function), **bound}.items():
        if isinstance(value, Module):
            dot = "" if value is function else f"{name}."
            named = {f"{dot}{path}": x for path, x in value.named_parameters()}
        else:
            parts = _leaves(value)
            one = len(parts) == 1
            named = {name if one else f"{name}{k}": x for k, x in enumerate(parts)}
        found |= {id(x): path for path, x in named.items() if isinstance(x, Tensor)}
    return found


class Compiled:
    """A function that is traced when it meets arguments of a new kind.

    ``entries`` holds, by signature, what has been traced.
    """

    def __init__(self, function):
        functools.update_wrapper(self, function, updated=())
        self.__wrapped__, self.entries, self.known = function, {}, {}
        self.owner = getattr(function, "__self__", function)

    def __get__(self, owner, kind=None):
        return self if owner is None else types.MethodType(self, owner)

    def __call__(self, *args, **kwargs):
        """Replay what was traced for arguments of this kind, or trace it."""
        apart = mode.inference or open_levels() or forward_ad._levels or tapes()
        if apart or tracing():
            return self.__wrapped__(*args, **kwargs)
        tensors: list = []
        key = mode.recording, getattr(self.owner, "training", None)
        key += tuple([described(x, tensors) for x in args])
        if kwargs:
            key += (described(kwargs, tensors),)
        for entry in self.entries.get(key, ()):
            found = entry.bind(tensors)
            if found is not None:
                return entry.run(found)
        return self.trace(key, tensors, args, kwargs)


def _lookup(self, name: str):
    """What the function itself has: ``compiled.parameters()`` of a module."""
    if name.startswith("__"):
        return object.__getattribute__(self, name)  # says that it is not there
    return getattr(self.__wrapped__, name)


Compiled.__getattr__ = _lookup


def _trace(self, key: tuple, tensors: list, args: tuple, kwargs: dict):
    """Call the function and take notes; make a program of them, and run that."""
    trace, function = Trace(), self.__wrapped__
    trace.names = names(function, args, kwargs)
    witness = Witness(function, args, kwargs)
    try:
        with trace:
            for k, x in enumerate(tensors):
                trace.met(x, f"argument{k}")
            with witness:
                result = function(*args, **kwargs)
            taken = Taken(trace, result)
    except BaseException:
        trace.undo()
        raise
    if not witness.told and self.premature(key, taken):
        return result
    witness.tell()
    entry = Entry(taken, len(tensors))
    trace.undo()
    self.entries.setdefault(key, []).append(entry)
    self.check_count()
    return entry.run(entry.bind(tensors))


def _premature(self, key, taken: Taken) -> bool:
    """Whether the call has put something outside, as a first step does: trace again."""
    if taken.seeds or key in self.known:
        return False
    mine = {*taken.outs, *(id(g) for g in taken.grads.values())}
    mine |= {id(t) for t in operands._numbers.values()}
    gc.collect()
    left = [t for t in taken.trace.alive() if id(t) not in mine]
    if left:
        self.known[key] = True
    return bool(left)


Compiled.graphs = property(
    lambda self: [entry.graph for several in self.entries.values() for entry in several]
)
Compiled.graph = property(lambda self: self.graphs[-1])
Compiled.signatures = property(lambda self: [*map(signature, self.entries)])


def signature(key: tuple) -> str:
    """A kind of arguments, for the eye."""
    _, _, *parts = key
    return f"({', '.join(map(spoken, parts))})"


def spoken(part) -> str:
    """One argument of a signature."""
    if not isinstance(part, tuple):
        return str(part)
    if isinstance(part[0], tuple):
        shape, kind, wanted = part
        return f"{np.dtype(kind)}{list(shape)}{' with grad' if wanted else ''}"
    if part[0] is dict:
        return ", ".join(f"{name}={spoken(value)}" for name, value in part[1:])
    if isinstance(part[0], type) and issubclass(part[0], (tuple, list)):
        return f"[{', '.join(map(spoken, part[1:]))}]"
    return part[1] if isinstance(part[0], type) else " ".join(map(str, part))


MANY = 8


def _check_count(self) -> None:
    """Warn of a function that is traced again and again."""
    count = sum(map(len, self.entries.values()))
    if count == MANY + 1:
        warnings.warn(
            f"torch._dynamo hit config.recompile_limit ({MANY}): '{self.__name__}' has "
            f"been traced {count} times. A Python number in its arguments is a part of "
            "the signature: give it as a tensor (Chapter 23)",
            UserWarning,
            stacklevel=4,
        )


Compiled.trace, Compiled.premature, Compiled.check_count = (
    _trace,
    _premature,
    _check_count,
)
