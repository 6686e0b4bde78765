# Generated from chapters 14 and 17: edit the chapters, not this file.
"""Functions that take a function and return its derivative, as in torch.func."""

from contextlib import contextmanager
from functools import partial, wraps

from minigrad.autograd.engine import track
from minigrad.autograd.functional import _at_once, _pull, _units
from minigrad.autograd.grad_mode import enable_grad
from minigrad.autograd.watch import reachable
from minigrad.batching import having, open_levels, vmap
from minigrad.creation import ones_like, zeros_like
from minigrad.tensor import AccumulateGrad, Tensor, extend, mode


def _cut(value, own: tuple):
    """The value; without a history that leads to ours alone, or is not recorded."""
    if not isinstance(value, Tensor) or not value.requires_grad:
        return value
    ends = reachable([value._node] if mode.recording else [])
    ends -= {x._node for x in own if x.is_leaf}
    theirs = any(type(node) is AccumulateGrad for node in ends)
    return value if theirs else value.detach()


def _leaves(tree) -> list:
    """What hangs in nested tuples, lists and dictionaries."""
    if isinstance(tree, dict):
        tree = tree.values()
    elif not isinstance(tree, (tuple, list)):
        return [tree]
    return [leaf for branch in tree for leaf in _leaves(branch)]


def _hung(tree, leaves):
    """The same tree, with other leaves."""
    leaves = iter(leaves)
    if isinstance(tree, dict):
        return type(tree)((key, _hung(tree[key], leaves)) for key in tree)
    if not isinstance(tree, (tuple, list)):
        return next(leaves)
    branches = [_hung(branch, leaves) for branch in tree]
    fields = hasattr(tree, "_fields")  # of a namedtuple, which wants them one by one
    return type(tree)(*branches) if fields else type(tree)(branches)


def _settled(tree, own: tuple):
    """The tree of values, each without a history that leads to nobody else's tensor."""
    return _hung(tree, [_cut(leaf, own) for leaf in _leaves(tree)])


def _counted(argnums, count: int) -> tuple:
    """The places to differentiate by, counted from the left; each of them once."""
    places = argnums if isinstance(argnums, tuple) else (argnums,)
    if not all(isinstance(i, int) for i in places):
        raise RuntimeError(
            f"argnums must be int or Tuple[int, ...], got: {type(argnums)}, {argnums}: "
            "write 0, or (0, 1) (Chapter 14)"
        )
    for i in places:
        if not -count <= i < count:
            raise RuntimeError(
                f"Got argnum={i}, but only {count} positional inputs: count from 0 "
                "(Chapter 14)"
            )
    places = tuple(i % count for i in places)
    if not places or len({*places}) < len(places):
        raise RuntimeError(
            f"argnums elements must be unique, got {places}, and argnums must be "
            "non-empty: name each argument once (Chapter 14)"
        )
    return places


def _chosen(argnums, args: tuple) -> tuple[tuple, tuple]:
    """The places to differentiate by, and what stands there; all leaves are tensors."""
    places = _counted(argnums, len(args))
    given = tuple(args[i] for i in places)
    for leaf in _leaves(given):
        if not isinstance(leaf, Tensor):
            raise ValueError(
                f"Thing passed to transform API must be Tensor, got {type(leaf)}: "
                "torch.tensor makes one of it (Chapter 14)"
            )
    return places, given


def _placed(args: tuple, places: tuple, trees: tuple) -> list:
    """The arguments, with others at some places."""
    args = list(args)
    for i, tree in zip(places, trees, strict=True):
        args[i] = tree
    return args


def _places(argnums, args: tuple) -> tuple:
    """The arguments with our own tensors at some places; their tree, and the leaves."""
    places, given = _chosen(argnums, args)
    own = tuple(
        x.view_as(x) if x.requires_grad else track(x.detach()) for x in _leaves(given)
    )
    trees = _hung(given, own)
    args = _placed(args, places, trees)
    return args, (trees if isinstance(argnums, tuple) else trees[0]), own


@contextmanager
def transforming():
    """Record, in a block that calls a function which is being transformed."""
    with having(transforming=True), enable_grad():
        yield


def _refusing(name: str, more: str = ""):
    """A method that is refused in such a block, and inside of `vmap`."""
    plain = getattr(Tensor, name)

    @wraps(plain)
    def method(self, *given, **options):
        if open_levels() or mode.transforming:
            raise RuntimeError(
                f"You are attempting to call Tensor.{name}() {more}inside of a "
                "function being transformed by a functorch transform. This is "
                "unsupported, please "
                "attempt to use the functorch transforms (e.g. grad, vjp, jacrev, "
                f"jacfwd, hessian) or call {name}() outside of a function being "
                "transformed instead (Chapter 14)"
            )
        return plain(self, *given, **options)

    return method


MORE = "(or perhaps using torch.autograd.functional.* APIs) "
extend(requires_grad_=_refusing("requires_grad_", MORE))
extend(retain_grad=_refusing("retain_grad"))


