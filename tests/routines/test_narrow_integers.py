"""NumPy's integers of few bits as sizes, places and counts: what they are computed with may be more than they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import close, moderate, same

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

Body = Callable[[Any, Any, Callable[[int], Any]], Any]

BODIES: dict[str, Body] = {
    "eye": lambda xp, x, n: xp.eye(n(100), n(120), n(3), dtype=xp.float32),
    "eye below": lambda xp, x, n: xp.eye(n(100), n(120), np.int8(-3), dtype=xp.float32),
    "var": lambda xp, x, n: xp.var(x, ddof=n(100)),
    "std": lambda xp, x, n: x.std(ddof=n(100)),
    "nanvar": lambda xp, x, n: xp.nanvar(x, ddof=n(100)),
    "correction": lambda xp, x, n: xp.var(x, correction=n(100)),
    "bincount": lambda xp, x, n: xp.bincount(xp.arange(100, dtype=xp.int32), minlength=n(101)),
    "take, wrapped": lambda xp, x, n: xp.take(x, [n(100), n(120)], mode="wrap"),
    "take, clipped": lambda xp, x, n: xp.take(x, [n(100), n(120)], mode="clip"),
    "take of an array": lambda xp, x, n: xp.take(x, xp.asarray([n(100), n(120)]), mode="wrap"),
    "put": lambda xp, x, n: xp.put(x, xp.asarray([n(100), n(120)]), 5, mode="wrap"),
}


@pytest.mark.parametrize("kind", [np.int8, np.uint8, np.int64])
@pytest.mark.parametrize("body", BODIES.values(), ids=list(BODIES))
def test_few_bits_hold_no_results(body: Body, kind: type[np.integer]) -> None:
    x = moderate("float32", 320)
    given = [x.copy(), da.asarray(x)]
    wanted, found = (body(xp, given[xp is da], kind) for xp in (np, da))
    if wanted is not None:
        close(found, wanted, ulp=16)
    same(given[1], given[0])


@pytest.mark.parametrize("kind", [np.int8, np.uint8])
def test_few_bits_hold_no_size_of_resize(kind: type[np.integer]) -> None:
    """NumPy's own product of the sizes wraps around, or is refused."""
    same(da.resize(da.arange(320), (kind(100), kind(100))), np.resize(np.arange(320), (100, 100)))
