# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Data sets: what has a length, and gives an example for a number."""

import math
import warnings
from bisect import bisect_right
from itertools import accumulate

from minigrad.creation import randperm
from minigrad.random import default_generator
from minigrad.tensor import Tensor


class Dataset:
    """A data set of one's own gives ``__getitem__`` and ``__len__``."""

    def __getitem__(self, index):
        raise NotImplementedError(
            "Subclasses of Dataset should implement __getitem__: it takes a number and "
            "returns an example (Chapter 18)"
        )

    def __add__(self, other):
        return ConcatDataset([self, other])

    def __class_getitem__(cls, kind):
        return cls  # Dataset[int], for readers


class IterableDataset(Dataset):
    """Examples that come one after the other: it gives ``__iter__``, not numbers."""


class TensorDataset(Dataset):
    """Example i is row i of each of some tensors."""

    def __init__(self, *tensors: Tensor):
        if any(len(t) != len(tensors[0]) for t in tensors):
            raise AssertionError(
                f"Size mismatch between tensors: {[len(t) for t in tensors]} rows; "
                "each example needs a row of every tensor (Chapter 18)"
            )
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(t[index] for t in self.tensors)

    def __len__(self) -> int:
        return len(self.tensors[0])


class Subset(Dataset):
    """Some examples of a data set, by their numbers."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, index):
        if isinstance(index, list):
            return self.dataset[[self.indices[i] for i in index]]
        return self.dataset[self.indices[index]]

    def __len__(self) -> int:
        return len(self.indices)


class ConcatDataset(Dataset):
    """Data sets one after the other."""

    def __init__(self, datasets):
        self.datasets = list(datasets)
        self.cumulative_sizes = [*accumulate(map(len, self.datasets))]

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, index):
        if not -len(self) <= index < len(self):
            raise IndexError(
                f"index {index} is out of range for a data set of {len(self)} examples "
                "(Chapter 18)"
            )
        index %= len(self)
        k = bisect_right(self.cumulative_sizes, index)
        before = self.cumulative_sizes[k] - len(self.datasets[k])
        return self.datasets[k][index - before]


def random_split(dataset, lengths, generator=default_generator) -> list[Subset]:
    """Cut a data set at random into parts that do not overlap.

    ``lengths`` are numbers of examples, or fractions that add up to 1; what rounding
    leaves over goes to the first parts.
    """
    count, total = len(dataset), sum(lengths)
    if math.isclose(total, 1) and total <= 1:
        for i, part in enumerate(lengths):
            if not 0 <= part <= 1:
                raise ValueError(
                    f"Fraction at index {i} is not between 0 and 1: {part} (Chapter 18)"
                )
        lengths = [math.floor(count * part) for part in lengths]
        for i in range(count - sum(lengths)):
            lengths[i % len(lengths)] += 1
        for i in (i for i, length in enumerate(lengths) if length == 0):
            warnings.warn(_EMPTY.format(i), UserWarning, stacklevel=2)
    if sum(lengths) != count:
        raise ValueError(
            "Sum of input lengths does not equal the length of the input dataset! They "
            f"add up to {sum(lengths)}, and it has {count} examples (Chapter 18)"
        )
    order, ends = randperm(count, generator=generator).tolist(), accumulate(lengths)
    parts = zip(ends, lengths, strict=True)
    return [Subset(dataset, order[end - n : end]) for end, n in parts]


_EMPTY = "Length of split at index {} is 0. This might result in an empty dataset."
