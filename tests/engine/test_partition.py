"""Graphs that are too large for one kernel: where they are cut, how many launches that takes, and that bits stay."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "deferred")

X, Y, Z = (np.random.default_rng(seed).standard_normal(1000).astype(np.float32) for seed in (1, 2, 3))
POCL = da.device().caps["max_parameter_bytes"] < 2048  # cuts earlier: a kernel has room for fewer scalars


def launched(call: Callable[[], tuple[Any, ...]]) -> tuple[tuple[Any, ...], int]:
    """The results of a call, evaluated in turn, and the number of launches."""
    da.synchronize()
    before = da.stats()["launches"]
    results = call()
    for result in results:
        result.evaluate()
    return results, da.stats()["launches"] - before


def slope(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    return 10.0 * (y - x), x * (28.0 - z) - y, x * y - 8.0 / 3.0 * z


def runge_kutta(x: Any, y: Any, z: Any, steps: int) -> tuple[Any, Any, Any]:
    h = 0.001
    for _ in range(steps):
        ax, ay, az = slope(x, y, z)
        bx, by, bz = slope(x + h / 2 * ax, y + h / 2 * ay, z + h / 2 * az)
        cx, cy, cz = slope(x + h / 2 * bx, y + h / 2 * by, z + h / 2 * bz)
        dx, dy, dz = slope(x + h * cx, y + h * cy, z + h * cz)
        x = x + h / 6 * (ax + 2 * bx + 2 * cx + dx)
        y = y + h / 6 * (ay + 2 * by + 2 * cy + dy)
        z = z + h / 6 * (az + 2 * bz + 2 * cz + dz)
    return x, y, z


def test_coupled_values_are_outputs_of_one_kernel() -> None:
    expected = runge_kutta(X, Y, Z, 20)
    results, launches = launched(lambda: runge_kutta(*map(da.asarray, (X, Y, Z)), 20))
    for result, host in zip(results, expected, strict=True):
        same(result, host)
    assert launches <= (40 if POCL else 6)


def test_repeated_parts_of_a_graph_are_the_same_kernels() -> None:
    x, y, z = map(da.asarray, (X, Y, Z))
    da.synchronize()
    for steps in (40, 44, 48):
        before = da.stats()["compilations"] + da.stats()["disk_cache_hits"]
        runge_kutta(x, y, z, steps)[0].evaluate()
    assert da.stats()["compilations"] + da.stats()["disk_cache_hits"] - before <= 4


def test_a_long_chain_of_choices() -> None:
    def escape(cx: Any, xp: Any) -> Any:
        x, y, count = cx * 0, cx * 0, cx * 0
        for _ in range(50):
            inside = x * x + y * y < 4
            x, y = xp.where(inside, x * x - y * y + cx, x), xp.where(inside, 2 * x * y + 0.25, y)
            count = count + xp.where(inside, 1.0, 0.0)
        return count

    (result,), launches = launched(lambda: (escape(da.asarray(X), da),))
    same(result, escape(X, np))
    assert launches <= (16 if POCL else 3)


def test_a_sum_of_many_arrays() -> None:
    hosts = [np.full(50, k, np.float64) for k in range(200)]
    arrays = [da.asarray(host) for host in hosts]
    (result,), launches = launched(lambda: (sum(arrays[1:], arrays[0]),))
    same(result, sum(hosts[1:], hosts[0]))
    assert launches <= (16 if POCL else 7)


def test_more_living_values_than_a_kernel_writes() -> None:
    def powers(x: Any) -> tuple[Any, ...]:
        values = [x]
        for k in range(60):
            values.append(values[-1] * 0.5 + k)
        return tuple(values[1:])

    results, launches = launched(lambda: powers(da.asarray(X))[::-1])
    for result, host in zip(results, powers(X)[::-1], strict=True):
        same(result, host)
    assert launches <= (20 if POCL else 6)


def test_values_of_several_shapes() -> None:
    def mixed(x: Any, y: Any) -> Any:
        for k in range(100):
            x = x * 0.5 + y[:, None] * k
            y = y + 0.25
            x = x - y[:, None]
        return x

    a, b = X.reshape(20, 50), Y[:20]
    (result,), _ = launched(lambda: (mixed(da.asarray(a), da.asarray(b)),))
    same(result, mixed(a, b))


def test_a_reduction_and_an_assignment_of_a_large_graph() -> None:
    def chain(x: Any, y: Any) -> Any:
        for k in range(400):
            x, y = x * 0.5 + y, y * 0.25 + k
        return x

    x, y = da.asarray(X), da.asarray(Y)
    same(da.max(chain(x, y)), np.max(chain(X, Y)))
    target = da.zeros(1000, da.float32)
    target[...] = chain(x, y)
    same(target, chain(X, Y))
    view = da.zeros(2000, da.float32)
    view[::2] += chain(x, y)
    same(view[::2], chain(X, Y))


def test_memory_that_a_cut_off_part_reads_is_not_given_away() -> None:
    x = da.asarray(X) + 0
    x.evaluate()
    kept = x * 3.0
    y = x + 1.0
    del x
    for _ in range(600):
        y = y * 0.5 + kept
    y.evaluate()
    expected = X + np.float32(1)
    for _ in range(600):
        expected = expected * np.float32(0.5) + X * np.float32(3)
    same(y, expected)
    same(kept, X * np.float32(3))


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2, 3))])
def test_random_graphs_keep_their_bits(seed: int) -> None:
    rng = np.random.default_rng(seed)
    host = [X[:200], Y[:200], Z[:200]]
    device = [da.asarray(h) for h in host]
    for step in range(900):
        a, b = rng.integers(max(0, len(host) - 12), len(host), 2)
        scale = float(rng.integers(1, 9)) / 8
        if step % 3:
            host.append(host[a] * np.float32(scale) - host[b])
            device.append(device[a] * scale - device[b])
        else:
            host.append(np.minimum(host[a], host[b]) + np.float32(scale))
            device.append(da.minimum(device[a], device[b]) + scale)
        if rng.random() < 0.7:  # most are dropped by the program, and live in the graph alone
            gone = int(rng.integers(0, len(host) - 2))
            del host[gone], device[gone]
    for d, h in zip(device, host, strict=True):
        same(d, h)
