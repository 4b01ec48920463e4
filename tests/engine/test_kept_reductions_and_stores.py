"""Reductions and stores that are repeated: each thing that a plan follows from makes another plan."""

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

RNG = np.random.default_rng(6)
SQUARE = RNG.standard_normal((64, 64)).astype(np.float32)
WHOLE = np.round(SQUARE * 8)
"""Sums of them are exact in any order."""
LONG = np.round(RNG.standard_normal(1 << 20) * 8).astype(np.float32)

pytestmark = pytest.mark.usefixtures("deferred", "kernels", "plans")


def both(of: Callable[..., Any], *hosts: np.ndarray) -> Results:
    """A function of arrays, and the arrays, which it may write to."""
    arrays, copies = [on_device(h) for h in hosts], [h.copy() for h in hosts]
    got, want = of(*arrays), of(*copies)
    return [*zip(got, map(np.asarray, want), strict=True), *zip(arrays, copies, strict=True)]


def reduction(of: Callable[[Any], Any]) -> Results:
    return both(lambda a: [of(a * 2)], WHOLE)


def reduction_of_leaf(of: Callable[[Any], Any]) -> Results:
    return both(lambda a: [of(a)], WHOLE)


def reduction_of_dtype(dtype: str) -> Results:
    return both(lambda a: [(a + a).sum(0)], WHOLE.astype(dtype))


def reduction_of_long(n: int) -> Results:
    """By several groups, that meet in memory of their own."""
    return both(lambda a: [a.sum(), (a * 2).max()], LONG[:n])


def reduction_of_held(how: int) -> Results:
    """What is reduced is held, or what is below it, or neither."""

    def of(a: Any) -> list[Any]:
        below = a * 2
        above = below + 1
        total = above.sum(0)
        return [total, *([above] if how == 1 else [below] if how == 2 else [])]

    return both(of, WHOLE)


def reduction_of_large_held(held: bool) -> Results:
    """Large values stay pending, until they have been computed often."""

    def of(a: Any) -> list[Any]:
        above = a * 2
        totals = [above.max(), above.min(), above.max(), above.min(), above.max()]
        return [*totals, above] if held else totals

    return both(of, LONG)


def reduction_and_reader(there: bool) -> Results:
    def of(a: Any) -> list[Any]:
        below = a * 2
        other = below[:32] + 1 if there else below
        total = (below + 1).sum(1)
        return [total, other] if there else [total]

    return both(of, WHOLE)


def reduction_with_row(of: int) -> Results:
    """A pending value of another shape below."""
    return both(lambda a, r: [((r * 2)[:of] + a).sum(1)], WHOLE, WHOLE[:64].copy())


def reduction_with_scalar(value: Any) -> Results:
    return both(lambda a: [(a * value).sum(1), (a + value).mean(0)], WHOLE)


def reduction_of_two_views(first: int, second: int) -> Results:
    def of(a: Any) -> list[Any]:
        return [(a[first : first + 32] * a[second : second + 32]).sum(0)]

    return both(of, WHOLE)


def store(key: Any, of: Callable[[Any, Any], Any]) -> Results:
    def write(a: Any, b: Any) -> list[Any]:
        a[key] = of(a, b)
        return []

    return both(write, SQUARE, SQUARE * 2)


def store_of_dtype(dtype: str) -> Results:
    def write(a: Any, b: Any) -> list[Any]:
        a[:32] = b[:32]
        return []

    return both(write, SQUARE, WHOLE.astype(dtype))


def store_of_held(how: int) -> Results:
    """The value is held, or what is below it, or neither; it reads what is written."""

    def write(a: Any) -> list[Any]:
        below = a[:32] * 2
        above = below + 1
        a[:32] = above
        return [above] if how == 1 else [below] if how == 2 else []

    return both(write, SQUARE)


def store_beside_held(how: int) -> Results:
    """The same for a value that does not read what is written."""

    def write(a: Any, b: Any) -> list[Any]:
        below = b[:32] * 2
        above = below + 1
        a[:32] = above
        return [above] if how == 1 else [below] if how == 2 else []

    return both(write, SQUARE, SQUARE * 2)


def store_of_last_use(held: bool) -> Results:
    """An array whose name is its only holder; and one more."""

    def write(a: Any, b: Any) -> list[Any]:
        above = b[:32] * 2
        more = [above] if held else []
        a[:32] = above
        return more

    return both(write, SQUARE, SQUARE * 2)


