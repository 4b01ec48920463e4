"""Element-wise kernels over rows of few elements, which work-items of GPUs take by vectors where memory is aligned."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "gpu_strategy")

Body = Callable[[Any, Any, Any], Any]

BODIES: list[Body] = [
    lambda x, row, column: x - row,
    lambda x, row, column: x * column,
    lambda x, row, column: x * column + row,
    lambda x, row, column: row * column,
    lambda x, row, column: (x > row) & (x < column),
]
PIECES = "const u32 pieces"


def tables(rows: int, columns: int, dtype: str = "float32") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    draw = np.random.default_rng(columns)
    return tuple((8 * draw.normal(size=shape)).astype(dtype) for shape in ((rows, columns), columns, (rows, 1)))  # type: ignore[return-value]


@pytest.mark.parametrize("columns", [2, 3, 4, 6, 8, 12, 16, 20, 28, 30, 31])
@pytest.mark.parametrize("body", BODIES)
def test_rows_and_columns(body: Body, columns: int, sources: list[str]) -> None:
    host = tables(301, columns)
    same(body(*map(da.asarray, host)), body(*host))
    by_vectors = columns % 2 == 0
    assert any(PIECES in text for text in sources) == by_vectors


@pytest.mark.parametrize("dtype", ["float16", "float64", "complex64", "complex128", "int8", "uint16", "int64", "bool"])
@pytest.mark.parametrize("columns", [4, 5, 8, 16])
def test_dtypes(device: da.Device, columns: int, dtype: str) -> None:
    if dtype in ("float64", "complex128") and not device.caps["fp64"]:
        pytest.skip("no float64")
    x, row, column = tables(77, columns, dtype)
    a, b, c = da.asarray(x), da.asarray(row), da.asarray(column)
    if dtype == "bool":
        same(a ^ b, x ^ row)
        same(da.where(c, a, b), np.where(column, x, row))
    else:
        same(a - b, x - row)
        same(da.where(a == b, c, a), np.where(x == row, column, x))
        same((a + c).astype("complex64"), (x + column).astype("complex64"))


def test_several_axes() -> None:
    host = np.random.default_rng(1).normal(size=(5, 6, 7, 8)).astype("float32")
    x = da.asarray(host)
    for part in (np.s_[0, 0, 0], np.s_[:1, 2:3], np.s_[:, :, :1], np.s_[..., :1], np.s_[:1, :, :1]):
        same(x - x[part], host - host[part])
    same(x.swapaxes(1, 2) - x[0, 0, 0], host.swapaxes(1, 2) - host[0, 0, 0])
    same(x.swapaxes(0, 3) - x.swapaxes(0, 3)[:1], host.swapaxes(0, 3) - host.swapaxes(0, 3)[:1])


@pytest.mark.parametrize("first", [0, 1, 2, 4])
@pytest.mark.parametrize("width", [4, 8, 12])
def test_parts_of_wider_tables(first: int, width: int) -> None:
    """Rows that begin at aligned places and at others, of results as of operands."""
    host = np.random.default_rng(2).normal(size=(90, 24)).astype("float32")
    x, target, wanted = da.asarray(host), da.zeros((90, 32), "float32"), np.zeros((90, 32), "float32")
    part = np.s_[:, first : first + width]
    row = host[0, first : first + width]
    same(x[part] * da.asarray(row), host[part] * row)
    target[part] = x[part] - da.asarray(row)
    wanted[part] = host[part] - row
    same(target, wanted)
    target[::3, first : first + width] += x[::3, :width]
    wanted[::3, first : first + width] += host[::3, :width]
    same(target, wanted)
    same(x[part][:, ::-1] - da.asarray(row), host[part][:, ::-1] - row)


def test_in_place_and_donated_memory() -> None:
    host, row, column = tables(200, 16)
    x = da.asarray(host.copy())
    x -= da.asarray(row)
    x[:, :8] = x[:, 8:] * 2
    wanted = host - row
    wanted[:, :8] = wanted[:, 8:] * 2
    same(x, wanted)
    before = da.stats()["donations"]
    y = (da.asarray(host) + 1).evaluate()
    y = (y - da.asarray(row)) * da.asarray(column)
    same(y.evaluate(), (host + 1 - row) * column)
    assert da.stats()["donations"] >= before


def test_rolled_and_counted() -> None:
    host, row, _ = tables(50, 8)
    x = da.asarray(host)
    same(da.roll(x, 3, 1) - da.asarray(row), np.roll(host, 3, 1) - row)
    same(da.roll(x, 3, 0) - da.asarray(row), np.roll(host, 3, 0) - row)
    same(x + da.arange(8, dtype="float32"), host + np.arange(8, dtype="float32"))


@pytest.mark.usefixtures("plans")
def test_repeated_launches() -> None:
    for turn in range(4):
        host, row, _ = tables(64, 16)
        host += np.float32(turn)
        same(da.asarray(host) - da.asarray(row), host - row)
