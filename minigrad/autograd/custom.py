# Generated from chapter 16 (book/ch16-custom.ipynb): edit the chapter, not this.
"""Your own functions: forward and backward written by hand, as PyTorch has them.

A `Function` is two static methods. ``apply`` runs the first, unrecorded, and leaves a
node behind; when a cotangent reaches the node, the node runs the second. What the two
have to tell each other they write on a context, ``ctx``.
"""

import functools
import inspect
import warnings
import weakref
from collections import namedtuple
from contextlib import nullcontext
from types import MappingProxyType

import numpy as np

from minigrad import batching, inplace
from minigrad.autograd import anomaly_mode, forward_ad, function, rebase, saved
from minigrad.autograd.function import FREED, fit, note_view, set_recording
from minigrad.autograd.versions import _operation, count_of, root
from minigrad.autograd.watch import as_carried, as_seen, send, unshared
from minigrad.inplace import _NAMES
from minigrad.tensor import AccumulateGrad, Node, Tensor, extend, mode, wrap


class FunctionCtx:
    """What ``forward`` leaves for ``backward``. Attributes of your own are welcome."""

    def __init__(self, needs_input_grad: tuple):
        self.needs_input_grad, self.materialize_grads = needs_input_grad, True
        self._to_save = self._dirty = self._constant = ()
        self._saved, self._freed = (), False
        self._for_forward, self._in_jvp = (), False

    def save_for_backward(self, *tensors) -> None:
        """Keep tensors: inputs, outputs, or what was computed on the way."""
        self._to_save = tensors

    def mark_dirty(self, *tensors) -> None:
        """Say which inputs ``forward`` has changed in place; it must return them."""
        self._dirty = tensors

    def mark_non_differentiable(self, *tensors) -> None:
        """Say which outputs have no gradient."""
        self._constant = tensors

    def set_materialize_grads(self, value: bool) -> None:
        """Whether ``backward`` gets zeros (True) or None for an unused output."""
        self.materialize_grads = value


class Saved:
    """One tensor as a node keeps it: its array, its history, and when it was saved."""

    def __init__(self, tensor: Tensor, node: Node, number: int | None):
        self.array, self.number, self.born = tensor._array, number, function.clock
        self.tensor = tensor if number is None and tensor.is_leaf else None
        # an output leads to the node that saves it: known weakly, there is no cycle
        self.node = weakref.ref(node)
        self.history = tensor._node if number is None else weakref.ref(tensor._node)
        self.box = None
        if saved.choices.hooks:  # Chapter 12: somebody else wants to keep it
            pack, self.unpack = saved.choices.hooks[-1]
            self.box = (saved.call_unrecorded(pack, tensor),)
            self.array = self.tensor = None
        forward_ad.remember(self, tensor)

    def value(self, name: str) -> Tensor:
        """The tensor again, if nobody has changed it in place since."""
        if self.box is None:
            self.check(name)
        if self.tensor is not None:
            return self.tensor
        array = saved.unpacked(self.unpack, *self.box) if self.box else self.array
        return forward_ad.recall(self, wrap(array, self.maker()))

    def maker(self) -> Node | None:
        """Where the value comes from; an output that nobody holds is made again."""
        if self.number is not None and self.node() and not self.history():
            output = Output(self.node(), self.number)
            self.history = weakref.ref(output)
        return self.history if self.number is None else self.history()


def _check(self, name: str) -> None:
    """Refuse numbers that are no longer those that were saved (Chapter 11)."""
    count = count_of(self.array)
    if count is None or count.times[-1] <= self.born:
        return
    maker, changed, made = self.maker(), count.changed(), ""
    if self.number is None and changed is not None and changed._node is not None:
        maker = changed._node
    if maker is not None and type(maker) is not AccumulateGrad:
        of, number = edge(maker)
        made = f", which is output {number} of {_operation(of)},"
    kind = f"torch.{_NAMES[self.array.dtype.name]}Tensor {list(self.array.shape)}"
    raise RuntimeError(
        "one of the variables needed for gradient computation has been modified by an "
        f"inplace operation: [{kind}]{made} is at version {count.total}; expected "
        f"version {count.total - count.since(self.born)} instead. {name} had saved it, "
        f"and {count.name} changed it. Save a copy, x.clone(), or make the change "
        "before (Chapter 16)"
    )


