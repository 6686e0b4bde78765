"""The package grows while a chapter runs: what a notebook defines, imports find."""

import sys

import pytest

from bookkit import growing
from kernels import environment, kernel

CELL = '#| file: minigrad/{}.py\n"""A module."""\n\n{}\n'


@pytest.fixture(autouse=True)
def as_before():
    """Leave Python's modules as they were."""
    before = {k: v for k, v in sys.modules.items() if k.startswith("minigrad")}
    names = {module: dict(vars(module)) for module in before.values()}
    yield
    for name in [k for k in sys.modules if k.startswith("minigrad")]:
        del sys.modules[name]
    sys.modules.update(before)
    for module, contents in names.items():
        vars(module).clear()
        vars(module).update(contents)


def grow(path, code, **namespace):
    return growing.grow(CELL.format(path, code), namespace)


def test_a_cell_becomes_importable():
    grow("kitten", "def purr(): ...\nTAIL = 1", purr=len, TAIL=1, other=2)
    from minigrad.kitten import TAIL, purr

    assert purr is len and TAIL == 1
    assert not hasattr(sys.modules["minigrad.kitten"], "other")
    assert sys.modules["minigrad"].kitten is sys.modules["minigrad.kitten"]


def test_the_first_cell_of_a_file_begins_it_anew():
    grow("kitten", "a = 1", a=1)
    again = growing.grow("#| file: minigrad/kitten.py\nb = 2\n", {"b": 2})
    assert again.a == 1 and again.b == 2
    assert not hasattr(grow("kitten", "c = 3", c=3), "a")


def test_every_way_of_binding_counts():
    code = "import os.path as p\nfrom sys import path as q\nx, (y, *z) = 1, (2, 3)\n"
    code += "class C: inner = 1\nfor i in (): pass\nw: int = 4\n"
    values = dict.fromkeys("pqxyzCiw", 1) | {"inner": 1}
    module = grow("kitten", code, **values)
    assert {k for k in vars(module) if len(k) == 1} == set("pqxyzCiw")
    assert not hasattr(module, "inner")


def test_star_imports_pass_names_on():
    grow(
        "kitten",
        "__all__ = ['purr']\npurr = hiss = 1",
        __all__=["purr"],
        purr=1,
        hiss=2,
    )
    source = "#| file: minigrad/__init__.py\nfrom minigrad.kitten import *\n"
    module = growing.grow(source, {"purr": 1, "hiss": 2})
    assert module.purr == 1 and not hasattr(module, "hiss")


def test_subpackages_and_functions_of_the_same_name():
    grow("cats/kitten", "a = 1", a=1)
    from minigrad.cats.kitten import a

    assert a == 1
    package = sys.modules["minigrad"]
    grow("kitten", "a = 1", a=1)
    package.kitten = len  # as minigrad.tensor is a module and a function
    grow("kitten", "a = 2", a=2)
    assert package.kitten is len and sys.modules["minigrad.kitten"].a == 2


@pytest.mark.parametrize("source", ["x = 1", "# file: minigrad/x.py\nx = 1", ""])
def test_other_cells_do_nothing(source):
    assert growing.grow(source, {"x": 1}) is None


def test_in_a_notebook(tmp_path):
    cell = CELL.format("kitten", "def purr():\n    return 'prrr'")
    with kernel(tmp_path, environment(())) as notebook:
        assert notebook.run("import bookkit").error is None
        assert notebook.run(cell).error is None
        done = notebook.run(
            "from minigrad.kitten import purr as p\nprint(p(), p is purr)"
        )
        assert (done.printed, done.error) == ("prrr True\n", None)
        broken = CELL.format("puppy", "x = 1\n1 / 0")
        assert "ZeroDivisionError" in notebook.run(broken).error
        assert "ModuleNotFoundError" in notebook.run("import minigrad.puppy").error
