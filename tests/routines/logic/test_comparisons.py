"""Comparisons with a tolerance, and of whole arrays."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


def test_comparisons_with_a_tolerance() -> None:
    a = np.array([1.0, np.nan, np.inf, -np.inf, 0.0, 1e-9, 5.0])
    b = np.array([1.0 + 1e-7, np.nan, np.inf, np.inf, 1e-9, 0.0, 5.1])
    x, y = da.asarray(a), da.asarray(b)
    for equal_nan in (False, True):
        same(da.isclose(x, y, equal_nan=equal_nan), np.isclose(a, b, equal_nan=equal_nan))
        same(da.isclose(x, 1, rtol=0.1), np.isclose(a, 1, rtol=0.1))
    same(da.isclose(da.asarray([1, 2]), da.asarray([1, 3])), np.array([True, False]))
    assert da.allclose(x[:1], y[:1])
    assert not da.allclose(x, y)
    assert da.array_equal(x, x, equal_nan=True)
    assert not da.array_equal(x, x)
    assert not da.array_equal(x, x[:2])
    assert da.array_equiv(da.ones((3, 2)), da.ones(2))
    assert not da.array_equiv(da.ones(3), da.ones(2))
    v = da.asarray([1, 2])
    assert da.array_equiv(v, [v, v])
    assert da.array_equiv([v, [1, 2]], v)
    assert da.array_equiv([1, 2], [[1, 2]])
    assert da.select([v > 1, v > 0], [[v[0], 7], (v[1], 8)]).tolist() == [2, 7]
    assert not da.array_equiv(v, [v, v + 1])
