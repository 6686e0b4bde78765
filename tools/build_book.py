"""Build the book into ``_build/html``: strictly, from scratch, and only when needed.

    python tools/build_book.py            build, unless nothing has changed
    python tools/build_book.py --force    build in any case

The pages show the outputs that are stored in the notebooks; nothing is executed. Every
warning is an error. A warm build would hide the warnings of pages that it does not
visit again, so each build starts from nothing, beside the pages of the last good one,
and replaces them only if it succeeds. What it made of a book with errors is kept in
``_build/rejected`` to look at.
"""

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import cells

ROOT = Path(__file__).resolve().parent.parent
INPUTS = (
    "_config.yml",
    "_toc.yml",
    "constraints.txt",
    "requirements.txt",
    "book/**/*",
    "minigrad/**/*.py",
    "tools/*.py",
    "tools/sphinxext/*.py",
    "tests/reference/**/*",
)
JUPYTER_BOOK = ("-c", "from jupyter_book.cli.main import main; main()", "build")
STRICT = ("--all", "-W", "-n", "--keep-going")
COLOUR = re.compile(r"\x1b\[[\d;]*m")
PROGRESS = re.compile(r"(reading sources|writing output)\.\.\. \[ *(\d+)%\] (\S+)")
WARNING = re.compile(
    r"(?:(?P<file>[^:\n]+?|[A-Za-z]:[^:\n]+?)(?::(?P<line>\d+))?: )?"
    r"(?:WARNING|ERROR|CRITICAL|SEVERE): (?P<text>.*)"
)

ADVICE = {
    "KaTeX": "KaTeX sets the formulas and cannot set this one; the spot is marked.",
    "bibtex key": "Cite by a key of book/references.bib, or add the work there.",
    "stderr": "A cell wrote to stderr. Mend its cause, then execute the chapter again.",
    "not tagged raises-exception": "Mend the cell, or tag it if the error is meant.",
    "callout": "Correct the keyword, or take the bold type off a plain quotation.",
    "toctree": "_toc.yml and the files in book/ do not agree: correct the list.",
    "target not found|unknown document|undefined label|local id not found": (
        "This link leads nowhere: correct the name of the file, heading or label."
    ),
    "image file not readable|download file not readable": "The file is not there.",
    "header level|Non-consecutive": "Headings go down one level at a time: #, ##, ###.",
    "Lexing|lexer": "Give the fence the language of its text; `text` fits all.",
    "lean_theme": "The theme was changed: bring tools/sphinxext/lean_theme.py in line.",
    "duplicate label|Duplicate": "Two places have the same label: rename one.",
}


class BuildError(Exception):
    """The book cannot be built; the message lists every reason, with its place."""


@dataclass(frozen=True)
class Warned:
    """One warning of the build: where, what, and what to do about it."""

    where: str
    text: str

    @property
    def order(self) -> list[tuple[int, str]]:
        """Sort by place, in which cell 2 comes before cell 10."""
        parts = re.split(r"(\d+)", f"{self.where} {self.text}")
        return [(int(part) if part.isdigit() else 0, part) for part in parts]

    @property
    def advice(self) -> str:
        """A sentence for the author."""
        for pattern, sentence in ADVICE.items():
            if re.search(pattern, self.text):
                return sentence
        return "Correct the source there, and build again."

    def __str__(self) -> str:
        """Lay the three out below each other."""
        return f"{self.where}\n    {self.text}\n  → {self.advice}"


def build(root: Path = ROOT, *, force: bool = False) -> bool:
    """Bring ``_build/html`` up to date; True if that took a build.

    Raises
    ------
    BuildError
        If there was a warning or an error.
    """
    output = root / "_build"
    output.mkdir(exist_ok=True)
    with locked(output / ".lock"):
        stamp = output / ".stamp"
        inputs = digest_of_inputs(root)
        current = f"{inputs}\n{digest_of_pages(output / 'html')}"
        if not force and stamp.exists() and stamp.read_text() == current:
            return False
        _build(root, output)
        stamp.write_text(f"{inputs}\n{digest_of_pages(output / 'html')}")
    return True


def _build(root: Path, output: Path) -> None:
    """Build beside the old pages, then put the new ones in their place."""
    workshop, rejected = output / "workshop", output / "rejected"
    for folder in (workshop, rejected):
        shutil.rmtree(folder, ignore_errors=True)
    command = [sys.executable, *JUPYTER_BOOK, str(root)]
    command += ["--path-output", str(workshop), *STRICT]
    environment = os.environ | {"PYTHONHASHSEED": "0", "PYTHONUTF8": "1"}
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        with subprocess.Popen(
            command,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            encoding="utf-8",
            errors="replace",
        ) as sphinx:
            for line in sphinx.stdout:
                show_progress(COLOUR.sub("", line))
        tick("")
        errors.seek(0)
        log = COLOUR.sub("", errors.read())
    pages = workshop / "_build" / "html"
    if sphinx.returncode:
        if pages.is_dir():
            pages.rename(rejected)
        shutil.rmtree(workshop, ignore_errors=True)
        raise BuildError(explain(log, root, rejected))
    shutil.rmtree(output / "html", ignore_errors=True)
    pages.rename(output / "html")
    shutil.rmtree(workshop)


