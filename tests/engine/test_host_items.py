"""x[key] and x[key] = value of few elements on the host: lists, index arrays and masks as keys, values of any kind."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

ROW = np.array([True, False, True, False, False, True])
KEYS: dict[str, Any] = {
    "mask": (2, ROW),
    "mask in a list": (2, ROW.tolist()),
    "mask behind an ellipsis": (..., ROW),
    "mask of rows": (np.array([False, True, True, False, True]), 3),
    "mask behind a slice": (slice(1, 4), ROW),
    "mask of both axes": np.arange(30).reshape(5, 6) % 4 == 1,
    "mask and index": (np.array([False, True, False, True, False]), [4, 0]),
    "index": (np.array([3, -1, 0]),),
    "list": ([3, -1, 0], 2),
    "places": (np.array([0, 4, 2]), np.array([5, 0, 1])),
    "outer": np.ix_([0, 3], [1, 2, 5]),
    "new axis": (None, [0, 2], slice(None, None, -2)),
    "of no element": (1, np.zeros(6, bool)),
}
VALUES: dict[str, Any] = {
    "int": 3,
    "float": 2.5,
    "bool": True,
    "scalar": np.float32(1.25),
    "int8": np.int8(-3),
    "list": [2],
    "a row of the host": np.array([7], "uint8"),
    "numbers of float32": np.array([1.5], "float32"),
    "numbers of int64": np.array([-9]),
}
DTYPES = ["bool", "uint8", "int32", "int64", "float32", "float64", "complex64"]


@pytest.fixture(params=["host", "kernels"])
def work(request: pytest.FixtureRequest) -> Iterator[str]:
    before = da.config.host_elements
    da.config.host_elements = 262144 if request.param == "host" else 0
    da.synchronize()
    yield request.param
    da.config.host_elements = before


def moved(key: Any) -> Any:
    """The key with its arrays on the device."""
    if isinstance(key, np.ndarray):
        return da.asarray(key)
    return tuple(da.asarray(part) if isinstance(part, np.ndarray) else part for part in key)


def given(dtype: str, turned: bool) -> np.ndarray:
    host = (np.arange(30) % 11 if dtype != "bool" else np.arange(30) % 3).astype(dtype)
    return host.reshape(6, 5).T if turned else host.reshape(5, 6)


def outcome(x: Any, key: Any, value: Any) -> Any:
    try:
        with np.errstate(all="ignore"):
            x[key] = value
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        return next(kind for kind in (IndexError, OverflowError, ValueError, TypeError) if isinstance(error, kind))
    return None


@pytest.mark.parametrize("turned", [False, True], ids=["rows", "columns"])
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", KEYS)
def test_numpys_elements_are_read_and_written(name: str, dtype: str, turned: bool, work: str) -> None:
    key, host = KEYS[name], given(dtype, turned)
    for ours in (key, moved(key)):
        np.testing.assert_array_equal(da.asarray(host)[ours].copy_to_host(), host[key], strict=True)
        for value in VALUES.values():
            x, wanted = da.asarray(host), host.copy("K")
            assert outcome(x, ours, value) is outcome(wanted, key, value), value
            np.testing.assert_array_equal(x.copy_to_host(), wanted, strict=True)
        for other in DTYPES:
            if np.can_cast(other, dtype, "same_kind"):
                x, wanted, rows = da.asarray(host), host.copy("K"), given(other, not turned)
                x[ours], wanted[key] = da.asarray(rows)[ours], rows[key]
                np.testing.assert_array_equal(x.copy_to_host(), wanted, strict=True)


def test_values_and_keys_that_overlap_the_array(work: str) -> None:
    host = np.arange(12)
    x, y = da.asarray(host), host.copy()
    for z in (x, y):
        z[[0, 1, 2]] = z[1:4]
        z[z[:3] % 12] = z[::-4]
        z[z > 4] = z[z > 4][::-1]
        z[::-1][[0, 3]] = z[[3, 0]]
        z[[5, 5, 6]] = [1, 2, 3]
    np.testing.assert_array_equal(x.copy_to_host(), y)


def test_what_is_wrong_is_said_as_ever(work: str) -> None:
    x = da.asarray(np.arange(6, dtype="uint8"))
    with pytest.raises(IndexError, match="out of bounds"):
        x[[0, 6]].copy_to_host()
    with pytest.raises(IndexError, match=r"mask|boolean"):
        x[np.ones(5, bool)]
    with pytest.raises(OverflowError):
        x[[0, 1]] = 300
    with pytest.raises(ValueError, match="could not be broadcast"):
        x[[0, 1]] = np.arange(3, dtype="uint8")
    np.testing.assert_array_equal(x.copy_to_host(), np.arange(6, dtype="uint8"))


def test_views_and_readers_of_the_array(work: str) -> None:
    x = da.arange(8.0)
    view, later, whole = x[2:], x + 1, x.copy()
    x[[2, 3]] = 7
    x[np.arange(8) > 5] = np.float32(0.5)
    np.testing.assert_array_equal(view.copy_to_host(), [7, 7, 4, 5, 0.5, 0.5])
    np.testing.assert_array_equal(later.copy_to_host(), np.arange(8.0) + 1)
    np.testing.assert_array_equal(whole.copy_to_host(), np.arange(8.0))
