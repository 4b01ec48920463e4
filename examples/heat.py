"""
Heat spreads through a plate
============================

Slices of an array, updated in place, one kernel a step. Both sides of the assignment overlap: the new values are
computed from the old ones, as NumPy computes them.
"""

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

SIZE, STEPS = 256, 500

plate = da.zeros((SIZE, SIZE), dtype=np.float32)
plate[0, :] = 100.0  # one hot edge
plate[SIZE // 2, SIZE // 4 : SIZE // 2] = 100.0  # and a hot wire, for the beginning

middle, up, down = plate[1:-1, 1:-1], plate[:-2, 1:-1], plate[2:, 1:-1]
left, right = plate[1:-1, :-2], plate[1:-1, 2:]

pictures = []
for step in range(STEPS + 1):
    if step in (0, STEPS // 10, STEPS):
        pictures.append((step, plate.copy_to_host()))
    middle[...] = middle + 0.2 * (up + down + left + right - 4 * middle)

print(f"{plate.device}, {STEPS} steps on {SIZE} x {SIZE} points")
print(f"mean temperature {plate.mean().item():.3f}, warmest row below the edge {plate[1].max().item():.1f}")

# %%
# The plate at the beginning, after a tenth of the time, and at the end.

figure, axes = plt.subplots(1, 3, figsize=(9, 3.2), layout="constrained")
for axis, (step, picture) in zip(axes, pictures, strict=True):
    axis.imshow(picture, cmap="inferno", vmax=40)
    axis.set(title=f"step {step}", xticks=[], yticks=[])
plt.show()
