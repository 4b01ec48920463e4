"""What devarray/cl/_probe.py runs in a process of its own: one kernel on each CPU device of one OpenCL library."""

from __future__ import annotations

from typing import Any

import numpy as np

from devarray import _core, cl
from devarray.cl import _runtimes
from devarray.errors import Error

__all__ = ["try_library"]

_SOURCE = "kernel void probe(global int *x) { x[get_global_id(0)] += 41; }"


def try_library(library: str, needs: list[str]) -> None:
    """Build and run a kernel on each CPU device of one library, in a process that has loaded no other."""
    _runtimes.candidates = lambda: [(library, needs, "probe", "")]
    for device in _core.cl.devices():
        if device.type == "cpu":
            try:
                _compute(device)
            except Error as error:
                platform = f"{device.caps['platform']} {device.caps['version']}"
                print(f"{platform}\t{_first_error(error)}", flush=True)


def _compute(device: Any) -> None:
    context, queue = device.cl_context, cl.CommandQueue(device.cl_context)
    host = np.ones(4, np.int32)
    flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
    buffer = cl.Buffer(context, flags, hostbuf=host)
    cl.Program(context, _SOURCE).build().probe(queue, (4,), None, buffer)
    cl.enqueue_copy(queue, host, buffer)
    queue.finish()
    if list(host) != [42] * 4:
        raise Error(f"1 + 41 is {host[0]}")


def _first_error(error: Error) -> str:
    """The line of a compiler's log that says what is wrong."""
    lines = [line.strip() for line in f"{getattr(error, 'log', '')}\n{error}".splitlines()]
    for mark in ("error:", "error", ""):
        for line in lines:
            if line and mark in line.lower():
                return line
    return type(error).__name__
