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
    (got,) = gpuarray.multi_put([x[0, :3]], to, out=[gpuarray.zeros(5)])
    same(got, wanted)
    moved = gpuarray.multi_take_put([x, x], to, places[:3], dest_shape=4, src_offsets=[0, -0])
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
