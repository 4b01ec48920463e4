"""Views of one array in one kernel: GPUs work out the place of an element once for all that have the same strides."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

HOST = np.random.default_rng(7).normal(size=(37, 70)).astype(np.float32)
NUMBERS = np.random.default_rng(8).integers(0, 9, (37, 70))

CASES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "a stencil": lambda xp, u, n: u[1:-1, 1:-1] * 4 - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:],
    "negative strides": lambda xp, u, n: u[::-1, ::-1][1:] + u[::-1, ::-1][:-1] * 2 + u[1:],
    "columns turned": lambda xp, u, n: u[:, ::-1][1:] + u[1:, ::-1] - u[:-1],
    "several sizes of items": lambda xp, u, n: u[1:, 1:] + n[1:, 1:] * u[:-1, :-1] + n[:-1, 1:],
    "a row and a column": lambda xp, u, n: u[1:] * u[0] + u[:-1, :1] - u[1:, 1:2] + u[1],
    "shifts": lambda xp, u, n: xp.roll(u, 1, 0) + xp.roll(u, 1, 1) - xp.roll(u, (1, 1), (0, 1)) + xp.roll(u, -3, 0),
    "shifts of several sizes": lambda xp, u, n: xp.roll(u, 2, 0) * xp.roll(n, 2, 0) + xp.roll(n, -1, 1),
    "short rows": lambda xp, u, n: u[:, :5][1:] + u[:, 1:6][:-1] * u[:, 5:10][1:],
    "turned axes": lambda xp, u, n: u.T[1:] + u.T[:-1] * n.T[1:],
    "reduced": lambda xp, u, n: (u[:, None, :4] - u[None, :, :4]).min(axis=1).max(axis=-1),
    "reduced over several axes": lambda xp, u, n: (u[:, None, :] - u[None, :, :] * u[:1]).max(axis=(1, 2)),
    "reduced backwards": lambda xp, u, n: (u[::-1, None, 2:40] * n[None, ::-1, 2:40]).max(axis=1),
}


@pytest.mark.parametrize("name", CASES)
def test_elements_are_those_of_numpy(name: str) -> None:
    wanted = CASES[name](np, HOST, NUMBERS)
    made = CASES[name](da, da.asarray(HOST), da.asarray(NUMBERS))
    same(made, wanted)


def test_an_operand_that_is_written() -> None:
    host, x = HOST.copy(), da.asarray(HOST)
    host[1:-1, 2:] = host[1:-1, 1:-1] * 2 + host[1:-1, :-2]
    x[1:-1, 2:] = x[1:-1, 1:-1] * 2 + x[1:-1, :-2]
    same(x, host)


def test_other_strides_of_the_same_expression_are_another_kernel() -> None:
    """Which operands share strides is a part of what identifies a kernel."""
    x = da.asarray(HOST)
    for a, b in ((slice(0, 30), slice(1, 31)), (slice(0, 30), slice(30, 0, -1)), (slice(30, 0, -1), slice(31, 1, -1))):
        same(x[a, 1:] * 2 + x[b, :-1], HOST[a, 1:] * 2 + HOST[b, :-1])
