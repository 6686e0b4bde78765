# Generated from chapter 19 (book/ch19-digits.ipynb): edit the chapter, not this.
"""Data sets. One so far: handwritten digits, which scikit-learn carries."""

from minigrad.creation import randperm, tensor
from minigrad.dtypes import float32
from minigrad.random import Generator
from minigrad.utils.data import Dataset


class Digits(Dataset):
    """Handwritten digits of 8 x 8 pixels: 1,437 to train with, 360 to test on.

    ``data`` is float32 (n, 8, 8), from 0 to 1, ``targets`` int64 (n,). An item is
    ``(picture, digit)``; ``transform`` is applied to the picture. The division is drawn
    with the seed 19, for ever. Needs scikit-learn (else ``ImportError``).

    Source: E. Alpaydin, C. Kaynak, Optical Recognition of Handwritten Digits, 1998,
    UCI Machine Learning Repository, doi:10.24432/C50P49, CC BY 4.0; the test part.
    """

    def __init__(self, train: bool = True, transform=None):
        from sklearn.datasets import load_digits

        pictures, digits = load_digits(return_X_y=True)
        order = randperm(1797, generator=Generator().manual_seed(19)).numpy()
        part = order[:1437] if train else order[1437:]
        self.data = tensor(pictures[part] / 16, dtype=float32).reshape(-1, 8, 8)
        self.targets, self.transform = tensor(digits[part]), transform

    def __len__(self) -> int:
        return len(self.data)

    def __getitem__(self, index):
        picture, digit = self.data[index], self.targets[index]
        return picture if self.transform is None else self.transform(picture), digit
