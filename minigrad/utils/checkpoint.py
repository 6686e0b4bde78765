# Generated from chapter 16 (book/ch16-custom.ipynb): edit the chapter, not this.
"""Checkpoints: keep the inputs of a piece of a program, and compute the rest again."""

import warnings
import weakref
from contextlib import contextmanager, nullcontext

from minigrad.autograd import engine
from minigrad.autograd.custom import Function
from minigrad.autograd.grad_mode import enable_grad, no_grad
from minigrad.autograd.saved import saved_tensors_hooks
from minigrad.creation import empty
from minigrad.random_state import get_rng_state, set_rng_state
from minigrad.tensor import Tensor


@contextmanager
def _random_from(state):
    """Draw from an earlier state; afterwards go on as if nothing had been drawn."""
    if state is None:
        yield
        return
    now = get_rng_state()
    set_rng_state(state)
    try:
        yield
    finally:
        set_rng_state(now)


def detach_variable(inputs: tuple) -> tuple:
    """Leaves with the same numbers, which collect gradients of their own."""
    return tuple(
        x.detach().requires_grad_(x.requires_grad) if isinstance(x, Tensor) else x
        for x in inputs
    )


class CheckpointFunction(Function):
    """The reentrant design: a function whose backward runs forward, then backward."""

    @staticmethod
    def forward(ctx, run, preserve, *args):
        """Run without recording, and keep the arguments."""
        ctx.run, ctx.args = run, list(args)
        ctx.state = get_rng_state() if preserve else None
        ctx.places = [k for k, x in enumerate(args) if isinstance(x, Tensor)]
        ctx.save_for_backward(*(args[k] for k in ctx.places))
        for k in ctx.places:
            ctx.args[k] = None
        with no_grad():
            return run(*args)


def _run_again(ctx, *grads):
    """Compute once more, recorded this time, and walk back from there."""
    if engine._under_way[-1][1] is not None:
        raise RuntimeError(
            "When use_reentrant=True, torch.utils.checkpoint is incompatible with "
            ".grad() or passing an `inputs` parameter to .backward(). To resolve this "
            "error, you can either set use_reentrant=False, or call .backward() without"
            " passing the `inputs` argument (Chapter 16)."
        )
    args = [*ctx.args]
    for k, x in zip(ctx.places, ctx.saved_tensors, strict=True):
        args[k] = x
    args = detach_variable(tuple(args))
    with _random_from(ctx.state), enable_grad():
        outputs = ctx.run(*args)
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    pairs = zip(outputs, grads, strict=True)
    pairs = [(y, g) for y, g in pairs if isinstance(y, Tensor) and y.requires_grad]
    if not pairs:
        raise RuntimeError(
            "none of output has requires_grad=True, this checkpoint() is not necessary:"
            " call the function itself (Chapter 16)"
        )
    engine.backward(*([*column] for column in zip(*pairs, strict=True)))
    return None, None, *(x.grad if isinstance(x, Tensor) else None for x in args)


CheckpointFunction.backward = staticmethod(_run_again)


class CheckpointError(RuntimeError):
    """What was computed the second time is not what was computed the first time."""


class _Stop(Exception):
    """All that was saved has been computed again."""


class _Keep(Function):
    """Keeps the arguments of a checkpoint the way any node keeps what it saves."""

    @staticmethod
    def forward(ctx, dummy, *inputs):
        """Save the inputs; the result is only there to lead to them."""
        ctx.save_for_backward(*inputs)
        return empty(0)

    @staticmethod
    def jvp(ctx, *tangents) -> None:
        """The result does not move."""


class _Place:
    """What a node keeps in place of a saved value: a place in its frame."""

    def __init__(self, tensor: Tensor):
        self.like = tensor.shape, tensor.dtype


class _Frame:
    """One checkpointed call: how to compute it again, and the places that it left."""

    def __init__(self, run, args: tuple, state, around):
        self.run, self.state, self.around, self.places = run, state, around, []
        self.values: dict = {}
        tensors = {k: x for k, x in enumerate(args) if isinstance(x, Tensor)}
        self.args, self.tensors = args, [*tensors]
        dummy = empty(0, requires_grad=True)
        with enable_grad():
            self.kept = _Keep.apply(dummy, *tensors.values()).grad_fn
        self.args = [None if k in tensors else x for k, x in enumerate(args)]

    def pack(self, tensor: Tensor) -> _Place:
        """Forget a value; remember that it was the next to be saved."""
        place = _Place(tensor)
        self.places.append(weakref.ref(place))
        return place

    def unpack(self, place: _Place) -> Tensor:
        """The value that belongs to a place, computed again if it is not there."""
        if place not in self.values:
            self.recompute()
        return self.values.pop(place)


def _recompute(self) -> None:
    """Run the function again, and put what it saves into the places."""
    found: list[Tensor] = []

    def collect(tensor):
        found.append(tensor.detach())
        if self.early_stop and len(found) == len(self.places):
            raise _Stop
        return tensor

    args = [*self.args]
    for k, x in zip(self.tensors, self.kept.saved_tensors, strict=True):
        args[k] = x
    try:
        hooks = saved_tensors_hooks(collect, lambda x: x)
        with _random_from(self.state), enable_grad(), self.around, hooks:
            self.run(*args)
    except _Stop:
        pass
    if len(found) != len(self.places):
        raise CheckpointError(
            "torch.utils.checkpoint: A different number of tensors was saved during "
            "the original forward and recomputation.\nNumber of tensors saved during "
            f"forward: {len(self.places)}\nNumber of tensors saved during "
            f"recomputation: {len(found)}.\nThe function must do the same each time "
            "(Chapter 16)"
        )
    self.fill(found)


