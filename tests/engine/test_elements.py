"""What was read from an array, or reduced to one number, stays what it was: everyday idioms, as NumPy has them."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("device")

Values = np.array([3.0, 1.0, 2.0, 5.0, 4.0])


@pytest.fixture(params=["deferred", "eager"], autouse=True)
def _mode(request: pytest.FixtureRequest) -> Iterator[None]:
    before = da.config.deferred
    da.config.deferred = request.param == "deferred"
    yield
    da.config.deferred = before


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


def test_elements_elsewhere_cost_a_write_nothing() -> None:
    x = da.asarray(Values)
    t = x[0]
    da.reset_stats()
    x[1] = 7.0
    assert da.stats()["launches"] == 1
    x[0] = 8.0
    assert da.stats()["launches"] == 3
    assert t.item() == 3


# --- what makes a value, and what does not -------------------------------------------------------------------------

MATRIX = np.array([[4.0, 1.0], [1.0, 3.0]])
SCALARS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "element": lambda xp, a, m: a[1],
    "element of a matrix": lambda xp, a, m: m[1, 0],
    "by a NumPy integer": lambda xp, a, m: a[np.int64(1)],
    "by an array without axes": lambda xp, a, m: a[np.array(1)],
    "by a scalar of the device": lambda xp, a, m: a[a.argmax()],
    "array without axes": lambda xp, a, m: m[1, 0, ...][()],
    "with an Ellipsis": lambda xp, a, m: a[1, ...],
    "sum": lambda xp, a, m: a.sum(),
    "mean": lambda xp, a, m: m.mean(),
    "argmax": lambda xp, a, m: a.argmax(),
    "any": lambda xp, a, m: (a > 2).any(),
    "dot": lambda xp, a, m: xp.dot(a, a),
    "matmul": lambda xp, a, m: a @ a,
    "inner": lambda xp, a, m: xp.inner(a, a),
    "vdot": lambda xp, a, m: xp.vdot(a, a),
    "einsum": lambda xp, a, m: xp.einsum("i,i", a, a),
    "trace": lambda xp, a, m: xp.trace(m),
    "norm": lambda xp, a, m: xp.linalg.norm(a),
    "determinant": lambda xp, a, m: xp.linalg.det(m),
    "median": lambda xp, a, m: xp.median(a),
    "percentile": lambda xp, a, m: xp.percentile(a, 30),
    "take": lambda xp, a, m: xp.take(a, 2),
    "searchsorted": lambda xp, a, m: xp.searchsorted(xp.sort(a), 2.5),
    "ufunc": lambda xp, a, m: xp.sqrt(a[0]),
    "operator": lambda xp, a, m: a[0] + 1,
    "comparison": lambda xp, a, m: a[0] > a[1],
    "rounded": lambda xp, a, m: a[0].round(1),
    "cast": lambda xp, a, m: a[0].astype(np.float32),
    "copy": lambda xp, a, m: a[0].copy(),
    "transposed": lambda xp, a, m: a[0].T,
    "copied": lambda xp, a, m: copy.copy(a[0]),
    "copied deeply": lambda xp, a, m: copy.deepcopy(a.sum()),
    "pickled": lambda xp, a, m: pickle.loads(pickle.dumps(a[0])),
    "indexed": lambda xp, a, m: a[0][()],
    "new axis": lambda xp, a, m: a[0][None],
    "an Ellipsis of a value": lambda xp, a, m: a[0][...],
    "reshaped": lambda xp, a, m: a[0].reshape(1),
    "array of a value": lambda xp, a, m: xp.asarray(a[0]),
    "copy of an array": lambda xp, a, m: xp.asarray(2.0).copy(),
    "array pickled": lambda xp, a, m: pickle.loads(pickle.dumps(xp.asarray(2.0))),
    "squeezed": lambda xp, a, m: xp.squeeze(a[:1]),
    "filled": lambda xp, a, m: xp.full((), 3.0),
}


@pytest.mark.filterwarnings("ignore::devarray.errors.HiddenTransferWarning")  # of decompositions
@pytest.mark.parametrize("name", SCALARS)
def test_values_are_where_numpy_has_scalars(name: str) -> None:
    wanted = SCALARS[name](np, Values.copy(), MATRIX.copy())
    ours = SCALARS[name](da, da.asarray(Values), da.asarray(MATRIX))
    assert _core.is_value(ours) == isinstance(wanted, np.generic)
    assert ours.shape == wanted.shape
    np.testing.assert_allclose(ours.copy_to_host(), wanted, rtol=1e-14)


WRITES: dict[str, Callable[[Any], Any]] = {
    "index": lambda v: v.__setitem__((), 9.0),
    "Ellipsis": lambda v: v.__setitem__(..., 9.0),
    "fill": lambda v: v.fill(9.0),
    "copy_to_device": lambda v: v.copy_to_device(np.array(9.0)),
    "copy_to_device of a value": lambda v: v.copy_to_device(v + 1),
    "copyto": lambda v: da.copyto(v, 9.0),
    "put": lambda v: da.put(v, [0], [9.0]),
    "putmask": lambda v: da.putmask(v, True, 9.0),
    "flat": lambda v: setattr(v, "flat", 9.0),
    "out of ours": lambda v: da.add(1.0, 2.0 * da.ones(()), out=v),
    "out of NumPy's": lambda v: np.add(v, 1.0, out=v),
    "out of a reduction": lambda v: da.sum(da.ones(3), out=v),
    "flags": lambda v: setattr(v.flags, "writeable", True),
    "setflags": lambda v: v.setflags(write=True),
    "transposed": lambda v: v.T.__setitem__((), 9.0),
    "broadcast": lambda v: da.broadcast_to(v, (3,)).__setitem__(0, 9.0),
}


@pytest.mark.parametrize("how", WRITES)
@pytest.mark.parametrize("kind", ["element", "sum", "pending"])
def test_values_are_never_written(how: str, kind: str) -> None:
    x = da.asarray(Values)
    v = {"element": lambda: x[0], "sum": x.sum, "pending": lambda: x[0] + 1}[kind]()
    before = float(v)
    with pytest.raises((ValueError, TypeError), match=r"read-only|WRITEABLE|writeable"):
        WRITES[how](v)
    assert (float(v), x[0].item(), v.flags.writeable) == (before, 3, False)


@pytest.mark.parametrize("kind", ["element", "sum", "pending"])
def test_what_is_made_of_a_value_may_be_written(kind: str) -> None:
    x = da.asarray(Values)
    v = {"element": lambda: x[0], "sum": x.sum, "pending": lambda: x[0] + 1}[kind]()
    before = float(v)
    for make in (
        lambda: v[...],
        lambda: v[None],
        lambda: v.reshape(1),
        lambda: v.ravel(),
        lambda: da.asarray(v),
        lambda: da.array(v),
        lambda: da.atleast_1d(v),
        lambda: da.from_dlpack(v),
    ):
        made = make()
        made += 1
        made[...] = made * 2
        assert made.item() == 2 * (before + 1)
    assert float(v) == before
    assert x[0].item() == 3


def test_a_write_through_a_view_and_through_numpy_leaves_values() -> None:
    x = da.asarray(Values)
    kept = [x[0], x[1]]
    np.copyto(x[:1], da.asarray([9.0]))
    x.reshape(5, 1)[1] = 8
    assert [k.item() for k in kept] == [3, 1]
    x[0] += 1
    assert x[0].item() == 10


def test_a_value_outlives_its_array_and_its_queue() -> None:
    x = da.asarray(Values, queue=da.queue())
    t, total = x[3], x.sum()
    del x
    assert (t.item(), (t + total).item()) == (5, 20)


def test_values_of_other_queues() -> None:
    here, there = da.queue(), da.queue()
    x = da.asarray(Values, queue=here)
    y = da.zeros(5, queue=there)
    t = x[3]
    y += t
    x[3] = 0
    y += t
    y[0] = t
    x[...] = y
    assert y.copy_to_host().tolist() == [5, 10, 10, 10, 10]
    assert t.item() == 5


def test_large_memory_is_given_back_that_only_values_keep() -> None:
    memory = da.alloc.StatisticsResourceAdaptor(da.zeros(1).allocator)
    with da.use(allocator=memory):
        kept = []
        x = da.arange(100_000, dtype=da.float64)
        for i in range(50):
            kept.append(x[i])
            x = x + 1
        x = None
        kept.append(da.ones(3)[0])
    assert [k.item() for k in kept[:50]] == [2.0 * i for i in range(50)]
    assert memory.allocation_counts.current_bytes < 3 * 800_000


def test_a_value_read_while_another_thread_writes() -> None:
    x = da.zeros(4)
    stop, wrong = threading.Event(), []

    def write() -> None:
        n = 0
        while not stop.is_set():
            n += 1
            x[...] = n

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(1000):
            t = x[1]
            first = t.item()
            wrong += [(first, second) for second in (t.item(), (t + 0).item(), t.item()) if second != first]
    finally:
        stop.set()
        writer.join()
    assert wrong == []


def test_nan_is_found_by_identity() -> None:
    t = da.asarray([np.nan])[0]
    assert {t: 1}[t] == 1


def test_counts_and_indices_take_values() -> None:
    a, x = Values, da.asarray(Values)
    n, m = x.argmax(), a.argmax()
    same = np.testing.assert_array_equal
    same(da.roll(x, n).copy_to_host(), np.roll(a, m))
    same(da.roll(x.reshape(1, 5), (n, n), (0, 1)).copy_to_host(), np.roll(a.reshape(1, 5), (m, m), (0, 1)))
    same(da.tile(x, n).copy_to_host(), np.tile(a, m))
    same(da.tile(x, (n, 2)).copy_to_host(), np.tile(a, (m, 2)))
    same(da.pad(x, n).copy_to_host(), np.pad(a, m))
    same(da.pad(x, (n, 1)).copy_to_host(), np.pad(a, (m, 1)))
    same(da.pad(x, 1, constant_values=x[0]).copy_to_host(), np.pad(a, 1, constant_values=a[0]))
    same(da.repeat(x, n).copy_to_host(), np.repeat(a, m))
    same(da.linspace(0, 1, n).copy_to_host(), np.linspace(0, 1, m))
    same(da.linspace(x[1], x[3], 5).copy_to_host(), np.linspace(a[1], a[3], 5))
    same(da.arange(n).copy_to_host(), np.arange(m))
    same(da.zeros(n).copy_to_host(), np.zeros(m))
    same(da.full((2, n), x[0]).copy_to_host(), np.full((2, m), a[0]))
    same(da.eye(n).copy_to_host(), np.eye(m))
    same(da.histogram(x, bins=n)[0].copy_to_host(), np.histogram(a, bins=m)[0])
    same(da.histogram(x, bins=n)[1].copy_to_host(), np.histogram(a, bins=m)[1])
    same(da.array_split(x, n)[1].copy_to_host(), np.array_split(a, m)[1])
    same(x[n : n + 1].copy_to_host(), a[m : m + 1])
    same(x.reshape(n - 2, -1).copy_to_host(), a.reshape(m - 2, -1))
    same(da.sum(x[None], axis=n - 2).copy_to_host(), np.sum(a[None], axis=m - 2))
    assert (list(range(n)), round(x[0] / 7, 2).item()) == (list(range(m)), round(a[0] / 7, 2))
    assert (np.int64(n), np.float32(x[0]), round(x[3]), "abcd"[n]) == (m, a[0], 5, "abcd"[m])


@pytest.mark.parametrize("version", [None, (1, 0)])
def test_dlpack_gives_memory_of_its_own(version: tuple[int, int] | None) -> None:
    x = da.asarray(Values)
    t = x[1]
    shared = da.from_dlpack(_Producer(t, version))
    shared += 5
    assert (shared.item(), t.item(), x[1].item()) == (6, 1, 1)


class _Producer:
    """What another library's consumer asks: capsules of the given version."""

    def __init__(self, x: da.Array, version: tuple[int, int] | None) -> None:
        self.x, self.version = x, version

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.x.__dlpack_device__()

    def __dlpack__(self, **_: Any) -> Any:
        return self.x.__dlpack__(max_version=self.version)
