"""Joins that are written: their parts share values with each other and with what stays, and others ask for them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from oracle import same, skip_without
from test_joined_parts import on_device

import devarray as da
from devarray import alloc

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

U, V = (np.random.default_rng(seed).integers(0, 50, (2000, 3)) / np.float32(16) for seed in (0, 1))
Program = Callable[[Any, Any], tuple[Any, ...]]


def chain_and_its_source(t: Any, u: Any) -> tuple[Any, ...]:
    p = t + 1
    s = p * 2
    return np.concatenate([s * 3, u[:5], p]), s


def part_twice(t: Any, u: Any) -> tuple[Any, ...]:
    s = t * 2
    p = s + t
    return np.concatenate([p, u[:5], p]), s


def view_of_a_value_behind_a_part(t: Any, u: Any) -> tuple[Any, ...]:
    a = t - 3
    b = a - 3
    return np.concatenate([t - a, b[::-1], u[::-1]], 1), b


def two_joins_of_one_value(t: Any, u: Any) -> tuple[Any, ...]:
    e = t * t
    d = e * 2
    return np.concatenate([e + 1, d[::-1]], 1), np.stack([d, u * 2])


def parts_of_parts(t: Any, u: Any) -> tuple[Any, ...]:
    a = t + u
    b = a * 2
    c = b - a
    return np.stack([c, a, b]), np.concatenate([b[::2], a[1::2], c]), np.stack([a[:, 0], c[:, 1], c[:, 1]], 1)


PROGRAMS = [chain_and_its_source, part_twice, view_of_a_value_behind_a_part, two_joins_of_one_value, parts_of_parts]


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_nobody_holds_what_they_are_computed_from(program: Program, backward: bool) -> None:
    """So that launches give that memory to their results."""
    wanted = program(U, V)
    ours = program(da.asarray(U).copy() + 0, da.asarray(V).copy())
    order = range(len(wanted))[:: -1 if backward else 1]
    for k in order:
        same(ours[k], wanted[k])


READERS: dict[str, Callable[[Any], Any]] = {
    "an operation": lambda j: j * 2,
    "a part": lambda j: j[0] * 2,
    "a sum along the parts": lambda j: j.sum(0),
    "a cast": lambda j: j.astype("float64"),
    "a join": lambda j: np.concatenate([j[0], j[1]]),
}


@pytest.mark.parametrize("reader", ["an operation", "a part", "a cast"])  # which record, and launch nothing
def test_an_allocator_reads_what_is_written(reader: str) -> None:
    inner = alloc.default_allocator(da.device())
    work: list[Callable[[], None]] = []
    made: list[Any] = []

    def allocate(nbytes: int) -> Any:
        if work:
            work.pop()()
        return inner.allocate(nbytes)

    t = da.asarray(U, allocator=allocate) + 0
    t.evaluate()
    s, r = t * 2, t * 5
    j = np.stack([t + 1, s * 3, r])
    del t
    # The first memory is that of the join, the next is asked for in the middle of the launch that writes it.
    work.append(lambda: work.append(lambda: made.append(READERS[reader](j))))
    j.evaluate()
    wanted = np.stack([U + 1, U * 2 * 3, U * 5])
    assert made
    same(made[0], READERS[reader](wanted))
    same(j, wanted)
    same(s, U * 2)
    same(r, U * 5)


@pytest.mark.parametrize("reader", READERS)
def test_another_thread_reads_what_is_written(reader: str) -> None:
    for _ in range(20):
        t = on_device(U)[0] + 0
        t.evaluate()
        s = t * 2
        j = np.stack([t + 1, s * 3])
        del t
        writer = threading.Thread(target=j.evaluate)
        writer.start()
        made = READERS[reader](j)
        writer.join()
        same(made, READERS[reader](np.stack([U + 1, U * 2 * 3])))
        same(j, np.stack([U + 1, U * 2 * 3]))
        same(s, U * 2)


@pytest.mark.parametrize("on_host", [False, True])
def test_a_write_to_the_table_of_elements_that_something_has_taken_in(on_host: bool) -> None:
    skip_without("float64")
    i = np.asarray([-22, 13, 15])
    host = np.arange(24.0) + 3
    table = (da.asarray(np.arange(24.0).reshape(3, 2, 4)) + 3).reshape(-1)
    made = table[i if on_host else da.asarray(i)] * table.sum(-1, keepdims=True)
    table += 1
    same(made, host[i] * host.sum(-1, keepdims=True))
    same(table, host + 1)


def test_what_is_made_of_large_joins_is_one_launch_on_cpus() -> None:
    x, y = da.asarray(np.tile(U, (5, 1))), da.asarray(np.tile(V, (5, 1)))
    if x.device.strategy != "cpu":
        pytest.skip("test_waiting_joins has the counts of GPUs")
    before = da.stats()["launches"]
    made = (np.stack([x[:, 0] + y[:, 1], x[:, 1] * 2, y[:, 0] - 1], 1) * y)[:, 1].evaluate()
    assert da.stats()["launches"] - before == 1
    same(made, np.tile(U[:, 1] * 2 * V[:, 1], 5))
