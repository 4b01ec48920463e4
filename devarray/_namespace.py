"""The public names that are imported when they are first asked for, and the module of each: no program needs all."""

from __future__ import annotations

__all__ = [
    "CHAPTERS",
    "HOME",
    "MISSING",
    "MODULES",
    "NAMES",
    "NUMPYS",
    "OF_ARRAY_LIKES",
    "OF_DATES",
    "OTHERS",
    "why_missing",
]

MODULES = {
    name: name
    for name in (
        *("alloc", "char", "cl", "ctypeslib", "cuda", "dtypes", "emath", "exceptions", "fft", "lib", "linalg"),
        *("ma", "polynomial", "random", "rec", "special", "strings", "testing", "typing"),
    )
} | {"compiler": "_runtime.compiler"}
"""Public modules."""

NAMES = {
    "ElementwiseKernel": "_kernels.elementwise",
    "RawKernel": "_kernels.raw",
    "RawModule": "_kernels.raw",
    "ReductionKernel": "_kernels.reduction",
    "DatetimeArray": "_primitives.dates",
    "OpaqueArray": "_primitives.opaque",
    "memmap": "_primitives.host_arrays",
    "__array_api_version__": "interop.namespace",
    "__array_namespace_info__": "interop.namespace",
    "benchmark": "_profiling.benchmark",
    "errstate": "_array.float_errors",
    "seterr": "_array.float_errors",
    "cross": "linalg.numpy_forms",
    "dot": "linalg.vector_products",
    "einsum": "linalg.einsum",
    "einsum_path": "linalg.einsum",
    "from_dlpack": "interop.dlpack",
    "explain": "_profiling.explain",
    "frompyfunc": "_kernels.vectorize",
    "jit": "_kernels.vectorize",
    "vectorize": "_kernels.vectorize",
    "inner": "linalg.vector_products",
    "kron": "linalg.vector_products",
    "matmul": "linalg",
    "matvec": "linalg.products",
    "outer": "linalg.vector_products",
    "profile": "_profiling.profile",
    "tensordot": "linalg",
    "trace": "linalg.numpy_forms",
    "vdot": "linalg.vector_products",
    "vecdot": "linalg",
    "vecmat": "linalg.products",
}
"""Names of modules whose other names are reached in another way."""

_KINDS = (
    *("complexfloating", "floating", "generic", "inexact"),
    *("integer", "number", "signedinteger", "unsignedinteger"),
)  # of scalars

