"""Copies with a stream: ordinary host memory has been read when the call is back, whatever the queue has to do."""

from __future__ import annotations

import threading

import numpy as np
import pytest

import devarray as da
from devarray._array import transfers as moving

SIZES = [10, 1000, 300_000, 1 << 20]


def busy(queue):
    """Some 50 ms of work on a queue."""
    x = da.ones((1500, 1500), np.float32, queue=queue)
    for _ in range(6):
        x = da.sin(x) * da.cos(x) + da.exp(-x) ** 1.5
    x.evaluate()
    return x


LAYOUTS = {
    "dense": lambda n: np.arange(n, dtype=np.float64),
    "strided": lambda n: np.arange(2 * n, dtype=np.float64)[::2],
    "reversed": lambda n: np.arange(n, dtype=np.float64)[::-1],
    "columns": lambda n: np.arange(4 * (n // 2 + 1), dtype=np.float64).reshape(-1, 4)[:, 1:3],
    "transposed": lambda n: np.arange(2 * n, dtype=np.float64).reshape(2, n).T,
    "other dtype": lambda n: np.arange(n, dtype=np.float32),
}


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_ordinary_memory_is_read_at_once(layout, n):
    queue = da.queue()
    for _ in range(5):
        h = LAYOUTS[layout](n)
        expected = h.copy()
        kept = busy(queue)
        x = da.to_device(h, stream=queue)
        h[...] = -2
        y = da.empty(expected.shape, np.float64, queue=queue)
        source = expected.copy()
        y.copy_to_device(source, stream=queue)
        source[...] = -3
        part = da.zeros(expected.shape, np.float64, queue=queue)
        if part.ndim == 1 and n > 10:
            source[...] = expected
            part[::2].copy_to_device(source[::2], stream=queue)
            source[...] = -4
        queue.finish()
        assert np.array_equal(x.copy_to_host(), expected)
        assert np.array_equal(y.copy_to_host(), expected)
        if part.ndim == 1 and n > 10:
            assert np.array_equal(part.copy_to_host()[::2], expected[::2])
        del kept


@pytest.mark.parametrize("n", SIZES)
def test_page_locked_memory_arrives_too(n):
    queue = da.queue()
    h = da.pinned_array(n, np.float64)
    h[...] = np.arange(n)
    kept = busy(queue)
    x = da.to_device(h, stream=queue)
    back = x.copy_to_host(stream=queue)
    queue.finish()
    assert np.array_equal(x.copy_to_host(), np.arange(n)) and np.array_equal(back, np.arange(n))
    del kept


def test_many_threads_keep_and_drop_enqueued_copies():
    """What is kept until its copy is done is filtered by all threads, and asking an event lets the others run."""
    errors = []

    def work(number):
        try:
            queue = da.queue()
            for round_ in range(60):
                host = da.pinned_array(200, np.float64)
                host[...] = number * 1000 + round_
                x = da.to_device(host, stream=queue)
                out = np.empty(200)
                x.copy_to_host(out, stream=queue)
                queue.finish()
                assert (out == number * 1000 + round_).all()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


class Done:
    """An event that lets another thread in while it is asked, as every event may."""

    def __init__(self, done, meanwhile=lambda: None):
        self._done, self._meanwhile = done, meanwhile

    @property
    def done(self):
        self._meanwhile()
        return self._done


def test_what_is_kept_meanwhile_stays_kept(monkeypatch):
    monkeypatch.setattr(moving, "_kept", {})
    meanwhile = []

    def another_thread():
        if meanwhile:
            meanwhile.pop()()

    first = Done(False, another_thread)
    moving._keep_until(first, ("first",))
    moving._keep_until(Done(False), ("second",))
    first._done = True
    meanwhile.append(lambda: moving._keep_until(Done(False), ("late",)))
    moving._keep_until(Done(False), ("third",))
    assert sorted(things[0] for _, things in moving._kept.values()) == ["late", "second", "third"]
