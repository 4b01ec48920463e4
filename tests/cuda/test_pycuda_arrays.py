"""Functions of ``pycuda.gpuarray`` over several arrays, on a GPU."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from oracle import same

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("context")]

X = np.random.default_rng(0).normal(size=(4, 6)).astype(np.float32)
Y = np.random.default_rng(1).normal(size=(4, 6)).astype(np.float32)
PLACES = np.array([7, 0, 23, 7, 11], np.int32)


@pytest.fixture
def gpuarray(context: Any) -> Any:
    from devarray.cuda import gpuarray

    return gpuarray


def test_joined(gpuarray: Any) -> None:
    x, y = gpuarray.to_gpu(X), gpuarray.to_gpu(Y)
    for axis in (0, 1):
        same(gpuarray.concatenate((x, y), axis), np.concatenate((X, Y), axis))
        same(gpuarray.stack((x, y), axis), np.stack((X, Y), axis))
    assert isinstance(gpuarray.stack((x, y)), gpuarray.GPUArray)


def test_shapes(gpuarray: Any) -> None:
    x = gpuarray.to_gpu(X)
    same(gpuarray.transpose(x), X.T)
    same(gpuarray.reshape(x, 3, -1), X.reshape(3, -1))
    same(gpuarray.reshape(x, (8, 3), order="F"), X.reshape((8, 3), order="F"))
    same(gpuarray.ones((2, 3)), np.ones((2, 3)))


def test_chosen(gpuarray: Any) -> None:
    x, y = gpuarray.to_gpu(X), gpuarray.to_gpu(Y)
    out = gpuarray.empty(X.shape)
    assert gpuarray.where(x > 0, x, y, out=out) is out
    same(out, np.where(X > 0, X, Y))
    same(gpuarray.logical_and(x > 0, y), np.logical_and(X > 0, Y))
    same(gpuarray.logical_or(x > 0, y > 0), np.logical_or(X > 0, Y > 0))
    same(gpuarray.logical_not(x > 0), ~(X > 0))


def test_by_indices(gpuarray: Any) -> None:
    x, y, places = gpuarray.to_gpu(X), gpuarray.to_gpu(Y), gpuarray.to_gpu(PLACES)
    assert abs(float(gpuarray.subset_sum(places, x).get()) - X.ravel()[PLACES].sum()) < 1e-5
    for got, host in zip(gpuarray.multi_take([x, y], places), (X, Y), strict=True):
        same(got, host.ravel()[PLACES])
    to, wanted = gpuarray.to_gpu(np.array([3, 1, 0], np.int32)), np.zeros(5, np.float32)
    wanted[[3, 1, 0]] = X[0, :3]
    (got,) = gpuarray.multi_put([x[0, :3]], to, out=[gpuarray.zeros(5, np.float32)])
    same(got, wanted)
    moved = [gpuarray.zeros(4, np.float32) for _ in range(2)]
    gpuarray.multi_take_put([x, x], to, places[:3], out=moved, src_offsets=[0, -0])
    for got in moved:
        assert got.get()[[3, 1, 0]].tolist() == X.ravel()[PLACES[:3]].tolist()
    with pytest.raises(ValueError, match="dest_shape"):
        gpuarray.multi_put([x], to)


def test_what_the_device_is(gpuarray: Any) -> None:
    from devarray import cuda
    from devarray.cuda import characterize

    assert characterize.has_double_support()
    assert characterize.has_stack()
    assert characterize.sizeof("long long") == 8
    assert characterize.sizeof("pair", "struct pair { float a; double b; };") == 16
    assert cuda.mem_alloc_like(X).nbytes == X.nbytes


def test_an_allocation_made_of_a_recycled_object_is_the_programs_own(gpuarray: Any) -> None:
    """Whatever memory the object stood for before: an allocator's cannot be freed by hand."""
    import devarray as da
    from devarray import cuda

    device = next(d for d in da.devices() if d.driver == "cuda")
    for _ in range(3):
        x = da.ones(20, allocator=da.alloc.DeviceMemoryResource(device, "device")).evaluate()
        memory = x.base_data
        with pytest.raises(ValueError, match="belongs to an allocator"):
            memory.free()
        device.default_queue.finish()
        del x
        del memory
        cuda.mem_alloc(80).free()