_ROUTINES = {
    "_routines": {
        "functional": "apply_along_axis apply_over_axes piecewise",
        "dtypes": """
            bool can_cast common_type complex64 complex128 e finfo float16 float32 float64 iinfo inf int8 int16
            int32 int64 isdtype issubdtype min_scalar_type nan newaxis pi promote_types result_type uint8 uint16
            uint32 uint64""",
        "cuda_arrays": "as_cuda_array from_cuda_array_interface is_cuda_array",
        "host_memory": "mapped pinned pinned_array pinned_array_like",
        "mapped_memory": "MappedNDArray managed_array mapped_array mapped_array_like",
        "transfers": "asnumpy get_array_module to_device",
    },
    "_routines.creation": {
        "conversion": "asanyarray asarray_chkfinite ascontiguousarray asfortranarray frombuffer fromiter require",
        "grids": "fromfunction geomspace indices ix_ logspace meshgrid ravel_multi_index unravel_index",
        "index_tricks": "c_ mgrid ogrid r_",
        "matrices": "diag diagflat diagonal fill_diagonal tri vander",
        "ranges": """
            arange array asarray device_array device_array_like empty empty_like eye full full_like identity
            linspace ones ones_like tril triu zeros zeros_like""",
    },
    "_routines.indexing": {
        "generating": """
            diag_indices diag_indices_from mask_indices tril_indices tril_indices_from triu_indices
            triu_indices_from""",
        "iterating": "broadcast isfortran ndenumerate nditer nested_iters",
        "selecting": "choose compress copyto extract place put putmask select",
    },
    "_routines.io": {
        "files": "fromfile fromstring genfromtxt load loadtxt save savetxt savez savez_compressed",
        "printing": "array2string array_repr array_str get_printoptions printoptions set_printoptions",
    },
    "_routines.logic": {
        "comparison": "allclose array_equal array_equiv isclose",
        "inspection": "iscomplexobj isrealobj isscalar iterable may_share_memory ndim shape shares_memory size",
    },
    "_routines.manipulation": {
        "axes": "matrix_transpose moveaxis permute_dims rollaxis swapaxes transpose",
        "editing": "append delete insert resize trim_zeros",
        "joining": "block column_stack concat concatenate dstack hstack row_stack stack vstack",
        "padding": "pad",
        "rearranging": "flip fliplr flipud repeat roll rot90 tile",
        "shapes": """
            astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to copy expand_dims
            ravel reshape squeeze""",
        "splitting": "array_split dsplit hsplit split unstack vsplit",
    },
    "_routines.math": {
        "bits": "packbits unpackbits",
        "calculus": "ediff1d gradient interp trapezoid",
        "compound": "angle around iscomplex isneginf isposinf isreal nan_to_num real_if_close sinc unwrap",
        "elementwise": """
            abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh atan atan2
            atanh bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or
            bitwise_right_shift bitwise_xor cbrt ceil clip conj conjugate copysign cos cosh deg2rad degrees divide
            equal exp exp2 expm1 fabs fix float_power floor floor_divide fmax fmin fmod gcd greater greater_equal
            heaviside hypot i0 imag invert isfinite isinf isnan lcm left_shift less less_equal log log10 log1p log2
            logaddexp logaddexp2 logical_and logical_not logical_or logical_xor maximum minimum mod multiply
            negative nextafter not_equal positive pow power rad2deg radians real reciprocal remainder right_shift
            rint round sign signbit sin sinh spacing sqrt square subtract tan tanh true_divide trunc where""",
        "fitting": "polyfit",
        "parts": "divmod frexp ldexp modf",
        "poly1d": "poly1d",
        "polynomials": "poly polyadd polyder polydiv polyint polymul polysub polyval roots",
        "signals": "bartlett blackman convolve correlate hamming hanning kaiser",
    },
    "_routines.sorting": {
        "searching": "argmax argmin argwhere flatnonzero nonzero put_along_axis searchsorted take take_along_axis",
        "sets": "intersect1d isin setdiff1d setxor1d union1d",
        "sorting": "argpartition argsort lexsort partition sort sort_complex",
        "unique": "unique unique_all unique_counts unique_inverse unique_values",
    },
    "_routines.statistics": {
        "averages": "average corrcoef cov",
        "bin_edges": "histogram_bin_edges",
        "counting": "bincount digitize",
        "cumulative": "cumprod cumsum cumulative_prod cumulative_sum diff nancumprod nancumsum",
        "histograms": "histogram histogram2d histogramdd",
        "nan_reductions": "nanargmax nanargmin nanmax nanmean nanmin nanprod nanstd nansum nanvar",
        "quantiles": "median nanmedian nanpercentile nanquantile percentile ptp quantile",
        "reductions": "all amax amin any count_nonzero max mean min prod std sum var",
    },
}
CHAPTERS = {f"{package}.{module}": row for package, rows in _ROUTINES.items() for module, row in rows.items()}
"""Each module of the routines, and its ``__all__``."""

OF_ARRAY_LIKES = frozenset(("_routines.dtypes", "_routines.creation.ranges", "_routines.math.elementwise"))
"""Modules whose functions make arrays of their arguments themselves."""

NUMPYS = frozenset(
    [
        "base_repr",
        "binary_repr",
        "bool_",
        "busdaycalendar",
        "byte",
        "bytes_",
        "cdouble",
        "character",
        "clongdouble",
        "csingle",
        "datetime64",
        "datetime_data",
        "double",
        "dtype",
        "euler_gamma",
        "False_",
        "flexible",
        "format_float_positional",
        "format_float_scientific",
        "fromregex",
        "get_include",
        "getbufsize",
        "geterr",
        "geterrcall",
        "half",
        "index_exp",
        "info",
        "int_",
        "intc",
        "intp",
        "isnat",
        "little_endian",
        "long",
        "longdouble",
        "longlong",
        "mintypecode",
        "ndindex",
        "object_",
        "recarray",
        "record",
        "s_",
        "ScalarType",
        "sctypeDict",
        "setbufsize",
        "seterrcall",
        "short",
        "show_config",
        "show_runtime",
        "single",
        "str_",
        "timedelta64",
        "True_",
        "typecodes",
        "typename",
        "ubyte",
        "ufunc",
        "uint",
        "uintc",
        "uintp",
        "ulong",
        "ulonglong",
        "ushort",
        "void",
    ]
)
"""NumPy's own, for programs whose import was changed: types, and what works on the host alone."""

