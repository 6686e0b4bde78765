"""Put a JupyterLite beside the pages of the book: ``_build/site``, ready to publish.

    python tools/do.py lite             the book, and every chapter to run in a browser
    python tools/do.py lite --serve     … and serve it at http://localhost:8000

The site is a copy of ``_build/html`` with a folder ``lite`` in it and a button “Run in
the browser” on each chapter; the chapters load nothing from there. In the folder are
JupyterLab's user interface, the notebooks, and three wheels: minigrad, bookkit, and
viz-js (Graphviz in WebAssembly, from the npm registry; without ``npm`` it is left out,
and drawings show their DOT text). Python itself, with NumPy, matplotlib and
scikit-learn, is Pyodide, which the reader's browser fetches from cdn.jsdelivr.net: the
first cell of each notebook says so.
"""

import argparse
import ast
import base64
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import cells  # noqa: E402
import toc  # noqa: E402
from sphinxext import heads  # noqa: E402

BUILD = ROOT / "_build"
VIZ = "@viz-js/viz@3.31.0"
INTEGRITY = (  # of the package as the npm registry lists it
    "r7zlQdRvcwvIpjHGgs+KNWHeE/P5/Dq7k8ZAKaMCbZqomxCBJV78gVuQYaHzFVca+kB0mX0fMW9UFevCOBG50A=="
)
WITH_PYODIDE = {"numpy": "numpy", "matplotlib": "matplotlib", "sklearn": "scikit-learn"}
WITH_PYODIDE |= {"tqdm": "tqdm", "IPython": "ipython"}  # module: package
WITHOUT = {
    "dask"
}  # it starts processes: such cells end with an error, as the note says
OURS = ("minigrad", "bookkit", "vizjs")
EPOCH = "946684800"  # the same sources give the same wheels

NOTE = """\
> **In the browser.** You are in JupyterLite: nothing is installed, and nothing that you
> write leaves this browser, which keeps it. Python is [Pyodide](https://pyodide.org),
> which the browser has fetched from `{host}`, with NumPy and matplotlib; minigrad comes
> from this site. Run the next cell first. A program here has one thread and no network
> of its own: a cell that starts a thread or a process, or opens a socket, ends with an
> error, and times are longer."""
SETUP = """\
%pip install -q {packages}
import vizjs

await vizjs.prepare();"""


class LiteError(Exception):
    """The site cannot be built; the message says why."""


# ------------------------------------------------------------------------------ wheels


