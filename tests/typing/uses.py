"""Typical uses, which type checkers in their strict modes take without a complaint. It is checked, not run."""

from __future__ import annotations

import numpy as np

import devarray as da
from devarray import alloc, cl, cuda


def arithmetic(host: np.ndarray) -> float:
    x = da.asarray(host, dtype=np.float32)
    y: da.Array = da.sqrt(x * x + 1) - 2 / x
    y += 1
    y[1:, ..., None] = x[:-1] > 0
    mask: da.Array = (y > 0) & ~da.isnan(y)
    z = da.where(mask, y, 0).sum(axis=0, keepdims=True)
    smallest: float = z.min().item()
    return float(z.mean()) + int(da.argmax(z)) + smallest


def shapes(x: da.Array) -> tuple[int, ...]:
    rows, columns = da.zeros((2, 3)).shape
    parts = da.split(da.concatenate([x, x.T.reshape(-1, 1)], axis=1), 2)
    stacked = da.stack(parts).transpose(0, 2, 1).astype("float64", copy=False)
    first: da.Array = stacked[0]
    return (*first.shape, rows, columns, first.ndim, len(first))


def statistics(x: da.Array) -> list[float]:
    low, high = da.quantile(x, [0.25, 0.75]).tolist()
    counts, edges = da.histogram(x, bins=10, range=(0, 1))
    order = da.argsort(x, axis=-1, stable=True)
    distinct, numbers = da.unique(x, return_counts=True)
    return [
        low,
        high,
        *(counts / edges[1:]).tolist(),
        da.median(x, axis=None).item(),
        order.size + distinct.size + numbers.size,
    ]


def algebra(n: int) -> da.Array:
    a, b = da.eye(n, dtype=da.float64), da.random.default_rng(1).normal(0.0, 2.0, size=(n, n))
    q, r = da.linalg.qr(a @ b)
    spectrum = da.fft.rfft(da.linalg.solve(r + a, q), axis=-1)
    return da.einsum("ij,kj->ik", abs(spectrum), abs(spectrum)) * da.linalg.norm(b, ord="fro")


def copies(x: da.Array, target: np.ndarray) -> np.ndarray:
    x.copy_to_host(target)
    x.copy_to_device(target * 2)
    fresh: np.ndarray = da.to_device(target).copy_to_host()
    with da.use(device="opencl:0"), da.pinned(fresh):
        moved = da.to_device(fresh, stream=x.queue)
    staging = da.pinned_array((4,), np.int32)
    staging[:] = moved.copy_to_host()[:4]
    return staging


def kernels(x: da.Array, out: da.Array) -> da.Array:
    square = da.ElementwiseKernel("T x, T y", "T z", "z = x * x + y", "square")
    da.add(x, 1, out=out, where=x > 0, dtype=np.float64, casting="same_kind")
    squared: da.Array = square(x, out)
    return squared


def settings() -> str:
    da.config.deferred = True
    counted: int = da.stats()["launches"]
    try:
        da.zeros(3).reshape(2, 2)
    except da.errors.ShapeError as error:
        return f"{error} after {counted} launches on {da.device()}"
    return ""


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
