"""Calls that programs have: `out` of a wider dtype, tuples of arrays, values for the host's arrays, other numbers."""

from __future__ import annotations

import collections
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from agreement import check

import devarray as da

SMALL = np.array([[200, 100, 250], [3, 250, 7]], "u1")
LARGE = np.array([3e38, 2e38], "f4")
OUTS: dict[str, tuple[Callable[..., Any], np.ndarray]] = {
    "einsum": (lambda xp, x: xp.einsum("ij,j->i", x, x[0], out=xp.zeros(2, "i4")), SMALL),
    "einsum of floats": (lambda xp, x: xp.einsum("i,i->", x, x, out=xp.zeros((), "f8")), LARGE),
    "ptp": (lambda xp, x: xp.ptp(x, 0, out=xp.zeros(3, "i8")), SMALL.view("i1")),
    "mean": (lambda xp, x: xp.mean(x, out=xp.zeros((), "f8")), LARGE),
    "mean, a narrower one": (lambda xp, x: xp.mean(x, 0, out=xp.zeros(3, "f4")), SMALL * 1.5),
    "subtract.reduce": (lambda xp, x: np.subtract.reduce(x, 1, out=xp.zeros(2, "f8")), SMALL),
    "subtract.accumulate": (lambda xp, x: np.subtract.accumulate(x, out=xp.zeros((2, 3), "f8")), SMALL),
    "subtract.reduceat": (lambda xp, x: np.subtract.reduceat(x, [0], out=xp.zeros((1, 3), "f8")), SMALL),
    "hypot.reduce": (lambda xp, x: np.hypot.reduce(x, out=xp.zeros((), "f8")), LARGE),
    "add.reduceat of bools": (lambda xp, x: np.add.reduceat(x, [0], out=xp.zeros((1, 3), "?")), SMALL > 100),
    "divide.reduce into integers": (lambda xp, x: np.divide.reduce(x, out=xp.zeros((), "i8")), LARGE / 1e38),
    "divide.reduce of integers": (lambda xp, x: np.divide.reduce(x, dtype="i8"), LARGE),
    "bitwise_or.reduce into floats": (lambda xp, x: np.bitwise_or.reduce(x, out=xp.zeros(3)), SMALL),
}


@pytest.mark.parametrize("name", OUTS)
def test_results_are_computed_in_the_dtype_of_out(name: str) -> None:
    body, x = OUTS[name]
    check(body, x)


@pytest.mark.parametrize("name", ["max", "min", "sum", "prod", "any", "all", "mean", "argmax", "median"])
def test_reductions_of_a_tuple_of_arrays(name: str) -> None:
    check(lambda xp, a, b: getattr(xp, name)((a, b), axis=0), np.array([1.0, 5]), np.array([4.0, 2]))
    check(lambda xp, a, b: getattr(xp, name)((a, (3, 4))), np.array([1.0, 5]), np.array([4.0, 2]))


WRITES: dict[str, Callable[..., Any]] = {
    "rows": lambda xp, m: m.__setitem__([0, 1], (m[1], m[0])),
    "mask": lambda xp, m: m.__setitem__(m[:, 0] > 2, [m[0], m[2]]),
    "ix": lambda xp, m: m.__setitem__(xp.ix_([0, 1], [0, 1]), [m[2], m[2]]),
    "put": lambda xp, m: m.put([0, 1], [m[1]]),
    "copyto": lambda xp, m: xp.copyto(m, [m[2], m[1], m[0]]),
    "putmask": lambda xp, m: xp.putmask(m, m > 2, (m[0], m[1])),
    "place": lambda xp, m: xp.place(m, m > 2, [m[0], m[1]]),
}


@pytest.mark.parametrize("name", WRITES)
def test_lists_of_arrays_are_assigned(name: str) -> None:
    def body(xp: Any, m: Any) -> Any:
        WRITES[name](xp, m)
        return m

    check(body, np.arange(6.0).reshape(3, 2))


@pytest.mark.parametrize("name", ["shape", "ndim", "size", "zeros_like", "ones_like", "array", "stack", "concatenate"])
@pytest.mark.parametrize("kind", [list, tuple, collections.deque])
def test_sequences_of_arrays(name: str, kind: Any) -> None:
    if kind is collections.deque and name not in ("array", "stack", "concatenate"):
        pytest.skip("by lists")
    check(lambda xp, a: getattr(xp, name)(kind([a, a + 1])), np.arange(3.0))


def test_values_go_into_the_hosts_arrays() -> None:
    value = da.asarray([0.5, 2.0]).mean()
    host = np.array([0.0, np.nan, 2, 3])
    np.testing.assert_array_equal(np.full(3, value, float), [1.25] * 3)
    np.testing.assert_array_equal(np.full_like(host, value), [1.25] * 4)
    np.testing.assert_array_equal(np.nan_to_num(host, nan=value), [0, 1.25, 2, 3])
    np.copyto(host, value, where=host > 2)
    np.put(host, [0], value)
    np.putmask(host, np.isnan(host), value)
    np.place(host, host == 2, value)
    np.testing.assert_array_equal(host, [1.25] * 4)
    with pytest.raises(TypeError, match="copyto does not write into host memory"):
        np.copyto(host, da.zeros(4))


NUMBERS = [Decimal(2), Decimal("0.5"), Decimal("0.1"), Decimal("NaN"), Decimal("Infinity"), Fraction(2), Fraction(1, 3)]


