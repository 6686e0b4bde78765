# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""The loader: examples, in an order, put together into batches."""

from collections.abc import Mapping, Sequence
from itertools import islice
from operator import index

import numpy as np

from minigrad.creation import as_tensor, tensor
from minigrad.dtypes import float64
from minigrad.shapes import stack
from minigrad.tensor import Tensor
from minigrad.utils.data.dataset import IterableDataset, Subset, TensorDataset
from minigrad.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    SequentialSampler,
    draw_seed,
)


def default_convert(data):
    """An example that is no batch: its arrays become tensors, the rest stays."""
    if isinstance(data, (np.ndarray, np.generic)):
        return as_tensor(data)
    if isinstance(data, Mapping):
        return {k: default_convert(v) for k, v in data.items()}
    if isinstance(data, (list, tuple)):
        parts = [default_convert(v) for v in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    return data


def default_collate(batch):
    """Put examples together: a list of them becomes one, with a new first axis."""
    first = batch[0]
    if isinstance(first, (Tensor, np.ndarray)):
        return stack([as_tensor(x) for x in batch])
    if isinstance(first, float):
        return tensor(batch, dtype=float64)
    if isinstance(first, (int, np.generic)):
        return tensor(batch) if isinstance(first, int) else as_tensor(np.array(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return {k: default_collate([x[k] for x in batch]) for k in first}
    if not isinstance(first, Sequence):
        raise TypeError(
            "default_collate: batch must contain tensors, numpy arrays, numbers, dicts "
            f"or lists; found {type(first)}: give a collate_fn of your own (Chapter 18)"
        )
    if any(len(x) != len(first) for x in batch):
        raise RuntimeError(
            "each element in list of batch should be of equal size: pad the lists, or "
            "give a collate_fn of your own (Chapter 18)"
        )
    parts = [default_collate(part) for part in zip(*batch, strict=True)]
    return type(first)(*parts) if hasattr(first, "_fields") else parts


class DataLoader:
    """Batches of a data set, one epoch for each time it is gone through."""

    def __init__(
        self,
        dataset,
        batch_size: int | None = 1,
        shuffle: bool | None = None,
        sampler=None,
        batch_sampler=None,
        num_workers: int = 0,
        collate_fn=None,
        pin_memory: bool = False,
        drop_last: bool = False,
        timeout: float = 0,
        worker_init_fn=None,
        multiprocessing_context=None,
        generator=None,
    ):
        chosen = shuffle or sampler is not None
        _check_order(num_workers, shuffle and sampler is not None)
        _check_batches(batch_sampler, batch_size, drop_last, chosen)
        self.dataset, self.generator, self.num_workers = dataset, generator, 0
        self.pin_memory, self.drop_last = pin_memory, drop_last
        order = _order(dataset, shuffle, generator)
        self.sampler = order if sampler is None else sampler
        self._arrange(batch_size, batch_sampler, collate_fn)


def _check_order(num_workers: int, both: bool) -> None:
    """Refuse other processes, and two orders at once."""
    if num_workers < 0:
        raise ValueError(
            "num_workers option should be non-negative; use num_workers=0 to disable "
            "multiprocessing (Chapter 18)."
        )
    if num_workers:
        raise NotImplementedError(
            f"num_workers={num_workers}: examples are loaded in the process that "
            "trains. Leave it 0 (Chapter 18)"
        )
    if both:
        raise ValueError(
            "sampler option is mutually exclusive with shuffle: a sampler is an order "
            "(Chapter 18)"
        )


def _check_batches(batch_sampler, batch_size, drop_last: bool, ordered: bool) -> None:
    """Refuse two ways to make batches, and the end of a batch where there are none."""
    if batch_sampler is not None and (batch_size != 1 or ordered or drop_last):
        raise ValueError(
            "batch_sampler option is mutually exclusive with batch_size, shuffle, "
            "sampler, and drop_last: it says all of that itself (Chapter 18)"
        )
    if batch_size is None and drop_last:
        raise ValueError(
            "batch_size=None option disables auto-batching and is mutually exclusive "
            "with drop_last: no batch can be incomplete (Chapter 18)"
        )


def _order(dataset, shuffle: bool, generator):
    """The order of a loader that was given none."""
    if isinstance(dataset, IterableDataset) and shuffle:
        raise ValueError(
            "DataLoader with IterableDataset: expected unspecified shuffle option, but "
            "got shuffle=True: the data set has its own order (Chapter 18)"
        )
    if shuffle:
        return RandomSampler(dataset, generator=generator)
    return SequentialSampler(dataset)


def _arrange(self, batch_size, batch_sampler, collate_fn) -> None:
    """Make batches of the numbers of examples, unless somebody else does, or nobody."""
    self.batch_size = None if batch_sampler is not None else batch_size
    if self.batch_size is not None:
        batch_sampler = BatchSampler(self.sampler, batch_size, self.drop_last)
    self.batch_sampler = batch_sampler
    plain = default_convert if batch_sampler is None else default_collate
    self.collate_fn = collate_fn or plain


def _rows(dataset, numbers: list):
    """A batch of a `TensorDataset`, or of a part of one; None for other data sets."""
    if type(dataset) is Subset:
        return _rows(dataset.dataset, [index(dataset.indices[i]) for i in numbers])
    if type(dataset) is TensorDataset and numbers:
        return [t[numbers] for t in dataset.tensors]
    return None


def _stream(examples, loader):
    """Yield the batches of an `IterableDataset`, as its examples come."""
    count = loader.batch_size
    if count is None:
        yield from map(loader.collate_fn, examples)
    while batch := [*islice(examples, count)]:
        if len(batch) == count or not loader.drop_last:
            yield loader.collate_fn(batch)


def _epoch(self):
    """Go through the data set once: an iterator over its batches."""
    draw_seed(self.generator)  # PyTorch draws one for its workers, even without any
    return self._batches()


def _batches(self):
    """Yield the batches of an epoch, or single examples if there are no batches."""
    if isinstance(self.dataset, IterableDataset):
        yield from _stream(iter(self.dataset), self)
        return
    if self.batch_sampler is None:
        yield from (self.collate_fn(self.dataset[i]) for i in self.sampler)
        return
    several = getattr(self.dataset, "__getitems__", None)
    usual = self.batch_size is not None and self.collate_fn is default_collate
    usual = usual and type(self.sampler) in (SequentialSampler, RandomSampler)
    for numbers in self.batch_sampler:
        batch = _rows(self.dataset, numbers) if usual else None
        if batch is None:
            one_by_one = several or (lambda these: [self.dataset[i] for i in these])
            batch = self.collate_fn(one_by_one(numbers))
        yield batch


def _length(self) -> int:
    """The number of batches in an epoch."""
    return len(self.sampler if self.batch_sampler is None else self.batch_sampler)


DataLoader._arrange, DataLoader._batches = _arrange, _batches
DataLoader.__iter__, DataLoader.__len__ = _epoch, _length
