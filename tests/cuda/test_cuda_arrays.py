"""Arrays in the raw CUDA layer: as arguments of kernels and copies, over raw memory, and in numba's kernels."""

import gc
import weakref

import numpy as np
import partly_locked
import pytest

import devarray as da
import devarray.cuda as cuda
from devarray import _core, alloc, errors
from devarray.cuda.compiler import SourceModule

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("context")]

SOURCE = """
__global__ void add4(float* out, const float* a, const float* b, const float* c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = a[i] + b[i] + c[i];
}
"""


@pytest.fixture
def engine():
    return next(d for d in da.devices() if d.driver == "cuda")


@pytest.fixture(params=["device", "managed", "pinned"])
def place(request, engine):
    """New arrays live in memory of each kind."""
    with da.use(device=engine, allocator=alloc.PoolMemoryResource(alloc.DeviceMemoryResource(engine, request.param))):
        yield engine


@pytest.fixture
def add4():
    return SourceModule(SOURCE, cache_dir=False).get_function("add4")


def test_arrays_as_kernel_arguments(place, add4):
    a, b, c = (da.arange(256, dtype=np.float32) * k for k in (1, 10, 100))  # pending: the call evaluates them
    out = da.zeros(256, dtype=np.float32)
    stream = place.default_queue
    add4(out, a, b, c, block=(64, 1, 1), grid=(4, 1), stream=stream)
    np.testing.assert_array_equal(out.copy_to_host(), np.arange(256, dtype=np.float32) * 111)
    add4.prepare("PPPP").prepared_async_call((4, 1), (64, 1, 1), stream, out, out, b, c)
    np.testing.assert_array_equal((out + 0).copy_to_host(), np.arange(256, dtype=np.float32) * 221)


def test_views_are_passed_by_where_they_start(place, add4):
    x = da.arange(1024, dtype=np.float32)
    out = da.zeros(64, dtype=np.float32)
    add4(out, x[64:], x[128:], x[256:], block=(64, 1, 1), stream=place.default_queue)
    expected = np.arange(64) * 3 + 64 + 128 + 256
    np.testing.assert_array_equal(out.copy_to_host(), expected.astype(np.float32))


def test_memory_of_an_array(place):
    x = da.arange(100, dtype=np.float32)
    assert x.ptr == int(x.base_data) + x.offset and x[3:].ptr == x.ptr + 12
    assert x[3:].gpudata in (x.ptr + 12, x[3:].base_data)
    assert isinstance(x.queue, cuda.Stream) and x.base_data.context is not None
    place.default_queue.finish()
    result = np.empty(100, np.float32)
    cuda.memcpy_dtoh(result, x)
    np.testing.assert_array_equal(result, np.arange(100, dtype=np.float32))
    cuda.memset_d32(x[50:], 0, 50)
    assert x.copy_to_host()[48:52].tolist() == [48, 49, 0, 0]
    x.events[0].wait()


def test_array_over_an_allocation(engine):
    values = np.arange(24, dtype=np.float32)
    memory = cuda.to_device(values)
    x = da.Array(memory, (4, 6), np.float32)
    assert x.device is engine and x.base_data is memory
    np.testing.assert_array_equal(x.copy_to_host(), values.reshape(4, 6))
    y = da.Array(memory, (3, 2), "float32", (24, 8), 4)
    y += 100
    expected = np.ndarray((3, 2), np.float32, values, 4, (24, 8)) + 100
    del memory, x
    gc.collect()
    np.testing.assert_array_equal(y.copy_to_host(), expected)
    with pytest.raises(errors.ShapeError, match="does not fit"):
        da.Array(y.base_data, 25, np.float32)


class Holder(cuda.PointerHolderBase):
    """Memory that another tool allocated, as PyCUDA's page has it."""

    def __init__(self, values):
        super().__init__()
        self.memory = cuda.to_device(values)

    def get_pointer(self):
        return int(self.memory)


