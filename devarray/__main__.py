"""``python -m devarray``, or ``devarray`` alone: what is here, the demo, and the kernel cache.

Exit status: 1 where no driver is found, where a setting is wrong, after another error, or where the demo's two sides
disagree.
"""

from __future__ import annotations

import argparse
import os
import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from typing import Any

import numpy as np

import devarray as da
from devarray import _core, cuda
from devarray import _demo as demo
from devarray import _run as run
from devarray import _warmup as warmup
from devarray._runtime.settings import SETTINGS, misspelt, problems

__all__ = ["main"]

RUNTIMES = ("intel-opencl-rt", "pocl-binary-distribution", "nvidia-cuda-nvrtc", "nvidia-cuda-nvrtc-cu12")
"""Packages that bring a runtime; their versions are listed where they are installed."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line; returns the exit status."""
    options = make_parser().parse_args(arguments)
    wrong = problems()
    if wrong and options.command:
        print(*(f"devarray: {line}" for line in wrong), sep="\n", file=sys.stderr)
        return 1
    try:
        if options.command == "demo":
            return demo.main(options.device, options.plot)
        if options.command == "run":
            return run.main(options)
        if options.command == "cache":
            return show_cache(options.action)
        if options.command == "warmup":
            status = warmup.main(options)
            print(cache_line())
            return status
        return show_everything()
    except da.Error as error:
        print(f"devarray: {error}", file=sys.stderr)
        return 1


def make_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="devarray" if os.path.basename(sys.argv[0]) == "devarray" else "python -m devarray",
        description="Without a command: list devices, memory kinds, versions and the kernel cache.",
        epilog="Exit status: 1 where no driver is found, where a setting is wrong, after another error, or where the "
        "demo's two sides disagree.",
    )
    parser.add_argument("--version", action="version", version=f"devarray {da.__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    about = "classify and cluster handwritten digits with NumPy and with devarray"
    demo.add_arguments(commands.add_parser("demo", help=about, description=about))
    run.add_arguments(commands.add_parser("run", help=run.ABOUT, description=run.ABOUT))
    about = "show the kernel cache, or clear it"
    cache = commands.add_parser("cache", help=about, description=about)
    cache.add_argument("action", nargs="?", choices=("info", "clear"), default="info")
    warmup.add_arguments(commands.add_parser("warmup", help=warmup.ABOUT, description=warmup.DESCRIPTION))
    return parser


# --- python -m devarray ------------------------------------------------------------------------------------------


def show_everything() -> int:
    """List versions, devices, settings and the cache; 1 where there is no device, or a setting is wrong."""
    wrong = problems()
    try:
        found = da.devices()
    except da.MissingDriverError as error:
        devices = f"Devices: none. {error}"
        default = "none"
    else:
        try:
            default = str(da.default_device())
        except da.DeviceError as error:
            wrong.append(str(error))
            default = "none"
        devices = "\n".join(["Devices, the best first", *map(describe, found), f"  default: {default}"])
    parts = [versions(), devices, looked_at(), settings(), cache_line()]
    if said := [*wrong, *misspelt()]:
        parts.append("\n".join(["Wrong settings", *(f"  {line}" for line in said)]))
    print(*parts, sep="\n\n")
    return 1 if wrong or default == "none" else 0


def settings() -> str:
    """Every environment variable, with what it is set to, or its default."""
    lines = ["Settings"]
    for name, row in SETTINGS.items():
        given = os.environ.get(name)
        lines.append(f"  {name:25} {row.default if given is None else f'{given!r}, by default {row.default}'}")
    return "\n".join(lines)


def versions() -> str:
    """Versions of devarray, of what it runs on, and of the runtimes that pip installed."""
    system = f"{platform.system()} {platform.machine()}"
    lines = [f"devarray {da.__version__}, Python {platform.python_version()}, NumPy {np.__version__}, {system}"]
    found = []
    for package in RUNTIMES:
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return "\n".join([*lines, f"Runtimes from pip: {', '.join(found) or 'none'}"])


def describe(device: da.Device) -> str:
    """A device on four lines."""
    caps = device.caps
    width = ", ".join(name for name, there in (("float16", caps["fp16"]), ("float64", caps["fp64"])) if there)
    capability = ".".join(map(str, caps["compute_capability"]))
    disguised = device.type == "cpu" and device.strategy == "gpu"
    kind = f"{device.type}{' worked on as a GPU (DEVARRAY_STRATEGY)' if disguised else ''}"
    kind += f", {caps['compute_units']} compute units, {demo.size(caps['global_memory'])}"
    if device.driver == "cuda":
        kind += f", compute capability {capability}"
    preferred, *others = device.memory_kinds
    return "\n".join(
        (
            f"  {device}",
            f"      {kind}",
            f"      platform      {caps['platform']}, {caps['version']}, driver {caps['driver_version']}",
            f"      memory kinds  {', '.join([f'{preferred} (default)', *others])}",
            f"      arithmetic    float32{', ' if width else ''}{width}",
        )
    )


def looked_at() -> str:
    """The libraries that were tried, and what came of each."""
    lines = ["Drivers looked for"]
    for library, origin, platforms, problem in _core.cl.libraries():
        found = f"{platforms} platform{'' if platforms == 1 else 's'}"
        lines.append(f"  OpenCL  {library} ({origin}): {'not found' if not_there(problem) else problem or found}")
    try:
        version = cuda.get_driver_version()
    except da.MissingDriverError:
        lines.append("  CUDA    libcuda.so.1 (NVIDIA's driver): not found")
    else:
        lines.append(f"  CUDA    libcuda.so.1 (NVIDIA's driver): CUDA {version // 1000}.{version % 1000 // 10}")
    return "\n".join(lines)


def not_there(problem: str) -> bool:
    return "No such file" in problem


def cache_line() -> str:
    """Where compiled kernels are kept, and how many."""
    info: dict[str, Any] = da.compiler.cache_info()
    if info["folder"] is None:
        return "Kernel cache: off (DEVARRAY_CACHE_DIR is empty)"
    return f"Kernel cache: {info['folder']}, {info['kernels']:,} kernels, {demo.size(info['bytes'])}"


# --- python -m devarray cache ------------------------------------------------------------------------------------


def show_cache(action: str) -> int:
    """Print what the kernel cache holds, after clearing it if asked to."""
    if action == "clear":
        da.compiler.clear_cache()
    print(cache_line())
    return 0


if __name__ == "__main__":
    sys.exit(main())