Saved.check = _check


def _saved_tensors(self) -> tuple:
    """What was saved; an error once it has been freed or changed."""
    if self._in_jvp:
        return self._for_forward
    if self._freed:
        FREED._touched()
    return tuple(s and s.value(self._name) for s in self._saved)


FunctionCtx.saved_tensors = property(_saved_tensors)


class Output(Node):
    """One of several outputs of a custom node: hands on what arrives, with a number."""

    __slots__ = ("next0", "number")
    links, hands_on = ("next0",), True
    metadata = property(lambda self: self.next0.metadata)

    def __init__(self, node: Node, number: int):
        self.uses, self.g, self.hooks = 0, None, None
        self.next0, self.number = node, number

    def name(self) -> str:
        """The name of the operation that it belongs to."""
        return self.next0.name()

    def discover(self, found: list) -> None:
        """Count one cotangent more for the node that collects."""
        if not self.next0.uses:
            found.append(self.next0)
        self.next0.uses += 1

    def step(self, ready: list, keep: bool) -> None:
        """Put the cotangent where the collecting node will look for it."""
        g, self.g, node = self.g, None, self.next0
        if node.uses:
            arrived, k = node.g or {}, self.number
            node.g = {**arrived, k: g if arrived.get(k) is None else arrived[k] + g}
            node.uses -= 1
            if not node.uses:
                ready.append(node)


class _Rules:
    """What the engine asks of a node's primitive, for one that is in no table."""

    needs = MappingProxyType({})

    def __init__(self, name: str, count: int):
        self.name, self.rules = name, dict.fromkeys(range(count))


class BackwardNode(Node):
    """The node of a custom function. Unknown attributes are looked up on ``ctx``."""

    eager = True  # see below

    def __init__(self, ctx: FunctionCtx, tensors: list, places: list):
        self.uses, self.g, self.hooks = 0, None, None
        self.ctx, self.places, self.outputs = ctx, places, []
        self.links = tuple(f"next{k}" for k in range(len(tensors)))
        self.likes = [(t._array.shape, t._array.dtype) for t in tensors]
        self.primitive = _Rules(type(self).__name__, len(tensors))
        for link, tensor in zip(self.links, tensors, strict=True):
            setattr(self, link, tensor._node)

    def __getattr__(self, name: str):
        if name == "ctx" or name.startswith("__"):
            return object.__getattribute__(self, name)  # says it is not there
        return getattr(self.ctx, name)

    def discover(self, found: list) -> None:
        """Count one cotangent more for each input's node."""
        for node in self.children:
            if node is not None:
                if not node.uses:
                    found.append(node)
                node.uses += 1


def _arrived(self) -> dict:
    """The cotangents that have come so far, by the number of their output."""
    g = self.g
    return g if type(g) is dict else {} if g is None else {self.single: g}


BackwardNode.arrived = _arrived


def _step(self, ready: list, keep: bool) -> None:
    """Run the function's ``backward`` and post what it answers."""
    arrived, self.g = self.arrived(), None
    recorded = mode.recording or any(isinstance(d, Tensor) for d in arrived.values())
    cotangents = [self.cotangent(k, arrived.get(k)) for k in range(len(self.outputs))]
    answer = self._forward_cls._vjp()(self.ctx, *cotangents)
    answer = answer if isinstance(answer, tuple) else (answer,)
    sent = self.checked(answer)
    if not keep:
        self.ctx._freed, self.ctx._saved = True, ()
    for node, d in reversed([*zip(self.children, sent, strict=True)]):
        send(node, d if d is None or recorded else d._array, ready)


def _cotangent(self, k: int, g) -> Tensor | None:
    """What ``backward`` gets for output k: zeros stand for nothing, unless refused."""
    like = self.outputs[k]
    if g is None and like is not None and self.ctx.materialize_grads:
        g = np.zeros(*like)
    return as_seen(g)


def _call_node(self, *grad_outputs):
    raise TypeError(
        f"'{self.name()}' object is not callable: its backward is a function of yours, "
        "call that (Chapter 16)"
    )


BackwardNode.step, BackwardNode.cotangent = _step, _cotangent
BackwardNode.__call__ = _call_node


