"""Checks of the exercises of chapter 8, Leaves, and tensors that are not.

Expected values come from running the expressions, or from formulas by hand; the modes
are looked at from inside the functions that the reader's code is given.
"""

import contextlib
import functools
import threading

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


def _records(check):
    """Let a check begin with recording on, and leave the mode as it was."""

    @functools.wraps(check)
    def checked(*answers):
        with _torch().inference_mode(False):
            yield from check(*answers)

    return checked


@exercise("8.1")
def collecting_recorded_constant(states):
    """Eight expressions, three states."""
    torch = _torch()
    x, c = torch.ones(2, requires_grad=True), torch.ones(2)
    values = {
        "a": c * c + 1,
        "b": x * c.detach(),
        "c": x.detach() * x.detach(),
        "d": (x * 2).detach().requires_grad_(),
        "e": (x > 0) * x,
        "f": torch.zeros_like(x),
        "g": x.float(),
        "h": torch.no_grad()(lambda: torch.ones(2, requires_grad=True))(),
    }
    yield "there is one state for each of the letters a to h"
    assert isinstance(states, dict), f"a dictionary was asked for, not {states!r}"
    missing = sorted(set(values) - set(states))
    assert not missing, f"no answer for {', '.join(missing)}"
    yield "each state is one of the three words"
    words = {"constant", "collecting", "recorded"}
    odd = [name for name in values if states[name] not in words]
    assert not odd, f"{odd[0]} is said to be {states[odd[0]]!r}"
    for question, names in [
        ("what is computed from constants is constant", "acf"),
        ("what is computed with a leaf that collects is recorded", "be"),
        ("a leaf collects if it requires a gradient, however it came about", "dgh"),
    ]:
        yield question
        for name in names:
            t = values[name]
            truth = "constant" if not t.requires_grad else "collecting"
            truth = "recorded" if t.grad_fn is not None else truth
            assert states[name] == truth, f"{name} is not {states[name]}"


@exercise("8.2")
@_records
def one_step_of_an_optimiser(sgd_step):
    """Plain gradient descent, in place."""
    torch = _torch()

    def fresh(grad=True):
        a = torch.tensor([[1.0, 2.0]], dtype=torch.float64, requires_grad=True)
        b = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
        idle = torch.tensor([7.0], dtype=torch.float64, requires_grad=True)
        if grad:
            a.grad = torch.tensor([[10.0, -20.0]], dtype=torch.float64)
            b.grad = torch.tensor(0.5, dtype=torch.float64)
        return a, b, idle

    yield "each parameter moves against its gradient, by the rate"
    a, b, idle = fresh()
    memory = a.detach()
    sgd_step([a, b, idle], 0.1)
    close(a.detach().numpy(), np.array([[0.0, 4.0]]), what="a, from (1, 2),")
    close(b.detach().numpy(), np.array(2.95), what="b, a 0-d parameter from 3,")
    yield "a parameter without a gradient stays where it is"
    close(idle.detach().numpy(), np.array([7.0]), what="the idle parameter")
    yield "the numbers change in place: who shares the memory sees them"
    close(
        memory.numpy(), np.array([[0.0, 4.0]]), what="a tensor that shares a's memory"
    )
    yield "every parameter is a leaf that collects, as before"
    for name, p in [("a", a), ("b", b), ("idle", idle)]:
        assert p.requires_grad, f"{name} no longer requires a gradient"
        assert p.is_leaf, f"{name} is no longer a leaf"
    yield "every gradient is None afterwards"
    assert a.grad is None and b.grad is None, "a gradient is left"
    yield "the next pass starts afresh"
    (a * a).sum().backward()
    close(a.grad.numpy(), np.array([[0.0, 8.0]]), what="the next gradient of a")
    yield "it works where the caller does not record, and leaves that mode alone"
    with torch.no_grad():
        sgd_step(list(fresh()), 0.1)
        assert not torch.is_grad_enabled(), "recording is on after the step"
    assert torch.is_grad_enabled(), "recording is off after the step"
    yield "the step is no part of any graph"
    a, b, idle = fresh(grad=False)
    (a * a * b).sum().backward()
    sgd_step([a, b], 0.01)
    assert a.grad_fn is None and b.grad_fn is None


@exercise("8.3")
@_records
def three_bugs(fit):
    """A line through points, compared with the same descent in NumPy."""
    torch = _torch()
    x, y = np.array([0.0, 1.0, 2.0, 3.0]), np.array([1.0, 2.5, 4.5, 7.0])

    def by_hand(steps, rate):
        a = b = 0.0
        losses = []
        for _ in range(steps):
            error = a * x + b - y
            losses.append(np.mean(error**2))
            a, b = (
                a - rate * np.mean(2 * error * x),
                b - rate * np.mean(2 * error),
            )
        return losses, a, b

    def yours(steps, rate):
        points = [torch.tensor(v, dtype=torch.float32) for v in (x, y)]
        answer = fit(*points, steps, rate)
        assert answer is not None, "the result is None (is a `return` missing?)"
        losses, a, b = answer
        return losses, a, b

    yield "the first step is right for both parameters"
    _, a, b = by_hand(1, 0.05)
    losses, mine_a, mine_b = yours(1, 0.05)
    close(mine_a.item(), a, within=1e-5, what="a after one step")
    close(mine_b.item(), b, within=1e-5, what="b after one step")
    yield "so is the second: no old gradient is left over"
    _, a, b = by_hand(2, 0.05)
    losses, mine_a, mine_b = yours(2, 0.05)
    close(mine_a.item(), a, within=1e-5, what="a after two steps")
    close(mine_b.item(), b, within=1e-5, what="b after two steps")
    yield "the losses are Python numbers, one for each step"
    expected, a, b = by_hand(40, 0.05)
    losses, mine_a, mine_b = yours(40, 0.05)
    kinds = {type(loss).__name__ for loss in losses}
    assert kinds == {"float"}, f"the list holds objects of type {', '.join(kinds)}"
    close(np.array(losses), np.array(expected), within=1e-4, what="the list of losses")
    yield "the parameters are leaves that collect"
    for name, p in [("a", mine_a), ("b", mine_b)]:
        assert p.is_leaf and p.requires_grad, f"{name} is not"
    yield "and they have found the line"
    close(mine_a.item(), a, within=1e-4, what="a after forty steps")
    close(mine_b.item(), b, within=1e-4, what="b after forty steps")


