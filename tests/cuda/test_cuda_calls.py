"""The raw driver's calls, over a stand-in for libcuda: what is passed on, checked, translated and given back."""

MODULE = """
context = cuda.Device(1).make_context()
module = cuda.module_from_buffer(b"cubin")
doublify, axpy = module.get_function("doublify"), module.get_function("axpy")
x = np.arange(100, dtype=np.float32)
a, b = cuda.to_device(x), cuda.to_device(x)
"""


def test_devices(with_fake_driver):
    with_fake_driver(
        """
assert cuda.Device.count() == 2
first, second = cuda.Device(0), cuda.Device(1)
assert first.name() == "Fake 0" and first.pci_bus_id() == "0000:01:00.0"
assert cuda.Device("0000:02:00.0") == second != first and hash(second) == hash(cuda.Device(1))
assert first.compute_capability() == (9, 0) and first.total_memory() == 1 << 30
assert first.get_attribute(cuda.device_attribute.WARP_SIZE) == first.warp_size == 32
attributes = first.get_attributes()
assert attributes[cuda.device_attribute.WARP_SIZE] == 32
assert max(attributes) < 140  # the stand-in is an old driver: what it does not know is left out
assert first.can_access_peer(second)
with pytest.raises(cuda.LogicError, match="no device has number 7; there are 2") as caught:
    cuda.Device(7)
assert (caught.value.driver, caught.value.call, caught.value.code) == ("cuda", "cuDeviceGet", 101)
with pytest.raises(AttributeError, match="no attribute 'nothing'"):
    first.nothing
"""
    )


def test_contexts_form_a_stack(with_fake_driver):
    with_fake_driver(
        """
assert cuda.Context.get_current() is None
with pytest.raises(cuda.LogicError, match="no context is current.*autoprimaryctx"):
    cuda.mem_alloc(4)
primary = cuda.Device(0).retain_primary_context()
assert cuda.Context.get_current() is None
primary.push()
own = cuda.Device(1).make_context(cuda.ctx_flags.SCHED_BLOCKING_SYNC)
assert cuda.Context.get_current() == own and cuda.Context.get_device() == cuda.Device(1)
assert cuda.Context.get_limit(cuda.limit.MALLOC_HEAP_SIZE) == 1002
assert cuda.Context.get_cache_config() is cuda.func_cache.PREFER_L1
cuda.Context.synchronize()
cuda.Context.pop()
assert cuda.Context.get_current() == primary
own.push()
memory = cuda.mem_alloc(16)
own.detach()
assert fake.fake_live_contexts() == 0 and cuda.Context.get_current() == primary
with pytest.raises(errors.DeviceError, match="detached"):
    own.push()
del memory  # went with its context
primary.detach()
assert cuda.Context.get_current() is None
"""
    )


def test_autoinit_takes_the_primary_context(with_fake_driver):
    with_fake_driver(
        """
from devarray.cuda import autoinit
assert cuda.Context.get_current() == autoinit.context and autoinit.device == cuda.Device(1)
""",
        CUDA_DEVICE="1",
    )


def test_memory_is_given_back_once(with_fake_driver):
    with_fake_driver(
        """
context = cuda.Device(0).make_context()
a = cuda.mem_alloc(100)
rows, pitch = cuda.mem_alloc_pitch(100, 10, 4)
assert pitch == 512 and rows.nbytes == 5120
assert cuda.mem_get_address_range(int(rows) + 7) == (int(rows), 5120)
kept = [cuda.pagelocked_zeros((2, 3), np.int32), cuda.managed_empty(4, np.float64), rows]
assert fake.fake_live_allocations() == 4
a.free()
assert fake.fake_live_allocations() == 3 and "freed" in repr(a)
for use in (a.free, a.get_pointer, lambda: int(a), lambda: cuda.memset_d8(a, 0, 1)):
    with pytest.raises(errors.ValueError, match="was freed"):
        use()
del kept, rows
gc.collect()
assert fake.fake_live_allocations() == 0
with pytest.raises(cuda.MemoryError, match="no 1099511627776 bytes of device memory") as caught:
    cuda.mem_alloc(1 << 40)
assert (caught.value.asked, caught.value.free, caught.value.total) == (1 << 40, 1000, 1 << 30)
"""
    )


