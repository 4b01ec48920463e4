"""Convolution, correlation and windows against NumPy's."""

from __future__ import annotations

import numpy as np
import pytest
from agreement import check
from oracle import moderate, same, skip_without

import devarray as da

pytestmark = [
    pytest.mark.usefixtures("device"),
    pytest.mark.filterwarnings("ignore::devarray.HiddenTransferWarning", "ignore:numpy.fix is deprecated"),
]


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.heavy
def test_convolution(name: str, mode: str) -> None:
    skip_without("float64")
    short = ((1, 1), (7, 3), (3, 8), (8, 4), (4, 9), (40, 30))
    for dtypes in ("??", "bb", "Hh", "iq", "ee", "ff", "fd", "FF", "dD"):
        for n, m in short + (((3000, 300), (290, 300), (256, 256)) if dtypes in ("bb", "ff", "FF") else ()):
            a, v = moderate(dtypes[0], n, 1), moderate(dtypes[1], m, 2)
            check(lambda xp, a, v: getattr(xp, name)(a[::-1], v, mode), a, v)
    check(lambda xp, a: getattr(xp, name)(a, [1, 2], mode), moderate("int8", 5))


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning", "kaiser"])
def test_windows(name: str) -> None:
    skip_without("float64")
    for m in (0, 1, 2, 7):
        more = (5.0,) if name == "kaiser" else ()
        same(getattr(da, name)(m, *more), getattr(np, name)(m, *more))


def test_rows_of_correlate_have_an_axis() -> None:
    for mode in ("valid", "same", "full"):
        check(lambda xp, a, mode=mode: xp.convolve(a[0, ...], a, mode=mode), np.array([2.0, 1.0]))
        check(lambda xp, a, mode=mode: xp.correlate(a[0, ...], a, mode=mode), np.array([2.0, 1.0]))


@pytest.mark.parametrize("m", [np, da])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_modes_by_number(m, name):
    function, a, v = getattr(m, name), [1.0, 2.0, 3.0, 4.0], [1.0, -1.0]
    for number, mode in enumerate(["valid", "same", "full"]):
        assert function(a, v, number).tolist() == function(a, v, mode).tolist()
    for wrong in (-1, "v", 3):
        with pytest.raises(ValueError):
            function(a, v, wrong)
    with pytest.raises(TypeError):
        function(a, v, None)


@pytest.mark.parametrize("mode", ["full", "same", "valid"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "complex128"])
def test_nothing_is_added_where_a_row_ends(name: str, mode: str, dtype: str) -> None:
    """A NaN or an infinity of the shorter row spoils the sums that have it, and no others."""
    skip_without(dtype)
    for n, m in ((1, 1), (2, 2), (5, 3), (3, 5), (300, 255), (3000, 40)):
        a, v = moderate(dtype, n, 1), moderate(dtype, m, 2)
        v[m // 2] = np.nan
        if m > 2 and dtype != "complex128":  # whose products with infinity are BLAS's
            v[0] = np.inf
        check(lambda xp, a, v: getattr(xp, name)(a, v, mode), a, v)


def test_taps_of_any_number_have_one_kernel() -> None:
    row = da.asarray(moderate("float32", 5000, 1))
    da.convolve(row, da.asarray(moderate("float32", 3, 2))).evaluate()
    before = da.stats()
    for taps in (2, 17, 200):
        da.convolve(row, da.asarray(moderate("float32", taps, 2)), "same").evaluate()
    after = da.stats()
    for kind in ("compilations", "disk_cache_hits"):
        assert after[kind] == before[kind]
    assert after["launches"] - before["launches"] == 3
