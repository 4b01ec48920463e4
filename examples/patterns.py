"""
Patterns of reaction and diffusion
==================================

Gray and Scott's two substances: one feeds on the other, both diffuse. Each step is some twenty element-wise
operations on shifted views, in a few kernels.
"""

import matplotlib.pyplot as plt

import devarray as da

SIZE, STEPS = 128, 3000
FEED, KILL = 0.037, 0.06

rng = da.random.default_rng(1)
u = da.ones((SIZE + 2, SIZE + 2), dtype="float32")  # with a border, which wraps around
v = da.zeros((SIZE + 2, SIZE + 2), dtype="float32")
centre = slice(SIZE // 2 - 10, SIZE // 2 + 10)
u[centre, centre] = 0.5
v[centre, centre] = 0.25 + 0.02 * rng.random((20, 20), dtype="float32")


def wrap(x):
    """Copy the opposite edges into the border."""
    x[0], x[-1] = x[-2], x[1]
    x[:, 0], x[:, -1] = x[:, -2], x[:, 1]


def laplacian(x):
    """Of the inner points, by five-point differences."""
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]


for _ in range(STEPS):
    wrap(u)
    wrap(v)
    a, b = u[1:-1, 1:-1], v[1:-1, 1:-1]
    eaten = a * b * b
    du = 0.16 * laplacian(u) - eaten + FEED * (1 - a)
    dv = 0.08 * laplacian(v) + eaten - (FEED + KILL) * b
    a += du
    b += dv

print(f"{u.device}: {STEPS} steps, the second substance covers {(v > 0.1).mean().item():.0%}")

# %%
# The second substance at the end.

plt.figure(figsize=(5, 4.6), layout="constrained")
plt.imshow(v[1:-1, 1:-1].copy_to_host(), cmap="cividis")
plt.axis("off")
plt.show()
