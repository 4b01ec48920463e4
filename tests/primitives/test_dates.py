"""datetime64 and timedelta64 on the device, against NumPy."""

from __future__ import annotations

import copy
import datetime
import operator
import pickle
import warnings

import numpy as np
import pytest

import devarray as da

UNITS = ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "25s", "3M"]
DAYS = np.array(["2020-01-31", "NaT", "1969-02-28", "2024-02-29", "1600-03-01", "1900-02-28", "2020-01-31"], "M8[D]")
SPANS = np.array([-7, "NaT", 0, 5, 1000, 3, 5], "m8[h]")


def assert_same(ours, theirs):
    """The same values, dtypes and shapes; tuples and lists part by part."""
    if isinstance(theirs, tuple | list):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs, strict=True):
            assert_same(one, other)
        return
    host = ours.copy_to_host() if hasattr(ours, "copy_to_host") else np.asarray(ours)
    assert host.dtype == np.asarray(theirs).dtype
    assert host.shape == np.shape(theirs)
    np.testing.assert_array_equal(host, theirs)


OPERATIONS = {
    "difference": lambda x, d, s: d[1:] - d[:-1],
    "difference of units": lambda x, d, s: d - d.astype("M8[s]"),
    "sum with a scalar": lambda x, d, s: d + np.timedelta64(3, "h"),
    "reflected": lambda x, d, s: np.datetime64("2021-01-01", "s") - d,
    "a number of units": lambda x, d, s: d + 4,
    "of dates and durations": lambda x, d, s: d + s,
    "durations": lambda x, d, s: s + s - s * 3,
    "product": lambda x, d, s: 3 * s,
    "product with a float": lambda x, d, s: s * 1.7,
    "product with NaN": lambda x, d, s: s * np.nan,
    "product with an array": lambda x, d, s: x.asarray(np.arange(7, dtype="i4")) * s,
    "quotient of numbers": lambda x, d, s: s / 2,
    "quotient of floats": lambda x, d, s: s / 1.5,
    "quotient by zero": lambda x, d, s: s / 0,
    "quotient of durations": lambda x, d, s: s / np.timedelta64(90, "m"),
    "whole quotient": lambda x, d, s: s // 3,
    "whole quotient of durations": lambda x, d, s: s // np.timedelta64(90, "m"),
    "by no duration": lambda x, d, s: s // np.timedelta64(0, "m"),
    "remainder": lambda x, d, s: s % np.timedelta64(2, "h"),
    "divmod": lambda x, d, s: divmod(s, np.timedelta64(2, "h")),
    "signs": lambda x, d, s: (-s, +s, abs(s), np.sign(s)),
    "is": lambda x, d, s: (np.isnat(d), np.isnan(s), np.isfinite(s), np.isinf(s)),
    "less": lambda x, d, s: d < d[::-1],
    "less or equal": lambda x, d, s: d <= d[::-1].astype("M8[s]"),
    "greater": lambda x, d, s: s > np.timedelta64(1, "D"),
    "greater or equal": lambda x, d, s: s >= s,
    "equal": lambda x, d, s: d == d,
    "unequal": lambda x, d, s: d != d,
    "equal to numbers": lambda x, d, s: s == 5,
    "maximum": lambda x, d, s: x.maximum(d, np.datetime64("2000-01-01")),
    "minimum": lambda x, d, s: x.minimum(d, np.datetime64("2000-01-01")),
    "fmax": lambda x, d, s: x.fmax(s, np.timedelta64(2, "h")),
    "fmin": lambda x, d, s: x.fmin(s, np.timedelta64(2, "h")),
    "clip": lambda x, d, s: x.clip(s, np.timedelta64(0, "h"), np.timedelta64(1, "D")),
    "our ufuncs": lambda x, d, s: (x.add(d, s), x.subtract(d, d), x.negative(s), x.isnan(s)),
}
MOVES = {
    "sort": lambda x, d, s: x.sort(d),
    "argsort": lambda x, d, s: x.argsort(d, kind="stable"),
    "sorted method": lambda x, d, s: (lambda y: (y.sort(), y)[1])(d.copy()),
    "unique": lambda x, d, s: x.unique(d),
    "unique with counts": lambda x, d, s: x.unique(d, return_inverse=True, return_counts=True),
    "max": lambda x, d, s: (d.max(), x.max(d[2:]), x.nanmax(d)),
    "min": lambda x, d, s: (d.min(), x.min(d[2:]), x.nanmin(d)),
    "max of rows": lambda x, d, s: d[:6].reshape(2, 3).max(axis=1),
    "argmax": lambda x, d, s: (d.argmax(), d.argmin(), d[2:].argmax(), d[2:].argmin()),
    "sum": lambda x, d, s: (s.sum(), s[2:].sum(), s[:6].reshape(2, 3).sum(axis=1, keepdims=True)),
    "mean": lambda x, d, s: (s.mean(), s[2:].mean()),
    "cumsum": lambda x, d, s: (s.cumsum(), x.cumsum(s[2:])),
    "ptp": lambda x, d, s: x.ptp(d[2:]),
    "diff": lambda x, d, s: (x.diff(d), x.diff(s, 2)),
    "searchsorted": lambda x, d, s: x.searchsorted(x.sort(d), d),
    "isin": lambda x, d, s: x.isin(d, d[:3]),
    "union1d": lambda x, d, s: (x.union1d(d, d[:2].astype("M8[h]")), x.union1d(s, s[::-1])),
    "intersect1d": lambda x, d, s: (x.intersect1d(d, d[2:].astype("M8[h]")), x.intersect1d(s[:4], s[2:5], True)),
    "setdiff1d": lambda x, d, s: (x.setdiff1d(d, d[2:4]), x.setdiff1d(s, s[:1], assume_unique=True)),
    "select": lambda x, d, s: x.select(
        [s > np.timedelta64(3, "h"), d == d[0]], [d, d[::-1]], np.datetime64("NaT", "s")
    ),
    "select of scalars": lambda x, d, s: x.select([[True, False]], [d[0]], default=d[3]),
    "meshgrid": lambda x, d, s: x.meshgrid(d, [1, 2]) + x.meshgrid(s[:2], d[:3], indexing="ij", sparse=True),
    "array_equal": lambda x, d, s: (x.array_equal(d, d), x.array_equal(d[2:], d[2:])),
    "where": lambda x, d, s: x.where(s > np.timedelta64(0, "h"), d, np.datetime64("NaT", "s")),
    "joined": lambda x, d, s: (x.concatenate([d, d.astype("M8[s]")]), x.stack([s, s]), x.hstack([d, d])),
    "moved": lambda x, d, s: (x.roll(d, 2), x.flip(d), x.tile(s, 2), x.repeat(s, 2), d.take([0, 2]), d.T),
    "shapes": lambda x, d, s: (d[:6].reshape(2, 3).T, x.ravel(d[:6].reshape(2, 3)), x.expand_dims(d, 0), d[None]),
    "masks": lambda x, d, s: (d[~np.isnat(d)], d[d > np.datetime64("2000-01-01")], d[[0, 3]]),
    "counted": lambda x, d, s: (x.count_nonzero(s), s.any(), s.all(), x.nonzero(s)),
    "like": lambda x, d, s: (x.zeros_like(d), x.full_like(d, np.datetime64("2020-01-01")), x.ones_like(s)),
    "places beside none": lambda x, d, s: (x.nanargmax(s), x.nanargmin(s), x.nanargmax(d), x.nanargmin(d)),
    "split": lambda x, d, s: x.split(d[:6], 3),
    "lexsort": lambda x, d, s: x.lexsort((s, d)),
}
CREATION = {
    "arange": lambda x: x.arange(np.datetime64("2020-01-30"), np.datetime64("2020-02-03")),
    "arange by texts": lambda x: x.arange("2020-01", "2020-02", dtype="datetime64[D]"),
    "arange by hours": lambda x: x.arange(
        np.datetime64("2020-01-01"), np.datetime64("2020-01-03"), np.timedelta64(12, "h")
    ),
    "arange of a number": lambda x: x.arange(np.datetime64("2020-01-01"), 5),
    "arange backwards": lambda x: x.arange(np.datetime64("2020-01-10"), np.datetime64("2020-01-01"), -2),
    "arange of durations": lambda x: x.arange(np.timedelta64(5, "s")),
    "arange of units": lambda x: x.arange(np.datetime64("2020-01"), np.datetime64("2020-02-05")),
    "arange with a step of time": lambda x: x.arange(0, 10, np.timedelta64(2, "D")),
    "zeros": lambda x: x.zeros((2, 2), "M8[D]"),
    "full": lambda x: x.full(2, np.datetime64("2020-01-01"), "M8[D]"),
    "full by a text": lambda x: x.full(2, "2020-01-01", "M8[D]"),
    "ones": lambda x: x.ones(3, "m8[h]"),
    "texts": lambda x: x.array(["2020-01-01", "NaT"], dtype="M8[s]"),
    "numbers": lambda x: x.arange(3).astype("M8[D]"),
    "floats": lambda x: x.asarray([np.nan, 5.5]).astype("m8[s]"),
    "a list of dates": lambda x: x.array([np.datetime64("2020-01-01"), np.datetime64("2021-01-01")]),
    "bytes": lambda x: x.arange(3).view("m8[s]"),
}


