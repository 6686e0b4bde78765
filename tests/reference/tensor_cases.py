"""What is asked of PyTorch and of minigrad about tensors, and how the answer is noted.

Both `record_tensor.py`, which asks PyTorch, and the tests, which ask minigrad, take the
questions from here: the lines of tensor.txt, families of tensors to be printed, streams
of random numbers, and pairs of dtypes.
"""

import copy
import itertools
import pickle
import warnings
from pathlib import Path

import numpy as np

FLOATS = ("float32", "float64", "float16")
KINDS = ("bool", "uint8", "int8", "int16", "int32", "int64", *FLOATS)
SHAPES = [(), (1,), (7,), (3, 4), (2, 1, 3), (0, 3), (1001,), (2, 600), (9, 2, 80)]
RANGES = ("unit", "whole", "large", "huge", "wide", "tiny", "special", "zeros")


def lines() -> list[str]:
    """The lines of tensor.txt: statements, then an expression, separated by "; "."""
    text = Path(__file__).with_name("tensor.txt").read_text(encoding="utf-8")
    return [line for line in text.splitlines() if line and not line.startswith("#")]


def evaluate(code: str, torch) -> dict:
    """Run a line with ``torch``, and note the value of its last part, or the error."""
    names = {"torch": torch, "T": torch.tensor, "np": np, "copy": copy}
    names |= {"pickle": pickle, "inf": float("inf"), "nan": float("nan")}
    *statements, last = code.split("; ")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for statement in statements:
                exec(statement, names)
            try:
                compiled = compile(last, "<row>", "eval")
            except SyntaxError:
                exec(last, names)
                return {"value": "None"}
            value = eval(compiled, names)
        except Exception as error:
            return {"error": type(error).__name__, "message": str(error).split("\n")[0]}
    return note(value, torch)


def note(value, torch) -> dict:
    """What is compared of a value."""
    if not isinstance(value, torch.Tensor):
        return {"value": repr(value)}
    return {
        "repr": repr(value),
        "dtype": str(value.dtype),
        "shape": list(value.shape),
        "requires_grad": value.requires_grad,
        "is_leaf": value.is_leaf,
    }


def sample(seed: int, shape: tuple, kind: str, dtype: str) -> np.ndarray:
    """Numbers of a certain range, the same on every machine."""
    stream = np.random.RandomState(seed)
    n = int(np.prod(shape))
    whole = stream.randint(-9999, 9999, n).astype(np.float64)
    values = {
        "unit": whole / 4096,
        "whole": np.round(whole / 64),
        "large": whole * 1e3,
        "huge": whole * 1e6,
        "wide": whole * 2.0 ** stream.randint(-30, 10, n),
        "tiny": whole / 2**30,
        "special": np.choose(stream.randint(0, 4, n), [np.nan, np.inf, whole, whole]),
        "zeros": whole * stream.randint(0, 2, n) / 1024,
    }[kind]
    with np.errstate(over="ignore", invalid="ignore"):
        return values.astype(np.int64).astype(dtype) if dtype not in FLOATS else (
            values.astype(dtype)
        )  # fmt: skip


def prints() -> list[tuple]:
    """(seed, shape, range, dtype, requires_grad) of each tensor that is printed."""
    chosen = list(itertools.product(SHAPES, RANGES, FLOATS))
    rows = [(k, *case, k % 3 == 0) for k, case in enumerate(chosen)]
    whole = itertools.product(SHAPES, ("unit", "large"), KINDS[:6])
    return rows + [(k, *case, False) for k, case in enumerate(whole)]


def printed(row: tuple, torch) -> str:
    """How a tensor of `prints` prints."""
    *how, requires_grad = row
    made = torch.from_numpy(np.array(sample(*how)))
    return repr(made.requires_grad_() if requires_grad else made)


SEEDS, COUNTS = (0, 42, -1), (1, 15, 16, 17, 100)


def streams() -> list[list]:
    """[seed, function, dtype, count] of each draw after a fresh seed."""
    rows = itertools.product(SEEDS, ("rand", "randn"), FLOATS[:2], COUNTS)
    return [list(row) for row in rows]


def drawn(row: list, torch) -> list[float]:
    """The numbers of one row of `streams`."""
    seed, function, dtype, count = row
    torch.manual_seed(seed)
    return getattr(torch, function)(count, dtype=getattr(torch, dtype)).tolist()


MIXED = [
    "randn(1)", "rand(2)", "randn(2)", "randn(16)", "randn(1)", "randint(10,(3,))",
    "randn(17)", "randperm(5)", "rand(3,dtype=torch.float64)", "randn(3)",
    "randn(20,dtype=torch.float64)", "randint(2**27,(2,))", "randint(2**28-1,(2,))",
    "randint(2**28,(2,))", "randint(2**40,(2,))", "rand(1)", "randint(-5,5,(4,))",
    "randperm(33)", "randn(2,2)", "rand_like(torch.zeros(2))", "randn(100)",
    "randint(-2**63,2**63-1,(2,))", "randn_like(torch.zeros(3))", "rand(1)",
]  # fmt: skip


def mixed(torch) -> list[list]:
    """The results of many calls on one stream, the spare normal going along."""
    torch.manual_seed(7)
    return [eval(f"torch.{call}", {"torch": torch}).tolist() for call in MIXED]
