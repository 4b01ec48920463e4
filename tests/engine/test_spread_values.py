"""repeat, tile and their like in the kernel that reads them, by the strategy of GPUs; NumPy's values everywhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

RNG = np.random.default_rng(37)
X = RNG.standard_normal((24, 18, 10)).astype(np.float32)
Y = RNG.standard_normal((24, 36, 30)).astype(np.float32)
Work = Callable[..., Any]

ONE_KERNEL: dict[str, Work] = {
    "two axes": lambda xp, x, y: x.repeat(2, 1).repeat(3, 2) + y,
    "the last axis first": lambda xp, x, y: x.repeat(3, 2).repeat(2, 1) + y,
    "one axis twice": lambda xp, x, y: x[:12].repeat(2, 0).repeat(1, 0).repeat(1, 1) + y[:, :18, :10],
    "beside strides": lambda xp, x, y: xp.repeat(x, 2, 1) * 2 + y[:, :, ::3],
    "backwards": lambda xp, x, y: y[:, ::2, ::-1] - xp.repeat(x[::-1], 3, -1),
    "tiles": lambda xp, x, y: xp.tile(x, (1, 2, 3)) * y,
    "a block for each element": lambda xp, x, y: xp.kron(x, np.ones((1, 2, 3), np.float32)) - y,
    "twice the same": lambda xp, x, y: x.repeat(2, 1)[:, :, :1] + x.repeat(2, 1) * y[:, :, :10],
    "of a line": lambda xp, x, y: xp.repeat(x.reshape(-1), 6) + y.reshape(-1),
    "of what is pending": lambda xp, x, y: (x * 2).repeat(2, 1).repeat(3, 2) + y,
    "a column": lambda xp, x, y: x[:, :, :1].repeat(2, 1) + y,
}
OTHERS: dict[str, Work] = {
    "alone": lambda xp, x, y: x.repeat(2, 1),
    "alone, pending": lambda xp, x, y: xp.tile(x + 1, (2, 1, 1)),
    "turned": lambda xp, x, y: x.T.repeat(3, 0) + y[:, ::2].T,
    "of Fortran's order": lambda xp, x, y: xp.repeat(x.T, 2, 1) - 1,
    "two counts on an axis": lambda xp, x, y: x[:, :9].repeat(4, 1) + x.repeat(2, 1) - y[:, :, :10],
    "repeated and tiled": lambda xp, x, y: x.repeat(2, 1) + xp.tile(x, (1, 2, 1)) - y[:, :, :10],
    "a reduction": lambda xp, x, y: xp.abs(x.repeat(2, 1).repeat(3, 2) - y).max(),
    "a reduction of rows": lambda xp, x, y: (x.repeat(2, 1).repeat(3, 2) * y).max(-1),
    "beside a mean": lambda xp, x, y: x.repeat(2, 1).repeat(3, 2) - y.max((1, 2), keepdims=True),
    "beside numbers": lambda xp, x, y: x.repeat(2, 1).repeat(3, 2) + xp.arange(30, dtype=np.float32),
    "rolled": lambda xp, x, y: xp.roll(x.repeat(2, 1), 1, 1) + y[:, :, :10],
    "joined": lambda xp, x, y: xp.concatenate([x.repeat(2, 1), y], 2) * 2,
    "in another shape": lambda xp, x, y: (x.repeat(2, 1).reshape(24, -1) * 2).reshape(48, 18, 10) + 1,
    "a part": lambda xp, x, y: x.repeat(2, 1)[3:, ::2, 1:] + y[3:, :18, :9],
    "much work for each": lambda xp, x, y: xp.exp(xp.sin(x) ** 2 / 3).repeat(2, 1).repeat(3, 2) > y,
    "integers": lambda xp, x, y: (x * 100).astype(np.int16).repeat(2, 1) // np.int16(7),
    "none": lambda xp, x, y: x[:0].repeat(2, 1) + 1,
}


def agree(work: Work) -> int:
    x, y = da.asarray(X).evaluate(), da.asarray(Y).evaluate()
    before = da.stats()["launches"]
    result = work(da, x, y)
    result.evaluate()
    count = da.stats()["launches"] - before
    wanted = work(np, X, Y)
    same(result, wanted)
    assert result.flags.c_contiguous == wanted.flags.c_contiguous
    return count


@pytest.mark.parametrize("work", OTHERS.values(), ids=OTHERS)
def test_values(work: Work) -> None:
    agree(work)


@pytest.mark.parametrize("work", ONE_KERNEL.values(), ids=ONE_KERNEL)
def test_one_kernel_of_gpus(work: Work) -> None:
    count = agree(work)
    if da.default_device().strategy == "gpu":
        assert count == 1


def test_it_is_no_view() -> None:
    x = da.asarray(X).copy()
    wide = x.repeat(2, 1)
    sums = wide + 1
    x[...] = 0
    same(wide, X.repeat(2, 1))
    wide[0] = 5
    same(x, np.zeros_like(X))
    same(sums, X.repeat(2, 1) + 1)
    assert wide.flags.owndata
    assert wide.base is None


def test_what_is_held_is_there_later() -> None:
    x, y = da.asarray(X).evaluate(), da.asarray(Y).evaluate()
    wide = x.repeat(2, 1).repeat(3, 2)
    inner = wide + y
    outer = inner * 2
    same(outer, (X.repeat(2, 1).repeat(3, 2) + Y) * 2)
    same(inner, X.repeat(2, 1).repeat(3, 2) + Y)
    same(wide, X.repeat(2, 1).repeat(3, 2))


def test_explain_says_what_runs() -> None:
    x, y = da.asarray(X).evaluate(), da.asarray(Y).evaluate()
    result = x.repeat(2, 1) + y[:, :, :10]
    kernels = len(da.explain(result).kernels)
    before = da.stats()["launches"]
    result.evaluate()
    assert da.stats()["launches"] - before == kernels
