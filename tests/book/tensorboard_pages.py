"""TensorBoard as a program: start it on a folder, and look at its pages.

Run as a script, it draws the picture of Chapter 24 anew, at the root of the repository:

    python -m tests.book.tensorboard_pages
"""

import io
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page

import minigrad as torch
from minigrad import nn
from minigrad.utils.tensorboard import SummaryWriter
from tests.book import browser_checks as checks

PICTURE = Path("book", "images", "ch24-tensorboard.webp")
ALONE = os.environ | {"PYTHONUNBUFFERED": "1", "PYTHONWARNINGS": "ignore"}


@contextmanager
def tensorboard(folder: Path, patience: float = 40) -> Iterator[str]:
    """Start TensorBoard on a folder, at a port that is free; yield its address."""
    command = [sys.executable, "-m", "tensorboard.main", "--logdir", str(folder)]
    command += ["--host", "127.0.0.1", "--port", "0", "--load_fast", "false"]
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, env=ALONE)
        try:
            yield _address(process, log, time.monotonic() + patience)
        finally:
            process.terminate()
            process.wait(timeout=20)


def _address(process: subprocess.Popen, log, until: float) -> str:
    """Wait for the line in which TensorBoard says where it can be found."""
    while time.monotonic() < until and process.poll() is None:
        log.seek(0)
        if found := re.search(r"http://127\.0\.0\.1:\d+", log.read()):
            return found[0]
        time.sleep(0.2)
    log.seek(0)
    raise RuntimeError(f"TensorBoard did not start:\n{log.read()}")


def open_graph(page: Page, address: str) -> None:
    """Go to the graph page and wait until the graph is drawn."""
    page.goto(f"{address}/#graphs", wait_until="domcontentloaded")
    page.wait_for_selector("g.nodes g.node", timeout=40_000)


def names_drawn(page: Page) -> set[str]:
    """The names of the nodes that the graph page shows."""
    nodes = page.locator("g.nodes g.node").evaluate_all(
        "all => all.map(node => node.getAttribute('data-name'))"
    )
    return set(nodes)


def photograph(browser: Browser, address: str) -> bytes:
    """The graph page as PNG, with one module opened."""
    size = {"width": 980, "height": 760}
    page = browser.new_page(color_scheme="light", viewport=size)
    open_graph(page, address)
    page.wait_for_timeout(2000)  # it moves into place
    page.locator("g.node[data-name='2']").dblclick()
    page.wait_for_selector("g.node[data-name='2/weight']")
    page.get_by_text("Legend").click()
    page.get_by_text("Fit to screen").click()
    page.wait_for_timeout(2000)
    return page.screenshot()


def draw(path: Path) -> None:
    """Photograph the graph of the spirals' net, as in Chapter 24, and store it."""
    from PIL import Image

    widths = (2, 24, 24, 1)
    layers = [nn.Linear(a, b) for a, b in zip(widths, widths[1:], strict=False)]
    net = nn.Sequential(layers[0], nn.Tanh(), layers[1], nn.Tanh(), layers[2])
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(Path(folder, "spirals")) as writer:
            writer.add_graph(net, torch.zeros(120, 2))
            writer.add_scalar("loss", 0.7, 0)  # each kind has a tab of its own
            writer.add_histogram("gradients/0.weight", layers[0].weight, 0)
            writer.add_image("answer", torch.zeros(8, 8), 0, dataformats="HW")
            writer.add_text("plan", "Two spirals", 0)
        chromium = checks.chromium(checks.find_chromium())
        with tensorboard(Path(folder)) as address, chromium as browser:
            shot = photograph(browser, address)
    path.parent.mkdir(exist_ok=True)
    Image.open(io.BytesIO(shot)).convert("RGB").save(path, quality=80, method=6)


if __name__ == "__main__":
    draw(PICTURE)
