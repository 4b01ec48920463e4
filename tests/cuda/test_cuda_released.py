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
