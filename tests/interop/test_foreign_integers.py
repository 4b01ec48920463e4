"""Indices that are integers of other libraries: arrays without axes that have `__index__` and a dtype of their own."""

from __future__ import annotations

import operator
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import devarray as da


class Integer:
    """As array_api_strict's and PyTorch's arrays without axes."""

    shape, ndim, dtype = (), 0, "int64 of another library"

    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number

    def __getitem__(self, key: Any) -> Integer:
        return self

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.number, dtype)


KEYS = [
    Integer(1),
    (0, Integer(-1)),
    (Integer(1), slice(None)),
    (..., Integer(2)),
    (0, ..., Integer(2)),
    (Integer(0), None, Integer(3), ...),
    (Integer(1), [0, 2]),
]


def host(x: Any) -> Any:
    return x.copy_to_host() if isinstance(x, da.Array) else np.array(x)


@pytest.mark.parametrize("key", KEYS)
def test_they_are_read_and_written_as_numbers(key: Any) -> None:
    def body(xp: ModuleType) -> tuple[Any, Any, Any]:
        x = xp.asarray(np.arange(12.0).reshape(3, 4))
        read = host(x[key])
        x[key] = -1.0
        return read, np.shape(read), host(x)

    for ours, wanted in zip(body(da), body(np), strict=True):
        np.testing.assert_array_equal(ours, wanted)


def test_what_they_pick_shares_memory() -> None:
    x = da.zeros((3, 4))
    x[Integer(1)][...] = 5.0
    np.testing.assert_array_equal(x.copy_to_host()[1], np.full(4, 5.0))


def test_outside_they_are_an_index_error() -> None:
    with pytest.raises(IndexError, match="out of bounds"):
        da.zeros((3, 4))[Integer(3)]


class Number:
    """As array_api_strict's arrays without axes: a class that is iterable, and a dtype that is not NumPy's."""

    shape, ndim = (), 0

    def __init__(self, number: float) -> None:
        self.number = number
        self.dtype = object()

    def __index__(self) -> int:
        return operator.index(self.number)

    def __iter__(self) -> Any:
        raise TypeError("iteration over a 0-d array")

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.number, dtype)


@pytest.mark.parametrize(
    "body",
    [
        lambda xp, x: xp.full(3, Number(0.5)),
        lambda xp, x: xp.full((2, 2), Number(3)),
        lambda xp, x: xp.linspace(0, Number(2), 3),
        lambda xp, x: xp.logspace(0, Number(2), 3),
        lambda xp, x: xp.histogram(x, bins=Number(2))[0],
        lambda xp, x: xp.array_split(x, Number(2))[0],
    ],
)
def test_they_are_numbers_of_functions(body: Any) -> None:
    x = np.arange(12.0).reshape(3, 4)
    ours, wanted = body(da, da.asarray(x)), body(np, x)
    assert ours.dtype == wanted.dtype
    np.testing.assert_allclose(host(ours), wanted)


class Row:
    """As array_api_strict's arrays of one axis."""

    ndim, shape = 1, (2,)

    def __index__(self) -> int:
        raise TypeError("only integer scalar arrays can be converted to a scalar index")

    def __len__(self) -> int:
        return 2

    def __getitem__(self, i: int) -> Integer:
        return [Integer(2), Integer(3)][i]


@pytest.mark.parametrize("maker", ["ones", "zeros", "empty"])
def test_they_are_shapes(maker: str) -> None:
    assert getattr(da, maker)(Row()).shape == (2, 3) == getattr(da, maker)(Integer(6)).reshape(Row()).shape
