"""book/cheat-sheet.md says what minigrad does: its tables are run."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch

TEXT = (Path(__file__).parents[1] / "book/cheat-sheet.md").read_text(encoding="utf-8")


def rows(title: str) -> list[list[str]]:
    """The cells of all tables of a section, without their headers."""
    section = re.search(rf"(?ms)^## {re.escape(title)}$(.*?)(?=^## |\Z)", TEXT)[1]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    rule = [k for k, line in enumerate(lines) if line.startswith("| ---")]
    head = {k - 1 for k in rule} | set(rule)
    body = [line for k, line in enumerate(lines) if k not in head]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in body]


def code(cell: str) -> str:
    """The one piece of code in a cell."""
    (found,) = re.findall(r"`([^`]+)`", cell)
    return found


def names():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    return {"torch": torch, "x": x, "c": torch.tensor([3.0, 4.0])}


@pytest.mark.parametrize("row", rows("Leaf or not?"), ids=lambda row: row[0])
def test_leaf_or_not(row):
    made, leaf, wants, after = row
    space = names()
    y = eval(code(made), space)
    assert [y.is_leaf, y.requires_grad] == [leaf == "yes", wants == "yes"]
    (y * space["x"]).sum().backward()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert (y.grad is not None) == ("filled" in after)
    if "retain_grad" in after:
        space = names()
        y = eval(code(made), space)
        y.retain_grad()
        y.sum().backward()
        assert y.grad is not None
    if "and not" in after:
        space = names()
        eval(code(made), space).sum().backward()
        assert space["x"].grad is None


def vjp_cases():
    for row in rows("What goes back (the vjp)"):
        if len(row) == 3:
            yield from ((row[0], row[k], "xw"[k - 1]) for k in (1, 2))
        else:
            yield from ((row[k], row[k + 1], "x") for k in (0, 2))


@pytest.mark.parametrize(("operation", "rule", "to"), list(vjp_cases()))
@pytest.mark.parametrize("tie", [False, True])
def test_what_goes_back(operation, rule, to, tie):
    rng = np.random.default_rng(0)
    x, w = (rng.uniform(0.5, 2.0, (3, 3)) for _ in range(2))
    if tie:
        w[1] = x[1]
        x[2, 1] = x[2, 2] = 9
    leaves = {n: torch.tensor(a, requires_grad=True) for n, a in (("x", x), ("w", w))}
    y = eval(code(operation), {"torch": torch, **leaves})
    g = rng.uniform(-1, 1, y.shape)
    y.backward(gradient=torch.tensor(g))
    arrays = {"x": x, "w": w, "y": y.detach().numpy(), "g": g}
    expected = eval(code(rule), {**vars(np), **arrays})
    found = leaves[to].grad.numpy()
    found = found[0] if rule.startswith("row 0") else found
    assert np.shape(expected) == found.shape
    np.testing.assert_allclose(found, expected, rtol=1e-10)


@pytest.mark.parametrize("row", rows("Modes"), ids=lambda row: row[0])
def test_modes(row):
    inside, records, comes = row
    space = names()
    if inside == "(nothing)":
        y = space["x"] * space["c"]
    else:
        with torch.no_grad(), eval(code(inside), space):
            y = space["x"] * space["c"]
    assert y.requires_grad == (records == "yes")
    assert (space["c"] * space["c"]).requires_grad is False
    z = torch.ones(2, requires_grad=True)
    if "leaves" in comes:
        assert y.is_leaf
    if "no later" in comes:
        with pytest.raises(RuntimeError, match="Inference tensors"):
            z * y
    else:
        (z * y).sum().backward()


def test_evaluation_is_no_mode_of_recording():
    layer = torch.nn.Linear(2, 1).eval()
    assert layer(torch.ones(2)).requires_grad


def test_hooks():
    """Each row: what the hook is called with, and what becomes of its result."""
    table = {code(row[0]).split(".")[1]: row for row in rows("Hooks")}
    assert len(rows("Hooks")) == 5
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    y = x * 3
    y.register_hook(lambda grad: grad * 10)
    x.register_post_accumulate_grad_hook(lambda t: seen.append(t.grad.tolist()))
    y.sum().backward()
    assert seen == [[30.0, 30.0]]
    assert table["register_post_accumulate_grad_hook(f)"][2] == "is ignored"

    x.grad, y = None, x * 3
    y.grad_fn.register_prehook(lambda outs: (outs[0] * 2,))
    y.grad_fn.register_hook(lambda ins, outs: (ins[0] + outs[0], *ins[1:]))
    y.sum().backward()
    assert x.grad.tolist() == [8.0, 8.0]  # 2 · 3 + 2
    assert "grad_outputs" in table["register_prehook(f)"][1]

    layer = torch.nn.Linear(2, 1)
    layer.register_full_backward_hook(lambda module, ins, outs: (ins[0] * 0 + 7,))
    v = torch.ones(1, 2, requires_grad=True)
    layer(v).sum().backward()
    assert v.grad.tolist() == [[7.0, 7.0]]


X = "x = torch.ones(2, requires_grad=True)\n"
PROGRAMS = (
    X + "y = (x * x).sum()\ny.backward()\ny.backward()",
    X + "(x * 2).backward()",
    X + "x.detach().sum().backward()",
    X + "z = torch.ones(2, requires_grad=True)\ntorch.autograd.grad(x.sum(), z)",
    X + "(x * 2).backward(gradient=torch.ones(3))",
    X + "y = x.exp()\ny += 1\ny.sum().backward()",
    X + "x -= 1",
    X + "y = x * 2\ny.sum().backward()\ny.grad",
    X + "x.numpy()",
    "torch.tensor([1], requires_grad=True)",
    X + "with torch.inference_mode():\n    c = torch.ones(2)\n(x * c).sum().backward()",
)


@pytest.mark.parametrize(
    ("row", "program"),
    list(zip(rows("What the message means"), PROGRAMS, strict=True)),
    ids=lambda each: each[0][:30] if isinstance(each, list) else "",
)
def test_the_messages(row, program):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((RuntimeError, UserWarning)) as raised:
            exec(program, {"torch": torch})
    said = str(raised.value)
    assert row[0] in said
    if chapter := re.search(r"\(Chapter (\d+)\)$", said):
        assert f"[Chapter {chapter[1]}]" in row[2]
