# Generated from chapter 24 (book/ch24-tensorboard.ipynb): edit the chapter, not this.
"""The wire format of protocol buffers, as far as TensorBoard's files need it.

A message is written as a dictionary from field numbers to values. What the numbers
mean stands in the .proto files of TensorBoard.
"""

import struct

import numpy as np


def varint(n: int) -> bytes:
    """An integer in base 128, lowest digit first; of a negative one, n + 2**64."""
    n, found = int(n) % (1 << 64), bytearray()
    while n > 127:
        found.append(n & 127 | 128)
        n >>= 7
    return bytes([*found, n])


def message(fields: dict) -> bytes:
    """The bytes of a message; a list gives a field several times, None never."""
    found = []
    for number, value in fields.items():
        several = value if isinstance(value, list) else [value]
        found += [_field(number, one) for one in several if one is not None]
    return b"".join(found)


def _field(number: int, value) -> bytes:
    """A key, and behind it the value."""
    key = 8 * number
    if isinstance(value, int):
        return varint(key) + varint(value)
    if isinstance(value, float):
        return varint(key + 1) + struct.pack("<d", value)
    if isinstance(value, np.float32):
        return varint(key + 5) + struct.pack("<f", value)
    if isinstance(value, dict):
        value = message(value)
    elif isinstance(value, str):
        value = value.encode()
    elif isinstance(value, np.ndarray):
        value = value.astype("<f8").tobytes()
    return varint(key + 2) + varint(len(value)) + value


def decode(data: bytes) -> dict[int, list]:
    """The fields of a message: integers as such, all else as bytes."""
    found, at = {}, 0
    while at < len(data):
        key, at = _read_varint(data, at)
        value, size = None, {1: 8, 5: 4}.get(key % 8)
        if size is None:
            value, at = _read_varint(data, at)
            size = value if key % 8 == 2 else 0
        if key % 8:
            value, at = data[at : at + size], at + size
        found.setdefault(key // 8, []).append(value)
    return found


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    """The varint that begins at a place, and the place behind it."""
    n, shift = 0, 0
    while data[at] > 127:
        n, shift, at = n | (data[at] & 127) << shift, shift + 7, at + 1
    return n | data[at] << shift, at + 1
