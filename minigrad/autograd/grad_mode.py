# Generated from chapter 8 (book/ch08-leaves.ipynb): edit the chapter, not this.
"""Switching recording off and on: `no_grad`, `enable_grad` and their relatives.

Each is a context manager and a decorator. The mode belongs to the running thread, and
what was there before comes back on leaving, also when an exception is on its way.
"""

import functools
import inspect
import warnings

from minigrad.autograd.function import look_twice, set_recording
from minigrad.errors import wrong_type
from minigrad.tensor import mode


def is_grad_enabled() -> bool:
    """Whether operations of this thread are recorded."""
    return mode.recording


def is_inference_mode_enabled() -> bool:
    """Whether this thread is in inference mode."""
    return mode.inference


def _switch(recording: bool, inference: bool | None) -> tuple[bool, bool]:
    """Set the mode of this thread (None: leave it) and return what it was."""
    before = set_recording(recording), mode.inference
    if inference is not None:
        mode.inference = inference
    if inference:
        _marks_exist()
    return before


@functools.cache
def _marks_exist() -> None:
    """Note, once, that operations must look for tensors made in inference mode."""
    look_twice(1)


class _Mode:
    """A mode to be in, for the length of a ``with`` block or of a function call."""

    def __init__(self, recording: bool, inference: bool | None = None):
        self.recording, self.inference = recording, inference

    def __enter__(self) -> None:
        self.before = _switch(self.recording, self.inference)

    def __exit__(self, *failure) -> None:
        _switch(*self.before)

    def __call__(self, function):
        """Return a function that runs ``function`` in this mode."""
        if not callable(function):
            raise TypeError(
                f"{type(self).__name__} decorates a function, not {function!r}. To "
                "decide by a value, use torch.set_grad_enabled(value) (Chapter 8)"
            )
        if inspect.isclass(function):
            said = "Decorating classes is deprecated: decorate the method that needs it"
            warnings.warn(said, FutureWarning, stacklevel=2)
        decorate = _generator if inspect.isgeneratorfunction(function) else _function
        return decorate(function, lambda: _Mode(self.recording, self.inference))


def _function(function, entering):
    """A function that runs in the mode: each call enters it anew."""

    @functools.wraps(function)
    def in_mode(*arguments, **options):
        with entering():
            return function(*arguments, **options)

    return in_mode


def _generator(function, entering):
    """A generator that is in the mode while it runs, and not while it waits."""

    @functools.wraps(function)
    def in_mode(*arguments, **options):
        generator = function(*arguments, **options)
        resume, value = generator.send, None
        while True:
            with entering():
                try:
                    item = resume(value)
                except StopIteration as stop:
                    return stop.value
            try:
                resume, value = generator.send, (yield item)
            except BaseException as error:  # also GeneratorExit: it is being closed
                resume, value = generator.throw, error

    return in_mode


class _Bare(_Mode):
    """A mode without a choice: ``@no_grad`` means the same as ``@no_grad()``."""

    def __new__(cls, function=None):
        return super().__new__(cls) if function is None else cls()(function)


class no_grad(_Bare):  # noqa: N801 (PyTorch's own spelling, here and below)
    """Do not record: results are leaves that require no gradient."""

    def __init__(self):
        super().__init__(False)


class enable_grad(_Bare):  # noqa: N801
    """Record again, inside a `no_grad`."""

    def __init__(self):
        super().__init__(True)


class set_grad_enabled(_Mode):  # noqa: N801
    """Record or not, as told: from the call on, or in a ``with``, or in a function."""

    def __init__(self, mode: bool):
        if not isinstance(mode, bool):
            said = "set_grad_enabled(): argument 'enabled' (position 1)"
            raise wrong_type(said, "bool", mode)
        super().__init__(mode)
        super().__enter__()

    def __enter__(self) -> None:
        set_recording(self.recording)

    def __call__(self, function):
        """Take back the switch, and return a function that runs in this mode."""
        self.__exit__()
        return super().__call__(function)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.recording})"


class inference_mode(_Mode):  # noqa: N801
    """Do not record, and mark what is made: it must not be saved in a graph later.

    ``inference_mode(False)`` leaves inference mode, inside one.
    """

    def __new__(cls, mode=True):  # noqa: D102 (a bare decorator, or a context)
        return super().__new__(cls) if isinstance(mode, bool) else cls()(mode)

    def __init__(self, mode: bool = True):
        super().__init__(not mode, mode)
