"""Threads that take memory from one pool at once."""

from __future__ import annotations

import threading

import numpy as np

import devarray as da


def test_threads_that_grow_a_pool_at_once(device: da.Device) -> None:
    """One takes all that the limit allows, and the others have their parts of it."""
    limit, threads = 1 << 22, 8

    def failures() -> list[da.OutOfMemoryError]:
        limited = da.alloc.LimitingResourceAdaptor(da.alloc.DeviceMemoryResource(device), limit)
        pool, barrier = da.alloc.PoolMemoryResource(limited), threading.Barrier(threads)
        held: list[da.Array] = []
        failed: list[da.OutOfMemoryError] = []

        def work() -> None:
            barrier.wait()
            try:
                held.append(da.empty(limit // (2 * threads), np.uint8, allocator=pool))
            except da.OutOfMemoryError as error:
                failed.append(error)

        together = [threading.Thread(target=work) for _ in range(threads)]
        for thread in together:
            thread.start()
        for thread in together:
            thread.join()
        return failed

    assert [failures() for _ in range(20)] == [[]] * 20
