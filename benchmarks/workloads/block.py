"""A transformer block, forward and backward: attention, then two layers, each beside.

x + attention(norm(x)), then x + mlp(norm(x)), with the causal mask and the tanh form of
gelu; the loss is the sum of the outputs times fixed numbers.
"""

import numpy as np

from benchmarks.harness import Step, Workload

BEND, CUBE = np.float32((2 / np.pi) ** 0.5), np.float32(0.044715)


def normalised(x):
    """Rows less their mean, over their deviation; and one over the deviation."""
    d = x - x.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((d * d).mean(-1, keepdims=True) + np.float32(1e-5))
    d *= scale
    return d, scale


def normalised_back(g, z, scale):
    """The cotangent of rows that were normalised to z."""
    along = (g * z).mean(-1, keepdims=True)
    d = g - g.mean(-1, keepdims=True)
    d -= z * along
    d *= scale
    return d


def gelu(x):
    """The tanh form of gelu, and the tanh."""
    t = x * x
    t *= CUBE
    t += 1
    t *= x
    t *= BEND
    np.tanh(t, out=t)
    y = t + 1
    y *= x
    y *= np.float32(0.5)
    return y, t


def gelu_back(g, x, t):
    """The cotangent of gelu's operand."""
    d = x * x
    d *= 3 * CUBE
    d += 1
    d *= x
    d *= BEND
    d *= 1 - t * t
    d += t
    d += 1
    d *= g
    d *= np.float32(0.5)
    return d


class Block(Workload):
    """One block on a batch of sequences."""

    def __init__(self, name: str, batch: int, length: int, width: int, heads: int):
        self.name = name
        self.measures = (
            f"forward and backward, batch {batch}, length {length}, width {width}, "
            f"{heads} heads"
        )
        random = np.random.default_rng(0)
        self.heads = heads

        def draw(*shape, scale=1.0):
            return (random.standard_normal(shape) * scale).astype(np.float32)

        self.x, self.weights = draw(batch, length, width), draw(batch, length, width)
        n, m = width, 4 * width
        self.parameters = [1 + draw(n, scale=0.1), draw(n, scale=0.1)]
        self.parameters += [draw(3 * n, n, scale=n**-0.5), draw(3 * n, scale=0.1)]
        self.parameters += [draw(n, n, scale=n**-0.5), draw(n, scale=0.1)]
        self.parameters += [1 + draw(n, scale=0.1), draw(n, scale=0.1)]
        self.parameters += [draw(m, n, scale=n**-0.5), draw(m, scale=0.1)]
        self.parameters += [draw(n, m, scale=m**-0.5), draw(n, scale=0.1)]

    def hand(self) -> Step:
        a, b, w_in, b_in, w_out, b_out, c, d, w_up, b_up, w_down, b_down = (
            self.parameters
        )
        (n, length, width), heads = self.x.shape, self.heads
        x, cotangent = self.x.reshape(-1, width), self.weights.reshape(-1, width)
        each = width // heads
        scale = np.float32(each**-0.5)
        later = ~np.tri(length, dtype=bool)

        def split(flat):
            return flat.reshape(n, length, heads, each).transpose(0, 2, 1, 3)

        def join(stack, out):
            out.reshape(n, length, heads, each)[...] = stack.transpose(0, 2, 1, 3)

        def step():
            z1, s1 = normalised(x)
            u1 = z1 * a
            u1 += b
            qkv = u1 @ w_in.T
            qkv += b_in
            q, k, v = (split(part) for part in np.split(qkv, 3, axis=1))
            p = q @ k.mT
            p *= scale
            p[..., later] = -np.inf
            p -= p.max(-1, keepdims=True)
            np.exp(p, out=p)
            p /= p.sum(-1, keepdims=True)
            mixed = np.empty_like(x)
            join(p @ v, mixed)
            x1 = mixed @ w_out.T
            x1 += b_out
            x1 += x
            z2, s2 = normalised(x1)
            u2 = z2 * c
            u2 += d
            h = u2 @ w_up.T
            h += b_up
            y, t = gelu(h)
            x2 = y @ w_down.T
            x2 += b_down
            x2 += x1
            (x2 * cotangent).sum()

            g = cotangent
            g_down = [g.T @ y, g.sum(0)]
            g_h = gelu_back(g @ w_down, h, t)
            g_up = [g_h.T @ u2, g_h.sum(0)]
            g_u = g_h @ w_up
            g_norm2 = [(g_u * z2).sum(0), g_u.sum(0)]
            g_u *= c
            g1 = normalised_back(g_u, z2, s2)
            g1 += g
            g_out = [g1.T @ mixed, g1.sum(0)]
            g_mixed = split(g1 @ w_out)
            g_p = g_mixed @ v.mT
            g_p -= np.einsum("...i,...i->...", g_p, p)[..., None]
            g_p *= p
            g_p *= scale
            g_qkv = np.empty_like(qkv)
            for part, found in zip(
                np.split(g_qkv, 3, axis=1),
                (g_p @ k, g_p.mT @ q, p.mT @ g_mixed),
                strict=True,
            ):
                split(part)[...] = found
            g_in = [g_qkv.T @ u1, g_qkv.sum(0)]
            g_u = g_qkv @ w_in
            g_norm1 = [(g_u * z1).sum(0), g_u.sum(0)]
            g_u *= a
            g_x = normalised_back(g_u, z1, s1)
            g_x += g1
            found = [*g_norm1, *g_in, *g_out, *g_norm2, *g_up, *g_down]
            return [*found, g_x.reshape(self.x.shape)]

        return step

    def torch(self, torch) -> Step:
        F = torch.nn.functional  # noqa: N806
        x = torch.tensor(self.x, requires_grad=True)
        weights = torch.tensor(self.weights)
        leaves = [torch.tensor(p, requires_grad=True) for p in self.parameters]
        a, b, w_in, b_in, w_out, b_out, c, d, w_up, b_up, w_down, b_down = leaves
        n, length, width = self.x.shape

        def step():
            qkv = F.linear(F.layer_norm(x, (width,), a, b), w_in, b_in)
            q, k, v = (
                part.view(n, length, self.heads, -1).transpose(1, 2)
                for part in qkv.chunk(3, -1)
            )
            mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True)
            mixed = mixed.transpose(1, 2).reshape(n, length, width)
            x1 = x + F.linear(mixed, w_out, b_out)
            h = F.linear(F.layer_norm(x1, (width,), c, d), w_up, b_up)
            x2 = x1 + F.linear(F.gelu(h, approximate="tanh"), w_down, b_down)
            (x2 * weights).sum().backward()
            found = [p.grad.numpy() for p in (*leaves, x)]
            for p in (*leaves, x):
                p.grad = None
            return found

        return step
