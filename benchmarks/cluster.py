"""Several devices: six programs by Dask over device chunks, copies between devices and processes, data out of core.

    python benchmarks/cluster.py                        the GPUs; --devices cuda:0,cuda:1
    python benchmarks/cluster.py --quick --devices intel,pocl
    python benchmarks/cluster.py --parts exchange,outofcore

Beside devarray, where they are installed: Dask over CuPy's chunks by the same scheduler, and jax.jit over a sharded
array. Each library has a process of its own; a program runs twice to compile and to fill the pools, then `--repeat`
times, and the least time counts, Dask's making of the graph included. Results lie on the devices at the end; a number
of each is compared with the other libraries'. Figures are printed as they come, and added to the file that `--save`
names.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np

GB = 1e9
FACTORS_PIECES = 8  # so that x @ x.T has 64 products
LONG = 4.0  # seconds: a run that takes longer is not repeated
ALIKE = 5e-3  # relative: svd_compressed draws other numbers in each library


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--devices", help="names with commas between; all GPUs, or the default device")
    parser.add_argument("--quick", action="store_true", help="small arrays")
    parser.add_argument("--gigabytes", type=float, help="GiB of the largest array: 16, quick 0.02")
    parser.add_argument("--large", type=float, help="GiB of the largest array of one more round, on all devices")
    parser.add_argument("--pieces", type=int, default=16, help="chunks of each array")
    parser.add_argument("--parts", default="programs,exchange,outofcore")
    parser.add_argument("--libraries", default="devarray,cupy,jax")
    parser.add_argument("--counts", help="of devices, with commas between; 1 and all by default")
    parser.add_argument("--only", help="programs, with commas between")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--timeout", type=float, default=60, help="seconds for each library's process")
    parser.add_argument("--save", help="a file to which figures are added, a line of JSON each")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    given = parser.parse_args()
    given.gigabytes = given.gigabytes or (0.02 if given.quick else 16)
    return given


def say(**what: Any) -> None:
    """Hand a figure to the parent process, or the reader."""
    print(json.dumps(what), flush=True)


def least(work: Callable[[], Any], repeat: int) -> float:
    """Seconds of the quickest of some runs, behind one that warms up."""
    times: list[float] = []
    for _ in range(repeat + 1):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
        if times[-1] > LONG:
            break
    return min(times[1:] or times)


def rounds(names: list[str], given: argparse.Namespace) -> list[tuple[int, float]]:
    """How many devices, and GiB of the largest array."""
    counts = sorted({1, len(names)}) if given.counts is None else [int(n) for n in given.counts.split(",")]
    return [(n, given.gigabytes) for n in counts] + ([(len(names), given.large)] if given.large else [])


# --- libraries --------------------------------------------------------------------------------------------------------


class Devarray:
    """devarray's chunks, by devarray.dask.DeviceThreads."""

    def __init__(self, names: list[str]) -> None:
        import devarray as da
        import devarray.dask

        self.xp, self.dask = da, devarray.dask
        self.devices = [da.device(name) for name in names]

    def threads(self, count: int, each: int = 2) -> Any:
        return self.dask.DeviceThreads(self.devices[:count], threads_per_device=each)

    def finish(self, chunks: list[Any]) -> None:
        held = [chunk for chunk in chunks if isinstance(chunk, self.xp.Array)]
        for chunk in held:
            chunk.evaluate()
        for chunk in held:
            chunk.queue.finish()

    def host(self, x: Any) -> np.ndarray:
        return np.asarray(x.get() if hasattr(x, "get") else x)

    def clear(self) -> None:
        for device in self.devices:
            self.xp.alloc.default_allocator(device).trim()

    def moved(self) -> float:
        return self.xp.stats()["bytes_between_devices"] / GB


class CuPy:
    """CuPy's chunks, by threads of the same kind: most bytes of operands decide, the others are copied."""

    def __init__(self, names: list[str]) -> None:
        import cupy

        self.xp = cupy
        self.numbers = [int(name.partition(":")[2] or 0) for name in names]

    def threads(self, count: int, each: int = 2) -> Any:
        from cupy_threads import CupyThreads

        return CupyThreads(self.numbers[:count], each)

    def finish(self, chunks: list[Any]) -> None:
        for number in self.numbers:
            with self.xp.cuda.Device(number):
                self.xp.cuda.runtime.deviceSynchronize()

    def host(self, x: Any) -> np.ndarray:
        return np.asarray(x.get() if hasattr(x, "get") else x)

    def clear(self) -> None:
        for number in self.numbers:
            with self.xp.cuda.Device(number):
                self.xp.get_default_memory_pool().free_all_blocks()

    def moved(self) -> float:
        return 0.0


def wanted(given: argparse.Namespace) -> Callable[[str], bool]:
    only = given.only.split(",") if given.only else None
    return lambda name: only is None or name in only


