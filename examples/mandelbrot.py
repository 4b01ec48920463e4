"""The Mandelbrot set in characters: complex numbers, `where`, and the same function under NumPy and devarray."""

import numpy as np

import devarray as da

WIDTH, HEIGHT, ROUNDS = 78, 30, 40
SHADES = np.array(list(" .:-=+*#%@"))


def escape_rounds(xp, c):
    """How many rounds each point stays within radius 2."""
    z, rounds = xp.zeros_like(c), xp.zeros(c.shape, dtype="int32")
    for _ in range(ROUNDS):
        z = xp.where(xp.abs(z) <= 2, z * z + c, z)
        rounds = rounds + (xp.abs(z) <= 2).astype("int32")
    return rounds


c = np.linspace(-2.2, 0.8, WIDTH) + 1j * np.linspace(-1.2, 1.2, HEIGHT)[:, None]
rounds = escape_rounds(da, da.asarray(c)).copy_to_host()
for row in SHADES[rounds * (len(SHADES) - 1) // ROUNDS]:
    print("".join(row))
print("the same as NumPy:", bool((rounds == escape_rounds(np, c)).all()))
