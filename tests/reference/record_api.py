"""Record which of minigrad's names PyTorch has as well, under the same path.

    python -m tests.reference.record_api

Run it with a Python that has PyTorch, at the root of the repository. Every name of the
namespaces that `tools/api.py` mirrors is looked up in PyTorch; the ones that are there
are written to ``api.json``, which the API reference reads.
"""

import importlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tools")]

import api  # noqa: E402


def theirs(module: str):
    """PyTorch's namespace of the same name."""
    path = module.replace("minigrad", "torch", 1)
    if path == "torch.Tensor":
        return importlib.import_module("torch").Tensor
    return importlib.import_module(path)


def main() -> None:
    """Write ``api.json``."""
    import torch

    found = {}
    for space in api.NAMESPACES:
        if space.torch:
            holder = theirs(space.module)
            for name in sorted(api.candidates(space)):
                if hasattr(holder, name):
                    path = f"{space.module}.{name}"
                    found[path] = path.replace("minigrad", "torch", 1)
    stored = {"torch": torch.__version__, "names": found}
    api.RECORDED.write_text(json.dumps(stored, indent=0) + "\n", encoding="utf-8")
    print(len(found), "names")


if __name__ == "__main__":
    main()
