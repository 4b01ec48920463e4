"""
Gravity among many bodies
=========================

All pairs by broadcasting, and a leapfrog whose steps stay on the device until the tracks are drawn.
"""

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

BODIES, STEPS, STEP = 300, 120, 0.01

rng = np.random.default_rng(5)
radius = rng.uniform(0.5, 2, BODIES)
angle = rng.uniform(0, 2 * np.pi, BODIES)
place = da.asarray(np.stack([radius * np.cos(angle), radius * np.sin(angle)]))
speed = da.asarray(np.stack([-np.sin(angle), np.cos(angle)]) / np.sqrt(radius))
mass = da.asarray(np.r_[1.0, np.full(BODIES - 1, 1e-5)])
place[:, 0] = 0  # the heavy one in the middle
speed[:, 0] = 0


def acceleration(place):
    """Of each body, by all others."""
    apart = place[:, None, :] - place[:, :, None]
    squares = da.square(apart).sum(axis=0) + 1e-3
    return (apart * (mass / (squares * da.sqrt(squares)))).sum(axis=2)


def energy():
    """The kinetic energy of all of them, a 0-d array."""
    return (0.5 * mass * da.square(speed).sum(axis=0)).sum()


before, tracks = energy().item(), []
for _ in range(STEPS):  # leapfrog
    speed += 0.5 * STEP * acceleration(place)
    place += STEP * speed
    speed += 0.5 * STEP * acceleration(place)
    tracks.append(place.copy())

tracks = da.stack(tracks).copy_to_host()
print(f"{place.device}: {STEPS} steps of {BODIES} bodies; kinetic energy {before:.6f}, then {energy().item():.6f}")

# %%
# The tracks of the light bodies.

plt.figure(figsize=(5, 5), layout="constrained")
plt.plot(tracks[:, 0, 1:], tracks[:, 1, 1:], linewidth=0.5, color="tab:blue", alpha=0.4)
plt.plot(tracks[-1, 0, 1:], tracks[-1, 1, 1:], ".", markersize=3, color="tab:red")
plt.axis("equal")
plt.show()