def _awaiting(self) -> tuple:
    """What has arrived for each output, as hooks see it; None where nothing has."""
    arrived = self.arrived()
    return tuple(as_seen(unshared(arrived.get(k))) for k in range(len(self.outputs)))


def _replace(self, given: tuple) -> None:
    """Have ``backward`` get what hooks have made of it."""
    recorded = any(isinstance(d, Tensor) for d in self.arrived().values())
    found = {k: as_carried(d, recorded) for k, d in enumerate(given) if d is not None}
    self.g = found or None


BackwardNode.awaiting, BackwardNode.replace = _awaiting, _replace


def _checked(self, answer: tuple) -> list:
    """One gradient, or None, for each tensor among the arguments; or an error."""
    name, count = self.name(), len(self.ctx.needs_input_grad)
    if len(answer) > count and all(d is None for d in answer[count:]):
        answer = answer[:count]
    if len(answer) != count:
        raise RuntimeError(
            f"function {name} returned an incorrect number of gradients (expected "
            f"{count}, got {len(answer)}): give one for each argument of forward, and "
            "None for what has none (Chapter 16)"
        )
    for k, d in enumerate(answer):
        if d is not None and not isinstance(d, Tensor):
            raise RuntimeError(
                f"expected Variable or None (got {type(d).__name__}): let the backward "
                f"of {name} give tensors (Chapter 16)"
            )
        if d is not None and k not in self.places:
            raise RuntimeError(
                f"function {name} returned a gradient different than None at position "
                f"{k + 1}, but the corresponding forward input was not a Variable: "
                "give None there (Chapter 16)"
            )
    wanted = zip(self.places, self.likes, self.children, strict=True)
    return [
        None if node is None else self.fitted(k, answer[place], like)
        for k, (place, like, node) in enumerate(wanted)
    ]


def _fitted(self, k: int, d: Tensor | None, like: tuple) -> Tensor | None:
    """A gradient in the shape and dtype of its input."""
    if d is None:
        return None
    try:
        fits = np.broadcast_shapes(like[0], d._array.shape) == d._array.shape
    except ValueError:
        fits = False
    if not fits:
        raise RuntimeError(
            f"Function {self.name()} returned an invalid gradient at index {k} - got "
            f"{list(d.shape)} but expected shape compatible with {list(like[0])}: a "
            "gradient has the shape of its input (Chapter 16)"
        )
    if d._array.shape == like[0] and d._array.dtype == like[1]:
        return d
    return fit(d, like)


BackwardNode.checked, BackwardNode.fitted = _checked, _fitted


class _Kind(type):
    """Makes, with each Function, the class of its nodes: MyBackward for My."""

    def __init__(cls, name: str, bases: tuple, names: dict):
        super().__init__(name, bases, names)
        parts = {"_forward_cls": cls}
        cls._backward_cls = type(f"{name}Backward", (BackwardNode,), parts)


class Function(metaclass=_Kind):
    """An operation with a gradient of your own: see `forward` and `backward`."""

    @staticmethod
    def forward(*args, **kwargs):
        """Compute the result, of ``(ctx, *args)`` or, with `setup_context`, of args."""
        raise NotImplementedError(
            "You must implement the forward function for custom autograd.Function. It "
            "is a @staticmethod forward(ctx, x) (Chapter 16)"
        )

    @staticmethod
    def setup_context(ctx, inputs: tuple, output):
        """Fill ctx, where ``forward`` is not given one."""

    @staticmethod
    def backward(ctx, *grad_outputs):
        """Give, for each argument of ``forward``, vᵀJ or None."""
        raise NotImplementedError(NO_BACKWARD)

    vjp = backward

    def __init__(self):
        warnings.warn(
            f"{type(self)} should not be instantiated. Methods on autograd functions "
            "are all static, so you should invoke them on the class itself.",
            DeprecationWarning,
            stacklevel=2,
        )


NO_BACKWARD = (
    "You must implement either the backward or vjp method for your custom "
    "autograd.Function to use it with backward mode AD. It is a @staticmethod "
    "backward(ctx, grad) (Chapter 16)"
)


