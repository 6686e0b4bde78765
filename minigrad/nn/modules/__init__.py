# Generated from chapters 17 and 20: edit the chapters, not this file.
"""The modules, each kind in a file of its own."""

from minigrad.nn.modules.activation import ReLU, Sigmoid, Tanh
from minigrad.nn.modules.container import ModuleList, Sequential
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.loss import CrossEntropyLoss, MSELoss
from minigrad.nn.modules.module import Module


from minigrad.nn.modules.conv import Conv1d, Conv2d
from minigrad.nn.modules.pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
