"""Sums of weights over runs of equal numbers, whatever pieces the runs are cut into."""

from __future__ import annotations

import numpy as np
import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from planned import execute, view
from runtimes import Runtime

from devarray.codegen.kernels.launches import View
from devarray.codegen.kernels.run_sums import plan_run_sums


def sums(runtime: Runtime, numbers: np.ndarray, weights: np.ndarray, total: int) -> np.ndarray:
    starts = np.searchsorted(numbers, np.arange(total + 1)).astype(np.int64)
    out = np.full(total, 7.5)
    arrays = {"numbers": numbers, "weights": weights, "starts": starts, "out": out}
    execute(runtime, plan_run_sums(*(view(role, array) for role, array in arrays.items()), runtime.dialect), arrays)
    return out


# Elements on both sides of what a work-item has, of a piece and of several.
@pytest.mark.parametrize("size", [1, 3, 4, 5, 1023, 1024, 1025, 2049, 5000])
@pytest.mark.parametrize("dtype", ["uint8", "uint16", "uint32", "int64"])
def test_any_runs(quick_runtime: Runtime, dtype: str, size: int) -> None:
    rng = np.random.default_rng(size)
    for most in (1, 3, 100, 255):
        for numbers in (
            rng.integers(0, most, size),
            np.minimum(rng.geometric(0.3, size), most),
            np.arange(size) // 32 % 256,
        ):
            ordered = np.sort(numbers).astype(dtype)
            weights = rng.integers(-1000, 1000, size).astype(float)
            np.testing.assert_array_equal(
                sums(quick_runtime, ordered, weights, 260), np.bincount(ordered, weights, minlength=260)
            )


def test_every_border_of_a_run(runtime: Runtime) -> None:
    """Of work-items, of 4 elements, and of pieces, of 1024."""
    near = [*range(9), *range(1018, 1031), *range(2043, 2054)]
    for begin in near[::2]:
        for end in [place for place in near if place > begin][::3]:
            numbers = np.zeros(2100, np.uint16)
            numbers[begin:] = 1
            numbers[end:] = 2
            weights = np.ones(2100)
            weights[begin] = 1e17
            wanted = np.bincount(numbers, weights, minlength=3)
            np.testing.assert_allclose(sums(runtime, numbers, weights, 3), wanted, rtol=1e-13)


def test_infinite_weights_stay_in_their_run(quick_runtime: Runtime) -> None:
    numbers, weights = np.repeat(np.arange(50, dtype=np.uint32), 20), np.ones(1000)
    weights[430], weights[777] = np.inf, np.nan
    np.testing.assert_array_equal(sums(quick_runtime, numbers, weights, 50), np.bincount(numbers, weights))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["uint8", "uint32"])
def test_compiles_for_gpus(dtype: str) -> None:
    forms = {"numbers": (dtype, 4000), "weights": ("float64", 4000), "starts": ("int64", 101), "out": ("float64", 100)}
    views = [View.contiguous(role, kind, (size,)) for role, (kind, size) in forms.items()]
    for launch in plan_run_sums(*views, GPU).launches:
        assert compiles_for_cuda(launch.source)