def wheels(python: Path, folder: Path) -> list[Path]:
    """Build the three wheels; they hold Python, data and no machine code."""
    viz = folder / "viz"
    shutil.copytree(HERE / "vizjs", viz)
    script = viz_js()
    (viz / "vizjs_files").mkdir()
    (viz / "vizjs_files" / "__init__.py").touch()
    if script is None:
        print("  without npm there is no Graphviz: drawings will show their DOT text")
    else:
        (viz / "vizjs_files" / "viz-global.js").write_bytes(script)
    sources = {"minigrad": folder / "minigrad", "bookkit": folder / "bookkit"}
    copy_package(ROOT, sources["minigrad"], "minigrad", "README.md", "LICENSE")
    copy_package(ROOT / "tools", sources["bookkit"], "bookkit")
    made = folder / "wheels"
    for source in (*sources.values(), viz):
        call(
            *(python, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation"),
            *("--disable-pip-version-check", "-w", made, source),
        )
    found = sorted(made.glob("*.whl"))
    impure = [
        each.name for each in found if not each.name.endswith("-py3-none-any.whl")
    ]
    if impure or len(found) != len(OURS):
        raise LiteError(f"three pure wheels are wanted, and these came: {found}")
    return found


def copy_package(origin: Path, target: Path, package: str, *files: str) -> None:
    """Copy what a wheel is built from, so that building leaves nothing behind."""
    ignore = shutil.ignore_patterns("__pycache__", ".ipynb_checkpoints")
    shutil.copytree(origin / package, target / package, ignore=ignore)
    for name in ("pyproject.toml", *files):
        shutil.copy(origin / name, target / name)


def viz_js() -> bytes | None:
    """The script of viz-js from the npm registry, checked; None without npm."""
    npm = shutil.which("npm")
    if npm is None:
        return None
    kept = BUILD / "npm" / f"{INTEGRITY[:16].replace('/', '_')}.tgz"
    if not kept.is_file():
        with tempfile.TemporaryDirectory() as folder:
            command = [npm, "pack", "--silent", VIZ, "--pack-destination", folder]
            done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
            packed = list(Path(folder).glob("*.tgz"))
            if done.returncode or not packed:
                print(f"  npm has no {VIZ}: {done.stderr.strip()[-200:]}")
                return None
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(packed[0], kept)
    content = kept.read_bytes()
    found = base64.b64encode(hashlib.sha512(content).digest()).decode()
    if found != INTEGRITY:
        kept.unlink()
        raise LiteError(f"{VIZ} is not the package that it was: sha512-{found}")
    with tarfile.open(fileobj=io.BytesIO(content)) as package:
        return package.extractfile("package/dist/viz-global.js").read()


def modules_in(wheel: Path) -> set[str]:
    """The files of a wheel, without its metadata."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    return {name for name in names if ".dist-info/" not in name}


# --------------------------------------------------------------------------- notebooks


def imported(notebook) -> set[str]:
    """The packages from outside the standard library that a notebook imports."""
    found = set()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            for node in ast.walk(ast.parse(cell.source)):
                if isinstance(node, ast.Import):
                    found |= {alias.name.split(".")[0] for alias in node.names}
                elif isinstance(node, ast.ImportFrom) and not node.level:
                    found.add(node.module.split(".")[0])
    return found - sys.stdlib_module_names


def packages_for(notebook) -> list[str]:
    """What the first cell installs: our wheels, and what Pyodide brings."""
    wanted = imported(notebook) - {*OURS, *WITHOUT, "pygraphviz", "graphviz"}
    unknown = wanted - set(WITH_PYODIDE)
    if unknown:
        raise LiteError(f"neither Pyodide nor this site has {sorted(unknown)}")
    return [*OURS, *sorted({WITH_PYODIDE[each] for each in wanted} - {"ipython"})]


def prepared(path: Path):
    """A notebook with a note and a first cell that installs what it needs."""
    notebook = cells.read(path)
    source = SETUP.format(packages=" ".join(packages_for(notebook)))
    note = NOTE.format(host=heads.LITE_HOST)
    first = [
        cells.nbformat.v4.new_markdown_cell(note, id="in-the-browser"),
        cells.nbformat.v4.new_code_cell(source, id="set-up-the-browser"),
    ]
    notebook.cells = [*first, *notebook.cells]
    notebook.metadata["kernelspec"] = {
        "name": "python",
        "display_name": "Python (Pyodide)",
        "language": "python",
    }
    return notebook


def contents(folder: Path) -> None:
    """Lay out what JupyterLite shows: the notebooks, and the data that they read."""
    folder.mkdir()
    for chapter in toc.chapters():
        # Whole texts, not lists of lines, which JupyterLite would join by commas.
        text = json.dumps(prepared(chapter.file), ensure_ascii=False)
        (folder / chapter.file.name).write_text(text, encoding="utf-8")
    shutil.copytree(ROOT / "book" / "data", folder / "data")


# -------------------------------------------------------------------------- the site


def build_lite(python: Path, output: Path) -> list[Path]:
    """Build JupyterLite into ``output``; returns the wheels that are in it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("  wheels", flush=True)
        made = wheels(python, folder)
        print("  notebooks", flush=True)
        contents(folder / "contents")
        (folder / "jupyter-lite.json").write_text(
            json.dumps(
                {
                    "jupyter-lite-schema-version": 0,
                    "jupyter-config-data": {
                        "appName": "One Jacobian at a Time",
                        "exposeAppInBrowser": False,
                    },
                }
            ),
            encoding="utf-8",
        )
        print("  JupyterLite", flush=True)
        command = [python, "-m", "jupyterlite_core.app", "build"]
        command += ["--lite-dir", folder, "--contents", folder / "contents"]
        command += ["--output-dir", output, "--apps", "notebooks", "--apps", "lab"]
        command += ["--no-sourcemaps", "--no-libarchive", "--source-date-epoch", EPOCH]
        for wheel in made:
            command += ["--piplite-wheels", wheel]
        call(*command, cwd=folder)
        return [Path(wheel.name) for wheel in made]


def call(*command, cwd: Path = ROOT) -> None:
    """Run a command; its output matters only if it fails."""
    done = subprocess.run(
        list(map(str, command)),
        cwd=cwd,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=os.environ | {"SOURCE_DATE_EPOCH": EPOCH},
    )
    if done.returncode:
        raise LiteError(f"{command[:4]} failed:\n{done.stdout[-3000:]}")


def publish(pages: Path, lite: Path, site: Path) -> None:
    """Copy the pages with their buttons, and JupyterLite beside them."""
    shutil.rmtree(site, ignore_errors=True)
    shutil.copytree(pages, site)
    for chapter in toc.chapters():
        page = site / Path(chapter.path).with_suffix(".html")
        before = page.read_text(encoding="utf-8")
        after = heads.with_lite(before)
        if after == before:
            raise LiteError(f"{page.name} has no place for its button")
        page.write_text(after, encoding="utf-8", newline="\n")
    shutil.move(lite, site / "lite")


def main(arguments: list[str] | None = None) -> int:
    """Build the site and say how it went."""
    parser = argparse.ArgumentParser(description="Build the book with a JupyterLite.")
    parser.add_argument("--python", type=Path, required=True, help="of .venv-lite")
    options = parser.parse_args(arguments)
    started, lite = time.monotonic(), BUILD / "lite"
    shutil.rmtree(lite, ignore_errors=True)
    try:
        build_lite(options.python.absolute(), lite)
        publish(BUILD / "html", lite, BUILD / "site")
    except LiteError as error:
        print(f"JupyterLite was not built: {error}", file=sys.stderr)
        return 1
    took = time.monotonic() - started
    print(f"Ready to publish, in {took:.0f} s: {BUILD / 'site' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