def over_dask(library: Any, name: str, sizes_of: list[tuple[int, float]], given: argparse.Namespace) -> None:
    """Measure all programs by Dask on 1 to n devices."""
    import dask
    import dask.array as dsk
    from cluster_programs import chunked, programs, sizes

    dask.config.set({"array.backend": name})
    for count, gigabytes in sizes_of:
        shapes = sizes(gigabytes)
        how = {"scheduler": library.threads(count)}
        made: dict[str, Any] = {}
        for program, (inputs, lazy) in programs(dsk, library.xp, how).items():
            if not wanted(given)(program):
                continue
            what = {"program": program, "library": name, "devices": count, "GiB": gigabytes}
            try:
                for old in set(made) - set(inputs):
                    del made[old]
                library.clear()
                for one in inputs:
                    if one not in made:
                        pieces = FACTORS_PIECES if one == "factor" else given.pieces
                        made[one] = chunked(dsk, library.xp, shapes[one], pieces).persist(**how)
                        library.finish(list_of_chunks(made[one]))
                say(**what, **measured(library, lazy, [made[one] for one in inputs], how, given.repeat))
            except Exception as error:  # one program's failure is a figure, too
                say(**what, error=f"{type(error).__name__}: {error}"[:300])
        del how
        made.clear()
        library.clear()


def measured(library: Any, lazy: Any, inputs: list[Any], how: dict[str, Any], repeat: int) -> dict[str, Any]:
    """What a program takes, until Dask's tasks are done, a number of its result, and gigabytes between devices.

    `made` are the seconds in which Dask makes the graph, `asked` those until all its tasks were asked for.
    """

    made: list[float] = []
    asked: list[float] = []

    def run() -> Any:
        start = time.perf_counter()
        result = lazy(*inputs)
        if isinstance(result, np.ndarray):
            return result
        made.append(time.perf_counter() - start)
        held = result.persist(**how)
        asked.append(time.perf_counter() - start)
        library.finish(list_of_chunks(held))
        return held

    before = library.moved()
    value = figure(library, run())
    moved = library.moved() - before
    seconds = least(run, repeat)
    return {
        "seconds": seconds,
        "made": min(made, default=None),
        "asked": min(asked, default=None),
        "value": value,
        "moved": moved,
    }


def list_of_chunks(x: Any) -> list[Any]:
    """The chunks of a persisted Dask array."""
    from dask.core import flatten

    graph = dict(x.__dask_graph__())
    values = [graph[key] for key in flatten(x.__dask_keys__())]
    return [getattr(value, "value", value) for value in values]


def figure(library: Any, held: Any) -> float:
    """One number of a result, by which libraries are compared."""
    return beginning(held if isinstance(held, np.ndarray) else library.host(list_of_chunks(held)[0]))


def beginning(x: np.ndarray) -> float:
    """The mean of the first few elements."""
    return float(x.reshape(-1, x.shape[-1] if x.ndim else 1)[0, :8].astype(np.float64).mean())


def over_jax(sizes_of: list[tuple[int, float]], given: argparse.Namespace) -> None:
    """Measure the same programs by jax.jit, with rows sharded over the devices."""
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    os.environ.setdefault("XLA_PYTHON_CLIENT_MEM_FRACTION", "0.95")
    import jax
    from cluster_programs import jax_programs, numbers, sizes
    from jax.sharding import Mesh, NamedSharding, PartitionSpec

    jax.config.update("jax_default_matmul_precision", "highest")
    for count, gigabytes in sizes_of:
        shapes = sizes(gigabytes)
        mesh = Mesh(np.array(jax.devices()[:count]), ("rows",))
        rows = NamedSharding(mesh, PartitionSpec("rows"))
        made: dict[str, Any] = {}
        for program, (inputs, function) in jax_programs(jax).items():
            if not wanted(given)(program):
                continue
            what = {"program": program, "library": "jax", "devices": count, "GiB": gigabytes}
            try:
                for old in set(made) - set(inputs):
                    del made[old]
                for one in inputs:
                    if one not in made:
                        length, width = shapes[one][0] // count * count, shapes[one][1]
                        make = jax.jit(
                            lambda length=length, width=width: numbers(
                                jax.numpy, jax.numpy.arange(length, dtype=np.uint32), width
                            ),
                            out_shardings=rows,
                        )
                        made[one] = make().block_until_ready()
                say(**what, **measured_jax(jax.jit(function), [made[one] for one in inputs], given.repeat))
            except Exception as error:
                say(**what, error=f"{type(error).__name__}: {error}"[:300])
        made.clear()


def measured_jax(compiled: Any, inputs: list[Any], repeat: int) -> dict[str, Any]:
    """What a compiled function takes, and a number of its result."""
    first = compiled(*inputs).block_until_ready()
    value = beginning(np.asarray(first[(0,) * (first.ndim - 1)][..., :8] if first.ndim else first))
    del first
    return {"seconds": least(lambda: compiled(*inputs).block_until_ready(), repeat), "value": value, "moved": 0}


