# Generated from chapter 14 (book/ch14-higher.ipynb): edit the chapter, not this.
"""Functions that take a function and return its derivative, as in torch.func."""

from minigrad.autograd.functional import _at_once, _fresh, _pull
from minigrad.autograd.grad_mode import enable_grad
from minigrad.batching import vmap
from minigrad.creation import eye, ones_like, zeros_like
from minigrad.tensor import AccumulateGrad, Tensor


def _settled(value, own: tuple):
    """The value; without its history, if that leads to nothing but tensors of ours."""
    if isinstance(value, (tuple, list)):
        return type(value)(_settled(v, own) for v in value)
    if not isinstance(value, Tensor) or not value.requires_grad:
        return value
    ours, seen = {x._node for x in own if x.is_leaf}, set()
    found = [value._node]
    while found:
        node = found.pop()
        if type(node) is AccumulateGrad and node not in ours:
            return value
        if node not in seen:
            seen.add(node)
            found += [child for child, _ in node.next_functions if child is not None]
    return value.detach()


def _places(argnums, args: tuple) -> tuple:
    """The places of the arguments to differentiate by, and these, as our own."""
    places = argnums if isinstance(argnums, tuple) else (argnums,)
    args, own = list(args), _fresh(tuple(args[i] for i in places), True)
    for i, x in zip(places, own, strict=True):
        args[i] = x
    return args, own


def grad_and_value(func, argnums=0, has_aux: bool = False):
    """Return a function that gives the gradient of ``func``, and its value."""

    def derivative(*args, **options):
        with enable_grad():
            args, own = _places(argnums, args)
            found = func(*args, **options)
            y = found[0] if has_aux else found
            if not isinstance(y, Tensor) or y.dim():
                shape = tuple(y.shape) if isinstance(y, Tensor) else type(y).__name__
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar "
                    f"tensor, got tensor with {shape}. Sum it up, or call jacrev "
                    "(Chapter 14)"
                )
            slopes = _pull((y,), own, (ones_like(y),), True)
        slopes, found = _settled(slopes, own), _settled(found, own)
        return (slopes if isinstance(argnums, tuple) else slopes[0]), found

    return derivative


def grad(func, argnums=0, has_aux: bool = False):
    """Return a function that gives the gradient of ``func``, and what it adds."""
    both = grad_and_value(func, argnums, has_aux)

    def derivative(*args, **options):
        slopes, found = both(*args, **options)
        return (slopes, found[1]) if has_aux else slopes

    return derivative


def vjp(func, *primals):
    """Return ``func(*primals)``, and the function that takes v to vᵀJ."""
    with enable_grad():
        own = _fresh(primals, True)
        found = func(*own)
        ys = found if isinstance(found, tuple) else (found,)

    def pull(*vs):
        if len(vs) == 1 and isinstance(vs[0], tuple):
            (vs,) = vs
        with enable_grad():
            slopes = _pull(ys, own, vs, True)
        slopes = _settled(slopes, own)
        return slopes if len(own) > 1 else slopes[:1]

    return _settled(found, own), pull


def jvp(func, primals: tuple, tangents: tuple):
    """Return ``func(*primals)`` and Jv, by two backward passes."""
    with enable_grad():
        own = _fresh(primals, True)
        found = func(*own)
        ys = found if isinstance(found, tuple) else (found,)
        us = _fresh(tuple(zeros_like(y) for y in ys), False)
        slopes = _pull(_pull(ys, own, us, True), us, tangents, True)
    slopes = _settled(slopes, own + us)
    return _settled(found, own), (slopes if isinstance(found, tuple) else slopes[0])


def jacrev(func, argnums: int = 0):
    """Return a function that gives the Jacobian of ``func``, all rows in one pass."""

    def derivative(*args):
        with enable_grad():
            args, own = _places(argnums, args)
            (found,) = _at_once(func(*args), own, True)
        return _settled(found, own)

    return derivative


def jacfwd(func, argnums: int = 0):
    """Return a function that gives the Jacobian of ``func``, all columns at once."""

    def derivative(*args):
        def column(e):
            return jvp(alone, (x,), (e,))[1]

        def alone(x):
            return func(*args[:argnums], x, *args[argnums + 1 :])

        x = args[argnums]
        e = eye(x.numel(), dtype=x.dtype).reshape(x.numel(), *x.shape)
        found = vmap(column, out_dims=-1)(e)
        return found.reshape(*found.shape[:-1], *x.shape)

    return derivative


def hessian(func, argnums: int = 0):
    """Return a function that gives the Hessian: columns of the gradient's Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)