def test_host_memory(with_fake_driver):
    with_fake_driver(
        """
context = cuda.Device(0).make_context()
pinned = cuda.pagelocked_empty((3, 4), np.float32, order="F", mem_flags=cuda.host_alloc_flags.DEVICEMAP)
assert pinned.flags.f_contiguous and isinstance(pinned.base, cuda.PagelockedHostAllocation)
assert pinned.base.get_flags() == cuda.host_alloc_flags.DEVICEMAP
assert pinned.base.get_device_pointer() == pinned.ctypes.data
assert cuda.pagelocked_empty_like(pinned).flags.f_contiguous
assert (cuda.managed_zeros_like(pinned) == 0).all()
managed = cuda.managed_empty(10, np.float32, mem_flags=cuda.mem_attach_flags.GLOBAL)
managed.base.attach(cuda.mem_attach_flags.HOST)
page = cuda.aligned_empty(4096, np.uint8)
locked = cuda.register_host_memory(page)
locked[:] = 7
assert (page == 7).all() and locked.base.base is page
assert cuda.HostAllocation is cuda.PagelockedHostAllocation and isinstance(locked.base, cuda.HostPointer)
before = fake.fake_live_allocations()
locked.base.unregister()
assert fake.fake_live_allocations() == before - 1
assert cuda.pagelocked_empty((0, 3), np.int8).shape == (0, 3)
"""
    )


def test_copies_and_fills(with_fake_driver):
    with_fake_driver(
        MODULE
        + """
y = np.empty_like(x)
cuda.memcpy_dtoh(y, a)
assert (y == x).all()
stream = cuda.Stream()
cuda.memcpy_htod_async(b, x[::-1].copy(), stream)
cuda.memcpy_dtod_async(a, b, 40, stream)
cuda.memcpy_dtod(int(a) + 40, int(b) + 40, 40)
cuda.memcpy_dtoh_async(y, a, stream=stream)
stream.synchronize()
assert (y[:20] == x[::-1][:20]).all() and (y[20:] == x[20:]).all()
cuda.memset_d32(a, 5, 100)
cuda.memset_d16_async(a, 7, 2, stream)
cuda.memset_d2d8(a, 8, 9, 1, 3)
assert cuda.from_device(a, 5, np.uint32).tolist() == [0x00070009, 5, 9, 5, 9]
assert cuda.from_device(b, (10, 10), np.float32, order="F").flags.f_contiguous
assert (cuda.from_device_like(b, x) == x[::-1]).all()
cuda.memcpy_peer(a, b, 400, dest_context=context)
assert (cuda.from_device_like(a, x) == x[::-1]).all()
with pytest.raises(TypeError, match="memcpy_htod wants a contiguous host buffer.*ndarray"):
    cuda.memcpy_htod(a, x[::2])
with pytest.raises(TypeError, match="contiguous writable host buffer"):
    cuda.memcpy_dtoh(b"1234", a)
with pytest.raises(TypeError, match="wants a device address .* not str"):
    cuda.memcpy_htod("a", x)
with pytest.raises(cuda.LogicError, match="cuMemcpyHtoD_v2 failed with CUDA_ERROR_INVALID_VALUE"):
    cuda.memcpy_htod(int(a) + 396, x)
"""
    )


def test_copies_take_the_quick_way_and_the_drivers_alike(with_fake_driver):
    """Up to 4096 bytes by a way of our own, more by the driver's call; neighbouring bytes stay."""
    with_fake_driver(
        MODULE
        + """
for n in (1, 64, 4095, 4096, 4097, 100_000):
    values = (np.arange(n) * 7 + n).astype(np.uint8)
    one, two = cuda.mem_alloc(n + 16), cuda.mem_alloc(n + 16)
    for memory in (one, two):
        cuda.memset_d8(memory, 0xEE, n + 16)
    for dest, source in ((one, two), (int(one), int(two))):  # allocations, and addresses, of which less is known
        cuda.memcpy_htod(source, values)
        cuda.memcpy_dtod(dest, source, n)
        back = np.full(n + 16, 0x55, np.uint8)
        cuda.memcpy_dtoh(back[8 : n + 8], dest)
        assert (back[8 : n + 8] == values).all() and (back[:8] == 0x55).all() and (back[n + 8 :] == 0x55).all()
        whole = cuda.from_device(dest, n + 16, np.uint8)
        assert (whole[:n] == values).all() and (whole[n:] == 0xEE).all()
        values = values[::-1].copy()
one.free()
for call in (lambda: cuda.memcpy_htod(one, x), lambda: cuda.memcpy_dtoh(x, one), lambda: cuda.memcpy_dtod(one, two, 4)):
    with pytest.raises(errors.ValueError, match="was freed"):
        call()
for size, error in ((-1, errors.ValueError), ("4", TypeError), (1 << 70, errors.ValueError)):
    with pytest.raises(error, match="memcpy_dtod: size is"):
        cuda.memcpy_dtod(two, two, size)
    with pytest.raises(error, match="mem_alloc: bytes is"):
        cuda.mem_alloc(size)
with pytest.raises(TypeError, match="missing required argument 'src'"):
    cuda.memcpy_htod(two)
again = [cuda.mem_alloc(64) for _ in range(5)]  # objects of dead allocations come back with memory of their own
assert len({int(m) for m in again}) == 5 and len({id(m) for m in again}) == 5
"""
    )


