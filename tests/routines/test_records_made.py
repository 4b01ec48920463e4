"""Structured dtypes in the functions that make arrays, and fields that are assigned."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

POINT = np.dtype([("n", "i4"), ("x", "f8")], align=True)


@pytest.mark.parametrize("name", ["zeros", "ones"])
@pytest.mark.parametrize("shape", [3, (2, 3), ()])
def test_one_value_in_all_fields(name: str, shape: Any) -> None:
    ours = getattr(da, name)(shape, POINT)
    assert ours.dtype == POINT
    assert np.array_equal(ours.copy_to_host(), getattr(np, name)(shape, POINT))


def test_empty_has_shape_and_dtype() -> None:
    for dtype in (POINT, [("a", "u1"), ("b", "f4")], "i4,f4"):
        made = da.empty((2, 3), dtype=dtype)
        assert (made.shape, made.dtype) == ((2, 3), np.dtype(dtype))


def test_full_of_a_record() -> None:
    assert da.full(2, (1, 2.5), POINT).tolist() == np.full(2, (1, 2.5), POINT).tolist()


def test_asarray_and_array_take_records() -> None:
    host = np.array([(1, 2.5), (2, 3.5)], POINT)
    for made in (da.asarray(host), da.array(host), da.asarray([(1, 2.5), (2, 3.5)], dtype=POINT)):
        assert np.array_equal(made.copy_to_host(), host)
    made = da.asarray(host)
    assert da.asarray(made) is made
    assert da.array(made) is not made


def test_elements_make_an_array_of_their_dtype() -> None:
    host = np.array([(1, 2.5), (2, 3.5), (3, 0.5)], POINT)
    x, days = da.asarray(host), np.array(["2024-01-01", "2024-01-02"], "M8[D]")
    for made in (
        da.array([row for row in x if row["x"] > 1], dtype=POINT),
        da.array([x[0], (2, 3.5)], dtype=POINT),
        da.asarray([x[0], x[1]]),
    ):
        assert made.dtype == POINT
        assert made.tolist() == host[:2].tolist()
    dtype = np.dtype([("day", "M8[D]"), ("price", "f8")])
    of_days = da.array([(day, 1.5) for day in da.asarray(days)], dtype=dtype)
    assert np.array_equal(of_days.copy_to_host(), np.array([(day, 1.5) for day in days], dtype))
    with pytest.raises(da.DTypeError):
        da.array([(x["n"], 1.5)], dtype=POINT)


def test_likes() -> None:
    made = da.asarray(np.array([(1, 2.5)], POINT))
    assert da.zeros_like(made).tolist() == [(0, 0.0)]
    assert da.empty_like(made).dtype == POINT


def test_fields_and_records_are_assigned() -> None:
    ours, theirs = da.zeros(3, POINT), np.zeros(3, POINT)
    for x in (ours, theirs):
        x["x"] = [1, 2, 3]
        x["n"][1] = 7
        x[2] = (9, 9.5)
        x["x"] *= 2
    assert np.array_equal(ours.copy_to_host(), theirs)


@pytest.mark.parametrize("dtype", ["g", "O,i4"])
def test_what_devices_cannot_store_is_a_type_error(dtype: Any) -> None:
    for make in (da.zeros, da.empty, da.ones):
        with pytest.raises(TypeError, match=r"not supported|cannot live"):
            make(3, dtype)
