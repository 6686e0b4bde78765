"""The operators of Chapter 9."""

from tests.operators import Case, cases

EVERYWHERE = "matrix number vector empty turned corners extreme"
CASES: list[Case] = []
for name in [
    "abs",
    "sign",
    "expm1",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "asinh",
    "atan",
    "sigmoid",
    "erf",
    "erfc",
    "floor",
    "ceil",
    "round",
    "trunc",
    "square",
]:
    CASES += cases(name, f"torch.{name}(x)", EVERYWHERE)
for name in ["sqrt", "rsqrt", "log1p", "log2", "log10", "reciprocal", "acosh"]:
    CASES += cases(name, f"torch.{name}(x)", "positive number empty zeros extreme")
for name in ["asin", "acos", "atanh"]:
    CASES += cases(name, f"torch.{name}(x)", "unit number empty extreme")
for name in ["isnan", "isinf", "isfinite", "logical_not"]:
    CASES += cases(name, f"torch.{name}(x)", "matrix number extreme empty")

TWO = "matrix number vector ties zeros column empty turned extreme"
for name in ["maximum", "minimum", "atan2", "remainder", "fmod", "floor_divide"]:
    CASES += cases(name, f"torch.{name}(x, y)", TWO)
for name in ["logical_and", "logical_or", "logical_xor", "isclose"]:
    CASES += cases(name, f"torch.{name}(x, y)", "matrix ties zeros column extreme")
for name in ["bitwise_and", "bitwise_or", "bitwise_xor"]:
    CASES += cases(name, f"torch.{name}(x > 0, y > 0)", "matrix zeros column")
CASES += [
    *cases("bitwise_not", "~(x > 0)", "matrix corners"),
    *cases("bitwise_not", "~x", "matrix"),
    *cases("remainder", "x % 2", "matrix number"),
    *cases("remainder", "2 % x", "positive"),
    *cases("floor_divide", "x // 2", "matrix number"),
    *cases("abs", "abs(x)", "matrix corners"),
    *cases("round", "torch.round(x, decimals=1)", "matrix vector"),
    *cases("where", "torch.where(x > y, x, y)", TWO),
    *cases("where", "torch.where(x > 0, x, 0)", "matrix corners extreme"),
    *cases("where", "torch.where(x > 0, 2.0, x)", "matrix corners"),
    *cases("where", "torch.where(x > 0, torch.sqrt(x), x)", "matrix corners"),
    *cases("where", "torch.where(x, x, y)", "matrix"),
    *cases("masked_fill", "x.masked_fill(x > 0, 7.0)", "matrix number turned"),
    *cases("masked_fill", "x.masked_fill(x > 0, y.sum())", "matrix number"),
    *cases("masked_fill", "x.masked_fill(x > 0, y)", "matrix"),
    *cases("clamp", "x.clamp(-0.75, 1.5)", EVERYWHERE),
    *cases("clamp", "x.clamp(min=0)", EVERYWHERE),
    *cases("clamp", "x.clamp(max=0.5)", "matrix corners extreme"),
    *cases("clamp", "x.clamp()", "matrix"),
    *cases("clamp", "torch.clamp(x, y, y + 1)", "matrix ties column"),
    *cases("clamp", "torch.clamp(x, min=y)", "matrix ties column"),
    *cases("lerp", "torch.lerp(x, y, 0.25)", "matrix ties column number"),
    *cases("lerp", "torch.lerp(x, y, x)", "matrix column number"),
    *cases("pow", "x ** 2.5", "positive zeros"),
    *cases("pow", "x ** 0", "matrix zeros"),
    *cases("pow", "0 ** x", "positive zeros"),
    *cases("pow", "x ** y", "positive zeros"),
]

DIMS = "matrix cube ties turned column"
for name in ["mean", "var", "std", "amax", "amin", "norm", "logsumexp"]:
    for dim in ("0", "1", "-1"):
        CASES += cases(name, f"x.{name}(dim={dim})", DIMS)
    CASES += cases(name, f"x.{name}(dim=(0, 1), keepdim=True)", DIMS)
    CASES += cases(name, f"x.{name}(dim=1, keepdim=True)", DIMS)
    CASES += cases(name, f"x.{name}(dim=5)", "matrix")
for name in [
    "mean",
    "var",
    "std",
    "amax",
    "amin",
    "norm",
    "prod",
    "max",
    "min",
    "median",
]:
    CASES += cases(name, f"x.{name}()", f"{DIMS} number vector zeros extreme")
