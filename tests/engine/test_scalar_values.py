"""What makes a value of an array, what does not, and how long values live."""

from __future__ import annotations

import copy
import pickle
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray import _core

pytestmark = pytest.mark.usefixtures("device", "both_modes")

Values = np.array([3.0, 1.0, 2.0, 5.0, 4.0])


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
