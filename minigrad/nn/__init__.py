# Generated from chapters 10, 17, 20 and 21: edit the chapters, not this file.
"""Networks. So far, the functions they are made of."""

from minigrad.nn import functional


from minigrad.nn import init, utils
from minigrad.nn.modules import *
from minigrad.nn.parameter import Buffer, Parameter


from minigrad.nn.modules import GRU, LSTM, RNN, GRUCell, LSTMCell, RNNCell


from minigrad.nn.modules import (
    AdaptiveAvgPool1d, AdaptiveAvgPool2d, AvgPool2d, Conv1d, Conv2d, ConvTranspose1d,
    ConvTranspose2d, Dropout2d, Fold, GroupNorm, MaxPool1d, MaxPool2d,
    Unfold, Upsample,
)  # fmt: skip


from minigrad.nn.modules import MultiheadAttention


from minigrad.nn.modules import (
    Transformer, TransformerDecoder, TransformerDecoderLayer, TransformerEncoder,
    TransformerEncoderLayer,
)  # fmt: skip
