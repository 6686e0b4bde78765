# Generated from chapter 13 (book/ch13-gradcheck.ipynb): edit the chapter, not this.
"""What a check cannot settle: kinks, and functions that throw dice.

A difference of values says nothing about a slope where there are two of them, or where
the same inputs give other values the next time. PyTorch says nothing about that either;
these warnings are an addition.
"""

import warnings

import numpy as np


def is_steady(here: list, watched: list, again: tuple) -> bool:
    """Whether a second call returned what the first did; warn if it did not."""
    for i, (k, y) in enumerate(zip(watched, here, strict=True)):
        if not np.array_equal(y, again[k]._array, equal_nan=True):
            warnings.warn(CHANCE.format(i), UserWarning, stacklevel=4)
            return False
    return True


CHANCE = (
    "Output {} differs between two calls with the same inputs, so no difference can be "
    "taken. Draw random numbers outside the function, and pass them in (Chapter 13)"
)


def warn_of_kinks(which: str, subject, behind, ahead, step, move) -> None:
    """Warn where an output has two slopes, one to the left and one to the right.

    ``behind`` and ``ahead`` are the outputs a step to both sides, and ``move`` computes
    them for another step. With the step the gap between the two slopes of a smooth
    function shrinks to an eighth; at a kink it does not.
    """
    for i, y in enumerate(subject.here):
        left, right = _sides(y, behind[i], ahead[i], subject.eps)
        gap, steepest = np.abs(right - left), np.maximum(np.abs(left), np.abs(right))
        noise = 64 * np.finfo(y.dtype).eps * np.abs(y) / subject.eps
        wide = gap > 2 * (subject.atol + subject.rtol * steepest) + noise
        if wide.any() and y.dtype == np.float64:
            near = move(-step / 8)[i], move(step / 8)[i]
            less = np.abs(np.subtract(*_sides(y, *near, subject.eps / 8)))
            kinks = wide & (np.abs(less - gap / 8) > gap / 16)
            for place in map(tuple, np.argwhere(kinks)[:1].tolist()):
                said = KINK.format(which, i, place, left[place], right[place])
                warnings.warn(said, UserWarning, stacklevel=7)


def _sides(y, behind, ahead, eps: float) -> tuple:
    """The slopes to the left and to the right."""
    return (y - behind) / eps, (ahead - y) / eps


KINK = (
    "{}is at a kink: the slope of output {} at {} is {:.4g} to the left and {:.4g} to "
    "the right. A central difference is their mean, a rule may choose otherwise, and "
    "neither is wrong: check at another point (Chapter 13)"
)
