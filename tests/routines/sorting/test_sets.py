"""Sets against NumPy's: unique values, membership, unions and differences, over dtypes and NaN."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from oracle import DTYPES, moderate, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")
MANY = 100_000  # CPUs count these in several rows


@pytest.mark.parametrize("dtype", DTYPES)
def test_unique(dtype: str) -> None:
    skip_without(dtype)
    a = np.concatenate([values(dtype, 60), values(dtype, 60)[::-1], moderate(dtype, 30).round()]).reshape(10, 15)
    x = da.asarray(a)
    for equal_nan in (True, False):
        wanted = np.unique(a, True, True, True, equal_nan=equal_nan)
        ours = da.unique(x, True, True, True, equal_nan=equal_nan)
        if not equal_nan or not np.isnan(a).any():
            for got, want in zip(da.unique_all(x), wanted, strict=True):
                check_unique(got, want)
            check_unique(da.unique_values(x), wanted[0])
            check_unique(da.unique_counts(x).counts, wanted[3])
            check_unique(da.unique_inverse(x).inverse_indices, wanted[2])
        for got, want in zip(ours, wanted, strict=True):
            check_unique(got, want)


def check_unique(ours: da.Array, wanted: np.ndarray) -> None:
    got = ours.copy_to_host()
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got, wanted)


@given(st.data())
def test_isin(data: st.DataObject) -> None:
    dtype = data.draw(st.sampled_from(["int8", "uint16", "int64", "float32", "bool", "complex64"]))
    elements = st.integers(0, 1) if dtype == "bool" else st.integers(0, 9)
    a = data.draw(hnp.arrays("i8", hnp.array_shapes(min_dims=0, max_dims=2, min_side=0), elements=elements)).astype(
        dtype
    )
    b = data.draw(hnp.arrays("i8", hnp.array_shapes(min_dims=0, max_dims=2, min_side=0), elements=elements)).astype(
        dtype
    )
    invert = data.draw(st.booleans())
    same(da.isin(da.asarray(a), da.asarray(b), invert=invert), np.asarray(np.isin(a, b, invert=invert)))


def test_isin_with_scalars_nan_and_mixed_signs() -> None:
    x = da.asarray(np.array([1.0, np.nan, -0.0]))
    same(da.isin(x, 0), np.array([False, False, True]))
    same(da.isin(2, da.asarray(np.array([1, 2]))), np.array(True))
    same(da.isin(x, x), np.array([True, False, True]))
    signed, unsigned = np.array([-1, 2**62 + 1]), np.array([2**64 - 1, 2**62 + 1, 5], np.uint64)
    same(da.isin(da.asarray(signed), da.asarray(unsigned)), np.array([False, True]))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64"])
def test_isin_of_signed_and_unsigned_integers_compares_values(dtype: str) -> None:
    ends = np.iinfo(dtype)
    signed = np.array([ends.min, -5, -1, 0, 1, 5, ends.max], dtype)
    unsigned = np.array([0, 5, ends.max, 2**63, 2**64 - 1, 2**64 - 5], np.uint64)
    values = [int(x) for x in unsigned]
    same(da.isin(da.asarray(signed), da.asarray(unsigned)), np.array([int(x) in values for x in signed]))
    values = [int(x) for x in signed]
    same(da.isin(da.asarray(unsigned), da.asarray(signed)), np.array([int(x) in values for x in unsigned]))


def test_sets_of_many_complex_numbers_compare_no_pairs() -> None:
    x = np.arange(100_000) * (1 - 2j)
    part = da.asarray(x[::2])
    same(da.isin(da.asarray(x), part), np.arange(100_000) % 2 == 0)
    same(da.setdiff1d(da.asarray(x), part), x[1::2])
    parts = (0.0, -0.0, 1.0, np.nan, np.inf)
    odd = np.array([complex(re, im) for re in parts for im in parts], np.complex64)
    same(da.isin(da.asarray(odd), da.asarray(odd[::2])), np.isin(odd, odd[::2]))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
@pytest.mark.heavy
def test_unique_of_close_integers(dtype: str) -> None:
    ends = np.iinfo(dtype)
    rng = np.random.default_rng(12)
    for least, most in ((0, 100), (ends.min, ends.min + 120), (ends.max - 50, ends.max), (ends.min, ends.max)):
        a = rng.integers(least, most, (200, 100), dtype, endpoint=True)
        x = da.asarray(a)
        same(da.unique(x), np.unique(a))
        same(da.unique_values(x[:, ::-1]), np.unique(a))
        for flags in ("counts", "inverse", "inverse counts", "index", "index inverse counts"):
            asked = {f"return_{flag}": True for flag in flags.split()}
            for ours, wanted in zip(da.unique(x, **asked), np.unique(a, **asked), strict=True):
                same(ours, wanted)
        same(da.unique_inverse(x).inverse_indices, np.unique_inverse(a).inverse_indices)
        same(da.unique_counts(x).counts, np.unique_counts(a).counts)


def test_sets_of_close_integers() -> None:
    rng = np.random.default_rng(13)
    a, b = rng.integers(-500, 100, MANY), rng.integers(0, 900, MANY)
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        same(getattr(da, name)(da.asarray(a), da.asarray(b)), getattr(np, name)(a, b))


def test_sets_with_nan_and_of_two_dtypes() -> None:
    skip_without("float64")
    a = np.array([[3.0, np.nan, 1, -0.0], [np.nan, 0, 3, 7]])
    for name in ("union1d", "intersect1d", "setdiff1d", "setxor1d"):
        for b in (np.array([3, 1, 8], "i4"), np.array([np.nan, 7.5]), np.empty(0)):
            check(lambda xp, a, b, n=name: abs(getattr(xp, n)(a, b)), a, b)
            check(lambda xp, a, b, n=name: abs(getattr(xp, n)(b, a)), a, b)
    check(lambda xp, a: xp.intersect1d(a, [5, 3, 1], return_indices=True), np.array([1, 1, 3, 9]))


@pytest.mark.parametrize("number", [1, 2.5])
def test_a_number_joined_takes_the_arrays_dtype(number: float) -> None:
    for dtype in ("uint8", "int16", "float32"):
        check(lambda xp, a: xp.union1d(a, number), np.array([3, 1], dtype))


def test_tables_are_of_integers() -> None:
    with pytest.raises(ValueError, match="'table' method is only supported for boolean or integer"):
        da.isin(da.ones(2, da.float32), da.ones(2, da.float32), kind="table")
    assert da.isin(da.asarray([1, 2]), da.asarray([2]), kind="table").tolist() == [False, True]


@pytest.mark.parametrize("few", ["int8", "uint16", "int64", "uint64"])
@pytest.mark.parametrize("many", ["int8", "uint8", "int32", "uint64"])
@pytest.mark.parametrize("host_elements", [0, 1 << 18])
def test_membership_in_a_row_of_near_integers(
    many: str, few: str, host_elements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(da.config, "background", True)  # what users have: the host may make a table
    monkeypatch.setattr(da.config, "host_elements", host_elements)
    rng = np.random.default_rng(0)
    for low, high in ((-5, 90), (-128, 127), (0, 255), (2**40, 2**40 + 50), (2**63 - 5, 2**63 - 1)):
        a = rng.integers(-300, 300, 3000).astype(many)
        b = rng.integers(low, high, 60).astype(few)
        a[:30] = b[:30].astype(many)
        held = set(b.tolist())
        wanted = np.array([number in held for number in a.tolist()])
        same(da.isin(da.asarray(a), da.asarray(b)), wanted)
        same(da.isin(da.asarray(a).reshape(30, 100), da.asarray(b), invert=True), ~wanted.reshape(30, 100))
    da.compiler.wait_for_kernels()


@pytest.mark.parametrize("few", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("many", ["int64", "uint64"])
@pytest.mark.parametrize("host_elements", [0, 1 << 18])
def test_integers_that_round_to_one_number_are_in_a_set_that_has_it(
    many: str, few: str, host_elements: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """NumPy takes some of them for members of any set, since they equal each other."""
    monkeypatch.setattr(da.config, "host_elements", host_elements)
    a = np.arange(2**63 - 40, 2**63, dtype=np.uint64).astype(many)
    b = np.array([*range(50), 2**62], few)
    dtype = np.promote_types(many, few)
    same(da.isin(da.asarray(a), da.asarray(b)), np.zeros(40, bool))
    same(da.setdiff1d(da.asarray(a), da.asarray(b)), a)
    b[3] = 2.0**63
    wanted = a.astype(dtype) == b[3].astype(dtype)
    assert wanted.any()
    same(da.isin(da.asarray(a), da.asarray(b)), wanted)


def test_results_have_numpys_names() -> None:
    x = [3, 1, 3]
    for name in ("unique_all", "unique_counts", "unique_inverse"):
        ours, theirs = getattr(da, name)(da.asarray(x)), getattr(np, name)(x)
        assert type(ours).__name__ == type(theirs).__name__
        assert ours._fields == theirs._fields


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [
        (0, 1 << 20, "int64"),
        (0, 1 << 40, "int64"),
        (-(1 << 40), -5, "int64"),
        (-(1 << 33), 1 << 33, "int64"),
        (1 << 63, (1 << 63) + (1 << 50), "uint64"),
        (-(1 << 30), 1 << 30, "int32"),
        (-9000, 9000, "int16"),
    ],
)
def test_unique_of_integers_anywhere(low: int, high: int, dtype: str) -> None:
    """GPUs sort by the bytes in which integers differ."""
    skip_without(dtype)
    a = np.random.default_rng(1).integers(low, high, 20_000, dtype=dtype)
    a[::3] = a[1]
    x = da.asarray(a)
    same(da.unique_values(x), np.unique(a))
    for ours, wanted in zip(da.unique(x, True, True, True), np.unique(a, True, True, True), strict=True):
        same(ours, wanted)
    for ours, wanted in zip(da.unique_counts(x), np.unique_counts(a), strict=True):
        same(ours, wanted)
