# Generated from chapter 18 (book/ch18-optimisers.ipynb): edit the chapter, not this.
"""Adam whose weight decay is no part of the gradient."""

from minigrad.optim.adam import Adam


class AdamW(Adam):
    """Adam with decoupled weight decay: w shrinks by lr · weight_decay in each step."""

    def __init__(
        self,
        params,
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        amsgrad: bool = False,
        **more,
    ):
        more["decoupled_weight_decay"] = True
        super().__init__(params, lr, betas, eps, weight_decay, amsgrad, **more)
