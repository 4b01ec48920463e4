"""What the raw layers' calls cost beside PyOpenCL, and beside PyCUDA, cuda.core, CuPy and numba-cuda, in one run.

    python benchmarks/drivers.py opencl [PLATFORM] [--json FILE]
    python benchmarks/drivers.py cuda [--json FILE]

Each library does the same work on the same device in the same context; the libraries take turns, medians count. Calls
that only enqueue run in blocks with one wait at the end. Microseconds a call.
"""

from __future__ import annotations

import argparse
import atexit
import importlib
import json
import sys
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from c_calls import driver_in_c
from timing import Block, Effort, stopwatch, take_turns

import devarray as da

Calls = dict[str, Callable[[], Any]]
"""Rows of the table to what is timed."""

_SOURCE_CL = "kernel void f(global float* a, global float* b, global float* c, int n) {}"
_SOURCE_CUDA = 'extern "C" __global__ void f(float* a, float* b, float* c, float* d) {}'


def opencl(name: str) -> tuple[dict[str, Calls], Callable[[], None]]:
    """Rows of PyOpenCL and ours on a platform."""
    from devarray import cl
    from devarray.cl import tools

    platform = next(p for p in cl.get_platforms() if name.lower() in f"{p.name} {p.vendor}".lower())
    context = cl.Context(platform.get_devices()[:1])
    queue = cl.CommandQueue(context)
    libraries = {"devarray": _opencl_calls(cl, tools, context, queue)}
    pyopencl = _optional("pyopencl")
    if pyopencl:
        theirs = pyopencl.Context.from_int_ptr(context.int_ptr)
        their_queue = pyopencl.CommandQueue.from_int_ptr(queue.int_ptr)
        their_tools = importlib.import_module("pyopencl.tools")
        libraries["pyopencl"] = _opencl_calls(pyopencl, their_tools, theirs, their_queue)
        array = importlib.import_module("pyopencl.array")
        pool = their_tools.MemoryPool(their_tools.ImmediateAllocator(their_queue))
        x, y = (array.to_device(their_queue, np.ones(16, np.float32), allocator=pool) for _ in range(2))
        libraries["pyopencl"]["array a + b, 16 elements"] = lambda: x + y
    a, b = (da.asarray(np.ones(16, np.float32), queue=queue) for _ in range(2))
    libraries["devarray"]["array a + b, 16 elements"] = lambda: a + b
    return libraries, queue.finish


def _opencl_calls(cl: Any, tools: Any, context: Any, queue: Any) -> Calls:
    """The same calls through either module."""
    kernel = cl.Kernel(cl.Program(context, _SOURCE_CL).build(), "f")
    kernel.set_scalar_arg_dtypes([None, None, None, np.int32])
    flags = cl.mem_flags.READ_WRITE
    a, b, c = (cl.Buffer(context, flags, 1024) for _ in range(3))
    kernel.set_args(a, b, c, 5)
    pool = tools.MemoryPool(tools.ImmediateAllocator(queue))
    host, size, local = np.zeros(256, np.float32), (16,), (16,)
    copy, launch, make = cl.enqueue_copy, cl.enqueue_nd_range_kernel, cl.Buffer
    return {
        "kernel call, 4 arguments": lambda: kernel(queue, size, local, a, b, c, 5),
        "set_args": lambda: kernel.set_args(a, b, c, 5),
        "enqueue_nd_range_kernel": lambda: launch(queue, kernel, size, local),
        "Buffer(context, flags, 4096)": lambda: make(context, flags, 4096),
        "enqueue_copy of 1 KB to the device": lambda: copy(queue, a, host),
        "enqueue_copy of 1 KB to the host": lambda: copy(queue, host, a),
        "enqueue_copy of 1 KB on the device": lambda: copy(queue, a, b),
        "pool: allocate and release 4 KB": lambda: pool.allocate(4096),
    }


def cuda() -> tuple[dict[str, Calls], Callable[[], None]]:
    """Rows of ours and of whichever peers are installed."""
    from devarray import cuda as driver

    context = driver.Device(0).retain_primary_context()
    context.push()
    engine = next(d for d in da.devices() if d.driver == "cuda")
    libraries = {"devarray": _ours(driver, engine)}
    if in_c := _driver_in_c():
        libraries["driver in C"] = in_c
    for name, calls in (("pycuda", _pycuda), ("cupy", _cupy), ("numba", _numba), ("cuda.core", _cuda_core)):
        try:
            libraries[name] = calls()
        except (ImportError, AttributeError) as error:  # the latter: numba-cuda with a NumPy that is too new
            print(f"without {name}: {error}")
    return libraries, driver.Context.synchronize


