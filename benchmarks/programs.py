"""Time whole programs under devarray, NumPy and whichever peers are installed, in one run.

    python benchmarks/programs.py [--device NAME] [--peers numpy,cupy,torch,jax,torch.compile,jax.jit] [--cases REGEX]
                                  [--more] [--quick] [--busy | --busy-only] [--contract] [--json FILE] [--table FILE]

The libraries take turns. `host` is the time until the results are on the host, `device` the time until the device has
done its work, both medians; `first` is the first call, compilation and all. Launches and bytes are those of devarray's
fused kernels and reductions, for one call. `limit` is what goes in and comes out, as often as the program passes over
it, at the bandwidth of a copy on the same device. Results are compared with NumPy's at a small size. With `--busy` a
second table has the milliseconds in which a GPU was busy: what kernels and copies took, without the host's time, the
least of some rounds by turns; with `--busy-only` nothing else is timed. `--contract` adds devarray with
`config.contract`, by which products and sums may be rounded once, as the compilers of the peers do.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from libraries import PEERS, DevArray, Library, available
from passes import memory_pass
from timing import Effort, busy_seconds, stopwatch, take_turns
from whole import PROGRAMS, Program
from whole_more import MORE

import devarray as da

_BUSY_CALLS = 5
_BUSY_ROUNDS = 3
_USES = 8
_COMPILED = {"torch.compile": "torch", "jax.jit": "jax"}
_CONTRACTED = "devarray, contract"


@dataclass
class Row:
    """A program's results: seconds by library, and what devarray counted in one call."""

    name: str
    size: int
    device: dict[str, float] = field(default_factory=dict)
    host: dict[str, float] = field(default_factory=dict)
    first: dict[str, float] = field(default_factory=dict)
    busy: dict[str, float] = field(default_factory=dict)
    launches: int = 0
    cuts: int = 0
    bytes_moved: int = 0
    least_bytes: int = 0
    limit: float | None = None
    notes: dict[str, str] = field(default_factory=dict)

    def best_peer(self) -> float | None:
        return _best_peer(self.device)


def _best_peer(seconds: dict[str, float]) -> float | None:
    own = ("devarray", _CONTRACTED, "numpy")
    return min((taken for name, taken in seconds.items() if name not in own), default=None)


class _Runner:
    """A program under one library, whose compiler makes one function of it where `compiled`."""

    def __init__(self, lib: Library, compiled: bool) -> None:
        self.lib = lib
        self.compiled = compiled
        self.name = {"torch": "torch.compile", "jax": "jax.jit"}[lib.name] if compiled else lib.name
        self.xp = _torch_namespace() if lib.name == "torch" else lib.xp

    def function(self, program: Program) -> Callable[..., Any]:
        def call(**arrays: Any) -> Any:
            return program.body(self.xp, **arrays)

        if not self.compiled:
            return call
        if self.lib.name == "torch":
            import torch

            torch._dynamo.reset()  # it compiles a function so many times, and then runs it as it is: all have one text
            return torch.compile(call)
        import jax

        return jax.jit(call)

    def results(self, made: Any) -> tuple[Any, ...]:
        return tuple(self.lib.evaluate(part) for part in (made if isinstance(made, tuple) else (made,)))

    def to_host(self, made: Any) -> tuple[np.ndarray, ...]:
        parts = made if isinstance(made, tuple) else (made,)
        return tuple(np.asarray(part if isinstance(part, np.generic) else self.lib.to_host(part)) for part in parts)


def _torch_namespace() -> Any:
    """PyTorch's functions under NumPy's names and parameters, where they differ."""
    import torch

    class Namespace:
        fft = torch.fft

        def __getattr__(self, name: str) -> Any:
            return getattr(torch, name)

        @staticmethod
        def roll(x: Any, shift: int, axis: int) -> Any:
            return torch.roll(x, shift, axis)

        @staticmethod
        def pad(x: Any, width: int) -> Any:
            return torch.nn.functional.pad(x, (width,) * (2 * x.ndim))

        @staticmethod
        def clip(x: Any, low: float, high: float) -> Any:
            return torch.clamp(x, low, high)

    return Namespace()


def _is_right(runner: _Runner, program: Program, wanted: Sequence[np.ndarray], host: dict[str, np.ndarray]) -> bool:
    arrays = {name: runner.lib.to_device(values) for name, values in host.items()}
    made = runner.to_host(runner.results(program.body(runner.xp, **arrays)))
    for got, want in zip(made, wanted, strict=True):
        scale = max(float(np.max(np.abs(want), initial=0.0)), 1e-30)
        if got.shape != want.shape:
            return False
        difference = np.abs(got.astype(np.float64) - want.astype(np.float64))
        if not float(np.mean(difference)) <= program.rtol * scale:
            return False
    return True


