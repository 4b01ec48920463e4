"""
Conway's Game of Life
=====================

A cell lives on with two or three neighbours, and is born with three. ``roll`` joins the edges of the field.
"""

import matplotlib.pyplot as plt

import devarray as da

SIZE, GENERATIONS = 200, 120


def next_generation(field):
    """The field after one step."""
    neighbours = sum(da.roll(field, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
    return da.where((neighbours == 3) | ((field == 1) & (neighbours == 2)), 1, 0).astype("int8")


field = (da.random.default_rng(3).random((SIZE, SIZE)) < 0.2).astype("int8")
population, fields = [], [field]
for _ in range(GENERATIONS):
    field = next_generation(field)
    population.append(field.sum(dtype="int64"))  # stays on the device
fields.append(field)

numbers = da.stack(population).tolist()  # one wait for all
print(f"{field.device}: {numbers[0]} living cells after one generation, {numbers[-1]} after {GENERATIONS}")

# %%
# Beginning, end, and the number of living cells.

figure, axes = plt.subplots(1, 3, figsize=(10, 3.3), layout="constrained")
for axis, picture, title in zip(axes, fields, ("beginning", f"generation {GENERATIONS}"), strict=False):
    axis.imshow(picture.copy_to_host(), cmap="binary", interpolation="nearest")
    axis.set(title=title, xticks=[], yticks=[])
axes[2].plot(numbers)
axes[2].set(title="living cells", xlabel="generation", ylim=(0, None))
plt.show()
