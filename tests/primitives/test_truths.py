"""What is true of dates, durations, records and texts, as NumPy says."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

TIMES = [
    np.array(["2020-01-01", "NaT", "1970-01-01"], "datetime64[D]"),
    np.array([3, 0, "NaT"], "timedelta64[s]"),
]
RECORDS = np.array([(1, 2.5), (0, 0.0), (0, 1.0)], [("a", "i4"), ("b", "f8")])
WITHOUT_FIELDS_SIDE_BY_SIDE = np.zeros(2, np.dtype([("a", "i1"), ("b", "f8")]))
WITHOUT_FIELDS_SIDE_BY_SIDE["b"][1] = 2


def same(made: Any, wanted: Any) -> None:
    wanted = np.asarray(wanted)
    assert (made.dtype, made.shape) == (wanted.dtype, wanted.shape)
    assert made.copy_to_host().tolist() == wanted.tolist()


@pytest.mark.parametrize("times", TIMES, ids=["dates", "durations"])
@pytest.mark.parametrize("name", ["logical_and", "logical_or", "logical_xor"])
def test_logic_of_times(name: str, times: np.ndarray) -> None:
    ours, theirs, x = getattr(da, name), getattr(np, name), da.asarray(times)
    same(ours(x, x[::-1]), theirs(times, times[::-1]))
    same(ours(x, True), theirs(times, True))
    same(ours(np.array([1, 0, 2]), x), theirs(np.array([1, 0, 2]), times))
    same(ours(x[:, None], da.asarray([0.0, 1.5])), theirs(times[:, None], np.array([0.0, 1.5])))
    out = da.zeros(3, dtype=bool)
    assert ours(x, False, out=out) is out
    same(out, theirs(times, False))


MASKS: dict[str, Callable[[Any, Any], Any]] = {
    "where of numbers": lambda np, x: np.where(x, 1, 2.5),
    "where of times": lambda np, x: np.where(x, x, x[::-1]),
    "places": lambda np, x: np.where(x)[0],
    "compress": lambda np, x: np.compress(x, np.arange(3)),
    "extract": lambda np, x: np.extract(x, np.arange(3)),
}


@pytest.mark.parametrize("times", TIMES, ids=["dates", "durations"])
@pytest.mark.parametrize("name", MASKS)
def test_times_as_masks(name: str, times: np.ndarray) -> None:
    same(MASKS[name](da, da.asarray(times)), MASKS[name](np, times))


@pytest.mark.parametrize(
    "host", [RECORDS, np.array(["a", ""]), np.array([b"", b"b"]), WITHOUT_FIELDS_SIDE_BY_SIDE["b"]], ids=str
)
def test_truth_of_an_element(host: np.ndarray) -> None:
    x = da.asarray(host)
    for i in range(len(host)):
        assert bool(x[i]) is bool(host[i])
        assert bool(x[i : i + 1]) is bool(host[i : i + 1])
    for part in (x, x[:0]):
        with pytest.raises(ValueError, match="is ambiguous"):
            bool(part)


def test_records_have_the_attributes_of_arrays() -> None:
    x = da.array(RECORDS)
    assert x.real is x
    assert x.base is None
    assert x[1:].base is not None
    same(x.nonzero()[0], RECORDS.nonzero()[0])
    same(np.where(x)[0], np.where(RECORDS)[0])
    np.testing.assert_array_equal(pickle.loads(x.dumps()).copy_to_host(), RECORDS)
    x.put([0], RECORDS[2])
    assert x[0].item() == RECORDS[2].item()