# --------------------------------------------------------------------- what to report


def show_progress(line: str) -> None:
    """Show which page is being read or written."""
    progress = PROGRESS.search(line)
    if progress:
        step, percent, page = progress.groups()
        tick(f"  {step.split()[0]:8}{percent:>4} %  {page}")


def tick(text: str) -> None:
    """Show ``text``: in place on a terminal, on a line of its own elsewhere."""
    if sys.stdout.isatty():
        print(f"\r{text[:78]:<78}", end="" if text else "\r", flush=True)
    elif text:
        print(text, flush=True)


def explain(log: str, root: Path, rejected: Path) -> str:
    """Say what went wrong, or show the end of the log if that is not clear."""
    found = sorted(set(warnings_in(log, root)), key=lambda warned: warned.order)
    if not found:
        return f"Sphinx stopped:\n\n{log.strip()[-3000:]}"
    count = f"{len(found)} thing{'s' * (len(found) > 1)} to put right"
    text = f"{count} before the book can be built:\n\n"
    text += "\n\n".join(map(str, found))
    if rejected.is_dir():
        text += f"\n\nThe pages as far as they got: {rejected / 'book' / 'index.html'}"
    return text


def warnings_in(log: str, root: Path) -> Iterator[Warned]:
    """Find the warnings in Sphinx's log; lines that do not open one continue it."""
    entries: list[list[str]] = []
    for line in log.splitlines():
        if WARNING.fullmatch(line):
            entries.append([line])
        elif line.startswith(("Traceback", "====")) or not line.strip():
            entries.append([])
        elif entries and entries[-1]:
            entries[-1].append(line)
    for lines in filter(None, entries):
        match = WARNING.fullmatch(lines[0])
        text = "\n    ".join([match["text"], *lines[1:]])
        yield Warned(place(match["file"], match["line"], root), text)


def place(file: str | None, line: str | None, root: Path) -> str:
    """Name a place so that it can be found.

    MyST-NB numbers the lines of the n-th cell of a notebook from 10,000 n + 2.
    """
    if not file:
        return "the book as a whole"
    path = Path(file)
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else file
    if not line:
        return name
    number, row = divmod(int(line), 10_000)
    if path.suffix != ".ipynb" or number == 0:
        return f"{name}, line {line}"
    row = max(row - 1, 1)
    try:
        cell = cells.read(path).cells[number - 1]
    except (cells.NotebookError, IndexError):
        return f"{name}, cell {number}, line {row}"
    return f"{cells.place(name, number, cell)}, line {row}"


# ------------------------------------------------------------------ what has changed


def digest_of_inputs(root: Path) -> str:
    """Hash of everything that the pages are made from."""
    digest = hashlib.sha256(sys.version.encode())
    for pattern in INPUTS:
        for file in sorted(root.glob(pattern)):
            if file.is_file() and ".ipynb_checkpoints" not in file.parts:
                name = file.relative_to(root).as_posix()
                content = hashlib.sha256(file.read_bytes()).hexdigest()
                digest.update(f"{name} {content}\n".encode())
    return digest.hexdigest()


def digest_of_pages(folder: Path) -> str:
    """Hash of the names, sizes and times of the built files.

    Cheap, and enough to see that somebody removed or changed one.
    """
    digest = hashlib.sha256()
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            status = file.stat()
            digest.update(f"{file} {status.st_size} {status.st_mtime_ns}\n".encode())
    return digest.hexdigest()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Let one process at a time build; the others wait, and find the work done."""
    with path.open("w") as handle:
        if os.name == "nt":
            import msvcrt

            while True:
                with suppress(OSError):  # it gives up after ten seconds
                    msvcrt.locking(handle.fileno(), msvcrt.LK_LOCK, 1)
                    break
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def main(arguments: list[str] | None = None) -> int:
    """Build the book and say how it went."""
    parser = argparse.ArgumentParser(description="Build the book into _build/html.")
    parser.add_argument("--force", action="store_true", help="build in any case")
    parser.add_argument("--root", type=Path, default=ROOT, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    started = time.monotonic()
    root = options.root.resolve()
    try:
        built = build(root, force=options.force)
    except BuildError as error:
        print(f"The book was not built: {error}", file=sys.stderr)
        return 1
    took = f"built in {time.monotonic() - started:.1f} s" if built else "is up to date"
    print(f"The book {took}: {root / '_build' / 'html' / 'index.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