def test_structured_copies(with_fake_driver):
    with_fake_driver(
        """
context = cuda.Device(0).make_context()
host = np.arange(4 * 5 * 6, dtype=np.uint8).reshape(4, 5, 6)
device = cuda.to_device(host)
part = np.zeros((2, 3), np.uint8)
copy = cuda.Memcpy2D()
copy.set_src_device(device)
copy.src_pitch, copy.src_x_in_bytes, copy.src_y = 6, 2, 1
copy.set_dst_host(part)
copy.dst_pitch = copy.width_in_bytes = 3
copy.height = 2
copy(aligned=True)
assert (part == host[0, 1:3, 2:5]).all()
part[:] = 0
copy(aligned=False)
assert (part == host[0, 1:3, 2:5]).all()
part[:] = 0
copy(cuda.Stream())
assert (part == host[0, 1:3, 2:5]).all()
box = np.zeros((2, 3, 4), np.uint8)
copy = cuda.Memcpy3D()
copy.set_src_host(host)
copy.src_pitch, copy.src_height, copy.src_z, copy.src_y, copy.src_x_in_bytes = 6, 5, 1, 2, 1
copy.set_dst_unified(cuda.to_device(box))
copy.set_dst_host(box)
copy.dst_pitch = copy.width_in_bytes = 4
copy.dst_height = copy.height = 3
copy.depth = 2
copy()
assert (box == host[1:3, 2:5, 1:5]).all()
with pytest.raises(TypeError, match="a structured copy wants a contiguous writable"):
    copy.set_dst_host(bytes(4))
"""
    )


def test_kernel_arguments(with_fake_driver):
    with_fake_driver(
        MODULE
        + """
assert doublify(a, block=(100, 1, 1)) is None
assert (cuda.from_device_like(a, x) == 2 * x).all()
doublify(a, block=50, grid=(2,), stream=cuda.Stream())
axpy(a, b, np.float32(2), np.int32(100), block=(1, 1, 1), grid=(1, 1))
assert (cuda.from_device_like(a, x) == 6 * x).all()

class Holder(cuda.PointerHolderBase):
    def get_pointer(self):
        return int(b)

class Array:
    __cuda_array_interface__ = {"data": (int(b), False), "shape": (100,), "typestr": "<f4", "version": 3}

class GPUArray:
    gpudata = b

for pointer in (Holder(), Array(), GPUArray()):
    doublify(pointer, block=(100, 1, 1))
assert (cuda.from_device_like(b, x) == 8 * x).all()
y = x.copy()
seconds = doublify(cuda.InOut(y), block=(100, 1, 1), time_kernel=True)
assert seconds == 0.001 and (y == 2 * x).all()
y = np.zeros_like(x)
axpy(cuda.Out(y), cuda.In(x), np.float32(1), np.int32(0), block=1, stream=cuda.Stream())
managed = cuda.managed_empty(10, np.float32)
managed[:] = 3
doublify(managed, block=(10, 1, 1))
doublify(managed[5:], block=(5, 1, 1))
assert managed.tolist() == [6] * 5 + [12] * 5
pair = np.array([1, 2], np.float32)
module.get_function("complex")(a, pair, block=1)  # buffers go by value
assert cuda.from_device(a, 2, np.float32).tolist() == [1, 2]
assert fake.fake_launches() == 11
"""
    )


