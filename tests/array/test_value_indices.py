"""Integers that were read of an array, and results without axes, as indices: views, as with NumPy's scalars."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

KEYS: dict[str, Callable[[Any], Any]] = {
    "a row": lambda v: v,
    "a column": lambda v: (slice(None), v),
    "behind an ellipsis": lambda v: (..., v),
    "reversed": lambda v: (v, slice(None, None, -1)),
    "beside an int": lambda v: (1, v),
    "a new axis": lambda v: (None, v),
    "two": lambda v: (v, v),
}


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("key", KEYS)
def test_views_are_numpys(key: str, dtype: str) -> None:
    host = np.arange(24.0).reshape(2, 3, 4)
    ours, number = da.asarray(host.copy()), np.array([1, 0], dtype)
    for value in (da.asarray(number)[0], da.asarray(number).max(), *da.asarray(number[:1])):
        index, wanted = KEYS[key](value), KEYS[key](number[0])
        view, theirs = ours[index], host[wanted]
        assert da.shares_memory(view, ours)
        np.testing.assert_array_equal(view.copy_to_host(), theirs)
        view += 1
        theirs += 1
        ours[index][...] *= 2
        host[wanted][...] *= 2
        ours[index] -= 3
        host[wanted] -= 3
        np.testing.assert_array_equal(ours.copy_to_host(), host)


def test_programs_that_write_through_them() -> None:
    def confusion(xp: Any) -> Any:
        table = xp.zeros((3, 3), dtype=int)
        for a, b in zip(xp.asarray([0, 1, 2, 1]), xp.asarray([0, 2, 2, 1]), strict=True):
            table[a][b] += 1
        return table

    def greatest(xp: Any) -> Any:
        x = xp.zeros((2, 3))
        row = x[xp.argmax(xp.asarray([1, 5]))]
        row[:] = 7
        x[xp.asarray([0]).min()].fill(9)
        return x

    for program in (confusion, greatest):
        np.testing.assert_array_equal(program(da).copy_to_host(), program(np))


def test_what_is_a_copy_or_an_element_still() -> None:
    x = da.asarray(np.arange(6.0).reshape(2, 3))
    assert not da.shares_memory(x[da.asarray(1)], x)  # an array without axes is an index array, as in NumPy
    assert not da.shares_memory(x[da.asarray([1])], x)
    value = da.asarray([1])[0]
    assert x[value, value].item() == 4
    assert x[0][value].item() == 1
    assert x[da.asarray([True])[0]].shape == (1, 2, 3)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 2"):
        x[da.asarray([7])[0]]
    with pytest.raises(IndexError, match="index -4 is out of bounds for axis 1 with size 3"):
        x[:, da.asarray([-4])[0]]


def test_an_element_does_not_wait() -> None:
    x, places = da.asarray(np.arange(600_000.0)), da.asarray([5, 7])
    before = da.stats()["waits"]
    found = x[places.max()]
    x[places.min()] = 3.0
    if da.device().strategy == "gpu":
        assert da.stats()["waits"] == before
    assert found.item() == 7
    assert x[5].item() == 3
