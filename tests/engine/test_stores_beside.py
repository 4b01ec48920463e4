"""u[1:-1, 1:-1] = f(u): what is stored reads the array's own memory around each element."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without
from written import given, launches

import devarray as da
from devarray import _core, alloc

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels", "large_from_256_bytes")

QUARTER = np.float32(0.25)


def around(x: Any) -> Any:
    return (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:]) * QUARTER


def assigned(u: Any) -> None:
    u[1:-1, 1:-1] = around(u)


def added(u: Any) -> None:
    u[1:-1, 1:-1] += around(u)


def summed(u: Any) -> None:
    u[1:-1, 1:-1] = u[1:-1, 1:-1] + around(u)


def by_operator(u: Any) -> None:
    """What the store uses is asked for afterwards."""
    w, f = u[1:-1, 1:-1], around(u)
    operator.setitem(u, (slice(1, -1), slice(1, -1)), f)
    w -= f * QUARTER


def rows(u: Any) -> None:
    u[1:] = u[:-1] * QUARTER + u[1:]


def columns(u: Any) -> None:
    u[:, 2:] = u[:, :-2] + u[:, 2:] * QUARTER


def a_corner(u: Any) -> None:
    u[:-1, :-1] = u[1:, 1:] * QUARTER + u[:-1, :-1]


def with_sides(u: Any) -> None:
    u[1:-1, 1:-1] = around(u)
    u[0] = u[1]
    u[:, -1] = 7


FORMS = [assigned, added, summed, by_operator, rows, columns, a_corner, with_sides]


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_as_numpy(form: Callable[[Any], None]) -> None:
    x, wanted = da.asarray(given(31, 29)), given(31, 29)
    for _ in range(5):
        form(x)
        form(wanted)
    same(x, wanted)


@pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)
def test_views_and_readers(form: Callable[[Any], None]) -> None:
    """Views see what is written, and what was recorded before does not."""
    x, wanted = da.asarray(given(31, 29)), given(31, 29)
    views = [x[3:5], x[::2, ::-1], x.T, x[0], x[:, :1]]
    wanted_views = [wanted[3:5], wanted[::2, ::-1], wanted.T, wanted[0], wanted[:, :1]]
    for _ in range(3):
        ours = [x * 2, x[4] + x[0], x[5, 6], x.max(0), x.copy()]
        theirs = [wanted * 2, wanted[4] + wanted[0], wanted[5, 6], wanted.max(0), wanted.copy()]
        form(x)
        form(wanted)
        for got, want in zip([*ours, x], [*theirs, wanted], strict=True):
            same(got, want)
        views[0][:, 3] = 5
        wanted_views[0][:, 3] = 5
        for got, want in zip(views, wanted_views, strict=True):
            same(got, want)


@pytest.mark.parametrize("shape", [(300,), (7, 11, 13), (3, 4, 5, 6), (1, 300), (300, 1)])
@pytest.mark.parametrize("dtype", ["float32", "int8", "float64", "complex64", "bool", "float16"])
def test_shapes_and_dtypes(shape: tuple[int, ...], dtype: str) -> None:
    skip_without(dtype)
    wanted = given(*shape).astype(dtype)
    x = da.asarray(wanted)
    wanted = wanted.copy()
    window = tuple(slice(1, None) if n > 2 else slice(None) for n in shape)
    behind = tuple(slice(None, -1) if n > 2 else slice(None) for n in shape)
    for _ in range(3):
        x[window] = x[behind] | x[window] if dtype == "bool" else x[behind] - x[window]
        wanted[window] = wanted[behind] | wanted[window] if dtype == "bool" else wanted[behind] - wanted[window]
    same(x, wanted)


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_and_parts_of_memory(order: str) -> None:
    """An array that is a part of other memory, in either order."""
    host = np.array(given(40, 50), order=order)
    whole = da.asarray(host, order=order)
    for part in (np.s_[:, :], np.s_[2:, :-3], np.s_[::-1], np.s_[:, ::-1], np.s_[::2]):
        x, wanted = whole[part], host[part]
        for _ in range(2):
            assigned(x)
            assigned(wanted)
        same(whole, host)


@pytest.mark.parametrize(("held", "dtype"), [("uint8", "bool"), ("uint16", "float16")])
def test_bytes_around_a_view_of_another_dtype(held: str, dtype: str) -> None:
    """Truths that are neither 0 nor 1, and NaNs of every kind."""
    wanted = np.zeros((64, 64), held)
    wanted[0], wanted[-1], wanted[:, 0] = range(2, 66), range(0x7C01 % 256, 0x7C01 % 256 + 64), 5
    if held == "uint16":
        wanted[0] = range(0x7C01, 0x7C41)
    x = da.asarray(wanted)
    wanted = wanted.copy()
    for v in (x.view(dtype), wanted.view(dtype)):
        v[1:-1, 1:-1] = v[1:-1, 1:-1] == v[1:-1, 2:]
    same(x, wanted)


@pytest.mark.parametrize(("form", "most"), [(assigned, 4), (added, 4), (summed, 4), (rows, 2), (columns, 3)])
def test_one_pass(form: Callable[[Any], None], most: int) -> None:
    """A launch for the window, and small ones for what lies around it: before and behind it, and between its rows."""
    x = da.asarray(given(64, 64)) + 0
    form(x)
    moved = da.stats()["bytes_moved"]
    assert launches(lambda: form(x)) <= most
    assert (
        da.stats()["bytes_moved"] - moved < 64 * 64 * 4 * 7.3
    )  # of which the window's four or five reads, and a write
    assert launches(lambda: operator.setitem(x, np.s_[:20], x[1:21] * 2)) == 2  # a part: a result, and a copy of it


def test_memory_that_others_see_stays() -> None:
    x, wanted = da.asarray(given(31, 29)), given(31, 29)
    other = da.from_dlpack(x)
    assigned(x)
    assigned(wanted)
    same(x, wanted)
    same(other, wanted)


def test_memory_of_the_host_stays(device: da.Device) -> None:
    """A map shows the array's memory until it ends, whatever else writes there meanwhile."""
    if isinstance(device, _core.cl.ContextDevice) and device.type == "gpu":
        pytest.skip("OpenCL leaves open what a kernel writes to a buffer that is mapped, and a GPU does not keep it")
    kind = next(kind for kind in device.memory_kinds if kind != "device")
    x, wanted = da.asarray(given(31, 29), allocator=alloc.DeviceMemoryResource(device, kind)) + 0, given(31, 29)
    with x.map() as memory:
        assigned(x)
        assigned(wanted)
        da.synchronize()
        memory[0, 0] = wanted[0, 0] = 5
    same(x, wanted)


