"""Launches that are repeated for graphs that come again: each thing that a plan follows from makes another plan."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from oracle import same
from repeated import Case, Results, check_what_differs, counted, names, on_device, settle

import devarray as da
from devarray import _core

N = 4096
RNG = np.random.default_rng(5)
A, B, C = (RNG.standard_normal(N + 64).astype(np.float32) for _ in range(3))
SQUARE = RNG.standard_normal((64, 64)).astype(np.float32)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "plans")


def arithmetic(x: Any, y: Any) -> Any:
    return (x + y) * x - y


def of_dtype(dtype: str) -> Results:
    a, b = A.astype(dtype), B.astype(dtype)
    return [(arithmetic(on_device(a), on_device(b)), arithmetic(a, b))]


def of_length(n: int) -> Results:
    return [(arithmetic(on_device(A[:n]), on_device(B[:n])), arithmetic(A[:n], B[:n]))]


def of_shape(*shape: int) -> Results:
    a, b = A[:N].reshape(shape), B[:N].reshape(shape)
    return [(arithmetic(on_device(a), on_device(b)), arithmetic(a, b))]


def of_view(of: Callable[[Any], Any]) -> Results:
    """Views of two arrays that stay."""
    a, b = on_device(SQUARE), on_device(SQUARE * 2)
    return [(arithmetic(of(a), of(b)), arithmetic(of(SQUARE), of(SQUARE * 2))), (a, SQUARE), (b, SQUARE * 2)]


def of_slice(start: int) -> Results:
    a, b = on_device(A), on_device(B)
    x, y = slice(start, start + N), slice(start, start + N)
    return [(arithmetic(a[x], b[y]), arithmetic(A[x], B[y])), (a, A), (b, B)]


def of_two_views(first: int, second: int) -> Results:
    """Two views of one array."""
    a = on_device(A)
    x, y = slice(first, first + N), slice(second, second + N)
    return [(arithmetic(a[x], a[y]), arithmetic(A[x], A[y])), (a, A)]


def of_elements(first: int, second: int) -> Results:
    """Two elements of an array, and all of it beside a third one."""
    a = on_device(A)
    x, y = slice(first, first + 1), slice(second, second + 1)
    return [(arithmetic(a[x], a[y]), arithmetic(A[x], A[y])), (a * a[first], A * A[first]), (a, A)]


def of_inputs(alike: bool) -> Results:
    a = on_device(A)
    return [(arithmetic(a, a if alike else on_device(A)), arithmetic(A, A))]


def with_row(repeated: bool) -> Results:
    a, b = on_device(SQUARE), on_device(SQUARE[:1] if repeated else SQUARE)
    return [(arithmetic(a, b), arithmetic(SQUARE, SQUARE[:1] if repeated else SQUARE))]


def with_one(value: bool) -> Results:
    """An operand of one element, and a whole one."""
    a, b = on_device(A[:N]), on_device(B[:1] if value else B[:N])
    return [(arithmetic(a, b), arithmetic(A[:N], B[:1] if value else B[:N]))]


def interior(held: bool) -> Results:
    a = on_device(A)
    middle = a * 2 + 1
    result = middle - a
    want = [(result, A * 2 + 1 - A)]
    return [*want, (middle, A * 2 + 1)] if held else want


def operands(held: bool) -> Results:
    """Memory of operands that nobody needs is donated."""
    a = on_device(A)
    result = a * 2 + 1
    return [(result, A * 2 + 1), (a, A)] if held else [(result, A * 2 + 1)]


def another_reader(there: bool) -> Results:
    """A pending value of another shape still reads the operand."""
    a = on_device(SQUARE)
    other = a[:32] + 1 if there else None
    result = a * 2 + 1
    want = [(result, SQUARE * 2 + 1)]
    return [*want, (other, SQUARE[:32] + 1)] if there else want


def reader_of_the_same_shape(there: bool) -> Results:
    a = on_device(A)
    other = a - 3 if there else None
    result = a * 2 + 1
    want = [(result, A * 2 + 1)]
    return [*want, (other, A - np.float32(3))] if there else want


def shared(how: int) -> Results:
    """A value that two pending ones need, which arrays hold or do not, recorded in either order."""
    a = on_device(A)
    middle = a * 2
    if how == 2:
        second, first = middle - 1, middle + 1
    else:
        first, second = middle + 1, middle - 1
    want = [(first, A * 2 + 1), (second, A * 2 - 1)]
    return [*want, (middle, A * 2)] if how == 1 else want


def scalars(value: Any) -> Results:
    a = on_device(A)
    return [((a + value) * value, (A + value) * value)]


def rolled(shift: int) -> Results:
    a = on_device(SQUARE)
    return [(da.roll(a, shift, 0) + a, np.roll(SQUARE, shift, 0) + SQUARE)]


def another_operation(add: bool) -> Results:
    a, b = on_device(A), on_device(B)
    return [(a * b + a, A * B + A) if add else (a * b - a, A * B - A)]


def exposed(outside: bool) -> Results:
    """Memory that others point to is not donated."""
    a = on_device(A)
    pointer = a.__dlpack__() if outside else None
    result = a * 2 + 1
    del a
    result.evaluate()
    del pointer
    return [(result, A * 2 + 1)]


def long_graph(held: bool) -> Results:
    """More operations than one kernel takes."""
    x, y = on_device(A), on_device(B)
    p, q = A, B
    kept = []
    for k in range(300):
        x, y = x + y * 0.5, y - x * 0.5
        p, q = p + q * np.float32(0.5), q - p * np.float32(0.5)
        p, q = p * np.float32(0.5), q * np.float32(0.5)
        x, y = x * 0.5, y * 0.5
        if held and k == 150:
            kept.append((x, p))
    return [(x, p), (y, q), *kept]


def reader_of_another_shape(of: int) -> Results:
    """One of two interior values is read by a pending value of another shape, too."""
    a, wide = on_device(A[:64]), on_device(SQUARE)
    first = a * 2
    second = first + 1
    result = second * a
    other = (first, second)[of] + wide
    want = A[:64] * 2
    return [(result, (want + 1) * A[:64]), (other, (want, want + 1)[of] + SQUARE)]


def of_one_memory(one: bool) -> Results:
    """Views of one array, or of two."""
    a = on_device(SQUARE)
    other = SQUARE if one else SQUARE * 2
    b = a if one else on_device(other)
    return [(arithmetic(a[:], b[:]), arithmetic(SQUARE, other)), (a, SQUARE), (b, other)]


def with_a_line(row: bool) -> Results:
    """A row and a column of the same strides."""
    a, key = on_device(SQUARE), (slice(0, 1),) if row else (slice(None), slice(0, 1))
    return [(arithmetic(a, a[key]), arithmetic(SQUARE, SQUARE[key]))]


def of_cast(dtype: str) -> Results:
    host = A.astype("int32").view(dtype)
    return [(on_device(host).astype("float32") + 1, host.astype("float32") + 1)]


def of_piece(of_more: bool) -> Results:
    """Much more memory than the result takes is not donated."""
    host = np.concatenate([A[:N]] * 4)
    a = on_device(host)[:N] if of_more else on_device(host[:N])
    return [(a * 2 + 1, host[:N] * 2 + 1)]


def roots(count: int) -> Results:
    """As deep as a graph may be, and one deeper: evaluated as a whole, and cut while it is recorded."""
    x, p = on_device(A), A
    x, p = abs(x), abs(p)
    for _ in range(count - 1):
        x, p = 1 / x, 1 / p
    return [(x, p)]


def pending_views(last: int) -> Results:
    a = on_device(A)
    y = a * 2
    return [(y[1:last] - y[: last - 1], (A * 2)[1:last] - (A * 2)[: last - 1])]


CASES = [
    Case(of_dtype, "float32", "int32"),
    Case(of_length, N, N - 1),
    Case(of_shape, (64, 64), (32, 128)),
    Case(of_view, (lambda a: a,), (lambda a: a.T,)),
    Case(of_view, (lambda a: a[:, :32],), (lambda a: a[:, ::2],)),
    Case(of_view, (lambda a: a[:32],), (lambda a: a[::-1][:32],)),
    Case(of_slice, 0, 1),
    Case(of_slice, 4, 2),
    Case(of_two_views, (0, 0), (0, 4)),
    Case(of_two_views, (0, 4), (0, 8)),
    Case(of_two_views, (4, 8), (8, 4)),
    Case(of_elements, (0, 0), (0, 4)),
    Case(of_elements, (0, 4), (8, 8)),
    Case(of_elements, (0, 4), (1, 4)),
    Case(of_inputs, True, False),
    Case(with_row, True, False),
    Case(with_one, True, False),
    Case(interior, True, False),
    Case(operands, True, False),
    Case(another_reader, True, False),
    Case(reader_of_the_same_shape, True, False),
    Case(shared, 0, 1),
    Case(shared, 0, 2),
    Case(scalars, 2, 2.5),
    Case(scalars, 2.5, np.float32(2.5)),
    Case(rolled, 1, 2),
    Case(another_operation, True, False),
    Case(exposed, True, False),
    Case(long_graph, True, False),
    Case(pending_views, 50, 51),
    Case(reader_of_another_shape, 0, 1),
    Case(of_one_memory, True, False),
    Case(with_a_line, True, False),
    Case(of_cast, "int32", "uint32"),
    Case(of_piece, True, False),
    Case(scalars, 2.0, np.int8(2)),
    Case(roots, 512, 513),
]


@pytest.mark.parametrize("back", [False, True], ids=["", "back"])
@pytest.mark.parametrize("case", CASES, ids=names(CASES))
def test_what_differs_is_planned_as_if_nothing_was_kept(case: Case, back: bool) -> None:
    check_what_differs(case, back)


def test_other_values_of_scalars_and_arrays_share_a_plan() -> None:
    settle(lambda: scalars(1.5))
    assert counted(lambda: scalars(-7.25))["plans_reused"] == 1
    a = on_device(A)
    settle(lambda: [(a * 3, A * 3)])
    a[:] = da.asarray(B)
    assert counted(lambda: [(a * 3, B * 3)])["plans_reused"] == 1
    a.copy_to_device(C)
    assert counted(lambda: [(a * 3, C * 3)])["plans_reused"] == 1


def test_other_elements_share_a_plan() -> None:
    once = settle(lambda: of_elements(0, 4))["plans_reused"]
    for first, second in ((0, 8), (4, 0), (40, 16), (4096, 64)):
        assert counted(lambda first=first, second=second: of_elements(first, second))["plans_reused"] == once


def test_a_loop_over_elements_is_planned_a_few_times() -> None:
    """Its operations are not left pending by the hundreds, and each kernel of them finds its plan."""

    def loop(start: int) -> Results:
        x, total, expected = on_device(C[:64].astype("int64") + start), 0, 0
        host = C[:64].astype("int64") + start
        for i in range(64):
            for j in range(64):
                total += x[i] * x[j]
                expected += host[i] * host[j]
        return [(total, expected)]

    settle(lambda: loop(3))
    counts = counted(lambda: loop(5))
    assert counts["launches"] <= 64 * 64 * 2 / 20
    assert counts["plans_reused"] >= 0.9 * counts["launches"]


def test_other_queues_and_allocators(device: da.Device) -> None:
    settle(lambda: operands(False))
    queue = device.create_queue() if hasattr(device, "create_queue") else type(device.default_queue)(device)
    with da.use(device=device, queue=queue):
        counted(lambda: operands(False))
        counted(lambda: operands(True))
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))
    a = on_device(A)
    with da.use(device=device, allocator=pool):
        b = on_device(B)
        assert counted(lambda: [(b * 2 + 1, B * 2 + 1)])["donations"] == 0
        got = a * b
        counted(lambda: [(got, A * B), (b, B), (a, A)])
        assert (b + 1).evaluate().allocator is b.allocator


def test_memory_of_another_allocator_is_not_donated(device: da.Device) -> None:
    pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device))

    def mixed(allocator: Any) -> Results:
        a = on_device(A)
        with da.use(device=device, allocator=allocator):
            b = on_device(B)
        return [(a + b, A + B), (a, A)]

    default = on_device(A).allocator
    for first, second in ((default, pool), (pool, default)):
        _core.clear_kernel_cache()
        fresh = counted(lambda second=second: mixed(second))["donations"]
        _core.clear_kernel_cache()
        settle(lambda first=first: mixed(first))
        assert counted(lambda second=second: mixed(second))["donations"] == fresh


def test_the_width_of_vectors_follows_from_addresses() -> None:
    settle(lambda: of_slice(0))
    assert counted(lambda: of_slice(1))["plans_reused"] == 0
    assert counted(lambda: of_slice(4))["plans_reused"] == 1  # 16 bytes


def test_what_is_left_pending_is_written_as_soon_as_without_plans() -> None:
    host = np.random.default_rng(3).normal(size=1_100_000)

    def moved(keep: bool) -> list[int]:
        x = on_device(host)
        held, bytes_moved = x * 2 + 1, []
        for _ in range(7):
            if not keep:
                _core.clear_kernel_cache()
            before = da.stats()["bytes_moved"]
            same(held - x, host * 2 + 1 - host)
            bytes_moved.append(da.stats()["bytes_moved"] - before)
        return bytes_moved

    fresh = moved(False)
    for _ in range(4):
        assert moved(True) == fresh


@pytest.mark.parametrize("name", ["debug", "deferred"])
def test_settings_that_change_in_between(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = settle(lambda: operands(True))
    monkeypatch.setattr(da.config, name, {"debug": 2, "deferred": False}[name])
    got = counted(lambda: operands(True))
    assert got["launches"] == (kept["launches"] if name == "debug" else 2)
    monkeypatch.undo()
    assert counted(lambda: operands(True)) == kept


def test_profiles_and_explanations_are_those_of_fresh_plans() -> None:
    with da.profile() as before:
        counted(lambda: shared(1))
    settle(lambda: shared(1))
    with da.profile() as after:
        counted(lambda: shared(1))

    def kernels(profile: Any) -> list[tuple[str, int, int]]:
        return [(r.name, r.read, r.written) for r in profile.kernels]

    assert kernels(before) == kernels(after) != []
    settle(lambda: operands(True))
    a = on_device(A)
    result = a * 2 + 1
    assert len(da.explain(result).kernels) == 1
    assert result.pending


def test_kernels_that_are_gone_are_made_again() -> None:
    settle(lambda: operands(True))
    _core.clear_kernel_cache()
    assert da.stats()["plans"] == 0
    assert counted(lambda: operands(True))["plans_reused"] == 0
    settle(lambda: operands(True))
    assert counted(lambda: operands(True))["plans_reused"] == 1


def test_kept_plans_take_a_limited_amount_of_memory() -> None:
    def deep(n: int) -> Results:
        x, p = on_device(A[:n]), A[:n]
        for k in range(250):
            x, p = x + k, p + np.float32(k)
        return [(x, p)]

    before = da.stats()
    for n in range(2, 1500):  # of one element a chain is evaluated in parts
        x = deep(n)[0][0].evaluate()
        x = deep(n)[0][0].evaluate()
    del x
    after = da.stats()
    assert after["plans_evicted"] > before["plans_evicted"]
    assert after["plans"] < 1400
    assert counted(lambda: deep(1499))["plans_reused"] == 1  # used last
    assert counted(lambda: deep(2))["plans_reused"] == 0


def test_threads_share_plans() -> None:
    settle(lambda: shared(1))
    settle(lambda: operands(False))
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for k in range(100):
                counted(partial(shared, (seed + k) % 3) if k % 2 else partial(operands, seed % 2 == 0))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


def test_random_graphs_that_come_again_with_other_holders() -> None:
    """The same operations, of which arrays hold now these and now those."""
    for seed in range(16):
        for round_ in range(6):
            rng = np.random.default_rng(seed)
            holds = np.random.default_rng([seed, round_ // 3])
            values = [(on_device(h), h) for h in (A, B, A[:1])]
            for _ in range(int(rng.integers(3, 40))):
                (x, p), (y, q) = (values[int(rng.integers(len(values)))] for _ in range(2))
                how = int(rng.integers(4))
                made = [lambda a, b: a + b, lambda a, b: a - b, np.minimum, lambda a, b: a * np.float32(0.5) - b][how]
                values.append((made(x, y), made(p, q)))
            kept = [pair for pair in values if holds.random() < 0.4] or values[-1:]
            del values, x, y
            for got, want in kept:
                same(got, want)
