"""minigrad against the parity ledger, and the ledger against itself.

What PyTorch answers is recorded in ``reference/ledger.json``; PyTorch is not needed.
A row belongs to a chapter, and the rows of every chapter of the book are run: none can
be skipped.
"""

import re
from dataclasses import replace

import pytest

import minigrad
import toc
from tests.reference import ledger, record_ledger
from tests.reference.differences import DIFFERENCES
from tests.reference.ledger import Answer, Row, Said

RECORDED = ledger.recorded()
CHAPTERS = len(toc.chapters())
ALL = ledger.rows()
ROWS = [row for row in ALL if row.chapter <= CHAPTERS]
DIFFER = [entry for entry in DIFFERENCES if entry.chapter <= CHAPTERS]


def theirs(row: Row) -> Answer:
    """What PyTorch answered."""
    return Answer.load(RECORDED["rows"][row.id])


def one(ident: str) -> Row:
    """The row of that id."""
    return next(row for row in ALL if row.id == ident)


# --------------------------------------------------------------------------- minigrad


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.id)
def test_minigrad_answers_as_pytorch_did(row):
    ours = ledger.run(row.code, minigrad)
    assert ledger.differences(row, ours, theirs(row)) == [], f"\n{row.code}"


@pytest.mark.parametrize("difference", DIFFER, ids=lambda d: d.id)
def test_an_intended_difference_is_still_one(difference):
    recorded = RECORDED["differences"][difference.id]
    ours = ledger.run(difference.code, minigrad)
    assert ours.store() == Answer.load(recorded["minigrad"]).store()
    assert ours.store() != Answer.load(recorded["torch"]).store()
    assert difference.until is None or difference.until > CHAPTERS


# ------------------------------------------------------------------ the ledger itself


def test_every_id_is_one_row_and_kebab_case():
    ids = [entry.id for entry in (*ALL, *DIFFERENCES)]
    assert len(set(ids)) == len(ids)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", ident) for ident in ids)


def test_no_program_stands_twice():
    programs = [entry.code for entry in (*ALL, *DIFFERENCES)]
    assert sorted({p for p in programs if programs.count(p) > 1}) == []


def test_the_recording_belongs_to_the_statements():
    for name, entries in (("rows", ALL), ("differences", DIFFERENCES)):
        programs = {entry.id: entry.code for entry in entries}
        recorded = {key: entry["code"] for key, entry in RECORDED[name].items()}
        assert recorded == programs, "record again: tests/reference/record_ledger.py"


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.id)
def test_a_row_says_and_asserts_something(row):
    answer = theirs(row)
    assert (answer.value is None) != (answer.error is None)
    assert ledger.unmet(row, answer) == []
    assert row.says.endswith((".", "…", ":"))
    assert row.says.count("`") % 2 == 0
    if row.warns:
        assert row.warns.words, "a warning without key words"


def test_many_errors_are_told_by_their_words():
    raising = [row for row in ALL if row.raises]
    assert len(raising) > 60
    assert sum(bool(row.raises.words) for row in raising) > 0.8 * len(raising)


def test_every_chapter_of_the_engine_has_rows():
    counts = [sum(row.chapter == chapter for row in ALL) for chapter in range(4, 9)]
    assert min(counts) >= 8
    assert sum(counts) >= 250


def test_a_chapter_in_the_book_cannot_be_skipped():
    assert {row.id for row in ALL if row.chapter <= CHAPTERS} == {r.id for r in ROWS}
    assert all(row.chapter >= 1 for row in ALL)


