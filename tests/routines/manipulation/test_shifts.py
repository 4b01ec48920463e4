"""`roll` is an access: what uses the result reads through shifted indices, and no copy is made for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import DTYPES, same, skip_without, values

import devarray as da

pytestmark = pytest.mark.usefixtures("device")

A = np.arange(12 * 35, dtype=np.float32).reshape(12, 35)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shift, axis", [(1, 0), (-3, 1), ((2, -5), (0, 1)), (7, None), (0, 0), (100, 1), ((1, 2), 0)])
def test_every_dtype_and_axis(dtype: Any, shift: Any, axis: Any) -> None:
    skip_without(dtype)
    host = values(dtype, (6, 10))
    same(da.roll(da.asarray(host), shift, axis), np.roll(host, shift, axis))


@pytest.mark.parametrize("shape", [(), (1,), (0,), (3, 0), (1, 5), (5, 1), (2, 3, 4), (2, 1, 3, 1, 40), (40, 2, 2)])
def test_shapes(shape: tuple[int, ...]) -> None:
    host = np.arange(np.prod(shape, dtype=int), dtype=np.int32).reshape(shape)
    x = da.asarray(host)
    same(da.roll(x, 3), np.roll(host, 3))
    for axis in range(len(shape)):
        same(da.roll(x, -1, axis) * 2 + x, np.roll(host, -1, axis) * 2 + host)
    every = tuple(range(len(shape)))
    if every:
        same(da.roll(x, every, every) - x, np.roll(host, every, every) - host)


@pytest.mark.parametrize("view", [np.s_[:], np.s_[::-1], np.s_[::2, 1::3], np.s_[3:, ::-2], np.s_[5]])
def test_views(view: Any) -> None:
    x = da.asarray(A)
    for host, array in ((A[view], x[view]), (A[view].T, x[view].T)):
        for axis in range(host.ndim):
            same(da.roll(array, 2, axis), np.roll(host, 2, axis))
            same(da.roll(array, -2, axis) + array, np.roll(host, -2, axis) + host)
            assert da.roll(array, 2, axis).strides == np.roll(host, 2, axis).strides


def test_shifts_of_shifts_add_up() -> None:
    x = da.asarray(A)
    y, h = x, A
    for by, axis in ((5, 0), (-9, 1), (11, 0), (40, 1), (-16, 0)):
        y, h = da.roll(y, by, axis), np.roll(h, by, axis)
    same(y * 2, h * 2)
    same(da.roll(da.roll(x, 4, 1), -4, 1), A)


def test_shifted_values_beside_other_shapes() -> None:
    x, row, column = da.asarray(A), da.asarray(A[0]), da.asarray(A[:, :1])
    same(da.roll(row, 3, 0) + x, np.roll(A[0], 3) + A)
    same(da.roll(column, 3, 0) * x, np.roll(A[:, :1], 3, 0) * A)
    same(x - da.roll(x, 1, 0) * row, A - np.roll(A, 1, 0) * A[0])
    broadcast = da.broadcast_to(row, (4, 35))
    same(da.roll(broadcast, (1, 2), (0, 1)), np.roll(np.broadcast_to(A[0], (4, 35)), (1, 2), (0, 1)))


def test_reductions_of_shifted_values() -> None:
    x = da.asarray(A)
    for axis in (None, 0, 1):
        same(da.max(da.roll(x, 3, 0) - x, axis), np.max(np.roll(A, 3, 0) - A, axis))
    same(da.argmax(da.roll(x, 3, 1), 1), np.argmax(np.roll(A, 3, 1), 1))


def test_the_array_may_change_afterwards() -> None:
    x = da.asarray(A.copy())
    y = da.roll(x, 1, 0)
    z = da.roll(y, 1, 1) + 1
    x[2:5] = 0
    x += 1
    same(y, np.roll(A, 1, 0))
    same(z, np.roll(np.roll(A, 1, 0), 1, 1) + 1)
    y[0] = 7
    same(x[0], A[0] + 1)


def test_an_array_takes_its_own_shifted_values() -> None:
    host, x = A.copy(), da.asarray(A.copy())
    for by, axis in ((1, 0), (-2, 1)):
        x[...] = da.roll(x, by, axis)
        host = np.roll(host, by, axis)
        same(x, host)
        x += da.roll(x, by, axis)
        host = host + np.roll(host, by, axis)
        same(x, host)
    x[1:, :] = da.roll(x, 5, 1)[:-1, :]
    host[1:, :] = np.roll(host, 5, 1)[:-1, :]
    same(x, host)
    view = x[::2]
    view -= da.roll(view, 1, 0)
    expected = host.copy()
    expected[::2] -= np.roll(host[::2], 1, 0)
    same(x, expected)


def test_memory_of_what_is_shifted_is_not_given_away() -> None:
    x = da.asarray(A) + 0
    x.evaluate()
    y = da.roll(x, 1, 0)
    del x
    z = y * 2 + da.roll(y, 1, 1)
    del y
    same(z, np.roll(A, 1, 0) * 2 + np.roll(np.roll(A, 1, 0), 1, 1))


def test_element_numbers_beside_shifted_values() -> None:
    count = da.arange(12 * 35, dtype=np.float32).reshape(12, 35)
    same(da.roll(count, 2, 0) + da.roll(da.asarray(A), 2, 1), np.roll(A, 2, 0) + np.roll(A, 2, 1))
    same(da.roll(da.asarray(A[0]), 2) + da.arange(35, dtype=np.float32), np.roll(A[0], 2) + np.arange(35, dtype="f"))


def life(u: Any, xp: Any, steps: int) -> Any:
    for _ in range(steps):
        n = sum(
            xp.roll(xp.roll(u, dy, axis=0), dx, axis=1) for dy in (-1, 0, 1) for dx in (-1, 0, 1) if (dy, dx) != (0, 0)
        )
        u = xp.where((n == 3) | ((u == 1) & (n == 2)), 1, 0)
    return u


@pytest.mark.usefixtures("deferred", "kernels")
@pytest.mark.skipif(da.device().caps["max_parameter_bytes"] < 2048, reason="a kernel has room for fewer operands")
def test_a_step_of_life_is_one_launch() -> None:
    host = (np.random.default_rng(0).random((40, 50)) < 0.3).astype(np.int32)
    x = da.asarray(host)
    da.synchronize()
    before = da.stats()["launches"]
    result = life(x, da, 10).evaluate()
    assert da.stats()["launches"] - before == 10
    same(result, life(host, np, 10))


@pytest.mark.usefixtures("deferred", "kernels")
def test_coupled_fields_are_outputs_of_one_kernel() -> None:
    def step(xp: Any, u: Any, v: Any) -> tuple[Any, Any]:
        reaction = u * v * v
        spread = xp.roll(u, 1, 0) + xp.roll(u, -1, 1) - 2 * u
        return u + 0.25 * spread - reaction, v + 0.5 * xp.roll(v, 1, 0) + reaction

    u, v = da.asarray(A / 512), da.asarray(A[::-1].copy() / 512)
    hu, hv = A / 512, A[::-1] / 512
    da.synchronize()
    before = da.stats()["launches"]
    for _ in range(6):
        u, v = step(da, u, v)
        hu, hv = step(np, hu, hv)
    same(u, hu)
    same(v, hv)
    # One launch where the two share a value that is pending, two where it was stored for its holder, `reaction`.
    assert da.stats()["launches"] - before <= 9


@pytest.mark.parametrize("shift, axis", [(1.5, None), (-1.5, 1), (np.float64(7.9), 0), ((1.0, 2.7), (0, 1))])
def test_parts_of_places_are_cut(shift: Any, axis: Any) -> None:
    same(da.roll(da.asarray(A), shift, axis), np.roll(A, shift, axis))
