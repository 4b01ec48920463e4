"""Records: views of arrays as structured dtypes, fields, and their order."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

ROWS = np.asarray([[3, 1], [1, 2], [3, 1], [1, -5], [3, 0]])
POINTS = np.array([(2, 1.5), (1, 2.5), (2, 0.5), (1, 2.5)], [("n", "i4"), ("x", "f4")])
PACKED = np.array([(2, 1.5), (1, 2.5), (2, 0.5), (1, 2.5)], [("n", "u1"), ("x", "f8")])
NESTED = np.array(
    [((1, 2), [3, 4]), ((1, 1), [5, 6]), ((1, 1), [5, 5])], [("a", [("p", "i4"), ("q", "i4")]), ("b", "i4", 2)]
)
PAIR = np.dtype([("a", "i8"), ("b", "i8")])


def equal(ours: Any, theirs: np.ndarray) -> None:
    host = ours.copy_to_host()
    assert host.dtype == theirs.dtype and host.shape == theirs.shape
    assert str(host) == str(theirs)


@pytest.mark.parametrize("dtype", [PAIR, np.dtype("V16"), np.dtype([("c", "c16")])])
def test_an_array_as_records(dtype: np.dtype) -> None:
    equal(da.asarray(ROWS).view(dtype), ROWS.view(dtype))


def test_a_view_shares_memory_both_ways() -> None:
    x = da.asarray(ROWS)
    records = x.view(PAIR)
    records["b"] = 9
    records[0] = (7, 8)
    host = ROWS.copy()
    host.view(PAIR)["b"] = 9
    host.view(PAIR)[0] = (7, 8)
    assert x.tolist() == host.tolist()
    back = records.view(np.int64)
    assert back.shape == ROWS.shape and back.tolist() == host.tolist()


@pytest.mark.parametrize("shape, dtype", [((5,), PAIR), ((5, 2), "V32")])
def test_refused_views(shape: tuple[int, ...], dtype: Any) -> None:
    with pytest.raises(ValueError):
        np.zeros(shape, np.int64).view(dtype)
    with pytest.raises((ValueError, TypeError), match=r"bytes|whole number"):
        da.zeros(shape, np.int64).view(dtype)


def test_several_fields() -> None:
    ours = da.to_device(NESTED)
    equal(ours[["b"]], NESTED[["b"]])
    equal(ours[["b", "a"]], NESTED[["b", "a"]])
    with pytest.raises(IndexError, match="'c'"):
        ours[["a", "c"]]


def test_printed_as_numpy_prints_it() -> None:
    assert str(da.to_device(POINTS)) == str(POINTS)


@pytest.mark.parametrize(
    "host", [POINTS, PACKED, NESTED, ROWS.view(PAIR).ravel()], ids=["plain", "packed", "nested", "view"]
)
def test_sort_and_unique(host: np.ndarray) -> None:
    x = da.to_device(host)
    equal(da.sort(x), np.sort(host))
    assert da.argsort(x).tolist() == np.argsort(host, kind="stable").tolist()
    wanted = np.unique(host, return_index=True, return_inverse=True, return_counts=True)
    found = da.unique(x, return_index=True, return_inverse=True, return_counts=True)
    equal(found[0], wanted[0])
    for ours, theirs in zip(found[1:], wanted[1:], strict=True):
        assert ours.tolist() == theirs.tolist()
    equal(da.unique(x), wanted[0])


def test_order_of_fields() -> None:
    x = da.to_device(POINTS)
    equal(da.sort(x, order="x"), np.sort(POINTS, order="x"))
    equal(da.sort(x, order=["x", "n"]), np.sort(POINTS, order=["x", "n"]))
    with pytest.raises(ValueError, match="unknown field name: y"):
        da.sort(x, order="y")


def test_unique_of_bytes() -> None:
    rows = np.ascontiguousarray(ROWS.astype(">i8") + 10)  # whose bytes are in the order of their values
    view = rows.view("V16").ravel()
    _, wanted = np.unique(rows, axis=0, return_index=True)
    _, found = da.unique(da.to_device(view), return_index=True)
    assert found.tolist() == wanted.tolist()


def test_a_field_that_is_none_is_a_value_error() -> None:
    table = np.zeros(2, [("a", "i4"), ("b", "f4")])
    for found in (table, da.asarray(table), table[0], da.asarray(table)[0]):
        with pytest.raises(ValueError, match="no field of name c"):
            found["c"]
