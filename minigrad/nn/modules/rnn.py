# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Networks with a state that goes from one step to the next."""

import math
from itertools import product

from minigrad.creation import empty, zeros
from minigrad.nn import functional, init
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.ops import tanh
from minigrad.shapes import cat, stack


def _tanh_step(x, state, *weights):
    """The next state of an RNN: tanh of an affine map of input and state."""
    return (tanh(_mixed(x, state[0], *weights)),)


def _relu_step(x, state, *weights):
    """The same, cut off at 0."""
    return (functional.relu(_mixed(x, state[0], *weights)),)


def _lstm_step(x, state, *weights):
    """The next state and memory of an LSTM: three gates, and what passes them."""
    i, f, g, o = _mixed(x, state[0], *weights).chunk(4, -1)
    c = f.sigmoid() * state[1] + i.sigmoid() * tanh(g)
    return o.sigmoid() * tanh(c), c


def _mixed(x, h, w_ih, w_hh, b_ih=None, b_hh=None):
    """The sum of two affine maps."""
    return functional.linear(x, w_ih, b_ih) + functional.linear(h, w_hh, b_hh)


def _gru_step(x, state, w_ih, w_hh, b_ih=None, b_hh=None):
    """The next state of a GRU: a mixture of the old one and a new one."""
    h = state[0]
    r, z, n = functional.linear(x, w_ih, b_ih).chunk(3, -1)
    old_r, old_z, old_n = functional.linear(h, w_hh, b_hh).chunk(3, -1)
    n = tanh(n + (r + old_r).sigmoid() * old_n)
    return (n + (z + old_z).sigmoid() * (h - n),)


class _Recurrent(Module):
    """Layers of a step that is repeated along a sequence (length, batch, features)."""

    def __init__(
        self, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
        batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False,
        device=None, dtype=None,
    ):  # fmt: skip
        super().__init__()
        self.input_size, self.hidden_size = input_size, hidden_size
        self.num_layers, self.bias = num_layers, bias
        self.batch_first, self.dropout = batch_first, dropout
        self.bidirectional = bidirectional
        self.ways = ("", "_reverse")[: 1 + bidirectional]
        rows, bound = self.gates * hidden_size, 1 / math.sqrt(hidden_size)
        for layer in range(num_layers):
            width = hidden_size * len(self.ways) if layer else input_size
            shapes = {"weight_ih": (rows, width), "weight_hh": (rows, hidden_size)}
            if bias:
                shapes |= {"bias_ih": (rows,), "bias_hh": (rows,)}
            for way, (name, shape) in product(self.ways, shapes.items()):
                made = Parameter(empty(*shape, dtype=dtype))
                setattr(self, f"{name}_l{layer}{way}", made)
        for p in self.parameters():
            init.uniform_(p, -bound, bound)


def _run(self, input, state: tuple) -> tuple:
    """Run all layers over a sequence; return outputs and the last states."""
    last = []
    names = ["weight_ih", "weight_hh"] + ["bias_ih", "bias_hh"] * self.bias
    for layer in range(self.num_layers):
        both = []
        for way in self.ways:
            weights = [getattr(self, f"{name}_l{layer}{way}") for name in names]
            now, outputs = tuple(s[len(last)] for s in state), []
            for x in input.unbind(0)[:: -1 if way else 1]:
                now = self.step(x, now, *weights)
                outputs.append(now[0])
            last.append(now)
            both.append(stack(outputs[:: -1 if way else 1]))
        input = cat(both, -1) if len(both) > 1 else both[0]
        if layer < self.num_layers - 1:
            input = functional.dropout(input, self.dropout, self.training)
    return input, tuple(stack(states) for states in zip(*last, strict=True))


