"""Where generated source is tried without the engine: PyOpenCL on the CPU runtimes, NVRTC by ctypes."""

from __future__ import annotations

import ctypes
import importlib.util
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from second_runtime import lacking

import devarray as da
from devarray.codegen.kernels.elementwise import render
from devarray.codegen.kernels.spec import ElementwiseSpec, Node
from devarray.codegen.language import bounds
from devarray.codegen.language.dialect import Dialect, dialect_for
from devarray.ops.dtypes import REAL_OF
from devarray.ops.table import Op


def op_node(op: Op, compute: str, args: tuple[int, ...] | None = None) -> Node:
    """The node of an op on the first value ids."""
    result = {"?": "bool", "r": REAL_OF.get(compute, compute), "8": "uint8"}.get(op.result, compute)
    return (op.name, compute, result, tuple(range(op.nin)) if args is None else args)


def linear_spec(nodes: Sequence[Node], dtypes: Sequence[str]) -> ElementwiseSpec:
    """The linear kernel that writes every node."""
    return ElementwiseSpec(
        mode="linear",
        ndim=1,
        wide=True,
        vec=1,
        rows=4,
        alias=False,
        leaves=tuple((dtype, "linear") for dtype in dtypes),
        scalars=(),
        nodes=tuple(nodes),
        outputs=tuple((len(dtypes) + i, node[2], "linear") for i, node in enumerate(nodes)),
    )


class Runtime:
    """An OpenCL CPU device under PyOpenCL, or under `devarray.cl`, which has the same names."""

    def __init__(self, cl: Any, platform: Any) -> None:
        self.cl = cl
        self.device = platform.get_devices()[0]
        self.context = cl.Context([self.device])
        self.queue = cl.CommandQueue(self.context)
        self.name = "pocl" if "Portable" in platform.name else "intel"
        caps = {"strategy": "cpu", "platform": platform.name, "fp64": True, "check_bounds": da.config.check_bounds}
        self.dialect: Dialect = dialect_for("opencl", caps)

    def build(self, source: str) -> Any:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return self.cl.Program(self.context, source).build(self.dialect.build_options())

    def launch(self, program: Any, memory: list[np.ndarray], slots: list[int], size: tuple[int, ...]) -> None:
        """Runs kernel "k" on host arrays, which get their new contents."""
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        buffers = [self.cl.Buffer(self.context, flags, hostbuf=array) for array in memory]
        kernel = self.cl.Kernel(program, "k")
        with self.watched(kernel, buffers, slots) as arguments:
            self.enqueue(kernel, arguments, size)
        for array, buffer in zip(memory, buffers, strict=True):
            self.cl.enqueue_copy(self.queue, array, buffer)
        self.queue.finish()

    def enqueue(self, kernel: Any, arguments: Sequence[Any], size: tuple[int, ...]) -> None:
        kernel.set_args(*arguments)
        local = tuple(min(64, size[0]) if dim == 0 else 1 for dim in range(len(size)))
        rounded = tuple(-(-n // group) * group for n, group in zip(size, local, strict=True))
        self.cl.enqueue_nd_range_kernel(self.queue, kernel, rounded, local)

    @contextmanager
    def watched(self, kernel: Any, buffers: Sequence[Any], slots: Sequence[int]) -> Iterator[list[Any]]:
        """A kernel's arguments. One that checks its accesses must have reported none when the block is left."""
        values, report = [slot % 2**64 for slot in slots] or [0], np.zeros(32, np.int64)
        if kernel.num_args == len(buffers) + 1:
            yield [*buffers, np.array(values, np.uint64)]
            return
        flags = self.cl.mem_flags.READ_WRITE | self.cl.mem_flags.COPY_HOST_PTR
        seen = self.cl.Buffer(self.context, flags, hostbuf=report)
        ends = [end for buffer in buffers for end in (0, buffer.size)]
        yield [*buffers, seen, np.array([*values[: len(slots)], 0, 1, *ends], np.uint64)]
        self.cl.enqueue_copy(self.queue, report, seen)
        self.queue.finish()
        assert not report[:8].any(), f"out of bounds: {bounds.explain(int(report[2]))} {report[3:8]}"

    def apply(
        self, nodes: Sequence[Node], inputs: Sequence[np.ndarray], dialect: Dialect | None = None
    ) -> list[np.ndarray]:
        """Every node's array over contiguous inputs, from one linear kernel in the runtime's dialect or another."""
        spec = linear_spec(nodes, [array.dtype.name for array in inputs])
        outputs = [np.zeros(inputs[0].size, dtype) for _, dtype, _ in spec.outputs]
        slots = [inputs[0].size] + [0] * (len(inputs) + len(outputs))
        program = self.build(render(spec, dialect or self.dialect))
        self.launch(program, [*inputs, *outputs], slots, (inputs[0].size,))
        return outputs


class Engine:
    """A device under devarray itself."""

    def __init__(self, device: da.Device) -> None:
        self.device = device

    def apply(self, nodes: Sequence[Node], inputs: Sequence[np.ndarray]) -> list[np.ndarray]:
        """Every node's array, by the public function of the op's name."""
        arrays = [da.asarray(array, device=self.device) for array in inputs]
        return [getattr(da, node[0])(*arrays).copy_to_host() for node in nodes]


@cache
def opencl_runtimes() -> list[Runtime]:
    """Every CPU device that PyOpenCL finds, of runtimes that work for devarray; empty without PyOpenCL."""
    if importlib.util.find_spec("pyopencl") is None:
        return []
    import pyopencl as cl

    try:
        platforms = cl.get_platforms()
    except cl.Error:
        return []
    working = {device.caps["platform"] + device.caps["version"] for device in da._core.cl.devices()}
    cpus = [p for p in platforms if p.get_devices()[0].type & cl.device_type.CPU]
    return [Runtime(cl, p) for p in cpus if p.name + p.get_devices()[0].version in working]


@cache
def quickest_runtime() -> Runtime | None:
    """The first CPU's under `devarray.cl`, which lists Intel's runtime, the quickest to compile, before others."""
    import devarray.cl as cl

    for platform in cl.get_platforms():
        if any(device.type & cl.device_type.CPU for device in platform.get_devices()):
            return Runtime(cl, platform)
    return None


def parameters() -> list[Any]:
    """The runtimes as tests take them; one that is skipped, with the reason, where there is none."""
    reason = lacking() or "PyOpenCL finds no CPU runtime that works"
    found = [pytest.param(runtime, id=runtime.name) for runtime in opencl_runtimes()]
    return found or [pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))]


