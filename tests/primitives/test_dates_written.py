"""Dates and durations that are written to: in place, by ``out=``, item by item, and under another shape."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

HOUR = np.timedelta64(1, "h")


def dates() -> np.ndarray:
    return np.array(["2024-01-05", "2024-02-10", "2024-03-01"], "datetime64[D]")


def durations() -> np.ndarray:
    return np.array([5, -3, 7], "timedelta64[h]")


def same(made: Any, wanted: Any) -> None:
    assert made.dtype == wanted.dtype
    assert made.copy_to_host().tolist() == wanted.tolist()


@pytest.mark.parametrize(
    ("call", "other"),
    [
        (operator.itruediv, HOUR),
        (operator.itruediv, 2),
        (operator.ifloordiv, 2 * HOUR),
        (operator.imul, 1.5),
        (operator.iadd, np.timedelta64(90, "m")),
        (operator.imod, 2 * HOUR),
    ],
)
def test_in_place_operators_cast_as_numpys(call: Callable[..., Any], other: Any) -> None:
    host = durations()
    x = da.asarray(host)
    try:
        call(host, other)
    except TypeError:
        with pytest.raises(da.DTypeError, match="same_kind"):
            call(x, other)
    else:
        call(x, other)
    same(x, host)


def test_results_of_another_kind_are_not_written() -> None:
    x = da.asarray(durations())
    with pytest.raises(da.DTypeError, match="same_kind"):
        np.divide(x, HOUR, out=x)
    same(x, durations())
    days = da.asarray(dates())
    with pytest.raises(da.DTypeError, match="same_kind"):
        days -= da.asarray(dates())
    same(days, dates())


def test_items_in_c_order() -> None:
    host, columns = dates(), np.arange(6).astype("m8[s]").reshape(2, 3)
    x, y = da.asarray(host), da.asarray(columns)
    for a in (x, host):
        a.flat[0] = a[1]
        a.flat[1:] = ["2020-01-01"]
    same(x, host)
    for b in (y, columns):
        b.T.flat[[1, 2]] = 9
    same(y, columns)
    assert [str(day) for day in x.flat] == [str(day) for day in host.flat]
    assert len(y.flat) == 6
    same(y.T.flat[1:3], columns.T.flat[1:3])
    packed = np.zeros(3, [("k", "u1"), ("day", "M8[D]")])
    records = da.to_device(packed)
    for z in (records, packed):
        z["day"].flat[1] = np.datetime64("2020-01-01")
    assert records.copy_to_host().tolist() == packed.tolist()


def test_the_shape_is_set() -> None:
    x, records = da.asarray(dates()), da.to_device(np.zeros(4, [("k", "u1"), ("x", "i4")]))
    x.shape, records.shape = (3, 1), (2, -1)
    same(x, dates().reshape(3, 1))
    assert records.shape == (2, 2)
    with pytest.raises(ValueError, match="shape"):
        x.shape = 5
