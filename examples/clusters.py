"""
Clusters of points
==================

Lloyd's k-means by broadcasting, with the same lines under NumPy. The differences of all points and all centres are
never stored: the kernel that adds up their squares computes them.
"""

import matplotlib.pyplot as plt
import numpy as np

import devarray as da

POINTS, CLUSTERS, ROUNDS = 6000, 5, 15

rng = np.random.default_rng(4)
true = rng.uniform(-4, 4, (CLUSTERS, 2))
points = true[rng.integers(0, CLUSTERS, POINTS)] + rng.normal(0, 0.6, (POINTS, 2))


def kmeans(xp, points, centres):
    """Centres, and the number of each point's cluster."""
    for _ in range(ROUNDS):
        squares = xp.square(points[:, None, :] - centres[None, :, :]).sum(axis=2)
        nearest = xp.argmin(squares, axis=1)
        member = (nearest[:, None] == xp.arange(CLUSTERS)).astype(points.dtype)
        centres = (member.T @ points) / xp.maximum(member.sum(axis=0), 1)[:, None]
    return centres, nearest


start = points[:CLUSTERS]
centres, nearest = kmeans(da, da.asarray(points), da.asarray(start))
expected, labels = kmeans(np, points, start)
same = (nearest.copy_to_host() == labels).mean()
print(f"{nearest.device}: {CLUSTERS} centres of {POINTS} points; {same:.1%} of the labels are NumPy's")
da.testing.assert_allclose(centres, expected, rtol=1e-6)

# %%
# Each point in its cluster's colour, and the centres.

plt.figure(figsize=(5.5, 5), layout="constrained")
plt.scatter(*points.T, c=nearest.copy_to_host(), s=3, cmap="tab10")
plt.plot(*centres.T.copy_to_host(), "k+", markersize=14, markeredgewidth=2)
plt.axis("equal")
plt.show()
