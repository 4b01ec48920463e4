"""CUDA memory and contexts that were given back: an error by name, on the stand-in driver."""

HEAD = """
import devarray as da
import devarray.cuda.autoprimaryctx
device = _core.cuda.devices()[0]

def refused(use):
    with pytest.raises(errors.Error, match="freed|released|detached"):
        use()

def uses(x):
    there = lambda: x.__cuda_array_interface__["data"]
    return [x.copy_to_host, lambda: x.copy_to_device(np.zeros(16, np.float32)), lambda: x[2:5].copy_to_host(),
            lambda: da.to_device(np.zeros(16, np.float32), to=x), lambda: x.ptr,
            lambda: x.copy_to_host(stream=da.queue(device)), there,
            lambda: np.from_dlpack(x, device="cpu"), lambda: float(x[3])]
"""


def test_arrays_over_freed_memory(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
from devarray.cuda import mem_attach_flags
makers = {
    "device": lambda: cuda.mem_alloc(64),
    "managed": lambda: cuda.managed_empty(16, np.float32, mem_flags=mem_attach_flags.GLOBAL).base,
    "pinned": lambda: cuda.pagelocked_empty(16, np.float32).base,
}
with da.use(device=device):
    for kind, make in makers.items():
        for number in range(9):
            memory = make()
            x = da.Array(memory, 16, np.float32)
            x.copy_to_device(np.arange(16, dtype=np.float32))
            assert (x.copy_to_host() == np.arange(16)).all()
            memory.free()
            refused(uses(x)[number])
            with pytest.raises(ValueError, match="freed"):
                memory.free()
    other = da.to_device(np.arange(8))
    assert (other.copy_to_host() == np.arange(8)).all()
"""
    )


def test_the_memory_of_a_pool_is_not_freed_by_hand(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
with da.use(device=device):
    x, y = da.to_device(np.arange(8)), da.to_device(np.arange(8) + 1)
    with pytest.raises(errors.ValueError, match="belongs to an allocator"):
        y.base_data.free()
    assert (x.copy_to_host() == np.arange(8)).all() and (y.copy_to_host() == np.arange(8) + 1).all()
"""
    )


def test_memory_of_a_detached_context(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
made = cuda.Device(0).make_context()
memory, stream, event = cuda.mem_alloc(64), cuda.Stream(), cuda.Event()
made.detach()
for use in (lambda: int(memory), lambda: memory.get_pointer(), lambda: memory.as_buffer(8),
            lambda: cuda.memcpy_dtoh(np.zeros(4), memory), stream.synchronize, lambda: event.record(stream)):
    refused(use)
with pytest.raises(errors.DeviceError, match="detached"):
    made.detach()
"""
    )


def test_recycled_allocations_by_the_public_way(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
for private in (True, False, True):
    assert _core.set_private_layout(private)
    for n in range(1, 200):
        memory = cuda.mem_alloc(n)
        assert memory.nbytes == n and int(memory) == memory.handle
        if n % 3 == 0:
            memory.free()
            with pytest.raises(ValueError, match="freed"):
                int(memory)
        del memory
    with pytest.raises(TypeError):
        type(cuda.mem_alloc(4)).free(None)
"""
    )


def test_streams_of_others_hold_their_owner(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
import gc, weakref
class Owner:
    def __cuda_stream__(self):
        return 0, 2
stream, owner = Owner(), Owner()
seen = [weakref.ref(stream), weakref.ref(owner)]
made = cuda.Stream.from_handle(stream, owner)
del stream, owner
gc.collect()
assert made.handle == 2 and all(one() is not None for one in seen)
del made
gc.collect()
assert [one() for one in seen] == [None, None]
with pytest.raises(errors.DTypeError):
    cuda.Stream.from_handle()
"""
    )


def test_textures_refuse_what_is_no_memory_and_what_is_too_small(with_fake_driver):
    with_fake_driver(
        HEAD
        + """
memory = cuda.mem_alloc(1000)
wide = cuda.ArrayDescriptor()
wide.width, wide.height, wide.format, wide.num_channels = 16, 4, cuda.array_format.FLOAT, 1
for wrong in ((2**40, np.ones(3), slice(None)), ((2, 3), 1, "text", {})):
    with pytest.raises(errors.DTypeError, match="from_linear takes"):
        cuda.TextureObject.from_linear(*wrong)
with pytest.raises(errors.DTypeError, match="from_pitched takes"):
    cuda.TextureObject.from_pitched("a", "b", "c", (2, 2))
for cls in (cuda.TextureObject, cuda.SurfaceObject):
    with pytest.raises(errors.DTypeError):
        cls(None)
with pytest.raises(errors.Error, match="1004 bytes of device memory that has 1000"):
    cuda.TextureObject.from_linear(memory, 1004, cuda.array_format.FLOAT)
with pytest.raises(errors.Error, match="1024 bytes of device memory that has 1000"):  # 3 rows of 320, and 64 bytes
    cuda.TextureObject.from_pitched(memory, wide, 320)
with pytest.raises(errors.ValueError, match="rows of 64 bytes lie 60 bytes apart"):
    cuda.TextureObject.from_pitched(memory, wide, 60)
wide.width = 2**62
with pytest.raises(errors.ValueError, match="does not fit into 64 bits"):
    cuda.TextureObject.from_pitched(memory, wide, 320)
"""
    )
