"""devarray: NumPy-compatible arrays on OpenCL and CUDA devices.

Importing it touches no driver; the first use does, and says what to install where none is found.
"""

from __future__ import annotations

from collections.abc import Callable as _Callable
from importlib import import_module as _import_module
from types import ModuleType as _ModuleType
from typing import TYPE_CHECKING as _TYPE_CHECKING
from typing import Any as _Any

from devarray import _locate

_locate.add_core(__path__)

from devarray import _core, dtypes, elementwise, errors
from devarray import array as _array
from devarray import creation as _creation
from devarray import methods as _methods
from devarray import ufuncs as _ufuncs
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

if _TYPE_CHECKING:  # at run time they come through __getattr__
    from devarray import alloc, cl, compiler, cuda, fft, lib, linalg, random, testing
    from devarray.bits import *
    from devarray.calculus import *
    from devarray.converting import *
    from devarray.editing import *
    from devarray.files import *
    from devarray.functional import *
    from devarray.grids import *
    from devarray.histograms import *
    from devarray.inspecting import *
    from devarray.interop.dlpack import from_dlpack
    from devarray.interop.namespace import __array_api_version__, __array_namespace_info__
    from devarray.joining import *
    from devarray.linalg import cross, matmul, tensordot, trace, vecdot
    from devarray.linalg.einsum import einsum, einsum_path
    from devarray.linalg.products import dot, inner, kron, matvec, outer, vdot, vecmat
    from devarray.manipulation import *
    from devarray.mathematics import *
    from devarray.matrices import *
    from devarray.nanfunctions import *
    from devarray.opaque import OpaqueArray
    from devarray.padding import *
    from devarray.polynomials import *
    from devarray.printing import *
    from devarray.quantiles import *
    from devarray.searching import *
    from devarray.selecting import *
    from devarray.sets import *
    from devarray.shorthands import *
    from devarray.signals import *
    from devarray.sorting import *
    from devarray.statistical import *
    from devarray.transfers import *

__version__ = "0.1.0"

ndarray = Array
"""NumPy's name of the class."""

# --- what is imported when it is first asked for: no program needs all of it -----------------------------------------

_MODULES = ("alloc", "cl", "compiler", "cuda", "fft", "lib", "linalg", "random", "testing")

_NAMES = {
    "OpaqueArray": "opaque",
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
    "bits": "packbits unpackbits",
    "calculus": "ediff1d gradient interp trapezoid",
    "converting": "asanyarray asarray_chkfinite ascontiguousarray asfortranarray frombuffer fromiter require",
    "editing": "append delete insert resize trim_zeros",
    "files": "fromfile genfromtxt load loadtxt save savetxt savez savez_compressed",
    "functional": "apply_along_axis apply_over_axes piecewise",
    "grids": "fromfunction geomspace indices ix_ logspace meshgrid ravel_multi_index unravel_index",
    "histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
    "inspecting": "isscalar iterable may_share_memory ndim shape shares_memory size",
    "joining": "array_split block column_stack dsplit dstack hsplit row_stack split vsplit",
    "manipulation": """astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to concat
        concatenate copy expand_dims flip fliplr flipud hstack matrix_transpose moveaxis permute_dims ravel repeat
        reshape roll rollaxis rot90 squeeze stack swapaxes tile transpose unstack vstack""",
    "mathematics": """angle around divmod frexp iscomplex isneginf isposinf isreal ldexp modf real_if_close sinc
        unwrap""",
    "matrices": """diag diag_indices diag_indices_from diagflat diagonal fill_diagonal mask_indices tri tril_indices
        tril_indices_from triu_indices triu_indices_from vander""",
    "nanfunctions": """allclose array_equal array_equiv isclose iscomplexobj isrealobj nan_to_num nanargmax nanargmin
        nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar""",
    "padding": "pad",
    "polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "printing": "array2string array_repr array_str get_printoptions printoptions set_printoptions",
    "quantiles": "average corrcoef cov median nanmedian nanpercentile nanquantile percentile ptp quantile",
    "searching": "argmax argmin argwhere flatnonzero nonzero put_along_axis searchsorted take take_along_axis",
    "selecting": "choose compress copyto extract place put putmask select",
    "sets": """intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse
        unique_values""",
    "shorthands": "c_ mgrid ogrid r_",
    "signals": "bartlett blackman convolve correlate hamming hanning kaiser",
    "sorting": "argpartition argsort lexsort partition sort sort_complex",
    "statistical": """all amax amin any count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff max mean min
        prod std sum var""",
    "transfers": "MappedNDArray mapped mapped_array pinned pinned_array to_device",
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
        return _load(name)
    if name in _NUMPYS.split():
        return getattr(_import_module("numpy"), name)
    if name not in _HOME:
        raise AttributeError(f"module 'devarray' has no attribute {name!r}")
    found = getattr(_load(_HOME[name]), name)
    found = globals()[name] = _load("operands").array_like(found, __name__)
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
    "advanced_getitem": _later("indexing", "_advanced_getitem"),
    "advanced_setitem": _later("indexing", "_advanced_setitem"),
    "build_elementwise": _later("compiler", "_build_elementwise"),
    "build_reduction": _later("compiler", "_build_reduction"),
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
    "__cuda_array_interface__": _later("interop.cuda_interface", "_export"),
    "__dlpack__": _later("interop.dlpack", "_export"),
    "__dlpack_device__": _later("interop.dlpack", "_own_device"),
    "as_array": _later("operands", "as_array"),
    "elementwise": _later("interop.ufuncs", "_elementwise"),
    "from_cuda_array_interface": _later("interop.cuda_interface", "_import"),
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
