"""Record what Chapter 25 compares with: PyTorch's and JAX's side of it.

Run at the root of the repository, once with a Python that has PyTorch (and
scikit-learn), and once with one that has JAX; each writes its part of
book/data/road.json and leaves the other's:

    python -m tests.reference.record_road torch
    python -m tests.reference.record_road jax

* ``programs``: what book/programs/*.py come to with the one import changed. Of these
  every number is compared, by the chapter and by tests/test_road.py.
* ``facts``: what short programs print that only PyTorch, or only JAX, can run; and,
  in ``asked``, a number for the text of each, so that a test sees what is out of date.
* ``files``: for each path of book/data/road-map.txt, where its words were found.
"""

import contextlib
import importlib
import io
import json
import re
import sys
import zlib
from pathlib import Path

ROOT = Path(__file__).parents[2]
PROGRAMS = ROOT / "book" / "programs"
MAP = ROOT / "book" / "data" / "road-map.txt"
RECORDED = ROOT / "book" / "data" / "road.json"
IMPORT = "import minigrad as torch\n"

TORCH_FACTS = {
    "keys": """
        x = torch.ones(3, requires_grad=True)
        print("as it is:     ", torch._C._dispatch_keys(x))
        with torch.inference_mode():
            print("for inference:", torch._C._dispatch_keys(torch.ones(3)))
    """,
    "kernels": """
        import re
        table = torch._C._dispatch_dump_table("aten::tanh")
        wanted = "CPU Meta SparseCPU FuncTorchBatched AutocastCPU AutogradCPU".split()
        for line in table.splitlines():
            key, _, where = line.partition(": ")
            if key in wanted:
                root = "(?:pytorch/pytorch|site-packages)/"
                print(f"{key:17}", re.search(root + "(\\S+):\\d+", where)[1])
    """,
    "below": """
        from torch.utils._python_dispatch import TorchDispatchMode

        class Log(TorchDispatchMode):
            def __torch_dispatch__(self, func, types, args=(), kwargs=None):
                calls.append(str(func).removesuffix(".default"))
                return func(*args, **(kwargs or {}))

        x = torch.ones(3, requires_grad=True)
        calls = []
        with Log():
            y = torch.tanh(x) * x
        print("forward: ", *calls)
        calls.clear()
        with Log():
            y.backward(torch.ones(3))
        print("backward:", *calls)
    """,
    "rules": """
        import torchgen
        from pathlib import Path
        home = Path(torchgen.__file__).parent / "packaged" / "autograd"
        text = (home / "derivatives.yaml").read_text()
        entries = text.split("\\n- name: ")[1:]
        for name in ("neg(", "exp(", "tanh(", "sin(", "mul.Tensor("):
            entry = next(e for e in entries if e.startswith(name))
            print("- name: " + entry.split("\\n\\n")[0])
        print(len(entries), "entries")
    """,
    "order": """
        x = torch.tensor(1.0, requires_grad=True)
        a = x * 1
        b = x * 2
        c = x * 3
        s = b + a * c
        seen = []
        for name, t in (("a", a), ("b", b), ("c", c), ("s", s)):
            t.register_hook(lambda g, name=name: seen.append(name))
        s.backward()
        first = a.grad_fn._sequence_nr()
        numbers = [t.grad_fn._sequence_nr() - first for t in (a, b, c, s)]
        print("numbers:", dict(zip("abcs", numbers)))
        print("walked: ", *seen)
    """,
    "thread": """
        import threading
        x = torch.ones(3, requires_grad=True)
        y = x * 2
        threads = {threading.get_ident()}
        y.register_hook(lambda g: threads.add(threading.get_ident()))
        y.sum().backward()
        print("the caller's own thread:", len(threads) == 1)
    """,
    "autocast": """
        a = torch.ones(2, 2, requires_grad=True)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = a @ a
            loss = torch.nn.functional.cross_entropy(y, torch.tensor([0, 1]))
        loss.backward()
        print("product:", y.dtype, " loss:", loss.dtype, " gradient:", a.grad.dtype)
    """,
    "dynamo": """
        def look(gm, inputs):
            print(gm.code.strip())
            return gm.forward

        @torch.compile(backend=look)
        def f(x):
            y = x
            for _ in range(2):
                y = torch.tanh(y) * x
            return y

        f(torch.ones(3))
    """,
    "aot": """
        from functorch.compile import aot_function, make_boxed_func

        def look(what):
            def compiler(gm, inputs):
                print(what + "\\n" + gm.code.strip() + "\\n")
                return make_boxed_func(gm.forward)
            return compiler

        f = aot_function(lambda x: torch.tanh(x) * x, look("forward"), look("backward"))
        f(torch.ones(3, requires_grad=True)).sum().backward()
    """,
}
JAX_FACTS = {
    "jaxpr": """
        print(jax.make_jaxpr(f)(1.0))
    """,
    "linearize": """
        y, pushed = jax.linearize(f, 1.0)
        print(jax.make_jaxpr(pushed)(1.0))
    """,
    "transpose": """
        y, pushed = jax.linearize(f, 1.0)
        print(jax.make_jaxpr(jax.linear_transpose(pushed, 1.0))(1.0))
    """,
    "vmap": """
        import jax.numpy as jnp
        product = jax.vmap(lambda a, b: a @ b, (0, None))
        print(jax.make_jaxpr(lambda a, b: a @ b)(jnp.ones(3), jnp.ones((3, 2))))
        print(jax.make_jaxpr(product)(jnp.ones((4, 3)), jnp.ones((3, 2))))
    """,
    "rules": """
        import ast, inspect
        from jax._src.lax import lax
        wanted = ["neg_p", "exp_p", "tanh_p", "sin_p", "mul_p"]
        for node in ast.parse(inspect.getsource(lax)).body:
            call = getattr(node, "value", None)
            if not isinstance(call, ast.Call) or not call.args:
                continue
            rule = ast.unparse(call.func).startswith("ad.def")
            if rule and ast.unparse(call.args[0]) in wanted:
                print(ast.unparse(call))
    """,
    "branch": """
        try:
            jax.jit(lambda x: x if x > 0 else -x)(1.0)
        except Exception as error:
            print(type(error).__name__ + ": " + str(error).split("\\n")[0])
    """,
}


