# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""Devices: where numbers are. NumPy's are in the memory of the processor, always."""

from minigrad.tensor import extend


class device:  # noqa: N801 (PyTorch's own spelling)
    """A place for numbers: ``device("cpu")`` is the only one."""

    type, index = "cpu", None

    def __init__(self, device="cpu"):
        """Take the name of a device, or a device; RuntimeError if it is another one."""
        if str(device) != "cpu":
            raise RuntimeError(
                "Expected one of cpu device type at start of device string: "
                f"{device}; NumPy computes on the processor, so write cpu (Chapter 4)"
            )

    def __eq__(self, other) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(self.type)

    def __str__(self) -> str:
        return self.type

    def __repr__(self) -> str:
        return f"device(type={self.type!r})"


extend(device=device(), cpu=lambda self: self)
