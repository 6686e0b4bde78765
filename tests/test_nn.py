"""Modules, losses and initial values against what PyTorch 2.13 has answered."""

import json
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from minigrad.autograd import gradcheck, gradgradcheck
from minigrad.nn import functional
from tests.reference.record_nn import PROGRAMS, answer

FILE = Path(__file__).with_name("reference") / "nn.json"
RECORD = json.loads(FILE.read_text(encoding="utf-8"))


def compare(mine, theirs, rtol: float) -> None:
    """Numbers must be close, everything else equal."""
    if isinstance(theirs, list):
        assert isinstance(mine, list) and len(mine) == len(theirs), (mine, theirs)
        for a, b in zip(mine, theirs, strict=True):
            compare(a, b, rtol)
    elif isinstance(theirs, float):
        np.testing.assert_allclose(mine, theirs, rtol=rtol, atol=rtol)
    else:
        assert mine == theirs


def test_many_programs_are_recorded():
    assert len(RECORD) > 300
    assert set(RECORD) == set(PROGRAMS)


@pytest.mark.parametrize("program", dict.fromkeys(PROGRAMS))
def test_answers_as_pytorch_does(program):
    known, found = RECORD[program], answer(torch, program)
    assert ("error" in found) == ("error" in known), found
    if "error" in known:
        assert found["error"][0] == known["error"][0], found["error"]
        start = known["error"][1].strip("'\"").split("\\n")[0].split(". ")[0]
        said = " ".join(found["error"][1].replace("minigrad.", "torch.").split())
        assert " ".join(start.split()).rstrip(".")[:60] in said
        assert "(Chapter " in said or known["error"][0] in ("KeyError", "TypeError")
    else:
        fine = "study(" in program and ".float()" not in program
        compare(found["found"], known["found"], 1e-9 if fine else 1e-6)
    assert [w[0] for w in found["warnings"]] == [w[0] for w in known["warnings"]]
    for mine, theirs in zip(found["warnings"], known["warnings"], strict=True):
        assert mine[1].split(". ")[0] == theirs[1].split(". ")[0]


def test_gradients_of_fused_rules():
    torch.manual_seed(0)
    how = {"dtype": torch.float64, "requires_grad": True}
    x, w, b = torch.randn(4, 3, **how), torch.randn(2, 3, **how), torch.randn(2, **how)
    target = torch.tensor([0, 2, 1, 1])
    for function, given in [
        (functional.linear, (x, w, b)),
        (lambda x: functional.cross_entropy(x, target), (x,)),
        (lambda x: functional.cross_entropy(x, target, reduction="none"), (x,)),
        (
            lambda x, w, b: functional.layer_norm(x, (3,), w[0], torch.cat([b, b[:1]])),
            (x, w, b),
        ),
    ]:
        assert gradcheck(function, given)
        assert gradgradcheck(function, given)


@pytest.mark.parametrize("loss", ["mse_loss", "l1_loss", "smooth_l1_loss"])
def test_the_mean_of_no_losses_is_nan_without_a_warning(loss):
    x = torch.zeros(0, requires_grad=True)
    found = getattr(torch.nn.functional, loss)(x, torch.zeros(0))
    found.backward()
    assert found.isnan().item() and x.grad.tolist() == []
