# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""What all optimisers share: groups of parameters, a memory, and the step in place.

A rule, such as `SGD`, says how one parameter changes. Here stands who is changed, with
which options, what is remembered from step to step, and how it gets into a file.
"""

import functools
import warnings
from collections import defaultdict
from copy import deepcopy
from itertools import chain

import numpy as np

from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.versions import count_change
from minigrad.creation import full_like, tensor
from minigrad.inplace import _NAMES, _writable
from minigrad.tensor import Tensor, memory


class _Required:
    """Stands where an option has no default: every group must give it."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = _Required()


def _check_tensors(params: list) -> None:
    """Refuse what cannot be optimised."""
    for p in params:
        if not isinstance(p, Tensor):
            raise TypeError(
                "optimizer can only optimize Tensors, but one of the params is "
                f"{type(p).__name__}: torch.tensor(value, requires_grad=True) makes "
                "one (Chapter 18)"
            )
        if not (p.is_leaf or p.retains_grad):
            raise ValueError(
                "can't optimize a non-leaf Tensor: it is computed anew in each pass. "
                "Give the leaves that it comes from, or make one of it, "
                "x.detach().requires_grad_() (Chapter 18)"
            )


def options(given: dict) -> dict:
    """The arguments of a rule's ``__init__`` as options: refused if they cannot be."""
    given = {k: v for k, v in given.items() if k not in _NO_OPTIONS}
    for name, value in given.items():
        if name == "lr" and isinstance(value, Tensor) and value.numel() != 1:
            raise ValueError(
                "Tensor lr must be 1-element: rates of their own have parameter groups "
                "(Chapter 18)"
            )
        if name in _KNOWN and not value >= 0:
            raise ValueError(
                f"Invalid {_KNOWN[name]}: {value}; it must not be negative (Chapter 18)"
            )
        if name in ("capturable", "differentiable") and value:
            raise NotImplementedError(
                f"{name}=True: steps are taken in place, on arrays, and nothing "
                "records them. Leave it False (Chapter 18)"
            )
    for k, beta in enumerate(given.get("betas", ())):
        if not 0 <= beta < 1:
            raise ValueError(
                f"Invalid beta parameter at index {k}: {beta}; an average keeps a part "
                "that is less than 1 (Chapter 18)"
            )
    return given


_NO_OPTIONS = "self", "params", "__class__"
_KNOWN = {name: f"{name} value" for name in ("momentum", "weight_decay", "alpha")}
for _name in ("lr_decay", "initial_accumulator_value", "momentum_decay"):
    _KNOWN[_name] = f"{_name} value"
_KNOWN |= {"lr": "learning rate", "eps": "epsilon value"}


class _Groups:
    """Parameters in groups: each group is a dictionary of options, with its tensors."""

    def __init__(self, params, defaults: dict):
        self.defaults, self.param_groups = defaults, []
        self.state: defaultdict = defaultdict(dict)
        self._scratch: dict = {}
        if isinstance(params, Tensor):
            raise TypeError(
                "params argument given to the optimizer should be an iterable of "
                f"Tensors or dicts, but got torch.{_NAMES[params._array.dtype.name]}"
                "Tensor: put it into a list, [x] (Chapter 18)"
            )
        groups = list(params)
        if not groups:
            raise ValueError(
                "optimizer got an empty parameter list: a generator that has been "
                "used up is empty, too (Chapter 18)"
            )
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)


def _add_param_group(self, param_group: dict) -> None:
    """Take up more parameters, with options of their own.

    ``param_group["params"]`` is a tensor, a list of tensors, or of (name, tensor);
    what the group does not say is taken from the optimiser's defaults.
    """
    if not isinstance(param_group, dict):
        raise TypeError(
            f"param_group must be a dict, but got {type(param_group)}: write "
            '{"params": [x], "lr": 0.1} (Chapter 18)'
        )
    params, names = _named(param_group["params"])
    _check_tensors(params)
    group = {**param_group, "params": params, **names}
    for name, default in self.defaults.items():
        if group.setdefault(name, default) is required:
            raise ValueError(
                "parameter group didn't specify a value of required optimization "
                f"parameter {name}: give it in every group (Chapter 18)"
            )
    if len(params) != len(set(params)):
        warnings.warn(_TWICE, UserWarning, stacklevel=3)
    self._check_apart(group)
    param_group.update(group)
    self.param_groups.append(param_group)


_Groups.add_param_group = _add_param_group
_TWICE = (
    "optimizer contains a parameter group with duplicate parameters; in future, this "
    "will cause an error; see github.com/pytorch/pytorch/issues/40967 for more "
    "information"
)


