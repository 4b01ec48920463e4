"""What the host spends on a repeated step of each whole program: recording, planning and launching, not the kernels.

    python benchmarks/host_cost.py [--device NAME | --stand-in] [--cases REGEX] [--seconds S] [--sizes gpu|cpu|small]

Times are CPU time of the calling thread, the least of all repeats: `record` until the program has returned its arrays,
`evaluate` for what is then left to launch. Programs that evaluate on the way do so in `record`. With --stand-in the
device is a CUDA driver made of host memory (tests/cuda/fake_cuda.c), for which kernels are compiled by NVRTC and
launches cost nothing, so that no GPU is needed. `planned` are launches that were not found among those kept.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from whole import PROGRAMS, Program

import devarray as da

_SOURCE = Path(__file__).parent.parent / "tests" / "cuda" / "fake_cuda.c"


def use_stand_in() -> None:
    """Build the stand-in driver and use it as CUDA's. Once a process, before CUDA is touched."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise SystemExit("--stand-in needs a C compiler, cc or gcc")
    library = Path(tempfile.mkdtemp(prefix="devarray-")) / "libfakecuda.so"
    flags = ["-shared", "-fPIC", "-O2", "-fvisibility=hidden", "-w"]
    subprocess.run([compiler, *flags, str(_SOURCE), "-o", str(library)], check=True)
    da._core.cuda._use_library(str(library))


def step_of(program: Program, arrays: dict[str, da.Array]) -> Callable[[], tuple[float, float]]:
    """One step: seconds of the host until it has returned, and for the rest."""
    clock = time.thread_time

    def step() -> tuple[float, float]:
        begin = clock()
        made: Any = program.body(da, **arrays)
        recorded = clock()
        for part in made if isinstance(made, tuple) else (made,):
            if isinstance(part, da.Array):
                part.evaluate()
        return recorded - begin, clock() - recorded

    return step


def measure(program: Program, device: da.Device, size: int, seconds: float) -> str:
    host = program.inputs(size, np.random.default_rng(2))
    arrays = {name: da.to_device(values) for name, values in host.items()}
    step = step_of(program, arrays)
    for _ in range(4):
        step()
    device.default_queue.finish()
    before = da.stats()
    step()
    after = da.stats()
    recorded, launches, reused = (after[k] - before[k] for k in ("recorded", "launches", "plans_reused"))
    times = []
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        times.append(step())
        if len(times) % 8 == 0:
            device.default_queue.finish()
    record, evaluate = min(times, key=sum)
    total = record + evaluate
    cells = [f"{1e6 * t:.1f}" for t in (record, evaluate, total)]
    cells += [str(recorded), str(launches), str(launches - reused)]
    cells += [f"{1e9 * total / max(recorded, 1):.0f}", f"{1e6 * total / max(launches, 1):.2f}"]
    return f"| {program.name} | {' | '.join(cells)} |"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help="as devarray.device takes it; the best by default")
    parser.add_argument("--stand-in", action="store_true", help="a CUDA driver made of host memory")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only programs whose name matches")
    parser.add_argument("--seconds", type=float, default=1.0, help="for each program (%(default)s)")
    parser.add_argument("--sizes", choices=("gpu", "cpu", "small"), default="gpu", help="default: %(default)s")
    arguments = parser.parse_args()
    if arguments.stand_in:
        use_stand_in()
    da.config.fallback = "allow"
    device = da.device("cuda" if arguments.stand_in else arguments.device)
    names = ["record us", "evaluate us", "both us", "recorded", "launches", "planned", "ns an operation", "us a launch"]
    print(f"| program | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    with da.use(device=device):
        for program in PROGRAMS:
            if re.search(arguments.cases, program.name):
                print(measure(program, device, getattr(program, arguments.sizes), arguments.seconds), flush=True)


if __name__ == "__main__":
    main()
