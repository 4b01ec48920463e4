"""CUDA C++ source to modules, by NVRTC, or by nvcc where one is named. Follows ``pycuda.compiler``."""

from __future__ import annotations

from collections.abc import Sequence

from .._core import cuda as _cuda
from ._compile import DEFAULT_NVCC_FLAGS, compile, compile_plain, nvrtc_compile
from ._linking import DynamicModule, DynamicSourceModule
from ._modules import CudaModule
from ._nvcc import get_nvcc_version, preprocess_source

__all__ = [
    "DEFAULT_NVCC_FLAGS",
    "CudaModule",
    "DynamicModule",
    "DynamicSourceModule",
    "SourceModule",
    "compile",
    "compile_plain",
    "get_nvcc_version",
    "nvrtc_compile",
    "preprocess_source",
]


class SourceModule(CudaModule):
    """A module compiled from CUDA C++ source and loaded in the current context.

    Parameters
    ----------
    source : str
        CUDA C++.
    nvcc : str, default "nvcc"
        As for `compile`.
    options : sequence of str, optional
        As for `compile`.
    keep : bool, default False
        As for `compile`.
    no_extern_c : bool, default False
        As for `compile`.
    arch : str, optional
        As for `compile`.
    code : str, optional
        As for `compile`.
    cache_dir : str or False, optional
        As for `compile`.
    include_dirs : sequence of str, default ()
        As for `compile`.

    Raises
    ------
    CompileError
        If the source does not compile.

    Notes
    -----
    pycuda.compiler's class of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import SourceModule
    >>> module = SourceModule("__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }", cache_dir=False)
    >>> array = np.ones(4, np.float32)
    >>> module.get_function("doublify")(cuda.InOut(array), block=(4, 1, 1))
    >>> array
    array([2., 2., 2., 2.], dtype=float32)
    """

    def __init__(
        self,
        source: str,
        nvcc: str = "nvcc",
        options: Sequence[str] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | bool | None = None,
        include_dirs: Sequence[str] | None = (),
    ) -> None:
        image = compile(source, nvcc, options, keep, no_extern_c, arch, code, cache_dir, include_dirs)
        self.module = _cuda.module_from_buffer(image)
