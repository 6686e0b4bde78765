# Generated from chapter 21 (book/ch21-attention.ipynb): edit the chapter, not this.
"""An order in which some examples come more often than others."""

from minigrad.creation import as_tensor
from minigrad.dtypes import float64
from minigrad.sampling import multinomial
from minigrad.utils.data.sampler import Sampler


class WeightedRandomSampler(Sampler):
    """Examples drawn in proportion to weights: ``num_samples`` of them."""

    def __init__(self, weights, num_samples: int, replacement=True, generator=None):
        if type(num_samples) is not int or num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, but got num_samples="
                f"{num_samples}: len(weights) is one epoch (Chapter 21)"
            )
        self.weights = as_tensor(weights, dtype=float64)
        if self.weights.ndim != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}: one for each example (Chapter 21)"
            )
        self.num_samples, self.replacement = num_samples, replacement
        self.generator = generator

    def __iter__(self):
        how = {"generator": self.generator}
        yield from multinomial(
            self.weights, self.num_samples, self.replacement, **how
        ).tolist()

    def __len__(self) -> int:
        return self.num_samples
