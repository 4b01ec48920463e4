"""Interpolation and gradients against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check
from oracle import moderate, skip_without

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated"),
]


def test_interpolation() -> None:
    skip_without("float64")
    nan, inf = np.nan, np.inf
    x = np.array([-1, 0, 0.5, 1, 1.75, 2, 3.5, 4, 9, nan, inf, -inf])
    points = np.array([0.0, 1, 1, 2, 4])
    for heights in ([1.0, 2, 3, 5, 4], [1, inf, inf, 2, nan], [1j, 2, 3, 4 - 1j, 5]):
        for more in ({}, {"left": -7.0, "right": 7.5}, {"period": 3.0}):
            check(lambda xp, x, p, f, m=more: xp.interp(x, p, f, **m), x, points, np.array(heights), ulp=4)
    for single in (x, x[:2].reshape(2, 1), x[3]):
        check(lambda xp, x: xp.interp(x, [1.0], [5.0], left=2.0), np.asarray(single[..., None]), ulp=0)
    check(lambda xp, p: xp.interp(0.3, p, p), points)
    for bad in (([1.0, 2], [1.0]), ([[1.0]], [[2.0]]), ([], []), ([1j], [2.0])):
        check(lambda xp, x, b=bad: xp.interp(x, xp.asarray(b[0]), xp.asarray(b[1])), x)


def test_gradients() -> None:
    skip_without("float64")
    f, even, uneven = moderate("float64", (5, 6)), np.arange(6.0) * 0.5, np.array([0, 1, 3, 3.5, 7, 8])
    for order in (1, 2):
        for dtype in ("float32", "float64", "int32"):
            a = f.astype(dtype)
            for step in (even, uneven, uneven.astype("f4"), (uneven * 2).astype("i2")):
                check(lambda xp, a, s, o=order: xp.gradient(a, s, axis=1, edge_order=o), a, step, ulp=256)
                check(lambda xp, a, s, o=order: xp.gradient(a, np.float32(2), s, edge_order=o), a, step, ulp=256)
        check(lambda xp, a, o=order: xp.gradient(a[:, :2], edge_order=o), f)
    for wrong in ((1, 2, 3), ([1.0, 2.0],), (np.zeros((2, 2)), 1)):
        check(lambda xp, a, w=wrong: xp.gradient(a, *w), f)
    check(lambda xp, a: xp.gradient(a, edge_order=3), f)
