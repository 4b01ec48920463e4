"""Code of the program's that runs in the middle of a launch and evaluates what is being launched.

Allocators, what gives memory back, and what runs while a kernel is compiled (finalizers, profilers).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from oracle import same

import devarray as da
from devarray import _core, alloc

pytestmark = pytest.mark.usefixtures("device", "deferred", "kernels")

U = np.random.default_rng(0).integers(1, 50, (300, 40)).astype("float32") / np.float32(16)
Values = dict[str, Any]
Program = Callable[[Any], Values | Iterator[Values]]


def a_chain(x: Any) -> Values:
    a = x * 2
    b = a + 1
    return {"a": a, "b": b, "c": b * a}


def a_reduction(x: Any) -> Values:
    a = x * 2
    total = (a + 1).sum(0)
    return {"a": a, "total": total, "rest": a - total}


def rows(x: Any) -> Values:
    e = np.abs(x - x.max(1, keepdims=True))
    return {"e": e, "scaled": e / e.sum(1, keepdims=True), "again": e * 3}


def joined(x: Any) -> Values:
    a = x + 1
    j = np.concatenate([a, x * 2, a * a], 1)
    return {"a": a, "j": j, "moved": j * 2}


def assigned(x: Any) -> Values:
    a = x + 1
    y = x * 3
    y[1:-1] = a[2:] * y[:-2]
    y += a
    return {"a": a, "y": y, "half": y[::2] * a[::2]}


def views(x: Any) -> Values:
    a = x * x
    return {"a": a, "turned": a.T + 1, "part": a[::3, 5:] * 2, "sum": a[:, ::2].sum()}


def in_place(x: Any) -> Values:
    x = x + 0
    a = x * 2
    x *= 3
    x[:, 1:] += x[:, :-1]
    return {"x": x, "a": a, "both": a - x}


def copies(x: Any) -> Iterator[Values]:
    """Which need not be made; and a view of one is reduced."""
    u = x + 0
    turned = u.copy()[::-1]
    yield {"turned": turned}
    yield {"most": turned.max(1)}
    old = u.copy()
    yield {"old": old}
    u[1:-1] = old[2:] * np.float32(0.5) - old[:-2]
    yield {"u": u, "both": u + old}


def steps(x: Any) -> Iterator[Values]:
    """Which a GPU holds back, to launch several in one."""
    u = x + 0
    for k in range(6):
        u[1:-1, 1:-1] = (u[:-2, 1:-1] + u[2:, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:]) * np.float32(0.25)
        if k == 3:
            yield {"middle": u * 2}
    yield {"u": u, "after": u * 2 + x}


def values_of_steps(x: Any) -> Iterator[Values]:
    """Results that nobody keeps are given back before they are launched."""
    u = x + 0
    for k in range(6):
        moved = np.roll(u, 1, 0) + np.roll(u, -1, 1)
        u = moved * np.float32(0.25) + u
        if k % 2:
            yield {f"u{k}": u}
    v = u - x
    yield {"v": v, "most": v.max(1)}


def a_batch(x: Any) -> Iterator[Values]:
    """Small launches of one form, which are held back, too."""
    parts = [x[k : k + 20] * np.float32(2) for k in range(0, 300, 20)]
    for k in range(3):
        for part in parts:
            part *= np.float32(1.5)
            part += 1
        yield {f"part{k}": parts[k] + 0, f"last{k}": parts[-1] * 2}


def run(program: Program, x: Any, values: Values) -> Values:
    """The values as they come to be, so that code in the middle finds those before it."""
    made = program(x)
    for new in [made] if isinstance(made, dict) else made:
        values.update(new)
    return values


PROGRAMS = [a_chain, a_reduction, rows, joined, assigned, views, in_place, copies, steps, values_of_steps, a_batch]


class Interrupting:
    """An allocator that does something each time, but not while it does it."""

    def __init__(self) -> None:
        self.inner = alloc.default_allocator(da.device())
        self.work: Callable[[], None] | None = None
        self.calls = 0

    def __call__(self, nbytes: int) -> Any:
        self.interrupt()
        return self.inner.allocate(nbytes)

    def interrupt(self) -> None:
        self.calls += 1
        if work := self.work:
            self.work = None
            work()
            self.work = work


def check(values: Values, wanted: Values) -> None:
    for name, value in values.items():
        same(value, wanted[name])


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_an_allocator_evaluates_what_is_launched(program: Program, backward: bool) -> None:
    wanted = run(program, U, {})
    for asked in wanted:
        allocator = Interrupting()
        values: Values = {}

        def evaluate(asked: str = asked, values: Values = values) -> None:
            if asked in values:
                values[asked].evaluate()

        allocator.work = evaluate
        x = da.asarray(U, allocator=allocator) + 0
        run(program, x, values)
        del x
        for name in sorted(wanted, reverse=backward):
            values[name].evaluate()
        assert allocator.calls > 1
        check(values, wanted)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_an_allocator_computes_with_what_is_launched(program: Program) -> None:
    """Something new each time, from the same memory, so that no attempt is like the one before."""
    wanted = run(program, U, {})
    allocator = Interrupting()
    values: Values = {}
    made: list[tuple[str, Any]] = []

    def compute() -> None:
        for name, value in list(values.items()):
            made.append((name, (value * 7 + len(made)).evaluate()))

    x = da.asarray(U, allocator=allocator) + 0
    allocator.work = compute
    run(program, x, values)
    del x
    for name in wanted:
        values[name].evaluate()
    allocator.work = None
    assert made
    check(values, wanted)
    for k, (name, value) in enumerate(made):
        same(value, wanted[name] * 7 + np.float32(k))


@pytest.mark.parametrize("times", range(4))
def test_an_allocator_evaluates_all_while_a_view_is_reduced(times: int) -> None:
    allocator = Interrupting()
    u = da.asarray(U, allocator=allocator) + 0
    turned = u.copy()[::-1]

    def work() -> None:
        da.synchronize()
        if allocator.calls <= times:
            allocator.work = work

    allocator.work = work
    same(turned.max(1), U[::-1].max(1))
    same(turned, U[::-1])
    same(u, U)


@pytest.mark.parametrize("program", [p for p in PROGRAMS if p is not values_of_steps], ids=lambda f: f.__name__)
def test_an_allocator_writes_to_what_is_read(program: Program) -> None:
    """What was recorded before the write does not see it."""
    wanted = run(program, U, {})
    allocator = Interrupting()
    x = da.asarray(U, allocator=allocator) + 0
    x.evaluate()
    values = run(program, x, {})
    writes = []

    def write() -> None:
        x.__isub__(1)
        writes.append(1)

    allocator.work = write
    for value in values.values():
        value.evaluate()
    allocator.work = None
    assert writes
    check(values, wanted)
    same(x, U - np.float32(len(writes)))


class Memory:
    """Memory by its address, whose end runs code."""

    def __init__(self, block: Any, at_end: Callable[[], None]) -> None:
        self.held, self.at_end = block, at_end
        self.ptr = block.handle

    def __del__(self) -> None:
        self.at_end()


@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_what_gives_memory_back_evaluates_what_is_launched(program: Program, backward: bool) -> None:
    device = da.device()
    kind = device.memory_kinds[0]
    if kind == "buffer":
        pytest.skip("needs memory with addresses")
    inner = alloc.DeviceMemoryResource(device, kind)
    ends = Interrupting()
    resource = alloc.CallbackMemoryResource(
        lambda nbytes: Memory(inner.allocate(nbytes), ends.interrupt), device=device, kind=kind
    )
    wanted = run(program, U, {})
    values: Values = {}

    def evaluate() -> None:
        for value in values.values():
            value.evaluate()

    x = da.asarray(U, allocator=resource) + 0
    run(program, x, values)
    del x
    ends.work = evaluate
    for name in sorted(wanted, reverse=backward):
        values[name].evaluate()
    ends.work = None
    check(values, wanted)
    values.clear()
    da.synchronize()
    assert ends.calls > 0


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_profiler_evaluates_while_a_kernel_is_compiled(program: Program) -> None:
    """As a finalizer may, which runs wherever Python does."""
    wanted = run(program, U, {})
    x = da.asarray(U) + 0
    values = run(program, x, {})
    del x
    _core.clear_kernel_cache()
    seen = []

    def profile(frame: Any, event: str, _: Any) -> None:
        if event == "call" and "codegen" in frame.f_code.co_filename:
            sys.setprofile(None)
            seen.append(frame)
            for value in values.values():
                value.evaluate()

    sys.setprofile(profile)
    try:
        for value in reversed(list(values.values())):
            value.evaluate()
    finally:
        sys.setprofile(None)
    check(values, wanted)