def test_bad_kernel_arguments_are_named(with_fake_driver):
    with_fake_driver(
        MODULE
        + """
def refused(match, *arguments, error=TypeError, **keywords):
    with pytest.raises(error, match=match):
        axpy(*arguments, **({"block": (1, 1, 1)} | keywords))

one, n = np.float32(1), np.int32(1)
refused("takes 4 arguments; 2 were given", a, b)
refused("argument 2 has 8 bytes, the kernel's parameter has 4", a, b, np.float64(1), n)
refused("argument 1 has 400 bytes.*In, Out, InOut", a, x, one, n)
refused("argument 2 is a float; Python's numbers have no size", a, b, 1.0, n)
refused("argument 3 is a int", a, b, one, 1)
refused("argument 3 is a object; wanted are numpy scalars", a, b, one, object())
refused("unexpected keyword argument 'blocks'", a, b, one, n, blocks=1)
refused("block wants a tuple of one to three ints", a, b, one, n, block=(1, 2, 3, 4))
refused("grid has an extent of -1", a, b, one, n, grid=(-1, 1), error=errors.ValueError)
refused("kernel 'axpy', grid .*, block .2000, 1, 1.", a, b, one, n, block=2000, error=cuda.LogicError)
with pytest.raises(TypeError, match="wants block="):
    axpy(a, b, one, n)
with pytest.raises(cuda.LogicError, match="the module has no kernel 'nothing'"):
    module.get_function("nothing")
assert fake.fake_launches() == 0
"""
    )


def test_prepared_calls(with_fake_driver):
    with_fake_driver(
        MODULE
        + """
with pytest.raises(errors.ValueError, match="was not prepared"):
    axpy.prepared_call((1, 1), (1, 1, 1), a, b, 1, 100)
assert axpy.prepare("PPfi") is axpy
axpy.prepared_call((1, 1), (1, 1, 1), a, b, 1.0, 100)
axpy.prepare([np.intp, "P", np.float32, np.dtype("i4")], shared=16)
axpy.prepared_async_call((1, 1), (1, 1, 1), cuda.Stream(), int(a), b, 1, 100)
axpy.prepared_async_call((1, 1), (1, 1, 1), None, a, b, 1, 100, shared_size=32)
assert axpy.prepared_timed_call((1, 1), (1, 1, 1), a, b, 1, 100)() == 0.001
assert (cuda.from_device_like(a, x) == 5 * x).all()
with pytest.raises(errors.ValueError, match="'x' is no type of an argument"):
    axpy.prepare("Px")
with pytest.raises(TypeError, match="prepared for 4 arguments; 1 were given"):
    axpy.prepared_call((1, 1), (1, 1, 1), a)
with pytest.raises(TypeError, match="argument 3 is a str; it was prepared as an integer"):
    axpy.prepared_call((1, 1), (1, 1, 1), a, b, 1.0, "n")
with pytest.raises(errors.ValueError, match="2147483648 does not fit the prepared integer type of 4 bytes"):
    axpy.prepared_call((1, 1), (1, 1, 1), a, b, 1.0, 2**31)
"""
    )


def test_calls_of_old(with_fake_driver):
    with_fake_driver(
        MODULE
        + """
axpy.param_set(a, b, np.float32(1), np.int32(100))
axpy.param_setf(16, 3.0)
axpy.param_seti(20, 50)
axpy.param_set_size(24)
axpy.set_block_shape(1, 1, 1)
axpy.set_shared_size(0)
axpy.launch()
axpy.launch_grid(1, 1)
axpy.launch_grid_async(1, 1, cuda.Stream())
assert (cuda.from_device_like(a, x)[:50] == 10 * x[:50]).all()
assert (cuda.from_device_like(a, x)[50:] == x[50:]).all()
"""
    )


def test_modules(with_fake_driver):
    with_fake_driver(
        MODULE
        + """
told = []
cuda.module_from_buffer(b"cubin", [(cuda.jit_option.MAX_REGISTERS, 32)], lambda *words: told.append(words))
with pytest.raises(errors.CompileError, match="line 1: bad PTX"):
    cuda.module_from_buffer("bad ptx", message_handler=lambda *words: told.append(words))
assert told == [(True, "linked", ""), (False, "", "line 1: bad PTX")]
address, size = module.get_global("variable")
assert address and size == 64
with pytest.raises(cuda.LogicError, match="looking for the variable 'nothing'"):
    module.get_global("nothing")
assert doublify.num_regs == doublify.get_attribute(cuda.function_attribute.NUM_REGS)
assert axpy.parameter_sizes == [8, 8, 4, 4] and axpy.max_threads_per_block == 1024
assert axpy.max_active_blocks_per_multiprocessor(256) == 8
with pytest.raises(errors.ValueError, match="an empty binary"):
    cuda.module_from_buffer(b"")
"""
    )


