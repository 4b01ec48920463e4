"""devarray: NumPy-compatible arrays on OpenCL and CUDA devices.

Importing it touches no driver; the first use does, and says what to install where none is found.
"""

from __future__ import annotations

from collections.abc import Callable as _Callable
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from devarray._runtime import locate as _locate

_locate.add_core(__path__)

from devarray import _core, errors
from devarray import array as _array
from devarray._array import methods as _methods
from devarray._array import ufunc_methods as _ufuncs
from devarray._core import reset_stats, stats
from devarray._routines import dtypes
from devarray._routines.creation import ranges as _creation
from devarray._routines.creation.ranges import *
from devarray._routines.dtypes import *
from devarray._routines.math import elementwise
from devarray._routines.math.elementwise import *
from devarray._runtime.devices import Device, Event, Queue, default_device, device, devices, queue, synchronize, use
from devarray._runtime.settings import config
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
    from devarray import alloc, cl, cuda, fft, lib, linalg, random, testing
    from devarray._primitives.opaque import OpaqueArray
    from devarray._routines.creation.conversion import *
    from devarray._routines.creation.grids import *
    from devarray._routines.creation.index_tricks import *
    from devarray._routines.creation.matrices import *
    from devarray._routines.functional import *
    from devarray._routines.indexing.selecting import *
    from devarray._routines.io.files import *
    from devarray._routines.io.printing import *
    from devarray._routines.logic.inspection import *
    from devarray._routines.manipulation.editing import *
    from devarray._routines.manipulation.joining import *
    from devarray._routines.manipulation.padding import *
    from devarray._routines.manipulation.shapes import *
    from devarray._routines.math.bits import *
    from devarray._routines.math.calculus import *
    from devarray._routines.math.compound import *
    from devarray._routines.math.polynomials import *
    from devarray._routines.math.signals import *
    from devarray._routines.sorting.searching import *
    from devarray._routines.sorting.sets import *
    from devarray._routines.sorting.sorting import *
    from devarray._routines.statistics.histograms import *
    from devarray._routines.statistics.nan_reductions import *
    from devarray._routines.statistics.quantiles import *
    from devarray._routines.statistics.reductions import *
    from devarray._routines.transfers import *
    from devarray._runtime import compiler
    from devarray.interop.dlpack import from_dlpack
    from devarray.interop.namespace import __array_api_version__, __array_namespace_info__
    from devarray.linalg import cross, matmul, tensordot, trace, vecdot
    from devarray.linalg.einsum import einsum, einsum_path
    from devarray.linalg.products import dot, inner, kron, matvec, outer, vdot, vecmat

__version__ = "0.1.0"

ndarray = Array
"""NumPy's name of the class."""

# --- what is imported when it is first asked for: no program needs all of it -----------------------------------------

_MODULES = {name: name for name in ("alloc", "cl", "cuda", "fft", "lib", "linalg", "random", "testing")}
_MODULES["compiler"] = "_runtime.compiler"

_NAMES = {
    "OpaqueArray": "_primitives.opaque",
    "__array_api_version__": "interop.namespace",
    "__array_namespace_info__": "interop.namespace",
    "cross": "linalg",
    "dot": "linalg.products",
    "einsum": "linalg.einsum",
    "einsum_path": "linalg.einsum",
    "from_dlpack": "interop.dlpack",
    "inner": "linalg.products",
    "kron": "linalg.products",
    "matmul": "linalg",
    "matvec": "linalg.products",
    "outer": "linalg.products",
    "tensordot": "linalg",
    "trace": "linalg",
    "vdot": "linalg.products",
    "vecdot": "linalg",
    "vecmat": "linalg.products",
}
_CHAPTERS = {
    "_routines.math.bits": "packbits unpackbits",
    "_routines.math.calculus": "ediff1d gradient interp trapezoid",
    "_routines.creation.conversion": "asanyarray asarray_chkfinite ascontiguousarray asfortranarray frombuffer fromiter require",
    "_routines.manipulation.editing": "append delete insert resize trim_zeros",
    "_routines.io.files": "fromfile genfromtxt load loadtxt save savetxt savez savez_compressed",
    "_routines.functional": "apply_along_axis apply_over_axes piecewise",
    "_routines.creation.grids": "fromfunction geomspace indices ix_ logspace meshgrid ravel_multi_index unravel_index",
    "_routines.statistics.histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
    "_routines.logic.inspection": "isscalar iterable may_share_memory ndim shape shares_memory size",
    "_routines.manipulation.joining": "array_split block column_stack dsplit dstack hsplit row_stack split vsplit",
    "_routines.manipulation.shapes": """astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to concat
        concatenate copy expand_dims flip fliplr flipud hstack matrix_transpose moveaxis permute_dims ravel repeat
        reshape roll rollaxis rot90 squeeze stack swapaxes tile transpose unstack vstack""",
    "_routines.math.compound": """angle around divmod frexp iscomplex isneginf isposinf isreal ldexp modf real_if_close sinc
        unwrap""",
    "_routines.creation.matrices": """diag diag_indices diag_indices_from diagflat diagonal fill_diagonal mask_indices tri tril_indices
        tril_indices_from triu_indices triu_indices_from vander""",
    "_routines.statistics.nan_reductions": """allclose array_equal array_equiv isclose iscomplexobj isrealobj nan_to_num nanargmax nanargmin
        nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar""",
    "_routines.manipulation.padding": "pad",
    "_routines.math.polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "_routines.io.printing": "array2string array_repr array_str get_printoptions printoptions set_printoptions",
    "_routines.statistics.quantiles": "average corrcoef cov median nanmedian nanpercentile nanquantile percentile ptp quantile",
    "_routines.sorting.searching": "argmax argmin argwhere flatnonzero nonzero put_along_axis searchsorted take take_along_axis",
    "_routines.indexing.selecting": "choose compress copyto extract place put putmask select",
    "_routines.sorting.sets": """intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse
        unique_values""",
    "_routines.creation.index_tricks": "c_ mgrid ogrid r_",
    "_routines.math.signals": "bartlett blackman convolve correlate hamming hanning kaiser",
    "_routines.sorting.sorting": "argpartition argsort lexsort partition sort sort_complex",
    "_routines.statistics.reductions": """all amax amin any count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff max mean min
        prod std sum var""",
    "_routines.transfers": "MappedNDArray mapped mapped_array pinned pinned_array to_device",
}
"""Each chapter's ``__all__``."""

