# Generated from chapters 5, 7, 8, 12, 13, 14 and 16: edit the chapters, not this file.
"""Recording, and walking back: what happens when you call ``backward``."""

from minigrad.autograd import function


from minigrad.autograd import graph
from minigrad.autograd.engine import backward, grad


from minigrad.autograd import hooks
from minigrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    no_grad,
    set_grad_enabled,
)


from minigrad.autograd import saved, watch


from minigrad.autograd.anomaly_mode import detect_anomaly, set_detect_anomaly


from minigrad.autograd.gradcheck import gradcheck, gradgradcheck


from minigrad.autograd import functional


from minigrad.autograd import custom
from minigrad.autograd.custom import Function