def _copy_bandwidth(device: da.Device) -> float:
    """Bytes a second that one pass reads and writes."""
    n = 1 << (26 if device.type == "gpu" else 22)
    one_pass = stopwatch(memory_pass(device, n, 1, 1), device.default_queue.finish)
    one_pass(3)
    return 8 * n / min(one_pass(5) / 5 for _ in range(5))


def run_program(
    program: Program,
    runners: Sequence[_Runner],
    device: da.Device,
    effort: Effort | None,
    rate: float,
    busy: bool,
    contract: bool,
) -> Row:
    """Check and time one program; without an effort only how long the GPU is busy."""
    size = program.gpu if device.type == "gpu" else program.cpu
    row = Row(program.name, size)
    small = program.inputs(program.small, np.random.default_rng(1))
    wanted = program.body(np, **{name: values.copy() for name, values in small.items()})
    wanted = [np.asarray(part) for part in (wanted if isinstance(wanted, tuple) else (wanted,))]
    host = program.inputs(size, np.random.default_rng(2))
    until_done, until_host = {}, {}
    for runner in runners:
        try:
            arrays = {name: runner.lib.to_device(values) for name, values in host.items()}
            runner.lib.finish(next(iter(arrays.values())))
            function = runner.function(program)
            begin = time.perf_counter()  # before the check, which compiles the same kernels at another size
            runner.lib.finish(runner.results(function(**arrays)))
            row.first[runner.name] = time.perf_counter() - begin
            if not _is_right(runner, program, wanted, small):
                row.notes[runner.name] = "wrong result"
                continue
            da.compiler.wait_for_kernels()
            before = da.stats()
            results = runner.results(function(**arrays))
            runner.lib.finish(results)
            if runner.name == "devarray":
                _count(row, before, host, results, program, rate)
        except (*runner.lib.errors, NotImplementedError) as error:
            row.notes[runner.name] = "failed"
            first = str(error).strip().partition("\n")[0]
            print(f"{program.name}: {runner.name}: {type(error).__name__}: {first}", file=sys.stderr)
            continue

        def done(count: int, runner: Any = runner, function: Any = function, arrays: Any = arrays) -> float:
            begin = time.perf_counter()
            for _ in range(count):
                results = runner.results(function(**arrays))
            runner.lib.finish(results)
            return time.perf_counter() - begin

        def there(count: int, runner: Any = runner, function: Any = function, arrays: Any = arrays) -> float:
            begin = time.perf_counter()
            for _ in range(count):
                runner.to_host(function(**arrays))
            return time.perf_counter() - begin

        until_done[runner.name], until_host[runner.name] = done, there
    if effort is not None:
        row.device = {name: measured.median for name, measured in take_turns(until_done, effort).items()}
        row.host = {name: measured.median for name, measured in take_turns(until_host, effort).items()}
    if busy:
        row.busy = _busy(until_done)
    if busy and contract and "devarray" in until_done:
        da.config.contract = True
        row.busy[_CONTRACTED] = _busy({"devarray": until_done["devarray"]}).get("devarray", math.nan)
        da.config.contract = False
    return row


def _busy(until_done: dict[str, Callable[[int], float]]) -> dict[str, float]:
    """Seconds in which the GPU is busy with one call, by library; the least of some rounds by turns."""
    for _ in range(
        _USES if "devarray" in until_done else 0
    ):  # from some uses on a kernel has its scalars' values in it
        until_done["devarray"](1)
        da.compiler.wait_for_kernels()
    least: dict[str, float] = {}
    for _ in range(_BUSY_ROUNDS):
        for name, call in until_done.items():
            seconds = None if name == "numpy" else busy_seconds(partial(call, _BUSY_CALLS))
            if seconds is not None:
                least[name] = min(seconds / _BUSY_CALLS, least.get(name, math.inf))
    return least


def _count(row: Row, before: dict, host: dict, results: Sequence[Any], program: Program, rate: float) -> None:
    after = da.stats()
    row.launches = after["launches"] - before["launches"]
    row.cuts = after["cuts"] - before["cuts"]
    row.bytes_moved = after["bytes_moved"] - before["bytes_moved"]
    row.least_bytes = sum(values.nbytes for values in host.values()) + sum(part.nbytes for part in results)
    row.limit = program.steps * row.least_bytes / rate


def _milliseconds(seconds: float | None) -> str:
    return "-" if seconds is None else f"{seconds * 1e3:.3g}"


