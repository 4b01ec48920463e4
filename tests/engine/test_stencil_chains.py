"""Steps of stencils: several become one kernel by tiles, where nobody looks at what lies between them."""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle import skip_without
from test_rows import launches, waiting

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")

__all__ = ["waiting"]

SHAPES = [(40, 72), (56, 72), (57, 137), (97, 128), (133, 75)]
Step = Callable[[Any, Any], Any]


def cross(xp: Any, u: Any) -> Any:
    return xp.roll(u, 1, axis=0) + xp.roll(u, -1, axis=0) + xp.roll(u, 1, axis=1) + xp.roll(u, -1, axis=1)


def diffusion(xp: Any, u: Any) -> Any:
    return u + (cross(xp, u) - 4 * u) / 8


def majority(xp: Any, u: Any) -> Any:
    n = sum(xp.roll(u, (y, x), axis=(0, 1)) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0))
    return xp.where(n == 3, 1, xp.where(n == 2, u, 0)).astype(u.dtype)


def padded(xp: Any, u: Any) -> Any:
    inner = u[1:-1, 1:-1]
    around = u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]
    return xp.pad(inner + (around - 4 * inner) / 8, 1, constant_values=2)


def lopsided(xp: Any, u: Any) -> Any:
    """Reads two rows up, one row down and three columns to the left."""
    return (xp.roll(u, 2, axis=0) - xp.roll(u, -1, axis=0) + xp.roll(u, 3, axis=1)) / 4 + u / 2


STEPS = [diffusion, majority, padded, lopsided]


