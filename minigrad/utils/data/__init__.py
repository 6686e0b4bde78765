# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Data sets, and how they are handed out in batches."""

from minigrad.utils.data.dataloader import DataLoader, default_collate, default_convert
from minigrad.utils.data.dataset import (
    ConcatDataset,
    Dataset,
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
