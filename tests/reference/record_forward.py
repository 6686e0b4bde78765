"""Record what PyTorch's forward mode answers: python -m tests.reference.record_forward.

Each of PROGRAMS is an expression in x, a matrix, and y, a vector, which both have
tangents; recorded is the tangent of its value. Each of REFUSED raises; recorded are the
type and the message.
"""

import importlib
import json
from pathlib import Path

PROGRAMS = """\
x.sin()|x.exp() * y|x / (1 + y * y)|x @ x.t()|x @ y|x.sum()|x.mean(1)|x.var(0)
x.std(1)|x.softmax(1)|x.log_softmax(0)|torch.logsumexp(x, 1)|x.norm()|x.amax(1)
x.max(1)[0]|x.sort(1)[0]|x.cumsum(1)|x.cumprod(1)|x.prod()|x[0]|x[:, [0, 0, 2]]
torch.cat([x, x * 2])|torch.stack([y, y.exp()])|x.t()|x.reshape(3, 2)|x.flip(0)
torch.where(x > 0, x, y)|x.clamp(-0.5, 1.0)|torch.maximum(x, y)|x.relu()
x.sigmoid()|x.abs()|x.floor()|x ** 3|x ** 2 + y|torch.einsum("ij,j->i", x, y)
x.tril()|torch.linalg.inv(x @ x.t())|torch.linalg.det(x @ x.t())
x.clone().mul_(y)|torch.linalg.solve(x @ x.t(), x)|x.expand(2, 2, 3)
x.diagonal()|x.detach()|(x > 0)|torch.outer(y, y)|x.clone().zero_()
x.clone().add_(1)|torch.dot(y, y)|x.double()|torch.linalg.slogdet(x @ x.t())[1]
(x * torch.tensor([1.0, 0.0, 1.0])).cumprod(1)
(x * torch.tensor([0.0, 0.0, 1.0])).cumprod(1)
(x * torch.tensor([0.0, 1.0, 1.0])).prod(1)|torch.linalg.det(x[:, :2])
x.median()|x.min(0)[0]|x.topk(2, 1)[0]|x.unbind()[1]|x.split(2, 1)[0]
x.squeeze()|x.unsqueeze(0)|x.transpose(0, 1)|x.repeat(2, 1)
torch.nn.functional.pad(x, (1, 1), value=3.0)|x.triu()|x.trace()|2**x
torch.pow(2.0, x)|torch.pow(x.abs(), x)|x % 2|torch.fmod(x, 2)|torch.atan2(x, y)
x.lerp(y, 0.25)|torch.addmm(x @ x.t(), x, x.t())
torch.einsum("ij,kj,ij->ik", x, x, x)|x.var()|x.std()
x.gather(1, torch.tensor([[0, 2], [1, 1]]))|x.masked_fill(x > 0, 1.0)|x[x > 0]
x.index_select(1, torch.tensor([2, 0]))|x.roll(1, 0)|x.clone().copy_(y)
x.clone().fill_(y[0])|x.clone().t_()|x.clone().transpose_(0, 1)
[z := x.clone(), z[0].mul_(2), z][2]
[z := x.clone(), w := z[:, 1], z.mul_(y), w][3]
[z := x.clone(), z.view(6)[1:3].exp_(), z][2]
[z := torch.zeros(2), z[:1].copy_(y[1:2]), z][2]
[z := x.clone(), z.__setitem__(0, y), z][2]
[z := x.clone(), z.__setitem__((0, 1), 2.0), z][2]
[z := x.clone(), a := z.unbind(), a[0].mul_(3), z][3]
[z := x.clone(), z.detach_(), z][2]"""
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
