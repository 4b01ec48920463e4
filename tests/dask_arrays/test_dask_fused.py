"""Tasks that Dask made of several, run part by part, have the values that Dask finds for them."""

from __future__ import annotations

import gc
import operator
import weakref
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("dask", minversion="2025.1")

from dask._task_spec import Alias, DataNode, List, Task, TaskRef

from devarray.dask.fused import run


class Held:
    """What a weak reference can be to."""


@st.composite
def graphs(draw: st.DrawFn) -> tuple[Task, dict[str, int]]:
    """A task of up to nine parts in any order, of which all are read, and what it is given."""
    given_values = {f"x{i}": draw(st.integers(-5, 5)) for i in range(draw(st.integers(1, 3)))}
    names, parts, unread = list(given_values), [], set()
    for i in range(draw(st.integers(2, 8))):
        name, kind = f"t{i}", draw(st.sampled_from(["add", "list", "data", "alias"]))
        first, second = draw(st.sampled_from(names)), draw(st.sampled_from(names))
        if kind == "add":
            parts.append(Task(name, operator.add, TaskRef(first), TaskRef(second)))
        elif kind == "list":
            parts.append(Task(name, sum, List(TaskRef(first), TaskRef(second), 7)))
        elif kind == "alias":
            parts.append(Alias(name, first))
        else:
            parts.append(DataNode(name, i))
        unread = (unread | {name}) - parts[-1].dependencies
        names.append(name)
    parts.append(Task("last", sum, List(*map(TaskRef, sorted(unread)))))
    return Task.fuse(*draw(st.permutations(parts)), key="all"), given_values


@given(graphs())
def test_values_are_dasks(case: tuple[Task, dict[str, int]]) -> None:
    task, values = case
    needed = {key: value for key, value in values.items() if key in task.dependencies}
    assert run(task, needed) == task(needed)
    outer = Task.fuse(task, Task("more", operator.mul, TaskRef("all"), 3), key="outer")  # a task of several in another
    assert run(outer, needed) == outer(needed)


def test_a_plain_task() -> None:
    assert run(Task("t", operator.sub, TaskRef("a"), 2), {"a": 5}) == 3
    assert run(DataNode("d", 4), {}) == 4


def test_values_are_dropped_behind_the_last_part_that_reads_them() -> None:
    made: list[Any] = []

    def first() -> Held:
        held = Held()
        made.append(weakref.ref(held))
        return held

    def last(_: int) -> bool:
        gc.collect()
        return made[0]() is None

    parts = [Task("a", first), Task("b", lambda held: 1, TaskRef("a")), Task("c", last, TaskRef("b"))]
    assert run(Task.fuse(*parts), {})


def test_errors_are_those_of_the_parts() -> None:
    parts = [Task("a", operator.truediv, TaskRef("x"), 0), Task("b", operator.neg, TaskRef("a"))]
    with pytest.raises(ZeroDivisionError):
        run(Task.fuse(*parts), {"x": 1})