@pytest.mark.parametrize("name", [*OPERATIONS, *MOVES])
def test_as_numpy(name):
    program = (OPERATIONS | MOVES)[name]
    with warnings.catch_warnings(), da.use(fallback="raise"):
        warnings.simplefilter("ignore")
        theirs = program(np, DAYS.copy(), SPANS.copy())
        ours = program(da, da.asarray(DAYS), da.asarray(SPANS))
    assert_same(ours, theirs)


@pytest.mark.parametrize("name", CREATION)
@pytest.mark.filterwarnings("ignore:The 'generic' unit:DeprecationWarning")  # NumPy 2.5 of bare integers
def test_made_as_numpy(name):
    assert_same(CREATION[name](da), CREATION[name](np))


@pytest.mark.parametrize("target", UNITS)
@pytest.mark.parametrize("unit", UNITS)
def test_units(unit, target):
    most = 280 if (unit, target) == ("Y", "ns") else 900  # int64 holds 292 years of nanoseconds
    counts = np.concatenate([np.arange(-most, most, 7), [np.datetime64("NaT", "s").view("i8")]])
    for kind in ("M8", "m8"):
        if (kind, unit, target) == ("m8", "3M", "ns"):
            continue  # NumPy's product of the lengths overflows: -900 quarters are 63171415290542543 ns there
        host = counts.view(f"{kind}[{unit}]")
        assert_same(da.asarray(host).astype(f"{kind}[{target}]"), host.astype(f"{kind}[{target}]"))


