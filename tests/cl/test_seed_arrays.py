"""PyOpenCL's array, kernel generators and random numbers under its names, over devarray's arrays."""

from __future__ import annotations

import numpy as np
import pytest
from oracle import moderate, same

import devarray as da
import devarray.cl.array as cl_array
from devarray import cl, errors
from devarray.cl import clmath, clrandom, cltypes, tools
from devarray.cl.elementwise import ElementwiseKernel
from devarray.cl.reduction import ReductionKernel
from devarray.cl.scan import ExclusiveScanKernel, GenericScanKernel, InclusiveScanKernel


@pytest.fixture
def queue(ctx):
    return cl.CommandQueue(ctx)


def test_the_class_stays(queue):
    x = cl_array.to_device(queue, moderate("float32", (3, 4), 1))
    assert x.queue is queue and x.context == queue.context
    results = [
        x + 1,
        2 * x,
        np.float32(2) * x,
        x * x,
        -x,
        abs(x),
        x < 2,
        x.T,
        x[1],
        x.reshape(12),
        x.astype("f8"),
        x.copy(),
    ]
    assert {type(r) for r in results} == {cl_array.Array}
    assert isinstance(x, da.Array) and type(da.sin(x)) is da.Array


def test_transfers(queue):
    host = moderate("float32", (5, 6), 1)
    x = cl_array.to_device(queue, host)
    same(x.get(), host)
    target = np.empty_like(host)
    assert x.get(ary=target) is target
    same(target, host)
    got, event = (x * 3).get_async()
    event.wait()
    same(got, host * np.float32(3))
    got, event = x.T[::2].get_async()
    event.wait()
    same(got, host.T[::2])
    x.set(host + 1)
    same(x.get(), host + 1)
    same(x.map_to_host(), host + 1)
    with pytest.raises(errors.DTypeError, match="cast it with astype"):
        x.set(host.astype("f8"))
    with pytest.raises(errors.ShapeError):
        x.set(host[:2])
    same(x.fill(4).get(), np.full((5, 6), 4, "float32"))


def test_arrays_take_a_queue_and_an_allocator(ctx, queue):
    other, pool = cl.CommandQueue(ctx), tools.MemoryPool(tools.ImmediateAllocator(queue))
    host = np.arange(6, dtype=np.float32).reshape(2, 3)
    x = cl_array.to_device(queue, host, array_queue=other)
    assert x.queue is other and (x + 1).queue is other
    same((x + 1).get(), host + 1)
    for order in "CF":
        x = cl_array.to_device(queue, np.asarray(host, order=order))
        y = cl_array.empty_like(x, queue=other, allocator=pool)
        assert (y.shape, y.dtype, y.strides) == (x.shape, x.dtype, x.strides)
        assert y.queue is other and y.allocator is pool and x.allocator is not pool
        y[...] = x
        same(y.get(), host)
    assert cl_array.empty_like(x).queue is queue and cl_array.empty_like(x, allocator=pool).queue is queue
    vectors = cl_array.zeros(queue, 4, cltypes.float2)
    assert cl_array.empty_like(vectors, allocator=pool).allocator is pool


def test_arrays_name_their_allocator(ctx, queue, engine):
    allocators = [tools.ImmediateAllocator(queue), tools.MemoryPool(tools.DeferredAllocator(ctx))]
    if "svm_coarse" in engine.memory_kinds:
        allocators += [tools.SVMAllocator(ctx, queue=queue), tools.SVMPool(tools.SVMAllocator(ctx, queue=queue))]
    for allocator in allocators:
        x = cl_array.to_device(queue, np.arange(6.0, dtype=np.float32), allocator=allocator)
        for y in (
            x,
            x + 1,
            x[2:],
            x.copy(),
            cl_array.empty_like(x),
            cl_array.sum(x),
            cl_array.arange(queue, 3, allocator=x.allocator),
        ):
            assert y.allocator is allocator
        records = cl_array.zeros(queue, 4, cltypes.float2, allocator=allocator)
        assert records.allocator is allocator
    x = cl_array.zeros(queue, 3, np.int32)
    assert cl_array.zeros(queue, 3, np.int32, allocator=x.allocator).allocator is x.allocator


@pytest.mark.parametrize("kind", ["svm_fine", "buffer", "pinned"])
@pytest.mark.parametrize("cut", [..., (slice(1, 4), slice(None, None, 2))], ids=["whole", "part"])
def test_memory_is_mapped_and_released(queue, kind, cut):
    if kind not in queue.engine_device.memory_kinds:
        pytest.skip("the device has no such memory")
    host = moderate("float32", (5, 6), 1)
    memory = da.alloc.DeviceMemoryResource(queue.engine_device, kind)
    x = cl_array.to_device(queue, host, allocator=memory)
    mapped = x[cut].map_to_host()
    same(mapped, host[cut])
    mapped[1, 2] = host[cut][1, 2] = 7
    assert isinstance(mapped.base.release(queue), cl.Event)
    same(x.get(), host)
    same((x * 2).get(), host * 2)