def _named(params) -> tuple[list, dict]:
    """The tensors, and under "param_names" their names, if they came with any."""
    if isinstance(params, set):
        raise TypeError(
            "optimizer parameters need to be organized in ordered collections, but the "
            "ordering of tensors in sets will change between runs. Please use a list "
            "instead (Chapter 18)."
        )
    params = [params] if isinstance(params, Tensor) else list(params)
    names = [p[0] for p in params if isinstance(p, tuple)]
    if not names:
        return params, {}
    if len(names) < len(params):
        raise ValueError(
            "all optimizer params should be with/without names. Some param names are "
            "missing: give pairs (name, tensor), or tensors only (Chapter 18)"
        )
    return [p[1] for p in params], {"param_names": names}


def _check_apart(self, group: dict) -> None:
    """Refuse a parameter that another group has, and names where others have none."""
    for other in self.param_groups:
        if ("param_names" in group) != ("param_names" in other):
            raise ValueError(
                "all optimizer param groups should be with/without names. cannot add "
                f"param group {'with' if 'param_names' in group else 'without'} names "
                "to the optimizer: do the same for all (Chapter 18)"
            )
        if not set(other["params"]).isdisjoint(group["params"]):
            raise ValueError(
                "some parameters appear in more than one parameter group: each belongs "
                "to one, whose options it follows (Chapter 18)"
            )


_Groups._check_apart = _check_apart


BLOCK = 2**15  # so many elements of all arrays of a rule fit into a core's cache


