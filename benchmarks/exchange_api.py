"""What a hand-over costs by DLPack's C functions (``__dlpack_c_exchange_api__``), beside the calls in Python.

    python benchmarks/exchange_api.py

A library in C calls these functions itself, so that they are timed by a loop in C, which a compiler (``cc``) makes
first. Rows: an array to a tensor of DLPack and its deleter; an array to another library's object, which is dropped; by
the functions in C, and by ``from_dlpack``. PyTorch takes part where it is installed.
"""

from __future__ import annotations

import ctypes
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import devarray as da

LOOPS = r"""
#include <stdint.h>
#include <time.h>

typedef struct Tensor { uint32_t major, minor; void* context; void (*deleter)(struct Tensor*); } Tensor;
typedef int (*FromObject)(void*, Tensor**);
typedef int (*ToObject)(Tensor*, void**);

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1e6 + t.tv_nsec * 1e-3;
}

double given(FromObject from, void* object, long count) {
  double start = now();
  for (long i = 0; i < count; ++i) {
    Tensor* tensor;
    if (from(object, &tensor)) return -1;
    tensor->deleter(tensor);
  }
  return (now() - start) / count;
}

double handed_over(FromObject from, ToObject to, void (*drop)(void*), void* object, long count) {
  double start = now();
  for (long i = 0; i < count; ++i) {
    Tensor* tensor;
    void* made;
    if (from(object, &tensor) || to(tensor, &made)) return -1;
    drop(made);
  }
  return (now() - start) / count;
}
"""


class Table(ctypes.Structure):
    """DLPackExchangeAPI of DLPack 1.3."""

    _fields_ = [
        ("version", ctypes.c_uint32 * 2),
        ("previous", ctypes.c_void_p),
        ("allocate", ctypes.c_void_p),
        ("from_object", ctypes.c_void_p),
        ("to_object", ctypes.c_void_p),
        ("borrow", ctypes.c_void_p),
        ("current_stream", ctypes.c_void_p),
    ]


def table_of(library_class: Any) -> Table:
    found = library_class.__dlpack_c_exchange_api__
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return Table.from_address(get(found, b"dlpack_exchange_api"))


def compiled(folder: Path) -> ctypes.PyDLL:
    source, library = folder / "loops.c", folder / "loops.so"
    source.write_text(LOOPS)
    subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", library, source], check=True)
    loops = ctypes.PyDLL(str(library))  # the GIL stays held
    loops.given.restype = loops.handed_over.restype = ctypes.c_double
    return loops


def in_python(call: Callable[[Any], Any], x: Any) -> float:
    """Microseconds of a call, at best."""
    least = float("inf")
    for _ in range(20):
        start = time.perf_counter()
        for _ in range(500):
            call(x)
        least = min(least, (time.perf_counter() - start) / 500)
    return least * 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        loops = compiled(Path(folder))
        drop = ctypes.cast(ctypes.pythonapi.Py_DecRef, ctypes.c_void_p)

        def given(source: Table, x: Any) -> float:
            return min(loops.given(ctypes.c_void_p(source.from_object), ctypes.py_object(x), 2000) for _ in range(20))

        def handed_over(source: Table, target: Table, x: Any) -> float:
            functions = ctypes.c_void_p(source.from_object), ctypes.c_void_p(target.to_object), drop
            return min(loops.handed_over(*functions, ctypes.py_object(x), 2000) for _ in range(20))

        ours = table_of(da.Array)
        x = da.ones(16, dtype="float32").evaluate()
        x.queue.finish()
        rows = [
            ("devarray to a tensor", given(ours, x), None),
            ("devarray to devarray", handed_over(ours, ours, x), in_python(da.from_dlpack, x)),
        ]
        try:
            import torch
        except ImportError:
            print("PyTorch is not installed")
        else:
            theirs = table_of(torch.Tensor)
            t = torch.ones(16, device="cuda" if da.device().driver == "cuda" else "cpu")
            rows += [
                ("devarray to PyTorch", handed_over(ours, theirs, x), in_python(torch.from_dlpack, x)),
                ("PyTorch to devarray", handed_over(theirs, ours, t), in_python(da.from_dlpack, t)),
                ("PyTorch to PyTorch", handed_over(theirs, theirs, t), in_python(torch.from_dlpack, t)),
            ]
    print(f"Microseconds on {da.device()}, 16 elements of float32\n")
    print(f"{'':24}{'in C':>8}{'from_dlpack':>14}")
    for name, c, python in rows:
        print(f"{name:24}{c:8.2f}{f'{python:14.2f}' if python is not None else ''}")


if __name__ == "__main__":
    main()