def _with_aux(found, has_aux: bool, said: str) -> tuple:
    """What a function returned, and what it returned beside, if it did."""
    if not has_aux:
        return found, ()
    if not isinstance(found, tuple) or len(found) != 2:
        raise RuntimeError(
            f"{said}: output of function f should be a tuple: (output, aux) if has_aux "
            "is True. Return both, or leave has_aux out (Chapter 14)"
        )
    return found


def grad_and_value(func, argnums=0, has_aux: bool = False):
    """Return a function that gives the gradient of ``func``, and its value.

    The gradient has the structure of the argument: for a dictionary of parameters, a
    dictionary. With ``has_aux``, func returns (y, aux), and so does its value.
    """

    def derivative(*args, **options):
        with transforming():
            args, tree, own = _places(argnums, args)
            found = func(*args, **options)
            y, _ = _with_aux(found, has_aux, "grad_and_value(f)(*args)")
            if not isinstance(y, Tensor):
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a Tensor, "
                    f"got {type(y)}: compute it from the arguments (Chapter 14)"
                )
            if y.dim():
                raise RuntimeError(
                    "grad_and_value(f)(*args): Expected f(*args) to return a scalar "
                    f"tensor, got tensor with {y.dim()} dims. Sum it up, or call "
                    "jacrev (Chapter 14)"
                )
            slopes = _hung(tree, _pull((y,), own, (ones_like(y),), True))
        return _settled(slopes, own), _settled(found, own)

    return derivative


def grad(func, argnums=0, has_aux: bool = False):
    """Return a function that gives the gradient of ``func``, and what it adds."""
    both = grad_and_value(func, argnums, has_aux)

    def derivative(*args, **options):
        slopes, found = both(*args, **options)
        return (slopes, found[1]) if has_aux else slopes

    return derivative


def _outputs(y, said: str) -> tuple:
    """The tensors in what a function returned; RuntimeError for anything else."""
    ys = tuple(_leaves(y))
    for leaf in ys:
        if not isinstance(leaf, Tensor):
            raise RuntimeError(
                f"{said}: expected f(*primals) to return only tensors, got unsupported "
                f"type {type(leaf)}. Return it beside, with has_aux=True (Chapter 14)"
            )
    return ys


def vjp(func, *primals, has_aux: bool = False):
    """Return ``func(*primals)``, and the function that takes v to vᵀJ, a tuple."""
    with transforming():
        args, trees, own = _places(tuple(range(len(primals))), primals)
        found = func(*args)
        y, _ = _with_aux(found, has_aux, "vjp(f, *primals)")
        ys = _outputs(y, "vjp(f, *primals)")

    def pull(*vs):
        with enable_grad():
            vs = _vectors(vs, ys)
            slopes = _hung(trees, _pull(ys, own, vs, True))
        return _settled(slopes, own)

    found = _settled(found, own)
    return (found[0], pull, found[1]) if has_aux else (found, pull)


def _vectors(vs: tuple, ys: tuple) -> list:
    """The vectors for some tensors; RuntimeError if their shapes are not the same."""
    vs = _leaves(vs)
    if len(vs) != len(ys):
        raise RuntimeError(
            f"Expected {len(ys)} tensors, one for each, but got {len(vs)} (Chapter 14)"
        )
    for i, (v, y) in enumerate(zip(vs, ys, strict=True)):
        if tuple(v.shape) != tuple(y.shape):
            raise RuntimeError(
                f"Mismatch in shape: grad_output[{i}] has a shape of {v.shape} and "
                f"output[{i}] has a shape of {y.shape}. Reshape it (Chapter 14)"
            )
    return vs


def _linear(func, primals: tuple, said: str, has_aux: bool = False) -> tuple:
    """Return ``func(*primals)``, and the function that takes tangents v to Jv."""
    with enable_grad():
        args, _, own = _places(tuple(range(len(primals))), primals)
        found = func(*args)
        y, _ = _with_aux(found, has_aux, said)
        ys = _outputs(y, said)
        us = tuple(track(zeros_like(y)) for y in ys)
        rows = _pull(ys, own, us, True)

    def push(*tangents):
        with enable_grad():
            vs = _vectors(tangents, own)
            moved = _hung(y, _pull(rows, us, vs, True))
        return _settled(moved, own + us)

    return _settled(found, own), push


def linearize(func, *primals):
    """Return ``func(*primals)``, and the function from tangents to Jv there."""
    return _linear(func, primals, "linearize(f, *primals)")


def jvp(func, primals: tuple, tangents: tuple, *, strict=False, has_aux=False):
    """Return ``func(*primals)`` and Jv, by two backward passes.

    ``strict`` is accepted: what does not depend on the input has a tangent of zeros.
    """
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, tuple):
            raise RuntimeError(
                f"jvp(f, primals, tangents): Expected {name} to be a tuple. E.g. it "
                "should be valid to call f(*primals): write (x,) (Chapter 14)"
            )
    with transforming():
        found, push = _linear(func, primals, "jvp(f, primals, tangents)", has_aux)
    moved = push(*tangents)
    return (found[0], moved, found[1]) if has_aux else (found, moved)


