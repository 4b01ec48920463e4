"""Rows that are read shifted along them: groups of work-items without the end of a row, and those with it."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels")

RNG = np.random.default_rng(11)
COLUMNS = [1, 33, 391, 392, 393, 512, 1000, 1025, 3001]


def numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    values = RNG.integers(0, 100, shape)
    if dtype.startswith("complex"):
        return (values + 1j * RNG.integers(0, 100, shape)).astype(dtype)
    return (values % 2 if dtype == "bool" else values).astype(dtype)


@pytest.mark.parametrize("columns", COLUMNS)
@pytest.mark.parametrize("rows", [None, 1, 7])
def test_shifts_of_every_size(rows: int | None, columns: int) -> None:
    host = numbers((columns,) if rows is None else (rows, columns), "float32")
    x = da.asarray(host)
    for shift in {0, 1, 2, 63, 64, 65, columns // 2, columns - 64, columns - 1, -1, -17}:
        np.testing.assert_array_equal(da.roll(x, shift, axis=-1).copy_to_host(), np.roll(host, shift, axis=-1))


@pytest.mark.parametrize("columns", COLUMNS)
def test_several_shifts_at_once(columns: int) -> None:
    host = numbers((23, columns), "int32")
    x = da.asarray(host)

    def around(xp: object, u: np.ndarray) -> np.ndarray:
        places = [(y, x) for y in (-1, 0, 1) for x in (-1, 0, 1)]
        return sum(xp.roll(u, place, axis=(0, 1)) * (3 * i + 1) for i, place in enumerate(places))  # type: ignore[attr-defined]

    np.testing.assert_array_equal(around(da, x).copy_to_host(), around(np, host))
    far, wanted = da.roll(x, 300, axis=1) - x[::-1] * da.roll(x, -5, axis=1), np.roll(host, 300, axis=1)
    np.testing.assert_array_equal(far.copy_to_host(), wanted - host[::-1] * np.roll(host, -5, axis=1))


@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint8", "int16", "uint32", "int64", "uint64", "float16", "float64", "complex64", "complex128"],
)
def test_dtypes(dtype: str) -> None:
    skip_without(dtype)
    host, other = numbers((9, 1001), dtype), numbers((1, 1001), dtype)
    x, y = da.asarray(host), da.asarray(other)
    ours = da.where(da.roll(x, 1, axis=1) == y, da.roll(x, -2, axis=1), da.roll(y, 3, axis=1))
    theirs = np.where(np.roll(host, 1, axis=1) == other, np.roll(host, -2, axis=1), np.roll(other, 3, axis=1))
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.copy_to_host(), theirs)


def test_special_values_keep_their_bits() -> None:
    words = RNG.integers(0, 1 << 32, (5, 1003), np.uint32)  # negative zeros, infinities, NaN with payloads among them
    words[:, ::7] = 0x80000000
    words[:, 3::7] = 0x7FC12345
    moved = da.roll(da.asarray(words.view(np.float32)), 5, axis=1).copy_to_host().view(np.uint32)
    np.testing.assert_array_equal(moved, np.roll(words, 5, axis=1))


def test_in_place() -> None:
    host = numbers((31, 777), "float32")
    x = da.asarray(host.copy())
    for _ in range(3):
        x += da.roll(x, 1, axis=1) / 2
        host += np.roll(host, 1, axis=1) / 2
    np.testing.assert_array_equal(x.copy_to_host(), host)


@pytest.mark.parametrize("shape", [(0, 1000), (5, 0), (6, 1000)])
def test_views_and_empty_arrays(shape: tuple[int, int]) -> None:
    host = numbers(shape, "float32")
    x = da.asarray(host)
    for ours, theirs in [(x[:, ::2], host[:, ::2]), (x[::2, ::-1], host[::2, ::-1]), (x.T, host.T)]:
        moved = da.roll(ours, 3, axis=1) * 2 + ours
        np.testing.assert_array_equal(moved.copy_to_host(), np.roll(theirs, 3, axis=1) * 2 + theirs)