def programs() -> dict[str, str]:
    """The five programs, by name."""
    return {
        p.stem: p.read_text(encoding="utf-8") for p in sorted(PROGRAMS.glob("*.py"))
    }


def results(source: str, library: str = "minigrad") -> dict:
    """Run a program with its one import naming a library; return its ``results``."""
    assert source.count(IMPORT) == 1, "a program imports its library in one line"
    with contextlib.redirect_stdout(io.StringIO()):
        scope = {"__name__": "program"}
        line = f"import {library} as torch\n"
        exec(compile(source.replace(IMPORT, line), "<program>", "exec"), scope)
    return scope["results"]


def rows() -> list[tuple[str, list[str]]]:
    """The map: for each row its heading and its four fields."""
    found, heading = [], ""
    for line in MAP.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            heading = line[2:]
        elif line:
            found.append((heading, [field.strip() for field in line.split(" | ")]))
    return found


def place(field: str) -> tuple[str, str]:
    """A path and the words that stand in that file."""
    path, _, words = field.partition(" @ ")
    return path, words


def answered(program: str, **scope) -> str:
    """What a program prints."""
    lines = program.strip("\n").splitlines()
    indent = len(lines[0]) - len(lines[0].lstrip())
    source = "\n".join(line[indent:] for line in lines)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        exec(compile(source, "<fact>", "exec"), scope)
    return re.sub(r"[ \t]+\n", "\n", out.getvalue()).strip()


def digests(programs: dict[str, str]) -> dict[str, int]:
    """A number for each program, which changes with its text."""
    return {name: zlib.crc32(text.encode()) for name, text in programs.items()}


def torch_file(path: str, words: str) -> str:
    """Where a file of PyTorch's repository was found in the installed package."""
    import torch

    home = Path(torch.__file__).parent
    carried = {  # folders of the repository, and where the package carries them
        "tools/autograd/": home.parent / "torchgen" / "packaged" / "autograd",
        "aten/src/": home / "include",
        "c10/": home / "include" / "c10",
        "torch/csrc/": home / "include" / "torch" / "csrc",
        "torch/": home,
    }
    for folder, there in carried.items():
        file = there / path.removeprefix(folder)
        if path.startswith(folder) and file.is_file():
            assert words in file.read_text(encoding="utf-8"), (path, words)
            return "in the package"
    library = home / "lib" / "libtorch_cpu.so"  # a source file leaves its name there
    assert not words and path.encode() in library.read_bytes(), path
    return "named in libtorch_cpu.so"


def jax_file(path: str, words: str) -> str:
    """The same for JAX."""
    jax = importlib.import_module("jax")
    file = Path(jax.__file__).parent.parent / path
    assert words in file.read_text(encoding="utf-8"), (path, words)
    return "in the package"


def record_torch() -> dict:
    """PyTorch's part."""
    import torch

    return {
        "version": torch.__version__,
        "programs": {name: results(text, "torch") for name, text in programs().items()},
        "facts": {k: answered(text, torch=torch) for k, text in TORCH_FACTS.items()},
        "asked": digests(TORCH_FACTS),
        "files": {field[1]: torch_file(*place(field[1])) for _, field in rows()},
    }


def record_jax() -> dict:
    """JAX's part."""
    import jax

    def f(x):
        return jax.numpy.tanh(x) * x

    return {
        "version": jax.__version__,
        "facts": {k: answered(text, jax=jax, f=f) for k, text in JAX_FACTS.items()},
        "asked": digests(JAX_FACTS),
        "files": {
            field[2]: jax_file(*place(field[2]))
            for _, field in rows()
            if field[2] != "–"
        },
    }


def main(library: str) -> None:
    """Write one part."""
    stored = json.loads(RECORDED.read_text("utf-8")) if RECORDED.exists() else {}
    stored[library] = {"torch": record_torch, "jax": record_jax}[library]()
    text = json.dumps(stored, indent=1, ensure_ascii=False, sort_keys=True)
    RECORDED.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
