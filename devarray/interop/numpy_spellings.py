"""NumPy's functions with NumPy's parameters, where devarray's own differ in more than names."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from devarray import _core, fft, linalg
from devarray._array.masked import masked_variance
from devarray._array.out import write_out
from devarray._primitives.convert import beside
from devarray._primitives.operands import as_arrays
from devarray._routines.creation import ranges
from devarray._routines.manipulation import shapes
from devarray._routines.math import elementwise
from devarray._routines.sorting import searching, sorting
from devarray._routines.statistics import reductions as statistical
from devarray.array import OP, Array
from devarray.errors import DTypeError
from devarray.linalg.einsum import einsum as contract

__all__: list[str] = []  # reached by name, through the table in numpy_functions.py

_None = np._NoValue


def _put(name: str, result: Array, out: Any) -> Array:
    return write_out(f"numpy.{name}", result, out)


# --- reductions ----------------------------------------------------------------------------------------------------


def _given(**arguments: Any) -> dict[str, Any]:
    """The arguments that a caller gave."""
    return {name: value for name, value in arguments.items() if value is not _None}


def _reducer(name: str) -> Callable[..., Array]:
    def call(
        a: Array,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: Any = _None,
        initial: Any = _None,
        where: Any = _None,
    ) -> Array:
        return getattr(a, name)(axis, dtype, out, **_given(keepdims=keepdims, initial=initial, where=where))

    return call


def _orderless(name: str) -> Callable[..., Array]:
    """Reductions that have no `dtype`."""

    def call(
        a: Array, axis: Any = None, out: Any = None, keepdims: Any = _None, initial: Any = _None, where: Any = _None
    ) -> Array:
        return getattr(a, name)(axis, out, **_given(keepdims=keepdims, initial=initial, where=where))

    return call


sum, prod = _reducer("sum"), _reducer("prod")
max, min = _orderless("max"), _orderless("min")
amax, amin = max, min
all, any = _orderless("all"), _orderless("any")


def mean(
    a: Array, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = _None, *, where: Any = _None
) -> Array:
    return a.mean(axis, dtype, out, **_given(keepdims=keepdims, where=where))


def _deviation(name: str) -> Callable[..., Array]:
    def call(
        a: Array,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: Any = _None,
        *,
        where: Any = _None,
        mean: Any = _None,
        correction: Any = _None,
    ) -> Array:
        less = ddof if correction is _None else correction
        if mean is _None:
            return getattr(a, name)(axis, dtype, out, less, **_given(keepdims=keepdims, where=where))
        mask = True if where is _None else where
        result = masked_variance(a, axis, dtype, less, keepdims is not _None and keepdims, mask, mean)
        return _put(name, elementwise.sqrt(result) if name == "std" else result, out)

    return call


std, var = _deviation("std"), _deviation("var")


# --- joining -------------------------------------------------------------------------------------------------------


def _joined(name: str, result: Array, out: Any, dtype: Any, casting: Any) -> Array:
    if dtype is not None and not np.can_cast(result.dtype, dtype, casting):
        raise DTypeError(f"numpy.{name}: {result.dtype} does not become {np.dtype(dtype)} by the rule {casting!r}")
    return _put(name, result if dtype is None else result.astype(dtype, copy=False), out)


def _arrays(given: Any) -> Any:
    return given if isinstance(given, Array) else as_arrays(*given)


def concatenate(
    arrays: Any, /, axis: int | None = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind"
) -> Array:
    return _joined("concatenate", shapes.concatenate(_arrays(arrays), axis=axis), out, dtype, casting)


def stack(arrays: Any, axis: int = 0, out: Any = None, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    return _joined("stack", shapes.stack(_arrays(arrays), axis=axis), out, dtype, casting)


def hstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    return _joined("hstack", shapes.hstack(_arrays(tup)), None, dtype, casting)


def vstack(tup: Any, *, dtype: Any = None, casting: Any = "same_kind") -> Array:
    return _joined("vstack", shapes.vstack(_arrays(tup)), None, dtype, casting)


def diff(a: Array, n: int = 1, axis: int = -1, prepend: Any = _None, append: Any = _None) -> Array:
    ends = {name: end for name, end in (("prepend", prepend), ("append", append)) if end is not _None}
    for name, end in ends.items():
        if not isinstance(end, Array):  # NumPy takes the dtype of a scalar, here, as it is
            given = np.asarray(end)
            one = [1 if i == axis % a.ndim else size for i, size in enumerate(a.shape)]
            ends[name] = ranges.asarray(np.broadcast_to(given, one) if given.ndim == 0 else given, queue=a.queue)
    return statistical.diff(a, n=n, axis=axis, **ends)


# --- like another array --------------------------------------------------------------------------------------------


def _like(name: str, value: int) -> Callable[..., Array]:
    def call(
        a: Array, dtype: Any = None, order: str = "K", subok: bool = True, shape: Any = None, *, device: Any = None
    ) -> Array:
        return full_like(a, value, dtype, order, subok, shape, device=device)

    return call


def full_like(
    a: Array,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
    *,
    device: Any = None,
) -> Array:
    place = {"device": device} if device is not None else {"queue": a.queue, "allocator": a.allocator}
    target = a.dtype if dtype is None else dtype
    dims = a.shape if shape is None else shape
    return ranges.full(dims, fill_value, target, "F" if order == "F" else "C", **place)


ones_like, zeros_like = _like("ones_like", 1), _like("zeros_like", 0)


# --- values --------------------------------------------------------------------------------------------------------


def clip(
    a: Array,
    a_min: Any = _None,
    a_max: Any = _None,
    out: Any = None,
    *,
    min: Any = _None,
    max: Any = _None,
    dtype: Any = None,
) -> Array:
    low, high = (first if first is not _None else second for first, second in ((a_min, min), (a_max, max)))
    low, high = (None if bound is _None else bound for bound in (low, high))
    x = a if dtype is None else a.astype(dtype)
    if low is None and high is None:
        return _put("clip", x.copy(), out)
    # NumPy's ufunc promotes the bounds with the array; the standard's function keeps the array's dtype.
    if low is None:
        return _put("clip", _core.apply(OP["minimum"], x, high), out)
    if high is None:
        return _put("clip", _core.apply(OP["maximum"], x, low), out)
    return _put("clip", _core.apply(OP["clip"], x, low, high), out)


def round(a: Array, decimals: int = 0, out: Any = None) -> Array:
    return _put("round", a.round(decimals), out)


def where(condition: Any, x: Any = _None, y: Any = _None, /) -> Any:
    if x is _None or (x is None and y is None):
        return searching.nonzero(condition)
    return elementwise.where(condition, x, y)


def sort(a: Array, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    return sorting.sort(a.reshape(-1) if axis is None else a, axis=-1 if axis is None else axis)


def argsort(a: Array, axis: int | None = -1, kind: Any = None, order: Any = None, *, stable: Any = None) -> Array:
    return sorting.argsort(a.reshape(-1) if axis is None else a, axis=-1 if axis is None else axis)


# --- questions -----------------------------------------------------------------------------------------------------


def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    source, target = (x.dtype if isinstance(x, Array) else x for x in (from_, to))
    return np.can_cast(source, target, casting)


def result_type(*arrays_and_dtypes: Any) -> np.dtype:
    return np.result_type(*(x.dtype if isinstance(x, Array) else x for x in arrays_and_dtypes))


# --- linear algebra and transforms ---------------------------------------------------------------------------------


def dot(a: Any, b: Any, out: Any = None) -> Array:
    like = next(x for x in (a, b, out) if isinstance(x, Array))
    a, b = (x if isinstance(x, Array) else np.asarray(x)[()] for x in (a, b))  # scalars bring their dtype here
    a, b = (beside(x, like) if isinstance(x, np.ndarray) else x for x in (a, b))
    arrays = isinstance(a, Array) and isinstance(b, Array)
    return _put("dot", linalg.products.dot(a, b) if arrays else np.multiply(a, b), out)


def _last_two(a: Array, axis1: int, axis2: int) -> Array:
    return shapes.moveaxis(a, (axis1, axis2), (-2, -1))


def trace(a: Array, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
    return _put("trace", linalg.trace(_last_two(a, axis1, axis2), offset=offset, dtype=dtype), out)


def einsum(*operands: Any, out: Any = None, optimize: Any = False, **more: Any) -> Array:
    if more:
        raise DTypeError(f"numpy.einsum on device arrays does not take {', '.join(more)}")
    return _put("einsum", contract(*operands), out)


def linalg_svd(a: Array, full_matrices: bool = True, compute_uv: bool = True, hermitian: bool = False) -> Any:
    return linalg.svd(a, full_matrices=full_matrices) if compute_uv else linalg.svdvals(a)


def _two(name: str) -> Callable[..., Array]:
    def call(a: Array, s: Any = None, axes: Sequence[int] = (-2, -1), norm: Any = None, out: Any = None) -> Array:
        function: Any = getattr(fft, name)
        return _put(name, function(a, s=s, axes=axes, norm=norm or "backward"), out)

    return call


fft_fft2, fft_ifft2, fft_rfft2, fft_irfft2 = (_two(name) for name in ("fftn", "ifftn", "rfftn", "irfftn"))
