# Generated from chapters 17 and 21: edit the chapters, not this file.
"""The modules, each kind in a file of its own."""

from minigrad.nn.modules.container import (
    ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential,
)  # fmt: skip
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.module import Module
from minigrad.nn.modules.norm import BatchNorm1d, BatchNorm2d, Embedding, LayerNorm
from minigrad.nn.modules.shape import Dropout, Flatten, Identity, Unflatten
from minigrad.nn.modules.wrapped import (
    ELU, GELU, LeakyReLU, LogSoftmax, ReLU, Sigmoid, SiLU, Softmax, Softplus, Tanh,
    BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, KLDivLoss, L1Loss, MSELoss,
    NLLLoss, SmoothL1Loss,
)  # fmt: skip


from minigrad.nn.modules.rnn import LSTM, RNN


from minigrad.nn.modules.activation import MultiheadAttention


from minigrad.nn.modules.transformer import TransformerEncoder, TransformerEncoderLayer
