#!/usr/bin/env python3
"""Calls every public function of devarray, and every method of its arrays, once for each layout and dtype.

    python tools/sweep.py --device cuda [--pairs 6] [--names linalg] [--jobs 2]

Values are not looked at. What counts: no call ends its process or hangs, none raises what no user should see (an
internal check, an AttributeError...), and no memory stays in use when all results are gone. Each batch runs in a
process of its own, so that a crash names the call; the batch goes on behind it. The calls: tools/sweep_calls.py.
"""

from __future__ import annotations

import argparse
import copy
import ctypes
import faulthandler
import gc
import operator
import os
import pickle
import queue
import subprocess
import sys
import tempfile
import threading
import warnings
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import sweep_calls

LAYOUTS = ("()", "(1,)", "(0,)", "(2, 3)", "strided", "negative")
DTYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES += ("float16", "float32", "float64", "complex64", "complex128")
BATCH = 24  # names a process
SECONDS = 60  # that a call may take, kernels compiled and all

REFUSALS = (TypeError, ValueError, LookupError, ArithmeticError, MemoryError, NotImplementedError, BufferError)
"""What a call may raise, beside devarray's own errors: not every function takes every layout and dtype, and where
kernels do nothing what was computed may be out of range. An internal check is none of these."""


class Case:
    """What calls are made of: arrays of one layout and one dtype."""

    def __init__(self, da: Any, layout: str, dtype: str, folder: Path) -> None:
        shape = {"()": (), "(1,)": (1,), "(0,)": (0,)}.get(layout, (2, 3))
        empty, one = layout == "(0,)", layout in ("()", "(1,)")
        side, length = (0, 0) if empty else (1, 1) if one else (3, 6)

        def made(shape: tuple[int, ...], seed: int = 0, kind: str = dtype) -> Any:
            return lay(da, host(shape, kind, seed), layout)

        names = {
            "da": da,
            "x": made(shape),
            "y": made(shape, 1),
            "x3": made((*shape[:-1], 3)),
            "x3d": made((*shape, 1, 1)[:3] if len(shape) < 3 else shape),
            "v": made((length,)),
            "m": made((side, side)),
            "mm": made((2, side, side)),
            "i": made(shape or (1,), kind="index"),
            "iv": made((length,), kind="index"),
            "ii": made(shape, kind="index"),
            "b": made(shape, kind="bool"),
            "bv": made((length,), kind="bool"),
            "h": host(shape, dtype, 0),
            "h2": np.ones(8, np.float32),
            "s": shape,
            "d": np.dtype(dtype),
            "d2": np.dtype(DTYPES[(DTYPES.index(dtype) + 3) % len(DTYPES)]),
            "edges": da.asarray(np.linspace(-1, 1, 5)),
            "ones": da.ones(2),
            "copy": copy,
            "numpy": np,
            "operator": operator,
            "pickle": pickle,
            "fresh": lambda suffix: folder / f"new.{suffix}",
            "npy_file": folder / "kept.npy",
            "raw_file": folder / "kept.bin",
            "text_file": folder / "kept.txt",
        }

        def assign(statement: str) -> None:
            exec(statement, names)

        def enter(manager: Any) -> None:
            with manager:
                pass

        self.names = {**names, "assign": assign, "enter": enter}

    def call(self, function: Any, line: str) -> Any:
        """The result, evaluated and copied to the host where it is an array."""
        result = eval(line, {**self.names, "f": function})
        for value in result if isinstance(result, tuple | list) else (result,):
            if isinstance(value, self.names["da"].Array):
                value.copy_to_host()
        return result


def host(shape: tuple[int, ...], kind: str, seed: int) -> np.ndarray:
    """Small numbers; of the kind "index" zeros."""
    if kind == "index":
        return np.zeros(shape, np.int64)
    count = int(np.prod(shape))
    return ((np.arange(count) * 5 + seed) % 7 + 1).reshape(shape).astype(kind)


