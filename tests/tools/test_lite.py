"""tools/lite: what goes into the site in which the chapters run in the browser.

JupyterLite itself is built where ``.venv-lite`` is there (``make lite`` makes it), and
skipped elsewhere; what it is built from is tested everywhere.
"""

import importlib.util
import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

import cells
import toc
from tests.makebook import code, notebook

HERE = toc.ROOT / "tools" / "lite"


def load(name: str, path: Path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


lite = load("lite_build", HERE / "build.py")
PYTHON = toc.ROOT / ".venv-lite" / "bin" / "python"


# -------------------------------------------------------------------------- notebooks


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda c: Path(c.path).stem)
def test_a_chapter_is_prepared_for_the_browser(chapter):
    """A note that names the host, a cell that installs; the rest as it was."""
    before, after = cells.read(chapter.file), lite.prepared(chapter.file)
    note, first, *rest = after.cells
    assert "cdn.jsdelivr.net" in note.source
    assert "\\" not in note.source
    assert first.source.startswith("%pip install -q minigrad bookkit vizjs")
    assert [cell.source for cell in rest] == [cell.source for cell in before.cells]
    assert after.metadata.kernelspec.name == "python"
    wanted = lite.imported(before) - {"minigrad", "bookkit", "pygraphviz", "graphviz"}
    installed = first.source.splitlines()[0].split()[3:]
    for module in wanted - lite.WITHOUT - {"IPython"}:  # which the kernel itself needs
        assert lite.WITH_PYODIDE[module] in installed


def test_a_package_that_the_browser_cannot_have_is_an_error():
    with pytest.raises(lite.LiteError, match="pandas"):
        lite.packages_for(notebook(code("import json, pandas.io")))


def test_the_contents_are_the_notebooks_and_their_data(tmp_path):
    lite.contents(tmp_path / "contents")
    for chapter in toc.chapters():
        file = tmp_path / "contents" / chapter.file.name
        for cell in json.loads(file.read_text("utf-8"))["cells"]:
            assert isinstance(cell["source"], str)
            for output in cell.get("outputs", []):
                assert isinstance(output.get("text", ""), str)
    for file in (toc.ROOT / "book" / "data").iterdir():
        assert (
            tmp_path / "contents/data" / file.name
        ).read_bytes() == file.read_bytes()


# ----------------------------------------------------------------------------- drawing


@pytest.fixture
def viz(monkeypatch):
    monkeypatch.syspath_prepend(HERE / "vizjs")
    for name in ("vizjs", "pygraphviz"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    vizjs = load("vizjs", HERE / "vizjs" / "vizjs.py")
    monkeypatch.setitem(sys.modules, "vizjs", vizjs)
    return vizjs


def test_without_viz_js_the_drawing_is_text(viz, monkeypatch):
    """As minigrad draws without Graphviz: the DOT text, and what to do."""
    from minigrad.utils import drawing

    monkeypatch.setitem(sys.modules, "graphviz", None)
    with pytest.raises(RuntimeError, match=r"(?s)pip install.*digraph"):
        drawing.graphviz(drawing.Plan(), "plain")


def test_with_viz_js_minigrad_draws_through_it(viz, monkeypatch):
    from minigrad.utils import drawing

    asked = []
    viz._viz = object()
    monkeypatch.setattr(viz, "draw", lambda *given: asked.append(given) or b"graph 1")
    assert drawing.graphviz(drawing.Plan(), "plain") == b"graph 1"
    ((source, form),) = asked
    assert source.startswith("digraph")
    assert form == "plain"


def test_what_viz_js_cannot_write_is_refused(viz):
    with pytest.raises(RuntimeError, match="prepare"):
        viz.draw("digraph {}")
    viz._viz = object()
    with pytest.raises(RuntimeError, match="'png'"):
        viz.draw("digraph {}", "png")


# ----------------------------------------------------------------------- what is pinned


def test_everything_is_pinned():
    lines = (HERE / "requirements.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w-]+==[\w.]+", pin) for pin in pins)
    version = tomllib.loads((HERE / "vizjs/pyproject.toml").read_text())["project"]
    assert lite.VIZ.endswith("@" + version["version"])


@pytest.mark.parametrize("folder", [".", "tools"])
def test_the_packages_say_their_licence(folder):
    project = tomllib.loads((toc.ROOT / folder / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["license"] == "MIT"


# -------------------------------------------------------------------------- the site


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """JupyterLite, without viz-js: a test asks no registry."""
    if not PYTHON.exists():
        pytest.skip("no .venv-lite, so JupyterLite was NOT built: run make lite once")
    folder = tmp_path_factory.mktemp("lite")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lite, "viz_js", lambda: b"// viz-js")
        lite.build_lite(PYTHON, folder / "lite")
    return folder / "lite"


def test_the_wheels_are_pure_and_complete(built):
    wheels = sorted((built / "pypi").glob("*.whl"))
    names = [wheel.name.split("-")[0] for wheel in wheels]
    assert names == ["bookkit", "minigrad", "vizjs"]
    for wheel, origin in zip(wheels[:2], ("tools/bookkit", "minigrad"), strict=True):
        assert wheel.name.endswith("-py3-none-any.whl")
        base = (toc.ROOT / origin).parent
        files = (file for file in (toc.ROOT / origin).rglob("*") if file.is_file())
        source = {
            file.relative_to(base).as_posix()
            for file in files
            if file.suffix in (".py", ".mplstyle")
        }
        assert lite.modules_in(wheel) == source
    assert {"vizjs.py", "pygraphviz.py", "vizjs_files/viz-global.js"} <= (
        lite.modules_in(wheels[2])
    )
    index = json.loads((built / "pypi/all.json").read_text("utf-8"))
    assert set(index) == {"bookkit", "minigrad", "vizjs"}


def test_every_notebook_is_in_it_and_the_button_leads_there(built, tmp_path):
    for chapter in toc.chapters():
        assert (built / "files" / chapter.file.name).is_file()
    assert (built / "files/data/alice.txt").is_file()
    assert (built / "notebooks/index.html").is_file()
    pages, site = tmp_path / "html", tmp_path / "site"
    for chapter in toc.chapters():
        page = pages / Path(chapter.path).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        link = f"../lite/notebooks/index.html?path={chapter.file.name}"
        page.write_text(f'<li class="bk-lite" data-lite="{link}" hidden></li>')
    lite.publish(pages, built, site)
    for chapter in toc.chapters():
        text = (site / Path(chapter.path).with_suffix(".html")).read_text("utf-8")
        target, query = re.search(r'href="([^?"]+)\?path=([^"]+)"', text).groups()
        assert (site / "book" / target).is_file()
        assert (site / "lite/files" / query).is_file()


def test_a_page_without_a_place_for_the_button_is_an_error(tmp_path):
    for chapter in toc.chapters():
        page = tmp_path / "html" / Path(chapter.path).with_suffix(".html")
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text("<p>Hello.</p>")
    with pytest.raises(lite.LiteError, match="no place for its button"):
        lite.publish(tmp_path / "html", tmp_path / "lite", tmp_path / "site")
