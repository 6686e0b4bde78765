# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Modules that hold modules: in a row, in a list, in a dictionary."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping

from minigrad.nn.modules.module import Module, typename
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor


class _Listlike(Module):
    """Modules under the names 0, 1, 2 …, or under names that were given."""

    def _key(self, index: int) -> str:
        """The name of the index-th module, counted from either end."""
        keys, n = list(self._modules), len(self._modules)
        if not hasattr(index, "__index__"):
            raise TypeError(
                f"'{typename(index)}' object cannot be interpreted as an integer: a "
                "module by name is model.get_submodule(name) (Chapter 17)"
            )
        if not -n <= index < n:
            raise IndexError(
                f"index {index} is out of range: there are {n} modules (Chapter 17)"
            )
        return keys[index]

    def __getitem__(self, index):
        if isinstance(index, slice):
            return type(self)._of(OrderedDict(list(self._modules.items())[index]))
        return self._modules[self._key(index)]

    def __setitem__(self, index: int, module: Module) -> None:
        setattr(self, self._key(index), module)

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self):
        return iter(self._modules.values())


class _Growing(_Listlike):
    """What a list can do."""

    def __delitem__(self, index) -> None:
        keys = list(self._modules)
        gone = keys[index] if isinstance(index, slice) else [self._key(index)]
        kept = [(k, m) for k, m in self._modules.items() if k not in gone]
        self._modules.clear()
        for n, (k, module) in enumerate(kept):
            self.add_module(str(n) if k.isdigit() else k, module)

    def append(self, module: Module):
        """Put a module at the end; return self."""
        self.add_module(str(len(self)), module)
        return self

    def extend(self, modules):
        """Put several at the end; return self."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.extend should be called with an iterable, but "
                f"got {type(modules).__name__}: append takes one module (Chapter 17)"
            )
        for module in modules:
            self.append(module)
        return self


class _Listed(_Growing):
    """Insertion in the middle, and removal."""

    def insert(self, index: int, module: Module) -> None:
        """Put a module before the index-th."""
        modules = [*self]
        modules.insert(index, module)
        self._modules.clear()
        self.extend(modules)

    def pop(self, key: int):
        """Take a module out, and return it."""
        module = self[key]
        del self[key]
        return module


class Sequential(_Listed):
    """Modules that are called one after the other; named by an OrderedDict."""

    def __init__(self, *args):
        super().__init__()
        named = len(args) == 1 and isinstance(args[0], OrderedDict)
        pairs = args[0].items() if named else ((str(k), m) for k, m in enumerate(args))
        for name, module in pairs:
            self.add_module(name, module)

    @classmethod
    def _of(cls, modules: OrderedDict):
        return cls(modules)

    def forward(self, input):
        """Hand the input through all of them."""
        for module in self:
            input = module(input)
        return input


class ModuleList(_Listed):
    """A list of modules; a plain list would hide them."""

    def __init__(self, modules=None):
        super().__init__()
        self.extend(() if modules is None else modules)

    @classmethod
    def _of(cls, modules: OrderedDict):
        return cls(modules.values())

    def _shown_children(self) -> list[str]:
        lines, runs = [], []
        for k, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1][1] = k
            else:
                runs.append([k, k, text])
        for first, last, text in runs:
            many = f"({first}-{last}): {last - first + 1} x {text}"
            one = f"({first}): {text}"
            lines.append((one if first == last else many).replace("\n", "\n  "))
        return lines


class _Views(Module):
    """What a dictionary shows of itself."""

    _held = property(lambda self: self._modules)

    def __len__(self) -> int:
        return len(self._held)

    def __iter__(self):
        return iter(self._held)

    def keys(self):
        """The names."""
        return self._held.keys()

    def values(self):
        """What it holds."""
        return self._held.values()

    def items(self):
        """Names and what they stand for."""
        return self._held.items()

    def pop(self, key: str):
        """Take one out, and return it."""
        return self._held.pop(key)

    def clear(self) -> None:
        """Take all out."""
        self._held.clear()


class _Dictlike(_Views):
    """What a dictionary takes, and gives."""

    def __init__(self, modules=None):
        super().__init__()
        self.update({} if modules is None else modules)

    def update(self, modules) -> None:
        """Add modules from a dictionary, or from pairs of names and modules."""
        if not isinstance(modules, Iterable):
            raise TypeError(
                f"{type(self).__name__}.update should be called with an iterable of "
                f"key/value pairs, but got {type(modules).__name__}: give a dictionary "
                "(Chapter 17)"
            )
        pairs = modules.items() if isinstance(modules, Mapping | Module) else modules
        for name, module in pairs:
            self[name] = module

    def __getitem__(self, key: str):
        return self._held[key]

    def __delitem__(self, key: str) -> None:
        del self._held[key]

    def __contains__(self, key: str) -> bool:
        return key in self._held


class ModuleDict(_Dictlike):
    """A dictionary of modules."""

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)


def _declared(value: Tensor) -> Parameter:
    """The tensor as a parameter."""
    return value if isinstance(value, Parameter) else Parameter(value)


def _sizes(self) -> str:
    """A line for each parameter: its dtype, or kind of tensor, and its shape."""
    named = isinstance(self, ParameterDict)
    return "\n".join(
        f"  ({k}): Parameter containing: [{typename(p) if named else p.dtype} of size "
        f"{'x'.join(map(str, p.shape))}]"
        for k, p in self._parameters.items()
    ).replace("minigrad.", "torch.")


class ParameterDict(_Dictlike):
    """A dictionary of parameters."""

    _held, extra_repr = property(lambda self: self._parameters), _sizes

    def __setitem__(self, key: str, value: Tensor) -> None:
        setattr(self, key, _declared(value))

    def get(self, key: str, default=None):
        """The parameter of that name, or the default."""
        return self._parameters.get(key, default)


class ParameterList(Module):
    """A list of parameters; a plain list would hide them."""

    extra_repr = _sizes

    def __init__(self, values=None):
        super().__init__()
        self.extend(() if values is None else values)

    def append(self, value: Tensor):
        """Put a parameter at the end; return self."""
        setattr(self, str(len(self)), _declared(value))
        return self

    def __getitem__(self, index):
        found = [*self][index]
        return type(self)(found) if isinstance(index, slice) else found

    def __setitem__(self, index: int, value: Tensor) -> None:
        setattr(self, str(range(len(self))[index]), _declared(value))

    def __len__(self) -> int:
        return len(self._parameters)

    def __iter__(self):
        return iter(self._parameters.values())

    extend = __iadd__ = _Growing.extend
