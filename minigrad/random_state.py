# Generated from chapter 16 (book/ch16-custom.ipynb): edit the chapter, not this.
"""Where the stream of random numbers stands, as a tensor that can be put back."""

import numpy as np

from minigrad.random import Generator, default_generator
from minigrad.tensor import Tensor, wrap


def _get_state(self) -> Tensor:
    """All that decides what is drawn next, as bytes."""
    self.words(0)  # loads the twister if that has not happened
    _, key, place, *_ = self._twister.get_state()
    spare = np.nan if self._spare is None else self._spare
    parts = [np.array([self._initial], np.uint64), key.astype(np.uint32)]
    parts += [np.array([place], np.uint64), np.array([spare], np.float64)]
    return wrap(np.concatenate([part.view(np.uint8) for part in parts]))


def _set_state(self, new_state: Tensor) -> Generator:
    """Go on where the generator stood when the state was taken; return it."""
    raw = np.array(new_state._array)
    self._initial = int(raw[:8].view(np.uint64)[0])
    key, place = raw[8:2504].view(np.uint32), int(raw[2504:2512].view(np.uint64)[0])
    spare = float(raw[2512:].copy().view(np.float64)[0])
    self._spare = None if np.isnan(spare) else spare
    self._twister = np.random.RandomState()
    self._twister.set_state(("MT19937", key, place))
    return self


Generator.get_state, Generator.set_state = _get_state, _set_state


def get_rng_state() -> Tensor:
    """Where the default generator stands."""
    return default_generator.get_state()


def set_rng_state(new_state: Tensor) -> None:
    """Put the default generator where it stood."""
    default_generator.set_state(new_state)
