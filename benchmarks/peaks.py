"""Measure the most memory that whole programs hold at once, under devarray and, on a GPU, under CuPy.

    python benchmarks/peaks.py [--device NAME] [--cases REGEX]

Bytes of arrays, inputs and results included, that are in use at the same time: devarray's by its pool, CuPy's by a hook
of its own. The second call of each program counts, so that nothing is compiled in it. Megabytes.
"""

from __future__ import annotations

import argparse
import gc
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from whole import PROGRAMS, Program

import devarray as da


def _peak_of_devarray(program: Program, host: dict[str, np.ndarray], device: da.Device) -> int:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    with da.use(allocator=pool):
        arrays = {name: da.to_device(values) for name, values in host.items()}

        def call() -> None:
            made = program.body(da, **arrays)
            for part in made if isinstance(made, tuple) else (made,):
                if isinstance(part, da.Array):
                    part.evaluate()
            da.synchronize()

        return _second_call(call, pool.reset_peaks, lambda: pool.peak_active_bytes)


def _second_call(call: Callable[[], None], reset: Callable[[], None], peak: Callable[[], int]) -> int:
    call()
    gc.collect()
    reset()
    call()
    return peak()


def _peak_of_cupy(program: Program, host: dict[str, np.ndarray], cupy: Any) -> int:
    class Counted(cupy.cuda.MemoryHook):  # type: ignore[misc]
        name = "counted"
        held = most = 0

        def malloc_postprocess(self, **what: Any) -> None:
            self.held += what["mem_size"]
            self.most = max(self.most, self.held)

        def free_postprocess(self, **what: Any) -> None:
            self.held -= what["mem_size"]

        def reset(self) -> None:
            self.most = self.held

    with Counted() as counted:
        arrays = {name: cupy.asarray(values) for name, values in host.items()}

        def call() -> None:
            made = program.body(cupy, **arrays)
            cupy.cuda.Device().synchronize()
            del made

        return _second_call(call, counted.reset, lambda: counted.most)


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", help="as devarray.device takes it; the best by default")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only programs whose name matches")
    arguments = parser.parse_args()
    device = da.device(arguments.device)
    da.config.fallback = "allow"
    cupy = None
    if device.type == "gpu":
        try:
            import cupy
        except ImportError:
            print("without CuPy, which is not installed")
    print("| program | devarray | CuPy | ratio |\n|---|---:|---:|---:|")
    for program in PROGRAMS:
        if not re.search(arguments.cases, program.name):
            continue
        host = program.inputs(program.gpu if device.type == "gpu" else program.cpu, np.random.default_rng(2))
        own = _peak_of_devarray(program, host, device)
        cells = [program.name, f"{own / 1e6:.4g}", "-", "-"]
        if cupy is not None:
            theirs = _peak_of_cupy(program, host, cupy)
            cells[2:] = [f"{theirs / 1e6:.4g}", f"{own / theirs:.2f}"]
            cupy.get_default_memory_pool().free_all_blocks()
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
