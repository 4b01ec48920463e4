"""What a reduction by Dask takes, from figures that were measured: a table, and the picture of docs/dask.md.

    python benchmarks/cluster_model.py                 the table
    python benchmarks/cluster_model.py docs/dask.svg   draws it

Seconds = latency + the slowest of: bytes / (bandwidth of the source), passes * bytes / (bandwidth of the devices), and
chunks * (time of the scheduler a task). Chunks of one array run through all three at once, so that the slowest counts.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass

MEMORY, PINNED, DISK = 4.3e12, 50e9, 3e9  # bytes a second: an H200's memory, its bus by devarray's copies, one SSD
THREADS_TASK, CLUSTER_TASK = 0.4e-3, 3.5e-3  # seconds for a chunk's tasks: Dask's threads, distributed's scheduler
LATENCY = 5e-3  # seconds: the graph is made and optimised, and the last tasks add up the parts
CHUNK = 1 << 30
HELD = 120e9  # bytes that a device holds
DEVICES = (1, 2, 4, 8, 64, 512)
PER_MACHINE = 8
ELEMENTS = (10**9, 10**11, 10**13)
SOURCES = {"on the devices": 0.0, "on the host": PINNED, "on disks": DISK}


@dataclass(frozen=True)
class Plan:
    """A reduction of float32 elements in two passes (std) over the chunks of some devices."""

    elements: float
    devices: int
    source: str
    chunk: int = CHUNK

    @property
    def parts(self) -> dict[str, float]:
        """Seconds of each part, all of which run at once."""
        nbytes = 4 * self.elements
        machines = -(-self.devices // PER_MACHINE)
        bandwidth = SOURCES[self.source] * (machines if self.source == "on disks" else self.devices)
        task = THREADS_TASK if machines == 1 else CLUSTER_TASK
        return {
            "reading": nbytes / bandwidth if bandwidth else 0.0,
            "memory": 2 * nbytes / (MEMORY * self.devices),
            "scheduler": nbytes / self.chunk * task,
        }

    @property
    def fits(self) -> bool:
        """Whether data that are to lie on the devices do."""
        return SOURCES[self.source] > 0 or 4 * self.elements <= HELD * self.devices

    @property
    def seconds(self) -> float:
        """Of the whole."""
        return LATENCY + max(self.parts.values())


def words(seconds: float) -> str:
    """A time as people say it."""
    for unit, size in (("h", 3600), ("min", 60), ("s", 1)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e3:.3g} ms"


def bound(plan: Plan) -> str:
    """The part that takes longest."""
    return max(plan.parts, key=lambda part: plan.parts[part])


def table() -> None:
    """Print the times, and what bounds each."""
    print("| elements | data | " + " | ".join(f"{n} device{'s' * (n > 1)}" for n in DEVICES) + " |")
    print("|---|---|" + "---|" * len(DEVICES))
    for elements in ELEMENTS:
        for source in SOURCES:
            plans = [Plan(elements, n, source) for n in DEVICES]
            cells = [f"{words(p.seconds)}, {bound(p)}" if p.fits else "" for p in plans]
            print(f"| {elements:.0e} | {source} | {' | '.join(cells)} |")


def draw(path: str) -> None:
    """Draw seconds over devices."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "devarray", "svg.fonttype": "none"})
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, len(ELEMENTS), figsize=(9, 3.2), layout="constrained", sharey=True)
    for panel, elements in zip(axes, ELEMENTS, strict=True):
        for source in SOURCES:
            plans = [Plan(elements, n, source) for n in DEVICES]
            times = [p.seconds if p.fits else float("nan") for p in plans]
            panel.loglog(DEVICES, times, "o-", label=source)
        panel.set(title=f"{elements:.0e} elements", xlabel="devices")
        panel.grid(alpha=0.3)
    axes[0].set_ylabel("seconds")
    axes[0].legend()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Print, or draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("picture", nargs="?", help="an SVG file")
    given = parser.parse_args()
    table()
    if given.picture:
        draw(given.picture)


if __name__ == "__main__":
    main()
