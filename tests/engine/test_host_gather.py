"""Elements that the host gathers in place of a kernel, where nothing is under way for their memory."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from oracle import skip_without

import devarray as da


@pytest.fixture(autouse=True)
def on_host(device: da.Device) -> Iterator[None]:
    """Small work runs on the host, whatever the process does by default."""
    if device.strategy != "cpu" or not da.zeros(1).allocator.kind.endswith(("svm_fine", "buffer")):
        pytest.skip("only where the memory is the host's")
    before = da.config.host_elements
    da.config.host_elements = 1 << 20
    da.synchronize()
    # Memory that no earlier test's queue may still use, which the host would not write to.
    with da.use(allocator=da.alloc.PoolMemoryResource(da.zeros(1).allocator.upstream)):
        yield
    da.config.host_elements = before


INDICES = {
    "line": np.array([3, 0, -1, 3]),
    "table": np.array([[1, 2, -9], [0, 0, 8]]),
    "walked across": np.arange(6).reshape(2, 3).T,
    "backwards": np.arange(8)[::-2],
}


def launches(x: da.Array, index: da.Array) -> tuple[np.ndarray, int]:
    da.synchronize()
    before = da.stats()["launches"]
    made = x[index]
    return made.copy_to_host(), da.stats()["launches"] - before


@pytest.mark.parametrize("name", INDICES)
@pytest.mark.parametrize("width", ["int8", "int32", "int64", "uint32"])
@pytest.mark.parametrize("dtype", ["int8", "float32", "float64", "complex128"])
def test_a_few_elements_are_gathered_without_a_launch(name: str, width: str, dtype: str) -> None:
    skip_without(dtype)
    index = INDICES[name].astype(width) if width[0] == "i" else np.abs(INDICES[name]).clip(0, 8).astype(width)
    for x in (np.arange(9), np.arange(18)[::-2], np.arange(54).reshape(9, 3, 2)):
        x = x.astype(dtype)
        got, count = launches(da.asarray(x), da.asarray(index))
        np.testing.assert_array_equal(got, x[index], strict=True)
        assert count == 0


@pytest.mark.usefixtures("kernels")
def test_rows_that_do_not_lie_side_by_side_are_gathered_by_a_kernel() -> None:
    x, index = np.arange(24.0, dtype="float32").reshape(4, 6), np.array([2, 0, -1])
    got, count = launches(da.asarray(x)[:, ::2], da.asarray(index))
    np.testing.assert_array_equal(got, x[:, ::2][index])
    assert count == 1


def test_what_is_gathered_is_a_copy_of_values_that_were_pending() -> None:
    x = np.arange(9, dtype="float32")
    mine = da.asarray(x) * 2
    index = da.asarray(INDICES["line"])
    got = mine[index + 0]
    mine += 1
    index += 1
    np.testing.assert_array_equal(got.copy_to_host(), (x * 2)[INDICES["line"]])


@pytest.mark.parametrize("wrong", [9, -10, 2**40])
def test_an_index_out_of_bounds_raises_as_kernels_do(wrong: int) -> None:
    x = da.asarray(np.arange(9, dtype="float32"))
    with pytest.raises(IndexError, match="size 9"):
        x[da.asarray(np.array([0, wrong]))].copy_to_host()
