"""Kernels of many dims, scalars and arrays: numbered names are no types' names (`i8`, `c64`, `b8`)."""

from __future__ import annotations

import string
from typing import Any

import numpy as np
import pytest
from oracle import skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "kernels")

DIMS = [8, 9, 10, 17, 18]


def turned(ndim: int, dtype: str) -> tuple[np.ndarray, tuple[int, ...]]:
    """An array whose dims, in the order given, do not join into fewer."""
    shape = (2,) * ndim if ndim < 12 else (2,) * 6 + (1,) * (ndim - 14) + (2,) * 8
    order = tuple(int(dim) for dim in np.random.default_rng(ndim).permutation(ndim))
    return values(dtype, 2 ** sum(n > 1 for n in shape), 3).reshape(shape), order


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "bool", "uint8"])
@pytest.mark.parametrize("ndim", DIMS)
@pytest.mark.heavy
def test_arrays_of_many_dims(ndim: int, dtype: str) -> None:
    host, order = turned(ndim, dtype)
    x = da.asarray(host)
    here, there = host.transpose(order), x.transpose(order)
    np.testing.assert_array_equal((x == there).copy_to_host(), host == here)
    np.testing.assert_array_equal(there.copy(order="C").copy_to_host(), here)
    both, wanted = (there & x, here & host) if dtype == "bool" else (there * x, here * host)
    np.testing.assert_array_equal(both.astype("int16").copy_to_host(), wanted.astype("int16"))
    np.testing.assert_array_equal(there.max(axis=(0, 2)).copy_to_host(), here.max(axis=(0, 2)))
    np.testing.assert_array_equal(np.flip(there, (0, 3)).copy_to_host(), np.flip(here, (0, 3)))


@pytest.mark.parametrize("dtype", ["int8", "bool", "int32"])
def test_elements_of_arrays_of_many_dims(dtype: str) -> None:
    host, order = turned(10, dtype)
    x = da.asarray(host)
    here, there = host.transpose(order), x.transpose(order)
    at = np.array([[1, 0], [0, 0]])
    np.testing.assert_array_equal(there[:, :, at].copy_to_host(), here[:, :, at])
    np.testing.assert_array_equal(there[there != 0].copy_to_host(), here[here != 0])


@pytest.mark.parametrize("dtype", ["int8", "int32", "float64"])
def test_products_of_many_matrices(dtype: str) -> None:
    skip_without(dtype)
    host, order = turned(10, dtype)
    host = np.where(np.isfinite(host.astype("f8")), host, 1).astype(dtype) % np.asarray(7, dtype)
    x = da.asarray(host)
    got, want = x.transpose(order) @ x, host.transpose(order) @ host
    np.testing.assert_allclose(got.copy_to_host(), want, rtol=1e-12)


@pytest.mark.parametrize("function", ["fft", "rfft"])
def test_transforms_of_many_dims(function: str) -> None:
    skip_without("float64")
    host, order = turned(10, "float32")
    host = np.nan_to_num(host, posinf=1, neginf=1).astype("float64") % 9
    x = da.asarray(host)
    want = getattr(np.fft, function)(host.transpose(order), axis=4)
    got = getattr(da.fft, function)(x.transpose(order), axis=4)
    np.testing.assert_allclose(got.copy_to_host(), want, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float32"])
def test_expressions_of_many_scalars(dtype: str) -> None:
    skip_without(dtype)
    host = (np.arange(9_001) % 17).astype(dtype)

    def program(x: Any) -> Any:
        for k in range(80):
            x = x * x.dtype.type(0.5 + k % 3 / 4) if k % 2 else x + x.dtype.type(k)
        return x

    np.testing.assert_allclose(program(da.asarray(host)).copy_to_host(), program(host), rtol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
@pytest.mark.parametrize("count", [7, 9, 12, 20])
@pytest.mark.parametrize("axis", [None, 0, 1])
def test_reductions_of_many_arrays(axis: int | None, count: int, dtype: str) -> None:
    rng = np.random.default_rng(count)
    hosts = [rng.integers(0, 9, (64, 160)).astype(dtype) for _ in range(count)]

    def program(xp: Any, arrays: list[Any]) -> Any:
        total = arrays[0] * 0
        living = total == 0
        for array in arrays:
            total = total + array
            living = living & (array > 0)
        return xp.sum(xp.where(living, total, total * 0), axis=axis), xp.any(living, axis=axis)

    for got, want in zip(program(da, [da.asarray(host) for host in hosts]), program(np, hosts), strict=True):
        np.testing.assert_array_equal(got.copy_to_host(), want)


def test_numbered_names_are_no_types() -> None:
    from devarray.codegen.kernels.operands import numbered
    from devarray.codegen.language.dialect import CTYPE

    types = set(CTYPE.values())
    assert {"b8", "i8", "c64"} <= types
    assert not types & {name for letter in string.ascii_lowercase for name in numbered(letter, 200)}
