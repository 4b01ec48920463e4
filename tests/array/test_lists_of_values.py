"""Arrays of lists of elements that were read: as NumPy makes them, of what the elements were."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float16", "float32", "float64", "complex64"])
@pytest.mark.parametrize("make", [da.array, da.asarray])
def test_lists_of_values(dtype: str, make: Any) -> None:
    host = (np.arange(70) % 5).astype(dtype)
    x = da.asarray(host)
    same(make(list(x)), host)
    same(make([*x[::-2]]), host[::-2])
    same(make([v + v for v in x]), np.array([v + v for v in host]))


def test_other_lists_of_arrays() -> None:
    x = da.asarray([1.5, 2.5, 3.5])
    same(da.array([x[0], 2, x[2]]), np.array([1.5, 2.0, 3.5]))
    same(da.array([x[0], x[1].astype("float32")]), np.array([1.5, 2.5]))
    same(da.array([x[0], x[1]], "int64"), np.array([1, 2]))
    same(da.array([x, x]), np.array([[1.5, 2.5, 3.5]] * 2))
    same(da.array([[x[0], x[1]], [x[1], x[2]]]), np.array([[1.5, 2.5], [2.5, 3.5]]))
    same(da.array((x[0], x[1])), np.array([1.5, 2.5]))


def test_values_are_those_that_were_read() -> None:
    x = da.zeros(64)
    values = list(x)
    x += 1
    same(da.array(values), np.zeros(64))
    same(da.array(list(x)), np.ones(64))
