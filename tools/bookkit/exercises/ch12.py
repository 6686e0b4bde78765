"""Checks of the exercises of chapter 12, Hooks.

What should come out is worked out by hand from products of small numbers, or by an
optimiser written out here in NumPy.
"""

import numpy as np

from bookkit.checks import close, exercise


def _torch():
    """Return minigrad as it is now: with what the chapter has built so far."""
    import minigrad

    return minigrad


def _leaf(*numbers):
    """A leaf that collects, of float64."""
    torch = _torch()
    return torch.tensor(list(numbers), dtype=torch.float64, requires_grad=True)


@exercise("12.1")
def order_of_calls(order):
    """Six hooks and two passes."""
    yield "it is a string of the letters a to f"
    assert isinstance(order, str), f"it is {order!r}"
    assert set(order) <= set("abcdef"), f"{order!r} has other letters"
    yield "each hook of the second pass is called once, those of the first once more"
    torch, called = _torch(), []

    def write(letter):
        return lambda *given: called.append(letter)

    x = torch.tensor(2.0, requires_grad=True)
    h = x * x
    y = h * 3
    x.register_post_accumulate_grad_hook(write("a"))
    h.grad_fn.register_hook(write("b"))
    x.register_hook(write("c"))
    h.register_hook(write("d"))
    y.register_hook(write("e"))
    h.grad_fn.register_prehook(write("f"))
    torch.autograd.grad(y, h, retain_graph=True)
    y.backward()
    wrong = [k for k in "abcdef" if order.count(k) != called.count(k)]
    assert not wrong, f"{wrong[0]!r} occurs {order.count(wrong[0])} times"
    yield "the order is that of the calls"
    for place, (said, true) in enumerate(zip(order, called, strict=True), 1):
        assert said == true, f"call number {place} is not {said!r}"


@exercise("12.2")
def reversed_for_one(reverse):
    """A gradient that comes back with its sign changed."""
    yield "the values are those of x"
    x = _leaf(1.0, -2.0)
    close(reverse(x, 1.0).detach().numpy(), [1.0, -2.0], what="reverse(x, 1.0)")
    for strength in (1.0, 0.5, 3.0):
        yield f"what comes back is the gradient times {-strength}"
        x = _leaf(1.0, -2.0)
        (reverse(x, strength) * 5).sum().backward()
        close(x.grad.numpy(), [-5 * strength] * 2, what="x.grad")
    yield "other uses of x do not notice, before and after"
    x = _leaf(1.0, -2.0)
    before = x * 7
    turned = reverse(x, 2.0)
    (before + turned + x * 100).sum().backward()
    close(x.grad.numpy(), [105.0, 105.0], what="x.grad")
    yield "two reversals of the same tensor keep apart"
    x = _leaf(1.0, -2.0)
    (reverse(x, 2.0) + 10 * reverse(x, 3.0)).sum().backward()
    close(x.grad.numpy(), [-32.0, -32.0], what="x.grad")
    yield "it works in the middle of a graph"
    x = _leaf(1.0, -2.0)
    (reverse(x * x, 1.0) * 3).sum().backward()
    close(x.grad.numpy(), [-6.0, 12.0], what="x.grad")


@exercise("12.3")
def norms_by_name(logbook):
    """Norms of gradients, and no trace afterwards."""
    yield "the norm of a leaf's gradient, once a pass"
    x, w = _leaf(1.0, 2.0), _leaf(3.0, 4.0)
    with logbook({"x": x, "w": w}) as norms:
        (x * w).sum().backward()
        (x * w * 2).sum().backward()
    assert set(norms) == {"x", "w"}, f"the names are {sorted(norms)}"
    close(np.array(norms["x"]), [5.0, 10.0], what="the norms of x")
    close(np.array(norms["w"]), np.sqrt([5.0, 20.0]), what="the norms of w")
    yield "the norms are Python numbers"
    assert all(type(n) is float for n in norms["x"]), f"one is {norms['x'][0]!r}"
    yield "the gradients are what they would have been"
    close(x.grad.numpy(), [9.0, 12.0], what="x.grad")
    yield "a tensor that no pass reaches has an empty list"
    x, w = _leaf(1.0, 2.0), _leaf(3.0, 4.0)
    with logbook({"x": x, "w": w}) as norms:
        (x * 2).sum().backward()
    assert norms["w"] == [], f"the norms of w are {norms['w']!r}"
    yield "after the block nothing is noted any more"
    (x * w).sum().backward()
    assert len(norms["x"]) == 1, f"the norms of x are {norms['x']!r}"
    yield "nor after a block that failed, and the failure is not hidden"
    x = _leaf(1.0, 2.0)
    try:
        with logbook({"x": x}) as norms:
            raise KeyError("inside")
    except KeyError:
        (x * x).sum().backward()
    else:
        raise AssertionError("the exception did not come out of the block")
    assert norms["x"] == [], f"the norms of x are {norms['x']!r}"
    yield "hooks of others stay"
    x = _leaf(1.0, 2.0)
    x.register_hook(lambda g: g * 2)
    with logbook({"x": x}):
        (x * 3).sum().backward()
    (x * 3).sum().backward()
    close(x.grad.numpy(), [12.0, 12.0], what="x.grad")


