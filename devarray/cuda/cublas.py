"""cuBLAS, as far as devarray calls it. Addresses and handles are integers; a device's context is current."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from devarray import _core

from .libraries import available, load

__all__ = [
    "DATA",
    "NO",
    "available",
    "function",
    "handle",
]

NO = 0  # cublasOperation_t
DATA = {"float16": 2, "float32": 0, "float64": 1, "complex64": 4, "complex128": 5}  # cudaDataType_t

_int, _pointer = ctypes.c_int, ctypes.c_void_p
_SIGNATURES: dict[str, list[Any]] = {}
for _letter in "SDCZ":
    _SIGNATURES[f"cublas{_letter}getrfBatched"] = [_pointer, _int, _pointer, _int, _pointer, _pointer, _int]
    _SIGNATURES[f"cublas{_letter}getrsBatched"] = [
        *[_pointer, _int, _int, _int, _pointer, _int, _pointer, _pointer, _int, _pointer, _int],
    ]


@cache
def function(name: str) -> Any:
    """A function of the library, typed and checked."""
    return load("cublas").function(name, _SIGNATURES[name])


def handle(queue: Any) -> int:
    """This thread's handle for a stream, in the default mode: float32 is never computed in TF32."""
    return _core.cublas_handle(queue)


def start() -> bool:
    """Hands the library to the C++ core, which keeps the handles. False where there is no library."""
    if not available("cublas"):
        return False
    names = ("cublasCreate_v2", "cublasDestroy_v2", "cublasSetStream_v2", "cublasGemmEx", "cublasGemmStridedBatchedEx")
    _core.use_cublas(*(load("cublas").address(name) for name in names))
    return True