def start(shape: tuple[int, int], dtype: Any = "float32", seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng([seed, *shape])
    dtype = np.dtype(dtype)
    if dtype.kind in "iub":
        return rng.integers(0, 2, shape).astype(dtype)
    x = rng.standard_normal(shape)
    return (x + 1j * rng.standard_normal(shape) if dtype.kind == "c" else x).astype(dtype)


def after(xp: Any, step: Step, u: Any, count: int) -> Any:
    for _ in range(count):
        u = step(xp, u)
    return u


def check(ours: Any, theirs: np.ndarray) -> None:
    assert ours.dtype == theirs.dtype and ours.shape == theirs.shape
    got = np.asarray(ours.copy_to_host())
    if theirs.dtype.kind in "iub":
        np.testing.assert_array_equal(got, theirs)
    else:
        eps = np.finfo(theirs.dtype).eps
        np.testing.assert_allclose(got, theirs, rtol=64 * eps, atol=64 * eps * np.abs(theirs).max(initial=1))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("step", STEPS)
def test_steps(step: Step, shape: tuple[int, int]) -> None:
    host = start(shape, "int32" if step is majority else "float32")
    for count in (1, 2, 3, 4, 5, 6, 9, 13):
        check(after(da, step, da.asarray(host), count), after(np, step, host, count))


@pytest.mark.parametrize("dtype", ["float64", "complex64", "complex128", "int64", "uint8", "int16"])
@pytest.mark.parametrize("step", [diffusion, padded, majority])
def test_dtypes(step: Step, dtype: str) -> None:
    skip_without(dtype)
    if (step is majority) != (np.dtype(dtype).kind in "iu"):
        pytest.skip("not a program of this dtype")
    host = start((67, 139), dtype)
    for count in (4, 7):
        check(after(da, step, da.asarray(host), count), after(np, step, host, count))


@pytest.mark.parametrize("step", STEPS)
def test_bits_are_those_of_single_steps(step: Step) -> None:
    host = start((75, 140), "int32" if step is majority else "float32")
    chained = after(da, step, da.asarray(host), 10).copy_to_host()
    da.config.deferred = False
    np.testing.assert_array_equal(chained, after(da, step, da.asarray(host), 10).copy_to_host())


def takes_few_arguments(device: da.Device) -> bool:
    """Whether kernels take fewer arguments than five steps have, as PoCL's do: chains are shorter then."""
    return device.caps["max_parameter_bytes"] < 3500


@pytest.mark.parametrize("step", STEPS)
def test_fewer_launches(step: Step, device: da.Device) -> None:
    host = da.asarray(start((100, 200), "int32" if step is majority else "float32"))
    work = lambda: after(da, step, host, 21).evaluate()  # noqa: E731
    for _ in range(3):
        work()
    most = 30 if step is padded else 8  # a launch or two a step write what lies around
    if takes_few_arguments(device):
        most += 6
    assert launches(work) <= most


@pytest.mark.parametrize("count", [3, 5, 7])
def test_marks_of_the_queue_cut_no_chain(count: int, device: da.Device) -> None:
    """It is marked every so many launches; steps that wait by then wait on."""
    u = da.asarray(start((75, 140)))

    def work() -> None:
        after(da, diffusion, u, count).evaluate()
        da.synchronize()

    for _ in range(3):
        work()
    assert len({launches(work) for _ in range(200)}) == 1


def test_what_lies_between_is_not_written(device: da.Device) -> None:
    if takes_few_arguments(device):
        pytest.skip("chains are short")
    host = start((128, 256))
    work = lambda: after(da, diffusion, da.asarray(host), 13).evaluate()  # noqa: E731
    for _ in range(3):
        work()
    before = da.stats()["bytes_moved"]
    work()
    assert da.stats()["bytes_moved"] - before < 13 * 2 * host.nbytes


@pytest.mark.parametrize("step", STEPS)
def test_held_steps_are_kept(step: Step) -> None:
    host = start((70, 100), "int32" if step is majority else "float32")
    u, v, ours, theirs = da.asarray(host), host, [], []
    for i in range(11):
        u, v = step(da, u), step(np, v)
        if i % 3 != 1:
            ours.append(u)
            theirs.append(v)
    for a, b in zip(ours, theirs, strict=True):
        check(a, b)


def test_two_fields() -> None:
    def program(xp: Any, u: Any, v: Any) -> tuple[Any, Any, list[Any]]:
        seen = []
        for i in range(12):
            v = v + (cross(xp, u) - 4 * u) / 16
            u = u + v / 4
            if i in (4, 5):
                seen.append(v)
        return u, v, seen

    u, v = start((90, 101)), start((90, 101), seed=1)
    ours, theirs = program(da, da.asarray(u), da.asarray(v)), program(np, u, v)
    for a, b in zip([*ours[:2], *ours[2]], [*theirs[:2], *theirs[2]], strict=True):
        check(a, b)


def test_step_before_the_last() -> None:
    """The wave equation of second order in time reads what two steps before gave."""

    def program(xp: Any, u: Any) -> tuple[Any, Any]:
        old = u
        for _ in range(15):
            u, old = 2 * u - old + (cross(xp, u) - 4 * u) / 16, u
        return u, old

    host = start((60, 110))
    for a, b in zip(program(da, da.asarray(host)), program(np, host), strict=True):
        check(a, b)


def test_other_operands() -> None:
    """Arrays that stay, rows, columns, numbers that change, an array shifted far, and one seen through a window."""
    host, where = start((66, 130)), start((66, 130), "bool")
    large = start((68, 140), seed=3)

    def program(xp: Any, u: Any, where: Any, large: Any) -> Any:
        row, column = u[0] / 8, u[:, :1] / 8
        for i in range(9):
            u = xp.where(where, (cross(xp, u) + row) / 4, u / 2 + column * (i + 1))
            u = u + xp.roll(large[1:-1, 3:133], 33, axis=1) / 16 + large[2:, 2:132] / 16
        return u

    ours = program(da, da.asarray(host), da.asarray(where), da.asarray(large))
    check(ours, program(np, host, where, large))


def test_what_a_step_reads_is_written_to_afterwards() -> None:
    host = start((64, 96))
    u, v = da.asarray(host), host.copy()
    force, push = da.asarray(host), host.copy()
    for i in range(10):
        u, v = diffusion(da, u) + force, diffusion(np, v) + push
        if i % 2:
            force += 1
            push += 1
        if i == 5:
            force[3:9] = push[3:9] = 0
    check(u, v)
    check(force, push)


def test_results_are_written_to_afterwards() -> None:
    host = start((64, 96))
    u, v = da.asarray(host), host.copy()
    for i in range(12):
        u, v = diffusion(da, u), diffusion(np, v)
        if i in (3, 6, 7):
            u[0] = v[0] = 1
            u[:, -1] *= 2
            v[:, -1] *= 2
    check(u, v)


@pytest.mark.parametrize(
    "look",
    [
        lambda u: float(u[3, 4]),
        lambda u: float(u.sum()),
        lambda u: u.copy_to_host()[1, 1],
        lambda u: u[::2, 3:].copy().copy_to_host()[2, 2],
        lambda u: u.T.copy_to_host()[5, 6],
        lambda u: u.queue.finish(),
        lambda u: u.queue.record().wait(),
        lambda u: da.synchronize(),
        lambda u: u.evaluate(),
        lambda u: da.from_dlpack(u).sum().item(),
        lambda u: u.ravel()[7].item(),
        lambda u: (u @ u.T).copy_to_host()[1, 1],
        lambda u: gc.collect(),
        lambda u: da.sort(u, axis=1).copy_to_host()[0, 0],
        lambda u: da.cumsum(u, axis=0).copy_to_host()[-1, 0],
        lambda u: repr(u),
        lambda u: u.astype("float64").copy_to_host()[2, 2],
    ],
)
def test_looking_on(look: Callable[[Any], Any]) -> None:
    """Whoever asks for a result in the middle gets it."""
    skip_without("float64")
    host = start((64, 80))
    u, v = da.asarray(host), host
    for i in range(10):
        u, v = diffusion(da, u), diffusion(np, v)
        if i in (3, 5, 6):
            look(u)
    check(u, v)


def test_values_that_are_seen_are_right() -> None:
    host = start((64, 80))
    u, v = da.asarray(host), host
    for i in range(12):
        u, v = diffusion(da, u), diffusion(np, v)
        if i in (3, 5, 6, 9):
            assert float(u[3, 4]) == pytest.approx(float(v[3, 4]), rel=1e-4, abs=1e-5)
            assert float(u.sum()) == pytest.approx(float(v.sum()), rel=1e-3, abs=1e-2)
            check(u, v)


def test_another_queue_reads_it() -> None:
    host = start((64, 80))
    u, v = da.asarray(host), host
    queue = u.device.create_queue() if hasattr(u.device, "create_queue") else da.queue()
    for i in range(9):
        u, v = diffusion(da, u), diffusion(np, v)
        if i in (4, 5):
            with da.use(queue=queue):
                check(u + 1, v + 1)
    check(u, v)


def test_another_thread_goes_on() -> None:
    host = start((64, 80))
    u = after(da, diffusion, da.asarray(host), 6)
    results = []
    other = threading.Thread(target=lambda: results.append(after(da, diffusion, u, 6).copy_to_host()))
    other.start()
    mine = after(da, diffusion, u, 6)
    other.join()
    expected = after(np, diffusion, host, 12)
    check(mine, expected)
    np.testing.assert_allclose(results[0], expected, rtol=1e-4, atol=1e-5)


def test_threads_have_steps_of_their_own() -> None:
    host = [start((64, 80), seed=i) for i in range(4)]
    results: list[Any] = [None] * 4

    def work(i: int) -> None:
        results[i] = after(da, diffusion, da.asarray(host[i]), 20).copy_to_host()

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    for i in range(4):
        np.testing.assert_allclose(results[i], after(np, diffusion, host[i], 20), rtol=1e-4, atol=1e-5)


def test_two_programs_by_turns() -> None:
    a, b = start((64, 80)), start((64, 80), seed=1)
    u, v = da.asarray(a), da.asarray(b)
    for _ in range(9):
        u, a = diffusion(da, u), diffusion(np, a)
        v, b = lopsided(da, v), lopsided(np, b)
    check(u, a)
    check(v, b)


def test_little_memory(device: da.Device) -> None:
    """Where there is no memory beside, steps are launched one by one."""
    host = start((128, 128))
    for most in (4, 5, 7):
        limit = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), most * host.nbytes + 4096)
        with da.use(allocator=da.alloc.PoolMemoryResource(limit)):
            u, v, old = da.asarray(host), host, da.zeros(host.shape, host.dtype)
            for _ in range(8):
                old, u, v = old * 0, diffusion(da, u) + old, diffusion(np, v)
            check(u, v)
            del u, old