def store_with_reader(how: int) -> Results:
    """Something pending reads what is overwritten, or other memory."""

    def write(a: Any, b: Any) -> list[Any]:
        other = (b, a, a[40:])[how] + 1
        a[:32] = b[:32]
        return [other]

    return both(write, SQUARE, SQUARE * 2)


def store_in_place(held: bool) -> Results:
    def write(a: Any) -> list[Any]:
        view = a[8:16]
        a[::2] += 1
        view *= 2
        a -= 3
        return [view] if held else []

    return both(write, SQUARE)


def store_out(which: int) -> Results:
    """The result goes to an operand, or to another array."""

    def write(a: Any, b: Any, c: Any) -> list[Any]:
        np.add(a, b, out=(a, b, c)[which])
        np.multiply(a[1:], 2, out=c[:-1])
        return []

    return both(write, SQUARE, SQUARE * 2, SQUARE * 3)


def store_and_donate(held: bool) -> Results:
    """A value beside the store may take an operand's memory."""

    def write(a: Any, b: Any) -> list[Any]:
        c = on_device(SQUARE * 5) if isinstance(a, da.Array) else SQUARE * 5
        below = a * c
        more = [c] if held else []
        a[:] = below + b
        return [below, *more]

    return both(write, SQUARE, SQUARE * 2)


CASES = [
    Case(reduction, lambda x: x.sum(0), lambda x: x.sum(1)),
    Case(reduction, lambda x: x.sum(), lambda x: x.max()),
    Case(reduction, lambda x: x.sum(0), lambda x: x.sum(0, dtype="float64")),
    Case(reduction, lambda x: x.sum(1, keepdims=True), lambda x: x.sum(1)),
    Case(reduction, lambda x: x.sum(0), lambda x: x.mean(0)),
    Case(reduction, lambda x: x.argmin(1), lambda x: x.argmax(1)),
    Case(reduction, lambda x: (x > 0).any(0), lambda x: (x > 0).all(0)),
    Case(reduction, lambda x: np.count_nonzero(x > 0, axis=0), lambda x: (x > 0).sum(0)),
    Case(reduction, lambda x: (x[:8] % 3).prod(0), lambda x: (x[:8] % 3).sum(0)),
    Case(reduction, lambda x: x.min(0), lambda x: x.max(0)),
    Case(reduction_of_leaf, lambda x: x.sum(0), lambda x: x.T.sum(0)),
    Case(reduction_of_leaf, lambda x: x[:32].sum(0), lambda x: x[::2].sum(0)),
    Case(reduction_of_leaf, lambda x: x[1:33].max(1), lambda x: x[::-1][:32].max(1)),
    Case(reduction_of_leaf, lambda x: x.sum(1), lambda x: (x + x).sum(1)),
    Case(reduction_of_dtype, "float32", "int32"),
    Case(reduction_of_dtype, "int32", "uint32"),
    Case(reduction_of_long, 1 << 20, (1 << 20) - 1),
    Case(reduction_of_held, 0, 1),
    Case(reduction_of_held, 0, 2),
    Case(reduction_of_held, 1, 2),
    Case(reduction_of_large_held, True, False),
    Case(reduction_and_reader, True, False),
    Case(reduction_with_row, 1, 64),
    Case(reduction_with_scalar, 2, 3.0),
    Case(reduction_of_two_views, (0, 0), (0, 32)),
    Case(reduction_of_two_views, (0, 8), (8, 0)),
    Case(store, (slice(32), lambda a, b: b[:32] * 2), (slice(32, 64), lambda a, b: b[:32] * 2)),
    Case(store, (slice(32), lambda a, b: b[:32] * 2), (slice(0, 64, 2), lambda a, b: b[:32] * 2)),
    Case(store, (slice(32), lambda a, b: a[:32] * 2), (slice(32), lambda a, b: a[1:33] * 2)),
    Case(store, (slice(32), lambda a, b: a[8:40]), (slice(32), lambda a, b: a[32:])),
    Case(store, (np.s_[3, 4:5], lambda a, b: a[3, 4:5] * 2 + a[3, 8:9]), (np.s_[3, 4:5], lambda a, b: a[3, 8:9] * 2)),
    Case(store, (np.s_[3, 4:5], lambda a, b: a[3, 4:5] * 2), (np.s_[3, 4:5], lambda a, b: a[3, 8:9] * 2)),
    Case(store, (slice(32), lambda a, b: a[32:] + 1), (slice(32), lambda a, b: b[32:] + 1)),
    Case(store, (slice(32), lambda a, b: a[:32] + b[:32]), (slice(32), lambda a, b: a[:32] + a[:32])),
    Case(store, (slice(32), lambda a, b: 2), (slice(32), lambda a, b: 2.5)),
    Case(store, (slice(32), lambda a, b: b[0]), (slice(32), lambda a, b: b[:32])),
    Case(store, (slice(32), lambda a, b: b[0] * 2), (slice(32), lambda a, b: a[0] * 2)),
    Case(store, (slice(32), lambda a, b: (b * 2)[32:]), (slice(32), lambda a, b: (a * 2)[16:48])),
    Case(store, (slice(32), lambda a, b: b[:32].T[:32, :1] + 0), (slice(32), lambda a, b: b[:32, :1] + 0)),
    Case(store, (slice(None), lambda a, b: b.T), (slice(None), lambda a, b: a.T)),
    Case(store, (slice(None), lambda a, b: np.roll(b, 1, 0)), (slice(None), lambda a, b: np.roll(a, 1, 0))),
    Case(store_of_dtype, "float32", "int32"),
    Case(store_of_held, 0, 1),
    Case(store_of_held, 0, 2),
    Case(store_of_held, 1, 2),
    Case(store_beside_held, 0, 1),
    Case(store_beside_held, 0, 2),
    Case(store_beside_held, 1, 2),
    Case(store_of_last_use, True, False),
    Case(store_with_reader, 0, 1),
    Case(store_with_reader, 1, 2),
    Case(store_in_place, True, False),
    Case(store_out, 0, 2),
    Case(store_out, 0, 1),
    Case(store_and_donate, True, False),
]