def _over(self, input, hx=None):
    """Run over (length, batch, features), or without the batch: outputs and states."""
    if input.ndim not in (2, 3) or input.shape[-1] != self.input_size:
        raise RuntimeError(
            f"input.size(-1) must be equal to input_size. Expected {self.input_size}, "
            f"got {input.shape[-1]}, in a shape of two or three axes: {input.shape}; "
            "the features are the last axis (Chapter 17)"
        )
    single = input.ndim == 2
    turned = self.batch_first and not single
    x = input.unsqueeze(1) if single else input.transpose(0, 1) if turned else input
    shape = self.num_layers * len(self.ways), x.shape[1], self.hidden_size
    if hx is None:
        state = tuple(zeros(*shape, dtype=x.dtype) for _ in range(self.states))
    else:
        state = hx if self.states > 1 else (hx,)
        state = tuple(s.unsqueeze(1) if single else s for s in state)
    for k, s in enumerate(state):
        name = f"hidden[{k}]" if self.states > 1 else "hidden"
        _check_state(name, tuple(s.shape), shape)
    outputs, state = _run(self, x, state)
    if single:
        outputs, state = outputs.squeeze(1), tuple(s.squeeze(1) for s in state)
    outputs = outputs.transpose(0, 1) if turned else outputs
    return outputs, state if self.states > 1 else state[0]


def _check_state(name: str, found: tuple, wanted: tuple) -> None:
    """Refuse a first state of another shape."""
    if found != wanted:
        raise RuntimeError(
            f"Expected {name} size {wanted}, got {list(found)}: it is (num_layers, "
            "batch, hidden_size), also with batch_first (Chapter 17)"
        )


def _described(self) -> str:
    """The sizes, and what is not as usual."""
    usual = {"num_layers": 1, "bias": True, "batch_first": False, "dropout": 0.0}
    usual["bidirectional"] = False
    other = [f", {n}={getattr(self, n)}" for n in usual if getattr(self, n) != usual[n]]
    return f"{self.input_size}, {self.hidden_size}{''.join(other)}"


_Recurrent.forward, _Recurrent.extra_repr = _over, _described


class RNN(_Recurrent):
    """The plain recurrent network: h = tanh(W x + b + U h + c)."""

    gates, states = 1, 1

    def __init__(self, input_size, hidden_size, *args, nonlinearity="tanh", **options):
        if len(args) > 1 and isinstance(args[1], str):  # its place in PyTorch
            nonlinearity, args = args[1], (args[0], *args[2:])
        steps = {"tanh": _tanh_step, "relu": _relu_step}
        if nonlinearity not in steps:
            raise ValueError(
                f"Unknown nonlinearity '{nonlinearity}'. Select from 'tanh' or 'relu': "
                "the steps that there are (Chapter 17)"
            )
        super().__init__(input_size, hidden_size, *args, **options)
        self.nonlinearity, self.step = nonlinearity, steps[nonlinearity]


class LSTM(_Recurrent):
    """A recurrent network with a memory cell behind three gates."""

    gates, states, step = 4, 2, staticmethod(_lstm_step)


class GRU(_Recurrent):
    """A recurrent network whose state is kept or renewed, as two gates say."""

    gates, states, step = 3, 1, staticmethod(_gru_step)


class _Cell:
    """One step: from an input (…, features) and a state to the next state."""

    def __init__(self, input_size, hidden_size, bias: bool = True, *args, **options):
        super().__init__(input_size, hidden_size, 1, *args, bias=bias, **options)
        own = self._parameters
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
            own[name] = own.pop(f"{name}_l0", None)

    def forward(self, input, hx=None):
        """Take the step; the first state is 0."""
        if hx is None:
            state = zeros(*input.shape[:-1], self.hidden_size, dtype=input.dtype)
            hx = (state, state) if self.states > 1 else state
        state = hx if self.states > 1 else (hx,)
        state = self.step(input, state, *self._parameters.values())
        return state if self.states > 1 else state[0]

    def extra_repr(self) -> str:
        """The sizes, and what is not as usual."""
        own = getattr(self, "nonlinearity", "tanh")
        return super().extra_repr() + (own != "tanh") * f", nonlinearity={own}"


class RNNCell(_Cell, RNN):
    """A step of an `RNN`."""


class LSTMCell(_Cell, LSTM):
    """A step of an `LSTM`: (h, c)."""


class GRUCell(_Cell, GRU):
    """A step of a `GRU`."""