# --- copies between devices and processes ----------------------------------------------------------------------------


def child(given: argparse.Namespace, names: list[str]) -> None:
    """What a process of its own measures."""
    if given.child == "jax":
        over_jax(rounds(names, given), given)
    elif given.child in ("devarray", "cupy"):
        over_dask({"devarray": Devarray, "cupy": CuPy}[given.child](names), given.child, rounds(names, given), given)
    else:
        import cluster_copies

        getattr(cluster_copies, given.child)(names, given)


def ask(part: str, given: argparse.Namespace, names: list[str]) -> list[dict[str, Any]]:
    """Run a part in a process of its own; what it said, up to its time limit."""
    command = [sys.executable, __file__, *sys.argv[1:], "--child", part, "--devices", ",".join(names)]
    env = {**os.environ, "OPENBLAS_NUM_THREADS": os.environ.get("OPENBLAS_NUM_THREADS", "1")}
    start, found = time.perf_counter(), []
    with (
        tempfile.TemporaryFile("w+") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=env, start_new_session=True
        ) as process,
    ):
        limit = threading.Timer(given.timeout, os.killpg, (process.pid, signal.SIGKILL))
        limit.start()
        for line in process.stdout or ():
            if line.startswith("{"):
                found.append(json.loads(line))
                print("  ".join(f"{key} {value}" for key, value in found[-1].items()), flush=True)
                if given.save:
                    with open(given.save, "a") as file:
                        file.write(json.dumps({"part": part, **found[-1]}) + "\n")
        process.wait()
        limit.cancel()
        errors.seek(0)
        if process.returncode:
            print(f"{part}: exit status {process.returncode}\n{errors.read()[-1500:]}", flush=True)
    print(f"# {part}: {time.perf_counter() - start:.1f} s", flush=True)
    return found


def table(found: list[dict[str, Any]]) -> None:
    """Print a line a program and size: milliseconds, what more devices give, and times of devarray's time."""
    libraries = list(dict.fromkeys(f["library"] for f in found))
    for gigabytes in dict.fromkeys(f["GiB"] for f in found):
        here = [f for f in found if f["GiB"] == gigabytes]
        counts = sorted({f["devices"] for f in here})
        print(f"{gigabytes} GiB on {', '.join(map(str, counts))} devices")
        for name in dict.fromkeys(f["program"] for f in here):
            row(name, {(f["library"], f["devices"]): f for f in here if f["program"] == name}, libraries, counts)


def row(name: str, by: dict[tuple[str, int], dict[str, Any]], libraries: list[str], counts: list[int]) -> None:
    """Print a program's line, and what is to be said of it below."""
    parts = []
    ours = by.get(("devarray", counts[-1]), {}).get("seconds")
    for library in libraries:
        runs = [by.get((library, count), {}) for count in counts]
        text = " ".join(f"{r['seconds'] * 1e3:9.1f}" if "seconds" in r else "        -" for r in runs)
        last = runs[-1].get("seconds")
        if len(runs) > 1 and last and "seconds" in runs[0]:
            text += f" ({runs[0]['seconds'] / last:.2f} x)"
        if library != "devarray" and last and ours:
            text += f" [{last / ours:.2f}]"
        parts.append(f"{library} {text}")
    print(f"{name:15} {'   '.join(parts)}")
    values = {f["value"] for f in by.values() if f.get("value") is not None}
    if values and not max(values) - min(values) <= ALIKE * max(map(abs, values)):
        print(f"{'':15} RESULTS DIFFER: {sorted(values)}")
    for run in by.values():
        if "error" in run:
            print(f"{'':15} {run['library']} on {run['devices']}: {run['error']}")
        elif run.get("made"):
            print(f"{'':15} {run['library']} on {run['devices']}: the graph is made in {run['made'] * 1e3:.1f} ms")
        if run.get("moved"):
            print(f"{'':15} {run['library']} on {run['devices']}: {run['moved']:.3f} GB between devices")


def main() -> None:
    """Run what was asked for."""
    given = arguments()
    if given.child:
        child(given, given.devices.split(","))
        return
    if given.devices:
        names = given.devices.split(",")
    else:
        import devarray as da

        best = da.device()
        alike = [d for d in da.devices() if d.type == "gpu" and d.driver == best.driver]
        names = [f"{d.driver}:{d.index}" for d in alike or [best]]
    print(f"devices: {', '.join(names)}; the largest array has {given.gigabytes} GiB", flush=True)
    parts, found = given.parts.split(","), []
    for part in ("exchange", "outofcore"):
        if part in parts:
            ask(part, given, names)
    if "programs" in parts:
        for library in given.libraries.split(","):
            if importlib.util.find_spec(library):
                found += ask(library, given, names)
        print("milliseconds by devices; (what more devices give); [how many times devarray's time]")
        table(found)


if __name__ == "__main__":
    main()
