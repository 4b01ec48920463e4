"""Users' kernels on the stand-in driver, which takes launches and computes nothing; on a GPU tests/kernels runs."""

CODE = """
import ctypes, sys, warnings
import numpy as np
from devarray import _core
_core.cuda._use_library({library!r})
import devarray as da, devarray.cuda as cuda
from devarray.cuda import gpuarray, cumath
from devarray.cuda.elementwise import ElementwiseKernel
from devarray.cuda.reduction import ReductionKernel
fake = ctypes.CDLL({library!r})
device = next(d for d in da.devices() if d.driver == "cuda")
warnings.simplefilter("ignore", da.errors.HiddenTransferWarning)  # no source of a lambda is known here
with da.use(device=device):
    x = da.ones((64, 30), dtype="float32").evaluate()
    fused = da.ElementwiseKernel("T x, T y", "T z", "z = x * y + 1", "fused")
    fused(x, x).evaluate()
    da.reset_stats()
    (fused(x * 2, x) - x).evaluate()
    assert da.stats()["launches"] == 1
    s, m = da.ElementwiseKernel("T x, raw T y", "T s, int32 m", "s = x + y[i]; m = n", "two")(x.T, x)
    assert s.shape == (30, 64) and m.dtype == np.int32
    assert da.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0")(x, axis=0).shape == (30,)
    twice = da.RawKernel("__kernel void doublify(__global float* x) {{ x[get_global_id(0)] *= 2; }}", "doublify")
    twice(1, 4, (x[3:],))
    assert da.vectorize(lambda v: v if v > 0 else -v)(x).shape == (64, 30)
    a = gpuarray.to_gpu(np.ones(100, np.float32))
    made = (a + 1, 2 * a, np.float32(2) * a, a[3:], cumath.sin(a), gpuarray.zeros(5))
    assert {{type(r) for r in made}} == {{gpuarray.GPUArray}}
    assert a.get().shape == (100,) and gpuarray.dot(a, a).shape == ()
    ElementwiseKernel("float a, float *x, float *z", "z[i] = a * x[i]")(5, a, gpuarray.empty_like(a))
    assert ReductionKernel(np.float32, "0", "a+b", "x[i]", "float *x")(a).shape == ()
    assert int(x[5:].data) == x[5:].ptr
print("done")
"""


BATCHES = """
import ctypes, os, struct
import numpy as np
from devarray import _core
_core.cuda._use_library({library!r})
import devarray as da
from devarray._runtime import compiler
fake = ctypes.CDLL({library!r})
fake.fake_layered.restype = ctypes.c_void_p
device = next(d for d in da.devices() if d.driver == "cuda")
N, SETS = 1 << 14, 16
WORDS = 2 + 1 + 2 + 2  # addresses; a size, two offsets, two numbers
layered = fake.fake_layered()
ctypes.c_uint.from_address(layered).value = 8 * WORDS * SETS


def bits(number):
    return struct.unpack("<I", struct.pack("<f", number))[0]


with da.use(device=device):
    x = da.zeros((18, N), dtype="float32").evaluate()
    for turn in range(6):
        results = []
        before = fake.fake_launches()
        results = [(x[i] * (i + 3.0) + 0.5).evaluate() for i in range(18)]
        da.synchronize()
        counted = fake.fake_launches() - before
        compiler.wait_for_kernels()
    assert counted == 3, counted
    assert ctypes.c_uint.from_address(layered + 4).value == SETS
    words = np.frombuffer(ctypes.string_at(layered + 8, 8 * WORDS * SETS), np.int64).reshape(SETS, WORDS)
    for i, (source, target, size, source_offset, target_offset, k, c) in enumerate(words.tolist(), 2):
        assert size & 0xFFFFFFFF == N and (k, c) == (bits(i + 3.0), bits(0.5))
        assert source + source_offset == x[i].__cuda_array_interface__["data"][0]
        assert target + target_offset == results[i].__cuda_array_interface__["data"][0]

    x = da.zeros((18, N), dtype="float32").evaluate()  # of the first one the address is known
    results = [(x[i] * (i + 3.0) + 0.5).evaluate() for i in range(18)]
    results.clear()
    da.synchronize()
    results = [(x[i] * (i + 3.0) + 0.5).evaluate() for i in range(12)]
    before = fake.fake_launches()
    os.environ["FAKE_CUDA_FAIL"] = "cuLaunchKernel=2"
    try:
        da.synchronize()
    except da.Error as error:
        assert "cuLaunchKernel" in str(error), error
    else:
        raise AssertionError("nothing was held")
    del os.environ["FAKE_CUDA_FAIL"]
    da.synchronize()
    assert fake.fake_launches() == before  # it is gone, and what comes next is made
    (x[0] * 3.0 + 0.5).evaluate()
    assert fake.fake_launches() == before + 1
print("done")
"""


def test_batches_of_launches(with_stand_ins):
    """Sixteen launches are one, whose argument holds the memory and slots of each."""
    assert with_stand_ins(BATCHES) == "done\n"


def test_every_kind_of_kernel(with_stand_ins):
    assert with_stand_ins(CODE) == "done\n"