def _vjp(cls):
    """The one of ``backward`` and ``vjp`` that has been written."""
    written = [
        n for n in ("backward", "vjp") if getattr(cls, n) is not Function.backward
    ]
    if len(written) > 1:
        raise RuntimeError(
            "Implementing both 'backward' and 'vjp' for a custom Function is not "
            "allowed. You should only implement one of them. They are two names for "
            "the same (Chapter 16)"
        )
    return getattr(cls, written[0]) if written else Function.backward


def _call(self, *args, **kwargs):
    raise RuntimeError(
        "Legacy autograd function with non-static forward method is deprecated. Please "
        "use new-style autograd function with static forward method: "
        f"{type(self).__name__}.apply(x), with @staticmethod (Chapter 16)"
    )


Function._vjp, Function.__call__ = classmethod(_vjp), _call


def _apply(cls, *args, **kwargs):
    """Run ``forward`` on the arguments, and record it as one operation."""
    args = _in_order(cls, args, kwargs)
    places = [k for k, x in enumerate(args) if isinstance(x, Tensor)]
    tensors = [args[k] for k in places]
    needs = tuple(isinstance(x, Tensor) and x.requires_grad for x in args)
    ctx = FunctionCtx(needs)
    ctx._name = cls.__name__
    node = cls._backward_cls(ctx, tensors, places)
    anomaly_mode.note(node)
    level = forward_ad._open()
    before = set_recording(False)
    try:
        with nullcontext() if level is None else forward_ad._resting(level):
            result = _run(cls, ctx, args)
    finally:
        set_recording(before)
    recorded = before and not mode.inference and any(needs)
    outputs = result if isinstance(result, tuple) else (result,)
    outputs = _Outputs(ctx, node, tensors, recorded).finish(outputs)
    if level is not None:
        push(cls, ctx, level, args, outputs)
    return outputs if isinstance(result, tuple) else outputs[0]


Function.apply = classmethod(_apply)


def _run(cls, ctx: FunctionCtx, args: tuple):
    """What ``forward`` returns, in either of its two forms."""
    if cls.setup_context is Function.setup_context:
        return cls.forward(ctx, *args)
    result = cls.forward(*args)
    cls.setup_context(ctx, args, result)
    return result


def _in_order(cls, args: tuple, kwargs: dict) -> tuple:
    """All arguments of ``forward`` by position; in the newer form, defaults as well."""
    newer = cls.setup_context is not Function.setup_context
    if newer or kwargs:
        ctx = [None] * (not newer)
        bound = inspect.signature(cls.forward).bind(*ctx, *args, **kwargs)
        if newer:
            bound.apply_defaults()
        for name in bound.kwargs:
            raise TypeError(
                f"forward() got an unexpected keyword argument '{name}': let it be one "
                "that can be given by position (Chapter 16)"
            )
        args = bound.args[not newer :]
    return args


def among(x, tensors) -> bool:
    """Whether an object is one of several tensors: itself, not an equal one."""
    return any(x is t for t in tensors)


class _Outputs:
    """Turns what ``forward`` has returned into outputs of the node."""

    def __init__(self, ctx, node: BackwardNode, inputs: list, recorded: bool):
        self.ctx, self.node, self.inputs, self.recorded = ctx, node, inputs, recorded

    def finish(self, results: tuple) -> tuple:
        """Give each result its history; then save what was to be saved."""
        if not all(among(x, results) for x in self.ctx._dirty):
            raise RuntimeError(
                "Some elements marked as dirty during the forward method were not "
                "returned as output. The inputs that are modified inplace must all be "
                "outputs of the Function: return them (Chapter 16)"
            )
        numbers = [k for k, y in enumerate(results) if self.differentiable(y)]
        self.node.single = 0 if len(results) == 1 else None
        for y in results:
            like = (y._array.shape, y._array.dtype) if isinstance(y, Tensor) else None
            self.node.outputs.append(like)
        outputs = [self.output(k, y, k in numbers) for k, y in enumerate(results)]
        self.save(results, outputs)
        return tuple(outputs)


def _differentiable(self, y) -> bool:
    """Whether a result has a gradient."""
    real = isinstance(y, Tensor) and y._array.dtype.kind == "f"
    return self.recorded and real and not among(y, self.ctx._constant)


_Outputs.differentiable = _differentiable


