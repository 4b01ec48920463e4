"""Typical uses, which type checkers in their strict modes take without a complaint. It is checked, not run."""

from __future__ import annotations

import numpy as np

import devarray as da
from devarray import alloc, cl, cuda


def pools(device: da.Device) -> int:
    pool = alloc.PoolMemoryResource(alloc.LimitingResourceAdaptor(alloc.DeviceMemoryResource(device), 1 << 30))
    block: alloc.Block = pool.allocate(1000, device.default_queue)
    counted = alloc.StatisticsResourceAdaptor(pool)
    alloc.set_default_allocator(device, counted)
    alloc.set_default_allocator(device, None)
    return block.nbytes + pool.free_held() + counted.allocation_counts.peak_bytes


def buffers(context: cl.Context) -> str:
    queue = cl.CommandQueue(context)
    memory = cl.Buffer(context, 1, 16)
    program = cl.Program(context, "kernel void one(global float* x) { *x = 1; }").build()
    event: cl.Event = program.one(queue, (4,), None, memory)
    event.wait()
    cl.wait_for_events([event, cl.enqueue_marker(queue)])
    return queue.device.name + queue.context.devices[0].platform.version


def shared(context: cl.Context, queue: cl.CommandQueue) -> int:
    memory = cl.SVMAllocation(context, 64, queue=queue)
    memory.enqueue_release().wait()
    return memory.size


def streams(number: int) -> float:
    device = cuda.Device(number)
    context: cuda.Context = device.retain_primary_context()
    context.push()
    memory: cuda.DeviceAllocation = cuda.mem_alloc(16)
    cuda.memcpy_htod(memory, np.ones(4, np.float32))
    start, end = cuda.Event().record(), cuda.Event().record(cuda.Stream())
    kernel: cuda.Function = cuda.module_from_buffer(b"").get_function("one")
    kernel(memory, block=(4, 1, 1))
    free, total = cuda.mem_get_info()
    return end.synchronize().time_since(start) + free / total
