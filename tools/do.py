"""The one entry point: set everything up, then build, test, run or serve the book.

    python tools/do.py book      build the book          -> _build/html/index.html
    python tools/do.py test      test everything: package, notebooks, pages
    python tools/do.py lab       open the notebooks in JupyterLab
    python tools/do.py workbook  write empty chapters to build minigrad yourself
    python tools/do.py grade     say what of your minigrad holds (--chapter N)

``make book`` and the other targets of the Makefile are one-line calls of this file. It
needs Python 3.11 or later and nothing else: the first call creates ``.venv`` and
installs the pinned requirements there; later calls notice that nothing has changed.
"""

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import time
import webbrowser
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PEERS = ROOT / ".venv-bench"  # PyTorch and others, for `bench --peers` only
ORACLE = ROOT / ".venv-oracle"  # PyTorch, for `oracle` only
LITE = ROOT / ".venv-lite"  # JupyterLite, for `lite` only
BUILD = ROOT / "_build"
PAGES = BUILD / "html"
OLDEST = (3, 11)
PACKAGES = ("pyproject.toml", "tools/pyproject.toml")
REQUIREMENTS = {
    "book": "requirements.txt",
    "test": "tests/requirements.txt",
    "peers": "benchmarks/requirements.txt",
    "oracle": "tests/reference/requirements.txt",
    "lite": "tools/lite/requirements.txt",
}
CODE = ("minigrad", "tools", "tests", "benchmarks", "conftest.py")


class Failure(Exception):
    """A step failed; the message says which, and what to do."""


# ---------------------------------------------------------------------- set-up


def python_of(venv: Path) -> Path:
    """The interpreter of a virtual environment."""
    return venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def set_up(*groups: str, venv: Path = VENV) -> None:
    """Create ``venv`` and install the requirement groups, unless that is done."""
    if sys.version_info < OLDEST:
        found = ".".join(map(str, sys.version_info[:3]))
        raise Failure(
            f"this book needs Python {'.'.join(map(str, OLDEST))} or later, "
            f"and this is {found}.\n"
            "Name another one: make book PYTHON=/path/to/python3.12"
        )
    if not _is_ours(venv):
        _create_environment(venv)
    for group in groups:
        stamp = venv / f".installed-{group}"
        wanted = _digest(REQUIREMENTS[group], "constraints.txt", *PACKAGES)
        if not stamp.exists() or stamp.read_text() != wanted:
            _install(REQUIREMENTS[group], venv)
            stamp.write_text(wanted)


def _is_ours(venv: Path) -> bool:
    """True when ``venv`` works and lies where it was made (a moved one does not)."""
    stamp = venv / ".made-at"
    made_here = stamp.exists() and stamp.read_text() == str(venv)
    return made_here and python_of(venv).exists()


def _create_environment(venv: Path) -> None:
    say(f"Creating the virtual environment {venv.name}")
    shutil.rmtree(venv, ignore_errors=True)
    made = subprocess.run([sys.executable, "-m", "venv", str(venv)])
    if made.returncode:
        raise Failure(
            "Python could not create a virtual environment. On Debian and Ubuntu the "
            "module is a package of its own: apt install python3-venv"
        )
    (venv / ".made-at").write_text(str(venv))


