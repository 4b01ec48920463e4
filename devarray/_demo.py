"""The demo: five tasks on real data, first with NumPy, then with devarray.

Each task is a function of an array namespace `xp` and of arrays of it, so that the very same lines run under both. The
data are what scikit-learn ships: a photograph of 427 x 640 pixels, and 1,797 handwritten digits of 8 x 8 pixels of 0 to
16 each.

Everything is deterministic: noise, split and first centres are fixed, the digits' pixels are small integers, and
centres are kept to sixteenths of a grey level. So every sum of nearest neighbours and k-means is exact in float32,
whatever the order in which a device adds, and the labels must be the same everywhere.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

import devarray as da
from devarray._runtime import compiler, compiler_waits, install

__all__ = ["add_arguments", "main"]

CLASSES = 10
NEIGHBOURS = 5
KMEANS_ROUNDS = 20
COMPONENTS = 4
POWER_ROUNDS = 10  # of eight steps each
NOISE = 0.1  # of a photograph whose channels go from 0 to 1
REACH = 6  # pixels to each side that a filtered pixel is a mean of
GRID = 160  # points along each axis of the density
TRAINING = 898  # the first half, as in scikit-learn's own example of these data
WARM_RUNS = 5


@dataclass(frozen=True)
class Digits:
    """Pixels, one row an image, and the digit that each shows."""

    pixels: np.ndarray
    labels: np.ndarray


@dataclass(frozen=True)
class Photograph:
    """Channels of 0 to 1, planes of (3, height, width): as it was taken, and with noise."""

    clean: np.ndarray
    noisy: np.ndarray


@dataclass(frozen=True)
class Outcome:
    """What a task gave under one namespace, on the host, and its times in seconds."""

    result: tuple[np.ndarray, ...]
    first: float
    warm: float


@dataclass(frozen=True)
class Comparison:
    """A task under NumPy and under devarray."""

    name: str
    score: str
    agreement: str
    ok: bool
    numpy: Outcome
    device: Outcome


# --- the tasks: one source for every namespace -------------------------------------------------------------------


def bilateral_filter(xp: ModuleType, red: Any, green: Any, blue: Any) -> tuple[Any, ...]:
    """Take out noise and keep edges: each pixel becomes a mean of those near it, in place and in colour.

    The planes have `REACH` more pixels at each side than the results.
    """
    planes, sides = (red, green, blue), range(2 * REACH + 1)
    height, width = (size - 2 * REACH for size in red.shape)
    middle = [plane[REACH : REACH + height, REACH : REACH + width] for plane in planes]
    total, sums = 0, [0, 0, 0]
    for i in sides:
        for j in sides:
            near = [plane[i : i + height, j : j + width] for plane in planes]
            colour = sum(xp.square(a - b) for a, b in zip(near, middle, strict=True)) / (2 * (1.5 * NOISE) ** 2)
            place = ((i - REACH) ** 2 + (j - REACH) ** 2) / (0.5 * REACH**2)
            weight = xp.exp(-colour - place)
            total = total + weight
            sums = [s + weight * plane for s, plane in zip(sums, near, strict=True)]
    return tuple(s / total for s in sums)


def density(xp: ModuleType, points: Any, x: Any, y: Any, reach: float) -> tuple[Any, ...]:
    """The density of points of the plane at each place of a grid, by Epanechnikov's kernel.

    NumPy makes an array of grid x grid x points for each step; devarray adds up in one kernel and makes none.
    """
    squares = xp.square(x[None, :, None] - points[:, 0]) + xp.square(y[:, None, None] - points[:, 1])
    weight = xp.maximum(1 - squares / reach**2, 0)
    return (weight.sum(axis=2) * (2 / (np.pi * reach**2 * points.shape[0])),)


def nearest_neighbours(xp: ModuleType, train: Any, labels: Any, test: Any) -> tuple[Any, ...]:
    """Label each test image by a vote of its nearest training images."""
    squares = (test * test).sum(axis=1)[:, None] + (train * train).sum(axis=1)[None, :]
    distances = squares - 2 * (test @ train.T)
    nearest = xp.argsort(distances, axis=1, stable=True)[:, :NEIGHBOURS]
    voters = xp.take(labels, nearest)
    votes = (voters[:, :, None] == xp.arange(CLASSES)).sum(axis=1)
    return (xp.argmax(votes, axis=1),)


def kmeans(xp: ModuleType, images: Any) -> tuple[Any, ...]:
    """Lloyd's algorithm from the first images as centres: the cluster of each image, and the centres."""
    centres = images[:CLASSES]
    for _ in range(KMEANS_ROUNDS):
        cluster = nearest_centre(xp, images, centres)
        member = (cluster[:, None] == xp.arange(CLASSES)).astype(images.dtype)
        means = (member.T @ images) / xp.maximum(member.sum(axis=0), 1)[:, None]
        centres = xp.round(means * 16) / 16
    return nearest_centre(xp, images, centres), centres


