"""What small work costs on a CPU device beside NumPy, and over sizes from 1 to 10 million.

    python benchmarks/small.py [--plot FILE.svg] [--json FILE] [--quick]
    python benchmarks/small.py --draw FILE.json --plot FILE.svg

First a table of calls on 16 elements, each evaluated, with the ratio to NumPy's time. Then microseconds of six calls
over sizes: by NumPy, by kernels alone (``host_elements = 0``), and as devarray chooses. Where the host's interpreter
hands over to the kernels there should be no step. All take turns; minima count. ``--draw`` plots an earlier run's file.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from timing import quiet

import devarray as da

Call = Callable[[], Any]
LARGEST_PRODUCT = 1_000_000  # elements of a matrix
LONGEST = 1.0  # seconds of one call's rounds
SIZES = [
    1,
    4,
    16,
    64,
    256,
    1000,
    2000,
    4000,
    8000,
    12_000,
    16_000,
    20_000,
    28_000,
    40_000,
    64_000,
    100_000,
    250_000,
    1_000_000,
    10_000_000,
]


def _double_part(x: Any) -> None:
    x[2:5] *= 0.5


def _set(x: Any) -> None:
    x[3] = 1.0


def _update(x: Any) -> None:
    x[3] += x[2]
    x[3] -= x[2]


def calls() -> dict[str, tuple[Call, Call]]:
    """Each call by NumPy, and on device arrays."""
    rng = np.random.default_rng(0)
    a, b, m, s, v = rng.random(16), rng.random(16), rng.random((16, 16)), rng.random((4, 4)) + 4 * np.eye(4), np.ones(4)
    k = rng.integers(0, 9, 16)
    x, y, n, t, w, j = (da.asarray(each) for each in (a, b, m, s, v, k))
    return {
        "a + b": (lambda: a + b, lambda: (x + y).evaluate()),
        "a + b, copied to the host": (lambda: a + b, lambda: (x + y).copy_to_host()),
        "a.sum()": (lambda: a.sum(), lambda: x.sum()),
        "float(a.sum())": (lambda: float(a.sum()), lambda: float(x.sum())),
        "a[2:5] *= 0.5": (lambda: _double_part(a), lambda: _double_part(x)),
        "a[3] = 1": (lambda: _set(a), lambda: _set(x)),
        "float(a[1])": (lambda: float(a[1]), lambda: float(x[1])),
        "a[3] += a[2]": (lambda: _update(a), lambda: _update(x)),
        "a[3] + a[2]": (lambda: a[3] + a[2], lambda: x[3] + x[2]),
        "a[1:9] @ a[2:10]": (lambda: a[1:9] @ a[2:10], lambda: x[1:9] @ x[2:10]),
        "a @ b, 16 x 16": (lambda: m @ m, lambda: n @ n),
        "np.linalg.solve, 4 x 4": (lambda: np.linalg.solve(s, v), lambda: np.linalg.solve(t, w)),
        "da.linalg.solve, 4 x 4": (lambda: np.linalg.solve(s, v), lambda: da.linalg.solve(t, w)),
        "linalg.inv, 4 x 4": (lambda: np.linalg.inv(s), lambda: da.linalg.inv(t)),
        "linalg.slogdet, 4 x 4": (lambda: np.linalg.slogdet(s), lambda: da.linalg.slogdet(t)),
        "linalg.eigh, 4 x 4": (lambda: np.linalg.eigh(s), lambda: da.linalg.eigh(t)),
        "exp(a)": (lambda: np.exp(a), lambda: da.exp(x).evaluate()),
        "a.copy()": (lambda: a.copy(), lambda: x.copy().evaluate()),
        "a.astype('f4')": (lambda: a.astype("f4"), lambda: x.astype("f4").evaluate()),
        "a.argmax()": (lambda: a.argmax(), lambda: x.argmax()),
        "interp": (lambda: np.interp(a, b, a), lambda: da.interp(x, y, x)),
        "unique": (lambda: np.unique(k), lambda: da.unique(j)),
        "bincount": (lambda: np.bincount(k), lambda: da.bincount(j)),
        "nonzero": (lambda: np.nonzero(k), lambda: da.nonzero(j)),
        "median": (lambda: np.median(a), lambda: da.median(x)),
        "fft": (lambda: np.fft.fft(a), lambda: da.fft.fft(x)),
        "einsum('ij,jk->ik')": (lambda: np.einsum("ij,jk->ik", s, s), lambda: da.einsum("ij,jk->ik", t, t)),
    }


def expressions(n: int) -> dict[str, tuple[Call, Call]]:
    """The same on n elements, for the sizes' curves; matrices are square, and have about as many."""
    rng = np.random.default_rng(1)
    a, b = rng.random((2, n))
    k = rng.integers(0, n, n)
    side = round(min(n, LARGEST_PRODUCT) ** 0.5)
    m = rng.random((side, side))
    x, y, j, s = (da.asarray(each) for each in (a, b, k, m))
    found: dict[str, tuple[Call, Call]] = {
        "a + b": (lambda: a + b, lambda: x + y),
        "exp(a)": (lambda: np.exp(a), lambda: da.exp(x)),
        "a.sum()": (lambda: a.sum(), lambda: x.sum()),
        "sort(a)": (lambda: np.sort(a), lambda: da.sort(x)),
        "m @ m": (lambda: m @ m, lambda: s @ s),
        "a[indices]": (lambda: a[k], lambda: x[j]),
    }
    if n > LARGEST_PRODUCT:
        del found["m @ m"]
    return found


