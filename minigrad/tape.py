# Generated from chapter 23 (book/ch23-tracing.ipynb): edit the chapter, not this.
"""GradientTape, as in TensorFlow 2: a list of what was done, to be run backwards.

A tensor of PyTorch leads to its own history, by ``grad_fn``. Here tensors know nothing:
the tape has the history, of the operations that ran while it was recording, and of the
tensors that it was told to watch.
"""

import warnings
from contextlib import contextmanager

import numpy as np

from minigrad import inplace
from minigrad.autograd import custom, forward_ad
from minigrad.autograd import function as recording
from minigrad.autograd.versions import count_of
from minigrad.batching import vmap
from minigrad.creation import ones_like, zeros_like
from minigrad.func import _hung, _leaves
from minigrad.tensor import AccumulateGrad, Tensor, mode, wrap


def tapes() -> tuple:
    """The tapes that are recording in this thread, the innermost last."""
    return getattr(mode, "tapes", ())


class Step:
    """One operation on a tape: what it was, what it read, what it gave."""

    __slots__ = ("born", "given", "out", "params", "primitive")

    def __init__(self, primitive, given: tuple, params: dict, out: Tensor):
        self.primitive, self.given, self.params = primitive, given, params
        self.out, self.born = out, recording.clock


class GradientTape:
    """Records, inside a ``with``, what is computed from the tensors that it watches.

    Leaves that require a gradient are watched by themselves, unless
    ``watch_accessed_variables`` is False. A ``persistent`` tape can be asked again.
    """

    def __init__(self, persistent: bool = False, watch_accessed_variables: bool = True):
        self.persistent, self.automatic = persistent, watch_accessed_variables
        self.steps, self.known, self.recording = [], {}, False

    def __enter__(self):
        if self.recording:
            raise ValueError(
                "Tape is still recording, This can happen if you try to re-enter an "
                "already-active tape. Make another one for the inner block (Chapter 23)"
            )
        self._start()
        return self

    def __exit__(self, *error):
        if self.recording:
            self._stop()


def _start(self) -> None:
    """Have every operation of this thread shown to the tape."""
    mode.tapes, self.recording = (*tapes(), self), True
    recording.look_twice(1)


def _stop(self) -> None:
    """Record no more."""
    mode.tapes = tuple(tape for tape in tapes() if tape is not self)
    self.recording = False
    recording.look_twice(-1)


GradientTape._start, GradientTape._stop = _start, _stop


def _watch(self, tensor) -> None:
    """Follow a tensor, or several: what is computed from it will be on the tape."""
    for x in _leaves(tensor):
        if not isinstance(x, Tensor):
            raise ValueError(
                f"Passed in object {x!r} of type {type(x).__name__!r}, not a Tensor: "
                "torch.tensor makes one of it (Chapter 23)"
            )
        if x._array.dtype.kind != "f":
            warnings.warn(FLOATING.format("watched", x.dtype), UserWarning, 2)
        self.known[id(x)] = x


FLOATING = "The dtype of the {} tensor must be floating (e.g. torch.float32), got {}"


def _sees(self, x: Tensor) -> bool:
    """Whether a tensor is watched, or computed from one; a variable is watched now."""
    if id(x) not in self.known and self.automatic and type(x._node) is AccumulateGrad:
        self.known[id(x)] = x
    return id(x) in self.known


GradientTape.watch, GradientTape.sees = _watch, _sees


def carry(out: Tensor, node, given: tuple, params: dict) -> Tensor:
    """Show an operation to the tapes that record, if it reads what they follow."""
    out = _carry(out, node, given, params)
    if mode.recording:
        for tape in tapes():
            seen = [tape.sees(x) for x in given]  # all: each may be watched now
            if any(seen) and out._array.dtype.kind == "f":
                tape.steps.append(Step(node.primitive, given, params, out))
                tape.known[id(out)] = out
    return out


_carry, recording.carry = forward_ad.carry, carry


