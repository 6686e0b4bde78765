# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""Functions as modules: a module that remembers what the function is to be told.

An activation is a function of one tensor with options, and a loss is one of two. The
classes are made of the functions, by `module`, and differ in nothing else.
"""

from inspect import Parameter as Option
from inspect import Signature

from minigrad.creation import full
from minigrad.nn import functional
from minigrad.nn.modules.module import Module
from minigrad.nn.parameter import Parameter
from minigrad.tensor import Tensor


def _remember(self, *args, **options) -> None:
    """Take the options of the function, as attributes; tensors become buffers."""
    Module.__init__(self)
    if sum(isinstance(value, Tensor) for value in args) > len(self._tensors):
        raise RuntimeError(
            "Boolean value of Tensor with more than one value is ambiguous: tensors "
            f"were given where nn.{type(self).__name__} is made. Make it, then call "
            f"it: nn.{type(self).__name__}()(input, target) (Chapter 17)"
        )
    try:
        bound = self.__signature__.bind(*args, **options)
    except TypeError as error:
        raise TypeError(
            f"{type(self).__name__}.__init__() {error}: see help(nn."
            f"{type(self).__name__}) (Chapter 17)"
        ) from None
    bound.apply_defaults()
    for name, value in bound.arguments.items():
        if name in self._tensors:
            self.register_buffer(name, value)
        else:
            setattr(self, name, value)


def _options(self) -> dict:
    """What the function is told."""
    return {name: getattr(self, name) for name in self.__signature__.parameters}


def module(kind: str, function: str, tensors: tuple = (), shown=True, **options):
    """A class of modules that call a function of `functional` with options."""
    target = getattr(functional, function)

    def forward(self, *inputs):
        told = _options(self)
        told.pop("inplace", None)
        return target(*inputs, **told)

    def extra_repr(self) -> str:
        told = _options(self) if shown else {}
        if not told.get("inplace"):
            told.pop("inplace", None)
        return ", ".join(f"{name}={value!r}" for name, value in told.items())

    how = Option.POSITIONAL_OR_KEYWORD
    parameters = [Option(n, how, default=d) for n, d in options.items()]
    names = {"__init__": _remember, "forward": forward, "extra_repr": extra_repr}
    names |= {"__doc__": target.__doc__, "__module__": __name__, "_tensors": tensors}
    return type(kind, (Module,), names | {"__signature__": Signature(parameters)})


ReLU = module("ReLU", "relu", inplace=False)
LeakyReLU = module("LeakyReLU", "leaky_relu", negative_slope=0.01, inplace=False)
ELU = module("ELU", "elu", alpha=1.0, inplace=False)
GELU = module("GELU", "gelu", approximate="none")
SiLU = module("SiLU", "silu", inplace=False)
Softplus = module("Softplus", "softplus", beta=1.0, threshold=20.0)
Tanh, Sigmoid = module("Tanh", "tanh"), module("Sigmoid", "sigmoid")
Softmax = module("Softmax", "softmax", dim=None)
LogSoftmax = module("LogSoftmax", "log_softmax", dim=None)


ReLU6, SELU = module("ReLU6", "relu6", inplace=False), module("SELU", "selu")
CELU = module("CELU", "celu", alpha=1.0, inplace=False)
Hardtanh = module("Hardtanh", "hardtanh", min_val=-1.0, max_val=1.0, inplace=False)
Hardsigmoid = module("Hardsigmoid", "hardsigmoid", inplace=False)
Hardswish = module("Hardswish", "hardswish", inplace=False)
Mish, Softsign = module("Mish", "mish", inplace=False), module("Softsign", "softsign")
LogSigmoid = module("LogSigmoid", "logsigmoid")
Softmin, GLU = module("Softmin", "softmin", dim=None), module("GLU", "glu", dim=-1)
CosineSimilarity = module(
    "CosineSimilarity", "cosine_similarity", (), False, dim=1, eps=1e-08
)
measure = {"p": 2.0, "eps": 1e-06, "keepdim": False}
PairwiseDistance = module("PairwiseDistance", "pairwise_distance", (), False, **measure)


class PReLU(Module):
    """`prelu`, with slopes that are learnt: one, or one for each place of axis 1."""

    def __init__(self, num_parameters: int = 1, init: float = 0.25):
        super().__init__()
        self.num_parameters = num_parameters
        self.weight = Parameter(full((num_parameters,), init))

    def forward(self, input):
        """Call `prelu`."""
        return functional.prelu(input, self.weight)

    def extra_repr(self) -> str:
        """How many slopes."""
        return f"num_parameters={self.num_parameters}"


def _loss(kind: str, function: str, *tensors: str, **options):
    """A class of losses: options, tensors among them, and the reduction."""
    options = dict.fromkeys(tensors) | options | {"reduction": "mean"}
    return module(kind, function, tensors, False, **options)


MSELoss, L1Loss = _loss("MSELoss", "mse_loss"), _loss("L1Loss", "l1_loss")
SmoothL1Loss = _loss("SmoothL1Loss", "smooth_l1_loss", beta=1.0)
HuberLoss = _loss("HuberLoss", "huber_loss", delta=1.0)
BCELoss = _loss("BCELoss", "binary_cross_entropy", "weight")
BCEWithLogitsLoss = _loss(
    "BCEWithLogitsLoss", "binary_cross_entropy_with_logits", "weight", "pos_weight"
)
NLLLoss = _loss("NLLLoss", "nll_loss", "weight", ignore_index=-100)
CrossEntropyLoss = _loss(
    "CrossEntropyLoss",
    "cross_entropy",
    "weight",
    ignore_index=-100,
    label_smoothing=0.0,
)
KLDivLoss = _loss("KLDivLoss", "kl_div", log_target=False)
CosineEmbeddingLoss = _loss("CosineEmbeddingLoss", "cosine_embedding_loss", margin=0.0)
MarginRankingLoss = _loss("MarginRankingLoss", "margin_ranking_loss", margin=0.0)
triple = {"margin": 1.0, "p": 2.0, "eps": 1e-06, "swap": False}
TripletMarginLoss = _loss("TripletMarginLoss", "triplet_margin_loss", **triple)