def test_orders_defaults_and_contiguous_parts(gpuarray: Any) -> None:
    x = gpuarray.to_gpu(np.asfortranarray(X))
    assert gpuarray.zeros(3).dtype == np.float64 and gpuarray.empty(np.array([2, 3])).shape == (2, 3)
    for order, fortran in (("K", True), ("A", True), ("F", True), ("C", False)):
        for made in (gpuarray.empty_like, gpuarray.zeros_like, gpuarray.ones_like):
            assert made(x, order=order).flags.f_contiguous is fortran
    same(x.reshape((6, 4)), X.reshape((6, 4)))
    assert x.reshape((6, 4)).flags.c_contiguous and x.reshape((6, 4), order="F").flags.f_contiguous
    same(x.transpose(axes=(1, 0)), X.T)
    z = gpuarray.to_gpu(X + 1j * Y)
    for part, wanted in ((z.real, X), (z.imag, Y)):
        assert part.flags.c_contiguous and isinstance(part, gpuarray.GPUArray)
        assert np.allclose(part.get(), wanted)
    z.real = 2
    assert (z.real.get() == 2).all()
    out = gpuarray.empty_like(z)
    assert z.conj(out=out) is out and (out.get() == z.get().conj()).all()


def test_one_element_is_a_view(gpuarray: Any) -> None:
    from devarray.cuda.reduction import ReductionKernel

    x, most = gpuarray.to_gpu(X), gpuarray.empty(4)
    largest = ReductionKernel(np.float32, neutral="-1e30", reduce_expr="max(a, b)", arguments="float *in")
    for i in range(4):
        largest(x[i], out=most[i])
    same(most, X.max(axis=1))


def test_results_in_an_allocators_memory(gpuarray: Any) -> None:
    from devarray.cuda.tools import DeviceMemoryPool

    pool, asked = DeviceMemoryPool(), []

    def allocator(nbytes: int) -> Any:
        asked.append(nbytes)
        return pool.allocate(nbytes)

    x, places = gpuarray.to_gpu(X), gpuarray.to_gpu(PLACES)
    for function, arguments in (
        (gpuarray.sum, (x,)), (gpuarray.max, (x,)), (gpuarray.min, (x,)), (gpuarray.any, (x,)), (gpuarray.all, (x,)),
        (gpuarray.dot, (x, x)), (gpuarray.subset_sum, (places, x)), (gpuarray.subset_max, (places, x)),
    ):  # fmt: skip
        del asked[:]
        assert np.allclose(function(*arguments, allocator=allocator).get(), function(*arguments).get())
        assert len(asked) == 1


def test_vectors(gpuarray: Any) -> None:
    from devarray import cuda
    from devarray.cuda.compiler import SourceModule

    vec = gpuarray.vec
    source = "__global__ void set_them(float3 *dest, float3 x) { dest[threadIdx.x] = x; }"
    set_them = SourceModule(source, cache_dir=False).get_function("set_them")
    wanted = vec.make_float3(1, 2, 3)
    host = np.empty(40, vec.float3)
    set_them(cuda.Out(host), wanted, block=(40, 1, 1))
    assert (host == wanted).all()
    x = gpuarray.GPUArray(40, vec.float3)
    x.fill(vec.make_float3(0, 0, 0))
    set_them.prepare(["P", vec.float3]).prepared_call((1, 1), (40, 1, 1), x.gpudata, wanted)
    cuda.Context.synchronize()
    assert (x.get() == wanted).all()
    with pytest.raises(TypeError, match="3 components"):
        vec.make_float3(1, 2)


def test_the_interface_is_pycudas(gpuarray: Any) -> None:
    interface = gpuarray.to_gpu(X).__cuda_array_interface__
    assert interface["strides"] == X.strides and interface["stream"] is None and not interface["data"][1]


def test_the_address_of_a_temporary_keeps_its_memory(gpuarray: Any) -> None:
    from devarray import cuda

    address = (gpuarray.to_gpu(X) * 2).gpudata
    others = [gpuarray.zeros(X.shape, np.float32) for _ in range(4)]
    host = np.empty_like(X)
    cuda.Context.synchronize()
    cuda.memcpy_dtoh(host, address)
    assert (host == X * 2).all() and len(others) == 4
    with pytest.raises(cuda.LogicError, match="from its address on"):
        cuda.memcpy_htod(address, np.zeros(1000))
    address.free()
    with pytest.raises(ValueError, match="was freed"):
        int(address)
