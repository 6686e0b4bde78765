"""The API reference has no gap: every public name, its words, its call, its chapter.

That no link of the built pages is dead is tested in ``tests/book/test_pages.py``. Here
the entries are held to the rule of `api.problems`, and the record of what PyTorch has
to what minigrad has.
"""

import dataclasses
import json
import re
from collections import Counter

import pytest
from docutils import nodes

import api
import minigrad
import tangle
import toc
from sphinxext import api as page
from sphinxext.cells import listing_id

ENTRIES = api.entries()
BY_PATH = {entry.path: entry for entry in ENTRIES}
OWN = {"astype"}  # NumPy's name for `to`, for the rules that are written in NumPy


def test_no_public_name_is_undocumented():
    gaps = {entry.path: api.problems(entry) for entry in ENTRIES}
    assert {path: found for path, found in gaps.items() if found} == {}
    assert len(ENTRIES) > 750


def test_everything_that_a_program_can_write_is_listed():
    for name, value in vars(minigrad).items():
        if not name.startswith("_") and not api._is_foreign(value):
            assert f"minigrad.{name}" in BY_PATH, name
    for name in dir(minigrad.Tensor):
        if not name.startswith("_"):
            assert f"minigrad.Tensor.{name}" in BY_PATH or name in OWN, name
    for name in vars(minigrad.nn):
        if isinstance(getattr(minigrad.nn, name), type):
            assert f"minigrad.nn.{name}" in BY_PATH, name


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"doc": ""}, "no sentence"),
        ({"doc": "The sine of an angle in"}, "no sentence"),
        ({"place": None}, "no chapter exports it"),
        ({"torch": ""}, "no counterpart in PyTorch"),
        ({"signature": "where"}, "no signature"),
        ({"signature": "where(x=<object at 0x12>)"}, "an address in the signature"),
    ],
)
def test_a_gap_is_found(change, problem):
    entry = BY_PATH["minigrad.Tensor.where"]
    assert api.problems(entry) == []
    (found,) = api.problems(dataclasses.replace(entry, **change))
    assert found.startswith(problem)


def test_what_pytorch_has_was_asked_of_what_minigrad_has():
    stored = json.loads(api.RECORDED.read_text(encoding="utf-8"))
    assert stored["torch"].startswith("2.13")
    mirrored = [space for space in api.NAMESPACES if space.torch]
    known = {
        f"{space.module}.{name}" for space in mirrored for name in api.candidates(space)
    }
    assert {*stored["names"]} <= known, "record again: tests/reference/record_api.py"
    for path, theirs in stored["names"].items():
        assert theirs == path.replace("minigrad", "torch", 1)
    listed = {entry.path for entry in ENTRIES if entry.space.torch and not entry.torch}
    assert listed == {
        "minigrad.autograd.graph.draw",
        "minigrad.autograd.graph.step_through",
    }


def test_every_entry_names_a_cell_that_builds_it():
    for entry in ENTRIES:
        place, words = entry.place, re.findall(r"\w+", entry.place.source)
        made = entry.name in words or entry.space.module == "minigrad.Tensor"
        assert made or entry.kind != "class", entry.path
        assert place.stem in {chapter.file.stem for chapter in toc.chapters()}


@pytest.mark.parametrize("chapter", toc.chapters(), ids=lambda c: c.file.stem)
def test_every_anchor_is_one_of_the_chapter(chapter):
    counts: Counter[str] = Counter()
    anchors = {}
    for file, source in tangle.exported(chapter):
        counts[file] += 1
        anchors[listing_id(file, counts[file])] = source
    for entry in page.exported_by(chapter.file.stem):
        assert anchors[entry.place.anchor] == entry.place.source


def test_anchors_are_unique_on_their_page():
    anchors = Counter((entry.space.page, entry.anchor) for entry in ENTRIES)
    assert [anchor for anchor, count in anchors.items() if count > 1] == []


@pytest.mark.parametrize(
    ("path", "signature", "chapter", "file"),
    [
        ("minigrad.exp", "exp(input)", 5, "minigrad/ops.py"),
        ("minigrad.add", "add(input, other, *, alpha=1)", 5, "minigrad/ops.py"),
        ("minigrad.Tensor.sum", None, 5, "minigrad/ops.py"),
        ("minigrad.Tensor.grad", "grad", 4, "minigrad/tensor.py"),
        ("minigrad.Tensor.float", "float()", 5, "minigrad/ops.py"),
        ("minigrad.softmax", None, 9, "minigrad/reductions.py"),
        ("minigrad.inverse", None, 10, "minigrad/linalg.py"),
        ("minigrad.nn.Linear", None, 17, "minigrad/nn/modules/linear.py"),
        ("minigrad.optim.Adam", None, 18, "minigrad/optim/adam.py"),
        ("minigrad.nn.functional.one_hot", None, 19, "minigrad/nn/functional.py"),
        ("minigrad.rules.unbroadcast", None, 3, "minigrad/rules.py"),
    ],
)
def test_names_are_found_where_they_are_built(path, signature, chapter, file):
    entry = BY_PATH[path]
    assert (entry.place.number, entry.place.file) == (chapter, file)
    assert signature in (None, entry.signature)


def test_an_operator_of_the_table_says_what_it_does():
    entry = BY_PATH["minigrad.mul"]
    assert entry.doc == "The product, element by element, with broadcasting."
    assert entry.gradient == ("x: g * y", "y: g * x")
    assert BY_PATH["minigrad.arccos"].doc == "The same as `acos`."
    assert "int64 (2, 3) → float32 (2, 3)" in BY_PATH["minigrad.sin"].types


def test_a_method_names_a_function_that_has_an_entry():
    named = {entry.function for entry in ENTRIES} - {""}
    assert len(named) > 100 and named <= {*BY_PATH}


def test_errors_are_programs_of_the_ledger():
    found = dict(BY_PATH["minigrad.Tensor.backward"].raises)
    assert "implicit-gradient-only-for-scalars" in found
    assert any(said.startswith("RuntimeError: grad can be") for said in found.values())


def test_a_definition_holds_all_of_it():
    text = page.definition(BY_PATH["minigrad.eye"]).astext()
    for part in ("eye(n: int", "identity matrix", "RuntimeError", "torch.eye"):
        assert part in text
    (built,) = [
        node["refuri"]
        for node in page.definition(BY_PATH["minigrad.eye"]).findall(nodes.reference)
        if node["refuri"].startswith("ch04")
    ]
    assert built.startswith("ch04-tensors.html#listing-minigrad-creation-py-")


def test_a_docstring_becomes_paragraphs():
    doc = "One ``a`` of\n`b`.\n\n    x = 1\n\nNotes\n-----\nTwo."
    first, block, head, last = page.rendered(doc)
    assert first.astext() == "One a of b."
    assert [node.astext() for node in first.findall(nodes.literal)] == ["a", "b"]
    assert isinstance(block, nodes.literal_block) and block.astext() == "x = 1"
    assert head.astext() == "Notes" and last.astext() == "Two."


def test_every_namespace_stands_on_a_page_of_the_book():
    pages = {document.file.stem for document in toc.documents()}
    assert {space.page for space in api.NAMESPACES} == {*api.TITLES} <= pages
    for name, title in api.TITLES.items():
        assert toc.title_of(toc.ROOT / "book" / f"{name}.md") == title
