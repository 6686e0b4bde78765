# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Modules that hold modules."""

from collections import OrderedDict

from minigrad.nn.modules.module import Module


def _place(modules: dict, index, name: str):
    """The key of the index-th module, counted from either end."""
    keys, n = list(modules), len(modules)
    if not -n <= index < n:
        raise IndexError(f"index {index} is out of range: {n} modules (Chapter 17)")
    return keys[index]


class _Listlike(Module):
    """Modules under the names 0, 1, 2 …"""

    def __getitem__(self, index):
        if isinstance(index, slice):
            items = list(self._modules.items())[index]
            return self._sliced(items)
        return self._modules[_place(self._modules, index, "")]

    def __setitem__(self, index: int, module: Module):
        setattr(self, _place(self._modules, index, ""), module)

    def __delitem__(self, index):
        keys = list(self._modules)
        gone = keys[index] if isinstance(index, slice) else [_place(self._modules, index, "")]
        kept = [m for k, m in self._modules.items() if k not in gone]
        self._modules.clear()
        self.extend(kept)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())

    def append(self, module: Module):
        """Put a module at the end; return self."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Put several at the end; return self."""
        for module in modules:
            self.append(module)
        return self


class Sequential(_Listlike):
    """Modules that are called one after the other."""

    def __init__(self, *args):
        super().__init__()
        named = args[0].items() if len(args) == 1 and isinstance(args[0], dict) else (
            (str(k), module) for k, module in enumerate(args)
        )
        for name, module in named:
            self.add_module(name, module)

    def _sliced(self, items):
        return type(self)(OrderedDict(items))

    def forward(self, input):
        """Hand the input through all of them."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Listlike):
    """A list whose modules the outer one knows."""

    def __init__(self, modules=()):
        super().__init__()
        self.extend(modules or ())

    def _sliced(self, items):
        return type(self)(module for _, module in items)
