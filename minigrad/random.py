# Generated from chapter 4 (book/ch04-tensors.ipynb): edit the chapter, not this.
"""Random numbers, drawn exactly as PyTorch's CPU generator draws them.

Both libraries drive the same Mersenne Twister, so ``manual_seed(0); randn(3)`` gives
the numbers that PyTorch gives, in float32 and float64. Only the last digits of
``randn`` may differ: logarithm and cosine come from different libraries.
"""

import os

import numpy as np


class _Words:
    """A stream of random words of 32 bits, which is all that the twister makes."""

    def __init__(self):
        self.manual_seed(67280421310721)  # PyTorch's choice

    def manual_seed(self, seed: int):
        """Start anew from ``seed``, of 64 bits (of which 32 are used); return self."""
        seed = int(seed)
        if not -(2**63) <= seed < 2**64:
            raise ValueError(
                f"Overflow when unpacking long long: seed {seed}; use seed % 2**64 "
                "(Chapter 4)"
            )
        self._initial, self._spare, self._twister = seed % 2**64, None, None
        return self

    def initial_seed(self) -> int:
        """The seed that the stream was started from."""
        return self._initial

    def words(self, count: int) -> np.ndarray:
        """The next ``count`` words, as uint64."""
        if self._twister is None:  # not before: loading numpy.random takes its time
            self._twister = np.random.RandomState(self._initial % 2**32)
        drawn = self._twister.randint(0, 2**32, count, dtype=np.uint32)
        return drawn.astype(np.uint64)


_WIDE = 2**28  # integers from a range of this size or more take two words each


class _Numbers(_Words):
    """Uniform numbers, whole or not, made of the words."""

    def pairs(self, count: int) -> np.ndarray:
        """The next ``count`` pairs of words, each as one uint64."""
        high, low = self.words(2 * count).reshape(count, 2).T
        return (high << np.uint64(32)) | low

    def integers(self, count: int, low: int, high: int) -> np.ndarray:
        """Integers from ``low`` up to, but not including, ``high``, as int64."""
        span = high - low
        drawn = self.words(count) if span < _WIDE else self.pairs(count)
        return (drawn % np.uint64(span)).astype(np.int64) + low

    def uniform(self, count: int, dtype: np.dtype) -> np.ndarray:
        """Numbers from [0, 1): multiples of 2**-53 for float64, otherwise of 2**-24."""
        if dtype == np.float64:
            return (self.pairs(count) & np.uint64(2**53 - 1)) * 2.0**-53
        bits = self.words(count) & np.uint64(2**24 - 1)
        drawn = (bits * 2.0**-24).astype(dtype)
        drawn[drawn == 1] = 0  # float16 rounds a few of them up; 1 is out of range
        return drawn


_BLOCK = 16  # from this many normals on, PyTorch makes them in blocks


def _box_muller(u: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Turn pairs of uniform numbers into pairs of normal ones."""
    radius, angle = np.sqrt(-2 * np.log1p(-u)), u.dtype.type(2 * np.pi) * v
    return radius * np.cos(angle), radius * np.sin(angle)


def _normal_blocks(uniform: np.ndarray) -> np.ndarray:
    """Turn blocks of 16 uniform numbers into normal ones: eight radii, eight angles."""
    u, v = uniform.reshape(-1, 2, _BLOCK // 2).swapaxes(0, 1)
    return np.stack(_box_muller(u, v), 1).reshape(-1)


class Generator(_Numbers):
    """A stream of random numbers, and the spare normal that drawing in pairs leaves."""

    def normal(self, count: int, dtype: np.dtype) -> np.ndarray:
        """Normal numbers with mean 0 and variance 1."""
        if count < _BLOCK:
            return np.array([self._one_normal() for _ in range(count)], dtype)
        fine = np.promote_types(dtype, np.float32)
        whole = count - count % _BLOCK
        drawn = count if dtype == fine else whole  # float16 is drawn block by block
        values = np.empty(count, fine)
        values[:whole] = _normal_blocks(self.uniform(drawn, fine)[:whole])
        if whole < count:  # the last 16 are drawn again
            values[-_BLOCK:] = _normal_blocks(self.uniform(_BLOCK, fine))
        return values.astype(dtype, copy=False)

    def _one_normal(self) -> float:
        """One of a pair; the other is kept for the next call."""
        if self._spare is not None:
            value, self._spare = self._spare, None
            return value
        v, u = self.uniform(2, np.dtype("float64"))
        value, self._spare = _box_muller(u, v)
        return value


default_generator = Generator()


def manual_seed(seed: int) -> Generator:
    """Seed the generator behind ``rand``, ``randn``, ``randint`` and ``randperm``."""
    return default_generator.manual_seed(seed)


def initial_seed() -> int:
    """The seed that the default generator was started from."""
    return default_generator.initial_seed()


def seed() -> int:
    """Start the default generator from a seed that nobody can foresee; return it."""
    manual_seed(int.from_bytes(os.urandom(8)))
    return initial_seed()


seed()

__all__ = ["Generator", "default_generator", "initial_seed", "manual_seed", "seed"]
