"""Who takes whose arrays, whether memory is shared, and what a hand-over costs: the table of docs/interop.md.

    python tools/exchange.py             prints the table
    python tools/exchange.py write       writes it into docs/interop.md, in the place of the device's driver

Rows whose library is not installed, or whose device is not there, are left out and named below the table.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import devarray as da

PAGE = Path(__file__).resolve().parents[1] / "docs" / "interop.md"
BEGIN, END = "<!-- written by tools/exchange.py: {} -->\n", "<!-- end -->\n"  # for each driver
SIZES = (16, 1 << 20)


class Route(NamedTuple):
    """One way from a library to another."""

    producer: str
    consumer: str
    call: str
    needs: str  # a module
    make: Callable[[int], Any]
    hand_over: Callable[[Any], Any]
    write: Callable[[Any], None]  # a one in the first place of what came, to see whether it shows where it came from


def _first(x: Any) -> None:
    x[0] = 1


def _ours(n: int) -> da.Array:
    x = da.zeros(n, dtype="float32").evaluate()
    x.queue.finish()
    return x


def _numpys(n: int) -> np.ndarray[Any, Any]:
    return np.zeros(n, np.float32)


def routes() -> Iterator[Route]:
    on_cuda = da.device().driver == "cuda"
    yield Route("NumPy", "devarray", "da.asarray(h)", "numpy", _numpys, da.asarray, _first)
    yield Route("NumPy", "devarray", "da.from_dlpack(h)", "numpy", _numpys, da.from_dlpack, _first)
    yield Route("devarray", "NumPy", "x.copy_to_host()", "numpy", _ours, lambda x: x.copy_to_host(), _first)
    yield Route("devarray", "NumPy", "np.from_dlpack(x)", "numpy", _ours, np.from_dlpack, _first)
    yield Route("devarray", "NumPy", "x.as_host_view()", "numpy", _ours, lambda x: x.as_host_view(), _first)
    yield Route("devarray", "devarray", "da.from_dlpack(x)", "numpy", _ours, da.from_dlpack, _first)
    if find_spec("torch"):
        import torch

        def tensor(n: int) -> Any:
            return torch.zeros(n, device="cuda" if on_cuda else "cpu")

        yield Route("devarray", "PyTorch", "torch.from_dlpack(x)", "torch", _ours, torch.from_dlpack, _first)
        yield Route("PyTorch", "devarray", "da.from_dlpack(t)", "torch", tensor, da.from_dlpack, _first)
    if find_spec("jax"):
        os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # or JAX takes three quarters of a GPU's memory
        import jax

        yield Route(
            "devarray", "JAX", "jax.dlpack.from_dlpack(x)", "jax", _ours, jax.dlpack.from_dlpack, lambda x: None
        )
        yield Route("JAX", "devarray", "da.from_dlpack(j)", "jax", jax.numpy.zeros, da.from_dlpack, lambda x: None)
    if find_spec("numba") and not on_cuda:
        import numba

        fill = numba.njit(lambda h: h.fill(1))

        def filled(x: da.Array) -> np.ndarray[Any, Any]:
            view = np.from_dlpack(x)
            fill(view)
            return view

        yield Route("devarray", "Numba", "njit(f)(np.from_dlpack(x))", "numba", _ours, filled, _first)
    if on_cuda:
        yield from _cuda_routes()
    elif find_spec("pyopencl"):
        yield from _opencl_routes()
    if find_spec("dask"):
        import dask.array as dsk

        yield Route("devarray", "Dask", "dask.array.from_array(x)", "dask", _ours, dsk.from_array, lambda x: None)
    if find_spec("cupy"):
        import cupy

        yield Route("devarray", "CuPy", "cupy.from_dlpack(x)", "cupy", _ours, cupy.from_dlpack, _first)
        yield Route(
            "CuPy", "devarray", "da.from_dlpack(c)", "cupy", lambda n: cupy.zeros(n, "f4"), da.from_dlpack, _first
        )


def _numba_cuda() -> Any:
    """Numba's module, or None where it is older than the NumPy that there is: its import warns, or ends."""
    try:
        from numba import cuda
    except (ImportError, DeprecationWarning):
        return None
    return cuda


def _cuda_routes() -> Iterator[Route]:
    """Libraries that know CUDA's memory only, by the CUDA array interface."""
    cuda = _numba_cuda() if find_spec("numba") and find_spec("numba.cuda") else None
    if cuda is not None:
        take = cuda.as_cuda_array
        yield Route("devarray", "Numba", "numba.cuda.as_cuda_array(x)", "numba", _ours, take, _first)

        def numbas(n: int) -> Any:
            return cuda.to_device(np.zeros(n, np.float32))

        yield Route("Numba", "devarray", "da.asarray(d)", "numba", numbas, da.asarray, _first)
    if find_spec("pycuda"):
        import pycuda.autoprimaryctx  # noqa: F401
        from pycuda import gpuarray

        def pycudas(n: int) -> Any:
            return gpuarray.zeros(n, np.float32)

        yield Route("PyCUDA", "devarray", "da.asarray(g)", "pycuda", pycudas, da.asarray, _first)
    if find_spec("rmm"):
        import rmm

        def rmms(n: int) -> Any:
            return rmm.DeviceBuffer(size=4 * n)

        def floats(b: Any) -> da.Array:
            return da.asarray(b).view("float32")

        yield Route("RMM", "devarray", "da.asarray(b)", "rmm", rmms, floats, _first)