def nearest_centre(xp: ModuleType, images: Any, centres: Any) -> Any:
    """The nearest centre of each image. devarray subtracts, squares and sums in one kernel and stores no difference."""
    distances = xp.square(images[:, None, :] - centres[None, :, :]).sum(axis=2)
    return xp.argmin(distances, axis=1)


def principal_components(xp: ModuleType, images: Any) -> tuple[Any, ...]:
    """The directions of largest variance, by power iteration with deflation, and the variance along each."""
    centred = images - images.mean(axis=0)
    covariance = (centred.T @ centred) / (images.shape[0] - 1)
    directions, variances = [], []
    for component in range(COMPONENTS):
        direction = covariance[:, 20 + component]  # any start that is not orthogonal to the answer
        eight_steps = covariance / xp.sqrt(xp.square(covariance).sum())  # of norm one, so that its powers stay in range
        for _ in range(3):
            eight_steps = eight_steps @ eight_steps
        for _ in range(POWER_ROUNDS):
            image = eight_steps @ direction
            direction = image / xp.sqrt(xp.square(image).sum())
        variance = (direction * (covariance @ direction)).sum()
        covariance = covariance - variance * direction[:, None] * direction[None, :]
        directions.append(direction)
        variances.append(variance)
    return xp.stack(variances), xp.stack(directions)


# --- running and scoring them ------------------------------------------------------------------------------------


def run(task: Callable[..., tuple[Any, ...]], xp: ModuleType, arrays: tuple[np.ndarray, ...]) -> Outcome:
    """Run a task once cold, then warm. Times end when the results are back on the host."""
    placed = tuple(xp.asarray(a) for a in arrays)
    if xp is da:
        da.synchronize()

    def once() -> tuple[float, tuple[np.ndarray, ...]]:
        start = time.perf_counter()
        results = tuple(to_host(r) for r in task(xp, *placed))
        return time.perf_counter() - start, results

    first, _ = once()
    if xp is da:
        compiler.wait_for_kernels()  # some are compiled beside the first run, on CPUs
    warm, result = min((once() for _ in range(WARM_RUNS)), key=lambda timed: timed[0])
    return Outcome(result, first, warm)


def to_host(x: object) -> np.ndarray:
    return x.copy_to_host() if isinstance(x, da.Array) else np.asarray(x)


def compare_filter(photograph: Photograph) -> Comparison:
    """A bilateral filter of a noisy photograph, scored by what noise is left."""
    edge = [np.pad(plane, REACH, mode="edge") for plane in photograph.noisy]
    a, b = run(bilateral_filter, np, tuple(edge)), run(bilateral_filter, da, tuple(edge))
    left = [decibels(np.stack(outcome.result) - photograph.clean) for outcome in (a, b)]
    error = float(np.abs(np.stack(a.result) - np.stack(b.result)).max())
    return Comparison(
        "bilateral filter", f"{left[0]:.1f} / {left[1]:.1f} dB", f"within {error:.0e}", error < 1e-4, a, b
    )


