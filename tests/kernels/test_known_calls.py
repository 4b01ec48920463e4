"""Calls of kernels of one's own that were made before; pickles and copies, where operations have other numbers."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
from oracle import same

import devarray as da

OTHER_PROCESS = """
import pickle, sys
import devarray as da
other = da.ElementwiseKernel("T x, T y", "T z", "z = x + 100 * y", "other")
x = da.arange(1.0, 5.0)
other(x, x)
pickle.dump([kernel(x, x).tolist() for kernel in pickle.load(sys.stdin.buffer)], sys.stdout.buffer)
"""


def elementwise():
    x = da.arange(3.0)
    made = [
        da.ElementwiseKernel("T x, T y", "T z", "z = x * y", "product"),
        da.ElementwiseKernel("T x, T y", "T z", "z = 3 * x - y", "difference"),
    ]
    for kernel in made:  # twice: the second call goes by what the first one left
        kernel(x, x), kernel(x, x)
    return made


def test_elementwise_kernels_work_in_another_process(device):
    done = subprocess.run(
        [sys.executable, "-P", "-c", OTHER_PROCESS], input=pickle.dumps(elementwise()), capture_output=True, check=True
    )
    x = np.arange(1.0, 5.0)
    assert pickle.loads(done.stdout) == [(x * x).tolist(), (3 * x - x).tolist()]


@pytest.mark.parametrize("through", [copy.copy, copy.deepcopy, lambda kernel: pickle.loads(pickle.dumps(kernel))])
def test_copies_compute_what_their_kernels_do(device, through):
    x = da.arange(4.0)
    for kernel in elementwise():
        again = through(kernel)
        same(again(x, x + 1), kernel(x, x + 1).copy_to_host())
        same(again(x, x + 1), kernel(x, x + 1).copy_to_host())


def test_raw_kernels_and_reductions(device):
    text = 'extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }'
    twice = da.RawKernel(text, "twice")
    total = da.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "total")
    x = da.arange(4, dtype="float32")
    twice((1,), (4,), (x,))
    same(total(x), np.float32(12))
    twice, total = pickle.loads(pickle.dumps((twice, total)))
    twice((1,), (4,), (x,))
    same(total(x), np.float32(24))


class Doubled(da.ElementwiseKernel):
    """A class below the library's, with a call of its own."""

    def __call__(self, *args, **kwargs):
        return super().__call__(*args, **kwargs) * 2


def test_a_known_call_is_what_the_class_says(device):
    x = da.arange(1.0, 4.0)
    squared = Doubled("T x", "T y", "y = x * x", "squared")
    plain = da.ElementwiseKernel("T x", "T y", "y = x * x", "squared")
    for _ in range(3):
        same(squared(x), 2 * np.arange(1.0, 4.0) ** 2)
        same(plain(x), np.arange(1.0, 4.0) ** 2)
        same(plain(x, size=None), np.arange(1.0, 4.0) ** 2)
        same(plain(x.astype("float32")), (np.arange(1.0, 4.0) ** 2).astype("float32"))
        same(plain(2.0, size=2), np.full(2, 4.0))
        out = da.zeros(3)
        assert plain(x, out) is out
        same(out, np.arange(1.0, 4.0) ** 2)
    with pytest.raises(TypeError, match="it takes 1 inputs"):
        plain(x, x, x)


def test_known_calls_follow_a_replaced_call(device, monkeypatch):
    x = da.arange(3.0)
    kernel = da.ElementwiseKernel("T x", "T y", "y = x + 1", "next_number")
    kernel(x), kernel(x)
    with monkeypatch.context() as replaced:
        replaced.setattr(da.ElementwiseKernel, "__call__", lambda self, *args: "replaced")
        assert kernel(x) == "replaced"
    same(kernel(x), np.arange(1.0, 4.0))
