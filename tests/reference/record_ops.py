"""Record what PyTorch answers to the expressions of chapter 5.

Run with a Python that has PyTorch:

    python tests/reference/record_ops.py

It writes ops.json beside this file: for each expression the values, the dtype, the
shape and the name of the node, or the type and the message of the error. The tests read
that file and do not need PyTorch; they evaluate the same expressions on minigrad.
"""

import json
import math
import warnings
from pathlib import Path

import numpy as np

SETUP = """
f = torch.tensor([1.5, -2.0, 0.5], requires_grad=True)
g = torch.tensor([[1.0, 2.0, 3.0], [-4.0, 5.0, -6.0]], requires_grad=True)
c = torch.tensor([2.0, 4.0, 8.0])
s = torch.tensor(3.0, requires_grad=True)
s0 = torch.tensor(2.0)
d = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
d0 = torch.tensor(2.5, dtype=torch.float64)
h = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float16)
i = torch.tensor([1, -2, 3])
i0 = torch.tensor(7)
k = torch.tensor([1, -2, 3], dtype=torch.int32)
j = torch.tensor([100, -100, 3], dtype=torch.int8)
u = torch.tensor([200, 0, 3], dtype=torch.uint8)
b = torch.tensor([True, False, True])
b0 = torch.tensor(True)
e = torch.zeros(0, 3, requires_grad=True)
e1 = torch.zeros(0)
o = torch.ones(2, 3, 4, requires_grad=True)
col = torch.tensor([[1.0], [2.0]], requires_grad=True)
sq = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
n = np.array([1.0, 2.0, 4.0], dtype=np.float32)
n64 = np.array([1.0, 2.0, 4.0])
nint = np.array([1, 2, 4])
"""

LEFT = ("f", "s", "d", "h", "i", "i0", "k", "j", "u", "b", "b0", "e1", "g")
RIGHT = ("2", "1.5", "True", "np.float64(1.5)", "np.int64(2)", "c", "s0", "d0", "i")
OPERATORS = ("+", "-", "*", "/", "**")
FUNCTIONS = ("exp", "log", "tanh", "relu", "neg", "sum", "clone", "t", "float", "long")


def expressions() -> list[str]:
    """All expressions, in order; each is evaluated in a fresh `environment`."""
    found = [f"{x} {op} {y}" for x in LEFT for op in OPERATORS for y in RIGHT]
    numbers = ("2", "1.5", "True", "np.float64(1.5)")
    found += [f"{y} {op} {x}" for x in LEFT for op in OPERATORS for y in numbers]
    found += [f"{x}.{name}()" for name in FUNCTIONS for x in (*LEFT, "e", "sq")]
    found += [f"torch.{name}({x})" for name in FUNCTIONS[:6] for x in ("f", "g", "i")]
    found += [line.strip() for line in FURTHER.strip().splitlines()]
    return [x for x in dict.fromkeys(found) if x not in ODD]


ODD = {"b ** True", "b0 ** True", "True ** b", "True ** b0"}  # powers of truth values

