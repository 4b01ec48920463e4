"""Quotients by numbers that are part of a kernel's text: products by their inverses, correctly rounded, as NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da
from devarray._runtime import compiler

pytestmark = [
    pytest.mark.filterwarnings("ignore::RuntimeWarning"),
    pytest.mark.usefixtures("deferred", "kernels", "plans"),
]

DIVISORS = [255.0, 12.92, 1.055, 7.0, 3.0, 1.0000001, 1.9999999, 1e6, 4.0, 1.0, 0.3, -255.0, -3.0, 2.0**20, 1e30, 0.0]
DIVISORS += [np.inf, np.nan]


def operands(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(7)
    size, word = (4, "u4") if dtype == "float32" else (8, "u8")
    info = np.finfo(dtype)
    ends = [info.max, info.tiny, info.smallest_subnormal, info.eps, 0.0, np.inf, np.nan]
    exponents = [np.ldexp(1.0, e) for e in (-149, -127, -126, -103, -101, -100, -99, -961, -960, -959, -1022, 127)]
    special = np.array([*ends, *exponents], dtype)
    return np.concatenate(
        [
            special,
            -special,
            np.nextafter(special, np.array(0, dtype)),
            np.arange(-1024, 1024).astype(dtype),
            np.frombuffer(rng.bytes(size * 100_000), word).view(dtype),  # every pattern of bits
            rng.standard_normal(100_000).astype(dtype),
            (rng.uniform(1, 2, 50_000) * np.exp2(rng.integers(-149, -90, 50_000))).astype(dtype),
        ]
    )


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("divisor", DIVISORS)
def test_quotients_are_numpys(divisor: float, dtype: str) -> None:
    host = operands(dtype)
    word = "u4" if dtype == "float32" else "u8"

    def steps(xp: object, x: np.ndarray) -> np.ndarray:
        """Operations enough for a text with constants, which leave the quotient's bits."""
        y = x / divisor
        for number in (11.0, 13.0, 17.0, 19.0, 23.0):
            y = xp.where(x == number * 1e-7, number, y)  # type: ignore[attr-defined]
        return y

    x = da.asarray(host).evaluate()
    wanted = steps(np, host)
    numbers = ~np.isnan(wanted)
    for _ in range(8):
        got = steps(da, x).copy_to_host()
        compiler.wait_for_kernels()
        np.testing.assert_array_equal(np.isnan(got), ~numbers)
        np.testing.assert_array_equal(got.view(word)[numbers], wanted.view(word)[numbers])
