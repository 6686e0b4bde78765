# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Module: state, and a function that uses it.

What is assigned to an attribute of a module goes into one of three dictionaries if it
is a parameter, a module or a buffer, and into ``__dict__`` otherwise. Nearly all that
a module does for you is a walk over these dictionaries.
"""

import warnings
from collections import OrderedDict, namedtuple
from collections.abc import Mapping

from minigrad.autograd.custom import Function
from minigrad.autograd.grad_mode import no_grad
from minigrad.devices import device as _device
from minigrad.dtypes import dtype as _dtype
from minigrad.dtypes import float16, float32, float64
from minigrad.inplace import _NAMES
from minigrad.nn.parameter import Buffer, Parameter
from minigrad.ops import to
from minigrad.tensor import Tensor
from minigrad.utils.hooks import RemovableHandle


def typename(value) -> str:
    """The name of a value's type, as PyTorch says it."""
    if isinstance(value, Tensor):
        return f"torch.{_NAMES[value._array.dtype.name]}Tensor"
    kind = type(value)
    here = kind.__module__ == "builtins"
    return kind.__name__ if here else f"{kind.__module__}.{kind.__qualname__}"


class Kind:
    """One kind of attribute: where it is kept, what belongs there, what it is."""

    def __init__(self, place: str, type, said: str, as_what: str, expected: str):
        self.place, self.type, self.said = place, type, said
        self.as_what, self.expected = as_what, expected
        self.accepted = Tensor if place == "_buffers" else type
        self.required = "torch Tensor" if place == "_buffers" else expected

    def check(self, name: str, value) -> None:
        """Refuse to put something else where one of this kind was."""
        if value is not None and not isinstance(value, self.accepted):
            raise TypeError(
                f"cannot assign '{typename(value)}' as {self.as_what} '{name}' "
                f"({self.expected} or None expected): del it first, or choose another "
                "name (Chapter 17)"
            )

    def check_new(self, module, name: str, value) -> None:
        """Refuse a name that cannot be one, or is taken, and values of other kinds."""
        _check_name(module, self, name)
        if value is None or isinstance(value, self.accepted):
            return
        raise TypeError(
            f"{typename(value)} is not a Module subclass: give a module (Chapter 17)"
            if self.place == "_modules"
            else f"cannot assign '{typename(value)}' object to {self.said} '{name}' "
            f"({self.required} or None required): make one of "
            "it first (Chapter 17)"
        )


def _check_name(module, kind: Kind, name) -> None:
    """Refuse what cannot be the name of an attribute of this module, or is taken."""
    if kind.place not in module.__dict__:
        raise AttributeError(
            f"cannot assign {kind.said} before Module.__init__() call: call "
            "super().__init__() first (Chapter 17)"
        )
    if not isinstance(name, str):
        raise TypeError(
            f"{kind.said} name should be a string. Got {typename(name)}: write str(n) "
            "(Chapter 17)"
        )
    if "." in name or not name:
        wrong = 'can\'t contain "."' if name else 'can\'t be empty string ""'
        raise KeyError(
            f"{kind.said} name {wrong}, got: {name!r}; dots join the names of modules "
            "(Chapter 17)"
        )
    if hasattr(module, name) and name not in module.__dict__[kind.place]:
        raise KeyError(
            f"attribute '{name}' already exists: choose another name (Chapter 17)"
        )


class _Registry:
    """Attributes that sort themselves into three dictionaries, and the rest."""

    def __setattr__(self, name: str, value):
        for kind in KINDS:
            own = self.__dict__.get(kind.place)
            if isinstance(value, kind.type):
                if own is None:
                    raise AttributeError(
                        f"cannot assign {kind.said}{'s' * (kind is KINDS[0])} before "
                        "Module.__init__() call: begin yours with super().__init__() "
                        "(Chapter 17)"
                    )
                if name not in own:
                    _forget(self, name)
                return self._keep(kind, name, value)
            if own is not None and name in own:
                kind.check(name, value)
                return own.__setitem__(name, value)
        return object.__setattr__(self, name, value)

    def __getattr__(self, name: str):
        for kind in KINDS:
            own = self.__dict__.get(kind.place)
            if own is not None and name in own:
                return own[name]
        raise AttributeError(
            f"'{type(self).__name__}' object has no attribute '{name}': it is set in "
            "__init__, self.name = … (Chapter 17)"
        )

    def __delattr__(self, name: str):
        if not _forget(self, name):
            self.__getattr__(name)  # says that it is not there


