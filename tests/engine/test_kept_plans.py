"""Plans of sorts, scans, gathers, searches and products are kept by the forms of their arrays and by their options."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import devarray as da

HOST = np.random.default_rng(5).standard_normal((6, 40)).astype(np.float32)


@pytest.fixture
def few_kernels() -> Iterator[None]:
    before = da.config.kernels
    da.config.kernels = 1
    yield
    da.config.kernels = before


def _all_of(host: np.ndarray) -> None:
    """Everything that is planned, of one array."""
    x = da.asarray(host)
    for ours, theirs in ((x, host), (x[:, ::2], host[:, ::2]), (x.T, host.T), (x[::-1], host[::-1])):
        np.testing.assert_array_equal(da.sort(ours).copy_to_host(), np.sort(theirs))
        np.testing.assert_array_equal(
            da.argsort(ours, axis=0).copy_to_host(), np.argsort(theirs, axis=0, kind="stable")
        )
        np.testing.assert_array_equal(
            da.sort(ours, axis=0, descending=True).copy_to_host(), np.sort(theirs, axis=0)[::-1]
        )
        for axis in (0, 1):
            np.testing.assert_allclose(da.cumsum(ours, axis).copy_to_host(), np.cumsum(theirs, axis), 1e-4, 1e-4)
            started = da.cumulative_sum(ours, axis=axis, include_initial=True).copy_to_host()
            np.testing.assert_allclose(np.delete(started, 0, axis), np.cumsum(theirs, axis), 1e-4, 1e-4)
            where = np.array([2, 0, -1, 1])
            picked = da.take(ours, da.asarray(where), axis=axis).copy_to_host()
            np.testing.assert_array_equal(picked, np.take(theirs, where, axis=axis))
            along = np.argsort(theirs, axis)
            rows = da.take_along_axis(ours, da.asarray(along), axis)
            np.testing.assert_array_equal(rows.copy_to_host(), np.take_along_axis(theirs, along, axis))
        np.testing.assert_array_equal(ours[da.asarray([1, 3])].copy_to_host(), theirs[[1, 3]])
        np.testing.assert_array_equal(
            ours[da.asarray([1, 3]), da.asarray([0, 2])].copy_to_host(), theirs[[1, 3], [0, 2]]
        )
        row = np.sort(theirs[0])
        for side in ("left", "right"):
            np.testing.assert_array_equal(
                da.searchsorted(da.asarray(row), ours, side).copy_to_host(), np.searchsorted(row, theirs, side)
            )


def test_values_are_right_again_and_again(kernels: None) -> None:
    for host in (HOST, HOST.astype(np.int16), HOST[:, :7], HOST * 2, HOST):
        _all_of(np.ascontiguousarray(host))


def test_plans_are_made_again_where_their_kernels_are_gone(kernels: None, few_kernels: None) -> None:
    wide = np.random.default_rng(6).integers(0, 10**6, 5000)
    for _ in range(3):
        np.testing.assert_array_equal(da.sort(da.asarray(wide)).copy_to_host(), np.sort(wide))
        np.testing.assert_array_equal(da.cumsum(da.asarray(wide)).copy_to_host(), np.cumsum(wide))


def test_a_cleared_cache_clears_plans(kernels: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DEVARRAY_CACHE_DIR", str(tmp_path))
    x = da.asarray(HOST)
    before = da.cumsum(x, 1).copy_to_host()
    da.compiler.clear_cache()
    np.testing.assert_array_equal(da.cumsum(x, 1).copy_to_host(), before)


def test_an_index_out_of_bounds_is_told_each_time(kernels: None) -> None:
    x, wrong = da.asarray(HOST), da.asarray(np.array([0, 6]))
    for _ in range(2):
        with pytest.raises(IndexError, match="axis 0 of size 6"):
            da.take(x, wrong, axis=0).copy_to_host()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.complex64, np.int32, np.float16])
def test_products_with_vectors(kernels: None, dtype: type) -> None:
    host = np.random.default_rng(7).integers(-3, 4, (6, 40)).astype(dtype)
    row, column = host[0], host[:, 0]
    x = da.asarray(host)
    for matrix, theirs in ((x, host), (x[:, ::2], host[:, ::2]), (x.T, host.T), (x + 0, host)):
        right, left = theirs[0].copy(), theirs[:, 0].copy()
        product = matrix @ da.asarray(right)
        assert product.dtype == host.dtype and product.shape == (theirs.shape[0],)
        np.testing.assert_array_equal(product.copy_to_host(), theirs @ right)
        np.testing.assert_array_equal((da.asarray(left) @ matrix).copy_to_host(), left @ theirs)
        np.testing.assert_array_equal((matrix @ matrix[0][:, None]).copy_to_host(), theirs @ right[:, None])
        np.testing.assert_array_equal((matrix[:1] @ matrix.T).copy_to_host(), theirs[:1] @ theirs.T)
    dot = da.asarray(row) @ (da.asarray(row) * 1)
    assert dot.shape == () and dot.item() == row @ row
    assert (x[:, 0] @ x[:, 0]).item() == column @ column
    with pytest.raises(da.ShapeError, match="not aligned"):
        x @ da.asarray(column)
    empty = da.zeros((3, 0), dtype) @ da.zeros(0, dtype)
    np.testing.assert_array_equal(empty.copy_to_host(), np.zeros(3, dtype))