_NUMPYS = """binary_repr base_repr bool_ byte cdouble complexfloating csingle double dtype errstate euler_gamma
    floating format_float_positional format_float_scientific generic geterr half index_exp inexact int_ intc integer
    intp longlong ndindex number poly1d s_ seterr short signedinteger single typecodes ubyte uint uintc uintp ulonglong
    unsignedinteger ushort"""
"""NumPy's own, for programs whose import was changed: types, and what works on the host alone."""

_HOME = _NAMES | {name: chapter for chapter, row in _CHAPTERS.items() for name in row.split()}


def _load(module: str) -> _ModuleType:
    package, _, below = module.partition(".")
    loaded = _import_module(f"devarray.{package}")  # first, so that two threads take the locks in one order
    return _import_module(f"devarray.{module}") if below else loaded


def __getattr__(name: str) -> object:
    """Modules, and names of modules, that are imported when they are asked for."""
    if name in _MODULES:
        return _load(_MODULES[name])
    if name in _NUMPYS.split():
        return getattr(_import_module("numpy"), name)
    if name not in _HOME:
        raise AttributeError(f"module 'devarray' has no attribute {name!r}")
    found = getattr(_load(_HOME[name]), name)
    found = globals()[name] = _load("_primitives.operands").array_like(found, __name__)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_HOME, *_NUMPYS.split()})


def _later(module: str, name: str) -> _Callable[..., _Any]:
    """A function that imports its module when it is first called; the module puts its own in place of this one."""

    def call(*args: _Any, **kwargs: _Any) -> _Any:
        return getattr(_load(module), name)(*args, **kwargs)

    return call


# What arrays call in modules below theirs.
_core.set_hooks({
    "advanced_getitem": _later("_primitives.gather", "_advanced_getitem"),
    "advanced_setitem": _later("_primitives.gather", "_advanced_setitem"),
    "build_elementwise": _later("_runtime.compiler", "_build_elementwise"),
    "build_reduction": _later("_runtime.compiler", "_build_reduction"),
    "of_scalars": _later("interop.ufuncs", "_of_scalars"),
})  # fmt: skip
_METHODS = """argpartition argsort choose compress cumprod cumsum diagonal nonzero partition put repeat searchsorted
    sort take"""
_methods.FUNCTIONS.update({name: _later(_HOME[name], name) for name in _METHODS.split()})
_ufuncs.add_methods(elementwise)
_array.set_matmul(_later("linalg.products", "matmul"))
_array.PROTOCOLS.update({
    "__array_function__": _later("interop.numpy_functions", "_array_function"),
    "__array_namespace__": _later("interop.namespace", "_array_namespace"),
    "__array_ufunc__": _later("interop.ufuncs", "_array_ufunc"),
    "__cuda_array_interface__": _later("_primitives.cuda_interface", "_export"),
    "__dlpack__": _later("interop.dlpack", "_export"),
    "__dlpack_device__": _later("interop.dlpack", "_own_device"),
    "as_array": _later("_primitives.operands", "as_array"),
    "elementwise": _later("interop.ufuncs", "_elementwise"),
    "from_cuda_array_interface": _later("_primitives.cuda_interface", "_import"),
    "numpy": _later("interop.numpy_spellings", "spelled"),
})  # fmt: skip

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
    "einsum_path",
    "errors",
    "from_dlpack",
    "fft",
    "inner",
    "kron",
    "lib",
    "linalg",
    "matmul",
    "matvec",
    "outer",
    "queue",
    "random",
    "reset_stats",
    "stats",
    "synchronize",
    "tensordot",
    "testing",
    "trace",
    "use",
    "vdot",
    "vecdot",
    "vecmat",
    *_creation.__all__,
    *dtypes.__all__,
    *elementwise.__all__,
    *" ".join(_CHAPTERS.values()).split(),
]
