"""Functions of dtypes against NumPy's."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated"),
]


@pytest.mark.parametrize(
    ("a", "b"),
    [("M8[s]", "M8[D]"), ("i8", "m8[s]"), ("U3", "i4"), ("i4,i4", "i4,f8"), ("V3", "V3"), ("g", "f4"), ("u8", "i8")],
)
def test_dtypes_that_devices_lack_are_promoted_as_numpys(a: str, b: str) -> None:
    assert da.promote_types(a, b) == np.promote_types(a, b)
    told = np.dtype("i4", metadata={1: 1})  # type: ignore[call-overload]
    assert da.promote_types(told, told).metadata == {1: 1}


def test_dtypes() -> None:
    f, k = np.ones(2, "f4"), np.ones((), "i2") * 300
    assert da.common_type(da.asarray(f)) is np.common_type(f)
    assert da.common_type(da.asarray(f), da.asarray(k)) is np.common_type(f, k)
    with pytest.raises(TypeError, match="common_type"):
        da.common_type(da.asarray([True]))
    assert da.min_scalar_type(da.asarray(f)) == np.min_scalar_type(f)
    assert da.min_scalar_type(da.asarray(k)) == np.min_scalar_type(k)
    assert da.min_scalar_type(-1) == np.min_scalar_type(-1)
    for dtype in ("i4,f4", "M8[s]"):
        for host in (np.zeros(2, dtype), np.zeros((), dtype)):
            assert da.min_scalar_type(da.asarray(host)) == np.min_scalar_type(host)
    assert da.issubdtype(da.int8, np.integer) and not da.issubdtype(da.int8, np.floating)
    x = da.ones((2, 3))
    assert da.einsum_path("ij,kj", x, x, optimize=False) == np.einsum_path(
        "ij,kj", *[np.ones((2, 3))] * 2, optimize=False
    )


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex64"])
def test_figures_are_floats_that_print_as_numpys(dtype: str) -> None:
    ours, theirs = da.finfo(dtype), np.finfo(dtype)
    for name in ("eps", "max", "min", "smallest_normal"):
        found = getattr(ours, name)
        assert isinstance(found, float)
        assert (float(found), str(found)) == (float(getattr(theirs, name)), str(getattr(theirs, name)))
    assert (da.ones(2, dtype) * ours.eps).dtype == dtype


@pytest.mark.parametrize(
    "name, dtype", [("finfo", "int32"), ("finfo", "bool"), ("iinfo", "float32"), ("iinfo", "bool")]
)
def test_figures_of_other_dtypes_are_value_errors(name: str, dtype: str) -> None:
    for xp in (np, da):
        with pytest.raises(ValueError):
            getattr(xp, name)(dtype)


@pytest.mark.parametrize("number", [1.0, 1j, 1, True, np.float32(2), np.int8(3)], ids=repr)
@pytest.mark.parametrize("name", ["finfo", "iinfo"])
def test_figures_of_a_numbers_dtype(name: str, number: Any) -> None:
    try:
        expected = getattr(np, name)(number)
    except ValueError:
        with pytest.raises(ValueError, match="about"):
            getattr(da, name)(number)
    else:
        found = getattr(da, name)(number)
        assert (found.bits, found.max, found.dtype) == (expected.bits, expected.max, expected.dtype)


def _dtype_of_clip(xp: Any, arrays: Any) -> Any:
    try:
        return xp.clip(*arrays).dtype
    except TypeError:
        return TypeError


def test_the_dtype_of_three_operands_is_numpys() -> None:
    dtypes = "?bBhHiIlLefFD" if da.device().caps["fp64"] else "?bBhHiIlLef"
    for names in itertools.product(dtypes, repeat=3):
        arrays = [np.ones(2, name) for name in names]
        assert _dtype_of_clip(da, [da.asarray(x) for x in arrays]) == _dtype_of_clip(np, arrays), names
