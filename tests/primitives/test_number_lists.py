"""Lists of numbers to arrays, and arrays to lists: NumPy's values, dtypes and refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import DTYPES, same, skip_without, values

import devarray as da

LISTS: list[Any] = [
    [1.0, 2.0, 3.0],
    (1, 2),
    [True, False],
    [True, 2],
    [False, 2.5],
    [1, 2j],
    [[1, 2], [3, 4]],
    [(1, 2), [3, 4.5]],
    [[[1], [2]]],
    [],
    [[], []],
    [2**62, -(2**63)],
    [2**63],
    [1, -(2**53) - 1, 0.5],
    [float("nan"), float("inf"), -0.0, 5e-324],
    [np.float64(2), 1],
    [np.int8(3)],
    [range(3), range(3)],
    [[1.0] * 40] * 50,
    3.5,
]


@pytest.mark.parametrize("function", ["array", "asarray"])
@pytest.mark.parametrize("dtype", [None, float, np.float32, "int64", np.int32, complex, np.bool_])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_lists_become_what_numpy_makes_of_them(device: da.Device, function: str, dtype: Any) -> None:
    if not device.fp64:
        pytest.skip("floats are float32 there")
    for numbers in LISTS:
        try:
            wanted = getattr(np, function)(numbers, dtype=dtype)
        except (TypeError, ValueError, OverflowError) as error:
            with pytest.raises(type(error)):
                getattr(da, function)(numbers, dtype=dtype)
            continue
        if wanted.dtype in (np.dtype(name) for name in DTYPES):
            found = getattr(da, function)(numbers, dtype)
            same(found, wanted)
            assert repr(found.tolist()) == repr(wanted.tolist())


@pytest.mark.parametrize("ragged", [[1, [2]], [[1], 2], [[1, 2], [3]], [[[1]], [[2, 3]]], [[1, 2], (3, [4])]])
def test_uneven_rows_are_refused(ragged: list[Any]) -> None:
    with pytest.raises(ValueError, match="inhomogeneous"):
        da.array(ragged)


def test_a_list_inside_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(ValueError, match=r"nested|maximum"):
        da.array(endless)


@pytest.mark.parametrize("dtype", DTYPES)
def test_tolist_gives_numpys_numbers(dtype: str) -> None:
    skip_without(dtype)
    host = values(dtype, (4, 6))
    x = da.asarray(host)
    for key in (..., (slice(None, None, 2), slice(None, None, -1)), 0, (0, 1), slice(0, 0)):
        assert repr(x[key].tolist()) == repr(host[key].tolist())
    assert repr(x.T.tolist()) == repr(host.T.tolist())
    assert repr(da.tile(x, (40, 40)).tolist()) == repr(np.tile(host, (40, 40)).tolist())


def test_tolist_of_what_is_pending() -> None:
    x = da.arange(5)
    assert (x * 2 + 1).tolist() == [1, 3, 5, 7, 9]


def test_an_array_stays_and_a_copy_is_apart() -> None:
    x = da.asarray([1.0, 2.0])
    assert da.asarray(x) is x
    y = da.array(x)
    y[0] = 5
    assert x.tolist() == [1, 2]
    z = da.asarray(x[0])
    z[...] = 7
    assert x.tolist() == [1, 2]


def test_a_copy_from_the_host_waits_for_readers_and_reaches_views() -> None:
    x = da.zeros(4)
    view, read = x[1:], x + 1
    x.copy_to_device(np.arange(4.0))
    assert view.tolist() == [1, 2, 3]
    assert read.tolist() == [1] * 4
    pending = x * 2
    pending.copy_to_device([4, 3, 2, 1])
    assert pending.tolist() == [4, 3, 2, 1]
    fixed = da.zeros(4)
    fixed.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        fixed.copy_to_device(np.arange(4.0))