def table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """A Markdown table: milliseconds on the device, first calls of devarray in seconds."""
    head = ["program", "limit", *names, "best peer", "to host", "first", "launches", "cuts", "MB moved"]
    lines = [f"| {' | '.join(head)} |", f"|---|{'---:|' * (len(head) - 1)}"]
    for row in rows:
        own, peer = row.device.get("devarray"), row.best_peer()
        cells = [row.name, _milliseconds(row.limit)]
        cells += [row.notes.get(name) or _milliseconds(row.device.get(name)) for name in names]
        cells += [f"{peer / own:.2f} x" if peer and own else "-", _milliseconds(row.host.get("devarray"))]
        cells += [f"{row.first.get('devarray', math.nan):.2f}", str(row.launches), str(row.cuts)]
        cells.append(f"{row.bytes_moved / 1e6:.4g}")
        lines.append(f"| {' | '.join(cells)} |")
    ratios = [row.best_peer() / row.device["devarray"] for row in rows if row.best_peer() and "devarray" in row.device]
    if ratios:
        lines.append(f"\nGeometric mean over the best peer of each program: {statistics.geometric_mean(ratios):.2f} x")
    return "\n".join(lines)


def busy_table(rows: Sequence[Row], names: Sequence[str]) -> str:
    """A Markdown table of the milliseconds in which the GPU was busy; empty where nothing was measured."""
    measured = [row for row in rows if "devarray" in row.busy and len(row.busy) > 1]
    if not measured:
        return ""
    lines = [f"| busy: program | {' | '.join(names)} | best peer |", f"|---|{'---:|' * (len(names) + 1)}"]
    ratios = [(_best_peer(row.busy) or math.nan) / row.busy["devarray"] for row in measured]
    for row, ratio in zip(measured, ratios, strict=True):
        cells = [_milliseconds(row.busy.get(name)) for name in names]
        lines.append(f"| {row.name} | {' | '.join(cells)} | {ratio:.2f} x |")
    return "\n".join(
        [*lines, f"\nGeometric mean over the best peer of each program: {statistics.geometric_mean(ratios):.2f} x"]
    )


def _write(path: Path | None, device: da.Device, rate: float, rows: Sequence[Row]) -> None:
    """Everything measured so far: a run that is stopped keeps what it has."""
    if path is not None:
        document = {"device": str(device), "bytes_per_second": rate, "rows": [asdict(row) for row in rows]}
        path.write_text(json.dumps(document, indent=1) + "\n")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--device", help="as devarray.device takes it; the best by default")
    parser.add_argument("--peers", default="numpy,cupy,torch,jax,torch.compile,jax.jit", help="default: %(default)s")
    parser.add_argument("--cases", default="", metavar="REGEX", help="only programs whose name matches")
    parser.add_argument("--more", action="store_true", help="the programs of whole_more.py instead")
    parser.add_argument("--quick", action="store_true", help="fewer and shorter repeats, the same sizes")
    parser.add_argument("--busy", action="store_true", help="measure how long a GPU was busy, too (wants PyTorch)")
    parser.add_argument("--busy-only", action="store_true", help="measure that alone")
    parser.add_argument("--contract", action="store_true", help="with --busy: devarray with config.contract, too")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write everything measured")
    parser.add_argument("--table", type=Path, metavar="FILE", help="write the table")
    arguments = parser.parse_args()
    wanted = [name for name in arguments.peers.split(",") if name]
    unknown = [name for name in wanted if name not in (*PEERS, *_COMPILED)]
    if unknown:
        parser.error(f"no peer named {', '.join(unknown)}; there are {', '.join([*PEERS, *_COMPILED])}")
    da.config.fallback = "allow"
    device = da.device(arguments.device)
    with da.use(device=device):
        peers, reasons = available(list(dict.fromkeys(_COMPILED.get(name, name) for name in wanted)), device)
        by_name = {lib.name: lib for lib in peers}
        runners = [_Runner(DevArray(device), False)]
        for name in wanted:
            lib = by_name.get(_COMPILED.get(name, name))
            if lib is not None:
                runners.append(_Runner(lib, name in _COMPILED))
        for runner in runners:
            print(f"{runner.name} {runner.lib.version}: {runner.lib.place}")
        for reason in reasons:
            print(f"without {reason}")
        rate = _copy_bandwidth(device)
        rows: list[Row] = []
        for program in MORE if arguments.more else PROGRAMS:
            if re.search(arguments.cases, program.name):
                print(f"  {program.name} ...", file=sys.stderr, flush=True)
                effort = None if arguments.busy_only else Effort.of(arguments.quick)
                busy = arguments.busy or arguments.busy_only
                rows.append(run_program(program, runners, device, effort, rate, busy, arguments.contract))
                _write(arguments.json, device, rate, rows)
    names = [runner.name for runner in runners]
    busy_names = [*names, *([_CONTRACTED] if arguments.contract else [])]
    made = "\n\n".join(filter(None, (table(rows, names), busy_table(rows, busy_names))))
    print(f"\nMilliseconds on {device}; a copy moves {rate / 1e9:.3g} GB/s.\n\n{made}")
    if arguments.table:
        arguments.table.write_text(made + "\n")
    return 1 if any("devarray" in row.notes for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
