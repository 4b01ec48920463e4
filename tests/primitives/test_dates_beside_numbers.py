"""Dates and durations beside whole numbers and beside each other, in functions that move elements."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

DATES = np.array(["2024-01-05", "2024-02-10", "2024-03-01"], "datetime64[D]")
HOURS = np.array([5, -3, 7], "timedelta64[h]")
NONE = np.timedelta64(0, "h")


def same(made: Any, wanted: Any) -> None:
    if isinstance(wanted, tuple):
        assert len(made) == len(wanted)
        for one, other in zip(made, wanted, strict=True):
            same(one, other)
        return
    assert made.dtype == wanted.dtype
    assert made.shape == wanted.shape
    assert made.copy_to_host().tolist() == wanted.tolist()


CALLS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "broadcast_arrays": lambda np, d, h: np.broadcast_arrays(d, h),
    "broadcast_arrays of a number": lambda np, d, h: np.broadcast_arrays(h[:, None], 1),
    "broadcast_arrays of three": lambda np, d, h: np.broadcast_arrays(np.arange(3.0), d, h[:1]),
    "atleast_1d": lambda np, d, h: np.atleast_1d(d, h),
    "atleast_2d": lambda np, d, h: np.atleast_2d(d, h, np.arange(2)),
    "atleast_3d": lambda np, d, h: np.atleast_3d(h, d),
    "atleast_1d of one": lambda np, d, h: np.atleast_1d(d),
    "where": lambda np, d, h: np.where(h > NONE, h, 0),
    "where, turned": lambda np, d, h: np.where(h > NONE, 5, h),
    "where of an array": lambda np, d, h: np.where(h > NONE, h, np.arange(3, dtype="i4")),
    "append": lambda np, d, h: np.append(h, 5),
    "append a list": lambda np, d, h: np.append(h, [5, 6]),
    "insert": lambda np, d, h: np.insert(h, 0, 5),
    "insert several": lambda np, d, h: np.insert(h, [0, 1], [5, 6]),
    "insert into dates": lambda np, d, h: np.insert(d, 0, 5),
    "concatenate": lambda np, d, h: np.concatenate([h, np.arange(2)]),
    "stack": lambda np, d, h: np.stack([h, np.arange(3)]),
    "select": lambda np, d, h: np.select([h > NONE], [h], 0),
    "diag": lambda np, d, h: np.diag(h),
    "diag beside": lambda np, d, h: np.diag(d, 1),
    "diag of a matrix": lambda np, d, h: np.diag(np.diag(h)),
    "diagflat": lambda np, d, h: np.diagflat(h),
    "tril": lambda np, d, h: np.tril(np.stack([h, h])),
    "triu": lambda np, d, h: np.triu(np.stack([h, h])),
    "full of a date": lambda np, d, h: np.full(3, d[0]),
    "full of a duration": lambda np, d, h: np.full((2, 2), h[0], "m8[s]"),
    "full of a count": lambda np, d, h: np.full(2, h[0], "i8"),
    "fromiter": lambda np, d, h: np.fromiter(d, "M8[D]"),
    "fromiter of a list": lambda np, d, h: np.fromiter(list(h), "m8[h]"),
}


@pytest.mark.parametrize("name", CALLS)
def test_results_are_numpys(name: str) -> None:
    same(CALLS[name](da, da.asarray(DATES), da.asarray(HOURS)), CALLS[name](np, DATES, HOURS))


@pytest.mark.parametrize(
    "call",
    [
        lambda np, d, h: np.where(h > NONE, h, 1.5),
        lambda np, d, h: np.where(d > d[0], d, 0),
        lambda np, d, h: np.append(h, 1.5),
        lambda np, d, h: np.append(d, 5),
        lambda np, d, h: np.concatenate([d, np.arange(2)]),
    ],
)
def test_other_numbers_are_no_values(call: Callable[[Any, Any, Any], Any]) -> None:
    with pytest.raises(TypeError):
        call(np, DATES, HOURS)
    with pytest.raises(da.DTypeError, match="value"):
        call(da, da.asarray(DATES), da.asarray(HOURS))


def test_ufuncs_add_into_elements() -> None:
    x, host = da.asarray(HOURS), HOURS.copy()
    with da.use(fallback="allow"):
        da.add.at(x, [0, 0], np.timedelta64(1, "h"))
    np.add.at(host, [0, 0], np.timedelta64(1, "h"))
    same(x, host)


def test_records_are_repeated() -> None:
    host = np.array([(3, 1.5), (1, 2.5)], [("a", "i4"), ("b", "f8")])
    same(da.full(2, da.to_device(host)[0]), np.full(2, host[0]))


def test_putmask_casts_a_value_and_no_array() -> None:
    values, host = np.array([0.5, 1.5], "f4"), np.arange(6)
    x, y = da.arange(6), da.asarray(values)
    da.putmask(x, x > 2, y[1])
    np.putmask(host, host > 2, values[1])
    same(x, host)
    with pytest.raises(da.DTypeError, match="safe"):
        da.putmask(x, x > 0, y)


DATES, DURATIONS = np.array([60, 2, 3], "datetime64[s]"), np.array([1, 2, 3], "timedelta64[s]")


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, a, b: xp.concatenate([a, b]),
        lambda xp, a, b: xp.stack([a, b]),
        lambda xp, a, b: xp.append(a, b),
        lambda xp, a, b: xp.searchsorted(a, b),
        lambda xp, a, b: xp.union1d(a, b),
        lambda xp, a, b: xp.choose([0, 1, 0], [a, b]),
        lambda xp, a, b: xp.place(a, [True, False, True], b),
    ],
)
def test_dates_and_durations_are_not_mixed(call: Callable[[Any, Any, Any], Any]) -> None:
    for xp in (np, da):
        with pytest.raises(TypeError, match="Cannot cast array data"):
            call(xp, xp.asarray(DATES), xp.asarray(DURATIONS))


def test_a_date_is_among_no_durations(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(da.config, "fallback", "allow")
    x, d = da.asarray(DATES), da.asarray(DURATIONS)
    assert not np.asarray(da.isin(x, d)).any() and not np.asarray(da.isin(d, x)).any()
    assert np.asarray(da.setdiff1d(d, x)).tolist() == DURATIONS.tolist()
    assert da.where(da.asarray([True, False, True]), x, d).copy_to_host().tolist() == [
        *np.where([True, False, True], DATES, DURATIONS).tolist()
    ]


@pytest.mark.parametrize("unit", ["s", "2h", "M"])
@pytest.mark.parametrize("target", ["timedelta64", "datetime64"])
def test_a_dtype_without_a_unit_has_the_arrays(unit: str, target: str) -> None:
    for kind in ("datetime64", "timedelta64"):
        host = np.array([5, -3], f"{kind}[{unit}]")
        made = da.asarray(host).astype(target)
        assert made.dtype == host.astype(target).dtype
        assert (made.copy_to_host() == host.astype(target)).all()