def test_more_steps_than_a_queue_takes() -> None:
    """The host waits for the device every few hundred launches, held back or not."""
    host = start((56, 72))
    check(after(da, diffusion, da.asarray(host), 1300), after(np, diffusion, host, 1300))


def test_arrays_let_go_of_at_once() -> None:
    host = start((64, 80))
    for count in range(1, 9):
        after(da, diffusion, da.asarray(host), count).evaluate()
        after(da, diffusion, da.asarray(host), count)
    check(after(da, diffusion, da.asarray(host), 5), after(np, diffusion, host, 5))


@pytest.mark.parametrize("shape", [(0, 80), (1, 80), (39, 80), (64, 71), (64, 1)])
def test_too_small_or_empty(shape: tuple[int, int]) -> None:
    host = start(shape)
    check(after(da, diffusion, da.asarray(host), 6), after(np, diffusion, host, 6))


def test_strides() -> None:
    host = start((64, 300))
    for view in (lambda x: x[:, ::3], lambda x: x[::-1, :100], lambda x: x[:, :100].T, lambda x: x[:, 7:150]):
        check(after(da, diffusion, view(da.asarray(host)), 6), after(np, diffusion, view(host), 6))


def test_in_place() -> None:
    host = start((64, 96))
    u, v = da.asarray(host), host.copy()
    for _ in range(7):
        for xp, x in ((da, u), (np, v)):
            x[1:-1, 1:-1] += (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:] - 4 * x[1:-1, 1:-1]) / 8
            x += xp.roll(x, 1, axis=0) / 16
    check(u, v)