def _forget(module, name: str) -> bool:
    """Take a name out of wherever it is registered; whether it was anywhere."""
    places = [module.__dict__.get(kind.place, {}) for kind in KINDS]
    module.__dict__["_non_persistent_buffers_set"].discard(name)
    found = [place.pop(name) for place in [module.__dict__, *places] if name in place]
    return bool(found)


class _Registration:
    """Registration by a call, which checks more than an assignment."""

    def __dir__(self):
        own = [n for kind in KINDS for n in self.__dict__[kind.place]]
        return [*object.__dir__(self), *own]

    def _keep(self, kind: Kind, name: str, value) -> None:
        self.__dict__[kind.place][name] = value
        if isinstance(value, Buffer) and not value.persistent:
            self._non_persistent_buffers_set.add(name)

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Add a parameter, or None, under a name."""
        KINDS[0].check_new(self, name, param)
        self._keep(KINDS[0], name, param)

    def register_module(self, name: str, module: "Module | None") -> None:
        """Add a module, or None, under a name."""
        KINDS[1].check_new(self, name, module)
        self._keep(KINDS[1], name, module)

    add_module = register_module

    def register_buffer(self, name: str, tensor, persistent: bool = True) -> None:
        """Add a buffer, or None; only persistent ones are in the `state_dict`."""
        KINDS[2].check_new(self, name, tensor)
        self._keep(KINDS[2], name, tensor)
        _mark = self._non_persistent_buffers_set
        _mark.discard(name) if persistent else _mark.add(name)


def joined(*names: str) -> str:
    """Names of modules, and of what is in them, as one path."""
    return ".".join(name for name in names if name)


class _Walks:
    """All that is in a module and the modules in it, by name."""

    def named_modules(self, memo=None, prefix: str = "", remove_duplicate: bool = True):
        """Walk over the module and all below it, parents first, with their paths."""
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                path = joined(prefix, name)
                yield from module.named_modules(memo, path, remove_duplicate)

    def _named(self, place: str, prefix: str, recurse: bool, once: bool):
        """What is in a dictionary of this module and, if wanted, of those below."""
        below = self.named_modules(prefix=prefix, remove_duplicate=once)
        seen = set()
        for path, module in below if recurse else [(prefix, self)]:
            for name, value in module.__dict__[place].items():
                if value is not None and id(value) not in seen:
                    yield joined(path, name), value
                    if once:
                        seen.add(id(value))


class _Listed(_Walks):
    """The same walks under the names that PyTorch gives them."""

    def named_parameters(self, prefix="", recurse=True, remove_duplicate=True):
        """Paths and parameters, each once; those of this module only if not recurse."""
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def named_buffers(self, prefix="", recurse=True, remove_duplicate=True):
        """Paths and buffers."""
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def named_children(self):
        """Names and modules directly below this one."""
        return self._named("_modules", "", False, True)

    def parameters(self, recurse: bool = True):
        """What an optimiser is given."""
        return (value for _, value in self.named_parameters(recurse=recurse))

    def buffers(self, recurse: bool = True):
        """The buffers."""
        return (value for _, value in self.named_buffers(recurse=recurse))

    def children(self):
        """The modules directly below this one."""
        return (module for _, module in self.named_children())

    def modules(self):
        """The module itself and all below it."""
        return (module for _, module in self.named_modules())


def _find(module, path: str, kind: Kind, said: str):
    """What a path leads to; AttributeError where it ends before, or elsewhere."""
    *parents, last = path.split(".")
    kinds = [KINDS[1]] * len(parents) + [kind]
    for name, step in zip((*parents, last), kinds, strict=True):
        if not hasattr(module, name):
            raise AttributeError(
                f"{module._get_name()} has no attribute `{name}`: see the names of "
                "model.named_modules() (Chapter 17)"
            )
        found = getattr(module, name)
        is_one = (
            name in module._buffers
            if step is KINDS[2]
            else isinstance(found, step.type)
        )
        if not is_one:
            raise AttributeError(
                f"`{name}` is not {said if step is kind else 'an nn.Module'}: see the "
                "names of model.named_modules() (Chapter 17)"
            )
        module = found
    return module


class _Found(_Listed):
    """What stands at the end of a path."""

    def get_submodule(self, target: str) -> "Module":
        """The module at a path; an empty one leads here."""
        return _find(self, target, KINDS[1], "an nn.Module") if target else self

    def get_parameter(self, target: str) -> Parameter:
        """The parameter at a path."""
        return _find(self, target, KINDS[0], "an nn.Parameter")

    def get_buffer(self, target: str) -> Tensor:
        """The buffer at a path."""
        return _find(self, target, KINDS[2], "a buffer")


class _IncompatibleKeys(namedtuple("_Keys", "missing_keys unexpected_keys")):
    """What a `state_dict` lacked, and what it had too much."""

    __slots__ = ()

    def __repr__(self) -> str:
        if not any(self):
            return "<All keys matched successfully>"
        return super().__repr__()


class _Saved:
    """The state as a dictionary of plain tensors, and back."""

    _version = 1

    def state_dict(self, *, destination=None, prefix: str = "", keep_vars=False):
        """Paths and tensors over the very memory of parameters and buffers."""
        if destination is None:
            destination = OrderedDict()
            destination._metadata = OrderedDict()
        destination._metadata[prefix[:-1]] = {"version": self._version}
        hidden = self._non_persistent_buffers_set
        for name, value in [*self._parameters.items(), *self._buffers.items()]:
            if value is not None and name not in hidden:
                destination[prefix + name] = value if keep_vars else value.detach()
        for name, module in self._modules.items():
            if module is not None:
                rest = {"prefix": f"{prefix}{name}.", "keep_vars": keep_vars}
                module.state_dict(destination=destination, **rest)
        return destination


def _misfits(own: dict, given: Mapping) -> list[str]:
    """What of a `state_dict` cannot be copied to where it belongs."""
    found = []
    for name in own.keys() & given.keys() and [n for n in own if n in given]:
        value = given[name]
        if not isinstance(value, Tensor):
            found.append(
                f'While copying the parameter named "{name}", expected torch.Tensor or '
                f"Tensor-like object from checkpoint but received {type(value)}"
            )
        elif value.shape != own[name].shape:
            found.append(
                f"size mismatch for {name}: copying a param with shape {value.shape} "
                f"from checkpoint, the shape in current model is {own[name].shape}."
            )
    return found


def _unexpected(module, own: dict, given: Mapping) -> list[str]:
    """The names that nothing here has, in the order in which modules meet them."""
    paths = [f"{path}." * bool(path) for path, _ in module.named_modules()]

    def place(name: str) -> int:
        return paths.index(max((p for p in paths if name.startswith(p)), key=len))

    return sorted((name for name in given if name not in own), key=place)


class _Loaded(_Saved):
    """Loading: all of it, or an error and nothing."""

    def load_state_dict(self, state_dict, strict: bool = True, assign: bool = False):
        """Copy numbers from a `state_dict`; return the names that had no partner.

        With ``assign``, take the given tensors over in place of the own ones. Raises
        RuntimeError, before anything is copied, for shapes that differ and, if strict,
        for names that are missing or unexpected.
        """
        if not isinstance(state_dict, Mapping):
            raise TypeError(
                f"Expected state_dict to be dict-like, got {type(state_dict)}: give "
                "what model.state_dict() has returned (Chapter 17)"
            )
        own = self.state_dict(keep_vars=True)
        missing = [name for name in own if name not in state_dict]
        unexpected = _unexpected(self, own, state_dict)
        said = [
            f"{word} key(s) in state_dict: {', '.join(map(quoted, names))}. "
            for word, names in (("Missing", missing), ("Unexpected", unexpected))
            if names and strict
        ] + _misfits(own, state_dict)
        if said:
            raise RuntimeError(
                f"Error(s) in loading state_dict for {type(self).__name__}:\n\t"
                + "\n\t".join(said)
                + "\nNothing was loaded. Compare the names and shapes of both "
                "state_dict()s (Chapter 17)"
            )
        for name in own.keys() - set(missing):
            self._load(name, own[name], state_dict[name], assign)
        return _IncompatibleKeys(missing, unexpected)


def quoted(name: str) -> str:
    """A name in double quotes."""
    return f'"{name}"'


def _load(self, path: str, own: Tensor, value: Tensor, assign: bool) -> None:
    """Copy a tensor into the own one; or put it in its place."""
    if not assign:
        with no_grad():
            own.copy_(value)
        return
    *parents, name = path.split(".")
    if isinstance(own, Parameter) and not isinstance(value, Parameter):
        value = Parameter(value, requires_grad=own.requires_grad)
    setattr(self.get_submodule(".".join(parents)), name, value)


_Loaded._load = _load


class _Modes:
    """What is done to all that a module holds."""

    def apply(self, fn):
        """Call ``fn`` on every module, those below first; return the module."""
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def train(self, mode: bool = True):
        """Set ``training`` here and below; return the module."""
        if not isinstance(mode, bool):
            raise ValueError(
                "training mode is expected to be boolean: write True or False "
                "(Chapter 17)"
            )
        for module in self.modules():
            module.training = mode
        return self

    def eval(self):
        """Leave training mode."""
        return self.train(False)


class _Reset(_Modes):
    """What is done to all parameters."""

    def requires_grad_(self, requires_grad: bool = True):
        """Freeze parameters, or thaw them."""
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients, or fill them with zeros."""
        for p in self.parameters():
            if set_to_none or p.grad is None:
                p.grad = None
            else:
                p.grad = p.grad.detach()
                p.grad.zero_()


