"""Pending values in other shapes: views that join axes, computed from their operands in that shape."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

RNG = np.random.default_rng(31)
X = RNG.standard_normal((48, 16, 12)).astype(np.float32)
MEAN = RNG.standard_normal((48, 1, 1)).astype(np.float32)
ROW = RNG.standard_normal(12).astype(np.float32)
Work = Callable[..., Any]


def launches(work: Work, *hosts: Any) -> tuple[Any, int]:
    arrays = [da.asarray(x).evaluate() for x in hosts]
    before = da.stats()["launches"]
    result = work(da, *arrays)
    result.evaluate()
    return result, da.stats()["launches"] - before


ONE_KERNEL: dict[str, Work] = {
    "one axis": lambda xp, x, m, r: (x * 2).reshape(-1) + 1,
    "ravel": lambda xp, x, m, r: xp.ravel(x * 2) + 1,
    "two of three axes": lambda xp, x, m, r: (x - m).reshape(48, -1) * 2,
    "other sizes": lambda xp, x, m, r: (x * 2).reshape(8, 12, 96) - 1,
    "joined and split": lambda xp, x, m, r: (x * 2).reshape(-1).reshape(96, 96) - 1,
    "a slice of one": lambda xp, x, m, r: (x * 2).reshape(-1)[5:7000:3] + 1,
    "a part of rows": lambda xp, x, m, r: (x * 2).reshape(48, -1)[3:, ::-2] + 1,
    "differences": lambda xp, x, m, r: xp.diff(xp.ravel(x * 2)),
    "a reduction": lambda xp, x, m, r: (x - m).reshape(48, -1).max(1),
    "of strided operands": lambda xp, x, m, r: (x[:, ::2] - m).reshape(48, 8, 3, 4) * 2,
    "one element for all": lambda xp, x, m, r: (x - m[0]).reshape(-1) * 2,
}


@pytest.mark.parametrize("work", ONE_KERNEL.values(), ids=ONE_KERNEL)
def test_one_kernel(work: Work) -> None:
    result, count = launches(work, X, MEAN, ROW)
    same(result, work(np, X, MEAN, ROW))
    assert count == 1


SEVERAL: dict[str, Work] = {
    "an operand that repeats within": lambda xp, x, m, r: (x + r).reshape(48, -1) * 2,
    "a column within": lambda xp, x, m, r: (x[0] + m[:16, :, 0]).reshape(-1) * 2,
    "steps within": lambda xp, x, m, r: (x[:, ::2] + 1).reshape(48, -1) * 2,
    "axes turned": lambda xp, x, m, r: (x + 1).transpose(2, 0, 1).reshape(12, -1) * 2,
    "Fortran's order": lambda xp, x, m, r: (x.T + 1).reshape(-1) * 2,
    "Fortran's order asked for": lambda xp, x, m, r: (x + 1).reshape((-1, 12), order="F") * 2,
    "sums": lambda xp, x, m, r: (x.max(1) + 1).reshape(-1) * 2,
    "numbers of elements": lambda xp, x, m, r: (xp.arange(96).reshape(8, 12) + r).reshape(-1) * 2,
    "rolled": lambda xp, x, m, r: (xp.roll(x, 1, 0) + m).reshape(48, -1) * 2,
}


@pytest.mark.parametrize("work", SEVERAL.values(), ids=SEVERAL)
def test_values_and_strides(work: Work) -> None:
    result, _ = launches(work, X, MEAN, ROW)
    wanted = work(np, X, MEAN, ROW)
    same(result, wanted)
    assert result.strides == wanted.strides


def test_it_is_a_view() -> None:
    y = da.asarray(X) * 2
    flat, wanted = y.reshape(-1), (X * 2).reshape(-1)
    flat[3:50] = 7
    wanted[3:50] = 7
    same(flat, wanted)
    same(y, wanted.reshape(X.shape))
    y[0] = -1
    wanted.reshape(X.shape)[0] = -1
    same(flat, wanted)
    assert flat.base is y or flat.base is not None


def test_a_value_that_is_given_up_to_the_joined_array() -> None:
    """A part that somebody holds becomes a copy of its place, which lies in steps."""
    large = RNG.standard_normal((512, 520))
    a, b = da.asarray(large).evaluate(), da.asarray(large + 1).evaluate()
    parts = [a * b, a * b + 1]
    flat = parts[0].reshape(-1)
    joined = np.stack(parts, axis=-1)
    same(flat + 1, (large * (large + 1)).reshape(-1) + 1)
    same(flat, (large * (large + 1)).reshape(-1))
    joined[...] = 0
    same(parts[0], large * (large + 1))
    same(parts[1], large * (large + 1) + 1)


def test_writes_to_operands() -> None:
    x = da.asarray(X).copy()
    flat = (x * 2).reshape(-1)
    later = flat + 1
    x[...] = 0
    same(later, (X * 2).reshape(-1) + 1)
    same(flat, (X * 2).reshape(-1))


def test_explain() -> None:
    text = str(da.explain((da.asarray(X) * 2).reshape(-1) + 1))
    assert "1 kernel" in text
