"""Elements of records and of dates, where NumPy gives scalars: values, and records whose fields are."""

from __future__ import annotations

from datetime import date, datetime, timedelta

import numpy as np
import pytest

import devarray as da

DTYPES = {
    "aligned": np.dtype([("n", "i8"), ("x", "f8"), ("s", "S2")]),
    "packed": np.dtype([("s", "S1"), ("n", "i8"), ("x", "f8")]),
    "nested": np.dtype([("n", "i8"), ("x", "f8"), ("in", [("n", "i8"), ("t", "M8[s]")])]),
}


def records(dtype: np.dtype) -> np.ndarray:
    h = np.zeros(3, dtype)
    h["n"], h["x"] = [3, 1, 2], [0.5, 1.5, 2.5]
    return h


@pytest.fixture(params=DTYPES)
def both(request):
    h = records(DTYPES[request.param])
    return h, da.asarray(h)


PROGRAMS = {
    "keys": lambda z: {int(n): float(x) for n, x in {r["n"]: r["x"] for r in z}.items()},
    "found by key": lambda z: {r["n"]: i for i, r in enumerate(z)}[2],
    "by position": lambda z: [float(r[1]) for r in z],
    "lists": lambda z: [int(z.tolist()[i][z.dtype.names.index("n")]) for i in range(3)],
    "sorted": lambda z: [int(r["n"]) for r in sorted(z, key=lambda r: r["x"], reverse=True)],
    "ranges": lambda z: [list(range(r["n"])) for r in z],
    "formats": lambda z: [f"{r['x']:.2f}" for r in z],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_as_numpys_scalars(both, name):
    h, x = both
    assert PROGRAMS[name](x) == PROGRAMS[name](h)


def test_a_field_of_an_element_is_a_value_of_its_time(both):
    h, x = both
    for z in (h, x):
        before = z[1]["x"]
        z["x"] = 7
        assert float(before) == 1.5
    assert da.isscalar(x[0]["x"]) and da.isscalar(x[0]) and da.isscalar(x["x"][0])
    with pytest.raises(ValueError, match="read-only value"):
        x["n"][0][...] = 1


def test_an_element_is_written_through(both):
    h, x = both
    for z in (h, x):
        r = z[2]
        r["n"] += 40
        for each in z:
            each["x"] *= 2
        z[0, ...]["x"][...] = 8
    np.testing.assert_array_equal(x.copy_to_host(), h)


def test_an_array_without_axes_has_fields_that_are_written():
    for m in (np, da):
        z = m.zeros((), DTYPES["aligned"])
        z["n"][...] = 5
        assert z["n"].shape == () and int(z["n"]) == 5 and not m.isscalar(z)
        assert m.isscalar(z[()]) and not m.isscalar(z[...])


DAYS = np.array(["2020-01-01", "2021-01-01"], "M8[D]")
SECONDS = np.array(["2020-01-01T03", "2021-01-01T04"], "M8[s]")
OF_DATES = {
    "<": lambda x, o: x < o,
    "reflected <": lambda x, o: o < x,
    "==": lambda x, o: x == o,
    "!=": lambda x, o: x != o,
    "-": lambda x, o: x - o,
    "reflected -": lambda x, o: o - x,
    "+": lambda x, o: x + o,
    "reflected +": lambda x, o: o + x,
    "in lists": lambda x, o: x == [o, o],
    "durations /": lambda x, o: (x - x) / o,
    "durations <": lambda x, o: (x - x) < o,
}
PYTHONS = [date(2020, 6, 1), datetime(2020, 6, 1, 3), timedelta(days=2), timedelta(hours=5)]


def outcome(call, *operands):
    try:
        return call(*operands)
    except TypeError:
        return TypeError


@pytest.mark.parametrize("other", PYTHONS, ids=repr)
@pytest.mark.parametrize("name", OF_DATES)
@pytest.mark.parametrize("dates", [DAYS, SECONDS, DAYS[:1], DAYS[0], SECONDS[1]], ids=str)
def test_pythons_dates_are_operands_as_numpys(dates, name, other):
    x = da.asarray(dates) if dates.ndim else da.asarray(dates[None])[0]
    with da.use(fallback="allow"):
        found = outcome(OF_DATES[name], x, other)
    wanted = outcome(OF_DATES[name], dates, other)
    if hasattr(found, "copy_to_host"):
        found = found.copy_to_host()
    assert getattr(found, "dtype", type(found)) == getattr(wanted, "dtype", type(wanted))
    np.testing.assert_array_equal(found, wanted)


def test_pythons_dates_are_refused_where_nothing_goes_to_the_host():
    x = da.asarray(DAYS)
    with da.use(fallback="raise"), pytest.raises(da.errors.Error, match="forbids"):
        x < date(2020, 6, 1)  # noqa: B015


def test_an_element_as_an_object_is_pythons():
    with da.use(fallback="allow"):
        assert da.asarray(DAYS)[0].astype(object) == DAYS[0].astype(object) == date(2020, 1, 1)
