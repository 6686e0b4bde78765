# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""Errors: PyTorch's words, for a search to find; the culprit; and what to do."""

INSTEAD = {  # of a value of the wrong type
    "Tensor": "torch.tensor(data) makes one of numbers",
    "bool": "write True or False",
    "Number": "write one number, such as 2.0",
    "int": "write one whole number, such as 1",
    "tuple of ints": "write whole numbers, such as (2, 3)",
    "torch.dtype": "write torch.float64 or the like",
}


def wrong_type(argument: str, kind: str, value) -> TypeError:
    """The error for an argument that has to be of a kind, and is something else."""
    found = type(value).__name__
    return TypeError(
        f"{argument} must be {kind}, not {found}: {INSTEAD[kind]} (Chapter 4)"
    )


def no_match(name: str, *given, instead: str) -> TypeError:
    """The error for arguments that fit no signature of a function."""
    found = ", ".join(type(value).__name__ for value in given)
    return TypeError(
        f"{name}() received an invalid combination of arguments - got ({found}); "
        f"{instead}"
    )