@pytest.mark.parametrize("other", [*NUMBERS, len, slice(3), object(), int, {}])
@pytest.mark.parametrize("x", [np.array([1, 2, 3]), np.array([0.5, 0.1, np.inf]), np.array([1 + 0j, 2j])])
def test_other_objects_are_equal_element_by_element(x: np.ndarray, other: Any) -> None:
    ours = da.asarray(x)
    for made, wanted in ((ours == other, x == other), (ours != other, x != other)):
        assert isinstance(made, da.Array)
        np.testing.assert_array_equal(made.copy_to_host(), np.asarray(wanted, bool))


def test_tolerances_may_be_lists() -> None:
    check(lambda xp, x: xp.isclose(x, 1, atol=[1, 0.1]), np.array([1.0, 2.0]))
    check(lambda xp, x: xp.isclose(x, 1, rtol=(1, 0.1), atol=0), np.array([1.5, 1.5]))


def test_complex_weights_of_histograms_are_refused() -> None:
    check(lambda xp, x: xp.histogram2d(x, x, 2, weights=x + 1j)[0], np.array([0.1, 0.9]))


ELEMENTS: dict[str, Callable[..., Any]] = {
    "float": lambda xp, x: float(x[:1]),
    "int": lambda xp, x: int(x[:1, None]),
    "complex": lambda xp, x: complex(x[:1]),
    "float without axes": lambda xp, x: float(x[0]),
    "bool": lambda xp, x: bool(x[:1]),
    "a list": lambda xp, x: x.__setitem__(0, [5]),
    "an array of one": lambda xp, x: x.__setitem__(1, xp.ones(1)),
    "an array of one by two indices": lambda xp, x: x[:, None].__setitem__((1, 0), xp.ones((1, 1))),
    "an array without axes": lambda xp, x: x.__setitem__(1, xp.asarray(7.0)) or x,
    "a list for a view": lambda xp, x: x[1, ...].__setitem__(..., [5]) or x,
    "a list for a row": lambda xp, x: x[:, None].__setitem__(1, [5]) or x,
}


@pytest.mark.parametrize("name", ELEMENTS)
def test_arrays_with_axes_are_no_elements(name: str) -> None:
    """From NumPy 2.4 on; before, with one element they were."""
    check(ELEMENTS[name], np.arange(3.0))


EXTREMES: dict[str, Callable[..., Any]] = {
    "a NaN at first": lambda xp, x: xp.nanmax(x, 1, initial=np.nan),
    "least": lambda xp, x: xp.nanmin(x, initial=np.nan),
    "of none": lambda xp, x: xp.nanmax(x[:, :0], 1, initial=np.nan),
    "chosen": lambda xp, x: xp.nanmin(x, 0, initial=np.nan, where=x != 2),
    "a number": lambda xp, x: xp.nanmax(x, 1, initial=1.5),
}


@pytest.mark.parametrize("name", EXTREMES)
def test_a_first_value_that_is_no_number(name: str) -> None:
    check(EXTREMES[name], np.array([[1.0, np.nan, 2], [np.nan, np.nan, np.nan]]))


OUTER: dict[str, Callable[..., Any]] = {
    "dtype": lambda xp, x: xp.add.outer(x, x, dtype="f8"),
    "where": lambda xp, x: xp.add.outer(x, x, out=xp.zeros((3, 3), "f4"), where=xp.asarray([True, False, True])),
    "casting": lambda xp, x: xp.add.outer(x, x, dtype="i4", casting="unsafe"),
    "a wrong one": lambda xp, x: xp.add.outer(x, x, axis=0),
}


@pytest.mark.parametrize("name", OUTER)
def test_what_outer_takes(name: str) -> None:
    check(OUTER[name], np.array([1.5, 2.5, -3], "f4"))


DATES: dict[str, Callable[..., Any]] = {
    "a time": lambda xp, x: x.__iadd__(np.timedelta64(1, "s")),
    "a date": lambda xp, x: x.__iadd__(np.datetime64("2020-01-01")),
    "times an amount": lambda xp, x: x.__imul__(np.timedelta64(3, "D")),
    "without axes": lambda xp, x: x[0] + np.timedelta64(1, "s"),
}


@pytest.mark.parametrize("name", DATES)
def test_no_time_goes_into_an_array_of_numbers(name: str) -> None:
    """It was the name's new value, and other names of the array kept the old one."""
    check(DATES[name], np.array([1, 2]))


READ_ONLY: dict[str, Callable[..., Any]] = {
    "itself": lambda xp, x: x.__setitem__(slice(None), x),
    "no rows": lambda xp, x: x.__setitem__([], 3),
    "a row repeated": lambda xp, x: xp.broadcast_to(x[0], (2, 3)).__setitem__(0, x[0]),
    "rows that are one": lambda xp, x: (lambda b: b.__setitem__(slice(1, None), b[:-1]))(xp.broadcast_to(x[0], (2, 3))),
    "by a mask of none": lambda xp, x: x.__setitem__(x > 99, 3),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_no_write_to_a_read_only_array_passes(name: str) -> None:
    def body(xp: Any, x: Any) -> Any:
        x.flags.writeable = False
        return READ_ONLY[name](xp, x)

    check(body, np.ones((2, 3)))


OTHERS: dict[str, Callable[..., Any]] = {
    "a product with a number": lambda xp, x: x @ 3,
    "a number's product": lambda xp, x: 2.5 @ x,
    "no integers of no range": lambda xp, x: xp.random.default_rng(0).integers(0, 0, size=0) + x[:0],
    "a place that is a truth": lambda xp, x: xp.partition(x, True),
    "a place that is a float": lambda xp, x: xp.partition(x, 1.0),
    "two dims of a series": lambda xp, x: xp.polynomial.polynomial.polyval2d(x, x, x[:, None] + x),
}


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.filterwarnings("ignore::devarray.errors.HiddenTransferWarning")
def test_other_calls(name: str) -> None:
    check(OTHERS[name], np.array([1.0, 2, 3]))
