"""Stores to views that wait for the next one: counts of launches by the strategy of GPUs, values by both."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from written import launches

import devarray as da

SIZE = 200  # rows and columns: a store of most of them is one that waits


def field(seed: int, shape: tuple[int, ...] = (SIZE, SIZE)) -> Any:
    return np.random.default_rng(seed).standard_normal(shape)


def compared(program: Callable[..., Any], *operands: Any) -> None:
    """A program that writes to its operands leaves what NumPy leaves in them, to the bit."""
    here = [da.asarray(x) for x in operands]
    there = [x.copy() for x in operands]
    program(da, *here)
    program(np, *there)
    for device, host in zip(here, there, strict=True):
        np.testing.assert_array_equal(device.copy_to_host(), host)


def two_fluxes(xp: Any, x: Any, y: Any, east: Any, north: Any) -> None:
    slope = (x[1:-1, 1:-1] - y[1:-1, 1:-1]) * x[2:, 1:-1]
    east[1:-1, 1:-1] = slope * 2
    north[1:-1, 1:-1] = slope + x[1:-1, 2:]


def added_and_stored(xp: Any, x: Any, y: Any, total: Any, part: Any) -> None:
    for shift in range(2):
        ratio = x[shift : shift - 2, 1:-1] / (1 + y[1:-1, 1:-1] ** 2)
        total[1:-1, 1:-1] += ratio * 3
        part[1:-1, 1:-1] = ratio - x[1:-1, 1:-1]


def read_in_between(xp: Any, x: Any, y: Any, a: Any, b: Any) -> None:
    a[1:-1, 1:-1] = x[1:-1, 1:-1] + y[1:-1, 1:-1]
    b[1:-1, 1:-1] = a[2:, 1:-1] * x[1:-1, 1:-1]  # reads what has just been written
    a[1:-1, 1:-1] *= b[1:-1, :-2]


def operand_changes(xp: Any, x: Any, y: Any, a: Any, b: Any) -> None:
    a[1:-1, 1:-1] = x[1:-1, 1:-1] * y[1:-1, 1:-1]
    x[1:-1, 1:-1] = y[:-2, 1:-1] + 1  # of what the first store reads
    b[1:-1, 1:-1] = x[1:-1, 1:-1] - y[1:-1, 1:-1]
    y += 1
    b[1:-1, 1:-1] -= y[1:-1, 1:-1]


def same_place_twice(xp: Any, x: Any, y: Any, a: Any, b: Any) -> None:
    a[1:-1, 1:-1] = x[1:-1, 1:-1] + 1
    a[2:, 1:-1] = y[1:-1, 1:-1] * x[1:-1, 1:-1]
    b[:] = x
    b[...] = a


def kept_value(xp: Any, x: Any, y: Any, a: Any, b: Any) -> None:
    """What was stored, and was computed from what it overwrote, is read later."""
    value = a[1:-1, 1:-1] * 2 + y[1:-1, 1:-1]
    a[1:-1, 1:-1] = value
    b[1:-1, 1:-1] = x[1:-1, 1:-1] - y[1:-1, 1:-1]
    a[1:-1, 1:-1] *= 3
    b[1:-1, 1:-1] += value


def kept_local(xp: Any, x: Any, y: Any, a: Any, b: Any) -> None:
    """A value from before a store is read after it."""
    before = a[1:-1, 1:-1] * 2
    a[1:-1, 1:-1] = x[1:-1, 1:-1] * y[1:-1, 1:-1]
    b[1:-1, 1:-1] = before - y[1:-1, 1:-1]
    after = a[1:-1, 1:-1] * 2
    b[1:-1, 1:-1] += after


@pytest.mark.parametrize(
    "program",
    [two_fluxes, added_and_stored, read_in_between, operand_changes, same_place_twice, kept_local, kept_value],
)
@pytest.mark.parametrize("times", [1, 4])
def test_stores_in_a_row_leave_what_numpys_leave(program: Callable[..., Any], times: int) -> None:
    def repeated(xp: Any, *operands: Any) -> None:
        for _ in range(times):
            program(xp, *operands)

    compared(repeated, *(field(seed) for seed in range(4)))


@pytest.mark.usefixtures("gpu_strategy")
def test_stores_that_share_what_they_read_are_one_launch() -> None:
    operands = [da.asarray(field(seed)) for seed in range(4)]
    assert launches(lambda: two_fluxes(da, *operands)) == 1
    # Of each round one: what the loop computed before is not asked for again, so that it is not written either.
    before = da.stats()["bytes_moved"]
    assert launches(lambda: added_and_stored(da, *operands)) == 2
    stored = (SIZE - 2) ** 2 * 8
    assert da.stats()["bytes_moved"] - before <= 2 * 7 * stored


@pytest.mark.usefixtures("gpu_strategy")
def test_a_store_that_reads_its_own_target_waits_as_well() -> None:
    a, b, x = (da.asarray(field(seed)) for seed in range(3))
    inner = np.s_[1:-1, 1:-1]

    def scaled() -> None:
        factor = 1 / (1 + abs(x[inner]))
        a[inner] = a[inner] * factor
        b[inner] = (b[inner] - x[inner]) * factor

    assert launches(scaled) == 1


@pytest.mark.usefixtures("gpu_strategy")
def test_columns_of_one_array_are_written_by_one_launch() -> None:
    x, out = da.asarray(field(1, (90, 100))), da.zeros((90, 100, 3)).evaluate()

    def columns() -> None:
        root = da.sqrt(abs(x))
        out[:, :, 0] = root
        out[:, :, 1] = root * x
        out[:, :, 2] = root + x

    assert launches(columns) == 1
    host, root = x.copy_to_host(), np.sqrt(abs(x.copy_to_host()))
    np.testing.assert_array_equal(out.copy_to_host(), np.stack([root, root * host, root + host], axis=-1))


def sweep(xp: Any, a: Any, b: Any, c: Any, d: Any) -> None:
    """A tridiagonal solution along the last axis."""
    n = a.shape[-1]
    for k in range(1, n):
        m = b[..., k] - a[..., k] * c[..., k - 1]
        c[..., k] = c[..., k] / m
        d[..., k] = (d[..., k] - a[..., k] * d[..., k - 1]) / m
    for k in range(n - 2, -1, -1):
        d[..., k] = d[..., k] - c[..., k] * d[..., k + 1]


def test_a_sweep_over_levels_reads_and_writes_columns_in_turn() -> None:
    shape = (100, 90, 5)
    compared(sweep, *(field(seed, shape) + (4 if seed == 1 else 0) for seed in range(4)))


@pytest.mark.usefixtures("gpu_strategy")
def test_few_elements_of_a_large_array_wait_as_well() -> None:
    x, a, b = (da.asarray(field(seed)) for seed in range(3))

    def rows() -> None:
        a[0:4] = x[0:4] + 1
        b[0:4] = x[4:8] * x[0:4]

    assert launches(rows) == 1


@pytest.mark.usefixtures("gpu_strategy")
def test_a_column_that_is_made_of_its_neighbour_is_one_launch() -> None:
    x = da.asarray(field(1, (100, 90, 4)))

    def step() -> None:
        x[..., 1] = x[..., 1] - x[..., 0] * 2

    assert launches(step) == 1


def interleaved(xp: Any, x: Any) -> None:
    x[1::2] = x[::2] * 2
    x[::2] += x[1::2]
    x[2::4] = x[:-2:4][: x[2::4].shape[0]] + x[1::4][: x[2::4].shape[0]]
    x[1:] = x[:-1] + 1  # each reads its neighbour's old value
    x[::-2] = x[1::2] * 0.5


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int16"])
@pytest.mark.parametrize("size", [64, 1 << 15])
def test_elements_in_turn_and_elements_that_overlap(dtype: str, size: int) -> None:
    x = np.random.default_rng(3).integers(-100, 100, size).astype(dtype)

    def integers(xp: Any, x: Any) -> None:
        x[1::2] = x[::2] * 2
        x[::2] += x[1::2]
        x[1:] = x[:-1] + 1

    compared(integers if dtype == "int16" else interleaved, x)


def test_views_of_another_dtype_overlap_by_bytes() -> None:
    """The low halves of integers are written from what views of the whole ones show."""

    def halves(xp: Any, x: Any) -> None:
        low = x.view("int32")[::2]
        low[...] = x[: low.shape[0]].astype("int32") + 1

    compared(halves, np.arange(1 << 14, dtype="int64") << 16)


@pytest.mark.parametrize("ask", ["host", "sum", "evaluate", "item", "view", "thread", "dlpack", "bytes"])
def test_whoever_asks_finds_what_was_stored(ask: str) -> None:
    x, y = da.asarray(field(1)), da.zeros((SIZE, SIZE)).evaluate()
    da.synchronize()
    part = y[1:-1, 1:-1]
    y[1:-1, 1:-1] = x[1:-1, 1:-1] * 2
    wanted = np.zeros((SIZE, SIZE))
    wanted[1:-1, 1:-1] = x.copy_to_host()[1:-1, 1:-1] * 2 if ask != "host" else field(1)[1:-1, 1:-1] * 2
    if ask == "sum":
        np.testing.assert_allclose((y + 0).sum().item(), wanted.sum(), rtol=1e-9)
    elif ask == "evaluate":
        y.evaluate()
    elif ask == "item":
        assert y[1, 1].item() == wanted[1, 1]
    elif ask == "view":
        np.testing.assert_array_equal(part.copy_to_host(), wanted[1:-1, 1:-1])
    elif ask == "thread":
        found: list[Any] = []
        thread = threading.Thread(target=lambda: found.append(y.copy_to_host()))
        thread.start()
        thread.join()
        np.testing.assert_array_equal(found[0], wanted)
    elif ask == "dlpack":
        other = da.from_dlpack(y)
        np.testing.assert_array_equal(other.copy_to_host(), wanted)
    elif ask == "bytes":
        assert y.tobytes() == wanted.tobytes()
    np.testing.assert_array_equal(y.copy_to_host(), wanted)


def test_an_element_that_is_read_after_a_store_is_what_was_stored() -> None:
    x, y = da.asarray(field(1)), da.zeros((SIZE, SIZE)).evaluate()
    y[1:-1, 1:-1] = x[1:-1, 1:-1] * 2
    element, row = y[3, 4], y[5]
    y[1:-1, 1:-1] = x[:-2, 1:-1] * 3  # the element is a value, the row a view
    y.evaluate()
    host = field(1)
    assert element.item() == host[3, 4] * 2
    np.testing.assert_array_equal(row.copy_to_host()[1:-1], host[4, 1:-1] * 3)


def test_another_queue_waits_for_what_was_stored() -> None:
    x, y = da.asarray(field(1)), da.zeros((SIZE, SIZE)).evaluate()
    y[1:-1, 1:-1] = x[1:-1, 1:-1] * 2
    other = da.queue()
    z = da.ones((SIZE, SIZE), queue=other) + y
    wanted = np.ones((SIZE, SIZE))
    wanted[1:-1, 1:-1] += field(1)[1:-1, 1:-1] * 2
    np.testing.assert_array_equal(z.copy_to_host(), wanted)


@pytest.mark.usefixtures("gpu_strategy")
@pytest.mark.parametrize("stores", [1, 2])
def test_a_store_that_finds_no_memory_is_made_once_there_is_some(stores: int) -> None:
    """A local that is still there would be written beside the store: the error comes where the store is launched."""
    few = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(da.device()), 11 * SIZE * SIZE * 8 // 2)
    with da.use(allocator=few):
        x, y, z = da.asarray(field(1)), da.zeros((SIZE, SIZE)).evaluate(), da.zeros((SIZE, SIZE)).evaluate()
        filler = da.zeros((SIZE, SIZE)).evaluate()
        da.synchronize()
        local = da.sqrt(abs(x[1:-1, 1:-1])) * 3
        kept = da.exp(x[1:-1, 1:-1]) + local
        y[1:-1, 1:-1] = kept + 1
        if stores == 2:
            z[1:-1, 1:-1] = kept * local
        with pytest.raises(da.OutOfMemoryError):
            y.evaluate()
        del local, filler
        y.evaluate()
    root = np.sqrt(abs(field(1)[1:-1, 1:-1])) * 3
    wanted = np.exp(field(1)[1:-1, 1:-1]) + root
    np.testing.assert_allclose(y.copy_to_host()[1:-1, 1:-1], wanted + 1, rtol=1e-14)
    np.testing.assert_allclose(z.copy_to_host()[1:-1, 1:-1], wanted * root * (stores == 2), rtol=1e-14)


def test_a_read_only_target_is_refused_at_the_call() -> None:
    x, y = da.asarray(field(1)), da.zeros((SIZE, SIZE)).evaluate()
    y.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        y[1:-1, 1:-1] = x[1:-1, 1:-1] * 2


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.heavy
def test_random_programs_of_stores(seed: int) -> None:
    """Steps chosen at random over four arrays, their windows, rows and steps, and locals that live for a while."""
    windows: list[Any] = [
        np.s_[1:-1, 1:-1],
        np.s_[2:, 1:-1],
        np.s_[:-2, 2:],
        np.s_[2:, :-2],
        np.s_[:-2, 1:-1],
        np.s_[1:-1, :-2],
    ]
    halves: list[Any] = [np.s_[:, ::2], np.s_[:, 1::2], np.s_[:, -1::-2]]

    def program(xp: Any, *arrays: Any) -> None:
        rng = np.random.default_rng(seed)
        kept: list[Any] = []
        elements: list[Any] = []
        for _ in range(40):
            keys = windows if rng.random() < 0.7 else halves
            w = [keys[i] for i in rng.integers(len(keys), size=4)]
            a = [arrays[i] for i in rng.integers(4, size=4)]
            kind = rng.integers(8)
            value = a[0][w[0]] * 0.5 + a[1][w[1]]
            if kind == 0:
                a[2][w[2]] = value
            elif kind == 1:
                a[2][w[2]] += value * 0.25
            elif kind == 2:
                a[2][w[2]] = value
                a[3][w[3]] = value - 1
            elif kind == 3:
                kept.append(value)
            elif kind == 4 and kept:
                old = kept.pop(int(rng.integers(len(kept))))
                for x, key in zip(a, w, strict=True):
                    if x[key].shape == old.shape:
                        x[key] -= old * 0.125
            elif kind == 5:
                a[2][w[2]] = a[3][w[3]]
            elif kind == 6:
                elements.append(a[0][tuple(rng.integers(1, SIZE - 1, size=2))])
            else:
                a[2][...] = a[3] * 0.5
        for i, element in enumerate(elements):
            arrays[0][0, i] = element

    compared(program, *(field(10 * seed + i) for i in range(4)))