def test_every_day_of_900_years():
    days = np.arange(np.datetime64("1500-01-01"), np.datetime64("2400-01-01"))
    device = da.asarray(days)
    for unit in ("Y", "M"):
        assert_same(device.astype(f"M8[{unit}]"), days.astype(f"M8[{unit}]"))
        assert_same(device.astype(f"M8[{unit}]").astype("M8[D]"), days.astype(f"M8[{unit}]").astype("M8[D]"))


@pytest.mark.parametrize("dtype", ["i8", "i4", "f8", "bool"])
def test_as_numbers(dtype):
    assert_same(da.asarray(SPANS[2:]).astype(dtype), SPANS[2:].astype(dtype))


def test_elements_keep_their_values():
    x = da.asarray(DAYS)
    first = x[0]
    x[0] = np.datetime64("1999-09-09")
    assert str(first) == "2020-01-31"
    assert first == np.datetime64("2020-01-31")
    assert hash(first) == hash(np.datetime64("2020-01-31"))
    assert first.item() == datetime.date(2020, 1, 31)


def test_assignment():
    x, host = da.asarray(DAYS), DAYS.copy()
    for each in (x, host):
        each[1] = "2020-05-05"
        each[2:4] = np.datetime64("2021-07", "M")
        each[5:] = each[:2]
        each[each == np.datetime64("1600-03-01")] = np.datetime64("NaT", "s")
        each += np.timedelta64(1, "D")
    assert_same(x, host)


def test_records_have_dates():
    host = np.zeros(3, np.dtype([("when", "M8[s]"), ("x", "f8")], align=True))
    host["when"] = ["2020-01-01", "NaT", "2021-05-05T12:00"]
    x = da.asarray(host)
    x["when"] += np.timedelta64(1, "h")
    assert_same(x["when"], host["when"] + np.timedelta64(1, "h"))


@pytest.mark.parametrize(
    "program",
    [
        lambda d, s: d + d,
        lambda d, s: d * 2,
        lambda d, s: s.astype("m8[Y]") + s,
        lambda d, s: d.sum(),
        lambda d, s: da.multiply(d, d),
        lambda d, s: s + "a text",
        lambda d, s: np.median(s),
        lambda d, s: da.arange(np.datetime64("2020-01-01")),
        lambda d, s: da.arange(np.datetime64("NaT", "s"), np.datetime64("2020-01-05")),
        lambda d, s: da.sin(s),
        lambda d, s: np.asarray(d),
        lambda d, s: d.astype(str),
    ],
)
def test_what_is_refused(program):
    with da.use(fallback="raise"), pytest.raises((TypeError, ValueError, da.errors.Error)):
        program(da.asarray(DAYS), da.asarray(SPANS))


def test_others_run_on_the_host_if_allowed():
    with da.use(fallback="allow"):
        assert da.asarray(DAYS[:1]).astype(str).tolist() == ["2020-01-31"]
        assert_same(np.median(da.asarray(SPANS[2:])), np.median(SPANS[2:]))
        assert np.datetime_as_string(da.asarray(DAYS[:1])).tolist() == ["2020-01-31"]