def waited_for(make: Call) -> Call:
    """The call with its end; what the host itself ran has nothing to wait for."""
    da.synchronize()
    before = da.stats()["launches"]
    make().evaluate()
    if da.stats()["launches"] == before:
        return lambda: make().evaluate()

    def waiting() -> None:
        make().evaluate()
        da.synchronize()

    return waiting


def microseconds(functions: list[Call], rounds: int) -> list[float]:
    """Of one call of each, the quickest of several rounds in turns."""
    counts = []
    for f in functions:
        f()
        start = time.perf_counter()
        f()
        counts.append(max(1, min(2000, int(2e-3 / (time.perf_counter() - start + 1e-9)))))
    best = [float("inf")] * len(functions)
    end = time.perf_counter() + LONGEST * len(functions)
    for done in range(rounds):
        if done > 1 and time.perf_counter() > end:
            break
        for i, (f, count) in enumerate(zip(functions, counts, strict=True)):
            start = time.perf_counter()
            for _ in range(count):
                f()
            best[i] = min(best[i], (time.perf_counter() - start) / count * 1e6)
    return best


def table(rounds: int) -> dict[str, dict[str, float]]:
    rows = {}
    print(f"{'16 elements, us a call':<28}{'NumPy':>9}{'devarray':>10}{'ratio':>8}")
    for name, (theirs, ours) in calls().items():
        numpy, mine = microseconds([theirs, ours], rounds)
        rows[name] = {"numpy": numpy, "devarray": mine}
        print(f"{name:<28}{numpy:>9.3f}{mine:>10.3f}{mine / numpy:>8.2f}")
    return rows


def curves(rounds: int) -> dict[str, list[dict[str, float]]]:
    found: dict[str, list[dict[str, float]]] = {}
    chosen = da.config.host_elements

    def by_kernels(make: Call) -> Call:
        def waiting() -> None:
            da.config.host_elements = 0
            make().evaluate()
            da.synchronize()
            da.config.host_elements = chosen

        return waiting

    print(f"\n{'us a call, waited for':<20}{'size':>10}{'NumPy':>12}{'kernels':>12}{'devarray':>12}")
    for n in SIZES:
        for name, (theirs, ours) in expressions(n).items():
            numpy, kernels, mine = microseconds([theirs, by_kernels(ours), waited_for(ours)], rounds)
            found.setdefault(name, []).append({"size": n, "numpy": numpy, "kernels": kernels, "devarray": mine})
            print(f"{name:<20}{n:>10}{numpy:>12.2f}{kernels:>12.2f}{mine:>12.2f}")
    return found


def plot(found: dict[str, list[dict[str, float]]], path: str) -> None:
    from matplotlib import pyplot

    pyplot.rcParams.update({"svg.hashsalt": "small", "svg.fonttype": "none"})  # the same figures make the same file
    figure, axes = pyplot.subplots(2, -(-len(found) // 2), figsize=(10, 6), sharex=True, layout="constrained")
    for axis, (name, rows) in zip(axes.flat, found.items(), strict=False):
        for label, style in (("numpy", "--"), ("kernels", ":"), ("devarray", "-")):
            axis.loglog([row["size"] for row in rows], [row[label] for row in rows], style, label=label)
        axis.set_title(name)
        axis.minorticks_off()
    for axis in axes[-1]:
        axis.set_xlabel("float64 elements")
    for axis in axes[:, 0]:
        axis.set_ylabel("microseconds a call")
    axes[0, 0].legend()
    figure.savefig(path, dpi=120, metadata={"Date": None} if path.endswith(".svg") else None)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--plot", help="picture of the curves")
    parser.add_argument("--json", type=Path, help="the figures")
    parser.add_argument("--draw", type=Path, metavar="FILE.json", help="plot these figures, and measure nothing")
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    options = parser.parse_args()
    if options.draw:
        plot(json.loads(options.draw.read_text())["curves"], options.plot)
        return
    rounds = 7 if options.quick else 25
    with quiet():
        figures = {"device": str(da.device()), "calls": table(rounds), "curves": curves(rounds)}
    if options.json:
        options.json.write_text(json.dumps(figures, indent=1))
    if options.plot:
        plot(figures["curves"], options.plot)


if __name__ == "__main__":
    main()