# what is no operation of the table would be missing on a tape
def _refuse(tensors, what: str) -> None:
    """Refuse what a tape cannot record."""
    for tape in tapes() if mode.recording else ():
        if any(isinstance(x, Tensor) and tape.sees(x) for x in tensors):
            raise RuntimeError(
                f"{what} cannot be recorded by a GradientTape. Do it inside of "
                "tape.stop_recording(), or call backward() in place of a tape "
                "(Chapter 23)"
            )


def _before(self, name: str, tensor: Tensor, wanted: bool) -> bool:
    """A change in place: of a leaf it makes a new value, of a result it is refused."""
    if (tapes() and tensor._node is None) or wanted:
        made = [x for tape in tapes() for x in tape.steps or () if x.out is tensor]
        _refuse([x.out for x in made], f"{name}, a change in place,")
    return _history_before(self, name, tensor, wanted)


_history_before = type(inplace.history).before
type(inplace.history).before = _before


def _apply(cls, *args, **options):
    """Run a function with a backward of its own, if no tape would have to know it."""
    _refuse((*args, *options.values()), f"{cls.__name__}, a Function of your own,")
    return _own_apply(cls, *args, **options)


_own_apply = custom.Function.apply.__func__
custom.Function.apply = classmethod(_apply)


# back along the tape
def _fit_for(x: Tensor) -> tuple:
    """What a cotangent of a tensor has to look like."""
    return x._array.shape, x._array.dtype


def pull(step: Step, g, known: dict, bare) -> list[tuple]:
    """Run the rules of an step: pairs of an operand that is followed, and its d."""
    primitive, scope = step.primitive, {**step.params, "out": bare(step.out)}
    operands = [*zip(primitive.rules.items(), step.given, strict=True)]
    for (name, _), x in operands:
        scope |= {name: bare(x), f"{name}_shape": x._array.shape}
    found = []
    for (name, rule), x in operands:
        if id(x) in known:
            needs = [scope[need] for need in primitive.needs[name]]
            _check_unchanged(step, primitive.needs[name])
            found.append((x, recording.fit(rule(g, *needs), _fit_for(x))))
    return found


def _check_unchanged(step: Step, needs: tuple) -> None:
    """Refuse numbers that have been changed in place since the step was made."""
    tensors = dict(zip(step.primitive.rules, step.given, strict=True))
    tensors["out"] = step.out
    for name in needs:
        count = count_of(tensors[name]._array) if name in tensors else None
        if count is not None and count.times[-1] > step.born:
            raise RuntimeError(
                "one of the variables needed for gradient computation has been modified"
                f" by an inplace operation: {step.primitive.name} on the tape reads "
                f"{name}, which {count.name} has changed. Ask for the gradient first, "
                "or save a copy, x.clone() (Chapter 23)"
            )


def _back(self, ys: list, xs: list, vs: list) -> list:
    """Send cotangents back along the tape; what has arrived at each source, or None."""
    recorded = bool(tapes())
    bare = (lambda x: x) if recorded else (lambda x: x._array)
    arrived, wanted = {}, {id(x) for x in xs}
    for y, v in zip(ys, vs, strict=True):
        _post(arrived, y, bare(v))
    with np.errstate(all="ignore"):
        for step in reversed(self.steps):
            key = id(step.out)
            if key in arrived:
                g = arrived[key] if key in wanted else arrived.pop(key)
                for x, d in pull(step, g, self.known, bare):
                    _post(arrived, x, d)
    found = [arrived.get(id(x)) for x in xs]
    if recorded:
        return found
    return [None if d is None else wrap(np.copy(d)) for d in found]


def _post(arrived: dict, x: Tensor, d) -> None:
    """Add a cotangent to what has arrived at a tensor."""
    arrived[id(x)] = arrived[id(x)] + d if id(x) in arrived else d


GradientTape._back = _back


