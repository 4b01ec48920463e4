"""``python -m devarray warmup``: kernels compiled ahead of time, the common ones or those that a program needs."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import devarray as da
from devarray._runtime import compiler_waits
from devarray.errors import Error

__all__ = ["ABOUT", "DESCRIPTION", "add_arguments", "main"]

ABOUT = "compile kernels into the cache: common ones, or those that a program needs"
DESCRIPTION = (
    "Compile common kernels into the cache. With a program: run it, and write the kernels that it needed to a file, "
    "which other machines load by --load, and programs by devarray.compiler.load_kernels."
)
SHAPE = (600, 500)  # large enough that nothing of it is work for the host
EVERY_KERNEL = 2**31 - 1  # as many as are held at most


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("--device", metavar="NAME", help="cuda, opencl:0, gpu, cpu, or part of a device's name")
    parser.add_argument("--load", metavar="FILE", help="load a file of kernels into the cache, and compile no others")
    parser.add_argument(
        "--save", metavar="FILE", help="where to write the kernels (a program's: its name, and .kernels)"
    )
    rest = argparse.REMAINDER
    parser.add_argument("-m", dest="module", nargs=rest, metavar="MODULE", help="run a module, as python -m does")
    parser.add_argument("arguments", nargs=rest, metavar="SCRIPT [ARGUMENTS]", help="the program")


def main(options: argparse.Namespace) -> int:
    """Warm the cache as a command line says; returns the exit status."""
    compiler_waits.silence()
    try:
        if options.load is not None:
            return load(options)
        if options.module or options.arguments:
            return record(options)
        device = da.device(options.device)
        before = da.stats()["compilations"]
        compile_common(device)
        print(f"{device}: {da.stats()['compilations'] - before} kernels compiled")
        if options.save is not None:
            save(options.save)
    except OSError as problem:
        raise Error(f"warmup: {problem}") from problem
    return 0


def load(options: argparse.Namespace) -> int:
    """Load a file of kernels."""
    device = da.device(options.device)
    counts = da.compiler.load_kernels(options.load, device)
    print(f"{device}: {counts['binaries']} kernels loaded, {counts['compiled']} compiled, {counts['skipped']} skipped")
    return 0


def record(options: argparse.Namespace) -> int:
    """Run a program, and write the kernels that it needed; its exit status."""
    da.config.kernels = EVERY_KERNEL
    module, arguments = (options.module[0], options.module[1:]) if options.module else (None, options.arguments)
    name = module or Path(arguments[0]).stem
    device = da.device(options.device) if options.device else None
    with da.use(device=device) if device else da.use():
        status = run(module, arguments)
        da.synchronize()
    save(options.save or f"{name}.kernels")
    return status


def run(module: str | None, arguments: list[str]) -> int:
    """Run a script or a module as Python does; its exit status."""
    kept = sys.argv, sys.path[:]
    try:
        if module is None:
            sys.argv = list(arguments)
            sys.path.insert(0, os.path.dirname(os.path.abspath(arguments[0])))
            runpy.run_path(arguments[0], run_name="__main__")
        else:
            sys.argv = [module, *arguments]
            sys.path.insert(0, os.getcwd())
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0
        print(end.code, file=sys.stderr)
        return 1
    finally:
        sys.argv, sys.path[:] = kept
    return 0


def save(path: str) -> None:
    """Write the kernels that this process holds, and say so."""
    counts = da.compiler.save_kernels(path)
    print(f"{path}: {counts['kernels']} kernels, {counts['binaries']} of them compiled for this machine")
    if not counts["kernels"]:
        print(
            "The program launched none. Where the memory is the host's, work on small arrays runs without kernels; "
            f"devarray.config.host_elements, {da.config.host_elements} elements now, says how small."
        )


# --- common kernels ----------------------------------------------------------------------------------------------


def compile_common(device: da.Device) -> None:
    """Evaluate what most programs do, each function alone, as a program's first steps do it."""
    with da.use(device=device):
        for dtype in common_dtypes(device):
            for call in common_work(device, dtype):
                evaluate(call())
        da.synchronize()


def common_dtypes(device: da.Device) -> list[str]:
    """Those that most programs compute in."""
    return ["float32", *(["float64"] if device.caps["fp64"] else []), "int64"]


def common_work(device: da.Device, dtype: str) -> list[Callable[[], Any]]:
    """Functions that most programs call on arrays of a dtype."""
    values = da.reshape(da.arange(SHAPE[0] * SHAPE[1]), SHAPE) % 1000
    x = values.astype(dtype).evaluate()
    return common_calls(x, (values % 10 + 1).astype(dtype).evaluate())


def evaluate(result: object) -> None:
    for part in result if isinstance(result, tuple) else (result,):
        if isinstance(part, da.Array):
            part.evaluate()


def common_calls(x: da.Array, y: da.Array) -> list[Callable[[], Any]]:
    """Functions that most programs call, of two arrays of rows."""
    line, index = x.ravel(), da.asarray(np.arange(x.shape[0]), device=x.device)
    calls: list[Callable[[], Any]] = [
        lambda: x + y, lambda: x - y, lambda: x * y, lambda: x + 1, lambda: x * 2, lambda: 1 - x, lambda: -x,
        lambda: abs(x), lambda: da.equal(x, y), lambda: da.less(x, y), lambda: da.greater(x, 0),
        lambda: da.where(x < y, x, y), lambda: da.where(x > 0, x, y), lambda: da.maximum(x, y),
        lambda: da.minimum(x, y), lambda: da.clip(x, -1, 1), lambda: x.astype("float32"), lambda: x.astype("int64"),
        lambda: x.sum(), lambda: x.max(), lambda: x.min(), lambda: x.mean(), lambda: x.std(), lambda: (x > 3).any(),
        lambda: (x > 3).sum(), lambda: x[:500].T + y[:500], lambda: x + y[0], lambda: x + y[:, :1],
        lambda: x - x.mean(axis=0),
        lambda: x.sum(axis=0), lambda: x.sum(axis=1), lambda: x.mean(axis=1), lambda: x.max(axis=0),
        lambda: x.max(axis=1), lambda: x.argmax(axis=0), lambda: x.argmax(axis=1), lambda: da.cumsum(line),
        lambda: da.sort(line), lambda: da.argsort(x, axis=1), lambda: da.unique(line), lambda: da.median(line),
        lambda: da.nonzero(line > 1), lambda: x[x > 1], lambda: x[index], lambda: da.concatenate([x, y], axis=1),
        lambda: da.concatenate([x, y]), lambda: da.stack([x, y]), lambda: da.pad(x, 2), lambda: da.roll(x, 1, axis=0),
        lambda: da.diff(x, axis=1), lambda: da.histogram(line, bins=50), lambda: x[:64] @ x[:64].T,
    ]  # fmt: skip
    if x.dtype.kind == "f":
        calls += [
            lambda: x / y, lambda: x / 2, lambda: da.sqrt(y), lambda: da.exp(x), lambda: da.log(y), lambda: x**2,
            lambda: da.isnan(x), lambda: x * 2 - y / 3,
        ]  # fmt: skip
    else:
        calls += [lambda: da.bincount(line), lambda: da.bincount(line % 100), lambda: x // 2, lambda: x % 3]
    return calls
