"""Gray and Scott's reaction and diffusion: two substances make spots, stripes and mazes. Plain NumPy.

    python examples/numpy/reaction_diffusion.py                        NumPy
    python -m devarray run examples/numpy/reaction_diffusion.py        the same file on the device

U feeds V, which multiplies by itself and decays: du = Du lap(u) - u v^2 + F (1 - u) and
dv = Dv lap(v) + u v^2 - (F + k) v.
Both sides agree to 1e-9 after 2000 steps: the pattern grows out of its seeds without turning roundings into structure.
"""

import argparse
import time

import numpy as np

KINDS = {
    "spots": (0.16, 0.08, 0.035, 0.065),
    "stripes": (0.16, 0.08, 0.035, 0.060),
    "maze": (0.19, 0.05, 0.060, 0.062),
    "worms": (0.16, 0.08, 0.050, 0.065),
}
"""Diffusion of U and V, feed, kill."""


def seeded(size, seeds, generator):
    """U is everywhere; a few squares have V, and both have a little noise."""
    u = np.ones((size, size))
    v = np.zeros((size, size))
    half = max(size // 40, 2)
    rows = generator.integers(half, size - half, seeds)
    columns = generator.integers(half, size - half, seeds)
    for row, column in zip(rows.tolist(), columns.tolist(), strict=True):
        square = np.s_[row - half : row + half, column - half : column + half]
        u[square] = 0.50
        v[square] = 0.25
    u += 0.02 * generator.random((size, size))
    v += 0.02 * generator.random((size, size))
    return u, v


def laplacian(field):
    """The five-point Laplacian over the inner points of a field with a border."""
    return field[:-2, 1:-1] + field[2:, 1:-1] + field[1:-1, :-2] + field[1:-1, 2:] - 4 * field[1:-1, 1:-1]


def wrap(field):
    """Copy the outermost inner rows and columns into the border on the other side: the plane is a torus."""
    field[0, :] = field[-2, :]
    field[-1, :] = field[1, :]
    field[:, 0] = field[:, -2]
    field[:, -1] = field[:, 1]


def bordered(field):
    """The field with one more row and column on each side."""
    wide = np.pad(field, 1, mode="wrap")
    return wide


class Reaction:
    """The state of the two fields, and the steps."""

    def __init__(self, size, kind, seeds, seed):
        self.du, self.dv, self.feed, self.kill = KINDS[kind]
        u, v = seeded(size, seeds, np.random.default_rng(seed))
        self.u, self.v = bordered(u), bordered(v)
        self.history = []

    def step(self):
        """One step of Euler's method."""
        u, v = self.u[1:-1, 1:-1], self.v[1:-1, 1:-1]
        reaction = u * v * v
        new_u = u + self.du * laplacian(self.u) - reaction + self.feed * (1 - u)
        new_v = v + self.dv * laplacian(self.v) + reaction - (self.feed + self.kill) * v
        u[...] = new_u
        v[...] = new_v
        wrap(self.u)
        wrap(self.v)

    def measure(self):
        """What a chemist would write down: means, spread, and the length of the fronts."""
        v = self.v[1:-1, 1:-1]
        rise = np.hypot(np.diff(v, axis=0)[:, :-1], np.diff(v, axis=1)[:-1, :])
        self.history.append((float(self.u.mean()), float(v.mean()), float(v.std()), float(rise.sum())))

    def run(self, steps, every):
        """Many steps, with a measurement now and then."""
        for number in range(steps):
            if number % every == 0:
                self.measure()
            self.step()
        self.measure()


def wavelength(field):
    """The pattern's prevailing wavelength in points, from the power spectrum summed over directions."""
    size = field.shape[0]
    power = np.abs(np.fft.fft2(field - field.mean())) ** 2
    frequency = np.fft.fftfreq(size) * size
    radius = np.hypot(frequency[:, None], frequency[None, :]).round().astype(int)
    spectrum = np.bincount(radius.ravel(), weights=power.ravel())[1 : size // 2]
    place = np.arange(1, size // 2)
    return float(size / ((place * spectrum).sum() / spectrum.sum()))


def covered(field, level):
    """The share of the plane above a level."""
    return float(np.count_nonzero(field > level) / field.size)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=int, default=512)
    parser.add_argument("--steps", type=int, default=2000)
    parser.add_argument("--kind", choices=sorted(KINDS), default="maze")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", help="an .npz file for the results")
    parser.add_argument("--plot", help="a picture of V")
    options = parser.parse_args()
    begun = time.perf_counter()
    reaction = Reaction(options.size, options.kind, seeds=20, seed=options.seed)
    reaction.run(options.steps, every=max(options.steps // 10, 1))
    v = reaction.v[1:-1, 1:-1]
    length, share = wavelength(v), covered(v, 0.2)
    seconds = time.perf_counter() - begun
    for number, (u_mean, v_mean, spread, fronts) in enumerate(reaction.history):
        print(f"{number:3}  u {u_mean:.6f}  v {v_mean:.6f}  spread {spread:.6f}  fronts {fronts:.3f}")
    print(f"wavelength {length:.3f} points, {100 * share:.2f} % covered, {seconds:.2f} s")
    if options.save:
        np.savez(options.save, v=v, history=np.array(reaction.history), numbers=np.array([length, share]))
    if options.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.imsave(options.plot, v, cmap="magma")


if __name__ == "__main__":
    main()
