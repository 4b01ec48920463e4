"""Every resource over the real device's memory: arrays live, compute, run out and recover in it."""

from __future__ import annotations

import ctypes
import mmap
import os
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import devarray as da
from devarray import alloc
from devarray.errors import OutOfMemoryError

pytestmark = pytest.mark.usefixtures("device")
LIMIT = 64 << 20


@pytest.fixture
def device() -> da.Device:
    return da.device()


def bins(upstream: alloc.MemoryResource) -> alloc.PoolMemoryResource:
    return alloc.PoolMemoryResource(upstream, leading_bits_in_bin_id=4)


OVER: dict[str, Callable[[alloc.MemoryResource], alloc.MemoryResource]] = {
    "direct": lambda up: up,
    "pool": alloc.PoolMemoryResource,
    "bins": bins,
    "limit": lambda up: alloc.LimitingResourceAdaptor(up, LIMIT),
    "statistics over pool": lambda up: alloc.StatisticsResourceAdaptor(alloc.PoolMemoryResource(up)),
    "tracking": lambda up: alloc.TrackingResourceAdaptor(up),
    "logging": lambda up: alloc.LoggingResourceAdaptor(up, os.devnull),
    "prefetch over pool": lambda up: alloc.PrefetchResourceAdaptor(alloc.PoolMemoryResource(up)),
    "failure callback": lambda up: alloc.FailureCallbackResourceAdaptor(up, lambda nbytes: False),
    "callback": lambda up: alloc.CallbackMemoryResource(up.allocate, device=up.device, kind=up.kind),
}
KINDS = ["buffer", "svm_coarse", "svm_fine", "device", "managed", "pinned", "async", "virtual"]


@pytest.fixture(params=KINDS)
def upstream(request: pytest.FixtureRequest, device: da.Device) -> alloc.MemoryResource:
    if request.param in ("async", "virtual"):
        if device.driver != "cuda":
            pytest.skip("stream-ordered and virtual memory are CUDA's")
        return (alloc.CudaAsyncMemoryResource if request.param == "async" else alloc.CudaVirtualMemoryResource)(device)
    if request.param not in device.memory_kinds:
        pytest.skip(f"the device has no memory of kind {request.param}")
    return alloc.DeviceMemoryResource(device, request.param)


@pytest.fixture(params=OVER)
def resource(request: pytest.FixtureRequest, upstream: alloc.MemoryResource) -> alloc.MemoryResource:
    return OVER[request.param](upstream)


def test_arrays_of_all_sizes(resource: alloc.MemoryResource) -> None:
    kept = []
    for n in (0, 1, 63, 1000, 70_000, 300_000, 17):
        x = da.asarray(np.arange(n, dtype=np.int32), allocator=resource)
        kept.append((n, x * 2 + 1))
        assert kept[-1][1].allocator is resource
    for n, y in kept:
        np.testing.assert_array_equal(y.copy_to_host(), np.arange(n, dtype=np.int32) * 2 + 1)


@pytest.fixture
def resident() -> Callable[[int, int], np.ndarray]:
    """Which of the pages from an address on are in memory, as a function of the address and the bytes."""
    libc, page = ctypes.CDLL(None, use_errno=True), 4096
    room = mmap.mmap(-1, page)
    start = ctypes.addressof(ctypes.c_char.from_buffer(room))
    if libc.madvise(ctypes.c_void_p(start), ctypes.c_size_t(page), 23) != 0:
        pytest.skip("the system backs no memory on demand (MADV_POPULATE_WRITE, Linux 5.14)")

    def pages(address: int, nbytes: int) -> np.ndarray:
        first, last = address // page * page, -(-(address + nbytes) // page) * page
        seen = np.zeros((last - first) // page, np.uint8)
        libc.mincore(ctypes.c_void_p(first), ctypes.c_size_t(last - first), ctypes.c_void_p(seen.ctypes.data))
        return seen & 1 == 1

    return pages


def test_memory_shared_by_small_arrays_has_its_pages(
    device: da.Device, resident: Callable[[int, int], np.ndarray]
) -> None:
    """A CPU's masked vectors are slow where a page is missing, and they reach past small arrays."""
    if device.type != "cpu" or "svm_fine" not in device.memory_kinds:
        pytest.skip("memory that a CPU's kernels and the host share is wanted")
    x = da.empty(
        16, dtype=da.float32, allocator=alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, "svm_fine"))
    )
    assert resident(x.data.svm_ptr, 1 << 20).all()


def test_memory_is_reused_behind_its_work(resource: alloc.MemoryResource, device: da.Device) -> None:
    queues = [da.queue(device) for _ in range(3)]
    results = []
    for i in range(60):
        queue = queues[i % 3]
        x = da.full(20_000 + 500 * i, i, da.int32, allocator=resource, queue=queue)
        results.append((i, da.sum(x + 1)))
        del x  # its memory goes to another queue's array while the sum may still read it
    for i, total in results:
        assert total.item() == (i + 1) * (20_000 + 500 * i)


def test_threads_with_queues_of_their_own(resource: alloc.MemoryResource, device: da.Device) -> None:
    wrong: list[Any] = []

    def work(seed: int) -> None:
        queue = da.queue(device)
        for i in range(20):
            n = 1 + (seed * 7919 + i * 104729) % 50_000
            x = da.full(n, seed * 1000 + i, da.int32, allocator=resource, queue=queue)
            if not (x.copy_to_host() == seed * 1000 + i).all():
                wrong.append((seed, i))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@pytest.mark.parametrize("pool", [alloc.PoolMemoryResource, bins], ids=["splitting", "bins"])
