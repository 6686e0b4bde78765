"""The troubleshooting pages and the misconceptions, each program run on its own.

Every cell with a program must come to what PyTorch 2.13 has answered. An entry must
show its symptom, the fix must remove it, and the popular wrong fix must not; the words
of a message in a heading must be PyTorch's.
"""

import re

import pytest

import minigrad as torch
from tests.reference import ledger
from tests.reference.record_troubles import (
    BOOK,
    CASES,
    CLAIMS,
    ENTRIES,
    EXPERIMENT,
    FIX,
    NO_FIX,
    RECORDED,
    START,
    SYMPTOM,
    TROUBLES,
)

ANSWERS = ledger.answers(RECORDED)
LEAST, LEAST_CLAIMS = 40, 15
each_entry = pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
each_claim = pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
EXPLAINED = re.compile(r"Explained in \[Chapter (\d+): [^]]+\]\(ch(\d\d)-\S+#")


def answer(entry, role) -> ledger.Answer:
    """What PyTorch has answered."""
    return ledger.Answer.load(ANSWERS[entry.case(role)])


def said(found: ledger.Answer) -> str:
    """All that an answer's error and warnings say, spaced alike."""
    told = [*found.warnings, *([found.error] if found.error else [])]
    return " ".join(" ".join(message.split()) for _, message in told)


def test_there_are_enough():
    assert len(ENTRIES) >= LEAST
    assert len(CLAIMS) >= LEAST_CLAIMS
    headings = [entry.heading for entry in [*ENTRIES, *CLAIMS]]
    assert len(set(headings)) == len(headings)


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    torch.set_grad_enabled(True)
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)


# ------------------------------------------------------------------------- the entries


@each_entry
def test_an_entry_is_whole(entry):
    assert not entry.repeated
    assert {SYMPTOM, FIX} <= set(entry.programs)
    assert "**Why.**" in entry.prose and "**The fix.**" in entry.prose
    assert ("**No fix:" in entry.prose) == (NO_FIX in entry.programs)
    (number, file), *more = EXPLAINED.findall(entry.prose)
    assert int(number) == int(file) and not more


@each_entry
def test_the_heading_has_the_words_of_the_message(entry):
    if entry.quoted:
        message = said(answer(entry, SYMPTOM)).replace("`", "")
        assert entry.quoted in message, message


@each_entry
def test_the_fix_removes_the_symptom(entry):
    symptom, fix = answer(entry, SYMPTOM), answer(entry, FIX)
    assert not fix.error and not fix.warnings
    assert fix.value is not None
    assert symptom.error or symptom.value != fix.value


@each_entry
def test_the_wrong_fix_is_wrong(entry):
    if NO_FIX in entry.programs:
        wrong, fix = answer(entry, NO_FIX), answer(entry, FIX)
        assert wrong.error or wrong.value != fix.value


# ------------------------------------------------------------------ the misconceptions


@each_claim
def test_a_claim_is_refuted(claim):
    assert list(claim.programs) == [EXPERIMENT]
    assert "**What is true.**" in claim.prose
    assert EXPLAINED.search(claim.prose)
    names: dict = {"torch": torch}
    *before, last = claim.programs[EXPERIMENT].strip().rsplit("\n", 1)
    exec(compile("\n".join(before), "<claim>", "exec"), names)
    claimed, found = eval(last, names)
    assert repr(claimed) != repr(found)


# --------------------------------------------------------------------------- the pages


@pytest.mark.parametrize("page", TROUBLES)
def test_a_page_defines_what_its_programs_use(page):
    text = (BOOK / f"{page}.ipynb").read_text(encoding="utf-8")
    for line in START.splitlines():
        assert f'"{line}\\n"' in text or f'"{line}"' in text


def test_the_index_lists_every_entry():
    text = (BOOK / "troubleshooting.md").read_text(encoding="utf-8")
    row = r"(?m)^\| \[(.+)\]\((trouble-[a-z]+)\.ipynb#[^)]+\) \| \w+ \| \[Chapter"
    listed = [(page, heading) for heading, page in re.findall(row, text)]
    assert sorted(listed) == sorted((entry.page, entry.heading) for entry in ENTRIES)
    assert f"There are {len(ENTRIES)} entries." in text
