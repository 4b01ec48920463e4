"""cuBLAS, as far as devarray calls it. Addresses and handles are integers; a device's context is current."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from devarray import _core

from .libraries import available, load

__all__ = [
    "COMPUTE",
    "DATA",
    "NO",
    "TRANSPOSE",
    "available",
    "function",
    "gemm_ex",
    "gemm_strided_batched_ex",
    "handle",
]

NO, TRANSPOSE = 0, 1  # cublasOperation_t
DATA = {"float16": 2, "float32": 0, "float64": 1, "complex64": 4, "complex128": 5}  # cudaDataType_t
COMPUTE = {"float16": 68, "float32": 68, "float64": 70, "complex64": 68, "complex128": 70}  # cublasComputeType_t

_int, _long, _pointer = ctypes.c_int, ctypes.c_longlong, ctypes.c_void_p
_MATRIX = [_pointer, _int, _int]  # address, data type, leading dimension
_SIGNATURES: dict[str, list[Any]] = {
    "cublasCreate_v2": [_pointer],
    "cublasDestroy_v2": [_pointer],
    "cublasSetStream_v2": [_pointer, _pointer],
    "cublasGemmEx": [_pointer, *[_int] * 5, _pointer, *_MATRIX, *_MATRIX, _pointer, *_MATRIX, _int, _int],
    "cublasGemmStridedBatchedEx": [
        *[_pointer, *[_int] * 5, _pointer, *_MATRIX, _long, *_MATRIX, _long, _pointer, *_MATRIX, _long],
        *[_int, _int, _int],
    ],
}
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


def gemm_ex(*arguments: object) -> None:
    """``cublasGemmEx``."""
    function("cublasGemmEx")(*arguments)


def gemm_strided_batched_ex(*arguments: object) -> None:
    """``cublasGemmStridedBatchedEx``."""
    function("cublasGemmStridedBatchedEx")(*arguments)
