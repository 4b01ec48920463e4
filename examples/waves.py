"""
Waves on a pond, and what fusion saves
======================================

The wave equation by finite differences, once as it stands and once with ``config.deferred = False``, where every
operation is a kernel of its own: the results are the same to the last bit, the numbers of kernels are not.
"""

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

SIZE, STEPS = 200, 260

y, x = np.mgrid[-1 : 1 : SIZE * 1j, -1 : 1 : SIZE * 1j]
drop = np.exp(-((x + 0.3) ** 2 + (y - 0.2) ** 2) * 300).astype("float32")
inside = da.asarray(x**2 + y**2 < 0.95)  # a round pond


def kernels():
    """How many have run, small ones on the host of a CPU device."""
    counts = da.stats()
    return counts["launches"] + counts["host_runs"]


def ripple():
    """The surface after all steps, and how many kernels that took."""
    before = kernels()
    now, last = da.asarray(drop), da.asarray(drop)
    for _ in range(STEPS):
        around = da.pad(now, 1)
        curve = around[:-2, 1:-1] + around[2:, 1:-1] + around[1:-1, :-2] + around[1:-1, 2:] - 4 * now
        now, last = da.where(inside, (2 * now - last + 0.25 * curve) * 0.9995, 0).astype("float32"), now
    return now.copy_to_host(), kernels() - before


surface, fused = ripple()
da.config.deferred = False
same, alone = ripple()
da.config.deferred = True
print(f"{STEPS} steps: {fused} kernels with fusion, {alone} without; the same bits: {bool((surface == same).all())}")

# %%
# The surface.

plt.figure(figsize=(5, 4.6), layout="constrained")
plt.imshow(np.where(x**2 + y**2 < 0.95, surface, np.nan), cmap="RdBu", vmin=-0.03, vmax=0.03)
plt.axis("off")
plt.show()
