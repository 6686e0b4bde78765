# Generated from chapter 24 (book/ch24-tensorboard.ipynb): edit the chapter, not this.
"""Events and summaries: what TensorBoard is told, as fields of messages."""

import struct
import zlib

import numpy as np

from minigrad.tensor import Tensor
from minigrad.utils.tensorboard.messages import message

VERSION = "brain.Event:2"


def event(walltime: float, step=None, **content) -> bytes:
    """An event: a version, a graph, a summary, or where a session began."""
    numbers = {"version": 3, "graph": 4, "summary": 5, "session": 7}
    fields = {numbers[kind]: value for kind, value in content.items()}
    step = None if step is None else int(step)
    return message({1: float(walltime), 2: step} | fields)


def to_array(x) -> np.ndarray:
    """An array of a tensor, an array or a number."""
    if isinstance(x, Tensor):
        return x.detach().numpy()
    if isinstance(x, np.ndarray) or np.isscalar(x):
        return np.asarray(x)
    raise NotImplementedError(
        f"Got {type(x)}, but numpy array or torch tensor are expected: convert it with "
        "torch.tensor (Chapter 24)"
    )


def scalar(tag: str, value) -> dict:
    """One number, in float32, which is what TensorBoard keeps."""
    x = to_array(value)
    if x.size != 1:
        raise AssertionError(
            "Tensor should contain one element (0 dimensions). Was given size: "
            f"{x.size} and {x.ndim} dimensions. Give x.mean(), or call add_histogram "
            "(Chapter 24)"
        )
    with np.errstate(over="ignore"):
        return {1: tag, 2: np.float32(float(x.reshape(())))}


def text(tag: str, words: str) -> dict:
    """A text in Markdown: a tensor of one string, for the plug-in that shows texts."""
    strings = {1: 7, 2: {2: {1: 1}}, 8: words.encode()}  # dtype, shape (1,), the values
    return {1: f"{tag}/text_summary", 8: strings, 9: {1: {1: "text"}}}


def png(pixels: np.ndarray) -> bytes:
    """A PNG file of bytes (height, width, channels): grey, or colours; and alpha."""
    height, width, channels = pixels.shape
    rows = np.concatenate([np.zeros((height, 1)), pixels.reshape(height, -1)], axis=1)
    colour = (0, 4, 2, 6)[channels - 1]
    parts = {
        b"IHDR": struct.pack(">IIBBBBB", width, height, 8, colour, 0, 0, 0),
        b"IDAT": zlib.compress(rows.astype(np.uint8).tobytes()),
        b"IEND": b"",
    }
    found = b"\x89PNG\r\n\x1a\n"
    for kind, data in parts.items():
        check = struct.pack(">I", zlib.crc32(kind + data))
        found += struct.pack(">I", len(data)) + kind + data + check
    return found


def image(tag: str, tensor, dataformats: str = "CHW") -> dict:
    """A picture; ``dataformats`` names the axes, an order of CHW or of HW."""
    x, axes = to_array(tensor), dataformats.upper()
    if sorted(axes) not in (["C", "H", "W"], ["H", "W"]) or len(axes) != x.ndim:
        raise AssertionError(
            "size of input tensor and input format are different. tensor shape: "
            f"{x.shape}, input_format: {dataformats}. Name its axes, dataformats="
            "'CHW', 'HWC' or 'HW'; add the pictures of a batch one by one (Chapter 24)"
        )
    x = x.transpose([axes.index(a) for a in "HWC" if a in axes])
    x = x[:, :, None] if x.ndim == 2 else x
    if not x.size:
        raise ValueError(
            f"cannot write empty image: its shape is {to_array(tensor).shape}. Leave "
            "it out (Chapter 24)"
        )
    if x.shape[2] > 4:
        raise TypeError(
            f"Cannot handle this data type: a picture with {x.shape[2]} channels. 1, 3 "
            "or 4 can be shown: check dataformats, or choose x[:3] (Chapter 24)"
        )
    x = x.repeat(3, axis=2) if x.shape[2] == 1 else x
    pixels = np.nan_to_num(x * np.float64(1 if x.dtype == np.uint8 else 255))
    pixels = pixels.clip(0, 255).astype(np.uint8)
    height, width, channels = pixels.shape
    return {1: tag, 4: {1: height, 2: width, 3: channels, 4: png(pixels)}}


def _limits() -> np.ndarray:
    """The limits of the bins, each a tenth farther from zero than the last."""
    found = [1e-12]
    while found[-1] * 1.1 < 1e20:
        found.append(found[-1] * 1.1)
    return np.array([-x for x in reversed(found)] + [0.0, *found])


LIMITS = _limits()


def histogram(tag: str, values, bins="tensorflow", max_bins=None) -> dict:
    """How values are spread; ``bins`` as for `numpy.histogram`, or those above."""
    x = to_array(values).astype(np.float64).reshape(-1)
    if not x.size:
        raise ValueError("The input has no element. Leave it out (Chapter 24)")
    counts, limits = np.histogram(x, LIMITS if bins == "tensorflow" else bins)
    if max_bins is not None and len(counts) > max_bins:
        starts = np.arange(0, len(counts), len(counts) // max_bins)
        counts, limits = np.add.reduceat(counts, starts), limits[[*starts, -1]]
    filled = np.flatnonzero(counts)
    if not filled.size:
        raise ValueError(
            "The histogram is empty: no value is finite and below 1e20. Look for nan "
            "and inf before you draw, torch.isfinite(x) (Chapter 24)"
        )
    first, last = filled[[0, -1]]
    counts = np.array([0, *counts[first : last + 1]])
    known = [*map(float, (x.min(), x.max(), x.size, x.sum(), x @ x))]
    fields = dict(enumerate([*known, limits[first : last + 2], counts], start=1))
    return {1: tag, 5: fields}
