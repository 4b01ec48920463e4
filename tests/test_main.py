"""``python -m devarray``, run as its users run it."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import devarray as da
from devarray.__main__ import main

NO_DRIVER = """
import runpy, sys
from devarray import _core
from devarray.cl import _runtimes
_runtimes.find = lambda: []
sys.argv = ["devarray", *sys.argv[1:]]
runpy.run_module("devarray", run_name="__main__")
"""


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    """The environment of a child process whose kernel cache is empty."""
    path = os.pathsep.join(str(Path(entry).resolve()) for entry in sys.path if entry)
    return {**os.environ, "PYTHONPATH": path, "DEVARRAY_CACHE_DIR": str(tmp_path / "cache")}


MODULE = ("-m", "devarray")


def call(environment: dict[str, str], *arguments: str, program: tuple[str, ...] = MODULE) -> tuple[int, str]:
    """(exit status, output and errors) of ``python -m devarray``."""
    done = subprocess.run(
        [sys.executable, *program, *arguments], env=environment, text=True, capture_output=True, timeout=300, cwd="/"
    )
    return done.returncode, done.stdout + done.stderr


def test_alone_it_lists_what_is_here(device: da.Device, environment: dict[str, str]) -> None:
    status, text = call(environment)
    assert status == 0, text
    assert f"devarray {da.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}" in text
    for found in da.devices():
        assert f"  {found}\n" in text
        assert found.caps["platform"] in text
        assert f"memory kinds  {found.memory_kinds[0]} (default)" in text
    assert f"  default: {device}\n" in text
    assert f"Kernel cache: {environment['DEVARRAY_CACHE_DIR']}, 0 kernels, 0 bytes" in text


@pytest.mark.skipif(Path("/dev/nvidiactl").exists(), reason="the CUDA driver is found in any case")
@pytest.mark.parametrize("arguments", [(), ("demo",), ("warmup",)])
def test_without_a_driver_one_line_says_what_to_install(environment: dict[str, str], arguments: tuple) -> None:
    del environment["DEVARRAY_CACHE_DIR"]
    status, text = call(environment, *arguments, program=("-c", NO_DRIVER))
    assert status == 1, text
    (line,) = [line for line in text.splitlines() if "pip install" in line]
    assert "[cpu]'" in line and "[pocl]'" in line, "named by where it was installed from, seen from that folder"
    assert "Traceback" not in text


def test_it_says_its_version(environment: dict[str, str]) -> None:
    assert call(environment, "--version") == (0, f"devarray {da.__version__}\n")


def test_the_console_script_is_the_same_program() -> None:
    project = tomllib.loads((Path(__file__).resolve().parents[1] / "pyproject.toml").read_text())["project"]
    module, name = project["scripts"]["devarray"].split(":")
    assert getattr(importlib.import_module(module), name) is main
    assert set(project["optional-dependencies"]["cuda13"][:1]) == {"cuda-pathfinder>=1.3"}


@pytest.mark.slow
def test_warmup_fills_the_cache_and_clear_empties_it(device: da.Device, environment: dict[str, str]) -> None:
    environment["DEVARRAY_EAGER"] = "1"
    status, text = call(environment, "warmup", "--device", f"{device.driver}:{device.index}")
    assert status == 0, text
    made = int(text.split(" kernels compiled")[0].rsplit(" ", 1)[1])
    assert made > 20
    assert f"{made:,} kernels" in text.splitlines()[1]
    status, text = call(environment, "warmup", "--device", f"{device.driver}:{device.index}")
    assert ": 0 kernels compiled" in text
    empty = f"Kernel cache: {environment['DEVARRAY_CACHE_DIR']}, 0 kernels, 0 bytes\n"
    assert call(environment, "cache", "clear") == (0, empty)


def test_the_cache_can_be_off(environment: dict[str, str]) -> None:
    environment["DEVARRAY_CACHE_DIR"] = ""
    assert call(environment, "cache") == (0, "Kernel cache: off (DEVARRAY_CACHE_DIR is empty)\n")


def test_an_unknown_device_is_one_line(device: da.Device, environment: dict[str, str]) -> None:
    status, text = call(environment, "warmup", "--device", "abacus")
    assert status == 1
    assert text.startswith("devarray: no device answers to 'abacus'; there are ")
    assert text.count("\n") == 1


def test_help_and_wrong_commands(environment: dict[str, str]) -> None:
    status, text = call(environment, "--help")
    assert status == 0
    assert all(command in text for command in ("demo", "cache", "warmup"))
    assert call(environment, "abacus")[0] == 2
