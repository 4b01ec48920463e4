"""Where generated source is tried without devarray's own drivers: PyOpenCL on the CPU runtimes, NVRTC by ctypes."""

from __future__ import annotations

import ctypes
import importlib.util
import warnings
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from devarray.codegen.dialect import Dialect, dialect_for
from devarray.codegen.elementwise import render
from devarray.codegen.spec import ElementwiseSpec


class Runtime:
    """An OpenCL CPU device under PyOpenCL."""

    def __init__(self, cl: Any, platform: Any) -> None:
        self.cl = cl
        self.device = platform.get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.name = "pocl" if "Portable" in platform.name else "intel"
        self.dialect: Dialect = dialect_for("opencl", {"type": "cpu", "platform": platform.name, "fp64": True})

    def build(self, source: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.cl.Program(self.context, source).build(self.dialect.build_options())

    def launch(self, program: Any, memory: list[np.ndarray], slots: list[int], size: tuple[int, ...]) -> None:
        """Runs kernel "k" on host arrays, which get their new contents."""
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        buffers = [self.cl.Buffer(self.context, flags, hostbuf=array) for array in memory]
        kernel = program.k
        kernel.set_args(*buffers, np.array(slots or [0], np.uint64))
        local = tuple(min(64, size[0]) if dim == 0 else 1 for dim in range(len(size)))
        rounded = tuple(-(-n // group) * group for n, group in zip(size, local, strict=True))
        self.cl.enqueue_nd_range_kernel(self.queue, kernel, rounded, local)
        for array, buffer in zip(memory, buffers, strict=True):
            self.cl.enqueue_copy(self.queue, array, buffer)
        self.queue.finish()

    def linear(self, source: str, inputs: list[np.ndarray], outputs: list[np.ndarray]) -> None:
        """Runs a linear kernel on whole, contiguous arrays."""
        n = outputs[0].size
        self.launch(self.build(source), [*inputs, *outputs], [n] + [0] * (len(inputs) + len(outputs)), (n,))

    def apply(self, nodes: tuple, inputs: list[np.ndarray], result: str, value: int | None = None) -> np.ndarray:
        """The last node's (or `value`'s) array over contiguous inputs."""
        leaves = tuple((array.dtype.name, "linear") for array in inputs)
        last = len(leaves) + len(nodes) - 1 if value is None else value
        spec = ElementwiseSpec("linear", 1, True, 1, False, leaves, (), nodes, ((last, result, "linear"),))
        out = np.zeros(inputs[0].size, result)
        self.linear(render(spec, self.dialect), inputs, [out])
        return out


@cache
def opencl_runtimes() -> list[Runtime]:
    """Every CPU device that PyOpenCL finds; empty without PyOpenCL."""
    if importlib.util.find_spec("pyopencl") is None:
        return []
    import pyopencl as cl

    try:
        platforms = cl.get_platforms()
    except cl.Error:
        return []
    return [Runtime(cl, p) for p in platforms if p.get_devices()[0].type & cl.device_type.CPU]


@cache
def _nvrtc() -> ctypes.CDLL | None:
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations if spec and spec.submodule_search_locations else []:
        for path in sorted(Path(place).glob("*/lib/libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    return None


def has_nvrtc() -> bool:
    return _nvrtc() is not None


def nvrtc_compile(source: str, options: str, ptx: bool = False) -> str:
    """Compiles and returns the PTX, or the empty string.

    Raises
    ------
    RuntimeError
        With the compiler's log.
    """
    lib = _nvrtc()
    assert lib is not None
    program = ctypes.c_void_p()
    lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
    words = [word.encode() for word in options.split()]
    code = lib.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    if code:
        size = ctypes.c_size_t()
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    text = ""
    if ptx:
        size = ctypes.c_size_t()
        lib.nvrtcGetPTXSize(program, ctypes.byref(size))
        out = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetPTX(program, out)
        text = out.value.decode()
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return text
