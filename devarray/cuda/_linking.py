"""Modules linked from several parts, by the driver's linker."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import Self

from .._core import cuda as _cuda
from ._compile import DEFAULT_NVCC_FLAGS, compile
from ._modules import CudaModule
from .constants import jit_input_type
from .libraries import static_library

__all__ = ["DynamicModule", "DynamicSourceModule"]

# Ways to ask NVRTC and nvcc for relocatable code, or not to.
_RELOCATABLE = ("-rdc", "--relocatable-device-code", "-dc", "--device-c")


class DynamicModule(CudaModule):
    """A module linked from several sources, objects and libraries: kernels that launch kernels, and code in parts.

    Parameters
    ----------
    nvcc : str, default "nvcc"
        As for `compile`.
    link_options : sequence of (jit_option, int), optional
        The linker's.
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
    message_handler : callable, optional
        ``message_handler(success, info, error)`` gets what the linker said.
    log_verbose : bool, default False
        The linker says more.
    cuda_libdir : str, optional
        The folder of CUDA's static libraries; by default it is looked for.

    Notes
    -----
    pycuda.compiler's class of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import DynamicModule
    >>> parts = DynamicModule(no_extern_c=True)
    >>> parts = parts.add_source('extern "C" __device__ float twice(float x) { return 2 * x; }')
    >>> parts = parts.add_source('''
    ... extern "C" __device__ float twice(float);
    ... extern "C" __global__ void doublify(float* a) { a[threadIdx.x] = twice(a[threadIdx.x]); }
    ... ''')
    >>> parts = parts.link()
    >>> array = np.ones(4, np.float32)
    >>> parts.get_function("doublify")(cuda.InOut(array), block=(4, 1, 1))
    >>> array
    array([2., 2., 2., 2.], dtype=float32)
    """

    def __init__(
        self,
        nvcc: str = "nvcc",
        link_options: Sequence[tuple[int, int]] | None = None,
        keep: bool = False,
        no_extern_c: bool = False,
        arch: str | None = None,
        code: str | None = None,
        cache_dir: str | bool | None = None,
        include_dirs: Sequence[str] | None = (),
        message_handler: Callable[[bool, str, str], object] | None = None,
        log_verbose: bool = False,
        cuda_libdir: str | None = None,
    ) -> None:
        self.linker = _cuda.Linker(message_handler, link_options, log_verbose)
        self.cuda_libdir = cuda_libdir
        self._how = (keep, no_extern_c, arch, code, cache_dir, include_dirs or ())
        self._nvcc = nvcc

    def add_source(self, source: str, nvcc_options: Sequence[str] | None = None, name: str = "kernel.cubin") -> Self:
        """Compile a source as relocatable code, and add it.

        Parameters
        ----------
        source : str
            CUDA C++.
        nvcc_options : sequence of str, optional
            The compiler's options, by default `DEFAULT_NVCC_FLAGS`. Those of libraries (``-l``, ``-L``) are the
            linker's: `add_stdlib` takes their place.
        name : str, default "kernel.cubin"
            For messages.

        Returns
        -------
        DynamicModule
            The module itself, so that calls can follow each other.

        Raises
        ------
        CompileError
            If the source does not compile.

        Examples
        --------
        >>> from devarray.cuda.compiler import DynamicModule
        >>> parts = DynamicModule()
        >>> parts.add_source("__global__ void one(int* x) { *x = 1; }") is parts
        True
        """
        words = [w for w in (DEFAULT_NVCC_FLAGS if nvcc_options is None else nvcc_options) if w[:2] not in ("-l", "-L")]
        if not any(word.startswith(_RELOCATABLE) for word in words):
            words.append("-rdc=true")
        if self._nvcc != "nvcc" and "-dc" not in words:
            words.append("-dc")
        image = compile(source, self._nvcc, words, *self._how)
        self.add_data(image, jit_input_type.CUBIN, name)
        return self

    def add_data(self, data: bytes, input_type: int, name: str = "unknown") -> Self:
        """Add code.

        Parameters
        ----------
        data : bytes
            As for `Linker.add_data`.
        input_type : jit_input_type
            What it is.
        name : str, default "unknown"
            For messages.

        Returns
        -------
        DynamicModule
            The module itself, so that calls can follow each other.

        Raises
        ------
        LogicError
            If the linker refuses it.

        Examples
        --------
        >>> from devarray.cuda.compiler import DynamicModule, compile
        >>> cubin = compile("__global__ void one(int* x) { *x = 1; }", options=["-rdc=true"])
        >>> parts = DynamicModule().add_data(cubin, cuda.jit_input_type.CUBIN)
        """
        self.linker.add_data(data, input_type, name)
        return self

    def add_file(self, filename: str, input_type: int) -> Self:
        """Add a file of code.

        Parameters
        ----------
        filename : str
            As for `Linker.add_file`.
        input_type : jit_input_type
            What it is.

        Returns
        -------
        DynamicModule
            The module itself, so that calls can follow each other.

        Raises
        ------
        LogicError
            If there is no such file, or the linker refuses it.

        Examples
        --------
        >>> from devarray.cuda.compiler import DynamicModule
        >>> try:
        ...     DynamicModule().add_file("/no/such/file.a", cuda.jit_input_type.LIBRARY)
        ... except cuda.Error:
        ...     print("no such file")
        no such file
        """
        self.linker.add_file(os.fspath(filename), input_type)
        return self

    def add_stdlib(self, libname: str) -> Self:
        """Add one of CUDA's static libraries.

        Parameters
        ----------
        libname : str
            ``"cudadevrt"`` is what kernels need that launch kernels.

        Returns
        -------
        DynamicModule
            The module itself, so that calls can follow each other.

        Raises
        ------
        MissingDriverError
            If it is not found: the message says where it was looked for.

        Examples
        --------
        >>> from devarray.cuda.compiler import DynamicModule
        >>> from devarray.errors import MissingDriverError
        >>> try:
        ...     DynamicModule().add_stdlib("no_such_library")
        ... except MissingDriverError:
        ...     print("it is not found")
        it is not found
        """
        self.linker.add_file(static_library(libname, self.cuda_libdir), jit_input_type.LIBRARY)
        return self

    def link(self) -> Self:
        """Link what was added, and load it; then the module's functions can be had.

        Returns
        -------
        DynamicModule
            The module itself, so that calls can follow each other.

        Raises
        ------
        LogicError
            If a symbol is missing.

        Examples
        --------
        >>> from devarray.cuda.compiler import DynamicModule
        >>> parts = DynamicModule().add_source("__global__ void doublify(float* a) { a[threadIdx.x] *= 2; }")
        >>> parts.link().get_function("doublify")
        <devarray.cuda.Function doublify>
        """
        self.module = self.linker.link_module()
        return self


class DynamicSourceModule(DynamicModule):
    """A source whose kernels launch kernels, compiled, linked with CUDA's device runtime, and loaded.

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
    cuda_libdir : str, optional
        As for `DynamicModule`.

    Raises
    ------
    CompileError
        If the source does not compile.
    MissingDriverError
        If CUDA's device runtime, ``libcudadevrt.a``, is not found.

    Notes
    -----
    pycuda.compiler's class of that name.

    Examples
    --------
    >>> from devarray.cuda.compiler import DynamicSourceModule
    >>> source = '''
    ... __global__ void inner(float* x) { *x *= 2; }
    ... __global__ void doublify(float* a) { inner<<<1, 1>>>(a + threadIdx.x); }
    ... '''
    >>> array = np.ones(4, np.float32)
    >>> DynamicSourceModule(source).get_function("doublify")(cuda.InOut(array), block=(4, 1, 1))
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
        cuda_libdir: str | None = None,
    ) -> None:
        how = (keep, no_extern_c, arch, code, cache_dir, include_dirs)
        super().__init__(nvcc, None, *how, cuda_libdir=cuda_libdir)
        self.add_source(source, options)
        self.add_stdlib("cudadevrt")
        self.link()
