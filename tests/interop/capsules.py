"""DLPack's structures, written down again from the specification, and producers of capsules."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

CPU, CUDA, CUDA_HOST, OPENCL, CUDA_MANAGED = 1, 2, 3, 4, 13
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


# --- the structures, written down again from the specification ----------------------------------------------------


class Tensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


class Legacy(ctypes.Structure):
    _fields_ = [("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", Tensor),
    ]


KINDS = {"dltensor": Legacy, "dltensor_versioned": Versioned}
_get_name = ctypes.pythonapi.PyCapsule_GetName
_get_name.restype, _get_name.argtypes = ctypes.c_char_p, [ctypes.py_object]
get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
get_pointer.restype, get_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_USED = {name: f"used_{name}".encode() for name in KINDS}  # capsules keep the pointer to their name


def opened(capsule: Any) -> tuple[str, Any]:
    """The capsule's name and the structure in it."""
    name = _get_name(capsule).decode()
    managed = KINDS[name].from_address(get_pointer(capsule, name.encode()))
    managed.capsule = capsule  # lives as long
    return name, managed


def consume(capsule: Any) -> Callable[[], None]:
    """Take the tensor out of a capsule, as a consumer does; what comes back calls the deleter."""
    name, managed = opened(capsule)
    _set_name(capsule, _USED[name])
    return lambda: ctypes.CFUNCTYPE(None, ctypes.c_void_p)(managed.deleter)(ctypes.addressof(managed))


class Producer:
    """Another library's array, as far as DLPack sees it."""

    def __init__(self, array: Any, **fixed: Any) -> None:
        self.array, self.fixed, self.asked = array, fixed, {}

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()

    def __dlpack__(self, **kwargs: Any) -> Any:
        self.asked = kwargs
        return self.array.__dlpack__(**kwargs | self.fixed)


class OldProducer(Producer):
    """One from before version 1."""

    def __dlpack__(self, stream: Any = None) -> Any:  # type: ignore[override]
        return self.array.__dlpack__()