OF_DATES = frozenset(["busday_count", "busday_offset", "datetime_as_string", "is_busday"])
"""NumPy's functions of dates without one of ours, which bring arrays of the device to the host and say so."""

MISSING = {
    "asmatrix": "devices have no matrices; use arrays of two axes and @",
    "bmat": "devices have no matrices; devarray.block joins blocks",
    "core": "it is private; public names are in devarray itself",
    "f2py": "import it from numpy",
    "flatiter": "x.flat gives one",
    "matrix": "devices have no matrices; use arrays of two axes and @",
    "test": "it runs NumPy's own tests",
}
"""Names of NumPy's that are missing on purpose, and why."""

HOME = NAMES | dict.fromkeys(_KINDS, "_primitives.scalar_kinds")
HOME |= {name: module for module, row in CHAPTERS.items() for name in row.split()}
"""The module of each of these names, below ``devarray``."""


OTHERS = {
    "devarray": {
        "compile": "operations fuse by themselves; leave torch.compile out",
        "fromDlpack": "from_dlpack",
        "fuse": "operations fuse by themselves; leave the decorator out, or take devarray.jit for branches on values",
        "get_default_memory_pool": "devarray.alloc.default_allocator(device) gives the pool",
        "get_default_pinned_memory_pool": "devarray.pinned_array makes pinned arrays; see docs/memory.md",
        "guvectorize": "write the function with operations of whole arrays, which fuse",
        "is_available": "devarray.devices() lists the devices that there are",
        "manual_seed": "devarray.random.default_rng(seed) gives a generator of that seed",
        "memoize": "functools.lru_cache does this",
        "no_grad": "devarray has no gradients; leave it out",
        "scatter_add": "devarray.add.at(x, indices, values)",
        "tensor": "devarray.asarray",
    },
    "devarray.cuda": {
        "MemoryPool": "devarray.alloc.PoolMemoryResource",
        "SourceModule": "devarray.cuda.compiler has it",
        "device_array": "devarray.device_array",
        "get_current_stream": "arrays have their queue, x.queue; devarray.use(queue=q) sets that of new ones",
        "grid": "kernels are CUDA C++: see devarray.RawKernel, or numba.cuda.jit, which takes devarray's arrays",
        "is_available": "devarray.devices() lists the devices that there are",
        "jit": "devarray.RawKernel takes CUDA C++; numba.cuda.jit takes devarray's arrays",
        "mapped_array": "devarray.mapped_array",
        "nvtx": "devarray.profile() marks ranges for NVIDIA's tools",
        "pinned_array": "devarray.pinned_array",
        "runtime": "devarray.cuda.driver has the driver's functions",
        "set_allocator": "devarray.alloc.set_default_allocator",
        "stream": "devarray.queue()",
        "synchronize": "devarray.synchronize()",
    },
}
"""Names that programs ask for when their import of CuPy, numba or PyTorch is changed: what does the same, by module."""


def why_missing(name: str, module: str = "devarray") -> str:
    """The error's text for a name that devarray, or a module of it, does not have."""
    import numpy as np

    text = f"module {module!r} has no attribute {name!r}"
    instead = OTHERS.get(module, {}).get(name)
    if instead is None and module == "devarray" and not name.startswith("_"):
        try:
            getattr(np, name)
        except AttributeError as error:
            instead = _advice(str(error))
        else:
            instead = MISSING.get(name) or f"call numpy.{name} on x.copy_to_host()"
    return text if instead is None else f"{text}: {instead}"


def _advice(error: str) -> str | None:
    """What NumPy says of a name that it had once, on one line: ``np.NaN``, ``np.float``."""
    told = [line for line in error.splitlines() if line and not line.startswith("module 'numpy'")]
    return told[0] if told else None
