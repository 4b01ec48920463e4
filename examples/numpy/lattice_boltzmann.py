"""A flow past a cylinder, by the lattice Boltzmann method in two dimensions (D2Q9, one relaxation time). Plain NumPy.

    python examples/numpy/lattice_boltzmann.py                        NumPy
    python -m devarray run examples/numpy/lattice_boltzmann.py        the same file on the device

Nine populations a point move along nine directions and relax towards their equilibrium; they bounce back from the
cylinder. Past a Reynolds number of about 50 vortices leave the cylinder in turns. Both sides agree to 1e-9 as long as
the flow has not become unstable, which takes more steps than the 2000 here.
"""

import argparse
import time

import numpy as np

VELOCITIES = np.array([(x, y) for x in (0, -1, 1) for y in (0, -1, 1)])
"""The nine directions."""
WEIGHTS = np.array([(4 / 9 if x == y == 0 else 1 / 36 if x and y else 1 / 9) for x, y in VELOCITIES.tolist()])
OPPOSITE = [VELOCITIES.tolist().index([-x, -y]) for x, y in VELOCITIES.tolist()]
LEFTWARD = [i for i, (x, _) in enumerate(VELOCITIES.tolist()) if x < 0]
UPRIGHT = [i for i, (x, _) in enumerate(VELOCITIES.tolist()) if x == 0]
RIGHTWARD = [i for i, (x, _) in enumerate(VELOCITIES.tolist()) if x > 0]


def equilibrium(density, velocity):
    """The populations of a fluid in equilibrium, of shape (9, nx, ny)."""
    square = 1.5 * (velocity[0] ** 2 + velocity[1] ** 2)
    found = np.zeros((9, *density.shape))
    for i, (x, y) in enumerate(VELOCITIES.tolist()):
        along = 3.0 * (x * velocity[0] + y * velocity[1])
        found[i] = density * WEIGHTS[i] * (1.0 + along + 0.5 * along**2 - square)
    return found


class Flow:
    """A channel with a cylinder in it."""

    def __init__(self, nx, ny, reynolds, speed):
        self.nx, self.ny, self.speed = nx, ny, speed
        self.radius = ny / 9
        viscosity = speed * self.radius / reynolds
        self.omega = 1.0 / (3.0 * viscosity + 0.5)
        x, y = np.meshgrid(np.arange(nx), np.arange(ny), indexing="ij")
        self.cylinder = (x - nx / 4) ** 2 + (y - ny / 2) ** 2 < self.radius**2
        height = np.arange(ny) / (ny - 1.0)
        inflow = speed * (1.0 + 1e-4 * np.sin(2 * np.pi * height))
        self.inlet = np.zeros((2, nx, ny))
        self.inlet[0] = inflow
        self.populations = equilibrium(np.ones((nx, ny)), self.inlet)
        self.drag = []

    def macroscopic(self):
        """Density and velocity: the first two moments of the populations."""
        density = self.populations.sum(axis=0)
        momentum = np.tensordot(VELOCITIES.T.astype(float), self.populations, axes=1)
        return density, momentum / density

    def step(self):
        """Outflow, inflow, collision, bounce, and streaming."""
        f = self.populations
        f[LEFTWARD, -1, :] = f[LEFTWARD, -2, :]
        density, velocity = self.macroscopic()
        velocity[:, 0, :] = self.inlet[:, 0, :]
        known = f[UPRIGHT, 0, :].sum(axis=0) + 2.0 * f[LEFTWARD, 0, :].sum(axis=0)
        density[0, :] = known / (1.0 - velocity[0, 0, :])
        balanced = equilibrium(density, velocity)
        f[RIGHTWARD, 0, :] = f[[OPPOSITE[i] for i in RIGHTWARD], 0, :] + (
            balanced[RIGHTWARD, 0, :] - balanced[[OPPOSITE[i] for i in RIGHTWARD], 0, :]
        )
        after = f - self.omega * (f - balanced)
        for i in range(9):
            after[i] = np.where(self.cylinder, f[OPPOSITE[i]], after[i])
        for i, (x, y) in enumerate(VELOCITIES.tolist()):
            f[i] = np.roll(after[i], (x, y), axis=(0, 1))

    def force(self):
        """The momentum that the cylinder takes, by the populations that bounce from it."""
        total = np.zeros(2)
        for i, (x, y) in enumerate(VELOCITIES.tolist()):
            moved = np.roll(self.cylinder, (-x, -y), axis=(0, 1)) & ~self.cylinder
            total += 2.0 * VELOCITIES[i] * self.populations[i][moved].sum()
        return total

    def run(self, steps, every):
        """Many steps, with the force now and then."""
        for number in range(steps):
            self.step()
            if number % every == every - 1:
                self.drag.append(self.force().tolist())


def vorticity(velocity):
    """The curl, by central differences over the inner points."""
    across = np.gradient(velocity[1], axis=0)
    along = np.gradient(velocity[0], axis=1)
    return across - along


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--nx", type=int, default=520)
    parser.add_argument("--ny", type=int, default=180)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--reynolds", type=float, default=120.0)
    parser.add_argument("--save", help="an .npz file for the results")
    parser.add_argument("--plot", help="a picture of the vorticity")
    options = parser.parse_args()
    begun = time.perf_counter()
    flow = Flow(options.nx, options.ny, options.reynolds, speed=0.04)
    flow.run(options.steps, every=max(options.steps // 10, 1))
    density, velocity = flow.macroscopic()
    curl = vorticity(velocity)
    speed = np.hypot(velocity[0], velocity[1])
    speed[flow.cylinder] = 0
    seconds = time.perf_counter() - begun
    for number, (along, across) in enumerate(flow.drag):
        print(f"{number:3}  force along {along:+.6f}, across {across:+.2e}")
    print(f"greatest speed {float(speed.max()):.6f}, mass {float(density.sum()):.3f}, {seconds:.2f} s")
    if options.save:
        np.savez(options.save, speed=speed, curl=curl, density=density, drag=np.array(flow.drag))
    if options.plot:
        import matplotlib

        matplotlib.use("Agg")
        import matplotlib.pyplot as plt

        plt.imsave(options.plot, np.clip(curl, -0.02, 0.02).T, cmap="RdBu")


if __name__ == "__main__":
    main()
