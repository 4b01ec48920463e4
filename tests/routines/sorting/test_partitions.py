"""Partitions of long rows, of which a few elements are selected."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import same, skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
RNG = np.random.default_rng(20)


@pytest.mark.parametrize(
    "dtype",
    ["bool", "uint32", "float16", "complex64"]
    + [pytest.param(dtype, marks=pytest.mark.slow) for dtype in ("int8", "int64", "float32", "float64")],
)
def test_partitions_of_long_rows(dtype: str) -> None:
    skip_without(dtype)
    a = (RNG.random((2, 5000)) * 1000 - 300).astype(dtype)
    if dtype.startswith("float"):
        a[0, 7], a[1, :99], a[1, 2000:2100] = np.nan, -0.0, 0.0
    for axis in (0, 1, None):
        x = da.asarray(a.T.copy() if axis == 0 else a)
        for places in (1000, [0, -1, 2500], [], range(0, 5000, 9)):
            wanted = np.sort(a, axis=None if axis is None else 1, kind="stable")
            ours = da.partition(x, np.asarray(places, int), axis)
            order = da.argpartition(x, np.asarray(places, int), axis)
            flat = x.reshape(-1) if axis is None else x
            taken = da.take_along_axis(flat, order, axis=axis or 0)
            for got in (ours, taken):
                got = got.T if axis == 0 else got
                same(got[..., np.atleast_1d(places).astype(int)], wanted[..., np.atleast_1d(places).astype(int)])
                same(
                    da.sort(got[..., :1000]) if places == 1000 else got[..., :0],
                    wanted[..., :1000] if places == 1000 else wanted[..., :0],
                )


@pytest.mark.parametrize("dtype", ["uint8", "int16", "uint64"])
def test_dtypes_of_places(dtype: str) -> None:
    a = RNG.integers(0, 10**6, 9000)
    same(da.partition(da.asarray(a), np.array([3, 100], dtype))[[3, 100]], np.sort(a)[[3, 100]])
    same(da.partition(da.asarray(a), da.asarray(np.array(100, dtype)))[100], np.sort(a)[100])


@pytest.mark.parametrize("host_elements", [0, 1 << 18])
def test_places_of_a_number_are_a_row(host_elements: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da.config, "host_elements", host_elements)
    same(da.argpartition(da.asarray(2.5), 0), np.argpartition(np.array(2.5), 0))
