# Generated from chapter 19 (book/ch19-digits.ipynb): edit the chapter, not this.
"""Devices beside the processor: NumPy uses none, and programs may ask."""


def is_available() -> bool:
    """Whether there is such a device: no."""
    return False


def device_count() -> int:
    """How many there are."""
    return 0


def current_accelerator(check_available: bool = False) -> None:
    """The one in use: none."""