def test_array_over_a_pointer_holder_keeps_it_alive(engine, add4):
    values = np.arange(64, dtype=np.float32)
    holder = Holder(values)
    alive = weakref.ref(holder)
    with da.use(device=engine):
        x = da.Array(holder, (8, 8), np.float32)
        tail = da.Array(holder, 8, np.float32, (-4,), 252)
        out = da.zeros(64, dtype=np.float32)
    add4(out, holder, x, x, block=(64, 1, 1), stream=engine.default_queue)
    np.testing.assert_array_equal(out.copy_to_host(), 3 * values)
    np.testing.assert_array_equal(tail.copy_to_host(), values[:-9:-1])
    del holder, tail
    gc.collect()
    assert alive() is not None
    np.testing.assert_array_equal((x.T * 2).copy_to_host(), values.reshape(8, 8).T * 2)
    del x
    gc.collect()
    da.synchronize(engine)
    gc.collect()
    assert alive() is None


def test_array_at_an_address_with_an_owner(engine):
    values = np.arange(16, dtype=np.int32)
    memory = cuda.to_device(values)
    with da.use(device=engine):
        x = da.Array(int(memory) + 16, 12, np.int32, owner=memory)
    del memory
    gc.collect()
    np.testing.assert_array_equal(x.copy_to_host(), values[4:])


@pytest.mark.filterwarnings("ignore:.*Grid size")
def test_arrays_in_numbas_kernels(engine):
    numba_cuda = pytest.importorskip("numba.cuda")

    @numba_cuda.jit
    def doubled(out, a):
        i = numba_cuda.grid(1)
        if i < out.size:
            out[i] = 2 * a[i]

    with da.use(device=engine):
        a, out = da.arange(1000, dtype=np.float32) + 1, da.zeros(1000, dtype=np.float32)
    try:
        doubled[8, 128](out, a)
    except AttributeError as error:
        if "module 'numpy'" not in str(error):
            raise
        pytest.skip(f"this numba-cuda is older than this NumPy: {error}")
    numba_cuda.synchronize()
    np.testing.assert_array_equal(out.copy_to_host(), 2 * (np.arange(1000, dtype=np.float32) + 1))
    theirs = numba_cuda.to_device(np.arange(10, dtype=np.float32))
    ours = da.asarray(theirs)
    ours *= 3
    da.synchronize(engine)
    np.testing.assert_array_equal(theirs.copy_to_host(), 3 * np.arange(10, dtype=np.float32))


def test_gpuarray_to_array_takes_arrays(engine):
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    with da.use(device=engine):
        x = da.asarray(values)
    da.synchronize(engine)
    array = cuda.gpuarray_to_array(x, "C")
    descriptor = array.get_descriptor()
    assert (descriptor.width, descriptor.height, descriptor.num_channels) == (4, 3, 1)
    out = np.zeros_like(values)
    cuda.memcpy_atoh(out[0], array, 0)
    np.testing.assert_array_equal(out[0], values[0])


def test_opencl_arrays_are_refused(engine, add4):
    others = [d for d in da.devices() if d.driver == "opencl"]
    if not others:
        pytest.skip("no OpenCL device beside the GPU")
    x = da.zeros(64, dtype=np.float32, device=others[0])
    with pytest.raises(errors.DeviceError, match="given to a CUDA call"):
        add4(x, x, x, x, block=(64, 1, 1))


def test_small_reads(engine):
    with da.use(device=engine):
        values = np.arange(4096, dtype=np.uint8)
        a = da.asarray(values)
        for start, stop in ((0, 4096), (3, 4), (1, 4095), (4, 20), (2, 3000)):
            np.testing.assert_array_equal(a[start:stop].copy_to_host(), values[start:stop])
        long = da.ones(1 << 24, dtype=np.float64)
        for step in range(50):
            long += 1
            assert long[step].item() == step + 2


def test_host_memory_that_is_page_locked_in_part(engine):
    with da.use(device=engine):
        partly_locked.check()


WRITES_LATE = """
__global__ void late(float* out, float value, long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles) {}
  out[threadIdx.x] = value;
}
"""


SIZE = 640 << 8  # elements of memory that the pool does not split


