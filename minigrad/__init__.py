# Generated from chapters 1, 4, 5, 7, 8, 9, 10, 11, 12, 14, 15, 16, 18, 19, 20, 21 and 23: edit the chapters.
"""minigrad: PyTorch's autograd on NumPy arrays, small enough to read in full.

Every line of this package stands in a chapter of the book *One Jacobian at a Time*,
next to the reason for it. Names and behaviour follow PyTorch; arrays, dtypes and
broadcasting are NumPy's own.
"""

__version__ = "0.1.0"


from math import e, inf, nan, pi

from minigrad import _tensor_str
from minigrad.creation import *
from minigrad.devices import device
from minigrad.dtypes import *
from minigrad.dtypes import __getattr__
from minigrad.random import *
from minigrad.tensor import Size, Tensor


from minigrad import autograd
from minigrad.ops import *


from minigrad import protocols


from minigrad.autograd.grad_mode import (
    enable_grad,
    inference_mode,
    is_grad_enabled,
    is_inference_mode_enabled,
    no_grad,
    set_grad_enabled,
)


from minigrad import inplace


from minigrad.elementwise import *
from minigrad.reductions import *
from minigrad.selections import *


from minigrad import linalg
from minigrad.indexing import *
from minigrad.linalg import *
from minigrad.linalg import det, inv as inverse
from minigrad.shapes import *


from minigrad import nn


from minigrad import methods
from minigrad.autograd import rebase


from minigrad.autograd.anomaly_mode import (
    is_anomaly_check_nan_enabled,
    is_anomaly_enabled,
)


from minigrad import func
from minigrad.func import vmap


from minigrad.autograd import forward_ad


from minigrad import utils
from minigrad.random_state import get_rng_state, set_rng_state
from minigrad.utils import checkpoint as _checkpoint


from minigrad.tables import *


from minigrad import conversions, optim
from minigrad.serialization import load, save
from minigrad.utils import data as _data


from minigrad import accelerator, backends, cuda


from minigrad.nn.convolution import conv1d, conv2d, conv_transpose1d, conv_transpose2d
from minigrad.nn.windows import adaptive_avg_pool1d, avg_pool1d, max_pool1d, max_pool2d


from minigrad.sampling import multinomial


from minigrad import tape
from minigrad.compiler import compile, function