def test_transfers():
    x = da.to_device(DAYS)
    target = np.empty_like(DAYS)
    assert x.copy_to_host(target) is target
    assert_same(x, target)
    y = da.zeros_like(x)
    y.copy_to_device(DAYS[::-1])
    assert_same(y, DAYS[::-1])
    assert_same(da.array([x[0], x[3]]), DAYS[[0, 3]])
    assert da.asnumpy(x).dtype == DAYS.dtype


def test_numbers_are_no_dates_in_joins():
    for program in (lambda np, x: np.append(x, 5), lambda np, x: np.where(x == x, x, 5)):
        for module, days in ((np, DAYS), (da, da.asarray(DAYS))):
            with pytest.raises(TypeError):
                program(module, days)
    assert_same(da.insert(da.asarray(DAYS), 0, 5), np.insert(DAYS, 0, 5))


def test_packed_records():
    """Fields that are not aligned are read into memory that is, and written back."""
    host = np.zeros(5, [("tag", "u1"), ("when", "M8[h]"), ("x", "f8"), ("n", "i4")])
    x, _hours = da.asarray(host), np.timedelta64(7, "h")
    programs = (
        lambda np_, z: z["when"].__setitem__(
            slice(None), np_.arange(5) * np.timedelta64(7, "h") + np.datetime64("2024-01-01")
        ),
        lambda np_, z: z["when"].__setitem__(1, np.datetime64("NaT", "s")),
        lambda np_, z: z["x"].__setitem__(np_.asarray([True, False, False, True, False]), 2.5),
        lambda np_, z: z["n"].__setitem__(slice(1, 3), 7),
    )
    for program in programs:
        program(np, host)
        program(da, x)
    assert x.copy_to_host().tobytes() == host.tobytes()
    for program in (
        lambda z: z["when"] - z["when"][0],
        lambda z: z["when"] > np.datetime64("2024-01-01T08"),
        lambda z: z["when"].astype("M8[D]"),
        lambda z: z["when"].max(),
        lambda z: z[z["when"] >= np.datetime64("2024-01-01T20")]["when"],
    ):
        assert_same(program(x), program(host))
    assert_same(da.unique(x["when"]), np.unique(host["when"]))
    assert_same(da.lexsort((x["n"], x["when"])), np.lexsort((host["n"], host["when"])))


def test_host_dates_beside_numbers_of_the_device():
    steps, hour = np.arange(3), np.timedelta64(7, "h")
    for program in (
        lambda x, n: n * hour,
        lambda x, n: hour * n,
        lambda x, n: x.multiply(n, hour),
        lambda x, n: x.add(np.datetime64("2024-01-01"), n),
        lambda x, n: n * np.array([1, 2, 3], "m8[h]"),
        lambda x, n: x.where(n > 1, hour, -hour),
        lambda x, n: x.where(n > 1, np.array([1, 2, 3], "m8[h]"), hour),
        lambda x, n: n == np.datetime64("2024-01-01"),
    ):
        assert_same(program(da, da.asarray(steps)), program(np, steps))
    assert_same(da.sort(np.array([2, 1], "m8[s]")), np.array([1, 2], "m8[s]"))


def test_methods_of_our_ufuncs():
    x, s = da.asarray(DAYS), da.asarray(SPANS)
    assert_same(da.maximum.reduce(x), np.maximum.reduce(DAYS))
    assert_same(da.minimum.reduce(x[2:]), np.minimum.reduce(DAYS[2:]))
    assert_same(da.add.reduce(s[2:], keepdims=True), np.add.reduce(SPANS[2:], keepdims=True))
    with da.use(fallback="raise"), pytest.raises((TypeError, da.errors.Error)):
        da.subtract.reduce(x)


@pytest.mark.parametrize(
    "program",
    [
        lambda s: s @ s,
        lambda s: s**2,
        lambda s: s & s,
        lambda s: ~s,
        lambda s: [1, 2, 3][s[0]],
        lambda s: float(s[0] + np.datetime64("2020-01-01")),
    ],
)
def test_operators_that_times_have_not(program):
    with pytest.raises(TypeError):
        program(da.asarray(SPANS))


def test_copies():
    x = da.asarray(DAYS)
    for made in (pickle.loads(pickle.dumps(x)), copy.deepcopy(x), copy.copy(x)):
        x[0] = np.datetime64("1999-01-01")
        assert_same(made, DAYS)
        x[0] = DAYS[0]


