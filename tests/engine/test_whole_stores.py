"""x[:] = value, and out=: an array that nobody else sees takes the value in place of being written."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without
from written import given, launches

import devarray as da
from devarray import alloc

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

HALF = np.float32(0.5)


def by_out(a: Any, b: Any, t: Any) -> None:
    np.multiply(a, b, out=t)
    np.add(t, a, out=t)
    np.sqrt(t, out=t)


def by_out_tuple(a: Any, b: Any, t: Any) -> None:
    np.multiply(a, b, out=(t,))
    np.subtract(t, b, t)


def by_key(a: Any, b: Any, t: Any) -> None:
    t[:] = a * b
    t[...] = t + a
    t[:, :] = np.sqrt(t)


def by_copyto(a: Any, b: Any, t: Any) -> None:
    np.copyto(t, a)
    t += b
    np.copyto(t, t * HALF)


def of_another(a: Any, b: Any, t: Any) -> None:
    t[:] = a
    t[1] = 5
    a[2] = 7


def of_what_waits(a: Any, b: Any, t: Any) -> None:
    c = a + b
    t[:] = c
    c[1] = 5
    t[2] = 7
    b[:] = c


def of_a_view(a: Any, b: Any, t: Any) -> None:
    c = a * HALF
    t[:] = c[::-1]
    c[0] = 3
    t[1:] = c[:-1]


def of_itself(a: Any, b: Any, t: Any) -> None:
    t[:] = t[::-1] + a
    t[:] = t
    t[:] = t.T[:, ::-1].T


def a_row(a: Any, b: Any, t: Any) -> None:
    t[:] = a[0] * HALF
    t[...] = t + 1
    b[:] = 3


def another_dtype(a: Any, b: Any, t: Any) -> None:
    t[:] = (a * 100).astype("int32")
    np.greater(a, b, out=t)
    b[:] = a > t


def in_columns(a: Any, b: Any, t: Any) -> None:
    t[:] = a.T.copy().T * 2


FORMS = [
    by_out, by_out_tuple, by_key, by_copyto, of_another, of_what_waits, of_a_view, of_itself, a_row, another_dtype,
    in_columns,
]  # fmt: skip
forms = pytest.mark.parametrize("form", FORMS, ids=lambda f: f.__name__)


def both(shape: tuple[int, ...] = (70, 70)) -> tuple[list[Any], list[np.ndarray]]:
    wanted = [given(*shape, seed=k) for k in range(3)]
    return [da.asarray(x) + 0 for x in wanted], wanted


@forms
@pytest.mark.parametrize("evaluated", [True, False])
def test_as_numpy(form: Callable[[Any, Any, Any], None], evaluated: bool) -> None:
    ours, theirs = both()
    for _ in range(3):
        if evaluated:
            for x in ours:
                x.evaluate()
        form(*ours)
        form(*theirs)
        for got, want in zip(ours, theirs, strict=True):
            if not evaluated:
                continue
            same(got, want)
            assert got.flags.c_contiguous
    for got, want in zip(ours, theirs, strict=True):
        same(got, want)


@forms
def test_views_see_it(form: Callable[[Any, Any, Any], None]) -> None:
    """With views, names, exports and results that wait for the old values."""
    ours, theirs = both()
    views, wanted = ([v for x in arrays for v in (x[3:9], x.T, x[::2, ::-1])] for arrays in (ours, theirs))
    for _ in range(2):
        before, was = [x * 2 for x in ours], [x * 2 for x in theirs]
        form(*ours)
        form(*theirs)
        for got, want in zip([*views, *before, *ours], [*wanted, *was, *theirs], strict=True):
            same(got, want)


@forms
def test_names_see_it(form: Callable[[Any, Any, Any], None]) -> None:
    ours, theirs = both()
    other = ours[2]
    shared = da.from_dlpack(ours[0])
    form(*ours)
    form(*theirs)
    assert other is ours[2]
    same(shared, theirs[0])
    same(other, theirs[2])


@forms
def test_large(form: Callable[[Any, Any, Any], None]) -> None:
    ours, theirs = both((1100, 1100))
    for _ in range(2):
        form(*ours)
        form(*theirs)
    for got, want in zip(ours, theirs, strict=True):
        same(got, want)


@pytest.mark.parametrize(("form", "most"), [(by_out, 1), (by_out_tuple, 1), (by_key, 1), (by_copyto, 1)])
def test_one_kernel(form: Callable[[Any, Any, Any], None], most: int) -> None:
    """The statements fuse as if they made new arrays."""
    (a, b, t), _ = both((1100, 1100))

    def work() -> None:
        form(a, b, t)
        t.evaluate()

    work()
    assert launches(work) <= most


def test_a_value_that_is_never_used_is_not_computed() -> None:
    (a, b, t), _ = both((1100, 1100))
    t[:] = a * b
    t[:] = a + b
    same(t, a.copy_to_host() + b.copy_to_host())
    before = da.stats()["launches"]
    np.multiply(a, b, out=t)
    t[:] = a - b
    assert da.stats()["launches"] == before
    t.evaluate()
    assert da.stats()["launches"] <= before + 1


def test_host_memory_stays_the_hosts() -> None:
    """An array that was stored is not the host's memory from then on."""
    for shape in [(5, 5), (1100, 1100)]:
        host = given(*shape)
        t = da.zeros(shape, dtype="float32") + 0
        t.evaluate()
        t[:] = host
        host[:] = -1
        same(t, given(*shape))
        t[0] = 9
        assert (host == -1).all()
        try:
            mapped = da.asarray(host, copy=False)
        except ValueError:  # a device that does not take the host's memory
            continue
        t[:] = mapped
        t[0] = 9
        assert (host == -1).all()


