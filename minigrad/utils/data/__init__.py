# Generated from chapters 18 and 21: edit the chapters, not this file.
"""Data sets, and how they are handed out in batches."""

from minigrad.utils.data.dataloader import DataLoader, default_collate, default_convert
from minigrad.utils.data.dataset import (
    ConcatDataset,
    Dataset,
    IterableDataset,
    Subset,
    TensorDataset,
    random_split,
)
from minigrad.utils.data.sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
)


from minigrad.utils.data.weighted import WeightedRandomSampler