FURTHER = """
f + f
f - g
f * col
col * f
g / g
g * d
d - f
c - f
c * c
sq ** sq
c ** c
f ** f
i ** torch.tensor([2, 3, 4])
i ** -1
i0 ** -2
i ** 0.5
j ** 2
b ** 2
u ** 2
0.0 ** torch.tensor([0.0, 1.0, -1.0], requires_grad=True)
torch.tensor([0.0, -2.0, 4.0], requires_grad=True) ** 0.5
torch.tensor([0.0, -2.0], requires_grad=True) ** -1
torch.tensor([0.0, -2.0], requires_grad=True) ** 0
torch.pow(f, 2)
torch.pow(2, f)
torch.pow(f, c)
torch.pow(2.0, i)
torch.pow(i, 2)
torch.pow(2, 3)
torch.add(f, 1)
torch.add(f, c, alpha=2)
torch.add(f, c, alpha=0.5)
torch.add(i, i, alpha=2)
torch.add(i, i, alpha=0.5)
torch.add(1, f)
torch.sub(f, c, alpha=2)
torch.sub(f, 1, alpha=3)
torch.mul(f, 2)
torch.mul(f, "a")
torch.mul(2, f)
torch.div(f, 4)
torch.div(i, i)
torch.neg(f)
f.add(1)
f.add(c, alpha=3)
f.sub(c)
f.mul(c)
f.div(c)
f.pow(2)
f.pow(c)
f.neg()
-f
+f
-i
-u
-b
+b
i / i
i0 / 2
u / u
b / b
k / 2
1 / torch.tensor([0.0, -0.0, 2.0], requires_grad=True)
f / 0
torch.tensor([0.0]) / 0
i / 0
torch.log(torch.tensor([0.0, -1.0]))
torch.exp(torch.tensor([1000.0, -1000.0]))
c + n64
i + n64
c - n
c ** n64
f + np.float32(2)
np.float32(2) * f
np.float64(2) - f
np.int64(2) * i
np.float64(2) / i
np.float64(0.5) * i
f + None
f * "a"
f - [1.0, 2.0, 3.0]
"a" + f
None * f
[1.0] - f
f @ 3
3 @ f
i + 2**40
j + 1
j + 200
u + 1
u - 201
u * -1
j * 1.5
b + b
b * b
b - b
b - 1
1 - b
i - b
b - i
b + True
b * 2
b + 0.5
b0 + b0
b0 - b0
e + 1
e * e1
e + torch.ones(3)
e.sum()
e.sum(0)
e.sum(1)
e.exp()
torch.ones(1) + e1
torch.ones(2) + torch.ones(3)
torch.ones(2, 3) * torch.ones(2, 2)
torch.ones(2, 3) - torch.ones(2)
torch.ones(4, 2, 3) / torch.ones(4, 3, 3)
torch.ones(2) ** torch.ones(3)
torch.ones(2) == torch.ones(3)
torch.ones(2) < torch.ones(3)
torch.exp(3)
torch.exp("a")
torch.log(2.0)
torch.tanh(None)
torch.relu([1.0])
torch.sum(3)
torch.neg(1)
torch.exp()
g.sum(0)
g.sum(1)
g.sum(-1)
g.sum(-2)
g.sum((0, 1))
g.sum((1,))
g.sum([0])
g.sum(())
g.sum(dim=0)
g.sum(dim=1, keepdim=True)
g.sum((0, 1), keepdim=True)
g.sum(0, True)
g.sum(axis=1)
g.sum(axis=0, keepdim=True)
g.sum(2)
g.sum(-3)
g.sum((0, 0))
g.sum((0, -2))
g.sum(0.5)
g.sum("a")
g.sum(None)
g.sum(None, keepdim=True)
g.sum(dim=None)
s.sum()
s.sum(0)
s.sum(-1)
s.sum(1)
s.sum(0, keepdim=True)
o.sum((0, 2))
o.sum((-1, 0), keepdim=True)
o.sum(1).sum(1)
torch.sum(o, 2)
torch.sum(o, dim=(0, 1))
i.sum()
k.sum()
j.sum()
u.sum()
b.sum()
b.sum(0)
u.sum(0)
h.sum()
i.sum(dtype=torch.float64)
c.sum(dtype=torch.float64)
f.sum(dtype=torch.float64)
f.sum(0, dtype=torch.float64)
b.sum(dtype=torch.bool)
j.sum(dtype=torch.int8)
g.reshape(3, 2)
g.reshape((6,))
g.reshape([2, -1])
g.reshape(-1)
g.reshape(-1, 1)
g.reshape(4, 2)
g.reshape(-1, 4)
g.reshape(-1, -1)
g.reshape(0, -1)
g.reshape(6, -2)
g.reshape(())
s.reshape(1)
s.reshape(1, 1)
s.reshape(())
s.reshape(-1)
e.reshape(3, 0)
e.reshape(-1)
e.reshape(-1, 0)
e.reshape(0, -1)
e.reshape(0)
g.reshape(shape=(3, 2))
torch.reshape(g, (3, 2))
torch.reshape(g, [3, -1])
g.view(3, 2)
g.view(-1)
g.view((3, 2))
g.view(4)
g.t().view(6)
g.t().reshape(6)
g.t().reshape(2, 3)
g.t().view(3, 2)
g.t().view(3, 1, 2)
g.t().view(2, 3)
g.t().reshape(3, 1, 2)
g.T.reshape(-1)
col.expand(2, 3).view(6)
col.expand(2, 3).reshape(6)
col.expand(2, 3).view(2, 3, 1)
o.permute(2, 0, 1).view(24)
o.permute(2, 0, 1).reshape(24)
o.permute(2, 0, 1).view(4, 6)
o.transpose(0, 1).reshape(6, 4)
g.contiguous().view(6)
g.t().contiguous()
g.t().contiguous().view(6)
g.t().is_contiguous()
g.is_contiguous()
g.transpose(0, 1)
g.transpose(-1, -2)
g.transpose(0, 2)
g.transpose(1, 1)
s.transpose(0, 0)
s.transpose(0, -1)
s.transpose(0, 1)
o.transpose(0, -1)
torch.transpose(o, 1, 2)
g.transpose(dim0=0, dim1=1)
g.t()
f.t()
s.t()
o.t()
torch.t(g)
g.T
f.T
s.T
o.T
g.mT
o.mT
f.mT
s.mT
g.permute(1, 0)
g.permute((1, 0))
g.permute([-1, 0])
o.permute(2, 0, 1)
o.permute(-1, -3, -2)
o.permute(0, 1)
o.permute(0, 1, 2, 3)
o.permute(0, 0, 1)
o.permute(0, 1, 3)
s.permute(())
torch.permute(o, (1, 2, 0))
col.expand(2, 3)
col.expand((2, 3))
col.expand(-1, 3)
col.expand(4, 2, 3)
col.expand(4, -1, -1)
col.expand(-1, 2, 3)
col.expand(3, 3)
col.expand(2)
col.expand(2, -2)
col.expand(0, 3)
f.expand(2, 3)
f.expand(2, -1)
f.expand(0)
s.expand(2)
s.expand(2, 2)
s.expand(())
s.expand(-1)
e.expand(2, 0, 3)
e.expand(0, 3)
torch.broadcast_to(f, (2, 3))
torch.broadcast_to(f, (3, 2))
f.broadcast_to((2, 3))
col.expand_as(g)
g.view_as(torch.ones(3, 2))
g.reshape_as(torch.ones(3, 2))
g @ g.t()
g @ sq
sq @ sq
g @ torch.ones(3, 1)
torch.matmul(g, g.T)
torch.mm(g, g.t())
torch.mm(g, g)
torch.mm(o, o)
torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.float64)
torch.ones(2, 2) @ torch.ones(2, 2, dtype=torch.int64)
torch.ones(2, 2, dtype=torch.int64) @ torch.ones(2, 2, dtype=torch.int64)
torch.ones(2, 0) @ torch.ones(0, 3)
e @ torch.ones(3, 2)
sq @ 2
sq @ "a"
torch.matmul(sq, 2)
torch.matmul(2, sq)
s @ sq
sq @ s
f.to(torch.float64)
f.to(torch.float32) is f
f.to(torch.float32)
f.to(dtype=torch.float64)
f.to(torch.int64)
f.to(torch.bool)
i.to(torch.float32)
i.to(torch.float64)
b.to(torch.float32)
b.to(torch.int64)
f.double()
f.float()
f.float() is f
f.half()
f.int()
f.long()
f.bool()
i.double()
i.half()
i.bool()
b.float()
b.int()
d.float()
f.short()
f.type_as(d)
i.type_as(f)
f.to(d)
i.to(i) is i
f < 1
f <= 0.5
f > c
f >= 0
f == 1.5
f != f
1 < f
i == 1
i == 1.5
i < 1.5
b == True
b == 1
i == b
f == "a"
f != None
f < "a"
f == None
f < None
f == [1.5]
c == n
torch.eq(f, c)
torch.ne(f, 1)
torch.lt(f, c)
torch.le(f, c)
torch.gt(f, 0)
torch.ge(f, 0)
torch.gt(f, "a")
f.eq(1)
f.lt(c)
f.ge(c)
s > 2
s0 < 1
torch.equal(f, f)
torch.equal(f, g)
torch.equal(c, c + 0)
torch.equal(c, c.double())
torch.allclose(c, c + 1e-9)
torch.allclose(f, c)
torch.tensor([float("nan")]) == torch.tensor([float("nan")])
f.clone()
i.clone()
torch.clone(f)
e.clone()
s.clone()
f.detach() * 2
f.detach() + f
f.exp().tanh()
(f * f).sum()
((f * c).tanh() ** 2).sum(0, keepdim=True)
(g @ sq.sum()).sum()
c.requires_grad_() * 2
f * i
f * b
f / i
i * s
i + s
f - i0
f + d0
f.half() * d0
h * 2.5
h + c
h + s0
h * d
u + j
u + k
j + k
i + k
i0 + k
k + i0
k + 2**33
d0 + s0
s0 + d0
i0 + s0
b + i0
b0 + f
torch.exp(b)
torch.exp(j)
torch.exp(torch.tensor([3, 40], dtype=torch.int16))
torch.log(u)
torch.tanh(b)
torch.tanh(i0)
torch.relu(u)
torch.relu(torch.tensor([float("nan"), -0.0, 0.0]))
torch.relu(s)
"""


