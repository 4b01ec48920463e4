"""Numbers stored into arrays: which have to fit, which are cast, and what warns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

VALUES = [
    *(np.uint8(200), np.int16(300), np.int16(-1), np.int64(-1), np.uint64(2**63), np.float64(200), np.float64(-1.5)),
    *(np.float64(300), np.float16(200), np.bool_(True), 200, 300, -1, 200.0, 300.5, -1.0, float("inf"), float("nan")),
    *(np.float64("inf"), np.float32("nan")),
]
STORES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "element": lambda np, x, v: x.__setitem__(0, v),
    "slice": lambda np, x, v: x.__setitem__(slice(0, 2), v),
    "all": lambda np, x, v: x.__setitem__(..., v),
    "fill": lambda np, x, v: x.fill(v),
    "of a list": lambda np, x, v: x.__setitem__([0, 2], v),
    "array without axes": lambda np, x, v: x.__setitem__(0, np.asarray(v)),
}


def stored(np_: Any, store: str, dtype: str, value: Any) -> Any:
    """What is stored, or the class of the error."""
    x = np_.zeros(3, dtype=dtype)
    try:
        STORES[store](np_, x, value)
    except (OverflowError, ValueError, TypeError) as error:
        return next(c.__name__ for c in type(error).__mro__ if c.__module__ == "builtins")
    return np.asarray(x.copy_to_host() if isinstance(x, da.Array) else x).tolist()


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint32", "int64", "uint64", "bool"])
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_scalars_fit_or_are_cast_as_numpys(store: str, dtype: str) -> None:
    for value in VALUES:
        undefined = isinstance(value, float | np.floating) and not np.isfinite(value)
        wanted = stored(np, store, dtype, value)
        if undefined and isinstance(wanted, list) and dtype != "bool":
            continue  # a cast that C leaves open
        assert stored(da, store, dtype, value) == wanted, repr(value)


@pytest.mark.parametrize("dtype", ["float32", "int16"])
def test_imaginary_parts_that_go_are_told(dtype: str) -> None:
    host = np.array([1 + 2j, 3 - 1j])
    for np_, z in ((np, host), (da, da.asarray(host))):
        x = np_.zeros((3, 2), dtype=dtype)
        with pytest.warns(np.exceptions.ComplexWarning) as seen:
            x[1] = z
        assert seen[0].filename == __file__
        assert np.asarray(x.copy_to_host() if np_ is da else x)[1].tolist() == [1, 3]


def test_complex_numbers_are_true_without_a_word() -> None:
    x = da.zeros(2, dtype="bool")
    x[:] = da.asarray([0j, 2j])
    assert x.tolist() == [False, True]