@pytest.mark.parametrize("back", [False, True], ids=["", "back"])
@pytest.mark.parametrize("case", CASES, ids=names(CASES))
def test_what_differs_is_planned_as_if_nothing_was_kept(case: Case, back: bool) -> None:
    check_what_differs(case, back)


def another_queue(device: da.Device) -> Any:
    return device.create_queue() if hasattr(device, "create_queue") else type(device.default_queue)(device)


def test_reductions_and_stores_on_other_queues(device: da.Device) -> None:
    """What one queue writes, another one reads: each waits for the other."""
    settle(lambda: reduction_of_long(1 << 20))
    settle(lambda: store_beside_held(1))
    a = on_device(LONG)
    with da.use(device=device, queue=another_queue(device)):
        counted(lambda: reduction_of_long(1 << 20))
        counted(lambda: store_beside_held(1))
        b = on_device(LONG * 2)
    want = LONG.copy()
    for k in range(20):
        a[:] = b + k
        b[:] = a * 0.5
        want = np.float32(0.5) * ((LONG * 2 if k == 0 else want) + np.float32(k))
        same(b.max(), np.asarray(want.max()))
    same(b, want)


def test_memory_where_groups_meet_is_each_queues_own(device: da.Device) -> None:
    """That of queues used long ago is gone."""
    total = lambda: both(lambda a: [a.sum()], LONG)  # noqa: E731
    settle(total)
    queues = [another_queue(device) for _ in range(20)]  # more than have such memory at a time, all of them in use
    for queue in queues:
        with da.use(device=device, queue=queue):
            counted(total)
    assert counted(total)["plans_reused"] == 0
    assert counted(total)["plans_reused"] == 1


def test_other_numbers_share_the_plan_of_a_reduction() -> None:
    settle(lambda: reduction_with_scalar(2))
    assert counted(lambda: reduction_with_scalar(-7))["plans_reused"] == 2
    settle(lambda: store(slice(32), lambda a, b: a[:32] * 2))
    assert counted(lambda: store(slice(32), lambda a, b: a[:32] * -7))["plans_reused"] == 1


def test_numbers_behind_a_reduction_are_part_of_its_plan() -> None:
    a = on_device(WHOLE)
    for ddof in (0, 0, 0, 1, 1, 1, 0):
        np.testing.assert_allclose(a.var(0, ddof=ddof).copy_to_host(), WHOLE.var(0, ddof=ddof), rtol=1e-6)


def test_a_read_only_target_is_refused_when_its_plan_is_kept() -> None:
    a = on_device(SQUARE)

    def write() -> Results:
        a[:32] = 7
        return []

    settle(write)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        write()
    a.flags.writeable = True
    assert counted(write)["plans_reused"] == 1


def test_threads_share_plans() -> None:
    settle(lambda: reduction_of_held(1))
    settle(lambda: store_of_held(1))
    errors: list[BaseException] = []

    def work(seed: int) -> None:
        try:
            for k in range(100):
                counted(partial(reduction_of_held, (seed + k) % 3) if k % 2 else partial(store_of_held, seed % 3))
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