@pytest.mark.parametrize("taken_between", [True, False])
@pytest.mark.parametrize("flags", [cuda.stream_flags.DEFAULT, cuda.stream_flags.NON_BLOCKING])
def test_reuse_waits_for_what_a_consumer_enqueued(engine, flags, taken_between):
    """A DLPack consumer works on the legacy stream, and gives the memory back before that work is done."""
    late = SourceModule(WRITES_LATE, cache_dir=False).get_function("late")
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(engine))
    with da.use(device=engine, allocator=pool):
        x = da.ones(SIZE, dtype=np.float32).evaluate()
        da.synchronize()
        address = x.ptr
        capsule = x.__dlpack__(stream=1, max_version=(1, 0))
        late(x, np.float32(7), np.int64(2 * 10**8), block=64, stream=cuda.legacy_default_stream())
        del capsule, x
        if taken_between:
            da.empty(SIZE, dtype=np.float32)
    stream = cuda.Stream(flags)
    with da.use(queue=stream, allocator=pool):
        y = da.full(SIZE, 3, dtype=np.float32).evaluate()
        assert y.ptr == address
    cuda.Context.synchronize()
    np.testing.assert_array_equal(y.copy_to_host(), np.full(SIZE, 3, np.float32))


def test_a_consumer_on_the_legacy_stream_sees_what_was_enqueued(engine):
    """The driver keeps that order: neither side records an event."""
    late = SourceModule(WRITES_LATE, cache_dir=False).get_function("late")
    legacy, own = cuda.legacy_default_stream(), engine.default_queue
    with da.use(device=engine):
        x, seen = da.zeros(64, dtype=np.float32).evaluate(), da.zeros(64, dtype=np.float32).evaluate()
        da.synchronize()
        late(x, np.float32(5), np.int64(10**8), block=64, stream=own)
        capsule = x.__dlpack__(stream=1, max_version=(1, 0))
        cuda.memcpy_dtod_async(seen, x, x.nbytes, legacy)
        late(x, np.float32(6), np.int64(10**8), block=64, stream=legacy)
        del capsule
        np.testing.assert_array_equal((x + 0).copy_to_host(), np.full(64, 6, np.float32))
        np.testing.assert_array_equal(seen.copy_to_host(), np.full(64, 5, np.float32))


def test_a_capture_takes_memory_that_a_consumer_gave_back(engine):
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(engine))
    with da.use(device=engine, allocator=pool):
        x, y = (da.ones(4096, dtype=np.float32).evaluate() for _ in range(2))
        x.__dlpack__(stream=1, max_version=(1, 0))
        y.__dlpack__(stream=1, max_version=(1, 0))
        base = da.full(4096, 2, dtype=np.float32).evaluate()
        del x, y
        da.synchronize()
        queue = engine.default_queue
        (base * 3).evaluate()  # its kernel is there
        queue.begin_capture()
        out = (base * 3).evaluate()
        queue.end_capture().instantiate().launch(queue)
        np.testing.assert_array_equal(out.copy_to_host(), np.full(4096, 6, np.float32))


def test_a_capture_takes_steps_that_were_held_back(engine):
    def steps(xp, u):
        for _ in range(7):
            u = u + (xp.roll(u, 1, axis=0) + xp.roll(u, -1, axis=1) - 2 * u) / 8
        return u

    host = np.random.default_rng(0).standard_normal((100, 120)).astype(np.float32)
    pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(engine))
    before = _core.get_config()["row_bytes"]
    _core.set_config("row_bytes", 0)
    try:
        with da.use(device=engine, allocator=pool):
            u = da.asarray(host)
            for _ in range(3):
                steps(da, u).evaluate()  # kernels and memory are there
            queue = engine.default_queue
            da.synchronize()
            queue.begin_capture()
            out = steps(da, u)
            out = steps(da, out)
            graph = queue.end_capture().instantiate()
            graph.launch(queue)
            np.testing.assert_allclose(out.copy_to_host(), steps(np, steps(np, host)), rtol=1e-4, atol=1e-5)
    finally:
        _core.set_config("row_bytes", before)