def test_get_async_does_not_wait_for_an_event(ctx, queue):
    x = cl_array.to_device(queue, moderate("float32", 100, 1))
    gate = cl.UserEvent(ctx)
    x.add_event(gate)
    got, event = x.get_async()
    gate.set_status(cl.command_execution_status.COMPLETE)
    event.wait()
    same(got, moderate("float32", 100, 1))


def test_functions(queue):
    a, b = moderate("float32", 40, 1), moderate("float32", 40, 2)
    x, y = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    indices = cl_array.to_device(queue, np.array([3, 1, 1, 39], "int32"))
    same(cl_array.take(x, indices).get(), a[[3, 1, 1, 39]])
    same(cl_array.if_positive(x, x, y).get(), np.where(a > 0, a, b))
    assert cl_array.if_positive(True, 3, 4) == 3
    (put,) = cl_array.multi_take_put(
        [x], indices, indices[:1], (40,), [cl_array.zeros(queue, 40, np.float32)], None, [2]
    )
    wanted = np.zeros(40, np.float32)
    wanted[[3, 1, 1, 39]] = a[5]
    same(put.get(), wanted)
    same(cl_array.maximum(x, y).get(), np.maximum(a, b))
    same(cl_array.max(x).get(), np.asarray(a.max()))
    same(cl_array.min(x, initial=np.float32(-9)).get(), np.asarray(np.float32(-9)))
    np.testing.assert_allclose(cl_array.dot(x, y).get(), a @ b, rtol=1e-5)
    np.testing.assert_allclose(cl_array.subset_dot(indices, x, y).get(), a[[3, 1, 1, 39]] @ b[[3, 1, 1, 39]], rtol=1e-5)
    np.testing.assert_allclose(cl_array.sum(x, slice=slice(3, 20)).get(), a[3:20].sum(), rtol=1e-5)
    same(cl_array.concatenate((x, y)).get(), np.concatenate((a, b)))
    same(cl_array.arange(queue, 3, 9, 2, dtype=np.int32).get(), np.arange(3, 9, 2, dtype=np.int32))
    same(cl_array.zeros(queue, (2, 3), np.int64, order="F").get(), np.zeros((2, 3), np.int64))
    same(x.mul_add(2, y, 3).get(), a * np.float32(2) + b * np.float32(3))
    same(x.reverse().get(), a[::-1])
    assert x.any().get() and not (x > 9).any().get() and (x < 9).all().get()


def test_its_main_idiom(ctx, queue):
    program = cl.Program(
        ctx, "kernel void add(global float* x, global const float* y) { int i = get_global_id(0); x[i] += y[i]; }"
    ).build()
    a = moderate("float32", 7, 1)
    x, y = cl_array.to_device(queue, a), cl_array.to_device(queue, a)
    program.add(queue, x.shape, None, x.data, y.data)
    same(x.get(), a + a)


def test_element_wise_kernels(ctx, queue):
    a = moderate("float32", 5000, 1)
    x = cl_array.to_device(queue, a)
    z = cl_array.zeros(queue, 5000, np.float32)
    scale = ElementwiseKernel(ctx, "float a, const float *x, float *z", "z[i] = a * x[i]", "scale")
    scale(5, x, z).wait()
    same(z.get(), np.float32(5) * a)
    for where in (slice(5, 2000), slice(3000, 5, -1), slice(5, 4000, 17), slice(10, -1)):
        z.fill(0)
        scale(2, x, z, slice=where)
        wanted = np.zeros(5000, np.float32)
        wanted[where] = np.float32(2) * a[where]
        same(z.get(), wanted)
    swap = ElementwiseKernel(ctx, "float *x, float *y", "float t = x[i]; x[i] = y[i]; y[i] = t", "swap")
    swap(x, z)
    same(z.get(), a)
    with pytest.raises(errors.CompileError, match=r"line 2 of wrong: `z.i. = nothing`"):
        ElementwiseKernel(ctx, "float *z", "float t = 1;\nz[i] = nothing", "wrong")(z)
    with pytest.raises(errors.DTypeError, match="a pointer to numbers or to structures"):
        ElementwiseKernel(ctx, "image2d_t *z", "z[i] = 1")


