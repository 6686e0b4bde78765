"""Record what PyTorch answers about changes in place, versions and views.

Run at the root of the repository, with a Python that has PyTorch and NumPy:

    python -m tests.reference.record_inplace

It writes inplace.json beside this file: for each program the repr of its last line, or
the type and message of the error. The tests run the same programs on minigrad. The
programs are those of inplace.txt, and two tables that are made here: every method with
an underscore, and every operation with each of its arrays changed before `backward`.
"""

import re
from pathlib import Path

from tests.reference import ledger

CASES: dict[str, str] = {}
WRITTEN = Path(__file__).with_name("inplace.txt").read_text(encoding="utf-8")
for block in re.split(r"(?m)^=== ", WRITTEN)[1:]:
    theme, programs = block.split("\n", 1)
    for program in programs.strip().split("\n---\n"):
        CASES[f"{theme}: {'; '.join(program.split(chr(10)))}"] = program


def words(text: str) -> list[str]:
    """The words of a text."""
    return text.split()


START = """\
x = torch.tensor([0.3, 0.6], requires_grad=True)
w = torch.tensor([0.5, 0.9], requires_grad=True)
y, c, k = x * 1.25, w * 1.1, w.detach() * 1.1
"""
FOUND = "(x.grad, w.grad)"
ONE = words("""
    abs absolute acos arccos arcsin arctan asin atan ceil cos cosh erf erfc exp expm1
    floor log log10 log1p log2 neg negative reciprocal relu round rsqrt sigmoid sign sin
    sinh sqrt square tan tanh trunc
""")
SEVERAL = {
    "add": "{}", "sub": "{}", "mul": "{}", "div": "{}", "pow": "{}", "divide": "{}",
    "multiply": "{}", "subtract": "{}", "true_divide": "{}", "atan2": "{}",
    "arctan2": "{}", "fmod": "{}", "remainder": "{}", "lerp": "{}, 0.3",
    "masked_fill": "{} > 0.6, 2.0", "clamp": "0.4, 0.7", "clip": "max=0.5",
    "cumprod": "0", "cumsum": "0",
}  # fmt: skip
METHODS = dict.fromkeys(ONE, "") | SEVERAL
for name, arguments in METHODS.items():
    for other in "ck" if "{}" in arguments else "c":
        call = f"{name}_({arguments.format(other)})"
        CASES[f"method: {call}"] = (
            f"{START}same = y.{call} is y\ny.sum().backward()\n"
            "(same, y.detach(), y._version, y.grad_fn.name(), x.grad, w.grad)"
        )
        for victim in dict.fromkeys(("y", "c", other)):
            CASES[f"saved: y.{call}; {victim}.add_(1)"] = (
                f"{START}y.{call}\n{victim}.add_(1)\ny.sum().backward()\n{FOUND}"
            )
    for numbers in ("[1, 2]", "[True, False]")[: 2 if name in ONE[2:] else 1]:
        call = f"{name}_({arguments.format(f'torch.tensor({numbers})')})"
        CASES[f"dtype: {numbers}.{call}"] = f"torch.tensor({numbers}).{call}"

RESULTS = [f"{name}({arguments})" for name, arguments in METHODS.items()]
RESULTS += words("""
    sum() mean() prod() max() min() amax() norm() std() var() logsumexp(0) softmax(0)
    log_softmax(0) max(0).values min(0).values sort().values topk(1).values median()
    maximum({}) minimum({}) t() view(2,1) clone() pow(2) pow(3.5) squeeze()
""")
for call in RESULTS:
    call = call.format("c")
    for victim in ("y", "c", "z"):
        CASES[f"saved: z = y.{call}; {victim} is overwritten"] = (
            f"{START}z = y.{call}\n{victim}.detach().mul_(2)\n"
            f"(z * torch.ones(1)).sum().backward()\n{FOUND}"
        )

TABLE = ["y + c", "y - c", "y * c", "c * y", "y / c", "c / y", "y ** c", "y ** 3"]
TABLE += ["y.exp()", "y.log()", "y.tanh()", "y.relu()", "y.sqrt()", "y.sigmoid()"]
TABLE += ["y.sin()", "y.abs()", "1 / y", "y.sum()", "y.clone()", "y.view(2, 1)"]
for operation in TABLE:  # the table of the chapter
    for victim in ("y", "c", "result"):
        CASES[f"table: {operation}, {victim}.zero_()"] = (
            f"x = torch.tensor([0.5, 2.0], requires_grad=True)\ny = x * 1\n"
            f"c = torch.tensor([3.0, 4.0])\nresult = {operation}\n"
            f"{victim}.detach().zero_()\nresult.sum().backward()\nx.grad"
        )

RECORDED = Path(__file__).with_name("inplace.json")

# where minigrad says the same in other words: the words that it uses
WORDED = {"dtype: [1, 2].lerp_(torch.tensor([1, 2]), 0.3)": "not implemented for"}
# where minigrad answers otherwise, and why
DIFFERENT = {
    "table: y ** c, result.zero_()": "PyTorch's power saves what no rule will read",
}


def main() -> None:
    """Run all programs on PyTorch and write what they come to."""
    ledger.record(CASES, RECORDED)


if __name__ == "__main__":
    main()