@cache
def _nvrtc() -> ctypes.CDLL | None:
    spec = importlib.util.find_spec("nvidia")
    for place in spec.submodule_search_locations if spec and spec.submodule_search_locations else []:
        for path in sorted(Path(place).glob("*/lib/libnvrtc.so.*")):
            return ctypes.CDLL(str(path))
    return None


def has_nvrtc() -> bool:
    return _nvrtc() is not None


def nvrtc_compile(source: str, options: str, arch: str = "sm_90") -> str:
    """Compiles down to machine code for an architecture, and returns the PTX on the way to it.

    Raises
    ------
    RuntimeError
        With the compiler's log.
    """
    lib = _nvrtc()
    assert lib is not None
    program = ctypes.c_void_p()
    lib.nvrtcCreateProgram(ctypes.byref(program), source.encode(), b"k.cu", 0, None, None)
    words = [word.encode() for word in (f"--gpu-architecture={arch}", *options.split())]
    code = lib.nvrtcCompileProgram(program, len(words), (ctypes.c_char_p * len(words))(*words))
    if code:
        size = ctypes.c_size_t()
        lib.nvrtcGetProgramLogSize(program, ctypes.byref(size))
        log = ctypes.create_string_buffer(size.value)
        lib.nvrtcGetProgramLog(program, log)
        raise RuntimeError(log.value.decode())
    size = ctypes.c_size_t()
    lib.nvrtcGetPTXSize(program, ctypes.byref(size))
    text = ctypes.create_string_buffer(size.value)
    lib.nvrtcGetPTX(program, text)
    lib.nvrtcDestroyProgram(ctypes.byref(program))
    return text.value.decode()
