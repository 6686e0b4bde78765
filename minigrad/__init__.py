# Generated from chapter 1 (book/ch01-derivatives.ipynb): edit the chapter, not this.
"""minigrad: PyTorch's autograd on NumPy arrays, small enough to read in full.

Every line of this package stands in a chapter of the book *One Jacobian at a Time*,
next to the reason for it. Names and behaviour follow PyTorch; arrays, dtypes and
broadcasting are NumPy's own.
"""

__version__ = "0.1.0"
