# Generated from chapter 24 (book/ch24-tensorboard.ipynb): edit the chapter, not this.
"""The writer: PyTorch's SummaryWriter, without a queue."""

import os
import socket
import time
from datetime import datetime
from itertools import count
from pathlib import Path

from minigrad.tensor import Tensor
from minigrad.utils.tensorboard import summary
from minigrad.utils.tensorboard.graph import listing, model_graph, tensor_graph
from minigrad.utils.tensorboard.messages import message
from minigrad.utils.tensorboard.records import RecordFile

NUMBER = count()  # of the files of this process


class _Log:
    """A folder, and the file of events that is open in it, if any."""

    def __init__(self, folder, purge_step=None, suffix: str = ""):
        self.folder, self.purge_step, self.suffix = Path(folder), purge_step, suffix
        self.file = None
        self.open()

    def open(self) -> RecordFile:
        """Return the open file; if there is none, begin one, and say its version."""
        if self.file is None:
            self.folder.mkdir(parents=True, exist_ok=True)
            now, host = time.time(), socket.gethostname()
            name = f"events.out.tfevents.{int(now)}.{host}.{os.getpid()}.{next(NUMBER)}"
            self.file = RecordFile(self.folder / (name + self.suffix))
            self.file.append(summary.event(now, version=summary.VERSION))
            if self.purge_step is not None:
                begun = summary.event(now, self.purge_step, session={1: 1})
                self.file.append(begun)
        return self.file


class SummaryWriter:
    """Write scalars, histograms, pictures, texts and graphs for TensorBoard.

    Parameters
    ----------
    log_dir
        The folder of this run; by default ``runs/`` with the time and the machine in
        its name, and ``comment`` behind it.
    purge_step
        For a run that goes on after a crash: what earlier files of the folder say of
        this step and later ones is not shown.
    max_queue, flush_secs
        Accepted as in PyTorch. There is no queue: each record is handed to the
        operating system at once.
    """

    def __init__(
        self,
        log_dir=None,
        comment: str = "",
        purge_step: int | None = None,
        max_queue: int = 10,
        flush_secs: int = 120,
        filename_suffix: str = "",
    ):
        begun = datetime.now().strftime("%b%d_%H-%M-%S")
        named = f"{begun}_{socket.gethostname()}{comment}"
        self.log_dir = str(log_dir or os.path.join("runs", named))
        self._logs = {"": _Log(self.log_dir, purge_step, filename_suffix)}

    def get_logdir(self) -> str:
        """The folder of this run."""
        return self.log_dir


def _add(self, tag: str, make, values, step, walltime, below: str = "") -> None:
    """Append an event with one value; it is complete before the file is touched."""
    if not isinstance(tag, str):
        raise TypeError(
            "bad argument type for built-in operation: a tag is a str, not "
            f"{type(tag).__name__}. Write str(tag) (Chapter 24)"
        )
    now = time.time() if walltime is None else walltime
    record = summary.event(now, step, summary={1: make(tag, *values)})
    if below not in self._logs:
        self._logs[below] = _Log(f"{self.log_dir}/{below}")
    self._logs[below].open().append(record)


def add_scalar(
    self,
    tag,
    scalar_value,
    global_step=None,
    walltime=None,
    new_style=False,
    double_precision=False,
):
    """Add a number: one point of the curve ``tag``."""
    self._add(tag, summary.scalar, (scalar_value,), global_step, walltime)


def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
    """Add points of several curves in one frame; each has a folder below this one."""
    for tag, value in tag_scalar_dict.items():
        below = f"{main_tag.replace('/', '_')}_{tag}"
        self._add(main_tag, summary.scalar, (value,), global_step, walltime, below)


def add_histogram(
    self,
    tag,
    values,
    global_step=None,
    bins="tensorflow",
    walltime=None,
    max_bins=None,
):
    """Add how values are spread."""
    given = values, bins, max_bins
    self._add(tag, summary.histogram, given, global_step, walltime)


def add_image(
    self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"
):
    """Add a picture; floats from 0 to 1, or bytes."""
    given = img_tensor, dataformats
    self._add(tag, summary.image, given, global_step, walltime)


def add_text(self, tag, text_string, global_step=None, walltime=None):
    """Add a text, in Markdown."""
    self._add(tag, summary.text, (text_string,), global_step, walltime)


def add_graph(self, model, input_to_model=None, verbose=False):
    """Run a model once and add the graph that it records; ``verbose`` prints it.

    In place of a model a tensor may be given, for the graph behind it.
    """
    tensor = isinstance(model, Tensor)
    nodes = tensor_graph(model) if tensor else model_graph(model, input_to_model)
    if verbose:
        print(listing(nodes))
    graph = message({1: nodes, 4: {1: 22}})
    self._logs[""].open().append(summary.event(time.time(), graph=graph))


def flush(self):
    """Return when all is on the disk."""
    for log in self._logs.values():
        log.open().flush()


def close(self):
    """Flush and close the files. The next ``add_…`` begins new ones."""
    for log in self._logs.values():
        if log.file is not None:
            log.file.flush()
            log.file.close()
            log.file = None


for method in (
    *(_add, add_scalar, add_scalars, add_histogram, add_image, add_text),
    *(add_graph, flush, close),
):
    setattr(SummaryWriter, method.__name__, method)
SummaryWriter.__enter__ = lambda self: self
SummaryWriter.__exit__ = lambda self, *error: self.close()
