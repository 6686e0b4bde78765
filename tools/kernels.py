"""Start Jupyter kernels that run the book: this Python, a fixed environment.

A kernelspec named ``python3`` may belong to another environment, so none is looked up:
the kernel runs on the interpreter that runs the tools. Its environment makes results
the same from one run and machine to the next.
"""

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from queue import Empty

from ipykernel.kernelspec import get_kernel_dict
from jupyter_client import AsyncKernelManager, BlockingKernelClient, KernelManager
from jupyter_client.kernelspec import KernelSpec, KernelSpecManager

from toc import ROOT

TOOLS = Path(__file__).resolve().parent
FIXED = {
    "PYTHONHASHSEED": "0",  # sets print in one order
    "OMP_NUM_THREADS": "1",  # sums are taken in one order
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYTHONUTF8": "1",
    "TQDM_DISABLE": "1",  # a progress bar shows times
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",  # no remark about frozen modules
}
PERSONAL = ("MPLBACKEND", "MPLCONFIGDIR", "PYTHONSTARTUP", "PYTHONWARNINGS")
STARTUP_TIMEOUT = 60


def environment(packages: Sequence[Path] = (ROOT,)) -> dict[str, str]:
    """Return the environment of a kernel.

    Parameters
    ----------
    packages
        The folders that Python looks in first. The default, the repository, makes
        ``minigrad`` importable without being installed; a folder with a snapshot takes
        its place. ``tools/`` follows, for ``bookkit``.
    """
    inherited = {name: v for name, v in os.environ.items() if name not in PERSONAL}
    path = [*map(str, packages), str(TOOLS), os.environ.get("PYTHONPATH", "")]
    return (
        inherited
        | FIXED
        | {
            "PYTHONPATH": os.pathsep.join(filter(None, path)),
            "IPYTHONDIR": _clean_profile(),
        }
    )


@cache
def _clean_profile() -> str:
    """Return a folder for IPython's files, so that nobody's settings interfere."""
    folder = tempfile.mkdtemp(prefix="book-ipython-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


class ThisPython(KernelSpecManager):
    """Whatever kernel is asked for, give the one that runs on this Python."""

    def get_kernel_spec(self, kernel_name: str) -> KernelSpec:
        """Return the kernelspec of ``sys.executable``."""
        quiet = ["--log-level=ERROR"]  # no remark about encryption on this machine
        return KernelSpec(**get_kernel_dict(extra_arguments=quiet))


def manager() -> AsyncKernelManager:
    """Return a kernel manager for nbclient."""
    return AsyncKernelManager(kernel_spec_manager=ThisPython())


class Kernel:
    """A running kernel that executes one piece of code after another."""

    def __init__(self, process: KernelManager, client: BlockingKernelClient):
        self._process = process
        self._client = client

    def run(self, code: str, timeout: float = 60) -> "Outcome":
        """Execute ``code`` and return what it printed and raised."""
        outcome = Outcome()
        try:
            self._client.execute_interactive(
                code,
                store_history=False,
                allow_stdin=False,
                stop_on_error=False,
                timeout=timeout,
                output_hook=outcome.receive,
            )
        except (TimeoutError, Empty):
            outcome.error = self._explain_silence(timeout)
        return outcome

    def _explain_silence(self, timeout: float) -> str:
        """Say why there was no answer, and stop code that is still running."""
        if not self._process.is_alive():
            return "the kernel died"
        self._process.interrupt_kernel()
        return f"it did not finish within {timeout:g} s"


class Outcome:
    """What became of a piece of code: its output and, if it raised, the error."""

    def __init__(self):
        self.printed = ""
        self.error: str | None = None

    def receive(self, message: Mapping) -> None:
        """Take in one message from the kernel."""
        kind, content = message["header"]["msg_type"], message["content"]
        if kind == "stream" and content["name"] == "stdout":
            self.printed += content["text"]
        elif kind == "error":
            self.error = f"{content['ename']}: {content['evalue']}"


@contextmanager
def kernel(folder: Path, env: Mapping[str, str] | None = None) -> Iterator[Kernel]:
    """Run a kernel in ``folder`` as long as the ``with`` block lasts."""
    process = KernelManager(kernel_spec_manager=ThisPython())
    process.start_kernel(cwd=str(folder), env=dict(env or environment()))
    client = process.blocking_client()
    client.start_channels()
    try:
        client.wait_for_ready(timeout=STARTUP_TIMEOUT)
        yield Kernel(process, client)
    finally:
        client.stop_channels()
        process.shutdown_kernel(now=True)
