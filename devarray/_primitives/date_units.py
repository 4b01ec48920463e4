"""Counts of one unit of time as counts of another: what casts of datetime64 and timedelta64 do, on the device.

Years and months of a datetime64 are counted in days by the Gregorian calendar, as NumPy does, with years that begin in
March: the day that leap years have is then their last.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from devarray import _core
from devarray.array import OP, Array
from devarray.errors import DTypeError

__all__ = ["NAT", "is_nat", "kept_nat", "to_unit"]

NAT = -(2**63)
"""Not a time: the least of the counts."""

_DAYS_OF_400_YEARS = 146097
_SECONDS = {
    "Y": Fraction(_DAYS_OF_400_YEARS * 86400, 400),  # of a timedelta64: NumPy's mean
    "M": Fraction(_DAYS_OF_400_YEARS * 86400, 4800),
    "W": Fraction(604800),
    "D": Fraction(86400),
    "h": Fraction(3600),
    "m": Fraction(60),
    "s": Fraction(1),
    **{unit: Fraction(1, 1000**i) for i, unit in enumerate(("ms", "us", "ns", "ps", "fs", "as"), 1)},
}
_MONTHS = {"Y": 12, "M": 1}
_MARCH_0000 = 1970 * 12 - 2  # months from then to the first of 1970
_DAYS_TO_1970 = 719468  # from the first of March of the year 0


def is_nat(counts: Any) -> Any:
    """Where counts are "not a time"."""
    return _core.apply(OP["equal"], counts, NAT)


def kept_nat(counts: Any, values: Any) -> Any:
    """The values, but "not a time" where the counts say so."""
    return _core.apply(OP["where"], is_nat(counts), NAT, values)


def to_unit(counts: Array, given: np.dtype[Any], wanted: np.dtype[Any]) -> Array:
    """Counts of the unit of a dtype as counts of another's, rounded down; both datetime64, or both timedelta64."""
    (unit, size), (target, target_size) = np.datetime_data(given), np.datetime_data(wanted)
    if (unit, size) == (target, target_size) or unit == "generic":
        return counts
    if target == "generic":
        raise DTypeError(f"counts of {given} have no form without a unit")
    values = counts
    if given.kind == "M" and (unit in _MONTHS) != (target in _MONTHS):
        if unit in _MONTHS:
            values, unit, size = _days_of(values * (size * _MONTHS[unit])), "D", 1
        else:
            values, unit, size = _months_of(_scaled(values, _ratio(unit, size, "D", 1))), "M", 1
    return kept_nat(counts, _scaled(values, _ratio(unit, size, target, target_size)))


def _ratio(unit: str, size: int, target: str, target_size: int) -> Fraction:
    if unit in _MONTHS and target in _MONTHS:
        return Fraction(size * _MONTHS[unit], target_size * _MONTHS[target])
    return size * _SECONDS[unit] / (target_size * _SECONDS[target])


def _scaled(counts: Array, ratio: Fraction) -> Array:
    if max(ratio.numerator, ratio.denominator) >= 2**63:
        raise DTypeError("the units lie so far apart that int64 does not hold one in the other")
    if ratio.numerator != 1:
        counts = counts * ratio.numerator
    return counts if ratio.denominator == 1 else counts // ratio.denominator


def _days_of(months: Array) -> Array:
    """Days from 1970 to the first of a month, which is counted from 1970, too."""
    months = months + _MARCH_0000
    year, month = months // 12, months % 12
    leap_days = year // 4 - year // 100 + year // 400
    return year * 365 + leap_days + (month * 153 + 2) // 5 - _DAYS_TO_1970


def _months_of(days: Array) -> Array:
    """The month that a day is in, both counted from 1970."""
    days = days + _DAYS_TO_1970
    era = days // _DAYS_OF_400_YEARS
    day = days - era * _DAYS_OF_400_YEARS
    year = (day - day // 1460 + day // 36524 - day // 146096) // 365
    day = day - (year * 365 + year // 4 - year // 100)
    return (era * 400 + year) * 12 + (day * 5 + 2) // 153 - _MARCH_0000
