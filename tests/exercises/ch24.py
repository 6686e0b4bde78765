"""Wrong answers to the exercises of chapter 24: each must be turned down."""

WRONG = {
    "24.1": {
        "the key for the field": "field, number = 24, 150",
        "the continuation bit counted": "field, number = 3, 278",
        "highest digit first": "field, number = 3, 0x9601",
        "the first digit only": "field, number = 3, 22",
    },
    "24.2": {
        "places for the positive only": """
def zigzag(n):
    return 2 * abs(n)


def unzigzag(k):
    return k // 2
""",
        "signs exchanged": """
def zigzag(n):
    return 2 * n - 1 if n > 0 else -2 * n


def unzigzag(k):
    return (k + 1) // 2 if k % 2 else -(k // 2)
""",
        "by division of floats": """
def zigzag(n):
    return 2 * n if n >= 0 else -2 * n - 1


def unzigzag(k):
    return int(-(k + 1) / 2 if k % 2 else k / 2)
""",
        "as 64-bit numbers": """
def zigzag(n):
    return ((n << 1) ^ (n >> 63)) & (2**64 - 1)


def unzigzag(k):
    return (k >> 1) ^ -(k & 1)
""",
    },
    "24.3": {
        "all of it": """
def whole(data):
    return len(data)
""",
        "it trusts the lengths": """
def whole(data):
    at = 0
    while at + 16 <= len(data):
        end = at + 16 + int.from_bytes(data[at : at + 8], "little")
        if end > len(data):
            break
        at = end
    return at
""",
        "it does not look at payloads": """
def whole(data):
    at = 0
    while masked(data[at : at + 8]) == data[at + 8 : at + 12]:
        end = at + 16 + int.from_bytes(data[at : at + 8], "little")
        if end > len(data):
            break
        at = end
    return at
""",
        "records, not bytes": """
def whole(data):
    at, n = 0, 0
    while masked(data[at : at + 8]) == data[at + 8 : at + 12]:
        start = at + 12
        end = start + int.from_bytes(data[at : at + 8], "little")
        if masked(data[start:end]) != data[end : end + 4]:
            break
        at, n = end + 4, n + 1
    return n
""",
    },
    "24.4": {
        "without the zeros": """
def patch(crc, n, at, old, new):
    change = bytearray(n)
    change[at] = old ^ new
    return crc ^ crc32c(bytes(change))
""",
        "the difference": """
def patch(crc, n, at, old, new):
    change = bytearray(n)
    change[at] = (new - old) % 256
    return crc ^ crc32c(bytes(change)) ^ crc32c(bytes(n))
""",
        "the wrong end": """
def patch(crc, n, at, old, new):
    change = bytearray(n)
    change[n - 1 - at] = old ^ new
    return crc ^ crc32c(bytes(change)) ^ crc32c(bytes(n))
""",
    },
}