def _output(self, k: int, y, differentiable: bool):
    """What ``apply`` returns for a result."""
    if not isinstance(y, Tensor):
        return y
    single = self.node.single is not None
    last = self.node if single else Output(self.node, k)
    if among(y, self.ctx._dirty):
        if differentiable:
            _take_over(y, last)
        return y
    if among(y, self.inputs) or y._node is not None:  # it has a history already
        y = _alias(y)
    if not differentiable:
        return y
    y._node = last
    for x in self.inputs:
        if y is not x and not hasattr(y, "_origin") and _same_memory(x, y):
            note_view(y, x)
    return y


_Outputs.output = _output


def _same_memory(x: Tensor, y: Tensor) -> bool:
    """Whether two tensors show the memory of one array."""
    arrays = x._array, y._array
    return all(isinstance(a, np.ndarray) for a in arrays) and (
        root(arrays[0]) is root(arrays[1])
    )


def _alias(x: Tensor) -> Tensor:
    """Another tensor that shows the same numbers, as yet without history."""
    view = x.detach()
    note_view(view, x)
    return view


def _take_over(x: Tensor, node: Node) -> None:
    """Make a node the last in the history of an input that was changed in place."""
    base = getattr(x, "_origin", x)
    if type(x._node) is AccumulateGrad:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place "
            "operation. Give the Function a result instead, x * 1 (Chapter 16)"
        )
    if base is not x and type(base._node) is AccumulateGrad:
        raise RuntimeError(
            "a view of a leaf Variable that requires grad is being used in an in-place "
            "operation. Give the Function a copy, x.clone() (Chapter 16)"
        )
    rebase.rewrite(x, node)


def _save(self, results: tuple, outputs: list) -> None:
    """Keep what ``save_for_backward`` was given, if somebody will ask for it."""
    for k, x in enumerate(self.ctx._to_save):
        if x is not None and not isinstance(x, Tensor):
            raise TypeError(
                "save_for_backward can only save variables, but argument "
                f"{k} is of type {type(x).__name__}: write ctx.n = n for what is no "
                "tensor (Chapter 16)"
            )
    if self.recorded:
        kept = [self.kept(x, results, outputs) for x in self.ctx._to_save]
        self.ctx._saved = tuple(kept)
    self.ctx._to_save = ()


def _kept(self, x: Tensor | None, results: tuple, outputs: list) -> Saved | None:
    """One tensor as the node keeps it; an output is kept with its new history."""
    if x is None:
        return None
    for k, y in enumerate(results):
        is_input = among(x, self.inputs) and not among(x, self.ctx._dirty)
        if x is y and not is_input and outputs[k]._node is not None:
            return Saved(outputs[k], self.node, k)
    return Saved(x, self.node, None)


_Outputs.save, _Outputs.kept = _save, _kept


def edge(node: Node | None) -> tuple:
    """A node as the world sees it: the operation, and the number of its output."""
    return (node.next0, node.number) if type(node) is Output else (node, 0)


def _edges(self) -> tuple:
    """For each operand: the node of its maker, and which of its outputs it is."""
    return tuple(edge(node) for node in self.children)


def _grad_fn(self) -> Node | None:
    """The node of the operation that made this tensor; None for a leaf."""
    node = self._node
    return None if type(node) is AccumulateGrad else edge(node)[0]


Node.next_functions = property(_edges)
extend(grad_fn=property(_grad_fn), output_nr=property(lambda t: edge(t._node)[1]))


def _save_for_forward(self, *tensors) -> None:
    """Keep tensors for ``jvp``, which runs when ``forward`` is done."""
    if not all(x is None or isinstance(x, Tensor) for x in tensors):
        raise AssertionError(
            "save_for_forward expects all arguments to be tensors; you should save "
            "non-tensors as attributes on ctx. (Chapter 16)"
        )
    self._for_forward = tensors


def _jvp(ctx, *grad_inputs):
    """Give, for each output, J times the tangents, or None."""
    raise NotImplementedError(
        "You must implement the jvp function for custom autograd.Function to use it "
        "with forward mode AD. It is a @staticmethod jvp(ctx, tangent) (Chapter 16)"
    )


FunctionCtx.save_for_forward, Function.jvp = _save_for_forward, staticmethod(_jvp)


