"""What goes wrong on a GPU ends in an error, in time, and the process leaves cleanly: each in a process of its own."""

import pytest

pytestmark = [pytest.mark.gpu, pytest.mark.usefixtures("context")]

HEAD = """
import numpy as np, pytest
import devarray as da
import devarray.cuda as cuda
import devarray.cuda.autoprimaryctx as primary
from devarray import errors
from devarray.cuda.compiler import SourceModule
engine = next(d for d in da.devices() if d.driver == "cuda")
module = SourceModule('''
__global__ void write(int* a) { *a = 1; }
__global__ void assert_(int* a) { if (*a != 77) asm("trap;"); }
__global__ void spin(long long cycles) { long long t = clock64(); while (clock64() - t < cycles) {} }
__global__ void huge(float* out) { __shared__ float s[1024]; s[threadIdx.x] = 1; __syncthreads(); out[0] = s[1]; }
''', cache_dir=False)
"""


def test_an_illegal_address_under_arrays(script):
    out = script(
        HEAD
        + """
with da.use(device=engine):
    x = da.arange(1000, dtype=np.float32) + 1
    kept = [da.zeros(100) for _ in range(50)] + [cuda.Stream(), cuda.Event(), cuda.pagelocked_empty(4, np.int32)]
    module.get_function("write").prepare("P").prepared_call((1, 1), (1, 1, 1), 64)
    for use in (lambda: x.copy_to_host(), lambda: da.synchronize(engine), lambda: (x + 1).copy_to_host(),
                lambda: da.zeros(10).copy_to_host(), lambda: cuda.mem_alloc(16), lambda: cuda.Context.synchronize(),
                lambda: da.asarray(np.zeros(3)).copy_to_host()):
        try: use()
        except errors.Error as error: print(type(error).__name__)
        else: print("nothing")
"""
    )
    words = out.split()
    assert len(words) == 7 and words.count("LaunchError") >= 5, out


def test_a_trap_in_a_kernel(script):
    out = script(
        HEAD
        + """
a = cuda.to_device(np.zeros(1, np.int32))
module.get_function("assert_")(a, block=1)
with pytest.raises(cuda.Error) as caught:
    cuda.from_device(a, 1, np.int32)
print(caught.value.code_name)
"""
    )
    assert out.strip().removeprefix("CUDA_ERROR_") in ("ILLEGAL_INSTRUCTION", "LAUNCH_FAILED", "ASSERT"), out


def test_launches_that_do_not_fit(script):
    script(
        HEAD
        + """
out = cuda.mem_alloc(64)
huge = module.get_function("huge")
for launch in (dict(block=(2000, 1, 1)), dict(block=(0, 1, 1)), dict(block=(1, 1, 1), grid=(1, 70000, 1)),
               dict(block=(32, 1, 1), shared=10**6)):
    with pytest.raises(cuda.LogicError):
        huge(out, **launch)
    cuda.Context.synchronize()  # and the context is well
huge(out, block=(32, 1, 1))
with pytest.raises(errors.OutOfMemoryError):
    cuda.mem_alloc(1 << 50)
with pytest.raises(errors.OutOfMemoryError):
    da.empty(1 << 46, dtype=np.float32, device=engine)
x = da.arange(10, device=engine)
assert x.copy_to_host()[9] == 9
"""
    )


def test_a_context_that_is_taken_away(script):
    script(
        HEAD
        + """
own = cuda.Device(0).make_context()
memory, stream, event, pinned = cuda.mem_alloc(64), cuda.Stream(), cuda.Event(), cuda.pagelocked_empty(4, np.int32)
loaded = SourceModule("__global__ void f() {}", cache_dir=False)
f = loaded.get_function("f")
own.detach()
for use in (lambda: f(block=1), lambda: stream.synchronize(), lambda: event.record(), lambda: own.push()):
    with pytest.raises((errors.Error, ValueError)):
        use()
del memory, stream, event, pinned, f, loaded
a = cuda.mem_alloc(64)  # the primary context is current again
x = da.arange(10, device=engine)
assert x.copy_to_host()[9] == 9
"""
    )


def test_a_reset_primary_context(script):
    """What cuDevicePrimaryCtxReset does to the owner of arrays: errors, and a clean exit."""
    out = script(
        HEAD
        + """
import ctypes
x = da.arange(1000, dtype=np.float32, device=engine) + 1
x.evaluate(); da.synchronize(engine)
assert ctypes.CDLL("libcuda.so.1").cuDevicePrimaryCtxReset_v2(0) == 0
for use in (lambda: (x + 1).copy_to_host(), lambda: cuda.mem_alloc(16)):
    try: use()
    except errors.Error as error: print(type(error).__name__)
    else: print("nothing")
"""
    )
    assert len(out.split()) == 2


def test_a_hundred_thousand_objects_at_exit(script):
    out = script(
        HEAD
        + """
kept = [cuda.mem_alloc(256) for _ in range(60_000)] + [cuda.Event() for _ in range(30_000)]
kept += [cuda.Stream() for _ in range(200)] + [cuda.pagelocked_empty(16, np.int32) for _ in range(200)]
with da.use(device=engine):
    kept += [da.empty(16) for _ in range(10_000)] + [da.arange(16) + i for i in range(200)]
module.get_function("spin")(np.int64(10**8), block=1)  # still running at the end
print(len(kept))
"""
    )
    assert int(out) > 100_000


def test_memory_freed_while_a_kernel_uses_it(script):
    script(
        HEAD
        + """
a = cuda.to_device(np.full(1, 77, np.int32))
module.get_function("spin")(np.int64(10**7), block=1)
module.get_function("assert_")(a, block=1)
a.free()  # the driver waits
with pytest.raises(ValueError, match="freed"):
    module.get_function("write")(a, block=1)
cuda.Context.synchronize()
"""
    )