def lay(da: Any, values: np.ndarray, layout: str) -> Any:
    """The values as an array of a layout."""
    if layout == "strided":
        wide = np.repeat(values, 2, axis=-1) if values.ndim else values
        return da.asarray(wide)[..., ::2] if values.ndim else da.asarray(wide)
    if layout == "negative" and values.ndim:
        flipped = (slice(None, None, -1),) * values.ndim
        return da.asarray(np.ascontiguousarray(values[flipped]))[flipped]
    return da.asarray(values)


def cases_of(name: str, pairs: int) -> Iterator[tuple[str, str]]:
    """`pairs` layouts and dtypes, spread so that all functions together see each layout with each dtype."""
    first = zlib.crc32(name.encode())
    for number in range(pairs):
        turn = number // len(LAYOUTS)  # the second round meets other dtypes
        yield LAYOUTS[number % len(LAYOUTS)], DTYPES[(first + number * 5 + turn) % len(DTYPES)]


# --- a child: one batch --------------------------------------------------------------------------------------------


def open_device(device: str, library: str | None) -> tuple[Any, Any]:
    """devarray with its default device set, and what counts the driver's allocations on a stand-in."""
    from devarray import _core

    driver = None
    if library:
        _core.cuda._use_library(library)
        driver = ctypes.CDLL(library)
    import devarray as da

    da.config.fallback = "allow"
    da.use(device=device).__enter__()
    return da, driver


def run_batch(device: str, library: str | None, names: Sequence[str], pairs: int) -> None:
    """Makes the calls of some names twice; tells on standard output, line by line, what it does."""
    faulthandler.enable()
    warnings.simplefilter("ignore")
    da, driver = open_device(device, library)
    table = sweep_calls.calls(da)
    with tempfile.TemporaryDirectory() as folder:
        np.save(Path(folder) / "kept.npy", np.ones(3))
        (Path(folder) / "kept.bin").write_bytes(bytes(48))
        (Path(folder) / "kept.txt").write_text("1 2\n3 4\n")
        held = None
        for again in (False, True):  # the second time, what is kept for good is there already
            for name in names:
                before = held
                for layout, dtype in cases_of(name, pairs):
                    make_calls(da, name, table[name], layout, dtype, Path(folder), tell=not again)
                held = in_use(da, driver)
                if again and before is not None and held != before:
                    print(f"leak\t{name}\t{before} before, {held} after (blocks, bytes, driver's own)", flush=True)
    print("end", flush=True)


def make_calls(da: Any, name: str, lines: Sequence[str], layout: str, dtype: str, folder: Path, tell: bool) -> None:
    function: Any = None
    if not name.startswith("Array."):
        function = operator.attrgetter(name)(da)
    for line in lines:
        print(f"call\t{name}\t{line} of {layout} {dtype}", flush=True)
        faulthandler.dump_traceback_later(SECONDS, exit=True)
        answer = "done"
        try:
            Case(da, layout, dtype, folder).call(function, line)
        except (*REFUSALS, da.Error) as error:
            internal = "internal check" in str(error) or type(error) is da.Error or isinstance(error, da.CompileError)
            answer = "bad" if internal else "refused"
            answer += f"\t{type(error).__name__}: {error}".replace("\n", " ")
        except Exception as error:
            answer = f"bad\t{type(error).__name__}: {error}".replace("\n", " ")
        if tell:
            print(answer, flush=True)
    faulthandler.cancel_dump_traceback_later()


def in_use(da: Any, driver: Any) -> tuple[int, ...]:
    """What arrays and others hold when nobody holds an array."""
    gc.collect()
    da.synchronize()
    pool = da.alloc.default_allocator(da.device())
    pool.trim()
    counted = (pool.active_blocks, pool.active_bytes) if hasattr(pool, "active_blocks") else ()
    return (*counted, driver.fake_live_allocations()) if driver else counted


# --- the parent ----------------------------------------------------------------------------------------------------


