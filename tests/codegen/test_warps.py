"""Shuffles between the work-items of a warp compile for accumulators of every dtype, by both drivers' compilers."""

from __future__ import annotations

import re

import pytest
from launching import GPU, compiles_for_cuda, needs_nvrtc
from runtimes import Runtime

from devarray.codegen.kernels.warps import across, peers
from devarray.codegen.language.dialect import CTYPE, CUDA, OpenCL
from devarray.ops.dtypes import DTYPES


def text_of(dialect: CUDA | OpenCL, dtype: str) -> str:
    """A kernel in which the work-items of a warp take each other's values."""
    t = CTYPE[dtype]
    body = (
        "  const i32 lid = LOCAL_ID(0);\n"
        f"  const {t} x = ((GLOBAL const {t}*)m0)[lid];\n"
        f"  ((GLOBAL {t}*)m1)[lid] = across_{t}(x, 2, {peers(4)});"
    )
    return dialect.program(across(dialect, [dtype]) + dialect.kernel("k", "rw", 1, body, group=32))


@needs_nvrtc
@pytest.mark.parametrize("dtype", DTYPES)
def test_cuda_has_them_for_every_dtype(dtype: str) -> None:
    compiles_for_cuda(text_of(GPU, dtype))


@needs_nvrtc
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_floats_are_moved_as_they_are(dtype: str) -> None:
    """A cast to an integer would cut off the fraction."""
    call = next(line for line in text_of(GPU, dtype).splitlines() if "__shfl_xor_sync(" in line)
    assert "(i32)x" not in call


@pytest.mark.parametrize("dtype", DTYPES)
def test_opencl_has_them_for_every_dtype(runtime: Runtime, dtype: str) -> None:
    """Without NVIDIA's assembly, which other compilers do not know: each work-item gets its own value back."""
    if "float64" in dtype and not runtime.dialect.caps.get("fp64"):
        pytest.skip("no float64")
    text = text_of(OpenCL({**runtime.dialect.caps, "strategy": "gpu"}), dtype)
    assert runtime.build(re.sub(r"asm volatile\(.*\);", "y = x;", text))