def test_reductions(ctx, queue):
    a, b = moderate("int64", 70_001, 1), moderate("int64", 70_001, 2)
    x, y = cl_array.to_device(queue, a), cl_array.to_device(queue, b)
    dot = ReductionKernel(ctx, np.int64, "0", "a+b", "x[i]*y[i]", "long *x, long *y")
    same(dot(x, y).get(), np.asarray(a @ b))
    same(dot(x, y, slice=slice(10, -7, 3)).get(), np.asarray(a[10:-7:3] @ b[10:-7:3]))
    same(ReductionKernel(ctx, np.int64, "0", "a+b")(x).get(), np.asarray(a.sum()))
    same(ReductionKernel(ctx, np.int64, "0", "a+b", "i", "")(range=slice(100), queue=queue).get(), np.asarray(4950))
    result, event = dot(x, y, return_event=True)
    event.wait()
    assert result.queue == queue


@pytest.mark.parametrize("n", [1, 2, 3, 100, 4097, 100_003])
def test_scans(ctx, queue, n):
    a = moderate("int64", n, 1)
    x = cl_array.to_device(queue, a)
    same(InclusiveScanKernel(ctx, np.int64, "a+b")(x, cl_array.empty_like(x)).get(), np.cumsum(a))
    assert ExclusiveScanKernel(ctx, np.int64, "a+b", "0")(x) is x
    same(x.get(), np.cumsum(a) - a)
    x = cl_array.to_device(queue, a)
    greatest = InclusiveScanKernel(ctx, np.int64, "max(a, b)")(x)
    same(greatest.get(), np.maximum.accumulate(a))


def test_scans_read_no_other_kind_of_number(ctx, queue):
    scan = InclusiveScanKernel(ctx, np.int32, "a+b")
    whole, real = (cl_array.to_device(queue, np.array([1, 2, 3], t)) for t in ("i4", "f4"))
    for given in ((real, whole), (whole, real)):
        with pytest.raises(da.DTypeError, match=r"scan: (in|out)_ is an array of int32, not float32"):
            scan(*given)
    unsigned = cl_array.to_device(queue, np.array([1, 2, 2**32 - 1], "u4"))
    same(scan(unsigned, cl_array.empty_like(unsigned)).get(), np.array([1, 3, 2], "u4"))


@pytest.mark.parametrize("n", [1, 5, 1000, 100_003])
def test_segmented_scans(ctx, queue, n):
    a = moderate("int32", n, 1)
    starts = np.random.default_rng(n).random(n) < 0.01
    x, flags = cl_array.to_device(queue, a), cl_array.to_device(queue, starts.astype(np.int8))
    sums, before = cl_array.empty_like(x), cl_array.empty_like(x)
    GenericScanKernel(
        ctx, np.int32, "int *x, char *flags, int *sums, int *before", "x[i]", "across_seg_boundary ? b : a + b", "0",
        "sums[i] = item; before[i] = prev_item + (last_item - last_item)", is_segment_start_expr="flags[i]",
    )(x, flags, sums, before)  # fmt: skip
    places = np.maximum.accumulate(np.where(starts, np.arange(n), 0))
    running = np.cumsum(a)
    wanted = running - np.where(places > 0, running[places - 1], 0)
    same(sums.get(), wanted.astype("int32"))
    previous = np.r_[0, wanted[:-1]]
    same(before.get(), np.where(starts, 0, previous).astype("int32"))


def test_astype_takes_a_queue(queue):
    a = moderate("float32", 6, 1).reshape(2, 3)
    x = cl_array.to_device(queue, a)
    for cast in (x.astype(np.float64, queue), x.astype(np.float64, queue=queue), x.astype(np.float64, None)):
        assert isinstance(cast, cl_array.Array)
        same(cast.get(), a.astype(np.float64))
    assert x.T.astype(np.float64, "C", queue=queue).flags.c_contiguous


def test_methods_take_what_numpys_take(queue):
    """By their places, at which PyOpenCL's have a queue."""
    host = np.array([[0, 1, 2], [0, 0, 5]], "f4").T
    x = cl_array.to_device(queue, host)
    for axis in (0, 1, (0, 1), -1, None):
        same(x.any(axis), host.any(axis))
        same(x.all(axis), host.all(axis))
        same(x.all(axis, keepdims=True), host.all(axis, keepdims=True))
        same(np.logical_or.reduce(x, axis=axis), np.logical_or.reduce(host, axis=axis))
        same(np.logical_and.reduce(x, axis=axis), np.logical_and.reduce(host, axis=axis))
    assert x.all(queue).get() == host.all() and x.any(queue).get() == host.any()
    for order in "KCFA":
        for made, wanted in ((x.copy(order), host.copy(order)), (np.copy(x, order), np.copy(host, order))):
            assert (made.queue, made.strides, type(made)) == (queue, wanted.strides, cl_array.Array)
            same(made, wanted)


