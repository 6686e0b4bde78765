# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""The door to traced functions, under the names of PyTorch and of TensorFlow."""

from functools import partial


def compile(
    model=None,
    *,
    fullgraph: bool = False,
    dynamic: bool | None = None,
    backend="inductor",
    mode: str | None = None,
    options: dict | None = None,
    disable: bool = False,
):
    """Return a function, or a module, that is traced when it is called, and replayed.

    To be used as ``compile(f)``, ``@compile`` or ``@compile()``. PyTorch's options are
    accepted; only ``disable`` makes a difference: then ``model`` comes back as it is.
    """
    if model is None:
        return partial(compile, disable=disable)
    if not callable(model):
        raise AssertionError(
            f"A callable function is expected, but {type(model)} is provided: write a "
            "function, and compile that (Chapter 23)"
        )
    if disable:
        return model
    from minigrad.static.compiled import Compiled  # not before somebody wants it

    return Compiled(model)


function = compile  # what TensorFlow calls it
