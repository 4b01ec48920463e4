"""One table from NumPy's functions to devarray's, for ``__array_function__``. Widening it is adding a name to a row.

A call is bound to NumPy's signature and handed on by name: what stands first goes by position, what NumPy's caller left
at NumPy's default is left to ours. Functions of which NumPy wants something else are in numpy_spellings.py.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from devarray.arguments import attributes_of
from devarray.array import PROTOCOLS
from devarray.errors import DTypeError
from devarray.outputs import into

__all__ = ["names"]

_ROWS = {
    "dtypes": "common_type isdtype min_scalar_type",
    "bits": "packbits unpackbits",
    "creation": "empty_like tril triu",
    "editing": "append delete insert resize trim_zeros",
    "elementwise": "fix i0 imag real",
    "files": "save savez savez_compressed",
    "functional": "apply_along_axis apply_over_axes piecewise",
    "grids": "geomspace ix_ logspace meshgrid ravel_multi_index unravel_index",
    "inspecting": "may_share_memory ndim shape shares_memory size",
    "joining": "array_split block column_stack dsplit dstack hsplit split vsplit",
    "manipulation": """astype atleast_1d atleast_2d atleast_3d broadcast_arrays broadcast_to copy expand_dims flip
        fliplr flipud matrix_transpose moveaxis permute_dims ravel repeat reshape roll rollaxis rot90 squeeze swapaxes
        tile transpose unstack""",
    "matrices": "diag diag_indices_from diagflat diagonal fill_diagonal tril_indices_from triu_indices_from vander",
    "calculus": "ediff1d gradient interp trapezoid",
    "histograms": "bincount digitize histogram histogram2d histogram_bin_edges histogramdd",
    "mathematics": "angle around iscomplex isneginf isposinf isreal real_if_close sinc unwrap",
    "padding": "pad",
    "printing": "array2string array_repr array_str",
    "selecting": "choose compress copyto extract place put putmask select",
    "sorting": "argpartition lexsort partition sort_complex",
    "searching": "argmax argmin argwhere flatnonzero nonzero put_along_axis searchsorted take take_along_axis",
    "nanfunctions": """allclose array_equal array_equiv iscomplexobj isclose isrealobj nan_to_num nanargmax nanargmin
        nancumprod nancumsum nanmax nanmean nanmin nanprod nanstd nansum nanvar""",
    "polynomials": "poly polyadd polyder polydiv polyfit polyint polymul polysub polyval roots",
    "quantiles": "average corrcoef cov median nanmedian nanpercentile nanquantile percentile ptp quantile",
    "sets": """intersect1d isin setdiff1d setxor1d union1d unique unique_all unique_counts unique_inverse
        unique_values""",
    "signals": "convolve correlate",
    "statistical": "count_nonzero cumprod cumsum cumulative_prod cumulative_sum",
    "linalg": """cross tensordot linalg.cholesky linalg.cond linalg.cross linalg.det linalg.diagonal linalg.eig
        linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv linalg.lstsq linalg.matmul linalg.matrix_norm
        linalg.matrix_power linalg.matrix_rank linalg.matrix_transpose linalg.multi_dot linalg.norm linalg.outer
        linalg.pinv linalg.qr linalg.slogdet linalg.solve linalg.svdvals linalg.tensordot linalg.tensorinv
        linalg.tensorsolve linalg.trace linalg.vecdot linalg.vector_norm""",
    "lib.stride_tricks": "lib.stride_tricks.sliding_window_view",
    "linalg.einsum": "einsum_path",
    "linalg.products": "inner kron outer vdot",
    "fft": """fft.fft fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfftn
        fft.rfft fft.rfftn""",
    "interop.numpy_spellings": """
        all amax amin any argsort can_cast clip concatenate diff dot einsum fft.fft2 fft.ifft2 fft.irfft2
        fft.rfft2 full_like hstack linalg.svd max mean min ones_like prod result_type round sort stack
        std sum trace var vstack where zeros_like""",
}
"""Chapter, and the NumPy functions that a function of the same name (behind the last dot) there does."""

_CHAPTER = {name: chapter for chapter, row in _ROWS.items() for name in row.split()}
_RENAMED = {"linalg.pinv": {"rcond": "rtol"}}
_HINTS = frozenset(("subok", "assume_unique", "kind", "optimize"))  # about how, not what
_SAME_ORDER = frozenset(("C", "K", "A"))  # all the same to arrays that are made in C order


def names() -> Iterator[str]:
    """NumPy's functions in the table, as ``"sum"`` or ``"linalg.inv"``."""
    return iter(_CHAPTER)


