"""un = u.copy(): a copy that waits, and gets the memory that its original gives up."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without
from written import given, launches

import devarray as da
from devarray import alloc

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels", "large_from_256_bytes")

HALF = np.float32(0.5)


def around(x: Any) -> Any:
    return x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] - x[1:-1, 2:] * HALF


def by_the_copy(u: Any, v: Any) -> list[Any]:
    un = u.copy()
    u[1:-1, 1:-1] = around(un)
    return [un]


def by_itself(u: Any, v: Any) -> list[Any]:
    un = u.copy()
    u[1:-1, 1:-1] = around(u)
    return [un, abs(u - un).max()]


def by_both(u: Any, v: Any) -> list[Any]:
    un = u.copy()
    u[1:-1, 1:-1] = around(un) * u[1:-1, 1:-1] - un[1:-1, 1:-1]
    return [un]


def two_arrays(u: Any, v: Any) -> list[Any]:
    un, vn = u.copy(), v.copy()
    u[1:-1, 1:-1] = around(un) - vn[1:-1, 1:-1]
    v[1:-1, 1:-1] = around(vn) - un[1:-1, 1:-1]
    return [un, vn]


def with_sides(u: Any, v: Any) -> list[Any]:
    un = u.copy()
    u[1:-1, 1:-1] = around(un)
    u[0] = un[1]
    u[:, -1] = 7
    return [un]


def all_of_it(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u[:] = v
    return [old, old - u]


def computed(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u[...] = v * HALF + old[::-1]
    return [old]


def one_value(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u[1:-1, 1:-1] = 7
    return [old]


def scaled(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u *= HALF
    return [old]


def by_its_copy(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u -= old * HALF
    return [old, old * 2]


def a_copy_that_is_written(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u[1:-1, 1:-1] = around(old)
    old[2] = 5
    u[3] = old[2]
    return [old]


def two_copies(u: Any, v: Any) -> list[Any]:
    one, other = u.copy(), u.copy()
    u[1:-1, 1:-1] = around(one) + other[1:-1, 1:-1]
    one[0] = 3
    return [one, other]


def a_copy_of_the_copy(u: Any, v: Any) -> list[Any]:
    one = u.copy()
    other = one.copy()
    u[1:-1, 1:-1] = around(other)
    other[0] = 3
    return [one, other]


def views_of_the_copy(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    row, turned = old[3], old.T[::-1]
    u[1:-1, 1:-1] = around(old)
    row[2:5] = 1
    return [old, row, turned]


def what_was_recorded(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    before, of_old = u * 2 + u[0], old[1:] - v[1:]
    u[1:-1, 1:-1] = around(old)
    return [old, before, of_old, u.max(0)]


def part(u: Any, v: Any) -> list[Any]:
    old = u.copy()
    u[4:6] = old[1:3] * HALF
    return [old]


def rolled(u: Any, v: Any) -> list[Any]:
    u[:-1] = u[1:]
    u[-1] = v[0]
    return []


FORMS = [
    by_the_copy, by_itself, by_both, two_arrays, with_sides, all_of_it, computed, one_value, scaled, by_its_copy,
    a_copy_that_is_written, two_copies, a_copy_of_the_copy, views_of_the_copy, what_was_recorded, part, rolled,
]  # fmt: skip
forms = pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)


def both(shape: tuple[int, ...] = (31, 29)) -> tuple[list[Any], list[Any]]:
    wanted = [given(*shape), given(*shape)[::-1] * HALF]
    return [da.asarray(x) for x in wanted], wanted


@forms
def test_as_numpy(form: Callable[..., list[Any]]) -> None:
    arrays, wanted = both()
    for _ in range(4):
        results = zip(form(*arrays), form(*wanted), strict=True)
        for got, want in [*results, *zip(arrays, wanted, strict=True)]:
            same(got, want)


@forms
def test_kept_results(form: Callable[..., list[Any]]) -> None:
    """Results of all steps are kept, and looked at last."""
    arrays, wanted = both()
    ours = [x for _ in range(4) for x in form(*arrays)]
    theirs = [x for _ in range(4) for x in form(*wanted)]
    for got, want in zip([*ours, *arrays], [*theirs, *wanted], strict=True):
        same(got, want)


@forms
def test_with_views(form: Callable[..., list[Any]]) -> None:
    arrays, wanted = both()
    views, wanted_views = ([x[2:9], x.T, x[::3, ::-1]] for x in (arrays[0], wanted[0]))
    for _ in range(3):
        ours, theirs = form(*arrays), form(*wanted)
        views[0][:, 3] = 5
        wanted_views[0][:, 3] = 5
        for got, want in zip([*ours, *views, *arrays], [*theirs, *wanted_views, *wanted], strict=True):
            same(got, want)


@forms
def test_memory_that_is_shared(form: Callable[..., list[Any]]) -> None:
    """Somebody has the address of the array's memory: it stays that."""
    arrays, wanted = both()
    shared = [da.from_dlpack(x) for x in arrays]
    for _ in range(3):
        for got, want in zip(form(*arrays), form(*wanted), strict=True):
            same(got, want)
        for got, want in zip(shared, wanted, strict=True):
            same(got, want)


