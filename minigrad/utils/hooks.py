# Generated from chapter 12 (book/ch12-hooks.ipynb): edit the chapter, not this.
"""Handles: what you are given for a hook, and take it away with."""

import itertools
import weakref
from collections import OrderedDict


class RemovableHandle:
    """Takes one hook away again: by `remove`, or at the end of a ``with`` block."""

    ids = itertools.count()

    def __init__(self, hooks_dict: OrderedDict):
        self.hooks_dict_ref = weakref.ref(hooks_dict)  # a handle keeps no hook alive
        self.id = next(self.ids)

    def remove(self) -> None:
        """Take the hook away; a second time does nothing."""
        hooks = self.hooks_dict_ref()
        if hooks is not None:
            hooks.pop(self.id, None)

    def __enter__(self):
        return self

    def __exit__(self, *failure) -> None:
        self.remove()
