# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""L-BFGS: Newton's direction, from the last gradients."""

from collections import namedtuple

from minigrad.autograd.grad_mode import enable_grad, no_grad
from minigrad.optim.optimizer import Optimizer, options
from minigrad.shapes import cat
from minigrad.tensor import Tensor

Point = namedtuple("Point", "far loss grad slope")  # on a line; the slope is along it


def between(a: Point, b: Point, low=None, high=None):
    """Where the cubic that fits two points is least; within bounds."""
    a, b = (a, b) if a.far <= b.far else (b, a)
    low, high = (a.far, b.far) if low is None else (low, high)
    bend = a.slope + b.slope - 3 * (a.loss - b.loss) / (a.far - b.far)
    square = bend**2 - a.slope * b.slope
    if square < 0:
        return (low + high) / 2
    root = square.sqrt()
    part = (b.slope + root - bend) / (b.slope - a.slope + 2 * root)
    return min(max(b.far - (b.far - a.far) * part, low), high)


def enclose(at, start: Point, far, most: int) -> tuple:
    """Two points with a minimum between, or one that is good; and how many asked."""
    before, here, calls = start, at(far), 1
    while calls <= most:
        worse = calls > 2 and here.loss >= before.loss
        good = not worse and _fallen(start, here)
        if good and _flat(start, here):
            return (here,), calls
        if not good or here.slope >= 0:
            return (before, here), calls
        low = here.far + 0.01 * (here.far - before.far)
        far = between(before, here, low, 10 * here.far)
        before, here, calls = here, at(far), calls + 1
    return (start, here), calls


def _fallen(start: Point, here: Point) -> bool:
    """Whether the loss has fallen by a ten-thousandth of what the slope promised."""
    return bool(here.loss <= start.loss + 1e-4 * here.far * start.slope)


def _flat(start: Point, here: Point) -> bool:
    """Whether the slope is less than nine tenths of the first."""
    return bool(abs(here.slope) <= -0.9 * start.slope)


def search(at, start: Point, far, most: int, width) -> tuple:
    """A point that satisfies Wolfe's conditions, and how often the loss was asked."""
    ends, calls = enclose(at, start, far, most)
    low, high = sorted((ends[0], ends[-1]), key=lambda point: point.loss)
    stuck, left, right = False, *sorted((low.far, high.far))
    while len(ends) > 1 and calls <= most and (right - left) * width >= 1e-9:
        far, edge = between(low, high), 0.1 * (right - left)
        near = bool(min(right - far, far - left) < edge)
        if near and (stuck or far >= right or far <= left):
            far = right - edge if abs(far - right) < abs(far - left) else left + edge
            near = False
        stuck, here, calls = near, at(far), calls + 1
        if not _fallen(start, here) or here.loss >= low.loss:
            low, high = sorted((low, here), key=lambda point: point.loss)
        elif _flat(start, here):
            return here, calls
        else:
            turned = here.slope * (high.far - low.far) >= 0
            low, high = here, low if turned else high
        left, right = sorted((low.far, high.far))
    return low, calls


def _turn(state: dict, g: Tensor, room: int) -> None:
    """Note how the gradient changed, and set the direction ``d``."""
    if state["n_iter"] == 1:
        state |= {"d": -g, "old_dirs": [], "old_stps": [], "ro": [], "H_diag": 1}
        return
    pairs = [state[name] for name in ("old_dirs", "old_stps", "ro")]
    y, s = g - state["prev_flat_grad"], state["d"] * state["t"]
    ys = y.dot(s)
    if ys > 1e-10:
        for kept, new in zip(pairs, (y, s, 1.0 / ys), strict=True):
            kept.append(new)
            del kept[:-room]
        state["H_diag"] = ys / y.dot(y)
    d, shares, pairs = -g, [], [*zip(*pairs, strict=True)]
    for y, s, r in reversed(pairs):
        shares.append(s.dot(d) * r)
        d = d - shares[-1] * y
    d = d * state["H_diag"]
    for (y, s, r), share in zip(pairs, reversed(shares), strict=True):
        d = d + (share - y.dot(d) * r) * s
    state["d"] = d