def _install(requirements: str, venv: Path) -> None:
    """Install one requirements file, showing each package as it arrives."""
    say(
        f"Installing {requirements} into {venv.name} "
        "(the first time takes a minute or two)"
    )
    command = [python_of(venv), "-m", "pip", "install", "--disable-pip-version-check"]
    command += ["--progress-bar", "off", "-r", requirements, "-c", "constraints.txt"]
    log = []
    pip = subprocess.Popen(
        list(map(str, command)),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    for line in pip.stdout:
        log.append(line)
        words = line.split()
        if words[:1] in (["Collecting"], ["Obtaining"]):
            _tick(f"  {sum('Collecting' in entry for entry in log):3d}  {words[1]}")
        elif words[:1] == ["Installing"]:
            _tick("  installing what was collected")
    _tick("")
    if pip.wait():
        raise Failure(
            f"pip could not install {requirements}. Its last words:\n\n"
            + "".join(log[-25:])
            + "\nIs the network there? The same command goes on from here."
        )


def _tick(text: str) -> None:
    """Show progress: in place on a terminal, a line each elsewhere."""
    if sys.stdout.isatty():
        print(f"\r{text[:78]:<78}", end="" if text else "\r", flush=True)
    elif text:
        print(text, flush=True)


def _digest(*names: str) -> str:
    """Hash of some files and of the Python they are installed for."""
    digest = hashlib.sha256(sys.version.encode())
    for name in names:
        digest.update(name.encode() + (ROOT / name).read_bytes())
    return digest.hexdigest()


# ----------------------------------------------------------------------- steps


def say(text: str) -> None:
    """Announce a step."""
    print(f"==> {text}", flush=True)


def run(*arguments: str | Path, check: bool = True, venv: Path = VENV) -> bool:
    """Run Python from ``venv`` at the root of the repository; True on success."""
    python = python_of(venv)
    environment = os.environ | {
        "PYTHONHASHSEED": "0",  # sets print in one order
        "OMP_NUM_THREADS": "1",  # sums are taken in one order
        "OPENBLAS_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "PYTHONUTF8": "1",
        "JUPYTER_PLATFORM_DIRS": "1",
        "PATH": f"{python.parent}{os.pathsep}{os.environ.get('PATH', '')}",
        "VIRTUAL_ENV": str(venv),
    }
    done = subprocess.run(
        [str(python), *map(str, arguments)], cwd=ROOT, env=environment
    )
    if check and done.returncode:
        raise Failure(f"`{' '.join(map(str, arguments))}` failed; see above.")
    return done.returncode == 0


def build_book(*options: str) -> None:
    """Build the pages from the committed outputs; any warning is an error."""
    run("tools/build_book.py", *options)


def parallel() -> list[str]:
    """Spread pytest over the processors."""
    return ["-n", str(min(os.cpu_count() or 1, 8)), "--dist", "loadscope"]


CHECKS: tuple[tuple[str, Callable[[], bool]], ...] = (
    (
        "Style: ruff over the package, the tools and the tests",
        lambda: (
            run("-m", "ruff", "check", *CODE, check=False)
            & run("-m", "ruff", "format", "--check", *CODE, check=False)
        ),
    ),
    (
        "The chapters are the source: minigrad/ equals what they say",
        lambda: run("tools/tangle.py", "--check", check=False),
    ),
    (
        "Notebooks are stored in normal form",
        lambda: run("tools/notebooks.py", "normalize", "--check", check=False),
    ),
    (
        "The book builds without a warning",
        lambda: run("tools/build_book.py", check=False),
    ),
    (
        "Tests of the package, the tools, the exercises and the pages",
        lambda: run("-m", "pytest", "-q", *parallel(), "tests", check=False),
    ),
    (
        "Every notebook gives the outputs it shows (nbval)",
        lambda: run(
            *("-m", "pytest", "-q", "--nbval", "--nbval-current-env"),
            *(*parallel(), "book"),
            check=False,
        ),
    ),
)


# -------------------------------------------------------------------- commands


def book(options: Sequence[str]) -> None:
    """Build the book into _build/html."""
    set_up("book")
    build_book(*options)
    print(f"\nThe book is ready: open {(PAGES / 'index.html').as_uri()}")


def test(options: Sequence[str]) -> None:
    """Run every check; with arguments, pass them to pytest instead."""
    set_up("book", "test")
    if options:
        run("-m", "pytest", *options)
        return
    failed = []
    for title, step in CHECKS:
        say(title)
        started = time.monotonic()
        if not step():
            failed.append(title)
        print(f"    ({time.monotonic() - started:.0f} s)\n", flush=True)
    if failed:
        raise Failure("these checks failed:\n  - " + "\n  - ".join(failed))
    print(f"All {len(CHECKS)} groups of checks passed.")


def lab(options: Sequence[str]) -> None:
    """Open the notebooks in JupyterLab (`lab workbook`: your own copies)."""
    set_up("book")
    folder = "workbook" if "workbook" in options else "book"
    options = [option for option in options if option != "workbook"]
    if getattr(os, "geteuid", lambda: 1)() == 0:  # in a container, say
        options = ["--allow-root", *options]
    run("-m", "jupyterlab", "--notebook-dir", folder, *options)


def workbook(options: Sequence[str]) -> None:
    """Write workbook/: the chapters with their functions emptied, for you to fill."""
    set_up("book", "test")
    run("tools/workbook.py", *options)


def grade(options: Sequence[str]) -> None:
    """Say what of the workbook holds (--chapter N; --mine; --quick)."""
    set_up("book", "test")
    if not run("tools/grading.py", *options, check=False):
        raise Failure("the chapter is not finished yet; see above.")


def tangle(options: Sequence[str]) -> None:
    """Write minigrad/ from the chapters (see tools/tangle.py --help)."""
    set_up("book")
    run("tools/tangle.py", *options)


def normalize(options: Sequence[str]) -> None:
    """Bring every notebook into the form in which it is committed."""
    set_up("book")
    run("tools/notebooks.py", "normalize", *options)


def execute(options: Sequence[str]) -> None:
    """Run notebooks and store their outputs (--chapter N, or --all)."""
    set_up("book")
    run("tools/notebooks.py", "execute", *options)


def serve(options: Sequence[str]) -> None:
    """Build the book and serve it at http://localhost:8000."""
    book([])
    port = options[0] if options else "8000"
    webbrowser.open(f"http://localhost:{port}")
    run("-m", "http.server", port, "--bind", "127.0.0.1", "--directory", PAGES)


def bench(options: Sequence[str]) -> None:
    """Measure speed and memory (--peers: beside PyTorch and others; --quick: a look).

    With --peers, PyTorch and the other libraries are installed, once, into an
    environment of their own, .venv-bench.
    """
    venv = PEERS if "--peers" in options else VENV
    set_up("peers" if venv == PEERS else "book", venv=venv)
    options = [option for option in options if option != "--peers"]
    if not run("-m", "benchmarks.run", *options, check=False, venv=venv):
        raise Failure("the benchmark did not run to its end; see above.")


def oracle(options: Sequence[str]) -> None:
    """Ask PyTorch every row of the parity ledger again (--python PATH names one).

    Without it, PyTorch is installed, once, into an environment of its own,
    .venv-oracle: about 1 GB, and several with CUDA, which pip chooses on Linux.
    """
    command = ["-m", "tests.reference.record_ledger", "--check"]
    if "--python" in options:
        named = options[options.index("--python") + 1 :]
        if not named:
            raise Failure("--python wants the path of a Python that has PyTorch.")
        python = Path(named[0]).absolute()
        agreed = subprocess.run([str(python), *command], cwd=ROOT).returncode == 0
    else:
        set_up("oracle", venv=ORACLE)
        agreed = run(*command, check=False, venv=ORACLE)
    if not agreed:
        raise Failure("PyTorch and tests/reference/ledger.json disagree; see above.")


def pdf(options: Sequence[str]) -> None:
    """Print the whole book into _build/book.pdf (--paper Letter; needs Chromium)."""
    set_up("book", "test")
    build_book()
    run("tools/pdf.py", *options)


def lite(options: Sequence[str]) -> None:
    """Build the book with a JupyterLite in it, to publish: _build/site (--serve)."""
    set_up("book")
    set_up("lite", venv=LITE)
    build_book()
    run("tools/lite/build.py", "--python", python_of(LITE))
    if "--serve" in options:
        webbrowser.open("http://localhost:8000")
        server = ("-m", "http.server", "8000", "--bind", "127.0.0.1", "--directory")
        run(*server, BUILD / "site")


def lint(options: Sequence[str]) -> None:
    """Format and lint the tools and the tests."""
    set_up("book", "test")
    own = [name for name in CODE if name != "minigrad"]
    run("-m", "ruff", "check", "--fix", *own, *options)
    run("-m", "ruff", "format", *own)


def clean(options: Sequence[str]) -> None:
    """Remove what was built (with --all, the virtual environments too)."""
    for folder in (BUILD, *([VENV, PEERS, ORACLE, LITE] if "--all" in options else [])):
        shutil.rmtree(folder, ignore_errors=True)
    environments = " and the virtual environments" if "--all" in options else ""
    print(f"Removed _build{environments}")


COMMANDS = (
    book,
    test,
    lab,
    workbook,
    grade,
    tangle,
    normalize,
    execute,
    serve,
    bench,
    oracle,
    pdf,
    lite,
    lint,
    clean,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; its own options follow its name."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in COMMANDS:
        summary = command.__doc__.splitlines()[0]
        sub = commands.add_parser(command.__name__, help=summary, description=summary)
        sub.set_defaults(run=command)
    chosen, options = parser.parse_known_args(arguments)
    try:
        chosen.run(options)
    except Failure as failure:
        print(f"\nFAILED: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
