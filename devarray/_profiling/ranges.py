"""Ranges for NVIDIA's profilers: each launch of a profile by its name, through NVTX where that library is installed."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

from devarray import _core
from devarray._runtime.devices import devices
from devarray.cuda.libraries import nvtx_candidates

__all__ = ["begin", "end", "load"]

_PUSH, _POP = "nvtxRangePushA", "nvtxRangePop"
_loaded: list[ctypes.CDLL | None] = []


def load(candidates: Sequence[str]) -> ctypes.CDLL | None:
    """The first of them that opens and has the functions; None where there is none."""
    for path in candidates:
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue
        if hasattr(library, _PUSH) and hasattr(library, _POP):
            return library
    return None


def _library() -> ctypes.CDLL | None:
    if not _loaded:
        _loaded.append(load(nvtx_candidates()))
    return _loaded[0]


def begin() -> bool:
    """Opens the profile's range, and has each launch open one; False where there is no GPU of NVIDIA's or no NVTX."""
    if not any(device.driver == "cuda" for device in devices()):
        return False
    library = _library()
    if library is None:
        return False
    library[_PUSH](b"devarray.profile")
    _core.profile_ranges(*(ctypes.cast(library[name], ctypes.c_void_p).value or 0 for name in (_PUSH, _POP)))
    return True


def end() -> None:
    """Closes it."""
    _core.profile_ranges(0, 0)
    library = _library()
    if library is not None:
        library[_POP]()
