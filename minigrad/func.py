# Generated from chapters 14 and 17: edit the chapters, not this file.
"""Functions that take a function and return its derivative, as in torch.func."""

from minigrad.autograd.functional import _block, _fresh, _pull
from minigrad.autograd.grad_mode import enable_grad
from minigrad.creation import eye, ones_like, zeros_like
from minigrad.shapes import stack
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
        us = tuple(zeros_like(y).requires_grad_() for y in ys)
        slopes = _pull(_pull(ys, own, us, True), us, tangents, True)
    slopes = _settled(slopes, own + us)
    return _settled(found, own), (slopes if isinstance(found, tuple) else slopes[0])


def jacrev(func, argnums: int = 0):
    """Return a function that gives the Jacobian of ``func``, row by row."""

    def derivative(*args):
        with enable_grad():
            args, own = _places(argnums, args)
            (found,) = _block(func(*args), own, True, False, 0)
        return _settled(found, own)

    return derivative


def jacfwd(func, argnums: int = 0):
    """Return a function that gives the Jacobian of ``func``, column by column."""

    def derivative(*args):
        def alone(x):
            return func(*args[:argnums], x, *args[argnums + 1 :])

        x, columns = args[argnums], []
        for e in eye(x.numel(), dtype=x.dtype):
            columns.append(jvp(alone, (x,), (e.reshape(x.shape),))[1])
        return stack(columns, -1).reshape(*columns[0].shape, *x.shape)

    return derivative


def hessian(func, argnums: int = 0):
    """Return a function that gives the Hessian: columns of the gradient's Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)


def functional_call(module, given, args=None, kwargs=None, *, tie_weights: bool = True):
    """Call a module with given tensors for its parameters and buffers, by path."""
    if not isinstance(given, dict):
        given = {path: x for part in given for path, x in part.items()}
    walks = module.named_parameters, module.named_buffers
    own = {p: x for walk in walks for p, x in walk(remove_duplicate=False)}
    same = {id(own[p]): x for p, x in given.items() if p in own} if tie_weights else {}
    args = args if isinstance(args, tuple) else () if args is None else (args,)
    undo = []
    try:
        for path, x in own.items():
            *parents, name = path.split(".")
            holder = module.get_submodule(".".join(parents))
            place = (holder._parameters, holder._buffers)[name in holder._buffers]
            undo.append((place, name, x))
            place[name] = given.get(path, same.get(id(x), x))
        return module(*args, **(kwargs or {}))
    finally:
        for place, name, x in undo:
            place[name] = x
