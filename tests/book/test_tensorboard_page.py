"""The graph page of TensorBoard, in a real browser, on a file that minigrad wrote."""

import pytest

import build_book
import minigrad as torch
from minigrad import nn
from minigrad.utils.tensorboard import SummaryWriter
from tests.book import browser_checks as checks
from tests.book import tensorboard_pages as pages
from tests.book.test_site import path_of_chromium


class Residual(nn.Module):
    """A module with modules in it, and an operation of its own."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 3), nn.Tanh())
        self.head = nn.Linear(3, 1)

    def forward(self, x):
        return self.head(x + self.inner(x))


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    path = path_of_chromium()
    with SummaryWriter(folder / "first") as writer:
        writer.add_graph(Residual(), torch.ones(5, 3))
        for step in range(3):
            writer.add_scalar("loss", 1 / (1 + step), step)
    with pages.tensorboard(folder) as address, checks.chromium(path) as browser:
        page = browser.new_page(viewport={"width": 1200, "height": 900})
        page.set_default_timeout(40_000)
        page.address = address
        yield page


def test_the_graph_page_shows_the_modules_and_opens_them(page):
    pages.open_graph(page, page.address)
    names = {"input", "inner", "AddBackward0", "head", "output"}
    assert pages.names_drawn(page) == names
    page.locator("g.node[data-name='inner']").dblclick()
    page.wait_for_selector("g.node[data-name='inner/0']")
    assert {"inner/0", "inner/1"} <= pages.names_drawn(page)
    shapes = page.locator("g.edges text").all_text_contents()
    assert any("5×3" in shape for shape in shapes), shapes


def test_the_scalars_are_served(page):
    answer = page.request.get(
        f"{page.address}/data/plugin/scalars/scalars?tag=loss&run=first"
    )
    steps = [(step, round(value, 4)) for _, step, value in answer.json()]
    assert steps == [(0, 1.0), (1, 0.5), (2, 0.3333)]


def test_the_picture_in_the_book_is_modest():
    picture = build_book.ROOT / pages.PICTURE
    assert 5_000 < picture.stat().st_size < 60_000