def test_windows_of_a_larger_array() -> None:
    """Two buffers by turns, as programs that save allocations write it."""
    host = start((70, 110))
    u, v = [da.asarray(host), da.asarray(host)], [host.copy(), host.copy()]
    for _ in range(9):
        for x in (u, v):
            a, b = x
            b[1:-1, 1:-1] = (a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) / 4
            x.reverse()
    check(u[0], v[0])
    check(u[1], v[1])


@st.composite
def programs(draw: st.DrawFn) -> list[tuple[int, list[tuple[int, int, int]], bool]]:
    """For each step which field it gives, what it adds up (field, rows, columns), and whether it is kept."""
    steps = []
    for _ in range(draw(st.integers(2, 9))):
        far = st.integers(-4, 4)
        parts = draw(st.lists(st.tuples(st.integers(0, 2), far, far), min_size=1, max_size=5))
        steps.append((draw(st.integers(0, 2)), parts, draw(st.integers(0, 5)) == 0))
    return steps


@given(programs(), st.sampled_from(SHAPES), st.booleans())
@settings(max_examples=40, deadline=None)
def test_random_programs(program: list[Any], shape: tuple[int, int], windows: bool) -> None:
    def run(xp: Any, fields: list[Any]) -> list[Any]:
        kept = []
        for target, parts, keep in program:
            total = fields[target] / 2
            for field, y, x in parts:
                if windows:
                    frame = xp.pad(fields[field], 4)
                    total = total + frame[4 + y : 4 + y + shape[0], 4 + x : 4 + x + shape[1]] / 8
                else:
                    total = total + xp.roll(fields[field], (y, x), axis=(0, 1)) / 8
            fields = [*fields[:target], total, *fields[target + 1 :]]
            if keep:
                kept.append(total)
        return [*fields, *kept]

    hosts = [start(shape, seed=i) for i in range(3)]
    for _ in range(2):  # the second time by kept plans
        ours = run(da, [da.asarray(h) for h in hosts])
        for a, b in zip(ours, run(np, hosts), strict=True):
            check(a, b)