@exercise("12.4")
def momentum_without_a_loop(attach):
    """An optimiser inside the backward pass."""
    torch = _torch()
    yield "three passes are three steps with momentum"
    for rate, momentum in [(0.1, 0.0), (0.1, 0.9), (0.25, 0.5)]:
        p, q = _leaf(4.0, -1.0), _leaf(2.0)
        attach([p, q], rate, momentum)
        expected, velocity = np.array([4.0, -1.0, 2.0]), np.zeros(3)
        for _ in range(3):
            ((p * p).sum() + 3 * (q * q).sum()).backward()
            velocity = momentum * velocity + expected * [2, 2, 6]
            expected = expected - rate * velocity
            found = np.concatenate([p.detach().numpy(), q.detach().numpy()])
            close(found, expected, what=f"rate {rate}, momentum {momentum}: p and q")
    yield "the gradients are gone, and the leaves are the same leaves"
    assert p.grad is None, f"p.grad is {p.grad}"
    assert p.is_leaf and p.requires_grad, "p is no leaf that collects any more"
    yield "a parameter that is not reached stays, and keeps its velocity"
    p, q = _leaf(1.0), _leaf(1.0)
    attach([p, q], 0.5, 0.5)
    for use in ("pq", "p", "pq"):
        sum(({"p": p, "q": q}[name] * 1).sum() for name in use).backward()
    close(p.detach().numpy(), [1 - 0.5 * (1 + 1.5 + 1.75)], what="p")
    close(q.detach().numpy(), [1 - 0.5 * (1 + 1.5)], what="q")
    yield "what it returns detaches everything"
    p, q = _leaf(1.0), _leaf(1.0)
    detach = attach([p, q], 0.5, 0.5)
    assert callable(detach), f"attach returned {detach!r}"
    detach()
    (p * q).sum().backward()
    close(p.detach().numpy(), [1.0], what="p, detached")
    assert p.grad is not None and q.grad is not None, "a gradient is still taken away"
    assert torch.is_grad_enabled(), "recording is off afterwards"


@exercise("12.5")
def half_precision(compress):
    """Large saved values in float16, unless that would spoil them."""
    torch = _torch()
    third = 1 / 3

    def slope(x, limit):
        with compress(limit):
            y = (x * x).sum()
        y.backward()
        return x.grad.numpy()

    def expected(numbers):
        return 2 * np.asarray(numbers, np.float16).astype(np.float64)

    yield "a large value comes back as float16 has it"
    x = _leaf(*[third] * 100)
    close(slope(x, 100), expected([third] * 100), within=1e-12, what="x.grad")
    yield "a small one is exact"
    x = _leaf(*[third] * 10)
    close(slope(x, 100), np.full(10, 2 * third), within=1e-12, what="x.grad")
    yield "exactly the limit is not more than the limit"
    x = _leaf(*[third] * 10)
    close(slope(x, 80), np.full(10, 2 * third), within=1e-12, what="x.grad")
    yield "a number beyond float16 is kept, whatever its sign"
    for big in (1e6, -1e6):
        x = _leaf(*[third] * 99, big)
        close(slope(x, 100), [*[2 * third] * 99, 2 * big], within=1e-12, what="x.grad")
    yield "a float32 comes back as a float32"
    x = torch.tensor([third] * 100, dtype=torch.float32, requires_grad=True)
    found = slope(x, 100)
    assert found.dtype == np.float32, f"x.grad has dtype {found.dtype}"
    yield "memory is saved: between the passes there is a float16"
    x = torch.tensor([third] * 100, dtype=torch.float32)
    with compress(100):
        pack, unpack = _innermost()
        box = pack(x)
    parts = box if isinstance(box, (tuple, list)) else [box]
    kinds = [str(getattr(part, "dtype", None)) for part in parts]
    assert any("float16" in kind for kind in kinds), f"pack returned {box!r}"
    yield "unpacked, it has its own dtype"
    found = unpack(box).dtype
    assert found == torch.float32, f"a float32 came back as {found}"
    yield "outside the block nothing is packed"
    x = _leaf(*[third] * 100)
    (x * x).sum().backward()
    close(x.grad.numpy(), np.full(100, 2 * third), within=1e-12, what="x.grad")
    yield "an empty tensor does no harm"
    x = _leaf()
    close(slope(x, 0), np.zeros(0), what="x.grad")


def _innermost():
    """The pack and unpack functions that are in force."""
    from minigrad.autograd import saved

    return saved.choices.hooks[-1]
