"""Memory of chains of stencils: what nobody will read goes back while the steps are held."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import skip_without
from test_rows import waiting
from test_stencil_chains import check, cross, diffusion, lopsided, majority, padded, start, takes_few_arguments

import devarray as da

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "waiting")

__all__ = ["waiting"]

Fields = tuple[Any, ...]
Step = Callable[..., Fields]


def heat(xp: Any, u: Any) -> Fields:
    inner = u[1:-1, 1:-1]
    inner = inner + 0.2 * (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] - 4.0 * inner)
    return (xp.pad(inner, 1),)


def wave(xp: Any, u: Any, v: Any) -> Fields:
    v = v + 0.1 * (cross(xp, u) - 4 * u)
    return u + 0.1 * v, v


def chemicals(xp: Any, u: Any, v: Any) -> Fields:
    reaction = u * v * v
    return (
        u + 0.16 * (cross(xp, u) - 4 * u) - reaction + 0.035 * (1 - u),
        v + 0.08 * (cross(xp, v) - 4 * v) + reaction - 0.1 * v,
    )


def life(xp: Any, u: Any) -> Fields:
    return (majority(xp, u),)


def run(xp: Any, step: Step, fields: Fields, count: int) -> Fields:
    for _ in range(count):
        fields = step(xp, *fields)
    return fields


def inputs(step: Step, shape: tuple[int, int] = (128, 136)) -> tuple[np.ndarray, ...]:
    if step is life:
        return (start(shape, "int32"),)
    fields = start(shape), start(shape, seed=1) / 4
    return fields if step in (wave, chemicals) else fields[:1]


def alone(step: Step, hosts: tuple[np.ndarray, ...], count: int) -> list[np.ndarray]:
    """What single steps give."""
    da.config.deferred = False
    try:
        return [x.copy_to_host() for x in run(da, step, tuple(da.asarray(h) for h in hosts), count)]
    finally:
        da.config.deferred = True


@pytest.fixture(params=["usual", "other"])
def direct(request: pytest.FixtureRequest, device: da.Device) -> Any:
    """Memory with addresses, which pools divide, or without."""
    kinds = device.memory_kinds
    if request.param == "other" and len(kinds) == 1:
        pytest.skip("of one kind alone")
    return da.alloc.DeviceMemoryResource(device, kinds[0 if request.param == "usual" else 1])


def counting(direct: Any) -> Any:
    return da.alloc.StatisticsResourceAdaptor(da.alloc.PoolMemoryResource(direct))


@pytest.mark.parametrize(("step", "most"), [(heat, 4), (life, 3), (wave, 5), (chemicals, 7)])
def test_peak(direct: Any, step: Step, most: int) -> None:
    """Beside the inputs there are as many arrays at most as where each operation has its temporaries."""
    hosts, allocator = inputs(step), counting(direct)
    with da.use(allocator=allocator):
        for _ in range(3):  # plans are kept then
            fields = tuple(da.asarray(h) for h in hosts)
            allocator.push_counters()
            ours = run(da, step, fields, 23)
            da.synchronize()
            peak = allocator.pop_counters().peak_bytes
    assert peak <= most * hosts[0].nbytes + 4096
    for a, b in zip(ours, alone(step, hosts, 23), strict=True):
        np.testing.assert_array_equal(a.copy_to_host(), b)


def pushed(xp: Any, u: Any, v: list[Any], kept: list[Any]) -> Fields:
    """Nobody else has `v`, so that the first step writes where it reads it."""
    for i in range(4):
        v[0] = v[0] + (cross(xp, u) - 4 * u) / 16
        u = u + v[0] / 4
        if i == 0:
            kept.append(v[0])
    return u, v[0]


def windows(xp: Any, u: Any, v: list[Any], kept: list[Any]) -> Fields:
    """The same with arrays that are padded with a number."""
    for i in range(4):
        v[0] = v[0] + (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) / 4
        u = xp.pad(u[1:-1, 1:-1] / 2 + v[0] / 4, 1, constant_values=3)
        if i == 0:
            kept.append(v[0])
    return u, v[0]


class Program:
    """Four steps that are launched one by one where the first one's second result is kept: other groups of work-items
    would read where it lies."""

    def __init__(self, step: Callable[..., Fields], dtype: str = "float32") -> None:
        self.step = step
        self.u, self.v = start((66, 98), dtype), start((66, 98), dtype, seed=1)
        if step is windows:
            self.v = self.v[1:-1, 1:-1].copy()

    def __call__(self, look: Callable[[], object] = lambda: None, keep: bool = True) -> tuple[list[Any], int]:
        """Results, and launches."""
        u, v, kept = da.asarray(self.u), [da.asarray(self.v) + 0], []
        v[0].evaluate()
        before = da.stats()["launches"]
        results = self.step(da, u, v, kept)
        del u, v
        if not keep:
            kept.clear()
        look()
        da.synchronize()
        return [*results, *kept], da.stats()["launches"] - before

    def check(self, ours: list[Any]) -> None:
        da.config.deferred = False
        theirs, _ = self()
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(a.copy_to_host(), b.copy_to_host())


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("step", [pushed, windows])
def test_steps_one_by_one_get_memory_again(
    device: da.Device, direct: Any, step: Callable[..., Fields], dtype: str
) -> None:
    """Freed results are written after all."""
    skip_without(dtype)
    if takes_few_arguments(device):
        pytest.skip("chains are short")
    program, allocator = Program(step, dtype), counting(direct)
    with da.use(allocator=allocator):
        for _ in range(4):  # the kernels are there then
            fewer = program(keep=False)[1]
            ours, count = program()
        assert count > fewer, "the steps were one kernel: the test is of nothing"
        program.check(ours)
        del ours
    assert allocator.allocation_counts.current_bytes == 0


@pytest.mark.parametrize("step", [pushed, windows])
def test_no_memory_for_steps_one_by_one(device: da.Device, direct: Any, step: Callable[..., Fields]) -> None:
    """An error says so; where some is free again, the results are there."""
    if takes_few_arguments(device):
        pytest.skip("chains are short")
    program, hog = Program(step), []
    limit = da.alloc.LimitingResourceAdaptor(direct, 4 << 20)

    def look() -> None:
        with pytest.raises(da.OutOfMemoryError):
            while True:
                hog.append(da.empty((8, 98), program.u.dtype))  # so that no hole is left
        for _ in range(2):
            with pytest.raises(da.OutOfMemoryError):
                da.synchronize()
        hog.clear()

    with da.use(allocator=da.alloc.PoolMemoryResource(limit)):
        for _ in range(3):
            program()
        ours, _ = program(look)
        program.check(ours)


@pytest.mark.parametrize("step", [heat, life, wave, chemicals])
def test_what_takes_the_memory(direct: Any, step: Step) -> None:
    """Others write to it while the steps are held."""
    hosts, others = inputs(step), []
    with da.use(allocator=counting(direct)):
        fields = tuple(da.asarray(h) for h in hosts)
        for i in range(13):
            fields = step(da, *fields)
            others.append(da.full(hosts[0].shape, i, hosts[0].dtype).evaluate())
            others = others[-3:]
    for a, b in zip(fields, alone(step, hosts, 13), strict=True):
        np.testing.assert_array_equal(a.copy_to_host(), b)
    for i, other in enumerate(others, 10):
        assert (other.copy_to_host() == i).all()


@pytest.mark.parametrize("keep", [lambda u: u, lambda u: u[3:9, ::2], lambda u: u.T, lambda u: u[4, 4:5]])
@pytest.mark.parametrize("step", [heat, life])
def test_other_names(step: Step, keep: Callable[[Any], Any]) -> None:
    """A result of the middle that something still shows is no one else's memory."""
    (host,) = inputs(step)
    expected = [alone(step, (host,), i + 1)[0] for i in range(9)]
    u, kept = da.asarray(host), []
    for i in range(9):
        (u,) = step(da, u)
        if i in (1, 2, 6):
            u.evaluate()
            kept.append((keep(u), keep(expected[i])))
    for a, b in [*kept, (u, expected[-1])]:
        np.testing.assert_array_equal(a.copy_to_host(), b)