def environment(torch) -> dict:
    """The names that the expressions use, made anew."""
    names = {"torch": torch, "np": np}
    exec(SETUP, names)
    return names


def number(value):
    """A number as JSON can write it."""
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def describe(result, tensor: type) -> dict:
    """What is compared of a result."""
    if result is NotImplemented or not isinstance(result, tensor):
        return {"value": str(result)}
    return {
        "values": [number(v) for v in result.detach().reshape(-1).tolist()],
        "shape": list(result.shape),
        "dtype": str(result.dtype),
        "node": result.grad_fn.name() if result.grad_fn is not None else None,
        "next": [pair[0] is not None for pair in result.grad_fn.next_functions]
        if result.grad_fn is not None
        else None,
        "requires_grad": result.requires_grad,
    }


def answer(torch, expression: str) -> dict:
    """Evaluate one expression: a description of its result, or of its error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return describe(eval(expression, environment(torch)), torch.Tensor)
        except Exception as error:
            message = str(error).partition("\n")[0]
            return {"error": type(error).__name__, "message": message}


def main() -> None:
    """Record all expressions."""
    import torch

    lines = [json.dumps({"torch": torch.__version__.partition("+")[0]})]
    for expression in expressions():
        lines.append(json.dumps([expression, answer(torch, expression)]))
    path = Path(__file__).with_name("ops.json")
    path.write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(f"{len(lines) - 1} expressions recorded")


if __name__ == "__main__":
    main()