def decibels(noise: np.ndarray) -> float:
    """The peak signal-to-noise ratio of channels of 0 to 1."""
    return float(-10 * np.log10(np.square(noise).mean()))


def compare_density(digits: Digits) -> Comparison:
    """The density of the digits in the plane of their largest variance, scored by how much of it the grid holds."""
    centred = digits.pixels - digits.pixels.mean(axis=0)
    points = centred @ np.linalg.eigh(centred.T @ centred)[1][:, -2:]
    low, high = points.min(axis=0) - 4, points.max(axis=0) + 4
    grids = [np.linspace(low[axis], high[axis], GRID, dtype=np.float32) for axis in (0, 1)]

    def task(xp: ModuleType, points: object, x: object, y: object) -> tuple[Any, ...]:
        return density(xp, points, x, y, reach=3.0)

    arrays = (points, *grids)
    a, b = run(task, np, arrays), run(task, da, arrays)
    cell = float(np.prod([grid[1] - grid[0] for grid in grids]))
    held = [outcome.result[0].sum() * cell for outcome in (a, b)]
    error = float(np.abs(a.result[0] - b.result[0]).max() / a.result[0].max())
    return Comparison("kernel density", f"{held[0]:.2%} / {held[1]:.2%}", f"within {error:.0e}", error < 1e-4, a, b)


def compare_neighbours(digits: Digits) -> Comparison:
    """k-nearest-neighbour classification of the second half by the first."""
    arrays = (digits.pixels[:TRAINING], digits.labels[:TRAINING], digits.pixels[TRAINING:])
    a, b = run(nearest_neighbours, np, arrays), run(nearest_neighbours, da, arrays)
    truth = digits.labels[TRAINING:]
    return compare_labels(f"{NEIGHBOURS} nearest neighbours", a, b, a.result[0] == truth, b.result[0] == truth)


def compare_kmeans(digits: Digits) -> Comparison:
    """k-means, scored by the digit that most of each cluster's images show."""
    a, b = run(kmeans, np, (digits.pixels,)), run(kmeans, da, (digits.pixels,))
    right = [majority(outcome.result[0], digits.labels)[outcome.result[0]] == digits.labels for outcome in (a, b)]
    return compare_labels(f"k-means, {CLASSES} clusters", a, b, *right)


