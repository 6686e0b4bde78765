# Generated from chapter 17 (book/ch17-modules.ipynb): edit the chapter, not this.
"""The modules, each kind in a file of its own."""

from minigrad.nn.modules.activation import ReLU, Sigmoid, Tanh
from minigrad.nn.modules.container import ModuleList, Sequential
from minigrad.nn.modules.linear import Linear
from minigrad.nn.modules.loss import CrossEntropyLoss, MSELoss
from minigrad.nn.modules.module import Module
