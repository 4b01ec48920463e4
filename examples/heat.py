"""Heat spreads through a plate: slices of an array, updated in place, one kernel a step."""

import numpy as np

import devarray as da

SIZE, STEPS = 512, 500

plate = da.zeros((SIZE, SIZE), dtype=np.float32)
plate[0, :] = 100.0  # one hot edge

middle, up, down = plate[1:-1, 1:-1], plate[:-2, 1:-1], plate[2:, 1:-1]
left, right = plate[1:-1, :-2], plate[1:-1, 2:]

for _ in range(STEPS):
    # The sides overlap: the new values are computed from the old ones, as NumPy computes them.
    middle[...] = middle + 0.2 * (up + down + left + right - 4 * middle)

print(f"{plate.device}, {STEPS} steps on {SIZE} x {SIZE} points")
print(f"mean temperature {plate.mean().item():.3f}, warmest row below the edge {plate[1].max().item():.1f}")
