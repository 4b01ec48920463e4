"""Memory of CuPy's, RMM's and PyTorch's for arrays, and devarray's for theirs: with the stand-in driver."""

OURS = """
import sys, types
import devarray as da
from devarray import alloc
device = next(d for d in da.devices() if d.driver == "cuda")
"""

CUPY = """
class UnownedMemory:
    def __init__(self, ptr, size, owner, device_id):
        self.ptr, self.size, self.owner, self.device_id = ptr, size, owner, device_id
class MemoryPointer:
    def __init__(self, mem, offset):
        self.mem, self.ptr = mem, mem.ptr + offset
class Stream:
    ptr = 0
current = Stream()
cupy = types.ModuleType("cupy")
cupy.cuda = types.SimpleNamespace(
    UnownedMemory=UnownedMemory, MemoryPointer=MemoryPointer, get_current_stream=lambda: current,
    device=types.SimpleNamespace(get_device_id=lambda: 0))
sys.modules["cupy"] = cupy
"""


def test_cupy_gets_devarrays_memory(with_fake_driver):
    with_fake_driver(
        OURS
        + CUPY
        + """
pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, "device"))
alloc.set_default_allocator(device, pool)
got = alloc.cupy_allocator(1000)
assert got.ptr and got.mem.size == 1000 and pool.active_blocks == 1
again, third = alloc.cupy_allocator(1000), alloc.cupy_allocator(1000)
starts = [p.ptr for p in (got, again, third)]
assert starts == [p.mem.owner.handle for p in (got, again, third)]
assert all(abs(a - b) >= 1000 for a in starts for b in starts if a != b) and len(set(starts)) == 3
del got, again, third
assert pool.active_blocks == 0
assert alloc.cupy_allocator(0).ptr == 0
"""
    )


def test_torch_gets_devarrays_memory_by_two_c_functions(with_fake_driver):
    with_fake_driver(
        OURS
        + """
pool = alloc.PoolMemoryResource(alloc.DeviceMemoryResource(device, "device"))
alloc.set_default_allocator(device, pool)
torch = types.ModuleType("torch")
torch.cuda = types.SimpleNamespace(memory=types.SimpleNamespace(CUDAPluggableAllocator=lambda *names: names))
sys.modules["torch"] = torch
path, take, give = alloc.torch_allocator()
library = ctypes.CDLL(path)
take, give = getattr(library, take), getattr(library, give)
take.restype, take.argtypes = ctypes.c_void_p, [ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
give.restype, give.argtypes = None, [ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_int, ctypes.c_void_p]
first, second = take(1000, 0, None), take(5000, 0, None)
assert first and second and first != second and pool.active_bytes == 6000
give(first, 1000, 0, None)
assert pool.active_bytes == 5000
give(second, 5000, 0, None)
give(second, 5000, 0, None)  # what is not there
assert pool.active_bytes == 0 and take(0, 0, None) is None
"""
    )


def test_arrays_in_memory_of_cupys_pool(with_fake_driver):
    with_fake_driver(
        OURS
        + """
class MemoryPointer:
    living = 0
    def __init__(self, nbytes):
        self.memory = cuda.mem_alloc(nbytes)
        self.ptr = int(self.memory)
        MemoryPointer.living += 1
    def __del__(self):
        MemoryPointer.living -= 1
x = da.to_device(np.arange(5), device=device, allocator=lambda nbytes: MemoryPointer(nbytes))
assert MemoryPointer.living == 1 and x.copy_to_host().tolist() == [0, 1, 2, 3, 4]
x.queue.finish()
del x
gc.collect()
da.empty(3, device=device, allocator=lambda nbytes: MemoryPointer(nbytes)).queue.finish()  # frees what waited for work
assert MemoryPointer.living <= 1
"""
    )


def test_arrays_in_memory_of_an_rmm_resource(with_fake_driver):
    with_fake_driver(
        OURS
        + """
class Resource:  # as rmm.mr's: allocate(nbytes, stream), deallocate(address, nbytes, stream)
    def __init__(self):
        self.held = {}
    def allocate(self, nbytes, stream=None):
        memory = cuda.mem_alloc(nbytes)
        self.held[int(memory)] = memory, nbytes
        return int(memory)
    def deallocate(self, address, nbytes, stream=None):
        assert self.held.pop(address)[1] == nbytes
resource = Resource()
x = da.to_device(np.arange(5), device=device, allocator=resource)
assert x.copy_to_host().tolist() == [0, 1, 2, 3, 4] and len(resource.held) == 1
"""
    )