def test_names_that_go_late() -> None:
    """Results are let go of in another order than they were made in."""
    host = start((70, 90))
    u, held, expected = da.asarray(host), [], [host]
    for i in range(17):
        u = diffusion(da, u)
        expected.append(diffusion(np, expected[-1]))
        held.append((i, u))
        if i % 3 == 2:
            number, old = held.pop(i % len(held))
            check(old, expected[number + 1])
            del old
    for number, old in held:
        check(old, expected[number + 1])


@pytest.mark.parametrize("values", [0, 2, ((1, 2), (3, 4))])
@pytest.mark.parametrize("dtype", ["float32", "int32", "uint8", "complex64", "float64", "complex128"])
def test_frames(dtype: str, values: Any) -> None:
    """Of one value or several, wide or narrow, on some sides or all."""
    skip_without(dtype)
    host = start((80, 100), dtype)
    for width in (1, 2, ((2, 2), (1, 3)), ((3, 1), (2, 2))):

        def step(xp: Any, u: Any, width: Any = width) -> Any:
            (top, below), (left, right) = np.broadcast_to(width, (2, 2)).tolist()
            h, w = u.shape[0] - top - below, u.shape[1] - left - right
            at = lambda y, x: u[top + y : top + y + h, left + x : left + x + w]  # noqa: E731
            total = at(0, 0) // 2 if u.dtype.kind in "iu" else at(0, 0) / 4
            total = total + (at(-1, 0) + at(1, 0) - at(0, -1) - at(0, 1)) * 3
            return xp.pad(total, width, constant_values=values)

        u, v = da.asarray(host), host
        for _ in range(7):
            u, v = step(da, u), step(np, v)
        check(u, v)


