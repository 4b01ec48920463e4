"""cuSOLVER's dense routines, as far as devarray calls them. Addresses and handles are integers."""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from .handles import HandleCache
from .libraries import available, load

__all__ = ["LOWER", "UPPER", "available", "function", "handle", "has"]

LOWER, UPPER = 0, 1  # cublasFillMode_t

_int, _long, _pointer, _char = ctypes.c_int, ctypes.c_longlong, ctypes.c_void_p, ctypes.c_char
_size = ctypes.c_size_t
_data = _int  # cudaDataType
_typed = [_data, _pointer, _long]  # data type, address, leading dimension
_vector = [_data, _pointer]
_buffers = [_pointer, _size, _pointer, _size]  # on the device, on the host

# The 64-bit routines: their parameters between (handle, params) and the buffers. After the buffers comes info, and,
# where a routine is batched, the count.
_GENERIC: dict[str, list[Any]] = {
    "Xpotrf": [_int, _long, *_typed, _data],
    "Xgetrf": [_long, _long, *_typed, _pointer, _data],
    "Xgeqrf": [_long, _long, *_typed, *_vector, _data],
    "Xsyevd": [_int, _int, _long, *_typed, *_vector, _data],
    "XsyevBatched": [_int, _int, _long, *_typed, *_vector, _data],
    "Xgesvd": [_char, _char, _long, _long, *_typed, *_vector, *_typed, *_typed, _data],
    "Xgeev": [_int, _int, _long, *_typed, *_vector, *_typed, *_typed, _data],
}
_SIGNATURES: dict[str, list[Any]] = {
    "Create": [_pointer],
    "Destroy": [_pointer],
    "SetStream": [_pointer, _pointer],
    "CreateParams": [_pointer],
    "DestroyParams": [_pointer],
    "CreateGesvdjInfo": [_pointer],
    "DestroyGesvdjInfo": [_pointer],
    "Xgetrs": [_pointer, _pointer, _int, _long, _long, *_typed, _pointer, *_typed, _pointer],
}
for _name, _parameters in _GENERIC.items():
    _batch = [_long] if _name.endswith("Batched") else []
    # getrf's query does not take the pivots
    _query = [*_parameters[:5], _data] if _name == "Xgetrf" else _parameters
    _SIGNATURES[f"{_name}_bufferSize"] = [_pointer, _pointer, *_query, _pointer, _pointer, *_batch]
    _SIGNATURES[_name] = [_pointer, _pointer, *_parameters, *_buffers, _pointer, *_batch]
for _letter in "SDCZ":
    _q = f"{_letter}{'orgqr' if _letter in 'SD' else 'ungqr'}"
    _SIGNATURES[f"{_q}_bufferSize"] = [_pointer, _int, _int, _int, _pointer, _int, _pointer, _pointer]
    _SIGNATURES[_q] = [_pointer, _int, _int, _int, _pointer, _int, _pointer, _pointer, _int, _pointer]
    _SIGNATURES[f"{_letter}potrfBatched"] = [_pointer, _int, _int, _pointer, _int, _pointer, _int]
    _jacobi = [_pointer, _int, _int, _int, _pointer, _int, _pointer, _pointer, _int, _pointer, _int]
    _SIGNATURES[f"{_letter}gesvdj_bufferSize"] = [_pointer, _int, *_jacobi[1:], _pointer, _pointer]
    _SIGNATURES[f"{_letter}gesvdj"] = [_pointer, _int, *_jacobi[1:], _pointer, _int, _pointer, _pointer]
    _SIGNATURES[f"{_letter}gesvdjBatched_bufferSize"] = [*_jacobi, _pointer, _pointer, _int]
    _SIGNATURES[f"{_letter}gesvdjBatched"] = [*_jacobi, _pointer, _int, _pointer, _pointer, _int]


@cache
def function(name: str) -> Any:
    """A function of the library by its name behind ``cusolverDn``, typed and checked."""
    return load("cusolver").function(f"cusolverDn{name}", _SIGNATURES[name])


def has(name: str) -> bool:
    """Whether this version of the library has a function."""
    return load("cusolver").has(f"cusolverDn{name}")


class _Handle:
    """A handle, its parameters and Jacobi settings, bound to one stream."""

    def __init__(self, device: int, stream: int, serial: int) -> None:
        made = [ctypes.c_void_p() for _ in range(3)]
        for name, place in zip(("Create", "CreateParams", "CreateGesvdjInfo"), made, strict=True):
            function(name)(ctypes.addressof(place))
        self.value, self.params, self.jacobi = (place.value for place in made)
        function("SetStream")(self.value, stream)

    def close(self) -> None:
        function("DestroyGesvdjInfo")(self.jacobi)
        function("DestroyParams")(self.params)
        function("Destroy")(self.value)


_handles = HandleCache(_Handle, 4)


def handle(device: int, stream: int, serial: int) -> Any:
    """This thread's handle for a stream of a device: attributes `value`, `params` and `jacobi`.

    The queue's serial number tells streams apart that had one address after the other.
    """
    return _handles.get(device, stream, serial)