def _driver_in_c() -> Calls:
    """The driver's own calls from C. The other libraries may take other calls than these for a row's work."""
    c = driver_in_c()
    rows = {
        "call with 4 allocations": "call",
        "prepared call": "call",
        "call with 4 arrays": "call",
        "mem_alloc + free, 1 MB": "allocate_and_free",
        "1 KB to the device": "kilobyte_to_device",
        "1 KB to the host": "kilobyte_to_host",
        "1 KB on the device": "kilobyte_on_device",
    }
    return {row: c[name] for row, name in rows.items() if name in c}


def _ours(driver: Any, engine: Any) -> Calls:
    compiler = importlib.import_module("devarray.cuda.compiler")
    calls = _driver_calls(driver, compiler.SourceModule(_SOURCE_CUDA, no_extern_c=True).get_function("f"))
    function = compiler.SourceModule(_SOURCE_CUDA, no_extern_c=True).get_function("f")
    with da.use(device=engine):
        a, b, c, d = (da.zeros(256, dtype=np.float32).evaluate() for _ in range(4))
        host, x = np.empty(256, np.float32), da.zeros(1000, dtype=np.float32).evaluate()
    stream, block, grid = engine.default_queue, (16, 1, 1), (1, 1)
    pool = da.alloc.default_allocator(engine)
    calls["call with 4 arrays"] = lambda: function(a, b, c, d, block=block, grid=grid, stream=stream)
    calls["slice x[10:500]"] = lambda: x[10:500]
    calls["array to the host, 1 KB"] = lambda: a.copy_to_host(host)
    calls["array from the host, 1 KB"] = lambda: a.copy_to_device(host)
    calls["a + b, 256 elements"] = lambda: a + b
    calls["pool: allocate and release 4 KB"] = lambda: pool.allocate(4096, stream)
    return calls


def _driver_calls(driver: Any, function: Any) -> Calls:
    """The same calls through devarray.cuda and pycuda.driver."""
    a, b, c, d = (driver.mem_alloc(1024) for _ in range(4))
    host, block, grid = np.zeros(256, np.float32), (16, 1, 1), (1, 1)
    function.prepare("PPPP")
    prepared, to_device, to_host = function.prepared_call, driver.memcpy_htod, driver.memcpy_dtoh
    allocate, copy = driver.mem_alloc, driver.memcpy_dtod
    return {
        "call with 4 allocations": lambda: function(a, b, c, d, block=block, grid=grid),
        "prepared call": lambda: prepared(grid, block, a, b, c, d),
        "mem_alloc + free, 1 MB": lambda: allocate(1 << 20).free(),
        "1 KB to the device": lambda: to_device(a, host),
        "1 KB to the host": lambda: to_host(host, a),
        "1 KB on the device": lambda: copy(a, b, 1024),
    }


def _pycuda() -> Calls:
    driver = importlib.import_module("pycuda.driver")
    driver.init()
    context = driver.Device(0).retain_primary_context()
    context.push()
    atexit.register(context.pop)  # PyCUDA ends the process where one is left
    compiler, array = importlib.import_module("pycuda.compiler"), importlib.import_module("pycuda.gpuarray")
    tools = importlib.import_module("pycuda.tools")
    function = compiler.SourceModule(_SOURCE_CUDA, no_extern_c=True).get_function("f")
    calls = _driver_calls(driver, compiler.SourceModule(_SOURCE_CUDA, no_extern_c=True).get_function("f"))
    a, b, c, d = (array.zeros(256, np.float32) for _ in range(4))
    x, host, block, grid, pool = array.zeros(1000, np.float32), np.empty(256, np.float32), (16, 1, 1), (1, 1), None
    pool = tools.DeviceMemoryPool()
    calls["call with 4 arrays"] = lambda: function(a, b, c, d, block=block, grid=grid)
    calls["slice x[10:500]"] = lambda: x[10:500]
    calls["array to the host, 1 KB"] = lambda: a.get(host)
    calls["array from the host, 1 KB"] = lambda: a.set(host)
    calls["a + b, 256 elements"] = lambda: a + b
    calls["pool: allocate and release 4 KB"] = lambda: pool.allocate(4096)
    return calls