for name in ["mean", "var", "std", "prod", "norm"]:
    CASES += cases(name, f"x.{name}()", "empty")
for name in ["max", "min", "median"]:
    CASES += cases(name, f"x.{name}(1)", f"{DIMS} extreme")
    CASES += cases(name, f"x.{name}(0, keepdim=True)", f"{DIMS} number")
    CASES += cases(name, f"x.{name}(1)", "empty")
for name in ["softmax", "log_softmax", "cumsum", "cumprod"]:
    for dim in ("0", "-1"):
        CASES += cases(name, f"x.{name}({dim})", f"{DIMS} vector zeros number empty")
for name in ["argmax", "argmin"]:
    CASES += cases(name, f"x.{name}()", f"{DIMS} number empty")
    CASES += cases(name, f"x.{name}(1)", f"{DIMS} extreme")
    CASES += cases(name, f"x.{name}(-1, keepdim=True)", "matrix cube")
for name in ["all", "any"]:
    CASES += cases(name, f"(x > 0).{name}()", "matrix zeros number empty")
    CASES += cases(name, f"x.{name}(1)", "matrix zeros cube")
for options in ("", "0", "dim=1, descending=True", "dim=-1, stable=True"):
    CASES += cases("sort", f"x.sort({options})", f"{DIMS} vector number extreme")
    CASES += cases("argsort", f"x.argsort({options})", "matrix cube")
CASES += [
    *cases("count_nonzero", "torch.count_nonzero(x)", "zeros number"),
    *cases("count_nonzero", "torch.count_nonzero(x, 1)", "zeros"),
    *cases("topk", "x.topk(2)", "matrix cube vector"),
    *cases("topk", "x.topk(1, 0, largest=False)", "matrix cube"),
    *cases("topk", "x.topk(9)", "matrix"),
    *cases("prod", "x.prod(0)", f"{DIMS} zeros number"),
    *cases("prod", "x.prod(1, keepdim=True)", f"{DIMS} zeros"),
    *cases("var", "x.var(False)", "matrix column"),
    *cases("var", "x.var(1, correction=0)", "matrix cube"),
    *cases("std", "x.std(1, correction=2)", "cube"),
    *cases("var", "x.var(1, False, True)", "matrix"),
    *cases("norm", "x.norm(1)", f"{DIMS} corners"),
    *cases("norm", "x.norm(3, 1)", "matrix cube corners"),
    *cases("norm", "x.norm(1.5)", "matrix corners"),
    *cases("norm", "x.norm(float('inf'), 1)", "matrix ties"),
    *cases("norm", "x.norm(float('-inf'))", "matrix ties"),
    *cases("norm", "x.norm(0)", "matrix corners"),
    *cases("norm", "(x * 0).norm()", "matrix"),
    *cases("std", "(x * 0).std()", "matrix"),
    *cases("logsumexp", "(x * 1000).logsumexp(1)", "matrix"),
    *cases("softmax", "(x * 1000).softmax(1)", "matrix"),
    *cases("softmax", "torch.softmax(x, 1, dtype=torch.float64)", "matrix"),
    *cases("max", "torch.max(x, y)", "matrix ties"),
    *cases("min", "x.min(y)", "matrix ties"),
    *cases("mean", "x.mean(dtype=torch.float64)", "matrix"),
]

UNLIKE = {  # parts of the name of a case: where minigrad answers otherwise, and why
    "floor_divide(x, y)": "the node's name; integers over 0, and bools, are no error",
    "x // 2": "the node's name is NotImplemented, without its namespace",
    "mod(x, y) [": "integers over 0, and bools, are no error; 0/0 in second gradients",
    "remainder(x, y) [": "as for fmod",
    "2 % x": "the node is the one of two tensors",
    "decimals=1": "a quotient of a rounded product, and its node",
    "abs(x) [matrix] bool": "the absolute value of a bool is itself",
    "abs(x) [extreme]": "the sign of nan is nan",
    "sign(x) [extreme]": "the sign of nan is nan",
    "x ** 0 ": "zeros are recorded",
    "0 ** x": "zeros instead of nan in second gradients",
    "x ** y [zeros]": "numbers instead of nan in second gradients",
    "x.var() [number]": "nan is recorded",
    "[empty]": "second gradients of nothing are empty, not None",
    "x.cumprod(-1) [column]": "zeros are recorded",
    "x.topk": "NumPy can sort bools",
    "x.norm(1.5) [corners]": "zeros instead of nan in second gradients",
    "x.norm(0)": "zeros instead of None",
}
