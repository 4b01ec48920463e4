"""devarray: NumPy-compatible arrays on OpenCL and CUDA devices.

Importing it touches no driver; the first use does, and says what to install where none is found.
"""

from __future__ import annotations

from importlib import import_module as _import_module
from typing import TYPE_CHECKING as _TYPE_CHECKING

from devarray._runtime import locate as _locate

_numpy = _import_module("numpy")  # before the core: NumPy's own import takes a fifth longer behind it
_locate.add_core(__path__)

from devarray import _hooks, _namespace, errors
from devarray._core import reset_stats, stats
from devarray._runtime import forks as _forks
from devarray._runtime.config import config
from devarray._runtime.devices import Device, Event, Queue, default_device, device, devices, queue, synchronize, use
from devarray.array import Array
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

if _TYPE_CHECKING:  # at run time they come through __getattr__
    from devarray import (
        alloc,
        cl,
        ctypeslib,
        cuda,
        dtypes,
        emath,
        exceptions,
        fft,
        lib,
        linalg,
        random,
        special,
        testing,
        typing,
    )
    from devarray._kernels.elementwise import ElementwiseKernel
    from devarray._kernels.raw import RawKernel, RawModule
    from devarray._kernels.reduction import ReductionKernel
    from devarray._kernels.vectorize import frompyfunc, jit, vectorize
    from devarray._primitives.dates import DatetimeArray
    from devarray._primitives.opaque import OpaqueArray
    from devarray._routines.creation.conversion import *
    from devarray._routines.creation.grids import *
    from devarray._routines.creation.index_tricks import *
    from devarray._routines.creation.matrices import *
    from devarray._routines.creation.ranges import *
    from devarray._routines.cuda_arrays import *
    from devarray._routines.dtypes import *
    from devarray._routines.functional import *
    from devarray._routines.host_memory import *
    from devarray._routines.indexing.generating import *
    from devarray._routines.indexing.iterating import *
    from devarray._routines.indexing.selecting import *
    from devarray._routines.io.files import *
    from devarray._routines.io.printing import *
    from devarray._routines.logic.comparison import *
    from devarray._routines.logic.inspection import *
    from devarray._routines.manipulation.axes import *
    from devarray._routines.manipulation.editing import *
    from devarray._routines.manipulation.joining import *
    from devarray._routines.manipulation.padding import *
    from devarray._routines.manipulation.rearranging import *
    from devarray._routines.manipulation.shapes import *
    from devarray._routines.manipulation.splitting import *
    from devarray._routines.mapped_memory import *
    from devarray._routines.math.bits import *
    from devarray._routines.math.calculus import *
    from devarray._routines.math.compound import *
    from devarray._routines.math.elementwise import *
    from devarray._routines.math.fitting import *
    from devarray._routines.math.parts import *
    from devarray._routines.math.polynomials import *
    from devarray._routines.math.signals import *
    from devarray._routines.sorting.searching import *
    from devarray._routines.sorting.sets import *
    from devarray._routines.sorting.sorting import *
    from devarray._routines.sorting.unique import *
    from devarray._routines.statistics.averages import *
    from devarray._routines.statistics.bin_edges import *
    from devarray._routines.statistics.counting import *
    from devarray._routines.statistics.cumulative import *
    from devarray._routines.statistics.histograms import *
    from devarray._routines.statistics.nan_reductions import *
    from devarray._routines.statistics.quantiles import *
    from devarray._routines.statistics.reductions import *
    from devarray._routines.transfers import *
    from devarray._runtime import compiler
    from devarray.interop.dlpack import from_dlpack
    from devarray.interop.namespace import __array_api_version__, __array_namespace_info__
    from devarray.linalg import matmul, tensordot, vecdot
    from devarray.linalg.einsum import einsum, einsum_path
    from devarray.linalg.numpy_forms import cross, trace
    from devarray.linalg.products import matvec, vecmat
    from devarray.linalg.vector_products import dot, inner, kron, outer, vdot

__version__ = "0.1.0"

ndarray = Array
"""NumPy's name of the class."""


def __getattr__(name: str) -> object:
    """Modules, and names of modules, that are imported when they are asked for."""
    if name in _namespace.MODULES:
        return _hooks.load(_namespace.MODULES[name])
    if name in _namespace.NUMPYS:
        return getattr(_numpy, name)
    if name in _namespace.OF_DATES:
        on_host = _hooks.load("_primitives.host_calls").on_host_alone
        found = globals()[name] = on_host(getattr(_numpy, name), name)
        return found
    if name not in _namespace.HOME:
        raise AttributeError(_namespace.why_missing(name))
    home = _namespace.HOME[name]
    found = getattr(_hooks.load(home), name)
    if home in _namespace.OF_ARRAY_LIKES:
        found = _hooks.load("_primitives.binding").bound_as_numpys(found, name, __name__)
    else:
        found = _hooks.load("_primitives.operands").array_like(found, __name__)
        if isinstance(ufunc := getattr(_numpy, name, None), _numpy.ufunc):
            _hooks.load("_primitives.ufunc_methods").as_ufunc(found, ufunc)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_namespace.MODULES, *_namespace.HOME, *_namespace.NUMPYS, *_namespace.OF_DATES})


_hooks.install()
_forks.register()
globals().pop("array", None)  # the module of the class: the name is the function's

__all__ = [
    "Array",
    "AxisError",
    "CompileError",
    "DTypeError",
    "Device",
    "DeviceError",
    "DriverError",
    "ElementwiseKernel",
    "Error",
    "Event",
    "HiddenTransferWarning",
    "MissingDriverError",
    "DatetimeArray",
    "OpaqueArray",
    "OutOfMemoryError",
    "Queue",
    "RawKernel",
    "RawModule",
    "ReductionKernel",
    "ShapeError",
    "__array_api_version__",
    "__array_namespace_info__",
    "alloc",
    "benchmark",
    "char",
    "cl",
    "compiler",
    "config",
    "cross",
    "ctypeslib",
    "cuda",
    "default_device",
    "device",
    "devices",
    "dot",
    "dtypes",
    "frompyfunc",
    "jit",
    "vectorize",
    "einsum",
    "einsum_path",
    "emath",
    "errors",
    "errstate",
    "exceptions",
    "explain",
    "from_dlpack",
    "fft",
    "inner",
    "kron",
    "lib",
    "linalg",
    "ma",
    "matmul",
    "matvec",
    "memmap",
    "outer",
    "profile",
    "queue",
    "polynomial",
    "random",
    "rec",
    "reset_stats",
    "seterr",
    "special",
    "stats",
    "strings",
    "synchronize",
    "tensordot",
    "testing",
    "trace",
    "typing",
    "use",
    "vdot",
    "vecdot",
    "vecmat",
    *" ".join(_namespace.CHAPTERS.values()).split(),
]
