# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Tensors in a file: numbers and what they are called, and nothing that could be run.

The layout is that of safetensors: eight bytes with the length of a header, the header
in JSON, the numbers. How tensors are nested in dictionaries stands in the header's
metadata, with a check sum over all of it.
"""

import hashlib
import json
import math
import os
from collections import Counter, OrderedDict
from pathlib import Path

import numpy as np

from minigrad.tensor import Size, Tensor, wrap

KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4"}
KINDS |= {"I16": "<i2", "I8": "|i1", "U8": "|u1", "BOOL": "|b1"}
NAMES = {np.dtype(code): name for name, code in KINDS.items()}
MAPPINGS = {"dict": dict, "OrderedDict": OrderedDict, "Counter": Counter}
SEQUENCES = {"list": list, "tuple": tuple, "Size": Size, "set": set}


def _digest(tree: str, entries: dict, body) -> str:
    """The check sum over what a file says and over its numbers."""
    text = tree + json.dumps(entries, sort_keys=True)
    return hashlib.sha256(text.encode() + body).hexdigest()


class _Writer:
    """Describes a value, and collects its tensors under their names."""

    def __init__(self):
        self.tensors, self.names = {"__metadata__": None}, {}

    def describe(self, value, path: str):
        """A value in terms of JSON: constants, and dictionaries for all else."""
        kind = type(value).__name__
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, Tensor):
            return {"tensor": self.place(value, path), "grad": value.requires_grad}
        if MAPPINGS.get(kind) is type(value):
            describe, inner = self.describe, f"{path}." if path else ""
            items = value.items()
            pairs = [[describe(k, path), describe(v, f"{inner}{k}")] for k, v in items]
            return {"kind": kind, "items": pairs}
        if SEQUENCES.get(kind) is type(value):
            items = [self.describe(v, f"{path}.{k}") for k, v in enumerate(value)]
            return {"kind": kind, "items": items}
        raise TypeError(
            f"cannot save a {kind}{path and f' (at {path})'}: a file holds tensors, "
            "numbers, texts, and dictionaries and lists of them. Of a model or an "
            "optimizer, save the state_dict() (Chapter 18)"
        )

    def place(self, tensor: Tensor, path: str) -> str:
        """Note a tensor; return the name under which it will be found."""
        if id(tensor) not in self.names:
            name = path or "tensor"
            while name in self.tensors:
                name += "'"
            self.names[id(tensor)], self.tensors[name] = name, tensor
        return self.names[id(tensor)]


def _packed(value) -> bytes:
    """The bytes of a file that holds a value."""
    writer, entries, parts, end = _Writer(), {}, [], 0
    tree = json.dumps(writer.describe(value, ""))
    del writer.tensors["__metadata__"]
    for name, t in writer.tensors.items():
        kind = NAMES[t._array.dtype]
        parts.append(np.asarray(t._array, KINDS[kind]).tobytes())
        place = [end, end := end + len(parts[-1])]
        entries[name] = {"dtype": kind, "shape": [*t.shape], "data_offsets": place}
    body = b"".join(parts)
    about = {"minigrad": tree, "sha256": _digest(tree, entries, body)}
    header = json.dumps({"__metadata__": about, **entries}).encode()
    header += b" " * (-len(header) % 8)
    return len(header).to_bytes(8, "little") + header + body


def save(obj, f) -> None:
    """Write a value to a file: a path, or an object with ``write``.

    A value is a tensor, a number, a text, None, or a dictionary, list, tuple or set of
    values. On any error a file that was there before is still what it was.
    """
    data = _packed(obj)
    if hasattr(f, "write"):
        f.write(data)
    else:
        _replace(Path(f), data)


def _replace(path: Path, data: bytes) -> None:
    """Put a file in place of another, in one go."""
    if not path.parent.is_dir():
        raise RuntimeError(
            f"Parent directory {path.parent} does not exist: make it first, "
            "Path(…).mkdir(parents=True) (Chapter 18)"
        )
    beside = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        with open(beside, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    finally:
        beside.unlink(missing_ok=True)


def _fault(data: bytes) -> str:
    """What is wrong with the bytes of a file; empty if they are as `save` left them."""
    if data[:2] == b"PK":
        return "it is a zip archive, as PyTorch itself writes, with a pickle inside"
    size = int.from_bytes(data[:8], "little")
    if len(data) < 10 or data[8:9] != b"{":
        return "it is not a file of torch.save"
    if size > len(data) - 8:
        return "it is cut off"
    try:
        entries = json.loads(data[8 : 8 + size])
        about = entries.pop("__metadata__")
        tree, digest = about["minigrad"], about["sha256"]
        body = data[8 + size :]
        lacking = max((e["data_offsets"][1] for e in entries.values()), default=0)
        if len(body) < lacking:
            return f"it is cut off: {lacking - len(body)} bytes are missing"
        same = digest == _digest(tree, entries, body)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return "its header cannot be read"
    return "" if same else "its check sum is wrong, so something in it has changed"


def _built(tree, tensors: dict):
    """A value from its description."""
    if not isinstance(tree, dict):
        return tree
    if "tensor" in tree:
        return tensors[tree["tensor"]].requires_grad_(tree["grad"])
    kind, items = tree["kind"], tree["items"]
    if kind in MAPPINGS:
        pairs = ((_built(k, tensors), _built(v, tensors)) for k, v in items)
        return MAPPINGS[kind](dict(pairs))
    return SEQUENCES[kind](_built(v, tensors) for v in items)


def load(f, map_location=None, *, weights_only: bool = True, mmap=None):
    """Read what `save` has written, from a path or an object with ``read``.

    Nothing in a file is ever run, whatever ``weights_only`` says; tensors are made in
    the memory of the processor, whatever ``map_location`` says. RuntimeError if the
    file is not whole; nothing is loaded then.
    """
    open_ = hasattr(f, "read")
    data, name = (f.read(), "file") if open_ else (Path(f).read_bytes(), Path(f).name)
    if fault := _fault(data):
        raise RuntimeError(
            f"PytorchStreamReader failed reading {name}: {fault}. Nothing was loaded; "
            "go back to an earlier file (Chapter 18)"
        )
    size = 8 + int.from_bytes(data[:8], "little")
    entries = json.loads(data[8:size])
    tree, tensors = json.loads(entries.pop("__metadata__")["minigrad"]), {}
    for name, e in entries.items():
        kind, start = np.dtype(KINDS[e["dtype"]]), size + e["data_offsets"][0]
        flat = np.frombuffer(data, kind, math.prod(e["shape"]), start)
        tensors[name] = wrap(flat.reshape(e["shape"]).astype(kind.newbyteorder("=")))
    return _built(tree, tensors)