class Refusing:
    """Gives memory so many times, and then none."""

    def __init__(self) -> None:
        self.inner = alloc.default_allocator(da.device())
        self.left = -1

    def __call__(self, nbytes: int) -> Any:
        if self.left == 0:
            raise MemoryError("no more")
        self.left -= 1
        return self.inner.allocate(nbytes)


def store(u: Any, un: Any) -> None:
    u[1:-1, 1:-1] = around(un)


def store_all(u: Any, un: Any) -> None:
    u[:] = un[::-1] * HALF + u


@pytest.mark.parametrize("times", range(5))
@pytest.mark.parametrize("form", [store, store_all], ids=lambda f: f.__name__)
def test_memory_runs_out(form: Callable[[Any, Any], None], times: int) -> None:
    """The array has what it had, or what was stored, and its copy what the array had."""
    refusing, wanted = Refusing(), given(31, 29)
    u = da.asarray(wanted, allocator=refusing) + 0
    u.evaluate()
    un, old = u.copy(), wanted.copy()
    refusing.left = times
    try:
        form(u, un)
    except MemoryError:
        pass
    else:
        form(wanted, old)
    refusing.left = -1
    same(u, wanted)
    same(un, old)
    form(u, un)
    form(wanted, old)
    same(u, wanted)
    same(un, old)


@pytest.mark.parametrize(
    ("form", "most"),
    [(by_the_copy, 4), (by_itself, 5), (two_arrays, 8), (all_of_it, 2), (one_value, 4), (scaled, 1), (by_its_copy, 2)],
    ids=lambda x: getattr(x, "__name__", ""),
)
def test_no_copy_is_made(form: Callable[..., list[Any]], most: int) -> None:
    """A launch for each store and what lies around it; results that are no copies are launches, too."""
    u, v = (da.asarray(given(64, 64)) + k for k in range(2))

    def step() -> None:
        for x in [*form(u, v), u, v]:
            x.evaluate()

    for _ in range(3):
        step()
    assert launches(step) <= most


def test_memory_of_a_step(device: da.Device) -> None:
    """The array and its copy take their two blocks by turns."""
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, device.memory_kinds[0]))
    u, wanted = da.asarray(given(64, 64), allocator=pool) + 0, given(64, 64)
    u.evaluate()
    held = set()
    for _ in range(6):
        un, old = u.copy(), wanted.copy()
        store(u, un)
        store(wanted, old)
        held.add(pool.managed_bytes)
    same(u, wanted)
    same(un, old)
    assert len(held) <= 2
    del u, un
    da.synchronize()
    assert pool.active_bytes == 0


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
        for y in (x, wanted):
            old = y.copy()
            y[window] = old[behind] | y[window] if dtype == "bool" else old[behind] - y[window]
            if y is x:
                ours = old
        same(ours, old)
    same(x, wanted)


@pytest.mark.parametrize("order", ["C", "F"])
def test_orders_and_parts_of_memory(order: Any) -> None:
    host = np.array(given(40, 50), order=order)
    whole = da.asarray(host, order=order)
    for part in (np.s_[:, :], np.s_[2:, :-3], np.s_[::-1], np.s_[:-1], np.s_[::2]):
        x, wanted = whole[part], host[part]
        for _ in range(2):
            un, old = x.copy(), wanted.copy()
            store(x, un)
            store(wanted, old)
            same(un, old)
        same(whole, host)


def test_random_programs() -> None:
    """Views, copies, results that wait, and stores of all these forms, in any order."""
    for seed in range(40):
        r = random.Random(seed)
        (x, y), (wanted, other) = both((23, 21))
        ours, theirs = [x, y], [wanted, other]
        for _ in range(12):
            k = r.randrange(len(ours))
            at = r.randrange(len(FORMS) + 8)
            if at < len(FORMS):
                ours += FORMS[at](x, y)
                theirs += FORMS[at](wanted, other)
                continue
            for arrays in (ours, theirs):
                z = arrays[k]
                match at - len(FORMS):
                    case 0:
                        arrays.append(z[1:])
                    case 1:
                        arrays.append(z * HALF + 1)
                    case 2 | 3:
                        arrays.append(z.copy())
                    case 4:
                        z[:1] = 3
                    case 5:
                        z += z.copy()[::-1]
                    case 6:
                        del arrays[max(k, 2) :]
                    case _:
                        arrays[:2] = arrays[1::-1]
            x, y, wanted, other = *ours[:2], *theirs[:2]
        for got, want in zip(ours, theirs, strict=True):
            same(got, want, f"seed {seed}")
