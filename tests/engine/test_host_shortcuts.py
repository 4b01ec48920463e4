"""Ways past the plan for small work that the host runs: trees of operations, elements, masks, integers without axes."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import launches, moderate

import devarray as da

pytestmark = pytest.mark.usefixtures("on_host", "deferred")


def both(shape: tuple[int, ...] = (6, 8), dtype: str = "float64") -> tuple[np.ndarray, da.Array]:
    host = moderate(dtype, int(np.prod(shape))).reshape(shape).copy()
    return host, da.asarray(host)


def check(host: np.ndarray, x: da.Array) -> None:
    np.testing.assert_array_equal(x.copy_to_host(), host)


# --- elements ------------------------------------------------------------------------------------------------------


def test_updates_of_elements_launch_nothing() -> None:
    host, x = both()

    def update(a: Any) -> None:
        a[2, 3] += a[2, 2]
        a[2, 3] /= 9.0
        a[1, 1] = a[0, 4]
        a[5, 7] = a[5, 6] * 2 - a[0, 0]

    update(host)
    assert launches(lambda: update(x)) == 0
    check(host, x)


def test_element_that_is_held_keeps_its_value_when_it_is_written() -> None:
    host, x = both()
    held, other = x[2, 3], x[2, 4]
    pending = x[2, 3] + 1
    x[2, 3] = 100.0
    x[2, 3] += x[2, 4]
    assert float(held) == host[2, 3]
    assert float(pending) == host[2, 3] + 1
    assert float(other) == host[2, 4]
    host[2, 3] = 100.0 + host[2, 4]
    check(host, x)


def test_value_that_is_held_outlives_what_it_was_stored_in() -> None:
    host, x = both()
    alpha = x[0, 0] + x[0, 1]
    x[1, 1] = alpha
    x[1, 1] = 7.0
    assert float(alpha) == host[0, 0] + host[0, 1]


def test_many_held_elements_keep_their_values() -> None:
    host, x = both()
    held = [x[i, j] for i in range(6) for j in range(8)]
    for i in range(6):
        for j in range(8):
            x[i, j] = -1.0
    np.testing.assert_array_equal([float(v) for v in held], host.reshape(-1))


# --- trees ---------------------------------------------------------------------------------------------------------


def stencil(a: Any) -> None:
    a[3, 1:-1] += a[2, :-2] + a[2, 1:-1] + a[2, 2:] + a[3, 2:] * 0.5


def shifted(a: Any) -> None:
    a[3, 1:-1] = a[3, :-2] + a[3, 2:]


def shifted_last(a: Any) -> None:
    a[3, 1:] = (a[3, :-1] * 2 - 1) + a[3, :-1]


def rows(a: Any) -> None:
    a[1:] = a[:-1] + a[1:]


def same_place(a: Any) -> None:
    a[2] = (a[2] + a[2]) * a[1]


def column(a: Any) -> None:
    a[:, 7] -= a[:, 3] * a[4, 5]


def column_beside(a: Any) -> None:
    a[1:, 2] = a[:-1, 2] + a[1:, 2] * 2


def reversed_row(a: Any) -> None:
    a[2, ::-1] = a[2]
    a[3] = a[3, ::-1] + a[0, 0] * 2


def spread(a: Any) -> None:
    a[:5, 1] += a[1, 1] * a[2, 3] * a[5, :5]
    a[:, 4] = a[1, 2]
    a[0] = a[0, 3]


def steps(a: Any) -> None:
    a[1, ::2] = a[1, 1::2] * 0.5


@pytest.mark.parametrize(
    "write",
    [stencil, shifted, shifted_last, rows, same_place, column, column_beside, reversed_row, spread, steps],
)
def test_stores_beside_what_they_read(write: Callable[[Any], None]) -> None:
    host, x = both()
    write(host)
    write(x)
    check(host, x)


def test_value_between_that_somebody_holds_is_computed_once() -> None:
    host, x = both()
    part = x + 1
    whole = (part * 2).evaluate()
    check((host + 1) * 2, whole)
    check(host + 1, part)


def test_updates_of_columns_launch_nothing() -> None:
    _, x = both()
    assert launches(lambda: [column(x), column_beside(x), spread(x), stencil(x)]) == 0


def test_row_whose_elements_share_memory_is_refused() -> None:
    x = da.broadcast_to(da.asarray(2.0), (5,))
    with pytest.raises(da.errors.ValueError):
        x[...] = 1.0
    y = da.asarray(np.arange(3.0))
    y.flags.writeable = False
    with pytest.raises(da.errors.ValueError, match="read-only"):
        y[1] = 1.0


@pytest.mark.parametrize("count", [1, 5, 11, 12, 13, 30])
def test_chains_of_operations(count: int) -> None:
    host, x = both()
    y = x
    for i in range(count):
        host, y = (host + i) * 0.5, (y + i) * 0.5
    check(host, y.evaluate())


def test_pending_reader_sees_what_was_there_before_a_store() -> None:
    host, x = both()
    reader = x[3] + 1
    x[3] = x[2] * 2 + x[1]
    check(host[3] + 1, reader)
    check(host[2] * 2 + host[1], x[3])


# --- a queue that has come to its end --------------------------------------------------------------------------------


def test_small_work_returns_to_the_host_when_the_queue_is_seen_idle() -> None:
    host, x = both()
    big = da.asarray(np.linspace(0.0, 1.0, 300_000))
    da.synchronize()
    (big + 1).evaluate()
    for _ in range(500):
        before = da.stats()["host_runs"]
        result = (x * 2).evaluate()
        if da.stats()["host_runs"] > before:
            break
        time.sleep(0.01)
    else:
        pytest.fail("the queue was never seen idle")
    check(host * 2, result)


# --- masks -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int8", "float16", "float32", "float64", "complex128"])
def test_masks_read_and_write_without_a_launch(dtype: str) -> None:
    host = np.arange(40).reshape(5, 8).astype(dtype)
    mask = np.arange(40).reshape(5, 8) % 3 == 1
    x, m = da.asarray(host), da.asarray(mask)
    picked = x[m]
    assert launches(lambda: x[m]) == 0
    check(host[mask], picked)
    host[mask] = host[mask][::-1]
    reverse = da.asarray(np.ascontiguousarray(picked.copy_to_host()[::-1]))

    def place() -> None:
        x[m] = reverse

    assert launches(place) == 0
    check(host, x)
    host[mask] = 1
    x[m] = 1
    check(host, x)


def test_masks_with_nothing_and_all() -> None:
    host, x = both()
    check(host[host > 1e9], x[x > 1e9])
    check(host[host < 1e9], x[x < 1e9])
    x[x > 1e9] = 5.0
    check(host, x)

    def place() -> None:
        x[x > 1e9] = x[x > 1e9] ** 2

    assert launches(place) == 0
    check(host, x)


def test_mask_that_reads_what_it_writes() -> None:
    host, x = both()
    host[host > 0] = host[host > 0] ** 2
    x[x > 0] = x[x > 0] ** 2
    check(host, x)


def test_masks_keep_readers_elements_and_refusals() -> None:
    host, x = both()
    element, reader = x[0, 0], x + 1
    x[x == x] = 3.0
    assert float(element) == host[0, 0]
    check(host + 1, reader)
    with pytest.raises(da.errors.ShapeError, match="48"):
        x[x == x] = da.ones(5)
    x.flags.writeable = False
    with pytest.raises(da.errors.ValueError, match="read-only"):
        x[x == x] = 1.0


# --- integers without axes as indices --------------------------------------------------------------------------------


def test_integers_without_axes_index_without_a_launch() -> None:
    host, x = both()
    numbers = da.asarray(np.array([1, 4, -2]))

    def read() -> list[da.Array]:
        return [x[numbers[0]], x[numbers[1], 2], x[1:3, numbers[2]], x[..., numbers[0]]]

    assert launches(read) == 0
    for mine, wanted in zip(read(), [host[1], host[4, 2], host[1:3, -2], host[..., 1]], strict=True):
        check(wanted, mine)

    def write() -> None:
        x[numbers[0]] = 5.0
        x[numbers[1], numbers[2]] += 2.0

    assert launches(write) == 0
    host[1] = 5.0
    host[4, -2] += 2.0
    check(host, x)


def test_what_such_an_index_picks_is_a_copy() -> None:
    host, x = both()
    row, element = x[da.asarray(2)], x[da.asarray(2), 1]
    x[2] = 0.0
    check(host[2], row)
    assert float(element) == host[2, 1]


def test_such_an_index_out_of_bounds_raises() -> None:
    _, x = both()
    with pytest.raises(IndexError):
        x[da.asarray(6)].copy_to_host()
    da.synchronize()


# --- scalars of NumPy ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("scalar", [np.float64(1.5), np.float32(1.5), np.int8(3), np.bool_(True), np.complex64(2j)])
@pytest.mark.parametrize("dtype", ["float32", "int16", "complex128"])
def test_scalars_of_numpy_bring_their_dtype(scalar: Any, dtype: str) -> None:
    host, x = both((5,), dtype)
    for mine, wanted in ((scalar * x, scalar * host), (x * scalar, host * scalar), (x == scalar, host == scalar)):
        assert mine.dtype == wanted.dtype
        check(wanted, mine)


def test_dot_of_vectors_and_matrices() -> None:
    host, x = both((6, 6))
    check(np.dot(host, host), da.dot(x, x))
    assert float(da.dot(x[1], x[:, 2])) == pytest.approx(float(np.dot(host[1], host[:, 2])))
    out = da.empty((6, 6))
    assert da.dot(x, x, out=out) is out
    check(np.dot(host, host), out)
    with pytest.raises(da.errors.ShapeError):
        da.dot(x, da.ones(5))


@pytest.mark.parametrize("shape", [(1,), (7,), (5, 3), (3, 1, 4), (40, 50)])
@pytest.mark.parametrize("dtype", ["uint8", "float16", "float64", "complex128", "bool"])
def test_small_rolls_run_on_the_host(shape: tuple[int, ...], dtype: str) -> None:
    host = (np.arange(np.prod(shape)).reshape(shape) % 100).astype(dtype)
    x = da.asarray(host)
    da.synchronize()
    launches = da.stats()["launches"]
    for shift in (-3, 1, 2):
        for axis in range(len(shape)):
            for mine, other in ((x, host), (x[::-1], host[::-1]), (x.T, host.T)):
                rolled = da.where(mine == mine, da.roll(mine, shift, axis=axis), mine)
                wanted = np.where(other == other, np.roll(other, shift, axis=axis), other)
                assert rolled.copy_to_host().tobytes() == wanted.tobytes()
    if da.device().strategy == "cpu" and da.config.host_elements:
        assert da.stats()["launches"] == launches


def test_a_small_sum_of_a_held_expression_has_the_kernels_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    for n in (1, 16, 100, 1000, 4000):
        host = np.random.default_rng(n).standard_normal(n).astype(np.float32)
        found = []
        for limit in (da.config.host_elements, 0):
            monkeypatch.setattr(da.config, "host_elements", limit)
            x = da.asarray(host)
            held = x * 0.85 + 0.3
            found.append(held.sum().copy_to_host().tobytes())
            assert np.array_equal(held.copy_to_host(), host * np.float32(0.85) + np.float32(0.3))
        assert found[0] == found[1]
