# Generated from chapter 24 (book/ch24-tensorboard.ipynb): edit the chapter, not this.
"""A file of records that are whole or not there (TFRecord).

A record is framed by its length and by check sums. What was torn off at the end of a
file, by a crash or because somebody is still writing, is seen and left out.
"""

import os
import struct
import threading
from collections.abc import Iterator
from pathlib import Path


def _entry(byte: int) -> int:
    """What eight steps of the division make of the lowest byte."""
    for _ in range(8):
        byte = byte >> 1 ^ (0x82F63B78 if byte & 1 else 0)
    return byte


TABLE = [_entry(byte) for byte in range(256)]


def crc32c(data: bytes) -> int:
    """The remainder of CRC-32C, 32 bits."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = TABLE[(crc ^ byte) & 255] ^ crc >> 8
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    """The check sum as it is stored: rotated, shifted by a constant, four bytes."""
    crc = crc32c(data)
    crc = (crc >> 15 | crc << 17) + 0xA282EAD8
    return struct.pack("<I", crc & 0xFFFFFFFF)


def framed(payload: bytes) -> bytes:
    """A payload with its frame, as it stands in the file."""
    length = struct.pack("<Q", len(payload))
    return length + masked(length) + payload + masked(payload)


def read_records(path) -> Iterator[bytes]:
    """Yield the payloads of a file, up to the first record that is not whole."""
    with open(path, "rb") as file:
        while True:
            length, check = file.read(8), file.read(4)
            if len(check) < 4 or masked(length) != check:
                return
            payload, check = file.read(int.from_bytes(length, "little")), file.read(4)
            if len(check) < 4 or masked(payload) != check:
                return
            yield payload


class RecordFile:
    """A new file, to which whole records are appended."""

    def __init__(self, path):
        self.path = Path(path)
        self._file = open(path, "xb", buffering=0)  # noqa: SIM115 (closed by close)
        self._lock = threading.Lock()

    def append(self, payload: bytes) -> None:
        """Append a record. If that fails, the file is as it was before."""
        rest = memoryview(framed(payload))
        with self._lock:
            end = self._file.tell()
            try:
                while rest:
                    rest = rest[self._file.write(rest) :]
            except BaseException:
                self._file.truncate(end)
                self._file.seek(end)
                raise

    def flush(self) -> None:
        """Return when all records are on the disk, safe from a power cut, too."""
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()
