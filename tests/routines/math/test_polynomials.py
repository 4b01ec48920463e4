"""Polynomials against NumPy's: arithmetic, values, roots and fits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from agreement import both, check, near
from oracle import moderate, skip_without

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated"),
]
Body = Callable[..., Any]
ROWS: dict[str, Body] = {
    "polyadd": lambda xp, p, q: xp.polyadd(p, q),
    "polyder": lambda xp, p, q: xp.polyder(p, 2),
    "polyint": lambda xp, p, q: xp.polyint(p, 2, 3),
    "polymul": lambda xp, p, q: xp.polymul(p, q),
    "polysub": lambda xp, p, q: xp.polysub(p, q),
    "polyval": lambda xp, p, q: xp.polyval(p, q),
    "polyval of host coefficients": lambda xp, p, q: xp.polyval([2, 0, 1], p),
    "interp": lambda xp, p, q: xp.interp(q, xp.sort(p), p),
    "outer": lambda xp, p, q: xp.outer(p, q),
}


@pytest.mark.parametrize(
    "dtypes",
    ["ih", "ef", "dd", "fF", "??", *(pytest.param(pair, marks=pytest.mark.slow) for pair in ("bb", "fi", "DD"))],
)
@pytest.mark.parametrize("name", ROWS)
def test_two_rows(name: str, dtypes: str) -> None:
    skip_without("float64")
    for n, m in ((7, 3), (1, 4), (2, 2), (0, 3), (5, 0)):
        p, q = moderate(dtypes[0], n, 1), moderate(dtypes[1], m, 2)
        check(lambda xp, p, q: ROWS[name](xp, p[::-1], q), p, q, ulp=256)


def test_polynomials_of_data() -> None:
    skip_without("float64")
    x, y = np.sort(moderate("float64", 20, 1)), moderate("float64", (20, 3), 2)
    for more in ({}, {"full": True}, {"cov": True}, {"cov": "unscaled", "w": abs(y[:, 0]) + 1}):
        for right in (y, y[:, 0]):
            ours, wanted = both(lambda xp, a, b, m=more: xp.polyfit(a, b, 3, **m), x, right)
            near(ours[:2] if more else ours, wanted[:2] if more else wanted, 2**14)
    with pytest.warns(np.exceptions.RankWarning):
        da.polyfit(da.asarray([1.0, 1.0]), da.asarray([1.0, 2.0]), 1)
    for bad in ((x, y, -1), (y, y, 1), (x[:0], y[:0], 1), (x, y[:3], 1), (x, y[None], 1)):
        check(lambda xp, a, b, d=bad[2]: xp.polyfit(a, b, d), *bad[:2])
    for u, v in (([1.0, 0, 0, -1], [1.0, -1]), ([1, 2], [1, 2, 3]), ([2j, 1, 1], [1.0]), ([0.0, 0, 0], [2.0])):
        check(lambda xp, a, b: xp.polydiv(a, b), np.array(u), np.array(v))
    for zeros in ([], [2], [1.0, -2, 3], [1 + 1j, 1 - 1j], [1j, 2], [[2.0, 1], [0, 3]], [[1.0, 2, 3]]):
        check(lambda xp, z: xp.poly(z), np.array(zeros))
    for p in ([0, 0], [5], [1, 0, 0], [0, 1.0, -3, 2, 0, 0], [1, 0, 1], [1.0, 2, 3, 4], [[1, 2]]):
        check(lambda xp, p: xp.sort(xp.roots(p)), np.array(p), ulp=2**10)
