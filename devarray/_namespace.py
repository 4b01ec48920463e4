"""The public names that are imported when they are first asked for, and the module of each: no program needs all."""

from __future__ import annotations

__all__ = ["CHAPTERS", "HOME", "MODULES", "NAMES", "NUMPYS"]

MODULES = {name: name for name in ("alloc", "cl", "cuda", "fft", "lib", "linalg", "random", "testing")} | {
    "compiler": "_runtime.compiler"
}
"""Public modules."""

NAMES = {
    "OpaqueArray": "_primitives.opaque",
    "__array_api_version__": "interop.namespace",
    "__array_namespace_info__": "interop.namespace",
    "cross": "linalg.numpy_forms",
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
    "trace": "linalg.numpy_forms",
    "vdot": "linalg.products",
    "vecdot": "linalg",
    "vecmat": "linalg.products",
}
"""Names of modules whose other names are reached in another way."""

_ROUTINES = {
    "_routines": {
        "functional": "apply_along_axis apply_over_axes piecewise",
        "transfers": "MappedNDArray mapped mapped_array pinned pinned_array to_device",
    },
    "_routines.creation": {
        "conversion": "asanyarray asarray_chkfinite ascontiguousarray asfortranarray frombuffer fromiter require",
        "grids": "fromfunction geomspace indices ix_ logspace meshgrid ravel_multi_index unravel_index",
        "index_tricks": "c_ mgrid ogrid r_",
        "matrices": """
            diag diag_indices diag_indices_from diagflat diagonal fill_diagonal mask_indices tri tril_indices
            tril_indices_from triu_indices triu_indices_from vander""",
    },
    "_routines.indexing": {
        "selecting": "choose compress copyto extract place put putmask select",
    },
    "_routines.io": {
        "files": "fromfile genfromtxt load loadtxt save savetxt savez savez_compressed",
        "printing": "array2string array_repr array_str get_printoptions printoptions set_printoptions",
    },
    "_routines.logic": {
        "inspection": "isscalar iterable may_share_memory ndim shape shares_memory size",
    },
    "_routines.manipulation": {
        "editing": "append delete insert resize trim_zeros",
        "joining": "array_split block column_stack dsplit dstack hsplit row_stack split vsplit",
        "padding": "pad",
        "shapes": """
            astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_shapes broadcast_to concat
            concatenate copy expand_dims flip fliplr flipud hstack matrix_transpose moveaxis
            permute_dims ravel repeat reshape roll rollaxis rot90 squeeze stack swapaxes tile transpose
            unstack vstack""",
    },
    "_routines.math": {
        "bits": "packbits unpackbits",
        "calculus": "ediff1d gradient interp trapezoid",
        "compound": "angle around divmod frexp iscomplex isneginf isposinf isreal ldexp modf real_if_close sinc unwrap",
        "polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
        "signals": "bartlett blackman convolve correlate hamming hanning kaiser",
    },
    "_routines.sorting": {
        "searching": "argmax argmin argwhere flatnonzero nonzero put_along_axis searchsorted take take_along_axis",
        "sets": """
            intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse unique_values""",
        "sorting": "argpartition argsort lexsort partition sort sort_complex",
    },
    "_routines.statistics": {
        "histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
        "nan_reductions": """
            allclose array_equal array_equiv isclose iscomplexobj isrealobj nan_to_num nanargmax nanargmin
            nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar""",
        "quantiles": "average corrcoef cov median nanmedian nanpercentile nanquantile percentile ptp quantile",
        "reductions": """
            all amax amin any count_nonzero cumprod cumsum cumulative_prod cumulative_sum diff max mean min prod std
            sum var""",
    },
}
CHAPTERS = {f"{package}.{module}": row for package, rows in _ROUTINES.items() for module, row in rows.items()}
"""Each module of the routines, and its ``__all__``."""

NUMPYS = frozenset(
    [
        "binary_repr",
        "base_repr",
        "bool_",
        "byte",
        "cdouble",
        "complexfloating",
        "csingle",
        "double",
        "dtype",
        "errstate",
        "euler_gamma",
        "floating",
        "format_float_positional",
        "format_float_scientific",
        "generic",
        "geterr",
        "half",
        "index_exp",
        "inexact",
        "int_",
        "intc",
        "integer",
        "intp",
        "longlong",
        "ndindex",
        "number",
        "poly1d",
        "s_",
        "seterr",
        "short",
        "signedinteger",
        "single",
        "typecodes",
        "ubyte",
        "uint",
        "uintc",
        "uintp",
        "ulonglong",
        "unsignedinteger",
        "ushort",
    ]
)
"""NumPy's own, for programs whose import was changed: types, and what works on the host alone."""

HOME = NAMES | {name: module for module, row in CHAPTERS.items() for name in row.split()}
"""The module of each of these names, below ``devarray``."""
