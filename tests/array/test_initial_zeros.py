"""The zero that a maximum or minimum begins with, and zeros of the other sign among the elements."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["max", "min"])
@pytest.mark.parametrize("size", [1, 3, 40])
def test_the_sign_of_zero_is_numpys(size: int, name: str, dtype: str) -> None:
    for initial, element in [(0.0, -0.0), (-0.0, 0.0)]:
        one = complex(element, element) if dtype[0] == "c" else element
        host = np.full(size, one, dtype)
        want = getattr(np, name)(host, initial=initial)
        got = getattr(da, name)(da.asarray(host), initial=initial).copy_to_host()
        assert np.signbit(got.real) == np.signbit(want.real), (initial, element)
        assert np.signbit(got.imag) == np.signbit(want.imag), (initial, element)
