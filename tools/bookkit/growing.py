"""While a chapter runs, the package grows with it.

Exported cells import from one another: ``minigrad/creation.py`` begins with ``from
minigrad.tensor import Tensor``, and both files are built in the same chapter. On disk
there may be no such file yet, or one that does not know your latest change. So each
exported cell that has run is put, in memory, into the module that it belongs to, and
the import finds what the notebook itself has just defined.
"""

import ast
import contextlib
import importlib
import re
import symtable
import sys
from collections.abc import Iterator, Mapping
from types import ModuleType

DIRECTIVE = re.compile(r"#\| file: (minigrad(?:/\w+)*)\.py\n")


def follow() -> None:
    """From now on grow the package after each cell, where there is a notebook."""
    if "IPython" in sys.modules:
        shell = sys.modules["IPython"].get_ipython()
        if shell is not None:
            shell.events.register("post_run_cell", _after_cell)


def _after_cell(result) -> None:
    """Take up what an exported cell has defined, unless it failed."""
    if result.success and result.info is not None:
        shell = sys.modules["IPython"].get_ipython()
        grow(result.info.raw_cell, shell.user_ns)


def grow(source: str, namespace: Mapping) -> ModuleType | None:
    """Put the names that an exported cell binds into its module, and return that.

    Parameters
    ----------
    source
        The text of a cell; without the directive, nothing is done.
    namespace
        Where the cell has run, and where its values are.
    """
    directive = DIRECTIVE.match(source)
    if not directive:
        return None
    code = source[directive.end() :]
    name = directive[1].removesuffix("/__init__").replace("/", ".")
    begins = re.match(r'\s*r?"""', code)  # the module's docstring: a new file
    module = _module(name, fresh=bool(begins) and name != "minigrad")
    for bound in _bound(code):
        if bound in namespace:
            setattr(module, bound, namespace[bound])
    return module


def _bound(code: str) -> Iterator[str]:
    """Yield the names that a piece of code binds at its top level."""
    for symbol in symtable.symtable(code, "<cell>", "exec").get_symbols():
        if symbol.is_assigned() or symbol.is_imported():
            yield symbol.get_name()
    for statement in ast.parse(code).body:
        if isinstance(statement, ast.ImportFrom) and statement.names[0].name == "*":
            names = vars(sys.modules[statement.module])
            public = [name for name in names if not name.startswith("_")]
            yield from names.get("__all__", public)


def _module(name: str, *, fresh: bool = False) -> ModuleType:
    """Return the module of that name, from memory or disk, or a new, empty one."""
    module = None
    if not fresh:
        with contextlib.suppress(ModuleNotFoundError):
            module = importlib.import_module(name)
    if module is None:
        module = sys.modules[name] = ModuleType(name)
        module.__path__ = []  # it may turn out to have sub-modules
    parent, _, last = name.rpartition(".")
    if parent:
        package = _module(parent)
        if isinstance(getattr(package, last, module), ModuleType):
            setattr(package, last, module)  # minigrad.tensor may also be the function
    return module