@exercise("8.4")
@_records
def frozen_for_a_while(frozen):
    """Flags inside a block and after it."""
    torch = _torch()
    awake = torch.ones(2, requires_grad=True)
    asleep = torch.ones(2)

    def flags():
        return awake.requires_grad, asleep.requires_grad

    yield "inside the block, no tensor requires a gradient"
    with frozen(awake, asleep):
        assert flags() == (False, False), f"the flags are {flags()}"
        recorded = (awake * 2).requires_grad
        assert not recorded, "an operation on a frozen tensor is recorded"
    yield "afterwards, those that did before do so again"
    assert awake.requires_grad, "the tensor that collected does not any more"
    yield "and those that did not, do not"
    assert not asleep.requires_grad, "a constant has been woken up"
    yield "also after an exception, which is passed on"
    try:
        with frozen(awake):
            raise KeyError("in the block")
    except KeyError:
        pass
    else:
        raise AssertionError("the exception has been swallowed")
    assert awake.requires_grad, "the flag was not restored"
    yield "other tensors go on collecting"
    other = torch.ones(2, requires_grad=True)
    with frozen(awake):
        (awake * other).sum().backward()
    assert other.grad is not None and awake.grad is None
    yield "blocks may stand inside one another"
    with frozen(awake):
        with frozen(awake):
            pass
        assert not awake.requires_grad, "leaving the inner block has thawed it"
    assert awake.requires_grad


@exercise("8.5")
@_records
def a_step_with_a_slope(switch):
    """The value of a switch, the gradient of the identity."""
    torch = _torch()
    points = np.array([[-2.0, -0.25, 0.0], [0.5, 3.0, 1e-3]])
    x = torch.tensor(points, requires_grad=True)
    y = switch(x)
    yield "the value is 1 where x is greater than 0, and 0 elsewhere"
    close(y.detach().numpy(), (points > 0).astype(float), what="the value")
    yield "the dtype is that of x"
    assert y.dtype is x.dtype, f"{y.dtype} for {x.dtype}"
    yield "the cotangent is passed on unchanged"
    assert y.requires_grad, "the result has no history"
    weights = np.array([[1.0, -2.0, 3.0], [0.0, 5.0, -6.0]])
    y.backward(torch.tensor(weights))
    close(x.grad.numpy(), weights, what="the cotangent of x")
    yield "it works inside a larger expression"
    x = torch.tensor([2.0, -2.0], dtype=torch.float64, requires_grad=True)
    (switch(x * 3) * x).sum().backward()
    close(x.grad.numpy(), np.array([1.0 + 6.0, 0.0 - 6.0]), what="the gradient")
    yield "x itself is as it was"
    close(x.detach().numpy(), np.array([2.0, -2.0]), what="x")


@exercise("8.6")
@_records
def take_the_mode_with_you(carry):
    """Modes in the calling thread and in another."""
    torch = _torch()

    def look(*arguments, **options):
        flags = torch.is_grad_enabled(), torch.is_inference_mode_enabled()
        return flags, arguments, options

    def elsewhere(function, *arguments, **options):
        box = []

        def work():
            try:
                box.append(function(*arguments, **options))
            except Exception as error:
                box.append(error)
            box.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        if isinstance(box[0], Exception):
            raise box[0]
        return box

    yield "arguments go in and results come out"
    found = carry(look)(1, 2, three=3)
    assert found == ((True, False), (1, 2), {"three": 3}), f"{found}"
    yield "under no_grad it takes `off` into another thread"
    with torch.no_grad():
        carried = carry(look)
    assert elsewhere(carried)[0][0] == (False, False), "recording is on there"
    yield "the mode is that of the moment when carry was called"
    assert carried()[0] == (False, False), "it uses the mode of the later call"
    on = carry(look)
    with torch.no_grad():
        assert on()[0] == (True, False), "it uses the mode of the later call"
    yield "the other thread's own mode comes back"
    assert elsewhere(carried)[1] == (True, False), "the thread stays switched off"
    yield "and so does the caller's, also after an exception"

    def fail():
        raise KeyError("inside")

    with torch.no_grad():
        broken = carry(fail)
    with contextlib.suppress(KeyError):
        broken()
    assert torch.is_grad_enabled(), "recording stays off after the exception"
    yield "inference mode is carried as well"
    with torch.inference_mode():
        marked = carry(look)
    flags = elsewhere(marked)[0][0]
    assert flags == (False, True), f"recording and inference are {flags} there"
    yield "and so is recording inside of inference mode, switched on again"
    with torch.inference_mode(), torch.enable_grad():
        odd = carry(look)
    flags = elsewhere(odd)[0][0]
    assert flags == (True, True), f"recording and inference are {flags} there"
