"""Time the first calls of thirty common functions, in a fresh process with an empty kernel cache.

    python benchmarks/cold_start.py [--device NAME] [--elements N] [--runs N] [--json FILE] [--against FILE.json]

Each run is a process of its own, with a cache folder of its own, and without the cache that NVRTC keeps by itself. For
each function: milliseconds of the first call until the device has done its work, kernels compiled, milliseconds in the
compiler, and milliseconds of the second call with the same arrays. The first row is what comes before all: the import,
finding the runtimes, the context. The minima of the runs count; the total is of the run whose total is least.
`--against` sets an earlier run's first calls beside them.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

START = "import, runtimes, context"


def functions(da: Any, n: int) -> dict[str, Callable[[], Any]]:
    """What programs call first, on arrays of n elements."""
    import numpy as np

    rng = np.random.default_rng(1)
    rows = n // 500
    host = rng.standard_normal((rows, 500)).astype(np.float32)
    x, y = da.asarray(host), da.asarray(rng.random((rows, 500)).astype(np.float32))
    line = x.ravel()
    whole = da.asarray(rng.integers(0, 1000, n))
    index = da.asarray(rng.integers(0, rows, rows))
    return {
        "x + y": lambda: x + y,
        "x * 2 - y / 3": lambda: x * 2 - y / 3,
        "sqrt": lambda: da.sqrt(y),
        "exp": lambda: da.exp(x),
        "where": lambda: da.where(x > 0, x, y),
        "clip": lambda: da.clip(x, -1, 1),
        "isnan": lambda: da.isnan(x),
        "astype": lambda: whole.astype("float32"),
        "x - x.mean(axis=0)": lambda: x - x.mean(axis=0),
        "sum": lambda: x.sum(),
        "sum(axis=1)": lambda: x.sum(axis=1),
        "max": lambda: x.max(),
        "std": lambda: x.std(),
        "argmax(axis=1)": lambda: x.argmax(axis=1),
        "any": lambda: (x > 3).any(),
        "cumsum": lambda: da.cumsum(line),
        "sort": lambda: da.sort(line),
        "argsort(axis=1)": lambda: da.argsort(x, axis=1),
        "unique": lambda: da.unique(whole),
        "median": lambda: da.median(line),
        "histogram": lambda: da.histogram(line, bins=50)[0],
        "bincount": lambda: da.bincount(whole),
        "nonzero": lambda: da.nonzero(line > 1)[0],
        "x[mask]": lambda: x[x > 1],
        "x[index]": lambda: x[index],
        "concatenate": lambda: da.concatenate([x, y], axis=1),
        "pad": lambda: da.pad(x, 2),
        "roll": lambda: da.roll(x, 1, axis=0),
        "diff": lambda: da.diff(x, axis=1),
        "x @ x.T": lambda: x[:200] @ x[:200].T,
    }


def child(device: str | None, n: int) -> None:
    """One run, printed as JSON: (name, first, kernels, compiler, second) by row, in seconds."""
    begin = time.perf_counter()
    import devarray as da

    found = da.device(device)
    _ = found.default_queue
    rows: list[tuple[str, float, int, float, float]] = []
    spent = compiler_seconds(da)
    with da.use(device=found):
        calls = functions(da, n)
        da.synchronize()
        rows.append((START, time.perf_counter() - begin, da.stats()["compilations"], spent[0], 0.0))
        for name, call in calls.items():
            compiled, waited = da.stats()["compilations"], spent[0]
            first = once(da, call)
            compiled, waited = da.stats()["compilations"] - compiled, spent[0] - waited
            rows.append((name, first, compiled, waited, once(da, call)))
    print(json.dumps({"device": str(found), "rows": rows}))


def once(da: Any, call: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    result = call()
    if hasattr(result, "evaluate"):
        result.evaluate()
    da.synchronize()
    return time.perf_counter() - begin


def compiler_seconds(da: Any) -> list[float]:
    """A list whose one item grows by the seconds that calls wait for kernels which are compiled."""
    spent, compile_one = [0.0], da.compiler._compile

    def timed(*arguments: Any) -> Any:
        begin = time.perf_counter()
        try:
            return compile_one(*arguments)
        finally:
            spent[0] += time.perf_counter() - begin

    da.compiler._compile = timed
    return spent


def run(device: str | None, n: int) -> dict[str, Any]:
    command = [sys.executable, *(["-P"] if sys.flags.safe_path else []), __file__, "--child", "--elements", str(n)]
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "CUDA_CACHE_DISABLE": "1"}
        environment["DEVARRAY_CACHE_DIR"] = os.path.join(folder, "kernels")
        done = subprocess.run(
            [*command, *(["--device", device] if device else [])],
            env=environment,
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return result


def total(rows: list[Any], column: int = 1) -> float:
    return sum(row[column] for row in rows if row[0] != START)


def table(rows: list[Any], before: dict[str, float] | None) -> str:
    """Rows and their sums, in milliseconds."""
    line = "{:<26} {:>9} {:>8} {:>9} {:>9}".format
    head = line("", "first", "kernels", "compiler", "second")
    lines = [head + (f" {'before':>9}" if before else "")]
    sums = ("thirty functions", *(total(rows, column) for column in (1, 2, 3, 4)))
    for name, first, kernels, waited, second in [*rows, sums]:
        text = line(name, *(f"{first * 1e3:.1f}", kernels, f"{waited * 1e3:.1f}", f"{second * 1e3:.2f}"))
        lines.append(text + (f" {before[name] * 1e3:>9.1f}" if before and name in before else ""))
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", help="as devarray.device takes it; the best by default")
    parser.add_argument("--elements", type=int, default=300_000, help="of each array, a multiple of 500 (%(default)s)")
    parser.add_argument("--runs", type=int, default=3, help="processes (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured")
    parser.add_argument("--against", type=Path, metavar="FILE", help="an earlier run's --json")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.elements < 100_000 or arguments.elements % 500:
        parser.error("--elements is a multiple of 500, 100,000 or more")
    if arguments.child:
        child(arguments.device, arguments.elements)
        return
    results = [run(arguments.device, arguments.elements) for _ in range(arguments.runs)]
    best = min(results, key=lambda result: total(result["rows"]))
    before = None
    if arguments.against:
        rows = json.loads(arguments.against.read_text())["rows"]
        before = {row[0]: row[1] for row in rows} | {"thirty functions": total(rows)}
    print(f"{best['device']}, {arguments.elements:,} elements; milliseconds, the best of {arguments.runs} processes\n")
    print(table(best["rows"], before))
    if arguments.json:
        arguments.json.write_text(json.dumps(best, indent=1) + "\n")


if __name__ == "__main__":
    main()
