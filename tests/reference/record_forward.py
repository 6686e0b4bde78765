"""Record what PyTorch's forward mode answers: python -m tests.reference.record_forward.

Each of PROGRAMS is an expression in x, a matrix, and y, a vector, which both have
tangents; recorded is the tangent of its value. Each of REFUSED raises; recorded are the
type and the message.
"""

import importlib
import json
from pathlib import Path

PROGRAMS = """x.sin()
x.exp() * y|x / (1 + y * y)|x @ x.t()|x @ y|x.sum()|x.mean(1)|x.var(0)
x.std(1)|x.softmax(1)|x.log_softmax(0)|torch.logsumexp(x, 1)|x.norm()|x.amax(1)
x.max(1)[0]|x.sort(1)[0]|x.cumsum(1)|x.cumprod(1)|x.prod()|x[0]|x[:, [0, 0, 2]]
torch.cat([x, x * 2])|torch.stack([y, y.exp()])|x.t()|x.reshape(3, 2)|x.flip(0)
torch.where(x > 0, x, y)|x.clamp(-0.5, 1.0)|torch.maximum(x, y)|x.relu()|x.sigmoid()
x.abs()|x.floor()|x ** 3|x ** 2 + y|torch.einsum("ij,j->i", x, y)|x.tril()
torch.linalg.inv(x @ x.t())|torch.linalg.det(x @ x.t())|x.clone().mul_(y)
torch.linalg.solve(x @ x.t(), x)|x.expand(2, 2, 3)|x.diagonal()|x.detach()|(x > 0)
torch.outer(y, y)|x.clone().zero_()|x.clone().add_(1)|torch.dot(y, y)|x.double()"""
PROGRAMS = PROGRAMS.replace("\n", "|").split("|")
REFUSED = """in_level(lambda: ad.enter_dual_level())|ad.exit_dual_level()
ad.make_dual(one, one)|in_level(lambda: ad.make_dual(one, row))
in_level(lambda: ad.make_dual(row, one))
in_level(lambda: ad.make_dual(torch.tensor([1, 2]), one))
in_level(lambda: ad.make_dual(one, torch.tensor([1])))
in_level(lambda: ad.make_dual(ad.make_dual(one, one), one))"""
REFUSED = REFUSED.replace("\n", "|").split("|")
FILE = Path(__file__).with_name("forward.json")


def answer(torch, program: str) -> list | None:
    """The tangent of a program's result, as nested lists; None if it has none."""
    ad = importlib.import_module(f"{torch.__name__}.autograd.forward_ad")
    with ad.dual_level():
        values = [[0.5, -1.25, 2.0], [-0.75, 1.5, 3.25]], [0.25, -0.5, 0.75]
        moves = [[1.0, 0.5, -0.25], [0.75, -1.0, 0.5]], [0.5, 1.0, -2.0]
        x, y = (
            ad.make_dual(*(torch.tensor(t, dtype=torch.float64) for t in pair))
            for pair in zip(values, moves, strict=True)
        )
        tangent = ad.unpack_dual(
            eval(program, {"torch": torch, "x": x, "y": y})
        ).tangent
        return None if tangent is None else tangent.tolist()


def refusal(torch, program: str) -> list[str]:
    """The type and the message of the error that a program raises."""
    ad = importlib.import_module(f"{torch.__name__}.autograd.forward_ad")

    def in_level(call):
        with ad.dual_level():
            return call()

    names = {"torch": torch, "ad": ad, "in_level": in_level}
    names |= {"one": torch.ones(1), "row": torch.ones(2)}
    try:
        eval(program, names)
    except Exception as error:
        return [type(error).__name__, str(error).split("\n")[0]]
    raise AssertionError(f"no error: {program}")


if __name__ == "__main__":
    import torch

    found = {
        "tangents": {program: answer(torch, program) for program in PROGRAMS},
        "errors": {program: refusal(torch, program) for program in REFUSED},
    }
    FILE.write_text(json.dumps(found, indent=0) + "\n", encoding="utf-8")