def test_a_pool_that_is_exhausted_works_again(upstream: alloc.MemoryResource, pool: Any) -> None:
    limit = alloc.LimitingResourceAdaptor(upstream, LIMIT)
    statistics = alloc.StatisticsResourceAdaptor(pool(limit))
    statistics.push_counters()
    kept = [da.full(2 << 20, i, da.int32, allocator=statistics).evaluate() for i in range(5)]
    freed = [da.full(1 << 18, i, da.int32, allocator=statistics).evaluate() for i in range(15)]
    del freed  # held by the pool in pieces of 1 MiB
    more = [da.full(2 << 20, 5 + i, da.int32, allocator=statistics).evaluate() for i in range(2)]
    with pytest.raises(OutOfMemoryError, match="Statistics of the scope") as caught:
        da.full(4 << 20, 9, da.int32, allocator=statistics).evaluate()
    error = caught.value
    assert error.asked == 16 << 20
    assert error.active == 7 * (8 << 20)
    assert error.held is not None and error.largest_hole is not None
    for i, x in enumerate([*kept, *more]):
        assert (x.copy_to_host() == i).all()
    del kept, x
    y = da.full(4 << 20, 9, da.int32, allocator=statistics)
    assert y.sum().item() == 9 * (4 << 20)
    assert statistics.pop_counters().peak_bytes >= 56 << 20


def test_more_than_the_device_has(upstream: alloc.MemoryResource, device: da.Device) -> None:
    """The driver itself says no, and everything works after it."""
    pool = alloc.PoolMemoryResource(upstream)
    x = da.arange(1000, dtype=da.int32, allocator=pool) + 1
    with pytest.raises(OutOfMemoryError) as caught:
        pool.allocate(1 << 50)
    assert caught.value.asked == 1 << 50
    assert x.sum().item() == 1000 * 1001 // 2
    assert (da.full(1 << 20, 3, da.int32, allocator=pool).copy_to_host() == 3).all()


def test_the_drivers_pool(device: da.Device) -> None:
    if device.driver != "cuda":
        with pytest.raises(da.DeviceError, match="stream-ordered"):
            alloc.CudaAsyncMemoryResource(device)
        return
    pool = alloc.CudaAsyncMemoryResource(device)
    blocks = [pool.allocate(1 << 20, device.default_queue) for _ in range(4)]
    assert pool.used_bytes == pool.peak_used_bytes == 4 << 20
    assert pool.reserved_bytes >= 4 << 20
    del blocks
    da.synchronize()
    assert pool.used_bytes == 0 and pool.reserved_bytes >= 4 << 20
    assert pool.trim() >= 4 << 20
    assert pool.reserved_bytes == 0
    pool.reset_peaks()
    assert pool.peak_used_bytes == 0


def test_a_pool_over_virtual_memory_grows_in_place(device: da.Device) -> None:
    if device.driver != "cuda":
        with pytest.raises(da.DeviceError, match="virtual memory"):
            alloc.CudaVirtualMemoryResource(device)
        return
    upstream = alloc.CudaVirtualMemoryResource(device)
    pool, queue = alloc.PoolMemoryResource(upstream), device.default_queue
    memory = set()
    for step in range(1, 30):
        blocks = [pool.allocate(step * 1_000_000 * k, queue) for k in (1, 2, 1)]
        memory |= {int(block.allocation) for block in blocks}
        arrays = [da.full(step * 1000, i, da.int32, allocator=pool) for i in range(3)]
        assert all((x.copy_to_host() == i).all() for i, x in enumerate(arrays))
        del blocks, arrays
    assert len(memory) == 1  # one range of addresses for all that is large
    assert pool.peak_managed_bytes < 1.05 * pool.peak_active_bytes + 3 * upstream.granule
    kept = pool.allocate(1 << 20, queue)
    assert kept.allocation.mapped <= pool.managed_bytes
    assert pool.free_held() > 100 << 20 and pool.managed_bytes <= 3 * upstream.granule
    again = pool.allocate(50 << 20, queue)
    assert int(again.allocation) == int(kept.allocation)


def test_managed_memory_is_attached_advised_and_prefetched(device: da.Device) -> None:
    if "managed" not in device.memory_kinds:
        pytest.skip("the device has no managed memory")
    from devarray import cuda

    x = da.arange(1 << 20, dtype=da.int32, allocator=alloc.DeviceMemoryResource(device, "managed")).evaluate()
    memory = x.base_data
    da.synchronize()
    with_context = cuda.Device(device.index).retain_primary_context()
    with_context.push()
    try:
        memory.advise(cuda.mem_advise.SET_PREFERRED_LOCATION, cuda.Device(device.index))
        memory.prefetch(cuda.Device(device.index))
        memory.attach(cuda.mem_attach_flags.GLOBAL)
        cuda.Context.synchronize()
    finally:
        cuda.Context.pop()
    view = x.as_host_view()
    view[0] = 7
    x += 1
    da.synchronize()
    assert view[0] == 8 and view[-1] == 1 << 20
