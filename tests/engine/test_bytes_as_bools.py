"""Memory of other bytes than 0 and 1 seen as bools: every byte but 0 is true, whatever reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

BYTES = np.array([0, 1, 2, 255, 128, 0, 3, 254], np.uint8)

READERS: dict[str, Callable[[Any, Any], Any]] = {
    "sum": lambda xp, x: x.sum(),
    "sum of rows": lambda xp, x: x.reshape(4, -1).sum(1),
    "sum of columns": lambda xp, x: x.reshape(4, -1).sum(0),
    "prod": lambda xp, x: x.prod(),
    "mean": lambda xp, x: x.mean(),
    "any": lambda xp, x: x.any(),
    "all": lambda xp, x: x.reshape(4, -1).all(0),
    "min": lambda xp, x: x.reshape(4, -1).min(0),
    "max": lambda xp, x: x.max(),
    "argmax": lambda xp, x: x.argmax(),
    "argmin": lambda xp, x: x.reshape(4, -1).argmin(1),
    "count_nonzero": lambda xp, x: xp.count_nonzero(x.reshape(4, -1), axis=0),
    "cumsum": lambda xp, x: xp.cumsum(x),
    "maximum.accumulate": lambda xp, x: xp.maximum.accumulate(x),
    "logical_xor.reduce": lambda xp, x: np.logical_xor.reduce(x),
    "nonzero": lambda xp, x: xp.nonzero(x)[0],
    "nonzero of a matrix": lambda xp, x: xp.nonzero(x.reshape(4, -1))[1],
    "sort": lambda xp, x: xp.sort(x),
    "argsort": lambda xp, x: xp.argsort(x, stable=True),
    "unique": lambda xp, x: xp.unique(x),
    "unique's counts": lambda xp, x: xp.unique(x, return_counts=True)[1],
    "searchsorted, left": lambda xp, x: xp.searchsorted(xp.sort(x), x),
    "searchsorted, right": lambda xp, x: xp.searchsorted(xp.sort(x), x, side="right"),
    "bincount": lambda xp, x: xp.bincount(x),
    "isin": lambda xp, x: xp.isin(x, x[1:2]),
    "median": lambda xp, x: xp.median(x),
    "packbits": lambda xp, x: xp.packbits(x),
    "not": lambda xp, x: ~x,
    "logical_not": lambda xp, x: xp.logical_not(x),
    "and": lambda xp, x: x & x[::-1],
    "or": lambda xp, x: x | x[::-1],
    "xor": lambda xp, x: x ^ x[::-1],
    "equal": lambda xp, x: x == x[::-1],
    "less": lambda xp, x: x < x[::-1],
    "equal to True": lambda xp, x: x == True,  # noqa: E712
    "maximum": lambda xp, x: xp.maximum(x, x[::-1]),
    "plus": lambda xp, x: x + 1,
    "plus itself": lambda xp, x: x + x,
    "times a float": lambda xp, x: x * 2.5,
    "astype int8": lambda xp, x: x.astype("i1"),
    "astype float16": lambda xp, x: x.astype("f2"),
    "astype complex": lambda xp, x: x.astype("c8"),
    "where": lambda xp, x: xp.where(x, 1, 2),
    "where of bools": lambda xp, x: xp.where(x[::-1], x, False),
    "a mask": lambda xp, x: xp.arange(x.size)[x],
    "a mask of rows": lambda xp, x: xp.arange(2 * x.size).reshape(-1, 2)[x],
    "matmul": lambda xp, x: x.reshape(-1, 8) @ x[:8],
    "diff": lambda xp, x: xp.diff(x),
    "add with where=": lambda xp, x: xp.sum(xp.arange(x.size), where=x),
}


def write_out(write: Callable[[Any, Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def call(xp: Any, x: Any) -> Any:
        y = xp.arange(x.size)
        write(xp, y, x)
        return y

    return call


READERS |= {
    "a mask that places one value": write_out(lambda xp, y, x: y.__setitem__(x, -1)),
    "a mask that places values": write_out(lambda xp, y, x: y.__setitem__(x, xp.arange(int(x.sum())))),
    "putmask": write_out(lambda xp, y, x: xp.putmask(y, x, xp.arange(x.size) * 2)),
    "copyto": write_out(lambda xp, y, x: xp.copyto(y, 5, where=x)),
    "out= with where=": write_out(lambda xp, y, x: xp.add(y, 1, out=y, where=x)),
    "assigned to integers": write_out(lambda xp, y, x: y.__setitem__(slice(None), x)),
    "added in place": write_out(lambda xp, y, x: y.__iadd__(x)),
}


@pytest.mark.parametrize("count", [8, 800, 24000])
@pytest.mark.parametrize("reader", READERS)
def test_every_byte_but_zero_is_true(reader: str, count: int) -> None:
    raw = np.tile(BYTES, count // BYTES.size)
    ours = READERS[reader](da, da.asarray(raw).view(np.bool_))
    same(ours, READERS[reader](np, raw != 0))


@pytest.mark.parametrize("step", [2, -1])
def test_so_they_are_in_strided_views(step: int) -> None:
    x = da.asarray(np.tile(BYTES, 50)).view(np.bool_)[::step]
    host = (np.tile(BYTES, 50) != 0)[::step]
    same(x.sum(), host.sum())
    same(x * 3, host * 3)
    same(da.sort(x), np.sort(host))


def test_scalars_of_such_bytes_are_true() -> None:
    x = da.asarray(BYTES).view(np.bool_)
    assert x[2].item() is True
    assert (bool(x[3]), int(x[4]), float(x[7])) == (True, 1, 1.0)


def test_so_they_are_through_dlpack() -> None:
    x = da.from_dlpack(da.asarray(BYTES).view(np.bool_))
    same(x.sum(), np.int64(6))


def test_a_copy_to_the_host_and_back_keeps_their_truth() -> None:
    host = da.asarray(BYTES).view(np.bool_).copy_to_host()
    same(da.asarray(host).sum(), np.int64(6))
