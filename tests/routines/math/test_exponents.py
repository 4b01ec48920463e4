"""Numbers by their exponents: ldexp and frexp, to the ends of their dtypes."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import same

import devarray as da

DTYPES = ["float16", "float32", "float64"]


def values(dtype: str) -> np.ndarray:
    info = np.finfo(dtype)
    edges = [0, 1, 1.5, info.max, info.tiny, info.smallest_subnormal, info.tiny * 0.75, np.inf, np.nan, 0.1, 3]
    row = np.array([*edges, *np.random.default_rng(0).standard_normal(9)], dtype)
    return np.concatenate([row, -row])


@pytest.mark.parametrize("dtype", DTYPES)
def test_products_with_powers_of_two_round_once(dtype: str) -> None:
    x = values(dtype)[:, None]
    n = np.array([0, 1, -1, 10, -14, -24, 30, -126, -149, 127, 254, 300, -300, -1074, 1023, 2100, -2100, 2**31 - 1])
    n = np.append(n, -(2**31))
    with np.errstate(all="ignore"):
        wanted = np.ldexp(x, n)
    same(da.ldexp(da.asarray(x), da.asarray(n)), wanted)
    same(da.ldexp(da.asarray(x), da.asarray(n.astype(np.int32))), wanted)
    for number in (-3, 0, 10**30, -(10**30)):
        with np.errstate(all="ignore"):
            same(da.ldexp(da.asarray(x), number), np.ldexp(x, max(-9999, min(number, 9999))))


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "uint32", "bool"])
def test_exponents_of_any_integer_dtype(kind: str) -> None:
    n = np.array([0, 1, 7, 100]).astype(kind)
    x = np.array([0.75, -3, 1e-40, 2], np.float32)
    same(da.ldexp(da.asarray(x), da.asarray(n)), np.ldexp(x, n.astype(np.int64)))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("step", [1, -2])
def test_mantissas_and_exponents(dtype: str, step: int) -> None:
    x = values(dtype)[::step]
    with np.errstate(all="ignore"):
        wanted = np.frexp(x)
    found = da.frexp(da.asarray(x))
    for mine, given in zip(found, wanted, strict=True):
        finite = np.isfinite(x) | (given.dtype.kind == "f")  # the exponent of what is none is not said
        assert mine.dtype == given.dtype
        same(mine.copy_to_host()[finite], given[finite])
    same(da.ldexp(*found), x)


def test_of_integers_and_into_arrays() -> None:
    x, out = da.asarray(np.arange(-4, 5, dtype=np.int16)), da.zeros(9, dtype="float64")
    wanted = np.frexp(np.arange(-4, 5, dtype=np.int16))
    assert da.ldexp(x, 2, out=out) is out
    same(out, np.arange(-4.0, 5) * 4)
    for mine, given in zip(da.frexp(x), wanted, strict=True):
        assert mine.dtype == given.dtype
        same(mine, given)


@pytest.mark.usefixtures("deferred")
def test_each_is_one_kernel() -> None:
    x, n = da.asarray(np.linspace(-9, 9, 100_000)), da.asarray(np.arange(100_000) % 7)
    for work in (lambda: da.ldexp(x, 3), lambda: da.ldexp(x, n), lambda: da.frexp(x)[0], lambda: da.frexp(x)[1]):
        work().evaluate()
        da.compiler.wait_for_kernels()
        launches = da.stats()["launches"]
        work().evaluate()
        assert da.stats()["launches"] == launches + 1
