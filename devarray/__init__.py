"""devarray: NumPy-compatible arrays on OpenCL and CUDA devices.

Importing it touches no driver; the first use does, and says what to install where none is found.
"""

from __future__ import annotations

from importlib import import_module as _import_module

from devarray import _locate

_locate.add_core(__path__)

from devarray import compiler, dtypes, elementwise, errors
from devarray import creation as _creation
from devarray import functional as _functional
from devarray import linalg as linalg
from devarray import manipulation as _manipulation
from devarray import nanfunctions as _nanfunctions
from devarray import padding as _padding
from devarray import quantiles as _quantiles
from devarray import searching as _searching
from devarray import sets as _sets
from devarray import sorting as _sorting
from devarray import statistical as _statistical
from devarray import transfers as _transfers
from devarray._core import reset_stats, stats
from devarray.array import Array
from devarray.config import config
from devarray.creation import *
from devarray.device import Device, Event, Queue, default_device, device, devices, queue, synchronize, use
from devarray.dtypes import *
from devarray.elementwise import *
from devarray.errors import (
    AxisError,
    CompileError,
    DeviceError,
    DriverError,
    DTypeError,
    Error,
    HiddenTransferWarning,
    MissingDriverError,
    OutOfMemoryError,
    ShapeError,
)
from devarray.functional import *
from devarray.interop.dlpack import from_dlpack
from devarray.interop.namespace import __array_api_version__, __array_namespace_info__
from devarray.linalg import cross, matmul, tensordot, trace, vecdot
from devarray.linalg.einsum import einsum
from devarray.linalg.products import dot, inner, kron, vdot
from devarray.manipulation import *
from devarray.nanfunctions import *
from devarray.opaque import OpaqueArray
from devarray.padding import *
from devarray.quantiles import *
from devarray.searching import *
from devarray.sets import *
from devarray.sorting import *
from devarray.statistical import *
from devarray.transfers import *

__version__ = "0.1.0"


_LAZY = ("alloc", "cl", "cuda", "fft")


def __getattr__(name: str) -> object:
    """Modules that are imported when they are asked for: not every program needs them."""
    if name in _LAZY:
        return _import_module(f"devarray.{name}")
    raise AttributeError(f"module 'devarray' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_LAZY})


__all__ = [
    "Array",
    "AxisError",
    "CompileError",
    "DTypeError",
    "Device",
    "DeviceError",
    "DriverError",
    "Error",
    "Event",
    "HiddenTransferWarning",
    "MissingDriverError",
    "OpaqueArray",
    "OutOfMemoryError",
    "Queue",
    "ShapeError",
    "__array_api_version__",
    "__array_namespace_info__",
    "alloc",
    "cl",
    "compiler",
    "config",
    "cross",
    "cuda",
    "default_device",
    "device",
    "devices",
    "dot",
    "einsum",
    "errors",
    "from_dlpack",
    "fft",
    "inner",
    "kron",
    "linalg",
    "matmul",
    "queue",
    "reset_stats",
    "stats",
    "synchronize",
    "tensordot",
    "trace",
    "use",
    "vdot",
    "vecdot",
    *_creation.__all__,
    *_functional.__all__,
    *_manipulation.__all__,
    *_nanfunctions.__all__,
    *_padding.__all__,
    *_quantiles.__all__,
    *_searching.__all__,
    *_sets.__all__,
    *_sorting.__all__,
    *_statistical.__all__,
    *_transfers.__all__,
    *dtypes.__all__,
    *elementwise.__all__,
]
