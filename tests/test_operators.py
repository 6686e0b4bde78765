"""Every operator of the table, against PyTorch's recorded answers."""

import json
import math
import re
from pathlib import Path

import numpy as np
import pytest

import minigrad as torch
from minigrad import elementwise, indexing, linalg, reductions, selections, shapes
from tests.operators import answer, ch09, ch10, operands
from tests.reference.record_operators import FILE, dtypes, table

RECORDED = json.loads(Path(FILE).read_text(encoding="utf-8"))
CASES = {
    f"{case.id} {dtype}": (case, dtype) for case in table() for dtype in dtypes(case)
}
PRECISION = {"float64": 1e-9, "float32": 2e-5, "int64": 2e-5, "bool": 2e-5}


def near(a, b, within: float) -> bool:
    """Whether two recorded numbers, or lists of them, agree."""
    if isinstance(a, list) and isinstance(b, list):
        return len(a) == len(b) and all(
            near(*pair, within) for pair in zip(a, b, strict=True)
        )
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=within, abs_tol=within)
    if {type(a), type(b)} == {int, float}:
        return False
    return a == b


def differences(found: dict, expected: dict, within: float) -> list[str]:
    """Where two answers differ."""
    if "error" in expected:
        return [] if found.get("error") == expected["error"] else ["error"]
    if "error" in found:
        return [f"{found['error']}: {found['message']}"]
    wrong = [
        k
        for k in expected
        if k not in found or (k == "node" and found[k] != expected[k])
    ]
    wrong += [k for k in found if k not in expected]
    for ours, theirs in zip(found["results"], expected["results"], strict=True):
        wrong += [k for k in theirs if not near(ours.get(k), theirs[k], within)]
    for k in ("first", "second"):
        if k in found and k in expected and not near(found[k], expected[k], within):
            wrong.append(k)
    return wrong


UNLIKE = {**ch09.UNLIKE, **ch10.UNLIKE}


def unlike(key: str, wrong=()) -> bool:
    """Whether the answer is on the list of those that may differ (in what is wrong)."""
    if [*wrong] == ["node"]:
        key = f"NODE {key}"
    return any(part in key for part in UNLIKE)


@pytest.mark.parametrize("key", RECORDED)
def test_answers_as_pytorch_did(key):
    case, dtype = CASES[key]
    found = json.loads(json.dumps(answer(torch, case, dtype)))
    wrong = differences(found, RECORDED[key], PRECISION[dtype])
    assert wrong == [] or unlike(key, wrong), (wrong, found, RECORDED[key])


def test_all_cases_are_recorded():
    assert [*RECORDED] == [*CASES]


@pytest.mark.parametrize("part", UNLIKE)
def test_what_is_listed_as_different_is_different(part):
    keys = [key for key in RECORDED if part.removeprefix("NODE ") in key]
    assert any(
        differences(
            json.loads(json.dumps(answer(torch, *CASES[key]))),
            RECORDED[key],
            PRECISION[CASES[key][1]],
        )
        for key in keys
    )


MODULES = [elementwise, reductions, selections, indexing, shapes, linalg]
SYNONYMS = {*elementwise.ALIASES, "moveaxis", "swapdims", "concat", "concatenate"}


@pytest.mark.parametrize("module", MODULES)
def test_every_exported_operator_is_in_the_table(module):
    text = " ".join(case.expression for case, _ in CASES.values())
    called = {case.name for case, _ in CASES.values()} | {*re.findall(r"\w+", text)}
    assert {*module.__all__} - SYNONYMS <= called


SMOOTH = [
    key
    for key, stored in RECORDED.items()
    if "first" in stored and key.endswith("float64") and not unlike(key)
    if not any(word in key for word in ("extreme", "corners", "ties", "sqrt(x), x"))
]


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@pytest.mark.parametrize("key", SMOOTH)
def test_gradients_are_those_of_central_differences(key):
    case, dtype = CASES[key]
    tensors = operands(torch, case, dtype)
    found = answer(torch, case, dtype)["first"]

    def weighted(*arrays) -> float:
        x, y = (torch.from_numpy(a) for a in arrays)
        out = eval(case.expression, {"torch": torch, "x": x, "y": y})
        out = (out[0] if isinstance(out, tuple) else out).numpy()
        return float(np.sum(out.reshape(-1) * np.arange(1, out.size + 1) / 8))

    arrays = [t.detach().numpy().copy() for t in tensors]
    for k, gradient in enumerate(found):
        for place, index in enumerate(np.ndindex(arrays[k].shape)):
            if arrays[k][index] == 0 or gradient is None:
                continue  # a corner, or nothing to compare
            values = []
            for shift in (1e-6, 0.0, -1e-6):
                moved = [a.copy() for a in arrays]
                moved[k][index] += shift
                values.append(weighted(*moved))
            right, left = (values[0] - values[1]) / 1e-6, (values[1] - values[2]) / 1e-6
            if math.isclose(left, right, rel_tol=1e-2, abs_tol=1e-3):  # else a corner
                slope = (left + right) / 2
                assert gradient[place] == pytest.approx(slope, rel=1e-4, abs=1e-5)