def _cupy() -> Calls:
    cupy = importlib.import_module("cupy")
    kernel = cupy.RawKernel(_SOURCE_CUDA, "f")
    a, b, c, d = (cupy.zeros(256, np.float32) for _ in range(4))
    x, host, size, block = cupy.zeros(1000, np.float32), np.empty(256, np.float32), (1,), (16,)
    memory = cupy.cuda.alloc
    return {
        "call with 4 arrays": lambda: kernel(size, block, (a, b, c, d)),
        "slice x[10:500]": lambda: x[10:500],
        "array to the host, 1 KB": lambda: a.get(out=host),
        "array from the host, 1 KB": lambda: a.set(host),
        "a + b, 256 elements": lambda: a + b,
        "pool: allocate and release 4 KB": lambda: memory(4096),
        "mem_alloc + free, 1 MB": lambda: cupy.cuda.Memory(1 << 20),
    }


def _numba() -> Calls:
    numba_cuda = importlib.import_module("numba.cuda")

    @numba_cuda.jit
    def nothing(a, b, c, d):
        pass

    a, b, c, d = (numba_cuda.to_device(np.zeros(256, np.float32)) for _ in range(4))
    x, host = numba_cuda.to_device(np.zeros(1000, np.float32)), np.empty(256, np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a small grid
        configured = nothing[1, 16]
    configured(a, b, c, d)
    return {
        "call with 4 arrays": lambda: configured(a, b, c, d),
        "slice x[10:500]": lambda: x[10:500],
        "array to the host, 1 KB": lambda: a.copy_to_host(host),
        "array from the host, 1 KB": lambda: a.copy_to_device(host),
    }


def _cuda_core() -> Calls:
    core = importlib.import_module("cuda.core")
    core = core if hasattr(core, "Program") else importlib.import_module("cuda.core.experimental")
    device = core.Device(0)
    device.set_current()
    stream = device.default_stream  # where the others' calls go
    options = core.ProgramOptions(arch=f"sm_{device.arch}")
    kernel = core.Program(_SOURCE_CUDA, code_type="c++", options=options).compile("cubin").get_kernel("f")
    buffers = [device.allocate(1024, stream=stream) for _ in range(4)]
    config, launch = core.LaunchConfig(grid=1, block=16), core.launch
    a, b = buffers[:2]
    return {
        "call with 4 allocations": lambda: launch(stream, config, kernel, *buffers),
        "1 KB on the device": lambda: a.copy_from(b, stream=stream),
        "pool: allocate and release 4 KB": lambda: device.allocate(4096, stream=stream).close(stream),
    }


def _optional(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        print(f"without {name}: {error}")
        return None


def measure(libraries: dict[str, Calls], wait: Callable[[], None], effort: Effort) -> Iterator[SimpleNamespace]:
    """One row after the other: microseconds of each library that has it."""
    da.config.deferred = False
    for row in libraries["devarray"]:
        blocks: dict[str, Block] = {}
        for name, calls in libraries.items():
            if row in calls:
                blocks[name] = stopwatch(calls[row], wait)
                blocks[name](20)
        times = {name: round(t.median * 1e6, 2) for name, t in take_turns(blocks, effort).items()}
        yield SimpleNamespace(row=row, times=times)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("driver", choices=["opencl", "cuda"])
    parser.add_argument("platform", nargs="?", default="")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--quick", action="store_true")
    arguments = parser.parse_args()
    libraries, wait = opencl(arguments.platform) if arguments.driver == "opencl" else cuda()
    names = list(libraries)
    print("| call, us | " + " | ".join(names) + " | ours / best |\n|---" * 1 + "|---" * (len(names) + 1) + "|")
    rows = []
    for found in measure(libraries, wait, Effort(9, 0.02, 1.5) if arguments.quick else Effort(15, 0.05, 3.0)):
        peers = [time for name, time in found.times.items() if name not in ("devarray", "driver in C")]
        ratio = f"{found.times['devarray'] / min(peers):.2f}" if peers else ""
        cells = " | ".join(str(found.times.get(name, "")) for name in names)
        print(f"| {found.row} | {cells} | {ratio} |", flush=True)
        rows.append({"row": found.row, **found.times})
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