def test_memory_goes_back(device: da.Device) -> None:
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, device.memory_kinds[0]))
    x, wanted = da.asarray(given(64, 64), allocator=pool) + 0, given(64, 64)
    x.evaluate()
    held = []
    for _ in range(6):
        assigned(x)
        assigned(wanted)
        held.append((pool.active_bytes, pool.managed_bytes))
    same(x, wanted)
    assert len(set(held)) == 1
    del x
    da.synchronize()
    assert pool.active_bytes == 0


def test_random_programs() -> None:
    """Views, results that wait, and stores of all these forms, in any order."""
    for seed in range(60):
        r = random.Random(seed)
        x, wanted = da.asarray(given(23, 21)), given(23, 21)
        ours, theirs = [x], [wanted]
        for _ in range(12):
            k = r.randrange(len(ours))
            at = r.randrange(len(FORMS) + 4)
            if at < len(FORMS):
                FORMS[at](x)
                FORMS[at](wanted)
            elif at == len(FORMS):
                part = r.choice([np.s_[2:], np.s_[:, ::-1], np.s_[1:-1, 1:-1], np.s_[::2]])
                ours.append(x[part])
                theirs.append(wanted[part])
            elif at == len(FORMS) + 1:
                ours.append(ours[k] * QUARTER + 1)
                theirs.append(theirs[k] * QUARTER + 1)
            elif at == len(FORMS) + 2:
                ours.append(ours[k].copy())
                theirs.append(theirs[k].copy())
            else:
                ours[k][:1] = 3
                theirs[k][:1] = 3
        for got, want in zip(ours, theirs, strict=True):
            same(got, want, f"seed {seed}")