def test_streams_and_events(with_fake_driver):
    with_fake_driver(
        """
context = cuda.Device(0).make_context()
stream = cuda.Stream(cuda.stream_flags.NON_BLOCKING, priority=-5)
assert stream.priority == -5 and stream.is_done() and stream.context == context
start = cuda.Event().record(stream)
end = cuda.Event().record(stream)
assert end.synchronize() is end and end.query()
assert end.time_since(start) == start.time_till(end) == 1.0
stream.wait_for_event(end)
with pytest.raises(cuda.LogicError, match="cuEventElapsedTime"):
    end.time_since(cuda.Event(cuda.event_flags.DISABLE_TIMING).record())

class Foreign:
    def __cuda_stream__(self):
        return (0, stream.handle)

assert cuda.external_stream(Foreign()) == cuda.external_stream(stream.handle) == stream
drivers_own = cuda.default_stream(), cuda.legacy_default_stream(), cuda.per_thread_default_stream()
assert [s.handle for s in drivers_own] == [0, 1, 2]
assert cuda.per_thread_default_stream().is_done()
assert int(stream) == stream.handle == stream.__cuda_stream__()[1]
with pytest.raises(TypeError, match="a CUDA stream is wanted"):
    end.record("stream")
"""
    )


def test_engine_queue_and_lost_context(with_fake_driver):
    with_fake_driver(
        """
first, second = _core.cuda.devices()
assert first.memory_kinds == ("device", "managed", "pinned") and first.capability == 90
assert first.caps["compute_capability"] == (9, 0) and first.caps["simd_width"] == 32
queue = first.default_queue
event = queue.record()
event.wait()
queue.wait_event(event)
assert event.done and queue.idle and queue.device is first and first.default_queue is queue
kernel = first.load(b"cubin").kernel("doublify")
assert (kernel.name, kernel.max_work_group_size) == ("doublify", 1024)
assert first.memory_info() == (1000, 1 << 30)
cuda.Device(0).retain_primary_context().push()
keep = cuda.mem_alloc(16)
cuda.module_from_buffer(b"cubin").get_function("crash")(block=1)
with pytest.raises(cuda.LaunchError, match="ILLEGAL_ADDRESS.*context is lost; only a new process"):
    queue.finish()
with pytest.raises(cuda.LaunchError):
    cuda.mem_alloc(16)
del keep, kernel, queue, event  # nothing raises, hangs or crashes when what is left goes
"""
    )


def test_host_memory_that_is_page_locked_in_part(with_fake_driver):
    with_fake_driver(
        """
import devarray as da
import partly_locked
with da.use(device="cuda"):
    partly_locked.check()
"""
    )


def test_the_address_of_an_array_keeps_it(with_fake_driver):
    with_fake_driver(
        """
import devarray as da
from devarray.cuda import gpuarray
device = next(d for d in da.devices() if d.driver == "cuda")
device.default_queue.context.push()
pool = da.alloc.PoolMemoryResource(da.alloc.DeviceMemoryResource(device, "device"))
x = da.to_device(np.arange(8, dtype="f4"), device=device, allocator=pool)
address, inside = x.gpudata, x[2:].gpudata
assert int(address) == x.ptr == address.get_pointer() and address == x.ptr and address.nbytes == 32
assert int(inside) == x.ptr + 8 and inside.nbytes == 24
del x
gc.collect()
assert pool.active_blocks == 1  # both keep it
host = np.empty(8, "f4")
device.default_queue.finish()
cuda.memcpy_dtoh(host, address)
assert host.tolist() == list(range(8))
with pytest.raises(cuda.LogicError, match="24 from its address on"):
    cuda.memcpy_htod(inside, np.zeros(8, "f4"))
address.free()
inside.free()
gc.collect()
assert pool.active_blocks == 0
with pytest.raises(ValueError, match="was freed"):
    int(address)
with pytest.raises(errors.DTypeError):
    type(address)(5)
x = da.to_device(np.arange(8, dtype="f4"), device=device)
y = gpuarray.GPUArray((2, 4), np.float32, gpudata=x.gpudata)
assert y.get()[1].tolist() == [4, 5, 6, 7]
cuda.Context.pop()
"""
    )
