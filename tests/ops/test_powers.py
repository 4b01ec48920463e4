"""Powers by scalars: some exponents are other operations, and all of them NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")
REAL = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64"]
SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -3.0, 1e-3, 300.0, np.inf, -np.inf, np.nan]


def values(dtype: str) -> np.ndarray:
    rng = np.random.default_rng(3)
    if np.dtype(dtype).kind in "iu":
        info = np.iinfo(dtype)
        few = np.array([info.min, info.max, 0, 1], dtype)
        return np.concatenate([few, rng.integers(info.min, info.max, 500, dtype)])
    return np.concatenate([SPECIAL, rng.normal(0, 100, 500)]).astype(dtype)


def same(out: da.Array, expected: np.ndarray) -> None:
    assert out.dtype == expected.dtype
    np.testing.assert_array_equal(np.signbit(out.copy_to_host()), np.signbit(expected))
    np.testing.assert_array_equal(out.copy_to_host(), expected)


@pytest.mark.parametrize("exponent", [2, 2.0])
@pytest.mark.parametrize("dtype", REAL)
def test_squares_are_products(device: da.Device, dtype: str, exponent: float) -> None:
    x = values(dtype)
    wide = x if isinstance(exponent, int) or x.dtype.kind == "f" else x.astype((x**exponent).dtype)
    a = da.asarray(x, device=device)
    expected = wide * wide
    if x.dtype.kind == "f" or isinstance(exponent, int):
        same(a**exponent, expected)
        same(a[::-3] ** exponent, expected[::-3])
        same(a[:0] ** exponent, expected[:0])
        same(a[5] ** exponent, expected[5])
        a **= exponent
        same(a, expected)
    else:  # an integer to a float power is a float
        assert (a**exponent).dtype == expected.dtype
        close = 1e-2 if expected.dtype == np.float16 else 1e-6
        np.testing.assert_allclose((a**exponent).copy_to_host(), expected, close)


@pytest.mark.parametrize("exponent", [-1, -1.0])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_power_minus_one_is_the_reciprocal(device: da.Device, dtype: str, exponent: float) -> None:
    x = values(dtype)
    same(da.asarray(x, device=device) ** exponent, (np.ones(1, dtype) / x).astype(dtype))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_the_power_one_half_is_the_root_but_for_the_standards_special_cases(device: da.Device, dtype: str) -> None:
    x = values(dtype)
    expected = np.sqrt(x + 0.0)  # no negative zero
    expected[np.isneginf(x)] = np.inf
    out = (da.asarray(x, device=device) ** 0.5).copy_to_host()
    assert out.dtype == expected.dtype
    np.testing.assert_allclose(out, expected, rtol=2 * np.finfo(dtype).eps)
    np.testing.assert_array_equal(np.signbit(out[:2]), [False, False])
    inside = (da.asarray(np.abs(x[11:]), device=device) ** 0.5).sum()  # in a reduction
    wanted = np.sqrt(np.abs(x[11:].astype("f8"))).sum()
    np.testing.assert_allclose(inside.item(), wanted, rtol=1e-2 if dtype == "float16" else 1e-5)


@pytest.mark.parametrize("exponent", [2, 2.0, -1, 0.5, 3, 0, 1, 2.5])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_powers(device: da.Device, dtype: str, exponent: float) -> None:
    rng = np.random.default_rng(4)
    x = (rng.normal(0, 10, 300) + 1j * rng.normal(0, 10, 300)).astype(dtype)
    out = da.asarray(x, device=device) ** exponent
    assert out.dtype == x.dtype
    np.testing.assert_allclose(out.copy_to_host(), x.astype("c16") ** exponent, rtol=40 * np.finfo(dtype).eps)


@pytest.mark.parametrize("exponent", [2, 2.0, -1, -1.0, 0.5, True])
def test_dtypes_of_powers_are_numpys(device: da.Device, exponent: float) -> None:
    for dtype in ["bool", *REAL, "complex64", "complex128"]:
        x = np.ones(3, dtype)
        if isinstance(exponent, int) and exponent == -1 and x.dtype.kind in "iub":
            with pytest.raises(ValueError, match="negative integer powers"):
                da.asarray(x, device=device) ** exponent
            continue
        out = da.asarray(x, device=device) ** exponent
        assert out.dtype == (x**exponent).dtype, dtype
        np.testing.assert_array_equal(out.copy_to_host(), x**exponent)


@pytest.mark.parametrize("exponent", [2, -1, 0.5, 1.5])
def test_the_function_pow_takes_the_same_exponents(device: da.Device, exponent: float) -> None:
    x = np.linspace(0.1, 9, 400)
    a = da.asarray(x, device=device)
    np.testing.assert_allclose(da.pow(a, exponent).copy_to_host(), np.power(x, exponent), rtol=1e-15)
    many = da.asarray(np.full(x.size, exponent), device=device)  # an exponent for each element
    np.testing.assert_allclose((a**many).copy_to_host(), np.power(x, exponent), rtol=1e-15)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_powers_of_zero_are_numpys(device: da.Device, dtype: str) -> None:
    exponents = np.array([1 + 1j, 0.5 - 2j, 2, 0, 1j, -1, -1 + 1j], dtype)
    with np.errstate(invalid="ignore"):
        wanted = np.zeros(7, dtype) ** exponents
    out = (da.zeros(7, dtype, device=device) ** da.asarray(exponents, device=device)).copy_to_host()
    np.testing.assert_array_equal(out, wanted)


POWERS = {
    "x ** n": lambda xp, x, n: x**n,
    "x **= n": lambda xp, x, n: x.__ipow__(n),
    "power": lambda xp, x, n: xp.power(x, n),
    "NumPy's power": lambda xp, x, n: np.power(x, n),
    "into": lambda xp, x, n: np.power(x, n, out=xp.zeros(2, x.dtype)),
    "outer": lambda xp, x, n: np.power.outer(x, n),
}


@pytest.mark.parametrize(
    "exponent", [-1, np.int8(-2), np.array([3, -1]), np.array(-1), np.array([2, -3], "i2"), [1, -2]]
)
@pytest.mark.parametrize("dtype", ["bool", "int32", "int64"])
@pytest.mark.parametrize("name", POWERS)
def test_integers_to_negative_powers_that_the_host_knows(device: da.Device, name: str, dtype: str, exponent) -> None:
    for xp in (np, da):
        x = xp.asarray(np.array([1, 2], dtype))
        if name in ("x **= n", "into") and dtype != "int64":
            continue  # NumPy's error is that of the cast
        with pytest.raises(ValueError, match=r"(?i)integers to negative integer powers"):
            POWERS[name](xp, x, exponent)
    same(da.asarray([1.0, 2.0], device=device) ** [1, -2], np.array([1.0, 0.25]))


@pytest.mark.parametrize("exponent", [np.int8(-2), np.array([3, -1]), np.array(-1), [1, -2]])
def test_negative_powers_of_what_becomes_floats(device: da.Device, exponent) -> None:
    """uint64 beside signed integers does, and what a program says so of."""
    if not device.caps["fp64"]:
        pytest.skip("the device has no float64")
    for name, power in POWERS.items():
        if name not in ("x **= n", "into"):
            same(
                power(da, da.asarray([1, 2], "u8", device=device), exponent),
                power(np, np.array([1, 2], "u8"), exponent),
            )
    x = np.array([1, 2])
    for given in ({"dtype": float}, {"signature": "dd->d"}):
        for power in (da.power, np.power):
            same(power(da.asarray(x, device=device), exponent, **given), np.power(x, exponent, **given))
        same(np.power(da.asarray(x, device=device), -1, **given), np.power(x, -1, **given))
    with pytest.raises(ValueError, match="negative integer powers"):
        np.power(da.asarray(x, device=device), exponent, dtype="i8")


def test_negative_powers_that_the_device_knows_are_cut_off(device: da.Device) -> None:
    x = np.array([-2, -1, -1, 0, 1, 2, 3])
    n = da.asarray([-1, -2, -3, -1, -5, -1, -2], device=device)
    same(da.asarray(x, device=device) ** n, np.array([0, 1, -1, 0, 1, 0, 0]))
