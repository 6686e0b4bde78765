# Generated from chapter 10 (book/ch10-shapes.ipynb): edit the chapter, not this.
"""Networks. So far, the functions they are made of."""

from minigrad.nn import functional
