# Generated from chapters 17, 20 and 21: edit the chapters, not this file.
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
    CELU, GLU, Hardsigmoid, Hardswish, Hardtanh, LogSigmoid, Mish, PReLU, ReLU6, SELU,
    CosineSimilarity, PairwiseDistance, Softmin, Softsign,
    BCELoss, BCEWithLogitsLoss, CrossEntropyLoss, HuberLoss, KLDivLoss, L1Loss, MSELoss,
    NLLLoss, SmoothL1Loss, CosineEmbeddingLoss, MarginRankingLoss, TripletMarginLoss,
)  # fmt: skip


from minigrad.nn.modules.rnn import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell


from minigrad.nn.modules.conv import Conv1d, Conv2d, ConvTranspose1d, ConvTranspose2d
from minigrad.nn.modules.pooling import (
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool2d, Dropout2d, Fold, GroupNorm,
    MaxPool1d, MaxPool2d, Unfold, Upsample,
)  # fmt: skip


from minigrad.nn.modules.activation import MultiheadAttention


from minigrad.nn.modules.transformer import (
    Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder,
    TransformerEncoderLayer,
)  # fmt: skip