def _opencl_routes() -> Iterator[Route]:
    """PyOpenCL on the same memory, by the driver's objects: where both have loaded the same driver."""
    import pyopencl
    import pyopencl.array

    from devarray import cl

    context = _ours(1).queue.context
    if context.devices[0].platform.int_ptr not in [platform.int_ptr for platform in pyopencl.get_platforms()]:
        return
    theirs = pyopencl.Context.from_int_ptr(context.int_ptr)
    queue = pyopencl.CommandQueue(theirs)

    def buffer(n: int) -> Any:
        made = pyopencl.array.zeros(queue, n, np.float32)
        queue.finish()
        return made

    def array(x: Any) -> da.Array:
        return da.Array(cl.Buffer.from_int_ptr(x.data.int_ptr), x.shape, x.dtype, queue=da.queue())

    def svm(x: da.Array) -> Any:
        return pyopencl.SVM(x.as_host_view())

    def fill(memory: Any) -> None:
        memory.mem[0] = 1

    yield Route("devarray", "PyOpenCL", "pyopencl.SVM(x.as_host_view())", "pyopencl", _ours, svm, fill)
    yield Route("PyOpenCL", "devarray", "da.Array(cl.Buffer.from_int_ptr(...))", "pyopencl", buffer, array, _first)


def shared(route: Route) -> str:
    """Whether what is written at one end is read at the other; a question mark where nothing can be written."""
    there = route.make(16)
    here = route.hand_over(there)
    places = _address(here), _address(there)
    if "JAX" in (route.producer, route.consumer):  # whose arrays cannot be written
        return "yes" if places[0] == places[1] else "no"
    try:
        route.write(here)
    except (TypeError, ValueError, RuntimeError):
        return "read-only" if None in places or places[0] != places[1] else "yes"
    if isinstance(here, da.Array):
        here.evaluate().queue.finish()
    return "yes" if _number(there) == 1 else "?" if type(here).__module__.split(".")[0] == "dask" else "no"


def _address(x: Any) -> int | None:
    if isinstance(x, da.Array):
        return None if x.base_data.kind == "buffer" else x.ptr
    if hasattr(x, "unsafe_buffer_pointer"):
        return int(x.unsafe_buffer_pointer())
    found = getattr(x, "__cuda_array_interface__", None)
    return found["data"][0] if found else getattr(x, "ptr", None)


def _number(x: Any) -> float:
    if hasattr(x, "copy_to_host") and not hasattr(x, "dtype"):  # bytes: RMM's DeviceBuffer
        return float(x.copy_to_host().view(np.float32)[0])
    first = x[0]
    return float(first.get() if hasattr(first, "get") else first)


def microseconds(route: Route, n: int) -> float:
    """The least time of a hand-over, work of the device included."""
    x = route.make(n)
    least = float("inf")
    for _ in range(30):
        start = time.perf_counter()
        y = route.hand_over(x)
        if isinstance(y, da.Array):
            y.queue.finish()
        least = min(least, time.perf_counter() - start)
        del y
    return least * 1e6


def table() -> str:
    """The table in Markdown, and what it was taken on."""
    lines = [f"On {da.device()}, memory kind `{da.empty(1).allocator.kind}`, float32:", ""]
    lines += [
        f"| from | to | by | memory shared | {' | '.join(f'µs, {n} elements' for n in SIZES)} |",
        "|---|---|---|---|---|---|",
    ]
    for route in routes():
        try:
            times = [f"{microseconds(route, n):.1f}" for n in SIZES]
            cells = [shared(route), *times]
        except Exception as error:  # another library's, of any class: it takes no memory of this device
            print(f"{route.call}: {type(error).__name__}: {error}", file=sys.stderr)
            cells = ["refused", *["" for _ in SIZES]]
        lines.append(f"| {route.producer} | {route.consumer} | `{route.call}` | {' | '.join(cells)} |")
    missing = [
        name for name in ("torch", "jax", "numba", "dask", "cupy", "pyopencl", "pycuda", "rmm") if not find_spec(name)
    ]
    lines += ["", f"Not installed where this was taken: {', '.join(missing) or 'nothing'}."]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> None:
    text = table()
    if arguments == ["write"]:
        begin = BEGIN.format(da.device().driver)
        before, _, rest = PAGE.read_text().partition(begin)
        PAGE.write_text(before + begin + text + END + rest.partition(END)[2])
    else:
        print(text, end="")


if __name__ == "__main__":
    main(sys.argv[1:])