class Sweep:
    """Hands batches to child processes, and gathers what they tell."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.bad: list[str] = []
        self.answers: dict[str, list[str]] = {}
        self._batches: queue.SimpleQueue[list[str]] = queue.SimpleQueue()

    def run(self, names: Sequence[str]) -> None:
        for first in range(0, len(names), BATCH):
            self._batches.put(list(names[first : first + BATCH]))
        threads = [threading.Thread(target=self._work) for _ in range(self.options.jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _work(self) -> None:
        while True:
            try:
                names = self._batches.get_nowait()
            except queue.Empty:
                return
            while names:  # from behind a crash on
                names = self._batch(names)

    def _batch(self, names: list[str]) -> list[str]:
        """Runs a batch; what is left of it where it did not come to its end."""
        options = self.options
        command = [sys.executable, __file__, "--device", options.device, "--pairs", str(options.pairs)]
        command += ["--library", options.library] if options.library else []
        env = environment(options.device)
        done = subprocess.run([*command, "--batch", *names], capture_output=True, text=True, env=env)
        name, last = names[0], "before the first call"
        for line in done.stdout.splitlines():
            word, *rest = line.split("\t")
            if word == "call":
                name, last = rest
            elif word in ("done", "refused", "bad"):
                self.answers.setdefault(name, []).append(word)
                if word == "bad":
                    self.bad.append(f"{name}: {last}: {rest[0]}")
            elif word == "leak":
                self.bad.append(f"{rest[0]}: memory stays in use: {rest[1]}")
        if done.returncode == 0 and done.stdout.endswith("end\n"):
            return []
        self.bad.append(f"{name}: {last}: the process ended with status {done.returncode}\n{done.stderr[-3000:]}")
        return names[names.index(name) + 1 :]


def environment(device: str) -> dict[str, str]:
    """The children's: they find the modules that this process finds; the device is theirs, whatever this one's is."""
    here = str(Path(__file__).parent)
    return {
        **os.environ,
        "DEVARRAY_DEVICE": device,
        "PYTHONPATH": os.pathsep.join([here, *(p or "." for p in sys.path)]),
    }


def available(da: Any, name: str, device: str) -> bool:
    """Whether a device can have it at all: CUDA's interface, or memory that the host sees."""
    if name in ("as_cuda_array", "from_cuda_array_interface"):
        return bool(da.device(device).driver == "cuda")
    if name not in ("mapped_array", "managed_array"):
        return True
    try:
        getattr(da, name)(1, device=device)
    except da.DeviceError:
        return False
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; the exit status is 1 where something is wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", required=True, help="as devarray.device takes it: cuda, opencl, intel ...")
    parser.add_argument("--pairs", type=int, default=len(DTYPES), help="layouts and dtypes of each call (%(default)s)")
    parser.add_argument("--names", default="", help="part of the names to call")
    parser.add_argument("--jobs", type=int, default=2, help="processes (%(default)s)")
    parser.add_argument("--library", help="a stand-in for libcuda, which counts its allocations")
    parser.add_argument("--batch", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.batch:
        run_batch(options.device, options.library, options.batch, options.pairs)
        return 0
    import devarray as da

    names = [name for name in sweep_calls.calls(da) if options.names in name]
    sweep = Sweep(options)
    sweep.run(names)
    never = [
        name for name in names if "done" not in sweep.answers.get(name, []) and available(da, name, options.device)
    ]
    counts = [sum(answers.count(word) for answers in sweep.answers.values()) for word in ("done", "refused", "bad")]
    for line in sweep.bad:
        print(line)
    if never:
        print("refused whatever they were called with:", ", ".join(never))
    done, refused, _ = counts
    print(f"{len(names)} names on {options.device}: {done} calls done, {refused} refused, {len(sweep.bad)} wrong")
    return 1 if sweep.bad or never else 0


if __name__ == "__main__":
    sys.exit(main())