def test_the_array_keeps_its_allocator(device: da.Device) -> None:
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, device.memory_kinds[-1]))
    wanted = given(1100, 1100)
    a = da.asarray(wanted) + 0
    t = da.zeros((1100, 1100), dtype="float32", allocator=pool)
    t.evaluate()
    for value in (a, a * 2, a.copy_to_host() * 3):
        t[:] = value
        np.add(a, a, out=t)
        t[...] = value
        t.evaluate()
        assert pool.active_bytes >= wanted.nbytes
        assert t.allocator == pool or t.allocator is pool
    same(t, wanted * 3)


def test_an_error_leaves_the_array() -> None:
    (a, b, t), (_, _, wanted) = both()
    t.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        t[:] = a * b
    with pytest.raises(ValueError, match="read-only"):
        np.multiply(a, b, out=t)
    t.flags.writeable = True
    with pytest.raises(ValueError, match="broadcast"):
        t[:] = a[:, :5] * 2
    with pytest.raises(TypeError):
        np.multiply(a, 2j, out=t)
    same(t, wanted)


def test_imaginary_parts_are_dropped_with_a_warning() -> None:
    skip_without("complex64")
    (a, _, t), (x, _, wanted) = both()
    with pytest.warns(np.exceptions.ComplexWarning):
        t[:] = a * np.complex64(1 + 2j)
    wanted[:] = x
    same(t, wanted)


def test_a_loop_of_statements() -> None:
    """What is never asked for in between does not grow without end."""
    (a, b, t), (x, y, wanted) = both()
    for _ in range(300):
        np.multiply(t, HALF, out=t)
        b[:] = t + a
        t[:] = b - t * HALF
        wanted *= HALF
        y[:] = wanted + x
        wanted[:] = y - wanted * HALF
    same(t, wanted)
    same(b, y)


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (5000,), (1, 5000), (71, 1, 73)])
@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint16", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
)
def test_shapes_and_dtypes(shape: tuple[int, ...], dtype: str) -> None:
    skip_without(dtype)
    wanted = given(*shape).astype(dtype)
    ours, theirs = [], []
    for results, x in ((ours, da.asarray(wanted)), (theirs, wanted)):
        t, u = np.zeros_like(x), np.ones_like(x)
        np.add(x, x, out=t)
        u[...] = t ^ x if dtype == "bool" else t * x
        t[...] = u
        u[...] = x[::-1] if shape else x
        np.subtract(t, u, out=u) if dtype != "bool" else np.logical_xor(t, u, out=u)
        results += [t, u, x]
    for got, want in zip(ours, theirs, strict=True):
        same(got, want)


@pytest.mark.parametrize("evaluated", [True, False])
def test_a_key_is_asked_once(evaluated: bool) -> None:
    class Start:
        asked = 0

        def __index__(self) -> int:
            self.asked += 1
            return 0

    (_, b, t), (_, y, z) = both()
    if evaluated:
        t.evaluate()
    column, start = t[:, :1], Start()  # others see the array's memory, so that it does not take the value
    t[start:] = b * HALF
    assert start.asked == 1
    z[:] = y * HALF
    same(t, z)
    same(column, z[:, :1])


@pytest.mark.parametrize(
    ("view", "key"),
    [
        (lambda c: c[::-1], np.s_[::-1]),
        (lambda c: c[:, ::-1], np.s_[:, ::-1]),
        (lambda c: c[::-1, ::-1], np.s_[::-1, ::-1]),
        (lambda c: c[::-1], np.s_[:]),
        (lambda c: c.T, np.s_[...]),
        (lambda c: c[::-1], np.s_[::-1, :]),
    ],
)
def test_a_key_that_turns_a_view_back(view: Callable[[Any], Any], key: Any, large_from_256_bytes: None) -> None:
    """It chooses all of the view, in another order: that of the pending value that both look at."""
    skip_without("float32")
    host = given(80, 80)

    def stored(x: Any) -> Any:
        turned = view(x * 2)
        turned[key] = x + 1
        return turned

    same(stored(da.asarray(host)), stored(host))
