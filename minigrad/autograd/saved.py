# Generated from chapter 12 (book/ch12-hooks.ipynb): edit the chapter, not this.
"""Saved values in other hands: packed when they are recorded, unpacked for the step."""

import threading
import weakref
from collections.abc import Iterable
from contextlib import contextmanager

import numpy as np

from minigrad.autograd import function
from minigrad.autograd.function import FREED, look_twice, set_recording
from minigrad.autograd.versions import count_change
from minigrad.autograd.watch import called, hooks_of
from minigrad.tensor import Node, Tensor, mode, wrap


class Packed:
    """What stands in a slot while its value is packed."""

    def __repr__(self) -> str:
        return "<packed>"


PACKED = Packed()


def call_unrecorded(hook, value):
    """Call a pack or unpack hook; what it computes is no history."""
    before = set_recording(False)
    try:
        return hook(value)
    finally:
        set_recording(before)


def unpacked(unpack, box) -> np.ndarray:
    """The array that an unpack hook makes of a box."""
    value = call_unrecorded(unpack, box)
    if not isinstance(value, Tensor):
        raise TypeError(
            "Output of saved tensor unpack_hook expected to be a Tensor but got result "
            f"of type {type(value).__name__}: let '{called(unpack)}' make a tensor of "
            "it (Chapter 12)"
        )
    return value._array


class Boxes:
    """What ``pack`` has made of a node's saved values, by the name of the slot."""

    def __init__(self, contents: dict, unpack):
        self.contents, self.unpack = contents, unpack

    @contextmanager
    def opened(self, node: Node):
        """For the length of the step, the values are where it will look for them."""
        for name, box in self.contents.items():
            setattr(node, name, unpacked(self.unpack, box))
        node.born = function.clock  # what was packed, nobody has changed in place
        try:
            yield
        finally:
            if any(getattr(node, name) is FREED for name in self.contents):
                self.contents = {}
            for name in self.contents:
                setattr(node, name, PACKED)


class Choices(threading.local):
    """What this thread wants done with saved values: the innermost choice is last."""

    def __init__(self):
        self.hooks, self.refused, self.copies = [], [], None


choices = Choices()


def pack_saved(node: Node) -> None:
    """Pack what a node has just saved; if that fails, no tensor leads to the node."""
    pack, unpack = choices.hooks[-1]
    contents = {}
    for name in node.saves:
        value = getattr(node, name, None)
        if isinstance(value, (np.ndarray, np.generic)) and not _number(node, name):
            contents[name] = call_unrecorded(pack, wrap(value))
    if contents:
        hooks_of(node).boxes = Boxes(contents, unpack)
        for name in contents:
            setattr(node, name, PACKED)


def _number(node: Node, name: str) -> bool:
    """Whether a slot holds a constant without axes, as in ``x * 2``."""
    links = dict(zip(node.primitive.rules, node.links, strict=True))
    constant = name in links and getattr(node, links[name]) is None
    return constant and np.ndim(getattr(node, name)) == 0


class saved_tensors_hooks:  # noqa: N801 (PyTorch's own spelling)
    """In this block, ``pack`` gets each value that a node saves; ``unpack`` undoes it.

    Of blocks inside one another the innermost decides. It holds for this thread.
    """

    def __init__(self, pack_hook, unpack_hook):
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self) -> None:
        refuse_if_disabled()
        for hook in (self.pack_hook, self.unpack_hook):
            if not callable(hook):
                raise TypeError(
                    "saved_tensors_hooks(): incompatible function arguments: pack and "
                    f"unpack are functions, and not {type(hook).__name__} (Chapter 12)"
                )
        choices.hooks.append((self.pack_hook, self.unpack_hook))
        mode.keeper = pack_saved
        look_twice(1)

    def __exit__(self, *failure) -> None:
        choices.hooks.pop()
        mode.keeper = pack_saved if choices.hooks else None
        look_twice(-1)


def refuse_if_disabled() -> None:
    """Raise what `disable_saved_tensors_hooks` was told to say, if it is in force."""
    if choices.refused:
        raise RuntimeError(
            f"{choices.refused[-1]}. Saved tensors hooks and a block that disables "
            "them do not go together: leave one of the two first (Chapter 12)"
        )


@contextmanager
def disable_saved_tensors_hooks(error_message: str):
    """In this block, or function, `saved_tensors_hooks` is an error that says this."""
    choices.refused.append(error_message)
    try:
        if choices.hooks:
            refuse_if_disabled()
        yield
    finally:
        choices.refused.pop()


class save_on_cpu(saved_tensors_hooks):  # noqa: N801
    """Keep saved values in the memory of the computer, where they are already."""

    def __init__(self, pin_memory: bool = False, device_type: str = "cuda"):
        super().__init__(lambda t: t, lambda t: t)


@contextmanager
def allow_mutation_on_saved_tensors():
    """In this block, what a node has saved may be changed in place: it has a copy."""
    if choices.copies is not None:
        raise RuntimeError(
            "allow_mutation_on_saved_tensors contexts cannot be nested: the outer one "
            "is in force (Chapter 12)"
        )

    def pack(tensor: Tensor) -> Packed:
        copies[place := Packed()] = tensor.clone()
        return place

    def unpack(place: Packed) -> Tensor:
        if place not in copies:
            raise AssertionError(
                "Trying to backward outside of the 'allow_mutation_on_saved_tensors' "
                "context in which the graph was originally recorded: walk back inside "
                "of the block (Chapter 12)"
            )
        return copies[place]

    copies = choices.copies = weakref.WeakKeyDictionary()
    try:
        with saved_tensors_hooks(pack, unpack):
            yield copies
    finally:
        choices.copies = None
        copies.clear()


def increment_version(tensor) -> None:
    """Say that a tensor, or each of several, has been changed behind our back."""
    several = [tensor] if isinstance(tensor, Tensor) else tensor
    if not isinstance(several, Iterable):
        raise RuntimeError(
            "increment_version expect a Iterable[Tensor] as input, but got "
            f"{type(tensor).__name__}: give the tensor (Chapter 12)"
        )
    for each in several:
        count_change(each, "increment_version")
