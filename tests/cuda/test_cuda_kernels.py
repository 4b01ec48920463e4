"""Users' kernels on the stand-in driver, which takes launches and computes nothing; on a GPU tests/kernels runs."""

import os
import subprocess
import sys

CODE = """
import ctypes, sys
import numpy as np
from devarray import _core
_core.cuda._use_library({library!r})
import devarray as da, devarray.cuda as cuda
from devarray.cuda import gpuarray, cumath
from devarray.cuda.elementwise import ElementwiseKernel
from devarray.cuda.reduction import ReductionKernel
fake = ctypes.CDLL({library!r})
device = next(d for d in da.devices() if d.driver == "cuda")
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


def test_every_kind_of_kernel(fake_library, fake_compiler):
    path = os.pathsep.join([fake_compiler, *(p or "." for p in sys.path)])
    environment = {
        **os.environ,
        "PYTHONPATH": path,
        "DEVARRAY_CACHE_DIR": "",
        "FAKE_CUDA_FILL": "0",
        "DEVARRAY_EAGER": "0",
    }
    code = CODE.format(library=fake_library)
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], env=environment, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout == "done\n"
