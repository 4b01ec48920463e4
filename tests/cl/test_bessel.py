"""Bessel and Hankel functions under PyOpenCL's names, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da
from devarray.cl import array as cl_array
from devarray.cl import clmath

special = pytest.importorskip("scipy.special")


@pytest.mark.parametrize("order", [-3, -1, 0, 1, 2, 5, 40, 300, np.int32(7)])
def test_first_kind(order):
    x = np.concatenate([np.linspace(-60, 60, 400), [0.0, -0.0, 1e-8, 350.0, 1e4, np.nan]])
    np.testing.assert_allclose(
        clmath.bessel_jn(order, cl_array.to_device(None, x)).get(), special.jv(int(order), x), rtol=1e-11, atol=1e-12
    )
    assert clmath.bessel_jn(order, cl_array.to_device(None, [np.inf, -np.inf])).get().tolist() == [0, 0]


@pytest.mark.parametrize("order", [-3, -1, 0, 1, 2, 5, 40, 300])
def test_second_kind(order):
    x = np.concatenate([np.linspace(0.1, 60, 400), [1e-8, 350.0, 1e4, np.nan]])
    wanted = special.yn(order, x)
    wanted[np.abs(wanted) > 1e305] = -np.inf  # SciPy's recurrence overflows a step before ours
    found = clmath.bessel_yn(order, cl_array.to_device(None, x)).get()
    found[np.abs(found) > 1e305] = -np.inf
    np.testing.assert_allclose(found, wanted, rtol=1e-10, atol=1e-12)
    assert np.isinf(clmath.bessel_yn(order, cl_array.to_device(None, [0.0])).get()).all()


@pytest.mark.parametrize("order", [-3, 0, 1, 2, 7, 40, 300])
def test_first_kind_of_complex_numbers(order):
    rng = np.random.default_rng(13)
    z = 10.0 ** rng.uniform(-5, 2.5, 3000) * np.exp(2j * np.pi * rng.random(3000))
    wanted = special.jv(order, z)
    found = clmath.bessel_jn(order, cl_array.to_device(None, z)).get()
    error = np.abs(found - wanted) / np.maximum(np.abs(wanted), 1e-290)  # not of subnormal numbers
    assert error[np.isfinite(wanted)].max() < 1e-12
    z = np.array([0, 1e-3, -2, 3j, -4j, 1e6, np.nan], complex)
    np.testing.assert_allclose(
        clmath.bessel_jn(order, cl_array.to_device(None, z)).get()[:5], special.jv(order, z)[:5], rtol=1e-13
    )
    assert np.isnan(clmath.bessel_jn(order, cl_array.to_device(None, z[5:])).get()).all()
    assert clmath.bessel_jn(order, cl_array.to_device(None, z.astype("complex64"))).dtype == np.complex64


def test_float32_stays():
    x = np.linspace(0.1, 30, 50, dtype=np.float32)
    found = clmath.bessel_jn(4, cl_array.to_device(None, x)).get()
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, special.jv(4, x), atol=1e-6)


def test_orders_between_integers_and_too_large_ones_are_nan():
    x = da.asarray([0.5, 2.5, 1e9])
    assert np.isnan(da.special.jn(0.5, x).copy_to_host()).all()
    assert np.isnan(da.special.yn(x, x)[:2].copy_to_host()).all()
    assert da.special.jn(1e9, x).copy_to_host().tolist()[:2] == [0.0, 0.0]
    assert np.isnan(da.special.jn(1e9, x).copy_to_host()[2])


@pytest.mark.parametrize("size", [1e-10, 1e-3, 0.5, 0.999, 1.0, 3.0, 18.0, 90.0, 400.0])
def test_hankel_functions_in_all_quadrants(size):
    z = size * np.exp(1j * np.linspace(-np.pi, np.pi, 201))
    z = np.concatenate([z, size * np.array([1, -1, 1j, -1j, complex(-1, -0.0)])])
    h0, h1 = clmath.hankel_01(cl_array.to_device(None, z))
    for order, found in enumerate((h0, h1)):
        wanted = special.hankel1(order, z)
        assert found.dtype == z.dtype
        assert np.abs(found.get() / wanted - 1).max() < 4e-15 * (10 + size)


def test_hankel_functions_of_complex64_and_of_nothing():
    z = np.array([1 + 2j, -3 - 1j], np.complex64)
    h0, h1 = clmath.hankel_01(cl_array.to_device(None, z))
    assert (h0.dtype, h1.dtype) == (np.complex64, np.complex64)
    np.testing.assert_allclose(h0.get(), special.hankel1(0, z.astype(complex)), rtol=1e-6)
    np.testing.assert_allclose(h1.get(), special.hankel1(1, z.astype(complex)), rtol=1e-6)
    assert clmath.hankel_01(cl_array.to_device(None, z[:0]))[0].shape == (0,)
    with pytest.raises(TypeError, match="complex"):
        clmath.hankel_01(cl_array.to_device(None, [1.0]))