class _Converted(_Reset):
    """Other dtypes; there is one device."""

    def _apply(self, fn):
        """Put ``fn`` of it in place of every parameter's data, gradient and buffer."""
        for module in self.modules():
            for p in module._parameters.values():
                if p is not None:
                    grad = p.grad
                    p.data = fn(p.detach())
                    p.grad = None if grad is None else fn(grad.detach())
            for name, buffer in module._buffers.items():
                module._buffers[name] = None if buffer is None else fn(buffer)
        return self

    def to(self, *args, dtype=None, device=None, non_blocking: bool = False):
        """Convert floats to a dtype; a device can only be the CPU."""
        for given in args:
            kind = given.dtype if isinstance(given, Tensor) else given
            dtype = kind if isinstance(kind, _dtype) else dtype
            device = given if isinstance(given, (str, _device)) else device
        if device is not None:
            _device(device)
        if dtype is not None and dtype.numpy.kind != "f":
            raise TypeError(
                "nn.Module.to only accepts floating point or complex dtypes, but got "
                f"desired dtype={dtype}: write torch.float64 or the like (Chapter 17)"
            )
        if dtype is None:
            return self
        return self._apply(lambda t: to(t, dtype) if t.is_floating_point() else t)


class _Named(_Converted):
    """Short names of conversions."""

    def float(self):
        """Convert to float32."""
        return self.to(float32)

    def double(self):
        """Convert to float64."""
        return self.to(float64)

    def half(self):
        """Convert to float16."""
        return self.to(float16)

    def cpu(self):
        """All is there already."""
        return self


