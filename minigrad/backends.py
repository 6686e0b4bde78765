# Generated from chapter 19 (book/ch19-digits.ipynb): edit the chapter, not this.
"""Libraries that PyTorch may compute with, and minigrad does not: programs ask."""

from types import SimpleNamespace

from minigrad.accelerator import is_available

mps = SimpleNamespace(is_available=is_available, is_built=is_available)
cudnn = SimpleNamespace(
    is_available=is_available, enabled=True, deterministic=False, benchmark=False
)
