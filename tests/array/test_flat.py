"""``x.flat``: elements in C order, of arrays that lie in any order, as NumPy's flatiter."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

LAYOUTS: dict[str, Callable[[Any], Any]] = {
    "C": lambda xp: xp.arange(24).reshape(2, 3, 4).copy(),
    "transposed": lambda xp: xp.arange(24).reshape(2, 3, 4).copy().T,
    "strided": lambda xp: xp.arange(48).reshape(2, 3, 8).copy()[:, ::-1, ::2],
    "an expression": lambda xp: xp.arange(24).reshape(2, 3, 4) * 2,
}
KEYS: list[Any] = [0, -1, slice(None), slice(1, None, 2), (1,), ..., [1, 2], np.asarray([3, 1, 23]), np.arange(24) > 20]


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("key", KEYS, ids=repr)
@pytest.mark.parametrize("value", [7, [1, 2, 3], np.arange(30)], ids=["one", "few", "many"])
def test_read_and_written(layout: str, key: Any, value: Any) -> None:
    theirs, ours = LAYOUTS[layout](np), LAYOUTS[layout](da)
    if not (isinstance(value, int) or np.ndim(theirs.flat[key])):
        value = 5
    same(ours.flat[key], np.asarray(theirs.flat[key]))
    ours.flat[key] = value
    theirs.flat[key] = value
    same(ours, theirs)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("key", [None, (1, 2), 24, -25])
def test_refused(layout: str, key: Any) -> None:
    for xp in (np, da):
        x = LAYOUTS[layout](xp)
        with pytest.raises(IndexError):
            x.flat[key]
        with pytest.raises(IndexError):
            x.flat[key] = 1


@pytest.mark.parametrize("layout", LAYOUTS)
def test_assigned_to(layout: str) -> None:
    for value in (3, [1, 2], np.arange(40)):
        theirs, ours = LAYOUTS[layout](np), LAYOUTS[layout](da)
        theirs.flat = value
        ours.flat = value
        same(ours, theirs)


def test_iterator() -> None:
    theirs, ours = np.arange(6).reshape(2, 3).T, da.arange(6).reshape(2, 3).T
    a, b = ours.flat, theirs.flat
    assert next(a) == next(b)
    assert (a.index, a.coords, len(a)) == (b.index, b.coords, len(b)) and a.base is ours
    assert [int(v) for v in a] == [int(v) for v in b]
    same(a.copy(), b.copy())
    same(ours.flat + 1, np.asarray(theirs.flat) + 1)
    same(da.add(ours.flat, 1), np.add(theirs.flat, 1))
