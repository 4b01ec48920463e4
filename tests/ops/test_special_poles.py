"""Beta functions and rising factorials at their poles and far out, beside mpmath's; degrees and penalties far out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

special = pytest.importorskip("scipy.special")
mp = pytest.importorskip("mpmath")


def ours(name: str, *operands: Any) -> np.ndarray:
    return getattr(da.special, name)(*(da.asarray(np.asarray(x)) for x in operands)).copy_to_host()


INTEGERS = np.arange(-6.0, 7.0)


@pytest.mark.parametrize("name", ["beta", "betaln", "poch"])
def test_integers_on_both_sides_of_the_poles(name: str) -> None:
    a, b = (x.ravel() for x in np.meshgrid(INTEGERS, INTEGERS))
    np.testing.assert_allclose(ours(name, a, b), getattr(special, name)(a, b), rtol=1e-13)


EXACT: dict[str, Callable[..., Any]] = {
    "beta": mp.beta,
    "betaln": lambda a, b: mp.log(abs(mp.beta(a, b))),
    "poch": mp.rf,
}
FAR = [(1e18, -0.5), (1e18, 0.5), (1e9, -2.25), (12345.5, 0.75), (40.0, 3.5), (1e6, -7.5), (-0.5, 5.5), (-2.5, 4.5)]


@pytest.mark.parametrize("name", EXACT)
@pytest.mark.parametrize("pair", FAR)
def test_far_out(name: str, pair: tuple[float, float]) -> None:
    with mp.workdps(60):
        wanted = float(EXACT[name](*map(mp.mpf, pair)))
    np.testing.assert_allclose(ours(name, *pair), wanted, rtol=1e-13)


def test_rising_factorials_between_two_poles() -> None:
    wanted = float(mp.rf(-100, 50))
    np.testing.assert_allclose(ours("poch", -100.0, 50.0), wanted, rtol=1e-12)


@pytest.mark.parametrize("name", ["sindg", "tandg", "cotdg"])
def test_degrees_beyond_their_precision(name: str) -> None:
    x = np.array([1e15, -1e18, 1e300])
    np.testing.assert_array_equal(ours(name, x), getattr(special, name)(x))


def test_far_penalties_and_powers() -> None:
    a, b = np.array([0.25, 3.0, 1e-200, 1e200]), np.array([1e300, 1e200, 1.0, 1.0])
    np.testing.assert_allclose(ours("pseudo_huber", a, b), [2.5e299, 3e200, 1e-200, 0.5], rtol=1e-14)
    np.testing.assert_allclose(ours("inv_boxcox", 1e15, 1e300), 1.0, rtol=1e-14)
    np.testing.assert_allclose(ours("inv_boxcox1p", 1e15, 1e300), special.inv_boxcox1p(1e15, 1e300), rtol=1e-12)


def test_i0_of_float32_next_to_its_largest() -> None:
    x = np.array([89.0, 90.5, -91.5], np.float32)
    np.testing.assert_allclose(da.i0(da.asarray(x)).copy_to_host(), special.i0(x), rtol=1e-5)