def jacrev(func, argnums=0, *, has_aux: bool = False, chunk_size: int | None = None):
    """Return a function that gives the Jacobian of ``func``, all rows in one pass.

    For each output, in its place, the blocks of all inputs that ``argnums`` names.
    At most ``chunk_size`` rows are computed at a time.
    """
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(
            f"jacrev: `chunk_size` should be greater than 0, and not {chunk_size}: "
            "None computes all rows at once (Chapter 14)"
        )

    def derivative(*args, **options):
        with transforming():
            args, tree, own = _places(argnums, args)
            y, aux = _with_aux(func(*args, **options), has_aux, "vjp(f, *primals)")
            blocks = [
                _at_once(y, own, True, chunk_size)
                for y in _outputs(y, "vjp(f, *primals)")
            ]
            found = _hung(y, [_hung(tree, block) for block in blocks])
        found = _settled(found, own)
        return (found, _settled(aux, own)) if has_aux else found

    return derivative


def jacfwd(func, argnums=0, has_aux: bool = False, *, randomness: str = "error"):
    """Return a function that gives the Jacobian of ``func``, all columns at once."""

    def derivative(*args, **options):
        places, trees = _chosen(argnums, args)
        given = trees if isinstance(argnums, tuple) else trees[0]
        xs, blocks = tuple(_leaves(given)), []

        def alone(*leaves):
            trees_now = _placed(args, places, _hung(trees, leaves))
            return _with_aux(func(*trees_now, **options), has_aux, "jacfwd(f)(*args)")

        def column(k: int, e):
            vs = tuple(e if j == k else zeros_like(x) for j, x in enumerate(xs))
            return jvp(alone, xs, vs, has_aux=True)[1:]

        for k, x in enumerate(xs):
            columns = vmap(partial(column, k), 0, (-1, None), randomness)
            moved, aux = columns(_units(x))
            blocks.append(
                [c.reshape((*c.shape[:-1], *x.shape)) for c in _leaves(moved)]
            )
        found = [_hung(given, row) for row in zip(*blocks, strict=True)]
        found = _hung(moved, found)
        return (found, aux) if has_aux else found

    return derivative


def hessian(func, argnums=0):
    """Return a function that gives the Hessian: columns of the gradient's Jacobian."""
    return jacfwd(jacrev(func, argnums), argnums)


def functional_call(
    module, given, args=None, kwargs=None, *, tie_weights: bool = True, strict=False
):
    """Call a module with given tensors for its parameters and buffers, by path.

    ``strict``: all of them have to be given, and nothing else; RuntimeError if not.
    """
    if not isinstance(given, dict):
        given = {path: x for part in given for path, x in part.items()}
    walks = module.named_parameters, module.named_buffers
    own = {p: x for walk in walks for p, x in walk(remove_duplicate=False)}
    same = {id(own[p]): x for p, x in given.items() if p in own} if tie_weights else {}
    if strict:
        _check_names(module, given, {p for p, x in own.items() if id(x) not in same})
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


from minigrad.shapes import stack  # noqa: E402


def _check_names(module, given: dict, missing: set) -> None:
    """Refuse names that the module has not, and the lack of those that it has."""
    walks = module.named_parameters, module.named_buffers
    own = {path for walk in walks for path, _ in walk(remove_duplicate=False)}
    several = {"Unexpected": given.keys() - own, "Missing": missing - given.keys()}
    said = [
        f"{kind} key(s): {', '.join(map(repr, sorted(names)))}"
        for kind, names in several.items()
        if names
    ]
    if said:
        raise RuntimeError(
            f"Error(s) in reparametrizing for {type(module).__name__}:\n\t"
            + ".\n\t".join(said)
            + ": the names of module.state_dict(), or strict=False (Chapter 17)"
        )


def stack_module_state(models) -> tuple[dict, dict]:
    """Parameters and buffers of models of one kind, by path, each stacked to a leaf."""
    modes = {m.training for m in models}
    for what, right in (
        ("at least one model, got 0", models),
        ("all models to have the same training/eval mode", len(modes) < 2),
        ("all models to be of the same class", len({*map(type, models)}) < 2),
    ):
        if not right:
            raise RuntimeError(
                f"stack_module_state: Expected {what}: stack those that are alike, and "
                "call the others apart (Chapter 17)"
            )
    found = []
    for walk in ("named_parameters", "named_buffers"):
        each = [dict(getattr(m, walk)()) for m in models]
        stacked = {path: [own[path] for own in each] for path in each[0]}
        found.append({
            path: stack([x.detach() for x in xs]).requires_grad_(xs[0].requires_grad)
            for path, xs in stacked.items()
        })  # fmt: skip
    return tuple(found)
