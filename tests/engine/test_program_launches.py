"""The benchmarks' whole programs: how many kernels each takes once its plans are known, and NumPy's results."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray._runtime import compiler

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))
whole = importlib.import_module("whole")

pytestmark = [pytest.mark.usefixtures("deferred"), pytest.mark.filterwarnings("ignore::RuntimeWarning")]
PROGRAMS = {program.name: program for program in whole.PROGRAMS}
MORE = {program.name: program for program in importlib.import_module("whole_more").MORE}

MOST = {  # by the strategy of GPUs, and by that of CPUs, where a host's factorisations and transforms are no launches
    "heat equation by slices": (8, 40),  # 20 steps
    "game of life by rolls": (12, 51),  # 50 steps of 16 rolls
    "gray-scott reaction by rolls": (30, 30),  # 30 steps of two fields
    "lattice boltzmann d2q9": (11, 11),  # 10 steps of nine directions
    "wave equation in place": (4, 20),  # 20 steps
    "mandelbrot by where": (1, 2),  # 50 steps
    "image pipeline": (5, 6),
    "fft filter": (10, 3),
    "lorenz systems by rk4": (1, 4),  # 20 steps of four stages
    "n-body, sums over an axis of 3": (20, 30),  # 10 steps
    "equation of state": (1, 1),  # 366 operations
    "black-scholes": (1, 1),
    "k-means": (50, 40),  # 10 steps
    "logistic regression": (81, 41),  # 20 steps
    "attention": (5, 3),
    "layer norm and gelu": (3, 4),
    "adam, 40 parameters": (40, 40),  # a launch a parameter, or one for several of them
    "page rank": (41, 41),  # 20 steps
    "monte carlo of a barrier option": (2, 3),
    "pca by power iterations": (67, 67),  # 30 steps
    "rolling statistics": (7, 8),
    "hashing": (1, 1),
    "masks and clipping": (5, 5),
    "pairwise distances, nearest": (2, 2),
}
MOST_OF_POCL = {  # which gets shorter texts, since it takes longest for them
    "lattice boltzmann d2q9": 83,
    "lorenz systems by rk4": 8,
    "monte carlo of a barrier option": 4,
}
MOST_OF_CUDA = {"k-means": 70}  # at these sizes cuBLAS cuts a product along its sum, which a kernel of its own adds up


def test_all_programs_are_here() -> None:
    assert MOST.keys() == PROGRAMS.keys()


def results_of(program: Any, xp: Any, inputs: dict[str, Any]) -> list[Any]:
    made = program.body(xp, **inputs)
    return list(made) if isinstance(made, tuple) else [made]


@pytest.mark.parametrize("name", MOST)
def test_launches_and_values(device: da.Device, name: str) -> None:
    program = PROGRAMS[name]
    host = program.inputs(program.cpu, np.random.default_rng(2))
    if not device.caps["fp64"] and any(np.asarray(x).dtype == np.float64 for x in host.values()):
        pytest.skip("the device has no float64")
    arrays = {key: da.asarray(x) if isinstance(x, np.ndarray) else x for key, x in host.items()}
    counts = []
    for _ in range(6):
        before = da.stats()["launches"]
        results = results_of(program, da, arrays)
        for result in results:
            result.evaluate()
        da.synchronize()
        counts.append(da.stats()["launches"] - before)
        compiler.wait_for_kernels()
    most = MOST[name][device.strategy == "cpu"]
    if device.strategy == "cpu" and "Portable" in device.caps["platform"]:
        most = MOST_OF_POCL.get(name, most)
    if device.driver == "cuda":
        most = MOST_OF_CUDA.get(name, most)
    # The queue is marked every 256 launches, and what waits to be joined is launched then.
    assert min(counts[3:]) <= most
    for result, wanted in zip(results, results_of(program, np, host), strict=True):
        wanted = np.asarray(wanted)
        np.testing.assert_allclose(
            result.copy_to_host(), wanted, rtol=0, atol=program.rtol * max(1e-30, float(np.abs(wanted).max()))
        )


@pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning")  # Cholesky's, where no library has it
@pytest.mark.parametrize("name", MORE)
def test_values_of_further_programs(device: da.Device, name: str) -> None:
    program = MORE[name]
    host = program.inputs(program.small, np.random.default_rng(2))
    if not device.caps["fp64"] and any(x.dtype == np.float64 for x in host.values()):
        pytest.skip("the device has no float64")
    arrays = {key: da.asarray(x) for key, x in host.items()}
    for _ in range(3):  # the third time by plans that were kept
        results = results_of(program, da, arrays)
        for result, wanted in zip(results, results_of(program, np, host), strict=True):
            wanted = np.asarray(wanted)
            assert result.shape == wanted.shape
            scale = max(1e-30, float(np.abs(wanted).max()))
            np.testing.assert_allclose(result.copy_to_host(), wanted, rtol=0, atol=program.rtol * scale)
