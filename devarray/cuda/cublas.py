"""cuBLAS, as far as devarray calls it. Addresses and handles are integers; a device's context is current."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .handles import HandleCache
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
    "cublasSetWorkspace_v2": [_pointer, _pointer, ctypes.c_size_t],
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


class _Handle:
    def __init__(self, device: int, stream: int) -> None:
        made = ctypes.c_void_p()
        function("cublasCreate_v2")(ctypes.addressof(made))
        self.value = made.value
        # A handle stays with one stream, so that the library's own workspace is never shared by two.
        function("cublasSetStream_v2")(self.value, stream)

    def close(self) -> None:
        function("cublasDestroy_v2")(self.value)


_handles = HandleCache(_Handle, 4)


def handle(device: int, stream: int) -> int:
    """This thread's handle for a stream of a device, in the default mode: float32 is never computed in TF32."""
    return _handles.get(device, stream).value


def gemm_ex(*arguments: Any) -> None:
    """``cublasGemmEx``."""
    function("cublasGemmEx")(*arguments)


def gemm_strided_batched_ex(*arguments: Any) -> None:
    """``cublasGemmStridedBatchedEx``."""
    function("cublasGemmStridedBatchedEx")(*arguments)