def test_a_frame_is_written_to() -> None:
    """Then it is not of one value any more."""
    host = start((80, 100))
    u, v = da.asarray(host), host
    for i in range(14):
        u, v = padded(da, u), padded(np, v)
        if i % 3 == 1:
            u[0], v[0] = 7, 7
        if i % 4 == 2:
            u[:, -1:] += 1
            v[:, -1:] += 1
        if i % 5 == 3:
            u[40:42, 50:60] = v[40:42, 50:60] = -1
    check(u, v)


def test_frame_as_wide_as_the_array() -> None:
    """Of rows alone: what lies beside the window is in its next row."""
    h, w = 70, 130
    table = start((h, w + 20))

    def step(xp: Any, u: Any, table: Any) -> Any:
        flat = u.ravel()
        at = lambda by: flat[2 * w + by : (h + 2) * w + by].reshape(h, w)  # noqa: E731
        return xp.pad((at(1) + at(-1) + at(w) + at(-w)) / 4 + table[:, :w], ((2, 2), (0, 0)))

    host = start((h + 4, w))
    u, v, ours = da.asarray(host), host, da.asarray(table)
    for _ in range(6):
        u, v = step(da, u, ours), step(np, v, table)
    check(u, v)


@pytest.mark.parametrize("kind", ["direct", "limit", "callback"])
def test_other_allocators(device: da.Device, direct: Any, kind: str) -> None:
    """Those that ask the queue, or are programs of their own, when an array dies."""
    allocator = direct
    if kind == "limit":
        allocator = da.alloc.LimitingResourceAdaptor(allocator, 1 << 30)
    elif kind == "callback":
        below, noise = da.alloc.PoolMemoryResource(allocator), da.ones((64, 80), "float32")

        def allocate(nbytes: int) -> Any:
            (noise + 1).evaluate()
            return below.allocate(nbytes)

        allocator = da.alloc.CallbackMemoryResource(allocate, device=device, kind=below.kind)
    with da.use(allocator=allocator):
        for step in (heat, life, wave):
            hosts = inputs(step, (70, 90))
            ours = run(da, step, tuple(da.asarray(h) for h in hosts), 11)
            for a, b in zip(ours, alone(step, hosts, 11), strict=True):
                np.testing.assert_array_equal(a.copy_to_host(), b)


def test_threads() -> None:
    """Some with steps, some that take memory."""
    hosts = [start((64 + i, 80), seed=i) for i in range(4)]
    wrong: list[str] = []
    done = threading.Event()

    def steps(i: int) -> None:
        step = (diffusion, padded, lopsided, diffusion)[i]
        u, v = da.asarray(hosts[i]), hosts[i]
        for n in range(60):
            u, v = step(da, u), step(np, v)
            if n % (7 + i) == 0:
                u = u * 1
        if not np.allclose(u.copy_to_host(), v, rtol=1e-3, atol=1e-4):
            wrong.append(step.__name__)

    def fill() -> None:
        n = 0
        while not done.is_set():
            n += 1
            x = [da.full((64 + k, 80), n, "float32").evaluate() for k in range(4)]
            if not all((k.copy_to_host() == n).all() for k in x):
                wrong.append("fill")

    workers = [threading.Thread(target=steps, args=(i,)) for i in range(4)]
    filler = threading.Thread(target=fill)
    for t in (*workers, filler):
        t.start()
    for t in workers:
        t.join()
    done.set()
    filler.join()
    assert not wrong
