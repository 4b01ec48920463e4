"""Arrays that begin anywhere in memory: GPUs' work-items have several elements all the same, by single accesses."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import moderate, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

# On both sides of what a work-item and a group have, and of several groups.
SIZES = (1, 3, 4, 5, 255, 256, 257, 1023, 1024, 1027, 5001)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "float16", "float32", "float64", "int64", "complex64"])
@pytest.mark.parametrize("start", [0, 1, 2, 3, 5])
def test_every_start_and_size(dtype: str, start: int) -> None:
    skip_without(dtype)
    a, b = values(dtype, (6000,), 1), values(dtype, (6000,), 2)
    ours, other = da.asarray(a), da.asarray(b)
    for size in SIZES:
        here, there = np.s_[start : start + size], np.s_[1 : 1 + size]
        same(ours[here] | other[there] if dtype == "bool" else ours[here] + other[there], _sum(a[here], b[there]))
        written, wanted = da.zeros(6000, dtype=dtype), np.zeros(6000, dtype)
        written[here] = other[there]
        wanted[here] = b[there]
        same(written, wanted)


def _sum(a: Any, b: Any) -> Any:
    with np.errstate(all="ignore"):
        return a | b if a.dtype == bool else a + b


def test_writes_in_place() -> None:
    a = moderate("float32", (5003,), 3)
    ours = da.asarray(a)
    for part in (np.s_[1:], np.s_[3:4100], np.s_[:-2], np.s_[2:]):
        ours[part] += ours[0]
        a[part] += a[0]
    ours[1:] = ours[:-1] * 2
    a[1:] = a[:-1] * 2
    same(ours, a)


def test_several_results_and_dtypes() -> None:
    """Of one kernel, some of which are aligned."""
    a, b = values("float32", (5001,), 4), values("int8", (5001,), 5)
    x, y = da.asarray(a)[1:], da.asarray(b)[1:-1]
    p, q = a[1:], b[1:-1]
    total = x[1:] + y
    picked = da.where(total > 0, total, 1)
    with np.errstate(all="ignore"):
        same(total, p[1:] + q)
        same(picked, np.where(p[1:] + q > 0, p[1:] + q, np.float32(1)))
        same(da.asarray(a)[1:].astype(da.int16) * 3, p.astype(np.int16) * np.int16(3))


def test_divisions_that_are_checked() -> None:
    """Several quotients in one kernel are computed without branches, and again where that does not do."""
    rng = np.random.default_rng(6)
    a, b, c = (rng.uniform(0.5, 2, 9001).astype("float32") for _ in range(3))
    a[::97], b[::113], c[::131] = 0, 1e-40, np.inf
    x, y, z = (da.asarray(h)[1:] for h in (a, b, c))
    p, q, r = a[1:], b[1:], c[1:]
    with np.errstate(all="ignore"):
        same(x / y + y / z + np.sqrt(z) / x, p / q + q / r + np.sqrt(r) / p)


@pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")
def test_kernels_have_several_elements(sources: list[str]) -> None:
    x = da.asarray(moderate("float32", (9001,), 7)).evaluate()
    (x[1:] * 3 - x[:-1]).evaluate()
    assert sum("step = LOCAL_SIZE(0)" in source for source in sources) == 1
    (x[4:] * 3 - x[:-4] / 7).evaluate()
    assert sum("step = LOCAL_SIZE(0)" in source for source in sources) == 1, "aligned ones are vectors"


@pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")
def test_long_expressions_that_divide_float64_have_one_element(sources: list[str]) -> None:
    skip_without("float64")
    rng = np.random.default_rng(8)
    a, b = rng.uniform(1, 2, 300_001), rng.uniform(1, 2, 300_001)
    a[::1000] = 0

    def work(p: Any, q: Any, steps: int) -> Any:
        made = p
        for step in range(steps):
            made = made * (0.5 + step) - q * p
        return p / (q + 1) + q / (made * made + 1) + (p + made) / q

    for steps, pairs in ((4, True), (40, False)):
        sources.clear()
        same(work(da.asarray(a), da.asarray(b), steps), work(a, b, steps))
        assert any("f64x2 v" in source for source in sources) == pairs


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_more_than_two_gibibytes(dtype: str, device: da.Device) -> None:
    """Kernels count elements of rows in 32 bits as long as there are fewer, whatever their bytes."""
    size = np.dtype(dtype).itemsize
    rows, columns = 30_011, (1 << 31) // size // 30_000 + 7
    try:
        x = da.zeros((rows, columns), dtype=dtype)
        x[-3:] = da.arange(columns).astype(dtype)
        y = x[1:, 1:] + x[:-1, :-1]
        z = np.roll(y, 1, axis=1)
    except da.OutOfMemoryError:
        pytest.skip("the device has too little memory")
    row = np.arange(columns).astype(dtype)
    with np.errstate(all="ignore"):
        last = row[1:] + row[:-1]
    same(y[-1], last)
    same(y[-3], row[1:])
    same(y[-4], np.zeros_like(last))
    same(z[-1], np.roll(last, 1))
    assert not bool(y[:1000].any())