def push(cls, ctx: FunctionCtx, level, args: tuple, outputs: tuple) -> None:
    """Give the outputs of a function their tangents, if an argument has one."""
    given = [level.get(x) if isinstance(x, Tensor) else None for x in args]
    if mode.inference or all(v is None for v in given):
        return
    if ctx.materialize_grads:
        pairs = zip(args, given, strict=True)
        given = [
            forward_ad._zeros(x) if v is None and isinstance(x, Tensor) else v
            for x, v in pairs
        ]
    ctx._in_jvp = True
    try:
        with forward_ad._resting(level):
            answer = cls.jvp(ctx, *given)
    finally:
        ctx._in_jvp, ctx._for_forward = False, ()
    pairs = checked_tangents(ctx, outputs, answer)
    check_moved(ctx, pairs, given)
    for k, (y, v) in enumerate(pairs):
        if v is not None:
            place = forward_ad.change if among(y, ctx._dirty) else type(level).set
            place(level, y, v)
            for keeper in ctx._saved:
                if keeper is not None and keeper.number == k:
                    level.saved[keeper] = {"value": v}


def checked_tangents(ctx: FunctionCtx, outputs: tuple, answer) -> list:
    """Pairs of outputs and tangents; RuntimeError for tangents that do not fit."""
    answer = answer if isinstance(answer, tuple) else (answer,)
    if len(answer) != len(outputs):
        raise RuntimeError(
            "Function's jvp returned an invalid number of forward gradients (expected "
            f"{len(outputs)} but got {len(answer)}): give one for each output of "
            "forward (Chapter 16)"
        )
    for k, (y, v) in enumerate(zip(outputs, answer, strict=True)):
        if v is None:
            continue
        if not isinstance(v, Tensor):
            raise RuntimeError(
                f"expected Variable or None (got {type(v).__name__}) for grad output "
                f"{k}. Let jvp give tensors (Chapter 16)"
            )
        constant = among(y, ctx._constant) or not isinstance(y, Tensor)
        if constant or not y.is_floating_point():
            raise RuntimeError(
                f"Function's jvp returned a gradient at position {k}, but  the "
                "corresponding forward output is not a differentiable Tensor.You "
                "should return None at that position instead. (Chapter 16)"
            )
        if v.shape != y.shape:
            raise RuntimeError(
                "Trying to set a forward gradient that has a different size than that "
                "of the original Tensor, this is not supported. Tensor is of size "
                f"{list(y.shape)} while the given forward gradient is of size "
                f"{list(v.shape)}. A tangent has the shape of its output (Chapter 16)"
            )
    return [*zip(outputs, answer, strict=True)]


def check_moved(ctx: FunctionCtx, pairs: list, given: list) -> None:
    """Refuse a jvp that leaves the tangent of an input changed in place as it was."""
    for y, v in pairs:
        if among(y, ctx._dirty) and (v is None or not among(v, given)):
            raise RuntimeError(
                "An inplace custom Function is not modifying the forward mode gradients"
                " inplace. If the forward is modifying an input inplace, then the jvp "
                "function must modify the corresponding gradient inplace: return t, "
                "changed by a method such as t.mul_ (Chapter 16)"
            )


VmapInfo = namedtuple("VmapInfo", ["batch_size", "randomness"])
Function.vmap, Function.generate_vmap_rule = None, False


