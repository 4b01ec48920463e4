"""Launches over more elements than kernels count in 32 bits, with that count made small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("gpu_strategy", "deferred")

COUNT = 3000
ROWS, COLUMNS = 301, 43
FLOATS = np.random.default_rng(0).integers(-50, 50, (ROWS, COLUMNS)).astype("float32") / np.float32(8)


@pytest.fixture(autouse=True)
def _short_counts() -> Iterator[None]:
    before = _core.get_config()["short_counts"]
    _core.set_config("short_counts", COUNT)
    yield
    _core.set_config("short_counts", before)


def a_chain(x: Any) -> Any:
    return x * 2 + x * x


def several_results(x: Any) -> Any:
    a = x + 1
    return a, a * x


def stencil(x: Any) -> Any:
    return x[:-2, 1:-1] + x[2:, 1:-1] - x[1:-1, :-2] * x[1:-1, 2:]


def in_place(x: Any) -> Any:
    y = x + 0
    y += 1
    y[1:] *= 2
    y[:, ::3] -= 4
    return y


def stencil_in_place(x: Any) -> Any:
    y = x + 0
    for _ in range(3):
        y[1:-1, 1:-1] = (y[:-2, 1:-1] + y[2:, 1:-1] + y[1:-1, :-2] + y[1:-1, 2:]) * np.float32(0.25)
    return y


def backwards(x: Any) -> Any:
    return x[::-1] + x[:, ::-1], x[::-2, 1::2] * 3


def turned(x: Any) -> Any:
    return x.T + 1, x.T.copy(), x[:43, :43] + x[:43, :43].T


def broadcast(x: Any) -> Any:
    return x + x[:1], x * x[:, :1], x[:, None, :5] - x[None, :3, :5].reshape(1, 3, 5)


def shifted(x: Any) -> Any:
    return np.roll(x, 3, 1) + x, np.roll(x, 7, 0) * x, np.roll(x, (2, 5), (0, 1))


def taken(x: Any) -> Any:
    rows = np.arange(ROWS)[::-1] % 17
    return x[rows] + 1, np.take(x, [5, 3, 42], axis=1) * 2


def types(x: Any) -> Any:
    return x.astype("int8") + np.int8(3), (x + 1j * x) * 2, x > 1, x.astype("float64") / 3


def flat(x: Any) -> Any:
    y = x.reshape(-1)
    return y[1:] - y[:-1], y[5:] * 2, np.where(y > 0, y, -y)


def joined(x: Any) -> Any:
    return np.concatenate([x + 1, x * 2]), np.stack([x, x * 3], axis=1)


def reduced(x: Any) -> Any:
    return (x * 2).max(), (x + 1).max(0), np.abs(x).max(1, keepdims=True) + x


PROGRAMS = [
    a_chain, several_results, stencil, in_place, stencil_in_place, backwards, turned, broadcast, shifted, taken, types,
    flat, joined, reduced,
]  # fmt: skip


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_as_numpy(program: Callable[[Any], Any]) -> None:
    for _ in range(2):  # no plan of the first time may miss what the second one does
        got, wanted = program(da.asarray(FLOATS)), program(FLOATS)
        for ours, theirs in zip(*((m if isinstance(m, tuple) else (m,)) for m in (got, wanted)), strict=True):
            same(ours, theirs)


def launches(work: Callable[[], Any]) -> int:
    da.synchronize()
    before = da.stats()["launches"]
    work().evaluate()
    return da.stats()["launches"] - before


@pytest.mark.parametrize(
    ("count", "parts"),
    [(COUNT, 1), (COUNT + 1, 2), (4096, 2), (4097, 3), (ROWS * COLUMNS, 7)],
)
def test_count_of_parts(count: int, parts: int) -> None:
    """Each of a multiple of 1024 elements."""
    x = da.asarray(FLOATS.reshape(-1)[:count])
    assert launches(lambda: x + 1) == parts


def test_rows_stay_whole() -> None:
    x = da.asarray(FLOATS)
    assert launches(lambda: x[:, 1:] + x[:, :-1]) == 5  # of 61 rows
    assert launches(lambda: np.roll(x, 1, 0) * 2) == 1  # the number of rows counts
    assert launches(lambda: da.random.default_rng(1).random(ROWS * COLUMNS)) == 1  # and of an element


def test_interrupted_between_parts() -> None:
    """Code that runs where the second part's kernel is compiled does not make the first part count twice."""
    import sys

    x = da.asarray(FLOATS.reshape(-1)[: COUNT + 700]) + 0
    x.evaluate()
    other = x * 3
    _core.clear_kernel_cache()
    seen = []

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "codegen" in frame.f_code.co_filename:
            sys.setprofile(None)
            seen.append(frame)
            other.evaluate()
            sys.setprofile(profile)

    sys.setprofile(profile)
    try:
        x += 1
        x.evaluate()
    finally:
        sys.setprofile(None)
    assert seen
    same(x, FLOATS.reshape(-1)[: COUNT + 700] + 1)
    same(other, FLOATS.reshape(-1)[: COUNT + 700] * 3)