@pytest.mark.parametrize(
    "program",
    [
        lambda x, d: da.stack([x, d]),
        lambda x, d: da.concatenate([d, x]),
        lambda x, d: da.concatenate([d, x.astype("int64")]),
        lambda x, d: da.interp(d, x, x),
        lambda x, d: x.__setitem__(..., d),
        lambda x, d: setattr(x, "real", SPANS),
        lambda x, d: da.linspace(d[0], d[2], 3),
        lambda x, d: da.add(x, x, where=d),
        lambda x, d: da.special.erfinv(d),
    ],
)
def test_dates_are_no_numbers(program):
    with da.use(fallback="raise"), pytest.raises(TypeError):
        program(da.ones(7), da.asarray(DAYS))


@pytest.mark.parametrize("name", ["erf", "gammaln", "erfinv"])
def test_special_functions_take_no_dates(name):
    for x in (np.array([], "M8[s]"), np.array([1], "m8[D]"), da.asarray(np.array([1], "m8[D]"))):
        with pytest.raises(TypeError, match=f"{name} takes numbers"):
            getattr(da.special, name)(x)


def test_functions_that_read_no_element():
    for host in (DAYS, SPANS[:0], SPANS[0:1].reshape(())):
        x = da.asarray(host)
        assert (np.shape(x), np.ndim(x), np.size(a=x)) == (host.shape, host.ndim, host.size)
        assert np.result_type(x, host.dtype) == host.dtype
        assert np.result_type(x, x) == host.dtype


def test_dates_copied_to_a_place_are_dates():
    x = da.asarray(np.array(["2020-01-01", "2021-02-03"], "M8[D]"))
    y = da.to_device(x, device=x.device)
    assert type(y) is type(x)
    assert y.dtype == x.dtype
    assert (y == x).all()


@pytest.mark.parametrize(
    "call",
    [
        lambda xp, d, s: xp.gradient(s, edge_order=2),
        lambda xp, d, s: xp.gradient(d),
        lambda xp, d, s: xp.isclose(s, s[::-1], rtol=0, atol=np.timedelta64(9, "h")),
        lambda xp, d, s: xp.allclose(s, s, rtol=0, atol=np.timedelta64(9, "h")),
    ],
)
def test_differences_and_agreement_go_through_the_host(call):
    days, spans = DAYS[2:], SPANS[2:]
    with da.use(fallback="allow"):
        assert_same(call(da, da.asarray(days), da.asarray(spans)), call(np, days, spans))
    with da.use(fallback="raise"), pytest.raises(da.errors.Error):
        call(da, da.asarray(days), da.asarray(spans))


@pytest.mark.parametrize("dtype", ["M8[D]", "m8[s]"])
def test_a_date_that_was_read_takes_another_value(dtype: str) -> None:
    host = np.array([5, 1, 9], "i8").view(dtype)
    dates, step = da.asarray(host), np.timedelta64(1, "D" if dtype[0] == "M" else "s")
    first, last = dates[0], dates.max()
    first += step
    last -= step
    assert first == host[0] + step and last == host[2] - step
    assert (dates.copy_to_host() == host).all()  # which nothing was written to
    dates += step
    assert (dates.copy_to_host() == host + step).all()


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # NumPy 2.5 of numbers without units
@pytest.mark.parametrize("function", [operator.add, operator.sub, operator.mul, operator.truediv, operator.lt])
@pytest.mark.parametrize("truth", [True, False, np.True_])
def test_truths_beside_dates_and_durations(function, truth):
    """They count as 1 and 0 where NumPy takes them."""
    for host in (np.array([11, "NaT"], "m8[h]"), np.array(["2012-12-21", "NaT"], "M8[D]")):
        x = da.asarray(host)
        for ours, theirs in (((x, truth), (host, truth)), ((truth, x), (truth, host))):
            try:
                wanted = function(*theirs)
            except TypeError:
                with pytest.raises(TypeError):
                    function(*ours)
                continue
            found = function(*ours)
            assert found.dtype == wanted.dtype
            np.testing.assert_array_equal(found.copy_to_host(), wanted)


def test_sets_that_only_numpy_has() -> None:
    x = da.asarray(DAYS)
    with da.use(fallback="allow"):
        assert_same(da.setxor1d(x[2:], x[:1]), np.setxor1d(DAYS[2:], DAYS[:1]))
        assert_same(da.intersect1d(x, x[:3], return_indices=True), np.intersect1d(DAYS, DAYS[:3], False, True))
    for xp in (np, da):
        with pytest.raises(TypeError):
            xp.union1d(xp.asarray(DAYS), [1])
        with pytest.raises(TypeError):
            xp.select([[True] * 7], [xp.asarray(DAYS)])