_Frame.recompute = _recompute


def _fill(self, found: list) -> None:
    """Put values into places that somebody still holds; refuse those that differ."""
    wrong = []
    for k, (place, value) in enumerate(zip(self.places, found, strict=True)):
        place = place()
        if place is None:
            continue
        if place.like != (value.shape, value.dtype) and self.strict:
            wrong.append(f"position {k}: {place.like}, now {value.shape, value.dtype}")
        self.values[place] = value
    if wrong:
        raise CheckpointError(
            "torch.utils.checkpoint: Recomputed values for the following tensors have "
            "different metadata than during the forward pass.\n"
            + "\n".join(wrong)
            + "\n"
            "The function must do the same each time (Chapter 16)"
        )


_Frame.fill = _fill


def _nothing():
    """Two contexts that do nothing, for the first run and for the others."""
    return nullcontext(), nullcontext()


def checkpoint(
    function,
    *args,
    use_reentrant: bool | None = None,
    context_fn=_nothing,
    determinism_check: str = "default",
    debug: bool = False,
    early_stop: bool = True,
    **kwargs,
):
    """Call a function; keep only its arguments, and compute the rest again if needed.

    ``use_reentrant=False`` gives the function's own nodes, whose saved values are
    computed again; True, one node, which runs the function and its backward.
    ``preserve_rng_state=False`` allows other random numbers the second time;
    ``early_stop=False`` runs the function to its end even when all is there.
    """
    if use_reentrant is None:
        warnings.warn(GIVE.format("checkpoint"), UserWarning, stacklevel=2)
        use_reentrant = True
    preserve = kwargs.pop("preserve_rng_state", True)
    if use_reentrant:
        _check_reentrant(args, kwargs, context_fn is not _nothing or debug)
        return CheckpointFunction.apply(function, preserve, *args)
    frame_of = _frame_of(function, preserve, context_fn, determinism_check)
    return frame_of(args, kwargs, early_stop)


GIVE = (
    "torch.utils.checkpoint.{}: the use_reentrant parameter should be passed "
    "explicitly. Starting in PyTorch 2.9, calling checkpoint without use_reentrant "
    "will raise an exception. use_reentrant=False is recommended, but if you need to "
    "preserve the current default behavior, you can pass use_reentrant=True (Chapter "
    "16)."
)
GIVE_SEQUENTIAL = GIVE.replace(
    "Starting in PyTorch 2.9, calling checkpoint without use_reentrant will raise an "
    "exception.",
    "In version 2.9 we will raise an exception if use_reentrant is not passed.",
)


def _check_reentrant(args: tuple, kwargs: dict, more: bool) -> None:
    """Refuse what the reentrant design cannot do; warn of a useless call."""
    if kwargs:
        raise ValueError(
            f"Unexpected keyword arguments: {','.join(kwargs)}. With "
            "use_reentrant=False they are passed on (Chapter 16)"
        )
    if more:
        raise ValueError(
            "Passing `context_fn` or `debug` is only supported when "
            "use_reentrant=False: set that (Chapter 16)."
        )
    if not any(isinstance(x, Tensor) and x.requires_grad for x in args):
        warnings.warn(
            "None of the inputs have requires_grad=True. Gradients will be None",
            stacklevel=3,
        )


_Frame.stops = None  # what early_stop says itself


@contextmanager
def set_checkpoint_early_stop(enable: bool):
    """In this block, whether checkpoints stop early, whatever their argument says."""
    before, _Frame.stops = _Frame.stops, enable
    try:
        yield
    finally:
        _Frame.stops = before


def _frame_of(function, preserve: bool, context_fn, determinism_check: str):
    """The non-reentrant design: what runs a function and packs what it saves."""
    if determinism_check not in ("default", "none"):
        raise ValueError(
            "determinism_check should be one of ['default', 'none'], but got "
            f"{determinism_check}: 'default' compares shapes and dtypes (Chapter 16)"
        )

    def call(args, kwargs, early_stop):
        early_stop = early_stop if _Frame.stops is None else _Frame.stops
        first, again = context_fn()
        state = get_rng_state() if preserve else None
        frame = _Frame(lambda *a: function(*a, **kwargs), args, state, again)
        frame.strict, frame.early_stop = determinism_check == "default", early_stop
        with first, saved_tensors_hooks(frame.pack, frame.unpack):
            return function(*args, **kwargs)

    return call


def checkpoint_sequential(functions, segments, input, use_reentrant=None, **kwargs):
    """Run functions one after the other, in segments; all but the last checkpointed."""
    if use_reentrant is None:
        text = GIVE_SEQUENTIAL.format("checkpoint_sequential")
        warnings.warn(text, UserWarning, stacklevel=2)
        use_reentrant = True
    options = {"preserve_rng_state": kwargs.pop("preserve_rng_state", True)}
    if kwargs:
        raise ValueError(
            f"Unexpected keyword arguments: {','.join(kwargs)}. The functions get the "
            "input only (Chapter 16)"
        )
    functions = list(functions)
    size, start = len(functions) // segments, 0
    for _ in range(segments - 1):
        run = _chain(functions[start : start + size])
        input = checkpoint(run, input, use_reentrant=use_reentrant, **options)
        start += size
    return _chain(functions[start:])(input)


def _chain(functions: list):
    """One function that runs several, one after the other."""

    def run(x):
        for function in functions:
            x = function(x)
        return x

    return run