class _Called:
    """A module is called like a function; hooks see what goes in and what comes out."""

    def forward(self, *args, **kwargs):
        """Compute the output. This is what you write."""
        raise NotImplementedError(
            f'Module [{type(self).__name__}] is missing the required "forward" '
            "function: write def forward(self, x) (Chapter 17)"
        )

    def __call__(self, *args, **kwargs):
        if any(map(self.__dict__.get, HOOKS)):
            return self._watched(args, kwargs)
        return self.forward(*args, **kwargs)


class _Watched(_Called):
    """The call with hooks, and how they are registered."""

    def _watched(self, args: tuple, kwargs: dict):
        for hook, with_kwargs in [*self._forward_pre_hooks.values()]:
            found = hook(self, args, kwargs) if with_kwargs else hook(self, args)
            if with_kwargs and found is not None:
                args, kwargs = found
            elif found is not None:
                args = found if isinstance(found, tuple) else (found,)
        watched = self._backward_hooks or self._backward_pre_hooks
        watch = _Backward(self) if watched else None
        args = watch.enter(args) if watch else args
        result = self.forward(*args, **kwargs)
        for hook, with_kwargs in [*self._forward_hooks.values()]:
            given = (args, kwargs, result) if with_kwargs else (args, result)
            found = hook(self, *given)
            result = result if found is None else found
        return watch.leave(result) if watch else result

    def _add_hook(self, place: str, hook, prepend: bool) -> RemovableHandle:
        hooks = self.__dict__[place]
        handle = RemovableHandle(hooks)
        hooks[handle.id] = hook
        if prepend:
            hooks.move_to_end(handle.id, last=False)
        return handle


class _Hooked(_Watched):
    """The four kinds of hooks."""

    def register_forward_pre_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args)`` before; what it returns replaces the inputs."""
        return self._add_hook("_forward_pre_hooks", (hook, with_kwargs), prepend)

    def register_forward_hook(self, hook, *, prepend=False, with_kwargs=False):
        """Call ``hook(module, args, output)`` after; an answer replaces the output."""
        return self._add_hook("_forward_hooks", (hook, with_kwargs), prepend)

    def register_full_backward_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_input, grad_output)`` when both have been computed.

        What it returns replaces the gradients of the inputs.
        """
        return self._add_hook("_backward_hooks", hook, prepend)

    def register_full_backward_pre_hook(self, hook, prepend=False):
        """Call ``hook(module, grad_output)`` before; an answer replaces them."""
        return self._add_hook("_backward_pre_hooks", hook, prepend)


