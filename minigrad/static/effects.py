# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""What a trace cannot see: prints, and changes of what lies outside of the function."""

import builtins
import linecache
import sys
import types
import warnings

from minigrad.static.graph import _ours
from minigrad.static.traced import tracing
from minigrad.tensor import Tensor

MOST = 1000  # a longer list is watched by its length alone


def names_of(function) -> dict:
    """What a function can reach from outside, by name: closure, module, ``self``."""
    inner = getattr(function, "__func__", function)
    code = getattr(inner, "__code__", None)
    found = {}
    if code is not None:
        cells = zip(code.co_freevars, inner.__closure__ or (), strict=True)
        found = {
            n: inner.__globals__[n] for n in code.co_names if n in inner.__globals__
        }
        for name, cell in cells:
            try:
                found[name] = cell.cell_contents
            except ValueError:  # nothing has been put there yet
                continue
    owner = getattr(function, "__self__", None if code is not None else function)
    return found if owner is None else {**found, "self": owner}


def parts_of(value) -> dict | None:
    """What can be put into a thing, by name or number; None if it is no container."""
    if isinstance(value, (list, set)):
        return dict(enumerate(value))
    if isinstance(value, dict):
        return value
    plain = isinstance(value, (Tensor, type, types.ModuleType, types.FunctionType))
    ours = type(value).__module__.startswith("minigrad.")
    return None if plain or ours else getattr(value, "__dict__", None)


def marks(value) -> tuple:
    """What changes if a thing is changed: its length, and who its parts are."""
    parts = parts_of(value)
    short = len(parts) <= MOST
    return len(parts), tuple(map(id, parts.values())) if short else ()


class Witness:
    """Watches a call, line by line, and warns of what a replay will not do."""

    def __init__(self, function, args: tuple, kwargs: dict):
        self.function = function
        self.name = getattr(function, "__name__", type(function).__name__)
        self.before, self.watched, self.told, self.lines = {}, {}, {}, {}
        self.before = names_of(function)
        given = {f"argument {k}": x for k, x in enumerate(args, 1)}
        for place, value in {**self.before, **given, **kwargs}.items():
            self.look(value, place, 2)

    def look(self, value, place: str, depth: int) -> None:
        """Watch a container, and those that lie in it."""
        if id(value) in self.watched or parts_of(value) is None:
            return
        self.watched[id(value)] = [place, value, marks(value)]
        if depth and len(parts_of(value)) <= MOST:
            for key, part in parts_of(value).items():
                dot = (
                    f"[{key!r}]" if isinstance(value, (list, set, dict)) else f".{key}"
                )
                self.look(part, f"{place}{dot}", depth - 1)


def _enter(self):
    """Begin to watch, unless a debugger does."""
    self.debugger = sys.gettrace()
    if self.debugger is None:
        sys.settrace(self.called)
    self.print, builtins.print = builtins.print, self.printing
    return self


def _exit(self, *error) -> None:
    """Stop; then warn of what has been seen."""
    if self.debugger is None:
        sys.settrace(None)
    builtins.print = self.print


Witness.__enter__, Witness.__exit__ = _enter, _exit


def _tell(self) -> None:
    """Warn of what has been seen."""
    for what, place in self.told.items():
        warnings.warn(WARNING.format(place, what, self.name), UserWarning, 4)


Witness.tell = _tell
WARNING = (
    "{0} {1} while {2} is traced: it happens now, and not when the trace is replayed. "
    "Return what you want to keep, or do it outside (Chapter 23)"
)


def _called(self, frame, event, _):
    """Follow the lines of your functions, not those of the package."""
    return self.stepped if _yours(frame.f_code.co_filename) else None


LIBRARY = linecache.__file__.removesuffix("linecache.py")


def _yours(file: str) -> bool:
    """Whether a file is a part of your program, and not of a library."""
    library = file.startswith(LIBRARY) or "site-packages" in file
    return not (library or _ours(file))


def _stepped(self, frame, event, _):
    """Look, after each line, whether it has changed something."""
    changed = []
    for place, value, was in self.watched.values():
        now = marks(value)
        if now != was:
            self.watched[id(value)][2] = now
            changed.append(place)
    now = names_of(self.function)
    changed += [n for n, value in now.items() if value is not self.before.get(n, value)]
    self.before = now
    for place in changed:
        where = line(frame, self.lines.get(id(frame)))
        self.told.setdefault(f"changes {place!r}", where)
    self.lines[id(frame)] = frame.f_lineno if event == "line" else None
    return self.stepped


def line(frame, number: int | None) -> str:
    """A line of yours, quoted."""
    file, number = frame.f_code.co_filename, number or frame.f_lineno
    place = "the cell" if "ipykernel" in file else file.rpartition("/")[2]
    return f"line {number} of {place}, `{linecache.getline(file, number).strip()}`,"


def _printing(self, *args, **options):
    """Print, and remember who did."""
    self.print(*args, **options)
    frame = sys._getframe(1)
    if tracing() is not None and _yours(frame.f_code.co_filename):
        self.told.setdefault("prints", line(frame, frame.f_lineno))


Witness.called, Witness.stepped, Witness.printing = _called, _stepped, _printing
