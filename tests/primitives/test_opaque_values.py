"""Values of bfloat16 and records in functions that store, pick and repeat them, as NumPy's give them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import devarray as da

HALVES = np.arange(6).astype(ml_dtypes.bfloat16)
RECORDS = np.array([(1, 2.0), (3, 4.0)], dtype=[("a", "i4"), ("b", "f4")])


def stored(x: Any, store: Callable[[Any], None]) -> Any:
    store(x)
    return x


CASES: dict[str, tuple[np.ndarray, Callable[[Any], Any]]] = {
    "insert": (HALVES, lambda x: np.insert(x, 1, x[:2])),
    "resize": (HALVES, lambda x: np.resize(x, 10)),
    "put": (HALVES, lambda x: stored(x.copy(), lambda y: np.put(y, [0, 1], x[3:5]))),
    "set by an index array": (HALVES, lambda x: stored(x.copy(), lambda y: y.__setitem__(np.array([0, 4]), x[1:3]))),
    "put into float32": (HALVES, lambda x: stored(x.astype("f4"), lambda y: np.put(y, [0, 1], x[3:5]))),
    "choose records": (RECORDS, lambda x: np.choose(np.array([0, 1]), [x, x[::-1]])),
    "resize records": (RECORDS, lambda x: np.resize(x, (3, 2))),
    "repeat one record": (RECORDS[:1].reshape(()), lambda x: np.repeat(x, 3, axis=0)),
    "take of one record": (RECORDS[:1].reshape(()), lambda x: np.take(x, [0, 0], axis=-1)),
}


@pytest.mark.parametrize(("host", "program"), CASES.values(), ids=CASES)
def test_as_numpys(device: da.Device, host: np.ndarray, program: Callable[[Any], Any]) -> None:
    ours, wanted = program(da.asarray(host)).copy_to_host(), program(host)
    assert (ours.shape, ours.dtype) == (wanted.shape, wanted.dtype)
    assert ours.tolist() == wanted.tolist()


def test_records_are_no_numbers(device: da.Device) -> None:
    x = da.zeros(4, da.float32)
    with pytest.raises((TypeError, AttributeError), match="no number"):
        da.put(x, [0, 1], da.asarray(RECORDS))
