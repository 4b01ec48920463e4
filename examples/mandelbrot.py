"""
The Mandelbrot set
==================

Complex numbers, ``where``, and the same function under NumPy and devarray. The rounds of the loop fuse: a kernel does
many of them.
"""

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

WIDTH, HEIGHT, ROUNDS = 480, 320, 60


def kernels():
    """How many have run, small ones on the host of a CPU device."""
    counts = da.stats()
    return counts["launches"] + counts["host_runs"]


def escape_rounds(xp, c):
    """How many rounds each point stays within radius 2."""
    z, rounds = xp.zeros_like(c), xp.zeros(c.shape, dtype="int32")
    for _ in range(ROUNDS):
        z = xp.where(xp.abs(z) <= 2, z * z + c, z)
        rounds = rounds + (xp.abs(z) <= 2).astype("int32")
    return rounds


c = np.linspace(-2.2, 0.8, WIDTH) + 1j * np.linspace(-1.0, 1.0, HEIGHT)[:, None]
before = kernels()
rounds = escape_rounds(da, da.asarray(c)).copy_to_host()
print(f"{6 * ROUNDS} operations in {kernels() - before} kernels")
print("the same as NumPy:", bool((rounds == escape_rounds(np, c)).all()))

# %%
# How many rounds each point stays.

plt.figure(figsize=(7, 4.7), layout="constrained")
plt.imshow(np.log1p(rounds), cmap="magma", extent=(-2.2, 0.8, -1.0, 1.0))
plt.xlabel("real part")
plt.ylabel("imaginary part")
plt.show()
