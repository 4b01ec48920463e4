"""Small work that the host runs at once, beside other threads: their kernels, their compilations, their writes.

Every array holds one number throughout, so that a value which was read half before a write and half after it shows.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator

import numpy as np
import pytest

import devarray as da

pytestmark = pytest.mark.usefixtures("on_host")

SIZE = 500


@pytest.fixture(autouse=True)
def quick_turns() -> Iterator[None]:
    """Threads take turns as often as Python allows."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def together(*bodies: Callable[[], None]) -> None:
    """Runs each in a thread of its own; raises what one of them raises."""
    errors: list[BaseException] = []
    start = threading.Barrier(len(bodies))

    def run(body: Callable[[], None]) -> None:
        try:
            start.wait()
            body()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def number_of(x: da.Array) -> float:
    """The one number that an array holds."""
    values = x.copy_to_host()
    np.testing.assert_array_equal(values, np.full_like(values, values[0]))
    return float(values[0])


def test_readers_and_writers_of_one_array() -> None:
    x, whole = da.zeros(SIZE), da.zeros(SIZE)
    view = x[...]
    last = 0.0

    def write() -> None:
        for i in range(1, 400):
            if i % 2:
                view[...] = float(i)
            else:
                view[...] = whole + float(i)

    def read() -> None:
        nonlocal last
        seen = -1.0
        for _ in range(400):
            y = x * 1.0  # pending until it is read, or x is written
            found = number_of(y)
            assert found >= seen, "an older value than before"
            seen = found
        last = max(last, seen)

    together(write, read, read)
    assert number_of(x) == 399
    assert 0 <= last <= 399


def test_kernels_of_another_thread_on_the_same_memory() -> None:
    x = da.zeros(SIZE)
    view = x[...]

    def by_kernels() -> None:
        for i in range(200):
            y = da.cos(x * 0.0) + x  # 1 + x, by a kernel
            assert 1 <= number_of(y) <= 201
            if i % 16 == 0:
                da.synchronize()

    def by_host() -> None:
        for i in range(200):
            view[...] = float(i)
            assert number_of(x + 0.0) == i
            view[...] = x + 1.0
            assert number_of(x) == i + 1

    together(by_kernels, by_host, by_kernels)


def test_writes_wait_for_a_reader_that_is_being_compiled() -> None:
    x = da.full(SIZE, 1.0)
    view = x[...]
    results: list[tuple[int, da.Array]] = []

    def compile_often() -> None:
        for i in range(6):
            y = da.sin(x * 0.0)
            for _ in range(i + 1):
                y = y + x  # a kernel of its own for each length
            y.evaluate()
            results.append((i + 1, y))

    def write() -> None:
        for i in range(300):
            view[...] = float(i)

    together(compile_often, write)
    for terms, y in results:
        # Terms may be of different times, since a write can come between two additions; each is whole.
        assert number_of(y) in range(300 * terms)


def test_an_array_that_two_threads_evaluate() -> None:
    for i in range(300):
        y = da.full(SIZE, float(i)) + 1.0
        z = y * 2.0
        found: list[float] = []
        together(
            lambda y=y, found=found: found.append(number_of(y)), lambda z=z, found=found: found.append(number_of(z))
        )
        assert sorted(found) == [i + 1, 2 * i + 2]


def test_products_and_sums_of_threads_share_nothing() -> None:
    def work(n: int) -> Callable[[], None]:
        def body() -> None:
            a = da.full((12, 12), float(n))
            for _ in range(200):
                assert number_of((a @ a).reshape(-1)) == 12 * n * n
                assert float((a + 1).sum()) == 144 * (n + 1)
                assert float(a.astype(np.float16).sum()) == 144 * n

        return body

    together(*(work(n) for n in range(1, 5)))