# -------------------------------------------------------------- wrong answers are found


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.id)
def test_a_wrong_answer_is_rejected(row):
    right = theirs(row)
    assert ledger.differences(row, right, right) == []
    if right.error is None:
        wrong = [
            replace(right, value=right.value + " "),
            replace(right, value=right.value.replace("1", "2", 1) + "?"),
            replace(right, value=None, error=("RuntimeError", "no")),
            replace(right, value=None, error=("AttributeError", "no")),
        ]
    else:
        category, message = right.error
        wrong = [
            replace(right, error=None, value="None"),
            replace(right, error=("ArithmeticError", message)),
            replace(right, reached_last_line=False),
        ]
        if row.raises.words:
            wrong.append(replace(right, error=(category, "something went wrong")))
    wrong.append(replace(right, warnings=(*right.warnings, ("UserWarning", "beware"))))
    if row.warns:
        wrong.append(replace(right, warnings=()))
        wrong.append(replace(right, warnings=(("UserWarning", "something else"),)))
        wrong.append(
            replace(right, warnings=(("RuntimeWarning", *right.warnings[0][1:]),))
        )
    for answer in wrong:
        assert ledger.differences(row, answer, right) != [], answer


class Broken:
    """minigrad with some of its functions replaced."""

    def __init__(self, **replaced):
        self.__dict__.update(replaced)

    def __getattr__(self, name):
        return getattr(minigrad, name)


@pytest.mark.skipif(CHAPTERS < 4, reason="Chapter 4 builds what is broken here")
def test_a_broken_minigrad_is_noticed():
    def double(*args, **options):
        options.setdefault("dtype", minigrad.float64)
        return minigrad.tensor(*args, **options)

    broken = Broken(tensor=double)
    noticed = [
        row.id
        for row in ALL
        if row.chapter == 4
        and ledger.differences(row, ledger.run(row.code, broken), theirs(row))
    ]
    assert {"floats-become-float32", "ints-become-int64", "repr-bools"} <= set(noticed)
    assert "array-keeps-its-dtype" not in noticed


# ------------------------------------------------------------------ the small machinery


def test_said_is_read_from_a_line():
    said = Said.parse("RuntimeError: size of a … Chapter: 4")
    assert said == Said("RuntimeError", ("size of a", "Chapter: 4"))
    assert Said.parse("TypeError") == Said("TypeError", ())
    assert said.missing("the size  of a tensor") == ["Chapter: 4"]


def test_run_tells_where_a_program_stopped():
    assert ledger.run("1 / 0", None).error == ("ZeroDivisionError", "division by zero")
    assert ledger.run("1 / 0", None).reached_last_line
    assert not ledger.run("1 / 0\n2", None).reached_last_line
    assert ledger.run("def f():\n    return a\na = 2\nf()", None).value == "2"


def test_run_collects_warnings_and_forgets_addresses():
    code = "import warnings\nwarnings.warn('as at 0x7f01')\nobject()"
    answer = ledger.run(code, None)
    assert answer.value == "<object object>"
    assert answer.warnings == (("UserWarning", "as"),)


def test_answers_survive_json():
    answer = Answer("1", None, (("UserWarning", "so"),))
    assert Answer.load(answer.store()) == answer
    failed = Answer(None, ("ValueError", "no"))
    assert Answer.load(failed.store()) == failed
    assert failed.store() == {"error": ("ValueError", "no")}


def test_a_row_that_promises_too_much_is_not_recorded():
    row = replace(one("floats-become-float32"), raises=Said("ValueError", ()))
    assert record_ledger.broken_promises([row], minigrad) != []


def test_changes_between_two_recordings_are_named():
    old = {"torch": "2.13.0", "rows": {"a": {"value": "1"}}, "differences": {}}
    assert record_ledger.changes(old, old) == []
    new = {"torch": "2.14.0", "rows": {"b": {"value": "1"}}, "differences": {}}
    found = "\n".join(record_ledger.changes(old, new))
    assert "2.14.0" in found
    assert "a: gone" in found
    assert "b: new" in found
    new = {**old, "rows": {"a": {"value": "2"}}}
    assert "a: was" in record_ledger.changes(old, new)[0]


def test_the_recording_is_written_in_one_way_only():
    assert record_ledger.text(RECORDED) == ledger.RECORDED.read_text(encoding="utf-8")