def _apply_to_rows(cls, *args, **kwargs):
    """Run the function; on a batch by its own ``vmap``, if it has one."""
    arrays = [x._array for x in args if isinstance(x, Tensor) and cls.vmap]
    if (level := batching.top(arrays)) is batching.NOWHERE:
        return _apply(cls, *args, **kwargs)
    if cls.generate_vmap_rule:
        raise RuntimeError(
            f"You tried to vmap over {cls.__name__}, but it has both "
            "generate_vmap_rule=True and an overridden vmap staticmethod. Please set "
            "generate_vmap_rule=False or delete the overridden vmap staticmethod to "
            "avoid ambiguity (Chapter 16)"
        )
    info = VmapInfo(level.size, mode.drawing)
    dims = tuple(0 if batching.inside(x, level) else None for x in args)
    ways = [
        lambda x, dim, move=move: x if dim is None else move(x, level=level, dim=dim)
        for move in (batching.leave, batching.enter)
    ]
    given = batching.walk(args, dims, ways[0])
    with batching.having(drawing="same"):
        found = cls.vmap(info, dims, *given)
    if not (isinstance(found, tuple) and len(found) == 2):
        raise RuntimeError(
            "Expected the vmap staticmethod to have two returns, an output and "
            "out_dims with pytree structure compatible with the output. Got a "
            f"{type(found)} instead: return y, 0 (Chapter 16)"
        )
    try:
        return batching.walk(*found, ways[1])
    except IndexError:
        raise RuntimeError(
            "The autograd.Function's vmap staticmethod returned an incompatible "
            f"(output, out_dims) tuple. Expected out_dims={found[1]} to be compatible "
            "with the structure of `output`: one for each, or one for all (Chapter 16)"
        ) from None


Function.apply = classmethod(_apply_to_rows)


class CustomHistory(forward_ad.Tangents):
    """Refuses changes in place of a view that a custom function has made."""

    def before(self, name: str, tensor: Tensor, wanted: bool) -> bool:
        """Refuse what would put another backward in the place of yours."""
        if hasattr(tensor, "_origin") and tensor._node is not None:
            of, number = edge(tensor._node)
            if isinstance(of, BackwardNode):
                raise RuntimeError(
                    f"Output {number} of {_operation(of)} is a view and is being "
                    "modified inplace. This view was created inside a custom Function "
                    "(or because an input was returned as-is) and the autograd logic "
                    "to handle view+inplace would override the custom backward "
                    "associated with the custom Function, leading to incorrect "
                    "gradients. This behavior is forbidden. You can fix this by "
                    "cloning the output of the custom Function (Chapter 16)."
                )
        return super().before(name, tensor, wanted)

    def after(self, name: str, tensor: Tensor, result: Tensor | None) -> None:
        """As before; but no gradient goes through views that you have made."""
        views = rebase.living_views(getattr(tensor, "_origin", tensor))
        made = {view: edge(view._node) for view in views if view is not tensor}
        super().after(name, tensor, result)
        for view, (of, number) in made.items():
            if isinstance(of, BackwardNode) and edge(view._node)[0] is not of:
                view._node = Error(OVERRIDDEN.format(number, _operation(of)), of)


OVERRIDDEN = (
    "Output {} of {} is a view and its base or another view of its base has been "
    "modified inplace. This view was created inside a custom Function (or because an "
    "input was returned as-is) and the autograd logic to handle view+inplace would "
    "override the custom backward associated with the custom Function, leading to "
    "incorrect gradients. This behavior is forbidden. You can fix this by cloning the "
    "output of the custom Function (Chapter 16)."
)


inplace.history = CustomHistory()


class Error(Node):
    """A node through which no gradient may pass."""

    __slots__ = ("next0", "said")
    links = ("next0",)

    def __init__(self, said: str, node: Node | None = None):
        self.uses, self.g, self.hooks, self.said = 0, None, None, said
        self.next0 = node  # what would come next

    def discover(self, found: list) -> None:
        """Nothing lies behind it."""

    def step(self, ready: list, keep: bool) -> None:
        """Refuse."""
        raise RuntimeError(self.said)


Error.primitive, Output.primitive = _Rules("error", 0), _Rules("output", 1)
TWICE = (
    "trying to differentiate twice a function that was marked with "
    "@once_differentiable: write its backward with tensors, and take the mark away "
    "(Chapter 16)"
)


def once_differentiable(fn):
    """Mark a ``backward`` that cannot be differentiated itself, and is not recorded."""

    @functools.wraps(fn)
    def backward(ctx, *grads):
        before = set_recording(False)
        try:
            answer = fn(ctx, *grads)
        finally:
            set_recording(before)
        tracked = any(isinstance(g, Tensor) and g.requires_grad for g in grads)
        if not (before and tracked):
            return answer
        answer = answer if isinstance(answer, tuple) else (answer,)
        return tuple(d if d is None else wrap(d._array, Error(TWICE)) for d in answer)

    return backward


function.Function, function.FunctionCtx = Function, FunctionCtx
function.once_differentiable = once_differentiable