class BackwardHookFunction(Function):
    """Tensors, unchanged; ``tell`` sees their gradients, and says which go on."""

    @staticmethod
    def forward(ctx, tell, *tensors):
        """Return the tensors."""
        ctx.tell = tell
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(*[t for t in tensors if not t.requires_grad])
        return tensors

    @staticmethod
    def backward(ctx, *grads):
        """Pass on what ``tell`` answers."""
        return None, *ctx.tell(grads)


def _gated(tell, values: tuple) -> tuple:
    """Values of which the tensors have gone through the identity that tells."""
    places = [k for k, v in enumerate(values) if isinstance(v, Tensor)]
    if not any(values[k].requires_grad for k in places):
        return values

    def spread(grads: tuple) -> tuple:
        full = [None] * len(values)
        for k, g in zip(places, grads, strict=True):
            full[k] = g
        answer = tell(tuple(full))
        return tuple(answer[k] for k in places)

    passed = BackwardHookFunction.apply(spread, *(values[k] for k in places))
    values = list(values)
    for k, tensor in zip(places, passed, strict=True):
        values[k] = tensor
    return tuple(values)


NO_INPUTS = (
    "Full backward hook is firing when gradients are computed with respect to module "
    "outputs since no inputs require gradients. See "
    "https://docs.pytorch.org/docs/main/generated/torch.nn.Module.html#torch.nn.Module."
    "register_full_backward_hook for more details."
)


class _Backward:
    """One call whose gradients are watched: a gate before it, and one behind it."""

    def __init__(self, module: "Module"):
        self.module, self.grads, self.inputs = module, None, None

    def enter(self, args: tuple) -> tuple:
        """Let the inputs through the first gate, at which the hooks are called."""
        passed = _gated(self.call, args)
        self.inputs = None if passed is not args else len(args)
        return passed

    def leave(self, result):
        """Let the output through the second gate, which notes its gradient."""
        several = isinstance(result, tuple)
        passed = _gated(self.note, result if several else (result,))
        return passed if several else passed[0]

    def note(self, grads: tuple) -> tuple:
        """Note the gradients of the outputs; where no input wants one, that is all."""
        grads = self.grads = self.ask(self.module._backward_pre_hooks, grads)
        if self.inputs is not None:
            warnings.warn(NO_INPUTS, stacklevel=2)
            self.call((None,) * self.inputs)
        return grads

    def call(self, grads: tuple) -> tuple:
        """Call the hooks that see the gradients of the inputs, too."""
        return self.ask(self.module._backward_hooks, grads, self.grads)

    def ask(self, hooks: OrderedDict, grads: tuple, *more) -> tuple:
        """Call hooks; each may replace the gradients that the next one sees."""
        for hook in [*hooks.values()]:
            found = hook(self.module, grads, *more)
            if found is not None:
                grads = found if isinstance(found, tuple) else (found,)
        return grads


def _indented(text: str) -> str:
    """All lines but the first, two columns further in."""
    return text.replace("\n", "\n  ")


class _Shown:
    """How a module prints: its name, what is special about it, what is in it."""

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """What stands in the brackets, before the modules below."""
        return ""

    def __repr__(self) -> str:
        extra, children = self.extra_repr(), self._shown_children()
        if not children and "\n" not in extra:
            return f"{self._get_name()}({extra})"
        lines = extra.split("\n") * bool(extra) + children
        return f"{self._get_name()}(\n  " + "\n  ".join(lines) + "\n)"

    def _shown_children(self) -> list[str]:
        """A line, or several, for each module below."""
        return [f"({n}): {_indented(repr(m))}" for n, m in self._modules.items()]


HOOKS = (
    "_forward_pre_hooks", "_forward_hooks", "_backward_hooks", "_backward_pre_hooks",
)  # fmt: skip


class Module(_Registry, _Registration, _Found, _Loaded, _Named, _Hooked, _Shown):
    """State, and a function that uses it: the base class of all models.

    A subclass calls ``super().__init__()``, assigns parameters and modules to its
    attributes, and writes `forward`.
    """

    def __init__(self):
        names = self.__dict__
        names |= {kind.place: {} for kind in KINDS} | {h: OrderedDict() for h in HOOKS}
        names |= {"training": True, "_non_persistent_buffers_set": set()}


KINDS = (
    Kind("_parameters", Parameter, "parameter", "parameter", "torch.nn.Parameter"),
    Kind("_modules", Module, "module", "child module", "torch.nn.Module"),
    Kind("_buffers", Buffer, "buffer", "buffer", "torch.nn.Buffer, torch.Tensor"),
)