def _array_function(func: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """What ``Array.__array_function__`` does."""
    name = _name_of(func)
    ours = _find(name)
    if ours is None:
        raise DTypeError(
            f"numpy.{name} has no devarray function; copy the arrays to the host with copy_to_host() first"
        )
    if _CHAPTER[name] == "interop.numpy_spellings":
        return ours(*args, **kwargs)
    leading, named, out = _bind(func, name, ours, args, kwargs)
    result = ours(*leading, **named)
    return into(f"numpy.{name}", result, out)


def _name_of(func: Callable[..., Any]) -> str:
    place, name = attributes_of("__array_function__", "func", func, "a function of NumPy's", "__module__", "__name__")
    module = (place or "numpy").removeprefix("numpy").removeprefix(".")
    return f"{module}.{name}" if module else name


@cache
def _find(name: str) -> Callable[..., Any] | None:
    if name not in _CHAPTER:
        return None
    import_module(f"devarray.{_CHAPTER[name].partition('.')[0]}")  # first, as devarray itself does: one order of locks
    module = import_module(f"devarray.{_CHAPTER[name]}")
    spelled = _CHAPTER[name] == "interop.numpy_spellings"
    return getattr(module, name.replace(".", "_") if spelled else name.rpartition(".")[2], None)


@cache
def _signature(func: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(func)


def _bind(
    func: Callable[..., Any], name: str, ours: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[list[Any], dict[str, Any], Any]:
    """Arguments of ours by position, those by name, and NumPy's `out`."""
    theirs, mine = _signature(func).parameters, _signature(ours).parameters
    given = _signature(func).bind(*args, **kwargs).arguments
    first = sum(p.kind is p.POSITIONAL_ONLY or _required(p) for p in mine.values())
    leading: list[Any] = []
    named: dict[str, Any] = {}
    out = given.pop("out", None)
    for place, (key, parameter) in enumerate(theirs.items()):
        if key not in given:
            continue
        value = given[key]
        if parameter.kind is parameter.VAR_POSITIONAL:
            leading += value
        elif parameter.kind is parameter.VAR_KEYWORD:
            named |= value
        elif place < first:
            leading.append(value)
        elif not _left_out(value, parameter) and not (key in _HINTS and key not in mine):
            named[_RENAMED.get(name, {}).get(key, key)] = value
    if "order" in named and "order" not in mine and named["order"] in _SAME_ORDER:
        del named["order"]
    anything = any(p.kind is p.VAR_KEYWORD for p in mine.values())
    unknown = [] if anything else [key for key in named if key not in mine]
    if unknown:
        raise DTypeError(f"numpy.{name} on device arrays does not take {', '.join(unknown)}")
    return leading, named, out


def _required(parameter: inspect.Parameter) -> bool:
    return parameter.kind is parameter.POSITIONAL_OR_KEYWORD and parameter.default is parameter.empty


def _left_out(value: Any, parameter: inspect.Parameter) -> bool:
    """Whether a value says no more than NumPy's default."""
    if value is np._NoValue or value is parameter.default:
        return True
    plain = isinstance(value, bool | int | float | str) and type(value) is type(parameter.default)
    return plain and bool(value == parameter.default)


PROTOCOLS["__array_function__"] = _array_function