def _begin(self, target) -> list[Tensor]:
    """The targets, if the tape can still be asked; inside of its block it stops."""
    if self.steps is None:
        raise RuntimeError(
            "A non-persistent GradientTape can only be used to compute one set of "
            "gradients (or jacobians): GradientTape(persistent=True) keeps its list "
            "(Chapter 23)"
        )
    if self.recording and self.persistent:
        warnings.warn(INSIDE, UserWarning, 3)
    elif self.recording:
        self._stop()
    targets = _leaves(target)
    for y in targets:
        if y._array.dtype.kind != "f":
            warnings.warn(FLOATING.format("target", y.dtype), UserWarning, 3)
    return targets


GradientTape._begin = _begin
INSIDE = (
    "Calling GradientTape.gradient on a persistent tape inside its context is "
    "significantly less efficient than calling it outside the context (it causes the "
    "gradient ops to be recorded on the tape). Only do so if you want derivatives of "
    "higher order (Chapter 23)"
)


def _gradient(
    self, target, sources, output_gradients=None, unconnected_gradients: str = "none"
):
    """The gradient of the sum of vᵀy over the targets y, in the structure of sources.

    ``output_gradients`` holds the vs, ones if not given. A source that no target was
    computed from has None, or zeros, as ``unconnected_gradients`` says.
    """
    _check_choice(unconnected_gradients)
    ys, xs = self._begin(target), _leaves(sources)
    vs = [ones_like(y) for y in ys]
    if output_gradients is not None:
        vs = [
            v if v is not None else one
            for v, one in zip(_leaves(output_gradients), vs, strict=True)
        ]
    found = self._back(ys, xs, vs)
    if not self.persistent:
        self.steps = None
    if unconnected_gradients == "zero":
        found = [
            zeros_like(x) if d is None else d for x, d in zip(xs, found, strict=True)
        ]
    return _hung(sources, found)


def _check_choice(choice: str) -> None:
    """Refuse an unknown answer to what stands for no gradient."""
    if choice not in ("none", "zero"):
        raise ValueError(
            f"Unknown value for unconnected_gradients: {choice!r}: 'none' or 'zero' "
            "(Chapter 23)"
        )


def _jacobian(self, target: Tensor, sources, unconnected_gradients: str = "none"):
    """The Jacobian of a target by each source, y.shape + x.shape, in one pass."""
    _check_choice(unconnected_gradients)
    (y,), xs = self._begin(target), _leaves(sources)
    n = y._array.size
    units = wrap(np.eye(n, dtype=y._array.dtype).reshape(n, *y.shape))
    reached: list = []

    def row(v):
        found = self._back([y], xs, [v])
        reached[:] = [d is not None for d in found]
        return tuple(
            zeros_like(x) if d is None else d for x, d in zip(xs, found, strict=True)
        )

    blocks = [
        b.reshape((*y.shape, *x.shape))
        for b, x in zip(vmap(row)(units), xs, strict=True)
    ]
    if not self.persistent:
        self.steps = None
    found = [
        b if there or unconnected_gradients == "zero" else None
        for b, there in zip(blocks, reached, strict=True)
    ]
    return _hung(sources, found)


GradientTape.gradient, GradientTape.jacobian = _gradient, _jacobian


@contextmanager
def _stop_recording(self):
    """Record nothing, inside a ``with``: for what needs no gradient."""
    if not self.recording:
        raise RuntimeError(
            "Trying to stop recording a tape which is not recording: use "
            "stop_recording() inside of the tape's own block (Chapter 23)"
        )
    self._stop()
    try:
        yield
    finally:
        self._start()


def _reset(self) -> None:
    """Forget all that has been recorded, and what is watched; go on recording."""
    self.steps, self.known = [], {}


GradientTape.stop_recording, GradientTape.reset = _stop_recording, _reset
GradientTape.watched_variables = lambda self: tuple(
    x for x in self.known.values() if type(x._node) is AccumulateGrad
)
