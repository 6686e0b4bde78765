# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Optimisers: what makes a step of a gradient."""

from minigrad.optim.adam import Adam
from minigrad.optim.adamw import AdamW
from minigrad.optim.optimizer import Optimizer
from minigrad.optim.rmsprop import RMSprop
from minigrad.optim.sgd import SGD


from minigrad.optim.formulas import ASGD, Adadelta, Adagrad, Adamax, NAdam, RAdam
from minigrad.optim.lbfgs import LBFGS


from minigrad.optim import lr_scheduler