def test_a_compaction_by_scan(ctx, queue):
    a = moderate("int32", 10_000, 1)
    x, out = cl_array.to_device(queue, a), cl_array.zeros(queue, 10_000, np.int32)
    count = cl_array.zeros(queue, 1, np.int32)
    GenericScanKernel(
        ctx, np.int32, "int *x, int *out, int *count", "x[i] > 2 ? 1 : 0", "a+b", "0",
        "if (prev_item != item) out[item - 1] = x[i]; if (i + 1 == N) *count = item;",
    )(x, out, count)  # fmt: skip
    kept = a[a > 2]
    assert count.get()[0] == len(kept)
    same(out.get()[: len(kept)], kept)


def test_functions_of_clmath(queue):
    a = np.abs(moderate("float32", 200, 1)) + np.float32(0.25)
    x = cl_array.to_device(queue, a)
    for name in ("sin", "exp", "log", "sqrt", "tanh", "floor", "fabs", "cbrt"):
        np.testing.assert_allclose(getattr(clmath, name)(x).get(), getattr(np, name)(a), rtol=1e-6)
    np.testing.assert_allclose(clmath.rsqrt(x).get(), 1 / np.sqrt(a), rtol=1e-6)
    np.testing.assert_allclose(clmath.sinpi(x).get(), np.sin(np.pi * a.astype("f8")), atol=1e-5)
    same(
        clmath.round(cl_array.to_device(queue, np.float32([-2.5, -0.4, 0.5, 2.5]))).get(), np.float32([-3, -0.0, 1, 3])
    )
    significand, exponent = clmath.frexp(x)
    wanted = np.frexp(a)
    same(significand.get(), wanted[0])
    same(exponent.get(), wanted[1])
    same(clmath.ldexp(significand, exponent).get(), a)


def test_random_numbers(ctx, queue):
    generator = clrandom.PhiloxGenerator(ctx, seed=5)
    x = generator.uniform(queue, (100, 20), np.float32, a=-1, b=3).get()
    assert x.dtype == np.float32 and x.min() >= -1 and x.max() < 3 and abs(x.mean() - 1) < 0.1
    n = generator.normal(queue, 5000, np.float64, mu=2, sigma=3).get()
    assert abs(n.mean() - 2) < 0.2 and abs(n.std() - 3) < 0.2
    k = clrandom.rand(queue, 1000, np.int32, a=3, b=7).get()
    assert set(k) == {3, 4, 5, 6}
    target = cl_array.zeros(queue, 50, np.float32)
    generator.fill_uniform(target)
    assert len(set(target.get())) > 40
    clrandom.fill_rand(target, queue, 5, 6)
    assert target.get().min() >= 5 and target.get().max() < 6


def test_arrays_of_devarray_are_filled_and_summed() -> None:
    """Those that are no `cl.array.Array`."""
    target = da.zeros(20, "float32")
    for fill in (clrandom.PhiloxGenerator(None, seed=3).fill_uniform, clrandom.fill_rand):
        fill(target)
        assert bool(((target >= 0) & (target < 1)).all())
    clrandom.PhiloxGenerator(None, seed=3).fill_normal(target, mu=100).wait()
    assert bool((target > 50).all())
    event, made = cl_array.cumsum(da.arange(4), return_event=True)
    event.wait()
    assert made.tolist() == [0, 1, 3, 6]


def test_vector_types():
    v = cltypes.make_float4(1, 2, 3)
    assert (v["x"], v["s2"], v["w"]) == (1, 3, 0) and cltypes.float3.itemsize == 16
    assert cltypes.filled_int8(7)["s7"] == 7 and cltypes.vec_types[np.dtype("f4"), 2] == cltypes.float2


def test_structures_as_c_lays_them_out(ctx, queue):
    given = np.dtype([("flag", np.uint8), ("value", np.float64), ("pair", np.int32, 2), ("last", np.int16)])
    dtype, text = tools.match_dtype_to_c_struct(None, "record_t", given)
    assert dtype == np.dtype(
        {"names": given.names, "formats": [given[n] for n in given.names], "offsets": [0, 8, 16, 24], "itemsize": 32}
    )
    record = np.zeros((), dtype)
    record["flag"], record["value"], record["pair"], record["last"] = 3, 2.5, (4, 5), 6
    kernel = (
        cl.Program(
            ctx, text + "kernel void f(record_t r, global double* o) { *o = r.flag + r.value + r.pair[1] + r.last; }"
        )
        .build()
        .f
    )
    out = cl_array.zeros(queue, 1, np.float64)
    kernel(queue, (1,), None, record, out)
    assert out.get()[0] == 3 + 2.5 + 5 + 6
    with pytest.raises(ValueError, match="with fields"):
        tools.match_dtype_to_c_struct(None, "x", np.float32)
