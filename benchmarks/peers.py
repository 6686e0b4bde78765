"""The libraries that are measured: which of them are here, and how each is set up.

Every peer is given its best manners: one thread, and what its own documentation
recommends for speed where that does not change the results.
"""

import importlib
import importlib.metadata
import importlib.util
import os
import shutil

ORDER = ("minigrad", "torch", "autograd", "mygrad", "tinygrad", "micrograd")
TITLES = {
    "hand": "by hand",
    "minigrad": "minigrad",
    "torch": "PyTorch",
    "autograd": "HIPS autograd",
    "mygrad": "MyGrad",
    "tinygrad": "tinygrad",
    "micrograd": "micrograd",
    "loop": "row by row",
}


def available() -> tuple[dict, dict[str, str]]:
    """Import what is installed: ``(modules, reasons)``, both by name.

    ``reasons`` says of every library that is left out why it is.
    """
    modules, reasons = {}, {}
    for name in ORDER:
        try:
            modules[name] = PREPARE.get(name, importlib.import_module)(name)
        except ModuleNotFoundError as error:
            reasons[name] = f"{error.name} is not installed"
        except Unusable as error:
            reasons[name] = str(error)
    return modules, reasons


def version(name: str) -> str:
    """The installed version; empty for a package that pip does not know."""
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return ""


class Unusable(Exception):
    """A library is installed, but cannot work here; the message says why."""


def _torch(name: str):
    torch = importlib.import_module(name)
    torch.set_num_threads(1)
    return torch


def _autograd(name: str):
    importlib.import_module("autograd.numpy")
    return importlib.import_module(name)


def _mygrad(name: str):
    mygrad = importlib.import_module(name)
    mygrad.turn_memory_guarding_off()  # its documentation's advice for speed
    return mygrad


def _tinygrad(name: str):
    if importlib.util.find_spec(name) is None:
        raise ModuleNotFoundError(name=name)
    if shutil.which(os.environ.get("CC", "clang")) is None:
        raise Unusable("tinygrad compiles its kernels with clang, which is not here")
    os.environ.setdefault("DEV", "CPU")
    return importlib.import_module(name)


def _micrograd(name: str):
    importlib.import_module("micrograd.engine")
    return importlib.import_module(name)


PREPARE = {
    "torch": _torch,
    "autograd": _autograd,
    "mygrad": _mygrad,
    "tinygrad": _tinygrad,
    "micrograd": _micrograd,
}
