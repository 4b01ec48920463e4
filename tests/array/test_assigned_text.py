"""Values of dtypes that no device holds, assigned to arrays of numbers: text of a file, objects, long doubles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import devarray as da

KEYS: list[Any] = [slice(None), ..., [2, 0, 1], np.ones(3, bool), (slice(None), 1)]
VALUES: list[Any] = [
    ["1", "2.5", "-3e2"],
    np.array(["1", "2.5", "3"]),
    np.array([b"1", b"2", b"3"]),
    np.array([1, None, 2.5], object),
    np.array([1, 2, 3], np.longdouble),
    "4",
    np.longdouble(2),
    [1, "2", 3.5],
]


@pytest.mark.parametrize("value", VALUES, ids=range(len(VALUES)))
@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_numpy_makes_numbers_of_them(key: Any, value: Any) -> None:
    theirs, ours = np.zeros((3, 3), np.float32), da.zeros((3, 3), dtype=da.float32)
    theirs[key], ours[key] = value, value
    assert np.array_equal(ours.copy_to_host(), theirs, equal_nan=True)


@pytest.mark.parametrize("value", VALUES[:5], ids=range(5))
def test_in_flat_and_put(value: Any) -> None:
    theirs, ours = np.zeros((2, 3)), da.zeros((2, 3))
    theirs.flat, ours.flat = value, value
    theirs.put([4, 0, 2], value)
    ours.put([4, 0, 2], value)
    assert np.array_equal(ours.copy_to_host(), theirs, equal_nan=True)


@pytest.mark.parametrize("value", ["a", ["1", "two", "3"], np.array([1, "x", 2], object), object()], ids=range(4))
@pytest.mark.parametrize("key", KEYS, ids=range(len(KEYS)))
def test_what_is_no_number_is_numpys_error(key: Any, value: Any) -> None:
    ours = da.ones((3, 3))
    with pytest.raises((ValueError, TypeError)) as theirs:
        np.ones((3, 3))[key] = value
    with pytest.raises(theirs.type):
        ours[key] = value
    assert ours.sum() == 9


def test_a_line_of_a_file() -> None:
    lines = ["1.5, 2, 3", "4, 5e-1, 6"]
    theirs, ours = np.zeros((2, 3)), da.zeros((2, 3))
    for i, line in enumerate(lines):
        theirs[i], ours[i, :] = line.split(","), line.split(",")
    assert np.array_equal(ours.copy_to_host(), theirs)
