"""Integers by one divisor for all elements, which kernels of CPUs multiply by its inverse; what floats leave."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import skip_without

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

OPERATIONS = [np.floor_divide, np.remainder, np.fmod]
INTEGERS = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]


def edges(dtype: str) -> list[int]:
    """Powers of two and their neighbours, both signs, primes, and the ends of the range."""
    info = np.iinfo(dtype)
    found = {0, info.min, info.min + 1, info.max, info.max - 1, 7, 10, 641, 1000, 6700417, 4294967297, 10**15 + 37}
    for bit in range(64):
        found |= {2**bit - 1, 2**bit, 2**bit + 1}
    found |= {-n for n in found}
    return sorted(n for n in found if info.min <= n <= info.max)


def integers(dtype: str, count: int = 4000) -> np.ndarray:
    """Of every magnitude, with the edges and multiples of them beside each other."""
    rng, info = np.random.default_rng(5), np.iinfo(dtype)
    wide = rng.integers(info.min, info.max, count, dtype=dtype, endpoint=True)
    wide >>= rng.integers(0, info.bits, count).astype(dtype)
    with np.errstate(over="ignore"):
        near = [np.array(edges(dtype), dtype) * np.array(k, dtype) + np.array(j, dtype) for k in (1, 3) for j in (0, 1)]
    return np.concatenate([wide, *near])


@pytest.mark.parametrize("dtype", INTEGERS)
@pytest.mark.parametrize("function", OPERATIONS, ids=lambda f: f.__name__)
def test_integers_by_every_kind_of_divisor(function: Any, dtype: str, kernels: None) -> None:
    host = integers(dtype)
    x = da.asarray(host)
    rng, info = np.random.default_rng(6), np.iinfo(dtype)
    random = rng.integers(info.min, info.max, 40, dtype=dtype, endpoint=True)
    random >>= rng.integers(0, info.bits, 40).astype(dtype)
    for divisor in [*edges(dtype), *random.tolist()]:
        one = np.array(divisor, dtype)[()]
        with np.errstate(all="ignore"):
            want = function(host, one)
        np.testing.assert_array_equal(function(x, one).copy_to_host(), want, err_msg=f"{function.__name__} {one}")


@pytest.mark.parametrize("dtype", ["int32", "uint64"])
def test_a_divisor_in_a_longer_expression(dtype: str, kernels: None) -> None:
    host = integers(dtype)
    x = da.asarray(host)

    def program(a: Any) -> Any:
        return (a // 7 * 7 + a % 7 == a) & ((a % 2 == 0) | (a % 10 > 4)), (a % 12).sum()

    for got, want in zip(program(x), program(host), strict=True):
        np.testing.assert_array_equal(got.copy_to_host(), want)


def floats(dtype: str) -> np.ndarray:
    info = np.finfo(dtype)
    found = [0.0, 0.1, 0.3, 1.0, 1.5, 2.0, 3.0, 7.0, 1e3, info.tiny, info.smallest_subnormal, info.max, np.inf, np.nan]
    found += [1 + info.eps, 1 - info.epsneg, 2.0 ** (info.nmant + 2), 5 * info.smallest_subnormal, info.max / 3]
    found += (10.0 ** np.random.default_rng(7).uniform(-9, 9, 40)).tolist()
    with np.errstate(all="ignore"):
        both = np.array([*found, *(-n for n in found)]).astype(dtype)
    return both


def same_bits(got: da.Array, want: np.ndarray) -> None:
    found = got.copy_to_host()
    assert found.dtype == want.dtype
    nan = np.isnan(want)
    np.testing.assert_array_equal(np.isnan(found), nan)
    np.testing.assert_array_equal(found[~nan], want[~nan])
    np.testing.assert_array_equal(np.signbit(found[~nan]), np.signbit(want[~nan]))


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize("place", ["on_host", "kernels"])
def test_what_floats_leave_is_exact(place: str, dtype: str, request: pytest.FixtureRequest) -> None:
    skip_without(dtype)
    request.getfixturevalue(place)
    some = floats(dtype)
    a, b = (np.ascontiguousarray(grid) for grid in np.meshgrid(some, some))
    with np.errstate(all="ignore"):
        same_bits(np.fmod(da.asarray(a), da.asarray(b)), np.fmod(a, b))
        for one in some[:: 3 if place == "kernels" else 1]:
            same_bits(np.fmod(da.asarray(some), one), np.fmod(some, one))


@pytest.mark.parametrize("dtype", [*INTEGERS, "float16", "float32", "float64"])
@pytest.mark.parametrize("place", ["on_host", "kernels"])
def test_shapes_and_views(place: str, dtype: str, request: pytest.FixtureRequest) -> None:
    skip_without(dtype)
    request.getfixturevalue(place)
    for shape in [(), (0,), (0, 3), (1,), (7, 5), (3000,)]:
        host = (np.arange(int(np.prod(shape))).reshape(shape) * 3 % 100 - (0 if dtype[0] == "u" else 50)).astype(dtype)
        for function in OPERATIONS:
            got, want = function(da.asarray(host), 7), function(host, 7)
            assert got.dtype == want.dtype
            np.testing.assert_array_equal(got.copy_to_host(), want)
    host = (np.arange(4000) % 120).astype(dtype)
    x = da.asarray(host.copy())
    for a in (x, host):  # strided, reversed, overlapping, transposed
        a[::-3] //= 3
        a[2:] = a[:-2] % 5
        turned = a.reshape(40, 100).T[::2, ::-1]
        turned //= 2
    np.testing.assert_array_equal(x.copy_to_host(), host)