def majority(cluster: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The commonest label of each cluster."""
    return np.array([np.bincount(labels[cluster == c], minlength=CLASSES).argmax() for c in range(CLASSES)])


def compare_labels(name: str, a: Outcome, b: Outcome, right_a: np.ndarray, right_b: np.ndarray) -> Comparison:
    different = int((a.result[0] != b.result[0]).sum())
    agreement = "same labels" if different == 0 else f"{different} labels differ"
    return Comparison(name, f"{right_a.mean():.2%} / {right_b.mean():.2%}", agreement, different == 0, a, b)


def compare_components(digits: Digits) -> Comparison:
    """Principal components, scored by the share of the total variance that they explain."""
    a, b = run(principal_components, np, (digits.pixels,)), run(principal_components, da, (digits.pixels,))
    total = digits.pixels.var(axis=0, ddof=1).sum()
    shares = [outcome.result[0].sum() / total for outcome in (a, b)]
    error = float(np.abs(a.result[1] - b.result[1]).max())
    name = f"PCA, {COMPONENTS} components"
    return Comparison(name, f"{shares[0]:.2%} / {shares[1]:.2%}", f"within {error:.0e}", error < 1e-3, a, b)


# --- telling about it --------------------------------------------------------------------------------------------


def load_digits() -> Digits:
    """scikit-learn's digits, as float32 pixels and int64 labels."""
    try:
        from sklearn.datasets import load_digits as load  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError as error:
        raise da.Error(missing("the demo", "scikit-learn", "demo")) from error
    data = load()
    return Digits(data.data.astype(np.float32), data.target.astype(np.int64))


def load_photograph() -> Photograph:
    """scikit-learn's photograph of a palace, and the same with noise."""
    try:
        from sklearn.datasets import load_sample_image

        clean = np.moveaxis(load_sample_image("china.jpg").astype(np.float32) / 255, 2, 0)
    except ImportError as error:  # scikit-learn reads it by Pillow
        raise da.Error(missing("the demo", "Pillow", "demo")) from error
    noise = np.random.default_rng(1).normal(0, NOISE, clean.shape).astype(np.float32)
    return Photograph(clean, np.clip(clean + noise, 0, 1))


def missing(what: str, package: str, extra: str) -> str:
    return f"{what} needs {package}, which is not installed: {install.command(extra)}"


def report(device: da.Device, digits: Digits, rows: list[Comparison]) -> str:
    """The text that the demo prints."""
    pool = da.alloc.default_allocator(device)
    line = "  {:<22}  {:>17}  {:<14}  {:>10}  {:>10}  {:>10}  {:>6}".format
    head = line("", "NumPy/devarray", "agreement", "NumPy", "devarray", "devarray", "")
    units = line("", "score", "", "warm", "first", "warm", "ratio")
    table = [
        line(r.name, r.score, r.agreement, *map(milliseconds, (r.numpy.warm, r.device.first, r.device.warm)),
             f"{r.numpy.warm / r.device.warm:.2g} x")
        for r in rows
    ]  # fmt: skip
    lines = [
        f"device   {device}",
        f"memory   {pool.kind}, from {describe(pool)}",
        f"data     a photograph of 427 x 640 pixels, {len(digits.labels):,} handwritten digits of 8 x 8; float32",
        "",
        head,
        units,
        "  " + "-" * (len(head) - 2),
        *table,
        "",
        "  score   peak signal to noise (20.6 dB before); share of the density on the grid, of right labels, of the",
        "          variance explained",
        "  first   the first run, with compiling the kernels or loading them from the cache",
        f"  warm    the best of {WARM_RUNS} runs after it; ratio: NumPy's by devarray's",
        "  Of a few milliseconds, launches and waits take the most; they count less the larger the data.",
        "",
        *pool_lines(pool),
    ]
    return "\n".join(lines)


def describe(allocator: object) -> str:
    if isinstance(allocator, da.alloc.PoolMemoryResource):
        return "the device's default pool"
    return repr(allocator)


def pool_lines(pool: object) -> list[str]:
    if not isinstance(pool, da.alloc.PoolMemoryResource):
        return []
    active, held = blocks(pool.active_blocks, pool.active_bytes), blocks(pool.held_blocks, pool.held_bytes)
    return [
        f"pool     active {active}; held {held}",
        f"         peak {size(pool.peak_active_bytes)} active; {pool.hits:,} requests served by what was held, "
        f"{pool.misses:,} by the driver",
    ]


def blocks(count: int, nbytes: int) -> str:
    return f"{count:,} block{'' if count == 1 else 's'}, {size(nbytes)}"


def size(nbytes: int) -> str:
    """Bytes for reading: 1.5 MiB."""
    if nbytes < 1024:
        return f"{nbytes} byte{'' if nbytes == 1 else 's'}"
    power = min((nbytes.bit_length() - 1) // 10, 3)
    return f"{nbytes / 1024**power:.4g} {('KiB', 'MiB', 'GiB')[power - 1]}"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:.2f} ms" if seconds < 0.01 else f"{seconds * 1e3:.0f} ms"


def require_matplotlib() -> None:
    try:
        import matplotlib.figure  # noqa: F401
    except ModuleNotFoundError as error:
        raise da.Error(missing("--plot", "matplotlib", "plot")) from error


def plot(path: Path, device: da.Device, photograph: Photograph, rows: list[Comparison]) -> None:
    """Draw the photograph, the density, the cluster centres and the times."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11, 9.5), layout="constrained")
    parts = figure.subfigures(3, 1, height_ratios=(1.3, 0.8, 1.1), squeeze=False)
    results = {row.name: row.device.result for row in rows}
    draw_pictures(parts[0, 0], photograph, np.stack(results["bilateral filter"]), results["kernel density"][0])
    draw_centres(parts[1, 0], results[f"k-means, {CLASSES} clusters"][1])
    draw_times(parts[2, 0], rows)
    figure.suptitle(f"devarray demo on {device}", fontsize=11)
    figure.savefig(path, dpi=120)


def draw_pictures(figure: Any, photograph: Photograph, filtered: np.ndarray, density: np.ndarray) -> None:
    axes = figure.subplots(1, 3)
    for axis, planes, title in ((axes[0], photograph.noisy, "with noise"), (axes[1], filtered, "filtered")):
        axis.imshow(np.moveaxis(planes[:, 160:360, 240:480], 0, 2).clip(0, 1), interpolation="nearest")
        axis.set_title(f"part of the photograph, {title}", fontsize=10)
    axes[2].imshow(density, origin="lower", cmap="magma")
    axes[2].set_title("density of the digits, two components", fontsize=10)
    for axis in axes:
        axis.set_xticks([])
        axis.set_yticks([])


def draw_centres(figure: Any, centres: np.ndarray) -> None:
    axes = figure.subplots(2, CLASSES // 2)
    for axis, centre in zip(axes.flat, centres, strict=True):
        axis.imshow(centre.reshape(8, 8), cmap="gray_r", vmin=0, vmax=16)
        axis.set_xticks([])
        axis.set_yticks([])
    figure.suptitle(f"centres of the {CLASSES} clusters", fontsize=10)


def draw_times(figure: Any, rows: list[Comparison]) -> None:
    axis = figure.subplots()
    places = np.arange(len(rows))
    series = (
        ("NumPy, warm", [r.numpy.warm for r in rows], "#9aa5b1"),
        ("devarray, first run", [r.device.first for r in rows], "#f2b880"),
        ("devarray, warm", [r.device.warm for r in rows], "#2a6f97"),
    )
    for number, (label, seconds, colour) in enumerate(series):
        bars = axis.bar(places + (number - 1) * 0.27, [s * 1e3 for s in seconds], 0.25, label=label, color=colour)
        axis.bar_label(bars, [milliseconds(s) for s in seconds], fontsize=8)
    axis.set_xticks(places, [r.name for r in rows])
    axis.set_yscale("log")
    axis.margins(y=0.15)
    axis.set_ylabel("milliseconds")
    axis.legend(frameon=False, fontsize=8, ncols=3, loc="upper center", bbox_to_anchor=(0.5, 1.2))
    axis.spines[["top", "right"]].set_visible(False)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``python -m devarray demo``."""
    parser.add_argument("--device", metavar="NAME", help="cuda, opencl:0, gpu, cpu, or part of a device's name")
    parser.add_argument("--plot", metavar="FILE.png", type=Path, help="draw the results and the times")


def main(device_name: str | None = None, plot_path: Path | None = None) -> int:
    """Run the demo and print its report; 0 where NumPy and devarray agree, else 1."""
    if plot_path is not None:
        require_matplotlib()  # before the work, not after it
        if not plot_path.parent.is_dir():
            raise da.Error(f"--plot {plot_path}: there is no folder {plot_path.parent}")
    compiler_waits.silence()  # the report has a column of first runs
    device = da.device(device_name)
    digits, photograph = load_digits(), load_photograph()
    with da.use(device=device):
        rows = [compare_filter(photograph)]
        rows += [c(digits) for c in (compare_density, compare_neighbours, compare_kmeans, compare_components)]
        print(report(device, digits, rows))
    if plot_path is not None:
        plot(plot_path, device, photograph, rows)
        print(f"plot     {plot_path}")
    return 0 if all(row.ok for row in rows) else 1
