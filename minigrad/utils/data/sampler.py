# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Samplers: the order in which examples are asked for."""

from itertools import islice

from minigrad.creation import randint, randperm
from minigrad.random import Generator, default_generator


def draw_seed(generator: Generator | None = None) -> int:
    """Draw a number of 63 bits."""
    stream = generator or default_generator
    return int(stream.integers(1, 0, 2**63)[0])


class Sampler:
    """An order of one's own gives ``__iter__``, and ``__len__`` if it has a length."""

    def __iter__(self):
        raise NotImplementedError(
            f"{type(self).__name__} has no order: write __iter__, which yields numbers "
            "of examples (Chapter 18)"
        )


class SequentialSampler(Sampler):
    """From the first to the last."""

    def __init__(self, data_source):
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler):
    """In random order; with ``replacement``, each is drawn from all."""

    def __init__(
        self, data_source, replacement=False, num_samples=None, generator=None
    ):
        self.data_source, self.replacement = data_source, replacement
        self.num_samples = len(data_source) if num_samples is None else num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                "replacement should be a boolean value, but got replacement="
                f"{replacement}: write True or False (Chapter 18)"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, but got num_samples="
                f"{self.num_samples}: there must be something to draw (Chapter 18)"
            )

    def __iter__(self):
        stream, n = self.generator, len(self.data_source)
        stream = stream or Generator().manual_seed(draw_seed())
        for start in range(0, self.num_samples + 1, 32 if self.replacement else n):
            left = self.num_samples - start
            if self.replacement:
                yield from randint(0, n, (min(left, 32),), generator=stream).tolist()
            else:  # one more in the end, as PyTorch draws it, even if none is left
                yield from randperm(n, generator=stream).tolist()[:left]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler):
    """Some examples, in random order."""

    def __init__(self, indices, generator=None):
        self.indices, self.generator = indices, generator

    def __iter__(self):
        order = randperm(len(self), generator=self.generator or default_generator)
        return (self.indices[i] for i in order.tolist())

    def __len__(self) -> int:
        return len(self.indices)


class BatchSampler(Sampler):
    """What another sampler yields, in lists of ``batch_size``."""

    def __init__(self, sampler, batch_size: int, drop_last: bool):
        if type(batch_size) is not int or batch_size <= 0:
            raise ValueError(
                "batch_size should be a positive integer value, but got batch_size="
                f"{batch_size}: len(dataset) gives one batch (Chapter 18)"
            )
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self):
        numbers = iter(self.sampler)
        while batch := [*islice(numbers, self.batch_size)]:
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        spare = 0 if self.drop_last else self.batch_size - 1
        return (len(self.sampler) + spare) // self.batch_size
