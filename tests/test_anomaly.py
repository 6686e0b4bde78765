"""Anomaly mode, gradient edges and called nodes against PyTorch 2.13's answers."""

import pytest

import minigrad as torch
from minigrad.autograd import anomaly_mode, engine, function
from tests.reference import ledger
from tests.reference.record_graph import CASES, RECORDED

ANSWERS = ledger.answers(RECORDED)


def test_every_program_has_an_answer():
    assert set(CASES) == set(ANSWERS)


@pytest.mark.parametrize("name", CASES)
def test_it_answers_as_pytorch_does(name):
    before = function.carry, engine._propagate, function.special
    found = ledger.problems(ledger.run(CASES[name], torch), ANSWERS[name])
    assert not found, f"{CASES[name]}\n" + "\n".join(found)
    assert (function.carry, engine._propagate, function.special) == before


def test_the_warning_quotes_the_line_that_made_the_node():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = (x.sqrt() * 0).sum()  # the culprit
        with (
            pytest.warns(UserWarning, match="Error detected in SqrtBackward0") as said,
            pytest.raises(RuntimeError, match="returned nan values in its 0th output"),
        ):
            y.backward()
    assert str(said[0].message).rstrip().endswith("# the culprit")
    assert x.grad is None


def test_a_recorded_pass_names_the_step_that_made_the_node():
    x = torch.tensor([0.0, 1.0], requires_grad=True)
    with torch.autograd.set_detect_anomaly(True):
        y = (x**1.5).sum()  # made here
        (slope,) = torch.autograd.grad(y, x, create_graph=True)
        with pytest.warns(UserWarning) as said, pytest.raises(RuntimeError):
            (slope * 0).sum().backward()
    assert "Previous calculation was induced by Pow" in str(said[1].message)
    assert str(said[1].message).rstrip().endswith("# made here")


def test_when_it_is_over_nothing_of_it_is_left():
    x = torch.tensor([2.0], requires_grad=True)
    h = x * x
    y = (h * h).sum()
    with torch.autograd.set_detect_anomaly(True):
        y.backward(retain_graph=True)
    nodes = [h.grad_fn, y.grad_fn]
    assert not any(isinstance(n.hooks, anomaly_mode.Guard) for n in nodes)
    assert anomaly_mode.state.running == [None]
    assert not h.grad_fn.metadata


def test_a_pass_within_a_pass_says_both():
    x = torch.tensor([0.0, 1.0], requires_grad=True)

    def inner(g):
        with torch.enable_grad():
            (x.sqrt() * 0).sum().backward()

    with torch.autograd.set_detect_anomaly(True):
        y = x * 2
        y.register_hook(inner)
        with pytest.warns(UserWarning) as said, pytest.raises(RuntimeError):
            y.sum().backward()
    said = [str(w.message).strip() for w in said]
    assert said[0].startswith("Error detected in SqrtBackward0")
    assert said[1].startswith("Previous calculation was induced by MulBackward0")
    assert said[2].startswith("Error detected in MulBackward0")


def test_an_edge_keeps_no_numbers_alive():
    x = torch.ones(1000, requires_grad=True)
    edge = torch.autograd.graph.get_gradient_edge(x * 2)
    assert edge.like._array.base.size == 1


def test_copies_go_with_their_nodes():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    with torch.autograd.graph.allow_mutation_on_saved_tensors() as copies:
        y = (x * x).sum()
        assert len(copies) == 2
        y.backward()
        assert len(copies) == 0
