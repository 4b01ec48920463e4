"""Runs planned kernels on host arrays, as the engine would on device memory."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
import pytest
from runtimes import Runtime, has_nvrtc, nvrtc_compile

from devarray.codegen.language.dialect import CUDA, Dialect

GPU = CUDA({"strategy": "gpu"})
needs_nvrtc = pytest.mark.skipif(not has_nvrtc(), reason="needs the nvidia-cuda-nvrtc wheel")


@cache
def _program(runtime: Runtime, source: str) -> Any:
    return runtime.build(source)


def run(
    runtime: Runtime,
    source: str,
    name: str,
    memory: Sequence[np.ndarray],
    slots: Sequence[int],
    groups: Sequence[int],
    local: int,
) -> None:
    """One launch; the arrays of `memory` (whole buffers) get their new contents."""
    cl = runtime.cl
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    whole = {id(array): array for array in memory}
    of = {key: cl.Buffer(runtime.context, flags, hostbuf=array) for key, array in whole.items()}
    buffers = [of[id(array)] for array in memory]
    kernel = cl.Kernel(_program(runtime, source), name)
    size = tuple(n * (local if dim == 0 else 1) for dim, n in enumerate(groups))
    with runtime.watched(kernel, buffers, slots) as arguments:
        kernel.set_args(*arguments)
        cl.enqueue_nd_range_kernel(runtime.queue, kernel, size, (local, *[1] * (len(groups) - 1)))
    for key, array in whole.items():
        cl.enqueue_copy(runtime.queue, array, of[key])
    runtime.queue.finish()


def compiles_for_cuda(source: str, dialect: Dialect = GPU) -> bool:
    """Whether NVRTC takes the source for sm_80, sm_90 and sm_100; raises with its log where it does not.

    Down to machine code for one of them: the others' PTX shows what the source has to do with the architecture.
    """
    for arch in ("compute_80", "sm_90", "compute_100"):
        nvrtc_compile(source, dialect.build_options(), arch)
    return True
