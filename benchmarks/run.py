"""Time the same work under devarray, NumPy and whichever peers are installed, in one run.

    python benchmarks/run.py [--device NAME] [--peers numpy,pyopencl,cupy,torch,jax] [--cases REGEX] [--quick]
                             [--json FILE] [--plot FILE.png] [--no-costs]
    python benchmarks/run.py --draw FILE.json --plot FILE.png

The libraries take turns; medians count. Inputs are named arrays that live on the device, results are evaluated and
alive until the clock stops. docs/benchmarks.md says more.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from cases import CASES, Case
from libraries import PEERS, DevArray, Library, available
from micro import measure
from passes import memory_pass
from report import Row, cases_table, costs_table, document, draw
from timing import Block, Effort, stopwatch, take_turns

import devarray as da

_PASS = "one pass"


def _block(lib: Library, case: Case, arrays: dict) -> Block:
    def block(count: int) -> float:
        result = None
        begin = time.perf_counter()
        for _ in range(count):
            result = lib.evaluate(case.body(lib, arrays))
        lib.finish(result)
        return time.perf_counter() - begin

    return block


def _place(lib: Library, case: Case, host: dict[str, np.ndarray]) -> dict:
    return dict(host) if case.on_host else {name: lib.to_device(values) for name, values in host.items()}


def _is_right(lib: Library, case: Case, reference: np.ndarray, host: dict[str, np.ndarray]) -> bool:
    """Whether a small run gives NumPy's values; it also compiles what the large one needs."""
    result = lib.evaluate(case.body(lib, _place(lib, case, host)))
    lib.finish(result)
    values = result if isinstance(result, np.ndarray) else lib.to_host(result)
    return values.shape == reference.shape and np.allclose(values, reference, rtol=2e-4, atol=2e-4)


def run_case(case: Case, libraries: Sequence[Library], device: da.Device, effort: Effort) -> Row:
    """Check and time one case."""
    numpy = PEERS["numpy"](device)
    small = case.inputs(case.small)
    reference = np.asarray(case.body(numpy, small))
    size = case.size(device.type)
    host = case.inputs(size)
    blocks: dict[str, Block] = {}
    notes: dict[str, str] = {}
    for lib in libraries:
        if not lib.supports(case.needs):
            continue
        try:
            if not _is_right(lib, case, reference, small):
                notes[lib.name] = "wrong result"
                continue
            block = _block(lib, case, _place(lib, case, host))
            block(1)
        except lib.errors as error:
            notes[lib.name] = "failed"
            first = str(error).strip().partition("\n")[0]
            print(f"{case.name}: {lib.name}: {type(error).__name__}: {first}", file=sys.stderr)
            continue
        blocks[lib.name] = block
    if case.reads or case.writes:
        one_pass = stopwatch(memory_pass(device, size**case.dims, case.reads, case.writes), device.default_queue.finish)
        one_pass(1)
        blocks[_PASS] = one_pass
    times = take_turns(blocks, effort)
    return Row(case, size, times, times.pop(_PASS, None), case.budget.get(device.type), notes)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", help="as devarray.device takes it; the best by default")
    parser.add_argument("--peers", default=",".join(PEERS), help="comma-separated; default: %(default)s")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only cases whose name matches")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repeats, the same sizes")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    parser.add_argument("--plot", type=Path, metavar="FILE.png", help="draw the ratios")
    parser.add_argument("--draw", type=Path, metavar="FILE.json", help="measure nothing: plot an earlier run's --json")
    parser.add_argument("--no-costs", action="store_true", help="leave out the costs of calls in Python")
    arguments = parser.parse_args()
    arguments.peers = [name for name in arguments.peers.split(",") if name]
    unknown = [name for name in arguments.peers if name not in PEERS]
    if unknown:
        parser.error(f"no peer named {', '.join(unknown)}; there are {', '.join(PEERS)}")
    if arguments.draw and not arguments.plot:
        parser.error("--draw needs --plot FILE.png")
    return arguments


def main() -> int:
    arguments = _arguments()
    if arguments.draw:
        draw(arguments.plot, json.loads(arguments.draw.read_text()))
        return 0
    da.config.fallback = "allow"  # work that devarray does through the host is timed as it is
    device = da.device(arguments.device)
    effort = Effort.of(arguments.quick)
    with da.use(device=device):
        peers, reasons = available(arguments.peers, device)
        libraries = [DevArray(device), *peers]
        for lib in libraries:
            print(f"{lib.name} {lib.version}: {lib.place}")
        for reason in reasons:
            print(f"without {reason}")
        rows = []
        try:
            for case in CASES:
                if re.search(arguments.cases, case.name):
                    print(f"  {case.name} ...", file=sys.stderr, flush=True)
                    rows.append(run_case(case, libraries, device, effort))
        except KeyboardInterrupt:
            print("interrupted: what was measured until then follows", file=sys.stderr)
            arguments.no_costs = True
        print(f"\nMedians of up to {effort.repeats} blocks, taken in turns.\n")
        print(cases_table(rows, [lib.name for lib in peers]))
        costs = [] if arguments.no_costs else measure(device, arguments.quick)
        if costs:
            print(f"\n{costs_table(costs)}")
    settings = {"device": str(device), "quick": arguments.quick, "regex": arguments.cases}
    measured = document(libraries, rows, costs, settings)
    if arguments.json:
        arguments.json.write_text(json.dumps(measured, indent=1) + "\n")
    if arguments.plot:
        draw(arguments.plot, measured)
    return 1 if any("devarray" in row.notes for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
