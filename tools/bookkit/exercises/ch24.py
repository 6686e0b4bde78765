"""Checks of the exercises of chapter 24, Seeing graphs in TensorBoard.

Check sums are computed here bit by bit, and frames are built from them: nothing of
minigrad is asked.
"""

import struct

from bookkit.checks import exercise


def _crc(data: bytes) -> int:
    """CRC-32C, bit by bit."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _framed(payload: bytes) -> bytes:
    """A record with its frame."""

    def check(data: bytes) -> bytes:
        crc = _crc(data)
        return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)

    length = struct.pack("<Q", len(payload))
    return length + check(length) + payload + check(payload)


@exercise("24.1")
def bytes_read(field, number):
    """A key and a varint."""
    yield "the field is the key without its three lowest bits"
    hint = "0x18 is the key, with the kind in it" if field == 24 else f"not {field!r}"
    assert type(field) is int and field == 3, hint
    yield "the number is put together from its digits in base 128"
    hints = {
        0x9601: "0x96 comes first, and the lowest digit comes first",
        278: "the highest bit of 0x96 belongs to no digit",
        22: "0x96 has its highest bit set: another digit follows",
        406: "the highest bit of 0x96 belongs to no digit",
    }
    right = type(number) is int and number == 150
    assert right, hints.get(number, f"not {number!r}")


@exercise("24.2")
def zigzags(zigzag, unzigzag):
    """Small numbers of either sign become small."""
    yield "0, -1, 1, -2, 2 become 0, 1, 2, 3, 4"
    found = [zigzag(n) for n in (0, -1, 1, -2, 2)]
    assert found == [0, 1, 2, 3, 4], f"they become {found}"
    yield "0, 1, 2, 3, 4 become 0, -1, 1, -2, 2"
    found = [unzigzag(k) for k in range(5)]
    assert found == [0, -1, 1, -2, 2], f"they become {found}"
    for n in (1000, -1000, 2**63, -(2**63), 10**30, -(10**30) - 1):
        yield f"there and back again, {n}"
        place = zigzag(n)
        assert isinstance(place, int), f"the place is {place!r}, no integer"
        assert place == (2 * n if n >= 0 else -2 * n - 1), f"its place is {place}"
        assert unzigzag(place) == n, f"what comes back is {unzigzag(place)!r}"


@exercise("24.3")
def torn(whole):
    """Where the last whole record ends."""
    records = [_framed(b"loss 0.92"), _framed(b""), _framed(bytes(range(40)))]
    data = b"".join(records)
    ends = [0, 25, 41, len(data)]
    yield "wherever the file is cut, the records before that are found"
    for cut in range(len(data) + 1):
        right = max(end for end in ends if end <= cut)
        found = whole(data[:cut])
        assert found == right, f"of the first {cut} bytes, {right}, and not {found!r}"
    for place, right in ((0, 0), (9, 0), (14, 0), (24, 0), (26, 25), (60, 41)):
        yield f"with byte {place} changed, {right} are"
        changed = bytearray(data)
        changed[place] ^= 4
        found = whole(bytes(changed))
        assert found == right, f"it says {found!r}"
    yield "zeros at the end, which a power cut can leave, are no records"
    found = whole(data + bytes(64))
    assert found == len(data), f"it says {found!r} of {len(data)}"


@exercise("24.4")
def patched(patch):
    """The remainder after a change, without the message."""
    text = b"the loss is 0.33 at step 12"
    for at, new in ((0, 84), (12, 49), (len(text) - 1, 51), (5, text[5]), (3, 255)):
        yield f"byte {at} becomes {new}"
        changed = bytearray(text)
        changed[at] = new
        found = patch(_crc(text), len(text), at, text[at], new)
        right = _crc(bytes(changed))
        assert found == right, f"it is {right:08x}, and not {found!r}"
    yield "a message of one byte"
    found = patch(_crc(b"a"), 1, 0, ord("a"), ord("b"))
    assert found == _crc(b"b"), f"it is {_crc(b'b'):08x}, and not {found!r}"
