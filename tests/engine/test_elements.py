"""What was read from an array, or reduced to one number, stays what it was: everyday idioms, as NumPy has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("device", "both_modes")

Values = np.array([3.0, 1.0, 2.0, 5.0, 4.0])


def swap(a: Any) -> Any:
    a[0], a[1] = a[1], a[0]
    return a


def insertion_sort(a: Any) -> Any:
    for i in range(1, len(a)):
        key, j = a[i], i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
        a[j + 1] = key
    return a


def element_added_to(a: Any) -> Any:
    t = a[1]
    t += 10
    return a, t


def element_of_a_matrix(a: Any) -> Any:
    m = a[:4].reshape(2, 2)
    t = m[1, 0]
    m *= 2
    return t, m


def total_kept(a: Any) -> Any:
    s = a.sum()
    old = s
    s += 1
    return s, old


def kept_while_written(a: Any) -> Any:
    kept = []
    for i in range(4):
        kept.append(a[1])
        a[1] = i * 10.0
    return kept, a


def list_then_written(a: Any) -> Any:
    kept = [a[i] for i in range(5)]
    a += 1
    return kept, a


def column_then_written(a: Any) -> Any:
    m = a[:, None] * a
    kept = [m[i, 2] for i in range(5)] + [m[0, 0], m[4, 4]]
    m[...] = 0
    return kept, m


def running_maximum(a: Any) -> Any:
    best, steps = a[0], []
    for v in a:
        if v > best:
            best = v
        steps.append(best)
    a[:] = 0
    return steps


def accumulated(a: Any) -> Any:
    total = a[0]
    for v in a[1:]:
        total += v
    return total, a


def shifted_in_place(a: Any) -> Any:
    last = a[-1]
    a[1:] = a[:-1].copy()
    a[0] = last
    return a


def dictionary(a: Any) -> Any:
    table = {v: i for i, v in enumerate(a)}
    return [table[2.0], table[a[3]], len(table), a[0] in table, 9.0 in table]


def unpacked(a: Any) -> Any:
    p, q, *rest = a
    a[:] = -1
    return p, q, rest


def zipped(a: Any) -> Any:
    pairs = list(zip(a, a[::-1], strict=True))
    a *= 0
    return [v for pair in pairs for v in pair]


def fibonacci(a: Any) -> Any:
    p, q = a[1], a[1]
    while q < 50:
        p, q = q, p + q
    return p, q


def newton(a: Any) -> Any:
    x = a[4]
    for _ in range(5):
        x -= (x * x - 2) / (2 * x)
    return x, a


def previous(a: Any) -> Any:
    before, differences = a[0], []
    for i in range(1, len(a)):
        now = a[i]
        differences.append(now - before)
        before = now
    a[...] = 7
    return differences


def view_of_element(a: Any) -> Any:
    view = a[0, ...]
    view[...] = 9
    view += 1
    return a


def view_stays_view(a: Any) -> Any:
    view, value = a[1, ...], a[1]
    a[1] = 8
    return view, value


def written_by_mask(a: Any) -> Any:
    t = a[0]
    a[a > 2] = 0
    return t, a


def sorted_in_place(a: Any) -> Any:
    t = a[0]
    a.sort()
    return t, a


def row_then_element(a: Any) -> Any:
    m = a[:4].reshape(2, 2)
    row = m[1]
    t = row[0]
    row += 5
    return t, m


IDIOMS: dict[str, Callable[[Any], Any]] = {
    f.__name__: f
    for f in (
        swap, insertion_sort, element_added_to, element_of_a_matrix, total_kept, kept_while_written, list_then_written,
        column_then_written, running_maximum, accumulated, shifted_in_place, dictionary, unpacked, zipped, fibonacci,
        newton, previous, view_of_element, view_stays_view, written_by_mask, sorted_in_place, row_then_element,
    )
}  # fmt: skip
IDIOMS |= {
    "sorted": lambda a: sorted([a[i] for i in range(5)]),
    "min and max": lambda a: (min(a[i] for i in range(5)), max(a)),
    "text": lambda a: f"{a[0]:.2f} {a[1]:g} {round(a[2])} {round(a[0] / 7, 2):.3f}",
    "slices and ranges": lambda a: (
        a[int(a[1]) : int(a[3])],
        list(range(a.argmin(), a.argmax())),
        a[a.argmin() : a.argmax()],
    ),
    "counts": lambda a: (
        np.roll(a, a.argmin()),
        np.tile(a, a.argmin()),
        np.linspace(0, 1, a.argmax()),
        np.histogram(a, a.argmax()),
    ),
    "augmented element": lambda a: [a.__setitem__(0, a[0] + 1), a][1],
    "scalars of NumPy": lambda a: (np.int64(a[0]), np.float32(a[1]), hash(a[3]) == hash(5.0)),
    "power": lambda a: [t := a[0], old := t, t := t**2, old, a][2:],
}


def plain(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return (
        np.asarray(value.copy_to_host()).tolist()
        if isinstance(value, da.Array)
        else getattr(value, "tolist", lambda: value)()
    )


@pytest.mark.parametrize("name", IDIOMS)
def test_idioms(name: str) -> None:
    ours = IDIOMS[name](da.asarray(Values))
    assert plain(ours) == plain(IDIOMS[name](Values.copy()))


def test_elements_are_no_views_to_write_to() -> None:
    x = da.asarray(Values)
    with pytest.raises(ValueError, match=r"x\[0, \.\.\.\]"):
        x[0][...] = 5
    with pytest.raises(ValueError, match=r"x\[0, \.\.\.\]"):
        x[0].copy_to_device(np.array(5.0))
    with pytest.raises(ValueError, match="WRITEABLE"):
        x[0].flags.writeable = True
    assert x[0].item() == 3


def test_views_of_an_element_stay_what_it_was() -> None:
    x = da.asarray(Values)
    t = x[0]
    views = [t[None], t.reshape(1, 1), da.broadcast_to(t, (3,)), t[()]]
    x += 1
    assert [v.copy_to_host().ravel()[0] for v in views] == [3, 3, 3, 3]


def test_arrays_without_axes_stay_arrays() -> None:
    z = w = da.asarray(5.0)
    z += 1
    assert w is z
    assert w.item() == 6
    with pytest.raises(TypeError, match="unhashable"):
        hash(z)


def test_an_expression_of_an_element_reads_what_was_read() -> None:
    x, y = da.asarray(Values), da.asarray(Values)
    t = x[3]
    r = y * t
    x[3] = 0
    assert r.copy_to_host().tolist() == (Values * 5).tolist()
    assert (y + t).copy_to_host().tolist() == (Values + 5).tolist()


def test_exposed_memory_is_read_at_once() -> None:
    x = da.asarray(Values)
    before = x[0]
    shared = da.from_dlpack(x)
    t = x[1]
    shared += 10
    assert (before.item(), t.item(), x[0].item()) == (3, 1, 13)


def test_elements_wait_for_nothing() -> None:
    x = da.asarray(Values)
    da.config.forbid_waits = True
    try:
        t = x[0]
        t += x[1]
        x += t
        a, *_ = x
        x[:] = a
    finally:
        da.config.forbid_waits = False
    assert x.copy_to_host().tolist() == [7.0] * 5


@pytest.mark.parametrize("step", [1, 3, 100])
def test_many_elements_are_moved_by_few_launches(step: int) -> None:
    host = np.arange(100.0 * step)
    x = da.asarray(host)
    kept = [x[i * step] for i in range(100)]
    da.reset_stats()
    x += 1
    assert da.stats()["launches"] <= 2
    assert [k.item() for k in kept] == host[::step].tolist()


@pytest.mark.usefixtures("kernels")
def test_elements_elsewhere_cost_a_write_nothing() -> None:
    x = da.asarray(Values)
    t = x[0]
    da.reset_stats()
    x[1] = 7.0
    assert da.stats()["launches"] == 1
    x[0] = 8.0
    assert da.stats()["launches"] == 3
    assert t.item() == 3