def _value(loss) -> float:
    """A loss as a number."""
    return loss.item() if isinstance(loss, Tensor) else float(loss)


class _Flat(Optimizer):
    """All parameters as one vector."""

    def _slope(self) -> Tensor:
        """All gradients, one after the other."""
        params = self.param_groups[0]["params"]
        grads = [p.detach() * 0 if p.grad is None else p.grad for p in params]
        return cat([g.flatten() for g in grads])

    def _move(self, far, d: Tensor) -> None:
        """Go along a direction."""
        start = 0
        for p in self.param_groups[0]["params"]:
            p.add_(d[start : start + p.numel()].reshape(p.shape) * far)
            start += p.numel()

    def _along(self, ask, d: Tensor):
        """A function that looks at a point of the line, and comes back."""
        params = self.param_groups[0]["params"]
        here = [p.detach().clone() for p in params]

        def at(far) -> Point:
            self._move(far, d)
            loss, g = ask()
            for p, value in zip(params, here, strict=True):
                p.copy_(value)
            return Point(far, loss, g, g.dot(d))

        return at


class LBFGS(_Flat):
    """Quasi-Newton steps; `step` needs a closure, which it calls several times."""

    def __init__(
        self, params, lr=1, max_iter=20, max_eval=None, tolerance_grad=1e-7,
        tolerance_change=1e-9, history_size=100, line_search_fn=None,
    ):  # fmt: skip
        if max_eval is None:
            max_eval = max_iter * 5 // 4
        super().__init__(params, options(locals()))
        if len(self.param_groups) != 1:
            raise ValueError(
                "LBFGS doesn't support per-parameter options (parameter groups): all "
                "parameters are one vector, give one list (Chapter 18)"
            )

    @no_grad()
    def step(self, closure):
        """Up to ``max_iter`` steps; return the loss before them."""
        if self.param_groups[0]["line_search_fn"] not in (None, "strong_wolfe"):
            raise RuntimeError(
                "only 'strong_wolfe' is supported as line_search_fn, or None for steps "
                "of lr (Chapter 18)"
            )
        with enable_grad():
            first = closure()
        self._descend(_value(first), self._slope(), enable_grad()(closure))
        return first


def _descend(self, loss: float, g: Tensor, closure) -> None:
    """Steps, until one of the limits is reached."""
    group = self.param_groups[0]
    state, calls = self.state[group["params"][0]], 1
    least, before = group["tolerance_change"], {"func_evals": 0, "n_iter": 0}
    state |= {name: state.get(name, k) for name, k in before.items()}
    state["func_evals"] += 1
    for k in range(group["max_iter"]):
        spent = k and calls >= group["max_eval"]
        if spent or g.abs().max() <= group["tolerance_grad"]:
            return
        state["n_iter"] += 1
        _turn(state, g, group["history_size"])
        d, before, short = state["d"], loss, state["n_iter"] == 1
        rate = float(group["lr"]) * (min(1.0, 1.0 / g.abs().sum()) if short else 1)
        state |= {"prev_flat_grad": g.clone(), "prev_loss": loss, "t": rate}
        if g.dot(d) > -least:
            return
        limits = group["max_eval"] - calls, k + 1 == group["max_iter"]
        loss, g, asked = self._go(state, loss, g, closure, *limits)
        calls += asked
        state["func_evals"] += asked
        if (d * state["t"]).abs().max() <= least or abs(loss - before) < least:
            return


LBFGS._descend = _descend


def _go(self, state: dict, loss, g: Tensor, closure, room: int, last: bool) -> tuple:
    """Go along the direction; return the loss and gradient there, and the calls."""
    d, rate = state["d"], state["t"]

    def ask() -> tuple:
        return _value(closure()), self._slope()

    if self.param_groups[0]["line_search_fn"]:
        start, width = Point(0, loss, g, g.dot(d)), d.abs().max()
        end, asked = search(self._along(ask, d), start, rate, room, width)
        state["t"] = end.far
        self._move(end.far, d)
        return end.loss, end.grad, asked
    self._move(rate, d)
    return (loss, g, 0) if last else (*ask(), 1)


LBFGS._go = _go