def blocks(arrays: list):
    """Cut arrays of one shape into the same rows, some ``BLOCK`` elements at a time."""
    first = arrays[0]
    if first.ndim == 0:
        arrays = [array.reshape(1) for array in arrays]
    if first.size <= BLOCK:
        yield arrays
        return
    rows = max(1, BLOCK * len(first) // first.size)
    for k in range(0, len(first), rows):
        yield [array[k : k + rows] for array in arrays]


def blend(average, new, weight: float, spare) -> None:
    """In place: go the fraction ``weight`` of the way from an average to something."""
    np.subtract(new, average, out=spare)
    np.multiply(spare, weight, out=spare)
    np.add(average, spare, out=average)


def blend_squares(average, new, keep: float, spare) -> None:
    """In place: keep a fraction of an average, the rest is new²."""
    np.multiply(average, keep, out=average)
    np.multiply(new, 1 - keep, out=spare)
    np.multiply(spare, new, out=spare)
    np.add(average, spare, out=average)


class _Stepping:
    """The step: each parameter that has a gradient is changed in place, by a rule."""

    ROOM = 2  # scratch arrays that a block needs
    CHANGES = 1  # so often does a step of PyTorch's change a parameter

    def step(self, closure=None):
        """Take a step; return the loss that ``closure`` gives, which finds grads."""
        loss = None
        if closure is not None:
            with enable_grad():
                loss = closure()
        with np.errstate(all="ignore"):
            for group in self.param_groups:
                for p in group["params"]:
                    if p._grad is not None:
                        self._advance(p, group)
        return loss

    def _advance(self, p: Tensor, group: dict) -> None:
        """Change one parameter, block by block, and note that it has changed."""
        numbers, buffers = self._begin(p, group)
        for arrays in blocks([_writable(p), p._grad._array, *buffers]):
            value, g, *kept = arrays
            a, b, *more = self._room(value)
            g = _downhill(group, value, g, a, b)
            self._rule(group, numbers, value, g, b, *kept, *more)
        apart = group.get("weight_decay", 0) != 0 and self._decoupled(group)
        for _ in range(self.CHANGES + apart):
            count_change(p, "step")


def _downhill(group: dict, value, g, a, b) -> np.ndarray:
    """The gradient that a rule works with: turned round, with weight decay, or bare."""
    if group["maximize"]:
        g = np.negative(g, out=a)
    if group.get("weight_decay") and not _Stepping._decoupled(group):
        np.multiply(value, float(group["weight_decay"]), out=b)
        g = np.add(g, b, out=a)
    return g


def _decoupled(group: dict) -> bool:
    """Whether weight decay is no part of the gradient (AdamW)."""
    return group.get("decoupled_weight_decay", False)


def _room(self, like: np.ndarray) -> np.ndarray:
    """Scratch arrays, two or more, shaped like a block."""
    room = self._scratch.get(like.dtype)
    if room is None or room.shape[1] < like.size:
        room = self._scratch[like.dtype] = np.empty((self.ROOM, like.size), like.dtype)
    return room[:, : like.size].reshape(-1, *like.shape)


_Stepping._decoupled, _Stepping._room = staticmethod(_decoupled), _room


def _buffers(self, p: Tensor, *names: str, start: float = 0) -> list[np.ndarray]:
    """The arrays that are remembered of a parameter; zeros at first."""
    state, found = self.state[p], []
    for name in names:
        if state.get(name) is None:
            state[name] = full_like(p, start)
        array = memory(state[name])
        if array.shape != p._array.shape or array.dtype != p._array.dtype:
            raise RuntimeError(
                f"{name} must match the size and the dtype of its parameter, "
                f"{list(p.shape)} of {p.dtype}, and is {list(array.shape)} of "
                f"torch.{array.dtype}: load a state of this model, or make a new "
                "optimizer (Chapter 18)"
            )
        found.append(array)
    return found


def _count(self, p: Tensor) -> int:
    """Count a step of a parameter; return how many that makes."""
    step = self._number(p, "step", 0.0)
    step += 1
    return int(step)


def _number(self, p: Tensor, name: str, start: float) -> np.ndarray:
    """A number that is remembered of a parameter, as an array without axes."""
    state = self.state[p]
    if name not in state:
        state[name] = tensor(start)
    return memory(state[name])


_Stepping._buffers, _Stepping._count, _Stepping._number = _buffers, _count, _number


class _Remembered:
    """The way into a file and back."""

    def state_dict(self) -> dict:
        """Options and memory; parameters are numbered, and their numbers not in it."""
        number: dict = {}
        for k, p in enumerate(chain(*(g["params"] for g in self.param_groups))):
            number.setdefault(p, k)
        groups = [
            {**group, "params": [number[p] for p in group["params"]]}
            for group in self.param_groups
        ]
        state = {number.get(p, p): kept for p, kept in self.state.items()}
        return {"state": state, "param_groups": groups}

    def __getstate__(self) -> dict:
        names = "defaults", "state", "param_groups"
        return {name: getattr(self, name) for name in names}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._scratch = {}


def _load_state_dict(self, state_dict: dict) -> None:
    """Take over options and memory of another optimiser, for this one's parameters.

    Parameters are matched by their order; memory takes the dtype of its parameter.
    """
    groups, mine = deepcopy(state_dict["param_groups"]), self.param_groups
    if len(groups) != len(mine):
        raise ValueError(
            "loaded state dict has a different number of parameter groups: make the "
            "groups as they were when it was saved (Chapter 18)"
        )
    pairs = [*zip(groups, mine, strict=True)]
    if any(len(a["params"]) != len(b["params"]) for a, b in pairs):
        raise ValueError(
            "loaded state dict contains a parameter group that doesn't match the size "
            "of optimizer's group: it belongs to another model (Chapter 18)"
        )
    owner, state = {}, defaultdict(dict)
    for saved, group in pairs:
        owner.update(zip(saved["params"], group["params"], strict=True))
        kept = {k: group[k] for k in ("param_names",) if k in group}
        saved.update({**kept, **saved, "params": group["params"]})
    for k, kept in state_dict["state"].items():
        state[owner.get(k, k)] = _fitted(kept, owner[k]) if k in owner else kept
    self.__setstate__({"state": state, "param_groups": groups})


_Remembered.load_state_dict = _load_state_dict


def _noted(step):
    """A step that a schedule can see (it wants to be stepped after the optimiser)."""

    @functools.wraps(step)
    def noted(self, *args, **kwargs):
        if hasattr(self, "_opt_called"):
            self._opt_called = True
        return step(self, *args, **kwargs)

    return noted


_Stepping.step = _noted(_Stepping.step)


def _fitted(value, p: Tensor, name=None):
    """What is remembered, in the dtype of its parameter; the counter stays as it is."""
    if isinstance(value, Tensor):
        return value.to(p.dtype) if name != "step" else value
    if isinstance(value, dict):
        return {k: _fitted(v, p, k) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_fitted(v, p) for v in value)
    return value


class Optimizer(_Groups, _Stepping, _Remembered):
    """Holds parameters and changes them by their gradients. A rule is a sub-class.

    A sub-class gives ``_begin`` and ``_rule``, as those of this chapter do, or a `step`
    of its own.
    """

    def __init_subclass__(cls):
        if "step" in cls.__dict__:
            cls.step = _noted(cls.step)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients; with ``set_to_none=False`` fill them with zeros."""
        for p in chain(*(group["params"] for group in self.param_groups)):
            if set_to_none:
                p._grad = None
            elif p._grad is not None:
                p._grad.detach_().zero_()


def _begin(self, p: Tensor, group: dict) -> tuple:
    """Look up what the rule needs for a parameter: numbers, and remembered arrays."""
    raise NotImplementedError(
        f"{type(self).__name__} has no rule: write a method step(self, closure=None) "
        "(Chapter 18)"
    )


def _repr(self) -> str:
    """The options of all groups, in the order of the alphabet."""
    text = f"{type(self).__name__} ("
    for i, group in enumerate(self.param_groups):
        text += f"\nParameter Group {i}\n"
        for name in sorted(group.keys() - {"params"}):
            text += f"    {name}: {group[name]}\n"
    return text + ")"


Optimizer._begin, Optimizer.__repr__ = _begin, _repr
