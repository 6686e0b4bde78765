# Generated from chapter 19 (book/ch19-digits.ipynb): edit the chapter, not this.
"""NVIDIA's devices, which NumPy does not use: what programs ask or tell all of them."""

from minigrad.accelerator import device_count, is_available  # noqa: F401


def manual_seed_all(seed: int) -> None:
    """Seed the generators of all these devices: there are none."""


def empty_cache() -> None:
    """Give back the memory that is kept for them: none is."""


manual_seed = manual_seed_all
